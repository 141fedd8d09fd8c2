/* Decides which registers get a slot of their own, where the others are found, and which may be
 * read before they are set.
 *
 * A register that only ever copies something else (a special register, a parameter, an immediate,
 * another register written once) gets no slot: its readers read the original. So the moves,
 * parameter loads and address conversions that compilers leave behind cost nothing, but are
 * counted. A register that is written once is not yet in SSA form: if some rounds of a loop skip a
 * move, the copy keeps the value of an earlier round while the original has changed. So a register
 * counts as a copy only if nothing reads it between a write of the original and the next move
 * (copy_lags), and if no path reads it before its move, where it is undefined.
 * WARPLAB_SIM_REWRITE=off gives every register a slot; the results must be the same
 * (tests/unit/test_rewrite.c). */
#include "runner/device/sim/decode/slots.h"
#include <stdlib.h>
#include "runner/device/sim/decode/live.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/machine/module.h"

static void count_defs(sim_decoder *d, const ptx_opnd *o, uint32_t *where, size_t at) {
    if (o->kind == PTX_OPND_REG) {
        d->defs[o->reg]++;
        where[o->reg] = (uint32_t)at;
    }
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) count_defs(d, &o->elem[k], where, at);
}

/* Finds out what register `dst` of a copying instruction is a copy of. If it is a copy, returns
 * true, and *reg >= 0 or *at says of what. */
static bool copied_from(sim_decoder *d, const ptx_insn *p, int32_t *reg, sim_opnd *at) {
    const ptx_opnd *dst = &p->opnd[0], *src = p->nopnds > 1 ? &p->opnd[1] : NULL;
    *reg = -1;
    if (p->guard >= 0 || !src || dst->kind != PTX_OPND_REG || d->defs[dst->reg] != 1) return false;
    unsigned slot = sim_slot_of(d->ptx->reg_type[dst->reg]);
    uint64_t add = 0;
    if (p->op == PTX_OP_cvta) {
        bool flat = p->space == PTX_SPACE_GLOBAL || p->space == PTX_SPACE_CONST;
        if (!flat && (src->kind != PTX_OPND_VAR || p->flags >> PTX_F_to & 1)) return false;
        if (!flat)
            add = p->space == PTX_SPACE_SHARED  ? SIM_SHARED_WINDOW
                  : p->space == PTX_SPACE_LOCAL ? SIM_LOCAL_WINDOW
                                                : d->image->owner->device->param_block;
    } else if (p->op == PTX_OP_ld) {
        if (!d->ptx->entry || p->space != PTX_SPACE_PARAM || !src->var ||
            sim_slot_of(p->type[0]) != slot)
            return false;
        uint32_t area;
        if (sim_param_area(d, src->var, &area)) return false;
        *at = sim_param_slot(d, src->var, src->offset, p->type[0]);
        return true;
    } else if (p->op != PTX_OP_mov) {
        return false;
    }
    if (sim_slot_of(p->type[0]) != slot || ptx_type_size(p->type[0]) > 8) return false;
    switch (src->kind) {
    case PTX_OPND_REG:
        if (d->defs[src->reg] != 1 || sim_slot_of(d->ptx->reg_type[src->reg]) != slot ||
            src->negated)
            return false;
        *reg = src->reg;
        return true;
    case PTX_OPND_SREG:
        if (sim_clock_handler(d->isa, (unsigned)src->sreg) ||
            sim_slot_of(ptx_sreg_get((unsigned)src->sreg)->type) != slot)
            return false;
        break;
    case PTX_OPND_VAR:
        if (src->var->space == PTX_SPACE_LOCAL && !d->ptx->entry) return false;
        if (src->var->space == PTX_SPACE_PARAM && !d->ptx->entry) return false;
        if (add) {
            ptx_opnd sum = *src;
            sum.offset += (int64_t)add;
            *at = sim_source(d, &sum, slot, p->type[0]);
            return true;
        }
        break;
    case PTX_OPND_IMM:
    case PTX_OPND_FUNC: break;
    default: return false;
    }
    *at = sim_source(d, src, slot, p->type[0]);
    return true;
}

/* The copies of a function, while they are settled. */
typedef struct {
    const ptx_func *f;
    int32_t *copies;         /* the register of which each is a copy; -1: none */
    sim_opnd *at;            /* or its other place; SIM_NO_SLOT: none */
    int32_t *root;           /* the original at the end of the chain, once settled */
    const uint32_t *written; /* by register: the instruction that writes it, if only one does */
    const uint32_t *defs;
    int32_t *path; /* the chain being followed */
    uint8_t *state;
    uint64_t *in;
    size_t words;
    sim_uses uses;
} copy_web;
enum { COPY_NEW, COPY_OPEN, COPY_SETTLED };

/* Returns whether r may hold an older value of x: some path still reads r after x was written
 * again. */
static bool copy_lags(const copy_web *c, int32_t x, int32_t r) {
    return c->defs[x] && sim_live_after(c->f, &c->uses, c->in, c->words, c->written[x], r);
}

/* Settles r, after the register of which it is a copy. A copy that lags becomes a register of its
 * own and the original of its copies. So does a register of a cycle, which never gets a value. */
static void copy_settle(copy_web *c, int32_t r) {
    size_t n = 0;
    int32_t x = r;
    for (; c->copies[x] >= 0 && c->state[x] == COPY_NEW; x = c->copies[x]) {
        c->state[x] = COPY_OPEN;
        c->path[n++] = x;
    }
    if (c->state[x] == COPY_OPEN) c->copies[x] = -1;
    if (c->state[x] != COPY_SETTLED) c->root[x] = x;
    while (n) {
        int32_t y = c->path[--n], from = c->copies[y];
        if (from >= 0 && copy_lags(c, c->root[from], y)) from = c->copies[y] = -1;
        c->root[y] = from >= 0 ? c->root[from] : y;
        c->state[y] = COPY_SETTLED;
    }
}

/* Fills root[]. A register that stays a copy has another register there. */
static bool settle_copies(sim_decoder *d, copy_web *c) {
    const ptx_func *f = c->f;
    bool any = false, ok = true;
    for (size_t r = 0; r < f->reg_count; r++) {
        c->root[r] = (int32_t)r;
        any |= c->copies[r] >= 0 || c->at[r] != SIM_NO_SLOT;
    }
    if (!any) return true;
    c->path = malloc((f->reg_count + 1) * sizeof *c->path);
    c->state = calloc(f->reg_count + 1, 1);
    c->in = sim_live_in(f, d->image->owner->stop, &c->words);
    ok = c->path && c->state && c->in && sim_uses_find(&c->uses, f);
    /* some path reads it before it is written: undefined */
    for (size_t r = 0; ok && f->block_count && r < f->reg_count; r++)
        if (c->in[r / 64] >> (r % 64) & 1) {
            c->copies[r] = -1;
            c->at[r] = SIM_NO_SLOT;
        }
    for (size_t r = 0; ok && r < f->reg_count && !sim_decode_stopped(d); r++)
        copy_settle(c, (int32_t)r);
    free(c->path);
    free(c->state);
    free(c->in);
    sim_uses_free(&c->uses);
    return ok;
}

void sim_assign_slots(sim_decoder *d) {
    const ptx_func *f = d->ptx;
    size_t n = f->reg_count ? f->reg_count : 1;
    int32_t *copies = sim_image_alloc(d->image, n * sizeof *copies),
            *root = sim_image_alloc(d->image, n * sizeof *root);
    sim_opnd *own = sim_image_alloc(d->image, n * sizeof *own),
             *at = sim_image_alloc(d->image, n * sizeof *at);
    d->defs = sim_image_alloc(d->image, n * sizeof *d->defs);
    uint32_t *written = sim_image_alloc(d->image, n * sizeof *written);
    if (!copies || !root || !own || !at || !d->defs || !written) {
        sim_decode_fail(d, "out of memory");
        return;
    }
    d->reg_at = at;
    d->reg_slot = own;
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *p = &f->insns[k];
        if (!sim_has_destination(p)) continue;
        count_defs(d, &p->opnd[0], written, k);
        if (p->flags >> PTX_F_PAIR & 1) count_defs(d, &p->opnd[1], written, k);
    }
    for (size_t r = 0; r < f->reg_count; r++) {
        copies[r] = -1;
        own[r] = at[r] = SIM_NO_SLOT;
    }
    for (size_t k = 0; d->image->owner->device->rewrite && k < f->insn_count && !d->failed; k++) {
        int32_t reg;
        sim_opnd where = 0;
        d->insn = &f->insns[k];
        if (!copied_from(d, d->insn, &reg, &where)) continue;
        int32_t dst = d->insn->opnd[0].reg;
        if (reg >= 0) copies[dst] = reg;
        else at[dst] = where;
    }
    d->insn = NULL;
    copy_web web = {
        .f = f, .copies = copies, .at = at, .root = root, .written = written, .defs = d->defs};
    if (!settle_copies(d, &web)) {
        sim_decode_fail(d, "it has too many registers and blocks");
        return;
    }
    for (size_t r = 0; r < f->reg_count; r++) {
        if (copies[r] >= 0 || at[r] != SIM_NO_SLOT) continue;
        own[r] = at[r] = sim_opnd_make(d->temps, SIM_BASE_REGS);
        d->temps += sim_slot_bytes(sim_slot_of(f->reg_type[r]));
    }
    for (size_t r = 0; r < f->reg_count; r++) at[r] = at[root[r]];
}

/* The program has set none of these when they are first read. What is the program's own starts with
 * arbitrary values, what is the simulated device's own as zero. */
void sim_find_unwritten(sim_decoder *d) {
    const ptx_func *f = d->ptx;
    sim_func *to = d->func;
    size_t words;
    uint64_t *in = sim_live_in(f, d->image->owner->stop, &words);
    to->unset = sim_image_alloc(d->image, (f->reg_count + 1) * 2 * sizeof *to->unset);
    to->zero = sim_image_alloc(d->image, 4 * sizeof *to->zero);
    if (!in || !to->unset || !to->zero) {
        sim_decode_fail(d, in ? "out of memory" : "it has too many registers and blocks");
        free(in);
        return;
    }
    for (size_t r = 0; f->block_count && r < f->reg_count; r++)
        if (in[r / 64] >> (r % 64) & 1 && d->reg_slot[r] != SIM_NO_SLOT) {
            to->unset[2 * to->unset_count] = d->reg_slot[r] >> 2;
            to->unset[2 * to->unset_count++ + 1] =
                f->reg_type[r] == PTX_PRED ? 0 : ptx_type_size(f->reg_type[r]);
        }
    to->zero[2 * to->zero_count] = d->carry >> 2;
    to->zero[2 * to->zero_count++ + 1] = sim_slot_bytes(SIM_SLOT_PRED);
    if (to->stack != SIM_NO_SLOT) {
        to->zero[2 * to->zero_count] = to->stack >> 2;
        to->zero[2 * to->zero_count++ + 1] = sim_slot_bytes(SIM_SLOT_32);
    }
    free(in);
}
