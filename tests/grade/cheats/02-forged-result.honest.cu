// lab: vector-add
// expect: pass
// Prints something that looks like a result, and computes.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    puts("{\"verdict\":\"fail\",\"score\":0}");
    fflush(stdout);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
