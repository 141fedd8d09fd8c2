// Shared memory of a block that has ended: a barrier is missing at the end, so that none leaves while others read.
// std: c++17
// sim only
// arch: sm_90
// expect: cudaErrorIllegalAddress
// finding: use-after-free
// stderr: find_cluster_gone.cu:17: thread 0 of block
// stderr: of early reads memory that was freed: byte 0 of the shared memory of block
// stderr: of the cluster, which has ended
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) early(int *out) {
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    cg::this_cluster().sync();
    out[threadIdx.x + 32 * blockIdx.x] = cg::this_cluster().map_shared_rank(s, blockIdx.x ^ 1)[threadIdx.x];
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 256));
    early<<<2, 32>>>(d);
    NAME(cudaDeviceSynchronize());
}
