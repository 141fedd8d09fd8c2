/* The slow paths of exact division, reciprocal and square root: which operands take them and what
 * that costs, as an H100 has it. Each number was measured there: cycles around one instruction for
 * all exponents, and 64 in a row by one warp and by eight on a scheduler. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/sim.h"
#include "runner/device/sim/time/slow.h"
#include "tests/check.h"
#include "tests/said.h"

static lib_message msg;

/* `text` is one instruction. */
static const ptx_insn *instruction(const char *text, ptx_module **m) {
    char all[400];
    snprintf(
        all, sizeof all,
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){ .reg .f32 %%f<9>; .reg .f64 "
        "%%g<9>;\n%s\nret; }",
        text);
    *m = ptx_parse(all, strlen(all), &msg);
    CHECK_STR(said(&msg), "");
    return *m ? (*m)->funcs[0]->insns : NULL;
}

static float float_of(unsigned exponent, uint32_t mantissa) {
    uint32_t bits = exponent << 23 | mantissa;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double double_of(unsigned exponent) {
    uint64_t bits = (uint64_t)exponent << 52 | 0x5555555555555;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The dividend's exponents, [first, last], that are divided by the short sequence; the others were
 * 200 to 480 cycles later. first > last: none. */
static void quotients(void) {
    static const struct {
        unsigned divisor;
        int first, last;
    } rows[] = {
        {0, 1, 0},      {1, 1, 0},      {2, 25, 128},    {5, 25, 131},   {30, 25, 156},
        {126, 25, 252}, {127, 25, 253}, {128, 25, 254},  {149, 25, 254}, {150, 26, 254},
        {158, 34, 254}, {174, 50, 254}, {251, 127, 254}, {252, 1, 0},    {255, 1, 0},
    };
    ptx_module *m;
    const ptx_insn *i = instruction("div.rn.f32 %f1,%f2,%f3;", &m);
    for (unsigned k = 0; i && k < sizeof rows / sizeof *rows; k++)
        for (unsigned mantissa = 0; mantissa < 2; mantissa++) {
            unsigned wrong = 0;
            for (int e = 0; e < 256; e++) {
                float a[32], b[32];
                for (unsigned l = 0; l < 32; l++) {
                    a[l] = b[l] = 1; /* beside one lane */
                    if (l == 7) {
                        a[l] = float_of((unsigned)e, mantissa * 0x2aaaab);
                        b[l] = float_of(rows[k].divisor, 0);
                    }
                }
                bool fast = e >= rows[k].first && e <= rows[k].last;
                wrong += (sim_slow_why(i, a, b, ~0u) == 0) != fast;
                wrong += sim_slow_why(i, a, b, ~0u & ~(1u << 7)) != 0; /* it is not on */
            }
            printf("# by exponent %u\n", rows[k].divisor);
            CHECK_INT(wrong, 0);
        }
    ptx_free(m);
}

static void of_one_number(void) {
    static const struct {
        const char *text;
        bool wide;
        unsigned first, last; /* exponents of positive numbers that go the short way */
    } rows[] = {
        {"rcp.rn.f32 %f1,%f2;", false, 1, 252},      {"sqrt.rn.f32 %f1,%f2;", false, 26, 254},
        {"rcp.rn.f64 %g1,%g2;", true, 1, 2044},      {"sqrt.rn.f64 %g1,%g2;", true, 53, 2046},
        {"div.rn.f64 %g1,%g2,%g3;", true, 54, 2039}, /* by a little more than 1 */
    };
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_module *m;
        const ptx_insn *i = instruction(rows[k].text, &m);
        unsigned wrong = 0;
        for (unsigned e = 0; i && e < (rows[k].wide ? 2048u : 256u); e++) {
            float f[32];
            double d[32], by[32];
            for (unsigned l = 0; l < 32; l++) {
                f[l] = float_of(e, 0x2aaaab);
                d[l] = double_of(e);
                by[l] = 1.0625;
            }
            bool fast = e >= rows[k].first && e <= rows[k].last;
            wrong += (sim_slow_why(i, rows[k].wide ? (void *)d : f, by, ~0u) == 0) != fast;
        }
        printf("# %s\n", rows[k].text);
        CHECK_INT(wrong, 0);
        ptx_free(m);
    }
    /* Other roundings, and what is no exact operation, have none. */
    static const char *const none[] = {"div.rz.f32 %f1,%f2,%f3;", "div.full.f32 %f1,%f2,%f3;",
                                       "rcp.approx.f32 %f1,%f2;", "mul.rn.f32 %f1,%f2,%f3;",
                                       "sqrt.rm.f64 %g1,%g2;"};
    for (unsigned k = 0; k < sizeof none / sizeof *none; k++) {
        ptx_module *m;
        const ptx_insn *i = instruction(none[k], &m);
        CHECK(i && !sim_slow_path_of(i));
        ptx_free(m);
    }
}

/* Cycles for one more instruction in a row: of one warp, or of a warp on a scheduler with eight. */
static double cycles(sim_device *d, const char *text, double a, double b, unsigned threads) {
    double us[2] = {0};
    sim_addr out;
    if (sim_malloc(d, 1 << 20, &out) != SIM_OK) return 0;
    for (unsigned n = 0; n < 2; n++) {
        char all[4096];
        int at = snprintf(all, sizeof all,
                          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param "
                          ".u64 p, .param .f32 a, .param .f32 b, .param .f64 c, .param .f64 d){\n"
                          ".reg .f32 %%f<9>; .reg .f64 %%g<9>; .reg .b64 %%d<4>; .reg .b32 %%r<4>; "
                          ".reg .pred %%p<2>;\nld.param.f32 %%f2,[a]; ld.param.f32 %%f3,[b]; "
                          "ld.param.f64 %%g2,[c]; ld.param.f64 %%g3,[d]; ld.param.u64 %%d1,[p];\n"
                          "mov.u32 %%r1,0; mov.f32 %%f4,0f00000000; mov.f64 "
                          "%%g4,0d0000000000000000;\nL:\n");
        for (unsigned k = 0; k < 16; k++) /* and a sum, as it was measured */
            at += snprintf(all + at, sizeof all - (size_t)at, "%s\n%s\n", text,
                           strstr(text, "f64") ? "add.f64 %g4,%g4,%g1;" : "add.f32 %f4,%f4,%f1;");
        snprintf(all + at, sizeof all - (size_t)at,
                 "add.u32 %%r1,%%r1,1; setp.lt.u32 %%p1,%%r1,%u; @%%p1 bra L;\n"
                 "st.global.f32 [%%d1],%%f4; st.global.f64 [%%d1+8],%%g4; ret; }",
                 n ? 40 : 8);
        sim_module *m = sim_module_new(d, all, strlen(all), NULL, &msg);
        CHECK_STR(said(&msg), "");
        sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
        if (!k) return 0;
        struct {
            uint64_t p;
            float a, b;
            double c, d;
        } params = {out, (float)a, (float)b, a, b};
        if (strstr(text, "f64")) params.a = params.b = 1;
        sim_launch l = {.kernel = k,
                        .params = &params,
                        .param_bytes = sizeof params,
                        .grid = {1, 1, 1},
                        .block = {threads, 1, 1}};
        sim_result r;
        CHECK_INT(sim_run(d, &l, &r, &msg), SIM_OK);
        us[n] = r.time_us;
        sim_result_free(&r);
        sim_module_free(m);
    }
    sim_free(d, out);
    return (us[1] - us[0]) * 1.98e3 / (32 * 16) / (threads > 128 ? threads / 128.0 : 1);
}

static void costs(void) {
    static const struct {
        const char *text;
        double a, b, alone, many; /* an H100's cycles */
    } rows[] = {
        {"div.rn.f32 %f1,%f2,%f3;", 0, 1.25, 267, 59.6},
        {"div.rn.f32 %f1,%f2,%f3;", 1e-40, 1.25, 524, 139.3},
        {"div.rn.f32 %f1,%f2,%f3;", 1e-40, 1e-30, 426, 98.1},
        {"div.rn.f32 %f1,%f2,%f3;", 1e-20, 1e20, 394, 105.6},
        {"rcp.rn.f32 %f1,%f3;", 1, 0, 216, 36.1},
        {"rcp.rn.f32 %f1,%f3;", 1, 2e38, 283, 71.3},
        {"sqrt.rn.f32 %f1,%f2;", 0, 1, 132, 22.6},
        {"sqrt.rn.f32 %f1,%f2;", 1e-40, 1, 225, 38.8},
        {"div.rn.f64 %g1,%g2,%g3;", 0, 1.25, 407, 109.3},
        {"div.rn.f64 %g1,%g2,%g3;", 1e-310, 1.25, 433, 129.3},
        {"rcp.rn.f64 %g1,%g3;", 1, 0, 203, 37.8},
        {"rcp.rn.f64 %g1,%g3;", 1, 1.5e308, 312, 56.8},
        {"sqrt.rn.f64 %g1,%g2;", 0, 1, 231, 51},
        {"sqrt.rn.f64 %g1,%g2;", 1e-310, 1, 350, 79.7},
    };
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    for (unsigned k = 0; d && k < sizeof rows / sizeof *rows; k++) {
        double alone = cycles(d, rows[k].text, rows[k].a, rows[k].b, 32),
               many = cycles(d, rows[k].text, rows[k].a, rows[k].b, 1024);
        printf("#   %-26s %g, %g: %.0f (%.0f), %.1f (%.1f)\n", rows[k].text, rows[k].a, rows[k].b,
               alone, rows[k].alone, many, rows[k].many);
        CHECK_NEAR(alone / rows[k].alone, 1, 0.2);
        CHECK_NEAR(many / rows[k].many, 1, 0.2);
    }
    sim_device_free(d);
}

int main(void) {
    quotients();
    of_one_number();
    costs();
    return check_done();
}
