// A stream's work captured and launched many times.
// fast
// expect: nothing ran yet: 0
// expect: nodes 22
// expect: 2000
// expect: capturing 1 then 0
#include "common.h"
__global__ void add(int *p, int v) { *p += v; }
int main() {
    int *d, h;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaStreamCaptureStatus a, b;
    CK(cudaMalloc(&d, 4)), CK(cudaMemset(d, 0, 4)), CK(cudaStreamCreate(&s));
    int *pin;
    CK(cudaMallocHost(&pin, 4)), *pin = 0;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(cudaStreamIsCapturing(s, &a));
    for (int i = 0; i < 20; i++) add<<<1, 1, 0, s>>>(d, 1);
    CK(cudaMemcpyAsync(pin, d, 4, cudaMemcpyDeviceToHost, s));
    CK(cudaMemsetAsync(d + 0, 0, 0, s));
    add<<<1, 1, 0, s>>>(d, 0);
    CK(cudaStreamEndCapture(s, &g));
    CK(cudaStreamIsCapturing(s, &b));
    CK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    printf("nothing ran yet: %d\n", h);
    size_t n;
    CK(cudaGraphGetNodes(g, NULL, &n));
    printf("nodes %zu\n", n);
    CK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 100; i++) CK(cudaGraphLaunch(x, s));
    CK(cudaStreamSynchronize(s));
    printf("%d\ncapturing %d then %d\n", *pin, a, b);
}
