// Races in shared memory between warps and inside one, each with its two sides; with barriers there is none.
// sim only
// expect: done
// finding: race
// finding: uninit
// stderr: find_race_shared.cu:15: thread 0 of block 0 of between<false> reads byte 4 of shared memory, which thread 1 of the same warp writes at find_race_shared.cu:13: a __syncthreads() is missing between them; a __syncwarp() is not enough, because threads of different warps meet here too
// stderr: find_race_shared.cu:13: thread 32 of block 0 of between<false> writes byte 128 of shared memory, which thread 31 reads at find_race_shared.cu:15: a __syncthreads() is missing
// stderr: a __syncthreads() is missing between them
// stderr: find_race_shared.cu:22: thread 0 of block 0 of inside<false> reads byte 4 of shared memory, which thread 1 of the same warp writes at find_race_shared.cu:20: a __syncwarp() is missing
#include "common.h"
template <bool sync> __global__ void between(int *q) {
    __shared__ int s[64];
    s[threadIdx.x] = q[threadIdx.x] + 1;
    if (sync) __syncthreads();
    q[threadIdx.x] = s[threadIdx.x < 63 ? threadIdx.x + 1 : 0];
}
template <bool sync> __global__ void inside(int *q) {
    __shared__ int s[33];
    if (threadIdx.x == 0) s[32] = 0;
    s[threadIdx.x] = q[threadIdx.x] + 1;
    if (sync) __syncwarp();
    q[threadIdx.x] = threadIdx.x < 31 ? s[threadIdx.x + 1] : 0;
}
int main() {
    int *q;
    CK(cudaMalloc(&q, 256)), CK(cudaMemset(q, 0, 256));
    between<true><<<1, 64>>>(q), inside<true><<<1, 32>>>(q);
    CK(cudaDeviceSynchronize());
    between<false><<<1, 64>>>(q), inside<false><<<1, 32>>>(q);
    CK(cudaDeviceSynchronize());
    puts("done");
}
