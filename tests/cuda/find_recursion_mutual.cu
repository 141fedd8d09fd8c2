// Recursion through another function: the stack that it takes is that of all calls; and a tree of calls through
// pointers that fits (find_recursion_pointer: recursion through one).
// sim only
// expect: cudaSuccess
// expect: cudaErrorIllegalAddress
// finding: stack
// stderr: of block 0 of mutual is
// stderr: overflows its stack: cudaLimitStackSize is 1,024 bytes, this call needs
#include "common.h"
typedef int function(int, int *);
__device__ function odd, even;
__device__ __noinline__ int even(int n, int *from) {
    int mine[24];
    for (int i = 0; i < 24; i++) mine[i] = n + from[i & 3];
    return n ? odd(n - 1, mine) + mine[n & 15] : mine[7];
}
__device__ __noinline__ int odd(int n, int *from) {
    int mine[24];
    for (int i = 0; i < 24; i++) mine[i] = n * from[i & 3];
    return n ? even(n - 1, mine) - mine[n & 15] : mine[3];
}
__device__ function *table[2] = {even, odd};
__device__ __noinline__ int leaf(int n, int *from) { return from[n & 3] + 1; }
__device__ function *leaves[1] = {leaf};
__global__ void mutual(int *o, int n) {
    int s[4] = {1, 2, 3, 4};
    o[threadIdx.x] = even(n, s);
}
__global__ void pointer(int *o, int n) {
    int s[4] = {1, 2, 3, 4};
    o[threadIdx.x] = table[n & 1](n, s);
}
__global__ void tree(int *o, int n) {
    int s[4] = {1, 2, 3, 4}, sum = 0;
    for (int i = 0; i < n; i++) sum += leaves[0](i, s) + (i % 2 ? table[0](1, s) : table[1](1, s));
    o[threadIdx.x] = sum;
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 128));
    tree<<<1, 32>>>(d, 100), mutual<<<1, 32>>>(d, 2), pointer<<<1, 32>>>(d, 3);
    NAME(cudaDeviceSynchronize());
    mutual<<<1, 32>>>(d, 50);
    NAME(cudaDeviceSynchronize());
}
