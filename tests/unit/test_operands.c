/* What an instruction takes, and what it says of what it does not take: a row is an instruction,
 * the column that the message points at, and the whole of its first line. What is taken follows the
 * PTX ISA (types of operands: 9.2 and 9.4.1, vectors: 5.4.2, packing: 9.7.9.5, textures: 9.7.9.10,
 * calls: 9.7.12); the sentences are those of check.c's forms, filled in by hand. Which types fit
 * which place is types.txt's, which test_ptx.c reads. */
#include "runner/base/message.h"
#include "runner/device/sim/ptx/fragment.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

/* why NULL: taken. Registers as in the fixture's head, and %u of .u32, %l of .s64. */
typedef struct {
    const char *ptx;
    unsigned column;
    const char *why;
} row;

static void holds_to(const row *r, const ptx_module *m, const lib_message *msg, unsigned line) {
    char want[600] = "", got[600] = "";
    if (r->why) snprintf(want, sizeof want, "PTX line %u, column %u: %s", line, r->column, r->why);
    if (!m) snprintf(got, sizeof got, "%.*s", (int)strcspn(said(msg), "\n"), said(msg));
    if (strcmp(got, want)) printf("# %s\n", r->ptx);
    CHECK_STR(got, want);
}

static void try_all(const row *rows, size_t n) {
    for (size_t k = 0; k < n; k++) {
        char text[600];
        lib_message msg = {0};
        int len = snprintf(text, sizeof text, "{ .reg .u32 %%u<9>; .reg .s64 %%l<9>;\n%s\n}",
                           rows[k].ptx);
        ptx_module *m = parse_instruction(text, (size_t)len, &msg);
        holds_to(&rows[k], m, &msg, 7);
        ptx_free(m);
    }
}
#define TRY(rows) try_all(rows, sizeof(rows) / sizeof *(rows))

#define ADD_A  "operand 2 of 'add.u32': expected a register or constant of type .u32, found "
#define ADD_D  "operand 1 of 'add.u32': expected a destination register of type .u32, found "
#define MOV(t) "operand 2 of 'mov." t "': expected a register or constant of type ." t ", found "

static void test_sources(void) {
    static const row rows[] = {
        {"add.u32 %r1, %d1, %r3;", 14, ADD_A "%d1, a register of type .b64"},
        {"add.u32 %r1, !%r2, %r3;", 14, ADD_A "!%r2, a register of type .b32"},
        {"add.u32 %r1, _, %r3;", 14, ADD_A "_"},
        {"add.u32 %r1, 1.0, %r3;", 14, ADD_A "a .f64 constant"},
        {"add.u32 %r1, 0f3F800000, %r3;", 14, ADD_A "a .f32 constant"},
        {"add.u32 %r1, pv, %r3;", 14, ADD_A "the address of 'pv'"},
        {"add.u32 %r1, fn, %r3;", 14, ADD_A "the function 'fn'"},
        {"add.u32 %r1, [%d1], %r3;", 14, ADD_A "an address in a register of type .b64"},
        {"add.u32 %r1, [pv], %r3;", 14, ADD_A "an address"},
        {"add.u32 %r1, {%r2, %r3}, 1;", 14, ADD_A "a list of 2, its first a register of type .b32"},
        {"add.u32 %r1, {1, 2, %r3}, 1;", 14, ADD_A "a list of 3"},
        {"add.u32 %r1, %tid.x, 1;", 14,
         "operand 2 of 'add.u32': a special register can only be read by mov or cvt: move %tid.x "
         "to "
         "a register first, found %tid.x, a special register of type .u32"},
        {"add.u32 %r1, %r2, %d3;", 19,
         "operand 3 of 'add.u32': expected a register or constant of type .u32, found %d3, a "
         "register of type .b64"},
        {"add.u32 5, %r2, %r3;", 9, ADD_D "an integer constant"},
        {"add.u32 !%r1, %r2, %r3;", 9, ADD_D "!%r1, a register of type .b32"},
        {"add.u32 %f1, %r2, %r3;", 9, ADD_D "%f1, a register of type .f32"},
        {"add.u32 _, %r2, %r3;", 9, "'add' needs a register here: _ would leave out its result"},
        {"add.u32 %u1, %r2, 5;", 0, NULL},
        /* literals: integers for all but floats' values, floats for floats and for bits of their
         * size */
        {"add.f32 %f1, %f2, 1;", 19,
         "operand 3 of 'add.f32': expected a register or constant of type .f32, found an integer "
         "constant"},
        {"add.f64 %fd1, %fd2, 1;", 21,
         "operand 3 of 'add.f64': expected a register or constant of type .f64, found an integer "
         "constant"},
        {"add.f16 %h1, %h2, 1;", 19,
         "operand 3 of 'add.f16': expected a register or constant of type .f16, found an integer "
         "constant"},
        {"add.f32 %f1, %f2, 1.0;", 0, NULL},
        {"add.f64 %fd1, %fd2, 0f3F800000;", 0, NULL},
        {"and.b32 %r1, %r2, 0f3F800000;", 0, NULL},
        {"and.b64 %d1, %d2, 1.0;", 0, NULL},
        {"and.b32 %r1, %r2, 1.0;", 19,
         "operand 3 of 'and.b32': expected a register or constant of type .b32, found a .f64 "
         "constant"},
        {"and.b64 %d1, %d2, 0f3F800000;", 19,
         "operand 3 of 'and.b64': expected a register or constant of type .b64, found a .f32 "
         "constant"},
        /* what each kind of place is called */
        {"isspacep.shared %p1, 5;", 22,
         "operand 2 of 'isspacep': expected a register of type .b64, found an integer constant"},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", 30,
         "operand 5 of 'lop3.b32': expected a constant of type .u32, found %r5, a register of type "
         ".b32"},
        {"st.global.u32 [%d1], %f1;", 22,
         "operand 2 of 'st.u32': expected a register or constant of type .u32, found %f1, a "
         "register of type .f32"},
        {"cvt.u32.u16 %r1, %f1;", 18,
         "operand 2 of 'cvt.u32.u16': expected a register or constant of type .u16, found %f1, a "
         "register of type .f32"},
        {"cvt.u32.u16 %f1, %h1;", 13,
         "operand 1 of 'cvt.u32.u16': expected a destination register of type .u32, found %f1, a "
         "register of type .f32"},
        {"ld.global.u32 %f1, [%d1];", 15,
         "operand 1 of 'ld.u32': expected a destination register of type .u32, found %f1, a "
         "register of type .f32"},
        {"ld.global.u32 !%r1, [%d1];", 15,
         "operand 1 of 'ld.u32': expected a destination register of type .u32, found !%r1, a "
         "register of type .b32"},
        {"ld.global.u32 _, [%d1];", 15, "'ld' needs a register here: _ would leave out its result"},
        {"ld.global.u32 %d1, [%d1];", 0, NULL},
    };
    TRY(rows);
}

/* mov reads special registers (32 bits as 16, %gridid as 32 too) and addresses. */
static void test_mov(void) {
    static const row rows[] = {
        {"mov.u32 %r1, %tid.x;", 0, NULL},
        {"mov.b32 %r1, %tid.x;", 0, NULL},
        {"mov.u16 %h1, %tid.x;", 0, NULL},
        {"cvt.u64.u32 %d1, %tid.x;", 0, NULL},
        {"mov.u64 %d1, %gridid;", 0, NULL},
        {"mov.u32 %r1, %gridid;", 0, NULL},
        {"mov.u64 %d1, %clock64;", 0, NULL},
        {"mov.pred %p1, %is_explicit_cluster;", 0, NULL},
        {"mov.u64 %d1, %tid.x;", 14, MOV("u64") "%tid.x, a special register of type .u32"},
        {"mov.f32 %f1, %tid.x;", 14, MOV("f32") "%tid.x, a special register of type .u32"},
        {"mov.u16 %h1, %gridid;", 14, MOV("u16") "%gridid, a special register of type .u64"},
        {"mov.u32 %r1, %clock64;", 14, MOV("u32") "%clock64, a special register of type .u64"},
        {"mov.f64 %fd1, %clock64;", 15, MOV("f64") "%clock64, a special register of type .u64"},
        {"mov.u32 %r1, %is_explicit_cluster;", 14,
         MOV("u32") "%is_explicit_cluster, a special register of type .pred"},
        {"mov.pred %p1, %tid.x;", 15, MOV("pred") "%tid.x, a special register of type .u32"},
        {"mov.u64 %d1, pv;", 0, NULL},
        {"mov.u64 %d1, pv+8;", 0, NULL},
        {"mov.u32 %r1, pv;", 0, NULL},
        {"mov.u64 %d1, fn;", 0, NULL},
        {"mov.u16 %h1, pv;", 14, MOV("u16") "the address of 'pv'"},
        {"mov.f32 %f1, pv;", 14, MOV("f32") "the address of 'pv'"},
        {"mov.f64 %fd1, pv;", 15, MOV("f64") "the address of 'pv'"},
        {"mov.u32 %r1, fn;", 14, MOV("u32") "the function 'fn'"},
        {"mov.f64 %fd1, fn;", 15, MOV("f64") "the function 'fn'"},
        /* packing and unpacking: elements of one size that fill the whole */
        {"mov.b16 %h1, {%c1, %c2};", 0, NULL},
        {"mov.b32 %r1, {%h1, %h2};", 0, NULL},
        {"mov.b32 %r1, {%c1, %c2, %c3, %c4};", 0, NULL},
        {"mov.b64 %d1, {%h1, %h2, %h3, %h4};", 0, NULL},
        {"mov.b64 %d1, {%r1, %f2};", 0, NULL},
        {"mov.b64 {%r1, %f2}, %d1;", 0, NULL},
        {"mov.b64 {%r1, _}, %d1;", 0, NULL},
        {"mov.b64 {_, %r1}, %d1;", 0, NULL},
        {"mov.b64 %d1, {%r1, 5};", 0, NULL},
        {"mov.b128 %q1, {%d1, %d2};", 0, NULL},
        {"mov.b128 {%d1, %fd2}, %q1;", 0, NULL},
        {"mov.b64 %d1, {%r1, _};", 14,
         "operand 2 of 'mov.b64': expected a list {..} whose elements have together the size of "
         ".b64, found a list of 2, its first a register of type .b32"},
        {"mov.b64 %d1, {%r1, pv};", 14,
         "operand 2 of 'mov.b64': expected a list {..} whose elements have together the size of "
         ".b64, found a list of 2, its first a register of type .b32"},
        {"mov.b64 %d1, {%r1, %h1};", 14,
         "operand 2 of 'mov.b64': expected a list {..} whose elements have together the size of "
         ".b64, found a list of 2, its first a register of type .b32"},
        {"mov.b64 %d1, {%h1, %h2, %h3};", 14,
         "operand 2 of 'mov.b64': expected a list {..} whose elements have together the size of "
         ".b64, found a list of 3, its first a register of type .b16"},
        {"mov.b32 %r1, {1, 2, 3};", 14,
         "operand 2 of 'mov.b32': expected a list {..} whose elements have together the size of "
         ".b32, found a list of 3"},
        {"mov.b64 {5, %r1}, %d1;", 9,
         "operand 1 of 'mov.b64': expected a list {..} whose elements have together the size of "
         ".b64, found a list of 2"},
    };
    TRY(rows);
}

static void test_lists(void) {
#define LIST(op, n) "expected a list {..} of " #n " registers of type ." op ", found "
    static const row rows[] = {
        {"ld.global.v2.u32 {%r1, _}, [%d1];", 0, NULL},
        {"ld.global.v2.u8 {%r1, %h1}, [%d1];", 0, NULL}, /* wider ones */
        {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];", 0, NULL},
        {"st.global.v2.u32 [%d1], {1, %r1};", 0, NULL},
        {"st.global.v2.f32 [%d1], {1.0, %f1};", 0, NULL},
        {"mov.v2.u32 {%r1, %r2}, {%tid.x, %r3};", 0, NULL},
        {"ld.global.v2.u32 %r1, [%d1];", 18,
         "operand 1 of 'ld.u32': " LIST("u32", 2) "%r1, a register of type .b32"},
        {"ld.global.v2.u32 {1, %r1}, [%d1];", 18,
         "operand 1 of 'ld.u32': " LIST("u32", 2) "a list of 2"},
        {"ld.global.v2.u32 {%r1, !%r2}, [%d1];", 18,
         "operand 1 of 'ld.u32': " LIST("u32", 2) "a list of 2, its first a register of type .b32"},
        {"ld.global.v4.u32 {%r1, %r2, %r3}, [%d1];", 18,
         "operand 1 of 'ld.u32': " LIST("u32", 4) "a list of 3, its first a register of type .b32"},
        {"st.global.v2.u32 [%d1], {%r1, _};", 25,
         "operand 2 of 'st.u32': " LIST("u32", 2) "a list of 2, its first a register of type .b32"},
        {"st.global.v2.u32 [%d1], {%r1, %f2};", 25,
         "operand 2 of 'st.u32': " LIST("u32", 2) "a list of 2, its first a register of type .b32"},
        {"st.global.v2.f32 [%d1], {1, %f1};", 25,
         "operand 2 of 'st.f32': " LIST("f32", 2) "a list of 2"},
        {"st.global.v2.u32 [%d1], {%tid.x, %r1};", 25,
         "operand 2 of 'st.u32': " LIST("u32", 2) "a list of 2"},
        /* matrices of ldmatrix: one each register, a single one with braces or without */
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", 0, NULL},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%r2];", 0, NULL},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r3];", 0, NULL},
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %d1, [%r2];", 42,
         "operand 1 of 'ldmatrix.b16': expected a register of type .b32, found %d1, a register of "
         "type .b64"},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2];", 42,
         "operand 1 of 'ldmatrix.b16': " LIST("b32",
                                              2) "a list of 1, its first a register of type .b32"},
        {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 %r1, [%r2];", 42,
         "operand 1 of 'ldmatrix.b16': " LIST("b32", 2) "%r1, a register of type .b32"},
        {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r2, %r3, %r4, %r5};", 0, NULL},
        /* a surface's single value may have braces */
        {"suld.b.1d.b32.trap {%r1}, [%d1, {%r2}];", 0, NULL},
        {"suld.b.1d.b32.trap %r1, [%d1, {%r2}];", 0, NULL},
        {"suld.b.1d.v2.b32.trap {%r1, %r2}, [%d1, {%r2}];", 0, NULL},
        {"sust.b.1d.b32.trap [%d1, {%r2}], {%r1};", 0, NULL},
        {"sust.p.1d.b32.trap [%d1, {%r2}], {%r1};", 0, NULL},
        {"suld.b.1d.b32.trap {%r1, %r2}, [%d1, {%r2}];", 20,
         "operand 1 of 'suld.b.b32': expected a destination register of type .b32, found a list of "
         "2, its first a register of type .b32"},
    };
    TRY(rows);
}

static void test_pairs(void) {
    static const row rows[] = {
        {"setp.lt.s32 %p1|%p2, %r1, %r2;", 0, NULL},
        {"setp.lt.s32 %p1|_, %r1, %r2;", 0, NULL},
        {"setp.lt.s32 _|%p2, %r1, %r2;", 0, NULL},
        {"setp.lt.s32 %p1, %r1, %r2;", 0, NULL},
        {"elect.sync %r1|%p1, -1;", 0, NULL},
        {"setp.lt.s32 %p1|%r3, %r1, %r2;", 13,
         "operand 1 of 'setp.s32': expected a predicate as the second half of d|p, found %p1, a "
         "register of type .pred"},
        {"add.s32 %r1|%p1, %r2, %r3;", 9,
         "operand 1 of 'add.s32': expected one destination, not a pair d|p of type .s32, found "
         "%r1, "
         "a register of type .b32"},
        {"elect.sync %r1, -1;", 12,
         "operand 1 of 'elect.sync': expected a pair d|p of type .b32, found %r1, a register of "
         "type .b32"},
        /* an arrival at another block's barrier answers nothing */
        {"mbarrier.arrive.shared.b64 %d1, [%r1];", 0, NULL},
        {"mbarrier.arrive.release.cluster.shared::cta.b64 %d1, [%r1];", 0, NULL},
        {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];", 0, NULL},
        {"mbarrier.arrive.release.cluster.shared::cluster.b64 %d1, [%r1];", 1,
         "'mbarrier.arrive' with .shared::cluster answers nothing: write _ as its destination"},
        {"mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 %d1, [%r1], 4;", 1,
         "'mbarrier.arrive.expect_tx' with .shared::cluster answers nothing: write _ as its "
         "destination"},
        {"mbarrier.arrive_drop.release.cluster.shared::cluster.b64 %d1, [%r1];", 1,
         "'mbarrier.arrive_drop' with .shared::cluster answers nothing: write _ as its "
         "destination"},
        {"mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 %d1, [%r1], 4;", 1,
         "'mbarrier.arrive_drop.expect_tx' with .shared::cluster answers nothing: write _ as its "
         "destination"},
        {"ld.shared::cluster.b64 %d1, [%r1];", 0, NULL},
    };
    TRY(rows);
}

static void test_forms(void) {
#define L1                                                                                         \
    "takes one of .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, "    \
    ".L1::no_allocate"
#define L2 "takes one of .L2::evict_normal, .L2::evict_first, .L2::evict_last"
    static const row rows[] = {
        {"add.ftz.s32 %r1, %r2, %r3;", 1,
         "'add.s32' does not take .ftz with these types and modifiers"},
        {"add.rn.s32 %r1, %r2, %r3;", 1,
         "'add.s32' does not take .rn with these types and modifiers"},
        {"atom.local.add.u32 %r1, [%d1], 1;", 1, "'atom.u32' does not take .local here"},
        {"atom.const.add.u32 %r1, [%d1], 1;", 1, "'atom.u32' does not take .const here"},
        {"atom.param.add.u32 %r1, [%d1], 1;", 1, "'atom.u32' does not take .param here"},
        {"cp.async.ca.global.global [%d1], [%d2], 4;", 1, "'cp.async' does not take .global here"},
        {"cp.async.ca.shared.shared [%r1], [%d2], 4;", 1, "'cp.async' does not take .shared here"},
        {"cp.async.ca.shared.local [%r1], [%d2], 4;", 1, "'cp.async' does not take .local here"},
        {"mul.s32 %r1, %r2, %r3;", 1, "'mul.s32' needs .lo"},
        {"setp.s32 %p1, %r2, %r3;", 1, "'setp.s32' needs a comparison"},
        {"redux.sync.u32 %r1, %r2, -1;", 1, "'redux.sync.u32' needs an operation"},
        {"cp.async.shared.global [%r1], [%d2], 4;", 1, "'cp.async' needs a cache operator"},
        {"cp.async.ca [%r1], [%d2], 4;", 1, "'cp.async' needs a state space"},
        {"cp.async.ca.shared [%r1], [%d2], 4;", 1, "'cp.async' needs a state space"},
        {"cp.async.ca.shared.global [%r1], [%d2], 4;", 0, NULL},
        {"cp.async.ca.shared.global [%r1], [%d2], 4, %r2;", 0, NULL},
        {"cp.async.ca.shared.global [%r1], [%r2], 4;", 34,
         "operand 2 of 'cp.async': expected an address in a 64-bit integer register (32-bit for "
         ".shared, .local, .const, .param), found an address in a register of type .b32"},
        {"cp.async.ca.shared.global [%r1], [%d2];", 1, "'cp.async' needs 3 operands, found 2"},
        {"add.s32;", 1, "'add.s32' needs 3 operands, found 0"},
        {"add.s32 %r1;", 1, "'add.s32' needs 3 operands, found 1"},
        {"add.s32 %r1, %r2, %r3, %r4;", 1, "'add.s32' takes 3 operands, found more"},
        {"activemask.b32 %r1, %r2;", 1, "'activemask.b32' takes 1 operand, found more"},
        {"exit %r1;", 1, "'exit' takes 0 operands, found more"},
        {"ret.u32;", 1, "'ret.u32' has no form with these types; it takes no type"},
        {"activemask.u32 %r1;", 1, "'activemask.u32' has no form with these types; it takes .b32"},
        {"activemask %r1;", 1, "'activemask' has no form with these types; it takes .b32"},
        {"activemask.b32.b32 %r1;", 1,
         "'activemask.b32.b32' has no form with these types; it takes .b32"},
        {"dp4a.u32.u64 %r1, %r2, %r3, %r4;", 1,
         "'dp4a.u32.u64' has no form with these types; it takes .u32 .s32 then .u32 .s32"},
        /* of some modifiers one */
        {"ld.global.L1::evict_first.L2::128B.u32 %r1, [%d1];", 0, NULL},
        {"ld.global.L1::evict_first.L1::evict_last.u32 %r1, [%d1];", 1, "'ld' " L1},
        {"ld.global.L1::evict_normal.L1::no_allocate.u32 %r1, [%d1];", 1, "'ld' " L1},
        {"ld.global.L1::evict_unchanged.L1::no_allocate.u32 %r1, [%d1];", 1, "'ld' " L1},
        {"ld.global.L2::64B.L2::256B.u32 %r1, [%d1];", 1,
         "'ld' takes one of .L2::64B, .L2::128B, .L2::256B"},
        {"ld.global.L1::evict_first.L2::evict_last.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];", 1,
         "'ld.L2::evict_last' needs .target sm_100, and this module is for sm_90"},
        {"ld.global.L2::evict_first.L2::evict_last.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];", 1,
         "'ld' " L2},
        {"ld.global.L2::evict_first.L2::evict_normal.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];", 1,
         "'ld' " L2},
        {"createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %d1, 1.0;", 0, NULL},
        {"createpolicy.range.L2::evict_last.L2::evict_first.b64 %d1, [%d2], 4, 8;", 0, NULL},
    };
    TRY(rows);
}

static void test_addresses(void) {
#define ADDRESS                                                                                    \
    "operand 2 of 'ld.u32': expected an address in a 64-bit integer register (32-bit for "         \
    ".shared, "                                                                                    \
    ".local, .const, .param), found an address in a register of type "
    static const row rows[] = {
        {"ld.global.u32 %r1, [%d1];", 0, NULL},
        {"ld.global.u32 %r1, [%l1];", 0, NULL},
        {"ld.u32 %r1, [%d1];", 0, NULL},
        {"ld.shared.u32 %r1, [%d1];", 0, NULL},
        {"ld.shared.u32 %r1, [%r1];", 0, NULL},
        {"ld.shared.u32 %r1, [%u1];", 0, NULL},
        {"ld.local.u32 %r1, [%r1];", 0, NULL},
        {"ld.const.u32 %r1, [%r1];", 0, NULL},
        {"ld.param.u32 %r1, [%r1];", 0, NULL},
        {"ld.global.u32 %r1, [4096];", 0, NULL},
        {"ld.u32 %r1, [%r1];", 13, ADDRESS ".b32"},
        {"ld.global.u32 %r1, [%r1];", 20, ADDRESS ".b32"},
        {"ld.shared.u32 %r1, [%h1];", 20, ADDRESS ".b16"},
        {"ld.shared.u32 %r1, [%f1];", 20, ADDRESS ".f32"},
        {"ld.shared.u32 %r1, [%p1];", 20, ADDRESS ".pred"},
        {"ld.global.u32 %r1, [%fd1];", 20, ADDRESS ".f64"},
        {"ld.global.u32 %r1, [%q1];", 20, ADDRESS ".b128"},
        {"ld.global.u32 %r1, %d1;", 20,
         "operand 2 of 'ld.u32': expected an address [..], found %d1, a register of type .b64"},
        /* a barrier's is in shared memory unless the first is generic */
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, "
         "[%r2];",
         0, NULL},
        {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];", 0, NULL},
        {"st.async.mbarrier::complete_tx::bytes.b32 [%d1], %r2, [%d3];", 0, NULL},
        {"st.async.mbarrier::complete_tx::bytes.b32 [%d1], %r2, [%r3];", 55,
         "operand 3 of 'st.async.b32': expected an address in a 64-bit integer register (32-bit "
         "for "
         ".shared, .local, .const, .param), found an address in a register of type .b32"},
    };
    TRY(rows);
}

/* How many coordinates each geometry has: 1, 2, or four of which the last may be left out; of old
 * always four. */
static void test_textures(void) {
    static const struct {
        const char *geometry, *type, *element[5]; /* of the coordinates, one by one */
        const char *counts;                       /* that are taken, of 1 to 5 */
        unsigned count;
    } rows[] = {
        {"1d", "f32", {"%f1", "%f2", "%f3", "%f4", "%f5"}, "1  4 ", 1},
        {"2d", "f32", {"%f1", "%f2", "%f3", "%f4", "%f5"}, " 2 4 ", 2},
        {"3d", "f32", {"%f1", "%f2", "%f3", "%f4", "%f5"}, "  34 ", 4},
        {"cube", "f32", {"%f1", "%f2", "%f3", "%f4", "%f5"}, "  34 ", 4},
        {"a1d", "f32", {"%u1", "%f2", "%f3", "%f4", "%f5"}, " 2 4 ", 2},
        {"a2d", "f32", {"%u1", "%f2", "%f3", "%f4", "%f5"}, "  34 ", 4},
        {"acube", "f32", {"%u1", "%f2", "%f3", "%f4", "%f5"}, "   4 ", 4},
        {"2dms", "s32", {"%u1", "%u2", "%u3", "%u4", "%u5"}, "   4 ", 4},
        {"a2dms", "s32", {"%u1", "%u2", "%u3", "%u4", "%u5"}, "   4 ", 4},
        {"3d", "s32", {"%u1", "%u2", "%u3", "%u4", "%u5"}, "  34 ", 4},
    };
    char ptx[200], why[200];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (unsigned n = 1; n <= 5; n++) {
            int at = snprintf(ptx, sizeof ptx, "tex.%s.v4.f32.%s {%%f11, %%f12, %%f13, %%f14}, ",
                              rows[k].geometry, rows[k].type);
            row r = {ptx, (unsigned)at + 1, why};
            at += snprintf(ptx + at, sizeof ptx - (size_t)at, "[%%d1, {");
            for (unsigned i = 0; i < n; i++)
                at += snprintf(ptx + at, sizeof ptx - (size_t)at, "%s%s", i ? ", " : "",
                               rows[k].element[i]);
            snprintf(ptx + at, sizeof ptx - (size_t)at, "}];");
            snprintf(why, sizeof why,
                     "operand 2 of 'tex.f32.%s': expected %u coordinates of type .%s, found an "
                     "address in a register of type .b64",
                     rows[k].type, rows[k].count, rows[k].type);
            if (rows[k].counts[n - 1] != ' ') r.why = NULL;
            try_all(&r, 1);
        }
#define TEX2    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "
#define TEX3    "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "
#define WANT    "operand 2 of 'tex.f32.f32': expected "
#define HANDLE  "a texture or surface: a variable or a 64-bit register, found "
#define AT(reg) "an address in a register of type ." reg
    static const row more[] = {
        /* what is not read may be any 32 bits; each other one is of its type */
        {TEX2 "[%d1, {%f1, %f2, %u1, %u2}];", 0, NULL},
        {TEX2 "[%d1, {%f1, %f2, %u1, %f4}];", 0, NULL},
        {TEX2 "[%d1, {%f1, %f2, %u1, %d2}];", 41,
         WANT "2 coordinates of type .f32, found " AT("b64")},
        {TEX2 "[%d1, {%f1, %f2, %h1, %u2}];", 41,
         WANT "2 coordinates of type .f32, found " AT("b64")},
        {TEX2 "[%d1, {%f1, %u2}];", 41, WANT "2 coordinates of type .f32, found " AT("b64")},
        {TEX2 "[%d1, {%u1, %f2, %f3, %f4}];", 41,
         WANT "2 coordinates of type .f32, found " AT("b64")},
        {TEX2 "[%d1, {%f1, %u2, %f3, %f4}];", 41,
         WANT "2 coordinates of type .f32, found " AT("b64")},
        {TEX3 "[%d1, {%f1, %f2, %f3, %u1}];", 0, NULL},
        {TEX3 "[%d1, {%f1, %f2, %u3, %f4}];", 41,
         WANT "4 coordinates of type .f32, found " AT("b64")},
        {TEX3 "[%d1, {%f1, %f2, %f3}];", 0, NULL},
        {TEX3 "[%d1, {%f1, %f2, %u3}];", 41, WANT "4 coordinates of type .f32, found " AT("b64")},
        {TEX2 "[%d1, {1.0, 0f00000000}];", 0, NULL},
        {TEX2 "[%d1, {1.0, 2}];", 41, WANT "2 coordinates of type .f32, found " AT("b64")},
        {"tex.a2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%u1, %u2, %u3, %u4}];", 0, NULL},
        {"tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%u1, %u2, %f3, %f4}];", 42,
         WANT "4 coordinates of type .f32, found " AT("b64")},
        /* the texture, a sampler or none, the coordinates */
        {TEX2 "[%d1, %d2, {%f1, %f2}];", 0, NULL},
        {TEX2 "[pv, {%f1, %f2}];", 41, WANT HANDLE "an address"},
        {TEX2 "[%l1, %l2, {%f1, %f2}];", 0, NULL},
        {TEX2 "[%r1, {%f1, %f2}];", 41, WANT HANDLE AT("b32")},
        {TEX2 "[%fd1, {%f1, %f2}];", 0, NULL}, /* .b64 takes a .f64 register */
        {TEX2 "[%d1, %r2, {%f1, %f2}];", 41, WANT HANDLE AT("b64")},
        {TEX2 "[4096, {%f1, %f2}];", 41, WANT HANDLE "an address"},
        {TEX2 "[%d1, %d2, %d3, {%f1, %f2}];", 41,
         WANT "[texture or surface, {coordinates}], found " AT("b64")},
        {TEX2 "[%d1];", 41, WANT "[texture or surface, {coordinates}], found " AT("b64")},
        {TEX2 "{%f1, %f2};", 41,
         WANT
         "[texture or surface, {coordinates}], found a list of 2, its first a register of type "
         ".f32"},
        {TEX2 "[%d1], %f1;", 41, WANT "[texture or surface, {coordinates}], found " AT("b64")},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, %f1];", 0, NULL},
        {".reg .v2 .f32 v; " TEX2 "[%d1, v];", 0, NULL},
        {TEX2 "[%d1, pv, {%f1, %f2}];", 41, WANT HANDLE AT("b64")},
        {TEX2 "[%d1, fn, {%f1, %f2}];", 47, "expected a sampler"},
        {TEX2 "[%d1, 5, {%f1, %f2}];", 47, "expected a sampler"},
        {TEX2 "[%d1, fn];", 47, "expected coordinates"},
        {TEX2 "[%d1, _];", 47, "expected coordinates"},
        {"suld.b.2d.b32.trap %r1, [%d1, {%r1, %r2}];", 0, NULL},
        {"suld.b.2d.b32.trap %r1, [%d1, {%r1, %d2}];", 25,
         "operand 2 of 'suld.b.b32': expected 2 coordinates of type .b32, found " AT("b64")},
        {"suld.b.a2d.b32.trap %r1, [%d1, {%r1, %r2, %r3, %r4}];", 0, NULL},
        {"sured.b.add.2d.u32.trap [%d1, {%u1, %u2}], %r1;", 0, NULL},
        /* gradients: as many as there are dimensions, of three four; offsets too */
        {"tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1}], %f5, %f6;", 0, NULL},
        {"tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1}], {%f5}, {%f6};", 0, NULL},
        {"tex.grad.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %f1}], %f5, {%f6};", 0, NULL},
        {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}], {%f5, %f6}, {%f7, %f8};",
         0, NULL},
        {"tex.grad.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %f2, %f3, %f4}], {%f5, %f6}, "
         "{%f7, %f8};",
         0, NULL},
        {"tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}], {%f5, %f6, "
         "%f7, %f8}, {%f5, %f6, %f7, %f8};",
         0, NULL},
        {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}], %f5, {%f7, %f8};", 65,
         "operand 3 of 'tex.grad.f32.f32': expected a list {..} of 2 registers of type .f32, found "
         "%f5, a register of type .f32"},
        {"tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1}], {%f5, %f6}, %f7;", 60,
         "operand 3 of 'tex.grad.f32.f32': expected a list {..} of 1 registers of type .f32, found "
         "a list of 2, its first a register of type .f32"},
        {"tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}], {%f5, %f6}, "
         "{%f7, %f8};",
         75,
         "operand 3 of 'tex.grad.f32.f32': expected a list {..} of 4 registers of type .f32, found "
         "a list of 2, its first a register of type .f32"},
    };
    TRY(more);
}

static void test_tensors(void) {
#define TENSOR(d)                                                                                  \
    "cp.async.bulk.tensor." d ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], "
#define GATHER                                                                                     \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes "   \
    "[%r1], "
#define IM2COL                                                                                     \
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "   \
    "[%d1, {%r2, %r3, %r4, %r5}], [%r6], "
    static const row rows[] = {
        {TENSOR("1d") "[%d1, {%r2}], [%r3];", 0, NULL},
        {TENSOR("2d") "[%d1, {%r2, 5}], [%r3];", 0, NULL},
        {TENSOR("5d") "[%d1, {%r2, %r3, %r4, %r5, %r6}], [%r3];", 0, NULL},
        {TENSOR("2d") "[%d1, {%r2}], [%r3];", 89,
         "operand 2 of 'cp.async.bulk.tensor': expected a list {..} of 2 registers of type .s32, "
         "found an address in a register of type .b64"},
        {TENSOR("2d") "[%d1], [%r3];", 89,
         "operand 2 of 'cp.async.bulk.tensor': expected [tensor map, {coordinates}], found an "
         "address in a register of type .b64"},
        {TENSOR("2d") "[%r1, {%r2, %r3}], [%r3];", 89,
         "operand 2 of 'cp.async.bulk.tensor': expected an address in a 64-bit integer register "
         "(32-bit for .shared, .local, .const, .param), found an address in a register of type "
         ".b32"},
        {GATHER "[%d1, {%r1, %r2, %r3, %r4, %r5}], [%r3];", 1, /* a column, four rows */
         "'cp.async.bulk.tensor.tile::gather4.shared::cluster' needs a target such as sm_100a"},
        {GATHER "[%d1, {%r1, %r2, %r3, %r4}], [%r3];", 98,
         "operand 2 of 'cp.async.bulk.tensor': expected a list {..} of 5 registers of type .s32, "
         "found an address in a register of type .b64"},
        /* offsets of the dimensions but the batch and the channel */
        {IM2COL "{%h1, %h2};", 0, NULL},
        {IM2COL "{1, %h2};", 0, NULL},
        {IM2COL "{%h1};", 127,
         "operand 4 of 'cp.async.bulk.tensor': expected a list {..} of 2 registers of type .u16, "
         "found a list of 1, its first a register of type .b16"},
        {IM2COL "%h1;", 127,
         "operand 4 of 'cp.async.bulk.tensor': expected {offsets}, found %h1, a register of type "
         ".b16"},
    };
    TRY(rows);
}

/* The call in line 11, column 1, in a kernel with .param a .b32, b .b64, c .b128 as 16 bytes. */
static void test_calls(void) {
#define SIZES(n, what, of, has, gives)                                                             \
    "number " #n " of the " what " of '" of "' has " #has " bytes, the call gives " #gives
    static const row rows[] = {
        {"call f, (a, b);", 0, NULL},
        {"call f, (%r1, %d1);", 0, NULL},
        {"call f, (%f1, 7);", 0, NULL},
        {"call (a), g, ();", 0, NULL},
        {"call (_), g;", 0, NULL},
        {"call (%r1), g;", 0, NULL},
        {"call v, (a);", 0, NULL}, /* the last takes what comes, or nothing */
        {"call v, (a, b);", 0, NULL},
        {"call v, (a, b, c);", 0, NULL},
        {"call %d1, (a, b), P;", 0, NULL},
        {"call %d1, (a, b), T;", 0, NULL},
        {"call (a), g, (), P;", 0, NULL}, /* the function named outright says what it takes */
        {"call g, (a, b), P;", 1, "'g' has 1 returns, the call gives 0"},
        {"call f, (b, a);", 1, SIZES(1, "parameters", "f", 4, 8)},
        {"call f, (a, a);", 1, SIZES(2, "parameters", "f", 8, 4)},
        {"call f, (%r1, %r2);", 1, SIZES(2, "parameters", "f", 8, 4)},
        {"call f, (fn, b);", 1, SIZES(1, "parameters", "f", 4, 0)},
        {"call f, (a);", 1, "'f' has 2 parameters, the call gives 1"},
        {"call f, (a, b, c);", 1, "'f' has 2 parameters, the call gives 3"},
        {"call f;", 1, "'f' has 2 parameters, the call gives 0"},
        {"call v;", 1, "'v' has 2 parameters, the call gives 0"},
        {"call v, (b, b);", 1, SIZES(1, "parameters", "v", 4, 8)},
        {"call f, (a+4, b);", 1, "'a' in a call must be a .param variable"},
        {"call f, (s, b);", 1, "'s' in a call must be a .param variable"},
        {"call (b), g;", 1, SIZES(1, "returns", "g", 4, 8)},
        {"call g;", 1, "'g' has 1 returns, the call gives 0"},
        {"call (a), f, (a, b);", 1, "'f' has 0 returns, the call gives 1"},
        {"call k;", 1, "'k' is a kernel: device code cannot call it"},
        {"call %d1, (a), P;", 1, "'_' has 2 parameters, the call gives 1"},
        {"call %r1, (a, b), P;", 1, "the address of a function needs a 64-bit register"},
        {"call %d1, (a, b);", 6, "an indirect call needs a .callprototype or .calltargets"},
        {"call 5, (a, b);", 6, "expected a function or a register that holds one"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        lib_message msg = {0};
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_90\n.address_size 64\n.shared .b32 s;\n"
                 ".func fn() { ret; }\n.func f(.param .b32 x, .param .b64 y) { ret; }\n"
                 ".func (.param .b32 r) g() { ret; }\n"
                 ".func v(.param .b32 x, .param .align 8 .b8 rest[]) { ret; }\n"
                 ".entry k() { .param .b32 a; .param .b64 b; .param .align 16 .b8 c[16];\n"
                 ".reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .f32 %%f<9>; T: .calltargets f; "
                 "P: .callprototype _ (.param .b32 x, .param .b64 y);\n%s\nret; }\n",
                 rows[i].ptx);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        holds_to(&rows[i], m, &msg, 11);
        ptx_free(m);
    }
}

/* TYPE:BITS of each constant, with f or d before those of a float literal: it has the type of its
 * operand, whatever it was written as; those in lists have no type of their own. */
static size_t put_constants(const ptx_opnd *o, unsigned count, char *out, size_t n) {
    size_t at = 0;
    for (unsigned k = 0; k < count; k++) {
        if (o[k].kind == PTX_OPND_VEC) at += put_constants(o[k].elem, o[k].count, out + at, n - at);
        if (o[k].kind != PTX_OPND_IMM) continue;
        at += (size_t)snprintf(out + at, n - at, "%s:%s%llx ", ptx_type_text((ptx_type)o[k].type),
                               o[k].is_float == 4   ? "f"
                               : o[k].is_float == 8 ? "d"
                                                    : "",
                               (unsigned long long)o[k].imm);
    }
    return at;
}

static void test_constants(void) {
    static const struct {
        const char *ptx, *constants;
    } rows[] = {
        /* 1.5 is 3fc00000 and 3ff8000000000000, 2.5 is 40200000 */
        {"add.f32 %f1, %f2, 1.5;", ".f32:f3fc00000 "},
        {"add.f32 %f1, 0f3FC00000, 0d3FF8000000000000;", ".f32:f3fc00000 .f32:f3fc00000 "},
        {"add.f64 %fd1, %fd2, 0f3FC00000;", ".f64:d3ff8000000000000 "},
        {"add.f64 %fd1, 1.5, %fd2;", ".f64:d3ff8000000000000 "},
        {"mov.f32 %f1, -1.5;", ".f32:fbfc00000 "},
        {"mov.f64 %fd1, -0f3FC00000;", ".f64:dbff8000000000000 "},
        {"selp.f32 %f1, 1.5, 2.5, %p1;", ".f32:f3fc00000 .f32:f40200000 "},
        {"and.b64 %d1, %d2, 1.5;", ".b64:d3ff8000000000000 "},
        {"and.b32 %r1, %r2, 0f3FC00000;", ".b32:f3fc00000 "},
        {"cvt.rn.f32.f64 %f1, 1.5;", ".f64:d3ff8000000000000 "},
        {"setp.lt.f32 %p1, %f1, 1.5;", ".f32:f3fc00000 "},
        {"setp.lt.f32 %p1|%p2, %f1, 1.5;", ".f32:f3fc00000 "},
        {"setp.lt.and.f32 %p1|%p2, 1.5, %f1, !%p3;", ".f32:f3fc00000 "},
        {"dp4a.u32.s32 %r1, 1, 2, 3;", ".u32:1 .s32:2 .b32:3 "},
        {"mad.wide.u16 %r1, 7, %h2, 9;", ".u16:7 .u32:9 "},
        {"shl.b64 %d1, %d2, 5;", ".u32:5 "},
        {"add.s64 %d1, %d2, -1;", ".s64:ffffffffffffffff "},
        {"st.global.f32 [%d1], 1.5;", ".f32:f3fc00000 "},
        {"st.global.v2.f32 [%d1], {1.5, 0f3F800000};", ":f3fc00000 :f3f800000 "},
        {"st.global.v2.u32 [%d1], {1, 2};", ":1 :2 "},
        {"atom.global.add.f32 %f1, [%d1], 1.5;", ".f32:f3fc00000 "},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {1.5, %f2}];", ":f3fc00000 "},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, %d2, {%f1, 1.5}];", ":f3fc00000 "},
        {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, %d2, {%f1, 1.5}], 3;",
         ":f3fc00000 .b32:3 "},
        {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
         ".multicast::cluster [%r1], [%d1, {9}], [%r3], 3;",
         ":9 .b16:3 "},
        {"bar.sync 0, 64;", ".u32:0 .u32:40 "},
        {"mov.u32 %r1, WARP_SZ;", ".u32:20 "},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        lib_message msg = {0};
        char got[200] = "";
        ptx_module *m = parse_instruction(rows[k].ptx, strlen(rows[k].ptx), &msg);
        const ptx_func *f = m ? m->funcs[1] : NULL; /* behind fn */
        if (f) put_constants(f->insns[0].opnd, f->insns[0].nopnds, got, sizeof got);
        else snprintf(got, sizeof got, "%s", said(&msg));
        CHECK_STR(got, rows[k].constants);
        ptx_free(m);
    }
}

/* How many registers a lane holds of each matrix: the tables of PTX ISA 9.7.14 (wmma, mma), 9.7.15
 * (wgmma). */
static void test_fragments(void) {
    static const struct {
        unsigned op, shape;
        ptx_type t;
        unsigned a, b, c; /* 0: not asked */
    } rows[] = {
        {PTX_OP_mma, PTX_SHAPE_m8n8k4, PTX_F64, 1, 1, 2},
        {PTX_OP_mma, PTX_SHAPE_m8n8k16, PTX_S8, 1, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m8n8k16, PTX_S32, 0, 0, 2},
        {PTX_OP_mma, PTX_SHAPE_m8n8k32, PTX_U4, 1, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m8n8k128, PTX_B1, 1, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k4, PTX_TF32, 2, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k4, PTX_F64, 2, 1, 4},
        {PTX_OP_mma, PTX_SHAPE_m16n8k8, PTX_F16, 2, 1, 2},
        {PTX_OP_mma, PTX_SHAPE_m16n8k8, PTX_F32, 0, 0, 4},
        {PTX_OP_mma, PTX_SHAPE_m16n8k8, PTX_TF32, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k8, PTX_F64, 4, 2, 4},
        {PTX_OP_mma, PTX_SHAPE_m16n8k16, PTX_BF16, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k16, PTX_U8, 2, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k16, PTX_F64, 8, 4, 4},
        {PTX_OP_mma, PTX_SHAPE_m16n8k32, PTX_E4M3, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k32, PTX_E5M2, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k32, PTX_S4, 2, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k64, PTX_S4, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k128, PTX_B1, 2, 1, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k256, PTX_B1, 4, 2, 0},
        {PTX_OP_mma, PTX_SHAPE_m16n8k256, PTX_S32, 0, 0, 4},
        {PTX_OP_mma_sp, PTX_SHAPE_m16n8k16, PTX_F16, 2, 2, 2},
        {PTX_OP_mma_sp, PTX_SHAPE_m16n8k32, PTX_F16, 4, 4, 2},
        {PTX_OP_mma_sp_ordered, PTX_SHAPE_m16n8k8, PTX_TF32, 2, 2, 0},
        {PTX_OP_mma_sp_ordered, PTX_SHAPE_m16n8k64, PTX_S8, 4, 4, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k16, PTX_F16, 8, 8, 4},
        {PTX_OP_wmma_mma, PTX_SHAPE_m32n8k16, PTX_F16, 8, 8, 4},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n32k16, PTX_F16, 8, 8, 4},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k16, PTX_F32, 0, 0, 8},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k16, PTX_BF16, 4, 4, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m32n8k16, PTX_BF16, 8, 2, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n32k16, PTX_BF16, 2, 8, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k16, PTX_S8, 2, 2, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m32n8k16, PTX_U8, 4, 1, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n32k16, PTX_S8, 1, 4, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k8, PTX_TF32, 4, 4, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m16n16k8, PTX_F32, 0, 0, 8},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n8k4, PTX_F64, 1, 1, 2},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n8k32, PTX_S4, 1, 1, 0},
        {PTX_OP_wmma_mma, PTX_SHAPE_m8n8k128, PTX_B1, 1, 1, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ptx_insn i = {.op = (uint16_t)rows[k].op};
        i.field[PTX_FIELD_SHAPE] = (uint8_t)rows[k].shape;
        const unsigned want[3] = {rows[k].a, rows[k].b, rows[k].c};
        printf("# %s of %s\n", ptx_mod_text(PTX_FIELD_SHAPE, rows[k].shape),
               ptx_type_text(rows[k].t));
        for (unsigned w = 0; w < 3; w++)
            if (want[w]) CHECK_INT(ptx_fragment_registers(&i, "abc"[w], rows[k].t, false), want[w]);
    }
    /* Volta's mma.m8n8k4 of halves: four of them, each by a quarter of the warp */
    ptx_insn quad = {.op = PTX_OP_mma};
    quad.field[PTX_FIELD_SHAPE] = PTX_SHAPE_m8n8k4;
    CHECK(ptx_fragment_quad(&quad, PTX_F16) && !ptx_fragment_quad(&quad, PTX_F64));
    CHECK_INT(ptx_fragment_registers(&quad, 'a', PTX_F16, true), 2);
    CHECK_INT(ptx_fragment_registers(&quad, 'b', PTX_F16, true), 2);
    CHECK_INT(ptx_fragment_registers(&quad, 'c', PTX_F16, true), 4);
    CHECK_INT(ptx_fragment_registers(&quad, 'c', PTX_F32, true), 8);
    quad.field[PTX_FIELD_SHAPE] = PTX_SHAPE_m16n8k8;
    CHECK(!ptx_fragment_quad(&quad, PTX_F16));
    quad.op = PTX_OP_wmma_mma, quad.field[PTX_FIELD_SHAPE] = PTX_SHAPE_m8n8k4;
    CHECK(!ptx_fragment_quad(&quad, PTX_F16));
    /* warpgroups: 64 rows of four warps, N columns */
    static const struct {
        unsigned field, k;
        ptx_type t;
    } groups[] = {{PTX_FIELD_M64K8, 8, PTX_TF32},
                  {PTX_FIELD_M64K16, 16, PTX_F16},
                  {PTX_FIELD_M64K32, 32, PTX_S8},
                  {PTX_FIELD_M64K64, 64, PTX_E4M3},
                  {PTX_FIELD_M64K256, 256, PTX_B1}};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (unsigned n = 8; n <= 256; n += 248) {
            ptx_insn i = {.op = PTX_OP_wgmma_mma_async};
            i.field[groups[g].field] = (uint8_t)(n / 8);
            ptx_fragment_shape s = ptx_fragment_shape_of(&i);
            CHECK_INT(s.m, 64);
            CHECK_INT(s.n, n);
            CHECK_INT(s.k, groups[g].k);
            CHECK_INT(ptx_fragment_registers(&i, 'c', PTX_F32, false), n / 2);
            CHECK_INT(ptx_fragment_registers(&i, 'c', PTX_F16, false), n / 4);
            if (groups[g].k == 64) continue; /* of sparse ones alone */
            CHECK_INT(ptx_fragment_registers(&i, 'a', groups[g].t, false), 4);
        }
    ptx_insn sparse = {.op = PTX_OP_wgmma_mma_async_sp};
    sparse.field[PTX_FIELD_M64K64] = 1;
    CHECK_INT(ptx_fragment_registers(&sparse, 'a', PTX_E4M3, false), 4);
    CHECK_INT(ptx_fragment_registers(&sparse, 'c', PTX_F32, false), 4);
}

int main(void) {
    test_sources();
    test_mov();
    test_lists();
    test_pairs();
    test_forms();
    test_addresses();
    test_textures();
    test_tensors();
    test_calls();
    test_constants();
    test_fragments();
    return check_done();
}
