// kind: ragged
// expect: fail correct
// Whole blocks only.
const int BLOCK = 256;
const int SCRATCH = BLOCK; // words of shared memory per block

// Each thread follows its chain i, next[i], next[next[i]] ... for `hops` hops: every load waits for the one before it.
__global__ void follow(const int *next, int *out, int hops, int n) {
    __shared__ int at[SCRATCH];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    at[threadIdx.x] = i;
    for (int h = 0; h < hops; h++) at[threadIdx.x] = next[at[threadIdx.x]];
    out[i] = at[threadIdx.x];
}

void occupancy(const int *next, int *out, int hops, int n) {
    follow<<<n < BLOCK ? 1 : n / BLOCK, BLOCK>>>(next, out, hops, n);
}
