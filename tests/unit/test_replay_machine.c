/* Machine instructions in the replay, against what is worked out by hand from what an H200 was
 * measured to do (tests/truth/phases.cu, mix.cu and pipes.cu): who has shared memory first, how
 * long an instruction keeps the dispatch port, and ptxas's loop around an addition in shared
 * memory. And what each instruction's waits are, by the stall counts and scoreboards it has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"

enum { MOST = 1024, WARPS = 8, BLOCKS = 2 };

/* A text of `count` instructions, each of which has an event in each warp but for plain ones. */
typedef struct {
    const char *device;
    unsigned count, warps, blocks;
    time_op op[4]; /* over and over */
    sim_trace_event event[4];
    unsigned ops;
    unsigned words; /* warp w's event is at word w % words */
} text;

/* places: filled if not NULL; free with time_places_free(). */
static time_usage replay_at(const text *x, time_places **places) {
    static time_op ops[MOST];
    static uint32_t region_of[MOST];
    static sim_trace_event events[WARPS][MOST];
    sim_profile p = *sim_profile_find(x->device);
    time_region region = {.count = x->count};
    sim_trace_run run = {0, x->count};
    sim_trace_warp w[WARPS];
    sim_trace_block blocks[BLOCKS];
    p.warp_start_cycles = 0; /* lives are of what is issued alone */
    unsigned n[WARPS] = {0};
    for (uint32_t k = 0; k < x->count; k++) {
        const sim_trace_event *e = &x->event[k % x->ops];
        ops[k] = x->op[k % x->ops];
        ops[k].slots = 1;
        ops[k].stall = ops[k].stall ? ops[k].stall : 1;
        ops[k].frees = -1;
        ops[k].pc = k;
        if (ops[k].kind == TIME_PLAIN) continue;
        ops[k].flags |= TIME_EVENT;
        ops[k].event = (uint16_t)region.event_count++;
        for (unsigned v = 0; v < x->warps; v++) {
            events[v][n[v]] = *e;
            events[v][n[v]].pc_low = (uint16_t)k;
            if (e->lanes && x->words) events[v][n[v]].stream_at = 4 * (v % x->words);
            n[v]++;
        }
    }
    for (unsigned v = 0; v < x->warps; v++)
        w[v] = (sim_trace_warp){.runs = &run,
                                .events = events[v],
                                .at = {.run_count = 1, .event_count = n[v], .steps = x->count}};
    for (unsigned b = 0; b < x->blocks; b++)
        blocks[b] = (sim_trace_block){.warp_count = x->warps, .warps = w, .done = true};
    time_code code = {.profile = &p,
                      .op_count = x->count,
                      .region_count = 1,
                      .ops = ops,
                      .region_of = region_of,
                      .regions = &region,
                      .reg_max = 6,
                      .events_max = region.event_count};
    sim_trace t = {
        .blocks = blocks, .block_count = x->blocks, .first_count = x->blocks, .all = true};
    time_share share = {
        .dispatch_cycles = 0, .resident = x->blocks, .blocks = x->blocks, .budget = 1 << 20};
    time_usage u;
    if (places) *places = time_places_new(&code);
    CHECK(time_replay(&code, &t, &share, places ? *places : NULL, &u));
    return u;
}

static time_usage replay_of(const text *x) {
    return replay_at(x, NULL);
}

#define LOAD                                                                                       \
    { .kind = TIME_LOAD, .pipe = TIME_PIPE_NONE, .sets = -1 }
#define ONE                                                                                        \
    { .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 4, .passes = 1, .sectors = 4 }
#define QUARTO                                                                                     \
    { .space = PTX_SPACE_SHARED, .lanes = 32, .bytes_lane = 16, .passes = 1, .sectors = 4 }

/* Two blocks of a warp on each scheduler that only load from shared memory, a pass each: four
 * schedulers ask for more than there is. The older block has it until it is done after 4 n cycles,
 * the other one after 8 n: the lives of four warps of 4 n and of four of 8 n are 48 n. By turns all
 * would live 8 n, 64 n in all. */
static void oldest_first(void) {
    enum { N_LOADS = 800 };
    text x = {"h200", N_LOADS, 4, 2, {LOAD}, {ONE}, 1, 0};
    time_usage u = replay_of(&x);
    printf("# lives of %.1f n\n", u.warp_cycles / N_LOADS);
    CHECK_NEAR(u.warp_cycles / N_LOADS, 48, 0.5);
    CHECK_NEAR(u.cycles / N_LOADS, 8, 0.05);
}

/* A warp alone: the queue of accesses takes five loads from shared memory in 11 cycles (Huerta et
 * al., MICRO 2025, table 1); one of 16 bytes in one pass keeps the port for 1.3 cycles, and for 0.9
 * more for each of its three further registers. */
static void holds(void) {
    enum { N_OPS = 800 };
    text one = {"h200", N_OPS, 1, 1, {LOAD}, {ONE}, 1, 0},
         wide = {"h200", N_OPS, 1, 1, {LOAD}, {QUARTO}, 1, 0};
    CHECK_NEAR(replay_of(&one).cycles / N_OPS, 11.0 / 5, 0.03);
    CHECK_NEAR(replay_of(&wide).cycles / N_OPS, 1.3 + 3 * 0.9, 0.03);
}

/* LDS; FADD; ATOMS.CAST.SPIN of two warps at once. On one word the second warp's swap comes after
 * the first one's, whose sum it has not read: it goes round once more, so that three rounds are
 * made instead of two. */
static void loops_of_swaps(void) {
    double busy[2];
    for (unsigned words = 1; words <= 2; words++) {
        text x = {"h200",
                  3,
                  2,
                  1,
                  {{.kind = TIME_LOAD, .sets = 0, .frees = -1},
                   {.kind = TIME_PLAIN,
                    .pipe = TIME_PIPE_FMA,
                    .busy = 1,
                    .latency = 4,
                    .waits = 1,
                    .stall = 5,
                    .sets = -1},
                   {.kind = TIME_ATOM, .flags = TIME_RESULT, .spins = true, .sets = 1}},
                  {ONE, {0}, ONE},
                  3,
                  words};
        busy[words - 1] = replay_of(&x).shared;
    }
    printf("# one word %.2f cycles, two %.2f\n", busy[0], busy[1]);
    CHECK(busy[1] > 0);
    CHECK_NEAR(busy[0] / busy[1], 3.0 / 2, 0.01);
}

/* Eight times: a load from shared memory that sets scoreboard 0, an addition that waits for it and
 * has a stall count of 5, one with a stall count of 13. Of what a warp alone then waits each cycle
 * is at one instruction: 4 and 12 by stall count, the load's latency at the first addition, less
 * the 1.3 cycles that the load keeps the port. */
static void waits_by_instruction(void) {
    enum { ROUND = 3, N_OPS = 8 * ROUND };
    text x = {"h200",
              N_OPS,
              1,
              1,
              {{.kind = TIME_LOAD, .sets = 0},
               {.kind = TIME_PLAIN, .waits = 1, .stall = 5, .sets = -1},
               {.kind = TIME_PLAIN, .stall = 13, .sets = -1}},
              {ONE, {0}, {0}},
              ROUND,
              0};
    time_places *p = NULL;
    time_usage u = replay_at(&x, &p);
    double latency = sim_profile_find("h200")->lat_shared, all = 0;
    for (unsigned k = 0; p && k < N_OPS; k++) {
        const double *stall = p->stall + (size_t)k * SIM_STALL_COUNT;
        static const double wait[ROUND] = {0, 4, 12};
        CHECK_NEAR(p->issued[k], 1, 0);
        CHECK_NEAR(stall[SIM_STALL_WAIT], wait[k % ROUND], 1e-9);
        CHECK_NEAR(stall[SIM_STALL_SHORT_SCOREBOARD], k % ROUND == 1 ? latency - 1.3 : 0, 1e-9);
        CHECK_NEAR(stall[SIM_STALL_SELECTED], k % ROUND ? 1 : 1.3, 1e-9);
        for (unsigned s = 0; s < SIM_STALL_COUNT; s++) all += stall[s];
    }
    CHECK_NEAR(all, u.warp_cycles, 1e-6); /* and nothing else */
    time_places_free(p);
}

int main(void) {
    waits_by_instruction();
    oldest_first();
    holds();
    loops_of_swaps();
    return check_done();
}
