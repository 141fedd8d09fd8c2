/* Memory accesses of the copy engine: ranges, not lanes (PTX ISA 9.7.9.25, "bulk" copies). Bounds,
 * written marks, sectors to L2 (L1 is bypassed), suspected races; race_bulk.c knows which copies
 * are in flight. */
#include "runner/device/sim/access/access_internal.h"
#include <stdlib.h>
#include <string.h>

/* Reads of 16 bytes that were all never written are reported, as for a lane (access_slow.c). */
enum { CHUNK = 16 };

static void bulk_uninit(sim_access *a, const sim_site *s, unsigned lane, const sim_alloc *x,
                        uint64_t off, uint64_t n) {
    if (sim_bits_all(x->init, off, n)) return;
    for (uint64_t k = 0; k < n; k += CHUNK) {
        unsigned part = n - k < CHUNK ? (unsigned)(n - k) : CHUNK;
        if (sim_bits_get(x->init, off + k, part)) continue;
        sim_event e = sim_access_event(a, s, SIM_FIND_UNINIT, SIM_SPACE_GLOBAL, lane, part,
                                       x->base + off + k);
        sim_access_report(a, &e);
        return;
    }
}

/* Adds the range's sectors, line by line, to what the block has sent to L2. Returns how many. */
static uint32_t bulk_to_l2(sim_access *a, unsigned kind, uint64_t at, uint64_t n,
                           sim_access_cost *cost) {
    sim_block_mem *b = a->block;
    sim_stream_op op = kind == SIM_ACCESS_STORE  ? SIM_STREAM_STORE
                       : kind == SIM_ACCESS_ATOM ? SIM_STREAM_ATOM
                                                 : SIM_STREAM_LOAD;
    uint32_t was = b->stream_base + b->stream_n, sectors = 0, lines = 0;
    uint64_t end = at + n - 1;
    for (uint64_t line = at >> 7; line <= end >> 7; line++, lines++) {
        unsigned from = line == at >> 7 ? at & 127 : 0, to = line == end >> 7 ? end & 127 : 127;
        unsigned mask = (2u << (to >> 5)) - (1u << (from >> 5));
        uint32_t words =
            op == SIM_STREAM_STORE ? (uint32_t)((2ull << (to >> 2)) - (1ull << (from >> 2))) : 0;
        sim_stream_add(b, line, mask, op, words);
        sectors += (to >> 5) - (from >> 5) + 1;
    }
    if (op == SIM_STREAM_ATOM) b->atomics = true;
    if (!cost->lines) cost->stream_at = was;
    cost->stream_n = b->stream_base + b->stream_n - cost->stream_at;
    cost->lines = (uint16_t)(cost->lines + lines < UINT16_MAX ? cost->lines + lines : UINT16_MAX);
    cost->sectors =
        (uint16_t)(cost->sectors + sectors < UINT16_MAX ? cost->sectors + sectors : UINT16_MAX);
    return sectors;
}

/* Adds the counts of such a site for access.c: bytes instead of lanes. */
static void bulk_count(sim_access *a, const sim_site *s, uint64_t bytes, uint32_t sectors) {
    site_state *st = &a->state[s->id];
    st->lanes += bytes;
    st->sectors += sectors;
}

/* A word for each lane, because the check of global races takes accesses of a warp. */
static void bulk_race_global(sim_access *a, const sim_site *s, uint64_t at, uint64_t n) {
    for (uint64_t k = at & ~3ull; k < at + n; k += 4 * SIM_WARP_LANES) {
        uint64_t addr[SIM_WARP_LANES] __attribute__((aligned(64)));
        uint32_t mask = 0;
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
            addr[l] = k + 4 * l;
            mask |= (uint32_t)(addr[l] < at + n) << l;
        }
        sim_race_global(a, s, s->kind, addr, mask, NULL);
    }
}

/* Puts the last range back into the block's own memory, if it was written. */
static void bulk_put_back(sim_access *a) {
    uint64_t at = a->bulk.at, n = a->bulk.n;
    if (!a->bulk.writes) return;
    a->bulk.writes = false;
    for (uint64_t k = 0, part; k < n; k += part) {
        part = SIM_LINE_BYTES - (at + k) % SIM_LINE_BYTES;
        if (part > n - k) part = n - k;
        memcpy(sim_apart_place(a->block->apart, at + k, a->bulk.host + k), a->bulk.bytes + k, part);
    }
}

/* Collects the n bytes at address `at`, `host` in the device's memory, from the block's own memory.
 * Returns NULL if memory is out. */
static uint8_t *bulk_collect(sim_access *a, sim_addr at, uint8_t *host, uint64_t n, bool writes) {
    bulk_put_back(a);
    if (n > a->bulk.room) {
        free(a->bulk.bytes);
        a->bulk.room = (a->bulk.bytes = malloc(n)) ? n : 0;
    }
    if (!a->bulk.bytes) return NULL;
    for (uint64_t k = 0, part; k < n; k += part) {
        part = SIM_LINE_BYTES - (at + k) % SIM_LINE_BYTES;
        if (part > n - k) part = n - k;
        const uint8_t *from = a->launch->c.together && !writes
                                  ? sim_apart_look(a->block->apart, at + k, host + k)
                                  : sim_apart_place(a->block->apart, at + k, host + k);
        memcpy(a->bulk.bytes + k, from, part);
    }
    a->bulk.at = at, a->bulk.host = host, a->bulk.n = n, a->bulk.writes = writes;
    return a->bulk.bytes;
}

uint8_t *sim_bulk_global(sim_access *a, const sim_site *s, unsigned lane, sim_addr at, uint64_t n,
                         unsigned align, sim_access_cost *cost) {
    bool writes = s->kind != SIM_ACCESS_LOAD;
    unsigned told = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
    sim_event e = sim_access_event(a, s, SIM_FIND_OOB, SIM_SPACE_GLOBAL, lane, told, at);
    const sim_alloc *x = sim_memory_find(a->launch->c.memory, at);
    uint64_t off = x ? at - x->base : 0;
    if (at % align) {
        e.kind = SIM_FIND_MISALIGNED;
        e.align = align;
        return sim_access_fail(a, &e, SIM_MISALIGNED), NULL;
    }
    if (!x || x->freed || n > x->size - off || (writes && x->kind == SIM_ALLOC_CONST)) {
        if (x && x->freed) e.kind = SIM_FIND_USE_AFTER_FREE;
        return sim_access_fail(a, &e, SIM_ILLEGAL_ADDRESS), NULL;
    }
    if (a->block->apart) {
        bulk_count(a, s, n, bulk_to_l2(a, s->kind, at, n, cost));
        uint8_t *own = bulk_collect(a, at, x->host + off, n, writes);
        return own ? own : (sim_access_fail(a, &e, SIM_ILLEGAL_ADDRESS), NULL);
    }
    sim_alloc *mine = (sim_alloc *)(uintptr_t)x;
    if (writes) sim_memory_wrote(a->launch->c.memory, mine);
    if (s->kind != SIM_ACCESS_STORE) sim_memory_read_by_launch(a->launch->c.memory, mine);
    if (x->init && s->kind != SIM_ACCESS_STORE) bulk_uninit(a, s, lane, x, off, n);
    if (x->init && writes && sim_bits_mark(x->init, off, n)) mine->written = true;
    if (a->race_global && writes && !(s->flags & SIM_SITE_AT_ONCE)) sim_bulk_sends(a, lane, at, n);
    if (a->race_global) bulk_race_global(a, s, at, n);
    bulk_count(a, s, n, bulk_to_l2(a, s->kind, at, n, cost));
    return x->host + off;
}

/* Shared memory of another block of the cluster: as in access_cluster.c. */
static uint8_t *bulk_far(sim_access *a, const sim_site *s, sim_event *e, uint32_t at, uint64_t n) {
    sim_block_mem *owner = sim_block_peer(a->block, sim_shared_rank(at));
    uint8_t *host = n <= UINT32_MAX ? sim_shared_at(a->block, at, (uint32_t)n) : NULL;
    e->address = sim_shared_offset(at);
    e->remote = sim_shared_rank(at) + 1;
    e->remote_of = a->block->cluster->size;
    if (!host || !owner) {
        if (!owner && sim_shared_rank(at) < a->block->cluster->size)
            e->kind = SIM_FIND_USE_AFTER_FREE;
        sim_access_fail(a, e, SIM_ILLEGAL_ADDRESS);
        return NULL;
    }
    sim_far_early(a, s, e->thread % SIM_WARP_LANES, at, (unsigned)n);
    if (s->kind != SIM_ACCESS_LOAD) sim_shared_written(owner, sim_shared_offset(at), (uint32_t)n);
    return host;
}

uint8_t *sim_bulk_shared(sim_access *a, const sim_site *s, unsigned lane, uint32_t at, uint64_t n,
                         unsigned align) {
    unsigned told = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
    bool far = !sim_bulk_own(a->block, at);
    uint32_t own = a->block->cluster && !far ? sim_shared_offset(at) : at;
    sim_event e = sim_access_event(a, s, SIM_FIND_OOB, SIM_SPACE_SHARED, lane, told, own);
    e.space_size = a->shared_bytes;
    if (at % align) {
        e.kind = SIM_FIND_MISALIGNED;
        e.align = align;
        return sim_access_fail(a, &e, SIM_MISALIGNED), NULL;
    }
    bulk_count(a, s, n, 0);
    if (far && s->flags & SIM_SITE_CLUSTER) return bulk_far(a, s, &e, at, n);
    if (n > a->shared_bytes || own > a->shared_bytes - n)
        return sim_access_fail(a, &e, SIM_ILLEGAL_ADDRESS), NULL;
    if (a->race && n) sim_race_bulk(a, s, lane, own, (uint32_t)n);
    return a->shared + own;
}

bool sim_bulk_own(const sim_block_mem *b, uint32_t at) {
    return !b->cluster || sim_shared_rank(at) == b->rank;
}

const uint8_t *sim_bulk_object(sim_access *a, const sim_site *s, unsigned lane, sim_addr at,
                               unsigned n, unsigned align) {
    const sim_access_config *c = &a->launch->c;
    bool param = at - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES;
    uint64_t off = at - SIM_PARAM_WINDOW;
    sim_event e = sim_access_event(a, s, SIM_FIND_OOB, param ? SIM_SPACE_PARAM : SIM_SPACE_GLOBAL,
                                   lane, n, param ? off : at);
    if (at % align) {
        e.kind = SIM_FIND_MISALIGNED;
        e.align = align;
        return sim_access_fail(a, &e, SIM_MISALIGNED), NULL;
    }
    const uint8_t *host = NULL;
    if (!param) host = sim_memory_used(c->memory, at, n, false);
    else if (c->params && n <= c->param_bytes && off <= c->param_bytes - n)
        host = (const uint8_t *)c->params + off;
    if (param) e.space_size = c->params ? c->param_bytes : 0;
    if (host && !param && a->block->apart)
        host = bulk_collect(a, at, (uint8_t *)(uintptr_t)host, n, false);
    if (!host) sim_access_fail(a, &e, SIM_ILLEGAL_ADDRESS);
    return host;
}

sim_access_cost sim_bulk_begin(sim_access *a, unsigned lanes) {
    a->bulk.writes = false; /* of a copy that failed */
    return (sim_access_cost){.space = SIM_SPACE_GLOBAL,
                             .lanes = (uint8_t)lanes,
                             .passes = 1,
                             .stream_at = a->block->stream_base + a->block->stream_n};
}

void sim_bulk_end(sim_access *a, const sim_access_cost *cost) {
    bulk_put_back(a);
    a->cost = *cost;
}
