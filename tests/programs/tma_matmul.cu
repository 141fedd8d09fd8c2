// Product of ragged matrices whose tiles the copy engine fetches and stores (TMA): two stages, a warp that asks and warps that multiply, barriers
// for full and empty buffers; what lies out of bounds comes as zeros and goes nowhere, so that the kernel looks at no bounds.
// arch: sm_90
#include "programs.cuh"
#include <cuda.h>
enum { T = 32, STAGES = 2, WARPS = 8 };
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
__device__ void wait(unsigned long long &bar, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1; @!p bra again; }"
                 ::"r"(AT(&bar)), "r"(parity) : "memory");
}
__device__ void fetch(const CUtensorMap &m, int x, int y, float *to, unsigned long long &bar) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(AT(to)), "l"(&m), "r"(x), "r"(y), "r"(AT(&bar)) : "memory");
}
__global__ void product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int steps) {
    __shared__ alignas(128) float as[STAGES][T][T], bs[STAGES][T][T], cs[T][T];
    __shared__ alignas(8) unsigned long long full[STAGES], empty[STAGES];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = blockIdx.x * T, y = blockIdx.y * T;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(AT(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(AT(&empty[s])), "r"((int)WARPS) : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (warp == WARPS) {
        for (int k = 0; k < steps && lane == 0; k++) {
            int s = k % STAGES;
            if (k >= STAGES) wait(empty[s], (k / STAGES - 1) & 1);
            asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(AT(&full[s])), "r"(2 * T * T * 4) : "memory");
            fetch(a, k * T, y, as[s][0], full[s]), fetch(b, x, k * T, bs[s][0], full[s]);
        }
    } else {
        float sum[T / WARPS] = {};
        for (int k = 0; k < steps; k++) {
            int s = k % STAGES;
            wait(full[s], k / STAGES & 1);
            for (int i = 0; i < T; i++)
                for (int r = 0; r < T / WARPS; r++) sum[r] += as[s][warp * (T / WARPS) + r][i] * bs[s][i][lane];
            __syncwarp();
            if (lane == 0) asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(AT(&empty[s])) : "memory");
        }
        for (int r = 0; r < T / WARPS; r++) cs[warp * (T / WARPS) + r][lane] = sum[r];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(x), "r"(y), "r"(AT(cs)) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
static CUtensorMap tiles(float *p, int w, int h) {
    void *f;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
    CUtensorMap m;
    cuuint64_t dim[] = {(cuuint64_t)w, (cuuint64_t)h}, stride[] = {4ull * w};
    cuuint32_t box[] = {T, T}, step[] = {1, 1};
    CUresult e = ((CUresult(*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                               const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill))f)(
        &m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (e) printf("cuTensorMapEncodeTiled: %d\n", e), exit(2);
    return m;
}
int main() {
    const int m = 150, k = 220, n = 300; // no multiples of the tile
    // Whole numbers below 16: every sum is exact.
    std::vector<float> a(m * k), b(k * n), want(m * n);
    for (auto &x : a) x = (float)(rnd() % 16);
    for (auto &x : b) x = (float)(rnd() % 16);
    for (int y = 0; y < m; y++)
        for (int i = 0; i < k; i++)
            for (int x = 0; x < n; x++) want[y * n + x] += a[y * k + i] * b[i * n + x];
    float *c = zeros<float>(m * n);
    product<<<dim3(blocks(n, T), blocks(m, T)), 32 * (WARPS + 1)>>>(tiles(device(a), k, m), tiles(device(b), n, k), tiles(c, n, m), blocks(k, T));
    equal("product", host(c, m * n), want);
    return verdict();
}
