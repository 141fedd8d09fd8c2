// What lies between blocks and beyond the multiprocessor, measured alone: flags from block to block, shared memory of another block, rows walked by a thread, tables of hashes, L2 after a
// large memset, events around a kernel, managed memory.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/far.cu -o far && ./far        h200.far.txt is what one H200 printed
#include <algorithm>
#include <chrono>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <unistd.h>
#include <vector>
namespace cg = cooperative_groups;
typedef unsigned u;
typedef unsigned long long ull;
static cudaEvent_t ev[2];
template <class T> static double us(T launch, int reps = 9) {
    std::vector<float> t;
    for (int r = 0; r < reps; r++) {
        float ms;
        cudaEventRecord(ev[0]);
        launch();
        cudaEventRecord(ev[1]);
        cudaEventSynchronize(ev[1]);
        cudaEventElapsedTime(&ms, ev[0], ev[1]);
        t.push_back(ms * 1e3f);
    }
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

// ---- flags: block i waits for block i - 1
__global__ void chain_volatile(volatile u *flag, u round) {
    if (threadIdx.x == 0) {
        if (blockIdx.x) while (flag[blockIdx.x - 1] != round) {}
        __threadfence();
        flag[blockIdx.x] = round;
    }
}
__global__ void chain_acquire(u *flag, u round) {
    if (threadIdx.x == 0) {
        u v = 0;
        if (blockIdx.x) do asm volatile("ld.acquire.gpu.u32 %0,[%1];" : "=r"(v) : "l"(flag + blockIdx.x - 1) : "memory"); while (v != round);
        asm volatile("st.release.gpu.u32 [%0],%1;" ::"l"(flag + blockIdx.x), "r"(round) : "memory");
    }
}
__global__ void chain_atomic(u *flag, u round) {
    if (threadIdx.x == 0) {
        if (blockIdx.x) while (atomicAdd(flag + blockIdx.x - 1, 0) != round) {}
        atomicExch(flag + blockIdx.x, round);
    }
}
__global__ void chain_block(volatile u *flag, u round, const float *x, float *y) { // a tile each, then the flag: a scan in one pass
    __shared__ float s[256];
    float v = x[blockIdx.x * 256 + threadIdx.x];
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (blockIdx.x) while (flag[blockIdx.x - 1] != round) {}
        __threadfence();
        flag[blockIdx.x] = round;
    }
    __syncthreads();
    y[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
// look-back: state 1 a block's sum, 2 all up to it, by 32 lanes
__global__ void lookback(volatile ull *state, u round, const u *x, u *y) {
    __shared__ u base, ws[8];
    u v = x[blockIdx.x * 256 + threadIdx.x], s = v;
    for (int o = 1; o < 32; o *= 2) { u w = __shfl_up_sync(~0u, s, o); if ((threadIdx.x & 31) >= o) s += w; }
    if ((threadIdx.x & 31) == 31) ws[threadIdx.x / 32] = s;
    __syncthreads();
    u sum = 0, mine = 0;
    for (int k = 0; k < 8; k++) { if (k < threadIdx.x / 32) mine += ws[k]; sum += ws[k]; }
    if (threadIdx.x == 0) state[blockIdx.x] = (ull)(round * 4 + (blockIdx.x ? 1 : 2)) << 32 | sum;
    if (threadIdx.x < 32) {
        u ex = 0;
        for (int at = (int)blockIdx.x - 1; at >= 0; at -= 32) {
            int i = at - (int)threadIdx.x;
            ull p = (ull)(round * 4 + 2) << 32;
            if (i >= 0) do p = state[i]; while ((p >> 34) != round || ((p >> 32) & 3) == 0);
            u full = __ballot_sync(~0u, ((p >> 32) & 3) == 2), first = full ? __ffs(full) - 1 : 31;
            u add = threadIdx.x <= first ? (u)p : 0;
            for (int o = 16; o; o /= 2) add += __shfl_xor_sync(~0u, add, o);
            ex += add;
            if (full) break;
        }
        if (threadIdx.x == 0) { base = ex; if (blockIdx.x) state[blockIdx.x] = (ull)(round * 4 + 2) << 32 | (ex + sum); }
    }
    __syncthreads();
    y[blockIdx.x * 256 + threadIdx.x] = base + mine + s;
}

// ---- shared memory of another block of the cluster
enum { REMOTE_LOAD, REMOTE_STORE, REMOTE_ADD, REMOTE_ADD_RESULT, REMOTE_CHAIN, OWN_LOAD };
template <int what> __global__ void remote(u *out, int n, int stride) {
    extern __shared__ u s[];
    cg::cluster_group c = cg::this_cluster();
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) s[k] = 0;
    c.sync();
    u *to = what == OWN_LOAD ? s : c.map_shared_rank(s, (c.block_rank() + 1) % c.num_blocks()), sum = 0, at = threadIdx.x * stride & 8191;
    for (int k = 0; k < n; k++) {
        if (what == REMOTE_LOAD || what == OWN_LOAD) sum += *(volatile u *)(to + ((at + k * 32) & 8191));
        else if (what == REMOTE_STORE) *(volatile u *)(to + ((at + k * 32) & 8191)) = k;
        else if (what == REMOTE_ADD) atomicAdd(to + ((at + k * 32) & 8191), 1);
        else if (what == REMOTE_ADD_RESULT) sum += atomicAdd(to + ((at + k * 32) & 8191), 1);
        else at = *(volatile u *)(to + at);
    }
    c.sync();
    if (sum + at == 0x12345678) out[threadIdx.x] = sum;
}
static float cluster(void (*f)(u *, int, int), int size, int blocks, int threads, u *out, int n, int stride) {
    cudaLaunchConfig_t g = {};
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = size, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    g.gridDim = blocks, g.blockDim = threads, g.dynamicSmemBytes = 100 << 10, g.attrs = a, g.numAttrs = 1;
    cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    return (float)us([&] { cudaLaunchKernelEx(&g, f, out, n, stride); });
}

// ---- rows: a thread, or a warp, walks its row
__global__ void rows_thread(const float *x, float *y, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 4
    for (int k = 0; k < columns; k++) s += x[(size_t)r * columns + k];
    y[r] = s;
}
__global__ void rows_thread4(const float4 *x, float *y, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 4
    for (int k = 0; k < columns; k++) { float4 v = x[(size_t)r * columns + k]; s += v.x + v.y + v.z + v.w; }
    y[r] = s;
}
__global__ void rows_warp(const float *x, float *y, int columns) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
    float s = 0;
    for (int k = l; k < columns; k += 32) s += x[(size_t)r * columns + k];
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (!l) y[r] = s;
}

// ---- tables of hashes
__device__ u hash(u k) { k ^= k >> 16; k *= 0x85ebca6b; k ^= k >> 13; k *= 0xc2b2ae35; return k ^ k >> 16; }
__global__ void insert(ull *t, u mask, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u key = i + 1;
    for (u h = hash(key) & mask;; h = (h + 1) & mask) {
        ull old = atomicCAS(t + h, 0ull, (ull)key << 32 | i);
        if (!old || old >> 32 == key) return;
    }
}
__global__ void find(const ull *t, u mask, u *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u key = i + 1;
    for (u h = hash(key) & mask;; h = (h + 1) & mask) {
        ull v = t[h];
        if (v >> 32 == key) { y[i] = (u)v; return; }
        if (!v) return;
    }
}
__global__ void swaps(ull *t, u mask, int n) { // as insert, but none finds its place taken
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicCAS(t + (hash(i) & mask), 0ull, (ull)i);
}
__global__ void swaps32(u *t, u mask, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicCAS(t + (hash(i) & mask), 0u, (u)i);
}
__global__ void reads(const ull *t, u mask, u *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (u)t[hash(i) & mask];
}

__global__ void spin(ull cycles) { ull t = clock64(); while (clock64() - t < cycles) {} }
__global__ void stream(const float4 *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = i; k < n; k += gridDim.x * blockDim.x) s += x[k].x + x[k].w;
    if (s == 12345.f) y[i] = s;
}
__global__ void pass(float *x, const float *table, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.75f * x[i] + 0.25f * table[(first + i) % 4096];
}
static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
static double managed(int n, int passes, bool pieces) {
    float *x, *t;
    cudaMallocManaged(&x, 4ull * n);
    cudaMallocManaged(&t, 4 * 4096);
    for (int k = 0; k < n; k++) x[k] = (float)k;
    for (int k = 0; k < 4096; k++) t[k] = (float)k;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    double t0 = now();
    if (pieces) {
        cudaMemAdvise(t, 4 * 4096, cudaMemAdviseSetReadMostly, device);
        cudaMemPrefetchAsync(t, 4 * 4096, device, 0);
        for (int at = 0; at < n; at += 1 << 18) {
            int m = std::min(n - at, 1 << 18);
            cudaMemPrefetchAsync(x + at, 4ull * m, device, 0);
            for (int p = 0; p < passes; p++) pass<<<(m + 255) / 256, 256>>>(x + at, t, at, m);
            cudaMemPrefetchAsync(x + at, 4ull * m, host, 0);
        }
    } else
        for (int p = 0; p < passes; p++) pass<<<(n + 255) / 256, 256>>>(x, t, 0, n);
    cudaDeviceSynchronize();
    double mid = now(), sum = 0;
    for (int k = 0; k < n; k += 1024) sum += x[k];
    double end = now();
    printf("managed %d floats, %d passes, %s: %.0f us on the device, %.0f with the host's reading%s\n", n, passes, pieces ? "fetched by pieces" : "by faults", mid - t0, end - t0, sum == 1 ? "!" : "");
    cudaFree(x), cudaFree(t);
    return end - t0;
}

int main() {
    enum { SMS = 132, MB = 1 << 20 };
    cudaEventCreate(&ev[0]), cudaEventCreate(&ev[1]);
    char *m;
    cudaMalloc(&m, 1024ull * MB);
    cudaMemset(m, 0, 1024ull * MB);
    u *flag = (u *)m, round = 1;
    cudaDeviceSynchronize();
    for (int rep = 0; rep < 2; rep++)
        for (int blocks : {132, 1024, 4096}) {
            printf("flags %d blocks: volatile %.2f", blocks, us([&] { chain_volatile<<<blocks, 32>>>(flag, round++); }));
            printf(", acquire %.2f", us([&] { chain_acquire<<<blocks, 32>>>(flag, round++); }));
            printf(", atomic %.2f", us([&] { chain_atomic<<<blocks, 32>>>(flag, round++); }));
            printf(", with tiles %.2f", us([&] { chain_block<<<blocks, 256>>>(flag, round++, (float *)(m + 64 * MB), (float *)(m + 128 * MB)); }));
            printf(", look-back %.2f us\n", us([&] { lookback<<<blocks, 256>>>((ull *)(m + 32 * MB), round++, (u *)(m + 64 * MB), (u *)(m + 128 * MB)); }));
        }
    for (int size : {2, 4, 8})
        for (int threads : {32, 256, 1024}) {
            int n = threads == 32 ? 2048 : 512;
            printf("remote cluster of %d, %d threads, %d each:", size, threads, n);
            printf(" own load %.2f", cluster(remote<OWN_LOAD>, size, 128, threads, flag, n, 1));
            printf(" load %.2f", cluster(remote<REMOTE_LOAD>, size, 128, threads, flag, n, 1));
            printf(" scattered %.2f", cluster(remote<REMOTE_LOAD>, size, 128, threads, flag, n, 33 * 8 + 8));
            printf(" store %.2f", cluster(remote<REMOTE_STORE>, size, 128, threads, flag, n, 1));
            printf(" add %.2f", cluster(remote<REMOTE_ADD>, size, 128, threads, flag, n, 1));
            printf(" add scattered %.2f", cluster(remote<REMOTE_ADD>, size, 128, threads, flag, n, 33 * 8 + 8));
            printf(" add with result %.2f", cluster(remote<REMOTE_ADD_RESULT>, size, 128, threads, flag, n, 1));
            printf(" chain %.2f us\n", cluster(remote<REMOTE_CHAIN>, size, 128, threads, flag, n, 0));
        }
    for (int threads : {64, 128, 256, 512, 1024, 2048}) {
        int block = std::min(threads, 256), blocks = SMS * threads / block, columns = 256;
        float *x = (float *)m, *y = (float *)(m + 768ull * MB);
        auto flush = [&] { cudaMemset(m + 768ull * MB, 0, 192 * MB); };
        double t[6];
        t[0] = us([&] { rows_thread<<<blocks, block>>>(x, y, columns); });
        t[1] = us([&] { rows_thread4<<<blocks, block>>>((float4 *)x, y, columns / 4); });
        t[2] = us([&] { rows_warp<<<blocks * 8, block>>>(x, y, columns); });
        for (int k = 0; k < 3; k++) {
            std::vector<float> v;
            for (int r = 0; r < 7; r++) {
                flush();
                v.push_back((float)us([&] { k == 0 ? rows_thread<<<blocks, block>>>(x, y, columns) : k == 1 ? rows_thread4<<<blocks, block>>>((float4 *)x, y, columns / 4) : rows_warp<<<blocks * 8, block>>>(x, y, columns); }, 1));
            }
            std::sort(v.begin(), v.end());
            t[3 + k] = v[3];
        }
        printf("rows of %d, %d threads a multiprocessor: by a thread %.2f hot %.2f cold, by fours %.2f %.2f, by a warp (a quarter as many) %.2f %.2f us\n", columns, threads, t[0], t[3], t[1], t[4], t[2], t[5]);
    }
    for (int kb : {1 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10}) {
        u mask = kb * 128 - 1, n = std::min(mask / 2 + 1, 1u << 20);
        u *y = (u *)(m + 768ull * MB);
        std::vector<float> v[6];
        for (int r = 0; r < 7; r++) {
            cudaMemset(m, 0, (size_t)kb << 10);
            v[0].push_back((float)us([&] { insert<<<n / 256, 256>>>((ull *)m, mask, n); }, 1));
            v[1].push_back((float)us([&] { find<<<n / 256, 256>>>((ull *)m, mask, y, n); }, 1));
            v[2].push_back((float)us([&] { reads<<<n / 256, 256>>>((ull *)m, mask, y, n); }, 1));
            v[3].push_back((float)us([&] { swaps<<<n / 256, 256>>>((ull *)m, mask, n); }, 1));
            cudaMemset(m, 0, (size_t)kb << 10);
            v[4].push_back((float)us([&] { swaps<<<n / 256, 256>>>((ull *)m, mask, n); }, 1));
            v[5].push_back((float)us([&] { swaps32<<<n / 256, 256>>>((u *)m, mask * 2 + 1, n); }, 1));
        }
        for (auto &w : v) std::sort(w.begin(), w.end());
        printf("table of %d KB, %u keys: insert %.2f, find %.2f, random reads %.2f, swaps in vain %.2f, swaps %.2f, of 4 bytes %.2f us\n", kb, n, v[0][3], v[1][3], v[2][3], v[3][3], v[4][3], v[5][3]);
    }
    for (int mb : {0, 4, 16, 32, 48, 64, 128, 256})
        for (int copy = 0; copy < 2; copy++) {
            std::vector<float> v, w;
            for (int r = 0; r < 9; r++) {
                us([&] { stream<<<SMS * 4, 512>>>((float4 *)m, (float *)(m + 900ull * MB), 8 * MB / 16); }, 2);
                if (mb && !copy) cudaMemset(m + 512ull * MB, r, (size_t)mb * MB);
                if (mb && copy) cudaMemcpyAsync(m + 512ull * MB, m + 256ull * MB, (size_t)mb * MB, cudaMemcpyDeviceToDevice);
                v.push_back((float)us([&] { stream<<<SMS * 4, 512>>>((float4 *)m, (float *)(m + 900ull * MB), 8 * MB / 16); }, 1));
            }
            std::sort(v.begin(), v.end());
            printf("read of 8 MB after a %s of %d MB: %.2f us\n", copy ? "copy" : "memset", mb, v[4]);
        }
    for (int mb : {1, 8, 32}) { // what a memset or a copy has just written
        std::vector<float> v, w, c;
        for (int r = 0; r < 9; r++) {
            cudaMemset(m, r, (size_t)mb * MB);
            v.push_back((float)us([&] { stream<<<SMS * 4, 512>>>((float4 *)m, (float *)(m + 900ull * MB), mb * MB / 16); }, 1));
            cudaMemset(m + 512ull * MB, r, 256ull * MB);
            cudaMemset(m, r, (size_t)mb * MB);
            w.push_back((float)us([&] { stream<<<SMS * 4, 512>>>((float4 *)m, (float *)(m + 900ull * MB), mb * MB / 16); }, 1));
            cudaMemset(m + 512ull * MB, r, 256ull * MB);
            c.push_back((float)us([&] { stream<<<SMS * 4, 512>>>((float4 *)m, (float *)(m + 900ull * MB), mb * MB / 16); }, 1));
        }
        std::sort(v.begin(), v.end()), std::sort(w.begin(), w.end()), std::sort(c.begin(), c.end());
        printf("read of %d MB that a memset has just written %.2f, after another of 256 MB before it %.2f, behind it %.2f us\n", mb, v[4], w[4], c[4]);
    }
    for (ull cycles : {0ull, 2000ull, 10000ull, 100000ull}) {
        std::vector<float> idle, busy, slept, behind, only;
        for (int r = 0; r < 15; r++) {
            auto pair = [&](std::vector<float> &to, bool kernel) {
                float ms;
                cudaEventRecord(ev[0]);
                if (kernel) spin<<<1, 32>>>(cycles);
                cudaEventRecord(ev[1]);
                cudaEventSynchronize(ev[1]);
                cudaEventElapsedTime(&ms, ev[0], ev[1]);
                to.push_back(ms * 1e3f);
            };
            cudaDeviceSynchronize();
            pair(idle, true);
            usleep(2000);
            pair(slept, true);
            pair(only, false);
            cudaDeviceSynchronize();
            for (int k = 0; k < 20; k++) spin<<<1, 32>>>(20000);
            pair(busy, true);
            cudaDeviceSynchronize();
            cudaMemsetAsync(m, 0, 16 * MB);
            pair(behind, true);
        }
        for (auto v : {&idle, &busy, &slept, &behind, &only}) std::sort(v->begin(), v->end());
        printf("events around %llu cycles: idle %.2f, after 2 ms %.2f, behind work %.2f, behind a memset %.2f, nothing between %.2f us\n", cycles, idle[7], slept[7], busy[7], behind[7], only[7]);
    }
    for (int n : {3 << 19, 1 << 24})
        for (int rep = 0; rep < 2; rep++) managed(n, 4, false), managed(n, 4, true);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
