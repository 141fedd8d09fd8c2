// cudaLaunchKernelEx with attributes.
// expect: 3 6 9
#include "common.h"
__global__ void k(int *p, int v) { p[threadIdx.x] = v * (threadIdx.x + 1); }
int main() {
    int *d, h[3];
    cudaStream_t s;
    CK(cudaMalloc(&d, 12)), CK(cudaStreamCreate(&s));
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[2];
    a[0].id = cudaLaunchAttributePriority, a[0].val.priority = 0;
    a[1].id = cudaLaunchAttributeCooperative, a[1].val.cooperative = 1;
    c.gridDim = 1, c.blockDim = 3, c.stream = s, c.attrs = a, c.numAttrs = 2;
    CK(cudaLaunchKernelEx(&c, k, d, 3));
    CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", h[0], h[1], h[2]);
}
