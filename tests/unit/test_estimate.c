/* Registers without the assembler: the most values alive at once, counted by hand. A value lives
 * from its first to its last mention, and through a whole loop that it enters; 32 bits are a
 * register, 64 two, predicates none; six more and an even number, at least 16, at most 255 and
 * .maxnreg (runner/device/sim/load/estimate.c). */
#include "runner/base/message.h"
#include "runner/device/sim/load/resources.h"
#include "runner/device/sim/parse/parse.h"
#include "tests/check.h"
#include "tests/said.h"
#include <ctype.h>
#include <stdarg.h>

enum { GROUP = 3, TEXT = 1 << 16 };

typedef struct {
    char text[TEXT];
    size_t n;
} writer;
__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    w->n += (size_t)vsnprintf(w->text + w->n, TEXT - w->n, fmt, ap);
    va_end(ap);
}
static void begin(writer *w, const char *directive) {
    w->n = 0;
    put(w,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) %s{\n"
        ".shared .align 4 .b8 s[1040]; .local .align 4 .b8 l[24];\n"
        ".reg .b64 %%e<99>, %%d; .reg .pred %%p<99>; .reg .b16 %%h<99>; .reg .b32 %%r<400>;\n"
        "ld.param.u64 %%d,[a];\n",
        directive);
}
static sim_resource estimate(writer *w) {
    put(w, "ret;\n}\n");
    lib_message msg = {0};
    ptx_module *m = ptx_parse(w->text, w->n, &msg);
    CHECK_STR(said(&msg), "");
    sim_resource r = m ? sim_resources_estimate(m->funcs[0]) : (sim_resource){0};
    ptx_free(m);
    return r;
}
static void is(int line, const char *what, sim_resource r, unsigned want) {
    char why[80];
    snprintf(why, sizeof why, "%u registers, by hand %u", r.registers, want);
    check_that(r.registers == want && r.shared == 1040 && r.stack == 24 && !r.exact && !r.barriers,
               __FILE__, line, what, why);
}

/* n values are made, then each is used, beside an address of two registers: n + 2 at once. */
static void counts(void) {
    static const struct {
        const char *make, *use, *directive;
        unsigned n, want;
    } rows[] = {
#define WORDS "mov.u32 %%r%u,%%tid.x;", "st.global.u32 [%%d],%%r%u;"
        {WORDS, "", 1, 16},
        {WORDS, "", 8, 16},
        {WORDS, "", 9, 16}, /* 17 */
        {WORDS, "", 10, 18},
        {WORDS, "", 11, 18},
        {WORDS, "", 12, 20},
        {WORDS, "", 246, 254},
        {WORDS, "", 247, 254}, /* 255, and an even number */
        {WORDS, "", 248, 255},
        {WORDS, "", 300, 255},
        {WORDS, ".maxnreg 28 ", 20, 28},
        {WORDS, ".maxnreg 28 ", 22, 28},
        {WORDS, ".maxnreg 28 ", 18, 26},
        {WORDS, ".maxnreg 8 ", 1, 8},
        {"mov.u64 %%e%u,%%clock64;", "st.global.u64 [%%d],%%e%u;", "", 10, 28},
        {"mov.u16 %%h%u,7;", "st.global.u16 [%%d],%%h%u;", "", 20, 28},
        {"setp.eq.u32 %%p%u,1,2;", "@%%p%u st.global.u32 [%%d],7;", "", 40, 16},
        /* named in a vector; as an address */
        {"mov.u32 %%r%u,%%tid.x;", "st.global.v2.u32 [%%d],{%%r%u,7};", "", 20, 28},
        {"mov.u32 %%r%u,%%tid.x;", "st.shared.u32 [%%r%u+4],7;", "", 20, 26}, /* no %d1 */
        /* never used: none lives */
        {"mov.u32 %%r%u,%%tid.x;", "membar.gl;", "", 40, 16},
    };
    static writer w;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin(&w, rows[k].directive);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        for (unsigned i = 1; i <= rows[k].n; i++) put(&w, rows[k].make, i), put(&w, "\n");
        for (unsigned i = 1; i <= rows[k].n; i++) put(&w, rows[k].use, i), put(&w, "\n");
#pragma GCC diagnostic pop
        is(__LINE__, rows[k].use, estimate(&w), rows[k].want);
    }
}

/* A: values of six registers are made; a: each is used; $: so is the address, of two, that the
 * first instruction made; &: two values of two registers are made by one instruction; %: used; 0: a
 * label; ^0, >0: a branch to it. */
static void loops(void) {
    static const struct {
        const char *program;
        unsigned most; /* registers at once */
    } rows[] = {
        {"Aa", 6},
        {"ABab", 12},
        {"ABCcba", 18},
        {"AaBbCc", 6},
        {"A0aBb^0", 12},        /* it goes on: A is used again */
        {"A0a^0Bb", 6},         /* it is over */
        {"0AaBb^0", 6},         /* made anew in each round */
        {"A>0aBb0Cc", 6},       /* no loop: forward */
        {"A0a^0Bb^0", 12},      /* two ways back */
        {"A0Bb1Cc^1a^0", 12},   /* used behind the inner loop */
        {"A01a^1Bb^0", 12},     /* before both: to the end of the outer one */
        {"0A1a^1Bb^0", 6},      /* between: to the end of the inner one */
        {"0A1aBb^1Cc^0", 12},   /* which that is */
        {"A0B1ab^1Cc^0", 12},   /* B ends where C is made, A does not */
        {"A0B1abCc^1Dd^0", 18}, /* and C in the inner one, beside both */
        {"A0a1^0Bb^1", 12},     /* loops that meet are one */
        {"A0a^01Bb^1", 6},      /* these do not */
        {"A0a1^02^13^2Bb^3", 12},
        {"A0a1^02^1^2Bb3^3", 6},
        {"A0aB1b^1Cc^0Dd", 12},
        {"$ABCabc", 18},
        {"ABC$abc", 20},
        {"ABCabc$", 20},
        {"0$ABCabc^0", 20},
        {"0$^0ABCabc", 18},
        {"0$1^0ABCabc^1", 20},
        {"BCbcAa", 12},
        {"&ABCabc%", 22},
        {"&0%ABCabc^0", 22},
        {"&0%^0ABCabc", 18},
    };
    static writer w;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        begin(&w, "");
        for (const char *c = rows[k].program; *c; c++) {
            unsigned group = (unsigned)(toupper(*c) - 'A') * GROUP;
            if (isdigit(*c)) put(&w, "L%c:\n", *c);
            else if (*c == '^' || *c == '>') put(&w, "@%%p1 bra L%c;\n", *++c);
            else if (*c == '$') put(&w, "st.global.u32 [%%d],7;\n");
            else if (*c == '&') put(&w, "ld.shared.v2.u64 {%%e88,%%e89},[8];\n");
            else if (*c == '%') put(&w, "st.shared.v2.u64 [8],{%%e88,%%e89};\n");
            else
                for (unsigned i = 0; i < GROUP; i++)
                    put(&w,
                        isupper(*c) ? "mov.u64 %%e%u,%%clock64;\n" : "st.shared.u64 [8],%%e%u;\n",
                        group + i);
        }
        is(__LINE__, rows[k].program, estimate(&w), rows[k].most < 10 ? 16 : rows[k].most + 6);
    }
}

int main(void) {
    counts();
    loops();
    return check_done();
}
