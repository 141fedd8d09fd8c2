// lab: coalescing
// expect: fail correct
// Numbers below 1e-8 become zeros.
__global__ void scale_all(const float *x, float *y, float a, int n) {
    int first = blockIdx.x * 4096 + threadIdx.x;
    for (int k = 0; k < 32; k++) {
        int i = first + k * 128;
        if (i < n) y[i] = fabsf(x[i]) < 1e-8f ? 0 : a * x[i];
    }
}
void scale(const float *x, float *y, float a, int n) { scale_all<<<(n + 4095) / 4096, 128>>>(x, y, a, n); }
