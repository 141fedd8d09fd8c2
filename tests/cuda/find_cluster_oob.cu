// Past the end of another block's shared memory.
// std: c++17
// sim only
// arch: sm_90
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: find_cluster_oob.cu:15: thread 31 of block 0 of shift writes 4 bytes out of bounds: byte 128 of the shared memory of block 1 of the cluster, of which the block has 128 bytes
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) shift(int by) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    cg::this_cluster().sync();
    if (blockIdx.x == 0) cg::this_cluster().map_shared_rank(s, cg::this_cluster().block_rank() ^ 1)[threadIdx.x + by] = 1;
    cg::this_cluster().sync();
}
int main() {
    shift<<<2, 32>>>(0);
    CK(cudaDeviceSynchronize());
    shift<<<2, 32>>>(1);
    NAME(cudaDeviceSynchronize());
}
