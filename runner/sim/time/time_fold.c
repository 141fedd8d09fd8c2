/* Instructions that ptxas merges into others, and shared loads that it joins. See time_build.h.
 *
 * PTX is close to what the compiler's front end thinks; the assembler then coalesces copies, uses
 * constants as operands, adds and multiplies in one instruction, adds three terms at once, extends
 * indices on the way, and hides offsets in addresses. */
#include "runner/sim/time/time_build.h"
#include <string.h>

/* ---- operands ----------------------------------------------------------------------------------- */

unsigned time_dst_count(const ptx_insn *i) {
    if (!i->nopnds) return 0;
    switch (i->klass) {
    case PTX_CLASS_STORE:
    case PTX_CLASS_BRANCH:
    case PTX_CLASS_CALL:
    case PTX_CLASS_FENCE: return 0;
    default: break;
    }
    if (i->op == PTX_OP_red || i->op == PTX_OP_bar_warp_sync || i->op == PTX_OP_nanosleep) return 0;
    unsigned kind = i->opnd[0].kind;
    if (kind != PTX_OPND_REG && kind != PTX_OPND_VEC && kind != PTX_OPND_SINK) return 0;
    if (i->klass == PTX_CLASS_BARRIER && (i->type[0] == PTX_NONE || i->nopnds < 2)) return 0;
    if (i->klass == PTX_CLASS_CONTROL && i->nopnds < 2) return 0;
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
} walk;

static void note_def(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    walk *w = user;
    w->b->reg[r].defs++;
    w->b->reg[r].def_at = w->at;
}
static void note_use(void *user, int32_t r, const ptx_opnd *o) {
    walk *w = user;
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
        walk w = {.b = b, .at = n, .insn = i};
        if (i->guard >= 0) b->reg[i->guard].uses++, b->reg[i->guard].use_at = n;
        unsigned d = time_dst_count(i);
        if (i->klass == PTX_CLASS_CALL) continue;
        for (unsigned k = 0; k < i->nopnds; k++)
            time_each_reg(&i->opnd[k], k < d ? note_def : note_use, &w);
    }
}

/* Which registers differ among the lanes: everything that comes from the thread's index, memory or
 * another lane. Control that diverges is not followed; this decides only what the assembler can
 * prove to be uniform. */
static void see_varying(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    walk *w = user;
    if (w->b->reg[r].varies) w->varies = true;
}
static void set_varying(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    walk *w = user;
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
            walk w = {.b = b, .at = n, .insn = i};
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

/* ---- what the assembler merges ------------------------------------------------------------------ */

/* The one instruction that uses what instruction n defines, or NULL. */
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

static void merge(time_builder *b) {
    const ptx_func *f = b->f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *i = &f->insns[n], *u;
        const time_reg *g;
        if (i->guard >= 0 || !time_dst_count(i)) continue;
        switch (i->klass) {
        case PTX_CLASS_MOVE: /* copies coalesce, constants become operands, cvta adds nothing that lasts */
            if (i->op == PTX_OP_cvta) b->fold[n] = TIME_FOLD_FREE;
            if (i->op == PTX_OP_mov && i->nopnds > 1 && i->opnd[1].kind != PTX_OPND_SREG)
                b->fold[n] = TIME_FOLD_FREE;
            if (i->op == PTX_OP_mov && i->nopnds > 1 && i->opnd[1].kind == PTX_OPND_SREG) {
                int32_t s = i->opnd[1].sreg; /* sizes of block and grid are in the constant bank */
                if (s == PTX_SREG_ntid_x || s == PTX_SREG_ntid_y || s == PTX_SREG_ntid_z ||
                    s == PTX_SREG_nctaid_x || s == PTX_SREG_nctaid_y || s == PTX_SREG_nctaid_z)
                    b->fold[n] = TIME_FOLD_FREE;
            }
            break;
        case PTX_CLASS_IMUL: /* IMAD.WIDE, IMAD */
            g = defined(b, n);
            if (i->op == PTX_OP_mul && time_flag(i, PTX_F_wide) && g && g->uses &&
                g->uses == g->add64)
                b->fold[n] = TIME_FOLD_WIDE_SUM;
            if (i->op == PTX_OP_mul && time_flag(i, PTX_F_lo) && (u = sole_user(b, n)) &&
                time_is_sum(u, 4))
                b->fold[n] = TIME_FOLD_PRODUCT_SUM;
            break;
        case PTX_CLASS_SHIFT: /* LEA, and IMAD.WIDE of an index extended to 64 bits */
            g = defined(b, n);
            if (i->op != PTX_OP_shl || !time_is_immediate(i, 2) || !g || !g->uses) break;
            if (ptx_type_size(i->type[0]) == 8 && g->uses == g->add64)
                b->fold[n] = TIME_FOLD_WIDE_SUM;
            if (ptx_type_size(i->type[0]) == 4 && g->uses == g->add32) b->fold[n] = TIME_FOLD_FREE;
            break;
        case PTX_CLASS_CONVERT: /* widening for an address is part of IMAD.WIDE; the low half of a pair is
                                   there already */
            if (i->ntypes == 2 && ptx_type_size(i->type[0]) == 8 && i->type[1] == PTX_U32)
                b->fold[n] = TIME_FOLD_FREE;
            if (i->ntypes == 2 && i->type[0] == PTX_S64 && i->type[1] == PTX_S32 &&
                (u = sole_user(b, n)) && u->op == PTX_OP_shl)
                b->fold[n] = TIME_FOLD_FREE;
            if (i->ntypes == 2 && ptx_type_size(i->type[0]) == 4 &&
                (i->type[1] == PTX_U64 || i->type[1] == PTX_S64) && i->type[0] != PTX_F32)
                b->fold[n] = TIME_FOLD_FREE;
            break;
        case PTX_CLASS_INT:
            g = defined(b, n);
            if ((time_is_sum(i, 8) || time_is_sum(i, 4)) && time_is_immediate(i, 2) && g &&
                g->uses && g->uses == g->address)
                b->fold[n] = TIME_FOLD_FREE; /* offset of an address */
            else if (is_logic(i) && (u = sole_user(b, n)) && is_logic(u) &&
                     ptx_type_size(i->type[0]) <= 4)
                b->fold[n] = TIME_FOLD_FREE; /* LOP3 */
            else if (time_is_sum(i, 4) && (u = sole_user(b, n)) &&
                     time_is_sum(u, 4)) { /* IADD3 takes three terms, not four */
                const ptx_opnd *x = &u->opnd[1], *y = &u->opnd[2], *d = &i->opnd[0];
                const ptx_opnd *other = x->kind == PTX_OPND_REG && x->reg == d->reg ? y : x;
                bool taken = other->kind == PTX_OPND_REG && other->reg >= 0 &&
                             b->reg[other->reg].defs == 1 && b->reg[other->reg].def_at < n &&
                             b->fold[b->reg[other->reg].def_at] != TIME_FOLD_NO;
                bool three = false;
                for (unsigned k = 1; k <= 2; k++) {
                    const ptx_opnd *o = &i->opnd[k];
                    if (o->kind == PTX_OPND_REG && o->reg >= 0 && b->reg[o->reg].defs == 1 &&
                        b->reg[o->reg].uses == 1 &&
                        b->fold[b->reg[o->reg].def_at] == TIME_FOLD_FREE &&
                        time_is_sum(&f->insns[b->reg[o->reg].def_at], 4))
                        three = true;
                }
                if (!taken && !three) b->fold[n] = TIME_FOLD_FREE;
            }
            break;
        case PTX_CLASS_FP32: /* contracted unless a rounding is written */
            if (i->op == PTX_OP_mul && !i->field[PTX_FIELD_ROUND] && (u = sole_user(b, n)) &&
                u->klass == PTX_CLASS_FP32 && (u->op == PTX_OP_add || u->op == PTX_OP_sub) &&
                !u->field[PTX_FIELD_ROUND])
                b->fold[n] = TIME_FOLD_FREE;
            break;
        default: break;
        }
    }
}

void time_fold(time_builder *b) {
    registers(b);
    uniformity(b);
    merge(b);
}

/* ---- wider shared loads ------------------------------------------------------------------------- */

/* Shared arrays are laid out by the assembler, which aligns those of 16 bytes and more. */
static uint64_t array_alignment(const ptx_var *v) {
    if (v->space == PTX_SPACE_SHARED && v->bytes >= 16 && v->align < 16) return 16;
    return v->align ? v->align : 1;
}

/* Bytes that a register's value is known to be a multiple of, at most 16. */
static uint64_t alignment(const time_builder *b, const ptx_opnd *o, unsigned depth);
static uint64_t reg_alignment(const time_builder *b, int32_t r, unsigned depth) {
    if (depth > 12 || r < 0 || b->reg[r].defs == 0) return depth > 12 ? 1 : 16;
    if (b->reg[r].defs != 1) return 1;
    const ptx_insn *i = &b->f->insns[b->reg[r].def_at];
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

static bool mergeable(const ptx_insn *i) {
    return i->op == PTX_OP_ld && i->space == PTX_SPACE_SHARED && !time_is_volatile(i) &&
           i->field[PTX_FIELD_VEC] <= 1 && ptx_type_size(i->type[0]) == 4 && i->guard < 0 &&
           i->nopnds == 2 && i->opnd[0].kind == PTX_OPND_REG;
}

/* Scalar loads from one base at neighbouring offsets become one of 8 or 16 bytes where the
 * assembler can prove the alignment. */
void time_merge_loads(time_builder *b, const time_region *r) {
    const ptx_func *f = b->f;
    for (uint32_t pc = r->first; pc < r->first + r->count; pc++) {
        const ptx_insn *i = &f->insns[pc - b->base];
        if (!mergeable(i) || b->code->ops[pc].flags & (TIME_MERGED | TIME_WIDE)) continue;
        const ptx_opnd *a = &i->opnd[1];
        uint64_t base = a->reg >= 0 ? reg_alignment(b, a->reg, 0) : 16;
        if (a->var && array_alignment(a->var) < base) base = array_alignment(a->var);
        for (unsigned width = 4; width >= 2; width /= 2) {
            int64_t low = a->offset & ~(int64_t)(width * 4 - 1);
            if (base < width * 4) continue;
            uint32_t found[4] = {0};
            unsigned have = 0;
            for (uint32_t q = pc; q < r->first + r->count && q < pc + 200 && have < width; q++) {
                const ptx_insn *j = &f->insns[q - b->base];
                if (j->klass == PTX_CLASS_STORE &&
                    (j->space == PTX_SPACE_SHARED || j->space == PTX_SPACE_GENERIC))
                    break;
                if (!mergeable(j) || b->code->ops[q].flags & (TIME_MERGED | TIME_WIDE)) continue;
                const ptx_opnd *c = &j->opnd[1];
                if (c->reg != a->reg || c->var != a->var || c->offset < low ||
                    c->offset >= low + width * 4)
                    continue;
                if (a->reg >= 0 && b->reg[a->reg].defs != 1 &&
                    b->reg[a->reg].def_at + b->base > pc && b->reg[a->reg].def_at + b->base < q)
                    break;
                unsigned at = (unsigned)(c->offset - low) / 4;
                if (c->offset % 4 || found[at]) continue;
                found[at] = q + 1;
                have++;
            }
            if (have != width) continue;
            for (unsigned k = 0; k < width; k++)
                b->code->ops[found[k] - 1].flags |= found[k] - 1 == pc ? TIME_WIDE : TIME_MERGED;
            b->code->ops[pc].amount = (uint8_t)width;
            break;
        }
    }
}
