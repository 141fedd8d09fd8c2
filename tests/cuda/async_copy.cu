// cp.async in groups, mbarriers between the warps of a block, and the two together; the pipeline of <cuda_pipeline.h>.
// arch: sm_80
// expect: groups ok
// expect: zero fill 1 2 0 0
// expect: mbarrier phases 32 64 96
// expect: copies on a barrier ok
// expect: pipeline 130816
#include "common.h"
#include <cuda_pipeline.h>
#define AT(p) ((unsigned)__cvta_generic_to_shared(p))

__global__ void groups(const int *from, int *to) {
    __shared__ alignas(16) int s[2][128];
    int t = threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(&s[0][t])), "l"(from + t));
    asm volatile("cp.async.commit_group;");
    if (t < 32) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(AT(&s[1][4 * t])), "l"(from + 128 + 4 * t));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    to[t] = s[0][127 - t];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    to[128 + t] = s[1][127 - t];
}
__global__ void zero_fill(const int *from, int *to) {
    __shared__ alignas(16) int s[4];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 8;" ::"r"(AT(s)), "l"(from));
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 4; i++) to[i] = s[i];
}
// Three rounds: warp 1 adds 32 to a sum that warp 0 reads when the phase is over.
__global__ void phases(int *to) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int sum;
    unsigned b = AT(&bar), t = threadIdx.x;
    if (t == 0) {
        sum = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(b) : "memory");
    }
    __syncthreads();
    for (unsigned round = 0; round < 6; round++) {
        unsigned long long state;
        if (t >= 32 && round % 2 == 0) atomicAdd(&sum, 1);
        if (t == 0 && round % 2) to[round / 2] = sum;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
        int done = 0;
        while (!done) {
            if (t < 32)
                asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                             : "=r"(done) : "r"(b), "l"(state) : "memory");
            else
                asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
                             : "=r"(done) : "r"(b), "r"(round & 1) : "memory");
        }
    }
    __syncthreads();
    if (t == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(b) : "memory");
}
__global__ void on_barrier(const int *from, int *to) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ alignas(16) int s[64];
    unsigned b = AT(&bar), t = threadIdx.x, done = 0;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(b) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(AT(&s[t])), "l"(from + t));
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(b) : "memory");
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(b), "l"(state) : "memory");
    to[t] = s[63 - t];
}
__global__ void pipeline(const int *from, int *to, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], from + t, 4);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) __pipeline_memcpy_async(&s[(i + 1) % 2][t], from + (i + 1) * 64 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i % 2][63 - t];
        __syncthreads();
    }
    atomicAdd(to, sum);
}
int main() {
    int h[512], r[256], *from, *to;
    for (int i = 0; i < 512; i++) h[i] = i;
    CK(cudaMalloc(&from, 2048)), CK(cudaMalloc(&to, 1024)), CK(cudaMemcpy(from, h, 2048, cudaMemcpyHostToDevice));
    groups<<<1, 128>>>(from, to);
    CK(cudaMemcpy(r, to, 1024, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < 256; i++) bad += r[i] != (i / 128) * 128 + 127 - i % 128;
    printf("groups %s\n", bad ? "WRONG" : "ok");
    zero_fill<<<1, 1>>>(from, to);
    CK(cudaMemcpy(r, to, 16, cudaMemcpyDeviceToHost)), printf("zero fill %d %d %d %d\n", r[0] + 1, r[1] + 1, r[2], r[3]);
    phases<<<1, 64>>>(to);
    CK(cudaMemcpy(r, to, 12, cudaMemcpyDeviceToHost)), printf("mbarrier phases %d %d %d\n", r[0], r[1], r[2]);
    on_barrier<<<1, 64>>>(from, to);
    CK(cudaMemcpy(r, to, 256, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int i = 0; i < 64; i++) bad += r[i] != 63 - i;
    printf("copies on a barrier %s\n", bad ? "WRONG" : "ok");
    CK(cudaMemset(to, 0, 4));
    pipeline<<<1, 64>>>(from, to, 8);
    CK(cudaMemcpy(r, to, 4, cudaMemcpyDeviceToHost)), printf("pipeline %d\n", r[0]);
    CK(cudaFree(from)), CK(cudaFree(to));
}
