// nvcuda::wmma: every element type and shape, by rows and columns, from global and shared memory; checked against a host product.
// arch: sm_80
// flags: -diag-suppress 1215
// expect: half 16x16x16 row col ok
// expect: half 16x16x16 col row ok
// expect: half 32x8x16 row row ok
// expect: half 8x32x16 col col ok
// expect: half into half 16x16x16 ok
// expect: half shared 16x16x16 ok
// expect: bf16 16x16x16 ok
// expect: bf16 8x32x16 ok
// expect: tf32 16x16x8 ok
// expect: s8 16x16x16 ok
// expect: u8 32x8x16 ok
// expect: u8 8x32x16 shared ok
// expect: double 8x8x4 ok
// expect: scaled 16x16x16 ok
// expect: scaled half by rows ok
// expect: scaled u8 by rows ok
// expect: u8 16x16x16 shared ok
// expect: scaled tf32 by rows ok
// expect: scaled double by rows ok
// expect: tiled product 64 ok
#include "common.h"
#include <mma.h>
#include <vector>
using namespace nvcuda::wmma;

template <int M, int N, int K, class T, class S, class A, class LA, class LB, bool SHARED, bool SCALE>
__global__ void product(const S *a, const S *b, const A *c, A *d) {
    __shared__ alignas(32) S sa[M * K], sb[K * N];
    __shared__ alignas(32) A sc[M * N];
    constexpr int lda = std::is_same<LA, row_major>::value ? K : M, ldb = std::is_same<LB, row_major>::value ? N : K;
    for (int i = threadIdx.x; i < M * K; i += 32) sa[i] = a[i];
    for (int i = threadIdx.x; i < K * N; i += 32) sb[i] = b[i];
    for (int i = threadIdx.x; i < M * N; i += 32) sc[i] = c[i];
    __syncwarp();
    fragment<matrix_a, M, N, K, T, LA> fa;
    fragment<matrix_b, M, N, K, T, LB> fb;
    fragment<accumulator, M, N, K, A> fc;
    if (SHARED) {
        load_matrix_sync(fa, sa, lda);
        load_matrix_sync(fb, sb, ldb);
        load_matrix_sync(fc, sc, N, mem_row_major);
    } else {
        load_matrix_sync(fa, a, lda);
        load_matrix_sync(fb, b, ldb);
        if (SCALE) load_matrix_sync(fc, c, N, mem_row_major);
        else load_matrix_sync(fc, c, M, mem_col_major);
    }
    if (SCALE)
        for (int i = 0; i < fc.num_elements; i++) fc.x[i] = A(2.0f) * fc.x[i] + A(1.0f);
    mma_sync(fc, fa, fb, fc);
    if (SHARED) {
        __syncwarp();
        store_matrix_sync(sc, fc, N, mem_row_major);
        __syncwarp();
        for (int i = threadIdx.x; i < M * N; i += 32) d[i] = sc[i];
    } else {
        if (SCALE) store_matrix_sync(d, fc, N, mem_row_major);
        else store_matrix_sync(d, fc, M, mem_col_major);
    }
}

static unsigned seed = 7;
static int draw(bool sign) {
    seed = seed * 1664525 + 1013904223;
    return sign ? int(seed >> 20) % 9 - 4 : int(seed >> 20) % 9;
}
template <int M, int N, int K, class T, class S, class A, class LA, class LB, bool SHARED = false, bool SCALE = false>
static void run(const char *name, bool sign = true) {
    std::vector<int> a(M * K), b(K * N), c(M * N);
    for (auto &x : a) x = draw(sign);
    for (auto &x : b) x = draw(sign);
    for (auto &x : c) x = draw(true);
    std::vector<S> ha(M * K), hb(K * N);
    std::vector<A> hc(M * N), hd(M * N);
    constexpr bool ra = std::is_same<LA, row_major>::value, rb = std::is_same<LB, row_major>::value;
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) ha[ra ? i * K + k : k * M + i] = S((float)a[i * K + k]);
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) hb[rb ? k * N + j : j * K + k] = S((float)b[k * N + j]);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) hc[SHARED || SCALE ? i * N + j : j * M + i] = A((float)c[i * N + j]);
    S *da, *db;
    A *dc, *dd;
    CK(cudaMalloc(&da, M * K * sizeof(S))), CK(cudaMalloc(&db, K * N * sizeof(S)));
    CK(cudaMalloc(&dc, M * N * sizeof(A))), CK(cudaMalloc(&dd, M * N * sizeof(A)));
    CK(cudaMemcpy(da, ha.data(), M * K * sizeof(S), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, hb.data(), K * N * sizeof(S), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dc, hc.data(), M * N * sizeof(A), cudaMemcpyHostToDevice));
    product<M, N, K, T, S, A, LA, LB, SHARED, SCALE><<<1, 32>>>(da, db, dc, dd);
    CK(cudaMemcpy(hd.data(), dd, M * N * sizeof(A), cudaMemcpyDeviceToHost));
    CK(cudaFree(da)), CK(cudaFree(db)), CK(cudaFree(dc)), CK(cudaFree(dd));
    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int want = SCALE ? 2 * c[i * N + j] + 1 : c[i * N + j];
            for (int k = 0; k < K; k++) want += a[i * K + k] * b[k * N + j];
            float got = (float)hd[SHARED || SCALE ? i * N + j : j * M + i];
            if (got != want && !bad++) printf("%s: (%d, %d) is %g, not %d\n", name, i, j, got, want);
        }
    printf("%s %s\n", name, bad ? "WRONG" : "ok");
}

// a product of 64 x 64 in four warps, each with a row of tiles, through shared memory
__global__ void tiled(const half *a, const half *b, float *c, int n) {
    __shared__ alignas(32) half sa[64][16 + 8], sb[16][64 + 8];
    int w = threadIdx.x / 32;
    fragment<accumulator, 16, 16, 16, float> acc[4];
    for (int t = 0; t < 4; t++) fill_fragment(acc[t], 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
            sa[i / 16][i % 16] = a[i / 16 * n + k + i % 16];
            sb[i / 64][i % 64] = b[(k + i / 64) * n + i % 64];
        }
        __syncthreads();
        fragment<matrix_a, 16, 16, 16, half, row_major> fa;
        load_matrix_sync(fa, &sa[w * 16][0], 24);
        for (int t = 0; t < 4; t++) {
            fragment<matrix_b, 16, 16, 16, half, row_major> fb;
            load_matrix_sync(fb, &sb[0][t * 16], 72);
            mma_sync(acc[t], fa, fb, acc[t]);
        }
        __syncthreads();
    }
    for (int t = 0; t < 4; t++) store_matrix_sync(c + w * 16 * n + t * 16, acc[t], n, mem_row_major);
}

int main() {
    typedef row_major R;
    typedef col_major C;
    typedef __nv_bfloat16 bf;
    typedef precision::tf32 tf;
    run<16, 16, 16, half, half, float, R, C>("half 16x16x16 row col");
    run<16, 16, 16, half, half, float, C, R>("half 16x16x16 col row");
    run<32, 8, 16, half, half, float, R, R>("half 32x8x16 row row");
    run<8, 32, 16, half, half, float, C, C>("half 8x32x16 col col");
    run<16, 16, 16, half, half, half, R, C>("half into half 16x16x16");
    run<16, 16, 16, half, half, float, R, C, true>("half shared 16x16x16");
    run<16, 16, 16, bf, bf, float, R, C>("bf16 16x16x16");
    run<8, 32, 16, bf, bf, float, C, R, true>("bf16 8x32x16");
    run<16, 16, 8, tf, float, float, R, C>("tf32 16x16x8");
    run<16, 16, 16, signed char, signed char, int, R, C>("s8 16x16x16");
    run<32, 8, 16, unsigned char, unsigned char, int, C, R>("u8 32x8x16", false);
    run<8, 32, 16, unsigned char, unsigned char, int, R, C, true>("u8 8x32x16 shared", false);
    run<8, 8, 4, double, double, double, R, C>("double 8x8x4");
    run<16, 16, 16, half, half, float, R, C, true, true>("scaled 16x16x16");
    run<16, 16, 16, half, half, float, R, C, false, true>("scaled half by rows");
    run<16, 16, 16, unsigned char, unsigned char, int, R, C, false, true>("scaled u8 by rows", false);
    run<16, 16, 16, unsigned char, unsigned char, int, R, C, true>("u8 16x16x16 shared", false);
    run<16, 16, 8, tf, float, float, R, C, false, true>("scaled tf32 by rows");
    run<8, 8, 4, double, double, double, R, C, false, true>("scaled double by rows");
    enum { N = 64 };
    std::vector<half> a(N * N), b(N * N);
    for (auto &x : a) x = half((float)draw(true));
    for (auto &x : b) x = half((float)draw(true));
    half *da, *db;
    float *dc;
    CK(cudaMalloc(&da, N * N * 2)), CK(cudaMalloc(&db, N * N * 2)), CK(cudaMalloc(&dc, N * N * 4));
    CK(cudaMemcpy(da, a.data(), N * N * 2, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), N * N * 2, cudaMemcpyHostToDevice));
    tiled<<<1, 128>>>(da, db, dc, N);
    std::vector<float> c(N * N);
    CK(cudaMemcpy(c.data(), dc, N * N * 4, cudaMemcpyDeviceToHost));
    CK(cudaFree(da)), CK(cudaFree(db)), CK(cudaFree(dc));
    int bad = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float want = 0;
            for (int k = 0; k < N; k++) want += float(a[i * N + k]) * float(b[k * N + j]);
            bad += c[i * N + j] != want;
        }
    printf("tiled product 64 %s\n", bad ? "WRONG" : "ok");
}
