/* The table of profiles (profiles.def) and the look-ups in it. */
#include "runner/device/sim/profile.h"
#include "runner/device/sim/sim.h"
#include <string.h>

static const sim_profile profiles[] = {
#define PROFILE(n, ...) {.name = #n, __VA_ARGS__},
#include "runner/device/sim/profiles.def"
#undef PROFILE
};

const sim_profile *sim_profile_find(const char *name) {
    if (!name) return NULL;
    for (size_t i = 0; i < sim_profile_count(); i++)
        if (!strcmp(profiles[i].name, name)) return &profiles[i];
    return NULL;
}

size_t sim_profile_count(void) {
    return sizeof profiles / sizeof *profiles;
}

const sim_profile *sim_profile_at(size_t i) {
    return i < sim_profile_count() ? &profiles[i] : NULL;
}

static uint64_t block_bytes(const sim_profile *p, uint64_t shared) {
    return (shared + p->shared_reserved + p->shared_unit - 1) / p->shared_unit * p->shared_unit;
}

/* The smallest carve-out of `need` bytes, or the largest. */
static uint64_t carveout_of(const sim_profile *p, uint64_t need) {
    uint64_t take = 0;
    for (unsigned i = 0; i < sizeof p->shared_carveouts_kb / sizeof *p->shared_carveouts_kb; i++) {
        if (i && !p->shared_carveouts_kb[i]) break;
        take = p->shared_carveouts_kb[i] * (uint64_t)1024;
        if (take >= need) break;
    }
    return take;
}

uint64_t sim_profile_carveout(const sim_profile *p, unsigned percent, uint64_t shared) {
    uint64_t block = block_bytes(p, shared), wanted = p->shared_sm * percent / 100;
    return carveout_of(p, wanted > block ? wanted : block);
}

uint64_t sim_profile_launch_carveout(const sim_profile *p, unsigned percent, uint64_t shared) {
    uint64_t wanted = p->shared_sm * percent / 100,
             blocks = shared ? (wanted > shared ? wanted / shared : 1) * block_bytes(p, shared) : 0;
    return carveout_of(p, wanted > blocks ? wanted : blocks);
}

uint64_t sim_profile_l1(const sim_profile *p, uint64_t shared, unsigned resident_blocks,
                        uint64_t carveout) {
    if (!p->l1_bytes) return 0;
    uint64_t need = block_bytes(p, shared) * (resident_blocks ? resident_blocks : 1);
    if (!shared && !p->shared_reserved) need = 0;
    uint64_t take = carveout ? carveout : carveout_of(p, need);
    return take < p->l1_bytes ? p->l1_bytes - take : 0;
}
