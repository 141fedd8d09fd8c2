// lab: vector-add
// expect: pass
// The elements behind whole blocks are a launch of their own.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    int whole = n / 256 * 256;
    if (whole) add<<<whole / 256, 256>>>(a, b, c);
    if (n > whole) add<<<1, n - whole>>>(a + whole, b + whole, c + whole);
}
