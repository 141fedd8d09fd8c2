// Variables of the device: initial values, copies both ways, addresses, sizes.
// fast
// expect: 1 2 3 4
// expect: 10 20 30 40
// expect: 16 8
// expect: 5 20 30 7
// expect: 2.5
#include "common.h"
__device__ int table[4] = {1, 2, 3, 4};
__device__ double scale = 2.5;
__global__ void tenfold() { table[threadIdx.x] *= 10; }
static void show() {
    int h[4];
    CK(cudaMemcpyFromSymbol(h, table, sizeof h));
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
}
int main() {
    show();
    tenfold<<<1, 4>>>();
    show();
    size_t a, b;
    CK(cudaGetSymbolSize(&a, table)), CK(cudaGetSymbolSize(&b, scale));
    printf("%zu %zu\n", a, b);
    int five = 5, seven = 7, *p;
    CK(cudaMemcpyToSymbol(table, &five, 4));
    CK(cudaGetSymbolAddress((void **)&p, table));
    CK(cudaMemcpy(p + 3, &seven, 4, cudaMemcpyHostToDevice));
    show();
    double s;
    CK(cudaMemcpyFromSymbol(&s, scale, 8));
    printf("%g\n", s);
}
