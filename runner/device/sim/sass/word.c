/* The word of memory that an instruction accesses, if it is the same in all threads. Then its
 * address is a number plus a word of a constant bank, which holds parameters and addresses of
 * variables.
 *
 *   address --register--> the only definition that reaches it --> the same for its sources */
#include <stdlib.h>
#include <string.h>
#include "runner/device/sim/sass/sass.h"

enum { DEPTH = 8 };

/* A register, R or UR, and the instruction that reads it. */
typedef struct {
    const sass_func *f;
    uint32_t at;
    unsigned reg;
    bool uniform;
} register_use;

static bool is_written_by(const register_use *x, uint32_t n) {
    sass_regs set = {0};
    sass_defs(&x->f->insns[n], &set);
    return sass_in(x->uniform ? set.ur : set.r, x->reg);
}

/* Returns the last definition in the block before `end`; SASS_ELSEWHERE: none. */
static uint32_t last_in_block(const register_use *x, uint32_t block, uint32_t end) {
    for (uint32_t n = end; n-- > x->f->blocks[block].first;)
        if (is_written_by(x, n)) return n;
    return SASS_ELSEWHERE;
}

static bool leads_to(const sass_block *b, uint32_t block) {
    for (uint32_t k = 0; k < b->target_count; k++)
        if (b->targets[k] == block) return true;
    return b->succ[0] == (int32_t)block || b->succ[1] == (int32_t)block;
}

/* Returns the only definition that reaches it; SASS_ELSEWHERE: none, or several. */
static uint32_t definition(const register_use *x) {
    const sass_func *f = x->f;
    uint32_t *todo = calloc(f->block_count + 1, sizeof *todo), count = 0, found = SASS_ELSEWHERE;
    uint8_t *seen = calloc(f->block_count + 1, 1);
    bool one = todo && seen;
    uint32_t block = f->block_of[x->at], n = one ? last_in_block(x, block, x->at) : found;
    if (n != SASS_ELSEWHERE) found = n;
    else if (one) todo[count++] = block;
    while (one && count) {
        block = todo[--count];
        one = block != 0; /* no definition comes before the function */
        for (uint32_t k = 0; one && k < f->block_count; k++) {
            if (seen[k] || !leads_to(&f->blocks[k], block)) continue;
            seen[k] = 1;
            n = last_in_block(x, k, f->blocks[k].last + 1);
            if (n == SASS_ELSEWHERE) todo[count++] = k;
            else if (found == SASS_ELSEWHERE || found == n) found = n;
            else one = false;
        }
    }
    free(todo);
    free(seen);
    return one ? found : SASS_ELSEWHERE;
}

static bool add_register(register_use x, unsigned depth, sass_word *w);

/* A source that is added or moved, not multiplied. */
static bool add_source(const register_use *x, const sass_opnd *o, unsigned depth, sass_word *w) {
    if (o->negated || o->absolute || o->inverted || *o->sel) return false;
    switch (o->kind) {
    case SASS_OPND_INT: w->plus += (int32_t)o->imm; return true;
    case SASS_OPND_REG:
        return o->reg == SASS_RZ ||
               add_register((register_use){x->f, x->at, o->reg, false}, depth, w);
    case SASS_OPND_UREG:
        return o->reg == SASS_RZ ||
               add_register((register_use){x->f, x->at, o->reg, true}, depth, w);
    case SASS_OPND_CONST:
        if (w->known || o->bank >= SASS_NONE || o->base.reg < SASS_NONE || o->ubase.reg < SASS_NONE)
            return false;
        w->known = true;
        w->bank = o->bank;
        w->at = (uint32_t)o->imm;
        return true;
    default: return false;
    }
}

/* Returns how many of its sources (the first ones) are factors of a product; the others are added.
 * -1: it is neither a move nor a sum. */
static int factors(const sass_insn *i) {
    switch (i->op) {
    case SASS_OP_MOV:
    case SASS_OP_UMOV:
    case SASS_OP_LDC:
    case SASS_OP_ULDC:
    case SASS_OP_VIADD: return 0;
    case SASS_OP_IADD3:
    case SASS_OP_UIADD3: return sass_has(i, "X") || sass_has(i, "64") ? -1 : 0;
    case SASS_OP_IMAD:
    case SASS_OP_UIMAD: return sass_has(i, "X") || sass_has(i, "HI") ? -1 : 2;
    default: return -1;
    }
}

static bool is_zero(const sass_opnd *o) {
    return (o->kind == SASS_OPND_REG || o->kind == SASS_OPND_UREG) && o->reg == SASS_RZ;
}

/* A product with zero or one: ptxas moves values in this way. */
static bool add_product(const register_use *x, const sass_opnd *a, const sass_opnd *b,
                        unsigned depth, sass_word *w) {
    if (is_zero(a) || is_zero(b)) return true;
    return b->kind == SASS_OPND_INT && b->imm == 1 && add_source(x, a, depth, w);
}

static bool add_register(register_use x, unsigned depth, sass_word *w) {
    uint32_t n = depth ? definition(&x) : SASS_ELSEWHERE;
    if (n == SASS_ELSEWHERE) return false;
    const sass_insn *i = &x.f->insns[n];
    const sass_opnd *source[4];
    int product = factors(i), count = 0;
    if (i->guard != SASS_PT || i->guard_not || product < 0) return false;
    for (unsigned k = 0; k < i->opnd_count; k++) {
        const sass_opnd *o = &i->opnd[k];
        bool predicate = o->kind == SASS_OPND_PRED || o->kind == SASS_OPND_UPRED;
        /* another of several registers */
        if (o->role == SASS_DEF && !predicate && o->reg != x.reg) return false;
        if (o->role != SASS_USE || predicate) continue;
        if (count == 4) return false;
        source[count++] = o;
    }
    register_use from = {x.f, n, 0, false};
    if (count <= product || (product && !add_product(&from, source[0], source[1], depth - 1, w)))
        return false;
    for (int k = product; k < count; k++)
        if (!add_source(&from, source[k], depth - 1, w)) return false;
    return true;
}

bool sass_word_of(const sass_func *f, uint32_t n, sass_word *w) {
    sass_access access[2];
    *w = (sass_word){0};
    if (!sass_accesses(&f->insns[n], access)) return false;
    const sass_opnd *o = &f->insns[n].opnd[access[0].opnd];
    if (o->kind != SASS_OPND_MEM) return false;
    w->plus = o->imm;
    return (o->base.reg >= SASS_NONE ||
            (o->base.scale <= 1 && !o->base.skip &&
             add_register((register_use){f, n, o->base.reg, false}, DEPTH, w))) &&
           (o->ubase.reg >= SASS_NONE ||
            add_register((register_use){f, n, o->ubase.reg, true}, DEPTH, w)) &&
           w->known;
}
