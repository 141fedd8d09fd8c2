// A box by .multicast::cluster whose rows begin spans of their own: each block of the cluster gets the rows, at the same offset, and keeps what lies behind them.
// arch: sm_90
// expect: block 0: 0 wrong
// expect: block 1: 0 wrong
#include "tma.h"
enum { SPAN = 128, ROWS = 20, WORDS = ROWS * SPAN / 4, WIDE = 12, PITCH = 64, UNTOUCHED = 0x5a5a5a5a };

__global__ void __cluster_dims__(2, 1, 1) load(const __grid_constant__ CUtensorMap m, unsigned *out) {
    __shared__ alignas(1024) unsigned s[WORDS];
    __shared__ alignas(8) unsigned long long bar;
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) s[i] = UNTOUCHED + blockIdx.x;
    proxy_fence();
    if (threadIdx.x == 0) {
        bar_init(AT(&bar), 1);
        bar_expect(AT(&bar), ROWS * WIDE * 4);
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (blockIdx.x == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                     ::"r"(AT(s)), "l"(&m), "r"(8), "r"(3), "r"(AT(&bar)), "h"((unsigned short)3) : "memory");
    bar_wait(AT(&bar), 0);
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) out[blockIdx.x * WORDS + i] = s[i];
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
int main() {
    static unsigned h[40 * PITCH], got[2 * WORDS];
    unsigned *d, *out;
    for (int i = 0; i < 40 * PITCH; i++) h[i] = i;
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMalloc(&out, sizeof got)), CK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    CUtensorMap map;
    cuuint64_t dim[] = {PITCH, 40}, stride[] = {4 * PITCH};
    cuuint32_t box[] = {WIDE, ROWS}, step[] = {1, 1};
    if (encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, d, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) return puts("no map"), 1;
    load<<<2, 64>>>(map, out);
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 2; b++) {
        unsigned want[WORDS], wrong = 0;
        for (unsigned &x : want) x = UNTOUCHED + b;
        for (int i = 0; i < ROWS * WIDE; i++) {
            int at = i / WIDE * SPAN + i % WIDE * 4;
            want[(at ^ (at >> 7 & 7) << 4) / 4] = (3 + i / WIDE) * PITCH + 8 + i % WIDE;
        }
        for (int i = 0; i < WORDS; i++) wrong += got[b * WORDS + i] != want[i];
        printf("block %d: %u wrong\n", b, wrong);
    }
}
