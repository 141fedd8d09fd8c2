// Shuffles that read a lane which takes no part in them (left out of the mask, exited, never there), where
// the value is used; and where it is thrown away, which is no fault.
// arch: sm_80
// sim only
// expect: done
// finding: barrier
// stderr: find_lane_absent.cu:15: thread 4 of block 0 of stored reads lane 8 in a shfl of which only lanes 0x000000ff take part: the value is undefined, and line 15 uses it
// stderr: find_lane_absent.cu:20: thread 4 of block 0 of short_warp reads lane 20 in a shfl of which only lanes 0x000fffff take part: the value is undefined, and line 21 uses it
// stderr: find_lane_absent.cu:25: thread 0 of block 0 of exited reads lane 31 in a shfl of which only lanes 0x00ffffff take part: the value is undefined, and line 25 uses it
// stderr: find_lane_absent.cu:28: thread 0 of block 0 of index reads lane 16 in a shfl of which only lanes 0x0000ffff take part: the value is undefined, and line 28 uses it
// stderr: find_lane_absent.cu:31: thread 2 of block 0 of outside executes redux.sync with the mask 0x00000003, which leaves out its own lane 2
// stderr: find_lane_absent.cu:32: thread 2 of block 0 of outside executes match with the mask 0x00000003, which leaves out its own lane 2
#include "common.h"
__global__ void stored(int *o) {
    if (threadIdx.x < 8) o[threadIdx.x] = __shfl_down_sync(0xffu, (int)threadIdx.x + 1, 4);
}
// A block of 20 threads: lanes 20 to 31 are not there, and lane 4 is read at the second step.
__global__ void short_warp(int *o) {
    int v = threadIdx.x;
    for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);
    if (threadIdx.x == 0) o[0] = v;
}
__global__ void exited(int *o) {
    if (threadIdx.x >= 24) return;
    o[threadIdx.x] = __shfl_sync(0xffffffffu, (int)threadIdx.x, 31);
}
__global__ void index(int *o) {
    if (threadIdx.x < 16) o[__shfl_xor_sync(0xffffu, (int)threadIdx.x, 16) & 31] = 1;
}
__global__ void outside(unsigned *o) {
    if (threadIdx.x < 3) o[threadIdx.x] = __reduce_add_sync(0x3u, threadIdx.x);
    if (threadIdx.x < 3) o[threadIdx.x] = __match_any_sync(0x3u, threadIdx.x);
}

// Nothing of this is a fault.
__global__ void half(int *o) { // the upper lanes read absent ones, and their sums are thrown away
    if (threadIdx.x < 16) {
        int v = threadIdx.x, most = v, at = v;
        for (int step = 8; step; step /= 2) v += __shfl_down_sync(0xffffu, v, step);
        for (int step = 8; step; step /= 2) {
            int other = __shfl_down_sync(0xffffu, most, step), where = __shfl_down_sync(0xffffu, at, step);
            if (other > most) most = other, at = where;
        }
        if (threadIdx.x == 0) o[0] = v, o[1] = at;
    }
}
__global__ void chosen(int *o) { // what an absent lane would have given is not taken
    if (threadIdx.x >= 20) return;
    int v = __shfl_down_sync(0xfffffu, (int)threadIdx.x, 1);
    o[threadIdx.x] = threadIdx.x < 19 ? v : 0;
}
__global__ void scan(int *o) { // out of range: the lane's own value
    int v = 1;
    for (int step = 1; step < 8; step *= 2) {
        int t = __shfl_up_sync(__activemask(), v, step, 8);
        if (threadIdx.x % 8 >= step) v += t;
    }
    o[threadIdx.x] = v;
}
__global__ void votes(unsigned *o) { // lanes that have exited are not asked
    if (threadIdx.x >= 9) return;
    o[threadIdx.x] = __ballot_sync(~0u, 1) + __any_sync(~0u, 0) + __reduce_add_sync(~0u, 1u) + __match_any_sync(~0u, 5);
}
int main() {
    int *o;
    CK(cudaMalloc(&o, 256));
    stored<<<1, 32>>>(o), short_warp<<<1, 20>>>(o), exited<<<1, 32>>>(o), index<<<1, 32>>>(o), outside<<<1, 32>>>((unsigned *)o);
    half<<<1, 32>>>(o), chosen<<<1, 32>>>(o), scan<<<1, 24>>>(o), votes<<<1, 32>>>((unsigned *)o);
    CK(cudaDeviceSynchronize());
    puts("done");
}
