/* Who fights for a word, and how often they try: the attempts that an H200 needed
 * (tests/truth/h200.contend.jsonl). */
#include "check.h"
#include "runner/device/sim/time/swaps.h"

static int within(double x, double want, double off) {
    return x > want * (1 - off) && x < want * (1 + off);
}

int main(void) {
    /* each thread once */
    CHECK(within(sim_swaps_tries(32, 32), 528, 0.1));
    CHECK(within(sim_swaps_tries(256, 256), 32896, 0.1));
    CHECK(within(sim_swaps_tries(1024, 1024), 411859, 0.1));
    CHECK(within(sim_swaps_tries(4224, 4224), 4747559, 0.1));
    CHECK(within(sim_swaps_tries(33792, 33792), 159582716, 0.1));
    CHECK(within(sim_swaps_tries(67584, 67584), 574404751, 0.15));

    /* 2 warps of 32 lanes, 3 turns each; another word changes less often */
    static int word, other;
    sim_swaps s = {0};
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned turn = 0; turn < 3; turn++)
            for (unsigned lane = 0; lane < 32; lane++) sim_swaps_note(&s, &word, false, warp, lane);
    sim_swaps_note(&s, &other, false, 5, 0);
    CHECK_INT(s.most, 192);
    CHECK_INT(s.threads, 64);
    CHECK_INT(sim_swaps_changes(&s), 193);
    sim_swaps_free(&s);
    CHECK_INT(sim_swaps_changes(&s), 0);

    /* what an exchange gives back is a lock: nobody fights in a loop */
    for (unsigned warp = 0; warp < 8; warp++) {
        sim_swaps_note(&s, &word, false, warp, 0);
        sim_swaps_note(&s, &word, true, warp, 0);
    }
    CHECK_INT(s.most, 16);
    CHECK_INT(s.threads, 0);
    CHECK_INT(s.holders, 8);
    CHECK(sim_swaps_attempts(&s, 1e6) == 0); /* a lock is no retry loop */
    sim_swaps_note(&s, &other, false, 5, 0);
    CHECK_INT(sim_swaps_changes(&s), 1);
    sim_swaps_free(&s);

    /* the same warps in turns: they are no more threads than before */
    for (unsigned turn = 0; turn < 4; turn++)
        for (unsigned warp = 0; warp < 8; warp++) {
            sim_swaps_note(&s, &word, false, warp, 0);
            sim_swaps_note(&s, &word, true, warp, 0);
            sim_swaps_note(&s, &other, false, warp, turn % 2); /* two lanes of each */
        }
    CHECK_INT(s.most, 64);
    CHECK_INT(s.holders, 8);
    CHECK_NEAR(sim_swaps_attempts(&s, 1e6), sim_swaps_tries(32, 16), 1e-9);
    sim_swaps_free(&s);

    /* A slice has 512 bytes: four words 128 bytes apart share one, words of a sector go together.
     * 33,792 threads on 32 words, 10.0 million attempts in 1,091 us, 0.734 ns each in eight slices;
     * on 32 neighbouring words, all in one slice, 1,193 us (contend.cu, cas_add and cas_near
     * w32). */
    static unsigned words[32 * 32] __attribute__((aligned(512)));
    for (unsigned near = 0; near < 2; near++) {
        for (unsigned t = 0; t < 33792; t++)
            sim_swaps_note(&s, &words[t % 32 * (near ? 1 : 32)], false, t / 32, t % 32);
        CHECK(within(sim_swaps_attempts(&s, 270336) * 0.734e-3, near ? 1193 : 1091, 0.25));
        sim_swaps_free(&s);
    }

    /* Words of a sector that different warps change do not: 65,536 threads, a warp's lanes 56 bytes
     * apart, 136 us with the launch (teaching.cu, cas double add). */
    static double sums[1024] __attribute__((aligned(512)));
    for (unsigned t = 0; t < 65536; t++)
        sim_swaps_note(&s, &sums[t * 7 % 1024], false, t / 32, t % 32);
    CHECK(within(sim_swaps_attempts(&s, 270336) * 0.734e-3, 136.35 - 5, 0.3));
    sim_swaps_free(&s);

    /* one thread fights nobody, two fight each other */
    for (unsigned threads = 1; threads <= 3; threads++) {
        for (unsigned t = 0; t < threads; t++) sim_swaps_note(&s, &word, false, t, 0);
        CHECK_NEAR(sim_swaps_attempts(&s, 1e6), threads > 1 ? sim_swaps_tries(threads, threads) : 0,
                   1e-9);
        CHECK_NEAR(sim_swaps_attempts(&s, 2), /* no more at a time than are resident */
                   threads > 1 ? sim_swaps_tries(threads, 2) : 0, 1e-9);
        sim_swaps_free(&s);
    }
    return check_done();
}
