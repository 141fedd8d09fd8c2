// Past the end of a __managed__ array: found, named, and not the variable behind it.
// alone: the names of its variables are printed
// sim only
// expect: 0
// expect: cudaErrorIllegalAddress
// finding: oob
// stderr: find_oob_managed.cu:14: thread 31 of block 0 of fill writes 4 bytes out of bounds
// stderr: just past the end of table (124 bytes)
#include "common.h"
__managed__ int before, table[31], after;
__global__ void fill(int n) {
    int i = threadIdx.x;
    if (!i) before = after = 0;
    if (i < n) table[i] = i; // n is 32, there are 31
}
int main() {
    fill<<<1, 1>>>(31);
    CK(cudaDeviceSynchronize());
    printf("%d\n", table[0]);
    fill<<<1, 32>>>(32);
    NAME(cudaDeviceSynchronize());
}
