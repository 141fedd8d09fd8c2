/* A kernel's PTX becomes an image: dense instructions over slots, grouped in segments.
 *
 *   kernel --which functions can it reach--> functions --per function--> slots for registers
 *     --per instruction, by its family of ops.def--> sim_insn's --per basic block--> sim_seg's
 *
 * A register that only ever copies something else (a special register, a parameter, an immediate,
 * another register written once) gets no slot: its readers read the original. So the moves,
 * parameter loads and address conversions that compilers leave behind cost nothing, though they are
 * counted. This relies on what SSA gives: a register written once is written before it is read.
 *
 * Families of instructions are decoded in decode_*.c; this file has the frame around them and the
 * plain "one row" family. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runner/base/message.h"
#include "runner/sim/exec/lanes.h"
#include "runner/sim/native/native.h"

/* ---- memory: everything an image holds goes with it ---- */

typedef struct chunk {
    struct chunk *next;
    max_align_t data[];
} chunk;

void *sim_image_alloc(sim_image *im, size_t n) {
    chunk *c = calloc(1, sizeof *c + n);
    if (!c) return NULL;
    c->next = im->arena;
    im->arena = c;
    return c->data;
}

void sim_image_free(sim_image *im) {
    if (!im) return;
    sim_native_image_free(im->native);
    for (chunk *c = im->arena, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (size_t i = 0; i < im->func_count; i++) free(im->funcs[i].insns);
    free(im->funcs);
    free(im->pool);
    free(im->pool_index);
    free(im->params);
    free(im->shared_vars);
    free(im->shared_at);
    free(im);
}

void sim_decode_fail(sim_decoder *d, const char *fmt, ...) {
    if (d->failed) return;
    d->failed = true;
    char what[512], text[256] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (d->insn) ptx_disassemble(d->ptx, d->insn, text, sizeof text);
    snprintf(d->msg->text, sizeof d->msg->text, "PTX line %u: %s%s%s%s",
             d->insn  ? d->insn->ptx_line
             : d->ptx ? d->ptx->ptx_line
                      : 0,
             what, *text ? " (" : "", text, *text ? ")" : "");
}

bool sim_decode_grow(sim_decoder *d, void *array, size_t *cap, size_t need, size_t size) {
    if (need <= *cap) return true;
    size_t n = *cap ? *cap * 2 : 64;
    if (n < need) n = need;
    /* Whatever it points to: the layer is compiled without strict aliasing. */
    void **at = array, *more = realloc(*at, n * size);
    if (!more) {
        sim_decode_fail(d, "out of memory");
        return false;
    }
    *at = more;
    *cap = n;
    return true;
}

/* ---- which registers need a slot ---- */

static void count_defs(sim_decoder *d, const ptx_opnd *o) {
    if (o->kind == PTX_OPND_REG) d->defs[o->reg]++;
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) count_defs(d, &o->elem[k]);
}

/* What register `dst` of a copying instruction is a copy of: true, and *reg >= 0 or *at says
 * what. */
static bool copy_of(sim_decoder *d, const ptx_insn *p, int32_t *reg, sim_opnd *at) {
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
        if (sim_clock_handler((unsigned)src->sreg) ||
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

static void assign_slots(sim_decoder *d) {
    const ptx_func *f = d->ptx;
    size_t n = f->reg_count ? f->reg_count : 1;
    int32_t *copies = sim_image_alloc(d->image, n * sizeof *copies);
    sim_opnd *own = sim_image_alloc(d->image, n * sizeof *own),
             *at = sim_image_alloc(d->image, n * sizeof *at);
    d->defs = sim_image_alloc(d->image, n * sizeof *d->defs);
    if (!copies || !own || !at || !d->defs) {
        sim_decode_fail(d, "out of memory");
        return;
    }
    d->reg_at = at;
    d->reg_slot = own;
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *p = &f->insns[k];
        if (!sim_has_destination(p)) continue;
        count_defs(d, &p->opnd[0]);
        if (p->flags >> PTX_F_PAIR & 1) count_defs(d, &p->opnd[1]);
    }
    for (size_t r = 0; r < f->reg_count; r++) {
        copies[r] = -1;
        own[r] = at[r] = SIM_NO_SLOT;
    }
    for (size_t k = 0; k < f->insn_count && !d->failed; k++) {
        int32_t reg;
        sim_opnd where = 0;
        d->insn = &f->insns[k];
        if (!copy_of(d, d->insn, &reg, &where)) continue;
        int32_t dst = d->insn->opnd[0].reg;
        if (reg >= 0) copies[dst] = reg;
        else at[dst] = where;
    }
    d->insn = NULL;
    for (size_t r = 0; r < f->reg_count;
         r++) { /* cut rings of copies: nothing ever gave them a value */
        int32_t x = (int32_t)r;
        for (size_t steps = 0; copies[x] >= 0; x = copies[x])
            if (++steps > f->reg_count) {
                copies[r] = -1;
                break;
            }
    }
    for (size_t r = 0; r < f->reg_count; r++) {
        if (copies[r] >= 0 || at[r] != SIM_NO_SLOT) continue;
        own[r] = at[r] = sim_opnd_make(d->temps, SIM_BASE_REGS);
        d->temps += sim_slot_bytes(sim_slot_of(f->reg_type[r]));
    }
    for (size_t r = 0; r < f->reg_count; r++) {
        int32_t x = (int32_t)r;
        while (copies[x] >= 0) x = copies[x];
        at[r] = at[x];
    }
}

/* ---- registers that some path reads before it writes them: they start as zero, so that no run depends on an
 * earlier one ------------- */

static void find_unwritten(sim_decoder *d) {
    const ptx_func *f = d->ptx;
    sim_func *to = d->func;
    size_t words;
    uint64_t *in = sim_live_in(f, &words);
    to->zero = sim_image_alloc(d->image, (f->reg_count + 1) * 2 * sizeof *to->zero);
    if (!in || !to->zero) {
        sim_decode_fail(d, "out of memory");
        free(in);
        return;
    }
    for (size_t r = 0; f->block_count && r < f->reg_count; r++)
        if (in[r / 64] >> (r % 64) & 1 && d->reg_slot[r] != SIM_NO_SLOT) {
            to->zero[2 * to->zero_count] = d->reg_slot[r] >> 2;
            to->zero[2 * to->zero_count++ + 1] = sim_slot_bytes(sim_slot_of(f->reg_type[r]));
        }
    to->zero[2 * to->zero_count] = d->carry >> 2;
    to->zero[2 * to->zero_count++ + 1] = sim_slot_bytes(SIM_SLOT_PRED);
    free(in);
}

/* ---- a function: blocks to segments ---- */

/* Instructions under a guard: R[..] only for the lanes whose guard holds. */
static void exec_guarded(sim_warp *w, const sim_insn *i) {
    uint32_t m = w->mask, on = m & (PRED(i->guard) ^ i->guard_xor);
    if (i->guard_id) w->worker->guards[i->guard_id] += (unsigned)__builtin_popcount(on);
    if (!on) return;
    w->mask = on;
    i->inner[(on | ~w->live) != SIM_ALL_LANES](w, i);
    w->mask = m;
}

static void guard(sim_decoder *d, uint32_t from, bool to_end) {
    const ptx_insn *p = d->insn;
    sim_func *f = d->func;
    for (uint32_t k = from; k < f->insn_count; k++) {
        sim_insn *i = &f->insns[k];
        i->guard = d->reg_at[p->guard];
        i->guard_xor = p->guard_negated ? SIM_ALL_LANES : 0;
        if (to_end && k + 1 == f->insn_count)
            break; /* the segment's end looks at the guard itself */
        i->inner[0] = i->fn[0];
        i->inner[1] = i->fn[1];
        i->fn[0] = i->fn[1] = exec_guarded;
        if (k + 1 == f->insn_count) {
            i->guard_id = ++d->image->guard_count;
            f->guard_of[p - d->ptx->insns] = i->guard_id;
        }
    }
}

/* A branch that only skips a few plain instructions: the assembler predicates them instead. */
static bool is_short_if(const ptx_func *f, const ptx_block *b) {
    enum { SHORT = 7 };
    if (b->succ[0] < 0 || b->succ[1] < 0 || b->back_edge) return false;
    const ptx_block *skip = &f->blocks[b->succ[1]], *join = &f->blocks[b->succ[0]];
    if (join->first == join->last &&
        (f->insns[join->first].op == PTX_OP_ret || f->insns[join->first].op == PTX_OP_exit))
        return true;
    if (skip->succ[0] >= 0 && skip->succ[1] >= 0) return false;
    int32_t after = skip->succ[0] >= 0 ? skip->succ[0] : skip->succ[1];
    if (after != b->succ[0]) return false;
    unsigned cost = 0;
    for (uint32_t k = skip->first; k <= skip->last; k++) {
        /* shifts, moves and widening multiplies become part of the addresses' arithmetic */
        const ptx_insn *p = &f->insns[k];
        cost += !(p->op == PTX_OP_shl || p->op == PTX_OP_bra || p->klass == PTX_CLASS_MOVE ||
                  p->flags >> PTX_F_wide & 1);
        switch (p->klass) {
        case PTX_CLASS_CALL:
        case PTX_CLASS_BARRIER:
        case PTX_CLASS_IDIV:
        case PTX_CLASS_FDIV:
        case PTX_CLASS_DDIV:
        case PTX_CLASS_SHUFFLE: return false;
        default: break;
        }
    }
    return cost <= SHORT;
}

/* sim_seg.acts */
static bool acts(const ptx_insn *p) {
    switch (p->klass) {
    case PTX_CLASS_STORE: return p->space != PTX_SPACE_PARAM;
    case PTX_CLASS_ASYNC:
        return p->op != PTX_OP_mbarrier_test_wait && p->op != PTX_OP_mbarrier_try_wait;
    case PTX_CLASS_TEX: return true;
    case PTX_CLASS_CALL:
        return p->op == PTX_OP_call &&
               (p->opnd[1].kind != PTX_OPND_FUNC || !p->opnd[1].func || !p->opnd[1].func->has_body);
    case PTX_CLASS_MOVE:
    case PTX_CLASS_CONVERT:
        for (unsigned k = 0; k < p->nopnds; k++)
            if (p->opnd[k].kind == PTX_OPND_SREG && sim_clock_handler((unsigned)p->opnd[k].sreg))
                return true;
        return false;
    default: return false;
    }
}

static void decode_function(sim_decoder *d, sim_func *f) {
    const ptx_func *p = d->ptx = f->ptx;
    d->func = f;
    d->insn = NULL;
    d->temps = 0;
    d->fix_count = 0;
    d->carry = sim_temp(d, SIM_SLOT_PRED);
    d->sink = sim_temp(d, SIM_SLOT_64);
    assign_slots(d);
    if (d->failed) return;
    f->reg_at = d->reg_at;
    find_unwritten(d);
    size_t segs = p->block_count + 1;
    for (size_t k = 0; k < p->insn_count; k++) segs += sim_decode_end(&p->insns[k]) != SIM_END_FALL;
    f->segs = sim_image_alloc(d->image, segs * sizeof *f->segs);
    f->guard_of = sim_image_alloc(d->image, (p->insn_count + 1) * sizeof *f->guard_of);
    uint32_t *first_seg = sim_image_alloc(d->image, (p->block_count + 1) * sizeof *first_seg);
    uint32_t *by_order = sim_image_alloc(d->image, (p->block_count + 1) * sizeof *by_order);
    if (d->failed || !f->segs || !f->guard_of || !first_seg || !by_order) {
        sim_decode_fail(d, "out of memory");
        return;
    }
    for (uint32_t b = 0; b < p->block_count && !d->failed; b++) {
        const ptx_block *x = &p->blocks[b];
        first_seg[b] = f->seg_count;
        sim_seg *s = &f->segs[f->seg_count++];
        *s = (sim_seg){.first = f->insn_count, .ptx_first = x->first};
        for (uint32_t k = x->first; k <= x->last && !d->failed; k++) {
            uint32_t from = f->insn_count;
            d->insn = &p->insns[k];
            sim_end end = sim_decode_end(d->insn);
            sim_decode_insn(d);
            s->ptx_count++;
            s->acts |= acts(d->insn);
            if (end == SIM_END_FALL) {
                sim_flush_fixes(d);
                if (d->insn->guard >= 0) guard(d, from, false);
                continue;
            }
            if (d->fix_count)
                sim_decode_fail(d, "the destination's register is wider than the result");
            if (d->insn->guard >= 0) guard(d, from, true);
            s->end = (uint8_t)end;
            s->guarded = d->insn->guard >= 0;
            s->count = f->insn_count - 1 - s->first;
            if (k < x->last) {
                s->next = f->seg_count;
                s = &f->segs[f->seg_count++];
                *s = (sim_seg){.first = f->insn_count, .ptx_first = k + 1};
            }
        }
        if (s->end == SIM_END_FALL) s->count = f->insn_count - s->first;
    }
    d->insn = NULL;
    if (d->failed) return;
    /* behind the last instruction stands a return */
    sim_seg *last = &f->segs[f->seg_count++];
    *last =
        (sim_seg){.first = f->insn_count, .end = SIM_END_RET, .ptx_first = (uint32_t)p->insn_count};
    first_seg[p->block_count] = f->seg_count - 1;
    sim_emit(d, NULL, NULL);
    for (uint32_t b = 0; b < p->block_count; b++) by_order[b] = b;
    for (uint32_t b = 0; b < p->block_count;
         b++) /* orders are a permutation; unreachable blocks, if any, keep their place */
        if (p->blocks[b].order < p->block_count) by_order[p->blocks[b].order] = b;
    uint32_t order = 0;
    for (uint32_t o = 0; o < p->block_count; o++) {
        uint32_t b = by_order[o], end = b + 1 <= p->block_count ? first_seg[b + 1] : 0;
        for (uint32_t k = first_seg[b]; k < end; k++) f->segs[k].order = order++;
    }
    last->order = order;
    for (uint32_t b = 0; b < p->block_count; b++) {
        const ptx_block *x = &p->blocks[b];
        sim_seg *s = &f->segs[first_seg[b + 1] - 1];
        s->next = x->succ[1] >= 0 ? first_seg[x->succ[1]] : f->seg_count - 1;
        if (s->end == SIM_END_FALL) {
            if (x->succ[1] < 0 && x->succ[0] >= 0) s->next = first_seg[x->succ[0]];
        } else if (s->end == SIM_END_BRA || s->end == SIM_END_CBRA) {
            s->target = x->succ[0] >= 0 ? first_seg[x->succ[0]] : f->seg_count - 1;
        } else if (s->end == SIM_END_BRX) {
            sim_targets *t =
                sim_image_alloc(d->image, sizeof *t + x->target_count * sizeof *t->seg);
            if (!t) {
                sim_decode_fail(d, "out of memory");
                return;
            }
            const ptx_insn *brx = &p->insns[x->last];
            const ptx_opnd *labels = &brx->opnd[1];
            t->count = x->target_count;
            for (uint32_t k = 0; k < x->target_count; k++)
                t->seg[k] = labels->labels && k < (uint32_t)labels->offset &&
                                    labels->labels[k] < p->insn_count
                                ? first_seg[p->block_of[labels->labels[k]]]
                                : f->seg_count - 1;
            f->insns[s->first + s->count].aux = t;
        }
        s->back = x->back_edge;
        s->spin = x->spin_loop;
        s->machine = s->end == SIM_END_CBRA && !is_short_if(p, x);
    }
    for (uint32_t k = 0; k < f->seg_count; k++) f->segs[k].id = d->image->seg_count++;
    f->call_at = d->temps;
    f->call_bytes = (p->call_param_bytes + 15u) & ~15u;
    f->param_bytes = p->entry ? 0 : (p->param_bytes + 15u) & ~15u;
    f->ret_bytes = (p->ret_bytes + 15u) & ~15u;
    f->param_at = f->call_at + f->call_bytes * SIM_WARP_LANES;
    f->ret_at = f->param_at + f->param_bytes * SIM_WARP_LANES;
    f->frame_bytes = (f->ret_at + f->ret_bytes * SIM_WARP_LANES + 63u) & ~63u;
}

/* ---- a kernel: the functions it reaches, its shared memory ---- */

static bool add_function(sim_decoder *d, const ptx_func *f, size_t *cap) {
    sim_image *im = d->image;
    for (size_t k = 0; k < im->func_count; k++)
        if (im->funcs[k].ptx == f) return true;
    if (!sim_decode_grow(d, &im->funcs, cap, im->func_count + 1, sizeof *im->funcs)) return false;
    im->funcs[im->func_count] =
        (sim_func){.ptx = f, .image = im, .index = (uint32_t)im->func_count};
    uint32_t base = 0;
    for (size_t k = 0; k < im->module->func_count && im->module->funcs[k] != f; k++)
        base += (uint32_t)im->module->funcs[k]->insn_count;
    im->funcs[im->func_count++].pc_base = base;
    return true;
}

static bool lay_shared(sim_decoder *d, const ptx_var *v, bool dynamic) {
    sim_image *im = d->image;
    if (v->space != PTX_SPACE_SHARED || (v->bytes == 0) != dynamic) return true;
    for (size_t k = 0; k < im->shared_count; k++)
        if (im->shared_vars[k] == v) return true;
    size_t cap = im->shared_cap, cap2 = im->shared_cap;
    if (!sim_decode_grow(d, &im->shared_vars, &cap, im->shared_count + 1, sizeof(ptx_var *)) ||
        !sim_decode_grow(d, &im->shared_at, &cap2, im->shared_count + 1, sizeof *im->shared_at))
        return false;
    im->shared_cap = cap;
    uint64_t align = v->align ? v->align : 1, at = (im->static_shared + align - 1) / align * align;
    if (at + v->bytes > UINT32_MAX / 2) {
        sim_decode_fail(d, "too much shared memory");
        return false;
    }
    im->shared_vars[im->shared_count] = v;
    im->shared_at[im->shared_count++] = (uint32_t)at;
    if (dynamic) im->uses_dynamic_shared = true; /* all of them start where the static part ends */
    else im->static_shared = (uint32_t)(at + v->bytes);
    return true;
}

static void scan(sim_decoder *d, const ptx_opnd *o, bool shared, bool dynamic, size_t *cap) {
    if (o->kind == PTX_OPND_VEC)
        for (unsigned k = 0; k < o->count; k++) scan(d, &o->elem[k], shared, dynamic, cap);
    if (shared && o->var && (o->kind == PTX_OPND_VAR || o->kind == PTX_OPND_ADDR))
        lay_shared(d, o->var, dynamic);
    if (!shared && o->kind == PTX_OPND_FUNC && o->func && o->func->has_body && !o->func->entry)
        add_function(d, o->func, cap);
}

static void scan_function(sim_decoder *d, const ptx_func *f, bool shared, bool dynamic,
                          size_t *cap) {
    for (size_t i = 0; i < f->insn_count; i++) {
        const ptx_insn *p = &f->insns[i];
        for (unsigned o = 0; o < p->nopnds; o++) scan(d, &p->opnd[o], shared, dynamic, cap);
        if (p->op != PTX_OP_call || shared) continue;
        d->image->has_calls = true;
        if (p->opnd[1].kind == PTX_OPND_FUNC && sim_builtin_ordered(p->opnd[1].func->name))
            d->image->serial = true;
        if (p->opnd[1].kind == PTX_OPND_REG) /* anything may be called */
            for (size_t k = 0; k < d->image->module->func_count; k++) {
                const ptx_func *g = d->image->module->funcs[k];
                if (g->has_body && !g->entry) add_function(d, g, cap);
            }
    }
}

sim_image *sim_image_new(sim_module *m, const ptx_func *kernel, lib_message *msg) {
    sim_image *im = calloc(1, sizeof *im);
    msg->text[0] = 0;
    if (!im) {
        snprintf(msg->text, sizeof msg->text, "out of memory");
        return NULL;
    }
    im->owner = m;
    im->module = m->ptx;
    im->block_bytes = SIM_BS_COUNT * 128;
    sim_decoder d = {.image = im, .isa = m->device->isa, .msg = msg};
    size_t cap = 0;
    add_function(&d, kernel, &cap);
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, false, false, &cap);
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, true, false, NULL);
    uint32_t fixed = im->static_shared;
    for (size_t k = 0; k < im->func_count && !d.failed; k++)
        scan_function(&d, im->funcs[k].ptx, true, true, NULL);
    im->static_shared = fixed;
    for (size_t k = 0; k < im->func_count && !d.failed; k++) {
        const ptx_func *f = im->funcs[k].ptx;
        decode_function(&d, &im->funcs[k]);
        im->serial |= f->uses_global_atomics_result;
        for (size_t b = 0; b < f->block_count; b++) im->serial |= f->blocks[b].spin_loop;
        uint32_t local = (f->local_bytes + 15u) & ~15u;
        im->local_bytes = k ? im->local_bytes : local;
    }
    if (!d.failed) {
        im->native = sim_native_image_new(m->device->native, im);
        return im;
    }
    sim_image_free(im);
    return NULL;
}
