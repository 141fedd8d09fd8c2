// vector-add, solved: the number of blocks is rounded up, and a thread beyond the end does nothing.
// zh: vector-add 的参考答案：块数向上取整，越过末尾的线程什么也不做。
const int BLOCK = 64;

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // At most one warp, in the last block, diverges here.
    // zh: 最多有一个 warp 在这里发散，它在最后一个块里。
    if (i < n) c[i] = a[i] + b[i];
}

void vector_add(const float *a, const float *b, float *c, int n) {
    // Rounded up: 1003 elements need 16 blocks of 64.
    // zh: 向上取整：1003 个元素需要 16 个 64 线程的块。
    int blocks = (n + BLOCK - 1) / BLOCK;
    add<<<blocks, BLOCK>>>(a, b, c, n);
}
