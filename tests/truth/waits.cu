// What warps of a block and blocks of a cluster take that wait for one another, measured alone. A line is a kernel:
//   {"waits":KIND,"warps":W,"blocks":B,"work":N,"rounds":R,"us":T}
// KIND is turn (a volatile word of shared memory), turn_global (the same in global memory), lock (atomicCAS and
// atomicExch in shared memory), counter (atomicAdd, and polls until all have come), mbarrier (each warp waits at its
// own and arrives at the next one's), named (bar.sync and bar.arrive from warp to warp), block (bar.sync of all),
// cluster_turn (a word of the next block's shared memory), cluster_sync, walk (one thread follows a chain in shared
// memory and leaves it at its end, the others wait at a barrier), chain (blocks one after another, with fences).
// N: dependent multiply-adds of each turn. Medians of REPS (9); REPS=1 warplab profile --device sim:h200 this file
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace cg = cooperative_groups;
__device__ float sink;
__device__ __forceinline__ float work(float x, int n) {
    for (int k = 0; k < n; k++) x = x * 1.0001f + 0.5f;
    return x;
}
__global__ void turn(int rounds, int n, float *out) {
    __shared__ volatile int word;
    int w = threadIdx.x / 32, warps = blockDim.x / 32;
    float x = (float)threadIdx.x;
    if (!threadIdx.x) word = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        while (word < r * warps + w) {
        }
        __threadfence_block();
        __syncwarp();
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x % 32 == 0) __threadfence_block(), word = r * warps + w + 1;
    }
    if (x == 0.123f) *out = x;
}
__device__ volatile int words[4096 * 32];
__global__ void turn_global(int rounds, int n, float *out) {
    volatile int *word = &words[blockIdx.x * 32];
    int w = threadIdx.x / 32, warps = blockDim.x / 32;
    float x = (float)threadIdx.x;
    if (!threadIdx.x) *word = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        while (*word < r * warps + w) {
        }
        __threadfence_block();
        __syncwarp();
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x % 32 == 0) __threadfence_block(), *word = r * warps + w + 1;
    }
    if (x == 0.123f) *out = x;
}
__global__ void lock(int rounds, int n, float *out) {
    __shared__ int word;
    float x = (float)threadIdx.x;
    if (!threadIdx.x) word = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x % 32 == 0)
            while (atomicCAS(&word, 0, 1)) {
            }
        __syncwarp();
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x % 32 == 0) atomicExch(&word, 0);
    }
    if (x == 0.123f) *out = x;
}
__global__ void counter(int rounds, int n, float *out) {
    __shared__ int word;
    int warps = blockDim.x / 32;
    float x = (float)threadIdx.x;
    if (!threadIdx.x) word = 0;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&word, 1);
            while (*(volatile int *)&word < (r + 1) * warps) {
            }
        }
        __syncwarp();
    }
    if (x == 0.123f) *out = x;
}
__device__ __forceinline__ unsigned at(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void arrive(unsigned bar) {
    asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void await(unsigned bar, unsigned parity) {
    asm volatile("{.reg .pred p;\nL: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra "
                 "D;\nbra L;\nD:}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}
__global__ void mbarrier(int rounds, int n, float *out) {
    __shared__ unsigned long long bar[32];
    int w = threadIdx.x / 32, warps = blockDim.x / 32;
    float x = (float)threadIdx.x;
    if (threadIdx.x < 32)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar[threadIdx.x])) : "memory");
    __syncthreads();
    if (!threadIdx.x) arrive(at(&bar[0]));
    for (int r = 0; r < rounds; r++) {
        await(at(&bar[w]), r & 1);
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive(at(&bar[(w + 1) % warps]));
    }
    if (x == 0.123f) *out = x;
}
__global__ void named(int rounds, int n, float *out) {
    int w = threadIdx.x / 32, warps = blockDim.x / 32;
    float x = (float)threadIdx.x;
    if (w == warps - 1) asm volatile("bar.arrive 1, 64;" ::: "memory");
    for (int r = 0; r < rounds; r++) {
        asm volatile("bar.sync %0, 64;" ::"r"(1 + w) : "memory");
        x = work(x, n);
        if (r + 1 < rounds || w < warps - 1)
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + (w + 1) % warps) : "memory");
    }
    if (x == 0.123f) *out = x;
}
__global__ void block(int rounds, int n, float *out) {
    float x = (float)threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        x = work(x, n);
        __syncthreads();
    }
    if (x == 0.123f) *out = x;
}
__global__ void cluster_turn(int rounds, int n, float *out) {
    __shared__ volatile int word;
    cg::cluster_group c = cg::this_cluster();
    int rank = (int)c.block_rank(), size = (int)c.num_blocks();
    volatile int *next = c.map_shared_rank((int *)&word, (rank + 1) % size);
    float x = (float)threadIdx.x;
    if (!threadIdx.x) word = rank == 0 ? 1 : 0;
    c.sync();
    for (int r = 0; r < rounds; r++) {
        while (word < r + 1) {
        }
        __syncwarp();
        x = work(x, n);
        __syncwarp();
        if (threadIdx.x == 0) *next = rank == size - 1 ? r + 2 : r + 1;
    }
    c.sync();
    if (x == 0.123f) *out = x;
}
__global__ void cluster_sync(int rounds, int n, float *out) {
    cg::cluster_group c = cg::this_cluster();
    float x = (float)threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        x = work(x, n);
        c.sync();
    }
    if (x == 0.123f) *out = x;
}
__global__ void walk(int rounds, int n, float *out) {
    __shared__ int next[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x) next[k] = k + 7 < n ? k + 7 : -1;
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        if (!threadIdx.x) {
            int at = r % 7, steps = 0;
            while (at >= 0) at = next[at], steps++;
            next[4095] = steps;
        }
        __syncthreads();
    }
    if (next[4095] == 123456) *out = 1;
}
__device__ int flags[4096];
__global__ void clear() {
    flags[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
__global__ void chain(int, int n, float *out) {
    float x = (float)threadIdx.x;
    if (!threadIdx.x && blockIdx.x) {
        while (*(volatile int *)&flags[blockIdx.x - 1] == 0) {
        }
        __threadfence();
    }
    __syncthreads();
    x = work(x, n);
    __syncthreads();
    if (!threadIdx.x) __threadfence(), *(volatile int *)&flags[blockIdx.x] = 1;
    if (x == 0.123f) *out = x;
}
typedef void kernel(int, int, float *);
static void measure(const char *kind, kernel *k, int blocks, int cluster, int warps, int rounds,
                    int n) {
    static cudaEvent_t ev[2];
    static float *out;
    if (!out) cudaEventCreate(&ev[0]), cudaEventCreate(&ev[1]), cudaMalloc(&out, 4);
    std::vector<float> us;
    int reps = getenv("REPS") ? atoi(getenv("REPS")) : 9;
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = (unsigned)cluster, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3((unsigned)blocks), c.blockDim = dim3((unsigned)warps * 32);
    c.attrs = a, c.numAttrs = cluster > 1;
    for (int r = 0; r < reps + (reps > 1); r++) {
        float ms = 0;
        if (k == chain) clear<<<16, 256>>>();
        cudaEventRecord(ev[0]);
        cudaLaunchKernelEx(&c, k, rounds, n, out);
        cudaEventRecord(ev[1]);
        cudaEventSynchronize(ev[1]);
        cudaEventElapsedTime(&ms, ev[0], ev[1]);
        if (r || reps == 1) us.push_back(ms * 1000);
    }
    cudaError_t e = cudaGetLastError();
    if (e) fprintf(stderr, "%s: %s\n", kind, cudaGetErrorString(e));
    std::sort(us.begin(), us.end());
    printf("{\"waits\":\"%s\",\"warps\":%d,\"blocks\":%d,\"cluster\":%d,\"work\":%d,\"rounds\":%d,"
           "\"us\":%.2f}\n",
           kind, warps, blocks, cluster, n, rounds, us[us.size() / 2]);
    fflush(stdout);
}
int main() {
    const struct {
        const char *name;
        kernel *k;
        int most;
    } inside[] = {{"turn", turn, 32},       {"turn_global", turn_global, 32}, {"lock", lock, 32},
                  {"counter", counter, 32}, {"mbarrier", mbarrier, 32},       {"named", named, 8},
                  {"block", block, 32}};
    for (const auto &i : inside)
        for (int warps : {2, 8, 32})
            for (int n : {0, 100})
                if (warps <= i.most) measure(i.name, i.k, 1, 1, warps, 64, n);
    for (int blocks : {132, 528}) {
        measure("turn", turn, blocks, 1, 16, 16, 100);
        measure("lock", lock, blocks, 1, 16, 16, 100);
        measure("mbarrier", mbarrier, blocks, 1, 16, 16, 100);
        measure("turn_global", turn_global, blocks, 1, 16, 16, 100);
    }
    for (int cluster : {2, 4, 8})
        for (int n : {0, 100}) {
            measure("cluster_turn", cluster_turn, 64, cluster, 1, 64, n);
            measure("cluster_sync", cluster_sync, 64, cluster, 4, 64, n);
        }
    measure("cluster_turn", cluster_turn, 1024, 8, 1, 64, 100);
    for (int n : {700, 3500})
        for (int blocks : {1, 132, 1056}) measure("walk", walk, blocks, 1, 8, 8, n);
    for (int blocks : {132, 1056, 4096})
        for (int n : {0, 100}) measure("chain", chain, blocks, 1, 4, 1, n);
}
