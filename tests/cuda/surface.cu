// A surface: written by one kernel, read by another.
// expect: 256 ok
#include "common.h"
__global__ void put(cudaSurfaceObject_t s) { surf2Dwrite<int>(threadIdx.y * 16 + threadIdx.x, s, threadIdx.x * 4, threadIdx.y); }
__global__ void get(cudaSurfaceObject_t s, int *p) { p[threadIdx.y * 16 + threadIdx.x] = 2 * surf2Dread<int>(s, threadIdx.x * 4, threadIdx.y); }
int main() {
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    int *d, h[256], bad = 0;
    CK(cudaMallocArray(&a, &f, 16, 16, cudaArraySurfaceLoadStore)), CK(cudaMalloc(&d, sizeof h));
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    CK(cudaCreateSurfaceObject(&s, &r));
    put<<<1, dim3(16, 16)>>>(s);
    get<<<1, dim3(16, 16)>>>(s, d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) bad += h[i] != 2 * i;
    printf("256 %s\n", bad ? "wrong" : "ok");
    CK(cudaDestroySurfaceObject(s));
}
