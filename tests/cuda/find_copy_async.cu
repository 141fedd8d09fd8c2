// cp.async whose bytes are touched before the wait that covers them, or by others before a barrier; and none of that.
// arch: sm_80
// sim only
// expect: done
// finding: race
// finding: uninit
// stderr: find_copy_async.cu:24: thread 0 of block 0 of own
// stderr: which thread 0 writes at find_copy_async.cu:22: the copy is under way: a __pipeline_wait_prior(1) (cp.async.wait_group 1) is missing before it
// stderr: find_copy_async.cu:32: thread 0 of block 0 of open reads
// stderr: the copy is in no group yet: a __pipeline_commit() (cp.async.commit_group) and a wait for it are missing before it
// stderr: find_copy_async.cu:39: thread 32 of block 0 of others<1> reads byte 124 of shared memory, which thread 31 writes at find_copy_async.cu:36: a __syncthreads() is missing between them
// stderr: find_copy_async.cu:39: thread 32 of block 0 of others<2> reads
// stderr: its thread has to wait first (__pipeline_wait_prior(0), cp.async.wait_group 0), and a __syncthreads() has to follow
#include "common.h"
#include <cuda_pipeline.h>
__global__ void own(const int *a, int *o) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4), __pipeline_commit();
    __pipeline_wait_prior(0);
    o[t] = s[t];
    __pipeline_memcpy_async(&s[t], &a[t], 4), __pipeline_commit();
    __pipeline_memcpy_async(&s[32 + t], &a[t], 4), __pipeline_commit();
    o[t] = s[t];
    __pipeline_wait_prior(0);
}
__global__ void open(const int *a, int *o) {
    __shared__ int s[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &a[t], 4);
    __pipeline_wait_prior(0);
    o[t] = s[t];
}
template <int fault> __global__ void others(const int *a, int *o) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 4), __pipeline_commit();
    if (fault != 2) __pipeline_wait_prior(0);
    if (fault != 1) __syncthreads();
    o[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    int *a, *o;
    CK(cudaMalloc(&a, 256)), CK(cudaMemset(a, 0, 256)), CK(cudaMalloc(&o, 256));
    own<<<1, 32>>>(a, o), open<<<1, 32>>>(a, o);
    others<0><<<1, 64>>>(a, o), others<1><<<1, 64>>>(a, o), others<2><<<1, 64>>>(a, o);
    CK(cudaDeviceSynchronize());
    puts("done");
}
