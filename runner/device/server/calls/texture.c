/* Textures and surfaces: converts the runtime's descriptions to the device's. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t handle; /* the device's handle, which kernels get */
    unsigned device;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
} dev_view;

static dev_view *view_of(dev_client *c, dev_kind kind, uint64_t handle, uint64_t *object) {
    for (size_t i = 0; i < c->objects.count; i++) {
        dev_view *v = c->objects.slot[i].object;
        if (c->objects.slot[i].kind != kind || v->handle != handle) continue;
        if (object) *object = dev_object_handle(c, i);
        return v;
    }
    return NULL;
}

void dev_texture_free(dev_client *c, void *object) {
    dev_view *v = object;
    HW(dev_hw(c, v->device), texture_free, v->handle);
    free(v);
}

/* Reads a format: 1, 2 or 4 channels of one width. */
static bool texture_format(const struct cudaChannelFormatDesc *d, sim_texture *t) {
    int n = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
    if (n == 3 || (n > 1 && d->y != d->x) || (n > 2 && (d->z != d->x || d->w != d->x)))
        return false;
    if ((d->x != 8 && d->x != 16 && d->x != 32) || d->f < 0 || d->f > cudaChannelFormatKindFloat)
        return false;
    if (d->f == cudaChannelFormatKindFloat && d->x == 8) return false;
    t->channels = (uint8_t)n, t->bits = (uint8_t)d->x;
    t->kind = d->f == cudaChannelFormatKindSigned     ? SIM_TEX_SIGNED
              : d->f == cudaChannelFormatKindUnsigned ? SIM_TEX_UNSIGNED
                                                      : SIM_TEX_FLOAT;
    return true;
}

bool dev_array_texture(const dev_array *a, sim_texture *t) {
    t->base = a->base, t->pitch = a->pitch, t->slice = a->pitch * (a->height ? a->height : 1);
    t->width = (uint32_t)a->width, t->height = (uint32_t)a->height, t->depth = (uint32_t)a->depth;
    t->block_linear = true;
    t->layered = a->flags & cudaArrayLayered;
    t->cubemap = a->flags & cudaArrayCubemap, t->gather = a->flags & cudaArrayTextureGather;
    return texture_format(&a->desc, t);
}

static cudaError_t texture_array(dev_call *k, const dev_array *a, sim_texture *t) {
    if (!a || !dev_mem_find(k->c, a->base) || a->device != k->device)
        return cudaErrorInvalidResourceHandle;
    return dev_array_texture(a, t) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

static cudaError_t texture_mipmap(dev_call *k, uint64_t handle, sim_texture *t) {
    const dev_mipmap *m = dev_object(k->c, handle, DEV_MIPMAP);
    if (!m) return cudaErrorInvalidResourceHandle;
    t->levels = (uint8_t)m->levels;
    return texture_array(k, &m->all, t);
}

/* Reads how levels are chosen: the fields of cudaTextureDesc for mipmapped arrays only. */
static cudaError_t texture_levels(dev_client *c, const struct cudaTextureDesc *x, sim_texture *t) {
    lib_word_id why = !x->normalizedCoords   ? W_SERVER_LEVELS_NOT_NORMALISED
                      : x->maxAnisotropy > 1 ? W_SERVER_LEVELS_ANISOTROPIC
                                             : 0;
    if (x->mipmapFilterMode < 0 || x->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    t->linear_levels = x->mipmapFilterMode == cudaFilterModeLinear;
    t->level_bias = x->mipmapLevelBias;
    t->level_min = x->minMipmapLevelClamp, t->level_max = x->maxMipmapLevelClamp;
    if (t->linear_levels && t->kind != SIM_TEX_FLOAT && !t->normalized_float)
        return cudaErrorInvalidFilterSetting;
    if (!why) return cudaSuccess;
    dev_unsupported(c, lib_words_of(why));
    return cudaErrorNotSupported;
}

/* Finds where the texels are. */
static cudaError_t texture_place(dev_call *k, const struct cudaResourceDesc *r, sim_texture *t) {
    dev_client *c = k->c;
    if (r->resType == cudaResourceTypeArray)
        return texture_array(k, dev_object(c, (uint64_t)(uintptr_t)r->res.array.array, DEV_ARRAY),
                             t);
    if (t->surface) return cudaErrorInvalidValue;
    uint64_t bytes, address;
    const struct cudaChannelFormatDesc *d;
    if (r->resType == cudaResourceTypeLinear) {
        d = &r->res.linear.desc;
        address = (uint64_t)(uintptr_t)r->res.linear.devPtr, bytes = r->res.linear.sizeInBytes;
    } else if (r->resType == cudaResourceTypePitch2D) {
        d = &r->res.pitch2D.desc;
        address = (uint64_t)(uintptr_t)r->res.pitch2D.devPtr;
        uint64_t w = r->res.pitch2D.width, h = r->res.pitch2D.height,
                 p = r->res.pitch2D.pitchInBytes;
        if (!w || !h || w > 131072 || h > 65000 || p > 2097120 || p % 32)
            return cudaErrorInvalidValue;
        t->width = (uint32_t)w, t->height = (uint32_t)h, t->pitch = p;
        bytes = p * (h - 1);
    } else if (r->resType == cudaResourceTypeMipmappedArray) {
        return texture_mipmap(k, (uint64_t)(uintptr_t)r->res.mipmap.mipmap, t);
    } else {
        return cudaErrorInvalidValue;
    }
    if (!texture_format(d, t)) return cudaErrorInvalidChannelDescriptor;
    uint64_t texel = (uint64_t)t->channels * t->bits / 8;
    if (r->resType == cudaResourceTypeLinear) {
        if (!bytes || bytes / texel > 268435456) return cudaErrorInvalidValue;
        t->width = (uint32_t)(bytes / texel), t->pitch = bytes;
    } else {
        bytes += t->width * texel;
    }
    if (t->width * texel > t->pitch || address % 16) return cudaErrorInvalidValue;
    const dev_mem *m = dev_mem_range(c, address, bytes);
    if (!m)
        return BECAUSE(k, w_server_texture_not_in_one((unsigned long long)address,
                                                      (unsigned long long)bytes)),
               cudaErrorInvalidValue;
    t->base = address, t->slice = t->pitch * (t->height ? t->height : 1);
    return cudaSuccess;
}

/* Reads how the texture is read. */
static cudaError_t texture_describe(dev_call *k, const struct cudaTextureDesc *x, sim_texture *t) {
    for (int i = 0; i < 3; i++) {
        if (x->addressMode[i] < 0 || x->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t->address[i] = (uint8_t)x->addressMode[i];
    }
    if (x->filterMode < 0 || x->filterMode > 1 || x->readMode < 0 || x->readMode > 1)
        return cudaErrorInvalidValue;
    t->linear_filter = x->filterMode == cudaFilterModeLinear;
    t->normalized_float = x->readMode == cudaReadModeNormalizedFloat && t->kind != SIM_TEX_FLOAT;
    t->normalized_coords = x->normalizedCoords != 0;
    memcpy(t->border, x->borderColor, sizeof t->border);
    /* Integers cannot be filtered, nor become fractions if they have 32 bits; floats are not
     * fractions. The order of these checks is an H100's. */
    bool whole = t->kind != SIM_TEX_FLOAT;
    if (t->linear_filter && whole && (!t->normalized_float || t->bits == 32))
        return BECAUSE(k, w_server_filter_of_integers(t->bits)), cudaErrorInvalidFilterSetting;
    if (x->readMode == cudaReadModeNormalizedFloat && (!whole || t->bits == 32))
        return BECAUSE(k, w_server_normalized_of_what(whole ? "int" : "float", t->bits)),
               cudaErrorInvalidNormSetting;
    if (x->sRGB) {
        dev_unsupported(k->c, w_server_no_srgb());
        return cudaErrorNotSupported;
    }
    return t->levels ? texture_levels(k->c, x, t) : cudaSuccess;
}

static cudaError_t texture_create(dev_call *k, dev_kind kind, const struct cudaResourceDesc *r,
                                  const struct cudaTextureDesc *x, uint64_t *out) {
    dev_client *c = k->c;
    sim_texture t = {.surface = kind == DEV_SURFACE};
    cudaError_t e = texture_place(k, r, &t);
    if (e) return e;
    if (x && (e = texture_describe(k, x, &t))) return e;
    dev_view *v = calloc(1, sizeof *v);
    if (!v) return cudaErrorMemoryAllocation;
    v->device = k->device, v->resource = *r;
    if (x) v->texture = *x;
    dev_texture_memory memory = t.block_linear                         ? DEV_TEX_ARRAY
                                : r->resType == cudaResourceTypeLinear ? DEV_TEX_LINEAR
                                                                       : DEV_TEX_PITCH;
    sim_status s = HW(dev_hw(c, k->device), texture_new, &t, memory, &v->handle);
    if (s) {
        free(v);
        return dev_error(s);
    }
    if (!dev_object_new(c, kind, v)) {
        dev_texture_free(c, v);
        return cudaErrorMemoryAllocation;
    }
    *out = v->handle;
    return cudaSuccess;
}

static cudaError_t texture_destroy(dev_call *k, dev_kind kind, uint64_t handle) {
    uint64_t object;
    if (!handle) return cudaSuccess;
    dev_view *v = view_of(k->c, kind, handle, &object);
    if (!v) return cudaSuccess; /* as on an H200 */
    k->device = v->device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    dev_object_drop(k->c, object);
    dev_texture_free(k->c, v);
    k->c->log.freed = true; /* a replayed kernel would fetch through a dead handle */
    return cudaSuccess;
}

cudaError_t dev_on_TextureCreate(dev_call *k, const struct wire_in_TextureCreate *in,
                                 struct wire_out_TextureCreate *out) {
    struct cudaResourceDesc r;
    struct cudaTextureDesc x;
    (void)in;
    if (k->span_bytes[0] != sizeof r || k->span_bytes[1] != sizeof x) return cudaErrorInvalidValue;
    if (k->span_bytes[2]) {
        dev_unsupported(k->c, w_server_no_views());
        return cudaErrorNotSupported;
    }
    memcpy(&r, k->span[0], sizeof r);
    memcpy(&x, k->span[1], sizeof x);
    return texture_create(k, DEV_TEXTURE, &r, &x, &out->object);
}

cudaError_t dev_on_cudaDestroyTextureObject(dev_call *k,
                                            const struct wire_in_cudaDestroyTextureObject *in,
                                            struct wire_out_cudaDestroyTextureObject *out) {
    (void)out;
    return texture_destroy(k, DEV_TEXTURE, in->texObject);
}

cudaError_t
dev_on_cudaGetTextureObjectResourceDesc(dev_call *k,
                                        const struct wire_in_cudaGetTextureObjectResourceDesc *in,
                                        struct wire_out_cudaGetTextureObjectResourceDesc *out) {
    const dev_view *v = view_of(k->c, DEV_TEXTURE, in->texObject, NULL);
    (void)out;
    return v ? dev_answer(k, &v->resource, sizeof v->resource) : cudaErrorInvalidValue;
}

cudaError_t
dev_on_cudaGetTextureObjectTextureDesc(dev_call *k,
                                       const struct wire_in_cudaGetTextureObjectTextureDesc *in,
                                       struct wire_out_cudaGetTextureObjectTextureDesc *out) {
    const dev_view *v = view_of(k->c, DEV_TEXTURE, in->texObject, NULL);
    (void)out;
    return v ? dev_answer(k, &v->texture, sizeof v->texture) : cudaErrorInvalidValue;
}

cudaError_t dev_on_cudaCreateSurfaceObject(dev_call *k,
                                           const struct wire_in_cudaCreateSurfaceObject *in,
                                           struct wire_out_cudaCreateSurfaceObject *out) {
    struct cudaResourceDesc r;
    (void)in;
    if (k->span_bytes[0] != sizeof r) return cudaErrorInvalidValue;
    memcpy(&r, k->span[0], sizeof r);
    return texture_create(k, DEV_SURFACE, &r, NULL, &out->pSurfObject);
}

cudaError_t dev_on_cudaDestroySurfaceObject(dev_call *k,
                                            const struct wire_in_cudaDestroySurfaceObject *in,
                                            struct wire_out_cudaDestroySurfaceObject *out) {
    (void)out;
    return texture_destroy(k, DEV_SURFACE, in->surfObject);
}

cudaError_t
dev_on_cudaGetSurfaceObjectResourceDesc(dev_call *k,
                                        const struct wire_in_cudaGetSurfaceObjectResourceDesc *in,
                                        struct wire_out_cudaGetSurfaceObjectResourceDesc *out) {
    const dev_view *v = view_of(k->c, DEV_SURFACE, in->surfObject, NULL);
    (void)out;
    return v ? dev_answer(k, &v->resource, sizeof v->resource) : cudaErrorInvalidValue;
}
