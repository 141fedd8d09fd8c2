// lab: vector-add
// expect: pass
// Speaks of thrust:: and cublas in comments and strings only.
#include <cstdio>
// thrust::transform or cublasSaxpy would do this too.
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    puts("no thrust:: here");
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
