// A program that a fault ended could free nothing: that is one line, after the fault, and what the calls behind the fault answer is no finding.
// sim only
// finding: oob
// stderr: finding: leak: 2 allocations of device memory (768 bytes) were not freed, because the program ended with a fault
// expect: 700 700
#include <cstdio>

__global__ void past(int *p) {
    p[threadIdx.x + 1000000] = 1;
}

int main() {
    int *p, *q;
    cudaMalloc(&p, 256);
    cudaMalloc(&q, 512);
    past<<<1, 32>>>(p);
    int e = cudaDeviceSynchronize();
    printf("%d %d\n", e, (int)cudaFree(p));
}
