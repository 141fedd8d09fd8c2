/* Machine code's registers by their banks, and wide loads of shared memory, against what an H200
 * measured (tests/truth/h200.pipes.txt). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/access/access_internal.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/unit/ptx_fixture.h"

/* ---- which lanes go together ---- */

/* The patterns of tests/truth/pipes.cu: which unit lane l takes. */
static unsigned unit_of(const char *pattern, unsigned l) {
    static const struct {
        const char *name;
        unsigned times, modulo, over, plus; /* times (l % modulo / over) + plus (l / plus) */
    } known[] = {{"0", 0, 32, 1, 0},       {"l", 1, 32, 1, 0},          {"l%16", 1, 16, 1, 0},
                 {"l%8", 1, 8, 1, 0},      {"l%4", 1, 4, 1, 0},         {"l%2", 1, 2, 1, 0},
                 {"l/2", 1, 32, 2, 0},     {"l/4", 1, 32, 4, 0},        {"l/8", 1, 32, 8, 0},
                 {"l/16", 1, 32, 16, 0},   {"2l", 2, 32, 1, 0},         {"8l", 8, 32, 1, 0},
                 {"8(l%16)", 8, 16, 1, 0}, {"8(l%8)", 8, 8, 1, 0},      {"8(l/16)", 8, 32, 16, 0},
                 {"2(l%16)", 2, 16, 1, 0}, {"l%8+8(l/16)", 1, 8, 1, 8}, {"l%4+4(l/8)", 1, 4, 1, 4}};
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].name, pattern))
            return known[k].times * (l % known[k].modulo / known[k].over) +
                   known[k].plus * (known[k].plus ? l / (2 * known[k].plus) : 0);
    return UINT32_MAX;
}

static void test_merged(void) {
    FILE *f = fopen("tests/truth/h200.pipes.txt", "r");
    char line[256], pattern[32];
    unsigned size, seen = 0;
    double cycles;
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "lds%u %31s %lf", &size, pattern, &cycles) != 3 || size == 4) continue;
        uint32_t addr[SIM_WARP_LANES];
        for (unsigned l = 0; l < SIM_WARP_LANES; l++) addr[l] = 4096 + size * unit_of(pattern, l);
        check_that(sim_access_merged(addr, ~0u, size) == lround(cycles), __FILE__, __LINE__, line,
                   "passes as cycles");
        seen++;
    }
    CHECK_INT(seen, 36);
    if (f) fclose(f);
}

/* ---- registers ---- */

static void test_read(void) {
    /* by hand from the text: even and odd registers read, and those of them in the operand cache */
    static const struct {
        const char *func;
        unsigned address, reads[2], kept[2];
    } rows[] = {
        {"halves", 0x1e0, {3, 0}, {2, 0}}, /* HFMA2 R9, R6, R10, R8 after R6.reuse, R10.reuse */
        {"pairs", 0xe0, {1, 1}, {1, 0}},   /* HFMA2 R7, R0, 1, 1, R9 after R0.reuse, R9.reuse */
        {"far", 0x1a0, {2, 0}, {2, 0}},    /* IMAD.WIDE R8, R6, R10, UR6 after both.reuse */
        {"histogram", 0x100, {1, 0}, {0, 0}} /* MUFU R6 after R5.reuse */};
    size_t len;
    char *text = read_text("tests/unit/sass/twins/twins.sm_90.sass", &len);
    lib_message msg;
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    CHECK(m != NULL);
    for (unsigned k = 0; m && k < sizeof rows / sizeof *rows; k++) {
        const sass_func *f = sass_find(m, rows[k].func);
        time_code *c = f ? time_code_machine(sim_profile_find("h200"), f) : NULL;
        CHECK(c != NULL);
        if (!c) continue;
        const time_op *o = &c->ops[rows[k].address / 16];
        for (unsigned b = 0; b < 2; b++) {
            CHECK_INT(o->reads[b], rows[k].reads[b]);
            CHECK_INT(o->kept[b], rows[k].kept[b]);
        }
        time_code_free(c);
    }
    sass_free(m);
    free(text);
}

/* N additions in each of `warps` warps; the banks that each reads. */
enum { N = 4000 };
static double cycles_of(unsigned warps, unsigned even, unsigned odd, unsigned kept) {
    static time_op ops[N];
    static uint32_t region_of[N];
    time_region region = {.count = N};
    for (uint32_t k = 0; k < N; k++) {
        ops[k] = (time_op){.slots = 1,
                           .busy = 1,
                           .latency = 4,
                           .pipe = TIME_PIPE_FMA,
                           .kind = TIME_PLAIN,
                           .stall = 1,
                           .sets = -1,
                           .frees = -1,
                           .pc = k,
                           .reads = {(uint8_t)even, (uint8_t)odd},
                           .kept = {(uint8_t)kept, 0}};
    }
    time_code code = {.profile = sim_profile_find("h200"),
                      .op_count = N,
                      .region_count = 1,
                      .ops = ops,
                      .region_of = region_of,
                      .regions = &region,
                      .reg_max = 6};
    sim_trace_run run = {0, N};
    sim_trace_warp w[64];
    for (unsigned k = 0; k < warps; k++)
        w[k] = (sim_trace_warp){.runs = &run, .at = {.run_count = 1, .steps = N}};
    sim_trace_block block = {.warp_count = warps, .warps = w, .done = true};
    sim_trace t = {.blocks = &block, .block_count = 1, .first_count = 1, .all = true};
    time_share share = {.dispatch_cycles = 1, .resident = 1, .blocks = 1, .budget = 1 << 20};
    time_usage u;
    CHECK(time_replay(&code, &t, &share, NULL, &u));
    return u.cycles / N / (warps / 4.0);
}

/* A scheduler reads one register a cycle from each bank. */
static void test_banks(void) {
    CHECK_NEAR(cycles_of(32, 1, 1, 0), 1, 0.02);
    CHECK_NEAR(cycles_of(32, 2, 1, 0), 2, 0.02);
    CHECK_NEAR(cycles_of(32, 0, 3, 0), 3, 0.03);
    /* What an instruction keeps serves the warp's next one, when that comes right behind it: a
     * scheduler stays with its warp (tests/truth/mix.cu: eight FFMAs with .reuse take 9.0 cycles on
     * an H200). */
    CHECK_NEAR(cycles_of(4, 2, 0, 1), 1, 0.1);
    CHECK_NEAR(cycles_of(4, 2, 0, 0), 2, 0.1);
    CHECK_NEAR(cycles_of(32, 2, 0, 1), 1, 0.02);
    CHECK_NEAR(cycles_of(32, 2, 0, 0), 2, 0.02);
}

int main(void) {
    test_merged();
    test_read();
    test_banks();
    return check_done();
}
