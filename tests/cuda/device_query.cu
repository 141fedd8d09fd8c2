// Properties and attributes agree, and say what every device since Volta says.
// fast
// expect: devices at least 1: 1
// expect: warp 32, threads 1024, block 1024 1024 64, grid 2147483647 65535 65535
// expect: constant 65536, shared 49152, pitch 2147483647
// expect: unified 1, managed 1, map 1, cooperative 1, pools 1
// expect: properties agree with attributes: 1
// expect: no such device cudaErrorInvalidDevice
// expect: no such attribute cudaErrorInvalidValue
// expect: versions at least 13: 1 1
// expect: pci id finds the device: 0
#include "common.h"
static int at(cudaDeviceAttr a) {
    int v = -1;
    CK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}
int main() {
    int n, a, b;
    cudaDeviceProp p;
    CK(cudaGetDeviceCount(&n));
    printf("devices at least 1: %d\n", n >= 1);
    CK(cudaGetDeviceProperties(&p, 0));
    printf("warp %d, threads %d, block %d %d %d, grid %d %d %d\n", p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1],
           p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("constant %zu, shared %zu, pitch %zu\n", p.totalConstMem, p.sharedMemPerBlock, p.memPitch);
    printf("unified %d, managed %d, map %d, cooperative %d, pools %d\n", p.unifiedAddressing, p.managedMemory, p.canMapHostMemory,
           p.cooperativeLaunch, p.memoryPoolsSupported);
    bool same = p.major == at(cudaDevAttrComputeCapabilityMajor) && p.minor == at(cudaDevAttrComputeCapabilityMinor) &&
                p.multiProcessorCount == at(cudaDevAttrMultiProcessorCount) && p.l2CacheSize == at(cudaDevAttrL2CacheSize) &&
                p.memoryBusWidth == at(cudaDevAttrGlobalMemoryBusWidth) &&
                p.maxThreadsPerMultiProcessor == at(cudaDevAttrMaxThreadsPerMultiProcessor) &&
                p.regsPerBlock == at(cudaDevAttrMaxRegistersPerBlock) &&
                (int)p.sharedMemPerBlockOptin == at(cudaDevAttrMaxSharedMemoryPerBlockOptin) &&
                (int)p.sharedMemPerMultiprocessor == at(cudaDevAttrMaxSharedMemoryPerMultiprocessor) &&
                p.maxBlocksPerMultiProcessor == at(cudaDevAttrMaxBlocksPerMultiprocessor) && p.asyncEngineCount == at(cudaDevAttrAsyncEngineCount);
    printf("properties agree with attributes: %d\n", same);
    printf("no such device %s\n", cudaGetErrorName(cudaDeviceGetAttribute(&a, cudaDevAttrWarpSize, 999)));
    printf("no such attribute %s\n", cudaGetErrorName(cudaDeviceGetAttribute(&a, (cudaDeviceAttr)9999, 0)));
    CK(cudaRuntimeGetVersion(&a)), CK(cudaDriverGetVersion(&b));
    printf("versions at least 13: %d %d\n", a >= 13000, b >= 13000);
    char id[32];
    CK(cudaDeviceGetPCIBusId(id, 32, 0)), CK(cudaDeviceGetByPCIBusId(&a, id));
    printf("pci id finds the device: %d\n", a);
}
