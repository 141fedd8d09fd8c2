// Time passes for threads that wait for a clock: 540,672 of them wait a millisecond by each of three loops, none much longer, and
// each is done. The launch takes that long by its events: a lot of 2,048 threads a multiprocessor after the other, two lots.
// expect: early 0 late 0 done 1622016
// expect: globaltimer 1 clock 1 short 1
// expect: counted 1 summed 1 flag 1
#include "common.h"
__device__ __forceinline__ unsigned long long timer() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
template <class T> __device__ void judge(int *o, T waited, T asked) {
    if (waited < asked) atomicAdd(o, 1);
    if (waited > asked + asked / 16) atomicAdd(o + 1, 1);
    atomicAdd(o + 2, 1);
}
__global__ void by_timer(int *o, unsigned long long ns) {
    unsigned long long t = timer();
    while (timer() - t < ns) {}
    judge(o, timer() - t, ns);
}
__global__ void by_clock(int *o, long long n) {
    long long t = clock64();
    while (clock64() - t < n) {}
    judge(o, clock64() - t, n);
}
__global__ void by_low(int *o, unsigned n) {
    unsigned t = (unsigned)clock(), gone;
    do gone = (unsigned)clock() - t;
    while (gone < n);
    judge(o, gone, n);
}
// No waits for a clock alone: rounds that are counted, a sum, a flag of another warp's with a limit.
__global__ void works(int *o, long long n) {
    long long t = clock64();
    int rounds = 0;
    for (; clock64() - t < n; rounds++) {}
    o[0] = rounds;
    float sum = 1;
    t = clock64();
    while (clock64() - t < n) sum = sum * 0.5f + 1;
    o[1] = sum > 1.999f;
}
__global__ void flag(int *o, volatile int *f) {
    long long t = clock64();
    if (threadIdx.x < 32) {
        while (!*f && clock64() - t < 1000000) {}
        if (!threadIdx.x) o[2] = *f;
    } else {
        while (clock64() - t < 20000) {}
        *f = 1;
    }
}
int main() {
    int *o, h[3];
    float ms[3];
    cudaEvent_t a, b;
    CK(cudaMalloc(&o, sizeof h + 4)), CK(cudaMemset(o, 0, sizeof h + 4));
    CK(cudaEventCreate(&a)), CK(cudaEventCreate(&b));
    for (int i = 0; i < 3; i++) {
        CK(cudaEventRecord(a));
        if (i == 0) by_timer<<<2112, 256>>>(o, 1000000);
        if (i == 1) by_clock<<<2112, 256>>>(o, 1980000);
        if (i == 2) by_low<<<33, 256>>>(o, 19800), by_low<<<2112 - 33, 256>>>(o, 100000);
        CK(cudaEventRecord(b)), CK(cudaEventSynchronize(b));
        CK(cudaEventElapsedTime(&ms[i], a, b));
    }
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    printf("early %d late %d done %d\n", h[0], h[1], h[2]);
    bool near = ms[0] >= 1.8f && ms[0] < 3, near1 = ms[1] >= 1.8f && ms[1] < 3, near2 = ms[2] < 1;
    printf("globaltimer %d clock %d short %d\n", near, near1, near2);
    if (!(near && near1 && near2)) fprintf(stderr, "%g %g %g ms\n", ms[0], ms[1], ms[2]);
    works<<<1, 1>>>(o, 200000);
    flag<<<1, 64>>>(o, o + 3);
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    printf("counted %d summed %d flag %d\n", h[0] > 1000, h[1], h[2]);
}
