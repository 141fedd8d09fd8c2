// Allocations inside a graph.
// expect: 28
// expect: 28
#include "common.h"
__global__ void iota(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void sum(const int *p, int *out) {
    int s = 0;
    for (int i = 0; i < 8; i++) s += p[i];
    *out = s;
}
int main() {
    int *out, h;
    CK(cudaMalloc(&out, 4));
    cudaGraph_t g;
    cudaGraphNode_t alloc, fill, add, release;
    cudaGraphExec_t x;
    CK(cudaGraphCreate(&g, 0));
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned, p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.poolProps.location.id = 0, p.bytesize = 32;
    CK(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    void *a1[] = {&p.dptr}, *a2[] = {&p.dptr, &out};
    cudaKernelNodeParams k = {};
    k.func = (void *)iota, k.gridDim = 1, k.blockDim = 8, k.kernelParams = a1;
    CK(cudaGraphAddKernelNode(&fill, g, &alloc, 1, &k));
    k.func = (void *)sum, k.blockDim = 1, k.kernelParams = a2;
    CK(cudaGraphAddKernelNode(&add, g, &fill, 1, &k));
    CK(cudaGraphAddMemFreeNode(&release, g, &add, 1, p.dptr));
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++) {
        CK(cudaGraphLaunch(x, 0));
        CK(cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost));
        printf("%d\n", h);
    }
}
