/* Clusters: who is where, shared memory of other blocks, the barrier, blocks that wait for each
 * other, what goes wrong. The kernels are tests/ptx/cluster.ptx; what is expected is computed here,
 * or follows from the PTX ISA (sections 5.1.7, 9.7.13.4, 10). */
#include "runner/base/message.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"
#include "assembled_fixture.h"
#include <stdint.h>
#include <stdlib.h>

static sim_device *d;
static sim_module *mod;
static sim_result r;
static lib_message msg;

static char cluster_text[1 << 16];
static void open_device(const char *profile, unsigned threads) {
    FILE *f = fopen("tests/ptx/cluster.ptx", "rb");
    size_t n = f ? fread(cluster_text, 1, sizeof cluster_text - 1, f) : 0;
    if (f) fclose(f);
    sim_options o;
    sim_module_options mo = {.ptxas = ""};
    sim_options_default(&o);
    o.threads = threads;
    o.inst_budget = 1 << 30;
    o.check_race_global = true;
    d = sim_device_new(sim_profile_find(profile), &o, &msg);
    mod = d ? sim_module_new(d, cluster_text, n, &mo, &msg) : NULL;
    if (!mod) printf("# %s\n", said(&msg));
}

static void close_device(void) {
    sim_result_free(&r);
    memset(&r, 0, sizeof r);
    sim_module_free(mod);
    sim_device_free(d);
}

static sim_addr buffer(size_t n) {
    sim_addr a = 0;
    sim_malloc(d, n, &a);
    sim_fill(d, a, 0, 1, n);
    return a;
}

typedef struct {
    unsigned grid[3], cluster[3], block;
} shape;

static sim_status launch(const char *name, const shape *s, sim_addr a, unsigned n) {
    struct {
        uint64_t at;
        uint32_t n;
    } params = {a, n};
    sim_launch l = {.kernel = sim_module_kernel(mod, name),
                    .grid = {s->grid[0], s->grid[1], s->grid[2]},
                    .block = {s->block, 1, 1},
                    .cluster = {s->cluster[0], s->cluster[1], s->cluster[2]},
                    .params = &params,
                    .param_bytes = sizeof params};
    if (!l.kernel) return SIM_NOT_FOUND;
    sim_result_free(&r);
    sim_status status = sim_run(d, &l, &r, &msg);
    for (size_t i = 0; i < r.finding_count; i++)
        printf("# %s: %s\n", name, said(&r.findings[i].said));
    if (status) printf("# %s: %s: %s\n", name, sim_status_name(status), said(&msg));
    return status;
}

/* ---- who is where ---- */

static void test_places(void) {
    static const shape shapes[] = {{{6, 4, 2}, {3, 2, 1}, 32}, {{4, 4, 4}, {2, 2, 2}, 32},
                                   {{2, 6, 3}, {1, 1, 3}, 32}, {{16, 1, 1}, {16, 1, 1}, 32},
                                   {{4, 2, 1}, {1, 1, 1}, 32}, {{3, 2, 2}, {0, 0, 0}, 32}};
    static int got[64][16];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        unsigned n = s->grid[0] * s->grid[1] * s->grid[2], bad = 0;
        sim_addr a = buffer(sizeof got);
        CHECK_INT(launch("who", s, a, 0), SIM_OK);
        sim_read(d, got, a, sizeof got);
        for (unsigned b = 0; b < n; b++) {
            unsigned at[3] = {b % s->grid[0], b / s->grid[0] % s->grid[1],
                              b / s->grid[0] / s->grid[1]},
                     rank = 0, size = 1;
            for (unsigned k = 0; k < 3; k++) {
                unsigned c = s->cluster[k] ? s->cluster[k] : 1;
                bad += got[b][k] != (int)(at[k] / c) || got[b][3 + k] != (int)(s->grid[k] / c) ||
                       got[b][6 + k] != (int)(at[k] % c) || got[b][9 + k] != (int)c;
                rank += at[k] % c * size;
                size *= c;
            }
            bad += got[b][12] != (int)rank || got[b][13] != (int)size ||
                   got[b][14] != (s->cluster[0] != 0);
        }
        CHECK_INT(bad, 0);
        sim_free(d, a);
    }
}

/* ---- the same on any number of workers ---- */

static void test_ring(void) {
    sim_counters first = {0};
    for (unsigned threads = 1; threads <= 4; threads++) {
        open_device("h200", threads);
        enum { BLOCKS = 24, SIZE = 4 };
        const shape s = {{BLOCKS, 1, 1}, {SIZE, 1, 1}, 32};
        int sum[2], want[2] = {0, 0};
        sim_addr a = buffer(8);
        CHECK_INT(launch("ring", &s, a, 0), SIM_OK);
        sim_read(d, sum, a, sizeof sum);
        for (int b = 0; b < BLOCKS; b++)
            for (int t = 0; t < 32; t++) want[0] += b % SIZE * 100 + t, want[1] += t;
        CHECK_INT(sum[0], want[0]);
        CHECK_INT(sum[1], want[1]);
        CHECK_INT(r.finding_count, 0);
        /* a store of 128 bytes, then 32 loads 32 bytes apart, of each warp */
        CHECK_INT(r.counters.shared_remote_requests, 2 * BLOCKS);
        CHECK_INT(r.counters.shared_remote_sectors, (4 + 32) * BLOCKS);
        CHECK_INT(r.counters.shared_ld_requests, BLOCKS);
        CHECK_INT(r.counters.shared_st_requests, BLOCKS);
        CHECK_INT(r.counters.barriers, 0); /* those of a block: it has the cluster's alone */
        if (threads == 1) first = r.counters;
        CHECK(!memcmp(&first, &r.counters, sizeof first));
        close_device();
    }
}

/* ---- clusters that wait for each other; traffic ---- */

static void test_waits(void) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        open_device("h200", threads);
        const shape many = {{60, 1, 1}, {2, 1, 1}, 64}, two = {{2, 1, 1}, {2, 1, 1}, 32};
        sim_addr a = buffer(256);
        unsigned got[30], bad = 0;
        CHECK_INT(launch("backwards", &many, a, 0), SIM_OK);
        sim_read(d, got, a, sizeof got);
        for (unsigned i = 0; i < 30; i++) bad += got[i] != i + 1;
        CHECK_INT(bad, 0);
        CHECK_INT(launch("forever", &two, a, 0), SIM_DEADLOCK);
        CHECK(r.finding_count && r.findings[0].kind == SIM_FIND_DEADLOCK);
        close_device();
    }
    uint64_t l2 = 0, hits = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
        open_device("h200", threads);
        const shape s = {{8, 1, 1}, {4, 1, 1}, 32};
        sim_addr a = buffer(32 * 128);
        enum { ROUNDS = 18000 }; /* 32 sectors each: more than a block's stream holds */
        CHECK_INT(launch("traffic", &s, a, 1), SIM_OK); /* into L2 */
        CHECK_INT(launch("traffic", &s, a, ROUNDS), SIM_OK);
        CHECK_INT(r.counters.l2_sectors, 8ull * 32 * ROUNDS);
        if (threads == 1) l2 = r.counters.l2_sectors, hits = r.counters.l2_hits;
        CHECK_INT(r.counters.l2_sectors, l2);
        CHECK_INT(r.counters.l2_hits, hits);
        close_device();
    }
}

/* ---- the barrier ---- */

static void test_barrier(void) {
    const shape two = {{2, 1, 1}, {2, 1, 1}, 64}, none = {{3, 1, 1}, {0, 0, 0}, 32},
                four = {{8, 1, 1}, {4, 1, 1}, 64};
    sim_addr a = buffer(64);
    int n;
    CHECK_INT(launch("leaves", &four, a, 0), SIM_OK);
    sim_read(d, &n, a, 4);
    CHECK_INT(n, 2 * 3 * 64);
    CHECK_INT(launch("leaves", &none, a, 0), SIM_OK); /* each block a cluster of its own */
    sim_read(d, &n, a, 4);
    CHECK_INT(n, 2 * 3 * 64 + 3 * 32);
    CHECK_INT(launch("wait_alone", &two, a, 0), SIM_TRAP);
    CHECK_CONTAINS(said(&msg), "waits at the cluster's barrier without having arrived");
    CHECK_INT(launch("arrive_twice", &two, a, 0), SIM_TRAP);
    CHECK_CONTAINS(said(&msg), "arrives twice at the cluster's barrier");
    const shape odd = {{2, 1, 1}, {2, 1, 1}, 32};
    CHECK_INT(launch("half", &odd, a, 0), SIM_DEADLOCK);
    CHECK_CONTAINS(said(&msg), "never opens");
}

/* ---- what goes wrong ---- */

static void test_wrong(void) {
    const shape two = {{2, 1, 1}, {2, 1, 1}, 1};
    sim_addr a = buffer(64);
    CHECK_INT(launch("blank", &two, a, 0), SIM_OK);
    CHECK(r.finding_count == 1 && r.findings[0].kind == SIM_FIND_UNINIT);
    CHECK_CONTAINS(said(&r.findings[0].said),
                   "byte 16 of the shared memory of block 1 of the cluster");
    CHECK_INT(launch("skew", &two, a, 0), SIM_MISALIGNED);
    CHECK_CONTAINS(said(&msg), "not a multiple of 4: byte 2 of the shared memory of block");
    static const struct {
        const char *kernel;
        shape s;
        const char *why; /* it is refused; NULL: it is not */
    } launches[] = {
        {"who",
         {{6, 1, 1}, {4, 1, 1}, 32},
         "the grid's x dimension is 6, no multiple of the cluster's 4"},
        {"who",
         {{6, 3, 1}, {2, 2, 1}, 32},
         "the grid's y dimension is 3, no multiple of the cluster's 2"},
        {"who",
         {{6, 2, 3}, {2, 2, 2}, 32},
         "the grid's z dimension is 3, no multiple of the cluster's 2"},
        {"who",
         {{32, 1, 1}, {32, 1, 1}, 32},
         "a cluster of 32 x 1 x 1 blocks; who may have 1 to 16"},
        {"who",
         {{17, 1, 1}, {17, 1, 1}, 32},
         "a cluster of 17 x 1 x 1 blocks; who may have 1 to 16"},
        {"who",
         {{1, 17, 1}, {1, 17, 1}, 32},
         "a cluster of 1 x 17 x 1 blocks; who may have 1 to 16"},
        {"who", {{3, 3, 2}, {3, 3, 2}, 32}, "a cluster of 3 x 3 x 2 blocks; who may have 1 to 16"},
        {"who", {{32, 1, 1}, {4, 0, 1}, 32}, "a cluster of 4 x 0 x 1 blocks; who may have 1 to 16"},
        {"who",
         {{1 << 16, 1, 1}, {1 << 16, 1 << 16, 1 << 16}, 32},
         "a cluster of 65536 x 65536 x 65536 blocks; who may have 1 to 16"},
        {"must", {{4, 1, 1}, {0, 0, 0}, 32}, "must must be launched with a cluster's size"},
        {"must", {{4, 1, 1}, {4, 1, 1}, 32}, NULL},
        {"three", {{6, 1, 1}, {0, 0, 0}, 32}, NULL},
        {"three",
         {{6, 1, 1}, {2, 1, 1}, 32},
         "three must be launched with clusters of 3 x 1 x 1 blocks"},
        {"three",
         {{6, 2, 1}, {3, 2, 1}, 32},
         "three must be launched with clusters of 3 x 1 x 1 blocks"},
        {"three",
         {{4, 1, 1}, {0, 0, 0}, 32},
         "the grid's x dimension is 4, no multiple of the cluster's 3"},
        {"small",
         {{8, 1, 1}, {8, 1, 1}, 32},
         "a cluster of 8 x 1 x 1 blocks; small may have 1 to 4"},
        {"small",
         {{5, 1, 1}, {5, 1, 1}, 32},
         "a cluster of 5 x 1 x 1 blocks; small may have 1 to 4"},
        {"small", {{8, 1, 1}, {4, 1, 1}, 32}, NULL}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        CHECK_INT(launch(launches[i].kernel, &launches[i].s, a, 0),
                  launches[i].why ? SIM_BAD_CLUSTER : SIM_OK);
        if (launches[i].why) CHECK_STR(said(&msg), launches[i].why);
    }
}

/* ---- loads narrower than their registers ---- */

/* Byte i of what the block `rank` wrote. */
static uint8_t written(unsigned rank, unsigned i) {
    return (uint8_t)(0x85 + 64 * rank + 5 * i);
}
static uint64_t little(unsigned rank, unsigned at, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned k = 0; k < bytes; k++) v |= (uint64_t)written(rank, at + k) << 8 * k;
    return v;
}

/* Even threads read the other block's memory, odd ones their own's: what is left of a register is
 * zero or the sign, and what a vector leaves out is left out. */
static void test_widths(void) {
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry widths(.param .u64 p, "
        ".param .u32 n) {\n.reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %d<20>;\n"
        ".shared .align 16 .b8 s[512];\n"
        "ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank;\n"
        "mov.u32 %r3, s; mov.u32 %r4, 0;\n" /* 16 bytes a thread */
        "FILL: mad.lo.u32 %r5, %r1, 16, %r4; mul.lo.u32 %r6, %r5, 5;\n"
        "mad.lo.u32 %r6, %r2, 64, %r6; add.u32 %r6, %r6, 0x85; add.u32 %r7, %r3, %r5;\n"
        "st.shared.u8 [%r7], %r6; add.u32 %r4, %r4, 1;\n"
        "{ .reg .pred %q; setp.lt.u32 %q, %r4, 16; @%q bra FILL; }\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "and.b32 %r8, %r1, 1; xor.b32 %r8, %r8, %r2; xor.b32 %r8, %r8, 1;\n"
        "mad.lo.u32 %r9, %r1, 16, %r3; mapa.shared::cluster.u32 %r9, %r9, %r8;\n"
        "mov.u64 %d10, -1; mov.u32 %r10, -1; mov.u32 %r11, -1; mov.u32 %r12, -1;\n"
        "mov.u32 %r13, -1; mov.u64 %d12, -1; mov.u64 %d13, -1;\n"
        "ld.shared::cluster.u8 %r10, [%r9+1]; cvt.u64.u32 %d2, %r10;\n"
        "ld.shared::cluster.s8 %r11, [%r9+2]; cvt.u64.u32 %d3, %r11;\n"
        "ld.shared::cluster.u16 %r12, [%r9+4]; cvt.u64.u32 %d4, %r12;\n"
        "ld.shared::cluster.s16 %r13, [%r9+6]; cvt.u64.u32 %d5, %r13;\n"
        "ld.shared::cluster.u8 %d6, [%r9+3]; ld.shared::cluster.s8 %d7, [%r9+5];\n"
        "ld.shared::cluster.u32 %d8, [%r9+8]; ld.shared::cluster.s32 %d9, [%r9+12];\n"
        "ld.shared::cluster.u64 %d10, [%r9+8];\n"
        "ld.shared::cluster.v2.u16 {%r14, _}, [%r9+8]; cvt.u64.u32 %d11, %r14;\n"
        "ld.shared::cluster.v2.u32 {_, %d12}, [%r9+8];\n"
        "ld.shared::cluster.v2.u64 {%d13, %d14}, [%r9];\n"
        "mad.lo.u32 %r15, %r2, 32, %r1; mul.wide.u32 %d15, %r15, 128; add.u64 %d1, %d1, %d15;\n"
        "st.global.u64 [%d1], %d2; st.global.u64 [%d1+8], %d3; st.global.u64 [%d1+16], %d4;\n"
        "st.global.u64 [%d1+24], %d5; st.global.u64 [%d1+32], %d6; st.global.u64 [%d1+40], %d7;\n"
        "st.global.u64 [%d1+48], %d8; st.global.u64 [%d1+56], %d9; st.global.u64 [%d1+64], %d10;\n"
        "st.global.u64 [%d1+72], %d11; st.global.u64 [%d1+80], %d12; st.global.u64 [%d1+88], "
        "%d13;\n"
        "st.global.u64 [%d1+96], %d14;\n"
        "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n";
    const struct {
        unsigned at, bytes, sign; /* sign: to so many bits, 0: zeros */
    } loads[] = {{1, 1, 0},   {2, 1, 32}, {4, 2, 0}, {6, 2, 32}, {3, 1, 0}, {5, 1, 64}, {8, 4, 0},
                 {12, 4, 64}, {8, 8, 0},  {8, 2, 0}, {12, 4, 0}, {0, 8, 0}, {8, 8, 0}};
    enum { LOADS = sizeof loads / sizeof *loads };
    static uint64_t got[2][32][16];
    const shape two = {{2, 1, 1}, {2, 1, 1}, 32};
    sim_module_options mo = {.ptxas = ""};
    sim_module *all = mod;
    mod = sim_module_new(d, text, strlen(text), &mo, &msg);
    CHECK_STR(mod ? "" : said(&msg), "");
    sim_addr a = buffer(sizeof got);
    CHECK_INT(launch("widths", &two, a, 0), SIM_OK);
    sim_read(d, got, a, sizeof got);
    for (unsigned k = 0; k < LOADS; k++) {
        unsigned wrong = 0;
        for (unsigned b = 0; b < 2; b++)
            for (unsigned t = 0; t < 32; t++) {
                uint64_t want = little(t & 1 ? b : 1 - b, 16 * t + loads[k].at, loads[k].bytes);
                unsigned bits = 8 * loads[k].bytes;
                if (loads[k].sign && want >> (bits - 1)) want |= ~0ull << bits;
                if (loads[k].sign == 32) want = (uint32_t)want;
                wrong += got[b][t][k] != want;
            }
        char what[40];
        snprintf(what, sizeof what, "load %u of %u bytes", k, loads[k].bytes);
        check_that(!wrong, __FILE__, __LINE__, what, "threads have something else");
    }
    CHECK_INT(r.finding_count, 0);
    sim_free(d, a);
    sim_module_free(mod);
    mod = all;
}

/* ---- time ---- */

/* A load of another block's shared memory, one after another: 180 cycles (Luo et al. 2024). */
static void test_time(void) {
    const shape two = {{2, 1, 1}, {2, 1, 1}, 1};
    sim_addr a = buffer(64);
    sim_module *all = mod;
    mod = assembled_module(d, "h200", cluster_text);
    CHECK_INT(launch("chase", &two, a, 100), SIM_OK);
    CHECK(r.by_machine_code);
    double few = r.time_us;
    CHECK_INT(launch("chase", &two, a, 1100), SIM_OK);
    double cycles = (r.time_us - few) * 1e3 * 1.98 / 1000;
    printf("# %.1f cycles a load\n", cycles);
    CHECK_NEAR(cycles, 180, 30);
    sim_module_free(mod);
    mod = all;
}

int main(void) {
    open_device("h200", 2);
    CHECK(mod != NULL);
    if (!mod) return check_done();
    test_places();
    test_barrier();
    test_wrong();
    test_widths();
    if (assembled_here("the time of remote loads")) test_time();
    close_device();
    test_ring();
    test_waits();
    open_device("a100", 1);
    if (!mod) printf("# PTX of sm_90: %s\n", said(&msg));
    const shape two = {{2, 1, 1}, {2, 1, 1}, 32};
    if (mod) CHECK_INT(launch("who", &two, buffer(256), 0), SIM_UNSUPPORTED);
    if (mod) CHECK_CONTAINS(said(&msg), "clusters need compute capability 9.0");
    close_device();
    return check_done();
}
