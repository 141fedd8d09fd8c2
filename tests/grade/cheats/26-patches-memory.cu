// lab: vector-add
// expect: fail correct
// Writes through /proc/self/mem over the code of the runtime library, so that every launch succeeds without being made.
#include <cstdio>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    static const unsigned char succeed[] = {0x31, 0xc0, 0xc3}; // xor eax, eax; ret
    int mem = open("/proc/self/mem", O_RDWR);
    void *const calls[] = {(void *)(cudaError_t(*)(const void *, dim3, dim3, void **, size_t, cudaStream_t))cudaLaunchKernel, (void *)cudaDeviceSynchronize};
    for (void *call : calls) printf("%d\n", (int)pwrite(mem, succeed, sizeof succeed, (off_t)call));
    close(mem);
    add<<<(n + 63) / 64, 64>>>(a, b, c, n);
    // In case the launch went another way, its arguments are wrong anyway.
    _exit(0);
}
