// kind: slow
// expect: fail counter block_barriers
// expect: met correct
// Half the technique: two copies of the array save one barrier a round; nine are left.
const int BLOCK = 512;

__global__ void scan(const int *in, int *out, int n) {
    __shared__ int a[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    a[0][t] = i < n ? in[i] : 0;
    for (int s = 1; s < BLOCK; s *= 2, from ^= 1) {
        __syncthreads();
        a[from ^ 1][t] = a[from][t] + (t >= s ? a[from][t - s] : 0);
    }
    if (i < n) out[i] = a[from][t];
}

void scan_block(const int *in, int *out, int n) { scan<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n); }
