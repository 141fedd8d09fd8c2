/* Accesses of a replayed warp to memory (replay.h). */
#include "runner/device/sim/time/replay.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines of constant memory that are tracked, and their bytes: measured on an H200 with
 * spaces.cu. */
enum { CONST_LINE = 64, CONST_LINES = 1024 };
/* A sector that is requested again in more than this part of its accesses was evicted. A smaller
 * part counts as zero. */
#define AGAIN 0.1
#define FEW   0.05
/* If less than this part of the sampled misses is counted for the launch, several blocks ask for a
 * line at the same time. A block that does so waits for the rest of the line's way: half of it, on
 * average. */
#define ALONE 0.5
/* Blocks miss what others have fetched if at least this part of the variance of misses lies between
 * blocks. */
#define APART 0.5

static double noise(uint64_t x) { /* evenly distributed in -1 .. 1, the same for the same x */
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (double)(x >> 40) / (double)(1 << 23) - 1;
}

/* Deviation of latencies from their mean, as a part of the mean, by the share of latencies below
 * it. Measured on an H100 with 4,000 words one after another: random lines in 128 MB (a mean of 674
 * cycles) and in 8 MB that L2 had (280). */
typedef struct {
    double share, off;
} spread_point;
static const spread_point dram_spread[] = {{0, -0.221},    {0.05, -0.194}, {0.1, -0.188},
                                           {0.25, -0.169}, {0.5, 0.04},    {0.75, 0.101},
                                           {0.9, 0.145},   {0.95, 0.364},  {0.99, 0.669},
                                           {1, 0.75}},
                          l2_spread[] = {{0, -0.096},   {0.05, -0.071}, {0.25, -0.042},
                                         {0.5, -0.006}, {0.75, 0.037},  {0.95, 0.094},
                                         {1, 0.116}};
static double at_share(const spread_point *p, double share) {
    while (share > p[1].share) p++;
    return p[0].off + (p[1].off - p[0].off) * (share - p[0].share) / (p[1].share - p[0].share);
}

/* Latency varies with the slice, the channel, the bank and the page. So many neighbouring bytes are
 * in one of them (docs/model-tables.md, "Threads that fight for a word") that the warps of a block
 * which read there with one instruction share a latency: a block of 256 threads waits for two
 * latencies of a word each, one of 1,024 for eight. The sequence is fixed, so results repeat. Every
 * second block reverses its neighbour's sequence, so that a few blocks take what many take on
 * average. */
static double jitter(const replay_machine *m, const replay_warp *w, const time_op *o,
                     const sim_trace_event *e, const spread_point *spread, double latency) {
    uint64_t index = (uint64_t)(w - m->warps) % m->warps_per_block,
             piece = index * e->sectors * 32 / m->p->latency_bytes,
             place = (uint64_t)(o - m->code->ops) << 40 ^ (uint64_t)w->run << 24 ^ piece << 16 ^
                     (w->number >> 1 & 0xffffu);
    double share = (1 + noise(place) * (w->number & 1 ? -1 : 1)) / 2;
    /* A warp that asks in several places waits for the last one. */
    if (o->kind == TIME_LOAD && e->sectors < 2 * e->lines) share = pow(share, 1.0 / e->lines);
    return latency * at_share(spread, share);
}

/* The data of a load are there at `at` and come back in so many passes, each of which takes `each`
 * cycles, behind those of earlier loads: of its scheduler, or of its warp alone if L2 has to send
 * something first, because other warps do not wait for that. Returns when the last pass is over. */
static double comes_back(double *back, double at, double passes, double each) {
    double start = replay_larger(at, *back);
    *back = start + passes * each;
    return start + (passes - 1) * each;
}

/* Shared memory of another block of the cluster: requests wait for each other, by sectors of 32
 * bytes; atomics by lanes if two of them have one bank. */
static double remote_access(replay_machine *m, const time_op *o, const sim_trace_event *e,
                            double at, double *result) {
    double cycles = replay_larger(e->sectors * m->p->remote_sector_cycles, 1 / m->p->rate_ldst);
    if (o->kind == TIME_ATOM) {
        cycles = (e->passes > 1 ? e->lanes : e->sectors) * m->p->remote_atom_cycles;
        m->u->sent += cycles;
    }
    double start = replay_serve(&m->lsu, &m->u->shared, at, cycles);
    *result = start + cycles + m->p->lat_remote;
    return start;
}

static double shared_access(replay_machine *m, const time_op *o, const sim_trace_event *e,
                            double at, double *result) {
    const sim_profile *p = m->p;
    double pass = p->bank_lanes * 4 / p->shared_bytes_cycle,
           cycles = (e->passes ? e->passes : 1) * pass;
    if (o->kind == TIME_ATOM) {
        cycles =
            o->flags & TIME_POP_INC
                ? p->atom_shared_cycles
                : replay_larger(e->passes * pass, p->atom_shared_least * p->atom_shared_cycles);
        if (o->flags & TIME_RESULT) cycles *= p->atom_shared_result;
        if (o->spins) cycles = p->atom_shared_least * p->atom_shared_cycles * p->atom_shared_result;
        else if (o->float_atom) cycles = p->atom_float_shared_cycles * (e->passes ? e->passes : 1);
        if (o->role == TIME_FIGHTS) cycles = replay_larger(e->passes, 1) * p->atom_shared_cycles;
    }
    if (cycles < 1 / p->rate_ldst) cycles = 1 / p->rate_ldst;
    double start = replay_serve(&m->lsu, &m->u->shared, at, cycles);
    *result = start + cycles - pass + (o->kind == TIME_ATOM ? p->lat_atom_shared : p->lat_shared);
    if (o->kind == TIME_LOAD)
        *result += (cycles / pass - 1) * (p->back_pass_cycles - 1) +
                   (e->bytes_lane > 4 ? e->bytes_lane / 4.0 - 1 : 0) * p->lds_late_register;
    if (o->role == TIME_FIGHTS)
        *result +=
            replay_larger(e->passes, 1) * (p->atom_float_shared_cycles - p->atom_shared_cycles);
    return start;
}

/* Time in DRAM's queues beyond the plain latency, by how busy DRAM is and by the part of writes,
 * for which the bus turns around. Fitted to an H200 between few and many bytes in flight, reading
 * and copying (docs/model-tables.md). */
static double dram_queue(replay_machine *m, double at, double read, double write) {
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
    const sim_profile *p = m->p;
    double r = m->load, reading = p->dram_read_queue * r * r / (1 - p->dram_read_rise * r * r * r),
           copying = p->dram_copy_queue * r * (1 + p->dram_copy_rise * r * r * r);
    return p->lat_dram * (reading + (copying - reading) * m->mixed);
}

typedef struct {
    double sent, misses, entries;
    unsigned late, first; /* as in sim_trace_event */
} portion;

static bool is_shared(const replay_machine *m, const time_op *o, const sim_trace_event *e) {
    return m->lines && o->kind == TIME_LOAD && !o->alone && e->ends[0] && e->ends[1];
}

/* The sectors that a load touches: all between its two ends if it has that many, otherwise only the
 * two ends. */
enum { TOUCHES = 8 };
static unsigned touched(const sim_trace_event *e, uint32_t to[TOUCHES]) {
    uint32_t a = e->ends[0], b = e->ends[1], n = 0;
    bool one = a / 4 == b / 4;
    uint32_t all = one ? (a < b ? b - a : a - b) + 1 : 4 - a % 4 + b % 4 + 1;
    if (all > 2 && e->sectors >= all) {
        uint32_t s = one && b < a ? b : a, end = one ? s + all : (a | 3) + 1;
        do to[n++] = s;
        while (++s < end);
        for (s = b & ~3u; !one && s <= b; s++) to[n++] = s;
        return n;
    }
    to[n++] = a;
    if (a != b) to[n++] = b;
    return n;
}

/* Returns whether this block sends the request for the line, as the part `part` of the concurrent
 * blocks does. The sequence is fixed. */
static bool sends(const replay_warp *w, uint32_t line, double part) {
    return (1 + noise((uint64_t)w->number << 32 ^ line)) / 2 < part;
}

/* Returns whether DRAM has to deliver what is sent, as the part `part` of such requests needs. */
static bool misses(const replay_warp *w, uint32_t sector, double part) {
    return (1 + noise(((uint64_t)w->number << 32 ^ sector) + 1)) / 2 < part;
}

/* Returns what a load sends to L2. Other warps of its block may have asked for its lines before. */
static portion portion_of(replay_machine *m, const replay_warp *w, const time_op *o,
                          const sim_trace_event *e) {
    portion own = {e->l2_sectors, e->misses, e->stream_n ? e->stream_n : 1, e->late, e->first},
            p = {0};
    if (!is_shared(m, o, e)) return own;
    size_t block = (size_t)(m->blocks[w->block].source - m->trace->blocks);
    const replay_line *lines = &m->lines[block * m->line_count];
    replay_asked *asked = &m->asked[w->block * m->line_count];
    bool first = false;
    uint32_t at[TOUCHES];
    for (unsigned k = 0, n = touched(e, at); k < n; k++) {
        const replay_line *l = &lines[at[k]];
        replay_asked *x = &asked[at[k]];
        if (x->block == w->number + 1) continue;
        *x = (replay_asked){.block = w->number + 1};
        first = true;
        if (l->part < 1 && !sends(w, at[k] / 4, l->part)) continue;
        p.sent += l->sent, p.entries += l->entries;
        if (l->missing >= 1 || misses(w, at[0], l->missing)) p.misses += l->misses;
        if (l->late > p.late) p.late = l->late;
        if (l->first > p.first) p.first = l->first;
    }
    const replay_line *l = &lines[at[0]];
    if (!first && l->again > AGAIN * l->all) {
        double part = l->again > 0.5f * l->all ? 1 : l->again / l->all;
        own.sent *= part, own.misses *= part, own.entries *= part;
        p = own;
    }
    if (p.sent < FEW) p.sent = 0;
    p.entries = replay_larger(p.entries, 1);
    return p;
}

/* Notes that the load's lines arrive at t. */
static void note_fill(replay_machine *m, const replay_warp *w, const time_op *o,
                      const sim_trace_event *e, double t) {
    if (!is_shared(m, o, e)) return;
    replay_asked *asked = &m->asked[w->block * m->line_count];
    uint32_t at[TOUCHES];
    for (unsigned k = 0, n = touched(e, at); k < n; k++)
        if (t > asked[at[k]].t) asked[at[k]].t = t;
}

/* Returns when those of its lines arrive that other warps of the block have requested. */
static double lines_filled(const replay_machine *m, const replay_warp *w, const time_op *o,
                           const sim_trace_event *e) {
    if (!is_shared(m, o, e)) return 0;
    const replay_asked *asked = &m->asked[w->block * m->line_count];
    double t = 0;
    uint32_t at[TOUCHES];
    for (unsigned k = 0, n = touched(e, at); k < n; k++) t = replay_larger(t, asked[at[k]].t);
    return t;
}

/* Returns the cycles for which L1 is busy with an access: four tags a cycle; banks deliver one word
 * each; all lanes' bytes pass one port. `there`: nothing that its warp requested is still
 * missing. */
static double l1_cycles(const sim_profile *p, const time_op *o, const sim_trace_event *e,
                        double sent, bool there) {
    unsigned lines = e->lines ? e->lines : 1;
    double cycles = lines / 4.0, wide = (double)e->lanes * e->bytes_lane / p->l1_bytes_cycle,
           pass = 128 / p->l1_bytes_cycle;
    if (o->kind == TIME_LOAD) /* an H100 takes 32.0 cycles for 32 passes, 1.1 for one */
        cycles = replay_larger(cycles, there && e->had && p->l1_joined_passes ? e->had - 1 + pass
                                                                              : e->passes * pass);
    if (o->kind == TIME_STORE && p->l1_joined_passes)
        cycles = replay_larger(cycles, e->passes * pass);
    if (!p->l2_bytes) cycles = lines;
    if (o->kind == TIME_TEX)
        cycles = replay_larger(cycles,
                               p->tex_warp_cycles * e->lanes / 32.0 + p->tex_sector_cycles * sent);
    return replay_larger(replay_larger(cycles, wide), 1 / p->rate_ldst);
}

/* An access that left L1 at `done` and was issued at `at`. Results: when it gets its place in the
 * last queue for which the warp may wait, and when its data arrive. */
typedef struct {
    replay_warp *w;
    const time_op *o;
    const sim_trace_event *e;
    portion part;
    double at, done;
} request;

/* Without caches, each transaction goes to memory. */
static double uncached(replay_machine *m, const request *q, double *result) {
    const sim_profile *p = m->p;
    double cost = q->e->sectors * m->share->dram_sector_cycles,
           t = replay_serve(&m->dram, &m->u->dram, q->done, cost);
    if (q->o->kind == TIME_ATOM)
        t = replay_serve(&m->atomic, &m->u->atomics, t, q->e->lanes * m->share->atom_cycles);
    *result = t + cost + p->lat_dram + jitter(m, q->w, q->o, q->e, dram_spread, p->lat_dram);
    return t;
}

/* Lanes on one address go one after another, the words of a sector together, sectors one after
 * another. Atomics go the way to L2 that loads and stores go: random words take as long beside
 * loads as both alone (mix of tests/truth/mem.cu). */
static double atomic_access(replay_machine *m, const request *q, double *result) {
    const time_op *o = q->o;
    const sim_trace_event *e = q->e;
    double sectors = q->part.sent > 1 ? q->part.sent : 1, again = e->passes ? e->passes - 1.0 : 0,
           words = (double)e->lanes * e->bytes_lane / 4 / sectors, each = m->share->atom_cycles,
           sent = m->p->atom_sm_cycles * (o->flags & TIME_RESULT ? m->p->atom_result : 1);
    bool whole = e->lines && sectors >= 4.0 * e->lines;
    if (o->flags & TIME_UNIFORM) again = 0, words = 1; /* the assembler adds up the lanes */
    sent *= whole ? m->p->atom_line_sent
                  : 1 + m->p->atom_word * (replay_larger(words < 4 ? words : 4, 1) - 1);
    if (o->float_atom && sectors <= 1)
        each = m->share->atom_even + (each - m->share->atom_even) * m->p->atom_float_global;
    double lanes = e->lanes ? e->lanes : 1,
           way = o->flags & TIME_RESULT ? sent / m->p->atom_result : sent,
           port = way * replay_smaller(sectors + again, lanes),
           cycles = replay_smaller(each * ((whole ? m->p->atom_line : 1) * sectors + again),
                                   each * lanes);
    cycles = replay_larger(cycles, sent * replay_smaller(sectors + again, lanes));
    if (o->reloaded && sectors > 1) cycles += m->p->reload_cycles * sectors;
    double t = replay_larger(replay_serve(&m->atomic, &m->u->atomics, q->done, cycles),
                             replay_serve(&m->l2, &m->u->l2, q->done, port));
    *result = t + m->p->lat_atom_global * (o->role == TIME_TAKES ? m->p->swap_latency : 1);
    /* The answers of sectors come one after another: a lone warp waits 612 cycles for 32 of them
     * (words of tests/truth/parts.cu). */
    if (o->flags & TIME_RESULT) *result += (sectors - 1) * (sent + m->p->back_pass_cycles);
    if (o->reloaded && sectors > 1) *result += m->p->reload_wait;
    return t;
}

static double store_access(replay_machine *m, const request *q, double *result) {
    const time_share *s = m->share;
    double part = q->e->space == PTX_SPACE_LOCAL ? m->p->store_part_local : m->p->store_part,
           cost = replay_larger(replay_larger(q->part.entries, part * q->e->parts) *
                                    s->l2_store_cycles,
                                q->part.sent * s->l2_written_cycles),
           read = q->part.misses * s->dram_sector_cycles,
           written = q->part.sent * s->dram_write_cycles,
           t = replay_serve(&m->l2, &m->u->l2, q->done, cost);
    /* The acknowledgement, for which the block waits before it ends. */
    *result = t + cost + m->p->store_acknowledged * m->p->lat_l2;
    double d = replay_serve(&m->dram, &m->u->dram, t, written + read);
    dram_queue(m, q->at, read, written);
    return replay_larger(d, t);
}

/* A slice of L2 takes one request for a word after another, both additions and polls. */
static double poll_among_atomics(replay_machine *m, const request *q) {
    return replay_serve(&m->atomic, &m->u->atomics, q->done, m->share->atom_cycles);
}

/* Returns how long ago one of the blocks that open the launch asked for what a warp asks for now:
 * by the instructions that its warp had issued then, as fast as this one. How much earlier it
 * started does not matter: it waits for DRAM where the others do not, so they catch up with it. */
static double asked_ago(const request *q) {
    double since = q->at - q->w->start, part = (double)q->part.first / SIM_FIRST_ONE;
    return q->part.first && part < 1 ? since - part * since : 0;
}

static void load_access(replay_machine *m, const request *q, double *result) {
    const sim_profile *p = m->p;
    const time_share *s = m->share;
    double displaced = q->part.misses * s->displaced_cycles,
           cost = replay_larger(replay_larger(q->part.entries * s->l2_line_cycles,
                                              q->part.sent * s->l2_sector_cycles),
                                q->part.misses * s->l2_filled_cycles) +
                  displaced,
           t = replay_serve(&m->l2, &m->u->l2, q->done, cost);
    if (q->o->by_atomics) t = replay_larger(t, poll_among_atomics(m, q));
    double ago = asked_ago(q), block = p->late_block * p->block_dispatch_ns * p->clock_ghz,
           left = q->part.late ? p->lat_dram - q->part.late * block : 0;
    if (q->part.misses <= 0 && left - ago > p->lat_l2) {
        *result = t + cost + left + jitter(m, q->w, q->o, q->e, dram_spread, p->lat_dram);
        return;
    }
    double hit = t + cost + p->lat_l2 + jitter(m, q->w, q->o, q->e, l2_spread, p->lat_l2);
    if (q->part.misses <= 0) {
        *result = hit;
        return;
    }
    /* What L2 does not have has not been used for long, and neither has its translation, which a
     * multiprocessor waits for once. */
    if (m->translated <= 0) m->translated = q->at + p->lat_translation;
    t = replay_larger(t, m->translated);
    double dc = q->part.misses * s->dram_sector_cycles + displaced,
           d = replay_larger(t, replay_serve(&m->dram, &m->u->dram, t, dc) - p->dram_ahead_cycles);
    double queue = dram_queue(m, q->at, dc, 0), way = p->lat_dram;
    const spread_point *spread = dram_spread;
    if (s->dram_alone > 0 && s->dram_alone < ALONE) {
        way = (p->lat_l2 + p->lat_dram) / 2;
        spread = l2_spread;
    }
    double brought = d + dc + way + queue + jitter(m, q->w, q->o, q->e, spread, way);
    *result = fmin(brought, replay_larger(hit, brought - ago));
}

/* A maximum by compare-and-swap fails if the warp looks at the word before another change of it has
 * arrived. When the launch starts, this concerns all warps that run at the same time, because they
 * read before the first change. Later it concerns every warp, if L1 may answer: L1 keeps what its
 * multiprocessor read first (PTX ISA, "Cache Operators": L1 caches are not coherent for global
 * data). Returns the end of a look that was answered at `at`. */
static double raise(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                    double at) {
    if (!m->raise_lanes || (o->alone && (w->looked || w->number >= m->slots))) return at;
    w->looked = true;
    unsigned ops = e->sectors + m->raise_lanes - 1;
    if (ops > e->lanes) ops = e->lanes;
    double cycles =
        m->p->raise_tries * ops * replay_larger(m->share->atom_cycles, m->p->atom_sm_cycles);
    return replay_serve(&m->atomic, &m->u->atomics, at, cycles) + cycles +
           m->p->swap_latency * m->p->lat_atom_global;
}

/* Global and local memory, textures. */
static double global_access(replay_machine *m, replay_warp *w, const time_op *o,
                            const sim_trace_event *e, double at, double *result) {
    const sim_profile *p = m->p;
    request q = {w, o, e, portion_of(m, w, o, e), at, 0};
    /* Another block has just stored it. */
    if (o->role == TIME_AWAITS) q.part.misses = 0, q.part.late = 0;
    double cycles = l1_cycles(p, o, e, q.part.sent, w->fetched <= at),
           start = replay_serve(&m->lsu, &m->u->l1, at, cycles), t;
    q.done = start + cycles;
    bool back = o->kind == TIME_LOAD;
    double passes = q.part.sent <= 0 && e->had ? e->had : replay_larger(e->passes, 1);
    /* the latency of the first pass; the others come back after it */
    double first = back ? replay_larger(e->lines / 4.0, 1) : cycles;
    *result = start + first - 1 + p->lat_l1;
    if (o->kind == TIME_TEX) *result += p->tex_latency * p->lat_l1;
    if (p->l2_bytes &&
        (q.part.sent <= 0 || o->kind == TIME_LOAD || o->kind == TIME_TEX || o->kind == TIME_COPY)) {
        if (q.part.sent > 0) {
            load_access(m, &q, result);
            if (back) *result = comes_back(&w->back, *result, passes, 1);
            if (o->kind == TIME_LOAD && *result > w->fetched) w->fetched = *result;
            note_fill(m, w, o, e, *result);
        } else {
            double filled = lines_filled(m, w, o, e);
            bool there = filled <= *result;
            if (back)
                *result = comes_back(there ? &m->back[w->scheduler] : &w->back,
                                     replay_larger(*result, filled), passes, p->back_pass_cycles);
            else *result = replay_larger(*result, filled);
        }
        if (o->role == TIME_LOOKS) *result = raise(m, w, o, e, *result);
        return start;
    }
    if (!p->l2_bytes) t = uncached(m, &q, result);
    else if (o->kind == TIME_ATOM) t = atomic_access(m, &q, result);
    else t = store_access(m, &q, result);
    if (o->kind != TIME_LOAD && !(o->flags & TIME_RESULT) && t - p->store_queue_cycles > start)
        start = t - p->store_queue_cycles;
    return start;
}

double replay_constant(replay_machine *m, const time_op *o, const sim_trace_event *e, double at,
                       double *result) {
    const sim_profile *p = m->p;
    double words = e && e->passes ? e->passes : 1, cycles = words * p->const_serial_cycles;
    if (e && e->lines > p->const_wide_lines)
        cycles += words * p->const_wide_per_kb *
                  (m->const_kb < p->const_wide_kb ? m->const_kb : p->const_wide_kb);
    if (o->flags & TIME_UNIFORM && words <= 1) cycles = m->const_uniform;
    double start = replay_serve(&m->constant, &m->u->constant, at, cycles);
    *result = start + cycles - 1 + p->lat_const;
    return start;
}

double replay_access(replay_machine *m, replay_warp *w, const time_op *o, const sim_trace_event *e,
                     double at, double *result) {
    double start;
    if (e->space == PTX_SPACE_SHARED) start = shared_access(m, o, e, at, result);
    else if (e->space == SIM_SPACE_REMOTE) start = remote_access(m, o, e, at, result);
    else if (e->space == PTX_SPACE_CONST || e->space == PTX_SPACE_PARAM)
        start = replay_constant(m, o, e, at, result);
    else start = global_access(m, w, o, e, at, result);
    if (o->kind == TIME_COPY && *result > w->copies) w->copies = *result;
    if ((o->kind == TIME_STORE || o->kind == TIME_ATOM) && *result > w->stored) w->stored = *result;
    return start;
}

/* ---- before the first block ---- */

/* Calls fn for each event of the sampled blocks, with its operation. */
typedef void event_fn(replay_machine *m, unsigned block, unsigned warp, const time_op *o,
                      const sim_trace_event *e, void *user);
static void each_event(replay_machine *m, event_fn *fn, void *user) {
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
                    fn(m, k, w, o, &s->events[event++], user);
                }
        }
}

static void count_sectors(replay_machine *m, unsigned block, unsigned warp, const time_op *o,
                          const sim_trace_event *e, void *user) {
    (void)user, (void)warp, (void)block;
    for (unsigned side = 0; side < 2 && o->kind == TIME_LOAD; side++)
        if (e->ends[side] >= m->line_count) m->line_count = (e->ends[side] | 3) + (size_t)1;
}
static void fill_sector(replay_machine *m, unsigned block, unsigned warp, const time_op *o,
                        const sim_trace_event *e, void *user) {
    (void)user, (void)warp;
    if (!is_shared(m, o, e)) return;
    replay_line *l = &m->lines[block * m->line_count];
    uint32_t at[TOUCHES], fresh = 0, n = touched(e, at);
    for (unsigned k = 0; k < n; k++) fresh += !l[at[k]].seen;
    l[at[0]].all += e->l2_sectors;
    if (!fresh) l[at[0]].again += e->l2_sectors;
    for (unsigned k = 0; k < n; k++) {
        replay_line *x = &l[at[k]];
        if (x->seen) continue;
        x->seen = true;
        x->part = x->missing = 1;
        x->load = o->load;
        x->sent = (float)e->l2_sectors / (float)fresh;
        x->misses = (float)e->misses / (float)fresh;
        x->entries = e->l2_sectors ? (float)e->stream_n / (float)fresh : 0;
        x->late = e->late, x->first = e->first;
    }
}
/* In the executor, the first of several concurrent blocks fetches what all of them read; on the
 * device, it is a different block each time. So for the sectors that a load reads first, as many
 * requests are sent, and with as much data, as for all of them on average. Blocks that open the
 * launch ask at the same time for what the executor's first one fetches, and all wait. Later, where
 * each of the blocks misses a similar part of what it asks for, these are misses of its own: as
 * many requests wait for DRAM, and the others do not. */
static void even_out(replay_machine *m, unsigned from, unsigned to) {
    if (to - from < 2) return;
    size_t loads = m->code->load_count + (size_t)1;
    struct {
        double met, sending, missing, sent, misses, entries, apart;
        double block_sending, block_missing;
    } *of = calloc(loads, sizeof *of), *o;
    for (unsigned b = from; of && b < to; b++) {
        const replay_line *l = &m->lines[b * m->line_count], *end = l + m->line_count;
        for (o = of; o < of + loads; o++) o->block_sending = o->block_missing = 0;
        for (; l < end; l++) {
            if (!l->seen) continue;
            o = &of[l->load];
            o->met++;
            o->block_sending += l->sent > 0;
            o->block_missing += l->misses > 0;
            o->sent += l->sent, o->misses += l->misses, o->entries += l->entries;
        }
        for (o = of; o < of + loads; o++) {
            if (o->block_sending <= 0) continue;
            o->sending += o->block_sending, o->missing += o->block_missing;
            o->apart += o->block_missing * o->block_missing / o->block_sending;
        }
    }
    for (size_t k = from * m->line_count; of && k < to * m->line_count; k++) {
        replay_line *l = &m->lines[k];
        o = &of[l->load];
        double n = o->sending;
        if (!l->seen || n <= 0) continue;
        l->part = (float)(n / o->met);
        l->sent = (float)(o->sent / n);
        l->misses = (float)(o->misses / n);
        l->entries = (float)(o->entries / n);
        /* the part of the variance of misses that lies between the blocks: 0 to 1 */
        double part = o->missing / n, all = part * (1 - part), between = o->apart / n - part * part;
        if (!from || all <= 0 || between > APART * all) continue;
        l->missing = (float)part;
        l->misses = (float)(o->misses / o->missing);
    }
    free(of);
}

/* If memory is short, each load sends what the executor's load sent. */
static void look_at_lines(replay_machine *m) {
    enum { MOST = 1 << 19 };
    unsigned blocks = m->trace->block_count;
    each_event(m, count_sectors, NULL);
    if (!m->line_count || m->line_count * (blocks + m->slots) > MOST) return;
    m->lines = calloc(m->line_count * blocks, sizeof *m->lines);
    m->asked = calloc(m->line_count * m->slots, sizeof *m->asked);
    if (!m->asked) free(m->lines), m->lines = NULL;
    if (!m->lines) return;
    each_event(m, fill_sector, NULL);
    even_out(m, 0, m->trace->first_count);
    even_out(m, m->trace->first_count, blocks);
}

/* Words that are read more often than changed, and that do change, are raised. The warps that
 * raised one in the sample tell how many lanes of a warp try the same word. */
typedef struct {
    double looks;
    unsigned most,
        alike; /* the most lanes of a swap; its passes: for one word, the number of lanes on it */
} raised;
static void find_raised(replay_machine *m, unsigned block, unsigned warp, const time_op *o,
                        const sim_trace_event *e, void *user) {
    raised *r = user;
    (void)m, (void)block, (void)warp;
    if (o->role == TIME_LOOKS) r->looks += e->lanes;
    if (o->role == TIME_TAKES && e->lanes > r->most) r->most = e->lanes, r->alike = e->passes;
}
static void look_at_raised(replay_machine *m) {
    raised r = {0};
    each_event(m, find_raised, &r);
    if (r.looks > 2 * m->share->swaps * m->trace->block_count) m->raise_lanes = r.alike;
}

/* How many threads compete for a word of shared memory: the lanes of a block's warps that try it at
 * the same time. Each change costs an attempt of every thread that still waits, n (n + 1) / 2 for n
 * threads with one turn each. Here, a warp succeeds before the next one comes. */
enum { WORDS = 64 };
typedef struct {
    unsigned block, warp;
    double attempts;
    struct {
        uint32_t word;
        unsigned warp, lanes;    /* the last warp; its most lanes at the same time */
        double changes, threads; /* changes by all warps; threads of the earlier warps */
    } of[WORDS];
} fights;
static void fights_end(fights *f) {
    for (unsigned k = 0; k < WORDS; k++)
        f->attempts += f->of[k].changes * (f->of[k].threads + f->of[k].lanes + 1) / 2;
    memset(f->of, 0, sizeof f->of);
}
static void find_fights(replay_machine *m, unsigned block, unsigned warp, const time_op *o,
                        const sim_trace_event *e, void *user) {
    fights *f = user;
    (void)m;
    if (o->role != TIME_FIGHTS || e->space != PTX_SPACE_SHARED) return;
    if (f->block != block) fights_end(f), f->block = block;
    unsigned k = 0;
    while (k < WORDS && f->of[k].changes > 0 && f->of[k].word != e->stream_at) k++;
    if (k == WORDS) return;
    f->of[k].word = e->stream_at;
    f->of[k].changes++;
    if (f->of[k].warp != warp) f->of[k].threads += f->of[k].lanes, f->of[k].lanes = 0;
    f->of[k].warp = warp;
    if (e->passes > f->of[k].lanes) f->of[k].lanes = e->passes;
}
static void look_at_fights(replay_machine *m) {
    fights f = {0};
    each_event(m, find_fights, &f);
    fights_end(&f);
    m->u->fights = f.attempts / m->trace->block_count;
}

/* Finds how much constant memory the sampled warps read, by the lines of their first lanes, and how
 * long a load of one word for the warp then takes. */
static void look_at_constants(replay_machine *m) {
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
    if (!m->p->l2_bytes || m->const_kb <= 0.25 || m->slots < m->p->const_apart_blocks ||
        m->warp_count < m->p->const_apart_warps)
        return;
    double more = m->p->const_apart * log2(m->const_kb * 4);
    m->const_uniform += more * (m->share->blocks > m->slots ? m->p->const_apart_more : 1);
}

void replay_memory_begin(replay_machine *m) {
    if (m->p->l2_bytes) look_at_lines(m);
    if (m->code->looks && m->share->swaps > 0) look_at_raised(m);
    if (m->code->fights) look_at_fights(m);
    look_at_constants(m);
}
