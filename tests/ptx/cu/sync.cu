// needs: 80
// Cooperation: atomics with orders and scopes, cooperative groups, shuffles, votes, cp.async, barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void atomics(int *a, unsigned *u, float *f, double *d, unsigned long long *l) {
    a[0] = atomicAdd(a + 1, 3); atomicSub(a + 2, 1); a[3] = atomicExch(a + 4, 5); atomicMin(a + 5, 6); atomicMax(a + 6, 7); u[0] = atomicInc(u + 1, 10); atomicDec(u + 2, 10);
    a[7] = atomicCAS(a + 8, 1, 2); atomicAnd(a + 9, 3); atomicOr(a + 10, 4); atomicXor(a + 11, 5); atomicAdd(f, 1.f); f[1] = atomicAdd(f + 2, 2.f); atomicAdd(d, 2.0); l[0] = atomicAdd(l + 1, 5ull); atomicCAS(l + 2, 1ull, 2ull);
    atomicAdd_system(a + 12, 1); atomicAdd_block(a + 13, 1); atomicMax(l + 3, 4ull);
    __shared__ int s[32]; s[threadIdx.x & 31] = 0; __syncthreads(); atomicAdd(&s[a[0] & 31], 1); __shared__ float sf; atomicAdd(&sf, 2.f); __syncthreads(); a[20] = s[3] + (int)sf; __threadfence(); __threadfence_block(); __threadfence_system();
}
__global__ void scoped(int *p, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*p); cuda::atomic_ref<int, cuda::thread_scope_block> b(p[1]);
    r.fetch_add(1, cuda::memory_order_release); out[0] = r.load(cuda::memory_order_acquire); b.store(3, cuda::memory_order_relaxed); out[1] = b.exchange(4); int e = 3; r.compare_exchange_strong(e, 5); r.fetch_max(4); cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
}
__global__ void warps(int *a, double *d) {
    int v = a[threadIdx.x]; v += __shfl_down_sync(~0u, v, 16); v += __shfl_xor_sync(~0u, v, 8); v += __shfl_up_sync(~0u, v, 4); v += __shfl_sync(~0u, v, 3, 8); d[0] = __shfl_sync(~0u, d[1], 1);
    a[0] = v; a[1] = __ballot_sync(~0u, v > 3); a[2] = __all_sync(~0u, v > 1); a[3] = __any_sync(~0u, v > 2); a[4] = __activemask(); a[5] = __match_any_sync(~0u, v); int pred; a[6] = __match_all_sync(~0u, v, &pred) + pred;
    a[7] = __reduce_add_sync(~0u, v); a[8] = __reduce_max_sync(~0u, (unsigned)v); a[9] = __reduce_xor_sync(~0u, (unsigned)v); __syncwarp(); a[10] = __syncthreads_count(v > 3); a[11] = __syncthreads_or(v); a[12] = __syncthreads_and(v); __nanosleep(100); a[13] = clock() + (int)clock64();
}
__global__ void groups(int *a) {
    auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<16>(block); auto grid = cg::this_grid(); auto co = cg::coalesced_threads();
    int v = cg::reduce(tile, a[threadIdx.x], cg::plus<int>()); v += tile.shfl_down(v, 2); v += cg::inclusive_scan(tile, v); a[0] = v + co.size() + tile.meta_group_rank(); block.sync(); grid.sync(); __shared__ int s[64]; cg::memcpy_async(block, s, a, sizeof s); cg::wait(block); a[1] = s[3]; auto lab = cg::labeled_partition(co, v); a[2] = lab.size();
}
__global__ void copies(int *a) {
    __shared__ alignas(16) int s[256]; __pipeline_memcpy_async(&s[threadIdx.x * 4], &a[threadIdx.x * 4], 16); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
    __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads(); cuda::memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4, bar); bar.arrive_and_wait(); a[1] = s[4]; auto tok = bar.arrive(); bar.wait(std::move(tok));
    auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); cuda::memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4, pipe); pipe.producer_commit(); pipe.consumer_wait(); a[2] = s[7]; pipe.consumer_release();
}
__global__ void spin(volatile int *flag, int *lock, int *data) { while (!*flag) ; while (atomicCAS(lock, 0, 1)) __nanosleep(20); data[0]++; __threadfence(); atomicExch(lock, 0); }
