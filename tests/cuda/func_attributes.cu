// What a kernel needs, and what may be set.
// fast
// alone: the names of its kernels are printed
// expect: shared 400, local 0, max dynamic 48752
// expect: threads 256, for compute_75 on sm_90
// expect: opt in cudaSuccess 65536
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: _Z6sharedPi
// expect: parameters 0+8 cudaErrorInvalidValue
// expect: unknown cudaErrorInvalidResourceHandle
#include "common.h"
__global__ void shared(int *p) {
    __shared__ int s[100];
    s[threadIdx.x % 100] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[99 - threadIdx.x % 100];
}
__global__ void __launch_bounds__(256) bounded(int *p) { *p = 1; }
int main() {
    cudaFuncAttributes a;
    CK(cudaFuncGetAttributes(&a, shared));
    printf("shared %zu, local %zu, max dynamic %d\n", a.sharedSizeBytes, a.localSizeBytes, a.maxDynamicSharedSizeBytes);
    CK(cudaFuncGetAttributes(&a, bounded));
    printf("threads %d, for compute_%d on sm_%d\n", a.maxThreadsPerBlock, a.ptxVersion, a.binaryVersion);
    cudaError_t e = cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    CK(cudaFuncGetAttributes(&a, bounded));
    printf("opt in %s %d\n", cudaGetErrorName(e), a.maxDynamicSharedSizeBytes);
    NAME(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    NAME(cudaFuncSetAttribute(bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    NAME(cudaFuncSetAttribute(bounded, (cudaFuncAttribute)77, 1));
    const char *name;
    CK(cudaFuncGetName(&name, (const void *)shared));
    printf("%s\n", name);
    size_t at, n;
    CK(cudaFuncGetParamInfo((const void *)shared, 0, &at, &n));
    printf("parameters %zu+%zu %s\n", at, n, cudaGetErrorName(cudaFuncGetParamInfo((const void *)shared, 1, &at, &n)));
    printf("unknown %s\n", cudaGetErrorName(cudaFuncGetAttributes(&a, (const void *)&at)));
}
