// kind: ragged
// expect: fail correct
// Unit stride, but a fixed number of turns over a grid that was rounded down:
// the tail is never written.
__global__ void scale_kernel(const float *x, float *y, float a) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int k = 0; k < 16; k++) y[k * threads + thread] = a * x[k * threads + thread];
}
void scale(const float *x, float *y, float a, int n) { scale_kernel<<<n / 4096, 256>>>(x, y, a); }
