// lab: vector-add
// expect: pass
// Registers what is to happen at the end.
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static void last() {}
void vector_add(const float *a, const float *b, float *c, int n) {
    static bool once = atexit(last) == 0;
    if (once) add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
