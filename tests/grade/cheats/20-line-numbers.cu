// lab: vector-add
// expect: fail correct
// expect: finding oob
// An out-of-bounds store under a false file name and line.
#line 1 "answers/vector-add.cu"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#line 99999 "/usr/include/nothing.h"
    c[i] = i < n ? a[i] + b[i] : 0.0f;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
