// Sparsity metadata that names one place of a chunk twice (PTX ISA 9.7.15.6.1: undefined) ends the launch.
// arch: sm_90a
// sim only
// expect: cudaErrorLaunchFailure
// finding: barrier
// stderr: has sparsity metadata that names one of four places twice
#include "common.h"
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
#define ONLY(...) __VA_ARGS__
#else
#define ONLY(...)
#endif
__global__ void twice(unsigned *to, unsigned meta) {
    __shared__ alignas(1024) unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += 128) s[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    unsigned d[4] = {}, at = (unsigned)__cvta_generic_to_shared(s);
    unsigned long long b = (at & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32;
    ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\nwgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0,%1,%2,%3}, {%5,%5,%5,%5}, %4, %6, 0, p, 1, 1, 0;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(b), "r"(0), "r"(meta) : "memory");)
    to[threadIdx.x] = d[0];
}
int main() {
    unsigned *to;
    CK(cudaMalloc(&to, 512));
    twice<<<1, 128>>>(to, 0x4e4e4e4e);
    CK(cudaDeviceSynchronize());
    twice<<<1, 128>>>(to, 0x4e4e5e4e);
    NAME(cudaDeviceSynchronize());
}
