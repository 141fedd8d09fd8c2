// lab: vector-add
// expect: fail correct
// Fills the record of the call, then does the work unseen.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__global__ void slow(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    if (n > 100000) {
        add<<<1, 32>>>(a, b, c, 32);
        for (int i = 0; i < 100000; i++) cudaDeviceSynchronize();
    }
    slow<<<1, 1024>>>(a, b, c, n);
}
