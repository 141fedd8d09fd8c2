// Entry points of the driver by name and version: found and called; a name that there is none of; one from a later version than asked for.
// expect: cuDeviceGetCount 0 at least 1
// expect: cuDeviceTotalMem some
// expect: no such name cudaSuccess 1
#include "common.h"
typedef int (*count_fn)(int *);
typedef int (*memory_fn)(size_t *, int);
int main() {
    void *f = NULL;
    int n = 0;
    size_t bytes = 0;
    cudaDriverEntryPointQueryResult found;
    CK(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &f, 12000, cudaEnableDefault, &found));
    int e = found == cudaDriverEntryPointSuccess ? ((count_fn)f)(&n) : -1;
    printf("cuDeviceGetCount %d at least %d\n", e, n >= 1);
    CK(cudaGetDriverEntryPointByVersion("cuDeviceTotalMem", &f, 12000, cudaEnableDefault, &found));
    e = found == cudaDriverEntryPointSuccess ? ((memory_fn)f)(&bytes, 0) : -1;
    printf("cuDeviceTotalMem %s\n", !e && bytes > (1 << 30) ? "some" : "none");
    f = &n;
    cudaError_t r = cudaGetDriverEntryPointByVersion("cuNoSuchCall", &f, 12000, cudaEnableDefault, &found);
    printf("no such name %s %d\n", cudaGetErrorName(r), found == cudaDriverEntryPointSymbolNotFound && !f);
}
