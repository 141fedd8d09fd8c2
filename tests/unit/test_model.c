/* From one multiprocessor to the launch, and from PTX to what the machine makes of it:
 * docs/model-tables.md's rules worked out here from the profiles' figures, on several devices.
 * test_replay.c does the same for the replay between; test_time.c is about what hardware gave. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
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

static ptx_module *parsed(const char *body) {
    char text[4096];
    lib_message msg = {0};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a){\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<80>; .reg .f32 %%f<80>; .reg .b64 %%d<64>; "
             ".reg .f64 %%g<16>; .reg .b16 %%h<4>; .reg .f16x2 %%x<16>;\n%s\nret;\n}\n",
             body);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    if (!m) {
        CHECK_STR(said(&msg), "");
        exit(1);
    }
    return m;
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
                CHECK_NEAR(r.achieved_occupancy_pct, 37.5, 0);
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
    ptx_module *m = parsed(y->body);
    time_code *code = time_code_new(p, m, NULL, NULL);
    unsigned n = (unsigned)m->funcs[0]->insn_count - 1, warps = y->warps ? y->warps : 1;
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
        sim_what_if *all = time_what_if(&(time_question){.profile = p,
                                                         .code = code,
                                                         .module = m,
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
    ptx_free(m);
    return r;
}

static const char *const devices[] = {"h200", "a100"};

/* Waves: a fence of 7.5 cycles is waited for, so that a block of n takes 70 + 7.5 n cycles and its
 * end, the next one begins 250 later. What was not replayed goes on at that rate, more or less
 * slowly as the launch's blocks do more or less than the sampled ones. */
static void waves(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        enum { ROUNDS = 400 };
        double block = p->warp_start_cycles + 7.5 * ROUNDS + 1, /* and the slot of its end */
            next = block + p->block_launch_cycles;
        launch y = {.profile = devices[d], .body = "membar.cta;", .rounds = ROUNDS};
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
            launch z = {.profile = devices[d], .body = "membar.cta;", .rounds = 45000};
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
            {1, 0.5, false, 0, false}, {1.25, 2, true, 0, true},    {2, 2, false, 1, true}};
        for (unsigned k = 0; k < sizeof uneven / sizeof *uneven; k++) {
            double without[SIM_COST_COUNT], whole = ceil(uneven[k].waves),
                                            all = block + (whole - 1) * next;
            y.without = without;
            y.l = (time_launch){.grid_blocks = (uint64_t)(uneven[k].waves * p->sms),
                                .threads = 32,
                                .worst = uneven[k].worst,
                                .cooperative = uneven[k].cooperative,
                                .swaps = uneven[k].swaps};
            double worst = uneven[k].cooperative || uneven[k].swaps ? 1 : uneven[k].worst,
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
        const sim_profile *p = sim_profile_find(devices[d]);
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            double moved = rows[k].read + rows[k].write,
                   dense = p->dram_gbs * p->dram_efficiency * (1 - 0.14 * rows[k].write / moved),
                   full = rows[k].lines ? (double)rows[k].halves / 2 / (double)rows[k].lines : 1;
            full = full > 1 ? 1 : full < 0.5 ? 0.5 : full;
            double rate = p->dram_sector_gbs + (dense - p->dram_sector_gbs) * (full - 0.5) / 0.5;
            launch y = {.profile = devices[d],
                        .body = "membar.cta;",
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
                        .body = "membar.cta;",
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
                    .body = "membar.cta;",
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
            const sim_profile *p = sim_profile_find(devices[d]);
            double active = few ? 3 : p->sms, us[2], bytes = p->l2_gbs / p->clock_ghz / active;
            if (bytes > p->l2_bytes_cycle) bytes = p->l2_bytes_cycle;
            double line = max_of(active * p->clock_ghz / p->l2_lines_ns, 1),
                   part = max_of(active * p->clock_ghz / p->l2_stores_ns, 2),
                   words = 1 + 0.15 * 3, /* four words or more of a sector, to send */
                slice = active * p->atom_global_ns * p->clock_ghz;
            static const char add[] = "cvt.u64.u32 %d1,%tid.x;red.global.add.u32 [%d1],%r1;";
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
                 "ld.global.u32 %r1,[%d1];",
                 {.stream_n = 1, .sectors = 32, .l2_sectors = 32, .lines = 8, .passes = 1},
                 max_of(32 * 32 / bytes, line),
                 0.02,
                 {0}},
                {"lines of L2",
                 "ld.global.u32 %r1,[%d1];",
                 {.stream_n = 16, .sectors = 16, .l2_sectors = 16, .lines = 16, .passes = 1},
                 max_of(16 * 32 / bytes, 16 * line),
                 0.02,
                 {0}},
                {"parts of sectors",
                 "st.global.u32 [%d1],%r1;",
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
            const sim_profile *p = sim_profile_find(devices[d]);
            launch y = {.profile = devices[d],
                        .body = "add.f32 %f1,%f1,%f2;",
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
            const sim_profile *p = sim_profile_find(devices[d]);
            ptx_module *m = parsed("ld.global.u32 %r1,[%d1];\nld.shared.u32 %r2,[%r3];");
            time_code *code = time_code_new(p, m, NULL, NULL);
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
            ptx_free(m);
        }
}

/* What is left when a kind of instruction costs nothing, cycle by cycle. */
static void removed(void) {
    enum { ROUNDS = 300 };
    static const sim_trace_event arrives = {.space = 0};
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile *p = sim_profile_find(devices[d]);
        double without[SIM_COST_COUNT], us = 1e-3 / p->clock_ghz, first = p->warp_start_cycles,
                                        add = 4 / p->rate_fp32;
        launch y = {.profile = devices[d],
                    .rounds = ROUNDS,
                    .l = {.grid_blocks = 1, .threads = 32},
                    .without = without};
        /* heard one after another, from the last one's start on; without, a slot for each: two
         * warps on a scheduler, of which the fourth's start last */
        y.body = "bar.sync 0;", y.event = &arrives, y.warps = 8, y.l.threads = 256;
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
        y.body = "add.f32 %f1,%f1,%f2;";
        SAME(devices[d], "a chain", time_of(&y).time_us,
             p->kernel_us + (first + p->lat_alu * (ROUNDS - 1) + 2) * us);
        SAME(devices[d], "without latency", without[SIM_COST_LATENCY],
             p->kernel_us + (first + (add > 1 ? add * (ROUNDS - 2) + 2 : ROUNDS + 1)) * us);
        /* a fence is none of the instructions that go */
        y.body = "membar.cta;\nadd.f32 %f1,%f1,%f2;";
        time_of(&y);
        SAME(devices[d], "without instructions", without[SIM_COST_INSTRUCTIONS],
             p->kernel_us + (first + 7.5 * ROUNDS + 1) * us);
        static const sim_trace_event word = {
            .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1};
        y.body = "ld.shared.u32 %r1,[%r2];\nxor.b32 %r3,%r1,%r4;\nmin.u32 %r2,%r3,%r5;";
        y.event = &word;
        time_of(&y);
        SAME(devices[d], "loads without instructions between", without[SIM_COST_INSTRUCTIONS],
             p->kernel_us + (first + p->lat_shared * (ROUNDS - 1) + 2) * us);
        y.event = NULL;
        /* each expensive one becomes an addition */
        y.body = "sqrt.rn.f32 %f1,%f1;";
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
    snprintf(body, sizeof body, "%s\n%s\nadd.s32 %%r3,%%r1,%%r2;", y->first, y->second);
    const sim_profile *p = sim_profile_find(profile);
    ptx_module *m = parsed(body);
    time_code *code = time_code_new(p, m, NULL, NULL);
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
    sim_what_if *all = time_what_if(&(time_question){.profile = p,
                                                     .code = code,
                                                     .module = m,
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
    ptx_free(m);
    return all;
}

/* Of each cost there is so much at each of two lines. */
static void payers(void) {
#define GLOBAL .space = PTX_SPACE_GLOBAL, .lanes = 32, .bytes_lane = 4, .passes = 1, .lines = 1
#define SHARED .space = PTX_SPACE_SHARED, .lanes = 32
    static const char load[] = "ld.global.u32 %r1,[%d1];", load2[] = "ld.global.u32 %r2,[%d2];",
                      put[] = "st.shared.u32 [%r4],%r5;", put2[] = "st.shared.u32 [%r6],%r5;",
                      store[] = "st.global.u32 [%d2],%r5;", add[] = "red.shared.add.u32 [%r4],%r5;",
                      add2[] = "red.shared.add.u32 [%r6],%r5;", own[] = "st.local.u32 [%d1],%r5;",
                      own2[] = "ld.local.u32 %r2,[%d2];";
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
        pair y = {k ? load : "ld.shared.u32 %r1,[%r4];",
                  k ? "ld.shared.u32 %r2,[%r4];" : load2,
                  {k ? far : shared, k ? shared : far}};
        time_places *places;
        free(without_costs("h200", &y, &all, &places));
        CHECK(places->caused[k ? 0 : 1] > 5000 && places->caused[k ? 1 : 0] < 1000);
        time_places_free(places);
    }
#undef GLOBAL
#undef SHARED
}

/* ---- from PTX to the machine ---- */

static time_op op_of(const char *profile, const char *body, unsigned at) {
    ptx_module *m = parsed(body);
    time_code *code = time_code_new(sim_profile_find(profile), m, NULL, NULL);
    time_op o = code->ops[at];
    time_code_free(code);
    ptx_free(m);
    return o;
}

/* A product of m x n x k takes so many multiply-adds of halves: floats of 19 bits go in 32, doubles
 * at a sixteenth of the rate; half of A are zeros in mma.sp. 28 cycles more until the result. */
static void matrices(void) {
    static const struct {
        const char *text;
        double macs, bits;
    } rows[] = {
        /* four products at once */
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8},"
         "{%r1,%r2},{%r5,%r6},{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};",
         4 * 8 * 8 * 4, 16},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4};",
         16 * 8 * 16, 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r5},"
         "{%f1,%f2,%f3,%f4};",
         16 * 8 * 8, 16},
        {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4};",
         16 * 8 * 8, 32},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r11,%r12,%r13,%r14},{%r1,%r2,%r3,%r4},"
         "{%r5,%r6},{%r11,%r12,%r13,%r14};",
         16 * 8 * 32, 8},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g1,%g2},{%g3},{%g4},{%g1,%g2};",
         8 * 8 * 4, 256},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},"
         "{%r1,%r2,%r3,%r4},{%r5,%r6,%r7,%r8},{%f1,%f2,%f3,%f4},%r9,0x0;",
         16 * 8 * 16, 16},
        {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},"
         "{%r5,%r6},{%f1,%f2,%f3,%f4},%r9,0x0;",
         16 * 8 * 8, 16},
    };
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(devices[d]);
            time_op o = op_of(devices[d], rows[k].text, 0);
            double busy = rows[k].macs * rows[k].bits / 16 / (p->tensor_macs / p->schedulers);
            SAME(devices[d], rows[k].text, (double)o.busy, busy);
            SAME(devices[d], "its result", (double)o.latency, busy + 28);
            SAME(devices[d], "its slots", (double)o.slots, 2);
            CHECK_INT(o.pipe, TIME_PIPE_TENSOR);
        }
}

/* Conversions: between integers a move's; halves and floats the ALU's; from an integer the ALU's
 * from compute capability 8.6 on; the others, and all of eight bytes with a floating-point side,
 * those of a unit of their own rate. */
static void conversions(void) {
    static const char *const which[] = {"h200", "a100", "t4", "rtx4090", "g80"};
    enum { MOVE, HALF, TO_FLOAT, OWN };
    static const struct {
        const char *text;
        int kind;
    } rows[] = {{"cvt.s32.s8 %r1,%r2;", MOVE},         {"cvt.rn.f16.f32 %h1,%f2;", HALF},
                {"cvt.f32.f16 %f1,%h2;", HALF},        {"cvt.rn.f32.s32 %f1,%r2;", TO_FLOAT},
                {"cvt.rn.f32.u32 %f1,%r2;", TO_FLOAT}, {"cvt.rzi.s32.f32 %r1,%f2;", OWN},
                {"cvt.f64.f32 %g1,%f2;", OWN},         {"cvt.rn.f32.f64 %f1,%g2;", OWN},
                {"cvt.rn.f64.s32 %g1,%r2;", OWN},      {"cvt.rn.f32.s64 %f1,%d2;", OWN}};
    for (unsigned d = 0; d < sizeof which / sizeof *which; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile *p = sim_profile_find(which[d]);
            time_op o = op_of(which[d], rows[k].text, 0);
            int kind = rows[k].kind;
            if (kind == TO_FLOAT && !p->int_to_float_alu) kind = OWN;
            double s = p->schedulers, more = p->lat_alu / 4.1,
                   busy = s / (kind == OWN ? p->rate_convert : p->rate_int),
                   latency = kind == OWN        ? p->lat_sfu + more
                             : kind == TO_FLOAT ? p->lat_alu + 2 * more
                             : kind == HALF     ? p->lat_alu + more
                                                : p->lat_alu;
            SAME(which[d], rows[k].text, (double)o.busy, busy);
            SAME(which[d], rows[k].text, (double)o.latency, latency);
            SAME(which[d], rows[k].text, (double)o.slots, s / p->issue_per_cycle);
            SAME(which[d], rows[k].text, (double)o.xu, 0);
        }
}

/* What an instruction is to the machine. */
static void kinds(void) {
    static const char call[] = "{ .reg .b32 t; call f; }", far[] = ".func f() { ret; }\n";
    static const struct {
        const char *body;
        unsigned at;
        uint8_t kind, amount;
    } rows[] = {{"ret;", 0, TIME_EXIT, 0},
                {"exit;", 0, TIME_EXIT, 0},
                {"trap;", 0, TIME_EXIT, 0},
                {"brkpt;", 0, TIME_PLAIN, 0},
                {"membar.cta;", 0, TIME_FENCE, 0},
                {"membar.gl;", 0, TIME_FENCE, 1},
                {"membar.sys;", 0, TIME_FENCE, 2},
                {"fence.acq_rel.gpu;", 0, TIME_FENCE, 1},
                {"bar.sync 0;", 0, TIME_BARRIER, 0},
                {"bar.arrive 0,64;", 0, TIME_ARRIVE, 0},
                {"bar.warp.sync -1;", 0, TIME_PLAIN, 0},
                {"cp.async.commit_group;", 0, TIME_COMMIT, 0},
                {"cp.async.wait_group 3;", 0, TIME_WAIT, 3},
                {"cp.async.wait_all;", 0, TIME_WAIT, 0},
                {"ld.const.u32 %r1,[%r2];", 0, TIME_CONST, 0},
                {"ld.global.u32 %r1,[%d2];", 0, TIME_LOAD, 0},
                {"ld.param.u64 %d1,[a];", 0, TIME_PLAIN, 0},
                {"st.shared.u32 [%r1],%r2;", 0, TIME_STORE, 0},
                {"red.global.add.u32 [%d1],%r2;", 0, TIME_ATOM, 0}};
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_op o = op_of("h200", rows[k].body, rows[k].at);
        check_that(o.kind == rows[k].kind && o.amount == rows[k].amount, __FILE__, __LINE__,
                   rows[k].body, "another kind");
    }
    /* a call is a branch, in a kernel too; so is a function's return */
    char text[400];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n%s.visible .entry k(){ %s ret; }\n",
             far, call);
    lib_message msg = {0};
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    CHECK_STR(said(&msg), "");
    time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
    if (code) {
        CHECK_INT(code->ops[0].kind, TIME_BRANCH); /* f's ret */
        CHECK_INT(code->ops[1].kind, TIME_BRANCH); /* the call */
        CHECK_INT(code->ops[2].kind, TIME_EXIT);
        for (unsigned k = 0; k < 3; k++) CHECK(code->ops[k].flags & TIME_SIGNALS); /* they go far */
    }
    time_code_free(code);
    ptx_free(m);
    /* A division by what does not change in its loop is ten instructions, otherwise eighteen; high
     * halves of products keep the port for two more, and three each. */
    static const struct {
        const char *body;
        unsigned at;
        double slots;
    } divisions[] = {
        {"div.u32 %r1,%r2,%r3;", 0, 24},
        {"div.u32 %r1,%r2,10;", 0, 12},
        {"mov.u32 %r3,%tid.x;\nL: div.u32 %r1,%r1,%r3;\nsetp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;", 1,
         12},
        {"L: add.u32 %r3,%r3,%r5;\ndiv.u32 %r1,%r1,%r3;\nsetp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;", 1,
         24},
        {"mov.u32 %r3,%tid.x;\nmov.u32 %r3,%tid.y;\nL: div.u32 %r1,%r1,%r3;\n"
         "setp.ne.u32 %p1,%r1,%r9;\n@%p1 bra L;",
         2, 24},
        {"mov.u64 %d3,%clock64;\nL: div.u64 %d1,%d1,%d3;\nsetp.ne.u64 %p1,%d1,%d9;\n@%p1 bra L;", 1,
         85}};
    for (unsigned k = 0; k < sizeof divisions / sizeof *divisions; k++)
        SAME("h200", divisions[k].body,
             (double)op_of("h200", divisions[k].body, divisions[k].at).slots, divisions[k].slots);
}

/* A loop of one block whose counter steps by a constant is made four times when it has no more than
 * 26 instructions and nothing in it waits, calls or writes what it may read. */
static void unrolling(void) {
    static const struct {
        const char *what, *extra, *step;
        unsigned fill; /* further instructions */
        bool four;
    } rows[] = {
        {"26 instructions", "", "add.s32 %r1,%r1,1;", 23, true},
        {"27 instructions", "", "add.s32 %r1,%r1,1;", 24, false},
        {"a few, down", "", "sub.s32 %r1,%r1,3;", 2, true},
        {"by a variable", "", "add.s32 %r1,%r1,%r5;", 2, false},
        {"by a product", "", "mul.lo.s32 %r1,%r1,3;", 2, false},
        {"a load", "ld.global.f32 %f60,[%d1];", "add.s32 %r1,%r1,1;", 2, true},
        {"a volatile load", "ld.volatile.global.f32 %f60,[%d1];", "add.s32 %r1,%r1,1;", 2, false},
        {"a constant by address", "ld.const.f32 %f60,[%r9];", "add.s32 %r1,%r1,1;", 2, false},
        {"a store", "st.global.f32 [%d1],%f60;", "add.s32 %r1,%r1,1;", 2, true},
        {"an atomic", "red.global.add.u32 [%d1],%r9;", "add.s32 %r1,%r1,1;", 2, false},
        {"a shuffle", "shfl.sync.bfly.b32 %r9,%r9,1,31,-1;", "add.s32 %r1,%r1,1;", 2, false},
        {"a division", "div.u32 %r9,%r9,%r8;", "add.s32 %r1,%r1,1;", 2, false},
        {"a fence", "membar.gl;", "add.s32 %r1,%r1,1;", 2, false},
        {"a guard", "@%p2 max.f32 %f60,%f61,%f62;", "add.s32 %r1,%r1,1;", 2, false},
    };
    static const char *const which[] = {"h200", "g80"};
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            char body[3000] = "L:\n";
            for (unsigned n = 0; n < rows[k].fill; n++)
                snprintf(body + strlen(body), sizeof body - strlen(body),
                         "max.f32 %%f%u,%%f70,%%f71;\n", n);
            snprintf(body + strlen(body), sizeof body - strlen(body),
                     "%s\n%s\nsetp.lt.s32 %%p1,%%r1,%%r3;\n@%%p1 bra L;", rows[k].extra,
                     rows[k].step);
            ptx_module *m = parsed(body);
            time_code *code = time_code_new(sim_profile_find(which[d]), m, NULL, NULL);
            const time_region *r = &code->regions[code->region_of[0]];
            unsigned count = rows[k].fill + 3 + (*rows[k].extra != 0);
            CHECK_INT(r->count, count);
            SAME(which[d], rows[k].what, r->unrolled, rows[k].four ? 4 : 0);
            CHECK_INT(code->extra, rows[k].four ? 4 * count : 0);
            /* but in the last copy, the counter, the comparison and the jump cost nothing */
            double slot = sim_profile_find(which[d])->schedulers /
                          sim_profile_find(which[d])->issue_per_cycle,
                   slots = 0;
            for (unsigned n = 0; n < code->extra; n++)
                slots += (double)code->ops[code->op_count + n].slots;
            if (rows[k].four) SAME(which[d], "slots of four", slots, (4 * count - 9) * slot);
            time_code_free(code);
            ptx_free(m);
        }
}

/* An if over at most eight instructions is none of the machine's branches: they are issued and
 * skipped. Otherwise there are two more around it. */
static void short_ifs(void) {
    static const char *const which[] = {"h200", "g80"};
    for (unsigned d = 0; d < 2; d++)
        for (unsigned n = 1; n <= 10; n++)
            for (unsigned other = 0; other < 10; other += 3) {
                const sim_profile *p = sim_profile_find(which[d]);
                double slot = p->schedulers / p->issue_per_cycle;
                char body[3000] = "@%p1 bra E;\n", name[60];
                for (unsigned k = 0; k < n; k++)
                    snprintf(body + strlen(body), sizeof body - strlen(body),
                             "max.f32 %%f%u,%%f70,%%f71;\n", k);
                if (other) strcat(body, "bra X;\n");
                strcat(body, "E:\n");
                for (unsigned k = 0; k < other; k++)
                    snprintf(body + strlen(body), sizeof body - strlen(body),
                             "min.f32 %%f%u,%%f72,%%f73;\n", 20 + k);
                strcat(body, "X: max.f32 %f60,%f61,%f62;");
                time_op o = op_of(which[d], body, 0);
                bool guarded = n <= 8 && other <= 8;
                snprintf(name, sizeof name, "%u or %u instructions", n, other);
                CHECK_INT((o.flags & TIME_PREDICATED) != 0, guarded);
                SAME(which[d], name, (double)o.slots, guarded ? 0 : 2 * slot);
                if (guarded) SAME(which[d], name, o.amount, n * slot);
                if (!guarded || !other) continue;
                o = op_of(which[d], body, n + 1); /* the jump over the other arm */
                CHECK(o.flags & TIME_PREDICATED);
                SAME(which[d], name, (double)o.slots, 0);
                SAME(which[d], name, o.amount, other * slot);
            }
}

/* In what order a region is issued: values whose making takes longest first, within what is known
 * of latencies; memory keeps the order that it must. */
static void orders(void) {
    static const struct {
        const char *name, *body;
        unsigned n;
        uint8_t want[12];
    } rows[] = {
        {"loads before their uses",
         "ld.global.f32 %f1,[%d1];\nadd.f32 %f9,%f9,%f1;\nld.global.f32 %f2,[%d2];\n"
         "add.f32 %f8,%f8,%f2;",
         4,
         {0, 2, 1, 3}},
        {"the longer chain first",
         "add.f32 %f1,%f2,%f3;\nld.shared.f32 %f4,[%r1];\nadd.f32 %f5,%f4,%f1;",
         3,
         {1, 0, 2}},
        {"of equals the first",
         "add.f32 %f1,%f2,%f3;\nadd.f32 %f4,%f2,%f3;\nadd.f32 %f5,%f2,%f3;",
         3,
         {0, 1, 2}},
        {"a load behind a store to what may be the same",
         "st.global.f32 [%d1],%f1;\nld.global.f32 %f2,[%d2];\nadd.f32 %f3,%f2,%f2;",
         3,
         {0, 1, 2}},
        {"a load before a store to another space",
         "add.f32 %f1,%f1,%f5;\nst.shared.f32 [%r1],%f1;\nld.global.f32 %f2,[%d2];\n"
         "add.f32 %f3,%f2,%f2;",
         4,
         {2, 0, 1, 3}},
        {"loads of global memory before those of shared memory",
         "ld.shared.f32 %f1,[%r1];\nld.global.f32 %f2,[%d1];\nadd.f32 %f3,%f1,%f2;",
         3,
         {1, 0, 2}},
        {"a register that is written again waits for its readers",
         "ld.global.f32 %f1,[%d1];\nadd.f32 %f2,%f1,%f1;\nld.global.f32 %f1,[%d2];\n"
         "add.f32 %f3,%f1,%f1;",
         4,
         {0, 1, 2, 3}},
    };
    for (unsigned d = 0; d < 2; d++)
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            ptx_module *m = parsed(rows[k].body);
            time_code *code = time_code_new(sim_profile_find(devices[d]), m, NULL, NULL);
            char got[40] = "", want[40] = "";
            for (unsigned i = 0; i < rows[k].n; i++) {
                snprintf(got + strlen(got), sizeof got - strlen(got), "%u ", code->order[i]);
                snprintf(want + strlen(want), sizeof want - strlen(want), "%u ", rows[k].want[i]);
            }
            char why[120];
            snprintf(why, sizeof why, "got %s, want %s", got, want);
            check_that(!strcmp(got, want), __FILE__, __LINE__, rows[k].name, why);
            time_code_free(code);
            ptx_free(m);
        }
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
    matrices();
    conversions();
    kinds();
    unrolling();
    short_ifs();
    orders();
    return check_done();
}
