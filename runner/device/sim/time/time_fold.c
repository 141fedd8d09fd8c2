/* Instructions that ptxas merges into others, and shared loads that it joins. See time_build.h.
 *
 * PTX is close to the output of the compiler's front end. The assembler then coalesces copies, uses
 * constants as operands, adds and multiplies in one instruction, adds three terms at once, extends
 * indices in the same instruction, and puts offsets into addresses. */
#include "runner/device/sim/time/time_build.h"
#include <string.h>

/* ---- operands ---- */

unsigned time_dst_count(const ptx_insn *i) {
    if (!i->nopnds || !ptx_op_writes(i->op)) return 0;
    return time_flag(i, PTX_F_PAIR) && i->nopnds > 1 ? 2 : 1;
}

/* Calls fn for each register of an operand. */
void time_each_reg(const ptx_opnd *o, time_reg_fn *fn, void *user) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) fn(user, o->reg, o);
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; o->elem && k < o->count; k++)
            if (o->elem[k].kind == PTX_OPND_REG && o->elem[k].reg >= 0) fn(user, o->elem[k].reg, o);
}

static bool is_logic(const ptx_insn *i) {
    return (i->op == PTX_OP_and || i->op == PTX_OP_or || i->op == PTX_OP_xor ||
            i->op == PTX_OP_not) &&
           i->klass == PTX_CLASS_INT;
}
bool time_is_sum(const ptx_insn *i, unsigned bytes) {
    return i->klass == PTX_CLASS_INT && (i->op == PTX_OP_add || i->op == PTX_OP_sub) &&
           ptx_type_size(i->type[0]) == bytes && !time_flag(i, PTX_F_cc) &&
           !time_flag(i, PTX_F_sat);
}
bool time_is_immediate(const ptx_insn *i, unsigned k) {
    return i->nopnds > k && i->opnd[k].kind == PTX_OPND_IMM;
}

bool time_is_volatile(const ptx_insn *i) {
    return i->field[PTX_FIELD_ORDER] > PTX_ORDER_weak;
}

typedef struct {
    time_builder *b;
    uint32_t at;
    const ptx_insn *insn;
    bool varies;
} fold_walk;

static void note_def(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    fold_walk *w = user;
    if (!w->b->reg[r].defs) w->b->reg[r].first_def = w->at;
    w->b->reg[r].defs++;
    w->b->reg[r].def_at = w->at;
}
static void note_use(void *user, int32_t r, const ptx_opnd *o) {
    fold_walk *w = user;
    time_reg *g = &w->b->reg[r];
    g->uses++;
    g->use_at = w->at;
    if (o->kind == PTX_OPND_ADDR) g->address++;
    else if (time_is_sum(w->insn, 8)) g->add64++;
    else if (time_is_sum(w->insn, 4)) g->add32++;
}

static void registers(time_builder *b) {
    const ptx_func *f = b->f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *i = &f->insns[n];
        fold_walk w = {.b = b, .at = n, .insn = i};
        if (i->guard >= 0) {
            time_reg *g = &b->reg[i->guard];
            g->uses++, g->guards++, g->use_at = n;
        }
        unsigned d = time_dst_count(i);
        if (i->klass == PTX_CLASS_CALL) continue;
        for (unsigned k = 0; k < i->nopnds; k++)
            time_each_reg(&i->opnd[k], k < d ? note_def : note_use, &w);
    }
}

/* Finds the registers that differ among the lanes: all that come from the thread's index, memory or
 * another lane. Diverging control flow is not followed; this only decides what the assembler can
 * prove to be uniform. */
static void see_varying(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    fold_walk *w = user;
    if (w->b->reg[r].varies) w->varies = true;
}
static void set_varying(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    fold_walk *w = user;
    if (!w->b->reg[r].varies) w->b->reg[r].varies = true, w->varies = true;
}
static void uniformity(time_builder *b) {
    const ptx_func *f = b->f;
    bool changed = true;
    for (unsigned pass = 0; changed && pass < 16; pass++) {
        changed = false;
        for (uint32_t n = 0; n < f->insn_count; n++) {
            const ptx_insn *i = &f->insns[n];
            unsigned d = time_dst_count(i);
            if (!d) continue;
            fold_walk w = {.b = b, .at = n, .insn = i};
            for (unsigned k = d; k < i->nopnds; k++) {
                time_each_reg(&i->opnd[k], see_varying, &w);
                if (i->opnd[k].kind == PTX_OPND_SREG) {
                    int32_t s = i->opnd[k].sreg;
                    if (!(s == PTX_SREG_ntid_x || s == PTX_SREG_ntid_y || s == PTX_SREG_ntid_z ||
                          s == PTX_SREG_ctaid_x || s == PTX_SREG_ctaid_y || s == PTX_SREG_ctaid_z ||
                          s == PTX_SREG_nctaid_x || s == PTX_SREG_nctaid_y ||
                          s == PTX_SREG_nctaid_z))
                        w.varies = true;
                }
            }
            if (i->klass == PTX_CLASS_LOAD && i->space != PTX_SPACE_PARAM &&
                i->space != PTX_SPACE_CONST)
                w.varies = true;
            if (i->klass == PTX_CLASS_ATOM || i->klass == PTX_CLASS_SHUFFLE ||
                i->klass == PTX_CLASS_TEX || i->klass == PTX_CLASS_TENSOR)
                w.varies = true;
            if (!f->entry && i->klass == PTX_CLASS_LOAD) w.varies = true;
            if (!w.varies) continue;
            w.varies = false;
            for (unsigned k = 0; k < d; k++) time_each_reg(&i->opnd[k], set_varying, &w);
            changed |= w.varies;
        }
    }
}

/* ---- what the assembler merges ---- */

/* Returns the only instruction that uses the result of instruction n, or NULL. */
static const ptx_insn *sole_user(const time_builder *b, uint32_t n) {
    const ptx_opnd *d = &b->f->insns[n].opnd[0];
    if (d->kind != PTX_OPND_REG || d->reg < 0) return NULL;
    const time_reg *g = &b->reg[d->reg];
    return g->defs == 1 && g->uses == 1 && g->use_at > n ? &b->f->insns[g->use_at] : NULL;
}
static const time_reg *defined(const time_builder *b, uint32_t n) {
    const ptx_opnd *d = &b->f->insns[n].opnd[0];
    return d->kind == PTX_OPND_REG && d->reg >= 0 && b->reg[d->reg].defs == 1 ? &b->reg[d->reg]
                                                                              : NULL;
}

/* Copies coalesce, constants become operands, cvta leaves no instruction; sizes of block and grid
 * are in the constant bank. */
static uint8_t fold_move(const ptx_insn *i) {
    if (i->op == PTX_OP_cvta) return TIME_FOLD_FREE;
    if (i->op != PTX_OP_mov || i->nopnds < 2) return TIME_FOLD_NO;
    if (i->opnd[1].kind != PTX_OPND_SREG) return TIME_FOLD_FREE;
    switch (i->opnd[1].sreg) {
    case PTX_SREG_ntid_x:
    case PTX_SREG_ntid_y:
    case PTX_SREG_ntid_z:
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nctaid_z: return TIME_FOLD_FREE;
    default: return TIME_FOLD_NO;
    }
}

/* IMAD.WIDE, IMAD. */
static uint8_t fold_product(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n], *u;
    const time_reg *g = defined(b, n);
    if (i->op != PTX_OP_mul) return TIME_FOLD_NO;
    if (time_flag(i, PTX_F_lo) && (u = sole_user(b, n)) && time_is_sum(u, 4))
        return TIME_FOLD_PRODUCT_SUM;
    return time_flag(i, PTX_F_wide) && g && g->uses && g->uses == g->add64 ? TIME_FOLD_WIDE_SUM
                                                                           : TIME_FOLD_NO;
}

/* A sum with a constant that only addresses use becomes their offset. */
static bool is_offset(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n];
    const time_reg *g = defined(b, n);
    return (time_is_sum(i, 8) || time_is_sum(i, 4)) && time_is_immediate(i, 2) && g && g->uses &&
           g->uses == g->address;
}

/* LEA: a left shift by a constant whose result only sums read. */
static bool scales(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n];
    const time_reg *g = defined(b, n);
    return i->op == PTX_OP_shl && ptx_type_size(i->type[0]) == 4 && time_is_immediate(i, 2) && g &&
           g->uses && g->uses == g->add32;
}

/* LEA.HI: the result of a right shift by a constant is a term of a sum of two. The other term may
 * be subtracted, this one not. Beside a term that LEA scales, it stays a shift. Returns the shift,
 * or UINT32_MAX. */
static uint32_t shifted_term(const time_builder *b, uint32_t sum) {
    const ptx_insn *u = &b->f->insns[sum];
    uint32_t found = UINT32_MAX;
    if (!time_is_sum(u, 4) || is_offset(b, sum)) return found;
    for (unsigned k = 1; k <= 2; k++) {
        const ptx_opnd *o = &u->opnd[k];
        if (o->kind != PTX_OPND_REG || o->reg < 0 || b->reg[o->reg].defs != 1) continue;
        const time_reg *g = &b->reg[o->reg];
        const ptx_insn *i = &b->f->insns[g->def_at];
        if (scales(b, g->def_at)) return UINT32_MAX;
        if (g->uses == 1 && g->def_at < sum && i->guard < 0 && i->op == PTX_OP_shr &&
            ptx_type_size(i->type[0]) == 4 && time_is_immediate(i, 2) &&
            !(u->op == PTX_OP_sub && k == 2))
            found = g->def_at;
    }
    return found;
}

/* LEA, LEA.HI, and IMAD.WIDE of an index extended to 64 bits. */
static uint8_t fold_shift(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n];
    const time_reg *g = defined(b, n);
    if (scales(b, n)) return TIME_FOLD_FREE;
    if (i->op == PTX_OP_shr && g && g->uses == 1 && shifted_term(b, g->use_at) == n)
        return TIME_FOLD_FREE;
    return i->op == PTX_OP_shl && ptx_type_size(i->type[0]) == 8 && time_is_immediate(i, 2) && g &&
                   g->uses && g->uses == g->add64
               ? TIME_FOLD_WIDE_SUM
               : TIME_FOLD_NO;
}

/* The widening of an index is part of IMAD.WIDE; the low half of a pair exists already. */
static uint8_t fold_conversion(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n], *u;
    if (i->ntypes != 2) return TIME_FOLD_NO;
    unsigned to = ptx_type_size(i->type[0]);
    bool widens = to == 8 && i->type[1] == PTX_U32;
    bool index = i->type[0] == PTX_S64 && i->type[1] == PTX_S32 && (u = sole_user(b, n)) &&
                 u->op == PTX_OP_shl;
    bool low = to == 4 && (i->type[1] == PTX_U64 || i->type[1] == PTX_S64) && i->type[0] != PTX_F32;
    return widens || index || low ? TIME_FOLD_FREE : TIME_FOLD_NO;
}

/* Returns whether the sum n, which only the sum u uses, can be one of its terms: IADD3 takes three
 * terms, not four. */
static bool fold_third_term(const time_builder *b, uint32_t n, const ptx_insn *u) {
    const ptx_insn *i = &b->f->insns[n];
    if (shifted_term(b, n) != UINT32_MAX ||
        shifted_term(b, (uint32_t)(u - b->f->insns)) != UINT32_MAX)
        return false;
    const ptx_opnd *x = &u->opnd[1], *y = &u->opnd[2], *d = &i->opnd[0];
    const ptx_opnd *other = x->kind == PTX_OPND_REG && x->reg == d->reg ? y : x;
    if (other->kind == PTX_OPND_REG && other->reg >= 0 && b->reg[other->reg].defs == 1 &&
        b->reg[other->reg].def_at < n && b->fold[b->reg[other->reg].def_at] != TIME_FOLD_NO)
        return false;
    for (unsigned k = 1; k <= 2; k++) {
        const ptx_opnd *o = &i->opnd[k];
        if (o->kind == PTX_OPND_REG && o->reg >= 0 && b->reg[o->reg].defs == 1 &&
            b->reg[o->reg].uses == 1 && b->fold[b->reg[o->reg].def_at] == TIME_FOLD_FREE &&
            time_is_sum(&b->f->insns[b->reg[o->reg].def_at], 4))
            return false;
    }
    return true;
}

static uint8_t fold_integer(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n], *u;
    if (is_offset(b, n)) return TIME_FOLD_FREE;
    if (is_logic(i) && (u = sole_user(b, n)) && is_logic(u) && ptx_type_size(i->type[0]) <= 4)
        return TIME_FOLD_FREE; /* LOP3 */
    return time_is_sum(i, 4) && (u = sole_user(b, n)) && time_is_sum(u, 4) &&
                   fold_third_term(b, n, u)
               ? TIME_FOLD_FREE
               : TIME_FOLD_NO;
}

/* A comparison can take another predicate as input, so `and` and `or` with it cost nothing. Nor
 * does the negation of a predicate, which is part of its reader. */
static bool is_comparison(const time_builder *b, const ptx_opnd *o) {
    if (o->kind != PTX_OPND_REG || o->reg < 0) return false;
    const time_reg *g = &b->reg[o->reg];
    return g->defs == 1 && g->uses == 1 && b->f->insns[g->def_at].op == PTX_OP_setp;
}
static uint8_t fold_predicate(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n];
    if (i->type[0] != PTX_PRED) return TIME_FOLD_NO;
    if (i->op == PTX_OP_not) return TIME_FOLD_FREE;
    if (i->nopnds < 3) return TIME_FOLD_NO;
    return is_comparison(b, &i->opnd[1]) || is_comparison(b, &i->opnd[2]) ? TIME_FOLD_FREE
                                                                          : TIME_FOLD_NO;
}

/* Contracted unless a rounding is written. */
static uint8_t fold_fp32(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n], *u;
    return i->op == PTX_OP_mul && !i->field[PTX_FIELD_ROUND] && (u = sole_user(b, n)) &&
                   u->klass == PTX_CLASS_FP32 && (u->op == PTX_OP_add || u->op == PTX_OP_sub) &&
                   !u->field[PTX_FIELD_ROUND]
               ? TIME_FOLD_FREE
               : TIME_FOLD_NO;
}

/* The result of constants only is a constant: the front end leaves conversions as they are written,
 * for example of 0.5 to a half. */
static bool is_constant(const time_builder *b, const ptx_insn *i) {
    switch (i->klass) {
    case PTX_CLASS_MOVE:
    case PTX_CLASS_CONVERT:
    case PTX_CLASS_INT:
    case PTX_CLASS_IMUL:
    case PTX_CLASS_SHIFT:
    case PTX_CLASS_FP32:
    case PTX_CLASS_FP16: break;
    default: return false;
    }
    if (i->nopnds < 2 || i->opnd[0].kind != PTX_OPND_REG || i->opnd[0].reg < 0 ||
        b->reg[i->opnd[0].reg].defs != 1)
        return false;
    for (unsigned k = 1; k < i->nopnds; k++) {
        const ptx_opnd *o = &i->opnd[k];
        bool is = o->kind == PTX_OPND_IMM ||
                  (o->kind == PTX_OPND_REG && o->reg >= 0 && b->reg[o->reg].constant);
        if (!is) return false;
    }
    return true;
}

static void merge(time_builder *b) {
    for (uint32_t n = 0; n < b->f->insn_count; n++) {
        const ptx_insn *i = &b->f->insns[n];
        uint8_t how = TIME_FOLD_NO;
        if (i->guard >= 0 || !time_dst_count(i)) continue;
        if (is_constant(b, i)) {
            b->reg[i->opnd[0].reg].constant = true;
            b->fold[n] = TIME_FOLD_FREE;
            continue;
        }
        switch (i->klass) {
        case PTX_CLASS_MOVE: how = fold_move(i); break;
        case PTX_CLASS_IMUL: how = fold_product(b, n); break;
        case PTX_CLASS_SHIFT: how = fold_shift(b, n); break;
        case PTX_CLASS_CONVERT: how = fold_conversion(b, n); break;
        case PTX_CLASS_INT: how = fold_integer(b, n); break;
        case PTX_CLASS_FP32: how = fold_fp32(b, n); break;
        case PTX_CLASS_SELECT: how = fold_predicate(b, n); break;
        default: break;
        }
        if (how != TIME_FOLD_NO) b->fold[n] = how;
    }
}

void time_fold(time_builder *b) {
    registers(b);
    uniformity(b);
    merge(b);
}

/* ---- wider shared loads ---- */

/* The assembler places shared arrays, and aligns those of 16 bytes and more. */
static uint64_t array_alignment(const ptx_var *v) {
    if (v->space == PTX_SPACE_SHARED && v->bytes >= 16 && v->align < 16) return 16;
    return v->align ? v->align : 1;
}

/* Returns a number of bytes, at most 16, of which a register's value is known to be a multiple. */
static uint64_t alignment(const time_builder *b, const ptx_opnd *o, unsigned depth);
static uint64_t made_alignment(const time_builder *b, const ptx_insn *i, unsigned depth) {
    if (i->nopnds < 2) return 1;
    uint64_t x = alignment(b, &i->opnd[1], depth + 1), y;
    switch (i->op) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_cvt: return x;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_or:
    case PTX_OP_xor: y = alignment(b, &i->opnd[2], depth + 1); return x < y ? x : y;
    case PTX_OP_and: y = alignment(b, &i->opnd[2], depth + 1); return x > y ? x : y;
    case PTX_OP_shl:
        if (!time_is_immediate(i, 2)) return x;
        return i->opnd[2].imm >= 4 ? 16 : x << i->opnd[2].imm > 16 ? 16 : x << i->opnd[2].imm;
    case PTX_OP_mul: y = alignment(b, &i->opnd[2], depth + 1); return x * y > 16 ? 16 : x * y;
    case PTX_OP_mad: {
        if (i->nopnds < 4) return 1;
        y = alignment(b, &i->opnd[2], depth + 1);
        uint64_t z = alignment(b, &i->opnd[3], depth + 1), xy = x * y > 16 ? 16 : x * y;
        return xy < z ? xy : z;
    }
    default: return 1;
    }
}
/* Computed once for each register and distance: terms of terms would be computed again and
 * again. */
static uint64_t reg_alignment(const time_builder *b, int32_t r, unsigned depth) {
    if (depth > TIME_LOOK_BACK || r < 0 || b->reg[r].defs == 0)
        return depth > TIME_LOOK_BACK ? 1 : 16;
    if (b->reg[r].defs != 1) return 1;
    uint8_t *known = &b->reg[r].multiple[depth];
    if (!*known) *known = (uint8_t)made_alignment(b, &b->f->insns[b->reg[r].def_at], depth);
    return *known;
}
static uint64_t alignment(const time_builder *b, const ptx_opnd *o, unsigned depth) {
    uint64_t v = 1;
    switch (o->kind) {
    case PTX_OPND_IMM: v = o->imm ? o->imm & -o->imm : 16; break;
    case PTX_OPND_VAR:
        v = o->var ? array_alignment(o->var) : 1;
        if (o->offset) v |= (uint64_t)o->offset, v &= -v;
        break;
    case PTX_OPND_REG: v = reg_alignment(b, o->reg, depth); break;
    default: break;
    }
    return v > 16 ? 16 : v;
}

/* Returns the remainder of a register's value modulo 16; -1: unknown. A pointer that a loop
 * advances by multiples of 16 keeps it. */
static int residue(const time_builder *b, int32_t r, unsigned depth);
static int residue_of(const time_builder *b, const ptx_opnd *o, unsigned depth) {
    switch (o->kind) {
    case PTX_OPND_IMM: return (int)(o->imm & 15);
    case PTX_OPND_VAR: return o->var && array_alignment(o->var) >= 16 ? (int)(o->offset & 15) : -1;
    case PTX_OPND_REG: return o->reg >= 0 ? residue(b, o->reg, depth + 1) : -1;
    default: return -1;
    }
}
static int made_residue(const time_builder *b, const ptx_insn *i, unsigned depth) {
    if (i->nopnds < 2 || i->guard >= 0) return -1;
    if (made_alignment(b, i, 0) >= 16) return 0;
    int x = residue_of(b, &i->opnd[1], depth), y;
    if (i->op == PTX_OP_mov) return x;
    if ((i->op != PTX_OP_add && i->op != PTX_OP_sub) || i->nopnds < 3 || x < 0) return -1;
    y = residue_of(b, &i->opnd[2], depth);
    return y < 0 ? -1 : (i->op == PTX_OP_add ? x + y : x - y) & 15;
}
static bool steps_by_16(const ptx_insn *i, int32_t r) {
    return i->op == PTX_OP_add && i->nopnds > 2 && i->opnd[1].kind == PTX_OPND_REG &&
           i->opnd[1].reg == r && time_is_immediate(i, 2) && i->opnd[2].imm % 16 == 0;
}
static int residue(const time_builder *b, int32_t r, unsigned depth) {
    enum { DEEP = 6 };
    if (depth > DEEP || b->reg[r].defs == 0 || b->reg[r].defs > 2) return -1;
    if (reg_alignment(b, r, 0) >= 16) return 0;
    if (b->reg[r].defs == 1) return made_residue(b, &b->f->insns[b->reg[r].def_at], depth);
    const ptx_insn *x = &b->f->insns[b->reg[r].first_def], *y = &b->f->insns[b->reg[r].def_at];
    return steps_by_16(y, r)   ? made_residue(b, x, depth)
           : steps_by_16(x, r) ? made_residue(b, y, depth)
                               : -1;
}

static bool mergeable(const ptx_insn *i) {
    return i->op == PTX_OP_ld && i->space == PTX_SPACE_SHARED && !time_is_volatile(i) &&
           i->field[PTX_FIELD_VEC] <= 1 && ptx_type_size(i->type[0]) == 4 && i->guard < 0 &&
           i->nopnds == 2 && i->opnd[0].kind == PTX_OPND_REG;
}

static bool writes_shared(const ptx_insn *i) {
    return (i->klass == PTX_CLASS_STORE || i->klass == PTX_CLASS_ATOM ||
            i->klass == PTX_CLASS_ASYNC || i->klass == PTX_CLASS_FENCE) &&
           (i->klass == PTX_CLASS_ASYNC || i->klass == PTX_CLASS_FENCE ||
            i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_GENERIC);
}
static bool defines(const ptx_insn *i, int32_t r) {
    for (unsigned k = 0; r >= 0 && k < time_dst_count(i); k++)
        if (i->opnd[k].kind == PTX_OPND_REG && i->opnd[k].reg == r) return true;
    return false;
}

/* A word of shared memory that was loaded before, with no write since, is not loaded again. */
static void drop_repeated(time_builder *b, const time_region *r) {
    enum { AHEAD = 64 };
    const ptx_func *f = b->f;
    for (uint32_t pc = r->first; pc < r->first + r->count; pc++) {
        const ptx_insn *i = &f->insns[pc - b->base];
        if (!mergeable(i) || b->code->ops[pc].flags & TIME_MERGED) continue;
        for (uint32_t q = pc + 1; q < r->first + r->count && q < pc + AHEAD; q++) {
            const ptx_insn *j = &f->insns[q - b->base];
            if (writes_shared(j) || defines(&f->insns[q - 1 - b->base], i->opnd[1].reg)) break;
            if (!mergeable(j) || j->opnd[1].reg != i->opnd[1].reg ||
                j->opnd[1].var != i->opnd[1].var || j->opnd[1].offset != i->opnd[1].offset)
                continue;
            time_op *o = &b->code->ops[q];
            o->flags |= TIME_MERGED;
            o->slots = 0;
        }
    }
}

/* Scalar loads from one base at neighbouring offsets become one of 8 or 16 bytes if the assembler
 * can prove the alignment. */
void time_merge_loads(time_builder *b, const time_region *r) {
    const ptx_func *f = b->f;
    drop_repeated(b, r);
    for (uint32_t pc = r->first; pc < r->first + r->count; pc++) {
        const ptx_insn *i = &f->insns[pc - b->base];
        if (!mergeable(i) || b->code->ops[pc].flags & (TIME_MERGED | TIME_WIDE)) continue;
        const ptx_opnd *a = &i->opnd[1];
        uint64_t base = a->reg >= 0 ? reg_alignment(b, a->reg, 0) : 16;
        int over = base < 16 && a->reg >= 0 ? residue(b, a->reg, 0) : 0;
        if (over >= 0) base = 16;
        else over = 0;
        if (a->var && array_alignment(a->var) < base) base = array_alignment(a->var);
        for (unsigned width = 4; width >= 2; width /= 2) {
            int64_t low = ((a->offset + over) & ~(int64_t)(width * 4 - 1)) - over;
            if (base < width * 4) continue;
            uint32_t found[4] = {0};
            unsigned have = 0;
            for (uint32_t q = pc; q < r->first + r->count && q < pc + 200 && have < width; q++) {
                const ptx_insn *j = &f->insns[q - b->base];
                if (q > pc && defines(&f->insns[q - 1 - b->base], a->reg)) break;
                if (j->klass == PTX_CLASS_STORE &&
                    (j->space == PTX_SPACE_SHARED || j->space == PTX_SPACE_GENERIC))
                    break;
                if (!mergeable(j) || b->code->ops[q].flags & (TIME_MERGED | TIME_WIDE)) continue;
                const ptx_opnd *c = &j->opnd[1];
                if (c->reg != a->reg || c->var != a->var || c->offset < low ||
                    c->offset >= low + width * 4)
                    continue;
                unsigned at = (unsigned)(c->offset - low) / 4;
                if (c->offset % 4 || found[at]) continue;
                found[at] = q + 1;
                have++;
            }
            if (have != width) continue;
            for (unsigned k = 0; k < width; k++) {
                time_op *o = &b->code->ops[found[k] - 1];
                o->flags |= found[k] - 1 == pc ? TIME_WIDE : TIME_MERGED;
                if (found[k] - 1 != pc) o->slots = 0;
            }
            b->code->ops[pc].amount = (uint8_t)width;
            break;
        }
    }
}
