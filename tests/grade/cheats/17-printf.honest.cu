// lab: vector-add
// expect: pass
// Prints a line from the device and some from the host.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("first: %f\n", a[0]);
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < 100; i++) printf("n = %d\n", n);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
}
