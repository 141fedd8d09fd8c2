// Two devices: each its own memory, kernels and variables; copies between them.
// device: sim:h200,sim:t4
// sim only
// expect: 2 devices
// expect: capability 9.0 and 7.5
// expect: v is 1 and 2
// expect: 100 + 5 over the link
// expect: peer access 0 cudaErrorPeerAccessUnsupported
// expect: a stream of the other device cudaErrorInvalidResourceHandle
#include "common.h"
__device__ int v;
__global__ void set(int x) { v = x; }
__global__ void add(int *p, int x) { *p += x; }
int main() {
    int n, a, b, *p[2], h;
    cudaDeviceProp q[2];
    CK(cudaGetDeviceCount(&n)), printf("%d devices\n", n);
    for (int i = 0; i < 2; i++) {
        CK(cudaGetDeviceProperties(&q[i], i)), CK(cudaSetDevice(i)), CK(cudaMalloc(&p[i], 4));
        set<<<1, 1>>>(i + 1);
        CK(cudaGetLastError());
    }
    printf("capability %d.%d and %d.%d\n", q[0].major, q[0].minor, q[1].major, q[1].minor);
    CK(cudaSetDevice(0)), CK(cudaMemcpyFromSymbol(&a, v, 4)), CK(cudaSetDevice(1)), CK(cudaMemcpyFromSymbol(&b, v, 4));
    printf("v is %d and %d\n", a, b);
    h = 100;
    CK(cudaMemcpy(p[0], &h, 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpyPeer(p[1], 1, p[0], 0, 4));
    add<<<1, 1>>>(p[1], 5);
    CK(cudaMemcpy(p[0], p[1], 4, cudaMemcpyDefault)), CK(cudaMemcpy(&h, p[0], 4, cudaMemcpyDeviceToHost));
    printf("100 + %d over the link\n", h - 100);
    CK(cudaDeviceCanAccessPeer(&a, 0, 1));
    printf("peer access %d %s\n", a, cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    cudaStream_t s;
    cudaGetLastError();
    CK(cudaSetDevice(0)), CK(cudaStreamCreate(&s)), CK(cudaSetDevice(1));
    cudaEvent_t e;
    CK(cudaEventCreate(&e));
    printf("a stream of the other device %s\n", cudaGetErrorName(cudaEventRecord(e, s)));
}
