/* The debugger of the simulated device: stops, variables, going back. The kernel is
 * tests/unit/debug/kernel.cu; what is expected follows from its source, for 4 blocks of 64 threads,
 * n = 250, a[i] = i, p = {0.5, 100}: so c[i] is worked out here by hand, and thread 100 overwrites
 * c[7]. */
#include <stdlib.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/sim/debug/debug.h"
#include "runner/sim/sim.h"
#include "tests/check.h"

enum { N = 256, USED = 250, BLOCK = 64 };

typedef struct {
    int at;        /* stops so far */
    int scene;     /* which test looks */
    uint64_t tick; /* of the first stop */
    float c7;
    sim_addr c;
    sim_device *device;
} script;

static double number(sim_debug *d, int lane, const char *text) {
    sim_value v;
    lib_message m = {0};
    if (!sim_debug_eval(d, lane, text, &v, &m)) {
        printf("# %s: %s\n", text, m.text);
        return -12345;
    }
    return v.kind == SIM_VALUE_FLOAT ? v.v.f
           : v.kind == SIM_VALUE_INT ? (double)v.v.i
                                     : (double)v.v.u;
}

static const char *text_of(sim_debug *d, const char *expression, char *text, size_t n) {
    sim_value v;
    lib_message m = {0};
    if (!sim_debug_eval(d, -1, expression, &v, &m)) return m.text[0] ? "(error)" : "";
    sim_debug_value_text(d, -1, &v, text, n);
    return text;
}

static unsigned line_now(sim_debug *d) {
    sim_place p;
    return sim_debug_frame(d, 0, &p) ? p.line : 0;
}

static bool launch(sim_debug *g, script *s, sim_result *r) {
    lib_message m = {0};
    sim_options o;
    sim_options_default(&o);
    o.debug = g;
    size_t n = 0;
    char *ptx = lib_read_file("tests/unit/debug/kernel.ptx", 0, &n, &m);
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = ptx && d ? sim_module_new(d, ptx, n, &mo, &m) : NULL;
    free(ptx);
    if (!CHECK(mod != NULL)) {
        printf("# %s\n", m.text);
        return false;
    }
    float a[N];
    sim_addr in, out;
    for (int i = 0; i < N; i++) a[i] = (float)i;
    sim_malloc(d, sizeof a, &in);
    sim_malloc(d, sizeof a, &out);
    sim_write(d, in, a, sizeof a);
    sim_poison(d, out, sizeof a);
    s->c = out;
    s->device = d;
    struct {
        sim_addr a, c;
        int n;
        struct {
            float x;
            int n;
        } p;
    } params = {in, out, USED, {0.5f, 100}};
    sim_launch l = {.kernel = sim_module_kernel(mod, "_Z4workPKfPfi4pair"),
                    .grid = {N / BLOCK, 1, 1},
                    .block = {BLOCK, 1, 1},
                    .params = &params,
                    .param_bytes = sizeof params};
    sim_status status = sim_run(d, &l, r, &m);
    if (status) printf("# %s\n", m.text);
    float c[N];
    sim_read(d, c, out, sizeof c);
    int bad = 0;
    for (int i = 0; i < USED; i++) {
        int mirrored = i / BLOCK * BLOCK + 63 - i % BLOCK;
        float other = (float)mirrored, want = i == 7  ? -1
                                              : i % 2 ? other * other + 1.5f
                                                      : other - 1;
        bad += c[i] != want;
    }
    if (status == SIM_OK) CHECK_INT(bad, 0);
    sim_module_free(mod);
    sim_device_free(d);
    return status == SIM_OK;
}

/* ---- expressions: C's, of 64 bits, so the C compiler says what each gives ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdiv-by-zero"
#define C_INT(e)                                                                                   \
    { #e, (int64_t)(e), 0 }
#define C_FLOAT(e)                                                                                 \
    { #e, 0, (e) }
static const struct {
    const char *text;
    int64_t i;
    double f;
} expressions[] = {
    C_INT(7L - 9L),
    C_INT(7L * -9L),
    C_INT(-7L / 2L),
    C_INT(-7L % 4L),
    C_INT(7L / -2L),
    C_INT(100L / 7L / 2L),
    C_INT(10L - 4L - 3L),
    C_INT(2L + 3L * 4L),
    C_INT((2L + 3L) * 4L),
    C_INT(17L % 5L * 2L),
    C_INT(1L << 62),
    C_INT(1L << 3 + 1),
    C_INT(256L >> 3),
    C_INT(-256L >> 3),
    C_INT(18446744073709551615UL >> 60),
    C_INT(18446744073709551615UL / 3),
    C_INT(18446744073709551615UL % 10),
    C_INT(0xffL & 0x3cL),
    C_INT(0x50L | 5L),
    C_INT(0x5aL ^ 0xffL),
    C_INT(1L | 6L ^ 3L & 5L),
    C_INT(6L & 3L == 3L),
    C_INT(3L < 5L == 1L),
    C_INT(1L << 3 < 9L),
    C_INT(017L + 0x1fL),
    C_INT(3L < 4L),
    C_INT(4L < 4L),
    C_INT(5L < 4L),
    C_INT(3L <= 4L),
    C_INT(4L <= 4L),
    C_INT(5L <= 4L),
    C_INT(3L > 4L),
    C_INT(4L > 4L),
    C_INT(5L > 4L),
    C_INT(3L >= 4L),
    C_INT(4L >= 4L),
    C_INT(5L >= 4L),
    C_INT(3L == 4L),
    C_INT(4L == 4L),
    C_INT(3L != 4L),
    C_INT(4L != 4L),
    C_INT(-1L < 1L),
    C_INT(-1L <= 1L),
    C_INT(-1L > 1L),
    C_INT(-1L >= 1L),
    C_INT(-1L < 1UL),
    C_INT(-1L <= 1UL),
    C_INT(-1L > 1UL),
    C_INT(-1L >= 1UL),
    C_INT(2 && 4),
    C_INT(2 && 0),
    C_INT(0 && 4),
    C_INT(0 || 4),
    C_INT(2 || 0),
    C_INT(0 || 0),
    C_INT(1 || 1 && 0),
    C_INT(0 && 1 / 0),
    C_INT(1 || 1 / 0),
    C_INT(1 ? 2 : 1 / 0),
    C_INT(0 ? 1 / 0 : 3),
    C_INT(0   ? 1
          : 0 ? 2
              : 3),
    C_INT(1 ? 0 ? 4 : 5 : 6),
    C_INT(0.5 && 1),
    C_INT(0.0 || 0),
    C_INT(2.5 ? 6 : 7),
    C_INT(1.5 < 2.5),
    C_INT(2.5 < 2.5),
    C_INT(2.5 > 2.5),
    C_INT(3.5 > 2.5),
    C_INT(2.5 <= 2.5),
    C_INT(3.5 <= 2.5),
    C_INT(2.5 >= 2.5),
    C_INT(1.5 >= 2.5),
    C_INT(2.5 == 2.5),
    C_INT(1.5 == 2.5),
    C_INT(2.5 != 2.5),
    C_INT(1.5 != 2.5),
    C_INT((int)3.9),
    C_INT((int)-3.9),
    C_INT((char)300),
    C_INT((short)70000),
    C_INT((unsigned)-1L),
    C_INT((long)-1L),
    C_INT((int)4294967297L),
    C_FLOAT(1.5 + 2),
    C_FLOAT(1.5 - 2),
    C_FLOAT(1.5 * 3),
    C_FLOAT(3 / 2.0),
    C_FLOAT(1e3),
    C_FLOAT(2.5f + 1),
    C_FLOAT(.5),
    C_FLOAT(1E-1),
    C_FLOAT((float)0.1),
    C_FLOAT((double)0.1),
    C_FLOAT(1 ? 0.5 : 2.5),
    C_FLOAT(-(0.25)),
};
#pragma GCC diagnostic pop

static void look_at_expressions(sim_debug *d) {
    char why[128], text[1100];
    lib_message m;
    sim_value v;
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        bool known = sim_debug_eval(d, -1, expressions[k].text, &v, &m);
        bool real = known && v.kind == SIM_VALUE_FLOAT;
        snprintf(why, sizeof why, "got %lld, %.9g", known ? (long long)v.v.i : -1,
                 real ? v.v.f : 0);
        check_that(known && (real ? expressions[k].f == v.v.f && expressions[k].i == 0
                                  : expressions[k].i == v.v.i && expressions[k].f == 0),
                   __FILE__, __LINE__, expressions[k].text, why);
    }
    static const char *const wrong[] = {
        "1.5 % 2", "1.5 << 1", "1.5 >> 1", "1.5 & 1",  "1 % 0",   "(1",          "1 ? 2",
        "* 2 /",   "1 2",      "tile + p", "i[0]",     "p.y",     "threadIdx.w", "kept[1",
        "p.",      "(&p)->",   "&1",       "*i",       "%nosuch", "()",          "(float",
        "~",       "&i",       "a + ",     "threadIdx"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        check_that(!sim_debug_eval(d, -1, wrong[k], &v, &m) && m.text[0] && m.zh[0], __FILE__,
                   __LINE__, wrong[k], "is no expression");
    /* as long as the message says, and one more */
    memset(text, ' ', sizeof text);
    text[0] = '1';
    text[1024] = 0;
    CHECK(sim_debug_eval(d, -1, text, &v, &m));
    text[1024] = ' ', text[1025] = 0;
    CHECK(!sim_debug_eval(d, -1, text, &v, &m));
    CHECK_CONTAINS(m.text, "longer than 1024 characters");
    memset(text, '(', 1000);
    text[1000] = 0;
    CHECK(!sim_debug_eval(d, -1, text, &v, &m));
    CHECK_CONTAINS(m.text, "nested too deeply");
}

/* ---- a breakpoint with a condition; variables, lanes, steps, a call ---- */

static void on_break(void *user, sim_debug *d, const sim_stop *stop) {
    script *s = user;
    char text[256];
    sim_place p;
    switch (s->at++) {
    case 0: /* break 25 if i == 75 */
        CHECK_INT(stop->reason, SIM_STOP_BREAK);
        CHECK(sim_debug_frame(d, 0, &p));
        CHECK_INT(p.line, 25);
        CHECK_INT(p.block[0], 1);
        CHECK_INT(p.thread[0], 11);
        CHECK_STR(p.function, "work");
        /* odd lanes of warp 0 of that block */
        CHECK_INT(p.mask, 0xaaaaaaaa);
        CHECK(number(d, -1, "i") == 75);
        CHECK(number(d, 12, "i") == 76);
        CHECK(number(d, -1, "s") == 64 + 52);
        CHECK(number(d, -1, "tile[11] + 1") == 76);
        CHECK(number(d, -1, "kept[3]") == 1.5);
        CHECK(number(d, -1, "a[i] == i && n > 249 ? p.x : 0/0") == 0.5);
        CHECK(number(d, -1, "*(a + 3)") == 3);
        CHECK(number(d, -1, "(&p)->n") == 100);
        CHECK(number(d, -1, "*(a + 3 - 1)") == 2 && number(d, -1, "*a") == 0);
        CHECK(number(d, -1, "(a + 3)[1]") == 4 && number(d, -1, "(a + 3)[-1]") == 2);
        CHECK(number(d, -1, "*(kept + 1)") == 0.5 && number(d, -1, "*kept") == 0);
        CHECK(number(d, -1, "*&kept[2]") == 1 && number(d, -1, "(&kept[1])[1]") == 1);
        CHECK(number(d, -1, "a + 1 == &a[1]") == 1 && number(d, -1, "a + 1 == &a[2]") == 0);
        CHECK(number(d, -1, "warpSize") == 32 && number(d, -1, "gridDim.x") == 4);
        CHECK(number(d, -1, "blockDim.x") == 64 && number(d, -1, "blockDim.y") == 1);
        CHECK(number(d, -1, "threadIdx.y + threadIdx.z + blockIdx.y + blockIdx.z") == 0);
        CHECK(number(d, -1, "true") == 1 && number(d, -1, "false") == 0);
        CHECK(number(d, -1, "-2 + 3 * 4 % 5 << 1") == 0);
        /* C's unary operators, of whole numbers and of others */
        CHECK(number(d, -1, "+i") == 75 && number(d, -1, "-i") == -75 &&
              number(d, -1, "~i") == -76);
        CHECK(number(d, -1, "+kept[3]") == 1.5 && number(d, -1, "-kept[3]") == -1.5);
        CHECK(number(d, -1, "!i") == 0 && number(d, -1, "!kept[0]") == 1);
        CHECK(number(d, -1, "!!kept[3] + - + -i") == 76);
        CHECK_STR(text_of(d, "~kept[3]", text, sizeof text), "(error)");
        CHECK(number(d, -1, "blockIdx.x * blockDim.x + threadIdx.x") == 75);
        look_at_expressions(d);
        CHECK_STR(text_of(d, "p", text, sizeof text), "{x = 0.5, n = 100}");
        CHECK_STR(text_of(d, "kept", text, sizeof text), "{0, 0.5, 1, 1.5}");
        CHECK_STR(text_of(d, "nobody", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "i +", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "a[1 << 40]", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "1 / 0", text, sizeof text), "(error)");
        s->tick = sim_debug_tick(d);
        sim_debug_go(d, SIM_GO_STEP);
        break;
    case 1: /* in square() */
        CHECK_INT(stop->reason, SIM_STOP_STEP);
        CHECK(sim_debug_frame(d, 0, &p));
        CHECK_STR(p.function, "square");
        CHECK(sim_debug_frame(d, 1, &p));
        CHECK_STR(p.function, "work");
        CHECK_INT(p.line, 25);
        CHECK(!sim_debug_frame(d, 2, &p));
        CHECK(sim_debug_select(d, 1));
        CHECK(number(d, -1, "i") == 75);
        CHECK(sim_debug_select(d, 0));
        sim_debug_go(d, SIM_GO_FINISH);
        break;
    case 2:
        CHECK_INT(stop->reason, SIM_STOP_STEP);
        CHECK_INT(line_now(d), 25);
        sim_debug_go(d, SIM_GO_NEXT);
        break;
    case 3:
        CHECK_INT(line_now(d), 28);
        CHECK(number(d, -1, "s") == 116 * 116 + 1.5);
        sim_debug_go(d, SIM_GO_REVERSE_NEXT);
        break;
    case 4: /* the line before, with what was before it */
        CHECK_INT(line_now(d), 25);
        CHECK_INT(sim_debug_tick(d), s->tick);
        CHECK(number(d, -1, "s") == 116);
        sim_debug_go(d, SIM_GO_BACK);
        break;
    case 5:
        CHECK_INT(line_now(d), 24);
        sim_debug_go(d, SIM_GO_REVERSE_CONTINUE);
        break;
    case 6: /* nobody stopped before: the start */
        CHECK_INT(stop->reason, SIM_STOP_START);
        CHECK_INT(sim_debug_tick(d), 0);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    case 7:
        CHECK_INT(stop->reason, SIM_STOP_BREAK);
        CHECK_INT(sim_debug_tick(d), s->tick);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    default: CHECK_INT(stop->reason, SIM_STOP_END); break;
    }
}

static void test_break(void) {
    script s = {0};
    sim_result r;
    lib_message m;
    sim_debug *d = sim_debug_new(on_break, &s);
    CHECK_INT(sim_debug_break(d, "25", "i == 75", &m), 1);
    CHECK(launch(d, &s, &r));
    CHECK_INT(s.at, 9);
    sim_result_free(&r);
    sim_debug_free(d);
}

/* ---- who writes c[7]? ---- */

static void on_watch(void *user, sim_debug *d, const sim_stop *stop) {
    script *s = user;
    sim_place p;
    sim_writer w;
    float c7 = 0;
    CHECK(sim_debug_frame(d, 0, &p) || stop->reason >= SIM_STOP_RECORDED);
    switch (s->at++) {
    case 0: /* its own thread */
        CHECK_INT(stop->reason, SIM_STOP_WATCH);
        CHECK_INT(p.line, 28);
        CHECK_INT(p.block[0], 0);
        CHECK_INT(p.thread[0], 7);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    case 1: /* thread 100 = block 1, thread 36 */
        CHECK_INT(stop->reason, SIM_STOP_WATCH);
        CHECK_INT(p.line, 31);
        CHECK_INT(p.block[0], 1);
        CHECK_INT(p.thread[0], 36);
        CHECK(sim_debug_read(d, -1, s->c + 28, &c7, sizeof c7));
        CHECK(c7 == 56 * 56 + 1.5f);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    case 2:
        CHECK_INT(stop->reason, SIM_STOP_END);
        CHECK(sim_debug_read(d, -1, s->c + 28, &c7, sizeof c7));
        CHECK(c7 == -1);
        CHECK(sim_debug_record(d, s->c, N * sizeof(float)));
        break;
    case 3:
        CHECK_INT(stop->reason, SIM_STOP_RECORDED);
        CHECK(sim_debug_writer(d, s->c + 28, &w));
        CHECK_INT(w.line, 31);
        CHECK_INT(w.block, 1);
        CHECK_INT(w.thread, 36);
        CHECK(sim_debug_writer(d, s->c + 4 * 200, &w));
        CHECK_INT(w.block, 3);
        CHECK_INT(w.thread, 8);
        CHECK(!sim_debug_writer(d, s->c + 4 * 252, &w)); /* n is 250 */
        sim_debug_go(d, SIM_GO_REVERSE_CONTINUE);
        break;
    case 4: /* back to the last writer, before it wrote */
        CHECK_INT(stop->reason, SIM_STOP_WATCH);
        CHECK_INT(p.line, 31);
        CHECK(sim_debug_read(d, -1, s->c + 28, &c7, sizeof c7));
        CHECK(c7 == 56 * 56 + 1.5f);
        sim_debug_go(d, SIM_GO_REVERSE_CONTINUE);
        break;
    case 5:
        CHECK_INT(p.line, 28);
        CHECK_INT(p.thread[0], 7);
        sim_debug_go(d, SIM_GO_FREE);
        break;
    default: CHECK(false); break;
    }
}

static void test_watch(void) {
    script s = {0};
    sim_result r = {0};
    lib_message m;
    sim_debug *d = sim_debug_new(on_watch, &s);
    CHECK_INT(sim_debug_watch(d, "c[7]", NULL, &m), 1);
    CHECK(launch(d, &s, &r));
    CHECK_INT(s.at, 6);
    CHECK_INT(r.finding_count, 0);
    sim_result_free(&r);
    sim_debug_free(d);
}

int main(void) {
    test_break();
    test_watch();
    return check_done();
}
