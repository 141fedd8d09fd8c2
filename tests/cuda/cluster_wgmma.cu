// wgmma in the blocks of a cluster: a descriptor has no rank and means the block's own memory. Tiles come by a bulk copy to all blocks; each block's B is
// its own. Products of whole numbers, computed on the host.
// arch: sm_90a
// expect: products 0 wrong
#include "tma.h"
#include <cuda_fp16.h>
#include <vector>
#if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__
#define ONLY(...) __VA_ARGS__
#else
#define ONLY(...)
#endif
enum { BLOCKS = 2, GRID = 4 };
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// 64 x 16 and 16 x 8 halves as core matrices of 8 rows of 16 bytes, first along M or N.
__global__ __cluster_dims__(BLOCKS) void products(const __half *a_from, const __half *b_from, float *to) {
    __shared__ alignas(128) __half a[64 * 16], b[16 * 8];
    __shared__ alignas(8) unsigned long long bar;
    unsigned rank, t = threadIdx.x;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0) {
        bar_init(AT(&bar), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        bar_expect(AT(&bar), sizeof a + sizeof b);
    }
    meet();
    if (t == 0) {
        bulk_load(AT(b), b_from + 128 * blockIdx.x, sizeof b, AT(&bar));
        if (rank == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                         ::"r"(AT(a)), "l"(a_from), "r"((unsigned)sizeof a), "r"(AT(&bar)), "h"((short)3) : "memory");
    }
    bar_wait(AT(&bar), 0);
    float d[4] = {};
    unsigned long long da = (AT(a) & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32, db = (AT(b) & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32;
    ONLY(asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 0, 0;\nwgmma.fence.sync.aligned;\n"
                      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0;\n"
                      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
                      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db) : "memory");)
    for (int i = 0; i < 4; i++) to[blockIdx.x * 512 + (t / 32 * 16 + t % 32 / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
    meet();
}
static int A(int m, int k) { return (m * 7 + k * 3) % 9 - 4; }
static int B(int block, int k, int n) { return (block * 5 + k * 2 + n) % 7 - 3; }
int main() {
    std::vector<__half> a(1024), b(128 * GRID);
    for (int m = 0; m < 64; m++)
        for (int k = 0; k < 16; k++) a[k / 8 * 512 + m / 8 * 64 + m % 8 * 8 + k % 8] = __float2half(A(m, k));
    for (int x = 0; x < GRID; x++)
        for (int k = 0; k < 16; k++)
            for (int n = 0; n < 8; n++) b[128 * x + k / 8 * 64 + n * 8 + k % 8] = __float2half(B(x, k, n));
    __half *ad, *bd;
    float *to;
    std::vector<float> got(512 * GRID);
    CK(cudaMalloc(&ad, 2048)), CK(cudaMalloc(&bd, 256 * GRID)), CK(cudaMalloc(&to, 2048 * GRID));
    CK(cudaMemcpy(ad, a.data(), 2048, cudaMemcpyHostToDevice)), CK(cudaMemcpy(bd, b.data(), 256 * GRID, cudaMemcpyHostToDevice));
    products<<<GRID, 128>>>(ad, bd, to);
    CK(cudaGetLastError()), CK(cudaMemcpy(got.data(), to, 2048 * GRID, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int x = 0; x < GRID; x++)
        for (int m = 0; m < 64; m++)
            for (int n = 0; n < 8; n++) {
                int want = 0;
                for (int k = 0; k < 16; k++) want += A(m, k) * B(x, k, n);
                wrong += got[x * 512 + m * 8 + n] != want;
            }
    printf("products %d wrong\n", wrong);
}
