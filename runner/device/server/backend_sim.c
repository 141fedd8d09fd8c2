/* The simulated device as a backend: calls of sim.h, row by row. */
#include "runner/base/message.h"
#include "runner/device/cudart/api.h"
#include "runner/device/server/backend.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/profile.h"
#include "words/server.h"
#include "words/base.h"

#include <stdlib.h>

static void be_sim_close(void *hw) {
    sim_device_free(hw);
}
static unsigned be_sim_generation(const void *hw) {
    (void)hw;
    return 0;
}
static sim_memory *be_sim_memory(void *hw) {
    return sim_device_memory(hw);
}
static sim_status be_sim_alloc(void *hw, uint64_t n, sim_addr *out) {
    return sim_malloc(hw, n, out);
}
static sim_status be_sim_release(void *hw, sim_addr a) {
    return sim_free(hw, a);
}
static void be_sim_name(void *hw, sim_addr a, const char *name) {
    sim_name_allocation(hw, a, name);
}
static sim_status be_sim_map(void *hw, void *host, uint64_t n, sim_addr at, bool remote, int fd,
                             uint64_t map_bytes, uint64_t skip) {
    (void)fd, (void)map_bytes, (void)skip;
    return sim_map(hw, host, n, at, remote);
}
static sim_status be_sim_unmap(void *hw, sim_addr at) {
    return sim_unmap(hw, at);
}
static sim_status be_sim_write(void *hw, sim_addr to, const void *from, uint64_t n) {
    return sim_write(hw, to, from, n);
}
static sim_status be_sim_read(void *hw, void *to, sim_addr from, uint64_t n) {
    return sim_read(hw, to, from, n);
}
static sim_status be_sim_copy(void *hw, sim_addr to, sim_addr from, uint64_t n, double *us) {
    (void)us;
    return sim_copy(hw, to, from, n);
}
static sim_status be_sim_fill(void *hw, sim_addr to, uint32_t value, unsigned width, uint64_t n,
                              double *us) {
    (void)us;
    return sim_fill(hw, to, value, width, n);
}
static sim_status be_sim_poison(void *hw, sim_addr to, uint64_t n) {
    return sim_poison(hw, to, n);
}
static void be_sim_info(void *hw, uint64_t *free_bytes, uint64_t *total) {
    sim_memory_info(hw, free_bytes, total);
}
static void be_sim_peer(void *hw, const void *other) {
    sim_device_peer(hw, other);
}
static void be_sim_flush(void *hw, uint64_t changed) {
    sim_flush_caches(hw, changed);
}
static sim_status be_sim_limit(void *hw, int limit, uint64_t value) {
    return limit != cudaLimitMallocHeapSize ||
                   sim_memory_set_heap_limit(sim_device_memory(hw), value)
               ? SIM_OK
               : SIM_BAD_ARGUMENT;
}
static void *be_sim_module_new(void *hw, const void *data, size_t n, const dev_code_options *o,
                               sim_status *status, lib_message *msg) {
    char *ptx = NULL;
    void *cubin = NULL;
    size_t ptx_len = 0, cubin_len = 0;
    sim_module *m = NULL;
    *status = n ? sim_fatbin_extract(data, n, o->arch, &ptx, &ptx_len, &cubin, &cubin_len, msg)
                : SIM_NOT_FOUND;
    if (!*status) {
        size_t text_len = 0;
        char *text = cubin && o->machine_code
                         ? o->machine_code(o->program, cubin, cubin_len, &text_len)
                         : NULL;
        sim_module_options so = {.cubin = cubin,
                                 .cubin_len = cubin_len,
                                 .machine_code = text,
                                 .machine_code_len = text_len,
                                 .ptxas = o->ptxas,
                                 .demangle = o->demangle,
                                 .managed = o->managed,
                                 .managed_user = o->managed_user,
                                 .stop = o->stop,
                                 .room = o->room,
                                 .taken = o->taken};
        m = sim_module_new(hw, ptx, ptx_len, &so, msg);
        if (!m) *status = *o->taken > o->room ? SIM_NOMEM : SIM_BAD_PTX;
        free(text);
    }
    free(ptx), free(cubin);
    if (*status == SIM_NOMEM && !lib_message_any(msg)) lib_message_set(msg, w_base_out_of_memory());
    if (*status && !lib_message_any(msg))
        lib_message_set(msg, w_server_no_ptx_for(o->device, o->arch));
    return m;
}
static void be_sim_module_free(void *hw, void *module) {
    (void)hw;
    sim_module_free(module);
}
static void be_sim_module_reset(void *hw, void *module) {
    (void)hw;
    sim_module_reset(module);
}
static void *be_sim_module_kernel(void *hw, void *module, const char *name) {
    (void)hw;
    return sim_module_kernel(module, name);
}
static sim_status be_sim_module_symbol(void *hw, void *module, const char *name, sim_addr *a,
                                       uint64_t *n) {
    (void)hw;
    return sim_module_symbol(module, name, a, n);
}
static const sim_kernel_info *be_sim_kernel_info(const void *kernel) {
    return sim_kernel_get(kernel);
}
static sim_status be_sim_kernel_shared(void *hw, void *kernel, uint64_t bytes) {
    (void)hw;
    return sim_kernel_set_max_dynamic_shared(kernel, bytes);
}
static sim_status be_sim_kernel_carveout(void *hw, void *kernel, int percent) {
    (void)hw;
    return sim_kernel_set_carveout(kernel, percent);
}
static sim_status be_sim_run(void *hw, void *kernel, const sim_launch *l, sim_result *r,
                             lib_message *msg) {
    sim_launch mine = *l;
    mine.kernel = kernel;
    return sim_run(hw, &mine, r, msg);
}
static sim_status be_sim_texture_new(void *hw, const sim_texture *t, dev_texture_memory memory,
                                     uint64_t *handle) {
    (void)memory;
    return sim_texture_new(hw, t, handle);
}
static void be_sim_texture_free(void *hw, uint64_t handle) {
    sim_texture_free(hw, handle);
}

static sim_status be_sim_tensor_map(void *hw, const sim_tensor_map *t,
                                    uint8_t to[SIM_TENSOR_MAP_BYTES], lib_message *msg) {
    return sim_tensor_map_new(hw, t, to, msg);
}

const dev_backend dev_backend_sim = {.close = be_sim_close,
                                     .generation = be_sim_generation,
                                     .memory = be_sim_memory,
                                     .alloc = be_sim_alloc,
                                     .release = be_sim_release,
                                     .name = be_sim_name,
                                     .map = be_sim_map,
                                     .unmap = be_sim_unmap,
                                     .write = be_sim_write,
                                     .read = be_sim_read,
                                     .copy = be_sim_copy,
                                     .fill = be_sim_fill,
                                     .poison = be_sim_poison,
                                     .info = be_sim_info,
                                     .peer = be_sim_peer,
                                     .flush = be_sim_flush,
                                     .limit = be_sim_limit,
                                     .module_new = be_sim_module_new,
                                     .module_free = be_sim_module_free,
                                     .module_reset = be_sim_module_reset,
                                     .module_kernel = be_sim_module_kernel,
                                     .module_symbol = be_sim_module_symbol,
                                     .kernel_info = be_sim_kernel_info,
                                     .kernel_shared = be_sim_kernel_shared,
                                     .kernel_carveout = be_sim_kernel_carveout,
                                     .run = be_sim_run,
                                     .texture_new = be_sim_texture_new,
                                     .texture_free = be_sim_texture_free,
                                     .tensor_map = be_sim_tensor_map};
