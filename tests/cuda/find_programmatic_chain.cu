// In a chain of kernels that are launched programmatically, a kernel between two others must wait, and must not let the next one begin before: else the
// third may begin while the first still runs.
// sim only
// arch: sm_90
// std: c++17
// finding: race
// stderr: data race between a kernel and a later one of its stream: kernel first in the default stream (writes
// stderr: and kernel reads in the default stream (reads, line 26) meet in the same bytes (from byte 0 of an allocation on), and a kernel between them
// stderr: and kernel late in the default stream (reads, line 32) meet in the same bytes (from byte 0 of an allocation on), and a kernel between them
// expect: waits, then lets 0
// expect: waits, lets nobody 0
// expect: third waits for all 0
// expect: not programmatic 0
// expect: lets, then waits 0
// expect: never waits 0
#include <cstdio>
__global__ void first(int *p) { p[threadIdx.x] = threadIdx.x; }
enum { WAITS_THEN_LETS, ONLY_WAITS, LETS_THEN_WAITS, NEVER_WAITS };
__global__ void between(int *q, int how) {
    if (how == LETS_THEN_WAITS) cudaTriggerProgrammaticLaunchCompletion();
    if (how != NEVER_WAITS) cudaGridDependencySynchronize();
    if (how == WAITS_THEN_LETS) cudaTriggerProgrammaticLaunchCompletion();
    q[threadIdx.x] = 1;
}
__global__ void reads(const int *p, int *q, int *r) { // begins as soon as it may
    int x = p[threadIdx.x];
    cudaGridDependencySynchronize();
    r[threadIdx.x] = x + q[threadIdx.x];
}
__global__ void late(const int *p, int *q, int *r) { // waits for the kernel before it, not for the first
    cudaGridDependencySynchronize();
    r[threadIdx.x] = p[threadIdx.x] + q[threadIdx.x];
}
static int *p, *q, *r;
static void chain(const char *what, int how, void (*third)(const int *, int *, int *), int programmatic) {
    cudaLaunchAttribute a[1];
    cudaLaunchConfig_t c = {};
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = dim3(1), c.blockDim = dim3(256), c.attrs = a, c.numAttrs = programmatic;
    first<<<1, 256>>>(p);
    cudaLaunchKernelEx(&c, between, q, how);
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, third, (const int *)p, q, r);
    printf("%s %d\n", what, cudaDeviceSynchronize());
}
int main() {
    cudaMalloc(&p, 1024), cudaMalloc(&q, 1024), cudaMalloc(&r, 1024);
    chain("waits, then lets", WAITS_THEN_LETS, reads, 1);
    chain("waits, lets nobody", ONLY_WAITS, reads, 1);
    chain("third waits for all", LETS_THEN_WAITS, late, 1);
    chain("not programmatic", NEVER_WAITS, reads, 0);
    chain("lets, then waits", LETS_THEN_WAITS, reads, 1);
    chain("never waits", NEVER_WAITS, late, 1);
    cudaFree(p), cudaFree(q), cudaFree(r);
}
