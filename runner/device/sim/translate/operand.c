/* Operands: registers by name, literals, constant banks, addresses; lines before the instruction
 * for negation and absolute values. Registers of the text:
 *
 *   %r0.. %u0.. %p0.. %h0.. %b0..   R, UR, P, UP and B of the machine
 *   %a0.. %w0.. %c0..               prepared sources of 32 and 64 bits, and predicates
 *   %m0.. %n0                       addresses
 *   %t0.. %x0.. %q0..               temporaries of rows.def, of 32 and 64 bits, and predicates
 *   %xd                             a destination of two registers
 *   %sink %zero %nop %yes %no       RZ and PT as destinations, PT and !PT as sources */
#include <stdio.h>
#include <stdlib.h>
#include "runner/device/sim/translate/internal.h"
#include "words/translate.h"

/* The places in c[0] of values that a launch passes to kernels, by the first architecture that has
 * them there: found in ptxas's output for each. */
typedef struct {
    unsigned since;
    uint32_t block, grid, stack, descriptor, params;
    uint32_t windows;      /* of shared and local memory, two words each */
    uint32_t shared;       /* the first address of shared memory that belongs to the program */
    uint32_t grid_barrier; /* for a cooperative launch: %envreg1, %envreg2; 0: not known */
    uint32_t cluster;      /* 0: no clusters, or not known */
    uint32_t place;        /* of the parameters' generic address; 0: not known */
} bank0;
static const bank0 banks[] = {
    {75, 0x0, 0xc, 0x28, 0x118, 0x160, 0x18, 0x0, 0x8c, 0, 0},
    {90, 0x0, 0xc, 0x28, 0x208, 0x210, 0x18, 0x400, 0x44, 0x140, 0x198},
    {120, 0x360, 0x370, 0x37c, 0x358, 0x380, 0x2f0, 0x400, 0, 0, 0x348},
};
static const bank0 *bank_of(unsigned arch) {
    const bank0 *b = banks;
    for (unsigned k = 1; k < sizeof banks / sizeof *banks; k++)
        if (arch >= banks[k].since) b = &banks[k];
    return b;
}

uint32_t tr_shared_start(const translator *t) {
    return bank_of(t->m->arch)->shared;
}

uint32_t tr_param_skip(const translator *t) {
    enum { ALIGNED = 128 };
    const bank0 *b = bank_of(t->m->arch);
    for (uint32_t n = 0; n < t->f->insn_count; n++)
        for (unsigned k = 0; k < t->f->insns[n].opnd_count; k++) {
            const sass_opnd *o = &t->f->insns[n].opnd[k];
            if (o->kind == SASS_OPND_CONST && !o->bank && b->place && o->imm == b->place)
                return b->params % ALIGNED;
        }
    return 0;
}

static bool is_predicate(const sass_opnd *o) {
    return o->kind == SASS_OPND_PRED || o->kind == SASS_OPND_UPRED;
}
static bool is_register(const sass_opnd *o) {
    return o->kind == SASS_OPND_REG || o->kind == SASS_OPND_UREG;
}

void tr_register(char to[TR_NAME], const sass_opnd *o, unsigned part) {
    char c = o->kind == SASS_OPND_UREG ? 'u' : 'r';
    if (o->reg == SASS_RZ) snprintf(to, TR_NAME, "%s", o->role == SASS_USE ? "0" : "%sink");
    else snprintf(to, TR_NAME, "%%%c%u", c, o->reg + part);
}

/* ---- destinations ---- */

static void list_registers(char to[2 * TR_NAME], const sass_opnd *o) {
    char one[TR_NAME];
    size_t n = 0;
    for (unsigned k = 0; k < o->width && k < 4; k++) {
        tr_register(one, o, k);
        if (o->reg == SASS_RZ && o->width > 1) snprintf(one, sizeof one, "%%sink%u", k);
        n += (size_t)snprintf(to + n, 2 * TR_NAME - n, "%s%s",
                              k              ? ","
                              : o->width > 1 ? "{"
                                             : "",
                              one);
    }
    if (o->width > 1) snprintf(to + n, 2 * TR_NAME - n, "}");
}

static void destination(translator *t, const sass_opnd *o) {
    if (t->o.dest_at) {
        tr_refuse(t, W_TRANSLATE_SECOND_DESTINATION);
        return;
    }
    t->o.dest_at = o;
    list_registers(t->o.dest_list, o);
    if (o->width == 2) snprintf(t->o.dest, TR_NAME, "%%xd");
    else tr_register(t->o.dest, o, 0);
}

static void predicate_name(char to[TR_NAME], const sass_opnd *o, const char *always) {
    if (o->reg == SASS_PT) snprintf(to, TR_NAME, "%s", always);
    else snprintf(to, TR_NAME, "%%%c%u", o->kind == SASS_OPND_UPRED ? 'h' : 'p', o->reg);
}

static void test(translator *t, const sass_opnd *o) {
    unsigned k = t->o.tests++;
    if (k >= TR_PREDS) {
        tr_refuse(t, W_TRANSLATE_TOO_MANY_PREDICATES);
        return;
    }
    if (!o->inverted && !o->negated) {
        predicate_name(t->o.test[k], o, "%yes");
    } else if (o->reg == SASS_PT) {
        snprintf(t->o.test[k], TR_NAME, "%%no");
    } else {
        char name[TR_NAME];
        predicate_name(name, o, "%yes");
        tr_line(t, "not.pred %%c%u, %s;", k, name);
        snprintf(t->o.test[k], TR_NAME, "%%c%u", k);
    }
}

/* ---- sources ---- */

/* Returns the type of a load of constants smaller than a word; for other operands, a word. */
static const char *constant_type(const sass_insn *i) {
    return sass_row_of((sass_op)i->op)->klass != SASS_LOAD ? "b32"
           : sass_has(i, "U8")                             ? "u8"
           : sass_has(i, "S8")                             ? "s8"
           : sass_has(i, "U16")                            ? "u16"
           : sass_has(i, "S16")                            ? "s16"
                                                           : "b32";
}

/* Adds the registers of the address to %n0. */
static void add_bases(translator *t, const sass_opnd *o) {
    const sass_base *bases[] = {&o->base, &o->ubase};
    for (unsigned n = 0; n < 2; n++)
        if (bases[n]->reg < SASS_NONE) {
            tr_line(t, "cvt.u64.u32 %%n1, %%%c%u;", n ? 'u' : 'r', bases[n]->reg);
            tr_line(t, "add.u64 %%n0, %%n0, %%n1;");
        }
}

/* The same for another bank, which is a variable. */
static void variable(translator *t, const sass_opnd *o, unsigned k, bool wide) {
    if (o->bank >= SIM_TRANSLATE_BANKS || !t->about->bank_bytes[o->bank] ||
        o->form == SASS_BINDLESS) {
        tr_refuse(t, W_TRANSLATE_BANK_NOT_GIVEN);
        return;
    }
    const char *type = wide ? "b64" : constant_type(tr_insn(t));
    tr_line(t, "mov.u64 %%n0, $bank%u;", o->bank);
    add_bases(t, o);
    tr_line(t, "%sld.const.%s %%%c%u, [%%n0+%lld];", t->guard, type, wide ? 'w' : 'a', k,
            (long long)o->imm);
}

/* Puts the start of a space's window of generic addresses into %n0, and its halves into %t8 and
 * %t9. */
static void tr_window(translator *t, const char *space) {
    tr_line(t, "mov.u64 %%n0, 0;");
    tr_line(t, "cvta.%s.u64 %%n0, %%n0;", space);
    tr_line(t, "mov.b64 {%%t8,%%t9}, %%n0;");
}

/* Words of a launch with clusters, from bank0.cluster on: whether there are clusters, blocks of a
 * cluster, the factor that turns a block's place into its cluster's, clusters, and all blocks of a
 * cluster. Returns false for other words. */
static bool cluster_word(translator *t, uint32_t at, unsigned k) {
    enum { IS_ONE, BLOCKS, PARTS = BLOCKS + 3, CLUSTERS = PARTS + 3, ALL = 18 };
    unsigned n = at / 4;
    if (at % 4 || n > ALL) return false;
    if (n == IS_ONE) {
        tr_line(t, "mov.pred %%q3, %%is_explicit_cluster;");
        tr_line(t, "selp.b32 %%a%u, 1, 0, %%q3;", k);
    } else if (n >= BLOCKS && n < BLOCKS + 3) {
        tr_line(t, "mov.u32 %%a%u, %%cluster_nctaid.%c;", k, "xyz"[n - BLOCKS]);
    } else if (n >= PARTS && n < PARTS + 3) {
        tr_line(t, "mov.u32 %%a%u, %%cluster_nctaid.%c;", k, "xyz"[n - PARTS]);
        tr_line(t, "cvt.rn.f32.u32 %%a%u, %%a%u;", k, k);
        tr_line(t, "rcp.rp.f32 %%a%u, %%a%u;", k, k);
    } else if (n >= CLUSTERS && n < CLUSTERS + 3) {
        tr_line(t, "mov.u32 %%a%u, %%nclusterid.%c;", k, "xyz"[n - CLUSTERS]);
    } else if (n == ALL) {
        tr_line(t, "mov.u32 %%a%u, %%cluster_nctarank;", k);
    } else {
        return false;
    }
    return true;
}

void tr_constant(translator *t, const sass_opnd *o, unsigned k, bool wide) {
    const bank0 *b = bank_of(t->m->arch);
    uint64_t at = (uint64_t)o->imm;
    uint32_t room = (t->about->param_bytes + 7) & ~7u;
    if (o->bank) {
        variable(t, o, k, wide);
        return;
    }
    const char *type = wide ? "b64" : constant_type(tr_insn(t));
    if (o->base.reg < SASS_NONE || o->ubase.reg < SASS_NONE) {
        if (at < b->params || !room) {
            tr_refuse(t, W_TRANSLATE_ADDRESS_IN_BANK_0);
            return;
        }
        tr_line(t, "mov.u64 %%n0, p;");
        add_bases(t, o);
        tr_line(t, "%sld.param.%s %%%c%u, [%%n0+%u];", t->guard, type, wide ? 'w' : 'a', k,
                (unsigned)(at - b->params) + t->skip);
        return;
    }
    unsigned bytes = (unsigned)strtoul(type + 1, NULL, 10) / 8;
    if (at >= b->params && at - b->params + bytes <= room) {
        tr_line(t, "ld.param.%s %%%c%u, [p+%u];", type, wide ? 'w' : 'a', k,
                (unsigned)(at - b->params) + t->skip);
    } else if (wide && at == b->descriptor) {
        tr_line(t, "mov.u64 %%w%u, 0;", k);
    } else if (wide && b->place && at == b->place && room) {
        tr_line(t, "mov.u64 %%w%u, 0x%llx;", k, SIM_TRANSLATE_PARAMS + t->skip);
    } else if (!wide && at - b->block < 12) {
        tr_line(t, "mov.u32 %%a%u, %%ntid.%c;", k, "xyz"[(at - b->block) / 4]);
    } else if (!wide && at - b->grid < 12) {
        tr_line(t, "mov.u32 %%a%u, %%nctaid.%c;", k, "xyz"[(at - b->grid) / 4]);
    } else if (at - b->windows < 16 && (!wide || !(at & 7))) {
        tr_window(t, at - b->windows < 8 ? "shared" : "local");
        if (wide) tr_line(t, "mov.b64 %%w%u, %%n0;", k);
        else tr_line(t, "mov.b32 %%a%u, %s;", k, at & 4 ? "%t9" : "%t8");
    } else if (!wide && at == b->stack) {
        tr_line(t, t->about->local_bytes ? "mov.u32 %%a%u, depot+%u;" : "mov.u32 %%a%u, %u;", k,
                t->about->local_bytes);
    } else if (!wide && b->grid_barrier && (at == b->grid_barrier || at == b->grid_barrier + 4)) {
        tr_line(t, "mov.u32 %%a%u, %%envreg%u;", k, at == b->grid_barrier ? 1 : 2);
    } else if (wide || !b->cluster || at < b->cluster ||
               !cluster_word(t, (uint32_t)at - b->cluster, k)) {
        tr_refuse(t, W_TRANSLATE_UNKNOWN_WORD_IN_BANK_0);
    }
}

static void literal(char to[TR_NAME], tr_kind kind, uint32_t bits) {
    if (kind == TR_DOUBLE) snprintf(to, TR_NAME, "0d%08x00000000", bits);
    else snprintf(to, TR_NAME, kind == TR_FLOAT || kind == TR_HALF ? "0f%08x" : "0x%x", bits);
}

/* -x and |x| change the top bit, whatever x is, also of a NaN. */
static void sign(translator *t, const sass_opnd *o, tr_kind kind, const char *word, unsigned k) {
    char from[TR_NAME];
    snprintf(from, sizeof from, "%s", word);
    bool packed = kind == TR_PACKED;
    if (kind == TR_SHORTS || kind == TR_BYTES) {
        unsigned parts = kind == TR_SHORTS ? 2 : 4;
        if (o->absolute || o->inverted) tr_refuse(t, W_TRANSLATE_ABSOLUTE_VALUE);
        tr_line(t, "mov.b32 %%a%u, %s;", k, from);
        tr_line(t, "vsub%u.u32.u32.u32 %%a%u, %%zero, %%a%u, %%zero;", parts, k, k);
        return;
    }
    if (o->absolute) {
        if (kind == TR_BITS) tr_line(t, "abs.s32 %%a%u, %s;", k, from);
        else tr_line(t, "and.b32 %%a%u, %s, 0x%s;", k, from, packed ? "7fff7fff" : "7fffffff");
        snprintf(from, sizeof from, "%%a%u", k);
    }
    if (o->inverted) tr_line(t, "not.b32 %%a%u, %s;", k, from);
    else if (o->negated && kind == TR_BITS) tr_line(t, "neg.s32 %%a%u, %s;", k, from);
    else if (o->negated)
        tr_line(t, "xor.b32 %%a%u, %s, 0x%s;", k, from, packed ? "80008000" : "80000000");
}

static bool no_sign(const sass_opnd *o) {
    return !o->negated && !o->absolute && !o->inverted;
}

static void source_wide(translator *t, const sass_opnd *o, tr_kind kind, unsigned k) {
    char low[TR_NAME], high[TR_NAME];
    snprintf(t->o.source[k], TR_NAME, "%%w%u", k);
    if (o->kind == SASS_OPND_INT) {
        snprintf(t->o.source[k], TR_NAME, "0x%llx", (unsigned long long)o->imm);
        if (!no_sign(o)) tr_refuse(t, W_TRANSLATE_SIGNED_LITERAL);
        return;
    }
    if (o->kind == SASS_OPND_FLOAT) {
        literal(t->o.source[k], kind, (uint32_t)o->imm ^ (o->negated ? 0x80000000 : 0));
        return;
    }
    if (o->kind == SASS_OPND_CONST) {
        tr_constant(t, o, k, true);
        if (no_sign(o)) return;
        tr_line(t, "mov.b64 {%%t8,%%t9}, %%w%u;", k);
        snprintf(low, sizeof low, "%%t8");
        snprintf(high, sizeof high, "%%t9");
    } else if (o->reg == SASS_RZ) {
        snprintf(low, sizeof low, "0");
        snprintf(high, sizeof high, "0");
    } else {
        tr_register(low, o, 0);
        tr_register(high, o, 1);
    }
    if (!no_sign(o) && kind == TR_DOUBLE) {
        sign(t, o, TR_FLOAT, high, k);
        snprintf(high, sizeof high, "%%a%u", k);
    }
    tr_line(t, "mov.b64 %%w%u, {%s,%s};", k, low, high);
    if (kind == TR_DOUBLE || no_sign(o)) return;
    if (o->absolute) tr_refuse(t, W_TRANSLATE_ABSOLUTE_VALUE);
    tr_line(t, o->inverted ? "not.b64 %%w%u, %%w%u;" : "neg.s64 %%w%u, %%w%u;", k, k);
}

/* Converts one half of a register to f32, in %a<k>. */
static void half(translator *t, const sass_opnd *o, unsigned k) {
    bool upper = !strcmp(o->sel, ".H1_H1");
    if (!is_register(o) || (!upper && strcmp(o->sel, ".H0_H0"))) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_HALF);
        return;
    }
    char name[TR_NAME];
    tr_register(name, o, 0);
    tr_line(t, upper ? "shr.u32 %%a%u, %s, 16;" : "mov.b32 %%a%u, %s;", k, name);
    tr_line(t, "cvt.f32.f16 %%a%u, %%a%u;", k, k);
}

/* Copies one half of a register, or a float cut to a half (cvt.rz of sm_75), to both halves of a
 * pair. */
static void spread(translator *t, const sass_opnd *o, unsigned k) {
    bool upper = !strcmp(o->sel, ".H1_H1");
    if (!strcmp(o->sel, ".F32")) {
        tr_line(t, "cvt.rz.f16.f32 %%e0, %s;", t->o.source[k]);
        tr_line(t, "mov.b32 %%a%u, {%%e0,%%e0};", k);
        snprintf(t->o.source[k], TR_NAME, "%%a%u", k);
        return;
    }
    if (!is_register(o) || (!upper && strcmp(o->sel, ".H0_H0"))) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_HALF);
        return;
    }
    tr_line(t, "prmt.b32 %%a%u, %s, 0, 0x%x;", k, t->o.source[k], upper ? 0x3232 : 0x1010);
    snprintf(t->o.source[k], TR_NAME, "%%a%u", k);
}

static void source_narrow(translator *t, const sass_opnd *o, tr_kind kind, unsigned k) {
    char word[TR_NAME];
    if (o->kind == SASS_OPND_CONST) {
        tr_constant(t, o, k, false);
        snprintf(word, sizeof word, "%%a%u", k);
    } else if (is_register(o)) {
        tr_register(word, o, 0);
        if (o->reg == SASS_RZ) literal(word, kind, 0);
    } else {
        literal(word, kind, (uint32_t)o->imm);
    }
    snprintf(t->o.source[k], TR_NAME, "%s", word);
    bool zero = is_register(o) && o->reg == SASS_RZ;
    if (kind == TR_PACKED && !zero && !strcmp(o->sel, ".H0_NH1")) {
        tr_line(t, "xor.b32 %%a%u, %s, 0x80000000;", k, word);
        snprintf(word, sizeof word, "%%a%u", k);
        snprintf(t->o.source[k], TR_NAME, "%s", word);
    } else if (kind == TR_PACKED && !zero && *o->sel) {
        spread(t, o, k);
        snprintf(word, sizeof word, "%%a%u", k);
    }
    if (kind == TR_HALF && !zero) {
        half(t, o, k);
        snprintf(word, sizeof word, "%%a%u", k);
        snprintf(t->o.source[k], TR_NAME, "%s", word);
    }
    if (no_sign(o)) return;
    if (is_register(o) && o->reg == SASS_RZ) snprintf(word, sizeof word, "0");
    sign(t, o, kind, word, k);
    snprintf(t->o.source[k], TR_NAME, "%%a%u", k);
}

/* Two consecutive literals are the upper and the lower half of one source. */
static bool is_literal_pair(const sass_insn *i, unsigned k) {
    return i->opnd[k].kind == SASS_OPND_FLOAT && k + 1 < i->opnd_count &&
           i->opnd[k + 1].kind == SASS_OPND_FLOAT;
}

static void source_pair(translator *t, const sass_opnd *o) {
    unsigned k = t->o.sources++;
    if (k >= TR_SOURCES) {
        tr_refuse(t, W_TRANSLATE_TOO_MANY_OPERANDS);
        return;
    }
    t->o.source_at[k] = o;
    literal(t->o.source[k], TR_BITS, (uint32_t)(o[0].imm << 16 | (o[1].imm & 0xffff)));
}

/* The bytes of a register that a conversion reads, moved to its lower end. Its row knows how
 * many. */
static bool part_of_word(const sass_insn *i, const sass_opnd *o, unsigned *shift) {
    static const struct {
        const char *sel;
        unsigned shift;
    } parts[] = {{".H0", 0}, {".H1", 16}, {".B0", 0}, {".B1", 8}, {".B2", 16}, {".B3", 24}};
    bool may = i->op == SASS_OP_I2F || i->op == SASS_OP_F2FP || i->op == SASS_OP_MUFU ||
               i->op == SASS_OP_F2I || i->op == SASS_OP_FRND;
    if (!may || !is_register(o) || o->reg == SASS_RZ || !no_sign(o)) return false;
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!strcmp(o->sel, parts[k].sel)) {
            *shift = parts[k].shift;
            return true;
        }
    return false;
}

/* How many bits of the last source stay above what is packed: its row knows. */
static bool is_above(const sass_insn *i, const sass_opnd *o) {
    return i->op == SASS_OP_I2IP && (!strcmp(o->sel, ".24") || !strcmp(o->sel, ".28"));
}

/* Four words of constants, the only source, as two of 64 bits. */
static void source_quad(translator *t, const sass_opnd *o) {
    sass_opnd upper = *o;
    upper.imm += 8;
    tr_constant(t, o, 0, true);
    tr_constant(t, &upper, 1, true);
    snprintf(t->o.source[0], TR_NAME, "{%%w0,%%w1}");
}

static void source(translator *t, const sass_opnd *o, tr_kind kind) {
    unsigned k = t->o.sources++, shift;
    if (k < TR_SOURCES && *o->sel && kind == TR_BITS && part_of_word(tr_insn(t), o, &shift)) {
        char name[TR_NAME];
        tr_register(name, o, 0);
        tr_line(t, "shr.u32 %%a%u, %s, %u;", k, name, shift);
        snprintf(t->o.source[k], TR_NAME, "%%a%u", k);
        t->o.source_at[k] = o;
        return;
    }
    if (k >= TR_SOURCES ||
        (*o->sel && !is_above(tr_insn(t), o) && kind != TR_HALF && kind != TR_PACKED)) {
        tr_refuse(t, W_TRANSLATE_PART_OF_REGISTER);
        return;
    }
    t->o.source_at[k] = o;
    if (is_register(o)) list_registers(t->o.source_list[k], o);
    if (is_register(o) && o->reg == SASS_RZ)
        snprintf(t->o.source_list[k], 2 * TR_NAME, "%s",
                 o->width == 4   ? "{%zero,%zero,%zero,%zero}"
                 : o->width == 2 ? "{%zero,%zero}"
                                 : "%zero");
    /* A load of constants has the width of the loaded value. */
    bool loads = o->kind == SASS_OPND_CONST && t->o.dest_at &&
                 sass_row_of((sass_op)tr_insn(t)->op)->klass == SASS_LOAD;
    if (loads && t->o.dest_at->width == 4) source_quad(t, o);
    else if ((loads ? t->o.dest_at : o)->width == 2) source_wide(t, o, kind, k);
    else if ((loads ? t->o.dest_at : o)->width == 1) source_narrow(t, o, kind, k);
}

void tr_widen(translator *t, unsigned k) {
    const sass_opnd *o = t->o.source_at[k];
    if (!o) return;
    if (!o->negated || (is_register(o) && o->reg == SASS_RZ && o->negated)) {
        tr_line(t, "cvt.u64.u32 %%w%u, %s;", k, o->negated ? "0" : t->o.source[k]);
        if (o->negated) tr_line(t, "add.u64 %%w%u, %%w%u, 0x100000000;", k, k);
        return;
    }
    /* -x is ~x + 1 with its carry */
    tr_line(t, "neg.s32 %%a%u, %s;", k, t->o.source[k]);
    tr_line(t, "not.b32 %%a%u, %%a%u;", k, k);
    tr_line(t, "cvt.u64.u32 %%w%u, %%a%u;", k, k);
    tr_line(t, "add.u64 %%w%u, %%w%u, 1;", k, k);
}

/* ---- addresses ---- */

static void address_wide(translator *t, const sass_opnd *o, unsigned k) {
    if (o->base.reg >= SASS_NONE) tr_line(t, "mov.u64 %%m%u, 0;", k);
    else if (o->base.width == 2)
        tr_line(t, "mov.b64 %%m%u, {%%r%u,%%r%u};", k, o->base.reg, o->base.reg + 1);
    else tr_line(t, "cvt.u64.u32 %%m%u, %%r%u;", k, o->base.reg);
    if (o->ubase.reg < SASS_NONE) {
        if (o->ubase.width == 2)
            tr_line(t, "mov.b64 %%n0, {%%u%u,%%u%u};", o->ubase.reg, o->ubase.reg + 1);
        else tr_line(t, "cvt.u64.u32 %%n0, %%u%u;", o->ubase.reg);
        tr_line(t, "add.u64 %%m%u, %%m%u, %%n0;", k, k);
    }
    snprintf(t->o.address[k], TR_NAME, "[%%m%u+%lld]", k, (long long)o->imm);
}

static void address_narrow(translator *t, const sass_opnd *o, unsigned k, int64_t less) {
    if (o->base.reg >= SASS_NONE) tr_line(t, "mov.u32 %%k%u, 0;", k);
    else if (o->base.scale > 1)
        tr_line(t, "mul.lo.u32 %%k%u, %%r%u, %u;", k, o->base.reg, o->base.scale);
    else tr_line(t, "mov.u32 %%k%u, %%r%u;", k, o->base.reg);
    if (o->ubase.reg < SASS_NONE) tr_line(t, "add.u32 %%k%u, %%k%u, %%u%u;", k, k, o->ubase.reg);
    snprintf(t->o.address[k], TR_NAME, "[%%k%u+%lld]", k, (long long)(o->imm - less));
}

/* Shared memory begins at another address here, also in generic addresses. */
static void address_generic(translator *t, const sass_opnd *o, unsigned k) {
    unsigned less = tr_shared_start(t);
    address_wide(t, o, k);
    if (!less) return;
    tr_window(t, "shared");
    tr_line(t, "sub.u64 %%n1, %%m%u, %%n0;", k);
    tr_line(t, "setp.lt.u64 %%q3, %%n1, 0x100000000;");
    tr_line(t, "@%%q3 sub.u64 %%m%u, %%m%u, %u;", k, k, less);
}

static unsigned space_of(const sass_insn *i, unsigned operand) {
    sass_access access[2];
    unsigned n = sass_accesses(i, access);
    for (unsigned k = 0; k < n; k++)
        if (access[k].opnd == operand) return access[k].space;
    return SASS_NO_SPACE;
}

static void address(translator *t, const sass_opnd *o) {
    const sass_insn *i = tr_insn(t);
    unsigned k = t->o.addresses++;
    if (i->op == SASS_OP_CCTL) return;
    if (k >= TR_ADDRESSES || o->form == SASS_TMEM || o->form == SASS_BINDLESS ||
        o->form == SASS_GDESC) {
        tr_refuse(t, W_TRANSLATE_KIND_OF_ADDRESS);
        return;
    }
    switch (i->op == SASS_OP_QSPC ? SASS_GENERIC : space_of(i, (unsigned)(o - i->opnd))) {
    case SASS_GLOBAL: address_wide(t, o, k); break;
    case SASS_GENERIC: address_generic(t, o, k); break;
    case SASS_SHARED: address_narrow(t, o, k, tr_shared_start(t)); break;
    case SASS_LOCAL: address_narrow(t, o, k, 0); break;
    default: tr_refuse(t, W_TRANSLATE_ADDRESS_OF_SPACE); break;
    }
    /* rows that look at the address itself */
    if ((i->op == SASS_OP_QSPC || sass_has(i, "ZFILL")) && strstr(t->o.address[k], "%m"))
        tr_line(t, "add.u64 %%m%u, %%m%u, %lld;", k, k, (long long)o->imm),
            snprintf(t->o.address[k], TR_NAME, "[%%m%u]", k);
}

/* ---- all operands ---- */

static void special(translator *t, const sass_opnd *o) {
    static const char *const names[][2] = {
        {"SR_TID.X", "%tid.x"},
        {"SR_TID.Y", "%tid.y"},
        {"SR_TID.Z", "%tid.z"},
        {"SR_CTAID.X", "%ctaid.x"},
        {"SR_CTAID.Y", "%ctaid.y"},
        {"SR_CTAID.Z", "%ctaid.z"},
        {"SR_LANEID", "%laneid"},
        {"SR_CgaCtaId", "%cluster_ctarank"},
        {"SRZ", "0"},
        {"SR_EQMASK", "%lanemask_eq"},
        {"SR_LEMASK", "%lanemask_le"},
        {"SR_LTMASK", "%lanemask_lt"},
        {"SR_GEMASK", "%lanemask_ge"},
        {"SR_GTMASK", "%lanemask_gt"},
        {"SR_CLOCKLO", "%clock"},
        {"SR_GLOBALTIMERLO", "%globaltimer_lo"},
        {"SR_VIRTUALSMID", "%smid"},
        {"SR_CLOCKHI", "%clock_hi"},
        {"SR_GLOBALTIMERHI", "%globaltimer_hi"},
    };
    bool shared = !strcmp(o->text, "SR_SWINHI");
    if (shared || !strcmp(o->text, "SR_LWINHI")) {
        tr_window(t, shared ? "shared" : "local");
        snprintf(t->o.special, TR_NAME, "%%t9");
        return;
    }
    if (!strcmp(o->text, "SR_VIRTID")) { /* ptxas reads bits 8 to 14 of it for %warpid */
        tr_line(t, "mov.u32 %%t9, %%warpid;");
        tr_line(t, "shl.b32 %%t9, %%t9, 8;");
        snprintf(t->o.special, TR_NAME, "%%t9");
        return;
    }
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(o->text, names[k][0])) {
            snprintf(t->o.special, TR_NAME, "%s", names[k][1]);
            return;
        }
    tr_refuse(t, W_TRANSLATE_SPECIAL_REGISTER);
}

static void label(translator *t, const sass_opnd *o) {
    if (o->target == SASS_ELSEWHERE || &t->m->funcs[o->func] != t->f ||
        o->target >= t->f->insn_count) {
        tr_refuse(t, W_TRANSLATE_PLACE_OUTSIDE);
        return;
    }
    snprintf(t->o.label, TR_NAME, "L%u", o->target);
}

static void written(translator *t, const sass_opnd *o) {
    if (t->o.sets < 2) predicate_name(t->o.set[t->o.sets], o, "%nop");
    if (++t->o.sets > 2) tr_refuse(t, W_TRANSLATE_THIRD_PREDICATE);
}

void tr_prepare(translator *t, tr_kind kind) {
    const sass_insn *i = tr_insn(t);
    memset(&t->o, 0, sizeof t->o);
    for (unsigned k = 0; k < 2; k++) snprintf(t->o.set[k], TR_NAME, "%%nop");
    for (unsigned k = 0; k < TR_PREDS; k++) snprintf(t->o.test[k], TR_NAME, "%%no");
    snprintf(t->o.dest, TR_NAME, "%%sink");
    for (unsigned k = 0; k < i->opnd_count && !t->failed; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (is_predicate(o) && o->role == SASS_DEF) written(t, o);
        else if (is_predicate(o)) test(t, o);
        else if (is_register(o) && o->role == SASS_DEF) destination(t, o);
        else if (o->kind == SASS_OPND_MEM) address(t, o);
        else if (o->kind == SASS_OPND_SREG) special(t, o);
        else if (o->kind == SASS_OPND_LABEL) label(t, o);
        else if (kind == TR_PACKED && is_literal_pair(i, k)) source_pair(t, o), k++;
        else if (is_register(o) || o->kind == SASS_OPND_INT || o->kind == SASS_OPND_FLOAT ||
                 o->kind == SASS_OPND_CONST)
            source(t, o, kind);
        else if (o->kind != SASS_OPND_BARRIER && o->kind != SASS_OPND_PREDS &&
                 o->kind != SASS_OPND_SCOREBOARD && i->op != SASS_OP_WARPGROUP)
            tr_refuse(t, W_TRANSLATE_KIND_OF_OPERAND);
    }
}
