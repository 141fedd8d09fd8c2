/* Who fights for a word, and how often they try: the attempts that an H200 needed
 * (tests/truth/h200.contend.jsonl). */
#include "check.h"
#include "runner/sim/time/swaps.h"

static int near(double x, double want, double off) {
    return x > want * (1 - off) && x < want * (1 + off);
}

int main(void) {
    /* each thread once */
    CHECK(near(sim_swaps_tries(32, 32), 528, 0.1));
    CHECK(near(sim_swaps_tries(256, 256), 32896, 0.1));
    CHECK(near(sim_swaps_tries(1024, 1024), 411859, 0.1));
    CHECK(near(sim_swaps_tries(4224, 4224), 4747559, 0.1));
    CHECK(near(sim_swaps_tries(33792, 33792), 159582716, 0.1));
    CHECK(near(sim_swaps_tries(67584, 67584), 574404751, 0.15));

    /* 2 warps of 32 lanes, 3 turns each; another word changes less often */
    static int word, other;
    sim_swaps s = {0};
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned turn = 0; turn < 3; turn++)
            for (unsigned lane = 0; lane < 32; lane++) sim_swaps_note(&s, &word, false, warp, lane);
    sim_swaps_note(&s, &other, false, 5, 0);
    CHECK_INT(s.most, 192);
    CHECK_INT(s.threads, 64);
    sim_swaps_free(&s);

    /* what an exchange gives back is a lock: nobody fights in a loop */
    for (unsigned warp = 0; warp < 8; warp++) {
        sim_swaps_note(&s, &word, false, warp, 0);
        sim_swaps_note(&s, &word, true, warp, 0);
    }
    CHECK_INT(s.most, 16);
    CHECK_INT(s.threads, 0);
    sim_swaps_free(&s);
    return check_done();
}
