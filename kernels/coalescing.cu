// The baseline of coalescing: a chunk of neighbours for each thread. Right
// for every n, and the slow way to walk through memory: at each turn the
// lanes of a warp are 128 bytes apart, so that every one of them pulls a
// 32-byte sector of its own for 4 bytes.
const int BLOCK = 128;
const int PER_THREAD = 32;

__global__ void scale_kernel(const float *x, float *y, float a, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < PER_THREAD; k++) {
        int i = thread * PER_THREAD + k;
        if (i < n) y[i] = a * x[i];
    }
}

void scale(const float *x, float *y, float a, int n) {
    int threads = (n + PER_THREAD - 1) / PER_THREAD;
    scale_kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, a, n);
}
