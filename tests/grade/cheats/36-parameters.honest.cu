// lab: vector-add
// expect: pass
// A table that does not depend on the data is passed as a parameter.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
struct part {
    float v[512];
};
__global__ void scaled(part p, const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = p.v[i % 512] * (a[i] + b[i]);
}
void vector_add(const float *a, const float *b, float *c, int n) {
    part p;
    for (int i = 0; i < 512; i++) p.v[i] = 1;
    scaled<<<(n + 255) / 256, 256>>>(p, a, b, c, n);
}
