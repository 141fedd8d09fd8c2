// What a capture refuses, and what becomes of it.
// fast
// expect: malloc cudaErrorStreamCaptureUnsupported
// expect: end cudaErrorStreamCaptureInvalidated
// expect: sync cudaErrorStreamCaptureUnsupported
// expect: launch cudaErrorStreamCaptureInvalidated
// expect: end cudaErrorStreamCaptureInvalidated
// expect: default stream cudaErrorStreamCaptureImplicit
// expect: end cudaErrorStreamCaptureInvalidated
// expect: blocking copy cudaErrorStreamCaptureImplicit
// expect: end cudaErrorStreamCaptureInvalidated
// expect: end without begin cudaErrorIllegalState
// expect: begin on the default stream cudaErrorStreamCaptureUnsupported
// expect: relaxed malloc cudaSuccess
// expect: end cudaSuccess
// expect: unjoined cudaErrorStreamCaptureUnjoined
#include "common.h"
__global__ void k(int *p) { *p = 1; }
#define SAY(what, e) printf("%s %s\n", what, cudaGetErrorName(e))
int main() {
    int *d, *z, h;
    cudaStream_t s, t;
    cudaGraph_t g;
    cudaEvent_t e;
    auto begin = [&](cudaStreamCaptureMode m) { CK(cudaStreamBeginCapture(s, m)); };
    CK(cudaMalloc(&d, 4)), CK(cudaStreamCreate(&s)), CK(cudaStreamCreate(&t)), CK(cudaEventCreate(&e));
    k<<<1, 1>>>(d);
    CK(cudaDeviceSynchronize());
    begin(cudaStreamCaptureModeGlobal), SAY("malloc", cudaMalloc(&z, 4)), SAY("end", cudaStreamEndCapture(s, &g));
    begin(cudaStreamCaptureModeGlobal), SAY("sync", cudaStreamSynchronize(s));
    cudaGetLastError();
    k<<<1, 1, 0, s>>>(d), SAY("launch", cudaGetLastError()), SAY("end", cudaStreamEndCapture(s, &g));
    cudaGetLastError();
    begin(cudaStreamCaptureModeGlobal);
    k<<<1, 1>>>(d), SAY("default stream", cudaGetLastError()), SAY("end", cudaStreamEndCapture(s, &g));
    begin(cudaStreamCaptureModeGlobal), SAY("blocking copy", cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost)), SAY("end", cudaStreamEndCapture(s, &g));
    SAY("end without begin", cudaStreamEndCapture(s, &g));
    SAY("begin on the default stream", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    begin(cudaStreamCaptureModeRelaxed), SAY("relaxed malloc", cudaMalloc(&z, 4)), SAY("end", cudaStreamEndCapture(s, &g));
    begin(cudaStreamCaptureModeGlobal), CK(cudaEventRecord(e, s)), CK(cudaStreamWaitEvent(t, e));
    k<<<1, 1, 0, t>>>(d), SAY("unjoined", cudaStreamEndCapture(s, &g));
}
