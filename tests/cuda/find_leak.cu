// Memory that is never freed is told at the end; what is freed, also by stream order, is not.
// sim only
// expect: done
// stderr: finding: leak: 4,096 bytes of device memory
#include "common.h"
int main() {
    void *a, *b, *c, *d;
    CK(cudaMalloc(&a, 1000)), CK(cudaMallocAsync(&b, 2000, 0)), CK(cudaHostAlloc(&c, 3000, 0)), CK(cudaMalloc(&d, 4096));
    CK(cudaFree(a)), CK(cudaFreeAsync(b, 0)), CK(cudaFreeHost(c));
    puts("done");
}
