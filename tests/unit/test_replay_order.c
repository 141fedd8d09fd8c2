/* Who goes on first in the replay, and who waits for what another has asked for: warps by age,
 * instructions at a pipe that is busy, sectors that a block's warps share, L2's rates for what is
 * written and for what DRAM gives. Worked out as in test_replay.c, from the profile. */
#include "replay_fixture.h"

/* Two blocks of a warp on each scheduler, whose additions wait for nothing but their unit: the
 * older one has it until it is done, so that their lives are one and two times what one block
 * takes. By turns both would take two. */
static void by_age(void) {
    static const char *const which[] = {"h200", "a100", "t4"};
    for (unsigned d = 0; d < sizeof which / sizeof *which; d++) {
        const sim_profile *p = sim_profile_find(which[d]);
        play y = {.profile = which[d],
                  .body =
                      "LOP3.LUT R1, R9, R8, RZ, 0x3c, !PT\nLOP3.LUT R2, R9, R8, RZ, 0x3c, !PT\n"
                      "LOP3.LUT R3, R9, R8, RZ, 0x3c, !PT\nLOP3.LUT R4, R9, R8, RZ, 0x3c, !PT\n"
                      "LOP3.LUT R5, R9, R8, RZ, 0x3c, !PT\nLOP3.LUT R6, R9, R8, RZ, 0x3c, !PT\n"
                      "LOP3.LUT R7, R9, R8, RZ, 0x3c, !PT\nLOP3.LUT R10, R9, R8, RZ, 0x3c, !PT\n",
                  .rounds = 250,
                  .warps = p->schedulers,
                  .blocks = 2,
                  .resident = 2,
                  .share = rates,
                  .at_once = true};
        double busy = 2000 * p->schedulers / p->rate_int;
        time_usage u = replay_of(&y);
        char why[100];
        snprintf(why, sizeof why, "lives of %.3f blocks", u.warp_cycles / p->schedulers / busy);
        check_that(fabs(u.warp_cycles / p->schedulers / busy - 3) < 0.03, __FILE__, __LINE__,
                   which[d], why);
        CHECK_NEAR(u.cycles / busy, 2, 0.02);
    }
}

/* A warp that has its unit's queue full waits there, and another of its scheduler uses the other
 * unit meanwhile: what both take together is what the busier unit takes, whichever of them is
 * older. */
static void beside(void) {
    for (unsigned swap = 0; swap < 2; swap++) {
        const sim_profile *p = sim_profile_find("h200");
        play y = {
            .profile = "h200",
            .body = "LOP3.LUT R1, R2, R3, RZ, 0x3c, !PT\nFADD R4, R2, R3\n",
            .rounds =
                1000, /* a warp of three waits for its last result each round, two others go on */
            .warps = 3 * p->schedulers,
            .share = rates,
            .at_once = true};
        if (swap) y.body = "FADD R4, R2, R3\nLOP3.LUT R1, R2, R3, RZ, 0x3c, !PT\n";
        double alu = 3000 * p->schedulers / p->rate_int, issue = 6000;
        CHECK_NEAR(replay_of(&y).cycles / max_of(alu, issue), 1, 0.02);
    }
}

/* A word for the warp, of the sectors from `first` to `last`; sent: to L2, of that missed. */
static sim_trace_event reading(uint32_t first, uint32_t last, unsigned sent, unsigned missed) {
    return (sim_trace_event){.space = PTX_SPACE_GLOBAL,
                             .lanes = 32,
                             .bytes_lane = 4,
                             .lines = 1,
                             .passes = 1,
                             .sectors = 4,
                             .l1_hits = sent ? 0 : 4,
                             .stream_n = sent ? 1 : 0,
                             .l2_sectors = (uint16_t)sent,
                             .misses = (uint16_t)missed,
                             .ends = {first, last}};
}

/* Two warps read one line, of which the executor has the first fetch it: the second waits until it
 * is there, whether its load covers all of it or lies inside. With a line of its own, that L1 has,
 * it has the word at once. */
static void on_its_way(void) {
    static const char body[] = "LDG.E R1, desc[UR4][R2.64] | w0\nIADD3 R4, R1, R1, RZ | b0 s4\n";
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        play y = {.profile = devices[d],
                  .body = body,
                  .rounds = 1,
                  .warps = 2,
                  .event = {reading(4, 7, 4, 0)},
                  .event_count = 1,
                  .others = reading(4, 7, 0, 0),
                  .share = rates,
                  .at_once = true};
        double both = replay_of(&y).warp_cycles;
        y.others = reading(5, 6, 0, 0);
        double inside = replay_of(&y).warp_cycles;
        y.others = reading(8, 11, 0, 0);
        double alone = replay_of(&y).warp_cycles;
        char why[100];
        snprintf(why, sizeof why, "%.1f and %.1f longer, L2 takes %.1f longer than L1",
                 both - alone, inside - alone, p->lat_l2 - p->lat_l1);
        /* a word's latency to L2 varies by a tenth, and its service takes some cycles */
        check_that(fabs(both - alone - (p->lat_l2 - p->lat_l1)) < 0.1 * p->lat_l2 + 15 &&
                       fabs(inside - both) < 5,
                   __FILE__, __LINE__, devices[d], why);
        /* once fetched it is not asked for again */
        y.others = reading(4, 7, 0, 0);
        SAME(devices[d], "a line is sent for once", replay_of(&y).l2, 4 * 2);
        y.rounds = 10;
        /* what was pushed out is sent again, as often as the executor did */
        y.warps = 1;
        SAME(devices[d], "pushed out each time", replay_of(&y).l2, 10 * 4 * 2);
    }
}

/* Blocks that run side by side: what the first of them fetched for both is shared out evenly. */
static void side_by_side(void) {
    play y = {.profile = "h200",
              .body = "LDG.E R1, desc[UR4][R2.64] | w0\nIADD3 R4, R1, R1, RZ | b0 s4\n",
              .rounds = 1,
              .blocks = 2,
              .resident = 2,
              .event = {reading(4, 7, 4, 4)},
              .event_count = 1,
              .share = rates};
    SAME("h200", "both blocks'", replay_of(&y).dram, 2 * 4 * 7);
}

/* L2 takes so long for each sector that is written, and for each that DRAM gives. */
static void rates_of_l2(void) {
    for (unsigned d = 0; d < 2; d++) {
        time_share share = rates;
        share.l2_written_cycles = 40, share.l2_filled_cycles = 50;
        play y = {.profile = devices[d],
                  .body = "STG.E desc[UR4][R2.64], R1\n",
                  .rounds = 10,
                  .event = {reading(0, 0, 3, 0)},
                  .event_count = 1,
                  .share = share};
        SAME(devices[d], "written", replay_of(&y).l2, 10 * 3 * 40);
        y.body = "LDG.E R1, desc[UR4][R2.64] | w0 b0\n";
        y.event[0] = reading(0, 0, 4, 3);
        SAME(devices[d], "given by DRAM", replay_of(&y).l2, 10 * 3 * 50);
        y.event[0] = reading(0, 0, 4, 0);
        SAME(devices[d], "that L2 had", replay_of(&y).l2, 10 * 4 * 2);
    }
}

/* A store takes L1 for as many passes as its words need, from compute capability 9.0 on. */
static void passes_of_stores(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        for (unsigned passes = 1; passes <= 32; passes *= 2) {
            play y = {.profile = devices[d],
                      .body = "STG.E desc[UR4][R2.64], R1\n",
                      .rounds = 10,
                      .event = {reading(0, 0, 4, 0)},
                      .event_count = 1,
                      .share = rates};
            y.event[0].passes = (uint16_t)passes;
            double pass = 128 / p->l1_bytes_cycle;
            SAME(devices[d], "passes of a store", replay_of(&y).l1,
                 10 * (p->l1_joined_passes ? passes * pass : pass));
        }
    }
}

/* Where the launch has DRAM give less than half of what the sampled blocks missed, others have
 * asked for the line, and half of its way is left on average. */
static void asked_by_others(void) {
    for (unsigned d = 0; d < 2; d++) {
        const sim_profile own = written_profile(devices[d]), *p = &own;
        play y = {.profile = devices[d],
                  .body = "LDG.E.64 R2, desc[UR4][R2.64] | w0 b0\n",
                  .event = {reading(0, 0, 1, 1)},
                  .event_count = 1,
                  .share = rates};
        double alone = round_of(y);
        y.share.dram_alone = 0.6;
        SAME(devices[d], "more than half alone", round_of(y), alone);
        y.share.dram_alone = 0.4;
        double shared = round_of(y), want = (p->lat_dram - p->lat_l2) / 2;
        char why[100];
        snprintf(why, sizeof why, "%.1f less, half of L2's to DRAM is %.1f", alone - shared, want);
        check_that(fabs(alone - shared - want) < 0.05 * p->lat_dram, __FILE__, __LINE__, devices[d],
                   why);
    }
}

int main(void) {
    by_age();
    beside();
    on_its_way();
    side_by_side();
    rates_of_l2();
    passes_of_stores();
    asked_by_others();
    return check_done();
}
