// 128-bit atomicCAS and atomicExch: in global and shared memory, by one block and by many.
// arch: sm_90
// expect: sum 2016 2016
// expect: exchanged 1, all values once
// expect: shared 96 4560
// expect: copied 11 22
#include "common.h"
struct alignas(16) pair {
    unsigned long long lo, hi;
};
// adds to both halves at once: nobody may see one without the other
__global__ void add(pair *p) {
    pair old = *p, want;
    unsigned long long v = blockIdx.x;
    do {
        want = old;
        pair next = {want.lo + v, want.hi + v};
        old = atomicCAS(p, want, next);
    } while (old.lo != want.lo || old.hi != want.hi);
}
__global__ void exchange(pair *p, unsigned *seen) {
    pair mine = {threadIdx.x + 1ull, ~(threadIdx.x + 1ull)};
    pair old = atomicExch(p, mine);
    if (old.hi == ~old.lo || !old.lo) atomicAdd(&seen[old.lo], 1);
}
__global__ void in_shared(pair *out) {
    __shared__ pair s;
    if (threadIdx.x == 0) s = {0, 0};
    __syncthreads();
    pair old = {0, 0}, want;
    do {
        want = old;
        pair next = {want.lo + 1, want.hi + threadIdx.x};
        old = atomicCAS(&s, want, next);
    } while (old.lo != want.lo || old.hi != want.hi);
    __syncthreads();
    if (threadIdx.x == 0) *out = s;
}
__global__ void copy(pair *to, const pair *from) {
    asm volatile("{.reg .b128 a, b; .reg .b64 x, y; ld.global.b128 a, [%1]; mov.b128 {x, y}, a; mov.b128 b, {y, x}; mov.b128 a, b; st.global.b128 [%0], a;}" ::"l"(to), "l"(from) : "memory");
}
int main() {
    pair *d, h;
    unsigned *seen, n[66], once = 1;
    CK(cudaMalloc(&d, 64)), CK(cudaMalloc(&seen, sizeof n));
    CK(cudaMemset(d, 0, 64)), CK(cudaMemset(seen, 0, sizeof n));
    add<<<64, 1>>>(d);
    CK(cudaMemcpy(&h, d, 16, cudaMemcpyDeviceToHost));
    printf("sum %llu %llu\n", h.lo, h.hi);
    CK(cudaMemset(d, 0, 64));
    exchange<<<1, 64>>>(d, seen);
    CK(cudaMemcpy(&h, d, 16, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(n, seen, sizeof n, cudaMemcpyDeviceToHost));
    n[h.lo]++;
    for (int i = 0; i <= 64; i++) once &= n[i] == 1;
    printf("exchanged %d, %s\n", h.hi == ~h.lo, once ? "all values once" : "a value lost");
    in_shared<<<1, 96>>>(d);
    CK(cudaMemcpy(&h, d, 16, cudaMemcpyDeviceToHost));
    printf("shared %llu %llu\n", h.lo, h.hi);
    h = {22, 11};
    CK(cudaMemcpy(d, &h, 16, cudaMemcpyHostToDevice));
    copy<<<1, 1>>>(d + 1, d);
    CK(cudaMemcpy(&h, d + 1, 16, cudaMemcpyDeviceToHost));
    printf("copied %llu %llu\n", h.lo, h.hi);
}
