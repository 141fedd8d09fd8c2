// Groups in a block: tiles, coalesced threads, reductions.
// std: c++17
// expect: 32 lanes sum 496
// expect: tile of 8 sums 28 92 156 220
// expect: active 11
#include "common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(int *out) {
    cg::thread_block b = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(b);
    auto tile = cg::tiled_partition<8>(b);
    int v = b.thread_rank();
    int s = cg::reduce(warp, v, cg::plus<int>()), t = cg::reduce(tile, v, cg::plus<int>());
    if (!warp.thread_rank()) out[0] = s;
    if (!tile.thread_rank()) out[1 + tile.meta_group_rank()] = t;
    if (v % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        if (!g.thread_rank()) out[5] = g.size();
    }
}
int main() {
    int *d, h[6];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 32>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("32 lanes sum %d\ntile of 8 sums %d %d %d %d\nactive %d\n", h[0], h[1], h[2], h[3], h[4], h[5]);
}
