/* The reader of machine code: recorded texts of tests/unit/sass, whose expectations were worked out
 * by hand from the text and the encodings, and hostile texts.
 *
 *   build/tests/test_sass FILE.sass ..
 *
 * reads texts (tests/unit/sass/survey.py) and holds the table to their encodings: an opcode of
 * fixed latency sets no barrier, wide registers are aligned, .reuse is what the control field says,
 * floats are what their bits say, every register that is read is written somewhere. */
#include <ctype.h>
#include "runner/base/message.h"
#include "runner/device/sim/sass/sass.h"
#include "tests/check.h"
#include "tests/said.h"
#include "tests/unit/ptx_fixture.h"
#include "tests/fuzz/replay.h"

#include "tests/fuzz/fuzz_sass.c"

/* ---- the survey ---- */

static bool aligned(unsigned reg, unsigned width) {
    return reg >= SASS_NONE || reg % (width > 2 ? 4 : width) == 0;
}

static unsigned wrong;
static void complain(const char *path, const sass_func *f, const sass_insn *i, const char *what) {
    if (++wrong > 200) return;
    printf("%s %s %04x %s%s: %s\n", path, f->name, i ? i->address : 0,
           i ? sass_row_of(i->op)->name : "", i ? i->mods : "", what);
}

static void survey_float(const char *path, const sass_func *f, const sass_insn *i,
                         const sass_opnd *o) {
    const char *name = sass_row_of(i->op)->name;
    float value;
    uint32_t bits = (uint32_t)o->imm;
    double wide = 0;
    memcpy(&value, &bits, sizeof value);
    uint64_t upper = (uint64_t)bits << 32;
    memcpy(&wide, &upper, sizeof wide);
    if (*name == 'F' || *name == 'M') wide = (double)value;
    else if (*name != 'D') return;
    if (sass_has(i, "RCP64H")) return;
    if (!(wide == o->number || (isnan(wide) && isnan(o->number))))
        complain(path, f, i, "a float is not what its bits are");
}

static void survey_insn(const char *path, const sass_module *m, const sass_func *f,
                        const sass_insn *i) {
    const sass_row *row = sass_row_of(i->op);
    const sass_control *c = &i->control;
    unsigned reuse = 0;
    if (m->arch < row->since || (row->until && m->arch > row->until))
        complain(path, f, i, "not on this sm_");
    if (sass_latency_on(i->op, m->arch) == SASS_FIXED &&
        (c->write_barrier >= 0 || c->read_barrier >= 0))
        complain(path, f, i, "of fixed latency, but it sets a barrier");
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        reuse += o->reuse;
        if (o->kind == SASS_OPND_FLOAT) survey_float(path, f, i, o);
        if ((o->kind == SASS_OPND_REG || o->kind == SASS_OPND_UREG) && !aligned(o->reg, o->width))
            complain(path, f, i, "a wide register is not aligned");
        if (o->kind == SASS_OPND_MEM && !aligned(o->base.reg, o->base.width))
            complain(path, f, i, "an address's register is not aligned");
    }
    unsigned mnk[3];
    if (row->klass == SASS_MATRIX && !sass_shape(i, mnk)) complain(path, f, i, "no shape");
    if (row->klass != SASS_TEXTURE && reuse != (unsigned)__builtin_popcount(c->reuse))
        complain(path, f, i, "reuse flags differ");
}

/* ptxas leaves what a select can never choose: @P0 SEL R1, R2, R3, P0. */
static bool chooses(const sass_insn *i) {
    const sass_opnd *q = &i->opnd[i->opnd_count - 1];
    return i->op == SASS_OP_SEL && i->guard != SASS_PT && q->reg == i->guard;
}

static void survey_registers(const char *path, const sass_func *f) {
    sass_regs defs = {0}, uses = {0};
    for (uint32_t n = 0; n < f->insn_count; n++) {
        sass_defs(&f->insns[n], &defs);
        if (!chooses(&f->insns[n])) sass_uses(&f->insns[n], &uses);
        if (sass_row_of(f->insns[n].op)->klass == SASS_RETURN && sass_has(&f->insns[n], "ABS"))
            return;
        if (sass_row_of(f->insns[n].op)->klass == SASS_CALL && sass_has(&f->insns[n], "ABS"))
            return;
    }
    for (unsigned r = 0; r < SASS_NONE; r++) {
        char what[80];
        snprintf(what, sizeof what, "R%u is read and never written", r);
        if (r != 1 && sass_in(uses.r, r) && !sass_in(defs.r, r)) complain(path, f, NULL, what);
        snprintf(what, sizeof what, "UR%u is read and never written", r);
        if (sass_in(uses.ur, r) && !sass_in(defs.ur, r)) complain(path, f, NULL, what);
    }
    if (uses.p & ~defs.p) complain(path, f, NULL, "a predicate is read and never written");
}

static int survey(const char *path) {
    size_t len;
    char *text = read_text(path, &len);
    lib_message msg = {0};
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    free(text);
    if (!m) {
        printf("%s: %s\n", path, said(&msg));
        return 1;
    }
    for (uint32_t k = 0; k < m->func_count; k++) {
        for (uint32_t n = 0; n < m->funcs[k].insn_count; n++)
            survey_insn(path, m, &m->funcs[k], &m->funcs[k].insns[n]);
        survey_registers(path, &m->funcs[k]);
    }
    sass_free(m);
    return 0;
}

/* ---- what all tests use ---- */

static sass_module *recorded(const char *name) {
    char path[80];
    size_t len;
    lib_message msg = {0};
    snprintf(path, sizeof path, "tests/unit/sass/%s.sass", name);
    char *text = read_text(path, &len);
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    free(text);
    if (!m) printf("# %s: %s\n", path, said(&msg));
    return m;
}

#define TOP "\t.target\tsm_90\n\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n"

/* A function of one instruction and its end. */
static sass_module *one(const char *insn, const char *low, lib_message *msg) {
    char text[2048];
    snprintf(text, sizeof text,
             TOP ".L_x_1:\n  /*0000*/  %s ; /* %s */\n /* 0x000fe20000000000 */\n"
                 ".L_x_2:\n  /*0010*/  EXIT ; /* 0x0 */\n /* 0x000fea0003800000 */\n",
             insn, low);
    return sass_read(text, strlen(text), msg);
}

static sass_module *held;
static const sass_insn *insn(const char *text) {
    lib_message msg = {0};
    static const sass_insn none;
    sass_free(held);
    held = one(text, "0x0", &msg);
    CHECK(held != NULL);
    if (!held) printf("# %s: %s\n", text, said(&msg));
    return held ? &held->funcs[0].insns[0] : &none;
}

/* "R2 R3 P0 UR4": what it writes, then what it reads. */
static const char *touched(const sass_insn *i, bool defs) {
    static char text[400];
    sass_regs set = {0};
    size_t n = 0;
    (defs ? sass_defs : sass_uses)(i, &set);
    text[0] = 0;
    for (unsigned r = 0; r < SASS_RZ && n < 300; r++)
        if (sass_in(set.r, r)) n += (size_t)sprintf(text + n, "%sR%u", n ? " " : "", r);
    for (unsigned r = 0; r < SASS_RZ && n < 300; r++)
        if (sass_in(set.ur, r)) n += (size_t)sprintf(text + n, "%sUR%u", n ? " " : "", r);
    for (unsigned r = 0; r < SASS_PT; r++) {
        if (set.p >> r & 1) n += (size_t)sprintf(text + n, "%sP%u", n ? " " : "", r);
        if (set.up >> r & 1) n += (size_t)sprintf(text + n, "%sUP%u", n ? " " : "", r);
    }
    for (unsigned r = 0; r < 16; r++)
        if (set.b >> r & 1) n += (size_t)sprintf(text + n, "%sB%u", n ? " " : "", r);
    return text;
}
#define CHECK_TOUCHES(text, defs, uses)                                                            \
    do {                                                                                           \
        const sass_insn *i_ = insn(text);                                                          \
        CHECK_STR(touched(i_, true), defs);                                                        \
        CHECK_STR(touched(i_, false), uses);                                                       \
    } while (0)

static const sass_insn *at(const sass_func *f, uint32_t address) {
    return &f->insns[address / 16];
}
static uint32_t block(const sass_func *f, uint32_t address) {
    return f->block_of[address / 16];
}
/* The address of the block where paths out of the block at `address` meet again; -1: nowhere. */
static long meets(const sass_func *f, uint32_t address) {
    int32_t b = f->blocks[block(f, address)].ipdom;
    return b < 0 ? -1 : (long)f->insns[f->blocks[b].first].address;
}

/* ---- control fields ---- */

/* The layout as turingas writes it (grammar.py, ReadCtrl: stall | yield << 4 | write << 5 | read
 * << 8 | wait << 11, from bit 41 of the upper word; reuse from bit 58), on words of CuAssembler's
 * published listing of sm_75 (TestData/Mandelbrot). */
static void test_control(void) {
    static const struct {
        uint64_t upper;
        sass_control want;
    } known[] = {
        {0x000fd000078e00ff, {8, true, -1, -1, 0, 0}},  /* IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] */
        {0x000e240000002500, {2, false, 0, -1, 0, 0}},  /* S2R R0, SR_CTAID.X */
        {0x000fea0003800000, {5, false, -1, -1, 0, 0}}, /* EXIT */
        {0x0004e4000021f000, {2, false, 3, 2, 0, 0}},   /* F2I.FTZ.U32.TRUNC.NTZ R3, R2 */
        {0x002fc600078e020a,
         {3, true, -1, -1, 2, 0}}, /* IMAD R15, R15, c[0x0][0x0], R10, after the load of R5 */
        {0x004fe400078e00ff,
         {2, false, -1, -1, 4, 0}}, /* IMAD.MOV.U32 R2, RZ, RZ, RZ, after the read of R2 */
        {0x040fe40004000000, {2, false, -1, -1, 0, 1}}, /* SEL R14, R2.reuse, R3, !P0 */
        {0x104fe40000011609, {2, false, -1, -1, 4, 4}}, /* SHF.R.U32.HI R8, RZ, 0x8, R9.reuse */
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint64_t code[2] = {0, known[k].upper};
        sass_control got = sass_control_of(code), want = known[k].want;
        CHECK_INT(got.stall, want.stall);
        CHECK_INT(got.yield, want.yield);
        CHECK_INT(got.write_barrier, want.write_barrier);
        CHECK_INT(got.read_barrier, want.read_barrier);
        CHECK_INT(got.wait, want.wait);
        CHECK_INT(got.reuse, want.reuse);
    }
}

/* ---- recorded programs ---- */

static void test_mixed(void) {
    sass_module *m = recorded("mixed.sm_75");
    CHECK(m != NULL);
    if (!m) return;
    CHECK_INT(m->arch, 75);
    CHECK_INT(m->func_count, 3);
    const sass_func *f = sass_find(m, "_Z4wideP6float4PyP7__half2");
    CHECK(f != NULL);
    if (!f) return;
    const sass_insn *i = at(f, 0x30); /* IMAD.WIDE.U32 R2, R0, R3, c[0x0][0x160] */
    CHECK_INT(i->op, SASS_OP_IMAD);
    CHECK_STR(i->mods, ".WIDE.U32");
    CHECK(sass_has(i, "WIDE") && sass_has(i, "U32") && sass_has(i, "WIDE.U32") &&
          !sass_has(i, "U3"));
    CHECK_INT(i->opnd_count, 4);
    CHECK_INT(i->opnd[0].width, 2);
    CHECK_INT(i->opnd[1].width, 1);
    CHECK_INT(i->opnd[3].kind, SASS_OPND_CONST);
    CHECK_INT(i->opnd[3].bank, 0);
    CHECK_INT(i->opnd[3].imm, 0x160);
    CHECK_INT(i->opnd[3].width, 2);
    CHECK_INT(i->control.wait, 1);
    CHECK_STR(m->places[i->place].file, "mixed.cu");
    CHECK_INT(m->places[i->place].line, 27);
    i = at(f, 0x40); /* LDG.E.128.SYS R4, [R2] */
    sass_access a[2];
    CHECK_INT(sass_accesses(i, a), 1);
    CHECK_INT(a[0].space, SASS_GLOBAL);
    CHECK_INT(a[0].bytes, 16);
    CHECK(a[0].reads && !a[0].writes);
    CHECK_STR(touched(i, true), "R4 R5 R6 R7");
    CHECK_STR(touched(i, false), "R2 R3");
    CHECK_INT(i->control.write_barrier, 2);
    i = at(f, 0x50); /* the shuffle, of a header's line, inlined at line 28 */
    CHECK_INT(m->places[i->place].line, 449);
    CHECK_INT(m->places[m->places[i->place].at].line, 28);
    CHECK_STR(m->places[m->places[i->place].at].file, "mixed.cu");
    CHECK_INT(m->places[m->places[i->place].at].at, 0);
    i = at(f, 0x130); /* STG.E.64.SYS [R8], R12 */
    CHECK_INT(sass_accesses(i, a), 1);
    CHECK(a[0].writes && !a[0].reads && a[0].bytes == 8 && a[0].opnd == 0);
    CHECK_STR(touched(i, true), "");
    CHECK_STR(touched(i, false), "R8 R9 R12 R13");
    i = at(f, 0x150); /* LDG.E.SYS R3, [UR4] */
    CHECK_STR(touched(i, false), "UR4 UR5");
    i = at(f, 0x160); /* FSETP.GT.AND P0, PT, R6, 1, PT */
    CHECK_INT(i->opnd[3].kind, SASS_OPND_FLOAT);
    CHECK(i->opnd[3].number == 1);
    CHECK_INT(i->opnd[3].imm, 0x3f800000);
    CHECK_STR(touched(i, true), "P0");
    sass_free(m);
}

static void test_walk(void) {
    sass_module *m = recorded("mixed.sm_90");
    const sass_func *f = m ? sass_find(m, "_Z4walkPKiPii") : NULL;
    CHECK(f != NULL);
    if (!f) return;
    CHECK_INT(f->insn_count, 0x280 / 16);
    /* 0: .. BRA, a0: in front of the loop, c0: the loop, 150: BSYNC, 160: EXIT, 180: BRA to
     * itself, 190: padding */
    CHECK_INT(f->block_count, 7);
    CHECK_INT(meets(f, 0), 0x150);
    CHECK_INT(meets(f, 0xa0), 0xc0);
    CHECK_INT(meets(f, 0xc0), 0x150);
    CHECK_INT(meets(f, 0x150), 0x160);
    CHECK_INT(meets(f, 0x160), -1);
    const sass_block *loop = &f->blocks[block(f, 0xc0)];
    CHECK_INT(loop->succ[0], block(f, 0xc0));
    CHECK_INT(loop->succ[1], block(f, 0x150));
    CHECK_INT(f->blocks[block(f, 0x170)].succ[1], -1);
    const sass_insn *i = at(f, 0x50); /* BSSY B0, `(.L_x_1) */
    const sass_opnd *to = sass_target(i);
    CHECK(to && to->target == 0x160 / 16 && &m->funcs[to->func] == f);
    CHECK_STR(touched(i, true), "B0");
    CHECK_STR(touched(at(f, 0x150), false), "B0");
    i = at(f, 0x120); /* @!P0 IADD3 R0, R9, 0x3, RZ */
    CHECK_INT(i->guard, 0);
    CHECK(i->guard_not && !i->guard_uniform);
    CHECK_STR(touched(i, false), "R9 P0");
    i = at(f, 0xd0); /* LDG.E R3, desc[UR4][R2.64] */
    CHECK_INT(i->opnd[1].form, SASS_DESC);
    CHECK_INT(i->opnd[1].desc, 4);
    CHECK_STR(touched(i, false), "R2 R3 UR4 UR5");
    i = at(f, 0x70); /* ISETP.NE.AND P0, PT, R3.reuse, UR6, PT */
    CHECK(i->opnd[2].reuse && !i->opnd[3].reuse);
    CHECK_INT(i->control.reuse, 1);
    f = sass_find(m, "_Z6dividePfPKfi");
    CHECK(f != NULL);
    if (!f) return;
    i = at(f, 0x110); /* ULEA UR4, UR5, UR4, 0x18 */
    CHECK_STR(touched(i, true), "UR4");
    i = at(f, 0x1b0); /* FCHK P0, R0, R7 */
    CHECK_STR(touched(i, true), "P0");
    CHECK_INT(i->control.write_barrier, 0);
    CHECK_INT(i->control.wait, 1);
    to = sass_target(at(f, 0x230)); /* CALL.REL.NOINC: the division's slow path behind the kernel */
    CHECK(to && &m->funcs[to->func] == f && at(f, 0x2b0)->op == SASS_OP_EXIT);
    CHECK_INT(to ? to->target : 0, 0x2c0 / 16);
    CHECK_INT(f->blocks[block(f, 0x220)].ipdom, block(f, 0x250)); /* a call goes on below it */
    sass_free(m);
}

static void test_table(void) {
    sass_module *m = recorded("table.sm_75");
    const sass_func *f = m ? sass_find(m, "_Z6choosePii") : NULL;
    CHECK(f != NULL);
    if (!f) return;
    const sass_insn *i = at(f, 0xe0); /* BRX R2 -0xf0 */
    CHECK_INT(i->op, SASS_OP_BRX);
    CHECK_INT(i->target_count, 3);
    if (i->target_count == 3) {
        CHECK_INT(i->targets[0], 0x140 / 16);
        CHECK_INT(i->targets[1], 0xf0 / 16);
        CHECK_INT(i->targets[2], 0x380 / 16);
    }
    CHECK_INT(i->opnd[1].imm, -0xf0);
    CHECK_STR(touched(i, false), "R2 R3");
    const sass_block *b = &f->blocks[block(f, 0xe0)];
    CHECK_INT(b->target_count, 3);
    CHECK(b->succ[0] == -1 && b->succ[1] == -1);
    CHECK_INT(meets(f, 0xe0), 0x380);
    CHECK_INT(meets(f, 0), 0x380);
    CHECK_INT(sass_target(at(f, 0x110))->target, 0x3e0 / 16);
    i = at(f, 0x410); /* RET.REL.NODEC R2 `(_Z6choosePii) */
    CHECK_STR(touched(i, false), "R2 R3");
    CHECK(i->opnd[1].kind == SASS_OPND_LABEL && i->opnd[1].target == 0);
    CHECK_INT(meets(f, 0x3e0), -1);
    i = at(f, 0xb0); /* LDC R2, c[0x2][R0+0xc] */
    sass_access a[2];
    CHECK_INT(sass_accesses(i, a), 1);
    CHECK(a[0].space == SASS_CONSTANT && a[0].bytes == 4 && a[0].opnd == 1);
    CHECK_STR(touched(i, false), "R0");
    i = at(f, 0x370); /* @P0 RED.E.MAX.S32.STRONG.GPU [UR4+0x4], R2 */
    CHECK_INT(sass_accesses(i, a), 1);
    CHECK(a[0].reads && a[0].writes);
    CHECK_STR(touched(i, false), "R2 UR4 UR5 P0");
    i = at(f, 0x90); /* UIMAD.WIDE.U32 UR4, UR6, UR8, UR4 */
    CHECK_STR(touched(i, true), "UR4 UR5");
    CHECK_STR(touched(i, false), "UR4 UR5 UR6 UR8");
    sass_free(m);
}

static void test_tensor(void) {
    sass_module *m = recorded("tensor.sm_90");
    const sass_func *f = m && m->func_count ? &m->funcs[0] : NULL;
    CHECK(f != NULL);
    if (!f) return;
    const sass_insn *i = at(f, 0x120); /* LDGSTS.E.BYPASS.128 [R7], desc[UR6][R4.64] */
    sass_access a[2];
    CHECK_INT(sass_accesses(i, a), 2);
    CHECK(a[0].space == SASS_SHARED && a[0].writes && !a[0].reads && a[0].bytes == 16);
    CHECK(a[1].space == SASS_GLOBAL && !a[1].writes && a[1].reads && a[1].opnd == 1);
    CHECK_STR(touched(i, true), "");
    CHECK_STR(touched(i, false), "R4 R5 R7 UR6 UR7");
    i = at(f, 0x170); /* DEPBAR.LE SB0, 0x0 */
    CHECK_INT(i->opnd[0].kind, SASS_OPND_SCOREBOARD);
    CHECK_INT(i->opnd[1].imm, 0);
    i = at(f, 0x260); /* LDSM.16.M88.4 R12, [R0] */
    CHECK_STR(touched(i, true), "R12 R13 R14 R15");
    CHECK_STR(touched(i, false), "R0");
    CHECK_INT(sass_accesses(i, a), 1);
    CHECK_INT(a[0].space, SASS_SHARED);
    CHECK_INT(a[0].bytes, 16); /* a register of 4 bytes for each of the four matrices */
    i = at(f, 0x270);          /* HMMA.16816.F32 R16, R12.reuse, R6, RZ */
    CHECK_STR(touched(i, true), "R16 R17 R18 R19");
    CHECK_STR(touched(i, false), "R6 R7 R12 R13 R14 R15");
    CHECK_INT(sass_row_of(i->op)->pipe, SASS_PIPE_TENSOR);
    sass_free(m);
}

/* ---- operands, one by one ---- */

static void test_touches(void) {
    CHECK_TOUCHES("IADD3.X R3, P1, P2, RZ, R2, R7, P0, !P3", "R3 P1 P2", "R2 R7 P0 P3");
    CHECK_TOUCHES("LOP3.LUT P0, RZ, R4, 0x7fffffff, R3, 0xc8, !PT", "P0", "R3 R4");
    CHECK_TOUCHES("IMAD.HI.U32 R3, R3, R9, R2", "R3", "R2 R3 R9");
    CHECK_TOUCHES("LEA.HI.X R12, R6, c[0x0][0x164], R3, 0x2, P1", "R12", "R3 R6 P1");
    CHECK_TOUCHES("ISETP.GE.AND.EX P2, P3, R5, R7, PT, P0", "P2 P3", "R5 R7 P0");
    CHECK_TOUCHES("@UP1 DFMA R6, R4, -R14, UR6", "R6 R7", "R4 R5 R14 R15 UR6 UR7 UP1");
    CHECK_TOUCHES("F2F.F64.F32 R4, R3", "R4 R5", "R3");
    CHECK_TOUCHES("F2F.F32.F64 R3, R4", "R3", "R4 R5");
    CHECK_TOUCHES("I2F.F64.S64 R4, R2", "R4 R5", "R2 R3");
    CHECK_TOUCHES("P2R R10, PR, R3, 0x5", "R10", "R3 P0 P2");
    CHECK_TOUCHES("R2P PR, R9, 0x6", "P1 P2", "R9");
    CHECK_TOUCHES("CS2R R12, SRZ", "R12 R13", "");
    CHECK_TOUCHES("CS2R.32 R12, SR_CLOCKLO", "R12", "");
    CHECK_TOUCHES("LDS.U.128 R40, [R9.X4+UR5+0x100]", "R40 R41 R42 R43", "R9 UR5");
    CHECK_TOUCHES("LDG.E.U8 R9, desc[UR8][R2.U32+UR4+0x1]", "R9", "R2 UR4 UR5 UR8 UR9");
    CHECK_TOUCHES("ATOMG.E.CAS.64.STRONG.GPU P1, R4, [R2], R6, R8", "R4 R5 P1",
                  "R2 R3 R6 R7 R8 R9");
    CHECK_TOUCHES("ATOMS.CAST.SPIN R13, [R15+0x4], R12, R14", "R13", "R12 R14 R15");
    CHECK_TOUCHES("TEX.LL R15, R4, R8, R25, UR4, 0x0, 2D, 0xd", "R4 R5 R15", "R8 R9 R25 UR4");
    CHECK_TOUCHES("TEX.SCR.LZ RZ, R7, R11, R10, 0x0, 0x5a, 2D, 0x1", "R7", "R10 R11");
    CHECK_TOUCHES("TEX.SCR.LL R8, R16, R16, R18, 0x0, 0x5c, 3D, 0xd", "R8 R16 R17",
                  "R16 R17 R18 R19");
    CHECK_TOUCHES("HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT, gsb0", "R24 R25 R26 R27",
                  "UR4 UR5 UR6 UR7");
    CHECK_TOUCHES("HGMMA.64x16x16.F16 R24, R4, gdesc[UR8], R24, UP0", "R24 R25 R26 R27",
                  "R4 R5 R6 R7 R24 R25 R26 R27 UR10 UR11 UP0");
    CHECK_TOUCHES("UTMALDG.2D [UR8], [UR14]", "", "UR8 UR9 UR10 UR11 UR14 UR15");
    CHECK_TOUCHES("UTMASTG.3D [UR8], [UR14]", "", "UR8 UR9 UR10 UR11 UR14 UR15");
    CHECK_TOUCHES("UTMAPF.L2.1D [UR8], [UR14]", "", "UR8 UR14 UR15");
    CHECK_TOUCHES("SYNCS.EXCH.64 URZ, [UR10+0x8], UR4", "", "UR4 UR5 UR10");
    CHECK_TOUCHES("BMOV.32.CLEAR R6, B3", "R6 B3", "B3");
    CHECK_TOUCHES("BREAK P2, B1", "B1", "P2 B1");
    CHECK_TOUCHES("SHFL.UP P1, R14, R16, R15, R18", "R14 P1", "R15 R16 R18");
    CHECK_TOUCHES("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", "R4 R5 R6 R7",
                  "R4 R5 R6 R7 R8 R9 R10 R11 R12 R13");
}

static void test_shapes(void) {
    static const struct {
        const char *text;
        unsigned m, n, k;
    } known[] = {{"HMMA.16816.F32 R4, R8, R12, R4", 16, 8, 16},
                 {"HMMA.1688.F32.TF32 R4, R8, R12, R4", 16, 8, 8},
                 {"IMMA.8816.S8.S8 R4, R8.ROW, R12.COL, R4", 8, 8, 16},
                 {"BMMA.88128.XOR.POPC R4, R8.ROW, R12.COL, R4", 8, 8, 128},
                 {"IMMA.SP.16864.S8.S8 R4, R8.ROW, R12.COL, R4, R16, 0x0", 16, 8, 64},
                 {"DMMA.16x8x4 R8, R4, R2, R8", 16, 8, 4},
                 {"HGMMA.64x256x16.F32 R24, gdesc[UR4], RZ, !UPT", 64, 256, 16}};
    unsigned got[3] = {0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        CHECK(sass_shape(insn(known[k].text), got));
        CHECK_INT(got[0], known[k].m);
        CHECK_INT(got[1], known[k].n);
        CHECK_INT(got[2], known[k].k);
    }
    CHECK(!sass_shape(insn("LDSM.16.M88.4 R12, [R0]"), got));
}

static void test_operands(void) {
    const sass_insn *i = insn("FFMA R9, |R17|.reuse, -c[0x3][R18+0x4], -R8.H0_H0");
    CHECK(i->opnd[1].absolute && i->opnd[1].reuse && !i->opnd[1].negated);
    CHECK(i->opnd[2].negated && i->opnd[2].bank == 3 && i->opnd[2].base.reg == 18);
    CHECK_INT(i->opnd[2].imm, 4);
    CHECK_STR(i->opnd[3].sel, ".H0_H0");
    i = insn("MUFU.RSQ R5, -QNAN ");
    CHECK(i->opnd[1].kind == SASS_OPND_FLOAT && isnan(i->opnd[1].number));
    i = insn("FSETP.GTU.FTZ.AND P0, PT, |R8|, +INF , PT");
    CHECK(i->opnd_count == 5 && isinf(i->opnd[3].number));
    i = insn("LDG.E R4, desc[UR10][R6.64+-0x4]");
    CHECK_INT(i->opnd[1].imm, -4);
    i = insn("IADD3 R7, -R0, -0x2, ~R7");
    CHECK(i->opnd[1].negated && i->opnd[2].imm == -2 && i->opnd[3].inverted);
    i = insn("DEPBAR.LE SB0, 0x1, {5,4}");
    CHECK_INT(i->opnd[2].imm, 0x30);
    i = insn("MOV R20, 32@lo((k + .L_x_1@srel))");
    CHECK(i->opnd[1].kind == SASS_OPND_SYMBOL);
    CHECK_STR(i->opnd[1].text, "32@lo((k + .L_x_1@srel))");
    i = insn("LDC R2, c[R0+`((k.const_opt.0.12 + -0x8000))]");
    CHECK(i->opnd[1].kind == SASS_OPND_CONST && i->opnd[1].bank == SASS_NONE);
    insn("BRA P1, `(.L_x_2)");
    CHECK_INT(held->funcs[0].blocks[0].succ[0], 1);
    CHECK_INT(held->funcs[0].blocks[0].succ[1], 1);
    i = insn("S2R R4, SR_CTAID.X");
    CHECK_STR(i->opnd[1].text, "SR_CTAID.X");
    i = insn("HADD2 R2, -RZ.H0_H0, c[0x2] [0x0].F32");
    CHECK_STR(i->opnd[2].sel, ".F32");
    CHECK_INT(i->opnd[1].reg, SASS_RZ);
    lib_message msg;
    sass_module *m =
        one("HFMA2.MMA R14, -RZ, RZ, 0.487060546875, -0.0625", "0x37cbac00ff0e7435", &msg);
    CHECK(m != NULL);
    if (!m) return;
    CHECK_INT(m->funcs[0].insns[0].opnd[3].imm, 0x37cb);
    CHECK_INT(m->funcs[0].insns[0].opnd[4].imm, 0xac00);
    sass_free(m);
}

/* ---- what is refused ---- */

static void refused(const char *text, const char *says, const char *zh) {
    lib_message msg = {0};
    sass_module *m = sass_read(text, strlen(text), &msg);
    CHECK(m == NULL);
    CHECK_CONTAINS(said(&msg), says);
    CHECK_CONTAINS(said_zh(&msg), zh);
    sass_free(m);
}

static void refused_insn(const char *text, const char *says) {
    lib_message msg = {0};
    sass_module *m = one(text, "0x0", &msg);
    CHECK(m == NULL);
    CHECK_CONTAINS(said(&msg), says);
    CHECK_CONTAINS(said(&msg), "line 6");
    CHECK(msg.id);
    sass_free(m);
}

static void test_refused(void) {
    refused_insn("FROB R1, R2", "no row for the opcode `FROB`");
    refused_insn("FADD.SIDEWAYS R1, R2, R3", "no modifier `FADD.SIDEWAYS`");
    refused_insn("FADD R1, R2", "no form of that opcode fits `FADD R1, R2");
    refused_insn("DADD R254, R2, R4", "no form of that opcode fits");
    refused_insn("FADD R255, R2, R4", "no form of that opcode fits");
    refused_insn("FADD R1, R2, [R4", "no operand looks like `[R4 `");
    refused_insn("FADD R1, R2, c[0x40][0x0]", "no operand looks like");
    refused_insn("LDG.E R1, [R2+R4]", "no operand looks like");
    refused_insn("MOV R1, 0x11112222333344445", "no form of that opcode fits");
    refused_insn("@P9 MOV R1, R2", "expected a predicate at `9 MOV R1, R2");
    lib_message msg;
    CHECK(!one("BRA `(.L_x_9)", "0x0", &msg));
    CHECK_CONTAINS(said(&msg), "no place to go to with the label `.L_x_9`");
    refused(TOP "  /*0010*/  EXIT ; /* 0x0 */\n /* 0x0 */\n", "not the address that follows",
            "地址不连续");
    refused(TOP "  /*0000*/  EXIT ;\n", "line 5 of the disassembly: expected an encoding",
            "指令编码");
    refused(TOP "  /*0000*/  EXIT ; /* 0x0 */\n", "expected an encoding", "第 5 行");
    refused(TOP "  /*0000*/  EXIT /* 0x0 */\n", "no operand looks like `/* 0x0 */`", "操作数");
    refused(TOP "EXIT\n", "expected an instruction, a label or a directive, found `EXIT`",
            "伪指令");
    refused("  /*0000*/  EXIT ; /* 0x0 */\n /* 0x0 */\n", "not the address that follows",
            "第 1 行");
    sass_module *m = sass_read("", 0, &msg);
    CHECK(m && m->func_count == 0 && m->arch == 0 && !sass_find(m, "k"));
    sass_free(m);
}

static void test_rows(void) {
    for (unsigned k = 0; k < SASS_OP_COUNT; k++) {
        const sass_row *row = sass_row_of(k);
        bool ok = row->doc[0] && row->since >= 75 && (!row->until || row->until >= row->since);
        if (!ok) CHECK_STR(row->name, "a row with doc and architectures");
    }
    CHECK_INT(sass_row_of(SASS_OP_LDG)->latency, SASS_SCOREBOARD);
    CHECK_INT(sass_row_of(SASS_OP_FFMA)->latency, SASS_FIXED);
    CHECK_INT(sass_latency_on(SASS_OP_HMMA, 75), SASS_SCOREBOARD);
    CHECK_INT(sass_latency_on(SASS_OP_HMMA, 80), SASS_FIXED);
    CHECK_INT(sass_latency_on(SASS_OP_DFMA, 90), SASS_FIXED);
    CHECK_INT(sass_latency_on(SASS_OP_DFMA, 120), SASS_SCOREBOARD);
    CHECK_INT(sass_latency_on(SASS_OP_LDG, 90), SASS_SCOREBOARD);
    CHECK_INT(sass_row_of(SASS_OP_MUFU)->pipe, SASS_PIPE_XU);
}

/* Words that all threads go to, by hand from the text of `contend`: out[8] and out + 10 of its
 * first parameter at c[0x0][0x210], by ways over uniform registers and a product with 1; out[i & 7]
 * and in[i] are none. */
static void test_words(void) {
    static const struct {
        uint32_t address;
        bool known;
        int64_t plus;
    } rows[] = {{0x120, false, 0},
                {0x150, false, 0},
                {0x190, false, 0},
                {0x3c0, true, 0x20},
                {0x410, true, 0x28}};
    size_t len;
    char *text = read_text("tests/unit/sass/twins/twins.sm_90.sass", &len);
    lib_message msg;
    sass_module *m = text ? sass_read(text, len, &msg) : NULL;
    const sass_func *f = m ? sass_find(m, "contend") : NULL;
    CHECK(f != NULL);
    for (unsigned k = 0; f && k < sizeof rows / sizeof *rows; k++) {
        sass_word w;
        CHECK(sass_word_of(f, rows[k].address / 16, &w) == rows[k].known);
        if (!rows[k].known) continue;
        CHECK(w.bank == 0 && w.at == 0x210);
        CHECK_INT(w.plus, rows[k].plus);
    }
    sass_free(m);
    free(text);
}

static void test_fuzz(void) {
    CHECK(replay("tests/unit/sass/*.sass", fuzz_sass, check_fast() ? 30 : 300) >= 4);
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int k = 1; k < argc; k++) failed += survey(argv[k]);
    if (argc > 1) {
        printf("%d of %d texts not read, %u things that do not fit\n", failed, argc - 1, wrong);
        return failed || wrong;
    }
    test_control();
    test_mixed();
    test_walk();
    test_table();
    test_tensor();
    test_touches();
    test_shapes();
    test_operands();
    test_refused();
    test_rows();
    test_words();
    test_fuzz();
    sass_free(held);
    return check_done();
}
