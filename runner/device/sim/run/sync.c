/* .sync instructions: lanes of a warp wait in state SYNC until all lanes of their mask that have
 * not exited have arrived. Then the instruction is executed once for all of them. */
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/run/frag.h"
#include "runner/device/sim/exec/stray.h"
#include "words/finding.h"
#include <stdio.h>

static void sync_execute(sim_warp *w, const sim_insn *i, uint32_t lanes) {
    w->mask = lanes;
    if (w->strays || (lanes != SIM_ALL_LANES && i->ptx->op == PTX_OP_shfl)) sim_stray_sync(w, i);
    i->fn[(lanes | ~w->live) != SIM_ALL_LANES](w, i);
}

static const sim_insn *sync_insn(const sim_frag *f) {
    const sim_func *fn = f->frame->func;
    const sim_seg *s = &fn->segs[f->seg];
    return &fn->insns[s->first + s->count];
}

/* All lanes of mask `m` wait, but at different places. Gathers their operands into one set of
 * slots, executes the instruction there, and returns the results to each. */
static void sync_apart(sim_warp *w, uint32_t m) {
    uint8_t slots[5][256] __attribute__((aligned(64))) = {{0}};
    sim_insn one = {0};
    uint32_t all = 0;
    for (int back = 0; back < 2; back++) {
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_SYNC || f->sync_mask != m) continue;
            sim_frag_enter(w, f);
            const sim_insn *i = sync_insn(f);
            const sim_opnd from[4] = {i->d, i->a, i->b, i->c};
            if (!back) {
                one = *i;
                all |= f->mask;
            }
            for (unsigned o = back ? 0 : 1; o < (back ? 1u : 4u); o++) {
                unsigned kind = i->slots >> 4 * o & 15;
                uint8_t *mine = kind ? sim_slot(w, from[o]) : NULL;
                for (uint32_t x = kind > SIM_SLOT_PRED ? f->mask : 0; x; x &= x - 1) {
                    size_t n = kind == SIM_SLOT_64 ? 8 : 4, at = n * (unsigned)__builtin_ctz(x);
                    memcpy((back ? mine : slots[o]) + at, (back ? slots[o] : mine) + at, n);
                }
                uint32_t *pred = (uint32_t *)(void *)slots[o];
                if (kind == SIM_SLOT_PRED && back)
                    sim_put_bits((uint32_t *)(void *)mine, f->mask, *pred);
                if (kind == SIM_SLOT_PRED && !back)
                    sim_put_bits(pred, f->mask, *(uint32_t *)(void *)mine);
            }
            if (back && i->slots >> 16 & 15) { /* the second destination */
                w->mask = f->mask;
                sim_set_pred(w, (sim_opnd)i->offset, *(uint32_t *)(void *)slots[4]);
            }
        }
        if (back) break;
        uint8_t *keep = w->base[SIM_BASE_REGS];
        w->base[SIM_BASE_REGS] = slots[0];
        one.d = sim_opnd_make(0, SIM_BASE_REGS);
        one.a = sim_opnd_make(256, SIM_BASE_REGS);
        one.b = sim_opnd_make(512, SIM_BASE_REGS);
        one.c = sim_opnd_make(768, SIM_BASE_REGS);
        if (one.slots >> 16 & 15) one.offset = sim_opnd_make(1024, SIM_BASE_REGS);
        w->mask = all;
        one.fn[1](w, &one);
        w->base[SIM_BASE_REGS] = keep;
    }
}

void sim_sync_check(sim_warp *w) {
    for (uint32_t a = 0; a < w->frag_count; a++) {
        if (w->frags[a].state != SIM_FRAG_SYNC) continue;
        uint32_t m = w->frags[a].sync_mask, there = 0;
        bool same = true;
        for (uint32_t k = 0; k < w->frag_count; k++) {
            const sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_SYNC || f->sync_mask != m) continue;
            there |= f->mask;
            same &= f->seg == w->frags[a].seg && f->frame == w->frags[a].frame;
        }
        if (m & w->live & ~there) continue;
        sim_frag_enter(w, &w->frags[a]);
        const sim_insn *i = sync_insn(&w->frags[a]);
        if (!same && i->aux) {
            sim_fail_at(w, i->ptx, w->frags[a].mask, SIM_TRAP, SIM_FIND_BARRIER,
                        w_finding_matrix_apart());
            return;
        }
        if (same) sync_execute(w, i, there);
        else sync_apart(w, m);
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_SYNC || f->sync_mask != m) continue;
            f->state = SIM_FRAG_READY;
            f->met = m;
            f->seg = f->frame->func->segs[f->seg].next;
        }
    }
}

/* PTX ISA 9.7.9.6, 9.7.13: "behavior is undefined if the executing thread is not in the
 * membermask". */
static void sync_outside(sim_warp *w, const sim_insn *i, uint32_t lanes, uint32_t mask) {
    sim_report(w, i->ptx, lanes, SIM_FIND_BARRIER,
               w_finding_own_lane(ptx_op_get(i->ptx->op)->mnemonic, mask, __builtin_ctz(lanes)));
}

/* The thread is about to exit and does nothing else there: it has returned early. */
static bool sync_at_exit(const sim_frag *f) {
    const sim_seg *segs = f->frame->func->segs, *s = &segs[f->seg];
    if (f->state != SIM_FRAG_READY || f->frame->parent) return false;
    if (!s->count && s->end == SIM_END_BRA) s = &segs[s->target];
    return !s->count && (s->end == SIM_END_EXIT || s->end == SIM_END_RET);
}

/* Makes fragment f wait for the lanes of its mask. */
static void sync_wait(sim_warp *w, sim_frag *f, uint32_t mask) {
    f->state = SIM_FRAG_SYNC;
    f->sync_mask = mask;
    f->elsewhere = 0;
    for (uint32_t k = 0; k < w->frag_count; k++)
        if (&w->frags[k] != f && !sync_at_exit(&w->frags[k]))
            f->elsewhere |= w->frags[k].mask & mask;
}

/* "All non-exited threads named in mask must execute a corresponding __syncwarp()" (CUDA C++
 * Programming Guide). A fragment that waited for lanes which were elsewhere is reported when these
 * exit. Threads that return early are not reported. */
void sim_sync_exited(sim_warp *w, uint32_t lanes) {
    for (uint32_t k = 0; k < w->frag_count; k++) {
        sim_frag *f = &w->frags[k];
        if (f->state != SIM_FRAG_SYNC || !(f->elsewhere & lanes)) continue;
        const ptx_insn *at = sync_insn(f)->ptx;
        f->elsewhere &= ~lanes;
        if (at->op != PTX_OP_bar_warp_sync) continue;
        sim_report(w, at, f->mask, SIM_FIND_BARRIER,
                   w_finding_syncwarp(f->sync_mask, lanes & f->sync_mask));
    }
    sim_sync_check(w);
}

bool sim_sync_arrive(sim_warp *w, uint32_t c, const sim_insn *i) {
    sim_frag *f = &w->frags[c];
    const uint32_t *e = LANES(const uint32_t, i->e);
    uint32_t m = e[__builtin_ctz(f->mask)], other = 0;
    uint32_t differ = 0; /* first checks, with vector code, whether any differs */
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) differ |= e[l] ^ m;
    for (unsigned l = 0; differ && l < SIM_WARP_LANES; l++) other |= (uint32_t)(e[l] != m) << l;
    if (!(other & f->mask)) {
        if (f->mask & ~m) sync_outside(w, i, f->mask & ~m, m);
        if (!(m & w->live & ~f->mask)) {
            sync_execute(w, i, f->mask);
            return true;
        }
        sync_wait(w, f, m);
        sim_sync_check(w);
        return false;
    }
    /* Several groups of lanes, each with its own mask: complete groups go on together. */
    uint32_t done = 0, first_mask = 0, first = 0, all = f->mask;
    for (uint32_t left = all; left;) {
        uint32_t v = e[__builtin_ctz(left)], group = 0;
        for (uint32_t k = left; k; k &= k - 1)
            if (e[__builtin_ctz(k)] == v) group |= 1u << __builtin_ctz(k);
        left &= ~group;
        if (group & ~v) sync_outside(w, i, group & ~v, v);
        if (!(v & w->live & ~group)) {
            sync_execute(w, i, group);
            done |= group;
        } else if (!first) {
            first = group, first_mask = v;
        } else {
            sim_frag *g = sim_frag_add(w, f, group, f->seg);
            sync_wait(w, g, v);
        }
    }
    f = &w->frags[c];
    if (done) {
        f->mask = done;
        if (first) {
            sim_frag *g = sim_frag_add(w, f, first, f->seg);
            sync_wait(w, g, first_mask);
        }
        return true;
    }
    f->mask = first;
    sync_wait(w, f, first_mask);
    sim_sync_check(w);
    return false;
}
