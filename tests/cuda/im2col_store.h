// Stores columns of pixels by .im2col_no_offs, a column of 8 pixels each; what is then in memory, a
// word for each pixel, or the error.
#pragma once
#include "tma.h"

__global__ void store(const __grid_constant__ CUtensorMap m, int w) {
    __shared__ alignas(128) unsigned s[8 * 8];
    for (unsigned i = threadIdx.x; i < 64; i += 32) s[i] = 1 + i;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {0, "
                 "%1, 0}], [%2];" ::"l"(&m),
                 "r"(w), "r"(AT(s))
                 : "memory");
    bulk_commit(), bulk_drain();
}
// Each case: lower corner, upper corner, where the column begins.
template <int N> int store_columns(const int (&cases)[N][3]) {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &f, 12000, cudaEnableDefault,
                                        &found));
    auto encode =
        (CUresult(*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                     const cuuint64_t *, const int *, const int *, cuuint32_t, cuuint32_t,
                     const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                     CUtensorMapL2promotion, CUtensorMapFloatOOBfill))f;
    unsigned *d, h[8 * 10 * 2];
    CK(cudaMalloc(&d, sizeof h));
    cuuint64_t dim[] = {8, 10, 2}, stride[] = {32, 320};
    cuuint32_t step[] = {1, 1, 1};
    for (auto &c : cases) {
        CUtensorMap map;
        if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, d, dim, stride, c, c + 1, 8, 8, step,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
            return puts("no map"), 1;
        CK(cudaMemset(d, 0, sizeof h));
        store<<<1, 32>>>(map, c[2]);
        cudaError_t e = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%d to %d, at %d: %s", c[0], c[1], c[2], cudaGetErrorName(e));
        for (int i = 0; i < 20 && !e; i++) printf(" %u", h[8 * i]);
        puts("");
    }
    return 0;
}
