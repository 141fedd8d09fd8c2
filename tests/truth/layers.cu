// Pieces of deep learning, forward, backward and optimiser. 19 groups, 40 variants.
//   layers         times them all
//   layers check   runs each once and compares it with a CPU version
#include "programs.h"
#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
namespace cg = cooperative_groups;
using namespace nvcuda;
typedef __half half_t;
typedef std::vector<float> VF;
typedef std::vector<half_t> VH;

// ------------------------------------------------------------------------------- host helpers
static bool g_check = false;
static VF g_ref;                                        // of the current group, only in check
static std::vector<std::pair<void *, size_t>> g_out;    // cleared before each checked launch
static std::function<void()> g_reset;                   // restores what a variant updates in place

struct Rng {
    uint64_t s;
    explicit Rng(uint64_t seed) : s(seed * 0x9E3779B97F4A7C15ull + 7) {}
    uint32_t next() {
        uint64_t z = (s += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return (uint32_t)((z ^ (z >> 31)) >> 32);
    }
    float uni() { return (next() >> 8) * (1.0f / 16777216.0f); }
    float range(float a, float b) { return a + (b - a) * uni(); }
    int below(int n) { return (int)(next() % (unsigned)n); }
};
static VF fvec(Rng &r, size_t n, float a, float b) {
    VF v(n);
    for (auto &x : v) x = r.range(a, b);
    return v;
}
static VH hvec(Rng &r, size_t n, float a, float b) {
    VH v(n);
    for (auto &x : v) x = __float2half(r.range(a, b));
    return v;
}
static VF tofloat(const VH &h) {
    VF v(h.size());
    for (size_t i = 0; i < h.size(); i++) v[i] = __half2float(h[i]);
    return v;
}
template <class T> static T *up(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *zeros(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
template <class T> static void append(VF &r, const T *p, size_t n) {
    std::vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) r.push_back((float)h[i]);
}
template <class T> static VF down(const T *p, size_t n) {
    VF r;
    append(r, p, n);
    return r;
}
static void begin() {
    g_out.clear();
    g_ref.clear();
    g_reset = nullptr;
}
static void run(const char *g, const char *v, std::function<void()> f, std::function<VF()> get,
                double tol, double bad = 0) {
    if (!g_check) {
        bench(g, v, f);
        return;
    }
    for (auto &o : g_out) CK(cudaMemset(o.first, 0, o.second));
    if (g_reset) g_reset();
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    VF r = get();
    size_t miss = 0;
    double worst = 0;
    for (size_t i = 0; i < r.size() && i < g_ref.size(); i++) {
        double e = fabs((double)r[i] - g_ref[i]) / (1 + fabs((double)g_ref[i]));
        if (!(e <= tol)) miss++;
        if (!(e <= worst)) worst = e;
    }
    bool ok = r.size() == g_ref.size() && !r.empty() && miss <= bad * r.size();
    printf("{\"check\":\"%s/%s\",\"ok\":%s,\"worst\":%.3g,\"miss\":%zu}\n", g, v, ok ? "true" : "false",
           worst, miss);
    fflush(stdout);
}

// ----------------------------------------------------------------------------- device helpers
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}
// the textbook reductions; buf holds blockDim.x floats, a power of two
__device__ float tree_sum(float *buf, float v) {
    int t = threadIdx.x;
    __syncthreads();
    buf[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    return buf[0];
}
__device__ float tree_max(float *buf, float v) {
    int t = threadIdx.x;
    __syncthreads();
    buf[t] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] = fmaxf(buf[t], buf[t + s]);
        __syncthreads();
    }
    return buf[0];
}
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
__device__ __forceinline__ uint2 pack4(float a, float b, float c, float d) {
    uint2 u;
    __half2 *h = reinterpret_cast<__half2 *>(&u);
    h[0] = __floats2half2_rn(a, b);
    h[1] = __floats2half2_rn(c, d);
    return u;
}
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half_t, wmma::row_major> FragA;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half_t, wmma::row_major> FragB;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half_t, wmma::col_major> FragBt;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FragC;

// ------------------------------------------------------- 1. ln_bwd: input gradient of layer norm
__global__ void lnb_block(const float *x, const float *dy, const float *gamma, const float *mean,
                          const float *rstd, float *dx, int C) {
    extern __shared__ float buf[];
    int row = blockIdx.x;
    float mu = mean[row], rs = rstd[row];
    float s1 = 0, s2 = 0;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float g = dy[row * C + c] * gamma[c];
        s1 += g;
        s2 += g * (x[row * C + c] - mu) * rs;
    }
    s1 = tree_sum(buf, s1) / C;
    s2 = tree_sum(buf, s2) / C;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float g = dy[row * C + c] * gamma[c];
        float xh = (x[row * C + c] - mu) * rs;
        dx[row * C + c] = rs * (g - s1 - xh * s2);
    }
}
// a warp a row, the row in registers
template <int V>
__global__ void __launch_bounds__(128)
lnb_warp(const float4 *__restrict__ x, const float4 *__restrict__ dy, const float4 *__restrict__ gamma,
         const float *__restrict__ mean, const float *__restrict__ rstd, float4 *__restrict__ dx, int R) {
    int lane = threadIdx.x & 31, row = blockIdx.x * 4 + (threadIdx.x >> 5);
    if (row >= R) return;
    float mu = mean[row], rs = rstd[row];
    float4 g[V], h[V];
    float s1 = 0, s2 = 0;
#pragma unroll
    for (int i = 0; i < V; i++) {
        int c = i * 32 + lane;
        g[i] = dy[row * (V * 32) + c];
        h[i] = x[row * (V * 32) + c];
        float4 w = __ldg(gamma + c);
        g[i].x *= w.x, g[i].y *= w.y, g[i].z *= w.z, g[i].w *= w.w;
        h[i].x = (h[i].x - mu) * rs, h[i].y = (h[i].y - mu) * rs;
        h[i].z = (h[i].z - mu) * rs, h[i].w = (h[i].w - mu) * rs;
        s1 += g[i].x + g[i].y + g[i].z + g[i].w;
        s2 += g[i].x * h[i].x + g[i].y * h[i].y + g[i].z * h[i].z + g[i].w * h[i].w;
    }
    s1 = warp_sum(s1) * (1.0f / (V * 128));
    s2 = warp_sum(s2) * (1.0f / (V * 128));
#pragma unroll
    for (int i = 0; i < V; i++) {
        float4 o;
        o.x = rs * (g[i].x - s1 - h[i].x * s2);
        o.y = rs * (g[i].y - s1 - h[i].y * s2);
        o.z = rs * (g[i].z - s1 - h[i].z * s2);
        o.w = rs * (g[i].w - s1 - h[i].w * s2);
        dx[row * (V * 32) + i * 32 + lane] = o;
    }
}
static void group_lnb() {
    const char *G = "ln_bwd";
    if (!wanted(G)) return;
    begin();
    const int R = 2048, C = 768;
    Rng rng(101);
    VF hx = fvec(rng, R * C, -2, 2), hdy = fvec(rng, R * C, -1, 1), hg = fvec(rng, C, 0.5f, 1.5f);
    VF hm(R), hr(R);
    for (int r = 0; r < R; r++) {
        double s = 0, q = 0;
        for (int c = 0; c < C; c++) s += hx[r * C + c];
        s /= C;
        for (int c = 0; c < C; c++) q += (hx[r * C + c] - s) * (hx[r * C + c] - s);
        hm[r] = (float)s;
        hr[r] = (float)(1 / sqrt(q / C + 1e-5));
    }
    float *x = up(hx), *dy = up(hdy), *ga = up(hg), *mean = up(hm), *rstd = up(hr);
    float *dx = zeros<float>(R * C);
    g_out = {{dx, R * C * sizeof(float)}};
    if (g_check) {
        g_ref.resize(R * C);
        for (int r = 0; r < R; r++) {
            double s1 = 0, s2 = 0;
            for (int c = 0; c < C; c++) {
                double g = (double)hdy[r * C + c] * hg[c];
                s1 += g;
                s2 += g * (hx[r * C + c] - hm[r]) * hr[r];
            }
            for (int c = 0; c < C; c++)
                g_ref[r * C + c] = (float)(hr[r] * ((double)hdy[r * C + c] * hg[c] - s1 / C -
                                                    (hx[r * C + c] - hm[r]) * hr[r] * s2 / C));
        }
    }
    auto get = [=] { return down(dx, R * C); };
    run(G, "block_tree",
        [=] { lnb_block<<<R, 256, 256 * sizeof(float)>>>(x, dy, ga, mean, rstd, dx, C); }, get, 1e-4);
    run(G, "warp_regs",
        [=] {
            lnb_warp<6><<<R / 4, 128>>>((const float4 *)x, (const float4 *)dy, (const float4 *)ga, mean,
                                        rstd, (float4 *)dx, R);
        },
        get, 1e-4);
}

// -------------------------------------- 2. alibi_softmax: causal softmax with ALiBi, float to half
__global__ void asm_block(const float *s, half_t *p, int L, float scale) {
    __shared__ float buf[128];
    int row = blockIdx.x;
    int i = row % L, h = row / L;
    const float *src = s + (size_t)row * L;
    half_t *dst = p + (size_t)row * L;
    float m = -1e30f;
    for (int j = threadIdx.x; j <= i; j += blockDim.x)
        m = fmaxf(m, src[j] * scale + exp2f(-(float)(h + 1)) * (j - i));
    m = tree_max(buf, m);
    float sum = 0;
    for (int j = threadIdx.x; j <= i; j += blockDim.x)
        sum += expf(src[j] * scale + exp2f(-(float)(h + 1)) * (j - i) - m);
    sum = tree_sum(buf, sum);
    for (int j = threadIdx.x; j < L; j += blockDim.x) {
        float v = 0;
        if (j <= i) v = expf(src[j] * scale + exp2f(-(float)(h + 1)) * (j - i) - m) / sum;
        dst[j] = __float2half(v);
    }
}
__global__ void __launch_bounds__(128)
asm_warp(const float *__restrict__ s, half_t *__restrict__ p, float scale) {
    constexpr int L = 512;
    int lane = threadIdx.x & 31;
    int row = blockIdx.x * 4 + (threadIdx.x >> 5);
    int i = row & (L - 1), h = row / L;
    float slope = exp2f(-(float)(h + 1)) * 1.44269504f;
    scale *= 1.44269504f;
    const float4 *src = reinterpret_cast<const float4 *>(s + (size_t)row * L);
    float4 v[4];
    float m = -1e30f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int j = (k * 32 + lane) * 4;
        v[k] = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
        if (j <= i) {
            float4 t = src[k * 32 + lane];
            v[k].x = t.x * scale + slope * (j - i);
            if (j + 1 <= i) v[k].y = t.y * scale + slope * (j + 1 - i);
            if (j + 2 <= i) v[k].z = t.z * scale + slope * (j + 2 - i);
            if (j + 3 <= i) v[k].w = t.w * scale + slope * (j + 3 - i);
        }
        m = fmaxf(m, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
    }
    m = warp_max(m);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k].x = exp2f(v[k].x - m), v[k].y = exp2f(v[k].y - m);
        v[k].z = exp2f(v[k].z - m), v[k].w = exp2f(v[k].w - m);
        sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    float r = 1.0f / warp_sum(sum);
    uint2 *dst = reinterpret_cast<uint2 *>(p + (size_t)row * L);
#pragma unroll
    for (int k = 0; k < 4; k++)
        dst[k * 32 + lane] = pack4(v[k].x * r, v[k].y * r, v[k].z * r, v[k].w * r);
}
static void group_alibi() {
    const char *G = "alibi_softmax";
    if (!wanted(G)) return;
    begin();
    const int H = 8, L = 512, R = H * L;
    const float scale = 0.125f;
    Rng rng(102);
    VF hs = fvec(rng, (size_t)R * L, -30, 30);
    float *s = up(hs);
    half_t *p = zeros<half_t>((size_t)R * L);
    g_out = {{p, (size_t)R * L * sizeof(half_t)}};
    if (g_check) {
        g_ref.assign((size_t)R * L, 0);
        for (int r = 0; r < R; r++) {
            int i = r % L;
            double sl = exp2(-(double)(r / L + 1)), m = -1e30, sum = 0;
            for (int j = 0; j <= i; j++) m = std::max(m, hs[(size_t)r * L + j] * 0.125 + sl * (j - i));
            for (int j = 0; j <= i; j++) sum += exp(hs[(size_t)r * L + j] * 0.125 + sl * (j - i) - m);
            for (int j = 0; j <= i; j++)
                g_ref[(size_t)r * L + j] = (float)(exp(hs[(size_t)r * L + j] * 0.125 + sl * (j - i) - m) / sum);
        }
    }
    auto get = [=] { return down(p, (size_t)R * L); };
    run(G, "block_3pass", [=] { asm_block<<<R, 128>>>(s, p, L, scale); }, get, 1e-3);
    run(G, "warp_regs", [=] { asm_warp<<<R / 4, 128>>>(s, p, scale); }, get, 1e-3);
}

// ------------------------------------------------ 3. attn_qk: masked scores, half in, float out
__global__ void qk_naive(const half_t *q, const half_t *k, float *s, int L, int D, float scale) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int h = blockIdx.z;
    if (i >= L || j >= L) return;
    if (j > i) {
        s[((size_t)h * L + i) * L + j] = -10000.0f;
        return;
    }
    float acc = 0;
    for (int d = 0; d < D; d++)
        acc += __half2float(q[((size_t)h * L + i) * D + d]) * __half2float(k[((size_t)h * L + j) * D + d]);
    s[((size_t)h * L + i) * L + j] = acc * scale;
}
// 64 x 64 of the scores a block, D = 64
__global__ void __launch_bounds__(128)
qk_wmma(const half_t *__restrict__ q, const half_t *__restrict__ k, float *__restrict__ s, int L,
        float scale) {
    __shared__ __align__(128) half_t qs[64 * 72];
    __shared__ __align__(128) half_t ks[64 * 72];
    __shared__ __align__(128) float cs[64 * 68];
    int i0 = blockIdx.y * 64, j0 = blockIdx.x * 64, h = blockIdx.z, t = threadIdx.x;
    float *dst = s + ((size_t)h * L + i0) * L + j0;
    if (j0 > i0 + 63) {
        float4 m = make_float4(-10000.0f, -10000.0f, -10000.0f, -10000.0f);
        for (int e = t; e < 64 * 16; e += 128)
            *reinterpret_cast<float4 *>(dst + (size_t)(e / 16) * L + (e % 16) * 4) = m;
        return;
    }
    const uint4 *qg = reinterpret_cast<const uint4 *>(q + ((size_t)h * L + i0) * 64);
    const uint4 *kg = reinterpret_cast<const uint4 *>(k + ((size_t)h * L + j0) * 64);
#pragma unroll
    for (int e = t; e < 512; e += 128) {
        *reinterpret_cast<uint4 *>(qs + (e / 8) * 72 + (e % 8) * 8) = qg[e];
        *reinterpret_cast<uint4 *>(ks + (e / 8) * 72 + (e % 8) * 8) = kg[e];
    }
    __syncthreads();
    int w = t / 32;
    FragC c[4];
#pragma unroll
    for (int n = 0; n < 4; n++) wmma::fill_fragment(c[n], 0.0f);
#pragma unroll
    for (int d = 0; d < 64; d += 16) {
        FragA a;
        wmma::load_matrix_sync(a, qs + w * 16 * 72 + d, 72);
#pragma unroll
        for (int n = 0; n < 4; n++) {
            FragBt b;
            wmma::load_matrix_sync(b, ks + n * 16 * 72 + d, 72);
            wmma::mma_sync(c[n], a, b, c[n]);
        }
    }
#pragma unroll
    for (int n = 0; n < 4; n++)
        wmma::store_matrix_sync(cs + w * 16 * 68 + n * 16, c[n], 68, wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < 64 * 16; e += 128) {
        int r = e / 16, col = (e % 16) * 4, i = i0 + r, j = j0 + col;
        float4 v = *reinterpret_cast<float4 *>(cs + r * 68 + col);
        v.x = j <= i ? v.x * scale : -10000.0f;
        v.y = j + 1 <= i ? v.y * scale : -10000.0f;
        v.z = j + 2 <= i ? v.z * scale : -10000.0f;
        v.w = j + 3 <= i ? v.w * scale : -10000.0f;
        *reinterpret_cast<float4 *>(dst + (size_t)r * L + col) = v;
    }
}
static void group_qk() {
    const char *G = "attn_qk";
    if (!wanted(G)) return;
    begin();
    const int H = 12, L = 256, D = 64;
    const size_t n = (size_t)H * L * L;
    Rng rng(103);
    VH hq = hvec(rng, H * L * D, -1, 1), hk = hvec(rng, H * L * D, -1, 1);
    half_t *q = up(hq), *k = up(hk);
    float *s = zeros<float>(n);
    g_out = {{s, n * sizeof(float)}};
    if (g_check) {
        VF fq = tofloat(hq), fk = tofloat(hk);
        g_ref.assign(n, -10000.0f);
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++)
                for (int j = 0; j <= i; j++) {
                    double a = 0;
                    for (int d = 0; d < D; d++) a += (double)fq[(h * L + i) * D + d] * fk[(h * L + j) * D + d];
                    g_ref[((size_t)h * L + i) * L + j] = (float)(a * 0.125);
                }
    }
    auto get = [=] { return down(s, n); };
    run(G, "naive",
        [=] { qk_naive<<<dim3(L / 16, L / 16, H), dim3(16, 16)>>>(q, k, s, L, D, 0.125f); }, get, 1e-3);
    run(G, "wmma_64x64", [=] { qk_wmma<<<dim3(L / 64, L / 64, H), 128>>>(q, k, s, L, 0.125f); }, get,
        1e-3);
}

// ---------------------------------------- 4. attn_pv: probabilities times values, causal, D = 64
__global__ void pv_naive(const half_t *p, const half_t *v, float *o, int L, int D) {
    int d = threadIdx.x;
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    int h = blockIdx.y;
    if (i >= L) return;
    float acc = 0;
    for (int j = 0; j <= i; j++)
        acc += __half2float(p[((size_t)h * L + i) * L + j]) * __half2float(v[((size_t)h * L + j) * D + d]);
    o[((size_t)h * L + i) * D + d] = acc;
}
// 32 rows x 64 columns a block, 4 x 4 a thread
__global__ void __launch_bounds__(128)
pv_tile(const half_t *__restrict__ p, const half_t *__restrict__ v, float *__restrict__ o, int L) {
    __shared__ __align__(16) float ps[32][36];    // [j][row]
    __shared__ __align__(16) float vs[32][64];
    int t = threadIdx.x, h = blockIdx.y;
    int i0 = (gridDim.x - 1 - blockIdx.x) * 32;    // the long ones first
    int tx = t % 16, ty = t / 16;
    float acc[4][4] = {};
    for (int j0 = 0; j0 < i0 + 32; j0 += 32) {
        float f[8];
        int r = t / 4, c = (t % 4) * 8;
        unpack8(*reinterpret_cast<const uint4 *>(p + ((size_t)h * L + i0 + r) * L + j0 + c), f);
#pragma unroll
        for (int u = 0; u < 8; u++) ps[c + u][r] = f[u];
#pragma unroll
        for (int u = 0; u < 2; u++) {
            int e = t + u * 128, jr = e / 8, jc = (e % 8) * 8;
            unpack8(*reinterpret_cast<const uint4 *>(v + ((size_t)h * L + j0 + jr) * 64 + jc), f);
            *reinterpret_cast<float4 *>(&vs[jr][jc]) = make_float4(f[0], f[1], f[2], f[3]);
            *reinterpret_cast<float4 *>(&vs[jr][jc + 4]) = make_float4(f[4], f[5], f[6], f[7]);
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 32; j++) {
            float4 a = *reinterpret_cast<float4 *>(&ps[j][ty * 4]);
            float4 b = *reinterpret_cast<float4 *>(&vs[j][tx * 4]);
            float aa[4] = {a.x, a.y, a.z, a.w}, bb[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++) acc[y][x] += aa[y] * bb[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; y++)
        *reinterpret_cast<float4 *>(o + ((size_t)h * L + i0 + ty * 4 + y) * 64 + tx * 4) =
            make_float4(acc[y][0], acc[y][1], acc[y][2], acc[y][3]);
}
static void group_pv() {
    const char *G = "attn_pv";
    if (!wanted(G)) return;
    begin();
    const int H = 12, L = 256, D = 64;
    Rng rng(104);
    VH hv = hvec(rng, H * L * D, -1, 1), hp((size_t)H * L * L, __float2half(0.0f));
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++)
            for (int j = 0; j <= i; j++)
                hp[((size_t)h * L + i) * L + j] = __float2half(rng.range(0.0f, 2.0f) / (i + 1));
    half_t *v = up(hv), *p = up(hp);
    float *o = zeros<float>(H * L * D);
    g_out = {{o, H * L * D * sizeof(float)}};
    if (g_check) {
        VF fv = tofloat(hv), fp = tofloat(hp);
        g_ref.resize(H * L * D);
        for (int h = 0; h < H; h++)
            for (int i = 0; i < L; i++) {
                double a[64] = {};
                for (int j = 0; j <= i; j++)
                    for (int d = 0; d < D; d++)
                        a[d] += (double)fp[((size_t)h * L + i) * L + j] * fv[(h * L + j) * D + d];
                for (int d = 0; d < D; d++) g_ref[(h * L + i) * D + d] = (float)a[d];
            }
    }
    auto get = [=] { return down(o, H * L * D); };
    run(G, "naive", [=] { pv_naive<<<dim3(L / 4, H), dim3(64, 4)>>>(p, v, o, L, D); }, get, 1e-4);
    run(G, "tile_4x4", [=] { pv_tile<<<dim3(L / 32, H), 128>>>(p, v, o, L); }, get, 1e-4);
}

// --------------- 5. qkv_rope: split [T][3][H][64] into [3][H][T][64], rotary embedding on q and k
__global__ void rope_pairs(const half_t *qkv, half_t *out, int T, int H, int D) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= T * 3 * H * D / 2) return;
    int d = idx % (D / 2);
    int h = idx / (D / 2) % H;
    int which = idx / (D / 2 * H) % 3;
    int t = idx / (D / 2 * H * 3);
    float a = __half2float(qkv[2 * idx]), b = __half2float(qkv[2 * idx + 1]);
    if (which < 2) {
        float freq = powf(10000.0f, -2.0f * d / D);
        float sn, cs;
        sincosf(t * freq, &sn, &cs);
        float x = a * cs - b * sn;
        b = a * sn + b * cs;
        a = x;
    }
    size_t o = (((size_t)which * H + h) * T + t) * D + 2 * d;
    out[o] = __float2half(a);
    out[o + 1] = __float2half(b);
}
// eight halves a thread, (cos, sin) from a table [T][32]
__global__ void __launch_bounds__(192)
rope_vec(const uint4 *__restrict__ qkv, const float4 *__restrict__ cs, uint4 *__restrict__ out, int T) {
    constexpr int H = 8;
    int t = blockIdx.x, k = threadIdx.x;    // 3 * 8 * 8 = 192 words of a token
    uint4 u = qkv[t * 192 + k];
    int e = k & 7, h = (k >> 3) & (H - 1), which = k >> 6;
    if (which < 2) {
        float f[8];
        unpack8(u, f);
        float4 c0 = __ldg(cs + t * 16 + e * 2), c1 = __ldg(cs + t * 16 + e * 2 + 1);
        float g[8] = {f[0] * c0.x - f[1] * c0.y, f[0] * c0.y + f[1] * c0.x,
                      f[2] * c0.z - f[3] * c0.w, f[2] * c0.w + f[3] * c0.z,
                      f[4] * c1.x - f[5] * c1.y, f[4] * c1.y + f[5] * c1.x,
                      f[6] * c1.z - f[7] * c1.w, f[6] * c1.w + f[7] * c1.z};
        u = pack8(g);
    }
    out[((which * H + h) * T + t) * 8 + e] = u;
}
static void group_rope() {
    const char *G = "qkv_rope";
    if (!wanted(G)) return;
    begin();
    const int T = 1024, H = 8, D = 64, n = T * 3 * H * D;
    Rng rng(105);
    VH hx = hvec(rng, n, -1, 1);
    VF tab(T * D);
    for (int t = 0; t < T; t++)
        for (int d = 0; d < D / 2; d++) {
            double a = t * pow(10000.0, -2.0 * d / D);
            tab[t * D + 2 * d] = (float)cos(a);
            tab[t * D + 2 * d + 1] = (float)sin(a);
        }
    half_t *x = up(hx), *o = zeros<half_t>(n);
    float *cs = up(tab);
    g_out = {{o, n * sizeof(half_t)}};
    if (g_check) {
        VF f = tofloat(hx);
        g_ref.resize(n);
        for (int i = 0; i < n / 2; i++) {
            int d = i % 32, h = i / 32 % H, w = i / (32 * H) % 3, t = i / (32 * H * 3);
            float a = f[2 * i], b = f[2 * i + 1], c = tab[t * D + 2 * d], s = tab[t * D + 2 * d + 1];
            size_t k = (((size_t)w * H + h) * T + t) * D + 2 * d;
            g_ref[k] = w < 2 ? a * c - b * s : a;
            g_ref[k + 1] = w < 2 ? a * s + b * c : b;
        }
    }
    auto get = [=] { return down(o, n); };
    run(G, "pair_powf", [=] { rope_pairs<<<n / 2 / 256, 256>>>(x, o, T, H, D); }, get, 2e-3);
    run(G, "table_vec8",
        [=] { rope_vec<<<T, 192>>>((const uint4 *)x, (const float4 *)cs, (uint4 *)o, T); }, get, 2e-3);
}

// ----------------------------------- 6. fp8_gemv: e4m3 weights [N][K], scale of each row, half x
__global__ void fp8_block(const unsigned char *w, const float *scale, const half_t *x, float *y, int K) {
    __shared__ float buf[128];
    int n = blockIdx.x;
    float s = 0;
    for (int k = threadIdx.x; k < K; k += blockDim.x) {
        half_t h = half_t(__nv_cvt_fp8_to_halfraw(w[(size_t)n * K + k], __NV_E4M3));
        s += __half2float(h) * __half2float(x[k]);
    }
    s = tree_sum(buf, s);
    if (threadIdx.x == 0) y[n] = s * scale[n];
}
__global__ void __launch_bounds__(256)
fp8_warp(const uint4 *__restrict__ w, const float *__restrict__ scale, const uint4 *__restrict__ x,
         float *__restrict__ y, int K) {
    int lane = threadIdx.x & 31, n = blockIdx.x * 8 + (threadIdx.x >> 5);
    float s0 = 0, s1 = 0;
#pragma unroll 4
    for (int k = lane; k < K / 16; k += 32) {
        uint4 u = w[(size_t)n * (K / 16) + k];
        uint4 xa = __ldg(x + 2 * k), xb = __ldg(x + 2 * k + 1);
        unsigned ww[4] = {u.x, u.y, u.z, u.w};
        unsigned xx[8] = {xa.x, xa.y, xa.z, xa.w, xb.x, xb.y, xb.z, xb.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 2; j++) {
                __half2 h = __half2(
                    __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(ww[i] >> (16 * j)), __NV_E4M3));
                float2 a = __half22float2(h);
                float2 b = __half22float2(*reinterpret_cast<__half2 *>(&xx[2 * i + j]));
                s0 = fmaf(a.x, b.x, s0);
                s1 = fmaf(a.y, b.y, s1);
            }
    }
    s0 = warp_sum(s0 + s1);
    if (lane == 0) y[n] = s0 * scale[n];
}
static float e4m3(unsigned char b) {
    int e = (b >> 3) & 15, m = b & 7;
    float v = e ? ldexpf(1.0f + m / 8.0f, e - 7) : ldexpf(m / 8.0f, -6);
    return b & 128 ? -v : v;
}
static void group_fp8() {
    const char *G = "fp8_gemv";
    if (!wanted(G)) return;
    begin();
    const int N = 4096, K = 2048;
    Rng rng(106);
    std::vector<unsigned char> hw((size_t)N * K);
    for (auto &b : hw) b = (unsigned char)((rng.next() & 0x87) | rng.below(9) << 3);
    VF hs = fvec(rng, N, 0.01f, 0.05f);
    VH hx = hvec(rng, K, -1, 1);
    unsigned char *w = up(hw);
    float *sc = up(hs), *y = zeros<float>(N);
    half_t *x = up(hx);
    g_out = {{y, N * sizeof(float)}};
    if (g_check) {
        VF fx = tofloat(hx);
        g_ref.resize(N);
        for (int n = 0; n < N; n++) {
            double a = 0;
            for (int k = 0; k < K; k++) a += (double)e4m3(hw[(size_t)n * K + k]) * fx[k];
            g_ref[n] = (float)(a * hs[n]);
        }
    }
    auto get = [=] { return down(y, N); };
    run(G, "block_bytes", [=] { fp8_block<<<N, 128>>>(w, sc, x, y, K); }, get, 1e-4);
    run(G, "warp_vec16",
        [=] { fp8_warp<<<N / 8, 256>>>((const uint4 *)w, sc, (const uint4 *)x, y, K); }, get, 1e-4);
}

// --------------------- 7. w4_gemm: 16 tokens, 4-bit weights [N][K/8] words, a scale for 64 along K
__global__ void w4_naive(const half_t *x, const unsigned *w, const half_t *sc, float *y, int N, int K) {
    int m = threadIdx.x;    // 16
    int n = blockIdx.x * blockDim.y + threadIdx.y;
    float acc = 0;
    for (int kw = 0; kw < K / 8; kw++) {
        unsigned u = w[(size_t)n * (K / 8) + kw];
        float s = __half2float(sc[n * (K / 64) + kw / 8]);
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int q = (int)((u >> (4 * i)) & 15) - 8;
            acc += __half2float(x[m * K + kw * 8 + i]) * (s * q);
        }
    }
    y[m * N + n] = acc;
}
// a block: 16 columns; its eight warps share K = 1024
__global__ void __launch_bounds__(256)
w4_wmma(const half_t *__restrict__ x, const unsigned *__restrict__ w, const half_t *__restrict__ sc,
        float *__restrict__ y, int N) {
    constexpr int K = 1024;
    __shared__ __align__(128) half_t bs[8][16 * 72];
    __shared__ __align__(128) float red[8][256];
    int t = threadIdx.x, lane = t & 31, wp = t >> 5, n0 = blockIdx.x * 16;
    FragC c;
    wmma::fill_fragment(c, 0.0f);
#pragma unroll
    for (int g = 0; g < 2; g++) {
        int k0 = wp * 128 + g * 64;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int e = lane + 32 * i, n = e >> 3, kw = e & 7;
            unsigned u = w[(size_t)(n0 + n) * (K / 8) + k0 / 8 + kw];
            float s = __half2float(sc[(n0 + n) * (K / 64) + k0 / 64]);
            float f[8];
#pragma unroll
            for (int b = 0; b < 8; b++) f[b] = s * (float)((int)((u >> (4 * b)) & 15) - 8);
            *reinterpret_cast<uint4 *>(&bs[wp][n * 72 + kw * 8]) = pack8(f);
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < 64; k += 16) {
            FragA a;
            FragBt b;
            wmma::load_matrix_sync(a, x + k0 + k, K);
            wmma::load_matrix_sync(b, &bs[wp][k], 72);
            wmma::mma_sync(c, a, b, c);
        }
        __syncwarp();
    }
    wmma::store_matrix_sync(red[wp], c, 16, wmma::mem_row_major);
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) s += red[i][t];
    y[(t >> 4) * N + n0 + (t & 15)] = s;
}
static void group_w4() {
    const char *G = "w4_gemm";
    if (!wanted(G)) return;
    begin();
    const int M = 16, N = 1024, K = 1024;
    Rng rng(107);
    VH hx = hvec(rng, M * K, -1, 1), hs = hvec(rng, N * K / 64, 0.005f, 0.02f);
    std::vector<unsigned> hw(N * K / 8);
    for (auto &u : hw) u = rng.next();
    half_t *x = up(hx), *sc = up(hs);
    unsigned *w = up(hw);
    float *y = zeros<float>(M * N);
    g_out = {{y, M * N * sizeof(float)}};
    if (g_check) {
        VF fx = tofloat(hx), fs = tofloat(hs);
        g_ref.resize(M * N);
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                double a = 0;
                for (int k = 0; k < K; k++)
                    a += (double)fx[m * K + k] * fs[n * (K / 64) + k / 64] *
                         ((int)(hw[n * (K / 8) + k / 8] >> (4 * (k % 8)) & 15) - 8);
                g_ref[m * N + n] = (float)a;
            }
    }
    auto get = [=] { return down(y, M * N); };
    run(G, "thread_each", [=] { w4_naive<<<N / 16, dim3(16, 16)>>>(x, w, sc, y, N, K); }, get, 5e-3);
    run(G, "dequant_wmma", [=] { w4_wmma<<<N / 16, 256>>>(x, w, sc, y, N); }, get, 5e-3);
}

// ------------------------ 8. moe_combine: expert outputs (sorted by expert) back to their tokens
// adds to what out holds
__global__ void combine_atomic(const half_t *y, const int *row_token, const float *row_weight, float *out,
                               int rows, int D) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= rows * D) return;
    int r = idx / D, d = idx % D;
    atomicAdd(&out[row_token[r] * D + d], row_weight[r] * __half2float(y[idx]));
}
__global__ void __launch_bounds__(128)
combine_gather(const uint4 *__restrict__ y, const int2 *__restrict__ rows, const float2 *__restrict__ wt,
               float4 *__restrict__ out, int D8) {
    int tok = blockIdx.x * 2 + threadIdx.y, c = threadIdx.x;
    int2 r = rows[tok];
    float2 w = wt[tok];
    float a[8], b[8];
    unpack8(y[r.x * D8 + c], a);
    unpack8(y[r.y * D8 + c], b);
#pragma unroll
    for (int i = 0; i < 8; i++) a[i] = w.x * a[i] + w.y * b[i];
    out[(tok * D8 + c) * 2] = make_float4(a[0], a[1], a[2], a[3]);
    out[(tok * D8 + c) * 2 + 1] = make_float4(a[4], a[5], a[6], a[7]);
}
static void group_combine() {
    const char *G = "moe_combine";
    if (!wanted(G)) return;
    begin();
    const int T = 4096, D = 512, R = 2 * T, E = 16;
    Rng rng(108);
    VH hy = hvec(rng, (size_t)R * D, -1, 1);
    std::vector<std::pair<int, int>> sel;    // (expert, token * 2 + slot)
    for (int t = 0; t < T; t++) {
        int a = std::min(rng.below(E), rng.below(E)), b = (a + 1 + rng.below(E - 1)) % E;
        sel.push_back({a, 2 * t});
        sel.push_back({b, 2 * t + 1});
    }
    std::sort(sel.begin(), sel.end());
    std::vector<int> tok(R), inv(R);
    VF wr(R), wt(R);
    for (int t = 0; t < T; t++) {
        wt[2 * t] = rng.range(0.5f, 1.0f);
        wt[2 * t + 1] = 1 - wt[2 * t];
    }
    for (int r = 0; r < R; r++) {
        tok[r] = sel[r].second / 2;
        inv[sel[r].second] = r;
        wr[r] = wt[sel[r].second];
    }
    half_t *y = up(hy);
    int *dt = up(tok), *di = up(inv);
    float *dwr = up(wr), *dwt = up(wt), *o = zeros<float>(T * D);
    g_out = {{o, T * D * sizeof(float)}};
    if (g_check) {
        g_ref.resize(T * D);
        for (int t = 0; t < T; t++)
            for (int d = 0; d < D; d++)
                g_ref[t * D + d] = wt[2 * t] * __half2float(hy[(size_t)inv[2 * t] * D + d]) +
                                   wt[2 * t + 1] * __half2float(hy[(size_t)inv[2 * t + 1] * D + d]);
    }
    auto get = [=] { return down(o, T * D); };
    run(G, "scatter_atomic", [=] { combine_atomic<<<R * D / 256, 256>>>(y, dt, dwr, o, R, D); }, get,
        1e-5);
    run(G, "gather_vec8",
        [=] {
            combine_gather<<<T / 2, dim3(D / 8, 2)>>>((const uint4 *)y, (const int2 *)di,
                                                      (const float2 *)dwt, (float4 *)o, D / 8);
        },
        get, 1e-5);
}

// -------------------- 9. moe_gemm: gathered token rows times the weights of each row's own expert
__global__ void moe_naive(const half_t *x, const half_t *w, const int *row_token, const int *offs,
                          half_t *y, int rows, int N, int K, int E) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N || r >= rows) return;
    int e = 0;
    while (e < E - 1 && r >= offs[e + 1]) e++;
    float acc = 0;
    for (int k = 0; k < K; k++)
        acc += __half2float(x[row_token[r] * K + k]) * __half2float(w[((size_t)e * K + k) * N + n]);
    y[r * N + n] = __float2half(acc);
}
// tiles: (expert, first row, past the last row); 32 rows x 64 columns a block
__global__ void __launch_bounds__(128)
moe_wmma(const half_t *__restrict__ x, const half_t *__restrict__ w, const int *__restrict__ row_token,
         const int4 *__restrict__ tiles, half_t *__restrict__ y, int N, int K) {
    __shared__ __align__(128) half_t as[32 * 40];
    __shared__ __align__(128) half_t bs[32 * 72];
    __shared__ __align__(128) float cs[32 * 68];
    int4 tl = tiles[blockIdx.x];
    int n0 = blockIdx.y * 64, t = threadIdx.x, wp = t / 32, wm = wp / 2, wn = wp % 2;
    int ar = t / 4, ac = (t % 4) * 8;
    bool live = tl.y + ar < tl.z;
    const half_t *xa = x + (size_t)(live ? row_token[tl.y + ar] : 0) * K + ac;
    const half_t *wb = w + (size_t)tl.x * K * N + n0;
    FragC c[2];
    wmma::fill_fragment(c[0], 0.0f);
    wmma::fill_fragment(c[1], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        uint4 va = make_uint4(0, 0, 0, 0);
        if (live) va = *reinterpret_cast<const uint4 *>(xa + k0);
        *reinterpret_cast<uint4 *>(as + ar * 40 + ac) = va;
#pragma unroll
        for (int u = 0; u < 2; u++) {
            int e = t + u * 128, br = e / 8, bc = (e % 8) * 8;
            *reinterpret_cast<uint4 *>(bs + br * 72 + bc) =
                *reinterpret_cast<const uint4 *>(wb + (size_t)(k0 + br) * N + bc);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            FragA a;
            wmma::load_matrix_sync(a, as + wm * 16 * 40 + k, 40);
#pragma unroll
            for (int n = 0; n < 2; n++) {
                FragB b;
                wmma::load_matrix_sync(b, bs + k * 72 + wn * 32 + n * 16, 72);
                wmma::mma_sync(c[n], a, b, c[n]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < 2; n++)
        wmma::store_matrix_sync(cs + wm * 16 * 68 + wn * 32 + n * 16, c[n], 68, wmma::mem_row_major);
    __syncthreads();
    for (int e = t; e < 32 * 16; e += 128) {
        int r = e / 16, col = (e % 16) * 4;
        if (tl.y + r < tl.z) {
            float4 v = *reinterpret_cast<float4 *>(cs + r * 68 + col);
            *reinterpret_cast<uint2 *>(y + (size_t)(tl.y + r) * N + n0 + col) = pack4(v.x, v.y, v.z, v.w);
        }
    }
}
static void group_moe() {
    const char *G = "moe_gemm";
    if (!wanted(G)) return;
    begin();
    const int T = 384, R = 768, K = 256, N = 128, E = 8;
    Rng rng(109);
    VH hx = hvec(rng, T * K, -1, 1), hw = hvec(rng, (size_t)E * K * N, -0.1f, 0.1f);
    std::vector<std::pair<int, int>> sel;
    for (int t = 0; t < T; t++) {
        int a = std::min(rng.below(E), rng.below(E)), b = (a + 1 + rng.below(E - 1)) % E;
        sel.push_back({a, t});
        sel.push_back({b, t});
    }
    std::sort(sel.begin(), sel.end());
    std::vector<int> tok(R), offs(E + 1, 0);
    for (int r = 0; r < R; r++) {
        tok[r] = sel[r].second;
        offs[sel[r].first + 1]++;
    }
    for (int e = 0; e < E; e++) offs[e + 1] += offs[e];
    std::vector<int4> tiles;
    for (int e = 0; e < E; e++)
        for (int r = offs[e]; r < offs[e + 1]; r += 32)
            tiles.push_back(make_int4(e, r, std::min(r + 32, offs[e + 1]), 0));
    const int nt = (int)tiles.size();
    half_t *x = up(hx), *w = up(hw), *y = zeros<half_t>(R * N);
    int *dt = up(tok), *dof = up(offs);
    int4 *dtl = up(tiles);
    g_out = {{y, R * N * sizeof(half_t)}};
    if (g_check) {
        VF fx = tofloat(hx), fw = tofloat(hw);
        g_ref.resize(R * N);
        for (int r = 0; r < R; r++) {
            std::vector<double> a(N, 0.0);
            for (int k = 0; k < K; k++)
                for (int n = 0; n < N; n++)
                    a[n] += (double)fx[tok[r] * K + k] * fw[((size_t)sel[r].first * K + k) * N + n];
            for (int n = 0; n < N; n++) g_ref[r * N + n] = (float)a[n];
        }
    }
    auto get = [=] { return down(y, R * N); };
    run(G, "naive",
        [=] { moe_naive<<<dim3(N / 32, R / 8), dim3(32, 8)>>>(x, w, dt, dof, y, R, N, K, E); }, get, 2e-3);
    run(G, "tiles_wmma", [=] { moe_wmma<<<dim3(nt, N / 64), 128>>>(x, w, dt, dtl, y, N, K); }, get, 2e-3);
}

// ------------------------------- 10. gemm_odd: half, 197 x 515 x 203 (no dimension is even), bias
__global__ void odd_naive(const half_t *a, const half_t *b, const float *bias, float *c, int M, int N,
                          int K) {
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N) return;
    float s = bias[n];
    for (int k = 0; k < K; k++) s += __half2float(a[m * K + k]) * __half2float(b[k * N + n]);
    c[m * N + n] = s;
}
__global__ void __launch_bounds__(128)
odd_wmma(const half_t *__restrict__ a, const half_t *__restrict__ b, const float *__restrict__ bias,
         float *__restrict__ c, int M, int N, int K) {
    __shared__ __align__(128) half_t as[32 * 40];
    __shared__ __align__(128) half_t bs[32 * 40];
    __shared__ __align__(128) float cs[32 * 36];
    int m0 = blockIdx.y * 32, n0 = blockIdx.x * 32, t = threadIdx.x;
    int wp = t / 32, wm = wp / 2, wn = wp % 2, col = t % 32, row = t / 32;
    FragC acc;
    wmma::fill_fragment(acc, 0.0f);
    const half_t zero = __float2half(0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int r = row + i * 4;
            as[r * 40 + col] = m0 + r < M && k0 + col < K ? a[(m0 + r) * K + k0 + col] : zero;
            bs[r * 40 + col] = k0 + r < K && n0 + col < N ? b[(k0 + r) * N + n0 + col] : zero;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            FragA fa;
            FragB fb;
            wmma::load_matrix_sync(fa, as + wm * 16 * 40 + k, 40);
            wmma::load_matrix_sync(fb, bs + k * 40 + wn * 16, 40);
            wmma::mma_sync(acc, fa, fb, acc);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(cs + wm * 16 * 36 + wn * 16, acc, 36, wmma::mem_row_major);
    __syncthreads();
    if (n0 + col < N) {
        float bn = bias[n0 + col];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            int r = row + i * 4;
            if (m0 + r < M) c[(m0 + r) * N + n0 + col] = cs[r * 36 + col] + bn;
        }
    }
}
static void group_odd() {
    const char *G = "gemm_odd";
    if (!wanted(G)) return;
    begin();
    const int M = 197, N = 515, K = 203;
    Rng rng(110);
    VH ha = hvec(rng, M * K, -1, 1), hb = hvec(rng, K * N, -0.5f, 0.5f);
    VF hbias = fvec(rng, N, -1, 1);
    half_t *a = up(ha), *b = up(hb);
    float *bias = up(hbias), *c = zeros<float>(M * N);
    g_out = {{c, M * N * sizeof(float)}};
    if (g_check) {
        VF fa = tofloat(ha), fb = tofloat(hb);
        g_ref.resize(M * N);
        for (int m = 0; m < M; m++) {
            std::vector<double> s(hbias.begin(), hbias.end());
            for (int k = 0; k < K; k++)
                for (int n = 0; n < N; n++) s[n] += (double)fa[m * K + k] * fb[k * N + n];
            for (int n = 0; n < N; n++) g_ref[m * N + n] = (float)s[n];
        }
    }
    auto get = [=] { return down(c, M * N); };
    run(G, "naive",
        [=] {
            odd_naive<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(a, b, bias, c, M, N, K);
        },
        get, 1e-3);
    run(G, "wmma_zero_pad",
        [=] { odd_wmma<<<dim3((N + 31) / 32, (M + 31) / 32), 128>>>(a, b, bias, c, M, N, K); }, get, 1e-3);
}

// ---------------------------------------------------- 11. conv1x1: NCHW, bias and ReLU, 28 x 28
__global__ void c11_naive(const float *x, const float *w, const float *bias, float *y, int B, int Ci,
                          int Co, int HW) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * Co * HW) return;
    int p = idx % HW, co = idx / HW % Co, b = idx / (HW * Co);
    float s = bias[co];
    for (int ci = 0; ci < Ci; ci++) s += x[(b * Ci + ci) * HW + p] * w[co * Ci + ci];
    y[idx] = fmaxf(s, 0.0f);
}
// four pixels x eight output channels a thread
__global__ void __launch_bounds__(64)
c11_regs(const float4 *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
         float4 *__restrict__ y, int B, int Co, int HW4) {
    constexpr int Ci = 64;
    __shared__ __align__(16) float ws[Ci][8];
    int t = threadIdx.x, co0 = blockIdx.y * 8;
    for (int i = t; i < Ci * 8; i += 64) ws[i / 8][i % 8] = w[(co0 + i % 8) * Ci + i / 8];
    __syncthreads();
    int q = blockIdx.x * 64 + t;
    if (q >= B * HW4) return;
    int b = q / HW4, p = q % HW4;
    float4 acc[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
        float v = bias[co0 + c];
        acc[c] = make_float4(v, v, v, v);
    }
    const float4 *src = x + b * Ci * HW4 + p;
#pragma unroll 8
    for (int ci = 0; ci < Ci; ci++) {
        float4 v = src[ci * HW4];
        float4 w0 = *reinterpret_cast<float4 *>(&ws[ci][0]), w1 = *reinterpret_cast<float4 *>(&ws[ci][4]);
        float ww[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
        for (int c = 0; c < 8; c++) {
            acc[c].x += v.x * ww[c];
            acc[c].y += v.y * ww[c];
            acc[c].z += v.z * ww[c];
            acc[c].w += v.w * ww[c];
        }
    }
#pragma unroll
    for (int c = 0; c < 8; c++)
        y[(b * Co + co0 + c) * HW4 + p] = make_float4(fmaxf(acc[c].x, 0.0f), fmaxf(acc[c].y, 0.0f),
                                                      fmaxf(acc[c].z, 0.0f), fmaxf(acc[c].w, 0.0f));
}
static void group_c11() {
    const char *G = "conv1x1";
    if (!wanted(G)) return;
    begin();
    const int B = 4, Ci = 64, Co = 96, HW = 784, n = B * Co * HW;
    Rng rng(111);
    VF hx = fvec(rng, B * Ci * HW, -1, 1), hw = fvec(rng, Co * Ci, -0.3f, 0.3f), hb = fvec(rng, Co, -1, 1);
    float *x = up(hx), *w = up(hw), *bias = up(hb), *y = zeros<float>(n);
    g_out = {{y, n * sizeof(float)}};
    if (g_check) {
        g_ref.resize(n);
        for (int i = 0; i < n; i++) {
            int p = i % HW, co = i / HW % Co, b = i / (HW * Co);
            double s = hb[co];
            for (int c = 0; c < Ci; c++) s += (double)hx[(b * Ci + c) * HW + p] * hw[co * Ci + c];
            g_ref[i] = (float)std::max(s, 0.0);
        }
    }
    auto get = [=] { return down(y, n); };
    run(G, "naive", [=] { c11_naive<<<(n + 255) / 256, 256>>>(x, w, bias, y, B, Ci, Co, HW); }, get, 1e-5);
    run(G, "regs_4x8",
        [=] {
            c11_regs<<<dim3((B * HW / 4 + 63) / 64, Co / 8), 64>>>((const float4 *)x, w, bias, (float4 *)y,
                                                                   B, Co, HW / 4);
        },
        get, 1e-5);
}

// ------------------------------------ 12. conv3x3: one image, 16 -> 32 channels, 56 x 56, padding 1
__global__ void c33_naive(const float *x, const float *w, const float *bias, float *y, int Ci, int Co,
                          int H, int W) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= Co * H * W) return;
    int px = idx % W, py = idx / W % H, co = idx / (W * H);
    float s = bias[co];
    for (int ci = 0; ci < Ci; ci++)
        for (int ky = 0; ky < 3; ky++)
            for (int kx = 0; kx < 3; kx++) {
                int yy = py + ky - 1, xx = px + kx - 1;
                if (yy >= 0 && yy < H && xx >= 0 && xx < W)
                    s += x[(ci * H + yy) * W + xx] * w[((co * Ci + ci) * 3 + ky) * 3 + kx];
            }
    y[idx] = s;
}
// 28 x 8 pixels x 4 output channels a block, four input channels at a time in shared memory
__global__ void __launch_bounds__(224)
c33_tile(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
         float *__restrict__ y, int Ci, int H, int W) {
    __shared__ float xs[4][10][30];
    __shared__ float ws[4][4][9];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 28 + tx;
    int x0 = blockIdx.x * 28, y0 = blockIdx.y * 8, co0 = blockIdx.z * 4;
    float acc[4];
#pragma unroll
    for (int c = 0; c < 4; c++) acc[c] = bias[co0 + c];
    for (int c0 = 0; c0 < Ci; c0 += 4) {
        for (int i = t; i < 1200; i += 224) {
            int c = i / 300, r = i / 30 % 10, col = i % 30;
            int yy = y0 + r - 1, xx = x0 + col - 1;
            xs[c][r][col] = yy >= 0 && yy < H && xx >= 0 && xx < W ? x[((c0 + c) * H + yy) * W + xx] : 0.0f;
        }
        if (t < 144) {
            int co = t / 36, r = t % 36;
            ws[co][r / 9][r % 9] = w[((co0 + co) * Ci + c0) * 9 + r];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 4; c++) {
            float v[9];
#pragma unroll
            for (int k = 0; k < 9; k++) v[k] = xs[c][ty + k / 3][tx + k % 3];
#pragma unroll
            for (int co = 0; co < 4; co++)
#pragma unroll
                for (int k = 0; k < 9; k++) acc[co] += v[k] * ws[co][c][k];
        }
        __syncthreads();
    }
#pragma unroll
    for (int c = 0; c < 4; c++) y[((co0 + c) * H + y0 + ty) * W + x0 + tx] = acc[c];
}
// implicit GEMM: 32 channels x 32 pixels a block, K = 16 * 9 at once
__global__ void __launch_bounds__(128)
c33_igemm(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
          float *__restrict__ y, int H, int W) {
    constexpr int K = 144;
    __shared__ __align__(128) half_t as[32 * 152];
    __shared__ __align__(128) half_t bs[K * 40];
    __shared__ __align__(128) float cs[32 * 36];
    int t = threadIdx.x, wp = t / 32, wm = wp / 2, wn = wp % 2, p0 = blockIdx.x * 32;
    for (int i = t; i < 32 * K; i += 128) as[i / K * 152 + i % K] = __float2half(w[i]);
    int p = p0 + t % 32, py = p / W, px = p % W;
    for (int k = t / 32; k < K; k += 4) {
        int ci = k / 9, r = k % 9, yy = py + r / 3 - 1, xx = px + r % 3 - 1;
        float v = 0;
        if (yy >= 0 && yy < H && xx >= 0 && xx < W) v = x[(ci * H + yy) * W + xx];
        bs[k * 40 + t % 32] = __float2half(v);
    }
    __syncthreads();
    FragC c;
    wmma::fill_fragment(c, 0.0f);
#pragma unroll
    for (int k = 0; k < K; k += 16) {
        FragA a;
        FragB b;
        wmma::load_matrix_sync(a, as + wm * 16 * 152 + k, 152);
        wmma::load_matrix_sync(b, bs + k * 40 + wn * 16, 40);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(cs + wm * 16 * 36 + wn * 16, c, 36, wmma::mem_row_major);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int co = wp + i * 4;
        y[co * H * W + p] = cs[co * 36 + t % 32] + bias[co];
    }
}
static void group_c33() {
    const char *G = "conv3x3";
    if (!wanted(G)) return;
    begin();
    const int Ci = 16, Co = 32, H = 56, W = 56, n = Co * H * W;
    Rng rng(112);
    VF hx = fvec(rng, Ci * H * W, -1, 1), hw = fvec(rng, Co * Ci * 9, -0.2f, 0.2f), hb = fvec(rng, Co, -1, 1);
    float *x = up(hx), *w = up(hw), *bias = up(hb), *y = zeros<float>(n);
    g_out = {{y, n * sizeof(float)}};
    if (g_check) {
        g_ref.resize(n);
        for (int i = 0; i < n; i++) {
            int px = i % W, py = i / W % H, co = i / (W * H);
            double s = hb[co];
            for (int k = 0; k < Ci * 9; k++) {
                int yy = py + k % 9 / 3 - 1, xx = px + k % 3 - 1;
                if (yy >= 0 && yy < H && xx >= 0 && xx < W)
                    s += (double)hx[(k / 9 * H + yy) * W + xx] * hw[co * Ci * 9 + k];
            }
            g_ref[i] = (float)s;
        }
    }
    auto get = [=] { return down(y, n); };
    run(G, "naive", [=] { c33_naive<<<n / 256, 256>>>(x, w, bias, y, Ci, Co, H, W); }, get, 1e-4);
    run(G, "smem_4co",
        [=] { c33_tile<<<dim3(W / 28, H / 8, Co / 4), dim3(28, 8)>>>(x, w, bias, y, Ci, H, W); }, get, 1e-4);
    run(G, "igemm_wmma", [=] { c33_igemm<<<H * W / 32, 128>>>(x, w, bias, y, H, W); }, get, 5e-3);
}

// ------------------------------------------ 13. depthwise3x3: NHWC, 64 channels, 56 x 56, padding 1
__device__ __forceinline__ float dw_one(const float *x, const float *w, int b, int py, int px, int c, int H,
                                        int W, int C) {
    float s = 0;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            int yy = py + ky - 1, xx = px + kx - 1;
            if (yy >= 0 && yy < H && xx >= 0 && xx < W)
                s += x[((b * H + yy) * W + xx) * C + c] * w[(ky * 3 + kx) * C + c];
        }
    return s;
}
// threads in the order of an NCHW tensor
__global__ void dw_xfast(const float *x, const float *w, float *y, int B, int H, int W, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * H * W * C) return;
    int px = idx % W, py = idx / W % H, c = idx / (W * H) % C, b = idx / (W * H * C);
    y[((b * H + py) * W + px) * C + c] = dw_one(x, w, b, py, px, c, H, W, C);
}
__global__ void dw_cfast(const float *x, const float *w, float *y, int B, int H, int W, int C) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= B * H * W * C) return;
    int c = idx % C, px = idx / C % W, py = idx / (C * W) % H, b = idx / (C * W * H);
    y[idx] = dw_one(x, w, b, py, px, c, H, W, C);
}
// four channels x four columns a thread
__global__ void __launch_bounds__(128)
dw_strip(const float4 *__restrict__ x, const float4 *__restrict__ w, float4 *__restrict__ y, int B, int H,
         int W, int C4) {
    int idx = blockIdx.x * 128 + threadIdx.x;
    if (idx >= B * H * (W / 4) * C4) return;
    int c = idx % C4, x0 = idx / C4 % (W / 4) * 4, py = idx / (C4 * (W / 4)) % H, b = idx / (C4 * (W / 4) * H);
    float4 acc[4];
#pragma unroll
    for (int i = 0; i < 4; i++) acc[i] = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int ky = 0; ky < 3; ky++) {
        int yy = py + ky - 1;
        if (yy < 0 || yy >= H) continue;
        const float4 *src = x + (b * H + yy) * W * C4 + c;
        float4 v[6];
#pragma unroll
        for (int i = 0; i < 6; i++) {
            int xx = x0 + i - 1;
            v[i] = xx >= 0 && xx < W ? src[xx * C4] : make_float4(0, 0, 0, 0);
        }
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            float4 f = __ldg(w + (ky * 3 + kx) * C4 + c);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                acc[i].x += v[i + kx].x * f.x;
                acc[i].y += v[i + kx].y * f.y;
                acc[i].z += v[i + kx].z * f.z;
                acc[i].w += v[i + kx].w * f.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) y[((b * H + py) * W + x0 + i) * C4 + c] = acc[i];
}
static void group_dw() {
    const char *G = "depthwise3x3";
    if (!wanted(G)) return;
    begin();
    const int B = 4, H = 56, W = 56, C = 64, n = B * H * W * C;
    Rng rng(113);
    VF hx = fvec(rng, n, -1, 1), hw = fvec(rng, 9 * C, -1, 1);
    float *x = up(hx), *w = up(hw), *y = zeros<float>(n);
    g_out = {{y, n * sizeof(float)}};
    if (g_check) {
        g_ref.resize(n);
        for (int i = 0; i < n; i++) {
            int c = i % C, px = i / C % W, py = i / (C * W) % H, b = i / (C * W * H);
            double s = 0;
            for (int k = 0; k < 9; k++) {
                int yy = py + k / 3 - 1, xx = px + k % 3 - 1;
                if (yy >= 0 && yy < H && xx >= 0 && xx < W)
                    s += (double)hx[((b * H + yy) * W + xx) * C + c] * hw[k * C + c];
            }
            g_ref[i] = (float)s;
        }
    }
    auto get = [=] { return down(y, n); };
    run(G, "x_fastest", [=] { dw_xfast<<<n / 256, 256>>>(x, w, y, B, H, W, C); }, get, 1e-5);
    run(G, "channel_fastest", [=] { dw_cfast<<<n / 256, 256>>>(x, w, y, B, H, W, C); }, get, 1e-5);
    run(G, "vec4_strip4",
        [=] {
            dw_strip<<<n / 16 / 128, 128>>>((const float4 *)x, (const float4 *)w, (float4 *)y, B, H, W, C / 4);
        },
        get, 1e-5);
}

// ------------------------------- 14. batchnorm: training statistics, normalisation and ReLU, NCHW
__global__ void bn_block(const float *x, const float *gamma, const float *beta, float *y, float *stat,
                         int B, int C, int HW) {
    __shared__ float buf[256];
    int c = blockIdx.x, n = B * HW;
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[(i / HW * C + c) * HW + i % HW];
    float mean = tree_sum(buf, s) / n;
    s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float d = x[(i / HW * C + c) * HW + i % HW] - mean;
        s += d * d;
    }
    float var = tree_sum(buf, s) / n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int k = (i / HW * C + c) * HW + i % HW;
        y[k] = fmaxf((x[k] - mean) / sqrtf(var + 1e-5f) * gamma[c] + beta[c], 0.0f);
    }
    if (threadIdx.x == 0) {
        stat[2 * c] = mean;
        stat[2 * c + 1] = var;
    }
}
// a cluster of four blocks a channel, four images a block, the data in registers
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
bn_cluster(const float4 *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
           float4 *__restrict__ y, float *__restrict__ stat, int C) {
    constexpr int HW4 = 196, N4 = 4 * HW4;
    __shared__ float ws[8], wq[8];
    __shared__ float part[2];
    cg::cluster_group cl = cg::this_cluster();
    int rank = cl.block_rank(), c = blockIdx.x / 4, t = threadIdx.x;
    float4 v[4];
    int at[4];
    float s = 0, q = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = t + k * 256;
        at[k] = ((rank * 4 + i / HW4) * C + c) * HW4 + i % HW4;
        v[k] = i < N4 ? x[at[k]] : make_float4(0, 0, 0, 0);
        s += v[k].x + v[k].y + v[k].z + v[k].w;
        q += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
    }
    s = warp_sum(s);
    q = warp_sum(q);
    if (t % 32 == 0) ws[t / 32] = s, wq[t / 32] = q;
    __syncthreads();
    if (t == 0) {
        s = q = 0;
        for (int i = 0; i < 8; i++) s += ws[i], q += wq[i];
        part[0] = s;
        part[1] = q;
    }
    cl.sync();
    s = q = 0;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float *p = cl.map_shared_rank(part, r);
        s += p[0];
        q += p[1];
    }
    float mean = s / (16 * N4), var = q / (16 * N4) - mean * mean;
    float a = rsqrtf(var + 1e-5f) * gamma[c], b = beta[c] - mean * a;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (t + k * 256 < N4)
            y[at[k]] = make_float4(fmaxf(v[k].x * a + b, 0.0f), fmaxf(v[k].y * a + b, 0.0f),
                                   fmaxf(v[k].z * a + b, 0.0f), fmaxf(v[k].w * a + b, 0.0f));
    if (rank == 0 && t == 0) {
        stat[2 * c] = mean;
        stat[2 * c + 1] = var;
    }
    cl.sync();
}
static void group_bn() {
    const char *G = "batchnorm";
    if (!wanted(G)) return;
    begin();
    const int B = 16, C = 64, HW = 784, n = B * C * HW;
    Rng rng(114);
    VF hx(n), hg = fvec(rng, C, 0.5f, 1.5f), hb = fvec(rng, C, -0.5f, 0.5f);
    for (int i = 0; i < n; i++) hx[i] = rng.range(-1, 1) + 0.01f * (i / HW % C);
    float *x = up(hx), *ga = up(hg), *be = up(hb), *y = zeros<float>(n), *st = zeros<float>(2 * C);
    g_out = {{y, n * sizeof(float)}, {st, 2 * C * sizeof(float)}};
    if (g_check) {
        g_ref.assign(n + 2 * C, 0);
        for (int c = 0; c < C; c++) {
            double s = 0, q = 0;
            for (int i = 0; i < B * HW; i++) s += hx[(i / HW * C + c) * HW + i % HW];
            s /= B * HW;
            for (int i = 0; i < B * HW; i++) {
                double d = hx[(i / HW * C + c) * HW + i % HW] - s;
                q += d * d;
            }
            q /= B * HW;
            for (int i = 0; i < B * HW; i++) {
                int k = (i / HW * C + c) * HW + i % HW;
                g_ref[k] = (float)std::max((hx[k] - s) / sqrt(q + 1e-5) * hg[c] + hb[c], 0.0);
            }
            g_ref[n + 2 * c] = (float)s;
            g_ref[n + 2 * c + 1] = (float)q;
        }
    }
    auto get = [=] {
        VF r = down(y, n);
        append(r, st, 2 * C);
        return r;
    };
    run(G, "block_3pass", [=] { bn_block<<<C, 256>>>(x, ga, be, y, st, B, C, HW); }, get, 1e-4);
    run(G, "cluster4_regs",
        [=] { bn_cluster<<<C * 4, 256>>>((const float4 *)x, ga, be, (float4 *)y, st, C); }, get, 1e-4);
}

// ------------------------ 15. cross_entropy: loss and gradient (times a loss scale) of half logits
__global__ void ce_block(const half_t *x, const int *label, float *loss, half_t *dx, int V, float gs) {
    __shared__ float buf[256];
    int r = blockIdx.x;
    float m = -1e30f;
    for (int i = threadIdx.x; i < V; i += blockDim.x) m = fmaxf(m, __half2float(x[(size_t)r * V + i]));
    m = tree_max(buf, m);
    float s = 0;
    for (int i = threadIdx.x; i < V; i += blockDim.x) s += expf(__half2float(x[(size_t)r * V + i]) - m);
    s = tree_sum(buf, s);
    for (int i = threadIdx.x; i < V; i += blockDim.x) {
        float p = expf(__half2float(x[(size_t)r * V + i]) - m) / s;
        if (i == label[r]) {
            loss[r] = -logf(p);
            p -= 1.0f;
        }
        dx[(size_t)r * V + i] = __float2half(p * gs);
    }
}
// 4096 classes: sixteen a thread, kept in registers
__global__ void __launch_bounds__(256)
ce_regs(const uint4 *__restrict__ x, const int *__restrict__ label, float *__restrict__ loss,
        uint4 *__restrict__ dx, float gs) {
    __shared__ float sm[8], ss[8];
    int r = blockIdx.x, t = threadIdx.x;
    float f[16];
    unpack8(x[r * 512 + t], f);
    unpack8(x[r * 512 + 256 + t], f + 8);
    float m = f[0];
#pragma unroll
    for (int i = 1; i < 16; i++) m = fmaxf(m, f[i]);
    m = warp_max(m);
    if (t % 32 == 0) sm[t / 32] = m;
    __syncthreads();
    m = sm[0];
#pragma unroll
    for (int i = 1; i < 8; i++) m = fmaxf(m, sm[i]);
    float s = 0, mine = 0;
    int lab = label[r];
    // the label's place: word lab / 8, so thread lab / 8 % 256
    int li = (lab / 8) % 256 == t ? (lab / 2048) * 8 + lab % 8 : -1;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if (i == li) mine = f[i];
        f[i] = __expf(f[i] - m);
        s += f[i];
    }
    s = warp_sum(s);
    if (t % 32 == 0) ss[t / 32] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) s += ss[i];
    if (li >= 0) loss[r] = __logf(s) + m - mine;
    float k = gs / s;
#pragma unroll
    for (int i = 0; i < 16; i++) f[i] = f[i] * k - (i == li ? gs : 0.0f);
    dx[r * 512 + t] = pack8(f);
    dx[r * 512 + 256 + t] = pack8(f + 8);
}
static void group_ce() {
    const char *G = "cross_entropy";
    if (!wanted(G)) return;
    begin();
    const int R = 384, V = 4096;
    const float gs = 1024.0f;
    Rng rng(115);
    VH hx = hvec(rng, (size_t)R * V, -4, 4);
    std::vector<int> hl(R);
    for (auto &l : hl) l = rng.below(V);
    half_t *x = up(hx), *dx = zeros<half_t>((size_t)R * V);
    int *lab = up(hl);
    float *loss = zeros<float>(R);
    g_out = {{dx, (size_t)R * V * sizeof(half_t)}, {loss, R * sizeof(float)}};
    if (g_check) {
        VF f = tofloat(hx);
        g_ref.resize((size_t)R * V + R);
        for (int r = 0; r < R; r++) {
            double s = 0;
            for (int i = 0; i < V; i++) s += exp((double)f[(size_t)r * V + i]);
            for (int i = 0; i < V; i++)
                g_ref[(size_t)r * V + i] =
                    (float)((exp((double)f[(size_t)r * V + i]) / s - (i == hl[r])) * gs);
            g_ref[(size_t)R * V + r] = (float)(log(s) - f[(size_t)r * V + hl[r]]);
        }
    }
    auto get = [=] {
        VF r = down(dx, (size_t)R * V);
        append(r, loss, R);
        return r;
    };
    run(G, "block_3pass", [=] { ce_block<<<R, 256>>>(x, lab, loss, dx, V, gs); }, get, 2e-3);
    run(G, "regs_vec8", [=] { ce_regs<<<R, 256>>>((const uint4 *)x, lab, loss, (uint4 *)dx, gs); }, get,
        2e-3);
}

// --------------------------------------- 16. router_top2: softmax over 64 experts, the best two
__global__ void top2_thread(const float *x, int *idx, float *prob, int T, int E) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= T) return;
    float b0 = -1e30f, b1 = -1e30f;
    int i0 = -1, i1 = -1;
    for (int e = 0; e < E; e++) {
        float v = x[t * E + e];
        if (v > b0) {
            b1 = b0, i1 = i0;
            b0 = v, i0 = e;
        } else if (v > b1) {
            b1 = v, i1 = e;
        }
    }
    float s = 0;
    for (int e = 0; e < E; e++) s += expf(x[t * E + e] - b0);
    idx[2 * t] = i0, idx[2 * t + 1] = i1;
    prob[2 * t] = 1.0f / s;
    prob[2 * t + 1] = expf(b1 - b0) / s;
}
// eight lanes a token, eight experts a lane; the smaller index wins a tie
__global__ void __launch_bounds__(128)
top2_lanes8(const float4 *__restrict__ x, int2 *__restrict__ idx, float2 *__restrict__ prob) {
    int g = blockIdx.x * 128 + threadIdx.x, tok = g >> 3, l = g & 7;
    float4 u0 = x[tok * 16 + l * 2], u1 = x[tok * 16 + l * 2 + 1];
    float v[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
    float b0 = v[0], b1 = -1e30f;
    int i0 = l * 8, i1 = 64;
#pragma unroll
    for (int i = 1; i < 8; i++) {
        if (v[i] > b0) {
            b1 = b0, i1 = i0;
            b0 = v[i], i0 = l * 8 + i;
        } else if (v[i] > b1) {
            b1 = v[i], i1 = l * 8 + i;
        }
    }
#pragma unroll
    for (int o = 1; o < 8; o <<= 1) {
        float c0 = __shfl_xor_sync(~0u, b0, o), c1 = __shfl_xor_sync(~0u, b1, o);
        int j0 = __shfl_xor_sync(~0u, i0, o), j1 = __shfl_xor_sync(~0u, i1, o);
        if (c0 > b0 || (c0 == b0 && j0 < i0)) {    // theirs leads: mine or their second is next
            bool keep = b0 > c1 || (b0 == c1 && i0 < j1);
            b1 = keep ? b0 : c1, i1 = keep ? i0 : j1;
            b0 = c0, i0 = j0;
        } else if (c0 > b1 || (c0 == b1 && j0 < i1)) {
            b1 = c0, i1 = j0;
        }
    }
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) s += __expf(v[i] - b0);
#pragma unroll
    for (int o = 1; o < 8; o <<= 1) s += __shfl_xor_sync(~0u, s, o);
    if (l == 0) {
        float r = 1.0f / s;
        idx[tok] = make_int2(i0, i1);
        prob[tok] = make_float2(r, __expf(b1 - b0) * r);
    }
}
static void group_top2() {
    const char *G = "router_top2";
    if (!wanted(G)) return;
    begin();
    const int T = 65536, E = 64;
    Rng rng(116);
    VF hx = fvec(rng, (size_t)T * E, -5, 5);
    float *x = up(hx), *pr = zeros<float>(2 * T);
    int *ix = zeros<int>(2 * T);
    g_out = {{ix, 2 * T * sizeof(int)}, {pr, 2 * T * sizeof(float)}};
    if (g_check) {
        g_ref.resize(4 * T);
        for (int t = 0; t < T; t++) {
            const float *v = &hx[(size_t)t * E];
            int a = 0, b = -1;
            for (int e = 1; e < E; e++)
                if (v[e] > v[a]) a = e;
            for (int e = 0; e < E; e++)
                if (e != a && (b < 0 || v[e] > v[b])) b = e;
            double s = 0;
            for (int e = 0; e < E; e++) s += exp((double)v[e] - v[a]);
            g_ref[2 * t] = (float)a, g_ref[2 * t + 1] = (float)b;
            g_ref[2 * T + 2 * t] = (float)(1 / s);
            g_ref[2 * T + 2 * t + 1] = (float)(exp((double)v[b] - v[a]) / s);
        }
    }
    auto get = [=] {
        VF r = down(ix, 2 * T);
        append(r, pr, 2 * T);
        return r;
    };
    run(G, "thread_token", [=] { top2_thread<<<T / 128, 128>>>(x, ix, pr, T, E); }, get, 1e-4);
    run(G, "lanes8_token",
        [=] { top2_lanes8<<<T * 8 / 128, 128>>>((const float4 *)x, (int2 *)ix, (float2 *)pr); }, get, 1e-4);
}

// --------------- 17. dropout_add: residual + dropout(x + bias), Philox-7 on (element / 4), half
#define PHILOX_ROUNDS 7
struct U4 {
    uint32_t v[4];
};
__host__ __device__ __forceinline__ U4 philox(uint32_t ctr, uint32_t k0, uint32_t k1) {
    U4 c = {{ctr, 0, 0x1234567u, 0}};
#pragma unroll
    for (int i = 0; i < PHILOX_ROUNDS; i++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c.v[0], p1 = (uint64_t)0xCD9E8D57u * c.v[2];
        U4 n = {{(uint32_t)(p1 >> 32) ^ c.v[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c.v[3] ^ k1,
                 (uint32_t)p0}};
        c = n;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}
__global__ void drop_scalar(const half_t *x, const half_t *bias, const half_t *res, half_t *y, int n, int D,
                            float p, uint32_t seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    U4 r = philox(i / 4, seed, 42u);
    uint32_t u = i % 4 == 0 ? r.v[0] : i % 4 == 1 ? r.v[1] : i % 4 == 2 ? r.v[2] : r.v[3];
    float v = __half2float(x[i]) + __half2float(bias[i % D]);
    v = (u >> 8) * (1.0f / 16777216.0f) >= p ? v / (1.0f - p) : 0.0f;
    y[i] = __float2half(__half2float(res[i]) + v);
}
__global__ void __launch_bounds__(128)
drop_vec8(const uint4 *__restrict__ x, const uint4 *__restrict__ bias, const uint4 *__restrict__ res,
          uint4 *__restrict__ y, int n8, int D8, float p, float scale, uint32_t seed) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n8) return;
    float a[8], b[8], c[8];
    unpack8(x[i], a);
    unpack8(__ldg(bias + (i & (D8 - 1))), b);
    unpack8(res[i], c);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        U4 r = philox(2 * i + h, seed, 42u);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float m = (r.v[k] >> 8) * (1.0f / 16777216.0f) >= p ? scale : 0.0f;
            c[h * 4 + k] += (a[h * 4 + k] + b[h * 4 + k]) * m;
        }
    }
    y[i] = pack8(c);
}
static void group_drop() {
    const char *G = "dropout_add";
    if (!wanted(G)) return;
    begin();
    const int T = 1024, D = 1024, n = T * D;
    const float p = 0.1f;
    Rng rng(117);
    VH hx = hvec(rng, n, -1, 1), hb = hvec(rng, D, -1, 1), hr = hvec(rng, n, -2, 2);
    half_t *x = up(hx), *bias = up(hb), *res = up(hr), *y = zeros<half_t>(n);
    g_out = {{y, n * sizeof(half_t)}};
    if (g_check) {
        VF fx = tofloat(hx), fb = tofloat(hb), fr = tofloat(hr);
        g_ref.resize(n);
        for (int i = 0; i < n; i++) {
            U4 r = philox(i / 4, 2024u, 42u);
            bool keep = (r.v[i % 4] >> 8) * (1.0f / 16777216.0f) >= p;
            g_ref[i] = fr[i] + (keep ? (fx[i] + fb[i % D]) / 0.9f : 0.0f);
        }
    }
    auto get = [=] { return down(y, n); };
    run(G, "scalar", [=] { drop_scalar<<<n / 256, 256>>>(x, bias, res, y, n, D, p, 2024u); }, get, 2e-3);
    run(G, "vec8",
        [=] {
            drop_vec8<<<n / 8 / 128, 128>>>((const uint4 *)x, (const uint4 *)bias, (const uint4 *)res,
                                            (uint4 *)y, n / 8, D / 8, p, 1.0f / (1.0f - p), 2024u);
        },
        get, 2e-3);
}

// ------------------------- 18. embedding_bag: weighted mean of a few rows, 64 floats, skewed ids
__global__ void bag_thread(const float *table, const int *offs, const int *ids, const float *wt, float *out,
                           int B, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * D) return;
    int b = i / D, d = i % D;
    float s = 0;
    for (int k = offs[b]; k < offs[b + 1]; k++) s += wt[k] * table[(size_t)ids[k] * D + d];
    out[i] = s / (offs[b + 1] - offs[b]);
}
// a warp a bag: 32 ids at once, each half warp takes every second row, four rows in flight
__global__ void __launch_bounds__(128)
bag_warp(const float4 *__restrict__ table, const int *__restrict__ offs, const int *__restrict__ ids,
         const float *__restrict__ wt, float4 *__restrict__ out) {
    int lane = threadIdx.x & 31, b = blockIdx.x * 4 + (threadIdx.x >> 5);
    int hw = lane >> 4, c = lane & 15;
    int beg = offs[b], end = offs[b + 1];
    float4 s = make_float4(0, 0, 0, 0);
    for (int k0 = beg; k0 < end; k0 += 32) {
        int k = k0 + lane;
        int id = k < end ? ids[k] : 0;
        float w = k < end ? wt[k] : 0.0f;
        int m = min(32, end - k0);
#pragma unroll 4
        for (int j = 0; j < m; j += 2) {    // uniform in the warp; j + hw <= 31
            int id1 = __shfl_sync(~0u, id, j + hw);
            float w1 = __shfl_sync(~0u, w, j + hw);
            float4 v = __ldg(table + (size_t)id1 * 16 + c);
            s.x += w1 * v.x;
            s.y += w1 * v.y;
            s.z += w1 * v.z;
            s.w += w1 * v.w;
        }
    }
    s.x += __shfl_xor_sync(~0u, s.x, 16);
    s.y += __shfl_xor_sync(~0u, s.y, 16);
    s.z += __shfl_xor_sync(~0u, s.z, 16);
    s.w += __shfl_xor_sync(~0u, s.w, 16);
    if (hw == 0) {
        float r = 1.0f / (end - beg);
        out[b * 16 + c] = make_float4(s.x * r, s.y * r, s.z * r, s.w * r);
    }
}
static void group_bag() {
    const char *G = "embedding_bag";
    if (!wanted(G)) return;
    begin();
    const int B = 8192, D = 64, V = 40000;
    Rng rng(118);
    VF ht = fvec(rng, (size_t)V * D, -1, 1), hw;
    std::vector<int> offs(1, 0), ids;
    for (int b = 0; b < B; b++) {
        int len = 1 + (rng.below(8) ? rng.below(24) : rng.below(80));
        for (int k = 0; k < len; k++) {
            float u = rng.uni();
            ids.push_back(std::min(V - 1, (int)(u * u * V)));
            hw.push_back(rng.range(0.5f, 1.5f));
        }
        offs.push_back((int)ids.size());
    }
    float *tb = up(ht), *w = up(hw), *o = zeros<float>(B * D);
    int *dof = up(offs), *did = up(ids);
    g_out = {{o, B * D * sizeof(float)}};
    if (g_check) {
        g_ref.resize(B * D);
        for (int b = 0; b < B; b++)
            for (int d = 0; d < D; d++) {
                double s = 0;
                for (int k = offs[b]; k < offs[b + 1]; k++) s += (double)hw[k] * ht[(size_t)ids[k] * D + d];
                g_ref[b * D + d] = (float)(s / (offs[b + 1] - offs[b]));
            }
    }
    auto get = [=] { return down(o, B * D); };
    run(G, "thread_element", [=] { bag_thread<<<B * D / 256, 256>>>(tb, dof, did, w, o, B, D); }, get, 1e-5);
    run(G, "warp_vec4",
        [=] { bag_warp<<<B / 4, 128>>>((const float4 *)tb, dof, did, w, (float4 *)o); }, get, 1e-5);
}

// ----------- 19. adamw: master weights and moments in float, gradient in half, a half copy written
__global__ void adam_scalar(float *p, float *m, float *v, const half_t *g, half_t *ph, int n, float lr,
                            float b1, float b2, float eps, float wd, float inv_scale, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gr = __half2float(g[i]) * inv_scale;
    m[i] = b1 * m[i] + (1 - b1) * gr;
    v[i] = b2 * v[i] + (1 - b2) * gr * gr;
    float mh = m[i] / (1 - powf(b1, (float)step));
    float vh = v[i] / (1 - powf(b2, (float)step));
    p[i] = p[i] - lr * (mh / (sqrtf(vh) + eps) + wd * p[i]);
    ph[i] = __float2half(p[i]);
}
__global__ void __launch_bounds__(256)
adam_vec4(float4 *__restrict__ p, float4 *__restrict__ m, float4 *__restrict__ v, const uint2 *__restrict__ g,
          uint2 *__restrict__ ph, int n4, float lr, float b1, float b2, float eps, float decay,
          float inv_scale, float c1, float c2) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n4) return;
    uint2 u = g[i];
    float4 a = p[i], b = m[i], c = v[i];
    float2 g0 = __half22float2(*reinterpret_cast<__half2 *>(&u.x));
    float2 g1 = __half22float2(*reinterpret_cast<__half2 *>(&u.y));
    float gg[4] = {g0.x, g0.y, g1.x, g1.y}, pp[4] = {a.x, a.y, a.z, a.w};
    float mm[4] = {b.x, b.y, b.z, b.w}, vv[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float x = gg[k] * inv_scale;
        mm[k] = fmaf(b1, mm[k] - x, x);
        vv[k] = fmaf(b2, vv[k] - x * x, x * x);
        pp[k] = pp[k] * decay - lr * __fdividef(mm[k] * c1, sqrtf(vv[k] * c2) + eps);
    }
    p[i] = make_float4(pp[0], pp[1], pp[2], pp[3]);
    m[i] = make_float4(mm[0], mm[1], mm[2], mm[3]);
    v[i] = make_float4(vv[0], vv[1], vv[2], vv[3]);
    ph[i] = pack4(pp[0], pp[1], pp[2], pp[3]);
}
static void group_adam() {
    const char *G = "adamw";
    if (!wanted(G)) return;
    begin();
    const int n = 1 << 19, step = 100;
    const float lr = 1e-3f, b1 = 0.9f, b2 = 0.999f, eps = 1e-8f, wd = 0.01f, is = 1.0f / 128;
    Rng rng(119);
    VF hp = fvec(rng, n, -1, 1), hm = fvec(rng, n, -0.01f, 0.01f), hv = fvec(rng, n, 1e-5f, 1e-4f);
    VH hg = hvec(rng, n, -1, 1);
    float *p = up(hp), *m = up(hm), *v = up(hv);
    half_t *g = up(hg), *ph = zeros<half_t>(n);
    g_out = {{ph, n * sizeof(half_t)}};
    g_reset = [=, &hp, &hm, &hv] {
        CK(cudaMemcpy(p, hp.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(m, hm.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(v, hv.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    };
    const float c1 = (float)(1 / (1 - pow(0.9, step))), c2 = (float)(1 / (1 - pow(0.999, step)));
    if (g_check) {
        g_ref.resize(4 * n);
        for (int i = 0; i < n; i++) {
            double x = (double)__half2float(hg[i]) / 128, mm = 0.9 * hm[i] + 0.1 * x,
                   vv = 0.999 * hv[i] + 0.001 * x * x;
            double q = hp[i] - 1e-3 * (mm * c1 / (sqrt(vv * c2) + 1e-8) + 0.01 * hp[i]);
            g_ref[i] = (float)q;
            g_ref[n + i] = (float)(mm * 100);
            g_ref[2 * n + i] = (float)(vv * 1e4);
            g_ref[3 * n + i] = (float)q;
        }
    }
    auto get = [=] {
        VF r = down(p, n);
        append(r, m, n);
        append(r, v, n);
        append(r, ph, n);
        for (int i = n; i < 2 * n; i++) r[i] *= 100;
        for (int i = 2 * n; i < 3 * n; i++) r[i] *= 1e4f;
        return r;
    };
    run(G, "scalar_powf",
        [=] { adam_scalar<<<n / 256, 256>>>(p, m, v, g, ph, n, lr, b1, b2, eps, wd, is, step); }, get, 1e-3);
    run(G, "vec4",
        [=] {
            adam_vec4<<<n / 4 / 256, 256>>>((float4 *)p, (float4 *)m, (float4 *)v, (const uint2 *)g,
                                            (uint2 *)ph, n / 4, lr, b1, b2, eps, 1 - lr * wd, is, c1, c2);
        },
        get, 1e-3);
    g_reset = nullptr;
}

int main(int argc, char **argv) {
    g_check = argc > 1 && !strcmp(argv[1], "check");
    group_lnb();
    group_alibi();
    group_qk();
    group_pv();
    group_rope();
    group_fp8();
    group_w4();
    group_combine();
    group_moe();
    group_odd();
    group_c11();
    group_c33();
    group_dw();
    group_bn();
    group_ce();
    group_top2();
    group_drop();
    group_bag();
    group_adam();
    CK(cudaDeviceSynchronize());
    return 0;
}
