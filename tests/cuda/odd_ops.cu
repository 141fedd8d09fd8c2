// Instructions that compilers write rarely: packed halves, a ballot in the other order, moves and selections of single types, exit, wide fences.
// arch: sm_80
// expect: halves 4.5 2.5 -1.5 7
// expect: packed 4.5 -6 : 2.5 3.5 : 6 -1.25
// expect: ballot 55555555
// expect: moves 8191 -5
// expect: selected 2.5 -7
// expect: local 42
// expect: left 16
#include "common.h"
#include <cuda_fp16.h>
__global__ void half_ops(float *out) {
    unsigned short a = __half_as_ushort(__float2half(3.5f)), b = __half_as_ushort(__float2half(1.0f)), r;
    asm volatile("add.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); out[0] = __half2float(__ushort_as_half(r));
    asm volatile("sub.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b)); out[1] = __half2float(__ushort_as_half(r));
    asm volatile("neg.f16 %0, %1;" : "=h"(r) : "h"(__half_as_ushort(__float2half(1.5f)))); out[2] = __half2float(__ushort_as_half(r));
    asm volatile("mul.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(__half_as_ushort(__float2half(2.0f)))); out[3] = __half2float(__ushort_as_half(r));
    unsigned p, x = a | (unsigned)__half_as_ushort(__float2half(-2.5f)) << 16, y = b | (unsigned)__half_as_ushort(__float2half(-3.5f)) << 16;
    auto put = [&](int at) {
        out[at] = __half2float(__ushort_as_half(p & 0xffff)), out[at + 1] = __half2float(__ushort_as_half(p >> 16));
    };
    asm volatile("add.f16x2 %0, %1, %2;" : "=r"(p) : "r"(x), "r"(y)); put(4);
    unsigned z = b | (unsigned)__half_as_ushort(__float2half(-6.0f)) << 16; // 3.5 - 1, -2.5 + 6
    asm volatile("sub.f16x2 %0, %1, %2;" : "=r"(p) : "r"(x), "r"(z)); put(6);
    unsigned u = __half_as_ushort(__float2half(1.5f)) | (unsigned)__half_as_ushort(__float2half(0.5f)) << 16,
             v = __half_as_ushort(__float2half(4.0f)) | (unsigned)__half_as_ushort(__float2half(-2.5f)) << 16;
    asm volatile("mul.f16x2 %0, %1, %2;" : "=r"(p) : "r"(u), "r"(v)); put(8);
}
__global__ void others(int *out, float *f) {
    unsigned even, t = threadIdx.x;
    asm volatile("{.reg .pred p;\n setp.eq.u32 p, %1, 0;\n vote.ballot.sync.b32 %0, p, 0xffffffff;}" : "=r"(even) : "r"(t & 1));
    unsigned short h, g = 8191;
    int m, k = -5, s;
    float q;
    asm volatile("mov.b16 %0, %1;" : "=h"(h) : "h"(g));
    asm volatile("mov.s32 %0, %1;" : "=r"(m) : "r"(k));
    asm volatile("{.reg .pred p;\n setp.gt.s32 p, %1, 0;\n selp.f32 %0, %2, %3, p;}" : "=f"(q) : "r"(k), "f"(1.5f), "f"(2.5f));
    asm volatile("{.reg .pred p;\n setp.lt.s32 p, %1, 0;\n selp.s32 %0, %2, %3, p;}" : "=r"(s) : "r"(k), "r"(-7), "r"(9));
    asm volatile("fence.sc.cta;" ::: "memory");
    asm volatile("membar.sys;" ::: "memory");
    volatile int mine[4];
    for (int i = 0; i < 4; i++) mine[i] = 40 + i;
    int l;
    asm volatile("{.reg .u64 a;\n cvta.to.local.u64 a, %1;\n ld.local.s32 %0, [a];}" : "=r"(l) : "l"((const int *)&mine[2]) : "memory");
    if (t == 0) out[0] = even, out[1] = h, out[2] = m, out[3] = s, out[4] = l, f[10] = q;
    if (t & 1) asm volatile("exit;");
    atomicAdd(&out[5], 1);
}
int main() {
    float *f, hf[11];
    int *d, h[6];
    CK(cudaMalloc(&f, 64)), CK(cudaMalloc(&d, 64)), CK(cudaMemset(d, 0, 64));
    half_ops<<<1, 1>>>(f), others<<<1, 32>>>(d, f);
    CK(cudaMemcpy(hf, f, 44, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(h, d, 24, cudaMemcpyDeviceToHost));
    printf("halves %g %g %g %g\n", hf[0], hf[1], hf[2], hf[3]);
    printf("packed %g %g : %g %g : %g %g\n", hf[4], hf[5], hf[6], hf[7], hf[8], hf[9]);
    printf("ballot %x\nmoves %d %d\nselected %g %d\nlocal %d\nleft %d\n", h[0], h[1], h[2], hf[10], h[3], h[4], h[5]);
    CK(cudaFree(f)), CK(cudaFree(d));
}
