// Shared memory of a block that the cluster does not have.
// std: c++17
// sim only
// arch: sm_90
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: find_cluster_rank.cu:15: thread 0 of block 0 of beyond reads 4 bytes out of bounds: shared memory of block 2 of the cluster, which has only 2 blocks
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) beyond(int *out, int by) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    cg::this_cluster().sync();
    if (blockIdx.x == 0) out[threadIdx.x] = cg::this_cluster().map_shared_rank(s, by)[threadIdx.x];
    cg::this_cluster().sync();
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 128));
    beyond<<<2, 32>>>(d, 1);
    CK(cudaDeviceSynchronize());
    beyond<<<2, 32>>>(d, 2);
    NAME(cudaDeviceSynchronize());
}
