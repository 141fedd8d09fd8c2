/* Races between streams: vector clocks, and the accesses of work for which the host has not waited
 * yet. */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/lineage.h"
#include "runner/base/buffer.h"
#include "runner/device/server/core/memory.h"
#include "runner/device/server/core/object.h"

#include "words/server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits: pieces of work, and runs of all of them; runs of one, and runs of one that differ only in
 * their lines; rows of a copy; works merged at a time. */
enum { PAST = 4096, RUNS = 1 << 18, MOST = 1 << 16, LINED = 1 << 14, ROWS = 4096, JOINED = 64 };

/* A node of a graph's launch; then the node of a body in it; and so on. */
typedef struct {
    unsigned depth; /* levels; 0: not in a graph */
    struct {
        uint64_t launch;
        size_t node;
    } level[DEV_BODIES_DEEP];
} past_place;

typedef struct {
    unsigned line;
    uint32_t tick;
    uint64_t stream;
    unsigned device;
    dev_op op;
    const char *kernel;
    past_place at;
    unsigned own; /* levels, except lines of a kernel */
    /* a kernel that uses managed memory, other memory of the host: the host must not use it
     * meanwhile */
    bool managed, locked;
    dev_runs runs;
} past_work;
struct dev_concurrent {
    dev_clocks host; /* what the host has waited for */
    dev_clocks gone; /* of destroyed streams, whose work may still run */
    past_work *past;
    size_t count, room, runs;
    uint64_t launches; /* of graphs and their bodies */
    unsigned refused;  /* queries of the host in a row that were answered with no */
    unsigned answers;  /* those that were answered with yes */
    bool changed;      /* there are other `locked` works than dev_concurrent_pages() has told */
    past_place at;     /* the work under way, and how each level is ordered */
    dev_node_order order[DEV_BODIES_DEEP];
};

/* ---- runs */

static int run_by_address(const void *a, const void *b) {
    const dev_run *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static bool runs_apart(const dev_runs *r, const dev_run *x, const dev_run *y) {
    return r->of && dev_mem_find(r->of, x->from) != dev_mem_find(r->of, y->from);
}

/* Merges pairs of neighbours; `apart`: only within one allocation. */
static void runs_pair(dev_runs *r, bool apart) {
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        dev_run x = r->at[i];
        if (i + 1 < r->count && !(apart && runs_apart(r, &x, &r->at[i + 1]))) {
            const dev_run *y = &r->at[++i];
            if (y->to > x.to) x.to = y->to;
            x.how |= y->how;
        }
        r->at[n++] = x;
    }
    r->count = n;
}

/* Halves the number of runs, roughly, without losing bytes. */
static void runs_coarsen(dev_runs *r) {
    size_t before = r->count;
    if (before) qsort(r->at, before, sizeof *r->at, run_by_address);
    runs_pair(r, true);
    if (r->count == before) runs_pair(r, false);
    r->coarse = r->coarse || r->count < before;
}

void dev_runs_add(dev_runs *r, const sim_word_run *run) {
    if (r->lost || !run->bytes) return;
    dev_run *last = r->count ? &r->at[r->count - 1] : NULL;
    if (last && last->to == run->from && last->how == run->how &&
        (r->count >= LINED || (last->line == run->line && last->file == run->file))) {
        last->to += run->bytes;
        return;
    }
    if (r->count >= MOST) runs_coarsen(r);
    r->lost = !lib_grow(&r->at, &r->room, r->count, sizeof *r->at, 16);
    if (!r->lost)
        r->at[r->count++] = (dev_run){.from = run->from,
                                      .to = run->from + run->bytes,
                                      .how = run->how,
                                      .line = run->line,
                                      .file = run->file};
}

void dev_runs_free(dev_runs *r) {
    free(r->at);
    *r = (dev_runs){0};
}

/* ---- clocks */

static unsigned stream_line(const dev_stream *s) {
    return (unsigned)(s->id % DEV_LINES);
}

static void join(dev_clocks *to, const dev_clocks *from) {
    for (unsigned i = 0; i < DEV_LINES; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

/* Returns whether the legacy default stream and s wait for each other. */
static bool blocking(const dev_stream *s) {
    return !(s->flags & cudaStreamNonBlocking);
}

static struct dev_concurrent *state_of(dev_client *c) {
    if (!c->concurrent) c->concurrent = calloc(1, sizeof *c->concurrent);
    return c->concurrent;
}

/* Computes what the next work of s comes after. */
static void order_now(dev_client *c, dev_stream *s) {
    const struct dev_concurrent *x = state_of(c);
    if (x) join(&s->clocks, &x->host);
    for (const dev_stream *o = c->streams.first; o && blocking(s); o = o->next)
        if (o != s && o->device == s->device && blocking(o) && (s->legacy || o->legacy))
            join(&s->clocks, &o->clocks);
}

void dev_concurrent_begin(dev_client *c, dev_stream *s) {
    if (c->log.replaying) return;
    order_now(c, s);
    s->clocks.at[stream_line(s)]++;
    s->was_behind = s->behind_kernel;
    s->behind_kernel = false;
    s->early = s->next_early, s->late = s->next_late;
    s->next_early = s->next_late = 0;
}

uint64_t dev_concurrent_launch(dev_client *c) {
    struct dev_concurrent *x = state_of(c);
    return x ? ++x->launches : 0;
}

unsigned dev_concurrent_depth(const dev_client *c) {
    return c->concurrent ? c->concurrent->at.depth : 0;
}

void dev_concurrent_node(dev_client *c, unsigned depth, uint64_t launch, size_t node,
                         const dev_node_order *order) {
    struct dev_concurrent *x = c->concurrent;
    if (!x) return;
    if (depth >= DEV_BODIES_DEEP) {
        c->log.overflow = true;
        return;
    }
    x->at.depth = order ? depth + 1 : depth;
    x->at.level[depth].launch = launch;
    x->at.level[depth].node = node;
    x->order[depth] = order ? *order : (dev_node_order){0};
}

/* Returns whether p comes before the present work of s. */
static bool came_before(const struct dev_concurrent *x, const past_work *p, const dev_stream *s) {
    for (unsigned d = 0; d < p->at.depth && d < x->at.depth; d++) {
        size_t then = p->at.level[d].node, now = x->at.level[d].node;
        const dev_node_order *o = &x->order[d];
        if (p->at.level[d].launch != x->at.level[d].launch) {
            if (d) return true; /* the body ran before */
            break;
        }
        if (then != now && o->lines) return now == DEV_BEHIND_ALL;
        if (then != now)
            return !o->before || o->before[now * o->words + then / 64] >> then % 64 & 1;
        if (d + 1 == p->at.depth || d + 1 == x->at.depth) return true;
    }
    return p->tick <= s->clocks.at[p->line];
}

void dev_concurrent_record(dev_client *c, dev_stream *s, dev_mark *e) {
    order_now(c, s);
    s->behind_kernel = false;
    e->clocks = s->clocks;
}

void dev_concurrent_wait(dev_client *c, dev_stream *s, const dev_mark *e) {
    (void)c;
    s->behind_kernel = false;
    join(&s->clocks, &e->clocks);
}

static void forget(struct dev_concurrent *x, size_t i) {
    x->runs -= x->past[i].runs.count;
    x->changed |= x->past[i].locked;
    dev_runs_free(&x->past[i].runs);
    memmove(x->past + i, x->past + i + 1, (x->count - i - 1) * sizeof *x->past);
    x->count--;
}

/* All later work comes after what the host has waited for. */
static void host_knows(dev_client *c, struct dev_concurrent *x, const dev_clocks *clocks) {
    join(&x->host, clocks);
    dev_held_host(c, &x->host);
    for (size_t i = x->count; i--;)
        if (x->past[i].tick <= x->host.at[x->past[i].line]) forget(x, i);
}

void dev_concurrent_host(dev_client *c, unsigned device, const dev_stream *s) {
    struct dev_concurrent *x = state_of(c);
    if (!x || c->log.replaying) return;
    for (const dev_stream *o = c->streams.first; o; o = o->next)
        if (o->device == device && (!s || o == s || (s->legacy && blocking(o))))
            host_knows(c, x, &o->clocks);
    if (!s) host_knows(c, x, &x->gone);
}

void dev_concurrent_gone(dev_client *c, const dev_stream *s) {
    if (!c->concurrent) return;
    join(&c->concurrent->gone, &s->clocks);
    for (dev_stream *o = c->streams.first; o && blocking(s); o = o->next)
        if (o->legacy && o->device == s->device) join(&o->clocks, &s->clocks);
}

void dev_concurrent_host_event(dev_client *c, const dev_mark *e) {
    struct dev_concurrent *x = state_of(c);
    if (x) host_knows(c, x, &e->clocks);
}

bool dev_concurrent_answers(dev_client *c, const dev_clocks *clocks) {
    enum { SCALES = 11 }; /* a number below 2^SCALES: who asks a fixed number of times may fail */
    struct dev_concurrent *x = state_of(c);
    bool pending = false;
    for (unsigned i = 0; x && i < DEV_LINES; i++) pending |= clocks->at[i] > x->host.at[i];
    if (!pending) return true;
    uint64_t sample = c->s->opt.sim.sample,
             drawn = (sample + x->answers) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    if (x->refused++ < 1u << (sample ? drawn % SCALES : 0)) return false;
    x->refused = 0, x->answers++;
    return true;
}

void dev_concurrent_free(dev_client *c) {
    struct dev_concurrent *x = c->concurrent;
    while (x && x->count) forget(x, x->count - 1);
    if (x) free(x->past);
    free(x);
    c->concurrent = NULL;
}

/* ---- findings */

/* What the accesses do to memory, whatever kinds of atomics they are. */
static unsigned plainly(unsigned how) {
    return how & (SIM_WORD_READ | SIM_WORD_WRITTEN | SIM_WORD_ATOMIC);
}

/* Returns whether atomics of these kinds (SIM_ATOM_*) by two works give the same result in any
 * order. Kernels that share a lock or a flag claim, exchange and store. The minimum of floats is
 * one of signed and a maximum of unsigned integers. If both works use the same kinds, they follow
 * one protocol (a lock of bits, or of readers and writers); but where one of these kinds overwrites
 * what another adds up, the order is in the result. */
static bool commute(unsigned a, unsigned b) {
    enum {
        SETS = SIM_ATOM_EXCH | SIM_ATOM_STORE,
        LOCKS = SETS | SIM_ATOM_CLAIM,
        SWAPS = LOCKS | SIM_ATOM_LOOP
    };
    unsigned all = a | b;
    if (!a || !b || !(all & (all - 1)) || !(all & ~(unsigned)LOCKS)) return true;
    if (all == (SIM_ATOM_MIN_S | SIM_ATOM_MAX_U) || all == (SIM_ATOM_MIN_U | SIM_ATOM_MAX_S))
        return true;
    return a == b && (!(all & SETS) || !(all & ~(unsigned)SWAPS));
}

static bool collide(unsigned a, unsigned b) {
    return (a & SIM_WORD_WRITTEN) || (b & SIM_WORD_WRITTEN) ||
           (a & SIM_WORD_ATOMIC && b & SIM_WORD_READ) ||
           (b & SIM_WORD_ATOMIC && a & SIM_WORD_READ) ||
           !commute(a >> SIM_WORD_KIND, b >> SIM_WORD_KIND);
}

/* Finds the first bytes on which they conflict. */
static bool meet(const dev_runs *a, const dev_runs *b, dev_run *x, dev_run *y) {
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        const dev_run *p = &a->at[i], *q = &b->at[k];
        if (p->from < q->to && q->from < p->to && collide(p->how, q->how)) {
            uint64_t from = p->from > q->from ? p->from : q->from,
                     to = p->to < q->to ? p->to : q->to;
            *x = *p, *y = *q;
            x->from = y->from = from, x->to = y->to = to;
            return true;
        }
        if (p->to <= q->to) i++;
        else k++;
    }
    return false;
}

static void side_of(lib_message *m, const past_work *w, const dev_run *r) {
    static const lib_word_id names[] = {[DEV_OP_H2D] = W_SERVER_WORK_TO_DEVICE,
                                        [DEV_OP_D2H] = W_SERVER_WORK_TO_HOST,
                                        [DEV_OP_D2D] = W_SERVER_WORK_ON_DEVICE,
                                        [DEV_OP_MEMSET] = W_SERVER_WORK_MEMSET,
                                        [DEV_OP_FREE] = W_SERVER_WORK_FREE};
    bool named = w->op < sizeof names / sizeof *names && names[w->op],
         reads = !(r->how & (SIM_WORD_WRITTEN | SIM_WORD_ATOMIC));
    lib_word_id does = w->op == DEV_OP_FREE ? W_SERVER_SIDE_FREES
                       : reads              ? W_SERVER_SIDE_READS
                                            : W_SERVER_SIDE_WRITES;
    unsigned line = w->op == DEV_OP_LAUNCH ? r->line : 0;
    long long stream = (long long)w->stream;
    lib_message work;
    lib_message_set(&work, w->op == DEV_OP_LAUNCH
                               ? w_server_work_kernel(w->kernel)
                               : lib_words_of(named ? names[w->op] : W_SERVER_WORK_COPY));
    lib_message_set(m, stream && line ? w_server_side_stream_line(&work, stream, does, line)
                       : stream       ? w_server_side_stream(&work, stream, does)
                       : line         ? w_server_side_default_line(&work, does, line)
                                      : w_server_side_default(&work, does));
}

/* Why nothing orders two works; it becomes the finding's memory space. */
typedef enum { STREAMS, GRAPH, EARLY, CHAIN, CHILDREN } unordered;
static const struct {
    const char *space;
    lib_word_id between, remedy;
} unordered_words[] = {
    {"streams", W_SERVER_BETWEEN_STREAMS, W_SERVER_ORDER_STREAMS},
    {"graph", W_SERVER_BETWEEN_GRAPH, W_SERVER_ORDER_GRAPH},
    {"programmatic", W_SERVER_BETWEEN_PROGRAMMATIC, W_SERVER_ORDER_PROGRAMMATIC},
    {"chain", W_SERVER_BETWEEN_CHAIN, W_SERVER_ORDER_CHAIN},
    {"children", W_SERVER_BETWEEN_CHILDREN, W_SERVER_ORDER_CHILDREN},
};

static unordered how_unordered(const past_work *a, const past_work *b) {
    unsigned d = 0, most = a->at.depth < b->at.depth ? a->at.depth : b->at.depth;
    while (d < most && a->at.level[d].launch == b->at.level[d].launch &&
           a->at.level[d].node == b->at.level[d].node)
        d++;
    if (d == most || a->at.level[d].launch != b->at.level[d].launch) return STREAMS;
    return d < a->own ? GRAPH : CHILDREN;
}

static bool run_writes(const dev_run *r) {
    return !(r->how & SIM_WORD_READ) && plainly(r->how);
}

static void report(dev_client *c, unordered how, const past_work *a, const dev_run *x,
                   const past_work *b, const dev_run *y) {
    lib_message first, second;
    const dev_mem *m = dev_mem_find(c, x->from);
    bool ranges = a->runs.coarse || b->runs.coarse;
    sim_finding f = {.kind = SIM_FIND_RACE,
                     .count = 1,
                     .kernel = a->kernel,
                     .space = unordered_words[how].space,
                     .write = run_writes(x),
                     .address = x->from,
                     .file = x->file,
                     .line = x->line,
                     .other_file = y->file,
                     .other_line = y->line,
                     .other_kernel = b->kernel,
                     .other_write = run_writes(y),
                     .op = a->op,
                     .other_op = b->op,
                     .stream = (unsigned)a->stream,
                     .other_stream = (unsigned)b->stream};
    if (m) f.alloc_base = m->base, f.alloc_size = m->bytes;
    side_of(&first, a, x);
    side_of(&second, b, y);
    dev_log_said(c, &f,
                 w_server_unordered(unordered_words[how].between, &first, &second,
                                    ranges ? W_SERVER_SAME_RANGE : W_SERVER_SAME_BYTES,
                                    m ? (long long)(x->from - m->base) : 0,
                                    unordered_words[how].remedy));
}

/* ---- work */

/* Copies file names, because a module may be freed before its findings are reported. */
static void keep_files(dev_client *c, dev_runs *r) {
    const char *last = NULL, *kept = "";
    for (size_t i = 0; i < r->count; i++) {
        if (!r->at[i].file || !*r->at[i].file) {
            r->at[i].file = "";
            continue;
        }
        if (r->at[i].file != last) last = r->at[i].file, kept = dev_intern(c, last);
        r->at[i].file = kept;
    }
}

/* Sorts the runs and merges overlapping ones. A merged run does what each of its parts did. */
static void runs_join(dev_runs *r) {
    size_t n = 0;
    qsort(r->at, r->count, sizeof *r->at, run_by_address);
    for (size_t i = 0; i < r->count; i++) {
        dev_run *last = n ? &r->at[n - 1] : NULL;
        if (last && r->at[i].from < last->to) {
            r->coarse = r->coarse || last->how != r->at[i].how;
            last->how |= r->at[i].how;
            if (r->at[i].to > last->to) last->to = r->at[i].to;
        } else r->at[n++] = r->at[i];
    }
    r->count = n;
}

/* Halves the runs of the work with the most. Returns false if none has more than a few. */
static bool past_coarsen(struct dev_concurrent *x) {
    enum { FEW = 8 };
    past_work *most = NULL;
    for (size_t i = 0; i < x->count; i++)
        if (!most || x->past[i].runs.count > most->runs.count) most = &x->past[i];
    if (!most || most->runs.count <= FEW) return false;
    x->runs -= most->runs.count;
    runs_coarsen(&most->runs);
    x->runs += most->runs.count;
    return true;
}

static bool under_way(const struct dev_concurrent *x, const past_work *w) {
    return w->at.depth && x->at.depth && w->at.level[0].launch == x->at.level[0].launch;
}

/* Too many grids of one kernel: from here on they count as running in the order of the calls.
 * Returns false if there are none. */
static bool past_line_up(struct dev_concurrent *x) {
    bool any = false;
    for (size_t i = 0; i < x->count; i++) {
        any |= x->past[i].at.depth > x->past[i].own;
        x->past[i].at.depth = x->past[i].own;
    }
    return any;
}

/* Merges the oldest works of one line that no present graph orders, with the time of the latest:
 * many at a time, because merging sorts. */
static void past_join(dev_client *c, struct dev_concurrent *x) {
    size_t with[JOINED], n = 0;
    for (size_t i = 0; i < x->count && n < 2; i++) {
        n = 0;
        for (size_t k = i; k < x->count && n < JOINED && !under_way(x, &x->past[i]); k++)
            if (x->past[k].line == x->past[i].line && !under_way(x, &x->past[k])) with[n++] = k;
    }
    if (n < 2 && past_line_up(x)) {
        past_join(c, x);
        return;
    }
    if (n < 2) { /* each has a line of its own, or is in the present graph */
        c->log.overflow = true;
        forget(x, 0);
        return;
    }
    past_work *to = &x->past[with[n - 1]];
    x->runs -= to->runs.count;
    for (size_t m = 0; m < n - 1; m++) {
        const past_work *w = &x->past[with[m]];
        for (size_t r = 0; r < w->runs.count; r++)
            if (lib_grow(&to->runs.at, &to->runs.room, to->runs.count, sizeof *to->runs.at, 16))
                to->runs.at[to->runs.count++] = w->runs.at[r];
        to->runs.coarse = to->runs.coarse || w->runs.coarse;
        if (w->tick > to->tick) to->tick = w->tick;
    }
    runs_join(&to->runs);
    while (to->runs.count > MOST) runs_coarsen(&to->runs);
    x->runs += to->runs.count;
    for (size_t m = n - 1; m--;) forget(x, with[m]);
}

static unsigned own_levels(const struct dev_concurrent *x) {
    unsigned d = 0;
    while (d < x->at.depth && !x->order[d].lines) d++;
    return d;
}

/* Returns whether the run is of memory that the host can use: page-locked, registered or managed.
 * How it uses managed variables is not seen. */
static const dev_mem *run_on_host(dev_client *c, const dev_run *r) {
    const dev_mem *m = dev_mem_find(c, r->from);
    return m && m->on_host && m->kind != DEV_MEM_VARIABLE ? m : NULL;
}

/* Notes whether the work's kernels use memory of the host, and all bytes are known. A kernel that
 * signals its progress by flags there would have stored them with volatile or stronger stores, or
 * atomics: then the host may know it. */
static void note_host(dev_client *c, past_work *w) {
    if (w->op != DEV_OP_LAUNCH || w->runs.coarse) return;
    for (size_t i = 0; i < w->runs.count; i++) {
        const dev_mem *m = run_on_host(c, &w->runs.at[i]);
        if (m && plainly(w->runs.at[i].how) == SIM_WORD_ATOMIC) {
            w->managed = w->locked = false;
            return;
        }
        w->managed |= m && m->kind == DEV_MEM_MANAGED;
        w->locked |= m && m->kind != DEV_MEM_MANAGED;
    }
}

void dev_concurrent_note(dev_client *c, dev_stream *s, dev_op op, const char *kernel,
                         dev_runs *runs) {
    struct dev_concurrent *x = c->log.replaying ? NULL : state_of(c);
    if (x) s->behind_kernel = op == DEV_OP_LAUNCH && !x->at.depth;
    if (!x || runs->lost || !runs->count) {
        dev_runs_free(runs);
        return;
    }
    qsort(runs->at, runs->count, sizeof *runs->at, run_by_address);
    past_work now = {.line = stream_line(s),
                     .tick = s->clocks.at[stream_line(s)],
                     .stream = s->id,
                     .device = s->device,
                     .op = op,
                     .kernel = dev_intern(c, kernel),
                     .at = x->at,
                     .own = own_levels(x),
                     .runs = *runs};
    *runs = (dev_runs){0};
    keep_files(c, &now.runs);
    for (size_t i = 0; i < x->count && !dev_stopped(c); i++) {
        const past_work *p = &x->past[i];
        dev_run a, b;
        if (came_before(x, p, s) || !meet(&p->runs, &now.runs, &a, &b)) continue;
        report(c, how_unordered(p, &now), p, &a, &now, &b);
    }
    while (x->runs + now.runs.count > RUNS && past_coarsen(x)) {
    }
    if (x->count >= PAST) past_join(c, x);
    if (!lib_grow(&x->past, &x->room, x->count, sizeof *x->past, 16)) {
        dev_runs_free(&now.runs);
        return;
    }
    note_host(c, &now);
    x->changed |= now.locked;
    x->runs += now.runs.count;
    x->past[x->count++] = now;
}

bool dev_concurrent_behind(const dev_stream *s) {
    return s->was_behind;
}

/* Returns the runs that plainly do that to memory, without overlaps. */
static dev_runs runs_that(const dev_runs *r, unsigned how) {
    dev_runs only = {.lost = r->lost};
    for (size_t i = 0; i < r->count && !only.lost; i++) {
        if (plainly(r->at[i].how) != how) continue;
        only.lost = !lib_grow(&only.at, &only.room, only.count, sizeof *only.at, 16);
        if (!only.lost) only.at[only.count++] = r->at[i];
    }
    if (only.lost) only.count = 0;
    if (only.count) runs_join(&only);
    return only;
}

static void early_meets(dev_client *c, const past_work *before, unordered how, const dev_stream *s,
                        const char *kernel, const dev_runs *runs) {
    static const unsigned ways[] = {SIM_WORD_READ, SIM_WORD_WRITTEN, SIM_WORD_ATOMIC,
                                    SIM_WORD_READ | SIM_WORD_ATOMIC, 0};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        past_work now = {.stream = s->id,
                         .device = s->device,
                         .op = DEV_OP_LAUNCH,
                         .kernel = kernel,
                         .runs = runs_that(runs, ways[k])};
        dev_run a, b;
        if (meet(&before->runs, &now.runs, &a, &b)) report(c, how, before, &a, &now, &b);
        dev_runs_free(&now.runs);
    }
}

/* A grid may begin when each block of the one before has let it or has ended. If one of them waited
 * first, all that this grid waited for is over by then. If one waited at all, it is over when the
 * grid has ended, for which the next grid waits. */
void dev_concurrent_early(dev_client *c, dev_stream *s, const char *kernel, const sim_result *r,
                          const dev_runs *early, const dev_runs *all) {
    const struct dev_concurrent *x = c->log.replaying ? NULL : c->concurrent;
    uint64_t first = s->early << 1 | 1, later = s->late << 1; /* seen from this kernel */
    for (size_t i = 0; x && i < x->count && !dev_stopped(c); i++) {
        const past_work *p = &x->past[i];
        uint64_t back = (uint64_t)s->clocks.at[stream_line(s)] - p->tick - 1;
        if (p->stream != s->id || back >= 64) continue;
        if (later >> back & 1) early_meets(c, p, CHAIN, s, kernel, all);
        else if (first >> back & 1) early_meets(c, p, back ? CHAIN : EARLY, s, kernel, early);
    }
    s->next_early = r->held ? later : first;
    s->next_late = r->waited ? later : first;
}

static bool guards(const past_work *w) {
    return (w->managed || w->locked) && !w->runs.coarse;
}

bool dev_concurrent_guards(const dev_client *c, const dev_stream *s) {
    const struct dev_concurrent *x = c->concurrent;
    const past_work *w = x && x->count && c->log.in_call ? &x->past[x->count - 1] : NULL;
    return w && guards(w) && w->stream == s->id && w->tick == s->clocks.at[stream_line(s)];
}

bool dev_concurrent_in_use(const dev_client *c) {
    for (size_t i = 0; c->concurrent && i < c->concurrent->count; i++)
        if (guards(&c->concurrent->past[i]) && c->concurrent->past[i].managed) return true;
    return false;
}

void dev_concurrent_open(dev_client *c) {
    struct dev_concurrent *x = c->concurrent;
    for (size_t i = 0; x && i < x->count; i++) {
        x->changed |= x->past[i].locked;
        x->past[i].managed = x->past[i].locked = false;
    }
}

bool dev_concurrent_changed(const dev_client *c) {
    return c->concurrent && c->concurrent->changed;
}

/* Adds the pages from the first to the last run of each range; those of a page that holds something
 * else of the program, too, are left out. */
static size_t work_pages(dev_client *c, const past_work *w, size_t n, wire_range to[WIRE_HELD]) {
    const dev_mem *last = NULL;
    for (size_t i = 0; i < w->runs.count && n < WIRE_HELD; i++) {
        const dev_mem *m = run_on_host(c, &w->runs.at[i]);
        if (!m || m->kind == DEV_MEM_MANAGED) continue;
        wire_range r = dev_held_range(m, w->runs.at[i].from, w->runs.at[i].to);
        if (r.from >= r.to) continue;
        if (m == last) to[n - 1].to = r.to;
        else to[n++] = r;
        last = m;
    }
    return n;
}

size_t dev_concurrent_pages(dev_client *c, size_t n, wire_range to[WIRE_HELD]) {
    struct dev_concurrent *x = c->concurrent;
    if (x) x->changed = false;
    for (size_t i = 0; x && c->log.in_call && i < x->count; i++)
        if (guards(&x->past[i]) && x->past[i].locked) n = work_pages(c, &x->past[i], n, to);
    return n;
}

bool dev_concurrent_locks(dev_client *c, const dev_mem *m) {
    const struct dev_concurrent *x = c->concurrent;
    for (size_t i = 0; x && i < x->count; i++)
        for (size_t k = 0; guards(&x->past[i]) && k < x->past[i].runs.count; k++)
            if (run_on_host(c, &x->past[i].runs.at[k]) == m) return true;
    return false;
}

void dev_concurrent_touched(dev_client *c, uint64_t at, bool write) {
    const struct dev_concurrent *x = c->log.replaying ? NULL : c->concurrent;
    const dev_mem *m = dev_mem_find(c, at);
    for (size_t i = 0; x && m && i < x->count; i++) {
        const past_work *w = &x->past[i];
        const dev_run *run = NULL;
        for (size_t k = 0; guards(w) && k < w->runs.count && !run; k++) {
            const dev_run *r = &w->runs.at[k];
            unsigned how = plainly(r->how);
            bool meets = how == SIM_WORD_WRITTEN || (write && how == SIM_WORD_READ);
            if (meets && at >= r->from && at < r->to) run = r;
        }
        if (!run) continue;
        bool stores = plainly(run->how) == SIM_WORD_WRITTEN;
        sim_finding f = {.kind = SIM_FIND_RACE,
                         .count = 1,
                         .kernel = w->kernel,
                         .space = "host",
                         .write = stores,
                         .address = at,
                         .alloc_base = m->base,
                         .alloc_size = m->bytes,
                         .file = run->file,
                         .line = run->line,
                         .op = w->op,
                         .stream = (unsigned)w->stream};
        const char *slash = run->file ? strrchr(run->file, '/') : NULL;
        long long byte = (long long)(at - m->base);
        lib_message what;
        if (stores) lib_message_set(&what, w_server_host_uses_early(byte, w->kernel));
        else lib_message_set(&what, w_server_host_writes_early(byte, w->kernel));
        if (run->line)
            dev_log_said(c, &f, w_server_at(slash ? slash + 1 : run->file, run->line, &what));
        else dev_log_said(c, &f, lib_message_words(&what));
        return;
    }
}

void dev_concurrent_freed(dev_client *c, const dev_stream *s, uint64_t base, uint64_t n) {
    const struct dev_concurrent *x = c->log.replaying ? NULL : c->concurrent;
    dev_run all = {.from = base, .to = base + n, .how = SIM_WORD_WRITTEN, .file = ""};
    past_work now = {.line = stream_line(s),
                     .stream = s->id,
                     .device = s->device,
                     .op = DEV_OP_FREE,
                     .kernel = "",
                     .runs = {.at = &all, .count = 1}};
    if (x) now.at = x->at;
    for (size_t i = 0; x && i < x->count; i++) {
        const past_work *p = &x->past[i];
        dev_run a, b;
        if (!came_before(x, p, s) && meet(&p->runs, &now.runs, &a, &b))
            report(c, how_unordered(p, &now), p, &a, &now, &b);
    }
}

static void add_rows(dev_client *c, unsigned device, const wire_place *p, const uint64_t extent[3],
                     unsigned how, dev_runs *runs) {
    dev_place r;
    uint64_t w = extent[0], h = extent[1], d = extent[2];
    if (!p || !dev_place_find(c, device, p, w, h, d, &r) || r.pageable) return;
    if (r.pitch == w && (d == 1 || r.slice == w * h)) w *= h * d, h = d = 1;
    if (h > ROWS || d > ROWS || h * d > ROWS) { /* as one range */
        w = (d - 1) * r.slice + (h - 1) * r.pitch + w;
        h = d = 1;
        runs->coarse = true;
    }
    for (uint64_t z = 0; z < d && !runs->lost; z++)
        for (uint64_t y = 0; y < h; y++)
            dev_runs_add(runs, &(sim_word_run){.from = r.base + z * r.slice + y * r.pitch,
                                               .bytes = w,
                                               .how = how,
                                               .file = ""});
}

void dev_concurrent_copy(dev_client *c, dev_stream *s, dev_op op, const wire_place *to,
                         const wire_place *from, const uint64_t extent[3]) {
    dev_runs runs = {0};
    if (c->log.replaying) return;
    add_rows(c, s->device, to, extent, SIM_WORD_WRITTEN, &runs);
    add_rows(c, s->device, from, extent, SIM_WORD_READ, &runs);
    dev_lineage_copy(c, s->device, op, &runs);
    dev_concurrent_note(c, s, op, "", &runs);
}
