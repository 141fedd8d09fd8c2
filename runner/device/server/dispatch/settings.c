/* Settings of a device; peers. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/stream.h"
#include "runner/device/sim/profile.h"
#include "runner/device/gpu/gpu.h"

/* ---- settings */

cudaError_t dev_on_cudaDeviceSetLimit(dev_call *k, const struct wire_in_cudaDeviceSetLimit *in,
                                      struct wire_out_cudaDeviceSetLimit *out) {
    (void)out;
    if (in->limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
    if (in->limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    uint64_t v = in->value;
    /* Rounding and limits of the hardware's driver. */
    if (in->limit == cudaLimitStackSize && v > 512 << 10) return cudaErrorInvalidValue;
    const struct {
        uint64_t least, step;
    } round[] = {[cudaLimitStackSize] = {16, 16},
                 [cudaLimitPrintfFifoSize] = {512 << 10, 256},
                 [cudaLimitMallocHeapSize] = {4 << 20, 64 << 10}}; /* measured on an H100 */
    if (in->limit < sizeof round / sizeof *round) {
        uint64_t step = round[in->limit].step;
        if (v < round[in->limit].least) v = round[in->limit].least;
        if (v <= UINT64_MAX - step) v = (v + step - 1) / step * step;
    }
    if (in->limit == cudaLimitMaxL2FetchGranularity) v = v <= 32 ? 32 : v <= 64 ? 64 : 128;
    if (in->limit == cudaLimitPersistingL2CacheSize) {
        int most = 0;
        dev_query_attribute(k->c, k->device, GPU_ATTR_MaxPersistingL2CacheSize, &most);
        if (v > (uint64_t)most) v = (uint64_t)most;
    }
    if (in->limit == cudaLimitMallocHeapSize) { /* of device malloc() */
        uint64_t old = k->c->context[k->device].limit[in->limit];
        if (v > old && !dev_hold(k->c, v - old)) return cudaErrorMemoryAllocation;
        if (HW(dev_hw(k->c, k->device), limit, cudaLimitMallocHeapSize, v)) {
            if (v > old) dev_let_go(k->c, v - old);
            return cudaErrorInvalidValue;
        }
        if (v < old) dev_let_go(k->c, old - v);
    }
    k->c->context[k->device].limit[in->limit] = v;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceGetLimit(dev_call *k, const struct wire_in_cudaDeviceGetLimit *in,
                                      struct wire_out_cudaDeviceGetLimit *out) {
    if (in->limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
    if (in->limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    out->pValue = k->c->context[k->device].limit[in->limit];
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceSetCacheConfig(dev_call *k,
                                            const struct wire_in_cudaDeviceSetCacheConfig *in,
                                            struct wire_out_cudaDeviceSetCacheConfig *out) {
    (void)out;
    if (in->cacheConfig > 3) return cudaErrorInvalidValue;
    k->c->context[k->device].cache_config = (int)in->cacheConfig;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceGetCacheConfig(dev_call *k,
                                            const struct wire_in_cudaDeviceGetCacheConfig *in,
                                            struct wire_out_cudaDeviceGetCacheConfig *out) {
    (void)in;
    out->pCacheConfig = (uint64_t)k->c->context[k->device].cache_config;
    return cudaSuccess;
}

cudaError_t
dev_on_cudaDeviceSetSharedMemConfig(dev_call *k,
                                    const struct wire_in_cudaDeviceSetSharedMemConfig *in,
                                    struct wire_out_cudaDeviceSetSharedMemConfig *out) {
    (void)k, (void)out;
    return in->config > 2 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t
dev_on_cudaDeviceGetSharedMemConfig(dev_call *k,
                                    const struct wire_in_cudaDeviceGetSharedMemConfig *in,
                                    struct wire_out_cudaDeviceGetSharedMemConfig *out) {
    (void)k, (void)in;
    out->pConfig = 1; /* four-byte banks */
    return cudaSuccess;
}

cudaError_t
dev_on_cudaCtxResetPersistingL2Cache(dev_call *k,
                                     const struct wire_in_cudaCtxResetPersistingL2Cache *in,
                                     struct wire_out_cudaCtxResetPersistingL2Cache *out) {
    (void)k, (void)in, (void)out;
    return cudaSuccess;
}

/* ---- peers */

cudaError_t dev_on_cudaDeviceCanAccessPeer(dev_call *k,
                                           const struct wire_in_cudaDeviceCanAccessPeer *in,
                                           struct wire_out_cudaDeviceCanAccessPeer *out) {
    if (in->device >= k->c->s->count || in->peerDevice >= k->c->s->count)
        return cudaErrorInvalidDevice;
    out->canAccessPeer = dev_linked(k->c->s, (unsigned)in->device, (unsigned)in->peerDevice);
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceEnablePeerAccess(dev_call *k,
                                              const struct wire_in_cudaDeviceEnablePeerAccess *in,
                                              struct wire_out_cudaDeviceEnablePeerAccess *out) {
    (void)out;
    if (in->peerDevice >= k->c->s->count) return cudaErrorInvalidDevice;
    if (in->flags) return cudaErrorInvalidValue;
    /* also for itself, as on an H200 */
    if (in->peerDevice == k->device || !dev_linked(k->c->s, k->device, (unsigned)in->peerDevice))
        return cudaErrorPeerAccessUnsupported;
    unsigned bit = 1u << in->peerDevice;
    if (k->c->context[k->device].peers & bit) return cudaErrorPeerAccessAlreadyEnabled;
    k->c->context[k->device].peers |= bit;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceDisablePeerAccess(dev_call *k,
                                               const struct wire_in_cudaDeviceDisablePeerAccess *in,
                                               struct wire_out_cudaDeviceDisablePeerAccess *out) {
    (void)out;
    if (in->peerDevice >= k->c->s->count) return cudaErrorInvalidDevice;
    unsigned bit = 1u << in->peerDevice;
    if (!(k->c->context[k->device].peers & bit)) return cudaErrorPeerAccessNotEnabled;
    if (dev_wait(k, NULL)) return cudaSuccess;
    k->c->context[k->device].peers &= ~bit;
    return cudaSuccess;
}

cudaError_t dev_on_cudaDeviceGetP2PAttribute(dev_call *k,
                                             const struct wire_in_cudaDeviceGetP2PAttribute *in,
                                             struct wire_out_cudaDeviceGetP2PAttribute *out) {
    enum { PERFORMANCE_RANK = 1, ACCESS, NATIVE_ATOMICS, ARRAYS, PARTIAL_ATOMICS };
    if (in->srcDevice >= k->c->s->count || in->dstDevice >= k->c->s->count ||
        in->srcDevice == in->dstDevice)
        return cudaErrorInvalidDevice;
    if (in->attr < PERFORMANCE_RANK || in->attr > PARTIAL_ATOMICS) return cudaErrorInvalidValue;
    bool linked = dev_linked(k->c->s, (unsigned)in->srcDevice, (unsigned)in->dstDevice);
    out->value = linked && (in->attr == ACCESS || (in->attr == NATIVE_ATOMICS &&
                                                   k->c->s->device[in->srcDevice].profile->nvlink));
    return cudaSuccess;
}
