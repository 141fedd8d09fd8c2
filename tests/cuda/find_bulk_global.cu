// Bulk copies to global memory that are read before they were waited for, blocks that end before a copy in their shared memory, and a copy that reads from global memory what no fence gave to the copy engine. (bulk_global.cu has the right ones alone.)
// arch: sm_90
// sim only
// expect: done
// finding: race
// stderr: reads byte 0 of shared memory: the block ends while the copy still reads it: cp.async.bulk.wait_group.read comes first
// stderr: writes byte 128 of shared memory: the block ends while the copy is under way: its mbarrier's phase has to be waited for first
// stderr: at find_bulk_global.cu:27: the copy is under way until its thread has waited with cp.async.bulk.wait_group, without .read
// stderr: at find_bulk_global.cu:42: the copy is under way until its thread has waited with cp.async.bulk.wait_group, without .read
// stderr: which thread 0 of block 0 writes at find_bulk_global.cu:56
// stderr: which thread 0 writes at find_bulk_global.cu:70: a fence.proxy.async is missing between the write and the copy that reads it
#include "tma.h"
enum { N = 64, BYTES = 4 * N };
__device__ inline void drain_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ inline void fill(int *s) {
    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
}
// waits: 0 not at all, 1 until the source is read, 2 until the copy has ended
template <int waits> __global__ void stored(int *to) {
    __shared__ alignas(128) int s[N];
    fill(s);
    if (threadIdx.x == 0) {
        bulk_store(to, AT(s), BYTES), bulk_commit();
        if (waits == 1) drain_read();
        if (waits == 2) bulk_drain();
    }
    __syncthreads();
    if (waits) to[threadIdx.x ^ 1]++;
}
// reduced before anybody may look; two groups, of which the older one has been waited for
template <bool right> __global__ void reduced(int *sum, int *to) {
    __shared__ alignas(128) int s[N];
    fill(s);
    int *first = right ? sum : sum + N, *second = right ? sum + N : sum;
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(first), "r"(AT(s)) : "memory");
        bulk_commit();
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(second), "r"(AT(s)) : "memory");
        bulk_commit();
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
    }
    __syncthreads();
    to[threadIdx.x] = sum[threadIdx.x];
    if (threadIdx.x == 0) bulk_drain();
}
// from block to block
template <bool right> __global__ void passed(int *data, unsigned *flag, int *to) {
    __shared__ alignas(128) int s[N];
    if (blockIdx.x == 0) {
        fill(s);
        if (threadIdx.x) return;
        bulk_store(data, AT(s), BYTES), bulk_commit();
        if (right) bulk_drain();
        __threadfence(), atomicExch(flag, 1);
        bulk_drain();
    } else {
        if (threadIdx.x == 0) while (!atomicAdd(flag, 0)) {}
        __threadfence(), __syncthreads();
        to[threadIdx.x] = data[threadIdx.x];
    }
}
template <int fence> __global__ void read(int *data, int *to) {
    __shared__ alignas(128) int s[N];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) bar_init(AT(&bar), 1);
    data[threadIdx.x] = threadIdx.x;
    if (fence == 1) asm volatile("fence.proxy.async;" ::: "memory");
    if (fence == 2) asm volatile("fence.proxy.async.global;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) bar_expect(AT(&bar), BYTES), bulk_load(AT(s), data, BYTES, AT(&bar));
    bar_wait(AT(&bar), 0);
    to[threadIdx.x] = s[threadIdx.x];
}
template <bool wait> __global__ void loaded(const int *data) {
    __shared__ alignas(128) int s[N];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x) return;
    bar_init(AT(&bar), 1);
    bar_expect(AT(&bar), BYTES), bulk_load(AT(s), data, BYTES, AT(&bar));
    if (wait) bar_wait(AT(&bar), 0);
}
int main() {
    int *data, *to;
    unsigned *flag;
    CK(cudaMalloc(&data, 2 * BYTES)), CK(cudaMalloc(&to, BYTES)), CK(cudaMalloc(&flag, 4));
    CK(cudaMemset(data, 0, 2 * BYTES)), CK(cudaMemset(flag, 0, 4));
    stored<2><<<1, N>>>(to), reduced<true><<<1, N>>>(data, to), passed<true><<<2, N>>>(data, flag, to);
    read<1><<<1, N>>>(data, to), read<2><<<1, N>>>(data, to), loaded<true><<<1, N>>>(data);
    CK(cudaDeviceSynchronize());
#ifndef RIGHT
    CK(cudaMemset(flag, 0, 4));
    stored<0><<<1, N>>>(to), loaded<false><<<1, N>>>(data);
    stored<1><<<1, N>>>(to), reduced<false><<<1, N>>>(data, to), passed<false><<<2, N>>>(data, flag, to);
    read<0><<<1, N>>>(data, to);
    CK(cudaDeviceSynchronize());
#endif
    puts("done");
}
