// expect: 4560 1488
// One lane of each warp waits for the others, at a counter in shared memory with fences, and the rest of its warp at __syncwarp(): the PTX memory model orders
// what the warps stored before with what they load after (release pattern, acquire pattern, and barriers that carry both on). Nothing is a race.
#include <cstdio>

__device__ void meet(unsigned *arrived, unsigned all) {
    __syncwarp();
    if (threadIdx.x % 32 == 31) {
        __threadfence_block();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < all) {
        }
        __threadfence_block();
    }
    __syncwarp();
}

__global__ void rotate(int *out) {
    __shared__ int word[64];
    __shared__ unsigned arrived;
    int t = threadIdx.x, sum = 0;
    if (t == 0) arrived = 0;
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        word[t] = t * (round + 1);
        meet(&arrived, 2 * (2 * round + 1));
        sum += word[63 - t];
        meet(&arrived, 2 * (2 * round + 2));
    }
    out[t] = sum; // 3 * (63 - t)
}

int main() {
    int *d, h[64], low = 0, high = 0;
    cudaMalloc(&d, sizeof h);
    rotate<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++) *(t < 32 ? &low : &high) += h[t];
    printf("%d %d\n", low, high); // 3 * (32 + ... + 63), 3 * (0 + ... + 31)
    cudaFree(d);
    return 0;
}
