// The cluster's barrier orders what its blocks do in global memory too: no race, and everybody sees it. Clusters do not order each other,
// but by atomics as always.
// std: c++17
// arch: sm_90
// expect: 0 wrong
// expect: 24 clusters
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2, 2) exchange(int *data, int *wrong, int *clusters) {
    cg::cluster_group c = cg::this_cluster();
    unsigned block = blockIdx.x + gridDim.x * blockIdx.y, rank = c.block_rank();
    unsigned x = blockIdx.x / 2 * 2, y = blockIdx.y / 2 * 2;
    for (int round = 0; round < 3; round++) {
        data[block * 32 + threadIdx.x] = block * 1000 + round;
        c.sync();
        unsigned r = (rank + 1) % 4, other = x + r % 2 + gridDim.x * (y + r / 2);
        if (data[other * 32 + 31 - threadIdx.x] != (int)(other * 1000 + round)) atomicAdd(wrong, 1);
        c.sync();
    }
    if (c.thread_rank() == 0) atomicAdd(clusters, 1);
}
int main() {
    int *d, *w, h[2];
    CK(cudaMalloc(&d, 96 * 32 * 4)), CK(cudaMalloc(&w, 8)), CK(cudaMemset(w, 0, 8));
    exchange<<<dim3(8, 12), 32>>>(d, w, w + 1);
    CK(cudaMemcpy(h, w, 8, cudaMemcpyDeviceToHost));
    printf("%d wrong\n%d clusters\n", h[0], h[1]);
}
