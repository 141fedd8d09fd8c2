/* Findings of a launch: merged by site, and put into words here only.
 *
 *   sim_finding_report(event) -> finding_entry of (kind, site): the event in the lowest block is
 *                                kept, the others are counted
 *   sim_findings_take()       -> allocation, source lines and text are filled in, in the order of
 *                                blocks
 *
 * A site is a source line if the module has lines (several instructions of one statement are one
 * site for the reader), otherwise a PTX line. Reports are rare, so one lock is enough. */
#include "runner/device/sim/memory/finding.h"
#include "runner/base/buffer.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1000, BUCKETS = 1024 }; /* KEPT: sites; a program with more has other problems */
/* This many blocks have separate counts, more than run at the same time. */
enum { APART = 512 };
typedef struct {
    uint64_t block, count;
} block_count;

typedef struct {
    sim_event e;
    uint64_t count, order; /* count: of blocks without a separate count */
    block_count *late;     /* separate counts of the other blocks */
    size_t late_n, late_cap;
    const char *file, *other_file; /* position in the source; line 0: none */
    unsigned line, other_line;
    char detail[256];
    int device; /* number of another device in whose address range the address lies; -1: none */
    /* the allocation at the time of the event: it may be freed before the finding is read */
    sim_addr base;
    uint64_t size;
    char name[64];
    sim_addr near_base; /* for a freed allocation: the nearest live one */
    uint64_t near_size; /* 0: none */
    char near_name[64];
    bool freed;
    bool across;   /* a race: some of the pairs are in different warps */
    uint16_t next; /* next in the bucket, in order: index + 1; 0: none */
} finding_entry;

struct sim_findings {
    sim_findings_config c;
    pthread_mutex_t lock;
    finding_entry *e;
    size_t n, cap;
    uint16_t bucket[BUCKETS]; /* by site; values as in finding_entry.next */
};

static const struct {
    const char *name, *title;
} kinds[] = {
#define X(n, s, m) {s, m},
    SIM_FINDING_MAP(X)
#undef X
};

const char *sim_finding_name(sim_finding_kind k) {
    return k < SIM_FIND_COUNT ? kinds[k].name : "?";
}

const char *sim_finding_title(sim_finding_kind k) {
    return k < SIM_FIND_COUNT ? kinds[k].title : "?";
}

sim_findings *sim_findings_new(const sim_findings_config *c) {
    sim_findings *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->c = *c;
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

void sim_findings_free(sim_findings *f) {
    if (!f) return;
    pthread_mutex_destroy(&f->lock);
    for (size_t k = 0; k < f->n; k++) free(f->e[k].late);
    free(f->e);
    free(f);
}

size_t sim_findings_count(const sim_findings *f) {
    return f->n;
}

static void where(const sim_findings *f, uint32_t loc, uint32_t ptx_line, const char **file,
                  unsigned *line) {
    *file = "";
    *line = 0;
    if (f->c.source) f->c.source(f->c.module, loc, ptx_line, file, line);
    if (!*file) *file = "";
}

static bool same_site(const finding_entry *x, const sim_event *e, const char *file, unsigned line,
                      const char *other_file, unsigned other_line) {
    if (x->e.kind != e->kind || x->line != line || x->e.write != e->write) return false;
    if (line ? strcmp(x->file, file) != 0 : x->e.ptx_line != e->ptx_line) return false;
    if (!e->has_other) return true;
    if (x->e.other_write != e->other_write || x->other_line != other_line) return false;
    return other_line ? !strcmp(x->other_file, other_file)
                      : x->e.other_ptx_line == e->other_ptx_line;
}

/* Returns the start of a site's chain. The hash uses the fields that same_site() compares for every
 * kind of event. */
static uint16_t *bucket_of(sim_findings *f, const sim_event *e, unsigned line) {
    uint32_t key = (line ? line : ~e->ptx_line) * 0x9E3779B1u + (uint32_t)e->kind * 2 + e->write;
    return &f->bucket[(key * 0x85EBCA6Bu >> 16) % BUCKETS];
}

static void finding_keep(const sim_findings *f, finding_entry *x, const sim_event *e) {
    x->e = *e;
    x->e.detail = NULL; /* finding_entry.detail has the text */
    snprintf(x->detail, sizeof x->detail, "%s", e->detail ? e->detail : "");
    x->base = x->size = x->near_size = 0;
    x->name[0] = 0;
    x->freed = false;
    x->device = -1;
    bool global = e->space && (!strcmp(e->space, "global") || !strcmp(e->space, "const"));
    if (!f->c.memory || !global) return;
    uint64_t device = (e->address - SIM_DEV_BASE(0)) / SIM_DEV_BYTES;
    if (device < 16 && device != sim_memory_device_index(f->c.memory)) x->device = (int)device;
    const sim_alloc *a = sim_memory_find(f->c.memory, e->address);
    if (a && a->freed && e->kind == SIM_FIND_OOB) a = NULL;
    if (!a) a = sim_memory_nearest(f->c.memory, e->address);
    if (!a) return;
    x->base = a->base;
    x->size = a->size;
    x->freed = a->freed;
    const sim_alloc *near = a->freed ? sim_memory_nearest(f->c.memory, e->address) : NULL;
    if (near) {
        x->near_base = near->base, x->near_size = near->size;
        snprintf(x->near_name, sizeof x->near_name, "%s", near->name);
    }
    snprintf(x->name, sizeof x->name, "%s", a->name);
}

static bool of_two_warps(const sim_event *e) {
    return e->has_other && (e->block != e->other_block || e->thread / 32 != e->other_thread / 32);
}

static bool before(const sim_event *a, const sim_event *b) {
    return a->block != b->block ? a->block < b->block : a->thread < b->thread;
}

static int by_number(const void *pa, const void *pb) {
    const block_count *a = pa, *b = pb;
    return (a->block > b->block) - (a->block < b->block);
}

/* Adds to the count of a site. Blocks that run at the same time as the block that ends the launch
 * report, too, and how many do so varies. So each block has a separate count until it is known
 * whether the block counts. */
static void count_of(finding_entry *x, uint64_t block, uint64_t count) {
    size_t k = x->late_n;
    while (k > 0 && x->late[k - 1].block != block) k--;
    if (k > 0) {
        x->late[k - 1].count += count;
        return;
    }
    if (x->late_n == APART) { /* the lower half ended long ago */
        qsort(x->late, x->late_n, sizeof *x->late, by_number);
        for (k = 0; k < APART / 2; k++) x->count += x->late[k].count;
        x->late_n -= APART / 2;
        memmove(x->late, x->late + APART / 2, x->late_n * sizeof *x->late);
    }
    if (lib_grow(&x->late, &x->late_cap, x->late_n, sizeof *x->late, 4))
        x->late[x->late_n++] = (block_count){block, count};
    else x->count += count;
}

void sim_finding_report(sim_findings *f, const sim_event *e) {
    if (!f) return;
    const char *file, *other_file;
    unsigned line, other_line;
    where(f, e->loc, e->ptx_line, &file, &line);
    where(f, e->other_loc, e->other_ptx_line, &other_file, &other_line);
    uint64_t count = e->count ? e->count : 1;
    pthread_mutex_lock(&f->lock);
    finding_entry *x = NULL;
    uint16_t *first = bucket_of(f, e, line), last = 0;
    for (uint16_t at = *first; at && !x; last = at, at = f->e[at - 1].next)
        if (same_site(&f->e[at - 1], e, file, line, other_file, other_line)) x = &f->e[at - 1];
    if (x) {
        count_of(x, e->block, count);
        x->across |= of_two_warps(e);
        /* a block runs on one thread, so its first report stays; among blocks, the lowest wins */
        if (e->block < x->e.block) finding_keep(f, x, e);
    } else if (f->n < KEPT) {
        if (f->n == f->cap && !lib_grow(&f->e, &f->cap, f->n, sizeof *f->e, 16)) goto out;
        x = &f->e[f->n];
        *x = (finding_entry){.order = f->n,
                             .file = file,
                             .line = line,
                             .across = of_two_warps(e),
                             .other_file = other_file,
                             .other_line = other_line};
        count_of(x, e->block, count);
        f->n++;
        *(last ? &f->e[last - 1].next : first) = (uint16_t)f->n;
        finding_keep(f, x, e);
    }
out:
    pthread_mutex_unlock(&f->lock);
}

/* ---- words ---- */

typedef struct {
    char *at;
    size_t left;
} finding_text;

__attribute__((format(printf, 2, 3))) static void say(finding_text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, t->left, fmt, ap);
    va_end(ap);
    if (n < 0) return;
    size_t k = (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += k;
    t->left -= k;
}

static void coords(unsigned out[3], const unsigned dim[3], uint64_t linear) {
    out[0] = (unsigned)(linear % dim[0]);
    out[1] = (unsigned)(linear / dim[0] % dim[1]);
    out[2] = (unsigned)(linear / dim[0] / dim[1]);
}

/* "(3,0,0)", as short as the launch allows: "3" in one dimension, "(3,1)" in two. */
static void say_coords(finding_text *t, const unsigned at[3], const unsigned dim[3]) {
    if (dim[2] > 1) say(t, "(%u,%u,%u)", at[0], at[1], at[2]);
    else if (dim[1] > 1) say(t, "(%u,%u)", at[0], at[1]);
    else say(t, "%u", at[0]);
}

static void say_place(finding_text *t, const char *file, unsigned line, uint32_t ptx_line) {
    const char *slash = strrchr(file, '/');
    if (line) say(t, "%s:%u", slash ? slash + 1 : file, line);
    else if (ptx_line) say(t, "PTX line %u", ptx_line);
}

static void say_named(finding_text *t, const char *name, uint64_t base, uint64_t size) {
    if (*name) say(t, "%s (%llu bytes)", name, (unsigned long long)size);
    else
        say(t, "the %llu-byte allocation at 0x%llx", (unsigned long long)size,
            (unsigned long long)base);
}

static void say_allocation(finding_text *t, const finding_entry *x) {
    say_named(t, x->name, x->base, x->size);
}

static const char *bytes(uint64_t n) {
    return n == 1 ? "byte" : "bytes";
}

/* Says to which block the shared memory belongs. */
static void say_remote(finding_text *t, const sim_event *e) {
    say(t, "shared memory of block %u of the cluster", e->remote - 1);
}

/* Says where an address outside of all allocations lies. */
static void say_outside(finding_text *t, const finding_entry *x) {
    const sim_event *e = &x->e;
    unsigned long long a = e->address;
    if (e->remote > e->remote_of) {
        say_remote(t, e);
        say(t, ", which has only %u block%s", e->remote_of, e->remote_of == 1 ? "" : "s");
        return;
    }
    if (e->remote) {
        say(t, "byte %llu of the ", a);
        say_remote(t, e);
        say(t, ", of which the block has %llu bytes", (unsigned long long)e->space_size);
        return;
    }
    if (e->space_size || !e->space || (strcmp(e->space, "global") && strcmp(e->space, "const"))) {
        const char *of = e->space ? e->space : "";
        bool shared = !strcmp(of, "shared"), local = !strcmp(of, "local");
        if (!e->space_size) say(t, "the kernel has no %s memory", of);
        else /* 32-bit addresses: a negative index is just below 2^32 */
            say(t, "byte %lld of %s memory, of which %s has %llu bytes",
                a >> 31 == 1 ? (long long)a - (1ll << 32) : (long long)a, of,
                shared  ? "the block"
                : local ? "a thread"
                        : "the kernel",
                (unsigned long long)e->space_size);
        return;
    }
    if (a < 4096) say(t, a ? "address 0x%llx: a null pointer with an offset" : "a null pointer", a);
    else if (a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES)
        say(t, "address 0x%llx: that is shared memory, not global", a);
    else if (a - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES)
        say(t, "address 0x%llx: that is a local variable of a thread, not global memory", a);
    else if (!x->base && x->device >= 0)
        say(t,
            "address 0x%llx: memory of device %d, which kernels of this device reach only after "
            "cudaDeviceEnablePeerAccess(%d, 0)",
            a, x->device, x->device);
    else if (!x->base) /* the host has nothing within 1 TB below the first device's memory */
        say(t, "address 0x%llx: no allocation is near; %s", a,
            a - (SIM_DEV_BASE(0) - SIM_DEV_BYTES) < 17 * SIM_DEV_BYTES ? "has an index overflowed?"
                                                                       : "is it a host pointer?");
    else if (a >= x->base + x->size) {
        uint64_t past = a - x->base - x->size;
        if (past) say(t, "%llu %s past the end of ", (unsigned long long)past, bytes(past));
        else say(t, "just past the end of ");
        say_allocation(t, x);
    } else if (a < x->base) {
        say(t, "%llu %s before the start of ", (unsigned long long)(x->base - a),
            bytes(x->base - a));
        say_allocation(t, x);
    } else if (a + e->bytes <= x->base + x->size) {
        say_allocation(t, x);
        say(t, e->write || e->atomic ? " is constant memory, which a kernel cannot write"
                                     : " is not constant memory");
    } else {
        uint64_t over = a + e->bytes - (x->base + x->size);
        say(t, "byte %llu of ", (unsigned long long)(a - x->base));
        say_allocation(t, x);
        say(t, ", so %llu %s of it past the end", (unsigned long long)over, bytes(over));
    }
}

static const char *verb(bool write, bool atomic) {
    return atomic ? "updates atomically" : write ? "writes" : "reads";
}

/* Names the accessed element for the reader: name and offset, or the bare address. */
static void say_inside(finding_text *t, const finding_entry *x) {
    const sim_event *e = &x->e;
    if (x->base && e->address >= x->base && e->address < x->base + x->size) {
        say(t, "byte %llu of ", (unsigned long long)(e->address - x->base));
        say_allocation(t, x);
    } else if (e->remote) {
        say(t, "byte %llu of the ", (unsigned long long)e->address);
        say_remote(t, e);
        if (e->kind == SIM_FIND_USE_AFTER_FREE) say(t, ", which has ended");
    } else if (e->space && strcmp(e->space, "global"))
        say(t, "byte %llu of %s memory", (unsigned long long)e->address, e->space);
    else say(t, "address 0x%llx", (unsigned long long)e->address);
}

/* An index that is far off may also point into freed memory. */
static void say_instead(finding_text *t, const finding_entry *x) {
    unsigned long long at = x->e.address, base = x->near_base, size = x->near_size;
    if (!size || (at >= base && at < base + size)) return;
    bool past = at >= base + size;
    uint64_t by = past ? at - base - size : base - at;
    say(t, "; or an index is wrong: %llu %s %s ", (unsigned long long)by, bytes(by),
        past ? "past the end of" : "before the start of");
    say_named(t, x->near_name, base, size);
}

/* Both accesses are in inlined code that the statement calls: says where in that code. */
static bool say_within(finding_text *t, const sim_findings *f, const finding_entry *x) {
    const char *file[2] = {"", ""};
    unsigned line[2] = {0, 0};
    if (!f->c.inner || !x->line) return false;
    f->c.inner(f->c.module, x->e.loc, &file[0], &line[0]);
    f->c.inner(f->c.module, x->e.other_loc, &file[1], &line[1]);
    if (!line[0] || !line[1] || (line[0] == x->line && !strcmp(file[0], x->file)) ||
        (line[1] == x->line && !strcmp(file[1], x->file)))
        return false;
    say(t, ": both in what that line calls (");
    say_place(t, file[0], line[0], 0);
    if (line[0] != line[1] || strcmp(file[0], file[1]) != 0) {
        say(t, ", ");
        say_place(t, file[1], line[1], 0);
    }
    say(t, ")");
    return true;
}

/* Says what would order the two accesses. A barrier does not fit into one statement: then the
 * reader should check the index first, and think of a barrier between the rounds of a loop second.
 * If no pair is in two warps, a barrier of the warp is enough. */
static void say_remedy(finding_text *t, const sim_findings *f, const finding_entry *x) {
    const sim_event *e = &x->e;
    bool one = x->line ? x->line == x->other_line && !strcmp(x->file, x->other_file)
                       : e->ptx_line == e->other_ptx_line;
    bool global = e->space && !strcmp(e->space, "global"),
         warp = e->thread / 32 == e->other_thread / 32;
    const char *barrier = warp ? "__syncwarp()" : "__syncthreads()";
    if (warp) say(t, ", in the same warp");
    if (one && !global && say_within(t, f, x))
        say(t, "; the storage is used again: a %s is missing between the two uses", barrier);
    else if (one && global)
        say(t, ": both in one statement: use atomicAdd or the like, or an element of its own for "
               "each thread");
    else if (one && e->write && e->other_write)
        say(t, ": both write it in one statement: is the index right?");
    else if (one)
        say(t, ": both in one statement: is the index right, and is there a %s between the rounds?",
            barrier);
    else say(t, ": a %s is missing between them", barrier);
    if (warp && x->across && !(one && (global || (e->write && e->other_write))))
        say(t, "; threads of different warps meet here too: they need __syncthreads()");
}

/* Makes one entry of a race that was seen from both sides. */
static void across_both_ways(sim_findings *f) {
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->n; k++) {
            const finding_entry *a = &f->e[i];
            finding_entry *b = &f->e[k];
            if (a->across && a->e.kind == SIM_FIND_RACE && b->e.kind == SIM_FIND_RACE &&
                a->line == b->other_line && a->other_line == b->line)
                b->across = true;
        }
}

static void finding_word(const sim_findings *f, const finding_entry *x, sim_finding *out) {
    finding_text t = {out->text, sizeof out->text};
    const sim_event *e = &x->e;
    say_place(&t, x->file, x->line, e->ptx_line);
    if (t.at != out->text) say(&t, ": ");
    say(&t, "thread ");
    say_coords(&t, out->thread, f->c.block);
    say(&t, " of block ");
    say_coords(&t, out->block, f->c.grid);
    say(&t, " of %s ", f->c.kernel ? f->c.kernel : "the kernel");
    switch (e->kind) {
    case SIM_FIND_OOB:
        say(&t, "%s %u %s out of bounds: ", verb(e->write, e->atomic), e->bytes, bytes(e->bytes));
        say_outside(&t, x);
        break;
    case SIM_FIND_MISALIGNED:
        say(&t,
            "%s %u bytes at an address that is not a multiple of %u: ", verb(e->write, e->atomic),
            e->bytes, e->align ? e->align : e->bytes);
        say_inside(&t, x);
        break;
    case SIM_FIND_USE_AFTER_FREE:
        say(&t, "%s memory that was freed: ", verb(e->write, e->atomic));
        say_inside(&t, x);
        say_instead(&t, x);
        break;
    case SIM_FIND_UNINIT:
        say(&t, "%s memory that nothing has written: ", verb(e->write, e->atomic));
        say_inside(&t, x);
        break;
    case SIM_FIND_RACE:
        say(&t, "%s ", verb(e->write, e->atomic));
        say_inside(&t, x);
        say(&t, ", which thread ");
        say_coords(&t, out->other_thread, f->c.block);
        if (e->other_block != e->block) {
            unsigned ob[3];
            coords(ob, f->c.grid, e->other_block);
            say(&t, " of block ");
            say_coords(&t, ob, f->c.grid);
        }
        say(&t, " %s", verb(e->other_write, e->other_atomic));
        if (x->other_line || e->other_ptx_line) {
            say(&t, " at ");
            say_place(&t, x->other_file, x->other_line, e->other_ptx_line);
        }
        if (x->detail[0]) say(&t, ": %s", x->detail);
        else if (e->other_block != e->block)
            say(&t, ": nothing orders two blocks within a launch; use an atomic, or a "
                    "second launch");
        else say_remedy(&t, f, x);
        break;
    default: say(&t, "%s", x->detail[0] ? x->detail : sim_finding_title(e->kind)); break;
    }
}

static int by_block(const void *pa, const void *pb) {
    const finding_entry *a = pa, *b = pb;
    if (before(&a->e, &b->e)) return -1;
    if (before(&b->e, &a->e)) return 1;
    if (a->e.ptx_line != b->e.ptx_line) return a->e.ptx_line < b->e.ptx_line ? -1 : 1;
    return (a->e.kind > b->e.kind) - (a->e.kind < b->e.kind);
}

/* Drops reports of blocks above `last`. */
static void drop_later(sim_findings *f, uint64_t last) {
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        finding_entry *x = &f->e[i];
        for (size_t k = 0; k < x->late_n; k++)
            if (x->late[k].block <= last) x->count += x->late[k].count;
        free(x->late);
        x->late = NULL, x->late_n = x->late_cap = 0;
        if (x->e.block <= last) f->e[n++] = *x;
    }
    f->n = n;
    /* the entries have moved; the buckets are no longer needed */
    memset(f->bucket, 0, sizeof f->bucket);
}

sim_finding *sim_findings_take(sim_findings *f, uint64_t last, size_t *n) {
    *n = 0;
    if (f) drop_later(f, last);
    if (!f || !f->n) return NULL;
    size_t names = 0;
    for (size_t i = 0; i < f->n; i++) names += strlen(f->e[i].name) + 1;
    sim_finding *all = calloc(1, f->n * sizeof *all + names);
    if (!all) return NULL;
    char *pool = (char *)(all + f->n);
    across_both_ways(f);
    qsort(f->e, f->n, sizeof *f->e, by_block);
    for (size_t i = 0; i < f->n; i++) {
        const finding_entry *x = &f->e[i];
        sim_finding *o = &all[i];
        const sim_event *e = &x->e;
        o->kind = e->kind;
        o->count = e->kind == SIM_FIND_BUDGET ? 1 : x->count; /* not once for each core */
        o->kernel = f->c.kernel ? f->c.kernel : "";
        coords(o->block, f->c.grid, e->block);
        coords(o->thread, f->c.block, e->thread);
        o->file = x->file;
        o->line = x->line;
        o->space = e->space ? e->space : "";
        o->write = e->write || e->atomic;
        o->bytes = e->bytes;
        o->address = e->address;
        o->alloc_base = x->base;
        o->alloc_size = x->size;
        o->alloc_name = strcpy(pool, x->name);
        pool += strlen(x->name) + 1;
        o->other_file = x->other_file;
        if (e->has_other) {
            coords(o->other_thread, f->c.block, e->other_thread);
            o->other_line = x->other_line;
            o->other_write = e->other_write || e->other_atomic;
            o->across = x->across;
        }
        finding_word(f, x, o);
    }
    *n = f->n;
    return all;
}
