/* Finds the row of rows.def for an instruction, and writes its text for this instruction's
 * operands. */
#include <stdio.h>
#include "runner/device/sim/translate/internal.h"
#include "words/translate.h"

/* Sequences that rows share. */
#define FCHK_PTX                                                                                   \
    "mov.b32 %t0,$0;mov.b32 %t1,$1;shr.u32 %t0,%t0,23;and.b32 %t0,%t0,255;shr.u32 %t1,%t1,23;"     \
    "and.b32 %t1,%t1,255;sub.s32 %t2,%t0,%t1;setp.lt.s32 %q0,%t0,25;"                              \
    "setp.gt.or.s32 %q0,%t0,254,%q0;setp.lt.or.s32 %q0,%t1,2,%q0;setp.gt.or.s32 %q0,%t1,251,%q0;"  \
    "setp.lt.or.s32 %q0,%t2,-124,%q0;setp.gt.or.s32 $p,%t2,126,%q0;"
/* carries in and out: the bits above 32 bits of the sum */
#define TR_CARRY_IN(sum, q) "selp.b64 %x1,1,0," q ";add.u64 " sum "," sum ",%x1;"
#define IADD3_PTX                                                                                  \
    "add.u64 %x0,$w0,$w1;add.u64 %x0,%x0,$w2;" TR_CARRY_IN("%x0", "$P0")                           \
        TR_CARRY_IN("%x0", "$P1") "mov.b64 {%t0,%t1},%x0;mov.b32 $d,%t0;setp.ge.u32 $p,%t1,1;"     \
                                  "setp.ge.u32 $q,%t1,2;"
#define LEA_SUM_PTX                                                                                \
    "cvt.u64.u32 %x0,%t1;add.u64 %x0,%x0,$w1;" TR_CARRY_IN(                                        \
        "%x0", "$P0") "mov.b64 {%t0,%t1},%x0;mov.b32 $d,%t0;setp.ge.u32 $p,%t1,1;"
#define LEA_HIGH_PTX "mov.b64 {%t0,%t1},%x0;" LEA_SUM_PTX
#define PRODUCT_CARRY_PTX                                                                          \
    "mul.wide.$T %x0,$0,$1;add.u64 %x2,%x0,$2;setp.lt.u64 %q0,%x2,%x0;selp.b64 %x1,1,0,$P0;"       \
    "add.u64 %x3,%x2,%x1;setp.lt.u64 %q1,%x3,%x2;"
#define WIDE_CARRY_PTX PRODUCT_CARRY_PTX "mov.b64 $d,%x3;or.pred $p,%q0,%q1;"
#define HIGH_CARRY_PTX PRODUCT_CARRY_PTX "mov.b64 {%t0,%t1},%x3;mov.b32 $d,%t1;or.pred $p,%q0,%q1;"
/* if the upper halves are equal, the lower halves decide */
#define ISETP_EX_PTX                                                                               \
    "setp$C.$T %q0,$0,$1;setp.eq.u32 %q1,$0,$1;and.pred %q2,%q1,$P1;not.pred %q1,%q1;"             \
    "and.pred %q0,%q0,%q1;or.pred %q0,%q0,%q2;not.pred %q1,%q0;$N.pred %q1,%q1,$P0;"               \
    "$N.pred $p,%q0,$P0;mov.pred $q,%q1;"
/* The first if it is larger (or smaller), or the only number; the positive zero counts as
 * larger. */
#define DSETP_EXTREME(more, sign)                                                                  \
    "setp." more ".f64 %q0,$0,$1;setp.nan.f64 %q1,$1,$1;setp.num.f64 %q2,$0,$0;"                   \
    "and.pred %q2,%q2,%q1;or.pred %q0,%q0,%q2;setp.eq.f64 %q2,$0,$1;mov.b64 %x0,$0;"               \
    "mov.b64 {%t0,%t1},%x0;setp." sign ".and.s32 %q2,%t1,0,%q2;or.pred %q0,%q0,%q2;"               \
    "setp.nan.f64 %q2,$0,$0;and.pred %q1,%q1,%q2;and.pred %q1,%q1,$P0;and.pred %q0,%q0,$P0;"       \
    "mov.pred $p,%q0;mov.pred $q,%q1;"
#define TR_BIT(p, bit) "selp.b32 %t1," bit ",0," p ";or.b32 %t0,%t0,%t1;"
#define P2R_PTX                                                                                    \
    "mov.b32 %t0,0;" TR_BIT("%p0", "1") TR_BIT("%p1", "2") TR_BIT("%p2", "4") TR_BIT("%p3", "8")   \
        TR_BIT("%p4", "16") TR_BIT("%p5", "32") TR_BIT(                                            \
            "%p6", "64") "and.b32 %t0,%t0,$1;not.b32 %t1,$1;and.b32 %t1,%t1,$0;or.b32 $d,%t0,%t1;"
#define TR_FROM_BIT(p, bit)                                                                        \
    "and.b32 %t0,$1," bit ";setp.ne.u32 %q0,%t0,0;and.b32 %t0,$0," bit ";setp.ne.u32 %q1,%t0,0;"   \
    "and.pred %q1,%q1,%q0;not.pred %q0,%q0;and.pred %q2," p ",%q0;or.pred " p ",%q1,%q2;"
#define R2P_PTX                                                                                    \
    TR_FROM_BIT("%p0", "1")                                                                        \
    TR_FROM_BIT("%p1", "2")                                                                        \
    TR_FROM_BIT("%p2", "4")                                                                        \
    TR_FROM_BIT("%p3", "8")                                                                        \
    TR_FROM_BIT("%p4", "16") TR_FROM_BIT("%p5", "32") TR_FROM_BIT("%p6", "64")
#define PLOP3_PTX                                                                                  \
    "selp.b32 %t0,-1,0,$P0;selp.b32 %t1,-1,0,$P1;selp.b32 %t2,-1,0,$P2;"                           \
    "lop3.b32 %t3,%t0,%t1,%t2,$0;lop3.b32 %t4,%t0,%t1,%t2,$1;setp.ne.u32 $p,%t3,0;"                \
    "setp.ne.u32 $q,%t4,0;"

typedef struct {
    uint16_t op;
    uint8_t kind;
    const char *need, *may, *ptx;
} tr_row;
static const tr_row rows[] = {
#define ROW(op, kind, need, may, ptx) {SASS_OP_##op, TR_##kind, need, may, ptx},
#include "runner/device/sim/translate/rows.def"
};

/* ---- which row ---- */

static bool is_one_of(const char *words, const char *word, size_t n) {
    for (const char *w = words; *w; w += strspn(w, " .")) {
        size_t k = strcspn(w, " .");
        if (k == n && !memcmp(w, word, n)) return true;
        w += k;
    }
    return false;
}

static bool is_zero(const sass_opnd *o) {
    return o && o->kind == SASS_OPND_REG && o->reg == SASS_RZ;
}

static unsigned count_sources(const sass_insn *i, const sass_opnd *first[2]) {
    unsigned n = 0;
    first[0] = first[1] = NULL;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        bool is = o->role == SASS_USE && o->kind != SASS_OPND_PRED && o->kind != SASS_OPND_UPRED &&
                  o->kind != SASS_OPND_MEM && o->kind != SASS_OPND_LABEL &&
                  o->kind != SASS_OPND_BARRIER && o->kind != SASS_OPND_PREDS &&
                  o->kind != SASS_OPND_SCOREBOARD;
        if (is && n < 2) first[n] = o;
        n += is;
    }
    return n;
}

static bool sets(const sass_insn *i) {
    for (unsigned k = 0; k < i->opnd_count; k++)
        if ((i->opnd[k].kind == SASS_OPND_PRED || i->opnd[k].kind == SASS_OPND_UPRED) &&
            i->opnd[k].role == SASS_DEF && i->opnd[k].reg != SASS_PT)
            return true;
    return false;
}

static bool asks(const sass_insn *i) {
    for (unsigned k = 0; k < i->opnd_count; k++)
        if ((i->opnd[k].kind == SASS_OPND_PRED || i->opnd[k].kind == SASS_OPND_UPRED) &&
            i->opnd[k].role == SASS_USE)
            return true;
    return false;
}

static bool is_plain_row(const sass_insn *i) {
    for (unsigned k = 0; k < i->opnd_count; k++)
        if (i->opnd[k].kind == SASS_OPND_REG && (i->opnd[k].negated || i->opnd[k].absolute))
            return false;
    return true;
}

static bool reads_special(const sass_insn *i, const char *name) {
    for (unsigned k = 0; k < i->opnd_count; k++)
        if (i->opnd[k].kind == SASS_OPND_SREG && !strcmp(i->opnd[k].text, name)) return true;
    return false;
}

/* Returns whether the block is a loop whose rounds hand nothing on, in registers or in memory: then
 * it ends only when another thread stores what it loads. */
static bool only_waits(const sass_func *f, const sass_block *b) {
    if (b->succ[0] < 0 || &f->blocks[b->succ[0]] != b) return false;
    sass_regs made = {0}, before = {0};
    for (uint32_t n = b->first; n <= b->last; n++) {
        sass_class klass = sass_row_of((sass_op)f->insns[n].op)->klass;
        bool plain = klass == SASS_ARITH || klass == SASS_LOAD || klass == SASS_NOTHING ||
                     klass == SASS_SYNC || klass == SASS_CONVERGE || klass == SASS_BRANCH;
        if (!plain) return false;
        sass_regs used = {0};
        sass_uses(&f->insns[n], &used);
        for (unsigned k = 0; k < 4; k++) {
            before.r[k] |= used.r[k] & ~made.r[k];
            before.ur[k] |= used.ur[k] & ~made.ur[k];
        }
        before.p |= used.p & (uint8_t)~made.p;
        before.up |= used.up & (uint8_t)~made.up;
        sass_defs(&f->insns[n], &made);
    }
    bool hands_on = (made.p & before.p) || (made.up & before.up);
    for (unsigned k = 0; k < 4; k++)
        hands_on |= (made.r[k] & before.r[k]) || (made.ur[k] & before.ur[k]);
    return !hands_on;
}

static bool has(const translator *t, const sass_insn *i, const char *word, size_t n) {
    const sass_opnd *first[2];
    unsigned count = count_sources(i, first);
    char w[32];
    snprintf(w, sizeof w, "%.*s", (int)n, word);
    if (!strcmp(w, "set")) return sets(i);
    if (!strcmp(w, "carry")) return sets(i) || sass_has(i, "X");
    if (!strcmp(w, "asks")) return asks(i);
    if (!strcmp(w, "plain")) return is_plain_row(i);
    if (!strcmp(w, "waits"))
        return t->waits || only_waits(t->f, &t->f->blocks[t->f->block_of[t->at]]);
    if (!strcmp(w, "four")) return count == 4;
    if (!strcmp(w, "one")) return count == 1;
    if (!strcmp(w, "two")) return count == 2;
    if (!strcmp(w, "clock")) return reads_special(i, "SR_CLOCKLO");
    if (!strcmp(w, "timer")) return reads_special(i, "SR_GLOBALTIMERLO");
    if (!strcmp(w, "zero"))
        return reads_special(i, "SRZ") || (is_zero(first[0]) && is_zero(first[1]));
    return sass_has(i, w);
}

static bool fits(const translator *t, const tr_row *r, const sass_insn *i) {
    for (const char *w = r->need + strspn(r->need, " "); *w; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        if (!has(t, i, w, n)) return false;
        w += n;
    }
    for (const char *m = i->mods; *m;) {
        m++;
        size_t n = strcspn(m, ".");
        if (!is_one_of(r->need, m, n) && !is_one_of(r->may, m, n)) return false;
        m += n;
    }
    return true;
}

static const tr_row *find_row(const translator *t, const sass_insn *i) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].op == i->op && fits(t, &rows[k], i)) return &rows[k];
    return NULL;
}

/* ---- its text ---- */

/* Returns whether a predicate that is read can have an effect. */
static bool says(const char *test) {
    return strcmp(test, "%yes") && strcmp(test, "%no");
}

/* Writes the first of the words that the instruction has, in lower case after `before`; otherwise
 * `else_`. */
static void word(lib_buffer *b, const sass_insn *i, const char *before, const char *words,
                 const char *else_) {
    for (const char *w = words; *w; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)n, w);
        if (sass_has(i, name)) {
            lib_buffer_puts(b, before);
            for (size_t k = 0; k < n; k++)
                lib_buffer_printf(b, "%c", w[k] >= 'A' && w[k] <= 'Z' ? w[k] + 32 : w[k]);
            return;
        }
        w += n;
    }
    lib_buffer_puts(b, else_);
}

static const char *memory_type(const sass_insn *i) {
    static const char *const types[][2] = {{"U8", ".u8"},   {"S8", ".s8"},     {"U16", ".u16"},
                                           {"S16", ".s16"}, {"64", ".v2.b32"}, {"128", ".v4.b32"}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (sass_has(i, types[k][0])) return types[k][1];
    return ".b32";
}

static const char *shift(const sass_insn *i) {
    if (sass_has(i, "L")) return "shl.b64";
    return sass_has(i, "S32") || sass_has(i, "S64") ? "shr.s64" : "shr.u64";
}

static const char *rounding(const sass_insn *i) {
    return sass_has(i, "TRUNC")   ? ".rzi"
           : sass_has(i, "FLOOR") ? ".rmi"
           : sass_has(i, "CEIL")  ? ".rpi"
                                  : ".rni";
}

static void put_barrier(translator *t, lib_buffer *b) {
    const sass_insn *i = tr_insn(t);
    for (unsigned k = 0; k < i->opnd_count; k++)
        if (i->opnd[k].kind == SASS_OPND_BARRIER) lib_buffer_printf(b, "%%b%u", i->opnd[k].reg);
}

/* Writes what `$` and the letters at *s stand for. *s continues after them. */
static void stands_for(translator *t, lib_buffer *b, const char **s) {
    const sass_insn *i = tr_insn(t);
    const tr_operands *o = &t->o;
    char c = *(*s)++;
    switch (c) {
    case 'd': lib_buffer_puts(b, o->dest); break;
    case 'D': lib_buffer_puts(b, *o->dest_list ? o->dest_list : o->dest); break;
    case 'p': lib_buffer_puts(b, o->set[0]); break;
    case 'q': lib_buffer_puts(b, o->set[1]); break;
    case 'm': lib_buffer_puts(b, o->address[0]); break;
    case 'n': lib_buffer_puts(b, o->address[1]); break;
    case 'S': lib_buffer_puts(b, o->special); break;
    case 'L': lib_buffer_puts(b, o->label); break;
    case 'V': lib_buffer_puts(b, o->source_list[*(*s)++ - '0']); break;
    case 'P': lib_buffer_puts(b, o->test[*(*s)++ - '0']); break;
    case 'w': lib_buffer_printf(b, "%%w%c", *(*s)++); break;
    case 'b': put_barrier(t, b); break;
    case 'F': word(b, i, ".", "FTZ", ""); break;
    case 's': word(b, i, ".", "SAT", ""); break;
    case 'R': word(b, i, ".", "RELU", ""); break;
    case 'r': word(b, i, ".", "RN RM RP RZ", ".rn"); break;
    case 'i': lib_buffer_puts(b, rounding(i)); break;
    case 'C':
        word(b, i, ".", "LTU EQU LEU GTU NEU GEU LT EQ LE GT NE GE NUM NAN", ".unknown");
        break;
    case 'B': word(b, i, ".", "AND OR XOR", ".unknown"); break;
    case 'N': word(b, i, "", "AND OR XOR", "unknown"); break;
    case 'T': word(b, i, "", "U32", "s32"); break;
    case 'U': word(b, i, "", "S32", "u32"); break;
    case 'M': lib_buffer_puts(b, memory_type(i)); break;
    case 'O': word(b, i, ".", "ADD MIN MAX INC DEC AND OR XOR", ".unknown"); break;
    case 'Y': word(b, i, ".", "IDX UP DOWN BFLY", ".unknown"); break;
    case 'A': lib_buffer_puts(b, shift(i)); break;
    case 'h': lib_buffer_puts(b, sass_has(i, "HI") ? "%t2" : "%t1"); break;
    default: lib_buffer_puts(b, o->source[c - '0']); break;
    }
}

static bool mentions(const char *ptx, const char *what) {
    return strstr(ptx, what) != NULL;
}

/* Returns whether the text uses everything that the instruction reads or writes. */
static bool says_all(const translator *t, const char *ptx) {
    const tr_operands *o = &t->o;
    static const char *const set[] = {"$p", "$q"};
    if (!strcmp(ptx, "trap;")) return true;
    bool wants = o->dest_at && o->dest_at->reg != SASS_RZ;
    if (wants && !mentions(ptx, "$d") && !mentions(ptx, "$D")) return false;
    for (unsigned k = 0; k < 2; k++)
        if (k < o->sets && strcmp(o->set[k], "%nop") && !mentions(ptx, set[k])) return false;
    for (unsigned k = 0; k < o->tests; k++) {
        char name[] = {'$', 'P', (char)('0' + k), 0};
        if (says(o->test[k]) && !mentions(ptx, name)) return false;
    }
    for (unsigned k = o->sources; k < TR_SOURCES; k++) {
        char name[] = {'$', (char)('0' + k), 0};
        if (mentions(ptx, name)) return false;
    }
    for (unsigned k = 0; k < o->sources; k++) {
        if (is_zero(o->source_at[k])) continue;
        char plain[] = {'$', (char)('0' + k), 0}, list[] = {'$', 'V', (char)('0' + k), 0},
             wide[] = {'$', 'w', (char)('0' + k), 0};
        if (!mentions(ptx, plain) && !mentions(ptx, list) && !mentions(ptx, wide)) return false;
    }
    return true;
}

static void statements(translator *t, const char *ptx) {
    while (*ptx && !t->failed) {
        lib_buffer line = {0};
        while (*ptx != ';')
            if (*ptx != '$') lib_buffer_add(&line, ptx++, 1);
            else ptx++, stands_for(t, &line, &ptx);
        ptx++;
        if (line.failed) t->out.failed = true;
        const char *text = line.s ? line.s : "";
        bool own = *text == '!' || *text == '@';
        tr_line(t, "%s%s;", own ? "" : t->guard, text + (*text == '!'));
        lib_buffer_free(&line);
    }
}

void tr_expand(translator *t) {
    const sass_insn *i = tr_insn(t);
    const tr_row *r = find_row(t, i);
    if (!r) {
        tr_refuse(t, W_TRANSLATE_NO_ROW_WITH_MODIFIERS);
        return;
    }
    tr_prepare(t, (tr_kind)r->kind);
    if (t->failed) return;
    if (!says_all(t, r->ptx)) {
        tr_refuse(t, W_TRANSLATE_NO_ROW_WITH_OPERANDS);
        return;
    }
    for (unsigned k = 0; k < t->o.sources; k++) {
        char wide[] = {'$', 'w', (char)('0' + k), 0};
        if (mentions(r->ptx, wide)) tr_widen(t, k);
    }
    if (!*r->ptx) tr_nothing(t);
    statements(t, r->ptx);
    const sass_opnd *d = t->o.dest_at;
    if (d && d->width == 2 && mentions(r->ptx, "$d"))
        tr_line(t, "%smov.b64 %s, %%xd;", t->guard, t->o.dest_list);
}
