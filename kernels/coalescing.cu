// The baseline of coalescing: each thread takes neighbouring elements. The
// result is right for every n, but the kernel is slow: in each step,
// neighbouring lanes of a warp are 128 bytes apart, so each lane touches a
// sector of 32 bytes of its own and uses 4 bytes of it.
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
