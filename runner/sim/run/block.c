/* A block: its warps take turns on the worker that holds it, each running until it ends, waits at a
 * barrier or gives way.
 *
 *   context (registers, areas of special registers, memory) --sim_block_start: number--> running
 *     --all warps ended----------> ENDED
 *     --only waiting loops left--> PARKED (another block gets the worker)
 *     --fault, deadlock----------> FAILED
 *
 * Contexts are reused for block after block. Barriers follow PTX ISA 9.7.13: one opens when as many
 * threads have arrived as it expects, or, with no count, all that have not exited. */
#include <stdio.h>
#include <stdlib.h>
#include "runner/sim/exec/lanes.h"

enum {
    PARK_ROUNDS = 8
}; /* rounds over the warps in which all only gave way, before another block gets the worker */

/* ---- contexts ---- */

static void fill32(uint8_t *area, unsigned slot, uint32_t v) {
    uint32_t *p = (uint32_t *)(void *)(area + 128 * (size_t)slot);
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) p[l] = v;
}

static void fill_areas(sim_block *b) {
    const sim_run_state *r = b->run;
    const sim_launch *l = r->launch;
    for (unsigned k = 0; k < 3; k++) {
        fill32(b->area, SIM_BS_NTID_X + k, l->block[k]);
        fill32(b->area, SIM_BS_NCTAID_X + k, l->grid[k]);
    }
    uint32_t *lane = (uint32_t *)(void *)b->area;
    for (uint32_t x = 0; x < SIM_WARP_LANES; x++) {
        lane[SIM_BS_LANEID * 32 + x] = x;
        lane[SIM_BS_LANEMASK_EQ * 32 + x] = 1u << x;
        lane[SIM_BS_LANEMASK_LT * 32 + x] = (1u << x) - 1;
        lane[SIM_BS_LANEMASK_LE * 32 + x] = (1u << x) | ((1u << x) - 1);
        lane[SIM_BS_LANEMASK_GE * 32 + x] = ~((1u << x) - 1);
        lane[SIM_BS_LANEMASK_GT * 32 + x] = ~((1u << x) | ((1u << x) - 1));
    }
    fill32(b->area, SIM_BS_NWARPID, r->device->profile->max_threads_sm / SIM_WARP_LANES);
    fill32(b->area, SIM_BS_NSMID, r->device->profile->sms);
    fill32(b->area, SIM_BS_DYNAMIC_SMEM, r->dynamic_shared);
    fill32(b->area, SIM_BS_TOTAL_SMEM, r->shared_bytes);
    if (l->cooperative) {
        fill32(b->area, SIM_BS_ENVREG1, (uint32_t)(r->device->workspace >> 32));
        fill32(b->area, SIM_BS_ENVREG2, (uint32_t)r->device->workspace);
    }
    for (size_t k = 0; k < r->image->param_count; k++) {
        const struct sim_param *p = &r->image->params[k];
        uint64_t v = 0;
        memcpy(&v, r->params + p->offset, p->bytes);
        if (p->sext) v = (uint64_t)((int64_t)(v << (64 - 8 * p->bytes)) >> (64 - 8 * p->bytes));
        for (unsigned x = 0; x < SIM_WARP_LANES; x++)
            memcpy(b->area + p->at + (p->slot == SIM_SLOT_64 ? 8 : 4) * x, &v,
                   p->slot == SIM_SLOT_64 ? 8 : 4);
    }
    for (uint32_t wi = 0; wi < b->warp_count; wi++) {
        uint8_t *area = b->warp_areas + (size_t)wi * SIM_WS_COUNT * 128;
        uint32_t *t = (uint32_t *)(void *)area;
        for (uint32_t x = 0; x < SIM_WARP_LANES; x++) {
            uint32_t thread = wi * SIM_WARP_LANES + x;
            t[SIM_WS_TID_X * 32 + x] = thread % l->block[0];
            t[SIM_WS_TID_Y * 32 + x] = thread / l->block[0] % l->block[1];
            t[SIM_WS_TID_Z * 32 + x] = thread / l->block[0] / l->block[1];
            t[SIM_WS_WARPID * 32 + x] = wi;
        }
    }
}

static void *lines(size_t n) {
    return aligned_alloc(64, (n + 63) / 64 * 64 + 64);
}

sim_block *sim_block_new(sim_run_state *r) {
    const sim_image *im = r->image;
    sim_block *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->run = r;
    b->warp_count = r->warps;
    b->threads = r->threads;
    size_t frame = im->funcs[0].frame_bytes;
    b->warps = calloc(b->warp_count, sizeof *b->warps);
    b->roots = calloc(b->warp_count, sizeof *b->roots);
    b->area = lines(im->block_bytes);
    b->warp_areas = lines((size_t)b->warp_count * SIM_WS_COUNT * 128);
    b->regs = lines(frame * b->warp_count);
    b->mem = sim_block_mem_new(r->access);
    if (!b->warps || !b->roots || !b->area || !b->warp_areas || !b->regs || !b->mem) {
        sim_block_free(b);
        return NULL;
    }
    for (uint32_t k = 0; k < b->warp_count; k++) {
        sim_warp *w = &b->warps[k];
        w->block = b;
        w->index = k;
        w->root = &b->roots[k];
        *w->root = (sim_frame){.func = &im->funcs[0], .regs = b->regs + frame * k};
        w->base[SIM_BASE_REGS] = w->root->regs;
        w->base[SIM_BASE_POOL] = im->pool;
        w->base[SIM_BASE_BLOCK] = b->area;
        w->base[SIM_BASE_WARP] = b->warp_areas + (size_t)k * SIM_WS_COUNT * 128;
    }
    memset(b->area, 0, im->block_bytes);
    memset(b->regs, 0, frame * b->warp_count);
    fill_areas(b);
    return b;
}

void sim_block_free(sim_block *b) {
    if (!b) return;
    sim_block_mem_free(b->mem);
    free(b->warps);
    free(b->roots);
    free(b->area);
    free(b->warp_areas);
    free(b->regs);
    free(b->print_text);
    free(b);
}

void sim_block_start(sim_block *b, sim_worker *k, uint64_t linear) {
    const sim_run_state *r = b->run;
    const unsigned *g = r->launch->grid;
    b->linear = linear;
    b->failed = false;
    b->status = SIM_OK;
    b->clock = 0;
    b->idle_rounds = 0;
    b->print_len = 0;
    b->printed_full = false;
    b->live_threads = b->threads;
    b->done_warps = 0;
    b->warned_exit = b->warned_places = b->parked = false;
    b->moved = true;
    b->cycle = (sim_cycle){0};
    memset(b->bar, 0, sizeof b->bar);
    fill32(b->area, SIM_BS_CTAID_X, (uint32_t)(linear % g[0]));
    fill32(b->area, SIM_BS_CTAID_Y, (uint32_t)(linear / g[0] % g[1]));
    fill32(b->area, SIM_BS_CTAID_Z, (uint32_t)(linear / g[0] / g[1]));
    fill32(b->area, SIM_BS_SMID, (uint32_t)(linear % r->device->profile->sms));
    sim_block_begin(b->mem, linear);
    b->trace = r->trace ? sim_trace_block_begin(r->trace, linear) : NULL;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        uint32_t left = b->threads - i * SIM_WARP_LANES;
        sim_warp *w = &b->warps[i];
        w->worker = k;
        w->access = k->access;
        w->trace = b->trace && i < b->trace->warp_count ? &b->trace->warps[i] : NULL;
        sim_warp_start(w, left >= SIM_WARP_LANES ? SIM_ALL_LANES : (1u << left) - 1);
    }
}

/* ---- barriers ---- */

static void warn(sim_block *b, const sim_barrier *a, const ptx_insn *other, uint32_t other_thread,
                 const char *text) {
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

static bool is_open(const sim_block *b, const sim_barrier *a) {
    return a->expected ? a->arrived >= a->expected : a->arrived >= b->live_threads;
}

/* All who wait at barrier `id` go on; reductions get their result. */
static void open_barrier(sim_block *b, unsigned id) {
    sim_barrier *a = &b->bar[id];
    if (!a->expected && b->live_threads < b->threads && a->aligned && !b->warned_exit) {
        char text[220];
        b->warned_exit = true;
        snprintf(text, sizeof text,
                 "waits at a barrier that %u of the block's %u threads never reach, because they "
                 "have exited: "
                 "every thread must reach __syncthreads()",
                 b->threads - b->live_threads, b->threads);
        warn(b, a, NULL, 0, text);
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
    sim_block_barrier(b->mem, a->expected ? b->took_part[id] : NULL);
    memset(b->took_part[id], 0, sizeof b->took_part[id]);
    memset(a, 0, sizeof *a);
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
        warn(b, a, i->ptx, w->index * SIM_WARP_LANES + lane, text);
    }
    if (count && !a->expected) a->expected = count;
    uint32_t lanes = (unsigned)__builtin_popcount(f->mask);
    b->took_part[id][w->index] |= f->mask;
    /* with a count, a warp that is here as a whole counts 32, also when its block ends within it */
    if (a->expected && (b->took_part[id][w->index] & w->live) == w->live)
        lanes += SIM_WARP_LANES - (unsigned)__builtin_popcount(w->live);
    a->arrived += lanes;
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
    if (!is_open(b, a)) return kind == SIM_BAR_ARRIVE;
    open_barrier(b, id);
    return w->frag_count == 1;
}

void sim_block_exited(sim_block *b, uint32_t lanes) {
    b->live_threads -= lanes;
    for (unsigned id = 0; id < SIM_BARRIERS; id++)
        if (b->bar[id].arrived && b->live_threads && is_open(b, &b->bar[id])) open_barrier(b, id);
}

/* ---- running ---- */

sim_block_ran sim_block_run(sim_block *b, sim_worker *k) {
    for (;;) {
        bool ran = false, moved = false;
        for (uint32_t i = 0; i < b->warp_count; i++) {
            sim_warp *w = &b->warps[i];
            if (w->state != SIM_WARP_READY) continue;
            ran = true;
            sim_ran r = sim_warp_run(w);
            if (r == SIM_RAN_STOPPED) return SIM_BLOCK_FAILED;
            if (r != SIM_RAN_YIELDED) moved = true;
            if (r == SIM_RAN_DONE && ++b->done_warps == b->warp_count) return SIM_BLOCK_ENDED;
        }
        if (!ran) {
            sim_deadlock(b);
            return SIM_BLOCK_FAILED;
        }
        b->moved |= moved || k->acted;
        k->acted = false;
        b->idle_rounds = moved ? 0 : b->idle_rounds + 1;
        if (b->idle_rounds >= PARK_ROUNDS) {
            b->idle_rounds = 0;
            return SIM_BLOCK_PARKED;
        }
    }
}
