/* Chains of flags: how many steps lie between the first block and the last (memory/chain.h). */
#include "runner/device/sim/memory/chain.h"
#include "tests/check.h"

/* Each of so many blocks loads the flags of the `back` blocks before it and then stores its own. */
static sim_chain_place chained(unsigned blocks, unsigned back) {
    sim_chain *c = sim_chain_new();
    for (unsigned b = 0; c && b < blocks; b++) {
        sim_chain_place place = {0, 0};
        uint64_t at[32];
        unsigned n = 0;
        while (n < back && n < b) at[n] = 4096 + 8 * (uint64_t)(b - 1 - n), n++;
        sim_chain_load(c, at, n, b, &place);
        sim_chain_store(c, 4096 + 8 * (uint64_t)b, b, &place);
    }
    sim_chain_place longest = sim_chain_longest(c);
    sim_chain_free(c);
    return longest;
}

int main(void) {
    sim_chain_place one = chained(128, 1), window = chained(512, 32), none = chained(64, 0);
    CHECK(one.words == 127 && one.windows == 0);
    /* the second block has one flag before it, the third two, and so on to 32 */
    double windows = 0;
    for (unsigned b = 2; b < 512; b++) windows += 1.0 / (b < 32 ? b : 32);
    CHECK(window.words == 1 && window.windows > windows - 1e-9 && window.windows < windows + 1e-9);
    CHECK(none.words == 0 && none.windows == 0);
    return check_done();
}
