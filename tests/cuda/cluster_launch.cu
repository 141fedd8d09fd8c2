// Launches with a cluster size: by the kernel, by attribute, by cudaFuncSetAttribute; limits and errors; what occupancy says.
// std: c++17
// arch: sm_90
// expect: device 1 1
// expect: fixed: must 1, 2 x 1 x 1, beyond 8: 0
// expect: plain: must 0, 0 x 0 x 0, beyond 8: 0
// expect: fixed by <<<>>>: 2 2
// expect: fixed by the same attribute: 2 2
// expect: plain by attribute: 4 1
// expect: plain without: 1 0
// expect: two dimensions: 4 1
// expect: not a multiple: cudaErrorInvalidClusterSize
// expect: not a multiple, fixed: cudaErrorInvalidClusterSize
// expect: nine: cudaErrorInvalidClusterSize
// expect: sixteen: cudaErrorInvalidClusterSize
// expect: sixteen, allowed: 16 1
// expect: thirty-two: cudaErrorInvalidClusterSize
// expect: another than fixed: cudaErrorInvalidClusterSize
// expect: required: 2 1
// expect: required, not a multiple: cudaErrorInvalidClusterSize
// expect: set what is fixed: cudaErrorInvalidValue
// expect: largest: 8 16
// expect: active: 1
// expect: still well: cudaSuccess
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int result[2];
__device__ void tell() {
    unsigned explicitly;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(explicitly));
    if (blockIdx.x + blockIdx.y == 0 && threadIdx.x == 0) {
        result[0] = cg::this_cluster().num_blocks();
        result[1] = explicitly;
    }
}
__global__ void __cluster_dims__(2) fixed() {
    tell();
    if (threadIdx.x == 0 && blockIdx.x == 0) result[1] *= 2; // told apart
}
__global__ void plain() { tell(); }
__global__ void required() { tell(); }
__global__ void large() { tell(); }

static void answer(const char *what, cudaError_t e) {
    int r[2] = {};
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorName(e));
        cudaGetLastError();
        return;
    }
    CK(cudaMemcpyFromSymbol(r, result, sizeof r));
    printf("%s: %d %d\n", what, r[0], r[1]);
}
static cudaError_t by(void (*f)(), dim3 grid, dim3 cluster) {
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = cluster.x, a[0].val.clusterDim.y = cluster.y, a[0].val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t c = {};
    c.gridDim = grid, c.blockDim = 32, c.attrs = a, c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, f);
}
static void attributes(const char *what, void (*f)()) {
    cudaFuncAttributes a;
    CK(cudaFuncGetAttributes(&a, f));
    printf("%s: must %d, %d x %d x %d, beyond 8: %d\n", what, a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.nonPortableClusterSizeAllowed);
}

int main() {
    cudaDeviceProp p;
    int yes;
    CK(cudaGetDeviceProperties(&p, 0)), CK(cudaDeviceGetAttribute(&yes, cudaDevAttrClusterLaunch, 0));
    printf("device %d %d\n", p.clusterLaunch, yes);
    attributes("fixed", fixed);
    attributes("plain", plain);
    fixed<<<4, 32>>>();
    answer("fixed by <<<>>>", cudaGetLastError());
    answer("fixed by the same attribute", by(fixed, 4, 2));
    answer("plain by attribute", by(plain, 8, 4));
    plain<<<3, 32>>>();
    answer("plain without", cudaGetLastError());
    answer("two dimensions", by(plain, dim3(6, 4), dim3(2, 2)));
    answer("not a multiple", by(plain, 7, 2));
    fixed<<<3, 32>>>();
    answer("not a multiple, fixed", cudaGetLastError());
    answer("nine", by(plain, 9, 9));
    answer("sixteen", by(large, 16, 16));
    CK(cudaFuncSetAttribute(large, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    answer("sixteen, allowed", by(large, 16, 16));
    answer("thirty-two", by(large, 32, 32));
    answer("another than fixed", by(fixed, 8, 4));
    CK(cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterWidth, 2));
    CK(cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterHeight, 1));
    CK(cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterDepth, 1));
    required<<<6, 32>>>();
    answer("required", cudaGetLastError());
    required<<<5, 32>>>();
    answer("required, not a multiple", cudaGetLastError());
    printf("set what is fixed: ");
    NAME(cudaFuncSetAttribute(fixed, cudaFuncAttributeRequiredClusterWidth, 4));
    cudaGetLastError();
    cudaLaunchConfig_t c = {};
    int most = 0, beyond = 0, active = 0;
    c.gridDim = 16, c.blockDim = 32;
    CK(cudaOccupancyMaxPotentialClusterSize(&most, plain, &c));
    CK(cudaOccupancyMaxPotentialClusterSize(&beyond, large, &c));
    printf("largest: %d %d\n", most, beyond);
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 4, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.attrs = a, c.numAttrs = 1;
    CK(cudaOccupancyMaxActiveClusters(&active, plain, &c));
    printf("active: %d\n", active > 16 && active <= 132 * 32 / 4);
    printf("still well: ");
    NAME(cudaDeviceSynchronize());
}
