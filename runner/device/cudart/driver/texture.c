/* Arrays, mipmapped arrays, textures and surfaces of the driver API, converted to the runtime's,
 * whose descriptions have the same contents in another form.
 *
 *   CUarray_format, channels <--> cudaChannelFormatDesc
 *   CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC --> cudaResourceDesc, cudaTextureDesc */
#include "runner/device/cudart/driver/driver.h"

#include <string.h>

/* CUarray_format: unsigned from 1, signed from 8 on: 8, 16, 32 bits. */
enum { FORMAT_UNSIGNED = 1, FORMAT_SIGNED = 8, FORMAT_HALF = 0x10, FORMAT_FLOAT = 0x20 };
/* CU_TRSF_* */
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 0x10, SEAMLESS_CUBEMAP = 0x40 };

/* Returns false for a format that arrays here do not have. */
static bool channel_format(int format, unsigned channels, struct cudaChannelFormatDesc *d) {
    int bits = 0;
    *d = (struct cudaChannelFormatDesc){0};
    if (format >= FORMAT_UNSIGNED && format < FORMAT_UNSIGNED + 3) {
        bits = 8 << (format - FORMAT_UNSIGNED), d->f = cudaChannelFormatKindUnsigned;
    } else if (format >= FORMAT_SIGNED && format < FORMAT_SIGNED + 3) {
        bits = 8 << (format - FORMAT_SIGNED), d->f = cudaChannelFormatKindSigned;
    } else if (format == FORMAT_HALF || format == FORMAT_FLOAT) {
        bits = format == FORMAT_HALF ? 16 : 32, d->f = cudaChannelFormatKindFloat;
    }
    if (!bits || (channels != 1 && channels != 2 && channels != 4)) return false;
    d->x = bits, d->y = channels > 1 ? bits : 0, d->z = d->w = channels > 2 ? bits : 0;
    return true;
}

int driver_array_create(cudaArray_t *to, const driver_array_3d *a) {
    struct cudaChannelFormatDesc d;
    if (!to || !a || !channel_format(a->format, a->channels, &d)) return DRIVER_INVALID_VALUE;
    return driver_result(
        cudaMalloc3DArray(to, &d, (struct cudaExtent){a->width, a->height, a->depth}, a->flags));
}

int driver_array_create_2d(cudaArray_t *to, const driver_array_2d *a) {
    if (!a) return DRIVER_INVALID_VALUE;
    const driver_array_3d same = {
        .width = a->width, .height = a->height, .format = a->format, .channels = a->channels};
    return driver_array_create(to, &same);
}

int driver_array_info(driver_array_3d *to, cudaArray_t array) {
    wl_array a = {0};
    if (!to) return DRIVER_INVALID_VALUE;
    cudaError_t e = wl_array_info(array, &a);
    if (e) return driver_result(e);
    int wide = a.desc.x == 8 ? 0 : a.desc.x == 16 ? 1 : 2;
    *to = (driver_array_3d){.width = a.extent.width,
                            .height = a.extent.height,
                            .depth = a.extent.depth,
                            .channels = a.desc.w   ? 4
                                        : a.desc.y ? 2
                                                   : 1,
                            .flags = a.flags};
    to->format = a.desc.f == cudaChannelFormatKindUnsigned ? FORMAT_UNSIGNED + wide
                 : a.desc.f == cudaChannelFormatKindSigned ? FORMAT_SIGNED + wide
                 : a.desc.x == 16                          ? FORMAT_HALF
                                                           : FORMAT_FLOAT;
    return DRIVER_SUCCESS;
}

int driver_array_info_2d(driver_array_2d *to, cudaArray_t array) {
    driver_array_3d a;
    if (!to) return DRIVER_INVALID_VALUE;
    int e = driver_array_info(&a, array);
    if (!e) *to = (driver_array_2d){a.width, a.height, a.format, a.channels};
    return e;
}

int driver_mipmap_create(cudaMipmappedArray_t *to, const driver_array_3d *a, unsigned levels) {
    struct cudaChannelFormatDesc d;
    if (!to || !a || !channel_format(a->format, a->channels, &d)) return DRIVER_INVALID_VALUE;
    return driver_result(cudaMallocMipmappedArray(
        to, &d, (struct cudaExtent){a->width, a->height, a->depth}, levels, a->flags));
}

/* Converts the resource to the runtime's, and finds the format of its texels. */
static int resource_of(const driver_resource *r, struct cudaResourceDesc *to,
                       struct cudaChannelFormatDesc *format) {
    wl_array a = {0};
    cudaError_t e = cudaSuccess;
    *to = (struct cudaResourceDesc){.resType = r->type};
    switch (r->type) {
    case cudaResourceTypeArray:
        to->res.array.array = r->res.array;
        e = wl_array_info(r->res.array, &a);
        break;
    case cudaResourceTypeMipmappedArray: {
        cudaArray_t level = NULL;
        to->res.mipmap.mipmap = r->res.mipmap;
        e = cudaGetMipmappedArrayLevel(&level, r->res.mipmap, 0);
        if (!e) e = wl_array_info(level, &a);
        break;
    }
    case cudaResourceTypeLinear:
        if (!channel_format(r->res.linear.format, r->res.linear.channels, &a.desc))
            return DRIVER_INVALID_VALUE;
        to->res.linear.devPtr = WL_HANDLE(void *, r->res.linear.address);
        to->res.linear.desc = a.desc, to->res.linear.sizeInBytes = r->res.linear.bytes;
        break;
    case cudaResourceTypePitch2D:
        if (!channel_format(r->res.pitch.format, r->res.pitch.channels, &a.desc))
            return DRIVER_INVALID_VALUE;
        to->res.pitch2D.devPtr = WL_HANDLE(void *, r->res.pitch.address);
        to->res.pitch2D.desc = a.desc, to->res.pitch2D.width = r->res.pitch.width,
        to->res.pitch2D.height = r->res.pitch.height,
        to->res.pitch2D.pitchInBytes = r->res.pitch.pitch;
        break;
    default: return DRIVER_INVALID_VALUE;
    }
    *format = a.desc;
    return driver_result(e);
}

int driver_texture_create(uint64_t *to, const driver_resource *r, const driver_texture *t,
                          const struct cudaResourceViewDesc *view) {
    struct cudaResourceDesc resource;
    struct cudaChannelFormatDesc format;
    if (!to || !r || !t || r->flags) return DRIVER_INVALID_VALUE;
    int e = resource_of(r, &resource, &format);
    if (e) return e;
    struct cudaTextureDesc d = {.filterMode = t->filter,
                                .sRGB = (t->flags & SRGB) != 0,
                                .normalizedCoords = (t->flags & NORMALIZED_COORDINATES) != 0,
                                .maxAnisotropy = t->anisotropy,
                                .mipmapFilterMode = t->mipmap_filter,
                                .mipmapLevelBias = t->bias,
                                .minMipmapLevelClamp = t->low,
                                .maxMipmapLevelClamp = t->high,
                                .seamlessCubemap = (t->flags & SEAMLESS_CUBEMAP) != 0};
    memcpy(d.addressMode, t->address, sizeof d.addressMode);
    memcpy(d.borderColor, t->border, sizeof d.borderColor);
    /* "This flag does not apply to 32-bit integer formats", which are read unchanged */
    d.readMode = t->flags & READ_AS_INTEGER || format.x == 32 ? cudaReadModeElementType
                                                              : cudaReadModeNormalizedFloat;
    return driver_result(cudaCreateTextureObject(to, &resource, &d, view));
}

int driver_surface_create(uint64_t *to, const driver_resource *r) {
    struct cudaResourceDesc resource;
    struct cudaChannelFormatDesc format;
    if (!to || !r || r->flags) return DRIVER_INVALID_VALUE;
    int e = resource_of(r, &resource, &format);
    return e ? e : driver_result(cudaCreateSurfaceObject(to, &resource));
}

/* ---- copies with an array on one side, or both */

static void *place_start(const driver_place *p) {
    uint8_t *base = p->type == DRIVER_HOST ? p->host : WL_HANDLE(uint8_t *, p->device);
    return base ? base + p->y * p->pitch + p->x : NULL;
}

int driver_memcpy_array(const driver_copy_2d *c, bool async, cudaStream_t s) {
    const driver_place *to = &c->to, *from = &c->from;
    size_t w = c->width, h = c->height;
    bool into = to->type == DRIVER_ARRAY, out = from->type == DRIVER_ARRAY;
    if (into && out) { /* there is no asynchronous one, so it first waits for the stream */
        cudaError_t e = async ? cudaStreamSynchronize(s) : cudaSuccess;
        return driver_result(e ? e
                               : cudaMemcpy2DArrayToArray(to->array, to->x, to->y, from->array,
                                                          from->x, from->y, w, h,
                                                          cudaMemcpyDeviceToDevice));
    }
    const driver_place *other = into ? from : to;
    size_t pitch = other->pitch ? other->pitch : w;
    void *at = place_start(other);
    if (into)
        return driver_result(async ? cudaMemcpy2DToArrayAsync(to->array, to->x, to->y, at, pitch, w,
                                                              h, cudaMemcpyDefault, s)
                                   : cudaMemcpy2DToArray(to->array, to->x, to->y, at, pitch, w, h,
                                                         cudaMemcpyDefault));
    return driver_result(async ? cudaMemcpy2DFromArrayAsync(at, pitch, from->array, from->x,
                                                            from->y, w, h, cudaMemcpyDefault, s)
                               : cudaMemcpy2DFromArray(at, pitch, from->array, from->x, from->y, w,
                                                       h, cudaMemcpyDefault));
}
