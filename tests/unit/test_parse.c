/* What a module comes to, as a whole: variables, parameters and their places, what is written into
 * bodies that the text does not hold, and all that is said of what is wrong. Sizes and places
 * follow PTX ISA 5.1 to 5.4 and 7.1 (each thing at the next multiple of its alignment, which is
 * that of its type, of a vector its whole size, unless it is given), bodies the head of insn.c. */
#include <inttypes.h>
#include "runner/base/message.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

#define START ".version 9.0\n.target sm_90\n.address_size 64\n"

static char out[4000];
static size_t at;
#define PUT(...) (at += (size_t)snprintf(out + at, sizeof out - at, __VA_ARGS__))

/* SPACE NAME TYPE/ALIGN @OFFSET+BYTES and what else is true of it, then its bytes and
 * relocations. */
static void put_var(const ptx_var *v) {
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const", "param"};
    PUT("%s %s %s/%u @%" PRIu64 "+%" PRIu64 "%s%s%s%s%s", spaces[v->space], v->name,
        ptx_type_text(v->type), v->align, v->offset, v->bytes, v->is_extern ? " extern" : "",
        v->visible ? " visible" : "", v->managed ? " managed" : "", v->owner ? " of " : "",
        v->owner ? v->owner->name : "");
    for (uint64_t i = 0; v->init && i < v->bytes; i++) PUT("%s%02x", i % 4 ? "" : " ", v->init[i]);
    for (size_t k = 0; k < v->reloc_count; k++) {
        const ptx_reloc *r = &v->relocs[k];
        PUT(" [%" PRIu64 "+%u: %s%s%+" PRId64 " >> %u]", r->at, r->bytes,
            r->generic ? "generic " : "", r->symbol, r->addend, r->shift);
    }
    PUT("\n");
}
static void put_vars(const char *what, const ptx_var *v, size_t n, uint32_t bytes) {
    if (n || bytes) PUT("%s %u:\n", what, bytes);
    for (size_t k = 0; k < n; k++) put_var(&v[k]);
}

static const char *module_text(const char *body) {
    static char text[4000];
    char line[200];
    lib_message msg = {0};
    snprintf(text, sizeof text, START "%s", body);
    ptx_module *m = ptx_parse(text, strlen(text), &msg);
    at = 0, out[0] = 0;
    if (!m) return PUT("%.*s", (int)strcspn(said(&msg), "\n"), said(&msg)), out;
    for (size_t k = 0; k < m->var_count; k++) put_var(m->vars[k]);
    for (size_t f = 0; f < m->func_count; f++) {
        const ptx_func *fn = m->funcs[f];
        CHECK(fn->next == (f + 1 < m->func_count ? m->funcs[f + 1] : NULL));
        PUT("%s %s line %u%s\n", fn->entry ? "entry" : "func", fn->name, fn->ptx_line,
            fn->has_body ? "" : " declared");
        put_vars("returns", fn->rets, fn->ret_count, fn->ret_bytes);
        put_vars("takes", fn->params, fn->param_count, fn->param_bytes);
        put_vars("locals", fn->locals, fn->local_count, fn->local_bytes);
        put_vars("calls", fn->call_params, fn->call_param_count, fn->call_param_bytes);
        for (size_t r = 0; r < fn->reg_count; r++)
            PUT("%s%s %s", r ? ", " : "", fn->reg_name[r],
                ptx_type_text((ptx_type)fn->reg_type[r]));
        if (fn->reg_count) PUT("\n");
        for (size_t i = 0; i < fn->insn_count; i++) {
            ptx_disassemble(fn, &fn->insns[i], line, sizeof line);
            PUT("%u %s\n", fn->insns[i].ptx_line, line);
        }
    }
    ptx_free(m);
    return out;
}

typedef struct {
    const char *body, *want;
} row;
static void compare(const row *rows, size_t n) {
    for (size_t k = 0; k < n; k++) {
        const char *got = module_text(rows[k].body);
        if (!CHECK(!strcmp(got, rows[k].want)))
            printf("# %s\n# got:\n%s\n# want:\n%s\n", rows[k].body, got, rows[k].want);
    }
}
#define COMPARE(rows) compare(rows, sizeof(rows) / sizeof *(rows))

static void test_variables(void) {
    static const row rows[] = {
        {".global .u8 a; .visible .const .f64 b; .weak .global .b16 c; .common .global .s32 d;",
         "global a .u8/1 @0+1\nconst b .f64/8 @0+8 visible\nglobal c .b16/2 @0+2 visible\n"
         "global d .s32/4 @0+4 visible\n"},
        {".global .v2 .u16 a; .global .v4 .f32 b[3][2]; .global .align 64 .v4 .u8 c[5];",
         "global a .u16/4 @0+4\nglobal b .f32/16 @0+96\nglobal c .u8/64 @0+20\n"},
        {".global .v2 .u8 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][2];\n"
         ".global .u8 b[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][3];",
         "global a .u8/2 @0+4\nglobal b .u8/1 @0+3\n"},
        {".global .align 2 .b64 a; .global .u32 .v2 b; .global .texref t; .tex .u64 u;",
         "global a .b64/2 @0+8\nglobal b .u32/8 @0+8\nglobal t .texref/8 @0+8\n"
         "global u .u64/8 @0+8\n"},
        {".global .attribute(.managed) .u32 a[2]; .const .attribute(.managed) .u32 b;\n"
         ".global .attribute(.unified(1, 2), .managed) .u32 c; .global .attribute(.unified(1)) .u8 "
         "d;",
         "global a .u32/4 @0+8 managed\nconst b .u32/4 @0+4\nglobal c .u32/4 @0+4 managed\n"
         "global d .u8/1 @0+1\n"},
        /* each name its own brackets and values */
        {".global .u16 a, b = 258, c[2] = {3}, d[] = {1, 2, 3};",
         "global a .u16/2 @0+2\nglobal b .u16/2 @0+2 0201\nglobal c .u16/2 @0+4 03000000\n"
         "global d .u16/2 @0+6 01000200 0300\n"},
        /* declared, then defined: one; and the other way round */
        {".extern .global .u32 a; .global .u8 b; .global .u32 a = 5;",
         "global a .u32/4 @0+4 05000000\nglobal b .u8/1 @0+1\n"},
        {".global .u32 a = 5; .extern .global .u32 a; .extern .global .u32 a;",
         "global a .u32/4 @0+4 05000000\n"},
        {".extern .global .u32 a; .extern .const .b8 b[];",
         "global a .u32/4 @0+4 extern\nconst b .b8/1 @0+0 extern\n"},
        {".extern .global .u32 a; .const .u32 a;",
         "PTX line 4, column 37: 'a' is declared twice in this scope"},
        {".global .u32 a; .global .u32 a;",
         "PTX line 4, column 30: 'a' is declared twice in this scope"},
        /* as in C: a brace begins the next row, numbers without braces go on */
        {".global .u8 a[2][3] = {{1}, {2, 3}}; .global .u8 b[2][3] = {1, 2, 3, 4};\n"
         ".global .u8 c[2][3] = {1, {2}}; .global .u8 d[][2] = {{1, 2}, 3}; .global .u8 e[2] = {};",
         "global a .u8/1 @0+6 01000002 0300\nglobal b .u8/1 @0+6 01020304 0000\n"
         "global c .u8/1 @0+6 01000002 0000\nglobal d .u8/1 @0+4 01020300\n"
         "global e .u8/1 @0+2 0000\n"},
        {".global .v2 .u8 a[2] = {{1, 2}, {3, 4}}; .global .u8 b[2][2][2] = {{{1}, {2}}, {3, 4, "
         "5}};",
         "global a .u8/2 @0+4 01020304\nglobal b .u8/1 @0+8 01000200 03040500\n"},
        {".global .f32 a = 1, b = 1.5, c = 0d3FF8000000000000, d = 0f7FC00001; .global .f64 e = 2;",
         "global a .f32/4 @0+4 0000803f\nglobal b .f32/4 @0+4 0000c03f\n"
         "global c .f32/4 @0+4 0000c03f\nglobal d .f32/4 @0+4 0100c07f\n"
         "global e .f64/8 @0+8 00000000 00000040\n"},
        /* addresses: wholly, with an offset, byte by byte */
        {".global .u8 x; .global .u64 a[4] = {x, x + 8, 7, generic(x) - 1};",
         "global x .u8/1 @0+1\n"
         "global a .u64/8 @0+32 00000000 00000000 00000000 00000000 07000000 00000000 00000000 "
         "00000000 [0+8: x+0 >> 0] [8+8: x+8 >> 0] [24+8: generic x-1 >> 0]\n"},
        {".global .u8 x; .global .u8 a[3] = {0xff(x), 0xff00(x + 2), "
         "0xff00000000000000(generic(x))};\n"
         ".global .u32 b = 0xffff0000(x); .global .u32 c = generic(x + 1) + 2; .global .u64 d = "
         "0xffffffffffffffff(x);",
         "global x .u8/1 @0+1\nglobal a .u8/1 @0+3 000000 [0+1: x+0 >> 0] [1+1: x+2 >> 8] "
         "[2+1: generic x+0 >> 56]\nglobal b .u32/4 @0+4 00000000 [0+2: x+0 >> 16]\n"
         "global c .u32/4 @0+4 00000000 [0+4: generic x+3 >> 0]\n"
         "global d .u64/8 @0+8 00000000 00000000 [0+8: x+0 >> 0]\n"},
    };
    COMPARE(rows);
}

static void test_places(void) {
    static const row rows[] = {
        {".entry k(.param .u8 a, .param .u32 b, .param .align 16 .b8 c[20], .param .v2 .f32 d[1],\n"
         ".param .u64 .ptr .global .align 8 p, .param .u8 e) { ret; }",
         "entry k line 4\ntakes 57:\nparam a .u8/1 @0+1\nparam b .u32/4 @4+4\n"
         "param c .b8/16 @16+20\nparam d .f32/8 @40+8\nparam p .u64/8 @48+8\nparam e .u8/1 @56+1\n"
         "5 ret;\n"},
        {".func (.param .v4 .f32 r[1]) f(.param .u16 a, .param .b8 rest[]);\n"
         ".func g(.param .b32 _, .param .b32 _) { ret; }",
         "func f line 4 declared\nreturns 16:\nparam r .f32/16 @0+16\ntakes 2:\n"
         "param a .u16/2 @0+2\nparam rest .b8/1 @2+0\nfunc g line 5\ntakes 8:\n"
         "param _ .b32/4 @0+4\nparam _ .b32/4 @4+4\n5 ret;\n"},
        {".entry k() {\n.local .align 8 .b8 x[12]; .local .u16 y;\n{ .local .u32 z; }\nret; }",
         "entry k line 4\nlocals 20:\nlocal x .b8/8 @0+12 of k\nlocal y .u16/2 @12+2 of k\n"
         "local z .u32/4 @16+4 of k\n7 ret;\n"},
        /* scopes beside each other have the same place, which begins behind what is around them */
        {".entry k() {\n.param .b32 q; { .param .b64 r; { .param .b8 s; } }\n"
         "{ .param .b16 t; .param .align 8 .b8 u[4]; } .param .b8 v; ret; }",
         "entry k line 4\ncalls 17:\nparam q .b32/4 @0+4 of k\nparam r .b64/8 @8+8 of k\n"
         "param s .b8/1 @16+1 of k\nparam t .b16/2 @4+2 of k\nparam u .b8/8 @8+4 of k\n"
         "param v .b8/1 @4+1 of k\n6 ret;\n"},
        {".entry k() { .global .u32 g = 1; .const .u32 c; ret; } .entry l() { ret; }",
         "global g .u32/4 @0+4 of k 01000000\nconst c .u32/4 @0+4 of k\n"
         "entry k line 4\n4 ret;\nentry l line 4\n4 ret;\n"},
        /* a declaration that a body follows, and an alias */
        {".func f(.param .b32 a);\n.entry k();\n.func g() { ret; }\n.entry k() { ret; }\n"
         ".func f(.param .b32 b) { exit; }\n.func h(.param .b32 c);\n.alias h, f;",
         "func f line 8\ntakes 4:\nparam b .b32/4 @0+4\n8 exit;\nentry k line 7\n7 ret;\n"
         "func g line 6\n6 ret;\nfunc h line 8\ntakes 4:\nparam b .b32/4 @0+4\n8 exit;\n"},
        {".func f() { ret; }\n.func f();", "func f line 4\n4 ret;\n"},
    };
    COMPARE(rows);
}

static void test_bodies(void) {
#define K   ".entry k() {\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .b16 %h<9>;\n"
#define K_  "entry k line 4\n"
#define R1  "%r1 .b32\n"
#define R12 "%r1 .b32, %r2 .b32"
    static const row rows[] = {
        /* a ret where control falls off the end */
        {K "}", K_ "6 ret;\n"},
        {K "mov.b32 %r1, 1;\n}", K_ R1 "6 mov.b32 %r1, 1;\n7 ret;\n"},
        {K "ret;\n}", K_ "6 ret;\n"},
        {K "exit;\n}", K_ "6 exit;\n"},
        {K "trap;\n}", K_ "6 trap;\n"},
        {K "@%p1 ret;\n}", K_ "%p1 .pred\n6 @%p1 ret;\n7 ret;\n"},
        {K "L: bra L;\n}", K_ "6 bra $L0;\n"},
        {K "@!%p1 bra L; ret; L:\n}", K_ "%p1 .pred\n6 @!%p1 bra $L2;\n6 ret;\n7 ret;\n"},
        {K "T: .branchtargets L; L: brx.idx %r1, T;\n}", K_ R1 "6 brx.idx %r1, $T0;\n"},
        /* mov of vectors: one by one, and through a copy what would be overwritten */
        {K "mov.v2.u32 {%r1, %r2}, {%r3, %r4}; ret; }",
         K_ R12 ", %r3 .b32, %r4 .b32\n6 mov.u32 %r1, %r3;\n6 mov.u32 %r2, %r4;\n6 ret;\n"},
        {K "mov.v2.u32 {%r1, %r2}, {%r2, %r1}; ret; }",
         K_ R12 ", %copy .b32\n6 mov.u32 %copy, %r1;\n6 mov.u32 %r1, %r2;\n"
                "6 mov.u32 %r2, %copy;\n6 ret;\n"},
        {K "mov.v2.u32 {%r1, %r2}, {%r1, %r2}; ret; }",
         K_ R12 "\n6 mov.u32 %r1, %r1;\n6 mov.u32 %r2, %r2;\n6 ret;\n"},
        {K "@%p1 mov.v4.u32 {%r1, _, %r2, %r3}, {5, %r1, %r1, %r4}; ret; }",
         K_ "%p1 .pred, " R12
            ", %r3 .b32, %r4 .b32, %copy .b32, %copy .b32\n6 @%p1 mov.u32 %copy, %r1;\n"
            "6 @%p1 mov.u32 %copy, %r1;\n6 @%p1 mov.u32 %r1, 5;\n6 @%p1 mov.u32 %r2, %copy;\n"
            "6 @%p1 mov.u32 %r3, %r4;\n6 ret;\n"},
        {K ".reg .v4 .u32 %v; mov.v4.u32 %v, %tid; mov.u32 %r1, %v.w; mov.u32 %r2, %v.y; ret; }",
         K_ "%v.x .u32, %v.y .u32, %v.z .u32, %v.w .u32, " R12
            "\n6 mov.u32 %v.x, %tid.x;\n6 mov.u32 %v.y, %tid.y;\n6 mov.u32 %v.z, %tid.z;\n"
            "6 mov.u32 %v.w, 0;\n6 mov.u32 %r1, %v.w;\n6 mov.u32 %r2, %v.y;\n6 ret;\n"},
        {K ".reg .v2 .f32 %v; ld.global.v2.f32 %v, [%d1]; .reg .v4 .b32 %c; mov.b32 %r1, %c.a;\n"
           "mov.b32 %r1, %c.r; ret; }",
         K_ "%v.x .f32, %v.y .f32, %d1 .b64, %r1 .b32, %c.x .b32, %c.y .b32, %c.z .b32, %c.w .b32\n"
            "6 ld.global.v2.f32 {%v.x, %v.y}, [%d1];\n6 mov.b32 %r1, %c.w;\n7 mov.b32 %r1, %c.x;\n"
            "7 ret;\n"},
        /* a sum that is stored */
        {K "st.global.u32 [%d1], %r1+4;\n@!%p1 st.global.u64 [%d1], %d2 + 8; ret; }",
         K_ "%d1 .b64, %r1 .b32, %sum .b32, %p1 .pred, %d2 .b64, %sum .b64\n"
            "6 add.u32 %sum, %r1, 4;\n6 st.global.u32 [%d1], %sum;\n"
            "7 @!%p1 add.u64 %sum, %d2, 8;\n7 @!%p1 st.global.u64 [%d1], %sum;\n7 ret;\n"},
        {K "st.global.u32 [%d1], %r1+0; ret; }",
         K_ "%d1 .b64, %r1 .b32\n6 st.global.u32 [%d1], %r1;\n6 ret;\n"},
        {K "st.global.u16 [%d1], %h1+2; ret; }",
         "PTX line 6, column 22: a sum to be stored needs a register of 32 or 64 bits"},
        {K "st.global.v2.u32 [%d1], {%r1+1, %r2}; ret; }",
         "PTX line 6, column 29: expected '}' at the end of the list, found '+'"},
        {K "add.u32 %r1, %r1+1, %r2; ret; }",
         "PTX line 6, column 17: expected ',' or ';' after the operand, found '+'"},
        /* addresses */
        {K
         ".shared .u32 s[9]; ld.shared.u32 %r1, [s[2]]; ld.shared.u32 %r1, [s[2]+3];\n"
         "ld.shared.u32 %r1, [s-4]; ld.shared.u32 %r1, [8]; ld.shared.u32 %r1, [%r1+-8];\n"
         "ld.shared.u32 %r1, [%r1+4*2]; ld.shared.u32 %r1, [%r1 - 4]; ld.shared.u32 %r1, "
         "[WARP_SZ];\nmov.u32 %r1, s + 12; mov.u32 %r1, s; ld.shared.u32 %r1, [%r1+WARP_SZ]; ret; "
         "}",
         K_ R1 "6 ld.shared.u32 %r1, [s+8];\n6 ld.shared.u32 %r1, [s+11];\n"
               "7 ld.shared.u32 %r1, [s+-4];\n7 ld.shared.u32 %r1, [8];\n"
               "7 ld.shared.u32 %r1, [%r1+-8];\n8 ld.shared.u32 %r1, [%r1+8];\n"
               "8 ld.shared.u32 %r1, [%r1+-4];\n8 ld.shared.u32 %r1, [32];\n"
               "9 mov.u32 %r1, s+12;\n9 mov.u32 %r1, s;\n9 ld.shared.u32 %r1, [%r1+32];\n9 ret;\n"},
        /* 6.4.2: an element by its index, the whole array's type its size (ptxas 13.0 makes the
         * same of x[3] and x+12, of [x+12] too); of more dimensions the same */
        {K
         ".shared .u32 s[4][9]; mov.u64 %d1, s[3]; ld.shared.u32 %r1, s[2+1]; st.shared.u32 s[1], "
         "%r1;\nldu.u32 %r1, s[0]; mov.u64 %d1, s[2]+8; ret; }",
         K_ "%d1 .b64, %r1 .b32\n6 mov.u64 %d1, s+12;\n6 ld.shared.u32 %r1, [s+12];\n"
            "6 st.shared.u32 [s+4], %r1;\n7 ldu.u32 %r1, [s];\n7 mov.u64 %d1, s+16;\n7 ret;\n"},
        {K ".shared .u32 s[9]; mov.u64 %d1, s[1.0]; ret; }",
         "PTX line 6, column 35: an index must be an integer"},
        {K ".shared .u32 s[9]; ld.shared.u32 %r1, s; ret; }",
         "PTX line 6, column 39: operand 2 of 'ld.u32': expected an address [..], found the "
         "address of "
         "'s'"},
        /* 10: the fourth element reads as 0; 4.5.3: ! of a constant; 4.5.2: a number may begin with
         * its point */
        {K "mov.u32 %r1, %ctaid.w; add.u32 %r1, %r1, !0; add.u32 %r1, %r1, !7;\n"
           ".reg .f64 %f; add.f64 %f, %f, .5; add.f64 %f, %f, -.25e1; ret; }",
         K_
         "%r1 .b32, %f .f64\n6 mov.u32 %r1, 0;\n6 add.u32 %r1, %r1, 1;\n6 add.u32 %r1, %r1, 0;\n"
         "7 add.f64 %f, %f, 0d3FE0000000000000;\n7 add.f64 %f, %f, 0dC004000000000000;\n7 ret;\n"},
        /* labels of a scope, and lists of them */
        {K "T: .branchtargets A, B, A;\n@%p1 brx.idx %r1, T; A: mov.b32 %r1, 1; B: bra A; }",
         K_ "%p1 .pred, %r1 .b32\n7 @%p1 brx.idx %r1, $T0;\n7 mov.b32 %r1, 1;\n7 bra $L1;\n"},
        /* elements of video instructions */
        {K "vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1; vadd2.u32.u32.u32 %r1, %r2.h10, %r3, %r2; ret; }",
         K_ R12 ", %r3 .b32\n6 vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;\n"
                "6 vadd2.u32.u32.u32 %r1, %r2.h10, %r3, %r2;\n6 ret;\n"},
    };
    COMPARE(rows);
    /* parameters that are registers: loaded first, stored before each ret */
    static const row old[] = {
        {".func (.reg .u32 r) f(.reg .u32 a, .reg .f64 b) {\n.reg .pred p;\nadd.u32 r, a, 1;\n"
         "@p ret;\nmov.u32 r, 2;\n}",
         "func f line 4\nreturns 4:\nparam r .u32/4 @0+4\ntakes 16:\nparam a .u32/4 @0+4\n"
         "param b .f64/8 @8+8\na .u32, b .f64, r .u32, p .pred\n4 ld.param.u32 a, [a];\n"
         "4 ld.param.f64 b, [b];\n6 add.u32 r, a, 1;\n7 st.param.u32 [r], r;\n7 @p ret;\n"
         "8 mov.u32 r, 2;\n4 st.param.u32 [r], r;\n9 ret;\n"},
        {".func (.reg .u32 r) f() {\n.reg .pred p;\n@p exit;\nbar.sync 0;\nret;\n}",
         "func f line 4\nreturns 4:\nparam r .u32/4 @0+4\np .pred, r .u32\n6 @p exit;\n"
         "7 bar.sync 0;\n8 st.param.u32 [r], r;\n8 ret;\n"},
        {".func (.reg .u32 r) f(.param .u32 x, .reg .u32 a) { mov.u32 r, a; ret; }",
         "func f line 4\nreturns 4:\nparam r .u32/4 @0+4\ntakes 8:\nparam x .u32/4 @0+4\n"
         "param a .u32/4 @4+4\na .u32, r .u32\n4 ld.param.u32 a, [a];\n4 mov.u32 r, a;\n"
         "4 st.param.u32 [r], r;\n4 ret;\n"},
        {".func f(.param .u32 x) { ret; }\n.func (.param .b32 r) g() { ret; }\n"
         ".entry k() { .reg .b64 %d; .reg .b32 %r; .param .b32 a;\n"
         "P: .callprototype _ (.param .b32 _); C: .calltargets f;\n"
         "call f, (a); call (a), g; call (_), g, (); call %d, (7), P; call.uni %d, (%r), C; ret; }",
         "func f line 4\ntakes 4:\nparam x .u32/4 @0+4\n4 ret;\nfunc g line 5\nreturns 4:\n"
         "param r .b32/4 @0+4\n5 ret;\nentry k line 6\ncalls 4:\nparam a .b32/4 @0+4 of k\n"
         "%d .b64, %r .b32\n8 call f, (a);\n8 call (a), g;\n8 call (_), g;\n8 call %d, (7), $P3;\n"
         "8 call.uni %d, (%r), $P4;\n8 ret;\n"},
    };
    COMPARE(old);
}

/* Before PTX 5 declarations of functions had no semicolon; of a kernel's directives and of others
 * they need one still. */
static void test_old(void) {
    static const struct {
        const char *behind;
        bool old; /* taken there */
    } rows[] = {
        {"", true},
        {".func g() { ret; }", true},
        {".entry k() { ret; }", true},
        {".visible .entry k() { ret; }", true},
        {".extern .func g();", true},
        {".weak .func g() { ret; }", true},
        {".global .u8 x;", true},
        {".const .u8 x;", true},
        {".shared .u8 x;", true},
        {".pragma \"a\"; .tex .u64 t;", false},
        {".tex .u64 t;", false},
        {"x", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned version = 4; version <= 5; version++) {
            char text[200];
            lib_message msg;
            snprintf(text, sizeof text, ".version %u.9\n.target sm_30\n.func f(.param .b32 a)\n%s",
                     version, rows[k].behind);
            ptx_module *m = ptx_parse(text, strlen(text), &msg);
            printf("# %u: %s\n", version, rows[k].behind);
            CHECK_INT(m != NULL, rows[k].old && version == 4);
            ptx_free(m);
        }
}

/* Of which types things are declared (PTX ISA 5.2.1 to 5.2.4, 5.3, 5.4.2): one letter a place where
 * the vendor's assembler takes it, (r)egister, register of (2) and of (4) elements, (g)lobal
 * variable, (p)arameter of a kernel. */
static void test_types(void) {
    static const struct {
        const char *types, *places;
    } rows[] = {
        {"b8 b16 b32 u8 u16 u32 s8 s16 s32 f16 f32", "r24gp"},
        {"b64 u64 s64 f64", "r2gp"},
        {"b128", "rgp"},
        {"f16x2", "r24g"},
        {"pred", "r"},
        {"texref surfref", "gp"},
        {"bf16 bf16x2 tf32 f32x2 u16x2 s16x2 e4m3 e5m2 e4m3x2 e5m2x2 u4 s4 u2 s2 b1", ""},
    };
    static const struct {
        char place;
        const char *text;
    } places[] = {
        {'r', ".entry k() { .reg .%.*s x; ret; }"},
        {'2', ".entry k() { .reg .v2 .%.*s x; ret; }"},
        {'4', ".entry k() { .reg .v4 .%.*s x; ret; }"},
        {'g', ".global .%.*s x;"},
        {'p', ".entry k(.param .%.*s x) { ret; }"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (const char *t = rows[k].types; *t; t += strcspn(t, " "), t += *t == ' ')
            for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
                char text[200];
                lib_message msg;
                int len = snprintf(text, sizeof text, START);
                snprintf(text + len, sizeof text - (size_t)len, places[n].text,
                         (int)strcspn(t, " "), t);
                ptx_module *m = ptx_parse(text, strlen(text), &msg);
                printf("# %s\n", text + len);
                CHECK_INT(m != NULL, strchr(rows[k].places, places[n].place) != NULL);
                ptx_free(m);
            }
}

/* Line 4 is the first of each. */
static void test_wrong(void) {
#define AT(line, column) "PTX line " #line ", column " #column ": "
#define IN(statement)    ".entry k() { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n" statement
    static const row rows[] = {
        /* modules */
        {"x", AT(4, 1) "expected a directive that begins with a dot, found 'x'"},
        {".visible x",
         AT(4, 10) "expected a directive such as .entry, .func or .global, found 'x'"},
        {".address_size 64", AT(4, 1) "'.address_size' belongs at the head of the module"},
        {".target sm_90", AT(4, 1) "'.target' belongs at the head of the module"},
        {".version 9.0", AT(4, 1) "'.version' belongs at the head of the module"},
        {".section .debug_str { .b8 1\n", AT(4, 1) "this .section has no '}' at its end"},
        {".section { { } } .global .u8 x;",
         AT(4, 10) "expected a name such as .debug_info, found '{'"},
        {".section .debug_str .b8 1", AT(4, 1) "this .section has no '{'"},
        {".section .debug_str { } .global .u8 x;", "global x .u8/1 @0+1\n"},
        {".section .debug_info { .b8 -128, 255 .b16 -32768, 65535 .b32 -2147483648, 4294967295\n"
         "a: .b64 a+4 .b32 .debug_info+0x10 b: .b64 b - a .b64 k .b32 nobody } .global .u8 x;",
         "global x .u8/1 @0+1\n"},
        {".section .x { .b8 256 }", AT(4, 19) "a .b8 must be from -128 to 255"},
        {".section .x { .b8 -129 }", AT(4, 19) "a .b8 must be from -128 to 255"},
        {".section .x { .b8 1, 300 }", AT(4, 22) "a .b8 must be from -128 to 255"},
        {".section .x { .b16 65536 }", AT(4, 20) "a .b16 must be from -32768 to 65535"},
        {".section .x { .b16 -32769 }", AT(4, 20) "a .b16 must be from -32768 to 65535"},
        {".section .x { .b32 -2147483649 }", AT(4, 20) "a .b32 must be at least -2147483648"},
        {".section .x { .b8 a }", AT(4, 19) "a label needs .b32 or .b64, not .b8"},
        {".section .x { .b16 .debug_str }", AT(4, 20) "a label needs .b32 or .b64, not .b16"},
        {".section .x { .b8 }", AT(4, 19) "expected an integer, found '}'"},
        {".section .x { .b32 .b8 1 }", AT(4, 20) "expected an integer or a label, found '.b8'"},
        {".section .x { .b8 1.0 }", AT(4, 19) "expected an integer, found '1.0'"},
        {".section .x { .b8 1, }", AT(4, 22) "expected an integer, found '}'"},
        {".section .x { .b32 1, a }", AT(4, 23) "expected an integer, found 'a'"},
        {".section .x { .b32 -a }", AT(4, 21) "expected an integer, found 'a'"},
        {".section .x { .b32 a, 1 }",
         AT(4, 21) "a .section has .b8, .b16, .b32, .b64 and labels, not ','"},
        {".section .x { .b32 a - 4 }", AT(4, 24) "expected a label to subtract, found '4'"},
        {".section .x { .u8 1 }",
         AT(4, 15) "a .section has .b8, .b16, .b32, .b64 and labels, not '.u8'"},
        {".section .x { .b8 1; }",
         AT(4, 20) "a .section has .b8, .b16, .b32, .b64 and labels, not ';'"},
        {".section .x { { } }",
         AT(4, 15) "a .section has .b8, .b16, .b32, .b64 and labels, not '{'"},
        {".section .x { ret; }", AT(4, 18) "expected ':' after a label, found ';'"},
        {".pragma x;", AT(4, 9) "expected the text of a .pragma"},
        {".pragma \"a\", ;", AT(4, 14) "expected the text of a .pragma"},
        {".pragma \"a\"\n", AT(5, 1) "expected ';' after .pragma, found the end of the text"},
        {".pragma \"a\", \"b\";", ""},
        {".func f() { ret; } .alias f, f;", AT(4, 32) "the alias 'f' needs a defined function"},
        {".func f(); .alias f f;",
         AT(4, 21) "expected ',' between the names of an .alias, found 'f'"},
        {".entry k() x { ret; }",
         AT(4, 12) "expected a directive of the function, '{' or ';', found 'x'"},
        {".entry k()\n.entry j() { ret; }",
         AT(5, 1) "expected a directive of the function, '{' or ';', found '.entry'"},
        {".global .u8 f; .func f() { ret; }",
         AT(4, 16) "'f' is already declared as something else"},
        {".func f() { ret; } .func f() { ret; }", AT(4, 20) "'f' is defined twice"},
        /* variables and parameters */
        {".global x;", AT(4, 9) "expected the type of the variable, found 'x'"},
        {".global .u32 5;", AT(4, 14) "expected the name of a variable, found '5'"},
        {".global .u32 x", AT(4, 15) "expected ';' after the declaration of a variable, found the "
                                     "end of the text"},
        {".global .u32 x<4>;", AT(4, 15) "only registers can be declared as a range NAME<n>"},
        {".global .u32 x[2;", AT(4, 17) "expected ']' after the size of an array, found ';'"},
        {".global .u32 x[2][];", AT(4, 18) "only the first dimension may be left open"},
        {".global .u32 x[2][0];", AT(4, 18) "only the first dimension may be empty"},
        {".global .u32 x[-1];", AT(4, 15) "the size of an array must be a positive integer"},
        {".global .u8 x[1099511627777];", AT(4, 14) "this array is too large"},
        {".global .u8 x[1048576][1048577];", AT(4, 23) "this array is too large"},
        {".global .u16 x[1099511627776];", AT(4, 14) "this variable is too large"},
        {".global .u8 x[1099511627776];", "global x .u8/1 @0+1099511627776\n"},
        {".global .pred x;", AT(4, 15) "a predicate cannot live in memory"},
        {".global .align 65537 .u8 x;", AT(4, 16) "an alignment may be at most 65536"},
        {".global .align 24 .u8 x;", AT(4, 16) "an alignment must be a power of two"},
        {".local .u8 x;", AT(4, 12) ".local variables at module level are not supported: declare "
                                    "'x' in a function"},
        {".shared .u8 x[1073741825];", AT(4, 13) "'x' does not fit in shared memory"},
        {".const[1] .u8 x;", AT(4, 7) "constant banks (.const[n]) went away with PTX 2.2"},
        {".extern .global .u8 x = 1;", AT(4, 21) "an .extern variable cannot have initial values"},
        {".shared .u8 x = 1;",
         AT(4, 13) "only .global and .const variables can have initial values"},
        {".global .surfref x = 1;",
         AT(4, 18) "initial values of .surfref variables are not supported"},
        {".global .attribute .u8 x;", AT(4, 20) "expected '(' after .attribute, found '.u8'"},
        {".global .attribute(.unified(1) .u8 x;",
         AT(4, 32) "expected ')' after the attributes, found '.u8'"},
        {".entry k(.u32 a) { ret; }",
         AT(4, 10) "expected a parameter that begins with .param (or .reg)"},
        {".entry k(.param a) { ret; }", AT(4, 17) "expected the type of the parameter, found 'a'"},
        {".func k(.reg .pred a) { ret; }", AT(4, 9) "predicates cannot be parameters"},
        {".func k(.reg .texref a) { ret; }", AT(4, 9) "registers cannot be of type .texref"},
        {".func k(.reg .b32 a[2]) { ret; }", AT(4, 9) "a register parameter cannot be an array"},
        {".func k(.param .b8 a[], .param .b8 b) { ret; }",
         AT(4, 9) "only the last parameter may be an array without size"},
        {".entry k(.param .b8 a[1048577]) { ret; }",
         AT(4, 21) "'a' does not fit: at most 1048576 bytes"},
        {".entry k(.param .b8 a[1048575], .param .b16 b) { ret; }",
         AT(4, 45) "'b' does not fit: at most 1048576 bytes"},
        {".entry k(.param .b8 a .param .b8 b) { ret; }",
         AT(4, 23) "expected ')' after the parameters, found '.param'"},
        /* registers */
        {IN(".reg .surfref x; ret; }"), AT(5, 15) "registers cannot be of type .surfref"},
        {IN(".reg .tf32 x; ret; }"),
         AT(5, 6) ".tf32 may only be the type of an instruction, not of the registers"},
        {".const .align 2 .u16x2 x;",
         AT(4, 17) ".u16x2 may only be the type of an instruction, not of the variable"},
        {".func f(.reg .e4m3x2 x) { ret; }",
         AT(4, 14) ".e4m3x2 may only be the type of an instruction, not of the parameter"},
        {".global .v4 .b64 x;", AT(4, 18) "there are no vectors of 4 elements of type .b64"},
        {".entry k(.param .v2 .f32 x) { ret; }",
         AT(4, 26) "a parameter that is a vector must be an array"},
        {".entry k(.param .v2 .f32 x[1]) { ret; }",
         "entry k line 4\ntakes 8:\nparam x .f32/8 @0+8\n4 ret;\n"},
        {IN(".param .f16x2 x; ret; }"),
         AT(5, 15) "a parameter that is of type .f16x2 must be an array"},
        {IN("P: .callprototype _ (.param .f16x2 _); ret; }"), "entry k line 4\n5 ret;\n"},
        {IN(".reg .v2 .pred x; ret; }"),
         AT(5, 10) "there are no vectors of 2 elements of type .pred"},
        {IN(".reg x; ret; }"), AT(5, 6) "expected the type of the registers, found 'x'"},
        {IN(".reg .b32 5; ret; }"), AT(5, 11) "expected the name of a register, found '5'"},
        {IN(".reg .b32 x<3; ret; }"),
         AT(5, 14) "expected '>' after the number of registers, found ';'"},
        {IN(".reg .b32 x<2147483648>; ret; }"),
         AT(5, 13) "a number of registers may be at most 2147483647"},
        {IN(".reg .b32 _; ret; }"), AT(5, 11) "'_' cannot be declared"},
        {IN(".local .b8 x[1073741825]; ret; }"),
         AT(5, 12) "'x' does not fit: at most 1073741824 bytes"},
        /* initial values */
        {".global .u8 x[2] = 1;", AT(4, 20) "expected '{' to initialise the array 'x'"},
        {".global .u8 x[2] = {1, 2, 3};", AT(4, 27) "more initial values than 'x' has room for"},
        {".global .u8 x[2] = {{{1}}};", AT(4, 22) "more braces than 'x' has dimensions"},
        {".global .u8 x = {1, 2};", AT(4, 21) "more initial values than 'x' has room for"},
        {".global .u8 x[2] = {1;", AT(4, 22) "expected '}' at the end of the initial values, found "
                                             "';'"},
        {".global .u16 x = x;", AT(4, 18) "an address needs elements of 8 bytes (or 4), or a mask "
                                          "such as 0xff(x)"},
        {".global .u16 x = 0xff0(x);",
         AT(4, 24) "the mask of an address must pick whole bytes that "
                   "fit the element"},
        {".global .u64 x = x + 1.5;", AT(4, 18) "an offset must be an integer"},
        {".global .u64 x = generic(x;", AT(4, 27) "expected ')' after the name in generic(), found "
                                                  "';'"},
        {".global .u8 x = 0xff(.generic(x));",
         AT(4, 22) "expected the name of a variable or function, found '.generic'"},
        {".global .u8 x = 0xff(x;", AT(4, 23) "expected ')' after the name in mask(), found ';'"},
        {".global .u32 x = 1.5;", AT(4, 18) "expected an integer to initialise .u32, found a "
                                            "floating-point number"},
        {".global .u8 x = ~1.5;", AT(4, 17) "~ needs an integer"},
        {".global .u8 x = (.s64)1e19;", AT(4, 17) "this number does not fit in 64 bits"},
        {".global .u8 x = (.s64 1;", AT(4, 23) "expected ')' after the type of a cast, found '1'"},
        {".global .u8 x = (1;", AT(4, 19) "expected ')' at the end of the parenthesis, found ';'"},
        {".global .u8 x = 1 + ;", AT(4, 21) "expected a constant, found ';'"},
        {".global .u8 x = 1 / 0;", AT(4, 19) "division by zero"},
        {".global .u8 x = 1.5 & 1;", AT(4, 21) "this operator needs integers"},
        {".global .u8 x = 1 ? 2;", AT(4, 22) "expected ':' between the two sides of ?, found ';'"},
        {".global .u8 x[268435457] = {1};",
         AT(4, 28) "initialised variables of more than 268435456 bytes in all"},
        {".global .u8 a = 1; .global .u8 b[268435456] = {1};",
         AT(4, 47) "initialised variables of more than 268435456 bytes in all"},
        /* 16 dimensions, of which a vector is one */
        {".global .u8 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
         AT(4, 62) "more than 16 dimensions"},
        {".global .v2 .u8 a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
         AT(4, 17) "more than 16 dimensions"},
        {".global .attribute(.unified(1\n",
         AT(5, 1) "expected ')' after the attribute's values, found the end of the text"},
        /* bodies */
        {IN("5; }"), AT(5, 1) "expected an instruction, found '5'"},
        {IN("ret;\n"), AT(4, 12) "this function has no '}' at its end"},
        {IN(".file 1; }"),
         AT(5, 1) "expected an instruction or a directive such as .reg, found '.file'"},
        {IN(".extern .shared .b8 x[]; }"),
         AT(5, 1) ".extern variables are declared outside of functions"},
        {IN(".shared .b8 x }"), AT(5, 15) "expected ';' after the declaration, found '}'"},
        {IN("@5 ret; }"), AT(5, 2) "expected a predicate register after @, found '5'"},
        {IN("@%r1 ret; }"), AT(5, 2) "expected a register of type .pred after @"},
        {IN("@%p1 5; }"), AT(5, 6) "expected an instruction after the predicate, found '5'"},
        {IN("@%p1 L: ret; }"), AT(5, 6) "unknown instruction 'L'"},
        {IN("addd.s32 %r1, %r2, %r3; }"),
         AT(5, 1) "unknown instruction 'addd'; the nearest known one is 'add'"},
        {IN("cp.asynk; }"),
         AT(5, 1) "unknown instruction 'cp.asynk'; the nearest known one is 'cp.async'"},
        {IN("xyzzyx.u32 %r1; }"), AT(5, 1) "unknown instruction 'xyzzyx'"},
        {IN("ret.x; }"), AT(5, 4) "'ret' does not take .x here; it takes .uni"},
        {IN("exit.uni; }"), AT(5, 5) "'exit' does not take .uni here"},
        {IN("ret.uni.uni; }"), AT(5, 8) "'ret' does not take .uni here; it takes .uni"},
        {IN("add.u32.u32.u32.u32.u32 %r1, %r2, %r3; }"), AT(5, 20) "more than 4 types"},
        {IN("ld.global.shared.local.u32 %r1, [%d1]; }"), AT(5, 17) "more than two state spaces"},
        {IN("add.u32 %r1, %r2\nret; }"),
         AT(5, 16) "expected ',' or ';' after the operand, found 'ret'"},
        {IN("mov.u32 %r1,\ndone: ret; }"),
         AT(5, 12) "expected an operand or ';', found 'done' on the next line"},
        {IN("ld.global.u32 %r1, [\ndone]; }"),
         AT(5, 20) "expected an operand or ';', found 'done' on the next line"},
        {IN("add.u32 %r1, %r2, ; }"), AT(5, 19) "expected an operand after ','"},
        {IN("add.u32 %r1 %r2; }"), AT(5, 13) "expected ',' or ';' after the operand, found '%r2'"},
        {IN("add.u32 %r1, %r2, add; }"),
         AT(5, 19) "expected an operand, found 'add': is a ';' missing before it?"},
        {IN("add.u32 %r1, %r2, %x; }"),
         AT(5, 19) "'%x' is neither a declared register (.reg) nor a special register"},
        {IN("add.u32 %r1, %r2, x; }"), AT(5, 19) "'x' is not declared"},
        {IN("L: add.u32 %r1, %r2, L; }"), AT(5, 22) "expected an operand, 'L' is a label"},
        {IN("mov.u32 %r1, %tid; }"), AT(5, 14) "'%tid' is a vector: expected %tid.x, .y or .z"},
        {IN("mov.u32 %r1, %tid.v; }"), AT(5, 14) "'%tid' is a vector: expected %tid.x, .y or .z"},
        {IN("mov.u32 %r1, %r2.x; }"),
         AT(5, 17) "'%r2' is not a vector register and has no element .x"},
        {IN("mov.u32 %r1, %r2.b0; }"),
         AT(5, 17) "'%r2' is not a vector register and has no element .b0"},
        {IN("vadd.u32.u32.u32 %r1.b0, %r2, %r3; }"),
         AT(5, 18) "operand 1 of 'vadd' cannot be this part of a register"},
        {IN("vset4.u32.u32.lt %r1, %r2, %r3.h10, %r4; }"),
         AT(5, 28) "operand 3 of 'vset4' cannot be this part of a register"},
        {IN("vadd.u32.u32.u32 _, %r2, %r3; }"),
         AT(5, 18) "'vadd' needs a register here: _ would leave out its result"},
        {IN("shfl.sync.idx.b32 _|%p1, %r1, 1, 2, 3; }"),
         AT(5, 19) "'shfl' needs a register here: _ would leave out its result"},
        {IN("vmad.u32.u32.u32 %r1, -%r2, %r3, -%r4; }"),
         AT(5, 1) "'vmad' negates the product or what is added, not both"},
        {IN("vmad.u32.u32.u32.po %r1, %r2, %r3, -%r4; }"),
         AT(5, 1) "'vmad.po' takes no negated operands"},
        {IN("vmad.u32.u32.u32 %r1, !%r2, %r3, %r4; }"),
         AT(5, 23) "operand 2 of 'vmad.u32.u32.u32': expected a register or constant of type .u32, "
                   "found !%r2, a register of type .b32"},
        {IN("vadd2.u32.u32.u32 %r1, %r2, 5, %r4; }"),
         AT(5, 29) "operand 3 of 'vadd2.u32.u32.u32': expected a register of type .u32, found an "
                   "integer constant"},
        {IN("vadd.u32.u32.u32 %r1, %r2.b8, %r3; }"),
         AT(5, 26) "'%r2' is not a vector register and has no element .b8"},
        {IN("vadd.u32.u32.u32 %r1, %r2.h4, %r3; }"),
         AT(5, 26) "'%r2' is not a vector register and has no element .h4"},
        {IN("vadd.u32.u32.u32 %r1, %r2.b00000, %r3; }"),
         AT(5, 26) "'%r2' is not a vector register and has no element .b00000"},
        {IN(".reg .v2 .b32 v; mov.b32 %r1, v.z; }"), AT(5, 32) "'v' has no element .z"},
        {IN("add.u32 %r1, -5, !%tid.x; }"), AT(5, 19) "expected a register after ! or -"},
        {IN("ld.global.v2.u32 {}, [%d1]; }"), AT(5, 18) "an empty list"},
        {IN("ld.global.u32 %r1, [%d1; }"),
         AT(5, 24) "expected ']' at the end of the address, found ';'"},
        {IN("ld.global.u32 %r1, [%d1 + %d2]; }"),
         AT(5, 27) "an offset must be a constant; add the register '%d2' before"},
        {IN("ld.global.u32 %r1, [%d1 + 1.5]; }"), AT(5, 27) "an offset must be an integer"},
        {IN("ld.global.u32 %r1, [1.5]; }"), AT(5, 21) "an address must be an integer"},
        {IN("L: ld.global.u32 %r1, [L]; }"),
         AT(5, 24) "expected a register or a variable as address, found 'L'"},
        {IN(".reg .v2 .b64 v; ld.global.u32 %r1, [v]; }"),
         AT(5, 38) "an address must be one register"},
        {IN("setp.lt.u32 %p1|%p2|%p3, %r1, %r2; }"),
         AT(5, 20) "expected ',' or ';' after the operand, found '|'"},
        {IN("setp.lt.u32 %p1|%p2, %r1|%p3, %r2; }"), AT(5, 25) "expected ',' or ';'"},
        {IN("setp.lt.u32 %p1|5, %r1, %r2; }"), AT(5, 17) "expected the register of a pair d|p"},
        {IN("setp.lt.u32 %p1, %r1|%p2, %r2; }"), AT(5, 22) "expected the register of a pair d|p"},
        /* labels */
        {IN("bra L; }"), AT(5, 5) "no label 'L' in this function"},
        {IN("{ L: ret; } bra L; }"), AT(5, 17) "no label 'L' in this function"},
        {IN("bra 5; }"), AT(5, 5) "expected a label, found '5'"},
        {IN("L: ret; L: ret; }"), AT(5, 9) "'L' is declared twice in this scope"},
        {IN("T: .branchtargets L; L: bra T; }"),
         AT(5, 29) "'T' is not the label of an instruction"},
        {IN("L: brx.idx %r1, L; }"), AT(5, 17) "'L' is not the label of a .branchtargets list"},
        {IN("L: call %d1, (), L; }"),
         AT(5, 18) "'L' is not the label of a .callprototype or .calltargets"},
        {IN("T: .branchtargets T; }"),
         AT(5, 19) "expected the label of an instruction, 'T' names a directive"},
        {IN("T: .branchtargets L<3>; }"), AT(5, 19) "no label 'L0' in this function"},
        {IN("L0: T: .branchtargets L<2>; }"), AT(5, 23) "no label 'L1' in this function"},
        {IN("T: .branchtargets L<>; }"), AT(5, 21) "expected a number of labels, found '>'"},
        {IN("T: .calltargets x; }"), AT(5, 17) "'x' is not a declared function"},
        {IN("T: .branchtarget x; }"),
         AT(5, 4) "expected .branchtargets, .calltargets or .callprototype, found '.branchtarget'"},
        {IN("T: .branchtargets T T; }"), AT(5, 21) "expected ';' after the directive, found 'T'"},
    };
    COMPARE(rows);
}

int main(void) {
    test_variables();
    test_places();
    test_bodies();
    test_old();
    test_types();
    test_wrong();
    return check_done();
}
