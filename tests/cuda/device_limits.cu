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
// expect: 5/8 of L2 may persist; asked for 16 MB: kept 1, for more than there is: at most that 1
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
    // an H200 (compute capability 9.0) sets 5/8 of its L2 aside at most
    int l2, most;
    CK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    CK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    CK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 16 << 20));
    CK(cudaDeviceGetLimit(&a, cudaLimitPersistingL2CacheSize));
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 30);
    CK(cudaDeviceGetLimit(&b, cudaLimitPersistingL2CacheSize));
    bool kept = a >= 16 << 20, bounded = b <= (size_t)most;
    CK(cudaMemGetInfo(&a, &b)), printf("memory is free: %d\n", a > 0 && a <= b);
    printf("%lld/8 of L2 may persist; asked for 16 MB: kept %d, for more than there is: at most that %d\n", 8ll * most / l2, kept, bounded);
}
