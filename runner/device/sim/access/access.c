/* The parts of the access layer that belong to a launch and to a worker: making them, and their
 * counts. */
#include "runner/device/sim/access/access_internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

sim_access_launch *sim_access_launch_new(const sim_access_config *c) {
    sim_access_launch *l = aligned_alloc(_Alignof(sim_access_launch), sizeof *l);
    if (!l) return NULL;
    memset(l, 0, sizeof *l);
    l->c = *c;
    pthread_mutex_init(&l->l2_lock, NULL);
    atomic_init(&l->last, UINT64_MAX);
    l->warps = (c->block[0] * c->block[1] * c->block[2] + SIM_WARP_LANES - 1) / SIM_WARP_LANES;
    l->local_rows = (c->local_bytes + 3) / 4;
    if (l->c.resident_blocks == 0) l->c.resident_blocks = 1;
    l->l1_bytes = !c->profile->half_warps ? sim_profile_l1(c->profile, c->shared_bytes,
                                                           l->c.resident_blocks, c->carveout)
                                          : 0;
    sim_caches_launch(c->caches, l->l1_bytes);
    sim_memory_settle(c->memory); /* includes what the host has written since */
    if (c->options->check_race_global)
        l->global_races = sim_race_global_new(c->memory, c->grid_blocks, l->warps);
    if (l->global_races && c->early) l->early = sim_race_early_new(c->grid_blocks);
    if (l->global_races && c->late) l->late = sim_late_new(c->late, c->grid_blocks, l->warps);
    if (c->chain) l->chain = sim_chain_new();
    return l;
}

void sim_access_launch_abort(sim_access_launch *l, uint64_t linear) {
    uint64_t last = l->last;
    while (linear < last && !atomic_compare_exchange_weak(&l->last, &last, linear)) {
    }
}

void sim_access_launch_count(const sim_access_launch *l, sim_counters *to) {
    to->l2_sectors += l->l2.sectors;
    to->l2_hits += l->l2.hits;
    to->dram_read += l->l2.dram_read;
    to->dram_write += l->l2.dram_write;
}

uint64_t sim_access_launch_slices(const sim_access_launch *l, uint64_t ops[SIM_L2_SLICES]) {
    memcpy(ops, l->slice_ops, sizeof l->slice_ops);
    return l->in_turn + sim_access_busiest(l->group_ops);
}

double sim_access_launch_received(const sim_access_launch *l) {
    uint64_t most = 0;
    for (unsigned k = 0; k < l->c.cluster; k++)
        if (l->received[k] > most) most = l->received[k];
    return (double)most * l->c.cluster / (double)l->c.grid_blocks;
}

sim_chain_place sim_access_launch_chain(const sim_access_launch *l) {
    return sim_chain_longest(l->chain);
}

/* The receiver of words, for accesses before a wait. */
typedef struct {
    sim_access_run *fn;
    void *user;
} words_early;
static void word_early(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc) {
    const words_early *to = user;
    to->fn(to->user, from, bytes, how | SIM_WORD_EARLY, loc);
}

/* Strong loads are how a kernel waits for another one. One without a loop that waits takes what is
 * there: then such a load is as good as any. */
static void word_once(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc) {
    const words_early *to = user;
    to->fn(to->user, from, bytes, how == SIM_WORD_POLLED ? SIM_WORD_READ : how, loc);
}

bool sim_access_launch_words(const sim_access_launch *l, sim_access_run *fn, void *user) {
    words_early to = {fn, user};
    if (l->global_races && l->c.awaits) sim_race_global_words(l->global_races, fn, user);
    else if (l->global_races) sim_race_global_words(l->global_races, word_once, &to);
    if (l->early && !sim_race_early_tell(l->early, fn, user))
        sim_race_global_words(l->global_races, word_early, &to);
    return l->global_races != NULL;
}

void sim_access_launch_waited(const sim_access_launch *l, bool *waited, bool *held) {
    *waited = *held = false;
    if (l->early) sim_race_early_waited(l->early, waited, held);
}

bool sim_access_launch_full(const sim_access_launch *l) {
    return l->global_races && sim_race_global_full(l->global_races);
}

bool sim_access_launch_stored(const sim_access_launch *l, sim_access_stored *fn, void *user) {
    if (l->global_races) sim_race_global_stored(l->global_races, fn, user);
    return l->global_races != NULL;
}

bool sim_access_watches_texels(const sim_access *a) {
    return a->race_global;
}
void sim_access_texels(sim_access *a, const sim_site *s, const sim_addr at[SIM_WARP_LANES],
                       uint32_t lanes, unsigned bytes) {
    if (a->race_global && lanes) sim_race_global_texels(a, s, at, lanes, bytes);
}

void sim_access_launch_free(sim_access_launch *l) {
    if (!l) return;
    sim_race_global_free(l->global_races);
    sim_race_early_free(l->early);
    sim_late_free(l->late);
    sim_chain_free(l->chain);
    pthread_mutex_destroy(&l->l2_lock);
    free(l);
}

/* ---- workers ---- */

sim_access *sim_access_new(sim_access_launch *l) {
    sim_access *a = aligned_alloc(64, (sizeof *a + 63) / 64 * 64);
    if (!a) return NULL;
    memset(a, 0, sizeof *a);
    a->launch = l;
    a->states = l->c.site_states;
    a->strict = l->c.profile->half_warps;
    a->merges = l->c.apart && !a->strict;
    a->generation_now = sim_memory_generation(l->c.memory);
    a->generation = *a->generation_now;
    size_t bytes = (a->states ? a->states : 1) * sizeof *a->state;
    _Static_assert(sizeof(site_state) == 128, "two cache lines");
    a->state = aligned_alloc(128, bytes);
    if (!a->state) {
        free(a);
        return NULL;
    }
    memset(a->state, 0, bytes);
    return a;
}

void sim_access_free(sim_access *a) {
    if (!a) return;
    sim_access_flush(a);
    free(a->bulk.bytes);
    free(a->state);
    free(a);
}

static void count_global(const sim_site *s, const site_state *st, sim_counters *to) {
    uint64_t bytes = st->lanes * s->elem * s->vec, distinct = st->passes * s->elem * s->vec;
    switch (s->kind) {
    case SIM_ACCESS_LOAD:
        to->gld_requests += st->requests;
        to->gld_sectors += st->sectors;
        to->gld_bytes += bytes;
        break;
    case SIM_ACCESS_STORE:
        to->gst_requests += st->requests;
        to->gst_sectors += st->sectors;
        to->gst_bytes += bytes;
        to->gst_distinct_bytes += distinct;
        to->repeated_store_bytes += bytes - distinct;
        break;
    case SIM_ACCESS_ATOM:
        to->atom_global_requests += st->requests;
        to->atom_global_lanes += st->lanes;
        to->atom_global_sectors += st->sectors;
        to->atom_global_serialised += st->serial;
        to->gst_distinct_bytes += distinct;
        to->repeated_store_bytes += bytes - distinct;
        return; /* done in L2 */
    default:
        to->tex_requests += st->requests;
        to->tex_sectors += st->sectors;
        to->tex_hits += st->l1_hits;
    }
    to->l1_sectors += st->sectors;
    to->l1_hits += st->l1_hits;
}

static void count_shared(const sim_site *s, const site_state *st, sim_counters *to) {
    switch (s->kind) {
    case SIM_ACCESS_STORE:
        to->shared_st_requests += st->requests;
        to->shared_st_wavefronts += st->passes;
        to->shared_st_conflicts += st->conflicts;
        break;
    case SIM_ACCESS_ATOM:
        if (s->flags & SIM_SITE_MBARRIER) break;
        to->atom_shared_requests += st->requests;
        to->atom_shared_lanes += st->lanes;
        to->atom_shared_conflicts += st->conflicts;
        to->atom_shared_serialised += st->serial;
        break;
    default:
        to->shared_ld_requests += st->requests;
        to->shared_ld_wavefronts += st->passes;
        to->shared_ld_conflicts += st->conflicts;
    }
}

static void count_local(const sim_site *s, const site_state *st, sim_counters *to) {
    if (s->kind == SIM_ACCESS_STORE) {
        to->local_st_requests += st->requests;
        to->local_st_sectors += st->sectors;
    } else {
        to->local_ld_requests += st->requests;
        to->local_ld_sectors += st->sectors;
    }
    to->l1_sectors += st->sectors;
    to->l1_hits += st->l1_hits;
}

/* A site of the copy engine: its lanes are bytes (bulk.c). */
static void count_bulk(const sim_site *s, const site_state *st, sim_counters *to) {
    bool reads = s->kind == SIM_ACCESS_LOAD;
    if (s->space == SIM_SPACE_SHARED) {
        to->bulk_shared_ld_bytes += reads ? st->lanes : 0;
        to->bulk_shared_st_bytes += reads ? 0 : st->lanes;
    } else if (reads) {
        to->bulk_ld_bytes += st->lanes;
        to->bulk_ld_sectors += st->sectors;
    } else {
        to->bulk_st_bytes += st->lanes;
        to->bulk_st_sectors += st->sectors;
        to->bulk_red_bytes += s->kind == SIM_ACCESS_ATOM ? st->lanes : 0;
    }
}

void sim_access_count(const sim_access *a, const sim_site *s, sim_counters *to) {
    const site_state *st = &a->state[s->id];
    if (s->flags & SIM_SITE_BULK) {
        count_bulk(s, st, to);
        return;
    }
    if (s->near) sim_access_count_far(a, s, to);
    switch (s->space) {
    case SIM_SPACE_SHARED: count_shared(s, st, to); break;
    case SIM_SPACE_LOCAL: count_local(s, st, to); break;
    case SIM_SPACE_CONST:
        to->const_requests += st->requests;
        to->const_serialised += st->serial;
        to->const_words += st->requests * ((s->elem * s->vec + 3u) / 4);
        break;
    case SIM_SPACE_GENERIC:
        count_shared(s, st + 1, to);
        count_local(s, st + 2, to);
        count_global(s, st, to);
        break;
    default: count_global(s, st, to);
    }
}

sim_status sim_access_fault(const sim_access *a) {
    return a->fault;
}

const sim_access_cost *sim_access_last(const sim_access *a) {
    return &a->cost;
}

void sim_access_enter(sim_access *a, sim_block_mem *b, unsigned warp) {
    a->block = b;
    a->warp = warp;
    a->l1 = b->l1;
    a->shared = b->shared;
    a->shared_bytes = a->launch->c.shared_bytes;
    a->local_bytes = a->launch->c.local_bytes;
    a->local = b->local + (uint64_t)warp * a->launch->local_rows * 128;
    a->local_written =
        b->local_written ? b->local_written + (size_t)warp * a->launch->local_rows * 4 : NULL;
    a->local_line = b->local_line + (uint64_t)warp * a->launch->local_rows;
    a->race = b->shadowed ? &b->race : NULL;
    a->race_global = a->launch->global_races != NULL;
    a->watched = a->race_global || b->apart;
}
