/* What a launch takes without one of its costs (costs.def), worked out here from the profiles'
 * figures: a few warps' streams of machine code written by hand, whose replay is a sum of a few
 * terms; and with the counters alone, where nothing was replayed. test_model.c has who pays for it;
 * test_time.c, what hardware gave. */
#include "runner/base/message.h"
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/said.h"
#include "written_fixture.h"
#include <stdlib.h>

typedef struct {
    const char *profile, *body;
    unsigned rounds, warps;
    uint64_t grid, l2_bytes;       /* 0: the profile's */
    sim_trace_event event, second; /* of the instruction pc_low of a round; no bytes a lane: none */
    sim_trace_event last;          /* in place of `event` in the last round */
    sim_counters c;
    uint64_t slice_ops[SIM_L2_SLICES];
    unsigned swaps, swappers, holders;
    double attempts;
    bool nothing_replayed;
    const float *lanes;
} launch;

typedef struct {
    double us, without[SIM_COST_COUNT];
    bool asked;
    sim_what_if whole[SIM_COST_COUNT]; /* its lines: 0 and 1, the body's */
} answer;

static answer ask(const launch *y) {
    sass_module *machine = written_code(y->body);
    static const sim_line lines[] = {
        {.file = "", .line = 6}, {.file = "", .line = 7}, {.file = "", .line = 8}};
    sim_profile own = *sim_profile_find(y->profile), *p = &own;
    if (y->l2_bytes) own.l2_bytes = y->l2_bytes;
    time_code *code = time_code_machine(p, machine->funcs);
    unsigned n = machine->funcs[0].insn_count - 1, warps = y->warps ? y->warps : 1;
    uint64_t grid = y->grid ? y->grid : 1;
    sim_occupancy occ = {.blocks = 1, .pct = 100};
    sim_trace *t = sim_trace_new(p, grid, warps, 1, 0);
    for (unsigned b = 0; b < t->block_count && !y->nothing_replayed; b++) {
        sim_trace_block *k = sim_trace_block_begin(t, t->blocks[b].block);
        for (unsigned w = 0; w < warps; w++) {
            for (unsigned r = 0; r < y->rounds; r++) {
                sim_trace_steps(&k->warps[w], 0, n);
                bool last = r + 1 == y->rounds && y->last.bytes_lane;
                if (y->event.bytes_lane)
                    sim_trace_event_add(&k->warps[w], last ? y->last : y->event);
                if (y->second.bytes_lane) sim_trace_event_add(&k->warps[w], y->second);
            }
            sim_trace_steps(&k->warps[w], n, 1);
        }
        sim_trace_finish(k);
    }
    memcpy(t->slice_ops, y->slice_ops, sizeof t->slice_ops);
    sim_counters c = y->c;
    if (!c.warp_inst) c.warp_inst = grid * warps * (n * y->rounds + 1);
    time_launch l = {.grid_blocks = grid,
                     .threads = 32 * warps,
                     .swaps = y->swaps,
                     .swappers = y->swappers,
                     .holders = y->holders,
                     .attempts = y->attempts};
    time_places *places = time_places_new(code);
    time_result r;
    answer a = {0};
    time_model(p, code, t, &l, &c, &occ, places, &r);
    a.us = r.time_us;
    sim_what_if *all =
        time_what_if(&(time_question){.profile = p,
                                      .code = code,
                                      .text = {.machine = machine, .func = machine->funcs},
                                      .trace = t,
                                      .launch = &l,
                                      .counters = &c,
                                      .occupancy = &occ,
                                      .places = places,
                                      .lanes = y->lanes,
                                      .lines = lines,
                                      .line_count = 3,
                                      .time_us = r.time_us});
    for (unsigned k = 0; all && k < SIM_COST_COUNT; k++) a.without[k] = all[k].time_us;
    a.asked = all != NULL;
    if (all) memcpy(a.whole, all, sizeof a.whole);
    free(all);
    /* the question's own are as they were */
    time_model(p, code, t, &l, &c, &occ, NULL, &r);
    CHECK(a.asked && r.time_us == a.us);
    time_places_free(places);
    sim_trace_free(t);
    time_code_free(code);
    sass_free(machine);
    return a;
}

static void same(int line, const char *device, const char *what, double got, double want) {
    char name[200], why[100];
    snprintf(name, sizeof name, "%s: %.150s", device, what);
    snprintf(why, sizeof why, "got %.6f, by the rule %.6f", got, want);
    check_that(fabs(got - want) <= 1e-6 * (1e-3 + fabs(want)), __FILE__, line, name, why);
}
#define SAME(device, what, got, want) same(__LINE__, device, what, got, want)

static double larger(double a, double b) {
    return a > b ? a : b;
}

static const char *const devices[] = {"h200", "a100"};
enum { ROUNDS = 300, CHAIN = ROUNDS - 1 };
enum { SLACK = 8 }; /* cycles by which an instruction may be issued before its pipe is free */

#define GLOBAL .space = PTX_SPACE_GLOBAL, .passes = 1, .lines = 1, .sectors = 1
#define SHARED .space = PTX_SPACE_SHARED, .bytes_lane = 4

/* ---- latency ---- */

/* When the last of n accesses to shared memory starts that a warp issues one behind the other, each
 * of so many passes: the queue has five places, and an access keeps one for eleven cycles. */
static double queued(const sim_profile *p, unsigned n, double passes) {
    unsigned places = (unsigned)p->memory_queue, round = (n - 1) / places, rest = (n - 1) % places;
    return round * larger(p->memory_queue_cycles, places * passes) + rest * passes;
}

/* A chain of loads of which none is waited for: as fast as the slowest server takes them. The warp
 * ends a slot for the last one and one for its end behind the issue, which waits for the server's
 * answer to the one before; an atomic's, when it has come. */
static void latency(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, l1 = 128 / p->l1_bytes_cycle,
               l2 = 1, /* a line a cycle: one multiprocessor alone gets no more */
            dram = 64 / (p->dram_gbs * p->dram_efficiency / p->clock_ghz);
        const struct {
            const char *body;
            sim_trace_event e;
            double dram_read, cycles,
                with; /* from the first instruction on; a chain's round with latency, or 0 */
        } rows[] = {
            {"LDS R1, [R1] | w0 b0",
             {SHARED, .lanes = 32, .passes = 2},
             0,
             queued(p, ROUNDS, 2) + p->lds_held_cycles + 2, /* and the port that the last keeps */
             p->back_pass_cycles + p->lat_shared},
            {"LDC R1, c[0x3][R1] | w0 b0",
             {.space = PTX_SPACE_CONST, .lanes = 32, .bytes_lane = 4, .passes = 1, .lines = 1},
             0,
             CHAIN * p->const_serial_cycles + 1,
             p->const_serial_cycles - 1 + p->lat_const},
            {"LDG.E.64 R2, desc[UR4][R2.64] | w0 b0",
             {GLOBAL, .lanes = 1, .bytes_lane = 8, .l1_hits = 1},
             0,
             CHAIN * l1 + 2 - l1, /* a line is looked up in a cycle */
             p->lat_l1},
            {"LDG.E.64 R2, desc[UR4][R2.64] | w0 b0",
             {GLOBAL, .lanes = 1, .bytes_lane = 8, .stream_n = 1, .l2_sectors = 1},
             0,
             CHAIN * (l1 + l2) + 2,
             0},
            {"LDG.E.64 R2, desc[UR4][R2.64] | w0 b0",
             {GLOBAL, .lanes = 1, .bytes_lane = 8, .stream_n = 1, .l2_sectors = 1, .misses = 1},
             64 * ROUNDS,
             CHAIN * (l1 + dram) + 2,
             0},
            {"ATOMS.ADD R1, [R1], R2 | w0 b0",
             {SHARED, .lanes = 32, .passes = 1},
             0,
             CHAIN * 1.1 * 1.25 * p->atom_shared_cycles + 1.1 * 1.25 * p->atom_shared_cycles - 1,
             1.1 * 1.25 * p->atom_shared_cycles - 1 + p->lat_atom_shared},
            {"ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R2.64], R4 | w0 b0",
             {GLOBAL, .lanes = 1, .bytes_lane = 8, .stream_n = 1, .l2_sectors = 1},
             0,
             CHAIN * 1.33 * 1.15 * p->atom_sm_cycles + 1, /* two words to send */
             1 + p->lat_atom_global},
            {"IMAD R1, R1, R2, RZ | s4",
             {.bytes_lane = 0},
             0,
             CHAIN * p->schedulers / p->rate_imul - SLACK + 2,
             4}, /* the stall count */
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            answer a = ask(&(launch){.profile = devices[d],
                                     .body = rows[k].body,
                                     .rounds = ROUNDS,
                                     .event = rows[k].e,
                                     .c = {.dram_read = (uint64_t)rows[k].dram_read}});
            double first = p->kernel_us + p->warp_start_cycles * us;
            SAME(devices[d], rows[k].body, a.without[SIM_COST_LATENCY],
                 first + rows[k].cycles * us);
            double end = k == 5 || k == 6 ? rows[k].with /* an atomic is there when the warp ends */
                         : !k             ? 2 + p->lds_held_cycles
                         : k == 7         ? 4 + 1
                                          : 2;
            if (rows[k].with > 0)
                SAME(devices[d], rows[k].body, a.us, first + (CHAIN * rows[k].with + end) * us);
        }
    }
}

/* ---- servers ---- */

/* Stores, one behind the other: of those that reach L2 the last one's acknowledgement is waited
 * for, 0.7 of the way; what a server no longer takes, the one before it does. Stores of many lines
 * by four warps, each on a scheduler of its own: a pass of a quarter of a cycle each is left. */
static void servers(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, first = p->kernel_us + p->warp_start_cycles * us,
               l1 = larger(128 / p->l1_bytes_cycle, 1),
               sector =
                   32 / (p->l2_gbs / p->clock_ghz < p->l2_bytes_cycle ? p->l2_gbs / p->clock_ghz
                                                                      : p->l2_bytes_cycle);
        launch store = {.profile = devices[d],
                        .body = "STG.E desc[UR4][R2.64], R1",
                        .rounds = ROUNDS,
                        .event = {.space = PTX_SPACE_GLOBAL,
                                  .lanes = 32,
                                  .bytes_lane = 4,
                                  .passes = 1,
                                  .lines = 1,
                                  .sectors = 4,
                                  .stream_n = 1,
                                  .l2_sectors = 4,
                                  .misses = 1},
                        .c = {.dram_read = 1000000000}};
        answer a = ask(&store);
        SAME(devices[d], "stores", a.us, p->kernel_us + 1e6 / (p->dram_gbs * p->dram_efficiency));
        SAME(devices[d], "stores, DRAM without end", a.without[SIM_COST_DRAM],
             first + (l1 + ROUNDS * 4 * sector + 0.7 * p->lat_l2) * us);
        store.c.dram_read = 0;
        for (unsigned small = 0; small < 2; small++) { /* an L2 it is, be it of a byte */
            store.l2_bytes = small;
            a = ask(&store);
            SAME(devices[d], "stores, L2 without end", a.without[SIM_COST_L2_RATE],
                 first + (l1 + ROUNDS * 2 + 0.7 * p->lat_l2) * us); /* to send a line */
        }
        /* a word of each of four sectors, two lines: a sector in part takes as long as a line */
        launch shared = {.profile = devices[d],
                         .body = "STS [R1], R2",
                         .rounds = ROUNDS,
                         .event = {SHARED, .lanes = 32, .passes = 5},
                         .c = {.shared_st_conflicts = 4, .shared_st_wavefronts = 5}};
        a = ask(&shared);
        SAME(devices[d], "conflicts", a.us,
             first + (queued(p, ROUNDS, 5) + 4 + p->lat_shared) * us);
        SAME(devices[d], "no conflicts", a.without[SIM_COST_BANKS],
             first + (queued(p, ROUNDS, 1) + p->lat_shared) * us);
        SAME(devices[d], "passes without end", a.without[SIM_COST_LSU],
             first + (queued(p, ROUNDS, 1) + p->lat_shared) * us);
        static const struct {
            uint8_t lanes, bytes, passes, least;
        } wide[] = {{32, 8, 3, 2}, {32, 8, 2, 2}, {32, 16, 5, 4},
                    {9, 16, 3, 2}, {8, 16, 3, 1}, {9, 4, 2, 1}};
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
            shared.event.lanes = wide[k].lanes, shared.event.bytes_lane = wide[k].bytes;
            shared.event.passes = wide[k].passes;
            SAME(devices[d], "passes that the bytes take", ask(&shared).without[SIM_COST_BANKS],
                 first +
                     (queued(p, ROUNDS, wide[k].least) + wide[k].least - 1 + p->lat_shared) * us);
        }
        shared.event.passes = 5,
        shared.c.shared_st_conflicts = 0; /* only the machine code has them */
        SAME(devices[d], "conflicts of wide accesses", ask(&shared).without[SIM_COST_BANKS],
             first + (queued(p, ROUNDS, 1) + p->lat_shared) * us);
        launch lines = {.profile = devices[d],
                        .body = "STG.E desc[UR4][R2.64], R1",
                        .rounds = ROUNDS,
                        .warps = 4,
                        .event = {.space = PTX_SPACE_GLOBAL,
                                  .lanes = 32,
                                  .bytes_lane = 4,
                                  .passes = 8,
                                  .lines = 16,
                                  .sectors = 16}};
        /* of three registers two are in one bank, which gives one a cycle */
        double reads = 2 * CHAIN / p->register_reads - p->register_ahead;
        SAME(devices[d], "L1 without end", ask(&lines).without[SIM_COST_LSU],
             first + (3 * p->warp_launch_cycles + reads + 0.25 - 1 + p->lat_l1) * us);
        lines.body = "LDGSTS.E [R1], desc[UR4][R2.64]"; /* only its registers are waited for */
        SAME(devices[d], "copies without end", ask(&lines).without[SIM_COST_LSU],
             first + (3 * p->warp_launch_cycles + reads + 2 / p->register_reads + 1) * us);
        launch local = {.profile = devices[d],
                        .body = "STL [R1], R2",
                        .rounds = ROUNDS,
                        .event = {.space = PTX_SPACE_LOCAL,
                                  .lanes = 32,
                                  .bytes_lane = 4,
                                  .passes = 1,
                                  .lines = 1,
                                  .sectors = 4,
                                  .stream_n = 1,
                                  .l2_sectors = 4,
                                  .parts = 4},
                        .c = {.local_st_sectors = 4 * ROUNDS}};
        SAME(devices[d], "no local memory", ask(&local).without[SIM_COST_LOCAL],
             first + (ROUNDS + 1) * us);
    }
}

/* ---- as one that never had it ---- */

/* Without a cost a launch takes what the same takes whose addresses never had it. */
static void never_had(void) {
    static const struct {
        const char *body;
        sim_cost cost;
        sim_trace_event with, without;
        sim_counters c, c_without;
    } rows[] = {
#define LOAD  "LDG.E.64 R2, desc[UR4][R2.64] | w0 b0"
#define STORE "STG.E desc[UR4][R2.64], R1"
#define LANES .space = PTX_SPACE_GLOBAL, .lanes = 32, .bytes_lane = 4
        {LOAD,
         SIM_COST_L1,
         {LANES, .passes = 1, .lines = 2, .sectors = 8, .stream_n = 2, .l2_sectors = 8,
          .misses = 5},
         {LANES, .passes = 1, .lines = 2, .sectors = 8, .l1_hits = 8},
         {.dram_read = 64 * 1500},
         {.dram_read = 0}},
        {LOAD,
         SIM_COST_L2,
         {LANES, .passes = 1, .lines = 2, .sectors = 8, .stream_n = 2, .l2_sectors = 8,
          .misses = 5},
         {LANES, .passes = 1, .lines = 2, .sectors = 8, .stream_n = 2, .l2_sectors = 8},
         {.dram_read = 64 * 1500},
         {.dram_read = 0}},
        /* 128 bytes in four sectors of a line; in each of 32 they bring 64 with them */
        {LOAD,
         SIM_COST_SECTORS,
         {LANES, .passes = 32, .lines = 32, .sectors = 32, .stream_n = 32, .l2_sectors = 32,
          .misses = 16},
         {LANES, .passes = 1, .lines = 1, .sectors = 4, .stream_n = 1, .l2_sectors = 4,
          .misses = 2},
         {.gld_sectors = 32 * ROUNDS, .dram_read = 64 * 16 * ROUNDS},
         {.dram_read = 64 * 2 * ROUNDS}},
        /* what is stored: of what was asked for no more than the bytes; what L2 gets of it, too */
        {STORE,
         SIM_COST_SECTORS,
         {LANES, .passes = 1, .lines = 20, .sectors = 20, .stream_n = 20, .l2_sectors = 20,
          .parts = 20},
         {LANES, .passes = 1, .lines = 1, .sectors = 4, .stream_n = 1, .l2_sectors = 4, .parts = 1},
         {.gst_sectors = 20 * ROUNDS, .gst_bytes = 128 * ROUNDS},
         {.gst_sectors = 4 * ROUNDS}},
        {STORE,
         SIM_COST_SECTORS,
         {LANES, .passes = 1, .lines = 20, .sectors = 20, .stream_n = 2, .l2_sectors = 3,
          .parts = 1},
         {LANES, .passes = 1, .lines = 1, .sectors = 4, .stream_n = 1, .l2_sectors = 3, .parts = 1},
         {.gst_sectors = 20 * ROUNDS, .gst_bytes = 128 * ROUNDS},
         {.gst_sectors = 4 * ROUNDS}},
        /* no more was sent than the bytes need: L1 had the rest */
        {LOAD,
         SIM_COST_SECTORS,
         {LANES, .passes = 32, .lines = 32, .sectors = 32, .l1_hits = 29, .stream_n = 3,
          .l2_sectors = 3, .misses = 1},
         {LANES, .passes = 1, .lines = 1, .sectors = 4, .l1_hits = 29, .stream_n = 1,
          .l2_sectors = 3, .misses = 1},
         {.gld_sectors = 32 * ROUNDS, .dram_read = 64 * ROUNDS},
         {.dram_read = 64 * ROUNDS}},
        /* five lanes of eight bytes: two sectors */
        {LOAD,
         SIM_COST_SECTORS,
         {.space = PTX_SPACE_GLOBAL,
          .lanes = 5,
          .bytes_lane = 8,
          .passes = 5,
          .lines = 5,
          .sectors = 5,
          .l1_hits = 5},
         {.space = PTX_SPACE_GLOBAL,
          .lanes = 5,
          .bytes_lane = 8,
          .passes = 1,
          .lines = 1,
          .sectors = 2,
          .l1_hits = 5},
         {.gld_sectors = 5 * ROUNDS},
         {.gld_sectors = 2 * ROUNDS}},
    };
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            launch y = {.profile = devices[d],
                        .body = rows[k].body,
                        .rounds = ROUNDS,
                        .event = rows[k].with,
                        .c = rows[k].c};
            answer with = ask(&y);
            y.event = rows[k].without, y.c = rows[k].c_without;
            answer without = ask(&y);
            char name[60];
            snprintf(name, sizeof name, "row %zu, %s", k, sim_cost_at(rows[k].cost)->name);
            SAME(devices[d], name, with.without[rows[k].cost], without.us);
            CHECK(with.us > without.us);
        }
    /* misses are device memory's: who has them elsewhere pays nothing for them */
    launch shared = {.profile = "h200",
                     .body = "LDS R1, [R1] | w0 b0",
                     .rounds = ROUNDS,
                     .event = {SHARED, .lanes = 32, .passes = 1, .misses = 5}};
    CHECK(!ask(&shared).whole[SIM_COST_L2].line_count);
    shared.body = LOAD, shared.event.space = PTX_SPACE_GLOBAL;
    CHECK(ask(&shared).whole[SIM_COST_L2].line_count == 1);
}

/* A load that L1 has all lines of pays for its passes as any other, and has fewer, or none, when
 * they are taken away. */
static void passes_in_l1(void) {
    launch few = {.profile = "h200",
                  .body = "LDG.E R1, desc[UR4][R2.64] | w0 b0",
                  .rounds = ROUNDS,
                  .event = {GLOBAL, .lanes = 32, .bytes_lane = 4}};
    few.event.lines = few.event.passes = 1, few.event.sectors = few.event.l1_hits = 4;
    launch many = few;
    few.event.had = 1;
    many.event.lines = many.event.sectors = many.event.l1_hits = 32;
    many.event.passes = many.event.had = 32;
    answer a = ask(&many), b = ask(&few);
    CHECK(a.us > b.us);
    SAME("h200", "coalesced", a.without[SIM_COST_SECTORS], b.us);
    SAME("h200", "without the unit's time", a.without[SIM_COST_LSU], b.without[SIM_COST_LSU]);
}

/* ---- atomics ---- */

/* Additions of floats from all multiprocessors, three lanes on one address: in one slice they wait
 * for each other, 2.4 times as long as those of integers by what is more than a slice's 96th;
 * spread, each takes that, and the lanes are apart. */
static void atomics(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, first = p->kernel_us + p->warp_start_cycles * us,
               slice = p->sms * p->atom_global_ns * p->clock_ghz,
               sends = (1 + 0.15 * 2) * p->atom_sm_cycles; /* three words */
        launch y = {.profile = devices[d],
                    .body = "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R1",
                    .rounds = ROUNDS,
                    .grid = p->sms,
                    .event = {GLOBAL, .lanes = 3, .bytes_lane = 4, .stream_n = 1, .l2_sectors = 1}};
        y.event.passes = 3;
        static const struct {
            uint64_t one, others; /* operations of a slice, and of each of the 95 others */
            bool asked;
        } rows[] = {{1000, 0, true}, {3, 0, true},    {2, 0, false},    {23, 10, true},
                    {22, 10, false}, {10, 10, false}, {5000, 100, true}};
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            for (unsigned s = 0; s < SIM_L2_SLICES; s++)
                y.slice_ops[s] = s == 7 ? rows[k].one : rows[k].others;
            double part = (double)rows[k].one / (double)(rows[k].one + 95 * rows[k].others),
                   with = 3 * larger(slice / 96 + 2.4 * slice * (part - 1.0 / 96), sends),
                   even = larger(slice / 96, sends);
            if (!rows[k].asked) even = with;
            answer a = ask(&y);
            SAME(devices[d], "atomics", a.us, first + (1 + CHAIN * with + p->lat_atom_global) * us);
            SAME(devices[d], "atomics apart", a.without[SIM_COST_ATOMICS],
                 first + (1 + CHAIN * even + p->lat_atom_global) * us);
        }
        /* asked too where lanes of a warp met; in shared memory each then takes the least */
        launch shared = {.profile = devices[d],
                         .body = "ATOMS.ADD RZ, [R1], R2",
                         .rounds = ROUNDS,
                         .event = {SHARED, .lanes = 32, .passes = 8}};
        double least = 1.25 * p->atom_shared_cycles;
        for (unsigned met = 0; met < 4; met++) {
            shared.c = (sim_counters){.atom_shared_requests = 5,
                                      .atom_shared_serialised = 5 + (met & 1),
                                      .atom_global_requests = 3,
                                      .atom_global_serialised = 3 + (met >> 1)};
            answer a = ask(&shared);
            SAME(devices[d], "lanes on one word", a.us,
                 first + (8 * CHAIN + 7 + p->lat_atom_shared) * us);
            SAME(devices[d], "lanes apart", a.without[SIM_COST_ATOMICS],
                 met ? first + (least * CHAIN + least - 1 + p->lat_atom_shared) * us : a.us);
        }
        /* and where threads waited for one word: nobody waits any more */
        launch swaps = {
            .profile = devices[d], .body = "MEMBAR.ALL.CTA", .rounds = 2, .swaps = 100000};
        answer a = ask(&swaps);
        double alone = first + (2 * 7.5 + 1) * us;
        SAME(devices[d], "swaps", a.us, p->kernel_us + 1.7e5 * p->lat_atom_global * us);
        SAME(devices[d], "no swaps", a.without[SIM_COST_ATOMICS], alone);
        swaps.swaps = 1, swaps.attempts = 1e7;
        SAME(devices[d], "no attempts", ask(&swaps).without[SIM_COST_ATOMICS], alone);
    }
}

/* ---- instructions ---- */

/* What is dearer than an addition becomes one: a slot, a pipe of FP32's rate, its latency and its
 * stall count. Each writes the register of the one before, and waits for it. Cheap is what has one
 * slot, two cycles of a pipe and twice an addition's latency at most. */
static void arithmetic(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, first = p->kernel_us + p->warp_start_cycles * us;
        static const struct {
            const char *body;
            double dear; /* its stall count then; below 1: an addition's latency; 0: is cheap */
        } rows[] = {
            {"IMAD.HI R1, R1, R2, RZ | s5", 4},
            {"IMAD.HI R1, R2, R3, RZ", 1},
            {"POPC R1, R1 | w0 b0", 0.5},
            {"MUFU.SIN R1, R1 | w0 b0", 0.5},
            {"DADD R2, R2, R4 | w0 b0", 0.5}, /* keeps the port for 0.3 cycles more */
            {"HFMA2 R1, R1, R2, R3 | s4", 0},
            {"FMNMX R1, R1, R2, PT | s4", 0},
            {"MEMBAR.ALL.CTA", 0},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            answer a =
                ask(&(launch){.profile = devices[d], .body = rows[k].body, .rounds = ROUNDS});
            SAME(devices[d], rows[k].body, a.without[SIM_COST_MATH],
                 rows[k].dear <= 0  ? a.us
                 : rows[k].dear < 1 ? first + (CHAIN * p->lat_alu + 2) * us
                                    : first + (ROUNDS * rows[k].dear + 1) * us);
        }
        /* and none of the device's units for it holds the launch up */
        sim_counters units[] = {
            {.inst_sfu = 4000000000}, {.inst_fp64 = 9000000000}, {.inst_fp32 = 90000000000}};
        for (unsigned k = 0; k < 3; k++) {
            launch y = {.profile = devices[d],
                        .body = "POPC R1, R1 | w0 b0",
                        .rounds = ROUNDS,
                        .c = units[k]};
            answer a = ask(&y);
            double cycles = k == 0   ? 4e9 / 32 / p->rate_sfu
                            : k == 1 ? 9e9 / 32 / p->rate_fp64
                                     : 9e10 / 32 / p->rate_fp32;
            SAME(devices[d], "units", a.us, cycles * us);
            SAME(devices[d], "units, expensive arithmetic", a.without[SIM_COST_MATH],
                 k == 2 ? cycles * us : first + (CHAIN * p->lat_alu + 2) * us);
            /* nothing is left to issue but the end */
            SAME(devices[d], "units, instructions", a.without[SIM_COST_INSTRUCTIONS], first + us);
        }
    }
}

/* ---- what stays ---- */

/* A cost that is taken away takes no other with it, and what was not written down has none. */
static void stays(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, first = p->kernel_us + p->warp_start_cycles * us,
               constant = p->const_serial_cycles - 1 + p->lat_const;
        const sim_counters conflicts = {.shared_st_conflicts = 4, .shared_st_wavefronts = 5};
        /* the atomic had no lanes on */
        launch second = {.profile = devices[d],
                         .body = "ATOMS.ADD RZ, [R3], R4\nSTS [R1], R2",
                         .rounds = ROUNDS,
                         .event = {SHARED, .pc_low = 1, .lanes = 32, .passes = 5},
                         .c = conflicts};
        answer a = ask(&second);
        SAME(devices[d], "the second one's conflicts", a.without[SIM_COST_BANKS],
             first + (1 + queued(p, ROUNDS, 2) + p->lat_shared) * us);
        CHECK_INT(a.whole[SIM_COST_BANKS].line_count, 1);
        CHECK_INT(a.whole[SIM_COST_BANKS].line[0], 1);
        /* words of constant memory and lanes on one word of an atomic are none */
        second.body = "LDC R1, c[0x3][R1] | w0 b0";
        second.event = (sim_trace_event){
            .space = PTX_SPACE_CONST, .lanes = 32, .bytes_lane = 4, .passes = 5, .lines = 1};
        a = ask(&second);
        SAME(devices[d], "constants have no banks", a.without[SIM_COST_BANKS], a.us);
        second.body = "ATOMS.ADD RZ, [R3], R4";
        second.event = (sim_trace_event){SHARED, .lanes = 32, .passes = 5};
        a = ask(&second);
        SAME(devices[d], "nor have atomics", a.without[SIM_COST_BANKS], a.us);
        /* a barrier, which one warp alone waits for too: a slot is left of it */
        launch barrier = {.profile = devices[d],
                          .body = "BAR.SYNC.DEFER_BLOCKING 0x0\nMEMBAR.ALL.CTA",
                          .rounds = ROUNDS,
                          .event = {.bytes_lane = 1},
                          .c = {.barriers = 1}};
        a = ask(&barrier);
        SAME(devices[d], "a barrier and a fence", a.us,
             first + (ROUNDS * (p->barrier_per_warp + p->barrier_base + 7.5) + 1) * us);
        SAME(devices[d], "the fence", a.without[SIM_COST_BARRIERS],
             first + (ROUNDS * (1 + 7.5) + 1) * us);
        CHECK_INT(a.whole[SIM_COST_BARRIERS].line_count, 1);
        CHECK_INT(a.whole[SIM_COST_BARRIERS].line[0], 0);
        barrier.body = "BAR.SYNC.DEFER_BLOCKING 0x0\nLDC R1, c[0x3][R1] | w0 b0";
        SAME(devices[d], "the constant", ask(&barrier).without[SIM_COST_BARRIERS],
             first + (1 + CHAIN * constant + 2) * us);
        barrier.c.barriers = 0; /* none was counted */
        a = ask(&barrier);
        SAME(devices[d], "no barriers", a.without[SIM_COST_BARRIERS], a.us);
        /* who pays for arithmetic: what is dear; for instructions: what has a slot or a result of
         * its own */
        a = ask(&(launch){.profile = devices[d],
                          .body = "FADD R1, R1, R2 | s4\nPOPC R3, R3 | w0 b0",
                          .rounds = ROUNDS});
        CHECK_INT(a.whole[SIM_COST_MATH].line_count, 1);
        CHECK_INT(a.whole[SIM_COST_MATH].line[0], 1);
        CHECK_INT(a.whole[SIM_COST_LATENCY].line[0], 1);
        a = ask(&(launch){.profile = devices[d],
                          .body = "MEMBAR.ALL.CTA\nFADD R1, R1, R2 | s4",
                          .rounds = ROUNDS});
        CHECK_INT(a.whole[SIM_COST_INSTRUCTIONS].line_count, 1);
        CHECK_INT(a.whole[SIM_COST_INSTRUCTIONS].line[0], 1);
    }
}

/* Who pays: of ten rounds, nine of the first line's cost so much, the last one otherwise; each of
 * the second's. */
static void sums(void) {
#define OF(space_, ...)                                                                            \
    { .space = PTX_SPACE_##space_, .lanes = 32, .bytes_lane = 4, __VA_ARGS__ }
    static const char load[] = "LDG.E R1, desc[UR4][R2.64]\nLDG.E R4, desc[UR4][R6.64]",
                      shared[] = "STS [R1], R2\nSTS [R3], R2",
                      red[] = "ATOMS.ADD RZ, [R1], R2\nATOMS.ADD RZ, [R3], R2",
                      local[] = "STL [R1], R2\nSTL [R3], R2";
    static const struct {
        const char *body;
        sim_cost cost;
        sim_trace_event event, last, second;
        double first, other; /* what they pay in all */
    } rows[] = {
        {load, SIM_COST_SECTORS, OF(GLOBAL, .passes = 1, .sectors = 9),
         OF(GLOBAL, .passes = 1, .sectors = 4), OF(GLOBAL, .passes = 1, .sectors = 5), 45, 10},
        {load, SIM_COST_L1, OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 1, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 2, .stream_n = 1), 55, 20},
        {load, SIM_COST_L2, OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 6, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 1, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 2, .stream_n = 1), 55, 20},
        {load, SIM_COST_DRAM, OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 6, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 1, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .misses = 2, .stream_n = 1), 55, 20},
        {load, SIM_COST_L2_RATE, OF(GLOBAL, .sectors = 9, .l2_sectors = 6, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 1, .stream_n = 1),
         OF(GLOBAL, .sectors = 9, .l2_sectors = 2, .stream_n = 1), 55, 20},
        {shared, SIM_COST_BANKS, OF(SHARED, .passes = 9), OF(SHARED, .passes = 1),
         OF(SHARED, .passes = 2), 72, 10},
        {shared, SIM_COST_LSU, OF(SHARED, .passes = 9), OF(SHARED, .passes = 1),
         OF(SHARED, .passes = 2), 82, 20},
        {load, SIM_COST_LSU, OF(GLOBAL, .passes = 2, .lines = 8, .sectors = 8, .l1_hits = 8),
         OF(GLOBAL, .passes = 1, .lines = 1, .sectors = 8, .l1_hits = 8),
         OF(GLOBAL, .passes = 1, .lines = 2, .sectors = 8, .l1_hits = 8), 37.25, 15},
        {red, SIM_COST_ATOMICS, OF(SHARED, .passes = 9), OF(SHARED, .passes = 1),
         OF(SHARED, .passes = 2), 82, 20},
        {local, SIM_COST_LOCAL, OF(LOCAL, .passes = 1, .sectors = 9, .lines = 3),
         OF(LOCAL, .passes = 1, .sectors = 4, .lines = 1),
         OF(LOCAL, .passes = 1, .sectors = 5, .lines = 2), 85, 50},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        launch y = {.profile = "h200",
                    .body = rows[k].body,
                    .rounds = 10,
                    .event = rows[k].event,
                    .last = rows[k].last,
                    .second = rows[k].second,
                    .c = {.shared_st_conflicts = 4,
                          .shared_st_wavefronts = 5,
                          .atom_shared_requests = 5,
                          .atom_shared_serialised = 9,
                          .local_st_sectors = 100}};
        y.second.pc_low = 1;
        answer a = ask(&y);
        const sim_what_if *x = &a.whole[rows[k].cost];
        const char *name = sim_cost_at(rows[k].cost)->name;
        CHECK_INT(x->line_count, 2);
        CHECK_INT(x->line[0], 0);
        CHECK_INT(x->line[1], 1);
        double all = rows[k].first + rows[k].other;
        SAME("who pays", name, (double)x->part[0], (double)(float)(rows[k].first / all));
        SAME("who pays", name, (double)x->part[1], (double)(float)(rows[k].other / all));
    }
}

/* ---- divergence ---- */

/* With a part f of the lanes on, packed lanes make f of the warps go: of a warp's rounds, so many
 * whole ones; the last, whose warp ends behind it, stays. What it does in memory is then of more
 * lanes. */
static void divergence(void) {
    static const struct {
        float f;
        unsigned left; /* of 300 rounds; 300: not asked */
    } parts[] = {{0.5f, 149 + 1}, {0.25f, 74 + 1}, {0.75f, 224 + 1},
                 {1, 300},        {0, 300},        {1.5f, 300}};
    static const struct {
        const char *body;
        sim_trace_event with, packed[2]; /* for half of the lanes, a fourth */
        bool stays;
    } rows[] = {
        {"FADD R1, R1, R2 | s4", {0}, {{0}, {0}}, false},
        {"MEMBAR.ALL.CTA", {0}, {{0}, {0}}, false},
        {"BAR.SYNC.DEFER_BLOCKING 0x0", {.bytes_lane = 1}, {{0}, {0}}, true},
        {"LDGDEPBAR\nDEPBAR.LE SB0, 0x0", {0}, {{0}, {0}}, true},
        {"STG.E desc[UR4][R2.64], R1",
         {.space = PTX_SPACE_GLOBAL,
          .lanes = 8,
          .bytes_lane = 4,
          .passes = 1,
          .lines = 2,
          .sectors = 3,
          .stream_n = 2,
          .l2_sectors = 3},
         {{.space = PTX_SPACE_GLOBAL,
           .lanes = 16,
           .bytes_lane = 4,
           .passes = 1,
           .lines = 4,
           .sectors = 6,
           .stream_n = 4,
           .l2_sectors = 6},
          {.space = PTX_SPACE_GLOBAL,
           .lanes = 32,
           .bytes_lane = 4,
           .passes = 1,
           .lines = 8,
           .sectors = 12,
           .stream_n = 8,
           .l2_sectors = 12}},
         false},
        /* no more than 32 */
        {"STG.E desc[UR4][R2.64], R1",
         {.space = PTX_SPACE_GLOBAL,
          .lanes = 20,
          .bytes_lane = 16,
          .passes = 1,
          .lines = 3,
          .sectors = 5,
          .l1_hits = 5},
         {{.space = PTX_SPACE_GLOBAL,
           .lanes = 32,
           .bytes_lane = 16,
           .passes = 1,
           .lines = 5,
           .sectors = 8,
           .l1_hits = 8},
          {.space = PTX_SPACE_GLOBAL,
           .lanes = 32,
           .bytes_lane = 16,
           .passes = 1,
           .lines = 5,
           .sectors = 8,
           .l1_hits = 8}},
         false},
    };
    for (unsigned d = 0; d < 2; d++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                const float lanes[3] = {parts[k].f, 1, 1};
                launch y = {.profile = devices[d],
                            .body = rows[r].body,
                            .rounds = ROUNDS,
                            .event = rows[r].with,
                            .lanes = lanes};
                answer a = ask(&y);
                bool packs = parts[k].left < ROUNDS && !rows[r].stays;
                if (packs) y.rounds = parts[k].left;
                if (packs && rows[r].with.lanes && k < 2) y.event = rows[r].packed[k];
                if (packs && rows[r].with.lanes && k == 2)
                    continue; /* of 4/3 times as many lanes */
                y.lanes = NULL;
                answer b = ask(&y);
                char name[100];
                snprintf(name, sizeof name, "%s, %g of the lanes", rows[r].body,
                         (double)parts[k].f);
                SAME(devices[d], name, a.without[SIM_COST_DIVERGENCE],
                     b.us < a.us ? b.us : a.us); /* never longer than with it */
                SAME(devices[d], name, b.without[SIM_COST_DIVERGENCE], b.us); /* nothing is known */
                CHECK_INT(a.whole[SIM_COST_DIVERGENCE].line_count, packs);
            }
    /* full warps take a branch one way: half as many, and none goes back for other lanes */
    static const float halves[] = {0.5f, 0.5f, 0.5f, 1};
    launch parted = {.profile = "h200",
                     .body = "@P1 BRA `(.L_x_0)\nMUFU.SIN R1, R1\n.L_x_0:\nFADD R1, R1, R2 | s4",
                     .rounds = ROUNDS,
                     .event = {.bytes_lane = 1, .passes = 1},
                     .lanes = halves};
    answer both = ask(&parted);
    parted.rounds = parts[0].left, parted.event.bytes_lane = 0, parted.lanes = NULL;
    SAME("h200", "a branch both ways", both.without[SIM_COST_DIVERGENCE], ask(&parted).us);
    /* all lanes were on in fact: not asked */
    static const float half[] = {0.5f, 0.5f, 1};
    launch y = {.profile = "h200",
                .body = "FADD R1, R1, R2 | s4\nFADD R1, R1, R3 | s4",
                .rounds = ROUNDS,
                .lanes = half,
                .c = {.warp_inst = 2 * ROUNDS + 1, .thread_inst = 32 * (2 * ROUNDS + 1)}};
    answer a = ask(&y);
    SAME("h200", "full warps", a.without[SIM_COST_DIVERGENCE], a.us);
    y.c.thread_inst--;
    a = ask(&y);
    CHECK(a.without[SIM_COST_DIVERGENCE] < a.us);
    CHECK_INT(a.whole[SIM_COST_DIVERGENCE].line_count, 2); /* both of them, alike */
    SAME("h200", "who pays", (double)a.whole[SIM_COST_DIVERGENCE].part[0], 0.5);
    SAME("h200", "who pays", (double)a.whole[SIM_COST_DIVERGENCE].part[1], 0.5);
}

/* ---- nothing was replayed ---- */

/* The counters alone say how long it took, and what is left of that; each resource at its own
 * pace. */
static void counters(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        double us = 1e-3 / p->clock_ghz, pass = p->bank_lanes * 4 / p->shared_bytes_cycle,
               fixed = p->kernel_us, waits = p->lat_dram * us,
               gb = p->dram_gbs * p->dram_efficiency * 1e3;
        enum { M = 1000000 };
        const struct {
            sim_cost cost;
            sim_counters c;
            double before, after;
        } rows[] = {
            {SIM_COST_BANKS,
             {.shared_ld_wavefronts = 30 * M,
              .shared_ld_conflicts = 10 * M,
              .shared_st_wavefronts = 20 * M,
              .shared_st_conflicts = 5 * M},
             fixed + 50 * M * pass * us,
             fixed + 35 * M * pass * us},
            {SIM_COST_BANKS,
             {.shared_ld_wavefronts = 30 * M, .shared_ld_conflicts = 10 * M},
             fixed + 30 * M * pass * us,
             fixed + 20 * M * pass * us},
            {SIM_COST_LATENCY,
             {.warp_inst = 4},
             fixed + waits,
             fixed + 1e-3 * p->block_dispatch_ns},
            {SIM_COST_LSU,
             {.gld_requests = 9 * M, .warp_inst = 4 * M},
             fixed + 9 * M / p->rate_ldst * us,
             fixed + M * us},
            {SIM_COST_LAUNCH, {.warp_inst = 4 * M}, fixed + M * us, M * us},
            {SIM_COST_INSTRUCTIONS,
             {.inst_fp32 = 320ull * M, .warp_inst = 4 * M},
             10 * M / p->rate_fp32 * us,
             fixed + M * us},
            {SIM_COST_LOCAL,
             {.local_ld_sectors = 5,
              .local_st_sectors = 300,
              .gst_sectors = 100,
              .dram_write = 400 * M,
              .dram_read = 7 * M},
             fixed + 407 * M / gb,
             fixed + 107 * M / gb},
            {SIM_COST_MATH,
             {.inst_sfu = 320ull * M},
             10 * M / p->rate_sfu * us,
             10 * M / p->rate_sfu * us},
        };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            answer a = ask(&(launch){.profile = devices[d],
                                     .body = "MEMBAR.ALL.CTA",
                                     .rounds = 1,
                                     .c = rows[k].c,
                                     .nothing_replayed = true});
            const char *name = sim_cost_at(rows[k].cost)->name;
            SAME(devices[d], name, a.us, larger(rows[k].before, fixed + waits));
            SAME(devices[d], name, a.without[rows[k].cost],
                 rows[k].cost == SIM_COST_LATENCY || rows[k].cost == SIM_COST_LAUNCH
                     ? rows[k].after
                     : larger(rows[k].after, fixed + waits));
        }
    }
}

/* ---- lines of machine code ---- */

/* What ptxas makes of a division is one sequence, whatever it puts between; an addition is none.
 * Source lines are those of the outermost frame. */
static void places(void) {
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(){\n.reg .b32 %r<9>;\n"
                               "div.u32 %r1,%r2,%r3;\nadd.u32 %r4,%r5,%r6;\nret;\n}\n";
    sass_module *m = written_code("//## File \"a.cu\", line 3 inlined at \"b.cu\", line 9\n"
                                  "//## File \"b.cu\", line 9\n"
                                  "//## File \".nv_debug_ptx_txt\", line 6\n"
                                  "I2F.U32.RP R1, R2\n"
                                  "//## File \"b.cu\", line 11\n"
                                  "//## File \".nv_debug_ptx_txt\", line 7\n"
                                  "IADD3 R4, R5, R6, RZ\n"
                                  "//## File \".nv_debug_ptx_txt\", line 6\n"
                                  "MUFU.RCP R1, R1\n"
                                  "IMAD.HI.U32 R1, R1, R2, RZ\n"
                                  "//## File \".nv_debug_ptx_txt\", line 8");
    lib_message msg = {0};
    ptx_module *x = ptx_parse(text, strlen(text), &msg);
    if (!CHECK(x && m->func_count == 1 && m->funcs[0].insn_count == 5)) exit(1);
    const sass_func *f = &m->funcs[0];
    const time_text both = {.ptx = x, .machine = m, .func = f};
    static const unsigned by_ptx[] = {6, 7, 6, 6},
                          parts[] = {TIME_SEQUENCE_FIRST, TIME_SEQUENCE_NONE, TIME_SEQUENCE_REST,
                                     TIME_SEQUENCE_REST, TIME_SEQUENCE_NONE};
    uint8_t part[8] = {0};
    time_sequences(&both, part);
    for (unsigned k = 0; k < 5; k++) CHECK_INT(part[k], parts[k]);
    for (unsigned k = 0; k < 4; k++) CHECK_INT(f->insns[k].ptx_line, by_ptx[k]);
    static const sim_line lines[] = {
        {.file = "a.cu", .line = 3}, {.file = "b.cu", .line = 9}, {.file = "b.cu", .line = 11}};
    static const double paid[] = {6, 1, 1};
    sim_what_if out = {0};
    time_pay(&both, paid, 3, lines, 3, &out);
    CHECK_INT(out.line_count, 2);
    CHECK_INT(out.line[0], 1);
    CHECK_INT(out.line[1], 2);
    CHECK_NEAR((double)out.part[0], 0.75, 1e-6);
    ptx_free(x);
    sass_free(m);
}

int main(void) {
    places();
    latency();
    servers();
    never_had();
    passes_in_l1();
    atomics();
    arithmetic();
    stays();
    sums();
    divergence();
    counters();
    return check_done();
}
