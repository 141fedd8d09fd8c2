/* Detects that no thread can make progress, and says which thread waits where.
 *
 *   all warps of a block wait at barriers or for lanes                       --block.c-->
 *                                                                            sim_deadlock()
 *   all others go round loops that read words which will not change:
 *     a block parks (work.c) --> sim_stuck(): has it done anything since it last parked, has any
 *       other?
 *     all running blocks are in the state of a turn ago                      --work.c-->
 *                                                                            sim_deadlock()
 *
 * The second kind is proved, not guessed from the time it takes. Between two turns of each block
 * nothing was stored, printed or read from a clock, no atomic changed memory, and the places and
 * registers of all lanes are the same as before. From there on everything repeats. A loop that also
 * counts (a back-off, a timeout) is no such repetition: it ends by itself or by the instruction
 * budget. */
#include "runner/device/sim/run/stuck.h"
#include "runner/device/sim/special/async.h"
#include "words/finding.h"
#include <stdio.h>
#include <string.h>

void sim_block_place(const sim_block *b, const ptx_insn *at, lib_message *place) {
    const char *file = "";
    unsigned line = 0;
    ptx_source_near(b->run->image->module, at->loc, at->ptx_line, &file, &line);
    lib_message_set(place, line ? w_finding_line_here(line) : w_finding_line_ptx(at->ptx_line));
}

/* ---- which thread waits where ---- */

typedef struct {
    const sim_warp *warp;
    const sim_frag *frag; /* NULL: none */
} stuck_waiter;

/* Returns the block's first fragment in that state; *threads: how many threads are in it. */
static stuck_waiter stuck_first(const sim_block *b, sim_frag_state state, unsigned *threads) {
    stuck_waiter first = {0};
    *threads = 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (uint32_t k = 0; k < b->warps[i].frag_count; k++) {
            const sim_frag *f = &b->warps[i].frags[k];
            if (f->state != state) continue;
            *threads += (unsigned)__builtin_popcount(f->mask);
            if (!first.frag) first = (stuck_waiter){&b->warps[i], f};
        }
    return first;
}

/* Returns the instruction at which it waits; in a loop, the first that reads memory. */
static const ptx_insn *stuck_insn(stuck_waiter x) {
    const sim_func *fn = x.frag->frame->func;
    const sim_seg *s = &fn->segs[x.frag->seg];
    if (x.frag->state != SIM_FRAG_READY) return fn->insns[s->first + s->count].ptx;
    const ptx_insn *first = &fn->ptx->insns[s->ptx_first];
    for (const ptx_insn *i = first; i < first + s->ptx_count; i++)
        if (i->klass == PTX_CLASS_LOAD || i->klass == PTX_CLASS_ATOM) return i;
    return first;
}

static uint32_t stuck_thread(stuck_waiter x) {
    return x.warp->index * SIM_WARP_LANES + (unsigned)__builtin_ctz(x.frag->mask);
}

static void other_side(sim_event *e, const ptx_insn *at, uint32_t thread) {
    e->has_other = true;
    e->other_loc = at->loc;
    e->other_ptx_line = at->ptx_line;
    e->other_thread = thread;
    e->other_block = e->block;
}

/* Returns the lanes for which the others of x's mask wait. */
static uint32_t missing_lanes(stuck_waiter x) {
    uint32_t missing = x.frag->sync_mask & x.warp->live;
    for (uint32_t k = 0; k < x.warp->frag_count; k++) {
        const sim_frag *f = &x.warp->frags[k];
        if (f->state == SIM_FRAG_SYNC && f->sync_mask == x.frag->sync_mask) missing &= ~f->mask;
    }
    return missing;
}

/* Returns for what the threads in loops wait: an mbarrier, or memory. */
static lib_words spinning_words(sim_event *e, stuck_waiter spin, unsigned threads,
                                const lib_message *rest) {
    unsigned arrivals;
    int bytes;
    const ptx_insn *wait = sim_mbarrier_missing(spin.warp, spin.frag, &arrivals, &bytes);
    if (wait) {
        e->loc = wait->loc, e->ptx_line = wait->ptx_line;
        return w_finding_mbarrier(arrivals, bytes, rest);
    }
    return w_finding_spin(threads, rest);
}

/* All that wait are at barriers, the first of them at `id`. */
static lib_words stuck_at_barrier(const sim_block *b, unsigned id, sim_event *e) {
    if (id == SIM_CLUSTER_BAR)
        return w_finding_cluster_barrier(b->cluster->arrived, b->cluster->live);
    unsigned other = 0;
    const sim_barrier *a = &b->bar[id];
    while (other < SIM_BARRIERS && (other == id || !b->bar[other].arrived)) other++;
    unsigned all = a->expected ? a->expected : b->live_threads;
    if (other == SIM_BARRIERS) return w_finding_barrier(id, a->arrived, all);
    other_side(e, b->bar[other].insn->ptx, b->bar[other].thread);
    return w_finding_barrier_others(id, a->arrived, all, other);
}

void sim_deadlock(sim_block *b) {
    unsigned spinning, at_barrier, at_sync;
    stuck_waiter spin = stuck_first(b, SIM_FRAG_READY, &spinning),
                 bar = stuck_first(b, SIM_FRAG_BAR, &at_barrier),
                 sync = stuck_first(b, SIM_FRAG_SYNC, &at_sync),
                 me = spin.frag  ? spin
                      : bar.frag ? bar
                                 : sync;
    b->failed = true;
    b->status = SIM_DEADLOCK;
    if (!me.frag) return;
    const ptx_insn *at = stuck_insn(me);
    sim_event e = {.kind = me.frag->state == SIM_FRAG_BAR ? SIM_FIND_BARRIER : SIM_FIND_DEADLOCK,
                   .loc = at->loc,
                   .ptx_line = at->ptx_line,
                   .thread = stuck_thread(me),
                   .block = b->linear};
    lib_words why;
    lib_message there, rest = {0};
    if (sync.frag) sim_block_place(b, stuck_insn(sync), &there);
    if (spin.frag) {
        stuck_waiter w = bar.frag ? bar : sync;
        if (w.frag) {
            sim_block_place(b, stuck_insn(w), &there);
            lib_message_set(&rest, w_finding_spin_rest(at_barrier + at_sync, &there));
            other_side(&e, stuck_insn(w), stuck_thread(w));
        }
        why = spinning_words(&e, spin, spinning, &rest);
    } else if (bar.frag && sync.frag) {
        other_side(&e, stuck_insn(sync), stuck_thread(sync));
        why = w_finding_barrier_lanes(&there, missing_lanes(sync));
    } else if (sync.frag) {
        why = w_finding_lanes(sync.frag->mask, missing_lanes(sync), sync.frag->sync_mask);
    } else {
        why = stuck_at_barrier(b, bar.frag->bar, &e);
    }
    e.detail = &why;
    sim_finding_report(b->run->findings, &e);
}

/* ---- loops that never end ---- */

static uint64_t mix_word(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t mix_at(uint64_t h, const uint8_t *at) {
    uint64_t v;
    memcpy(&v, at, 8);
    h ^= v;
    return (h << 29 | h >> 35) * 0x9e3779b97f4a7c15u;
}

static uint64_t mix(uint64_t h, const void *data, size_t n) {
    const uint8_t *p = data;
    if (n >= 64) { /* independent products, or each would wait for the one before */
        uint64_t a = h, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, i = 7;
        for (; n >= 64; n -= 64, p += 64) {
            a = mix_at(a, p), b = mix_at(b, p + 8), c = mix_at(c, p + 16), d = mix_at(d, p + 24);
            e = mix_at(e, p + 32), f = mix_at(f, p + 40), g = mix_at(g, p + 48);
            i = mix_at(i, p + 56);
        }
        h = mix_word(mix_word(mix_word(a, b), mix_word(c, d)),
                     mix_word(mix_word(e, f), mix_word(g, i)));
    }
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t v;
        memcpy(&v, p, 8);
        h = mix_word(h, v);
    }
    for (; n; n--) h = (h ^ *p++) * 0x9e3779b97f4a7c15u;
    return h;
}

static uint64_t mix_registers(uint64_t h, const sim_frag *f) {
    for (const sim_frame *x = f->frame; x; x = x->parent) h = mix(h, x->regs, x->func->frame_bytes);
    return h;
}

uint64_t sim_lanes_state(const sim_frag *f) {
    return mix_registers(mix(1, &f->mask, sizeof f->mask), f);
}

/* Returns a hash of the places and registers of all lanes. */
static uint64_t stuck_state(const sim_block *b) {
    uint64_t h = 1;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const sim_warp *w = &b->warps[i];
        if (w->state == SIM_WARP_DONE) continue;
        for (uint32_t k = 0; k < w->frag_count; k++) {
            const sim_frag *f = &w->frags[k];
            uint32_t at[] = {i,      f->mask,    f->seg,   f->state,
                             f->bar, f->yielded, f->spins, f->frame->depth};
            h = mix_registers(mix(h, at, sizeof at), f);
        }
    }
    return h;
}

/* Brent's search for a cycle: the state is compared with a saved one, which is replaced after 1, 2,
 * 4, ... parkings. It begins at the second parking of an epoch: while others work, a block that
 * waits for them parks once in each, and its registers need not be read. */
bool sim_stuck(sim_block *b, uint64_t epoch) {
    if (!b->cycle.parked || b->cycle.epoch != epoch) {
        b->cycle = (sim_cycle){.epoch = epoch, .parked = true};
        return false;
    }
    uint64_t state = stuck_state(b);
    if (b->cycle.found || (b->cycle.limit && b->cycle.state == state)) return b->cycle.found = true;
    if (b->cycle.steps++ == b->cycle.limit) {
        b->cycle.limit = b->cycle.limit ? b->cycle.limit * 2 : 1;
        b->cycle.steps = 0;
        b->cycle.state = state;
    }
    return false;
}
