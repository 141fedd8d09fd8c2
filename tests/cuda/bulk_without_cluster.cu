// A bulk copy within shared memory, in a launch without cluster dimensions: hardware ends it with an illegal instruction, of which the PTX ISA does not tell
// (bulk_within.cu has a cluster of one block).
// arch: sm_90
// expect: cudaErrorIllegalInstruction
// finding: trap
#include "tma.h"

__global__ void within() {
    __shared__ alignas(128) int a[32], b[32];
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    a[t] = b[t] = t;
    if (t == 0) bar_init(AT(&bar), 1);
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bar_expect(AT(&bar), sizeof a);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                     ::"r"(AT(b)), "r"(AT(a)), "r"(AT(&bar)) : "memory");
    }
    bar_wait(AT(&bar), 0);
}
int main() {
    within<<<1, 32>>>();
    NAME(cudaDeviceSynchronize());
}
