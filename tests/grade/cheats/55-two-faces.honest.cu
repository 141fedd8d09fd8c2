// lab: vector-add
// expect: pass
// A kernel counts its calls in a variable of the device, the host looks at a result, and another kernel uses the count.
#include <cuda_runtime.h>
__device__ int before;
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    if (i == 0) before++;
}
__global__ void check(const float *a, const float *b, float *c, int n, int call) {
    if (before != call) c[0] = -1; // a replay that began elsewhere would be wrong
    else if (n) c[0] = a[0] + b[0];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static int call;
    float first;
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost);
    check<<<1, 1>>>(a, b, c, n, ++call);
}
