// Honest programs beside those of find_*: what looks like a fault and is none. Nothing may be found.
// std: c++17
// arch: sm_80
// expect: exchange 64
// expect: sums 2016 496
// expect: tiles 28 6
// expect: copies 0 wrong
// expect: barrier 0 wrong
// expect: pipeline 0 wrong
// expect: in step 0 wrong
// expect: last 10
// expect: locked 256
// expect: scan 0 wrong
#include "common.h"
#include "units/scan.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
enum { N = 64 };

__global__ void exchange(int *o) { // an exchange that only writes is an initialisation
    __shared__ unsigned hit;
    atomicExch(&hit, 0u);
    __syncthreads();
    atomicAdd(&hit, 1u);
    __syncthreads();
    if (threadIdx.x == 0) *o = hit;
}
__global__ void sums(int *o) { // a block of two warps, then half a warp: upper lanes read what is not there
    __shared__ int part[2];
    int v = threadIdx.x;
    for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 2) {
        v = part[threadIdx.x];
        v += __shfl_down_sync(0x3u, v, 1);
        if (threadIdx.x == 0) o[0] = v, o[1] = part[0];
    }
}
__global__ void tiles(int *o) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int all = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
    if (threadIdx.x % 8 < 4) {
        auto some = cg::coalesced_threads();
        int few = cg::reduce(some, (int)threadIdx.x % 8, cg::plus<int>());
        if (threadIdx.x == 0) o[1] = few / 4;
    }
    if (threadIdx.x == 0) o[0] = all;
}
__global__ void copies(const int *from, int *to) { // two stages of cp.async
    __shared__ int s[2][N];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], from + t, 4), __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3) __pipeline_memcpy_async(&s[(i + 1) % 2][t], from + (i + 1) * N + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        to[i * N + t] = s[i % 2][N - 1 - t];
        __syncthreads();
    }
}
__global__ void with_barrier(int *to) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[N];
    if (threadIdx.x == 0) init(&bar, N);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i + threadIdx.x;
        bar.arrive_and_wait();
        to[i * N + threadIdx.x] = s[N - 1 - threadIdx.x];
        bar.arrive_and_wait();
    }
}
__global__ void with_pipeline(const int *from, int *to) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int s[2][N];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 4; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[i % 2], from + i * N, sizeof s[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        to[i * N + threadIdx.x] = s[i % 2][N - 1 - threadIdx.x];
        pipe.consumer_release();
    }
}
__global__ void in_step(int *to) { // a warp's lanes, ordered by __syncwarp()
    __shared__ int s[32];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i * 100 + threadIdx.x;
        __syncwarp();
        to[i * 32 + threadIdx.x] = s[31 - threadIdx.x];
        __syncwarp();
    }
}
__global__ void last(int *part, unsigned *count, int *o) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(count, 1) != gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; b++) sum += part[b];
    *o = sum;
}
__global__ void locked(int *lock, int *sum) {
    if (threadIdx.x % 32) return;
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *(volatile int *)sum = *(volatile int *)sum + 32;
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void scan(int *o) { // a library's storage, with a barrier between two uses
    __shared__ int storage[2];
    int v = 1;
    for (int i = 0; i < 2; i++) v = block_scan(v, storage), __syncthreads();
    o[threadIdx.x] = v;
}
static int h[4 * N];
template <typename F> int wrong(const int *d, int n, F want) {
    int bad = 0;
    CK(cudaMemcpy(h, d, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) bad += h[i] != want(i);
    return bad;
}
int main() {
    int *o, *from;
    auto turned = [](int i) { return i / N * N + N - 1 - i % N; };
    CK(cudaMalloc(&o, 4 * N * 4)), CK(cudaMalloc(&from, 4 * N * 4));
    for (int i = 0; i < 4 * N; i++) h[i] = i;
    CK(cudaMemcpy(from, h, sizeof h, cudaMemcpyHostToDevice));
    exchange<<<1, N>>>(o), wrong(o, 1, turned), printf("exchange %d\n", h[0]);
    sums<<<1, N>>>(o), wrong(o, 2, turned), printf("sums %d %d\n", h[0], h[1]);
    tiles<<<1, 32>>>(o), wrong(o, 2, turned), printf("tiles %d %d\n", h[0], h[1]);
    copies<<<1, N>>>(from, o), printf("copies %d wrong\n", wrong(o, 4 * N, turned));
    with_barrier<<<1, N>>>(o), printf("barrier %d wrong\n", wrong(o, 3 * N, [](int i) { return i / N + N - 1 - i % N; }));
    with_pipeline<<<1, N>>>(from, o), printf("pipeline %d wrong\n", wrong(o, 4 * N, turned));
    in_step<<<1, 32>>>(o), printf("in step %d wrong\n", wrong(o, 96, [](int i) { return i / 32 * 100 + 31 - i % 32; }));
    CK(cudaMemset(o, 0, 256)), last<<<4, 32>>>(o + 8, (unsigned *)o, o + 1), wrong(o, 2, turned), printf("last %d\n", h[1]);
    CK(cudaMemset(o, 0, 256)), locked<<<4, 64>>>(o, o + 1), wrong(o, 2, turned), printf("locked %d\n", h[1]);
    // the second scan of ones is that of 1, 2, 3 ...
    scan<<<1, N>>>(o), printf("scan %d wrong\n", wrong(o, N, [](int i) { return (i + 1) * (i + 2) / 2; }));
    cudaFree(o), cudaFree(from);
}
