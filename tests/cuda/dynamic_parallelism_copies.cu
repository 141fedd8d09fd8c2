// Copies and sets that a kernel asks for, in order in its stream, done when the grid is complete. An H100 leaves all four words 0 and says nothing of an
// error, which the documents do not explain; what is here rests on them ("Memory Declarations", "Runtime API" of CUDA Dynamic Parallelism).
// sim only
// flags: -rdc=true
// expect: copied 5 5 5 5
#include "common.h"

__global__ void copies(int *o) {
    cudaMemsetAsync(o, 5, 1, 0);
    cudaMemsetAsync((char *)o + 1, 0, 3, 0);
    cudaMemcpyAsync(o + 1, o, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(o + 2, o, 8, cudaMemcpyDeviceToDevice, 0);
}

int main() {
    int *d, h[4];
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemset(d, 0, sizeof h));
    copies<<<1, 1>>>(d);
    CK(cudaGetLastError()), CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("copied %d %d %d %d\n", h[0], h[1], h[2], h[3]);
    CK(cudaFree(d));
}
