// Grids and blocks of three dimensions.
// fast
// expect: 2520 ok
#include "common.h"
__global__ void k(int *p) {
    int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int i = b * blockDim.x * blockDim.y * blockDim.z + t;
    p[i] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x + 10000 * threadIdx.y + 100000 * threadIdx.z;
}
int main() {
    static int h[2520];
    int *d, bad = 0, i = 0;
    CK(cudaMalloc(&d, sizeof h));
    k<<<dim3(2, 3, 4), dim3(5, 7, 3)>>>(d);
    CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 2; x++)
                for (int c = 0; c < 3; c++)
                    for (int b = 0; b < 7; b++)
                        for (int a = 0; a < 5; a++) bad += h[i++] != x + 10 * y + 100 * z + 1000 * a + 10000 * b + 100000 * c;
    printf("%d %s\n", i, bad ? "wrong" : "ok");
}
