/* Launches from PTX text to results, counters and findings. Expected numbers come from the
 * definition of each counter (requests: one per warp instruction with an active lane; sectors:
 * distinct 32-byte pieces), worked out by hand beside each check. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/run/pool.h"
#include "runner/device/sim/sim.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const char vecadd[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry vecadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
    ".reg .pred %p<2>;\n.reg .f32 %f<4>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<11>;\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\nld.param.u32 %r2, "
    "[n];\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %tid.x;\nmad.lo.s32 %r1, %r3, "
    "%r4, %r5;\n"
    "setp.ge.s32 %p1, %r1, %r2;\n@%p1 bra $L__BB0_2;\n"
    "cvta.to.global.u64 %rd4, %rd1;\nmul.wide.s32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd4, "
    "%rd5;\ncvta.to.global.u64 %rd7, %rd2;\n"
    "add.s64 %rd8, %rd7, %rd5;\nld.global.f32 %f1, [%rd8];\nld.global.f32 %f2, [%rd6];\nadd.f32 "
    "%f3, %f2, "
    "%f1;\n"
    "cvta.to.global.u64 %rd9, %rd3;\nadd.s64 %rd10, %rd9, %rd5;\nst.global.f32 [%rd10], %f3;\n"
    "$L__BB0_2:\nret;\n}\n";

static sim_device *device(unsigned threads) {
    sim_options o;
    lib_message m;
    sim_options_default(&o);
    o.threads = threads;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    if (!d) printf("# %s\n", said(&m));
    return d;
}

/* The stack that the launch asks for, the kernel's own local memory in it: a function's local
 * memory in sixteens, and sixteen bytes for the call. How deep calls that go round get follows from
 * that. */
static void test_stack(void) {
    static const struct {
        unsigned own, each;
        int deepest; /* calls that fit */
    } rows[] = {{48, 48, 32768 / 64}, {33, 33, 32768 / 64},  {32, 32, 32768 / 48},
                {17, 17, 32768 / 48}, {1, 160, 32768 / 176}, {160, 145, 32768 / 176},
                {100, 1, 32768 / 32}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int more = 0; more < 2; more++) {
            char text[2000], says[100];
            lib_message m = {0};
            sim_result r = {0};
            /* f(n): calls itself until n is 1 */
            snprintf(text, sizeof text,
                     ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".func f(.param .b32 n) {\n.local .align 1 .b8 l[%u]; .reg .b32 %%r<3>; "
                     ".reg .pred %%p;\nld.param.b32 %%r1, [n]; st.local.u8 [l], %%r1;\n"
                     "setp.le.u32 %%p, %%r1, 1; @%%p bra done;\nsub.u32 %%r2, %%r1, 1;\n"
                     "{ .param .b32 a; st.param.b32 [a], %%r2; call f, (a); }\ndone: ret;\n}\n"
                     ".visible .entry k(.param .u32 n) {\n.local .align 1 .b8 l[%u]; "
                     ".reg .b32 %%r<3>;\nld.param.u32 %%r1, [n]; st.local.u8 [l], %%r1;\n"
                     "{ .param .b32 a; st.param.b32 [a], %%r1; call f, (a); }\nret;\n}\n",
                     rows[k].each, rows[k].own);
            sim_device *d = device(1);
            sim_module_options mo = {.ptxas = ""};
            sim_module *mod = sim_module_new(d, text, strlen(text), &mo, &m);
            CHECK_STR(said(&m), "");
            int n = rows[k].deepest + more;
            sim_launch l = {.kernel = mod ? sim_module_kernel(mod, "k") : NULL,
                            .grid = {1, 1, 1},
                            .block = {1, 1, 1},
                            .stack = 32768 + (rows[k].own + 15) / 16 * 16,
                            .params = &n,
                            .param_bytes = 4};
            CHECK_INT(l.kernel ? sim_run(d, &l, &r, &m) : SIM_NOT_FOUND,
                      more ? SIM_ILLEGAL_ADDRESS : SIM_OK);
            snprintf(says, sizeof says,
                     " calls deep in f and overflows its stack: cudaLimitStackSize is %u,%03u",
                     l.stack / 1000, l.stack % 1000);
            if (more) CHECK(r.finding_count == 1 && strstr(said(&r.findings[0].said), says));
            sim_result_free(&r);
            sim_module_free(mod);
            sim_device_free(d);
        }
}

/* Only variables of global and constant memory have a place of their own in a module. */
static void test_symbols(void) {
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".shared .align 4 .b8 sh[64];\n.global .align 4 .b8 gl[24];\n.const .align 4 .b8 co[12];\n"
        ".extern .shared .align 4 .b8 dyn[];\n.visible .entry k() { ret; }\n";
    lib_message m = {0};
    sim_device *d = device(1);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = sim_module_new(d, text, strlen(text), &mo, &m);
    CHECK_STR(said(&m), "");
    static const struct {
        const char *name;
        uint64_t bytes; /* 0: none */
    } rows[] = {{"gl", 24}, {"co", 12}, {"sh", 0}, {"dyn", 0}, {"g", 0}};
    for (size_t k = 0; mod && k < sizeof rows / sizeof *rows; k++) {
        sim_addr at = 0;
        uint64_t n = 0;
        CHECK((sim_module_symbol(mod, rows[k].name, &at, &n) == SIM_OK) == (rows[k].bytes > 0));
        if (rows[k].bytes) CHECK(at && n == rows[k].bytes);
    }
    sim_module_free(mod);
    sim_device_free(d);
}

static void test_vecadd(void) {
    enum { N = 1003 };
    lib_message m;
    sim_device *d = device(2);
    CHECK(d != NULL);
    if (!d) return;
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = sim_module_new(d, vecadd, strlen(vecadd), &mo, &m);
    if (!CHECK(mod != NULL)) {
        printf("# %s\n", said(&m));
        return;
    }
    float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (float)i, b[i] = 0.5f * (float)i;
    sim_addr p[3];
    for (int i = 0; i < 3; i++) CHECK_INT(sim_malloc(d, sizeof a, &p[i]), SIM_OK);
    sim_write(d, p[0], a, sizeof a);
    sim_write(d, p[1], b, sizeof b);
    struct {
        sim_addr a, b, c;
        unsigned n;
    } params = {p[0], p[1], p[2], N};
    sim_launch l = {.kernel = sim_module_kernel(mod, "vecadd"),
                    .grid = {4, 1, 1},
                    .block = {256, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
    if (lib_message_any(&m)) printf("# %s\n", said(&m));
    CHECK_INT(sim_read(d, c, p[2], sizeof c), SIM_OK);
    int bad = 0;
    for (int i = 0; i < N; i++) bad += c[i] != 1.5f * (float)i;
    CHECK_INT(bad, 0);
    CHECK_INT(r.finding_count, 0);
    /* 32 warps; 31 x 32 + 11 = 1003 elements in 126 sectors (125 x 8 + 3); two loads, one store */
    CHECK_INT(r.counters.gld_requests, 64);
    CHECK_INT(r.counters.gst_requests, 32);
    CHECK_INT(r.counters.gld_sectors, 252);
    CHECK_INT(r.counters.gst_sectors, 126);
    CHECK_INT(r.counters.gld_bytes, 2 * 4 * N);
    CHECK_INT(r.counters.gst_bytes, 4 * N);
    /* 10 instructions up to the branch and the ret for all 1024 threads, 11 for 1003 */
    CHECK_INT(r.counters.thread_inst, 11 * 1024 + 11 * N);
    CHECK_INT(r.counters.warp_inst, 11 * 32 + 11 * 32);
    CHECK_INT(r.counters.branches, 32);
    CHECK_INT(r.counters.divergent_branches, 1);
    CHECK_INT(r.counters.inst_fp32, N);
    CHECK_INT(r.counters.flop_sp, N);
    CHECK(r.time_us > 0);
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
}

/* What a caller says about managed variables: `lie` 1: nothing, 2: memory of another size, 3:
 * device memory. */
typedef struct {
    sim_device *d;
    int lie;
    bool fresh;
    unsigned calls;
    int memory[2][64];
} host_side;
static sim_status place(void *user, sim_managed *v, size_t n, bool *fresh) {
    host_side *h = user;
    h->calls++;
    *fresh = h->fresh;
    if (n != 2 || h->lie == 1) return SIM_OK;
    for (size_t i = 0; i < n; i++) {
        v[i].at = 0x2d0000000000 + 4096 * i;
        if (h->lie == 3) sim_malloc(h->d, v[i].bytes, &v[i].at);
        else if (h->fresh) sim_map(h->d, h->memory[i], v[i].bytes + (h->lie == 2), v[i].at, false);
    }
    return SIM_OK;
}

static void test_managed(void) {
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".global .attribute(.managed) .align 4 .u32 x = 5;\n"
                               ".global .align 8 .u64 p = generic(x);\n"
                               ".global .align 4 .u32 plain = 7;\n"
                               ".global .attribute(.managed) .align 4 .b8 table[128];\n";
    lib_message m;
    host_side h = {.d = device(1), .fresh = true};
    sim_module_options mo = {.ptxas = "", .managed = place, .managed_user = &h};
    for (h.lie = 1; h.lie <= 3; h.lie++) {
        CHECK(!sim_module_new(h.d, text, strlen(text), &mo, &m));
        CHECK_CONTAINS(said(&m), "__managed__");
        if (h.lie == 2)
            for (int i = 0; i < 2; i++)
                CHECK_INT(sim_unmap(h.d, 0x2d0000000000 + 4096ull * (unsigned)i), SIM_OK);
    }
    h.lie = 0;
    sim_module *mod = sim_module_new(h.d, text, strlen(text), &mo, &m);
    if (!CHECK(mod != NULL)) {
        printf("# %s\n", said(&m));
        return;
    }
    sim_addr x, p, plain;
    uint64_t n, pointer;
    int value = 0;
    CHECK_INT(sim_module_symbol(mod, "x", &x, &n), SIM_OK);
    CHECK_INT(x, 0x2d0000000000);
    CHECK_INT(h.memory[0][0], 5);
    sim_module_symbol(mod, "p", &p, &n), sim_module_symbol(mod, "plain", &plain, &n);
    CHECK_INT(sim_read(h.d, &pointer, p, sizeof pointer), SIM_OK);
    CHECK_INT(pointer, x);
    /* A reset leaves it; a second module of the same variables finds what is there. */
    h.memory[0][0] = 8;
    CHECK_INT(sim_write(h.d, plain, &value, sizeof value), SIM_OK);
    sim_module_reset(mod);
    CHECK_INT(h.memory[0][0], 8);
    sim_read(h.d, &value, plain, sizeof value);
    CHECK_INT(value, 7);
    h.fresh = false;
    sim_module *again = sim_module_new(h.d, text, strlen(text), &mo, &m);
    CHECK(again != NULL);
    CHECK_INT(h.memory[0][0], 8);
    sim_module_free(again);
    sim_module_free(mod);
    CHECK_INT(sim_unmap(h.d, x), SIM_OK); /* it was not the module's to release */
    CHECK_INT(h.calls, 5);
    /* Nobody asked: a variable like the others. */
    mo.managed = NULL;
    mod = sim_module_new(h.d, text, strlen(text), &mo, &m);
    CHECK_INT(sim_module_symbol(mod, "x", &x, &n), SIM_OK);
    sim_read(h.d, &value, x, sizeof value);
    CHECK_INT(value, 5);
    sim_module_free(mod);
    sim_device_free(h.d);
}

/* Every block stores for ever, to more lines than a block's accesses are kept for: those above the
 * one that fails wait for their turn at L2, and must not wait for one that never comes. */
static const char endless[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry endless(.param .u64 a)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<6>;\n"
    "ld.param.u64 %d1, [a];\ncvta.to.global.u64 %d2, %d1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, "
    "%r1, "
    "128;\n"
    "add.s64 %d4, %d2, %d3;\n$again:\nst.global.u32 [%d4], %r1;\nld.global.u32 %r2, [%d4];\n"
    "bra.uni $again;\n}\n";

static void test_endless(void) {
    lib_message m;
    sim_options o;
    sim_options_default(&o);
    o.threads = 3;
    o.inst_budget = 1 << 24; /* 2^19 warp instructions, a third of them stores to 32 lines */
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = d ? sim_module_new(d, endless, strlen(endless), &mo, &m) : NULL;
    sim_addr a;
    if (!CHECK(mod && !sim_malloc(d, 4096, &a))) return;
    sim_launch l = {.kernel = sim_module_kernel(mod, "endless"),
                    .grid = {64, 1, 1},
                    .block = {32, 1, 1},
                    .params = &a,
                    .param_bytes = sizeof a};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_BUDGET);
    CHECK_CONTAINS(said(&m), "endless loop");
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
}

/* What inst_div counts, per lane whose guard holds: the exact divisions of every type, remainders
 * and reciprocals; not the approximate ones, not roots, not a product with a reciprocal. */
static void test_divisions(void) {
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n.reg .f64 %g<4>;\n"
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 5;\nadd.u32 %r1, %r1, 1;\n"
        "mov.u64 %d1, 7;\nmov.f32 %f1, 0f3f800000;\nmov.f64 %g1, 0d3ff0000000000000;\n"
        /* nine that count, for 40 lanes each */
        "div.u32 %r2, %r1, %r1;\nrem.s32 %r2, %r1, %r1;\ndiv.s64 %d2, %d1, %d1;\n"
        "rem.u64 %d2, %d1, %d1;\ndiv.rn.f32 %f2, %f1, %f1;\nrcp.rn.f32 %f2, %f1;\n"
        "div.rn.ftz.f32 %f2, %f1, %f1;\ndiv.rn.f64 %g2, %g1, %g1;\nrcp.rn.f64 %g2, %g1;\n"
        /* one for 5 lanes */
        "@%p div.s32 %r2, %r1, %r1;\n"
        /* none */
        "div.approx.f32 %f2, %f1, %f1;\ndiv.full.f32 %f2, %f1, %f1;\nrcp.approx.f32 %f2, %f1;\n"
        "sqrt.rn.f32 %f2, %f1;\nsqrt.rn.f64 %g2, %g1;\nrsqrt.approx.f32 %f2, %f1;\n"
        "mul.hi.u32 %r2, %r1, -858993459;\nshr.u32 %r2, %r2, 3;\nret;\n}\n";
    lib_message m;
    sim_device *d = device(1);
    sim_module *mod = d ? sim_module_new(d, text, strlen(text), NULL, &m) : NULL;
    if (!CHECK(mod != NULL)) return;
    sim_launch l = {.kernel = sim_module_kernel(mod, "k"), .grid = {1, 1, 1}, .block = {40, 1, 1}};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
    CHECK_INT(r.counters.inst_div, 9 * 40 + 5);
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
}

/* Memory that stays on the host: what a kernel reads and writes there crosses the link, once
 * each. */
static void test_remote(void) {
    enum { N = 4096 };
    lib_message m;
    for (unsigned remote = 0; remote < 8; remote++) { /* a, b and c: a bit each */
        sim_device *d = device(1);
        sim_module_options mo = {.ptxas = ""};
        sim_module *mod = d ? sim_module_new(d, vecadd, strlen(vecadd), &mo, &m) : NULL;
        if (!CHECK(mod != NULL)) return;
        float *host[3];
        struct {
            sim_addr p[3];
            unsigned n;
        } params = {.n = N};
        for (unsigned i = 0; i < 3; i++) {
            host[i] = aligned_alloc(4096, N * sizeof(float));
            for (unsigned k = 0; k < N; k++) host[i][k] = (float)(k + i);
            params.p[i] = 0x200000000000 + ((sim_addr)i << 20);
            CHECK_INT(sim_map(d, host[i], N * sizeof(float), params.p[i], remote >> i & 1), SIM_OK);
        }
        sim_launch l = {.kernel = sim_module_kernel(mod, "vecadd"),
                        .grid = {N / 256, 1, 1},
                        .block = {256, 1, 1},
                        .params = &params,
                        .param_bytes = sizeof params};
        sim_result r;
        CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
        unsigned wrong = 0;
        for (unsigned k = 0; k < N; k++) wrong += host[2][k] != (float)(2 * k + 1);
        CHECK_INT(wrong, 0);
        CHECK_NEAR(r.link_bytes, 4.0 * N * __builtin_popcount(remote), 0);
        sim_result_free(&r);
        sim_module_free(mod);
        sim_device_free(d);
        for (unsigned i = 0; i < 3; i++) free(host[i]);
    }
}

/* Without a line table costs are told by lines of the PTX, those of functions that are called among
 * them, wherever they stand. */
static void test_lines(void) {
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".func (.param .b32 r) first(.param .b64 p);\n"
                               ".func (.param .b32 r) last(.param .b64 p);\n"
                               ".func (.param .b32 r) first(.param .b64 p) { .reg .b64 %rd<2>;\n"
                               ".reg .b32 %r<2>; ld.param.b64 %rd1, [p];\n"
                               "ld.global.b32 %r1, [%rd1];\n" /* line 8 */
                               "st.param.b32 [r], %r1; ret; }\n"
                               ".visible .entry k(.param .u64 x) { .reg .b64 %rd<3>;\n"
                               ".reg .b32 %r<4>; ld.param.b64 %rd1, [x];\n"
                               "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1;\n"
                               "call.uni (b), first, (a); ld.param.b32 %r1, [b]; }\n"
                               "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1;\n"
                               "call.uni (b), last, (a); ld.param.b32 %r2, [b]; }\n"
                               "add.u32 %r3, %r1, %r2;\n"
                               "st.global.u32 [%rd1], %r3;\n" /* line 17 */
                               "ret; }\n"
                               ".func (.param .b32 r) last(.param .b64 p) { .reg .b64 %rd<2>;\n"
                               ".reg .b32 %r<3>; ld.param.b64 %rd1, [p];\n"
                               "ld.global.b32 %r1, [%rd1];\n" /* line 21 */
                               "ld.global.b32 %r2, [%rd1+64];\n"
                               "add.u32 %r1, %r1, %r2;\n"
                               "st.param.b32 [r], %r1; ret; }\n";
    static const struct {
        unsigned line;
        uint64_t loads, stores;
    } want[] = {{8, 3, 0}, {17, 0, 3}, {21, 3, 0}, {22, 3, 0}};
    lib_message m = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_device *d = device(1);
    sim_module *mod = d ? sim_module_new(d, text, strlen(text), &mo, &m) : NULL;
    CHECK_STR(said(&m), "");
    if (!mod) return;
    sim_addr x;
    sim_malloc(d, 256, &x);
    sim_fill(d, x, 0, 4, 64);
    sim_launch l = {.kernel = sim_module_kernel(mod, "k"),
                    .grid = {1, 1, 1},
                    .block = {96, 1, 1},
                    .params = &x,
                    .param_bytes = 8};
    sim_result r;
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
    CHECK_INT(r.counters.gld_requests, 9);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        uint64_t loads = 0, stores = 0;
        for (size_t i = 0; i < r.line_count; i++)
            if (r.lines[i].line == want[k].line) {
                loads += r.lines[i].counters.gld_requests;
                stores += r.lines[i].counters.gst_requests;
            }
        CHECK_INT(loads, want[k].loads);
        CHECK_INT(stores, want[k].stores);
    }
    CHECK(r.time_us > 0);
    /* without machine code it is not known where warps wait */
    for (size_t i = 0; i < r.line_count; i++)
        for (unsigned k = 0; k < SIM_STALL_COUNT; k++) CHECK(r.lines[i].stall_us[k] == 0);
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
}

/* Each index of a round has run once when the round returns, also where the caller is done
 * first. */
enum { WORKERS = 4 };
static void pool_job(void *arg, unsigned index) {
    _Atomic unsigned *ran = arg;
    if (index) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (index < WORKERS) ran[index]++;
}
static void test_pool(void) {
    static const unsigned rounds[] = {1, 2, WORKERS, 1, WORKERS, 3};
    sim_pool *p = sim_pool_new(WORKERS);
    if (!CHECK(p != NULL)) return;
    CHECK_INT(sim_pool_size(p), WORKERS);
    for (size_t k = 0; k < sizeof rounds / sizeof *rounds; k++) {
        _Atomic unsigned ran[WORKERS] = {0};
        unsigned n = rounds[k], right = 0;
        CHECK_INT(sim_pool_start(p, n), n);
        sim_pool_run(p, n, pool_job, ran);
        for (unsigned i = 0; i < WORKERS; i++) right += ran[i] == (i < n);
        CHECK_INT(right, WORKERS);
    }
    sim_pool_free(p);
}

/* What a function was given, and what it is to give back, it may hand to the next one as they are:
 * each lane has its own, however many sixteens of bytes the two take (here two and one). */
static void test_handed_on(void) {
#define THREE "(.param .b64 a, .param .b64 b, .param .b64 c)"
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".func (.param .b32 r) last" THREE " {\n.reg .b64 %d<4>; .reg .b32 %r<2>;\n"
        "ld.param.b64 %d1, [a]; ld.param.b64 %d2, [b]; ld.param.b64 %d3, [c];\n"
        "sub.u64 %d1, %d1, %d2; add.u64 %d1, %d1, %d3;\n"
        "cvt.u32.u64 %r1, %d1; st.param.b32 [r], %r1; ret; }\n"
        ".func (.param .b32 r) first" THREE " { call (r), last, (c, a, b); ret; }\n"
        ".visible .entry k(.param .u64 x) { .reg .b64 %d<6>; .reg .b32 %r<3>;\n"
        "ld.param.u64 %d1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"
        "add.u64 %d1, %d1, %d2; mul.wide.u32 %d3, %r1, 7; mul.wide.u32 %d4, %r1, 100;\n"
        "mul.wide.u32 %d5, %r1, 3000;\n{ .param .b64 a; .param .b64 b; .param .b64 c;\n"
        ".param .b32 r; st.param.b64 [a], %d3; st.param.b64 [b], %d4; st.param.b64 [c], %d5;\n"
        "call (r), first, (a, b, c); ld.param.b32 %r2, [r]; }\n"
        "st.global.u32 [%d1], %r2; ret; }\n";
#undef THREE
    lib_message m = {0};
    sim_module_options mo = {.ptxas = ""};
    sim_device *d = device(1);
    sim_module *mod = d ? sim_module_new(d, text, strlen(text), &mo, &m) : NULL;
    CHECK_STR(said(&m), "");
    if (!mod) return;
    sim_addr x;
    uint32_t got[32] = {0};
    sim_malloc(d, sizeof got, &x);
    sim_launch l = {.kernel = sim_module_kernel(mod, "k"),
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &x,
                    .param_bytes = 8};
    sim_result r = {0};
    CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
    CHECK_INT(sim_read(d, got, x, sizeof got), SIM_OK);
    for (unsigned k = 0; k < 32; k++) CHECK_INT(got[k], (3000 - 7 + 100) * k);
    sim_result_free(&r);
    sim_module_free(mod);
    sim_device_free(d);
}

int main(void) {
    test_pool();
    test_lines();
    test_handed_on();
    test_remote();
    test_vecadd();
    test_stack();
    test_symbols();
    test_managed();
    test_endless();
    test_divisions();
    return check_done();
}
