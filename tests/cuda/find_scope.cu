// Blocks that hand data over by atomics or fences of the scope of one block, or by a fence behind the flag; and a block that writes into another one which may not have begun.
// arch: sm_90
// std: c++17
// sim only
// expect: done
// finding: race
// stderr: add<1> reads byte 0
// stderr: add<2> reads byte 0
// stderr: add<3> updates atomically
// stderr: writes byte 0 of the shared memory of block 1 of the cluster: the block may not have begun yet: a barrier of the cluster (cluster.sync()) comes first
#include "common.h"
#include <cooperative_groups.h>
// 0: right, 1: fence behind the flag, 2: fences of the block, 3: an atomic of the block
template <int way> __device__ void fence() {
    if (way == 2) __threadfence_block();
    else __threadfence();
}
template <int way> __global__ void add(int *data, unsigned *count, int *to) {
    __shared__ bool last;
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (way != 1) fence<way>();
        last = (way == 3 ? atomicInc_block(count, gridDim.x - 1) : atomicInc(count, gridDim.x - 1)) == gridDim.x - 1;
        fence<way>();
    }
    __syncthreads();
    if (last)
        for (int b = 0; b < gridDim.x; b++) atomicAdd(to, data[b * blockDim.x + threadIdx.x]);
}
template <bool meets> __global__ void __cluster_dims__(2) early(int *to) {
    __shared__ int x[32];
    auto c = cooperative_groups::this_cluster();
    if (meets) c.sync();
    c.map_shared_rank(x, c.block_rank() ^ 1)[threadIdx.x] = 1;
    c.sync();
    to[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x];
}
int main() {
    int *data, *to;
    unsigned *count;
    CK(cudaMalloc(&data, 4096)), CK(cudaMalloc(&to, 4096)), CK(cudaMalloc(&count, 4));
    CK(cudaMemset(to, 0, 4096)), CK(cudaMemset(count, 0, 4));
    add<0><<<8, 32>>>(data, count, to), early<true><<<4, 32>>>(to);
#ifndef RIGHT
    add<1><<<8, 32>>>(data, count, to), add<2><<<8, 32>>>(data, count, to), add<3><<<8, 32>>>(data, count, to);
    early<false><<<4, 32>>>(to);
#endif
    CK(cudaDeviceSynchronize());
    puts("done");
}
