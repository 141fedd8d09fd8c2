// An exchange whose old value is used reads memory that nothing has written.
// sim only
// expect: done
// finding: uninit
// stderr: find_exchange_old.cu:10: thread 0 of block 0 of swap updates atomically memory
#include "common.h"
__global__ void swap(int *o) {
    __shared__ int last;
    if (threadIdx.x == 0)
        o[0] = atomicExch(&last, 1);
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 4));
    swap<<<1, 32>>>(d);
    CK(cudaDeviceSynchronize());
    puts("done");
}
