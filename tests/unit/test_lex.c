/* Tokens, names, messages and instructions as text of the PTX front end, by themselves: tokens by
 * section 4 of the PTX ISA, messages and limits by lex/parser.h. What a whole module comes to is
 * test_ptx.c's. */
#include <stdlib.h>
#include "runner/device/sim/lex/lex.h"
#include "runner/device/sim/lex/scope.h"
#include "runner/device/sim/lex/spec.h"
#include "runner/device/sim/parse/parse.h"
#include "tests/check.h"
#include "tests/said.h"

static lib_message msg;

static ptx_parser *parser(const char *text) {
    ptx_parser *p = calloc(1, sizeof *p);
    p->msg = &msg;
    p->arena = ptx_arena_new();
    p->c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    msg = (lib_message){0};
    ptx_lex_start(p, text, strlen(text));
    return p;
}
static void parser_free(ptx_parser *p) {
    freelocale(p->c_locale);
    ptx_arena_free(p->arena);
    free(p->names);
    free(p->reg_types.data);
    free(p->reg_names.data);
    free(p);
}

/* ---- tokens ---- */

/* KIND LINE TEXT of each, with a blank before the kind where there was one in the text; (COLUMN:
 * WHY) where it fails in line 1, (LINE, COLUMN: WHY) in another. */
static const char *tokens_of(const char *text, size_t len) {
    static char all[800];
    ptx_parser *volatile p = parser(text);
    p->end = text + len;
    volatile size_t n = 0;
    all[0] = 0;
    if (setjmp(p->fail)) {
        const char *why = said(&msg);
        if (!strncmp(why, "PTX line 1, column ", 19)) why += 19;
        else if (!strncmp(why, "PTX line ", 9)) why += 9;
        snprintf(all + n, sizeof all - n, "(%.*s)", (int)strcspn(why, "\n"), why);
    } else {
        for (;;) {
            ptx_next(p);
            const ptx_token *t = &p->tok;
            if (t->kind == PTX_TOK_END) break;
            n +=
                (size_t)snprintf(all + n, sizeof all - n, "%s%c%u:%.*s", t->space_before ? " " : "",
                                 "ENDIFSP"[t->kind], t -> line, (int)t -> len, t -> at);
        }
    }
    parser_free(p);
    return all;
}

static void test_tokens(void) {
    static const struct {
        const char *text, *tokens;
    } rows[] = {
        {"", ""},
        {"  \t\n ", ""},
        {"add.s32 %r1,%r2;", "N1:addD1:.s32 N1:%r1P1:,N1:%r2P1:;"},
        {"a1_$ _x $L %p", "N1:a1_$ N1:_x N1:$L N1:%p"},
        {"a%b", "N1:aN1:%b"},
        {"5%3", "I1:5N1:%3"}, /* a register, by its letters */
        {"5 % 3", "I1:5 P1:% I1:3"},
        {".shared::cta.b32", "D1:.shared::ctaD1:.b32"},
        {".a:b .a::", "D1:.aP1::N1:b D1:.aP1::P1::"},
        {".1d .x2", "D1:.1d D1:.x2"},
        {". x", "P1:. N1:x"},
        {"a<<b>>c<=d>=e==f!=g&&h||i", "N1:aP1:<<N1:bP1:>>N1:cP1:<=N1:dP1:>=N1:eP1:==N1:fP1:!=N1:g"
                                      "P1:&&N1:hP1:||N1:i"},
        {"<>=!!++", "P1:<P1:>=P1:!P1:!P1:+P1:+"},
        {"=<", "P1:=P1:<"},
        {"0x1F 0b11 017 12U 0f3F800000", "I1:0x1F I1:0b11 I1:017 I1:12U F1:0f3F800000"},
        {"1.5 2e3 2E-3", "F1:1.5 F1:2e3 F1:2E-3"},
        {"\"a\\\"b\" c", "S1:\"a\\\"b\" N1:c"},
        {"a\nb\n\nc", "N1:a N2:b N4:c"},
        {"a//b\nc", "N1:a N2:c"},
        {"a/b", "N1:aP1:/N1:b"},
        {"a/*b\n*/c", "N1:a N2:c"},
        {"/**/a", " N1:a"},
        {"/***/a", " N1:a"},
        {"/*/a", "(1: this comment has no end: expected */)"},
        {"# 1 \"x\"\na # b", " N2:a(2, column 3: the character '#' does not belong here)"},
        {"@@DWARF x\na", " N2:a"},
        {"a @@b", "N1:a P1:@P1:@N1:b"},
        {"@%p bra", "P1:@N1:%p N1:bra"},
        {"\"a", "(1: this string has no end: expected \")"},
        {"\"a\n\"", "(1: this string has no end on its line: expected \")"},
        {"a\n /* b\n\n", "N1:a(2, column 2: this comment has no end: expected */)"},
        {"a /* b\n *\n/ */ c", "N1:a N3:c"},
        {"a // b */\nc", "N1:a N2:c"},
        {"/* // */a", " N1:a"},
        {"  # 1\n\t@@D\na", " N3:a"},
        {"@\n@@x", "P1:@"},
        {"\v\f\r\ta", " N1:a"},
        {"$ _ %", "N1:$ N1:_ P1:%"},
        {"%a.x %%", "N1:%aD1:.x P1:%P1:%"},
        {"a.b::c::d.e", "N1:aD1:.b::c::dD1:.e"},
        {"a::b", "N1:aP1::P1::N1:b"},
        {".a::%b", "D1:.aP1::P1::N1:%b"},
        {"{}[]()<>,;:@!|+-*/%&^~=?.", "P1:{P1:}P1:[P1:]P1:(P1:)P1:<P1:>P1:,P1:;P1::P1:@P1:!P1:|P1:+"
                                      "P1:-P1:*P1:/P1:%P1:&P1:^P1:~P1:=P1:?P1:."},
        {"<<=>>=", "P1:<<P1:=P1:>>P1:="},
        {"!==&&&|||", "P1:!=P1:=P1:&&P1:&P1:||P1:|"},
        /* numbers */
        {"0 00 07 9 12 0x0 0b0", "I1:0 I1:00 I1:07 I1:9 I1:12 I1:0x0 I1:0b0"},
        {"0X1f 0B10 0F3f800000 0D3FF0000000000000",
         "I1:0X1f I1:0B10 F1:0F3f800000 F1:0D3FF0000000000000"},
        {"1.5.x", "(1: expected a number)"},
        {"0x1.5 0b1.5", "I1:0x1D1:.5 I1:0b1D1:.5"},
        {"1U.x", "I1:1UD1:.x"},
        {"0777.5 1. 1.e5 1E-5", "F1:0777.5 F1:1. F1:1.e5 F1:1E-5"},
        {"1.5-2 1.5+e", "F1:1.5P1:-I1:2 F1:1.5P1:+N1:e"},
        {"1e", "(1: expected a number)"},
        {" 1e+", "(2: expected a number)"},
        {"08", "(2: '8' is no digit of a number of base 8)"},
        {"12U3", "(4: '3' is no digit of a number of base 10)"},
        {"12u", "(3: 'u' is no digit of a number of base 10)"},
        {"0b12", "(4: '2' is no digit of a number of base 2)"},
        {"0b1e", "(4: 'e' is no digit of a number of base 2)"},
        {"0xfg", "(4: 'g' is no digit of a number of base 16)"},
        {"0x", "(1: expected digits of base 16)"},
        {"0b2", "(1: expected digits of base 2)"},
        {"0f3F80000g", "(1: expected 8 hexadecimal digits after 0f)"},
        {"0D3ff000000000000", "(1: expected 16 hexadecimal digits after 0D)"},
        {"0d3ff00000000000000", "(1: expected exactly 16 hexadecimal digits after 0d)"},
        {"18446744073709551615", "I1:18446744073709551615"},
        {"18446744073709551616", "(1: this number does not fit in 64 bits)"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        /* what it fails at is no token */
        const char *got = tokens_of(rows[k].text, strlen(rows[k].text));
        if (strcmp(got, rows[k].tokens)) printf("# %s\n", rows[k].text);
        CHECK_STR(got, rows[k].tokens);
    }
}

/* The text ends where it is said to, in the middle of what would be more. */
static void test_ends(void) {
    static const struct {
        const char *text;
        size_t len;
        const char *tokens;
    } rows[] = {{"abc", 2, "N1:ab"},
                {"%r12", 3, "N1:%r1"},
                {"%r", 1, "P1:%"},
                {".b32", 3, "D1:.b3"},
                {".b", 1, "P1:."},
                {".a::b", 4, "D1:.aP1::P1::"},
                {"123", 2, "I1:12"},
                {"0x1F", 3, "I1:0x1"},
                {"0x1", 2, "(1: expected digits of base 16)"},
                {"0f3F800000", 9, "(1: expected 8 hexadecimal digits after 0f)"},
                {"0b1", 1, "I1:0"},
                {"1.25", 3, "F1:1.2"},
                {"1.5x", 3, "F1:1.5"},
                {"1.5x", 4, "(1: expected a number)"},
                {"1e5", 2, "(1: expected a number)"},
                {"1e+5", 3, "(1: expected a number)"},
                {"12x", 2, "I1:12"},
                {"12U", 2, "I1:12"},
                {"0f3F800000x", 10, "F1:0f3F800000"},
                {"0f3F800000x", 11, "(1: expected exactly 8 hexadecimal digits after 0f)"},
                {"<<", 1, "P1:<"},
                {"//x", 1, "P1:/"},
                {"a//x\ny", 4, "N1:a"},
                {"/**/", 3, "(1: this comment has no end: expected */)"},
                {"/**/", 2, "(1: this comment has no end: expected */)"},
                {"a/**/", 5, "N1:a"},
                {"a/**/b", 6, "N1:a N1:b"},
                {"/**/", 1, "P1:/"},
                {"\"a\"", 2, "(1: this string has no end: expected \")"},
                {"\"\\\"", 2, "(1: this string has no end: expected \")"},
                {"\"\\\"", 3, "(1: this string has no end: expected \")"},
                {"==", 1, "P1:="},
                {".a::b", 5, "D1:.a::b"},
                {"%r", 2, "N1:%r"},
                {"@@x", 1, "P1:@"},
                {"#x\ny", 2, ""},
                {"  a", 2, ""}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        CHECK_STR(tokens_of(rows[k].text, rows[k].len), rows[k].tokens);
}

/* The same object for the same name, and no other: more names than the table has room for at
 * first. */
static void test_names(void) {
    enum { MANY = 5000 };
    static ptx_name *names[MANY];
    ptx_parser *p = parser("");
    char text[20];
    unsigned again = 0, own = 0;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned k = 0; k < MANY; k++) {
            int len = snprintf(text, sizeof text, "%s%u", k % 2 ? "%r" : "%rd", k / 2);
            /* what stands behind the name is none of it */
            ptx_name *n = ptx_intern(p, strcat(text, "9"), (size_t)len);
            text[len] = 0;
            if (round) again += n == names[k];
            else names[k] = n;
            own += n->len == (uint32_t)len && !strcmp(n->text, text);
        }
    CHECK_INT(again, MANY);
    CHECK_INT(own, 2 * MANY);
    CHECK_INT(p->name_count, MANY);
    CHECK(ptx_intern(p, "%r1", 2) != ptx_intern(p, "%r1", 3));
    CHECK_INT(p->name_count, MANY + 1); /* %r */
    parser_free(p);
}

/* The value, whether it takes a bit more than a signed one has, and a float's width. */
static void test_values(void) {
    static const struct {
        const char *text;
        uint64_t value;
        bool is_unsigned, single;
    } rows[] = {
        {"0", 0, false, false},
        {"0U", 0, true, false},
        {"017", 15, false, false},
        {"0xaBcDeF09", 0xabcdef09, false, false},
        {"0b1101", 13, false, false},
        {"9223372036854775807", INT64_MAX, false, false},
        {"9223372036854775808", UINT64_C(1) << 63, true, false},
        {"0xffffffffffffffff", UINT64_MAX, true, false},
        {"0f3fC00000", 0x3fc00000, false, true},
        {"0d3fF8000000000000", 0x3ff8000000000000, false, false},
        {"1.5", 0x3ff8000000000000, false, false},
        {"15e-1", 0x3ff8000000000000, false, false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_parser *volatile p = parser(rows[k].text);
        if (CHECK(!setjmp(p->fail))) {
            ptx_next(p);
            printf("# %s\n", rows[k].text);
            CHECK(p->tok.value == rows[k].value);
            CHECK_INT(p->tok.is_unsigned, rows[k].is_unsigned);
            CHECK_INT(p->tok.single, rows[k].single);
            CHECK_INT(p->tok.len, strlen(rows[k].text));
        }
        parser_free(p);
    }
}

/* ---- labels ---- */

/* A label may stand behind its uses, in this scope or one around it: the innermost that there
 * is. */
static void test_labels(void) {
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
                               "bra B;\n"                                   /* 0 */
                               "{ bra A; { bra A; bra B; bra C; bra A; }\n" /* 1 to 5 */
                               "C: ret; }\n"                                /* 6 */
                               "A: ret; { A: ret; bra A; }\n"               /* 7, 8, 9 */
                               "B: bra A; }\n";                             /* 10 */
    static const struct {
        unsigned insn, target;
    } rows[] = {{0, 10}, {1, 7}, {2, 7}, {3, 10}, {4, 6}, {5, 7}, {9, 8}, {10, 7}};
    ptx_module *m = ptx_parse(text, sizeof text - 1, &msg);
    if (!CHECK(m && m->func_count == 1)) return;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const ptx_insn *i = &m->funcs[0]->insns[rows[k].insn];
        CHECK(i->op == PTX_OP_bra && i->opnd[0].kind == PTX_OPND_LABEL);
        CHECK_INT(i->opnd[0].target, rows[k].target);
    }
    ptx_free(m);
}

/* ---- messages ---- */

/* Where, why, the line with what a terminal may not have as '?', and a caret below the place. */
static void test_messages(void) {
    static const char spaces70[] =
        "                                                                      ";
    char text[300], want[400];
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"`", "PTX line 4, column 1: the character '`' does not belong here\n    `\n    ^"},
        {"\t\x01`", "PTX line 4, column 2: the byte 0x01 does not belong in PTX\n     ?`\n     ^"},
        {"\n  \x7f;\n;",
         "PTX line 5, column 3: the byte 0x7f does not belong in PTX\n      ?;\n      ^"},
        {"\x1f", "PTX line 4, column 1: the byte 0x1f does not belong in PTX\n    ?\n    ^"},
        {"\xe9", "PTX line 4, column 1: the byte 0xe9 does not belong in PTX\n    ?\n    ^"},
        {".global .b32 x = 09;", "PTX line 4, column 19: '9' is no digit of a number of base 8\n"
                                 "    .global .b32 x = 09;\n                      ^"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n%s",
                 rows[k].line);
        CHECK(!ptx_parse(text, strlen(text), &msg));
        CHECK_STR(said(&msg), rows[k].message);
    }
    /* up to column 71 the whole line up to there; beyond it 60 characters before, of 100 in all */
    for (int column = 71; column <= 72; column++) {
        static const char tail[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                                   "xxxxxxxxxxxxxxxxxxxxxxxxx";
        int before = column == 71 ? 70 : 60;
        snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n%*s`%s%s",
                 column - 1, "", tail, tail);
        snprintf(want, sizeof want,
                 "PTX line 4, column %d: the character '`' does not belong here\n    %.*s`%.*s\n"
                 "    %.*s^",
                 column, before, spaces70, 99 - before, tail, before, spaces70);
        CHECK(!ptx_parse(text, strlen(text), &msg));
        CHECK_STR(said(&msg), want);
    }
    /* 60 characters of a token are enough */
    char found[80], name[100];
    memset(name, 'n', sizeof name);
    for (unsigned len = 59; len <= 62; len++) {
        ptx_token t = {.kind = PTX_TOK_NAME, .at = name, .len = len};
        snprintf(want, sizeof want, "'%.*s'", (int)(len < 60 ? len : 60), name);
        CHECK_STR(ptx_describe(&t, found, sizeof found), want);
    }
    CHECK_STR(ptx_describe(&(ptx_token){.kind = PTX_TOK_END}, found, sizeof found),
              "the end of the text");
}

/* ---- what is expected ---- */

static void test_expected(void) {
    static const struct {
        const char *text, *message;
        int what;
    } rows[] = {
        {"7", NULL, 0},
        {"8", "PTX line 1, column 1: the size may be at most 7\n    8\n    ^", 0},
        {"x", "PTX line 1, column 1: expected the size, found 'x'\n    x\n    ^", 0},
        {"", "PTX line 1, column 1: expected the size, found the end of the text\n    \n    ^", 0},
        {"x", NULL, 1},
        {"7", "PTX line 1, column 1: expected a name, found '7'\n    7\n    ^", 1},
        {";", NULL, 2},
        {"x", "PTX line 1, column 1: expected ';' after it, found 'x'\n    x\n    ^", 2},
        {".b32", NULL, 3},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_parser *volatile p = parser(rows[k].text);
        volatile bool failed = true;
        if (!setjmp(p->fail)) {
            ptx_next(p);
            if (rows[k].what == 0) CHECK_INT(ptx_expect_int(p, "the size", 7), 7);
            if (rows[k].what == 1) CHECK_STR(ptx_expect_name(p, "a name")->text, "x");
            if (rows[k].what == 2) ptx_expect(p, ';', "after it");
            if (rows[k].what == 3)
                CHECK(!ptx_accept_dot(p, "b3") && !ptx_is_dot(p, "b321") &&
                      ptx_accept_dot(p, "b32"));
            failed = false;
            CHECK_INT(p->tok.kind, PTX_TOK_END);
        }
        CHECK_INT(failed, rows[k].message != NULL);
        CHECK_STR(said(&msg), rows[k].message ? rows[k].message : "");
        parser_free(p);
    }
}

/* ---- registers ---- */

static void test_ranges(void) {
    /* a range of 10^9 registers has those whose number is written without needless zeros, of at
     * most nine digits */
    static const struct {
        const char *name;
        bool known;
    } rows[] = {{"%r0", true},           {"%r1", true},         {"%r9", true},
                {"%r10", true},          {"%r00", false},       {"%r01", false},
                {"%r100000000", true},   {"%r999999998", true}, {"%r999999999", false},
                {"%r1000000000", false}, {"%r", false},         {"%rx", false},
                {"%s1", false},          {"%r1x", false},       {"r1", false}};
    ptx_parser *volatile p = parser("");
    if (!CHECK(!setjmp(p->fail))) return;
    ptx_token at = {.at = p->text, .line = 1};
    ptx_scope_enter(p);
    ptx_sym *range = ptx_declare(p, &at, ptx_intern(p, "%r", 2), PTX_SYM_RANGE);
    range->count = 999999999, range->type = PTX_F32, range->vec = 1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_name *n = ptx_intern(p, rows[k].name, strlen(rows[k].name));
        const ptx_sym *s = ptx_lookup(p, n);
        check_that((s != NULL) == rows[k].known, __FILE__, __LINE__, rows[k].name, "");
        if (s) CHECK(s->type == PTX_F32 && s->vec == 1 && s->reg == -1 && s == ptx_lookup(p, n));
    }
    /* an inner declaration hides it, up to its scope's end */
    ptx_name *one = ptx_intern(p, "%r1", 3);
    ptx_scope_enter(p);
    ptx_sym *inner = ptx_declare(p, &at, one, PTX_SYM_REG);
    CHECK(ptx_lookup(p, one) == inner);
    ptx_scope_leave(p);
    CHECK(ptx_lookup(p, one) && ptx_lookup(p, one) != inner);
    ptx_scope_leave(p);
    CHECK(!ptx_lookup(p, one));
    parser_free(p);
}

/* Registers are numbered as they are used, those of a vector one after another; so many fit. */
static void test_registers(void) {
    static const struct {
        unsigned used, vec;
        bool fits;
    } rows[] = {{0, 4, true},
                {PTX_MAX_REGS - 1, 1, true},
                {PTX_MAX_REGS, 1, false},
                {PTX_MAX_REGS - 4, 4, true},
                {PTX_MAX_REGS - 3, 4, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_parser *volatile p = parser("x");
        size_t room = PTX_MAX_REGS + 64; /* calloc: only what is touched takes memory */
        p->reg_types = (ptx_buffer){calloc(room, 1), rows[k].used, room};
        p->reg_names = (ptx_buffer){calloc(room, sizeof(char *)), rows[k].used, room};
        volatile bool fits = false;
        if (!setjmp(p->fail)) {
            ptx_sym s = {.name = ptx_intern(p, "%v", 2),
                         .type = PTX_F64,
                         .vec = (uint8_t)rows[k].vec,
                         .reg = -1};
            ptx_token at = {.at = p->text, .line = 1};
            CHECK_INT(ptx_use_reg(p, &at, &s), rows[k].used);
            CHECK_INT(ptx_use_reg(p, &at, &s), rows[k].used); /* the same again */
            fits = true;
            CHECK_INT(p->reg_types.count, rows[k].used + rows[k].vec);
            for (unsigned i = 0; i < rows[k].vec; i++) {
                static const char *const parts[] = {"%v.x", "%v.y", "%v.z", "%v.w"};
                CHECK_INT(((uint8_t *)p->reg_types.data)[rows[k].used + i], PTX_F64);
                CHECK_STR(((const char **)p->reg_names.data)[rows[k].used + i],
                          rows[k].vec > 1 ? parts[i] : "%v");
            }
        } else {
            CHECK_CONTAINS(said(&msg), "more than 16777216 registers in one function");
        }
        CHECK_INT(fits, rows[k].fits);
        parser_free(p);
    }
}

/* ---- an instruction as text again ---- */

static void test_disassembly(void) {
    static const struct {
        const char *in, *out;                         /* NULL: the same */
    } rows[] = {{"@%p1 add.s32 %r1, %r1, -5;", NULL}, /* the guard is register 0 */
                {"@!%p1 mov.u32 %r1, %tid.x;", NULL},
                {"ld.global.u32 %r1, [%rd1];", NULL},
                {"ld.global.u32 %r1, [%rd1+8];", NULL},
                {"ld.global.u32 %r1, [%rd1-8];", "ld.global.u32 %r1, [%rd1+-8];"},
                {"ld.global.u32 %r1, [v+4];", NULL},
                {"ld.global.u32 %r1, [16];", NULL},
                {"mov.u64 %rd1, v;", NULL},
                {"mov.b64 %rd1, 0x8000000000000000;", NULL},
                {"mov.b64 %rd1, -1;", NULL},
                {"mov.f32 %f1, 1.0;", "mov.f32 %f1, 0f3F800000;"},
                {"ld.global.v2.u32 {%r1, %r2}, [%rd1];", NULL},
                {"setp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3;", NULL},
                {"mad.lo.s32 %r1, %r1, %r2, 3;", NULL},
                {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", NULL},
                {"mov.f64 %fd1, 1.5;", "mov.f64 %fd1, 0d3FF8000000000000;"},
                {"mov.b64 %rd1, 0x7fffffffffffffff;", "mov.b64 %rd1, 9223372036854775807;"},
                {"ld.global.u32 %r1, [%rd1-0x80000000];", "ld.global.u32 %r1, [%rd1+-2147483648];"},
                /* words as they are mostly written, whatever order they came in */
                {"ld.u32.global.volatile %r1, [%rd1];", "ld.volatile.global.u32 %r1, [%rd1];"},
                {"add.f32.sat.ftz.rn %f1, %f2, %f3;", "add.rn.ftz.sat.f32 %f1, %f2, %f3;"},
                {"mul.wide.s32 %rd1, %r1, %r2;", NULL},
                {"mad.lo.cc.u32 %r1, %r2, %r3, %r1;", NULL},
                {"fma.rn.ftz.sat.f32 %f1, %f2, %f3, %f1;", NULL},
                {"setp.lt.ftz.f32 %p1, %f1, %f2;", NULL},
                {"cvt.rzi.ftz.s32.f32 %r1, %f1;", NULL},
                {"min.NaN.xorsign.abs.f32 %f1, %f2, %f3;", NULL},
                {"prmt.b32.f4e %r1, %r2, %r3, 0;", NULL},
                {"vmad.u32.u32.u32.po.shr7 %r1, %r2.h1, %r3.b0, %r1;", NULL},
                {"vmad.s32.s32.s32 %r1, %r2, %r3, -%r1;", NULL},
                {"vadd4.u32.u32.u32 %r1, %r2.b3210, %r3.b7654, %r1;", NULL},
                {"vadd2.u32.u32.u32 %r1, %r2.h32, %r3, %r1;", NULL},
                {"and.pred %p1, %p2, !%p3;", NULL},
                {"cvta.to.global.u64 %rd1, %rd2;", NULL},
                {"isspacep.shared %p1, %rd1;", NULL},
                {"ld.volatile.global.u32 %r1, [%rd1];", NULL},
                {"ld.relaxed.gpu.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1];", NULL},
                {"ld.global.nc.L2::cache_hint.u32 %r1, [%rd1], %rd2;", NULL},
                {"ld.shared::cluster.u32 %r1, [%r2+4];", NULL},
                {"st.release.sys.shared.u32 [%r1], %r2;", NULL},
                {"st.local.v4.f32 [%rd1], {%f1, %f2, %f3, 0f3F800000};", NULL},
                {"atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;", NULL},
                {"atom.shared.cas.b32 %r1, [%r2], 0, 1;", NULL},
                {"red.relaxed.gpu.global.add.f32 [%rd1], %f1;", NULL},
                {"prefetch.global.L2 [%rd1];", NULL},
                {"cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16;", NULL},
                {"cp.async.wait_group 0;", NULL},
                {"bar.red.popc.u32 %r1, 0, %p1;", NULL},
                {"barrier.sync.aligned 0;", NULL},
                {"fence.acq_rel.gpu;", NULL},
                {"mbarrier.arrive.release.cta.shared.b64 %rd1, [%r1];", NULL},
                {"vote.sync.ballot.b32 %r1, %p1, -1;", NULL},
                {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f1}, [%rd1, %rd2, {%f1, %f2}];", NULL},
                {"tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r1}|%p1, [%rd1, {%r1}];", NULL},
                {"txq.width.b32 %r1, [%rd1];", NULL},
                {"suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r1, %r2}];", NULL},
                {"sust.b.1d.b32.clamp [%rd1, {%r1}], %r2;", NULL},
                {"exit;", NULL},
                {"L: bra.uni L;", "bra.uni $L0;"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[500], got[100], cut[100];
        const char *want = rows[k].out ? rows[k].out : rows[k].in;
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 v[4];\n.entry k() {\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>; .reg "
                 ".f64 %%fd<4>;\n%s\nret; }",
                 rows[k].in);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        if (!m) printf("# %s\n", said(&msg));
        CHECK(m != NULL);
        if (!m) continue;
        const ptx_func *f = m->funcs[0];
        CHECK_INT(ptx_disassemble(f, f->insns, got, sizeof got), strlen(want));
        CHECK_STR(got, want);
        for (size_t n = 0; n < strlen(want) + 2; n++) { /* what would be, and as much as fits */
            memset(cut, '#', sizeof cut);
            CHECK_INT(ptx_disassemble(f, f->insns, cut, n), strlen(want));
            size_t fits = !n ? 0 : n - 1 < strlen(want) ? n - 1 : strlen(want);
            CHECK(!memcmp(cut, want, fits) && (!n || !cut[fits]) && cut[n] == '#');
        }
        ptx_free(m);
    }
}

/* ---- memory ---- */

static void test_arena(void) {
    ptx_arena *a = ptx_arena_new();
    static const size_t sizes[] = {1, 15, 16, 17, 40000, 5 << 20, 3, 0, 100000, 32};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    char *got[SIZES];
    for (size_t k = 0; k < SIZES; k++) { /* zeroed, aligned, and nobody else's */
        got[k] = ptx_arena_get(a, sizes[k]);
        if (!CHECK(got[k] && (uintptr_t)got[k] % 16 == 0)) return;
        bool zero = true;
        for (size_t i = 0; i < sizes[k]; i++) zero &= !got[k][i];
        CHECK(zero);
        memset(got[k], (int)k + 1, sizes[k]);
    }
    for (size_t k = 0; k < SIZES; k++)
        if (sizes[k]) CHECK(got[k][0] == (char)(k + 1) && got[k][sizes[k] - 1] == (char)(k + 1));
    CHECK_INT(got[1] - got[0], 16);
    CHECK_INT(got[3] - got[2], 16);
    ptx_arena_free(a);
    ptx_arena_free(NULL);
}

/* A slip of a third of the letters and one more is still told. */
static void test_nearest(void) {
    static const struct {
        const char *word, *nearest;
    } rows[] = {{"add", "add"},   {"addd", "add"},   {"cp.asink", "cp.async"},
                {"xyzzyx", NULL}, {"popcc", "popc"}, {"barrr.sync", "bar.sync"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *got = ptx_nearest_mnemonic(rows[k].word);
        CHECK_STR(got ? got : "none", rows[k].nearest ? rows[k].nearest : "none");
    }
}

int main(void) {
    test_tokens();
    test_ends();
    test_names();
    test_values();
    test_labels();
    test_messages();
    test_expected();
    test_ranges();
    test_registers();
    test_disassembly();
    test_arena();
    test_nearest();
    return check_done();
}
