/* The part of the access layer that belongs to a block: shared and local memory, its turn at an L1,
 * and the stream of sectors that goes to L2 in the order of blocks. */
#include "runner/device/sim/access/access_internal.h"
#include "runner/base/buffer.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

sim_block_mem *sim_block_mem_new(sim_access_launch *l) {
    const sim_access_config *c = &l->c;
    sim_block_mem *b = aligned_alloc(64, sizeof *b);
    if (!b) return NULL;
    memset(b, 0, sizeof *b);
    b->launch = l;
    b->stream_cap = 256;
    b->stream = malloc(b->stream_cap * sizeof *b->stream);
    /* room at the end for vectors that read past the last cell */
    b->shared = aligned_alloc(256, (c->shared_bytes + 255u) / 256 * 256 + 256);
    b->local = l->local_rows ? calloc((size_t)l->warps * l->local_rows, 128) : NULL;
    bool written = l->local_rows && c->options->check_uninit;
    if (written) b->local_written = calloc((size_t)l->warps * l->local_rows, 4 * sizeof(uint32_t));
    b->shadowed = c->shared_bytes && (c->options->check_race_shared || c->options->check_uninit);
    b->apart = c->together ? c->together : c->apart ? sim_apart_new(SIM_APART_BLOCK) : NULL;
    if (!b->stream || !b->shared || (c->apart && !b->apart) || (l->local_rows && !b->local) ||
        (written && !b->local_written) ||
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
    if (!b->launch->c.together) sim_apart_free(b->apart);
    free(b->far);
    free(b->shared);
    free(b->local);
    free(b->local_written);
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
        static const sim_l1 none; /* out of memory: everything misses */
        b->l1 = (sim_l1 *)(uintptr_t)&none;
    }
}

/* Marks all local memory as never written. */
static void local_forget(sim_block_mem *b) {
    size_t rows = b->launch->local_rows;
    for (unsigned w = 0; w < b->launch->warps && b->local_used; w++)
        memset(b->local_written + w * rows * 4, 0, b->local_used * 4 * sizeof *b->local_written);
    b->local_used = 0;
}

void sim_block_begin(sim_block_mem *b, uint64_t order) {
    sim_access_launch *l = b->launch;
    unsigned sms = l->c.profile->sms ? l->c.profile->sms : 1;
    b->linear = b->order = order;
    b->chain = (sim_chain_place){0};
    b->sm = (unsigned)(order % sms);
    b->stream_n = b->stream_base = 0;
    b->missed = 0;
    b->clock_base = b->turn = 0;
    memset(b->issued, 0, sizeof b->issued);
    b->direct = (sim_l2_count){0};
    b->waits = (sim_block_waits){0};
    b->atomics = b->brief = false;
    memset(b->merge.warp, 0xff, sizeof b->merge.warp);
    sim_columns_end(b);
    uint64_t slot = b->sm * (uint64_t)l->c.resident_blocks + order / sms % l->c.resident_blocks;
    b->local_line = SIM_LOCAL_WINDOW / SIM_LINE_BYTES + slot * l->warps * l->local_rows;
    memset(b->shared, 0, l->c.shared_bytes);
    if (b->shadowed) sim_race_block(&b->race);
    sim_shared_written(b, l->c.shared_bytes - l->c.shared_reserved, l->c.shared_reserved);
    if (b->local_written) local_forget(b);
    b->holds_turn = false;
    if (b->apart && !l->c.together) {
        sim_apart_forget(b->apart);
        b->stream_lost = false;
        b->l1 = sim_caches_l1(l->c.caches, b->sm);
        sim_l1_begin(b->l1);
        return;
    }
    if (l->c.cooperative || l->c.cluster > sms) {
        take_own_l1(b);
        return;
    }
    b->l1 = sim_caches_l1(l->c.caches, b->sm);
    for (unsigned spins = 0;
         atomic_load_explicit(&b->l1->turn, memory_order_acquire) != order / sms; spins++) {
        if (order > l->last) {
            take_own_l1(b);
            return;
        }
        if (spins > 64) sched_yield();
    }
    b->holds_turn = true;
    sim_l1_begin(b->l1);
}

/* Reports about each access (managed memory, no L2) need each entry. */
void sim_block_brief(sim_block_mem *b) {
    b->brief = !b->launch->c.touch && sim_caches_l2(b->launch->c.caches);
}

void sim_block_name(sim_block_mem *b, uint64_t linear) {
    b->linear = linear;
}

static void feed_early(sim_block_mem *b);

static void pass_on(sim_block_mem *b) {
    if (!b->holds_turn) return;
    b->holds_turn = false;
    atomic_fetch_add_explicit(&b->l1->turn, 1, memory_order_release);
}

void sim_block_suspend(sim_block_mem *b) {
    b->launch->suspended = true;
    if (b->stream_n) feed_early(b); /* many blocks may be parked, so none keeps much */
    if (!b->holds_turn) return;
    pass_on(b);
    take_own_l1(b);
}

void sim_block_end(sim_block_mem *b) {
    pass_on(b);
}

static unsigned slice_of(uint64_t line) {
    /* Eight neighbouring groups are in different slices; of 64 in a row, the busiest slice has two
     * or three, as on an H200. */
    uint64_t group = line >> 2, run = group >> 3;
    return (unsigned)((group & 7) * (SIM_L2_SLICES / 8) +
                      (run * 0x9E3779B97F4A7C15u >> 40) % (SIM_L2_SLICES / 8));
}

/* Number of sectors in a mask of four: not every host for which this is built can count bits. */
static unsigned sectors_of(unsigned mask) {
    return (unsigned)(0x4332322132212110u >> mask * 4) & 15;
}

/* For managed memory: reports the requested lines to the owner of its pages. */
static void tell_touched(const sim_block_mem *b) {
    const sim_access_config *c = &b->launch->c;
    for (uint32_t i = 0; i < b->stream_n; i++) {
        const sim_stream_entry *e = &b->stream[i];
        sim_addr at = (sim_addr)e->line * SIM_LINE_BYTES;
        if (at >= SIM_SHARED_WINDOW && at < SIM_DEV_BASE(16)) continue;
        c->touch(c->touch_user, at, e->sectors, e->op != SIM_STREAM_LOAD);
    }
}

/* A stream that repeats this worker's last one, at a constant distance in lines, will probably be
 * repeated by the next one, too. Returns where line 0 would have to be on the host so that the
 * stream's lines are where the next one's bytes are; 0: not such a stream. */
static uintptr_t expect_next(sim_block_mem *b) {
    stream_seen *was = &b->seen;
    uint32_t n = b->stream_n;
    if (n < STREAM_SEEN) return 0;
    uint64_t step = b->stream[0].line - was->line[0];
    bool same = was->n == n;
    was->n = n;
    for (unsigned k = 0; k < STREAM_SEEN; k++) {
        const sim_stream_entry *e = &b->stream[(uint64_t)k * (n - 1) / (STREAM_SEEN - 1)];
        same &= e->line - was->line[k] == (e->op == SIM_STREAM_STEP ? 0 : step);
        was->line[k] = e->line;
    }
    sim_addr at = b->stream[0].line * SIM_LINE_BYTES;
    uint8_t *host = same && step ? sim_memory_host(b->launch->c.memory, at, 1) : NULL;
    return host ? (uintptr_t)host - at + step * SIM_LINE_BYTES : 0;
}

uint64_t sim_access_busiest(const uint64_t ops[SIM_L2_SLICES]) {
    uint64_t most = 0;
    for (unsigned k = 0; k < SIM_L2_SLICES; k++) most = ops[k] > most ? ops[k] : most;
    return most;
}

static void count_atomics(const sim_block_mem *b) {
    sim_access_launch *l = b->launch;
    for (uint32_t i = 0; i < b->stream_n; i++) {
        if (b->stream[i].op != SIM_STREAM_ATOM) continue;
        unsigned slice = slice_of(b->stream[i].line), n = sectors_of(b->stream[i].sectors);
        l->slice_ops[slice] += n;
        l->group_ops[slice] += n;
    }
}
/* One more block has ended. While a slice is behind, the blocks of others go on, and new ones take
 * their places: a group is twice as many as run at the same time. Counting consecutive words in
 * 1,024 neighbours each took an H100 0.2 ns an addition, where one word takes 0.73 (crafts.cu,
 * utf8_thread). */
enum { GROUP = 2 };
static void count_block(sim_access_launch *l) {
    if (++l->group_blocks < (uint64_t)GROUP * l->c.resident_blocks * l->c.profile->sms) return;
    l->in_turn += sim_access_busiest(l->group_ops);
    memset(l->group_ops, 0, sizeof l->group_ops);
    l->group_blocks = 0;
}

static void count_waits(sim_block_mem *b) {
    uint64_t loads = 0, missed = 0, sectors = 0;
    for (uint32_t i = 0; i < b->stream_n; i++) {
        bool load = b->stream[i].op == SIM_STREAM_LOAD;
        loads += load;
        if (load) sectors += (unsigned)__builtin_popcount(b->stream[i].sectors);
        missed += load && b->stream[i].missed;
    }
    b->waits.l2 += loads, b->waits.dram += missed, b->waits.sectors += sectors;
}

void sim_block_polled(sim_block_mem *b, const sim_access_cost *c) {
    if (c->space == SIM_SPACE_SHARED && c->passes > 1) b->waits.passes -= c->passes - 1u;
}

sim_block_waits sim_block_waited(const sim_block_mem *b) {
    return b->waits;
}

void sim_access_launch_counts(sim_access_launch *l) {
    l->counts_waits = true;
}

/* Feeds the stream to L2. The lock is for blocks whose streams grow too long to keep; commits are
 * one at a time anyway. */
static void feed(sim_block_mem *b, bool ends) {
    sim_access_launch *l = b->launch;
    pthread_mutex_lock(&l->l2_lock);
    if (l->c.touch) tell_touched(b);
    if (b->atomics) count_atomics(b);
    if (ends) count_block(l);
    b->missed -= l->l2.dram_read;
    sim_l2_feed(l->c.caches, b->sm, b->stream, b->stream_n, expect_next(b), &l->l2);
    b->missed += l->l2.dram_read;
    if (l->counts_waits) count_waits(b);
    l->l2.dram_read += b->direct.dram_read;
    l->l2.dram_write += b->direct.dram_write;
    pthread_mutex_unlock(&l->l2_lock);
    b->direct = (sim_l2_count){0};
}

void sim_block_commit(sim_block_mem *b) {
    feed(b, true);
    b->launch->committed = b->order + 1;
}

/* A block with more traffic than can be kept feeds L2 early. To keep the order of blocks, it waits
 * until all before it (in a cluster: before the cluster's first one) have done so, unless that
 * could take for ever: a block before it may be parked, waiting for this one. */
static void feed_early(sim_block_mem *b) {
    sim_access_launch *l = b->launch;
    if (l->c.options->deterministic && !l->c.cooperative)
        while (l->committed < b->order - b->rank && !l->suspended && b->order <= l->last)
            sched_yield();
    feed(b, false);
    if (!b->fed) b->fed = malloc(FED_KEPT);
    for (uint32_t i = 0; i < b->stream_n && b->fed && b->stream_base + i < FED_KEPT; i++) {
        const sim_stream_entry *e = &b->stream[i];
        b->fed[b->stream_base + i] = (uint8_t)((e->sectors & ~e->missed) << 4 | e->missed);
    }
    b->stream_base += b->stream_n;
    b->stream_n = 0;
    memset(b->merge.warp, 0xff, sizeof b->merge.warp);
    sim_columns_end(b);
}

const sim_stream_entry *sim_block_stream(const sim_block_mem *b, size_t *n) {
    *n = b->stream_n;
    return b->stream;
}

void sim_block_clock(sim_block_mem *b, const uint64_t *clock) {
    b->clock = clock;
}

void sim_block_turn(sim_block_mem *b, unsigned warp) {
    b->issued[b->turn] = stream_now(b);
    b->turn = warp % TURN_WARPS;
    b->clock_base = (uint32_t)*b->clock - b->issued[b->turn];
}

uint64_t sim_block_missed(const sim_block_mem *b) {
    return b->missed;
}

/* Counts the sectors in which some of the eight words are not written. */
static unsigned sectors_in_part(const sim_stream_entry *e) {
    unsigned n = 0;
    if (e->op != SIM_STREAM_STORE || e->words == UINT32_MAX) return 0;
    for (unsigned s = 0; s < 4; s++)
        n += (e->sectors >> s & 1) && (e->words >> s * 8 & 0xff) != 0xff;
    return n;
}

sim_stream_cost sim_block_stream_cost(const sim_block_mem *b, uint32_t at, uint32_t n) {
    sim_stream_cost cost = {0};
    for (uint32_t i = at; i < at + n; i++) {
        unsigned hit = 0, miss = 0;
        if (i >= b->stream_base && i - b->stream_base < b->stream_n) {
            const sim_stream_entry *e = &b->stream[i - b->stream_base];
            hit = e->sectors & ~e->missed;
            miss = e->missed;
            cost.parts += sectors_in_part(e);
        } else if (i < b->stream_base && i < FED_KEPT && b->fed) {
            hit = b->fed[i] >> 4;
            miss = b->fed[i] & 15;
        }
        cost.l2_hits += sectors_of(hit);
        cost.dram += sectors_of(miss);
    }
    return cost;
}

void sim_stream_grow(sim_block_mem *b) {
    uint32_t cap = b->stream_cap ? b->stream_cap * 2 : 1024;
    uint32_t most =
        b->launch->c.cooperative || b->launch->suspended ? STREAM_MAX_APART : STREAM_MAX;
    if (cap > most && b->apart && !b->launch->c.together) { /* no other block may see this */
        b->stream_lost = true;
        b->stream_n = 0;
        memset(b->merge.warp, 0xff, sizeof b->merge.warp);
        sim_columns_end(b);
        return;
    }
    if (cap <= most && lib_resize(&b->stream, cap, sizeof *b->stream)) b->stream_cap = cap;
    else feed_early(b);
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
    return warp < b->launch->warps && lane < SIM_WARP_LANES &&
           (uint64_t)offset + n <= b->launch->c.local_bytes;
}

bool sim_local_read(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset, void *to,
                    uint32_t n) {
    if (!local_fits(b, warp, lane, offset, n)) return false;
    for (uint32_t i = 0; i < n; i++) ((uint8_t *)to)[i] = *local_byte(b, warp, lane, offset + i);
    return true;
}

/* By byte of the warp's local memory: the lanes that have written it. */
static uint32_t *local_masks(const sim_block_mem *b, unsigned warp) {
    return b->local_written + (size_t)warp * b->launch->local_rows * 4;
}

void sim_local_fresh(sim_block_mem *b, unsigned warp, uint32_t lanes, uint32_t from, uint32_t n) {
    uint64_t end = (uint64_t)from + n, used = (uint64_t)b->local_used * 4;
    if (!b->local_written) return;
    if (end > used) end = used;
    for (uint64_t k = from; k < end; k++) local_masks(b, warp)[k] &= ~lanes;
}

bool sim_local_write(sim_block_mem *b, unsigned warp, unsigned lane, uint32_t offset,
                     const void *from, uint32_t n) {
    if (!local_fits(b, warp, lane, offset, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        *local_byte(b, warp, lane, offset + i) = ((const uint8_t *)from)[i];
    for (uint32_t i = 0; i < n && b->local_written; i++)
        local_masks(b, warp)[offset + i] |= 1u << lane;
    if (n && (offset + n + 3) / 4 > b->local_used) b->local_used = (offset + n + 3) / 4;
    return true;
}

/* ---- blocks that have their own global memory ---- */

bool sim_block_overflowed(const sim_block_mem *b) {
    return b->apart && (b->stream_lost || sim_apart_full(b->apart));
}

uint64_t sim_block_unlike(const sim_block_mem *b, uint64_t *rounded, uint64_t *at) {
    return b->apart ? sim_apart_unlike(b->apart, rounded, at) : 0;
}

typedef struct {
    uint64_t line; /* + 1 */
    /* sectors: those that L2 did not have, and those that the block has requested */
    uint8_t missed, asked;
} line_fate;

static line_fate *fate_of(line_fate *t, size_t places, uint64_t line) {
    size_t k = (line * 0x9E3779B97F4A7C15u >> 32) & (places - 1);
    while (t[k].line && t[k].line != line + 1) k = (k + 1) & (places - 1);
    return &t[k];
}

bool sim_block_commit_as(sim_block_mem *b, const sim_block_mem *real) {
    if (real->stream_base || b->stream_lost) return false; /* earlier entries are not known */
    size_t places = 64;
    while (places < 2 * ((size_t)real->stream_n + b->stream_n)) places *= 2;
    line_fate *t = calloc(places, sizeof *t);
    for (uint32_t i = 0; t && i < real->stream_n; i++) {
        const sim_stream_entry *e = &real->stream[i];
        line_fate *f = fate_of(t, places, e->line);
        if (e->op >= SIM_STREAM_STEP) continue;
        f->line = e->line + 1;
        f->missed |= e->missed;
    }
    for (uint32_t i = 0; i < b->stream_n; i++) {
        sim_stream_entry *e = &b->stream[i];
        line_fate *f = t ? fate_of(t, places, e->line) : NULL;
        e->missed = f ? e->sectors & f->missed & ~f->asked : 0;
        if (!f) continue;
        f->line = e->line + 1;
        f->asked |= e->sectors;
    }
    free(t);
    return t != NULL;
}
