/* The replay of warps that take turns: locks, polls, schedulers and blocks that share a
 * multiprocessor, and the states that their cycles are told as. Worked out as in test_replay.c,
 * from the profile. */
#include "replay_fixture.h"

#define GLOBAL_WORD                                                                                \
    .space = PTX_SPACE_GLOBAL, .bytes_lane = 4, .lines = 1, .passes = 1, .sectors = 1,             \
    .stream_n = 1, .l2_sectors = 1

/* What the replay says of turns. A lock's, from the first attempt to the exchange that gives it
 * back: an attempt's way to L2 and back, a sum. The next one begins at once, and its attempt waits
 * behind the exchange, whose word takes the slice 11 cycles, of which one has gone by. */
static void locks(void) {
    for (unsigned d = 0; d < 2; d++)
        for (unsigned warps = 1; warps <= 2; warps++)
            for (unsigned lanes = 1; lanes <= 3; lanes += 2) {
                const sim_profile own = written_profile(devices[d]), *p = &own;
                enum { TURNS = 7 };
                sim_trace_event e = {GLOBAL_WORD, .lanes = (uint8_t)lanes};
                play y = {.profile = devices[d],
                          .body = "ATOMG.E.CAS.STRONG.GPU PT, R1, [R2], R8, R9 | w0 b0\n"
                                  "LOP3.LUT R3, R1, R7, RZ, 0x3c, !PT | b0 s4\n"
                                  "ATOMG.E.EXCH.STRONG.GPU PT, R4, desc[UR4][R2.64], R5 | w1\n",
                          .rounds = TURNS,
                          .warps = warps,
                          .event = {e, e},
                          .event_at = {0, 2},
                          .event_count = 2,
                          .role = {TIME_TAKES, TIME_GIVES},
                          .share = rates};
                time_turns t = replay_of(&y).turns;
                double turn = 1 + 1.2 * p->lat_atom_global + 4; /* the sum's stall count */
                CHECK_NEAR(t.count[0], TURNS * warps, 0);
                CHECK_NEAR(t.firsts[0], warps, 0);
                CHECK_NEAR(t.count[1] + t.firsts[1] + t.first[1] + t.later[1], 0, 0);
                CHECK_INT(t.warps, warps);
                CHECK_INT(t.lanes, lanes);
                if (warps > 1) continue; /* they are in each other's way */
                SAME(devices[d], "a lock's first turn", t.first[0], turn);
                SAME(devices[d], "a lock's later turns", t.later[0], (TURNS - 1) * (turn + 10));
                /* a second attempt is part of the turn; what is given back without any is no
                 * turn */
                y.body = "ATOMG.E.CAS.STRONG.GPU PT, R1, [R2], R8, R9 | w0 b0\n"
                         "ATOMG.E.CAS.STRONG.GPU PT, R1, [R2], R8, R9 | w0 b0\n"
                         "ATOMG.E.EXCH.STRONG.GPU PT, R4, desc[UR4][R2.64], R5 | w1 b0\n";
                y.role[1] = TIME_TAKES, y.role[2] = TIME_GIVES;
                y.event[2] = e, y.event_at[1] = 1, y.event_at[2] = 2, y.event_count = 3;
                t = replay_of(&y).turns;
                CHECK_NEAR(t.count[0], TURNS, 0);
                SAME(devices[d], "two attempts", t.first[0], 2 * (1 + 1.2 * p->lat_atom_global));
                y.body = "ATOMG.E.EXCH.STRONG.GPU PT, R4, desc[UR4][R2.64], R5 | w1\n",
                y.event_count = 1;
                y.role[0] = TIME_GIVES;
                t = replay_of(&y).turns;
                CHECK_NEAR(t.count[0] + t.count[1] + t.warps, 0, 0);
            }
}

/* A poll's, to the store that passes the word on: a load that L1 answers, its comparison, the
 * branch. */
static void polls(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        enum { TURNS = 6 };
        sim_trace_event asks = {GLOBAL_WORD, .lanes = 1}, passes = {GLOBAL_WORD, .lanes = 1};
        asks.l2_sectors = asks.stream_n = 0, asks.l1_hits = 1;
        play y = {.profile = devices[d],
                  .body = ".L_x_0:\nLDG.E.STRONG.SYS R1, desc[UR4][R2.64] | w0\n"
                          "ISETP.NE.AND P0, PT, R1, R9, PT | b0 s13\n@P0 BRA `(.L_x_0) | s5\n"
                          "STG.E.STRONG.SYS desc[UR4][R2.64], R4\n",
                  .role = {TIME_ASKS, TIME_PASSES},
                  .rounds = TURNS,
                  .event = {asks, passes},
                  .event_at = {0, 3},
                  .event_count = 2,
                  .share = rates};
        time_turns t = replay_of(&y).turns;
        /* One pass, which is what the latency was measured with; the stall counts of the comparison
         * and of the branch. */
        double turn = p->lat_l1 + 13 + 5;
        CHECK_NEAR(t.count[1], TURNS, 0);
        CHECK_NEAR(t.firsts[1], 1, 0);
        CHECK_NEAR(t.count[0] + t.firsts[0] + t.first[0] + t.later[0], 0, 0);
        CHECK_INT(t.warps, 1);
        SAME(devices[d], "a poll's first turn", t.first[1], turn);
        /* a store takes L1 for a pass from compute capability 9.0 on, so that the next poll begins
         * so much later */
        double behind = p->l1_joined_passes ? 128 / p->l1_bytes_cycle - 1 : 0;
        SAME(devices[d], "a poll's later turns", t.later[1], (TURNS - 1) * (turn + behind));
    }
}

/* What the launch takes at least, in round numbers: a request each 6 cycles at a slice of L2, 100
 * to an atomic's answer, 50 to L2's. The queue is what waits on average, times 6, beyond 100. */
static void turns_of_all(void) {
    const sim_profile p = {
        .atom_global_ns = 2, .clock_ghz = 3, .lat_atom_global = 100, .lat_l2 = 50};
    static const struct {
        const char *what;
        time_launch l;
        double active, blocks, truncated; /* of the replay */
        time_turns t;
        double want;
    } rows[] = {
        {"ten turns of 70, nobody queues", /* 3.2 wait on average */
         {.grid_blocks = 4, .swaps = 20, .holders = 4},
         4,
         1,
         1,
         {.first = {70}, .firsts = {1}, .count = {1}, .lanes = 1},
         700},
        {"a hundred of 20, 37.5 wait: 225 - 100", /* 50 (1 - 50/200) */
         {.grid_blocks = 50, .swaps = 200, .holders = 50},
         50,
         1,
         1,
         {.first = {999}, .later = {60}, .firsts = {2}, .count = {5}, .lanes = 1},
         100 * (20 + 125)},
        {"and the warp's other lanes want their answers too",
         {.grid_blocks = 50, .swaps = 200, .holders = 50},
         50,
         1,
         1,
         {.first = {999}, .later = {60}, .firsts = {2}, .count = {5}, .lanes = 2},
         100 * (20 + 250)},
        {"a fourth of the blocks is there",
         {.grid_blocks = 200, .swaps = 200, .holders = 200},
         50,
         1,
         1,
         {.first = {999}, .later = {60}, .firsts = {2}, .count = {5}, .lanes = 1},
         100 * (20 + 125)},
        {"more who wait than turns: half of these on average, 120 - 100",
         {.grid_blocks = 9, .swaps = 80, .holders = 100},
         9,
         1,
         1,
         {.first = {70}, .firsts = {1}, .count = {1}, .lanes = 1},
         40 * (70 + 20)},
        {"a word that changes and is never given back",
         {.grid_blocks = 9, .swaps = 80, .swappers = 3, .holders = 100},
         9,
         1,
         1,
         {.first = {70}, .firsts = {1}, .count = {1}, .lanes = 1},
         0},
        {"none changed",
         {.grid_blocks = 9, .holders = 100},
         9,
         1,
         1,
         {.first = {70}, .firsts = {1}, .count = {1}},
         0},
        {"none was replayed",
         {.grid_blocks = 9, .swaps = 80, .holders = 100},
         9,
         1,
         1,
         {.lanes = 1},
         0},
        {"120 polls of 10 and half a way, 26.25 wait: 157.5 - 100", /* 6 x 2 / 3 blocks, of 30 */
         {.grid_blocks = 30},
         30,
         3,
         2,
         {.first = {0, 999}, .later = {0, 40}, .firsts = {0, 2}, .count = {0, 6}, .warps = 3},
         120 * (10 + 25 + 57.5)},
        {"ten of 30 blocks: nobody queues",
         {.grid_blocks = 30},
         10,
         3,
         2,
         {.first = {0, 999}, .later = {0, 40}, .firsts = {0, 2}, .count = {0, 6}, .warps = 3},
         120 * (10 + 25)},
        {"first turns alone",
         {.grid_blocks = 30},
         10,
         3,
         2,
         {.first = {0, 72}, .firsts = {0, 6}, .count = {0, 6}, .warps = 3},
         120 * (12 + 25)},
        {"no block was replayed",
         {.grid_blocks = 30},
         10,
         0,
         2,
         {.first = {0, 72}, .firsts = {0, 6}, .count = {0, 6}},
         0},
        {"both: what takes longer, polls",
         {.grid_blocks = 30, .swaps = 20, .holders = 4},
         10,
         3,
         2,
         {.first = {70, 72}, .firsts = {1, 6}, .count = {1, 6}, .warps = 3, .lanes = 1},
         120 * (12 + 25)},
        {"both: what takes longer, locks",
         {.grid_blocks = 3, .swaps = 200, .holders = 4},
         10,
         3,
         1,
         {.first = {70, 72}, .firsts = {1, 6}, .count = {1, 6}, .warps = 3, .lanes = 1},
         100 * 70},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        time_usage u = {
            .turns = rows[k].t, .blocks = rows[k].blocks, .truncated = rows[k].truncated};
        SAME("turns", rows[k].what, time_turns_cycles(&p, &rows[k].l, &u, rows[k].active),
             rows[k].want);
    }
}

/* Each cycle of a scheduler is an issue, a wait for a warp that is there, or has no warp: blocks
 * one after another on a multiprocessor leave it without any in between. */
static void schedulers_add_up(void) {
    static const char chain[] = "FFMA R1, R1, R2, R3 | s4\nFFMA R1, R1, R2, R3 | s4\n";
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned warps = 1; warps <= 5; warps += 2)
            for (unsigned blocks = 1; blocks <= 4; blocks += 3) {
                time_usage u = replay_of(&(play){.profile = devices[d],
                                                 .body = chain,
                                                 .rounds = 30,
                                                 .warps = warps,
                                                 .blocks = blocks,
                                                 .resident = 1,
                                                 .share = rates});
                double all = u.empty;
                for (unsigned k = 0; k < SIM_STALL_COUNT; k++) all += u.idle[k];
                SAME(devices[d], "schedulers' cycles", all,
                     sim_profile_find(devices[d])->schedulers * u.cycles);
            }
}

/* While a block's warps wait, another begins beside it: its schedulers have had warps all the time,
 * and are without any only before the first block and behind the last, as with one block alone. */
static void overlapping_blocks(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        play y = {.profile = devices[d],
                  .body = "LDS.64 R2, [R2] | w0 b0\n",
                  .rounds = 40,
                  .event = {{.space = PTX_SPACE_SHARED,
                             .lanes = 1,
                             .bytes_lane = 8,
                             .passes = 200,
                             .lines = 1}},
                  .event_count = 1,
                  .warps = p->schedulers,
                  .blocks = 1,
                  .resident = 2,
                  .share = rates};
        y.share.dispatch_cycles = 301;
        double alone = replay_of(&y).empty;
        y.blocks = 2;
        SAME(devices[d], "without a warp", replay_of(&y).empty, alone);
    }
}

/* Warps go to schedulers in turn; `issue` is the slots of the one that issued the most, `slots`
 * those of all. */
static void busiest_scheduler(void) {
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned warps = 1; warps <= 9; warps++) {
            const sim_profile own = written_profile(devices[d]), *p = &own;
            unsigned most = (warps + p->schedulers - 1) / p->schedulers;
            play y = {.profile = devices[d],
                      .body = "LOP3.LUT R1, R2, R3, RZ, 0x3c, !PT\n",
                      .rounds = 11,
                      .warps = warps,
                      .share = rates};
            double each = 12 * /* eleven of them and the end */ p->schedulers / p->issue_per_cycle;
            time_usage u = replay_of(&y);
            SAME(devices[d], "the busiest scheduler", u.issue, most * each);
            SAME(devices[d], "all schedulers", u.slots, warps * each);
        }
}

/* ---- states ---- */

/* One warp alone: what a round takes beyond its issue slots is one state's, by what is waited for,
 * at the instruction that waits, caused by the one that is waited for; of a full queue, at the
 * instruction behind it, caused by nobody. */
static void states(void) {
    enum { GLOBAL = PTX_SPACE_GLOBAL, SHARED = PTX_SPACE_SHARED, NONE = 99 };
    static const struct {
        const char *body;
        unsigned space, passes, lines; /* of each of its events, on the even lines; NONE: none */
        sim_stall state;
        unsigned at, cause; /* NONE: nobody */
    } rows[] = {
        {"FFMA R1, R1, R2, R3 | s4\n", NONE, 0, 0, SIM_STALL_WAIT, 0, NONE},
        {"IMAD R1, R1, R2, RZ | s4\n", NONE, 0, 0, SIM_STALL_WAIT, 0, NONE},
        {"S2R R1, SR_TID.X | w0\nLOP3.LUT R2, R1, R2, RZ, 0x3c, !PT | b0\n", NONE, 0, 0,
         SIM_STALL_SHORT_SCOREBOARD, 1, 0},
        {"LDC R1, c[0x0][0x160] | w0\nLOP3.LUT R2, R1, R3, RZ, 0x3c, !PT | b0\n", NONE, 0, 0,
         SIM_STALL_IMC_MISS, 1, 0},
        {"POPC R1, R1 | w0 b0\n", NONE, 0, 0, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"MUFU.RCP R1, R1 | w0 b0\n", NONE, 0, 0, SIM_STALL_SHORT_SCOREBOARD, 0, 0}, /* in part */
        {"SHFL.BFLY PT, R1, R1, 0x1, 0x1f | w0 b0\n", NONE, 0, 0, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"LDG.E.64 R2, desc[UR4][R2.64] | w0 b0\n", GLOBAL, 1, 1, SIM_STALL_LONG_SCOREBOARD, 0, 0},
        {"LDL.64 R2, [R2] | w0 b0\n", PTX_SPACE_LOCAL, 1, 1, SIM_STALL_LONG_SCOREBOARD, 0, 0},
        {"LD.E.64 R2, [R2.64] | w0 b0\n", SHARED, 1, 1, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"LDS.64 R2, [R2] | w0 b0\n", SHARED, 1, 1, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"ATOMG.E.ADD.64.STRONG.GPU PT, R2, desc[UR4][R2.64], R4 | w0 b0\n", GLOBAL, 1, 1,
         SIM_STALL_LONG_SCOREBOARD, 0, 0},
        {"ATOMS.ADD R1, [R1], R2 | w0 b0\n", SHARED, 1, 1, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"LDC R1, c[0x3][R1] | w0 b0\n", PTX_SPACE_CONST, 1, 1, SIM_STALL_SHORT_SCOREBOARD, 0, 0},
        {"TEX.B.LL R6, R2, R2, R6, 2D | w0 b0\n", GLOBAL, 1, 1, SIM_STALL_LONG_SCOREBOARD, 0, 0},
        {"BAR.SYNC.DEFER_BLOCKING 0x0\n", 0, 0, 0, SIM_STALL_BARRIER, 0, NONE},
        {"MEMBAR.ALL.CTA\n", NONE, 0, 0, SIM_STALL_MEMBAR, 0, NONE},
        {"MEMBAR.ALL.GPU\n", NONE, 0, 0, SIM_STALL_MEMBAR, 0, NONE},
        {"NANOSLEEP 0x64\n", 0, 0, 0, SIM_STALL_SLEEPING, 0, NONE},
        /* queues */
        {"STG.E desc[UR4][R2.64], R1\n", GLOBAL, 1, 200, SIM_STALL_LG_THROTTLE, 0, NONE},
        {"STL [R2], R1\n", PTX_SPACE_LOCAL, 1, 200, SIM_STALL_LG_THROTTLE, 0, NONE},
        {"STS [R1], R2\n", SHARED, 32, 1, SIM_STALL_MIO_THROTTLE, 0, NONE},
        {"ST.E [R2.64], R1\n", SHARED, 32, 1, SIM_STALL_MIO_THROTTLE, 0, NONE},
        {"ATOMS.ADD RZ, [R1], R2\n", SHARED, 32, 1, SIM_STALL_MIO_THROTTLE, 0, NONE},
        {"REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R1\n", GLOBAL, 1, 200, SIM_STALL_LG_THROTTLE, 0,
         NONE},
        {"LDGSTS.E [R1], desc[UR4][R2.64]\n", GLOBAL, 1, 200, SIM_STALL_LG_THROTTLE, 0, NONE},
    };
    for (unsigned d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const sim_profile own = written_profile(devices[d]), *p = &own;
            sim_trace_event e = {.space = (uint8_t)rows[k].space,
                                 .lanes = 1,
                                 .bytes_lane = 4,
                                 .passes = (uint16_t)rows[k].passes,
                                 .lines = (uint16_t)rows[k].lines,
                                 .sectors = 1,
                                 .l1_hits = 1};
            const unsigned ns = 100;
            if (rows[k].state == SIM_STALL_SLEEPING) e = (sim_trace_event){.stream_at = ns};
            play y = {.profile = devices[d],
                      .body = rows[k].body,
                      .event = {e},
                      .event_count = rows[k].space != NONE,
                      .share = rates};
            time_usage u[2];
            time_places *places[2];
            for (unsigned more = 0; more < 2; more++) {
                y.rounds = more ? 300 : 60;
                u[more] = replay_at(&y, &places[more]);
            }
            double round = (u[1].cycles - u[0].cycles) / 240, slots = 0;
            char name[120];
            for (unsigned q = 0; q < SIM_STALL_COUNT; q++) {
                double got = (u[1].stall[q] - u[0].stall[q]) / 240,
                       idle = (u[1].idle[q] - u[0].idle[q]) / 240;
                if (q == SIM_STALL_SELECTED) slots = got;
                snprintf(name, sizeof name, "%s: state %u", rows[k].body, q);
                double want = q == SIM_STALL_SELECTED ? slots
                              : q == rows[k].state    ? round - slots
                                                      : 0;
                SAME(devices[d], name, got, want);
                SAME(devices[d], name, idle, want); /* its scheduler waits with it */
            }
            CHECK(round > slots && slots > 0);
            if (rows[k].state == SIM_STALL_SLEEPING)
                SAME(devices[d], "the time asked", round, ns * p->clock_ghz);
            SAME(devices[d], "slots", slots, (u[1].slots - u[0].slots) / 240);
            SAME(devices[d], "the others have no warp", (u[1].empty - u[0].empty) / 240,
                 (p->schedulers - 1) * round);
            for (unsigned at = 0; at < lines_of(rows[k].body); at++) {
                double here = (places[1]->stall[at * SIM_STALL_COUNT + rows[k].state] -
                               places[0]->stall[at * SIM_STALL_COUNT + rows[k].state]) /
                              240,
                       caused = (places[1]->caused[at] - places[0]->caused[at]) / 240;
                snprintf(name, sizeof name, "%s: at %u", rows[k].body, at);
                SAME(devices[d], name, here, at == rows[k].at ? round - slots : 0);
                SAME(devices[d], name, caused, at == rows[k].cause ? round - slots : 0);
            }
            CHECK_INT(places[1]->first, 0);
            CHECK_INT(places[1]->end, lines_of(rows[k].body) + 1); /* and the return */
            for (unsigned more = 0; more < 2; more++) time_places_free(places[more]);
        }
}

int main(void) {
    locks();
    polls();
    turns_of_all();
    schedulers_add_up();
    overlapping_blocks();
    busiest_scheduler();
    states();
    return check_done();
}
