/* Asks ptxas about a module and reads its report. See resources.h.
 *
 * The PTX is the command's input. The command is limited in processor time, address space and
 * output. */
#include "runner/device/sim/load/resources.h"
#include "runner/base/buffer.h"
#include "runner/base/message.h"
#include "words/module.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_MAX = 4 << 20, SECONDS_MAX = 60 };
#define MEMORY_MAX (UINT64_C(8) << 30)

typedef struct ptxas_entry ptxas_entry;
struct ptxas_entry {
    ptxas_entry *next;
    uint64_t hash;
    size_t len;
    unsigned arch, registers;
    char level;         /* as in sim_ptxas */
    sim_resource *rows; /* by name */
    size_t count;
    bool missing; /* there is no ptxas */
    lib_message error;
};
struct sim_resource_cache {
    sim_run_command *run;
    void *user;
    pthread_mutex_t lock;
    ptxas_entry *entries;
};

sim_resource_cache *sim_resource_cache_new(sim_run_command *run, void *user) {
    sim_resource_cache *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->run = run;
    c->user = user;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void sim_resource_cache_free(sim_resource_cache *c) {
    if (!c) return;
    for (ptxas_entry *e = c->entries, *next; e; e = next) {
        next = e->next;
        for (size_t i = 0; i < e->count; i++) free(e->rows[i].name);
        free(e->rows);
        free(e);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* FNV-1a over eight bytes at a time, because modules have up to megabytes. The length is compared,
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

/* ---- the report ---- */

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

static sim_resource *resource_row(sim_resource **rows, size_t *count, const char *name, size_t n) {
    for (size_t i = 0; i < *count; i++)
        if (strlen((*rows)[i].name) == n && !memcmp((*rows)[i].name, name, n)) return &(*rows)[i];
    if (!lib_grow_one(rows, *count, sizeof **rows)) return NULL;
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
 * Device functions that are not inlined have properties of their own, one row each. The callers'
 * registers that they save count as spilled there. */
size_t sim_resources_parse(const char *text, sim_resource **rows, size_t *count) {
    size_t before = *count;
    /* what the next lines are about: the entry; the function whose properties follow */
    sim_resource *now = NULL, *of = NULL;
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
            now = resource_row(rows, count, at, strcspn(at, "'"));
            of = NULL;
        } else if ((at = strstr(line, "Function properties for "))) {
            size_t entry = now ? (size_t)(now - *rows) : 0;
            at += strlen("Function properties for ");
            of = *at ? resource_row(rows, count, at, strlen(at)) : NULL;
            if (now) now = *rows + entry; /* they may have moved */
        } else if (strstr(line, "bytes stack frame")) {
            if (!of) continue;
            if (number_before(line, "bytes stack frame", &v)) of->stack = v;
            if (number_before(line, "bytes spill stores", &v)) of->spill_stores = (unsigned)v;
            if (number_before(line, "bytes spill loads", &v)) of->spill_loads = (unsigned)v;
        } else if ((at = strstr(line, "Used ")) && now) {
            if (number_before(at, "registers", &v)) now->registers = (unsigned)v;
            if (number_before(at, "barriers", &v)) now->barriers = (unsigned)v;
            if (number_before(at, "bytes smem", &v)) now->shared = v;
        }
    }
    return *count - before;
}

/* ---- the assembler ---- */

/* Returns whether the module is for sm_90a or similar. The assembler needs to know that, too. */
static bool target_alone(const char *ptx, size_t len, unsigned arch) {
    char wanted[24];
    snprintf(wanted, sizeof wanted, "sm_%ua", arch);
    const char *line = memmem(ptx, len, ".target", 7),
               *end = line ? memchr(line, '\n', len - (size_t)(line - ptx)) : NULL;
    return end && memmem(line, (size_t)(end - line), wanted, strlen(wanted));
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const sim_resource *)a)->name, ((const sim_resource *)b)->name);
}

void sim_ptxas_flags(sim_ptxas *p, const char *command) {
    enum { MOST = 255 };
    for (const char *at = command; (at = strstr(at, "-maxrregcount")); at++) {
        char *end;
        unsigned long n = strtoul(at + strlen("-maxrregcount") + 1, &end, 10);
        if (n && n <= MOST) p->registers = (unsigned)n;
    }
    for (const char *at = command; (at = strstr(at, "-O")); at++)
        if (at[2 + (at[2] == ' ')] >= '0' && at[2 + (at[2] == ' ')] <= '3')
            p->level = at[2 + (at[2] == ' ')];
}

static void run_ptxas(const sim_resource_cache *c, ptxas_entry *e, const char *ptxas,
                      const char *ptx, size_t len, const volatile int *stop) {
    char arch[24], registers[32], level[] = {'-', 'O', e->level, 0};
    snprintf(arch, sizeof arch, "-arch=sm_%u%s", e->arch,
             target_alone(ptx, len, e->arch) ? "a" : "");
    snprintf(registers, sizeof registers, "-maxrregcount=%u", e->registers);
    const char *argv[] = {ptxas, "-v", arch, "/dev/fd/0", "-o", "/dev/null", NULL, NULL, NULL};
    size_t n = 6;
    if (e->registers) argv[n++] = registers;
    if (e->level) argv[n++] = level;
    lib_message msg = {0};
    char *report = malloc(REPORT_MAX + 1);
    if (!report) {
        lib_message_set(&e->error, w_module_ptxas_no_memory());
        return;
    }
    sim_command command = {.argv = argv,
                           .input = ptx,
                           .input_len = len,
                           .seconds = SECONDS_MAX,
                           .memory_bytes = MEMORY_MAX,
                           .cancel = stop,
                           .output = report,
                           .output_max = REPORT_MAX};
    switch (c->run(c->user, &command, &msg)) {
    case SIM_COMMAND_DONE:
        sim_resources_parse(report, &e->rows, &e->count);
        if (e->count) qsort(e->rows, e->count, sizeof *e->rows, by_name);
        break;
    case SIM_COMMAND_STOPPED: /* another client may ask again */
    case SIM_COMMAND_MISSING: e->missing = true; break;
    case SIM_COMMAND_LATE: lib_message_set(&e->error, w_module_ptxas_late(SECONDS_MAX)); break;
    case SIM_COMMAND_BROKEN: e->error = msg; break;
    default: {
        const char *fatal = strstr(report, "fatal");
        if (!fatal) fatal = strstr(report, "error");
        if (!fatal) fatal = report;
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(fatal, "\n"), fatal);
        lib_message_set(&e->error, w_module_ptxas_refused(e->arch, line));
    }
    }
    free(report);
}

/* Returns the assembler's report on this module, asked for on first need; NULL: it cannot be
 * asked. */
static const ptxas_entry *entry_of(sim_resource_cache *c, unsigned arch, const char *ptx,
                                   size_t len, const sim_ptxas *ptxas, const volatile int *stop,
                                   lib_message *msg) {
    static const sim_ptxas any;
    uint64_t h = hash_bytes(ptx, len);
    ptxas_entry *e = c->entries;
    if (!ptxas) ptxas = &any;
    while (e && (e->hash != h || e->len != len || e->arch != arch ||
                 e->registers != ptxas->registers || e->level != ptxas->level))
        e = e->next;
    if (e) return e;
    const char *path = ptxas->path ? ptxas->path : "ptxas";
    if (c->run && *path) {
        e = calloc(1, sizeof *e);
        if (!e) return NULL;
        e->hash = h, e->len = len, e->arch = arch;
        e->registers = ptxas->registers, e->level = ptxas->level;
        run_ptxas(c, e, path, ptx, len, stop);
    }
    if (!e || e->missing) {
        lib_message_set(msg, w_module_ptxas_missing());
        free(e);
        return NULL;
    }
    e->next = c->entries;
    c->entries = e;
    return e;
}

const sim_resource *sim_resources_row(const sim_resource *rows, size_t count, const char *kernel) {
    const sim_resource wanted = {.name = (char *)(uintptr_t)kernel};
    return count ? bsearch(&wanted, rows, count, sizeof wanted, by_name) : NULL;
}

const sim_resource *sim_resources_rows(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                       size_t len, const sim_ptxas *ptxas, const volatile int *stop,
                                       size_t *count) {
    pthread_mutex_lock(&c->lock);
    const ptxas_entry *e = entry_of(c, p->compile_arch, ptx, len, ptxas, stop, NULL);
    pthread_mutex_unlock(&c->lock);
    *count = e ? e->count : 0;
    return e ? e->rows : NULL;
}

const sim_resource *sim_resources_get(sim_resource_cache *c, const sim_profile *p, const char *ptx,
                                      size_t len, const char *kernel, const sim_ptxas *ptxas,
                                      const volatile int *stop, lib_message *msg) {
    if (msg) *msg = (lib_message){0};
    pthread_mutex_lock(&c->lock);
    const ptxas_entry *e = entry_of(c, p->compile_arch, ptx, len, ptxas, stop, msg);
    const sim_resource *found = e ? sim_resources_row(e->rows, e->count, kernel) : NULL;
    if (e && !found)
        lib_message_set(msg, lib_message_any(&e->error) ? lib_message_words(&e->error)
                                                        : w_module_ptxas_silent());
    pthread_mutex_unlock(&c->lock);
    return found;
}
