// A barrier in a branch that part of the block takes, on a device from before Volta, and threads at two different barriers: warned of.
// sim only
// device: sim:g80
// expect: cudaErrorLaunchTimeout
// finding: barrier
// stderr: find_barrier.cu:10: thread 0 of block 0 of left waits at a barrier that 32 of the block's 64 threads never reach
// stderr: of half waits at barrier 0, which never opens: 32 of 64 threads have arrived, others wait at barrier 1
#include "common.h"
__global__ void left() {
    if (threadIdx.x < 32) __syncthreads();
}
__global__ void half(int *q) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 0;");
    else
        asm volatile("bar.sync 1, 96;");
    q[threadIdx.x] = 1;
}
int main() {
    int *q;
    CK(cudaMalloc(&q, 256));
    left<<<1, 64>>>();
    CK(cudaDeviceSynchronize());
    half<<<1, 64>>>(q);
    NAME(cudaDeviceSynchronize());
}
