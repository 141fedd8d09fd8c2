// kind: ragged
// expect: finding oob
// Takes the unchecked 16-byte path for every n: fast, and out of bounds at the first ragged size.
#include "matmul.h"

constexpr int DEPTH = 8;

// Four elements of a row. EXACT: n is a multiple of the tile, so nothing needs checking and the load is one 16-byte access.
template <bool EXACT>
__device__ float4 load4(const float *m, int row, int col, int n) {
    const float *p = &m[(size_t)row * n + col];
    if (EXACT) return *reinterpret_cast<const float4 *>(p);
    float4 v = {0, 0, 0, 0};
    if (row < n) {
        if (col < n) v.x = p[0];
        if (col + 1 < n) v.y = p[1];
        if (col + 2 < n) v.z = p[2];
        if (col + 3 < n) v.w = p[3];
    }
    return v;
}

// SIZE 128: 256 threads, 8 warps as 4 x 2, each 32 x 64. SIZE 64: 64 threads, 2 warps, each 32 x 64.
template <int SIZE, bool EXACT>
__global__ void __launch_bounds__(SIZE *SIZE / 64, SIZE == 128 ? 2 : 8)
    product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    constexpr int THREADS = SIZE * SIZE / 64;
    constexpr int LOADS = SIZE * DEPTH / 4 / THREADS; // 16-byte loads per thread and tile
    constexpr int WARPS_ACROSS = SIZE / 64;
    __shared__ __align__(16) float at[2][DEPTH][SIZE + 4]; // transposed: a column of A is a row of at
    __shared__ __align__(16) float bt[2][DEPTH][SIZE];

    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int row0 = blockIdx.y * SIZE, col0 = blockIdx.x * SIZE;
    const int r = warp / WARPS_ACROSS * 32 + lane / 8 * 4; // rows r..r+3 and r+16..r+19 of the block
    const int q = warp % WARPS_ACROSS * 64 + lane % 8 * 4; // columns q..q+3 and q+32..q+35

    float4 an[LOADS], bn[LOADS]; // the next step's elements on their way
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            int e = t + i * THREADS;
            an[i] = load4<EXACT>(a, row0 + e / (DEPTH / 4), k0 + e % (DEPTH / 4) * 4, n);
            bn[i] = load4<EXACT>(b, k0 + e / (SIZE / 4), col0 + e % (SIZE / 4) * 4, n);
        }
    };
    auto store = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) {
            int e = t + i * THREADS, row = e / (DEPTH / 4), k = e % (DEPTH / 4) * 4;
            at[buffer][k][row] = an[i].x;
            at[buffer][k + 1][row] = an[i].y;
            at[buffer][k + 2][row] = an[i].z;
            at[buffer][k + 3][row] = an[i].w;
            *reinterpret_cast<float4 *>(&bt[buffer][e / (SIZE / 4)][e % (SIZE / 4) * 4]) = bn[i];
        }
    };

    float sum[8][8] = {};
    fetch(0);
    store(0);
    __syncthreads();
    for (int k0 = 0, buffer = 0; k0 < n; k0 += DEPTH, buffer ^= 1) {
        bool more = k0 + DEPTH < n;
        if (more) fetch(k0 + DEPTH);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float x[8], y[8];
            *reinterpret_cast<float4 *>(&x[0]) = *reinterpret_cast<const float4 *>(&at[buffer][k][r]);
            *reinterpret_cast<float4 *>(&x[4]) = *reinterpret_cast<const float4 *>(&at[buffer][k][r + 16]);
            *reinterpret_cast<float4 *>(&y[0]) = *reinterpret_cast<const float4 *>(&bt[buffer][k][q]);
            *reinterpret_cast<float4 *>(&y[4]) = *reinterpret_cast<const float4 *>(&bt[buffer][k][q + 32]);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sum[i][j] += x[i] * y[j];
        }
        if (more) {
            store(buffer ^ 1);
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = row0 + r + i % 4 + i / 4 * 16;
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int col = col0 + q + j / 4 * 32;
            if (EXACT) {
                *reinterpret_cast<float4 *>(&c[(size_t)row * n + col]) =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            } else if (row < n) {
                for (int x = 0; x < 4; x++)
                    if (col + x < n) c[(size_t)row * n + col + x] = sum[i][j + x];
            }
        }
    }
}

template <int SIZE>
static void launch(const float *a, const float *b, float *c, int n) {
    dim3 grid(blocks_for(n, SIZE), blocks_for(n, SIZE));
    if (true) product<SIZE, true><<<grid, SIZE * SIZE / 64>>>(a, b, c, n);
    else product<SIZE, false><<<grid, SIZE * SIZE / 64>>>(a, b, c, n);
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    // Big tiles reuse more; but a small matrix needs small ones, or half of the multiprocessors have nothing to do.
    if (n >= 2048) launch<128>(a, b, c, n);
    else launch<64>(a, b, c, n);
}
