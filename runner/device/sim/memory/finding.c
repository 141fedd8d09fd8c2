/* Findings of a launch: merged by site, and put into words here only (rows of "finding.").
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
#include "runner/base/say.h"
#include "words/finding.h"
#include <pthread.h>
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
    lib_message detail;
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

const char *sim_finding_name(sim_finding_kind k) {
    static const char *const names[] = {
#define X(n, s) s,
        SIM_FINDING_MAP(X)
#undef X
    };
    return k < SIM_FIND_COUNT ? names[k] : "?";
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
    x->e.detail = NULL; /* finding_entry.detail has it */
    x->detail = (lib_message){0};
    if (e->detail) lib_message_set(&x->detail, *e->detail);
    if (!e->space) x->e.space = "";
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

static void coords(unsigned out[3], const unsigned dim[3], uint64_t linear) {
    out[0] = (unsigned)(linear % dim[0]);
    out[1] = (unsigned)(linear / dim[0] % dim[1]);
    out[2] = (unsigned)(linear / dim[0] / dim[1]);
}

/* "(3,0,0)", as short as the launch allows: "3" in one dimension, "(3,1)" in two. */
enum { COORDS = 40 };
static const char *coords_text(char buf[COORDS], const unsigned at[3], const unsigned dim[3]) {
    if (dim[2] > 1) lib_say(buf, COORDS, "(%u,%u,%u)", at[0], at[1], at[2]);
    else if (dim[1] > 1) lib_say(buf, COORDS, "(%u,%u)", at[0], at[1]);
    else lib_say(buf, COORDS, "%u", at[0]);
    return buf;
}

/* Returns false if no line is known, not even of the PTX. */
static bool place_of(lib_message *m, const char *file, unsigned line, uint32_t ptx_line) {
    const char *slash = strrchr(file, '/');
    if (line) lib_message_set(m, w_finding_line(slash ? slash + 1 : file, line));
    else if (ptx_line) lib_message_set(m, w_finding_line_ptx(ptx_line));
    return line || ptx_line;
}

static void allocation_of(lib_message *m, const char *name, uint64_t base, uint64_t size) {
    lib_message_set(m, *name ? w_finding_buffer(name, (long long)size)
                             : w_finding_allocation((long long)size, (long long)base));
}

/* The address is before or behind the allocation. */
static lib_words beside(const lib_message *allocation, uint64_t at, uint64_t base, uint64_t size) {
    if (at < base) return w_finding_before((long long)(base - at), allocation);
    uint64_t past = at - base - size;
    return past ? w_finding_past((long long)past, allocation) : w_finding_at_end(allocation);
}

/* Shared memory of a block that the cluster does not have, or beyond the end of a block's. */
static lib_words outside_cluster(const sim_event *e) {
    unsigned block = e->remote - 1;
    return e->remote > e->remote_of
               ? w_finding_cluster_only(block, e->remote_of)
               : w_finding_cluster_size((long long)e->address, block, (long long)e->space_size);
}

static bool in_global(const sim_event *e) {
    return !strcmp(e->space, "global");
}

/* Outside of shared, local, const or param memory, in which an address is an offset. */
static lib_words outside_space(const sim_event *e) {
    lib_word_id space = lib_words_named("space", e->space);
    if (!e->space_size) return w_finding_no_space(space);
    long long size = (long long)e->space_size, byte = (long long)e->address;
    /* 32-bit addresses: a negative index is just below 2^32 */
    if (e->address >> 31 == 1) byte -= 1ll << 32;
    return !strcmp(e->space, "shared")  ? w_finding_beyond_block(byte, space, size)
           : !strcmp(e->space, "local") ? w_finding_beyond_thread(byte, space, size)
                                        : w_finding_beyond_kernel(byte, space, size);
}

/* An address in global memory that no allocation is near. */
static lib_words in_nothing(const finding_entry *x) {
    uint64_t a = x->e.address;
    long long address = (long long)a;
    if (!a) return w_finding_null();
    if (a < 4096) return w_finding_null_offset(address);
    if (a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) return w_finding_shared_window(address);
    if (a - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) return w_finding_local_window(address);
    if (x->device >= 0) return w_finding_peer(address, x->device);
    /* the host has nothing within 1 TB below the first device's memory */
    return a - (SIM_DEV_BASE(0) - SIM_DEV_BYTES) < 17 * SIM_DEV_BYTES
               ? w_finding_overflow(address)
               : w_finding_host_pointer(address);
}

/* Says where an address outside of all allocations lies. */
static void outside(lib_message *m, const finding_entry *x) {
    const sim_event *e = &x->e;
    uint64_t a = e->address, end = x->base + x->size, last = a + e->bytes;
    bool window = a < 4096 || a - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES ||
                  a - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES;
    lib_message allocation;
    if (e->remote) lib_message_set(m, outside_cluster(e));
    else if (e->space_size || (!in_global(e) && strcmp(e->space, "const") != 0))
        lib_message_set(m, outside_space(e));
    else if (window || !x->base) lib_message_set(m, in_nothing(x));
    else {
        allocation_of(&allocation, x->name, x->base, x->size);
        if (a < x->base || a >= end) lib_message_set(m, beside(&allocation, a, x->base, x->size));
        else if (last > end)
            lib_message_set(m, w_finding_byte_over((long long)(a - x->base), &allocation,
                                                   (long long)(last - end)));
        else if (e->write || e->atomic) lib_message_set(m, w_finding_constant(&allocation));
        else lib_message_set(m, w_finding_not_constant(&allocation));
    }
}

/* Names the accessed element for the reader: name and offset, or the bare address. */
static void inside(lib_message *m, const finding_entry *x) {
    const sim_event *e = &x->e;
    long long byte = (long long)e->address;
    lib_message allocation;
    if (x->base && e->address >= x->base && e->address < x->base + x->size) {
        allocation_of(&allocation, x->name, x->base, x->size);
        lib_message_set(m, w_finding_byte((long long)(e->address - x->base), &allocation));
    } else if (e->remote && e->kind == SIM_FIND_USE_AFTER_FREE)
        lib_message_set(m, w_finding_cluster_ended(byte, e->remote - 1));
    else if (e->remote) lib_message_set(m, w_finding_cluster(byte, e->remote - 1));
    else if (*e->space && !in_global(e))
        lib_message_set(m, w_finding_byte_of(byte, lib_words_named("space", e->space)));
    else lib_message_set(m, w_finding_address(byte));
}

static lib_word_id verb(bool write, bool atomic) {
    return atomic ? W_FINDING_UPDATES : write ? W_FINDING_WRITES : W_FINDING_READS;
}

/* An index that is far off may also point into another allocation, whose bytes nothing has written:
 * then the same accesses of the line were out of bounds, too. Returns false if none was. */
static bool index_wrong(lib_message *m, const sim_findings *f, const finding_entry *x) {
    lib_message allocation;
    for (size_t i = 0; i < f->n; i++) {
        const finding_entry *o = &f->e[i];
        if (o->e.kind != SIM_FIND_OOB || o->e.ptx_line != x->e.ptx_line || !o->base ||
            (x->e.address >= o->base && x->e.address < o->base + o->size))
            continue;
        allocation_of(&allocation, o->name, o->base, o->size);
        lib_message_set(m, beside(&allocation, x->e.address, o->base, o->size));
        return true;
    }
    return false;
}

/* An index that is far off may also point into freed memory. */
static void freed_words(lib_message *m, const finding_entry *x, const lib_message *at) {
    lib_word_id does = verb(x->e.write, x->e.atomic);
    uint64_t a = x->e.address, base = x->near_base, size = x->near_size;
    lib_message allocation, index;
    if (!size || (a >= base && a < base + size)) {
        lib_message_set(m, w_finding_freed(does, at));
        return;
    }
    allocation_of(&allocation, x->near_name, base, size);
    lib_message_set(&index, beside(&allocation, a, base, size));
    lib_message_set(m, w_finding_freed_or_index(does, at, &index));
}

/* Both accesses are in inlined code that the statement calls: says where in that code. */
static bool place_within(lib_message *m, const sim_findings *f, const finding_entry *x) {
    const char *file[2] = {"", ""};
    unsigned line[2] = {0, 0};
    lib_message one, other;
    if (!f->c.inner || !x->line) return false;
    f->c.inner(f->c.module, x->e.loc, &file[0], &line[0]);
    f->c.inner(f->c.module, x->e.other_loc, &file[1], &line[1]);
    if (!line[0] || !line[1] || (line[0] == x->line && !strcmp(file[0], x->file)) ||
        (line[1] == x->line && !strcmp(file[1], x->file)))
        return false;
    place_of(&one, file[0], line[0], 0);
    place_of(&other, file[1], line[1], 0);
    if (line[0] == line[1] && !strcmp(file[0], file[1])) *m = one;
    else lib_message_set(m, w_finding_two_places(&one, &other));
    return true;
}

/* Says what would order the two accesses. A barrier does not fit into one statement: then the
 * reader should check the index first, and think of a barrier between the rounds of a loop second.
 * If no pair is in two warps, a barrier of the warp is enough. */
static void remedy(lib_message *m, const sim_findings *f, const finding_entry *x) {
    const sim_event *e = &x->e;
    bool one = x->line ? x->line == x->other_line && !strcmp(x->file, x->other_file)
                       : e->ptx_line == e->other_ptx_line;
    bool global = in_global(e), warp = e->thread / 32 == e->other_thread / 32,
         both = one && (global || (e->write && e->other_write));
    const char *barrier = warp && !x->across ? "__syncwarp()" : "__syncthreads()";
    lib_message place, so;
    if (one && !global && place_within(&place, f, x))
        lib_message_set(m, w_finding_remedy_within(&place, barrier));
    else if (one && global) lib_message_set(m, w_finding_remedy_atomic());
    else if (both) lib_message_set(m, w_finding_remedy_index());
    else if (one) lib_message_set(m, w_finding_remedy_rounds(barrier));
    else lib_message_set(m, w_finding_remedy_barrier(barrier));
    if (!warp || !x->across || both) return;
    so = *m;
    lib_message_set(m, w_finding_remedy_warps(&so));
}

static void other_side(lib_message *m, const sim_findings *f, const finding_entry *x,
                       const unsigned thread[3]) {
    const sim_event *e = &x->e;
    char t[COORDS], b[COORDS];
    unsigned block[3];
    coords_text(t, thread, f->c.block);
    coords(block, f->c.grid, e->other_block);
    lib_message_set(m, e->other_block != e->block
                           ? w_finding_thread_of_block(t, coords_text(b, block, f->c.grid))
                       : !lib_message_any(&x->detail) && !of_two_warps(e)
                           ? w_finding_thread_of_warp(t)
                           : w_finding_thread(t));
}

static void race_words(lib_message *m, const sim_findings *f, const finding_entry *x,
                       const lib_message *at, const unsigned other_thread[3]) {
    const sim_event *e = &x->e;
    lib_message other, so = x->detail, line;
    lib_word_id does = verb(e->write, e->atomic), also = verb(e->other_write, e->other_atomic);
    other_side(&other, f, x, other_thread);
    if (!lib_message_any(&so) && e->has_other && e->other_block != e->block)
        lib_message_set(&so, w_finding_remedy_blocks());
    else if (!lib_message_any(&so)) remedy(&so, f, x);
    bool known = place_of(&line, x->other_file, x->other_line, e->other_ptx_line);
    lib_message_set(m, !e->has_other ? w_finding_race_alone(does, at, &so)
                       : known       ? w_finding_race_at(does, at, &other, also, &line, &so)
                                     : w_finding_race(does, at, &other, also, &so));
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

/* Names of templates can be as long as a message: the rest of the sentence matters more. */
enum { KERNEL = 200 };

static void finding_word(const sim_findings *f, const finding_entry *x, sim_finding *out) {
    const sim_event *e = &x->e;
    lib_word_id does = verb(e->write, e->atomic);
    lib_message where, what, at, index;
    char thread[COORDS], block[COORDS], kernel[KERNEL];
    if (e->kind == SIM_FIND_OOB) outside(&at, x);
    else inside(&at, x);
    switch (e->kind) {
    case SIM_FIND_OOB: lib_message_set(&what, w_finding_oob(does, e->bytes, &at)); break;
    case SIM_FIND_MISALIGNED:
        lib_message_set(&what,
                        w_finding_misaligned(does, e->bytes, e->align ? e->align : e->bytes, &at));
        break;
    case SIM_FIND_USE_AFTER_FREE: freed_words(&what, x, &at); break;
    case SIM_FIND_UNINIT:
        lib_message_set(&what, index_wrong(&index, f, x)
                                   ? w_finding_unwritten_or_index(does, &at, &index)
                                   : w_finding_unwritten(does, &at));
        break;
    case SIM_FIND_RACE: race_words(&what, f, x, &at, out->other_thread); break;
    default: what = x->detail; break;
    }
    coords_text(thread, out->thread, f->c.block);
    coords_text(block, out->block, f->c.grid);
    lib_say(kernel, KERNEL, "%s", out->kernel);
    lib_message_set(&out->said, place_of(&where, x->file, x->line, e->ptx_line)
                                    ? w_finding_at(&where, thread, block, kernel, &what)
                                    : w_finding_nowhere(thread, block, kernel, &what));
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
        o->space = e->space;
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
