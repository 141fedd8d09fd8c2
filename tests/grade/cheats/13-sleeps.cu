// lab: vector-add
// expect: fail speedup
// Sleeps in the first calls so that few samples are taken, then runs a slow kernel.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static int calls;
    if (calls++ < 2) sleep(1);
    add<<<1, 32>>>(a, b, c, n);
}
