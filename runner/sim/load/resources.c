/* Runs ptxas on a module and reads its report. See resources.h.
 *
 * The PTX is handed over as an anonymous file that the child inherits, so nothing is written to
 * disk and two modules never meet. The child is bounded: processor time, address space, output; it
 * is killed when it outlasts them. */
#include "runner/sim/load/resources.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runner/base/file.h"
#include "runner/base/clock.h"
#include "runner/base/message.h"

enum { REPORT_MAX = 4 << 20, SECONDS_MAX = 60, PTX_FD = 3 };

typedef struct entry entry;
struct entry {
    entry *next;
    uint64_t hash;
    size_t len;
    unsigned arch;
    sim_resource *rows;
    size_t count;
    char error[512];
};
struct sim_resource_cache {
    pthread_mutex_t lock;
    entry *entries;
};

sim_resource_cache *sim_resource_cache_new(void) {
    sim_resource_cache *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void sim_resource_cache_free(sim_resource_cache *c) {
    if (!c) return;
    for (entry *e = c->entries, *next; e; e = next) {
        next = e->next;
        for (size_t i = 0; i < e->count; i++) free(e->rows[i].name);
        free(e->rows);
        free(e);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* FNV-1a over eight bytes at a time: modules are up to megabytes, and the length is compared
 * too. */
static uint64_t hash_bytes(const char *s, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; n >= 8; s += 8, n -= 8) {
        uint64_t w;
        memcpy(&w, s, 8);
        h = (h ^ w) * 0x100000001b3u;
        h ^= h >> 29;
    }
    for (; n; s++, n--) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

/* ---- the report --------------------------------------------------------------------------------- */

static bool number_before(const char *line, const char *what, uint64_t *out) {
    for (const char *at = line; (at = strstr(at, what)); at += strlen(what)) {
        const char *p = at;
        while (p > line && p[-1] == ' ') p--;
        const char *end = p;
        while (p > line && p[-1] >= '0' && p[-1] <= '9') p--;
        if (p == end || end - p > 15) continue;
        *out = strtoull(p, NULL, 10);
        return true;
    }
    return false;
}

static sim_resource *row_of(sim_resource **rows, size_t *count, const char *name, size_t n) {
    for (size_t i = 0; i < *count; i++)
        if (strlen((*rows)[i].name) == n && !memcmp((*rows)[i].name, name, n)) return &(*rows)[i];
    if ((*count & (*count - 1)) == 0) {
        sim_resource *more = realloc(*rows, (*count ? *count * 2 : 1) * sizeof **rows);
        if (!more) return NULL;
        *rows = more;
    }
    char *copy = strndup(name, n);
    if (!copy) return NULL;
    sim_resource *r = &(*rows)[(*count)++];
    *r = (sim_resource){.name = copy, .exact = true};
    return r;
}

/* Lines of interest ("ptxas info    :" before most of them):
 *   Compiling entry function 'NAME' for 'sm_90'
 *   Function properties for NAME
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   Used 16 registers, used 1 barriers, 1024 bytes smem, 352 bytes cmem[0]
 * Device functions that are not inlined have properties of their own; only what follows an entry's
 * "Compiling" line is a kernel's. */
size_t sim_resources_parse(const char *text, sim_resource **rows, size_t *count) {
    size_t before = *count;
    sim_resource *now = NULL;
    bool own = false; /* the properties that follow are the entry's own */
    char line[1024];
    while (*text) {
        size_t n = strcspn(text, "\n");
        size_t keep = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, text, keep);
        line[keep] = 0;
        text += n + (text[n] == '\n');
        const char *at;
        uint64_t v;
        if ((at = strstr(line, "Compiling entry function '"))) {
            at += strlen("Compiling entry function '");
            now = row_of(rows, count, at, strcspn(at, "'"));
            own = false;
        } else if ((at = strstr(line, "Function properties for "))) {
            at += strlen("Function properties for ");
            own = now && !strcmp(at, now->name);
        } else if (strstr(line, "bytes stack frame")) {
            if (!now || !own) continue;
            if (number_before(line, "bytes stack frame", &v)) now->stack = v;
            if (number_before(line, "bytes spill stores", &v)) now->spill_stores = (unsigned)v;
            if (number_before(line, "bytes spill loads", &v)) now->spill_loads = (unsigned)v;
        } else if ((at = strstr(line, "Used ")) && now) {
            if (number_before(at, "registers", &v)) now->registers = (unsigned)v;
            if (number_before(at, "barriers", &v)) now->barriers = (unsigned)v;
            if (number_before(at, "bytes smem", &v)) now->shared = v;
            for (const char *c = at; (c = strstr(c, "bytes cmem")); c += 10) {
                const char *p = c;
                while (p > at && p[-1] == ' ') p--;
                while (p > at && p[-1] >= '0' && p[-1] <= '9') p--;
                now->constant += strtoull(p, NULL, 10);
            }
        }
    }
    return *count - before;
}

/* ---- the assembler ------------------------------------------------------------------------------ */

/* A path to run, written into buf; false if there is none. */
static bool find_ptxas(const char *given, char *buf, size_t n) {
    if (given) return *given && snprintf(buf, n, "%s", given) < (int)n && access(buf, X_OK) == 0;
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t len = strcspn(path, ":");
        if (len && snprintf(buf, n, "%.*s/ptxas", (int)len, path) < (int)n &&
            access(buf, X_OK) == 0)
            return true;
        path += len + (path[len] == ':');
    }
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (unsigned i = 0; i < sizeof roots / sizeof *roots; i++)
        if (roots[i] && *roots[i] && snprintf(buf, n, "%s/bin/ptxas", roots[i]) < (int)n &&
            access(buf, X_OK) == 0)
            return true;
    return false;
}

static int ptx_file(const char *ptx, size_t len) {
    int fd = memfd_create("module.ptx", MFD_CLOEXEC);
    if (fd < 0) return -1;
    if (!lib_write_all(fd, ptx, len)) {
        close(fd);
        return -1;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Reads the child's output until it closes it; false when it outlasts its time. Output past
 * REPORT_MAX is read and dropped. */
static bool read_report(int fd, char *report) {
    size_t have = 0;
    double end = lib_now() + SECONDS_MAX;
    char drop[4096];
    for (;;) {
        double left = end - lib_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) break;
        bool room = have < REPORT_MAX;
        ssize_t r = room ? read(fd, report + have, REPORT_MAX - have) : read(fd, drop, sizeof drop);
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0) {
            report[have] = 0;
            return true;
        }
        if (room) have += (size_t)r;
    }
    report[have] = 0;
    return false;
}

static void run_ptxas(entry *e, const char *path, const char *ptx, size_t len) {
    char arch[24];
    snprintf(arch, sizeof arch, "-arch=sm_%u", e->arch);
    char *argv[] = {(char *)path, "-v", arch, "/dev/fd/3", "-o", "/dev/null", NULL};
    extern char **environ;
    int in = ptx_file(ptx, len), out[2] = {-1, -1};
    char *report = malloc(REPORT_MAX + 1);
    posix_spawn_file_actions_t fa;
    pid_t pid;
    int err, status = 0;
    if (in < 0 || !report || pipe2(out, O_CLOEXEC)) {
        snprintf(e->error, sizeof e->error, "could not start the assembler: %s", strerror(errno));
        goto done;
    }
    /* The pipe and the file may themselves be descriptor 3; moving them up first makes the
     * duplications safe in any order. */
    int in_high = fcntl(in, F_DUPFD_CLOEXEC, 16), out_high = fcntl(out[1], F_DUPFD_CLOEXEC, 16);
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&fa, out_high, 1);
    posix_spawn_file_actions_adddup2(&fa, out_high, 2);
    posix_spawn_file_actions_adddup2(&fa, in_high, PTX_FD);
    err = in_high < 0 || out_high < 0 ? EMFILE : posix_spawn(&pid, path, &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    if (in_high >= 0) close(in_high);
    if (out_high >= 0) close(out_high);
    close(out[1]);
    out[1] = -1;
    if (err) {
        snprintf(e->error, sizeof e->error, "could not run %.200s: %s", path, strerror(err));
        goto done;
    }
    prlimit(pid, RLIMIT_CPU, &(struct rlimit){SECONDS_MAX, SECONDS_MAX}, NULL);
    prlimit(pid, RLIMIT_AS, &(struct rlimit){8ull << 30, 8ull << 30}, NULL);
    bool in_time = read_report(out[0], report);
    if (!in_time) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time)
        snprintf(e->error, sizeof e->error, "the assembler took longer than %d s", SECONDS_MAX);
    else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        const char *fatal = strstr(report, "fatal");
        if (!fatal) fatal = strstr(report, "error");
        snprintf(e->error, sizeof e->error, "ptxas for sm_%u refused the module: %.*s", e->arch,
                 (int)strcspn(fatal ? fatal : report, "\n"), fatal ? fatal : report);
    } else sim_resources_parse(report, &e->rows, &e->count);
done:
    free(report);
    if (in >= 0) close(in);
    if (out[0] >= 0) close(out[0]);
    if (out[1] >= 0) close(out[1]);
}

/* What the assembler said of this module, asked when it is wanted for the first time; NULL: it
 * cannot be asked. */
static const entry *entry_of(sim_resource_cache *c, unsigned arch, const char *ptx, size_t len,
                             const char *ptxas, lib_message *msg) {
    char path[4096];
    uint64_t h = hash_bytes(ptx, len);
    entry *e = c->entries;
    while (e && (e->hash != h || e->len != len || e->arch != arch)) e = e->next;
    if (e) return e;
    if (!find_ptxas(ptxas, path, sizeof path)) {
        if (msg) snprintf(msg->text, sizeof msg->text, "no ptxas: registers are estimated");
        return NULL;
    }
    e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->hash = h, e->len = len, e->arch = arch;
    run_ptxas(e, path, ptx, len);
    e->next = c->entries;
    c->entries = e;
    return e;
}

const sim_resource *sim_resources_get(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                      size_t len, const char *kernel, const char *ptxas,
                                      lib_message *msg) {
    if (msg) msg->text[0] = 0;
    const sim_resource *found = NULL;
    pthread_mutex_lock(&c->lock);
    const entry *e = entry_of(c, p->compile_arch, ptx, len, ptxas, msg);
    for (size_t i = 0; e && i < e->count && !found; i++)
        if (!strcmp(e->rows[i].name, kernel)) found = &e->rows[i];
    if (e && !found && msg)
        snprintf(msg->text, sizeof msg->text, "%.500s",
                 e->error[0] ? e->error : "the assembler's report does not name this kernel");
    pthread_mutex_unlock(&c->lock);
    return found;
}

/* ---- without the assembler ---------------------------------------------------------------------- */

typedef struct {
    uint32_t first, last;
} span;

static void touch_reg(span *live, int32_t reg, size_t count, uint32_t at) {
    if (reg < 0 || (size_t)reg >= count) return;
    if (at < live[reg].first) live[reg].first = at;
    if (at > live[reg].last) live[reg].last = at;
}

static void touch(span *live, const ptx_opnd *o, size_t count, uint32_t at) {
    touch_reg(live, o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR ? o->reg : -1, count, at);
    for (unsigned i = 0; o->elem && i < o->count; i++)
        touch_reg(live, o->elem[i].kind == PTX_OPND_REG ? o->elem[i].reg : -1, count, at);
}

/* A value lives from its first to its last mention, and through a whole loop that it enters or
 * leaves. The assembler does better by rematerialising and worse by alignment of pairs; over the
 * kernels of tests/truth the error is a few registers. */
sim_resource sim_resources_estimate(const ptx_func *f) {
    sim_resource r = {.registers = 16, .shared = f->shared_bytes, .stack = f->local_bytes};
    size_t n = f->reg_count;
    span *live = calloc(n + 1, sizeof *live);
    int *change = calloc(f->insn_count + 2, sizeof *change);
    if (!live || !change) goto done;
    for (size_t i = 0; i < n; i++) live[i] = (span){UINT32_MAX, 0};
    for (size_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        for (unsigned k = 0; k < in->nopnds; k++) touch(live, &in->opnd[k], n, (uint32_t)i);
        touch_reg(live, in->guard, n, (uint32_t)i);
    }
    for (size_t i = 0; i < f->insn_count;
         i++) /* loops, as branches backwards; inner ones first, since they end first */
        for (unsigned k = 0; k < f->insns[i].nopnds; k++) {
            const ptx_opnd *o = &f->insns[i].opnd[k];
            if (o->kind != PTX_OPND_LABEL || o->target > i) continue;
            for (size_t v = 0; v < n; v++)
                if (live[v].first < o->target && live[v].last >= o->target && live[v].last < i)
                    live[v].last = (uint32_t)i;
        }
    for (size_t v = 0; v < n; v++) {
        if (live[v].first == UINT32_MAX || f->reg_type[v] == PTX_PRED) continue;
        int size = ptx_type_size(f->reg_type[v]) > 4 ? 2 : 1;
        change[live[v].first] += size;
        change[live[v].last] -= size;
    }
    int now = 0, most = 0;
    for (size_t i = 0; i < f->insn_count; i++) {
        now += change[i];
        if (now > most) most = now;
    }
    r.registers = (unsigned)(most + 6) < 16 ? 16 : (unsigned)(most + 6) / 2 * 2;
    if (r.registers > 255) r.registers = 255;
    if (f->maxnreg && r.registers > f->maxnreg) r.registers = f->maxnreg;
done:
    free(live);
    free(change);
    return r;
}

unsigned sim_resources_registers(const sim_profile *p, unsigned registers, unsigned threads) {
    if (!p->registers_by_block || !threads) return registers;
    unsigned warps = (threads + 31) / 32,
             rounded = (warps + p->warp_unit - 1) / p->warp_unit * p->warp_unit * 32;
    unsigned most = p->registers_sm / rounded, narrow = (2 * registers + 2) / 3;
    return narrow < most ? narrow : most;
}
