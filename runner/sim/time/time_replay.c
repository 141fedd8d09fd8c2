/* One multiprocessor runs the sampled blocks' streams again, cycle by cycle where something
 * happens.
 *
 *   block slots --filled by the dispatcher--> warps, each at a place in its stream of regions
 *   the warp that can go on earliest --issue slot of its scheduler, registers ready, pipe free--> next
 *   loads and stores --LSU--> L1 --> L2 --> DRAM, each a server that is busy for a while and then answers
 *                                           after its latency
 *
 * A server is nothing but the time at which it is free again; warps come in the order of time, so
 * that is a queue. What lies behind the multiprocessor (L2, DRAM, the dispatcher) is given as the
 * share of one among equals (time_share). */
#include "runner/sim/time/time_internal.h"
#include "runner/sim/time/time_stall.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A store or reduction waits when its queue is this far behind; an instruction queue in front of a
 * pipe holds that many cycles. */
#define STORE_QUEUE 600.0
#define PIPE_QUEUE  16.0
/* Atomic additions of floats on one address. In L2 they take so many times as long as those of
 * integers: 131,072 of them 232 us on an H200, 1.77 ns each against 0.73. Shared memory has none,
 * the assembler makes a loop of compare and swap, so many cycles for each lane on one address while
 * a block's other warps try too: 256 threads each in 16,384 blocks took 202 us (held_out.cu,
 * sum). */
#define FLOAT_ATOM_GLOBAL 2.4
#define FLOAT_ATOM_SHARED 12.6
/* Fences of an H200 (spaces.cu, 512 in a row): cycles until a lone warp goes on, and that the
 * multiprocessor needs for each warp. Those for the device are a way to L2 and back, those for the
 * system (micro.cu) beyond it; elsewhere in the proportion of lat_l2. */
static const struct {
    double latency, each;
} fence_cost[] = {{7.5, 3.7}, {259, 10.4}, {1000, 10.4}};
#define FENCE_LAT_L2 288.0
/* Constant memory, measured on an H200 by spaces.cu and micro.cu. Lines have 64 bytes. A request
 * of more than so many lines finds them in the first level the less, the more of constant memory the
 * kernel reads. */
enum { CONST_LINE = 64, CONST_LINES = 1024, CONST_WIDE = 16 };
#define CONST_WIDE_PER_KB 0.35
#define CONST_WIDE_KB     16.0
/* A word for the whole warp, by the path that finds 256 bytes: cycles for each doubling beyond when
 * many blocks are at different places of it, and how much more when blocks follow blocks. In few
 * warps, or in blocks so large that all start at once, they stay together and all find it. */
#define CONST_APART      5.2
#define CONST_APART_MORE 1.45
enum { CONST_APART_BLOCKS = 4, CONST_APART_WARPS = 48 };
/* What a fetch of 32 lanes keeps the texture unit for, and besides for each sector that L1 has not: a
 * fit to rows, columns, a rotation and linear memory of floats on an H200 (spaces.cu). A fetch that
 * hits takes so many of L1's latencies longer than a load (Jia et al. 2019). */
#define TEX_WARP    16.5
#define TEX_SENT    0.15
#define TEX_LATENCY 1.0
/* Copies and loads of a warp: groups that can be told apart. */
enum { GROUPS = 8 };
#define NEVER 1e300
/* Blocks that a multiprocessor may be given in a row. */
#define BURST 4.0

typedef struct {
    double t; /* can go on */
    double copies, stored, group[GROUPS];
    uint32_t group_count;
    const sim_trace_warp *stream;
    uint32_t run, at, event; /* place in the stream */
    const uint32_t *order;   /* of what is being executed; NULL: the text from `text` on */
    uint32_t text, step, count;
    uint32_t *slot;    /* by ordinal in the region: index of the event + 1, or 0 */
    double *ready;     /* by register */
    time_owner *owner; /* by register: who made it */
    time_wait wait;
    double start;
    uint16_t block, scheduler;
    unsigned number; /* of the block, in the order of their starts */
    uint32_t func;
    bool entered, alive;
} warp_state;

typedef struct {
    const sim_trace_block *source;
    double arrived[17]; /* latest arrival, by barrier */
    uint16_t waiting[17];
    unsigned live, first_warp;
    double ended;
    sim_block_span *span; /* where its stay is written down, or NULL */
} block_state;

/* What the loads of one instruction miss in L1, over all warps of a sampled block. The executor
 * runs a block's warps one after another, so the first of them fetches what all of them read; on
 * the device whoever comes first does. So misses are dealt out in the order of replay. */
typedef struct {
    double sectors, sent, misses, entries, events; /* events: that sent anything */
} pool;

typedef struct {
    const time_code *code;
    const sim_profile *p;
    pool *pools;  /* by sampled block and load; NULL: too many, each event keeps its own */
    double *owed; /* by slot and load: sectors not yet sent */
    const sim_trace *trace;
    const time_share *share;
    warp_state *warps;
    block_state *blocks;
    unsigned warp_count, slots, warps_per_block;
    uint32_t *heap;
    double *heap_t;
    unsigned heap_count;
    double scheduler[8], pipe[8][TIME_PIPE_COUNT];
    /* DRAM of late: busy, 0 to 1; writes, 1: half and more */
    double window_start, window_read, window_write, load, mixed;
    double lsu, l2, dram, constant, barrier, fence, atomic, dispatcher;
    double const_kb, const_uniform; /* read of constant memory; cycles of a uniform load */
    double busy_issue[8], busy_pipe[8][TIME_PIPE_COUNT];
    uint64_t replayed, draws;
    unsigned started, finished;
    double *ends; /* when each block that ran ended */
    double last;
    /* warp's next in its barrier's list is implicit: all of the block are looked at */
    uint32_t *waiters;
    time_usage *u;
    time_places *places; /* or NULL */
} machine;

/* ---- the warps that can go on, earliest first --------------------------------------------------- */

static void heap_push(machine *m, uint32_t w, double t) {
    unsigned k = m->heap_count++;
    while (k && m->heap_t[(k - 1) / 2] > t) {
        m->heap_t[k] = m->heap_t[(k - 1) / 2];
        m->heap[k] = m->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    m->heap_t[k] = t;
    m->heap[k] = w;
}

static uint32_t heap_pop(machine *m) {
    uint32_t top = m->heap[0];
    unsigned n = --m->heap_count;
    double t = m->heap_t[n];
    uint32_t w = m->heap[n];
    unsigned k = 0;
    for (;;) {
        unsigned c = 2 * k + 1;
        if (c >= n) break;
        if (c + 1 < n && m->heap_t[c + 1] < m->heap_t[c]) c++;
        if (m->heap_t[c] >= t) break;
        m->heap_t[k] = m->heap_t[c];
        m->heap[k] = m->heap[c];
        k = c;
    }
    m->heap_t[k] = t;
    m->heap[k] = w;
    return top;
}

static double replay_larger(double a, double b) {
    return a > b ? a : b;
}

static double serve(double *server, double *busy, double at, double cycles) {
    double start = at > *server ? at : *server;
    *server = start + cycles;
    *busy += cycles;
    return start;
}

static double noise(uint64_t x) { /* even in -1 .. 1, the same for the same x */
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (double)(x >> 40) / (double)(1 << 23) - 1;
}

/* Latency to DRAM varies with the bank, the page and the distance: by +-spread. Warps of a block
 * that execute one instruction together mostly read one page and share half of that. The sequence
 * is fixed, so results repeat. */
static double jitter(machine *m, const warp_state *w, const time_op *o, double spread) {
    uint64_t place =
        (uint64_t)(o - m->code->ops) << 32 | (w->run & 0xffffu) << 16 | (w->number & 0xffffu);
    return spread * (0.7 * noise(place) + 0.7 * noise(++m->draws << 1 | 1));
}

/* ---- streams ------------------------------------------------------------------------------------ */

/* Pairs the events of the text [pc, end) with those recorded: ordinals from `base` on. */
static void pair_events(const time_code *c, warp_state *w, uint32_t pc, uint32_t end,
                        uint32_t base) {
    const sim_trace_warp *s = w->stream;
    for (; pc < end; pc++) {
        const time_op *o = &c->ops[pc];
        if (!(o->flags & TIME_EVENT) || o->event == UINT16_MAX) continue;
        bool match = w->event < s->at.event_count && s->events[w->event].pc_low == (pc & 0xffff);
        w->slot[base + o->event] = match ? ++w->event : 0;
    }
}

/* The next runs are `copies` whole rounds of the loop, the first of them from the warp's place
 * on. */
static bool rounds_ahead(const warp_state *w, const time_region *r, uint32_t left) {
    const sim_trace_warp *s = w->stream;
    if (!r->unrolled || left != r->count || s->at.run_count - w->run < r->unrolled) return false;
    for (uint32_t k = 1; k < r->unrolled; k++) {
        const sim_trace_run *q = &s->runs[w->run + k];
        if (q->first != r->first ||
            (k + 1 < r->unrolled ? q->count != r->count : q->count < r->count))
            return false;
    }
    return true;
}

/* Sets the warp to the region at its place, or to several rounds of a loop that the assembler
 * unrolls. False at the stream's end. */
static bool enter_region(machine *m, warp_state *w) {
    const time_code *c = m->code;
    const sim_trace_warp *s = w->stream;
    while (w->run < s->at.run_count && w->at >= s->runs[w->run].count) w->run++, w->at = 0;
    if (w->run >= s->at.run_count) return false;
    uint32_t pc = s->runs[w->run].first + w->at, left = s->runs[w->run].count - w->at;
    if (pc >= c->op_count) return false;
    const time_region *r = &c->regions[c->region_of[pc]];
    if (r->func != w->func) { /* registers of another function: taken as there */
        memset(w->ready, 0, c->reg_max * sizeof *w->ready);
        w->func = r->func;
    }
    w->entered = true;
    w->step = 0;
    if (pc == r->first && rounds_ahead(w, r, left)) {
        for (uint32_t k = 0; k < r->unrolled; k++)
            pair_events(c, w, pc, pc + r->count, k * r->event_count);
        w->run += r->unrolled - 1;
        w->at = r->count;
        w->order = c->order + r->unrolled_at;
        w->count = r->count * r->unrolled;
        return true;
    }
    uint32_t end = r->first + r->count < pc + left ? r->first + r->count : pc + left;
    bool whole = pc == r->first && end == r->first + r->count;
    pair_events(c, w, pc, end, 0);
    w->at += end - pc;
    w->order = whole ? c->order + r->first : NULL; /* part of a region: in the order of the text */
    w->text = pc;
    w->count = end - pc;
    return true;
}

static const sim_trace_event *event_of(const warp_state *w, const time_op *o) {
    if (!(o->flags & TIME_EVENT) || o->event == UINT16_MAX) return NULL;
    uint32_t k = w->slot[o->event];
    return k ? &w->stream->events[k - 1] : NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

static double shared_access(machine *m, const time_op *o, const sim_trace_event *e, double at,
                            double *result) {
    const sim_profile *p = m->p;
    double pass = p->bank_lanes * 4 / p->shared_bytes_cycle,
           cycles = (e->passes ? e->passes : 1) * pass;
    double wide =
        o->flags & TIME_WIDE
            ? 4.0 * o->amount
            : e->bytes_lane; /* a wide load takes its time also where all lanes read one address */
    if (o->kind == TIME_LOAD && wide > 4 && cycles < 0.14 * wide) cycles = 0.14 * wide;
    if (o->flags & TIME_MERGED) cycles = 0;
    if (o->kind == TIME_ATOM) {
        cycles = o->flags & TIME_POP_INC ? p->atom_shared_cycles : e->passes * pass;
        double least_cycles = p->atom_shared_cycles * (o->flags & TIME_POP_INC ? 1 : 1.25);
        if (cycles < least_cycles) cycles = least_cycles;
        if (o->flags & TIME_RESULT) cycles *= 1.1;
        if (o->float_atom) cycles = FLOAT_ATOM_SHARED * (e->passes ? e->passes : 1);
    }
    if (cycles < 1 / p->rate_ldst && !(o->flags & TIME_MERGED)) cycles = 1 / p->rate_ldst;
    double start = serve(&m->lsu, &m->u->shared, at, cycles);
    *result = start + cycles - pass + (o->kind == TIME_ATOM ? p->lat_atom_shared : p->lat_shared);
    return start;
}

/* Time in DRAM's queues beyond the plain latency, by how busy it is and how much of that are
 * writes, for which the bus turns around: a fit to what an H200 shows between few and many bytes in
 * flight, reading and copying (docs/model.md). */
static double dram_queue(machine *m, double at, double read, double write) {
    m->window_read += read;
    m->window_write += write;
    if (at - m->window_start > 1500) {
        double both = m->window_read + m->window_write;
        m->load = both / (at - m->window_start);
        if (m->load > 0.9) m->load = 0.9;
        m->mixed = both > 0 ? 2 * m->window_write / both : 0;
        if (m->mixed > 1) m->mixed = 1;
        m->window_start = at;
        m->window_read = m->window_write = 0;
    }
    double r = m->load, reading = 0.53 * r * r / (1 - 0.6 * r * r * r),
           copying = 0.8 * r * (1 + 1.9 * r * r * r);
    return m->p->lat_dram * (reading + (copying - reading) * m->mixed);
}

typedef struct {
    double sent, misses, entries;
} portion;

static portion portion_of(machine *m, const warp_state *w, const time_op *o,
                          const sim_trace_event *e) {
    portion own = {e->l2_sectors, e->misses, e->stream_n ? e->stream_n : 1};
    if (!m->pools || !o->load || o->kind != TIME_LOAD) return own;
    size_t block = (size_t)(m->blocks[w->block].source - m->trace->blocks),
           loads = m->code->load_count;
    const pool *l = &m->pools[block * loads + o->load - 1];
    if (l->sent <= 0) return (portion){0, 0, 1};
    double *owed = &m->owed[w->block * loads + o->load - 1], chunk = l->sent / l->events;
    *owed += e->sectors * l->sent / l->sectors;
    if (*owed < chunk * 0.999) return (portion){0, 0, 1};
    double sent = chunk > e->sectors ? chunk : *owed < e->sectors ? *owed : e->sectors;
    *owed -= sent;
    return (portion){sent, sent * l->misses / l->sent,
                     replay_larger(sent * l->entries / l->sent, 1)};
}

/* Global and local memory, textures. */
static double global_access(machine *m, const warp_state *w, const time_op *o,
                            const sim_trace_event *e, double at, double *result) {
    const sim_profile *p = m->p;
    const time_share *s = m->share;
    portion part = portion_of(m, w, o, e);
    unsigned lines = e->lines ? e->lines : 1;
    double sent = part.sent, entries = part.entries, misses = part.misses;
    /* Four tags a cycle; banks one word each; all lanes' bytes through one port. */
    double cycles = lines / 4.0, wide = (double)e->lanes * e->bytes_lane / p->l1_bytes_cycle;
    if (o->kind == TIME_LOAD && e->passes * 128 / p->l1_bytes_cycle > cycles)
        cycles = e->passes * 128 / p->l1_bytes_cycle;
    if (!p->l2_bytes) cycles = lines;
    if (o->kind == TIME_TEX)
        cycles = replay_larger(cycles, TEX_WARP * e->lanes / 32.0 + TEX_SENT * sent);
    if (wide > cycles) cycles = wide;
    if (cycles < 1 / p->rate_ldst) cycles = 1 / p->rate_ldst;
    double start = serve(&m->lsu, &m->u->l1, at, cycles), done = start + cycles, t;
    *result = start + cycles - 1 + p->lat_l1;
    if (o->kind == TIME_TEX) *result += TEX_LATENCY * p->lat_l1;
    if (p->l2_bytes && sent <= 0) return start;
    if (!p->l2_bytes) { /* no caches: each transaction goes to memory */
        double cost = e->sectors * s->dram_sector_cycles;
        t = serve(&m->dram, &m->u->dram, done, cost);
        if (o->kind == TIME_ATOM)
            t = serve(&m->atomic, &m->u->atomics, t, e->lanes * s->atom_cycles);
        *result = t + cost + p->lat_dram + jitter(m, w, o, p->lat_dram * 0.2);
    } else if (
        o->kind ==
        TIME_ATOM) { /* lanes on one address go one after another, the words of a sector together */
        unsigned ops = (unsigned)sent + (e->passes ? e->passes - 1u : 0);
        if (ops > e->lanes) ops = e->lanes ? e->lanes : 1;
        if (o->flags & TIME_UNIFORM) ops = 1;
        double each = s->atom_cycles * (o->float_atom ? FLOAT_ATOM_GLOBAL : 1);
        t = serve(&m->atomic, &m->u->atomics, done, ops * replay_larger(each, p->atom_sm_cycles));
        *result = t + p->lat_atom_global;
    } else if (o->kind == TIME_STORE) {
        double cost = entries * s->l2_store_cycles,
               write = sent * s->dram_write_cycles + misses * s->dram_sector_cycles;
        if (sent * s->l2_sector_cycles > cost) cost = sent * s->l2_sector_cycles;
        t = serve(&m->l2, &m->u->l2, done, cost);
        /* The acknowledgement, which the block waits for before it ends. */
        *result = t + cost + 0.7 * p->lat_l2;
        double d = serve(&m->dram, &m->u->dram, t, write);
        dram_queue(m, at, misses * s->dram_sector_cycles, sent * s->dram_write_cycles);
        if (d > t) t = d;
    } else {
        double cost = entries * s->l2_line_cycles;
        if (sent * s->l2_sector_cycles > cost) cost = sent * s->l2_sector_cycles;
        t = serve(&m->l2, &m->u->l2, done, cost);
        if (misses <= 0) {
            *result = t + cost + p->lat_l2 + jitter(m, w, o, p->lat_l2 * 0.24);
            return start;
        }
        double dc = misses * s->dram_sector_cycles, d = serve(&m->dram, &m->u->dram, t, dc);
        *result =
            d + dc + p->lat_dram + dram_queue(m, at, dc, 0) + jitter(m, w, o, p->lat_dram * 0.45);
        return start;
    }
    if (o->kind != TIME_LOAD && !(o->flags & TIME_RESULT) && t - STORE_QUEUE > start)
        start = t - STORE_QUEUE;
    return start;
}

static double constant_access(machine *m, const time_op *o, const sim_trace_event *e, double at,
                              double *result) {
    const sim_profile *p = m->p;
    double words = e && e->passes ? e->passes : 1, cycles = words * p->const_serial_cycles;
    if (e && e->lines > CONST_WIDE)
        cycles +=
            words * CONST_WIDE_PER_KB * (m->const_kb < CONST_WIDE_KB ? m->const_kb : CONST_WIDE_KB);
    if (o->flags & TIME_UNIFORM && words <= 1) cycles = m->const_uniform;
    double start = serve(&m->constant, &m->u->constant, at, cycles);
    *result = start + cycles - 1 + p->lat_const;
    return start;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* The blocks of the first wave, then those of the middle over and over. */
static const sim_trace_block *source_of(const machine *m, unsigned n) {
    const sim_trace *t = m->trace;
    unsigned middle = t->block_count - t->first_count;
    if (n < t->first_count) return &t->blocks[n];
    if (!middle) return &t->blocks[n % t->first_count];
    return &t->blocks[t->first_count + (n - t->first_count) % middle];
}

static void start_block(machine *m, unsigned slot, double at) {
    block_state *b = &m->blocks[slot];
    unsigned n = m->started++;
    double t = at > m->dispatcher ? at : m->dispatcher;
    /* The dispatcher serves all multiprocessors: what this one could not take a while ago it may
     * get at once now. */
    double late = at - BURST * m->share->dispatch_cycles;
    m->dispatcher = (m->dispatcher > late ? m->dispatcher : late) + m->share->dispatch_cycles;
    m->u->dispatch += m->share->dispatch_cycles;
    b->source = source_of(m, n);
    b->live =
        b->source->warp_count < m->warps_per_block ? b->source->warp_count : m->warps_per_block;
    b->ended = t;
    b->span = m->places && m->places->span_count < TIME_SPANS
                  ? &m->places->spans[m->places->span_count++]
                  : NULL;
    double us = 1 / (m->p->clock_ghz * 1e3);
    if (b->span) *b->span = (sim_block_span){(float)(t * us), (float)(t * us), slot};
    memset(b->arrived, 0, sizeof b->arrived);
    memset(b->waiting, 0, sizeof b->waiting);
    unsigned live = b->live;
    for (unsigned k = 0; k < live; k++) {
        warp_state *w = &m->warps[b->first_warp + k];
        double *ready = w->ready;
        uint32_t *slots = w->slot;
        time_owner *owner = w->owner;
        uint16_t scheduler = w->scheduler;
        *w = (warp_state){.stream = &b->source->warps[k],
                          .ready = ready,
                          .slot = slots,
                          .block = (uint16_t)slot,
                          .scheduler = scheduler,
                          .func = UINT32_MAX,
                          .number = n};
        w->owner = owner;
        w->alive = true;
        w->start = t + k * m->p->warp_launch_cycles;
        w->t = w->start + m->p->warp_start_cycles;
        w->wait = (time_wait){.seen = w->start, .hold = SIM_STALL_NO_INSTRUCTION};
        heap_push(m, b->first_warp + k, w->t);
    }
}

static void replay_release(machine *m, block_state *b, unsigned bar, unsigned expected);

static void warp_ends(machine *m, warp_state *w, double t) {
    block_state *b = &m->blocks[w->block];
    stall_held(m->u, m->places, &w->wait, t);
    w->alive = false;
    m->u->warp_cycles += t - w->start;
    if (w->stored > t) t = w->stored;
    if (t > b->ended) b->ended = t;
    if (t > m->last) m->last = t;
    b->live--;
    for (unsigned bar = 0; bar < 16 && b->live; bar++) /* who is gone is not waited for */
        if (b->waiting[bar] >= b->live) replay_release(m, b, bar, b->live);
    if (b->live) return;
    m->ends[m->finished++] = b->ended;
    if (b->span) b->span->end_us = (float)(b->ended / (m->p->clock_ghz * 1e3));
    if (m->started < m->share->blocks && m->replayed < m->share->budget)
        start_block(m, w->block, b->ended + m->p->block_launch_cycles);
}

/* All who wait at a barrier go on when the last one came, or when so few warps are left that it is
 * complete. */
static void replay_release(machine *m, block_state *b, unsigned bar, unsigned expected) {
    if (!b->waiting[bar] || b->waiting[bar] < expected) return;
    double t = b->arrived[bar] + m->p->barrier_base;
    for (unsigned k = 0; k < m->warps_per_block; k++) {
        warp_state *w = &m->warps[b->first_warp + k];
        if (w->t != NEVER || w->group_count >> 24 != bar + 1) continue;
        w->group_count &= 0xffffff;
        w->t = t;
        heap_push(m, b->first_warp + k, t);
    }
    b->waiting[bar] = 0;
    b->arrived[bar] = 0;
}

/* Returns false if the warp now waits. */
static bool barrier(machine *m, warp_state *w, const time_op *o, const sim_trace_event *e,
                    double at) {
    block_state *b = &m->blocks[w->block];
    unsigned bar = e && e->space < 16 ? e->space : 0,
             expected = e && e->passes ? e->passes : b->live;
    if (expected > b->live) expected = b->live;
    double start = serve(&m->barrier, &m->u->barrier, at, m->p->barrier_per_warp),
           t = start + m->p->barrier_per_warp;
    if (t > b->arrived[bar]) b->arrived[bar] = t;
    b->waiting[bar]++;
    if (o->kind == TIME_ARRIVE) {
        w->t = t;
        replay_release(m, b, bar, expected);
        return true;
    }
    w->t = NEVER;
    w->group_count = (w->group_count & 0xffffff) | (bar + 1) << 24;
    replay_release(m, b, bar, expected);
    return false;
}

/* When the warp goes on: what it stored must have arrived, for more than its block. */
static double fence(machine *m, const warp_state *w, const time_op *o, double at) {
    unsigned scope = o->amount;
    double busy = 0, start = serve(&m->fence, &busy, at, fence_cost[scope].each),
           far = scope ? m->p->lat_l2 / FENCE_LAT_L2 : 1,
           t = start + fence_cost[scope].latency * far;
    return scope && w->stored > t ? w->stored : t;
}

/* ---- one warp ----------------------------------------------------------------------------------- */

static double pipe_start(machine *m, const warp_state *w, const time_op *o, double at) {
    unsigned s = w->scheduler, pipe = o->pipe;
    if (pipe == TIME_PIPE_EITHER)
        pipe = m->pipe[s][TIME_PIPE_ALU] <= m->pipe[s][TIME_PIPE_IMUL] ? TIME_PIPE_ALU
                                                                       : TIME_PIPE_IMUL;
    double start = at;
    if (pipe != TIME_PIPE_NONE)
        start = serve(&m->pipe[s][pipe], &m->busy_pipe[s][pipe], at, o->busy);
    if (o->xu > 0) {
        double x = serve(&m->pipe[s][TIME_PIPE_XU], &m->busy_pipe[s][TIME_PIPE_XU], at, o->xu);
        if (x > start) start = x;
    }
    return start;
}

/* Whose result the operation waits for the longest. */
static time_owner owner_of(const machine *m, const warp_state *w, const time_op *o, double until) {
    const uint32_t *regs = m->code->regs + o->regs;
    for (unsigned k = 0; k < o->dst_count + o->src_count; k++)
        if (w->ready[regs[k]] >= until) return w->owner[regs[k]];
    return (time_owner){TIME_NOBODY, SIM_STALL_WAIT};
}

/* What a scheduler waited for before `w`, its next to go on, was there. */
static void idle_before(machine *m, const warp_state *w, double from, double cycles) {
    unsigned step = m->p->schedulers < 8 ? m->p->schedulers : 8;
    for (unsigned k = w->scheduler; k < m->warp_count; k += step) {
        const warp_state *x = &m->warps[k];
        if (x == w || !x->alive || x->start > from) continue;
        unsigned last = x->wait.pieces;
        m->u->idle[last ? x->wait.why[last - 1] : x->wait.hold] += cycles;
        return;
    }
    m->u->empty += cycles;
}

/* The warp issues n instructions at `at`, its scheduler is busy with them from `from`. */
static void issue(machine *m, warp_state *w, uint32_t pc, double at, double n, double from) {
    double *free_at = &m->scheduler[w->scheduler], before = *free_at;
    stall_held(m->u, m->places, &w->wait, w->t);
    double rest = stall_issue(m->u, m->places, &w->wait, pc, at, n, before, from);
    if (rest > 0) idle_before(m, w, before, rest);
    *free_at = from + n;
    m->busy_issue[w->scheduler] += n;
}

/* Runs the warp until another can go on earlier, it waits, or it ends. */
/* A branch, and where it goes: what it costs beyond its slot. */
static inline void branch(machine *m, warp_state *w, const time_op *o, uint32_t pc, double at) {
    w->wait.hold = SIM_STALL_BRANCH_RESOLVING, w->wait.pc = pc;
    bool jumps = w->run < w->stream->at.run_count && w->at >= w->stream->runs[w->run].count;
    if (!(o->flags & TIME_PREDICATED)) {
        w->t += jumps || o->flags & TIME_SIGNALS ? m->p->branch_cycles : m->p->branch_cycles / 2;
    } else if (jumps) { /* they issue one after another when the scheduler comes to them */
        double free_at = replay_larger(m->scheduler[w->scheduler], at);
        issue(m, w, pc, at, o->amount, free_at);
        w->t = at + o->amount;
    }
}

/* Until all but the last `amount` groups of copies are there. */
static inline void wait_for_copies(warp_state *w, const time_op *o, uint32_t pc) {
    double until = w->copies;
    if (o->amount && o->amount < GROUPS)
        until =
            w->group_count > o->amount ? w->group[(w->group_count - o->amount - 1) % GROUPS] : 0;
    w->wait.hold = SIM_STALL_LONG_SCOREBOARD, w->wait.pc = pc;
    if (until > w->t) w->t = until;
}

/* A load, store, atomic, fetch or copy that has lanes: when it starts, and when its result is there. */
static inline double memory_access(machine *m, warp_state *w, const time_op *o,
                                   const sim_trace_event *e, double at, double *result) {
    double start;
    if (e->space == PTX_SPACE_SHARED) start = shared_access(m, o, e, at, result);
    else if (e->space == PTX_SPACE_CONST || e->space == PTX_SPACE_PARAM)
        start = constant_access(m, o, e, at, result);
    else start = global_access(m, w, o, e, at, result);
    if (o->kind == TIME_COPY && *result > w->copies) w->copies = *result;
    if ((o->kind == TIME_STORE || o->kind == TIME_ATOM) && *result > w->stored) w->stored = *result;
    return start;
}

static void run_warp(machine *m, uint32_t index) {
    warp_state *w = &m->warps[index];
    const time_code *c = m->code;
    for (;;) {
        if (!w->entered || w->step >= w->count) {
            if (!enter_region(m, w)) {
                warp_ends(m, w, w->t);
                return;
            }
        }
        const time_op *o = &c->ops[w->order ? w->order[w->step] : w->text + w->step];
        uint32_t pc = o->pc;
        double at = w->t, waits_for = 0;
        const uint32_t *regs = c->regs + o->regs;
        for (unsigned k = 0; k < o->dst_count + o->src_count; k++)
            if (w->ready[regs[k]] > waits_for) waits_for = w->ready[regs[k]];
        if (waits_for > at && o->slots > 0) {
            stall_held(m->u, m->places, &w->wait, at);
            time_owner by = owner_of(m, w, o, waits_for);
            stall_until(m->u, m->places, &w->wait, waits_for, by.why, pc, by.pc);
            if (m->heap_count && m->heap_t[0] < waits_for) {
                w->t = waits_for;
                heap_push(m, index, waits_for);
                return;
            }
            at = waits_for;
        }
        w->step++;
        m->replayed++;
        unsigned s = w->scheduler;
        if (o->slots > 0) {
            if (m->scheduler[s] > at) at = m->scheduler[s];
            issue(m, w, pc, at, o->slots, at);
            w->t = at + o->slots;
        }
        double start = at, result = at + o->latency;
        const sim_trace_event *e = event_of(w, o);
        time_owner owner = {pc, stall_of_result(o, e)};
        switch ((time_kind)o->kind) {
        case TIME_PLAIN:
            if (o->pipe == TIME_PIPE_NONE) {
                result = (waits_for > at ? waits_for : at) + o->latency;
                if (waits_for > at) owner = owner_of(m, w, o, waits_for);
            } else result = (start = pipe_start(m, w, o, at)) + o->latency;
            break;
        case TIME_LOAD:
        case TIME_STORE:
        case TIME_ATOM:
        case TIME_TEX:
        case TIME_COPY:
            if (e && e->lanes) start = memory_access(m, w, o, e, at, &result);
            break;
        case TIME_CONST: start = constant_access(m, o, e, at, &result); break;
        case TIME_SHUFFLE:
            result =
                (start = serve(&m->lsu, &m->u->shared, at, o->busy)) + o->busy - 1 + o->latency;
            break;
        case TIME_BARRIER:
        case TIME_ARRIVE:
            w->wait.hold = SIM_STALL_BARRIER, w->wait.pc = pc;
            if (!barrier(m, w, o, e, at)) return;
            continue;
        case TIME_FENCE:
            w->wait.hold = SIM_STALL_MEMBAR, w->wait.pc = pc;
            w->t = replay_larger(w->t, fence(m, w, o, at));
            break;
        case TIME_BRANCH: branch(m, w, o, pc, at); break;
        case TIME_COMMIT:
            w->group[w->group_count % GROUPS] = w->copies;
            w->group_count++;
            break;
        case TIME_WAIT: wait_for_copies(w, o, pc); break;
        case TIME_EXIT: break;
        }
        if (start - PIPE_QUEUE > w->t) {
            w->wait.hold = stall_of_queue(o, e), w->wait.pc = pc;
            w->t = start - PIPE_QUEUE;
        }
        for (unsigned k = 0; k < o->dst_count; k++)
            w->ready[regs[k]] = result, w->owner[regs[k]] = owner;
        if (m->heap_count && m->heap_t[0] < w->t) {
            heap_push(m, index, w->t);
            return;
        }
    }
}

/* Streams that were cut off may leave warps at a barrier that the others never reach. True if there
 * were any. */
static bool release_stuck(machine *m) {
    for (unsigned k = 0; k < m->slots; k++)
        for (unsigned bar = 0; bar < 16; bar++)
            if (m->blocks[k].waiting[bar]) replay_release(m, &m->blocks[k], bar, 1);
    return m->heap_count > 0;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static void summarise(machine *m) {
    time_usage *u = m->u;
    u->cycles = m->last;
    u->blocks = m->finished;
    for (unsigned s = 0; s < m->p->schedulers && s < 8; s++) {
        u->slots += m->busy_issue[s];
        if (m->last > m->scheduler[s]) u->empty += m->last - m->scheduler[s];
        if (m->busy_issue[s] > u->issue) u->issue = m->busy_issue[s];
        for (unsigned k = 0; k < TIME_PIPE_COUNT; k++)
            if (m->busy_pipe[s][k] > u->pipe[k]) u->pipe[k] = m->busy_pipe[s][k];
    }
    /* The rate once slots are refilled: from the first quarter's to the last quarter's ends, so
     * that neither the start nor the end is in it. */
    unsigned n = m->finished, resident = m->slots;
    if (n > 2 * resident) {
        unsigned from = resident, to = n - resident; /* ends of whole rounds */
        if (to > from + resident / 2)
            u->steady_cycles = (m->ends[to - 1] - m->ends[from - 1]) / (to - from);
    }
    if (u->steady_cycles <= 0 && n > resident)
        u->steady_cycles = (m->ends[n - 1] - m->ends[resident - 1]) / (n - resident);
}

static void fill_pools(machine *m) {
    size_t loads = m->code->load_count;
    for (unsigned k = 0; k < m->trace->block_count; k++)
        for (unsigned w = 0; w < m->trace->blocks[k].warp_count; w++) {
            const sim_trace_warp *s = &m->trace->blocks[k].warps[w];
            uint32_t event = 0;
            for (uint32_t r = 0; r < s->at.run_count; r++)
                for (uint32_t pc = s->runs[r].first;
                     pc < s->runs[r].first + s->runs[r].count && pc < m->code->op_count; pc++) {
                    const time_op *o = &m->code->ops[pc];
                    if (!(o->flags & TIME_EVENT) || event >= s->at.event_count ||
                        s->events[event].pc_low != (pc & 0xffff))
                        continue;
                    const sim_trace_event *e = &s->events[event++];
                    if (!o->load || (e->space != PTX_SPACE_GLOBAL && e->space != PTX_SPACE_LOCAL))
                        continue;
                    pool *l = &m->pools[k * loads + o->load - 1];
                    l->sectors += e->sectors;
                    l->sent += e->l2_sectors;
                    l->misses += e->misses;
                    l->entries += e->l2_sectors ? e->stream_n : 0;
                    l->events += e->l2_sectors > 0;
                }
        }
}

/* How much of constant memory the sampled warps read, by the lines of their first lanes, and what a
 * load of one word for the warp then takes. */
static void look_at_constants(machine *m) {
    uint8_t seen[CONST_LINES] = {0};
    unsigned lines = 0;
    for (unsigned k = 0; k < m->trace->block_count; k++)
        for (unsigned w = 0; w < m->trace->blocks[k].warp_count; w++) {
            const sim_trace_warp *s = &m->trace->blocks[k].warps[w];
            for (uint32_t i = 0; i < s->at.event_count; i++) {
                const sim_trace_event *e = &s->events[i];
                if (e->space != PTX_SPACE_CONST || seen[e->stream_at % CONST_LINES]) continue;
                seen[e->stream_at % CONST_LINES] = 1;
                lines++;
            }
        }
    m->const_kb = lines * CONST_LINE / 1024.0;
    m->const_uniform = 1 / m->p->rate_uniform_const;
    if (!m->p->l2_bytes || m->const_kb <= 0.25 || m->slots < CONST_APART_BLOCKS ||
        m->warp_count < CONST_APART_WARPS)
        return;
    double more = CONST_APART * log2(m->const_kb * 4);
    m->const_uniform += more * (m->share->blocks > m->slots ? CONST_APART_MORE : 1);
}

static int later(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool time_replay(const time_code *code, const sim_trace *t, const time_share *share,
                 time_places *places, time_usage *out) {
    const sim_profile *p = code->profile;
    *out = (time_usage){.truncated = 1};
    unsigned warps = 0;
    for (unsigned k = 0; k < t->block_count; k++)
        if (t->blocks[k].warp_count > warps) warps = t->blocks[k].warp_count;
    unsigned slots = share->resident < share->blocks ? share->resident : share->blocks;
    if (!warps || !slots) return false;
    machine m = {.code = code,
                 .p = p,
                 .trace = t,
                 .share = share,
                 .slots = slots,
                 .warps_per_block = warps,
                 .warp_count = slots * warps,
                 .u = out,
                 .places = places};
    m.warps = calloc(m.warp_count, sizeof *m.warps);
    m.blocks = calloc(slots, sizeof *m.blocks);
    m.heap = calloc(m.warp_count + 1, sizeof *m.heap);
    m.heap_t = calloc(m.warp_count + 1, sizeof *m.heap_t);
    m.ends = calloc(share->blocks + 1, sizeof *m.ends);
    double *ready = calloc((size_t)m.warp_count * (code->reg_max + 1), sizeof *ready);
    time_owner *owner = calloc((size_t)m.warp_count * (code->reg_max + 1), sizeof *owner);
    uint32_t *slot = calloc((size_t)m.warp_count * (code->events_max + 1), sizeof *slot);
    size_t loads = code->load_count;
    if (p->l2_bytes && loads && loads * (t->block_count + slots) < (size_t)1 << 18) {
        m.pools = calloc(loads * t->block_count, sizeof *m.pools);
        m.owed = calloc(loads * slots, sizeof *m.owed);
        if (!m.owed) free(m.pools), m.pools = NULL;
    }
    bool ok = m.warps && m.blocks && m.heap && m.heap_t && m.ends && ready && owner && slot;
    if (ok) {
        for (unsigned k = 0; k < m.warp_count; k++) {
            m.warps[k].ready = ready + (size_t)k * (code->reg_max + 1);
            m.warps[k].owner = owner + (size_t)k * (code->reg_max + 1);
            m.warps[k].slot = slot + (size_t)k * (code->events_max + 1);
            m.warps[k].scheduler = (uint16_t)(k % (p->schedulers < 8 ? p->schedulers : 8));
        }
        if (m.pools) fill_pools(&m);
        look_at_constants(&m);
        for (unsigned k = 0; k < slots; k++) m.blocks[k].first_warp = k * warps;
        for (unsigned k = 0; k < slots; k++) start_block(&m, k, 0);
        do {
            while (m.heap_count) run_warp(&m, heap_pop(&m));
        } while (release_stuck(&m));
        qsort(m.ends, m.finished, sizeof *m.ends, later);
        summarise(&m);
        double steps = 0, recorded = 0;
        for (unsigned k = 0; k < t->block_count; k++)
            for (unsigned w = 0; w < t->blocks[k].warp_count; w++) {
                const sim_trace_warp *s = &t->blocks[k].warps[w];
                steps += (double)s->at.steps;
                for (uint32_t q = 0; q < s->at.run_count; q++) recorded += s->runs[q].count;
            }
        if (recorded > 0) out->truncated = steps / recorded;
    }
    free(m.pools), free(m.owed);
    free(m.warps), free(m.blocks), free(m.heap), free(m.heap_t), free(m.ends), free(ready),
        free(owner), free(slot);
    return ok;
}
