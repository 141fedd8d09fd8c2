/* Modules, kernels, launches. The driver picks the machine code that fits, else translates the
 * PTX. */
#include "runner/gpu/helper.h"

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
} kernel;

enum { MAX_PARAMS = 4096 };
static module *modules;
static kernel *kernels;
static size_t module_count, kernel_count;
static uint64_t printed; /* how much of standard output was handed on */

static module *module_of(uint64_t m) {
    return m && m <= module_count && modules[m - 1].module ? &modules[m - 1] : NULL;
}

static int load_image(gpu_helper *h, module *m) {
    char log[300] = "";
    enum { LOG = 5, LOG_BYTES = 6 }; /* CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES */
    int options[] = {LOG, LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    int e = CU(h, ModuleLoadDataEx, &m->module, m->image, 2, options, values);
    if (e && log[0]) {
        log[strcspn(log, "\n")] = 0;
        size_t n = strlen(h->text);
        snprintf(h->text + n, sizeof h->text - n, ": %s", log);
    }
    return e;
}

int gpu_module_load(gpu_helper *h, int fd, uint64_t bytes, uint64_t *out) {
    if (fd < 0 || !bytes) return gpu_fail(h, GPU_E_REQUEST, "no image came along");
    module *more = realloc(modules, (module_count + 1) * sizeof *modules);
    if (!more) return gpu_fail(h, 2, "out of memory");
    modules = more;
    module m = {.bytes = bytes};
    m.image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (m.image == MAP_FAILED) return gpu_fail(h, 2, "the image cannot be mapped");
    int e = load_image(h, &m);
    if (e) {
        munmap(m.image, bytes);
        return e;
    }
    modules[module_count++] = m;
    *out = module_count;
    return 0;
}

int gpu_module_unload(gpu_helper *h, uint64_t which) {
    module *m = module_of(which);
    if (!m) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleUnload, m->module);
    munmap(m->image, m->bytes);
    m->module = m->image = NULL;
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].module == which) kernels[i].function = NULL;
    return e;
}

/* Loaded again: new variables with their first values. Kernels keep their numbers. */
int gpu_module_reset(gpu_helper *h, uint64_t which) {
    module *m = module_of(which);
    if (!m) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleUnload, m->module);
    if (!e) e = load_image(h, m);
    for (size_t i = 0; i < kernel_count && !e; i++) {
        kernel *k = &kernels[i];
        if (k->module != which) continue;
        e = CU(h, ModuleGetFunction, &k->function, m->module, k->name);
        if (!e && k->max_dynamic) e = CU(h, FuncSetAttribute, k->function, 8, k->max_dynamic);
    }
    return e;
}

/* The name in the window, ended; NULL: none. */
static const char *name_of(gpu_helper *h, uint64_t bytes) {
    if (!bytes || bytes >= 4096) return NULL;
    h->window[bytes] = 0;
    return (const char *)h->window;
}

int gpu_kernel(gpu_helper *h, uint64_t which, uint64_t bytes, gpu_reply *r) {
    module *m = module_of(which);
    const char *name = name_of(h, bytes);
    kernel k = {.module = which};
    if (!m || !name) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleGetFunction, &k.function, m->module, name);
    if (e) return e;
    kernel *more = realloc(kernels, (kernel_count + 1) * sizeof *kernels);
    if (more) kernels = more; /* at once: the old ones are gone, whatever else fails */
    if (!more || !(k.name = strdup(name))) return gpu_fail(h, 2, "out of memory");
    /* CUfunction_attribute: threads 0, shared 1, const 2, local 3, registers 4, dynamic shared 8 */
    static const int ask[] = {4, 1, 3, 2, 0, 8};
    for (size_t i = 0; i < sizeof ask / sizeof *ask && !e; i++) {
        int v = 0;
        e = CU(h, FuncGetAttribute, &v, ask[i], k.function);
        r->v[1 + i] = (uint64_t)v;
    }
    uint32_t *pairs = (uint32_t *)h->window;
    size_t offset, size;
    while (!e && k.params < MAX_PARAMS &&
           !h->cu.FuncGetParamInfo(k.function, k.params, &offset, &size)) {
        pairs[2 * k.params] = (uint32_t)offset, pairs[2 * k.params + 1] = (uint32_t)size;
        k.params++;
    }
    if (!e && !(k.offset = calloc(k.params + 1, sizeof *k.offset)))
        e = gpu_fail(h, 2, "out of memory");
    if (e) {
        free(k.name);
        return e;
    }
    for (unsigned i = 0; i < k.params; i++) k.offset[i] = pairs[2 * i];
    kernels[kernel_count++] = k;
    r->v[0] = kernel_count;
    r->v[7] = k.params;
    r->bytes = 8ull * k.params;
    return 0;
}

int gpu_symbol(gpu_helper *h, uint64_t which, uint64_t bytes, gpu_reply *r) {
    module *m = module_of(which);
    const char *name = name_of(h, bytes);
    size_t n = 0;
    if (!m || !name) return gpu_fail(h, GPU_E_REQUEST, "no such module");
    int e = CU(h, ModuleGetGlobal, &r->v[0], &n, m->module, name);
    r->v[1] = n;
    return e;
}

int gpu_kernel_shared(gpu_helper *h, uint64_t which, uint64_t bytes) {
    if (!which || which > kernel_count || !kernels[which - 1].function)
        return gpu_fail(h, GPU_E_REQUEST, "no such kernel");
    int e = CU(h, FuncSetAttribute, kernels[which - 1].function, 8, (int)bytes);
    if (!e) kernels[which - 1].max_dynamic = (int)bytes;
    return e;
}

/* What device printf wrote since the last time, at the window's start. */
static uint64_t take_printed(gpu_helper *h) {
    fflush(stdout);
    off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
    if (end <= 0 || (uint64_t)end <= printed) return 0;
    uint64_t n = (uint64_t)end - printed;
    if (n > GPU_WINDOW_BYTES) n = GPU_WINDOW_BYTES;
    ssize_t got = pread(STDOUT_FILENO, h->window, n, (off_t)printed);
    /* The file begins again: it does not grow with what a program prints. */
    if (ftruncate(STDOUT_FILENO, 0)) return 0;
    lseek(STDOUT_FILENO, 0, SEEK_SET);
    printed = 0;
    return got > 0 ? (uint64_t)got : 0;
}

int gpu_launch(gpu_helper *h, const gpu_request *q, gpu_reply *r) {
    const uint64_t *a = q->a;
    if (!a[0] || a[0] > kernel_count || !kernels[a[0] - 1].function)
        return gpu_fail(h, GPU_E_REQUEST, "no such kernel");
    const kernel *k = &kernels[a[0] - 1];
    static uint8_t block[32768];
    static void *params[MAX_PARAMS + 1];
    if (q->bytes > sizeof block) return gpu_fail(h, GPU_E_REQUEST, "too many parameters");
    memcpy(block, h->window, q->bytes);
    for (unsigned i = 0; i < k->params; i++) params[i] = block + k->offset[i];
    unsigned g[6];
    for (int i = 0; i < 6; i++) g[i] = (unsigned)a[1 + i];
    int e = gpu_textures_in(h), ended;
    if (!e) e = gpu_time_begin(h);
    if (e) return e;
    if (a[8])
        e = CU(h, LaunchCooperativeKernel, k->function, g[0], g[1], g[2], g[3], g[4], g[5],
               (unsigned)a[7], h->stream, params);
    else
        e = CU(h, LaunchKernel, k->function, g[0], g[1], g[2], g[3], g[4], g[5], (unsigned)a[7],
               h->stream, params, NULL);
    ended = gpu_time_end(h, &r->us);
    if (!e) e = ended;
    if (!e) e = gpu_textures_out(h);
    r->bytes = take_printed(h);
    return e;
}
