/* Shared memory of another block of the cluster (PTX ISA 5.1.7), access by access: what a warp's
 * lanes get and leave there, what it is said to cost (32-byte sectors, each once; atomics: the most
 * lanes on one address), and every way in which a lane does not go through. Block 0 asks; block 1
 * is there, block 2 has ended. */
#include "check.h"
#include "access_fixture.h"
#include "tests/said.h"

enum { SHARED = 16384, CLUSTER = 3 };
#define AT(rank, offset) ((uint32_t)(rank) << SIM_RANK_SHIFT | (offset))

typedef struct {
    fixture *f;
    sim_cluster_mem cluster;
    sim_block_mem *other;
    sim_site near[24];
} pair;

static sim_site *site(pair *p, sim_space space, sim_access_kind kind, unsigned elem, unsigned vec,
                      unsigned flags) {
    sim_site *s = &p->f->sites[p->f->site_count], *near = &p->near[p->f->site_count++];
    *s = (sim_site){.loc = p->f->site_count,
                    .ptx_line = 1000 + p->f->site_count,
                    .space = (uint8_t)space,
                    .kind = (uint8_t)kind,
                    .elem = (uint8_t)elem,
                    .vec = (uint8_t)vec,
                    .flags = (uint16_t)flags};
    if (!sim_site_bind_cluster(s, near, sim_isa_best(), &p->f->site_states)) abort();
    return s;
}

static pair *pair_new(bool checks) {
    pair *p = calloc(1, sizeof *p);
    p->f = fixture_new("h200");
    p->f->options.check_race_shared = p->f->options.check_uninit = checks;
    return p;
}
static void start(pair *p) {
    fixture_start(p->f);
    p->other = sim_block_mem_new(p->f->launch);
    p->cluster.size = CLUSTER;
    p->cluster.met = true;
    sim_block_join(p->f->block, &p->cluster, 0);
    sim_block_join(p->other, &p->cluster, 1);
    sim_block_begin(p->other, 1);
    sim_access_enter(p->f->access, p->f->block, 0);
}
static void end(pair *p) {
    sim_block_end(p->other);
    sim_block_mem_free(p->other);
    fixture_end(p->f);
}
static void pair_free(pair *p) {
    fixture_free(p->f);
    free(p);
}
static const char *text(const pair *p) {
    return p->f->found_count ? said(&p->f->found[0].said) : "nothing";
}

/* All lanes of the mask: lane l at `first` + l * step; a load gives its words to `reg`, a store
 * takes them from there. */
static uint32_t reg[8][32];
static uint32_t go(const pair *p, const sim_site *s, uint32_t first, unsigned step, uint32_t mask) {
    uint32_t addr[32];
    uint64_t wide[32];
    void *dst[8], *ptr[32] = {0};
    for (unsigned l = 0; l < 32; l++) {
        addr[l] = first + l * step;
        wide[l] = SIM_SHARED_WINDOW + addr[l];
    }
    for (unsigned k = 0; k < 8; k++) dst[k] = reg[k];
    const void *at = s->space == SIM_SPACE_SHARED ? (const void *)addr : wide;
    switch (s->kind) {
    case SIM_ACCESS_LOAD: return s->load(p->f->access, s, at, mask, dst);
    case SIM_ACCESS_STORE: return s->store(p->f->access, s, at, mask, (const void *const *)dst);
    default: return s->ptr(p->f->access, s, at, mask, ptr);
    }
}

static void costs(void) {
    static const struct {
        sim_access_kind kind;
        unsigned elem, vec, step;
        uint32_t mask;
        unsigned passes, sectors, distinct, conflicts;
    } rows[] = {
        {SIM_ACCESS_LOAD, 4, 1, 4, ~0u, 1, 4, 32, 0},
        {SIM_ACCESS_LOAD, 4, 1, 0, ~0u, 1, 1, 1, 0},
        {SIM_ACCESS_LOAD, 4, 1, 32, ~0u, 1, 32, 32, 7},
        {SIM_ACCESS_LOAD, 4, 1, 16, 0xff, 1, 4, 8, 0},
        {SIM_ACCESS_LOAD, 1, 1, 1, ~0u, 1, 1, 32, 0},
        {SIM_ACCESS_LOAD, 4, 4, 16, ~0u, 1, 16, 32, 0},
        {SIM_ACCESS_LOAD, 4, 8, 32, 0xf, 1, 4, 4, 0},
        {SIM_ACCESS_STORE, 8, 1, 8, ~0u, 1, 8, 32, 0},
        {SIM_ACCESS_STORE, 4, 1, 4, 2, 1, 1, 1, 0},
        {SIM_ACCESS_ATOM, 4, 1, 0, ~0u, 32, 1, 1, 0},
        {SIM_ACCESS_ATOM, 4, 1, 0, 0x101, 2, 1, 1, 0},
        {SIM_ACCESS_ATOM, 4, 1, 4, ~0u, 1, 4, 32, 0},
        {SIM_ACCESS_ATOM, 8, 1, 64, ~0u, 1, 32, 32, 14},
    };
    for (unsigned generic = 0; generic < 2; generic++)
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
            pair *p = pair_new(false);
            const sim_site *s = site(p, generic ? SIM_SPACE_GENERIC : SIM_SPACE_SHARED,
                                     rows[i].kind, rows[i].elem, rows[i].vec, SIM_SITE_CLUSTER);
            start(p);
            CHECK_INT(go(p, s, AT(1, 64), rows[i].step, rows[i].mask), rows[i].mask);
            const sim_access_cost *c = sim_access_last(p->f->access);
            bool right =
                c->space == SIM_SPACE_REMOTE && c->lanes == __builtin_popcount(rows[i].mask) &&
                c->passes == rows[i].passes && c->sectors == rows[i].sectors &&
                c->distinct == rows[i].distinct && !c->lines && !c->l1_hits && !c->stream_n;
            if (!right)
                printf("# row %u: %u passes, %u sectors, %u distinct\n", i, c->passes, c->sectors,
                       c->distinct);
            CHECK(right);
            sim_counters n = fixture_counters(p->f),
                         want = {.shared_remote_requests = 1,
                                 .shared_remote_sectors = rows[i].sectors,
                                 .shared_remote_conflicts = rows[i].conflicts};
            if (rows[i].kind == SIM_ACCESS_ATOM) want.shared_remote_atomics = c->lanes;
            CHECK(!memcmp(&n, &want, sizeof n));
            end(p);
            CHECK_STR(text(p), "nothing");
            pair_free(p);
        }
}

/* Lanes 0 to 15 ask their own block, the others the one that is far: each gets what is there, and
 * both count. */
static void mixed(void) {
    for (unsigned generic = 0; generic < 2; generic++) {
        pair *p = pair_new(true);
        sim_space space = generic ? SIM_SPACE_GENERIC : SIM_SPACE_SHARED;
        const sim_site *ld = site(p, space, SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER),
                       *st = site(p, space, SIM_ACCESS_STORE, 4, 1, SIM_SITE_CLUSTER),
                       *atom = site(p, space, SIM_ACCESS_ATOM, 4, 1, SIM_SITE_CLUSTER);
        start(p);
        uint32_t addr[32], back[32];
        uint64_t wide[32];
        void *dst[1] = {back}, *ptr[32];
        const void *src[1] = {reg[0]};
        for (unsigned l = 0; l < 32; l++) {
            addr[l] = AT(l / 16, 256 + l * 4), wide[l] = SIM_SHARED_WINDOW + addr[l];
            reg[0][l] = 1000 + l, back[l] = 7;
        }
        const void *at = generic ? (const void *)wide : addr;
        CHECK_INT(st->store(p->f->access, st, at, ~0u, src), ~0u);
        CHECK_INT(ld->load(p->f->access, ld, at, ~0u >> 1, dst), ~0u >> 1);
        CHECK_INT(atom->ptr(p->f->access, atom, at, ~0u, ptr), ~0u);
        unsigned wrong = 0;
        const uint32_t *mine = sim_block_shared(p->f->block), *far = sim_block_shared(p->other);
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t *there = (l < 16 ? mine : far) + 64 + l,
                           *not = (l < 16 ? far : mine) + 64 + l;
            wrong += *there != 1000 + l || *not || ptr[l] != there;
            wrong += back[l] != (l < 31 ? 1000 + l : 7);
        }
        CHECK_INT(wrong, 0);
        sim_counters n = fixture_counters(p->f);
        CHECK_INT(n.shared_st_requests, 1);
        CHECK_INT(n.shared_ld_requests, 1);
        CHECK_INT(n.atom_shared_requests, 1);
        CHECK_INT(n.atom_shared_lanes, 16);
        CHECK_INT(n.shared_remote_requests, 3);
        CHECK_INT(n.shared_remote_sectors, 3 * 2);
        end(p);
        CHECK_STR(text(p), "nothing");
        pair_free(p);
    }
}

/* A generic access of a block of any rank, eight lanes each to its own shared memory, to another
 * block's, to global and to local memory: each goes where its address says, and nowhere else. */
static void generic(void) {
    for (unsigned rank = 0; rank < 2; rank++) {
        pair *p = pair_new(true);
        const sim_site *ld = site(p, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER),
                       *st = site(p, SIM_SPACE_GENERIC, SIM_ACCESS_STORE, 4, 1, SIM_SITE_CLUSTER);
        sim_addr x;
        sim_memory_alloc(p->f->memory, 256, SIM_ALLOC_USER, "x", &x);
        sim_memory_fill(p->f->memory, x, 0, 4, 64);
        start(p);
        sim_block_join(p->f->block, &p->cluster, rank);
        sim_block_join(p->other, &p->cluster, !rank);
        uint64_t addr[32];
        uint32_t back[32] = {0}, v;
        void *dst[1] = {back};
        const void *src[1] = {reg[0]};
        for (unsigned l = 0; l < 32; l++) {
            addr[l] = l < 8    ? SIM_SHARED_WINDOW + AT(rank, 64 + l * 4)
                      : l < 16 ? SIM_SHARED_WINDOW + AT(!rank, 64 + l * 4)
                      : l < 24 ? x + l * 4
                               : SIM_LOCAL_WINDOW + 16;
            reg[0][l] = 1000 + l;
        }
        CHECK_INT(st->store(p->f->access, st, addr, ~0u, src), ~0u);
        CHECK_INT(ld->load(p->f->access, ld, addr, ~0u, dst), ~0u);
        const uint32_t *mine = sim_block_shared(p->f->block), *far = sim_block_shared(p->other);
        unsigned wrong = 0;
        for (unsigned l = 0; l < 32; l++) {
            wrong += back[l] != 1000 + l || mine[16 + l] != (l < 8 ? 1000 + l : 0) ||
                     far[16 + l] != (l / 8 == 1 ? 1000 + l : 0);
            sim_memory_read(p->f->memory, &v, x + l * 4, 4);
            wrong += v != (l / 8 == 2 ? 1000 + l : 0);
            sim_local_read(p->f->block, 0, l, 16, &v, 4);
            wrong += v != (l >= 24 ? 1000 + l : 0);
        }
        CHECK_INT(wrong, 0);
        sim_counters n = fixture_counters(p->f);
        CHECK_INT(n.gst_requests + n.shared_st_requests + n.local_st_requests, 3);
        CHECK_INT(n.gld_requests + n.shared_ld_requests + n.local_ld_requests, 3);
        CHECK_INT(n.gld_sectors, 1);
        CHECK_INT(n.shared_remote_requests, 2);
        CHECK_INT(n.shared_remote_sectors, 2);
        end(p);
        CHECK_STR(text(p), "nothing");
        pair_free(p);
    }
}

/* One lane, and why it may not go through. */
static void faults(void) {
#define WITH_BLOCK(b) "the shared memory of block " b " of the cluster"
    static const struct {
        sim_access_kind kind;
        unsigned elem, vec, flags;
        uint32_t at;
        sim_status status;
        const char *text; /* behind the thread */
    } rows[] = {
        {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER, AT(1, SHARED - 4), SIM_OK, NULL},
        {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER, AT(1, SHARED), SIM_ILLEGAL_ADDRESS,
         "reads 4 bytes out of bounds: byte 16,384 of " WITH_BLOCK(
             "1") ", of which the block has 16,384 bytes"},
        {SIM_ACCESS_STORE, 4, 4, SIM_SITE_CLUSTER, AT(1, SHARED - 16), SIM_OK, NULL},
        {SIM_ACCESS_STORE, 4, 4, SIM_SITE_CLUSTER, AT(1, SHARED), SIM_ILLEGAL_ADDRESS,
         "writes 16 bytes out of bounds: byte 16,384 of " WITH_BLOCK(
             "1") ", of which the block has 16,384 bytes"},
        {SIM_ACCESS_ATOM, 4, 1, SIM_SITE_CLUSTER, AT(1, 0xfffffc), SIM_ILLEGAL_ADDRESS,
         "updates atomically 4 bytes out of bounds: byte 16,777,212 of " WITH_BLOCK(
             "1") ", of which the block has 16,384 bytes"},
        {SIM_ACCESS_LOAD, 8, 1, SIM_SITE_CLUSTER, AT(1, 4), SIM_MISALIGNED,
         "reads 8 bytes at an address that is not a multiple of 8: byte 4 of " WITH_BLOCK("1")},
        {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER, AT(1, 65), SIM_MISALIGNED,
         "reads 4 bytes at an address that is not a multiple of 4: byte 65 of " WITH_BLOCK("1")},
        {SIM_ACCESS_STORE, 2, 1, SIM_SITE_CLUSTER, AT(1, 65), SIM_MISALIGNED,
         "writes 2 bytes at an address that is not a multiple of 2: byte 65 of " WITH_BLOCK("1")},
        {SIM_ACCESS_LOAD, 1, 1, SIM_SITE_CLUSTER, AT(1, SHARED - 1), SIM_OK, NULL},
        {SIM_ACCESS_LOAD, 1, 1, SIM_SITE_CLUSTER, AT(1, SHARED), SIM_ILLEGAL_ADDRESS,
         "reads 1 byte out of bounds: byte 16,384 of " WITH_BLOCK(
             "1") ", of which the block has 16,384 bytes"},
        {SIM_ACCESS_LOAD, 8, 1, SIM_SITE_CLUSTER, AT(2, 64), SIM_ILLEGAL_ADDRESS,
         "reads memory that was freed: byte 64 of " WITH_BLOCK("2") ", which has ended"},
        {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER, AT(3, 64), SIM_ILLEGAL_ADDRESS,
         "reads 4 bytes out of bounds: shared memory of block 3 of the cluster, which has only 3 "
         "blocks"},
        {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_CLUSTER, AT(3, 66), SIM_ILLEGAL_ADDRESS,
         "reads 4 bytes out of bounds: shared memory of block 3 of the cluster, which has only 3 "
         "blocks"},
        {SIM_ACCESS_STORE, 4, 1, SIM_SITE_CLUSTER, AT(255, 0), SIM_ILLEGAL_ADDRESS,
         "writes 4 bytes out of bounds: shared memory of block 255 of the cluster, which has only "
         "3 blocks"},
        /* an instruction for its own block alone */
        {SIM_ACCESS_STORE, 4, 1, 0, AT(1, 64), SIM_ILLEGAL_ADDRESS,
         "writes 4 bytes out of bounds: byte 16,777,280 of shared memory, of which the block has "
         "16,384 bytes"},
        {SIM_ACCESS_STORE, 4, 1, 0, AT(0, 64), SIM_OK, NULL},
    };
    for (unsigned generic = 0; generic < 2; generic++)
        for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (generic && !rows[i].flags) continue; /* generic addresses reach the cluster */
            pair *p = pair_new(true);
            const sim_site *s =
                site(p, generic ? SIM_SPACE_GENERIC : SIM_SPACE_SHARED, rows[i].kind, rows[i].elem,
                     rows[i].vec, rows[i].flags | SIM_SITE_NO_UNINIT);
            start(p);
            bool good = rows[i].status == SIM_OK;
            CHECK_INT(go(p, s, rows[i].at, 0, 1u << 9), good ? 1u << 9 : 0);
            CHECK_INT(sim_access_fault(p->f->access), rows[i].status);
            sim_counters n = fixture_counters(p->f);
            CHECK_INT(n.shared_remote_requests, good && sim_shared_rank(rows[i].at));
            end(p);
            char want[200];
            snprintf(want, sizeof want, "test.cu:1: thread 9 of block 0 of k %s",
                     good ? "" : rows[i].text);
            CHECK_STR(text(p), good ? "nothing" : want);
            pair_free(p);
        }
}

/* What was never written there, of which only reads are told; a store from afar is a write. */
static void blank(void) {
    static const char told[] =
        "test.cu:1: thread 3 of block 0 of k reads memory that nothing has written: "
        "byte 32 of the shared memory of block 1 of the cluster";
    for (unsigned kind = SIM_ACCESS_LOAD; kind <= SIM_ACCESS_ATOM; kind++)
        for (unsigned how = 0; how < 4; how++) { /* 1: written before, 2: not to be told */
            pair *p = pair_new(true);
            const sim_site *s = site(p, SIM_SPACE_SHARED, (sim_access_kind)kind, 4, 2,
                                     SIM_SITE_CLUSTER | (how & 2 ? SIM_SITE_NO_UNINIT : 0)),
                           *st =
                               site(p, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, SIM_SITE_CLUSTER);
            start(p);
            CHECK(sim_shared_blank(p->other, 32, 8));
            if (how & 1) go(p, st, AT(1, 36), 0, 2); /* half of it is enough */
            CHECK_INT(sim_shared_blank(p->other, 36, 4), !(how & 1));
            CHECK(sim_shared_blank(p->other, 32, 4) && sim_shared_blank(p->other, 40, 4));
            CHECK_INT(go(p, s, AT(1, 32), 0, 8), 8);
            CHECK_INT(sim_shared_blank(p->other, 32, 8), kind == SIM_ACCESS_LOAD && !(how & 1));
            CHECK(sim_shared_blank(p->other, 40, 4) && sim_shared_blank(p->other, 28, 4));
            CHECK(sim_shared_blank(p->f->block, 32, 8)); /* the asker's own */
            end(p);
            if (kind == SIM_ACCESS_STORE || how) CHECK_STR(text(p), "nothing");
            else if (kind == SIM_ACCESS_LOAD) CHECK_STR(text(p), told);
            else
                CHECK_CONTAINS(text(p),
                               "nothing has written: byte 32 of the shared memory of block 1");
            pair_free(p);
        }
}

/* A far access with acquire semantics orders what the block's other warp has published; without the
 * checks there is nobody to tell. */
static void order(void) {
    for (unsigned how = 0; how < 4; how++) { /* 1: acquires, 2: releases */
        pair *p = pair_new(true);
        unsigned flags = SIM_SITE_CLUSTER | SIM_SITE_NO_UNINIT | SIM_SITE_STRONG |
                         (how & 1 ? SIM_SITE_ACQUIRE : 0) | (how & 2 ? SIM_SITE_RELEASE : 0);
        const sim_site *st = site(p, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 0),
                       *ld = site(p, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 0),
                       *far = site(p, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, flags);
        start(p);
        go(p, st, AT(0, 0), 4, ~0u);
        go(p, far, AT(1, 128), 0, ~0u);
        if (!(how & 2)) sim_fence(p->f->access, ~0u, false);
        sim_access_enter(p->f->access, p->f->block, 1);
        go(p, far, AT(1, 128), 0, ~0u);
        if (!(how & 1)) sim_fence(p->f->access, how & 2 ? ~0u : 0, false);
        go(p, ld, AT(0, 0), 4, ~0u);
        end(p);
        CHECK_INT(p->f->found_count, !how);
        pair_free(p);

        p = pair_new(false);
        far = site(p, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, flags);
        start(p);
        CHECK_INT(go(p, far, AT(1, 128), 0, ~0u), ~0u);
        end(p);
        pair_free(p);
    }
}

/* sim_shared_at(), sim_block_peer(). */
static void places(void) {
    pair *p = pair_new(false);
    start(p);
    uint8_t *mine = sim_block_shared(p->f->block), *far = sim_block_shared(p->other);
    const struct {
        uint32_t at, bytes;
        uint8_t *want;
    } rows[] = {{AT(0, 0), SHARED, mine},     {AT(0, 0), SHARED + 1, NULL},
                {AT(0, 1), SHARED, NULL},     {AT(0, SHARED - 1), 1, mine + SHARED - 1},
                {AT(0, SHARED), 1, NULL},     {AT(0, SHARED), 0, mine + SHARED},
                {AT(1, 100), 4, far + 100},   {AT(1, SHARED - 4), 4, far + SHARED - 4},
                {AT(1, SHARED - 3), 4, NULL}, {AT(2, 0), 4, NULL},
                {AT(3, 0), 4, NULL},          {AT(1, 0xffffff), UINT32_MAX, NULL}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(sim_shared_at(p->f->block, rows[i].at, rows[i].bytes) == rows[i].want);
    CHECK(sim_block_peer(p->f->block, 0) == p->f->block &&
          sim_block_peer(p->other, 0) == p->f->block);
    CHECK(sim_block_peer(p->f->block, 1) == p->other);
    CHECK(!sim_block_peer(p->f->block, 2) && !sim_block_peer(p->f->block, CLUSTER));
    sim_block_join(p->f->block, NULL, 0); /* of none: its own, and no other */
    CHECK(sim_block_peer(p->f->block, 0) == p->f->block && !sim_block_peer(p->f->block, 1));
    CHECK(sim_shared_at(p->f->block, 8, 4) == mine + 8 && !sim_shared_at(p->f->block, AT(1, 8), 4));
    end(p);
    pair_free(p);
}

int main(void) {
    costs();
    mixed();
    generic();
    faults();
    blank();
    order();
    places();
    return check_done();
}
