/* Modules, kernels, launches. The driver picks fitting machine code, or translates the PTX. */
#include "runner/device/gpu/helper.h"
#include "runner/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    void *module, *image;
    uint64_t bytes;
} module;
typedef struct {
    void *function;
    uint64_t module; /* index + 1 */
    unsigned params;
    size_t *offset;
    char *name;
    int max_dynamic; /* 0: never set */
    int carveout;    /* -1: none */
} kernel;

enum { MAX_PARAMS = 4096 };
static module *modules;
static kernel *kernels;
static size_t module_count, kernel_count;
static uint64_t printed; /* the part of standard output that was passed on */

static module *module_of(uint64_t m) {
    return m && m <= module_count && modules[m - 1].module ? &modules[m - 1] : NULL;
}

static int load_image(gpu_helper *h, module *m) {
    char log[300] = "";
    int options[] = {GPU_JIT_ERROR_LOG, GPU_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    int e = CU(h, ModuleLoadDataEx, &m->module, m->image, 2, options, values);
    if (e && log[0]) {
        log[strcspn(log, "\n")] = 0;
        size_t n = strlen(h->text);
        snprintf(h->text + n, sizeof h->text - n, ": %s", log);
    }
    return e;
}

int gpu_on_ModuleLoad(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t bytes = q->in.ModuleLoad.bytes;
    if (h->passed < 0 || !bytes) return gpu_fail(h, GPU_E_REQUEST, "no image came along");
    if (!lib_grow_one(&modules, module_count, sizeof *modules))
        return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    module m = {.bytes = bytes};
    m.image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, h->passed, 0);
    if (m.image == MAP_FAILED)
        return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "the image cannot be mapped");
    int e = load_image(h, &m);
    if (e) {
        munmap(m.image, bytes);
        return e;
    }
    modules[module_count++] = m;
    r->out.ModuleLoad.module = module_count;
    return 0;
}

int gpu_on_ModuleUnload(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t which = q->in.ModuleUnload.module;
    (void)r;
    module *m = module_of(which);
    if (!m) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleUnload, m->module);
    munmap(m->image, m->bytes);
    m->module = m->image = NULL;
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].module == which) kernels[i].function = NULL;
    return e;
}

/* Loads the module again: new variables with their initial values. Kernels keep their numbers. */
int gpu_on_ModuleReset(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    uint64_t which = q->in.ModuleReset.module;
    (void)r;
    module *m = module_of(which);
    if (!m) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleUnload, m->module);
    if (!e) e = load_image(h, m);
    for (size_t i = 0; i < kernel_count && !e; i++) {
        kernel *k = &kernels[i];
        if (k->module != which) continue;
        e = CU(h, ModuleGetFunction, &k->function, m->module, k->name);
        if (!e && k->max_dynamic)
            e = CU(h, FuncSetAttribute, k->function, GPU_FUNC_MAX_DYNAMIC_SHARED, k->max_dynamic);
        if (!e && k->carveout >= 0)
            e = CU(h, FuncSetAttribute, k->function, GPU_FUNC_CARVEOUT, k->carveout);
    }
    return e;
}

/* The name in the window, with a NUL; NULL: none. */
static const char *window_name(gpu_helper *h, uint64_t bytes) {
    if (!bytes || bytes >= 4096) return NULL;
    h->window[bytes] = 0;
    return (const char *)h->window;
}

/* Asks the driver about a function. */
static int function_ask(gpu_helper *h, void *function, gpu_function *f) {
    const struct {
        uint64_t *to;
        int attribute;
    } all[] = {{&f->registers, GPU_FUNC_REGISTERS},
               {&f->static_shared, GPU_FUNC_STATIC_SHARED},
               {&f->local_bytes, GPU_FUNC_LOCAL_BYTES},
               {&f->const_bytes, GPU_FUNC_CONST_BYTES},
               {&f->max_threads, GPU_FUNC_MAX_THREADS},
               {&f->ptx_version, GPU_FUNC_PTX_VERSION},
               {&f->max_dynamic_shared, GPU_FUNC_MAX_DYNAMIC_SHARED}};
    int e = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !e; i++) {
        int v = 0;
        e = CU(h, FuncGetAttribute, &v, all[i].attribute, function);
        *all[i].to = (uint64_t)v;
    }
    return e;
}

/* Writes pairs (offset, size) into the window. */
static unsigned function_params(gpu_helper *h, void *function) {
    uint32_t *pairs = (uint32_t *)h->window;
    unsigned n = 0;
    size_t offset, size;
    for (; n < MAX_PARAMS && !h->cu.FuncGetParamInfo(function, n, &offset, &size); n++)
        pairs[2 * n] = (uint32_t)offset, pairs[2 * n + 1] = (uint32_t)size;
    return n;
}

int gpu_on_Kernel(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    module *m = module_of(q->in.Kernel.module);
    const char *name = window_name(h, q->bytes);
    kernel k = {.module = q->in.Kernel.module, .carveout = -1};
    if (!m || !name) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleGetFunction, &k.function, m->module, name);
    if (e) return e;
    if (!lib_grow_one(&kernels, kernel_count, sizeof *kernels) || !(k.name = strdup(name)))
        return gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    e = function_ask(h, k.function, &r->out.Kernel.function);
    if (!e) k.params = function_params(h, k.function);
    if (!e && !(k.offset = calloc(k.params + 1, sizeof *k.offset)))
        e = gpu_fail(h, GPU_E_OUT_OF_MEMORY, "out of memory");
    if (e || !k.offset) {
        free(k.name);
        return e;
    }
    const uint32_t *pairs = (const uint32_t *)h->window;
    for (unsigned i = 0; i < k.params; i++) k.offset[i] = pairs[2 * i];
    kernels[kernel_count++] = k;
    r->out.Kernel.kernel = kernel_count;
    r->out.Kernel.params = k.params;
    r->bytes = 8ull * k.params;
    return 0;
}

int gpu_on_Symbol(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    module *m = module_of(q->in.Symbol.module);
    const char *name = window_name(h, q->bytes);
    size_t n = 0;
    if (!m || !name) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleGetGlobal, &r->out.Symbol.address, &n, m->module, name);
    r->out.Symbol.bytes = n;
    return e;
}

static kernel *kernel_of(uint64_t k) {
    return k && k <= kernel_count && kernels[k - 1].function ? &kernels[k - 1] : NULL;
}

int gpu_on_KernelShared(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    kernel *k = kernel_of(q->in.KernelShared.kernel);
    int bytes = (int)q->in.KernelShared.bytes;
    (void)r;
    if (!k) return gpu_fail(h, GPU_E_REQUEST, "no such kernel");
    int e = CU(h, FuncSetAttribute, k->function, GPU_FUNC_MAX_DYNAMIC_SHARED, bytes);
    if (!e) k->max_dynamic = bytes;
    return e;
}

int gpu_on_KernelCarveout(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    kernel *k = kernel_of(q->in.KernelCarveout.kernel);
    int percent = (int)q->in.KernelCarveout.percent;
    (void)r;
    if (!k) return gpu_fail(h, GPU_E_REQUEST, "no such kernel");
    int e = CU(h, FuncSetAttribute, k->function, GPU_FUNC_CARVEOUT, percent);
    if (!e) k->carveout = percent;
    return e;
}

/* Puts the output of device printf since the last time at the window's start. */
static uint64_t take_printed(gpu_helper *h) {
    fflush(stdout);
    off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    if (end <= 0 || (uint64_t)end <= printed) return 0;
    uint64_t n = (uint64_t)end - printed;
    if (n > GPU_WINDOW_BYTES) n = GPU_WINDOW_BYTES;
    ssize_t got = pread(STDOUT_FILENO, h->window, n, (off_t)printed);
    /* Truncates the file, so that it does not grow with the program's output. */
    if (ftruncate(STDOUT_FILENO, 0)) return 0;
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    printed = 0;
    return got > 0 ? (uint64_t)got : 0;
}

int gpu_on_Launch(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    const kernel *k = kernel_of(q->in.Launch.kernel);
    if (!k) return gpu_fail(h, GPU_E_REQUEST, "no such kernel");
    static uint8_t bytes[32768];
    static void *params[MAX_PARAMS + 1];
    if (q->bytes > sizeof bytes) return gpu_fail(h, GPU_E_REQUEST, "too many parameters");
    memcpy(bytes, h->window, q->bytes);
    for (unsigned i = 0; i < k->params; i++) params[i] = bytes + k->offset[i];
    const uint32_t *grid = q->in.Launch.grid, *block = q->in.Launch.block;
    unsigned shared = (unsigned)q->in.Launch.shared;
    int e = gpu_textures_in(h), ended;
    if (!e) e = gpu_time_begin(h);
    if (e) return e;
    if (q->in.Launch.cooperative)
        e = CU(h, LaunchCooperativeKernel, k->function, grid[0], grid[1], grid[2], block[0],
               block[1], block[2], shared, h->stream, params);
    else
        e = CU(h, LaunchKernel, k->function, grid[0], grid[1], grid[2], block[0], block[1],
               block[2], shared, h->stream, params, NULL);
    ended = gpu_time_end(h, &r->us);
    if (!e) e = ended;
    if (!e) e = gpu_textures_out(h);
    r->bytes = take_printed(h);
    return e;
}
