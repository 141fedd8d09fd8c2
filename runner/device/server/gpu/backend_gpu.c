/* A GPU as a backend: every operation is a request to the helper (gpu_process.c, ../gpu), which
 * calls the driver. */
#include "runner/device/server/gpu/gpu_device.h"
#include "runner/device/sim/memory/memory.h"
#include "words/server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POISON_WORD 0x7ff7a5a5u /* as on the simulated device: a NaN in every type */

static void be_gpu_close(void *hw) {
    gpu_device *g = hw;
    gpu_process_free(&g->process);
    if (g->lock >= 0) close(g->lock);
    free(g);
}

static unsigned be_gpu_generation(const void *hw) {
    return ((const gpu_device *)hw)->generation;
}

/* ---- memory */

/* Returns whether it is an address of this generation, or host memory. */
static bool gpu_current(const gpu_device *g, uint64_t a) {
    return a < SIM_DEV_BASE(0) || a >= SIM_DEV_BASE(16) || a - dev_gpu_base(g) < dev_gpu_bytes();
}

static sim_status be_gpu_alloc(void *hw, uint64_t n, sim_addr *out) {
    gpu_reply r;
    sim_status s = ASK(hw, &r, Alloc, .bytes = n);
    *out = r.out.Alloc.address;
    return s;
}

static sim_status be_gpu_release(void *hw, sim_addr a) {
    gpu_reply r;
    return gpu_current(hw, a) && ((gpu_device *)hw)->open ? ASK(hw, &r, Free, .address = a)
                                                          : SIM_OK;
}

static void be_gpu_name(void *hw, sim_addr a, const char *name) {
    (void)hw, (void)a, (void)name;
}

static sim_status be_gpu_map(void *hw, void *host, uint64_t n, sim_addr at, bool remote, int fd,
                             uint64_t map_bytes, uint64_t skip) {
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Map,
                     .in.Map = {.address = at, .bytes = n, .map_bytes = map_bytes, .skip = skip}};
    (void)host, (void)remote;
    return dev_gpu_ask_long(hw, &q, fd, GPU_REQUEST_LIMIT, NULL, &r);
}

static sim_status be_gpu_unmap(void *hw, sim_addr at) {
    gpu_reply r;
    return ((gpu_device *)hw)->open ? ASK(hw, &r, Unmap, .address = at) : SIM_OK;
}

static sim_status be_gpu_write(void *hw, sim_addr to, const void *from, uint64_t n) {
    gpu_device *g = hw;
    const uint8_t *p = from;
    sim_status s = gpu_current(g, to) ? SIM_OK : SIM_BAD_ADDRESS;
    while (n && !s) {
        uint64_t k = n < GPU_WINDOW_BYTES ? n : GPU_WINDOW_BYTES;
        gpu_reply r;
        gpu_request q = {.op = GPU_OP_Write, .in.Write = {.address = to}, .bytes = k};
        memcpy(g->process.window, p, k);
        s = dev_gpu_ask(g, &q, &r);
        p += k, to += k, n -= k;
    }
    return s;
}

static sim_status be_gpu_read(void *hw, void *to, sim_addr from, uint64_t n) {
    gpu_device *g = hw;
    uint8_t *p = to;
    sim_status s = gpu_current(g, from) ? SIM_OK : SIM_BAD_ADDRESS;
    while (n && !s) {
        uint64_t k = n < GPU_WINDOW_BYTES ? n : GPU_WINDOW_BYTES;
        gpu_reply r;
        s = ASK(g, &r, Read, .address = from, .bytes = k);
        if (!s) memcpy(p, g->process.window, k);
        p += k, from += k, n -= k;
    }
    return s;
}

static sim_status be_gpu_copy(void *hw, sim_addr to, sim_addr from, uint64_t n, double *us) {
    gpu_reply r;
    sim_status s = gpu_current(hw, to) && gpu_current(hw, from)
                       ? ASK(hw, &r, Copy, .to = to, .from = from, .bytes = n)
                       : SIM_BAD_ADDRESS;
    if (!s && us) *us += dev_gpu_net(hw, r.us);
    return s;
}

static sim_status be_gpu_fill(void *hw, sim_addr to, uint32_t value, unsigned width, uint64_t n,
                              double *us) {
    gpu_reply r;
    if (!n) return SIM_OK;
    sim_status s = gpu_current(hw, to)
                       ? ASK(hw, &r, Fill, .to = to, .value = value, .width = width, .elements = n)
                       : SIM_BAD_ADDRESS;
    if (!s && us) *us += dev_gpu_net(hw, r.us);
    return s;
}

static sim_status be_gpu_poison(void *hw, sim_addr to, uint64_t n) {
    sim_status s = SIM_OK;
    /* Whole words, then single bytes at both ends, as an aligned reader sees them. */
    while (n && to & 3 && !s)
        s = be_gpu_fill(hw, to, POISON_WORD >> 8 * (to & 3) & 0xff, 1, 1, NULL), to++, n--;
    uint64_t words = n / 4;
    if (words && !s) s = be_gpu_fill(hw, to, POISON_WORD, 4, words, NULL);
    to += words * 4, n -= words * 4;
    while (n && !s)
        s = be_gpu_fill(hw, to, POISON_WORD >> 8 * (to & 3) & 0xff, 1, 1, NULL), to++, n--;
    return s;
}

static void be_gpu_info(void *hw, uint64_t *free_bytes, uint64_t *total) {
    gpu_reply r;
    ASK(hw, &r, Info);
    *free_bytes = r.out.Info.free_bytes, *total = r.out.Info.total;
}

static void be_gpu_flush(void *hw, uint64_t changed) {
    (void)changed;
    gpu_reply r;
    ASK(hw, &r, Flush);
}

static sim_status be_gpu_limit(void *hw, int limit, uint64_t value) {
    gpu_reply r;
    return ASK(hw, &r, Limit, .limit = (uint64_t)limit, .value = value);
}

/* ---- textures */

static sim_status be_gpu_texture_new(void *hw, const sim_texture *t, dev_texture_memory memory,
                                     uint64_t *handle) {
    gpu_device *g = hw;
    gpu_reply r;
    gpu_texture x = {.base = t->base,
                     .pitch = t->pitch,
                     .slice = t->slice,
                     .width = t->width,
                     .height = t->height,
                     .depth = t->depth,
                     .what = t->surface                 ? GPU_TEXTURE_SURFACE
                             : memory == DEV_TEX_LINEAR ? GPU_TEXTURE_LINEAR
                                                        : GPU_TEXTURE_ARRAY,
                     .layered = t->layered,
                     .cubemap = t->cubemap,
                     .gather = t->gather,
                     .channels = t->channels,
                     .bits = t->bits,
                     .kind = t->kind,
                     .address = {t->address[0], t->address[1], t->address[2]},
                     .linear_filter = t->linear_filter,
                     .normalized_float = t->normalized_float,
                     .normalized_coords = t->normalized_coords};
    memcpy(x.border, t->border, sizeof x.border);
    gpu_request q = {.op = GPU_OP_Texture, .bytes = sizeof x};
    memcpy(g->process.window, &x, sizeof x);
    sim_status s = dev_gpu_ask(g, &q, &r);
    *handle = r.out.Texture.handle;
    return s;
}

static void be_gpu_texture_free(void *hw, uint64_t handle) {
    gpu_reply r;
    if (((gpu_device *)hw)->open) ASK(hw, &r, TextureFree, .handle = handle);
}

/* The driver's own bytes would be needed, for addresses in the helper. */
static sim_status be_gpu_tensor_map(void *hw, const sim_tensor_map *t,
                                    uint8_t to[SIM_TENSOR_MAP_BYTES], lib_message *msg) {
    (void)hw, (void)t, (void)to;
    lib_message_set(msg, w_server_gpu_no_tensor_maps());
    return SIM_UNSUPPORTED;
}

const dev_backend dev_backend_gpu = {.measures = true,
                                     .close = be_gpu_close,
                                     .generation = be_gpu_generation,
                                     .alloc = be_gpu_alloc,
                                     .release = be_gpu_release,
                                     .name = be_gpu_name,
                                     .map = be_gpu_map,
                                     .unmap = be_gpu_unmap,
                                     .write = be_gpu_write,
                                     .read = be_gpu_read,
                                     .copy = be_gpu_copy,
                                     .fill = be_gpu_fill,
                                     .poison = be_gpu_poison,
                                     .info = be_gpu_info,
                                     .flush = be_gpu_flush,
                                     .limit = be_gpu_limit,
                                     .module_new = dev_gpu_module_new,
                                     .module_free = dev_gpu_module_free,
                                     .module_reset = dev_gpu_module_reset,
                                     .module_kernel = dev_gpu_module_kernel,
                                     .module_symbol = dev_gpu_module_symbol,
                                     .kernel_info = dev_gpu_kernel_info,
                                     .kernel_shared = dev_gpu_kernel_shared,
                                     .kernel_carveout = dev_gpu_kernel_carveout,
                                     .run = dev_gpu_run,
                                     .texture_new = be_gpu_texture_new,
                                     .texture_free = be_gpu_texture_free,
                                     .tensor_map = be_gpu_tensor_map};
