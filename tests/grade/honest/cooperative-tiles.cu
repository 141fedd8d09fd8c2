// reduce-6-cascade: tiles of cooperative groups, reduced by the group
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void add_up(const int *in, int *total, int n) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    mine = cg::reduce(tile, mine, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(total, mine);
}

void reduce(const int *in, int *total, int n) {
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<256, 256>>>(in, total, n);
}
