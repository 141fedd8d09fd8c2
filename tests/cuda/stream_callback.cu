// cudaStreamAddCallback: the older form; it must not call CUDA itself.
// expect: callback: cudaSuccess 9
// expect: inside: cudaErrorNotPermitted
#include "common.h"
static cudaError_t inside;
static void CUDART_CB done(cudaStream_t, cudaError_t status, void *p) {
    printf("callback: %s %d\n", cudaGetErrorName(status), *(int *)p);
    void *q;
    inside = cudaMalloc(&q, 4);
}
int main() {
    int nine = 9;
    CK(cudaFree(0));
    CK(cudaStreamAddCallback(0, done, &nine, 0));
    CK(cudaStreamSynchronize(0));
    printf("inside: %s\n", cudaGetErrorName(inside));
}
