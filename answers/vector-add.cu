// vector-add, solved: the number of blocks is rounded up, and a thread beyond
// the end does nothing.
const int BLOCK = 64;

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Only in the last block does this part a warp.
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    // Rounded up: 1003 elements need 16 blocks of 64.
    int blocks = (n + BLOCK - 1) / BLOCK;
    add<<<blocks, BLOCK>>>(a, b, c, n);
}
