// cudaLaunchAttributePreferredSharedMemoryCarveout: for one launch it comes before what the kernel prefers, in graphs, too; the kernel's own stays, and is
// what occupancy and the size of a cooperative launch are asked with. A cooperative launch that its own leaves no room for is taken, and fails. All as an H200
// with CUDA 13.0 does, times of sixteen blocks of 16 KB a multiprocessor among them: 1, 3 and 8 times at 100, 25 and 0%.
// device: sim:h200
// gpu limit: a carve-out of a launch is set as its kernel's
// expect: kernel -1: 1 8 3 1, then -1 13
// expect: kernel 0: 8 8 3 1, then 0 1
// expect: kernel 100: 1 8 3 1, then 100 13
// expect: graph 8 3 1
// expect: 101 cudaErrorInvalidValue, -1 cudaErrorInvalidValue, -2 cudaErrorInvalidValue
// expect: cooperative, 9 blocks, kernel 100, launch 100: cudaSuccess cudaSuccess
// expect: cooperative, 9 blocks, kernel 25, launch 100: cudaErrorCooperativeLaunchTooLarge cudaSuccess
// expect: cooperative, 2 blocks, kernel 100, launch 25: cudaSuccess cudaSuccess
// expect: cooperative, 9 blocks, kernel 100, launch 25: cudaSuccess cudaErrorLaunchFailure
#include "common.h"
__global__ void spin(long long n, float *to) {
    __shared__ float s[4096];
    s[threadIdx.x] = (float)n;
    __syncthreads();
    long long begin = clock64();
    while (clock64() - begin < n) {}
    if (to) *to = s[63 - threadIdx.x];
}
static cudaLaunchAttribute with[2];
static cudaLaunchConfig_t config(int blocks, int percent) {
    cudaLaunchConfig_t c = {};
    with[0].id = cudaLaunchAttributePreferredSharedMemoryCarveout, with[0].val.sharedMemCarveout = percent;
    with[1].id = cudaLaunchAttributeCooperative, with[1].val.cooperative = 1;
    c.gridDim = 132 * blocks, c.blockDim = 64, c.attrs = with, c.numAttrs = percent != -3;
    return c;
}
static cudaEvent_t a, b;
static float ms() {
    float ms = 0;
    CK(cudaEventSynchronize(b)), CK(cudaEventElapsedTime(&ms, a, b));
    return ms;
}
static float took(int percent) {
    cudaLaunchConfig_t c = config(16, percent);
    float least = 1e9f;
    for (int k = 0; k < 3; k++) { // a real one may have been asleep
        CK(cudaEventRecord(a)), CK(cudaLaunchKernelEx(&c, spin, 50000LL, (float *)nullptr)), CK(cudaEventRecord(b));
        float t = ms();
        least = t < least ? t : least;
    }
    return least;
}
static float graph(int percent) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaLaunchConfig_t c = config(16, percent);
    CK(cudaStreamCreate(&s)), c.stream = s;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaLaunchKernelEx(&c, spin, 50000LL, (float *)nullptr));
    CK(cudaStreamEndCapture(s, &g)), CK(cudaGraphInstantiate(&x, g, 0)), CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
    CK(cudaEventRecord(a, s)), CK(cudaGraphLaunch(x, s)), CK(cudaEventRecord(b, s));
    return ms();
}
static int times(float t, float whole) { return t > 6.5f * whole && t < 9.5f * whole ? 8 : t > 2.4f * whole && t < 3.6f * whole ? 3 : t < 1.4f * whole && t > 0.7f * whole ? 1 : -1; }
static void prefer(int percent) { CK(cudaFuncSetAttribute(spin, cudaFuncAttributePreferredSharedMemoryCarveout, percent)); }
static void together(int blocks, int kernel, int launch) {
    cudaLaunchConfig_t c = config(blocks, launch);
    c.numAttrs = 2;
    prefer(kernel);
    cudaError_t e = cudaLaunchKernelEx(&c, spin, 1000LL, (float *)nullptr);
    cudaGetLastError();
    printf("cooperative, %d blocks, kernel %d, launch %d: %s ", blocks, kernel, launch, cudaGetErrorName(e));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
int main() {
    cudaFuncAttributes got;
    CK(cudaEventCreate(&a)), CK(cudaEventCreate(&b));
    prefer(100), took(-3);
    float whole = took(-3);
    for (int kernel : {-1, 0, 100}) {
        int n = 0;
        prefer(kernel);
        printf("kernel %d:", kernel);
        for (int percent : {-3, 0, 25, 100}) printf(" %d", times(took(percent), whole));
        CK(cudaFuncGetAttributes(&got, spin)), CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, spin, 64, 0));
        printf(", then %d %d\n", got.preferredShmemCarveout, n);
    }
    prefer(-1);
    printf("graph %d", times(graph(0), whole)), printf(" %d", times(graph(25), whole)), printf(" %d\n", times(graph(100), whole));
    for (int percent : {101, -1, -2}) {
        cudaLaunchConfig_t c = config(1, percent);
        printf("%d %s%s", percent, cudaGetErrorName(cudaLaunchKernelEx(&c, spin, 1LL, (float *)nullptr)), percent == -2 ? "\n" : ", ");
    }
    cudaGetLastError();
    together(9, 100, 100);
    together(9, 25, 100);
    together(2, 100, 25);
    together(9, 100, 25);
}
