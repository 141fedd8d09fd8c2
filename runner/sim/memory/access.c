/* The access layer's objects and everything that is not the common case: launches, workers, blocks,
 * counts, faults, look-ups that miss the inline cache. access.h tells how they are used,
 * access_path.h has the paths of each access. */
#include "runner/sim/memory/access_internal.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- sites ---- */

const sim_access_isa *sim_access_pick(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return &sim_access_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("lzcnt"))
        return &sim_access_avx2;
#endif
    return &sim_access_base;
}

static bool power_of_two(unsigned n) {
    return n && !(n & (n - 1));
}

bool sim_site_bind(sim_site *s, const sim_profile *p, uint32_t *next_id) {
    (void)p;
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
    sim_access_pick()->bind(s);
    return true;
}

/* ---- launches ---- */

sim_access_launch *sim_access_launch_new(const sim_access_config *c) {
    sim_access_launch *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->c = *c;
    pthread_mutex_init(&l->l2_lock, NULL);
    atomic_init(&l->last, UINT64_MAX);
    l->warps = (c->block[0] * c->block[1] * c->block[2] + LANES - 1) / LANES;
    l->local_rows = (c->local_bytes + 3) / 4;
    if (l->c.resident_blocks == 0) l->c.resident_blocks = 1;
    l->l1_bytes = c->profile->coalescing == SIM_COALESCE_SECTORS
                      ? sim_profile_l1(c->profile, c->shared_bytes, l->c.resident_blocks)
                      : 0;
    sim_caches_launch(c->caches, l->l1_bytes);
    sim_memory_settle(c->memory); /* what the host has written since */
    if (c->options->check_race_global)
        l->global_races = sim_race_global_new(c->memory, c->grid_blocks, l->warps);
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

void sim_access_launch_slices(const sim_access_launch *l, uint64_t ops[SIM_L2_SLICES]) {
    memcpy(ops, l->slice_ops, sizeof l->slice_ops);
}

static unsigned slice_of(uint64_t line) {
    uint64_t group = line >> 2; /* neighbours never share one; beyond that the order is mixed */
    return (unsigned)((group + (group / SIM_L2_SLICES * 0x9E3779B97F4A7C15u >> 40)) %
                      SIM_L2_SLICES);
}

void sim_access_launch_free(sim_access_launch *l) {
    if (!l) return;
    sim_race_global_free(l->global_races);
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
    a->strict = l->c.profile->coalescing == SIM_COALESCE_HALF_WARP_STRICT;
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

void sim_access_flush(sim_access *a) {
    for (unsigned i = 0; i < a->pending_n; i++)
        sim_finding_report(a->launch->c.findings, &a->pending[i]);
    a->pending_n = 0;
}

void sim_access_free(sim_access *a) {
    if (!a) return;
    sim_access_flush(a);
    free(a->state);
    free(a);
}

static void count_global(const sim_site *s, const site_state *st, sim_counters *to) {
    uint64_t bytes = st->lanes * s->elem * s->vec;
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
        break;
    case SIM_ACCESS_ATOM:
        to->atom_global_requests += st->requests;
        to->atom_global_lanes += st->lanes;
        to->atom_global_serialised += st->serial;
        return; /* done in L2 */
    default: to->tex_requests += st->requests; to->tex_sectors += st->sectors;
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
        to->atom_shared_requests += st->requests;
        to->atom_shared_lanes += st->lanes;
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

void sim_access_count(const sim_access *a, const sim_site *s, sim_counters *to) {
    const site_state *st = &a->state[s->id];
    switch (s->space) {
    case SIM_SPACE_SHARED: count_shared(s, st, to); break;
    case SIM_SPACE_LOCAL: count_local(s, st, to); break;
    case SIM_SPACE_CONST:
        to->const_requests += st->requests;
        to->const_serialised += st->serial;
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
    a->local_line = b->local_line + (uint64_t)warp * a->launch->local_rows;
    a->race = b->shadowed ? &b->race : NULL;
    a->race_global = a->launch->global_races != NULL;
}

/* ---- blocks ---- */

sim_block_mem *sim_block_mem_new(sim_access_launch *l) {
    const sim_access_config *c = &l->c;
    sim_block_mem *b = aligned_alloc(64, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->launch = l;
    b->stream_cap = 256;
    b->stream = malloc(b->stream_cap * sizeof *b->stream);
    /* room behind for vectors that read past the last cell */
    b->shared = aligned_alloc(256, (c->shared_bytes + 255u) / 256 * 256 + 256);
    b->local = l->local_rows ? calloc((size_t)l->warps * l->local_rows, 128) : NULL;
    b->shadowed = c->shared_bytes && (c->options->check_race_shared || c->options->check_uninit);
    if (!b->stream || !b->shared || (l->local_rows && !b->local) ||
        (b->shadowed && !sim_race_new(&b->race, c->shared_bytes, c->byte_shadow,
                                      c->options->check_race_shared, c->options->check_uninit))) {
        sim_block_mem_free(b);
        return NULL;
    }
    return b;
}

void sim_block_mem_free(sim_block_mem *b) {
    if (!b) return;
    sim_race_free(&b->race);
    sim_l1_free(b->own_l1);
    free(b->shared);
    free(b->local);
    free(b->stream);
    free(b->fed);
    free(b);
}

static void take_own_l1(sim_block_mem *b) {
    if (!b->own_l1) b->own_l1 = sim_l1_new(sim_caches_l1(b->launch->c.caches, b->sm));
    if (b->own_l1) {
        sim_l1_empty(b->own_l1);
        b->l1 = b->own_l1;
    } else {
        static const sim_l1 none; /* no memory: everything misses */
        b->l1 = (sim_l1 *)(uintptr_t)&none;
    }
}

void sim_block_begin(sim_block_mem *b, uint64_t linear) {
    sim_access_launch *l = b->launch;
    unsigned sms = l->c.profile->sms ? l->c.profile->sms : 1;
    b->linear = linear;
    b->sm = (unsigned)(linear % sms);
    b->stream_n = b->stream_base = 0;
    b->direct = (sim_l2_count){0};
    b->atomics = false;
    memset(b->merge.warp, 0xff, sizeof b->merge.warp);
    uint64_t slot = b->sm * (uint64_t)l->c.resident_blocks + linear / sms % l->c.resident_blocks;
    b->local_line = SIM_LOCAL_WINDOW / SIM_LINE_BYTES + slot * l->warps * l->local_rows;
    memset(b->shared, 0, l->c.shared_bytes);
    if (b->shadowed) sim_race_block(&b->race);
    b->holds_turn = false;
    if (l->c.cooperative) {
        take_own_l1(b);
        return;
    }
    b->l1 = sim_caches_l1(l->c.caches, b->sm);
    for (unsigned spins = 0;
         atomic_load_explicit(&b->l1->turn, memory_order_acquire) != linear / sms; spins++) {
        if (linear > l->last) {
            take_own_l1(b);
            return;
        }
        if (spins > 64) sched_yield();
    }
    b->holds_turn = true;
}

static void feed_early(sim_block_mem *b);

static void pass_on(sim_block_mem *b) {
    if (!b->holds_turn) return;
    b->holds_turn = false;
    atomic_fetch_add_explicit(&b->l1->turn, 1, memory_order_release);
}

void sim_block_suspend(sim_block_mem *b) {
    b->launch->suspended = true;
    if (b->stream_n) feed_early(b); /* many may be parked: none keeps much */
    if (!b->holds_turn) return;
    pass_on(b);
    take_own_l1(b);
}

void sim_block_end(sim_block_mem *b) {
    pass_on(b);
}

/* The stream goes to L2. The lock is for blocks whose streams grow too long to keep; commits are
 * one at a time anyway. */
static void feed(sim_block_mem *b) {
    sim_access_launch *l = b->launch;
    pthread_mutex_lock(&l->l2_lock);
    for (uint32_t i = 0; b->atomics && i < b->stream_n; i++)
        if (b->stream[i].op == SIM_STREAM_ATOM)
            l->slice_ops[slice_of(b->stream[i].line)] +=
                (uint64_t)__builtin_popcount(b->stream[i].sectors);
    sim_l2_feed(l->c.caches, b->sm, b->stream, b->stream_n, &l->l2);
    l->l2.dram_read += b->direct.dram_read;
    l->l2.dram_write += b->direct.dram_write;
    pthread_mutex_unlock(&l->l2_lock);
    b->direct = (sim_l2_count){0};
}

void sim_block_commit(sim_block_mem *b) {
    feed(b);
    b->launch->committed = b->linear + 1;
}

/* A block with more traffic than can be kept: what there is goes to L2 now. To keep the order of
 * blocks it waits until all before it are there, unless that could take for ever: a block before it
 * may be parked, waiting for this one. */
static void feed_early(sim_block_mem *b) {
    sim_access_launch *l = b->launch;
    if (l->c.options->deterministic && !l->c.cooperative)
        while (l->committed != b->linear && !l->suspended && b->linear <= l->last) sched_yield();
    feed(b);
    if (!b->fed) b->fed = malloc(FED_KEPT);
    for (uint32_t i = 0; i < b->stream_n && b->fed && b->stream_base + i < FED_KEPT; i++) {
        const sim_stream_entry *e = &b->stream[i];
        b->fed[b->stream_base + i] = (uint8_t)(e->hit << 4 | (e->sectors & ~e->hit));
    }
    b->stream_base += b->stream_n;
    b->stream_n = 0;
    memset(b->merge.warp, 0xff, sizeof b->merge.warp);
}

const sim_stream_entry *sim_block_stream(const sim_block_mem *b, size_t *n) {
    *n = b->stream_n;
    return b->stream;
}

void sim_block_stream_cost(const sim_block_mem *b, uint32_t at, uint32_t n, unsigned *l2_hits,
                           unsigned *dram) {
    unsigned hits = 0, misses = 0;
    for (uint32_t i = at; i < at + n; i++) {
        unsigned hit = 0, miss = 0;
        if (i >= b->stream_base && i - b->stream_base < b->stream_n) {
            const sim_stream_entry *e = &b->stream[i - b->stream_base];
            hit = e->hit;
            miss = e->sectors & ~e->hit;
        } else if (i < b->stream_base && i < FED_KEPT && b->fed) {
            hit = b->fed[i] >> 4;
            miss = b->fed[i] & 15;
        }
        hits += (unsigned)__builtin_popcount(hit);
        misses += (unsigned)__builtin_popcount(miss);
    }
    *l2_hits = hits;
    *dram = misses;
}

void sim_stream_grow(sim_block_mem *b) {
    uint32_t cap = b->stream_cap ? b->stream_cap * 2 : 1024;
    uint32_t most =
        b->launch->c.cooperative || b->launch->suspended ? STREAM_MAX_APART : STREAM_MAX;
    sim_stream_entry *grown = cap <= most ? realloc(b->stream, cap * sizeof *grown) : NULL;
    if (grown) {
        b->stream = grown;
        b->stream_cap = cap;
    } else feed_early(b);
}

void *sim_block_shared(sim_block_mem *b) {
    return b->shared;
}

static uint8_t *local_byte(const sim_block_mem *b, unsigned warp, unsigned lane, uint32_t off) {
    return b->local + ((uint64_t)warp * b->launch->local_rows + (off >> 2)) * 128 + lane * 4 +
           (off & 3);
}

static bool local_fits(const sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset,
                       uint32_t n) {
    return warp < b->launch->warps && lane < LANES &&
           (uint64_t)offset + n <= b->launch->c.local_bytes;
}

bool sim_local_read(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset, void *to,
                    uint32_t n) {
    if (!local_fits(b, warp, lane, offset, n)) return false;
    for (uint32_t i = 0; i < n; i++) ((uint8_t *)to)[i] = *local_byte(b, warp, lane, offset + i);
    return true;
}

bool sim_local_write(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset,
                     const void *from, uint32_t n) {
    if (!local_fits(b, warp, lane, offset, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        *local_byte(b, warp, lane, offset + i) = ((const uint8_t *)from)[i];
    return true;
}

/* ---- faults ---- */

static const char *const space_names[] = {"", "global", "shared", "local", "const", "param"};

sim_event sim_access_event(const sim_access *a, const sim_site *s, sim_finding_kind kind,
                           sim_space space, unsigned lane, unsigned size, sim_addr address) {
    return (sim_event){.kind = kind,
                       .loc = s->loc,
                       .ptx_line = s->ptx_line,
                       .block = a->block->linear,
                       .thread = a->warp * LANES + lane,
                       .space = space_names[space],
                       .write = s->kind == SIM_ACCESS_STORE,
                       .atomic = s->kind == SIM_ACCESS_ATOM,
                       .bytes = size,
                       .align = s->align ? s->align : size,
                       .address = address,
                       .count = 1};
}

static bool same_place(const sim_event *x, const sim_event *y) {
    return x->kind == y->kind && x->loc == y->loc && x->ptx_line == y->ptx_line &&
           x->write == y->write && x->atomic == y->atomic && x->other_loc == y->other_loc &&
           x->other_ptx_line == y->other_ptx_line && x->other_write == y->other_write;
}

/* A worker keeps its reports to itself for a while: a racy loop makes millions of them. Its blocks
 * come in rising order, so the first of each kind is the one to tell. */
void sim_access_report(sim_access *a, const sim_event *e) {
    for (unsigned i = 0; i < a->pending_n; i++)
        if (same_place(&a->pending[i], e)) {
            a->pending[i].count += e->count;
            return;
        }
    if (a->pending_n == PENDING) sim_access_flush(a);
    a->pending[a->pending_n++] = *e;
}

static void fault(sim_access *a, sim_event e, sim_status status) {
    if (!a->fault) a->fault = status;
    sim_access_report(a, &e);
}

void sim_access_forget(sim_access *a) {
    for (uint32_t i = 0; i < a->states; i++) a->state[i].size = 0;
    a->generation = atomic_load_explicit(a->generation_now, memory_order_relaxed);
}

bool sim_access_cache(sim_access *a, const sim_site *s, site_state *st, uint64_t addr) {
    const sim_alloc *x = sim_memory_find(a->launch->c.memory, addr);
    if (!x || x->freed) return false;
    bool writes = s->kind == SIM_ACCESS_STORE || s->kind == SIM_ACCESS_ATOM;
    if (x->kind == SIM_ALLOC_CONST ? writes : s->space == SIM_SPACE_CONST) return false;
    st->lo = x->base;
    st->size = x->size;
    st->host = x->host;
    st->init = x->init;
    st->alloc = (sim_alloc *)(uintptr_t)x;
    return true;
}

static void report_uninit(sim_access *a, const sim_site *s, unsigned lane, unsigned size,
                          sim_addr addr) {
    if (s->flags & SIM_SITE_NO_UNINIT) return;
    sim_event e = sim_access_event(a, s, SIM_FIND_UNINIT, SIM_SPACE_GLOBAL, lane, size, addr);
    sim_access_report(a, &e);
}

/* A lane that reads some bytes that were written and some that were not copies a struct with its
 * padding, or the tail of a vector: only a lane none of whose bytes were ever written is
 * reported. */
void sim_access_uninit(sim_access *a, const sim_site *s, site_state *st, const uint64_t off[LANES],
                       uint32_t mask, unsigned size) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (!sim_bits_get(st->init, off[l], size)) report_uninit(a, s, l, size, st->lo + off[l]);
    }
}

uint32_t sim_access_resolve(sim_access *a, const sim_site *s, site_state *st,
                            const uint64_t addr[LANES], uint32_t mask, unsigned size,
                            uint64_t host[LANES]) {
    uint32_t ok = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t x = addr[l], off = x - st->lo;
        sim_space space = s->space == SIM_SPACE_CONST ? SIM_SPACE_CONST : SIM_SPACE_GLOBAL;
        if (off >= st->size && sim_access_cache(a, s, st, x)) off = x - st->lo;
        if (off >= st->size) {
            const sim_alloc *was = sim_memory_find(a->launch->c.memory, x);
            sim_finding_kind kind = was && was->freed ? SIM_FIND_USE_AFTER_FREE : SIM_FIND_OOB;
            fault(a, sim_access_event(a, s, kind, space, l, size, x), SIM_ILLEGAL_ADDRESS);
        } else if (x & (size - 1))
            fault(a, sim_access_event(a, s, SIM_FIND_MISALIGNED, space, l, size, x),
                  SIM_MISALIGNED);
        else if (size > st->size - off)
            fault(a, sim_access_event(a, s, SIM_FIND_OOB, space, l, size, x), SIM_ILLEGAL_ADDRESS);
        else {
            host[l] = (uint64_t)(uintptr_t)st->host + off;
            ok |= 1u << l;
            if (!st->init) continue;
            if (s->kind != SIM_ACCESS_STORE && !sim_bits_get(st->init, off, size))
                report_uninit(a, s, l, size, x);
            if ((s->kind == SIM_ACCESS_STORE || s->kind == SIM_ACCESS_ATOM) &&
                sim_bits_mark(st->init, off, size))
                st->alloc->written = true;
        }
    }
    return ok;
}

uint32_t sim_access_bounds(sim_access *a, const sim_site *s, const uint32_t addr[LANES],
                           uint32_t mask, unsigned size, sim_space space) {
    uint64_t end = space == SIM_SPACE_SHARED  ? a->shared_bytes
                   : space == SIM_SPACE_LOCAL ? a->local_bytes
                   : a->launch->c.params      ? a->launch->c.param_bytes
                                              : 0;
    uint32_t ok = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        bool outside = !size || (uint64_t)addr[l] + size > end,
             skew = size && (addr[l] & (size - 1));
        if (!outside && !skew) {
            ok |= 1u << l;
            continue;
        }
        sim_event e = sim_access_event(a, s, outside ? SIM_FIND_OOB : SIM_FIND_MISALIGNED, space, l,
                                       size ? size : s->elem * s->vec, addr[l]);
        e.space_size = end;
        fault(a, e, outside ? SIM_ILLEGAL_ADDRESS : SIM_MISALIGNED);
    }
    return ok;
}

uint32_t sim_access_no_pointer(sim_access *a, const sim_site *s, uint32_t mask) {
    sim_event e = sim_access_event(a, s, SIM_FIND_OOB, SIM_SPACE_LOCAL,
                                   (unsigned)__builtin_ctz(mask | 1u << 31), s->elem * s->vec, 0);
    e.space_size = a->local_bytes;
    if (mask) fault(a, e, SIM_ILLEGAL_ADDRESS);
    return 0;
}

void sim_access_split(const uint64_t addr[LANES], uint32_t mask, uint32_t by[6],
                      uint32_t offset[LANES]) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), space = SIM_SPACE_GLOBAL;
        if (addr[l] - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_SHARED;
        else if (addr[l] - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_LOCAL;
        else if (addr[l] - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_PARAM;
        by[space] |= 1u << l;
        offset[l] = (uint32_t)addr[l];
    }
}

/* ---- compute capability 1.x ---- */

/* CUDA C Programming Guide 2.x, "Devices of Compute Capability 1.0 and 1.1": half a warp is one
 * transaction (two for 16-byte lanes) when its k-th lane accesses the k-th word of an aligned
 * segment of 16 words; lanes may be idle. Otherwise every lane is a transaction of 32 bytes.
 * Sectors count 32-byte pieces. */
void sim_access_strict(sim_access *a, const sim_site *s, site_state *st, const uint64_t addr[LANES],
                       uint32_t mask, unsigned size) {
    unsigned sectors = 0, transactions = 0;
    for (unsigned h = 0; h < LANES; h += 16) {
        uint32_t half = mask >> h & 0xffff;
        if (!half) continue;
        unsigned first = (unsigned)__builtin_ctz(half);
        uint64_t base = addr[h + first] - first * size;
        bool together = (size == 4 || size == 8 || size == 16) && s->kind != SIM_ACCESS_ATOM &&
                        !(base % (16 * size));
        for (uint32_t m = half; m && together; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            together = addr[h + l] == base + l * size;
        }
        transactions += together ? (size == 16 ? 2 : 1) : (unsigned)__builtin_popcount(half);
        sectors += together ? 16 * size / 32 : (unsigned)__builtin_popcount(half);
    }
    st->sectors += sectors;
    a->cost.sectors = (uint16_t)sectors;
    a->cost.lines = (uint16_t)transactions;
    if (s->kind != SIM_ACCESS_STORE) a->block->direct.dram_read += 32u * sectors;
    if (s->kind == SIM_ACCESS_STORE || s->kind == SIM_ACCESS_ATOM)
        a->block->direct.dram_write += 32u * sectors;
}

/* The same guide, "Shared Memory": 16 banks serve half a warp; in each step one word is broadcast
 * to all who want it, and every other bank serves one lane. Wider lanes are requests of 4 bytes one
 * after another. */
unsigned sim_access_banks_16(const uint32_t addr[LANES], uint32_t mask, unsigned size,
                             unsigned *least) {
    unsigned passes = 0;
    *least = 0;
    for (unsigned k = 0; k < (size > 4 ? size / 4 : 1); k++)
        for (unsigned h = 0; h < LANES; h += 16) {
            uint32_t half = mask & 0xffffu << h;
            *least += half != 0;
            while (half) {
                uint32_t broadcast = addr[__builtin_ctz(half)] / 4 + k, busy = 1u << broadcast % 16,
                         rest = 0;
                for (uint32_t m = half; m; m &= m - 1) {
                    unsigned l = (unsigned)__builtin_ctz(m);
                    uint32_t word = addr[l] / 4 + k, bank = 1u << word % 16;
                    if (word == broadcast) continue;
                    if (busy & bank) rest |= 1u << l;
                    busy |= bank;
                }
                half = rest;
                passes++;
            }
        }
    return passes;
}

/* ---- asynchronous copies ---- */

uint32_t sim_copy_async(sim_access *a, const sim_site *gs, const sim_site *ss, const uint64_t *from,
                        const uint32_t *to, uint32_t mask, const uint32_t *n) {
    void *src[LANES], *dst[LANES];
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
    return done;
}
