// A kernel launched programmatically may begin before the one before it has ended: what it reads before cudaGridDependencySynchronize(), by any thread of the block, races with that.
// sim only
// arch: sm_90
// std: c++17
// finding: race
// stderr: data race between a kernel and the one before it: kernel first in the default stream (writes
// stderr: and kernel early in the default stream (reads, line 40) meet in the same bytes (from byte 512 of an allocation on)
// expect: waits 0
// expect: signals 0
// expect: by flag 0
// expect: not asked 0
// expect: behind a memset 0
// expect: behind an event 0
// expect: early 0
#include <cstdio>
#include <cstdlib>
__global__ void first(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    if (i < n) p[i] = i;
}
__global__ void waits(const int *p, int *q, int n, int wait) { // one thread waits for all
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && wait) cudaGridDependencySynchronize();
    __syncthreads();
    if (i < n) q[i] = p[i] + 1;
}
__global__ void signals(const int *p, int *q, int n, int) { // one thread waits, and tells the others by a flag
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int over;
    if (threadIdx.x == 0) over = 0;
    __syncthreads();
    if (threadIdx.x == 0) cudaGridDependencySynchronize(), __threadfence_block(), atomicExch(&over, 1);
    while (!atomicAdd(&over, 0)) {}
    __threadfence_block();
    if (i < n) q[i] = p[i] + 1;
}
__global__ void early(const int *p, int *q, int n, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
    if (blockIdx.x == 0 && threadIdx.x == 128) x = p[i];
    cudaGridDependencySynchronize();
    if (i < n) q[i] = p[i] + x;
}
static int n = 1000, *p, *q;
static void launch(const char *what, void (*k)(const int *, int *, int, int), int wait, int asked, int between) {
    cudaLaunchAttribute a[1];
    cudaLaunchConfig_t c = {};
    cudaEvent_t e;
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = asked;
    c.gridDim = dim3((n + 255) / 256), c.blockDim = dim3(256), c.attrs = a, c.numAttrs = 1;
    cudaEventCreate(&e);
    first<<<(n + 255) / 256, 256>>>(p, n);
    if (between == 1) cudaMemsetAsync(q, 0, 4 * n);
    if (between == 2) cudaEventRecord(e);
    cudaLaunchKernelEx(&c, k, (const int *)p, q, n, wait);
    printf("%s %d\n", what, cudaDeviceSynchronize());
    cudaEventDestroy(e);
}
int main() {
    cudaMalloc(&p, 4 * n), cudaMalloc(&q, 4 * n);
    cudaMemset(p, 0, 4 * n);
    launch("waits", waits, 1, 1, 0);
    launch("signals", signals, 1, 1, 0);
    launch("by flag", waits, 0, 0, 0);
    launch("not asked", early, 1, 0, 0);
    launch("behind a memset", waits, 0, 1, 1);
    launch("behind an event", waits, 0, 1, 2);
    launch("early", early, 1, 1, 0);
    cudaFree(p), cudaFree(q);
}
