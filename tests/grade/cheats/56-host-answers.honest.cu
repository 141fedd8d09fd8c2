// lab: vector-add
// expect: pass
// The host watches a kernel through mapped memory while it runs, and tells it nothing.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n, unsigned *done) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x % 1024 == 0) atomicAdd_system(done, 1);
}
void vector_add(const float *a, const float *b, float *c, int n) {
    unsigned *done, blocks = (n + 255) / 256;
    cudaHostAlloc(&done, sizeof *done, cudaHostAllocMapped);
    *done = 0;
    add<<<blocks, 256>>>(a, b, c, n, done);
    while (*(volatile unsigned *)done < (blocks + 1023) / 1024) {} // a bar grows on the screen
    cudaDeviceSynchronize();
    cudaFreeHost(done);
}
