// The program's own memory, registered: kernels use it in place.
// expect: before cudaErrorInvalidValue
// expect: 100 101 102
// expect: twice cudaErrorHostMemoryAlreadyRegistered
// expect: unregister cudaSuccess
// expect: unregister cudaErrorHostMemoryNotRegistered
// expect: still 102, neighbours ok
#include "common.h"
__global__ void k(int *p) { p[threadIdx.x] += 100; }
int main() {
    char *all = (char *)malloc(1 << 20);
    for (int i = 0; i < 1 << 20; i++) all[i] = (char)i;
    int *h = (int *)(all + 4096), *d;
    for (int i = 0; i < 1000; i++) h[i] = i;
    printf("before %s\n", cudaGetErrorName(cudaHostGetDevicePointer(&d, h, 0)));
    CK(cudaHostRegister(h, 4000, cudaHostRegisterMapped));
    CK(cudaHostGetDevicePointer(&d, h, 0));
    k<<<1, 1000>>>(d);
    CK(cudaDeviceSynchronize());
    printf("%d %d %d\n", h[0], h[1], h[2]);
    printf("twice %s\n", cudaGetErrorName(cudaHostRegister(h, 4000, 0)));
    printf("unregister %s\n", cudaGetErrorName(cudaHostUnregister(h)));
    printf("unregister %s\n", cudaGetErrorName(cudaHostUnregister(h)));
    bool ok = true;
    for (int i = 0; i < 4096; i++) ok &= all[i] == (char)i && all[i + 8192] == (char)i;
    printf("still %d, neighbours %s\n", h[2], ok ? "ok" : "wrong");
}
