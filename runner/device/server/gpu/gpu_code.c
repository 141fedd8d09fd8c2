/* Modules, kernels and launches of a GPU. */
#include "runner/device/server/gpu/gpu_device.h"
#include "runner/base/file.h"
#include "words/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    unsigned generation;
    uint64_t id;
    struct gpu_kernel *kernels;
} gpu_module;

typedef struct gpu_kernel {
    sim_kernel_info info;
    unsigned generation;
    uint64_t id;
    int carveout; /* as the GPU was told */
    gpu_module *module;
    gpu_device *device;
    char *name, *pretty;
    uint32_t *offsets, *sizes;
    struct gpu_kernel *next;
} gpu_kernel;

void *dev_gpu_module_new(void *hw, const void *data, size_t n, const dev_code_options *o,
                         sim_status *status, lib_message *msg) {
    gpu_device *g = hw;
    gpu_module *m = calloc(1, sizeof *m);
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_ModuleLoad, .in.ModuleLoad = {.bytes = n}};
    (void)o;
    *status = n ? SIM_NOMEM : SIM_NOT_FOUND;
    int fd = m ? memfd_create("warplab-image", MFD_CLOEXEC) : -1;
    if (fd >= 0 && !lib_write_all(fd, data, n)) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) lib_message_set(msg, w_server_no_memory_for_copy(errno));
    else if (!n) lib_message_set(msg, w_server_holds_nothing());
    if (fd >= 0 && n) {
        *status = dev_gpu_ask_long(g, &q, fd, GPU_REQUEST_LIMIT, NULL, &r);
        if (*status) dev_gpu_said(msg, r.text);
    }
    if (fd >= 0) close(fd);
    if (*status) {
        free(m);
        return NULL;
    }
    m->id = r.out.ModuleLoad.module, m->generation = g->generation;
    return m;
}

void dev_gpu_module_free(void *hw, void *module) {
    gpu_module *m = module;
    gpu_device *g = hw;
    gpu_reply r;
    if (m->generation == g->generation && g->open) ASK(g, &r, ModuleUnload, .module = m->id);
    while (m->kernels) {
        gpu_kernel *k = m->kernels;
        m->kernels = k->next;
        free(k->name), free(k->pretty), free(k->offsets), free(k->sizes), free(k);
    }
    free(m);
}

void dev_gpu_module_reset(void *hw, void *module) {
    const gpu_module *m = module;
    gpu_reply r;
    if (m->generation == ((gpu_device *)hw)->generation) ASK(hw, &r, ModuleReset, .module = m->id);
}

/* A request about the module whose bytes in the window are a name. */
static sim_status code_ask_named(gpu_device *g, gpu_request *q, const gpu_module *m,
                                 const char *name, gpu_reply *r) {
    q->bytes = strlen(name);
    if (m->generation != g->generation || q->bytes > 4000) return SIM_NOT_FOUND;
    memcpy(g->process.window, name, q->bytes);
    return dev_gpu_ask(g, q, r);
}

void *dev_gpu_module_kernel(void *hw, void *module, const char *name) {
    gpu_device *g = hw;
    gpu_module *m = module;
    gpu_reply r;
    for (gpu_kernel *k = m->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) return k;
    gpu_request q = {.op = GPU_OP_Kernel, .in.Kernel = {.module = m->id}};
    if (code_ask_named(g, &q, m, name, &r)) return NULL;
    size_t params = r.out.Kernel.params <= 4096 ? r.out.Kernel.params : 0;
    gpu_kernel *k = calloc(1, sizeof *k);
    if (!k || !(k->name = strdup(name)) || !(k->offsets = calloc(params + 1, 4)) ||
        !(k->sizes = calloc(params + 1, 4))) {
        if (k) free(k->name), free(k->offsets), free(k);
        return NULL;
    }
    const uint32_t *pairs = (const uint32_t *)(const void *)g->process.window;
    uint32_t bytes = 0;
    for (size_t i = 0; i < params; i++) {
        k->offsets[i] = pairs[2 * i], k->sizes[i] = pairs[2 * i + 1];
        if (k->offsets[i] + k->sizes[i] > bytes) bytes = k->offsets[i] + k->sizes[i];
    }
    k->pretty = g->demangle ? g->demangle(name) : NULL;
    k->carveout = -1;
    k->id = r.out.Kernel.kernel, k->generation = g->generation, k->module = m, k->device = g;
    const gpu_function *f = &r.out.Kernel.function;
    k->info = (sim_kernel_info){.name = k->name,
                                .pretty = k->pretty ? k->pretty : k->name,
                                .param_count = (unsigned)params,
                                .param_offset = k->offsets,
                                .param_size = k->sizes,
                                .param_bytes = bytes,
                                .registers = (unsigned)f->registers,
                                .resources_exact = true,
                                .static_shared = f->static_shared,
                                .local_bytes = f->local_bytes,
                                .const_bytes = f->const_bytes,
                                .max_threads = (unsigned)f->max_threads,
                                .max_dynamic_shared = (unsigned)f->max_dynamic_shared,
                                .carveout = -1,
                                .ptx_version = (unsigned)f->ptx_version};
    k->next = m->kernels;
    m->kernels = k;
    return k;
}

sim_status dev_gpu_module_symbol(void *hw, void *module, const char *name, sim_addr *a,
                                 uint64_t *n) {
    gpu_reply r;
    const gpu_module *m = module;
    gpu_request q = {.op = GPU_OP_Symbol, .in.Symbol = {.module = m->id}};
    sim_status s = code_ask_named(hw, &q, m, name, &r);
    if (!s) *a = r.out.Symbol.address, *n = r.out.Symbol.bytes;
    return s;
}

const sim_kernel_info *dev_gpu_kernel_info(const void *kernel) {
    return &((const gpu_kernel *)kernel)->info;
}

sim_status dev_gpu_kernel_shared(void *hw, void *kernel, uint64_t bytes) {
    gpu_device *g = hw;
    gpu_kernel *k = kernel;
    gpu_reply r;
    if (k->generation != g->generation) return SIM_TRAP;
    if (bytes + k->info.static_shared > g->profile.shared_block_optin) return SIM_BAD_ARGUMENT;
    sim_status s = ASK(g, &r, KernelShared, .kernel = k->id, .bytes = bytes);
    if (!s) k->info.max_dynamic_shared = (unsigned)bytes;
    return s;
}

sim_status dev_gpu_kernel_carveout(void *hw, void *kernel, int percent) {
    gpu_device *g = hw;
    gpu_kernel *k = kernel;
    if (k->generation != g->generation) return SIM_TRAP;
    if (percent < -1 || percent > 100) return SIM_BAD_ARGUMENT;
    k->info.carveout = percent;
    return SIM_OK;
}

/* Gives the kernel on the GPU the preference that it had when it was launched here. */
static sim_status code_prefer(gpu_device *g, gpu_kernel *k, int percent) {
    gpu_reply r;
    if (k->carveout == percent) return SIM_OK;
    sim_status s = ASK(g, &r, KernelCarveout, .kernel = k->id, .percent = percent);
    if (!s) k->carveout = percent;
    return s;
}

/* Sets the stack size of its threads. */
static sim_status code_stack(gpu_device *g, uint32_t bytes) {
    enum { LIMIT_STACK = 0 }; /* CU_LIMIT_STACK_SIZE */
    gpu_reply r;
    if (!bytes) bytes = SIM_STACK_BYTES;
    if (g->stack == bytes) return SIM_OK;
    sim_status s = ASK(g, &r, Limit, .limit = LIMIT_STACK, .value = bytes);
    if (!s) g->stack = bytes;
    return s;
}

/* Says what the hardware reports about a launch that broke: neither thread nor line. */
static void code_explain(const gpu_device *g, const gpu_kernel *k, sim_status s, const gpu_reply *r,
                         sim_result *result) {
    static const struct {
        sim_status status;
        sim_finding_kind kind;
    } kinds[] = {{SIM_ILLEGAL_ADDRESS, SIM_FIND_OOB}, {SIM_MISALIGNED, SIM_FIND_MISALIGNED},
                 {SIM_TRAP, SIM_FIND_TRAP},           {SIM_ILLEGAL_INSTRUCTION, SIM_FIND_TRAP},
                 {SIM_ASSERT, SIM_FIND_ASSERT},       {SIM_STACK_OVERFLOW, SIM_FIND_STACK},
                 {SIM_CANCELLED, SIM_FIND_BUDGET}};
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && kinds[i].status != s) i++;
    if (i == sizeof kinds / sizeof *kinds ||
        !(result->findings = calloc(1, sizeof *result->findings)))
        return;
    sim_finding *f = result->findings;
    result->finding_count = 1;
    *f = (sim_finding){.kind = kinds[i].kind,
                       .count = 1,
                       .kernel = k->info.pretty,
                       .file = "",
                       .space = "",
                       .alloc_name = "",
                       .other_file = ""};
    lib_message_set(&f->said, s == SIM_CANCELLED ? w_server_gpu_still_running(k->info.pretty)
                                                 : w_server_gpu_failed(
                                                       k->info.pretty,
                                                       r->text[0] ? r->text : sim_status_message(s),
                                                       g->nearest->name));
}

sim_status dev_gpu_run(void *hw, void *kernel, const sim_launch *l, sim_result *result,
                       lib_message *msg) {
    gpu_device *g = hw;
    gpu_kernel *k = kernel;
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Launch,
                     .in.Launch = {.kernel = k->id,
                                   .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                   .block = {l->block[0], l->block[1], l->block[2]},
                                   .shared = l->dynamic_shared,
                                   .cooperative = l->cooperative},
                     .bytes = l->param_bytes};
    memset(result, 0, sizeof *result);
    result->limiter = "";
    result->measured = true;
    if (k->generation != g->generation || l->param_bytes > GPU_WINDOW_BYTES) {
        lib_message_set(msg, w_server_gpu_context_lost());
        return result->status = SIM_TRAP;
    }
    uint64_t shared = k->info.static_shared + l->dynamic_shared, carveout = 0;
    if (l->has_carveout && shared)
        carveout = sim_profile_launch_carveout(&g->profile, l->carveout, shared);
    sim_status s = code_prefer(g, k, l->has_carveout ? (int)l->carveout : -1);
    if (!s) s = code_stack(g, l->stack);
    if (s) return result->status = s;
    if (l->param_bytes) memcpy(g->process.window, l->params, l->param_bytes);
    s = dev_gpu_ask_long(g, &q, -1, GPU_LAUNCH_LIMIT, l->cancel, &r);
    result->status = s;
    result->time_us = dev_gpu_net(g, r.us);
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    sim_occupancy_get(&g->profile, (unsigned)threads, k->info.registers, shared, carveout,
                      &result->occupancy);
    if (s) {
        dev_gpu_said(msg, r.text);
        code_explain(g, k, s, &r, result);
    } else if (l->print && r.bytes && r.bytes <= GPU_WINDOW_BYTES)
        l->print(l->print_user, (const char *)g->process.window, r.bytes);
    return s;
}
