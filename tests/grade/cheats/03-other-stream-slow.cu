// lab: vector-add
// expect: fail speedup
// Hides a slow kernel on another stream and returns before it ends.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static cudaStream_t s;
    if (!s) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<1, 32, 0, s>>>(a, b, c, n);
}
