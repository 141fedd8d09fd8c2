/* Warp accesses against slow definitions: which sectors and words the lanes' bytes lie in, byte by
 * byte and lane against lane, over random addresses and masks, for each of the compiled paths. Then
 * the counts that real kernels' patterns must give, and the findings. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include "access_fixture.h"
#include "tests/said.h"

/* ---- the definitions ---- */

/* Distinct 32-byte sectors over every byte of every active lane. */
static unsigned ref_sectors(const uint64_t *addr, uint32_t mask, unsigned size) {
    uint64_t seen[32 * 64];
    unsigned n = 0;
    for (unsigned l = 0; l < 32; l++) {
        if (!(mask >> l & 1)) continue;
        for (unsigned b = 0; b < size; b++) {
            uint64_t s = (addr[l] + b) / 32;
            unsigned i = 0;
            while (i < n && seen[i] != s) i++;
            if (i == n) seen[n++] = s;
        }
    }
    return n;
}

/* Wavefronts: lanes go in groups of 128 bytes; in each, the most distinct words that one of 32
 * banks must give. */
static unsigned ref_passes(const uint32_t *addr, uint32_t mask, unsigned size, unsigned *least) {
    unsigned lanes = size <= 4 ? 32 : 128 / size, total = 0;
    *least = 0;
    for (unsigned g = 0; g < 32; g += lanes) {
        unsigned worst = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint32_t words[32 * 16];
            unsigned n = 0;
            for (unsigned l = g; l < g + lanes; l++) {
                if (!(mask >> l & 1)) continue;
                for (uint32_t w = addr[l] / 4; w <= (addr[l] + size - 1) / 4; w++) {
                    if (w % 32 != bank) continue;
                    unsigned i = 0;
                    while (i < n && words[i] != w) i++;
                    if (i == n) words[n++] = w;
                }
            }
            if (n > worst) worst = n;
        }
        total += worst;
        *least += worst != 0;
    }
    return total;
}

/* Most lanes on one address. */
static unsigned ref_serial(const uint64_t *addr, uint32_t mask) {
    unsigned most = 0;
    for (unsigned l = 0; l < 32; l++) {
        unsigned n = 0;
        for (unsigned k = 0; k < 32; k++) n += (mask >> l & mask >> k & 1) && addr[l] == addr[k];
        if (n > most) most = n;
    }
    return most;
}

/* Offsets of the kinds that programs make, multiples of `size` below `bytes`. */
static void pattern(uint64_t *rnd, uint64_t off[32], uint32_t *mask, unsigned size,
                    uint64_t bytes) {
    uint64_t cells = bytes / size, base = fixture_random(rnd) % cells, stride = 1;
    unsigned kind = fixture_random(rnd) % 9;
    static const uint16_t strides[] = {2, 3, 4, 8, 16, 31, 32, 33, 64, 257, 1024};
    if (kind == 1) stride = strides[fixture_random(rnd) % 11];
    for (unsigned l = 0; l < 32; l++) {
        uint64_t c;
        switch (kind) {
        case 0: c = base + l; break;
        case 1: c = base + l * stride; break;
        case 2: c = base; break;
        case 3: c = base + (l & 15) + (l >> 4) * 100; break; /* two rows */
        case 4: c = base + (l >> 4) * 16; break;
        case 5: c = fixture_random(rnd); break;
        case 6: c = base + fixture_random(rnd) % 40; break;
        case 7: c = base + 31 - l; break;
        default: c = base + (l & 7) * 50 + (l >> 3); break;
        }
        off[l] = c % cells * size;
    }
    switch (fixture_random(rnd) % 5) {
    case 0: *mask = ~0u; break;
    case 1: *mask = ~0u >> fixture_random(rnd) % 32; break;
    case 2: *mask = ~0u << fixture_random(rnd) % 32; break;
    case 3: *mask = 1u << fixture_random(rnd) % 32; break;
    default: *mask = fixture_random(rnd) | 1u << fixture_random(rnd) % 32;
    }
}

static const struct {
    uint8_t elem, vec;
} shapes[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 4}, {2, 2},
              {4, 2}, {2, 4}, {4, 4}, {8, 2}, {1, 2}, {4, 8}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint64_t reg_value(const void *reg, unsigned lane, unsigned bytes) {
    return bytes == 8 ? ((const uint64_t *)reg)[lane] : ((const uint32_t *)reg)[lane];
}

/* Random loads and stores of one path, all shapes: data, requests, sectors, bytes. */
static void random_global(const sim_access_isa *isa, unsigned rounds) {
    enum { BYTES = 64 * 1024 };
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, BYTES, SIM_ALLOC_USER, "x", &base);
    uint8_t *model = malloc(BYTES);
    uint64_t rnd = 42;
    for (unsigned i = 0; i < BYTES; i++) model[i] = (uint8_t)fixture_random(&rnd);
    sim_memory_write(f->memory, base, model, BYTES);
    sim_site *load[SHAPES], *store[SHAPES],
        *generic = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 4, 1, 5);
    for (unsigned i = 0; i < SHAPES; i++) {
        load[i] = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, shapes[i].elem, shapes[i].vec,
                               10 + i);
        store[i] = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, shapes[i].elem,
                                shapes[i].vec, 30 + i);
        isa->bind(load[i]);
        isa->bind(store[i]);
        if (i % 3 == 1) load[i]->flags = SIM_SITE_SEXT;
        if (i % 4 == 1) load[i]->reg = 8;
    }
    isa->bind(generic);
    fixture_start(f);
    uint64_t requests = 0, sectors = 0, bytes = 0, st_requests = 0, st_sectors = 0, wrong = 0;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned i = fixture_random(&rnd) % SHAPES, elem = shapes[i].elem, vec = shapes[i].vec,
                 size = elem * vec;
        uint64_t off[32], addr[32];
        uint32_t mask;
        pattern(&rnd, off, &mask, size, BYTES);
        for (unsigned l = 0; l < 32; l++)
            addr[l] = mask >> l & 1 ? base + off[l] : fixture_random(&rnd) * 77ull;
        uint64_t regs[8][32], before[8][32];
        void *dst[8];
        for (unsigned k = 0; k < 8; k++) {
            for (unsigned l = 0; l < 32; l++)
                regs[k][l] = before[k][l] = fixture_random(&rnd) * 0x100000001ull;
            dst[k] = regs[k];
        }
        if (r % 3) {
            const sim_site *s = r % 7 == 1 && elem == 4 && vec == 1 ? generic : load[i];
            wrong += s->load(f->access, s, addr, mask, dst) != mask;
            for (unsigned k = 0; k < vec; k++)
                for (unsigned l = 0; l < 32; l++) {
                    uint64_t want = reg_value(before[k], l, s->reg);
                    if (mask >> l & 1) {
                        want = 0;
                        memcpy(&want, model + off[l] + k * elem, elem);
                        if (s->flags & SIM_SITE_SEXT && elem < 8 && want >> (8 * elem - 1))
                            want |= ~0ull << (8 * elem);
                        if (s->reg == 4) want = (uint32_t)want;
                    }
                    wrong += reg_value(regs[k], l, s->reg) != want;
                }
            requests++;
            sectors += ref_sectors(addr, mask, size);
            bytes += (uint64_t)__builtin_popcount(mask) * size;
        } else {
            const sim_site *s = store[i];
            wrong += s->store(f->access, s, addr, mask, (const void *const *)dst) != mask;
            for (unsigned l = 0; l < 32; l++) /* where lanes meet, the last one's value stays */
                for (unsigned k = 0; k < vec && mask >> l & 1; k++) {
                    uint64_t v = reg_value(before[k], l, s->reg);
                    memcpy(model + off[l] + k * elem, &v, elem);
                }
            st_requests++;
            st_sectors += ref_sectors(addr, mask, size);
        }
    }
    uint8_t *now = malloc(BYTES);
    sim_memory_read(f->memory, now, base, BYTES);
    sim_counters c = fixture_counters(f);
    printf("# %s\n", isa->name);
    CHECK_INT(wrong, 0);
    CHECK(!memcmp(now, model, BYTES));
    CHECK_INT(c.gld_requests, requests);
    CHECK_INT(c.gld_sectors, sectors);
    CHECK_INT(c.gld_bytes, bytes);
    CHECK_INT(c.gst_requests, st_requests);
    CHECK_INT(c.gst_sectors, st_sectors);
    CHECK_INT(c.l1_sectors, sectors + st_sectors);
    CHECK_INT(sim_access_fault(f->access), SIM_OK);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    free(now);
    free(model);
    fixture_free(f);
}

/* A block whose traffic has gone to L2 lets the one behind it go, and no other. */
static void commits(void) {
    fixture *f = fixture_new("h200");
    fixture_start(f);
    CHECK_INT(f->launch->committed, 0);
    for (uint64_t k = 0; k < 3; k++) {
        sim_block_begin(f->block, k);
        sim_block_end(f->block);
        CHECK_INT(f->launch->committed, k);
        sim_block_commit(f->block);
        CHECK_INT(f->launch->committed, k + 1);
    }
    fixture_end(f);
    fixture_free(f);
}

static void random_shared(const sim_access_isa *isa, unsigned rounds, bool races, bool narrow) {
    enum { BYTES = 16384 };
    fixture *f = fixture_new("h200");
    f->options.check_race_shared = races;
    f->byte_shadow = narrow;
    uint8_t *model = calloc(1, BYTES);
    uint64_t rnd = 7;
    sim_site *load[SHAPES], *store[SHAPES];
    for (unsigned i = 0; i < SHAPES; i++) {
        load[i] = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, shapes[i].elem, shapes[i].vec,
                               10 + i);
        store[i] = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, shapes[i].elem,
                                shapes[i].vec, 30 + i);
        isa->bind(load[i]);
        isa->bind(store[i]);
    }
    fixture_start(f);
    uint64_t ld = 0, ld_passes = 0, ld_conflicts = 0, st = 0, st_passes = 0, st_conflicts = 0,
             wrong = 0;
    uint32_t zero[32] = {0};
    const void *zeros[1] = {zero};
    for (uint32_t at = 0; at < BYTES; at += 128) { /* nothing is read that was not written */
        uint32_t addr[32];
        for (unsigned l = 0; l < 32; l++) addr[l] = at + l * 4;
        store[2]->store(f->access, store[2], addr, ~0u, zeros);
        st++;
        st_passes++;
    }
    for (unsigned r = 0; r < rounds; r++) {
        unsigned i = fixture_random(&rnd) % SHAPES, elem = shapes[i].elem, vec = shapes[i].vec,
                 size = elem * vec, least;
        uint64_t off[32];
        uint32_t mask, addr[32];
        pattern(&rnd, off, &mask, size, BYTES);
        for (unsigned l = 0; l < 32; l++)
            addr[l] = mask >> l & 1 ? (uint32_t)off[l] : fixture_random(&rnd) * 7;
        uint64_t regs[8][32], before[8][32];
        void *dst[8];
        for (unsigned k = 0; k < 8; k++) {
            for (unsigned l = 0; l < 32; l++)
                regs[k][l] = before[k][l] = fixture_random(&rnd) * 0x100000001ull;
            dst[k] = regs[k];
        }
        unsigned passes = ref_passes(addr, mask, size, &least);
        sim_block_barrier(f->block, NULL);
        if (r % 2) {
            const sim_site *s = load[i];
            wrong += s->load(f->access, s, addr, mask, dst) != mask;
            for (unsigned k = 0; k < vec; k++)
                for (unsigned l = 0; l < 32; l++) {
                    uint64_t want = reg_value(before[k], l, s->reg);
                    if (mask >> l & 1) {
                        want = 0;
                        memcpy(&want, model + off[l] + k * elem, elem);
                    }
                    wrong += reg_value(regs[k], l, s->reg) != want;
                }
            ld++;
            ld_passes += passes;
            ld_conflicts += passes - least;
        } else {
            const sim_site *s = store[i];
            wrong += s->store(f->access, s, addr, mask, (const void *const *)dst) != mask;
            for (unsigned l = 0; l < 32; l++)
                for (unsigned k = 0; k < vec && mask >> l & 1; k++) {
                    uint64_t v = reg_value(before[k], l, s->reg);
                    memcpy(model + off[l] + k * elem, &v, elem);
                }
            st++;
            st_passes += passes;
            st_conflicts += passes - least;
        }
    }
    sim_counters c = fixture_counters(f);
    CHECK_INT(wrong, 0);
    CHECK(!memcmp(sim_block_shared(f->block), model, BYTES));
    CHECK_INT(c.shared_ld_requests, ld);
    CHECK_INT(c.shared_ld_wavefronts, ld_passes);
    CHECK_INT(c.shared_ld_conflicts, ld_conflicts);
    CHECK_INT(c.shared_st_requests, st);
    CHECK_INT(c.shared_st_wavefronts, st_passes);
    CHECK_INT(c.shared_st_conflicts, st_conflicts);
    fixture_end(f);
    free(model);
    fixture_free(f);
}

static void atomics(const sim_access_isa *isa) {
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "h", &base);
    sim_memory_fill(f->memory, base, 0, 4, 1024);
    sim_site *g = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 1),
             *s = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_ATOM, 4, 1, 2);
    isa->bind(g);
    isa->bind(s);
    fixture_start(f);
    uint64_t rnd = 3, lanes = 0, serial = 0;
    unsigned wrong = 0;
    for (unsigned r = 0; r < 2000; r++) {
        uint64_t off[32], addr[32];
        uint32_t small[32], mask;
        void *p[32];
        pattern(&rnd, off, &mask, 4, r % 2 ? 64 : 4096);
        for (unsigned l = 0; l < 32; l++) addr[l] = base + off[l], small[l] = (uint32_t)off[l];
        wrong += g->ptr(f->access, g, addr, mask, p) != mask;
        for (unsigned l = 0; l < 32; l++)
            if (mask >> l & 1) wrong += p[l] != sim_memory_host(f->memory, addr[l], 4);
        wrong += s->ptr(f->access, s, small, mask, p) != mask;
        for (unsigned l = 0; l < 32; l++)
            if (mask >> l & 1) wrong += p[l] != (uint8_t *)sim_block_shared(f->block) + small[l];
        lanes += (uint64_t)__builtin_popcount(mask);
        serial += ref_serial(addr, mask);
    }
    sim_counters c = fixture_counters(f);
    CHECK_INT(wrong, 0);
    CHECK_INT(c.atom_global_requests, 2000);
    CHECK_INT(c.atom_global_lanes, lanes);
    CHECK_INT(c.atom_global_serialised, serial);
    CHECK_INT(c.atom_shared_requests, 2000);
    CHECK_INT(c.atom_shared_lanes, lanes);
    CHECK_INT(c.atom_shared_serialised, serial);
    CHECK_INT(c.gld_requests + c.gst_requests, 0);
    fixture_end(f);
    fixture_free(f);
}

/* Local memory: each lane has its own bytes; equal offsets are one line of 128 bytes. */
static void local(const sim_access_isa *isa) {
    enum { BYTES = 240 };
    fixture *f = fixture_new("h200");
    f->local_bytes = BYTES;
    sim_site *load[SHAPES], *store[SHAPES];
    for (unsigned i = 0; i < SHAPES; i++) {
        load[i] = fixture_site(f, SIM_SPACE_LOCAL, SIM_ACCESS_LOAD, shapes[i].elem, shapes[i].vec,
                               10 + i);
        store[i] = fixture_site(f, SIM_SPACE_LOCAL, SIM_ACCESS_STORE, shapes[i].elem, shapes[i].vec,
                                30 + i);
        isa->bind(load[i]);
        isa->bind(store[i]);
    }
    fixture_start(f);
    sim_access_enter(f->access, f->block, 3);
    static uint8_t model[32][BYTES];
    memset(model, 0, sizeof model);
    uint64_t rnd = 11, ld_sectors = 0, st_sectors = 0, st_words = 0;
    unsigned wrong = 0;
    for (unsigned r = 0; r < 3000; r++) {
        unsigned i = fixture_random(&rnd) % SHAPES, elem = shapes[i].elem, vec = shapes[i].vec,
                 size = elem * vec;
        uint32_t addr[32], mask = r % 3 ? ~0u : fixture_random(&rnd) | 4,
                           same = fixture_random(&rnd) % (BYTES / size) * size;
        for (unsigned l = 0; l < 32; l++)
            addr[l] = r % 5 ? same : fixture_random(&rnd) % (BYTES / size) * size;
        /* sectors of the interleaved words, byte by byte */
        uint64_t place[32];
        unsigned sectors = 0;
        for (unsigned w = 0; w < (size + 3) / 4; w++) {
            for (unsigned l = 0; l < 32; l++) place[l] = (uint64_t)(addr[l] / 4 + w) * 128 + l * 4;
            sectors += ref_sectors(place, mask, 4);
        }
        if (r % 5 ==
            0) { /* rows of different lanes may coincide over the words: count them together */
            uint64_t seen[32 * 8];
            unsigned n = 0;
            for (unsigned l = 0; l < 32; l++)
                for (unsigned w = 0; w < (size + 3) / 4 && mask >> l & 1; w++) {
                    uint64_t s = ((uint64_t)(addr[l] / 4 + w) * 128 + l * 4) / 32;
                    unsigned q = 0;
                    while (q < n && seen[q] != s) q++;
                    if (q == n) seen[n++] = s;
                }
            sectors = n;
        }
        uint64_t regs[8][32], before[8][32];
        void *dst[8];
        for (unsigned k = 0; k < 8; k++) {
            for (unsigned l = 0; l < 32; l++)
                regs[k][l] = before[k][l] = fixture_random(&rnd) * 0x100000001ull;
            dst[k] = regs[k];
        }
        if (r % 2) {
            wrong += load[i]->load(f->access, load[i], addr, mask, dst) != mask;
            for (unsigned k = 0; k < vec; k++)
                for (unsigned l = 0; l < 32; l++) {
                    uint64_t want = reg_value(before[k], l, load[i]->reg);
                    if (mask >> l & 1) {
                        want = 0;
                        memcpy(&want, model[l] + addr[l] + k * elem, elem);
                    }
                    wrong += reg_value(regs[k], l, load[i]->reg) != want;
                }
            ld_sectors += sectors;
        } else {
            wrong +=
                store[i]->store(f->access, store[i], addr, mask, (const void *const *)dst) != mask;
            for (unsigned l = 0; l < 32; l++)
                for (unsigned k = 0; k < vec && mask >> l & 1; k++) {
                    uint64_t v = reg_value(before[k], l, store[i]->reg);
                    memcpy(model[l] + addr[l] + k * elem, &v, elem);
                }
            st_sectors += sectors;
            st_words += (unsigned)__builtin_popcount(mask) * ((size + 3) / 4);
        }
    }
    sim_counters c = fixture_counters(f);
    CHECK_INT(wrong, 0);
    CHECK_INT(c.local_ld_sectors, ld_sectors);
    CHECK_INT(c.local_st_sectors, st_sectors);
    /* Every store goes through to L2, as the words that its lanes wrote. */
    size_t n = 0;
    const sim_stream_entry *e = sim_block_stream(f->block, &n);
    uint64_t through = 0, words = 0;
    for (size_t i = 0; i < n; i++)
        if (e[i].op == SIM_STREAM_STORE)
            through += (unsigned)__builtin_popcount(e[i].sectors),
                words += (unsigned)__builtin_popcount(e[i].words);
    CHECK_INT(through, st_sectors);
    CHECK_INT(words, st_words);
    uint8_t lane[BYTES];
    for (unsigned l = 0; l < 32; l++)
        wrong += !sim_local_read(f->block, 3, l, 0, lane, BYTES) || memcmp(lane, model[l], BYTES);
    CHECK_INT(wrong, 0);
    CHECK(!sim_local_read(f->block, 3, 0, BYTES - 3, lane, 4));
    fixture_end(f);
    fixture_free(f);
}

/* ---- what measured kernels must give ---- */

/* Sectors of `n` threads that each touch [o + i * step, + size), by warps of 32. */
static uint64_t sweep(fixture *f, const sim_site *s, sim_addr base, uint64_t n, uint64_t first,
                      uint64_t step, uint64_t below) {
    static uint32_t regs[4][32];
    void *dst[4] = {regs[0], regs[1], regs[2], regs[3]};
    for (uint64_t w = 0; w < n; w += 32) {
        uint64_t addr[32];
        uint32_t mask = 0;
        for (unsigned l = 0; l < 32; l++) {
            addr[l] = base + (first + w + l) * step;
            if (first + w + l < below) mask |= 1u << l;
        }
        s->load(f->access, s, addr, mask, dst);
    }
    sim_counters c = fixture_counters(f);
    return c.gld_sectors;
}

static void measured(void) {
    /* H200, Nsight Compute: gld_sectors of one launch (4-byte lanes, 2^22 threads here where the
     * measurement had 2^26) */
    static const struct {
        const char *what;
        unsigned size, vec, step, first, want_per_64; /* sectors for each 64 requests */
    } rows[] = {
        {"offset 0: 4 sectors a request", 4, 1, 4, 0, 256},
        {"offset 1: 5", 4, 1, 4, 1, 320},
        {"offset 8: 4", 4, 1, 4, 8, 256},
        {"offset 31: 5", 4, 1, 4, 31, 320},
        {"stride 2: 8", 4, 1, 8, 0, 512},
        {"stride 4: 16", 4, 1, 16, 0, 1024},
        {"stride 8: 32", 4, 1, 32, 0, 2048},
        {"stride 33: 32", 4, 1, 132, 0, 2048},
        {"float4: 16", 4, 4, 16, 0, 1024},
        {"float3 by members: 12", 4, 1, 12, 0, 768},
        {"bytes: 1", 1, 1, 1, 0, 64},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("h200");
        sim_addr base;
        uint64_t n = 1 << 16;
        sim_memory_alloc(f->memory, (n + 64) * 132, SIM_ALLOC_USER, "x", &base);
        sim_memory_fill(f->memory, base, 0, 4, (n + 64) * 33);
        const sim_site *s =
            fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, rows[i].size, rows[i].vec, 1);
        fixture_start(f);
        printf("# %s\n", rows[i].what);
        CHECK_INT(sweep(f, s, base, n, rows[i].first, rows[i].step, UINT64_MAX),
                  n / 32 / 64 * rows[i].want_per_64);
        fixture_end(f);
        fixture_free(f);
    }
    /* copy_offset of 1 over n = 2^20 elements: the last warp has 31 lanes. H200 for 2^26: 10485759
     * = 5 * 2097152 - 1 */
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, 4u << 20, SIM_ALLOC_USER, "x", &base);
    sim_memory_fill(f->memory, base, 0, 4, 1u << 20);
    const sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1);
    fixture_start(f);
    CHECK_INT(sweep(f, s, base, 1 << 20, 1, 4, 1 << 20), 5 * 32768 - 1);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    fixture_free(f);

    /* The second step of the reduction ladder, one block of 256: per block 70 conflicts of loads
     * and 35 of stores by the banks' rule; H200 measured 18877102 and 9443867 for 262144 blocks:
     * 72.0 and 36.0, its arbitration noise included. */
    f = fixture_new("h200");
    const sim_site *ld = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 1),
                   *st = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 1, 2);
    fixture_start(f);
    uint32_t reg[32] = {0};
    void *dst[1] = {reg};
    const void *src[1] = {reg};
    for (unsigned k = 1; k < 256; k *= 2)
        for (unsigned w = 0; w < 8; w++) {
            uint32_t x[32], y[32], mask = 0;
            for (unsigned l = 0; l < 32; l++) {
                unsigned at = 2 * k * (w * 32 + l);
                if (at < 256) mask |= 1u << l;
                x[l] = at * 4;
                y[l] = (at + k) * 4;
            }
            sim_access_enter(f->access, f->block, w);
            ld->load(f->access, ld, y, mask, dst);
            ld->load(f->access, ld, x, mask, dst);
            st->store(f->access, st, x, mask, src);
        }
    sim_counters c = fixture_counters(f);
    CHECK_INT(c.shared_ld_conflicts, 70);
    CHECK_INT(c.shared_st_conflicts, 35);
    fixture_end(f);
    fixture_free(f);
}

/* Compute capability 1.0, by the guide's rule, spelt out for the cases of its figures. */
static void strict(void) {
    static const struct {
        const char *what;
        unsigned size, vec, first, step, swap;
        uint32_t mask;
        unsigned sectors;
    } rows[] = {
        {"in order, aligned: two transactions of 64 bytes", 4, 1, 0, 4, 0, ~0u, 4},
        {"some lanes idle: the same", 4, 1, 0, 4, 0, 0xfff7f7ff, 4},
        {"two lanes swapped: that half warp falls apart", 4, 1, 0, 4, 1, ~0u, 16 + 2},
        {"misaligned by a word: 32 transactions", 4, 1, 4, 4, 0, ~0u, 32},
        {"aligned to 64 bytes only", 4, 1, 64, 4, 0, ~0u, 4},
        {"8-byte lanes: 128 bytes a half warp", 8, 1, 0, 8, 0, ~0u, 8},
        {"16-byte lanes: two of 128 bytes a half warp", 4, 4, 0, 16, 0, ~0u, 16},
        {"12-byte structs, member by member", 4, 1, 0, 12, 0, ~0u, 32},
        {"bytes never coalesce", 1, 1, 0, 1, 0, ~0u, 32},
        {"half a warp", 4, 1, 0, 4, 0, 0xffff, 2},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture *f = fixture_new("g80");
        sim_addr base;
        sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "x", &base);
        sim_memory_fill(f->memory, base, 0, 4, 1024);
        const sim_site *s =
            fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, rows[i].size, rows[i].vec, 1);
        f->shared_bytes = 1024;
        fixture_start(f);
        uint64_t addr[32];
        for (unsigned l = 0; l < 32; l++)
            addr[l] = base + rows[i].first + (rows[i].swap && l < 2 ? 1 - l : l) * rows[i].step;
        uint32_t regs[4][32];
        void *dst[4] = {regs[0], regs[1], regs[2], regs[3]};
        s->load(f->access, s, addr, rows[i].mask, dst);
        sim_counters c = fixture_counters(f);
        printf("# %s\n", rows[i].what);
        CHECK_INT(c.gld_sectors, rows[i].sectors);
        sim_block_commit(f->block);
        c = (sim_counters){0};
        sim_access_launch_count(f->launch, &c);
        CHECK_INT(c.dram_read, rows[i].sectors * 32);
        CHECK_INT(c.l2_sectors, 0);
        fixture_end(f);
        fixture_free(f);
    }
    fixture *f = fixture_new("g80");
    const sim_site *s = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 1);
    f->shared_bytes = 8192;
    f->options.check_uninit = false;
    fixture_start(f);
    static const struct {
        unsigned stride, conflicts;
    } strides[] = {{0, 0}, {1, 0}, {2, 2}, {3, 0}, {4, 6}, {8, 14}, {16, 30}, {17, 0}};
    uint64_t before = 0;
    for (unsigned i = 0; i < 8;
         i++) { /* 16 banks: a stride of 2 words makes pairs of lanes meet in each half warp */
        uint32_t addr[32], reg[32];
        void *dst[1] = {reg};
        for (unsigned l = 0; l < 32; l++) addr[l] = l * strides[i].stride * 4;
        s->load(f->access, s, addr, ~0u, dst);
        sim_counters c = fixture_counters(f);
        CHECK_INT(c.shared_ld_conflicts - before, strides[i].conflicts);
        before = c.shared_ld_conflicts;
    }
    fixture_end(f);
    fixture_free(f);
}

static void constants(void) {
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, 4096, SIM_ALLOC_CONST, "table", &base);
    uint32_t init[1024];
    for (unsigned i = 0; i < 1024; i++) init[i] = i * i;
    sim_memory_write(f->memory, base, init, sizeof init);
    const sim_site *s = fixture_site(f, SIM_SPACE_CONST, SIM_ACCESS_LOAD, 4, 1, 1),
                   *g = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 4, 1, 2),
                   *w = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_STORE, 4, 1, 3);
    fixture_start(f);
    uint64_t addr[32];
    uint32_t reg[32] = {0};
    void *dst[1] = {reg};
    for (unsigned l = 0; l < 32; l++) addr[l] = base + 40;
    s->load(f->access, s, addr, ~0u, dst);
    CHECK_INT(reg[31], 100);
    for (unsigned l = 0; l < 32; l++) addr[l] = base + (l & 3) * 4;
    s->load(f->access, s, addr, ~0u, dst);
    CHECK_INT(reg[31], 9);
    g->load(f->access, g, addr, ~0u, dst);
    CHECK_INT(reg[2], 4);
    void *none[32];
    CHECK_INT(s->ptr(f->access, s, addr, 0, none), 0); /* no lane asks: nothing is done */
    CHECK_INT(s->load(f->access, s, addr, 0, dst), 0);
    sim_counters c = fixture_counters(f);
    CHECK_INT(c.const_requests, 2);
    CHECK_INT(c.const_serialised, 3);
    CHECK_INT(sim_access_fault(f->access), SIM_OK);
    CHECK_INT(w->store(f->access, w, addr, ~0u, (const void *const *)dst), 0);
    CHECK_INT(sim_access_fault(f->access), SIM_ILLEGAL_ADDRESS);
    fixture_end(f);
    CHECK_CONTAINS(f->found_count ? said(&f->found[0].said) : "",
                   "writes 4 bytes out of bounds: table (4,096 bytes) is constant memory");
    fixture_free(f);
}

/* Generic pointers of one warp into all spaces at once. */
static void generic(void) {
    fixture *f = fixture_new("h200");
    sim_addr base;
    sim_memory_alloc(f->memory, 256, SIM_ALLOC_USER, "x", &base);
    sim_memory_fill(f->memory, base, 7, 4, 64);
    const sim_site *ld = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 4, 1, 1),
                   *st = fixture_site(f, SIM_SPACE_GENERIC, SIM_ACCESS_STORE, 4, 1, 2);
    fixture_start(f);
    uint64_t addr[32];
    uint32_t reg[32], back[32] = {0};
    void *dst[1] = {back};
    const void *src[1] = {reg};
    for (unsigned l = 0; l < 32; l++) {
        reg[l] = 1000 + l;
        addr[l] = l < 10   ? base + l * 4
                  : l < 20 ? SIM_SHARED_WINDOW + l * 4
                           : SIM_LOCAL_WINDOW + 16;
    }
    CHECK_INT(st->store(f->access, st, addr, ~0u, src), 0xffffffffu);
    CHECK_INT(ld->load(f->access, ld, addr, ~0u, dst), 0xffffffffu);
    CHECK(!memcmp(reg, back, sizeof reg));
    uint32_t v;
    sim_memory_read(f->memory, &v, base + 36, 4);
    CHECK_INT(v, 1009);
    CHECK_INT(((uint32_t *)sim_block_shared(f->block))[19], 1019);
    sim_local_read(f->block, 0, 31, 16, &v, 4);
    CHECK_INT(v, 1031);
    sim_counters c = fixture_counters(f);
    CHECK_INT(c.gld_requests, 1);
    CHECK_INT(c.gst_requests, 1);
    CHECK_INT(c.shared_ld_requests, 1);
    CHECK_INT(c.shared_st_requests, 1);
    CHECK_INT(c.local_ld_requests, 1);
    CHECK_INT(c.local_st_sectors, 2);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    fixture_free(f);
}

/* ---- findings ---- */

typedef struct {
    fixture *f;
    sim_addr a, b;
    sim_site *ld, *st, *shared, *loc;
} scene;

static scene scene_new(void) {
    scene s = {.f = fixture_new("h200")};
    s.f->block_dim[0] = 64;
    s.f->block_dim[1] = 4;
    sim_memory_alloc(s.f->memory, 400, SIM_ALLOC_USER, "a", &s.a);
    sim_memory_alloc(s.f->memory, 4000, SIM_ALLOC_USER, "b", &s.b);
    sim_memory_fill(s.f->memory, s.a, 0, 4, 100);
    sim_memory_fill(s.f->memory, s.b, 0, 4, 1000);
    s.ld = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 21);
    s.st = fixture_site(s.f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 22);
    s.shared = fixture_site(s.f, SIM_SPACE_SHARED, SIM_ACCESS_LOAD, 4, 1, 23);
    s.loc = fixture_site(s.f, SIM_SPACE_LOCAL, SIM_ACCESS_LOAD, 4, 1, 24);
    fixture_start(s.f);
    return s;
}

/* One access of all lanes from `first` on, and the first finding's text. */
static const char *one(scene *s, const sim_site *site, uint64_t first, unsigned step,
                       unsigned warp) {
    uint64_t addr[32];
    uint32_t small[32], reg[32] = {0};
    void *dst[1] = {reg};
    const void *src[1] = {reg};
    for (unsigned l = 0; l < 32; l++) addr[l] = first + l * step, small[l] = (uint32_t)addr[l];
    const void *where = site->space == SIM_SPACE_GLOBAL ? (const void *)addr : small;
    sim_access_enter(s->f->access, s->f->block, warp);
    if (site->kind == SIM_ACCESS_STORE) site->store(s->f->access, site, where, ~0u, src);
    else site->load(s->f->access, site, where, ~0u, dst);
    fixture_end(s->f);
    return s->f->found_count ? said(&s->f->found[0].said) : "";
}

static void findings(void) {
    scene s = scene_new();
    const char *text = one(&s, s.st, s.b + 4000 + 12 - 31 * 4, 4, 3);
    /* lanes 28 to 31 lie past the end: 0, 4, 8 and 12 bytes */
    CHECK_INT(s.f->found_count, 1);
    CHECK_INT(s.f->found[0].kind, SIM_FIND_OOB);
    CHECK_INT(s.f->found[0].count, 4);
    CHECK_INT(s.f->found[0].thread[0], 60);
    CHECK_INT(s.f->found[0].thread[1], 1);
    CHECK_INT(s.f->found[0].line, 22);
    CHECK_INT(s.f->found[0].alloc_size, 4000);
    CHECK_STR(s.f->found[0].alloc_name, "b");
    CHECK_STR(s.f->found[0].space, "global");
    CHECK(s.f->found[0].write);
    CHECK_STR(
        text,
        "test.cu:22: thread (60,1) of block 0 of k writes 4 bytes out of bounds: just past the "
        "end of b (4,000 bytes)");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, s.b + 4012, 0, 0);
    CHECK_CONTAINS(text, "reads 4 bytes out of bounds: 12 bytes past the end of b (4,000 bytes)");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, s.b - 4, 0, 0);
    CHECK_CONTAINS(text, "4 bytes before the start of b (4,000 bytes)");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, s.a + 2, 4, 0);
    CHECK_CONTAINS(text, "at an address that is not a multiple of 4: byte 2 of a (400 bytes)");
    CHECK_INT(s.f->found[0].kind, SIM_FIND_MISALIGNED);
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, 8, 0, 0);
    CHECK_CONTAINS(text, "a null pointer");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, 0x7ffd12345678, 0, 0);
    CHECK_CONTAINS(text, "is it a host pointer?");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.ld, SIM_SHARED_WINDOW + 64, 4, 0);
    CHECK_CONTAINS(text, "that is shared memory, not global");
    fixture_free(s.f);

    s = scene_new();
    s.f->options.check_uninit = false;
    fixture_end(s.f);
    fixture_start(s.f);
    text = one(&s, s.shared, 16384 - 64, 4, 1);
    CHECK_CONTAINS(text, "reads 4 bytes out of bounds: byte 16,384 of shared memory, of which the "
                         "block has 16,384 bytes");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.loc, 256, 0, 0);
    CHECK_CONTAINS(text, "byte 256 of local memory, of which a thread has 256 bytes");
    fixture_free(s.f);

    s = scene_new();
    sim_memory_release(s.f->memory, s.b);
    text = one(&s, s.ld, s.b + 40, 4, 0);
    CHECK_INT(s.f->found[0].kind, SIM_FIND_USE_AFTER_FREE);
    CHECK_CONTAINS(text, "reads memory that was freed: byte 40 of b (4,000 bytes)");
    fixture_free(s.f);

    s = scene_new();
    sim_memory_poison(s.f->memory, s.b + 64, 64);
    text = one(&s, s.ld, s.b, 4, 0);
    CHECK_INT(s.f->found[0].kind, SIM_FIND_UNINIT);
    CHECK_INT(s.f->found[0].count, 16);
    CHECK_CONTAINS(text, "reads memory that nothing has written: byte 64 of b (4,000 bytes)");
    fixture_free(s.f);

    s = scene_new();
    text = one(&s, s.shared, 0, 4, 0);
    CHECK_INT(s.f->found[0].kind, SIM_FIND_UNINIT);
    CHECK_CONTAINS(text, "reads memory that nothing has written: byte 0 of shared memory");
    fixture_free(s.f);

    /* Addresses as a hostile program makes them: nothing but findings may come of it. */
    static const uint64_t wild[] = {UINT64_MAX,
                                    UINT64_MAX - 3,
                                    1ull << 63,
                                    (1ull << 63) - 4,
                                    SIM_DEV_BASE(0) + SIM_DEV_BYTES - 4,
                                    SIM_DEV_BASE(15),
                                    0x2fffffffffff,
                                    SIM_PARAM_WINDOW,
                                    SIM_CONST_WINDOW(0)};
    s = scene_new();
    sim_site *gen = fixture_site(s.f, SIM_SPACE_GENERIC, SIM_ACCESS_LOAD, 8, 2, 25);
    fixture_end(s.f);
    fixture_start(s.f);
    unsigned went = 0;
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
        for (unsigned j = 0; j < 3; j++) {
            uint64_t addr[32], reg[2][32];
            void *dst[2] = {reg[0], reg[1]};
            for (unsigned l = 0; l < 32; l++)
                addr[l] = j == 0 ? wild[i] : j == 1 ? wild[i] + l * 16 : l & 1 ? wild[i] : s.b;
            uint32_t ok = gen->load(s.f->access, gen, addr, ~0u, dst);
            went += ok != (j == 2 ? 0x55555555u : 0);
            for (unsigned l = 0; l < 32; l++)
                addr[l] = j == 0 ? wild[i] : j == 1 ? wild[i] + l * 4 : l & 1 ? wild[i] : s.b;
            ok = s.ld->load(s.f->access, s.ld, addr, ~0u, dst);
            went += ok != (j == 2 ? 0x55555555u : 0);
        }
    CHECK_INT(went, 0);
    fixture_end(s.f);
    fixture_free(s.f);
}

/* Padding and tails are nobody's fault: a lane is reported only if none of its bytes was
 * written. */
static void uninit(void) {
    fixture *f = fixture_new("h200");
    sim_addr x, out;
    sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "x", &x);
    sim_memory_alloc(f->memory, 4096, SIM_ALLOC_USER, "out", &out);
    const sim_site *v4 = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 4, 1),
                   *ld = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 2),
                   *st = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 3);
    for (unsigned i = 0; i < 32; i++) sim_memory_write(f->memory, x + i * 16, "0123456789ab", 12);
    fixture_start(f);
    uint64_t addr[32];
    uint32_t regs[4][32] = {{0}};
    void *dst[4] = {regs[0], regs[1], regs[2], regs[3]};
    const void *src[1] = {regs[0]};
    for (unsigned l = 0; l < 32; l++) addr[l] = x + l * 16;
    v4->load(f->access, v4, addr, ~0u, dst);
    /* stores by the kernel count: strided, then read back where they went */
    for (unsigned l = 0; l < 32; l++) addr[l] = out + l * 64;
    st->store(f->access, st, addr, ~0u, src);
    ld->load(f->access, ld, addr, ~0u, dst);
    for (unsigned l = 0; l < 32; l++) addr[l] = out + l * 4;
    st->store(f->access, st, addr, 0x00ffff00, src);
    ld->load(f->access, ld, addr, 0x00ffff00, dst);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    fixture_start(f);
    ld->load(f->access, ld, addr, ~0u,
             dst); /* lanes 0, 8..23 were written, and 16 * k by the stride */
    fixture_end(f);
    CHECK_INT(f->found_count, 1);
    CHECK_INT(f->found[0].count, 32 - 16 - 1);
    CHECK_INT(f->found[0].thread[0], 1);
    /* once everything is written the bitmap goes, and comes back with a poisoned range */
    fixture_start(f);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned l = 0; l < 32; l++) addr[l] = out + i * 128 + l * 4;
        st->store(f->access, st, addr, ~0u, src);
    }
    fixture_end(f);
    CHECK(sim_memory_find(f->memory, out)->init == NULL);
    sim_memory_poison(f->memory, out + 1000, 8);
    fixture_start(f);
    for (unsigned l = 0; l < 32; l++) addr[l] = out + 960 + l * 4;
    ld->load(f->access, ld, addr, ~0u, dst);
    fixture_end(f);
    CHECK_INT(f->found_count ? f->found[0].count : 0, 2);
    fixture_free(f);
}

/* A pointer that another allocation holds for each lane, and device malloc and free in between. */
static void scattered(void) {
    fixture *f = fixture_new("h200");
    sim_addr node[32];
    const sim_site *ld = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 8, 1, 1),
                   *st = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 8, 1, 2);
    fixture_start(f);
    unsigned failed = 0;
    for (unsigned l = 0; l < 32; l++)
        failed += sim_memory_device_alloc(f->memory, 24, &node[l]) != SIM_OK;
    CHECK_INT(failed, 0);
    uint64_t v[32], back[32] = {0};
    void *dst[1] = {back};
    const void *src[1] = {v};
    for (unsigned l = 0; l < 32; l++) v[l] = l * 3;
    CHECK_INT(st->store(f->access, st, node, ~0u, src), 0xffffffffu);
    CHECK_INT(ld->load(f->access, ld, node, ~0u, dst), 0xffffffffu);
    CHECK(!memcmp(v, back, sizeof v));
    CHECK_INT(sim_memory_device_free(f->memory, node[7]), SIM_OK);
    CHECK_INT(sim_memory_device_free(f->memory, node[7]), SIM_BAD_ADDRESS);
    CHECK_INT(ld->load(f->access, ld, node, ~0u, dst), 0xffffffffu & ~(1u << 7));
    CHECK_INT(sim_access_fault(f->access), SIM_ILLEGAL_ADDRESS);
    fixture_end(f);
    CHECK_INT(f->found_count, 1);
    CHECK_INT(f->found[0].kind, SIM_FIND_USE_AFTER_FREE);
    CHECK_INT(f->found[0].thread[0], 7);
    fixture_free(f);
}

/* Lanes evenly apart, from below or beyond the allocation that was hit last, whose offsets pass
 * 2^63 or 2^64, or so far apart that products of it wrap: those that lie in it go through, the
 * others are found. */
static void wraps(const sim_access_isa *isa) {
    enum { SIZE = 1 << 16 };
    static const struct {
        uint64_t first, apart; /* from the allocation's start */
    } rows[] = {
        {0, 256},
        {INT64_MAX - 0xffff, 1u << 31}, /* the last lanes are less than 0 */
        {INT64_MAX - 0xffff, 0xffffffff / 64 * 64},
        {(uint64_t)INT64_MAX + 1, 4096},
        {0 - (uint64_t)4096, 256},            /* 16 lanes before it */
        {0 - ((uint64_t)31 << 31), 1u << 31}, /* the last at 0 */
        {0, 0x8421084210842109 / 64 * 64}, /* the last lane comes round to where it began, nearly */
        {0, (uint64_t)1 << 59},
        {0, (uint64_t)1 << 32},
        {SIZE - 256, 256},
        {SIZE - 256, 0 - (uint64_t)256},
        {SIZE, 0 - (uint64_t)4096},
        {0, 0 - (uint64_t)2048},
    };
    static const sim_access_kind kinds[] = {SIM_ACCESS_LOAD, SIM_ACCESS_STORE, SIM_ACCESS_ATOM};
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < 3; k++)
            for (unsigned brief = 0; brief < 2; brief++) {
                fixture *f = fixture_new("h200");
                sim_addr base;
                sim_memory_alloc(f->memory, SIZE, SIM_ALLOC_USER, "x", &base);
                sim_site *s = fixture_site(f, SIM_SPACE_GLOBAL, kinds[k], 4, 1, 1);
                s->flags = SIM_SITE_NO_UNINIT;
                isa->bind(s);
                fixture_start(f);
                if (brief) sim_block_brief(f->block);
                uint64_t addr[32];
                uint32_t reg[32] = {0}, want = 0, got = 0;
                void *dst[1] = {reg}, *ptr[32];
                for (unsigned hit = 0; hit < 2; hit++) { /* the first fills the inline cache */
                    for (unsigned l = 0; l < 32; l++) {
                        uint64_t off = hit ? rows[i].first + l * rows[i].apart : l * 256;
                        addr[l] = base + off;
                        if (hit) want |= (uint32_t)(off <= SIZE - 4) << l;
                    }
                    got = k == 0   ? s->load(f->access, s, addr, ~0u, dst)
                          : k == 1 ? s->store(f->access, s, addr, ~0u, (const void *const *)dst)
                                   : s->ptr(f->access, s, addr, ~0u, ptr);
                }
                if (got != want)
                    printf("# %s, row %u: lanes %08x, not %08x\n", isa->name, i, got, want);
                wrong += got != want;
                wrong += (sim_access_fault(f->access) == SIM_OK) != (want == ~0u);
                fixture_end(f);
                fixture_free(f);
            }
    CHECK_INT(wrong, 0);
}

/* Whichever way lanes come to their lines, it is one L1: what one way has loaded the others find,
 * and only that; sectors beside it, and a launch that follows, find nothing. What is not found is
 * in the stream. */
enum { WAY_APART, WAY_ANY, WAY_RUN, WAY_HALVES, WAY_LANE, WAYS };
/* The warp's addresses in the 32 lines from `base` on, sector `s` of each line that is touched.
 * Lines that they are in, from the first on. */
static unsigned way(int how, sim_addr base, unsigned s, uint64_t addr[32], uint32_t *mask) {
    *mask = ~0u;
    for (unsigned l = 0; l < 32; l++) {
        unsigned line = how == WAY_APART ? l : how == WAY_ANY ? (l * 7 + 3) % 32 : 0, word = l % 8;
        if (how == WAY_HALVES) line = l / 16;
        addr[l] = base + line * 128 + s * 32 + word * 4;
    }
    if (how == WAY_RUN) /* all of the line: 128 bytes side by side */
        for (unsigned l = 0; l < 32; l++) addr[l] = base + l * 4;
    if (how == WAY_HALVES) /* 32 bytes of each of two lines */
        for (unsigned l = 0; l < 32; l++) addr[l] = base + l / 16 * 128 + s * 32 + l % 16 / 2 * 4;
    if (how == WAY_LANE) *mask = 1u << 5, addr[5] = base + s * 32;
    return how <= WAY_ANY ? 32 : how == WAY_HALVES ? 2 : 1;
}
static void one_l1(const sim_access_isa *isa) {
    enum { LINES = 32, PAIRS = WAYS * WAYS };
    fixture *f = fixture_new("h200");
    sim_addr base;
    uint32_t reg[32], mask;
    void *dst[1] = {reg};
    uint64_t addr[32];
    unsigned wrong = 0;
    sim_memory_alloc(f->memory, (PAIRS + 1) * LINES * 128, SIM_ALLOC_USER, "x", &base);
    base = (base + 127) & ~(sim_addr)127;
    sim_memory_fill(f->memory, base, 0, 4, PAIRS * LINES * 32);
    sim_site *first = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1),
             *second = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 2);
    isa->bind(first), isa->bind(second);
    for (int launch = 0; launch < 2; launch++) {
        fixture_start(f);
        for (int a = 0; a < WAYS; a++)
            for (int b = 0; b < WAYS; b++) {
                sim_addr at = base + (sim_addr)(a * WAYS + b) * LINES * 128;
                unsigned had = way(a, at, 1, addr, &mask);
                size_t before, after;
                sim_block_stream(f->block, &before);
                first->load(f->access, first, addr, mask, dst);
                const sim_access_cost *c = sim_access_last(f->access);
                unsigned sent = a == WAY_RUN ? 4 : had;
                wrong += c->l1_hits != 0 || c->sectors != sent || c->stream_n != had;
                const sim_stream_entry *e = sim_block_stream(f->block, &after);
                uint32_t seen = 0; /* lines, each once */
                for (size_t k = before; k < after; k++) {
                    uint64_t line = e[k].line - at / 128;
                    wrong += line >= had || seen >> line & 1 || e[k].op != SIM_STREAM_LOAD ||
                             e[k].sectors != (a == WAY_RUN ? 15 : 2);
                    seen |= 1u << (line & 31);
                }
                wrong += after - before != had;
                for (unsigned s = 1; s < 3; s++) { /* the same sectors, and those beside them */
                    unsigned lines = way(b, at, s, addr, &mask), found = 0;
                    for (unsigned l = 0; l < lines; l++) {
                        if (l >= had) continue;
                        unsigned has = a == WAY_RUN ? 15 : 2, asks = b == WAY_RUN ? 15 : 1u << s;
                        /* what the second way asked for before is there as well */
                        if (s == 2) has |= b == WAY_RUN ? 15 : 2;
                        found += (unsigned)__builtin_popcount(has & asks);
                    }
                    if (s == 2) /* lines that the second way alone has asked for */
                        for (unsigned l = had; l < lines; l++) found += b == WAY_RUN ? 4 : 0;
                    second->load(f->access, second, addr, mask, dst);
                    c = sim_access_last(f->access);
                    wrong += c->l1_hits != found;
                    if (c->l1_hits != found)
                        printf("# way %d after %d, sector %u: %u hits, want %u\n", b, a, s,
                               c->l1_hits, found);
                }
            }
        fixture_end(f);
    }
    CHECK_INT(wrong, 0);
    fixture_free(f);
}

static void async_copy(void) {
    fixture *f = fixture_new("h200");
    sim_addr x;
    sim_memory_alloc(f->memory, 512, SIM_ALLOC_USER, "x", &x);
    sim_memory_fill(f->memory, x, 5, 1, 512);
    const sim_site *gs = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 4, 1),
                   *ss = fixture_site(f, SIM_SPACE_SHARED, SIM_ACCESS_STORE, 4, 4, 1);
    fixture_start(f);
    memset(sim_block_shared(f->block), 9, 512);
    uint64_t from[32];
    uint32_t to[32], n[32];
    for (unsigned l = 0; l < 32; l++)
        from[l] = l == 31 ? 0 : x + l * 16, to[l] = l * 16, n[l] = l == 31 ? 0 : l == 30 ? 4 : 16;
    CHECK_INT(sim_copy_async(f->access, gs, ss, from, to, ~0u, n), 0xffffffffu);
    const uint8_t *s = sim_block_shared(f->block);
    CHECK_INT(s[29 * 16 + 15], 5);
    CHECK_INT(s[30 * 16 + 3], 5);
    CHECK_INT(s[30 * 16 + 4], 0);
    CHECK_INT(s[31 * 16], 0);
    sim_counters c = fixture_counters(f);
    CHECK_INT(c.gld_sectors, 16);
    CHECK_INT(c.shared_st_wavefronts, 4);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    fixture_free(f);
}

/* ---- many workers ---- */

/* Blocks of a launch on several threads, as the executor runs them: begun in order, committed in
 * order. Each block loads a window that overlaps the next one's, stores its part, adds to a few
 * counters, and some wander through memory. */
typedef struct {
    fixture *f;
    sim_access_launch *launch;
    sim_site *ld, *st, *atom;
    sim_addr in, out;
    uint64_t blocks;
    uint64_t next, committed;
    pthread_mutex_t lock;
    sim_counters counters;
} crew;

static void *crew_worker(void *arg) {
    crew *c = arg;
    sim_access *a = sim_access_new(c->launch);
    sim_block_mem *b = sim_block_mem_new(c->launch);
    for (;;) {
        uint64_t n = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);
        if (n >= c->blocks) break;
        sim_block_begin(b, n);
        uint64_t rnd = n;
        for (unsigned w = 0; w < 8; w++) {
            sim_access_enter(a, b, w);
            for (unsigned k = 0; k < 6; k++) {
                uint64_t addr[32];
                uint32_t reg[32] = {0};
                void *dst[1] = {reg}, *ptr[32];
                for (unsigned l = 0; l < 32; l++)
                    addr[l] = c->in + ((n * 4 + w) * 32 + l + k * 8) % 65536 * 4;
                if (k == 5 && n % 3 == 0)
                    for (unsigned l = 0; l < 32; l++)
                        addr[l] = c->in + fixture_random(&rnd) % 65536 * 4;
                c->ld->load(a, c->ld, addr, ~0u, dst);
                for (unsigned l = 0; l < 32; l++)
                    addr[l] = c->out + ((n * 8 + w) * 32 + l) % 65536 * 4;
                if (k == 2) c->st->store(a, c->st, addr, ~0u >> w, (const void *const *)dst);
                for (unsigned l = 0; l < 32; l++) addr[l] = c->in + l % 3 * 4;
                if (k == 3) c->atom->ptr(a, c->atom, addr, ~0u, ptr);
            }
        }
        sim_block_end(b);
        while (__atomic_load_n(&c->committed, __ATOMIC_ACQUIRE) != n) sched_yield();
        sim_block_commit(b);
        __atomic_store_n(&c->committed, n + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_lock(&c->lock);
    for (uint32_t i = 0; i < c->f->site_count; i++)
        sim_access_count(a, &c->f->sites[i], &c->counters);
    pthread_mutex_unlock(&c->lock);
    sim_access_free(a);
    sim_block_mem_free(b);
    return NULL;
}

static sim_counters crew_run(unsigned threads) {
    fixture *f = fixture_new("h200");
    crew c = {.f = f, .blocks = 1500, .lock = PTHREAD_MUTEX_INITIALIZER};
    sim_memory_alloc(f->memory, 65536 * 4, SIM_ALLOC_USER, "in", &c.in);
    sim_memory_alloc(f->memory, 65536 * 4, SIM_ALLOC_USER, "out", &c.out);
    sim_memory_fill(f->memory, c.in, 0, 4, 65536);
    c.ld = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_LOAD, 4, 1, 1);
    c.st = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_STORE, 4, 1, 2);
    c.atom = fixture_site(f, SIM_SPACE_GLOBAL, SIM_ACCESS_ATOM, 4, 1, 3);
    fixture_start(f);
    sim_access_config config = f->launch->c;
    c.launch = sim_access_launch_new(&config);
    pthread_t t[8];
    for (unsigned i = 0; i < threads; i++) pthread_create(&t[i], NULL, crew_worker, &c);
    for (unsigned i = 0; i < threads; i++) pthread_join(t[i], NULL);
    sim_access_launch_count(c.launch, &c.counters);
    sim_access_launch_free(c.launch);
    fixture_end(f);
    CHECK_INT(f->found_count, 0);
    fixture_free(f);
    return c.counters;
}

static void parallel(void) {
    sim_counters one = crew_run(1), four = crew_run(4), again = crew_run(3);
    CHECK(one.l1_hits > 10000 && one.l2_hits > 10000 && one.dram_read > 10000);
    CHECK(!memcmp(&one, &four, sizeof one));
    CHECK(!memcmp(&one, &again, sizeof one));
}

int main(void) {
    commits();
    const sim_access_isa *isa[SIM_ISA_COUNT];
    unsigned n = 0;
    for (unsigned s = 0; s < SIM_ISA_COUNT; s++)
        if (sim_isa_runs(s)) isa[n++] = sim_access_of(s);
    for (unsigned i = 0; i < n; i++) {
        random_global(isa[i], 40000);
        one_l1(isa[i]);
        wraps(isa[i]);
        random_shared(isa[i], 20000, false, false);
        random_shared(isa[i], 20000, true, true);
        atomics(isa[i]);
        local(isa[i]);
    }
    measured();
    strict();
    constants();
    generic();
    findings();
    uninit();
    scattered();
    async_copy();
    parallel();
    return check_done();
}
