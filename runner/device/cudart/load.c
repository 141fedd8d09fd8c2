/* Fat binaries, kernels and variables at their first use: a fat binary is sent once, and loaded
 * once for each device.
 *
 *   launches, __cudaGetKernel, symbols, libraries --> ModuleBegin/Data/Load, KernelGet, SymbolGet
 */
#include "runner/device/cudart/module.h"
#include "words/cudart.h"

#include <stdlib.h>
#include <string.h>

/* ---- sending fat binaries */

typedef struct {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
} fatbin;

enum { FATBIN_MAGIC = 0xBA55ED50u };

static size_t fatbin_size(const void *data) {
    fatbin f;
    if (!data) return 0;
    memcpy(&f, data, sizeof f);
    return f.magic == FATBIN_MAGIC && f.size < (uint64_t)1 << 40 ? f.header + f.size : 0;
}

static cudaError_t module_send(uint64_t to, const uint8_t *p, size_t n) {
    cudaError_t e = cudaSuccess;
    while (n && !e) {
        size_t k = n < WIRE_CHUNK_BYTES ? n : WIRE_CHUNK_BYTES;
        wl_call c;
        struct wire_in_ModuleData *in = WL_BEGIN(&c, ModuleData, 0);
        in->module = to;
        wl_span(&c, p, k);
        e = wl_send(&c);
        wl_end(&c);
        p += k, n -= k;
    }
    return e;
}

static cudaError_t module_symbol(uint64_t of, const char *name, uint64_t *address,
                                 uint64_t *bytes) {
    wl_call c;
    struct wire_in_SymbolGet *in = WL_BEGIN(&c, SymbolGet, 0);
    in->module = of;
    wl_span(&c, name, strlen(name));
    cudaError_t e = wl_send(&c);
    if (!e) *address = WL_OUT(&c, SymbolGet)->address, *bytes = WL_OUT(&c, SymbolGet)->bytes;
    wl_end(&c);
    return e;
}

/* Maps the server's memory for a loaded module's managed variables at its address, and sets the
 * host's pointers. This happens before a kernel of the module runs, so that a program that cannot
 * have them learns it at once. */
static cudaError_t module_map_managed(wl_module *m) {
    if (!m->managed || m->mapped) return cudaSuccess;
    wl_call c;
    struct wire_in_ModuleManaged *in = WL_BEGIN(&c, ModuleManaged, 0);
    in->module = m->handle;
    wl_span(&c, m->managed->name, strlen(m->managed->name));
    cudaError_t e = wl_send(&c);
    wl_host_block b = {.managed = true, .variables = true};
    if (!e)
        b.address = WL_OUT(&c, ModuleManaged)->address, b.bytes = WL_OUT(&c, ModuleManaged)->bytes;
    int fd = c.fd;
    wl_end(&c);
    if (!e) e = fd < 0 ? cudaErrorMemoryAllocation : wl_host_map(fd, &b);
    for (wl_variable *v = m->managed; v && !e; v = v->next_of_module) {
        uint64_t at = 0, bytes = 0;
        e = module_symbol(m->handle, v->name, &at, &bytes);
        if (!e && (bytes != v->bytes || at < b.address || at - b.address > b.bytes - bytes))
            e = cudaErrorInvalidSymbol;
        if (e) break;
        for (int d = 0; d < WL_DEVICES; d++) v->address[d] = at, v->size[d] = bytes;
        *v->managed = WL_HANDLE(void *, at);
    }
    if (e && b.address) w_cudart_managed_without_memory(NULL);
    m->mapped = !e;
    return m->error = e;
}

static cudaError_t module_load(wl_module *m, int device) {
    wl_call c;
    if (m->error) return m->error;
    if (!m->handle) {
        size_t n = fatbin_size(m->data), all = n;
        for (const void *const *p = m->more; p && *p; p++) all += fatbin_size(*p);
        struct wire_in_ModuleBegin *in = WL_BEGIN(&c, ModuleBegin, 0);
        in->bytes = all;
        cudaError_t e = wl_send(&c);
        if (!e) m->handle = WL_OUT(&c, ModuleBegin)->module;
        wl_end(&c);
        if (!e) e = module_send(m->handle, m->data, n);
        for (const void *const *p = m->more; !e && p && *p; p++)
            e = module_send(m->handle, *p, fatbin_size(*p));
        if (e) return e;
    }
    if (device < WL_DEVICES && m->loaded[device]) return cudaSuccess;
    struct wire_in_ModuleLoad *in = WL_BEGIN(&c, ModuleLoad, 0);
    in->module = m->handle;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    if (!e) e = module_map_managed(m);
    if (!e && device < WL_DEVICES) m->loaded[device] = true;
    return e;
}

/* Host code is about to use a __managed__ variable for the first time. An error has been reported
 * in a line; the program then ends at a null pointer. */
WL_EXPORT char __cudaInitModule(void **m);
char __cudaInitModule(void **m) {
    if (!m) return 0;
    pthread_mutex_lock(&wl_reg.lock);
    module_load((wl_module *)m, wl_self()->device);
    pthread_mutex_unlock(&wl_reg.lock);
    return 1;
}

/* ---- look-ups */

/* Reads KernelGet's reply. Returns NULL if it makes no sense, or memory is out. */
static wl_kernel_info *kernel_info(const wl_call *c) {
    wl_kernel_info *i = NULL;
    if (c->spans < 3 || c->span_bytes[0] != sizeof i->k || !(i = calloc(1, sizeof *i))) return NULL;
    memcpy(&i->k, c->span[0], sizeof i->k);
    i->param = malloc(c->span_bytes[1] + 8ul);
    i->name = calloc(1, c->span_bytes[2] + 1ul);
    if (!i->param || !i->name || c->span_bytes[1] != i->k.param_count * 8ul ||
        i->k.param_count > WIRE_MAX_PARAMS) {
        i->k.param_count = 0;
        return i;
    }
    memcpy(i->param, c->span[1], c->span_bytes[1]);
    memcpy(i->name, c->span[2], c->span_bytes[2]);
    for (unsigned p = 0; p < i->k.param_count; p++)
        if ((uint64_t)i->param[2 * p] + i->param[2 * p + 1] > i->k.param_bytes)
            i->k.param_count = p;
    return i;
}

cudaError_t wl_kernel_find(const void *func, const wl_kernel_info **info) {
    int device = wl_self()->device;
    cudaError_t e = cudaSuccess;
    if (!func || device >= WL_DEVICES) return cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&wl_reg.lock);
    wl_kernel *k = wl_module_kernel(func);
    if (!k) {
        pthread_mutex_unlock(&wl_reg.lock);
        return cudaErrorInvalidResourceHandle;
    }
    if (!k->info[device] && !(e = module_load(k->m, device))) {
        wl_call c;
        struct wire_in_KernelGet *in = WL_BEGIN(&c, KernelGet, 0);
        in->module = k->m->handle;
        wl_span(&c, k->name, strlen(k->name));
        e = wl_send(&c);
        wl_kernel_info *i = e ? NULL : kernel_info(&c);
        if (i) k->info[device] = i;
        wl_end(&c);
        if (!e && !i) e = cudaErrorUnknown;
    }
    *info = k->info[device];
    pthread_mutex_unlock(&wl_reg.lock);
    return e;
}

cudaError_t wl_symbol(const void *symbol, uint64_t *address, uint64_t *bytes) {
    int device = wl_self()->device;
    cudaError_t e = cudaErrorInvalidSymbol;
    if (!symbol || device >= WL_DEVICES) return e;
    pthread_mutex_lock(&wl_reg.lock);
    wl_variable *v = wl_reg.vars[wl_bucket(symbol)];
    while (v && v->host != symbol) v = v->next;
    /* a managed variable may be named by the address of its memory */
    for (wl_module *m = wl_reg.modules; !v && m; m = m->next)
        for (v = m->mapped ? m->managed : NULL; v && v->address[0] != WL_U64(symbol);)
            v = v->next_of_module;
    if (v && !v->address[device] && !(e = module_load(v->m, device)) && !v->address[device] &&
        !(e = module_symbol(v->m->handle, v->name, &v->address[device], &v->size[device])))
        wl_device_add(v->address[device], v->size[device]);
    if (v && v->address[device]) {
        *address = v->address[device];
        *bytes = v->size[device];
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&wl_reg.lock);
    return e;
}

WL_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
    pthread_mutex_lock(&wl_reg.lock);
    wl_kernel *k = wl_module_kernel(stub);
    pthread_mutex_unlock(&wl_reg.lock);
    if (!k) return wl_result(cudaErrorInvalidResourceHandle);
    *kernel = (cudaKernel_t)k; /* loaded at its launch, so that an error appears there */
    return cudaSuccess;
}

WL_EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
    return kernel ? __cudaGetKernel(kernel, stub) : wl_result(cudaErrorInvalidValue);
}

WL_EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *stub);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *stub) {
    return function ? __cudaGetKernel((cudaKernel_t *)function, stub)
                    : wl_result(cudaErrorInvalidValue);
}

WL_EXPORT cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
    uint64_t a = 0, n;
    if (!address) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = wl_symbol(symbol, &a, &n);
    if (!e) *address = WL_HANDLE(void *, a);
    return wl_result(e);
}

WL_EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    uint64_t a, n = 0;
    if (!bytes) return wl_result(cudaErrorInvalidValue);
    cudaError_t e = wl_symbol(symbol, &a, &n);
    if (!e) *bytes = n;
    return wl_result(e);
}

/* ---- libraries: the same modules, named by a handle */

static void library_drop(wl_module *m) {
    for (const void *const *p = m->more; p && *p; p++) free((void *)(uintptr_t)*p);
    free((void *)(uintptr_t)m->more);
    free((void *)(uintptr_t)m->data);
    m->data = NULL, m->more = NULL;
}
static void *bytes_copy(const void *data, size_t n) {
    void *copy = malloc(n ? n : 1);
    if (copy) memcpy(copy, data, n);
    return copy;
}
/* Copies the container and the others that its wrapper lists. Returns false if memory is out. */
static bool library_copy(wl_module *m, const void *data, size_t n, const void *const *more) {
    size_t count = 0;
    while (more && more[count]) count++;
    const void **list = calloc(count + 1, sizeof *list);
    m->data = bytes_copy(data, n), m->more = list;
    bool ok = list && m->data;
    for (size_t k = 0; ok && k < count; k++)
        ok = (list[k] = bytes_copy(more[k], fatbin_size(more[k]))) != NULL;
    if (!ok) library_drop(m);
    return ok;
}

WL_EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit,
                                          void **jit_values, unsigned jit_count, void *options,
                                          void **option_values, unsigned option_count);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit,
                                void **jit_values, unsigned jit_count, void *options,
                                void **option_values, unsigned option_count) {
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)option_values,
        (void)option_count;
    if (!library || !code) return wl_result(cudaErrorInvalidValue);
    const uint32_t *w = code;
    const void *const *more = NULL;
    if (*w == WL_WRAPPER_MAGIC) {
        if (w[1] == 2) memcpy(&more, w + 4, sizeof more);
        memcpy(&code, w + 2, sizeof code);
    }
    size_t n = fatbin_size(code);
    if (!n) {
        static bool once;
        w_cudart_library_of_what(&once);
        return wl_result(cudaErrorNotSupported);
    }
    wl_module *m = calloc(1, sizeof *m);
    if (!m || !library_copy(m, code, n, more)) {
        free(m);
        return wl_result(cudaErrorMemoryAllocation);
    }
    m->copied = true;
    pthread_mutex_lock(&wl_reg.lock);
    m->next = wl_reg.modules, wl_reg.modules = m;
    cudaError_t e = module_load(m, wl_self()->device);
    pthread_mutex_unlock(&wl_reg.lock);
    if (!e) *library = (cudaLibrary_t)m;
    return wl_result(e);
}

static wl_module *library_find(cudaLibrary_t l) {
    wl_module *m = wl_reg.modules;
    while (m && m != (wl_module *)l) m = m->next;
    return m && m->copied ? m : NULL;
}

WL_EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                           const char *name);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    if (!kernel || !name) return wl_result(cudaErrorInvalidValue);
    pthread_mutex_lock(&wl_reg.lock);
    wl_module *m = library_find(library);
    char *copy = m ? strdup(name) : NULL;
    wl_kernel *k = copy ? wl_module_add_kernel(NULL, copy, m) : NULL;
    pthread_mutex_unlock(&wl_reg.lock);
    if (!k) {
        free(copy);
        return wl_result(m ? cudaErrorMemoryAllocation : cudaErrorInvalidResourceHandle);
    }
    const wl_kernel_info *i; /* NOLINT(clang-analyzer-unix.Malloc): the kernel keeps its name */
    cudaError_t e = wl_kernel_find(k, &i);
    if (!e) *kernel = (cudaKernel_t)k;
    return wl_result(e == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : e);
}

WL_EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                           const char *name);
cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    pthread_mutex_lock(&wl_reg.lock);
    wl_module *m = library_find(library);
    cudaError_t e = m ? module_load(m, wl_self()->device) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&wl_reg.lock);
    if (e || !name) return wl_result(e ? e : cudaErrorInvalidValue);
    uint64_t a, n;
    e = module_symbol(m->handle, name, &a, &n);
    if (!e) {
        wl_device_add(a, n);
        if (address) *address = WL_HANDLE(void *, a);
        if (bytes) *bytes = n;
    }
    return wl_result(e == cudaErrorInvalidSymbol ? cudaErrorSymbolNotFound : e);
}

WL_EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    pthread_mutex_lock(&wl_reg.lock);
    wl_module *m = library_find(library);
    if (m && m->handle) {
        wl_call c;
        struct wire_in_ModuleUnload *in = WL_BEGIN(&c, ModuleUnload, 0);
        in->module = m->handle;
        wl_send(&c);
        wl_end(&c);
        m->handle = 0, m->copied = false, m->error = cudaErrorInvalidResourceHandle;
        library_drop(m);
    }
    pthread_mutex_unlock(&wl_reg.lock);
    return wl_result(m ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
