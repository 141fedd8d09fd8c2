// lab: vector-add
// expect: fail correct
// Makes the time small: launches inside a capture that is never run, and ends the call with the graph thrown away.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    add<<<(n + 63) / 64, 64, 0, s>>>(a, b, c, n);
    cudaStreamEndCapture(s, &g);
    cudaGraphDestroy(g);
    cudaStreamDestroy(s);
}
