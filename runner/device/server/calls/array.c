/* Arrays: pitched device memory whose layout the program does not see. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"

#include <stdlib.h>
#include <string.h>

cudaError_t dev_array_describe(dev_call *k, const struct cudaChannelFormatDesc *d,
                               const uint64_t extent[3], uint64_t flags, dev_array *a) {
    uint64_t width = extent[0], height = extent[1], depth = extent[2];
    /* 1, 2 or 4 channels of equal width: 8, 16 or 32 bits */
    int channels = d->w ? 4 : d->z ? 3 : d->y ? 2 : 1;
    bool same = (channels < 2 || d->y == d->x) && (channels < 3 || d->z == d->x) &&
                (channels < 4 || d->w == d->x);
    if (channels == 3 || !same || (d->x != 8 && d->x != 16 && d->x != 32) || d->f < 0)
        return cudaErrorInvalidChannelDescriptor;
    if (d->f > cudaChannelFormatKindFloat || (d->f == cudaChannelFormatKindFloat && d->x == 8))
        return cudaErrorInvalidChannelDescriptor;
    if (!width || width > 131072 || height > 65536 || depth > 16384) return cudaErrorInvalidValue;
    if (flags & ~(uint64_t)(cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayLayered |
                            cudaArrayCubemap))
        return cudaErrorInvalidValue;
    /* a cubemap is six square layers; with cudaArrayLayered, several sets of six */
    if (flags & cudaArrayCubemap &&
        (width != height || !depth || depth % 6 || (depth != 6 && !(flags & cudaArrayLayered))))
        return cudaErrorInvalidValue;
    /* requirements of texture gather */
    if (flags & cudaArrayTextureGather && (!height || depth)) return cudaErrorInvalidValue;
    *a = (dev_array){.device = k->device,
                     .flags = (unsigned)flags,
                     .desc = *d,
                     .element = (unsigned)(channels * d->x / 8),
                     .width = width,
                     .height = height,
                     .depth = depth};
    a->pitch = (width * a->element + SIM_TEX_PITCH - 1) & ~(uint64_t)(SIM_TEX_PITCH - 1);
    a->bytes = a->pitch * (height ? height : 1) * (depth ? depth : 1);
    return cudaSuccess;
}

cudaError_t dev_on_ArrayCreate(dev_call *k, const struct wire_in_ArrayCreate *in,
                               struct wire_out_ArrayCreate *out) {
    struct cudaChannelFormatDesc d;
    if (k->span_bytes[0] != sizeof d) return cudaErrorInvalidValue;
    memcpy(&d, k->span[0], sizeof d);
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    dev_array *a = calloc(1, sizeof *a);
    if (!a) return cudaErrorMemoryAllocation;
    const uint64_t extent[3] = {in->width, in->height, in->depth};
    e = dev_array_describe(k, &d, extent, in->flags, a);
    if (e) {
        free(a);
        return e;
    }
    e = dev_mem_allocate(k->c, k->device, a->bytes, DEV_MEM_ARRAY, 0, &a->base);
    if (!e && !(a->handle = dev_object_new(k->c, DEV_ARRAY, a))) {
        dev_mem_release(k->c, dev_mem_find(k->c, a->base));
        e = cudaErrorMemoryAllocation;
    }
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaMallocArray", a->base, a->bytes, e);
    if (e) {
        free(a);
        return e;
    }
    out->array = a->handle;
    return cudaSuccess;
}

cudaError_t dev_on_cudaFreeArray(dev_call *k, const struct wire_in_cudaFreeArray *in,
                                 struct wire_out_cudaFreeArray *out) {
    dev_client *c = k->c;
    (void)out;
    if (!in->array) return cudaSuccess;
    dev_array *a = dev_object(c, in->array, DEV_ARRAY);
    if (!a) return cudaErrorContextIsDestroyed;
    if (a->level) return cudaErrorInvalidValue; /* freed with its mipmapped array */
    k->device = a->device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    dev_mem *m = dev_mem_find(c, a->base);
    if (m) dev_mem_release(c, m);
    dev_spend(k, DEV_COST_FREE);
    dev_log_memory(k, DEV_OP_FREE, "cudaFreeArray", a->base, a->bytes, cudaSuccess);
    dev_object_drop(c, a->handle);
    free(a);
    return c->context[k->device].sticky;
}

cudaError_t dev_on_ArrayInfo(dev_call *k, const struct wire_in_ArrayInfo *in,
                             struct wire_out_ArrayInfo *out) {
    const dev_array *a = dev_object(k->c, in->array, DEV_ARRAY);
    if (!a) return cudaErrorInvalidResourceHandle;
    out->width = a->width, out->height = a->height, out->depth = a->depth, out->flags = a->flags;
    return dev_answer(k, &a->desc, sizeof a->desc);
}
