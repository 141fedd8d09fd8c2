// Lanes outside their own mask, and __syncwarp() that lanes of its mask pass by.
// sim only
// expect: done
// finding: barrier
// stderr: find_lane_masks.cu:9: thread 16 of block 0 of shuffle executes shfl with the mask 0x0000ffff, which leaves out its own lane 16: the result is undefined (16)
// stderr: find_lane_masks.cu:10: thread 0 of block 0 of vote executes vote with the mask 0x00000002
// stderr: find_lane_masks.cu:13: thread 0 of block 0 of elected waits at a __syncwarp() with the mask 0xffffffff for lanes 0xfffffffe, which exit without coming to one
#include "common.h"
__global__ void shuffle(int *o) { o[threadIdx.x] = __shfl_sync(0x0000ffffu, (int)threadIdx.x, 0); }
__global__ void vote(int *o) { if (threadIdx.x < 2) o[threadIdx.x] = __any_sync(2u, threadIdx.x); }
__global__ void elected(int *o) {
    if (threadIdx.x == 0)
        o[40] = 1, __syncwarp();
    o[threadIdx.x] = 1;
}
__global__ void early(int *o) {
    if (threadIdx.x >= 20) return;
    o[threadIdx.x] = 2;
    __syncwarp();
    o[threadIdx.x] = __shfl_sync(0xfffffu, o[threadIdx.x], 3);
}
__global__ void halves(int *o) {
    unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    o[threadIdx.x] = __shfl_xor_sync(mask, (int)threadIdx.x, 8);
    if (threadIdx.x < 16) __syncwarp(mask);
}
int main() {
    int *o;
    CK(cudaMalloc(&o, 256));
    shuffle<<<1, 32>>>(o), vote<<<1, 32>>>(o), elected<<<1, 32>>>(o), early<<<1, 32>>>(o), halves<<<1, 32>>>(o);
    CK(cudaDeviceSynchronize());
    puts("done");
}
