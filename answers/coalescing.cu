// coalescing, solved: same threads, same work per thread, but at each turn all threads of the grid
// stand side by side. Lane l reads the float next to lane l-1's, a warp covers 128 bytes in 4
// sectors, and the next turn starts where the whole grid ended.
// zh: coalescing 的参考答案：线程不变，每个线程的工作量不变，但在循环的每一步里，整个网格的线程
// zh: 肩并肩。lane l 读的 float 紧挨着 lane l-1 读的，一个 warp 用 4 个扇区覆盖 128 字节，下一步
// zh: 从整个网格的末尾接着走。
const int BLOCK = 128;
const int PER_THREAD = 32;

__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = k * threads + thread;
        if (i < n) y[i] = a * x[i];
    }
}

void scale(const float *x, float *y, float a, int n) {
    int threads = (n + PER_THREAD - 1) / PER_THREAD;
    scale_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, a, n);
}
