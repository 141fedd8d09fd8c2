// Races in managed memory, variables and allocations, between blocks; the atomics beside them are none.
// alone: the names of its variables are printed
// sim only
// expect: 4
// finding: race
// stderr: find_race_managed.cu:12: thread 0 of block
// stderr: byte 0 of total (4 bytes)
// stderr: find_race_managed.cu:13: thread 0 of block
#include "common.h"
__managed__ int total, right;
__global__ void bump(int *p) {
    total = total + 1;
    *p = *p + 1;
    atomicAdd(&right, 1);
}
int main() {
    int *p;
    CK(cudaMallocManaged(&p, 4));
    *p = 0;
    bump<<<4, 1>>>(p);
    CK(cudaDeviceSynchronize());
    printf("%d\n", right);
    CK(cudaFree(p));
}
