/* When code is compiled, by whom, and where the result goes. Workers ask; one thread of the device
 * writes the source to a folder of its own, runs the C compiler, and publishes what it made,
 * segment by segment. A failure of any kind leaves everything as it was. */
#include "runner/sim/device.h"
#include "runner/sim/load/module.h"
#include "runner/sim/native/native.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/file.h"

extern char **environ;

_Static_assert(offsetof(sim_warp, base) == 0 && offsetof(sim_warp, mask) == 4 * sizeof(void *),
               "what native_text.c writes reads them so");

/* The headers that the source stands on, as they are in this folder. */
#define FILES(X)                                                                                   \
    X(native_lanes, "runner/sim/native/native_lanes.h")                                            \
    X(lane, "runner/sim/lane/lane.h")                                                              \
    X(lane_types, "runner/sim/lane/types.h")                                                       \
    X(lane_int, "runner/sim/lane/int.h")                                                           \
    X(lane_fp, "runner/sim/lane/fp.h")                                                             \
    X(lane_cvt, "runner/sim/lane/cvt.h")                                                           \
    X(half, "runner/sim/lane/half.h")                                                              \
    X(approx, "runner/sim/lane/approx.h")                                                          \
    X(int_rows, "runner/sim/lane/int.def")                                                         \
    X(fp_rows, "runner/sim/lane/fp.def")                                                           \
    X(cvt_rows, "runner/sim/lane/cvt.def")
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
    FIRST =
        1
        << 27, /* warp instructions of a kernel, some seconds, before it is worth a compiler's one */
    TIMES = 4,     /* it may ask so often, each time after four times as many */
    SHARE = 64,    /* segments with less than this part of the work are left alone */
    STALE_S = 3600 /* a folder of this age was left by a process that was killed */
};

struct sim_native {
    bool now;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool started, quit, busy;
    native_plan plan;         /* to compile; none: no segments */
    sim_native_image *target; /* NULL: it has gone in the meantime */
    pid_t compiler;           /* that runs; 0: none */
    bool broken;              /* there is no compiler that works */
};

struct sim_native_image {
    sim_native *owner;
    sim_image *image;
    uint64_t before;       /* warp instructions of launches that are over */
    _Atomic uint64_t next; /* asks when there were so many */
    _Atomic unsigned asked;
    void *libraries[TIMES];
    sim_native_seg **made;
    size_t made_count;
};

/* ---- compiling ---- */

static bool put_file(const char *folder, const char *name, const char *text) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (!lib_make_folders(path, NULL)) return false;
    *slash = '/';
    FILE *f = fopen(path, "w");
    if (!f) return false;
    bool good = fputs(text, f) >= 0;
    return !fclose(f) && good;
}

#define PREFIX "warplab-native-"

/* What processes that were killed while they compiled left in `tmp`. */
static void sweep(const char *tmp) {
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        char path[4096 + sizeof e->d_name];
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode) ||
            st.st_uid != geteuid() || st.st_mtime > time(NULL) - STALE_S)
            continue;
        snprintf(path, sizeof path, "%s/%s", tmp, e->d_name);
        lib_remove_tree(path);
    }
    if (d) closedir(d);
}

/* This process's environment with the compiler's own temporary files in `folder`; NULL: no memory.
 * To be freed, without its strings. */
static char **environment(char *tmpdir) {
    size_t n = 0, m = 0;
    while (environ[n]) n++;
    char **e = malloc((n + 2) * sizeof *e);
    for (size_t i = 0; e && i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7)) e[m++] = environ[i];
    if (e) e[m++] = tmpdir, e[m] = NULL;
    return e;
}

static bool run_compiler(sim_native *n, const char *folder) {
    char source[4200], library[4200], include[4200], tmpdir[4200];
    snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", folder);
    snprintf(source, sizeof source, "%s/code.c", folder);
    snprintf(library, sizeof library, "%s/code.so", folder);
    snprintf(include, sizeof include, "-I%s", folder);
    /* The flags that decide about results are the handlers' (Makefile). No library: what memcpy and
     * the like it calls, this process has. */
    char *argv[] = {"cc",
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
                    include,
                    "-o",
                    library,
                    source,
                    NULL};
    posix_spawn_file_actions_t to;
    posix_spawnattr_t how;
    char **env = environment(tmpdir);
    if (!env || posix_spawn_file_actions_init(&to)) {
        free(env);
        return false;
    }
    posix_spawnattr_init(&how);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&to, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&to, 3);
    posix_spawnattr_setflags(
        &how, POSIX_SPAWN_SETPGROUP); /* killed with what it starts; Ctrl-C is not for it */
    pid_t pid = 0;
    pthread_mutex_lock(&n->lock);
    bool good = !n->quit && !posix_spawnp(&pid, argv[0], &to, &how, argv, env);
    n->compiler = good ? pid : 0;
    pthread_mutex_unlock(&n->lock);
    posix_spawn_file_actions_destroy(&to);
    posix_spawnattr_destroy(&how);
    free(env);
    if (!good) return false;
    int status = 1;
    siginfo_t ended;
    waitid(P_PID, (id_t)pid, &ended,
           WEXITED | WNOWAIT); /* its number stays ours until nobody kills it any more */
    pthread_mutex_lock(&n->lock);
    n->compiler = 0;
    pthread_mutex_unlock(&n->lock);
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void *compile(sim_native *n, const char *source) {
    const char *tmp = getenv("TMPDIR");
    char folder[4096], path[4200];
    if (!tmp || *tmp != '/') tmp = "/tmp";
    sweep(tmp);
    snprintf(folder, sizeof folder, "%s/" PREFIX "XXXXXX", tmp);
    if (!mkdtemp(folder)) return NULL;
    bool good = put_file(folder, "code.c", source);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        good &= put_file(folder, files[k].name, files[k].text);
    good = good && run_compiler(n, folder);
    snprintf(path, sizeof path, "%s/code.so", folder);
    void *library = good ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    lib_remove_tree(folder);
    return library;
}

/* ---- publishing ---- */

/* A segment's steps: its runs, and every other instruction by itself. */
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

/* Under n->lock: the image is there until it is let go. */
static void publish(sim_native_image *x, const native_plan *p, void *library) {
    sim_native_seg **made = realloc(x->made, (x->made_count + p->seg_count) * sizeof(void *));
    unsigned at = 0;
    while (at < TIMES && x->libraries[at]) at++;
    if (made) x->made = made;
    if (!made || at == TIMES) {
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

/* Compiles n->plan; the lock is held, and let go meanwhile. */
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

/* False: the compiler is at work for somebody else. */
static bool ask(sim_native_image *x, const bool *wanted) {
    sim_native *n = x->owner;
    pthread_mutex_lock(&n->lock);
    bool free_now = !n->busy && !n->plan.seg_count;
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
    if (wanted && !ask(x, wanted)) {
        x->asked--;
        atomic_store(&x->next, sum + FIRST);
    }
    free(wanted);
}

/* ---- a device's, an image's ---- */

sim_native *sim_native_new(void) {
    const char *how = getenv("WARPLAB_SIM_NATIVE");
    if (how && !strcmp(how, "off")) return NULL;
    sim_native *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->now = how && !strcmp(how, "now");
    pthread_mutex_init(&n->lock, NULL);
    pthread_cond_init(&n->wake, NULL);
    return n;
}

void sim_native_free(sim_native *n) {
    if (!n) return;
    pthread_mutex_lock(&n->lock);
    n->quit = true;
    if (n->compiler) kill(-n->compiler, SIGKILL);
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
        ask(x, all);
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
