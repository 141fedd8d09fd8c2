// sim only
// expect: done
// finding: race
// Two kernels of one graph write the same array, and no edge orders them.
#include "common.h"
__global__ void fill(float *x, int n, float v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = v;
}
int main() {
    int n = 1000;
    float *x, v[2] = {1, 2};
    cudaGraph_t g;
    cudaGraphNode_t node[2];
    cudaGraphExec_t exec;
    CK(cudaMalloc(&x, n * sizeof *x));
    CK(cudaGraphCreate(&g, 0));
    for (int i = 0; i < 2; i++) {
        void *args[] = {&x, &n, &v[i]};
        cudaKernelNodeParams k = {};
        k.func = (void *)fill, k.gridDim = 4, k.blockDim = 256, k.kernelParams = args;
        CK(cudaGraphAddKernelNode(&node[i], g, NULL, 0, &k));
    }
    CK(cudaGraphInstantiate(&exec, g, 0));
    CK(cudaGraphLaunch(exec, 0));
    CK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("done\n");
}
