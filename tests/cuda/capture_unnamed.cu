// A capture whose graph nobody asks for: cudaStreamEndCapture(stream, nullptr) succeeds and ends it, whether the graph was the program's own or not (as an H200 answers).
// fast
// expect: begun by itself: cudaSuccess, capturing 0
// expect: into a graph: cudaSuccess, capturing 0, 1 node
// expect: not capturing: cudaErrorIllegalState
// expect: invalidated: cudaErrorStreamCaptureInvalidated, capturing 0
// expect: the graph stored 5
#include <cstdio>

__global__ void store(int *p) {
    *p = 5;
}

static int capturing(cudaStream_t s) {
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(s, &status);
    return status;
}

int main() {
    int *d, h = 0;
    size_t n = 0;
    cudaStream_t s;
    cudaGraph_t g;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    store<<<1, 1, 0, s>>>(d);
    cudaError_t e = cudaStreamEndCapture(s, nullptr);
    printf("begun by itself: %s, capturing %d\n", cudaGetErrorName(e), capturing(s));
    cudaGraphCreate(&g, 0);
    cudaStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    store<<<1, 1, 0, s>>>(d);
    e = cudaStreamEndCapture(s, nullptr);
    cudaGraphGetNodes(g, nullptr, &n);
    printf("into a graph: %s, capturing %d, %zu node\n", cudaGetErrorName(e), capturing(s), n);
    printf("not capturing: %s\n", cudaGetErrorName(cudaStreamEndCapture(s, nullptr)));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamSynchronize(s);
    e = cudaStreamEndCapture(s, nullptr);
    printf("invalidated: %s, capturing %d\n", cudaGetErrorName(e), capturing(s));
    cudaGetLastError();
    cudaGraphExec_t x;
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, 0);
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("the graph stored %d\n", h);
    cudaFree(d);
}
