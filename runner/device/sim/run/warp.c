/* A warp runs segment after segment, as one fragment (all its lanes at one place) or several.
 *
 * A branch that lanes take both ways splits a fragment. Among the fragments that can run, the one
 * in the deepest call runs, and among those of one frame the one whose segment is lowest in the
 * function's order. So a fragment arrives at the place where the paths meet before the other passes
 * it, and two that meet become one. This order alone could starve a fragment: a lane that spins on
 * a lock of another lane of its warp would stay lowest for ever. So a fragment in a loop in which
 * lanes may wait for others gives way after a while, and one in any other loop after a long while.
 * It runs again when the others wait, gave way too, or have ended. So between two turns of one
 * fragment, all others that can run get a turn.
 *
 * .sync instructions wait in state SYNC until all lanes of their mask that have not exited have
 * arrived (sync.c); block barriers wait in state BAR until barrier.c opens them. */
#include "runner/device/sim/debug/hook.h"
#include "runner/base/cancel.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/native/native.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/call.h"
#include "runner/device/sim/run/cluster.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/run/frag.h"
#include "runner/device/sim/exec/stray.h"
#include "runner/device/sim/exec/wait.h"
#include "runner/device/sim/run/stuck.h"
#include "runner/device/sim/run/twins.h"
#include "runner/device/sim/run/warp.h"
#include "runner/device/sim/special/async.h"
#include "runner/device/sim/tap/tap.h"
#include "words/finding.h"
#include <stdio.h>

enum {
    SPIN_ROUNDS = 64, /* rounds of a waiting loop before a fragment gives way */
    /* rounds of other loops: more than the usual difference between lanes that will meet again */
    LONG_ROUNDS = 1 << 20,
    FUEL = 1 << 14 /* warp instructions between checks of the budget and the cancel flag */
};

void sim_warp_start(sim_warp *w, uint32_t lanes) {
    const sim_func *f = w->root->func;
    w->exist = w->live = lanes;
    w->stop = false;
    w->frag_count = 1;
    w->frags[0] = (sim_frag){.mask = lanes, .frame = w->root};
    w->root->refs = 1;
    w->frame_serial = 0;
    w->products = 0;
    w->last_product = NULL;
    w->state = SIM_WARP_READY;
    w->strays = 0;
    w->loaded = 0;
    w->timed = w->block->run->image->clocked;
    w->late = w->skipped = 0;
    w->idle = 0;
    w->pending_count = 0;
    w->refusals = 0;
    w->polled = w->alone = w->lead = w->slept = 0;
    w->met = false;
    w->meets = w->block->words != NULL;
    w->returned = false;
    w->took = false;
    memset(w->marks, 0, w->block->run->image->mark_count * sizeof *w->marks);
    sim_frame_fresh(w, f, w->root->regs);
}

/* ---- parts of a turn ---- */

static void warp_exit_lanes(sim_warp *w, uint32_t c) {
    uint32_t lanes = w->frags[c].mask;
    w->live &= ~lanes;
    if (w->strays) sim_stray_exited(w, lanes);
    sim_frag_remove(w, c);
    sim_block_exited(w->block, sim_lane_count(lanes));
    if (w->block->cluster) sim_cluster_exited(w, lanes);
    if (w->frag_count) sim_sync_exited(w, lanes);
}

/* Returns whether the fragment gives way that has gone round a waiting loop so often. Where the
 * block's other warps go next, so do the warp's other lanes: one of them may have what all wait
 * for. */
static bool warp_spun(const sim_warp *w, const sim_frag *f, uint32_t rounds) {
    bool others = false;
    for (uint32_t k = 0; w->met && k < w->frag_count; k++)
        others |= &w->frags[k] != f && w->frags[k].state == SIM_FRAG_READY;
    return others || rounds >= SPIN_ROUNDS;
}

/* The fragment has gone round a loop. Returns true if it gives way to the others of its warp. */
static bool warp_gives_way(const sim_warp *w, sim_frag *f, const sim_seg *s) {
    if (s->spin ? !warp_spun(w, f, ++f->spins) : w->frag_count == 1 || ++f->rounds < LONG_ROUNDS)
        return false;
    f->spins = SPIN_ROUNDS / 2;
    f->rounds = 0;
    f->yielded = true;
    return true;
}

/* No fragment of the warp can run until sim_frag_choose() starts the next round. */
static bool warp_all_gave_way(const sim_warp *w) {
    for (uint32_t k = 0; k < w->frag_count; k++)
        if (w->frags[k].state == SIM_FRAG_READY && !w->frags[k].yielded) return false;
    return true;
}

/* The launch has executed more than its limit. */
static void warp_out_of_budget(sim_warp *w, const sim_seg *s) {
    const sim_run_state *r = w->block->run;
    const ptx_func *f = w->frame->func->ptx;
    uint32_t at = s->ptx_first + (s->ptx_count ? s->ptx_count - 1 : 0);
    /* Reports the limit, not the number executed: it is the same on any number of cores. */
    uint64_t taken = r->launch->inst_taken;
    bool many = taken > r->budget;
    uint64_t executed = (r->budget + taken) / SIM_WARP_LANES;
    sim_fail_at(w, at < f->insn_count ? &f->insns[at] : NULL, w->mask & -w->mask, SIM_BUDGET,
                SIM_FIND_BUDGET,
                many ? w_finding_budget_all((double)executed) : w_finding_budget((double)executed));
}

/* Checks the budget, cancellation, and the failure of a lower block. */
static bool warp_look_around(sim_warp *w, const sim_seg *s) {
    sim_worker *k = w->worker;
    sim_run_state *r = w->block->run;
    k->fuel = FUEL;
    uint64_t all =
        atomic_fetch_add_explicit(&r->executed, k->executed, memory_order_relaxed) + k->executed;
    k->executed = 0;
    sim_native_note(r->image->native, k, all / SIM_WARP_LANES, false);
    if (lib_raised(r->launch->cancel)) {
        sim_fail(w, SIM_CANCELLED);
    } else if (all > r->budget) {
        warp_out_of_budget(w, s);
    } else if (atomic_load_explicit(&r->stop_after, memory_order_relaxed) < w->block->order) {
        w->block->failed = true; /* its results are not needed */
        w->block->status = SIM_OK;
        w->stop = true;
    }
    return !w->stop;
}

/* Records where the lanes of `on` read, as part of a loop's round. Addresses of shared memory have
 * 32 bits. */
static void warp_trace_asks(sim_warp *w, const sim_insn *i, uint32_t on, uint32_t pc) {
    bool wide = i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC;
    uint64_t h = (w->trace->asked ^ pc ^ (uint64_t)on << 32) * 0x9E3779B97F4A7C15u;
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t at = wide ? LANES(const uint64_t, i->a)[l] : LANES(const uint32_t, i->a)[l];
        h = (h ^ h >> 29 ^ at) * 0xBF58476D1CE4E5B9u;
    }
    w->trace->asked = h | 1;
}

/* Returns where the first lane of `on` reads, the lowest bits: which word of shared memory it
 * is. */
static uint32_t first_word(const sim_warp *w, const sim_insn *i, uint32_t on) {
    unsigned l = (unsigned)__builtin_ctz(on);
    bool wide = i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC;
    return (uint32_t)(i->offset + (wide ? (uint32_t)LANES(const uint64_t, i->a)[l]
                                        : LANES(const uint32_t, i->a)[l]));
}

/* Finds the addresses of words that the lanes of `on` access; others' shared memory begins with the
 * rank of its block. Returns their number, 0: memory of a thread's own. */
static unsigned warp_words_at(const sim_warp *w, const sim_insn *i, uint32_t on,
                              uint64_t at[SIM_WARP_LANES]) {
    bool wide = i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC;
    unsigned n = 0;
    if (!wide && i->site->space != SIM_SPACE_SHARED) return 0;
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t a =
            i->offset + (wide ? LANES(const uint64_t, i->a)[l] : LANES(const uint32_t, i->a)[l]);
        if (wide && a - SIM_SHARED_WINDOW < SIM_LOCAL_WINDOW - SIM_SHARED_WINDOW)
            a -= SIM_SHARED_WINDOW;
        if (!n || at[n - 1] / SIM_WORD_BYTES != a / SIM_WORD_BYTES) at[n++] = a;
    }
    return n;
}

/* Returns the table of the block in whose shared memory the word is; otherwise the warp's own. */
static sim_meets *warp_words_of(const sim_warp *w, uint64_t *at) {
    const sim_block *b = w->block;
    if (!b->cluster || *at > UINT32_MAX) return b->words;
    unsigned rank = sim_shared_rank((uint32_t)*at);
    *at = sim_shared_offset((uint32_t)*at);
    if (rank >= b->cluster->size || !b->cluster->block[rank]) return NULL;
    return b->cluster->block[rank]->words;
}

/* The warp has read what those of this path wrote, in another block's memory or its own; global:
 * it comes through L2. */
static inline void warp_waited_for(sim_warp *w, uint64_t path, bool global) {
    const sim_profile *p = w->block->run->device->profile;
    path += (uint64_t)(global && p->lat_l2 > 0 ? p->lat_l2 : p->lat_shared);
    w->lead = sim_path_later(w->alone + w->lead, path, w->block->run->trip_cycles) - w->alone;
}

/* Returns the path to what the warp writes now to a word of that table. */
static inline uint64_t warp_writes_at(const sim_warp *w, const sim_meets *of) {
    uint64_t way = of == w->block->words ? 0 : (uint64_t)w->block->run->device->profile->lat_remote;
    return w->alone + w->lead + way;
}

/* The lanes of `on` have executed an access to memory. Words by which warps wait for one another
 * are known by their polls; *e: what a trace keeps of that. Where such a word was read or written,
 * the others of the block go next, so that they see each of its values. */
static void warp_meets(sim_warp *w, const sim_seg *s, const sim_insn *i, uint32_t on,
                       sim_trace_event *e) {
    uint64_t at[SIM_WARP_LANES];
    const ptx_insn *p = i->ptx;
    bool reads = s->polls &&
                 (p->klass == PTX_CLASS_ATOM ||
                  (p->klass == PTX_CLASS_LOAD && p->field[PTX_FIELD_ORDER] >= PTX_ORDER_volatile)),
         writes = p->klass == PTX_CLASS_STORE || p->klass == PTX_CLASS_ATOM;
    unsigned n = reads || writes ? warp_words_at(w, i, on, at) : 0;
    if (!n) return;
    sim_meets *own = w->block->words, *of = warp_words_of(w, &at[0]);
    for (unsigned k = 1; k < n; k++)
        if (warp_words_of(w, &at[k]) != of) n = k; /* the words of one block */
    if (!of) return;
    sim_meets_at seen = {0};
    if (reads) {
        seen = sim_meets_poll(of, at, n);
        if (of == own) e->word = seen.group, e->turn = seen.turn;
        if (seen.turn || seen.path) warp_waited_for(w, seen.path, at[0] > UINT32_MAX);
        w->met = true;
    }
    if (p->klass == PTX_CLASS_ATOM && !w->worker->acted) {
        if (reads) sim_block_polled(w->block->mem, sim_access_last(w->access));
        return;
    }
    if (!writes) return;
    seen = sim_meets_write(of, at, n, warp_writes_at(w, of), of == own);
    if (of == own) e->word = seen.group | SIM_WORD_WRITES;
    w->met |= seen.polled;
    w->worker->words_written += seen.polled;
}

/* The same for mbarriers. */
static void warp_meets_mbarrier(sim_warp *w, const sim_insn *i, uint32_t on, sim_trace_event *e) {
    const ptx_insn *p = i->ptx;
    bool waits = p->op == PTX_OP_mbarrier_test_wait || p->op == PTX_OP_mbarrier_try_wait,
         wide = i->site ? i->site->space != PTX_SPACE_SHARED : i->imm;
    if (waits) sim_block_polled(w->block->mem, sim_access_last(w->access));
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t at = (uint32_t)(i->offset + (wide ? LANES(const uint64_t, i->a)[l]
                                                   : LANES(const uint32_t, i->a)[l]));
        sim_meets *of = warp_words_of(w, &at), *own = w->block->words;
        if (!of) continue;
        if (!waits) {
            sim_meets_at seen = sim_meets_write(of, &at, 1, warp_writes_at(w, of), of == own);
            if (of == own) e->word = seen.group | SIM_WORD_WRITES;
        }
        if (of != own) continue;
        sim_meets_at seen = sim_meets_phase(of, at, sim_mbarrier_parity(w, (uint32_t)at), waits);
        if (!waits || !(PRED(i->d) >> l & 1)) continue;
        e->word = seen.group, e->turn = seen.turn;
        warp_waited_for(w, seen.path, false);
    }
    w->met = true;
}

/* mbarrier operations cost their issue slot and a latency. For the model of time only waits are
 * accesses. */
static bool warp_is_access(const ptx_insn *p) {
    switch (p->klass) {
    case PTX_CLASS_BARRIER: return false;
    case PTX_CLASS_ASYNC: return ptx_op_is(p->op, PTX_IS_COPIES);
    default: return true;
    }
}

/* Returns whether the model of time needs to know of this instruction on mbarriers: waits and
 * arrivals. An arrival after copies may have no site; then `imm` says what kind of address it
 * has. */
static bool warp_traces_mbarrier(const ptx_insn *p) {
    switch (p->op) {
    case PTX_OP_mbarrier_test_wait:
    case PTX_OP_cp_async_mbarrier_arrive:
    case PTX_OP_mbarrier_expect_tx:
    case PTX_OP_mbarrier_complete_tx:
    case PTX_OP_mbarrier_arrive:
    case PTX_OP_mbarrier_arrive_expect_tx:
    case PTX_OP_mbarrier_arrive_drop:
    case PTX_OP_mbarrier_arrive_drop_expect_tx: return true;
    default: return false;
    }
}

/* The lanes of `on` have looked at mbarriers, each at its own, or will arrive there. */
static void warp_trace_mbarrier(sim_warp *w, const sim_func *fn, const sim_insn *i, uint32_t on) {
    bool wide = i->site ? i->site->space != PTX_SPACE_SHARED : i->imm;
    uint16_t bars = 0;
    for (uint32_t m = on; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        bars |= sim_mbarrier_bit(
            i->offset + (wide ? LANES(const uint64_t, i->a)[l] : LANES(const uint32_t, i->a)[l]));
    }
    uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
    sim_trace_event e = {.pc_low = (uint16_t)pc,
                         .space = PTX_SPACE_SHARED,
                         .lanes = (uint8_t)__builtin_popcount(on),
                         .distinct = bars};
    if (w->meets) warp_meets_mbarrier(w, i, on, &e);
    sim_trace_event_add(w->trace, e);
}

/* Returns the number of the segment's PTX instructions after that of i. */
static uint32_t warp_behind(const sim_func *fn, const sim_seg *s, const sim_insn *i) {
    return s->ptx_first + s->ptx_count - (uint32_t)(i->ptx - fn->ptx->insns) - 1;
}

/* Executes instruction i of the segment, possibly one of several of a PTX instruction, for a warp
 * whose registers or clock are followed. */
static inline void warp_step(sim_warp *w, const sim_func *fn, const sim_seg *s, const sim_insn *i) {
    if (i == &fn->insns[s->first] || i[-1].ptx != i->ptx) {
        if (w->strays) sim_stray_step(w, i->ptx);
        if (w->timed) sim_wait_for(w, i->ptx, warp_behind(fn, s, i));
    }
    bool on = !i->inner[0] || w->mask & (PRED(i->guard) ^ i->guard_xor);
    i->fn[1](w, i);
    if (w->strays && w->stray->parked && i->site) sim_stray_parked(w, i);
    if (w->loaded) sim_stray_loaded(w, i->ptx);
    if (w->timed && i->site && on) sim_wait_begin(w, i->ptx, warp_behind(fn, s, i));
}

/* Returns the lanes that execute it. */
static uint32_t warp_lanes_of(const sim_warp *w, const sim_insn *i) {
    return i->inner[0] ? w->mask & (PRED(i->guard) ^ i->guard_xor) : w->mask;
}

/* Tells the tap, which may be NULL, that i and all before it are about to be executed. */
static void warp_tap(sim_tap *tap, sim_warp *w, const sim_func *fn, const sim_insn *i,
                     uint32_t *at) {
    if (!tap) return;
    sim_tap_until(tap, w, at, (uint32_t)(i->ptx - fn->ptx->insns) + 1);
    if (i->site) sim_tap_access(tap, w, i, warp_lanes_of(w, i));
}

/* The same for the segment's end. */
static void warp_tap_end(sim_tap *tap, sim_warp *w, const sim_func *fn, const sim_seg *s,
                         uint32_t at) {
    const sim_insn *end = &fn->insns[s->first + s->count];
    if (!tap) return;
    sim_tap_until(tap, w, &at, s->ptx_first + s->ptx_count);
    if (s->end != SIM_END_FALL && end->site) sim_tap_access(tap, w, end, warp_lanes_of(w, end));
}

/* Executes the segment's instructions and records what they did (trace.h). */
static void warp_run_traced(sim_warp *w, const sim_func *fn, const sim_seg *s, sim_tap *tap) {
    uint32_t tapped = s->ptx_first;
    if (w->timed) sim_wait_idle(w, s);
    const sim_insn *i = &fn->insns[s->first];
    sim_trace_steps(w->trace, fn->pc_base + s->ptx_first, s->ptx_count);
    if (w->block->trace->segs) w->block->trace->segs[s->id]++;
    bool acted = w->worker->acted;
    w->worker->acted = false;
    for (const sim_insn *end = i + s->count; i < end; i++) {
        warp_tap(tap, w, fn, i, &tapped);
        uint32_t on = warp_lanes_of(w, i);
        unsigned bytes = i->site ? i->site->elem * i->site->vec : 0;
        sim_l1_passes passes = {0};
        if ((i->ptx->op == PTX_OP_ld || i->ptx->op == PTX_OP_st) && i->site && on &&
            (i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC))
            passes = sim_trace_l1_passes(LANES(const uint64_t, i->a), i->offset, on, bytes);
        if (i->ptx->op == PTX_OP_st) passes.absent = 0; /* a store fetches nothing */
        uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns), word = 0;
        unsigned atom_passes = 1;
        if (i->site && on && i->ptx->klass == PTX_CLASS_ATOM) {
            word = first_word(w, i, on);
            if (i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC)
                atom_passes = sim_trace_atom_passes(LANES(const uint64_t, i->a), i->offset, on);
        }
        if (i->site && on && (i->ptx->klass == PTX_CLASS_LOAD || i->ptx->klass == PTX_CLASS_ATOM))
            warp_trace_asks(w, i, on, pc);
        bool before = w->worker->acted;
        w->worker->acted = false;
        warp_step(w, fn, s, i);
        if (on && warp_traces_mbarrier(i->ptx)) warp_trace_mbarrier(w, fn, i, on);
        sim_trace_event met = {0};
        if (w->meets && i->site && on) warp_meets(w, s, i, on, &met);
        w->worker->acted |= before;
        if (!i->site || !on) continue;
        if (!warp_is_access(i->ptx)) continue;
        sim_access_cost cost = *sim_access_last(w->access);
        if (i->ptx->klass == PTX_CLASS_ATOM && cost.space == PTX_SPACE_SHARED)
            cost.stream_at = word;
        if (i->ptx->klass == PTX_CLASS_ATOM && cost.space == SIM_SPACE_GLOBAL)
            cost.passes = (uint16_t)atom_passes;
        sim_trace_access(w->trace, pc, bytes, passes, &cost);
        if (met.word && !w->trace->at.off) {
            sim_trace_event *e = &w->trace->events[w->trace->at.event_count - 1];
            e->word = met.word, e->turn = met.turn;
        }
    }
    w->trace->changed |= s->acts | w->worker->acted;
    w->worker->acted |= acted;
    warp_tap_end(tap, w, fn, s, tapped);
}

static void warp_run_tapped(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    sim_tap *tap = sim_twins_tap(w->block->run);
    uint32_t tapped = s->ptx_first;
    if (w->trace) {
        warp_run_traced(w, fn, s, tap);
        return;
    }
    for (const sim_insn *i = &fn->insns[s->first], *end = i + s->count; i < end; i++) {
        warp_tap(tap, w, fn, i, &tapped);
        warp_step(w, fn, s, i);
    }
    warp_tap_end(tap, w, fn, s, tapped);
}

/* Executes the segment by its machine code; a loop as often as the fuel lasts. Returns the
 * instruction after the last executed one, if that is a load whose value must be followed. */
static const sim_insn *warp_run_native(sim_warp *w, const sim_seg *s,
                                       const sim_native_seg *native) {
    const sim_native_step *step = native->steps;
    for (w->steps_until = step + native->step_count; step < (const sim_native_step *)w->steps_until;
         step++)
        step->fn(w, step->insn);
    if (w->loaded) return step[-1].insn + 1;
    if (!native->loop) return NULL;
    sim_worker *k = w->worker;
    int64_t each = s->ptx_count, more = k->fuel > 0 ? (k->fuel + each - 1) / each : 0;
    /* The first round is counted already. */
    uint64_t again = native->loop(w, (uint32_t)more + 1) - 1;
    k->segs[s->id].warps += again;
    k->segs[s->id].lanes += again * sim_lane_count(w->mask);
    k->fuel -= (int64_t)again * each;
    k->executed += SIM_WARP_LANES * again * s->ptx_count;
    w->block->clock += again * s->ptx_count;
    w->alone += again * s->alone;
    return NULL;
}

/* Called before warp_gives_way(), which counts the round. */
static void warp_trace_round(sim_warp *w, const sim_func *fn, const sim_frag *f, const sim_seg *s) {
    sim_trace_warp *t = w->trace;
    uint64_t asked = s->polls ? t->asked : 0;
    uint32_t pc = fn->pc_base + s->ptx_first + s->ptx_count;
    if (!sim_trace_round_asks(t, pc, asked)) sim_trace_round(t, pc, sim_lanes_state(f), asked);
    t->asked = 0;
    t->changed = false;
    if (warp_spun(w, f, f->spins + 1)) sim_trace_round_left(w->trace);
}

/* The segment ends with a branch that lanes take both ways. */
static void warp_trace_split(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    uint32_t pc = fn->pc_base + s->ptx_first + s->ptx_count - 1;
    sim_trace_event_add(w->trace, (sim_trace_event){.pc_low = (uint16_t)pc, .passes = 1});
}

static void warp_trace_barrier(sim_warp *w, const sim_func *fn, const sim_insn *i, unsigned id,
                               unsigned warps) {
    uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
    sim_trace_event_add(
        w->trace,
        (sim_trace_event){.pc_low = (uint16_t)pc, .space = (uint8_t)id, .passes = (uint16_t)warps});
}

/* Records how many values the lanes of a match.any have. */
static void warp_trace_match(sim_warp *w, const sim_func *fn, const sim_insn *i, uint32_t on) {
    uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
    bool wide = ptx_type_size(i->ptx->type[0]) == 8;
    uint64_t seen[SIM_WARP_LANES];
    unsigned n = 0;
    for (; on; on &= on - 1) {
        unsigned l = (unsigned)__builtin_ctz(on), k = 0;
        uint64_t v = wide ? LANES(const uint64_t, i->a)[l] : LANES(const uint32_t, i->a)[l];
        while (k < n && seen[k] != v) k++;
        if (k == n) seen[n++] = v;
    }
    if (n)
        sim_trace_event_add(w->trace,
                            (sim_trace_event){.pc_low = (uint16_t)pc, .passes = (uint16_t)n});
}

/* ---- segments ---- */

/* What the running fragment does at the end of a segment. */
typedef enum {
    GO_ON,    /* it continues, at f->seg */
    CHOOSE,   /* another fragment of the warp may run next */
    GIVE_WAY, /* the warp gives way to the other warps of its block */
    STOP      /* the block has failed, or must end */
} warp_outcome;

/* The lanes of w->mask are about to execute the segment. */
static inline void warp_count_segment(sim_warp *w, sim_worker *k, const sim_seg *s) {
    k->segs[s->id].warps++;
    k->segs[s->id].lanes += sim_lane_count(w->mask);
    k->fuel -= (int32_t)s->ptx_count;
    k->executed += (uint64_t)SIM_WARP_LANES * s->ptx_count;
    k->acted |= s->acts;
    if (s->mark) w->marks[s->mark - 1] |= w->mask;
    w->block->clock += s->ptx_count;
    w->alone += s->alone;
}

/* Returns whether all lanes of a segment that is its own loop take its branch, no other fragment of
 * the warp may meet them there, and nothing else needs a check. */
static inline bool warp_goes_round(const sim_warp *w, const sim_insn *branch) {
    return w->frag_count == 1 && !w->stop && w->worker->fuel > 0 &&
           !(w->mask & ~(PRED(branch->guard) ^ branch->guard_xor));
}

/* Executes the segment for a warp in which some registers hold undefined values, or whose kernel
 * reads a clock or has threads that wait for one another at words of memory. */
static void warp_run_steps(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    if (w->timed) sim_wait_idle(w, s);
    for (const sim_insn *i = &fn->insns[s->first], *end = i + s->count; i < end; i++) {
        uint32_t on = w->meets ? warp_lanes_of(w, i) : 0;
        bool before = w->worker->acted;
        sim_trace_event none;
        if (w->meets) w->worker->acted = false;
        warp_step(w, fn, s, i);
        if (!w->meets) continue;
        if (on && warp_traces_mbarrier(i->ptx)) warp_meets_mbarrier(w, i, on, &none);
        else if (on && i->site) warp_meets(w, s, i, on, &none);
        w->worker->acted |= before;
    }
}

/* Executes the rest of a segment after a load of memory that was never written. */
static void warp_run_rest(sim_warp *w, const sim_func *fn, const sim_seg *s, const sim_insn *i) {
    sim_stray_loaded(w, i[-1].ptx);
    for (const sim_insn *end = &fn->insns[s->first] + s->count; i < end; i++)
        warp_step(w, fn, s, i);
}

/* Executes the segment without its end; if it is its own loop, round after round. */
static inline void warp_run_segment(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    const sim_insn *i = &fn->insns[s->first], *end = i + s->count;
    if (w->trace) {
        warp_run_traced(w, fn, s, NULL);
        return;
    }
    if (w->strays | w->timed | w->meets) {
        warp_run_steps(w, fn, s);
        return;
    }
    unsigned some = (w->mask | ~w->live) != SIM_ALL_LANES;
    const sim_native_seg *native = __atomic_load_n(&s->native, __ATOMIC_ACQUIRE);
    if (some || (native && native->loop && w->frag_count > 1)) native = NULL;
    for (;;) {
        const sim_insn *at = i;
        if (native) at = warp_run_native(w, s, native);
        else
            for (w->until = end; at < w->until; at++) at->fn[some](w, at);
        if (w->loaded) warp_run_rest(w, fn, s, at);
        if (!s->round || w->strays || !warp_goes_round(w, end)) return;
        warp_count_segment(w, w->worker, s);
    }
}

/* The lanes of `on` go round a loop that polls. Its load is one of waiting if it has read the same
 * places of global memory as in the round before. */
static void warp_polled(sim_warp *w, const sim_insn *load, uint32_t on) {
    bool wide = load->site->space == SIM_SPACE_GENERIC;
    uint64_t h = on;
    for (uint32_t m = on; m; m &= m - 1) {
        uint64_t at = LANES(const uint64_t, load->a)[__builtin_ctz(m)] + load->offset;
        if (wide && at - SIM_SHARED_WINDOW < SIM_DEV_BASE(0) - SIM_SHARED_WINDOW) return;
        h = (h ^ h >> 29 ^ at) * 0xBF58476D1CE4E5B9u;
    }
    w->worker->polled_loads += w->polled == h;
    w->polled = h;
}

/* The branch to f->seg was taken. */
static inline warp_outcome warp_branched(sim_warp *w, const sim_func *fn, sim_frag *f,
                                         const sim_seg *s) {
    if (w->trace && s->back && s->spin) warp_trace_round(w, fn, f, s);
    if (s->polls) w->block->waited += s->ptx_count, w->returned = true;
    if (s->polled) warp_polled(w, s->polled, f->mask);
    w->worker->looks_again += s->again;
    if (!s->back || !warp_gives_way(w, f, s)) return GO_ON;
    if (!warp_all_gave_way(w)) return CHOOSE;
    w->worker->yields++;
    return GIVE_WAY;
}

/* The lanes of `on`, at least one, go to the target, the others to the next segment. */
static inline warp_outcome warp_branch_if(sim_warp *w, const sim_func *fn, sim_frag *f,
                                          const sim_seg *s, uint32_t on) {
    uint32_t off = f->mask & ~on;
    if (off) {
        w->worker->segs[s->id].split++;
        if (w->trace) warp_trace_split(w, fn, s);
        sim_frag_add(w, f, off, s->next);
        f->mask = on;
    }
    f->seg = s->target;
    warp_outcome o = warp_branched(w, fn, f, s);
    return o == GO_ON && off ? CHOOSE : o;
}

/* Each lane goes to the target of its index, with a fragment for each target. */
static warp_outcome warp_branch_index(sim_warp *w, const sim_func *fn, sim_frag *f,
                                      const sim_seg *s, const sim_insn *i) {
    const sim_targets *t = i->aux;
    const uint32_t *a = LANES(const uint32_t, i->a);
    bool first = true;
    unsigned ways = 0;
    for (uint32_t left = f->mask; left; ways++) {
        uint32_t v = a[__builtin_ctz(left)], group = 0;
        for (uint32_t x = left; x; x &= x - 1)
            if (a[__builtin_ctz(x)] == v) group |= 1u << __builtin_ctz(x);
        left &= ~group;
        /* PTX leaves an index past the table undefined */
        uint32_t to = v < t->count ? t->seg[v] : fn->seg_count - 1;
        if (first) {
            f->mask = group;
            f->seg = to;
            if (left) w->worker->segs[s->id].split++;
        } else {
            sim_frag_add(w, f, group, to);
        }
        first = false;
    }
    if (ways > 2) w->worker->segs[s->id].parted += ways - 2;
    return CHOOSE;
}

static warp_outcome warp_barrier(sim_warp *w, const sim_func *fn, sim_frag *f, const sim_insn *i) {
    sim_block *b = w->block;
    unsigned id = LANES(const uint32_t, i->a)[__builtin_ctz(f->mask)] & (SIM_BARRIERS - 1);
    uint32_t count = i->b == SIM_NO_SLOT ? 0 : LANES(const uint32_t, i->b)[__builtin_ctz(f->mask)];
    if (w->trace) warp_trace_barrier(w, fn, i, id, count ? count / SIM_WARP_LANES : b->warp_count);
    if (sim_block_arrive(b, w, f, i)) return GO_ON;
    return w->stop ? STOP : CHOOSE;
}

static warp_outcome warp_cluster(sim_warp *w, uint32_t c, const sim_func *fn, const sim_insn *i) {
    if (w->trace && i->imm == SIM_CLUSTER_WAIT)
        warp_trace_barrier(w, fn, i, SIM_CLUSTER_BAR, w->block->warp_count);
    if (sim_cluster_barrier(w, c, i)) return GO_ON;
    return w->stop ? STOP : CHOOSE;
}

/* "Suspends the thread for a sleep duration approximately close to the delay t", anything from 0 to
 * 2 t (PTX ISA 9.7.14.3): if orders are drawn, it is 0 every second time. */
static bool warp_sleeps(const sim_warp *w) {
    const sim_block *b = w->block;
    uint64_t turns = b->run->turns;
    return !turns || sim_trace_draw(turns + b->linear, (unsigned)b->clock + w->index, 2);
}

/* The model of time takes the time asked, however the draw was. In a loop that polls, the number of
 * rounds depends on the interpreter: only the first sleep counts. */
static void warp_slept(sim_warp *w, const sim_seg *s, const sim_insn *i, uint32_t ns) {
    sim_block *b = w->block;
    if (w->trace) {
        const sim_func *fn = w->frame->func;
        uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
        sim_trace_event_add(w->trace, (sim_trace_event){.pc_low = (uint16_t)pc, .stream_at = ns});
    }
    uint64_t cycles = 1 + (uint64_t)(ns * b->run->device->profile->clock_ghz);
    bool again = s->polls && w->returned;
    w->returned = false;
    if (again) return;
    w->slept += cycles;
    b->slept += cycles;
    if (w->slept > b->slept_most) b->slept_most = w->slept;
}

static warp_outcome warp_sleep(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i) {
    const uint32_t most = 1000000; /* PTX ISA 9.7.14.3 */
    uint32_t ns = 0;
    for (uint32_t on = f->mask; on; on &= on - 1) {
        uint32_t its = LANES(const uint32_t, i->a)[__builtin_ctz(on)];
        if (its > ns) ns = its < most ? its : most;
    }
    warp_slept(w, s, i, ns);
    if (!warp_sleeps(w)) {
        w->block->clock++;
        f->seg = s->next;
        return GO_ON;
    }
    uint64_t slept = (uint64_t)(ns * w->block->run->device->profile->clock_ghz) / 4;
    w->block->clock += slept;
    w->block->waited += slept;
    f->seg = s->next;
    f->yielded = true;
    w->worker->yields++;
    return GIVE_WAY;
}

/* A potentially blocking instruction (PTX ISA 9.7.13.15.16, mbarrier.try_wait): lanes that have not
 * found what they wait for give way at once instead of going round their loop. */
static warp_outcome warp_poll(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i,
                              uint32_t on) {
    w->mask = on;
    i->fn[1](w, i);
    if (w->stop) return STOP;
    sim_trace_event none;
    if (w->trace) warp_trace_mbarrier(w, w->frame->func, i, on);
    else if (w->meets) warp_meets_mbarrier(w, i, on, &none);
    f->seg = s->next;
    if (!(on & ~PRED(i->d))) return GO_ON;
    f->yielded = true;
    w->worker->yields++;
    return GIVE_WAY;
}

static warp_outcome warp_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i) {
    if (!sim_call(w, f, s, i)) f->seg = s->next;
    return w->stop ? STOP : CHOOSE;
}

static warp_outcome warp_sync(sim_warp *w, uint32_t c, const sim_seg *s, const sim_insn *i) {
    if (w->trace && sim_trace_is_match(i->ptx))
        warp_trace_match(w, w->frame->func, i, w->frags[c].mask);
    bool done = sim_sync_arrive(w, c, i);
    if (done) w->frags[c].seg = s->next;
    if (w->stop) return STOP;
    return done && w->frag_count == 1 ? GO_ON : CHOOSE;
}

/* Executes the end of segment s for the lanes of fragment c whose guard holds. These are all of its
 * lanes, except at conditional branches. */
static inline warp_outcome warp_end_for(sim_warp *w, uint32_t c, const sim_func *fn,
                                        const sim_seg *s, const sim_insn *i, uint32_t on) {
    sim_frag *f = &w->frags[c];
    switch ((sim_end)s->end) {
    case SIM_END_FALL: f->seg = s->next; return GO_ON;
    case SIM_END_CBRA: return warp_branch_if(w, fn, f, s, on);
    case SIM_END_BRA: f->seg = s->target; return warp_branched(w, fn, f, s);
    case SIM_END_BRX: return warp_branch_index(w, fn, f, s, i);
    case SIM_END_RET:
        if (!w->frame->parent) warp_exit_lanes(w, c);
        else {
            if (w->strays) sim_stray_returned(w, on);
            sim_return(w, f);
        }
        return CHOOSE;
    case SIM_END_EXIT: warp_exit_lanes(w, c); return CHOOSE;
    case SIM_END_CALL: return warp_call(w, f, s, i);
    case SIM_END_TRAP:
        sim_fail_at(w, i->ptx, on, SIM_TRAP, SIM_FIND_TRAP, w_finding_trap());
        return STOP;
    case SIM_END_SYNC: return warp_sync(w, c, s, i);
    case SIM_END_BAR: return warp_barrier(w, fn, f, i);
    case SIM_END_CLUSTER: return warp_cluster(w, c, fn, i);
    case SIM_END_YIELD: return warp_sleep(w, f, s, i);
    case SIM_END_POLL: return warp_poll(w, f, s, i, on);
    }
    return STOP;
}

/* Splits fragment f by the guard of its segment's end; *on: the lanes for which it holds. Returns
 * true if the others have become a fragment of their own. */
static inline bool warp_part_by_guard(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i,
                                      uint32_t *on) {
    uint32_t mask = f->mask;
    *on = mask & (PRED(i->guard) ^ i->guard_xor);
    if (s->end == SIM_END_CBRA || *on == mask || !*on) return false;
    if (s->end == SIM_END_CALL || s->end == SIM_END_RET || s->end == SIM_END_EXIT)
        w->worker->segs[s->id].parted++;
    sim_frag_add(w, f, mask & ~*on, s->next);
    f->mask = w->mask = *on;
    return true;
}

/* The same for all lanes: those whose guard does not hold go on to the next segment. */
static inline warp_outcome warp_end_segment(sim_warp *w, uint32_t c, const sim_func *fn,
                                            const sim_seg *s) {
    const sim_insn *i = &fn->insns[s->first + s->count];
    sim_frag *f = &w->frags[c];
    uint32_t on = f->mask;
    if (w->strays && s->end != SIM_END_FALL && s->end != SIM_END_SYNC) sim_stray_end(w, i);
    bool parted = s->guarded && warp_part_by_guard(w, f, s, i, &on);
    if (!on) {
        f->seg = s->next;
        return GO_ON;
    }
    if (w->timed && s->end != SIM_END_FALL) sim_wait_for(w, i->ptx, 0);
    warp_outcome o = warp_end_for(w, c, fn, s, i, on);
    return o == GO_ON && parted ? CHOOSE : o;
}

/* Executes the segment with a debugger, which checks before and after each PTX instruction. Returns
 * false if the warp stops. */
static bool warp_run_looked_at(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    if (w->timed) sim_wait_idle(w, s);
    sim_debug *g = w->block->run->debug;
    const sim_insn *i = &fn->insns[s->first], *end = i + s->count;
    for (uint32_t p = s->ptx_first; p < s->ptx_first + s->ptx_count; p++) {
        if (!sim_debug_before(g, w, fn, p)) return false;
        for (; i < end && i->ptx <= &fn->ptx->insns[p] && !w->stop; i++) warp_step(w, fn, s, i);
        if (!sim_debug_after(g, w, fn, p) || w->stop) return false;
    }
    return true;
}

/* After a warp has taken a number, the whole block gives way (sim_run_state.shares). */
static sim_ran warp_yields(sim_warp *w) {
    w->worker->took |= w->took;
    w->took = w->met = false;
    return SIM_RAN_YIELDED;
}

/* What follows each instruction. */
typedef enum { NOBODY, TAP, DEBUGGER } warp_watcher;

static inline sim_ran warp_run(sim_warp *w, warp_watcher watcher) {
    const bool debugged = watcher == DEBUGGER;
    sim_worker *k = w->worker;
    sim_access_enter(w->access, w->block->mem, w->index);
    k->warp = w;
    uint32_t limit;
    int c = sim_frag_choose(w, &limit);
    if (c >= 0) sim_frag_enter(w, &w->frags[c]);
    while (c >= 0) {
        const sim_func *fn = w->frame->func;
        const sim_seg *s = &fn->segs[w->frags[c].seg];
        w->mask = w->frags[c].mask;
        warp_count_segment(w, k, s);
        if (w->strays) sim_stray_arrive(w, s);
        if (debugged) warp_run_looked_at(w, fn, s);
        else if (watcher == TAP) warp_run_tapped(w, fn, s);
        else warp_run_segment(w, fn, s);
        if (w->stop) return SIM_RAN_STOPPED;
        uint32_t live = w->live;
        warp_outcome o = warp_end_segment(w, (uint32_t)c, fn, s);
        if (debugged && live != w->live) sim_debug_exited(w->block->run->debug, w, live & ~w->live);
        if (debugged && !sim_debug_after(w->block->run->debug, w, fn,
                                         s->ptx_first + s->ptx_count - (s->ptx_count > 0)))
            return SIM_RAN_STOPPED;
        if (o == STOP) return SIM_RAN_STOPPED;
        if (k->fuel <= 0 && !warp_look_around(w, s)) return SIM_RAN_STOPPED;
        if (o == GIVE_WAY || w->took || (w->met && o != CHOOSE)) return warp_yields(w);
        /* It may have reached another fragment of its frame. */
        if (o == GO_ON && (limit == SIM_ALONE || fn->segs[w->frags[c].seg].order < limit)) continue;
        c = sim_frag_choose(w, &limit);
        if (c >= 0) sim_frag_enter(w, &w->frags[c]);
    }
    w->state = w->frag_count ? SIM_WARP_WAITING : SIM_WARP_DONE;
    return w->frag_count ? SIM_RAN_WAITING : SIM_RAN_DONE;
}

sim_ran sim_warp_run(sim_warp *w) {
    return warp_run(w, NOBODY);
}

sim_ran sim_warp_run_debugged(sim_warp *w) {
    return warp_run(w, DEBUGGER);
}

sim_ran sim_warp_run_tapped(sim_warp *w) {
    return warp_run(w, TAP);
}
