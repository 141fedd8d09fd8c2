// lab: vector-add
// expect: pass
// Works on a stream of its own and does not wait for it: the call is over when its work is.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static cudaStream_t s;
    if (!s) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    add<<<(n + 63) / 64, 64, 0, s>>>(a, b, c, n);
}
