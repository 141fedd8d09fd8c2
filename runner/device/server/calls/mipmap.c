/* Mipmapped arrays: one block of memory. Copies, textures and surfaces treat its levels as arrays.
 *
 *   MipmapCreate --> dev_mipmap --cudaGetMipmappedArrayLevel--> dev_array, made once a level
 *                               --TextureCreate---------------> all levels (texture.c) */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/answer.h"
#include "runner/device/server/graph/graph.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/stream.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>

/* "This value is clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]"
 * (cudaMallocMipmappedArray). Layers do not shrink. */
static unsigned mipmap_levels(const dev_array *a, uint64_t asked) {
    uint64_t most = a->width > a->height ? a->width : a->height;
    bool layers = a->flags & (cudaArrayLayered | cudaArrayCubemap);
    if (!layers && a->depth > most) most = a->depth;
    unsigned levels = 1;
    while (most >> levels) levels++;
    return asked < 1 ? 1 : asked < levels ? (unsigned)asked : levels;
}

/* Computes the place of a level; `all` has the place of level 0. */
static void mipmap_place(const dev_array *all, unsigned levels, unsigned k, dev_array *level) {
    sim_texture t = {.levels = (uint8_t)levels}, at;
    dev_array_texture(all, &t);
    sim_texture_level(&t, k, &at);
    *level = *all;
    level->handle = 0, level->level = true;
    level->base = at.base, level->pitch = at.pitch;
    level->width = at.width, level->height = at.height, level->depth = at.depth;
    level->bytes = at.slice * (at.depth ? at.depth : 1);
}

cudaError_t dev_on_MipmapCreate(dev_call *k, const struct wire_in_MipmapCreate *in,
                                struct wire_out_MipmapCreate *out) {
    struct cudaChannelFormatDesc d;
    dev_array last;
    if (k->span_bytes[0] != sizeof d) return cudaErrorInvalidValue;
    memcpy(&d, k->span[0], sizeof d);
    cudaError_t e = dev_capture_forbids(k, NULL, true);
    if (e) return e;
    if (dev_hw(k->c, k->device)->backend != &dev_backend_sim) {
        dev_unsupported(k->c, w_server_gpu_no_mipmaps());
        return cudaErrorNotSupported;
    }
    dev_mipmap *m = calloc(1, sizeof *m);
    if (!m) return cudaErrorMemoryAllocation;
    const uint64_t extent[3] = {in->width, in->height, in->depth};
    e = dev_array_describe(k, &d, extent, in->flags, &m->all);
    if (e) {
        free(m);
        return e;
    }
    m->levels = mipmap_levels(&m->all, in->levels);
    mipmap_place(&m->all, m->levels, m->levels - 1, &last);
    m->all.bytes = last.base - m->all.base + last.bytes;
    e = dev_mem_allocate(k->c, k->device, m->all.bytes, DEV_MEM_ARRAY, 0, &m->all.base);
    if (!e && !(m->all.handle = dev_object_new(k->c, DEV_MIPMAP, m))) {
        dev_mem_release(k->c, dev_mem_find(k->c, m->all.base));
        e = cudaErrorMemoryAllocation;
    }
    dev_spend(k, DEV_COST_MALLOC);
    dev_log_memory(k, DEV_OP_MALLOC, "cudaMallocMipmappedArray", m->all.base, m->all.bytes, e);
    if (e) free(m);
    else out->mipmap = m->all.handle;
    return e;
}

cudaError_t dev_on_cudaGetMipmappedArrayLevel(dev_call *k,
                                              const struct wire_in_cudaGetMipmappedArrayLevel *in,
                                              struct wire_out_cudaGetMipmappedArrayLevel *out) {
    dev_mipmap *m = dev_object(k->c, in->mipmappedArray, DEV_MIPMAP);
    if (!m) return cudaErrorInvalidResourceHandle;
    if (in->level >= m->levels) return cudaErrorInvalidValue;
    uint64_t *handle = &m->level[in->level];
    if (!*handle) {
        dev_array *a = calloc(1, sizeof *a);
        if (!a) return cudaErrorMemoryAllocation;
        mipmap_place(&m->all, m->levels, (unsigned)in->level, a);
        *handle = a->handle = dev_object_new(k->c, DEV_ARRAY, a);
        if (!*handle) {
            free(a);
            return cudaErrorMemoryAllocation;
        }
    }
    out->levelArray = *handle;
    return cudaSuccess;
}

cudaError_t dev_on_cudaFreeMipmappedArray(dev_call *k,
                                          const struct wire_in_cudaFreeMipmappedArray *in,
                                          struct wire_out_cudaFreeMipmappedArray *out) {
    dev_client *c = k->c;
    (void)out;
    if (!in->mipmappedArray) return cudaSuccess;
    dev_mipmap *m = dev_object(c, in->mipmappedArray, DEV_MIPMAP);
    if (!m) return cudaErrorContextIsDestroyed;
    k->device = m->all.device;
    if (dev_wait(k, NULL)) return cudaSuccess;
    for (unsigned n = 0; n < m->levels; n++) {
        dev_array *a = dev_object(c, m->level[n], DEV_ARRAY);
        if (!a) continue;
        dev_object_drop(c, m->level[n]);
        free(a);
    }
    dev_mem *mem = dev_mem_find(c, m->all.base);
    if (mem) dev_mem_release(c, mem);
    dev_spend(k, DEV_COST_FREE);
    dev_log_memory(k, DEV_OP_FREE, "cudaFreeMipmappedArray", m->all.base, m->all.bytes,
                   cudaSuccess);
    dev_object_drop(c, m->all.handle);
    free(m);
    return c->context[k->device].sticky;
}
