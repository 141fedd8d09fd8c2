/* Calls that the library answers by itself: errors, the current device, versions, channel
 * descriptions, the profiler's switches; and a few small calls whose arguments need care. */
#include "runner/device/cudart/client.h"

#include <stdio.h>
#include <string.h>

/* ---- errors */

WL_EXPORT const char *cudaGetErrorName(cudaError_t e);
const char *cudaGetErrorName(cudaError_t e) {
    switch (e) {
#define ERR(name, code, text)                                                                      \
    case code:                                                                                     \
        return #name;
#include "runner/device/cudart/errors.def"
#undef ERR
    default: return "unrecognized error code";
    }
}
WL_EXPORT const char *cudaGetErrorString(cudaError_t e);
const char *cudaGetErrorString(cudaError_t e) {
    switch (e) {
#define ERR(name, code, text)                                                                      \
    case code:                                                                                     \
        return text;
#include "runner/device/cudart/errors.def"
#undef ERR
    default: return "unrecognized error code";
    }
}
WL_EXPORT cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaPeekAtLastError(void) {
    return wl_self()->last;
}
WL_EXPORT cudaError_t cudaGetLastError(void);
cudaError_t cudaGetLastError(void) {
    cudaError_t e = wl_self()->last;
    wl_self()->last = cudaSuccess;
    return e;
}

/* ---- devices and versions */

enum { VERSION = 13000 };
WL_EXPORT cudaError_t cudaDriverGetVersion(int *v);
cudaError_t cudaDriverGetVersion(int *v) {
    if (v) *v = VERSION;
    return wl_result(v ? cudaSuccess : cudaErrorInvalidValue);
}
WL_EXPORT cudaError_t cudaRuntimeGetVersion(int *v);
cudaError_t cudaRuntimeGetVersion(int *v) {
    if (v) *v = VERSION;
    return wl_result(v ? cudaSuccess : cudaErrorInvalidValue);
}
WL_EXPORT cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDeviceCount(int *n) {
    cudaError_t e = wl_connect();
    if (!n) return wl_result(cudaErrorInvalidValue);
    *n = e ? 0 : (int)wl_devices();
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDevice(int device) {
    cudaError_t e = wl_connect();
    if (e) return wl_result(e);
    if (device < 0 || device >= (int)wl_devices()) return wl_result(cudaErrorInvalidDevice);
    wl_self()->device = device;
    return cudaSuccess;
}
WL_EXPORT cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDevice(int *device) {
    cudaError_t e = wl_connect();
    if (!device) return wl_result(cudaErrorInvalidValue);
    if (!e) *device = wl_self()->device;
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    cudaError_t e = wl_connect();
    return wl_result(e                                           ? e
                     : device < 0 || device >= (int)wl_devices() ? cudaErrorInvalidDevice
                                                                 : cudaSuccess);
}
WL_EXPORT cudaError_t cudaSetValidDevices(int *devices, int n);
cudaError_t cudaSetValidDevices(int *devices, int n) {
    cudaError_t e = wl_connect();
    for (int i = 0; !e && i < n; i++)
        if (!devices || devices[i] < 0 || devices[i] >= (int)wl_devices())
            e = cudaErrorInvalidDevice;
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    cudaError_t e = wl_connect();
    if (!device || !prop) e = cudaErrorInvalidValue;
    if (!e) *device = 0;
    return wl_result(e);
}
static unsigned device_flags[16];
WL_EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    cudaError_t e = wl_connect();
    if (!e && ((flags & 7) == 3 || (flags & 7) > 4 || flags & ~(unsigned)cudaDeviceMask))
        e = cudaErrorInvalidValue;
    if (!e) __atomic_store_n(&device_flags[wl_self()->device & 15], flags, __ATOMIC_RELAXED);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    cudaError_t e = flags ? wl_connect() : cudaErrorInvalidValue;
    if (!e)
        *flags = __atomic_load_n(&device_flags[wl_self()->device & 15], __ATOMIC_RELAXED) |
                 cudaDeviceMapHost;
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceReset(void) {
    wl_call c;
    WL_BEGIN(&c, DeviceReset, 0);
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    if (!e) wl_kernels_reset(wl_self()->device);
    if (!e && wl_devices() == 1) wl_host_reset();
    return wl_result(e);
}
/* Bus ids are the server's device numbers: 0000:DD:00.0 */
WL_EXPORT cudaError_t cudaDeviceGetPCIBusId(char *id, int n, int device);
cudaError_t cudaDeviceGetPCIBusId(char *id, int n, int device) {
    cudaError_t e = wl_connect();
    if (e) return wl_result(e);
    if (!id || n < 13) return wl_result(cudaErrorInvalidValue);
    if (device < 0 || device >= (int)wl_devices()) return wl_result(cudaErrorInvalidDevice);
    snprintf(id, (size_t)n, "0000:%02X:00.0", (unsigned)(device + 1) & 0xff);
    return cudaSuccess;
}

/* A profiler records every launch anyway. */
WL_EXPORT cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStart(void) {
    return wl_result(wl_connect());
}
WL_EXPORT cudaError_t cudaProfilerStop(void);
cudaError_t cudaProfilerStop(void) {
    return wl_result(wl_connect());
}

WL_EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);
cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    if (!mode || *mode < 0 || *mode > 2) return wl_result(cudaErrorInvalidValue);
    int was = wl_self()->capture_mode;
    wl_self()->capture_mode = *mode;
    *mode = was;
    return cudaSuccess;
}

WL_EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    wl_call c;
    if (!ms) return wl_result(cudaErrorInvalidValue);
    struct wire_in_EventElapsed *in = WL_BEGIN(&c, EventElapsed, 0);
    in->start = WL_U64(start), in->end = WL_U64(end);
    cudaError_t e = wl_send(&c);
    if (!e) {
        uint32_t bits = (uint32_t)WL_OUT(&c, EventElapsed)->bits;
        memcpy(ms, &bits, sizeof *ms);
    }
    wl_end(&c);
    return wl_result(e);
}

/* ---- arrays and textures */

WL_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static cudaError_t array_create(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                size_t w, size_t h, size_t d, unsigned flags) {
    wl_call c;
    if (!array || !desc) return wl_result(cudaErrorInvalidValue);
    struct wire_in_ArrayCreate *in = WL_BEGIN(&c, ArrayCreate, 0);
    in->width = w, in->height = h, in->depth = d, in->flags = flags;
    wl_span(&c, desc, sizeof *desc);
    cudaError_t e = wl_send(&c);
    if (!e) *array = WL_HANDLE(cudaArray_t, WL_OUT(&c, ArrayCreate)->array);
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                      size_t w, size_t h, unsigned flags);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t w,
                            size_t h, unsigned flags) {
    return array_create(array, desc, w, h, 0, flags);
}
WL_EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                                        const struct cudaChannelFormatDesc *desc,
                                        struct cudaExtent x, unsigned flags);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent x, unsigned flags) {
    return array_create(array, desc, x.width, x.height, x.depth, flags);
}

WL_DEFINE(cudaMallocMipmappedArray,
          (cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *desc,
           struct cudaExtent x, unsigned levels, unsigned flags),
          {
              wl_call c;
              if (!array || !desc) return wl_result(cudaErrorInvalidValue);
              struct wire_in_MipmapCreate *in = WL_BEGIN(&c, MipmapCreate, 0);
              in->width = x.width, in->height = x.height, in->depth = x.depth;
              in->levels = levels, in->flags = flags;
              wl_span(&c, desc, sizeof *desc);
              cudaError_t e = wl_send(&c);
              if (!e) *array = WL_HANDLE(cudaMipmappedArray_t, WL_OUT(&c, MipmapCreate)->mipmap);
              wl_end(&c);
              return wl_result(e);
          })

cudaError_t wl_array_info(cudaArray_t a, wl_array *out) {
    wl_call c;
    struct wire_in_ArrayInfo *in = WL_BEGIN(&c, ArrayInfo, 0);
    in->array = WL_U64(a);
    cudaError_t e = wl_send(&c);
    if (!e) {
        const struct wire_out_ArrayInfo *o = WL_OUT(&c, ArrayInfo);
        out->extent = (struct cudaExtent){o->width, o->height, o->depth};
        out->flags = (unsigned)o->flags;
        if (c.spans && c.span_bytes[0] == sizeof out->desc)
            memcpy(&out->desc, c.span[0], sizeof out->desc);
        out->element = (unsigned)(out->desc.x + out->desc.y + out->desc.z + out->desc.w) / 8;
    }
    wl_end(&c);
    return e;
}
WL_EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                                       struct cudaExtent *extent, unsigned *flags,
                                       cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array) {
    wl_array a = {0};
    cudaError_t e = wl_array_info(array, &a);
    if (!e && desc) *desc = a.desc;
    if (!e && extent) *extent = a.extent;
    if (!e && flags) *flags = a.flags;
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_t array) {
    return desc ? cudaArrayGetInfo(desc, NULL, NULL, array) : wl_result(cudaErrorInvalidValue);
}

WL_EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const struct cudaResourceViewDesc *view);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view) {
    wl_call c;
    if (!object || !resource || !texture) return wl_result(cudaErrorInvalidValue);
    WL_BEGIN(&c, TextureCreate, 0);
    wl_span(&c, resource, sizeof *resource);
    wl_span(&c, texture, sizeof *texture);
    wl_span(&c, view, view ? sizeof *view : 0);
    cudaError_t e = wl_send(&c);
    if (!e) *object = WL_OUT(&c, TextureCreate)->object;
    wl_end(&c);
    return wl_result(e);
}

/* ---- pools */

WL_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attr, void *value);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attr, void *value) {
    wl_call c;
    if (!value) return wl_result(cudaErrorInvalidValue);
    struct wire_in_MemPoolSet *in = WL_BEGIN(&c, MemPoolSet, 0);
    in->pool = WL_U64(pool), in->attr = WL_U64(attr);
    if (attr <= cudaMemPoolReuseAllowInternalDependencies) in->value = WL_U64(*(int *)value);
    else in->value = *(uint64_t *)value;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attr, void *value) {
    wl_call c;
    if (!value) return wl_result(cudaErrorInvalidValue);
    struct wire_in_MemPoolGet *in = WL_BEGIN(&c, MemPoolGet, 0);
    in->pool = WL_U64(pool), in->attr = WL_U64(attr);
    cudaError_t e = wl_send(&c);
    if (!e && attr <= cudaMemPoolReuseAllowInternalDependencies)
        *(int *)value = (int)WL_OUT(&c, MemPoolGet)->value;
    else if (!e) *(uint64_t *)value = WL_OUT(&c, MemPoolGet)->value;
    wl_end(&c);
    return wl_result(e);
}
WL_EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                           size_t n);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t n) {
    cudaError_t e = list || !n ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; !e && i < n; i++) {
        wl_call c;
        if (list[i].location.type != cudaMemLocationTypeDevice)
            return wl_result(cudaErrorInvalidValue);
        struct wire_in_MemPoolAccess *in = WL_BEGIN(&c, MemPoolAccess, 0);
        in->pool = WL_U64(pool), in->device = WL_U64(list[i].location.id),
        in->flags = WL_U64(list[i].flags);
        e = wl_send(&c);
        wl_end(&c);
    }
    return wl_result(e);
}
