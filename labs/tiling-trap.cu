// tiling-trap: y = 2 * x + 1. The author had read that shared memory
// is fast, and used it for every element.
// zh: y = 2 * x + 1。有人听说共享内存很快，
// zh: 于是让每个元素都经过共享内存。

// TODO: how many times does the kernel use an element of the tile? Remove
// what does not pay. (A tile takes 40 KB.)
// zh: TODO：tile 里的每个元素用了几次？
// zh: 把不划算的部分去掉。（一个 tile 占 40 KB。）
const int BLOCK = 64, TILE = 10 * 1024;

// y[i] = 2 * x[i] + 1, where each element goes through shared memory.
// zh: y[i] = 2 * x[i] + 1，每个元素都要经过共享内存。
__global__ void update(const float *x, float *y, int n) {
    __shared__ float tile[TILE];
    for (int base = blockIdx.x * TILE; base < n; base += gridDim.x * TILE) {
        int count = min(TILE, n - base);
        for (int k = threadIdx.x; k < count; k += BLOCK) tile[k] = x[base + k];
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += BLOCK)
            y[base + k] = 2 * tile[k] + 1;
        __syncthreads();
    }
}

void tiling_trap(const float *x, float *y, int n) {
    update<<<(n + TILE - 1) / TILE, BLOCK>>>(x, y, n);
}
