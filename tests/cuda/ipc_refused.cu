// Memory and events of other processes, by handle or from a pool: each call says in one line that it is not there, and the program goes on.
// sim only
// stderr: cudaIpcGetMemHandle is not supported
// stderr: cudaIpcOpenMemHandle is not supported
// stderr: cudaIpcGetEventHandle is not supported
// stderr: cudaMemPoolExportToShareableHandle is not supported
// stderr: cudaMemPoolExportPointer is not supported
// expect: 801 801 801 801 801
// expect: 0
#include "common.h"
int main() {
    cudaIpcMemHandle_t m = {};
    cudaIpcEventHandle_t i;
    cudaMemPoolPtrExportData x;
    cudaMemPool_t pool;
    cudaEvent_t e;
    int *d, fd;
    void *p;
    CK(cudaMalloc(&d, 4)), CK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming)), CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    int a = cudaIpcGetMemHandle(&m, d), b = cudaIpcOpenMemHandle(&p, m, cudaIpcMemLazyEnablePeerAccess), c = cudaIpcGetEventHandle(&i, e);
    int f = cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0), g = cudaMemPoolExportPointer(&x, d);
    printf("%d %d %d %d %d\n", a, b, c, f, g);
    cudaGetLastError();
    printf("%d\n", cudaDeviceSynchronize());
}
