/* Modules: a program's fat binaries, loaded on a device when first needed there.
 *
 *   ModuleBegin, ModuleData --bytes--> load() --> the backend's module
 *                                       its __managed__ variables: place_managed() --> host memory that the
 *                                       devices see
 *   ModuleManaged --> the descriptor of that memory, which the client maps at the same address */
#include "runner/base/message.h"
#include "runner/device/server.h"
#include "runner/sim/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- managed variables */

/* As far apart as allocations are, so that what runs off the end of one does not find the next. */
enum { VARIABLE_UNIT = 256 };

static void drop_managed(dev_client *c, dev_module *m) {
    for (size_t i = m->managed.count; i--;) /* the last first: tables are sorted */
        for (unsigned d = 0; d < c->s->count; d++) HW(dev_hw(c, d), unmap, m->managed.v[i].at);
    if (m->managed.host) {
        munmap(m->managed.host, m->managed.map_bytes);
        c->host_bytes -= m->managed.map_bytes;
        if (!m->managed.given) close(m->managed.fd);
    }
    free(m->managed.v);
    memset(&m->managed, 0, sizeof m->managed);
}

/* The block of a module's variables, and where in it each lies. */
static sim_status make_managed(dev_client *c, dev_module *m, const sim_managed *v, size_t n) {
    uint64_t bytes = 0;
    if (!(m->managed.v = calloc(n, sizeof *v))) return SIM_NOMEM;
    for (size_t i = 0; i < n; i++) {
        m->managed.v[i] = (sim_managed){dev_intern(c, v[i].name), v[i].bytes, bytes};
        if (!v[i].bytes || v[i].bytes > DEV_HOST_BYTES - bytes) return SIM_NOMEM;
        bytes += (v[i].bytes / VARIABLE_UNIT + 2) * VARIABLE_UNIT; /* with a gap */
        if (bytes > DEV_HOST_BYTES) return SIM_NOMEM;
    }
    bytes = (bytes + 4095) & ~4095ull;
    if (!dev_host_room(c, bytes) || !(m->managed.base = dev_host_address(c, bytes)))
        return SIM_NOMEM;
    int fd = dev_shared("warplab-managed", bytes, &m->managed.host);
    if (fd < 0) {
        m->managed.host = NULL;
        return SIM_NOMEM;
    }
    m->managed.fd = fd, m->managed.map_bytes = bytes, m->managed.count = n;
    c->host_bytes += bytes;
    return SIM_OK;
}

/* Makes them visible to the devices, and something that the client may name. */
static sim_status show_managed(dev_client *c, dev_module *m, unsigned device) {
    const dev_backend *backend = dev_hw(c, device)->backend;
    for (size_t i = 0; i < m->managed.count; i++) m->managed.v[i].at += m->managed.base;
    for (size_t i = 0; i < m->managed.count; i++) {
        const sim_managed *v = &m->managed.v[i];
        uint8_t *host = (uint8_t *)m->managed.host + (v->at - m->managed.base);
        for (unsigned d = 0; d < c->s->count; d++) {
            if (dev_hw(c, d)->backend != backend) continue; /* a GPU loads no such module */
            sim_status s = HW(dev_hw(c, d), map, host, v->bytes, v->at, false, -1, 0, 0);
            if (s) return s;
        }
        const dev_mem mem = {.base = v->at,
                             .bytes = v->bytes,
                             .kind = DEV_MEM_VARIABLE,
                             .device = device,
                             .on_host = true,
                             .preferred_id = -2,
                             .prefetch_id = -2};
        if (!dev_mem_add(c, &mem)) return SIM_NOMEM;
    }
    return SIM_OK;
}

typedef struct {
    dev_client *c;
    dev_module *m;
    unsigned device;
} placing;

/* sim_place_managed: the first device that loads the module makes the memory, the others find
 * it. */
static sim_status place_managed(void *user, sim_managed *v, size_t n, bool *fresh) {
    const placing *p = user;
    dev_module *m = p->m;
    *fresh = !m->managed.count;
    if (*fresh) {
        sim_status s = make_managed(p->c, m, v, n);
        if (!s) s = show_managed(p->c, m, p->device);
        if (s) {
            for (size_t i = m->managed.count; i--;) dev_mem_remove(p->c, m->managed.v[i].at);
            drop_managed(p->c, m);
            return s;
        }
    }
    /* Another device may have got other PTX of the same fat binary. */
    bool same = n == m->managed.count;
    for (size_t i = 0; i < n && same; i++)
        same = !strcmp(v[i].name, m->managed.v[i].name) && v[i].bytes == m->managed.v[i].bytes;
    for (size_t i = 0; i < n && same; i++) v[i].at = m->managed.v[i].at;
    return same ? SIM_OK : SIM_UNSUPPORTED;
}

void dev_module_free(dev_client *c, dev_module *m) {
    for (unsigned d = 0; d < DEV_MAX; d++)
        if (m->on[d]) HW(m->device[d], module_free, m->on[d]);
    drop_managed(c, m);
    free(m->data);
    free(m);
}

void dev_modules_reset(dev_client *c, unsigned device) {
    for (size_t i = 0; i < c->module_count; i++)
        if (c->modules[i]->on[device])
            HW(dev_hw(c, device), module_reset, c->modules[i]->on[device]);
}

void dev_unsupported(dev_client *c, const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    const char *s = dev_intern(c, text);
    for (size_t i = 0; i < c->log.unsupported_count; i++)
        if (c->log.unsupported[i] == s) return;
    if (c->log.unsupported_count < DEV_UNSUPPORTED)
        c->log.unsupported[c->log.unsupported_count++] = s;
}

cudaError_t dev_on_ModuleBegin(dev_call *k, const struct wire_in_ModuleBegin *in,
                               struct wire_out_ModuleBegin *out) {
    dev_client *c = k->c;
    if (in->bytes > DEV_MODULE_BYTES || c->module_bytes > DEV_MODULE_BYTES - in->bytes) {
        snprintf(k->note, sizeof k->note, "the program's device code is larger than %llu MiB",
                 (unsigned long long)(DEV_MODULE_BYTES >> 20));
        return cudaErrorMemoryAllocation;
    }
    dev_module *m = calloc(1, sizeof *m);
    void *more = realloc(c->modules, (c->module_count + 1) * sizeof(dev_module *));
    if (more) c->modules = more;
    if (!m || !more || !(m->data = malloc(in->bytes ? in->bytes : 1)) ||
        !(m->handle = dev_object_new(c, DEV_MODULE, m))) {
        if (m) free(m->data);
        free(m);
        return cudaErrorMemoryAllocation;
    }
    m->bytes = in->bytes;
    c->module_bytes += in->bytes;
    c->modules[c->module_count++] = m;
    out->module = m->handle;
    return cudaSuccess;
}

cudaError_t dev_on_ModuleData(dev_call *k, const struct wire_in_ModuleData *in,
                              struct wire_out_ModuleData *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    (void)out;
    if (!m || k->span_bytes[0] > m->bytes - m->have) return cudaErrorInvalidValue;
    memcpy(m->data + m->have, k->span[0], k->span_bytes[0]);
    m->have += k->span_bytes[0];
    return cudaSuccess;
}

/* The first failure is told, as a line for the program's stderr and in the list of what is
 * unsupported, and kept. */
static cudaError_t load(dev_call *k, dev_module *m) {
    dev_client *c = k->c;
    dev_device *d = &c->s->device[k->device];
    sim_status s;
    lib_message msg = {0};
    if (m->on[k->device] || m->tried[k->device]) return m->error[k->device];
    m->tried[k->device] = true;
    unsigned arch = d->profile->cc_major * 10 + d->profile->cc_minor;
    if (d->profile->compile_arch > arch)
        arch = d->profile->compile_arch; /* g80: what nvcc can still compile for */
    placing p = {c, m, k->device};
    const dev_code_options o = {.ptxas = c->s->opt.ptxas,
                                .demangle = c->s->opt.demangle,
                                .arch = arch,
                                .device = d->name,
                                .managed = place_managed,
                                .managed_user = &p};
    m->on[k->device] = HW(d, module_new, m->data, m->have, &o, &s, &msg);
    m->device[k->device] = d;
    if (!s) return cudaSuccess;
    snprintf(k->note, sizeof k->note, "cannot load the program's device code: %.400s", msg.text);
    dev_unsupported(c, "device code: %.400s", msg.text);
    return m->error[k->device] = s == SIM_NOT_FOUND     ? cudaErrorNoKernelImageForDevice
                                 : s == SIM_UNSUPPORTED ? cudaErrorNotSupported
                                                        : dev_error(s);
}

cudaError_t dev_on_ModuleLoad(dev_call *k, const struct wire_in_ModuleLoad *in,
                              struct wire_out_ModuleLoad *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    (void)out;
    return m ? load(k, m) : cudaErrorInvalidResourceHandle;
}

cudaError_t dev_on_ModuleUnload(dev_call *k, const struct wire_in_ModuleUnload *in,
                                struct wire_out_ModuleUnload *out) {
    dev_client *c = k->c;
    dev_module *m = dev_object(c, in->module, DEV_MODULE);
    (void)out;
    if (!m) return cudaErrorInvalidResourceHandle;
    /* Kernels of it may be queued, and the log names them: it stays until the client goes, but for
     * its text. */
    dev_object_drop(c, m->handle);
    m->unloaded = true;
    c->module_bytes -= m->bytes;
    free(m->data);
    m->data = NULL, m->bytes = m->have = 0;
    return cudaSuccess;
}

/* A name that came over the wire, as a string. */
static bool name_of(const dev_call *k, char *to, size_t n) {
    if (k->span_bytes[0] >= n || memchr(k->span[0], 0, k->span_bytes[0])) return false;
    memcpy(to, k->span[0], k->span_bytes[0]);
    to[k->span_bytes[0]] = 0;
    return true;
}

/* The client asks for it as soon as a module with such variables is loaded: before a kernel of it
 * runs. */
cudaError_t dev_on_ModuleManaged(dev_call *k, const struct wire_in_ModuleManaged *in,
                                 struct wire_out_ModuleManaged *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    char name[4096];
    if (!m) return cudaErrorInvalidResourceHandle;
    if (!name_of(k, name, sizeof name)) return cudaErrorInvalidSymbol;
    cudaError_t e = load(k, m);
    if (e) return e;
    if (!m->managed.count && dev_hw(k->c, k->device)->backend == &dev_backend_gpu) {
        /* The driver has its own place for them, which no other process can share. */
        dev_unsupported(k->c,
                        "__managed__ %.128s: managed variables need a simulated device; on a GPU "
                        "use cudaMallocManaged",
                        name);
        snprintf(k->note, sizeof k->note,
                 "__managed__ %.128s: managed variables need a simulated device; on a GPU use "
                 "cudaMallocManaged",
                 name);
        return cudaErrorNotSupported;
    }
    if (!m->managed.count) return cudaErrorInvalidSymbol;
    if (m->managed.given) return cudaErrorInvalidValue;
    k->fd = m->managed.fd, m->managed.given = true;
    out->address = m->managed.base, out->bytes = m->managed.map_bytes;
    return cudaSuccess;
}

/* Threads of a block by its registers: warps that fit one multiprocessor's file. */
static unsigned threads_by_registers(const sim_profile *p, const sim_kernel_info *i) {
    unsigned most = i->max_threads && i->max_threads < p->max_threads_block ? i->max_threads
                                                                            : p->max_threads_block;
    /* On such devices the count is cut until a block fits (sim_resources_registers). */
    if (!i->registers || !p->register_unit || p->registers_by_block) return most;
    unsigned warp =
        (i->registers * 32 + p->register_unit - 1) / p->register_unit * p->register_unit;
    unsigned warps = p->registers_sm / warp;
    if (p->warp_unit > 1) warps -= warps % p->warp_unit;
    return warps * 32 < most ? warps * 32 : most;
}

cudaError_t dev_on_KernelGet(dev_call *k, const struct wire_in_KernelGet *in,
                             struct wire_out_KernelGet *out) {
    dev_client *c = k->c;
    dev_module *m = dev_object(c, in->module, DEV_MODULE);
    char name[4096];
    (void)out;
    if (!m || !name_of(k, name, sizeof name)) return cudaErrorInvalidResourceHandle;
    cudaError_t e = load(k, m);
    if (e) return e;
    const dev_device *d = dev_hw(c, k->device);
    void *kernel = HW(d, module_kernel, m->on[k->device], name);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const sim_kernel_info *i = d->backend->kernel_info(kernel);
    if (i->param_count > WIRE_MAX_PARAMS || i->param_bytes > WIRE_PARAM_BYTES)
        return cudaErrorInvalidDeviceFunction;
    dev_kernel *o = NULL;
    for (size_t j = 0; j < c->kernel_count && !o; j++)
        if (c->kernels[j]->kernel == kernel) o = c->kernels[j];
    if (!o) {
        void *more = realloc(c->kernels, (c->kernel_count + 1) * sizeof(dev_kernel *));
        if (more) c->kernels = more;
        o = calloc(1, sizeof *o);
        if (!more || !o || !(o->handle = dev_object_new(c, DEV_KERNEL, o))) {
            free(o);
            return cudaErrorMemoryAllocation;
        }
        *o = (dev_kernel){o->handle, m, k->device,
                          kernel,    i, threads_by_registers(c->s->device[k->device].profile, i),
                          -1};
        c->kernels[c->kernel_count++] = o;
    }
    const sim_profile *p = c->s->device[k->device].profile;
    wire_kernel w = {.handle = o->handle,
                     .static_shared = i->static_shared,
                     .max_dynamic_shared = i->max_dynamic_shared,
                     .param_count = i->param_count,
                     .param_bytes = i->param_bytes,
                     .max_threads = o->max_threads,
                     .declared_threads = i->max_threads ? i->max_threads : p->max_threads_block,
                     .max_block = {p->max_threads_block, p->max_threads_block, 64},
                     .max_grid = {0x7fffffff, 65535, 65535}};
    memcpy(w.reqntid, i->required_block, sizeof w.reqntid);
    uint32_t *pairs = malloc(8ul * i->param_count + 8);
    if (!pairs) return cudaErrorMemoryAllocation;
    for (unsigned j = 0; j < i->param_count; j++)
        pairs[2 * j] = i->param_offset[j], pairs[2 * j + 1] = i->param_size[j];
    e = dev_answer(k, &w, sizeof w);
    if (!e) e = dev_answer(k, pairs, 8ul * i->param_count);
    if (!e) e = dev_answer(k, i->name, strlen(i->name));
    free(pairs);
    return e;
}

cudaError_t dev_on_SymbolGet(dev_call *k, const struct wire_in_SymbolGet *in,
                             struct wire_out_SymbolGet *out) {
    dev_module *m = dev_object(k->c, in->module, DEV_MODULE);
    char name[4096];
    if (!m || !name_of(k, name, sizeof name)) return cudaErrorInvalidSymbol;
    cudaError_t e = load(k, m);
    if (e) return e;
    sim_addr a;
    uint64_t n;
    if (HW(dev_hw(k->c, k->device), module_symbol, m->on[k->device], name, &a, &n))
        return cudaErrorInvalidSymbol;
    if (!dev_mem_find(k->c, a)) {
        dev_mem mem = {.base = a, .bytes = n, .kind = DEV_MEM_SYMBOL, .device = k->device};
        if (!dev_mem_add(k->c, &mem)) return cudaErrorMemoryAllocation;
    }
    out->address = a, out->bytes = n;
    return cudaSuccess;
}
