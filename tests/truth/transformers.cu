// Pieces of transformers: 16 groups, 40 kernels. programs.h says how to run it; with the argument
// `check` each kernel runs once, beside a CPU.
#include "programs.h"
#include <cfloat>
#include <climits>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <numeric>
namespace cg = cooperative_groups;
using namespace nvcuda;
using std::vector;

// ------------------------------------------------------------------ host helpers
static bool g_check = false;
static uint32_t g_rng = 1;
static uint32_t rnd() {
    g_rng = g_rng * 1664525u + 1013904223u;
    return g_rng >> 8;
}
static float frnd() {
    return (float)rnd() / 8388608.0f - 1.0f;
} // [-1, 1)
static vector<float> rvec(size_t n, float scale = 1.0f) {
    vector<float> v(n);
    for (auto &x : v) x = frnd() * scale;
    return v;
}
static vector<half> hvec(size_t n, float scale = 1.0f) {
    vector<half> v(n);
    for (auto &x : v) x = __float2half(frnd() * scale);
    return v;
}
template <class T> static T *up(const vector<T> &v) {
    T *p;
    CK(cudaMalloc(&p, v.size() * sizeof(T)));
    CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
template <class T> static T *room(size_t n) {
    T *p;
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}
static float tof(float x) {
    return x;
}
static float tof(half x) {
    return __half2float(x);
}
template <class T> static vector<float> down(const T *p, size_t n) {
    vector<T> h(n);
    CK(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    vector<float> r(n);
    for (size_t i = 0; i < n; i++) r[i] = tof(h[i]);
    return r;
}
static vector<float> fl(const vector<half> &h) {
    vector<float> r(h.size());
    for (size_t i = 0; i < r.size(); i++) r[i] = __half2float(h[i]);
    return r;
}
static bool same(const vector<float> &a, const vector<float> &b, float atol, float rtol) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); i++)
        if (!(fabsf(a[i] - b[i]) <= atol + rtol * fabsf(b[i]))) {
            fprintf(stderr, "at %zu: %g, not %g\n", i, a[i], b[i]);
            return false;
        }
    return true;
}
template <class T>
static void var(const char *g, const char *v, T *out, size_t n, const vector<float> &ref,
                float atol, float rtol, std::function<void()> f) {
    if (!g_check) {
        bench(g, v, f);
        return;
    }
    CK(cudaMemset(out, 0xff, n * sizeof(T)));
    f();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    bool ok = same(down(out, n), ref, atol, rtol);
    printf("{\"check\":\"%s/%s\",\"ok\":%s}\n", g, v, ok ? "true" : "false");
    fflush(stdout);
}

// ------------------------------------------------------------------ device helpers
__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
__device__ __forceinline__ float block_sum(float v, float *sh) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    v = warp_sum(v);
    if (lane == 0) sh[w] = v;
    __syncthreads();
    v = warp_sum(lane < nw ? sh[lane] : 0.0f);
    __syncthreads();
    return v;
}
__device__ __forceinline__ float block_max(float v, float *sh) {
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5, nw = blockDim.x >> 5;
    v = warp_max(v);
    if (lane == 0) sh[w] = v;
    __syncthreads();
    v = warp_max(lane < nw ? sh[lane] : -FLT_MAX);
    __syncthreads();
    return v;
}
__device__ __forceinline__ void mma16816(float *c, const uint32_t *a, uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void ldsm4(uint32_t *r, const half *p) {
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(s)
                 : "memory");
}
__device__ __forceinline__ void ldsm4t(uint32_t *r, const half *p) {
    uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(s)
                 : "memory");
}
__device__ __forceinline__ void cp16(half *s, const half *g) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(s);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(a), "l"(g) : "memory");
}
__device__ __forceinline__ uint32_t pack2(float x, float y) {
    half2 h = __floats2half2_rn(x, y);
    return *reinterpret_cast<uint32_t *>(&h);
}

// ------------------------------------------------------------------ 1. sgemm
__global__ void sgemm_naive(const float *A, const float *B, float *C, int M, int N, int K) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; k++) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
    }
}
template <int TILE>
__global__ void sgemm_tiled(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float acc = 0.0f;
    for (int t = 0; t < K; t += TILE) {
        As[ty][tx] = (row < M && t + tx < K) ? A[row * K + t + tx] : 0.0f;
        Bs[ty][tx] = (t + ty < K && col < N) ? B[(t + ty) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
// 64x64 per block, 4x4 per thread; sizes are multiples of the tile
__global__ void __launch_bounds__(256)
    sgemm_reg4x4(const float *A, const float *B, float *C, int M, int N, int K) {
    __shared__ __align__(16) float As[16][68];
    __shared__ __align__(16) float Bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    int ar = t / 4, ac = (t % 4) * 4, br = t / 16, bc = (t % 16) * 4;
    float acc[4][4] = {};
    float4 a = *(const float4 *)&A[(r0 + ar) * K + ac];
    float4 b = *(const float4 *)&B[br * N + c0 + bc];
    for (int k0 = 0; k0 < K; k0 += 16) {
        As[ac + 0][ar] = a.x;
        As[ac + 1][ar] = a.y;
        As[ac + 2][ar] = a.z;
        As[ac + 3][ar] = a.w;
        *(float4 *)&Bs[br][bc] = b;
        __syncthreads();
        if (k0 + 16 < K) {
            a = *(const float4 *)&A[(r0 + ar) * K + k0 + 16 + ac];
            b = *(const float4 *)&B[(k0 + 16 + br) * N + c0 + bc];
        }
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 av = *(const float4 *)&As[k][ty * 4];
            float4 bv = *(const float4 *)&Bs[k][tx * 4];
            float aa[4] = {av.x, av.y, av.z, av.w}, bb[4] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += aa[i] * bb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(float4 *)&C[(r0 + ty * 4 + i) * N + c0 + tx * 4] =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
static vector<float> cpu_gemm(const vector<float> &A, const vector<float> &B, int M, int N, int K) {
    vector<float> C((size_t)M * N, 0.0f);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            float a = A[(size_t)i * K + k];
            const float *b = &B[(size_t)k * N];
            float *c = &C[(size_t)i * N];
            for (int j = 0; j < N; j++) c[j] += a * b[j];
        }
    return C;
}
static void group_sgemm() {
    const char *G = "sgemm";
    if (!wanted(G)) return;
    g_rng = 101;
    const int M = 256, N = 256, K = 256;
    auto hA = rvec(M * K), hB = rvec(K * N);
    float *A = up(hA), *B = up(hB), *C = room<float>(M * N);
    vector<float> ref;
    if (g_check) ref = cpu_gemm(hA, hB, M, N, K);
    var(G, "naive", C, M * N, ref, 1e-3f, 1e-3f,
        [=] { sgemm_naive<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, C, M, N, K); });
    var(G, "tiled16", C, M * N, ref, 1e-3f, 1e-3f,
        [=] { sgemm_tiled<16><<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, C, M, N, K); });
    var(G, "reg4x4", C, M * N, ref, 1e-3f, 1e-3f,
        [=] { sgemm_reg4x4<<<dim3(N / 64, M / 64), 256>>>(A, B, C, M, N, K); });
    cudaFree(A), cudaFree(B), cudaFree(C);
}

// ------------------------------------------------------------------ 2. hgemm_wmma
// A [M,K], B [K,N] half, C [M,N] float; four warps of 32x32 each
__global__ void __launch_bounds__(128)
    hgemm_wmma_global(const half *A, const half *B, float *C, int M, int N, int K) {
    int w = threadIdx.x / 32;
    int r0 = blockIdx.y * 64 + (w / 2) * 32, c0 = blockIdx.x * 64 + (w % 2) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(a[i], A + (size_t)(r0 + i * 16) * K + k, K);
            wmma::load_matrix_sync(b[i], B + (size_t)k * N + c0 + i * 16, N);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(C + (size_t)(r0 + i * 16) * N + c0 + j * 16, acc[i][j], N,
                                    wmma::mem_row_major);
}
template <int PAD>
__global__ void __launch_bounds__(128)
    hgemm_wmma_smem(const half *A, const half *B, float *C, int M, int N, int K) {
    __shared__ __align__(128) half As[64 * (32 + PAD)];
    __shared__ __align__(128) half Bs[32 * (64 + PAD)];
    const int LA = 32 + PAD, LB = 64 + PAD;
    int t = threadIdx.x, w = t / 32;
    int rb = blockIdx.y * 64, cb = blockIdx.x * 64;
    int wr = (w / 2) * 32, wc = (w % 2) * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, c = (i % 4) * 8;
            *(uint4 *)&As[r * LA + c] = *(const uint4 *)&A[(size_t)(rb + r) * K + k0 + c];
            r = i / 8, c = (i % 8) * 8;
            *(uint4 *)&Bs[r * LB + c] = *(const uint4 *)&B[(size_t)(k0 + r) * N + cb + c];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &As[(wr + i * 16) * LA + kk], LA);
                wmma::load_matrix_sync(b[i], &Bs[kk * LB + wc + i * 16], LB);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(C + (size_t)(rb + wr + i * 16) * N + cb + wc + j * 16,
                                    acc[i][j], N, wmma::mem_row_major);
}
static void group_hgemm_wmma() {
    const char *G = "hgemm_wmma";
    if (!wanted(G)) return;
    g_rng = 102;
    const int M = 1024, N = 1024, K = 512;
    auto hA = hvec(M * K), hB = hvec(K * N);
    half *A = up(hA), *B = up(hB);
    float *C = room<float>(M * N);
    vector<float> ref;
    if (g_check) ref = cpu_gemm(fl(hA), fl(hB), M, N, K);
    dim3 grid(N / 64, M / 64);
    var(G, "global", C, M * N, ref, 5e-3f, 1e-3f,
        [=] { hgemm_wmma_global<<<grid, 128>>>(A, B, C, M, N, K); });
    var(G, "smem", C, M * N, ref, 5e-3f, 1e-3f,
        [=] { hgemm_wmma_smem<0><<<grid, 128>>>(A, B, C, M, N, K); });
    var(G, "smem_pad", C, M * N, ref, 5e-3f, 1e-3f,
        [=] { hgemm_wmma_smem<8><<<grid, 128>>>(A, B, C, M, N, K); });
    cudaFree(A), cudaFree(B), cudaFree(C);
}

// ------------------------------------------------------------------ 3. hgemm_gelu (mma.sync)
// C = gelu(A B + bias), half out; block tile 128x64x32, eight warps of 32x32
__device__ __forceinline__ float gelu(float x) {
    float u = 1.5957691216f * (x + 0.044715f * x * x * x); // 2 sqrt(2/pi) (...)
    return x / (1.0f + __expf(-u));
}
__device__ __forceinline__ void gelu_store(float (*acc)[4][4], const half *bias, half *C, int N,
                                           int r0, int c0) {
    int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int r = r0 + i * 16 + g, c = c0 + j * 8 + 2 * t;
            float2 bf = __half22float2(*(const half2 *)&bias[c]);
            *(half2 *)&C[(size_t)r * N + c] =
                __floats2half2_rn(gelu(acc[i][j][0] + bf.x), gelu(acc[i][j][1] + bf.y));
            *(half2 *)&C[(size_t)(r + 8) * N + c] =
                __floats2half2_rn(gelu(acc[i][j][2] + bf.x), gelu(acc[i][j][3] + bf.y));
        }
}
// one buffer, fragments gathered by ordinary shared loads
__global__ void __launch_bounds__(256)
    hgemm_gelu_lds(const half *A, const half *B, const half *bias, half *C, int M, int N, int K) {
    __shared__ __align__(16) half As[128][40];
    __shared__ __align__(16) half Bs[32][72];
    int tid = threadIdx.x, w = tid / 32, lane = tid % 32, g = lane >> 2, t = lane & 3;
    int rb = blockIdx.y * 128, cb = blockIdx.x * 64, wr = (w / 2) * 32, wc = (w % 2) * 32;
    float acc[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = tid; i < 512; i += 256) {
            int r = i / 4, c = (i % 4) * 8;
            *(uint4 *)&As[r][c] = *(const uint4 *)&A[(size_t)(rb + r) * K + k0 + c];
        }
        {
            int r = tid / 8, c = (tid % 8) * 8;
            *(uint4 *)&Bs[r][c] = *(const uint4 *)&B[(size_t)(k0 + r) * N + cb + c];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            uint32_t a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = wr + i * 16 + g, c = kk + 2 * t;
                a[i][0] = *(const uint32_t *)&As[r][c];
                a[i][1] = *(const uint32_t *)&As[r + 8][c];
                a[i][2] = *(const uint32_t *)&As[r][c + 8];
                a[i][3] = *(const uint32_t *)&As[r + 8][c + 8];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                int n = wc + j * 8 + g;
                half2 lo = __halves2half2(Bs[kk + 2 * t][n], Bs[kk + 2 * t + 1][n]);
                half2 hi = __halves2half2(Bs[kk + 2 * t + 8][n], Bs[kk + 2 * t + 9][n]);
                b[j][0] = *(uint32_t *)&lo;
                b[j][1] = *(uint32_t *)&hi;
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) mma16816(acc[i][j], a[i], b[j][0], b[j][1]);
        }
        __syncthreads();
    }
    gelu_store(acc, bias, C, N, rb + wr, cb + wc);
}
// two buffers through the pipeline primitives, padded rows, ldmatrix
__global__ void __launch_bounds__(256)
    hgemm_gelu_pipe2(const half *A, const half *B, const half *bias, half *C, int M, int N, int K) {
    __shared__ __align__(16) half As[2][128][40];
    __shared__ __align__(16) half Bs[2][32][72];
    int tid = threadIdx.x, w = tid / 32, lane = tid % 32;
    int rb = blockIdx.y * 128, cb = blockIdx.x * 64, wr = (w / 2) * 32, wc = (w % 2) * 32;
    float acc[2][4][4] = {};
    auto load = [&](int s, int k0) {
        for (int i = tid; i < 512; i += 256) {
            int r = i / 4, c = (i % 4) * 8;
            __pipeline_memcpy_async(&As[s][r][c], &A[(size_t)(rb + r) * K + k0 + c], 16);
        }
        int r = tid / 8, c = (tid % 8) * 8;
        __pipeline_memcpy_async(&Bs[s][r][c], &B[(size_t)(k0 + r) * N + cb + c], 16);
    };
    int n = K / 32;
    load(0, 0);
    __pipeline_commit();
    for (int kt = 0; kt < n; kt++) {
        if (kt + 1 < n) load((kt + 1) & 1, (kt + 1) * 32);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int s = kt & 1;
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            uint32_t a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                ldsm4(a[i], &As[s][wr + i * 16 + (lane & 15)][kk + (lane >> 4) * 8]);
                ldsm4t(b[i], &Bs[s][kk + (lane & 15)][wc + i * 16 + (lane >> 4) * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma16816(acc[i][j], a[i], b[j / 2][(j % 2) * 2], b[j / 2][(j % 2) * 2 + 1]);
        }
        __syncthreads();
    }
    gelu_store(acc, bias, C, N, rb + wr, cb + wc);
}
// three cp.async stages, xor-swizzled rows, ldmatrix, one barrier per step
__global__ void __launch_bounds__(256)
    hgemm_gelu_pipe3(const half *A, const half *B, const half *bias, half *C, int M, int N, int K) {
    constexpr int ST = 3;
    __shared__ __align__(128) half As[ST][128 * 32];
    __shared__ __align__(128) half Bs[ST][32 * 64];
    int tid = threadIdx.x, w = tid / 32, lane = tid % 32;
    int rb = blockIdx.y * 128, cb = blockIdx.x * 64, wr = (w / 2) * 32, wc = (w % 2) * 32;
    float acc[2][4][4] = {};
    auto load = [&](int s, int k0) {
#pragma unroll
        for (int q = 0; q < 2; q++) {
            int i = tid + q * 256, r = i / 4, c = i % 4;
            cp16(&As[s][r * 32 + (c ^ ((r >> 1) & 3)) * 8], &A[(size_t)(rb + r) * K + k0 + c * 8]);
        }
        int r = tid / 8, c = tid % 8;
        cp16(&Bs[s][r * 64 + (c ^ (r & 7)) * 8], &B[(size_t)(k0 + r) * N + cb + c * 8]);
    };
    int n = K / 32;
    for (int s = 0; s < ST - 1; s++) {
        if (s < n) load(s, s * 32);
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    }
    for (int kt = 0; kt < n; kt++) {
        asm volatile("cp.async.wait_group %0;\n" ::"n"(ST - 2) : "memory");
        __syncthreads();
        int nx = kt + ST - 1;
        if (nx < n) load(nx % ST, nx * 32);
        asm volatile("cp.async.commit_group;\n" ::: "memory");
        const half *as = As[kt % ST], *bs = Bs[kt % ST];
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            uint32_t a[2][4], b[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                int r = wr + i * 16 + (lane & 15), c = kk / 8 + (lane >> 4);
                ldsm4(a[i], &as[r * 32 + (c ^ ((r >> 1) & 3)) * 8]);
                r = kk + (lane & 15), c = wc / 8 + i * 2 + (lane >> 4);
                ldsm4t(b[i], &bs[r * 64 + (c ^ (r & 7)) * 8]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    mma16816(acc[i][j], a[i], b[j / 2][(j % 2) * 2], b[j / 2][(j % 2) * 2 + 1]);
        }
    }
    gelu_store(acc, bias, C, N, rb + wr, cb + wc);
}
static void group_hgemm_gelu() {
    const char *G = "hgemm_gelu";
    if (!wanted(G)) return;
    g_rng = 103;
    const int M = 1024, N = 1024, K = 512;
    auto hA = hvec(M * K, 0.5f), hB = hvec(K * N, 0.5f), hb = hvec(N);
    half *A = up(hA), *B = up(hB), *bias = up(hb), *C = room<half>(M * N);
    vector<float> ref;
    if (g_check) {
        ref = cpu_gemm(fl(hA), fl(hB), M, N, K);
        for (int i = 0; i < M * N; i++) {
            double x = ref[i] + __half2float(hb[i % N]);
            ref[i] = (float)(0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))));
        }
    }
    dim3 grid(N / 64, M / 128);
    var(G, "mma_lds", C, M * N, ref, 5e-3f, 5e-3f,
        [=] { hgemm_gelu_lds<<<grid, 256>>>(A, B, bias, C, M, N, K); });
    var(G, "ldmatrix_pipe2", C, M * N, ref, 5e-3f, 5e-3f,
        [=] { hgemm_gelu_pipe2<<<grid, 256>>>(A, B, bias, C, M, N, K); });
    var(G, "swizzle_pipe3", C, M * N, ref, 5e-3f, 5e-3f,
        [=] { hgemm_gelu_pipe3<<<grid, 256>>>(A, B, bias, C, M, N, K); });
    cudaFree(A), cudaFree(B), cudaFree(bias), cudaFree(C);
}

// ------------------------------------------------------------------ 4. gemv_int8
__global__ void gemv8_thread_row(const int8_t *W, const int8_t *x, const float *ws, float xs,
                                 float *y, int N, int K) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= N) return;
    const int8_t *w = W + (size_t)r * K;
    int acc = 0;
    for (int k = 0; k < K; k++) acc += (int)w[k] * (int)x[k];
    y[r] = (float)acc * ws[r] * xs;
}
__global__ void gemv8_warp_char4(const char4 *W, const char4 *x, const float *ws, float xs,
                                 float *y, int N, int K) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    const char4 *w = W + (size_t)r * (K / 4);
    int acc = 0;
    for (int k = lane; k < K / 4; k += 32) {
        char4 a = w[k], b = x[k];
        acc += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int o = 16; o; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
    if (lane == 0) y[r] = (float)acc * ws[r] * xs;
}
__global__ void gemv8_dp4a(const int4 *W, const int4 *x, const float *ws, float xs, float *y, int N,
                           int K) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    const int4 *w = W + (size_t)r * (K / 16);
    int a0 = 0, a1 = 0;
#pragma unroll 4
    for (int k = lane; k < K / 16; k += 32) {
        int4 a = __ldcs(&w[k]), b = __ldg(&x[k]);
        a0 = __dp4a(a.x, b.x, a0);
        a1 = __dp4a(a.y, b.y, a1);
        a0 = __dp4a(a.z, b.z, a0);
        a1 = __dp4a(a.w, b.w, a1);
    }
    int acc = __reduce_add_sync(0xffffffffu, a0 + a1);
    if (lane == 0) y[r] = (float)acc * ws[r] * xs;
}
static void group_gemv_int8() {
    const char *G = "gemv_int8";
    if (!wanted(G)) return;
    g_rng = 104;
    const int N = 4096, K = 4096;
    vector<int8_t> hW((size_t)N * K), hx(K);
    for (auto &v : hW) v = (int8_t)((int)(rnd() % 255) - 127);
    for (auto &v : hx) v = (int8_t)((int)(rnd() % 255) - 127);
    vector<float> hs(N);
    for (auto &v : hs) v = 0.005f + 0.004f * frnd();
    const float xs = 0.01f;
    int8_t *W = up(hW), *x = up(hx);
    float *ws = up(hs), *y = room<float>(N);
    vector<float> ref;
    if (g_check) {
        ref.resize(N);
        for (int r = 0; r < N; r++) {
            int acc = 0;
            for (int k = 0; k < K; k++) acc += (int)hW[(size_t)r * K + k] * (int)hx[k];
            ref[r] = (float)acc * hs[r] * xs;
        }
    }
    var(G, "thread_per_row", y, N, ref, 1e-5f, 1e-5f,
        [=] { gemv8_thread_row<<<N / 64, 64>>>(W, x, ws, xs, y, N, K); });
    var(G, "warp_char4", y, N, ref, 1e-5f, 1e-5f, [=] {
        gemv8_warp_char4<<<N / 8, 256>>>((const char4 *)W, (const char4 *)x, ws, xs, y, N, K);
    });
    var(G, "warp_dp4a", y, N, ref, 1e-5f, 1e-5f,
        [=] { gemv8_dp4a<<<N / 4, 128>>>((const int4 *)W, (const int4 *)x, ws, xs, y, N, K); });
    cudaFree(W), cudaFree(x), cudaFree(ws), cudaFree(y);
}

// ------------------------------------------------------------------ 5. gemv_int4
// two weights per byte (low nibble first), zero point 8, a half scale per 128 weights
__global__ void gemv4_byte(const uint8_t *W, const half *sc, const half *x, float *y, int N,
                           int K) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    const uint8_t *w = W + (size_t)r * (K / 2);
    const half *s = sc + (size_t)r * (K / 128);
    float acc = 0.0f;
    for (int i = lane; i < K / 2; i += 32) {
        uint8_t q = w[i];
        float scale = __half2float(s[i / 64]);
        acc += scale * (float)((int)(q & 15) - 8) * __half2float(x[2 * i]);
        acc += scale * (float)((int)(q >> 4) - 8) * __half2float(x[2 * i + 1]);
    }
    acc = warp_sum(acc);
    if (lane == 0) y[r] = acc;
}
__global__ void __launch_bounds__(128)
    gemv4_magic(const uint4 *W, const half *sc, const uint4 *x, float *y, int N, int K) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= N) return;
    const uint4 *w = W + (size_t)r * (K / 32);
    const half *s = sc + (size_t)r * (K / 128);
    const half2 zero = __floats2half2_rn(1032.0f, 1032.0f);
    float acc = 0.0f;
#pragma unroll 2
    for (int i = lane; i < K / 32; i += 32) {
        uint4 q4 = w[i];
        uint32_t q[4] = {q4.x, q4.y, q4.z, q4.w};
        float part = 0.0f;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint4 xv = x[i * 4 + j];
            half2 x01 = *(half2 *)&xv.x, x23 = *(half2 *)&xv.y;
            half2 x45 = *(half2 *)&xv.z, x67 = *(half2 *)&xv.w;
            uint32_t m0 = (q[j] & 0x000f000fu) | 0x64006400u;        // 1024 + nibbles 0, 4
            uint32_t m1 = ((q[j] >> 4) & 0x000f000fu) | 0x64006400u; // 1, 5
            uint32_t m2 = ((q[j] >> 8) & 0x000f000fu) | 0x64006400u;
            uint32_t m3 = ((q[j] >> 12) & 0x000f000fu) | 0x64006400u;
            half2 a = __hmul2(__hsub2(*(half2 *)&m0, zero), __lows2half2(x01, x45));
            a = __hfma2(__hsub2(*(half2 *)&m1, zero), __highs2half2(x01, x45), a);
            half2 b = __hmul2(__hsub2(*(half2 *)&m2, zero), __lows2half2(x23, x67));
            b = __hfma2(__hsub2(*(half2 *)&m3, zero), __highs2half2(x23, x67), b);
            float2 fa = __half22float2(a), fb = __half22float2(b);
            part += (fa.x + fa.y) + (fb.x + fb.y);
        }
        acc += part * __half2float(s[i / 4]);
    }
    acc = warp_sum(acc);
    if (lane == 0) y[r] = acc;
}
static void group_gemv_int4() {
    const char *G = "gemv_int4";
    if (!wanted(G)) return;
    g_rng = 105;
    const int N = 3072, K = 4096;
    vector<uint8_t> hW((size_t)N * K / 2);
    for (auto &v : hW) v = (uint8_t)rnd();
    vector<half> hs((size_t)N * K / 128);
    for (auto &v : hs) v = __float2half(0.012f + 0.008f * frnd());
    auto hx = hvec(K);
    uint8_t *W = up(hW);
    half *sc = up(hs), *x = up(hx);
    float *y = room<float>(N);
    vector<float> ref;
    if (g_check) {
        ref.resize(N);
        auto fx = fl(hx);
        for (int r = 0; r < N; r++) {
            double acc = 0;
            for (int k = 0; k < K; k++) {
                int b = hW[((size_t)r * K + k) / 2], q = (k & 1) ? b >> 4 : b & 15;
                acc += (double)(q - 8) * fx[k] * __half2float(hs[((size_t)r * K + k) / 128]);
            }
            ref[r] = (float)acc;
        }
    }
    var(G, "warp_bytes", y, N, ref, 2e-2f, 1e-2f,
        [=] { gemv4_byte<<<N / 8, 256>>>(W, sc, x, y, N, K); });
    var(G, "warp_half2_magic", y, N, ref, 2e-2f, 1e-2f,
        [=] { gemv4_magic<<<N / 4, 128>>>((const uint4 *)W, sc, (const uint4 *)x, y, N, K); });
    cudaFree(W), cudaFree(sc), cudaFree(x), cudaFree(y);
}

// ------------------------------------------------------------------ 6. softmax
__global__ void softmax_thread(const float *x, float *y, int R, int C) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= R) return;
    const float *p = x + (size_t)r * C;
    float *o = y + (size_t)r * C;
    float m = -FLT_MAX, s = 0.0f;
    for (int c = 0; c < C; c++) m = fmaxf(m, p[c]);
    for (int c = 0; c < C; c++) s += __expf(p[c] - m);
    for (int c = 0; c < C; c++) o[c] = __expf(p[c] - m) / s;
}
__global__ void softmax_block_tree(const float *x, float *y, int C) {
    __shared__ float sh[128];
    int t = threadIdx.x;
    const float *p = x + (size_t)blockIdx.x * C;
    float *o = y + (size_t)blockIdx.x * C;
    float m = -FLT_MAX;
    for (int c = t; c < C; c += blockDim.x) m = fmaxf(m, p[c]);
    sh[t] = m;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) sh[t] = fmaxf(sh[t], sh[t + k]);
        __syncthreads();
    }
    m = sh[0];
    __syncthreads();
    float s = 0.0f;
    for (int c = t; c < C; c += blockDim.x) {
        float e = expf(p[c] - m);
        o[c] = e;
        s += e;
    }
    sh[t] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) sh[t] += sh[t + k];
        __syncthreads();
    }
    s = sh[0];
    for (int c = t; c < C; c += blockDim.x) o[c] = o[c] / s;
}
// a warp per row of 512, the row in registers
__global__ void __launch_bounds__(256) softmax_warp(const float4 *x, float4 *y, int R) {
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= R) return;
    const float4 *p = x + (size_t)r * 128;
    float4 v[4];
    float m = -FLT_MAX, s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = p[i * 32 + lane];
#pragma unroll
    for (int i = 0; i < 4; i++) m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    m = warp_max(m);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i].x = __expf(v[i].x - m);
        v[i].y = __expf(v[i].y - m);
        v[i].z = __expf(v[i].z - m);
        v[i].w = __expf(v[i].w - m);
        s += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    s = 1.0f / warp_sum(s);
#pragma unroll
    for (int i = 0; i < 4; i++)
        y[(size_t)r * 128 + i * 32 + lane] =
            make_float4(v[i].x * s, v[i].y * s, v[i].z * s, v[i].w * s);
}
static void group_softmax() {
    const char *G = "softmax";
    if (!wanted(G)) return;
    g_rng = 106;
    const int R = 4096, C = 512;
    auto hx = rvec((size_t)R * C, 5.0f);
    float *x = up(hx), *y = room<float>((size_t)R * C);
    vector<float> ref;
    if (g_check) {
        ref.resize((size_t)R * C);
        for (int r = 0; r < R; r++) {
            double s = 0;
            for (int c = 0; c < C; c++) s += exp((double)hx[(size_t)r * C + c]);
            for (int c = 0; c < C; c++)
                ref[(size_t)r * C + c] = (float)(exp((double)hx[(size_t)r * C + c]) / s);
        }
    }
    var(G, "thread_per_row", y, R * C, ref, 1e-6f, 1e-3f,
        [=] { softmax_thread<<<R / 64, 64>>>(x, y, R, C); });
    var(G, "block_tree", y, R * C, ref, 1e-6f, 1e-3f,
        [=] { softmax_block_tree<<<R, 128>>>(x, y, C); });
    var(G, "warp_regs", y, R * C, ref, 1e-6f, 1e-3f,
        [=] { softmax_warp<<<R / 8, 256>>>((const float4 *)x, (float4 *)y, R); });
    cudaFree(x), cudaFree(y);
}

// ------------------------------------------------------------------ 7. layernorm
__global__ void layernorm_3pass(const float *x, const float *gam, const float *bet, float *y,
                                int C) {
    __shared__ float sh[256];
    int t = threadIdx.x;
    const float *p = x + (size_t)blockIdx.x * C;
    float *o = y + (size_t)blockIdx.x * C;
    float s = 0.0f;
    for (int c = t; c < C; c += blockDim.x) s += p[c];
    sh[t] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) sh[t] += sh[t + k];
        __syncthreads();
    }
    float mean = sh[0] / C;
    __syncthreads();
    s = 0.0f;
    for (int c = t; c < C; c += blockDim.x) s += (p[c] - mean) * (p[c] - mean);
    sh[t] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) sh[t] += sh[t + k];
        __syncthreads();
    }
    float var = sh[0] / C;
    for (int c = t; c < C; c += blockDim.x)
        o[c] = (p[c] - mean) / sqrtf(var + 1e-5f) * gam[c] + bet[c];
}
__global__ void __launch_bounds__(256)
    layernorm_vec(const float4 *x, const float4 *gam, const float4 *bet, float4 *y) {
    __shared__ float2 sh[8];
    int t = threadIdx.x, lane = t & 31;
    float4 v = x[(size_t)blockIdx.x * 256 + t];
    float s = (v.x + v.y) + (v.z + v.w);
    float q = (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    s = warp_sum(s);
    q = warp_sum(q);
    if (lane == 0) sh[t >> 5] = make_float2(s, q);
    __syncthreads();
    s = q = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) s += sh[i].x, q += sh[i].y;
    float mean = s * (1.0f / 1024), rstd = rsqrtf(q * (1.0f / 1024) - mean * mean + 1e-5f);
    float4 g = gam[t], b = bet[t];
    y[(size_t)blockIdx.x * 256 + t] =
        make_float4((v.x - mean) * rstd * g.x + b.x, (v.y - mean) * rstd * g.y + b.y,
                    (v.z - mean) * rstd * g.z + b.z, (v.w - mean) * rstd * g.w + b.w);
}
static void group_layernorm() {
    const char *G = "layernorm";
    if (!wanted(G)) return;
    g_rng = 107;
    const int R = 2048, C = 1024;
    auto hx = rvec((size_t)R * C, 2.0f), hg = rvec(C), hb = rvec(C);
    float *x = up(hx), *g = up(hg), *b = up(hb), *y = room<float>((size_t)R * C);
    vector<float> ref;
    if (g_check) {
        ref.resize((size_t)R * C);
        for (int r = 0; r < R; r++) {
            const float *p = &hx[(size_t)r * C];
            double m = 0, v = 0;
            for (int c = 0; c < C; c++) m += p[c];
            m /= C;
            for (int c = 0; c < C; c++) v += (p[c] - m) * (p[c] - m);
            v = 1.0 / sqrt(v / C + 1e-5);
            for (int c = 0; c < C; c++)
                ref[(size_t)r * C + c] = (float)((p[c] - m) * v * hg[c] + hb[c]);
        }
    }
    var(G, "three_pass", y, R * C, ref, 1e-4f, 1e-4f,
        [=] { layernorm_3pass<<<R, 256>>>(x, g, b, y, C); });
    var(G, "float4_regs", y, R * C, ref, 1e-4f, 1e-4f, [=] {
        layernorm_vec<<<R, 256>>>((const float4 *)x, (const float4 *)g, (const float4 *)b,
                                  (float4 *)y);
    });
    cudaFree(x), cudaFree(g), cudaFree(b), cudaFree(y);
}

// ------------------------------------------------------------------ 8. bias_res_rms
// h = x + bias + residual (kept, in out[1]); out[0] = h / rms(h) * weight; half
__global__ void bias_res_rms_scalar(const half *x, const half *bias, const half *res,
                                    const half *wt, half *y, half *h, int C) {
    __shared__ float red[32];
    size_t o = (size_t)blockIdx.x * C;
    float s = 0.0f;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float v = __half2float(x[o + c]) + __half2float(bias[c]) + __half2float(res[o + c]);
        h[o + c] = __float2half(v);
        s += v * v;
    }
    s = block_sum(s, red);
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float v = __half2float(h[o + c]);
        y[o + c] = __float2half(v / sqrtf(s / C + 1e-6f) * __half2float(wt[c]));
    }
}
// rows of 2048: eight halves per thread
__global__ void __launch_bounds__(256)
    bias_res_rms_vec(const uint4 *x, const uint4 *bias, const uint4 *res, const uint4 *wt, uint4 *y,
                     uint4 *h) {
    __shared__ float red[8];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    size_t o = (size_t)blockIdx.x * 256 + t;
    uint4 xv = x[o], bv = bias[t], rv = res[o], wv = wt[t], hv, yv;
    float2 f[4];
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 a = __half22float2(((half2 *)&xv)[i]), b = __half22float2(((half2 *)&bv)[i]);
        float2 c = __half22float2(((half2 *)&rv)[i]);
        f[i] = make_float2(a.x + b.x + c.x, a.y + b.y + c.y);
        ((half2 *)&hv)[i] = __float22half2_rn(f[i]);
        s += f[i].x * f[i].x + f[i].y * f[i].y;
    }
    h[o] = hv;
    s = cg::reduce(warp, s, cg::plus<float>());
    if (warp.thread_rank() == 0) red[t >> 5] = s;
    __syncthreads();
    s = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) s += red[i];
    float k = rsqrtf(s * (1.0f / 2048) + 1e-6f);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float2 w = __half22float2(((half2 *)&wv)[i]);
        ((half2 *)&yv)[i] = __floats2half2_rn(f[i].x * k * w.x, f[i].y * k * w.y);
    }
    y[o] = yv;
}
static void group_bias_res_rms() {
    const char *G = "bias_res_rms";
    if (!wanted(G)) return;
    g_rng = 108;
    const int R = 1024, C = 2048;
    const size_t n = (size_t)R * C;
    auto hx = hvec(n, 2.0f), hb = hvec(C), hr = hvec(n, 2.0f), hw = hvec(C);
    half *x = up(hx), *b = up(hb), *r = up(hr), *w = up(hw), *out = room<half>(2 * n);
    vector<float> ref;
    if (g_check) {
        ref.resize(2 * n);
        for (int i = 0; i < R; i++) {
            double s = 0;
            for (int c = 0; c < C; c++) {
                size_t k = (size_t)i * C + c;
                float v = __half2float(hx[k]) + __half2float(hb[c]) + __half2float(hr[k]);
                ref[n + k] = v;
                s += (double)v * v;
            }
            s = 1.0 / sqrt(s / C + 1e-6);
            for (int c = 0; c < C; c++)
                ref[(size_t)i * C + c] =
                    (float)(ref[n + (size_t)i * C + c] * s * __half2float(hw[c]));
        }
    }
    var(G, "scalar_half", out, 2 * n, ref, 2e-3f, 3e-3f,
        [=] { bias_res_rms_scalar<<<R, 256>>>(x, b, r, w, out, out + n, C); });
    var(G, "half8_regs", out, 2 * n, ref, 2e-3f, 3e-3f, [=] {
        bias_res_rms_vec<<<R, 256>>>((const uint4 *)x, (const uint4 *)b, (const uint4 *)r,
                                     (const uint4 *)w, (uint4 *)out, (uint4 *)(out + n));
    });
    cudaFree(x), cudaFree(b), cudaFree(r), cudaFree(w), cudaFree(out);
}

// ------------------------------------------------------------------ 9. attn_f32 (causal)
// [BH, S, 64]
__global__ void attn_row_scores(const float *Q, const float *K, const float *V, float *O, int S) {
    __shared__ float sc[256];
    __shared__ float qs[64];
    __shared__ float red[32];
    int q = blockIdx.x, t = threadIdx.x;
    size_t base = (size_t)blockIdx.y * S * 64;
    if (t < 64) qs[t] = Q[base + q * 64 + t];
    __syncthreads();
    int n = q + 1;
    float m = -FLT_MAX;
    for (int j = t; j < n; j += blockDim.x) {
        float s = 0.0f;
        for (int d = 0; d < 64; d++) s += qs[d] * K[base + j * 64 + d];
        s *= 0.125f;
        sc[j] = s;
        m = fmaxf(m, s);
    }
    m = block_max(m, red);
    float sum = 0.0f;
    for (int j = t; j < n; j += blockDim.x) {
        float e = __expf(sc[j] - m);
        sc[j] = e;
        sum += e;
    }
    sum = block_sum(sum, red);
    if (t < 64) {
        float o = 0.0f;
        for (int j = 0; j < n; j++) o += sc[j] * V[base + j * 64 + t];
        O[base + q * 64 + t] = o / sum;
    }
}
__global__ void __launch_bounds__(64)
    attn_thread_online(const float *Q, const float *K, const float *V, float *O, int S) {
    int q = blockIdx.x * 64 + threadIdx.x;
    size_t base = (size_t)blockIdx.y * S * 64;
    float4 qv[16], ov[16];
    const float4 *qp = (const float4 *)(Q + base + (size_t)q * 64);
#pragma unroll
    for (int i = 0; i < 16; i++) qv[i] = qp[i], ov[i] = make_float4(0, 0, 0, 0);
    float m = -FLT_MAX, l = 0.0f;
    for (int j = 0; j <= q; j++) {
        const float4 *kp = (const float4 *)(K + base + (size_t)j * 64);
        const float4 *vp = (const float4 *)(V + base + (size_t)j * 64);
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 k = kp[i];
            s += qv[i].x * k.x + qv[i].y * k.y + qv[i].z * k.z + qv[i].w * k.w;
        }
        s *= 0.125f;
        if (s > m) {
            float c = __expf(m - s);
            l *= c;
#pragma unroll
            for (int i = 0; i < 16; i++) ov[i].x *= c, ov[i].y *= c, ov[i].z *= c, ov[i].w *= c;
            m = s;
        }
        float p = __expf(s - m);
        l += p;
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 v = vp[i];
            ov[i].x += p * v.x, ov[i].y += p * v.y, ov[i].z += p * v.z, ov[i].w += p * v.w;
        }
    }
    float4 *op = (float4 *)(O + base + (size_t)q * 64);
    l = 1.0f / l;
#pragma unroll
    for (int i = 0; i < 16; i++)
        op[i] = make_float4(ov[i].x * l, ov[i].y * l, ov[i].z * l, ov[i].w * l);
}
// 32 queries per block, four threads to a query, tiles of 32 keys in shared memory
__global__ void __launch_bounds__(128)
    attn_tiled_online(const float4 *Q, const float4 *K, const float4 *V, float4 *O, int S) {
    __shared__ float4 ks[32][16], vs[32][16];
    int t = threadIdx.x, part = t & 3, q = blockIdx.x * 32 + (t >> 2);
    size_t base = (size_t)blockIdx.y * S * 16;
    float4 qv[4], ov[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float4 a = Q[base + (size_t)q * 16 + i * 4 + part];
        qv[i] = make_float4(a.x * 0.125f, a.y * 0.125f, a.z * 0.125f, a.w * 0.125f);
        ov[i] = make_float4(0, 0, 0, 0);
    }
    float m = -FLT_MAX, l = 0.0f;
    for (int j0 = 0; j0 <= (int)blockIdx.x * 32; j0 += 32) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int e = t + i * 128;
            ks[e >> 4][e & 15] = K[base + (size_t)j0 * 16 + e];
            vs[e >> 4][e & 15] = V[base + (size_t)j0 * 16 + e];
        }
        __syncthreads();
        float s[32], mn = m;
#pragma unroll
        for (int j = 0; j < 32; j++) {
            float a = 0.0f;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float4 k = ks[j][i * 4 + part];
                a += qv[i].x * k.x + qv[i].y * k.y + qv[i].z * k.z + qv[i].w * k.w;
            }
            a += __shfl_xor_sync(0xffffffffu, a, 1);
            a += __shfl_xor_sync(0xffffffffu, a, 2);
            s[j] = j0 + j <= q ? a : -1e30f;
            mn = fmaxf(mn, s[j]);
        }
        float c = __expf(m - mn);
        m = mn;
        l *= c;
#pragma unroll
        for (int i = 0; i < 4; i++) ov[i].x *= c, ov[i].y *= c, ov[i].z *= c, ov[i].w *= c;
#pragma unroll
        for (int j = 0; j < 32; j++) {
            float p = __expf(s[j] - m);
            l += p;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float4 v = vs[j][i * 4 + part];
                ov[i].x += p * v.x, ov[i].y += p * v.y, ov[i].z += p * v.z, ov[i].w += p * v.w;
            }
        }
    }
    l = 1.0f / l;
#pragma unroll
    for (int i = 0; i < 4; i++)
        O[base + (size_t)q * 16 + i * 4 + part] =
            make_float4(ov[i].x * l, ov[i].y * l, ov[i].z * l, ov[i].w * l);
}
static vector<float> cpu_attn(const vector<float> &Q, const vector<float> &K,
                              const vector<float> &V, int BH, int S, bool causal) {
    vector<float> O((size_t)BH * S * 64);
    vector<float> p(S);
    for (int b = 0; b < BH; b++)
        for (int q = 0; q < S; q++) {
            size_t base = (size_t)b * S * 64;
            int n = causal ? q + 1 : S;
            float m = -FLT_MAX;
            for (int j = 0; j < n; j++) {
                float s = 0;
                for (int d = 0; d < 64; d++) s += Q[base + q * 64 + d] * K[base + j * 64 + d];
                p[j] = s * 0.125f;
                m = std::max(m, p[j]);
            }
            double l = 0;
            double o[64] = {};
            for (int j = 0; j < n; j++) {
                double e = exp((double)p[j] - m);
                l += e;
                for (int d = 0; d < 64; d++) o[d] += e * V[base + j * 64 + d];
            }
            for (int d = 0; d < 64; d++) O[base + q * 64 + d] = (float)(o[d] / l);
        }
    return O;
}
static void group_attn_f32() {
    const char *G = "attn_f32";
    if (!wanted(G)) return;
    g_rng = 109;
    const int BH = 6, S = 256;
    const size_t n = (size_t)BH * S * 64;
    auto hQ = rvec(n, 3.0f), hK = rvec(n), hV = rvec(n);
    float *Q = up(hQ), *K = up(hK), *V = up(hV), *O = room<float>(n);
    vector<float> ref;
    if (g_check) ref = cpu_attn(hQ, hK, hV, BH, S, true);
    var(G, "row_scores", O, n, ref, 2e-4f, 1e-3f,
        [=] { attn_row_scores<<<dim3(S, BH), 128>>>(Q, K, V, O, S); });
    var(G, "thread_online", O, n, ref, 2e-4f, 1e-3f,
        [=] { attn_thread_online<<<dim3(S / 64, BH), 64>>>(Q, K, V, O, S); });
    var(G, "tiled_online", O, n, ref, 2e-4f, 1e-3f, [=] {
        attn_tiled_online<<<dim3(S / 32, BH), 128>>>((const float4 *)Q, (const float4 *)K,
                                                     (const float4 *)V, (float4 *)O, S);
    });
    cudaFree(Q), cudaFree(K), cudaFree(V), cudaFree(O);
}

// ------------------------------------------------------------------ 10. flash_f16 (no mask)
// 64 queries per block, a warp to 16 of them; scores and output go through shared memory
__global__ void __launch_bounds__(128)
    flash_wmma_smem(const half *Q, const half *K, const half *V, half *O, int S) {
    __shared__ __align__(128) half ks[32 * 72];
    __shared__ __align__(128) half vs[32 * 72];
    __shared__ __align__(128) float ss[64 * 36];
    __shared__ __align__(128) half ps[64 * 40];
    __shared__ __align__(128) float os[64 * 68];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    size_t base = (size_t)blockIdx.y * S * 64;
    int q0 = blockIdx.x * 64 + w * 16;
    float *sw = ss + w * 16 * 36, *ow = os + w * 16 * 68;
    half *pw = ps + w * 16 * 40;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> qf[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma::load_matrix_sync(qf[i], Q + base + (size_t)q0 * 64 + i * 16, 64);
    int r = lane >> 1, h = lane & 1; // two lanes to a row
    for (int c = 0; c < 32; c++) ow[r * 68 + h * 32 + c] = 0.0f;
    float m = -FLT_MAX, l = 0.0f;
    for (int j0 = 0; j0 < S; j0 += 32) {
        __syncthreads();
        for (int i = t; i < 256; i += 128) {
            int rr = i / 8, c = (i % 8) * 8;
            *(uint4 *)&ks[rr * 72 + c] = *(const uint4 *)&K[base + (size_t)(j0 + rr) * 64 + c];
            *(uint4 *)&vs[rr * 72 + c] = *(const uint4 *)&V[base + (size_t)(j0 + rr) * 64 + c];
        }
        __syncthreads();
#pragma unroll
        for (int nf = 0; nf < 2; nf++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
            wmma::fill_fragment(acc, 0.0f);
#pragma unroll
            for (int kk = 0; kk < 4; kk++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> kf;
                wmma::load_matrix_sync(kf, &ks[nf * 16 * 72 + kk * 16], 72);
                wmma::mma_sync(acc, qf[kk], kf, acc);
            }
            wmma::store_matrix_sync(&sw[nf * 16], acc, 36, wmma::mem_row_major);
        }
        __syncwarp();
        float mn = m;
        for (int c = 0; c < 16; c++) mn = fmaxf(mn, sw[r * 36 + h * 16 + c] * 0.125f);
        mn = fmaxf(mn, __shfl_xor_sync(0xffffffffu, mn, 1));
        float corr = __expf(m - mn), sum = 0.0f;
        for (int c = 0; c < 16; c++) {
            float e = __expf(sw[r * 36 + h * 16 + c] * 0.125f - mn);
            pw[r * 40 + h * 16 + c] = __float2half(e);
            sum += e;
        }
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        l = l * corr + sum;
        m = mn;
        for (int c = 0; c < 32; c++) ow[r * 68 + h * 32 + c] *= corr;
        __syncwarp();
#pragma unroll
        for (int nd = 0; nd < 4; nd++) {
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
            wmma::load_matrix_sync(acc, &ow[nd * 16], 68, wmma::mem_row_major);
#pragma unroll
            for (int kk = 0; kk < 2; kk++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> pf;
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> vf;
                wmma::load_matrix_sync(pf, &pw[kk * 16], 40);
                wmma::load_matrix_sync(vf, &vs[kk * 16 * 72 + nd * 16], 72);
                wmma::mma_sync(acc, pf, vf, acc);
            }
            wmma::store_matrix_sync(&ow[nd * 16], acc, 68, wmma::mem_row_major);
        }
        __syncwarp();
    }
    for (int c = 0; c < 32; c++)
        O[base + (size_t)(q0 + r) * 64 + h * 32 + c] = __float2half(ow[r * 68 + h * 32 + c] / l);
}
// the same blocks with everything in registers, tiles of 64 keys
__global__ void __launch_bounds__(128)
    flash_mma_regs(const half *Q, const half *K, const half *V, half *O, int S) {
    __shared__ __align__(16) half ks[64][72];
    __shared__ __align__(16) half vs[64][72];
    int tid = threadIdx.x, w = tid / 32, lane = tid % 32, g = lane >> 2, t = lane & 3;
    size_t base = (size_t)blockIdx.y * S * 64;
    int q0 = blockIdx.x * 64 + w * 16;
    uint32_t qf[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const half *p = Q + base + (size_t)(q0 + g) * 64 + i * 16 + 2 * t;
        qf[i][0] = *(const uint32_t *)p;
        qf[i][1] = *(const uint32_t *)(p + 8 * 64);
        qf[i][2] = *(const uint32_t *)(p + 8);
        qf[i][3] = *(const uint32_t *)(p + 8 * 64 + 8);
    }
    float o[8][4] = {};
    float m0 = -FLT_MAX, m1 = -FLT_MAX, l0 = 0.0f, l1 = 0.0f;
    const float sl = 0.125f * 1.44269504f;
    for (int j0 = 0; j0 < S; j0 += 64) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int e = tid + i * 128, rr = e / 8, c = (e % 8) * 8;
            cp16(&ks[rr][c], &K[base + (size_t)(j0 + rr) * 64 + c]);
            cp16(&vs[rr][c], &V[base + (size_t)(j0 + rr) * 64 + c]);
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n" ::: "memory");
        __syncthreads();
        float s[8][4] = {};
#pragma unroll
        for (int nf = 0; nf < 8; nf++)
#pragma unroll
            for (int kk = 0; kk < 4; kk++)
                mma16816(s[nf], qf[kk], *(const uint32_t *)&ks[nf * 8 + g][kk * 16 + 2 * t],
                         *(const uint32_t *)&ks[nf * 8 + g][kk * 16 + 2 * t + 8]);
        float n0 = m0, n1 = m1;
#pragma unroll
        for (int nf = 0; nf < 8; nf++) {
#pragma unroll
            for (int i = 0; i < 4; i++) s[nf][i] *= sl;
            n0 = fmaxf(n0, fmaxf(s[nf][0], s[nf][1]));
            n1 = fmaxf(n1, fmaxf(s[nf][2], s[nf][3]));
        }
#pragma unroll
        for (int x = 1; x < 4; x <<= 1) {
            n0 = fmaxf(n0, __shfl_xor_sync(0xffffffffu, n0, x));
            n1 = fmaxf(n1, __shfl_xor_sync(0xffffffffu, n1, x));
        }
        float c0 = exp2f(m0 - n0), c1 = exp2f(m1 - n1);
        m0 = n0, m1 = n1;
        l0 *= c0, l1 *= c1;
#pragma unroll
        for (int nf = 0; nf < 8; nf++) {
            s[nf][0] = exp2f(s[nf][0] - m0);
            s[nf][1] = exp2f(s[nf][1] - m0);
            s[nf][2] = exp2f(s[nf][2] - m1);
            s[nf][3] = exp2f(s[nf][3] - m1);
            l0 += s[nf][0] + s[nf][1];
            l1 += s[nf][2] + s[nf][3];
            o[nf][0] *= c0, o[nf][1] *= c0, o[nf][2] *= c1, o[nf][3] *= c1;
        }
#pragma unroll
        for (int kk = 0; kk < 4; kk++) {
            uint32_t p[4] = {pack2(s[2 * kk][0], s[2 * kk][1]), pack2(s[2 * kk][2], s[2 * kk][3]),
                             pack2(s[2 * kk + 1][0], s[2 * kk + 1][1]),
                             pack2(s[2 * kk + 1][2], s[2 * kk + 1][3])};
#pragma unroll
            for (int nd = 0; nd < 4; nd++) {
                uint32_t b[4];
                ldsm4t(b, &vs[kk * 16 + (lane & 15)][nd * 16 + (lane >> 4) * 8]);
                mma16816(o[2 * nd], p, b[0], b[1]);
                mma16816(o[2 * nd + 1], p, b[2], b[3]);
            }
        }
    }
#pragma unroll
    for (int x = 1; x < 4; x <<= 1) {
        l0 += __shfl_xor_sync(0xffffffffu, l0, x);
        l1 += __shfl_xor_sync(0xffffffffu, l1, x);
    }
    l0 = 1.0f / l0, l1 = 1.0f / l1;
#pragma unroll
    for (int nf = 0; nf < 8; nf++) {
        half *p = O + base + (size_t)(q0 + g) * 64 + nf * 8 + 2 * t;
        *(half2 *)p = __floats2half2_rn(o[nf][0] * l0, o[nf][1] * l0);
        *(half2 *)(p + 8 * 64) = __floats2half2_rn(o[nf][2] * l1, o[nf][3] * l1);
    }
}
static void group_flash_f16() {
    const char *G = "flash_f16";
    if (!wanted(G)) return;
    g_rng = 110;
    const int BH = 8, S = 512;
    const size_t n = (size_t)BH * S * 64;
    auto hQ = hvec(n, 4.0f), hK = hvec(n), hV = hvec(n);
    half *Q = up(hQ), *K = up(hK), *V = up(hV), *O = room<half>(n);
    vector<float> ref;
    if (g_check) ref = cpu_attn(fl(hQ), fl(hK), fl(hV), BH, S, false);
    var(G, "wmma_smem", O, n, ref, 2e-3f, 3e-3f,
        [=] { flash_wmma_smem<<<dim3(S / 64, BH), 128>>>(Q, K, V, O, S); });
    var(G, "mma_regs", O, n, ref, 2e-3f, 3e-3f,
        [=] { flash_mma_regs<<<dim3(S / 64, BH), 128>>>(Q, K, V, O, S); });
    cudaFree(Q), cudaFree(K), cudaFree(V), cudaFree(O);
}

// ------------------------------------------------------------------ 11. paged_decode
// one query per sequence; caches [page][H][16 tokens][64] half, found through a block table
__global__ void __launch_bounds__(128)
    decode_thread_token(const half *q, const half *kc, const half *vc, const int *pt,
                        const int *lens, half *out, int H, int maxpages) {
    __shared__ float sc[1024];
    __shared__ float qs[64];
    __shared__ float red[32];
    __shared__ float oo[128];
    int h = blockIdx.x, b = blockIdx.y, t = threadIdx.x, len = lens[b];
    if (t < 64) qs[t] = __half2float(q[(b * H + h) * 64 + t]) * 0.125f;
    __syncthreads();
    float m = -FLT_MAX;
    for (int j = t; j < len; j += 128) {
        int page = pt[b * maxpages + j / 16];
        const half2 *k = (const half2 *)(kc + (((size_t)page * H + h) * 16 + j % 16) * 64);
        float s = 0.0f;
        for (int d = 0; d < 32; d++) {
            float2 f = __half22float2(k[d]);
            s += qs[2 * d] * f.x + qs[2 * d + 1] * f.y;
        }
        sc[j] = s;
        m = fmaxf(m, s);
    }
    m = block_max(m, red);
    float l = 0.0f;
    for (int j = t; j < len; j += 128) {
        float e = __expf(sc[j] - m);
        sc[j] = e;
        l += e;
    }
    l = block_sum(l, red);
    int d = t & 63;
    float o = 0.0f;
    for (int j = t >> 6; j < len; j += 2) {
        int page = pt[b * maxpages + j / 16];
        o += sc[j] * __half2float(vc[(((size_t)page * H + h) * 16 + j % 16) * 64 + d]);
    }
    oo[t] = o;
    __syncthreads();
    if (t < 64) out[(b * H + h) * 64 + t] = __float2half((oo[t] + oo[t + 64]) / l);
}
// eight lanes to a token: a block reads a page at a time
__global__ void __launch_bounds__(128)
    decode_lanes8(const half *q, const half *kc, const half *vc, const int *pt, const int *lens,
                  half *out, int H, int maxpages) {
    __shared__ float sc[1024];
    __shared__ float red[32];
    __shared__ float oo[4][64];
    int h = blockIdx.x, b = blockIdx.y, t = threadIdx.x, len = lens[b];
    int w = t >> 5, lane = t & 31, sub = lane & 7, tok = w * 4 + (lane >> 3);
    float qf[8];
    {
        uint4 v = *(const uint4 *)&q[(b * H + h) * 64 + sub * 8];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(((half2 *)&v)[i]);
            qf[2 * i] = f.x * 0.125f;
            qf[2 * i + 1] = f.y * 0.125f;
        }
    }
    const int *pages = pt + b * maxpages;
    int np = (len + 15) / 16;
    float m = -FLT_MAX;
#pragma unroll 4
    for (int p = 0; p < np; p++) {
        uint4 v = *(const uint4 *)&kc[(((size_t)pages[p] * H + h) * 16 + tok) * 64 + sub * 8];
        float s = 0.0f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(((half2 *)&v)[i]);
            s += qf[2 * i] * f.x + qf[2 * i + 1] * f.y;
        }
        s += __shfl_xor_sync(0xffffffffu, s, 1);
        s += __shfl_xor_sync(0xffffffffu, s, 2);
        s += __shfl_xor_sync(0xffffffffu, s, 4);
        int j = p * 16 + tok;
        if (j < len) {
            if (sub == 0) sc[j] = s;
            m = fmaxf(m, s);
        }
    }
    m = block_max(m, red);
    float l = 0.0f;
    for (int j = t; j < len; j += 128) {
        float e = __expf(sc[j] - m);
        sc[j] = e;
        l += e;
    }
    l = block_sum(l, red);
    float o[8] = {};
#pragma unroll 4
    for (int p = 0; p < np; p++) {
        uint4 v = *(const uint4 *)&vc[(((size_t)pages[p] * H + h) * 16 + tok) * 64 + sub * 8];
        int j = p * 16 + tok;
        float e = j < len ? sc[j] : 0.0f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 f = __half22float2(((half2 *)&v)[i]);
            o[2 * i] += e * f.x;
            o[2 * i + 1] += e * f.y;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        o[i] += __shfl_xor_sync(0xffffffffu, o[i], 8);
        o[i] += __shfl_xor_sync(0xffffffffu, o[i], 16);
    }
    if (lane < 8)
#pragma unroll
        for (int i = 0; i < 8; i++) oo[w][sub * 8 + i] = o[i];
    __syncthreads();
    if (t < 64)
        out[(b * H + h) * 64 + t] =
            __float2half(((oo[0][t] + oo[1][t]) + (oo[2][t] + oo[3][t])) / l);
}
static void group_paged_decode() {
    const char *G = "paged_decode";
    if (!wanted(G)) return;
    g_rng = 111;
    const int B = 16, H = 8, MP = 64, P = B * MP;
    const size_t n = (size_t)P * H * 16 * 64;
    auto hq = hvec(B * H * 64, 4.0f), hk = hvec(n), hv = hvec(n);
    vector<int> hpt(P), hl(B);
    std::iota(hpt.begin(), hpt.end(), 0);
    for (int i = P - 1; i > 0; i--) std::swap(hpt[i], hpt[rnd() % (i + 1)]);
    for (auto &x : hl) x = 512 + (int)(rnd() % 513);
    half *q = up(hq), *kc = up(hk), *vc = up(hv), *out = room<half>(B * H * 64);
    int *pt = up(hpt), *lens = up(hl);
    vector<float> ref;
    if (g_check) {
        ref.resize(B * H * 64);
        for (int b = 0; b < B; b++)
            for (int h = 0; h < H; h++) {
                double l = 0, o[64] = {};
                for (int j = 0; j < hl[b]; j++) {
                    size_t a = (((size_t)hpt[b * MP + j / 16] * H + h) * 16 + j % 16) * 64;
                    double s = 0;
                    for (int d = 0; d < 64; d++)
                        s += __half2float(hq[(b * H + h) * 64 + d]) * __half2float(hk[a + d]);
                    s = exp(s * 0.125);
                    l += s;
                    for (int d = 0; d < 64; d++) o[d] += s * __half2float(hv[a + d]);
                }
                for (int d = 0; d < 64; d++) ref[(b * H + h) * 64 + d] = (float)(o[d] / l);
            }
    }
    var(G, "thread_per_token", out, B * H * 64, ref, 1e-3f, 2e-3f,
        [=] { decode_thread_token<<<dim3(H, B), 128>>>(q, kc, vc, pt, lens, out, H, MP); });
    var(G, "lanes8_per_token", out, B * H * 64, ref, 1e-3f, 2e-3f,
        [=] { decode_lanes8<<<dim3(H, B), 128>>>(q, kc, vc, pt, lens, out, H, MP); });
    cudaFree(q), cudaFree(kc), cudaFree(vc), cudaFree(out), cudaFree(pt), cudaFree(lens);
}

// ------------------------------------------------------------------ 12. rope
// [T, H, 64] float, halves rotated together (d, d + 32)
__global__ void rope_sincos(const float *x, const int *pos, float *y, int T, int H) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * H * 32) return;
    int d = i % 32, h = (i / 32) % H, t = i / (32 * H);
    float ang = (float)pos[t] * powf(10000.0f, -(float)(2 * d) / 64.0f);
    float s, c;
    sincosf(ang, &s, &c);
    size_t o = ((size_t)t * H + h) * 64 + d;
    float a = x[o], b = x[o + 32];
    y[o] = a * c - b * s;
    y[o + 32] = b * c + a * s;
}
__global__ void rope_table(const float4 *x, const int *pos, const float4 *ct, const float4 *st,
                           float4 *y, int T, int H) {
    int i = blockIdx.x * blockDim.x + threadIdx.x; // one of 8 quads of a head
    if (i >= T * H * 8) return;
    int d = i & 7, th = i >> 3, t = th / H, p = pos[t];
    float4 c = __ldg(&ct[p * 8 + d]), s = __ldg(&st[p * 8 + d]);
    float4 a = x[(size_t)th * 16 + d], b = x[(size_t)th * 16 + d + 8];
    y[(size_t)th * 16 + d] = make_float4(a.x * c.x - b.x * s.x, a.y * c.y - b.y * s.y,
                                         a.z * c.z - b.z * s.z, a.w * c.w - b.w * s.w);
    y[(size_t)th * 16 + d + 8] = make_float4(b.x * c.x + a.x * s.x, b.y * c.y + a.y * s.y,
                                             b.z * c.z + a.z * s.z, b.w * c.w + a.w * s.w);
}
static void group_rope() {
    const char *G = "rope";
    if (!wanted(G)) return;
    g_rng = 112;
    const int T = 1536, H = 16, MAXP = 2048;
    const size_t n = (size_t)T * H * 64;
    auto hx = rvec(n);
    vector<int> hp(T);
    for (int t = 0; t < T; t++) hp[t] = (t % 256) + (t / 256) * 300; // six sequences
    vector<float> hc(MAXP * 32), hs(MAXP * 32);
    for (int p = 0; p < MAXP; p++)
        for (int d = 0; d < 32; d++) {
            double a = p * pow(10000.0, -d / 32.0);
            hc[p * 32 + d] = (float)cos(a);
            hs[p * 32 + d] = (float)sin(a);
        }
    float *x = up(hx), *y = room<float>(n), *ct = up(hc), *st = up(hs);
    int *pos = up(hp);
    vector<float> ref;
    if (g_check) {
        ref.resize(n);
        for (int t = 0; t < T; t++)
            for (int h = 0; h < H; h++)
                for (int d = 0; d < 32; d++) {
                    size_t o = ((size_t)t * H + h) * 64 + d;
                    float c = hc[hp[t] * 32 + d], s = hs[hp[t] * 32 + d];
                    ref[o] = hx[o] * c - hx[o + 32] * s;
                    ref[o + 32] = hx[o + 32] * c + hx[o] * s;
                }
    }
    var(G, "powf_sincosf", y, n, ref, 2e-3f, 1e-3f,
        [=] { rope_sincos<<<T * H * 32 / 256, 256>>>(x, pos, y, T, H); });
    var(G, "table_float4", y, n, ref, 2e-3f, 1e-3f, [=] {
        rope_table<<<T * H * 8 / 256, 256>>>((const float4 *)x, pos, (const float4 *)ct,
                                             (const float4 *)st, (float4 *)y, T, H);
    });
    cudaFree(x), cudaFree(y), cudaFree(ct), cudaFree(st), cudaFree(pos);
}

// ------------------------------------------------------------------ 13. swiglu
// gate_up [T, 2 I] half -> silu(gate) * up [T, I] half
__global__ void swiglu_scalar(const half *gu, half *y, int T, int I) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * I) return;
    int t = i / I, c = i % I;
    float g = __half2float(gu[(size_t)t * 2 * I + c]);
    float u = __half2float(gu[(size_t)t * 2 * I + I + c]);
    y[i] = __float2half(g / (1.0f + expf(-g)) * u);
}
__global__ void __launch_bounds__(128) swiglu_half8(const uint4 *gu, uint4 *y, int I8) {
    int t = blockIdx.y;
    for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < I8; c += gridDim.x * blockDim.x) {
        uint4 gv = gu[(size_t)t * 2 * I8 + c], uv = gu[(size_t)t * 2 * I8 + I8 + c], r;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 g = __half22float2(((half2 *)&gv)[k]), u = __half22float2(((half2 *)&uv)[k]);
            ((half2 *)&r)[k] = __floats2half2_rn(__fdividef(g.x, 1.0f + __expf(-g.x)) * u.x,
                                                 __fdividef(g.y, 1.0f + __expf(-g.y)) * u.y);
        }
        y[(size_t)t * I8 + c] = r;
    }
}
static void group_swiglu() {
    const char *G = "swiglu";
    if (!wanted(G)) return;
    g_rng = 113;
    const int T = 768, I = 2816;
    auto hx = hvec((size_t)T * 2 * I, 4.0f);
    half *x = up(hx), *y = room<half>((size_t)T * I);
    vector<float> ref;
    if (g_check) {
        ref.resize((size_t)T * I);
        for (int t = 0; t < T; t++)
            for (int c = 0; c < I; c++) {
                double g = __half2float(hx[(size_t)t * 2 * I + c]);
                double u = __half2float(hx[(size_t)t * 2 * I + I + c]);
                ref[(size_t)t * I + c] = (float)(g / (1 + exp(-g)) * u);
            }
    }
    var(G, "scalar_divmod", y, (size_t)T * I, ref, 1e-3f, 2e-3f,
        [=] { swiglu_scalar<<<(T * I + 255) / 256, 256>>>(x, y, T, I); });
    var(G, "half8", y, (size_t)T * I, ref, 1e-3f, 2e-3f, [=] {
        swiglu_half8<<<dim3((I / 8 + 127) / 128, T), 128>>>((const uint4 *)x, (uint4 *)y, I / 8);
    });
    cudaFree(x), cudaFree(y);
}

// ------------------------------------------------------------------ 14. topk
// the 8 largest of each row of logits, largest first, values then indices (as floats)
__global__ void __launch_bounds__(256) topk_passes(const float *x, float *val, float *idx, int V) {
    __shared__ float sv[256];
    __shared__ int si[256];
    const float *p = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x;
    float pv = FLT_MAX;
    int pi = -1;
    for (int k = 0; k < 8; k++) {
        float bv = -FLT_MAX;
        int bi = INT_MAX;
        for (int i = t; i < V; i += 256) {
            float v = p[i];
            if ((v < pv || (v == pv && i > pi)) && v > bv) bv = v, bi = i;
        }
        sv[t] = bv, si[t] = bi;
        __syncthreads();
        for (int s = 128; s > 0; s >>= 1) {
            if (t < s && (sv[t + s] > sv[t] || (sv[t + s] == sv[t] && si[t + s] < si[t])))
                sv[t] = sv[t + s], si[t] = si[t + s];
            __syncthreads();
        }
        pv = sv[0], pi = si[0];
        __syncthreads();
        if (t == 0) val[blockIdx.x * 8 + k] = pv, idx[blockIdx.x * 8 + k] = (float)pi;
    }
}
__global__ void __launch_bounds__(256) topk_insert(const float *x, float *val, float *idx, int V) {
    __shared__ float sv[8];
    __shared__ int si[8];
    const float *p = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x, lane = t & 31, w = t >> 5;
    float v[8];
    int id[8];
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = -FLT_MAX, id[j] = INT_MAX;
    for (int i = t; i < V; i += 256) {
        float a = p[i];
        if (a > v[7]) {
            v[7] = a, id[7] = i;
#pragma unroll
            for (int j = 7; j > 0; j--)
                if (v[j] > v[j - 1]) {
                    float f = v[j];
                    v[j] = v[j - 1], v[j - 1] = f;
                    int q = id[j];
                    id[j] = id[j - 1], id[j - 1] = q;
                }
        }
    }
    for (int k = 0; k < 8; k++) { // the largest head of all threads' lists
        float bv = v[0];
        int bi = id[0];
        for (int o = 16; o; o >>= 1) {
            float ov = __shfl_xor_sync(0xffffffffu, bv, o);
            int oi = __shfl_xor_sync(0xffffffffu, bi, o);
            if (ov > bv || (ov == bv && oi < bi)) bv = ov, bi = oi;
        }
        if (lane == 0) sv[w] = bv, si[w] = bi;
        __syncthreads();
        bv = sv[0], bi = si[0];
#pragma unroll
        for (int j = 1; j < 8; j++)
            if (sv[j] > bv || (sv[j] == bv && si[j] < bi)) bv = sv[j], bi = si[j];
        if (id[0] == bi) {
            val[blockIdx.x * 8 + k] = bv, idx[blockIdx.x * 8 + k] = (float)bi;
#pragma unroll
            for (int j = 0; j < 7; j++) v[j] = v[j + 1], id[j] = id[j + 1];
            v[7] = -FLT_MAX, id[7] = INT_MAX;
        }
        __syncthreads();
    }
}
__device__ __forceinline__ uint32_t order_key(float f) {
    uint32_t u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : u | 0x80000000u;
}
__global__ void __launch_bounds__(512) topk_radix(const float *x, float *val, float *idx, int V) {
    __shared__ int hist[256];
    __shared__ int digit, left, cg_, ce_;
    __shared__ float lv[8];
    __shared__ int li[8];
    const float *p = x + (size_t)blockIdx.x * V;
    int t = threadIdx.x, need = 8;
    uint32_t prefix = 0, mask = 0;
    for (int sh = 24; sh >= 0; sh -= 8) {
        if (t < 256) hist[t] = 0;
        __syncthreads();
        for (int i = t; i < V; i += 512) {
            uint32_t u = order_key(p[i]);
            if ((u & mask) == prefix) atomicAdd(&hist[(u >> sh) & 255], 1);
        }
        __syncthreads();
        if (t == 0) {
            int c = 0, d = 255;
            while (d > 0 && c + hist[d] < need) c += hist[d--];
            digit = d;
            left = need - c;
        }
        __syncthreads();
        prefix |= (uint32_t)digit << sh;
        mask |= 255u << sh;
        need = left;
    }
    if (t == 0) cg_ = 0, ce_ = 0;
    __syncthreads();
    for (int i = t; i < V; i += 512) {
        float f = p[i];
        uint32_t u = order_key(f);
        if (u > prefix) {
            int s = atomicAdd(&cg_, 1);
            lv[s] = f, li[s] = i;
        } else if (u == prefix) {
            int s = atomicAdd(&ce_, 1);
            if (s < need) lv[8 - need + s] = f, li[8 - need + s] = i;
        }
    }
    __syncthreads();
    if (t < 8) { // its rank among the eight
        int r = 0;
        for (int j = 0; j < 8; j++)
            if (lv[j] > lv[t] || (lv[j] == lv[t] && li[j] < li[t])) r++;
        val[blockIdx.x * 8 + r] = lv[t];
        idx[blockIdx.x * 8 + r] = (float)li[t];
    }
}
static void group_topk() {
    const char *G = "topk";
    if (!wanted(G)) return;
    g_rng = 114;
    const int R = 32, V = 32000;
    vector<float> hx((size_t)R * V);
    for (int r = 0; r < R; r++) { // distinct values, logistic, shuffled
        float *p = &hx[(size_t)r * V];
        for (int i = 0; i < V; i++) {
            double u = (i + 0.5) / V;
            p[i] = (float)(2.0 * log(u / (1 - u)));
        }
        for (int i = V - 1; i > 0; i--) std::swap(p[i], p[rnd() % (i + 1)]);
    }
    float *x = up(hx), *out = room<float>(R * 16);
    vector<float> ref;
    if (g_check) {
        ref.resize(R * 16);
        vector<int> o(V);
        for (int r = 0; r < R; r++) {
            const float *p = &hx[(size_t)r * V];
            std::iota(o.begin(), o.end(), 0);
            std::partial_sort(o.begin(), o.begin() + 8, o.end(),
                              [&](int a, int b) { return p[a] > p[b]; });
            for (int k = 0; k < 8; k++)
                ref[r * 8 + k] = p[o[k]], ref[R * 8 + r * 8 + k] = (float)o[k];
        }
    }
    float *oi = out + R * 8;
    var(G, "argmax_passes", out, R * 16, ref, 0.0f, 0.0f,
        [=] { topk_passes<<<R, 256>>>(x, out, oi, V); });
    var(G, "thread_lists", out, R * 16, ref, 0.0f, 0.0f,
        [=] { topk_insert<<<R, 256>>>(x, out, oi, V); });
    var(G, "radix_select", out, R * 16, ref, 0.0f, 0.0f,
        [=] { topk_radix<<<R, 512>>>(x, out, oi, V); });
    cudaFree(x), cudaFree(out);
}

// ------------------------------------------------------------------ 15. embedding
// out[t] = table[id[t]] * scale + position[t % S]; half
__global__ void embed_scalar(const half *tab, const half *pos, const int *id, half *y, int T, int S,
                             int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= T * D) return;
    int t = i / D, d = i % D;
    y[i] = __float2half(__half2float(tab[(size_t)id[t] * D + d]) * 2.0f +
                        __half2float(pos[(size_t)(t % S) * D + d]));
}
__global__ void __launch_bounds__(128)
    embed_half8(const uint4 *tab, const uint4 *pos, const int *id, uint4 *y, int S) {
    int t = blockIdx.x, d = threadIdx.x; // rows of 1024
    uint4 a = __ldg(&tab[(size_t)id[t] * 128 + d]), b = pos[(size_t)(t % S) * 128 + d], r;
    const half2 two = __floats2half2_rn(2.0f, 2.0f);
#pragma unroll
    for (int k = 0; k < 4; k++) ((half2 *)&r)[k] = __hfma2(((half2 *)&a)[k], two, ((half2 *)&b)[k]);
    y[(size_t)t * 128 + d] = r;
}
static void group_embedding() {
    const char *G = "embedding";
    if (!wanted(G)) return;
    g_rng = 115;
    const int VOC = 32000, D = 1024, T = 3072, S = 512;
    auto ht = hvec((size_t)VOC * D), hp = hvec((size_t)S * D);
    vector<int> hi(T);
    for (auto &v : hi) { // some tokens are common
        uint32_t a = rnd() % VOC, b = rnd() % VOC;
        v = (int)std::min(a, b);
    }
    half *tab = up(ht), *pos = up(hp), *y = room<half>((size_t)T * D);
    int *id = up(hi);
    vector<float> ref;
    if (g_check) {
        ref.resize((size_t)T * D);
        for (int t = 0; t < T; t++)
            for (int d = 0; d < D; d++)
                ref[(size_t)t * D + d] = __half2float(ht[(size_t)hi[t] * D + d]) * 2.0f +
                                         __half2float(hp[(size_t)(t % S) * D + d]);
    }
    var(G, "scalar_divmod", y, (size_t)T * D, ref, 2e-3f, 2e-3f,
        [=] { embed_scalar<<<T * D / 256, 256>>>(tab, pos, id, y, T, S, D); });
    var(G, "block_half8", y, (size_t)T * D, ref, 2e-3f, 2e-3f, [=] {
        embed_half8<<<T, 128>>>((const uint4 *)tab, (const uint4 *)pos, id, (uint4 *)y, S);
    });
    cudaFree(tab), cudaFree(pos), cudaFree(y), cudaFree(id);
}

// ------------------------------------------------------------------ 16. head_transpose
// K [B, S, H, 64] -> K^T [B, H, 64, S] float
__global__ void heads_naive(const float *x, float *y, int B, int S, int H, int D) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * S * H * D) return;
    int d = i % D, h = (i / D) % H, s = (i / (D * H)) % S, b = i / (D * H * S);
    y[(((size_t)b * H + h) * D + d) * S + s] = x[i];
}
template <int PAD>
__global__ void __launch_bounds__(256) heads_tile(const float *x, float *y, int S, int H, int D) {
    __shared__ float tile[32][32 + PAD];
    int s0 = blockIdx.x * 32, d0 = blockIdx.y * 32, b = blockIdx.z / H, h = blockIdx.z % H;
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][threadIdx.x] = x[(((size_t)b * S + s0 + k) * H + h) * D + d0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        y[(((size_t)b * H + h) * D + d0 + k) * S + s0 + threadIdx.x] = tile[threadIdx.x][k];
}
static void group_head_transpose() {
    const char *G = "head_transpose";
    if (!wanted(G)) return;
    g_rng = 116;
    const int B = 2, S = 1024, H = 16, D = 64;
    const size_t n = (size_t)B * S * H * D;
    auto hx = rvec(n);
    float *x = up(hx), *y = room<float>(n);
    vector<float> ref;
    if (g_check) {
        ref.resize(n);
        for (int b = 0; b < B; b++)
            for (int s = 0; s < S; s++)
                for (int h = 0; h < H; h++)
                    for (int d = 0; d < D; d++)
                        ref[(((size_t)b * H + h) * D + d) * S + s] =
                            hx[(((size_t)b * S + s) * H + h) * D + d];
    }
    dim3 grid(S / 32, D / 32, B * H), blk(32, 8);
    var(G, "scattered_writes", y, n, ref, 0.0f, 0.0f,
        [=] { heads_naive<<<(int)(n / 256), 256>>>(x, y, B, S, H, D); });
    var(G, "tile", y, n, ref, 0.0f, 0.0f, [=] { heads_tile<0><<<grid, blk>>>(x, y, S, H, D); });
    var(G, "tile_pad", y, n, ref, 0.0f, 0.0f, [=] { heads_tile<1><<<grid, blk>>>(x, y, S, H, D); });
    cudaFree(x), cudaFree(y);
}

int main(int argc, char **argv) {
    g_check = argc > 1 && !strcmp(argv[1], "check");
    group_sgemm();
    group_hgemm_wmma();
    group_hgemm_gelu();
    group_gemv_int8();
    group_gemv_int4();
    group_softmax();
    group_layernorm();
    group_bias_res_rms();
    group_attn_f32();
    group_flash_f16();
    group_paged_decode();
    group_rope();
    group_swiglu();
    group_topk();
    group_embedding();
    group_head_transpose();
    return 0;
}
