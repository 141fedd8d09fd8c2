// expect: 0: 2016 64
// expect: 1: 2016 64
// expect: 2: 496 496 32
// std: c++17
// arch: sm_80
// Tiles of several warps: they work in shared memory that the system reserves, without memory of the kernel's own.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void tiles(int *sum, int *size) {
    __shared__ cg::block_tile_memory<128> room;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(room));
    int s = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
    tile.sync();
    if (tile.thread_rank() == 63) sum[tile.meta_group_rank()] = s, size[tile.meta_group_rank()] = tile.size();
}

// with memory of its own beside it, of an odd size: nothing overlaps
__global__ void beside(int *sum, int *own) {
    __shared__ char mine[33];
    extern __shared__ int more[];
    __shared__ cg::block_tile_memory<64> room;
    if (threadIdx.x < 33) mine[threadIdx.x] = 1;
    if (threadIdx.x < 32) more[threadIdx.x] = threadIdx.x;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(room));
    int s = cg::reduce(tile, threadIdx.x < 32 ? more[threadIdx.x] : 0, cg::plus<int>());
    tile.sync();
    if (threadIdx.x) return;
    int still = 0, ones = 0;
    for (int k = 0; k < 32; k++) still += more[k], ones += mine[k];
    *sum = s, own[0] = still, own[1] = ones;
}

int main() {
    int *d, h[8];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    tiles<<<1, 128>>>(d, d + 2);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 2; k++) printf("%d: %d %d\n", k, h[k], h[2 + k]);
    beside<<<1, 64, 32 * sizeof(int)>>>(d + 4, d + 5);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("2: %d %d %d\n", h[4], h[5], h[6]);
    cudaFree(d);
    return 0;
}
