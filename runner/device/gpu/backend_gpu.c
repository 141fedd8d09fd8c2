/* A GPU as a backend: every operation is a request to the helper (gpu_process.c, ../gpu), which
 * calls the driver. When the helper is gone (a broken context, a launch that was cut off)
 * everything that lived on the device is lost: the generation counts up, older handles answer
 * nothing, and the next operation starts a helper anew.
 *
 * Addresses: each generation has a quarter of the device's slice, so that an address of an older
 * one is recognised and never frees what is someone else's now. */
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/device/backend.h"
#include "runner/device/gpu/gpu_process.h"
#include "runner/sim/memory/memory.h"
#include "runner/sim/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GENERATIONS = 4 };
#define RANGE_BYTES   (SIM_DEV_BYTES / GENERATIONS)
#define POISON_WORD   0x7ff7a5a5u /* as the simulated device's: a NaN in every type */
#define REQUEST_LIMIT 60.0        /* seconds that anything but a launch may take */
#define LAUNCH_LIMIT  120.0       /* and a launch: what lasts longer is endless */

typedef struct {
    gpu_process process;
    unsigned index, slot, generation;
    bool open;
    sim_profile profile;
    const sim_profile *nearest;
    gpu_machine machine;
    gpu_measured cost;
    char *(*demangle)(const char *);
    char marketing[128];
    int lock; /* -1: none */
} gpu_device;

typedef struct {
    unsigned generation;
    uint64_t id;
    struct gpu_kernel *kernels;
} gpu_module;
typedef struct gpu_kernel {
    sim_kernel_info info;
    unsigned generation;
    uint64_t id;
    gpu_module *module;
    gpu_device *device;
    char *name, *pretty;
    uint32_t *offsets, *sizes;
    struct gpu_kernel *next;
} gpu_kernel;

static sim_status status_of(const gpu_reply *r) {
    switch (r->error) {
#define GPU_ERROR(number, status)                                                                  \
    case number:                                                                                   \
        return status;
#include "runner/device/gpu/gpu_errors.def"
#undef GPU_ERROR
    default: return r->lost ? SIM_TRAP : SIM_BAD_ARGUMENT;
    }
}

static uint64_t range_of(const gpu_device *g) {
    return SIM_DEV_BASE(g->slot) + (uint64_t)(g->generation % GENERATIONS) * RANGE_BYTES;
}

static void lose(gpu_device *g) {
    gpu_process_kill(&g->process);
    g->open = false;
    g->generation++;
}

static bool open_device(gpu_device *g, lib_message *msg);

/* Asks; starts the helper first where none runs. */
static sim_status ask(gpu_device *g, gpu_request *q, int fd, double limit, const volatile int *stop,
                      gpu_reply *r) {
    lib_message msg = {0};
    if (!g->open && !open_device(g, &msg)) {
        memset(r, 0, sizeof *r);
        snprintf(r->text, sizeof r->text, "%.500s", msg.text);
        return SIM_TRAP;
    }
    switch (gpu_process_ask(&g->process, q, fd, limit, stop, r)) {
    case GPU_ASKED: break;
    case GPU_STOPPED: lose(g); return SIM_CANCELLED;
    case GPU_DIED:
        lose(g);
        snprintf(r->text, sizeof r->text, "the process that holds the GPU ended");
        return SIM_TRAP;
    }
    if (r->lost) lose(g);
    return status_of(r);
}

static sim_status ask_simple(gpu_device *g, gpu_op op, uint64_t a, uint64_t b, uint64_t c,
                             uint64_t d, gpu_reply *r) {
    gpu_request q = {.op = op, .a = {a, b, c, d}};
    return ask(g, &q, -1, REQUEST_LIMIT, NULL, r);
}

/* ---- opening */

static bool open_device(gpu_device *g, lib_message *msg) {
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Open, .a = {g->index, range_of(g), RANGE_BYTES}};
    if (!gpu_process_start(&g->process, msg)) return false;
    gpu_asked asked = gpu_process_ask(&g->process, &q, -1, REQUEST_LIMIT, NULL, &r);
    if (asked == GPU_ASKED && !r.error && r.v[0] == range_of(g)) {
        memcpy(&g->machine, g->process.window, sizeof g->machine);
        g->machine.name[sizeof g->machine.name - 1] = g->machine.uuid[sizeof g->machine.uuid - 1] =
            g->machine.driver[sizeof g->machine.driver - 1] = 0;
        return g->open = true;
    }
    if (asked == GPU_ASKED && !r.error)
        snprintf(r.text, sizeof r.text,
                 "the driver does not give the addresses that device pointers need");
    snprintf(msg->text, sizeof msg->text, "gpu:%u: %.500s", g->index,
             asked == GPU_ASKED ? r.text : "the driver does not answer");
    gpu_process_kill(&g->process);
    return false;
}

/* The profile that has most in common: the same name, else the same compute capability, else the
 * newest one that is not newer. */
const sim_profile *dev_gpu_nearest(const char *name, int cc) {
    const sim_profile *best = NULL;
    int best_cc = -1;
    for (size_t i = 0; i < sim_profile_count(); i++) {
        const sim_profile *p = sim_profile_at(i);
        int have = (int)(p->cc_major * 10 + p->cc_minor);
        if (!strcmp(p->marketing, name)) return p;
        if (have <= cc && have > best_cc) best = p, best_cc = have;
    }
    return best ? best : sim_profile_at(0);
}

static void take_attributes(gpu_device *g) {
    const int32_t *a = g->machine.attribute;
    sim_profile *p = &g->profile;
    *p = *g->nearest;
    snprintf(g->marketing, sizeof g->marketing, "%s", g->machine.name);
    p->marketing = g->marketing;
    const struct {
        unsigned *to;
        int number;
    } counts[] = {{&p->cc_major, 75},       {&p->cc_minor, 76},       {&p->sms, 16},
                  {&p->max_threads_sm, 39}, {&p->max_blocks_sm, 106}, {&p->max_threads_block, 1},
                  {&p->registers_sm, 82},   {&p->bus_bits, 37}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (a[counts[i].number] > 0) *counts[i].to = (unsigned)a[counts[i].number];
    const struct {
        uint64_t *to;
        int number;
    } sizes[] = {{&p->l2_bytes, 38},
                 {&p->shared_sm, 81},
                 {&p->shared_block, 8},
                 {&p->shared_block_optin, 97},
                 {&p->shared_reserved, 111}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (a[sizes[i].number] > 0) *sizes[i].to = (uint64_t)a[sizes[i].number];
    if (a[13] > 0) p->clock_ghz = a[13] / 1e6;
    if (a[36] > 0) p->memory_clock_ghz = a[36] / 1e6;
    p->memory_bytes = g->machine.memory_bytes;
}

static void take_cost(gpu_device *g) {
    sim_profile *p = &g->profile;
    const gpu_measured *m = &g->cost;
    /* A copy's bandwidth is what was measured, whatever the data sheet says. */
    p->dram_gbs = m->copy_gbs, p->dram_efficiency = 1;
    p->launch_gap_us = m->event_gap_us;
    p->kernel_us = m->empty_kernel_us - m->event_gap_us;
    p->launch_us = m->launch_us;
    p->memcpy_us = m->memcpy_us;
    p->h2d_pinned_gbs = m->h2d_gbs, p->d2h_pinned_gbs = m->d2h_gbs;
}

static bool sane(const gpu_measured *m) {
    const double all[] = {m->copy_gbs, m->event_gap_us, m->empty_kernel_us, m->launch_us,
                          m->h2d_gbs,  m->d2h_gbs,      m->memcpy_us};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isfinite(all[i]) || all[i] <= 0 || all[i] > 1e6) return false;
    return m->empty_kernel_us >= m->event_gap_us;
}

/* Measured once for a GPU and a driver, and kept; WARPLAB_GPU_MEASURE=1 measures again. */
static bool measure(gpu_device *g, const char *cache, lib_message *msg) {
    char path[1024] = "";
    const char *again = getenv("WARPLAB_GPU_MEASURE");
    if (cache)
        snprintf(path, sizeof path, "%s/gpu-%s-%s", cache, g->machine.uuid, g->machine.driver);
    for (char *c = strrchr(path, '/'); c && *++c;)
        if (*c == ' ') *c = '_';
    gpu_measured *m = &g->cost;
    FILE *f = path[0] && !(again && *again == '1') ? fopen(path, "re") : NULL;
    if (f) {
        bool read =
            fscanf(f,
                   "copy_gbs %lf event_gap_us %lf empty_kernel_us %lf launch_us %lf h2d_gbs %lf "
                   "d2h_gbs %lf memcpy_us %lf",
                   &m->copy_gbs, &m->event_gap_us, &m->empty_kernel_us, &m->launch_us, &m->h2d_gbs,
                   &m->d2h_gbs, &m->memcpy_us) == 7;
        fclose(f);
        if (read && sane(m)) return true;
    }
    gpu_reply r;
    sim_status s = ask_simple(g, GPU_OP_Measure, 0, 0, 0, 0, &r);
    memcpy(m, r.v, sizeof *m);
    if (s || !sane(m)) {
        snprintf(msg->text, sizeof msg->text,
                 "gpu:%u: cannot measure its copies and launches: %.400s", g->index,
                 s ? r.text : "the times make no sense");
        return false;
    }
    char draft[1100];
    snprintf(draft, sizeof draft, "%s.%d", path, (int)getpid());
    if (path[0]) mkdir(cache, 0777);
    f = path[0] ? fopen(draft, "we") : NULL;
    if (!f) return true; /* measured again the next time */
    fprintf(f,
            "copy_gbs %.6g\nevent_gap_us %.6g\nempty_kernel_us %.6g\nlaunch_us %.6g\nh2d_gbs "
            "%.6g\nd2h_gbs "
            "%.6g\nmemcpy_us %.6g\n",
            m->copy_gbs, m->event_gap_us, m->empty_kernel_us, m->launch_us, m->h2d_gbs, m->d2h_gbs,
            m->memcpy_us);
    if (fclose(f) || rename(draft, path)) unlink(draft);
    return true;
}

/* One session of this user at a time has the GPU: two that time at once would time each other. */
static bool take_turn(gpu_device *g, const dev_options *o, lib_message *msg) {
    char path[1024];
    if (!o->gpu_cache) return true;
    mkdir(o->gpu_cache, 0777);
    snprintf(path, sizeof path, "%s/gpu-%u.lock", o->gpu_cache, g->index);
    g->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (g->lock >= 0 && flock(g->lock, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR) break; /* a file system without locks */
        if (o->cancel && *o->cancel) {
            snprintf(msg->text, sizeof msg->text, "cancelled while waiting for gpu:%u", g->index);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

void *dev_gpu_open(unsigned index, unsigned slot, const dev_options *o, const sim_profile **profile,
                   lib_message *msg) {
    gpu_device *g = calloc(1, sizeof *g);
    if (!g) {
        snprintf(msg->text, sizeof msg->text, "out of memory");
        return NULL;
    }
    g->index = index, g->slot = slot, g->demangle = o->demangle, g->lock = -1;
    if (!gpu_process_init(&g->process, o->cancel, msg)) {
        free(g);
        return NULL;
    }
    if (!take_turn(g, o, msg) || !open_device(g, msg)) goto fail;
    g->nearest =
        dev_gpu_nearest(g->machine.name, g->machine.attribute[75] * 10 + g->machine.attribute[76]);
    take_attributes(g);
    if (!measure(g, o->gpu_cache, msg)) goto fail;
    take_cost(g);
    *profile = &g->profile;
    return g;
fail:
    gpu_process_free(&g->process);
    if (g->lock >= 0) close(g->lock);
    free(g);
    return NULL;
}

static void be_close(void *hw) {
    gpu_device *g = hw;
    gpu_process_free(&g->process);
    if (g->lock >= 0) close(g->lock);
    free(g);
}
static unsigned be_generation(const void *hw) {
    return ((const gpu_device *)hw)->generation;
}

void dev_gpu_state_get(void *hw, dev_gpu_state *s) {
    gpu_device *g = hw;
    gpu_reply r;
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", g->machine.name);
    snprintf(s->uuid, sizeof s->uuid, "%s", g->machine.uuid);
    snprintf(s->driver, sizeof s->driver, "%s", g->machine.driver);
    snprintf(s->nearest, sizeof s->nearest, "sim:%s", g->nearest->name);
    s->copy_gbs = g->cost.copy_gbs, s->launch_us = g->cost.launch_us;
    s->empty_kernel_us = g->cost.empty_kernel_us, s->event_gap_us = g->cost.event_gap_us;
    if (g->open && !ask_simple(g, GPU_OP_Clocks, 0, 0, 0, 0, &r) && r.v[5]) {
        s->clocks_known = true;
        s->sm_mhz = (unsigned)r.v[0], s->memory_mhz = (unsigned)r.v[1], s->throttle = r.v[2];
        s->power_w = (double)r.v[3] / 1000, s->temperature_c = (unsigned)r.v[4];
    }
}

/* ---- memory */

/* An address of this generation, or host memory. */
static bool current(const gpu_device *g, uint64_t a) {
    return a < SIM_DEV_BASE(0) || a >= SIM_DEV_BASE(16) || a - range_of(g) < RANGE_BYTES;
}

static sim_status be_alloc(void *hw, uint64_t n, sim_addr *out) {
    gpu_reply r;
    sim_status s = ask_simple(hw, GPU_OP_Alloc, n, 0, 0, 0, &r);
    *out = r.v[0];
    return s;
}
static sim_status be_release(void *hw, sim_addr a) {
    gpu_reply r;
    return current(hw, a) && ((gpu_device *)hw)->open ? ask_simple(hw, GPU_OP_Free, a, 0, 0, 0, &r)
                                                      : SIM_OK;
}
static void be_name(void *hw, sim_addr a, const char *name) {
    (void)hw, (void)a, (void)name;
}
static sim_status be_map(void *hw, void *host, uint64_t n, sim_addr at, bool remote, int fd,
                         uint64_t map_bytes, uint64_t skip) {
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Map, .a = {at, n, map_bytes, skip}};
    (void)host, (void)remote;
    return ask(hw, &q, fd, REQUEST_LIMIT, NULL, &r);
}
static sim_status be_unmap(void *hw, sim_addr at) {
    gpu_reply r;
    return ((gpu_device *)hw)->open ? ask_simple(hw, GPU_OP_Unmap, at, 0, 0, 0, &r) : SIM_OK;
}

static sim_status be_write(void *hw, sim_addr to, const void *from, uint64_t n) {
    gpu_device *g = hw;
    const uint8_t *p = from;
    sim_status s = current(g, to) ? SIM_OK : SIM_BAD_ADDRESS;
    while (n && !s) {
        uint64_t k = n < GPU_WINDOW_BYTES ? n : GPU_WINDOW_BYTES;
        gpu_reply r;
        gpu_request q = {.op = GPU_OP_Write, .a = {to}, .bytes = k};
        memcpy(g->process.window, p, k);
        s = ask(g, &q, -1, REQUEST_LIMIT, NULL, &r);
        p += k, to += k, n -= k;
    }
    return s;
}
static sim_status be_read(void *hw, void *to, sim_addr from, uint64_t n) {
    gpu_device *g = hw;
    uint8_t *p = to;
    sim_status s = current(g, from) ? SIM_OK : SIM_BAD_ADDRESS;
    while (n && !s) {
        uint64_t k = n < GPU_WINDOW_BYTES ? n : GPU_WINDOW_BYTES;
        gpu_reply r;
        s = ask_simple(g, GPU_OP_Read, from, k, 0, 0, &r);
        if (!s) memcpy(p, g->process.window, k);
        p += k, from += k, n -= k;
    }
    return s;
}

static double net(const gpu_device *g, double us) {
    return us > g->cost.event_gap_us ? us - g->cost.event_gap_us : us;
}

static sim_status be_copy(void *hw, sim_addr to, sim_addr from, uint64_t n, double *us) {
    gpu_reply r;
    sim_status s = current(hw, to) && current(hw, from)
                       ? ask_simple(hw, GPU_OP_Copy, to, from, n, 0, &r)
                       : SIM_BAD_ADDRESS;
    if (!s && us) *us += net(hw, r.us);
    return s;
}
static sim_status be_fill(void *hw, sim_addr to, uint32_t value, unsigned width, uint64_t n,
                          double *us) {
    gpu_reply r;
    if (!n) return SIM_OK;
    sim_status s =
        current(hw, to) ? ask_simple(hw, GPU_OP_Fill, to, value, width, n, &r) : SIM_BAD_ADDRESS;
    if (!s && us) *us += net(hw, r.us);
    return s;
}

static sim_status be_poison(void *hw, sim_addr to, uint64_t n) {
    sim_status s = SIM_OK;
    /* Whole words, then single bytes at both ends, as an aligned reader sees them. */
    while (n && to & 3 && !s)
        s = be_fill(hw, to, POISON_WORD >> 8 * (to & 3) & 0xff, 1, 1, NULL), to++, n--;
    uint64_t words = n / 4;
    if (words && !s) s = be_fill(hw, to, POISON_WORD, 4, words, NULL);
    to += words * 4, n -= words * 4;
    while (n && !s) s = be_fill(hw, to, POISON_WORD >> 8 * (to & 3) & 0xff, 1, 1, NULL), to++, n--;
    return s;
}

static void be_info(void *hw, uint64_t *free_bytes, uint64_t *total) {
    gpu_reply r;
    ask_simple(hw, GPU_OP_Info, 0, 0, 0, 0, &r);
    *free_bytes = r.v[0], *total = r.v[1];
}
static void be_flush(void *hw) {
    gpu_reply r;
    ask_simple(hw, GPU_OP_Flush, 0, 0, 0, 0, &r);
}
static sim_status be_limit(void *hw, int limit, uint64_t value) {
    gpu_reply r;
    return ask_simple(hw, GPU_OP_Limit, (uint64_t)limit, value, 0, 0, &r);
}

/* ---- code */

static void *be_module_new(void *hw, const void *data, size_t n, const dev_code_options *o,
                           sim_status *status, lib_message *msg) {
    gpu_device *g = hw;
    gpu_module *m = calloc(1, sizeof *m);
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_ModuleLoad, .a = {n}};
    (void)o;
    *status = SIM_NOMEM;
    int fd = m ? memfd_create("warplab-image", MFD_CLOEXEC) : -1;
    if (fd >= 0 && !lib_write_all(fd, data, n)) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0 && n) {
        *status = ask(g, &q, fd, REQUEST_LIMIT, NULL, &r);
        if (*status) snprintf(msg->text, sizeof msg->text, "%.500s", r.text);
    }
    if (fd >= 0) close(fd);
    if (*status) {
        free(m);
        return NULL;
    }
    m->id = r.v[0], m->generation = g->generation;
    return m;
}

static void be_module_free(void *hw, void *module) {
    gpu_module *m = module;
    gpu_device *g = hw;
    gpu_reply r;
    if (m->generation == g->generation && g->open)
        ask_simple(g, GPU_OP_ModuleUnload, m->id, 0, 0, 0, &r);
    while (m->kernels) {
        gpu_kernel *k = m->kernels;
        m->kernels = k->next;
        free(k->name), free(k->pretty), free(k->offsets), free(k->sizes), free(k);
    }
    free(m);
}
static void be_module_reset(void *hw, void *module) {
    const gpu_module *m = module;
    gpu_reply r;
    if (m->generation == ((gpu_device *)hw)->generation)
        ask_simple(hw, GPU_OP_ModuleReset, m->id, 0, 0, 0, &r);
}

static sim_status ask_named(gpu_device *g, gpu_op op, const gpu_module *m, const char *name,
                            gpu_reply *r) {
    size_t n = strlen(name);
    gpu_request q = {.op = op, .a = {m->id}, .bytes = n};
    if (m->generation != g->generation || n > 4000) return SIM_NOT_FOUND;
    memcpy(g->process.window, name, n);
    return ask(g, &q, -1, REQUEST_LIMIT, NULL, r);
}

static void *be_module_kernel(void *hw, void *module, const char *name) {
    gpu_device *g = hw;
    gpu_module *m = module;
    gpu_reply r;
    for (gpu_kernel *k = m->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) return k;
    if (ask_named(g, GPU_OP_Kernel, m, name, &r)) return NULL;
    size_t params = r.v[7] <= 4096 ? r.v[7] : 0;
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
    k->id = r.v[0], k->generation = g->generation, k->module = m, k->device = g;
    k->info = (sim_kernel_info){.name = k->name,
                                .pretty = k->pretty ? k->pretty : k->name,
                                .param_count = (unsigned)params,
                                .param_offset = k->offsets,
                                .param_size = k->sizes,
                                .param_bytes = bytes,
                                .registers = (unsigned)r.v[1],
                                .resources_exact = true,
                                .static_shared = r.v[2],
                                .local_bytes = r.v[3],
                                .const_bytes = r.v[4],
                                .max_threads = (unsigned)r.v[5],
                                .max_dynamic_shared = (unsigned)r.v[6]};
    k->next = m->kernels;
    m->kernels = k;
    return k;
}

static sim_status be_module_symbol(void *hw, void *module, const char *name, sim_addr *a,
                                   uint64_t *n) {
    gpu_reply r;
    sim_status s = ask_named(hw, GPU_OP_Symbol, module, name, &r);
    if (!s) *a = r.v[0], *n = r.v[1];
    return s;
}
static const sim_kernel_info *be_kernel_info(const void *kernel) {
    return &((const gpu_kernel *)kernel)->info;
}
static sim_status be_kernel_shared(void *hw, void *kernel, uint64_t bytes) {
    gpu_device *g = hw;
    gpu_kernel *k = kernel;
    gpu_reply r;
    if (k->generation != g->generation) return SIM_TRAP;
    if (bytes + k->info.static_shared > g->profile.shared_block_optin) return SIM_BAD_ARGUMENT;
    sim_status s = ask_simple(g, GPU_OP_KernelShared, k->id, bytes, 0, 0, &r);
    if (!s) k->info.max_dynamic_shared = (unsigned)bytes;
    return s;
}

/* What the hardware says of a launch that broke: no thread, no line. */
static void explain(const gpu_device *g, const gpu_kernel *k, sim_status s, const gpu_reply *r,
                    sim_result *result) {
    static const struct {
        sim_status status;
        sim_finding_kind kind;
    } kinds[] = {{SIM_ILLEGAL_ADDRESS, SIM_FIND_OOB},
                 {SIM_MISALIGNED, SIM_FIND_MISALIGNED},
                 {SIM_TRAP, SIM_FIND_TRAP},
                 {SIM_ASSERT, SIM_FIND_ASSERT},
                 {SIM_STACK_OVERFLOW, SIM_FIND_STACK},
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
    if (s == SIM_CANCELLED)
        snprintf(f->text, sizeof f->text,
                 "%s was still running after its time limit; its context was ended",
                 k->info.pretty);
    else
        snprintf(
            f->text, sizeof f->text,
            "%s: %.200s; the GPU does not say where: run it on sim:%s for the thread and the line",
            k->info.pretty, r->text[0] ? r->text : sim_status_message(s), g->nearest->name);
}

static sim_status be_run(void *hw, void *kernel, const sim_launch *l, sim_result *result,
                         lib_message *msg) {
    gpu_device *g = hw;
    gpu_kernel *k = kernel;
    gpu_reply r;
    gpu_request q = {.op = GPU_OP_Launch,
                     .a = {k->id, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                           l->block[2], l->dynamic_shared, l->cooperative},
                     .bytes = l->param_bytes};
    memset(result, 0, sizeof *result);
    result->limiter = "";
    result->measured = true;
    if (k->generation != g->generation || l->param_bytes > GPU_WINDOW_BYTES) {
        snprintf(msg->text, sizeof msg->text, "the GPU's context was lost");
        return result->status = SIM_TRAP;
    }
    if (l->param_bytes) memcpy(g->process.window, l->params, l->param_bytes);
    sim_status s = ask(g, &q, -1, LAUNCH_LIMIT, l->cancel, &r);
    result->status = s;
    result->time_us = net(g, r.us);
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    sim_occupancy_get(&g->profile, (unsigned)threads, k->info.registers,
                      k->info.static_shared + l->dynamic_shared, &result->occupancy);
    if (s) {
        snprintf(msg->text, sizeof msg->text, "%.500s", r.text);
        explain(g, k, s, &r, result);
    } else if (l->print && r.bytes && r.bytes <= GPU_WINDOW_BYTES)
        l->print(l->print_user, (const char *)g->process.window, r.bytes);
    return s;
}

/* ---- textures */

static sim_status be_texture_new(void *hw, const sim_texture *t, dev_texture_memory memory,
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
    sim_status s = ask(g, &q, -1, REQUEST_LIMIT, NULL, &r);
    *handle = r.v[0];
    return s;
}
static void be_texture_free(void *hw, uint64_t handle) {
    gpu_reply r;
    if (((gpu_device *)hw)->open) ask_simple(hw, GPU_OP_TextureFree, handle, 0, 0, 0, &r);
}

const dev_backend dev_backend_gpu = {.close = be_close,
                                     .generation = be_generation,
                                     .alloc = be_alloc,
                                     .release = be_release,
                                     .name = be_name,
                                     .map = be_map,
                                     .unmap = be_unmap,
                                     .write = be_write,
                                     .read = be_read,
                                     .copy = be_copy,
                                     .fill = be_fill,
                                     .poison = be_poison,
                                     .info = be_info,
                                     .flush = be_flush,
                                     .limit = be_limit,
                                     .module_new = be_module_new,
                                     .module_free = be_module_free,
                                     .module_reset = be_module_reset,
                                     .module_kernel = be_module_kernel,
                                     .module_symbol = be_module_symbol,
                                     .kernel_info = be_kernel_info,
                                     .kernel_shared = be_kernel_shared,
                                     .run = be_run,
                                     .texture_new = be_texture_new,
                                     .texture_free = be_texture_free};
