// wgmma, dense and sparse, of tiles that bulk copies bring and nobody has waited for, or threads write without a fence.proxy.async; right ones beside them.
// arch: sm_90a
// sim only
// expect: done
// finding: race
// stderr: of product<0, 0> reads byte 896 of shared memory, which thread 0 writes at find_wgmma_race.cu:24: the copy is under way until its mbarrier's phase has been waited for
// stderr: which thread 0 writes at find_wgmma_race.cu:25: the copy is under way until its mbarrier's phase has been waited for
// stderr: of product<0, 1> reads byte
// stderr: of written<false> reads
// stderr: a fence.proxy.async is missing between the write and the wgmma that reads it
#include "tma.h"
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
#define ONLY(...) __VA_ARGS__
#else
#define ONLY(...)
#endif
// A and B (64 x 16 and 16 x 8 halves, no swizzle) come by bulk copies.
template <int how, int sparse> __global__ void product(const unsigned *from, unsigned *to) {
    __shared__ alignas(128) unsigned a[512], b[128];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof a + sizeof b);
        bulk_load(AT(a), from, sizeof a, AT(&bar));
        bulk_load(AT(b), from + 512, sizeof b, AT(&bar));
    }
    __syncthreads();
    if (how == 1) bar_wait(AT(&bar), 0);
    unsigned d[4] = {};
    unsigned long long da = (AT(a) & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32, db = (AT(b) & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32;
    if (!sparse) {
        ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\nwgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da), "l"(db) : "memory");)
    } else {
        ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\nwgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, %6, 0, p, 1, 1, 0, 0;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da), "l"(db), "r"(0x44444444) : "memory");)
    }
    to[threadIdx.x] = d[0];
}
template <bool fence> __global__ void written(unsigned *to) {
    __shared__ alignas(128) unsigned a[512], b[64];
    for (int i = threadIdx.x; i < 512; i += 128) a[i] = 0;
    if (threadIdx.x < 64) b[threadIdx.x] = 0;
    if (fence) proxy_fence();
    __syncthreads();
    unsigned d[4] = {};
    unsigned long long da = (AT(a) & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32, db = (AT(b) & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32;
    ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\nwgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(da), "l"(db) : "memory");)
    to[threadIdx.x] = d[0];
}
int main() {
    unsigned *from, *to;
    CK(cudaMalloc(&from, 4096)), CK(cudaMalloc(&to, 512)), CK(cudaMemset(from, 0, 4096));
    written<true><<<1, 128>>>(to), product<1, 0><<<1, 128>>>(from, to), product<1, 1><<<1, 128>>>(from, to);
    CK(cudaDeviceSynchronize());
    written<false><<<1, 128>>>(to), product<0, 0><<<1, 128>>>(from, to), product<0, 1><<<1, 128>>>(from, to);
    CK(cudaDeviceSynchronize());
    puts("done");
}
