// Reads of global and shared memory that nothing has written; what was written may be read.
// sim only
// expect: done
// finding: uninit
// stderr: find_uninit.cu:11: thread 16 of block 0 of half_filled reads memory that nothing has written
// stderr: find_uninit.cu:16: thread 30 of block 0 of neighbour reads memory that nothing has written: byte 124 of shared memory
// stderr: (16)
#include "common.h"
__global__ void half_filled(const int *p, int *q) {
    int i = threadIdx.x;
    q[i] = p[i] + 1;
}
__global__ void neighbour(int *q) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x, __syncwarp();
    q[threadIdx.x] = s[threadIdx.x + 1];
}
int main() {
    int *a, *q;
    CK(cudaMalloc(&a, 128)), CK(cudaMalloc(&q, 128)), CK(cudaMemset(a, 0, 64));
    half_filled<<<1, 16>>>(a, q);
    half_filled<<<1, 32>>>(a, q);
    neighbour<<<1, 31>>>(q);
    neighbour<<<1, 32>>>(q);
    CK(cudaDeviceSynchronize());
    puts("done");
}
