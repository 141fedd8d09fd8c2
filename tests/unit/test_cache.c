/* The cache models against slow ones that keep every word of a few lines in plain arrays; then
 * streams whose traffic is known, from arithmetic or from what an H200 measured. */
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/access/cache.h"
#include "runner/device/sim/memory/memory.h"

static uint32_t draw(uint64_t *s) {
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*s >> 33);
}

/* One set of 8 ways: a list in the order of use. */
static void l1(void) {
    sim_profile p = *sim_profile_find("h200");
    p.l1_bytes = 1024;
    p.sms = 2;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    sim_caches_launch(c, 1024);
    sim_l1 *l = sim_caches_l1(c, 1);
    sim_l1_begin(l), sim_l1_begin(sim_caches_l1(c, 0));
    struct {
        uint64_t line;
        unsigned valid;
    } model[8];
    unsigned n = 0, wrong = 0, left = 0;
    uint64_t rnd = 5;
    for (unsigned r = 0; r < 20000; r++) {
        uint64_t line = 0x600000000 + draw(&rnd) % 13;
        unsigned sectors = 1 + draw(&rnd) % 15, hit = 0, at = 0;
        while (at < n && model[at].line != line) at++;
        if (at < n) hit = model[at].valid & sectors;
        else {
            if (n == 8) n = 7, left++; /* written through: nothing is left to write back */
            at = n++;
            model[at].line = line;
            model[at].valid = 0;
        }
        model[at].valid |= sectors;
        for (; at; at--) {
            __typeof__(model[0]) t = model[at];
            model[at] = model[at - 1];
            model[at - 1] = t;
        }
        wrong += sim_l1_load(l, line, sectors) != hit;
    }
    CHECK_INT(wrong, 0);
    CHECK(left > 100);
    CHECK_INT(sim_l1_load(sim_caches_l1(c, 0), model[0].line, 15),
              0); /* each multiprocessor has its own */
    CHECK_INT(sim_l1_load(l, model[1].line, model[1].valid), model[1].valid);
    sim_caches_launch(c, 1024);
    sim_l1_begin(l);
    CHECK_INT(sim_l1_load(l, model[1].line, 15), 0); /* a launch starts empty */
    for (unsigned i = 0; i < 70000; i++) sim_caches_launch(c, 1024), sim_l1_begin(l);
    CHECK_INT(sim_l1_load(l, model[1].line, 15),
              0); /* also when the launches' numbers come round */
    sim_caches_launch(c, 0);
    sim_l1_begin(l);
    CHECK_INT(sim_l1_load(l, 77, 15), 0); /* no L1 at all */
    CHECK_INT(sim_l1_load(l, 77, 15), 0);
    sim_caches_free(c);
}

/* One set of 16 ways in one partition: lines of 32 words, each known or not, to be written back or
 * not. */
static void l2_one_set(void) {
    sim_profile p = *sim_profile_find("t4");
    p.l2_bytes = 16 * 128;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    enum { WAYS = 16 };
    struct {
        uint64_t line, used;
        bool known[4], dirty[4], word[32];
    } model[WAYS];
    unsigned n = 0;
    uint64_t rnd = 9, clock = 0, sectors = 0, hits = 0, read = 0, write = 0, wrong = 0;
    sim_l2_count got = {0};
    for (unsigned r = 0; r < 40000; r++) {
        uint64_t line = 0x600000000 + draw(&rnd) % 24;
        sim_l2_op op = (sim_l2_op)(draw(&rnd) % 3);
        uint32_t words = 0, mask = 1 + draw(&rnd) % 15;
        if (op == SIM_L2_STORE) {
            words = 0; /* whole sectors: parts have their own rule, below */
            for (unsigned s = 0; s < 4; s++) words |= (mask >> s & 1) * 0xffu << 8 * s;
        }
        unsigned at = 0;
        while (at < n && model[at].line != line) at++;
        if (at == n) {
            if (n == WAYS) { /* the one not used for longest */
                at = 0;
                for (unsigned i = 1; i < WAYS; i++)
                    if (model[i].used < model[at].used) at = i;
                for (unsigned s = 0; s < 4; s++) {
                    if (!model[at].dirty[s]) continue;
                    write += 32;
                    read += !model[at].known[s] * 32; /* the rest of the sector */
                }
            } else n++;
            memset(&model[at], 0, sizeof model[at]);
            model[at].line = line;
        }
        model[at].used = ++clock;
        unsigned quiet = 0;
        for (unsigned s = 0; s < 4; s++) {
            if (!(mask >> s & 1)) continue;
            sectors++;
            bool known = model[at].known[s];
            if (op == SIM_L2_STORE) {
                hits += known || model[at].dirty[s];
                model[at].dirty[s] = true;
                bool all = true;
                for (unsigned w = 0; w < 8; w++) {
                    model[at].word[s * 8 + w] |= words >> (s * 8 + w) & 1;
                    all &= model[at].word[s * 8 + w];
                }
                model[at].known[s] |= all;
                quiet |= 1u << s;
                continue;
            }
            hits += known;
            if (known) quiet |= 1u << s;
        }
        if (op != SIM_L2_STORE)
            for (unsigned s = 0; s < 4; s++) {
                if (!(mask >> s & 1) || quiet >> s & 1) continue;
                if (!model[at].known[s]) read += 32;
                model[at].known[s] = true;
                if (op == SIM_L2_LOAD &&
                    !model[at].known[s ^ 1]) { /* its neighbour of the 64 bytes comes along */
                    model[at].known[s ^ 1] = true;
                    read += 32;
                }
            }
        if (op == SIM_L2_ATOM)
            for (unsigned s = 0; s < 4; s++)
                if (mask >> s & 1) model[at].dirty[s] = true;
        wrong += sim_l2_access(c, draw(&rnd) % 40, line, mask, op, op == SIM_L2_STORE ? words : 0,
                               &got) != quiet;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(got.sectors, sectors);
    CHECK_INT(got.hits, hits);
    CHECK_INT(got.dram_read, read);
    CHECK_INT(got.dram_write, write);
    CHECK(write > 10000 && hits > 10000);
    sim_caches_free(c);
}

/* What was never asked for is never found: a set and a tag name one line among 2^bits groups. */
static void l2_names(const char *profile, uint64_t l2_bytes, unsigned bits) {
    enum { LINES = 200000 };
    sim_profile p = *sim_profile_find(profile);
    if (l2_bytes) p.l2_bytes = l2_bytes;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    sim_l2_count n = {0};
    uint64_t rnd = 3, group = 0;
    for (unsigned i = 0; i < LINES; i++) { /* each group once, since the step is odd */
        group = (group + 0x2545F491) & ((1u << bits) - 1);
        sim_l2_access(c, 0, group * 4 + draw(&rnd) % 4, 15, SIM_L2_LOAD, 0, &n);
    }
    CHECK_INT(n.hits, 0);
    CHECK_INT(n.dram_read, LINES * 128);
    sim_caches_free(c);
}

/* The same places of several devices, and local memory: lines of their own in each profile's
 * caches. */
static void windows(void) {
    enum { LINES = 2000 };
    const uint64_t into = SIM_LOCAL_WINDOW % (SIM_DEV_BASE(1) - SIM_DEV_BASE(0));
    for (size_t k = 0; k < sim_profile_count(); k++) {
        const sim_profile *p = sim_profile_at(k);
        sim_caches *c = sim_caches_new(p, sim_isa_best());
        sim_l2_count n = {0};
        unsigned found = 0;
        sim_caches_launch(c, p->l1_bytes);
        sim_l1 *l = sim_caches_l1(c, 0);
        sim_l1_begin(l);
        for (unsigned w = 0; w < 9; w++)
            for (uint64_t i = 0; i < LINES; i++) {
                uint64_t line = (w < 8 ? SIM_DEV_BASE(w) + into : SIM_LOCAL_WINDOW) / 128 + i;
                sim_l2_access(c, 0, line, 15, SIM_L2_LOAD, 0, &n);
                found += sim_l1_load(l, line, 15) != 0;
            }
        CHECK_INT(n.hits, 0);
        CHECK_INT(n.dram_read, 9 * LINES * 128);
        CHECK_INT(found, 0);
        sim_caches_free(c);
    }
}

/* An L2 of one set, where the ring of lines in part is short: each is completed in its turn. */
static void l2_short_ring(void) {
    sim_profile p = *sim_profile_find("t4");
    p.l2_bytes = 16 * 128;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    sim_l2_count n = {0};
    for (uint64_t line = 0; line < 40; line++) sim_l2_access(c, 0, line, 1, SIM_L2_STORE, 1, &n);
    CHECK_INT(n.dram_write, 39 * 32); /* one line of sixteen may be in part */
    CHECK_INT(n.dram_read, 39 * 32);
    sim_caches_free(c);
}
static void l1_names(uint32_t sets) {
    enum { LINES = 200000 };
    sim_profile p = *sim_profile_find("h200");
    p.sms = 1;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    sim_l1 *l = sim_caches_l1(c, 0);
    unsigned found = 0;
    uint32_t line = 0;
    for (unsigned launch = 0; launch < 20; launch++) { /* stamps come round */
        sim_caches_launch(c, sets * SIM_L1_WAYS * 128ull);
        sim_l1_begin(l);
        for (unsigned i = 0; i < LINES / 20; i++)
            found += sim_l1_load(l, line += 0x2545F491, 15) != 0;
        for (unsigned i = 0; i < 8; i++) /* the last ones are there: the search is no blind one */
            CHECK_INT(sim_l1_load(l, line - i * 0x2545F491, 15), 15);
    }
    CHECK_INT(found, 0);
    /* those whose products are neighbours are the likeliest to be taken for one another */
    uint32_t apart = 1;
    for (unsigned i = 0; i < 5; i++) apart *= 2 - SIM_L1_STIR * apart; /* the odd one's inverse */
    CHECK_INT(apart * SIM_L1_STIR, 1);
    for (unsigned i = 0; i < 1000; i++) {
        sim_l1_empty(l);
        line += 0x2545F491;
        found += sim_l1_load(l, line, 15) != 0;
        found += sim_l1_load(l, line + apart, 15) != 0;
    }
    CHECK_INT(found, 0);
    sim_caches_free(c);
}

/* Powers of two apart, as rows of matrices are, lines find room: half of what there is holds them,
 * but for a few. L2 keeps four lines side by side, so that strides use a quarter of its sets. */
static void strides(void) {
    sim_caches *c = sim_caches_new(sim_profile_find("t4"), sim_isa_best());
    uint64_t l2_lines = sim_profile_find("t4")->l2_bytes / 128, l1_lines;
    sim_caches_launch(c, 64 * 1024);
    sim_l1 *l = sim_caches_l1(c, 0);
    sim_l1_begin(l);
    l1_lines = (uint64_t)l->sets * SIM_L1_WAYS;
    for (unsigned shift = 0; shift <= 14; shift++) {
        uint64_t hits = 0, lines = l2_lines / 2 >> (shift < 2 ? shift : 2);
        sim_l2_count n = {0};
        sim_caches_flush(c);
        sim_l1_empty(l);
        for (unsigned again = 0; again < 2; again++) {
            n.hits = hits = 0;
            for (uint64_t i = 0; i < lines; i++)
                sim_l2_access(c, 0, i << shift, 15, SIM_L2_LOAD, 0, &n);
            for (uint64_t i = 0; i < l1_lines / 2; i++)
                hits += sim_l1_load(l, i << shift, 15) == 15;
        }
        CHECK((double)n.hits > 4 * 0.95 * (double)lines);
        CHECK((double)hits > 0.95 / 2 * (double)l1_lines);
    }
    sim_caches_free(c);
}

/* Words of sectors: L2 keeps 1/11 of its lines so, completes and cleans the oldest of the
 * others. */
static void l2_parts(void) {
    const sim_profile *p = sim_profile_find("t4");
    sim_caches *c = sim_caches_new(p, sim_isa_best());
    enum { LINES = 10000 };
    uint64_t most = p->l2_bytes / 128 / 11;
    sim_l2_count n = {0};
    for (uint64_t line = 0; line < LINES; line++)
        sim_l2_access(c, 0, line, 2, SIM_L2_STORE, 0x100, &n);
    CHECK_INT(n.dram_write, (LINES - most) * 32);
    CHECK_INT(n.dram_read, (LINES - most) * 32);
    CHECK_INT(n.sectors, LINES + (LINES - most)); /* completing is an access */
    uint64_t read = n.dram_read, write = n.dram_write;
    for (uint64_t line = LINES - most; line < LINES; line++)
        sim_l2_access(c, 0, line, 2, SIM_L2_STORE, 0xfe00, &n); /* now whole */
    for (uint64_t line = 0; line < most; line++)
        sim_l2_access(c, 0, LINES + line, 1, SIM_L2_STORE, 1, &n);
    CHECK_INT(n.dram_read, read);
    CHECK_INT(n.dram_write, write);
    sim_l2_access(c, 0, LINES, 1, SIM_L2_LOAD, 0,
                  &n); /* reading one completes it, with its half line */
    CHECK_INT(n.dram_read, read + 64);
    sim_caches_free(c);
}

/* A line in part that is the oldest of its set goes: its other words are read first, which is an
 * access of its own, and it is none of the lines in part any more. A set of 16 ways may keep
 * one. */
static void l2_part_goes(void) {
    enum { WAYS = 16 };
    sim_profile p = *sim_profile_find("t4");
    p.l2_bytes = WAYS * 128;
    sim_caches *c = sim_caches_new(&p, sim_isa_best());
    sim_l2_count n = {0};
    sim_l2_access(c, 0, 100, 6, SIM_L2_STORE, 0x010100, &n); /* a word of two sectors */
    for (uint64_t line = 0; line < WAYS - 1; line++)
        sim_l2_access(c, 0, line, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors, 2 + (WAYS - 1) * 4);
    CHECK_INT(n.dram_read, (WAYS - 1) * 128);
    CHECK_INT(n.dram_write, 0);
    sim_l2_access(c, 0, WAYS - 1, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors, 2 + WAYS * 4 + 2);
    CHECK_INT(n.dram_read, WAYS * 128 + 64);
    CHECK_INT(n.dram_write, 64);
    sim_l2_access(c, 0, 101, 1, SIM_L2_STORE, 1, &n); /* so this one stays as it is */
    CHECK_INT(n.sectors, 2 + WAYS * 4 + 2 + 1);
    CHECK_INT(n.dram_read, WAYS * 128 + 64);
    CHECK_INT(n.dram_write, 64);
    CHECK_INT(n.hits, 0);
    sim_caches_free(c);
}

/* Two partitions: a look-up on the near side, another at home when that is far. */
static void l2_partitions(void) {
    sim_caches *c = sim_caches_new(sim_profile_find("h200"), sim_isa_best());
    enum { LINES = 20000 };
    sim_l2_count n = {0};
    unsigned far = 0, odd = 0;
    uint64_t one = 0; /* that is far from multiprocessor 0 */
    for (uint64_t line = 0; line < LINES; line++) {
        uint64_t before = n.sectors;
        sim_l2_access(c, 0, line, 15, SIM_L2_LOAD, 0, &n);
        odd += n.sectors - before != 4 && n.sectors - before != 8;
        far += n.sectors - before == 8;
        if (n.sectors - before == 8) one = line;
    }
    CHECK_INT(odd, 0);
    CHECK_NEAR(far / (double)LINES, 0.5, 0.02);
    CHECK_INT(n.dram_read, LINES * 128);
    CHECK_INT(n.hits, 0);
    uint64_t before = n.sectors;
    for (uint64_t line = 0; line < LINES; line++) sim_l2_access(c, 2, line, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors - before, LINES * 4); /* copies are on this side now */
    CHECK_INT(n.hits, LINES * 4);
    before = n.sectors;
    for (uint64_t line = 0; line < LINES; line++) sim_l2_access(c, 1, line, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors - before,
              LINES * 4 + (LINES - far) * 4); /* and what is at home here is far for the others */
    CHECK_INT(n.dram_read, LINES * 128);
    uint64_t hits = n.hits;
    sim_l2_access(c, 0, one, 15, SIM_L2_STORE, ~0u,
                  &n); /* a store makes the copy stale: the next load asks at home */
    before = n.sectors;
    sim_l2_access(c, 0, one, 15, SIM_L2_LOAD, 0, &n);
    sim_l2_access(c, 1, one, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors - before, 12);
    CHECK_INT(n.hits - hits, 4 + 8); /* of the store; one at home, one far and then at home */
    sim_l2_access(c, 0, one, 15, SIM_L2_STORE, ~0u, &n); /* the new copy too */
    before = n.sectors;
    sim_l2_access(c, 0, one, 15, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.sectors - before, 8);
    CHECK_INT(n.dram_write, 0);
    sim_caches_flush(c);
    before = n.dram_read;
    sim_l2_access(c, 0, one, 1, SIM_L2_LOAD, 0, &n);
    CHECK_INT(n.dram_read - before, 64);
    sim_caches_free(c);
}

static void no_l2(void) {
    sim_caches *c = sim_caches_new(sim_profile_find("g80"), sim_isa_best());
    sim_l2_count n = {0};
    CHECK_INT(sim_l2_access(c, 0, 5, 3, SIM_L2_LOAD, 0, &n), 0); /* nothing is ever there */
    CHECK_INT(sim_l2_access(c, 0, 5, 3, SIM_L2_LOAD, 0, &n), 0);
    CHECK_INT(sim_l2_access(c, 0, 5, 1, SIM_L2_STORE, 1, &n), 0);
    CHECK_INT(n.hits, 0);
    CHECK_INT(n.dram_read, 128);
    CHECK_INT(n.dram_write, 32);
    CHECK_INT(n.sectors, 0);
    sim_caches_free(c);
}

/* ---- streams measured on an H200 (Nsight Compute, caches flushed before) ---- */

static double off_by(double model, double measured) {
    double r = model / measured - 1;
    return r < 0 ? -r : r;
}

/* y[i] = x[i] (+ z[i]) over n floats by blocks of 256, as full lines. */
static sim_l2_count stream(uint64_t n, unsigned reads) {
    sim_caches *c = sim_caches_new(sim_profile_find("h200"), sim_isa_best());
    sim_l2_count count = {0};
    uint64_t lines = n / 32;
    for (uint64_t b = 0; b < lines / 8; b++)
        for (unsigned k = 0; k <= reads; k++)
            for (unsigned i = 0; i < 8; i++)
                sim_l2_access(c, (unsigned)(b % 132), 0x600000000 + k * (lines + 1000) + b * 8 + i,
                              15, k == reads ? SIM_L2_STORE : SIM_L2_LOAD, k == reads ? ~0u : 0,
                              &count);
    sim_caches_free(c);
    return count;
}

/* Every thread its own float, `stride` floats apart, read from one array and written to another. */
static sim_l2_count strided(uint64_t threads, unsigned stride) {
    sim_caches *c = sim_caches_new(sim_profile_find("h200"), sim_isa_best());
    sim_l2_count count = {0};
    unsigned per = stride >= 32 ? 1 : 32 / stride; /* threads on a line */
    uint64_t lines = threads / per, step = stride >= 32 ? stride / 32 : 1;
    uint32_t words = 0;
    unsigned sectors = 0;
    for (unsigned i = 0; i < per; i++) {
        words |= 1u << (i * stride % 32);
        sectors |= 1u << (i * stride % 32 / 8);
    }
    uint64_t in_block = 256 / per;
    for (uint64_t b = 0; b < lines / in_block; b++)
        for (unsigned w = 0; w < 2; w++)
            for (uint64_t i = 0; i < in_block; i++)
                sim_l2_access(c, (unsigned)(b % 132),
                              0x600000000 + w * 0x4000000 + (b * in_block + i) * step, sectors,
                              w ? SIM_L2_STORE : SIM_L2_LOAD, w ? words : 0, &count);
    sim_caches_free(c);
    return count;
}

static void measured(void) {
    sim_l2_count n = stream(1 << 26, 1); /* offset0 */
    CHECK(off_by((double)n.sectors, 25406445) < 0.03);
    CHECK(off_by((double)n.dram_read / 32, 8389512) < 0.01);
    CHECK(off_by((double)n.dram_write / 32, 7785944) < 0.03);
    n = stream(1 << 26, 2); /* vecadd */
    CHECK(off_by((double)n.sectors, 38078367) < 0.03);
    CHECK(off_by((double)n.dram_read / 32, 16777560) < 0.01);
    CHECK(off_by((double)n.dram_write / 32, 8012784) < 0.03);
    n = stream(1 << 21, 1); /* stride1: nothing leaves L2 */
    CHECK(off_by((double)n.sectors, 832852) < 0.08);
    CHECK(off_by((double)n.dram_read / 32, 262288) < 0.01);
    CHECK_INT(n.dram_write, 0);
    static const struct {
        unsigned stride;
        double sectors, read, write; /* DRAM in sectors */
    } rows[] = {{2, 1897379, 813088, 295120},
                {4, 4012546, 1881232, 873208},
                {8, 8183896, 3995336, 1915160},
                {16, 9353655, 6191528, 2028608},
                {32, 9403403, 6235248, 2082712}};
    for (unsigned i = 0; i < 5; i++) {
        n = strided(1 << 21, rows[i].stride);
        CHECK(off_by((double)n.sectors, rows[i].sectors) < 0.02);
        CHECK(off_by((double)n.dram_read / 32, rows[i].read) < 0.08);
        CHECK(off_by((double)n.dram_write / 32, rows[i].write) < 0.18);
    }
}

int main(void) {
    l1();
    l2_names("h200", 0, 30); /* two partitions */
    l2_names("h200", 50ull << 20, 30);
    l2_names("t4", 0, 28);
    l2_names("t4", 16 * 128 * 4, 19);
    windows();
    l2_short_ring();
    for (uint32_t sets = 16; sets <= 256; sets += 24) l1_names(sets);
    strides();
    l2_one_set();
    l2_parts();
    l2_part_goes();
    l2_partitions();
    no_l2();
    measured();
    return check_done();
}
