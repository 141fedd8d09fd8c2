// lab: errors
// expect: fail correct
// expect: finding race
// The host has used the managed memory before in the call, and then reads it before it has waited for the kernel that stores there.
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
    *first = -1;
    square<<<(n + 255) / 256, 256>>>(a, c, first, n);
    printf("it begins with %g\n", *first);
    cudaDeviceSynchronize();
    cudaFree(first);
}
