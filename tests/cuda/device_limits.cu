// Limits and settings of a device.
// fast
// expect: heap 8388608 then 33554432
// expect: stack 1024 then 4096
// expect: cudaErrorUnsupportedLimit
// expect: cudaErrorInvalidValue
// expect: cache 0, shared memory banks 1
// expect: flags 8
// expect: cudaErrorInvalidValue
// expect: memory is free: 1
#include "common.h"
int main() {
    size_t a, b;
    CK(cudaDeviceGetLimit(&a, cudaLimitMallocHeapSize)), CK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CK(cudaDeviceGetLimit(&b, cudaLimitMallocHeapSize)), printf("heap %zu then %zu\n", a, b);
    CK(cudaDeviceGetLimit(&a, cudaLimitStackSize)), CK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CK(cudaDeviceGetLimit(&b, cudaLimitStackSize)), printf("stack %zu then %zu\n", a, b);
    NAME(cudaDeviceGetLimit(&a, cudaLimitDevRuntimeSyncDepth));
    NAME(cudaDeviceSetLimit((cudaLimit)55, 1));
    cudaFuncCache c;
    cudaSharedMemConfig m;
    unsigned f;
    CK(cudaDeviceGetCacheConfig(&c));
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    CK(cudaDeviceGetSharedMemConfig(&m)), printf("cache %d, shared memory banks %d\n", c, m);
    CK(cudaGetDeviceFlags(&f)), printf("flags %u\n", f);
    NAME(cudaSetDeviceFlags(3));
    CK(cudaMemGetInfo(&a, &b)), printf("memory is free: %d\n", a > 0 && a <= b);
}
