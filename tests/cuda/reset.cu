// After a reset the device is as at the start: memory gone, variables initial.
// expect: 5
// expect: cudaErrorInvalidValue
// expect: 1
// expect: 2
#include "common.h"
__device__ int v = 1;
__global__ void set(int x) { v = x; }
static void show() {
    int h;
    CK(cudaMemcpyFromSymbol(&h, v, 4)), printf("%d\n", h);
}
int main() {
    int *d, h = 0;
    CK(cudaMalloc(&d, 4));
    set<<<1, 1>>>(5);
    show();
    CK(cudaDeviceReset());
    NAME(cudaMemcpy(d, &h, 4, cudaMemcpyHostToDevice));
    show();
    set<<<1, 1>>>(2);
    show();
}
