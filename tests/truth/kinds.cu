// Kinds of kernels that students write and the other sets have no kernel of, and mechanisms by themselves: rows by a thread, barriers beside accesses, threads that come back to a sector.
// Every kernel takes what its row in kinds.def says. Build: nvcc -O3 -std=c++17 -arch=sm_90 -ptx kinds.cu; measured by `measure kinds`
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
typedef unsigned u;
typedef unsigned long long ull;
#define KERNEL extern "C" __global__ void
#define INDEX  (blockIdx.x * blockDim.x + threadIdx.x)

// ---- rows by a thread: n words of the thread's row, `step` words apart, again and again
template <int STEP>
__device__ __forceinline__ void row(const float *x, float *y, int pitch, int n, int times) {
    const float *from = x + (size_t)INDEX * pitch;
    float s = 0;
    for (int r = 0; r < times; r++)
#pragma unroll 8
        for (int k = 0; k < n; k++) s += from[k * STEP];
    y[INDEX] = s;
}
KERNEL row_words(const float *x, float *y, int pitch, int n, int times) {
    row<1>(x, y, pitch, n, times);
}
KERNEL row_sectors(const float *x, float *y, int pitch, int n, int times) {
    row<8>(x, y, pitch, n, times);
}
KERNEL row_lines(const float *x, float *y, int pitch, int n, int times) {
    row<32>(x, y, pitch, n, times);
}
KERNEL row_fours(const float4 *x, float *y, int pitch, int n, int times) {
    const float4 *from = x + (size_t)INDEX * pitch / 4;
    float s = 0;
    for (int r = 0; r < times; r++)
#pragma unroll 4
        for (int k = 0; k < n / 4; k++) {
            float4 v = from[k];
            s += v.x + v.y + v.z + v.w;
        }
    y[INDEX] = s;
}
// Stores in the same way.
KERNEL row_written(float *y, int pitch, int n, int step) {
    float *to = y + (size_t)INDEX * pitch;
    for (int k = 0; k < n; k++) to[k * step] = k;
}
// A sector of the thread's own, eight words one after another, each after the one before; then another sector.
KERNEL row_comes_back(const float *x, float *y, int n, u mask) {
    u at = INDEX * 2654435761u;
    float s = 0;
    for (int r = 0; r < n; r++) {
        const float *from = x + (size_t)(at & mask) * 8;
        u k = 0;
        for (int w = 0; w < 8; w++) {
            float v = from[k];
            s += v;
            k = (k + 1 + (v < -1)) & 7;
        }
        at = at * 1664525u + 1013904223u + (s < -1);
    }
    y[INDEX] = s;
}

// ---- barriers beside accesses to shared memory
#define GATE(name, before, after)                                                                  \
    KERNEL gate_##name(float *y, int n) {                                                          \
        __shared__ volatile float s[1024];                                                         \
        int t = threadIdx.x, other = (t + 32) & (blockDim.x - 1);                                  \
        float v = t, a = t, b = y[0];                                                              \
        s[t] = v;                                                                                  \
        __syncthreads();                                                                           \
        for (int k = 0; k < n; k++) {                                                              \
            before;                                                                                \
            __syncthreads();                                                                       \
            after;                                                                                 \
        }                                                                                          \
        y[INDEX] = v + a + b + other;                                                              \
    }
GATE(store, s[t] = v, )
GATE(load, v += s[other], )
GATE(loads, v += s[other]; v += s[other ^ 1]; v += s[other ^ 2]; v += s[other ^ 3], )
GATE(stores, s[t] = v; s[t ^ 1] = v; s[t ^ 2] = v; s[t ^ 3] = v, )
GATE(exchange, s[t] = v, v += s[other]; __syncthreads())
GATE(shuffle, v += __shfl_xor_sync(~0u, v, 1), )
GATE(work, a = a * b + b; v = v * b + b; a = a * b + b; v = v * b + b; a = a * b + b; v = v * b + b;
     a = a * b + b; v = v * b + b, )

// ---- constants as operands
__constant__ float taps[81];
KERNEL filter_taps(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 4 || r < 4 || c >= w - 4 || r >= w - 4) return;
    float s = 0;
#pragma unroll
    for (int i = 0; i < 9; i++)
#pragma unroll
        for (int j = 0; j < 9; j++) s += taps[i * 9 + j] * x[(r + i - 4) * w + c + j - 4];
    y[r * w + c] = s;
}
KERNEL filter_tests(const float *x, float *y, int w) {
    int c = INDEX, r = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            int p = r + i - 4, q = c + j - 4;
            if (p >= 0 && p < w && q >= 0 && q < w) s += taps[i * 9 + j] * x[p * w + q];
        }
    y[r * w + c] = s;
}
KERNEL filter_shared(const float *x, float *y, int w) {
    __shared__ float s[16][40];
    int c0 = blockIdx.x * 32 - 4, r0 = blockIdx.y * 8 - 4;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 16 * 40; k += 256) {
        int p = r0 + k / 40, q = c0 + k % 40;
        s[k / 40][k % 40] = p >= 0 && p < w && q >= 0 && q < w ? x[p * w + q] : 0;
    }
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int i = 0; i < 9; i++)
#pragma unroll
        for (int j = 0; j < 9; j++) v += taps[i * 9 + j] * s[threadIdx.y + i][threadIdx.x + j];
    y[(r0 + 4 + threadIdx.y) * w + c0 + 4 + threadIdx.x] = v;
}

// ---- 64-bit products
KERNEL random_wide(u *y, int n) {
    ull v = INDEX + 1;
    u s = 0;
    for (int k = 0; k < n; k++) {
        v = v * 6364136223846793005ull + 1442695040888963407ull;
        s ^= (u)(v >> 33);
    }
    y[INDEX] = s;
}

// ---- a scan in one pass: each block waits for the sum of the one before it. z: flag and sum of each block, zero before
KERNEL scan_chain(const u *x, u *y, volatile ull *z) {
    __shared__ u sums[8], before;
    int t = threadIdx.x, lane = t & 31;
    u v = x[INDEX] & 15, s = v;
    for (int d = 1; d < 32; d *= 2) {
        u o = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += o;
    }
    if (lane == 31) sums[t >> 5] = s;
    __syncthreads();
    u mine = 0, all = 0;
    for (int k = 0; k < 8; k++) {
        if (k < t >> 5) mine += sums[k];
        all += sums[k];
    }
    if (!t) {
        ull got = 1ull << 32;
        if (blockIdx.x) do
                got = z[blockIdx.x - 1];
            while (!(got >> 32));
        before = (u)got;
        z[blockIdx.x] = 1ull << 32 | ((u)got + all);
    }
    __syncthreads();
    y[INDEX] = before + mine + s;
}

// ---- tensor cores, C = A B, halves, row by column; a warp a tile of 16 x 16
using namespace nvcuda;
KERNEL wmma_global(const half *a, float *c, int n) {
    int warp = threadIdx.x >> 5, r = blockIdx.y * 16,
        q = (blockIdx.x * (blockDim.x >> 5) + warp) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    const half *b = a + n * n;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + r * n + k, n);
        wmma::load_matrix_sync(fb, b + q * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + r * n + q, fc, n, wmma::mem_row_major);
}
// Tiles of 64 x 64 in shared memory, 4 warps; COPIES: of cp.async, two buffers
template <bool COPIES> __device__ __forceinline__ void wmma_tiles(const half *a, float *c, int n) {
    __shared__ __align__(32) half s[COPIES ? 2 : 1][2][64][40];
    int warp = threadIdx.x >> 5, r0 = blockIdx.y * 64, q0 = blockIdx.x * 64;
    const half *b = a + n * n;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc[4];
    for (int j = 0; j < 4; j++) wmma::fill_fragment(fc[j], 0.f);
    auto fetch = [&](int buffer, int k) {
        for (int e = threadIdx.x; e < 512; e += 128) {
            int m = e >> 8, row = (e >> 2) & 63, col = (e & 3) * 8;
            const half *from =
                (m ? b + (size_t)(q0 + row) * n : a + (size_t)(r0 + row) * n) + k + col;
            if (COPIES) __pipeline_memcpy_async(&s[buffer][m][row][col], from, 16);
            else *(uint4 *)&s[buffer][m][row][col] = *(const uint4 *)from;
        }
        if (COPIES) __pipeline_commit();
    };
    if (COPIES) fetch(0, 0);
    for (int k = 0; k < n; k += 32) {
        int now = COPIES ? (k >> 5) & 1 : 0;
        if (!COPIES) fetch(0, k);
        else if (k + 32 < n) fetch(now ^ 1, k + 32);
        if (COPIES) __pipeline_wait_prior(k + 32 < n ? 1 : 0);
        __syncthreads();
        for (int i = 0; i < 32; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::load_matrix_sync(fa, &s[now][0][warp * 16][i], 40);
            for (int j = 0; j < 4; j++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
                wmma::load_matrix_sync(fb, &s[now][1][j * 16][i], 40);
                wmma::mma_sync(fc[j], fa, fb, fc[j]);
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + (size_t)(r0 + warp * 16) * n + q0 + j * 16, fc[j], n,
                                wmma::mem_row_major);
}
KERNEL wmma_shared(const half *a, float *c, int n) {
    wmma_tiles<false>(a, c, n);
}
KERNEL wmma_copies(const half *a, float *c, int n) {
    wmma_tiles<true>(a, c, n);
}

// ---- a histogram of 8,192 bins over a cluster of four, and one of 8,192 in each block
KERNEL __cluster_dims__(4, 1, 1) bins_cluster(const u *x, u *y, int n) {
    __shared__ u s[2048];
    cooperative_groups::cluster_group g = cooperative_groups::this_cluster();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = 0;
    g.sync();
    for (int k = INDEX; k < n; k += gridDim.x * blockDim.x) {
        u v = (x[k] * 2654435761u) >> 19;
        atomicAdd(g.map_shared_rank(s, v >> 11) + (v & 2047), 1u);
    }
    g.sync();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        atomicAdd(y + g.block_rank() * 2048 + k, s[k]);
}
KERNEL bins_block(const u *x, u *y, int n) {
    __shared__ u s[8192];
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) s[k] = 0;
    __syncthreads();
    for (int k = INDEX; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(s + ((x[k] * 2654435761u) >> 19), 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) atomicAdd(y + k, s[k]);
}

// ---- softmax of rows of 1,024; an embedding's rows
KERNEL soft_thread(const float *x, float *y, int w) {
    const float *from = x + (size_t)INDEX * w;
    float m = -1e30f, s = 0;
    for (int k = 0; k < w; k++) m = fmaxf(m, from[k]);
    for (int k = 0; k < w; k++) s += expf(from[k] - m);
    for (int k = 0; k < w; k++) y[(size_t)INDEX * w + k] = expf(from[k] - m) / s;
}
KERNEL soft_warp(const float *x, float *y, int w) {
    int lane = threadIdx.x & 31, r = INDEX >> 5;
    const float *from = x + (size_t)r * w;
    float m = -1e30f, s = 0;
    for (int k = lane; k < w; k += 32) m = fmaxf(m, from[k]);
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    for (int k = lane; k < w; k += 32) s += expf(from[k] - m);
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    for (int k = lane; k < w; k += 32) y[(size_t)r * w + k] = expf(from[k] - m) / s;
}
KERNEL soft_online(const float *x, float *y, int w) {
    int lane = threadIdx.x & 31, r = INDEX >> 5;
    const float *from = x + (size_t)r * w;
    float m = -1e30f, s = 0;
    for (int k = lane; k < w; k += 32) {
        float v = from[k], top = fmaxf(m, v);
        s = s * __expf(m - top) + __expf(v - top);
        m = top;
    }
    for (int d = 16; d; d /= 2) {
        float n = __shfl_xor_sync(~0u, m, d), o = __shfl_xor_sync(~0u, s, d), top = fmaxf(m, n);
        s = s * __expf(m - top) + o * __expf(n - top);
        m = top;
    }
    float f = 1 / s;
    for (int k = lane; k < w; k += 32) y[(size_t)r * w + k] = __expf(from[k] - m) * f;
}
KERNEL words_thread(const u *x, float *y, int rows, int w) {
    const float *from = (const float *)x + (size_t)((x[INDEX] * 2654435761u) % rows) * w;
    for (int k = 0; k < w; k++) y[(size_t)INDEX * w + k] = from[k];
}

// ---- nearest of 16 centres of four coordinates: constants, and structures in global memory
struct place {
    float at[4];
};
__constant__ place centres[16];
__device__ __forceinline__ u near_of(const float4 p, const place *c) {
    float best = 1e30f;
    u which = 0;
    for (int k = 0; k < 16; k++) {
        float a = p.x - c[k].at[0], b = p.y - c[k].at[1], d = p.z - c[k].at[2],
              e = p.w - c[k].at[3], q = a * a + b * b + d * d + e * e;
        if (q < best) best = q, which = k;
    }
    return which;
}
KERNEL near_constant(const float *x, u *y, int n) {
    int i = INDEX;
    y[i] = near_of(make_float4(x[i], x[i + n], x[i + 2 * n], x[i + 3 * n]), centres);
}
KERNEL near_structs(const float4 *x, u *y, int n) {
    int i = INDEX;
    y[i] = near_of(x[i], (const place *)(x + n));
}

// ---- a frontier's nodes of uneven degree, 0 to 255, most of them few; x: their edges
__device__ __forceinline__ u degree_of(u v) {
    u h = v * 2654435761u >> 24;
    return h < 240 ? h & 7 : h;
}
KERNEL front_thread(const u *x, u *y, int n) {
    u v = INDEX, at = (v * 747796405u) & 0x1ffffff, s = degree_of(v);
    for (u k = 0; k < s; k++) {
        u to = (x[at + k] * 2654435761u) % n;
        if (!y[to]) y[to] = 1;
    }
}
KERNEL front_warp(const u *x, u *y, int n) {
    u v = INDEX >> 5, at = (v * 747796405u) & 0x1ffffff, s = degree_of(v);
    for (u k = threadIdx.x & 31; k < s; k += 32) {
        u to = (x[at + k] * 2654435761u) % n;
        if (!y[to]) y[to] = 1;
    }
}

// ---- a vector times a matrix of bytes, a warp a row; halves on CUDA cores
KERNEL bytes_each(const signed char *x, int *y, int w) {
    int r = INDEX >> 5, s = 0;
    for (int k = threadIdx.x & 31; k < w; k += 32) s += x[(size_t)r * w + k] * x[k];
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (!(threadIdx.x & 31)) y[r] = s;
}
KERNEL bytes_dp4a(const int *x, int *y, int w) {
    int r = INDEX >> 5, s = 0;
    for (int k = threadIdx.x & 31; k < w / 4; k += 32)
        s = __dp4a(x[(size_t)r * (w / 4) + k], x[k], s);
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (!(threadIdx.x & 31)) y[r] = s;
}
KERNEL half_tiles(const half *a, half *c, int n) {
    __shared__ half p[16][16], q[16][16];
    int t = threadIdx.x, r = threadIdx.y, row = blockIdx.y * 16 + r, col = blockIdx.x * 16 + t;
    float s = 0;
    for (int k = 0; k < n; k += 16) {
        p[r][t] = a[row * n + k + t], q[r][t] = a[(k + r) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) s += __half2float(p[r][i]) * __half2float(q[i][t]);
        __syncthreads();
    }
    c[row * n + col] = __float2half(s);
}

// ---- a transform of 1,024 points, steps of two, in shared memory
KERNEL points_shared(const float2 *x, float2 *y) {
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 512) s[__brev(k) >> 22] = x[blockIdx.x * 1024 + k];
    for (int h = 1; h < 1024; h *= 2) {
        __syncthreads();
        int j = t & (h - 1), i = ((t - j) << 1) + j;
        float a, b;
        __sincosf(-3.14159265f * j / h, &b, &a);
        float2 p = s[i], q = s[i + h], w = make_float2(q.x * a - q.y * b, q.x * b + q.y * a);
        s[i] = make_float2(p.x + w.x, p.y + w.y);
        s[i + h] = make_float2(p.x - w.x, p.y - w.y);
    }
    __syncthreads();
    for (int k = t; k < 1024; k += 512) y[blockIdx.x * 1024 + k] = s[k];
}
