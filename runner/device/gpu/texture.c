/* Textures and surfaces. The server keeps every array as pitched memory, so that its copies are
 * plain ones; the hardware's arrays have a layout of their own. So a texture over an array reads a
 * hardware array, which gets the memory's contents before each launch, and a surface's contents go
 * back after it. Neither copy is timed. Linear memory is read in place. */
#include "runner/device/gpu/helper.h"

#include <stdlib.h>
#include <string.h>

typedef struct texture {
    gpu_texture t;
    unsigned long long object;
    void *array;
    struct texture *next;
} texture;
static texture *textures;

static int texture_format(const gpu_texture *t) {
    static const int formats[][3] = {
        [GPU_KIND_SIGNED] = {GPU_FORMAT_S8, GPU_FORMAT_S16, GPU_FORMAT_S32},
        [GPU_KIND_UNSIGNED] = {GPU_FORMAT_U8, GPU_FORMAT_U16, GPU_FORMAT_U32}};
    if (t->kind > GPU_KIND_UNSIGNED) return t->bits == 16 ? GPU_FORMAT_F16 : GPU_FORMAT_F32;
    return formats[t->kind][t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2];
}

static int texture_move(gpu_helper *h, const texture *x, bool in) {
    const gpu_texture *t = &x->t;
    gpu_copy_3d c = {.width = (size_t)t->width * t->channels * t->bits / 8,
                     .height = t->height ? t->height : 1,
                     .depth = t->depth ? t->depth : 1};
    if (in) {
        c.src_type = GPU_MEMORY_DEVICE, c.src_device = t->base, c.src_pitch = t->pitch;
        c.src_height = t->pitch ? t->slice / t->pitch : 0;
        c.dst_type = GPU_MEMORY_ARRAY, c.dst_array = x->array;
    } else {
        c.src_type = GPU_MEMORY_ARRAY, c.src_array = x->array;
        c.dst_type = GPU_MEMORY_DEVICE, c.dst_device = t->base, c.dst_pitch = t->pitch;
        c.dst_height = t->pitch ? t->slice / t->pitch : 0;
    }
    return CU(h, Memcpy3DAsync, &c, h->stream);
}

int gpu_on_Texture(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    (void)q;
    texture *x = calloc(1, sizeof *x);
    if (!x) return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    memcpy(&x->t, h->window, sizeof x->t);
    const gpu_texture *t = &x->t;
    gpu_resource resource;
    gpu_sampler s;
    memset(&resource, 0, sizeof resource);
    memset(&s, 0, sizeof s);
    int e = 0;
    if (t->what == GPU_TEXTURE_LINEAR) {
        resource.type = GPU_RESOURCE_LINEAR;
        resource.of.linear.address = t->base, resource.of.linear.format = texture_format(t);
        resource.of.linear.channels = t->channels;
        resource.of.linear.bytes = (size_t)t->width * t->channels * t->bits / 8;
    } else {
        gpu_array_desc d = {.width = t->width,
                            .height = t->layered && !t->depth ? 0 : t->height,
                            .depth = t->depth,
                            .format = texture_format(t),
                            .channels = t->channels,
                            .flags = (t->layered ? GPU_ARRAY_LAYERED : 0u) |
                                     (t->what == GPU_TEXTURE_SURFACE ? GPU_ARRAY_SURFACE : 0u) |
                                     (t->cubemap ? GPU_ARRAY_CUBEMAP : 0u) |
                                     (t->gather ? GPU_ARRAY_GATHER : 0u)};
        e = CU(h, Array3DCreate, &x->array, &d);
        resource.of.array = x->array;
    }
    for (int i = 0; i < 3; i++) s.address[i] = (int)t->address[i];
    s.filter = t->linear_filter ? 1 : 0;
    s.flags = (t->kind != GPU_KIND_FLOAT && !t->normalized_float ? GPU_SAMPLER_INTEGERS : 0u) |
              (t->normalized_coords ? GPU_SAMPLER_NORMALIZED : 0u);
    memcpy(s.border, t->border, sizeof s.border);
    if (!e)
        e = t->what == GPU_TEXTURE_SURFACE
                ? CU(h, SurfObjectCreate, &x->object, &resource)
                : CU(h, TexObjectCreate, &x->object, &resource, &s, NULL);
    if (e) {
        if (x->array) h->cu.ArrayDestroy(x->array);
        free(x);
        return e;
    }
    x->next = textures;
    textures = x;
    r->out.Texture.handle = x->object;
    return 0;
}

int gpu_on_TextureFree(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t handle = q->in.TextureFree.handle;
    (void)r;
    for (texture **p = &textures; *p; p = &(*p)->next) {
        texture *x = *p;
        if (x->object != handle) continue;
        *p = x->next;
        int e = x->t.what == GPU_TEXTURE_SURFACE ? CU(h, SurfObjectDestroy, x->object)
                                                 : CU(h, TexObjectDestroy, x->object);
        if (x->array && !e) e = CU(h, ArrayDestroy, x->array);
        free(x);
        return e;
    }
    return gpu_fail(h, GPU_E_REQUEST, "no such texture");
}

int gpu_textures_in(gpu_helper *h) {
    int e = 0;
    for (const texture *x = textures; x && !e; x = x->next)
        if (x->array) e = texture_move(h, x, true);
    return e;
}

int gpu_textures_out(gpu_helper *h) {
    int e = 0;
    bool any = false;
    for (const texture *x = textures; x && !e; x = x->next)
        if (x->array && x->t.what == GPU_TEXTURE_SURFACE) e = texture_move(h, x, false), any = true;
    return e || !any ? e : CU(h, StreamSynchronize, h->stream);
}
