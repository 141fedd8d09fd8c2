// Kernels of two streams that share words in ways that any order allows: sums, locks, flags, minima; no race.
// expect: sum 192
// expect: behind a lock 2, by compare and exchange 6
// expect: least -3.0, flags 3, seen 0 or 1
// expect: bits 3, places 2
#include "common.h"
__global__ void add(int *q) { atomicAdd(q, threadIdx.x < 32); atomicSub(q, threadIdx.x >= 96 ? -2 : 0); }
// What the lock guards is used by volatile accesses.
__global__ void locked(int *lock, volatile int *count) {
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
}
__global__ void add_by_cas(int *q, int v) {
    int old = atomicAdd(q, 0), seen;
    do old = atomicCAS(q, seen = old, old + v);
    while (old != seen);
}
__global__ void least(float *q, float v) {
    if (v >= 0) atomicMin((int *)q, __float_as_int(v));
    else atomicMax((unsigned *)q, __float_as_uint(v));
}
__global__ void raise_flag(volatile int *flag) { __threadfence(), *flag = 1; }
__global__ void raise_by_exch(int *flag) { atomicExch(flag, 1); }
__global__ void looks(int *flag, volatile int *too, int *seen) {
    while (*too == 0) {} // a kernel that took what is there would race
    seen[0] = atomicAdd(flag, 0) + atomicOr(flag + 64, 0) + atomicCAS(flag, 7, 7) + *too >= 0 ? 1 : 0;
}
// A lock of bits, which each of the two takes and gives back, around bits that both set.
__global__ void bits(unsigned *lock, unsigned *set, unsigned mine) {
    while (atomicOr(lock, 1u) & 1) {}
    atomicOr(set, mine);
    __threadfence();
    atomicAnd(lock, ~1u);
}
__global__ void claims(int *table, int key) {
    for (int k = 0; k < 4; k++)
        if (atomicCAS(table + k, 0, key) == 0) return;
}
int main() {
    enum { PARTS = 16 };
    int *x, *part[PARTS], host[64 * PARTS];
    cudaStream_t s[2];
    CK(cudaMalloc(&x, sizeof host)), CK(cudaMemset(x, 0, sizeof host)), CK(cudaDeviceSynchronize());
    for (int i = 0; i < PARTS; i++) part[i] = x + 64 * i;
    for (int i = 0; i < 2; i++) CK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        add<<<1, 128, 0, s[i]>>>(part[0]);
        locked<<<1, 1, 0, s[i]>>>(part[1], part[2]);
        add_by_cas<<<1, 1, 0, s[i]>>>(part[3], 3);
        least<<<1, 1, 0, s[i]>>>((float *)part[4], i ? 2.0f : -3.0f);
        bits<<<1, 1, 0, s[i]>>>((unsigned *)part[9], (unsigned *)part[10], 1u << i);
        claims<<<1, 1, 0, s[i]>>>(part[11], 5 + i);
    }
    raise_flag<<<1, 1, 0, s[0]>>>(part[5]);
    raise_flag<<<1, 1, 0, s[1]>>>(part[5]);
    raise_by_exch<<<1, 1, 0, s[0]>>>(part[6]);
    raise_by_exch<<<1, 1, 0, s[1]>>>(part[7]);
    looks<<<1, 1, 0, s[1]>>>(part[6], part[5], part[8]);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    float f;
    memcpy(&f, &host[64 * 4], 4);
    printf("sum %d\n", host[0]);
    printf("behind a lock %d, by compare and exchange %d\n", host[64 * 2], host[64 * 3]);
    printf("least %.1f, flags %d, seen 0 or %d\n", f, host[64 * 5] + host[64 * 6] + host[64 * 7], host[64 * 8]);
    printf("bits %d, places %d\n", host[64 * 10], (host[64 * 11] != 0) + (host[64 * 11 + 1] != 0));
    cudaFree(x);
}
