// kind: slow
// expect: fail counter occupancy_pct
// expect: met correct
// Half the way: bigger blocks, but still 24 KB each.
const int BLOCK = 64;
const int SCRATCH = 6 * 1024; // words of shared memory per block

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
    follow<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(next, out, hops, n);
}
