// Chains of dependent loads timed by clock(), in cycles a load. One H200 says 29 for shared memory and 366 for L2, 43 where L1 has
// the word (tests/truth/micro.cu); here an address of two instructions costs eight more. Loads of which nobody needs the value
// yet do not wait; after a barrier no warp's clock is behind what another had reached before it.
// expect: shared 1 L1 1 L2 1 atomic 1 helper 1
// expect: together 1 alone 1
// expect: warps 1 forward 1
#include "common.h"
#define CHAIN(name, start, next, n) \
    unsigned name##_from = clock(); \
    _Pragma("unroll 1") for (int i = 0; i < n; i++) p = next; \
    unsigned name = (clock() - name##_from) / n; \
    if (threadIdx.x == 0) o[start] = name;
__device__ __noinline__ int step(const int *c, int p) { return __ldcg(c + p); }
__global__ void chains(const int *c, int *o) {
    __shared__ int s[32];
    s[threadIdx.x] = (threadIdx.x + 1) % 32;
    __syncthreads();
    int p = threadIdx.x;
    CHAIN(shared, 0, s[p], 64)
    p = p > 31;
    for (int i = 0; i < 64; i++) p = c[p];
    CHAIN(l1, 1, c[p], 64)
    CHAIN(l2, 2, __ldcg(c + p), 64)
    CHAIN(atomic, 3, atomicAdd(const_cast<int *>(c) + p, 0), 64)
    __syncwarp(); // behind the atomics of the other lanes
    CHAIN(helper, 4, step(c, p), 64)
    if (threadIdx.x == 0) o[5] = p;
}
__global__ void apart(const int *c, int *o) {
    unsigned a = clock();
    int x = __ldcg(c), y = __ldcg(c + 64), z = __ldcg(c + 128), w = __ldcg(c + 192);
    unsigned b = clock();
    x += y + z + w;
    asm volatile("" ::"r"(x));
    unsigned e = clock();
    o[0] = e - a, o[1] = b - a, o[2] = x;
}
__global__ void barrier(const int *c, long long *o) {
    __shared__ long long late;
    int p = 0;
    long long a = clock64(), last = a;
    bool forward = true;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 64; i++) {
            p = __ldcg(c + p);
            long long now = clock64();
            forward &= now > last;
            last = now;
        }
        if (threadIdx.x == 0) late = last + (p < 0);
    }
    __syncthreads();
    long long b = clock64();
    if (threadIdx.x == 32) o[0] = b >= late;
    if (threadIdx.x == 0) o[1] = forward;
}
int main() {
    const int n = 4096;
    int t[n], h[6], *c, *o;
    long long g[2], *q;
    for (int i = 0; i < n; i++) t[i] = (i + 64) % n;
    CK(cudaMalloc(&c, sizeof t)), CK(cudaMalloc(&o, sizeof h)), CK(cudaMalloc(&q, sizeof g));
    CK(cudaMemcpy(c, t, sizeof t, cudaMemcpyHostToDevice));
    chains<<<1, 32>>>(c, o);
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    bool near[] = {h[0] >= 20 && h[0] <= 40, h[1] >= 30 && h[1] <= 70, h[2] >= 200 && h[2] <= 500, h[3] >= 200 && h[3] <= 900,
                   h[4] >= 200 && h[4] <= 500};
    printf("shared %d L1 %d L2 %d atomic %d helper %d\n", near[0], near[1], near[2], near[3], near[4]);
    for (int i = 0; i < 5; i++)
        if (!near[i]) fprintf(stderr, "chain %d: %d cycles\n", i, h[i]);
    apart<<<1, 1>>>(c, o);
    CK(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    printf("together %d alone %d\n", h[0] >= 200 && h[0] <= 1000, h[1] < 200);
    barrier<<<1, 64>>>(c, q);
    CK(cudaMemcpy(g, q, sizeof g, cudaMemcpyDeviceToHost));
    printf("warps %lld forward %lld\n", g[0], g[1]);
}
