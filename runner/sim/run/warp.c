/* A warp runs segment after segment, as one fragment (all its lanes at one place) or several.
 *
 * A branch that its lanes take both ways splits a fragment. Of the fragments that can run, the one
 * in the deepest call runs, and among those of one frame the one whose segment is lowest in the
 * function's order; so a fragment arrives at the place where the paths meet before the other passes
 * it, and two that meet become one. That order alone could starve: a lane that spins on a lock
 * which another lane of its warp holds would stay lowest for ever. So a fragment that goes round a
 * loop in which lanes may wait for others gives way after a while, and one that goes round any
 * other loop after a long while: it runs again when the others wait, gave way too, or are gone. So
 * all that can run get their turn between two turns of any.
 *
 * .sync instructions wait in state SYNC until all lanes of their mask that have not exited are
 * there; block barriers in state BAR until block.c opens them. */
#include <stdio.h>
#include "runner/sim/exec/lanes.h"
#include "runner/sim/native/native.h"

enum {
    SPIN_ROUNDS = 64, /* times round a waiting loop before a fragment gives way */
    LONG_ROUNDS =
        1
        << 20, /* times round other loops: beyond what lanes that will meet again usually differ by */
    FUEL = 1 << 14,    /* warp instructions between looks at the budget and the cancel flag */
    ALONE = UINT32_MAX /* no other fragment of the frame to run into */
};

/* ---- fragments ---- */

static void hold(sim_frame *f) {
    f->refs++;
}

static sim_frag *add_frag(sim_warp *w, const sim_frag *like, uint32_t mask, uint32_t seg) {
    sim_frag *f =
        &w->frags[w->frag_count++]; /* never more than lanes: masks are disjoint and not empty */
    *f = (sim_frag){.mask = mask, .seg = seg, .frame = like->frame};
    hold(f->frame);
    return f;
}

static void remove_frag(sim_warp *w, uint32_t k) {
    sim_frame_drop(w->worker, w->frags[k].frame);
    w->frags[k] = w->frags[--w->frag_count];
}

static void merge(sim_warp *w) {
    for (uint32_t a = 0; a < w->frag_count; a++) {
        sim_frag *f = &w->frags[a];
        if (f->state != SIM_FRAG_READY) continue;
        for (uint32_t b = w->frag_count - 1; b > a; b--) {
            sim_frag *g = &w->frags[b];
            if (g->state != SIM_FRAG_READY || g->frame != f->frame || g->seg != f->seg) continue;
            f->mask |= g->mask;
            f->yielded &= g->yielded;
            f->spins = f->spins < g->spins ? g->spins : f->spins;
            f->rounds = 0;
            remove_frag(w, b);
        }
    }
}

static uint32_t order_of(const sim_frag *f) {
    return f->frame->func->segs[f->seg].order;
}

static bool runs_before(const sim_frag *a, const sim_frag *b) {
    if (a->frame->depth != b->frame->depth) return a->frame->depth > b->frame->depth;
    if (a->frame != b->frame) return a->frame->serial < b->frame->serial;
    return order_of(a) < order_of(b);
}

/* The fragment to run, and in *limit the order at which it meets the next one of its frame. -1: all
 * wait. */
static int choose(sim_warp *w, uint32_t *limit) {
    if (w->frag_count > 1) merge(w);
    int best = -1;
    for (int round = 0; round < 2 && best < 0; round++) {
        bool any = false;
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_READY) continue;
            any = true;
            if (!f->yielded && (best < 0 || runs_before(f, &w->frags[best]))) best = (int)k;
        }
        if (!any) return -1;
        if (best < 0) /* everybody gave way to everybody */
            for (uint32_t k = 0; k < w->frag_count; k++) w->frags[k].yielded = false;
    }
    *limit = ALONE;
    for (uint32_t k = 0; k < w->frag_count; k++) {
        sim_frag *f = &w->frags[k], *g = &w->frags[best];
        if (f != g && f->state == SIM_FRAG_READY && f->frame == g->frame && order_of(f) < *limit &&
            order_of(f) >= order_of(g))
            *limit = order_of(f);
    }
    return best;
}

static void enter(sim_warp *w, const sim_frag *f) {
    w->frame = f->frame;
    w->base[SIM_BASE_REGS] = f->frame->regs;
}

/* ---- .sync: lanes of a warp meet ---- */

static void exec_on(sim_warp *w, const sim_insn *i, uint32_t lanes) {
    w->mask = lanes;
    i->fn[(lanes | ~w->live) != SIM_ALL_LANES](w, i);
}

static const sim_insn *end_insn(const sim_frag *f) {
    const sim_func *fn = f->frame->func;
    const sim_seg *s = &fn->segs[f->seg];
    return &fn->insns[s->first + s->count];
}

/* Everyone of mask `m` waits, but at different places: their operands are gathered into one set of
 * slots, the instruction is executed there, and the results go back to each. */
static void meet_apart(sim_warp *w, uint32_t m) {
    uint8_t slots[5][256] __attribute__((aligned(64))) = {{0}};
    sim_insn one = {0};
    uint32_t all = 0;
    for (int back = 0; back < 2; back++) {
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_SYNC || f->sync_mask != m) continue;
            enter(w, f);
            const sim_insn *i = end_insn(f);
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

/* Lets go the fragments whose whole mask has arrived. */
static void sync_check(sim_warp *w) {
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
        enter(w, &w->frags[a]);
        const sim_insn *i = end_insn(&w->frags[a]);
        if (!same && i->aux) {
            sim_fail_at(
                w, i->ptx, w->frags[a].mask, SIM_TRAP, SIM_FIND_BARRIER,
                "is at a matrix instruction while other lanes of its warp are at another: all must "
                "execute the same one");
            return;
        }
        if (same) exec_on(w, i, there);
        else meet_apart(w, m);
        for (uint32_t k = 0; k < w->frag_count; k++) {
            sim_frag *f = &w->frags[k];
            if (f->state != SIM_FRAG_SYNC || f->sync_mask != m) continue;
            f->state = SIM_FRAG_READY;
            f->seg = f->frame->func->segs[f->seg].next;
        }
    }
}

/* The fragment arrives at a .sync instruction. True: it was executed and the fragment goes on. */
static bool sync_arrive(sim_warp *w, uint32_t c, const sim_insn *i) {
    sim_frag *f = &w->frags[c];
    const uint32_t *e = LANES(const uint32_t, i->e);
    uint32_t m = e[__builtin_ctz(f->mask)], other = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) other |= (uint32_t)(e[l] != m) << l;
    if (!(other & f->mask)) {
        if (!(m & w->live & ~f->mask)) {
            exec_on(w, i, f->mask);
            return true;
        }
        f->state = SIM_FRAG_SYNC;
        f->sync_mask = m;
        sync_check(w);
        return false;
    }
    /* Several groups of lanes, each with a mask of its own: those that are complete go on
     * together. */
    uint32_t done = 0, first_mask = 0, first = 0, all = f->mask;
    for (uint32_t left = all; left;) {
        uint32_t v = e[__builtin_ctz(left)], group = 0;
        for (uint32_t k = left; k; k &= k - 1)
            if (e[__builtin_ctz(k)] == v) group |= 1u << __builtin_ctz(k);
        left &= ~group;
        if (!(v & w->live & ~group)) {
            exec_on(w, i, group);
            done |= group;
        } else if (!first) {
            first = group, first_mask = v;
        } else {
            sim_frag *g = add_frag(w, f, group, f->seg);
            g->state = SIM_FRAG_SYNC;
            g->sync_mask = v;
        }
    }
    f = &w->frags[c];
    if (done) {
        f->mask = done;
        if (first) {
            sim_frag *g = add_frag(w, f, first, f->seg);
            g->state = SIM_FRAG_SYNC;
            g->sync_mask = first_mask;
        }
        return true;
    }
    f->mask = first;
    f->state = SIM_FRAG_SYNC;
    f->sync_mask = first_mask;
    sync_check(w);
    return false;
}

/* ---- running ---- */

void sim_warp_start(sim_warp *w, uint32_t lanes) {
    const sim_func *f = w->root->func;
    w->exist = w->live = lanes;
    w->stop = false;
    w->frag_count = 1;
    w->frags[0] = (sim_frag){.mask = lanes, .frame = w->root};
    w->root->refs = 1;
    w->frame_serial = 0;
    w->state = SIM_WARP_READY;
    for (uint32_t k = 0; k < f->zero_count; k++)
        memset(w->root->regs + f->zero[2 * k], 0, f->zero[2 * k + 1]);
}

void sim_warp_release(sim_warp *w, unsigned bar) {
    for (uint32_t k = 0; k < w->frag_count; k++) {
        sim_frag *f = &w->frags[k];
        if (f->state != SIM_FRAG_BAR || f->bar != bar) continue;
        f->state = SIM_FRAG_READY;
        f->seg = f->frame->func->segs[f->seg].next;
    }
    w->state = SIM_WARP_READY;
}

static void exit_lanes(sim_warp *w, uint32_t c) {
    uint32_t lanes = w->frags[c].mask;
    w->live &= ~lanes;
    remove_frag(w, c);
    sim_block_exited(w->block, (unsigned)__builtin_popcount(lanes));
    if (w->frag_count) sync_check(w);
}

/* The fragment has gone round a loop. True: it gives way to the others of its warp. */
static bool gives_way(const sim_warp *w, sim_frag *f, const sim_seg *s) {
    if (s->spin ? ++f->spins < SPIN_ROUNDS : w->frag_count == 1 || ++f->rounds < LONG_ROUNDS)
        return false;
    f->spins = SPIN_ROUNDS / 2;
    f->rounds = 0;
    f->yielded = true;
    return true;
}

/* Nobody of the warp can run before choose() begins another round. */
static bool all_gave_way(const sim_warp *w) {
    for (uint32_t k = 0; k < w->frag_count; k++)
        if (w->frags[k].state == SIM_FRAG_READY && !w->frags[k].yielded) return false;
    return true;
}

/* Budget, cancellation, and a lower block's failure. */
static bool look_around(sim_warp *w, const sim_seg *s) {
    sim_worker *k = w->worker;
    sim_run_state *r = w->block->run;
    k->fuel = FUEL;
    uint64_t all =
        atomic_fetch_add_explicit(&r->executed, k->executed, memory_order_relaxed) + k->executed;
    k->executed = 0;
    sim_native_note(r->image->native, k, all / SIM_WARP_LANES, false);
    if (r->launch->cancel && *r->launch->cancel) {
        sim_fail(w, SIM_CANCELLED);
    } else if (all > r->budget) {
        const ptx_func *f = w->frame->func->ptx;
        uint32_t at = s->ptx_first + (s->ptx_count ? s->ptx_count - 1 : 0);
        char text[160];
        /* The limit, not what was executed: it is the same on any number of cores. */
        uint64_t taken = r->launch->inst_taken;
        bool many = taken > r->budget;
        snprintf(text, sizeof text,
                 "was still running when %s had executed %.3g million warp instructions: an "
                 "endless loop%s?",
                 many ? "it and the launches before it" : "the launch",
                 (double)(r->budget + taken) / SIM_WARP_LANES / 1e6,
                 many ? ", or too many launches" : "");
        sim_fail_at(w, at < f->insn_count ? &f->insns[at] : NULL, w->mask & -w->mask, SIM_BUDGET,
                    SIM_FIND_BUDGET, text);
    } else if (atomic_load_explicit(&r->stop_after, memory_order_relaxed) < w->block->linear) {
        w->block->failed = true; /* its results will not be looked at */
        w->block->status = SIM_OK;
        w->stop = true;
    }
    return !w->stop;
}

/* The segment's instructions with a record of what they did (trace.h). */
static void run_traced(sim_warp *w, const sim_func *fn, const sim_seg *s) {
    const sim_insn *i = &fn->insns[s->first];
    sim_trace_steps(w->trace, fn->pc_base + s->ptx_first, s->ptx_count);
    for (const sim_insn *end = i + s->count; i < end; i++) {
        uint32_t on = i->inner[0] ? w->mask & (PRED(i->guard) ^ i->guard_xor) : w->mask;
        unsigned bytes = i->site ? i->site->elem * i->site->vec : 0, passes = 0;
        if (i->ptx->op == PTX_OP_ld && i->site && on &&
            (i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC))
            passes = sim_trace_l1_passes(LANES(const uint64_t, i->a), i->offset, on, bytes);
        i->fn[1](w, i);
        if (!i->site || !on) continue;
        uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
        sim_trace_access(w->trace, pc, bytes, passes, sim_access_last(w->access));
    }
}

/* The segment's instructions by its machine code; if it is a loop, as often as the fuel lasts. */
static void run_native(sim_warp *w, const sim_seg *s, const sim_native_seg *native) {
    for (uint32_t n = 0; n < native->step_count; n++) native->steps[n].fn(w, native->steps[n].insn);
    if (!native->loop) return;
    sim_worker *k = w->worker;
    int64_t each = s->ptx_count, more = k->fuel > 0 ? (k->fuel + each - 1) / each : 0;
    /* The first time round is counted already. */
    uint64_t again = native->loop(w, (uint32_t)more + 1) - 1;
    k->segs[s->id].warps += again;
    k->segs[s->id].lanes += again * (unsigned)__builtin_popcount(w->mask);
    k->fuel -= (int64_t)again * each;
    k->executed += SIM_WARP_LANES * again * s->ptx_count;
    w->block->clock += again * s->ptx_count;
}

/* Before gives_way(), which counts the round. */
static void end_round(sim_warp *w, const sim_func *fn, const sim_frag *f, const sim_seg *s) {
    sim_trace_round(w->trace, fn->pc_base + s->ptx_first + s->ptx_count, sim_lanes_state(f));
    if (f->spins + 1 >= SPIN_ROUNDS) sim_trace_round_left(w->trace);
}

static void trace_barrier(sim_warp *w, const sim_func *fn, const sim_insn *i, unsigned id,
                          unsigned warps) {
    uint32_t pc = fn->pc_base + (uint32_t)(i->ptx - fn->ptx->insns);
    sim_trace_event_add(
        w->trace,
        (sim_trace_event){.pc_low = (uint16_t)pc, .space = (uint8_t)id, .passes = (uint16_t)warps});
}

sim_ran sim_warp_run(sim_warp *w) {
    sim_worker *k = w->worker;
    sim_block *b = w->block;
    sim_access_enter(w->access, b->mem, w->index);
    uint32_t limit;
    int c = choose(w, &limit);
    if (c >= 0) enter(w, &w->frags[c]);
    while (c >= 0) {
        sim_frag *f = &w->frags[c];
        const sim_func *fn = w->frame->func;
        const sim_seg *s = &fn->segs[f->seg];
        uint32_t mask = f->mask;
        w->mask = mask;
        unsigned lanes = (unsigned)__builtin_popcount(mask);
        k->segs[s->id].warps++;
        k->segs[s->id].lanes += lanes;
        k->fuel -= (int32_t)s->ptx_count;
        k->executed += (uint64_t)SIM_WARP_LANES * s->ptx_count;
        k->acted |= s->acts;
        b->clock += s->ptx_count;
        const sim_insn *i = &fn->insns[s->first], *end = i + s->count;
        if (!w->trace) {
            unsigned some = (mask | ~w->live) != SIM_ALL_LANES;
            const sim_native_seg *native = __atomic_load_n(&s->native, __ATOMIC_ACQUIRE);
            if (native && !some && !(native->loop && w->frag_count > 1)) {
                run_native(w, s, native);
                i = end;
            }
            for (; i < end; i++) i->fn[some](w, i);
        } else {
            run_traced(w, fn, s);
            i = end;
        }
        if (w->stop) return SIM_RAN_STOPPED;
        bool again = false; /* who runs next is open */
        uint32_t on = mask;
        if (s->guarded) {
            on = mask & (PRED(i->guard) ^ i->guard_xor);
            if (s->end != SIM_END_CBRA && on != mask) { /* the others just go on */
                if (!on) {
                    f->seg = s->next;
                    goto next;
                }
                f->mask = on;
                add_frag(w, f, mask & ~on, s->next);
                f = &w->frags[c];
                w->mask = on;
                again = true;
            }
        }
        switch ((sim_end)s->end) {
        case SIM_END_FALL: f->seg = s->next; break;
        case SIM_END_CBRA:
            if (on == mask) {
                f->seg = s->target;
            } else if (!on) {
                f->seg = s->next;
                break;
            } else {
                k->segs[s->id].split++;
                add_frag(w, f, mask & ~on, s->next);
                f = &w->frags[c];
                f->mask = on;
                f->seg = s->target;
                again = true;
            }
            goto branch;
        case SIM_END_BRA:
            f->seg = s->target;
        branch:
            if (w->trace && s->back && s->spin) end_round(w, fn, f, s);
            if (s->back && gives_way(w, f, s)) {
                if (all_gave_way(w)) {
                    k->yields++;
                    return SIM_RAN_YIELDED;
                }
                again = true;
            }
            break;
        case SIM_END_BRX: {
            const sim_targets *t = i->aux;
            const uint32_t *a = LANES(const uint32_t, i->a);
            uint32_t left = on, first = 1;
            while (left) {
                uint32_t v = a[__builtin_ctz(left)], group = 0;
                for (uint32_t x = left; x; x &= x - 1)
                    if (a[__builtin_ctz(x)] == v) group |= 1u << __builtin_ctz(x);
                left &= ~group;
                uint32_t to = v < t->count
                                  ? t->seg[v]
                                  : fn->seg_count - 1; /* past the table PTX leaves it open */
                if (first) {
                    f->mask = group;
                    f->seg = to;
                    if (left) k->segs[s->id].split++;
                } else {
                    add_frag(w, f, group, to);
                    f = &w->frags[c];
                }
                first = 0;
            }
            again = true;
            break;
        }
        case SIM_END_RET:
            if (w->frame->parent) {
                sim_return(w, f);
                again = true;
                break;
            }
            /* fall through */
        case SIM_END_EXIT:
            exit_lanes(w, (uint32_t)c);
            again = true;
            break;
        case SIM_END_CALL:
            if (!sim_call(w, f, s, i)) f->seg = s->next;
            if (w->stop) return SIM_RAN_STOPPED;
            again = true;
            break;
        case SIM_END_TRAP:
            sim_fail_at(w, i->ptx, on, SIM_TRAP, SIM_FIND_TRAP, "executes a trap instruction");
            return SIM_RAN_STOPPED;
        case SIM_END_SYNC:
            if (sync_arrive(w, (uint32_t)c, i)) w->frags[c].seg = s->next;
            else again = true;
            if (w->stop) return SIM_RAN_STOPPED;
            if (w->frag_count > 1) again = true;
            break;
        case SIM_END_BAR: {
            unsigned id = LANES(const uint32_t, i->a)[__builtin_ctz(on)] & (SIM_BARRIERS - 1);
            if (w->trace) trace_barrier(w, fn, i, id, b->warp_count);
            if (!sim_block_arrive(b, w, f, i)) {
                again = true;
                if (w->stop) return SIM_RAN_STOPPED;
            }
            break;
        }
        case SIM_END_YIELD: {
            uint32_t ns = LANES(const uint32_t, i->a)[__builtin_ctz(on)];
            b->clock += (uint64_t)((double)(ns > 1000000 ? 1000000 : ns) *
                                   b->run->device->profile->clock_ghz) /
                        4;
            f->seg = s->next;
            f->yielded = true;
            k->yields++;
            return SIM_RAN_YIELDED;
        }
        }
    next:
        if (k->fuel <= 0 && !look_around(w, s)) return SIM_RAN_STOPPED;
        if (!again && limit != ALONE) again = fn->segs[w->frags[c].seg].order >= limit;
        if (!again) continue;
        c = choose(w, &limit);
        if (c >= 0) enter(w, &w->frags[c]);
    }
    w->state = w->frag_count ? SIM_WARP_WAITING : SIM_WARP_DONE;
    return w->frag_count ? SIM_RAN_WAITING : SIM_RAN_DONE;
}
