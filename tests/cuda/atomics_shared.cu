// A histogram in shared memory.
// fast
// expect: 16 bins ok
#include "common.h"
__global__ void histogram(const unsigned char *p, int n, unsigned *out) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[p[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}
int main() {
    const int n = 50000;
    static unsigned char h[n];
    unsigned want[16] = {}, got[16], *out, bad = 0;
    unsigned char *d;
    for (int i = 0; i < n; i++) want[(h[i] = (unsigned char)(i * i >> 3)) & 15]++;
    CK(cudaMalloc(&d, n)), CK(cudaMalloc(&out, 64)), CK(cudaMemset(out, 0, 64)), CK(cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
    histogram<<<10, 200>>>(d, n, out);
    CK(cudaMemcpy(got, out, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) bad += got[i] != want[i];
    printf("16 bins %s\n", bad ? "wrong" : "ok");
}
