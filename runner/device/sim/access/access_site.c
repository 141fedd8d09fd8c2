/* Selects the paths of an access, by the host's instruction set and the site's shape. */
#include "runner/device/sim/access/access_internal.h"
#include <string.h>

const sim_access_isa *sim_access_of(sim_isa isa) {
#define ISA_PATHS(set)                                                                             \
    if (isa == SIM_ISA_##set) return &sim_access_##set;
    SIM_ISAS(ISA_PATHS)
    return NULL;
}

sim_caches *sim_caches_new(const sim_profile *p, sim_isa isa) {
    return sim_caches_make(p, sim_access_of(isa)->l2_feed);
}

static bool power_of_two(unsigned n) {
    return n && !(n & (n - 1));
}

bool sim_site_bind(sim_site *s, sim_isa isa, uint32_t *next_id) {
    unsigned size = s->elem * s->vec;
    if (!power_of_two(s->elem) || !power_of_two(s->vec) || size > 64 || s->elem > 16 ||
        s->space >= SIM_SPACE_PARAM)
        return false;
    if ((s->elem == 16 || size > 32) &&
        (s->kind == SIM_ACCESS_LOAD || s->kind == SIM_ACCESS_STORE) && s->elem == 16 && s->vec > 1)
        return false;
    if (s->reg != 4 && s->reg != 8) s->reg = s->elem == 8 ? 8 : 4;
    if (s->elem == 8) s->reg = 8;
    s->id = *next_id;
    s->states = s->space == SIM_SPACE_GENERIC ? 3 : 1;
    *next_id += s->states;
    sim_access_of(isa)->bind(s);
    return true;
}

/* ---- asynchronous copies ---- */

uint32_t sim_copy_async(sim_access *a, const sim_site *gs, const sim_site *ss, const uint64_t *from,
                        const uint32_t *to, uint32_t mask, const uint32_t *n) {
    void *src[SIM_WARP_LANES], *dst[SIM_WARP_LANES];
    unsigned size = gs->elem * gs->vec;
    uint32_t reads = 0;
    for (uint32_t m = mask; m; m &= m - 1)
        if (!n || n[__builtin_ctz(m)]) reads |= m & -m;
    uint32_t read = reads ? gs->ptr(a, gs, from, reads, src) : 0, done = mask & ~(reads & ~read);
    sim_access_cost cost = a->cost;
    if (done) done = ss->ptr(a, ss, to, done, dst);
    if (reads) a->cost = cost;
    for (uint32_t m = done; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), k = !(read >> l & 1)   ? 0
                                                     : n && n[l] < size ? n[l]
                                                                        : size;
        if (k) memcpy(dst[l], src[l], k);
        if (k < size) memset((uint8_t *)dst[l] + k, 0, size - k);
    }
    if (a->race && done) sim_race_copy(a, ss, done, to, size);
    return done;
}
