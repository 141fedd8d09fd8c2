/* What the assembler makes one instruction of. Each row is PTX and the machine instructions that
 * ptxas 13.0 (sm_90) makes of it, counted in its output: a kernel loads %r1 to %r4, %d1 and %d2,
 * %f1 to %f4 from memory, does this, and stores %r9, %d9 or %f9, 24 times over with other
 * addresses; the code of 24 less that of 8, over 16, less what the loads and stores take. Not here,
 * since the model folds more or less of them: chains of three logic operations or of a product and
 * two sums (ptxas makes 2, the model has 1), sums and logic of 64 bits in a row (2, not 4), shifts
 * of 64 bits. */
#include "runner/base/message.h"
#include "runner/device/sim/parse/parse.h"
#include "runner/device/sim/time/time.h"
#include "runner/device/sim/time/time_internal.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<40>; .reg .pred %p<9>; .reg .b64 %d<40>; .reg .f32 %f<40>;\n"
    "ld.param.u64 %d30, [in]; ld.param.u64 %d31, [out];\n"
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d30]; ld.global.v2.u64 {%d1, %d2}, [%d30+16];\n"
    "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d30+32];\n";
enum { BEFORE = 5 }; /* instructions */

static const struct {
    unsigned machine;
    const char *ptx;
    unsigned wide; /* products of twice the width among them, which keep the port for four */
} rows[] = {
    {1, "add.u32 %r9,%r1,%r2;", 0},
    {1, "add.u32 %r5,%r1,%r2; add.u32 %r9,%r5,%r3;", 0},
    {2, "add.u32 %r5,%r1,%r2; add.u32 %r6,%r5,%r3; add.u32 %r9,%r6,%r4;", 0},
    {2, "add.u32 %r5,%r1,%r2; add.u32 %r6,%r3,%r4; add.u32 %r9,%r5,%r6;", 0},
    {1, "and.b32 %r5,%r1,%r2; or.b32 %r9,%r5,%r3;", 0},
    {1, "mul.lo.u32 %r5,%r1,%r2; add.u32 %r9,%r5,%r3;", 0},
    {1, "mul.lo.u32 %r9,%r1,%r2;", 0},
    {1, "mul.f32 %f5,%f1,%f2; add.f32 %f9,%f5,%f3;", 0},
    {2, "mul.rn.f32 %f5,%f1,%f2; add.rn.f32 %f9,%f5,%f3;", 0},
    {2, "mul.rn.f32 %f5,%f1,%f2; add.f32 %f9,%f5,%f3;", 0},
    {2, "mul.f32 %f5,%f1,%f2; add.rn.f32 %f9,%f5,%f3;", 0},
    {1, "mul.f32 %f5,%f1,%f2; sub.f32 %f9,%f5,%f3;", 0},
    {1, "shl.b32 %r5,%r1,2; add.u32 %r9,%r5,%r2;", 0},
    {2, "shl.b32 %r5,%r1,%r3; add.u32 %r9,%r5,%r2;", 0},
    {1, "mul.wide.u32 %d5,%r1,%r2; add.u64 %d9,%d5,%d1;", 1},
    {1, "mul.wide.u32 %d9,%r1,%r2;", 1},
    {2, "add.u64 %d9,%d1,%d2;", 0},
    {1, "mov.u32 %r5,%r1; add.u32 %r9,%r5,%r2;", 0},
    {1, "mov.u32 %r5,7; add.u32 %r9,%r5,%r2;", 0},
    {2, "add.u32 %r5,%r1,%r2; mul.lo.u32 %r6,%r5,%r3; add.u32 %r9,%r6,%r5;", 0},
    {2, "and.b32 %r5,%r1,%r2; add.u32 %r6,%r5,%r3; add.u32 %r9,%r6,%r5;", 0},
    {2, "cvt.u64.u32 %d5,%r1; add.u64 %d9,%d5,%d2;", 0},
    {0, "cvt.u32.u64 %r9,%d1;", 0},
    {1, "sub.u32 %r5,%r1,%r2; sub.u32 %r9,%r5,%r3;", 0},
    {1, "not.b32 %r5,%r1; and.b32 %r9,%r5,%r2;", 0},
    {2, "add.u32 %r5,%r1,%r2; add.u32 %r6,%r5,%r3; sub.u32 %r7,%r6,%r4; add.u32 %r9,%r7,%r1;", 0},
    {2, "mul.f32 %f5,%f1,%f2; add.f32 %f6,%f5,%f3; mul.f32 %f7,%f6,%f4; add.f32 %f9,%f7,%f1;", 0},
    {2, "mul.f32 %f5,%f1,%f2; mul.f32 %f6,%f5,%f3; add.f32 %f9,%f6,%f4;", 0},
    {1, "mad.lo.u32 %r9,%r1,%r2,%r3;", 0},
    {1, "fma.rn.f32 %f9,%f1,%f2,%f3;", 0},
    {3, "shl.b32 %r5,%r1,3; add.u32 %r6,%r5,%r2; add.u32 %r7,%r5,%r3; xor.b32 %r9,%r6,%r7;", 0},
    {2, "shl.b32 %r5,%r1,3; xor.b32 %r9,%r5,%r2;", 0},
    {2, "mul.lo.u32 %r5,%r1,%r2; xor.b32 %r9,%r5,%r3;", 0},
    {2, "min.u32 %r5,%r1,%r2; add.u32 %r9,%r5,%r3;", 0},
    {2, "add.u32 %r5,%r1,%r2; and.b32 %r9,%r5,%r3;", 0},
    {3, "add.u32 %r5,%r1,%r2; and.b32 %r6,%r5,%r3; add.u32 %r7,%r5,%r4; xor.b32 %r9,%r6,%r7;", 0},
    {1, "mul.wide.s32 %d5,%r1,%r2; add.s64 %d9,%d5,%d1;", 1},
    {1, "mul.wide.s32 %d5,%r1,4; add.s64 %d9,%d5,%d1;", 1},
    {2, "mul.wide.u32 %d5,%r1,%r2; add.u64 %d6,%d5,%d1; add.u64 %d9,%d6,%d5;", 2},
    {2, "and.b64 %d9,%d1,%d2;", 0},
    {1, "add.u32 %r5,%r1,5; add.u32 %r9,%r5,%r2;", 0},
    {1, "cvt.u32.u64 %r5,%d1; add.u32 %r9,%r5,%r2;", 0},
    {2, "add.f32 %f5,%f1,%f2; add.f32 %f9,%f5,%f3;", 0},
    {2, "add.f32 %f5,%f1,%f2; mul.f32 %f9,%f5,%f3;", 0},
    {2, "setp.lt.u32 %p1,%r1,%r2; selp.b32 %r9,%r3,%r4,%p1;", 0},
    {1, "mov.b32 %r5,%r1; mov.b32 %r6,%r5; xor.b32 %r9,%r6,%r2;", 0},
    {2, "and.b32 %r5,%r1,15; shl.b32 %r6,%r5,2; add.u32 %r9,%r6,%r2;", 0},
    /* terms the other way round, and of the function's first register */
    {1, "add.u32 %r5,%r1,%r2; add.u32 %r9,%r3,%r5;", 0},
    {2, "add.u32 %r5,%r1,%r2; add.u32 %r6,%r3,%r4; add.u32 %r9,%r6,%r5;", 0},
    {1, "mul.lo.u32 %r5,%r1,%r2; add.u32 %r9,%r3,%r5;", 0},
    {1, "shl.b32 %r5,%r1,2; add.u32 %r9,%r2,%r5;", 0},
    {1, "add.u32 %r0,%r1,%r2; add.u32 %r9,%r0,%r3;", 0},
    {2, "add.u32 %r0,%r1,%r2; add.u32 %r6,%r0,%r3; add.u32 %r9,%r6,%r4;", 0},
    {2, "add.u32 %r0,%r1,%r2; add.u32 %r6,%r3,%r4; add.u32 %r9,%r0,%r6;", 0},
    {2, "add.u32 %r0,%r1,%r2; add.u32 %r6,%r3,%r4; add.u32 %r9,%r6,%r0;", 0},
    {2, "add.u32 %r5,%r1,%r2; add.u32 %r0,%r3,%r4; add.u32 %r9,%r5,%r0;", 0},
    {1, "and.b32 %r0,%r1,%r2; or.b32 %r9,%r0,%r3;", 0},
    {3, "and.b32 %r0,%r1,%r2; or.b32 %r6,%r0,%r3; add.u32 %r9,%r6,%r0;", 0},
    {1, "mul.lo.u32 %r0,%r1,%r2; add.u32 %r9,%r0,%r3;", 0},
    {2, "mul.lo.u32 %r0,%r1,%r2; xor.b32 %r9,%r0,%r3;", 0},
    {1, "shl.b32 %r0,%r1,2; add.u32 %r9,%r0,%r2;", 0},
    {1, "mov.u32 %r0,%r1; add.u32 %r9,%r0,%r2;", 0},
};

/* Loads of floats from shared memory behind one barrier, and how many LDS ptxas 13.0 (sm_90) makes
 * of them: it joins what lies side by side where it can see that the address is a multiple of the
 * whole. (Not here: where it loads more than was asked for, three of four or the middle of two
 * groups, and one address twice.) s: the array; %r4, %r7, %r8: the array and 4, 16, 8 times the
 * thread's index. */
static const struct {
    unsigned machine;
    const char *base;
    unsigned align, count;
    int offset[8];
} loads[] = {
    {1, "s", 16, 1, {0}},
    {1, "s", 16, 2, {0, 4}},
    {2, "s", 16, 2, {4, 8}},
    {1, "s", 16, 2, {8, 12}},
    {1, "s", 16, 4, {0, 4, 8, 12}},
    {2, "s", 16, 4, {8, 12, 16, 20}},
    {2, "s", 16, 2, {0, 8}},
    {2, "s", 16, 8, {0, 4, 8, 12, 16, 20, 24, 28}},
    {1, "s", 16, 4, {12, 8, 4, 0}},
    {1, "s", 16, 2, {4, 0}},
    {1, "s", 16, 4, {1024, 1028, 1032, 1036}},
    {1, "s", 4, 1, {0}},
    {1, "s", 4, 2, {0, 4}},
    {2, "s", 4, 2, {4, 8}},
    {1, "s", 4, 2, {8, 12}},
    {1, "s", 4, 4, {0, 4, 8, 12}},
    {2, "s", 4, 4, {8, 12, 16, 20}},
    {2, "s", 4, 2, {0, 8}},
    {2, "s", 4, 8, {0, 4, 8, 12, 16, 20, 24, 28}},
    {1, "s", 4, 4, {12, 8, 4, 0}},
    {1, "s", 4, 2, {4, 0}},
    {1, "s", 4, 4, {1024, 1028, 1032, 1036}},
    {1, "%r4", 16, 1, {0}},
    {2, "%r4", 16, 2, {0, 4}},
    {2, "%r4", 16, 2, {4, 8}},
    {2, "%r4", 16, 2, {8, 12}},
    {4, "%r4", 16, 4, {0, 4, 8, 12}},
    {4, "%r4", 16, 4, {4, 8, 12, 16}},
    {4, "%r4", 16, 4, {8, 12, 16, 20}},
    {3, "%r4", 16, 3, {0, 4, 8}},
    {2, "%r4", 16, 2, {0, 8}},
    {4, "%r4", 16, 4, {0, 4, 12, 16}},
    {8, "%r4", 16, 8, {0, 4, 8, 12, 16, 20, 24, 28}},
    {4, "%r4", 16, 4, {12, 8, 4, 0}},
    {2, "%r4", 16, 2, {4, 0}},
    {4, "%r4", 16, 4, {1024, 1028, 1032, 1036}},
    {1, "%r7", 16, 1, {0}},
    {1, "%r7", 16, 2, {0, 4}},
    {2, "%r7", 16, 2, {4, 8}},
    {1, "%r7", 16, 2, {8, 12}},
    {1, "%r7", 16, 4, {0, 4, 8, 12}},
    {2, "%r7", 16, 4, {8, 12, 16, 20}},
    {2, "%r7", 16, 2, {0, 8}},
    {2, "%r7", 16, 8, {0, 4, 8, 12, 16, 20, 24, 28}},
    {1, "%r7", 16, 4, {12, 8, 4, 0}},
    {1, "%r7", 16, 2, {4, 0}},
    {1, "%r7", 16, 4, {1024, 1028, 1032, 1036}},
    {1, "%r8", 16, 1, {0}},
    {1, "%r8", 16, 2, {0, 4}},
    {2, "%r8", 16, 2, {4, 8}},
    {1, "%r8", 16, 2, {8, 12}},
    {2, "%r8", 16, 4, {0, 4, 8, 12}},
    {3, "%r8", 16, 4, {4, 8, 12, 16}},
    {2, "%r8", 16, 4, {8, 12, 16, 20}},
    {2, "%r8", 16, 3, {0, 4, 8}},
    {2, "%r8", 16, 2, {0, 8}},
    {3, "%r8", 16, 4, {0, 4, 12, 16}},
    {4, "%r8", 16, 8, {0, 4, 8, 12, 16, 20, 24, 28}},
    {2, "%r8", 16, 4, {12, 8, 4, 0}},
    {1, "%r8", 16, 2, {4, 0}},
    {2, "%r8", 16, 4, {1024, 1028, 1032, 1036}},
};

/* plus: the array's address is first put into a register, so many bytes on; then it need not see
 * all, but joins nothing that ptxas does not. */
static void check_loads(int plus) {
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        if (plus && *loads[k].base != 's') continue;
        char text[4096], what[160], why[80];
        lib_message msg = {0};
        size_t n = (size_t)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 out) { .shared .align %u .b8 s[8192];\n"
            ".reg .b32 %%r<10>; .reg .b64 %%d<9>; .reg .f32 %%f<40>; ld.param.u64 %%d1, [out];\n"
            "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s; shl.b32 %%r3, %%r1, 2; shl.b32 %%r5, %%r1, "
            "4;\n"
            "shl.b32 %%r6, %%r1, 3; add.u32 %%r4, %%r2, %%r3; add.u32 %%r7, %%r2, %%r5;\n"
            "add.u32 %%r8, %%r2, %%r6; mov.u32 %%r9, s+%d; bar.sync 0;\n",
            loads[k].align, plus);
        int w =
            snprintf(what, sizeof what, "%s of %u, %d on:", loads[k].base, loads[k].align, plus);
        for (unsigned i = 0; i < loads[k].count; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "ld.shared.f32 %%f%u, [%s+%d];\n", i,
                                  plus ? "%r9" : loads[k].base, loads[k].offset[i] - plus);
            w += snprintf(what + w, sizeof what - (size_t)w, " %d", loads[k].offset[i]);
        }
        for (unsigned i = 0; i < loads[k].count; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "st.global.f32 [%%d1+%u], %%f%u;\n",
                                  4 * i, i);
        snprintf(text + n, sizeof text - n, "ret; }\n");
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        unsigned made = 0;
        bool seen = !plus || (plus == 8 && loads[k].count == 2); /* 8 bytes on: pairs stay pairs */
        for (uint32_t at = 0; code && at < code->op_count; at++)
            made += m->funcs[0]->insns[at].op == PTX_OP_ld &&
                    m->funcs[0]->insns[at].space == PTX_SPACE_SHARED &&
                    !(code->ops[at].flags & TIME_MERGED);
        snprintf(why, sizeof why, "%u loads, ptxas makes %u", made, loads[k].machine);
        check_that(made == loads[k].machine || (!seen && made > loads[k].machine), __FILE__,
                   __LINE__, what, why);
        time_code_free(code);
        ptx_free(m);
    }
}

/* How an address is made and what it is a multiple of, so far as it shows: bytes that one load of
 * four floats side by side takes, 0: the middle two are a pair. %r1 is the thread's index, %r2 an
 * array at a multiple of 16, %r3 has two values. */
static void check_multiples(void) {
    static const struct {
        const char *made; /* %r9 */
        unsigned bytes;
    } ways[] = {
        {"mov.u32 %r9,%r2;", 16},
        {"mov.u32 %r9,s+8;", 8},
        {"mov.u32 %r9,s+4;", 0},
        {"mov.u32 %r9,s+16;", 16},
        {"mov.u32 %r9,s+24;", 8},
        {"mov.u32 %r9,64;", 16},
        {"mov.u32 %r9,24;", 8},
        {"mov.u32 %r9,20;", 0},
        {"mov.u32 %r9,0;", 16},
        {"mov.u32 %r9,%r1;", 4},
        {"mov.u32 %r9,%r3;", 4},
        {"shl.b32 %r9,%r1,2;", 4},
        {"shl.b32 %r9,%r1,3;", 8},
        {"shl.b32 %r9,%r1,4;", 16},
        {"shl.b32 %r9,%r1,5;", 16},
        {"shl.b32 %r9,%r3,3;", 8},
        {"shl.b32 %r9,%r3,4;", 16},
        {"shl.b32 %r4,%r1,2; shl.b32 %r9,%r4,1;", 8},
        {"shl.b32 %r4,%r1,2; shl.b32 %r9,%r4,2;", 16},
        {"shl.b32 %r4,%r1,3; shl.b32 %r9,%r4,3;", 16},
        {"shl.b32 %r4,%r1,3; shl.b32 %r9,%r4,%r1;", 8},
        {"mul.lo.u32 %r9,%r1,8;", 8},
        {"mul.lo.u32 %r9,%r1,16;", 16},
        {"mul.lo.u32 %r9,%r1,4;", 4},
        {"mul.lo.u32 %r9,%r1,48;", 16},
        {"mul.lo.u32 %r9,%r3,8;", 8},
        {"shl.b32 %r4,%r1,2; mul.lo.u32 %r9,%r4,%r4;", 16},
        {"shl.b32 %r4,%r1,2; mul.lo.u32 %r9,%r4,2;", 8},
        {"shl.b32 %r4,%r1,3; mul.lo.u32 %r9,%r4,%r4;", 16},
        {"shl.b32 %r4,%r1,4; add.u32 %r9,%r2,%r4;", 16},
        {"shl.b32 %r4,%r1,4; sub.u32 %r9,%r2,%r4;", 16},
        {"shl.b32 %r4,%r1,3; add.u32 %r9,%r2,%r4;", 8},
        {"shl.b32 %r4,%r1,3; add.u32 %r9,%r4,%r2;", 8},
        {"shl.b32 %r4,%r1,3; sub.u32 %r9,%r2,%r4;", 8},
        {"shl.b32 %r4,%r1,3; or.b32 %r9,%r2,%r4;", 8},
        {"shl.b32 %r4,%r1,3; xor.b32 %r9,%r4,%r2;", 8},
        {"shl.b32 %r4,%r1,2; xor.b32 %r9,%r4,%r2;", 4},
        {"add.u32 %r9,%r2,%r3;", 4},
        {"and.b32 %r9,%r1,240;", 16},
        {"and.b32 %r9,%r1,-8;", 8},
        {"and.b32 %r9,%r1,12;", 4},
        {"and.b32 %r9,%r2,12;", 16},
        {"and.b32 %r9,%r3,240;", 16},
        {"mad.lo.u32 %r9,%r1,16,%r2;", 16},
        {"mad.lo.u32 %r9,%r1,8,%r2;", 8},
        {"mad.lo.u32 %r9,%r1,4,%r2;", 4},
        {"mad.lo.u32 %r9,%r1,32,%r2;", 16},
        /* moved on by multiples of 16 from there */
        {"mad.lo.u32 %r9,%r1,32,%r2; add.u32 %r9,%r9,32;", 16},
        {"mad.lo.u32 %r9,%r1,8,%r2; add.u32 %r9,%r9,32;", 4},
        {"mad.lo.u32 %r9,%r1,32,%r2; add.u32 %r9,%r9,8;", 4},
        {"shl.b32 %r4,%r1,3; mad.lo.u32 %r9,%r2,%r2,%r4;", 8},
        {"shl.b32 %r4,%r1,2; mad.lo.u32 %r9,%r4,%r4,%r2;", 16},
        {"mad.lo.u32 %r9,%r2,%r1,%r1;", 4},
        {"cvta.to.shared.u32 %r9,%r2;", 16},
        {"shl.b32 %r4,%r1,3; cvt.u32.u32 %r9,%r4;", 8},
        {"not.b32 %r9,%r2;", 4},
        {"min.u32 %r9,%r2,16;", 4},
        {"ld.shared.u32 %r9,[%r2];", 4},
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        char text[2048], why[40];
        lib_message msg = {0};
        size_t n = (size_t)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 out) { .shared .align 16 .b8 s[8192];\n"
            ".reg .b32 %%r<10>; .reg .b64 %%d<9>; .reg .f32 %%f<9>; ld.param.u64 %%d1, [out];\n"
            "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s; mov.u32 %%r3, %%laneid; mov.u32 %%r3, 16;\n"
            "%s\nbar.sync 0;\nld.shared.f32 %%f1,[%%r9]; ld.shared.f32 %%f2,[%%r9+4];\n"
            "ld.shared.f32 %%f3,[%%r9+8]; ld.shared.f32 %%f4,[%%r9+12];\nret; }\n",
            ways[k].made);
        ptx_module *m = ptx_parse(text, n, &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        unsigned made = 0;
        for (uint32_t at = code ? code->op_count - 5 : 0; code && at < code->op_count - 1; at++)
            made += !(code->ops[at].flags & TIME_MERGED);
        snprintf(why, sizeof why, "%u loads", made);
        check_that(ways[k].bytes ? made * ways[k].bytes == 16 : made == 3, __FILE__, __LINE__,
                   ways[k].made, why);
        time_code_free(code);
        ptx_free(m);
    }
    /* behind its own definition twelve more are followed, and six to what it is over a multiple,
     * not further */
    for (unsigned chain = 12; chain <= 21; chain++) {
        char text[2048];
        lib_message msg = {0};
        size_t n = (size_t)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
            ".shared .align 16 .b8 s[64]; .reg .b32 %%r<24>; .reg .f32 %%f<9>;\n"
            "mov.u32 %%r1, s;\n");
        for (unsigned k = 1; k < chain; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "mov.u32 %%r%u,%%r%u;\n", k + 1, k);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "ld.shared.f32 %%f1,[%%r%u]; ld.shared.f32 %%f2,[%%r%u+4];\nret; }\n",
                              chain, chain);
        ptx_module *m = ptx_parse(text, n, &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        if (!code) exit(1);
        CHECK_INT(!!(code->ops[chain + 1].flags & TIME_MERGED), chain <= 19);
        time_code_free(code);
        ptx_free(m);
    }
}

/* The order of issue is an order of the region's instructions that keeps every value: who reads a
 * register comes behind who wrote it before, who writes it behind who wrote or read it; and memory
 * that may be the same: stores behind loads and stores, loads behind stores. Over all kernels of
 * the tests' PTX, from the operands as they are written. */
typedef struct {
    int32_t reg[64];
    unsigned n;
} reg_list;

static void add_regs(reg_list *l, const ptx_opnd *o) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0 && l->n < 64)
        l->reg[l->n++] = o->reg;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && o->elem && k < o->count; k++)
        add_regs(l, &o->elem[k]);
}
static bool meet(const reg_list *a, const reg_list *b) {
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++)
            if (a->reg[i] == b->reg[k]) return true;
    return false;
}
static void registers_of(const ptx_insn *i, reg_list *out, reg_list *in) {
    bool none = i->klass == PTX_CLASS_STORE || i->klass == PTX_CLASS_BRANCH || i->op == PTX_OP_red;
    out->n = in->n = 0;
    if (i->guard >= 0) in->reg[in->n++] = i->guard;
    for (unsigned k = 0; k < i->nopnds; k++) {
        bool first = k == 0 && !none && i->opnd[0].kind != PTX_OPND_ADDR;
        add_regs(first ? out : in, &i->opnd[k]);
    }
}

/* Memory that may be the same, and one of them writes: one base and one offset, or two bases, of
 * which nobody knows how far apart they are. */
static const ptx_opnd *memory_of(const ptx_insn *i, bool *writes) {
    *writes = i->klass == PTX_CLASS_STORE || i->klass == PTX_CLASS_ATOM;
    if (i->space == PTX_SPACE_PARAM || i->space == PTX_SPACE_CONST) return NULL;
    for (unsigned k = 0; (*writes || i->klass == PTX_CLASS_LOAD) && k < i->nopnds; k++)
        if (i->opnd[k].kind == PTX_OPND_ADDR) return &i->opnd[k];
    return NULL;
}
static bool same_memory(const ptx_insn *i, const ptx_insn *j) {
    bool first, second;
    const ptx_opnd *a = memory_of(i, &first), *b = memory_of(j, &second);
    if (!a || !b || !(first || second) || i->space != j->space) return false;
    if ((i->flags | j->flags) >> PTX_F_nc & 1) return false; /* never written while it runs */
    return a->reg != b->reg || a->var != b->var || a->offset == b->offset;
}

static unsigned long looked_at, pairs, memories;

/* What time_internal.h says of a module's regions and operations. */
static unsigned long unrolled_loops;
static unsigned broken_rules(const ptx_module *m, const time_code *c) {
    unsigned wrong = 0;
    uint32_t next = 0, load_count = 0, events_max = 0, reg_max = 0, extra = 0, base = 0, func = 0;
    for (uint32_t k = 0; k < c->region_count; k++) {
        const time_region *r = &c->regions[k];
        uint32_t events = 0, copies = r->unrolled ? r->unrolled : 1;
        while (func < r->func) base += (uint32_t)m->funcs[func++]->insn_count;
        const ptx_func *f = m->funcs[func];
        wrong += r->first != next || !r->count || (r->unrolled && r->unrolled != 4);
        next = r->first + r->count;
        for (uint32_t pc = r->first; pc < next; pc++) {
            const time_op *o = &c->ops[pc];
            reg_list out, in;
            const ptx_insn *i = &f->insns[pc - base];
            wrong += c->region_of[pc] != k || o->pc != pc;
            if (o->flags & TIME_EVENT) wrong += o->event != events++;
            if (o->kind == TIME_LOAD) wrong += o->load != ++load_count;
            else wrong += o->load != 0;
            if (i->klass == PTX_CLASS_CALL) continue;
            registers_of(i, &out, &in);
            wrong += out.n + in.n != (unsigned)o->dst_count + o->src_count;
            for (unsigned q = 0; q < (unsigned)o->dst_count + o->src_count; q++) {
                reg_list one = {.reg = {(int32_t)c->regs[o->regs + q]}, .n = 1};
                wrong += !meet(&one, &out) && !meet(&one, &in);
            }
        }
        wrong += events != r->event_count;
        if (events * copies > events_max) events_max = events * copies;
        uint32_t registers = (uint32_t)f->reg_count * copies;
        if (registers > reg_max) reg_max = registers;
        if (!r->unrolled) continue;
        /* Four copies, each with registers of its own but for what the last one leaves. */
        unrolled_loops++;
        wrong += r->unrolled_at != c->op_count + extra;
        for (uint32_t x = 0; x < 4 * r->count; x++) {
            const time_op *o = &c->ops[r->unrolled_at + x], *was = &c->ops[r->first + x % r->count];
            uint32_t copy = x / r->count, seen = 0;
            wrong += o->pc != was->pc || o->dst_count != was->dst_count;
            if (was->flags & TIME_EVENT) wrong += o->event != was->event + copy * r->event_count;
            for (uint32_t y = 0; y < 4 * r->count; y++)
                seen += c->order[r->unrolled_at + y] == r->unrolled_at + x;
            wrong += seen != 1;
            for (unsigned q = 0; q < o->dst_count; q++) {
                uint32_t to = c->regs[o->regs + q], from = c->regs[was->regs + q];
                wrong += copy == 3 ? to != from : to < f->reg_count || to >= 4 * f->reg_count;
                for (uint32_t other = 0; other < copy; other++) {
                    const time_op *p = &c->ops[r->unrolled_at + other * r->count + x % r->count];
                    wrong += c->regs[p->regs + q] == to;
                }
            }
        }
        extra += 4 * r->count;
    }
    wrong += next != c->op_count || load_count != c->load_count || extra != c->extra;
    wrong += events_max != c->events_max || reg_max > c->reg_max;
    if (wrong)
        printf("# next %u of %u, loads %u of %u, extra %u of %u, events %u of %u, registers %u of "
               "%u\n",
               next, c->op_count, load_count, c->load_count, extra, c->extra, events_max,
               c->events_max, reg_max, c->reg_max);
    return wrong;
}
static void check_text(const char *path, const char *text, size_t len) {
    lib_message msg = {0};
    ptx_module *m = text ? ptx_parse(text, len, &msg) : NULL;
    time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
    unsigned long wrong = 0, twice = 0;
    static uint32_t place[1 << 16];
    for (uint32_t r = 0; code && r < code->region_count; r++) {
        const time_region *g = &code->regions[r];
        const ptx_func *f = m->funcs[g->func];
        uint32_t base = 0;
        for (uint32_t k = 0; k < g->func; k++) base += (uint32_t)m->funcs[k]->insn_count;
        if (g->count > 400) continue;
        for (uint32_t k = 0; k < g->count; k++) place[k] = UINT32_MAX;
        for (uint32_t k = 0; k < g->count; k++) {
            uint32_t pc = code->order[g->first + k];
            if (pc - g->first >= g->count || place[pc - g->first] != UINT32_MAX) twice++;
            else place[pc - g->first] = k;
        }
        for (uint32_t k = 0; k < g->count; k++) {
            reg_list out, in, out2, in2;
            const ptx_insn *i = &f->insns[g->first - base + k];
            registers_of(i, &out, &in);
            looked_at++;
            for (uint32_t j = k + 1; j < g->count; j++) {
                const ptx_insn *y = &f->insns[g->first - base + j];
                registers_of(y, &out2, &in2);
                bool value = meet(&out, &in2) || meet(&out, &out2) || meet(&in, &out2);
                bool ends = y->klass == PTX_CLASS_BRANCH && j + 1 == g->count;
                bool memory = same_memory(i, y);
                memories += memory;
                if (!value && !ends && !memory) continue;
                pairs++;
                if (place[k] < place[j]) continue;
                if (!wrong++)
                    printf("# %s, lines %u and %u are issued the other way round\n", path,
                           i->ptx_line, y->ptx_line);
            }
        }
    }
    if (code) CHECK_INT(broken_rules(m, code), 0);
    check_that(code && !wrong && !twice, __FILE__, __LINE__, path,
               code ? "the order does not keep the values" : said(&msg));
    time_code_free(code);
    ptx_free(m);
}
static void check_order(const char *path) {
    size_t len = 0;
    char *text = read_text(path, &len);
    check_text(path, text, len);
    free(text);
}

/* Who takes part in turns (time_internal.h: time_role): one letter a word of memory that is
 * touched, in the text's order. A: asks, T: takes, G: gives back, P: passes on, -: none; behind /
 * whether the poll is answered where the function's atomics go. */
static void check_roles(void) {
#define POLL(ld) "L: " ld " setp.ne.u32 %p1, %r1, %r3; @%p1 bra L; "
    static const struct {
        const char *body, *roles;
    } cases[] = {
        {"L: atom.global.cas.b32 %r1, [%d1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; "
         "atom.global.exch.b32 %r2, [%d1], 0;",
         "TG"},
        {"atom.global.cas.b32 %r1, [%d1], 0, 1; atom.global.add.u32 %r2, [%d1], 1;", "T-"},
        {"atom.shared.cas.b32 %r1, [%r5], 0, 1; atom.shared.exch.b32 %r2, [%r5], 0;", "--"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "st.volatile.global.u32 [%d1], %r4;", "AP/0"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "st.volatile.global.u32 [%d1+4], %r4;", "A-/0"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "st.volatile.global.u32 [%d2], %r4;", "A-/0"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "st.global.u32 [%d1], %r4;", "A-/0"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "atom.global.exch.b32 %r2, [%d1], 0;", "AP/1"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "atom.global.add.u32 %r2, [%d1], 1;", "A-/1"},
        {POLL("ld.volatile.global.u32 %r1, [%d1];") "atom.global.add.u32 %r2, [%d2], 1;", "A-/0"},
        {POLL("ld.acquire.gpu.global.u32 %r1, [%d1];") "st.release.gpu.global.u32 [%d1], %r4;",
         "AP/0"},
        {POLL("ld.global.u32 %r1, [%d1];") "st.volatile.global.u32 [%d1], %r4;", "--"},
        {POLL("ld.volatile.shared.u32 %r1, [%r5];") "st.volatile.shared.u32 [%r5], %r4;", "--"},
        {"ld.volatile.global.u32 %r1, [%d1]; st.volatile.global.u32 [%d1], %r4;", "--"},
        /* a word that is the same for all: made of parameters and constants; not of the thread */
        {"add.s64 %d3, %d1, 64; mov.b64 %d4, %d3; " POLL("ld.volatile.global.u32 %r1, [%d4];"),
         "A/0"},
        {"mul.wide.u32 %d3, %r6, 4; add.s64 %d4, %d1, %d3; " POLL(
             "ld.volatile.global.u32 %r1, [%d4];"),
         "-"},
        {"ld.global.u64 %d4, [%d1]; " POLL("ld.volatile.global.u32 %r1, [%d4];"), "--"},
    };
    static const char letters[] = "-ATGP";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2048], got[32] = "";
        lib_message msg = {0};
        size_t n = (size_t)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {\n"
            ".reg .pred %%p<3>; .reg .b32 %%r<9>; .reg .b64 %%d<9>;\n"
            ".shared .align 4 .b8 s[64];\n"
            "ld.param.u64 %%d1, [x]; ld.param.u64 %%d2, [y]; ld.param.u32 %%r3, [n];\n"
            "mov.u32 %%r4, 1; mov.u32 %%r5, s; mov.u32 %%r6, %%tid.x;\n%s\nret; }\n",
            cases[k].body);
        ptx_module *m = ptx_parse(text, n, &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        bool asks = false, atomics = false;
        n = 0;
        for (uint32_t at = 0; code && at < code->op_count; at++) {
            const ptx_insn *i = &m->funcs[0]->insns[at];
            const time_op *o = &code->ops[at];
            if (i->space == PTX_SPACE_PARAM || o->kind < TIME_LOAD || o->kind > TIME_ATOM) continue;
            got[n++] = letters[o->role];
            if (o->role == TIME_ASKS) asks = true, atomics = o->by_atomics;
        }
        if (asks) snprintf(got + n, sizeof got - n, "/%d", atomics);
        check_that(!strcmp(got, cases[k].roles), __FILE__, __LINE__, cases[k].body, got);
        time_code_free(code);
        ptx_free(m);
    }
}

/* Which pipe an instruction takes: one each on an H200; on a G80 the eight lanes do everything but
 * special functions (NVIDIA, "GeForce 8800 GPU Architecture": SPs and SFUs). */
static void check_pipes(void) {
    static const struct {
        const char *ptx;
        time_pipe h200, g80;
    } cases[] = {{"mul.rn.f32 %f1, %f2, %f3;", TIME_PIPE_FMA, TIME_PIPE_ALU},
                 {"fma.rn.f32 %f1, %f2, %f3, %f1;", TIME_PIPE_FMA, TIME_PIPE_ALU},
                 {"mul.lo.u32 %r1, %r2, %r3;", TIME_PIPE_IMUL, TIME_PIPE_ALU},
                 {"xor.b32 %r1, %r2, %r3;", TIME_PIPE_ALU, TIME_PIPE_ALU},
                 {"sin.approx.f32 %f1, %f2;", TIME_PIPE_XU, TIME_PIPE_XU},
                 {"fma.rn.f64 %d1, %d2, %d3, %d1;", TIME_PIPE_FP64, TIME_PIPE_ALU}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int g80 = 0; g80 < 2; g80++) {
            char text[512], why[40];
            lib_message msg = {0};
            size_t n =
                (size_t)snprintf(text, sizeof text,
                                 ".version 8.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry k() { .reg .b32 %%r<4>; .reg .f32 %%f<4>;\n"
                                 ".reg .f64 %%d<4>; %s ret; }\n",
                                 cases[k].ptx);
            ptx_module *m = ptx_parse(text, n, &msg);
            CHECK_STR(said(&msg), "");
            time_code *code =
                m ? time_code_new(sim_profile_find(g80 ? "g80" : "h200"), m, NULL, NULL) : NULL;
            unsigned pipe = code ? code->ops[0].pipe : 99;
            snprintf(why, sizeof why, "%s: pipe %u", g80 ? "g80" : "h200", pipe);
            check_that(pipe == (g80 ? cases[k].g80 : cases[k].h200), __FILE__, __LINE__,
                       cases[k].ptx, why);
            time_code_free(code);
            ptx_free(m);
        }
}

/* Two loops that ptxas makes four copies of, with loads and values that go from round to round. */
static const char loop[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u32 %r1, [n];\n"
    "mov.f32 %f1, 0f00000000; mov.u32 %r2, 0;\n"
    "L: ld.global.f32 %f2, [%d1]; ld.global.f32 %f3, [%d1+4]; fma.rn.f32 %f1, %f2, %f3, %f1;\n"
    "add.s64 %d1, %d1, 8; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L;\n"
    "mov.u32 %r3, 0;\n"
    "M: mul.f32 %f4, %f1, %f1; add.f32 %f1, %f4, %f2; add.s32 %r3, %r3, 1;\n"
    "setp.ne.s32 %p1, %r3, 100; @%p1 bra M;\n"
    "st.global.f32 [%d2], %f1; ret; }\n";

/* A load behind a store that waits, each by a base of its own: it may be what was stored, whichever
 * register has the lower number. */
static const char bases[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;\n"
    "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
    "ld.global.f32 %f1, [%d1+4096]; sqrt.rn.f32 %f1, %f1; st.global.f32 [%d1], %f1;\n"
    "ld.global.f32 %f2, [%d2+64]; sqrt.rn.f32 %f2, %f2; st.global.f32 [%d2+128], %f2;\n"
    "ld.global.f32 %f3, [%d1+8192]; sqrt.rn.f32 %f3, %f3; st.global.f32 [%d1+256], %f3; ret; }\n";

/* Loads that are left of a body that ptxas has fewer of: a word that was loaded already, and four
 * side by side from a pointer that a loop moves on (cities, channels conv of tests/truth: read with
 * nvdisasm, sm_90). */
static void check_repeated(void) {
    static const struct {
        const char *body;
        unsigned left;
    } bodies[] = {
        {"ld.shared.f32 %f1,[%r1]; ld.shared.f32 %f2,[%r1];", 1},
        {"ld.shared.f32 %f1,[%r1]; ld.shared.f32 %f2,[%r1+4096]; ld.shared.f32 %f3,[%r1];", 2},
        {"ld.shared.f32 %f1,[%r1]; st.shared.f32 [%r3],%f1; ld.shared.f32 %f2,[%r1];", 2},
        {"ld.shared.f32 %f1,[%r1]; add.u32 %r1,%r1,%r3; ld.shared.f32 %f2,[%r1];", 2},
        {"ld.volatile.shared.f32 %f1,[%r1]; ld.volatile.shared.f32 %f2,[%r1];", 2},
        {"mov.u32 %r2,s; add.u32 %r4,%r2,8; L: ld.shared.f32 %f1,[%r4+-8]; ld.shared.f32 "
         "%f2,[%r4+-4]; "
         "ld.shared.f32 %f3,[%r4]; ld.shared.f32 %f4,[%r4+4]; add.u32 %r4,%r4,144; "
         "setp.lt.u32 %p1,%r4,%r3; @%p1 bra L;",
         1},
        {"mov.u32 %r2,s; add.u32 %r4,%r2,8; L: ld.shared.f32 %f1,[%r4+-8]; ld.shared.f32 "
         "%f2,[%r4+-4]; "
         "ld.shared.f32 %f3,[%r4]; ld.shared.f32 %f4,[%r4+4]; add.u32 %r4,%r4,140; "
         "setp.lt.u32 %p1,%r4,%r3; @%p1 bra L;",
         4},
        {"mov.u32 %r2,s; add.u32 %r4,%r2,8; L: ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r4+4]; "
         "ld.shared.f32 %f3,[%r4+8]; ld.shared.f32 %f4,[%r4+12]; add.u32 %r4,%r4,144; "
         "setp.lt.u32 %p1,%r4,%r3; @%p1 bra L;",
         2},
    };
    for (unsigned k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        char text[2048], why[60];
        lib_message msg = {0};
        size_t n = (size_t)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
            ".shared .align 4 .b8 s[8192]; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .pred %%p<2>;\n"
            "mov.u32 %%r1,%%tid.x; shl.b32 %%r1,%%r1,2; mov.u32 %%r3,%%laneid;\n%s\nret; }\n",
            bodies[k].body);
        ptx_module *m = ptx_parse(text, n, &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        if (!code) exit(1);
        unsigned left = 0;
        double slots = 0;
        for (uint32_t at = 0; at < code->op_count; at++) {
            const time_op *o = &code->ops[at];
            left += m->funcs[0]->insns[at].op == PTX_OP_ld && !(o->flags & TIME_MERGED);
            slots += o->flags & TIME_MERGED ? (double)o->slots : 0;
        }
        CHECK_NEAR(slots, 0, 0); /* those that are gone are not issued either */
        snprintf(why, sizeof why, "%u loads", left);
        check_that(left == bodies[k].left, __FILE__, __LINE__, bodies[k].body, why);
        time_code_free(code);
        ptx_free(m);
    }
}

int main(void) {
    for (int plus = 0; plus <= 12; plus += 4) check_loads(plus);
    check_multiples();
    check_repeated();
    check_roles();
    check_pipes();
    glob_t found;
    if (!glob("tests/ptx/*.ptx", 0, NULL, &found))
        for (size_t k = 0; k < found.gl_pathc; k++) check_order(found.gl_pathv[k]);
    globfree(&found);
    check_order("tests/unit/debug/kernel.ptx");
    check_text("a loop", loop, sizeof loop - 1);
    check_text("two bases", bases, sizeof bases - 1);
    printf("# %lu instructions, %lu pairs, %lu of memory\n", looked_at, pairs, memories);
    CHECK(looked_at > 1000 && pairs > 1000 && memories > 20 && unrolled_loops > 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[2048], why[80];
        lib_message msg = {0};
        const char *to = strstr(rows[k].ptx, "%d9")   ? "u64 [%d31], %d9"
                         : strstr(rows[k].ptx, "%f9") ? "f32 [%d31], %f9"
                                                      : "u32 [%d31], %r9";
        snprintf(text, sizeof text, "%s%s\nst.global.%s;\nret;\n}\n", head, rows[k].ptx, to);
        ptx_module *m = ptx_parse(text, strlen(text), &msg);
        CHECK_STR(said(&msg), "");
        time_code *code = m ? time_code_new(sim_profile_find("h200"), m, NULL, NULL) : NULL;
        double slots = 0, held = 0;
        unsigned n = 0;
        for (const char *s = rows[k].ptx; (s = strchr(s, ';')); s++) n++;
        for (unsigned at = BEFORE; code && at < BEFORE + n; at++)
            slots += code->ops[at].slots, held += code->ops[at].held;
        snprintf(why, sizeof why, "%g issue slots and %g held, ptxas makes %u", slots, held,
                 rows[k].machine);
        check_that(fabs(slots - rows[k].machine) < 1e-6 && fabs(held - 3 * rows[k].wide) < 1e-6,
                   __FILE__, __LINE__, rows[k].ptx, why);
        time_code_free(code);
        ptx_free(m);
    }
    return check_done();
}
