// lab: vector-add
// expect: pass
// Prints much the same, and does its work.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    printf("{\"verdict\":\"fail\",\"score\":0}\nFAIL 0/10\n\033[31mwrong\033[0m\n");
    fprintf(stderr, "error: nothing\n");
}
