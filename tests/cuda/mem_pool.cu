// A pool of one's own.
// expect: threshold 0 then 4096
// expect: used 4000, high 4000
// expect: used 0
// expect: cudaErrorInvalidValue
#include "common.h"
int main() {
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    unsigned long long a, b, t = 4096;
    props.allocType = cudaMemAllocationTypePinned, props.location.type = cudaMemLocationTypeDevice, props.location.id = 0;
    CK(cudaMemPoolCreate(&pool, &props));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &a));
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &t));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &b));
    printf("threshold %llu then %llu\n", a, b);
    cudaMemAccessDesc access = {props.location, cudaMemAccessFlagsProtReadWrite};
    CK(cudaMemPoolSetAccess(pool, &access, 1));
    char *p;
    CK(cudaMallocFromPoolAsync(&p, 4000, pool, 0));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &a));
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &b));
    printf("used %llu, high %llu\n", a, b);
    CK(cudaFreeAsync(p, 0)), CK(cudaDeviceSynchronize());
    CK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &a));
    printf("used %llu\n", a);
    CK(cudaMemPoolTrimTo(pool, 0)), CK(cudaMemPoolDestroy(pool));
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    NAME(cudaMemPoolDestroy(pool));
}
