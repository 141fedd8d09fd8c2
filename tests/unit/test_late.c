/* Stores that other warps see late (late.h), as litmus tests: what PTX's memory model allows is
 * seen under some draws, what it forbids under none. */
#include "tests/check.h"
#include "tests/unit/access_fixture.h"

enum { DRAWS = 100, DATA = 0, FLAG = 1024, MOST_LOADS = 1024 };

/* Two blocks that run at the same time, and 4096 bytes of zeros in global memory. */
typedef struct {
    fixture *f;
    sim_block_mem *block[2];
    sim_addr x;
    unsigned wrong; /* what no draw may show */
    sim_site *ld, *st, *atom, *exch, *ld8, *st8, *ld2, *st2, *pair, *ld_shared, *st_shared;
} litmus;

static sim_site *site(litmus *t, sim_space space, sim_access_kind kind, unsigned elem, unsigned vec,
                      unsigned flags) {
    sim_site *s = fixture_site(t->f, space, kind, elem, vec, 10 * t->f->site_count + 10);
    s->flags = (uint16_t)flags;
    t->wrong += !sim_site_bind(s, sim_isa_best(), &t->f->site_states);
    return s;
}

static litmus litmus_begin(uint64_t draw) {
    litmus t = {.f = fixture_new("h200")};
    unsigned strong = draw & 1 ? SIM_SITE_STRONG : SIM_SITE_VOLATILE;
    t.f->options.check_race_global = true;
    t.f->grid_dim[0] = 2;
    t.f->late = draw;
    sim_memory_alloc(t.f->memory, 4096, SIM_ALLOC_USER, "x", &t.x);
    sim_memory_fill(t.f->memory, t.x, 0, 4, 1024);
    t.ld = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, strong);
    t.st = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, strong);
    t.atom = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 0);
    t.exch = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1,
                  SIM_SITE_ACQUIRE | SIM_SITE_RELEASE | SIM_SITE_LATE);
    t.ld8 = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 8, 1, strong);
    t.st8 = site(&t, SIM_SPACE_GENERIC, SIM_ACCESS_STORE, 8, 1, strong);
    t.ld2 = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 2, 1, strong | SIM_SITE_SEXT);
    t.st2 = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 2, 1, strong);
    t.pair = site(&t, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 2, strong);
    t.ld_shared = site(&t, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 4, 1, strong);
    t.st_shared = site(&t, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, strong);
    fixture_start(t.f);
    t.block[0] = t.f->block;
    t.block[1] = sim_block_mem_new(t.f->launch);
    sim_block_begin(t.block[1], 1);
    return t;
}

/* What was wrong. */
static unsigned litmus_end(litmus *t) {
    sim_block_end(t->block[1]);
    sim_block_mem_free(t->block[1]);
    fixture_end(t->f);
    unsigned wrong = t->wrong + (unsigned)t->f->found_count;
    fixture_free(t->f);
    return wrong;
}

static void be(litmus *t, unsigned block, unsigned warp) {
    sim_access_enter(t->f->access, t->block[block], warp);
}

/* By lane 3 of the warp that the test is. */
static void store(litmus *t, const sim_site *s, uint64_t at, uint64_t value) {
    uint64_t wide[32] = {0}, reg8[32] = {0};
    uint32_t narrow[32] = {0}, reg4[2][32] = {{0}};
    const void *src[2] = {s->reg == 8 ? (void *)reg8 : (void *)reg4[0], reg4[1]};
    wide[3] = t->x + at, narrow[3] = (uint32_t)at;
    reg8[3] = value, reg4[0][3] = (uint32_t)value, reg4[1][3] = (uint32_t)(value >> 32);
    const void *addr = s->space == SIM_SPACE_SHARED ? (void *)narrow : (void *)wide;
    t->wrong += s->store(t->f->access, s, addr, 8, src) != 8;
}
static uint64_t load_at(litmus *t, const sim_site *s, uint64_t at) {
    uint64_t wide[32] = {0}, reg8[32] = {0};
    uint32_t reg4[32] = {0};
    void *dst[1] = {s->reg == 8 ? (void *)reg8 : (void *)reg4};
    wide[3] = at;
    t->wrong += s->load(t->f->access, s, wide, 8, dst) != 8;
    return s->reg == 8 ? reg8[3] : reg4[3];
}
static uint64_t load(litmus *t, const sim_site *s, uint64_t at) {
    return load_at(t, s, t->x + at);
}

/* Message passing: data, (something), flag; then flag, data. What stands between them. */
typedef enum { NOTHING, FENCE, BARRIER, BARRIER_FENCE, WARP_SYNC } between;

/* In how many draws the reader has seen the flag and not the data. */
static unsigned flag_first(between what, unsigned block, unsigned warp) {
    unsigned n = 0, wrong = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        litmus t = litmus_begin(draw);
        be(&t, 0, 0);
        store(&t, t.st, DATA, 7);
        if (what == FENCE) sim_fence(t.f->access, 8, false);
        if (what == WARP_SYNC) sim_warp_sync(t.f->access, ~0u);
        if (what == BARRIER || what == BARRIER_FENCE) {
            sim_block_barrier(t.block[0], NULL);
            be(&t, 0, 2); /* another warp goes on */
        }
        if (what == BARRIER_FENCE) sim_fence(t.f->access, 8, false);
        store(&t, t.st, FLAG, 1);
        be(&t, block, warp);
        for (unsigned k = 0; k <= MOST_LOADS && !load(&t, t.ld, FLAG); k++) {
        }
        t.wrong += load(&t, t.ld, FLAG) != 1; /* a loop that waits for it ends */
        uint64_t first = load(&t, t.ld, DATA);
        t.wrong += !(first == 0 || first == 7);
        n += first == 0;
        t.wrong += first == 0 && !sim_access_saw_older(t.f->access);
        wrong += litmus_end(&t);
    }
    CHECK_INT(wrong, 0);
    return n;
}

static void message_passing(void) {
    unsigned n = flag_first(NOTHING, 1, 0);
    CHECK(n > DRAWS / 4 && n < DRAWS * 3 / 4);
    CHECK(flag_first(NOTHING, 0, 1) > DRAWS / 4);
    CHECK_INT(flag_first(NOTHING, 0, 0), 0); /* the writer's own warp */
    CHECK_INT(flag_first(FENCE, 1, 0), 0);
    CHECK_INT(flag_first(FENCE, 0, 1), 0);
    CHECK_INT(flag_first(BARRIER, 0, 1), 0);
    CHECK(flag_first(BARRIER, 1, 0) > DRAWS / 4); /* __syncthreads() is for its block */
    CHECK_INT(flag_first(BARRIER_FENCE, 1, 0), 0);
    CHECK(flag_first(WARP_SYNC, 0, 1) > DRAWS / 4); /* and __syncwarp() for its warp */
    CHECK(flag_first(WARP_SYNC, 1, 0) > DRAWS / 4);
}

/* Data that a flag follows may stay late for long; a flag that is the last store does not. */
static void a_dozen_loads(void) {
    unsigned long_late[2] = {0}, wrong = 0;
    for (uint64_t draw = 1; draw <= 10 * DRAWS; draw++)
        for (unsigned flag = 0; flag < 2; flag++) {
            litmus t = litmus_begin(draw);
            be(&t, 0, 0);
            store(&t, t.st, DATA, 7);
            if (flag) store(&t, t.st, FLAG, 1);
            be(&t, 1, 0);
            unsigned loads = 0;
            while (loads <= MOST_LOADS && load(&t, t.ld, DATA) != 7) loads++;
            long_late[flag] += loads >= 12;
            t.wrong += loads > MOST_LOADS;
            wrong += litmus_end(&t);
        }
    CHECK_INT(wrong, 0);
    CHECK_INT(long_late[0], 0);
    CHECK(long_late[1] > 0);
}

/* One word: nobody sees an older value after a newer one, and each is seen in the end. */
static void coherence(void) {
    unsigned late = 0, wrong = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        litmus t = litmus_begin(draw);
        uint64_t seen[2] = {0};
        for (uint64_t v = 1; v <= 3; v++) {
            be(&t, 0, 0);
            store(&t, t.st, DATA, v);
            for (unsigned k = 0; k <= MOST_LOADS; k++)
                for (unsigned r = 0; r < 2; r++) { /* of the same block, and of the other */
                    be(&t, r, 1);
                    uint64_t now = load(&t, t.ld, DATA);
                    t.wrong += !(now >= seen[r] && now <= v && now + 1 >= v);
                    late += now < v;
                    seen[r] = now;
                }
            t.wrong += !(seen[0] == v && seen[1] == v);
        }
        wrong += litmus_end(&t);
    }
    CHECK_INT(wrong, 0);
    CHECK(late > DRAWS);
}

/* What is stored at once is seen at once; what is beside it stays as it is. */
static void whole(void) {
    unsigned late = 0, wrong = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        litmus t = litmus_begin(draw);
        be(&t, 0, 0);
        store(&t, t.st8, 64, 0x500000006);
        store(&t, t.pair, 128, 0x700000008);
        store(&t, t.st2, 194, 0x8001);
        be(&t, 1, 0);
        uint64_t eight = load(&t, t.ld8, 64), pair = load(&t, t.ld8, 128),
                 word = load(&t, t.ld, 192);
        t.wrong += !(eight == 0 || eight == 0x500000006);
        t.wrong += !(pair == 0 || pair == 0x700000008);
        t.wrong += !(word == 0 || word == 0x80010000);
        late += !eight + !pair + !word;
        t.wrong += load(&t, t.ld2, 192) != 0;
        for (unsigned k = 0; k < MOST_LOADS; k++) {
            uint64_t half = load(&t, t.ld2, 194); /* extended by its sign */
            t.wrong += !(half == 0 || half == 0xffff8001);
        }
        t.wrong += load(&t, t.ld2, 194) != 0xffff8001;
        wrong += litmus_end(&t);
    }
    CHECK_INT(wrong, 0);
    CHECK(late > DRAWS / 2);
}

/* An atomic takes the newest value, and who has seen that sees no older one. */
static void atomics(void) {
    unsigned wrong = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        litmus t = litmus_begin(draw);
        uint64_t addr[32] = {0};
        void *ptr[32];
        uint32_t found;
        be(&t, 0, 0);
        store(&t, t.st, DATA, 7);
        be(&t, 1, 0);
        addr[3] = t.x + DATA;
        t.wrong += t.atom->ptr(t.f->access, t.atom, addr, 8, ptr) != 8;
        memcpy(&found, ptr[3], sizeof found);
        t.wrong += found != 7;
        t.wrong += load(&t, t.ld, DATA) != 7;
        wrong += litmus_end(&t);
    }
    CHECK_INT(wrong, 0);
}

/* What an atomic leaves that releases nothing is seen late by loads, as an exchange is, which comes
 * after all that it may give back; not behind a fence, and never by another atomic. */
static void atomics_are_late(void) {
    for (unsigned fence = 0; fence < 2; fence++) {
        unsigned late = 0, wrong = 0;
        for (uint64_t draw = 1; draw <= DRAWS; draw++) {
            litmus t = litmus_begin(draw);
            uint64_t addr[32] = {0};
            void *ptr[32];
            uint32_t value = 7, found;
            be(&t, 0, 0);
            addr[3] = t.x + DATA;
            t.wrong += t.exch->ptr(t.f->access, t.exch, addr, 8, ptr) != 8;
            memcpy(ptr[3], &value, sizeof value);
            if (fence) sim_fence(t.f->access, 8, false);
            store(&t, t.st, FLAG, 1);
            be(&t, 1, 0);
            for (unsigned k = 0; k <= MOST_LOADS && !load(&t, t.ld, FLAG); k++) {
            }
            uint64_t first = load(&t, t.ld, DATA);
            t.wrong += !(first == 0 || first == 7);
            late += first == 0;
            t.wrong += t.atom->ptr(t.f->access, t.atom, addr, 8, ptr) != 8;
            memcpy(&found, ptr[3], sizeof found);
            t.wrong += found != 7;
            wrong += litmus_end(&t);
        }
        CHECK_INT(wrong, 0);
        CHECK(fence ? late == 0 : late > DRAWS / 4);
    }
}

static void shared(void) {
    unsigned late = 0, wrong = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        litmus t = litmus_begin(draw);
        be(&t, 1, 0);
        store(&t, t.st_shared, 16, 9);
        be(&t, 0, 0);
        store(&t, t.st_shared, 16, 5);
        be(&t, 0, 1);
        uint64_t now = load_at(&t, t.ld_shared, SIM_SHARED_WINDOW + 16);
        t.wrong += !(now == 0 || now == 5);
        late += !now;
        be(&t, 0, 0);
        sim_fence(t.f->access, 8, false);
        be(&t, 0, 1);
        t.wrong += load_at(&t, t.ld_shared, SIM_SHARED_WINDOW + 16) != 5;
        wrong += litmus_end(&t);
    }
    CHECK_INT(wrong, 0);
    CHECK(late > DRAWS / 4);
}

/* Nothing is drawn: everybody sees each store at once. */
static void at_once(void) {
    litmus t = litmus_begin(0);
    be(&t, 0, 0);
    for (uint64_t at = 0; at < 256; at += 4) store(&t, t.st, at, 7);
    be(&t, 1, 0);
    for (uint64_t at = 0; at < 256; at += 4) t.wrong += load(&t, t.ld, at) != 7;
    CHECK_INT(litmus_end(&t), 0);
}

int main(void) {
    message_passing();
    a_dozen_loads();
    coherence();
    whole();
    atomics();
    atomics_are_late();
    shared();
    at_once();
    return check_done();
}
