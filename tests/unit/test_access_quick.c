/* Loads that repeat themselves (runner/device/sim/access/access_quick.inc), as a kernel's loop
 * makes them, on two devices alike: on one the load is asked for quickly first, as handlers do, on
 * the other it always goes the usual way. Data are compared with the bytes that were written,
 * counts with slow definitions and with the other device's, L1 and the stream to L2 with the
 * other's bit by bit. For each of the compiled paths. */
#include "check.h"
#include "access_fixture.h"

enum { BYTES = 16 * 1024, ROUNDS = 4000 };

typedef struct {
    fixture *f;
    sim_addr base;
    sim_site *load;
    uint64_t reg[32];
    unsigned quick; /* how often it was */
} device;

static const sim_access_isa *isa;
static uint8_t bytes[BYTES];

static device device_new(unsigned elem, unsigned flags, bool races) {
    device d = {.f = fixture_new("h200")};
    d.f->options.check_race_global = races;
    sim_memory_alloc(d.f->memory, BYTES, SIM_ALLOC_USER, "x", &d.base);
    sim_memory_write(d.f->memory, d.base, bytes, BYTES);
    d.load = fixture_site(d.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, elem, 1, 7);
    d.load->flags = (uint16_t)flags;
    isa->bind(d.load);
    fixture_start(d.f);
    return d;
}

/* As exec_mem.inc loads; the lanes that went through. */
static uint32_t take(device *d, const uint64_t addr[32], uint64_t offset, bool quickly) {
    uint64_t at[32];
    void *dst[1] = {d->reg};
    memset(d->reg, 0xee, sizeof d->reg);
    if (quickly && d->load->quick && d->load->quick(d->f->access, d->load, addr, offset, d->reg)) {
        d->quick++;
        return ~0u;
    }
    for (unsigned l = 0; l < 32; l++) at[l] = addr[l] + offset;
    return d->load->load(d->f->access, d->load, at, ~0u, dst);
}

/* Distinct 32-byte sectors of the lanes' elements, none of which reaches into two. */
static unsigned ref_sectors(const uint64_t *addr, uint64_t offset) {
    unsigned n = 0;
    for (unsigned l = 0; l < 32; l++) {
        unsigned k = 0;
        while (k < l && (addr[k] + offset) / 32 != (addr[l] + offset) / 32) k++;
        n += k == l;
    }
    return n;
}

/* Do both L1s hold the same in the same order, and has the same gone on to L2? */
static bool same_caches(const device *a, const device *b) {
    const sim_l1 *x = a->f->access->l1, *y = b->f->access->l1;
    size_t n, m;
    const sim_stream_entry *e = sim_block_stream(a->f->block, &n),
                           *g = sim_block_stream(b->f->block, &m);
    return x->sets && x->sets == y->sets && n == m && !memcmp(e, g, n * sizeof *e) &&
           !memcmp(x->way, y->way, x->sets * SIM_L1_WAYS * sizeof *x->way);
}

/* Halves of a warp, each side by side or in one place, a few times in a row, in few lines and in
 * more than L1's sets hold; and what breaks that off. */
static void alike(unsigned elem, unsigned reach) {
    device d = device_new(elem, 0, false), usual = device_new(elem, 0, false);
    uint64_t rnd = 11 + reach, wrong = 0, sectors = 0, addr[32];
    CHECK_INT(d.base, usual.base);
    /* a small L1 is full soon: lines are looked for in sets with others */
    sim_l1_resize(d.f->access->l1, 4), sim_l1_begin(d.f->access->l1);
    sim_l1_resize(usual.f->access->l1, 4), sim_l1_begin(usual.f->access->l1);
    unsigned step[2] = {0, 0};
    for (unsigned r = 0; r < ROUNDS; r++) {
        if (r % 8 == 0) step[0] = fixture_random(&rnd) % 2, step[1] = fixture_random(&rnd) % 2;
        unsigned cells = reach / elem, first = fixture_random(&rnd) % cells,
                 kind = fixture_random(&rnd) % 8,
                 second = kind == 0   ? first
                          : kind == 1 ? first + 16
                                      : fixture_random(&rnd) % cells;
        if (kind > 4) first &= ~15u, second &= ~15u; /* of a tile */
        for (unsigned l = 0; l < 32; l++)
            addr[l] = d.base + ((l < 16 ? first : second) + l % 16 * step[l / 16]) * elem;
        if (kind == 2) addr[fixture_random(&rnd) % 32] = d.base + first * elem;
        for (unsigned again = 0; again < 3; again++) {
            uint64_t offset = again == 2 ? elem : 0;
            wrong += take(&d, addr, offset, true) != ~0u;
            wrong += take(&usual, addr, offset, false) != ~0u;
            for (unsigned l = 0; l < 32; l++)
                wrong += memcmp((uint8_t *)d.reg + l * elem, bytes + (addr[l] + offset - d.base),
                                elem) != 0;
            wrong += memcmp(d.reg, usual.reg, 32 * elem) != 0;
            sectors += ref_sectors(addr, offset);
        }
        if (r % 100 == 0) wrong += !same_caches(&d, &usual);
    }
    wrong += !same_caches(&d, &usual);
    CHECK_INT(wrong, 0);
    CHECK(d.quick > ROUNDS &&
          d.quick < 3 * ROUNDS); /* else none of this went the way that it is about */
    sim_counters c = fixture_counters(d.f), u = fixture_counters(usual.f);
    CHECK_INT(c.gld_requests, 3 * ROUNDS);
    CHECK_INT(c.gld_sectors, sectors);
    CHECK_INT(c.gld_bytes, 3 * ROUNDS * 32ul * elem);
    CHECK(!memcmp(&c, &u, sizeof c));
    fixture_end(d.f);
    fixture_end(usual.f);
    CHECK_INT(d.f->found_count + usual.f->found_count, 0);
    fixture_free(d.f);
    fixture_free(usual.f);
}

static void rows(uint64_t addr[32], sim_addr first, sim_addr second, unsigned step) {
    for (unsigned l = 0; l < 32; l++) addr[l] = (l < 16 ? first : second) + l % 16 * step;
}

/* What is not as it was goes the usual way, which says what is wrong with it. */
static void ends(unsigned elem) {
    device d = device_new(elem, 0, false);
    uint64_t addr[32];
    unsigned half = 16 * elem;
    rows(addr, d.base, d.base + 4096, elem);
    for (unsigned k = 0; k < 3; k++) CHECK_INT(take(&d, addr, 0, true), ~0u);
    CHECK_INT(d.quick, 1); /* the first found the allocation, the second told how the lanes lie */
    /* The last half row of the allocation, then one element further: its last lane is outside. */
    rows(addr, d.base, d.base + BYTES - half, elem);
    CHECK_INT(take(&d, addr, 0, true), ~0u);
    CHECK_INT(take(&d, addr, 0, true), ~0u);
    CHECK_INT(d.quick, 3);
    rows(addr, d.base, d.base + BYTES - half + elem, elem);
    CHECK_INT(take(&d, addr, 0, true), ~0u >> 1);
    rows(addr, d.base, d.base + BYTES - half - 1, elem); /* no multiple of the element */
    CHECK_INT(take(&d, addr, 0, true), 0xffff);
    rows(addr, d.base - half, d.base, elem); /* below it */
    CHECK_INT(take(&d, addr, 0, true), 0xffff0000);
    CHECK_INT(d.quick, 3);
    /* Freed between two loads: nothing of the old place is taken for granted. */
    rows(addr, d.base, d.base + 4096, elem);
    for (unsigned k = 0; k < 2; k++) CHECK_INT(take(&d, addr, 0, true), ~0u);
    CHECK_INT(d.quick, 4);
    CHECK_INT(sim_memory_release(d.f->memory, d.base), SIM_OK);
    CHECK_INT(take(&d, addr, 0, true), 0);
    CHECK_INT(d.quick, 4);
    fixture_end(d.f);
    CHECK_INT(d.f->found_count, 3); /* outside (twice, of one site), misaligned, freed */
    fixture_free(d.f);
}

/* Whole runs and single values are quick where L1 has them, and only there. */
static void runs(unsigned elem) {
    device d = device_new(elem, 0, false);
    uint64_t addr[32];
    for (unsigned step = 0; step <= elem; step += elem) {
        for (unsigned k = 0; k < 4; k++) { /* each twice: a miss, then a hit told the usual way */
            for (unsigned l = 0; l < 32; l++)
                addr[l] = d.base + (step ? 8192 : 0) + k * 1024 + l * step;
            d.quick = 0;
            for (unsigned again = 0; again < 4; again++) CHECK_INT(take(&d, addr, 0, true), ~0u);
            CHECK_INT(d.quick, 2);
            for (unsigned l = 0; l < 32; l++)
                CHECK(!memcmp((uint8_t *)d.reg + l * elem, bytes + (addr[l] - d.base), elem));
        }
    }
    fixture_end(d.f);
    fixture_free(d.f);
}

/* Sites and launches that never are. */
static void never(void) {
    uint64_t addr[32];
    static const unsigned flags[] = {SIM_SITE_BYPASS_L1, SIM_SITE_ACQUIRE, SIM_SITE_RELEASE};
    for (unsigned k = 0; k < 3; k++) {
        device d = device_new(4, flags[k], false);
        CHECK(!d.load->quick);
        fixture_end(d.f);
        fixture_free(d.f);
    }
    device races = device_new(4, 0, true);
    rows(addr, races.base, races.base + 4096, 4);
    for (unsigned k = 0; k < 3; k++) CHECK_INT(take(&races, addr, 0, true), ~0u);
    CHECK_INT(races.quick, 0); /* who reads what is looked at */
    fixture_end(races.f);
    fixture_free(races.f);
    /* A memory of which some was never written. */
    fixture *f = fixture_new("h200");
    sim_addr at;
    sim_memory_alloc(f->memory, BYTES, SIM_ALLOC_USER, "y", &at);
    sim_memory_write(f->memory, at, bytes, BYTES / 2);
    device d = {.f = f, .base = at};
    d.load = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 7);
    isa->bind(d.load);
    fixture_start(f);
    rows(addr, at, at + 4096, 4);
    for (unsigned k = 0; k < 3; k++) CHECK_INT(take(&d, addr, 0, true), ~0u);
    rows(addr, at, at + BYTES / 2, 4);
    CHECK_INT(take(&d, addr, 0, true), ~0u);
    CHECK_INT(d.quick, 0);
    fixture_end(f);
    CHECK_INT(f->found_count, 1);
    CHECK_INT(f->found[0].kind, SIM_FIND_UNINIT);
    fixture_free(f);
}

int main(void) {
#ifdef __SANITIZE_THREAD__
    puts("# no site is quick under the thread sanitizer (access_lanes.inc): skipped");
    return check_done();
#endif
    uint64_t rnd = 5;
    for (unsigned i = 0; i < BYTES; i++) bytes[i] = (uint8_t)fixture_random(&rnd);
    for (unsigned s = 0; s < SIM_ISA_COUNT; s++) {
        if (!sim_isa_runs(s)) continue;
        isa = sim_access_of(s);
        printf("# %s\n", isa->name);
        for (unsigned elem = 4; elem <= 8; elem += 4) {
            alike(elem, 2048);
            alike(elem, BYTES - 512);
            ends(elem);
            runs(elem);
        }
        never();
    }
    return check_done();
}
