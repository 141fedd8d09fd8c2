// The cluster's barrier in two halves: work between arriving and waiting, phases one after another, threads that exit, blocks that do
// different amounts of work, and blocks that wait for each other by flags in shared memory.
// std: c++17
// arch: sm_90
// expect: split: 0 wrong
// expect: phases: 0 wrong
// expect: exited: 0 wrong
// expect: flags: 0 wrong
// expect: threads: 0 wrong
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// what is written before arriving is read after waiting; the block's own work lies between
__global__ void __cluster_dims__(4) split(int *wrong) {
    __shared__ int mine, other[4];
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) mine = 7 * c.block_rank();
    c.barrier_arrive();
    int own = 0;
    for (unsigned i = 0; i <= c.block_rank() * 50; i++) own += i; // uneven
    c.barrier_wait();
    if (threadIdx.x < 4) other[threadIdx.x] = *c.map_shared_rank(&mine, threadIdx.x);
    __syncthreads();
    if (other[threadIdx.x % 4] != 7 * (int)(threadIdx.x % 4) || own < 0) atomicAdd(wrong, 1);
    c.sync();
}

// a token goes round: in phase p block p % 8 adds to the next one's sum
__global__ void __cluster_dims__(8) phases(int *wrong) {
    __shared__ int sum;
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank();
    sum = 0;
    c.sync();
    for (unsigned p = 0; p < 40; p++) {
        if (p % 8 == rank && threadIdx.x == 0) *c.map_shared_rank(&sum, (rank + 1) % 8) = sum + 1;
        c.sync();
    }
    // after 40 phases the token has been to everybody five times
    int want = rank == 0 ? 40 : 32 + (int)rank;
    if (threadIdx.x == 0 && sum != want) atomicAdd(wrong, 1);
}

// whole warps, single lanes and a whole block leave before the last phases
__global__ void __cluster_dims__(4) exited(int *wrong) {
    __shared__ int s[4];
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank();
    if (threadIdx.x < 4) s[threadIdx.x] = rank * 4 + threadIdx.x;
    c.sync();
    int v = *c.map_shared_rank(&s[threadIdx.x % 4], (rank + 1) % 4);
    if (v != (int)((rank + 1) % 4 * 4 + threadIdx.x % 4)) atomicAdd(wrong, 1);
    c.sync();
    if (rank == 3 || threadIdx.x >= 32 || threadIdx.x % 3 == 1) return;
    for (int i = 0; i < 5; i++) c.sync();
    if (rank < 3 && threadIdx.x == 0) *c.map_shared_rank(&s[0], (rank + 1) % 3) = 100 + rank;
    c.sync();
    if (threadIdx.x == 0 && s[0] != 100 + (int)((rank + 2) % 3)) atomicAdd(wrong, 1);
}

// a chain of flags without any barrier in between: block r waits for r - 1
__global__ void __cluster_dims__(8) flags(int *wrong) {
    __shared__ volatile int flag;
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank();
    if (threadIdx.x == 0) flag = 0;
    c.sync();
    if (threadIdx.x == 0) {
        while (rank && flag == 0) {}
        __threadfence();
        int v = rank ? flag : 0;
        if (rank < 7) *c.map_shared_rank((int *)&flag, rank + 1) = v + 2;
        if (v != 2 * (int)rank) atomicAdd(wrong, 1);
    }
    c.sync();
}

// 1,024 threads a block, two dimensions
__global__ void __cluster_dims__(2, 1, 1) threads(int *wrong) {
    __shared__ int s[1024];
    cg::cluster_group c = cg::this_cluster();
    int t = threadIdx.x + 32 * threadIdx.y;
    s[t] = t * (c.block_rank() ? -1 : 1);
    c.sync();
    int *o = c.map_shared_rank(s, c.block_rank() ^ 1);
    if (o[1023 - t] + s[1023 - t] != 0) atomicAdd(wrong, 1);
    c.sync();
}

int main() {
    int *wrong;
    CK(cudaMallocManaged(&wrong, sizeof *wrong));
#define TRY(k, grid, block)                                                                                                                \
    *wrong = 0;                                                                                                                            \
    k<<<grid, block>>>(wrong);                                                                                                             \
    CK(cudaDeviceSynchronize());                                                                                                           \
    printf(#k ": %d wrong\n", *wrong);
    TRY(split, 8, 64)
    TRY(phases, 16, 32)
    TRY(exited, 8, 128)
    TRY(flags, 16, 32)
    TRY(threads, 4, dim3(32, 32))
}
