// Sets that a kernel asks for, in order with copies in its stream, done when the grid is complete. On an H100 (CUDA 13.0) cudaMemsetAsync in a kernel answers
// 0, no error comes, and the memory stays as it was: sizes 1 and 4, and the streams 0, cudaStreamFireAndForget, cudaStreamTailLaunch and one that the
// kernel made, for sm_75 and sm_90. The documents do not explain it; what is here rests on them ("Runtime API" of CUDA Dynamic Parallelism).
// sim only
// flags: -rdc=true
// expect: set 5 5 50505
#include "common.h"

__global__ void sets(int *o) {
    cudaMemsetAsync(o, 5, 1, 0);
    cudaMemsetAsync((char *)o + 1, 0, 3, 0);
    cudaMemcpyAsync(o + 1, o, 4, cudaMemcpyDeviceToDevice, 0);
    cudaMemsetAsync(o + 2, 5, 3, 0);
}

int main() {
    int *d, h[3];
    CK(cudaMalloc(&d, sizeof h)), CK(cudaMemset(d, 0, sizeof h));
    sets<<<1, 1>>>(d);
    CK(cudaGetLastError()), CK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    printf("set %d %d %x\n", h[0], h[1], h[2]);
    CK(cudaFree(d));
}
