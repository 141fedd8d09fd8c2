/* Turns a function's blocks of PTX into segments of instructions.
 *
 *   block --per instruction, by its row of ops.def--> sim_insn's --until one ends a segment-->
 *         sim_seg --all blocks--> order, branch targets, layout of a frame */
#include "runner/device/sim/decode/segments.h"
#include "runner/device/sim/decode/decode.h"
#include "runner/device/sim/decode/families.h"
#include "runner/device/sim/decode/slots.h"
#include "runner/device/sim/exec/lanes.h"

/* ---- guards ---- */

/* Instructions with a guard: R[..] only for the lanes whose guard holds. */
static void exec_guarded(sim_warp *w, const sim_insn *i) {
    uint32_t m = w->mask, on = m & (PRED(i->guard) ^ i->guard_xor);
    if (i->guard_id) w->worker->guards[i->guard_id] += (unsigned)__builtin_popcount(on);
    if (!on) return;
    if (i->mark) w->marks[i->mark - 1] |= on;
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
        /* the segment's end checks the guard itself */
        if (to_end && k + 1 == f->insn_count) break;
        i->inner[0] = i->fn[0];
        i->inner[1] = i->fn[1];
        i->fn[0] = i->fn[1] = exec_guarded;
        if (k + 1 == f->insn_count) {
            i->guard_id = ++d->image->guard_count;
            f->guard_of[p - d->ptx->insns] = i->guard_id;
        }
    }
}

/* ---- what a segment knows of its instructions ---- */

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
        /* shifts, moves and widening multiplies become part of the address arithmetic */
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
static bool acts(const sim_decoder *d) {
    const ptx_insn *p = d->insn;
    switch (p->klass) {
    case PTX_CLASS_STORE: return p->space != PTX_SPACE_PARAM;
    case PTX_CLASS_ASYNC:
    case PTX_CLASS_TEX: return true;
    case PTX_CLASS_CALL:
        return p->op == PTX_OP_call &&
               (p->opnd[1].kind != PTX_OPND_FUNC || !p->opnd[1].func || !p->opnd[1].func->has_body);
    case PTX_CLASS_MOVE:
    case PTX_CLASS_CONVERT:
        for (unsigned k = 0; k < p->nopnds; k++)
            if (p->opnd[k].kind == PTX_OPND_SREG &&
                sim_clock_handler(d->isa, (unsigned)p->opnd[k].sreg))
                return true;
        return false;
    default: return false;
    }
}

/* ---- blocks to segments ---- */

/* Makes room for the segments of a function, and finds the first one of each block. Returns NULL if
 * memory is out. */
static uint32_t *segments_begin(sim_decoder *d, sim_func *f) {
    const ptx_func *p = f->ptx;
    size_t segs = p->block_count + 1;
    for (size_t k = 0; k < p->insn_count; k++) segs += sim_decode_end(&p->insns[k]) != SIM_END_FALL;
    f->segs = sim_image_alloc(d->image, segs * sizeof *f->segs);
    f->guard_of = sim_image_alloc(d->image, (p->insn_count + 1) * sizeof *f->guard_of);
    uint32_t *first = sim_image_alloc(d->image, (p->block_count + 1) * sizeof *first);
    if (!d->failed && f->segs && f->guard_of && first) return first;
    sim_decode_fail(d, "out of memory");
    return NULL;
}

static sim_seg *segment_add(sim_func *f, uint32_t ptx_first) {
    sim_seg *s = &f->segs[f->seg_count++];
    *s = (sim_seg){.first = f->insn_count, .ptx_first = ptx_first};
    return s;
}

/* Decodes one instruction into s. Returns whether it ends the segment. */
static bool segment_take(sim_decoder *d, sim_seg *s) {
    sim_func *f = d->func;
    uint32_t from = f->insn_count;
    sim_end end = sim_decode_end(d->insn);
    sim_decode_insn(d);
    s->ptx_count++;
    s->acts |= acts(d);
    if (end == SIM_END_FALL) {
        sim_flush_fixes(d);
        if (d->insn->guard >= 0) guard(d, from, false);
        return false;
    }
    if (d->fix_count) sim_decode_fail(d, "the destination's register is wider than the result");
    if (d->insn->guard >= 0) guard(d, from, true);
    s->end = (uint8_t)end;
    s->guarded = d->insn->guard >= 0;
    s->count = f->insn_count - 1 - s->first;
    return true;
}

/* The segment is complete: tells its clock readings how many of its instructions follow them. */
static void segment_clocks(const sim_func *f, const sim_seg *s) {
    const ptx_insn *end = f->ptx->insns + s->ptx_first + s->ptx_count;
    for (uint32_t k = s->first; k < s->first + s->count; k++) {
        sim_insn *i = &f->insns[k];
        if (sim_is_clock(i->fn[0]) || sim_is_clock(i->inner[0]))
            i->imm = (uint32_t)(end - i->ptx - 1);
    }
}

static void segment_block(sim_decoder *d, const ptx_block *x) {
    sim_func *f = d->func;
    sim_seg *s = segment_add(f, x->first);
    s->looks = x->looks;
    s->waits = x->waits, s->asks = x->asks;
    for (uint32_t k = x->first; k <= x->last && !d->failed; k++) {
        d->insn = &f->ptx->insns[k];
        if (segment_take(d, s) && k < x->last) {
            s->next = f->seg_count;
            s = segment_add(f, k + 1);
            s->waits = x->waits, s->asks = x->asks;
        }
    }
    if (s->end == SIM_END_FALL) s->count = f->insn_count - s->first;
}

/* ---- successors ---- */

/* Numbers segments in the blocks' reading order. Returns false if memory is out. */
static bool segments_order(sim_decoder *d, const uint32_t *first) {
    sim_func *f = d->func;
    const ptx_func *p = f->ptx;
    uint32_t *by_order = sim_decode_alloc(d, (p->block_count + 1) * sizeof *by_order);
    if (!by_order) return false;
    for (uint32_t b = 0; b < p->block_count; b++) by_order[b] = b;
    /* orders are a permutation; unreachable blocks, if any, keep their places */
    for (uint32_t b = 0; b < p->block_count; b++)
        if (p->blocks[b].order < p->block_count) by_order[p->blocks[b].order] = b;
    uint32_t order = 0;
    for (uint32_t o = 0; o < p->block_count; o++)
        for (uint32_t k = first[by_order[o]]; k < first[by_order[o] + 1]; k++)
            f->segs[k].order = order++;
    f->segs[f->seg_count - 1].order = order;
    return true;
}

/* Returns the segments of a brx.idx's labels. */
static const sim_targets *segment_targets(sim_decoder *d, const ptx_block *x,
                                          const uint32_t *first) {
    const ptx_func *p = d->ptx;
    sim_targets *t = sim_decode_alloc(d, sizeof *t + x->target_count * sizeof *t->seg);
    if (!t) return NULL;
    const ptx_opnd *labels = &p->insns[x->last].opnd[1];
    t->count = x->target_count;
    for (uint32_t k = 0; k < x->target_count; k++)
        t->seg[k] =
            labels->labels && k < (uint32_t)labels->offset && labels->labels[k] < p->insn_count
                ? first[p->block_of[labels->labels[k]]]
                : d->func->seg_count - 1;
    return t;
}

/* Returns the only load of global memory in a loop that polls, which the branch of x closes, if it
 * stands in the loop's first block; or NULL. */
static const sim_insn *segment_polled(const sim_func *f, const ptx_block *x,
                                      const uint32_t *first) {
    enum { MOST = 64 };
    const sim_insn *load = NULL;
    if (!x->polls || x->carries || !x->back_edge || x->loop_head < 0) return NULL;
    const sim_insn *i = &f->insns[f->segs[first[x->loop_head]].first],
                   *end = &f->insns[f->segs[first[x->loop_head + 1]].first];
    if (end - i > MOST) return NULL;
    for (; i < end; i++) {
        if (!i->site || i->ptx->klass != PTX_CLASS_LOAD || i->inner[0]) continue;
        bool global = i->site->space == SIM_SPACE_GLOBAL || i->site->space == SIM_SPACE_GENERIC;
        if (load || !global) return NULL;
        load = i;
    }
    return load;
}

/* Links the last segment of block x to its successors. */
static void segment_link(sim_decoder *d, sim_seg *s, const ptx_block *x, const uint32_t *first) {
    sim_func *f = d->func;
    uint32_t leave = f->seg_count - 1;
    s->next = x->succ[1] >= 0 ? first[x->succ[1]] : leave;
    if (s->end == SIM_END_FALL) {
        if (x->succ[1] < 0 && x->succ[0] >= 0) s->next = first[x->succ[0]];
    } else if (s->end == SIM_END_BRA || s->end == SIM_END_CBRA) {
        s->target = x->succ[0] >= 0 ? first[x->succ[0]] : leave;
    } else if (s->end == SIM_END_BRX) {
        f->insns[s->first + s->count].aux = segment_targets(d, x, first);
    }
    s->back = x->back_edge;
    s->spin = x->spin_loop;
    s->round =
        s->end == SIM_END_CBRA && s->guarded && s->back && !s->spin && &f->segs[s->target] == s;
    s->polls = x->polls && !x->carries;
    s->polled = segment_polled(f, x, first);
    s->again = x->again;
    s->machine = s->end == SIM_END_CBRA && !is_short_if(f->ptx, x);
}

/* Registers and temporaries, then the lane-major areas of parameters. */
static void lay_frame(sim_func *f, uint32_t temps) {
    const ptx_func *p = f->ptx;
    f->call_at = temps;
    f->call_bytes = (p->call_param_bytes + 15u) & ~15u;
    f->param_bytes = p->entry ? 0 : (p->param_bytes + 15u) & ~15u;
    f->ret_bytes = (p->ret_bytes + 15u) & ~15u;
    f->param_at = f->call_at + f->call_bytes * SIM_WARP_LANES;
    f->ret_at = f->param_at + f->param_bytes * SIM_WARP_LANES;
    f->frame_bytes = (f->ret_at + f->ret_bytes * SIM_WARP_LANES + 63u) & ~63u;
}

static bool moves_stack(const ptx_func *p) {
    for (size_t k = 0; k < p->insn_count; k++)
        if (p->insns[k].op >= PTX_OP_alloca && p->insns[k].op <= PTX_OP_stackrestore) return true;
    return false;
}

void sim_decode_function(sim_decoder *d, sim_func *f) {
    const ptx_func *p = d->ptx = f->ptx;
    d->func = f;
    d->insn = NULL;
    d->temps = 0;
    d->fix_count = 0;
    d->matrix_room = SIM_NO_SLOT;
    d->carry = sim_temp(d, SIM_SLOT_PRED);
    d->sink = sim_temp(d, SIM_SLOT_64);
    f->stack = moves_stack(p) ? sim_temp(d, SIM_SLOT_32) : SIM_NO_SLOT;
    d->image->allocates |= f->stack != SIM_NO_SLOT;
    sim_assign_slots(d);
    if (d->failed) return;
    f->reg_at = d->reg_at;
    sim_find_unwritten(d);
    uint32_t *first = segments_begin(d, f);
    if (!first) return;
    for (uint32_t b = 0; b < p->block_count && !d->failed && !sim_decode_stopped(d); b++) {
        first[b] = f->seg_count;
        segment_block(d, &p->blocks[b]);
    }
    d->insn = NULL;
    if (d->failed) return;
    /* a return follows the last instruction */
    segment_add(f, (uint32_t)p->insn_count)->end = SIM_END_RET;
    first[p->block_count] = f->seg_count - 1;
    sim_emit(d, NULL, NULL);
    if (!segments_order(d, first)) return;
    for (uint32_t b = 0; b < p->block_count && !d->failed; b++)
        segment_link(d, &f->segs[first[b + 1] - 1], &p->blocks[b], first);
    for (uint32_t k = 0; k < f->seg_count; k++) {
        segment_clocks(f, &f->segs[k]);
        f->segs[k].id = d->image->seg_count++;
    }
    lay_frame(f, d->temps);
    sim_decode_marks(d, f);
}
