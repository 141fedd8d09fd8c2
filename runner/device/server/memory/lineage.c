/* Which works of a call lead to its outputs (lineage.h).
 *
 *   spans     the writer of each byte: a work, and one bit for each of its stores that wrote it
 *   edges     from a work to the works whose bytes it read
 *   places    allocations of the call, and variables; and which works used how much of them
 *   given     what copies from the host brought, if it is wanted; and to which kernels
 *   settle    backwards from the outputs: needed stores, so needed works, so the counts of the
 *             slices of their launches, and the part of each place that they used */
#include "runner/device/server/core/client.h"
#include "runner/device/server/core/budget.h"
#include "runner/device/server/core/lineage.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/memory/memory.h"

#include <stdlib.h>
#include <string.h>

enum { STORED_MOST = 1 << 18, SPANS_MOST = 1 << 18, EDGES_MOST = 1 << 20 };
/* Data that come back from the host are known by their first bytes. */
enum { LINE_BEGINNING = 4096, LINE_LEAST = 32, LINE_BACK = 64 };
/* More places are not told apart. A variable of this size or less holds a flag, a counter or a
 * pointer. */
enum { PLACES_MOST = 256, VARIABLE_LITTLE = 256 };
#define ALL_STORES UINT64_MAX

typedef struct {
    uint64_t from, to;
    uint64_t by; /* as in dev_stored_run.by */
    size_t work;
} line_span;
typedef struct {
    size_t to;   /* an earlier work */
    uint64_t by; /* those of its stores that were read */
} line_edge;
typedef struct {
    uint64_t base, bytes;
    size_t record; /* of the allocation; SIZE_MAX: a variable */
    bool freed;
    uint64_t used; /* scratch; in the end: bytes that needed works used, at most all of it */
} line_place;
typedef struct {
    size_t place;
    uint64_t bytes;
} line_use;
typedef struct {
    size_t place, record;
    uint64_t bytes;
} line_move;
typedef struct {
    size_t record;
    size_t first, edges;
    size_t first_use, uses;
    uint64_t need;     /* needed stores; initially those that are not followed */
    uint64_t reads;    /* scratch: those of its stores that the present work reads */
    uint64_t bit, fed; /* as dev_record.kernel_bit and dev_record.fed_by */
    uint64_t feeds;    /* the bits of the kernels that read what it left, as fed */
    uint32_t *given;   /* the words that it got from the host, if they are wanted */
    uint64_t words;
    char *beginning; /* of a copy to the host: its first bytes, or NULL */
    uint64_t beginning_bytes;
    size_t left_before; /* as dev_lineage.left, of the copies before it */
    dev_leading *own;   /* the part of it that leads to the outputs; NULL: all */
    sim_slice *slices;
    size_t slice_count;
} line_work;
struct dev_lineage {
    line_work *works;
    size_t count, room;
    line_edge *edges;
    size_t edge_count, edge_room;
    line_span *spans, *next;
    size_t span_count, span_room, next_room;
    line_place places[PLACES_MOST];
    size_t place_count;
    bool keeps; /* dev_client_given() is wanted */
    bool many;  /* more places than PLACES_MOST: nothing is known of them */
    line_use *uses;
    size_t use_count, use_room;
    line_move *moves; /* of managed memory, other than by works */
    size_t move_count, move_room;
    uint64_t variables; /* bytes of variables that needed works stored */
    uint64_t bytes;     /* of slices */
    size_t left;        /* 1 + the last copy to the host that has a beginning; 0: there is none */
    bool lost;          /* something is not known: everything counts as leading to the outputs */
};

/* ---- stores */

static int stored_by_address(const void *a, const void *b) {
    const dev_stored_run *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Sorts the runs and merges overlapping ones. touching: also merges adjacent runs; a merged run has
 * the bits of all its parts. */
static void stored_join(dev_stored *s, bool touching) {
    size_t n = 0, rising = 1; /* mostly they come in order */
    while (rising < s->count && s->at[rising - 1].from <= s->at[rising].from) rising++;
    if (rising < s->count) qsort(s->at, s->count, sizeof *s->at, stored_by_address);
    for (size_t i = 0; i < s->count; i++) {
        dev_stored_run *last = n ? &s->at[n - 1] : NULL;
        if (last && (s->at[i].from < last->to || (touching && s->at[i].from == last->to))) {
            last->by |= s->at[i].by;
            if (s->at[i].to > last->to) last->to = s->at[i].to;
        } else s->at[n++] = s->at[i];
    }
    s->count = n;
}

void dev_stored_add(void *stored, sim_addr from, uint64_t bytes, unsigned store) {
    dev_stored *s = stored;
    if (s->lost) return;
    if (s->count == STORED_MOST) {
        stored_join(s, true);
        s->lost = s->count > STORED_MOST / 2;
    }
    s->lost = s->lost || !lib_grow(&s->at, &s->room, s->count, sizeof *s->at, 64);
    if (!s->lost)
        s->at[s->count++] =
            (dev_stored_run){.from = from, .to = from + bytes, .by = UINT64_C(1) << store};
}

/* ---- spans */

static void span_put(struct dev_lineage *x, size_t *n, line_span span) {
    line_span *last = *n ? &x->next[*n - 1] : NULL;
    if (span.from >= span.to || x->lost) return;
    if (last && last->to == span.from && last->work == span.work && last->by == span.by) {
        last->to = span.to;
        return;
    }
    x->lost = *n >= SPANS_MOST || !lib_grow(&x->next, &x->next_room, *n, sizeof *x->next, 256);
    if (!x->lost) x->next[(*n)++] = span;
}

/* Drops what was left there before. */
static void spans_take(struct dev_lineage *x, size_t work, const dev_stored *s) {
    size_t n = 0, i = 0;
    line_span old = {0};
    for (size_t k = 0; k <= s->count; k++) {
        uint64_t from = k < s->count ? s->at[k].from : UINT64_MAX,
                 to = k < s->count ? s->at[k].to : UINT64_MAX;
        while (old.from < old.to || i < x->span_count) {
            if (old.from >= old.to) old = x->spans[i++];
            if (old.from >= to) break;
            line_span before = old;
            if (before.to > from) before.to = from;
            span_put(x, &n, before);
            if (old.from < to) old.from = old.to < to ? old.to : to;
            if (old.from < old.to) break; /* the rest comes after the new one */
        }
        if (k < s->count)
            span_put(x, &n, (line_span){.from = from, .to = to, .by = s->at[k].by, .work = work});
    }
    line_span *spare = x->spans;
    size_t room = x->span_room;
    x->spans = x->next, x->span_room = x->next_room, x->span_count = n;
    x->next = spare, x->next_room = room;
}

/* ---- edges */

static void edge_to(struct dev_lineage *x, line_work *w, const line_span *s) {
    line_work *to = &x->works[s->work];
    if (!to->reads) {
        x->lost = x->lost || x->edge_count >= EDGES_MOST ||
                  !lib_grow(&x->edges, &x->edge_room, x->edge_count, sizeof *x->edges, 256);
        if (x->lost) return;
        x->edges[x->edge_count++].to = s->work;
        w->edges++;
    }
    to->reads |= s->by;
}

static void edges_close(struct dev_lineage *x, const line_work *w) {
    for (size_t k = w->first; k < w->first + w->edges; k++) {
        line_edge *e = &x->edges[k];
        e->by = x->works[e->to].reads;
        x->works[e->to].reads = 0;
    }
}

/* Returns the first span that ends after `at`. */
static size_t span_find(const struct dev_lineage *x, uint64_t at) {
    size_t low = 0, high = x->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (x->spans[middle].to <= at) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void edges_range(struct dev_lineage *x, line_work *w, uint64_t from, uint64_t to) {
    for (size_t i = span_find(x, from); i < x->span_count && x->spans[i].from < to; i++)
        edge_to(x, w, &x->spans[i]);
}

/* ---- places */

bool dev_lineage_on(const dev_client *c) {
    return c->log.lineage && c->log.in_call && !c->log.replaying && !c->log.lineage->lost;
}

static line_place *place_find(struct dev_lineage *x, uint64_t base) {
    for (size_t i = x->place_count; i--;)
        if (x->places[i].base == base && !x->places[i].freed) return &x->places[i];
    return NULL;
}

static line_place *place_new(struct dev_lineage *x, line_place place) {
    x->many |= x->place_count == PLACES_MOST;
    if (x->many) return NULL;
    x->places[x->place_count] = place;
    return &x->places[x->place_count++];
}

static const sim_alloc *line_alloc(dev_client *c, unsigned device, uint64_t at) {
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    return memory ? sim_memory_find(memory, at) : NULL;
}

void dev_lineage_made(dev_client *c, uint64_t base) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    const dev_mem *m = x ? dev_mem_find(c, base) : NULL;
    if (!m || (m->kind != DEV_MEM_DEVICE && m->kind != DEV_MEM_POOL && m->kind != DEV_MEM_MANAGED))
        return;
    const sim_alloc *a = line_alloc(c, m->device, base);
    if (!a || a->base != base) return;
    place_new(x, (line_place){.base = base, .bytes = m->bytes, .record = c->log.count - 1});
}

void dev_lineage_moved(dev_client *c, uint64_t base, uint64_t bytes) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    const line_place *p = x && bytes ? place_find(x, base) : NULL;
    if (!p) return;
    x->lost = x->move_count > EDGES_MOST ||
              !lib_grow(&x->moves, &x->move_room, x->move_count, sizeof *x->moves, 64);
    if (!x->lost)
        x->moves[x->move_count++] =
            (line_move){.place = (size_t)(p - x->places), .record = c->log.count, .bytes = bytes};
}

/* Notes how much of each place the work used: of an allocation, what it accessed; of a variable,
 * what it stored. */
static void uses_take(dev_client *c, unsigned device, line_work *w, const dev_runs *runs) {
    struct dev_lineage *x = c->log.lineage;
    const sim_alloc *in = NULL;
    line_place *p = NULL;
    w->first_use = x->use_count;
    for (size_t i = 0; i < runs->count && !x->many && !x->lost; i++) {
        const dev_run *r = &runs->at[i];
        if (!in || r->from - in->base >= in->size) {
            in = line_alloc(c, device, r->from);
            p = in ? place_find(x, in->base) : NULL;
            if (in && !p && in->kind == SIM_ALLOC_MODULE && in->size > VARIABLE_LITTLE)
                p = place_new(
                    x, (line_place){.base = in->base, .bytes = in->size, .record = SIZE_MAX});
            if (p && !p->used) {
                x->lost = x->use_count > EDGES_MOST ||
                          !lib_grow(&x->uses, &x->use_room, x->use_count, sizeof *x->uses, 64);
                if (x->lost) break;
                x->uses[x->use_count++].place = (size_t)(p - x->places);
            }
        }
        if (p && (p->record < SIZE_MAX || (r->how & (SIM_WORD_WRITTEN | SIM_WORD_ATOMIC))))
            p->used += r->to - r->from;
    }
    w->uses = x->use_count - w->first_use;
    for (size_t i = w->first_use; i < x->use_count; i++) {
        line_place *of = &x->places[x->uses[i].place];
        x->uses[i].bytes = of->used;
        of->used = 0;
    }
}

/* ---- works */

static line_work *work_new(struct dev_lineage *x, size_t record) {
    x->lost = x->lost || !lib_grow(&x->works, &x->room, x->count, sizeof *x->works, 64);
    if (x->lost) return NULL;
    x->works[x->count] = (line_work){.record = record, .first = x->edge_count};
    return &x->works[x->count++];
}

/* Keeps the words that the work got from the host: what a copy brought, or what a launch only read
 * of memory that both sides see and no work of the call has written. */
static void given_take(dev_client *c, unsigned device, line_work *w, const dev_runs *runs,
                       bool launch) {
    struct dev_lineage *x = c->log.lineage;
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    for (size_t i = 0; x->keeps && memory && i < runs->count; i++) {
        const dev_run *r = &runs->at[i];
        uint64_t words = (r->to - r->from) / sizeof *w->given;
        if ((r->how == SIM_WORD_READ) != launch) continue;
        if (launch) {
            const sim_alloc *a = sim_memory_find(memory, r->from);
            size_t span = span_find(x, r->from);
            if (!a || (a->kind != SIM_ALLOC_MAPPED && a->kind != SIM_ALLOC_REMOTE)) continue;
            if (span < x->span_count && x->spans[span].from < r->to) continue;
        }
        if (!words || x->bytes + 4 * words > DEV_PART_BYTES / 2) continue;
        uint32_t *more = realloc(w->given, 4 * (w->words + words));
        if (!more) return;
        w->given = more;
        if (sim_memory_read(memory, &more[w->words], r->from, 4 * words)) continue;
        w->words += words, x->bytes += 4 * words;
    }
}

/* Changes the third byte of each 4: of a float and a double, high bits of the fraction; of an
 * integer, millions. */
void dev_lineage_spoil(dev_client *c, unsigned device, const char *kernel,
                       const dev_stored *stored) {
    enum { EVERY = 4, THIRD = 2, BITS = 0x60 };
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    if (!memory || !dev_lineage_on(c) || !c->log.spoil) return;
    if (!c->log.spoil(c->log.spoil_user, kernel)) return;
    for (size_t i = 0; i < stored->count; i++)
        for (uint64_t at = (stored->at[i].from + EVERY - 1 - THIRD) / EVERY * EVERY + THIRD;
             at < stored->at[i].to; at += EVERY) {
            uint8_t byte;
            if (sim_memory_read(memory, &byte, at, 1)) continue;
            byte ^= BITS;
            sim_memory_write(memory, at, &byte, 1);
        }
}

void dev_lineage_launch(dev_client *c, unsigned device, const dev_runs *runs, dev_stored *stored,
                        sim_result *r, bool acts) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    line_work *w = NULL;
    if (x) {
        x->lost = !memory || stored->lost || runs->lost || c->s->count > 1 || !r->slice_count;
        w = work_new(x, c->log.count);
    }
    if (w) {
        stored_join(stored, stored->count > STORED_MOST / 8);
        for (size_t i = 0; i < runs->count; i++)
            if (!(runs->at[i].how & (SIM_WORD_WRITTEN | SIM_WORD_ATOMIC)) ||
                sim_memory_launch_loaded(memory, runs->at[i].from))
                edges_range(x, w, runs->at[i].from, runs->at[i].to);
        for (size_t i = 0; r->reads_by_turns && i < x->span_count; i++)
            if (sim_memory_launch_loaded(memory, x->spans[i].from)) edge_to(x, w, &x->spans[i]);
        edges_close(x, w);
        uses_take(c, device, w, runs);
        given_take(c, device, w, runs, true);
        w->slices = r->slices, w->slice_count = r->slice_count;
        r->slices = NULL, r->slice_count = 0;
        x->bytes += w->slice_count * sizeof *w->slices;
        c->log.overflow |= x->bytes > DEV_PART_BYTES;
        if (acts || !w->slices) w->need = ALL_STORES;
        for (size_t i = 0; !w->need && i < w->slice_count; i++)
            if (w->slices[i].stores >> SIM_STORES) w->need = SIM_STORE_ANY;
        spans_take(x, (size_t)(w - x->works), stored);
    }
    free(stored->at);
    *stored = (dev_stored){0};
}

static uint64_t line_beginning(dev_client *c, unsigned device, const dev_run *of, char *to) {
    const dev_device *d = dev_hw(c, device);
    sim_memory *memory = d->backend->memory ? HW(d, memory) : NULL;
    uint64_t n = of->to - of->from < LINE_BEGINNING ? of->to - of->from : LINE_BEGINNING;
    return memory && !sim_memory_read(memory, to, of->from, n) ? n : 0;
}

/* Notes how the data begin that a copy brings to the host. */
static void line_leaves(dev_client *c, unsigned device, line_work *w, const dev_run *from) {
    struct dev_lineage *x = c->log.lineage;
    char now[LINE_BEGINNING];
    uint64_t n = line_beginning(c, device, from, now);
    if (n < LINE_LEAST || !memcmp(now, now + 4, n - 4)) return; /* 0 may stand in any data */
    if (x->bytes > DEV_PART_BYTES / 2) return;
    x->bytes += n;
    w->beginning = malloc(n);
    x->lost = x->lost || !w->beginning;
    if (!w->beginning) return;
    memcpy(w->beginning, now, n);
    w->beginning_bytes = n, w->left_before = x->left;
    x->left = (size_t)(w - x->works) + 1;
}

/* Adds an edge to the copy to the host whose data come back, if some begin in the same way. */
static void line_returns(dev_client *c, unsigned device, line_work *w, const dev_run *to) {
    struct dev_lineage *x = c->log.lineage;
    char now[LINE_BEGINNING];
    uint64_t n = line_beginning(c, device, to, now);
    const line_work *left;
    for (size_t at = x->left, i = 0; at && i < LINE_BACK; at = left->left_before, i++) {
        left = &x->works[at - 1];
        uint64_t both = n < left->beginning_bytes ? n : left->beginning_bytes;
        if (both >= LINE_LEAST && !memcmp(now, left->beginning, both))
            edge_to(x, w, &(line_span){.work = at - 1, .by = ALL_STORES});
    }
}

void dev_lineage_copy(dev_client *c, unsigned device, dev_op op, const dev_runs *runs) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    line_work *w = x ? work_new(x, c->log.count - 1) : NULL;
    dev_stored stored = {0};
    if (!w) return;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->at[i].how == SIM_WORD_READ) edges_range(x, w, runs->at[i].from, runs->at[i].to);
    if (op == DEV_OP_H2D && runs->count) line_returns(c, device, w, &runs->at[0]);
    if (op == DEV_OP_H2D) given_take(c, device, w, runs, false);
    edges_close(x, w);
    uses_take(c, device, w, runs);
    if (op == DEV_OP_D2H && runs->count) line_leaves(c, device, w, &runs->at[0]);
    if (op != DEV_OP_H2D && op != DEV_OP_D2D && op != DEV_OP_MEMSET) w->need = ALL_STORES;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->at[i].how != SIM_WORD_READ)
            dev_stored_add(&stored, runs->at[i].from, runs->at[i].to - runs->at[i].from, 0);
    x->lost = x->lost || runs->lost || runs->coarse || stored.lost || !c->log.count;
    stored_join(&stored, false);
    spans_take(x, (size_t)(w - x->works), &stored);
    free(stored.at);
}

/* ---- the end of the call */

/* Returns whether the memory there is an output, or may be. */
static bool line_is_output(dev_client *c, uint64_t at) {
    const dev_mem *m = dev_mem_find(c, at);
    if (!m) return false;
    return m->on_host ? m->kind != DEV_MEM_MANAGED || m->given : m->kind == DEV_MEM_GRANTED;
}

void dev_lineage_frees(dev_client *c, const dev_mem *m) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    line_place *p = x ? place_find(x, m->base) : NULL;
    if (p) p->freed = true;
    if (!x || !line_is_output(c, m->base)) return;
    uint64_t end = m->base + m->bytes;
    for (size_t i = span_find(x, m->base); i < x->span_count && x->spans[i].from < end; i++)
        x->works[x->spans[i].work].need |= x->spans[i].by;
}

/* Computes the launch without slices that lead only to unneeded stores; for a launch without needed
 * stores, without slices that lead to no store at all. */
static void line_settle_launch(line_work *w, dev_record *r) {
    uint64_t need = w->need ? w->need : ALL_STORES;
    sim_slice idle = {0};
    bool any = false;
    if (!r->result) return;
    for (size_t i = 0; i < w->slice_count; i++) {
        const sim_slice *s = &w->slices[i];
        if (s->stores & need) continue;
        sim_counters_add(&idle.counters, &s->counters);
        idle.threads += s->threads, idle.blocks += s->blocks;
        any = true;
    }
    if (!any || !(w->own = malloc(sizeof *w->own))) return;
    double blocks = (double)r->grid[0] * r->grid[1] * r->grid[2],
           threads = blocks * r->block[0] * r->block[1] * r->block[2], lead = threads;
    *w->own = (dev_leading){.counters = r->result->counters, .blocks = 1, .threads = 1};
    sim_counters_sub(&w->own->counters, &idle.counters);
    if (blocks > 0) w->own->blocks = 1 - (double)idle.blocks / blocks;
    lead -= (double)idle.threads;
    if (w->own->blocks > 0) w->own->threads = lead / (threads * w->own->blocks);
    r->leading = w->own;
}

/* Which kernels' stores each work read, itself or through others. */
static void line_settle_kernels(dev_client *c, struct dev_lineage *x) {
    const char *names[64];
    size_t n = 0;
    for (size_t k = 0; k < x->count; k++) {
        line_work *w = &x->works[k];
        dev_record *r = w->record < c->log.count ? &c->log.records[w->record] : NULL;
        for (size_t e = w->first; e < w->first + w->edges; e++)
            w->fed |= x->works[x->edges[e].to].bit | x->works[x->edges[e].to].fed;
        if (!r) continue;
        r->fed_by = w->fed;
        if (r->op != DEV_OP_LAUNCH || !r->kernel) continue;
        size_t at = 0;
        while (at < n && strcmp(names[at], r->kernel) != 0) at++;
        if (at == n && n < 63) names[n++] = r->kernel; /* all others share the last bit */
        r->kernel_bit = w->bit = UINT64_C(1) << at;
    }
    for (size_t k = x->count; k--;)
        for (size_t e = x->works[k].first; e < x->works[k].first + x->works[k].edges; e++)
            x->works[x->edges[e].to].feeds |= x->works[k].bit | x->works[k].feeds;
}

/* Returns where the word is in the table, or the empty place (0) where it would be. */
static uint32_t *given_at(uint32_t *table, uint64_t room, uint32_t word) {
    uint64_t at = word * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (room - 1);
    while (table[at] && table[at] != word) at = (at + 1) & (room - 1);
    return &table[at];
}

uint64_t dev_client_given(const dev_client *c, uint64_t to, uint64_t not_to) {
    const struct dev_lineage *x = c->log.lineage;
    uint64_t all = 0, room = 1, n = 0;
    for (size_t k = 0; x && k < x->count; k++) all += x->works[k].words;
    while (room < 2 * all) room *= 2;
    uint32_t *table = all ? calloc(room, sizeof *table) : NULL;
    for (unsigned round = 0; table && round < 2; round++)
        for (size_t k = 0; k < x->count; k++) {
            const line_work *w = &x->works[k];
            if (!((w->bit | w->feeds) & (round ? to : not_to))) continue;
            for (uint64_t i = 0; i < w->words; i++) {
                uint32_t *at = given_at(table, room, w->given[i]);
                if (round) n += !*at && w->given[i];
                else *at = w->given[i];
            }
        }
    free(table);
    return n;
}

/* Which part of each place the needed works used. */
static void line_settle_places(dev_client *c, struct dev_lineage *x) {
    for (size_t k = 0; k < x->count; k++)
        for (size_t i = x->works[k].first_use; i < x->works[k].first_use + x->works[k].uses; i++) {
            line_place *p = &x->places[x->uses[i].place];
            uint64_t left = p->bytes - p->used;
            if (x->works[k].need) p->used += x->uses[i].bytes < left ? x->uses[i].bytes : left;
        }
    for (size_t i = 0; i < x->place_count; i++) {
        const line_place *p = &x->places[i];
        if (p->record == SIZE_MAX) x->variables += p->used;
        else if (p->record < c->log.count) c->log.records[p->record].unused = p->bytes - p->used;
    }
    for (size_t i = 0; i < x->move_count; i++) {
        const line_move *m = &x->moves[i];
        const line_place *p = &x->places[m->place];
        double part = (double)(p->bytes - p->used) / (double)p->bytes;
        if (m->record < c->log.count)
            c->log.records[m->record].unused += (uint64_t)(part * (double)m->bytes);
    }
}

uint64_t dev_client_variables(const dev_client *c) {
    return c->log.lineage ? c->log.lineage->variables : 0;
}

void dev_lineage_settle(dev_client *c) {
    struct dev_lineage *x = dev_lineage_on(c) ? c->log.lineage : NULL;
    if (!x || c->log.overflow) return;
    line_settle_kernels(c, x);
    for (size_t i = 0; i < x->span_count; i++)
        if (line_is_output(c, x->spans[i].from)) x->works[x->spans[i].work].need |= x->spans[i].by;
    for (size_t k = x->count; k--;) {
        line_work *w = &x->works[k];
        for (size_t e = w->first; w->need && e < w->first + w->edges; e++)
            x->works[x->edges[e].to].need |= x->edges[e].by;
        if (w->record >= c->log.count) continue;
        c->log.records[w->record].idle = !w->need;
        line_settle_launch(w, &c->log.records[w->record]);
    }
    if (!x->many) line_settle_places(c, x);
}

static void line_forget(struct dev_lineage *x) {
    for (size_t i = 0; i < x->count; i++) {
        free(x->works[i].own);
        free(x->works[i].beginning);
        free(x->works[i].given);
        free(x->works[i].slices);
    }
    free(x->works), free(x->edges), free(x->spans), free(x->next);
    free(x->uses), free(x->moves);
    *x = (struct dev_lineage){.keeps = x->keeps};
}

void dev_lineage_begins(dev_client *c) {
    if (c->log.lineage) line_forget(c->log.lineage);
}

void dev_lineage_free(dev_client *c) {
    dev_lineage_begins(c);
    free(c->log.lineage);
    c->log.lineage = NULL;
}

void dev_client_lineage(dev_client *c, bool given) {
    if (!c->log.lineage) c->log.lineage = calloc(1, sizeof *c->log.lineage);
    if (c->log.lineage) c->log.lineage->keeps = given;
}
