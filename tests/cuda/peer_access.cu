// Two devices of one kind: a kernel of one reads, writes and updates the other's memory once that is enabled; the calls' errors; copies between
// devices; each device's own streams and memory.
// Right natively on two GPUs with a link.
// device: sim:h200,sim:h200
// sim only
// expect: 2 devices, 1 1 0
// expect: enabled cudaSuccess cudaErrorPeerAccessAlreadyEnabled
// expect: itself cudaErrorPeerAccessUnsupported flags cudaErrorInvalidValue disable cudaErrorPeerAccessNotEnabled
// expect: sum 2016
// expect: written 7 updated 128
// expect: memory of device 0 and 1
// expect: copied 2016 through 100
// expect: attributes 1
// expect: disabled cudaSuccess cudaErrorPeerAccessNotEnabled
// expect: of a pool 63
#include "common.h"
__global__ void iota(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void use(const int *theirs, int *mine, int *word) { // all of it there: read, write, atomics
    int v = theirs[threadIdx.x];
    atomicAdd(mine, v);
    if (threadIdx.x == 0) word[0] = 7;
    atomicAdd(&word[1], 2);
}
int main() {
    int n, can[3], *p[2], *q, h[2];
    CK(cudaGetDeviceCount(&n));
    CK(cudaDeviceCanAccessPeer(&can[0], 0, 1)), CK(cudaDeviceCanAccessPeer(&can[1], 1, 0)), CK(cudaDeviceCanAccessPeer(&can[2], 0, 0));
    printf("%d devices, %d %d %d\n", n, can[0], can[1], can[2]);
    for (int d = 0; d < 2; d++) CK(cudaSetDevice(d)), CK(cudaMalloc(&p[d], 256)), CK(cudaMemset(p[d], 0, 256));
    CK(cudaMalloc(&q, 8)), CK(cudaMemset(q, 0, 8)), CK(cudaDeviceSynchronize());
    iota<<<1, 64>>>(p[1]);
    CK(cudaDeviceSynchronize()), CK(cudaSetDevice(0));
    printf("enabled %s", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
    printf(" %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)));
    printf("itself %s", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    printf(" flags %s", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 1)));
    CK(cudaSetDevice(1)), printf(" disable %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(0))), CK(cudaSetDevice(0));
    cudaGetLastError();
    use<<<1, 64>>>(p[1], p[0], q);
    CK(cudaDeviceSynchronize()), CK(cudaMemcpy(h, p[0], 4, cudaMemcpyDeviceToHost)), printf("sum %d\n", h[0]);
    CK(cudaMemcpy(h, q, 8, cudaMemcpyDefault)), printf("written %d updated %d\n", h[0], h[1]);
    cudaPointerAttributes a[2];
    CK(cudaPointerGetAttributes(&a[0], p[0])), CK(cudaPointerGetAttributes(&a[1], p[1]));
    printf("memory of device %d and %d\n", a[0].device, a[1].device);
    cudaStream_t s;
    CK(cudaStreamCreate(&s)), CK(cudaMemcpyPeerAsync(q, 1, p[0], 0, 4, s)), CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(&h[0], q, 4, cudaMemcpyDeviceToHost));
    h[1] = 100;
    CK(cudaMemcpy(p[0], &h[1], 4, cudaMemcpyDefault)), CK(cudaMemcpy(p[1], p[0], 4, cudaMemcpyDefault));
    h[1] = 0, CK(cudaMemcpy(&h[1], p[1], 4, cudaMemcpyDefault)), printf("copied %d through %d\n", h[0], h[1]);
    CK(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 1)), printf("attributes %d\n", n);
    printf("disabled %s", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
    printf(" %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(1)));
    cudaMemPool_t pool; // whose memory has access of its own
    cudaMemAccessDesc give = {};
    give.location.type = cudaMemLocationTypeDevice, give.location.id = 0, give.flags = cudaMemAccessFlagsProtReadWrite;
    CK(cudaDeviceGetDefaultMemPool(&pool, 1)), CK(cudaMemPoolSetAccess(pool, &give, 1));
    CK(cudaSetDevice(1)), CK(cudaMallocAsync(&q, 256, 0)), CK(cudaDeviceSynchronize()), CK(cudaSetDevice(0));
    iota<<<1, 64>>>(q);
    CK(cudaDeviceSynchronize()), CK(cudaMemcpy(h, q + 63, 4, cudaMemcpyDefault)), printf("of a pool %d\n", h[0]);
}
