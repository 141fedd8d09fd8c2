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
#include "words/finding.h"
#include <stdio.h>

static void barrier_warn(sim_block *b, const sim_barrier *a, const ptx_insn *other,
                         uint32_t other_thread, lib_words why) {
    sim_event e = {.kind = SIM_FIND_BARRIER,
                   .loc = a->insn->ptx->loc,
                   .ptx_line = a->insn->ptx->ptx_line,
                   .block = b->linear,
                   .thread = a->thread,
                   .detail = &why};
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

/* Those who meet at a barrier go on when the last of them has come. Returns that one's path. */
static uint64_t barrier_path(const sim_block *b, unsigned id) {
    uint64_t path = 0;
    if (!b->run->image->alone_known) return 0;
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (b->took_part[id][i] && b->warps[i].alone + b->warps[i].lead != path)
            path = sim_path_later(path, b->warps[i].alone + b->warps[i].lead, b->run->trip_cycles);
    return path;
}

/* All fragments that wait at barrier `id` go on; reductions get their result. */
static void barrier_open(sim_block *b, unsigned id) {
    sim_barrier *a = &b->bar[id];
    bool all_needed = !b->run->device->profile->independent_threads;
    if (all_needed && !a->expected && b->live_threads < b->threads && a->aligned &&
        !b->warned_exit) {
        b->warned_exit = true;
        barrier_warn(b, a, NULL, 0, w_finding_exited(b->threads - b->live_threads, b->threads));
    }
    uint64_t path = barrier_path(b, id);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        sim_warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_BAR || f->bar != id) continue;
            w->lead = path - w->alone;
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
        sim_fail_at(w, i->ptx, f->mask, SIM_TRAP, SIM_FIND_BARRIER,
                    id >= SIM_BARRIERS ? w_finding_barrier_number(id)
                                       : w_finding_barrier_multiple(count));
        return false;
    }
    sim_barrier *a = &b->bar[id];
    if (!a->arrived) {
        a->insn = i;
        a->thread = w->index * SIM_WARP_LANES + lane;
        a->expected = count;
        a->aligned = (i->imm & SIM_BAR_ALIGNED) != 0;
    } else if (a->insn->ptx != i->ptx && i->imm & SIM_BAR_ALIGNED && !count && !b->warned_places) {
        lib_message there;
        b->warned_places = true;
        sim_block_place(b, i->ptx, &there);
        barrier_warn(b, a, i->ptx, w->index * SIM_WARP_LANES + lane,
                     w_finding_barrier_elsewhere(&there));
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
