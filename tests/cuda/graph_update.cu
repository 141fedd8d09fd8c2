// An instance takes over another graph of the same shape, and refuses one of another.
// expect: 5
// expect: update cudaSuccess 0
// expect: 7
// expect: update cudaErrorGraphExecUpdateFailure 2
// expect: 9
#include "common.h"
__global__ void set(int *p, int v) { *p = v; }
int main() {
    int *d, h;
    cudaStream_t s;
    cudaGraphExec_t x;
    CK(cudaMalloc(&d, 4)), CK(cudaStreamCreate(&s));
    auto capture = [&](int v, int times) {
        cudaGraph_t g;
        CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < times; i++) set<<<1, 1, 0, s>>>(d, v);
        CK(cudaStreamEndCapture(s, &g));
        return g;
    };
    auto run = [&] {
        CK(cudaGraphLaunch(x, s)), CK(cudaStreamSynchronize(s));
        CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
        printf("%d\n", h);
    };
    cudaGraph_t five = capture(5, 1), seven = capture(7, 1), twice = capture(8, 2);
    CK(cudaGraphInstantiate(&x, five, 0));
    run();
    cudaGraphExecUpdateResultInfo info;
    cudaError_t e = cudaGraphExecUpdate(x, seven, &info);
    printf("update %s %d\n", cudaGetErrorName(e), info.result);
    run();
    e = cudaGraphExecUpdate(x, twice, &info);
    printf("update %s %d\n", cudaGetErrorName(e), info.result);
    cudaGetLastError();
    cudaGraphNode_t n;
    size_t one = 1;
    CK(cudaGraphGetNodes(seven, &n, &one));
    CK(cudaGraphExecDestroy(x)), CK(cudaGraphInstantiate(&x, seven, 0));
    int nine = 9;
    void *args[] = {&d, &nine};
    cudaKernelNodeParams k = {};
    k.func = (void *)set, k.gridDim = 1, k.blockDim = 1, k.kernelParams = args;
    CK(cudaGraphExecKernelNodeSetParams(x, n, &k));
    run();
}
