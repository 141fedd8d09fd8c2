// The launch entry point that programs used before, with a kernel without parameters and one with many.
// flags: -Xcompiler -D__NV_LEGACY_LAUNCH
// fast
// expect: 36
// expect: 77
#include "common.h"
__device__ int v;
__global__ void none() { v = 77; }
__global__ void many(int *p, char a, short b, long long c, float d, double e, int f, char g, char h) {
    *p = (int)(a + b + c + (int)d + (int)e + f + g + h);
}
int main() {
    int *d, h;
    CK(cudaMalloc(&d, 4));
    many<<<1, 1>>>(d, 1, 2, 3, 4.0f, 5.0, 6, 7, 8);
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost)), printf("%d\n", h);
    none<<<1, 1>>>();
    CK(cudaMemcpyFromSymbol(&h, v, 4)), printf("%d\n", h);
}
