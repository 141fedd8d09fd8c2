/* The driver API's entry points, made from driver.def; contexts, errors, entry points by name.
 *
 * A context is only a name here: the server keeps one state for each device, which the runtime, the
 * primary context and all others share. The top of a thread's stack of contexts determines its
 * device. */
#include "runner/device/cudart/driver/driver.h"
#include "words/cudart.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver_context {
    int device;
    unsigned flags, retained;
    bool primary, live;
    struct driver_context *next;
};

enum { DEVICES = 16, STACK = 64 };
static struct driver_context primary[DEVICES];
/* only grows, so that the handle of a destroyed context is still recognised */
static struct driver_context *others;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int started;
static __thread struct {
    CUcontext at[STACK];
    unsigned depth;
} stack;

/* ---- results */

int driver_result(cudaError_t e) {
    switch (e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer: return DRIVER_INVALID_VALUE;
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDeviceFunction: return DRIVER_NOT_FOUND;
    default: return (int)e;
    }
}

static const struct {
    const char *name;
    int code;
} results[] = {
#define DRIVER_RESULT(name, code) {#name, code},
#include "runner/device/cudart/driver/results.def"
#undef DRIVER_RESULT
};
static const char *driver_name(int e) {
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if (results[k].code == e) return results[k].name;
    return NULL;
}
static int driver_error_name(int e, const char **text) {
    if (!text) return DRIVER_INVALID_VALUE;
    *text = driver_name(e);
    return *text ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}
static int driver_error_text(int e, const char **text) {
    static const struct {
        int code;
        const char *text;
    } own[] = {{DRIVER_NOT_INITIALIZED, "initialization error"},
               {DRIVER_INVALID_CONTEXT, "invalid device context"}};
    if (!text) return DRIVER_INVALID_VALUE;
    *text = driver_name(e) ? cudaGetErrorString(e) : NULL;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (own[k].code == e) *text = own[k].text;
    return *text ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
}

/* ---- contexts */

/* Returns whether the program itself is linked with the runtime, whose calls make a primary context
 * current: then a driver call finds one. */
static int needs_runtime(struct dl_phdr_info *i, size_t size, void *user) {
    const ElfW(Dyn) *dynamic = NULL;
    const char *strings = NULL;
    (void)size;
    for (int k = 0; k < i->dlpi_phnum; k++)
        if (i->dlpi_phdr[k].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr);
    for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_STRTAB) strings = (const char *)d->d_un.d_ptr;
    for (const ElfW(Dyn) *d = dynamic; d && strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && strstr(strings + d->d_un.d_val, "libcudart.so"))
            *(bool *)user = true;
    return 1; /* only the program, which comes first */
}
static bool mixed(void) {
    static volatile int known; /* 1: no, 2: yes */
    if (!known) {
        bool yes = false;
        dl_iterate_phdr(needs_runtime, &yes);
        known = yes ? 2 : 1;
    }
    return known == 2;
}

static CUcontext driver_current(void) {
    if (stack.depth) return stack.at[stack.depth - 1];
    int device = wl_self()->device;
    return mixed() && device < DEVICES ? &primary[device] : NULL;
}
static bool context_known(CUcontext c) {
    if (c >= primary && c < primary + DEVICES) return true;
    pthread_mutex_lock(&lock);
    CUcontext at = others;
    while (at && at != c) at = at->next;
    bool live = at && at->live;
    pthread_mutex_unlock(&lock);
    return live;
}
static void context_enter(void) {
    if (stack.depth) cudaSetDevice(stack.at[stack.depth - 1]->device);
}
static int driver_context_push(CUcontext c) {
    if (!c || !context_known(c)) return DRIVER_INVALID_CONTEXT;
    if (stack.depth == STACK) return DRIVER_OUT_OF_MEMORY;
    stack.at[stack.depth++] = c;
    context_enter();
    return DRIVER_SUCCESS;
}
static int driver_context_pop(CUcontext *to) {
    if (!stack.depth) return DRIVER_INVALID_CONTEXT;
    CUcontext c = stack.at[--stack.depth];
    if (to) *to = c;
    context_enter();
    return DRIVER_SUCCESS;
}
static int driver_context_set(CUcontext c) {
    if (c && !context_known(c)) return DRIVER_INVALID_CONTEXT;
    if (stack.depth) stack.depth--;
    return c ? driver_context_push(c) : DRIVER_SUCCESS;
}
static int driver_context_new(CUcontext *to, const void *params, unsigned flags, int d) {
    static bool once;
    if (!to) return DRIVER_INVALID_VALUE;
    if (params) {
        w_cudart_context_parameters(&once);
        return DRIVER_NOT_SUPPORTED;
    }
    CUcontext c = calloc(1, sizeof *c);
    if (!c) return DRIVER_OUT_OF_MEMORY;
    *c = (struct driver_context){.device = d, .flags = flags, .live = true};
    pthread_mutex_lock(&lock);
    c->next = others, others = c;
    pthread_mutex_unlock(&lock);
    int e = driver_context_push(c);
    if (!e) *to = c;
    return e;
}
static int driver_context_free(CUcontext c) {
    if (!c || !context_known(c) || c->primary) return DRIVER_INVALID_CONTEXT;
    cudaDeviceSynchronize();
    c->live = false;
    if (stack.depth && stack.at[stack.depth - 1] == c) driver_context_pop(NULL);
    return DRIVER_SUCCESS;
}
static int driver_context_flags(unsigned *flags) {
    if (!flags) return DRIVER_INVALID_VALUE;
    *flags = driver_current()->flags;
    return DRIVER_SUCCESS;
}

static int driver_peer(CUcontext c, bool enable, unsigned flags) {
    if (!c || !context_known(c)) return DRIVER_INVALID_CONTEXT;
    return driver_result(enable ? cudaDeviceEnablePeerAccess(c->device, flags)
                                : cudaDeviceDisablePeerAccess(c->device));
}
static int driver_copy_peer(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here,
                            size_t n, bool async, cudaStream_t s) {
    if (!there || !context_known(there) || !here || !context_known(here))
        return DRIVER_INVALID_CONTEXT;
    void *a = WL_HANDLE(void *, to);
    const void *b = WL_HANDLE(const void *, from);
    return driver_result(async ? cudaMemcpyPeerAsync(a, there->device, b, here->device, n, s)
                               : cudaMemcpyPeer(a, there->device, b, here->device, n));
}

static int driver_primary_retain(CUcontext *to, int d) {
    if (!to) return DRIVER_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    primary[d].retained++;
    pthread_mutex_unlock(&lock);
    *to = &primary[d];
    return DRIVER_SUCCESS;
}
static int driver_primary_release(int d) {
    pthread_mutex_lock(&lock);
    bool was = primary[d].retained > 0;
    primary[d].retained -= was;
    pthread_mutex_unlock(&lock);
    return was ? DRIVER_SUCCESS : DRIVER_INVALID_CONTEXT;
}
static int driver_primary_reset(int d) {
    int keep = wl_self()->device;
    cudaSetDevice(d);
    cudaError_t e = cudaDeviceReset();
    cudaSetDevice(keep);
    return driver_result(e);
}
static int driver_primary_state(int d, unsigned *flags, int *active) {
    if (!flags || !active) return DRIVER_INVALID_VALUE;
    *flags = primary[d].flags, *active = primary[d].retained > 0;
    return DRIVER_SUCCESS;
}
static int driver_primary_flags(int d, unsigned flags) {
    primary[d].flags = flags;
    return DRIVER_SUCCESS;
}

/* ---- initialisation, and requirements of the calls */

static int driver_init(unsigned flags) {
    int n;
    if (flags) return DRIVER_INVALID_VALUE;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e) return driver_result(e);
    for (int d = 0; d < DEVICES; d++) {
        primary[d].device = d;
        primary[d].primary = primary[d].live = true;
    }
    started = 1;
    return DRIVER_SUCCESS;
}
static bool driver_device(int d) {
    return d >= 0 && d < (int)wl_devices() && d < DEVICES;
}
static int need_init(void) {
    return started ? DRIVER_SUCCESS : DRIVER_NOT_INITIALIZED;
}
static int need_device(int d) {
    return !started ? DRIVER_NOT_INITIALIZED : driver_device(d) ? 0 : (int)cudaErrorInvalidDevice;
}
static int need_context(void) {
    if (!started) return DRIVER_NOT_INITIALIZED;
    CUcontext c = driver_current();
    return c && c->live ? DRIVER_SUCCESS : DRIVER_INVALID_CONTEXT;
}

/* ---- devices */

static int driver_properties(int d, struct cudaDeviceProp *p) {
    return driver_result(cudaGetDeviceProperties(p, d));
}
static int driver_device_name(char *to, int n, int d) {
    struct cudaDeviceProp p;
    if (!to || n < 1) return DRIVER_INVALID_VALUE;
    int e = driver_properties(d, &p);
    if (!e) snprintf(to, (size_t)n, "%s", p.name);
    return e;
}
static int driver_device_uuid(void *to, int d) {
    struct cudaDeviceProp p;
    if (!to) return DRIVER_INVALID_VALUE;
    int e = driver_properties(d, &p);
    if (!e) memcpy(to, &p.uuid, 16);
    return e;
}
static int driver_device_memory(size_t *n, int d) {
    struct cudaDeviceProp p;
    if (!n) return DRIVER_INVALID_VALUE;
    int e = driver_properties(d, &p);
    if (!e) *n = p.totalGlobalMem;
    return e;
}
static int driver_capability(int *major, int *minor, int d) {
    struct cudaDeviceProp p;
    if (!major || !minor) return DRIVER_INVALID_VALUE;
    int e = driver_properties(d, &p);
    if (!e) *major = p.major, *minor = p.minor;
    return e;
}

/* ---- memory */

/* CU_POINTER_ATTRIBUTE_*, CU_MEMORYTYPE_* */
static int driver_pointer_attribute(void *to, int attribute, CUdeviceptr p) {
    enum { CONTEXT = 1, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, IS_MANAGED = 8, DEVICE_ORDINAL };
    struct cudaPointerAttributes a;
    if (!to) return DRIVER_INVALID_VALUE;
    cudaError_t e = cudaPointerGetAttributes(&a, WL_HANDLE(const void *, p));
    if (e) return driver_result(e);
    if (a.type == cudaMemoryTypeUnregistered) return DRIVER_INVALID_VALUE;
    switch (attribute) {
    case CONTEXT:
        if (a.device < 0 || a.device >= DEVICES) return DRIVER_INVALID_VALUE;
        *(CUcontext *)to = &primary[a.device];
        break;
    case MEMORY_TYPE: *(unsigned *)to = a.type == cudaMemoryTypeHost ? 1 : 2; break;
    case DEVICE_POINTER: *(CUdeviceptr *)to = WL_U64(a.devicePointer); break;
    case HOST_POINTER:
        if (!a.hostPointer) return DRIVER_INVALID_VALUE;
        *(void **)to = a.hostPointer;
        break;
    case IS_MANAGED: *(bool *)to = a.type == cudaMemoryTypeManaged; break;
    case DEVICE_ORDINAL: *(int *)to = a.device; break;
    default: return DRIVER_NOT_SUPPORTED;
    }
    return DRIVER_SUCCESS;
}

/* Returns where a side begins; NULL: nowhere. */
static uint8_t *place_start(const driver_place *p) {
    uint8_t *base = p->type == 1 ? p->host : WL_HANDLE(uint8_t *, p->device);
    return base ? base + p->y * p->pitch + p->x : NULL;
}
static int driver_memcpy_2d(const driver_copy_2d *c, bool async, cudaStream_t s) {
    if (!c || c->from.type < 1 || c->from.type > 4 || c->to.type < 1 || c->to.type > 4)
        return DRIVER_INVALID_VALUE;
    if (c->from.type == DRIVER_ARRAY || c->to.type == DRIVER_ARRAY)
        return driver_memcpy_array(c, async, s);
    uint8_t *to = place_start(&c->to), *from = place_start(&c->from);
    size_t to_pitch = c->to.pitch ? c->to.pitch : c->width,
           from_pitch = c->from.pitch ? c->from.pitch : c->width;
    if (!c->width || !c->height) return DRIVER_SUCCESS;
    return driver_result(async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, c->width,
                                                   c->height, cudaMemcpyDefault, s)
                               : cudaMemcpy2D(to, to_pitch, from, from_pitch, c->width, c->height,
                                              cudaMemcpyDefault));
}

/* ---- tensor maps */

static int driver_tensor_map_ask(void *map, const wire_tensor_map *w) {
    wl_call c;
    WL_BEGIN(&c, TensorMap, 0);
    wl_span(&c, w, sizeof *w);
    cudaError_t e = wl_send(&c);
    if (!e && c.spans && c.span_bytes[0] == WIRE_TENSOR_MAP_BYTES)
        memcpy(map, c.span[0], WIRE_TENSOR_MAP_BYTES);
    else if (!e) e = cudaErrorUnknown;
    wl_end(&c);
    return driver_result(e);
}

/* The fields that both kinds of tensor maps have. enums: type, rank, interleave, swizzle,
 * promotion, fill. The array of strides has one element less than the others. Returns false if it
 * is invalid. */
static bool driver_tensor(wire_tensor_map *w, const void *map, const void *address,
                          const uint64_t *dim, const uint64_t *stride, const unsigned *step,
                          const unsigned enums[6]) {
    enum { ALIGN = 64 };
    *w = (wire_tensor_map){.address = WL_U64(address),
                           .type = enums[0],
                           .rank = enums[1],
                           .interleave = enums[2],
                           .swizzle = enums[3],
                           .promotion = enums[4],
                           .fill = enums[5]};
    unsigned rank = w->rank;
    if (!map || WL_U64(map) % ALIGN || !address || !dim || !step || rank < 1 ||
        rank > WIRE_TENSOR_DIMS || (rank > 1 && !stride))
        return false;
    for (unsigned k = 0; k < rank; k++) {
        w->dim[k] = dim[k], w->step[k] = step[k];
        if (k + 1 < rank) w->stride[k] = stride[k];
    }
    return true;
}

static int driver_tensor_map(void *map, const void *address, const uint64_t *dim,
                             const uint64_t *stride, const unsigned *box, const unsigned *step,
                             const unsigned enums[6]) {
    wire_tensor_map w;
    if (!driver_tensor(&w, map, address, dim, stride, step, enums) || !box)
        return DRIVER_INVALID_VALUE;
    for (unsigned k = 0; k < w.rank; k++) w.box[k] = box[k];
    return driver_tensor_map_ask(map, &w);
}

/* corners: the lower and the upper one, along W, H and D; counts: channels, pixels. */
static int driver_im2col(void *map, const void *address, const uint64_t *dim,
                         const uint64_t *stride, const int *const corners[2],
                         const unsigned counts[2], const unsigned *step, const unsigned enums[6]) {
    wire_tensor_map w;
    if (!driver_tensor(&w, map, address, dim, stride, step, enums) || w.rank < 3 || !corners[0] ||
        !corners[1])
        return DRIVER_INVALID_VALUE;
    w.im2col = 1, w.box[0] = counts[0], w.pixels = counts[1];
    for (unsigned k = 0; k + 2 < w.rank; k++)
        w.lower[k] = corners[0][k], w.upper[k] = corners[1][k];
    return driver_tensor_map_ask(map, &w);
}

/* ---- entry points by name, and those for libraries that contain a runtime of their own */

const char *driver_caller(const void *code, char *text, size_t n) {
    Dl_info i = {0};
    snprintf(text, n, "the program");
    if (!dladdr(code, &i) || !i.dli_fname) return text;
    const char *slash = strrchr(i.dli_fname, '/');
    snprintf(text, n, "%s", slash ? slash + 1 : i.dli_fname);
    return text;
}

static int driver_export_table(const void **table, const void *id, const void *caller) {
    static bool once;
    char name[256];
    (void)id;
    if (table) *table = NULL;
    w_cudart_own_runtime(&once, driver_caller(caller, name, sizeof name));
    return DRIVER_NOT_FOUND;
}

static int driver_address(const char *name, void **to, int version, uint64_t flags, int *status) {
    bool known;
    (void)flags;
    if (!name || !to) return DRIVER_INVALID_VALUE;
    driver_entry f = driver_find(name, version, &known);
    memcpy(to, &f, sizeof *to);
    if (status) *status = f ? 0 : known ? 2 : 1; /* CU_GET_PROC_ADDRESS_* */
    return f || status ? DRIVER_SUCCESS : DRIVER_NOT_FOUND;
}
static cudaError_t runtime_address(const char *name, void **to, int version, int *status) {
    int e = driver_init(0);
    return e ? (cudaError_t)e
             : wl_result((cudaError_t)driver_address(name, to, version, 0, status));
}
#define DRIVER_ENTRY(suffix)                                                                       \
    WL_DEFINE(cudaGetDriverEntryPoint##suffix,                                                     \
              (const char *name, void **to, unsigned long long flags, int *status), {              \
                  (void)flags;                                                                     \
                  return runtime_address(name, to, 13000, status);                                 \
              })                                                                                   \
    WL_DEFINE(                                                                                     \
        cudaGetDriverEntryPointByVersion##suffix,                                                  \
        (const char *name, void **to, unsigned version, unsigned long long flags, int *status), {  \
            (void)flags;                                                                           \
            return runtime_address(name, to, (int)version, status);                                \
        })
DRIVER_ENTRY()
DRIVER_ENTRY(_ptsz)

/* ---- driver.def: the functions and the table of their names */

#define RT(call)     driver_result(call)
#define NEED_NOTHING 0
#define NEED_INIT    need_init()
#define NEED_DEVICE  need_device(d)
#define NEED_CONTEXT need_context()
#define COPY(to, from, n, kind)                                                                    \
    RT(cudaMemcpy(WL_HANDLE(void *, to), WL_HANDLE(const void *, from), n, cudaMemcpy##kind))
#define COPY_IN(to, from, n, kind, s)                                                              \
    RT(cudaMemcpyAsync(WL_HANDLE(void *, to), WL_HANDLE(const void *, from), n, cudaMemcpy##kind,  \
                       s))
#define FILL(p, ...) RT(wl_fill(WL_HANDLE(void *, p), __VA_ARGS__))
/* Driver calls do not change the runtime's last error. */
#define DRIVER(name, symbol, needs, doc, params, ...)                                              \
    WL_EXPORT int symbol params;                                                                   \
    int symbol params {                                                                            \
        cudaError_t last = wl_self()->last;                                                        \
        int e_ = NEED_##needs;                                                                     \
        if (!e_) e_ = (__VA_ARGS__);                                                               \
        wl_self()->last = last;                                                                    \
        return e_;                                                                                 \
    }
#include "runner/device/cudart/driver/driver.def"
#undef DRIVER

#define DRIVER_MISSING(name)                                                                       \
    WL_EXPORT int name(void);                                                                      \
    int name(void) {                                                                               \
        static bool once;                                                                          \
        w_cudart_not_supported(&once, #name);                                                      \
        return DRIVER_NOT_SUPPORTED;                                                               \
    }
#include "runner/device/cudart/driver/missing.def"
#undef DRIVER_MISSING

/* Names that meant other functions in older versions (cudaTypedefs.h). NULL: that version had none;
 * *listed: it is such a name. */
static driver_entry find_version(const char *name, int version, bool *listed) {
    static const struct {
        const char *name;
        int since;
        driver_entry entry;
    } rows[] = {{"cuCtxCreate", 12050, (driver_entry)cuCtxCreate_v4},
                {"cuCtxCreate", 11040, (driver_entry)cuCtxCreate_v3},
                {"cuCtxCreate", 3020, (driver_entry)cuCtxCreate_v2},
                {"cuGetProcAddress", 12000, (driver_entry)cuGetProcAddress_v2},
                {"cuGetProcAddress", 11030, (driver_entry)cuGetProcAddress}};
    *listed = false;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (strcmp(rows[k].name, name)) continue;
        *listed = true;
        if (version >= rows[k].since) return rows[k].entry;
    }
    return NULL;
}

driver_entry driver_find(const char *name, int version, bool *known) {
    static const struct {
        const char *name;
        driver_entry entry;
    } rows[] = {
#define DRIVER(name, symbol, needs, doc, params, ...) {#name, (driver_entry)symbol},
#include "runner/device/cudart/driver/driver.def"
#undef DRIVER
    };
    static const char *const missing[] = {
#define DRIVER_MISSING(name) #name,
#include "runner/device/cudart/driver/missing.def"
#undef DRIVER_MISSING
    };
    driver_entry f = find_version(name, version, known);
    if (*known) return f;
    *known = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, name)) return rows[k].entry;
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
        if (!strncmp(missing[k], name, strlen(name)) &&
            (!missing[k][strlen(name)] || !strncmp(missing[k] + strlen(name), "_v", 2)))
            return NULL;
    *known = false;
    return NULL;
}
