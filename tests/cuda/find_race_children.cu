// What different blocks of a kernel launch runs in no order; what one block launches into one stream does, and the tail stream is behind all.
// gpu limit: kernels that launch kernels are not linked for a GPU
// flags: -rdc=true
// finding: race
// expect: 0
#include "common.h"
__global__ void put(int *p, int v) { *p = v; }
__global__ void blocks(int *p) {
    if (threadIdx.x == 0) put<<<1, 1>>>(p, blockIdx.x);
}
__global__ void in_order(int *p) {
    put<<<1, 1>>>(p, 1);
    put<<<1, 1>>>(p, 2);
    put<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 0);
}
int main(int argc, char **) {
    int *p, h;
    CK(cudaMalloc(&p, 8));
    in_order<<<1, 1>>>(p);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h);
    blocks<<<2, 32>>>(p + 1);
    CK(cudaDeviceSynchronize());
}
