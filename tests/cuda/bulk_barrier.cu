// What libcu++ makes of barriers, pipelines and asynchronous copies on a device of compute capability 9.0, and its wrappers of PTX.
// std: c++17
// arch: sm_90
// expect: barrier 0 wrong
// expect: memcpy_async 0 wrong
// expect: memcpy_async_tx 0 wrong
// expect: pipeline 0 wrong
// expect: dropped 0 wrong
// expect: ptx 0 wrong
#include "common.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <utility>
#include <vector>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;
enum { N = 256, TILES = 6 };

__global__ void phases(int *to) {
    __shared__ barrier bar;
    __shared__ int s[N];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    for (int r = 0; r < 5; r++) {
        s[t] = r * 1000 + t;
        bar.arrive_and_wait();
        to[r * N + t] = s[N - 1 - t];
        auto token = bar.arrive();
        bar.wait(std::move(token));
    }
}
__global__ void copied(const int *from, int *to) {
    __shared__ barrier bar;
    __shared__ alignas(128) int s[N];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    for (int r = 0; r < TILES; r++) {
        cuda::memcpy_async(block, s, from + r * N, cuda::aligned_size_t<16>(sizeof s), bar);
        bar.arrive_and_wait();
        to[r * N + threadIdx.x] = s[N - 1 - threadIdx.x];
        block.sync();
    }
}
__global__ void copied_tx(const int *from, int *to) {
    __shared__ barrier bar;
    __shared__ alignas(128) int s[N];
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    for (int r = 0; r < TILES; r++) {
        barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(s, from + r * N, cuda::aligned_size_t<16>(sizeof s), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
        } else token = bar.arrive();
        bar.wait(std::move(token));
        to[r * N + threadIdx.x] = s[N - 1 - threadIdx.x] + 1;
        __syncthreads();
    }
}
__global__ void piped(const int *from, int *to) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(128) int s[2][N];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int next = 0;
    for (int r = 0; r < TILES; r++) {
        for (; next < TILES && next < r + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], from + next * N, cuda::aligned_size_t<16>(sizeof s[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        to[r * N + threadIdx.x] = 2 * s[r % 2][N - 1 - threadIdx.x];
        block.sync();
        pipe.consumer_release();
    }
}
// Warps leave one after the other; the others go on meeting.
__global__ void dropped(int *to) {
    __shared__ barrier bar;
    __shared__ int count;
    int w = threadIdx.x / 32;
    if (threadIdx.x == 0) init(&bar, blockDim.x), count = 0;
    __syncthreads();
    for (int r = 0; r < 8; r++) {
        if (w < r) {
            bar.arrive_and_drop();
            return;
        }
        if (threadIdx.x % 32 == 0) atomicAdd(&count, 1);
        bar.arrive_and_wait();
        if (threadIdx.x == blockDim.x - 1) to[r] = count;
        bar.arrive_and_wait();
    }
}
__global__ void wrapped(const int *from, int *to) {
    __shared__ alignas(8) uint64_t bar;
    __shared__ alignas(128) int s[N];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, blockDim.x);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    uint64_t token;
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, from, sizeof s, &bar);
        token = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
    } else token = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &bar, token)) {}
    s[threadIdx.x] += 5;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, s, sizeof s);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
static std::vector<int> h(N *TILES), r(N *TILES);
static int *from, *to;
template <class F> void check(const char *name, int n, F want) {
    CK(cudaGetLastError()), CK(cudaMemcpy(r.data(), to, n * 4, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += r[i] != want(i);
    printf("%s %d wrong\n", name, wrong);
}
int main() {
    for (int i = 0; i < N * TILES; i++) h[i] = i * i;
    CK(cudaMalloc(&from, h.size() * 4)), CK(cudaMalloc(&to, h.size() * 4));
    CK(cudaMemcpy(from, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    phases<<<1, N>>>(to);
    check("barrier", 5 * N, [](int i) { return i / N * 1000 + N - 1 - i % N; });
    auto turned = [](int i) { return h[i / N * N + N - 1 - i % N]; };
    copied<<<1, N>>>(from, to);
    check("memcpy_async", N * TILES, turned);
    copied_tx<<<1, N>>>(from, to);
    check("memcpy_async_tx", N * TILES, [&](int i) { return turned(i) + 1; });
    piped<<<1, N>>>(from, to);
    check("pipeline", N * TILES, [&](int i) { return 2 * turned(i); });
    dropped<<<1, 256>>>(to);
    check("dropped", 8, [](int i) { return 8 * (i + 1) - i * (i + 1) / 2; });
    wrapped<<<1, N>>>(from, to);
    check("ptx", N, [](int i) { return h[i] + 5; });
}
