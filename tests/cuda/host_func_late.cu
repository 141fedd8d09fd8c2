// A host function that waits for the program: cudaLaunchHostFunc has returned long before, and queries say so.
// expect: cudaErrorNotReady
// expect: cudaErrorNotReady
// expect: 7
// expect: cudaSuccess
#include "common.h"
#include <atomic>
static std::atomic<int> go;
static void CUDART_CB wait(void *) { while (!go) {} }
__global__ void set(int *p) { *p = 7; }
int main() {
    cudaStream_t s;
    cudaEvent_t e;
    int *d, h = 0;
    CK(cudaMalloc(&d, 4)), CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)), CK(cudaEventCreate(&e));
    set<<<1, 1, 0, s>>>(d); // loaded now: loading waits for the device
    CK(cudaStreamSynchronize(s)), CK(cudaMemset(d, 0, 4)), CK(cudaDeviceSynchronize());
    CK(cudaLaunchHostFunc(s, wait, NULL));
    set<<<1, 1, 0, s>>>(d);
    CK(cudaEventRecord(e, s));
    NAME(cudaStreamQuery(s));
    NAME(cudaEventQuery(e));
    go = 1;
    CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", h);
    NAME(cudaEventQuery(e));
}
