/* Queries about a device, answered from its profile. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/gpu/gpu.h"
#include "runner/device/sim/profile.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool dev_query_attribute(const dev_client *c, unsigned device, uint64_t number, int *out) {
    const sim_profile *p = c->s->device[device].profile;
    switch (number) {
#define ATTR(n, name, value)                                                                       \
    case n:                                                                                        \
        *out = (int)(value);                                                                       \
        return true;
#include "runner/device/gpu/attributes.def"
#undef ATTR
    default: return false;
    }
}

cudaError_t dev_on_cudaDeviceGetAttribute(dev_call *k,
                                          const struct wire_in_cudaDeviceGetAttribute *in,
                                          struct wire_out_cudaDeviceGetAttribute *out) {
    int v;
    if (in->device >= k->c->s->count) return cudaErrorInvalidDevice;
    if (!dev_query_attribute(k->c, (unsigned)in->device, in->attr, &v))
        return cudaErrorInvalidValue;
    out->value = (uint64_t)(int64_t)v;
    return cudaSuccess;
}

/* Properties that are attributes under another name. */
#define FIELD(field, attribute)                                                                    \
    { offsetof(struct cudaDeviceProp, field), GPU_ATTR_##attribute }
typedef struct {
    size_t field;
    unsigned attribute;
} query_field;
static const query_field query_sizes[] =
    {/* size_t */
     FIELD(sharedMemPerBlock, MaxSharedMemoryPerBlock),
     FIELD(memPitch, MaxPitch),
     FIELD(totalConstMem, TotalConstantMemory),
     FIELD(textureAlignment, TextureAlignment),
     FIELD(texturePitchAlignment, TexturePitchAlignment),
     FIELD(surfaceAlignment, SurfaceAlignment),
     FIELD(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor),
     FIELD(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin),
     FIELD(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)};
static const query_field query_ints[] = {
    FIELD(regsPerBlock, MaxRegistersPerBlock),
    FIELD(warpSize, WarpSize),
    FIELD(maxThreadsPerBlock, MaxThreadsPerBlock),
    FIELD(maxThreadsDim[0], MaxBlockDimX),
    FIELD(maxThreadsDim[1], MaxBlockDimY),
    FIELD(maxThreadsDim[2], MaxBlockDimZ),
    FIELD(maxGridSize[0], MaxGridDimX),
    FIELD(maxGridSize[1], MaxGridDimY),
    FIELD(maxGridSize[2], MaxGridDimZ),
    FIELD(major, ComputeCapabilityMajor),
    FIELD(minor, ComputeCapabilityMinor),
    FIELD(multiProcessorCount, MultiProcessorCount),
    FIELD(integrated, Integrated),
    FIELD(canMapHostMemory, CanMapHostMemory),
    FIELD(maxTexture1D, MaxTexture1DWidth),
    FIELD(maxTexture1DMipmap, MaxTexture1DMipmappedWidth),
    FIELD(maxTexture2D[0], MaxTexture2DWidth),
    FIELD(maxTexture2D[1], MaxTexture2DHeight),
    FIELD(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth),
    FIELD(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight),
    FIELD(maxTexture2DLinear[0], MaxTexture2DLinearWidth),
    FIELD(maxTexture2DLinear[1], MaxTexture2DLinearHeight),
    FIELD(maxTexture2DLinear[2], MaxTexture2DLinearPitch),
    FIELD(maxTexture2DGather[0], MaxTexture2DGatherWidth),
    FIELD(maxTexture2DGather[1], MaxTexture2DGatherHeight),
    FIELD(maxTexture3D[0], MaxTexture3DWidth),
    FIELD(maxTexture3D[1], MaxTexture3DHeight),
    FIELD(maxTexture3D[2], MaxTexture3DDepth),
    FIELD(maxTexture3DAlt[0], MaxTexture3DWidthAlt),
    FIELD(maxTexture3DAlt[1], MaxTexture3DHeightAlt),
    FIELD(maxTexture3DAlt[2], MaxTexture3DDepthAlt),
    FIELD(maxTextureCubemap, MaxTextureCubemapWidth),
    FIELD(maxTexture1DLayered[0], MaxTexture1DLayeredWidth),
    FIELD(maxTexture1DLayered[1], MaxTexture1DLayeredLayers),
    FIELD(maxTexture2DLayered[0], MaxTexture2DLayeredWidth),
    FIELD(maxTexture2DLayered[1], MaxTexture2DLayeredHeight),
    FIELD(maxTexture2DLayered[2], MaxTexture2DLayeredLayers),
    FIELD(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth),
    FIELD(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers),
    FIELD(maxSurface1D, MaxSurface1DWidth),
    FIELD(maxSurface2D[0], MaxSurface2DWidth),
    FIELD(maxSurface2D[1], MaxSurface2DHeight),
    FIELD(maxSurface3D[0], MaxSurface3DWidth),
    FIELD(maxSurface3D[1], MaxSurface3DHeight),
    FIELD(maxSurface3D[2], MaxSurface3DDepth),
    FIELD(maxSurface1DLayered[0], MaxSurface1DLayeredWidth),
    FIELD(maxSurface1DLayered[1], MaxSurface1DLayeredLayers),
    FIELD(maxSurface2DLayered[0], MaxSurface2DLayeredWidth),
    FIELD(maxSurface2DLayered[1], MaxSurface2DLayeredHeight),
    FIELD(maxSurface2DLayered[2], MaxSurface2DLayeredLayers),
    FIELD(maxSurfaceCubemap, MaxSurfaceCubemapWidth),
    FIELD(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth),
    FIELD(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers),
    FIELD(concurrentKernels, ConcurrentKernels),
    FIELD(ECCEnabled, EccEnabled),
    FIELD(pciBusID, PciBusId),
    FIELD(pciDeviceID, PciDeviceId),
    FIELD(pciDomainID, PciDomainId),
    FIELD(tccDriver, TccDriver),
    FIELD(asyncEngineCount, AsyncEngineCount),
    FIELD(unifiedAddressing, UnifiedAddressing),
    FIELD(memoryBusWidth, GlobalMemoryBusWidth),
    FIELD(l2CacheSize, L2CacheSize),
    FIELD(persistingL2CacheMaxSize, MaxPersistingL2CacheSize),
    FIELD(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor),
    FIELD(streamPrioritiesSupported, StreamPrioritiesSupported),
    FIELD(globalL1CacheSupported, GlobalL1CacheSupported),
    FIELD(localL1CacheSupported, LocalL1CacheSupported),
    FIELD(regsPerMultiprocessor, MaxRegistersPerMultiprocessor),
    FIELD(managedMemory, ManagedMemory),
    FIELD(isMultiGpuBoard, IsMultiGpuBoard),
    FIELD(multiGpuBoardGroupID, MultiGpuBoardGroupID),
    FIELD(hostNativeAtomicSupported, HostNativeAtomicSupported),
    FIELD(pageableMemoryAccess, PageableMemoryAccess),
    FIELD(concurrentManagedAccess, ConcurrentManagedAccess),
    FIELD(computePreemptionSupported, ComputePreemptionSupported),
    FIELD(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem),
    FIELD(cooperativeLaunch, CooperativeLaunch),
    FIELD(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables),
    FIELD(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost),
    FIELD(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor),
    FIELD(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize),
    FIELD(hostRegisterSupported, HostRegisterSupported),
    FIELD(sparseCudaArraySupported, SparseCudaArraySupported),
    FIELD(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported),
    FIELD(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported),
    FIELD(memoryPoolsSupported, MemoryPoolsSupported),
    FIELD(gpuDirectRDMASupported, GPUDirectRDMASupported),
    FIELD(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported),
    FIELD(ipcEventSupported, IpcEventSupport),
    FIELD(clusterLaunch, ClusterLaunch),
    FIELD(deviceNumaConfig, NumaConfig),
    FIELD(deviceNumaId, NumaId),
    FIELD(mpsEnabled, MpsEnabled),
    FIELD(hostNumaId, HostNumaId)};

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
    for (size_t i = 0; i < sizeof query_sizes / sizeof *query_sizes; i++) {
        int v = 0;
        dev_query_attribute(k->c, d, query_sizes[i].attribute, &v);
        *(size_t *)((char *)&q + query_sizes[i].field) = (size_t)v;
    }
    for (size_t i = 0; i < sizeof query_ints / sizeof *query_ints; i++)
        dev_query_attribute(k->c, d, query_ints[i].attribute,
                            (int *)((char *)&q + query_ints[i].field));
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
    int v = 0;
    dev_query_attribute(k->c, (unsigned)in->device, GPU_ATTR_MaxTexture1DLinearWidth, &v);
    out->maxWidthInElements = (uint64_t)v;
    return cudaSuccess;
}
