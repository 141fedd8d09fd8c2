// An entry point that does not exist says so; the program goes on.
// sim only
// stderr: cudaIpcGetMemHandle is not supported
// expect: cudaErrorNotSupported
// expect: 1
#include "common.h"
int main() {
    cudaIpcMemHandle_t h;
    int *d;
    CK(cudaMalloc(&d, 4));
    NAME(cudaIpcGetMemHandle(&h, d));
    cudaGetLastError();
    printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
}
