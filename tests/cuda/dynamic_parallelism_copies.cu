// Copies that a kernel asks for, in order in its stream, done when the grid is complete.
// flags: -rdc=true
// expect: copied 5 5 5 5
#include "common.h"

__global__ void copies(int *o) {
    cudaMemcpyAsync(o + 1, o, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(o + 2, o, 8, cudaMemcpyDeviceToDevice, 0);
}

int main() {
    int *d, h[4] = {5};
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    copies<<<1, 1>>>(d);
    CK(cudaGetLastError()), CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("copied %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    CK(cudaFree(d));
}
