// Blocks that read what another block has stored before its flag: the reader needs a fence, or an acquire, between the flag and the data. Of an atomic that counts blocks, the fence in front of it is enough.
// arch: sm_80
// sim only
// expect: done
// finding: race
// stderr: pass<0> reads byte 0
// stderr: pass<1> reads byte 0
// stderr: pass<2> reads byte 0
#include "common.h"
// The reader's fence, 0: none; 1: before the loop; 2: in the loop, before each look; 3: behind the loop; 4: in the loop, behind each look.
template <int way> __global__ void pass(int *data, volatile int *flag, int *to) {
    int from = blockIdx.x - 1;
    if (blockIdx.x % 2 == 0) {
        data[blockIdx.x * 32 + threadIdx.x] = 1;
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) flag[blockIdx.x] = 1;
        return;
    }
    if (way == 1) __threadfence();
    for (bool there = false; !there;) {
        if (way == 2) __threadfence();
        there = flag[from];
        if (way == 4) __threadfence();
    }
    if (way == 3) __threadfence();
    to[blockIdx.x * 32 + threadIdx.x] = data[from * 32 + threadIdx.x];
}
// As the sample threadFenceReduction has it: plain loads after a counter, all threads fence before it.
__global__ void last_block(const int *in, int *part, unsigned *count, int *to) {
    __shared__ bool last;
    int sum = __syncthreads_count(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) part[blockIdx.x] = sum;
    __threadfence();
    if (threadIdx.x == 0) last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int b = 0; b < gridDim.x; b++) *to += part[b];
}
int main() {
    int *data, *to, *flag;
    unsigned *count;
    CK(cudaMalloc(&data, 32768)), CK(cudaMalloc(&to, 32768)), CK(cudaMalloc(&flag, 4096)), CK(cudaMalloc(&count, 4));
    CK(cudaMemset(data, 0, 32768)), CK(cudaMemset(flag, 0, 4096)), CK(cudaMemset(to, 0, 32768)), CK(cudaMemset(count, 0, 4));
    pass<3><<<16, 32>>>(data, flag, to), CK(cudaMemset(flag, 0, 4096));
    pass<4><<<16, 32>>>(data, flag, to), CK(cudaMemset(flag, 0, 4096));
    last_block<<<64, 64>>>(data, data + 4096, count, to);
#ifndef RIGHT
    pass<0><<<16, 32>>>(data, flag, to), CK(cudaMemset(flag, 0, 4096));
    pass<1><<<16, 32>>>(data, flag, to), CK(cudaMemset(flag, 0, 4096));
    pass<2><<<16, 32>>>(data, flag, to);
#endif
    CK(cudaDeviceSynchronize());
    puts("done");
}
