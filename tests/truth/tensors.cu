// Pieces of transformers: 18 groups, 40 kernels. programs.h says how to run it.
#include "programs.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cmath>
#include <cstdint>
#include <utility>
namespace cg = cooperative_groups;
using namespace nvcuda;
using bf16 = __nv_bfloat16;

// ------------------------------------------------------------------ host side helpers
static std::vector<void *> pool_;
static void release() {
    for (void *p : pool_) CK(cudaFree(p));
    pool_.clear();
}
struct Rng {
    uint64_t s;
    uint32_t next() {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(s >> 33);
    }
};
template <class T> static T *zeros(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    pool_.push_back(p);
    return p;
}
template <class T> static T *upload(const std::vector<T> &h) {
    T *p;
    CK(cudaMalloc(&p, h.size() * sizeof(T)));
    CK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice));
    pool_.push_back(p);
    return p;
}
static float *randf(size_t n, float lo, float hi, uint64_t seed) {
    Rng r{seed};
    std::vector<float> h(n);
    for (auto &x : h) x = lo + (hi - lo) * (float)(r.next() & 0xffffff) * (1.f / 16777216.f);
    return upload(h);
}
template <class T>
static T *rand16(size_t n, float lo, float hi,
                 uint64_t seed) { // half or bfloat16, by a table of 4096 values
    std::vector<T> tab(4096), h(n);
    for (int i = 0; i < 4096; i++) tab[i] = T(lo + (hi - lo) * (float)i / 4095.f);
    Rng r{seed};
    for (auto &x : h) x = tab[r.next() & 4095];
    return upload(h);
}
static inline float tof(float x) {
    return x;
}
static inline float tof(half x) {
    return __half2float(x);
}
static inline float tof(bf16 x) {
    return __bfloat162float(x);
}
using Variants = std::vector<std::pair<const char *, std::function<void()>>>;
template <class T>
static void check(const char *group, const Variants &vs, T *out, size_t n, float atol, float rtol) {
    if (!getenv("CHECK")) return;
    std::vector<T> ref, got(n);
    for (auto &v : vs) {
        CK(cudaMemset(out, 0, n * sizeof(T)));
        v.second();
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
        size_t bad = 0, nz = 0;
        for (size_t i = 0; i < n; i++) {
            float g = tof(got[i]);
            if (g != 0) nz++;
            if (!std::isfinite(g)) bad++;
        }
        if (ref.empty()) ref = got;
        else
            for (size_t i = 0; i < n; i++) {
                float a = tof(ref[i]), b = tof(got[i]);
                if (!(fabsf(a - b) <= atol + rtol * fabsf(a))) bad++;
            }
        if (nz < n / 16) bad++;
        printf("CHECK %s/%s %s\n", group, v.first, bad ? "WRONG" : "ok");
        fflush(stdout);
    }
}

// ------------------------------------------------------------------ 1. causal attention, forward
// a block per query: scores to shared memory, softmax, weighted sum of V
__global__ void attn_naive(const half *q, const half *k, const half *v, half *o, int S,
                           float scale) {
    const int D = 64;
    __shared__ float sq[D], sc[256], red[128];
    int i = blockIdx.x, t = threadIdx.x;
    q += blockIdx.y * S * D;
    k += blockIdx.y * S * D;
    v += blockIdx.y * S * D;
    o += blockIdx.y * S * D;
    if (t < D) sq[t] = __half2float(q[i * D + t]);
    __syncthreads();
    float m = -INFINITY;
    for (int j = t; j <= i; j += blockDim.x) {
        float s = 0.f;
        for (int d = 0; d < D; d++) s += sq[d] * __half2float(k[j * D + d]);
        s *= scale;
        sc[j] = s;
        m = fmaxf(m, s);
    }
    red[t] = m;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (t < w) red[t] = fmaxf(red[t], red[t + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float l = 0.f;
    for (int j = t; j <= i; j += blockDim.x) {
        float e = expf(sc[j] - m);
        sc[j] = e;
        l += e;
    }
    red[t] = l;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w >>= 1) {
        if (t < w) red[t] += red[t + w];
        __syncthreads();
    }
    l = red[0];
    __syncthreads();
    int d = t % D;
    float acc = 0.f;
    const half *vp = v + t;
    for (int j = t / D; j <= i; j += 2, vp += 2 * D) acc += sc[j] * __half2float(*vp);
    red[t] = acc;
    __syncthreads();
    if (t < D) o[i * D + d] = __float2half((red[t] + red[t + D]) / l);
}
// a thread per query, online softmax, tiles of K and V in shared memory, q and the sum in registers
template <int D, int BR>
__global__ __launch_bounds__(BR) void attn_online(const half *__restrict__ q,
                                                  const half *__restrict__ k,
                                                  const half *__restrict__ v, half *__restrict__ o,
                                                  int S, float scale) {
    __shared__ __align__(16) float ks[BR][D], vs[BR][D];
    const int i = blockIdx.x * BR + threadIdx.x;
    const size_t base = (size_t)blockIdx.y * S * D;
    float qr[D], acc[D], m = -INFINITY, l = 0.f;
#pragma unroll
    for (int d = 0; d < D; d += 2) {
        float2 f = __half22float2(*reinterpret_cast<const half2 *>(q + base + (size_t)i * D + d));
        qr[d] = f.x * scale;
        qr[d + 1] = f.y * scale;
        acc[d] = acc[d + 1] = 0.f;
    }
    for (int j0 = 0; j0 <= (int)blockIdx.x * BR; j0 += BR) {
        __syncthreads();
        const half2 *k2 = reinterpret_cast<const half2 *>(k + base + (size_t)j0 * D);
        const half2 *v2 = reinterpret_cast<const half2 *>(v + base + (size_t)j0 * D);
        for (int e = threadIdx.x; e < BR * D / 2; e += BR) {
            *reinterpret_cast<float2 *>(&ks[0][0] + 2 * e) = __half22float2(k2[e]);
            *reinterpret_cast<float2 *>(&vs[0][0] + 2 * e) = __half22float2(v2[e]);
        }
        __syncthreads();
        for (int j = 0; j < BR && j0 + j <= i; j++) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d < D; d++) s += qr[d] * ks[j][d];
            float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
            l = l * c + p;
            m = mn;
#pragma unroll
            for (int d = 0; d < D; d++) acc[d] = acc[d] * c + p * vs[j][d];
        }
    }
    float inv = 1.f / l;
#pragma unroll
    for (int d = 0; d < D; d += 2)
        *reinterpret_cast<half2 *>(o + base + (size_t)i * D + d) =
            __floats2half2_rn(acc[d] * inv, acc[d + 1] * inv);
}
// flash-like: 64 queries x 64 keys per step, four warps with a strip of 16 queries each, tensor cores for both products
__global__ __launch_bounds__(128) void attn_flash_wmma(const half *__restrict__ q,
                                                       const half *__restrict__ k,
                                                       const half *__restrict__ v,
                                                       half *__restrict__ o, int S, float scale) {
    constexpr int D = 64, LH = 72, LF = 68;
    __shared__ __align__(32) half Ks[64 * LH], Vs[64 * LH], Ps[64 * LH];
    __shared__ __align__(32) float Ss[64 * LF];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, qt = blockIdx.x;
    const size_t base = (size_t)blockIdx.y * S * D;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> qf[4];
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
        wmma::load_matrix_sync(qf[kk], q + base + (size_t)(qt * 64 + warp * 16) * D + kk * 16, D);
    const int row = lane >> 1, c0 = (lane & 1) * 32, gi = qt * 64 + warp * 16 + row;
    float *sr = Ss + (warp * 16 + row) * LF + c0;
    half *pr = Ps + (warp * 16 + row) * LH + c0;
    float acc[32], m = -INFINITY, l = 0.f;
#pragma unroll
    for (int c = 0; c < 32; c++) acc[c] = 0.f;
    for (int kt = 0; kt <= qt; kt++) {
        __syncthreads();
        for (int e = threadIdx.x; e < 64 * 8; e += 128) {
            int r = e / 8, c = (e % 8) * 8;
            *reinterpret_cast<uint4 *>(Ks + r * LH + c) =
                *reinterpret_cast<const uint4 *>(k + base + (size_t)(kt * 64 + r) * D + c);
            *reinterpret_cast<uint4 *>(Vs + r * LH + c) =
                *reinterpret_cast<const uint4 *>(v + base + (size_t)(kt * 64 + r) * D + c);
        }
        __syncthreads();
#pragma unroll
        for (int n = 0; n < 4; n++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sf;
            wmma::fill_fragment(sf, 0.f);
#pragma unroll
            for (int kk = 0; kk < 4; kk++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
                wmma::load_matrix_sync(b, Ks + n * 16 * LH + kk * 16, LH);
                wmma::mma_sync(sf, qf[kk], b, sf);
            }
            wmma::store_matrix_sync(Ss + warp * 16 * LF + n * 16, sf, LF, wmma::mem_row_major);
        }
        __syncwarp();
        float p[32], mx = -INFINITY;
#pragma unroll
        for (int c = 0; c < 32; c++) {
            p[c] = sr[c] * scale;
            if (kt == qt && kt * 64 + c0 + c > gi) p[c] = -INFINITY;
            mx = fmaxf(mx, p[c]);
        }
        mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, 1));
        float mn = fmaxf(m, mx), corr = __expf(m - mn), sum = 0.f;
#pragma unroll
        for (int c = 0; c < 32; c++) {
            p[c] = __expf(p[c] - mn);
            sum += p[c];
        }
#pragma unroll
        for (int c = 0; c < 32; c += 2)
            *reinterpret_cast<half2 *>(pr + c) = __floats2half2_rn(p[c], p[c + 1]);
        l = l * corr + sum + __shfl_xor_sync(~0u, sum, 1);
        m = mn;
        __syncwarp();
#pragma unroll
        for (int n = 0; n < 4; n++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> of;
            wmma::fill_fragment(of, 0.f);
#pragma unroll
            for (int kk = 0; kk < 4; kk++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
                wmma::load_matrix_sync(a, Ps + warp * 16 * LH + kk * 16, LH);
                wmma::load_matrix_sync(b, Vs + kk * 16 * LH + n * 16, LH);
                wmma::mma_sync(of, a, b, of);
            }
            wmma::store_matrix_sync(Ss + warp * 16 * LF + n * 16, of, LF, wmma::mem_row_major);
        }
        __syncwarp();
#pragma unroll
        for (int c = 0; c < 32; c++) acc[c] = acc[c] * corr + sr[c];
    }
    const float inv = 1.f / l;
    half *orow = o + base + (size_t)gi * D + c0;
#pragma unroll
    for (int c = 0; c < 32; c += 2)
        *reinterpret_cast<half2 *>(orow + c) = __floats2half2_rn(acc[c] * inv, acc[c + 1] * inv);
}
static void group_attn() {
    if (!wanted("attn")) return;
    const int BH = 3, S = 256, D = 64;
    size_t n = (size_t)BH * S * D;
    float sc = 0.125f;
    half *q = rand16<half>(n, -2, 2, 1), *k = rand16<half>(n, -2, 2, 2),
         *v = rand16<half>(n, -1, 1, 3), *o = zeros<half>(n);
    auto naive = [&] { attn_naive<<<dim3(S, BH), 128>>>(q, k, v, o, S, sc); };
    auto online = [&] { attn_online<64, 32><<<dim3(S / 32, BH), 32>>>(q, k, v, o, S, sc); };
    auto flash = [&] { attn_flash_wmma<<<dim3(S / 64, BH), 128>>>(q, k, v, o, S, sc); };
    bench("attn", "naive", naive);
    bench("attn", "online", online);
    bench("attn", "flash_wmma", flash);
    check("attn", {{"naive", naive}, {"online", online}, {"flash_wmma", flash}}, o, n, 1e-2f,
          1e-2f);
    release();
}

// ------------------------------------------------------------------ 2. decode attention: one query per head against a KV cache
constexpr int DD = 128;
__global__ void decode_naive(const float *q, const half *K, const half *V, const int *lens,
                             float *out, int L, int heads) {
    extern __shared__ float sm[];
    float *sc = sm;
    float *red = sm + L;
    float *sq = red + 256;
    int bh = blockIdx.x, t = threadIdx.x, len = lens[bh / heads];
    const half *k = K + (size_t)bh * L * DD;
    const half *v = V + (size_t)bh * L * DD;
    if (t < DD) sq[t] = q[bh * DD + t];
    __syncthreads();
    float m = -INFINITY;
    for (int j = t; j < len; j += 256) {
        float s = 0.f;
        for (int d = 0; d < DD; d++) s += sq[d] * __half2float(k[j * DD + d]);
        s *= 0.08838834764f;
        sc[j] = s;
        m = fmaxf(m, s);
    }
    red[t] = m;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (t < w) red[t] = fmaxf(red[t], red[t + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float l = 0.f;
    for (int j = t; j < len; j += 256) {
        float e = expf(sc[j] - m);
        sc[j] = e;
        l += e;
    }
    red[t] = l;
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (t < w) red[t] += red[t + w];
        __syncthreads();
    }
    l = red[0];
    __syncthreads();
    float acc = 0.f;
    for (int j = t / DD; j < len; j += 2) acc += sc[j] * __half2float(v[j * DD + t % DD]);
    red[t] = acc;
    __syncthreads();
    if (t < DD) out[bh * DD + t] = (red[t] + red[t + DD]) / l;
}
// sixteen lanes hold a key (8 halves each); each such group runs its own online softmax over [j0, j1)
template <int GROUPS>
__device__ __forceinline__ void decode_part(const float *__restrict__ q, const half *__restrict__ k,
                                            const half *__restrict__ v, int j0, int j1, float &m,
                                            float &l, float (&acc)[8]) {
    const int g = threadIdx.x / 16, s16 = threadIdx.x % 16;
    float qf[8];
    *reinterpret_cast<float4 *>(qf) = *reinterpret_cast<const float4 *>(q + s16 * 8);
    *reinterpret_cast<float4 *>(qf + 4) = *reinterpret_cast<const float4 *>(q + s16 * 8 + 4);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        qf[i] *= 0.08838834764f;
        acc[i] = 0.f;
    }
    m = -INFINITY;
    l = 0.f;
#pragma unroll 2
    for (int jb = j0; jb < j1; jb += GROUPS) {
        int j = jb + g;
        bool ok = j < j1;
        j = ok ? j : j1 - 1;
        uint4 kr = __ldg(reinterpret_cast<const uint4 *>(k + (size_t)j * DD) + s16);
        uint4 vr = __ldg(reinterpret_cast<const uint4 *>(v + (size_t)j * DD) + s16);
        const half2 *kh = reinterpret_cast<const half2 *>(&kr);
        const half2 *vh = reinterpret_cast<const half2 *>(&vr);
        float s = 0.f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(kh[i]);
            s = fmaf(f.x, qf[2 * i], s);
            s = fmaf(f.y, qf[2 * i + 1], s);
        }
#pragma unroll
        for (int w = 8; w > 0; w >>= 1) s += __shfl_xor_sync(~0u, s, w);
        if (!ok) s = -INFINITY;
        float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
        l = l * c + p;
        m = mn;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(vh[i]);
            acc[2 * i] = acc[2 * i] * c + p * f.x;
            acc[2 * i + 1] = acc[2 * i + 1] * c + p * f.y;
        }
    }
}
__global__ __launch_bounds__(256) void decode_halfwarp(const float *__restrict__ q,
                                                       const half *__restrict__ K,
                                                       const half *__restrict__ V,
                                                       const int *__restrict__ lens,
                                                       float *__restrict__ out, int L, int heads) {
    __shared__ float sm[16], sl[16];
    __shared__ __align__(16) float sa[16][DD];
    const int bh = blockIdx.x, g = threadIdx.x / 16, s16 = threadIdx.x % 16;
    float m, l, acc[8];
    decode_part<16>(q + bh * DD, K + (size_t)bh * L * DD, V + (size_t)bh * L * DD, 0,
                    lens[bh / heads], m, l, acc);
    if (s16 == 0) {
        sm[g] = m;
        sl[g] = l;
    }
    *reinterpret_cast<float4 *>(&sa[g][s16 * 8]) = make_float4(acc[0], acc[1], acc[2], acc[3]);
    *reinterpret_cast<float4 *>(&sa[g][s16 * 8 + 4]) = make_float4(acc[4], acc[5], acc[6], acc[7]);
    __syncthreads();
    if (threadIdx.x < DD) {
        float M = -INFINITY, Ls = 0.f, a = 0.f;
        for (int i = 0; i < 16; i++) M = fmaxf(M, sm[i]);
        for (int i = 0; i < 16; i++) {
            float w = __expf(sm[i] - M);
            Ls += w * sl[i];
            a += w * sa[i][threadIdx.x];
        }
        out[bh * DD + threadIdx.x] = a / Ls;
    }
}
// split-KV over a cluster of four blocks, merged through distributed shared memory
__global__ __cluster_dims__(4, 1, 1) __launch_bounds__(128) void decode_cluster(
    const float *__restrict__ q, const half *__restrict__ K, const half *__restrict__ V,
    const int *__restrict__ lens, float *__restrict__ out, int L, int heads) {
    __shared__ float sm[8], sl[8], part[DD + 2];
    __shared__ __align__(16) float sa[8][DD];
    cg::cluster_group cl = cg::this_cluster();
    const int bh = blockIdx.x / 4, rank = cl.block_rank(), g = threadIdx.x / 16,
              s16 = threadIdx.x % 16;
    const int len = lens[bh / heads], chunk = (len + 3) / 4, j0 = rank * chunk,
              j1 = min(len, j0 + chunk);
    float m, l, acc[8];
    decode_part<8>(q + bh * DD, K + (size_t)bh * L * DD, V + (size_t)bh * L * DD, j0, j1, m, l,
                   acc);
    if (s16 == 0) {
        sm[g] = m;
        sl[g] = l;
    }
    *reinterpret_cast<float4 *>(&sa[g][s16 * 8]) = make_float4(acc[0], acc[1], acc[2], acc[3]);
    *reinterpret_cast<float4 *>(&sa[g][s16 * 8 + 4]) = make_float4(acc[4], acc[5], acc[6], acc[7]);
    __syncthreads();
    float M = -INFINITY, Ls = 0.f, a = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) M = fmaxf(M, sm[i]);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float w = __expf(sm[i] - M);
        Ls += w * sl[i];
        a += w * sa[i][threadIdx.x];
    }
    part[threadIdx.x] = a;
    if (threadIdx.x == 0) {
        part[DD] = M;
        part[DD + 1] = Ls;
    }
    cl.sync();
    if (rank == 0) {
        float Mg = -INFINITY, Lg = 0.f, ag = 0.f, mr[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            mr[r] = cl.map_shared_rank(part, r)[DD];
            Mg = fmaxf(Mg, mr[r]);
        }
#pragma unroll
        for (int r = 0; r < 4; r++) {
            const float *rp = cl.map_shared_rank(part, r);
            float w = __expf(mr[r] - Mg);
            Lg += w * rp[DD + 1];
            ag += w * rp[threadIdx.x];
        }
        out[bh * DD + threadIdx.x] = ag / Lg;
    }
    cl.sync();
}
static void group_decode() {
    if (!wanted("decode")) return;
    const int B = 4, H = 8, L = 1024, BH = B * H;
    size_t n = (size_t)BH * L * DD;
    float *q = randf(BH * DD, -1, 1, 11);
    half *k = rand16<half>(n, -2, 2, 12), *v = rand16<half>(n, -1, 1, 13);
    int *lens = upload(std::vector<int>{1024, 1000, 961, 897});
    float *o = zeros<float>(BH * DD);
    auto naive = [&] {
        decode_naive<<<BH, 256, (L + 256 + DD) * sizeof(float)>>>(q, k, v, lens, o, L, H);
    };
    auto halfwarp = [&] { decode_halfwarp<<<BH, 256>>>(q, k, v, lens, o, L, H); };
    auto cluster = [&] { decode_cluster<<<BH * 4, 128>>>(q, k, v, lens, o, L, H); };
    bench("decode", "naive", naive);
    bench("decode", "halfwarp", halfwarp);
    bench("decode", "cluster_split", cluster);
    check("decode", {{"naive", naive}, {"halfwarp", halfwarp}, {"cluster_split", cluster}}, o,
          (size_t)BH * DD, 2e-3f, 1e-2f);
    release();
}

// ------------------------------------------------------------------ 3. softmax over rows of 1024
__global__ void softmax_thread(const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float *xr = x + (size_t)r * cols;
    float *yr = y + (size_t)r * cols;
    float m = -INFINITY, s = 0.f;
    for (int i = 0; i < cols; i++) m = fmaxf(m, xr[i]);
    for (int i = 0; i < cols; i++) s += expf(xr[i] - m);
    s = 1.f / s;
    for (int i = 0; i < cols; i++) yr[i] = expf(xr[i] - m) * s;
}
template <int cols> __global__ void softmax_block(const float *x, float *y) {
    __shared__ float red[128];
    const float *xr = x + (size_t)blockIdx.x * cols;
    float *yr = y + (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = 0; i < cols; i += 128) m = fmaxf(m, xr[i + t]);
    red[t] = m;
    __syncthreads();
    for (int w = 64; w > 0; w >>= 1) {
        if (t < w) red[t] = fmaxf(red[t], red[t + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    float s = 0.f;
    for (int i = 0; i < cols; i += 128) {
        float e = __expf(xr[i + t] - m);
        yr[i + t] = e;
        s += e;
    }
    red[t] = s;
    __syncthreads();
    for (int w = 64; w > 0; w >>= 1) {
        if (t < w) red[t] += red[t + w];
        __syncthreads();
    }
    float inv = 1.f / red[0];
    for (int i = 0; i < cols; i += 128) yr[i + t] *= inv;
}
template <int COLS>
__global__ __launch_bounds__(128) void softmax_warp(const float4 *__restrict__ x,
                                                    float4 *__restrict__ y, int rows) {
    constexpr int NV = COLS / 128;
    int r = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (r >= rows) return;
    x += (size_t)r * (COLS / 4);
    y += (size_t)r * (COLS / 4);
    float4 v[NV];
    float m = -INFINITY, s = 0.f;
#pragma unroll
    for (int i = 0; i < NV; i++) {
        v[i] = x[i * 32 + lane];
        m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
#pragma unroll
    for (int w = 16; w; w >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, w));
#pragma unroll
    for (int i = 0; i < NV; i++) {
        v[i].x = __expf(v[i].x - m);
        v[i].y = __expf(v[i].y - m);
        v[i].z = __expf(v[i].z - m);
        v[i].w = __expf(v[i].w - m);
        s += v[i].x + v[i].y + v[i].z + v[i].w;
    }
#pragma unroll
    for (int w = 16; w; w >>= 1) s += __shfl_xor_sync(~0u, s, w);
    s = __frcp_rn(s);
#pragma unroll
    for (int i = 0; i < NV; i++) {
        v[i].x *= s;
        v[i].y *= s;
        v[i].z *= s;
        v[i].w *= s;
        y[i * 32 + lane] = v[i];
    }
}
static void group_softmax() {
    if (!wanted("softmax")) return;
    const int R = 1536, C = 1024;
    size_t n = (size_t)R * C;
    float *x = randf(n, -4, 4, 21), *y = zeros<float>(n);
    auto thread = [&] { softmax_thread<<<R / 64, 64>>>(x, y, R, C); };
    auto block = [&] { softmax_block<1024><<<R, 128>>>(x, y); };
    auto warp = [&] {
        softmax_warp<1024><<<R / 4, dim3(32, 4)>>>((const float4 *)x, (float4 *)y, R);
    };
    bench("softmax", "thread_row", thread);
    bench("softmax", "block_row", block);
    bench("softmax", "warp_row", warp);
    check("softmax", {{"thread_row", thread}, {"block_row", block}, {"warp_row", warp}}, y, n,
          1e-7f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 4. layer normalisation, bfloat16, 768 columns
__device__ float block_sum(float v, float *buf) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if (lane == 0) buf[w] = v;
    __syncthreads();
    float t = 0.f;
    for (int i = 0; i < 4; i++) t += buf[i];
    __syncthreads();
    return t;
}
template <int C>
__global__ __launch_bounds__(128) void layernorm_block(const bf16 *x, const float *gamma,
                                                       const float *beta, bf16 *y, float eps) {
    __shared__ float buf[32];
    const bf16 *xr = x + (size_t)blockIdx.x * C + threadIdx.x;
    bf16 *yr = y + (size_t)blockIdx.x * C + threadIdx.x;
    gamma += threadIdx.x;
    beta += threadIdx.x;
    float s = 0.f;
    for (int i = 0; i < C; i += 128) s += __bfloat162float(xr[i]);
    float mean = block_sum(s, buf) * (1.f / C);
    s = 0.f;
    for (int i = 0; i < C; i += 128) {
        float d = __bfloat162float(xr[i]) - mean;
        s += d * d;
    }
    float rstd = rsqrtf(block_sum(s, buf) * (1.f / C) + eps);
    for (int i = 0; i < C; i += 128)
        yr[i] = __float2bfloat16((__bfloat162float(xr[i]) - mean) * rstd * gamma[i] + beta[i]);
}
template <int C>
__global__ __launch_bounds__(128) void layernorm_warp(const bf16 *__restrict__ x,
                                                      const float *__restrict__ gamma,
                                                      const float *__restrict__ beta,
                                                      bf16 *__restrict__ y, int rows, float eps) {
    constexpr int NV = C / 256;
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const uint4 *xr = reinterpret_cast<const uint4 *>(x + (size_t)r * C);
    uint4 *yr = reinterpret_cast<uint4 *>(y + (size_t)r * C);
    float f[NV][8], s = 0.f, s2 = 0.f;
#pragma unroll
    for (int i = 0; i < NV; i++) {
        uint4 u = xr[i * 32 + lane];
        const __nv_bfloat162 *h = reinterpret_cast<const __nv_bfloat162 *>(&u);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 t = __bfloat1622float2(h[j]);
            f[i][2 * j] = t.x;
            f[i][2 * j + 1] = t.y;
            s += t.x + t.y;
            s2 += t.x * t.x + t.y * t.y;
        }
    }
#pragma unroll
    for (int o = 16; o; o >>= 1) {
        s += __shfl_xor_sync(~0u, s, o);
        s2 += __shfl_xor_sync(~0u, s2, o);
    }
    const float mean = s * (1.f / C), rstd = rsqrtf(s2 * (1.f / C) - mean * mean + eps);
#pragma unroll
    for (int i = 0; i < NV; i++) {
        const float4 *gp = reinterpret_cast<const float4 *>(gamma) + (i * 32 + lane) * 2;
        const float4 *bp = reinterpret_cast<const float4 *>(beta) + (i * 32 + lane) * 2;
        float4 g0 = __ldg(gp), g1 = __ldg(gp + 1), b0 = __ldg(bp), b1 = __ldg(bp + 1);
        uint4 u;
        __nv_bfloat162 *h = reinterpret_cast<__nv_bfloat162 *>(&u);
        h[0] = __floats2bfloat162_rn((f[i][0] - mean) * rstd * g0.x + b0.x,
                                     (f[i][1] - mean) * rstd * g0.y + b0.y);
        h[1] = __floats2bfloat162_rn((f[i][2] - mean) * rstd * g0.z + b0.z,
                                     (f[i][3] - mean) * rstd * g0.w + b0.w);
        h[2] = __floats2bfloat162_rn((f[i][4] - mean) * rstd * g1.x + b1.x,
                                     (f[i][5] - mean) * rstd * g1.y + b1.y);
        h[3] = __floats2bfloat162_rn((f[i][6] - mean) * rstd * g1.z + b1.z,
                                     (f[i][7] - mean) * rstd * g1.w + b1.w);
        yr[i * 32 + lane] = u;
    }
}
static void group_layernorm() {
    if (!wanted("layernorm")) return;
    const int R = 3328, C = 768;
    size_t n = (size_t)R * C;
    bf16 *x = rand16<bf16>(n, -2, 3, 31), *y = zeros<bf16>(n);
    float *g = randf(C, 0.5f, 1.5f, 32), *b = randf(C, -1, 1, 33);
    auto block = [&] { layernorm_block<768><<<R, 128>>>(x, g, b, y, 1e-5f); };
    auto warp = [&] { layernorm_warp<768><<<R / 4, 128>>>(x, g, b, y, R, 1e-5f); };
    bench("layernorm", "block_twopass", block);
    bench("layernorm", "warp_vec8", warp);
    check("layernorm", {{"block_twopass", block}, {"warp_vec8", warp}}, y, n, 2e-2f, 2e-2f);
    release();
}

// ------------------------------------------------------------------ 5. residual add + RMS normalisation, half, 4096 columns
template <int C>
__global__ void rmsnorm_half2(const half2 *x, const half2 *res, const half2 *w, half2 *res_out,
                              half2 *y, float eps) {
    __shared__ float red[256];
    int t = threadIdx.x, base = blockIdx.x * (C / 2) + t;
    float ss = 0.f;
    for (int i = 0; i < C / 2; i += 256) {
        half2 h = __hadd2(x[base + i], res[base + i]);
        float2 f = __half22float2(h);
        res_out[base + i] = h;
        ss += f.x * f.x + f.y * f.y;
    }
    red[t] = ss;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) red[t] += red[t + k];
        __syncthreads();
    }
    float r = 1.0f / sqrtf(red[0] / C + eps);
    for (int i = 0; i < C / 2; i += 256) {
        float2 f = __half22float2(res_out[base + i]), g = __half22float2(w[i + t]);
        y[base + i] = __floats2half2_rn(f.x * r * g.x, f.y * r * g.y);
    }
}
template <int THREADS, int NV>
__global__ __launch_bounds__(THREADS) void rmsnorm_vec_cg(const uint4 *__restrict__ x,
                                                          const uint4 *__restrict__ res,
                                                          const uint4 *__restrict__ w,
                                                          uint4 *__restrict__ res_out,
                                                          uint4 *__restrict__ y, float eps) {
    __shared__ float part[THREADS / 32];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    const size_t at = (size_t)blockIdx.x * THREADS * NV + threadIdx.x;
    uint4 h[NV];
    float ss = 0.f;
#pragma unroll
    for (int k = 0; k < NV; k++) {
        uint4 a = x[at + k * THREADS], b = res[at + k * THREADS];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            half2 t = __hadd2(reinterpret_cast<half2 *>(&a)[i], reinterpret_cast<half2 *>(&b)[i]);
            reinterpret_cast<half2 *>(&h[k])[i] = t;
            float2 q = __half22float2(t);
            ss += q.x * q.x + q.y * q.y;
        }
        res_out[at + k * THREADS] = h[k];
    }
    ss = cg::reduce(tile, ss, cg::plus<float>());
    if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = ss;
    block.sync();
    ss = cg::reduce(tile, tile.thread_rank() < THREADS / 32 ? part[tile.thread_rank()] : 0.f,
                    cg::plus<float>());
    const float r = rsqrtf(ss * (1.f / (THREADS * NV * 8)) + eps);
#pragma unroll
    for (int k = 0; k < NV; k++) {
        uint4 g = __ldg(w + threadIdx.x + k * THREADS), o;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(reinterpret_cast<half2 *>(&h[k])[i]),
                   q = __half22float2(reinterpret_cast<half2 *>(&g)[i]);
            reinterpret_cast<half2 *>(&o)[i] = __floats2half2_rn(f.x * r * q.x, f.y * r * q.y);
        }
        y[at + k * THREADS] = o;
    }
}
static void group_rmsnorm() {
    if (!wanted("rmsnorm")) return;
    const int R = 960, C = 4096;
    size_t n = (size_t)R * C;
    half *x = rand16<half>(n, -1, 1, 41), *r = rand16<half>(n, -3, 3, 42),
         *w = rand16<half>(C, 0.5f, 1.5f, 43), *ro = zeros<half>(n), *y = zeros<half>(n);
    auto plain = [&] {
        rmsnorm_half2<4096>
            <<<R, 256>>>((half2 *)x, (half2 *)r, (half2 *)w, (half2 *)ro, (half2 *)y, 1e-6f);
    };
    auto vec = [&] {
        rmsnorm_vec_cg<256, 2>
            <<<R, 256>>>((uint4 *)x, (uint4 *)r, (uint4 *)w, (uint4 *)ro, (uint4 *)y, 1e-6f);
    };
    bench("rmsnorm", "half2_tree", plain);
    bench("rmsnorm", "vec_cg", vec);
    check("rmsnorm", {{"half2_tree", plain}, {"vec_cg", vec}}, y, n, 5e-3f, 5e-3f);
    release();
}

// ------------------------------------------------------------------ 6. rotary embedding, float, [token][head][64], pairs (2i, 2i+1)
__global__ void rope_sincos(const float2 *x, float2 *y, int tokens, int heads) {
    int i = threadIdx.x, tok = blockIdx.x * blockDim.y + threadIdx.y; // 32 pairs a head
    if (tok >= tokens) return;
    float ang = tok * powf(10000.f, -2.f * i / 64.f), s, c;
    sincosf(ang, &s, &c);
    for (int h = 0; h < heads; h++) {
        size_t at = ((size_t)tok * heads + h) * 32 + i;
        float2 v = x[at];
        y[at] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    }
}
template <int HEADS>
__global__ __launch_bounds__(256) void rope_table(const float4 *__restrict__ x,
                                                  const float4 *__restrict__ tab,
                                                  float4 *__restrict__ y, int n) {
    int at = blockIdx.x * 256 + threadIdx.x; // sixteen float4 a head
    if (at >= n) return;
    int tok = at / (16 * HEADS);
    float4 v = x[at], cs = __ldg(tab + tok * 16 + (at & 15)); // c0 s0 c1 s1
    y[at] = make_float4(v.x * cs.x - v.y * cs.y, v.x * cs.y + v.y * cs.x, v.z * cs.z - v.w * cs.w,
                        v.z * cs.w + v.w * cs.z);
}
static void group_rope() {
    if (!wanted("rope")) return;
    const int T = 2048, H = 32, D = 64;
    size_t n = (size_t)T * H * D;
    float *x = randf(n, -1, 1, 51), *y = zeros<float>(n);
    std::vector<float> tab((size_t)T * D);
    for (int t = 0; t < T; t++)
        for (int i = 0; i < D / 2; i++) {
            float a = t * powf(10000.f, -2.f * i / 64.f);
            tab[t * D + 2 * i] = cosf(a);
            tab[t * D + 2 * i + 1] = sinf(a);
        }
    float *dt = upload(tab);
    auto sc = [&] { rope_sincos<<<T / 8, dim3(32, 8)>>>((float2 *)x, (float2 *)y, T, H); };
    auto tb = [&] {
        rope_table<32><<<(unsigned)(n / 4 / 256), 256>>>((float4 *)x, (float4 *)dt, (float4 *)y,
                                                         (int)(n / 4));
    };
    bench("rope", "sincos_heads", sc);
    bench("rope", "table_vec4", tb);
    check("rope", {{"sincos_heads", sc}, {"table_vec4", tb}}, y, n, 5e-3f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 7. SwiGLU on a packed [row][gate F | up F], float
__global__ void swiglu_plain(const float *gu, float *out, int F) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c >= F) return;
    float g = gu[r * 2 * F + c], u = gu[r * 2 * F + F + c];
    out[r * F + c] = g / (1.0f + expf(-g)) * u;
}
__device__ __forceinline__ float silu_mul(float g, float u) {
    return __fdividef(g, 1.f + __expf(-g)) * u;
}
__global__ __launch_bounds__(256) void swiglu_vec4(const float4 *__restrict__ gu,
                                                   float4 *__restrict__ out, int fv, int total) {
    for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < total;
         idx += gridDim.x * blockDim.x) {
        int r = idx / fv;
        float4 g = __ldcs(gu + idx + r * fv), u = __ldcs(gu + idx + (r + 1) * fv);
        __stcs(out + idx, make_float4(silu_mul(g.x, u.x), silu_mul(g.y, u.y), silu_mul(g.z, u.z),
                                      silu_mul(g.w, u.w)));
    }
}
static void group_swiglu() {
    if (!wanted("swiglu")) return;
    const int R = 240, F = 5632;
    size_t n = (size_t)R * F;
    float *gu = randf(2 * n, -4, 4, 61), *o = zeros<float>(n);
    auto plain = [&] { swiglu_plain<<<dim3(F / 256, R), 256>>>(gu, o, F); };
    auto vec = [&] {
        swiglu_vec4<<<132 * 2, 256>>>((float4 *)gu, (float4 *)o, F / 4, (int)(n / 4));
    };
    bench("swiglu", "plain", plain);
    bench("swiglu", "vec4_stride", vec);
    check("swiglu", {{"plain", plain}, {"vec4_stride", vec}}, o, n, 1e-4f, 1e-4f);
    release();
}

// ------------------------------------------------------------------ 8. bias + dropout + residual, Philox 4x32-7
template <int ROUNDS> __host__ __device__ __forceinline__ uint4 philox(uint2 key, uint4 c) {
#pragma unroll
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = (uint64_t)0xD2511F53u * c.x, b = (uint64_t)0xCD9E8D57u * c.z;
        c = make_uint4((uint32_t)(b >> 32) ^ c.y ^ key.x, (uint32_t)b,
                       (uint32_t)(a >> 32) ^ c.w ^ key.y, (uint32_t)a);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}
template <int C>
__global__ void dropout_plain(const float *x, const float *bias, const float *res, float *y, int n,
                              float p, float keep, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 r = philox<7>(make_uint2(seed, 0x1234u), make_uint4(i / 4, 0, 0, 0));
    unsigned w = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
    float u = w * 2.3283064e-10f;
    float v = x[i] + bias[i % C];
    y[i] = (u >= p ? v * keep : 0.f) + res[i];
}
__global__ __launch_bounds__(256) void dropout_vec4(const float4 *__restrict__ x,
                                                    const float4 *__restrict__ bias,
                                                    const float4 *__restrict__ res,
                                                    float4 *__restrict__ y, int cv, int nv, float p,
                                                    float keep, unsigned seed) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= nv) return;
    float4 a = x[i], b = __ldg(bias + i % cv), c = res[i];
    uint4 r = philox<7>(make_uint2(seed, 0x1234u), make_uint4(i, 0, 0, 0));
    c.x += r.x * 2.3283064e-10f >= p ? (a.x + b.x) * keep : 0.f;
    c.y += r.y * 2.3283064e-10f >= p ? (a.y + b.y) * keep : 0.f;
    c.z += r.z * 2.3283064e-10f >= p ? (a.z + b.z) * keep : 0.f;
    c.w += r.w * 2.3283064e-10f >= p ? (a.w + b.w) * keep : 0.f;
    y[i] = c;
}
static void group_dropout() {
    if (!wanted("dropout")) return;
    const int R = 640, C = 1280, n = R * C;
    float *x = randf(n, -1, 1, 71), *b = randf(C, -1, 1, 72), *r = randf(n, -1, 1, 73),
          *y = zeros<float>(n);
    auto plain = [&] {
        dropout_plain<1280><<<n / 256, 256>>>(x, b, r, y, n, 0.1f, 1.f / 0.9f, 42u);
    };
    auto vec = [&] {
        dropout_vec4<<<n / 1024, 256>>>((float4 *)x, (float4 *)b, (float4 *)r, (float4 *)y, C / 4,
                                        n / 4, 0.1f, 1.f / 0.9f, 42u);
    };
    bench("dropout", "philox_each", plain);
    bench("dropout", "philox_vec4", vec);
    check("dropout", {{"philox_each", plain}, {"philox_vec4", vec}}, y, (size_t)n, 1e-5f, 1e-5f);
    release();
}

// ------------------------------------------------------------------ 9. token + position embedding, float, 768 columns
template <int C>
__global__ void embed_block(const int *ids, const float *tok, const float *pos, float *out, int S) {
    int t = blockIdx.x;
    tok += (size_t)ids[t] * C;
    pos += t % S * C;
    out += t * C;
    for (int c = 0; c < C; c += 128)
        out[c + threadIdx.x] = tok[c + threadIdx.x] + pos[c + threadIdx.x];
}
template <int C4>
__global__ __launch_bounds__(256) void embed_warp(const int *__restrict__ ids,
                                                  const float4 *__restrict__ tok,
                                                  const float4 *__restrict__ pos,
                                                  float4 *__restrict__ out, int S, int T) {
    int t = (blockIdx.x * 256 + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (t >= T) return;
    const float4 *a = tok + (size_t)__ldg(ids + t) * C4 + lane;
    const float4 *b = pos + (size_t)(t % S) * C4 + lane;
    float4 *o = out + (size_t)t * C4 + lane;
#pragma unroll
    for (int i = 0; i < C4; i += 32) {
        float4 u = __ldg(a + i), v = __ldg(b + i);
        __stcs(o + i, make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w));
    }
}
static void group_embed() {
    if (!wanted("embed")) return;
    const int V = 20000, C = 768, S = 1024, T = 8192;
    Rng r{81};
    std::vector<int> ids(T);
    for (auto &i : ids) {
        uint32_t u = r.next();
        i = (u & 7) ? (int)(r.next() % V) : (int)(r.next() % 64);
    } // some frequent words
    int *di = upload(ids);
    float *tok = randf((size_t)V * C, -1, 1, 82), *pos = randf((size_t)S * C, -1, 1, 83),
          *o = zeros<float>((size_t)T * C);
    auto block = [&] { embed_block<768><<<T, 128>>>(di, tok, pos, o, S); };
    auto warp = [&] {
        embed_warp<192><<<T / 8, 256>>>(di, (float4 *)tok, (float4 *)pos, (float4 *)o, S, T);
    };
    bench("embed", "block_scalar", block);
    bench("embed", "warp_vec4", warp);
    check("embed", {{"block_scalar", block}, {"warp_vec4", warp}}, o, (size_t)T * C, 0.f, 0.f);
    release();
}

// ------------------------------------------------------------------ 10. int8 matrix-vector product
__global__ void gemv8_thread(const int8_t *W, const float *x, const float *scale, float *y, int N,
                             int K) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= N) return;
    float s = 0.f;
    for (int k = 0; k < K; k++) s += (float)W[(size_t)r * K + k] * x[k];
    y[r] = s * scale[r];
}
__global__ __launch_bounds__(256) void gemv8_dp4a(const int4 *__restrict__ W,
                                                  const int4 *__restrict__ xq,
                                                  const float *__restrict__ scale, float sx,
                                                  float *__restrict__ y, int N, int K16) {
    int r = blockIdx.x * 8 + (threadIdx.x >> 5), lane = threadIdx.x & 31, s = 0;
    if (r >= N) return;
    const int4 *w = W + (size_t)r * K16;
#pragma unroll 4
    for (int i = lane; i < K16; i += 32) {
        int4 a = __ldcs(w + i), b = __ldg(xq + i);
        s = __dp4a(a.x, b.x, s);
        s = __dp4a(a.y, b.y, s);
        s = __dp4a(a.z, b.z, s);
        s = __dp4a(a.w, b.w, s);
    }
    s = __reduce_add_sync(~0u, s);
    if (lane == 0) y[r] = s * sx * scale[r];
}
static void group_gemv8() {
    if (!wanted("gemv8")) return;
    const int N = 4096, K = 4096;
    Rng r{91};
    std::vector<int8_t> w((size_t)N * K), xq(K);
    std::vector<float> xf(K);
    for (auto &a : w) a = (int8_t)((int)(r.next() % 255) - 127);
    for (int i = 0; i < K; i++) {
        xq[i] = (int8_t)((int)(r.next() % 255) - 127);
        xf[i] = xq[i] / 64.f;
    }
    int8_t *dw = upload(w), *dq = upload(xq);
    float *dx = upload(xf), *sc = randf(N, 0.001f, 0.002f, 92), *y = zeros<float>(N);
    auto thread = [&] { gemv8_thread<<<N / 64, 64>>>(dw, dx, sc, y, N, K); };
    auto dp = [&] {
        gemv8_dp4a<<<N / 8, 256>>>((int4 *)dw, (int4 *)dq, sc, 1.f / 64.f, y, N, K / 16);
    };
    bench("gemv8", "thread_row", thread);
    bench("gemv8", "warp_dp4a", dp);
    check("gemv8", {{"thread_row", thread}, {"warp_dp4a", dp}}, y, (size_t)N, 1e-2f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 11. int4 matrix-vector product with a scale per 128 weights
__global__ void gemv4_unpack(const uint32_t *W, const half *x, const half *scale, float *y, int N,
                             int K) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    float s = 0.f;
    for (int w = lane; w < K / 8; w += 32) {
        uint32_t q = W[(size_t)r * (K / 8) + w];
        float sc = __half2float(scale[(size_t)r * (K / 128) + w / 16]), part = 0.f;
#pragma unroll
        for (int i = 0; i < 8; i++)
            part += ((float)((q >> (4 * i)) & 15) - 8.f) * __half2float(x[w * 8 + i]);
        s += part * sc;
    }
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) y[r] = s;
}
// nibbles into the mantissa of 1024.0 by one lop3; x permuted in shared memory as (0,4) (1,5) (2,6) (3,7)
__device__ __forceinline__ half2 nib(uint32_t q) {
    uint32_t r;
    asm("lop3.b32 %0, %1, 0x000f000f, 0x64006400, 0xea;" : "=r"(r) : "r"(q));
    return __hsub2(*reinterpret_cast<half2 *>(&r), __half2half2(__ushort_as_half(0x6408))); // 1032
}
template <int K>
__global__ __launch_bounds__(256) void gemv4_lop3(const uint4 *__restrict__ W,
                                                  const half *__restrict__ x,
                                                  const half *__restrict__ scale,
                                                  float *__restrict__ y, int N) {
    __shared__ __align__(16) half2 xs[K / 2];
    for (int g = threadIdx.x; g < K / 8; g += 256) {
        uint4 u = __ldg(reinterpret_cast<const uint4 *>(x) + g);
        const half *h = reinterpret_cast<const half *>(&u);
#pragma unroll
        for (int i = 0; i < 4; i++) xs[g * 4 + i] = __halves2half2(h[i], h[i + 4]);
    }
    __syncthreads();
    const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    float s = 0.f;
#pragma unroll
    for (int it = 0; it < K / 1024; it++) {
        int v = it * 32 + lane; // 32 weights each
        uint4 q4 = __ldcs(W + (size_t)r * (K / 32) + v);
        float sc = __half2float(scale[(size_t)r * (K / 128) + v / 4]), part = 0.f;
        const uint32_t *q = reinterpret_cast<const uint32_t *>(&q4);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint4 xv = *reinterpret_cast<const uint4 *>(&xs[(v * 4 + j) * 4]);
            const half2 *xh = reinterpret_cast<const half2 *>(&xv);
            half2 a = __hmul2(nib(q[j]), xh[0]);
            a = __hfma2(nib(q[j] >> 4), xh[1], a);
            a = __hfma2(nib(q[j] >> 8), xh[2], a);
            a = __hfma2(nib(q[j] >> 12), xh[3], a);
            float2 f = __half22float2(a);
            part += f.x + f.y;
        }
        s = fmaf(part, sc, s);
    }
#pragma unroll
    for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (lane == 0) y[r] = s;
}
static void group_gemv4() {
    if (!wanted("gemv4")) return;
    const int N = 2048, K = 4096;
    Rng r{101};
    std::vector<uint32_t> w((size_t)N * K / 8);
    for (auto &a : w) a = (r.next() << 16) ^ r.next();
    uint32_t *dw = upload(w);
    half *x = rand16<half>(K, -1, 1, 102),
         *sc = rand16<half>((size_t)N * K / 128, 0.01f, 0.02f, 103);
    float *y = zeros<float>(N);
    auto un = [&] { gemv4_unpack<<<N / 4, 128>>>(dw, x, sc, y, N, K); };
    auto lo = [&] { gemv4_lop3<4096><<<N / 8, 256>>>((uint4 *)dw, x, sc, y, N); };
    bench("gemv4", "unpack", un);
    bench("gemv4", "lop3_half2", lo);
    check("gemv4", {{"unpack", un}, {"lop3_half2", lo}}, y, (size_t)N, 3e-2f, 1e-2f);
    release();
}

// ------------------------------------------------------------------ 12. a batch of 16x16 products, bfloat16 to float
__global__ void batched_shared(const bf16 *A, const bf16 *B, float *C) {
    __shared__ float a[16][16], b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    size_t base = (size_t)blockIdx.x * 256;
    a[ty][tx] = __bfloat162float(A[base + ty * 16 + tx]);
    b[ty][tx] = __bfloat162float(B[base + ty * 16 + tx]);
    __syncthreads();
    float s = 0.f;
    for (int k = 0; k < 16; k++) s += a[ty][k] * b[k][tx];
    C[base + ty * 16 + tx] = s;
}
__global__ __launch_bounds__(256) void batched_wmma(const bf16 *__restrict__ A,
                                                    const bf16 *__restrict__ B,
                                                    float *__restrict__ C, int batch) {
    int m = blockIdx.x * 8 + threadIdx.x / 32;
    if (m >= batch) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.f);
    wmma::load_matrix_sync(a, A + (size_t)m * 256, 16);
    wmma::load_matrix_sync(b, B + (size_t)m * 256, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(C + (size_t)m * 256, c, 16, wmma::mem_row_major);
}
static void group_batched() {
    if (!wanted("batched")) return;
    const int NB = 4608;
    size_t n = (size_t)NB * 256;
    bf16 *a = rand16<bf16>(n, -1, 1, 111), *b = rand16<bf16>(n, -1, 1, 112);
    float *c = zeros<float>(n);
    auto sh = [&] { batched_shared<<<NB, dim3(16, 16)>>>(a, b, c); };
    auto wm = [&] { batched_wmma<<<NB / 8, 256>>>(a, b, c, NB); };
    bench("batched", "shared", sh);
    bench("batched", "wmma_warp", wm);
    check("batched", {{"shared", sh}, {"wmma_warp", wm}}, c, n, 1e-4f, 1e-4f);
    release();
}

// ------------------------------------------------------------------ 13. C = A B, half to float, tensor cores
__global__ void gemm_wmma_global(const half *A, const half *B, float *C, int M, int N, int K) {
    int wm = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize,
        wn = blockIdx.y * blockDim.y + threadIdx.y;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    int row = wm * 16, col = wn * 16;
    if (row >= M || col >= N) return;
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(a, A + (size_t)row * K + k, K);
        wmma::load_matrix_sync(b, B + (size_t)k * N + col, N);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C + (size_t)row * N + col, c, N, wmma::mem_row_major);
}
constexpr int LDA_ = 40, LDB_ = 72; // 64 x 32 tile of A, 32 x 64 tile of B, padded by 8
__device__ __forceinline__ void
tile_mma(const half *As, const half *Bs, int wr, int wc,
         wmma::fragment<wmma::accumulator, 16, 16, 16, float> (&c)[2][2]) {
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(a[i], As + (wr * 32 + i * 16) * LDA_ + kk, LDA_);
            wmma::load_matrix_sync(b[i], Bs + kk * LDB_ + wc * 32 + i * 16, LDB_);
        }
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 2; j++) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]);
    }
}
__global__ __launch_bounds__(128) void gemm_wmma_shared(const half *__restrict__ A,
                                                        const half *__restrict__ B,
                                                        float *__restrict__ C, int M, int N,
                                                        int K) {
    __shared__ __align__(32) half As[64 * LDA_], Bs[32 * LDB_];
    const int t = threadIdx.x, warp = t / 32, wr = warp / 2, wc = warp % 2, row0 = blockIdx.y * 64,
              col0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.f);
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int e = t + i * 128;
            *reinterpret_cast<uint4 *>(As + (e / 4) * LDA_ + (e % 4) * 8) =
                *reinterpret_cast<const uint4 *>(A + (size_t)(row0 + e / 4) * K + k0 + (e % 4) * 8);
            *reinterpret_cast<uint4 *>(Bs + (e / 8) * LDB_ + (e % 8) * 8) =
                *reinterpret_cast<const uint4 *>(B + (size_t)(k0 + e / 8) * N + col0 + (e % 8) * 8);
        }
        __syncthreads();
        tile_mma(As, Bs, wr, wc, c);
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(C + (size_t)(row0 + wr * 32 + i * 16) * N + col0 + wc * 32 +
                                        j * 16,
                                    c[i][j], N, wmma::mem_row_major);
}
template <int STAGES>
__global__ __launch_bounds__(128) void gemm_wmma_cpasync(const half *__restrict__ A,
                                                         const half *__restrict__ B,
                                                         float *__restrict__ C, int M, int N,
                                                         int K) {
    __shared__ __align__(32) half As[STAGES][64 * LDA_], Bs[STAGES][32 * LDB_];
    const int t = threadIdx.x, warp = t / 32, wr = warp / 2, wc = warp % 2, row0 = blockIdx.y * 64,
              col0 = blockIdx.x * 64, steps = K / 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(c[i][j], 0.f);
    auto fetch = [&](int step) {
        if (step < steps) {
            const int st = step % STAGES, k0 = step * 32;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int e = t + i * 128;
                __pipeline_memcpy_async(&As[st][(e / 4) * LDA_ + (e % 4) * 8],
                                        A + (size_t)(row0 + e / 4) * K + k0 + (e % 4) * 8, 16);
                __pipeline_memcpy_async(&Bs[st][(e / 8) * LDB_ + (e % 8) * 8],
                                        B + (size_t)(k0 + e / 8) * N + col0 + (e % 8) * 8, 16);
            }
        }
        __pipeline_commit();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetch(s);
    for (int s = 0; s < steps; s++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(s + STAGES - 1);
        tile_mma(As[s % STAGES], Bs[s % STAGES], wr, wc, c);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(C + (size_t)(row0 + wr * 32 + i * 16) * N + col0 + wc * 32 +
                                        j * 16,
                                    c[i][j], N, wmma::mem_row_major);
}
static void group_gemm() {
    if (!wanted("gemm")) return;
    const int M = 768, N = 768, K = 416;
    half *a = rand16<half>((size_t)M * K, -1, 1, 121), *b = rand16<half>((size_t)K * N, -1, 1, 122);
    float *c = zeros<float>((size_t)M * N);
    auto gl = [&] { gemm_wmma_global<<<dim3(M / 64, N / 64), dim3(128, 4)>>>(a, b, c, M, N, K); };
    auto sh = [&] { gemm_wmma_shared<<<dim3(N / 64, M / 64), 128>>>(a, b, c, M, N, K); };
    auto as = [&] { gemm_wmma_cpasync<3><<<dim3(N / 64, M / 64), 128>>>(a, b, c, M, N, K); };
    bench("gemm", "wmma_global", gl);
    bench("gemm", "wmma_shared", sh);
    bench("gemm", "wmma_cpasync3", as);
    check("gemm", {{"wmma_global", gl}, {"wmma_shared", sh}, {"wmma_cpasync3", as}}, c,
          (size_t)M * N, 1e-2f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 14. the eight largest of each row of 4096
__global__ void topk_passes(const float *x, float *vals, int *idx, int n, int k) {
    extern __shared__ float s[];
    __shared__ float rv[256];
    __shared__ int ri[256];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) s[i] = x[(size_t)blockIdx.x * n + i];
    __syncthreads();
    for (int p = 0; p < k; p++) {
        float best = -INFINITY;
        int bi = 0;
        for (int i = t; i < n; i += blockDim.x)
            if (s[i] > best) {
                best = s[i];
                bi = i;
            }
        rv[t] = best;
        ri[t] = bi;
        __syncthreads();
        for (int w = blockDim.x / 2; w > 0; w >>= 1) {
            if (t < w && rv[t + w] > rv[t]) {
                rv[t] = rv[t + w];
                ri[t] = ri[t + w];
            }
            __syncthreads();
        }
        if (t == 0) {
            vals[blockIdx.x * k + p] = rv[0];
            idx[blockIdx.x * k + p] = ri[0];
            s[ri[0]] = -INFINITY;
        }
        __syncthreads();
    }
}
template <int K>
__global__ void topk_warp_list(const float *__restrict__ x, float *__restrict__ vals,
                               int *__restrict__ idx, int n, int rows) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    const float *xr = x + (size_t)r * n;
    float v[K];
    int id[K];
#pragma unroll
    for (int i = 0; i < K; i++) {
        v[i] = -INFINITY;
        id[i] = -1;
    }
#pragma unroll 4
    for (int j = lane; j < n; j += 32) {
        float a = xr[j];
        if (a > v[K - 1]) {
            v[K - 1] = a;
            id[K - 1] = j;
#pragma unroll
            for (int i = K - 1; i > 0; i--)
                if (v[i] > v[i - 1]) {
                    float f = v[i];
                    v[i] = v[i - 1];
                    v[i - 1] = f;
                    int q = id[i];
                    id[i] = id[i - 1];
                    id[i - 1] = q;
                }
        }
    }
    for (int p = 0; p < K; p++) {
        float m = v[0];
#pragma unroll
        for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
        int src = __ffs(__ballot_sync(~0u, v[0] == m)) - 1, who = __shfl_sync(~0u, id[0], src);
        if (lane == 0) {
            vals[r * K + p] = m;
            idx[r * K + p] = who;
        }
        if (lane == src) {
#pragma unroll
            for (int i = 0; i < K - 1; i++) {
                v[i] = v[i + 1];
                id[i] = id[i + 1];
            }
            v[K - 1] = -INFINITY;
        }
    }
}
static void group_topk() {
    if (!wanted("topk")) return;
    const int R = 144, N = 4096, K = 8;
    float *x = randf((size_t)R * N, -8, 8, 131), *v = zeros<float>(R * K);
    int *id = zeros<int>(R * K);
    auto ps = [&] { topk_passes<<<R, 256, N * sizeof(float)>>>(x, v, id, N, K); };
    auto wl = [&] { topk_warp_list<8><<<R / 2, 64>>>(x, v, id, N, R); };
    bench("topk", "k_passes", ps);
    bench("topk", "warp_list", wl);
    check("topk", {{"k_passes", ps}, {"warp_list", wl}}, v, (size_t)R * K, 0.f, 0.f);
    release();
}

// ------------------------------------------------------------------ 15. append to a paged KV cache: K [page][head][D/8][16][8], V [page][head][D][16]
template <int D, int BS, int X>
__global__ void kvappend_token(const half *key, const half *value, half *kc, half *vc,
                               const long long *slots, int H) {
    const long long slot = slots[blockIdx.x];
    if (slot < 0) return;
    const int page = (int)(slot / BS), off = (int)(slot % BS);
    kc += (size_t)page * H * D * BS + off * X;
    vc += (size_t)page * H * D * BS + off;
    for (int i = threadIdx.x; i < H * D; i += blockDim.x) {
        const int h = i / D, d = i % D;
        kc[(h * (D / X) + d / X) * BS * X + d % X] = key[blockIdx.x * H * D + i];
        vc[(h * D + d) * BS] = value[blockIdx.x * H * D + i];
    }
}
// a block per page and head; V turned in shared memory
__global__ __launch_bounds__(128) void kvappend_page(const half *__restrict__ key,
                                                     const half *__restrict__ value,
                                                     half *__restrict__ kc, half *__restrict__ vc,
                                                     const int *__restrict__ pages, int H) {
    constexpr int D = 128;
    __shared__ __align__(16) half tile[16][D + 8];
    const int h = blockIdx.y, t = threadIdx.x;
    const size_t out = ((size_t)pages[blockIdx.x] * H + h) * D * 16,
                 in = ((size_t)blockIdx.x * 16 * H + h) * D;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int e = t + i * 128;
        reinterpret_cast<uint4 *>(kc + out)[e] =
            __ldg(reinterpret_cast<const uint4 *>(key + in + (size_t)(e % 16) * H * D) + e / 16);
        *reinterpret_cast<uint4 *>(&tile[e / 16][(e % 16) * 8]) =
            __ldg(reinterpret_cast<const uint4 *>(value + in + (size_t)(e / 16) * H * D) + e % 16);
    }
    __syncthreads();
    uint4 o[2];
    half *oh = reinterpret_cast<half *>(o);
#pragma unroll
    for (int i = 0; i < 16; i++) oh[i] = tile[i][t];
    reinterpret_cast<uint4 *>(vc + out)[t * 2] = o[0];
    reinterpret_cast<uint4 *>(vc + out)[t * 2 + 1] = o[1];
}
static void group_kvappend() {
    if (!wanted("kvappend")) return;
    const int T = 1536, H = 8, D = 128, P = T / 16, NP = 256;
    size_t n = (size_t)T * H * D, cn = (size_t)NP * H * D * 16;
    half *k = rand16<half>(n, 0.5f, 1, 141), *v = rand16<half>(n, 0.5f, 1, 142),
         *kc = zeros<half>(2 * cn), *vc = kc + cn;
    std::vector<int> pg(P);
    std::vector<long long> sl(T);
    for (int p = 0; p < P; p++) pg[p] = (p * 37 + 5) % NP;
    for (int t = 0; t < T; t++) sl[t] = (long long)pg[t / 16] * 16 + t % 16;
    int *dp = upload(pg);
    long long *ds = upload(sl);
    auto tk = [&] { kvappend_token<128, 16, 8><<<T, 256>>>(k, v, kc, vc, ds, H); };
    auto pp = [&] { kvappend_page<<<dim3(P, H), 128>>>(k, v, kc, vc, dp, H); };
    bench("kvappend", "token_scalar", tk);
    bench("kvappend", "page_tile", pp);
    check("kvappend", {{"token_scalar", tk}, {"page_tile", pp}}, kc, 2 * cn, 0.f, 0.f);
    release();
}

// ------------------------------------------------------------------ 16. cross-entropy over a vocabulary of 12800
template <int V> __global__ void xent_twopass(const float *logits, const int *target, float *loss) {
    __shared__ float red[256];
    const float *x = logits + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float m = -INFINITY, s = 0.f;
#pragma unroll 5
    for (int i = t; i < V; i += 256) m = fmaxf(m, x[i]);
    red[t] = m;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (t < w) red[t] = fmaxf(red[t], red[t + w]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
#pragma unroll 5
    for (int i = t; i < V; i += 256) s += expf(x[i] - m);
    red[t] = s;
    __syncthreads();
    for (int w = 128; w > 0; w >>= 1) {
        if (t < w) red[t] += red[t + w];
        __syncthreads();
    }
    if (t == 0) loss[blockIdx.x] = logf(red[0]) + m - x[target[blockIdx.x]];
}
struct ML {
    float m, l;
};
__device__ __forceinline__ ML merge(ML a, ML b) {
    float m = fmaxf(a.m, b.m);
    return ML{m, a.l * exp2f(a.m - m) + b.l * exp2f(b.m - m)};
}
__global__ __launch_bounds__(256) void xent_online(const float4 *__restrict__ logits,
                                                   const int *__restrict__ target,
                                                   float *__restrict__ loss, int V4) {
    __shared__ ML part[8];
    const float4 *x = logits + (size_t)blockIdx.x * V4;
    const float L2E = 1.44269504f;
    ML a{-1e30f, 0.f};
#pragma unroll 2
    for (int i = threadIdx.x; i < V4; i += 256) {
        float4 v = __ldcs(x + i);
        v.x *= L2E;
        v.y *= L2E;
        v.z *= L2E;
        v.w *= L2E;
        float m = fmaxf(a.m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        a.l = a.l * exp2f(a.m - m) + (exp2f(v.x - m) + exp2f(v.y - m)) +
              (exp2f(v.z - m) + exp2f(v.w - m));
        a.m = m;
    }
#pragma unroll
    for (int o = 16; o; o >>= 1)
        a = merge(a, ML{__shfl_xor_sync(~0u, a.m, o), __shfl_xor_sync(~0u, a.l, o)});
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
    __syncthreads();
    if (threadIdx.x < 32) {
        a = threadIdx.x < 8 ? part[threadIdx.x] : ML{-1e30f, 0.f};
#pragma unroll
        for (int o = 4; o; o >>= 1)
            a = merge(a, ML{__shfl_xor_sync(~0u, a.m, o), __shfl_xor_sync(~0u, a.l, o)});
        if (threadIdx.x == 0)
            loss[blockIdx.x] = logf(a.l) + a.m * 0.69314718f -
                               reinterpret_cast<const float *>(x)[target[blockIdx.x]];
    }
}
static void group_xent() {
    if (!wanted("xent")) return;
    const int R = 272, V = 12800;
    Rng r{151};
    std::vector<int> tg(R);
    for (auto &t : tg) t = (int)(r.next() % V);
    float *x = randf((size_t)R * V, -6, 6, 152), *l = zeros<float>(R);
    int *dt = upload(tg);
    auto tp = [&] { xent_twopass<12800><<<R, 256>>>(x, dt, l); };
    auto on = [&] { xent_online<<<R, 256>>>((float4 *)x, dt, l, V / 4); };
    bench("xent", "twopass", tp);
    bench("xent", "online_vec4", on);
    check("xent", {{"twopass", tp}, {"online_vec4", on}}, l, (size_t)R, 2e-3f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 17. one AdamW step, out of place (so that each launch does the same)
struct AdamArgs {
    float lr, b1, b2, eps, wd, c1, c2;
}; // c1, c2: 1 - beta^t
__constant__ AdamArgs adam_c;
__global__ void adam_plain(const float *p, const float *g, const float *m, const float *v,
                           float *po, float *mo, float *vo, int n, AdamArgs a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gi = g[i], mi = a.b1 * m[i] + (1.f - a.b1) * gi,
          vi = a.b2 * v[i] + (1.f - a.b2) * gi * gi;
    float mh = mi / a.c1, vh = vi / a.c2;
    po[i] = p[i] - a.lr * (mh / (sqrtf(vh) + a.eps) + a.wd * p[i]);
    mo[i] = mi;
    vo[i] = vi;
}
__device__ __forceinline__ void adam1(float &p, float g, float &m, float &v, float step,
                                      float ic2) {
    m = fmaf(adam_c.b1, m - g, g);
    v = fmaf(adam_c.b2, v - g * g, g * g);
    p = p - step * __fdividef(m, __fsqrt_rn(v * ic2) + adam_c.eps) - adam_c.lr * adam_c.wd * p;
}
__global__ __launch_bounds__(256) void adam_vec4(const float4 *__restrict__ p,
                                                 const float4 *__restrict__ g,
                                                 const float4 *__restrict__ m,
                                                 const float4 *__restrict__ v,
                                                 float4 *__restrict__ po, float4 *__restrict__ mo,
                                                 float4 *__restrict__ vo, int nv) {
    const float step = adam_c.lr / adam_c.c1, ic2 = 1.f / adam_c.c2;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < nv; i += gridDim.x * 256) {
        float4 P = p[i], G = g[i], M = m[i], V = v[i];
        adam1(P.x, G.x, M.x, V.x, step, ic2);
        adam1(P.y, G.y, M.y, V.y, step, ic2);
        adam1(P.z, G.z, M.z, V.z, step, ic2);
        adam1(P.w, G.w, M.w, V.w, step, ic2);
        po[i] = P;
        mo[i] = M;
        vo[i] = V;
    }
}
static void group_adam() {
    if (!wanted("adam")) return;
    const int n = 704 * 1024;
    AdamArgs a{1e-2f, 0.9f, 0.999f, 1e-8f, 0.01f, 1.f - 0.59049f, 1.f - 0.99501f};
    CK(cudaMemcpyToSymbol(adam_c, &a, sizeof a));
    float *p = randf(n, -1, 1, 161), *g = randf(n, -1, 1, 162), *m = randf(n, -0.5f, 0.5f, 163),
          *v = randf(n, 0.01f, 0.5f, 164);
    float *po = zeros<float>((size_t)3 * n), *mo = po + n, *vo = mo + n;
    auto pl = [&] { adam_plain<<<n / 256, 256>>>(p, g, m, v, po, mo, vo, n, a); };
    auto vc = [&] {
        adam_vec4<<<132 * 2, 256>>>((float4 *)p, (float4 *)g, (float4 *)m, (float4 *)v,
                                    (float4 *)po, (float4 *)mo, (float4 *)vo, n / 4);
    };
    bench("adam", "plain", pl);
    bench("adam", "vec4_const", vc);
    check("adam", {{"plain", pl}, {"vec4_const", vc}}, po, (size_t)3 * n, 1e-5f, 1e-3f);
    release();
}

// ------------------------------------------------------------------ 18. BSHD to BHSD, float, D = 64
__global__ void bshd_blocks(const float *x, float *y, int S, int H, int D) {
    int s = blockIdx.x, h = blockIdx.y, b = blockIdx.z, d = threadIdx.x;
    y[((b * H + h) * S + s) * D + d] = x[((b * S + s) * H + h) * D + d];
}
template <int S, int H, int D4>
__global__ __launch_bounds__(256) void bshd_vec4(const float4 *__restrict__ x,
                                                 float4 *__restrict__ y) {
    int o = blockIdx.x * 256 + threadIdx.x, d = o % D4, r = o / D4; // r = (b * H + h) * S + s
    int s = r % S, bh = r / S, h = bh % H, b = bh / H;
    y[o] = __ldg(x + ((b * S + s) * H + h) * D4 + d);
}
static void group_bshd() {
    if (!wanted("bshd")) return;
    const int B = 2, S = 1024, H = 16, D = 64;
    size_t n = (size_t)B * S * H * D;
    float *x = randf(n, -1, 1, 171), *y = zeros<float>(n);
    auto bl = [&] { bshd_blocks<<<dim3(S, H, B), D>>>(x, y, S, H, D); };
    auto vc = [&] {
        bshd_vec4<1024, 16, 16><<<(unsigned)(n / 4 / 256), 256>>>((float4 *)x, (float4 *)y);
    };
    bench("bshd", "block_per_head", bl);
    bench("bshd", "flat_vec4", vc);
    check("bshd", {{"block_per_head", bl}, {"flat_vec4", vc}}, y, n, 0.f, 0.f);
    release();
}

int main() {
    group_attn();
    group_decode();
    group_softmax();
    group_layernorm();
    group_rmsnorm();
    group_rope();
    group_swiglu();
    group_dropout();
    group_embed();
    group_gemv8();
    group_gemv4();
    group_batched();
    group_gemm();
    group_topk();
    group_kvappend();
    group_xent();
    group_adam();
    group_bshd();
    return 0;
}
