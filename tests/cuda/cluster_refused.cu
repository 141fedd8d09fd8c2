// A device before compute capability 9.0 has no clusters.
// sim only
// device: sim:a100
// arch: sm_80
// stderr: thread block clusters need compute capability 9.0
// expect: 0
// expect: cudaErrorNotSupported
// expect: cudaErrorNotSupported
// expect: cudaSuccess
#include "common.h"
__global__ void k() {}
int main() {
    int yes, n;
    CK(cudaDeviceGetAttribute(&yes, cudaDevAttrClusterLaunch, 0));
    printf("%d\n", yes);
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 2, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = 4, c.blockDim = 32, c.attrs = a, c.numAttrs = 1;
    NAME(cudaLaunchKernelEx(&c, k));
    cudaGetLastError();
    NAME(cudaOccupancyMaxPotentialClusterSize(&n, k, &c));
    cudaGetLastError();
    k<<<1, 1>>>();
    NAME(cudaDeviceSynchronize());
}
