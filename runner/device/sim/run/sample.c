/* Are the blocks that the model of time samples like the rest of the launch? It compares:
 *
 *   how often their warps ran each segment   --> finds code that others ran, or ran more often
 *   sectors and passes over banks            --> finds accesses that are worse elsewhere
 *   the cycles of a warp that is alone, its waits for loads, and the block's misses in L1 and L2,
 *   bank conflicts and sectors                --> finds blocks that take longer for the same code
 *
 * The time of a launch is the time of the sampled blocks (time.h). Warplab draws them, so a program
 * cannot slow down only the others. This file finds launches for which a few blocks say little. It
 * leaves out the rounds of waiting loops, because their number depends on the interpreter. */
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/run/launch.h"
#include <math.h>
#include <stdlib.h>

enum { SMS = sizeof((sim_sampled *)NULL)->sm_alone / sizeof(double) };
/* Of one wait, as sim_seg.alone counts them: copies that are on their way together share it. */
enum { PARTS = 8 };

/* Rounds of waiting are no work: how many there are depends on whose turn it is here. */
static bool sample_only_waits(const sim_func *f, const sim_seg *s) {
    bool again = s->back && s->target < f->seg_count && f->segs[s->target].end == SIM_END_POLL;
    return s->polls || s->waits || s->end == SIM_END_POLL || again;
}

/* Done once for each image. Nothing is executed. */
static void sample_alone(const sim_run_state *r) {
    sim_image *im = (sim_image *)(uintptr_t)r->image;
    const sim_profile *p = r->device->profile;
    size_t most = 0;
    if (im->alone_known) return;
    for (size_t f = 0; f < im->func_count; f++)
        if (im->funcs[f].ptx->reg_count > most) most = im->funcs[f].ptx->reg_count;
    double *ready = calloc(most + 1, sizeof *ready);
    if (!ready) return;
    im->alone_known = true;
    for (size_t f = 0; f < im->func_count; f++)
        for (uint32_t k = 0; k < im->funcs[f].seg_count; k++) {
            sim_seg *s = &im->funcs[f].segs[k];
            if (sample_only_waits(&im->funcs[f], s)) continue;
            time_stretch of = {s->ptx_first, s->ptx_count, s->back && s->target == k};
            const ptx_func *fn = im->funcs[f].ptx;
            double near = time_alone(p, fn, of, p->lat_l1, ready),
                   far = time_alone(p, fn, of, p->lat_dram, ready),
                   trips = (far - near) / (p->lat_dram - p->lat_l1);
            s->alone = (uint64_t)ceil(near) | (uint64_t)llround(PARTS * trips) << SIM_TRIPS;
        }
    free(ready);
}

int sim_sample_busiest(const sim_run_state *r) {
    return r->kernel->busy_grid == r->grid_blocks ? (int)r->kernel->busy_sm : -1;
}

/* Cycles of a block: of its warps one after the other; of its longest chain of instructions, which
 * it cannot end before; of its longest warp, if that never waits for another one. */
typedef struct {
    double all, longest, own;
} block_cycles;

/* Returns the cycles of one warp, whose sim_seg.alone add up to `alone`. A wait takes as long as
 * its farthest line. How many lines a wait has is unknown, so each line counts as a wait of its
 * own. The blocks that open the launch wait together for what the first of them fetches, so loads
 * from DRAM count only for later blocks. */
static double warp_alone(const sim_profile *p, uint64_t alone, sim_block_waits w, bool opens) {
    double trips = (double)(alone >> SIM_TRIPS) / PARTS,
           l2 = p->lat_l2 > 0 ? p->lat_l2 : p->lat_dram;
    return (double)(alone & ((UINT64_C(1) << SIM_TRIPS) - 1)) +
           fmin((double)w.l2, trips) * (l2 - p->lat_l1) +
           fmin((double)w.remote, trips) * fmax(p->lat_remote - p->lat_l1, 0) +
           (opens ? 0 : fmin((double)w.dram, trips) * (p->lat_dram - l2));
}

/* The lines that the block's warps fetch are not counted by warp: any of them may have waited for
 * all. Its multiprocessor takes one pass over the banks after another, and its share of what L2
 * delivers. */
static block_cycles block_alone(const sim_profile *p, const sim_block *b, bool opens) {
    sim_block_waits w = sim_block_waited(b->mem);
    uint64_t alone = 0;
    block_cycles c = {0};
    for (uint32_t k = 0; k < b->warp_count; k++) {
        const sim_warp *x = &b->warps[k];
        double slept = (double)x->slept;
        alone += x->alone;
        c.own = fmax(c.own, warp_alone(p, x->alone, w, opens) + slept);
        c.longest = fmax(c.longest, warp_alone(p, x->alone + x->lead, w, opens) + slept);
    }
    double served = (double)w.passes * p->bank_lanes * 4 / p->shared_bytes_cycle,
           l2_cycle = p->l2_gbs / p->clock_ghz / p->sms;
    c.all = warp_alone(p, alone, w, opens) + (double)b->slept + served;
    if (l2_cycle > 0) served += (double)w.sectors * 32 / l2_cycle;
    c.longest += served;
    c.own += served;
    return c;
}

void sim_sample_block(sim_run_state *r, const sim_block *b) {
    sim_sampled *s = &r->sampled;
    if (!r->image->alone_known) return;
    uint64_t sms = r->device->profile->sms, sm = b->order % sms;
    bool opens = b->order < sms * r->resident_blocks;
    block_cycles c = block_alone(r->device->profile, b, opens),
                 first = opens ? c : block_alone(r->device->profile, b, true);
    double count = (double)(b->clock - b->waited);
    s->alone += first.all, s->count += count;
    if (b->trace) {
        b->trace->alone = (uint64_t)(first.all / r->warps + first.longest);
        s->longest_seen = fmax(s->longest_seen, c.longest);
        b->trace->own = c.own;
    }
    if (c.longest > s->longest) s->longest = c.longest, s->longest_sm = opens ? (int)sm : -1;
    if (!opens || sm >= SMS) return;
    s->sm_alone[sm] += first.all, s->sm_count[sm] += count;
}

double sim_sample_longest(const sim_run_state *r, double replayed, unsigned blocks) {
    double own = 0;
    for (unsigned k = 0; r->trace && k < r->trace->block_count && k < blocks; k++)
        own = fmax(own, r->trace->blocks[k].own);
    return r->sampled.longest * (own > 0 ? fmin(replayed / own, 1) : 1);
}

/* time.c multiplies the time of the sampled blocks by how much more others execute. Beyond this
 * multiple, the sampled ones say nothing about the others. */
#define MOST_MORE 5.0

/* Returns the part of the time by which the busiest multiprocessor takes longer than the replayed
 * one although it executes as many instructions (time.c accounts for more instructions, up to
 * MOST_MORE times as many); or by which all blocks take longer than the sampled ones; or by which a
 * block exceeds the whole launch and those in the sample. */
static double sample_slower(const sim_run_state *r, double time_us, unsigned *busiest) {
    const sim_sampled *s = &r->sampled;
    unsigned first = r->trace->sm;
    *busiest = first;
    if (first >= SMS) return 0;
    for (unsigned n = 1; n < SMS; n++) { /* among several, one is drawn, like the first one */
        unsigned k = (first + n) % SMS;
        if (s->sm_alone[k] > s->sm_alone[*busiest]) *busiest = k;
    }
    double here = s->sm_alone[first], there = s->sm_alone[*busiest];
    if (!(here > 0) || !(s->sm_count[first] > 0)) return there > 0 ? 1 : 0;
    double worst = sim_spread_worst(&r->own), more = there / here / worst;
    if (r->grid_blocks > (uint64_t)r->resident_blocks * r->device->profile->sms)
        more = s->alone / s->count / (here / s->sm_count[first]);
    more = fmax(more, worst / MOST_MORE);
    double seen = fmax(s->longest_seen, time_us * r->device->profile->clock_ghz * 1e3);
    if (seen > 0 && s->longest / seen > more) {
        more = s->longest / seen;
        if (s->longest_sm >= 0) *busiest = (unsigned)s->longest_sm;
    }
    return more > 1 ? 1 - 1 / more : 0;
}

void sim_sample_begin(sim_run_state *r, bool compares) {
    const sim_profile *p = r->device->profile;
    sample_alone(r);
    r->trip_cycles = fmax(p->lat_l2 - p->lat_l1, 0) / PARTS;
    sim_access_launch_counts(r->access);
    for (unsigned k = 0; compares && k < r->trace->block_count; k++)
        r->trace->blocks[k].segs =
            calloc(r->image->seg_count + 1, sizeof *r->trace->blocks[k].segs);
}

/* Instructions by segment. */
typedef struct {
    double *all, *seen, *one; /* of the launch, of the sampled blocks, of one sampled block */
    double blocks;            /* number of sampled blocks */
} sample_code;

static double sample_sum(const double *v, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += v[k];
    return sum;
}
/* Returns the part of `a` that differs in `b`. */
static double sample_apart(const double *a, const double *b, size_t n) {
    double x = sample_sum(a, n), y = sample_sum(b, n), apart = 0;
    if (!(x > 0) || !(y > 0)) return x > 0 ? 1 : 0;
    for (size_t k = 0; k < n; k++) apart += fabs(a[k] / x - b[k] / y);
    return apart / 2;
}

static void sample_take(const sim_run_state *r, sample_code *c) {
    const sim_image *im = r->image;
    for (size_t f = 0; f < im->func_count; f++)
        for (uint32_t k = 0; k < im->funcs[f].seg_count; k++) {
            const sim_seg *s = &im->funcs[f].segs[k];
            if (s->polls) continue;
            for (unsigned w = 0; w < r->worker_count; w++)
                c->all[s->id] += (double)r->workers[w].segs[s->id].warps * s->ptx_count;
            for (unsigned b = 0; b < r->trace->block_count; b++)
                if (r->trace->blocks[b].segs && r->trace->blocks[b].done)
                    c->seen[s->id] += (double)r->trace->blocks[b].segs[s->id] * s->ptx_count;
        }
    for (unsigned b = 0; b < r->trace->block_count; b++) c->blocks += r->trace->blocks[b].done;
}
static void sample_take_one(const sim_run_state *r, const sim_trace_block *b, double *one) {
    for (size_t f = 0; f < r->image->func_count; f++)
        for (uint32_t k = 0; k < r->image->funcs[f].seg_count; k++) {
            const sim_seg *s = &r->image->funcs[f].segs[k];
            one[s->id] = s->polls ? 0 : (double)b->segs[s->id] * s->ptx_count;
        }
}

/* Returns what the launch's warps executed and the sampled ones did not, beyond the differences
 * among the sampled ones; and work beyond the surplus that time.c allows the other blocks. */
static double sample_code_unlike(const sim_run_state *r, sample_code *c) {
    size_t n = r->image->seg_count;
    double among = 0, apart, mean, seen;
    sample_take(r, c);
    if (!(c->blocks > 0)) return 0;
    for (unsigned b = 0; b < r->trace->block_count; b++) {
        if (!r->trace->blocks[b].segs || !r->trace->blocks[b].done) continue;
        sample_take_one(r, &r->trace->blocks[b], c->one);
        among += sample_apart(c->one, c->seen, n) / c->blocks;
    }
    apart = sample_apart(c->all, c->seen, n) - among;
    mean = sample_sum(c->all, n) / (double)r->grid_blocks;
    seen = sample_sum(c->seen, n) / c->blocks;
    double beyond = mean > MOST_MORE * seen ? 1 - MOST_MORE * seen / mean : 0;
    return fmax(fmax(apart, beyond), 0);
}

/* A unit is busy for `us` of the launch's time with its accesses. Returns how much more of the unit
 * each access needs than those of the sampled blocks. */
static double sample_more(double all, double requests, double seen, double events, double us,
                          double time_us) {
    if (!(all > 0) || !(requests > 0) || !(time_us > 0)) return 0;
    double here = events > 0 ? seen / events : 0, there = all / requests;
    return there > here ? (1 - here / there) * fmin(1, us / time_us) : 0;
}

static double sample_access_unlike(const sim_run_state *r, const sim_counters *c, double time_us) {
    const sim_profile *p = r->device->profile;
    double sectors = 0, global = 0, passes = 0, shared = 0;
    for (unsigned b = 0; b < r->trace->block_count; b++)
        for (unsigned w = 0; w < r->trace->blocks[b].warp_count; w++)
            for (uint32_t k = 0; k < r->trace->blocks[b].warps[w].at.event_count; k++) {
                const sim_trace_event *e = &r->trace->blocks[b].warps[w].events[k];
                if (!e->lanes) continue;
                if (e->space == SIM_SPACE_GLOBAL) sectors += e->sectors, global++;
                if (e->space == SIM_SPACE_SHARED) passes += e->passes, shared++;
            }
    double all = (double)(c->gld_sectors + c->gst_sectors),
           banks = (double)(c->shared_ld_wavefronts + c->shared_st_wavefronts);
    double per_us = p->sms * p->clock_ghz * 1e3;
    return fmax(sample_more(all, (double)(c->gld_requests + c->gst_requests), sectors, global,
                            all * 32 / (p->l2_gbs * 1e3), time_us),
                sample_more(banks, (double)(c->shared_ld_requests + c->shared_st_requests), passes,
                            shared, banks * p->bank_lanes * 4 / p->shared_bytes_cycle / per_us,
                            time_us));
}

double sim_sample_unlike(sim_run_state *r, const sim_counters *c, double time_us) {
    const double little = 0.25; /* the same as in the grader, which then draws again */
    if (!r->trace || !r->trace->block_count || !r->trace->blocks[0].segs) return 0;
    size_t n = r->image->seg_count + 1;
    double *rows = calloc(3 * n, sizeof *rows);
    if (!rows) return 0;
    sample_code code = {.all = rows, .seen = rows + n, .one = rows + 2 * n};
    double unlike = fmax(sample_code_unlike(r, &code), sample_access_unlike(r, c, time_us));
    free(rows);
    unsigned busiest;
    double slower = sample_slower(r, time_us, &busiest);
    r->kernel->busy_grid = slower > little ? r->grid_blocks : 0;
    r->kernel->busy_sm = busiest;
    return fmax(unlike, slower);
}
