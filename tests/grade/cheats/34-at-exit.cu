// lab: vector-add
// expect: fail correct
// Works when all is over: in a destructor and at exit.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static const float *la, *lb;
static float *lc;
static int ln;
static void late() { add<<<(ln + 63) / 64, 64>>>(la, lb, lc, ln); cudaDeviceSynchronize(); }
__attribute__((destructor)) static void later() { late(); }
void vector_add(const float *a, const float *b, float *c, int n) {
    if (!la) atexit(late);
    la = a, lb = b, lc = c, ln = n;
}
