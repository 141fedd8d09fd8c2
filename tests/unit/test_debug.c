/* The debugger of the simulated device: stops, variables, going back. The kernel is
 * tests/unit/debug/kernel.cu; what is expected follows from its source, for 4 blocks of 64 threads,
 * n = 250, a[i] = i, p = {0.5, 100}: so c[i] is worked out here by hand, and thread 100 overwrites
 * c[7]. */
#include <stdlib.h>
#include "runner/base/file.h"
#include "runner/base/message.h"
#include "runner/device/sim/debug/debug.h"
#include "runner/device/sim/sim.h"
#include "tests/check.h"
#include "tests/said.h"

enum { N = 256, USED = 250, BLOCK = 64 };

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define STARVES 1
/* libc's, but for a while: then there is no memory. */
static bool starved;
extern void *__libc_calloc(size_t n, size_t size);
void *calloc(size_t n, size_t size) {
    static unsigned refused;
    if (!starved) return __libc_calloc(n, size);
    if (++refused > 100000) _Exit(1); /* asked again and again */
    return NULL;
}
#endif

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
        printf("# %s: %s\n", text, said(&m));
        return -12345;
    }
    return v.kind == SIM_VALUE_FLOAT ? v.v.f
           : v.kind == SIM_VALUE_INT ? (double)v.v.i
                                     : (double)v.v.u;
}

static const char *text_of(sim_debug *d, const char *expression, char *text, size_t n) {
    sim_value v;
    lib_message m = {0};
    if (!sim_debug_eval(d, -1, expression, &v, &m)) return lib_message_any(&m) ? "(error)" : "";
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
        printf("# %s\n", said(&m));
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
    if (status) printf("# %s\n", said(&m));
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
    C_INT(0x1eL + 1),
    C_INT(0X1FL - 1),
    C_INT(1UL << 63),
    C_INT(1UL << 63 >> 63),
    C_INT(5LU - 6),
    C_INT((-9223372036854775807L - 1) / 3),
    C_INT((unsigned char)255 + (unsigned char)256),
    C_INT((short)32768 + (short)32767),
    C_INT((unsigned short)65536 + (unsigned short)65535),
    C_INT((signed char)-129L),
    C_INT((long)-2.5 * (long)2.5),
    C_INT(-9223372036854775807L - 1 < 0),
    C_INT(9223372036854775807L > 9223372036854775808UL),
    C_INT(1.5 > 1 && 1 < 1.5),
    C_INT(1L ^ 2L ^ 2L),
    C_INT(12L & 10L & 9L),
    C_INT(100L % 7L - 3L),
    C_INT(2L - -2L),
    C_INT(1 + 1 ? 2 ? 3 : 4 : 5),
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
    C_FLOAT(2.F),
    C_FLOAT(25e-2f),
    C_FLOAT(1.5 - 2.5 - 3),
    C_FLOAT(7 / 2.0 * 2),
    C_FLOAT((float)16777217),
    C_FLOAT((double)16777217),
    C_FLOAT((float)(1 << 3)),
    C_FLOAT(1e3f),
};
#pragma GCC diagnostic pop

/* 64 deep: a sum is one, a value one more, a parenthesis two, a sign and a cast one each. What is
 * closed counts no more. */
static void look_at_depth(sim_debug *d) {
    static const struct {
        const char *open, *close;
        int most;
    } rows[] = {{"(", ")", 31}, {"-", "", 62}, {"(int)", "", 62}};
    static const char *const terms[] = {"+1", "+(1)", "-(-1)", "- -1", "+(int)1", "+(1?1:1)"};
    char text[1100];
    sim_value v;
    lib_message m;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int more = 0; more < 2; more++) {
            size_t n = 0;
            for (int i = 0; i < rows[k].most + more; i++)
                n += (size_t)sprintf(text + n, "%s", rows[k].open);
            n += (size_t)sprintf(text + n, "1");
            for (int i = 0; i < rows[k].most + more; i++)
                n += (size_t)sprintf(text + n, "%s", rows[k].close);
            check_that(sim_debug_eval(d, -1, text, &v, &m) == !more, __FILE__, __LINE__,
                       rows[k].open, more ? "deeper is taken, too" : said(&m));
            if (more) CHECK_CONTAINS(said(&m), "nested too deeply");
            else CHECK_INT(v.v.i, 1);
        }
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        size_t n = (size_t)sprintf(text, "0");
        for (int i = 0; i < 100; i++) n += (size_t)sprintf(text + n, "%s", terms[k]);
        CHECK_INT(number(d, -1, text), 100);
    }
}

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
        check_that(!sim_debug_eval(d, -1, wrong[k], &v, &m) && m.id, __FILE__, __LINE__, wrong[k],
                   "is no expression");
    /* what is wrong, and where */
    static const struct {
        const char *text, *why;
    } messages[] = {
        {"(1", "a ) is missing before `'"},
        {"(1 2)", "a ) is missing before `2)'"},
        {"kept[1 + 2", "a ] is missing before `'"},
        {"kept[1 2]", "a ] is missing before `2]'"},
        {"1 ? 2", "a : is missing before `'"},
        {"1 ? 2 3", "a : is missing before `3'"},
        {"1 2", "the end of the expression is expected at `2'"},
        {"1 + ", "a value is expected"},
        {"1 + /2", "a value is expected, found `/2'"},
        {"1.5 % 2", "% is for whole numbers"},
        {"2 << 1.5", "<< is for whole numbers"},
        {"2 >> 1.5", ">> is for whole numbers"},
        {"2 | 1.5", "| is for whole numbers"},
        {"~1.5", "~1.5: ~ is for whole numbers"},
        {"1 % 0", "1 % 0: division by zero"},
        {"7 / (3 - 3)", "7 / (3 - 3): division by zero"},
        {"p.y", "there is no member y"},
        {"p.", "a member is expected at `'"},
        {"(&p)->1", "a member is expected at `1'"},
        {"threadIdx.w", "threadIdx has the parts .x, .y and .z"},
        {"gridDim.{", "gridDim has the parts .x, .y and .z"},
        {"blockDim", "blockDim has the parts .x, .y and .z"},
        {"&1", "&1: a register has no address"},
        {"&(a + 1)", "&(a + 1): a register has no address"},
        {"&(tile - 1)", "&(tile - 1): a register has no address"},
        {"&(kept[1] + 1)", "&(kept[1] + 1): a register has no address"},
        {"&-kept[1]", "&-kept[1]: a register has no address"},
        {"&!kept[1]", "&!kept[1]: a register has no address"},
        {"&(float)kept[1]", "&(float)kept[1]: a register has no address"},
        {"&&kept[1]", "&&kept[1]: a register has no address"},
        {"*i", "*i: what is no pointer and no array has no elements"},
        {"s[0]", "s[0]: what is no pointer and no array has no elements"},
        {"%nosuch", "%nosuch is no register of this function"},
        {"nobody", "there is no variable nobody here"},
        {"p + 1", "a number or pointer is expected, p + 1 has several values"},
        {"p ? 1 : 2", "a number or pointer is expected, p ? 1 : 2 has several values"},
        {"kept[p]", "a number or pointer is expected, kept[p] has several values"},
    };
    for (size_t k = 0; k < sizeof messages / sizeof *messages; k++) {
        CHECK(!sim_debug_eval(d, -1, messages[k].text, &v, &m));
        CHECK_STR(said(&m), messages[k].why);
    }
    /* What is shifted out is gone; the quotient that has no number stays what it was. */
    CHECK(number(d, -1, "1UL << 64") == 0 && number(d, -1, "1UL >> 64") == 0);
    CHECK(number(d, -1, "(-9223372036854775807 - 1) / -1") == -9223372036854775808.0);
    CHECK(number(d, -1, "(-9223372036854775807 - 1) % -1") == 0);
    CHECK(number(d, -1, "(-9223372036854775807 - 1) / 1UL") == 9223372036854775808.0);
    look_at_depth(d);
    /* as long as the message says, and one more */
    memset(text, ' ', sizeof text);
    text[0] = '1';
    text[1024] = 0;
    CHECK(sim_debug_eval(d, -1, text, &v, &m));
    text[1024] = ' ', text[1025] = 0;
    CHECK(!sim_debug_eval(d, -1, text, &v, &m));
    CHECK_CONTAINS(said(&m), "longer than 1,024 characters");
    memset(text, '(', 1000);
    text[1000] = 0;
    CHECK(!sim_debug_eval(d, -1, text, &v, &m));
    CHECK_CONTAINS(said(&m), "((( is nested too deeply");
    CHECK_CONTAINS(said_zh(&m), "((( 嵌套过深");
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
        /* an address is there where no memory is, and pointers count in elements */
        CHECK(number(d, -1, "&a[1 << 40] - a") == 1099511627776.0);
        CHECK(number(d, -1, "&*(a + (1 << 30)) - a") == 1 << 30);
        CHECK_STR(text_of(d, "*&a[1 << 40]", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "a[a[1 << 40] > 0]", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "&a[a[1 << 40] > 0]", text, sizeof text), "(error)");
        CHECK_STR(text_of(d, "(&p + (1 << 30))->n", text, sizeof text), "(error)");
        /* casts: 3.0f is 0x40400000 */
        CHECK(number(d, -1, "((int *)a)[3]") == 0x40400000);
        CHECK(number(d, -1, "*((unsigned char *)(a + 3) + 3)") == 0x40);
        CHECK(number(d, -1, "*(const float *)((unsigned long long)a + 12)") == 3);
        CHECK(number(d, -1, "&((int *)a)[5] - (int *)a") == 5);
        CHECK(number(d, -1, "(unsigned int)-1 == 4294967295") == 1);
        CHECK(number(d, -1, "(unsigned char)300 + (short)65537") == 45);
        CHECK(number(d, -1, "(int)2.75 * 2") == 4);
        CHECK(number(d, -1, "(float *)tile - (float *)&tile[3]") == -3);
        CHECK_STR(text_of(d, "(float *)p", text, sizeof text), "(error)");
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

/* ---- the list of points, the focus, what is where ---- */

typedef struct {
    unsigned warps, lanes, running;
} places;
static void count_place(void *user, unsigned warp, sim_lanes_state_of state, const sim_place *p) {
    places *c = user;
    if (warp + 1 > c->warps) c->warps = warp + 1;
    c->lanes += (unsigned)__builtin_popcount(p->mask);
    c->running += state == SIM_LANES_RUNNING;
    CHECK(p->warp == warp && p->line && *p->function);
}
static void join_names(void *user, const char *name, const sim_value *v) {
    char *all = user;
    size_t n = strlen(all);
    CHECK(v != NULL);
    if (n < 300) snprintf(all + n, 400 - n, "%s%s", n ? " " : "", name);
}
static void join_ptx(void *user, unsigned line, bool here, const char *text) {
    char *all = user;
    size_t n = strlen(all);
    CHECK(line > 0 && *text);
    snprintf(all + n, 64 - n, here ? "*" : ".");
}
static void count_register(void *user, const char *name, const char *type, const char *value) {
    CHECK(*name == '%' && *type == '.' && *value);
    ++*(unsigned *)user;
}
static const char *type_of(sim_debug *d, const char *expression, char *text, size_t n) {
    sim_value v;
    lib_message m = {0};
    if (!sim_debug_eval(d, -1, expression, &v, &m)) return "(error)";
    sim_debug_type_text(d, &v, text, n);
    return text;
}

static void look_at_points(sim_debug *d, script *s) {
    sim_point p;
    CHECK_INT(sim_debug_points(d), 5);
    static const struct {
        unsigned number, line;
        bool watch, known;
        const char *text, *condition;
    } want[] = {{1, 25, false, true, "25", "i == 75"},
                {3, 0, false, true, "square", ""},
                {4, 0, false, false, "nothing", ""},
                {5, 0, true, true, "c[7]", ""},
                {6, 17, false, true, "kernel.cu:16", ""}};
    for (size_t k = 0; k < 5; k++) {
        sim_debug_point(d, k, &p);
        printf("# point %zu: %s\n", k, p.text);
        CHECK(p.number == want[k].number && p.watch == want[k].watch && p.known == want[k].known);
        if (want[k].line) CHECK_INT(p.line, want[k].line);
        CHECK_STR(p.text, want[k].text);
        CHECK_STR(p.condition, want[k].condition);
        CHECK_INT(p.hits, 0);
    }
    sim_debug_point(d, 3, &p);
    CHECK(p.address == s->c + 28 && p.bytes == 4);
    sim_debug_point(d, 5, &p);
    CHECK(!p.number && !p.text);
    CHECK(sim_debug_condition(d, 3, "v == 3") && !sim_debug_condition(d, 2, "v == 3"));
    sim_debug_point(d, 1, &p);
    CHECK_STR(p.condition, "v == 3");
}

static void look_at_focus(sim_debug *d) {
    sim_place p;
    lib_message m = {0};
    static const unsigned block[][3] = {{0, 0, 0}, {1, 0, 0}};
    static const struct {
        unsigned block, thread[3];
        bool there;
    } rows[] = {{0, {0, 0, 0}, true},  {0, {63, 0, 0}, true},  {0, {31, 0, 0}, true},
                {0, {32, 0, 0}, true}, {0, {64, 0, 0}, false}, {0, {0, 1, 0}, false},
                {0, {0, 0, 1}, false}, {1, {0, 0, 0}, false},  {0, {40, 0, 0}, true}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        m = (lib_message){0};
        CHECK_INT(sim_debug_focus(d, block[rows[k].block], rows[k].thread, &m), rows[k].there);
        CHECK_INT(lib_message_any(&m), !rows[k].there);
        CHECK(sim_debug_frame(d, 0, &p));
        if (!rows[k].there) continue;
        CHECK_INT(p.thread[0], rows[k].thread[0]);
        CHECK_INT(p.warp, rows[k].thread[0] / 32);
        CHECK_INT(p.lane, rows[k].thread[0] % 32);
        CHECK_INT(number(d, -1, "threadIdx.x"), rows[k].thread[0]);
    }
    CHECK(sim_debug_focus_lane(d, 1, 31, &m) && !sim_debug_focus_lane(d, 1, 32, &m));
    CHECK(sim_debug_focus_lane(d, 0, 0, &m) && !sim_debug_focus_lane(d, 2, 0, &m));
    CHECK(number(d, 5, "threadIdx.x") == 5 && number(d, -1, "threadIdx.x") == 0);
}

static void look_around(sim_debug *d) {
    places c = {0};
    char text[400] = "";
    unsigned registers = 0;
    sim_debug_each_place(d, count_place, &c);
    CHECK(c.warps == 2 && c.lanes == 64 && c.running == 1);
    sim_debug_each_variable(d, SIM_VARS_PARAMETERS, join_names, text);
    CHECK_STR(text, "a c n p");
    text[0] = 0;
    sim_debug_each_variable(d, SIM_VARS_SHARED, join_names, text);
    CHECK_STR(text, "tile");
    text[0] = 0;
    sim_debug_each_variable(d, SIM_VARS_GLOBALS, join_names, text);
    CHECK_STR(text, "");
    sim_debug_each_register(d, count_register, &registers);
    CHECK(registers > 0);
    for (unsigned back = 0; back < 3; back++)
        for (unsigned ahead = 0; ahead < 3; ahead++) {
            char seen[64] = "", all[64];
            sim_debug_ptx(d, back, ahead, join_ptx, seen);
            snprintf(all, sizeof all, "%.*s*%.*s", (int)back, "..", (int)ahead, "..");
            CHECK_STR(seen, all);
        }
    CHECK_STR(type_of(d, "n", text, sizeof text), "int");
    CHECK_STR(type_of(d, "p.x", text, sizeof text), "float");
    CHECK_STR(type_of(d, "tile", text, sizeof text), "float[64]");
    CHECK_STR(type_of(d, "p", text, sizeof text), "pair");
    CHECK_STR(type_of(d, "c", text, sizeof text), "float *");
    CHECK_STR(type_of(d, "a", text, sizeof text), "const float *");
    /* elements of an array, a few from a few on */
    sim_value v;
    lib_message m;
    CHECK(sim_debug_eval(d, -1, "tile", &v, &m));
    text[0] = 0;
    CHECK(sim_debug_parts(d, -1, &v, 62, 10, join_names, text) >= 64);
    CHECK_STR(text, "[62] [63]");
    text[0] = 0;
    CHECK(sim_debug_parts(d, -1, &v, 5, 3, join_names, text) > 8);
    CHECK_STR(text, "[5] [6] [7]");
    CHECK(sim_debug_eval(d, -1, "p", &v, &m));
    text[0] = 0;
    CHECK_INT(sim_debug_parts(d, -1, &v, 0, 10, join_names, text), 2);
    CHECK_STR(text, "x n");
    const uint8_t *bytes;
    uint32_t start = 99;
    CHECK_INT(sim_debug_shared(d, &bytes), 256);
    CHECK_STR(sim_debug_shared_name(d, 255, &start), "tile");
    CHECK_INT(start, 0);
    CHECK_STR(sim_debug_shared_name(d, 256, &start), "");
}

static void on_points(void *user, sim_debug *d, const sim_stop *stop) {
    script *s = user;
    lib_message m = {0};
    switch (s->at++) {
    case 0:
        CHECK_INT(stop->reason, SIM_STOP_LAUNCH);
        CHECK_CONTAINS(stop->kernel, "work");
        CHECK(stop->grid[0] == 4 && stop->block[0] == 64 && stop->block[1] == 1 && !stop->launch);
        CHECK_INT(sim_debug_tick(d), 0);
        CHECK(sim_debug_can_go_back(d));
        look_at_points(d, s);
        /* the fourth, which is nowhere, stays: nothing stops for it */
        CHECK(sim_debug_delete(d, 1) && sim_debug_delete(d, 3) && sim_debug_delete(d, 5) &&
              !sim_debug_delete(d, 5));
        look_at_focus(d);
        sim_debug_go(d, SIM_GO_STEPI);
        break;
    case 1:
        CHECK_INT(stop->reason, SIM_STOP_STEP);
        CHECK_INT(sim_debug_tick(d), 1);
        CHECK(!sim_debug_watch(d, "i", NULL, &m) && lib_message_any(&m));
        CHECK(!sim_debug_watch(d, "nobody", NULL, &m) && lib_message_any(&m));
        CHECK(sim_debug_break(d, "nowhere", NULL, &m)); /* and nothing stops for it either */
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    case 2: /* line 16 has no code but what is in 17 */
        CHECK_INT(stop->reason, SIM_STOP_BREAK);
        CHECK_INT(stop->number, 6);
        CHECK_INT(line_now(d), 17);
        look_around(d);
        s->tick = sim_debug_tick(d);
        sim_debug_go(d, SIM_GO_STEPI);
        break;
    case 3:
        CHECK_INT(sim_debug_tick(d), s->tick + 1);
        sim_debug_go(d, SIM_GO_BACK);
        break;
    case 4:
        CHECK_INT(sim_debug_tick(d), s->tick);
        sim_debug_go_to(d, 3);
        break;
    case 5:
        CHECK_INT(sim_debug_tick(d), 3);
        sim_debug_go(d, SIM_GO_RESTART);
        break;
    case 6:
        CHECK_INT(sim_debug_tick(d), 0);
        sim_debug_go(d, SIM_GO_TO_END);
        break;
    case 7:
        CHECK_INT(stop->reason, SIM_STOP_END);
        CHECK_INT(stop->status, SIM_OK);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    default: CHECK(false); break;
    }
}

static void test_points(void) {
    script s = {0};
    sim_result r = {0};
    lib_message m = {0};
    char text[1100];
    sim_debug *d = sim_debug_new(on_points, &s);
    sim_debug_stop_at(d, true, true);
    CHECK_INT(sim_debug_break(d, "25", "i == 75", &m), 1);
    CHECK_INT(sim_debug_break(d, "kernel.cu:28", NULL, &m), 2);
    CHECK_INT(sim_debug_break(d, "square", NULL, &m), 3);
    CHECK_INT(sim_debug_break(d, "nothing", NULL, &m), 4);
    CHECK_INT(sim_debug_watch(d, "c[7]", NULL, &m), 5);
    CHECK_INT(sim_debug_points(d), 5);
    CHECK(sim_debug_delete(d, 2) && !sim_debug_delete(d, 2) && !sim_debug_delete(d, 0) &&
          !sim_debug_delete(d, 99));
    CHECK_INT(sim_debug_break(d, "kernel.cu:16", NULL, &m), 6);
    CHECK_INT(sim_debug_break(d, "", NULL, &m), 0);
    /* as long as the message says, and one more */
    unsigned most = 0;
    CHECK(sscanf(said(&m), "a place or expression of 1 to %u", &most) == 1 && most < 1000);
    memset(text, 'x', sizeof text);
    text[most] = 0;
    CHECK_INT(sim_debug_break(d, text, NULL, &m), 7);
    CHECK(sim_debug_delete(d, 7));
    CHECK_INT(sim_debug_break(d, "25", text, &m), 8);
    CHECK(sim_debug_condition(d, 8, text) && sim_debug_delete(d, 8));
    text[most] = 'x', text[most + 1] = 0;
    CHECK_INT(sim_debug_break(d, text, NULL, &m), 0);
    CHECK_INT(sim_debug_break(d, "25", text, &m), 0);
    CHECK(!sim_debug_condition(d, 1, text));
    CHECK(launch(d, &s, &r));
    CHECK_INT(s.at, 8);
    sim_result_free(&r);
    sim_debug_free(d);
    /* so many, and no more */
    d = sim_debug_new(on_points, &s);
    unsigned n = 0, room = 0;
    while (n < 1000 && sim_debug_break(d, "1", NULL, &m)) n++;
    CHECK(sscanf(said(&m), "there are %u", &room) == 1 && room == n);
    CHECK(sim_debug_points(d) == n && sim_debug_delete(d, 1) && sim_debug_break(d, "1", NULL, &m));
    sim_debug_free(d);
}

/* Two lines: each stop is of the breakpoint that is there, and a hit of it alone. */
static void on_lines(void *user, sim_debug *d, const sim_stop *stop) {
    script *s = user;
    sim_point p;
    static const struct {
        unsigned number, line;
        uint64_t hits[2];
    } want[] = {{2, 17, {0, 1}}, {2, 17, {0, 2}}, {1, 28, {1, 2}}};
    unsigned k = (unsigned)s->at++;
    if (k >= 3) return;
    CHECK_INT(stop->reason, SIM_STOP_BREAK);
    CHECK_INT(stop->number, want[k].number);
    CHECK_INT(line_now(d), want[k].line);
    for (size_t i = 0; i < 2; i++) {
        sim_debug_point(d, i, &p);
        CHECK_INT(p.hits, want[k].hits[i]);
    }
    sim_debug_go(d, k < 2 ? SIM_GO_CONTINUE : SIM_GO_FREE);
}

static void test_lines(void) {
    script s = {0};
    sim_result r = {0};
    lib_message m;
    sim_debug *d = sim_debug_new(on_lines, &s);
    CHECK_INT(sim_debug_break(d, "28", NULL, &m), 1);
    CHECK_INT(sim_debug_break(d, "17", NULL, &m), 2);
    CHECK(launch(d, &s, &r));
    CHECK_INT(s.at, 3);
    sim_result_free(&r);
    sim_debug_free(d);
}

/* ---- lanes that wait for each other; printf of a launch that goes back ---- */

/* Odd lanes and even ones wait for each other, in lines of their own; then thread 0 prints 7. */
static const char parting[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 format[6] = {61, 37, 100, 59, 10, 0};\n" /* =%d;\n */
    ".visible .entry k() {\n"
    ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n"
    ".local .align 8 .b8 values[8];\n"
    ".loc 1 1 1\nmov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1;\n"
    "@%p1 bra ODD;\n"
    ".loc 1 2 1\nmov.u32 %r3, 2;\nbar.warp.sync 0xffffffff;\nbra MEET;\n"
    "ODD: .loc 1 3 1\nmov.u32 %r3, 3;\nbar.warp.sync 0xffffffff;\n"
    "MEET: .loc 1 4 1\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n"
    ".loc 1 5 1\nmov.u32 %r4, 7; st.local.u32 [values], %r4;\n"
    "mov.u64 %d1, format; cvta.global.u64 %d1, %d1; mov.u64 %d2, values;\n"
    "cvta.local.u64 %d2, %d2;\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 ret;\n"
    "st.param.b64 [p0], %d1; st.param.b64 [p1], %d2;\n"
    "call.uni (ret), vprintf, (p0, p1); ld.param.b32 %r5, [ret]; }\n"
    ".loc 1 6 1\nmov.u32 %r6, 1;\n"
    "END: .loc 1 7 1\nret;\n}\n.file 1 \"/x/k.cu\"\n";

typedef struct {
    int at;
    unsigned launch;
    char printed[100];
} parted;

static void put_state(void *user, unsigned warp, sim_lanes_state_of state, const sim_place *p) {
    static const char *const names[] = {"running", "ready", "sync", "barrier", "exited"};
    char *all = user;
    size_t n = strlen(all);
    CHECK_INT(warp, 0);
    snprintf(all + n, 200 - n, "%08x %s ", p->mask, names[state]);
}

static void on_parted(void *user, sim_debug *d, const sim_stop *stop) {
    parted *s = user;
    char states[200] = "";
    sim_place p;
    if (sim_debug_frame(d, 0, &p)) sim_debug_each_place(d, put_state, states);
    CHECK_INT(stop->launch, s->launch);
    CHECK_STR(stop->kernel, "k");
    switch (s->at++) {
    case 0: CHECK_INT(stop->number, p.line == 2 ? 1 : 2); break;
    case 1: /* the others have come to where they wait */
        CHECK_INT(stop->reason, SIM_STOP_BREAK);
        CHECK(p.mask == (p.line == 2 ? 0x55555555 : 0xaaaaaaaa));
        CHECK(strstr(states, p.line == 2 ? "55555555 running" : "aaaaaaaa running"));
        CHECK(strstr(states, p.line == 2 ? "aaaaaaaa sync" : "55555555 sync"));
        break;
    case 2: /* it has printed; and goes back, and prints again */
        CHECK_INT(p.line, 6);
        CHECK_CONTAINS(states, "00000001 running");
        sim_debug_go(d, SIM_GO_REVERSE_NEXT);
        break;
    case 3:
        CHECK_INT(p.line, 5);
        sim_debug_go(d, SIM_GO_NEXT);
        break;
    case 4:
        CHECK_INT(p.line, 6);
        sim_debug_go(d, SIM_GO_CONTINUE);
        break;
    default: CHECK_INT(stop->reason, SIM_STOP_END); break;
    }
}

static bool keep_print(void *user, const char *text, size_t n) {
    parted *s = user;
    size_t at = strlen(s->printed);
    snprintf(s->printed + at, sizeof s->printed - at, "%.*s", (int)n, text);
    return true;
}

static void test_parted(void) {
    parted s = {0};
    lib_message m = {0};
    sim_options o;
    sim_options_default(&o);
    sim_debug *g = o.debug = sim_debug_new(on_parted, &s);
    CHECK(sim_debug_break(g, "2", NULL, &m) == 1 && sim_debug_break(g, "3", NULL, &m) == 2 &&
          sim_debug_break(g, "6", NULL, &m) == 3);
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = d ? sim_module_new(d, parting, sizeof parting - 1, &mo, &m) : NULL;
    sim_result r = {0};
    for (int launch = 0; CHECK(mod != NULL) && launch < 2; launch++) { /* the second prints, too */
        sim_launch l = {.kernel = sim_module_kernel(mod, "k"),
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .print = keep_print,
                        .print_user = &s};
        s = (parted){.launch = (unsigned)launch};
        CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
        CHECK_INT(s.at, 6);
        CHECK_STR(s.printed, "=7;\n"); /* what the program prints is printed once */
        sim_result_free(&r);
    }
    if (!mod) printf("# %s\n", said(&m));
    sim_module_free(mod);
    sim_device_free(d);
    sim_debug_free(g);
}

/* ---- who waits at a barrier has in its registers what was there before */

/* Warps 1 and 2 meet at barrier 1, in line 2, while warp 0 waits at barrier 0, in line 4, for how
 * many threads are of warp 0; the result's register has 5 before. */
static const char barred[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
    ".reg .b32 %r<9>; .reg .pred %p<9>;\n"
    ".loc 1 1 1\nmov.u32 %r1, %tid.x; mov.u32 %r3, 5;\n"
    "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra ALL;\n"
    ".loc 1 2 1\nbar.sync 1, 64;\n"
    ".loc 1 3 1\nmov.u32 %r4, 1;\n"
    "ALL: .loc 1 4 1\nbar.red.popc.u32 %r3, 0, %p1;\n"
    ".loc 1 5 1\nadd.u32 %r3, %r3, 1;\nret;\n}\n.file 1 \"/x/k.cu\"\n";

static void keep_r3(void *user, const char *name, const char *type, const char *value) {
    (void)type;
    if (!strcmp(name, "%r3")) snprintf(user, 32, "%s", value);
}

static void on_barred(void *user, sim_debug *d, const sim_stop *stop) {
    unsigned *at_line = user;
    static const unsigned zero[3];
    char r3[32] = "";
    lib_message m = {0};
    if (stop->reason != SIM_STOP_BREAK) return;
    unsigned line = line_now(d);
    if (line > 5) return;
    if (line == 3) CHECK(sim_debug_focus(d, zero, zero, &m)); /* thread 0, of warp 0 */
    sim_debug_each_register(d, keep_r3, r3);
    CHECK_STR(r3, line == 3 ? "0x5 5" : "0x20 32");
    at_line[line]++;
}

static void test_barred(void) {
    unsigned at_line[6] = {0};
    lib_message m = {0};
    sim_options o;
    sim_options_default(&o);
    sim_debug *g = o.debug = sim_debug_new(on_barred, at_line);
    CHECK(sim_debug_break(g, "3", NULL, &m) && sim_debug_break(g, "5", NULL, &m));
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
    sim_module_options mo = {.ptxas = ""};
    sim_module *mod = d ? sim_module_new(d, barred, sizeof barred - 1, &mo, &m) : NULL;
    if (CHECK(mod != NULL)) {
        sim_launch l = {
            .kernel = sim_module_kernel(mod, "k"), .grid = {1, 1, 1}, .block = {96, 1, 1}};
        sim_result r = {0};
        CHECK_INT(sim_run(d, &l, &r, &m), SIM_OK);
        CHECK_INT(at_line[3], 2); /* each warp of those that come there */
        CHECK_INT(at_line[5], 3);
        sim_result_free(&r);
    } else {
        printf("# %s\n", said(&m));
    }
    sim_module_free(mod);
    sim_device_free(d);
    sim_debug_free(g);
}

#ifdef STARVES
/* Going back runs the launch again. That it cannot begin is told as an end; later it can. */
static void on_starved(void *user, sim_debug *d, const sim_stop *stop) {
    unsigned *at = user;
    static const sim_stop_reason reasons[] = {SIM_STOP_BREAK, SIM_STOP_END, SIM_STOP_START};
    starved = false;
    if (CHECK(*at < 3)) CHECK_INT(stop->reason, reasons[*at]);
    CHECK_INT(stop->status, *at == 1 ? SIM_NOMEM : SIM_OK);
    CHECK_STR(stop->kernel, "k");
    CHECK_INT(line_now(d), *at == 0 ? 3u : *at == 1 ? 0u : 1u);
    sim_debug_go(d, *at < 2 ? SIM_GO_RESTART : SIM_GO_FREE);
    starved = *at == 0;
    ++*at;
}

/* Of a run that cannot begin nobody is told where it was the first; the launch's status says it. */
static void test_starved(void) {
    for (unsigned goes_back = 0; goes_back < 2; goes_back++) {
        unsigned at = goes_back ? 0 : 3;
        lib_message m = {0};
        sim_options o;
        sim_options_default(&o);
        sim_debug *g = o.debug = sim_debug_new(on_starved, &at);
        if (goes_back) CHECK(sim_debug_break(g, "3", NULL, &m));
        sim_device *d = sim_device_new(sim_profile_find("h200"), &o, &m);
        sim_module_options mo = {.ptxas = ""};
        sim_module *mod = d ? sim_module_new(d, barred, sizeof barred - 1, &mo, &m) : NULL;
        if (CHECK(mod != NULL)) {
            sim_launch l = {
                .kernel = sim_module_kernel(mod, "k"), .grid = {1, 1, 1}, .block = {96, 1, 1}};
            sim_result r = {0};
            starved = !goes_back;
            sim_status status = sim_run(d, &l, &r, &m);
            starved = false;
            CHECK((status == SIM_OK) == goes_back);
            CHECK_INT(at, 3);
            sim_result_free(&r);
        }
        sim_module_free(mod);
        sim_device_free(d);
        sim_debug_free(g);
    }
}
#endif

int main(void) {
#ifdef STARVES
    test_starved();
#endif
    test_lines();
    test_points();
    test_break();
    test_watch();
    test_parted();
    test_barred();
    return check_done();
}
