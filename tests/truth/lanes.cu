// Tensor cores, branches that lanes of a warp take differently, calls, and units of single instructions, alone and side by side. As mix.cu, whose kernels these complete:
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -diag-suppress 177,550 tests/truth/lanes.cu -o lanes && ./lanes [NAME..]      h200.lanes.txt is what one H200 printed
//
//   NAME c c c c     cycles of a round for each scheduler, with 1, 2, 4 and 8 warps on each: the time of 2n rounds less that of n, by events
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
typedef unsigned u;
__device__ __noinline__ float called(float a, float b) {
    for (int i = 0; i < 4; i++) a = a * b + 1.5f;
    return a;
}
#define KERNEL(name, unroll, body)                                                                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024) name(float *y, int n, int rounds, u k) {                                                                      \
        __shared__ __align__(16) float s[4096];                                                                                                                      \
        u lane = threadIdx.x & 31, warp = threadIdx.x >> 5, base = (u)__cvta_generic_to_shared(s), own = base + lane * 16;                                                 \
        float b = y[0] + 1, c = y[1], a[8], f[4][4];                                                                                                                  \
        u x[8], h[4], g[2];                                                                                                                                          \
        double d[2], e = b;                                                                                                                                          \
        for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;                                                                                               \
        _Pragma("unroll") for (int i = 0; i < 8; i++) a[i] = y[i + lane], x[i] = k + i + lane;                                                                        \
        _Pragma("unroll") for (int i = 0; i < 4; i++) { h[i] = __float_as_uint(y[64 + i + lane]); for (int j = 0; j < 4; j++) f[i][j] = y[i + j + lane]; }                   \
        g[0] = h[0] + (u)y[3], g[1] = h[1] + (u)y[4], d[0] = y[0], d[1] = y[1];                                                                                        \
        __syncthreads();                                                                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n * rounds; i++) {                                                                                                            \
            int q = 0;                                                                                                                                               \
            _Pragma("unroll") for (int j = 0; j < unroll; j++) { body }                                                                                              \
            (void)q;                                                                                                                                                 \
        }                                                                                                                                                            \
        float r = (float)(d[0] + d[1] + e) + (float)(g[0] + g[1] + h[0] + h[1] + h[2] + h[3]);                                                                          \
        _Pragma("unroll") for (int i = 0; i < 8; i++) r += a[i] + (float)x[i];                                                                                       \
        _Pragma("unroll") for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) r += f[i][j];                                                                       \
        if (r == 12345.f) y[threadIdx.x] = r;                                                                                                                        \
    }
// products: of accumulators f[i]
#define HF(i) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[i][0]), "+f"(f[i][1]), "+f"(f[i][2]), "+f"(f[i][3]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1])); }
#define H8(i) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+f"(f[i][0]), "+f"(f[i][1]), "+f"(f[i][2]), "+f"(f[i][3]) : "r"(h[0]), "r"(h[1]), "r"(g[0])); }
#define HH(i) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};" : "+r"(x[2 * i]), "+r"(x[2 * i + 1]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1])); }
#define HB(i) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[i][0]), "+f"(f[i][1]), "+f"(f[i][2]), "+f"(f[i][3]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1])); }
#define HT(i) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+f"(f[i][0]), "+f"(f[i][1]), "+f"(f[i][2]), "+f"(f[i][3]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1])); }
#define HI(i) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" : "+r"(x[4 * (i)]), "+r"(x[4 * (i) + 1]), "+r"(x[4 * (i) + 2]), "+r"(x[4 * (i) + 3]) : "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]), "r"(g[0]), "r"(g[1])); }
#define HD(i) { asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(e)); }
#define LM4(o) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(h[0]), "=r"(h[1]), "=r"(h[2]), "=r"(h[3]) : "r"(own + 512 * (o))); }
#define LM2(o) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(g[0]), "=r"(g[1]) : "r"(own + 512 * (o))); }
#define LM1(o) { asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(g[0]) : "r"(own + 512 * (o))); }
#define LM4C { asm volatile("{.reg .b32 p; and.b32 p,%0,0; add.u32 p,p,%4; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[p];}" : "+r"(h[0]), "=r"(h[1]), "=r"(h[2]), "=r"(h[3]) : "r"(own)); }
#define LM4F { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(h[0]), "=r"(h[1]), "=r"(h[2]), "=r"(h[3]) : "r"(base + lane * 128)); }
#define LM4T { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(h[0]), "=r"(h[1]), "=r"(h[2]), "=r"(h[3]) : "r"(own)); }
#define MVC { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;" : "+r"(h[0])); }
#define MV(i) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;" : "+r"(x[i])); }
#define GL(i) { asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(h[i]) : "l"(y + 64 * i + lane)); }
#define SL(i) { asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(h[i]) : "r"(base + 128 * i + lane * 4)); }
#define HG(i) { asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;" : "=r"(g[i]) : "r"(h[i])); }
#define USE { f[0][0] += __uint_as_float(h[0]); f[1][0] += __uint_as_float(h[1]); f[2][0] += __uint_as_float(h[2]); f[3][0] += __uint_as_float(h[3]); }
#define H  { a[q & 7] += __shfl_xor_sync(~0u, a[q & 7], 1); q++; }
#define F  { a[q & 7] = a[q & 7] * b + c; q++; }
#define MF { a[0] += f[0][0]; f[0][1] += a[0]; }
// single instructions, eight independent
#define FM { a[q & 7] = fminf(a[q & 7], b); q++; }
#define FX { float lo = fminf(a[q & 7], a[(q + 1) & 7]), hi = fmaxf(a[q & 7], a[(q + 1) & 7]); a[q & 7] = lo; a[(q + 1) & 7] = hi; q++; }
#define IM { x[q & 7] = min((int)x[q & 7], (int)k); q++; }
#define IX { int lo = min((int)x[q & 7], (int)x[(q + 1) & 7]), hi = max((int)x[q & 7], (int)x[(q + 1) & 7]); x[q & 7] = lo; x[(q + 1) & 7] = hi; q++; }
#define FS { a[q & 7] = a[q & 7] > b ? c : a[q & 7]; q++; }
#define FP { asm volatile("{.reg .pred p; setp.gt.f32 p,%0,%1; @p add.f32 %0,%0,%1;}" : "+f"(a[q & 7]) : "f"(b)); q++; }
#define PR { x[q & 7] = __byte_perm(x[q & 7], k, 0x2143); q++; }
#define PC { x[q & 7] = __popc(x[q & 7]); q++; }
#define FL { x[q & 7] = __clz(x[q & 7]); q++; }
#define BR { x[q & 7] = __brev(x[q & 7]); q++; }
#define IF { asm volatile("cvt.rn.f32.s32 %0,%0;" : "+r"(x[q & 7])); q++; }
#define FH { asm volatile("{.reg .b16 l,m; cvt.rn.f16.f32 l,%1; mov.b32 %0,{l,l};}" : "=r"(x[q & 7]) : "f"(a[q & 7])); q++; }
#define F2H { asm volatile("cvt.rn.f16x2.f32 %0,%1,%1;" : "=r"(x[q & 7]) : "f"(a[q & 7])); q++; }
#define HF2 { asm volatile("{.reg .b16 l,m; mov.b32 {l,m},%1; cvt.f32.f16 %0,l;}" : "=f"(a[q & 7]) : "r"(x[q & 7])); q++; }
#define H2 { asm volatile("fma.rn.f16x2 %0,%0,%1,%1;" : "+r"(x[q & 7]) : "r"(k)); q++; }
#define HA { asm volatile("add.f16x2 %0,%0,%1;" : "+r"(x[q & 7]) : "r"(k)); q++; }
#define DP { asm volatile("dp4a.s32.s32 %0,%0,%1,%0;" : "+r"(x[q & 7]) : "r"(k)); q++; }
#define LG { asm volatile("lg2.approx.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define SI { asm volatile("sin.approx.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define SQ { asm volatile("sqrt.approx.ftz.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define RC { asm volatile("rcp.approx.ftz.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define FF { asm volatile("cvt.rmi.f32.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define FI { asm volatile("{.reg .s32 t; cvt.rzi.s32.f32 t,%0; mov.b32 %0,t;}" : "+f"(a[q & 7])); q++; }
#define DV { a[q & 7] = b / a[q & 7]; q++; }
#define SR { a[q & 7] = sqrtf(a[q & 7]); q++; }
#define EX { a[q & 7] = expf(a[q & 7]); q++; }
#define BA { u v = __ballot_sync(~0u, x[q & 7] & 1); x[(q + 1) & 7] += v; q++; }
#define AN { x[q & 7] += __any_sync(~0u, x[q & 7] == k); q++; }
#define RD { x[q & 7] = __reduce_add_sync(~0u, x[q & 7]); q++; }
#define W { __syncwarp(); }
#define IV { x[q & 7] = x[q & 7] / (k | 1) + k; q++; }
#define IR { x[q & 7] = x[q & 7] % (k | 1) + k; q++; }
#define WI { unsigned long long w = (unsigned long long)x[q & 7] * k + x[(q + 1) & 7]; x[q & 7] = (u)w; x[(q + 1) & 7] = (u)(w >> 32); q++; }
#define MH { x[q & 7] = __umulhi(x[q & 7], k); q++; }
#define R4(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define R8(...) R4(__VA_ARGS__) R4(__VA_ARGS__)
#define R16(...) R8(__VA_ARGS__) R8(__VA_ARGS__)
// branches. P: whether a lane goes there. NOPRED keeps a side a branch (an asm of several registers).
#define SIDE { _Pragma("unroll") for (int v = 0; v < 8; v++) a[v] = a[v] * b + c; asm volatile("" ::: "memory"); _Pragma("unroll") for (int v = 0; v < 8; v++) a[v] = a[v] * b + c; }
#define OTHER { _Pragma("unroll") for (int v = 0; v < 8; v++) a[v] = a[v] + b; asm volatile("" ::: "memory"); _Pragma("unroll") for (int v = 0; v < 8; v++) a[v] = a[v] + c; }
#define WHEN(p) { if (p) SIDE; }
#define EITHER(p) { if (p) SIDE else OTHER; }
#define STORES(p) { if (p) { asm volatile("st.volatile.shared.f32 [%0],%1;" ::"r"(own), "f"(b)); asm volatile("st.volatile.shared.f32 [%0],%1;" ::"r"(own + 4), "f"(b)); } a[0] += b; }
// a loop whose lanes leave after LEAST + (lane & spread) rounds
#define LEAVE(spread) { int m = 40 - (int)(lane & spread); _Pragma("unroll 1") for (int v = 0; v < m; v++) a[0] = a[0] * b + c; }
#define LEAVE8(spread) { int m = 40 - (int)(lane & spread); float z = a[0]; _Pragma("unroll 1") for (int v = 0; v < m; v++) { z = z * b + c; a[1] = a[1] * b + z; a[2] = a[2] * b + z; a[3] = a[3] * b + z; a[4] = a[4] * b + z; a[5] = a[5] * b + z; a[6] = a[6] * b + z; a[7] = a[7] * b + z; } a[0] = z; }
// the same by a value, as an escape: with a second condition
#define ESCAPE(spread) { int m = 40 - (int)(lane & spread), v = 0; float z = a[0]; while (v < 40 && z != (float)m) { z += b; v++; a[1] = a[1] * b + z; } a[0] = z * c; }
#define LIST(K)                                                                                                                                                      \
    K(hf1, 8, HF(0)) K(hf2, 4, HF(0) HF(1)) K(hf4, 4, HF(0) HF(1) HF(2) HF(3)) K(h81, 8, H8(0)) K(h82, 4, H8(0) H8(1)) K(h84, 4, H8(0) H8(1) H8(2) H8(3))                 \
    K(hh1, 8, HH(0)) K(hh2, 4, HH(0) HH(1)) K(hh4, 4, HH(0) HH(1) HH(2) HH(3)) K(hb1, 8, HB(0)) K(hb4, 4, HB(0) HB(1) HB(2) HB(3)) K(ht1, 8, HT(0)) K(ht2, 4, HT(0) HT(1)) K(ht4, 4, HT(0) HT(1) HT(2) HT(3)) \
    K(hi1, 8, HI(0)) K(hi2, 4, HI(0) HI(1)) K(hd1, 8, HD(0)) K(hf_use, 8, HF(0) MF) K(hf4_f8, 4, HF(0) HF(1) HF(2) HF(3) R8(F)) K(hf4_f16, 4, HF(0) HF(1) HF(2) HF(3) R16(F))             \
    K(lm4, 8, LM4(j & 7) USE) K(lm2, 8, LM2(j & 7) g[0] ^= g[1]; x[0] += g[0];) K(lm1, 8, LM1(j & 7) x[0] += g[0];) K(lm4c, 8, LM4C) K(lm4f, 8, LM4F USE) K(lm4t, 8, LM4T USE)                                          \
    K(lm_hf2, 8, LM4(j & 7) LM2(j + 1 & 7) HF(0) HF(1)) K(lm_hf4, 8, LM4(j & 7) LM2(j + 1 & 7) HF(0) HF(1) HF(2) HF(3))                                                          \
    K(mvc, 8, MVC) K(mv8, 4, MV(0) MV(1) MV(2) MV(3) MV(4) MV(5) MV(6) MV(7)) K(mv8_f8, 4, MV(0) MV(1) MV(2) MV(3) MV(4) MV(5) MV(6) MV(7) R8(F)) K(mv4_h, 4, MV(0) MV(1) MV(2) MV(3) H H H H)                       \
    K(gl_hf2, 4, GL(0) GL(1) GL(2) GL(3) HF(0) HF(1)) K(sl_hf2, 4, SL(0) SL(1) SL(2) SL(3) HF(0) HF(1)) K(sl_mv_hf2, 4, SL(0) SL(1) SL(2) SL(3) HG(0) HG(1) HF(0) HF(1)) \
    K(fm, 8, R8(FM)) K(fx, 8, R8(FX)) K(im, 8, R8(IM)) K(ix, 8, R8(IX)) K(fs, 8, R8(FS)) K(fp, 8, R8(FP)) K(fm_f8, 8, R8(FM) R8(F)) K(pr, 8, R8(PR)) K(pc, 8, R8(PC)) K(fl, 8, R8(FL)) K(br, 8, R8(BR)) K(itof, 8, R8(IF))   \
    K(fh, 8, R8(FH)) K(f2h, 8, R8(F2H)) K(hf_, 8, R8(HF2)) K(h2, 8, R8(H2)) K(ha, 8, R8(HA)) K(h2_f8, 8, R8(H2) R8(F)) K(dp, 8, R8(DP)) K(lg, 8, R8(LG)) K(si, 8, R8(SI)) K(sq, 8, R8(SQ)) K(rc, 8, R8(RC)) K(ff, 8, R8(FF)) K(ftoi, 8, R8(FI))          \
    K(dv, 4, R8(DV)) K(sr, 4, R8(SR)) K(ex, 8, R8(EX)) K(ba, 8, R8(BA)) K(an, 8, R8(AN)) K(rd, 8, R8(RD)) K(sw, 8, R8(W)) K(iv, 2, R8(IV)) K(ir, 2, R8(IR)) K(wi, 8, R8(WI)) K(mh, 8, R8(MH))            \
    K(when_none, 8, WHEN(x[0] + i == 0x7fffffff)) K(when_all, 8, WHEN(x[0] + i != 0x7fffffff)) K(when_half, 8, WHEN(x[0] + i & 1)) K(when_one, 8, WHEN((x[0] + i & 31) == 3))                    \
    K(either_all, 8, EITHER(x[0] + i != 0x7fffffff)) K(either_half, 8, EITHER(x[0] + i & 1)) K(stores_none, 8, STORES(x[0] + i == 0x7fffffff)) K(stores_all, 8, STORES(x[0] + i != 0x7fffffff)) K(stores_half, 8, STORES(x[0] + i & 1))               \
    K(leave0, 1, LEAVE(0)) K(leave1, 1, LEAVE(1)) K(leave3, 1, LEAVE(3)) K(leave7, 1, LEAVE(7)) K(leave31, 1, LEAVE(31)) K(leave8_0, 1, LEAVE8(0)) K(leave8_7, 1, LEAVE8(7)) K(leave8_31, 1, LEAVE8(31))          \
    K(escape0, 1, ESCAPE(0)) K(escape7, 1, ESCAPE(7)) K(escape31, 1, ESCAPE(31)) K(call_all, 4, a[j & 7] = called(a[j & 7], b);) K(call_half, 4, if (x[0] + i & 1) a[j & 7] = called(a[j & 7], b);) \
    K(div_zero, 4, a[j & 7] = a[j & 7] * 0.f / b;) K(div_some, 4, a[j & 7] = (lane ? b : 0.f * a[j & 7]) / (a[j & 7] + b);) K(sqrt_zero, 4, a[j & 7] = sqrtf(a[j & 7] * 0.f) ;) K(ddiv, 2, d[0] = b / (d[0] + 1.5);) K(dsqrt, 2, d[0] = sqrt(d[0] + 1.5);)
LIST(KERNEL)
static const struct { const char *name; void (*f)(float *, int, int, u); int n; } kernels[] = {
#define ROW(name, unroll, body) {#name, name, unroll},
    LIST(ROW)};
int main(int argc, char **argv) {
    enum { SMS = 132 };
    int N = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 1024, REPS = getenv("ROUNDS") ? 1 : 4;
    float *y;
    cudaMalloc(&y, 1 << 20);
    cudaMemset(y, 0, 1 << 20);
    cudaEvent_t e[2];
    cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    for (auto &q : kernels) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= !strcmp(argv[k], q.name);
        if (!wanted) continue;
        printf("%s", q.name);
        for (int warps = 1; warps <= 8; warps *= 2) {
            double t[2];
            for (int k = 0; k < 2; k++) {
                float best = 1e30f, ms;
                for (int r = 0; r < REPS; r++) {
                    cudaEventRecord(e[0]);
                    q.f<<<SMS, 128 * warps>>>(y, N, 1 + k, 5);
                    cudaEventRecord(e[1]);
                    cudaEventSynchronize(e[1]);
                    cudaEventElapsedTime(&ms, e[0], e[1]);
                    best = std::min(best, ms);
                }
                t[k] = best;
            }
            printf(" %.2f", (t[1] - t[0]) * khz / N / q.n / warps);
        }
        printf("\n");
        fflush(stdout);
    }
    printf("%s at %d kHz\n", cudaGetErrorString(cudaGetLastError()), khz);
}
