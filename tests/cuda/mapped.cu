// Memory of the host that kernels use in place.
// fast
// expect: same address: 1
// expect: 0 3 6 9
// expect: flags 2
// expect: not ours: cudaErrorInvalidValue
#include "common.h"
__global__ void k(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }
int main() {
    int *h, *d, local;
    unsigned flags;
    CK(cudaHostAlloc(&h, 64, cudaHostAllocMapped));
    CK(cudaHostGetDevicePointer(&d, h, 0));
    printf("same address: %d\n", d == h);
    k<<<1, 4>>>(d);
    CK(cudaDeviceSynchronize());
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    CK(cudaHostGetFlags(&flags, h));
    printf("flags %u\n", flags);
    printf("not ours: %s\n", cudaGetErrorName(cudaHostGetDevicePointer(&d, &local, 0)));
    CK(cudaFreeHost(h));
}
