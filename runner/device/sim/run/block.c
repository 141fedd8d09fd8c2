/* A block: its warps take turns on the worker that runs the block. Each runs until it ends, waits
 * at a barrier or gives way.
 *
 *   context (registers, areas of special registers, memory) --sim_block_start: number--> running
 *     --all warps ended----------> ENDED
 *     --only waiting loops left--> PARKED (another block gets the worker)
 *     --at the cluster's barrier-> WAITS  (another block of the cluster gets it)
 *     --fault, deadlock----------> FAILED
 *
 * Contexts are reused for block after block. */
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/debug/hook.h"
#include "runner/device/sim/machine/fault.h"
#include "runner/device/sim/run/block.h"
#include "runner/device/sim/run/cluster.h"
#include "runner/device/sim/run/stuck.h"
#include "runner/device/sim/run/twins.h"
#include "runner/device/sim/run/warp.h"
#include "runner/device/sim/run/work.h"
#include "runner/device/sim/slice/slice.h"
#include "words/finding.h"
#include <stdlib.h>
#include <string.h>

/* Rounds in which all warps only gave way, before another block gets the worker. */
enum { PARK_ROUNDS = 8 };

/* ---- contexts ---- */

static void block_fill(uint8_t *area, unsigned slot, uint32_t v) {
    uint32_t *p = (uint32_t *)(void *)(area + 128 * (size_t)slot);
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) p[l] = v;
}

static void block_areas(sim_block *b) {
    const sim_run_state *r = b->run;
    const sim_launch *l = r->launch;
    for (unsigned k = 0; k < 3; k++) {
        block_fill(b->area, SIM_BS_NTID_X + k, l->block[k]);
        block_fill(b->area, SIM_BS_NCTAID_X + k, l->grid[k]);
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
    const sim_profile *profile = r->device->profile;
    block_fill(b->area, SIM_BS_NWARPID, profile->max_threads_sm / SIM_WARP_LANES);
    block_fill(b->area, SIM_BS_NSMID, profile->sms);
    block_fill(b->area, SIM_BS_DYNAMIC_SMEM, r->dynamic_shared);
    uint32_t unit = (uint32_t)profile->shared_unit;
    block_fill(b->area, SIM_BS_TOTAL_SMEM, (r->shared_bytes + unit - 1) / unit * unit);
    block_fill(b->area, SIM_BS_AGGR_SMEM, r->shared_bytes + (uint32_t)profile->shared_reserved);
    uint32_t reserved = (uint32_t)profile->shared_reserved, begin = r->shared_room - reserved;
    if (r->image->reserved_smem) {
        block_fill(b->area, SIM_BS_RESERVED_BEGIN, begin);
        block_fill(b->area, SIM_BS_RESERVED_END, begin + reserved);
        block_fill(b->area, SIM_BS_RESERVED_CAP, reserved);
        block_fill(b->area, SIM_BS_RESERVED_1, begin + reserved / 2);
    }
    uint64_t *id = (uint64_t *)(void *)(b->area + SIM_BS_GRIDID * 128);
    for (uint32_t x = 0; x < SIM_WARP_LANES; x++)
        id[x] = l->number ? l->number : r->device->launches;
    if (l->cooperative) {
        block_fill(b->area, SIM_BS_ENVREG1, (uint32_t)(r->device->workspace >> 32));
        block_fill(b->area, SIM_BS_ENVREG2, (uint32_t)r->device->workspace);
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

uint32_t sim_shared_room(const sim_profile *p, const sim_image *im, uint32_t own) {
    enum { UNIT = 128 };
    return im->reserved_smem ? (own + UNIT - 1) / UNIT * UNIT + (uint32_t)p->shared_reserved : own;
}

static void *block_lines(size_t n) {
    return aligned_alloc(64, (n + 63) / 64 * 64 + 64);
}

uint64_t sim_block_bytes(const sim_run_state *r) {
    enum { NOTES = 32 << 10 };
    uint64_t lanes = (uint64_t)r->warps * SIM_WARP_LANES;
    return (uint64_t)r->warps * (r->image->funcs[0].frame_bytes + SIM_WS_COUNT * 128) +
           lanes * r->local_bytes + 3 * (uint64_t)r->shared_room + NOTES;
}

/* Another context may be made: they are kept as long as the launch goes on. */
static bool block_fits(sim_run_state *r) {
    uint64_t most = r->device->options.launch_bytes, bytes = sim_block_bytes(r);
    return atomic_fetch_add(&r->context_bytes, bytes) + bytes <= (most ? most : UINT64_MAX);
}

sim_block *sim_block_new(sim_run_state *r) {
    const sim_image *im = r->image;
    if (!block_fits(r)) return NULL;
    sim_block *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->run = r;
    b->warp_count = r->warps;
    b->threads = r->threads;
    size_t frame = im->funcs[0].frame_bytes;
    b->warps = calloc(b->warp_count, sizeof *b->warps);
    b->roots = calloc(b->warp_count, sizeof *b->roots);
    b->area = block_lines(im->block_bytes);
    b->warp_areas = block_lines((size_t)b->warp_count * SIM_WS_COUNT * 128);
    b->regs = block_lines(frame * b->warp_count);
    b->marks = calloc((size_t)b->warp_count * im->mark_count + 1, sizeof *b->marks);
    b->mem = sim_block_mem_new(r->access);
    if (!b->warps || !b->roots || !b->area || !b->warp_areas || !b->regs || !b->marks || !b->mem) {
        sim_block_free(b);
        return NULL;
    }
    sim_block_clock(b->mem, &b->clock);
    for (uint32_t k = 0; k < b->warp_count; k++) {
        sim_warp *w = &b->warps[k];
        w->block = b;
        w->index = k;
        w->root = &b->roots[k];
        w->marks = b->marks + (size_t)k * im->mark_count;
        *w->root = (sim_frame){.func = &im->funcs[0], .regs = b->regs + frame * k};
        w->base[SIM_BASE_REGS] = w->root->regs;
        w->base[SIM_BASE_POOL] = im->pool;
        w->base[SIM_BASE_BLOCK] = b->area;
        w->base[SIM_BASE_WARP] = b->warp_areas + (size_t)k * SIM_WS_COUNT * 128;
    }
    memset(b->area, 0, im->block_bytes);
    memset(b->regs, 0, frame * b->warp_count);
    block_areas(b);
    return b;
}

void sim_block_free(sim_block *b) {
    if (!b) return;
    sim_block_free(b->twin);
    sim_block_mem_free(b->mem);
    sim_meets_free(b->words);
    for (uint32_t k = 0; b->warps && k < b->warp_count; k++) free(b->warps[k].stray);
    free(b->warps);
    free(b->roots);
    free(b->area);
    free(b->warp_areas);
    free(b->regs);
    free(b->marks);
    free(b->print_text);
    free(b->errors);
    free(b);
}

void sim_blocks_free(sim_block *b) {
    while (b) {
        sim_block *next = b->next;
        sim_block_free(b);
        b = next;
    }
}

/* Sets the block's place in its cluster, and its own shared addresses. */
static void block_in_cluster(sim_block *b, const unsigned at[3], const unsigned in[3]) {
    const sim_run_state *r = b->run;
    for (unsigned k = 0; k < 3; k++) {
        block_fill(b->area, SIM_BS_CLUSTERID_X + k, at[k] / r->cluster[k]);
        block_fill(b->area, SIM_BS_NCLUSTERID_X + k, r->launch->grid[k] / r->cluster[k]);
        block_fill(b->area, SIM_BS_CLUSTER_CTAID_X + k, in[k]);
        block_fill(b->area, SIM_BS_CLUSTER_NCTAID_X + k, r->cluster[k]);
    }
    block_fill(b->area, SIM_BS_CLUSTER_CTARANK, b->rank);
    block_fill(b->area, SIM_BS_CLUSTER_NCTARANK, r->cluster_size);
    block_fill(b->area, SIM_BS_EXPLICIT_CLUSTER, r->cluster_explicit ? SIM_ALL_LANES : 0);
    for (size_t k = 0; k < r->image->shared_slot_count; k++) {
        const struct sim_shared_slot *s = &r->image->shared_slots[k];
        uint64_t v = s->address + ((uint64_t)b->rank << SIM_RANK_SHIFT);
        size_t n = s->slot == SIM_SLOT_64 ? 8 : 4;
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) memcpy(b->area + s->at + n * l, &v, n);
    }
    for (uint32_t i = 0; i < b->warp_count; i++)
        b->warps[i].cluster_arrived = b->warps[i].cluster_owes = 0;
}

void sim_block_start(sim_block *b, sim_worker *k, uint64_t order) {
    const sim_run_state *r = b->run;
    const unsigned *g = r->launch->grid;
    unsigned at[3] = {(unsigned)(order % g[0]), (unsigned)(order / g[0] % g[1]),
                      (unsigned)(order / g[0] / g[1])},
             in[3];
    b->order = b->linear = order;
    if (b->cluster) {
        sim_cluster_place(r, order, at, in);
        b->linear = at[0] + (uint64_t)g[0] * (at[1] + (uint64_t)g[1] * at[2]);
        block_in_cluster(b, at, in);
    }
    b->failed = false;
    b->status = SIM_OK;
    b->clock = b->waited = b->skipped = b->slept = b->slept_most = 0;
    b->idle_rounds = b->looks = 0;
    b->print_len = 0;
    b->printed_full = false;
    if (b->errors) memset(b->errors, 0, b->threads * sizeof *b->errors);
    b->live_threads = b->threads;
    b->done_warps = 0;
    b->warned_exit = b->warned_places = b->parked = false;
    b->moved = true;
    b->waits_long = false;
    b->cycle = (sim_cycle){0};
    memset(b->bar, 0, sizeof b->bar);
    b->arrived_at = 0;
    for (unsigned n = 0; n < 3; n++) block_fill(b->area, SIM_BS_CTAID_X + n, at[n]);
    block_fill(b->area, SIM_BS_SMID, (uint32_t)(order % r->device->profile->sms));
    sim_block_begin(b->mem, order);
    if (b->cluster) sim_block_name(b->mem, b->linear);
    b->trace = r->trace ? sim_trace_block_begin(r->trace, order) : NULL;
    b->opens = r->trace && order < (uint64_t)r->resident_blocks * r->device->profile->sms;
    if (!b->trace) sim_block_brief(b->mem);
    if (r->trace && r->image->meets && !b->words) b->words = sim_meets_new(r->trip_cycles);
    else if (b->words) sim_meets_begin(b->words);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        uint32_t left = b->threads - i * SIM_WARP_LANES;
        sim_warp *w = &b->warps[i];
        w->worker = k;
        w->access = k->access;
        w->trace = b->trace && i < b->trace->warp_count ? &b->trace->warps[i] : NULL;
        sim_warp_start(w, left >= SIM_WARP_LANES ? SIM_ALL_LANES : (1u << left) - 1);
    }
    if (r->debug) sim_debug_block_begins(r->debug, b);
}

/* ---- running ---- */

/* "All threads in the warpgroup must execute the same wgmma.mma_async" (PTX ISA). Here the four
 * warps run independently; when the block has ended, each must have executed the same products. */
static void warpgroups_end(sim_block *b) {
    for (uint32_t k = 0; k + 3 < b->warp_count; k += 4)
        for (uint32_t x = 1; x < 4; x++) {
            sim_warp *w = &b->warps[k + x], *first = &b->warps[k];
            if (w->products == first->products) continue;
            if (!w->last_product) w = first;
            sim_report(w, w->last_product, SIM_ALL_LANES, SIM_FIND_BARRIER,
                       w_finding_wgmma_group());
            break;
        }
}

/* Returns the order of the warps' turns in the next round; it differs from round to round. */
static uint64_t block_turns(const sim_block *b) {
    return b->run->turns ? sim_trace_draw(b->run->turns + b->linear, (unsigned)b->clock, UINT64_MAX)
                         : 0;
}

sim_block_ran sim_block_run(sim_block *b, sim_worker *k) {
    for (;;) {
        bool ran = false, moved = false;
        uint64_t turns = block_turns(b), waits = k->mbarrier_waits, written = k->words_written;
        for (uint32_t i = 0; i < b->warp_count; i++) {
            sim_warp *w = &b->warps[sim_turn(turns, i, b->warp_count)];
            if (w->state != SIM_WARP_READY) continue;
            ran = true;
            if (b->opens) sim_block_turn(b->mem, w->index);
            sim_ran r = b->run->debug           ? sim_warp_run_debugged(w)
                        : sim_twins_tap(b->run) ? sim_warp_run_tapped(w)
                                                : sim_warp_run(w);
            if (r == SIM_RAN_STOPPED) return SIM_BLOCK_FAILED;
            if (r != SIM_RAN_YIELDED) moved = true;
            if (r == SIM_RAN_DONE && ++b->done_warps == b->warp_count) {
                if (b->run->image->warpgroups) warpgroups_end(b);
                sim_bulk_left(k->access);
                if (k->crews) sim_crews_add(k->crews, b);
                return SIM_BLOCK_ENDED;
            }
        }
        if (!ran) {
            if (b->cluster && sim_cluster_waits(b)) return SIM_BLOCK_WAITS;
            sim_deadlock(b);
            return SIM_BLOCK_FAILED;
        }
        if (k->took) {
            k->took = false;
            b->moved = true;
            b->idle_rounds = 0;
            return SIM_BLOCK_TURN;
        }
        /* a phase of an mbarrier that is found to be over is as good as a barrier */
        moved |= k->mbarrier_waits != waits || k->words_written != written;
        b->moved |= moved || k->acted || sim_access_saw_older(k->access);
        k->acted = false;
        b->idle_rounds = moved ? 0 : b->idle_rounds + 1;
        if (b->idle_rounds >= PARK_ROUNDS) {
            b->idle_rounds = 0;
            return SIM_BLOCK_PARKED;
        }
    }
}
