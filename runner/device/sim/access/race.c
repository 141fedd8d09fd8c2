/* Races in shared memory: two threads of a block access the same bytes, at least one writes, and
 * nothing orders them.
 *
 * Two accesses are ordered by
 *
 *   - a barrier of the whole block between them (epoch), or one in which both warps took part
 *   (order) - between lanes of a warp: a .sync operation that named both (warp_sync, lane_sync)
 *   - a release by one thread (fence, atom.exch, .release) that the other then acquired (fence,
 *     atom.cas, .acquire). Taken broadly: an acquire sees everything released before in the block,
 *     so that locks and flags give no false alarm. What a lane has acquired, the lanes that then
 *     meet it at a barrier or a .sync operation have acquired, too
 *
 * These are not races either:
 *
 *   - two atomics, or an atomic and a .relaxed, .acquire or .release access
 *   - two `volatile` accesses (a flag that one thread sets and another polls), or one and an
 *     atomic; but not if one instruction made the older access for both lanes: then the code relies
 *     on lanes in lockstep, which is not guaranteed since Volta
 *   - a store of the value that is there already (many threads set one flag), also by several lanes
 *     at once
 *   - a lane that reads and another lane of the warp that writes later, if both executed the read
 *     together: in one statement such as s[t] += s[t + 16] the compiler keeps the reads of a
 *     converged warp before its writes. The reverse, written and then read by another lane, needs a
 *     __syncwarp() and is reported
 *
 * Cells hold the last writer, the last two readers of different warps and the last atomic. Words
 * read by a relaxed or acquiring load leave no trace. A race with an older access to a cell can
 * stay undetected if the newer one is ordered. A reported race is real. Each warp access has a
 * serial number, whose log entry gives instruction and lanes. */
#include "runner/device/sim/access/access_internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

/* What one of the lanes has acquired, all have after they met: causality order is transitive (PTX
 * ISA, "Causality Order"). So one lane of a warp can wait for the others. lanes: of each of `warps`
 * warps, the first of which is number `from`. */
static void share_acquired(race_state *r, unsigned from, unsigned warps, const uint32_t *lanes) {
    uint32_t most = 0;
    for (unsigned w = 0; w < warps; w++)
        for (uint32_t m = lanes[w]; m; m &= m - 1) {
            uint32_t at = r->acquired[(from + w) * SIM_WARP_LANES + (unsigned)__builtin_ctz(m)];
            if (at > most) most = at;
        }
    for (unsigned w = 0; most && w < warps; w++)
        for (uint32_t m = lanes[w]; m; m &= m - 1)
            r->acquired[(from + w) * SIM_WARP_LANES + (unsigned)__builtin_ctz(m)] = most;
}

void sim_block_barrier(sim_block_mem *b, const uint32_t *lanes) {
    race_state *r = &b->race;
    if (b->launch->global_races) sim_race_global_settle(b->launch->global_races, b->linear);
    b->barriers++;
    if (!b->shadowed || !r->races) return;
    unsigned warps = b->launch->warps;
    if (!lanes) {
        r->epoch_start = r->serial + 1;
        return;
    }
    if (!r->order && !(r->order = calloc(SIM_WARP_LANES, sizeof *r->order))) {
        r->epoch_start = r->serial + 1; /* memory is out: rather miss a race than invent one */
        return;
    }
    if (r->acquired) share_acquired(r, 0, warps, lanes);
    for (unsigned w = 0; w < warps; w++) {
        if (!lanes[w]) continue;
        r->warp_sync[w] = r->serial + 1;
        for (unsigned to = 0; to < warps;
             to++) { /* w's accesses, and what came before them, now come before `to`'s */
            if (!lanes[to]) continue;
            r->order[w][to] = r->serial + 1;
            for (unsigned x = 0; x < warps; x++)
                if (r->order[x][w] > r->order[x][to]) r->order[x][to] = r->order[x][w];
        }
    }
}

void sim_warp_sync(sim_access *a, uint32_t lanes) {
    race_state *r = a->race;
    a->block->warp_syncs[a->warp]++;
    if (!r || !r->races) return;
    if (r->acquired) share_acquired(r, a->warp, 1, &lanes);
    if (lanes == ~0u) {
        r->warp_sync[a->warp] = r->serial + 1;
        return;
    }
    if (!r->lane_sync && !(r->lane_sync = calloc(SIM_WARP_LANES, sizeof *r->lane_sync))) {
        r->warp_sync[a->warp] = r->serial + 1;
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t *row = r->lane_sync[a->warp][__builtin_ctz(m)], now = r->serial + 1;
        for (unsigned n = 0; n < SIM_WARP_LANES; n++) row[n] = lanes >> n & 1 ? now : row[n];
    }
}

static void acquire(sim_access *a, uint32_t lanes) {
    race_state *r = a->race;
    if (!r->races || !r->released) return;
    if (!r->acquired &&
        !(r->acquired = calloc(SIM_WARP_LANES * SIM_WARP_LANES, sizeof *r->acquired)))
        return;
    for (uint32_t m = lanes; m; m &= m - 1)
        r->acquired[a->warp * SIM_WARP_LANES + (unsigned)__builtin_ctz(m)] = r->released;
}

void sim_fence(sim_access *a, uint32_t lanes, bool cta) {
    race_state *r = a->race;
    if (a->launch->global_races && lanes) sim_race_global_fence(a, cta);
    if (!r || !r->races || !lanes) return;
    acquire(a, lanes);
    r->released = r->serial + 1;
}

void sim_race_order(sim_access *a, const sim_site *s, uint32_t lanes) {
    race_state *r = a->race;
    bool acquires = s->flags & SIM_SITE_ACQUIRE, releases = s->flags & SIM_SITE_RELEASE;
    if (a->race_global) sim_race_global_order(a, acquires, releases, s->flags & SIM_SITE_CTA);
    if (acquires) acquire(a, lanes);
    if (r->races && s->flags & SIM_SITE_RELEASE) r->released = r->serial + 1;
}

/* Returns whether the access `serial` of thread `other` comes before the present one of thread
 * `me`. */
static bool race_ordered(const race_state *r, unsigned other, uint32_t serial, unsigned me) {
    unsigned ow = other / SIM_WARP_LANES, w = me / SIM_WARP_LANES;
    if (ow == w &&
        (serial < r->warp_sync[w] ||
         (r->lane_sync && serial < r->lane_sync[w][me % SIM_WARP_LANES][other % SIM_WARP_LANES])))
        return true;
    if (r->order && serial < r->order[ow][w]) return true;
    return r->acquired && serial < r->acquired[me];
}

/* ---- races ---- */

static unsigned unit_bytes(const sim_access *a, unsigned size) {
    unsigned n = 1u << a->race->shift;
    return n < size ? n : size;
}

/* Returns whether the bytes are equal. Suspects are met millions of times, mostly words. */
static inline bool race_alike(const void *x, const void *y, unsigned n) {
    if (n != sizeof(uint32_t)) return !memcmp(x, y, n);
    uint32_t a, b;
    memcpy(&a, x, sizeof a), memcpy(&b, y, sizeof b);
    return a == b;
}

/* sim_site_stored(), without a call for words. */
static inline bool race_stored(const sim_site *s, const void *const src[], unsigned lane,
                               uint8_t value[64]) {
    if (!src || s->vec != 1 || s->elem != 4 || s->reg == 8)
        return sim_site_stored(s, src, lane, value);
    memcpy(value, (const uint32_t *)src[0] + lane, 4);
    return true;
}

static void race_report(sim_access *a, const sim_site *s, unsigned lane, unsigned how,
                        unsigned size, uint32_t at, unsigned other, const sim_site *other_site,
                        bool other_write) {
    if (sim_access_told(a, s, other_site, how & RACE_WRITE, other_write,
                        other_site && other_site->kind == SIM_ACCESS_ATOM,
                        other / SIM_WARP_LANES != a->warp))
        return;
    sim_event e = sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, size, at);
    e.write = how & RACE_WRITE;
    e.atomic =
        (how & (RACE_ATOMIC | RACE_READ | RACE_WRITE)) == (RACE_ATOMIC | RACE_READ | RACE_WRITE);
    e.has_other = true;
    e.other_block = a->block->linear;
    e.other_thread = other;
    e.other_write = other_write;
    if (other_site) {
        e.other_loc = other_site->loc;
        e.other_ptx_line = other_site->ptx_line;
        e.other_atomic = other_site->kind == SIM_ACCESS_ATOM;
    }
    sim_access_report(a, &e);
}

void sim_race_conflict(sim_access *a, const sim_site *s, unsigned lane, uint32_t unit,
                       uint32_t cell, bool cell_writes, unsigned how, const void *const src[],
                       uint32_t addr) {
    race_state *r = a->race;
    unsigned me = a->warp * SIM_WARP_LANES + lane, other = cell % (1u << RACE_TID_BITS),
             size = s->elem * s->vec;
    uint32_t serial = cell >> RACE_TID_BITS;
    if (race_ordered(r, other, serial, me)) return;
    /* only cooperative groups reach it, whose lanes count on a shuffle behind an acquire */
    if (addr >= a->shared_bytes - a->launch->c.shared_reserved) return;
    const race_log *log = &r->log[serial & r->log_mask];
    const sim_site *site = log->serial == serial ? log->site : NULL;
    if ((how & RACE_ATOMIC) && site &&
        (site->kind == SIM_ACCESS_ATOM || site->flags & SIM_SITE_STRONG))
        return;
    if (site && s->flags & SIM_SITE_VOLATILE &&
        (site->kind == SIM_ACCESS_ATOM || site->flags & (SIM_SITE_VOLATILE | SIM_SITE_STRONG)) &&
        (other / SIM_WARP_LANES != a->warp || !(log->mask >> lane & 1)))
        return;
    if ((how & RACE_ATOMIC) && site && site->flags & SIM_SITE_VOLATILE) return;
    /* both read it in one instruction */
    if (!cell_writes && other / SIM_WARP_LANES == a->warp && (!site || log->mask >> lane & 1))
        return;
    uint8_t value[64];
    unsigned step = unit_bytes(a, size);
    if (how == RACE_WRITE && race_stored(s, src, lane, value) &&
        race_alike(a->shared + addr + unit * step, value + unit * step, step))
        return;
    race_report(a, s, lane, how, size, addr, other, site, cell_writes);
}

void sim_race_same_store(sim_access *a, const sim_site *s, unsigned lane, unsigned other,
                         uint32_t unit, const void *const src[],
                         const uint32_t addr[SIM_WARP_LANES]) {
    uint8_t mine[64], theirs[64];
    unsigned size = s->elem * s->vec, step = unit_bytes(a, size);
    if (!race_stored(s, src, lane, mine) || !race_stored(s, src, other, theirs)) return;
    uint32_t at = addr[lane] + unit * step, off = at - addr[other];
    if (off >= size || race_alike(mine + unit * step, theirs + off, step)) return;
    race_report(a, s, lane, RACE_WRITE, size, addr[lane], a->warp * SIM_WARP_LANES + other, s,
                true);
}

void sim_race_blank(sim_access *a, const sim_site *s, uint32_t lanes,
                    const uint32_t addr[SIM_WARP_LANES]) {
    if (s->flags & SIM_SITE_NO_UNINIT) return;
    sim_access_unwritten(a, s, SIM_SPACE_SHARED, lanes, addr);
}
