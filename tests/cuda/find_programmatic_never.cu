// A kernel launched programmatically that never waits for the one before it: all that it accesses races with that.
// sim only
// arch: sm_90
// std: c++17
// finding: race
// stderr: kernel first in the default stream (reads, line 12) and kernel second in the default stream (writes, line 15) meet in the same bytes (from byte 0 of an allocation on), and the second, launched programmatically, has not waited for the first; call cudaGridDependencySynchronize() before
// expect: 0
#include <cstdio>
#include <cstdint>
__global__ void first(const uint8_t *p, int *q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = p[i];
}
__global__ void second(uint8_t *p) {
    p[threadIdx.x] = 7;
}
int main() {
    uint8_t *p;
    int *q;
    cudaMalloc(&p, 256), cudaMalloc(&q, 1024);
    cudaMemset(p, 0, 256);
    cudaLaunchAttribute a[1];
    cudaLaunchConfig_t c = {};
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = dim3(1), c.blockDim = dim3(256), c.attrs = a, c.numAttrs = 1;
    first<<<1, 256>>>(p, q);
    cudaLaunchKernelEx(&c, second, p);
    printf("%d\n", cudaDeviceSynchronize());
    cudaFree(p), cudaFree(q);
}
