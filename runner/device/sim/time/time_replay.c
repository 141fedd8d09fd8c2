/* Runs the sampled blocks' streams again on one multiprocessor, cycle by cycle where something
 * happens.
 *
 *   block slots --filled by the dispatcher--> warps, each at a place in its stream of regions
 *   the oldest of a scheduler's warps that can go on --registers ready, pipe free, issue
 *   slot--> next loads and stores --LSU--> L1 --> L2 --> DRAM, each a server that is busy for a
 *                                           while and answers after its latency
 *
 * Servers and times: replay.h. */
#include "runner/device/sim/time/replay.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longest wait, in cycles, at the pipe for an instruction that goes directly to it. */
#define PIPE_SLACK 8.0
/* An instruction queue in front of a pipe holds this many cycles. */
#define PIPE_QUEUE 16.0
/* Fences of an H200 (spaces.cu, 512 in a row): cycles until a lone warp goes on, and cycles of the
 * multiprocessor for each warp. Those for the device take a way to L2 and back; those for the
 * system (micro.cu) go further. On other devices they scale with lat_l2. */
static const struct {
    double latency, each;
} fence_cost[] = {{7.5, 3.7}, {259, 10.4}, {1000, 10.4}};
#define FENCE_LAT_L2 288.0
#define NEVER        1e300
/* The cluster's barrier is replayed like one of the block, after its sixteen. The other blocks are
 * assumed to arrive at the same time as this one, and the message takes the way from one
 * multiprocessor to another. */
enum { CLUSTER_BAR = 16 };
/* The most instructions of rounds in which warps wait that a replay executes. What comes later
 * waits without taking issue slots. */
enum { SPINS = 1 << 21 };
/* Blocks that a multiprocessor may receive in a row. */
#define BURST 4.0

/* ---- the warps that can go on ---- */

static void heap_push(replay_heap *q, replay_next x) {
    replay_next *h = q->of;
    unsigned k = q->count++;
    for (unsigned up; k && h[up = (k - 1) / 2].order > x.order; k = up) h[k] = h[up];
    h[k] = x;
}

static uint32_t heap_pop(replay_heap *q) {
    replay_next *h = q->of, top = h[0];
    unsigned n = --q->count, k = 0;
    replay_next x = h[n];
    h[n].order = UINT64_MAX; /* the end has a sentinel, later than all */
    /* The gap first goes all the way down, which the host's branch prediction handles well, and
     * then up to the last element's place, which is seldom far: all elements after it are at least
     * as late. */
    for (unsigned c; (c = 2 * k + 1) < n; k = c) {
        c += h[c + 1].order < h[c].order;
        h[k] = h[c];
    }
    for (unsigned up; k && h[up = (k - 1) / 2].order >= x.order; k = up) h[k] = h[up];
    h[k] = x;
    return top.warp;
}

/* The warp can go on at t. */
static void wake(replay_machine *m, uint32_t warp, double t) {
    heap_push(&m->queue[m->warps[warp].scheduler].later, (replay_next){.t = t, .warp = warp});
}

/* Returns when the pipe takes an instruction. */
static inline double pipe_free(const replay_machine *m, unsigned s, unsigned pipe) {
    const double *p = m->pipe[s];
    if (pipe == TIME_PIPE_LSU) return m->queued[s][m->queue_next[s]];
    if (pipe != TIME_PIPE_EITHER) return p[pipe] - PIPE_SLACK;
    return (p[TIME_PIPE_ALU] <= p[TIME_PIPE_IMUL] ? p[TIME_PIPE_ALU] : p[TIME_PIPE_IMUL]) -
           PIPE_SLACK;
}

/* Returns when the scheduler has something to do; NEVER: none of its warps can go on. */
static double due(const replay_machine *m, unsigned s) {
    const replay_scheduler *q = &m->queue[s];
    double t = replay_larger(m->scheduler[s], q->at), best = NEVER;
    if (q->ready.count) return t;
    if (q->later.count) best = q->later.of[0].t;
    for (unsigned k = 0; k < TIME_PIPE_COUNT; k++) {
        double free_at = q->pipe[k].count ? pipe_free(m, s, k) : NEVER;
        if (free_at < best) best = free_at;
    }
    return replay_larger(t, best);
}

/* Orders warps: those of older blocks first; within a block, by the time at which they could go on.
 * The warp that issued last comes before all of them if it can go on at once; this is known only
 * for machine instructions. */
static replay_next by_age(const replay_machine *m, uint32_t warp) {
    enum { PARTS = 8, BITS = 40 }; /* fractions of a cycle; bits of a time */
    const replay_warp *w = &m->warps[warp];
    uint64_t since = (uint64_t)(w->t * PARTS) & (((uint64_t)1 << BITS) - 1);
    if (m->issued[w->scheduler] == warp + 1 && w->t <= m->scheduler[w->scheduler])
        return (replay_next){.order = 0, .warp = warp};
    return (replay_next){.order = (uint64_t)w->number << BITS | since, .warp = warp};
}

/* Finds the next warp that goes on, and its time: the oldest of the first scheduler. Returns false
 * if there is none. */
static bool next_warp(replay_machine *m, uint32_t *warp, double *at) {
    unsigned best = 0;
    double first = NEVER;
    m->others = NEVER;
    for (unsigned k = 0; k < m->schedulers; k++) {
        unsigned s = (m->turn + k) % m->schedulers;
        double t = due(m, s);
        if (t < first) m->others = first, first = t, best = s;
        else if (t < m->others) m->others = t;
    }
    if (first >= NEVER) return false;
    replay_scheduler *q = &m->queue[best];
    while (q->later.count && q->later.of[0].t <= first)
        heap_push(&q->ready, by_age(m, heap_pop(&q->later)));
    replay_heap *from = q->ready.count ? &q->ready : NULL;
    for (unsigned k = 0; k < TIME_PIPE_COUNT; k++)
        if (q->pipe[k].count && pipe_free(m, best, k) <= first &&
            (!from || q->pipe[k].of[0].order < from->of[0].order))
            from = &q->pipe[k];
    if (!from) return false; /* impossible: something was due */
    *warp = heap_pop(from);
    *at = q->at = first;
    if (from != &q->ready) {
        replay_warp *w = &m->warps[*warp];
        stall_held(m->u, m->places, &w->wait, w->t);
        stall_until(m->u, m->places, &w->wait, first, w->waits_as, w->waits_at, TIME_NOBODY);
    }
    q->waiting -= from != &q->ready;
    return true;
}

/* An instruction goes to its pipe when the pipe is free, except those that a queue takes. A
 * sequence is many instructions, and others may issue between them. */
#define SEQUENCE 4
static inline bool is_direct(const time_op *o) {
    return o->kind == TIME_PLAIN && o->busy > 0 && o->slots <= SEQUENCE &&
           o->pipe != TIME_PIPE_NONE && o->pipe != TIME_PIPE_XU && o->pipe != TIME_PIPE_TENSOR;
}

/* Returns the pipe or unit for which the operation waits together with its warp, so that the oldest
 * waiting warp gets it; NONE: a queue takes it. */
static inline unsigned waits_for(const time_op *o, const sim_trace_event *e) {
    bool shuffles = o->kind == TIME_SHUFFLE,
         accesses = o->kind == TIME_LOAD || o->kind == TIME_STORE || o->kind == TIME_ATOM;
    if (shuffles || (accesses && e && e->space == PTX_SPACE_SHARED)) return TIME_PIPE_LSU;
    return is_direct(o) ? o->pipe : TIME_PIPE_NONE;
}

/* Returns whether no other warp needs attention before t. */
static inline bool goes_first(const replay_machine *m, unsigned scheduler, double t) {
    const replay_scheduler *q = &m->queue[scheduler];
    return t <= m->others && !q->ready.count && !q->waiting &&
           (!q->later.count || t < q->later.of[0].t);
}

/* ---- streams ---- */

/* Pairs the events of the text [pc, end) with the recorded ones. */
static void pair_events(const time_code *c, replay_warp *w, uint32_t pc, uint32_t end) {
    const sim_trace_warp *s = w->stream;
    for (; pc < end; pc++) {
        const time_op *o = &c->ops[pc];
        if (!(o->flags & TIME_EVENT) || o->event == UINT16_MAX) continue;
        bool match = w->event < s->at.event_count && s->events[w->event].pc_low == (pc & 0xffff);
        w->slot[o->event] = match ? ++w->event : 0;
    }
}

/* Warps wait at a region's instructions for earlier instructions that they have executed. */
static inline void note_region(time_places *p, const time_region *r) {
    if (r->first < p->first) p->first = r->first;
    if (r->first + r->count > p->end) p->end = r->first + r->count;
}

/* Sets the warp to the region at its place. Returns NULL at the end of the stream. */
static const time_region *enter_region(replay_machine *m, replay_warp *w) {
    const time_code *c = m->code;
    const sim_trace_warp *s = w->stream;
    while (w->run < s->at.run_count && w->at >= s->runs[w->run].count) w->run++, w->at = 0;
    if (w->run >= s->at.run_count) return NULL;
    uint32_t pc = s->runs[w->run].first + w->at, left = s->runs[w->run].count - w->at;
    if (pc >= c->op_count) return NULL;
    const time_region *r = &c->regions[c->region_of[pc]];
    if (m->places) note_region(m->places, r);
    w->entered = true;
    w->step = 0;
    uint32_t end = r->first + r->count < pc + left ? r->first + r->count : pc + left;
    pair_events(c, w, pc, end);
    w->at += end - pc;
    w->text = pc;
    w->count = end - pc;
    return r;
}

static const sim_trace_event *event_of(const replay_warp *w, const time_op *o) {
    if (!(o->flags & TIME_EVENT) || o->event == UINT16_MAX) return NULL;
    uint32_t k = w->slot[o->event];
    return k ? &w->stream->events[k - 1] : NULL;
}

/* ---- blocks ---- */

/* First the blocks of the first wave, then those of the middle, over and over. */
static const sim_trace_block *source_of(const replay_machine *m, unsigned n) {
    const sim_trace *t = m->trace;
    unsigned middle = t->block_count - t->first_count;
    if (n < t->first_count) return &t->blocks[n];
    if (!middle) return &t->blocks[n % t->first_count];
    return &t->blocks[t->first_count + (n - t->first_count) % middle];
}

static uint32_t first_pc(const sim_trace_warp *stream) {
    return stream->at.run_count ? stream->runs[0].first : TIME_NOBODY;
}

static void start_block(replay_machine *m, unsigned slot, double at) {
    replay_block *b = &m->blocks[slot];
    unsigned n = m->started++;
    double t = at > m->dispatcher ? at : m->dispatcher;
    /* The dispatcher serves all multiprocessors. One that could not take its block a while ago may
     * get it at once now. */
    double late = at - BURST * m->share->dispatch_cycles;
    m->dispatcher = (m->dispatcher > late ? m->dispatcher : late) + m->share->dispatch_cycles;
    m->u->dispatch += m->share->dispatch_cycles;
    b->source = source_of(m, n);
    b->live =
        b->source->warp_count < m->warps_per_block ? b->source->warp_count : m->warps_per_block;
    b->ended = b->begun = t;
    memset(b->words, 0, (m->words + 1) * sizeof *b->words);
    b->span = m->places && m->places->span_count < TIME_SPANS
                  ? &m->places->spans[m->places->span_count++]
                  : NULL;
    double us = 1 / (m->p->clock_ghz * 1e3);
    if (b->span) *b->span = (sim_block_span){.start_us = (float)(t * us), .slot = slot};
    memset(b->arrived, 0, sizeof b->arrived);
    memset(b->landed, 0, sizeof b->landed);
    memset(b->swapped, 0, sizeof b->swapped);
    memset(b->waiting, 0, sizeof b->waiting);
    unsigned live = b->live;
    for (unsigned k = 0; k < live; k++) {
        replay_warp *w = &m->warps[b->first_warp + k];
        double *ready = w->ready;
        uint32_t *slots = w->slot;
        time_owner *owner = w->owner;
        uint16_t scheduler = w->scheduler;
        *w = (replay_warp){.stream = &b->source->warps[k],
                           .ready = ready,
                           .slot = slots,
                           .block = (uint16_t)slot,
                           .scheduler = scheduler,
                           .number = n};
        w->owner = owner;
        w->alive = true;
        w->start = t + k * m->p->warp_launch_cycles;
        w->t = w->start + m->p->warp_start_cycles;
        w->wait = (time_wait){
            .seen = w->start, .pc = first_pc(w->stream), .hold = SIM_STALL_SHORT_SCOREBOARD};
        wake(m, b->first_warp + k, w->t);
    }
}

static void replay_release(replay_machine *m, replay_block *b, unsigned bar, unsigned expected);

static void warp_ends(replay_machine *m, replay_warp *w, double t) {
    replay_block *b = &m->blocks[w->block];
    stall_held(m->u, m->places, &w->wait, t);
    w->alive = false;
    m->u->warp_cycles += t - w->start;
    double stored = replay_larger(w->stored, t);
    /* A block's place is free when L2 has its stores, not at the acknowledgement. This is part of
     * what the next block waits for, so it does not count where blocks start at no cost
     * (time_whatif.c). */
    if (m->p->block_launch_cycles > 0)
        t = replay_larger(t, stored - m->p->store_acknowledged * m->p->lat_l2);
    if (t > b->ended) b->ended = t;
    if (stored > m->last) m->last = stored;
    b->live--;
    /* the barrier does not wait for warps that have ended */
    for (unsigned bar = 0; bar <= CLUSTER_BAR && b->live; bar++)
        if (b->waiting[bar] >= b->live) replay_release(m, b, bar, b->live);
    if (b->live) return;
    m->u->block_cycles = replay_larger(m->u->block_cycles, b->ended - b->begun);
    m->ends[m->finished++] = b->ended;
    if (b->span) b->span->end_us = (float)(b->ended / (m->p->clock_ghz * 1e3));
    if (m->started < m->share->blocks && m->replayed - m->spun < m->share->budget)
        start_block(m, w->block, b->ended + m->p->block_launch_cycles);
}

/* All that wait at a barrier go on when the last warp has arrived, or when the warps that are left
 * make it complete. */
static void replay_release(replay_machine *m, replay_block *b, unsigned bar, unsigned expected) {
    if (!b->waiting[bar] || b->waiting[bar] < expected) return;
    double t = b->arrived[bar] + m->p->barrier_base + (bar == CLUSTER_BAR ? m->p->lat_remote : 0);
    for (unsigned k = 0; k < m->warps_per_block; k++) {
        replay_warp *w = &m->warps[b->first_warp + k];
        if (w->t != NEVER || w->barrier != bar + 1) continue;
        w->barrier = 0;
        w->t = t;
        wake(m, b->first_warp + k, t);
    }
    b->waiting[bar] = 0;
    b->arrived[bar] = 0;
}

/* Returns false if the warp now waits. */
static bool barrier(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                    double at) {
    replay_block *b = &m->blocks[w->block];
    unsigned bar = e && e->space <= CLUSTER_BAR ? e->space : 0,
             expected = e && e->passes ? e->passes : b->live;
    if (expected > b->live) expected = b->live;
    double start = replay_serve(&m->barrier, &m->u->barrier, at, m->p->barrier_per_warp),
           t = start + m->p->barrier_per_warp;
    if (t > b->arrived[bar]) b->arrived[bar] = t;
    b->waiting[bar]++;
    if (o->kind == TIME_ARRIVE) {
        w->t = t;
        replay_release(m, b, bar, expected);
        return true;
    }
    w->t = NEVER;
    w->barrier = (uint8_t)(bar + 1);
    replay_release(m, b, bar, expected);
    return false;
}

double time_fence_latency(const sim_profile *p, unsigned scope) {
    return fence_cost[scope].latency * (scope ? p->lat_l2 / FENCE_LAT_L2 : 1);
}

/* When the warp goes on. For more than its block, what it stored must have arrived first: a turn
 * with a store before the fence takes so much longer on an H200 (contend.cu, work0). */
static double fence(replay_machine *m, const replay_warp *w, const time_op *o, double at) {
    unsigned scope = o->amount;
    if (scope && w->stored > at) at = w->stored;
    double busy = 0, start = replay_serve(&m->fence, &busy, at, fence_cost[scope].each);
    return start + time_fence_latency(m->p, scope);
}

/* ---- one warp ---- */

static double pipe_start(replay_machine *m, const replay_warp *w, const time_op *o, double at) {
    unsigned s = w->scheduler, pipe = o->pipe;
    if (pipe == TIME_PIPE_EITHER)
        pipe = m->pipe[s][TIME_PIPE_ALU] <= m->pipe[s][TIME_PIPE_IMUL] ? TIME_PIPE_ALU
                                                                       : TIME_PIPE_IMUL;
    if (pipe == TIME_PIPE_NONE) return at;
    return replay_serve(&m->pipe[s][pipe], &m->busy_pipe[s][pipe], at, o->busy);
}

/* Returns the instruction whose result makes the operation wait longest. */
static time_owner owner_of(const replay_warp *w, const time_op *o, double until) {
    for (unsigned k = 0; o->waits >> k; k++)
        if (o->waits >> k & 1 && w->ready[k] >= until) return w->owner[k];
    return (time_owner){TIME_NOBODY, SIM_STALL_WAIT};
}

/* Adds up what a scheduler waited for before `w`, the next warp that went on. */
static void idle_before(replay_machine *m, const replay_warp *w, double from, double cycles) {
    unsigned step = m->schedulers;
    for (unsigned k = w->scheduler; k < m->warp_count; k += step) {
        const replay_warp *x = &m->warps[k];
        if (x == w || !x->alive || x->start > from) continue;
        unsigned last = x->wait.pieces;
        m->u->idle[last ? x->wait.why[last - 1] : x->wait.hold] += cycles;
        return;
    }
    m->u->empty += cycles;
}

/* The warp issues n instructions at `at`; its scheduler is busy with them from `from`. */
static void issue(replay_machine *m, replay_warp *w, uint32_t pc, double at, double n,
                  double from) {
    double *free_at = &m->scheduler[w->scheduler], before = *free_at;
    stall_held(m->u, m->places, &w->wait, w->t);
    double rest = stall_issue(m->u, m->places, &w->wait, pc, at, n, before, from);
    if (m->places && pc < m->places->count) m->places->issued[pc]++;
    if (rest > 0) idle_before(m, w, before, rest);
    *free_at = from + n;
    m->busy_issue[w->scheduler] += n;
}

/* A predicated load or store that is off for the whole warp: the unit takes one cycle for it. */
static inline void lanes_off(replay_machine *m, replay_warp *w, const time_op *o, double at) {
    if (!time_uses_lsu(o)) return;
    double start = replay_serve(&m->lsu, &m->u->shared, at, 1 / m->p->rate_ldst);
    if (start - PIPE_QUEUE <= w->t) return;
    w->wait.hold = SIM_STALL_MIO_THROTTLE;
    w->t = start - PIPE_QUEUE;
}

/* A branch, its target, and its cost beyond the slot. e: lanes go both ways, one of which is
 * taken. */
static inline void branch(const replay_machine *m, replay_warp *w, const sim_trace_event *e,
                          uint32_t pc, double at) {
    w->wait.hold = SIM_STALL_BRANCH_RESOLVING, w->wait.pc = pc;
    bool jumps = w->run < w->stream->at.run_count && w->at >= w->stream->runs[w->run].count;
    /* its stall count is for the fall-through; the branch may take longer */
    if (jumps || e) w->t = replay_larger(w->t, at + m->p->branch_cycles);
}

/* Waits for all except the last `amount` groups of copies. */
static inline void wait_for_copies(replay_warp *w, const time_op *o, uint32_t pc) {
    double until = w->copies;
    if (o->amount && o->amount < GROUPS)
        until =
            w->group_count > o->amount ? w->group[(w->group_count - o->amount - 1) % GROUPS] : 0;
    w->wait.hold = SIM_STALL_LONG_SCOREBOARD, w->wait.pc = pc;
    if (until > w->t) w->t = until;
}

/* The phases of the event's mbarriers do not end before t. */
static inline void lands(replay_block *b, const sim_trace_event *e, double t) {
    for (unsigned k = 0; k < REPLAY_MBARRIERS; k++)
        if (e->distinct >> k & 1) b->landed[k] = replay_larger(b->landed[k], t);
}

/* Returns when everything has arrived for which the event's mbarriers wait. */
static inline double landed(const replay_block *b, const sim_trace_event *e) {
    double t = 0;
    for (unsigned k = 0; k < REPLAY_MBARRIERS; k++)
        if (e->distinct >> k & 1) t = replay_larger(t, b->landed[k]);
    return t;
}

/* The warp cannot issue until the scoreboards for which `o` waits are clear. Returns false if
 * another warp goes first. *ready_at: that time, 0 if nothing is waited for. */
static inline bool operands_ready(replay_machine *m, replay_warp *w, uint32_t index,
                                  const time_op *o, double now, double *ready_at) {
    double until = 0;
    for (unsigned k = 0; o->waits >> k; k++)
        if (o->waits >> k & 1 && w->ready[k] > until) until = w->ready[k];
    *ready_at = until;
    if (until <= w->t || (o->slots <= 0 && !o->waits)) return true;
    stall_held(m->u, m->places, &w->wait, w->t);
    time_owner by = owner_of(w, o, until);
    stall_until(m->u, m->places, &w->wait, until, by.why, o->pc, by.pc);
    if (until <= now) return true;
    w->t = until;
    if (goes_first(m, w->scheduler, until)) return true;
    wake(m, index, until);
    return false;
}

/* A swap of a word of shared memory whose value was read before another thread's swap: the loop
 * around both continues. */
static inline void swap(replay_machine *m, replay_warp *w, const sim_trace_event *e, double at) {
    double *last = &m->blocks[w->block].swapped[e->stream_at / 4 % REPLAY_WORDS];
    w->again = *last > w->read;
    if (!w->again) *last = at;
}

/* ---- words by which warps wait for one another (meets.h) ---- */

/* Returns whether the access waits for writes that have not been replayed. */
static inline bool comes_early(const replay_machine *m, const replay_warp *w,
                               const sim_trace_event *e) {
    if (!e->turn || w->excused) return false;
    const replay_word *x = &m->blocks[w->block].words[e->word & ~SIM_WORD_WRITES];
    return (int16_t)(uint16_t)(x->writes - e->turn) < 0;
}

/* The access that the warp has begun at `at` would read too old a value. A loop of one region goes
 * round again, and takes its issue slots. Others, and waits that last long, only wait. Returns
 * false if the warp waits. */
static bool goes_round(const replay_machine *m, replay_warp *w, const time_op *o,
                       const sim_trace_event *e) {
    const time_region *r = &m->code->regions[m->code->region_of[w->text]];
    if (o->kind != TIME_LANDED && r->loop && r->first == w->text && r->count == w->count &&
        m->spun < SPINS)
        return true;
    w->awaits = e->word & (uint16_t)~SIM_WORD_WRITES;
    w->wait.hold = o->kind == TIME_LANDED ? SIM_STALL_LONG_SCOREBOARD : stall_of_result(o, e);
    w->wait.pc = o->pc;
    return false;
}

/* The access writes its word at t: those who waited for that go on. */
static void writes_word(replay_machine *m, const replay_warp *w, const sim_trace_event *e,
                        double t) {
    replay_block *b = &m->blocks[w->block];
    uint16_t word = e->word & (uint16_t)~SIM_WORD_WRITES;
    b->words[word].writes++;
    b->words[word].last = replay_larger(b->words[word].last, t);
    for (unsigned k = 0; k < m->warps_per_block; k++) {
        replay_warp *x = &m->warps[b->first_warp + k];
        if (!x->alive || x->awaits != word) continue;
        x->awaits = 0;
        x->t = replay_larger(x->t, t);
        wake(m, b->first_warp + k, x->t);
    }
}

/* The effect of an operation, issued at `at`, on the warp and the servers: when it starts, when its
 * result arrives, and which instruction makes it. False: the warp now waits at a barrier. */
typedef struct {
    double start, result;
    time_owner owner;
} replay_outcome;
static inline bool execute(replay_machine *m, replay_warp *w, const time_op *o,
                           const sim_trace_event *e, double at, double ready_at,
                           replay_outcome *out) {
    uint32_t pc = o->pc;
    switch ((time_kind)o->kind) {
    case TIME_PLAIN:
        if (o->pipe == TIME_PIPE_NONE) {
            out->result = (ready_at > at ? ready_at : at) + o->latency;
            if (ready_at > at) out->owner = owner_of(w, o, ready_at);
        } else out->result = (out->start = pipe_start(m, w, o, at)) + o->latency;
        break;
    case TIME_LOAD:
    case TIME_STORE:
    case TIME_ATOM:
    case TIME_TEX:
    case TIME_COPY:
        if (e && e->lanes) out->start = replay_access(m, w, o, e, at, &out->result);
        else lanes_off(m, w, o, at);
        if (e && e->space == PTX_SPACE_SHARED && o->kind == TIME_LOAD) w->read = out->start;
        if (e && o->spins && e->lanes) swap(m, w, e, out->start);
        if (e && o->role && !w->again) replay_turn(m, w, o, e, at);
        if (e && o->kind == TIME_COPY) lands(&m->blocks[w->block], e, out->result);
        break;
    case TIME_CONST: out->start = replay_constant(m, o, e, at, &out->result); break;
    case TIME_SHUFFLE: {
        double busy = e ? e->passes * m->p->match_cycles : o->busy,
               latency = e ? m->p->lat_match + e->passes * m->p->match_each - busy : o->latency;
        out->start = replay_serve(&m->lsu, &m->u->shared, at, busy);
        out->result = out->start + busy - 1 + latency;
        break;
    }
    case TIME_BARRIER:
    case TIME_ARRIVE:
        w->wait.hold = SIM_STALL_BARRIER, w->wait.pc = pc;
        return barrier(m, w, o, e, at);
    case TIME_FENCE:
        w->wait.hold = SIM_STALL_MEMBAR, w->wait.pc = pc;
        w->t = replay_larger(w->t, fence(m, w, o, at));
        break;
    case TIME_BRANCH: branch(m, w, e, pc, at); break;
    case TIME_SLEEP:
        w->wait.hold = SIM_STALL_SLEEPING, w->wait.pc = pc;
        if (e) w->t = replay_larger(w->t, at + e->stream_at * m->p->clock_ghz);
        break;
    case TIME_COMMIT:
        w->group[w->group_count % GROUPS] = w->copies;
        w->group_count++;
        out->result = replay_larger(out->result, w->copies);
        break;
    case TIME_WAIT: wait_for_copies(w, o, pc); break;
    case TIME_LANDED:
        w->wait.hold = SIM_STALL_LONG_SCOREBOARD, w->wait.pc = pc;
        if (e) w->t = replay_larger(w->t, landed(&m->blocks[w->block], e));
        break;
    case TIME_MEETS: break;
    case TIME_TELLS:
        if (e) lands(&m->blocks[w->block], e, w->copies);
        break;
    case TIME_EXIT: break;
    }
    return true;
}

/* After a machine instruction, the warp's next one comes after the stall count. Two scoreboards are
 * set, one until the result arrives and one until the operands are read. Several instructions may
 * set the same one. */
static inline void set_scoreboards(const replay_machine *m, replay_warp *w, const time_op *o,
                                   const replay_outcome *out) {
    if (o->sets >= 0 && out->result > w->ready[o->sets])
        w->ready[o->sets] = out->result, w->owner[o->sets] = out->owner;
    double read = out->start + m->p->lat_operands;
    if (o->frees >= 0 && read > w->ready[o->frees])
        w->ready[o->frees] = read, w->owner[o->frees] = out->owner;
}

/* Returns when a machine instruction that could issue at `at` may read its registers, because those
 * of earlier instructions have been read. Its own reads begin then; while it occupies the dispatch
 * port, nothing else is read. */
static inline double registers_read(replay_machine *m, uint32_t index, const time_op *o,
                                    double held, double at) {
    double each = m->p->register_reads, *bank = m->bank[m->warps[index].scheduler];
    uint32_t *issued = &m->issued[m->warps[index].scheduler];
    bool again = *issued == index + 1;
    *issued = index + 1;
    if (each <= 0) return at;
    at = replay_larger(at, replay_larger(bank[0], bank[1]) - m->p->register_ahead);
    for (unsigned k = 0; k < 2; k++)
        bank[k] =
            replay_larger(bank[k], at) + (o->reads[k] - (again ? o->kept[k] : 0)) / each + held;
    return at;
}

/* Returns whether the warp's next instruction is not behind the one at pc in the text: the branch
 * there goes back. */
static inline bool goes_back(const replay_warp *w, uint32_t pc) {
    const sim_trace_warp *s = w->stream;
    return w->run + 1 < s->at.run_count && w->at >= s->runs[w->run].count &&
           s->runs[w->run + 1].first <= pc;
}

/* Returns for how long the operation occupies the dispatch port beyond its slot. Meanwhile, results
 * of shared memory and shuffles are written into registers, one register of a lane in each pass. */
static inline double port_held(const replay_machine *m, const replay_warp *w, const time_op *o,
                               const sim_trace_event *e) {
    if (o->kind == TIME_BRANCH) return goes_back(w, o->pc) ? m->p->branch_held_cycles : 0;
    if (o->kind == TIME_SHUFFLE) return m->p->lds_held_cycles;
    if (o->kind != TIME_LOAD || !e || e->space != PTX_SPACE_SHARED) return o->held;
    double beyond = e->bytes_lane / 4.0 - replay_larger(e->passes, 1);
    return m->p->lds_held_cycles + (beyond > 0 ? beyond * m->p->lds_held_register : 0);
}

/* Returns for how long nothing is read from registers while the operation occupies the dispatch
 * port for `held` cycles. Doubles and branches leave the registers to others. */
static inline double banks_held(const replay_machine *m, const time_op *o, double held) {
    if (o->wide) return m->p->wide_read_cycles;
    return o->pipe == TIME_PIPE_FP64 || o->kind == TIME_BRANCH ? 0 : held;
}

/* An access that starts at `start` takes the next place of its scheduler's queue. */
static inline void enqueue(replay_machine *m, unsigned scheduler, double start) {
    unsigned *next = &m->queue_next[scheduler];
    m->queued[scheduler][*next] = start + m->p->memory_queue_cycles;
    *next = (*next + 1) % m->queue_places;
}

/* Runs the warp from `now` on until another one goes first, it waits, or it ends. */
static void run_warp(replay_machine *m, uint32_t index, double now) {
    replay_warp *w = &m->warps[index];
    const time_code *c = m->code;
    for (;;) {
        if (w->again && w->step >= w->count) {
            w->again = false;
            w->step = 0;
        } else if (!w->entered || w->step >= w->count) {
            const time_region *r = enter_region(m, w);
            if (!r) {
                warp_ends(m, w, w->t);
                return;
            }
        }
        const time_op *o = &c->ops[w->text + w->step];
        double ready_at;
        if (!operands_ready(m, w, index, o, now, &ready_at)) return;
        double at = ready_at > w->t && o->slots > 0 ? ready_at : w->t;
        const sim_trace_event *e = event_of(w, o);
        bool early = e && e->turn && comes_early(m, w, e);
        if (early && !goes_round(m, w, o, e)) return;
        unsigned pipe = o->slots > 0 ? waits_for(o, e) : TIME_PIPE_NONE;
        if (pipe != TIME_PIPE_NONE) {
            double from = replay_larger(replay_larger(m->scheduler[w->scheduler], now), at);
            if (pipe_free(m, w->scheduler, pipe) > from) {
                replay_scheduler *q = &m->queue[w->scheduler];
                w->waits_at = o->pc, w->waits_as = stall_of_queue(o, e);
                q->waiting++;
                heap_push(&q->pipe[pipe], by_age(m, index));
                return;
            }
            if (pipe == TIME_PIPE_LSU) m->turn = (w->scheduler + 1u) % m->schedulers;
        }
        w->step++;
        m->replayed++;
        if (early) w->again = true, m->spun += w->count;
        if (o->slots > 0) {
            at = replay_larger(replay_larger(m->scheduler[w->scheduler], now), at);
            double held = port_held(m, w, o, e), slots = o->slots + held;
            at = registers_read(m, index, o, banks_held(m, o, held), at);
            issue(m, w, o->pc, at, slots, at);
            w->t = at + slots;
            double stall = o->stall + (o->wide ? held : 0);
            if (stall > slots) {
                w->t = at + stall;
                w->wait.hold = SIM_STALL_WAIT, w->wait.pc = o->pc;
            }
        }
        replay_outcome out = {at, at + o->latency, {o->pc, stall_of_result(o, e)}};
        if (!execute(m, w, o, e, at, ready_at, &out)) return;
        if (e && e->word & SIM_WORD_WRITES && !early) writes_word(m, w, e, out.start);
        if (pipe == TIME_PIPE_LSU) enqueue(m, w->scheduler, out.start);
        set_scoreboards(m, w, o, &out);
        if (o->kind == TIME_BARRIER || o->kind == TIME_ARRIVE) continue;
        if (out.start - PIPE_QUEUE > w->t) {
            w->wait.hold = stall_of_queue(o, e), w->wait.pc = o->pc;
            w->t = out.start - PIPE_QUEUE;
        }
        if (!goes_first(m, w->scheduler, w->t)) {
            wake(m, index, w->t);
            return;
        }
    }
}

/* Streams that were cut off may leave warps at a barrier that the others never reach. Releases
 * them, and returns true if there were any. */
static bool release_stuck(replay_machine *m) {
    for (unsigned k = 0; k < m->slots; k++)
        for (unsigned bar = 0; bar <= CLUSTER_BAR; bar++)
            if (m->blocks[k].waiting[bar]) replay_release(m, &m->blocks[k], bar, 1);
    for (unsigned k = 0; k < m->warp_count; k++) {
        if (!m->warps[k].alive || !m->warps[k].awaits) continue;
        m->warps[k].awaits = 0;
        m->warps[k].excused = true;
        wake(m, k, m->warps[k].t);
    }
    uint32_t any = 0;
    for (unsigned s = 0; s < m->schedulers; s++) any += m->queue[s].later.count;
    return any > 0;
}

/* ---- the whole replay ---- */

static void summarise(replay_machine *m) {
    time_usage *u = m->u;
    u->cycles = m->last;
    u->blocks = m->finished;
    for (unsigned s = 0; s < m->schedulers; s++) {
        u->slots += m->busy_issue[s];
        if (m->last > m->scheduler[s]) u->empty += m->last - m->scheduler[s];
        if (m->busy_issue[s] > u->issue) u->issue = m->busy_issue[s];
        for (unsigned k = 0; k < TIME_PIPE_COUNT; k++)
            if (m->busy_pipe[s][k] > u->pipe[k]) u->pipe[k] = m->busy_pipe[s][k];
    }
    /* The rate once slots are refilled: between the end times of the first and of the last quarter,
     * so that neither start nor end is included. */
    unsigned n = m->finished, resident = m->slots;
    if (n > 2 * resident) {
        unsigned from = resident, to = n - resident; /* only whole rounds */
        if (to > from + resident / 2)
            u->steady_cycles = (m->ends[to - 1] - m->ends[from - 1]) / (to - from);
    }
    if (u->steady_cycles <= 0 && n > resident)
        u->steady_cycles = (m->ends[n - 1] - m->ends[resident - 1]) / (n - resident);
}

static int later(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void machine_free(replay_machine *m) {
    if (m->warps) free(m->warps[0].ready), free(m->warps[0].owner), free(m->warps[0].slot);
    if (m->blocks) free(m->blocks[0].words);
    free(m->warps), free(m->blocks), free(m->queue[0].later.of), free(m->ends);
    free(m->lines), free(m->asked);
}

/* Makes room for slots * warps_per_block warps and what they share. Returns false if memory is
 * out. */
static bool machine_room(replay_machine *m) {
    const time_code *c = m->code;
    m->warps = calloc(m->warp_count, sizeof *m->warps);
    m->blocks = calloc(m->slots, sizeof *m->blocks);
    replay_next *heaps =
        calloc((2 + TIME_PIPE_COUNT) * (size_t)m->schedulers * (m->warp_count + 2), sizeof *heaps);
    for (unsigned s = 0; heaps && s < m->schedulers; s++) {
        replay_next *own = heaps + (size_t)((2 + TIME_PIPE_COUNT) * s) * (m->warp_count + 2);
        m->queue[s].later.of = own;
        m->queue[s].ready.of = own + m->warp_count + 2;
        for (unsigned k = 0; k < TIME_PIPE_COUNT; k++)
            m->queue[s].pipe[k].of = own + (2 + k) * (size_t)(m->warp_count + 2);
    }
    m->ends = calloc(m->share->blocks + 1, sizeof *m->ends);
    if (!m->warps) return false;
    replay_warp *w = m->warps; /* the first warp's arrays hold those of all */
    w->ready = calloc((size_t)m->warp_count * (c->reg_max + 1), sizeof *w->ready);
    w->owner = calloc((size_t)m->warp_count * (c->reg_max + 1), sizeof *w->owner);
    w->slot = calloc((size_t)m->warp_count * (c->events_max + 1), sizeof *w->slot);
    if (m->blocks)
        m->blocks[0].words = calloc((size_t)m->slots * (m->words + 1), sizeof *m->blocks->words);
    if (!m->blocks || !heaps || !m->ends || !w->ready || !w->owner || !w->slot ||
        !m->blocks[0].words)
        return false;
    for (unsigned k = 0; k < m->warp_count; k++) {
        w[k].ready = w->ready + (size_t)k * (c->reg_max + 1);
        w[k].owner = w->owner + (size_t)k * (c->reg_max + 1);
        w[k].slot = w->slot + (size_t)k * (c->events_max + 1);
        w[k].scheduler = (uint16_t)(k % m->schedulers);
    }
    for (unsigned k = 0; k < m->slots; k++) {
        m->blocks[k].first_warp = k * m->warps_per_block;
        m->blocks[k].words = m->blocks[0].words + (size_t)k * (m->words + 1);
    }
    return true;
}

/* Returns the instructions of the sampled blocks over those that their streams hold. */
static double truncated(const sim_trace *t) {
    double steps = 0, recorded = 0;
    for (unsigned k = 0; k < t->block_count; k++)
        for (unsigned w = 0; w < t->blocks[k].warp_count; w++) {
            const sim_trace_warp *s = &t->blocks[k].warps[w];
            steps += (double)s->at.steps;
            for (uint32_t q = 0; q < s->at.run_count; q++) recorded += s->runs[q].count;
        }
    return recorded > 0 ? steps / recorded : 1;
}

bool time_replay(const time_code *code, const sim_trace *t, const time_share *share,
                 time_places *places, time_usage *out) {
    *out = (time_usage){0};
    unsigned warps = 0, words = 0;
    for (unsigned k = 0; k < t->block_count; k++) {
        if (t->blocks[k].warp_count > warps) warps = t->blocks[k].warp_count;
        if (t->blocks[k].word_count > words) words = t->blocks[k].word_count;
    }
    unsigned slots = share->resident < share->blocks ? share->resident : share->blocks;
    if (!warps || !slots) return false;
    replay_machine m = {
        .code = code,
        .p = code->profile,
        .trace = t,
        .share = share,
        .slots = slots,
        .schedulers = code->profile->schedulers < REPLAY_SCHEDULERS ? code->profile->schedulers
                                                                    : REPLAY_SCHEDULERS,
        .warps_per_block = warps,
        .words = words,
        .queue_places =
            code->profile->memory_queue < REPLAY_QUEUE ? code->profile->memory_queue : REPLAY_QUEUE,
        .warp_count = slots * warps,
        .u = out,
        .places = places};
    bool ok = machine_room(&m);
    if (ok) {
        replay_memory_begin(&m);
        for (unsigned k = 0; k < slots; k++) start_block(&m, k, 0);
        do {
            uint32_t warp;
            double at;
            while (next_warp(&m, &warp, &at)) run_warp(&m, warp, at);
        } while (release_stuck(&m));
        qsort(m.ends, m.finished, sizeof *m.ends, later);
        summarise(&m);
        out->truncated = truncated(t);
    }
    machine_free(&m);
    return ok;
}
