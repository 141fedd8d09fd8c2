// A cluster's barrier that only a part of it reaches: a finding, not a hang.
// std: c++17
// sim only
// arch: sm_90
// expect: cudaErrorLaunchTimeout
// finding: barrier
// stderr: find_cluster_barrier.cu:14: thread 0 of block 0 of part waits at the cluster's barrier, which never opens: 64 of 128 threads of the cluster have arrived
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) part(int n) {
    __shared__ volatile int s;
    s = 0;
    if (threadIdx.x < n) cg::this_cluster().sync();
    __syncthreads();
    if (s) cg::this_cluster().sync();
}
int main() {
    part<<<2, 64>>>(64);
    CK(cudaDeviceSynchronize());
    part<<<2, 64>>>(32);
    NAME(cudaDeviceSynchronize());
}
