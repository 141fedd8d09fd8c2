// Advice and prefetch are taken and can be asked for; other memory refuses them.
// expect: 1
// expect: 0
// expect: 0
// expect: cudaErrorInvalidValue
// expect: cudaErrorInvalidValue
// expect: 42
#include "common.h"
__global__ void k(int *p) { p[1] = p[0] + 1; }
int main() {
    int *m, *d, v;
    size_t n = 2 << 20;
    cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
    CK(cudaMallocManaged(&m, n)), CK(cudaMalloc(&d, 64));
    CK(cudaMemAdvise(m, n, cudaMemAdviseSetReadMostly, gpu));
    CK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, m, n));
    printf("%d\n", v);
    CK(cudaMemAdvise(m, n, cudaMemAdviseUnsetReadMostly, gpu));
    CK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, m, n));
    printf("%d\n", v);
    CK(cudaMemAdvise(m, n, cudaMemAdviseSetPreferredLocation, gpu));
    CK(cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, m, n));
    printf("%d\n", v);
    NAME(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, gpu));
    NAME(cudaMemPrefetchAsync(d, 64, gpu, 0));
    m[0] = 41;
    CK(cudaMemPrefetchAsync(m, n, gpu, 0));
    k<<<1, 1>>>(m);
    CK(cudaMemPrefetchAsync(m, n, cpu, 0));
    CK(cudaDeviceSynchronize());
    printf("%d\n", m[1]);
}
