/* Shared memory of the other blocks of a cluster (PTX ISA 5.1.7, .shared::cluster).
 *
 * In a launch with clusters, a shared address has the owner's rank in its upper bits (access.h),
 * also for the block's own memory. Each site of shared or generic memory then has a second one,
 * `near`, bound as in any launch:
 *
 *   addresses --part()--> lanes in this block, in global and local memory: without the rank to
 *                         near's function
 *                         lanes in another block: far_place() --> the owner's bytes, lane by lane
 *
 * Accesses of far lanes have counters of their own (shared_remote_requests, shared_remote_sectors).
 * Races: a plain far load is compared with the owner's plain stores, and a plain far store with the
 * owner's plain accesses before it and with plain loads of other blocks after it. All blocks of a
 * cluster run on one thread (run/cluster.c), so nothing here needs a lock. */
#include "runner/device/sim/access/access_internal.h"
#include "words/finding.h"
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 32, WORD = 4 };

sim_block_mem *sim_block_peer(sim_block_mem *b, unsigned rank) {
    if (!b->cluster) return rank ? NULL : b;
    return rank < b->cluster->size ? b->cluster->block[rank] : NULL;
}

uint8_t *sim_shared_at(sim_block_mem *b, uint32_t address, uint32_t bytes) {
    sim_block_mem *owner = sim_block_peer(b, sim_shared_rank(address));
    uint32_t at = sim_shared_offset(address);
    if (!owner || bytes > b->launch->c.shared_bytes || at > b->launch->c.shared_bytes - bytes)
        return NULL;
    return owner->shared + at;
}

void sim_block_join(sim_block_mem *b, sim_cluster_mem *c, unsigned rank) {
    b->cluster = c;
    b->rank = rank;
    if (c) c->block[rank] = b;
    free(b->far);
    b->far = NULL;
}

void sim_cluster_met(sim_cluster_mem *c) {
    uint64_t block[SIM_CLUSTER_MAX];
    unsigned n = 0;
    race_global *g = NULL;
    c->met = true;
    c->meets++;
    for (unsigned rank = 0; rank < c->size; rank++) {
        if (!c->block[rank]) continue;
        sim_block_barrier(c->block[rank], NULL);
        if (c->block[rank]->launch->late)
            sim_late_release(c->block[rank]->launch->late, c->block[rank]->linear, 0);
        c->block[rank]->race.met_start = c->block[rank]->race.epoch_start;
        g = c->block[rank]->launch->global_races;
        block[n++] = c->block[rank]->linear;
    }
    if (g) sim_race_global_meet(g, block, n);
}

/* ---- which lanes access which block ---- */

typedef struct {
    uint32_t far;                /* lanes that access another block */
    uint32_t at[SIM_WARP_LANES]; /* their addresses */
    union {
        uint32_t narrow[SIM_WARP_LANES];
        uint64_t wide[SIM_WARP_LANES];
    } __attribute__((aligned(64))) near; /* for the other lanes, as without clusters */
} parted;

static void part(const sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                 parted *p) {
    uint32_t rank = a->block->rank, own = rank << SIM_RANK_SHIFT;
    p->far = 0;
    if (s->space == SIM_SPACE_SHARED) {
        const uint32_t *from = addr;
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
            p->far |= (uint32_t)(sim_shared_rank(from[l]) != rank) << l;
            p->near.narrow[l] = from[l] - own;
            p->at[l] = from[l];
        }
        /* without .shared::cluster, an address of another block is out of bounds */
        p->far &= s->flags & SIM_SITE_CLUSTER ? mask : 0;
        return;
    }
    const uint64_t *from = addr;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        bool shared = from[l] - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES;
        bool mine = sim_shared_rank((uint32_t)from[l]) == rank;
        p->near.wide[l] = from[l] - (shared && mine ? own : 0);
        p->at[l] = (uint32_t)from[l];
        p->far |= (uint32_t)(shared && !mine) << l;
    }
    p->far &= mask;
}

/* ---- far lanes ---- */

/* The lane faults. */
static void far_fault(sim_access *a, const sim_site *s, unsigned lane, uint32_t address) {
    const sim_cluster_mem *c = a->block->cluster;
    unsigned size = s->elem * s->vec, rank = sim_shared_rank(address);
    uint32_t at = sim_shared_offset(address);
    bool gone = rank < c->size && !c->block[rank], skew = at & (size - 1);
    sim_finding_kind kind = gone                     ? SIM_FIND_USE_AFTER_FREE
                            : rank < c->size && skew ? SIM_FIND_MISALIGNED
                                                     : SIM_FIND_OOB;
    sim_event e = sim_access_event(a, s, kind, SIM_SPACE_SHARED, lane, size, at);
    e.remote = rank + 1;
    e.remote_of = c->size;
    e.space_size = a->shared_bytes;
    sim_access_fail(a, &e, kind == SIM_FIND_MISALIGNED ? SIM_MISALIGNED : SIM_ILLEGAL_ADDRESS);
}

/* Counts the different 32-byte parts of shared memory that the lanes touch. */
static unsigned far_sectors(const parted *p, uint32_t lanes, unsigned size) {
    uint32_t seen[SIM_WARP_LANES * 2];
    unsigned n = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t at = p->at[__builtin_ctz(m)];
        for (uint32_t sector = at / SECTOR; sector <= (at + size - 1) / SECTOR; sector++) {
            unsigned k = 0;
            while (k < n && seen[k] != sector) k++;
            if (k == n && n < SIM_WARP_LANES * 2) seen[n++] = sector;
        }
    }
    return n;
}

/* Counts the passes over the banks of the blocks that own the words, beyond what that many bytes
 * need. */
static unsigned far_conflicts(const parted *p, uint32_t lanes, unsigned size) {
    enum { BANKS = 32, WORDS = SIM_WARP_LANES * 4 };
    uint32_t seen[WORDS];
    unsigned n = 0, most = 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        for (uint32_t at = p->at[__builtin_ctz(m)], word = at / 4; word <= (at + size - 1) / 4;
             word++) {
            unsigned k = 0, same = 1;
            for (; k < n && seen[k] != word; k++)
                same += seen[k] % BANKS == word % BANKS &&
                        (seen[k] ^ word) >> (SIM_RANK_SHIFT - 2) == 0;
            if (k < n || n == WORDS) continue;
            seen[n++] = word;
            most = same > most ? same : most;
        }
    unsigned least = (n + BANKS - 1) / BANKS;
    return most > least ? most - least : 0;
}

/* Returns the most lanes on one address; *distinct: the number of addresses. */
static unsigned far_most(const parted *p, uint32_t lanes, unsigned *distinct) {
    unsigned most = 0;
    *distinct = 0;
    for (uint32_t left = lanes; left;) {
        uint32_t at = p->at[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (p->at[__builtin_ctz(m)] == at) same |= m & -m;
        unsigned n = (unsigned)__builtin_popcount(same);
        most = n > most ? n : most;
        left &= ~same;
        ++*distinct;
    }
    return most;
}

static void far_count(sim_access *a, const sim_site *s, const parted *p, uint32_t lanes) {
    site_state *st = &a->state[s->id + s->near->states];
    unsigned n = (unsigned)__builtin_popcount(lanes), distinct,
             most = far_most(p, lanes, &distinct),
             sectors = far_sectors(p, lanes, s->elem * s->vec);
    st->requests++;
    st->lanes += n;
    st->sectors += sectors;
    st->conflicts += far_conflicts(p, lanes, s->elem * s->vec);
    if (s->kind == SIM_ACCESS_LOAD) a->block->waits.remote++;
    a->cost = (sim_access_cost){.space = SIM_SPACE_REMOTE,
                                .lanes = (uint8_t)n,
                                .passes = (uint16_t)(s->kind == SIM_ACCESS_ATOM ? most : 1),
                                .sectors = (uint16_t)sectors,
                                .distinct = (uint16_t)distinct};
}

static void far_blank(sim_access *a, const sim_site *s, unsigned lane, uint32_t address) {
    sim_event e = sim_access_event(a, s, SIM_FIND_UNINIT, SIM_SPACE_SHARED, lane, s->elem * s->vec,
                                   sim_shared_offset(address));
    e.remote = sim_shared_rank(address) + 1;
    e.remote_of = a->block->cluster->size;
    sim_access_report(a, &e);
}

/* A block whose cluster has not met, and that has released nothing, may not have begun. */
void sim_far_early(sim_access *a, const sim_site *s, unsigned lane, uint32_t address,
                   unsigned size) {
    static const lib_words no_barrier = {.id = W_FINDING_REMEDY_CLUSTER_BEGIN};
    const sim_block_mem *owner = sim_block_peer(a->block, sim_shared_rank(address));
    if (a->block->cluster->met || !owner->shadowed || !owner->race.races || owner->race.released)
        return;
    sim_event e = sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, size,
                                   sim_shared_offset(address));
    e.write = s->kind != SIM_ACCESS_LOAD;
    e.remote = sim_shared_rank(address) + 1;
    e.remote_of = a->block->cluster->size;
    e.detail = &no_barrier;
    sim_access_report(a, &e);
}

static bool far_plain(const sim_site *s) {
    return s->kind != SIM_ACCESS_ATOM && !(s->flags & (SIM_SITE_STRONG | SIM_SITE_VOLATILE));
}

/* Reports a race of the lane's access to the owner's memory with an older one by a thread of block
 * `by`, which has that serial there. */
static void far_report(sim_access *a, const sim_site *s, unsigned lane, const sim_block_mem *owner,
                       uint32_t at, const sim_block_mem *by, uint32_t serial, unsigned thread,
                       bool wrote) {
    static const lib_words no_barrier = {.id = W_FINDING_REMEDY_CLUSTER};
    const race_log *log = &by->race.log[serial & by->race.log_mask];
    sim_event e =
        sim_access_event(a, s, SIM_FIND_RACE, SIM_SPACE_SHARED, lane, s->elem * s->vec, at);
    e.write = s->kind == SIM_ACCESS_STORE;
    if (owner != a->block) e.remote = owner->rank + 1, e.remote_of = a->block->cluster->size;
    e.has_other = true;
    e.other_write = wrote;
    e.other_block = by->linear;
    e.other_thread = thread;
    if (log->serial == serial && log->site) {
        e.other_loc = log->site->loc;
        e.other_ptx_line = log->site->ptx_line;
    }
    e.detail = &no_barrier;
    sim_access_report(a, &e);
}

/* What a thread of the owner has done since the cluster's last barrier is no other block's to read
 * or to overwrite, unless the owner has released something since (a fence, an arrival at an
 * mbarrier): taken broadly, as in race.c. A flag that the owner polls may be stored plainly. */
static void far_race(sim_access *a, const sim_site *s, unsigned lane, const sim_block_mem *owner,
                     uint32_t at) {
    const race_state *r = &owner->race;
    bool store = s->kind == SIM_ACCESS_STORE;
    if (!owner->shadowed || !r->races || !far_plain(s)) return;
    for (uint32_t u = at >> r->shift; u <= (at + s->elem * s->vec - 1) >> r->shift; u++) {
        const uint32_t cells[] = {r->w[u], store ? r->r0[u] : 0, store ? r->r1[u] : 0};
        for (unsigned k = 0; k < sizeof cells / sizeof *cells; k++) {
            uint32_t serial = cells[k] >> RACE_TID_BITS;
            const race_log *log = &r->log[serial & r->log_mask];
            if (serial < r->met_start || serial < r->released) continue;
            if (store && log->serial == serial && log->site && !far_plain(log->site)) continue;
            far_report(a, s, lane, owner, u << r->shift, owner, serial,
                       cells[k] & ((1 << RACE_TID_BITS) - 1), !k);
            return;
        }
    }
}

/* Keeps who stores there. */
static void far_mark(sim_access *a, const sim_site *s, const parted *p, uint32_t lanes) {
    if (!lanes || !a->race || !a->race->races || !far_plain(s)) return;
    uint32_t serial = sim_race_next(a->race, s, lanes);
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        sim_block_mem *owner = sim_block_peer(a->block, sim_shared_rank(p->at[l]));
        uint32_t at = sim_shared_offset(p->at[l]);
        if (!owner->far && !(owner->far = calloc(a->shared_bytes / WORD + 1, sizeof *owner->far)))
            return;
        for (uint32_t u = at / WORD; u <= (at + s->elem * s->vec - 1) / WORD; u++)
            owner->far[u] = (race_far){.by = a->block,
                                       .linear = a->block->linear,
                                       .serial = serial,
                                       .thread = (uint16_t)(a->warp * SIM_WARP_LANES + l),
                                       .meets = a->block->cluster->meets};
    }
}

/* What another block has stored there since the cluster's last barrier is nobody's to read, unless
 * that block has released something since. */
static void far_seen(sim_access *a, const sim_site *s, unsigned lane, const sim_block_mem *owner,
                     uint32_t at) {
    if (!owner->far || !a->race || !a->race->races || s->kind != SIM_ACCESS_LOAD || !far_plain(s))
        return;
    for (uint32_t u = at / WORD; u <= (at + s->elem * s->vec - 1) / WORD; u++) {
        const race_far *f = &owner->far[u];
        if (!f->by || f->by == a->block || f->meets != a->block->cluster->meets ||
            f->by->linear != f->linear || f->serial < f->by->race.released ||
            f->serial > f->by->race.serial)
            continue;
        far_report(a, s, lane, owner, u * WORD, f->by, f->serial, f->thread, true);
        return;
    }
}

static void near_seen(sim_access *a, const sim_site *s, const parted *p, uint32_t near) {
    for (uint32_t m = a->block->far ? near : 0; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        bool shared =
            s->space == SIM_SPACE_SHARED || p->near.wide[l] - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES;
        uint32_t at = sim_shared_offset(p->at[l]), size = s->elem * s->vec;
        if (shared && size <= a->shared_bytes && at <= a->shared_bytes - size)
            far_seen(a, s, l, a->block, at);
    }
}

/* Checks and counts the far lanes; each one's byte in the owner's memory. Returns those that may go
 * through. */
static uint32_t far_place(sim_access *a, const sim_site *s, const parted *p,
                          uint8_t *byte[SIM_WARP_LANES]) {
    unsigned size = s->elem * s->vec;
    uint32_t ok = 0;
    for (uint32_t m = p->far; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        byte[l] = p->at[l] & (size - 1) ? NULL : sim_shared_at(a->block, p->at[l], size);
        if (!byte[l]) {
            far_fault(a, s, l, p->at[l]);
            continue;
        }
        ok |= 1u << l;
        sim_block_mem *owner = sim_block_peer(a->block, sim_shared_rank(p->at[l]));
        uint32_t at = sim_shared_offset(p->at[l]);
        if (s->kind != SIM_ACCESS_STORE && !(s->flags & SIM_SITE_NO_UNINIT) &&
            sim_shared_blank(owner, at, size))
            far_blank(a, s, l, p->at[l]);
        sim_far_early(a, s, l, p->at[l], size);
        far_race(a, s, l, owner, at);
        far_seen(a, s, l, owner, at);
        if (s->kind == SIM_ACCESS_STORE || s->kind == SIM_ACCESS_ATOM)
            sim_shared_written(owner, at, size);
    }
    if (!ok) return 0;
    for (uint32_t m = s->kind == SIM_ACCESS_ATOM ? ok : 0; m; m &= m - 1)
        atomic_fetch_add_explicit(&a->launch->received[sim_shared_rank(p->at[__builtin_ctz(m)])], 1,
                                  memory_order_relaxed);
    far_count(a, s, p, ok);
    if (a->launch->global_races && !(s->flags & SIM_SITE_CTA) &&
        (s->kind == SIM_ACCESS_ATOM ||
         (s->kind == SIM_ACCESS_STORE && s->flags & (SIM_SITE_STRONG | SIM_SITE_VOLATILE))))
        sim_race_global_publish(a);
    if (a->race && s->flags & (SIM_SITE_ACQUIRE | SIM_SITE_RELEASE)) sim_race_order(a, s, ok);
    return ok;
}

/* ---- the functions of sites ---- */

static uint32_t cluster_load(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                             void *const dst[]) {
    parted p;
    part(a, s, addr, mask, &p);
    uint8_t *byte[SIM_WARP_LANES];
    uint32_t near = mask & ~p.far, done = near ? s->near->load(a, s->near, &p.near, near, dst) : 0,
             far = p.far ? far_place(a, s, &p, byte) : 0;
    near_seen(a, s, &p, near);
    unsigned bits = 8 * s->elem;
    for (uint32_t m = far; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < s->vec; k++) {
            uint64_t v = 0;
            if (!dst[k]) continue;
            memcpy(&v, byte[l] + k * s->elem, s->elem);
            if (s->flags & SIM_SITE_SEXT)
                v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
            memcpy((uint8_t *)dst[k] + (size_t)l * s->reg, &v, s->reg);
        }
    }
    return done | far;
}

static uint32_t cluster_store(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                              const void *const src[]) {
    parted p;
    part(a, s, addr, mask, &p);
    uint8_t *byte[SIM_WARP_LANES];
    uint32_t near = mask & ~p.far, done = near ? s->near->store(a, s->near, &p.near, near, src) : 0,
             far = p.far ? far_place(a, s, &p, byte) : 0;
    far_mark(a, s, &p, far);
    for (uint32_t m = far; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        for (unsigned k = 0; k < s->vec; k++)
            memcpy(byte[l] + k * s->elem, (const uint8_t *)src[k] + (size_t)l * s->reg, s->elem);
    }
    return done | far;
}

static uint32_t cluster_ptr(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                            void *ptr[SIM_WARP_LANES]) {
    parted p;
    part(a, s, addr, mask, &p);
    uint8_t *byte[SIM_WARP_LANES];
    uint32_t near = mask & ~p.far, done = near ? s->near->ptr(a, s->near, &p.near, near, ptr) : 0,
             far = p.far ? far_place(a, s, &p, byte) : 0;
    for (uint32_t m = far; m; m &= m - 1) ptr[__builtin_ctz(m)] = byte[__builtin_ctz(m)];
    return done | far;
}

bool sim_site_bind_cluster(sim_site *s, sim_site *near, sim_isa isa, uint32_t *next_id) {
    *near = *s;
    near->near = NULL;
    if (!sim_site_bind(near, isa, next_id)) return false;
    *s = *near;
    s->near = near;
    s->states++;
    ++*next_id;
    s->load = near->load ? cluster_load : NULL;
    s->store = near->store ? cluster_store : NULL;
    s->ptr = cluster_ptr;
    return true;
}

void sim_access_count_far(const sim_access *a, const sim_site *s, sim_counters *to) {
    const site_state *st = &a->state[s->id + s->near->states];
    to->shared_remote_requests += st->requests;
    to->shared_remote_sectors += st->sectors;
    to->shared_remote_conflicts += st->conflicts;
    to->shared_remote_atomics += s->kind == SIM_ACCESS_ATOM ? st->lanes : 0;
}
