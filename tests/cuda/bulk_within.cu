// Bulk copies and reductions within a block's own shared memory, in a cluster of one block: without cluster dimensions they are illegal
// (bulk_without_cluster.cu).
// arch: sm_90
// expect: within shared memory 0 wrong
#include "tma.h"

__global__ __cluster_dims__(1, 1, 1) void within(int *to) {
    __shared__ alignas(128) int a[64], b[64];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    a[t] = t * t, b[t] = 1000;
    if (t == 0) bar_init(AT(&bar), 1);
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bar_expect(AT(&bar), 128 + 64);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                     ::"r"(AT(b)), "r"(AT(a)), "r"(AT(&bar)) : "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.s32 [%0], [%1], 64, [%2];"
                     ::"r"(AT(b + 32)), "r"(AT(a)), "r"(AT(&bar)) : "memory");
    }
    bar_wait(AT(&bar), 0);
    to[t] = b[t];
}
int main() {
    int *to, r[64], wrong = 0;
    CK(cudaMalloc(&to, sizeof r));
    within<<<1, 64>>>(to);
    CK(cudaMemcpy(r, to, sizeof r, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) wrong += r[i] != (i < 32 ? i * i : i < 48 ? 1000 + (i - 32) * (i - 32) : 1000);
    printf("within shared memory %d wrong\n", wrong);
}
