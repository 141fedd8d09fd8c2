// Races in global memory between blocks and between warps of a block; atomics, barriers and launches in a row are none.
// sim only
// expect: done
// finding: race
// stderr: find_race_global.cu:12: thread 0 of block 1 of bump
// stderr: thread 0 of block 0
// stderr: find_race_global.cu:17: thread 0 of block 0 of shift<false> reads byte 4 of the 1,024-byte allocation
// stderr: which thread 1 of the same warp writes at find_race_global.cu:15: a __syncthreads() is missing between them; a __syncwarp() is not enough, because threads of different warps meet here too
#include "common.h"
__global__ void bump_atomic(int *q) { atomicAdd(q, 1); }
__global__ void bump(int *q) {
    if (threadIdx.x == 0) q[0] = q[0] + 1;
}
template <bool sync> __global__ void shift(int *q, int *r) {
    q[threadIdx.x] = threadIdx.x;
    if (sync) __syncthreads();
    r[threadIdx.x] = q[(threadIdx.x + 1) % blockDim.x];
}
int main() {
    int *q;
    CK(cudaMalloc(&q, 1024)), CK(cudaMemset(q, 0, 1024));
    bump_atomic<<<4, 32>>>(q), bump<<<1, 32>>>(q), shift<true><<<1, 64>>>(q, q + 64);
    CK(cudaDeviceSynchronize());
    bump<<<2, 32>>>(q + 128), shift<false><<<1, 64>>>(q, q + 64);
    CK(cudaDeviceSynchronize());
    puts("done");
}
