// Managed memory: one pointer for both sides.
// fast
// expect: 499500
// expect: 1998
// expect: cudaErrorInvalidValue
#include "common.h"
__global__ void twice(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] *= 2;
}
int main() {
    int *p, s = 0;
    CK(cudaMallocManaged(&p, 4000));
    for (int i = 0; i < 1000; i++) p[i] = i;
    for (int i = 0; i < 1000; i++) s += p[i];
    printf("%d\n", s);
    twice<<<1, 128>>>(p, 1000);
    CK(cudaDeviceSynchronize());
    printf("%d\n", p[999]);
    CK(cudaFree(p));
    NAME(cudaMallocManaged(&p, 64, 3));
}
