// The warps of a block wait for each other's flags in shared memory. ptxas leaves plain loads in the loops that wait (tests/twins.py).
// expect: 8128 8128 8128 8128
#include "common.h"
const int BLOCK = 128, WARPS = BLOCK / 32;
__global__ void sums(int *out) {
    __shared__ volatile int sum[WARPS], there[WARPS];
    int warp = threadIdx.x / 32, mine = threadIdx.x, all = 0;
    if (threadIdx.x < WARPS) there[threadIdx.x] = 0;
    __syncthreads();
    for (int s = 16; s; s /= 2) mine += __shfl_xor_sync(0xffffffff, mine, s);
    if (threadIdx.x % 32 == 0) {
        sum[warp] = mine;
        __threadfence_block();
        there[warp] = 1;
    }
    for (int w = 0; w < WARPS; w++) {
        while (!there[w]) {}
        __threadfence_block();
        all += sum[w];
    }
    if (threadIdx.x % 32 == 0) out[warp] = all;
}
int main() {
    int *d, h[WARPS];
    CK(cudaMalloc(&d, sizeof h));
    sums<<<1, BLOCK>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    CK(cudaFree(d));
}
