// Thread-block clusters by cooperative_groups: who is who, in three dimensions, and each block reads its neighbours' shared memory.
// std: c++17
// arch: sm_90
// expect: 48 blocks in 6 clusters: 0 wrong
// expect: ring: 0 wrong
// expect: no clusters: 0 wrong
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// cluster (2,2,2) in a grid of (4,6,2): ranks and indices count x first
__global__ void __cluster_dims__(2, 2, 2) who(int *wrong) {
    cg::cluster_group c = cg::this_cluster();
    dim3 in = c.block_index(), at = cg::grid_group::cluster_index(), all = cg::grid_group::dim_clusters();
    unsigned rank = in.x + 2 * in.y + 4 * in.z;
    int bad = 0;
    bad += c.num_blocks() != 8 || c.dim_blocks().x != 2 || c.dim_blocks().y != 2 || c.dim_blocks().z != 2;
    bad += c.block_rank() != rank;
    bad += blockIdx.x != at.x * 2 + in.x || blockIdx.y != at.y * 2 + in.y || blockIdx.z != at.z * 2 + in.z;
    bad += in.x > 1 || in.y > 1 || in.z > 1 || at.x > 1 || at.y > 2 || at.z > 0;
    bad += all.x != 2 || all.y != 3 || all.z != 1;
    bad += cg::grid_group::num_clusters() != 6 || cg::grid_group::cluster_rank() != at.x + 2 * at.y + 6 * at.z;
    bad += c.num_threads() != 8 * 32 || c.thread_rank() != rank * 32 + threadIdx.x;
    if (bad) atomicAdd(wrong, 1);
}

// every thread reads its own element in the next block of the ring
__global__ void __cluster_dims__(4) ring(int *wrong) {
    __shared__ int s[64];
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank(), next = (rank + 1) % c.num_blocks();
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    c.sync();
    int *there = c.map_shared_rank(s, next);
    int want = (blockIdx.x - rank + next) * 100 + threadIdx.x;
    int bad = there[threadIdx.x] != want || c.query_shared_rank(there) != next || c.query_shared_rank(s) != rank;
    bad += c.map_shared_rank(s, rank) != s;
    c.sync(); // nobody leaves while others read
    if (bad) atomicAdd(wrong, 1);
}

// without clusters each block is one of its own
__global__ void alone(int *wrong) {
    __shared__ int s;
    cg::cluster_group c = cg::this_cluster();
    s = blockIdx.x;
    c.sync();
    int bad = c.num_blocks() != 1 || c.block_rank() != 0 || *c.map_shared_rank(&s, 0) != (int)blockIdx.x;
    bad += cg::grid_group::cluster_index().x != blockIdx.x || cg::grid_group::num_clusters() != gridDim.x;
    if (bad) atomicAdd(wrong, 1);
}

int main() {
    int *wrong, n;
    CK(cudaMallocManaged(&wrong, sizeof *wrong));
    *wrong = 0;
    who<<<dim3(4, 6, 2), 32>>>(wrong);
    CK(cudaDeviceSynchronize());
    printf("48 blocks in 6 clusters: %d wrong\n", *wrong);
    *wrong = 0;
    ring<<<12, 64>>>(wrong);
    CK(cudaDeviceSynchronize());
    printf("ring: %d wrong\n", *wrong);
    *wrong = 0;
    alone<<<3, 1>>>(wrong);
    CK(cudaDeviceSynchronize());
    n = *wrong;
    printf("no clusters: %d wrong\n", n);
}
