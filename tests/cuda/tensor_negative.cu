// A box that is stored begins within the tensor or behind it: at a negative coordinate hardware ends the launch with an illegal instruction, of which the PTX
// ISA does not tell. Loads may begin there (tensor_map.cu).
// arch: sm_90
// expect: 4, 4: cudaSuccess
// expect: 64, 64: cudaSuccess
// expect: 4, -2: cudaErrorIllegalInstruction
// finding: trap
#include "tma.h"

__global__ void store(const __grid_constant__ CUtensorMap m, int x, int y) {
    __shared__ alignas(128) int box[8 * 4];
    box[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&m), "r"(x), "r"(y), "r"(AT(box)) : "memory");
    bulk_commit(), bulk_drain();
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 64 * 64 * 4));
    CUtensorMap map;
    cuuint64_t dim[] = {64, 64}, stride[] = {256};
    cuuint32_t box[] = {8, 4}, step[] = {1, 1};
    if (encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    const int places[][2] = {{4, 4}, {64, 64}, {4, -2}};
    for (auto &p : places) {
        store<<<1, 32>>>(map, p[0], p[1]);
        printf("%d, %d: %s\n", p[0], p[1], cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
