// What a launch from a kernel can do wrong: configurations, functions and places that are none, more launches than the limit, a handle that no stream
// has; errors are each thread's own. A call that is not there is refused by name.
// sim only
// flags: -rdc=true
// expect: configuration 9 function 98 again 0 no error cudaErrorInvalidConfiguration
// expect: place 1 twice 1 stream 400 flags 1
// expect: 20 of 24, error 69
// expect: an event of the device
// expect: each thread 9 0
// expect: cudaErrorNotSupported
// stderr: cudaDeviceGetAttribute in a kernel is not supported
#include "common.h"
__global__ void put(int *o, int v) { *o = v; }
__global__ void wrong(int *o) {
    put<<<1, 2048>>>(o, 1);
    o[1] = cudaGetLastError();
    o[2] = cudaGetParameterBufferV2((void *)o, 1, 1, 0) ? 0 : cudaGetLastError();
    printf("configuration %d function %d again %d %s %s\n", o[1], o[2], cudaGetLastError(), cudaGetErrorString(cudaSuccess),
           cudaGetErrorName(cudaErrorInvalidConfiguration));
    int place = cudaLaunchDeviceV2(o, 0);
    void *p = cudaGetParameterBufferV2((void *)put, 1, 1, 0);
    *(int **)p = o, ((int *)p)[2] = 5;
    cudaLaunchDeviceV2(p, 0);
    int twice = cudaLaunchDeviceV2(p, 0);
    put<<<1, 1, 0, (cudaStream_t)777777>>>(o, 1);
    int stream = cudaGetLastError();
    cudaStream_t s;
    printf("place %d twice %d stream %d flags %d\n", place, twice, stream, cudaStreamCreateWithFlags(&s, 0));
}
__global__ void add(int *o) { atomicAdd(o, 1); }
__global__ void many(int *o) {
    for (int i = 0; i < 24; i++) {
        add<<<1, 1>>>(o);
        if (cudaPeekAtLastError()) o[1] = cudaPeekAtLastError();
    }
}
__global__ void each(int *o) {
    __shared__ cudaEvent_t e;
    add<<<1, threadIdx.x ? 1 : 2048>>>(o);
    o[threadIdx.x + 1] = cudaGetLastError();
    if (threadIdx.x == 0) cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaEventRecord(e, 0), cudaStreamWaitEvent(0, e, 0), cudaEventDestroy(e);
    __syncthreads();
    if (threadIdx.x == 1 && e) printf("an event of the device\n");
}
__global__ void ask(int *o) { cudaDeviceGetAttribute(o, cudaDevAttrWarpSize, 0); }
int main() {
    int *d, h[4];
    CK(cudaMalloc(&d, 16)), CK(cudaMemset(d, 0, 16));
    wrong<<<1, 1>>>(d);
    CK(cudaDeviceSynchronize());
    CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 20)), CK(cudaMemset(d, 0, 16));
    many<<<1, 1>>>(d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)), printf("%d of 24, error %d\n", h[0], h[1]);
    each<<<1, 2>>>(d);
    CK(cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost)), printf("each thread %d %d\n", h[1], h[2]);
    ask<<<1, 1>>>(d);
    NAME(cudaDeviceSynchronize());
}
