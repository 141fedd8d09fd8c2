// A kernel runs before the host has touched a __managed__ variable; what it wrote is there, and stays after a reset:
// such a variable has the lifetime of the application, one without __managed__ that of the context.
// fast
// sim only
// expect: 8 1
// expect: 8 0 1
// expect: 10 9
#include "common.h"
__managed__ int x = 7;
__device__ int plain;
__global__ void step() { x += 1, plain += 1; }
static int get() {
    int v;
    CK(cudaMemcpyFromSymbol(&v, plain, sizeof v));
    return v;
}
int main() {
    cudaPointerAttributes a;
    step<<<1, 1>>>();
    int n = get();
    printf("%d %d\n", x, n);
    CK(cudaDeviceReset());
    n = get();
    CK(cudaPointerGetAttributes(&a, &x));
    printf("%d %d %d\n", x, n, a.type == cudaMemoryTypeManaged);
    step<<<1, 1>>>();
    step<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
    int old = x--;
    CK(cudaMemcpyFromSymbol(&n, x, sizeof n));
    printf("%d %d\n", old, n);
}
