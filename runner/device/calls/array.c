/* Arrays: pitched device memory whose layout the program does not see. */
#include "runner/device/core/answer.h"
#include "runner/device/graph/graph.h"
#include "runner/device/core/memory.h"
#include "runner/device/core/stream.h"

#include <stdlib.h>
#include <string.h>

cudaError_t dev_on_ArrayCreate(dev_call *k, const struct wire_in_ArrayCreate *in,
                               struct wire_out_ArrayCreate *out) {
    struct cudaChannelFormatDesc d;
    if (k->span_bytes[0] != sizeof d) return cudaErrorInvalidValue;
    memcpy(&d, k->span[0], sizeof d);
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    /* 1, 2 or 4 channels of equal width: 8, 16 or 32 bits */
    int channels = d.w ? 4 : d.z ? 3 : d.y ? 2 : 1;
    bool same = (channels < 2 || d.y == d.x) && (channels < 3 || d.z == d.x) &&
                (channels < 4 || d.w == d.x);
    if (channels == 3 || !same || (d.x != 8 && d.x != 16 && d.x != 32) || d.f < 0)
        return cudaErrorInvalidChannelDescriptor;
    if (d.f > cudaChannelFormatKindFloat || (d.f == cudaChannelFormatKindFloat && d.x == 8))
        return cudaErrorInvalidChannelDescriptor;
    if (!in->width || in->width > 131072 || in->height > 65536 || in->depth > 16384)
        return cudaErrorInvalidValue;
    if (in->flags & ~(uint64_t)(cudaArraySurfaceLoadStore | cudaArrayTextureGather |
                                cudaArrayLayered | cudaArrayCubemap))
        return cudaErrorInvalidValue;
    /* a cubemap is six square layers; with cudaArrayLayered, several of those */
    if (in->flags & cudaArrayCubemap && (in->width != in->height || !in->depth || in->depth % 6 ||
                                         (in->depth != 6 && !(in->flags & cudaArrayLayered))))
        return cudaErrorInvalidValue;
    /* what a texture gather asks for */
    if (in->flags & cudaArrayTextureGather && (!in->height || in->depth))
        return cudaErrorInvalidValue;
    dev_array *a = calloc(1, sizeof *a);
    if (!a) return cudaErrorMemoryAllocation;
    a->device = k->device, a->flags = (unsigned)in->flags, a->desc = d;
    a->element = (unsigned)(channels * d.x / 8);
    a->width = in->width, a->height = in->height, a->depth = in->depth;
    a->pitch = (in->width * a->element + 511) & ~511ull;
    a->bytes = a->pitch * (in->height ? in->height : 1) * (in->depth ? in->depth : 1);
    e = dev_mem_allocate(k->c, k->device, a->bytes, DEV_MEM_ARRAY, 0, &a->base);
    if (!e && !(a->handle = dev_object_new(k->c, DEV_ARRAY, a))) {
        dev_mem_release(k->c, dev_mem_find(k->c, a->base));
        e = cudaErrorMemoryAllocation;
    }
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaMallocArray", a->bytes, e);
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
    k->device = a->device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    dev_mem *m = dev_mem_find(c, a->base);
    if (m) dev_mem_release(c, m);
    dev_spend(k, DEV_COST_FREE);
    dev_log_memory(k, DEV_OP_FREE, "cudaFreeArray", a->bytes, cudaSuccess);
    dev_object_drop(c, a->handle);
    free(a);
    return c->sticky[k->device];
}

cudaError_t dev_on_ArrayInfo(dev_call *k, const struct wire_in_ArrayInfo *in,
                             struct wire_out_ArrayInfo *out) {
    const dev_array *a = dev_object(k->c, in->array, DEV_ARRAY);
    if (!a) return cudaErrorInvalidResourceHandle;
    out->width = a->width, out->height = a->height, out->depth = a->depth, out->flags = a->flags;
    return dev_answer(k, &a->desc, sizeof a->desc);
}
