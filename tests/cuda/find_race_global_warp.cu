// Races in global memory within a warp, and with a reader of another warp who was not the last to read.
// sim only
// expect: done
// finding: race
// stderr: find_race_global_warp.cu:14: thread 1 of block 0 of one_place writes byte 0
// stderr: which thread 0 of the same warp writes at find_race_global_warp.cu:14: both in one statement: use atomicAdd or the like, or an element of its own for each thread
// stderr: find_race_global_warp.cu:19: thread 0 of block 0 of neighbour<false> reads byte 132
// stderr: which thread 1 of the same warp writes at find_race_global_warp.cu:17: a __syncwarp() is missing between them
// stderr: find_race_global_warp.cu:23: thread 33 of block 0 of read_first writes byte 256
// stderr: which thread 31 reads at find_race_global_warp.cu:22: a __syncthreads() is missing between them
// stderr: find_race_global_warp.cu:28: thread 0 of block 1 of blocks writes byte 260
// stderr: which thread 31 of block 0 reads at find_race_global_warp.cu:27
#include "common.h"
__global__ void one_place(int *q) { q[0] = threadIdx.x, q[1] = 5, atomicAdd(&q[2], 1); }
template <bool sync> __global__ void neighbour(int *q, int *r) {
    int i = threadIdx.x;
    q[i] = i * i;
    if (sync) __syncwarp();
    r[i] = q[(i + 1) % 32];
}
__global__ void read_first(int *q, int *r) {
    r[threadIdx.x] = q[0];
    if (threadIdx.x == 33) q[0] = 7;
}
__global__ void add_up(int *q) { for (int i = 0; i < 3; i++) q[threadIdx.x] += q[threadIdx.x + 32]; }
__global__ void blocks(int *q, int *r) {
    r[blockIdx.x * 32 + threadIdx.x] = q[1];
    if (blockIdx.x == 1 && threadIdx.x == 0) q[1] = 7;
}
int main() {
    int *q;
    CK(cudaMalloc(&q, 4096)), CK(cudaMemset(q, 0, 4096));
    neighbour<true><<<1, 32>>>(q + 32, q + 512), add_up<<<1, 32>>>(q + 256);
    CK(cudaDeviceSynchronize());
    one_place<<<1, 32>>>(q), CK(cudaMemset(q + 32, 0, 128)), neighbour<false><<<1, 32>>>(q + 32, q + 512);
    read_first<<<1, 64>>>(q + 64, q + 600), blocks<<<2, 32>>>(q + 64, q + 700);
    CK(cudaDeviceSynchronize());
    puts("done");
}
