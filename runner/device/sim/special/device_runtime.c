/* The device runtime: kernels that launch kernels (CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism"; PTX names: "Device-side Launch from PTX").
 *
 *   cudaGetParameterBufferV2: kernel, grid, block --> a place for its parameters in device memory
 *   cudaLaunchDeviceV2: that place, a stream --> a sim_child, with the parameters as they are now
 *   cudaMemcpyAsync, cudaMemsetAsync ---------> a sim_child
 *
 * Nothing of this runs here. The caller of sim_run() does it after the grid has ended; the order of
 * streams allows this, because a grid and its children need not run at the same time. So a stream
 * only names an order. Events, which order one stream after another, have nothing left to do,
 * because all work is done in the order of the calls. Names may have CUDA's prefix __cudaCDP2
 * instead of cuda.
 *
 * Kernels that call these functions run their blocks one after another, so that the order of calls
 * is the same each time. The lock is for devices that need not be deterministic. */
#include "runner/base/buffer.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/machine/module.h"
#include "runner/device/sim/special/call.h"
#include "runner/device/sim/special/devlib.h"
#include "words/finding.h"
#include <stdlib.h>
#include <string.h>

/* The values of cudaError_t that these functions return, with their texts: X(name, number,
 * text). */
#define ERRORS(X)                                                                                  \
    X(Success, 0, "no error")                                                                      \
    X(ErrorInvalidValue, 1, "invalid argument")                                                    \
    X(ErrorMemoryAllocation, 2, "out of memory")                                                   \
    X(ErrorInvalidConfiguration, 9, "invalid configuration argument")                              \
    X(ErrorLaunchPendingCountExceeded, 69, "too many pending launches of the device runtime")      \
    X(ErrorInvalidDeviceFunction, 98, "invalid device function")                                   \
    X(ErrorInvalidResourceHandle, 400, "invalid resource handle")                                  \
    X(ErrorLaunchOutOfResources, 701, "too many resources requested for launch")
enum {
#define X(name, number, text) RT_##name = number,
    ERRORS(X)
#undef X
};
/* The text of the host's runtime, as both name and text. */
static const char no_error_of_ours[] = "unrecognized error code";
static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define X(name, number, text) {number, "cuda" #name, text},
    ERRORS(X)
#undef X
        {-1, no_error_of_ours, no_error_of_ours}};
enum { ERROR_COUNT = sizeof errors / sizeof *errors };

/* cudaStream_t of device code; handles that it creates begin at HANDLES. */
enum { STREAM_NULL, STREAM_LEGACY, STREAM_PER_THREAD, STREAM_TAIL, STREAM_FIRE, HANDLES = 4096 };
enum { PARAM_ALIGN = 64, PARAM_MOST = 4096, AREA_OF_EACH = 1024, AREA_MOST = 16 << 20 };

/* A place for parameters that was handed out. */
typedef struct {
    sim_addr at;
    uint64_t bytes;
    bool launched;
    sim_child child; /* LAUNCH: everything except the parameters, which are in the place */
} asked_place;
struct sim_asked {
    sim_device *device;
    pthread_mutex_t lock;
    unsigned most;
    sim_addr next, end;  /* of the area */
    asked_place *places; /* by address */
    size_t place_count, place_room;
    sim_child *children;
    size_t count, room;
    uint64_t handles;
    sim_addr text[ERROR_COUNT][2]; /* addresses of names and texts; 0: not there yet */
};

void sim_children_free(sim_child *all, size_t n) {
    for (size_t k = 0; k < n; k++) free(all[k].params);
    free(all);
}

sim_asked *sim_asked_new(sim_device *d, unsigned most) {
    uint64_t bytes = (uint64_t)most * AREA_OF_EACH + PARAM_MOST;
    if (bytes > AREA_MOST) bytes = AREA_MOST;
    if (d->child_area && d->child_bytes < bytes) {
        sim_memory_release(d->memory, d->child_area);
        d->child_area = d->child_bytes = 0;
    }
    if (!d->child_area) {
        if (sim_memory_alloc(d->memory, bytes, SIM_ALLOC_MODULE, "launch parameters",
                             &d->child_area) != SIM_OK)
            return NULL;
        d->child_bytes = bytes;
    }
    sim_asked *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->device = d, a->most = most;
    a->next = d->child_area, a->end = a->next + bytes;
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

sim_child *sim_asked_take(sim_asked *a, size_t *n) {
    sim_child *all = a->children;
    *n = a->count;
    a->children = NULL, a->count = a->room = 0;
    return all;
}

void sim_asked_free(sim_asked *a) {
    if (!a) return;
    sim_children_free(a->children, a->count);
    free(a->places);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* ---- errors of a thread ---- */

/* Returns the thread's last error. It is made at the first error; NULL: memory is out. */
static int32_t *last_error(const sim_warp *w, unsigned l, bool make) {
    sim_block *b = w->block;
    if (!b->errors && make) b->errors = calloc(b->threads, sizeof *b->errors);
    return b->errors ? &b->errors[w->index * SIM_WARP_LANES + l] : NULL;
}
static int32_t told(const sim_warp *w, unsigned l, int error) {
    int32_t *last = error ? last_error(w, l, true) : NULL;
    if (last) *last = error;
    return error;
}

/* Stores `bytes` (4 or 8) for each of `lanes` where its pointer points. Returns false if the launch
 * has failed. */
static bool store(sim_warp *w, const sim_insn *i, const uint64_t *to, const uint64_t *value,
                  uint32_t bytes, uint32_t lanes) {
    const sim_call_info *c = i->aux;
    void *at[SIM_WARP_LANES];
    uint32_t others = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (to[l] - SIM_LOCAL_WINDOW >= SIM_WINDOW_BYTES) others |= 1u << l;
        else if (!sim_local_write(w->block->mem, w->index, l, (uint32_t)(to[l] - SIM_LOCAL_WINDOW),
                                  &value[l], bytes)) {
            sim_fail_at(w, i->ptx, 1u << l, SIM_ILLEGAL_ADDRESS, SIM_FIND_TRAP,
                        w_finding_runtime_pointer());
            return false;
        }
    }
    const sim_site *s = c->store[bytes == 8];
    if (!others) return true;
    if (s->ptr(w->access, s, to, others, at) != others) {
        sim_memory_fault(w);
        return false;
    }
    for (uint32_t m = others; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        memcpy(at[l], &value[l], bytes);
    }
    return true;
}

/* Sets the results of functions that return an error. */
static void answer(sim_warp *w, const sim_insn *i, const int32_t *e) {
    sim_builtin_result(w, i, e, 4);
}

/* ---- launches ---- */

static sim_kernel *kernel_at(const sim_warp *w, uint64_t address) {
    sim_module *m = w->block->run->image->owner;
    if (!sim_module_function(m, address)) return NULL;
    size_t number = (address - SIM_CODE_BASE) / 16 - 1, lo = 0, hi = m->kernel_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->kernels[mid].number < number) lo = mid + 1;
        else hi = mid;
    }
    return lo < m->kernel_count && m->kernels[lo].number == number ? &m->kernels[lo] : NULL;
}

/* The arguments between <<< and >>> and the kernel, of each lane. Two calls have them. */
typedef struct {
    uint64_t func[SIM_WARP_LANES];
    uint32_t grid[SIM_WARP_LANES][3], block[SIM_WARP_LANES][3], shared[SIM_WARP_LANES];
} shape_args;
/* The first argument is void *func; dim3 grid, dim3 block and unsigned shared begin at argument
 * `at`. */
static void shapes_asked(sim_warp *w, const sim_insn *i, unsigned at, shape_args *s) {
    sim_builtin_arg(w, i, 0, s->func, 8);
    sim_builtin_arg(w, i, at, s->grid, 12);
    sim_builtin_arg(w, i, at + 1, s->block, 12);
    sim_builtin_arg(w, i, at + 2, s->shared, 4);
}

/* Checks what <<<>>> on the host checks, as far as it is known without the assembler. */
static int configure(const sim_warp *w, const shape_args *s, unsigned lane, sim_child *c) {
    const uint32_t *grid = s->grid[lane], *block = s->block[lane];
    uint32_t shared = s->shared[lane];
    static const uint32_t grid_most[3] = {0x7fffffff, 65535, 65535},
                          block_most[3] = {1024, 1024, 64};
    const sim_profile *p = w->block->run->device->profile;
    uint64_t threads = 1;
    *c = (sim_child){.kind = SIM_CHILD_LAUNCH, .kernel = kernel_at(w, s->func[lane])};
    if (!c->kernel) return RT_ErrorInvalidDeviceFunction;
    const sim_kernel_info *info = &c->kernel->info;
    for (unsigned k = 0; k < 3; k++) {
        if (!grid[k] || grid[k] > grid_most[k] || !block[k] || block[k] > block_most[k])
            return RT_ErrorInvalidConfiguration;
        c->grid[k] = grid[k], c->block[k] = block[k];
        threads *= block[k];
    }
    if (threads > p->max_threads_block || threads > info->max_threads)
        return RT_ErrorInvalidConfiguration;
    if (shared > info->max_dynamic_shared || info->param_bytes > PARAM_MOST)
        return RT_ErrorInvalidValue;
    c->dynamic_shared = shared;
    c->param_bytes = info->param_bytes;
    return RT_Success;
}

/* Makes room for parameters. Returns 0 and sets *error if there is none. Called under the lock,
 * like the next functions. */
static uint64_t place_new(sim_asked *a, const sim_child *c, uint64_t bytes, int *error) {
    uint64_t room = (bytes + PARAM_ALIGN) / PARAM_ALIGN * PARAM_ALIGN;
    *error = a->count >= a->most                             ? RT_ErrorLaunchPendingCountExceeded
             : bytes > PARAM_MOST || room > a->end - a->next ? RT_ErrorLaunchOutOfResources
                                                             : RT_Success;
    if (!*error && !lib_grow(&a->places, &a->place_room, a->place_count, sizeof *a->places, 16))
        *error = RT_ErrorMemoryAllocation;
    if (*error) return 0;
    a->places[a->place_count++] = (asked_place){.at = a->next, .bytes = bytes, .child = *c};
    a->next += room;
    return a->next - room;
}

static asked_place *place_find(sim_asked *a, uint64_t at) {
    size_t lo = 0, hi = a->place_count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (a->places[mid].at < at) lo = mid + 1;
        else hi = mid;
    }
    return lo < a->place_count && a->places[lo].at == at ? &a->places[lo] : NULL;
}

/* Returns the order that a stream of this thread stands for. */
static int order_of(const sim_warp *w, unsigned l, const sim_asked *a, uint64_t stream, bool own,
                    sim_child *c) {
    uint64_t block = w->block->linear,
             thread = block * w->block->threads + w->index * SIM_WARP_LANES + l;
    if (stream == STREAM_NULL && own) stream = STREAM_PER_THREAD;
    c->when = stream == STREAM_TAIL   ? SIM_CHILD_BEHIND
              : stream == STREAM_FIRE ? SIM_CHILD_AT_ONCE
                                      : SIM_CHILD_IN_LINE;
    if (stream >= HANDLES) {
        c->line = stream;
        return stream - HANDLES < a->handles ? RT_Success : RT_ErrorInvalidResourceHandle;
    }
    /* "a single implicit, unnamed stream shared between all threads in a thread block" */
    c->line = stream == STREAM_PER_THREAD ? (uint64_t)1 << 62 | thread : (uint64_t)1 << 61 | block;
    return RT_Success;
}

static int add_child(sim_asked *a, const sim_child *c) {
    if (a->count >= a->most) return RT_ErrorLaunchPendingCountExceeded;
    if (!lib_grow(&a->children, &a->room, a->count, sizeof *a->children, 16))
        return RT_ErrorMemoryAllocation;
    a->children[a->count++] = *c;
    return RT_Success;
}

static int child_launch(const sim_warp *w, unsigned l, sim_asked *a, uint64_t buffer,
                        uint64_t stream, bool own, const sim_child *given) {
    asked_place *p = place_find(a, buffer);
    if (!p || p->launched) return RT_ErrorInvalidValue;
    sim_child c = given ? *given : p->child;
    if (!c.kernel || c.param_bytes > p->bytes) return RT_ErrorInvalidValue;
    int e = order_of(w, l, a, stream, own, &c);
    if (e) return e;
    const void *from = sim_memory_host(a->device->memory, p->at, p->bytes ? p->bytes : 1);
    if (!from || !(c.params = malloc(c.param_bytes + 1))) return RT_ErrorMemoryAllocation;
    memcpy(c.params, from, c.param_bytes);
    if ((e = add_child(a, &c))) free(c.params);
    else p->launched = true;
    return e;
}

/* Makes a place for each lane's parameters. shaped: this call, not the launch, says what is
 * launched. */
static void parameter_buffer(sim_warp *w, const sim_insn *i, bool shaped) {
    sim_asked *a = w->block->run->asked;
    uint64_t alignment[SIM_WARP_LANES], size[SIM_WARP_LANES], at[SIM_WARP_LANES] = {0};
    shape_args s;
    if (shaped) shapes_asked(w, i, 1, &s);
    else sim_builtin_arg(w, i, 0, alignment, 8), sim_builtin_arg(w, i, 1, size, 8);
    pthread_mutex_lock(&a->lock);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        sim_child c = {.kind = SIM_CHILD_LAUNCH};
        int e = shaped                       ? configure(w, &s, l, &c)
                : alignment[l] > PARAM_ALIGN ? RT_ErrorInvalidValue
                                             : RT_Success;
        if (!e) at[l] = place_new(a, &c, shaped ? c.param_bytes : size[l], &e);
        told(w, l, e);
    }
    pthread_mutex_unlock(&a->lock);
    sim_builtin_result(w, i, at, 8);
}
/* void *(void *func, dim3 grid, dim3 block, unsigned shared) */
static void rt_parameter_buffer_v2(sim_warp *w, const sim_insn *i) {
    parameter_buffer(w, i, true);
}
/* void *(size_t alignment, size_t size) */
static void rt_parameter_buffer(sim_warp *w, const sim_insn *i) {
    parameter_buffer(w, i, false);
}

/* Launches what is in each lane's place. shaped: this call says what is launched. */
static void launches(sim_warp *w, const sim_insn *i, bool shaped, bool own) {
    sim_asked *a = w->block->run->asked;
    uint64_t buffer[SIM_WARP_LANES], stream[SIM_WARP_LANES];
    int32_t e[SIM_WARP_LANES] = {0};
    shape_args s;
    if (shaped) shapes_asked(w, i, 2, &s);
    sim_builtin_arg(w, i, shaped ? 1 : 0, buffer, 8);
    sim_builtin_arg(w, i, shaped ? 5 : 1, stream, 8);
    pthread_mutex_lock(&a->lock);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        sim_child c;
        int error = shaped ? configure(w, &s, l, &c) : RT_Success;
        if (!error) error = child_launch(w, l, a, buffer[l], stream[l], own, shaped ? &c : NULL);
        e[l] = told(w, l, error);
    }
    pthread_mutex_unlock(&a->lock);
    answer(w, i, e);
}
/* cudaError_t (void *buffer, cudaStream_t stream) */
static void rt_launch_v2(sim_warp *w, const sim_insn *i) {
    launches(w, i, false, false);
}
static void rt_launch_v2_ptsz(sim_warp *w, const sim_insn *i) {
    launches(w, i, false, true);
}
/* cudaError_t (void *func, void *buffer, dim3 grid, dim3 block, unsigned shared, cudaStream_t
 * stream) */
static void rt_launch(sim_warp *w, const sim_insn *i) {
    launches(w, i, true, false);
}
static void rt_launch_ptsz(sim_warp *w, const sim_insn *i) {
    launches(w, i, true, true);
}

/* ---- copies ---- */

/* Issues one for each lane; `value`: FILL, `from`: COPY. */
static void issue(sim_warp *w, const sim_insn *i, sim_child_kind kind, const uint64_t *to,
                  const uint64_t *from, const uint32_t *value, const uint64_t *bytes,
                  const uint64_t *stream, bool own) {
    sim_asked *a = w->block->run->asked;
    int32_t e[SIM_WARP_LANES] = {0};
    pthread_mutex_lock(&a->lock);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        sim_child c = {.kind = kind, .to = to[l], .bytes = bytes[l]};
        if (from) c.from = from[l];
        if (value) c.value = value[l] & 0xff;
        int error = order_of(w, l, a, stream[l], own, &c);
        if (!error && bytes[l]) error = add_child(a, &c);
        e[l] = told(w, l, error);
    }
    pthread_mutex_unlock(&a->lock);
    answer(w, i, e);
}

/* cudaError_t (void *to, const void *from, size_t count, cudaMemcpyKind kind, cudaStream_t
 * stream) */
static void memcpy_async(sim_warp *w, const sim_insn *i, bool own) {
    uint64_t to[SIM_WARP_LANES], from[SIM_WARP_LANES], n[SIM_WARP_LANES], stream[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, to, 8);
    sim_builtin_arg(w, i, 1, from, 8);
    sim_builtin_arg(w, i, 2, n, 8);
    sim_builtin_arg(w, i, 4, stream, 8);
    issue(w, i, SIM_CHILD_COPY, to, from, NULL, n, stream, own);
}
static void rt_memcpy_async(sim_warp *w, const sim_insn *i) {
    memcpy_async(w, i, false);
}
static void rt_memcpy_async_ptsz(sim_warp *w, const sim_insn *i) {
    memcpy_async(w, i, true);
}

/* cudaError_t (void *to, int value, size_t count, cudaStream_t stream) */
static void memset_async(sim_warp *w, const sim_insn *i, bool own) {
    uint64_t to[SIM_WARP_LANES], n[SIM_WARP_LANES], stream[SIM_WARP_LANES];
    uint32_t value[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, to, 8);
    sim_builtin_arg(w, i, 1, value, 4);
    sim_builtin_arg(w, i, 2, n, 8);
    sim_builtin_arg(w, i, 3, stream, 8);
    issue(w, i, SIM_CHILD_FILL, to, NULL, value, n, stream, own);
}
static void rt_memset_async(sim_warp *w, const sim_insn *i) {
    memset_async(w, i, false);
}
static void rt_memset_async_ptsz(sim_warp *w, const sim_insn *i) {
    memset_async(w, i, true);
}

/* ---- streams, events, memory, errors ---- */

/* cudaError_t (handle *to, unsigned flags): makes a new handle. needed: the required flags. */
static void handle_new(sim_warp *w, const sim_insn *i, uint32_t needed) {
    sim_asked *a = w->block->run->asked;
    uint64_t to[SIM_WARP_LANES], value[SIM_WARP_LANES] = {0};
    uint32_t flags[SIM_WARP_LANES], made = 0;
    int32_t e[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, to, 8);
    sim_builtin_arg(w, i, 1, flags, 4);
    pthread_mutex_lock(&a->lock);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if ((e[l] = told(w, l, flags[l] == needed ? RT_Success : RT_ErrorInvalidValue))) continue;
        value[l] = HANDLES + a->handles++;
        made |= 1u << l;
    }
    pthread_mutex_unlock(&a->lock);
    if (store(w, i, to, value, 8, made)) answer(w, i, e);
}
/* "All device streams must be created using the cudaStreamCreateWithFlags() API with the
 * cudaStreamNonBlocking flag", "cudaEventDisableTiming must be passed". */
static void rt_stream_create(sim_warp *w, const sim_insn *i) {
    handle_new(w, i, 1);
}
static void rt_event_create(sim_warp *w, const sim_insn *i) {
    handle_new(w, i, 2);
}
/* Destroying, recording, waiting for an event: nothing to do, because all work is done in the order
 * of the calls. */
static void rt_done(sim_warp *w, const sim_insn *i) {
    const int32_t e[SIM_WARP_LANES] = {0};
    answer(w, i, e);
}

/* cudaError_t (void **to, size_t size) */
static void rt_malloc(sim_warp *w, const sim_insn *i) {
    uint64_t to[SIM_WARP_LANES], n[SIM_WARP_LANES], at[SIM_WARP_LANES] = {0};
    int32_t e[SIM_WARP_LANES] = {0};
    uint32_t made = 0;
    sim_builtin_arg(w, i, 0, to, 8);
    sim_builtin_arg(w, i, 1, n, 8);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (n[l] && sim_memory_device_alloc(w->block->run->device->memory, n[l], &at[l]) != SIM_OK)
            e[l] = told(w, l, RT_ErrorMemoryAllocation);
        else made |= 1u << l;
    }
    if (store(w, i, to, at, 8, made)) answer(w, i, e);
}
/* cudaError_t (void *p) */
static void rt_free(sim_warp *w, const sim_insn *i) {
    uint64_t at[SIM_WARP_LANES];
    int32_t e[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, at, 8);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (at[l] && sim_memory_device_free(w->block->run->device->memory, at[l]) != SIM_OK)
            e[l] = told(w, l, RT_ErrorInvalidValue);
    }
    answer(w, i, e);
}

/* cudaError_t (int *device) */
static void rt_get_device(sim_warp *w, const sim_insn *i) {
    uint64_t to[SIM_WARP_LANES], value[SIM_WARP_LANES];
    const int32_t e[SIM_WARP_LANES] = {0};
    sim_builtin_arg(w, i, 0, to, 8);
    for (unsigned l = 0; l < SIM_WARP_LANES; l++)
        value[l] = w->block->run->device->options.device_index;
    if (store(w, i, to, value, 4, w->mask)) answer(w, i, e);
}

static void error_of(sim_warp *w, const sim_insn *i, bool reset) {
    int32_t e[SIM_WARP_LANES] = {0};
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        int32_t *last = last_error(w, l, false);
        if (!last) continue;
        e[l] = *last;
        if (reset) *last = RT_Success;
    }
    answer(w, i, e);
}
static void rt_get_last_error(sim_warp *w, const sim_insn *i) {
    error_of(w, i, true);
}
static void rt_peek_at_last_error(sim_warp *w, const sim_insn *i) {
    error_of(w, i, false);
}

/* Returns the address of a text of `errors` in device memory, where it is put once; 0: there is no
 * room. */
static sim_addr text_at(sim_asked *a, unsigned row, bool name) {
    const char *text = name ? errors[row].name : errors[row].text;
    uint64_t n = strlen(text) + 1, room = (n + PARAM_ALIGN) / PARAM_ALIGN * PARAM_ALIGN;
    sim_addr *at = &a->text[row][name];
    if (*at || room > a->end - a->next) return *at;
    if (sim_memory_write(a->device->memory, a->next, text, n) != SIM_OK) return 0;
    *at = a->next;
    a->next += room;
    return *at;
}
/* const char *(cudaError_t e) */
static void error_text(sim_warp *w, const sim_insn *i, bool name) {
    sim_asked *a = w->block->run->asked;
    uint64_t at[SIM_WARP_LANES] = {0};
    int32_t e[SIM_WARP_LANES];
    sim_builtin_arg(w, i, 0, e, 4);
    pthread_mutex_lock(&a->lock);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), row = 0;
        while (row + 1 < ERROR_COUNT && errors[row].number != e[l]) row++;
        at[l] = text_at(a, row, name);
    }
    pthread_mutex_unlock(&a->lock);
    sim_builtin_result(w, i, at, 8);
}
static void rt_error_string(sim_warp *w, const sim_insn *i) {
    error_text(w, i, false);
}
static void rt_error_name(sim_warp *w, const sim_insn *i) {
    error_text(w, i, true);
}

/* ---- names ---- */

static const struct {
    const char *name; /* without cuda or __cudaCDP2 before it */
    sim_builtin_fn *fn;
    bool writes;
} table[] = {{"GetParameterBufferV2", rt_parameter_buffer_v2, false},
             {"LaunchDeviceV2", rt_launch_v2, false},
             {"LaunchDeviceV2_ptsz", rt_launch_v2_ptsz, false},
             {"GetParameterBuffer", rt_parameter_buffer, false},
             {"LaunchDevice", rt_launch, false},
             {"LaunchDevice_ptsz", rt_launch_ptsz, false},
             {"MemcpyAsync", rt_memcpy_async, false},
             {"MemcpyAsync_ptsz", rt_memcpy_async_ptsz, false},
             {"MemsetAsync", rt_memset_async, false},
             {"MemsetAsync_ptsz", rt_memset_async_ptsz, false},
             {"StreamCreateWithFlags", rt_stream_create, true},
             {"StreamDestroy", rt_done, false},
             {"StreamWaitEvent", rt_done, false},
             {"StreamWaitEvent_ptsz", rt_done, false},
             {"EventCreateWithFlags", rt_event_create, true},
             {"EventRecord", rt_done, false},
             {"EventRecord_ptsz", rt_done, false},
             {"EventRecordWithFlags", rt_done, false},
             {"EventRecordWithFlags_ptsz", rt_done, false},
             {"EventDestroy", rt_done, false},
             {"Malloc", rt_malloc, true},
             {"Free", rt_free, false},
             {"GetDevice", rt_get_device, true},
             {"GetLastError", rt_get_last_error, false},
             {"PeekAtLastError", rt_peek_at_last_error, false},
             {"GetErrorString", rt_error_string, false},
             {"GetErrorName", rt_error_name, false}};

/* Returns the row of a function's name; -1: none. */
static int runtime_row(const char *name) {
    static const char prefix[] = "__cudaCDP2";
    if (!strncmp(name, prefix, sizeof prefix - 1)) name += sizeof prefix - 1;
    else if (!strncmp(name, "cuda", 4)) name += 4;
    else return -1;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(table[k].name, name)) return (int)k;
    return -1;
}
sim_builtin_fn *sim_device_runtime(const char *name) {
    int row = runtime_row(name);
    return row < 0 ? NULL : table[row].fn;
}
bool sim_builtin_launches(const char *name) {
    return runtime_row(name) >= 0;
}
bool sim_builtin_writes(const char *name) {
    int row = runtime_row(name);
    return row >= 0 && table[row].writes;
}
