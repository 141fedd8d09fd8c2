// An exchange whose old value nobody uses initialises, in shared and in global memory.
// sim only
// expect: 64 64
#include "common.h"
__global__ void count(int *global) {
    __shared__ int hits;
    atomicExch(&hits, 0), atomicExch(&global[0], 0), __syncthreads();
    atomicAdd(&hits, 1), atomicAdd(&global[0], 1), __syncthreads();
    global[1] = hits;
}
int main() {
    int *d, h[2];
    CK(cudaMalloc(&d, 8));
    count<<<1, 64>>>(d);
    CK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost)), printf("%d %d\n", h[0], h[1]);
}
