/* Chooses the blocks to sample, and fills the growing arrays of their streams. See trace.h. */
#include "runner/device/sim/time/trace.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/access/access.h"
#include "runner/device/sim/memory/memory.h"
#include "runner/device/sim/profile.h"
#include "runner/device/sim/time/meets.h"
#include <stdlib.h>
#include <string.h>

/* Warp instructions recorded per launch, over all sampled warps, and the minimum for a warp. A
 * replay takes some tens of nanoseconds for each. */
enum { BUDGET = 1 << 20, ROOM_MIN = 4096 };

static unsigned trace_pick(sim_trace_block *to, uint64_t grid, uint64_t sms, uint64_t sm,
                           uint64_t wave, unsigned n) {
    unsigned got = 0;
    for (uint64_t b = wave * sms + sm; got < n && b < grid; b += sms) to[got++].block = b;
    return got;
}

uint64_t sim_trace_draw(uint64_t draw, unsigned n, uint64_t end) {
    uint64_t h = draw + n * 0x9E3779B97F4A7C15u; /* splitmix64 */
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return end ? (h ^ h >> 31) % end : 0;
}

/* One block for each multiprocessor, and few enough to record all: after they have run it is known
 * which of them takes longest (sim_trace_longest()). */
enum { FEW = 16 };
static void trace_pick_all(sim_trace *t, uint64_t grid) {
    t->blocks[t->block_count++].block = t->sm;
    for (uint64_t b = 0; b < grid; b++)
        if (b != t->sm) t->blocks[t->block_count++].block = b;
    t->first_count = 1;
}

unsigned sim_trace_longest(const sim_trace *t) {
    uint64_t most = 0;
    unsigned longest = 0;
    if (t->first_count != 1 || t->block_count < 2) return 0;
    for (unsigned k = 0; k < t->block_count; k++) {
        uint64_t steps = t->blocks[k].alone;
        for (unsigned w = 0; !t->blocks[k].alone && w < t->blocks[k].warp_count; w++)
            steps += t->blocks[k].warps[w].at.steps;
        if (steps > most) most = steps, longest = k;
    }
    return t->all ? longest : 0;
}

void sim_trace_lead(sim_trace *t, unsigned k) {
    sim_trace_block first = t->blocks[0];
    if (!k || k >= t->block_count) return;
    t->blocks[0] = t->blocks[k];
    t->blocks[k] = first;
    t->sm = (unsigned)t->blocks[0].block;
}

/* Samples blocks of multiprocessor t->sm that open the launch, and of `sm` from its middle; at most
 * n of each. */
static void trace_pick_two(sim_trace *t, const sim_profile *p, uint64_t grid_blocks, unsigned n,
                           uint64_t sm, uint64_t draw) {
    t->first_count = trace_pick(t->blocks, grid_blocks, p->sms, t->sm, 0, n);
    uint64_t per_sm = grid_blocks / p->sms + (grid_blocks % p->sms > sm), from = 0;
    /* not those that open the launch, if there are others */
    if (per_sm > n) from = draw || n > (per_sm - n) / 2 ? n : (per_sm - n) / 2;
    if (draw && per_sm > 2 * n) from += sim_trace_draw(draw, 3, per_sm - 2 * n + 1);
    t->block_count = t->first_count;
    if (sm != t->sm || per_sm > n)
        t->block_count += trace_pick(t->blocks + t->first_count, grid_blocks, p->sms, sm, from, n);
}

sim_trace *sim_trace_of(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                        unsigned resident, uint64_t draw, int lead) {
    if (!grid_blocks || !warps_per_block) return NULL;
    sim_trace *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    unsigned n = resident ? resident : 1;
    t->blocks = calloc((size_t)n * 2 + FEW, sizeof *t->blocks);
    if (!t->blocks) goto fail;
    uint64_t used = grid_blocks < p->sms ? grid_blocks : p->sms, sm = used / 2;
    /* One of the multiprocessors with the most blocks, like multiprocessor 0. */
    uint64_t last = grid_blocks % p->sms, full = last && grid_blocks > p->sms ? last : used;
    bool led = lead >= 0 && (uint64_t)lead < used;
    if (led) t->sm = (unsigned)lead;
    if (draw) {
        if (!led) t->sm = (unsigned)sim_trace_draw(draw, 1, full);
        sm = (t->sm + 1 + sim_trace_draw(draw, 2, used - 1)) % used;
    } else if (sm == t->sm) sm = 0;
    t->all = grid_blocks <= FEW && grid_blocks <= (uint64_t)p->sms;
    if (t->all) trace_pick_all(t, grid_blocks);
    else trace_pick_two(t, p, grid_blocks, n, sm, draw);
    if (!t->block_count) goto fail; /* impossible */
    uint64_t room = BUDGET / ((uint64_t)t->block_count * warps_per_block);
    for (unsigned i = 0; i < t->block_count; i++) {
        sim_trace_block *b = &t->blocks[i];
        b->warps = calloc(warps_per_block, sizeof *b->warps);
        if (!b->warps) goto fail;
        b->warp_count = warps_per_block;
        for (unsigned w = 0; w < warps_per_block; w++)
            b->warps[w] =
                (sim_trace_warp){.at = {.first = UINT32_MAX,
                                        .next = UINT32_MAX,
                                        .room = room > ROOM_MIN ? (uint32_t)room : ROOM_MIN}};
    }
    return t;
fail:
    sim_trace_free(t);
    return NULL;
}

sim_trace *sim_trace_new(const sim_profile *p, uint64_t grid_blocks, unsigned warps_per_block,
                         unsigned resident, uint64_t draw) {
    return sim_trace_of(p, grid_blocks, warps_per_block, resident, draw, -1);
}

void sim_trace_free(sim_trace *t) {
    if (!t) return;
    for (unsigned i = 0; i < t->block_count; i++) {
        sim_trace_block *b = &t->blocks[i];
        free(b->segs);
        for (unsigned w = 0; b->warps && w < b->warp_count; w++) {
            free(b->warps[w].runs);
            free(b->warps[w].events);
        }
        free(b->warps);
    }
    free(t->brought);
    free(t->blocks);
    free(t);
}

/* Both groups ascend, so two short searches are enough. */
sim_trace_block *sim_trace_block_begin(sim_trace *t, uint64_t block) {
    if (!t) return NULL;
    for (unsigned group = 0; group < 2; group++) {
        unsigned lo = group ? t->first_count : 0, hi = group ? t->block_count : t->first_count,
                 end = hi;
        while (lo < hi) {
            unsigned mid = (lo + hi) / 2;
            if (t->blocks[mid].block < block) lo = mid + 1;
            else hi = mid;
        }
        if (lo < end && t->blocks[lo].block == block) {
            t->blocks[lo].digest = t->seed;
            return &t->blocks[lo];
        }
    }
    return NULL;
}

void sim_trace_close_run(sim_trace_warp *w) {
    if (w->at.first != w->at.next) {
        if (w->at.run_count == w->run_cap) {
            uint32_t cap = w->run_cap ? w->run_cap * 2 : 64;
            if (!lib_resize(&w->runs, cap, sizeof *w->runs)) {
                w->at.off = true;
                return;
            }
            w->run_cap = cap;
        }
        w->runs[w->at.run_count++] = (sim_trace_run){w->at.first, w->at.next - w->at.first};
    }
    w->at.first = w->at.next;
    if (!w->at.room) w->at.off = true;
}

void sim_trace_grow_events(sim_trace_warp *w) {
    uint32_t cap = w->event_cap ? w->event_cap * 2 : 64;
    if (lib_resize(&w->events, cap, sizeof *w->events)) w->event_cap = cap;
    else w->at.off = true;
}

static bool trace_round_if(sim_trace_warp *w, uint32_t pc, bool same) {
    uint64_t round = w->at.steps - w->wait.at.steps;
    if (!same || w->changed || !w->wait.set || w->wait.pc != pc ||
        (w->wait.round && w->wait.round != round))
        return false;
    w->at = w->wait.at;
    w->wait.round = round;
    return true;
}

bool sim_trace_round_asks(sim_trace_warp *w, uint32_t pc, uint64_t asked) {
    return trace_round_if(w, pc, asked && w->wait.asked == asked);
}

void sim_trace_round(sim_trace_warp *w, uint32_t pc, uint64_t state, uint64_t asked) {
    if (trace_round_if(w, pc, w->wait.state == state)) return;
    w->wait.set = true;
    w->wait.pc = pc;
    w->wait.state = state;
    w->wait.asked = asked;
    w->wait.round = 0;
    w->wait.at = w->at;
}

/* Returns the most units of those lanes in one bank; the number of banks is a power of two. */
static unsigned most_in_a_bank(const uint64_t unit[32], uint32_t mask, unsigned banks) {
    uint8_t next[32], first[32] = {0},
                      depth[32] = {0}; /* by bank: list of its lanes, +1; its length */
    unsigned most = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask), bank = (unsigned)unit[l] & (banks - 1),
                 k = first[bank];
        while (k && unit[k - 1] != unit[l]) k = next[k - 1];
        if (k) continue;
        next[l] = first[bank];
        first[bank] = (uint8_t)(l + 1);
        if (++depth[bank] > most) most = depth[bank];
    }
    return most;
}

/* L1's tags are in four banks. The bank of a line was found from what an H100 counts
 * (docs/model-tables.md, "Loads that L1 has"): exact for the lowest 11 bits of its number, within
 * 0.2% for two more bits; lines further away use the same rule. */
enum { TAG_BANKS = 4 };
static unsigned tag_bank(uint64_t line) {
    uint32_t low = (uint32_t)(line ^ line >> 13 ^ line >> 26);
    return (unsigned)(__builtin_parity(low & 0x12b5) | __builtin_parity(low & 0x1dda) << 1);
}

/* Sorts the lanes of `mask` by the lookup in which their line is looked up: group[] from 0 on.
 * Returns the number of lookups. */
static unsigned lookups(const uint64_t line[32], uint32_t mask, uint32_t group[32]) {
    uint8_t turn[32], taken[TAG_BANKS] = {0};
    unsigned seen[32], lines = 0, count = 0, k = 0;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        if (!lines || line[seen[k]] != line[l]) /* mostly that of its neighbour */
            for (k = 0; k < lines && line[seen[k]] != line[l];) k++;
        if (k == lines) {
            seen[lines++] = l;
            turn[k] = taken[tag_bank(line[l])]++;
            if (turn[k] == count) group[count++] = 0;
        }
        group[turn[k]] |= UINT32_C(1) << l;
    }
    return count;
}

/* Passes of those lanes; each part of the warp has its own. */
static unsigned bank_passes(const uint64_t unit[32], uint32_t mask, unsigned banks) {
    unsigned total = 0;
    for (unsigned from = 0; from < 32; from += banks) {
        uint32_t part = mask & (0xffffffffu >> (32 - banks)) << from;
        if (part) total += most_in_a_bank(unit, part, banks);
    }
    return total;
}

static uint32_t sector_of(uint64_t address) {
    uint32_t s = (uint32_t)(address / (SIM_LINE_BYTES / 4));
    return s ? s : 1;
}

sim_l1_passes sim_trace_l1_passes(const uint64_t address[32], uint64_t offset, uint32_t mask,
                                  unsigned bytes) {
    unsigned shift = bytes > 8 ? 4 : bytes > 4 ? 3 : 2, banks = 128 >> shift, each = 0;
    uint64_t unit[32], line[32], differ = 0;
    for (unsigned l = 0; l < 32; l++) {
        unit[l] = (address[l] + offset) >> shift;
        line[l] = (address[l] + offset) / SIM_LINE_BYTES;
    }
    if (!mask) return (sim_l1_passes){1, 1, {0, 0}};
    unsigned first = (unsigned)__builtin_ctz(mask), last = 31 - (unsigned)__builtin_clz(mask),
             together = bank_passes(unit, mask, banks);
    sim_l1_passes p = {
        (uint16_t)together,
        (uint16_t)together,
        {sector_of(address[first] + offset), sector_of(address[last] + offset + bytes - 1)}};
    for (unsigned l = 0; l < 32; l++) differ |= mask >> l & 1 ? line[l] ^ line[first] : 0;
    if (!differ) return p;
    uint32_t group[32];
    unsigned groups = lookups(line, mask, group);
    for (unsigned g = 0; g < groups; g++) each += bank_passes(unit, group[g], banks);
    p.absent = (uint16_t)each;
    if (groups > together) p.had = (uint16_t)groups;
    return p;
}

unsigned sim_trace_atom_passes(const uint64_t address[32], uint64_t offset, uint32_t mask) {
    unsigned beyond = 0;
    for (uint32_t left = mask; left;) {
        uint64_t sector = (address[__builtin_ctz(left)] + offset) / 32;
        uint32_t lanes = 0;
        for (uint32_t x = left; x; x &= x - 1) {
            unsigned l = (unsigned)__builtin_ctz(x);
            if ((address[l] + offset) / 32 == sector) lanes |= 1u << l;
        }
        left &= ~lanes;
        unsigned most = 0;
        while (lanes) {
            uint64_t word = address[__builtin_ctz(lanes)];
            unsigned n = 0;
            for (uint32_t x = lanes; x; x &= x - 1) {
                unsigned l = (unsigned)__builtin_ctz(x);
                if (address[l] == word) n++, lanes &= ~(1u << l);
            }
            most = n > most ? n : most;
        }
        beyond += most - 1;
    }
    return beyond + 1;
}

/* Counts lines that the block's loads and atomics had to fetch, with their halves and sectors, each
 * once: neighbouring requests often need the rest of a line. */
static void count_lines(sim_trace *t, const sim_stream_entry *stream, size_t n) {
    size_t cap = 64;
    while (cap < 2 * n && cap < (size_t)1 << 20) cap *= 2;
    uint64_t *line = calloc(cap, sizeof *line); /* line + 1 */
    uint8_t *had = calloc(cap, 1);              /* its sectors */
    uint64_t lines = 0, halves = 0, sectors = 0;
    for (size_t i = 0; line && had && i < n && lines < cap / 2; i++) {
        unsigned missed = stream[i].missed;
        if ((stream[i].op != SIM_STREAM_LOAD && stream[i].op != SIM_STREAM_ATOM) || !missed)
            continue;
        size_t k = (stream[i].line * 0x9E3779B97F4A7C15u >> 20) & (cap - 1);
        while (line[k] && line[k] != stream[i].line + 1) k = (k + 1) & (cap - 1);
        if (!line[k]) line[k] = stream[i].line + 1, lines++;
        unsigned is = had[k] | missed;
        if (stream[i].op == SIM_STREAM_LOAD) /* the whole half is fetched */
            is |= (missed & 3 ? 3u : 0) | (missed & 12 ? 12u : 0);
        halves += (is & 3 && !(had[k] & 3)) + (is & 12 && !(had[k] & 12));
        sectors += (unsigned)__builtin_popcount(is & ~(unsigned)had[k]);
        had[k] = (uint8_t)is;
    }
    __atomic_fetch_add(&t->dram_lines, lines, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->dram_halves, halves, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->dram_sectors, sectors, __ATOMIC_RELAXED);
    free(line);
    free(had);
}

/* Most accesses are to device memory, whose addresses are known. */
static void count_remote(sim_trace *t, const sim_stream_entry *stream, size_t n) {
    const sim_alloc *x = NULL;
    for (size_t i = 0; t->memory && i < n; i++) {
        uint64_t at = stream[i].line * SIM_LINE_BYTES;
        if (at - SIM_DEV_BASE(0) < 16 * SIM_DEV_BYTES) {
            if ((at - SIM_DEV_BASE(0)) / SIM_DEV_BYTES != sim_memory_device_index(t->memory))
                __atomic_fetch_add(
                    stream[i].op == SIM_STREAM_LOAD ? &t->peer_read : &t->peer_written,
                    (uint64_t)__builtin_popcount(stream[i].sectors), __ATOMIC_RELAXED);
            continue;
        }
        if (!x || at + SIM_LINE_BYTES <= x->base || at - x->base >= x->size)
            x = sim_memory_find(t->memory, at < SIM_LINE_BYTES ? at : at + SIM_LINE_BYTES - 1);
        if (!x || x->kind != SIM_ALLOC_REMOTE) continue;
        uint64_t sectors = (uint64_t)__builtin_popcount(stream[i].sectors);
        __atomic_fetch_add(stream[i].op == SIM_STREAM_LOAD ? &t->link_read : &t->link_written,
                           sectors, __ATOMIC_RELAXED);
    }
}

/* Mixes both halves of a product: each bit affects others in both directions, whatever h is. */
static inline uint64_t mixed(uint64_t h, uint64_t word) {
    __extension__ typedef unsigned __int128 wide;
    wide p = (wide)(h ^ word) * 0x9E3779B97F4A7C15u;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Mixes n bytes into h: a few words in parallel, which the host multiplies at the same time. */
static uint64_t mixed_bytes(uint64_t h, const void *bytes, size_t n) {
    enum { WORDS = 4 };
    const char *from = bytes;
    uint64_t side[WORDS], word[WORDS];
    for (unsigned k = 0; k < WORDS; k++) side[k] = mixed(h + k, n);
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < sizeof word ? n - at : sizeof word;
        memcpy(some < sizeof word ? memset(word, 0, sizeof word) : word, from + at, some);
        for (unsigned k = 0; k < WORDS; k++) side[k] = mixed(side[k], word[k]);
    }
    for (unsigned k = 0; k < WORDS; k++) h = mixed(h, side[k]);
    return h;
}

/* Replaces the sectors of the block's loads by numbers: lines in the order of their first access,
 * four sectors each. */
static void number_sectors(sim_trace_block *b) {
    typedef struct {
        uint32_t line, number;
    } entry;
    size_t events = 0, cap = 64;
    for (unsigned w = 0; w < b->warp_count; w++) events += b->warps[w].at.event_count;
    while (cap < 4 * events) cap *= 2;
    entry *t = calloc(cap, sizeof *t);
    uint32_t met = 0;
    for (unsigned w = 0; w < b->warp_count; w++)
        for (uint32_t i = 0; i < b->warps[w].at.event_count; i++)
            for (unsigned side = 0; side < 2; side++) {
                uint32_t *s = &b->warps[w].events[i].ends[side], line = *s / 4;
                if (!t) *s = 0;
                if (!*s) continue;
                size_t k = line * 0x9E3779B1u & (cap - 1);
                while (t[k].number && t[k].line != line) k = (k + 1) & (cap - 1);
                if (!t[k].number) t[k] = (entry){line, ++met};
                *s = 4 * t[k].number + *s % 4;
            }
    free(t);
}

static uint64_t block_digest(const sim_trace_block *b) {
    _Static_assert(sizeof(sim_trace_event) == 44 && sizeof(sim_trace_run) == 8, "have gaps");
    uint64_t h = mixed(b->digest, b->warp_count);
    for (unsigned w = 0; w < b->warp_count; w++) {
        const sim_trace_warp *s = &b->warps[w];
        h = mixed(h, s->at.steps);
        h = mixed_bytes(h, s->runs, s->at.run_count * sizeof *s->runs);
        h = mixed_bytes(h, s->events, s->at.event_count * sizeof *s->events);
    }
    return h;
}

/* Keeps only the groups of words for which some access waits. */
static void number_words(sim_trace_block *b) {
    uint16_t *number = NULL;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned w = 0; w < b->warp_count; w++)
            for (uint32_t i = 0; i < b->warps[w].at.event_count; i++) {
                sim_trace_event *e = &b->warps[w].events[i];
                unsigned group = e->word & (SIM_MEETS_MOST - 1u);
                if (!group || (!pass && !e->turn)) continue;
                if (!number && !(number = calloc(SIM_MEETS_MOST, sizeof *number))) return;
                if (!pass && !number[group]) number[group] = (uint16_t)++b->word_count;
                if (pass && number[group])
                    e->word = (uint16_t)(number[group] | (e->word & SIM_WORD_WRITES));
                else if (pass) e->word = e->turn = 0;
            }
    free(number);
}

void sim_trace_finish(sim_trace_block *b) {
    for (unsigned w = 0; w < b->warp_count; w++) {
        if (!b->warps[w].at.off) sim_trace_close_run(&b->warps[w]);
        b->warps[w].at.off = true;
    }
    number_words(b);
    b->digest = block_digest(b);
    b->done = true;
}

uint64_t sim_trace_digest(const sim_trace *t) {
    uint64_t h = mixed(t->first_count, t->opened);
    for (unsigned k = 0; k < t->block_count; k++) {
        if (!t->blocks[k].done) return 0;
        h = mixed(h, t->blocks[k].digest);
    }
    return h;
}

/* ---- lines in flight ----
 *
 * In the model of L2, whole blocks follow each other. On a device hundreds run at the same time,
 * and a block that reads what a neighbour requested from DRAM a moment ago waits for it. This is
 * modelled from a block's start until it loops; after that the blocks have drifted apart. */
enum {
    LATE_BLOCKS = 32,
    BROUGHT = 1 << 12,
    LOOKED_AT = 128 /* entries of a block's stream, from its start on */
};
struct sim_trace_brought {
    uint64_t line[BROUGHT], block[BROUGHT]; /* by hash, +1 */
};
static unsigned brought_at(uint64_t line) {
    return (unsigned)(line * 0x9E3779B97F4A7C15u >> 52);
}

/* Returns whether one of the next blocks is sampled. */
static bool is_followed(const sim_trace *t, uint64_t block) {
    for (unsigned k = 0; k < t->block_count; k++)
        if (t->blocks[k].block > block && t->blocks[k].block - block <= LATE_BLOCKS) return true;
    return false;
}

static void keep_brought(sim_trace *t, uint64_t block, const sim_block_mem *mem) {
    if (!is_followed(t, block)) return;
    size_t n = 0;
    const sim_stream_entry *e = sim_block_stream(mem, &n);
    if (!t->brought && n) t->brought = calloc(1, sizeof *t->brought);
    for (size_t i = 0; t->brought && i < n && i < LOOKED_AT; i++) {
        if (e[i].op != SIM_STREAM_LOAD || !e[i].missed) continue;
        unsigned k = brought_at(e[i].line);
        t->brought->line[k] = e[i].line + 1, t->brought->block[k] = block;
    }
}

void sim_trace_pass(sim_trace *t, uint64_t block, const sim_block_mem *mem) {
    keep_brought(t, block, mem);
}

/* Returns sim_trace_event.late for the stream's entries from one on. */
static uint16_t late_of(const sim_trace *t, uint64_t block, const sim_stream_entry *e, size_t n) {
    uint64_t least = LATE_BLOCKS + 1;
    for (size_t i = 0; t->brought && i < n; i++) {
        unsigned k = brought_at(e[i].line);
        if (e[i].op != SIM_STREAM_LOAD || t->brought->line[k] != e[i].line + 1) continue;
        uint64_t ago = block - t->brought->block[k];
        if (ago < least) least = ago;
    }
    return least <= LATE_BLOCKS ? (uint16_t)least : 0;
}

void sim_trace_settle(sim_trace *t) {
    if (t->firsts) t->opened = sim_firsts_settle(t->firsts, t);
}

void sim_trace_resolve(sim_trace *t, sim_trace_block *b, const sim_block_mem *mem) {
    double sent_all = 0, missed_all = 0;
    size_t n = 0;
    const sim_stream_entry *stream = sim_block_stream(mem, &n);
    for (unsigned w = 0; w < b->warp_count; w++) {
        uint32_t last = 0; /* place of the previous event; none after the warp has branched back */
        for (uint32_t i = 0; i < b->warps[w].at.event_count; i++) {
            sim_trace_event *e = &b->warps[w].events[i];
            last = e->pc_low < last ? UINT32_MAX : e->pc_low;
            if (!e->stream_n) continue;
            sim_stream_cost c = sim_block_stream_cost(mem, e->stream_at, e->stream_n);
            if (!c.l2_hits && !c.dram) { /* later entries of a long block are not kept: as before */
                unsigned sent = e->sectors > e->l1_hits ? (unsigned)(e->sectors - e->l1_hits) : 0;
                c.dram = sent_all > 0 ? (unsigned)(sent * missed_all / sent_all + 0.5) : 0;
                c.l2_hits = sent - c.dram;
            } else sent_all += c.l2_hits + c.dram, missed_all += c.dram;
            e->l2_sectors = (uint16_t)(c.l2_hits + c.dram);
            e->misses = (uint16_t)c.dram;
            e->parts = (uint16_t)c.parts;
            if (last != UINT32_MAX && c.l2_hits && !c.dram && e->stream_at + e->stream_n <= n &&
                stream[e->stream_at].op == SIM_STREAM_LOAD)
                e->late = late_of(t, b->block, stream + e->stream_at, e->stream_n);
            if (t->firsts) sim_firsts_open(t->firsts, b->block, e, mem);
        }
    }
    if (t->firsts) sim_firsts_opened(t->firsts);
    keep_brought(t, b->block, mem);
    number_sectors(b);
    count_lines(t, stream, n);
    count_remote(t, stream, n);
    sim_trace_finish(b);
}
