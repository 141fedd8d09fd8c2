// lab: vector-add
// expect: fail speedup
// Asks for a persisting part of the L2 and warms it up, with a slow kernel.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 24);
    cudaGetLastError();
    add<<<1, 32>>>(a, b, c, n);
}
