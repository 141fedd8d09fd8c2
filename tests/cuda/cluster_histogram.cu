// A histogram over the shared memory of a cluster (CUDA C++ Programming Guide, "Distributed Shared Memory"): each block has a part of the
// bins, every thread adds into the block that has its value's. Launched by attribute, with clusters of 1, 2, 4 and 8.
// std: c++17
// arch: sm_90
// expect: 1: 0 wrong
// expect: 2: 0 wrong
// expect: 4: 0 wrong
// expect: 8: 0 wrong
#include "common.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void histogram(int *bins, int nbins, int per_block, const int *input, size_t n) {
    extern __shared__ int smem[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int size = cluster.dim_blocks().x;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) smem[i] = 0;
    cluster.sync();
    for (size_t i = cg::this_grid().thread_rank(); i < n; i += blockDim.x * gridDim.x) {
        int bin = input[i] < 0 ? 0 : input[i] >= nbins ? nbins - 1 : input[i];
        int *dst = cluster.map_shared_rank(smem, bin / per_block);
        atomicAdd(dst + bin % per_block, 1);
    }
    cluster.sync();
    int *local = bins + rank * per_block;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x) atomicAdd(&local[i], smem[i]);
    (void)size;
}

int main() {
    const int n = 20000, nbins = 256;
    std::vector<int> in(n), want(nbins), got(nbins);
    unsigned x = 12345;
    for (int &v : in) {
        x = x * 1664525 + 1013904223;
        v = (int)(x >> 23) - 100; // some below 0, some above the last
        want[v < 0 ? 0 : v >= nbins ? nbins - 1 : v]++;
    }
    int *din, *dbins;
    CK(cudaMalloc(&din, n * 4)), CK(cudaMalloc(&dbins, nbins * 4));
    CK(cudaMemcpy(din, in.data(), n * 4, cudaMemcpyHostToDevice));
    for (int size = 1; size <= 8; size *= 2) {
        CK(cudaMemset(dbins, 0, nbins * 4));
        cudaLaunchAttribute a[1];
        a[0].id = cudaLaunchAttributeClusterDimension;
        a[0].val.clusterDim.x = size, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
        cudaLaunchConfig_t c = {};
        c.gridDim = 16, c.blockDim = 128, c.dynamicSmemBytes = nbins / size * sizeof(int), c.attrs = a, c.numAttrs = 1;
        CK(cudaLaunchKernelEx(&c, histogram, dbins, nbins, nbins / size, (const int *)din, (size_t)n));
        CK(cudaMemcpy(got.data(), dbins, nbins * 4, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < nbins; i++) wrong += got[i] != want[i];
        printf("%d: %d wrong\n", size, wrong);
    }
}
