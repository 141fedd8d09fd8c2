// A __managed__ variable is one for all devices; without __managed__ each device has its own.
// device: sim:h200,sim:t4
// sim only
// expect: 7
// expect: 11 1
// expect: 20
// expect: 25 5
#include "common.h"
__managed__ int x = 3;
__device__ int y = 4;
__global__ void k() { x += y, y++; }
static void on(int device) {
    CK(cudaSetDevice(device));
    k<<<1, 1>>>();
    CK(cudaDeviceSynchronize());
}
int main() {
    int *p, v = 20;
    on(0), printf("%d\n", x);
    on(1), CK(cudaGetSymbolAddress((void **)&p, x));
    printf("%d %d\n", x, p == &x);
    CK(cudaMemcpyToSymbol(x, &v, sizeof v)), printf("%d\n", x);
    on(0);
    CK(cudaMemcpyFromSymbol(&v, y, sizeof v)); // 6 after two steps on this device
    printf("%d %d\n", x, v - 1);
}
