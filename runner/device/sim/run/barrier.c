/* Block barriers, after PTX ISA 9.7.13. A barrier opens when as many threads have arrived as it
 * expects or, without a count, all that have not exited. This is documented for devices of compute
 * capability 7.0 and later (Volta Tuning Guide, "Independent Thread Scheduling"). Before, every
 * thread of the block had to arrive, and a thread that had exited is reported. */
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/exec/wait.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/run/frag.h"
#include "runner/device/sim/run/stuck.h"
#include <stdio.h>

static void barrier_warn(sim_block *b, const sim_barrier *a, const ptx_insn *other,
                         uint32_t other_thread, const char *text) {
    sim_event e = {.kind = SIM_FIND_BARRIER,
                   .loc = a->insn->ptx->loc,
                   .ptx_line = a->insn->ptx->ptx_line,
                   .block = b->linear,
                   .thread = a->thread,
                   .detail = text};
    if (other) {
        e.has_other = true;
        e.other_loc = other->loc;
        e.other_ptx_line = other->ptx_line;
        e.other_thread = other_thread;
        e.other_block = b->linear;
    }
    sim_finding_report(b->run->findings, &e);
}

static bool barrier_is_open(const sim_block *b, const sim_barrier *a) {
    return a->expected ? a->arrived >= a->expected : a->arrived >= b->live_threads;
}

/* All fragments that wait at barrier `id` go on; reductions get their result. */
static void barrier_open(sim_block *b, unsigned id) {
    sim_barrier *a = &b->bar[id];
    bool all_needed = !b->run->device->profile->independent_threads;
    if (all_needed && !a->expected && b->live_threads < b->threads && a->aligned &&
        !b->warned_exit) {
        char text[220];
        b->warned_exit = true;
        snprintf(text, sizeof text,
                 "waits at a barrier that %u of the block's %u threads never reach, because they "
                 "have exited: "
                 "before compute capability 7.0 every thread must reach __syncthreads()",
                 b->threads - b->live_threads, b->threads);
        barrier_warn(b, a, NULL, 0, text);
    }
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_BAR || f->bar != id) continue;
            const sim_func *fn = f->frame->func;
            const sim_insn *x = &fn->insns[fn->segs[f->seg].first + fn->segs[f->seg].count];
            unsigned kind = x->imm & SIM_BAR_KIND;
            if (kind >= SIM_BAR_POPC) {
                uint8_t *keep = w->base[SIM_BASE_REGS];
                w->base[SIM_BASE_REGS] = f->frame->regs;
                w->mask = f->mask;
                if (kind == SIM_BAR_POPC) {
                    uint32_t *d = LANES(uint32_t, x->d);
                    for (uint32_t m = f->mask; m; m &= m - 1) d[__builtin_ctz(m)] = a->popc;
                } else {
                    sim_set_pred(w, x->d,
                                 (kind == SIM_BAR_AND ? a->popc == a->votes : a->popc != 0)
                                     ? SIM_ALL_LANES
                                     : 0);
                }
                w->base[SIM_BASE_REGS] = keep;
            }
        }
        sim_warp_release(w, id);
    }
    if (b->run->image->clocked) sim_wait_together(b, b->took_part[id]);
    sim_block_barrier(b->mem, a->expected ? b->took_part[id] : NULL);
    memset(b->took_part[id], 0, sizeof b->took_part[id]);
    memset(a, 0, sizeof *a);
    b->arrived_at &= ~(1u << id);
}

bool sim_block_arrive(sim_block *b, sim_warp *w, sim_frag *f, const sim_insn *i) {
    unsigned lane = (unsigned)__builtin_ctz(f->mask);
    unsigned id = LANES(const uint32_t, i->a)[lane], kind = i->imm & SIM_BAR_KIND;
    uint32_t count = i->b == SIM_NO_SLOT ? 0 : LANES(const uint32_t, i->b)[lane];
    if (id >= SIM_BARRIERS || count % SIM_WARP_LANES) {
        char text[96];
        snprintf(text, sizeof text,
                 id >= SIM_BARRIERS
                     ? "waits at barrier %u, but a block has only 16"
                     : "waits at a barrier for %u threads, which is no multiple of 32",
                 id >= SIM_BARRIERS ? id : count);
        sim_fail_at(w, i->ptx, f->mask, SIM_TRAP, SIM_FIND_BARRIER, text);
        return false;
    }
    sim_barrier *a = &b->bar[id];
    if (!a->arrived) {
        a->insn = i;
        a->thread = w->index * SIM_WARP_LANES + lane;
        a->expected = count;
        a->aligned = (i->imm & SIM_BAR_ALIGNED) != 0;
    } else if (a->insn->ptx != i->ptx && i->imm & SIM_BAR_ALIGNED && !count && !b->warned_places) {
        char text[220], there[64];
        b->warned_places = true;
        sim_block_place(b, i->ptx, there, sizeof there);
        snprintf(text, sizeof text,
                 "waits at a barrier while other threads of the block are at another one, at %s: "
                 "all must reach "
                 "the same",
                 there);
        barrier_warn(b, a, i->ptx, w->index * SIM_WARP_LANES + lane, text);
    }
    if (count && !a->expected) a->expected = count;
    uint32_t lanes = sim_lane_count(f->mask);
    b->took_part[id][w->index] |= f->mask;
    /* with a count, a warp that arrives as a whole counts 32, also if the block's end leaves it
     * incomplete */
    if (a->expected && (b->took_part[id][w->index] & w->live) == w->live)
        lanes += SIM_WARP_LANES - sim_lane_count(w->live);
    a->arrived += lanes;
    b->arrived_at |= 1u << id;
    if (kind >= SIM_BAR_POPC) {
        uint32_t yes = PRED(i->c) & f->mask;
        a->popc += (unsigned)__builtin_popcount(yes);
        a->votes += (unsigned)__builtin_popcount(f->mask);
    }
    if (kind == SIM_BAR_ARRIVE) {
        f->seg = f->frame->func->segs[f->seg].next;
    } else {
        f->state = SIM_FRAG_BAR;
        f->bar = (uint8_t)id;
    }
    if (!barrier_is_open(b, a)) return kind == SIM_BAR_ARRIVE;
    barrier_open(b, id);
    return w->frag_count == 1;
}

void sim_block_exited(sim_block *b, uint32_t lanes) {
    b->live_threads -= lanes;
    if (!b->live_threads) return;
    for (uint32_t left = b->arrived_at; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctz(left);
        if (barrier_is_open(b, &b->bar[id])) barrier_open(b, id);
    }
}
