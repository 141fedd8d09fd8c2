// Rows padded to the alignment that a device wants.
// fast
// expect: 512 1024 512
// expect: 12 ok
#include "common.h"
__global__ void mark(char *p, size_t pitch, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w / 4 && y < h) ((int *)(p + y * pitch))[x] = y * 100 + x;
}
int main() {
    char *p, *q;
    size_t a, b, c;
    CK(cudaMallocPitch(&p, &a, 100, 12)), CK(cudaMallocPitch(&q, &b, 513, 3)), CK(cudaMallocPitch(&q, &c, 512, 3));
    printf("%zu %zu %zu\n", a, b, c);
    mark<<<12, 32>>>(p, a, 100, 12);
    int h[12][25], bad = 0;
    CK(cudaMemcpy2D(h, 100, p, a, 100, 12, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 25; x++) bad += h[y][x] != y * 100 + x;
    printf("12 %s\n", bad ? "wrong" : "ok");
}
