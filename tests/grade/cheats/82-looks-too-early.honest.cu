// lab: errors
// expect: pass
// The host waits, then reads what the kernel stored into managed memory.
#include <cstdio>
__global__ void square(const float *a, float *c, float *first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = a[i] * a[i];
    if (i == 0) *first = c[i];
}
void errors(const float *a, float *c, int n) {
    float *first;
    cudaMallocManaged(&first, sizeof(float));
    square<<<(n + 255) / 256, 256>>>(a, c, first, n);
    cudaDeviceSynchronize();
    printf("it begins with %g\n", *first);
    cudaFree(first);
}
