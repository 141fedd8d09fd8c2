// A thread that allocates more than its stack holds.
// arch: sm_90
// sim only
// expect: cudaErrorHardwareStackError
// finding: stack
// stderr: allocates 1,032 bytes, but its stack of 1,024 bytes (cudaLimitStackSize) has 1,024 left
#include "common.h"
#include <alloca.h>
__global__ void most(int bytes, int *to) {
    int *p = (int *)alloca(bytes);
    for (int i = 0; i < bytes / 4; i++) p[i] = i;
    *to = p[*to];
}
int main() {
    int *d;
    CK(cudaMalloc(&d, 4)), CK(cudaMemset(d, 0, 4));
    most<<<1, 32>>>(1024, d);
    CK(cudaDeviceSynchronize());
    most<<<1, 32>>>(1032, d);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
