/* Registrations of a program before main(): fat binaries, kernels, variables. Nothing is sent until
 * a kernel or variable is first used (load.c).
 *
 *   __cudaRegisterFatBinary, __cudaRegisterFunction, ... --> tables below */
#include "runner/device/cudart/module.h"

#include <stdlib.h>

wl_registry wl_reg = {.lock = PTHREAD_MUTEX_INITIALIZER};

unsigned wl_bucket(const void *p) {
    return (unsigned)((WL_U64(p) >> 4) * 0x9e3779b97f4a7c15u >> 54);
}

/* A cudaKernel_t is the address of a wl_kernel. `handles` has the addresses that are ours, so that
 * any pointer may be checked. */
typedef struct handle {
    wl_kernel *k;
    struct handle *next;
} handle;

static handle *handles[WL_BUCKETS];

wl_kernel *wl_module_add_kernel(const void *stub, const char *name, wl_module *m) {
    wl_kernel *k = calloc(1, sizeof *k);
    handle *h = calloc(1, sizeof *h);
    if (!k || !h) {
        free(k), free(h);
        return NULL;
    }
    k->stub = stub, k->name = name, k->m = m;
    if (stub) {
        k->next = wl_reg.by_stub[wl_bucket(stub)];
        wl_reg.by_stub[wl_bucket(stub)] = k;
    }
    h->k = k;
    h->next = handles[wl_bucket(k)];
    handles[wl_bucket(k)] = h;
    return k;
}

wl_kernel *wl_module_kernel(const void *func) {
    for (wl_kernel *k = wl_reg.by_stub[wl_bucket(func)]; k; k = k->next)
        if (k->stub == func) return k;
    for (handle *h = handles[wl_bucket(func)]; h; h = h->next)
        if (h->k == func) return h->k;
    return NULL;
}

/* Infos stay allocated, because another thread may be reading one. */
void wl_kernels_reset(int device) {
    if (device >= WL_DEVICES) return;
    pthread_mutex_lock(&wl_reg.lock);
    for (wl_module *m = wl_reg.modules; m; m = m->next) m->loaded[device] = false;
    for (unsigned b = 0; b < WL_BUCKETS; b++) {
        for (handle *h = handles[b]; h; h = h->next) h->k->info[device] = NULL;
        for (wl_variable *v = wl_reg.vars[b]; v; v = v->next)
            if (!v->managed) v->address[device] = 0;
    }
    pthread_mutex_unlock(&wl_reg.lock);
}

/* ---- registration */

WL_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper) {
    const struct {
        uint32_t magic, version;
        const void *data;
        const void *const *more;
    } *w = wrapper;
    wl_module *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    if (w && w->magic == WL_WRAPPER_MAGIC) {
        m->data = w->data;
        if (w->version == 2) m->more = w->more;
    }
    pthread_mutex_lock(&wl_reg.lock);
    m->next = wl_reg.modules;
    wl_reg.modules = m;
    pthread_mutex_unlock(&wl_reg.lock);
    return (void **)m;
}

WL_EXPORT void __cudaRegisterFatBinaryEnd(void **m);
void __cudaRegisterFatBinaryEnd(void **m) {
    (void)m;
}

WL_EXPORT void __cudaUnregisterFatBinary(void **m);
/* At exit. The server frees a client's modules with the client. */
void __cudaUnregisterFatBinary(void **m) {
    (void)m;
}

WL_EXPORT void __cudaRegisterFunction(void **m, const char *stub, char *device_fun,
                                      const char *name, int limit, void *tid, void *bid, void *bdim,
                                      void *gdim, int *warp);
void __cudaRegisterFunction(void **m, const char *stub, char *device_fun, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *warp) {
    (void)device_fun, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)warp;
    pthread_mutex_lock(&wl_reg.lock);
    if (m) wl_module_add_kernel(stub, name, (wl_module *)m);
    pthread_mutex_unlock(&wl_reg.lock);
}

static void module_add_variable(void **m, const void *host, void **managed, const char *name,
                                size_t bytes) {
    wl_variable *v = calloc(1, sizeof *v);
    if (!v || !m) {
        free(v);
        return;
    }
    v->host = host, v->managed = managed, v->name = name, v->bytes = bytes, v->m = (wl_module *)m;
    pthread_mutex_lock(&wl_reg.lock);
    v->next = wl_reg.vars[wl_bucket(host)];
    wl_reg.vars[wl_bucket(host)] = v;
    if (managed) {
        wl_variable **end = &v->m->managed;
        while (*end) end = &(*end)->next_of_module;
        *end = v;
    }
    pthread_mutex_unlock(&wl_reg.lock);
}

WL_EXPORT void __cudaRegisterVar(void **m, char *host, char *device, const char *name, int ext,
                                 size_t size, int constant, int global);
void __cudaRegisterVar(void **m, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global) {
    (void)device, (void)ext, (void)constant, (void)global;
    module_add_variable(m, host, NULL, name, size);
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
    module_add_variable(m, host, host, name, size);
}

WL_EXPORT cudaError_t __cudaRegisterUnifiedTable(void **m, void *table);
cudaError_t __cudaRegisterUnifiedTable(void **m, void *table) {
    (void)m, (void)table;
    return cudaSuccess;
}
