// lab: vector-add
// expect: fail correct
// expect: finding oob
// Says that its lines are those of a file of the machine, in the hope that a report shows them.
#include <cuda_runtime.h>
#line 1 "/etc/passwd"
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = i < n ? a[i] + b[i] : 0.0f;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
