/* Units of PTX that become one (runner/device/sim/load/link.h): what PTX ISA 5.4 and 11.6 say of
 * .extern, .visible, .weak and of names without, by running what was linked. */
#include "runner/base/message.h"
#include "runner/device/sim/load/link.h"
#include "tests/check.h"
#include "tests/said.h"
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

/* What the kernel "k" of the linked units stores at its parameter; 0 and *msg: it does not run. */
static unsigned value(const char *a, const char *b, const char *c, lib_message *msg) {
    char *unit[3] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, (char *)(uintptr_t)c},
         *text = NULL;
    size_t n;
    unsigned v = 0;
    if (sim_link_ptx(unit, c ? 3 : 2, &text, &n, msg)) return 0;
    sim_options o;
    sim_options_default(&o);
    o.threads = 1, o.memory_limit = 1 << 20;
    sim_device *d = sim_device_new(sim_profile_find("h200"), &o, msg);
    const sim_module_options mo = {.ptxas = ""};
    sim_module *m = sim_module_new(d, text, n, &mo, msg);
    sim_addr to;
    sim_malloc(d, 4, &to);
    sim_launch l = {.kernel = m ? sim_module_kernel(m, "k") : NULL,
                    .grid = {1, 1, 1},
                    .block = {1, 1, 1},
                    .params = &to,
                    .param_bytes = sizeof to};
    sim_result r = {0};
    if (l.kernel && !sim_run(d, &l, &r, msg)) sim_read(d, &v, to, 4);
    if (!v) printf("# %s\n%s\n", said(msg), text);
    sim_result_free(&r);
    sim_module_free(m);
    sim_device_free(d);
    free(text);
    return v;
}

#define CALL(f)                                                                                    \
    "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), " f                          \
    ", (x); ld.param.b32 %r1, [y]; }\n"
#define KERNEL(body)                                                                               \
    ".visible .entry k(.param .u64 o) {\n.reg .b32 %r<9>; .reg .b64 %d<4>;\n"                      \
    "ld.param.u64 %d1, [o];\nmov.u32 %r1, 5;\n" body "st.global.u32 [%d1], %r1;\nret;\n}\n"
#define FUNCTION(how, name, body)                                                                  \
    how " .func (.param .b32 r) " name "(.param .b32 a) { .reg .b32 %r<9>; "                       \
        "ld.param.b32 %r1, [a]; " body " st.param.b32 [r], %r1; ret; }\n"

static void linked(int line, const char *a, const char *b, const char *want) {
    lib_message msg;
    tell(&msg, "before", NULL);
    char *unit[] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b}, *text = NULL;
    size_t n = 0;
    CHECK_INT(sim_link_ptx(unit, 2, &text, &n, &msg), SIM_OK);
    check_that(text && !strcmp(text, want) && n == strlen(want) && !lib_message_any(&msg), __FILE__,
               line, "the linked text", text && n < 2000 ? text : "another");
    free(text);
}

/* Statement by statement: headers of the first unit alone; what another unit has too is renamed
 * where it is hidden, wherever it is a word of its own; of a weak definition the first, of others
 * its declaration. */
static void texts(void) {
    linked(__LINE__,
           HEAD ".global .u32 own = 1;\n.weak .func w() { ret; }\n .file 1 \"a\"\n.entry k() { "
                ".loc 1 2 3\n ld.global.u32 %own, [own]; own.own; ownn; \"own\" /* own */ }\n",
           HEAD ".global .u32 own;\n.weak .func w() { trap; }\n.file 1 \"b\"\n.file 3 "
                "\"c\"\n.func g() {.loc 1 5 6, own\n st.u32 [own+8], 1; call w; }\n",
           HEAD ".global .u32 own$u0 = 1;\n.weak .func w() { ret; }\n.file 1 \"a\"\n.entry k() { "
                ".loc 1 2 3\n ld.global.u32 %own, [own$u0]; own$u0.own; ownn; \"own\" /* own */ }\n"
                ".global .u32 own$u1;\n.extern .func w() \n;\n.file 2 \"b\"\n.file 4 "
                "\"c\"\n.func g() {.loc 2 5 6, own$u1\n st.u32 [own$u1+8], 1; call w; }\n");
    /* a hidden name that another unit only asks for or has for all is no less its own */
    linked(__LINE__, ".global .u32 x;\n.func f() { x; }\n",
           ".extern .global .u32 x;\n.func g() { x; }\n",
           ".global .u32 x$u0;\n.func f() { x$u0; }\n.extern .global .u32 x;\n.func g() { x; }\n");
    linked(__LINE__, ".global .u32 x;\n.func f() { x; }\n",
           ".visible .global .u32 x;\n.func g() { x; }\n",
           ".global .u32 x$u0;\n.func f() { x$u0; }\n.visible .global .u32 x;\n.func g() { x; }\n");
    /* one that no other unit knows stays */
    linked(__LINE__, ".const .u32 x = { 1, {2} };\n", ".shared .align 4 .b8 y[8];\n.tex .u64 z;\n",
           ".const .u32 x = { 1, {2} };\n.shared .align 4 .b8 y[8];\n.tex .u64 z;\n");
    /* a weak one gives way, to the strong one before it and behind it; a variable's value goes */
    linked(__LINE__, ".weak .global .u32 v = 1;\n", ".visible .global .u32 v = 2;\n",
           ".extern .global .u32 v \n;\n.visible .global .u32 v = 2;\n");
    linked(__LINE__, ".visible .global .u32 v = 2;\n",
           ".common .global .u32 w;\n.weak .global .u32 v = 1;\n",
           ".visible .global .u32 v = 2;\n.common .global .u32 w;\n.extern .global .u32 v \n;\n");
}

/* A name that the first and the last of three units have for themselves. */
static void three(void) {
    lib_message msg = {0};
    char own[] = ".global .u32 x;\n", other[] = ".global .u32 y;\n", *unit[] = {own, other, own},
         *text = NULL;
    size_t n;
    CHECK_INT(sim_link_ptx(unit, 3, &text, &n, &msg), SIM_OK);
    CHECK_STR(text, ".global .u32 x$u0;\n.global .u32 y;\n.global .u32 x$u2;\n");
    free(text);
}

/* The whole needs what any unit needs (PTX ISA 11.1.1, 11.1.2). */
static void newest_heads(void) {
    static const struct {
        const char *heads[3], *want;
    } rows[] = {
        {{".version 7.8\n.target sm_80\n", ".version 8.3\n.target sm_75\n",
          ".version 8.0\n.target sm_90\n"},
         ".version 8.3\n.target sm_90\n"},
        {{".version 8.10\n.target sm_90a\n", ".version 8.9\n.target sm_90\n",
          ".version 8.0\n.target sm_89\n"},
         ".version 8.10\n.target sm_90a\n"},
        {{".version 8.0\n.target sm_90\n", "// b\n.version 8.0\n.target sm_90a\n",
          ".version 7.0\n.target sm_80\n"},
         ".version 8.0\n.target sm_90a\n"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *unit[3], *text = NULL;
        size_t n;
        lib_message msg;
        for (unsigned u = 0; u < 3; u++) unit[u] = (char *)(uintptr_t)rows[k].heads[u];
        CHECK_INT(sim_link_ptx(unit, 3, &text, &n, &msg), SIM_OK);
        CHECK_STR(text ? text : "", rows[k].want);
        free(text);
    }
}

/* Of a name that is defined twice the message has 300 characters. */
static void long_names(void) {
    for (unsigned len = 299; len <= 301; len++) {
        lib_message msg = {0};
        char unit[400], name[400] = "", want[400], *both[] = {unit, unit}, *text = unit;
        size_t n;
        memset(name, 'n', len);
        snprintf(unit, sizeof unit, ".visible .global .u32 %s;\n", name);
        snprintf(want, sizeof want, "%.300s is defined in two of the units", name);
        CHECK_INT(sim_link_ptx(both, 2, &text, &n, &msg), SIM_BAD_PTX);
        CHECK_STR(said(&msg), want);
        CHECK(!text);
    }
}

/* More names than the table begins with, each of which both units have for themselves. */
static void many_names(void) {
    enum { NAMES = 2100, ROOM = NAMES * 64 };
    char *unit = malloc(ROOM), *want = malloc(ROOM);
    size_t n = 0, w = 0;
    for (unsigned k = 0; k < NAMES; k++)
        n += (size_t)snprintf(unit + n, ROOM - n, ".global .u32 name%u;\n", k);
    for (unsigned u = 0; u < 2; u++)
        for (unsigned k = 0; k < NAMES; k++)
            w += (size_t)snprintf(want + w, ROOM - w, ".global .u32 name%u$u%u;\n", k, u);
    linked(__LINE__, unit, unit, want);
    free(unit);
    free(want);
}

int main(void) {
    lib_message msg = {0};
    texts();
    three();
    newest_heads();
    long_names();
    many_names();
    /* another unit's function and variable, declared first or last */
    static const char uses[] =
        HEAD ".extern .func (.param .b32 r) far(.param .b32 a);\n.extern .global .align 4 .u32 "
             "var;\n" KERNEL(CALL("far") "ld.global.u32 %r2, [var]; add.u32 %r1, %r1, %r2;\n");
    static const char has[] = HEAD ".visible .global .align 4 .u32 var = 30;\n" FUNCTION(
        ".visible", "far", "mul.lo.u32 %r1, %r1, 10;");
    CHECK_INT(value(uses, has, NULL, &msg), 80);
    CHECK_INT(value(has, uses, NULL, &msg), 80);
    /* a variable that starts as the address of one that no unit has */
    static const char points[] = HEAD ".extern .global .align 4 .u32 nowhere;\n"
                                      ".visible .global .align 8 .u64 p = nowhere;\n" KERNEL("");
    CHECK_INT(value(points, has, NULL, &msg), 0);
    CHECK_CONTAINS(said(&msg), "initial value of p needs nowhere");
    msg = (lib_message){0};
    /* names that each unit has for itself, in functions, variables, initial values; words in
     * comments and strings stay */
    static const char one[] = HEAD
        "// helper { is not a name here\n.global .u32 own = 1;\n" FUNCTION("", "helper",
                                                                           "add.u32 %r1, %r1, 100;")
            FUNCTION(".visible", "far", CALL("helper")) ".visible .global .align 4 .u32 var = 7;\n";
    static const char two[] = HEAD
        "/* own } */ .global .align 4 .u32 own = 2;\n.global .align 8 .u64 at = own;\n.pragma "
        "\"own helper\";\n"
        ".extern .func (.param .b32 r) far(.param .b32 a);\n" FUNCTION("", "helper",
                                                                       "mul.lo.u32 %r1, %r1, 3;")
            KERNEL(CALL("helper") CALL("far") "ld.global.u64 %d2, [at]; ld.global.u32 %r2, [%d2]; "
                                              "mad.lo.u32 %r1, %r2, 1000, %r1;\n");
    CHECK_INT(value(one, two, NULL, &msg), 2115);
    CHECK_INT(value(two, one, NULL, &msg), 2115);
    /* a weak definition gives way to a strong one; of weak ones there is one */
    static const char weak[] = HEAD FUNCTION(".weak", "far", "mov.u32 %r1, 1;") KERNEL(CALL("far"));
    static const char strong[] = HEAD FUNCTION(".visible", "far", "mov.u32 %r1, 2;");
    static const char weak2[] =
        HEAD FUNCTION(".weak", "far", "mov.u32 %r1, 3;") ".weak .global .u32 var = 4;\n";
    CHECK_INT(value(weak, strong, NULL, &msg), 2);
    CHECK_INT(value(strong, weak, NULL, &msg), 2);
    CHECK_INT(value(weak, weak2, weak2, &msg), 1);
    /* twice defined for all: an error that names it */
    CHECK_INT(value(weak, strong, strong, &msg), 0);
    CHECK_CONTAINS(said(&msg), "far is defined in two");
    char *again = (char *)(uintptr_t)strong, *twice[] = {again, again}, *none = again;
    size_t none_len;
    CHECK_INT(sim_link_ptx(twice, 2, &none, &none_len, &msg), SIM_BAD_PTX);
    CHECK(!none);
    /* numbers of files are of a unit */
    char *unit[] = {HEAD ".file 1 \"a.cu\"\n" KERNEL(".loc 1 3 0\n"),
                    HEAD ".file 1 \"b.cu\"\n.file 2 \"c.h\"\n" FUNCTION(
                        ".visible", "far",
                        "\n.loc 2 7 0, function_name $L, inlined_at 1 9 0\nadd.u32 %r1, %r1, 1;")};
    char *text = NULL;
    size_t n;
    CHECK_INT(sim_link_ptx(unit, 2, &text, &n, &msg), SIM_OK);
    CHECK_CONTAINS(text, ".file 2 \"b.cu\"");
    CHECK_CONTAINS(text, ".file 3 \"c.h\"");
    CHECK_CONTAINS(text, ".loc 3 7 0");
    CHECK_CONTAINS(text, "inlined_at 2 9 0");
    CHECK_CONTAINS(text, ".loc 1 3 0");
    free(text);
    /* what is no PTX ends */
    static const char *const odd[] = {"",
                                      "{{{{",
                                      "}",
                                      "\"",
                                      "/*",
                                      ".func",
                                      ".visible .func (",
                                      ".global .u32 x = {",
                                      "....",
                                      "$ % _",
                                      "\\",
                                      ".file 1 \"a\nb\"\n"};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        char *both[] = {(char *)(uintptr_t)odd[k], (char *)(uintptr_t)odd[k]};
        CHECK_INT(sim_link_ptx(both, 2, &text, &n, &msg), SIM_OK);
        free(text);
    }
    return check_done();
}
