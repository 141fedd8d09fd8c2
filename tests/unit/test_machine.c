/* Launches timed by machine code (sim_options.machine_code): they leave the same bytes, counters
 * and findings as without, and their times come from the instructions and control fields of the
 * recorded machine code (tests/unit/sass/twins). */
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/machine_fixture.h"
#include "tests/unit/ptx_fixture.h"

enum { BYTES = 1 << 20, N = 60000, GRID = 600, BLOCK = 128 };

typedef struct {
    sim_device *device;
    sim_module *module;
    sim_addr out, in;
} bench;

static bool open_counting(bench *b, bool machine, bool count, const char *ptx, size_t len,
                          const char *text, size_t text_len, unsigned threads) {
    static uint8_t cubin[CUBIN];
    sim_options o;
    sim_options_default(&o);
    o.machine_code = machine;
    o.count_machine = count;
    o.threads = threads;
    sim_module_options mo = {.ptxas = "",
                             .cubin = cubin,
                             .cubin_len = machine_cubin(cubin),
                             .machine_code = text,
                             .machine_code_len = text_len};
    lib_message msg = {0};
    *b = (bench){.device = sim_device_new(sim_profile_find("h200"), &o, &msg)};
    b->module = b->device ? sim_module_new(b->device, ptx, len, &mo, &msg) : NULL;
    bool ok = b->module && sim_malloc(b->device, BYTES, &b->out) == SIM_OK &&
              sim_malloc(b->device, BYTES, &b->in) == SIM_OK;
    if (!ok) printf("# %s\n", said(&msg));
    return CHECK(ok);
}

static bool open_bench(bench *b, bool machine, const char *ptx, size_t len, const char *text,
                       size_t text_len, unsigned threads) {
    return open_counting(b, machine, false, ptx, len, text, text_len, threads);
}

static void close_bench(bench *b) {
    sim_module_free(b->module);
    sim_device_free(b->device);
}

static bool launch(const bench *b, const char *name, void *left, sim_result *res) {
    static uint32_t words[BYTES / 4];
    struct {
        sim_addr out, in;
        int64_t n;
    } params = {b->out, b->in, N};
    sim_launch l = {.kernel = sim_module_kernel(b->module, name),
                    .grid = {GRID, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    uint32_t x = 12345;
    for (unsigned k = 0; k < BYTES / 4; k++) {
        x = x * 1664525u + 1013904223u;
        float f = (float)(int32_t)x * 0x1p-16f;
        memcpy(&words[k], &f, 4);
    }
    lib_message msg = {0};
    bool ok = l.kernel && sim_write(b->device, b->in, words, BYTES) == SIM_OK;
    ok = ok && sim_poison(b->device, b->out, BYTES) == SIM_OK;
    sim_flush_caches(b->device, 0);
    ok = ok && sim_run(b->device, &l, res, &msg) == SIM_OK;
    ok = ok && sim_read(b->device, left, b->out, BYTES) == SIM_OK;
    if (!ok) printf("# %s: %s\n", name, said(&msg));
    return ok;
}

/* With and without: nothing but the time may differ. */
static void test_results(const char *ptx, size_t len, const char *text, size_t text_len) {
    static uint32_t left[2][BYTES / 4];
    bench b[2];
    for (int on = 0; on < 2; on++)
        if (!open_bench(&b[on], on, ptx, len, text, text_len, 2)) return;
    for (unsigned k = 0; k < KERNELS; k++) {
        sim_result r[2] = {{0}};
        const char *name = machine_kernels[k].name;
        if (!CHECK(launch(&b[0], name, left[0], &r[0]) && launch(&b[1], name, left[1], &r[1])))
            continue;
        bool same = !memcmp(left[0], left[1], BYTES) &&
                    !memcmp(&r[0].counters, &r[1].counters, sizeof r->counters) &&
                    r[0].finding_count == r[1].finding_count;
        check_that(same, __FILE__, __LINE__, name, "other bytes, counters or findings");
        CHECK(!r[0].by_machine_code && !r[0].machine_refusal);
        check_that(r[1].by_machine_code, __FILE__, __LINE__, name,
                   r[1].machine_refusal ? said(r[1].machine_refusal) : "");
        printf("# %s: %.2f us by counters, %.2f us by machine code\n", name, r[0].time_us,
               r[1].time_us);
        CHECK(r[0].time_us > 0 && !r[0].what_if);
        /* An H200 takes 19.8 us for classify over this memory, cold, and executes 4.31 million
         * instructions: lanes that part there meet again only at the one BSYNC behind the loop. */
        if (!strcmp(name, "classify"))
            check_that(r[1].time_us > 19.8 / 1.6 && r[1].time_us < 19.8 * 1.6, __FILE__, __LINE__,
                       name, "the time is far off");
        sim_result_free(&r[0]);
        sim_result_free(&r[1]);
    }
    close_bench(&b[0]);
    close_bench(&b[1]);
}

/* One worker or four: the same time. */
static void test_workers(const char *ptx, size_t len, const char *text, size_t text_len) {
    static uint32_t left[BYTES / 4];
    double us[2] = {0};
    for (unsigned n = 0; n < 2; n++) {
        bench b;
        sim_result r = {0};
        if (open_bench(&b, true, ptx, len, text, text_len, n ? 4 : 1) &&
            CHECK(launch(&b, "filter", left, &r)))
            us[n] = r.time_us;
        sim_result_free(&r);
        close_bench(&b);
    }
    CHECK(us[0] > 0 && us[0] == us[1]);
}

/* A kernel without machine code, or whose machine code is not executed, is timed by its PTX, and
 * the reason is told. */
static void test_refusals(const char *ptx, size_t len) {
    static uint32_t left[BYTES / 4];
    bench b;
    sim_result r = {0};
    static const char none[] = "\t.target\tsm_90\n";
    if (open_bench(&b, true, ptx, len, none, sizeof none - 1, 1) &&
        CHECK(launch(&b, "add", left, &r))) {
        CHECK(!r.by_machine_code && r.time_us > 0);
        CHECK(r.machine_refusal && lib_message_any(r.machine_refusal));
    }
    sim_result_free(&r);
    close_bench(&b);
}

/* The row of an address: its executions, and cycles of one. */
static double cycles_at(const sim_result *r, unsigned at, uint64_t *warps, sim_stall k) {
    for (size_t n = 0; r->machine && n < r->machine_count; n++)
        if (r->machine[n].at == at) {
            *warps = r->machine[n].warps;
            return *warps ? r->machine[n].cycles[k] / (double)*warps : 0;
        }
    CHECK(!"no such address");
    return -1;
}

/* sim_result.machine of `add`, by its text: 600 blocks of 4 warps come to the exit under a
 * predicate at 0x70, and the 60000 / 32 that have something to add go on behind it. The upper words
 * of IMAD at 0x50, ISETP at 0x60 and FADD at 0x100 begin with 0x1fca, 0x2fda and 0x4fca: stall
 * counts of 5, 13 and 5, a cycle of which is the instruction's own. FADD waits for the loads from
 * global memory, the IMAD for special registers. */
static void test_counts(const char *ptx, size_t len, const char *text, size_t text_len) {
    static uint32_t left[BYTES / 4];
    double us[2][2] = {{0}};
    for (int machine = 0; machine < 2; machine++)
        for (int count = 0; count < 2; count++) {
            bench b;
            sim_result r = {0};
            if (open_counting(&b, machine, count, ptx, len, text, text_len, count ? 4 : 1) &&
                CHECK(launch(&b, "add", left, &r)))
                us[machine][count] = r.time_us;
            CHECK(r.by_machine_code == (machine || count) && !r.machine_refusal);
            CHECK((r.machine != NULL) == (count != 0));
            uint64_t warps = 0;
            for (unsigned at = 0; count && at <= 0x120; at += 0x10) {
                cycles_at(&r, at, &warps, SIM_STALL_SELECTED);
                CHECK_INT(warps, at <= 0x70 ? 2400 : 1875);
            }
            if (count) {
                CHECK_NEAR(cycles_at(&r, 0x50, &warps, SIM_STALL_WAIT), 4, 1e-6);
                CHECK_NEAR(cycles_at(&r, 0x60, &warps, SIM_STALL_WAIT), 12, 1e-6);
                CHECK_NEAR(cycles_at(&r, 0x100, &warps, SIM_STALL_WAIT), 4, 1e-6);
                CHECK(cycles_at(&r, 0x100, &warps, SIM_STALL_LONG_SCOREBOARD) > 100);
                CHECK_NEAR(cycles_at(&r, 0x110, &warps, SIM_STALL_LONG_SCOREBOARD), 0, 1e-6);
                cycles_at(&r, 0x130, &warps, SIM_STALL_WAIT); /* behind the last exit */
                CHECK_INT(warps, 0);
                sim_machine_count twice[64];
                size_t n = r.machine_count < 64 ? r.machine_count : 64;
                memcpy(twice, r.machine, n * sizeof *twice);
                CHECK(sim_machine_counts_add(twice, n, r.machine, n));
                CHECK_INT(twice[0].warps, 4800);
                CHECK(!sim_machine_counts_add(twice, n, r.machine, n - 1));
            }
            sim_result_free(&r);
            close_bench(&b);
        }
    /* whoever looks changes nothing */
    CHECK(us[0][0] > 0 && us[1][0] > 0 && us[1][0] == us[1][1] && us[0][1] == us[1][1]);
}

/* Launches without machine code have no counts of it, and say why. */
static void test_uncounted(const char *ptx, size_t len) {
    static uint32_t left[BYTES / 4];
    bench b;
    sim_result r = {0};
    static const char none[] = "\t.target\tsm_90\n";
    if (open_counting(&b, false, true, ptx, len, none, sizeof none - 1, 1) &&
        CHECK(launch(&b, "add", left, &r)))
        CHECK(!r.machine && r.machine_refusal && lib_message_any(r.machine_refusal));
    sim_result_free(&r);
    close_bench(&b);
}

/* What the control fields say is in the operations: add's loads set scoreboards, the sum waits for
 * them, and nothing has registers beside. */
static void test_operations(const char *text, size_t text_len) {
    lib_message msg = {0};
    sass_module *m = sass_read(text, text_len, &msg);
    const sass_func *f = m ? sass_find(m, "add") : NULL;
    time_code *c = f ? time_code_machine(sim_profile_find("h200"), f) : NULL;
    CHECK(c != NULL);
    if (!c) return;
    unsigned set = 0, loads = 0, waited = 0, stores = 0;
    CHECK_INT(c->op_count, f->insn_count);
    for (uint32_t n = 0; n < c->op_count; n++) {
        const time_op *o = &c->ops[n];
        const sass_insn *i = &f->insns[n];
        CHECK(o->stall == i->control.stall);
        if (i->op == SASS_OP_LDG) {
            loads++;
            CHECK(o->kind == TIME_LOAD && o->flags & TIME_EVENT && o->sets >= 0);
            set |= 1u << o->sets;
        }
        if (i->op == SASS_OP_FADD) {
            waited = o->waits;
            CHECK(o->kind == TIME_PLAIN && o->pipe == TIME_PIPE_FMA);
        }
        stores += i->op == SASS_OP_STG && o->kind == TIME_STORE;
    }
    CHECK(loads == 2 && stores == 1 && waited == set);
    time_code_free(c);
    sass_free(m);
}

/* MATCH.ANY is restated as activemask and match.any: the event is the match's, whose values decide
 * how long it takes. */
static void test_events(void) {
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(){ .reg .b32 %r<4>;\n"
                               "activemask.b32 %r1;\n"
                               "match.any.sync.b32 %r2,%r3,%r1;\n"
                               "ret;\n}\n";
    static const uint32_t insn_of[] = {9, 9, 9, 9, 0, 0, 1};
    time_op ops[] = {{.kind = TIME_SHUFFLE, .flags = TIME_EVENT}, {.kind = TIME_EXIT}};
    time_code c = {.ops = ops, .op_count = 2};
    lib_message msg = {0};
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    time_machine_map *map =
        m ? time_machine_map_new(&c, m->funcs[0], insn_of, sizeof insn_of / sizeof *insn_of) : NULL;
    if (CHECK(map != NULL) && map) {
        CHECK_INT(map->pcs, 3);
        CHECK_INT(map->event[0], 0);
        CHECK_INT(map->event[1], 1);
        CHECK_INT(map->event[2], 0);
    }
    time_machine_map_free(map);
    ptx_free(m);
}

/* The PTX of `add` subtracts, its machine code adds: one worker finds that, and takes no time from
 * the machine code. Several workers do not compare. */
static void test_other(const char *ptx, size_t len, const char *text, size_t text_len) {
    static uint32_t left[BYTES / 4];
    static const char add[] = "add.f32", subtract[] = "sub.f32";
    char *other = memcpy(malloc(len + 1), ptx, len + 1), *kernel = strstr(other, "entry add("),
         *at = kernel ? strstr(kernel, add) : NULL;
    if (!CHECK(at != NULL)) {
        free(other);
        return;
    }
    memcpy(at, subtract, strlen(subtract));
    for (unsigned n = 0; n < 3; n++) {
        bench b;
        sim_result r = {0};
        if (open_bench(&b, true, n ? other : ptx, len, text, text_len, n == 2 ? 4 : 1) &&
            CHECK(launch(&b, "add", left, &r))) {
            CHECK_INT(r.by_machine_code, n != 1);
            CHECK_STR(r.machine_refusal ? said(r.machine_refusal) : "",
                      n == 1 ? "a sampled block leaves other values as machine code than as PTX"
                             : "");
        }
        sim_result_free(&r);
        close_bench(&b);
    }
    free(other);
}

int main(void) {
    size_t len = 0, text_len = 0;
    char *ptx = read_text("tests/unit/sass/twins/twins.90.ptx", &len),
         *text = read_text("tests/unit/sass/twins/twins.sm_90.sass", &text_len);
    test_events();
    if (CHECK(ptx && text)) {
        test_operations(text, text_len);
        test_results(ptx, len, text, text_len);
        test_workers(ptx, len, text, text_len);
        test_other(ptx, len, text, text_len);
        test_refusals(ptx, len);
        test_counts(ptx, len, text, text_len);
        test_uncounted(ptx, len);
    }
    free(ptx);
    free(text);
    return check_done();
}
