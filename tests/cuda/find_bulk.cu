// Bulk copies that are not waited for, whose source is written too soon, and that read what no fence gave to the copy engine; right ones beside them.
// arch: sm_90
// sim only
// expect: done
// finding: race
// stderr: of shared memory, which thread 0 writes at find_bulk.cu:16: the copy is under way until its mbarrier's phase has been waited for
// stderr: of shared memory, which thread 0 reads at find_bulk.cu:27: the copy still reads it: cp.async.bulk.wait_group.read comes first
// stderr: at find_bulk.cu:34: a fence.proxy.async is missing between the write and the copy that reads it
#include "tma.h"
template <bool wait> __global__ void unwaited(const int *from, int *to) {
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof s), bulk_load(AT(s), from, sizeof s, AT(&bar));
    }
    __syncthreads();
    if (wait) bar_wait(AT(&bar), 0);
    to[t] = s[t];
}
template <bool wait> __global__ void overwritten(int *to) {
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(to, AT(s), sizeof s), bulk_commit();
    if (wait && threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncthreads();
    s[threadIdx.x] = 5;
}
template <bool fence> __global__ void unfenced(int *to) {
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (fence) proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(to, AT(s), sizeof s), bulk_commit(), bulk_drain();
}
int main() {
    int *from, *to;
    CK(cudaMalloc(&from, 256)), CK(cudaMalloc(&to, 256)), CK(cudaMemset(from, 1, 256));
    unwaited<true><<<1, 64>>>(from, to), overwritten<true><<<1, 64>>>(to), unfenced<true><<<1, 64>>>(to);
    CK(cudaDeviceSynchronize());
    unwaited<false><<<1, 64>>>(from, to), overwritten<false><<<1, 64>>>(to), unfenced<false><<<1, 64>>>(to);
    CK(cudaDeviceSynchronize());
    puts("done");
}
