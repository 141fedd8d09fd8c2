// Ways of accesses that other files of this folder do not measure by themselves. One JSON line each, h200.paths.jsonl is what one H200 printed; cycles are the median block's.
//   chase    16 words one after another, each lane its own, in 64 MB: after another kernel has read 256 MB, after cudaMemset has written them, and again
//   after    a kernel of MB megabytes between two events, likewise: read, fill, pass (copy), pass200 (200 sums between), read132 (132 blocks)
//   reads    rounds of 1, 2, 4, 8 and 16 loads, `pitch` words between lanes, in L1 or in L2
//   gates    rounds of a barrier with loads (l) and stores (s) of shared memory
//   remote   accesses to the next block of a cluster, a warp's: random words, 0, 1, 8 and 32 words between lanes, random words of its own block; mixed: additions, lanes to several blocks
//   chain    blocks that wait for a flag of the block before; words: random words of a table; writes: stores
// Build: nvcc -O3 -std=c++17 -arch=native paths.cu
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
typedef unsigned u;
typedef unsigned long long ull;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_) {                                                                                  \
            printf("{\"error\":\"%s line %d\"}\n", cudaGetErrorString(e_), __LINE__);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
static long long *d_t;
static long long h_t[8192];
static double cycles(int blocks, double rounds) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_t, d_t, blocks * sizeof *h_t, cudaMemcpyDeviceToHost));
    std::sort(h_t, h_t + blocks);
    return h_t[blocks / 2] / rounds;
}
// M loads of a lane's row, each round after the one before
template <int M, bool CG>
__global__ void reads(const u *x, int pitch, int rounds, long long *t, u *y) {
    const u *p = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    u s = 0;
    long long a = 0;
    for (int r = -2; r < rounds; r++) {
        if (r == 0) {
            __syncthreads();
            a = clock64();
        }
        u v[M];
#pragma unroll
        for (int j = 0; j < M; j++)
            if (CG) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[j]) : "l"(p + s + j));
            else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[j]) : "l"(p + s + j));
#pragma unroll
        for (int j = 0; j < M; j++) s += v[j];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
    __syncthreads();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
template <bool CG> static void all_reads(const u *x, u *y) {
    int pitches[] = {1, 2, 8, 32, 33, 40, 1024}, warps[] = {1, 2, 4, 8, 16};
    for (int grid = 132; grid >= 1; grid -= 131)
        for (int p : pitches)
            for (int w : warps) {
                if (!CG && (p == 1024 || grid == 1)) continue;
                if (CG && (p == 33 || p == 2 || p == 40)) continue;
                printf("{\"reads\":\"%s\",\"grid\":%d,\"pitch\":%d,\"warps\":%d,\"cycles\":[",
                       CG ? "l2" : "l1", grid, p, w);
                for (int k = 0; k < 5; k++) {
#define ONE(M) reads<M, CG><<<grid, 32 * w>>>(x, p, 64, d_t, y)
                    k == 0 ? ONE(1) : k == 1 ? ONE(2) : k == 2 ? ONE(4) : k == 3 ? ONE(8) : ONE(16);
                    printf("%s%.1f", k ? "," : "", cycles(grid, 64));
                }
                printf("]}\n");
            }
}
// M stores of a lane's row, step words apart
template <int M> __global__ void writes(u *x, int pitch, int step, int rounds, long long *t) {
    u *p = x + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * pitch;
    __syncthreads();
    long long a = clock64();
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < M; j++)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + ((r * M + j) * step & 1023)), "r"(r));
    }
    __threadfence();
    __syncthreads();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
static void all_writes(u *x) {
    int pitches[] = {1, 8, 32, 1024}, warps[] = {1, 4, 16}, steps[] = {1, 8};
    for (int grid = 132; grid >= 1; grid -= 131)
        for (int p : pitches)
            for (int s : steps)
                for (int w : warps) {
                    writes<8><<<grid, 32 * w>>>(x, p, s, 64, d_t);
                    cycles(grid, 512);
                    writes<8><<<grid, 32 * w>>>(x, p, s, 64, d_t);
                    printf(
                        "{\"writes\":%d,\"pitch\":%d,\"step\":%d,\"warps\":%d,\"cycles\":%.2f}\n",
                        grid, p, s, w, cycles(grid, 512));
                }
}
// barriers with L loads and S stores of shared memory before each
template <int L, int S> __global__ void gates(int rounds, long long *t, u *y) {
    __shared__ volatile u s[1024];
    int k = threadIdx.x;
    u v = k, n[4] = {0};
    for (int i = k; i < 1024; i += blockDim.x) s[i] = 0;
    __syncthreads();
    long long a = clock64();
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < L; j++) n[j] = s[(k ^ j) & 1023];
#pragma unroll
        for (int j = 0; j < L; j++) v += n[j];
#pragma unroll
        for (int j = 0; j < S; j++) s[k ^ j] = 0;
        __syncthreads();
    }
    y[blockIdx.x * blockDim.x + k] = v;
    if (!k) t[blockIdx.x] = clock64() - a;
}
static void all_gates(u *y) {
    int blocks[] = {1, 2, 4, 8, 16}, warps[] = {1, 2, 4, 8};
    for (int b : blocks)
        for (int w : warps) {
            if (b * w > 64) continue;
            printf("{\"gates\":%d,\"warps\":%d,\"none_l1_l2_l4_s1_s2_s4_l1s1\":[", b, w);
            for (int k = 0; k < 8; k++) {
                int g = 132 * b, n = 32 * w;
                k == 0   ? gates<0, 0><<<g, n>>>(512, d_t, y)
                : k == 1 ? gates<1, 0><<<g, n>>>(512, d_t, y)
                : k == 2 ? gates<2, 0><<<g, n>>>(512, d_t, y)
                : k == 3 ? gates<4, 0><<<g, n>>>(512, d_t, y)
                : k == 4 ? gates<0, 1><<<g, n>>>(512, d_t, y)
                : k == 5 ? gates<0, 2><<<g, n>>>(512, d_t, y)
                : k == 6 ? gates<0, 4><<<g, n>>>(512, d_t, y)
                         : gates<1, 1><<<g, n>>>(512, d_t, y);
                printf("%s%.1f", k ? "," : "", cycles(g, 512));
            }
            printf("]}\n");
        }
}
// shared memory of other blocks: KIND 0 atomics, 1 loads, 2 stores, 3 atomics with result; spread: words apart of lanes, -1: random
template <int KIND> __global__ void remote(int spread, int rounds, int self, long long *t, u *y) {
    __shared__ u s[4096];
    cg::cluster_group g = cg::this_cluster();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
    g.sync();
    u *to = g.map_shared_rank(s, self ? g.block_rank() : (g.block_rank() + 1) % g.num_blocks());
    u h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, v = 0;
    long long a = clock64();
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        h = h * 1664525u + 1013904223u;
        u at = spread < 0 ? h >> 20 : (threadIdx.x * spread + r * 32) & 4095;
        if (KIND == 0) atomicAdd(to + at, 1u);
        if (KIND == 1) v += *(volatile u *)(to + at);
        if (KIND == 2) *(volatile u *)(to + at) = r;
        if (KIND == 3) v += atomicAdd(to + at, 1u);
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
    g.sync();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
template <int KIND> static void all_remote(const char *name, u *y) {
    int sizes[] = {2, 4, 8}, warps[] = {1, 4, 16, 32}, spreads[] = {-1, 0, 1, 8, 32};
    for (int c : sizes)
        for (int w : warps) {
            printf("{\"remote\":\"%s\",\"cluster\":%d,\"warps\":%d,\"random_0_1_8_32_self\":[",
                   name, c, w);
            for (int k = 0; k < 6; k++) {
                cudaLaunchConfig_t l = {};
                cudaLaunchAttribute at[1];
                at[0].id = cudaLaunchAttributeClusterDimension;
                at[0].val.clusterDim.x = c, at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
                l.gridDim = 128, l.blockDim = 32 * w, l.attrs = at, l.numAttrs = 1;
                CHECK(cudaLaunchKernelEx(&l, remote<KIND>, k < 5 ? spreads[k] : -1, 64, k == 5, d_t,
                                         y));
                printf("%s%.1f", k ? "," : "", cycles(128, 64));
            }
            printf("]}\n");
        }
}
// words of a table: KIND 0 add, 1 swap that fails, 2 swap after a load of the word (each succeeds), 3 add with result
template <int KIND> __global__ void words(u *x, u mask, int rounds, long long *t, u *y) {
    u h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, v = 0;
    long long a = clock64();
    for (int r = 0; r < rounds; r++) {
        h = h * 1664525u + 1013904223u + (v & 0);
        u *p = x + (h >> 4 & mask);
        if (KIND == 0) atomicAdd(p, 1u);
        if (KIND == 1) v += atomicCAS(p, ~0u, 1u), h += v == ~0u;
        if (KIND == 2) {
            u o = *(volatile u *)p;
            v = atomicCAS(p, o, o + 1);
            h += v == ~0u;
        }
        if (KIND == 3) v += atomicAdd(p, 1u), h += v == ~0u;
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
    __syncthreads();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
static void all_words(u *x, u *y) {
    int mbs[] = {1, 16, 256}, warps[] = {1, 8, 32, 64};
    for (int mb : mbs)
        for (int w : warps) {
            printf("{\"words\":%d,\"warps\":%d,\"add_fail_swap_result\":[", mb, w);
            for (int k = 0; k < 4; k++) {
                u m = (u)mb * (1 << 18) - 1;
                int g = w == 64 ? 264 : 132, n = w == 64 ? 1024 : 32 * w;
                for (int again = 0; again < 2; again++) {
                    k == 0   ? words<0><<<g, n>>>(x, m, 32, d_t, y)
                    : k == 1 ? words<1><<<g, n>>>(x, m, 32, d_t, y)
                    : k == 2 ? words<2><<<g, n>>>(x, m, 32, d_t, y)
                             : words<3><<<g, n>>>(x, m, 32, d_t, y);
                    double c = cycles(g, 32);
                    if (again) printf("%s%.1f", k ? "," : "", c);
                }
            }
            printf("]}\n");
        }
}
// a chase of lines of 128 bytes, after a memset and after reading
__global__ void chase(const u *x, int n, long long *t, u *y) {
    u at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u >> 8;
    long long a = clock64();
    for (int k = 0; k < n; k++) at = (at * 1664525u + 1013904223u + x[(size_t)(at & 0x7ffff) * 32]);
    y[blockIdx.x * blockDim.x + threadIdx.x] = at;
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
__global__ void stream(const float4 *p, size_t n, u *out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float4 v = p[i];
        s += v.x + v.y + v.z + v.w;
    }
    if (s == 1234.5f) *out = s;
}
__global__ void fill(float4 *p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] = make_float4(1, 2, 3, 4);
}
__global__ void pass(const float4 *p, float4 *q, size_t n, int work) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = p[i];
    for (int k = 0; k < work; k++) v.x = v.x * v.y + v.z;
    q[i] = v;
}
static void all_dirty(u *x, u *y, char *large) {
    size_t flush = 256u << 20;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    auto before = [&](int k) {
        if (k == 1) cudaMemsetAsync(large, 1, flush);
        else if (k == 0) stream<<<1056, 256>>>((const float4 *)large, flush / 16, y);
    };
    int grids[] = {1, 132, 1056}, threads[] = {1, 32, 256};
    for (int g : grids)
        for (int n : threads) {
            printf("{\"chase\":%d,\"threads\":%d,\"clean_dirty_hot\":[", g, n);
            for (int k = 0; k < 3; k++) {
                double c[5];
                for (int r = 0; r < 5; r++) {
                    if (k < 2) before(k);
                    chase<<<g, n>>>(x, 16, d_t, y);
                    c[r] = cycles(g, 16);
                }
                std::sort(c, c + 5);
                printf("%s%.1f", k ? "," : "", c[2]);
            }
            printf("]}\n");
        }
    size_t mbs[] = {1, 2, 4, 8, 16, 24, 32, 48};
    for (int kind = 0; kind < 5; kind++)
        for (size_t mb : mbs) {
            size_t n = mb << 16;
            printf("{\"after\":\"%s\",\"MB\":%zu,\"clean_dirty_hot_us\":[",
                   kind == 0   ? "read"
                   : kind == 1 ? "fill"
                   : kind == 2 ? "pass"
                   : kind == 3 ? "pass200"
                               : "read132",
                   mb);
            for (int k = 0; k < 3; k++) {
                std::vector<float> us;
                for (int r = 0; r < 11; r++) {
                    if (k < 2) before(k);
                    cudaEventRecord(a);
                    if (kind == 0) stream<<<1056, 256>>>((const float4 *)x, n, y);
                    if (kind == 1) fill<<<1056, 256>>>((float4 *)x, n);
                    if (kind == 2)
                        pass<<<n / 256, 256>>>((const float4 *)x, (float4 *)x + (64 << 16), n, 0);
                    if (kind == 3)
                        pass<<<n / 256, 256>>>((const float4 *)x, (float4 *)x + (64 << 16), n, 200);
                    if (kind == 4) stream<<<132, 256>>>((const float4 *)x, n, y);
                    cudaEventRecord(b);
                    CHECK(cudaEventSynchronize(b));
                    float ms;
                    cudaEventElapsedTime(&ms, a, b);
                    us.push_back(ms * 1000);
                }
                std::sort(us.begin(), us.end());
                printf("%s%.2f", k ? "," : "", us[5]);
            }
            printf("]}\n");
        }
}
// a chain of flags: each block waits for the one before
template <bool FENCE> __global__ void chain(volatile u *z, int work, long long *t) {
    if (threadIdx.x) return;
    long long a = clock64();
    if (blockIdx.x)
        while (!z[blockIdx.x - 1])
            ;
    if (FENCE) __threadfence();
    u v = 1;
    for (int k = 0; k < work; k++) v = v * 3 + k;
    if (FENCE) __threadfence();
    z[blockIdx.x] = v | 1;
    t[blockIdx.x] = clock64() - a;
}
// KIND 0: all lanes to the next block; 1: each lane to a random block; 2: half of the lanes (odd) to the next, the others off; 3: odd lanes next, even lanes own; 4: low half next, high half own
__global__ void mixed(int kind, u mask, int rounds, long long *t) {
    extern __shared__ u s[];
    cg::cluster_group g = cg::this_cluster();
    u n = g.num_blocks(), me = g.block_rank(), lane = threadIdx.x & 31;
    for (u i = threadIdx.x; i <= mask; i += blockDim.x) s[i] = 0;
    g.sync();
    u h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    long long a = clock64();
#pragma unroll 4
    for (int r = 0; r < rounds; r++) {
        h = h * 1664525u + 1013904223u;
        u to = kind == 1                  ? (h >> 8) % n
               : kind == 3 && !(lane & 1) ? me
               : kind == 4 && lane >= 16  ? me
                                          : (me + 1) % n;
        u at = h >> 15 & mask;
        if (kind != 2 || lane & 1) atomicAdd(g.map_shared_rank(s, to) + at, 1u);
    }
    g.sync();
    if (!threadIdx.x) t[blockIdx.x] = clock64() - a;
}
static void all_mixed() {
    cudaFuncSetAttribute(mixed, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    int sizes[] = {2, 4, 8}, warps[] = {8, 32};
    u masks[] = {63, 4095, 16383};
    for (int c : sizes)
        for (int w : warps)
            for (u m : masks) {
                printf("{\"mixed\":%d,\"warps\":%d,\"words\":%u,\"next_random_half_odd_low\":[", c,
                       w, m + 1);
                for (int k = 0; k < 5; k++) {
                    cudaLaunchConfig_t l = {};
                    cudaLaunchAttribute at[1];
                    at[0].id = cudaLaunchAttributeClusterDimension;
                    at[0].val.clusterDim.x = c, at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
                    l.gridDim = 128, l.blockDim = 32 * w, l.attrs = at, l.numAttrs = 1,
                    l.dynamicSmemBytes = (m + 1) * 4;
                    cudaLaunchKernelEx(&l, mixed, k, m, 64, d_t);

                    printf("%s%.1f", k ? "," : "", cycles(128, 64.0 * w));
                }
                printf("]}\n");
            }
}
int main() {
    u *x, *y;
    char *large;
    CHECK(cudaMalloc(&x, 512u << 20));
    CHECK(cudaMemset(x, 0, 512u << 20));
    CHECK(cudaMalloc(&y, 64u << 20));
    CHECK(cudaMalloc(&large, 256u << 20));
    CHECK(cudaMemset(large, 0, 256u << 20));
    CHECK(cudaMalloc(&d_t, 8192 * sizeof *d_t));
    all_dirty(x, y, large);
    CHECK(cudaMemset(x, 0, 512u << 20));
    all_reads<false>(x, y);
    all_reads<true>(x, y);
    all_gates(y);
    all_remote<0>("add", y);
    all_remote<1>("load", y);
    all_remote<2>("store", y);
    all_remote<3>("result", y);
    for (int f = 0; f < 2; f++)
        for (int w = 0; w <= 200; w += 100)
            for (int g = 132; g <= 4224; g *= 32) {
                cudaEvent_t a, b;
                cudaEventCreate(&a);
                cudaEventCreate(&b);
                float ms, best = 1e9;
                for (int r = 0; r < 3; r++) {
                    CHECK(cudaMemset(y, 0, 1 << 20));
                    CHECK(cudaDeviceSynchronize());
                    cudaEventRecord(a);
                    f ? chain<true><<<g, 32>>>(y, w, d_t) : chain<false><<<g, 32>>>(y, w, d_t);
                    cudaEventRecord(b);
                    CHECK(cudaEventSynchronize(b));
                    cudaEventElapsedTime(&ms, a, b);
                    best = std::min(best, ms);
                }
                printf("{\"chain\":%d,\"fences\":%d,\"work\":%d,\"us\":%.2f}\n", g, f, w,
                       best * 1000);
            }
    all_words(x, y);
    all_writes(x);
    all_mixed();
}
