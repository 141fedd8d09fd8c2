/* alloca, stacksave and stackrestore (PTX ISA 9.7.9.17 to 9.7.9.19), kernel by kernel. Expected:
 * the ISA's words (aligned to what is asked for, 8 at least; freed by a return and by
 * stackrestore), a stack of sim_launch.stack bytes that known variables are part of, and a request
 * for each access of a warp. */
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "runner/device/sim/sim.h"
#include <stdlib.h>

static sim_device *d;
static sim_result r;

/* A kernel k(out) of one warp with this body and a stack of so many bytes, and functions before it;
 * what it has written to out[0..31] of 64 bits. */
static sim_status run(const char *functions, const char *body, uint32_t stack, uint64_t *out) {
    char text[4000];
    lib_message m = {0};
    sim_addr at = 0;
    sim_status s = SIM_NOT_FOUND;
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_80\n.address_size 64\n%s\n.visible .entry k(.param .u64 out) "
        "{\n.reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .pred %%p<4>;\nld.param.u64 %%d0, "
        "[out]; mov.u32 %%r0, %%tid.x; mad.wide.u32 %%d0, %%r0, 8, %%d0;\n%s\nret;\n}\n",
        functions, body);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = sim_module_new(d, text, strlen(text), &mo, &m);
    CHECK_STR(said(&m), "");
    CHECK(!sim_malloc(d, 256, &at));
    sim_launch l = {.kernel = mod ? sim_module_kernel(mod, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {32, 1, 1},
                    .params = &at,
                    .param_bytes = 8,
                    .stack = stack};
    if (l.kernel) s = sim_run(d, &l, &r, &m);
    if (out) CHECK(!sim_read(d, out, at, 256));
    sim_free(d, at);
    sim_module_free(mod);
    return s;
}

static bool says(const char *words) {
    bool found = r.finding_count == 1 && strstr(said(&r.findings[0].said), words);
    if (!found) printf("# %s\n", r.finding_count ? said(&r.findings[0].said) : "no finding");
    return found;
}

static void test_aligned(void) {
    static const unsigned aligns[] = {0, 1, 2, 8, 16, 64, 256};
    for (size_t k = 0; k < sizeof aligns / sizeof *aligns; k++) {
        char body[400], asked[20] = "";
        uint64_t out[32];
        unsigned want = aligns[k] > 8 ? aligns[k] : 8, bad = 0;
        if (aligns[k]) snprintf(asked, sizeof asked, ", %u", aligns[k]);
        /* Lanes take 3 + lane bytes first, so that each has to be aligned by itself. */
        snprintf(body, sizeof body,
                 "add.u32 %%r1, %%r0, 3; alloca.u32 %%r2, %%r1; cvt.u64.u32 %%d1, 5;\n"
                 "alloca.u64 %%d2, %%d1%s; cvt.u64.u32 %%d3, %%r2; shl.b64 %%d3, %%d3, 32;\n"
                 "or.b64 %%d2, %%d2, %%d3; st.global.u64 [%%d0], %%d2;",
                 asked);
        CHECK_INT(run("", body, 0, out), SIM_OK);
        for (unsigned l = 0; l < 32; l++) {
            uint64_t first = out[l] >> 32, second = (uint32_t)out[l];
            bool apart = second >= first + 3 + l || first >= second + 5;
            bad += first % 8 || second % want || !apart;
        }
        CHECK_INT(bad, 0);
        sim_result_free(&r);
    }
}

/* stackrestore gives back what was allocated since; a loop of both takes no more than one round. */
static void test_restored(void) {
    uint64_t out[32];
    unsigned bad = 0;
    CHECK_INT(
        run("",
            "stacksave.u64 %d1; mov.u32 %r1, 0; add.u32 %r2, %r0, 200; cvt.u64.u32 %d4, %r2;\n"
            "again: alloca.u64 %d2, %d4; st.local.u32 [%d2+196], %r1; ld.local.u32 %r3, "
            "[%d2+196]; setp.ne.u32 %p1, %r3, %r1; @%p1 trap;\n"
            "stackrestore.u64 %d1; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 100; @%p0 bra "
            "again;\nstacksave.u64 %d3; sub.u64 %d3, %d3, %d1; st.global.u64 [%d0], %d3;",
            256, out),
        SIM_OK);
    for (unsigned l = 0; l < 32; l++) bad += out[l] != 0;
    CHECK_INT(bad, 0);
    /* One store and one load a round; all lanes at one address: a line of 128 bytes, four
     * sectors. */
    CHECK_INT(r.counters.local_st_requests, 100);
    CHECK_INT(r.counters.local_ld_requests, 100);
    CHECK_INT(r.counters.local_ld_sectors, 400);
    sim_result_free(&r);
    /* What it frees was allocated by this call. */
    CHECK_INT(run("", "stacksave.u64 %d1; add.u64 %d1, %d1, 8; stackrestore.u64 %d1;", 0, NULL),
              SIM_ILLEGAL_ADDRESS);
    CHECK(says("restores the stack pointer to 0x8, which no stacksave of this call gave"));
    sim_result_free(&r);
    CHECK_INT(run(".func f(.param .b64 to) { .reg .b64 %d; ld.param.b64 %d, [to]; stackrestore.u64 "
                  "%d; ret; }",
                  "stacksave.u64 %d1; { .param .b64 a; st.param.b64 [a], %d1; call f, (a); }", 0,
                  NULL),
              SIM_ILLEGAL_ADDRESS);
    CHECK(says("which no stacksave of this call gave"));
    sim_result_free(&r);
}

/* A return frees; what the caller has allocated stays its own, whichever lanes call. */
static void test_calls(void) {
    static const char f[] =
        ".func f(.param .b32 n) { .local .align 4 .b32 v[2]; .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
        "ld.param.b32 %r1, [n]; cvt.u64.u32 %d1, %r1; alloca.u64 %d2, %d1; st.local.u32 [%d2], -1;"
        "st.local.u32 [v], -1; st.local.u32 [v+4], -1; ret; }";
    uint64_t out[32];
    unsigned bad = 0;
    CHECK_INT(run(f,
                  "mul.lo.u32 %r1, %r0, 4; add.u32 %r1, %r1, 4; alloca.u32 %r2, %r1; mov.u32 %r3, "
                  "0;\nadd.u32 %r4, %r2, %r1; st.local.u32 [%r4-4], %r0;\n"
                  "again: and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra past;\n"
                  "{ .param .b32 a; st.param.b32 [a], 200; call f, (a); }\n"
                  "past: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 20; @%p0 bra again;\n"
                  "ld.local.u32 %r6, [%r4-4]; cvt.u64.u32 %d1, %r6; st.global.u64 [%d0], %d1;",
                  512, out),
              SIM_OK);
    for (unsigned l = 0; l < 32; l++) bad += out[l] != l;
    CHECK_INT(bad, 0);
    sim_result_free(&r);
    /* 128 bytes of the caller, 16 for the call, 16 of f's own: 352 of 512 are left. */
    for (unsigned n = 352; n <= 353; n++) {
        char body[200];
        snprintf(body, sizeof body,
                 "alloca.u64 %%d1, 128; { .param .b32 a; st.param.b32 [a], %u; call f, (a); }", n);
        CHECK_INT(run(f, body, 512, NULL), n > 352 ? SIM_STACK_OVERFLOW : SIM_OK);
        if (n > 352)
            CHECK(says("allocates 353 bytes, but its stack of 512 bytes (cudaLimitStackSize) has "
                       "352 left"));
        sim_result_free(&r);
    }
    /* No room for the call itself. */
    CHECK_INT(run(f, "alloca.u64 %d1, 500; { .param .b32 a; st.param.b32 [a], 0; call f, (a); }",
                  512, NULL),
              SIM_ILLEGAL_ADDRESS);
    CHECK(
        says("is 1 calls deep in f and overflows its stack: cudaLimitStackSize is 512 bytes, this "
             "call needs 544"));
    sim_result_free(&r);
}

/* As an H200 does: the limit is of all, .local variables included, and at least they fit. */
static void test_limit(void) {
    static const struct {
        unsigned own, stack;
        const char *bytes, *left; /* NULL: they fit */
    } rows[] = {{0, 0, "1024", NULL},
                {0, 0, "1025", "1,024"},
                {512, 0, "512", NULL},
                {512, 0, "513", "512"},
                {512, 4096, "3584", NULL},
                {4000, 0, "0", NULL},
                {4000, 0, "1", "0"},
                {0, 0, "0xffffffffffffffff", "1,024"},
                {16, 0, "0xfffffffffffffff8", "1,008"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char body[300], left[40];
        snprintf(body, sizeof body,
                 ".local .align 8 .b8 v[%u]; st.local.u8 [v], 1; mov.u64 %%d1, %s; alloca.u64 "
                 "%%d2, %%d1;",
                 rows[k].own ? rows[k].own : 1, rows[k].bytes);
        if (!rows[k].own)
            snprintf(body, sizeof body, "mov.u64 %%d1, %s; alloca.u64 %%d2, %%d1;", rows[k].bytes);
        CHECK_INT(run("", body, rows[k].stack, NULL), rows[k].left ? SIM_STACK_OVERFLOW : SIM_OK);
        snprintf(left, sizeof left, "has %s left", rows[k].left ? rows[k].left : "");
        if (rows[k].left) CHECK(says(left));
        sim_result_free(&r);
    }
    CHECK_INT(run("", "alloca.u32 %r1, 4, 8388608; alloca.u32 %r2, 4, 8388608;", 0, NULL),
              SIM_STACK_OVERFLOW);
    CHECK(says("allocates 4 bytes, but its stack of 1,024 bytes (cudaLimitStackSize) has 0 left"));
    sim_result_free(&r);
    /* The limit counts for recursion, too: three calls of 160 + 16 bytes beside 128 of the
     * kernel's, as an H200 has room for at 1,024 (it takes more of it a call: four are too many
     * there). */
    static const char down[] =
        ".func f(.param .b32 n) { .local .b8 v[160]; .reg .b32 %r<3>; .reg .pred %p;\n"
        "ld.param.b32 %r1, [n]; st.local.u8 [v], %r1; setp.eq.u32 %p, %r1, 0; @%p bra done;\n"
        "sub.u32 %r2, %r1, 1; { .param .b32 a; st.param.b32 [a], %r2; call f, (a); } done: ret; }";
    static const struct {
        unsigned calls, stack;
        sim_status is;
    } deep[] = {{3, 0, SIM_OK},
                {6, 0, SIM_ILLEGAL_ADDRESS},
                {60, 0, SIM_ILLEGAL_ADDRESS},
                {60, 16384, SIM_OK},
                {100, 16384, SIM_ILLEGAL_ADDRESS}};
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
        char body[200];
        snprintf(body, sizeof body,
                 ".local .b8 v[128]; st.local.u8 [v], 1; { .param .b32 a; st.param.b32 [a], %u; "
                 "call f, (a); }",
                 deep[k].calls - 1);
        CHECK_INT(run(down, body, deep[k].stack, NULL), deep[k].is);
        if (deep[k].is && !deep[k].stack)
            CHECK(says("cudaLimitStackSize is 1,024 bytes, this call needs 1,184; "
                       "cudaDeviceSetLimit(cudaLimitStackSize, BYTES) raises it"));
        sim_result_free(&r);
    }
}

/* Too deep, with stack left; and a name that would leave no room for the numbers. */
static void test_deep(void) {
    static const char name[] = "a_very_long_name_of_a_function_as_compilers_make_them_of_templates_"
                               "with_many_arguments_and_namespaces_each_of_which_is_written_out";
    char down[1000], call[300];
    for (unsigned k = 0; k < 2; k++) {
        snprintf(down, sizeof down,
                 ".func %s(.param .b32 n) { %s .reg .b32 %%r<3>; .reg .pred %%p;\n"
                 "ld.param.b32 %%r1, [n]; setp.eq.u32 %%p, %%r1, 0; @%%p bra done;\n"
                 "sub.u32 %%r2, %%r1, 1; { .param .b32 a; st.param.b32 [a], %%r2; call %s, (a); } "
                 "done: ret; }",
                 name, k ? ".local .b8 v[4080];" : "", name);
        snprintf(call, sizeof call, "{ .param .b32 a; st.param.b32 [a], 5000; call %s, (a); }",
                 name);
        CHECK_INT(run(down, call, 512 << 10, NULL), k ? SIM_ILLEGAL_ADDRESS : SIM_STACK_OVERFLOW);
        CHECK(
            says(k ? "cudaLimitStackSize is 524,288 bytes" : ": no more than 4,096 are simulated"));
        sim_result_free(&r);
    }
}

int main(void) {
    sim_options o;
    lib_message m;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &m);
    CHECK(d);
    if (!d) return check_done();
    test_aligned();
    test_restored();
    test_calls();
    test_limit();
    test_deep();
    sim_device_free(d);
    return check_done();
}
