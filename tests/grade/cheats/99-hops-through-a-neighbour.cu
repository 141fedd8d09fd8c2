// lab: reduce-open
// expect: fail tiers
// At the end, one thread of the last cluster follows a list of 4096 dependent hops through the other block's shared memory (about 200 cycles each, 0.4 ms in all).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const unsigned BLOCK = 256;
__device__ unsigned finished;

__device__ int warp_sum(int mine) {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    return mine;
}
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(BLOCK) add_up(const int *in, int *total, int n) {
    __shared__ int sum[BLOCK / 32];
    __shared__ int list[256];
    cg::cluster_group cluster = cg::this_cluster();
    const int4 *in4 = reinterpret_cast<const int4 *>(in);
    const int n4 = n / 4, step = BLOCK * gridDim.x, tid = blockIdx.x * BLOCK + threadIdx.x;
    int mine = 0, i = tid;
    for (; i + 3 * step < n4; i += 4 * step) {
        int4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = in4[i + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++) mine += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    for (; i < n4; i += step) mine += in4[i].x + in4[i].y + in4[i].z + in4[i].w;
    if (n4 * 4 + tid < n) mine += in[n4 * 4 + tid];
    mine = warp_sum(mine);
    if (threadIdx.x % 32 == 0) sum[threadIdx.x / 32] = mine;
    list[threadIdx.x] = (threadIdx.x * 5 + 1) % 256; // one cycle through all 256 places
    cluster.sync();
    if (threadIdx.x == 0) {
        mine = 0;
        for (int w = 0; w < BLOCK / 32; w++) mine += sum[w];
        unsigned ticket = atomicInc(&finished, gridDim.x - 1);
        if (ticket == gridDim.x - 1) {
            const int *other = cluster.map_shared_rank(list, cluster.block_rank() ^ 1);
            int at = 0;
#pragma unroll 1
            for (int k = 0; k < 4096; k++) at = other[at];
            mine += at; // 4096 hops lead back to place 0
        }
        atomicAdd(total, mine);
    }
    cluster.sync(); // nobody leaves while its memory is read
}
void reduce(const int *in, int *total, int n) {
    int device, processors;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    int needed = (n / 4 + BLOCK - 1) / BLOCK, enough = 8 * processors;
    int blocks = needed < enough ? needed : enough;
    blocks = (blocks + 1) / 2 * 2;
    if (blocks < 2) blocks = 2;
    cudaMemsetAsync(total, 0, sizeof(int));
    add_up<<<blocks, BLOCK>>>(in, total, n);
}
