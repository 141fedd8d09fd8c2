// Clocks advance; a sleeping thread wakes.
// expect: 1 1 1
#include "common.h"
__global__ void k(int *o) {
    long long a = clock64(), t;
    unsigned long long g, h;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
#if __CUDA_ARCH__ >= 700
    __nanosleep(5000);
#endif
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(h));
    t = clock64();
    o[0] = t > a, o[1] = h >= g, o[2] = t - a < (1ll << 40);
}
int main() {
    int *d, h[3];
    CK(cudaMalloc(&d, sizeof h));
    k<<<1, 1>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost)), printf("%d %d %d\n", h[0], h[1], h[2]);
}
