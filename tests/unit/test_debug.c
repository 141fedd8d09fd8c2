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
        CHECK(number(d, -1, "-2 + 3 * 4 % 5 << 1") == 0);
        /* C's unary operators, of whole numbers and of others */
        CHECK(number(d, -1, "+i") == 75 && number(d, -1, "-i") == -75 &&
              number(d, -1, "~i") == -76);
        CHECK(number(d, -1, "+kept[3]") == 1.5 && number(d, -1, "-kept[3]") == -1.5);
        CHECK(number(d, -1, "!i") == 0 && number(d, -1, "!kept[0]") == 1);
        CHECK(number(d, -1, "!!kept[3] + - + -i") == 76);
        CHECK_STR(text_of(d, "~kept[3]", text, sizeof text), "(error)");
        CHECK(number(d, -1, "blockIdx.x * blockDim.x + threadIdx.x") == 75);
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

int main(void) {
    test_break();
    test_watch();
    return check_done();
}
