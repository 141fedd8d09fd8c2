// lab: vector-add
// options: --seed 1
// expect: fail speedup
// One block walks 20,000 dependent steps through volatile shared memory. Blocks that ended after it were kept until it had: their list grew, and with it the time to add to it.

const int BLOCK = 64;

__global__ void add(const float *a, const float *b, float *c, int n) {
    if (blockIdx.x == gridDim.x / 3) { __shared__ volatile int ring[64]; ring[threadIdx.x & 63] = (threadIdx.x * 5 + 1) & 63; __syncthreads(); int at = 0; for (int k = 0; k < 20000; k++) at = ring[at]; if (at == -1) c[0] = 1; }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Only in the last block does this part a warp.
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    // Rounded up: 1003 elements need 16 blocks of 64.
    int blocks = (n + BLOCK - 1) / BLOCK;
    add<<<blocks, BLOCK>>>(a, b, c, n);
}
