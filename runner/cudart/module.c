/* What a program registers before main(): fat binaries, kernels, variables. Nothing is sent until a
 * kernel or variable is first used; then its fat binary goes over once, and is loaded once a
 * device.
 *
 *   __cudaRegisterFatBinary, __cudaRegisterFunction, ... --> tables below
 *   __cudaGetKernel, launches, symbols                   --> ModuleBegin/Data/Load, KernelGet, SymbolGet */
#include "runner/cudart/client.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 16 };

typedef struct variable variable;
typedef struct module {
    const void *data;        /* the container: magic 0xBA55ED50 */
    const void *const *more; /* -rdc=true: further containers, NULL-terminated */
    uint64_t handle;         /* 0: not sent */
    bool loaded[DEVICES];
    bool copied;       /* data is ours (cudaLibraryLoadData) */
    cudaError_t error; /* of sending */
    variable *managed; /* its __managed__ variables */
    bool mapped;       /* they have their memory */
    struct module *next;
} module;

struct wl_kernel {
    const void *stub; /* the host function; NULL: of a library */
    const char *name;
    module *m;
    wl_kernel_info *info[DEVICES];
    wl_kernel *next; /* in its bucket */
};

struct variable {
    const void *host;
    void **managed; /* the host's pointer to a __managed__ variable */
    const char *name;
    size_t bytes;
    module *m;
    uint64_t address[DEVICES], size[DEVICES];
    variable *next;           /* in its bucket */
    variable *next_of_module; /* among the managed ones */
};

enum { BUCKETS = 1024 };
static struct {
    pthread_mutex_t lock; /* taken before the connection's lock, never after */
    module *modules;
    wl_kernel *by_stub[BUCKETS], *by_handle[BUCKETS];
    variable *vars[BUCKETS];
} reg = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned bucket(const void *p) {
    return (unsigned)((WL_U64(p) >> 4) * 0x9e3779b97f4a7c15u >> 54);
}

/* A cudaKernel_t is the address of a wl_kernel. Which addresses are ours is kept in by_handle, so
 * that any pointer may be asked about. */
typedef struct handle {
    wl_kernel *k;
    struct handle *next;
} handle;
static handle *handles[BUCKETS];

static wl_kernel *add_kernel(const void *stub, const char *name, module *m) {
    wl_kernel *k = calloc(1, sizeof *k);
    handle *h = calloc(1, sizeof *h);
    if (!k || !h) {
        free(k), free(h);
        return NULL;
    }
    k->stub = stub, k->name = name, k->m = m;
    if (stub) {
        k->next = reg.by_stub[bucket(stub)];
        reg.by_stub[bucket(stub)] = k;
    }
    h->k = k;
    h->next = handles[bucket(k)];
    handles[bucket(k)] = h;
    return k;
}

static wl_kernel *find_kernel(const void *func) {
    for (wl_kernel *k = reg.by_stub[bucket(func)]; k; k = k->next)
        if (k->stub == func) return k;
    for (handle *h = handles[bucket(func)]; h; h = h->next)
        if (h->k == func) return h->k;
    return NULL;
}

/* ---- sending fat binaries */

typedef struct {
    uint32_t magic;
    uint16_t version, header;
    uint64_t size;
} fatbin;
enum { FATBIN_MAGIC = 0xBA55ED50u, WRAPPER_MAGIC = 0x466243b1 };

static size_t fatbin_bytes(const void *data) {
    fatbin f;
    if (!data) return 0;
    memcpy(&f, data, sizeof f);
    return f.magic == FATBIN_MAGIC && f.size < (uint64_t)1 << 40 ? f.header + f.size : 0;
}

static cudaError_t send_bytes(uint64_t to, const uint8_t *p, size_t n) {
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

static cudaError_t symbol_get(uint64_t of, const char *name, uint64_t *address, uint64_t *bytes) {
    wl_call c;
    struct wire_in_SymbolGet *in = WL_BEGIN(&c, SymbolGet, 0);
    in->module = of;
    wl_span(&c, name, strlen(name));
    cudaError_t e = wl_send(&c);
    if (!e) *address = WL_OUT(&c, SymbolGet)->address, *bytes = WL_OUT(&c, SymbolGet)->bytes;
    wl_end(&c);
    return e;
}

/* A loaded module's managed variables: maps the server's memory of them at their address, and tells
 * the host's pointers. Before a kernel of the module runs, so that a program that cannot have them
 * hears it at once. */
static cudaError_t map_managed(module *m) {
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
    for (variable *v = m->managed; v && !e; v = v->next_of_module) {
        uint64_t at = 0, bytes = 0;
        e = symbol_get(m->handle, v->name, &at, &bytes);
        if (!e && (bytes != v->bytes || at < b.address || at - b.address > b.bytes - bytes))
            e = cudaErrorInvalidSymbol;
        if (e) break;
        for (int d = 0; d < DEVICES; d++) v->address[d] = at, v->size[d] = bytes;
        *v->managed = WL_HANDLE(void *, at);
    }
    if (e && b.address) wl_say(NULL, "the __managed__ variables have no memory on the host");
    m->mapped = !e;
    return m->error = e;
}

static cudaError_t load(module *m, int device) {
    wl_call c;
    if (m->error) return m->error;
    if (!m->handle) {
        size_t n = fatbin_bytes(m->data), all = n;
        for (const void *const *p = m->more; p && *p; p++) all += fatbin_bytes(*p);
        struct wire_in_ModuleBegin *in = WL_BEGIN(&c, ModuleBegin, 0);
        in->bytes = all;
        cudaError_t e = wl_send(&c);
        if (!e) m->handle = WL_OUT(&c, ModuleBegin)->module;
        wl_end(&c);
        if (!e) e = send_bytes(m->handle, m->data, n);
        for (const void *const *p = m->more; !e && p && *p; p++)
            e = send_bytes(m->handle, *p, fatbin_bytes(*p));
        if (e) return e;
    }
    if (device < DEVICES && m->loaded[device]) return cudaSuccess;
    struct wire_in_ModuleLoad *in = WL_BEGIN(&c, ModuleLoad, 0);
    in->module = m->handle;
    cudaError_t e = wl_send(&c);
    wl_end(&c);
    if (!e) e = map_managed(m);
    if (!e && device < DEVICES) m->loaded[device] = true;
    return e;
}

/* ---- registration */

WL_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper) {
    const struct {
        uint32_t magic, version;
        const void *data;
        const void *const *more;
    } *w = wrapper;
    module *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    if (w && w->magic == WRAPPER_MAGIC) {
        m->data = w->data;
        if (w->version == 2) m->more = w->more;
    }
    pthread_mutex_lock(&reg.lock);
    m->next = reg.modules;
    reg.modules = m;
    pthread_mutex_unlock(&reg.lock);
    return (void **)m;
}

WL_EXPORT void __cudaRegisterFatBinaryEnd(void **m);
void __cudaRegisterFatBinaryEnd(void **m) {
    (void)m;
}
WL_EXPORT void __cudaUnregisterFatBinary(void **m);
/* At exit. The server drops a client's modules with the client. */
void __cudaUnregisterFatBinary(void **m) {
    (void)m;
}

WL_EXPORT void __cudaRegisterFunction(void **m, const char *stub, char *device_fun,
                                      const char *name, int limit, void *tid, void *bid, void *bdim,
                                      void *gdim, int *warp);
void __cudaRegisterFunction(void **m, const char *stub, char *device_fun, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *warp) {
    (void)device_fun, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)warp;
    pthread_mutex_lock(&reg.lock);
    if (m) add_kernel(stub, name, (module *)m);
    pthread_mutex_unlock(&reg.lock);
}

static void add_variable(void **m, const void *host, void **managed, const char *name,
                         size_t bytes) {
    variable *v = calloc(1, sizeof *v);
    if (!v || !m) {
        free(v);
        return;
    }
    v->host = host, v->managed = managed, v->name = name, v->bytes = bytes, v->m = (module *)m;
    pthread_mutex_lock(&reg.lock);
    v->next = reg.vars[bucket(host)];
    reg.vars[bucket(host)] = v;
    if (managed) {
        variable **end = &v->m->managed;
        while (*end) end = &(*end)->next_of_module;
        *end = v;
    }
    pthread_mutex_unlock(&reg.lock);
}

WL_EXPORT void __cudaRegisterVar(void **m, char *host, char *device, const char *name, int ext,
                                 size_t size, int constant, int global);
void __cudaRegisterVar(void **m, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(m, host, NULL, name, size);
}
WL_EXPORT void __cudaRegisterHostVar(void **m, const char *name, char *host, size_t size);
void __cudaRegisterHostVar(void **m, const char *name, char *host, size_t size) {
    (void)m, (void)name, (void)host, (void)size;
}
WL_EXPORT void __cudaRegisterManagedVar(void **m, void **host, char *device, const char *name,
                                        int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **m, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    add_variable(m, host, host, name, size);
}
WL_EXPORT cudaError_t __cudaRegisterUnifiedTable(void **m, void *table);
cudaError_t __cudaRegisterUnifiedTable(void **m, void *table) {
    (void)m, (void)table;
    return cudaSuccess;
}

/* Host code is about to use a __managed__ variable for the first time. An error has been told in a
 * line; the program then ends at a null pointer. */
WL_EXPORT char __cudaInitModule(void **m);
char __cudaInitModule(void **m) {
    if (!m) return 0;
    pthread_mutex_lock(&reg.lock);
    load((module *)m, wl_self()->device);
    pthread_mutex_unlock(&reg.lock);
    return 1;
}

/* ---- lookups */

cudaError_t wl_kernel_find(const void *func, const wl_kernel_info **info) {
    int device = wl_self()->device;
    cudaError_t e = cudaSuccess;
    if (!func || device >= DEVICES) return cudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&reg.lock);
    wl_kernel *k = find_kernel(func);
    if (!k) {
        pthread_mutex_unlock(&reg.lock);
        return cudaErrorInvalidResourceHandle;
    }
    if (!k->info[device] && !(e = load(k->m, device))) {
        wl_call c;
        wl_kernel_info *i = NULL;
        struct wire_in_KernelGet *in = WL_BEGIN(&c, KernelGet, 0);
        in->module = k->m->handle;
        wl_span(&c, k->name, strlen(k->name));
        e = wl_send(&c);
        if (!e && c.spans >= 3 && c.span_bytes[0] == sizeof i->k && (i = calloc(1, sizeof *i))) {
            memcpy(&i->k, c.span[0], sizeof i->k);
            i->param = malloc(c.span_bytes[1] + 8ul);
            i->name = calloc(1, c.span_bytes[2] + 1ul);
            if (i->param && i->name && c.span_bytes[1] == i->k.param_count * 8ul &&
                i->k.param_count <= WIRE_MAX_PARAMS) {
                memcpy(i->param, c.span[1], c.span_bytes[1]);
                memcpy(i->name, c.span[2], c.span_bytes[2]);
                for (unsigned p = 0; p < i->k.param_count; p++)
                    if ((uint64_t)i->param[2 * p] + i->param[2 * p + 1] > i->k.param_bytes)
                        i->k.param_count = p;
            } else {
                i->k.param_count = 0;
            }
            k->info[device] = i;
        }
        wl_end(&c);
        if (!e && !i) e = cudaErrorUnknown;
    }
    *info = k->info[device];
    pthread_mutex_unlock(&reg.lock);
    return e;
}

cudaError_t wl_symbol(const void *symbol, uint64_t *address, uint64_t *bytes) {
    int device = wl_self()->device;
    cudaError_t e = cudaErrorInvalidSymbol;
    if (!symbol || device >= DEVICES) return e;
    pthread_mutex_lock(&reg.lock);
    variable *v = reg.vars[bucket(symbol)];
    while (v && v->host != symbol) v = v->next;
    /* a managed variable is named by the address of its memory */
    for (module *m = reg.modules; !v && m; m = m->next)
        for (v = m->mapped ? m->managed : NULL; v && v->address[0] != WL_U64(symbol);)
            v = v->next_of_module;
    if (v && !v->address[device] && !(e = load(v->m, device)) && !v->address[device] &&
        !(e = symbol_get(v->m->handle, v->name, &v->address[device], &v->size[device])))
        wl_device_add(v->address[device], v->size[device]);
    if (v && v->address[device]) {
        *address = v->address[device];
        *bytes = v->size[device];
        e = cudaSuccess;
    }
    pthread_mutex_unlock(&reg.lock);
    return e;
}

/* Infos stay allocated: another thread may be reading one. */
void wl_kernels_reset(int device) {
    if (device >= DEVICES) return;
    pthread_mutex_lock(&reg.lock);
    for (module *m = reg.modules; m; m = m->next) m->loaded[device] = false;
    for (unsigned b = 0; b < BUCKETS; b++) {
        for (handle *h = handles[b]; h; h = h->next) h->k->info[device] = NULL;
        for (variable *v = reg.vars[b]; v; v = v->next)
            if (!v->managed) v->address[device] = 0;
    }
    pthread_mutex_unlock(&reg.lock);
}

WL_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
    pthread_mutex_lock(&reg.lock);
    wl_kernel *k = find_kernel(stub);
    pthread_mutex_unlock(&reg.lock);
    if (!k) return wl_result(cudaErrorInvalidResourceHandle);
    *kernel = (cudaKernel_t)k; /* loaded when launched, so that an error shows there */
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
    if (*w == WRAPPER_MAGIC) memcpy(&code, w + 2, sizeof code);
    size_t n = fatbin_bytes(code);
    if (!n) {
        static bool once;
        wl_say(&once, "cudaLibraryLoadData takes fat binaries only");
        return wl_result(cudaErrorNotSupported);
    }
    void *copy = malloc(n);
    module *m = calloc(1, sizeof *m);
    if (!copy || !m) {
        free(copy), free(m);
        return wl_result(cudaErrorMemoryAllocation);
    }
    memcpy(copy, code, n);
    m->data = copy, m->copied = true;
    pthread_mutex_lock(&reg.lock);
    m->next = reg.modules, reg.modules = m;
    cudaError_t e = load(m, wl_self()->device);
    pthread_mutex_unlock(&reg.lock);
    if (!e) *library = (cudaLibrary_t)m;
    return wl_result(e);
}

static module *find_library(cudaLibrary_t l) {
    module *m = reg.modules;
    while (m && m != (module *)l) m = m->next;
    return m && m->copied ? m : NULL;
}

WL_EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                           const char *name);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    if (!kernel || !name) return wl_result(cudaErrorInvalidValue);
    pthread_mutex_lock(&reg.lock);
    module *m = find_library(library);
    char *copy = m ? strdup(name) : NULL;
    wl_kernel *k = copy ? add_kernel(NULL, copy, m) : NULL;
    pthread_mutex_unlock(&reg.lock);
    if (!k) {
        free(copy);
        return wl_result(m ? cudaErrorMemoryAllocation : cudaErrorInvalidResourceHandle);
    }
    const wl_kernel_info *i;
    cudaError_t e = wl_kernel_find(k, &i);
    if (!e) *kernel = (cudaKernel_t)k;
    return wl_result(e == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : e);
}

WL_EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                           const char *name);
cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    pthread_mutex_lock(&reg.lock);
    module *m = find_library(library);
    cudaError_t e = m ? load(m, wl_self()->device) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&reg.lock);
    if (e || !name) return wl_result(e ? e : cudaErrorInvalidValue);
    uint64_t a, n;
    e = symbol_get(m->handle, name, &a, &n);
    if (!e) {
        wl_device_add(a, n);
        if (address) *address = WL_HANDLE(void *, a);
        if (bytes) *bytes = n;
    }
    return wl_result(e == cudaErrorInvalidSymbol ? cudaErrorSymbolNotFound : e);
}

WL_EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    pthread_mutex_lock(&reg.lock);
    module *m = find_library(library);
    if (m && m->handle) {
        wl_call c;
        struct wire_in_ModuleUnload *in = WL_BEGIN(&c, ModuleUnload, 0);
        in->module = m->handle;
        wl_send(&c);
        wl_end(&c);
        m->handle = 0, m->copied = false, m->error = cudaErrorInvalidResourceHandle;
        free((void *)(uintptr_t)m->data);
        m->data = NULL;
    }
    pthread_mutex_unlock(&reg.lock);
    return wl_result(m ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
