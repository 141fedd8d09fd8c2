// lab: vector-add
// expect: fail correct
// Allocates memory of the output's size in the hope that an answer still lies there, and hands it over unseen.
#include <cuda_runtime.h>
__global__ void copy(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
void vector_add(const float *, const float *, float *c, int n) {
    float *stale;
    cudaMalloc(&stale, n * sizeof(float));
    copy<<<(n + 63) / 64, 64>>>(stale, c, n);
    cudaFree(stale);
}
