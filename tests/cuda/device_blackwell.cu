// What a GeForce RTX 5090 answers, by its data sheet and the Programming Guide's table for compute
// capability 12.0; what a block may have; clusters.
// std: c++17
// sim only
// device: sim:rtx5090
// arch: sm_120
// expect: NVIDIA GeForce RTX 5090, 12.0, 170 multiprocessors
// expect: bus 512, L2 96 MB, doubles 64 times as slow
// expect: 1536 threads, 24 blocks, 65536 registers, 100 KB shared, 48 KB and 99 KB a block, 1 KB reserved
// expect: clusters 1, tensor maps 1
// expect: 99 KB: cudaSuccess, one byte more: cudaErrorInvalidValue
// expect: blocks of 64: 24, of 1024: 1, with 99 KB: 1
// expect: clusters of 8 with 99 KB a block: 19
// expect: sum 28 of a cluster of 8
#include "common.h"
#include <cooperative_groups.h>
#include <stdio.h>
namespace cg = cooperative_groups;

__global__ void room(int *p) {
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[0] = s[threadIdx.x];
}

// Each block of a cluster reads the word of all others: 0 + 1 + ... + 7.
__global__ void __cluster_dims__(8) ranks(int *p) {
    __shared__ unsigned mine;
    cg::cluster_group c = cg::this_cluster();
    unsigned all = 0;
    mine = c.block_rank();
    c.sync();
    for (unsigned i = 0; i < c.num_blocks(); i++) all += *c.map_shared_rank(&mine, i);
    c.sync();
    if (blockIdx.x == 7) *p = (int)all;
}

static int attribute(cudaDeviceAttr a) {
    int v = -1;
    CK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

static int blocks(int threads, size_t shared) {
    int n = -1;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, room, threads, shared));
    return n;
}

int main() {
    const int most = 99 * 1024;
    cudaDeviceProp d;
    CK(cudaGetDeviceProperties(&d, 0));
    printf("%s, %d.%d, %d multiprocessors\n", d.name, d.major, d.minor, d.multiProcessorCount);
    printf("bus %d, L2 %d MB, doubles %d times as slow\n", d.memoryBusWidth, d.l2CacheSize >> 20, attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio));
    printf("%d threads, %d blocks, %d registers, %zu KB shared, %zu KB and %zu KB a block, %zu KB reserved\n", d.maxThreadsPerMultiProcessor,
           d.maxBlocksPerMultiProcessor, d.regsPerMultiprocessor, d.sharedMemPerMultiprocessor >> 10, d.sharedMemPerBlock >> 10, d.sharedMemPerBlockOptin >> 10,
           d.reservedSharedMemPerBlock >> 10);
    printf("clusters %d, tensor maps %d\n", attribute(cudaDevAttrClusterLaunch), attribute((cudaDeviceAttr)127));
    cudaError_t fits = cudaFuncSetAttribute(room, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    cudaError_t not_any_more = cudaFuncSetAttribute(room, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1);
    cudaGetLastError();
    printf("99 KB: %s, one byte more: %s\n", cudaGetErrorName(fits), cudaGetErrorName(not_any_more));
    printf("blocks of 64: %d, of 1024: %d, with 99 KB: %d\n", blocks(64, 0), blocks(1024, 0), blocks(64, most));
    // 85 pairs of multiprocessors in 11 groups: 8 groups of 16 hold two clusters each, 3 of 14 one each
    cudaLaunchAttribute a[1] = {};
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 8, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8), config.blockDim = dim3(64), config.dynamicSmemBytes = most, config.attrs = a, config.numAttrs = 1;
    int n = -1;
    CK(cudaOccupancyMaxActiveClusters(&n, room, &config));
    printf("clusters of 8 with 99 KB a block: %d\n", n);
    int *p, sum = -1;
    CK(cudaMalloc(&p, sizeof *p));
    ranks<<<8, 32>>>(p);
    CK(cudaMemcpy(&sum, p, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum %d of a cluster of 8\n", sum);
    CK(cudaFree(p));
}
