/* What the executor takes: every instruction of tests/ptx/coverage.txt (what public programs
 * compile to) must decode, and must stand in some test that runs it; what does not decode must say
 * so in one line that names the instruction's line. */
#include "runner/base/message.h"
#include "check.h"
#include "tests/said.h"
#include "ptx_fixture.h"
#include "runner/device/sim/decode/live.h"
#include "runner/device/sim/module/module.h"
#include "runner/device/sim/special/devlib.h"

static sim_device *d;

/* NULL: it decodes. */
static const char *refusal(const char *line, size_t len) {
    static char why[1100];
    char text[8192];
    lib_message msg = {0};
    sim_module_options mo = {.ptxas = ""};
    snprintf(text, sizeof text, "%s%.*s%s", PTX_FIXTURE_HEAD, (int)len, line, PTX_FIXTURE_TAIL);
    sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
    sim_kernel *k = m ? sim_module_kernel(m, "k") : NULL;
    bool ok = k && sim_kernel_image(k, &msg);
    snprintf(why, sizeof why, "%s", said(&msg));
    sim_module_free(m);
    return ok ? NULL : why;
}

static void must_decode(const char *line, size_t len, void *user) {
    const char *why = refusal(line, len);
    *(unsigned *)user += !why;
    if (why) printf("# %.*s\n#     %s\n", (int)len, line, why);
}

/* ---- does some test run it? ---- */

static char *ops, *behave, *tested;

/* The instruction without its guard, up to its operands. */
static size_t key_of(const char **line) {
    while (**line == '{' || **line == ' ' || **line == '\t') ++*line;
    if (**line == '@') *line += strcspn(*line, " ") + 1;
    return strcspn(*line, " ;\n\t");
}

/* A line of the text begins with it. */
static bool stands_in(const char *text, const char *key, size_t len) {
    for (const char *l = text; l && *l; l += strcspn(l, "\n"), l += *l == '\n') {
        const char *at = l;
        size_t n = key_of(&at);
        if (n == len && !memcmp(at, key, len)) return true;
    }
    return false;
}

static void must_be_tested(const char *line, size_t len, void *user) {
    const char *at = line;
    size_t n = key_of(&at);
    bool memory = !strncmp(at, "ld.", 3) || !strncmp(at, "st.", 3) || !strncmp(at, "atom.", 5) ||
                  !strncmp(at, "red.", 4); /* test_exec_mem.c */
    bool yes =
        memory || stands_in(ops, at, n) || stands_in(behave, at, n) || stands_in(tested, at, n);
    *(unsigned *)user += yes;
    if (!yes) printf("# no test runs %.*s\n", (int)len, line);
}

/* ---- branches that the assembler would predicate ---- */

/* Half of a warp jumps over what stands between. It is a branch of the machine's if that is more
 * than seven instructions (but for moves, shifts and widening products, which addresses take up),
 * or if it is one that cannot be predicated, or if both ways have code of their own; a jump to the
 * end never is. */
static void test_short_ifs(void) {
#define ADD  "add.u32 %r3, %r3, 1; "
#define ADD6 ADD ADD ADD ADD ADD ADD
#define JOIN "J: add.u32 %r3, %r3, 2; st.global.u32 [%d1], %r3; ret; "
    static const struct {
        const char *body;
        unsigned machine;
    } rows[] = {
        {"@%p1 bra J; " ADD JOIN, 0},
        {"@%p1 bra J; " ADD6 ADD JOIN, 0},
        {"@%p1 bra J; " ADD6 ADD ADD JOIN, 1},
        {"@!%p1 bra J; " ADD6 ADD ADD JOIN, 1},
        {"@%p1 bra J; " ADD6 ADD
         "mov.u32 %r4, 1; shl.b32 %r4, %r4, 1; mul.wide.u32 %d2, %r4, 4; " JOIN,
         0},
        {"@%p1 bra J; " ADD6 "shr.u32 %r4, %r4, 1; mul.lo.u32 %r4, %r4, 4; " JOIN, 1},
        {"@%p1 bra J; div.u32 %r3, %r3, 3; " JOIN, 1},
        {"@%p1 bra J; div.rn.f32 %f1, %f1, %f1; " JOIN, 1},
        {"@%p1 bra J; div.rn.f64 %e1, %e1, %e1; " JOIN, 1},
        {"@%p1 bra J; shfl.sync.idx.b32 %r3, %r3, 0, 31, 0xffff0000; " JOIN, 1},
        {"@%p1 bra J; bar.arrive 1, 64; " JOIN, 1},
        {"@%p1 bra J; call fn; " JOIN, 1},
        /* to the end, however far */
        {"@%p1 bra J; " ADD6 ADD6 "st.global.u32 [%d1], %r3; J: ret; ", 0},
        {"@%p1 bra J; " ADD6 ADD6 "st.global.u32 [%d1], %r3; J: exit; ", 0},
        {"@%p1 bra J; " ADD6 ADD6 "st.global.u32 [%d1], %r3; J: add.u32 %r3, %r3, 1; ret; ", 1},
        /* to one instruction that is none */
        {"@%p1 bra J; " ADD6 ADD6 "J: bra K; L: st.global.u32 [%d1], %r3; ret; K: bra L; ", 1},
        /* two ways */
        {"@%p1 bra E; " ADD "bra J; E: " ADD JOIN, 1},
        /* out of what is skipped there is another way */
        {"@%p1 bra J; @%p2 bra K; " ADD JOIN "K: " ADD "ret; ", 1},
        {"@%p1 bra J; ret; " JOIN, 1},
        /* backwards: a loop that half of the lanes take twice */
        {"L: setp.lt.u32 %p3, %r4, %r5; add.u32 %r4, %r4, 1; @%p3 bra L; " JOIN, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[3000];
        lib_message msg = {0};
        sim_module_options mo = {.ptxas = ""};
        sim_result r = {0};
        snprintf(text, sizeof text, "%s%s}\n",
                 ".version 9.0\n.target sm_90\n.address_size 64\n.func fn() { ret; }\n"
                 ".global .b32 to;\n.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 "
                 "%d<4>; .reg .f32 %f<2>; .reg .f64 %e<2>;\nmov.u32 %r1, %tid.x; mov.b64 %d1, to; "
                 "mov.u32 %r3, 0; mov.u32 %r4, 0; mov.f32 %f1, 0f3F800000;\n"
                 "mov.f64 %e1, 0d3FF0000000000000; setp.lt.u32 %p1, %r1, 16;\n"
                 "setp.eq.u32 %p2, %r1, 99; selp.u32 %r5, 1, 0, %p1;\n",
                 rows[k].body);
        sim_module *m = sim_module_new(d, text, strlen(text), &mo, &msg);
        sim_launch l = {
            .kernel = m ? sim_module_kernel(m, "k") : NULL, .grid = {1, 1, 1}, .block = {32, 1, 1}};
        bool ran = l.kernel && sim_run(d, &l, &r, &msg) == SIM_OK;
        if (!ran) printf("# %s\n", said(&msg));
        check_that(ran && r.counters.divergent_branches == 1, __FILE__, __LINE__, rows[k].body,
                   "is not one divergent branch");
        check_that(ran && r.counters.divergent_branches_machine == rows[k].machine, __FILE__,
                   __LINE__, rows[k].body, "as the machine counts");
        sim_result_free(&r);
        sim_module_free(m);
    }
}

/* By ops.def: the first operand of a row that begins with one of d, D, V and W is written, of one
 * that begins with s it is not. */
static void test_destinations(void) {
    static const struct {
        unsigned op; /* of a row OP; 0: a row FORM of the last */
        ptx_class klass;
        const char *operands;
    } rows[] = {
#define OP(name, mnemonic, decoder, ends, doc) {PTX_OP_##name, PTX_CLASS_INT, ""},
#define FORM(klass, types, mods, operands)     {0, PTX_CLASS_##klass, operands},
#include "runner/device/sim/ptx/ops.def"
#undef OP
#undef FORM
    };
    ptx_insn i = {.nopnds = 1};
    unsigned written = 0, read = 0, bad = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].op) i.op = (uint16_t)rows[k].op;
        i.klass = (uint8_t)rows[k].klass;
        char first = *rows[k].operands;
        bool source = first == 's', destination = first && strchr("dDVW", first);
        if (!source && !destination) continue;
        read += source, written += destination;
        if (sim_has_destination(&i) == destination) continue;
        bad++;
        printf("# %s\n", ptx_op_get(i.op)->mnemonic);
    }
    CHECK_INT(bad, 0);
    CHECK(read >= 12 && written > 300);
}

int main(void) {
    test_destinations();
    lib_message msg;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1;
    d = sim_device_new(sim_profile_find("h200"), &o, &msg);
    CHECK(d != NULL);
    if (!d) return check_done();
    unsigned taken = 0, n = each_line("tests/ptx/coverage.txt", must_decode, &taken);
    CHECK(n > 600);
    CHECK_INT(taken, n);
    /* What a kernel calls decides whether its blocks may run side by side. */
    CHECK(sim_builtin_ordered("malloc") && sim_builtin_ordered("free"));
    CHECK(sim_builtin_ordered("cudaGraphSetConditional"));
    CHECK(!sim_builtin_ordered("vprintf") && !sim_builtin_ordered("__assertfail"));
    size_t len;
    ops = read_text("tests/ptx/ops.txt", &len);
    behave = read_text("tests/ptx/behave.ptx", &len);
    tested = read_text("tests/ptx/tested.txt", &len);
    taken = 0;
    n = each_line("tests/ptx/coverage.txt", must_be_tested, &taken);
    CHECK_INT(taken, n);
    for (char *l = tested; l && *l;
         l += strcspn(l, "\n"), l += *l == '\n') { /* the programs are there */
        char name[64], path[128];
        if (sscanf(l, "%*s %63s", name) != 1 || *l == '#') continue;
        snprintf(path, sizeof path, "tests/cuda/%s.cu", name);
        FILE *f = fopen(path, "r");
        if (!f) check_that(0, __FILE__, __LINE__, l, "no such program");
        else fclose(f);
    }
    free(ops), free(behave), free(tested);
    test_short_ifs();
    if (getenv("FORMS")) each_line("tests/ptx/forms.txt", must_decode, &taken);
    sim_device_free(d);
    return check_done();
}
