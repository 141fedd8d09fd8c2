// cp.async that completes on an mbarrier: its bytes used before the phase was waited for, by who asked for them and by
// another warp; and the right way, twice.
// arch: sm_80
// sim only
// expect: done
// finding: race
// stderr: of block 0 of k<1> reads byte
// stderr: find_copy_barrier.cu:30: the copy is under way until its mbarrier's phase has been waited for
// stderr: find_copy_barrier.cu:33: thread 0 of block 0 of k<2> reads byte 268 of shared memory, which thread 63 writes at find_copy_barrier.cu:30: the copy is under way until its mbarrier's phase has been waited for
#include "common.h"
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
__device__ bool over(unsigned bar, unsigned parity) {
    int done;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    return done;
}
__device__ void copy(const int *from, int *to, unsigned bar) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(to)), "l"(from));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(bar) : "memory");
}
// 0: right. 1: nobody waits. 2: nobody waits, and the element is another warp's: warp 0 alone, since turns are drawn.
template <int fault> __global__ void k(const int *from, int *to) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(AT(&bar)) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 2; round++) {
        copy(from + t, &s[t], AT(&bar));
        while (fault == 0 && !over(AT(&bar), round & 1)) {}
        if (fault == 2) __syncthreads();
        if (fault != 2 || t < 32) to[t] = s[fault == 1 ? t : 63 - t];
        while (!over(AT(&bar), round & 1)) {}
        __syncthreads();
    }
}
int main() {
    int *from, *to;
    CK(cudaMalloc(&from, 256)), CK(cudaMalloc(&to, 256)), CK(cudaMemset(from, 0, 256));
    k<0><<<1, 64>>>(from, to), k<1><<<1, 64>>>(from, to), k<2><<<1, 64>>>(from, to);
    CK(cudaDeviceSynchronize());
    puts("done");
}
