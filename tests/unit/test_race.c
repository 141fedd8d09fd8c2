/* Races in shared memory: small programs of a block, warp after warp as the executor would run
 * them, each with the verdict that the rules at the top of race.c give. */
#include "check.h"
#include "access_fixture.h"
#include "tests/said.h"

typedef struct {
    fixture *f;
    uint32_t next; /* a value never stored before */
    sim_site *ld, *st, *atom, *st8, *ld8, *v4, *cas, *exch, *relaxed;
} prog;

static prog begin(bool narrow) {
    prog p = {.f = fixture_new("h200")};
    p.f->byte_shadow = narrow;
    p.f->options.check_uninit = false;
    p.ld = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 10);
    p.st = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 20);
    p.atom = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 30);
    p.ld8 = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 1, 1, 40);
    p.st8 = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 1, 1, 50);
    p.v4 = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 4, 60);
    p.cas = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 70);
    p.cas->flags = SIM_SITE_ACQUIRE;
    p.exch = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 80);
    p.exch->flags = SIM_SITE_ACQUIRE | SIM_SITE_RELEASE;
    p.relaxed = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 90);
    p.relaxed->flags = SIM_SITE_STRONG | SIM_SITE_BYPASS_L1;
    fixture_start(p.f);
    return p;
}

/* Lane l of the warp accesses bytes at start + l * step. Stores write `value` + l * spread. */
static void go(prog *p, const sim_site *s, unsigned warp, uint32_t start, int step, uint32_t mask,
               uint32_t value, uint32_t spread) {
    uint32_t addr[32], reg[4][32] = {{0}};
    for (unsigned l = 0; l < 32; l++) {
        addr[l] = (uint32_t)((int)start + (int)l * step);
        reg[0][l] = value + l * spread;
    }
    sim_access_enter(p->f->access, p->f->block, warp);
    void *dst[4] = {reg[0], reg[1], reg[2], reg[3]}, *ptr[32];
    if (s->kind == SIM_ACCESS_LOAD) s->load(p->f->access, s, addr, mask, dst);
    else if (s->kind == SIM_ACCESS_STORE)
        s->store(p->f->access, s, addr, mask, (const void *const *)dst);
    else s->ptr(p->f->access, s, addr, mask, ptr);
}
static void read_(prog *p, unsigned warp, uint32_t start, int step) {
    go(p, p->ld, warp, start, step, ~0u, 0, 0);
}
static void write_(prog *p, unsigned warp, uint32_t start, int step) {
    go(p, p->st, warp, start, step, ~0u, p->next += 1000, 1);
}
static void barrier(prog *p) {
    sim_block_barrier(p->f->block, NULL);
}
static void warp_sync(prog *p, unsigned warp, uint32_t lanes) {
    sim_access_enter(p->f->access, p->f->block, warp);
    sim_warp_sync(p->f->access, lanes);
}

/* Ends the program: how many sites raced. */
static size_t races(prog *p) {
    fixture_end(p->f);
    size_t n = 0;
    for (size_t i = 0; i < p->f->found_count; i++) n += p->f->found[i].kind == SIM_FIND_RACE;
    return n;
}
static const char *text(const prog *p) {
    return p->f->found_count ? said(&p->f->found[0].said) : "nothing";
}
static void done(prog *p) {
    fixture_free(p->f);
}

#define VERDICT(n)                                                                                 \
    CHECK_INT(races(&p), n);                                                                       \
    done(&p)

static void between_warps(void) {
    prog p = begin(false);
    write_(&p, 0, 0, 4);
    barrier(&p);
    read_(&p, 1, 0, 4);
    VERDICT(0);

    p = begin(false); /* the missing __syncthreads() of a tile */
    write_(&p, 0, 0, 4);
    write_(&p, 1, 128, 4);
    read_(&p, 1, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_STR(text(&p), "test.cu:10: thread 32 of block 0 of k reads byte 0 of shared memory, "
                        "which thread 0 writes at test.cu:20: "
                        "a __syncthreads() is missing between them");
    CHECK_INT(p.f->found[0].count, 32);
    CHECK_INT(p.f->found[0].other_line, 20);
    CHECK(p.f->found[0].other_write);
    CHECK(!p.f->found[0].write);
    done(&p);

    /* the other missing one: a warp goes on to overwrite what another has not read yet */
    p = begin(false);
    write_(&p, 0, 0, 4);
    barrier(&p);
    read_(&p, 0, 0, 4);
    read_(&p, 1, 0, 4);
    write_(&p, 0, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_CONTAINS(text(&p), "thread 0 of block 0 of k writes byte 0 of shared memory, which "
                             "thread 32 reads at test.cu:10");
    done(&p);

    p = begin(false); /* the same whatever warp read last */
    barrier(&p);
    read_(&p, 1, 0, 4);
    read_(&p, 0, 0, 4);
    write_(&p, 0, 0, 4);
    VERDICT(1);

    p = begin(false);
    write_(&p, 0, 0, 4);
    write_(&p, 1, 0, 4);
    VERDICT(1);

    p = begin(false); /* many set one flag */
    for (unsigned w = 0; w < 8; w++) go(&p, p.st, w, 64, 0, ~0u, 1, 0);
    VERDICT(0);

    p = begin(false); /* neighbours, no overlap */
    for (unsigned w = 0; w < 8; w++) write_(&p, w, w * 128, 4);
    VERDICT(0);

    p = begin(false); /* vectors meet scalars */
    write_(&p, 0, 0, 4);
    go(&p, p.v4, 1, 0, 16, 0xff, 0, 0);
    VERDICT(1);
    p = begin(false);
    write_(&p, 0, 0, 4);
    go(&p, p.v4, 1, 128, 16, ~0u, 0, 0);
    VERDICT(0);

    p = begin(false); /* everybody reads a tile, by rows and by columns */
    for (unsigned w = 0; w < 8; w++) write_(&p, w, w * 128, 4);
    barrier(&p);
    for (unsigned w = 0; w < 8; w++) {
        read_(&p, w, 0, 4);
        read_(&p, w, 64, 0);
        go(&p, p.ld, w, 0, 128, 0xff, 0, 0);
        go(&p, p.v4, w, 0, 16, ~0u, 0, 0);
    }
    barrier(&p);
    for (unsigned w = 0; w < 8; w++) write_(&p, w, w * 128, 4);
    VERDICT(0);
}

/* Two races of one loop that take turns, each met by all lanes in each round of each block, and of
 * two warps and of one: each counts its own, and the lowest block's is the one that is told. */
static void in_turns(void) {
    enum { ROUNDS = 7, BLOCKS = 5 };
    prog p = begin(false);
    for (unsigned n = 0; n < BLOCKS; n++) {
        if (n) {
            sim_block_end(p.f->block);
            sim_block_commit(p.f->block);
            sim_block_begin(p.f->block, n);
        }
        for (unsigned k = 0; k < ROUNDS; k++) {
            barrier(&p);
            write_(&p, 0, 0, 4);
            read_(&p, 1, 0, 4);                             /* 32: read, written by warp 0 */
            go(&p, p.st8, 2, 0, 4, ~0u, p.next += 1000, 1); /* 32 that write what was written */
            go(&p, p.ld8, 2, 4, 4, 0x7fffffff, 0, 0);       /* 31: its neighbour's, in a warp */
        }
    }
    fixture_end(p.f);
    uint64_t of[3] = {0};
    for (size_t i = 0; i < p.f->found_count; i++) {
        const sim_finding *x = &p.f->found[i];
        CHECK_CONTAINS(said(&x->said), "of block 0 of k");
        if (x->line == 10 && x->other_line == 20) of[0] += x->count;
        if (x->line == 50 && x->other_write) of[1] += x->count;
        if (x->line == 40 && x->other_line == 50) of[2] += x->count;
    }
    CHECK_INT(of[0], 32 * ROUNDS * BLOCKS);
    CHECK_INT(of[1], 32 * ROUNDS * BLOCKS);
    CHECK_INT(of[2], 31 * ROUNDS * BLOCKS);
    done(&p);
}

static void in_a_warp(void) {
    prog p =
        begin(false); /* s[t] += s[t + 16] of a converged warp, with __syncwarp() after each step */
    for (int k = 16; k; k >>= 1) {
        read_(&p, 0, (uint32_t)k * 4, 4);
        read_(&p, 0, 0, 4);
        write_(&p, 0, 0, 4);
        warp_sync(&p, 0, ~0u);
    }
    VERDICT(0);

    p = begin(false); /* without it: the next step reads what another lane wrote */
    for (int k = 16; k > 4; k >>= 1) {
        read_(&p, 0, (uint32_t)k * 4, 4);
        read_(&p, 0, 0, 4);
        write_(&p, 0, 0, 4);
    }
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_CONTAINS(text(&p), "thread 0 of block 0 of k reads byte 32 of shared memory, which "
                             "thread 8 of the same warp writes at "
                             "test.cu:20: a __syncwarp() is missing between them");
    done(&p);

    p = begin(false); /* a lane may always read what it wrote itself */
    write_(&p, 0, 0, 4);
    read_(&p, 0, 0, 4);
    write_(&p, 0, 0, 4);
    VERDICT(0);

    p = begin(false); /* lanes that diverged: one side reads, the other writes */
    go(&p, p.ld, 0, 0, 4, 0x0000ffff, 0, 0);
    go(&p, p.st, 0, 0xffffffc0, 4, 0xffff0000, 1, 1);
    VERDICT(1);

    p = begin(false); /* two lanes of one store */
    go(&p, p.st, 0, 0, 0, 3, 5, 1);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_INT(p.f->found[0].thread[0], 0);
    CHECK_INT(p.f->found[0].other_thread[0], 1);
    done(&p);
    p = begin(false);
    go(&p, p.st, 0, 0, 0, 3, 5, 0);
    VERDICT(0);

    p = begin(false); /* half a warp syncs among itself */
    go(&p, p.st, 0, 0, 4, 0xffff, 1, 1);
    warp_sync(&p, 0, 0xffff);
    go(&p, p.ld, 0, 60, -4, 0xffff, 0, 0);
    VERDICT(0);
    p = begin(false);
    go(&p, p.st, 0, 0, 4, ~0u, 1, 1);
    warp_sync(&p, 0, 0xffff);
    warp_sync(&p, 0, 0xffff0000);
    go(&p, p.ld, 0, 124, -4, ~0u, 0, 0); /* from the other half */
    VERDICT(1);

    p = begin(false); /* it orders what came before alone: not the store right behind it */
    warp_sync(&p, 0, 0xffff);
    go(&p, p.st, 0, 0, 4, 0xffff, 1, 1);
    go(&p, p.ld, 0, 60, -4, 0xffff, 0, 0);
    VERDICT(1);

    p = begin(false); /* a sync of one warp orders nothing in another */
    write_(&p, 0, 0, 4);
    warp_sync(&p, 0, ~0u);
    warp_sync(&p, 1, ~0u);
    read_(&p, 1, 0, 4);
    VERDICT(1);
}

static void atomics_and_locks(void) {
    prog p = begin(false);
    for (unsigned w = 0; w < 8; w++) go(&p, p.atom, w, 0, 0, ~0u, 0, 0);
    VERDICT(0);

    p = begin(false); /* a histogram read before the barrier */
    for (unsigned w = 0; w < 8; w++) go(&p, p.atom, w, 0, 4, ~0u, 0, 0);
    read_(&p, 0, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_CONTAINS(text(&p), "which thread 224 updates atomically at test.cu:30");
    done(&p);

    p = begin(false); /* zeroed by others without a barrier */
    write_(&p, 0, 0, 4);
    go(&p, p.atom, 1, 0, 4, ~0u, 0, 0);
    VERDICT(1);

    p = begin(false); /* a relaxed load of an atomic's word */
    go(&p, p.atom, 0, 0, 0, ~0u, 0, 0);
    go(&p, p.relaxed, 1, 0, 0, ~0u, 0, 0);
    VERDICT(0);

    p = begin(false); /* a spin lock around plain accesses */
    for (unsigned w = 0; w < 4; w++) {
        go(&p, p.cas, w, 512, 0, 1, 0, 0);
        go(&p, p.ld, w, 0, 0, 1, 0, 0);
        go(&p, p.st, w, 0, 0, 1, 10 + w, 0);
        go(&p, p.exch, w, 512, 0, 1, 0, 0);
    }
    VERDICT(0);

    p = begin(false); /* a flag with fences */
    write_(&p, 0, 0, 4);
    sim_fence(p.f->access, ~0u, false);
    go(&p, p.relaxed, 1, 512, 0, ~0u, 0, 0);
    sim_fence(p.f->access, ~0u, false);
    read_(&p, 1, 0, 4);
    VERDICT(0);

    p = begin(false); /* one that the reader forgot */
    write_(&p, 0, 0, 4);
    sim_fence(p.f->access, ~0u, false);
    read_(&p, 1, 0, 4);
    VERDICT(1);
}

static void named_barriers(void) {
    uint32_t pair01[32] = {~0u, ~0u}, pair12[32] = {0, ~0u, ~0u};
    prog p = begin(false);
    write_(&p, 0, 0, 4);
    sim_block_barrier(p.f->block, pair01);
    read_(&p, 1, 0, 4);
    VERDICT(0);

    p = begin(false);
    write_(&p, 0, 0, 4);
    sim_block_barrier(p.f->block, pair01);
    read_(&p, 2, 0, 4);
    VERDICT(1);

    p = begin(false); /* through a third warp */
    write_(&p, 0, 0, 4);
    sim_block_barrier(p.f->block, pair01);
    sim_block_barrier(p.f->block, pair12);
    read_(&p, 2, 0, 4);
    VERDICT(0);

    p = begin(false); /* what comes after a barrier is not ordered by it */
    sim_block_barrier(p.f->block, pair01);
    write_(&p, 0, 0, 4);
    sim_block_barrier(p.f->block, pair12);
    read_(&p, 2, 0, 4);
    VERDICT(1);
}

static void bytes(void) {
    prog p = begin(true); /* each thread its own byte */
    for (unsigned w = 0; w < 8; w++) go(&p, p.st8, w, w * 32, 1, ~0u, w, 1);
    for (unsigned w = 0; w < 8; w++) go(&p, p.ld8, w, w * 32, 1, ~0u, 0, 0);
    VERDICT(0);

    p = begin(true); /* even and odd bytes of the same words by two warps */
    go(&p, p.st8, 0, 0, 2, ~0u, 1, 1);
    go(&p, p.st8, 1, 1, 2, ~0u, 1, 1);
    VERDICT(0);

    p = begin(true);
    go(&p, p.st8, 0, 0, 1, ~0u, 1, 1);
    go(&p, p.ld8, 1, 31, -1, ~0u, 0, 0);
    VERDICT(1);

    p = begin(true); /* a word over somebody's byte */
    go(&p, p.st8, 0, 5, 0, 1, 1, 0);
    go(&p, p.ld, 1, 4, 0, 1, 0, 0);
    VERDICT(1);
}

/* Long programs: serials run out, blocks follow each other, what was written stays written. */
static void endurance(void) {
    prog p = begin(false);
    fixture_end(p.f);
    p.f->options.check_uninit = true;
    fixture_start(p.f);
    write_(&p, 0, 0, 4);
    p.f->block->race.serial = (1u << 22) - 10;
    for (unsigned i = 0; i < 20; i++) {
        barrier(&p);
        read_(&p, 1, 0, 4);
        barrier(&p);
        write_(&p, 0, 0, 4);
    }
    CHECK(p.f->block->race.serial < 100);
    read_(&p, 1, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1); /* the last one */
    CHECK_INT(p.f->found[0].kind, SIM_FIND_RACE);
    CHECK_INT(p.f->found[0].count, 32);

    fixture_start(p.f);
    write_(&p, 0, 0, 4);
    sim_block_end(p.f->block);
    sim_block_commit(p.f->block);
    sim_block_begin(p.f->block, 132); /* the next block of this multiprocessor */
    sim_access_enter(p.f->access, p.f->block, 1);
    read_(&p, 1, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_INT(p.f->found[0].kind, SIM_FIND_UNINIT);
    done(&p);

    /* more accesses between two barriers than the log holds: a race with the first is still seen */
    p = begin(false);
    write_(&p, 0, 0, 4);
    for (unsigned i = 0; i < RACE_LOG + 10; i++) read_(&p, 2, 4096, 4);
    read_(&p, 1, 0, 4);
    fixture_end(p.f);
    CHECK_INT(p.f->found_count, 1);
    CHECK_INT(p.f->found[0].other_thread[0], 0);
    CHECK_INT(p.f->found[0].other_line, 0);
    done(&p);
}

/* ---- global memory, between blocks ---- */

typedef struct {
    fixture *f;
    sim_addr x;
    sim_site *ld, *st, *atom, *exch, *relaxed;
    uint32_t next;
} grid;

/* 4096 bytes that the kernel reads and writes: of the device, or managed ones in pieces of odd
 * sizes, one behind the other; with holes: not everywhere. */
typedef enum { DEVICE, MANAGED, HOLES } pieces;
static void grid_memory(grid *g, pieces of) {
    static uint8_t host[4096] __attribute__((aligned(4096)));
    static const struct {
        unsigned from, to;
    } piece[] = {{0, 136}, {136, 392}, {392, 1392}, {1392, 4096}};
    g->f->options.check_race_global = true;
    g->f->grid_dim[0] = 4;
    memset(host, 0, sizeof host);
    if (of == DEVICE) {
        sim_memory_alloc(g->f->memory, 4096, SIM_ALLOC_USER, "x", &g->x);
        sim_memory_fill(g->f->memory, g->x, 0, 4, 1024);
        return;
    }
    g->x = 0x10000000000;
    for (unsigned k = 0; k < sizeof piece / sizeof *piece; k++)
        CHECK_INT(sim_memory_map(g->f->memory, host + piece[k].from,
                                 piece[k].to - piece[k].from - (of == HOLES ? 8 * k : 0),
                                 g->x + piece[k].from, false),
                  SIM_OK);
}
static grid grid_begin_in(pieces of) {
    grid g = {.f = fixture_new("h200")};
    grid_memory(&g, of);
    g.ld = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 10);
    g.st = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 20);
    g.atom = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 30);
    g.exch = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 40);
    g.exch->flags = SIM_SITE_ACQUIRE | SIM_SITE_RELEASE;
    g.relaxed = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 50);
    g.relaxed->flags = SIM_SITE_STRONG;
    fixture_start(g.f);
    return g;
}
static grid grid_begin(void) {
    return grid_begin_in(DEVICE);
}
static void block(grid *g, uint64_t n) {
    sim_block_end(g->f->block);
    sim_block_commit(g->f->block);
    sim_block_begin(g->f->block, n);
    sim_access_enter(g->f->access, g->f->block, 0);
}
static void touch(grid *g, const sim_site *s, unsigned warp, uint32_t at, unsigned step) {
    uint64_t addr[32];
    uint32_t reg[32];
    void *dst[1] = {reg}, *ptr[32];
    g->next += 1000;
    for (unsigned l = 0; l < 32; l++) addr[l] = g->x + at + l * step, reg[l] = g->next + l;
    sim_access_enter(g->f->access, g->f->block, warp);
    if (s->kind == SIM_ACCESS_LOAD) s->load(g->f->access, s, addr, ~0u, dst);
    else if (s->kind == SIM_ACCESS_STORE)
        s->store(g->f->access, s, addr, ~0u, (const void *const *)dst);
    else s->ptr(g->f->access, s, addr, ~0u, ptr);
}
static size_t grid_races(grid *g) {
    fixture_end(g->f);
    size_t n = 0;
    for (size_t i = 0; i < g->f->found_count; i++)
        n += g->f->found[i].kind != SIM_FIND_RACE ? 100 : 1;
    return n;
}

static void between_blocks(void) {
    grid g = grid_begin(); /* each block its own part, all read a common one */
    for (unsigned b = 0; b < 4; b++) {
        if (b) block(&g, b);
        touch(&g, g.ld, 0, 2048, 4);
        touch(&g, g.st, 0, b * 128, 4);
        touch(&g, g.ld, 0, b * 128, 4);
    }
    CHECK_INT(grid_races(&g), 0);
    fixture_free(g.f);

    g = grid_begin(); /* what another block writes is read */
    touch(&g, g.st, 0, 0, 4);
    block(&g, 1);
    touch(&g, g.ld, 0, 0, 4);
    CHECK_INT(grid_races(&g), 1);
    CHECK_CONTAINS(said(&g.f->found[0].said),
                   "thread 0 of block 1 of k reads byte 0 of x (4,096 bytes), which "
                   "thread 0 of block 0 writes at test.cu:20: "
                   "nothing orders two blocks within a launch");
    CHECK_INT(g.f->found[0].bytes, 4);
    CHECK_INT(g.f->found[0].count, 32);
    CHECK(!g.f->found[0].write && g.f->found[0].other_write);
    fixture_free(g.f);

    /* all lanes read the word that one of them wrote: without a __syncwarp() 31 of them race */
    for (unsigned writer = 0; writer < 32; writer++)
        for (unsigned synced = 0; synced < 2; synced++) {
            g = grid_begin();
            touch(&g, g.st, 0, 0, 4);
            if (synced) sim_warp_sync(g.f->access, ~0u);
            touch(&g, g.ld, 0, 4 * writer, 0);
            CHECK_INT(grid_races(&g), !synced);
            if (!synced) CHECK_INT(g.f->found[0].count, 31);
            fixture_free(g.f);
        }

    g = grid_begin(); /* read before, written after: the order of blocks is an accident */
    touch(&g, g.ld, 0, 0, 4);
    block(&g, 1);
    touch(&g, g.st, 0, 0, 4);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);

    g = grid_begin(); /* a sum by plain adds, and by atomics */
    touch(&g, g.st, 0, 0, 0);
    block(&g, 1);
    touch(&g, g.st, 0, 0, 0);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);
    g = grid_begin();
    touch(&g, g.atom, 0, 0, 0);
    block(&g, 1);
    touch(&g, g.atom, 0, 0, 0);
    touch(&g, g.relaxed, 0, 0, 0);
    CHECK_INT(grid_races(&g), 0);
    fixture_free(g.f);
    g = grid_begin(); /* atomics and a plain read */
    touch(&g, g.atom, 0, 0, 0);
    block(&g, 1);
    touch(&g, g.ld, 0, 0, 0);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);

    g = grid_begin(); /* a plain write and atomics, either way round */
    touch(&g, g.st, 0, 0, 4);
    block(&g, 1);
    touch(&g, g.atom, 0, 0, 4);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);
    g = grid_begin();
    touch(&g, g.atom, 0, 0, 4);
    block(&g, 1);
    touch(&g, g.st, 0, 0, 4);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);

    /* Writing what stands there already, as when all set one flag, harms nobody: neither who wrote
     * it nor who read it. Another value does. */
    for (unsigned other = 0; other < 2; other++) {
        g = grid_begin();
        touch(&g, g.st, 0, 0, 4);
        block(&g, 1);
        g.next = other;
        touch(&g, g.st, 0, 0, 4);
        CHECK_INT(grid_races(&g), other);
        fixture_free(g.f);
        g = grid_begin();
        uint32_t there[32];
        for (uint32_t l = 0; l < 32; l++) there[l] = 1000 + l + other;
        sim_memory_write(g.f->memory, g.x, there, sizeof there);
        touch(&g, g.ld, 0, 0, 4);
        block(&g, 1);
        g.next = 0;
        touch(&g, g.st, 0, 0, 4);
        CHECK_INT(grid_races(&g), other);
        fixture_free(g.f);
    }

    /* Four words at once: each is compared with what stands where it goes. */
    for (unsigned other = 0; other < 5; other++) { /* the word that differs; 4: none */
        fixture *f = fixture_new("h200");
        f->options.check_race_global = true;
        f->grid_dim[0] = 4;
        sim_addr x;
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "x", &x);
        sim_site *wide = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 4, 60);
        fixture_start(f);
        uint64_t addr[32];
        uint32_t reg[4][32];
        const void *src[4] = {reg[0], reg[1], reg[2], reg[3]};
        for (unsigned b = 0; b < 2; b++) {
            for (unsigned l = 0; l < 32; l++) {
                addr[l] = x + 16 * l;
                for (unsigned k = 0; k < 4; k++) reg[k][l] = 100 * l + k + (b && k == other);
            }
            wide->store(f->access, wide, addr, ~0u, src);
            if (b) continue;
            sim_block_end(f->block);
            sim_block_commit(f->block);
            sim_block_begin(f->block, 1);
            sim_access_enter(f->access, f->block, 0);
        }
        fixture_end(f);
        CHECK_INT(f->found_count, other < 4);
        fixture_free(f);
    }

    g = grid_begin(); /* the last block sums up: partial results, fence, counter, fence */
    touch(&g, g.st, 0, 0, 4);
    sim_fence(g.f->access, ~0u, false);
    touch(&g, g.atom, 0, 1024, 0);
    block(&g, 1);
    touch(&g, g.atom, 0, 1024, 0);
    sim_fence(g.f->access, ~0u, false);
    touch(&g, g.ld, 0, 0, 4);
    CHECK_INT(grid_races(&g), 0);
    fixture_free(g.f);

    g = grid_begin(); /* warps of one block: a barrier orders them */
    touch(&g, g.st, 0, 0, 4);
    sim_block_barrier(g.f->block, NULL);
    touch(&g, g.ld, 1, 0, 4);
    CHECK_INT(grid_races(&g), 0);
    fixture_free(g.f);
    g = grid_begin();
    touch(&g, g.st, 0, 0, 4);
    touch(&g, g.ld, 1, 0, 4);
    CHECK_INT(grid_races(&g), 1);
    fixture_free(g.f);
}

/* Accesses of every size, of lanes that follow each other, or not, or of one lane: it is a race if
 * two threads meet in a byte that one of them writes, and none if they use neighbouring bytes. A
 * lane that reads what another lane of its warp writes later is none either. */
static void narrow_in_global(void) {
    enum { AT = 512, BYTES = 2048 };
    static const struct { unsigned elem, vec; } size[] = {{1, 1}, {2, 1}, {1, 2}, {4, 1}};
    static const struct {
        unsigned step, lanes; /* step: in accesses */
    } form[] = {{1, 32}, {3, 32}, {1, 1}, {2, 32}};
    enum { SAME_WARP, OTHER_WARP, OTHER_BLOCK, WHERE };
    unsigned wrong = 0, races = 0, clean = 0;
    for (unsigned i = 0; i < 4 * 4 * 4 * 4 * 4 * 3 * WHERE; i++) {
        const unsigned which[] = {i % 4, i / 4 % 4}, shape[] = {i / 16 % 4, i / 64 % 4},
                       off = i / 256 % 4 + 29 * (i % 3), writes = 1 + i / 1024 % 3,
                       where = i / 3072 % WHERE;
        grid g = {.f = fixture_new("h200")};
        grid_memory(&g, i % 5 ? DEVICE : MANAGED);
        sim_site *s[2];
        for (unsigned k = 0; k < 2; k++)
            s[k] = fixture_site(g.f, SIM_SPACE_GLOBAL,
                                writes >> k & 1 ? SIM_ACCESS_STORE : SIM_ACCESS_LOAD,
                                size[which[k]].elem, size[which[k]].vec, 200 + k);
        fixture_start(g.f);
        int first[BYTES];
        bool want = false;
        for (unsigned b = 0; b < BYTES; b++) first[b] = -1;
        for (unsigned k = 0; k < 2; k++) {
            unsigned bytes = size[which[k]].elem * size[which[k]].vec, n = form[shape[k]].lanes,
                     at = AT + (k ? off / bytes * bytes : 4);
            uint64_t addr[32] = {0};
            uint32_t reg[2][32], mask = n == 32 ? ~0u : 1u;
            void *dst[2] = {reg[0], reg[1]};
            const void *src[2] = {reg[0], reg[1]};
            memset(reg, k ? 0x22 : 0x11, sizeof reg);
            if (k && where == OTHER_BLOCK) block(&g, 1);
            sim_access_enter(g.f->access, g.f->block, k && where == OTHER_WARP ? 1 : 0);
            for (unsigned l = 0; l < n; l++) {
                unsigned to = at + l * form[shape[k]].step * bytes;
                addr[l] = g.x + to;
                for (unsigned b = to; b < to + bytes; b++) {
                    if (!k) first[b] = (int)l;
                    else if (first[b] >= 0 &&
                             (where != SAME_WARP || (first[b] != (int)l && writes & 1)))
                        want = true;
                }
            }
            if (writes >> k & 1) s[k]->store(g.f->access, s[k], addr, mask, src);
            else s[k]->load(g.f->access, s[k], addr, mask, dst);
        }
        size_t found = grid_races(&g);
        if ((found != 0) != want && !wrong)
            printf("# sizes %u %u, shapes %u %u, off %u, writes %u, where %u: %zu\n", which[0],
                   which[1], shape[0], shape[1], off, writes, where, found);
        wrong += (found != 0) != want || found > 1;
        races += want, clean += !want;
        fixture_free(g.f);
    }
    CHECK_INT(wrong, 0);
    CHECK(races > 1000 && clean > 1000);
}

/* Every order of reads and writes of two threads, with and without a barrier, against the
 * definition. */
static void exhaustive(void) {
    unsigned wrong = 0;
    for (unsigned prog_ = 0; prog_ < 4096;
         prog_++) { /* four steps of {thread a|b|c, read|write} with barriers between */
        prog p = begin(prog_ & 1);
        struct {
            unsigned t;
            bool w;
            unsigned epoch;
        } step[4];
        unsigned code = prog_ >> 1, epoch = 0;
        bool race = false;
        for (unsigned i = 0; i < 4; i++) {
            step[i].t = (code & 1) * 32 + (code >> 1 & 1) * 64;
            step[i].w = code >> 2 & 1;
            if (i == 2 && (prog_ >> 11 & 1)) {
                barrier(&p);
                epoch++;
            }
            step[i].epoch = epoch;
            go(&p, step[i].w ? p.st : p.ld, step[i].t / 32, 8, 0, 1, i + 1, 0);
            for (unsigned k = 0; k < i; k++)
                race |=
                    step[k].t != step[i].t && (step[k].w || step[i].w) && step[k].epoch == epoch;
            code >>= 3;
        }
        wrong += (races(&p) > 0) != race;
        done(&p);
        if (prog_ > 600 && prog_ % 3) prog_ += 7;
    }
    CHECK_INT(wrong, 0);
}

/* Two threads in one word, as far apart as one bit of their numbers says, however the lanes lie:
 * what a thread alone did, then what a warp does to 32 words of which one is that word. Every
 * `some`-th of them. */
static void any_two_threads(unsigned some) {
    static const struct {
        int step; /* from lane to lane */
        uint32_t mask;
    } forms[] = {{4, ~0u}, {4, 0xffff}, {4, 0xff00}, {8, ~0u}, {-4, ~0u}, {12, 0xaaaaffff}};
    static const unsigned lanes[] = {0, 1, 6, 15, 16, 21, 30, 31};
    unsigned wrong = 0, asked = 0;
    for (unsigned k = 0; k < sizeof forms / sizeof *forms; k++)
        for (unsigned i = 0; i < sizeof lanes / sizeof *lanes; i += some)
            for (unsigned bit = 0; bit <= 8; bit += some)
                for (unsigned how = 0; how < 8;
                     how++) { /* 1: writes; 2: then it writes; 4: barrier */
                    unsigned me = lanes[i], other = bit < 8 ? me ^ 1u << bit : me;
                    if (!(forms[k].mask >> me & 1)) continue;
                    uint32_t start = 1024, at = (uint32_t)((int)start + (int)me * forms[k].step);
                    prog p = begin(false);
                    go(&p, how & 1 ? p.st : p.ld, other / 32, at - other % 32 * 4, 4,
                       1u << other % 32, 5, 0);
                    if (how & 4) barrier(&p);
                    go(&p, how & 2 ? p.st : p.ld, 0, start, forms[k].step, forms[k].mask, 100, 1);
                    size_t want = (how & 3) && !(how & 4) && other != me;
                    size_t found = races(&p);
                    wrong += found != want;
                    if (found != want)
                        printf("# step %d, mask %x, thread %u after %u, how %u\n", forms[k].step,
                               forms[k].mask, me, other, how);
                    done(&p);
                    asked++;
                }
    CHECK(asked > 2000 / some / some);
    CHECK_INT(wrong, 0);
}

/* A third thread read in between: the one of another warp is remembered behind it. */
static void two_readers(void) {
    for (unsigned other = 32; other < 256; other += other) {
        prog p = begin(false);
        go(&p, p.ld, other / 32, 1024, 0, 1, 0, 0);
        go(&p, p.ld, 0, 1024, 4, ~0u, 0, 0);
        go(&p, p.st, 0, 1024, 4, ~0u, 100, 1);
        VERDICT(1);
    }
}

/* ---- what a launch did to global memory, byte by byte, for races between launches ---- */

enum { NOTED = 4096 };
typedef struct {
    sim_addr from;
    uint32_t how[NOTED], loc[NOTED];
} notes;
static void note_run(void *user, sim_addr from, uint64_t bytes, unsigned how, uint32_t loc) {
    notes *n = user;
    for (uint64_t k = from - n->from; bytes--; k++)
        if (k < NOTED) n->how[k] = how, n->loc[k] = loc;
}

/* Every size of access, at random places: a byte was written, or updated atomically, read and
 * polled, by whose mask had it, with every kind of atomic. */
static void noted_bytes(void) {
    uint64_t state = 12;
    unsigned wrong = 0, lines = 0, seen[32] = {0}, both = 0;
    for (unsigned round = 0; round < 40; round++) {
        uint32_t want[NOTED] = {0};
        grid g = grid_begin_in(round / 2 % 2 ? MANAGED : DEVICE);
        static const struct {
            sim_access_kind kind;
            unsigned elem, vec, flags, changes;
        } kinds[] = {{SIM_ACCESS_LOAD, 1, 1, 0, 0},
                     {SIM_ACCESS_LOAD, 2, 1, 0, 0},
                     {SIM_ACCESS_LOAD, 1, 2, 0, 0},
                     {SIM_ACCESS_STORE, 1, 1, 0, 0},
                     {SIM_ACCESS_STORE, 2, 1, 0, 0},
                     {SIM_ACCESS_ATOM, 2, 1, 0, SIM_ATOM_ADD},
                     {SIM_ACCESS_LOAD, 4, 1, 0, 0},
                     {SIM_ACCESS_STORE, 4, 1, 0, 0},
                     {SIM_ACCESS_ATOM, 4, 1, 0, SIM_ATOM_EXCH},
                     {SIM_ACCESS_ATOM, 4, 1, 0, SIM_ATOM_ADD},
                     {SIM_ACCESS_LOAD, 1, 1, SIM_SITE_STRONG, 0},
                     {SIM_ACCESS_LOAD, 2, 1, SIM_SITE_VOLATILE, 0},
                     {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_VOLATILE, 0},
                     {SIM_ACCESS_STORE, 1, 1, SIM_SITE_STRONG, SIM_ATOM_STORE}};
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            unsigned size = kinds[k].elem * kinds[k].vec;
            sim_site *s = fixture_site(g.f, SIM_SPACE_GLOBAL, kinds[k].kind, kinds[k].elem,
                                       kinds[k].vec, 100 + k);
            s->flags = (uint8_t)kinds[k].flags;
            if (kinds[k].kind == SIM_ACCESS_ATOM) s->changes = (uint16_t)kinds[k].changes;
            uint64_t addr[32];
            uint32_t mask = fixture_random(&state) & fixture_random(&state);
            unsigned how = kinds[k].changes ? SIM_WORD_ATOMIC | kinds[k].changes << SIM_WORD_KIND
                           : kinds[k].kind == SIM_ACCESS_STORE ? SIM_WORD_WRITTEN
                           : kinds[k].flags                    ? SIM_WORD_POLLED
                                                               : SIM_WORD_READ;
            for (unsigned l = 0; l < 32; l++) {
                uint32_t at = fixture_random(&state) % (round % 2 ? NOTED : 256) / size * size;
                addr[l] = g.x + at;
                for (unsigned b = 0; b < size && mask >> l & 1; b++) want[at + b] |= how;
            }
            sim_race_global(g.f->access, s, kinds[k].kind, addr, mask, NULL);
        }
        for (unsigned n = 1; n <= 16; n++) { /* texels, which may lie across words */
            uint32_t at = fixture_random(&state) % (NOTED - 16);
            const uint64_t texel[SIM_WARP_LANES] = {g.x + at};
            sim_race_global_texels(g.f->access, g.ld, texel, 1, n);
            for (unsigned b = 0; b < n; b++) want[at + b] |= SIM_WORD_READ;
        }
        notes got = {.from = g.x};
        sim_race_global_words(g.f->launch->global_races, note_run, &got);
        for (unsigned b = 0; b < NOTED; b++) {
            unsigned how = want[b] & SIM_WORD_WRITTEN ? SIM_WORD_WRITTEN : want[b];
            if (got.how[b] != how && !wrong) printf("# byte %u: %u, not %u\n", b, got.how[b], how);
            wrong += got.how[b] != how;
            seen[how % 32]++;
            both += how >> SIM_WORD_KIND == (SIM_ATOM_ADD | SIM_ATOM_EXCH);
            lines += how && !got.loc[b];
        }
        fixture_end(g.f);
        fixture_free(g.f);
    }
    CHECK(seen[0] && seen[SIM_WORD_READ] && seen[SIM_WORD_WRITTEN] && seen[SIM_WORD_ATOMIC] &&
          seen[SIM_WORD_READ | SIM_WORD_ATOMIC] && seen[SIM_WORD_POLLED] &&
          seen[SIM_WORD_POLLED | SIM_WORD_READ | SIM_WORD_ATOMIC] && both);
    CHECK_INT(wrong, 0);
    CHECK_INT(lines, 0); /* each can say where */
}

/* A word far into managed memory, behind pages in which nobody was. */
static void noted_far(void) {
    static uint8_t host[64 * 1024] __attribute__((aligned(4096)));
    for (unsigned far = 0; far < sizeof host; far += 5 * 128) {
        fixture *f = fixture_new("h200");
        grid g = {.f = f};
        grid_memory(&g, MANAGED);
        const sim_addr at = g.x + 8192;
        CHECK_INT(sim_memory_map(f->memory, host, sizeof host, at, false), SIM_OK);
        sim_site *st = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 20);
        fixture_start(f);
        uint64_t addr[32] = {at + far};
        sim_access_enter(f->access, f->block, 0);
        sim_race_global(f->access, st, SIM_ACCESS_STORE, addr, 1, NULL);
        static notes got;
        got = (notes){.from = at + far};
        sim_race_global_words(f->launch->global_races, note_run, &got);
        CHECK_INT(got.how[0], SIM_WORD_WRITTEN);
        CHECK_INT(got.how[3], SIM_WORD_WRITTEN);
        CHECK_INT(got.how[4], 0);
        fixture_end(f);
        fixture_free(f);
    }
}

/* Lines are kept in parts where that does, and word by word where it does not: the same findings
 * and the same notes as word by word from the start. Warps of two blocks, in turns of a few
 * accesses, of every size and shape, that meet in a few lines, with barriers, releases and
 * acquires. */
static void in_parts(void) {
    static const struct {
        sim_access_kind kind;
        unsigned elem, vec, flags;
    } kinds[] = {{SIM_ACCESS_LOAD, 4, 1, 0},
                 {SIM_ACCESS_STORE, 4, 1, 0},
                 {SIM_ACCESS_LOAD, 1, 1, 0},
                 {SIM_ACCESS_STORE, 2, 1, 0},
                 {SIM_ACCESS_ATOM, 2, 1, 0},
                 {SIM_ACCESS_STORE, 1, 2, 0},
                 {SIM_ACCESS_LOAD, 1, 1, SIM_SITE_VOLATILE},
                 {SIM_ACCESS_LOAD, 4, 4, 0},
                 {SIM_ACCESS_STORE, 4, 4, 0},
                 {SIM_ACCESS_LOAD, 8, 1, 0},
                 {SIM_ACCESS_STORE, 8, 1, 0},
                 {SIM_ACCESS_STORE, 4, 2, 0},
                 {SIM_ACCESS_ATOM, 4, 1, 0},
                 {SIM_ACCESS_LOAD, 2, 1, 0},
                 {SIM_ACCESS_STORE, 1, 1, 0},
                 {SIM_ACCESS_LOAD, 4, 1, SIM_SITE_STRONG},
                 {SIM_ACCESS_STORE, 4, 1, SIM_SITE_VOLATILE},
                 {SIM_ACCESS_LOAD, 4, 1, 0},
                 {SIM_ACCESS_TEX, 4, 1, 0}, /* they race with every store: not in all rounds */
                 {SIM_ACCESS_TEX, 4, 4, 0},
                 {SIM_ACCESS_TEX, 1, 1, 0}};
    enum { KINDS = sizeof kinds / sizeof *kinds, PLAIN = KINDS - 3, STEPS = 40, ROUNDS = 280 };
    unsigned differ = 0, races = 0, clean = 0, notes_differ = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        grid g[2];
        static notes got[2];
        for (unsigned way = 0; way < 2; way++) {
            uint64_t state = 1000 + round;
            fixture *f = fixture_new("h200");
            sim_site *site[KINDS];
            g[way] = (grid){.f = f};
            grid_memory(&g[way], (pieces)(round % 5 % 3));
            for (unsigned k = 0; k < KINDS; k++) {
                site[k] = fixture_site(f, SIM_SPACE_GLOBAL, kinds[k].kind, kinds[k].elem,
                                       kinds[k].vec, 100 + k);
                site[k]->flags = (uint8_t)kinds[k].flags;
                if (kinds[k].kind == SIM_ACCESS_ATOM) site[k]->changes = (uint16_t)kinds[k].elem;
            }
            fixture_start(f);
            if (way) sim_race_global_by_word(f->launch->global_races);
            /* some rounds meet seldom: few lines are split */
            unsigned room = round % 2 ? 256 : 3072,
                     few = round % 3 ? (round % 4 == 1 ? KINDS : PLAIN) : 4;
            for (unsigned n = 0, b = 0; n < STEPS; n++) {
                const sim_site *s = site[fixture_random(&state) % few];
                if (round % 7 == 0) /* more readers than parts, before one writes */
                    s = site[n == STEPS - 1 ? 1 : n % 2 ? 0 : PLAIN - 1];
                unsigned size = (unsigned)s->elem * s->vec, shape = fixture_random(&state) % 8,
                         warp = round % 4 ? fixture_random(&state) % 4 : 0;
                uint32_t mask = shape & 1 ? ~0u : fixture_random(&state) | 1,
                         at = fixture_random(&state) % room / size * size, reg[4][64];
                if (fixture_random(&state) % 3) at &= ~127u;
                if (round % 7 == 0) /* the same line each time */
                    at = 0, shape = 6, mask = n == STEPS - 1 ? ~0u : fixture_random(&state) | 1;
                uint64_t addr[32];
                const void *src[4] = {reg[0], reg[1], reg[2], reg[3]};
                void *dst[4] = {reg[0], reg[1], reg[2], reg[3]}, *ptr[32];
                for (unsigned l = 0; l < 32; l++) {
                    unsigned step = shape == 2   ? 0
                                    : shape == 3 ? 3 * l
                                    : shape == 4 ? fixture_random(&state) % 64
                                    : shape == 5 ? l % 8 + l / 8 * 20 /* rows of a tile */
                                    : shape == 7 ? l / 2
                                                 : l;
                    /* every fourth round a block has a warp and half of the memory to itself */
                    addr[l] = round % 4 ? g[way].x + (at + step * size) % 4096
                                        : g[way].x + b * 2048 + (at + step * size) % 2048;
                    for (unsigned k = 0; k < 4; k++) reg[k][l] = reg[k][l + 32] = round % 5 * l;
                }
                sim_access_enter(f->access, f->block, warp);
                if (s->kind == SIM_ACCESS_LOAD) s->load(f->access, s, addr, mask, dst);
                else if (s->kind == SIM_ACCESS_STORE) s->store(f->access, s, addr, mask, src);
                else if (s->kind == SIM_ACCESS_TEX)
                    sim_access_texels(f->access, s, addr, mask, size);
                else s->ptr(f->access, s, addr, mask, ptr);
                if (round % 8) sim_warp_sync(f->access, ~0u); /* in the others warps race within */
                if (fixture_random(&state) % 8 == 0) sim_block_barrier(f->block, NULL);
                if (fixture_random(&state) % 8 == 0)
                    sim_race_global_order(f->access, fixture_random(&state) & 1, n & 1, false);
                if (n == STEPS / 2) block(&g[way], ++b);
            }
            got[way] = (notes){.from = g[way].x};
            sim_race_global_words(f->launch->global_races, note_run, &got[way]);
            fixture_end(f);
        }
        bool same = g[0].f->found_count == g[1].f->found_count;
        for (size_t i = 0; same && i < g[0].f->found_count; i++)
            same = lib_message_same(&g[0].f->found[i].said, &g[1].f->found[i].said) &&
                   g[0].f->found[i].count == g[1].f->found[i].count;
        differ += !same;
        races += g[0].f->found_count != 0;
        clean += g[0].f->found_count == 0;
        notes_differ += memcmp(got[0].how, got[1].how, sizeof got[0].how) ||
                        memcmp(got[0].loc, got[1].loc, sizeof got[0].loc);
        for (unsigned way = 0; way < 2; way++) fixture_free(g[way].f);
    }
    CHECK_INT(differ, 0);
    CHECK_INT(notes_differ, 0);
    printf("# in parts: %u with races, %u without\n", races, clean);
    CHECK(races > ROUNDS / 10 && clean > ROUNDS / 10);
}

/* Each lane reads its own row, word after word, with the two sites in turns: what is written later
 * races with the words that were read, and with no others. */
enum { ROW = 112, READ = 20 };
static void read_rows(grid *g, unsigned warp) {
    for (unsigned k = 0; k < READ; k++) touch(g, k % 2 ? g->ld : g->relaxed, warp, 4 * k, ROW);
}
static void rows(void) {
    enum { NOTHING, BARRIER, SYNC, TELL, CASES };
    for (unsigned i = 0; i < 2 * 3 * CASES; i++) {
        bool read = i % 2; /* the column that is written was read */
        unsigned who = i / 2 % 3, between = i / 6;
        grid g = grid_begin();
        g.relaxed->flags = 0;
        read_rows(&g, 0);
        static notes got;
        if (between == TELL) {
            unsigned wrong = 0;
            memset(&got, 0, sizeof got);
            got.from = g.x;
            sim_race_global_words(g.f->launch->global_races, note_run, &got);
            for (unsigned b = 0; b < 32 * ROW && b < NOTED; b++) {
                unsigned k = b % ROW / 4;
                wrong += got.how[b] != (k < READ ? SIM_WORD_READ : 0);
                wrong += k < READ && got.loc[b] != (k % 2 ? g.ld->loc : g.relaxed->loc);
            }
            CHECK_INT(wrong, 0);
        }
        if (between == SYNC) sim_race_global_order(g.f->access, false, true, false);
        if (between == BARRIER) {
            sim_block_barrier(g.f->block, NULL);
            touch(&g, g.ld, 1, 4 * 3, ROW), touch(&g, g.ld, 2, 4 * 3, ROW);
        }
        if (who == 2) block(&g, 1);
        if (between == SYNC) {
            sim_access_enter(g.f->access, g.f->block, who == 1 ? 2 : 0);
            sim_race_global_order(g.f->access, true, false, false);
        }
        touch(&g, g.st, who == 1 ? 2 : 0, read ? 4 * 3 : 4 * 24, ROW);
        /* after the barrier, warps 1 and 2 read the column again */
        CHECK_INT(grid_races(&g), read && between != SYNC && (who || between == BARRIER));
        fixture_free(g.f);
    }
}

/* Loops over rows, and stores, of two warps of two blocks: as word by word. */
static void rows_by_word(void) {
    unsigned differ = 0, races = 0, clean = 0;
    for (unsigned round = 0; round < 200; round++) {
        size_t found[2];
        static notes got[2];
        for (unsigned way = 0; way < 2; way++) {
            uint64_t state = 4000 + round;
            grid g = grid_begin();
            if (way) sim_race_global_by_word(g.f->launch->global_races);
            for (unsigned n = 0, b = 0; n < 8; n++) {
                unsigned warp = fixture_random(&state) % 2, at = fixture_random(&state) % 8,
                         what = fixture_random(&state) % 8, row = round % 3 ? ROW : ROW / 2,
                         count = 2 + fixture_random(&state) % 40, step = what == 7 ? 2 : 1;
                if (what == 0) touch(&g, g.st, warp, 4 * (at + count % 20), row);
                else if (what == 1) sim_block_barrier(g.f->block, NULL);
                else if (what == 2) sim_race_global_order(g.f->access, n & 1, count & 1, false);
                else if (what == 3 && round % 2 && !b) block(&g, b = 1);
                else
                    for (unsigned k = 0; k < count; k += step)
                        touch(&g, g.ld, warp, 4 * (at + k), row);
            }
            got[way] = (notes){.from = g.x};
            sim_race_global_words(g.f->launch->global_races, note_run, &got[way]);
            found[way] = grid_races(&g);
            fixture_free(g.f);
        }
        races += found[1] != 0, clean += found[1] == 0;
        differ += found[0] != found[1] || memcmp(got[0].how, got[1].how, sizeof got[0].how);
    }
    CHECK_INT(differ, 0);
    printf("# rows: %u with races, %u without\n", races, clean);
    CHECK(races > 20 && clean > 20);
}

/* The first access behind a barrier, or of a block, is an atomic, or none is: a plain access of
 * another warp meets it, and is met by it, as any. */
static void first_atomic(void) {
    for (unsigned k = 0; k < 16; k++) {
        bool synced = k & 1, stores = k & 2, atomic_first = k & 4, between = k & 8;
        prog p = begin(false);
        if (synced) {
            go(&p, p.st, 2, 4096, 4, ~0u, 5, 0);
            barrier(&p);
        }
        const sim_site *plain = stores ? p.st : p.ld;
        go(&p, atomic_first ? p.atom : plain, 0, 0, 4, ~0u, 7, 0);
        if (between) barrier(&p);
        go(&p, atomic_first ? plain : p.atom, 1, 0, 4, ~0u, 7, 0);
        VERDICT(!between);
    }
}

/* Copies read shared memory for threads `first` and `second`; then thread `writes` stores there. Of
 * two readers of different warps both are remembered. */
static void bulk_readers(void) {
    static const struct {
        unsigned first, second, writes;
        bool race;
    } rows[] = {{32, 0, 0, true}, {64, 0, 0, true},  {0, 32, 32, true},
                {0, 32, 0, true}, {32, 0, 64, true}, {32, 32, 32, false},
                {0, 0, 0, false}, {5, 37, 37, true}, {255, 31, 31, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned synced = 0; synced < 2; synced++) {
            prog p = begin(false);
            sim_site *copy = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 1, 1, 95);
            copy->flags = SIM_SITE_BULK | SIM_SITE_NO_UNINIT;
            const unsigned readers[] = {rows[k].first, rows[k].second};
            for (unsigned i = 0; i < 2; i++) {
                sim_access_enter(p.f->access, p.f->block, readers[i] / 32);
                sim_race_bulk(p.f->access, copy, readers[i] % 32, 64, 16);
            }
            if (synced) barrier(&p);
            uint32_t lane = rows[k].writes % 32;
            go(&p, p.st, rows[k].writes / 32, 64 - lane * 4, 4, 1u << lane, 9, 0);
            VERDICT(rows[k].race && !synced);
        }
}

/* ---- every pair of kinds ---- */

/* Loads, stores and atomics as they may be marked; race.c and race_global.c say which two are no
 * race. */
static const struct {
    const char *name;
    sim_access_kind kind;
    unsigned flags;
} marked[] = {{"load", SIM_ACCESS_LOAD, 0},
              {"store", SIM_ACCESS_STORE, 0},
              {"atomic", SIM_ACCESS_ATOM, 0},
              {"relaxed load", SIM_ACCESS_LOAD, SIM_SITE_STRONG},
              {"relaxed store", SIM_ACCESS_STORE, SIM_SITE_STRONG},
              {"volatile load", SIM_ACCESS_LOAD, SIM_SITE_VOLATILE},
              {"volatile store", SIM_ACCESS_STORE, SIM_SITE_VOLATILE}};
enum { MARKED = sizeof marked / sizeof *marked };

static bool is_marked(unsigned k) {
    return marked[k].kind == SIM_ACCESS_ATOM || marked[k].flags;
}
/* Of the two a write and not both marked; what a strong load read leaves no trace. */
static bool is_race(unsigned first, unsigned then, bool trace) {
    bool reads = marked[first].kind == SIM_ACCESS_LOAD;
    if (reads && marked[then].kind == SIM_ACCESS_LOAD) return false;
    return !(is_marked(first) && is_marked(then)) && (trace || !reads);
}

static void pairs_of_kinds(void) {
    for (unsigned i = 0; i < MARKED * MARKED * 3; i++) {
        unsigned first = i % MARKED, then = i / MARKED % MARKED,
                 form = (const unsigned[]){0, 3, 4}[i / MARKED / MARKED];
        bool narrow = form & 1, one = form & 2, apart = form & 4;
        prog p = begin(narrow);
        sim_site *s[2];
        for (unsigned k = 0; k < 2; k++) {
            unsigned of = k ? then : first;
            s[k] = fixture_site(p.f, SIM_SPACE_SHARED, marked[of].kind, 4, 1, 200 + k);
            s[k]->flags = (uint16_t)marked[of].flags;
        }
        fixture_end(p.f);
        fixture_start(p.f);
        go(&p, s[0], 0, 1024, 4, one ? 1 : ~0u, 1, 1);
        go(&p, s[1], 2, 1024, apart ? 12 : 4, one ? 1 : ~0u, 100, 1);
        bool want = is_race(first, then, !(marked[first].flags & SIM_SITE_STRONG));
        size_t found = races(&p);
        bool right = found == want;
        if (found) {
            const sim_finding *x = &p.f->found[0];
            right &= x->line == 201 && x->other_line == 200;
            /* narrow: a byte at a time, of those that change */
            right &= narrow || x->count == (one ? 1 : apart ? 11 : 32);
            right &= x->write == (marked[then].kind != SIM_ACCESS_LOAD) &&
                     x->other_write == (marked[first].kind != SIM_ACCESS_LOAD);
        }
        char what[80];
        snprintf(what, sizeof what, "%s, then %s, form %u", marked[first].name, marked[then].name,
                 form);
        check_that(right, __FILE__, __LINE__, what, text(&p));
        done(&p);
    }
    for (unsigned i = 0; i < MARKED * MARKED * 3; i++) { /* between blocks, global memory */
        unsigned first = i % MARKED, then = i / MARKED % MARKED, bytes = 4 >> i / MARKED / MARKED;
        grid g = grid_begin();
        sim_site *s[2];
        for (unsigned k = 0; k < 2; k++) {
            unsigned of = k ? then : first;
            s[k] = fixture_site(g.f, SIM_SPACE_GLOBAL, marked[of].kind, bytes, 1, 200 + k);
            s[k]->flags = (uint16_t)marked[of].flags;
        }
        fixture_end(g.f);
        fixture_start(g.f);
        touch(&g, s[0], 3, 256, bytes);
        block(&g, 1);
        touch(&g, s[1], 5, 256, bytes);
        size_t found = grid_races(&g);
        bool right = found == is_race(first, then, !is_marked(first));
        if (found) {
            const sim_finding *x = &g.f->found[0];
            right &= x->line == 201 && x->other_line == 200 && x->count == 32;
            right &= x->block[0] == 1 && x->thread[0] == 5 * 32 && x->other_thread[0] == 3 * 32;
            right &= x->write == (marked[then].kind != SIM_ACCESS_LOAD) &&
                     x->other_write == (marked[first].kind != SIM_ACCESS_LOAD);
        }
        char what[80];
        snprintf(what, sizeof what, "global: %s, then %s, of %u bytes", marked[first].name,
                 marked[then].name, bytes);
        check_that(right, __FILE__, __LINE__, what, found ? said(&g.f->found[0].said) : "nothing");
        fixture_free(g.f);
    }
}

/* In one warp volatile is not enough where one instruction made the older access for both lanes. */
static void volatile_in_a_warp(void) {
    for (unsigned apart = 0; apart < 2; apart++) {
        prog p = begin(false);
        sim_site *st = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 200),
                 *ld = fixture_site(p.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 201);
        st->flags = ld->flags = SIM_SITE_VOLATILE;
        fixture_end(p.f);
        fixture_start(p.f);
        go(&p, st, 0, 0, 4, apart ? 0xffff : ~0u, 1, 1);
        go(&p, ld, 0, 124, -4, 0xffff0000, 0, 0); /* lane 31 reads lane 0's word */
        VERDICT(!apart);
    }
}

/* ---- what orders blocks: a release, then an acquire ---- */

static void as_block(grid *g, uint64_t n, unsigned warp) {
    sim_block_name(g->f->block, n);
    sim_access_enter(g->f->access, g->f->block, warp);
}

static void published_between_blocks(void) {
    /* Block 0 writes, releases `early` times, block 1 acquires, block 0 releases `late` times more,
     * block 1 reads. Of a block the last four releases are kept; one that is not counts as one
     * after the write. */
    for (unsigned early = 0; early < 2; early++)
        for (unsigned late = 0; late < 8; late++)
            for (unsigned before = 0; before < 7; before += 6) { /* releases before the write */
                grid g = grid_begin();
                for (unsigned k = 0; k < before; k++)
                    sim_race_global_order(g.f->access, false, true, false);
                touch(&g, g.st, 0, 0, 4);
                for (unsigned k = 0; k < early; k++)
                    sim_race_global_order(g.f->access, false, true, false);
                as_block(&g, 1, 2); /* any of its warps */
                sim_race_global_order(g.f->access, true, false, false);
                as_block(&g, 0, 3);
                for (unsigned k = 0; k < late; k++)
                    sim_race_global_order(g.f->access, false, true, false);
                as_block(&g, 1, 0);
                touch(&g, g.ld, 1, 0, 4);
                size_t want = !early && (late < 4 || before + late < 5);
                size_t found = grid_races(&g);
                if (found != want) printf("# %u before, %u early, %u late\n", before, early, late);
                CHECK_INT(found, want);
                fixture_free(g.f);
            }
    static const struct {
        bool release, acquire;
        unsigned by, to; /* warps of one block */
        size_t races;
    } rows[] = {{true, true, 0, 1, 0},
                {true, false, 0, 1, 1},
                {false, true, 0, 1, 1},
                {true, true, 2, 1, 1},
                {true, true, 0, 2, 1}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        grid g = grid_begin();
        touch(&g, g.st, 0, 0, 4);
        as_block(&g, 0, rows[i].by);
        if (rows[i].release) sim_race_global_order(g.f->access, false, true, false);
        as_block(&g, 0, rows[i].to);
        if (rows[i].acquire) sim_race_global_order(g.f->access, true, false, false);
        touch(&g, g.ld, 1, 0, 4);
        CHECK_INT(grid_races(&g), rows[i].races);
        fixture_free(g.f);
    }
    /* The barrier of a cluster is both for all of its blocks, and nothing for others. */
    for (unsigned reader = 1; reader < 4; reader++)
        for (unsigned met = 0; met < 2; met++) {
            grid g = grid_begin();
            static const uint64_t blocks[] = {0, 1, 2};
            touch(&g, g.st, 0, 0, 4);
            if (met) sim_race_global_meet(g.f->launch->global_races, blocks, 3);
            as_block(&g, reader, 0);
            touch(&g, g.ld, 1, 0, 4);
            CHECK_INT(grid_races(&g), !met || reader == 3);
            fixture_free(g.f);
        }
}

/* An acquire or a release that is an access of shared memory itself orders what it says, in its
 * block and between blocks: thread 0 writes, then accesses the flag; then thread 32, or one of
 * another block, does, and reads. */
static void flags(void) {
    static const unsigned marks[] = {0, SIM_SITE_ACQUIRE, SIM_SITE_RELEASE,
                                     SIM_SITE_ACQUIRE | SIM_SITE_RELEASE};
    for (unsigned i = 0; i < 32; i++) {
        unsigned first = marks[i / 2 % 4], then = marks[i / 8];
        size_t want = !(first & SIM_SITE_RELEASE && then & SIM_SITE_ACQUIRE);
        prog p = begin(false);
        p.exch->flags = (uint16_t)first, p.cas->flags = (uint16_t)then;
        write_(&p, 0, 0, 4);
        go(&p, p.exch, 0, 512, 0, 1, 0, 0);
        go(&p, p.cas, 1, 512, 0, 0xffff, 0, 0);
        go(&p, p.ld, 1, 0, 4, 0xffff, 0, 0);
        if (i % 2) go(&p, p.ld, 1, 0, 4, ~0u, 0, 0); /* the other lanes acquired nothing */
        VERDICT(want || i % 2);

        grid g = grid_begin();
        sim_site *flag[2];
        for (unsigned k = 0; k < 2; k++) {
            flag[k] = fixture_site(g.f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 60 + k);
            flag[k]->flags = (uint16_t)(k ? then : first);
        }
        fixture_end(g.f);
        g.f->options.check_uninit = false;
        fixture_start(g.f);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t at[32] = {0};
            void *ptr[32];
            if (k) block(&g, 1);
            if (!k) touch(&g, g.st, 0, 0, 4);
            sim_access_enter(g.f->access, g.f->block, 2 * k);
            flag[k]->ptr(g.f->access, flag[k], at, 1, ptr);
            if (k) touch(&g, g.ld, 1, 0, 4);
        }
        CHECK_INT(grid_races(&g), want);
        fixture_free(g.f);
    }
}

/* Cells take 64 bytes for each byte if threads store single bytes, one in each line of 128: 8 KiB a
 * line, and the words' cells a page of 2 MiB. With room for this page and two lines, a race in the
 * second line is seen; with a store to the third, the launch is over its limit. */
static void limited_room(void) {
    enum { LINES = 5, ROOM = (2 << 20) + 2 * 8192 };
    for (unsigned line = 1; line < LINES; line++) {
        grid g = {.f = fixture_new("h200")};
        grid_memory(&g, DEVICE);
        const sim_site *s = fixture_site(g.f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 1, 1, 20);
        fixture_start(g.f);
        race_global *races = g.f->launch->global_races;
        sim_race_global_room(races, ROOM);
        for (unsigned b = 0; b < 2; b++) {
            if (b) block(&g, b);
            sim_access_enter(g.f->access, g.f->block, 0);
            for (unsigned k = b ? line : 0; k <= line; k++) {
                uint64_t addr[32] = {g.x + k * 128};
                uint8_t reg[32][4] = {{(uint8_t)(1 + b)}};
                const void *src[1] = {reg};
                s->store(g.f->access, s, addr, 1, src);
            }
        }
        CHECK_INT(sim_access_launch_full(g.f->launch), line >= 2);
        CHECK_INT(grid_races(&g), line < 2);
        fixture_free(g.f);
    }
}

int main(void) {
    for (int s = 0; s < SIM_ISA_COUNT; s++) { /* the paths that the host would not take itself */
        if (!sim_isa_runs((sim_isa)s) || (sim_isa)s == sim_isa_best()) continue;
        fixture_isa = s;
        between_warps();
        in_turns();
        in_a_warp();
        atomics_and_locks();
        bytes();
        any_two_threads(3);
    }
    fixture_isa = -1;
    between_warps();
    in_turns();
    in_a_warp();
    atomics_and_locks();
    named_barriers();
    bytes();
    endurance();
    exhaustive();
    narrow_in_global();
    between_blocks();
    any_two_threads(1);
    two_readers();
    noted_bytes();
    noted_far();
    in_parts();
    rows();
    rows_by_word();
    first_atomic();
    bulk_readers();
    pairs_of_kinds();
    volatile_in_a_warp();
    published_between_blocks();
    flags();
    limited_room();
    return check_done();
}
