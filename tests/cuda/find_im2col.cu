// A column whose filter begins outside of the tensor map's bounding box (PTX ISA 5.5.4.1 forbids it) ends the launch.
// arch: sm_90
// sim only
// expect: cudaErrorLaunchFailure
// finding: trap
// stderr: begins outside of the tensor map's bounding box
#include "tma.h"
__global__ void outside(const __grid_constant__ CUtensorMap m, int w) {
    __shared__ alignas(128) unsigned s[64];
    __shared__ alignas(8) unsigned long long bar;
    bar_init(AT(&bar), 1);
    bar_expect(AT(&bar), sizeof s);
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {0, %3, 0}], [%2], {%4};"
                 ::"r"(AT(s)), "l"(&m), "r"(AT(&bar)), "r"(w), "h"((short)0) : "memory");
    bar_wait(AT(&bar), 0);
}
int main() {
    void *f = nullptr;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &f, 12000, cudaEnableDefault, &found));
    unsigned *d;
    CK(cudaMalloc(&d, 4 * 8 * 10 * 2)), CK(cudaMemset(d, 0, 4 * 8 * 10 * 2));
    CUtensorMap map;
    cuuint64_t dim[] = {8, 10, 2}, stride[] = {32, 320};
    int lower[] = {-1}, upper[] = {-1};
    cuuint32_t step[] = {1, 1, 1};
    auto encode = (CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const int *, const int *, cuuint32_t,
                                cuuint32_t, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill))f;
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, d, dim, stride, lower, upper, 8, 8, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    outside<<<1, 1>>>(map, 8);
    CK(cudaDeviceSynchronize());
    outside<<<1, 1>>>(map, 9);
    NAME(cudaDeviceSynchronize());
}
