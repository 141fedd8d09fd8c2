// Initialised variables, pointers among them, and structs with alignment.
// fast
// expect: 3 5 hello 2.5
// expect: 20 1
#include "common.h"
struct __align__(16) item { int a; double b; };
__device__ int x = 3;
__device__ int *px = &x;
__device__ const char *text = "hello";
__device__ item items[2] = {{5, 1.0}, {6, 2.5}};
__global__ void k(int *o, char *s, double *f) {
    o[0] = *px, o[1] = items[0].a, *f = items[1].b;
    for (int i = 0; i < 6; i++) s[i] = text[i];
    *px = 20, o[2] = (size_t)&items[1] % 16 == 0;
}
int main() {
    int *d, h[3], v;
    char *c, s[6];
    double *f, g;
    CK(cudaMalloc(&d, 12)), CK(cudaMalloc(&c, 8)), CK(cudaMalloc(&f, 8));
    k<<<1, 1>>>(d, c, f);
    CK(cudaMemcpy(h, d, 12, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(s, c, 6, cudaMemcpyDeviceToHost)), CK(cudaMemcpy(&g, f, 8, cudaMemcpyDeviceToHost));
    CK(cudaMemcpyFromSymbol(&v, x, 4));
    printf("%d %d %s %g\n%d %d\n", h[0], h[1], s, g, v, h[2]);
}
