// Two branches whose stores the compiler merges, which gives the result line 0: a line before it is told.
// sim only
// expect: done
// finding: oob
// stderr: find_merged_line.cu:9: thread 32
#include "common.h"
__global__ void halves(int *o) {
    if (threadIdx.x % 2 == 0)
        o[threadIdx.x] = 1;

    else
        o[threadIdx.x] = 0;
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 128));
    halves<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    puts("done");
}
