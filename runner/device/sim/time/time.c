/* From one multiprocessor's replay to the whole launch: shares of common units, further waves, the
 * tail, the limiter, the floor. */
#include "runner/device/sim/time/time_internal.h"
#include <math.h>
#include <string.h>

/* Blocks replayed beyond the first wave, in waves, and warp instructions: enough for a steady rate,
 * and cheap compared with the simulation. */
enum { WAVES = 6, BUDGET = 400000, BUDGET_MIN = 40000 };
/* A resource that is busy for at least this part of the time is the limiter. Below it, latency
 * is. */
#define BOUND 0.6
/* Time from one change of a word by compare and swap to the next, as a multiple of the way to L2
 * and back. Fitted. */
#define SWAP_TURN 1.7
/* Least time of an atomic on a sector in L2, as a part of a lone sector's time: that of an atomic
 * on a whole line (replay_memory.c). */
#define ATOM_LEAST 0.87

typedef struct {
    double blocks, steps, misses, lines, sectors, atom_max, atom_all;
    double later, later_steps; /* of the blocks after the first wave */
    double conflicts; /* passes over the banks of shared memory, except the first of each access */
} sample;

/* Sums over the sampled blocks what the counters give for the whole launch, so that one can be
 * scaled to the other. */
static sample sample_sum(const sim_trace *t) {
    sample s = {0};
    for (unsigned k = 0; k < t->block_count; k++) {
        const sim_trace_block *b = &t->blocks[k];
        if (!b->done) continue;
        s.blocks++;
        s.later += k >= t->first_count;
        for (unsigned w = 0; w < b->warp_count; w++) {
            s.steps += (double)b->warps[w].at.steps;
            if (k >= t->first_count) s.later_steps += (double)b->warps[w].at.steps;
            for (uint32_t i = 0; i < b->warps[w].at.event_count; i++) {
                const sim_trace_event *e = &b->warps[w].events[i];
                if (e->space == PTX_SPACE_SHARED && e->passes > 1) s.conflicts += e->passes - 1.0;
                if (e->space != PTX_SPACE_GLOBAL && e->space != PTX_SPACE_LOCAL) continue;
                s.misses += e->misses;
                s.lines += e->lines;
                s.sectors += e->sectors;
            }
        }
    }
    for (unsigned k = 0; k < SIM_L2_SLICES; k++) {
        s.atom_all += (double)t->slice_ops[k];
        if ((double)t->slice_ops[k] > s.atom_max) s.atom_max = (double)t->slice_ops[k];
    }
    if ((double)t->slice_in_turn > s.atom_max) s.atom_max = (double)t->slice_in_turn;
    return s;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}
static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Returns the GB/s that DRAM reaches: whole lines at the efficiency of a copy, lines that are
 * needed only by half, at that of scattered sectors. */
static double dram_rate(const sim_profile *p, const sim_trace *t, const sample *s,
                        const sim_counters *c) {
    double density = 1, moved = (double)(c->dram_read + c->dram_write),
           writes = moved > 0 ? (double)c->dram_write / moved : 0;
    double dense =
        p->dram_gbs * p->dram_efficiency * (1 - 0.14 * writes); /* the bus turns around */
    /* transactions of 32 bytes, or of 64 and more */
    if (!p->l2_bytes && s->lines > 0) density = s->sectors / (2 * s->lines);
    else if (t && t->dram_lines) density = (double)t->dram_halves / (2 * (double)t->dram_lines);
    if (density > 1) density = 1;
    if (density < 0.5) density = 0.5;
    double rate = p->dram_sector_gbs + (dense - p->dram_sector_gbs) * (2 * density - 1);
    /* An atomic's sector is read and written without its neighbour, in the time of both. */
    if (t && t->dram_sectors) rate *= (double)t->dram_sectors / (2 * (double)t->dram_halves);
    return rate;
}

/* Returns the bytes of changed lines whose places the lines that are read take, if the lines that
 * are stored take theirs at the same pace. */
static double displaced_bytes(const sim_trace *t, const time_launch *l, const sim_counters *c) {
    double lines = (double)c->dram_read, stored = (double)c->gst_sectors * 32;
    if (t && t->dram_halves) lines *= 2 * (double)t->dram_lines / (double)t->dram_halves;
    return lines > 0 ? lines * smaller(l->changed / (lines + stored), 1) : 0;
}

/* Returns the cycles of the whole device's L2 that it takes to write these lines back, each before
 * another one takes its place. */
static double displaced_cycles(const sim_profile *p, const sim_trace *t, const time_launch *l,
                               const sim_counters *c) {
    return p->dram_displaced * displaced_bytes(t, l, c) * p->clock_ghz /
           (p->dram_gbs * p->dram_efficiency);
}

/* Returns how many blocks a multiprocessor gets at most. Groups of multiprocessors have a few that
 * no cluster fits on alone, so clusters share the others sooner. */
static double blocks_of_one(const sim_profile *p, const time_launch *l) {
    double even = ceil((double)l->grid_blocks / p->sms);
    unsigned apart = l->cluster ? sim_profile_clusters(p, 1, l->cluster) : 0;
    return apart ? larger(even, ceil((double)l->grid_blocks / l->cluster / apart)) : even;
}

static time_share share_of(const sim_profile *p, const sim_trace *t, const time_launch *l,
                           const sim_counters *c, const sim_occupancy *occ, const sample *s) {
    double active = l->grid_blocks < p->sms ? (double)l->grid_blocks : p->sms, clock = p->clock_ghz;
    double dram =
        dram_rate(p, t, s, c) / clock / active; /* bytes per cycle of one multiprocessor */
    double l2 = p->l2_gbs / clock / active;
    if (l2 > p->l2_bytes_cycle) l2 = p->l2_bytes_cycle;
    double written = l2, filled = l2;
    if (p->l2_written_gbs > 0) written = smaller(l2, p->l2_written_gbs / clock / active);
    if (p->l2_filled_gbs > 0) filled = smaller(l2, p->l2_filled_gbs / clock / active);
    double stores = (double)(c->gst_sectors + c->local_st_sectors);
    time_share out = {.l2_sector_cycles = 32 / l2,
                      .l2_written_cycles = 32 / written,
                      .l2_filled_cycles = 32 / filled,
                      .l2_line_cycles = larger(active / (p->l2_lines_ns / clock), 1),
                      .l2_store_cycles = larger(active / (p->l2_stores_ns / clock), 2),
                      .dram_sector_cycles = (p->l2_bytes ? 64 : 32) / dram,
                      .dram_write_cycles = stores > 0 ? (double)c->dram_write / stores / dram : 0,
                      .dispatch_cycles = p->block_dispatch_ns * clock * active,
                      .resident = occ->blocks ? occ->blocks : 1,
                      .swaps = (double)l->changes / (double)l->grid_blocks,
                      .l1_bytes = l->l1_bytes,
                      .budget = BUDGET};
    /* The bytes that the cache model moved in the whole launch, over the sectors that missed: more
     * than 32, because halves of lines are read. */
    if (p->l2_bytes && s->misses > 0 && s->blocks > 0) {
        double bytes = (double)c->dram_read / (s->misses * (double)l->grid_blocks / s->blocks);
        out.dram_alone = bytes < 32 ? bytes / 32 : 1;
        out.dram_sector_cycles = (bytes > 160 ? 160 : bytes < 16 ? 16 : bytes) / dram;
        out.displaced_cycles = displaced_cycles(p, t, l, c) * active /
                               (s->misses * (double)l->grid_blocks / s->blocks);
    }
    if (s->atom_all > 0) {
        double one = active * p->atom_global_ns * clock; /* all on one address */
        out.atom_cycles = s->atom_max / s->atom_all * one;
        out.atom_even = one / SIM_L2_SLICES;
    }
    double waves = blocks_of_one(p, l);
    double most = (double)out.resident * WAVES;
    out.blocks = (unsigned)(waves < most ? waves : most);
    return out;
}

static double floor_us(const sim_profile *p, const time_launch *l, const sim_counters *c) {
    double sms = l->grid_blocks < p->sms ? (double)l->grid_blocks : p->sms,
           per_us = sms * p->clock_ghz * 1e3;
    double t = (double)(c->dram_read + c->dram_write) / (p->dram_gbs * 1e3);
    t = larger(t, (double)c->inst_fp32 / 32 / (p->rate_fp32 * per_us));
    t = larger(t, (double)c->inst_fp64 / 32 / (p->rate_fp64 * per_us));
    t = larger(t, (double)c->inst_sfu / 32 / (p->rate_sfu * per_us));
    return t;
}
/* The same for bank conflicts, if the sampled blocks have less than half of them. An assembler that
 * joins neighbouring loads into wide ones has fewer conflicts than the PTX (an H100 took 10 us
 * where these conflicts would take 17). The conflicts in the sample are replayed as the assembler
 * joins them. */
static double conflicts_us(const sim_profile *p, const time_launch *l, const sim_counters *c,
                           const sample *s) {
    double all = (double)(c->shared_ld_conflicts + c->shared_st_conflicts);
    if (s->blocks > 0 && s->conflicts / s->blocks * (double)l->grid_blocks * 2 >= all) return 0;
    double sms = l->grid_blocks < p->sms ? (double)l->grid_blocks : p->sms;
    return all * p->bank_lanes * 4 / p->shared_bytes_cycle / (sms * p->clock_ghz * 1e3);
}

/* The time from the counters only: each resource at its own rate; the slowest counts. */
static double from_counters(const sim_profile *p, const time_launch *l, const sim_counters *c,
                            const char **limiter) {
    double sms = l->grid_blocks < p->sms ? (double)l->grid_blocks : p->sms,
           per_us = sms * p->clock_ghz * 1e3;
    const struct {
        double us;
        const char *name;
    } bound[] = {
        {(double)(c->dram_read + c->dram_write) / (p->dram_gbs * p->dram_efficiency * 1e3), "dram"},
        {(double)c->l2_sectors * 32 / (p->l2_gbs * 1e3), "l2"},
        {(double)(c->gld_requests + c->gst_requests) / p->rate_ldst / per_us, "l1"},
        {(double)(c->shared_ld_wavefronts + c->shared_st_wavefronts) * p->bank_lanes * 4 /
             p->shared_bytes_cycle / per_us,
         "shared"},
        {(double)c->warp_inst / p->issue_per_cycle / per_us, "issue"},
        {(double)l->grid_blocks * p->block_dispatch_ns * 1e-3, "launch"}};
    double t = p->lat_dram / (p->clock_ghz * 1e3);
    *limiter = "latency";
    for (unsigned k = 0; k < sizeof bound / sizeof *bound; k++)
        if (bound[k].us > t) t = bound[k].us, *limiter = bound[k].name;
    return t;
}

/* L2 carries all of DRAM's traffic. To be named as the limiter, it must be busier than DRAM by this
 * factor. */
#define NEARLY 0.8

static const char *limiter_of(const sim_profile *p, const time_usage *u, double cycles) {
    double pipes = u->issue;
    for (unsigned k = 1; k < TIME_PIPE_COUNT; k++) pipes = larger(pipes, u->pipe[k]);
    double lsu = u->shared + u->l1, dram = u->dram;
    if (dram > BOUND * u->cycles) dram /= NEARLY;
    const struct {
        double busy;
        const char *name;
    } use[] = {{dram, "dram"},
               {larger(u->l2, u->atomics), "l2"},
               {u->l1 >= u->shared ? lsu : 0, "l1"},
               {u->shared > u->l1 ? lsu : 0, "shared"},
               {pipes, "issue"},
               {u->constant, "l1"},
               {u->dispatch, "launch"}};
    double best = BOUND * u->cycles;
    const char *name = "latency";
    for (unsigned k = 0; k < sizeof use / sizeof *use; k++)
        if (use[k].busy > best) best = use[k].busy, name = use[k].name;
    return cycles < p->kernel_us * p->clock_ghz * 1e3 ? "launch" : name;
}

static void share_out(const time_usage *u, sim_stalls *out) {
    double cycles = u->empty;
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) cycles += u->idle[k];
    for (unsigned k = 0; k < SIM_STALL_COUNT; k++) {
        if (u->warp_cycles > 0) out->warp_pct[k] = 100 * u->stall[k] / u->warp_cycles;
        if (cycles > 0) out->scheduler_pct[k] = 100 * u->idle[k] / cycles;
    }
    if (cycles > 0) out->empty_pct = 100 * u->empty / cycles;
}

/* Returns how much more or less work a block of the launch does, on average, than the blocks that
 * were seen. */
static double uneven(double mean, double seen) {
    enum { MOST = 5 };
    double times = seen > 0 && mean > 0 ? mean / seen : 1;
    return smaller(larger(times, 1.0 / MOST), MOST);
}

/* Returns whether threads wait for others. One change of each word is nobody's waiting. */
static bool waits(const time_launch *l) {
    return l->cooperative || l->swaps > 1;
}

/* The same for the blocks that the replay ran: those of the first wave once, then those of the
 * middle over and over. 1 if it ran only the first wave, which are all blocks of a multiprocessor
 * or whose end gives the rate; and if threads wait for others, because waiting is no work. */
static double evened(const time_launch *l, const sample *s, double mean, double ran) {
    double first = s->blocks - s->later;
    if (s->later <= 0 || ran <= first || waits(l)) return 1;
    double steps = s->steps - s->later_steps + (ran - first) * s->later_steps / s->later;
    return uneven(mean, steps / ran);
}

/* Returns the cycles of the whole launch from those of the replayed blocks: the others run at the
 * steady rate, scaled by how much more or less work the launch's blocks do, on average, than the
 * blocks after the first wave, which give the rate. */
static double cycles_of_all(const sim_profile *p, const time_launch *l, const sim_counters *c,
                            const sample *s, time_usage *u) {
    double blocks = blocks_of_one(p, l), all = (double)c->warp_inst,
           mean = all / (double)l->grid_blocks, cycles = u->cycles * evened(l, s, mean, u->blocks);
    if (blocks > u->blocks) {
        bool later = u->blocks > s->blocks - s->later && s->later > 0;
        double seen = later ? s->later_steps / s->later : s->steps / s->blocks;
        double rest = (double)l->grid_blocks / p->sms - u->blocks;
        if (u->steady_cycles <= 0) u->steady_cycles = u->cycles / u->blocks;
        cycles += (rest > 0 ? rest : 0) * u->steady_cycles * uneven(mean, seen);
    }
    cycles *= u->truncated;
    /* The busiest multiprocessor counts if its own rate decides. Waiting for others is not work. */
    if (l->even) cycles *= (double)l->grid_blocks / p->sms / blocks;
    else if (larger(u->dram, larger(u->l2, u->atomics)) < BOUND * u->cycles)
        cycles *= larger(waits(l) ? l->worst_own : l->worst, 1);
    return cycles;
}

/* Returns what the busiest multiprocessor needs to issue its instructions, whatever limits the
 * launch. */
static double cycles_of_issue(const sim_profile *p, const time_launch *l, const sim_counters *c,
                              const sample *s, const time_usage *u) {
    double blocks = (double)l->grid_blocks / p->sms,
           mean = (double)c->warp_inst / (double)l->grid_blocks;
    if (l->even) return 0;
    if (blocks < u->blocks) blocks = u->blocks;
    return u->issue / u->blocks * evened(l, s, mean, u->blocks) * blocks * u->truncated *
           larger(waits(l) ? l->worst_own : l->worst, 1);
}

/* No resource can have been busy for longer than the launch takes. */
static double cycles_of_busiest(const sim_profile *p, const sim_trace *t, const time_launch *l,
                                const sim_counters *c, const sample *s, double cycles) {
    double all_dram =
        (double)(c->dram_read + c->dram_write) / (dram_rate(p, t, s, c) / p->clock_ghz) +
        displaced_cycles(p, t, l, c);
    if (all_dram > cycles) cycles = all_dram;
    /* Memory on the host: both directions of the link at the same time. Kernels reach
     * SIM_LINK_SHARE of the rate of copies. */
    double all_link = larger((double)t->link_read / p->h2d_pinned_gbs,
                             (double)t->link_written / p->d2h_pinned_gbs) *
                      32 / SIM_LINK_SHARE * (double)l->grid_blocks / s->blocks * p->clock_ghz;
    if (all_link > cycles) cycles = all_link;
    /* memory of another device, in the same way */
    if (t->peer_read + t->peer_written && p->peer_gbs > 0) {
        double all_peer = larger((double)t->peer_read, (double)t->peer_written) * 32 /
                          (p->peer_gbs * SIM_LINK_SHARE) * (double)l->grid_blocks / s->blocks *
                          p->clock_ghz;
        if (all_peer > cycles) cycles = all_peer;
    }
    /* The busiest slice of L2 takes one pass of an atomic after another, also those in blocks that
     * were not sampled. */
    if (s->atom_all > 0)
        cycles = larger(cycles, ATOM_LEAST * s->atom_max / s->atom_all * l->atom_passes *
                                    p->atom_global_ns * p->clock_ghz);
    double dispatch = (double)l->grid_blocks * p->block_dispatch_ns * p->clock_ghz;
    return dispatch > cycles ? dispatch : cycles;
}

/* Returns what threads need that wait for each other (swaps.h, time_turns.c). own: what the launch
 * takes if none waits. */
static double cycles_of_waiting(const sim_profile *p, const time_launch *l,
                                const sim_occupancy *occ, const time_usage *u, double own) {
    double swaps = larger((double)l->swaps * SWAP_TURN * p->lat_atom_global,
                          l->attempts * p->atom_global_ns * p->clock_ghz);
    /* The blocks of a multiprocessor share its unit. */
    double fights =
        u->fights * u->truncated * p->atom_shared_cycles * ceil((double)l->grid_blocks / p->sms);
    double active = (double)occ->blocks * p->sms, chain = time_chain_cycles(p, l, u, active);
    /* Before the first step and behind the last one, a block does its own work. */
    if (chain > 0) chain += own * smaller(active / (double)l->grid_blocks, 1);
    /* A block's way to the others takes what it sends and what it gets; remote_atom_cycles are of
     * blocks that get as much as they send. */
    double each = ceil((double)l->grid_blocks / p->sms),
           sent = u->blocks > 0 ? u->sent / u->blocks * u->truncated * each : 0,
           taken = l->received * p->remote_atom_cycles * each;
    if (taken > sent && sent > 0) chain = larger(chain, own + (taken - sent) / 2);
    return larger(larger(swaps, fights), larger(chain, time_turns_cycles(p, l, u, active)));
}

/* Computes what a launch of `cycles` that takes time_us kept busy in its replay. With fewer blocks
 * than multiprocessors, the units of the others are idle. */
static void busy_of(const sim_profile *p, const time_launch *l, const time_usage *u, double cycles,
                    time_result *out) {
    const double *pipe = u->pipe, of[SIM_UNIT_COUNT] = {[SIM_UNIT_ISSUE] = u->issue,
                                                        [SIM_UNIT_FMA] = pipe[TIME_PIPE_FMA],
                                                        [SIM_UNIT_ALU] = pipe[TIME_PIPE_ALU],
                                                        [SIM_UNIT_IMUL] = pipe[TIME_PIPE_IMUL],
                                                        [SIM_UNIT_XU] = pipe[TIME_PIPE_XU],
                                                        [SIM_UNIT_FP64] = pipe[TIME_PIPE_FP64],
                                                        [SIM_UNIT_HALF] = pipe[TIME_PIPE_HALF],
                                                        [SIM_UNIT_TENSOR] = pipe[TIME_PIPE_TENSOR],
                                                        [SIM_UNIT_SHARED] = u->shared,
                                                        [SIM_UNIT_L1] = u->l1,
                                                        [SIM_UNIT_CONSTANT] = u->constant,
                                                        [SIM_UNIT_ATOMICS] = u->atomics};
    double part = smaller(cycles / (p->clock_ghz * 1e3) / out->time_us, 1),
           sms = smaller((double)l->grid_blocks / p->sms, 1);
    for (unsigned k = 0; k < SIM_UNIT_COUNT; k++)
        out->busy[k] = smaller(of[k] / u->cycles, 1) * part * (k == SIM_UNIT_ATOMICS ? 1 : sms);
}

void time_model(const sim_profile *p, const time_code *code, const sim_trace *t,
                const time_launch *l, const sim_counters *c, const sim_occupancy *occ,
                time_places *places, time_result *out) {
    *out = (time_result){.limiter = "launch"};
    if (!l->grid_blocks) return;
    out->time_floor_us = floor_us(p, l, c);
    out->dram_floor_us = (double)(c->dram_read + c->dram_write) / (p->dram_gbs * 1e3);
    out->fp32_floor_us = (double)c->inst_fp32 / 32 / (p->rate_fp32 * p->sms * p->clock_ghz * 1e3);
    sample s = t ? sample_sum(t) : (sample){0};
    if (l->counted && s.blocks > 0) {
        sample by_ptx = sample_sum(l->counted);
        s.steps = by_ptx.steps, s.later_steps = by_ptx.later_steps, s.later = by_ptx.later;
    }
    if (t && s.blocks > 0)
        out->link_bytes =
            32.0 * (double)(t->link_read + t->link_written) * (double)l->grid_blocks / s.blocks;
    double least = out->time_floor_us;
    if (!l->counted) least = larger(least, conflicts_us(p, l, c, &s));
    time_share share = share_of(p, t, l, c, occ, &s);
    time_usage u = {0};
    double part = larger((double)c->warp_inst / 6, BUDGET_MIN);
    if (part < BUDGET) share.budget = (uint64_t)part;
    if (!code || !t || s.blocks == 0 || !time_replay_once(l->kept, code, t, &share, places, &u) ||
        u.blocks == 0) {
        /* a lock's turn: a swap that takes it, and one that gives it back */
        u.turns = (time_turns){.first = {2 * p->lat_atom_global},
                               .firsts = {1},
                               .count = {1},
                               .lanes = SIM_WARP_LANES};
        double per_us = p->clock_ghz * 1e3, cycles = from_counters(p, l, c, &out->limiter) * per_us;
        if (t && s.blocks > 0) cycles = cycles_of_busiest(p, t, l, c, &s, cycles);
        cycles = larger(cycles, cycles_of_waiting(p, l, occ, &u, cycles)) + l->skipped;
        out->time_us = larger(p->kernel_us + cycles / per_us, least);
        double at_once = smaller(occ->blocks, ceil((double)l->grid_blocks / p->sms)),
               warps = ceil((double)l->threads / 32) * at_once;
        out->achieved_occupancy_pct = smaller(occ->pct, 100 * warps / (p->max_threads_sm / 32.0));
        return;
    }
    double own = larger(cycles_of_all(p, l, c, &s, &u), cycles_of_issue(p, l, c, &s, &u)),
           cycles = cycles_of_busiest(p, t, l, c, &s, own);
    double swaps = cycles_of_waiting(p, l, occ, &u, own);
    bool wait = swaps > cycles || l->skipped > cycles;
    if (swaps > cycles) cycles = swaps;
    cycles += l->skipped;
    out->limiter = wait ? "latency" : limiter_of(p, &u, cycles);
    out->time_us = larger(p->kernel_us + cycles / (p->clock_ghz * 1e3), least);
    out->block_cycles = u.block_cycles * u.truncated, out->blocks = (unsigned)u.blocks;
    busy_of(p, l, &u, own, out);
    share_out(&u, &out->stalls);
    double resident = u.warp_cycles / u.cycles;
    out->achieved_occupancy_pct = 100 * resident / (p->max_threads_sm / 32.0);
    if (out->achieved_occupancy_pct > occ->pct) out->achieved_occupancy_pct = occ->pct;
}
