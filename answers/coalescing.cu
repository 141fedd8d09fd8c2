// coalescing, solved: same threads, same work per thread, but at each turn
// all threads of the grid stand side by side. Lane l reads the float next to
// lane l-1's, a warp covers 128 bytes in 4 sectors, and the next turn starts
// where the whole grid ended.
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
