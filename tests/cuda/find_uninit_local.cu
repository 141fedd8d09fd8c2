// Reads of a local array where nothing was written, also by a function that is called again.
// sim only
// expect: done
// finding: uninit
// stderr: find_uninit_local.cu:10: thread 4 of block 0 of part reads memory that nothing has written: byte 16 of local memory (28)
// stderr: find_uninit_local.cu:16: thread 0 of block 0 of twice reads memory that nothing has written: byte
#include "common.h"
__global__ void part(const int *i, int *o, int n) {
    int a[32]; for (int k = 0; k < n; k++) a[k] = k;
    o[threadIdx.x] = a[i[threadIdx.x]];
}
__device__ __noinline__ int keeps(const int *i, int n) {
    int a[8];
    if (n) for (int k = 0; k < 8; k++) a[i[k]] = n;

    return a[i[3]] + 1;
}
__global__ void twice(const int *i, int *o) { o[threadIdx.x] = keeps(i, 4) + keeps(i, 0); }
__global__ void whole(const int *i, int *o) {
    char a[33]; for (int k = 0; k < 33; k++) a[k] = (char)(k * 3);
    o[threadIdx.x] = a[i[threadIdx.x]] + a[32 - i[threadIdx.x]];
}
int main() {
    int h[32], *i, *o;
    for (int k = 0; k < 32; k++) h[k] = k;
    CK(cudaMalloc(&i, 128)), CK(cudaMalloc(&o, 128)), CK(cudaMemcpy(i, h, 128, cudaMemcpyHostToDevice));
    part<<<1, 32>>>(i, o, 32), whole<<<1, 32>>>(i, o);
    CK(cudaDeviceSynchronize());
    part<<<1, 32>>>(i, o, 4), twice<<<1, 32>>>(i, o);
    CK(cudaDeviceSynchronize());
    puts("done");
}
