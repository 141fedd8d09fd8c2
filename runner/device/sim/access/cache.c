/* The cache models that cache.h describes. */
#include "runner/device/sim/access/cache_internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Returns zeroed memory for random access, in large pages if the host has them. */
static void *large(size_t bytes) {
    enum { PAGE = 2 << 20 };
    size_t n = (bytes + PAGE - 1) / PAGE * PAGE;
    void *p = aligned_alloc(PAGE, n);
    if (!p) return NULL;
    madvise(p, n, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

static void l2_empty(sim_caches *c) {
    c->partial_n = c->partial_live = 0;
    for (uint32_t i = 0; i < c->bundles; i++)
        for (unsigned k = 0; k < L2_BUNDLE; k++)
            for (unsigned w = 0; w < L2_WAYS; w++) c->l2[i].set[k].way[w] = w << L2_TAG | w;
}

sim_caches *sim_caches_make(const sim_profile *p, sim_l2_feed_fn *feed) {
    sim_caches *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->feed = feed;
    c->sms = p->sms ? p->sms : 1;
    c->ways_each = p->l1_bytes / SIM_LINE_BYTES;
    c->parts = p->l2_partitions;
    c->sets = (uint32_t)(p->l2_bytes / SIM_LINE_BYTES / L2_WAYS / c->parts);
    c->l1 = aligned_alloc(sizeof *c->l1, c->sms * sizeof *c->l1);
    c->ways = c->ways_each ? large(c->ways_each * c->sms * sizeof *c->ways) : NULL;
    c->bundles = (c->sets * c->parts + L2_BUNDLE - 1) / L2_BUNDLE;
    c->l2 = c->bundles ? large(c->bundles * sizeof *c->l2) : NULL;
    c->group_shift = c->sets >> L2_GROUP_SHIFT ? L2_GROUP_SHIFT : 0;
    c->groups = c->sets >> c->group_shift;
    while (2ull << c->tag_shift <= c->groups) c->tag_shift++;
    c->line_bits =
        32 - L2_TAG + c->tag_shift < L2_LINE_BITS ? 32 - L2_TAG + c->tag_shift : L2_LINE_BITS;
    c->partial_most = c->sets * c->parts * L2_WAYS / L2_PARTIAL_SHARE;
    c->partial_cap = c->partial_most * 4 + 1;
    c->partial = malloc(c->partial_cap * sizeof *c->partial);
    if (!c->l1 || (c->ways_each && !c->ways) || (c->bundles && !c->l2) || !c->partial) {
        sim_caches_free(c);
        return NULL;
    }
    for (unsigned i = 0; i < c->sms; i++)
        c->l1[i] = (sim_l1){.way = c->ways ? c->ways + i * c->ways_each : NULL};
    l2_empty(c);
    return c;
}

void sim_caches_take(sim_caches *c, const sim_caches *from) {
    if (!c->bundles) return;
    memcpy(c->l2, from->l2, c->bundles * sizeof *c->l2);
    memcpy(c->partial, from->partial, c->partial_cap * sizeof *c->partial);
    c->partial_first = from->partial_first;
    c->partial_n = from->partial_n;
    c->partial_live = from->partial_live;
}

void sim_caches_free(sim_caches *c) {
    if (!c) return;
    free(c->l1);
    free(c->ways);
    free(c->l2);
    free(c->partial);
    free(c);
}

bool sim_caches_l2(const sim_caches *c) {
    return c->sets;
}

void sim_caches_flush(sim_caches *c) {
    if (c) l2_empty(c);
}

/* ---- L1 ---- */

void sim_l1_empty(sim_l1 *l) {
    enum { NEXT = 16 };
    l->stamp += NEXT;
    /* the stamps start again */
    if (l->sets && (l->stamp > l->stamp_bits || l->filled != l->sets)) {
        memset(l->way, 0, (size_t)l->sets * SIM_L1_WAYS * sizeof *l->way);
        l->stamp = 0;
    }
    l->filled = l->sets;
    l->stale = false;
}

void sim_l1_resize(sim_l1 *l, uint32_t sets) {
    enum { SECTORS = 15 };
    l->sets = sets;
    l->stale = sets != 0;
    l->stamp_bits = SECTORS;
    while ((l->stamp_bits + 1) * 2ull <= sets) l->stamp_bits = l->stamp_bits * 2 + 1;
}

void sim_caches_launch(sim_caches *c, uint64_t bytes) {
    uint64_t ways = bytes / SIM_LINE_BYTES < c->ways_each ? bytes / SIM_LINE_BYTES : c->ways_each;
    for (unsigned i = 0; i < c->sms; i++) {
        sim_l1_resize(&c->l1[i], (uint32_t)(ways / SIM_L1_WAYS));
        c->l1[i].turn = 0;
    }
}

sim_l1 *sim_caches_l1(sim_caches *c, unsigned sm) {
    return &c->l1[sm % c->sms];
}

sim_l1 *sim_l1_new(const sim_l1 *like) {
    sim_l1 *l = aligned_alloc(sizeof *l, sizeof *l);
    if (!l) return NULL;
    *l = (sim_l1){0};
    if (like->sets && (l->way = calloc((size_t)like->sets * SIM_L1_WAYS, sizeof *l->way))) {
        sim_l1_resize(l, like->sets);
        sim_l1_empty(l);
    }
    return l;
}

void sim_l1_free(sim_l1 *l) {
    if (!l) return;
    free(l->way);
    free(l);
}

unsigned sim_l1_search(uint32_t *set, uint32_t want, unsigned sectors) {
    enum { SECTORS = 15 };
    uint32_t was = set[0];
    if ((was ^ want) <= SECTORS) {
        set[0] |= sectors;
        return was & sectors;
    }
    /* each way moves back one place, up to the line's own */
    for (unsigned i = 1; i < SIM_L1_WAYS; i++) {
        uint32_t here = set[i];
        set[i] = was;
        if ((here ^ want) <= SECTORS) {
            set[0] = here | sectors;
            return here & sectors;
        }
        was = here;
    }
    set[0] = want | sectors;
    return 0;
}

/* ---- L2 ---- */

static void straight_to_dram(sim_stream_entry *e, uint32_t n, sim_l2_count *to) {
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = (uint64_t)__builtin_popcount(e[i].sectors) * SECTOR;
        if (e[i].op != SIM_STREAM_STORE) to->dram_read += bytes;
        if (e[i].op != SIM_STREAM_LOAD) to->dram_write += bytes;
        e[i].missed = e[i].sectors;
    }
}

void sim_l2_feed(sim_caches *c, unsigned sm, sim_stream_entry *e, uint32_t n, uintptr_t next,
                 sim_l2_count *to) {
    if (c->sets) c->feed(c, sm, e, n, next, to);
    else straight_to_dram(e, n, to);
}

unsigned sim_l2_access(sim_caches *c, unsigned sm, uint64_t line, unsigned sectors, sim_l2_op op,
                       uint32_t words, sim_l2_count *n) {
    sim_stream_entry e = {
        .line = line, .words = words, .sectors = (uint8_t)sectors, .op = (uint8_t)op};
    sim_l2_feed(c, sm, &e, 1, 0, n);
    return e.sectors & ~e.missed;
}
