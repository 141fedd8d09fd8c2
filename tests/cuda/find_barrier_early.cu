// An mbarrier that another warp uses before its initialisation is visible there: no barrier in between, whichever
// warp comes first; and with one. (What the early one finds there is garbage: it may expect no arrivals.)
// arch: sm_80
// sim only
// expect: done
// finding: race
// finding: uninit
// finding: barrier
// stderr: of k<0, false> updates atomically byte 0 of shared memory, which thread 0 of the same warp writes at find_barrier_early.cu:17
// stderr: a __syncwarp() is not enough, because threads of different warps meet here too
// stderr: of k<1, false> updates atomically memory that nothing has written: byte 0 of shared memory
#include "common.h"
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
template <int first, bool sync> __global__ void k(int *o) {
    __shared__ alignas(8) unsigned long long bar;
    int t = threadIdx.x;
    if (t == first * 32) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(AT(&bar)) : "memory");
    if (sync) __syncthreads();
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(AT(&bar)) : "memory");
    o[t] = 1;
}
int main() {
    int *o;
    CK(cudaMalloc(&o, 256));
    k<0, true><<<1, 64>>>(o), k<1, true><<<1, 64>>>(o), k<0, false><<<1, 64>>>(o);
    CK(cudaDeviceSynchronize());
    k<1, false><<<1, 64>>>(o);
    cudaDeviceSynchronize();
    puts("done");
}
