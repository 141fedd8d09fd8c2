/* From one multiprocessor to the launch: docs/model-tables.md's rules worked out here from the
 * profiles' figures, on several devices, for machine code written by hand (written_fixture.h).
 * test_replay.c does the same for the replay between; test_time.c is about what hardware gave. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "written_fixture.h"
#include <stdlib.h>

static void same(int line, const char *device, const char *what, double got, double want) {
    char name[200], why[100];
    snprintf(name, sizeof name, "%s: %s", device, what);
    snprintf(why, sizeof why, "got %.6f, by the rule %.6f", got, want);
    check_that(fabs(got - want) <= 1e-5 * (1e-3 + fabs(want)), __FILE__, line, name, why);
}
#define SAME(device, what, got, want) same(__LINE__, device, what, got, want)

static double max_of(double a, double b) {
    return a > b ? a : b;
}

/* ---- from the counters alone ---- */

/* Each resource at its own pace; the slowest counts, and is the limiter. Counts that take 500
 * us. */
static void counters(void) {
    static const char *const which[] = {"h200", "a100", "t4", "g80"};
    for (unsigned d = 0; d < sizeof which / sizeof *which; d++)
        for (unsigned wide = 0; wide < 2; wide++) {
            const sim_profile *p = sim_profile_find(which[d]);
            uint64_t grid = wide ? p->sms * 3 : 7;
            double sms = wide ? p->sms : 7, cycles = 500 * p->clock_ghz * 1e3,
                   pass = p->bank_lanes * 4 / p->shared_bytes_cycle, part;
            struct {
                const char *limiter;
                sim_counters c;
            } rows[9] = {
                {.limiter = "dram"},  {.limiter = "dram"},   {.limiter = "l2"},
                {.limiter = "l1"},    {.limiter = "l1"},     {.limiter = "shared"},
                {.limiter = "issue"}, {.limiter = "shared"}, {.limiter = "latency"},
            };
            rows[0].c.dram_read = (uint64_t)(500e3 * p->dram_gbs * p->dram_efficiency);
            rows[1].c.dram_write = rows[0].c.dram_read / 3;
            rows[1].c.dram_read = rows[0].c.dram_read - rows[1].c.dram_write;
            rows[2].c.l2_sectors = (uint64_t)(500e3 * p->l2_gbs / 32);
            rows[3].c.gld_requests = (uint64_t)(cycles * sms * p->rate_ldst);
            rows[4].c.gst_requests = rows[3].c.gld_requests / 4;
            rows[4].c.gld_requests = rows[3].c.gld_requests - rows[4].c.gst_requests;
            rows[5].c.shared_ld_wavefronts = (uint64_t)(cycles * sms / pass);
            rows[6].c.warp_inst = (uint64_t)(cycles * sms * p->issue_per_cycle);
            rows[7].c.shared_st_wavefronts = rows[5].c.shared_ld_wavefronts / 3;
            rows[7].c.shared_ld_wavefronts =
                rows[5].c.shared_ld_wavefronts - rows[7].c.shared_st_wavefronts;
            for (unsigned k = 0; k < 9; k++) {
                time_result r;
                sim_occupancy occ = {.pct = 37.5, .blocks = 2};
                time_launch l = {.grid_blocks = grid, .threads = 64};
                time_model(p, NULL, NULL, &l, &rows[k].c, &occ, NULL, &r);
                part = k == 8 ? p->lat_dram / p->clock_ghz / 1e3 : 500;
                bool starts = part < (double)grid * p->block_dispatch_ns * 1e-3;
                if (starts) part = (double)grid * p->block_dispatch_ns * 1e-3;
                SAME(which[d], rows[k].limiter, r.time_us, p->kernel_us + part);
                CHECK_STR(r.limiter, starts ? "launch" : rows[k].limiter);
                /* blocks of two warps: two on a multiprocessor, or one on seven of them */
                CHECK_NEAR(r.achieved_occupancy_pct,
                           100 * (wide ? 4.0 : 2.0) / (p->max_threads_sm / 32.0), 1e-9);
            }
            /* blocks alone: each some nanoseconds after the one before */
            time_result r;
            sim_occupancy occ = {.pct = 10, .blocks = 1};
            time_launch l = {.grid_blocks = 1000000, .threads = 32};
            sim_counters none = {0};
            time_model(p, NULL, NULL, &l, &none, &occ, NULL, &r);
            SAME(which[d], "launch", r.time_us, p->kernel_us + 1e3 * p->block_dispatch_ns);
            CHECK_STR(r.limiter, "launch");
            /* the same with a trace whose instructions nobody knows */
            sim_trace *t = sim_trace_new(p, l.grid_blocks, 1, 1, 0);
            for (unsigned k = 0; k < t->block_count; k++)
                sim_trace_finish(sim_trace_block_begin(t, t->blocks[k].block));
            t->link_read = 1000;
            time_result with;
            time_model(p, NULL, t, &l, &none, &occ, NULL, &with);
            CHECK(with.time_us >= r.time_us);
            CHECK_NEAR(with.link_bytes, 1000.0 * 32 * 1000000 / t->block_count, 1);
            t->link_read = 0;
            time_model(p, NULL, t, &l, &none, &occ, NULL, &with);
            CHECK(with.time_us == r.time_us && with.link_bytes == 0);
            sim_trace_free(t);
        }
}

/* No device of the profile is faster: peak bandwidth, peak rates. */
static void floors(void) {
    static const char *const which[] = {"h200", "t4", "g80"};
    for (unsigned d = 0; d < sizeof which / sizeof *which; d++)
        for (unsigned wide = 0; wide < 2; wide++) {
            const sim_profile *p = sim_profile_find(which[d]);
            double sms = wide ? p->sms : 5, cycles = 700 * p->clock_ghz * 1e3; /* 700 us */
            sim_counters c[4] = {{0}};
            c[0].dram_read = (uint64_t)(700e3 * p->dram_gbs) / 4;
            c[0].dram_write = 3 * c[0].dram_read;
            c[1].inst_fp32 = (uint64_t)(32 * cycles * sms * p->rate_fp32);
            c[2].inst_fp64 = (uint64_t)(32 * cycles * sms * p->rate_fp64);
            c[3].inst_sfu = (uint64_t)(32 * cycles * sms * p->rate_sfu);
            for (unsigned k = 0; k < 4; k++) {
                time_result r;
                sim_occupancy occ = {.pct = 10, .blocks = 1};
                time_launch l = {.grid_blocks = wide ? p->sms * 2 : 5, .threads = 64};
                time_model(p, NULL, NULL, &l, &c[k], &occ, NULL, &r);
                SAME(which[d], "floor", r.time_floor_us, 700);
                if (k) CHECK_NEAR(r.time_us, r.time_floor_us, 1e-9); /* it holds the model too */
                SAME(which[d], "floor of DRAM", r.dram_floor_us, k ? 0 : 700);
                SAME(which[d], "floor of FP32", r.fp32_floor_us,
                     k == 1 ? 700 * sms / p->sms : 0); /* of the whole device */
            }
            /* passes that conflicts cost, of whole warps: at least as long */
            time_result r;
            sim_occupancy occ = {.pct = 10, .blocks = 1};
            time_launch l = {.grid_blocks = wide ? p->sms * 2 : 5, .threads = 64};
            double pass = p->bank_lanes * 4 / p->shared_bytes_cycle;
            sim_counters conflicts = {.shared_ld_conflicts = (uint64_t)(cycles * sms / pass / 4),
                                      .shared_st_conflicts =
                                          3 * (uint64_t)(cycles * sms / pass / 4)};
            time_model(p, NULL, NULL, &l, &conflicts, &occ, NULL, &r);
            SAME(which[d], "conflicts", r.time_us, 700);
            CHECK_NEAR(r.time_floor_us, 0, 0);
        }
}

/* ---- from the replayed blocks to all ---- */

typedef struct {
    const char *profile, *body;
    unsigned rounds, warps, resident;
    time_launch l;
    sim_counters c;
    const sim_trace_event *event;
    double steps;   /* instructions executed, over those recorded; 0: as many */
    double opening; /* the same of the sampled blocks that open the launch; 0: as the others */
    sim_trace also; /* its counts of the whole launch */
    double *without;
} launch;

static time_result time_of(const launch *y) {
    const sim_profile *p = sim_profile_find(y->profile);
    sass_module *machine = written_code(y->body);
    time_code *code = time_code_machine(p, machine->funcs);
    unsigned n = machine->funcs[0].insn_count - 1, warps = y->warps ? y->warps : 1;
    sim_occupancy occ = {.blocks = y->resident ? y->resident : 1, .pct = 100};
    sim_trace *t = sim_trace_new(p, y->l.grid_blocks, warps, occ.blocks, 0);
    for (unsigned b = 0; b < t->block_count; b++) {
        sim_trace_block *k = sim_trace_block_begin(t, t->blocks[b].block);
        for (unsigned w = 0; w < warps; w++) {
            for (unsigned r = 0; r < y->rounds; r++) {
                sim_trace_steps(&k->warps[w], 0, n);
                if (y->event) sim_trace_event_add(&k->warps[w], *y->event);
            }
            sim_trace_steps(&k->warps[w], n, 1);
        }
        sim_trace_finish(k);
        double steps = b < t->first_count && y->opening > 0 ? y->opening : y->steps;
        for (unsigned w = 0; w < warps && steps > 0; w++)
            k->warps[w].at.steps = (uint64_t)((double)k->warps[w].at.steps * steps);
    }
    memcpy(t->slice_ops, y->also.slice_ops, sizeof t->slice_ops);
    t->dram_lines = y->also.dram_lines, t->dram_halves = y->also.dram_halves;
    t->link_read = y->also.link_read, t->link_written = y->also.link_written;
    t->peer_read = y->also.peer_read, t->peer_written = y->also.peer_written;
    sim_counters c = y->c;
    if (!c.warp_inst) c.warp_inst = y->l.grid_blocks * warps * (n * y->rounds + 1);
    time_places *places = time_places_new(code);
    time_result r;
    time_model(p, code, t, &y->l, &c, &occ, places, &r);
    if (y->without) {
        sim_what_if *all =
            time_what_if(&(time_question){.profile = p,
                                          .code = code,
                                          .text = {.machine = machine, .func = machine->funcs},
                                          .trace = t,
                                          .launch = &y->l,
                                          .counters = &c,
                                          .occupancy = &occ,
                                          .places = places,
                                          .time_us = r.time_us});
        for (unsigned k = 0; all && k < SIM_COST_COUNT; k++) y->without[k] = all[k].time_us;
        free(all);
    }
    time_places_free(places);
    sim_trace_free(t);
    time_code_free(code);
    sass_free(machine);
    return r;
}

static const char *const devices[] = {"h200", "a100"};

/* Waves: a fence of 7.5 cycles is waited for, so that a block of n takes its start, 7.5 n cycles
 * and its end, the next one begins 250 later. What was not replayed goes on at that rate, more or
 * less slowly as the launch's blocks do more or less than the sampled ones. */
static void waves(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        enum { ROUNDS = 400 };
        double block = p->warp_start_cycles + 7.5 * ROUNDS + 1, /* and the slot of its end */
            next = block + p->block_launch_cycles;
        launch y = {.profile = devices[d], .body = "MEMBAR.ALL.CTA", .rounds = ROUNDS};
        static const double many[] = {0.5, 1, 2, 6, 6.5, 10, 33.25};
        double us = 1e-3 / p->clock_ghz;
        for (unsigned k = 0; k < sizeof many / sizeof *many; k++) {
            y.l = (time_launch){.grid_blocks = (uint64_t)(many[k] * p->sms), .threads = 32};
            /* six waves are replayed; a part of a further one counts as that part */
            double all = block + (ceil(many[k]) - 1) * next;
            if (many[k] > 6) all = block + (many[k] - 1) * next;
            char name[60];
            snprintf(name, sizeof name, "%.2f waves", many[k]);
            SAME(devices[d], name, time_of(&y).time_us, p->kernel_us + all * us);
        }
        /* the launch's blocks do twice the work of the sampled ones, five times at most, a fifth at
         * least: all of it takes as much longer, for the sampled blocks stand for the others */
        static const double work[] = {1.5, 2, 5, 9, 0.5, 0.2, 0.1};
        for (unsigned k = 0; k < sizeof work / sizeof *work; k++) {
            y.l = (time_launch){.grid_blocks = p->sms * 10ull, .threads = 32};
            y.c.warp_inst = (uint64_t)(work[k] * (double)y.l.grid_blocks * (ROUNDS + 1) + 0.5);
            double by = work[k] > 5 ? 5 : work[k] < 0.2 ? 0.2 : work[k];
            SAME(devices[d], "more work in others", time_of(&y).time_us,
                 p->kernel_us + (block + 9 * next) * by * us);
        }
        /* the rate is that of the blocks behind the first wave: these do what the launch's do, or
         * twice as much; and the six that were replayed, together, less or more than six of the
         * launch's */
        for (unsigned k = 1; k < 3; k++) {
            double all = ROUNDS + 1, less = 200, more = 2 * all - less;
            y.steps = (more + 0.5) / all, y.opening = (less + 0.5) / all; /* rounded down */
            y.c.warp_inst = (uint64_t)(more / k * (double)y.l.grid_blocks + 0.5);
            SAME(devices[d], "another first wave", time_of(&y).time_us,
                 p->kernel_us +
                     ((block + 5 * next) * (more / k) / ((less + 5 * more) / 6) + 4 * next / k) *
                         us);
        }
        y.steps = y.opening = 0;
        y.c.warp_inst = 0;
        /* streams that were cut: as long as what they executed, over what they hold */
        y.steps = 3;
        y.c.warp_inst = 3 * p->sms * 2ull * (ROUNDS + 1);
        y.l.grid_blocks = p->sms * 2ull;
        SAME(devices[d], "cut streams", time_of(&y).time_us,
             p->kernel_us + 3 * (block + next) * us);
        y.steps = 0, y.c.warp_inst = 0;
        /* a sixth of the launch's instructions is replayed, 40,000 at least: of blocks of 45,001
         * one, and two where one is less; the launch's blocks have a fifth of their work, and a
         * first wave that is alone is as it is */
        static const struct {
            uint64_t warp_inst;
            unsigned replayed;
        } budgets[] = {{6, 1}, {6 * 45001, 1}, {6 * 45002, 2}};
        for (unsigned k = 0; k < sizeof budgets / sizeof *budgets; k++) {
            launch z = {.profile = devices[d], .body = "MEMBAR.ALL.CTA", .rounds = 45000};
            z.l = (time_launch){.grid_blocks = p->sms * 10ull, .threads = 32};
            z.c.warp_inst = budgets[k].warp_inst;
            double one = p->warp_start_cycles + 7.5 * 45000 + 1,
                   further = one + p->block_launch_cycles;
            SAME(devices[d], "long blocks", time_of(&z).time_us,
                 p->kernel_us +
                     (budgets[k].replayed == 1 ? one + 9 * one * 0.2 : (one + 9 * further) * 0.2) *
                         us);
        }
        /* the busiest multiprocessor, and what sharing its work evenly would win */
        static const struct {
            double waves, worst;
            bool cooperative;
            unsigned swaps;
            bool worth;
        } uneven[] = {
            {1.25, 1, false, 0, true}, {1.25, 1.5, false, 0, true}, {1, 3, false, 0, true},
            {1, 1.02, false, 0, true}, {1, 1.005, false, 0, false}, {1, 1.01, false, 0, false},
            {1, 0.5, false, 0, false}, {1.25, 2, true, 0, true},    {2, 2, false, 2, true},
            {2, 2, false, 1, true} /* one change of each word is nobody's waiting */};
        for (unsigned k = 0; k < sizeof uneven / sizeof *uneven; k++) {
            double without[SIM_COST_COUNT], whole = ceil(uneven[k].waves),
                                            all = block + (whole - 1) * next;
            y.without = without;
            y.l = (time_launch){.grid_blocks = (uint64_t)(uneven[k].waves * p->sms),
                                .threads = 32,
                                .worst = uneven[k].worst,
                                .cooperative = uneven[k].cooperative,
                                .swaps = uneven[k].swaps};
            double worst = uneven[k].cooperative || uneven[k].swaps > 1 ? 1 : uneven[k].worst,
                   before = all * (worst > 1 ? worst : 1), even = all * uneven[k].waves / whole;
            SAME(devices[d], "uneven blocks", time_of(&y).time_us, p->kernel_us + before * us);
            if (!uneven[k].worth) even = before; /* nothing to speak of: not asked */
            SAME(devices[d], "and if nothing had to start", without[SIM_COST_LAUNCH],
                 whole * (7.5 * ROUNDS + 1) * (worst > 1 ? worst : 1) * us);
            SAME(devices[d], "and without instructions", without[SIM_COST_INSTRUCTIONS],
                 p->kernel_us + before * us); /* fences are none of those */
            SAME(devices[d], "and if they were even", without[SIM_COST_BALANCE],
                 p->kernel_us + even * us);
        }
    }
}

/* What DRAM reaches: whole lines at the efficiency of a copy, less a seventh of the part that are
 * writes; halves of lines at the rate of scattered sectors, in between in proportion. The link and
 * the other device likewise; nothing is faster than what the launch moved. */
static void bandwidth(void) {
    static const struct {
        double read, write; /* GB */
        uint64_t lines, halves;
    } rows[] = {{1, 0, 0, 0},     {0, 1, 0, 0},     {3, 1, 0, 0},
                {2, 0, 100, 200}, {2, 0, 100, 100}, {2, 0, 100, 150},
                {1, 1, 100, 175}, {1, 0, 100, 20},  {1, 0, 100, 400}};
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            double moved = rows[k].read + rows[k].write,
                   dense = p->dram_gbs * p->dram_efficiency * (1 - 0.14 * rows[k].write / moved),
                   full = rows[k].lines ? (double)rows[k].halves / 2 / (double)rows[k].lines : 1;
            full = full > 1 ? 1 : full < 0.5 ? 0.5 : full;
            double rate = p->dram_sector_gbs + (dense - p->dram_sector_gbs) * (full - 0.5) / 0.5;
            launch y = {.profile = devices[d],
                        .body = "MEMBAR.ALL.CTA",
                        .rounds = 10,
                        .l = {.grid_blocks = p->sms, .threads = 32},
                        .c = {.dram_read = (uint64_t)(rows[k].read * 1e9),
                              .dram_write = (uint64_t)(rows[k].write * 1e9)},
                        .also = {.dram_lines = rows[k].lines, .dram_halves = rows[k].halves}};
            char name[60];
            snprintf(name, sizeof name, "%g GB read, %g written, row %u", rows[k].read,
                     rows[k].write, k);
            SAME(devices[d], name, time_of(&y).time_us, p->kernel_us + moved * 1e6 / rate);
        }
        /* sectors of the sampled blocks (two: a multiprocessor's first, and its middle one) */
        static const struct {
            uint64_t in, out, from, to;
        } links[] = {{1000, 0, 0, 0},  {0, 1000, 0, 0},  {3000, 1000, 0, 0},
                     {0, 0, 90000, 0}, {0, 0, 0, 90000}, {0, 0, 70000, 80000}};
        for (unsigned k = 0; k < sizeof links / sizeof *links; k++) {
            launch y = {.profile = devices[d],
                        .body = "MEMBAR.ALL.CTA",
                        .rounds = 10,
                        .l = {.grid_blocks = p->sms * 5ull, .threads = 32},
                        .also = {.link_read = links[k].in,
                                 .link_written = links[k].out,
                                 .peer_read = links[k].from,
                                 .peer_written = links[k].to}};
            sim_trace *t = sim_trace_new(p, y.l.grid_blocks, 1, 1, 0);
            double scale = (double)y.l.grid_blocks / t->block_count * 32;
            sim_trace_free(t);
            double us = max_of((double)links[k].in / p->h2d_pinned_gbs,
                               (double)links[k].out / p->d2h_pinned_gbs);
            us = max_of(us, max_of((double)links[k].from, (double)links[k].to) / p->peer_gbs);
            time_result r = time_of(&y);
            SAME(devices[d], "the link", r.time_us,
                 p->kernel_us + us * scale / SIM_LINK_SHARE / 1e3);
            SAME(devices[d], "bytes over the link", r.link_bytes,
                 (double)(links[k].in + links[k].out) * scale);
        }
        /* compare-and-swaps of one word: each a way to L2 and back and 0.7 more; attempts one by
         * one */
        launch y = {.profile = devices[d],
                    .body = "MEMBAR.ALL.CTA",
                    .rounds = 10,
                    .l = {.grid_blocks = p->sms, .threads = 32, .swaps = 1000}};
        time_result r = time_of(&y);
        SAME(devices[d], "swaps", r.time_us,
             p->kernel_us + 1700 * p->lat_atom_global / p->clock_ghz / 1e3);
        CHECK_STR(r.limiter, "latency");
        y.l.swaps = 1, y.l.attempts = 2e6;
        SAME(devices[d], "attempts", time_of(&y).time_us, p->kernel_us + 2e3 * p->atom_global_ns);
    }
}

/* A share of what all multiprocessors use, with few of them and with all; enough loads and atomics
 * that the queue is never empty. */
static void shares(void) {
    for (unsigned d = 0; d < 2; d++)
        for (unsigned few = 0; few < 2; few++) {
            const sim_profile own = written_profile(devices[d]), *p = &own;
            double active = few ? 3 : p->sms, us[2], bytes = p->l2_gbs / p->clock_ghz / active;
            if (bytes > p->l2_bytes_cycle) bytes = p->l2_bytes_cycle;
            double line = max_of(active * p->clock_ghz / p->l2_lines_ns, 1),
                   part = max_of(active * p->clock_ghz / p->l2_stores_ns, 2),
                   words = 1 + 0.15 * 3, /* four words or more of a sector, to send */
                slice = active * p->atom_global_ns * p->clock_ghz;
            static const char add[] =
                "S2R R1, SR_TID.X\nREDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R1";
            sim_trace_event two = {.pc_low = 1,
                                   .stream_n = 1,
                                   .sectors = 2,
                                   .l2_sectors = 2,
                                   .lines = 1,
                                   .passes = 1},
                            line_of_them = two, again = two;
            line_of_them.sectors = line_of_them.l2_sectors = 4, again.passes = 4;
            const struct {
                const char *what, *body;
                sim_trace_event e;
                double cycles, tolerance;
                uint64_t slices[2];
            } rows[] = {
                {"sectors of L2",
                 "LDG.E R1, desc[UR4][R2.64] | w0 b0",
                 {.stream_n = 1, .sectors = 32, .l2_sectors = 32, .lines = 8, .passes = 1},
                 max_of(32 * 32 / bytes, line),
                 0.02,
                 {0}},
                {"lines of L2",
                 "LDG.E R1, desc[UR4][R2.64] | w0 b0",
                 {.stream_n = 16, .sectors = 16, .l2_sectors = 16, .lines = 16, .passes = 1},
                 max_of(16 * 32 / bytes, 16 * line),
                 0.02,
                 {0}},
                {"parts of sectors",
                 "STG.E desc[UR4][R2.64], R1",
                 {.stream_n = 9,
                  .sectors = 9,
                  .l2_sectors = 9,
                  .parts = 9,
                  .lines = 9,
                  .passes = 1},
                 max_of(9 * part, 9 * 32 / bytes),
                 0.02,
                 {0}},
                {"atomics on one slice",
                 add,
                 two,
                 2 * max_of(slice, words * p->atom_sm_cycles),
                 0.02,
                 {5, 0}},
                {"atomics on two slices",
                 add,
                 two,
                 2 * max_of(0.75 * slice, words * p->atom_sm_cycles),
                 0.02,
                 {1, 3}},
                {"atomics of a whole line",
                 add,
                 line_of_them,
                 4 * max_of(0.87 * slice, 1.2 * p->atom_sm_cycles),
                 0.02,
                 {5, 0}},
                {"atomics with three passes more",
                 add,
                 again,
                 5 * max_of(slice, words * p->atom_sm_cycles),
                 0.02,
                 {5, 0}}};
            for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
                sim_trace_event e = rows[k].e;
                e.space = PTX_SPACE_GLOBAL, e.lanes = 32, e.bytes_lane = 4;
                for (unsigned n = 0; n < 2; n++) {
                    launch y = {.profile = devices[d],
                                .body = rows[k].body,
                                .rounds = 100 + 200 * n,
                                .warps = 32,
                                .event = &e,
                                .l = {.grid_blocks = (uint64_t)active, .threads = 1024},
                                .also = {.slice_ops = {rows[k].slices[0], rows[k].slices[1]}}};
                    time_result r = time_of(&y);
                    CHECK_STR(r.limiter, "l2");
                    us[n] = r.time_us;
                }
                double got = (us[1] - us[0]) * 1e3 * p->clock_ghz / 200 / 32;
                char name[100], why[80];
                snprintf(name, sizeof name, "%s, %g multiprocessors: %s", devices[d], active,
                         rows[k].what);
                snprintf(why, sizeof why, "%.4f cycles, by the rule %.4f", got, rows[k].cycles);
                check_that(fabs(got - rows[k].cycles) <= rows[k].tolerance * rows[k].cycles,
                           __FILE__, __LINE__, name, why);
            }
        }
}

/* Busy more than 0.6 of the time is what limits; less is waiting. A chain of additions, one issued
 * each 4 cycles or so: two warps of a scheduler keep it busy half the time, three of it three
 * quarters. */
static void limiters(void) {
    for (unsigned d = 0; d < 2; d++)
        for (unsigned warps = 1; warps <= 4; warps++) {
            const sim_profile own = written_profile(devices[d]), *p = &own;
            launch y = {.profile = devices[d],
                        .body = "FADD R1, R1, R2 | s4",
                        .rounds = 3000,
                        .warps = 4 * warps,
                        .l = {.grid_blocks = p->sms, .threads = 128 * warps}};
            double busy = warps / p->lat_alu * max_of(1, p->schedulers / p->rate_fp32);
            time_result r = time_of(&y);
            CHECK_STR(r.limiter, busy > 0.6 ? "issue" : "latency");
        }
}

/* Loads from L1 and from shared memory go through one unit, which is named by those that take more
 * of it. */
static void one_unit(void) {
    for (unsigned d = 0; d < 2; d++)
        for (unsigned shared = 0; shared < 2; shared++) {
            const sim_profile own = written_profile(devices[d]), *p = &own;
            sass_module *m =
                written_code("LDG.E R1, desc[UR4][R2.64] | w0 b0\nLDS R4, [R5] | w1 b1");
            time_code *code = time_code_machine(p, m->funcs);
            sim_occupancy occ = {.blocks = 1, .pct = 100};
            sim_trace *t = sim_trace_new(p, p->sms, 32, 1, 0);
            for (unsigned b = 0; b < t->block_count; b++) {
                sim_trace_block *k = sim_trace_block_begin(t, t->blocks[b].block);
                for (unsigned w = 0; w < 32; w++)
                    for (unsigned r = 0; r < 200; r++) {
                        sim_trace_steps(&k->warps[w], 0, 2);
                        sim_trace_event_add(&k->warps[w],
                                            (sim_trace_event){.space = PTX_SPACE_GLOBAL,
                                                              .lanes = 32,
                                                              .bytes_lane = 4,
                                                              .passes = 1,
                                                              .lines = 1,
                                                              .sectors = 4,
                                                              .l1_hits = 4});
                        sim_trace_event_add(&k->warps[w],
                                            (sim_trace_event){.pc_low = 1,
                                                              .space = PTX_SPACE_SHARED,
                                                              .lanes = 32,
                                                              .bytes_lane = 4,
                                                              .passes = (uint16_t)(1 + shared)});
                    }
                sim_trace_finish(k);
            }
            time_launch l = {.grid_blocks = p->sms, .threads = 1024};
            sim_counters c = {.warp_inst = p->sms * 32ull * 400};
            time_result r;
            time_model(p, code, t, &l, &c, &occ, NULL, &r);
            CHECK_STR(r.limiter, shared ? "shared" : "l1"); /* 1.09 cycles beside 1 or 2 */
            sim_trace_free(t);
            time_code_free(code);
            sass_free(m);
        }
}

/* What is left when a kind of instruction costs nothing, cycle by cycle. */
static void removed(void) {
    enum { ROUNDS = 300 };
    static const double slack = 8; /* an instruction is issued so long before its pipe is free */
    static const sim_trace_event arrives = {.space = 0};
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double without[SIM_COST_COUNT], us = 1e-3 / p->clock_ghz, first = p->warp_start_cycles,
                                        add = 4 / p->rate_fp32;
        launch y = {.profile = devices[d],
                    .rounds = ROUNDS,
                    .l = {.grid_blocks = 1, .threads = 32},
                    .without = without};
        /* heard one after another, from the last one's start on; without, a slot for each: two
         * warps on a scheduler, of which the fourth's start last */
        y.body = "BAR.SYNC.DEFER_BLOCKING 0x0", y.event = &arrives, y.warps = 8, y.l.threads = 256;
        y.c.barriers = 1;
        SAME(devices[d], "barriers", time_of(&y).time_us,
             p->kernel_us + (first + 7 * p->warp_launch_cycles +
                             (8 * p->barrier_per_warp + p->barrier_base) * ROUNDS + 2 -
                             7 * p->barrier_per_warp) *
                                us);
        SAME(devices[d], "without barriers", without[SIM_COST_BARRIERS],
             p->kernel_us + (first + 3 * p->warp_launch_cycles + 2 * ROUNDS + 2) * us);
        y.event = NULL, y.warps = 1, y.l.threads = 32, y.c.barriers = 0;
        /* as fast as the pipe takes them: each is issued when the one before has begun */
        y.body = "FADD R1, R1, R2 | s4";
        SAME(devices[d], "a chain", time_of(&y).time_us,
             p->kernel_us + (first + 4 * ROUNDS + 1) * us); /* by stall count */
        SAME(devices[d], "without latency", without[SIM_COST_LATENCY],
             p->kernel_us + (first + (add > 1 ? add * (ROUNDS - 1) - slack + 2 : ROUNDS + 1)) * us);
        /* a fence is none of the instructions that go */
        y.body = "MEMBAR.ALL.CTA\nFADD R1, R1, R2 | s4";
        time_of(&y);
        SAME(devices[d], "without instructions", without[SIM_COST_INSTRUCTIONS],
             p->kernel_us + (first + 7.5 * ROUNDS + 1) * us);
        static const sim_trace_event word = {
            .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1};
        y.body = "LDS R1, [R2] | w0 b0\nLOP3.LUT R3, R1, R4, RZ, 0x3c, !PT | b0 s4\nIMNMX R2, R3, "
                 "R5, PT | s4";
        y.event = &word;
        time_of(&y);
        SAME(devices[d], "loads without instructions between", without[SIM_COST_INSTRUCTIONS],
             p->kernel_us + (first + p->lat_shared * ROUNDS + 1) * us);
        y.event = NULL;
        /* each expensive one becomes an addition */
        y.body = "MUFU.SQRT R1, R1 | w0 b0";
        time_of(&y);
        SAME(devices[d], "without expensive arithmetic", without[SIM_COST_MATH],
             p->kernel_us + (first + p->lat_alu * (ROUNDS - 1) + 2) * us);
    }
}

/* ---- who pays ---- */

typedef struct {
    const char *first, *second;
    sim_trace_event e[2];
} pair;

/* Two instructions in a block of one warp, each in a line of its own, 6 and 7 of the text. */
static sim_what_if *without_costs(const char *profile, const pair *y, const sim_counters *c,
                                  time_places **places) {
    static const sim_line lines[] = {{.file = "", .line = 6}, {.file = "", .line = 7}};
    char body[400];
    snprintf(body, sizeof body, "%s\n%s\nIADD3 R3, R1, R4, RZ | b0 b1 s4", y->first, y->second);
    const sim_profile *p = sim_profile_find(profile);
    sass_module *machine = written_code(body);
    time_code *code = time_code_machine(p, machine->funcs);
    sim_occupancy occ = {.blocks = 1, .pct = 100};
    sim_trace *t = sim_trace_new(p, 1, 1, 1, 0);
    sim_trace_block *b = sim_trace_block_begin(t, 0);
    for (unsigned r = 0; r < 50; r++) {
        sim_trace_steps(&b->warps[0], 0, 3);
        for (unsigned k = 0; k < 2; k++) {
            sim_trace_event e = y->e[k];
            e.pc_low = (uint16_t)k;
            if (e.lanes) sim_trace_event_add(&b->warps[0], e);
        }
    }
    sim_trace_finish(b);
    t->slice_ops[3] = 100;
    *places = time_places_new(code);
    time_launch l = {.grid_blocks = 1, .threads = 32};
    time_result r;
    time_model(p, code, t, &l, c, &occ, *places, &r);
    sim_what_if *all =
        time_what_if(&(time_question){.profile = p,
                                      .code = code,
                                      .text = {.machine = machine, .func = machine->funcs},
                                      .trace = t,
                                      .launch = &l,
                                      .counters = c,
                                      .occupancy = &occ,
                                      .places = *places,
                                      .time_us = r.time_us,
                                      .lines = lines,
                                      .line_count = 2});
    sim_trace_free(t);
    time_code_free(code);
    sass_free(machine);
    return all;
}

/* Of each cost there is so much at each of two lines. */
static void payers(void) {
#define GLOBAL .space = PTX_SPACE_GLOBAL, .lanes = 32, .bytes_lane = 4, .passes = 1, .lines = 1
#define SHARED .space = PTX_SPACE_SHARED, .lanes = 32
    static const char load[] = "LDG.E R1, desc[UR4][R2.64] | w0",
                      load2[] = "LDG.E R4, desc[UR4][R6.64] | w1", put[] = "STS [R8], R9",
                      put2[] = "STS [R10], R9", store[] = "STG.E desc[UR4][R6.64], R9",
                      add[] = "ATOMS.ADD RZ, [R8], R9", add2[] = "ATOMS.ADD RZ, [R10], R9",
                      own[] = "STL [R8], R9", own2[] = "LDL R4, [R10] | w1";
    static const struct {
        sim_cost cost;
        double part; /* of the first line */
        pair y;
    } rows[] = {
        /* sectors that the lanes' 128 bytes do not fill: 32 and 11, where 4 do */
        {SIM_COST_SECTORS,
         28.0 / 35,
         {load, load2, {{GLOBAL, .sectors = 32}, {GLOBAL, .sectors = 11}}}},
        /* passes beyond those for 8 and for 4 bytes a lane: 2 and 1 */
        {SIM_COST_BANKS,
         3.0 / 4,
         {put,
          put2,
          {{SHARED, .bytes_lane = 8, .passes = 5}, {SHARED, .bytes_lane = 4, .passes = 2}}}},
        {SIM_COST_ATOMICS,
         3.0 / 4,
         {add,
          add2,
          {{SHARED, .bytes_lane = 4, .passes = 3}, {SHARED, .bytes_lane = 4, .passes = 1}}}},
        {SIM_COST_L1,
         3.0 / 4,
         {load,
          load2,
          {{GLOBAL, .sectors = 6, .l2_sectors = 6, .stream_n = 1},
           {GLOBAL, .sectors = 4, .l2_sectors = 2, .stream_n = 1}}}},
        {SIM_COST_L2,
         3.0 / 4,
         {load,
          load2,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 3, .stream_n = 1},
           {GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 1, .stream_n = 1}}}},
        /* what is stored goes there too, besides what has to be read for it */
        {SIM_COST_DRAM,
         3.0 / 8,
         {load,
          store,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 3, .stream_n = 1},
           {GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 1, .stream_n = 1}}}},
        {SIM_COST_L2_RATE,
         4.0 / 5,
         {load,
          store,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 3, .stream_n = 1},
           {GLOBAL, .sectors = 1, .l2_sectors = 1, .stream_n = 1}}}},
        /* passes, and a quarter of each line */
        {SIM_COST_LSU,
         3 / (3 + 1.25),
         {put,
          load2,
          {{SHARED, .bytes_lane = 4, .passes = 3}, {GLOBAL, .sectors = 4, .l1_hits = 4}}}},
        {SIM_COST_LOCAL,
         3.0 / 4,
         {own,
          own2,
          {{.space = PTX_SPACE_LOCAL, .lanes = 32, .bytes_lane = 4, .sectors = 6, .lines = 2},
           {.space = PTX_SPACE_LOCAL, .lanes = 32, .bytes_lane = 4, .sectors = 2, .lines = 1}}}},
    };
    static const sim_counters all = {.warp_inst = 150,
                                     .shared_st_conflicts = 1,
                                     .shared_st_wavefronts = 2,
                                     .atom_shared_requests = 2,
                                     .atom_shared_serialised = 4,
                                     .local_ld_sectors = 100,
                                     .local_st_sectors = 300};
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            time_places *places;
            sim_what_if *w = without_costs(devices[d], &rows[k].y, &all, &places);
            const sim_what_if *x = w ? &w[rows[k].cost] : NULL;
            const char *name = sim_cost_at(rows[k].cost)->name;
            double part = rows[k].part;
            bool first = part > 0.5;
            CHECK(x && x->line_count == 2);
            if (x && x->line_count == 2) {
                CHECK_INT(x->line[0], first ? 0 : 1);
                SAME(devices[d], name, (double)x->part[first ? 0 : 1], part);
                SAME(devices[d], name, (double)(x->part[0] + x->part[1]), 1);
            }
            free(w);
            time_places_free(places);
        }
    /* What DRAM gives follows the sampled misses: of a launch that lasts as long as its bytes take,
     * so much is left. Once; 50 rounds of so many misses of the first and of the second. */
    static const struct {
        sim_cost cost;
        double left;
        pair y;
    } follows[] = {
        /* four of 32 sectors have the 128 bytes, and so many of the 8 misses */
        {SIM_COST_SECTORS,
         1.0 / 8,
         {load,
          load2,
          {{GLOBAL, .sectors = 32, .l2_sectors = 32, .misses = 8, .stream_n = 32}, {0}}}},
        {SIM_COST_L1,
         1.0 / 4,
         {load,
          store,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 3, .stream_n = 1},
           {GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 1, .stream_n = 1}}}},
        {SIM_COST_L2,
         1.0 / 4,
         {load,
          store,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 3, .stream_n = 1},
           {GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 1, .stream_n = 1}}}},
        {SIM_COST_LOCAL,
         2.0 / 3,
         {load,
          own2,
          {{GLOBAL, .sectors = 4, .l2_sectors = 4, .misses = 2, .stream_n = 1},
           {.space = PTX_SPACE_LOCAL,
            .lanes = 32,
            .bytes_lane = 4,
            .sectors = 4,
            .lines = 1,
            .l2_sectors = 4,
            .misses = 1,
            .stream_n = 1}}}},
    };
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof follows / sizeof *follows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            sim_counters moved = all;
            moved.dram_read = 2400000000, moved.gld_sectors = 1000000000;
            time_places *places;
            sim_what_if *w = without_costs(devices[d], &follows[k].y, &moved, &places);
            SAME(devices[d], sim_cost_at(follows[k].cost)->name, w ? w[follows[k].cost].time_us : 0,
                 p->kernel_us + follows[k].left * 2.4e9 / (p->dram_gbs * p->dram_efficiency * 1e3));
            free(w);
            time_places_free(places);
        }
    /* What is waited for longest is what is to blame, whichever was issued first. */
    for (unsigned k = 0; k < 2; k++) {
        static const sim_trace_event shared = {SHARED, .bytes_lane = 4, .passes = 1},
                                     far = {GLOBAL, .sectors = 4, .l2_sectors = 4, .stream_n = 1};
        pair y = {k ? load : "LDS R1, [R8] | w0",
                  k ? "LDS R4, [R8] | w1" : load2,
                  {k ? far : shared, k ? shared : far}};
        time_places *places;
        free(without_costs("h200", &y, &all, &places));
        CHECK(places->caused[k ? 0 : 1] > 5000 && places->caused[k ? 1 : 0] < 1000);
        time_places_free(places);
    }
#undef GLOBAL
#undef SHARED
}

int main(void) {
    payers();
    counters();
    floors();
    waves();
    bandwidth();
    shares();
    limiters();
    one_unit();
    removed();
    return check_done();
}
