// lab: vector-add
// expect: pass
// A constant table that does not depend on the data.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
__constant__ float one[1];
__global__ void scaled(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = one[0] * (a[i] + b[i]);
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static bool ready;
    float x = 1;
    if (!ready) cudaMemcpyToSymbol(one, &x, sizeof x);
    ready = true;
    scaled<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
