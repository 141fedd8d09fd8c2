// Calls through a table of device functions, and virtual ones.
// expect: 7 12 -1 81
// expect: shapes 12 25
#include "common.h"
typedef int (*op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int power(int a, int b) { return b ? a * power(a, b - 1) : 1; }
__device__ op table[4] = {add, mul, sub, power};
__global__ void k(int *o) { o[threadIdx.x] = table[threadIdx.x](3, 4); }
struct shape { __device__ virtual int area() const = 0; };
struct box : shape { int a, b; __device__ box(int x, int y) : a(x), b(y) {} __device__ int area() const override { return a * b; } };
struct square : shape { int a; __device__ square(int x) : a(x) {} __device__ int area() const override { return a * a; } };
__global__ void shapes(int *o) {
    shape *s = threadIdx.x ? (shape *)new square(5) : (shape *)new box(3, 4);
    o[threadIdx.x] = s->area();
    delete s;
}
int main() {
    int *d, h[4];
    CK(cudaMalloc(&d, 16));
    k<<<1, 4>>>(d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)), printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    shapes<<<1, 2>>>(d);
    CK(cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost)), printf("shapes %d %d\n", h[0], h[1]);
}
