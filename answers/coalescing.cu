// coalescing, solved: there are as many threads as before, and each does as much work. But in each
// step of the loop, the grid takes `threads` neighbouring elements, one for each thread. So
// neighbouring lanes access neighbouring floats, and a request touches 4 sectors (128 bytes).
// zh: coalescing 的参考答案：线程数不变，每个线程的工作量也不变。但在循环的每一步里，
// zh: 整个网格处理 `threads` 个相邻的元素，每个线程一个。于是相邻的 lane 访问相邻的 float，
// zh: 一个请求触及 4 个扇区（128 字节）。
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
