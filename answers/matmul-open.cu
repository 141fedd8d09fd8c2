// Matrix product with register tiles, vector loads and double buffering.
//
//   a block   computes SIZE x SIZE outputs, walking along k in steps of DEPTH
//   a warp    16 * PARTS rows x 32 * PARTS columns of them
//   a thread  PARTS x PARTS squares of 4 x 4, so that its reads of shared memory are 16-byte loads without bank conflicts
//
// While the threads multiply the tiles of one step, the loads of the next step are under way; two copies of the tiles let one barrier a
// step suffice.
#include "matmul.h"

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

// The more outputs a thread keeps, the more often it uses each word: PARTS 1 is 16 multiply-adds for 8 words, PARTS 2 is 64 for 16.
template <int SIZE, int PARTS, int DEPTH, bool EXACT>
__global__ void __launch_bounds__(SIZE *SIZE / (16 * PARTS * PARTS))
    product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    constexpr int THREADS = SIZE * SIZE / (16 * PARTS * PARTS);
    constexpr int LOADS = SIZE * DEPTH / 4 / THREADS; // 16-byte loads per thread and tile
    constexpr int WARPS_ACROSS = SIZE / (32 * PARTS);
    constexpr int EACH = 4 * PARTS; // rows and columns of a thread
    __shared__ __align__(16) float at[2][DEPTH][SIZE + 4]; // transposed: a column of A is a row of at
    __shared__ __align__(16) float bt[2][DEPTH][SIZE];

    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int row0 = blockIdx.y * SIZE, col0 = blockIdx.x * SIZE;
    const int r = warp / WARPS_ACROSS * 16 * PARTS + lane / 8 * 4; // rows r..r+3, and with PARTS 2 r+16..r+19
    const int q = warp % WARPS_ACROSS * 32 * PARTS + lane % 8 * 4; // columns q..q+3, and with PARTS 2 q+32..q+35

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

    float sum[EACH][EACH] = {};
    fetch(0);
    store(0);
    __syncthreads();
    for (int k0 = 0, buffer = 0; k0 < n; k0 += DEPTH, buffer ^= 1) {
        bool more = k0 + DEPTH < n;
        if (more) fetch(k0 + DEPTH);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float x[EACH], y[EACH];
#pragma unroll
            for (int p = 0; p < PARTS; p++) {
                *reinterpret_cast<float4 *>(&x[4 * p]) = *reinterpret_cast<const float4 *>(&at[buffer][k][r + 16 * p]);
                *reinterpret_cast<float4 *>(&y[4 * p]) = *reinterpret_cast<const float4 *>(&bt[buffer][k][q + 32 * p]);
            }
#pragma unroll
            for (int i = 0; i < EACH; i++)
#pragma unroll
                for (int j = 0; j < EACH; j++) sum[i][j] += x[i] * y[j];
        }
        if (more) {
            store(buffer ^ 1);
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int row = row0 + r + i % 4 + i / 4 * 16;
#pragma unroll
        for (int j = 0; j < EACH; j += 4) {
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

template <int SIZE, int PARTS, int DEPTH>
static void launch(const float *a, const float *b, float *c, int n) {
    dim3 grid(blocks_for(n, SIZE), blocks_for(n, SIZE));
    int threads = SIZE * SIZE / (16 * PARTS * PARTS);
    if (n % SIZE == 0) product<SIZE, PARTS, DEPTH, true><<<grid, threads>>>(a, b, c, n);
    else product<SIZE, PARTS, DEPTH, false><<<grid, threads>>>(a, b, c, n);
}

void matmul_open(const float *a, const float *b, float *c, int n) {
    // Big tiles reuse more; but a small matrix needs small ones, or half of the multiprocessors have nothing to do. Measured on an H200: at 768 the
    // small tiles take 44 us, the middle ones 54 and the large ones 93; from 2048 on the large ones win.
    if (n >= 2048) launch<128, 2, 8>(a, b, c, n);
    else if (n >= 1024) launch<64, 1, 16>(a, b, c, n);
    else launch<32, 1, 16>(a, b, c, n);
}
