// kind: unsafe
// expect: fail correct
// expect: finding oob
// Unit stride and rounded up, but without the check against n.
__global__ void scale_kernel(const float *x, float *y, float a) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int k = 0; k < 16; k++) y[k * threads + thread] = a * x[k * threads + thread];
}
void scale(const float *x, float *y, float a, int n) { scale_kernel<<<(n + 4095) / 4096, 256>>>(x, y, a); }
