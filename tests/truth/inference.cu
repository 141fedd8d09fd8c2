// Blind set 4: pieces of transformers and tensor-core code. 16 groups, 40 variants.
#include "programs.h"
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;

// ---------------------------------------------------------------- small helpers
__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
// eight halves of a uint4 as floats
__device__ __forceinline__ void unpack8(uint4 u, float *f) {
    const __half2 *h = reinterpret_cast<const __half2 *>(&u);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 t = __half22float2(h[i]);
        f[2 * i] = t.x;
        f[2 * i + 1] = t.y;
    }
}
__device__ __forceinline__ uint4 pack8(const float *f) {
    uint4 u;
    __half2 *h = reinterpret_cast<__half2 *>(&u);
#pragma unroll
    for (int i = 0; i < 4; i++) h[i] = __floats2half2_rn(f[2 * i], f[2 * i + 1]);
    return u;
}
__device__ __forceinline__ void cp16(void *s, const void *g) {
    unsigned a = (unsigned)__cvta_generic_to_shared(s);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(a), "l"(g) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}
__device__ __forceinline__ void ldsm4(unsigned *r, const void *p) {
    unsigned a = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a)
                 : "memory");
}
__device__ __forceinline__ void ldsm4t(unsigned *r, const void *p) {
    unsigned a = (unsigned)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a)
                 : "memory");
}
__device__ __forceinline__ void mma16816(float *c, const unsigned *a, unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma16832_s8(int *c, const unsigned *a, unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---------------------------------------------------------------- 1. softmax over rows (float)
constexpr int SM_R = 1024, SM_C = 1536;
__global__ void softmax_3pass(const float *x, float *y, int C) { // 128 threads a row
    __shared__ float red[128];
    const float *r = x + (size_t)blockIdx.x * C;
    float m = -INFINITY;
    for (int i = threadIdx.x; i < C; i += blockDim.x) m = fmaxf(m, r[i]);
    red[threadIdx.x] = m;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < C; i += blockDim.x) sum += expf(r[i] - m);
    red[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) red[threadIdx.x] += red[threadIdx.x + s];
        __syncthreads();
    }
    sum = red[0];
    for (int i = threadIdx.x; i < C; i += blockDim.x)
        y[(size_t)blockIdx.x * C + i] = expf(r[i] - m) / sum;
}
__global__ void softmax_online(const float *x, float *y, int C) { // 128 threads a row
    __shared__ float sm[4], ss[4];
    const float *r = x + (size_t)blockIdx.x * C;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < C; i += 128) {
        float v = r[i], n = fmaxf(m, v);
        s = s * __expf(m - n) + __expf(v - n);
        m = n;
    }
    for (int o = 16; o; o >>= 1) {
        float m2 = __shfl_xor_sync(~0u, m, o), s2 = __shfl_xor_sync(~0u, s, o);
        float n = fmaxf(m, m2);
        s = s * __expf(m - n) + s2 * __expf(m2 - n);
        m = n;
    }
    if (threadIdx.x % 32 == 0) sm[threadIdx.x / 32] = m, ss[threadIdx.x / 32] = s;
    __syncthreads();
    m = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3]));
    s = 0;
    for (int k = 0; k < 4; k++) s += ss[k] * __expf(sm[k] - m);
    float inv = 1.f / s;
    for (int i = threadIdx.x; i < C; i += 128)
        y[(size_t)blockIdx.x * C + i] = __expf(r[i] - m) * inv;
}
__global__ void softmax_warp(const float4 *x, float4 *y) { // a warp a row, held in registers
    constexpr int V = SM_C / 128;
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4 *r = x + (size_t)row * (SM_C / 4);
    float4 v[V];
    float m = -INFINITY;
#pragma unroll
    for (int i = 0; i < V; i++) {
        v[i] = r[lane + 32 * i];
        m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    m = warp_max(m);
    float s = 0;
#pragma unroll
    for (int i = 0; i < V; i++) {
        v[i].x = __expf(v[i].x - m);
        v[i].y = __expf(v[i].y - m);
        v[i].z = __expf(v[i].z - m);
        v[i].w = __expf(v[i].w - m);
        s += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    float inv = 1.f / warp_sum(s);
#pragma unroll
    for (int i = 0; i < V; i++)
        y[(size_t)row * (SM_C / 4) + lane + 32 * i] =
            make_float4(v[i].x * inv, v[i].y * inv, v[i].z * inv, v[i].w * inv);
}

// ---------------------------------------------------------------- 2. residual add + layer norm
constexpr int LN_T = 1024, LN_C = 2048;
__global__ void ln_tree(const __half *x, const __half *res, const float *g, const float *b,
                        __half *y, int C) { // 128 threads a row, reads three times
    __shared__ float red[128];
    const __half *xr = x + (size_t)blockIdx.x * C, *rr = res + (size_t)blockIdx.x * C;
    int t = threadIdx.x;
    float s = 0;
    for (int i = t; i < C; i += 128) s += __half2float(xr[i]) + __half2float(rr[i]);
    red[t] = s;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) red[t] += red[t + k];
        __syncthreads();
    }
    float mean = red[0] / C;
    __syncthreads();
    s = 0;
    for (int i = t; i < C; i += 128) {
        float d = __half2float(xr[i]) + __half2float(rr[i]) - mean;
        s += d * d;
    }
    red[t] = s;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) red[t] += red[t + k];
        __syncthreads();
    }
    float rstd = rsqrtf(red[0] / C + 1e-5f);
    for (int i = t; i < C; i += 128) {
        float d = __half2float(xr[i]) + __half2float(rr[i]) - mean;
        y[(size_t)blockIdx.x * C + i] = __float2half(d * rstd * g[i] + b[i]);
    }
}
__global__ void ln_vec(const uint4 *x, const uint4 *res, const float4 *g, const float4 *b,
                       uint4 *y) { // 256 threads a row, 8 elements each in registers
    __shared__ float red[2][8];
    int t = threadIdx.x;
    size_t at = (size_t)blockIdx.x * (LN_C / 8) + t;
    float v[8], w[8];
    unpack8(x[at], v);
    unpack8(res[at], w);
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] += w[i];
        s += v[i];
    }
    s = warp_sum(s);
    if (t % 32 == 0) red[0][t / 32] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) s += red[0][i];
    float mean = s / LN_C, q = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] -= mean;
        q += v[i] * v[i];
    }
    q = warp_sum(q);
    if (t % 32 == 0) red[1][t / 32] = q;
    __syncthreads();
    q = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) q += red[1][i];
    float rstd = rsqrtf(q / LN_C + 1e-5f);
    float4 g0 = g[2 * t], g1 = g[2 * t + 1], b0 = b[2 * t], b1 = b[2 * t + 1];
    v[0] = v[0] * rstd * g0.x + b0.x;
    v[1] = v[1] * rstd * g0.y + b0.y;
    v[2] = v[2] * rstd * g0.z + b0.z;
    v[3] = v[3] * rstd * g0.w + b0.w;
    v[4] = v[4] * rstd * g1.x + b1.x;
    v[5] = v[5] * rstd * g1.y + b1.y;
    v[6] = v[6] * rstd * g1.z + b1.z;
    v[7] = v[7] * rstd * g1.w + b1.w;
    y[at] = pack8(v);
}
__global__ void ln_warp(const uint4 *x, const uint4 *res, const float4 *g, const float4 *b,
                        uint4 *y) { // a warp a row, sum and sum of squares, then reads again
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t base = (size_t)row * (LN_C / 8);
    float s = 0, q = 0;
    for (int c = lane; c < LN_C / 8; c += 32) {
        float v[8], w[8];
        unpack8(x[base + c], v);
        unpack8(res[base + c], w);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float a = v[i] + w[i];
            s += a;
            q += a * a;
        }
    }
    s = warp_sum(s);
    q = warp_sum(q);
    float mean = s / LN_C, rstd = rsqrtf(q / LN_C - mean * mean + 1e-5f);
    for (int c = lane; c < LN_C / 8; c += 32) {
        float v[8], w[8];
        unpack8(x[base + c], v);
        unpack8(res[base + c], w);
        float4 g0 = g[2 * c], g1 = g[2 * c + 1], b0 = b[2 * c], b1 = b[2 * c + 1];
        float gg[8] = {g0.x, g0.y, g0.z, g0.w, g1.x, g1.y, g1.z, g1.w};
        float bb[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
        for (int i = 0; i < 8; i++) v[i] = (v[i] + w[i] - mean) * rstd * gg[i] + bb[i];
        y[base + c] = pack8(v);
    }
}

// ---------------------------------------------------------------- 3. RMS norm + int8 quantisation
constexpr int RQ_T = 1024, RQ_C = 2048;
__global__ void rmsq_3pass(const __half *x, const __half *w, int8_t *q, float *scale, int C) {
    __shared__ float red[128];
    const __half *r = x + (size_t)blockIdx.x * C;
    int t = threadIdx.x;
    float s = 0;
    for (int i = t; i < C; i += 128) {
        float v = __half2float(r[i]);
        s += v * v;
    }
    red[t] = s;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) red[t] += red[t + k];
        __syncthreads();
    }
    float rs = rsqrtf(red[0] / C + 1e-6f), m = 0;
    __syncthreads();
    for (int i = t; i < C; i += 128)
        m = fmaxf(m, fabsf(__half2float(r[i]) * rs * __half2float(w[i])));
    red[t] = m;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) red[t] = fmaxf(red[t], red[t + k]);
        __syncthreads();
    }
    float sc = red[0] / 127.f;
    if (t == 0) scale[blockIdx.x] = sc;
    for (int i = t; i < C; i += 128) {
        float v = __half2float(r[i]) * rs * __half2float(w[i]);
        q[(size_t)blockIdx.x * C + i] = (int8_t)__float2int_rn(v / sc);
    }
}
__global__ void rmsq_vec(const uint4 *x, const uint4 *w, uint2 *q, float *scale) {
    __shared__ float red[2][8];
    int t = threadIdx.x; // 256 threads, 8 elements each
    size_t at = (size_t)blockIdx.x * (RQ_C / 8) + t;
    float v[8], g[8];
    unpack8(x[at], v);
    unpack8(w[t], g);
    float s = 0, m = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        s += v[i] * v[i];
        v[i] *= g[i];
        m = fmaxf(m, fabsf(v[i]));
    }
    s = warp_sum(s);
    m = warp_max(m);
    if (t % 32 == 0) red[0][t / 32] = s, red[1][t / 32] = m;
    __syncthreads();
    s = 0;
    m = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) s += red[0][i], m = fmaxf(m, red[1][i]);
    float rs = rsqrtf(s / RQ_C + 1e-6f), k = 127.f / m;
    if (t == 0) scale[blockIdx.x] = m * rs / 127.f;
    unsigned o[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < 8; i++)
        o[i / 4] |= (unsigned)(__float2int_rn(v[i] * k) & 255) << (8 * (i % 4));
    q[at] = make_uint2(o[0], o[1]);
}

// ---------------------------------------------------------------- 4. rotary embedding
constexpr int RP_T = 1024, RP_H = 16, RP_D = 128;
__global__ void rope_trig(const __half *x, __half *y, int n) { // a thread a pair, sincosf each
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = i % 64, th = i / 64, pos = th / RP_H;
    float inv = exp2f(-(float)d * (13.287712379549449f / 64.f)); // 10000^(-d/64)
    float s, c;
    sincosf((float)pos * inv, &s, &c);
    size_t at = (size_t)th * RP_D + d;
    float a = __half2float(x[at]), b = __half2float(x[at + 64]);
    y[at] = __float2half(a * c - b * s);
    y[at + 64] = __float2half(b * c + a * s);
}
__global__ void rope_table(const __half *x, __half *y, const float *cs, const float *sn, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = i % 64, th = i / 64, pos = th / RP_H;
    float c = cs[pos * 64 + d], s = sn[pos * 64 + d];
    size_t at = (size_t)th * RP_D + d;
    float a = __half2float(x[at]), b = __half2float(x[at + 64]);
    y[at] = __float2half(a * c - b * s);
    y[at + 64] = __float2half(b * c + a * s);
}
__global__ void rope_vec(const uint4 *x, uint4 *y, const float4 *cs, const float4 *sn) {
    int tok = blockIdx.x, h = threadIdx.x / 8, c8 = threadIdx.x % 8; // a block of 128 a token
    size_t at = ((size_t)tok * RP_H + h) * (RP_D / 8) + c8;
    float a[8], b[8], oa[8], ob[8];
    unpack8(x[at], a);
    unpack8(x[at + 8], b);
    float4 c0 = cs[tok * 16 + c8 * 2], c1 = cs[tok * 16 + c8 * 2 + 1];
    float4 s0 = sn[tok * 16 + c8 * 2], s1 = sn[tok * 16 + c8 * 2 + 1];
    float c[8] = {c0.x, c0.y, c0.z, c0.w, c1.x, c1.y, c1.z, c1.w};
    float s[8] = {s0.x, s0.y, s0.z, s0.w, s1.x, s1.y, s1.z, s1.w};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        oa[i] = a[i] * c[i] - b[i] * s[i];
        ob[i] = b[i] * c[i] + a[i] * s[i];
    }
    y[at] = pack8(oa);
    y[at + 8] = pack8(ob);
}

// ---------------------------------------------------------------- 5. half gemm, float result
constexpr int HG_M = 512, HG_N = 512, HG_K = 768;
__global__ void hgemm_wmma_global(const __half *A, const __half *B, float *C) { // a warp a tile
    int w = blockIdx.x * 4 + threadIdx.x / 32;
    int tm = w / (HG_N / 16), tn = w % (HG_N / 16);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.f);
    for (int k = 0; k < HG_K; k += 16) {
        wmma::load_matrix_sync(a, A + (size_t)tm * 16 * HG_K + k, HG_K);
        wmma::load_matrix_sync(b, B + (size_t)k * HG_N + tn * 16, HG_N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + (size_t)tm * 16 * HG_N + tn * 16, c, HG_N, wmma::mem_row_major);
}
__global__ void hgemm_wmma_smem(const __half *A, const __half *B, float *C) { // 64x64, 4 warps
    __shared__ __align__(32) __half As[64][48];
    __shared__ __align__(32) __half Bs[32][80];
    int t = threadIdx.x, w = t / 32, wm = w / 2, wn = w % 2;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.f);
    for (int k = 0; k < HG_K; k += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + 128 * i;
            *(uint4 *)&As[e / 4][e % 4 * 8] =
                *(const uint4 *)&A[(size_t)(m0 + e / 4) * HG_K + k + e % 4 * 8];
            *(uint4 *)&Bs[e / 8][e % 8 * 8] =
                *(const uint4 *)&B[(size_t)(k + e / 8) * HG_N + n0 + e % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[wm * 32 + i * 16][kk], 48);
                wmma::load_matrix_sync(b[i], &Bs[kk][wn * 32 + i * 16], 80);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(
                C + (size_t)(m0 + wm * 32 + i * 16) * HG_N + n0 + wn * 32 + j * 16, c[i][j], HG_N,
                wmma::mem_row_major);
}
__global__ void hgemm_mma_async(const __half *A, const __half *B, float *C) { // 3 stages
    __shared__ __align__(16) __half As[3][64][40];
    __shared__ __align__(16) __half Bs[3][32][72];
    int t = threadIdx.x, w = t / 32, lane = t % 32, wm = w / 2, wn = w % 2;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    constexpr int KT = HG_K / 32;
    auto load = [&](int kt, int st) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + 128 * i;
            cp16(&As[st][e / 4][e % 4 * 8],
                 &A[(size_t)(m0 + e / 4) * HG_K + kt * 32 + e % 4 * 8]);
            cp16(&Bs[st][e / 8][e % 8 * 8],
                 &B[(size_t)(kt * 32 + e / 8) * HG_N + n0 + e % 8 * 8]);
        }
    };
    float c[2][4][4] = {};
    load(0, 0);
    cp_commit();
    load(1, 1);
    cp_commit();
    for (int kt = 0; kt < KT; kt++) {
        cp_wait<1>();
        __syncthreads();
        if (kt + 2 < KT) load(kt + 2, (kt + 2) % 3);
        cp_commit();
        int st = kt % 3;
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                ldsm4(a[i], &As[st][wm * 32 + i * 16 + lane % 16][kk + lane / 16 * 8]);
                ldsm4t(b[i], &Bs[st][kk + lane % 16][wn * 32 + i * 16 + lane / 16 * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma16816(c[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = m0 + wm * 32 + i * 16 + lane / 4, n = n0 + wn * 32 + j * 8 + lane % 4 * 2;
            *(float2 *)&C[(size_t)r * HG_N + n] = make_float2(c[i][j][0], c[i][j][1]);
            *(float2 *)&C[(size_t)(r + 8) * HG_N + n] = make_float2(c[i][j][2], c[i][j][3]);
        }
}

// ---------------------------------------------------------------- 6. int8 gemm, A [M,K], B [N,K]
constexpr int IG_M = 512, IG_N = 512, IG_K = 512;
__global__ void igemm_dp4a(const int *A, const int *B, int *C) { // 64x64 tile, 256 threads, 4x4
    __shared__ int As[64][9], Bs[64][9];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int c[4][4] = {};
    for (int k = 0; k < IG_K / 4; k += 8) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + 256 * i;
            As[e / 8][e % 8] = A[(m0 + e / 8) * (IG_K / 4) + k + e % 8];
            Bs[e / 8][e % 8] = B[(n0 + e / 8) * (IG_K / 4) + k + e % 8];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            int a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) a[i] = As[ty + 16 * i][kk], b[i] = Bs[tx + 16 * i][kk];
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) c[i][j] = __dp4a(a[i], b[j], c[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            C[(m0 + ty + 16 * i) * IG_N + n0 + tx + 16 * j] = c[i][j];
}
__global__ void igemm_mma(const int8_t *A, const int8_t *B, int *C) { // 64x64, 4 warps, prefetch
    __shared__ __align__(16) int8_t As[64][80];
    __shared__ __align__(16) int8_t Bs[64][80];
    int t = threadIdx.x, w = t / 32, lane = t % 32, wm = w / 2, wn = w % 2;
    int g = lane / 4, q = lane % 4;
    int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    int c[2][4][4] = {};
    uint4 ra[2], rb[2];
    auto fetch = [&](int k) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + 128 * i;
            ra[i] = *(const uint4 *)&A[(size_t)(m0 + e / 4) * IG_K + k + e % 4 * 16];
            rb[i] = *(const uint4 *)&B[(size_t)(n0 + e / 4) * IG_K + k + e % 4 * 16];
        }
    };
    fetch(0);
    for (int k = 0; k < IG_K; k += 64) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + 128 * i;
            *(uint4 *)&As[e / 4][e % 4 * 16] = ra[i];
            *(uint4 *)&Bs[e / 4][e % 4 * 16] = rb[i];
        }
        __syncthreads();
        if (k + 64 < IG_K) fetch(k + 64);
#pragma unroll
        for (int kk = 0; kk < 64; kk += 32) {
            unsigned a[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = wm * 32 + i * 16 + g;
                a[i][0] = *(const unsigned *)&As[r][kk + q * 4];
                a[i][1] = *(const unsigned *)&As[r + 8][kk + q * 4];
                a[i][2] = *(const unsigned *)&As[r][kk + 16 + q * 4];
                a[i][3] = *(const unsigned *)&As[r + 8][kk + 16 + q * 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int n = wn * 32 + j * 8 + g;
                unsigned b0 = *(const unsigned *)&Bs[n][kk + q * 4];
                unsigned b1 = *(const unsigned *)&Bs[n][kk + 16 + q * 4];
                mma16832_s8(c[0][j], a[0], b0, b1);
                mma16832_s8(c[1][j], a[1], b0, b1);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = m0 + wm * 32 + i * 16 + g, n = n0 + wn * 32 + j * 8 + q * 2;
            *(int2 *)&C[(size_t)r * IG_N + n] = make_int2(c[i][j][0], c[i][j][1]);
            *(int2 *)&C[(size_t)(r + 8) * IG_N + n] = make_int2(c[i][j][2], c[i][j][3]);
        }
}

// ---------------------------------------------------------------- 7. gemv, 4-bit weights
constexpr int GV_N = 2048, GV_K = 4096; // groups of 32 weights share a half scale
__global__ void gemv4_thread(const uint8_t *w, const __half *sc, const __half *x, float *y) {
    int n = blockIdx.x * blockDim.x + threadIdx.x; // a thread a row
    if (n >= GV_N) return;
    const uint8_t *r = w + (size_t)n * (GV_K / 2);
    float acc = 0;
    for (int g = 0; g < GV_K / 32; g++) {
        float s = __half2float(sc[n * (GV_K / 32) + g]), a = 0;
        for (int j = 0; j < 16; j++) {
            int b = r[g * 16 + j];
            a += (float)((b & 15) - 8) * __half2float(x[g * 32 + 2 * j]);
            a += (float)((b >> 4) - 8) * __half2float(x[g * 32 + 2 * j + 1]);
        }
        acc += s * a;
    }
    y[n] = acc;
}
__global__ void gemv4_block(const unsigned *w, const __half *sc, const __half *x, float *y) {
    __shared__ float red[128]; // a block of 128 a row
    int n = blockIdx.x, t = threadIdx.x;
    float acc = 0;
    for (int i = t; i < GV_K / 8; i += 128) {
        unsigned q = w[(size_t)n * (GV_K / 8) + i];
        float s = __half2float(sc[n * (GV_K / 32) + i / 4]), v[8], a = 0;
        unpack8(*(const uint4 *)(x + i * 8), v);
#pragma unroll
        for (int j = 0; j < 8; j++) a += (float)((int)(q >> (4 * j) & 15) - 8) * v[j];
        acc += s * a;
    }
    red[t] = acc;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (t < k) red[t] += red[t + k];
        __syncthreads();
    }
    if (t == 0) y[n] = red[0];
}
__device__ __forceinline__ __half2 q4pair(unsigned q) { // nibbles 0 and 4, less 8
    unsigned v = (q & 0x000f000fu) | 0x64006400u;
    return __hsub2(*(__half2 *)&v, __half2half2(__ushort_as_half(0x6408))); // 1024 + 8
}
__device__ __forceinline__ __half2 pick(unsigned a, unsigned b, unsigned sel) {
    unsigned v = __byte_perm(a, b, sel);
    return *(__half2 *)&v;
}
__global__ void gemv4_warp(const uint4 *w, const __half *sc, const uint4 *x, float *y) {
    int n = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32; // a warp a row
    float acc = 0;
#pragma unroll
    for (int it = 0; it < GV_K / 1024; it++) {
        int g = it * 32 + lane;
        uint4 q4 = w[(size_t)n * (GV_K / 32) + g];
        float s = __half2float(sc[n * (GV_K / 32) + g]), a = 0;
        unsigned q[4] = {q4.x, q4.y, q4.z, q4.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint4 xv = x[g * 4 + j];
            __half2 h = __hmul2(q4pair(q[j]), pick(xv.x, xv.z, 0x5410));
            h = __hfma2(q4pair(q[j] >> 4), pick(xv.x, xv.z, 0x7632), h);
            h = __hfma2(q4pair(q[j] >> 8), pick(xv.y, xv.w, 0x5410), h);
            h = __hfma2(q4pair(q[j] >> 12), pick(xv.y, xv.w, 0x7632), h);
            float2 f = __half22float2(h);
            a += f.x + f.y;
        }
        acc += s * a;
    }
    acc = warp_sum(acc);
    if (lane == 0) y[n] = acc;
}

// ---------------------------------------------------------------- 8. top-8 of each row
constexpr int TK_R = 128, TK_C = 8192, TK_K = 8;
__global__ void topk_argmax(const float *x, float *val, int *idx) { // 8 rounds of arg max
    __shared__ float s[TK_C], sv[256];
    __shared__ int si[256];
    int t = threadIdx.x;
    for (int i = t; i < TK_C; i += 256) s[i] = x[(size_t)blockIdx.x * TK_C + i];
    __syncthreads();
    for (int k = 0; k < TK_K; k++) {
        float best = -INFINITY;
        int bi = TK_C;
        for (int i = t; i < TK_C; i += 256)
            if (s[i] > best) best = s[i], bi = i;
        sv[t] = best;
        si[t] = bi;
        __syncthreads();
        for (int o = 128; o > 0; o >>= 1) {
            if (t < o && (sv[t + o] > sv[t] || (sv[t + o] == sv[t] && si[t + o] < si[t]))) {
                sv[t] = sv[t + o];
                si[t] = si[t + o];
            }
            __syncthreads();
        }
        if (t == 0) {
            val[blockIdx.x * TK_K + k] = sv[0];
            idx[blockIdx.x * TK_K + k] = si[0];
            s[si[0]] = -INFINITY;
        }
        __syncthreads();
    }
}
__device__ __forceinline__ unsigned ordered(float f) {
    unsigned b = __float_as_uint(f);
    return b ^ ((b >> 31) ? 0xffffffffu : 0x80000000u);
}
__global__ void topk_hist(const float4 *x, float *val, int *idx) { // histogram, then rank the few
    __shared__ unsigned hist[4096];
    __shared__ unsigned long long cand[1024];
    __shared__ unsigned top, thr, nc;
    int t = threadIdx.x, lane = t % 32;
    for (int i = t; i < 4096; i += 256) hist[i] = 0;
    if (t == 0) top = 0, nc = 0, thr = 0;
    __syncthreads();
    const float4 *r = x + (size_t)blockIdx.x * (TK_C / 4);
    unsigned key[32], m = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 v = r[t + 256 * i];
        key[4 * i] = ordered(v.x);
        key[4 * i + 1] = ordered(v.y);
        key[4 * i + 2] = ordered(v.z);
        key[4 * i + 3] = ordered(v.w);
    }
#pragma unroll
    for (int i = 0; i < 32; i++) {
        m = max(m, key[i] >> 20);
        atomicAdd(&hist[key[i] >> 20], 1u);
    }
    m = __reduce_max_sync(~0u, m);
    if (lane == 0) atomicMax(&top, m);
    __syncthreads();
    if (t < 32) {
        int base = (int)top;
        unsigned cum = 0;
        while (base >= 0) {
            int b = base - lane;
            unsigned c = b >= 0 ? hist[b] : 0;
            for (int o = 1; o < 32; o <<= 1) {
                unsigned u = __shfl_up_sync(~0u, c, o);
                if (lane >= o) c += u;
            }
            unsigned hit = __ballot_sync(~0u, cum + c >= TK_K);
            if (hit) {
                int b0 = base - (__ffs(hit) - 1);
                if (lane == 0) thr = b0 > 0 ? b0 : 0;
                break;
            }
            cum += __shfl_sync(~0u, c, 31);
            base -= 32;
        }
    }
    __syncthreads();
    unsigned th = thr;
#pragma unroll
    for (int i = 0; i < 32; i++)
        if (key[i] >> 20 >= th) {
            unsigned p = atomicAdd(&nc, 1u);
            unsigned at = (t + 256 * (i / 4)) * 4 + i % 4;
            if (p < 1024) cand[p] = (unsigned long long)key[i] << 32 | (0xffffffffu - at);
        }
    __syncthreads();
    unsigned n = min(nc, 1024u);
    for (unsigned c = t; c < n; c += 256) {
        unsigned long long me = cand[c];
        int rank = 0;
        for (unsigned j = 0; j < n; j++) rank += cand[j] > me;
        if (rank < TK_K) {
            unsigned at = 0xffffffffu - (unsigned)me;
            idx[blockIdx.x * TK_K + rank] = (int)at;
            val[blockIdx.x * TK_K + rank] = ((const float *)r)[at];
        }
    }
}

// ---------------------------------------------------------------- 9. sampling from logits
constexpr int SA_R = 128, SA_V = 8192;
__device__ __forceinline__ unsigned weight(float l, float m) {
    return (unsigned)__fmul_rn(__expf(__fsub_rn(l, m)), 65536.f);
}
__global__ void sample_serial(const __half *x, const unsigned *u, int *out) {
    __shared__ unsigned w[SA_V], rs[256];
    __shared__ float rm[256];
    int t = threadIdx.x;
    const __half *r = x + (size_t)blockIdx.x * SA_V;
    float m = -INFINITY;
    for (int i = t; i < SA_V; i += 256) m = fmaxf(m, __half2float(r[i]));
    rm[t] = m;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) rm[t] = fmaxf(rm[t], rm[t + k]);
        __syncthreads();
    }
    m = rm[0];
    unsigned s = 0;
    for (int i = t; i < SA_V; i += 256) s += w[i] = weight(__half2float(r[i]), m);
    rs[t] = s;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) rs[t] += rs[t + k];
        __syncthreads();
    }
    if (t == 0) { // one thread walks the row
        unsigned target = __umulhi(u[blockIdx.x], rs[0]), c = 0;
        int i = 0;
        for (; i < SA_V - 1; i++) {
            c += w[i];
            if (c > target) break;
        }
        out[blockIdx.x] = i;
    }
}
__global__ void sample_scan(const uint4 *x, const unsigned *u, int *out) {
    __shared__ float wm[8];
    __shared__ unsigned ws[4][8];
    int t = threadIdx.x, lane = t % 32, wp = t / 32;
    const uint4 *r = x + (size_t)blockIdx.x * (SA_V / 8);
    float v[4][8], m = -INFINITY;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unpack8(r[t + 256 * k], v[k]);
#pragma unroll
        for (int i = 0; i < 8; i++) m = fmaxf(m, v[k][i]);
    }
    m = warp_max(m);
    if (lane == 0) wm[wp] = m;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) m = fmaxf(m, wm[i]);
    unsigned w[4][8], s[4], inc[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        s[k] = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) s[k] += w[k][i] = weight(v[k][i], m);
        unsigned c = s[k];
        for (int o = 1; o < 32; o <<= 1) {
            unsigned q = __shfl_up_sync(~0u, c, o);
            if (lane >= o) c += q;
        }
        inc[k] = c;
        if (lane == 31) ws[k][wp] = c;
    }
    __syncthreads();
    unsigned total = 0, off[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (i == wp) off[k] = total;
            total += ws[k][i];
        }
    unsigned target = __umulhi(u[blockIdx.x], total);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned lo = off[k] + inc[k] - s[k];
        if (target >= lo && target < lo + s[k]) {
            int pos = 0;
            bool done = false;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                lo += w[k][i];
                if (!done && lo > target) pos = i, done = true;
            }
            out[blockIdx.x] = (t + 256 * k) * 8 + pos;
        }
    }
}

// ---------------------------------------------------------------- 10. embedding gather
constexpr int EM_T = 4096, EM_D = 768, EM_V = 16384;
__global__ void embed_block(const int *ids, const float *tok, const float *pos, float *y, int d,
                            float scale) { // a block of 128 a token, an element at a time
    int t = blockIdx.x;
    for (int c = threadIdx.x; c < d; c += blockDim.x)
        y[(size_t)t * d + c] = tok[(size_t)ids[t] * d + c] * scale + pos[(size_t)t * d + c];
}
__global__ void embed_warp(const int *ids, const float4 *tok, const float4 *pos, float4 *y,
                           float scale) { // a warp a token
    int t = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr int V = EM_D / 128;
    const float4 *e = tok + (size_t)__ldg(ids + t) * (EM_D / 4);
    size_t at = (size_t)t * (EM_D / 4) + lane;
    float4 a[V], b[V];
#pragma unroll
    for (int i = 0; i < V; i++) a[i] = e[lane + 32 * i], b[i] = pos[at + 32 * i];
#pragma unroll
    for (int i = 0; i < V; i++)
        y[at + 32 * i] = make_float4(a[i].x * scale + b[i].x, a[i].y * scale + b[i].y,
                                     a[i].z * scale + b[i].z, a[i].w * scale + b[i].w);
}

// ---------------------------------------------------------------- 11. paged KV-cache append
constexpr int KV_T = 2048, KV_H = 8, KV_D = 128, KV_P = 16; // pages of 16 tokens
__global__ void kv_scalar(const __half *k, const __half *v, const int *slot, __half *kc,
                          __half *vc) { // a block of 256 a token
    constexpr int H = KV_H, D = KV_D;
    int s = slot[blockIdx.x], page = s / KV_P, off = s % KV_P;
    for (int i = threadIdx.x; i < H * D; i += blockDim.x) {
        int h = i / D, d = i % D;
        size_t src = (size_t)blockIdx.x * H * D + i;
        kc[(((size_t)page * H + h) * (D / 8) + d / 8) * KV_P * 8 + off * 8 + d % 8] = k[src];
        vc[(((size_t)page * H + h) * D + d) * KV_P + off] = v[src];
    }
}
__global__ void kv_vec(const uint4 *k, const uint4 *v, const int *slot, uint4 *kc, __half *vc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // a thread 8 elements
    int tok = i / (KV_H * KV_D / 8), r = i % (KV_H * KV_D / 8), h = r / (KV_D / 8),
        c = r % (KV_D / 8);
    int s = slot[tok], page = s / KV_P, off = s % KV_P;
    uint4 a = k[i], b = v[i];
    size_t ph = (size_t)page * KV_H + h;
    kc[(ph * (KV_D / 8) + c) * KV_P + off] = a;
    const __half *bh = (const __half *)&b;
#pragma unroll
    for (int j = 0; j < 8; j++) vc[(ph * KV_D + c * 8 + j) * KV_P + off] = bh[j];
}

// ---------------------------------------------------------------- 12. decode attention
constexpr int DA_BH = 128, DA_S = 512, DA_D = 64;
__global__ void decode_naive(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ float qs[DA_D], sc[DA_S], red[256]; // a block of 256 a head
    int t = threadIdx.x;
    size_t kv = (size_t)blockIdx.x * DA_S * DA_D;
    if (t < DA_D) qs[t] = __half2float(q[blockIdx.x * DA_D + t]) * 0.125f;
    __syncthreads();
    float m = -INFINITY;
    for (int j = t; j < DA_S; j += 256) {
        const __half2 *r = (const __half2 *)(k + kv + (size_t)j * DA_D);
        float s = 0;
        for (int d = 0; d < DA_D / 2; d++) {
            float2 f = __half22float2(r[d]);
            s += f.x * qs[2 * d] + f.y * qs[2 * d + 1];
        }
        sc[j] = s;
        m = fmaxf(m, s);
    }
    red[t] = m;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (t < w) red[t] = fmaxf(red[t], red[t + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float l = 0;
    for (int j = t; j < DA_S; j += 256) {
        float p = expf(sc[j] - m);
        sc[j] = p;
        l += p;
    }
    red[t] = l;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (t < w) red[t] += red[t + w];
        __syncthreads();
    }
    l = red[0];
    __syncthreads();
    int d = t % DA_D, part = t / DA_D;
    float acc = 0;
    for (int j = part * (DA_S / 4); j < (part + 1) * (DA_S / 4); j++)
        acc += sc[j] * __half2float(v[kv + (size_t)j * DA_D + d]);
    red[t] = acc;
    __syncthreads();
    if (t < DA_D)
        o[blockIdx.x * DA_D + t] = (red[t] + red[t + 64] + red[t + 128] + red[t + 192]) / l;
}
// a warp: 4 keys at a time, 8 lanes a key; leaves lanes 0-7 with the warp's m, l and o
template <int ITERS>
__device__ __forceinline__ void decode_part(const __half *q, const __half *k, const __half *v,
                                            int first, int stride, float &m, float &l, float *o) {
    int lane = threadIdx.x % 32, c = lane % 8;
    float qf[8];
    unpack8(*(const uint4 *)(q + c * 8), qf);
    m = -1e30f;
    l = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) o[i] = 0;
#pragma unroll 4
    for (int it = 0; it < ITERS; it++) {
        int j = first + lane / 8 + stride * it;
        float kf[8], vf[8];
        unpack8(*(const uint4 *)(k + (size_t)j * DA_D + c * 8), kf);
        unpack8(*(const uint4 *)(v + (size_t)j * DA_D + c * 8), vf);
        float s = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) s += qf[i] * kf[i];
        s += __shfl_xor_sync(~0u, s, 1);
        s += __shfl_xor_sync(~0u, s, 2);
        s += __shfl_xor_sync(~0u, s, 4);
        s *= 0.125f;
        float n = fmaxf(m, s), a = __expf(m - n), p = __expf(s - n);
        m = n;
        l = l * a + p;
#pragma unroll
        for (int i = 0; i < 8; i++) o[i] = o[i] * a + p * vf[i];
    }
#pragma unroll
    for (int x = 8; x <= 16; x <<= 1) {
        float m2 = __shfl_xor_sync(~0u, m, x), l2 = __shfl_xor_sync(~0u, l, x);
        float n = fmaxf(m, m2), a = __expf(m - n), b = __expf(m2 - n);
        m = n;
        l = l * a + l2 * b;
#pragma unroll
        for (int i = 0; i < 8; i++) o[i] = o[i] * a + __shfl_xor_sync(~0u, o[i], x) * b;
    }
}
__global__ void decode_warp(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ float sm[8], sl[8], so[8][DA_D];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    size_t kv = (size_t)blockIdx.x * DA_S * DA_D;
    float m, l, acc[8];
    decode_part<DA_S / 32>(q + blockIdx.x * DA_D, k + kv, v + kv, w * 4, 32, m, l, acc);
    if (lane == 0) sm[w] = m, sl[w] = l;
    if (lane < 8)
        for (int i = 0; i < 8; i++) so[w][lane * 8 + i] = acc[i];
    __syncthreads();
    if (t < DA_D) {
        float M = -1e30f, L = 0, r = 0;
        for (int i = 0; i < 8; i++) M = fmaxf(M, sm[i]);
        for (int i = 0; i < 8; i++) {
            float e = __expf(sm[i] - M);
            L += sl[i] * e;
            r += so[i][t] * e;
        }
        o[blockIdx.x * DA_D + t] = r / L;
    }
}
__global__ void __cluster_dims__(4, 1, 1)
    decode_cluster(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ float sm[4], sl[4], so[4][DA_D], po[DA_D], pml[2];
    cg::cluster_group cl = cg::this_cluster();
    int t = threadIdx.x, w = t / 32, lane = t % 32; // 4 blocks of 128 split the keys
    int bh = blockIdx.x / 4, rank = (int)cl.block_rank();
    size_t kv = (size_t)bh * DA_S * DA_D;
    float m, l, acc[8];
    decode_part<DA_S / 4 / 16>(q + bh * DA_D, k + kv, v + kv, rank * (DA_S / 4) + w * 4, 16, m, l,
                               acc);
    if (lane == 0) sm[w] = m, sl[w] = l;
    if (lane < 8)
        for (int i = 0; i < 8; i++) so[w][lane * 8 + i] = acc[i];
    __syncthreads();
    if (t < DA_D) {
        float M = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3])), L = 0, r = 0;
        for (int i = 0; i < 4; i++) {
            float e = __expf(sm[i] - M);
            L += sl[i] * e;
            r += so[i][t] * e;
        }
        po[t] = r;
        if (t == 0) pml[0] = M, pml[1] = L;
    }
    cl.sync();
    if (rank == 0 && t < DA_D) {
        float M = -1e30f, L = 0, r = 0;
        for (int i = 0; i < 4; i++) M = fmaxf(M, cl.map_shared_rank(pml, i)[0]);
        for (int i = 0; i < 4; i++) {
            float *ml = cl.map_shared_rank(pml, i), e = __expf(ml[0] - M);
            L += ml[1] * e;
            r += cl.map_shared_rank(po, i)[t] * e;
        }
        o[bh * DA_D + t] = r / L;
    }
    cl.sync();
}

// ---------------------------------------------------------------- 13. causal prefill attention
constexpr int PA_H = 8, PA_N = 192, PA_D = 64;
__global__ void prefill_warp(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ float qs[4][PA_D]; // a warp a query
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    int gq = blockIdx.x * 4 + w, h = gq / PA_N, row = gq % PA_N;
    size_t base = (size_t)h * PA_N * PA_D;
    for (int d = lane; d < PA_D; d += 32)
        qs[w][d] = __half2float(q[base + (size_t)row * PA_D + d]) * 0.125f;
    __syncwarp();
    float p[PA_N / 32], m = -INFINITY, l = 0;
#pragma unroll
    for (int c = 0; c < PA_N / 32; c++) {
        int j = c * 32 + lane;
        p[c] = -INFINITY;
        if (j <= row) {
            const uint4 *r = (const uint4 *)(k + base + (size_t)j * PA_D);
            float s = 0;
            for (int d = 0; d < PA_D / 8; d++) {
                float f[8];
                unpack8(r[d], f);
#pragma unroll
                for (int i = 0; i < 8; i++) s += f[i] * qs[w][d * 8 + i];
            }
            p[c] = s;
        }
        m = fmaxf(m, p[c]);
    }
    m = warp_max(m);
#pragma unroll
    for (int c = 0; c < PA_N / 32; c++) {
        p[c] = __expf(p[c] - m);
        l += p[c];
    }
    l = warp_sum(l);
    float ax = 0, ay = 0;
#pragma unroll
    for (int c = 0; c < PA_N / 32; c++) {
        if (c * 32 > row) break;
        for (int j = 0; j < 32 && c * 32 + j <= row; j++) {
            float pj = __shfl_sync(~0u, p[c], j);
            float2 f = __half22float2(
                ((const __half2 *)(v + base + (size_t)(c * 32 + j) * PA_D))[lane]);
            ax += pj * f.x;
            ay += pj * f.y;
        }
    }
    *(float2 *)&o[base + (size_t)row * PA_D + lane * 2] = make_float2(ax / l, ay / l);
}
__global__ void __launch_bounds__(64)
    prefill_thread(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ __align__(16) __half ks[32][PA_D]; // a thread a query, tiles of 32 keys
    __shared__ __align__(16) __half vs[32][PA_D];
    int t = threadIdx.x, row = blockIdx.x * 64 + t;
    size_t base = (size_t)blockIdx.y * PA_N * PA_D;
    float qr[PA_D], acc[PA_D], m = -1e30f, l = 0;
#pragma unroll
    for (int c = 0; c < PA_D / 8; c++) {
        unpack8(*(const uint4 *)(q + base + (size_t)row * PA_D + c * 8), qr + c * 8);
#pragma unroll
        for (int i = 0; i < 8; i++) acc[c * 8 + i] = 0, qr[c * 8 + i] *= 0.125f;
    }
    int end = (int)blockIdx.x * 64 + 64;
    for (int j0 = 0; j0 < end; j0 += 32) {
        for (int e = t; e < 32 * PA_D / 8; e += 64) {
            ((uint4 *)ks)[e] = ((const uint4 *)(k + base + (size_t)j0 * PA_D))[e];
            ((uint4 *)vs)[e] = ((const uint4 *)(v + base + (size_t)j0 * PA_D))[e];
        }
        __syncthreads();
        for (int j = 0; j < 32 && j0 + j <= row; j++) {
            float s = 0;
#pragma unroll
            for (int c = 0; c < PA_D / 8; c++) {
                float f[8];
                unpack8(*(const uint4 *)&ks[j][c * 8], f);
#pragma unroll
                for (int i = 0; i < 8; i++) s += f[i] * qr[c * 8 + i];
            }
            if (s > m) {
                float a = __expf(m - s);
                m = s;
                l *= a;
#pragma unroll
                for (int i = 0; i < PA_D; i++) acc[i] *= a;
            }
            float p = __expf(s - m);
            l += p;
#pragma unroll
            for (int c = 0; c < PA_D / 8; c++) {
                float f[8];
                unpack8(*(const uint4 *)&vs[j][c * 8], f);
#pragma unroll
                for (int i = 0; i < 8; i++) acc[c * 8 + i] += p * f[i];
            }
        }
        __syncthreads();
    }
    float inv = 1.f / l;
#pragma unroll
    for (int i = 0; i < PA_D; i += 4)
        *(float4 *)&o[base + (size_t)row * PA_D + i] = make_float4(
            acc[i] * inv, acc[i + 1] * inv, acc[i + 2] * inv, acc[i + 3] * inv);
}
__device__ __forceinline__ unsigned pack2(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *(unsigned *)&h;
}
__global__ void __launch_bounds__(128)
    prefill_mma(const __half *q, const __half *k, const __half *v, float *o) {
    __shared__ __align__(16) __half Qs[64][72];
    __shared__ __align__(16) __half Ks[2][64][72];
    __shared__ __align__(16) __half Vs[2][64][72];
    int t = threadIdx.x, w = t / 32, lane = t % 32, g = lane / 4, c2 = lane % 4 * 2;
    int qt = blockIdx.x;
    size_t base = (size_t)blockIdx.y * PA_N * PA_D;
    auto load = [&](__half(*s)[72], const __half *src, int row0) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int e = t + 128 * i;
            cp16(&s[e / 8][e % 8 * 8], src + base + (size_t)(row0 + e / 8) * PA_D + e % 8 * 8);
        }
    };
    load(Qs, q, qt * 64);
    load(Ks[0], k, 0);
    load(Vs[0], v, 0);
    cp_commit();
    unsigned qa[4][4];
    float acc[8][4] = {}, m[2] = {-1e30f, -1e30f}, l[2] = {0, 0};
    const float sc = 0.125f * 1.4426950408889634f;
    for (int kt = 0; kt <= qt; kt++) {
        if (kt < qt) {
            load(Ks[(kt + 1) & 1], k, (kt + 1) * 64);
            load(Vs[(kt + 1) & 1], v, (kt + 1) * 64);
        }
        cp_commit();
        cp_wait<1>();
        __syncthreads();
        if (kt == 0) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                ldsm4(qa[i], &Qs[w * 16 + lane % 16][i * 16 + lane / 16 * 8]);
        }
        float s[8][4] = {};
#pragma unroll
        for (int d = 0; d < 4; d++)
#pragma unroll
            for (int n = 0; n < 4; n++) {
                unsigned b[4];
                ldsm4(b, &Ks[kt & 1][n * 16 + lane % 8 + lane / 16 * 8]
                            [d * 16 + lane / 8 % 2 * 8]);
                mma16816(s[2 * n], qa[d], b[0], b[1]);
                mma16816(s[2 * n + 1], qa[d], b[2], b[3]);
            }
        float nm[2] = {m[0], m[1]};
#pragma unroll
        for (int n = 0; n < 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                s[n][i] *= sc;
                if (kt == qt && n * 8 + c2 + i % 2 > w * 16 + g + i / 2 * 8) s[n][i] = -INFINITY;
                nm[i / 2] = fmaxf(nm[i / 2], s[n][i]);
            }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            nm[i] = fmaxf(nm[i], __shfl_xor_sync(~0u, nm[i], 1));
            nm[i] = fmaxf(nm[i], __shfl_xor_sync(~0u, nm[i], 2));
            float a = exp2f(m[i] - nm[i]);
            m[i] = nm[i];
            l[i] *= a;
#pragma unroll
            for (int n = 0; n < 8; n++) acc[n][2 * i] *= a, acc[n][2 * i + 1] *= a;
        }
#pragma unroll
        for (int n = 0; n < 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                s[n][i] = exp2f(s[n][i] - m[i / 2]);
                l[i / 2] += s[n][i];
            }
#pragma unroll
        for (int kc = 0; kc < 4; kc++) {
            unsigned a[4] = {pack2(s[2 * kc][0], s[2 * kc][1]), pack2(s[2 * kc][2], s[2 * kc][3]),
                             pack2(s[2 * kc + 1][0], s[2 * kc + 1][1]),
                             pack2(s[2 * kc + 1][2], s[2 * kc + 1][3])};
#pragma unroll
            for (int n = 0; n < 4; n++) {
                unsigned b[4];
                ldsm4t(b, &Vs[kt & 1][kc * 16 + lane % 16][n * 16 + lane / 16 * 8]);
                mma16816(acc[2 * n], a, b[0], b[1]);
                mma16816(acc[2 * n + 1], a, b[2], b[3]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        l[i] += __shfl_xor_sync(~0u, l[i], 1);
        l[i] += __shfl_xor_sync(~0u, l[i], 2);
        float inv = 1.f / l[i];
        float *r = o + base + (size_t)(qt * 64 + w * 16 + g + 8 * i) * PA_D + c2;
#pragma unroll
        for (int n = 0; n < 8; n++)
            *(float2 *)(r + n * 8) = make_float2(acc[n][2 * i] * inv, acc[n][2 * i + 1] * inv);
    }
}

// ---------------------------------------------------------------- 14. SwiGLU
constexpr int SG_R = 1536, SG_F = 1408; // input rows: F gates, then F ups
__global__ void swiglu_scalar(const __half *x, __half *y, int F) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= F) return;
    float g = __half2float(x[(size_t)r * 2 * F + c]), u = __half2float(x[(size_t)r * 2 * F + F + c]);
    y[(size_t)r * F + c] = __float2half(g / (1.f + expf(-g)) * u);
}
__global__ void swiglu_vec(const uint4 *x, uint4 *y) { // a block of 176 a row
    int c = threadIdx.x, r = blockIdx.x;
    float g[8], u[8];
    unpack8(x[(size_t)r * (2 * SG_F / 8) + c], g);
    unpack8(x[(size_t)r * (2 * SG_F / 8) + SG_F / 8 + c], u);
#pragma unroll
    for (int i = 0; i < 8; i++) g[i] = __fdividef(g[i], 1.f + __expf(-g[i])) * u[i];
    y[(size_t)r * (SG_F / 8) + c] = pack8(g);
}

// ---------------------------------------------------------------- 15. transpose of a half matrix
constexpr int TR_R = 2048, TR_C = 1536;
__global__ void transpose_naive(const __half *x, __half *y, int R, int C) {
    int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
    if (r < R && c < C) y[(size_t)c * R + r] = x[(size_t)r * C + c];
}
__global__ void transpose_tile(const __half *x, __half *y) { // 64x64 tile, half2 both ways
    __shared__ __align__(4) __half s[64][66];
    int tx = threadIdx.x, ty = threadIdx.y, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
#pragma unroll
    for (int i = 0; i < 64; i += 8)
        *(__half2 *)&s[ty + i][2 * tx] =
            *(const __half2 *)&x[(size_t)(r0 + ty + i) * TR_C + c0 + 2 * tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; i += 8)
        *(__half2 *)&y[(size_t)(c0 + ty + i) * TR_R + r0 + 2 * tx] =
            __halves2half2(s[2 * tx][ty + i], s[2 * tx + 1][ty + i]);
}

// ---------------------------------------------------------------- 16. column sums (bias gradient)
constexpr int CS_R = 2048, CS_C = 2048;
__global__ void colsum_thread(const __half *x, float *y, int R, int C) { // a thread a column
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C) return;
    float s = 0;
    for (int r = 0; r < R; r++) s += __half2float(x[(size_t)r * C + c]);
    y[c] = s;
}
__global__ void colsum_block(const __half *x, float *y, int R, int C) { // 32x32 a 32-column strip
    __shared__ float s[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float a = 0;
    for (int r = threadIdx.y; r < R; r += 32) a += __half2float(x[(size_t)r * C + c]);
    s[threadIdx.y][threadIdx.x] = a;
    __syncthreads();
    a = warp_sum(s[threadIdx.x][threadIdx.y]);
    if (threadIdx.x == 0) y[blockIdx.x * 32 + threadIdx.y] = a;
}
__global__ void __cluster_dims__(1, 8, 1) colsum_cluster(const uint4 *x, float *y) {
    __shared__ float s[32][65], part[64]; // 64 columns; 8 blocks split the rows
    cg::cluster_group cl = cg::this_cluster();
    int t = threadIdx.x, cc = t % 8, rl = t / 8;
    int r0 = blockIdx.y * (CS_R / 8);
    float a[8] = {};
#pragma unroll
    for (int i = 0; i < CS_R / 8 / 32; i++) {
        float f[8];
        unpack8(x[(size_t)(r0 + rl + 32 * i) * (CS_C / 8) + blockIdx.x * 8 + cc], f);
#pragma unroll
        for (int j = 0; j < 8; j++) a[j] += f[j];
    }
#pragma unroll
    for (int j = 0; j < 8; j++) s[rl][cc * 8 + j] = a[j];
    __syncthreads();
    if (t < 64) {
        float q = 0;
#pragma unroll
        for (int i = 0; i < 32; i++) q += s[i][t];
        part[t] = q;
    }
    cl.sync();
    if (cl.block_rank() == 0 && t < 64) {
        float q = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) q += cl.map_shared_rank(part, i)[t];
        y[blockIdx.x * 64 + t] = q;
    }
    cl.sync();
}

// ---------------------------------------------------------------- host
struct Rng {
    uint64_t s;
    explicit Rng(uint64_t seed) : s(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) {}
    uint32_t next() {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        return (uint32_t)(s >> 32);
    }
    float uni(float lo, float hi) { return lo + (hi - lo) * (next() >> 8) * (1.f / 16777216.f); }
};
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static std::vector<T> down(const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}
typedef std::vector<double> VD;
static VD getf(const float *p, size_t n) {
    auto h = down(p, n);
    return VD(h.begin(), h.end());
}
static VD geti(const int *p, size_t n) {
    auto h = down(p, n);
    return VD(h.begin(), h.end());
}
static VD geth(const __half *p, size_t n) {
    auto h = down(p, n);
    VD v(n);
    for (size_t i = 0; i < n; i++) v[i] = __half2float(h[i]);
    return v;
}
struct H { // halves on the device, their values as floats on the host
    std::vector<float> h;
    __half *d;
    H(size_t n, float lo, float hi, int seed) : h(n) {
        Rng r(seed);
        std::vector<__half> t(n);
        for (size_t i = 0; i < n; i++) t[i] = __float2half(r.uni(lo, hi)), h[i] = __half2float(t[i]);
        d = up(t);
    }
};
struct F {
    std::vector<float> h;
    float *d;
    F(size_t n, float lo, float hi, int seed) : h(n) {
        Rng r(seed);
        for (auto &v : h) v = r.uni(lo, hi);
        d = up(h);
    }
};
template <class T> static T *raw(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
struct Var {
    const char *name;
    std::function<void()> f;
};
static bool g_check = false;
static int g_bad = 0;
static void group(const char *name, std::vector<Var> vars, std::function<void()> poison,
                  std::function<VD()> get, std::function<VD()> ref, double atol, double rtol,
                  double bad_share = 0) {
    if (!g_check) {
        for (auto &v : vars) bench(name, v.name, v.f);
        return;
    }
    if (!wanted(name)) return;
    VD want = ref();
    for (auto &v : vars) {
        poison();
        v.f();
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        VD got = get();
        size_t bad = 0;
        if (got.size() != want.size()) exit(2);
        double worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            double d = std::fabs(got[i] - want[i]);
            if (!(d <= atol + rtol * std::fabs(want[i]))) bad++;
            if (!(d <= worst)) worst = d;
        }
        bool ok = (double)bad <= bad_share * (double)want.size();
        if (!ok) g_bad++;
        printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", name, v.name, ok ? "true" : "false");
        fprintf(stderr, "%s/%s: worst difference %g, %zu of %zu off\n", name, v.name, worst, bad,
                want.size());
        fflush(stdout);
    }
}
#define POISON(p, n) CK(cudaMemset(p, 0xff, (n) * sizeof(*(p))))

int main(int argc, char **argv) {
    g_check = argc > 1 && !strcmp(argv[1], "check");

    { // 1
        size_t n = (size_t)SM_R * SM_C;
        F x(n, -5, 5, 1);
        float *y = raw<float>(n);
        group("softmax",
              {{"block_3pass", [=, xd = x.d] { softmax_3pass<<<SM_R, 128>>>(xd, y, SM_C); }},
               {"online_block", [=, xd = x.d] { softmax_online<<<SM_R, 128>>>(xd, y, SM_C); }},
               {"warp_regs",
                [=, xd = x.d] { softmax_warp<<<SM_R / 4, 128>>>((float4 *)xd, (float4 *)y); }}},
              [=] { POISON(y, n); }, [=] { return getf(y, n); },
              [&] {
                  VD v(n);
                  for (int r = 0; r < SM_R; r++) {
                      const float *p = &x.h[(size_t)r * SM_C];
                      double m = -1e30, s = 0;
                      for (int i = 0; i < SM_C; i++) m = std::max(m, (double)p[i]);
                      for (int i = 0; i < SM_C; i++) s += std::exp(p[i] - m);
                      for (int i = 0; i < SM_C; i++) v[(size_t)r * SM_C + i] = std::exp(p[i] - m) / s;
                  }
                  return v;
              },
              1e-7, 1e-4);
    }
    { // 2
        size_t n = (size_t)LN_T * LN_C;
        H x(n, -2, 2, 2), res(n, -1, 1, 3);
        F g(LN_C, 0.5f, 1.5f, 4), b(LN_C, -0.5f, 0.5f, 5);
        __half *y = raw<__half>(n), *xd = x.d, *rd = res.d;
        float *gd = g.d, *bd = b.d;
        group("add_layernorm",
              {{"block_tree", [=] { ln_tree<<<LN_T, 128>>>(xd, rd, gd, bd, y, LN_C); }},
               {"block_vec",
                [=] {
                    ln_vec<<<LN_T, 256>>>((uint4 *)xd, (uint4 *)rd, (float4 *)gd, (float4 *)bd,
                                          (uint4 *)y);
                }},
               {"warp_row",
                [=] {
                    ln_warp<<<LN_T / 4, 128>>>((uint4 *)xd, (uint4 *)rd, (float4 *)gd,
                                               (float4 *)bd, (uint4 *)y);
                }}},
              [=] { POISON(y, n); }, [=] { return geth(y, n); },
              [&] {
                  VD v(n);
                  for (int r = 0; r < LN_T; r++) {
                      size_t o = (size_t)r * LN_C;
                      double s = 0, q = 0;
                      for (int i = 0; i < LN_C; i++) s += (double)x.h[o + i] + res.h[o + i];
                      s /= LN_C;
                      for (int i = 0; i < LN_C; i++) {
                          double d = (double)x.h[o + i] + res.h[o + i] - s;
                          q += d * d;
                      }
                      double rs = 1 / std::sqrt(q / LN_C + 1e-5);
                      for (int i = 0; i < LN_C; i++)
                          v[o + i] = ((double)x.h[o + i] + res.h[o + i] - s) * rs * g.h[i] + b.h[i];
                  }
                  return v;
              },
              2e-3, 2e-3);
    }
    { // 3
        size_t n = (size_t)RQ_T * RQ_C;
        H x(n, -1, 1, 6), w(RQ_C, 0.8f, 1.2f, 7);
        int8_t *q = raw<int8_t>(n);
        float *sc = raw<float>(RQ_T);
        __half *xd = x.d, *wd = w.d;
        group("rmsnorm_quant",
              {{"block_3pass", [=] { rmsq_3pass<<<RQ_T, 128>>>(xd, wd, q, sc, RQ_C); }},
               {"block_vec",
                [=] { rmsq_vec<<<RQ_T, 256>>>((uint4 *)xd, (uint4 *)wd, (uint2 *)q, sc); }}},
              [=] {
                  POISON(q, n);
                  POISON(sc, RQ_T);
              },
              [=] {
                  auto a = down(q, n);
                  auto s = down(sc, RQ_T);
                  VD v(n + RQ_T);
                  for (size_t i = 0; i < n; i++) v[i] = a[i];
                  for (int i = 0; i < RQ_T; i++) v[n + i] = s[i] * 1e5;
                  return v;
              },
              [&] {
                  VD v(n + RQ_T);
                  for (int r = 0; r < RQ_T; r++) {
                      size_t o = (size_t)r * RQ_C;
                      double s = 0, m = 0;
                      for (int i = 0; i < RQ_C; i++) s += (double)x.h[o + i] * x.h[o + i];
                      double rs = 1 / std::sqrt(s / RQ_C + 1e-6);
                      for (int i = 0; i < RQ_C; i++)
                          m = std::max(m, std::fabs((double)x.h[o + i] * rs * w.h[i]));
                      for (int i = 0; i < RQ_C; i++)
                          v[o + i] = std::rint(x.h[o + i] * rs * w.h[i] / (m / 127));
                      v[n + r] = m / 127 * 1e5;
                  }
                  return v;
              },
              1.01, 0);
    }
    { // 4
        size_t n = (size_t)RP_T * RP_H * RP_D;
        int pairs = (int)(n / 2);
        H x(n, -1, 1, 8);
        std::vector<float> c(RP_T * 64), s(RP_T * 64);
        for (int p = 0; p < RP_T; p++)
            for (int d = 0; d < 64; d++) {
                double a = p * std::pow(10000.0, -d / 64.0);
                c[p * 64 + d] = (float)std::cos(a);
                s[p * 64 + d] = (float)std::sin(a);
            }
        float *cd = up(c), *sd = up(s);
        __half *y = raw<__half>(n), *xd = x.d;
        group("rope",
              {{"sincos_each",
                [=] { rope_trig<<<(pairs + 255) / 256, 256>>>(xd, y, pairs); }},
               {"table_scalar",
                [=] { rope_table<<<(pairs + 255) / 256, 256>>>(xd, y, cd, sd, pairs); }},
               {"table_vec",
                [=] {
                    rope_vec<<<RP_T, RP_H * 8>>>((uint4 *)xd, (uint4 *)y, (float4 *)cd,
                                                 (float4 *)sd);
                }}},
              [=] { POISON(y, n); }, [=] { return geth(y, n); },
              [&] {
                  VD v(n);
                  for (int th = 0; th < RP_T * RP_H; th++)
                      for (int d = 0; d < 64; d++) {
                          int p = th / RP_H;
                          double a = x.h[(size_t)th * 128 + d], b = x.h[(size_t)th * 128 + d + 64];
                          double cc = c[p * 64 + d], ss = s[p * 64 + d];
                          v[(size_t)th * 128 + d] = a * cc - b * ss;
                          v[(size_t)th * 128 + d + 64] = b * cc + a * ss;
                      }
                  return v;
              },
              2e-3, 1e-3);
    }
    { // 5
        H a((size_t)HG_M * HG_K, -1, 1, 9), b((size_t)HG_K * HG_N, -1, 1, 10);
        size_t n = (size_t)HG_M * HG_N;
        float *c = raw<float>(n);
        __half *ad = a.d, *bd = b.d;
        group("hgemm",
              {{"wmma_global",
                [=] { hgemm_wmma_global<<<HG_M / 16 * (HG_N / 16) / 4, 128>>>(ad, bd, c); }},
               {"wmma_smem",
                [=] { hgemm_wmma_smem<<<dim3(HG_N / 64, HG_M / 64), 128>>>(ad, bd, c); }},
               {"mma_cpasync3",
                [=] { hgemm_mma_async<<<dim3(HG_N / 64, HG_M / 64), 128>>>(ad, bd, c); }}},
              [=] { POISON(c, n); }, [=] { return getf(c, n); },
              [&] {
                  VD v(n);
                  for (int i = 0; i < HG_M; i++)
                      for (int k = 0; k < HG_K; k++) {
                          double p = a.h[(size_t)i * HG_K + k];
                          for (int j = 0; j < HG_N; j++)
                              v[(size_t)i * HG_N + j] += p * b.h[(size_t)k * HG_N + j];
                      }
                  return v;
              },
              1e-2, 1e-3);
    }
    { // 6
        std::vector<int8_t> a((size_t)IG_M * IG_K), b((size_t)IG_N * IG_K);
        Rng r(11);
        for (auto &v : a) v = (int8_t)((int)(r.next() % 255) - 127);
        for (auto &v : b) v = (int8_t)((int)(r.next() % 255) - 127);
        int8_t *ad = up(a), *bd = up(b);
        size_t n = (size_t)IG_M * IG_N;
        int *c = raw<int>(n);
        group("igemm",
              {{"dp4a_smem",
                [=] {
                    igemm_dp4a<<<dim3(IG_N / 64, IG_M / 64), 256>>>((int *)ad, (int *)bd, c);
                }},
               {"mma_s8", [=] { igemm_mma<<<dim3(IG_N / 64, IG_M / 64), 128>>>(ad, bd, c); }}},
              [=] { POISON(c, n); }, [=] { return geti(c, n); },
              [&] {
                  VD v(n);
                  for (int i = 0; i < IG_M; i++)
                      for (int j = 0; j < IG_N; j++) {
                          int s = 0;
                          for (int k = 0; k < IG_K; k++)
                              s += (int)a[(size_t)i * IG_K + k] * (int)b[(size_t)j * IG_K + k];
                          v[(size_t)i * IG_N + j] = s;
                      }
                  return v;
              },
              0, 0);
    }
    { // 7
        std::vector<uint8_t> w((size_t)GV_N * GV_K / 2);
        Rng r(12);
        for (auto &v : w) v = (uint8_t)r.next();
        uint8_t *wd = up(w);
        H sc((size_t)GV_N * (GV_K / 32), 0.01f, 0.03f, 13), x(GV_K, -1, 1, 14);
        float *y = raw<float>(GV_N);
        __half *sd = sc.d, *xd = x.d;
        group("gemv_q4",
              {{"thread_row", [=] { gemv4_thread<<<GV_N / 64, 64>>>(wd, sd, xd, y); }},
               {"block_row", [=] { gemv4_block<<<GV_N, 128>>>((unsigned *)wd, sd, xd, y); }},
               {"warp_row_half2",
                [=] { gemv4_warp<<<GV_N / 4, 128>>>((uint4 *)wd, sd, (uint4 *)xd, y); }}},
              [=] { POISON(y, GV_N); }, [=] { return getf(y, GV_N); },
              [&] {
                  VD v(GV_N);
                  for (int n = 0; n < GV_N; n++) {
                      double s = 0;
                      for (int k = 0; k < GV_K; k++) {
                          int b = w[(size_t)n * (GV_K / 2) + k / 2];
                          int q = (k & 1 ? b >> 4 : b & 15) - 8;
                          s += (double)q * sc.h[(size_t)n * (GV_K / 32) + k / 32] * x.h[k];
                      }
                      v[n] = s;
                  }
                  return v;
              },
              2e-2, 1e-3);
    }
    { // 8
        size_t n = (size_t)TK_R * TK_C;
        std::vector<float> x(n);
        Rng r(15);
        for (auto &v : x) v = r.uni(-2, 2) + r.uni(-2, 2) + r.uni(-2, 2) + r.uni(-2, 2);
        float *xd = up(x), *val = raw<float>(TK_R * TK_K);
        int *idx = raw<int>(TK_R * TK_K);
        group("topk8",
              {{"argmax_rounds", [=] { topk_argmax<<<TK_R, 256>>>(xd, val, idx); }},
               {"histogram_rank", [=] { topk_hist<<<TK_R, 256>>>((float4 *)xd, val, idx); }}},
              [=] {
                  POISON(val, TK_R * TK_K);
                  POISON(idx, TK_R * TK_K);
              },
              [=] {
                  VD a = getf(val, TK_R * TK_K), b = geti(idx, TK_R * TK_K);
                  a.insert(a.end(), b.begin(), b.end());
                  return a;
              },
              [&] {
                  VD v(2 * TK_R * TK_K);
                  for (int q = 0; q < TK_R; q++) {
                      const float *p = &x[(size_t)q * TK_C];
                      std::vector<int> o(TK_C);
                      for (int i = 0; i < TK_C; i++) o[i] = i;
                      std::partial_sort(o.begin(), o.begin() + TK_K, o.end(), [&](int a, int b) {
                          return p[a] != p[b] ? p[a] > p[b] : a < b;
                      });
                      for (int k = 0; k < TK_K; k++) {
                          v[q * TK_K + k] = p[o[k]];
                          v[TK_R * TK_K + q * TK_K + k] = o[k];
                      }
                  }
                  return v;
              },
              0, 0);
    }
    { // 9
        H x((size_t)SA_R * SA_V, -4, 4, 16);
        std::vector<unsigned> u(SA_R);
        Rng r(17);
        for (auto &v : u) v = r.next();
        unsigned *ud = up(u);
        int *out = raw<int>(SA_R);
        __half *xd = x.d;
        group("sample",
              {{"serial_walk", [=] { sample_serial<<<SA_R, 256>>>(xd, ud, out); }},
               {"block_scan", [=] { sample_scan<<<SA_R, 256>>>((uint4 *)xd, ud, out); }}},
              [=] { POISON(out, SA_R); }, [=] { return geti(out, SA_R); },
              [&] {
                  VD v(SA_R);
                  std::vector<unsigned> w(SA_V);
                  for (int q = 0; q < SA_R; q++) {
                      const float *p = &x.h[(size_t)q * SA_V];
                      float m = *std::max_element(p, p + SA_V);
                      unsigned tot = 0, c = 0;
                      for (int i = 0; i < SA_V; i++)
                          tot += w[i] = (unsigned)(std::exp((double)(p[i] - m)) * 65536.0);
                      unsigned target = (unsigned)(((uint64_t)u[q] * tot) >> 32);
                      int i = 0;
                      for (; i < SA_V - 1; i++) {
                          c += w[i];
                          if (c > target) break;
                      }
                      v[q] = i;
                  }
                  return v;
              },
              0, 0, 0.03); // a row in 30 may fall on a rounding of the CPU's exp
    }
    { // 10
        F tok((size_t)EM_V * EM_D, -1, 1, 18), pos((size_t)EM_T * EM_D, -1, 1, 19);
        std::vector<int> ids(EM_T);
        Rng r(20);
        for (auto &v : ids) v = r.next() % EM_V;
        int *id = up(ids);
        size_t n = (size_t)EM_T * EM_D;
        float *y = raw<float>(n), *td = tok.d, *pd = pos.d, scale = std::sqrt((float)EM_D);
        group("embed",
              {{"block_scalar", [=] { embed_block<<<EM_T, 128>>>(id, td, pd, y, EM_D, scale); }},
               {"warp_float4",
                [=] {
                    embed_warp<<<EM_T / 8, 256>>>(id, (float4 *)td, (float4 *)pd, (float4 *)y,
                                                  scale);
                }}},
              [=] { POISON(y, n); }, [=] { return getf(y, n); },
              [&] {
                  VD v(n);
                  for (int t = 0; t < EM_T; t++)
                      for (int c = 0; c < EM_D; c++)
                          v[(size_t)t * EM_D + c] =
                              (double)tok.h[(size_t)ids[t] * EM_D + c] * scale +
                              pos.h[(size_t)t * EM_D + c];
                  return v;
              },
              1e-4, 1e-5);
    }
    { // 11
        size_t n = (size_t)KV_T * KV_H * KV_D;
        H k(n, -1, 1, 21), v(n, -1, 1, 22);
        std::vector<int> slot(KV_T);
        for (int i = 0; i < KV_T; i++) slot[i] = i;
        Rng r(23);
        for (int i = KV_T - 1; i > 0; i--) std::swap(slot[i], slot[r.next() % (i + 1)]);
        int *sd = up(slot);
        __half *kc = raw<__half>(n), *vc = raw<__half>(n), *kd = k.d, *vd = v.d;
        group("kv_append",
              {{"block_scalar",
                [=] { kv_scalar<<<KV_T, 256>>>(kd, vd, sd, kc, vc); }},
               {"flat_vec8",
                [=] {
                    kv_vec<<<(int)(n / 8 / 256), 256>>>((uint4 *)kd, (uint4 *)vd, sd, (uint4 *)kc,
                                                        vc);
                }}},
              [=] {
                  POISON(kc, n);
                  POISON(vc, n);
              },
              [=] {
                  VD a = geth(kc, n), b = geth(vc, n);
                  a.insert(a.end(), b.begin(), b.end());
                  return a;
              },
              [&] {
                  VD w(2 * n);
                  for (int t = 0; t < KV_T; t++)
                      for (int h = 0; h < KV_H; h++)
                          for (int d = 0; d < KV_D; d++) {
                              int page = slot[t] / KV_P, off = slot[t] % KV_P;
                              size_t s = ((size_t)t * KV_H + h) * KV_D + d,
                                     ph = (size_t)page * KV_H + h;
                              w[ph * KV_D * KV_P + (d / 8) * KV_P * 8 + off * 8 + d % 8] = k.h[s];
                              w[n + (ph * KV_D + d) * KV_P + off] = v.h[s];
                          }
                  return w;
              },
              0, 0);
    }
    { // 12
        size_t n = (size_t)DA_BH * DA_S * DA_D;
        H q((size_t)DA_BH * DA_D, -2, 2, 24), k(n, -1, 1, 25), v(n, -1, 1, 26);
        size_t no = (size_t)DA_BH * DA_D;
        float *o = raw<float>(no);
        __half *qd = q.d, *kd = k.d, *vd = v.d;
        group("decode_attn",
              {{"block_naive", [=] { decode_naive<<<DA_BH, 256>>>(qd, kd, vd, o); }},
               {"warp_online", [=] { decode_warp<<<DA_BH, 256>>>(qd, kd, vd, o); }},
               {"cluster_split", [=] { decode_cluster<<<DA_BH * 4, 128>>>(qd, kd, vd, o); }}},
              [=] { POISON(o, no); }, [=] { return getf(o, no); },
              [&] {
                  VD w(no);
                  std::vector<double> p(DA_S);
                  for (int b = 0; b < DA_BH; b++) {
                      double m = -1e30, l = 0;
                      size_t kv = (size_t)b * DA_S * DA_D;
                      for (int j = 0; j < DA_S; j++) {
                          double s = 0;
                          for (int d = 0; d < DA_D; d++)
                              s += (double)q.h[b * DA_D + d] * k.h[kv + (size_t)j * DA_D + d];
                          p[j] = s * 0.125;
                          m = std::max(m, p[j]);
                      }
                      for (int j = 0; j < DA_S; j++) l += p[j] = std::exp(p[j] - m);
                      for (int j = 0; j < DA_S; j++)
                          for (int d = 0; d < DA_D; d++)
                              w[b * DA_D + d] += p[j] / l * v.h[kv + (size_t)j * DA_D + d];
                  }
                  return w;
              },
              1e-4, 1e-4);
    }
    { // 13
        size_t n = (size_t)PA_H * PA_N * PA_D;
        H q(n, -2, 2, 27), k(n, -1, 1, 28), v(n, -1, 1, 29);
        float *o = raw<float>(n);
        __half *qd = q.d, *kd = k.d, *vd = v.d;
        group("prefill_attn",
              {{"warp_query", [=] { prefill_warp<<<PA_H * PA_N / 4, 128>>>(qd, kd, vd, o); }},
               {"thread_query",
                [=] { prefill_thread<<<dim3(PA_N / 64, PA_H), 64>>>(qd, kd, vd, o); }},
               {"mma_flash", [=] { prefill_mma<<<dim3(PA_N / 64, PA_H), 128>>>(qd, kd, vd, o); }}},
              [=] { POISON(o, n); }, [=] { return getf(o, n); },
              [&] {
                  VD w(n);
                  std::vector<double> p(PA_N);
                  for (int h = 0; h < PA_H; h++)
                      for (int i = 0; i < PA_N; i++) {
                          size_t base = (size_t)h * PA_N * PA_D, qi = base + (size_t)i * PA_D;
                          double m = -1e30, l = 0;
                          for (int j = 0; j <= i; j++) {
                              double s = 0;
                              for (int d = 0; d < PA_D; d++)
                                  s += (double)q.h[qi + d] * k.h[base + (size_t)j * PA_D + d];
                              p[j] = s * 0.125;
                              m = std::max(m, p[j]);
                          }
                          for (int j = 0; j <= i; j++) l += p[j] = std::exp(p[j] - m);
                          for (int j = 0; j <= i; j++)
                              for (int d = 0; d < PA_D; d++)
                                  w[qi + d] += p[j] / l * v.h[base + (size_t)j * PA_D + d];
                      }
                  return w;
              },
              2e-3, 1e-3);
    }
    { // 14
        H x((size_t)SG_R * 2 * SG_F, -4, 4, 30);
        size_t n = (size_t)SG_R * SG_F;
        __half *y = raw<__half>(n), *xd = x.d;
        group("swiglu",
              {{"scalar",
                [=] {
                    swiglu_scalar<<<dim3((SG_F + 255) / 256, SG_R), 256>>>(xd, y, SG_F);
                }},
               {"vec8", [=] { swiglu_vec<<<SG_R, SG_F / 8>>>((uint4 *)xd, (uint4 *)y); }}},
              [=] { POISON(y, n); }, [=] { return geth(y, n); },
              [&] {
                  VD v(n);
                  for (int r = 0; r < SG_R; r++)
                      for (int c = 0; c < SG_F; c++) {
                          double g = x.h[(size_t)r * 2 * SG_F + c],
                                 u = x.h[(size_t)r * 2 * SG_F + SG_F + c];
                          v[(size_t)r * SG_F + c] = g / (1 + std::exp(-g)) * u;
                      }
                  return v;
              },
              1e-3, 2e-3);
    }
    { // 15
        size_t n = (size_t)TR_R * TR_C;
        H x(n, -1, 1, 31);
        __half *y = raw<__half>(n), *xd = x.d;
        group("transpose",
              {{"naive",
                [=] {
                    transpose_naive<<<dim3(TR_C / 32, TR_R / 8), dim3(32, 8)>>>(xd, y, TR_R, TR_C);
                }},
               {"tile64_half2",
                [=] {
                    transpose_tile<<<dim3(TR_C / 64, TR_R / 64), dim3(32, 8)>>>(xd, y);
                }}},
              [=] { POISON(y, n); }, [=] { return geth(y, n); },
              [&] {
                  VD v(n);
                  for (int r = 0; r < TR_R; r++)
                      for (int c = 0; c < TR_C; c++)
                          v[(size_t)c * TR_R + r] = x.h[(size_t)r * TR_C + c];
                  return v;
              },
              0, 0);
    }
    { // 16
        H x((size_t)CS_R * CS_C, -1, 1, 32);
        float *y = raw<float>(CS_C);
        __half *xd = x.d;
        group("colsum",
              {{"thread_column", [=] { colsum_thread<<<CS_C / 128, 128>>>(xd, y, CS_R, CS_C); }},
               {"block_32x32",
                [=] { colsum_block<<<CS_C / 32, dim3(32, 32)>>>(xd, y, CS_R, CS_C); }},
               {"cluster_vec",
                [=] { colsum_cluster<<<dim3(CS_C / 64, 8), 256>>>((uint4 *)xd, y); }}},
              [=] { POISON(y, CS_C); }, [=] { return getf(y, CS_C); },
              [&] {
                  VD v(CS_C);
                  for (int r = 0; r < CS_R; r++)
                      for (int c = 0; c < CS_C; c++) v[c] += x.h[(size_t)r * CS_C + c];
                  return v;
              },
              1e-3, 1e-4);
    }
    return g_bad ? 1 : 0;
}
