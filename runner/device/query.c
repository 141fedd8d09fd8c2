/* Questions about a device, answered from its profile. */
#include "runner/device/answer.h"
#include "runner/sim/profile.h"

#include <stdio.h>
#include <string.h>

static bool attribute(const dev_client *c, unsigned device, uint64_t number, int *out) {
    const sim_profile *p = c->s->device[device].profile;
    switch (number) {
#define ATTR(n, value)                                                                             \
    case n:                                                                                        \
        *out = (int)(value);                                                                       \
        return true;
#include "runner/device/attributes.def"
#undef ATTR
    default: return false;
    }
}

cudaError_t dev_on_cudaDeviceGetAttribute(dev_call *k,
                                          const struct wire_in_cudaDeviceGetAttribute *in,
                                          struct wire_out_cudaDeviceGetAttribute *out) {
    int v;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (!attribute(k->c, (unsigned)in->device, in->attr, &v)) return cudaErrorInvalidValue;
    out->value = (uint64_t)(int64_t)v;
    return cudaSuccess;
}

cudaError_t dev_on_cudaGetDeviceProperties(dev_call *k,
                                           const struct wire_in_cudaGetDeviceProperties *in,
                                           struct wire_out_cudaGetDeviceProperties *out) {
    (void)out;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    unsigned d = (unsigned)in->device;
    const sim_profile *p = k->c->s->device[d].profile;
    struct cudaDeviceProp q = {0};
    uint64_t free_bytes, total;
    HW(dev_hw(k->c, d), info, &free_bytes, &total);
    snprintf(q.name, sizeof q.name, "%s", p->marketing);
    memcpy(q.uuid.bytes, "warplab device ", 15);
    q.uuid.bytes[15] = (char)d;
    q.totalGlobalMem = total;
    q.sharedMemPerBlock = p->shared_block;
    q.memPitch = 0x7fffffff;
    q.totalConstMem = 65536;
    q.textureAlignment = 512;
    q.texturePitchAlignment = 32;
    q.surfaceAlignment = 512;
    q.sharedMemPerMultiprocessor = p->shared_sm;
    q.sharedMemPerBlockOptin = p->shared_block_optin;
    q.reservedSharedMemPerBlock = p->shared_reserved;
    /* The rest are attributes under another name. */
    const struct {
        int *field;
        unsigned number;
    } same[] = {{&q.regsPerBlock, 12},
                {&q.warpSize, 10},
                {&q.maxThreadsPerBlock, 1},
                {&q.maxThreadsDim[0], 2},
                {&q.maxThreadsDim[1], 3},
                {&q.maxThreadsDim[2], 4},
                {&q.maxGridSize[0], 5},
                {&q.maxGridSize[1], 6},
                {&q.maxGridSize[2], 7},
                {&q.major, 75},
                {&q.minor, 76},
                {&q.multiProcessorCount, 16},
                {&q.integrated, 18},
                {&q.canMapHostMemory, 19},
                {&q.maxTexture1D, 21},
                {&q.maxTexture1DMipmap, 77},
                {&q.maxTexture2D[0], 22},
                {&q.maxTexture2D[1], 23},
                {&q.maxTexture2DMipmap[0], 73},
                {&q.maxTexture2DMipmap[1], 74},
                {&q.maxTexture2DLinear[0], 70},
                {&q.maxTexture2DLinear[1], 71},
                {&q.maxTexture2DLinear[2], 72},
                {&q.maxTexture2DGather[0], 45},
                {&q.maxTexture2DGather[1], 46},
                {&q.maxTexture3D[0], 24},
                {&q.maxTexture3D[1], 25},
                {&q.maxTexture3D[2], 26},
                {&q.maxTexture3DAlt[0], 47},
                {&q.maxTexture3DAlt[1], 48},
                {&q.maxTexture3DAlt[2], 49},
                {&q.maxTextureCubemap, 52},
                {&q.maxTexture1DLayered[0], 42},
                {&q.maxTexture1DLayered[1], 43},
                {&q.maxTexture2DLayered[0], 27},
                {&q.maxTexture2DLayered[1], 28},
                {&q.maxTexture2DLayered[2], 29},
                {&q.maxTextureCubemapLayered[0], 53},
                {&q.maxTextureCubemapLayered[1], 54},
                {&q.maxSurface1D, 55},
                {&q.maxSurface2D[0], 56},
                {&q.maxSurface2D[1], 57},
                {&q.maxSurface3D[0], 58},
                {&q.maxSurface3D[1], 59},
                {&q.maxSurface3D[2], 60},
                {&q.maxSurface1DLayered[0], 61},
                {&q.maxSurface1DLayered[1], 62},
                {&q.maxSurface2DLayered[0], 63},
                {&q.maxSurface2DLayered[1], 64},
                {&q.maxSurface2DLayered[2], 65},
                {&q.maxSurfaceCubemap, 66},
                {&q.maxSurfaceCubemapLayered[0], 67},
                {&q.maxSurfaceCubemapLayered[1], 68},
                {&q.concurrentKernels, 31},
                {&q.ECCEnabled, 32},
                {&q.pciBusID, 33},
                {&q.pciDeviceID, 34},
                {&q.pciDomainID, 50},
                {&q.tccDriver, 35},
                {&q.asyncEngineCount, 40},
                {&q.unifiedAddressing, 41},
                {&q.memoryBusWidth, 37},
                {&q.l2CacheSize, 38},
                {&q.persistingL2CacheMaxSize, 108},
                {&q.maxThreadsPerMultiProcessor, 39},
                {&q.streamPrioritiesSupported, 78},
                {&q.globalL1CacheSupported, 79},
                {&q.localL1CacheSupported, 80},
                {&q.regsPerMultiprocessor, 82},
                {&q.managedMemory, 83},
                {&q.isMultiGpuBoard, 84},
                {&q.multiGpuBoardGroupID, 85},
                {&q.hostNativeAtomicSupported, 86},
                {&q.pageableMemoryAccess, 88},
                {&q.concurrentManagedAccess, 89},
                {&q.computePreemptionSupported, 90},
                {&q.canUseHostPointerForRegisteredMem, 91},
                {&q.cooperativeLaunch, 95},
                {&q.pageableMemoryAccessUsesHostPageTables, 100},
                {&q.directManagedMemAccessFromHost, 101},
                {&q.maxBlocksPerMultiProcessor, 106},
                {&q.accessPolicyMaxWindowSize, 109},
                {&q.hostRegisterSupported, 99},
                {&q.sparseCudaArraySupported, 112},
                {&q.hostRegisterReadOnlySupported, 113},
                {&q.timelineSemaphoreInteropSupported, 114},
                {&q.memoryPoolsSupported, 115},
                {&q.gpuDirectRDMASupported, 116},
                {&q.deferredMappingCudaArraySupported, 121},
                {&q.ipcEventSupported, 125},
                {&q.clusterLaunch, 120},
                {&q.deviceNumaConfig, 130},
                {&q.deviceNumaId, 131},
                {&q.mpsEnabled, 133},
                {&q.hostNumaId, 134}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        attribute(k->c, d, same[i].number, same[i].field);
    return dev_answer(k, &q, sizeof q);
}

cudaError_t dev_on_cudaDeviceGetByPCIBusId(dev_call *k,
                                           const struct wire_in_cudaDeviceGetByPCIBusId *in,
                                           struct wire_out_cudaDeviceGetByPCIBusId *out) {
    char text[32];
    unsigned domain = 0, bus = 0, dev = 0, fn = 0;
    (void)in;
    if (k->span_bytes[0] >= sizeof text) return cudaErrorInvalidValue;
    memcpy(text, k->span[0], k->span_bytes[0]);
    text[k->span_bytes[0]] = 0;
    if (sscanf(text, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) < 3 &&
        sscanf(text, "%x:%x.%x", &bus, &dev, &fn) < 2)
        return cudaErrorInvalidValue;
    if (!bus || bus > k->c->s->count || dev) return cudaErrorInvalidDevice;
    out->device = bus - 1;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceGetTexture1DLinearMaxWidth(
    dev_call *k, const struct wire_in_cudaDeviceGetTexture1DLinearMaxWidth *in,
    struct wire_out_cudaDeviceGetTexture1DLinearMaxWidth *out) {
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (k->span_bytes[0] != sizeof(struct cudaChannelFormatDesc)) return cudaErrorInvalidValue;
    out->maxWidthInElements = 268435456;
    return cudaSuccess;
}
