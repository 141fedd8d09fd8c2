/* Decides when code is compiled and where the result goes. Workers ask for it. One thread of the
 * device passes the source to the C compiler, by the device's run_command, and publishes the result
 * segment by segment. After a failure of any kind everything stays as it was. */
#include "runner/device/sim/machine/device.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/machine/module.h"
#include "runner/device/sim/native/native.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(sim_warp, base) == 0 && offsetof(sim_warp, mask) == 4 * sizeof(void *),
               "what native_text.c writes reads them so");

/* The headers that the source needs, as they are in this folder. */
#define FILES(X)                                                                                   \
    X(native_lanes, "runner/device/sim/native/native_lanes.inc")                                   \
    X(lane, "runner/device/sim/lane/lane.h")                                                       \
    X(lane_types, "runner/device/sim/lane/types.h")                                                \
    X(lane_int, "runner/device/sim/lane/int.h")                                                    \
    X(lane_fp, "runner/device/sim/lane/fp.h")                                                      \
    X(lane_cvt, "runner/device/sim/lane/cvt.h")                                                    \
    X(half, "runner/device/sim/lane/half.h")                                                       \
    X(approx, "runner/device/sim/lane/approx.h")                                                   \
    X(int_rows, "runner/device/sim/lane/int.def")                                                  \
    X(fp_rows, "runner/device/sim/lane/fp.def")                                                    \
    X(cvt_rows, "runner/device/sim/lane/cvt.def")
#define EMBED(id, name)                                                                            \
    __asm__(".section .rodata\nsim_native_file_" #id ":\n.incbin \"" name                          \
            "\"\n.byte 0\n.previous\n");                                                           \
    extern const char sim_native_file_##id[];
FILES(EMBED)
static const struct {
    const char *name, *text;
} files[] = {
#define ROW(id, name) {name, sim_native_file_##id},
    FILES(ROW)
#undef ROW
};

enum {
    /* warp instructions of a kernel (some seconds) before one second of a compiler pays */
    FIRST = 1 << 27,
    TIMES = 4,  /* how often a kernel may ask; each time after four times as many instructions */
    SHARE = 64, /* segments with less than 1/SHARE of the work are left alone */
    SECONDS_MAX = 300 /* of the compiler */
};
#define MEMORY_MAX (UINT64_C(8) << 30)

struct sim_native {
    sim_run_command *run;
    void *user;
    volatile int cancel; /* ends the compiler */
    bool now;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, quit, busy;
    native_plan plan;         /* to be compiled; no segments: none */
    sim_native_image *target; /* NULL: the image was freed in the meantime */
    bool broken;              /* the compiler does not work */
};

struct sim_native_image {
    sim_native *owner;
    sim_image *image;
    uint64_t before;       /* warp instructions of launches that have ended */
    _Atomic uint64_t next; /* it asks at this many instructions */
    _Atomic unsigned asked;
    void *libraries[TIMES];
    sim_native_seg **made;
    size_t made_count;
};

/* ---- compiling ---- */

/* Reads one byte of each page of the library that begins at `data`. A page that was never read is
 * not in memory, and a masked load without active lanes does not bring it in: the host would look
 * for the page each time, at a hundred times the cost of the load. */
static int touch_pages(struct dl_phdr_info *info, size_t size, void *data) {
    enum { PAGE = 4096 };
    (void)size;
    const struct link_map *library = data;
    if (info->dlpi_addr != library->l_addr) return 0;
    for (unsigned k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_R)) continue;
        uintptr_t at = (info->dlpi_addr + p->p_vaddr) & ~(uintptr_t)(PAGE - 1),
                  end = info->dlpi_addr + p->p_vaddr + p->p_memsz;
        for (; at < end; at += PAGE) (void)*(const volatile char *)at;
    }
    return 1;
}
static bool library_open(void *user, const char *folder) {
    char path[4200];
    snprintf(path, sizeof path, "%s/code.so", folder);
    void **library = user;
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct link_map *map;
    if (*library && !dlinfo(*library, RTLD_DI_LINKMAP, &map)) dl_iterate_phdr(touch_pages, map);
    return *library != NULL;
}

/* Returns NULL if there is no compiler, or if it failed. */
static void *compile(sim_native *n, const char *source) {
    /* The flags that affect results are those of the handlers (Makefile). No library is linked:
     * this process has memcpy and the others that the code calls. */
    static const char *const argv[] = {"cc",
                                       "-std=gnu17",
                                       "-O3",
                                       "-march=native",
                                       "-w",
                                       "-fPIC",
                                       "-shared",
                                       "-nostdlib",
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-ffp-contract=off",
                                       "-fno-strict-aliasing",
                                       "-I.",
                                       "-o",
                                       "code.so",
                                       "code.c",
                                       NULL};
    enum { CARRIED = sizeof files / sizeof *files };
    sim_command_file in[CARRIED + 1] = {{"code.c", source, strlen(source)}};
    for (size_t k = 0; k < CARRIED; k++)
        in[k + 1] = (sim_command_file){files[k].name, files[k].text, strlen(files[k].text)};
    void *library = NULL;
    const sim_command c = {.argv = argv,
                           .files = in,
                           .file_count = CARRIED + 1,
                           .seconds = SECONDS_MAX,
                           .memory_bytes = MEMORY_MAX,
                           .cancel = &n->cancel,
                           .made = library_open,
                           .user = &library};
    return n->run(n->user, &c, NULL) == SIM_COMMAND_DONE ? library : NULL;
}

/* ---- publishing ---- */

/* Makes a segment's steps: its runs, and each of the other instructions. */
static sim_native_seg *make_seg(const native_seg *s, size_t index, void *library) {
    char name[64];
    uint32_t count = s->seg->count;
    for (uint32_t r = 0; r < s->run_count; r++) count -= s->runs[r].count - 1;
    sim_native_seg *made = calloc(1, sizeof *made + count * sizeof *made->steps);
    if (!made) return NULL;
    if (s->loop) {
        snprintf(name, sizeof name, "loop_%zu", index);
        made->loop = (sim_native_loop *)dlsym(library, name);
        if (made->loop) return made;
        free(made);
        return NULL;
    }
    const sim_insn *i = &s->insns[s->seg->first], *end = i + s->seg->count;
    for (uint32_t r = 0; i < end; made->step_count++) {
        sim_native_step *step = &made->steps[made->step_count];
        step->insn = i;
        step->fn = i->fn[0];
        if (r < s->run_count && i == &s->insns[s->runs[r].from]) {
            snprintf(name, sizeof name, "run_%zu_%u", index, r);
            step->fn = (sim_exec_fn *)dlsym(library, name);
            if (!step->fn) {
                free(made);
                return NULL;
            }
            i += s->runs[r++].count;
        } else {
            i++;
        }
    }
    return made;
}

/* Called under n->lock: the image stays until the lock is released. */
static void publish(sim_native_image *x, const native_plan *p, void *library) {
    bool room = lib_resize(&x->made, x->made_count + p->seg_count, sizeof *x->made);
    unsigned at = 0;
    while (at < TIMES && x->libraries[at]) at++;
    if (!room || at == TIMES) {
        dlclose(library);
        return;
    }
    x->libraries[at] = library;
    for (size_t k = 0; k < p->seg_count; k++) {
        sim_native_seg *s = make_seg(&p->segs[k], k, library);
        if (!s) continue;
        x->made[x->made_count++] = s;
        __atomic_store_n(&p->segs[k].seg->native, s, __ATOMIC_RELEASE);
    }
}

/* Compiles n->plan. The caller holds the lock; it is released meanwhile. */
static void work_off(sim_native *n) {
    n->busy = true;
    pthread_mutex_unlock(&n->lock);
    void *library = compile(n, n->plan.text);
    pthread_mutex_lock(&n->lock);
    if (library && n->target) publish(n->target, &n->plan, library);
    else if (library) dlclose(library);
    n->broken |= !library;
    native_plan_free(&n->plan);
    n->target = NULL;
    n->busy = false;
}

static void *thread(void *p) {
    sim_native *n = p;
    pthread_mutex_lock(&n->lock);
    while (!n->quit) {
        if (n->plan.seg_count) work_off(n);
        else pthread_cond_wait(&n->wake, &n->lock);
    }
    pthread_mutex_unlock(&n->lock);
    return NULL;
}

/* ---- asking ---- */

/* Returns false if the compiler is busy for another image. */
static bool ask_compiler(sim_native_image *x, const bool *wanted) {
    sim_native *n = x->owner;
    pthread_mutex_lock(&n->lock);
    bool free_now = !n->plan.seg_count; /* the plan has segments while they are compiled */
    if (free_now && !n->broken &&
        native_plan_make(&n->plan, x->image, x->image->owner->device->isa, wanted)) {
        n->target = x;
        if (n->now) work_off(n);
        else if (n->started || !pthread_create(&n->thread, NULL, thread, n)) n->started = true;
        else n->broken = true;
        pthread_cond_signal(&n->wake);
    }
    pthread_mutex_unlock(&n->lock);
    return free_now;
}

void sim_native_note(sim_native_image *x, const sim_worker *k, uint64_t all, bool over) {
    if (!x) return;
    uint64_t next = atomic_load_explicit(&x->next, memory_order_relaxed), sum = x->before + all;
    if (over) x->before = sum;
    if (sum < next || !atomic_compare_exchange_strong(&x->next, &next,
                                                      x->asked + 1 < TIMES ? sum * 4 : UINT64_MAX))
        return;
    x->asked++;
    const sim_image *im = x->image;
    bool *wanted = calloc(im->seg_count + 1, sizeof *wanted);
    uint64_t work = 0;
    for (size_t f = 0; f < im->func_count; f++)
        for (uint32_t s = 0; s < im->funcs[f].seg_count; s++)
            work += k->segs[im->funcs[f].segs[s].id].warps * im->funcs[f].segs[s].ptx_count;
    for (size_t f = 0; wanted && f < im->func_count; f++)
        for (uint32_t s = 0; s < im->funcs[f].seg_count; s++) {
            const sim_seg *seg = &im->funcs[f].segs[s];
            wanted[seg->id] = work && k->segs[seg->id].warps * seg->ptx_count >= work / SHARE;
        }
    if (wanted && !ask_compiler(x, wanted)) {
        x->asked--;
        atomic_store(&x->next, sum + FIRST);
    }
    free(wanted);
}

/* ---- a device's, an image's ---- */

sim_native *sim_native_new(sim_run_command *run, void *user) {
    const char *how = getenv("WARPLAB_SIM_NATIVE");
    if (!run || (how && !strcmp(how, "off"))) return NULL;
    sim_native *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->run = run;
    n->user = user;
    n->now = how && !strcmp(how, "now");
    pthread_mutex_init(&n->lock, NULL);
    pthread_cond_init(&n->wake, NULL);
    return n;
}

void sim_native_free(sim_native *n) {
    if (!n) return;
    pthread_mutex_lock(&n->lock);
    n->quit = true;
    n->cancel = 1;
    pthread_cond_signal(&n->wake);
    pthread_mutex_unlock(&n->lock);
    if (n->started) pthread_join(n->thread, NULL);
    native_plan_free(&n->plan);
    pthread_mutex_destroy(&n->lock);
    pthread_cond_destroy(&n->wake);
    free(n);
}

sim_native_image *sim_native_image_new(sim_native *n, sim_image *im) {
    for (size_t f = 0; n && f < im->func_count; f++)
        for (uint32_t s = 0; s < im->funcs[f].seg_count; s++)
            if (im->funcs[f].segs[s].spin)
                return NULL; /* stuck.c compares registers, also those not kept */
    sim_native_image *x = n ? calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->owner = n;
    x->image = im;
    atomic_init(&x->next, FIRST);
    bool *all = n->now ? malloc(im->seg_count + 1) : NULL;
    if (all) {
        memset(all, true, im->seg_count + 1);
        ask_compiler(x, all);
    }
    free(all);
    return x;
}

void sim_native_image_free(sim_native_image *x) {
    if (!x) return;
    pthread_mutex_lock(&x->owner->lock);
    if (x->owner->target == x) {
        x->owner->target = NULL;
        if (!x->owner->busy) native_plan_free(&x->owner->plan);
    }
    pthread_mutex_unlock(&x->owner->lock);
    for (size_t k = 0; k < x->made_count; k++) free(x->made[k]);
    for (unsigned k = 0; k < TIMES; k++)
        if (x->libraries[k]) dlclose(x->libraries[k]);
    free(x->made);
    free(x);
}
