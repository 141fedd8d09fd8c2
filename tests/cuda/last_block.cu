// The block that finishes last adds up what the others left.
// fast
// expect: 2016
#include "common.h"
__device__ unsigned count;
__global__ void k(volatile int *part, int *sum) {
    __shared__ bool last;
    if (!threadIdx.x) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && !threadIdx.x) {
        int s = 0;
        for (unsigned i = 0; i < gridDim.x; i++) s += part[i];
        *sum = s;
    }
}
int main() {
    int *d, h;
    CK(cudaMalloc(&d, 65 * 4));
    k<<<64, 32>>>(d, d + 64);
    CK(cudaMemcpy(&h, d + 64, 4, cudaMemcpyDeviceToHost)), printf("%d\n", h);
}
