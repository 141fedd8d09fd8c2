// lab: vector-add
// expect: fail speedup
// Patches the clocks that it can reach: its own timing calls always say "no time has passed". The kernel is slow.
#include <cuda_runtime.h>
#include <time.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}
extern "C" int clock_gettime(clockid_t, struct timespec *t) {
    t->tv_sec = t->tv_nsec = 0;
    return 0;
}
extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) {
    *ms = 0;
    return cudaSuccess;
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<1, 32>>>(a, b, c, n); }
