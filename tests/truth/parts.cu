// Lanes and blocks that part, measured alone: votes of tiles of a warp, atomics that go to one block of a cluster, loads beside swaps of the same words.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/parts.cu -o parts && ./parts        h200.parts.jsonl is what one H200 printed
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
typedef unsigned u;
static long long *d_t;
static double cycles(int blocks, double per) {
    static long long t[8192];
    cudaMemcpy(t, d_t, blocks * sizeof *t, cudaMemcpyDeviceToHost);
    std::sort(t, t + blocks);
    return t[blocks / 2] / per;
}
// votes of tiles of T lanes, round after round, each of which could be the last for a tile
template <int T> __global__ void votes(const u *ends, int rounds, long long *t, u *y) {
    auto tile = cg::tiled_partition<T>(cg::this_thread_block());
    u end = ends[threadIdx.x / T], v = threadIdx.x;
    long long a = clock64();
    for (u r = 0; r < (u)rounds; r++) {
        v = v * 1664525u + 1013904223u;
        if (tile.any(v == end)) break;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
    __syncthreads();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
// atomics at random words of the cluster's blocks: HOW 0 of the first block, which has none itself; 1 of the next block; 2 of any, 3 of any, the first words more often (as a square)
__device__ u mixed(u h) { h ^= h >> 16; h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; return h ^ h >> 16; }
template <int HOW> __global__ void toward(u mask, int rounds, long long *t) {
    extern __shared__ u s[];
    cg::cluster_group g = cg::this_cluster();
    for (u i = threadIdx.x; i <= mask; i += blockDim.x) s[i] = 0;
    g.sync();
    u h = (blockIdx.x * blockDim.x + threadIdx.x) * 64, n = g.num_blocks(), me = g.block_rank();
    long long a = clock64();
#pragma unroll 4
    for (int r = 0; r < (HOW || me ? rounds : 0); r++) {
        u v = mixed(h + r), w = HOW == 3 ? __umulhi(v, v) : v, all = (mask + 1) * n, at = __umulhi(w, all);
        u to = HOW == 0 ? 0 : HOW == 1 ? (me + 1) % n : at / (mask + 1);
        atomicAdd(g.map_shared_rank(s, to) + (at & mask), 1u);
    }
    g.sync();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
typedef void toward_of(u, int, long long *);
// words of a table: 0 a volatile load, 1 one past L1, 2 a swap that succeeds, 3 load and swap of the word, 4 plain load and swap, 5 load of another word and swap, 6 load and addition of the word, 7 a volatile load, and a store
template <int KIND> __global__ void words(u *x, u *z, u mask, int rounds, long long *t, u *y) {
    u h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, v = 0;
    long long a = clock64();
    for (int r = 0; r < rounds; r++) {
        h = h * 1664525u + 1013904223u;
        u *p = x + (h >> 4 & mask), *q = z + (h >> 4 & mask), o = 0;
        if (KIND == 0 || KIND == 3 || KIND == 6 || KIND == 7) o = *(volatile u *)p;
        if (KIND == 1) o = __ldcg(p);
        if (KIND == 4) o = *p;
        if (KIND == 5) o = *(volatile u *)q;
        v = o;
        if (KIND == 2) v = atomicCAS(p, 0, 1);
        if (KIND == 3 || KIND == 4) v = atomicCAS(p, o, o + 1);
        if (KIND == 5) v = atomicCAS(p, o & 1, o + 1);
        if (KIND == 6) v = atomicAdd(p, 1u + (o == ~0u));
        if (KIND == 7) *(volatile u *)p = o + 1;
        h += v == ~0u;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
    __syncthreads();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
typedef void words_of(u *, u *, u, int, long long *, u *);
int main() {
    u *x, *z, *y;
    cudaMalloc(&x, 64u << 20), cudaMalloc(&z, 64u << 20), cudaMalloc(&y, 64u << 20), cudaMalloc(&d_t, 8192 * sizeof *d_t);
    cudaMemset(x, 0, 64u << 20), cudaMemset(z, 0, 64u << 20), cudaMemset(y, 0, 64u << 20);
    for (int w : {1, 4, 8, 32}) {
        printf("{\"votes_warps\":%d,\"tiles_4_8_16_32\":[", w);
        votes<4><<<132, 32 * w>>>(y, 512, d_t, y + (1 << 20)), printf("%.1f,", cycles(132, 512));
        votes<8><<<132, 32 * w>>>(y, 512, d_t, y + (1 << 20)), printf("%.1f,", cycles(132, 512));
        votes<16><<<132, 32 * w>>>(y, 512, d_t, y + (1 << 20)), printf("%.1f,", cycles(132, 512));
        votes<32><<<132, 32 * w>>>(y, 512, d_t, y + (1 << 20)), printf("%.1f]}\n", cycles(132, 512));
    }
    toward_of *to[] = {toward<0>, toward<1>, toward<2>, toward<3>};
    const char *name[] = {"first", "next", "any", "square"};
    for (int k = 0; k < 4; k++)
        for (int c : {2, 4, 8})
            for (int w : {8, 32}) {
                cudaFuncSetAttribute(to[k], cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
                printf("{\"toward\":\"%s\",\"cluster\":%d,\"warps\":%d,\"words_64_256_4096_8192_16384\":[", name[k], c, w);
                for (u m : {63u, 255u, 4095u, 8191u, 16383u}) {
                    cudaLaunchConfig_t l = {};
                    cudaLaunchAttribute at[1];
                    at[0].id = cudaLaunchAttributeClusterDimension;
                    at[0].val.clusterDim.x = c, at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
                    l.gridDim = 128, l.blockDim = 32 * w, l.attrs = at, l.numAttrs = 1, l.dynamicSmemBytes = (m + 1) * 4;
                    cudaLaunchKernelEx(&l, to[k], m, 64, d_t);
                    printf("%.1f%s", cycles(128, 64.0 * w), m == 16383 ? "]}\n" : ",");
                }
            }
    words_of *of[] = {words<0>, words<1>, words<2>, words<3>, words<4>, words<5>, words<6>, words<7>};
    for (int mb : {1, 16})
        for (int w : {1, 8, 32}) {
            printf("{\"words\":%d,\"warps\":%d,\"load_cg_swap_both_plain_other_add_store\":[", mb, w);
            for (int k = 0; k < 8; k++) {
                for (int again = 0; again < 2; again++) of[k]<<<132, 32 * w>>>(x, z, (u)mb * (1 << 18) - 1, 32, d_t, y);
                printf("%.1f%s", cycles(132, 32), k == 7 ? "]}\n" : ",");
            }
        }
    printf("{\"end\":\"%s\"}\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
