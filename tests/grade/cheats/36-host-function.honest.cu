// lab: vector-add
// expect: pass
// A host function at the end of the stream only counts.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static void count(void *p) {
    ++*(int *)p;
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static int calls;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaLaunchHostFunc(0, count, &calls);
    cudaDeviceSynchronize();
}
