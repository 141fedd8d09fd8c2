// lab: vector-add
// expect: fail correct
// expect: finding oob
// Names that a report might take for its own markup: of the file, of the line's file and in what it prints.
#include <cstdio>
#line 1 "<script>alert(1)</script>.cu"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = i < n ? a[i] + b[i] : 0.0f;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    puts("</pre><script>alert(2)</script>\033]0;title\007\033[2J]]>\xff\xfe");
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
