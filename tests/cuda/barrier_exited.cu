// Since compute capability 7.0 a barrier waits for the threads of the block that have not exited (Volta Tuning Guide, "Independent Thread
// Scheduling"): those who return early, and whole warps that never come, leave it right.
// fast
// expect: 40 of 64 threads: 0 wrong
// expect: 64 of 64 threads: 0 wrong
// expect: 33 of 64 threads: 0 wrong
// expect: only the first warp: 0 wrong
#include "common.h"
__global__ void reverse(int *a, int n) {
    __shared__ int part[64];
    int t = threadIdx.x;
    if (t >= n) return;
    part[t] = a[t];
    __syncthreads();
    a[t] = part[n - 1 - t];
}
__global__ void left(int *a) {
    __shared__ int part[32];
    if (threadIdx.x < 32) {
        part[threadIdx.x] = threadIdx.x;
        __syncthreads();
        a[threadIdx.x] = part[31 - threadIdx.x];
    }
}
int main() {
    int *a, h[64], sizes[] = {40, 64, 33};
    CK(cudaMalloc(&a, sizeof h));
    for (int n : sizes) {
        for (int i = 0; i < 64; i++) h[i] = i;
        CK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
        reverse<<<1, 64>>>(a, n);
        CK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (int i = 0; i < 64; i++) wrong += h[i] != (i < n ? n - 1 - i : i);
        printf("%d of 64 threads: %d wrong\n", n, wrong);
    }
    left<<<1, 64>>>(a);
    CK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 32; i++) wrong += h[i] != 31 - i;
    printf("only the first warp: %d wrong\n", wrong);
}
