/* What-if: replays the recorded trace with one cost taken away (costs.def).
 *
 *   variant: copies of profile, code, trace, launch and counters, as far as the row changes them
 *     --a function for each row: takes the cost away, and notes its amount by pc-->
 *     time_model() --> the time without it, and the source lines that cause it
 *
 * A row that finds no such cost is not replayed. The changed trace is not that of a better kernel:
 * it gives an upper bound of the gain, which one wants to know before writing such a kernel. */
#include "runner/device/sim/time/time_internal.h"
#include "runner/base/buffer.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ENDLESS 1e9

typedef struct {
    sim_profile p;
    sim_profile own; /* of machine code: time_machine_profile() of p */
    time_code code;  /* its ops are the variant's own if own_ops */
    sim_trace t;     /* its blocks are the variant's own if own_trace */
    time_launch l;
    sim_counters c;
    bool own_ops, own_trace;
    double *paid; /* by pc: the amount of the cost, in any unit */
    const time_question *q;
} variant;

/* ---- copies ---- */

static bool copy_ops(variant *v) {
    size_t n = (size_t)v->code.op_count;
    time_op *ops = malloc((n + 1) * sizeof *ops);
    if (!ops) return false;
    memcpy(ops, v->code.ops, n * sizeof *ops);
    v->code.ops = ops;
    return v->own_ops = true;
}

static void free_trace(sim_trace *t) {
    for (unsigned k = 0; t->blocks && k < t->block_count; k++) {
        for (unsigned w = 0; t->blocks[k].warps && w < t->blocks[k].warp_count; w++)
            free(t->blocks[k].warps[w].events), free(t->blocks[k].warps[w].runs);
        free(t->blocks[k].warps);
    }
    free(t->blocks);
}

static void *copy_of(const void *from, size_t n) {
    void *to = calloc(1, n + 1);
    if (to && n) memcpy(to, from, n);
    return to;
}

static bool copy_trace(variant *v) {
    const sim_trace_block *from = v->t.blocks;
    sim_trace_block *to = v->t.blocks = calloc(v->t.block_count + 1, sizeof *to);
    bool ok = v->own_trace = to != NULL;
    for (unsigned k = 0; ok && k < v->t.block_count; k++) {
        to[k] = from[k];
        to[k].warps = calloc(from[k].warp_count + 1, sizeof *to[k].warps);
        ok = to[k].warps != NULL;
        for (unsigned w = 0; ok && w < from[k].warp_count; w++) {
            sim_trace_warp *x = &to[k].warps[w];
            *x = from[k].warps[w];
            x->events = copy_of(x->events, x->at.event_count * sizeof *x->events);
            x->runs = copy_of(x->runs, x->at.run_count * sizeof *x->runs);
            ok = x->events && x->runs;
        }
    }
    return ok;
}

/* ---- events ---- */

typedef void variant_event(variant *v, const time_op *o, sim_trace_event *e, void *user);

/* Calls fn for each recorded event, with its operation. */
static void each_event(variant *v, variant_event *fn, void *user) {
    for (unsigned k = 0; k < v->t.block_count; k++)
        for (unsigned w = 0; w < v->t.blocks[k].warp_count; w++) {
            const sim_trace_warp *s = &v->t.blocks[k].warps[w];
            uint32_t event = 0;
            for (uint32_t r = 0; r < s->at.run_count; r++)
                for (uint32_t pc = s->runs[r].first;
                     pc < s->runs[r].first + s->runs[r].count && pc < v->code.op_count; pc++) {
                    const time_op *o = &v->code.ops[pc];
                    if (!(o->flags & TIME_EVENT) || event >= s->at.event_count ||
                        s->events[event].pc_low != (pc & 0xffff))
                        continue;
                    fn(v, o, &s->events[event++], user);
                }
        }
}

static bool is_global(const sim_trace_event *e) {
    return e->space == PTX_SPACE_GLOBAL || e->space == PTX_SPACE_LOCAL;
}
static bool is_load(const time_op *o) {
    return o->kind == TIME_LOAD || o->kind == TIME_TEX || o->kind == TIME_COPY;
}

typedef struct {
    double before, after;
} change;
static uint64_t scaled(uint64_t n, change c) {
    return c.before > 0 ? (uint64_t)((double)n * (c.after / c.before)) : n;
}
static void count_misses(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    (void)v, (void)o;
    if (is_global(e)) *(double *)user += e->misses;
}
/* Scales the launch's DRAM reads with the sampled misses, of which there were `before`. */
static void follow_misses(variant *v, double before) {
    double after = 0;
    each_event(v, count_misses, &after);
    v->c.dram_read = scaled(v->c.dram_read, (change){before, after});
}

/* ---- rows: memory ---- */

typedef struct {
    double *sent, *least; /* by pc: sectors that loads sent to L2; sectors that their bytes need */
    double *sent_owed, *miss_owed;
    change stores, loads;
} coalescing;

static unsigned least_sectors(const sim_trace_event *e) {
    unsigned n = ((unsigned)e->lanes * e->bytes_lane + 31) / 32;
    return n < e->sectors ? (n ? n : 1) : e->sectors;
}

static void look_at_sectors(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    coalescing *x = user;
    if (!is_global(e) || !e->lanes || o->kind == TIME_TEX) return;
    v->paid[o->pc] += e->sectors - least_sectors(e);
    if (is_load(o)) {
        x->sent[o->pc] += e->l2_sectors;
        x->least[o->pc] += least_sectors(e);
    }
}

/* Rounds x and carries the remainder to the next call. */
static uint16_t with_rest(double x, double *owed) {
    *owed += x;
    double whole = floor(*owed + 1e-9);
    *owed -= whole;
    return (uint16_t)(whole < 0 ? 0 : whole > UINT16_MAX ? UINT16_MAX : whole);
}

static void coalesce(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    coalescing *x = user;
    (void)v;
    if (!is_global(e) || !e->lanes || o->kind == TIME_TEX) return;
    unsigned least = least_sectors(e), passes = ((unsigned)e->lanes * e->bytes_lane + 127) / 128;
    double part = (double)least / (e->sectors ? e->sectors : 1);
    change *c = is_load(o) ? &x->loads : &x->stores;
    if (e->space == PTX_SPACE_GLOBAL) c->before += e->sectors, c->after += least;
    if (is_load(o)) { /* L1 may have delivered most of the unneeded sectors */
        double sent = x->sent[o->pc];
        part = sent > x->least[o->pc] ? x->least[o->pc] / sent : 1;
        e->l2_sectors = with_rest(e->l2_sectors * part, &x->sent_owed[o->pc]);
    } else {
        e->l2_sectors = e->l2_sectors < least ? e->l2_sectors : (uint16_t)least;
    }
    e->misses = with_rest(e->misses * part, &x->miss_owed[o->pc]);
    e->sectors = (uint16_t)least;
    e->lines = (uint16_t)((least + 3) / 4);
    if (o->kind != TIME_ATOM && e->passes > passes) e->passes = (uint16_t)(passes ? passes : 1);
    if (o->kind == TIME_LOAD && e->had > e->passes) e->had = e->passes;
    uint16_t entries = (uint16_t)((e->l2_sectors + 3) / 4);
    if (e->stream_n > entries) e->stream_n = entries;
    if (!is_load(o) && e->parts > entries) e->parts = entries; /* the last one */
}

/* No sector is read with its neighbour any more, and none because a part of it is written: DRAM
 * moves at most what the accesses ask for. */
static void follow_bytes(sim_counters *c) {
    uint64_t atomics = 32 * c->atom_global_lanes,
             written = c->gst_bytes + 32 * c->local_st_sectors + atomics,
             read = 32 * (c->gld_sectors + c->local_ld_sectors + c->tex_sectors) + atomics;
    if (c->dram_write > written) c->dram_write = written;
    if (c->dram_read > read) c->dram_read = read;
}

static bool take_sectors(variant *v) {
    size_t n = v->code.op_count;
    double *all = calloc(4 * n + 1, sizeof *all), misses = 0, excess = 0;
    if (!all) return false;
    coalescing x = {
        .sent = all, .least = all + n, .sent_owed = all + 2 * n, .miss_owed = all + 3 * n};
    each_event(v, look_at_sectors, &x);
    for (size_t pc = 0; pc < n; pc++) excess += v->paid[pc];
    bool ok = excess > 0 && copy_trace(v);
    if (ok) {
        each_event(v, count_misses, &misses);
        each_event(v, coalesce, &x);
        follow_misses(v, misses);
        v->c.gld_sectors = scaled(v->c.gld_sectors, x.loads);
        v->c.gst_sectors = scaled(v->c.gst_sectors, x.stores);
        follow_bytes(&v->c);
        v->t.dram_halves = 2 * v->t.dram_lines;
        v->t.dram_sectors = 2 * v->t.dram_halves;
    }
    free(all);
    return ok;
}

static void without_conflicts(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    if (e->space != PTX_SPACE_SHARED || o->kind == TIME_ATOM || !e->lanes) return;
    unsigned width = v->p.bank_lanes * 4,
             least = ((unsigned)e->lanes * e->bytes_lane + width - 1) / width;
    if (e->passes <= least) return;
    if (user) e->passes = (uint16_t)least;
    else v->paid[o->pc] += e->passes - least;
}
static bool is_paid(const variant *v) {
    for (uint32_t pc = 0; pc < v->code.op_count; pc++)
        if (v->paid[pc] > 0) return true;
    return false;
}
static bool take_banks(variant *v) {
    each_event(v, without_conflicts, NULL);
    bool counted = v->c.shared_ld_conflicts || v->c.shared_st_conflicts;
    if ((!is_paid(v) && !counted) || !copy_trace(v)) return false;
    each_event(v, without_conflicts, v);
    v->c.shared_ld_wavefronts -= v->c.shared_ld_conflicts;
    v->c.shared_st_wavefronts -= v->c.shared_st_conflicts;
    v->c.shared_ld_conflicts = v->c.shared_st_conflicts = 0;
    return true;
}

static void apart(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    (void)user;
    if (o->kind != TIME_ATOM || !e->lanes) return;
    v->paid[o->pc] += e->passes;
    e->passes = 1;
}
/* Returns the region that a run from pc on repeats, because another lane's swap came first; NULL:
 * none. last: the instruction before. */
static const time_region *round_again(const time_code *c, uint32_t last, const sim_trace_run *x) {
    if (last >= c->op_count || x->first >= c->op_count) return NULL;
    const time_region *g = &c->regions[c->region_of[last]];
    if (x->first != g->first || x->count < g->count) return NULL;
    for (uint32_t k = g->first; k <= last; k++)
        if (c->ops[k].spins) return g;
    return NULL;
}

/* Leaves only the first round of each loop that ptxas makes around a swap in shared memory. */
static void first_rounds(const time_code *c, sim_trace_warp *w) {
    uint32_t in = 0, out = 0, n = 0, last = UINT32_MAX;
    double before = 0, after = 0;
    for (uint32_t r = 0; r < w->at.run_count; r++) {
        sim_trace_run x = w->runs[r];
        const time_region *g = round_again(c, last, &x);
        uint32_t from = g ? x.first + g->count : x.first, end = x.first + x.count;
        for (uint32_t pc = x.first; pc < end && pc < c->op_count; pc++) {
            if (!(c->ops[pc].flags & TIME_EVENT) || in >= w->at.event_count ||
                w->events[in].pc_low != (pc & 0xffff))
                continue;
            if (pc >= from) w->events[out++] = w->events[in];
            in++;
        }
        last = end - 1;
        before += x.count, after += end - from;
        sim_trace_run *joined = n ? &w->runs[n - 1] : NULL;
        if (joined && joined->first + joined->count == from) joined->count += end - from;
        else if (end > from) w->runs[n++] = (sim_trace_run){from, end - from};
    }
    w->at.run_count = n;
    w->at.event_count = out;
    if (before > 0) w->at.steps = (uint64_t)((double)w->at.steps * after / before);
}

static bool without_rounds(variant *v) {
    bool any = false;
    for (uint32_t n = 0; n < v->code.op_count && !any; n++) any = v->code.ops[n].spins;
    if (!any) return true;
    if (!copy_ops(v)) return false;
    for (unsigned k = 0; k < v->t.block_count; k++)
        for (unsigned w = 0; w < v->t.blocks[k].warp_count; w++)
            first_rounds(&v->code, &v->t.blocks[k].warps[w]);
    for (uint32_t n = 0; n < v->code.op_count; n++) v->code.ops[n].spins = false;
    return true;
}

static bool take_atomics(variant *v) {
    uint64_t all = 0, most = 0;
    for (unsigned k = 0; k < SIM_L2_SLICES; k++) {
        all += v->t.slice_ops[k];
        if (v->t.slice_ops[k] > most) most = v->t.slice_ops[k];
    }
    if (v->t.slice_in_turn > most) most = v->t.slice_in_turn;
    bool slices = all && most > 2 * (all / SIM_L2_SLICES + 1),
         lanes = v->c.atom_shared_serialised > v->c.atom_shared_requests ||
                 v->c.atom_global_serialised > v->c.atom_global_requests;
    if (!slices && !lanes && !v->l.swaps) return false;
    if (!copy_trace(v)) return false;
    each_event(v, apart, NULL);
    /* only their ratios count */
    for (unsigned k = 0; k < SIM_L2_SLICES; k++) v->t.slice_ops[k] = 1;
    v->t.slice_in_turn = 0;
    v->l.swaps = v->l.swappers = v->l.holders = 0;
    v->l.attempts = 0;
    v->l.changes = 0;
    v->l.atom_passes = 0;
    v->code.fights = false;
    return without_rounds(v);
}

static void from_l1(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    (void)user;
    if (!is_load(o) || !is_global(e) || !e->l2_sectors) return;
    v->paid[o->pc] += e->l2_sectors;
    e->l1_hits = e->sectors;
    e->l2_sectors = e->misses = e->stream_n = 0;
}
static void from_l2(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    (void)user;
    if (!is_load(o) || !is_global(e) || !e->misses) return;
    v->paid[o->pc] += e->misses;
    e->misses = 0;
}
static bool take_misses(variant *v, variant_event *fn) {
    double misses = 0;
    if (!v->p.l2_bytes || !copy_trace(v)) return false;
    each_event(v, count_misses, &misses);
    each_event(v, fn, NULL);
    follow_misses(v, misses);
    return is_paid(v);
}
static bool take_l1(variant *v) {
    return take_misses(v, from_l1);
}
static bool take_l2(variant *v) {
    return take_misses(v, from_l2);
}

static void traffic(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    if (!is_global(e)) return;
    bool dram = user != NULL;
    v->paid[o->pc] += !dram ? e->l2_sectors : is_load(o) ? e->misses : e->misses + e->l2_sectors;
}
static bool take_dram(variant *v) {
    each_event(v, traffic, v);
    v->p.dram_gbs = v->p.dram_sector_gbs = ENDLESS;
    v->p.l2_filled_gbs = 0; /* data from DRAM take no longer in L2 than data that L2 has */
    return is_paid(v);
}
static bool take_l2_rate(variant *v) {
    each_event(v, traffic, NULL);
    v->p.l2_gbs = v->p.l2_bytes_cycle = v->p.l2_lines_ns = v->p.l2_stores_ns = ENDLESS;
    v->p.l2_written_gbs = v->p.l2_filled_gbs = ENDLESS;
    return v->p.l2_bytes > 0 && is_paid(v);
}

static void through_lsu(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    (void)user;
    if (o->kind == TIME_TEX || o->kind == TIME_ATOM) return;
    if (e->space == PTX_SPACE_SHARED) v->paid[o->pc] += e->passes;
    else if (is_global(e)) {
        v->paid[o->pc] += e->passes + e->lines / 4.0;
        e->lines = 1;
        if (o->kind == TIME_LOAD) e->had = 0, e->passes = 1; /* they take no time either */
    }
}
static bool take_lsu(variant *v) {
    if (!copy_trace(v)) return false;
    each_event(v, through_lsu, NULL);
    v->p.rate_ldst = v->p.l1_bytes_cycle = v->p.shared_bytes_cycle = ENDLESS;
    return true;
}

static void without_local(variant *v, const time_op *o, sim_trace_event *e, void *user) {
    if (e->space != PTX_SPACE_LOCAL) return;
    if (!user) {
        v->paid[o->pc] += e->sectors;
        return;
    }
    e->lanes = 0;
    e->l2_sectors = e->misses = e->stream_n = e->parts = 0;
}
static bool take_local(variant *v) {
    uint64_t local = v->c.local_ld_sectors + v->c.local_st_sectors;
    double misses = 0;
    each_event(v, without_local, NULL);
    if ((!is_paid(v) && !local) || !copy_trace(v)) return false;
    each_event(v, count_misses, &misses);
    each_event(v, without_local, v);
    follow_misses(v, misses);
    v->c.dram_write =
        scaled(v->c.dram_write, (change){(double)(v->c.gst_sectors + v->c.local_st_sectors),
                                         (double)v->c.gst_sectors});
    v->c.local_ld_sectors = v->c.local_st_sectors = 0;
    return true;
}

/* ---- rows: instructions ---- */

/* Takes the launch's time of warps in a state, by pc. */
static void pay_states(variant *v, uint32_t states) {
    for (uint32_t pc = 0; pc < v->q->places->count; pc++)
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++)
            if (states >> k & 1)
                v->paid[pc] += v->q->places->stall[(size_t)pc * SIM_STALL_COUNT + k];
}

static bool take_latency(variant *v) {
    if (!copy_ops(v)) return false;
    for (uint32_t pc = 0; pc < v->q->places->count; pc++) v->paid[pc] = v->q->places->caused[pc];
    for (uint32_t n = 0; n < v->code.op_count; n++)
        v->code.ops[n].latency = 0, v->code.ops[n].stall = 0;
    v->p.lat_shared = v->p.lat_const = v->p.lat_l1 = v->p.lat_l2 = v->p.lat_dram = 0;
    v->p.lat_lds = v->p.lat_ldc = v->p.lat_ldg = v->p.lat_ldg_l2 = v->p.lat_operands = 0;
    v->p.lat_translation = v->p.back_pass_cycles = 0;
    v->p.lat_atom_shared = v->p.lat_atom_global = 0;
    return true;
}

static bool take_barriers(variant *v) {
    if (!v->c.barriers || !copy_ops(v)) return false;
    pay_states(v, 1u << SIM_STALL_BARRIER);
    for (uint32_t n = 0; n < v->code.op_count; n++) {
        time_op *o = &v->code.ops[n];
        if (o->kind == TIME_BARRIER || o->kind == TIME_ARRIVE)
            o->kind = TIME_PLAIN, o->latency = 0, o->stall = 0, o->pipe = TIME_PIPE_NONE;
    }
    return true;
}

/* Makes an operation as cheap as the cheapest instruction, an addition. */
static void make_cheap(const variant *v, time_op *o, bool vanishes) {
    o->slots = vanishes ? 0 : (float)(v->p.schedulers / v->p.issue_per_cycle);
    o->held = 0;
    o->latency = vanishes ? 0 : (float)v->p.lat_alu;
    o->wide = false;
    if (o->stall > v->p.lat_alu) o->stall = (uint8_t)v->p.lat_alu;
    o->pipe = vanishes ? TIME_PIPE_NONE : TIME_PIPE_EITHER;
    o->busy = vanishes ? 0 : (float)(v->p.schedulers / v->p.rate_fp32);
}

static bool take_math(variant *v) {
    uint8_t *part = calloc((size_t)v->code.op_count + 1, 1);
    if (!part || !copy_ops(v)) {
        free(part);
        return false;
    }
    if (v->q->text.func && v->q->text.ptx) time_sequences(&v->q->text, part);
    double slot = v->p.schedulers / v->p.issue_per_cycle, add = v->p.lat_alu;
    bool found = false;
    for (uint32_t n = 0; n < v->code.op_count; n++) {
        time_op *o = &v->code.ops[n];
        if (o->kind != TIME_PLAIN || o->pipe == TIME_PIPE_NONE) continue;
        bool cheap = o->slots + o->held <= (float)slot && o->busy <= 2 * (float)slot &&
                     o->latency <= 2 * (float)add;
        if (cheap && !part[n]) continue;
        const double *stall = v->q->places->stall + (size_t)o->pc * SIM_STALL_COUNT;
        v->paid[n] += stall[SIM_STALL_SELECTED] + stall[SIM_STALL_MATH_PIPE_THROTTLE] +
                      v->q->places->caused[n];
        found |= v->paid[n] > 0;
        make_cheap(v, o, part[n] == TIME_SEQUENCE_REST);
    }
    free(part);
    v->c.inst_fp64 = v->c.inst_sfu = 0;
    return found;
}

static bool take_instructions(variant *v) {
    if (!copy_ops(v)) return false;
    for (uint32_t n = 0; n < v->code.op_count; n++) {
        time_op *o = &v->code.ops[n];
        if (o->kind != TIME_PLAIN && o->kind != TIME_BRANCH) continue;
        const double *stall = v->q->places->stall + (size_t)n * SIM_STALL_COUNT;
        v->paid[n] += stall[SIM_STALL_SELECTED] + stall[SIM_STALL_MATH_PIPE_THROTTLE];
        o->slots = o->busy = o->latency = o->held = 0;
        o->stall = 0;
        o->wide = false;
        o->amount = 0;
        o->pipe = TIME_PIPE_NONE;
    }
    v->p.branch_cycles = 0;
    v->c.inst_fp32 = v->c.inst_fp64 = v->c.inst_sfu = 0;
    return true;
}

/* ---- rows: divergence ---- */

/* Returns the active part of 32 lanes of an instruction over the whole launch; 1 if unknown. */
static double lanes_filled(const variant *v, uint32_t pc) {
    double f = v->q->lanes ? (double)v->q->lanes[pc] : 1;
    return f > 0 && f < 1 ? f : 1;
}

static bool must_stay(const time_code *c, uint32_t pc, uint32_t end) {
    for (; pc < end; pc++) {
        unsigned k = c->ops[pc].kind;
        if (k == TIME_BARRIER || k == TIME_ARRIVE || k == TIME_EXIT || k == TIME_WAIT ||
            k == TIME_TELLS || k == TIME_LANDED)
            return true;
    }
    return false;
}

static uint16_t times(unsigned n, double f, unsigned most) {
    double x = n * f;
    return (uint16_t)(x < most ? x + 0.5 : most);
}

/* Puts the lanes of several events into one. */
static void pack_event(sim_trace_event *e, double f) {
    if (!e->lanes) return;
    double most = 32.0 / e->lanes, by = 1 / f < most ? 1 / f : most;
    e->lanes = (uint8_t)times(e->lanes, by, 32);
    e->sectors = times(e->sectors, by, UINT16_MAX);
    e->lines = times(e->lines, by, UINT16_MAX);
    e->l1_hits = times(e->l1_hits, by, UINT16_MAX);
    e->l2_sectors = times(e->l2_sectors, by, UINT16_MAX);
    e->misses = times(e->misses, by, UINT16_MAX);
    e->stream_n = times(e->stream_n, by, UINT16_MAX);
}

/* Decides whether the warp keeps a stretch of instructions, which runs as a whole: if f of its
 * lanes are active, f of the warps keep it when lanes are packed. */
static bool keeps(variant *v, double *owed, uint32_t pc, uint32_t end, double f) {
    double *x = &owed[v->code.region_of[pc]];
    if (f >= 1 || must_stay(&v->code, pc, end)) return true;
    for (uint32_t k = pc; k < end; k++) v->paid[k] += 1 - f;
    *x += f;
    if (*x < 1 - 1e-9) return false;
    *x -= 1;
    return true;
}

/* Packs one warp's stream in place. Runs may be cut but never joined, so their number can grow. */
static bool pack_warp(variant *v, double *owed, sim_trace_warp *w, change *all) {
    const time_code *c = &v->code;
    size_t cap = w->at.run_count + 16;
    uint32_t n = 0, in = 0, out = 0;
    sim_trace_run *runs = malloc(cap * sizeof *runs);
    double before = 0, after = 0;
    for (uint32_t r = 0; runs && r < w->at.run_count; r++) {
        uint32_t pc = w->runs[r].first, last = pc + w->runs[r].count;
        bool joined = false;
        for (uint32_t end; pc < last && pc < c->op_count; pc = end) {
            const time_region *g = &c->regions[c->region_of[pc]];
            end = g->first + g->count < last ? g->first + g->count : last;
            double f = lanes_filled(v, pc);
            bool keep = keeps(v, owed, pc, end, f);
            before += end - pc;
            for (uint32_t k = pc; k < end; k++) {
                if (!(c->ops[k].flags & TIME_EVENT) || in >= w->at.event_count ||
                    w->events[in].pc_low != (k & 0xffff))
                    continue;
                sim_trace_event e = w->events[in++];
                /* full warps branch one way */
                if (!keep || c->ops[k].kind == TIME_BRANCH) continue;
                if (f < 1) pack_event(&e, f);
                e.turn = 0; /* the warp that had to come first may be gone */
                w->events[out++] = e;
            }
            if (!keep) {
                joined = false;
                continue;
            }
            after += end - pc;
            if (joined) {
                runs[n - 1].count += end - pc;
                continue;
            }
            if (!lib_grow(&runs, &cap, n, sizeof *runs, 16)) {
                free(runs);
                return false;
            }
            runs[n++] = (sim_trace_run){pc, end - pc};
            joined = true;
        }
    }
    if (!runs) return false;
    free(w->runs);
    w->runs = runs;
    w->at.run_count = n;
    w->at.event_count = out;
    if (before > 0) w->at.steps = (uint64_t)((double)w->at.steps * after / before);
    all->before += before, all->after += after;
    return true;
}

static bool take_divergence(variant *v) {
    if (!v->q->lanes || v->c.thread_inst >= 32 * v->c.warp_inst) return false;
    double *owed = calloc((size_t)v->code.region_count + 1, sizeof *owed);
    change all = {0};
    bool ok = owed && copy_trace(v);
    for (unsigned k = 0; ok && k < v->t.block_count; k++)
        for (unsigned w = 0; ok && w < v->t.blocks[k].warp_count; w++)
            ok = pack_warp(v, owed, &v->t.blocks[k].warps[w], &all);
    free(owed);
    if (!ok || all.after >= all.before) return false;
    if (!v->l.counted) v->c.warp_inst = scaled(v->c.warp_inst, all);
    return true;
}

/* ---- rows: the launch ---- */

/* With an even distribution, no multiprocessor waits for the last wave or for the busiest one. */
static bool take_balance(variant *v) {
    double share = (double)v->l.grid_blocks / v->p.sms,
           most = ceil(share) / share * (v->l.worst > 1 ? v->l.worst : 1);
    v->l.even = true;
    return most > 1.01; /* an upper bound: a smaller gain is not worth a replay */
}
static bool take_launch(variant *v) {
    v->p.kernel_us = v->p.block_dispatch_ns = 0;
    v->p.warp_start_cycles = v->p.warp_first_cycles = 0;
    v->p.warp_launch_cycles = v->p.block_launch_cycles = 0;
    return true;
}

/* ---- all rows ---- */

typedef bool take_fn(variant *v);
static take_fn *const takes[SIM_COST_COUNT] = {
    [SIM_COST_SECTORS] = take_sectors,
    [SIM_COST_BANKS] = take_banks,
    [SIM_COST_DIVERGENCE] = take_divergence,
    [SIM_COST_ATOMICS] = take_atomics,
    [SIM_COST_L1] = take_l1,
    [SIM_COST_L2] = take_l2,
    [SIM_COST_DRAM] = take_dram,
    [SIM_COST_L2_RATE] = take_l2_rate,
    [SIM_COST_LSU] = take_lsu,
    [SIM_COST_LATENCY] = take_latency,
    [SIM_COST_BARRIERS] = take_barriers,
    [SIM_COST_MATH] = take_math,
    [SIM_COST_INSTRUCTIONS] = take_instructions,
    [SIM_COST_LOCAL] = take_local,
    [SIM_COST_BALANCE] = take_balance,
    [SIM_COST_LAUNCH] = take_launch,
};

static void ask(const time_question *q, sim_cost cost, double *paid, sim_what_if *out) {
    variant v = {.p = *q->profile,
                 .code = *q->code,
                 .t = *q->trace,
                 .l = *q->launch,
                 .c = *q->counters,
                 .paid = paid,
                 .q = q};
    v.code.profile = &v.p;
    v.l.kept = NULL; /* no other launch is like this one */
    memset(paid, 0, ((size_t)q->code->op_count + 1) * sizeof *paid);
    if (takes[cost](&v)) {
        time_result r;
        if (v.code.own) time_machine_profile(&v.p, &v.own), v.code.profile = &v.own;
        time_model(&v.p, &v.code, &v.t, &v.l, &v.c, q->occupancy, NULL, &r);
        out->time_us = r.time_us < q->time_us ? r.time_us : q->time_us;
        time_pay(&q->text, paid, q->code->op_count, q->lines, q->line_count, out);
    }
    if (v.own_ops) free(v.code.ops);
    if (v.own_trace) free_trace(&v.t);
}

typedef struct {
    const time_question *q;
    sim_what_if *all;
    atomic_uint next;
} asking;

static void ask_next(void *work, unsigned worker) {
    asking *a = work;
    (void)worker;
    double *paid = calloc((size_t)a->q->code->op_count + 1, sizeof *paid);
    for (unsigned k; paid && (k = atomic_fetch_add(&a->next, 1)) < SIM_COST_COUNT;)
        ask(a->q, (sim_cost)k, paid, &a->all[k]);
    free(paid);
}

sim_what_if *time_what_if(const time_question *q) {
    if (!q->code || !q->trace || !q->places) return NULL;
    sim_what_if *all = calloc(SIM_COST_COUNT, sizeof *all);
    if (!all) return NULL;
    for (unsigned k = 0; k < SIM_COST_COUNT; k++) all[k].time_us = q->time_us;
    asking a = {.q = q, .all = all};
    if (q->share) q->share(q->share_user, ask_next, &a);
    else ask_next(&a, 0);
    return all;
}
