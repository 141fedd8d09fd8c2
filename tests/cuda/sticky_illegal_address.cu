// A kernel's bad store breaks the context: the launch succeeds, the next wait says why, and so does every call from then on.
// expect: launch cudaSuccess
// expect: sync cudaErrorIllegalAddress
// expect: last cudaErrorIllegalAddress
// expect: last again cudaSuccess
// expect: malloc cudaErrorIllegalAddress
// expect: launch cudaErrorIllegalAddress
// expect: an illegal memory access was encountered
// finding: oob
#include "common.h"
__global__ void bad(int *p) { p[(1ll << 36) + threadIdx.x] = 1; }
#define SAY(what, e) printf("%s %s\n", what, cudaGetErrorName(e))
int main() {
    int *d;
    CK(cudaMalloc(&d, 4));
    bad<<<1, 1>>>(d);
    SAY("launch", cudaGetLastError());
    SAY("sync", cudaDeviceSynchronize());
    SAY("last", cudaGetLastError());
    SAY("last again", cudaGetLastError());
    SAY("malloc", cudaMalloc(&d, 4));
    bad<<<1, 1>>>(d);
    SAY("launch", cudaGetLastError());
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
