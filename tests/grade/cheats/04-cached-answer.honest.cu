// lab: vector-add
// expect: pass
// Keeps scratch memory between calls and computes in every one.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static float *scratch;
    static int room;
    if (n > room) {
        cudaFree(scratch);
        cudaMalloc(&scratch, n * sizeof(float));
        room = n;
    }
    add<<<(n + 63) / 64, 64>>>(a, b, scratch, n);
    cudaMemcpyAsync(c, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
