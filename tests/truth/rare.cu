// Costs that kernels meet seldom: constants that the first level has not, memory of the host, waits for an mbarrier, events around short kernels, a histogram in a cluster.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/rare.cu -o rare && ./rare      one line of JSON a measurement; h200.rare.jsonl is what one H200 printed
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>
namespace cg = cooperative_groups;
typedef unsigned u;
typedef unsigned long long ull;
static ull *d_t;
static std::vector<double> clocks(int n) {
    std::vector<ull> t(n);
    cudaDeviceSynchronize();
    cudaMemcpy(t.data(), d_t, n * 8, cudaMemcpyDeviceToHost);
    return std::vector<double>(t.begin(), t.end());
}
static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// ---- constants ----
__constant__ u words[16384];
// one word after another, each names the next: the same in all lanes
__global__ void chase(u start, int n, int passes, ull *t) {
    u v = start;
    ull a = 0;
    for (int p = 0; p < passes; p++) {
        if (p == passes - 1) a = clock64();
        for (int k = 0; k < n; k++) v = words[v];
    }
    ull b = clock64();
    t[0] = b - a, t[1] = v;
}
// each warp reads a sequence of words of its own, `each` bytes apart, all within `bytes`; apart: warps begin at different places. A lane reads `lanes` different words.
__global__ void stream(u mask, u step, u apart, u spread, int n, ull *t, u *y) {
    u at = (threadIdx.x >> 5) * apart + blockIdx.x * apart * 3, l = (threadIdx.x & 31) * spread, s = 0;
    __syncthreads();
    ull a = clock64();
#pragma unroll 8
    for (int k = 0; k < n; k++) s += words[(at + l) & mask], at += step;
    __syncthreads();
    ull b = clock64();
    if (!threadIdx.x) t[blockIdx.x] = b - a;
    y[threadIdx.x] = s;
}

// ---- memory of the host ----
__global__ void host_chase(ull *p, int n, ull *t) {
    ull v = (ull)p, a = clock64();
    for (int k = 0; k < n; k++) asm volatile("ld.global.u64 %0,[%0];" : "+l"(v));
    ull b = clock64();
    t[0] = b - a, t[1] = v;
}
template <class T> __global__ void host_read(const T *p, size_t n, size_t stride, u *y) {
    u s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += *(const u *)&p[i * stride];
    if (s == 0x12345) *y = s;
}
template <class T> __global__ void host_write(T *p, size_t n, T v) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = v;
}
__global__ void host_atomic(u *p, int n, ull *t) {
    ull a = clock64();
    u s = 0;
    for (int k = 0; k < n; k++) s += atomicAdd_system(p + (s & 1), 1u);
    ull b = clock64();
    t[0] = b - a, t[1] = s;
}

// ---- mbarrier ----
__global__ void tries(u hint, int with, ull *t) {
    __shared__ ull bar;
    u b = (u)__cvta_generic_to_shared(&bar), ok;
    asm volatile("mbarrier.init.shared.b64 [%0],2;" ::"r"(b));
    for (int k = 0; k < 9; k++) {
        ull x = clock64();
        if (with == 2) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}" : "=r"(ok) : "r"(b));
        else if (with == 1) asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0,%2; selp.u32 %0,1,0,p;}" : "=r"(ok) : "r"(b), "r"(hint));
        else asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}" : "=r"(ok) : "r"(b));
        ull z = clock64();
        t[k] = z - x + ok;
    }
}
// arrivals: cycles of an arrive whose state is used, of a wait that is over, and of a whole turn of two warps
__global__ void arrivals(int n, ull *t) {
    __shared__ ull bar[2];
    u b = (u)__cvta_generic_to_shared(bar), ok;
    ull s;
    if (!threadIdx.x) {
        asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(b));
        asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b + 8), "r"(blockDim.x));
    }
    __syncthreads();
    ull x = clock64();
    if (!threadIdx.x)
        for (int k = 0; k < n; k++) {
            asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(s) : "r"(b));
            do asm volatile("{.reg .pred p; mbarrier.try_wait.shared.b64 p,[%1],%2; selp.u32 %0,1,0,p;}" : "=r"(ok) : "r"(b), "l"(s));
            while (!ok);
        }
    ull y = clock64();
    __syncthreads();
    ull z = clock64();
    for (int k = 0; k < n; k++) {
        asm volatile("mbarrier.arrive.shared.b64 %0,[%1];" : "=l"(s) : "r"(b + 8));
        do asm volatile("{.reg .pred p; mbarrier.try_wait.shared.b64 p,[%1],%2; selp.u32 %0,1,0,p;}" : "=r"(ok) : "r"(b + 8), "l"(s));
        while (!ok);
    }
    ull w = clock64();
    if (!threadIdx.x) t[0] = y - x, t[1] = w - z;
}

// ---- events around short kernels ----
__global__ void spin(ull cycles) {
    ull a = clock64();
    while (clock64() - a < cycles) {}
}
__global__ void load_store(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 2;
}
__global__ void empty() {}
struct big { u w[500]; };
__global__ void parameters(big b, u *y) {
    if (b.w[499] == 7) *y = b.w[3];
}

// ---- a histogram in a cluster: which multiprocessors, and when ----
enum { BINS = 8192 };
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024) bins(const int4 *in, int n4, u *hist, ull *t) {
    __shared__ u h[BINS];
    cg::cluster_group cl = cg::this_cluster();
    u sm;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) h[i] = 0;
    cl.sync();
    ull a = clock64(), g0, g1;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(g0));
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        int4 v = in[i];
        atomicAdd(cl.map_shared_rank(h, v.x / BINS) + v.x % BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.y / BINS) + v.y % BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.z / BINS) + v.z % BINS, 1u);
        atomicAdd(cl.map_shared_rank(h, v.w / BINS) + v.w % BINS, 1u);
    }
    ull b = clock64();
    cl.sync();
    ull c = clock64();
    u *g = hist + cl.block_rank() * BINS;
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (h[i]) atomicAdd(g + i, h[i]);
    __syncthreads();
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(g1));
    if (!threadIdx.x) { ull *r = t + 6 * blockIdx.x; r[0] = sm, r[1] = b - a, r[2] = c - a, r[3] = clock64() - a, r[4] = g0, r[5] = g1; }
}

int main() {
    cudaMalloc(&d_t, 8192 * 8);
    u *y;
    cudaMalloc(&y, 1 << 20);
    cudaEvent_t e[2];
    cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
    auto ms = [&](auto f) {
        float m, best = 1e30f;
        for (int r = 0; r < 5; r++) {
            cudaEventRecord(e[0]);
            f();
            cudaEventRecord(e[1]);
            cudaEventSynchronize(e[1]);
            cudaEventElapsedTime(&m, e[0], e[1]);
            best = std::min(best, m);
        }
        return best * 1e3;
    };
    // constants: one warp, a chain
    std::vector<u> w(16384);
    for (u step : {1u, 4u, 16u, 64u})
        for (u bytes : {256u, 1024u, 1536u, 2048u, 3072u, 4096u, 8192u, 16384u, 24576u, 32768u, 49152u, 65536u}) {
            u n = bytes / 4 / step;
            if (n < 2) continue;
            for (u i = 0; i < n; i++) w[i * step] = (i + 1) % n * step;
            cudaMemcpyToSymbol(words, w.data(), 65536);
            chase<<<1, 32>>>(0, n, 3, d_t);
            double hot = clocks(1)[0] / n;
            chase<<<1, 32>>>(0, n, 1, d_t);
            double again = clocks(1)[0] / n;
            printf("{\"const_chase_step\":%u,\"bytes\":%u,\"cycles\":%.1f,\"new_launch\":%.1f}\n", step * 4, bytes, hot, again);
        }
    // constants: all warps
    for (u i = 0; i < 16384; i++) w[i] = i;
    cudaMemcpyToSymbol(words, w.data(), 65536);
    for (int warps : {1, 8, 32})
        for (u apart : {0u, 37u})
            for (u step : {1u, 16u})
                for (u bytes : {1024u, 2048u, 4096u, 16384u, 32768u, 65536u}) {
                    stream<<<132, 32 * warps>>>(bytes / 4 - 1, step, apart, 0, 2048, d_t, y);
                    printf("{\"const_stream_warps\":%d,\"apart\":%u,\"step\":%u,\"bytes\":%u,\"cycles\":%.2f}\n", warps, apart * 4, step * 4, bytes, median(clocks(132)) / 2048 / warps);
                }
    for (int warps : {1, 8, 32})
        for (u spread : {1u, 4u, 16u, 17u, 64u, 257u})
            for (u bytes : {2048u, 16384u, 65536u}) {
                stream<<<132, 32 * warps>>>(bytes / 4 - 1, 5, 0, spread, 256, d_t, y);
                printf("{\"const_lanes_warps\":%d,\"spread\":%u,\"bytes\":%u,\"cycles\":%.2f}\n", warps, spread * 4, bytes, median(clocks(132)) / 256 / warps);
            }
    // memory of the host
    enum { MB = 1 << 20 };
    char *host, *dev;
    cudaHostAlloc(&host, 64 * MB, cudaHostAllocMapped);
    memset(host, 0, 64 * MB);
    cudaHostGetDevicePointer(&dev, host, 0);
    for (size_t stride : {64, 4096, 65536}) {
        int n = 512;
        for (int i = 0; i < n; i++) *(char **)(host + i * stride) = dev + (i + 1) % n * stride;
        for (int pass = 0; pass < 2; pass++) {
            host_chase<<<1, 1>>>((ull *)dev, n, d_t);
            printf("{\"host_chase\":%zu,\"pass\":%d,\"cycles\":%.1f}\n", stride, pass, clocks(1)[0] / n);
        }
        host_chase<<<1, 1>>>((ull *)dev, 4 * n, d_t);
        printf("{\"host_chase\":%zu,\"again\":4,\"cycles\":%.1f}\n", stride, clocks(1)[0] / n / 4);
    }
    for (int blocks : {1, 8, 132, 1056}) {
        printf("{\"host_read_blocks\":%d,\"words_us\":%.2f", blocks, ms([&] { host_read<<<blocks, 256>>>((const u *)dev, 4 * MB / 4, 1, y); }));
        printf(",\"fours_us\":%.2f", ms([&] { host_read<<<blocks, 256>>>((const uint4 *)dev, 4 * MB / 16, 1, y); }));
        printf(",\"sectors_us\":%.2f", ms([&] { host_read<<<blocks, 256>>>((const u *)dev, 4 * MB / 32, 8, y); }));
        printf(",\"lines_us\":%.2f", ms([&] { host_read<<<blocks, 256>>>((const u *)dev, 4 * MB / 128, 32, y); }));
        printf(",\"write_words_us\":%.2f", ms([&] { host_write<<<blocks, 256>>>((u *)dev, 4 * MB / 4, 1u); }));
        printf(",\"write_fours_us\":%.2f,\"mb\":4}\n", ms([&] { host_write<<<blocks, 256>>>((uint4 *)dev, 4 * MB / 16, uint4{1, 2, 3, 4}); }));
    }
    printf("{\"host_read_mb\":64,\"words_us\":%.2f", ms([&] { host_read<<<1056, 256>>>((const u *)dev, 64 * MB / 4, 1, y); }));
    printf(",\"fours_us\":%.2f", ms([&] { host_read<<<1056, 256>>>((const uint4 *)dev, 64 * MB / 16, 1, y); }));
    printf(",\"write_words_us\":%.2f", ms([&] { host_write<<<1056, 256>>>((u *)dev, 64 * MB / 4, 1u); }));
    printf(",\"write_fours_us\":%.2f}\n", ms([&] { host_write<<<1056, 256>>>((uint4 *)dev, 64 * MB / 16, uint4{1, 2, 3, 4}); }));
    host_atomic<<<1, 1>>>((u *)dev, 64, d_t);
    printf("{\"host_atomic_cycles\":%.1f}\n", clocks(1)[0] / 64);
    // mbarrier
    for (int with : {0, 2}) {
        tries<<<1, 1>>>(0, with, d_t);
        auto t = clocks(9);
        printf("{\"%s\":\"no hint\",\"cycles\":[%.0f,%.0f,%.0f,%.0f,%.0f]}\n", with ? "test_wait" : "try_wait", t[0], t[1], t[2], t[4], t[8]);
    }
    for (u hint : {0u, 1u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u}) {
        tries<<<1, 1>>>(hint, 1, d_t);
        auto t = clocks(9);
        printf("{\"try_wait\":%u,\"cycles\":[%.0f,%.0f,%.0f,%.0f,%.0f]}\n", hint, t[0], t[1], t[2], t[4], t[8]);
    }
    for (int threads : {32, 64, 128, 256, 1024}) {
        arrivals<<<1, threads>>>(256, d_t);
        auto t = clocks(2);
        printf("{\"arrivals\":%d,\"one_thread\":%.1f,\"all\":%.1f}\n", threads, t[0] / 256, t[1] / 256);
    }
    // events: idle device (after a synchronize) and behind a memset of 256 MB
    char *flush;
    float *x, *z;
    cudaMalloc(&flush, 256 * MB), cudaMalloc(&x, 64 * MB), cudaMalloc(&z, 64 * MB);
    auto pair = [&](const char *name, auto f) {
        std::vector<double> hot, cold, two, warm;
        float m;
        for (int i = 0; i < 3; i++) f();
        cudaDeviceSynchronize();
        auto one = [&](std::vector<double> &v, int before, int n) {
            if (before == 1) cudaMemset(flush, 1, 256 * MB);
            if (before == 2) spin<<<1, 1>>>(100000);
            cudaEventRecord(e[0]);
            for (int k = 0; k < n; k++) f();
            cudaEventRecord(e[1]);
            cudaEventSynchronize(e[1]);
            cudaEventElapsedTime(&m, e[0], e[1]);
            v.push_back(m * 1e3);
        };
        for (int i = 0; i < 31; i++) one(hot, 0, 1);
        for (int i = 0; i < 15; i++) one(cold, 1, 1);
        for (int i = 0; i < 31; i++) one(warm, 2, 1);
        for (int i = 0; i < 31; i++) one(two, 2, 2);
        printf("{\"events\":\"%s\",\"idle\":%.2f,\"behind_memset\":%.2f,\"behind_kernel\":%.2f,\"two_behind_kernel\":%.2f}\n", name, median(hot), median(cold), median(warm), median(two));
    };
    pair("nothing", [] {});
    pair("empty 1x1", [] { empty<<<1, 1>>>(); });
    pair("empty 132x1024", [] { empty<<<132, 1024>>>(); });
    pair("empty 1056x256", [] { empty<<<1056, 256>>>(); });
    pair("empty 10560x256", [] { empty<<<10560, 256>>>(); });
    big b = {};
    pair("2000 bytes of parameters", [&] { parameters<<<1, 32>>>(b, y); });
    for (int us : {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50}) pair(("spin 132x256 us " + std::to_string(us)).c_str(), [&] { spin<<<132, 256>>>(us * 1980ull); });
    for (int kb : {4, 64, 1024, 4096, 16384}) pair(("load_store KB " + std::to_string(kb)).c_str(), [&] { load_store<<<(kb * 256 + 255) / 256, 256>>>(x, z, kb * 256); });
    // the histogram
    {
        int n = 3 << 20;
        std::vector<int> v(n);
        int4 *in;
        u *hist;
        ull *t;
        cudaMalloc(&in, n * 4), cudaMalloc(&hist, 131072), cudaMalloc(&t, 8192 * 8);
        for (int kind = 0; kind < 2; kind++) {
            ull s = 99;
            for (auto &q : v) {
                s = s * 6364136223846793005ull + 1442695040888963407ull;
                double r = (s >> 33) / 2147483648.0;
                q = std::min(32767, (int)((kind ? r : r * r) * 32768));
            }
            cudaMemcpy(in, v.data(), n * 4, cudaMemcpyHostToDevice);
            for (int blocks : {4, 64, 128}) {
                double us = ms([&] { bins<<<blocks, 1024>>>(in, n / 4 / 128 * blocks, hist, t); });
                std::vector<ull> r(6 * 128);
                cudaMemcpy(r.data(), t, r.size() * 8, cudaMemcpyDeviceToHost);
                std::vector<double> loop, wait, all;
                std::vector<int> on(256);
                ull first = ~0ull, last = 0, late = 0;
                for (int i = 0; i < blocks; i++) loop.push_back(r[6 * i + 1]), wait.push_back(r[6 * i + 2]), all.push_back(r[6 * i + 3]), on[r[6 * i]]++, first = std::min(first, r[6 * i + 4]), late = std::max(late, r[6 * i + 4]), last = std::max(last, r[6 * i + 5]);
                int twice = 0;
                for (int c : on) twice += c > 1;
                printf("{\"bins\":\"%s\",\"blocks\":%d,\"us\":%.2f,\"shared_multiprocessors\":%d,\"loop_median\":%.0f,\"loop_most\":%.0f,\"with_wait_median\":%.0f,\"all_median\":%.0f,\"starts_ns\":%llu,\"all_ns\":%llu,\"smids\":[", kind ? "even" : "square", blocks, us, twice, median(loop), *std::max_element(loop.begin(), loop.end()), median(wait), median(all), late - first, last - first);
                for (int i = 0; i < 8 && i < blocks; i++) printf("%llu%s", r[6 * i], i == 7 || i == blocks - 1 ? "]}\n" : ",");
            }
        }
    }
    printf("{\"end\":\"%s\"}\n", cudaGetErrorString(cudaGetLastError()));
}
