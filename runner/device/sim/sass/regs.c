/* Registers that an instruction reads and writes, by the roles and widths of its operands, and its
 * memory accesses, by its row. */
#include "runner/device/sim/sass/internal.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add(uint64_t set[4], unsigned reg, unsigned width) {
    if (reg >= SASS_NONE + 1u) return; /* RZ */
    for (unsigned r = reg; r < reg + width && r < SASS_RZ; r++)
        set[r >> 6] |= (uint64_t)1 << (r & 63);
}

static void add_predicate(uint8_t *set, unsigned reg) {
    if (reg != SASS_PT) *set |= (uint8_t)(1u << reg);
}

/* P2R and R2P name predicates by a mask, their last operand. */
static uint8_t mask_of(const sass_insn *i) {
    const sass_opnd *last = &i->opnd[i->opnd_count - 1];
    return last->kind == SASS_OPND_INT ? last->imm & 127 : 127;
}

static void add_operand(const sass_insn *i, const sass_opnd *o, sass_regs *set) {
    switch (o->kind) {
    case SASS_OPND_REG: add(set->r, o->reg, o->width); break;
    case SASS_OPND_UREG: add(set->ur, o->reg, o->width); break;
    case SASS_OPND_PRED: add_predicate(&set->p, o->reg); break;
    case SASS_OPND_UPRED: add_predicate(&set->up, o->reg); break;
    case SASS_OPND_PREDS: set->p |= mask_of(i); break;
    case SASS_OPND_UPREDS: set->up |= mask_of(i); break;
    case SASS_OPND_BARRIER: set->b |= (uint16_t)(1u << o->reg); break;
    default: break;
    }
}

static void add_base(uint64_t set[4], const sass_base *b) {
    if (b->reg != SASS_NONE) add(set, b->reg + (b->reg == SASS_RZ ? 0u : b->skip), b->width);
}

void sass_defs(const sass_insn *i, sass_regs *set) {
    for (unsigned k = 0; k < i->opnd_count; k++)
        if (i->opnd[k].role != SASS_USE) add_operand(i, &i->opnd[k], set);
}

void sass_uses(const sass_insn *i, sass_regs *set) {
    add_predicate(i->guard_uniform ? &set->up : &set->p, i->guard);
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        if (o->role != SASS_DEF) add_operand(i, o, set);
        if (o->kind != SASS_OPND_MEM && o->kind != SASS_OPND_CONST) continue;
        add_base(set->r, &o->base);
        add_base(set->ur, &o->ubase);
        if (o->desc != SASS_NONE) add(set->ur, o->desc, 2);
    }
}

/* ---- memory ---- */

static bool addresses(const sass_row *row, const sass_opnd *o) {
    return o->kind == (row->space == SASS_CONSTANT ? SASS_OPND_CONST : SASS_OPND_MEM);
}

static unsigned bytes_of(const sass_insn *i) {
    switch (i->op) {
    case SASS_OP_LDSM: return 4u * i->opnd[0].width;
    case SASS_OP_STSM: return 4u * i->opnd[1].width;
    case SASS_OP_SYNCS:
    case SASS_OP_ARRIVES: return 8;
    default: return sass_bytes(i);
    }
}

unsigned sass_accesses(const sass_insn *i, sass_access out[2]) {
    const sass_row *row = sass_row_of(i->op);
    unsigned n = 0, klass = row->klass;
    if (row->space == SASS_NO_SPACE || row->space == SASS_TEX_SPACE) return 0;
    for (unsigned k = 0; k < i->opnd_count && n < 2; k++)
        if (addresses(row, &i->opnd[k]))
            out[n++] = (sass_access){.space = row->space,
                                     .opnd = (uint8_t)k,
                                     .bytes = (uint8_t)bytes_of(i),
                                     .reads = klass != SASS_STORE,
                                     .writes = klass != SASS_LOAD};
    if (klass == SASS_COPY && n == 2) {
        out[0].space = SASS_SHARED;
        out[0].reads = out[1].writes = false;
    }
    return n;
}

/* ---- products ---- */

/* A word such as 64x256x16, or 16816, where m is 8 or 16 and n is 8. */
static bool shape_word(const char *w, unsigned mnk[3]) {
    char *end;
    mnk[0] = (unsigned)strtoul(w, &end, 10);
    if (*end == 'x') {
        mnk[1] = (unsigned)strtoul(end + 1, &end, 10);
        mnk[2] = *end == 'x' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
    } else {
        mnk[0] = *w == '8' ? 8 : 16;
        mnk[1] = 8;
        w += *w == '8' ? 1 : 2;
        mnk[2] = *w == '8' ? (unsigned)strtoul(w + 1, &end, 10) : 0;
    }
    return mnk[2] && (!*end || *end == '.');
}

bool sass_shape(const sass_insn *i, unsigned mnk[3]) {
    if (sass_row_of(i->op)->klass != SASS_MATRIX) return false;
    for (const char *m = i->mods; (m = strchr(m, '.'));)
        if (isdigit((unsigned char)*++m) && shape_word(m, mnk)) return true;
    return false;
}

const sass_opnd *sass_target(const sass_insn *i) {
    unsigned klass = sass_row_of(i->op)->klass;
    if (klass != SASS_BRANCH && klass != SASS_CALL && klass != SASS_CONVERGE) return NULL;
    for (unsigned k = 0; k < i->opnd_count; k++)
        if (i->opnd[k].kind == SASS_OPND_LABEL) return &i->opnd[k];
    return NULL;
}
