// What hardware ends with an illegal instruction, of which the PTX ISA does not tell. A box's innermost coordinate in bytes is a multiple of 16, also where the box lies outside of the tensor: any other ends the launch with an illegal
// instruction. Words at -4, 4 and 1000 come, at 5 they do not.
// arch: sm_90
// expect: -4: 0 0 0 0 1000 1001 1002 1003
// expect: 4: 1004 1005 1006 1007 1008 1009 1010 1011
// expect: 1000: 0 0 0 0 0 0 0 0
// expect: 5: cudaErrorIllegalInstruction
// finding: trap
#include "tma.h"

__global__ void load(const __grid_constant__ CUtensorMap m, int x, int *to) {
    __shared__ alignas(128) int box[8];
    __shared__ alignas(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), sizeof box);
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                     ::"r"(AT(box)), "l"(&m), "r"(x), "r"(AT(&bar)) : "memory");
    }
    __syncwarp();
    bar_wait(AT(&bar), 0);
    if (threadIdx.x < 8) to[threadIdx.x] = box[threadIdx.x];
}
int main() {
    int *d, *to, h[1000];
    for (int i = 0; i < 1000; i++) h[i] = 1000 + i;
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMalloc(&to, 32)), CK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    CUtensorMap map;
    cuuint64_t dim[] = {1000}, stride[] = {0};
    cuuint32_t box[] = {8}, step[] = {1};
    if (encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    for (int x : {-4, 4, 1000, 5}) {
        load<<<1, 32>>>(map, x, to);
        cudaError_t e = cudaMemcpy(h, to, 32, cudaMemcpyDeviceToHost);
        printf("%d:", x);
        if (e) printf(" %s", cudaGetErrorName(e));
        for (int i = 0; i < 8 && !e; i++) printf(" %d", h[i]);
        printf("\n");
    }
}
