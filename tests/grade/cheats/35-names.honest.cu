// lab: vector-add
// expect: pass
// Prints in colour and in Chinese, and its kernel has a long name.
#include <cstdio>
template <typename Element, int ThreadsPerBlock> __global__ void add_two_vectors_of_any_length(const Element *a, const Element *b, Element *c, int n) {
    int i = blockIdx.x * ThreadsPerBlock + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    puts("\033[32m向量相加\033[0m <b>&amp;</b>");
    add_two_vectors_of_any_length<float, 64><<<(n + 63) / 64, 64>>>(a, b, c, n);
}
