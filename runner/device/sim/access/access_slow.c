/* Everything about an access that is not the common case: look-ups that miss the inline cache,
 * faults and other findings, the rules of compute capability 1.x, and stores that others see
 * late. */
#include "runner/device/sim/access/access_internal.h"
#include <string.h>

/* ---- faults ---- */

static const char *const space_names[] = {"", "global", "shared", "local", "const", "param"};

sim_event sim_access_event(const sim_access *a, const sim_site *s, sim_finding_kind kind,
                           sim_space space, unsigned lane, unsigned size, sim_addr address) {
    return (sim_event){.kind = kind,
                       .loc = s->loc,
                       .ptx_line = s->ptx_line,
                       .block = a->block->linear,
                       .thread = a->warp * SIM_WARP_LANES + lane,
                       .space = space_names[space],
                       .write = s->kind == SIM_ACCESS_STORE,
                       .atomic = s->kind == SIM_ACCESS_ATOM,
                       .bytes = size,
                       .align = s->align ? s->align : size,
                       .address = address,
                       .count = 1};
}

static bool of_two_warps(const sim_event *e) {
    return e->has_other && (e->block != e->other_block ||
                            e->thread / SIM_WARP_LANES != e->other_thread / SIM_WARP_LANES);
}

static bool same_place(const sim_event *x, const sim_event *y) {
    return x->kind == y->kind && x->loc == y->loc && x->ptx_line == y->ptx_line &&
           x->write == y->write && x->atomic == y->atomic && x->other_loc == y->other_loc &&
           x->other_ptx_line == y->other_ptx_line && x->other_write == y->other_write &&
           of_two_warps(x) == of_two_warps(y);
}

void sim_access_flush(sim_access *a) {
    for (unsigned i = 0; i < a->pending_n; i++)
        sim_finding_report(a->launch->c.findings, &a->pending[i]);
    a->pending_n = 0;
    memset(a->pending_at, 0, sizeof a->pending_at);
    memset(a->told, 0, sizeof a->told);
}

static unsigned told_key(uint32_t line, uint32_t other_line, bool write, bool across) {
    return ((line * 31 + other_line) * 4 + write * 2u + across) % TOLD;
}

/* The place where sim_access_told() looks for it. */
static void told_note(sim_access *a, const sim_event *e, unsigned at) {
    if (e->kind == SIM_FIND_RACE)
        a->told[told_key(e->ptx_line, e->other_ptx_line, e->write, of_two_warps(e))] = (uint8_t)at;
}

bool sim_access_told(sim_access *a, const sim_site *s, const sim_site *other, bool write,
                     bool other_write, bool other_atomic, bool across) {
    if (!other) return false;
    unsigned at = a->told[told_key(s->ptx_line, other->ptx_line, write, across)];
    sim_event *x = at ? &a->pending[at - 1] : NULL;
    if (!x || x->kind != SIM_FIND_RACE || x->block > a->block->linear ||
        x->ptx_line != s->ptx_line || x->loc != s->loc || x->other_ptx_line != other->ptx_line ||
        x->other_loc != other->loc || x->write != write || x->other_write != other_write ||
        x->other_atomic != other_atomic || x->detail || of_two_warps(x) != across)
        return false;
    x->count++;
    a->latest = x;
    return true;
}

/* A worker first keeps its reports to itself, because a racy loop makes millions of them. Its
 * blocks come in ascending order, so the first report of each kind is the one to show. */
void sim_access_report(sim_access *a, const sim_event *e) {
    uint32_t key = (e->ptx_line * 0x9E3779B1u + e->other_ptx_line) * 0x85EBCA6Bu >> 16;
    unsigned at = key % PENDING_AT;
    for (; a->pending_at[at]; at = (at + 1) % PENDING_AT) {
        sim_event *x = &a->pending[a->pending_at[at] - 1];
        if (!same_place(x, e)) continue;
        uint64_t all = x->count + e->count;
        if (e->block < x->block) *x = *e; /* in a cluster, blocks take turns */
        x->count = all;
        a->latest = x;
        told_note(a, e, a->pending_at[at]);
        return;
    }
    if (a->pending_n == PENDING) {
        sim_access_flush(a);
        at = key % PENDING_AT;
    }
    a->pending[a->pending_n] = *e;
    a->latest = &a->pending[a->pending_n];
    a->pending_at[at] = (uint8_t)++a->pending_n;
    told_note(a, e, a->pending_n);
}

void sim_access_fail(sim_access *a, const sim_event *e, sim_status status) {
    if (!a->fault) a->fault = status;
    sim_access_report(a, e);
}

static void fault(sim_access *a, sim_event e, sim_status status) {
    sim_access_fail(a, &e, status);
}

void sim_access_forget(sim_access *a) {
    for (uint32_t i = 0; i < a->states; i++) a->state[i].size = a->state[i].halves = 0;
    a->generation = atomic_load_explicit(a->generation_now, memory_order_relaxed);
}

bool sim_access_cache(sim_access *a, const sim_site *s, site_state *st, uint64_t addr) {
    const sim_alloc *x = sim_memory_find(a->launch->c.memory, addr);
    if (!x || x->freed) return false;
    bool writes = s->kind == SIM_ACCESS_STORE || s->kind == SIM_ACCESS_ATOM;
    if (x->kind == SIM_ALLOC_CONST ? writes : s->space == SIM_SPACE_CONST) return false;
    if (!a->launch->c.apart) {
        if (writes) sim_memory_wrote(a->launch->c.memory, (sim_alloc *)(uintptr_t)x);
        if (s->kind != SIM_ACCESS_STORE)
            sim_memory_read_by_launch(a->launch->c.memory, (sim_alloc *)(uintptr_t)x);
    }
    st->lo = x->base;
    st->size = x->size;
    st->host = x->host;
    st->init = a->launch->c.apart ? NULL : x->init;
    st->halves = 0;
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
 * padding, or the tail of a vector. Only a lane that reads nothing but bytes that were never
 * written is reported. */
void sim_access_uninit(sim_access *a, const sim_site *s, site_state *st,
                       const uint64_t off[SIM_WARP_LANES], uint32_t mask, unsigned size) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (!sim_bits_get(st->init, off[l], size)) report_uninit(a, s, l, size, st->lo + off[l]);
    }
}

void sim_access_follow(sim_access *a, sim_access_blank_fn *fn, void *user) {
    a->follow = fn;
    a->follow_user = user;
}

void sim_access_blank(sim_access *a, const sim_site *s, sim_space space, uint32_t lanes,
                      const uint32_t addr[SIM_WARP_LANES]) {
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        sim_event e = sim_access_event(a, s, SIM_FIND_UNINIT, space, l, s->elem * s->vec, addr[l]);
        sim_access_report(a, &e);
    }
}

void sim_access_unwritten(sim_access *a, const sim_site *s, sim_space space, uint32_t lanes,
                          const uint32_t addr[SIM_WARP_LANES]) {
    if (a->follow && s->flags & SIM_SITE_FOLLOWED &&
        a->follow(a->follow_user, s, space, lanes, addr))
        return;
    sim_access_blank(a, s, space, lanes, addr);
}

void sim_access_local(sim_access *a, const sim_site *s, const uint32_t addr[SIM_WARP_LANES],
                      uint32_t mask, unsigned size, bool writes) {
    uint32_t top = 0, unwritten = 0;
    bool told = writes || s->flags & (SIM_SITE_NO_UNINIT | SIM_SITE_MOVES);
    for (uint32_t left = mask, same; left; left &= ~same) { /* mostly all at the same offset */
        uint32_t at = addr[__builtin_ctz(left)], any = 0, *written = a->local_written + at;
        same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (addr[__builtin_ctz(m)] == at) same |= m & -m;
        for (unsigned k = 0; k < size; k++) {
            any |= written[k];
            if (writes) written[k] |= same;
        }
        top = (at + size + 3) / 4 > top ? (at + size + 3) / 4 : top;
        unwritten |= told ? 0 : same & ~any;
    }
    if (unwritten) sim_access_unwritten(a, s, SIM_SPACE_LOCAL, unwritten, addr);
    if (writes && top > a->block->local_used) a->block->local_used = top;
}

uint32_t sim_access_resolve(sim_access *a, const sim_site *s, site_state *st,
                            const uint64_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size,
                            uint64_t host[SIM_WARP_LANES]) {
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

uint32_t sim_access_bounds(sim_access *a, const sim_site *s, const uint32_t addr[SIM_WARP_LANES],
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

void sim_access_split(const uint64_t addr[SIM_WARP_LANES], uint32_t mask, uint32_t by[6],
                      uint32_t offset[SIM_WARP_LANES]) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), space = SIM_SPACE_GLOBAL;
        if (addr[l] - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_SHARED;
        else if (addr[l] - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_LOCAL;
        else if (addr[l] - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES) space = SIM_SPACE_PARAM;
        by[space] |= 1u << l;
        offset[l] = (uint32_t)addr[l];
    }
}

/* ---- what a store is about to write ---- */

bool sim_site_stored(const sim_site *s, const void *const src[], unsigned lane, uint8_t value[64]) {
    if (!src) return false;
    for (unsigned k = 0; k < s->vec; k++) {
        uint64_t v =
            s->reg == 8 ? ((const uint64_t *)src[k])[lane] : ((const uint32_t *)src[k])[lane];
        memcpy(value + k * s->elem, &v, s->elem);
    }
    return true;
}

/* ---- compute capability 1.x ---- */

/* CUDA C Programming Guide 2.x, "Devices of Compute Capability 1.0 and 1.1": half a warp is one
 * transaction (two for 16-byte lanes) if its k-th lane accesses the k-th word of an aligned segment
 * of 16 words; lanes may be idle. Otherwise every lane is a transaction of 32 bytes. Sectors count
 * parts of 32 bytes. */
void sim_access_strict(sim_access *a, const sim_site *s, site_state *st,
                       const uint64_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size) {
    unsigned sectors = 0, transactions = 0;
    for (unsigned h = 0; h < SIM_WARP_LANES; h += 16) {
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

/* The same guide, "Shared Memory": 16 banks serve half a warp. In each step one word is broadcast
 * to all lanes that read it, and every other bank serves one lane. Wider lanes are requests of 4
 * bytes one after another. */
unsigned sim_access_banks_16(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size,
                             unsigned *least) {
    unsigned passes = 0;
    *least = 0;
    for (unsigned k = 0; k < (size > 4 ? size / 4 : 1); k++)
        for (unsigned h = 0; h < SIM_WARP_LANES; h += 16) {
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

static bool lanes_alike(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned apart) {
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        if (mask >> (l ^ apart) & 1 && addr[l] != addr[l ^ apart]) return false;
    }
    return true;
}

/* The most different units on one bank. */
static unsigned passes_of_units(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size) {
    unsigned most = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned n = 0, l = (unsigned)__builtin_ctz(m);
        for (uint32_t x = mask & ((2u << l) - 1); x; x &= x - 1) {
            unsigned o = (unsigned)__builtin_ctz(x);
            bool first = (addr[o] - addr[l]) % 128 / size == 0;
            for (uint32_t y = mask & ((1u << o) - 1); first && y; y &= y - 1)
                first = addr[__builtin_ctz(y)] != addr[o];
            n += first;
        }
        most = n > most ? n : most;
    }
    return most;
}

unsigned sim_access_merged(const uint32_t addr[SIM_WARP_LANES], uint32_t mask, unsigned size) {
    unsigned lanes = 128 / size, passes = 0;
    for (unsigned g = 0; g < SIM_WARP_LANES; g += 2 * lanes) {
        uint32_t one = (uint32_t)((1ull << lanes) - 1) << g,
                 part[2] = {mask & one, mask & one << lanes}, both = part[0] | part[1];
        if (lanes_alike(addr, both, 1) || lanes_alike(addr, both, 2))
            passes += passes_of_units(addr, both, size);
        else passes += passes_of_units(addr, part[0], size) + passes_of_units(addr, part[1], size);
    }
    return passes;
}

void sim_stream_add(sim_block_mem *b, uint64_t line, unsigned sectors, sim_stream_op op,
                    uint32_t words) {
    if (b->stream_n == b->stream_cap) sim_stream_grow(b);
    if (op != SIM_STREAM_STORE) sim_columns_read(b, line, line);
    b->stream[b->stream_n++] = (sim_stream_entry){
        .line = line, .words = words, .sectors = (uint8_t)sectors, .op = (uint8_t)op};
}

/* Returns whether all lanes read existing, aligned and written memory in the last allocation: the
 * common case of sim_access_resolve(). */
static bool texels_there(const site_state *st, const uint64_t addr[SIM_WARP_LANES], uint32_t lanes,
                         unsigned size) {
    uint64_t room = st->size - size, bad = st->size < size;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t x = addr[__builtin_ctz(m)];
        bad |= (uint64_t)(x - st->lo > room) | (x & (size - 1));
    }
    if (bad || !st->init) return !bad;
    for (uint32_t m = lanes; m; m &= m - 1)
        if (!sim_bits_get(st->init, addr[__builtin_ctz(m)] - st->lo, size)) return false;
    return true;
}

/* The number of sectors in a mask of four: the sixteen answers are in one word. */
static unsigned sectors_in(unsigned mask) {
    return (unsigned)(0x4332322132212110u >> mask * 4) & 15;
}

/* Consecutive sectors of one line are looked up together. */
uint32_t sim_access_texture(sim_access *a, const sim_site *s, const uint64_t addr[SIM_WARP_LANES],
                            uint32_t lanes, const uint64_t *sector, unsigned n) {
    site_state *st = &a->state[s->id];
    sim_block_mem *b = a->block;
    uint64_t host[SIM_WARP_LANES];
    if (a->generation != atomic_load_explicit(a->generation_now, memory_order_relaxed))
        sim_access_forget(a);
    a->cost = (sim_access_cost){.space = SIM_SPACE_GLOBAL,
                                .lanes = (uint8_t)__builtin_popcount(lanes),
                                .passes = 1,
                                .stream_at = b->stream_base + b->stream_n};
    unsigned size = s->elem * s->vec;
    if (!texels_there(st, addr, lanes, size)) {
        uint32_t through = sim_access_resolve(a, s, st, addr, lanes, size, host);
        if (through != lanes) return through;
    }
    unsigned lines = 0, hits = 0;
    for (unsigned k = 0; k < n; lines++) {
        uint64_t line = sector[k] / 4;
        unsigned mask = 0;
        for (; k < n && sector[k] / 4 == line && !(mask >> sector[k] % 4 & 1); k++)
            mask |= 1u << sector[k] % 4;
        unsigned hit = sim_l1_load(a->l1, line, mask);
        hits += sectors_in(hit);
        if (hit != mask) sim_stream_add(b, line, mask & ~hit, SIM_STREAM_LOAD, stream_now(b));
    }
    st->requests++;
    st->lanes += a->cost.lanes;
    st->sectors += n;
    st->l1_hits += hits;
    a->cost.lines = (uint16_t)lines;
    a->cost.sectors = (uint16_t)n;
    a->cost.l1_hits = (uint16_t)hits;
    a->cost.stream_n = b->stream_base + b->stream_n - a->cost.stream_at;
    return lanes;
}

/* ---- stores that others see late ---- */

/* Where the lane's bytes are in the table; 0: nobody else sees them. */
static uint64_t late_at(const sim_access *a, const sim_site *s, const void *addr, unsigned lane) {
    uint64_t at = s->space == SIM_SPACE_SHARED ? SIM_SHARED_WINDOW + ((const uint32_t *)addr)[lane]
                                               : ((const uint64_t *)addr)[lane];
    if (at >> 40 != SIM_SHARED_WINDOW >> 40) return at;
    if (at - SIM_SHARED_WINDOW >= SIM_WINDOW_BYTES) return 0;
    return UINT64_C(1) << 63 | a->block->linear << SIM_RANK_SHIFT | (at - SIM_SHARED_WINDOW);
}

static const uint8_t *late_bytes(const sim_access *a, uint64_t at, unsigned n) {
    uint32_t off = (uint32_t)at & ((1u << SIM_RANK_SHIFT) - 1);
    if (!(at >> 63)) return sim_memory_host(a->launch->c.memory, at, n);
    return (uint64_t)off + n <= a->shared_bytes ? a->shared + off : NULL;
}

static sim_late_thread late_thread(const sim_access *a) {
    return (sim_late_thread){a->block->linear, a->warp, a->block->barriers};
}

static uint64_t late_value(const uint8_t *from, unsigned n) {
    switch (n) {
    case 1: return __atomic_load_n(from, __ATOMIC_RELAXED);
    case 2: return __atomic_load_n((const uint16_t *)(const void *)from, __ATOMIC_RELAXED);
    case 4: return __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_RELAXED);
    default: return __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_RELAXED);
    }
}

/* Elements of a vector may be seen one by one (PTX ISA, "Vector Data-types"), but pairs of words
 * are seen together here, and two of 8 bytes, which may be one of 16, at once. So is a release. */
void sim_access_late_store(sim_access *a, const sim_site *s, const void *addr, uint32_t mask) {
    unsigned all = s->elem * s->vec, n = s->elem < 8 && all > 8 ? 8 : all;
    bool late = !(s->flags & SIM_SITE_RELEASE) && n <= 8;
    sim_late_thread who = late_thread(a);
    sim_late_begin(a->launch->late);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = late_at(a, s, addr, (unsigned)__builtin_ctz(m));
        for (unsigned k = 0; at && k < all; k += n, at += n) {
            const uint8_t *was = late_bytes(a, at, n);
            if (!was || at % n) continue; /* a fault */
            if (late) sim_late_store(a->launch->late, &who, at, n, late_value(was, n));
            else sim_late_drop(a->launch->late, at, n);
        }
    }
    sim_late_end(a->launch->late);
}

void sim_access_late_load(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                          void *const dst[]) {
    sim_late_thread who = late_thread(a);
    sim_late_begin(a->launch->late);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m), shift = 64 - 8 * s->elem;
        uint64_t at = late_at(a, s, addr, l), v = 0;
        for (unsigned k = 0; at && k < s->vec; k++, at += s->elem) {
            uint8_t *to = dst[k] ? (uint8_t *)dst[k] + (size_t)l * s->reg : NULL;
            if (to) memcpy(&v, to, s->reg);
            if (!to || !sim_late_load(a->launch->late, &who, at, s->elem, &v)) continue;
            a->older = true;
            v = s->flags & SIM_SITE_SEXT ? (uint64_t)((int64_t)(v << shift) >> shift)
                                         : v << shift >> shift;
            memcpy(to, &v, s->reg);
        }
    }
    sim_late_end(a->launch->late);
}

/* Atomics see the newest value, and what they leave is a store like others: a warp that then tells
 * others by another atomic, without a fence, has ordered nothing. */
void sim_access_late_update(sim_access *a, const sim_site *s, const void *addr, uint32_t mask) {
    unsigned n = s->elem * s->vec;
    bool late = s->flags & SIM_SITE_LATE && n <= 8;
    sim_late_thread who = late_thread(a);
    sim_late_begin(a->launch->late);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = late_at(a, s, addr, (unsigned)__builtin_ctz(m));
        const uint8_t *was = late && at && !(at >> 63) && at % n == 0 ? late_bytes(a, at, n) : NULL;
        if (was) sim_late_store(a->launch->late, &who, at, n, late_value(was, n));
        else if (at) sim_late_drop(a->launch->late, at, n);
    }
    sim_late_end(a->launch->late);
}

void sim_access_chain(sim_access *a, const sim_site *s, const void *addr, uint32_t mask,
                      bool store) {
    sim_block_mem *b = a->block;
    uint64_t at[SIM_WARP_LANES];
    unsigned n = 0;
    for (uint32_t m = s->space == SIM_SPACE_SHARED ? 0 : mask; m; m &= m - 1) {
        at[n] = ((const uint64_t *)addr)[__builtin_ctz(m)];
        n += at[n] >> 40 != SIM_SHARED_WINDOW >> 40;
    }
    if (!store) sim_chain_load(a->launch->chain, at, n, b->linear, &b->chain);
    for (unsigned k = 0; store && k < n; k++)
        sim_chain_store(a->launch->chain, at[k], b->linear, &b->chain);
}

bool sim_access_saw_older(sim_access *a) {
    bool older = a->older;
    a->older = false;
    return older;
}
