// A product by specialised warps: one warpgroup gives up registers and copies tiles, the other takes registers and multiplies the tiles. They are packed
// as wgmma without a swizzle reads them, a ring of mbarriers says which are full and which empty. Small whole numbers: every order of sums is exact.
// arch: sm_90a
// expect: 0 of 16384 differ
#include "common.h"
#include <cstdint>
#include <cuda_fp16.h>

enum { M = 64, N = 64, K = 320, DEPTH = 32, STAGES = 3, TILES = K / DEPTH, BLOCKS = 4, HALVES = M * DEPTH, BYTES = 2 * HALVES };

__device__ unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void await(uint64_t *bar, unsigned phase) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(shared_at(bar)), "r"(phase) : "memory");
}
__device__ uint64_t matrix(const __half *tile, unsigned step) { // 128 bytes from one core matrix to the next of K, 256 to the next of M or N
    return (uint64_t)(shared_at(tile + step * HALVES / 2) >> 4) | 8ull << 16 | 16ull << 32;
}

#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__ // nvcc -arch=sm_90a makes PTX of compute_90, too, for other devices
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
#define F8(k) "+f"(d[k]), "+f"(d[k + 1]), "+f"(d[k + 2]), "+f"(d[k + 3]), "+f"(d[k + 4]), "+f"(d[k + 5]), "+f"(d[k + 6]), "+f"(d[k + 7])
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,"
                 "%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                 : F8(0), F8(8), F8(16), F8(24) : "l"(a), "l"(b) : "memory");
}

__global__ void __launch_bounds__(256, 1) product(float *out, const __half *a, const __half *b) {
    __shared__ __align__(1024) __half tile[STAGES][2][HALVES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1; mbarrier.init.shared.b64 [%1], 4;" ::"r"(shared_at(full + s)), "r"(shared_at(empty + s)));
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    a += (size_t)blockIdx.x * TILES * HALVES;
    if (t < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int k = 0; t == 0 && k < TILES; k++) {
            unsigned s = k % STAGES, to = shared_at(tile[s][0]), bar = shared_at(full + s);
            if (k >= STAGES) await(empty + s, k / STAGES - 1 & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(2 * BYTES) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(a + k * HALVES),
                         "r"(BYTES), "r"(bar) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to + BYTES),
                         "l"(b + k * HALVES), "r"(BYTES), "r"(bar) : "memory");
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    float d[32] = {0};
    for (int k = 0; k < TILES; k++) {
        unsigned s = k % STAGES;
        await(full + s, k / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (unsigned step = 0; step < DEPTH / 16; step++) multiply(d, matrix(tile[s][0], step), matrix(tile[s][1], step));
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (t % 32 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(empty + s)) : "memory");
    }
    out += (size_t)blockIdx.x * M * N;
    for (int g = 0; g < 8; g++)
        for (int x = 0; x < 4; x++)
            out[((t - 128) / 32 * 16 + t % 32 / 4 + x / 2 * 8) * N + g * 8 + t % 4 * 2 + x % 2] = d[4 * g + x];
}
#else
__global__ void product(float *, const __half *, const __half *) {}
#endif

static int element(int which, int row, int k) { return (row * 7 + k * (which + 3) + (row ^ k)) % 9 - 4; }

// Rows of K, as core matrices of 8 rows by 16 bytes.
static void pack(__half *to, int which, int rows_from) {
    for (int row = 0; row < M; row++)
        for (int k = 0; k < K; k++)
            to[k / 16 * HALVES / 2 + (row / 8 * 2 + k / 8 % 2) * 64 + row % 8 * 8 + k % 8] = __float2half((float)element(which, rows_from + row, k));
}

int main() {
    static __half ha[BLOCKS * M * K], hb[N * K];
    static float left[BLOCKS * M * N];
    for (int x = 0; x < BLOCKS; x++) pack(ha + x * M * K, 0, x * M);
    pack(hb, 1, 0);
    __half *a, *b;
    float *out;
    CK(cudaMalloc(&a, sizeof ha));
    CK(cudaMalloc(&b, sizeof hb));
    CK(cudaMalloc(&out, sizeof left));
    CK(cudaMemcpy(a, ha, sizeof ha, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, hb, sizeof hb, cudaMemcpyHostToDevice));
    product<<<BLOCKS, 256>>>(out, a, b);
    CK(cudaGetLastError());
    CK(cudaMemcpy(left, out, sizeof left, cudaMemcpyDeviceToHost));
    CK(cudaFree(a));
    CK(cudaFree(b));
    CK(cudaFree(out));
    int wrong = 0;
    for (int row = 0; row < BLOCKS * M; row++)
        for (int n = 0; n < N; n++) {
            int sum = 0;
            for (int k = 0; k < K; k++) sum += element(0, row, k) * element(1, n, k);
            wrong += left[row * N + n] != (float)sum;
        }
    printf("%d of %d differ\n", wrong, BLOCKS * M * N);
    return wrong != 0;
}
