// Instructions of different units side by side: what a load, store, shuffle or special function takes from the arithmetic beside it, and how long each takes alone. Machine code decides what
// is read from which bank, so its time here is held against the model's replay of the same machine code, not against a formula.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 tests/truth/mix.cu -o mix && ./mix        h200.mix.txt is what one H200 printed
//
//   NAME c c c c     cycles of a round for each scheduler, with 1, 2, 4 and 8 warps on each: the time of 2n rounds less that of n, by events
//
// y holds zeros; b, c and k are constants that the compiler does not know.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
typedef unsigned u;
#define KERNEL(name, unroll, body)                                                                                                                                   \
    extern "C" __global__ void __launch_bounds__(1024) name(float *y, int n, int rounds, u k) {                                                                      \
        __shared__ __align__(16) float s[4096];                                                                                                                      \
        u lane = threadIdx.x & 31, own = (u)__cvta_generic_to_shared(s) + lane * 16, own8 = own - lane * 8, own4 = own - lane * 12, same = (u)__cvta_generic_to_shared(s) + (threadIdx.x >> 5) * 16;                \
        float b = y[0] + 1, c = y[1], a[8];                                                                                                                          \
        u x[8];                                                                                                                                                      \
        double d[4], e = b;                                                                                                                                          \
        const float *g = y + 1024 + lane * 4;                                                                                                                        \
        for (int i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;                                                                                               \
        _Pragma("unroll") for (int i = 0; i < 8; i++) a[i] = y[i + lane], x[i] = k + i + lane;                                                                                     \
        _Pragma("unroll") for (int i = 0; i < 4; i++) d[i] = y[i + lane];                                                                                                   \
        __syncthreads();                                                                                                                                             \
        _Pragma("unroll 1") for (int i = 0; i < n * rounds; i++) {                                                                                                            \
            int q = 0;                                                                                                                                               \
            _Pragma("unroll") for (int j = 0; j < unroll; j++) { body }                                                                                              \
            (void)q;                                                                                                                                                 \
        }                                                                                                                                                            \
        float r = (float)(d[0] + d[1] + d[2] + d[3] + e);                                                                                                            \
        _Pragma("unroll") for (int i = 0; i < 8; i++) r += a[i] + (float)x[i];                                                                                       \
        if (r == 12345.f) y[threadIdx.x] = r;                                                                                                                        \
    }
#define F  { a[q & 7] = a[q & 7] * b + c; q++; }
#define A  { a[q & 7] += b; q++; }
#define I  { a[q & 7] = a[q & 7] * 1.0009765625f + 0.f; q++; }
#define S  { x[q & 7] = __funnelshift_l(x[q & 7], k, 7); q++; }
#define M  { x[q & 7] = x[q & 7] * k + k; q++; }
#define L32 { float v; asm volatile("ld.volatile.shared.f32 %0,[%1];" : "=f"(v) : "r"(own4 + 128 * (q & 3))); a[q & 7] += v; q++; }
#define L64 { float v, w; asm volatile("ld.volatile.shared.v2.f32 {%0,%1},[%2];" : "=f"(v), "=f"(w) : "r"(own8 + 256 * (q & 3))); a[q & 7] += v; a[(q + 1) & 7] += w; q += 2; }
#define L128(at) { float v, w, p, o; asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v), "=f"(w), "=f"(p), "=f"(o) : "r"(at + 512 * (q / 4 & 3))); a[q & 7] += v; a[(q + 1) & 7] += w; a[(q + 2) & 7] += p; a[(q + 3) & 7] += o; q += 4; }
#define S32 { asm volatile("st.volatile.shared.f32 [%0],%1;" ::"r"(own4), "f"(b)); }
#define S128 { asm volatile("st.volatile.shared.v4.f32 [%0],{%1,%1,%1,%1};" ::"r"(own), "f"(b)); }
#define G32 { float v; asm volatile("ld.global.ca.f32 %0,[%1];" : "=f"(v) : "l"(g + 128 * (q & 3))); a[q & 7] += v; q++; }
#define G128 { float v, w, p, o; asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v), "=f"(w), "=f"(p), "=f"(o) : "l"(g + 512 * (q / 4 & 3))); a[q & 7] += v; a[(q + 1) & 7] += w; a[(q + 2) & 7] += p; a[(q + 3) & 7] += o; q += 4; }
#define H  { a[q & 7] += __shfl_xor_sync(~0u, a[q & 7], 1); q++; }
#define E2 { asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(a[q & 7])); q++; }
#define CV { float v; asm volatile("{.reg .u64 t; mov.b64 t,{%1,%1}; cvt.rn.f32.u64 %0,t;}" : "=f"(v) : "r"(x[q & 7])); x[q & 7] = __float_as_uint(v); q++; }
#define FI { u v; asm volatile("cvt.rzi.u32.f32 %0,%1;" : "=r"(v) : "f"(a[q & 7])); a[q & 7] = __uint_as_float(v); q++; }
#define UF { float v; asm volatile("cvt.rn.f32.u32 %0,%1;" : "=f"(v) : "r"(x[q & 7])); x[q & 7] = __float_as_uint(v); q++; }
#define BF { float v; asm volatile("{.reg .u16 t, h; mov.b32 {t,h},%1; cvt.rn.f32.u16 %0,t;}" : "=f"(v) : "r"(x[q & 7])); x[q & 7] = __float_as_uint(v); q++; }
#define D  { d[q & 3] = d[q & 3] * e + e; q++; }
#define DA { d[q & 3] = d[q & 3] + e; q++; }
#define FD { u v, w; asm volatile("{.reg .f64 t; cvt.f64.f32 t,%2; mov.b64 {%0,%1},t;}" : "=r"(v), "=r"(w) : "f"(a[q & 7])); a[q & 7] = __uint_as_float(w); q++; }
#define R4(t) t t t t
#define R8(t) R4(t) R4(t)
#define R16(t) R8(t) R8(t)
#define LIST(K)                                                                                                                                                      \
    K(f8, 4, R8(F)) K(a8, 4, R8(A)) K(i8, 4, R8(I)) K(s8, 4, R8(S)) K(m8, 4, R8(M)) K(l32, 16, L32) K(l32_f4, 8, L32 R4(F)) K(l32_f8, 8, L32 R8(F)) K(l32_f16, 8, L32 R16(F))  \
    K(l32_a8, 8, L32 R8(A)) K(l32_i8, 8, L32 R8(I)) K(l32_s8, 8, L32 R8(S)) K(l32_m8, 8, L32 R8(M)) K(l64, 16, L64) K(l64_f8, 8, L64 R8(F)) K(l64_i8, 8, L64 R8(I))                                         \
    K(l128, 8, L128(own)) K(l128_f8, 8, L128(own) R8(F)) K(l128_f16, 8, L128(own) R16(F)) K(l128_i16, 8, L128(own) R16(I)) K(l128_s16, 8, L128(own) R16(S))          \
    K(l128s, 8, L128(same)) K(l128s_f8, 8, L128(same) R8(F)) K(l128s_f16, 8, L128(same) R16(F)) K(l128s_i16, 8, L128(same) R16(I)) K(l128s_a16, 8, L128(same) R16(A)) K(l128s_s16, 8, L128(same) R16(S))     \
    K(s32_f8, 8, S32 R8(F)) K(s32_i8, 8, S32 R8(I)) K(s128_f16, 8, S128 R16(F)) K(s128_i16, 8, S128 R16(I)) K(g32, 8, G32) K(g32_f8, 8, G32 R8(F)) K(g32_i8, 8, G32 R8(I)) K(g128, 8, G128) K(g128_i16, 8, G128 R16(I)) K(g128_s16, 8, G128 R16(S)) \
    K(h, 8, H) K(h_f8, 8, H R8(F)) K(h_i8, 8, H R8(I)) K(h_s8, 8, H R8(S)) K(e, 8, E2) K(e_f8, 8, E2 R8(F)) K(e_i8, 8, E2 R8(I)) K(e_s8, 8, E2 R8(S))                \
    K(cv, 8, CV) K(cv_s4, 8, CV R4(S)) K(fi, 8, FI) K(fi_s8, 8, FI R8(S)) K(fi_i8, 8, FI R8(I)) K(uf_s8, 8, UF R8(S)) K(bf, 8, BF) K(bf_s8, 8, BF R8(S)) K(bf_i8, 8, BF R8(I))        \
    K(ls_f4, 8, L32 L32 L32 L32 L128(same) R4(F)) K(ls_f8, 4, L32 L32 L32 L32 L128(same) R8(F)) K(ls_i8, 4, L32 L32 L32 L32 L128(same) R8(I)) K(d, 8, D) K(d_f4, 8, D R4(F)) K(d_i4, 8, D R4(I)) K(d_s2, 8, D S S) K(d_m4, 8, D R4(M)) K(da, 8, DA) K(da_i4, 8, DA R4(I)) K(d_e, 8, R4(D) E2) K(d_l, 8, R4(D) L32) K(fd, 8, FD) K(fd_i8, 8, FD R8(I))   \
    K(fi_e, 8, FI E2) K(bf_e, 8, BF E2) K(bf_s4, 8, BF R4(S)) K(bf_f4, 8, BF R4(F)) K(bf_h, 8, BF H) K(d_bf, 8, D D BF) K(fd_d, 8, FD D D) K(da_s4, 8, DA R4(S)) K(d_f8, 8, D R8(F)) K(d_a4, 8, D R4(A)) K(l32_e_f8, 8, L32 E2 R8(F)) K(l32_h, 8, L32 H) K(l32_g32, 8, L32 G32) K(l32_s32, 8, L32 S32)
LIST(KERNEL)

// A product by tiles: T outputs a thread, phases of a block that meet at barriers as in every textbook.
template <int T> __device__ void tiles(float *y, int n, int rounds, u k) {
    __shared__ __align__(16) float p[32][32], w[32][32];
    int t = threadIdx.x & 31, r = threadIdx.x >> 5;
    float a[T] = {}, v = y[k & 1];
    for (int i = 0; i < n * rounds; i++) {
        p[r][t] = v, w[r][t] = v;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 32; q++)
#pragma unroll
            for (int j = 0; j < T; j++) a[j] += p[(r + j * 8) & 31][q] * w[q][t];
        __syncthreads();
    }
    for (int j = 0; j < T; j++)
        if (a[j] == 12345.f) y[threadIdx.x] = a[j];
}
extern "C" __global__ void __launch_bounds__(1024) tiles1(float *y, int n, int rounds, u k) { tiles<1>(y, n, rounds, k); }
extern "C" __global__ void __launch_bounds__(1024) tiles2(float *y, int n, int rounds, u k) { tiles<2>(y, n, rounds, k); }
extern "C" __global__ void __launch_bounds__(1024) tiles4(float *y, int n, int rounds, u k) { tiles<4>(y, n, rounds, k); }
// The same where the tile comes from L2 each time.
extern "C" __global__ void __launch_bounds__(1024) fetched(float *y, int n, int rounds, u k) {
    __shared__ __align__(16) float p[32][32], w[32][32];
    int t = threadIdx.x & 31, r = threadIdx.x >> 5;
    float a = 0;
    const float *from = y + 4096 + (blockIdx.x * 1024 + threadIdx.x);
    for (int i = 0; i < n * rounds; i++) {
        p[r][t] = __ldcg(from + (i & 15) * 262144), w[r][t] = __ldcg(from + (i & 15) * 262144 + 131072 * 4 * 8);
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 32; q++) a += p[r][q] * w[q][t];
        __syncthreads();
    }
    if (a == 12345.f) y[threadIdx.x] = a;
}
#ifndef MIX_DEVICE
static const struct { const char *name; void (*f)(float *, int, int, u); int n; } kernels[] = {
#define ROW(name, unroll, body) {#name, name, unroll},
    LIST(ROW) {"tiles1", tiles1, 1}, {"tiles2", tiles2, 1}, {"tiles4", tiles4, 1}, {"fetched", fetched, 1}, {"fetched2", fetched, 1}};
int main() {
    enum { N = 1024, SMS = 132 };
    float *y;
    cudaMalloc(&y, 128 << 20);
    cudaMemset(y, 0, 128 << 20);
    cudaEvent_t e[2];
    cudaEventCreate(&e[0]), cudaEventCreate(&e[1]);
    int khz;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    for (auto &q : kernels) {
        printf("%s", q.name);
        for (int warps = 1; warps <= 8; warps *= 2) {
            double t[2];
            int few = strstr(q.name, "tiles") || strstr(q.name, "fetched") ? 128 : N;
            for (int k = 0; k < 2; k++) {
                float best = 1e30f, ms;
                for (int r = 0; r < 4; r++) {
                    cudaEventRecord(e[0]);
                    q.f<<<strcmp(q.name, "fetched2") ? SMS : 2 * SMS, 128 * warps>>>(y, few, 1 + k, 5);
                    cudaEventRecord(e[1]);
                    cudaEventSynchronize(e[1]);
                    cudaEventElapsedTime(&ms, e[0], e[1]);
                    best = std::min(best, ms);
                }
                t[k] = best;
            }
            printf(" %.2f", (t[1] - t[0]) * khz / few / q.n / warps);
        }
        printf("\n");
    }
    printf("%s at %d kHz\n", cudaGetErrorString(cudaGetLastError()), khz);
}
#endif
