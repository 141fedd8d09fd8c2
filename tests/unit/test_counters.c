/* Counters by name: every row is found, sums add up, ratios divide, and a denominator of 0 gives
 * 0. */
#include "check.h"
#include <stdlib.h>
#include "runner/base/words/words.h"
#include "runner/device/sim/sim.h"

int main(void) {
    sim_counters a = {0}, b = {0};
    double v = -1;
    CHECK(sim_counter_get(&a, "gld_sectors_per_request", &v));
    CHECK_NEAR(v, 0, 0);
    CHECK(!sim_counter_get(&a, "gld_sectorz", &v));
    CHECK(!sim_counter_get(&a, "", &v));
    a.gld_requests = 10;
    a.gld_sectors = 160;
    a.gld_bytes = 1280;
    a.thread_inst = 320;
    a.warp_inst = 20;
    CHECK(sim_counter_get(&a, "gld_sectors", &v));
    CHECK_NEAR(v, 160, 0);
    sim_counter_get(&a, "gld_sectors_per_request", &v);
    CHECK_NEAR(v, 16, 0);
    sim_counter_get(&a, "gld_efficiency_pct", &v);
    CHECK_NEAR(v, 25, 1e-9);
    sim_counter_get(&a, "active_lanes_avg", &v);
    CHECK_NEAR(v, 16, 0);
    sim_counter_get(&a, "shuffles_per_atomic", &v); /* nothing to share */
    CHECK_NEAR(v, 1, 0);
    a.shuffles = 3;
    a.atom_global_requests = 2;
    a.atom_global_lanes = 4;
    a.atom_shared_lanes = a.mbarrier_lanes = 1;
    sim_counter_get(&a, "shuffles_per_atomic", &v);
    CHECK_NEAR(v, 0.5, 0);
    b.gld_sectors = 5;
    b.dram_write = 7;
    sim_counters_add(&b, &a);
    CHECK_INT(b.gld_sectors, 165);
    CHECK_INT(b.dram_write, 7);
    CHECK_INT(b.gld_requests, 10);

    /* Every name of the table answers, is unique, and documented. Each counter holds a value of its
     * own. */
    uint64_t *field = (uint64_t *)&b;
    for (size_t i = 0; i < sizeof b / 8; i++) field[i] = 1000 + i;
    unsigned missing = 0, twice = 0, bare = 0, wrong = 0;
    for (size_t i = 0; i < sim_counter_count(); i++) {
        const sim_counter_info *c = sim_counter_at(i);
        missing += !sim_counter_get(&b, c->name, &v);
        wrong += !c->derived && v != (double)(1000 + i);
        bare += !lib_words_named("counter", c->name) || !c->unit[0] || !c->ncu[0];
        for (size_t k = 0; k < i; k++) twice += !strcmp(c->name, sim_counter_at(k)->name);
    }
    CHECK_INT(missing, 0);
    CHECK_INT(wrong, 0);
    CHECK_INT(bare, 0);
    CHECK_INT(twice, 0);
    CHECK(sim_counter_count() > sizeof b / 8);
    CHECK(!sim_counter_at(sim_counter_count()));
    return check_done();
}
