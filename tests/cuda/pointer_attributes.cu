// What an address is.
// fast
// expect: host 0 -2
// expect: device 2 0 1 0
// expect: pinned 1 0 1 1
// expect: managed 3 0 1 1
// expect: symbol 2 0 1 0
// expect: null 0
#include "common.h"
__device__ int v[4];
int main() {
    cudaPointerAttributes a;
    int local, *d, *h, *m, *s;
    CK(cudaMalloc(&d, 64)), CK(cudaMallocHost(&h, 64)), CK(cudaMallocManaged(&m, 64)), CK(cudaGetSymbolAddress((void **)&s, v));
    CK(cudaPointerGetAttributes(&a, &local)), printf("host %d %d\n", a.type, a.device);
    auto show = [&](const char *what, int *p) {
        CK(cudaPointerGetAttributes(&a, p));
        printf("%s %d %d %d %d\n", what, a.type, a.device, a.devicePointer == p, a.hostPointer == p);
    };
    show("device", d + 3), show("pinned", h), show("managed", m + 1), show("symbol", s + 1);
    CK(cudaPointerGetAttributes(&a, NULL)), printf("null %d\n", a.type);
}
