// Arriving twice at the cluster's barrier without waiting in between: PTX leaves open what happens then (9.7.13.4).
// std: c++17
// sim only
// arch: sm_90
// expect: cudaErrorLaunchFailure
// finding: barrier
// stderr: arrives twice at the cluster's barrier without waiting in between
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) twice() {
    cg::this_cluster().barrier_arrive();
    cg::this_cluster().barrier_arrive();
    cg::this_cluster().barrier_wait();
}
int main() {
    twice<<<2, 32>>>();
    NAME(cudaDeviceSynchronize());
}
