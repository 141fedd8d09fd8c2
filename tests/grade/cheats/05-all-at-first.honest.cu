// lab: vector-add
// expect: pass
// Works out something about the device in the first call and uses it in all.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static int threads;
    if (!threads) {
        cudaDeviceGetAttribute(&threads, cudaDevAttrWarpSize, 0);
        threads *= 4;
    }
    add<<<(n + threads - 1) / threads, threads>>>(a, b, c, n);
}
