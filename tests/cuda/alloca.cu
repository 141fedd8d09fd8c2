// Memory on the stack that nobody knows the size of: alloca() and PTX's alloca, stacksave and stackrestore. What is allocated is aligned, apart from what was
// there before, and free again after a return or stackrestore; cudaLimitStackSize is how much fits, together with what is known beforehand.
// arch: sm_90
// expect: sums 0
// expect: stack 0
// expect: recursive 0
// expect: 600 of 1024: cudaSuccess
// expect: 3000 of 4096: cudaSuccess
// expect: 3000 of 4096 before it is less: cudaSuccess
#include "common.h"
#include <alloca.h>
#include <unistd.h>
__device__ __noinline__ int sum(int n) {
    int *p = (int *)alloca(n * sizeof(int)), s = 0;
    for (int i = 0; i < n; i++) p[i] = i + threadIdx.x;
    for (int i = n; i--;) s += p[i];
    return s;
}
// Each thread another size, and far more than a stack holds in all: a return frees it.
__global__ void sums(int *wrong) {
    for (int round = 0; round < 100; round++) {
        int n = (threadIdx.x * 7 + round) % 60, t = threadIdx.x;
        if (sum(n) != n * (n - 1) / 2 + n * t) atomicAdd(wrong, 1);
    }
}
typedef unsigned long long u64;
#define ALLOCA(to, bytes, align) asm volatile("alloca.u64 %0, %1, " #align ";" : "=l"(to) : "l"((u64)(bytes)))
__global__ void stack(int *wrong) {
    u64 saved, again, a, b, c, d, n = 20 + threadIdx.x % 9;
    unsigned got;
    asm volatile("stacksave.u64 %0;" : "=l"(saved));
    for (int round = 0; round < 50; round++) {
        asm volatile("alloca.u64 %0, %1;" : "=l"(a) : "l"(n));
        ALLOCA(b, n, 1);
        ALLOCA(c, 4, 64);
        ALLOCA(d, 40, 16);
        if (a % 8 || b % 8 || c % 64 || d % 16) atomicAdd(wrong, 1);
        if ((a < b ? b - a : a - b) < n || (b < c ? c - b : b - c) < (b < c ? n : 4) || (c < d ? d - c : c - d) < (c < d ? 4 : 40)) atomicAdd(wrong, 1);
        asm volatile("st.local.u32 [%0], 1; st.local.u32 [%1+16], 2; st.local.u32 [%2], 3; st.local.u32 [%3+36], 4;" ::"l"(a), "l"(b), "l"(c), "l"(d) : "memory");
        asm volatile("ld.local.u32 %0, [%1+16];" : "=r"(got) : "l"(b) : "memory");
        if (got != 2) atomicAdd(wrong, 1);
        asm volatile("ld.local.u32 %0, [%1];" : "=r"(got) : "l"(c) : "memory");
        if (got != 3) atomicAdd(wrong, 1);
        asm volatile("stackrestore.u64 %0;" ::"l"(saved));
    }
    asm volatile("stacksave.u64 %0;" : "=l"(again));
    if (again != saved) atomicAdd(wrong, 1);
}
// Of each call its own, below those of its callers.
__device__ __noinline__ int down(int depth) {
    char *mine = (char *)alloca(depth + 1);
    for (int i = 0; i <= depth; i++) mine[i] = (char)(depth + threadIdx.x);
    int r = depth ? down(depth - 1) : 0;
    for (int i = 0; i <= depth; i++) r += mine[i] != (char)(depth + threadIdx.x);
    return r;
}
__global__ void recursive(int *wrong) { atomicAdd(wrong, down(threadIdx.x % 5)); }
__global__ void most(int bytes, int *to) {
    char *p = (char *)alloca(bytes);
    for (int i = 0; i < bytes; i++) p[i] = (char)i;
    *to = p[bytes - 1];
}
int main() {
    int *d, h = 0;
    CK(cudaMalloc(&d, 4));
#define WRONG(kernel)                                                                                                                                                              \
    CK(cudaMemset(d, 0, 4)), kernel<<<2, 64>>>(d), CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost)), printf(#kernel " %d\n", h)
    WRONG(sums);
    WRONG(stack);
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    WRONG(recursive);
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    most<<<1, 32>>>(600, d);
    printf("600 of 1024: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    most<<<1, 32>>>(3000, d);
    printf("3000 of 4096: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaStream_t s;
    CK(cudaStreamCreate(&s)), CK(cudaLaunchHostFunc(s, [](void *) { usleep(200000); }, nullptr));
    most<<<1, 32, 0, s>>>(3000, d);
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    printf("3000 of 4096 before it is less: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(d);
}
