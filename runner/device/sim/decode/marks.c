/* Marks: where a thread of a kernel leaves something to others, so that slice/ can tell threads
 * that lead to an output from threads that only fill a block. Such a place is
 *
 *   a store, an atomic or a copy that is not in the thread's own memory,
 *   an instruction to which all lanes or threads contribute: a shuffle, a matrix product, bar.red,
 *   a branch that data decide, and on which one of these depends directly: a thread that finds
 *   nothing to store has looked.
 *
 * Instructions of a segment that have no guard share a mark, because the same lanes execute
 * them. */
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/decode/segments.h"

#include <stdlib.h>

/* ---- which instructions give */

static bool marks_gives(const ptx_insn *p) {
    bool own = p->space == PTX_SPACE_LOCAL || p->space == PTX_SPACE_PARAM;
    switch (p->klass) {
    case PTX_CLASS_STORE:
    case PTX_CLASS_ATOM: return !own;
    case PTX_CLASS_SHUFFLE: return p->op != PTX_OP_activemask && p->op != PTX_OP_bar_warp_sync;
    case PTX_CLASS_TENSOR: return true;
    case PTX_CLASS_TEX: return !ptx_op_writes(p->op); /* surfaces */
    case PTX_CLASS_ASYNC:
        return ptx_op_is(p->op, PTX_IS_COPIES) || p->op == PTX_OP_st_async ||
               p->op == PTX_OP_red_async;
    case PTX_CLASS_BARRIER: return p->op == PTX_OP_bar_red || p->op == PTX_OP_barrier_red;
    case PTX_CLASS_CALL: /* the host's part of malloc(), printf() and launches */
        return p->op == PTX_OP_call &&
               (p->opnd[1].kind != PTX_OPND_FUNC || !p->opnd[1].func || !p->opnd[1].func->has_body);
    default: return false;
    }
}

/* ---- which registers depend on data: values from memory that is neither constant nor an argument
 * of the kernel */

static bool marks_any(const ptx_opnd *o, const uint8_t *data) {
    if ((o->kind == PTX_OPND_REG || o->kind == PTX_OPND_ADDR) && o->reg >= 0) return data[o->reg];
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        if (marks_any(&o->elem[k], data)) return true;
    return false;
}

/* Returns whether a register became data. */
static bool marks_set(const ptx_opnd *o, uint8_t *data) {
    bool fresh = o->kind == PTX_OPND_REG && o->reg >= 0 && !data[o->reg];
    if (fresh) data[o->reg] = 1;
    for (unsigned k = 0; o->kind == PTX_OPND_VEC && k < o->count; k++)
        fresh |= marks_set(&o->elem[k], data);
    return fresh;
}

static bool marks_reads_data(const ptx_func *f, const ptx_insn *p, const uint8_t *data) {
    const ptx_var *v = p->nopnds > 1 ? p->opnd[1].var : NULL;
    bool argument = f->entry && v && v >= f->params && v < f->params + f->param_count;
    if (p->klass == PTX_CLASS_ATOM || p->klass == PTX_CLASS_TEX) return true;
    if (p->klass == PTX_CLASS_LOAD && p->space != PTX_SPACE_CONST &&
        !(p->space == PTX_SPACE_PARAM && argument))
        return true;
    if (p->guard >= 0 && data[p->guard]) return true;
    for (unsigned o = 1; o < p->nopnds; o++)
        if (marks_any(&p->opnd[o], data)) return true;
    return false;
}

/* Returns for each register whether it is data; malloc'ed, NULL: memory is out. */
static uint8_t *marks_data(const ptx_func *f) {
    enum { SWEEPS = 32 }; /* what is not found by then is no data: fewer threads count */
    uint8_t *data = calloc(f->reg_count + 1, 1);
    bool more = data != NULL;
    for (unsigned n = 0; more && n < SWEEPS; n++) {
        more = false;
        for (size_t k = 0; k < f->insn_count; k++) {
            const ptx_insn *p = &f->insns[k];
            if (!p->nopnds || !ptx_op_writes(p->op) || !marks_reads_data(f, p, data)) continue;
            more |= marks_set(&p->opnd[0], data);
            if (p->flags >> PTX_F_PAIR & 1) more |= marks_set(&p->opnd[1], data);
        }
    }
    return data;
}

/* ---- marks */

static unsigned marks_next(sim_image *im) {
    if (im->mark_count < SIM_MARKS) im->mark_count++; /* the last one stands for all others */
    return im->mark_count;
}

/* Returns whether something in a block gives whose execution the branch at the end of b decides
 * directly. */
static bool marks_decides(const ptx_func *f, const ptx_block *b, const uint8_t *gives) {
    enum { STEPS = 64 };
    for (unsigned i = 0; i < 2; i++) {
        int32_t x = b->succ[i];
        for (unsigned n = 0; x >= 0 && x != b->ipdom; x = f->blocks[x].ipdom, n++)
            if (gives[x] || n == STEPS) return true;
    }
    return false;
}

static void marks_insn(sim_decoder *d, sim_func *f, sim_seg *s, uint32_t p, const uint8_t *data) {
    const ptx_insn *i = &f->ptx->insns[p];
    bool last = p + 1 == s->ptx_first + s->ptx_count;
    if (i->guard < 0 || data[i->guard] || (last && s->end != SIM_END_FALL)) {
        if (!s->mark) s->mark = (uint8_t)marks_next(d->image);
        f->mark_of[p] = s->mark;
        return;
    }
    f->mark_of[p] = (uint8_t)marks_next(d->image);
    for (uint32_t k = s->first; k < s->first + s->count; k++)
        if (f->insns[k].ptx == i && f->insns[k].guard_id) f->insns[k].mark = f->mark_of[p];
}

void sim_decode_marks(sim_decoder *d, sim_func *f) {
    const ptx_func *p = f->ptx;
    uint8_t *data = marks_data(p), *gives = calloc(p->block_count + 1, 1);
    f->mark_of = sim_image_alloc(d->image, p->insn_count + 1);
    bool have = data && gives && f->mark_of;
    if (!have) sim_decode_fail(d, "out of memory");
    for (size_t b = 0; have && b < p->block_count; b++)
        for (uint32_t k = p->blocks[b].first; k <= p->blocks[b].last; k++)
            gives[b] |= marks_gives(&p->insns[k]);
    for (uint32_t k = 0; have && k < f->seg_count; k++) {
        sim_seg *s = &f->segs[k];
        for (uint32_t x = s->ptx_first; x < s->ptx_first + s->ptx_count; x++) {
            const ptx_insn *i = &p->insns[x];
            const ptx_block *b = &p->blocks[p->block_of[x]];
            bool leaves =
                i->klass == PTX_CLASS_BRANCH || i->op == PTX_OP_ret || i->op == PTX_OP_exit;
            bool decides = leaves && i->guard >= 0 && data[i->guard] && x == b->last &&
                           marks_decides(p, b, gives);
            if (decides || marks_gives(i)) marks_insn(d, f, s, x, data);
        }
    }
    free(data);
    free(gives);
}
