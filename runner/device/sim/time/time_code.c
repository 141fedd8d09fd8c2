/* PTX instructions as the machine sees them: what each costs, which are predicated, which run as a
 * whole.
 *
 *   per function: registers, merged instructions (time_fold.c)
 *                 --cost()--> time_cost.def's row, in cycles of the profile
 *                 --regions--> runs of instructions without a way in or out between
 *                 --time_order.c--> the order of issue
 *
 * PTX is not machine code. These files model only those habits of the assembler that matter for
 * time; each is named where it is used. */
#include "runner/device/sim/time/time_build.h"
#include "runner/base/buffer.h"
#include "runner/device/sim/ptx/fragment.h"
#include "runner/device/sim/time/trace.h"
#include "runner/device/sim/load/resources.h"
#include <stdlib.h>
#include <string.h>

/* Cycles until a predicate can guard an instruction or a branch, as a multiple of an addition's
 * latency: ptxas for sm_90 puts 13 cycles between the two, and 4 if a selection or another
 * comparison reads it (the control fields of 270 kernels). */
#define GUARD_LATENCY (13 / 4.1)

/* ---- costs ---- */

typedef struct {
    uint16_t op;
    uint8_t klass, type, pipe;
    int8_t flag;
    float slots, units, xu, latency;
} cost_row;
enum { COST_W64 = 255 };
#define PTX_W64 COST_W64
static const cost_row cost_rows[] = {
#define COST(op, klass, type, flag, pipe, slots, units, xu, latency)                               \
    {PTX_OP_##op, PTX_CLASS_##klass, PTX_##type, TIME_PIPE_##pipe, flag, slots, units, xu, latency},
#include "runner/device/sim/time/time_cost.def"
#undef COST
};

/* On devices with 32-bit addresses, the 64-bit sums that modern code makes for them cost as much as
 * 32-bit sums. */
static const cost_row *time_row_of(const sim_profile *p, const ptx_insn *i) {
    bool narrow = p->narrow_addresses && i->klass == PTX_CLASS_INT;
    for (unsigned k = 0; k < sizeof cost_rows / sizeof *cost_rows; k++) {
        const cost_row *r = &cost_rows[k];
        if (r->klass != i->klass || (r->op != PTX_OP_none && r->op != i->op)) continue;
        if (r->type == COST_W64 ? ptx_type_size(i->type[0]) != 8 || narrow
                                : r->type != PTX_NONE && r->type != i->type[0])
            continue;
        if (r->flag >= 0 && !time_flag(i, (unsigned)r->flag)) continue;
        return r;
    }
    return &cost_rows[0];
}

static double pipe_rate(const sim_profile *p, unsigned pipe) {
    switch (pipe) {
    case TIME_PIPE_FMA: return p->rate_fp32;
    case TIME_PIPE_IMUL: return p->rate_imul;
    case TIME_PIPE_XU: return p->rate_sfu;
    case TIME_PIPE_FP64: return p->rate_fp64;
    case TIME_PIPE_HALF: return p->rate_fp16;
    default: return p->rate_int;
    }
}
static double pipe_latency(const sim_profile *p, unsigned pipe) {
    switch (pipe) {
    case TIME_PIPE_NONE: return 0;
    case TIME_PIPE_IMUL: return p->lat_imul;
    case TIME_PIPE_XU: return p->lat_sfu;
    case TIME_PIPE_FP64: return p->lat_fp64;
    default: return p->lat_alu;
    }
}

static void set_cost(const sim_profile *p, time_op *o, unsigned pipe, double slots, double units,
                     double xu, double latency) {
    o->slots = (float)(slots * p->schedulers / p->issue_per_cycle);
    o->busy = (float)(units * p->schedulers / pipe_rate(p, pipe));
    o->xu = (float)(xu * p->schedulers / p->rate_sfu);
    o->latency = (float)(pipe_latency(p, pipe) + latency * p->lat_alu / 4.1);
    o->pipe =
        (uint8_t)(p->one_pipe && pipe != TIME_PIPE_XU && pipe != TIME_PIPE_NONE ? TIME_PIPE_ALU
                                                                                : pipe);
}

/* A product of twice the width (IMAD.WIDE, IMAD.HI) occupies the dispatch port for longer. */
static void hold_port(const sim_profile *p, time_op *o) {
    o->held = (float)(p->wide_held_cycles * p->schedulers / p->issue_per_cycle);
}

static void convert_cost(const sim_profile *p, const ptx_insn *i, time_op *o) {
    ptx_type to = i->type[0], from = i->ntypes > 1 ? i->type[1] : PTX_NONE;
    bool ff = from == PTX_F32 || from == PTX_F64 || from == PTX_F16 || from == PTX_BF16,
         tf = to == PTX_F32 || to == PTX_F64 || to == PTX_F16 || to == PTX_BF16;
    if (!ff && !tf) { /* between integers: a sign's copy, a mask */
        set_cost(p, o, TIME_PIPE_EITHER, 1, 1, 0, 0);
    } else if (ptx_type_size(to) == 8 || ptx_type_size(from) == 8) {
        set_cost(p, o, TIME_PIPE_XU, 1, p->rate_sfu / p->rate_convert, 0, 1);
    } else if (ff && tf && to == from && i->field[PTX_FIELD_ROUND]) { /* FRND, on the unit of F2I */
        set_cost(p, o, TIME_PIPE_XU, 1, p->rate_sfu / p->rate_convert, 0, 1);
    } else if (ff && tf) { /* halves and floats: packed conversions of the ALU */
        set_cost(p, o, TIME_PIPE_ALU, 1, 1, 0, 1);
    } else if (!ff && tf && p->int_to_float_alu) { /* I2FP */
        set_cost(p, o, TIME_PIPE_ALU, 1, 1, 0, 2);
    } else set_cost(p, o, TIME_PIPE_XU, 1, p->rate_sfu / p->rate_convert, 0, 1);
}

static int32_t loop_of(const ptx_func *f, uint32_t n) {
    return f->block_of && f->blocks ? f->blocks[f->block_of[n]].loop_head : -1;
}

/* The divisor's reciprocal exists already: the divisor does not change in the loop, or the same
 * block has divided by it. */
static bool divided_before(const time_builder *b, uint32_t n) {
    enum { LOOK_BACK = 256 };
    const ptx_insn *i = &b->f->insns[n];
    uint32_t from = b->f->block_of && b->f->blocks ? b->f->blocks[b->f->block_of[n]].first : n;
    for (uint32_t k = n; k > from && n - k < LOOK_BACK;) {
        const ptx_insn *x = &b->f->insns[--k];
        if (x->klass == PTX_CLASS_IDIV && x->type[0] == i->type[0] && x->nopnds > 2 &&
            x->opnd[2].kind == PTX_OPND_REG && x->opnd[2].reg == i->opnd[2].reg)
            return true;
    }
    return false;
}
static bool divisor_is_known(const time_builder *b, uint32_t n) {
    const ptx_insn *i = &b->f->insns[n];
    if (i->nopnds < 3) return false;
    const ptx_opnd *o = &i->opnd[2];
    if (o->kind == PTX_OPND_IMM) return true;
    if (o->kind != PTX_OPND_REG || o->reg < 0 || b->reg[o->reg].defs != 1) return false;
    int32_t loop = loop_of(b->f, n);
    return (loop >= 0 && loop_of(b->f, b->reg[o->reg].def_at) != loop) || divided_before(b, n);
}

/* Without the reciprocal. An H200 takes 12.1 and 10.8 cycles a warp and scheduler for u32, 17.2 and
 * 14.9 for s32 (h200.micro.jsonl); the ALU, which issues every second cycle, determines this. */
static void divide_again(const sim_profile *p, const ptx_insn *i, time_op *o) {
    static const struct {
        double slots, units, latency;
    } of[2][2] = {{{12, 6, 55}, {11, 5.4, 55}}, {{15, 8.5, 62}, {13, 7.4, 62}}}; /* signed; rem */
    unsigned is_signed = i->type[0] == PTX_S32 || i->type[0] == PTX_S16, rem = i->op == PTX_OP_rem;
    set_cost(p, o, TIME_PIPE_ALU, of[is_signed][rem].slots, of[is_signed][rem].units, 0,
             of[is_signed][rem].latency);
}

void time_product_cost(const sim_profile *p, const time_product *x, time_op *o) {
    double macs = (double)x->m * x->n * x->k, rate = p->tensor_macs, shared = 0;
    if (x->sparse) macs /= 2; /* A has zeros */
    if (x->group) {           /* one warp's part; all four wait for what they share */
        unsigned held = x->sparse ? x->m / 2u : x->m, rows = x->n + (x->in_registers ? 0u : held);
        macs /= 4;
        if (p->wgmma_macs > 0) rate = p->wgmma_macs;
        shared = rows * x->k * x->bits / 8 / p->shared_bytes_cycle;
    }
    o->busy = (float)(macs * x->bits / 16 * p->schedulers / rate);
    if (o->busy < shared) o->busy = (float)shared;
    o->latency = (float)(o->busy + p->tensor_depth);
    /* the next product of the same accumulators can follow at once */
    if (x->group) o->latency = o->busy > p->tensor_depth ? o->busy : (float)p->tensor_depth;
    o->pipe = TIME_PIPE_TENSOR;
}

static void tensor_cost(const sim_profile *p, const ptx_insn *i, time_op *o) {
    ptx_type a = i->ntypes > 2 ? i->type[1] : PTX_F16;
    ptx_fragment_shape s = ptx_fragment_shape_of(i);
    bool sparse = i->op == PTX_OP_wgmma_mma_async_sp;
    time_product x = {.m = s.m,
                      .n = s.n * (ptx_fragment_quad(i, a) ? 4u : 1u),
                      .k = s.k,
                      .bits = a == PTX_F64 ? TIME_F64_BITS : ptx_fragment_bits(a),
                      .group = i->op == PTX_OP_wgmma_mma_async || sparse,
                      .sparse = i->op == PTX_OP_mma_sp || i->op == PTX_OP_mma_sp_ordered || sparse,
                      .in_registers = i->opnd[1].kind == PTX_OPND_VEC};
    o->slots = (float)(2.0 * p->schedulers / p->issue_per_cycle);
    time_product_cost(p, &x, o);
}

static void shuffle_cost(const sim_profile *p, const ptx_insn *i, time_op *o) {
    o->kind = TIME_SHUFFLE;
    o->busy = (float)(1 / p->rate_shuffle);
    o->latency = (float)p->lat_shuffle;
    switch (i->op) {
    case PTX_OP_bar_warp_sync:
    case PTX_OP_activemask:
    case PTX_OP_elect:
        o->kind = TIME_PLAIN;
        o->busy = 0;
        o->latency = 0;
        break;
    case PTX_OP_vote: o->latency = (float)(p->lat_shuffle * 0.72); break;
    case PTX_OP_match:
        if (sim_trace_is_match(i)) o->flags |= TIME_EVENT;
        else o->busy = 64, o->latency = 368;
        break;
    case PTX_OP_redux: o->busy = (float)p->redux_cycles, o->latency = (float)p->lat_redux; break;
    default: break;
    }
}

static void memory_kind(const time_builder *b, const ptx_insn *i, time_op *o) {
    const sim_profile *p = b->code->profile;
    const ptx_opnd *a = NULL;
    for (unsigned k = 0; k < i->nopnds && !a; k++)
        if (i->opnd[k].kind == PTX_OPND_ADDR) a = &i->opnd[k];
    bool uniform = a && a->reg >= 0 && !b->reg[a->reg].varies;
    if (uniform) o->flags |= TIME_UNIFORM;
    switch (i->klass) {
    case PTX_CLASS_LOAD:
        if (i->space == PTX_SPACE_PARAM) { /* an operand c[0][..]; pairs are loaded */
            o->slots *= ptx_type_size(i->type[0]) == 8 ? 1 : 0.5f;
            o->latency = (float)p->lat_const;
            return;
        }
        o->flags |= TIME_EVENT;
        o->kind = TIME_LOAD;
        if (i->space == PTX_SPACE_CONST) {
            o->kind = a && a->reg < 0 ? TIME_PLAIN : TIME_CONST;
            if (o->kind == TIME_PLAIN) o->slots = 0; /* an operand c[3][..] */
        }
        return;
    case PTX_CLASS_STORE:
        if (i->space == PTX_SPACE_PARAM) return;
        o->flags |= TIME_EVENT;
        o->kind = TIME_STORE;
        return;
    case PTX_CLASS_ATOM:
        o->flags |= TIME_EVENT;
        o->kind = TIME_ATOM;
        if (i->op == PTX_OP_atom && i->opnd[0].kind == PTX_OPND_REG && i->opnd[0].reg >= 0 &&
            b->reg[i->opnd[0].reg].uses)
            o->flags |= TIME_RESULT;
        if (!(o->flags & TIME_RESULT) && i->field[PTX_FIELD_ATOM] == PTX_ATOM_add &&
            (i->type[0] == PTX_U32 || i->type[0] == PTX_S32)) {
            const ptx_opnd *v = &i->opnd[i->op == PTX_OP_atom ? 2 : 1];
            if (v->kind == PTX_OPND_IMM && v->imm == 1) o->flags |= TIME_POP_INC;
        }
        /* these are not added up in the warp first */
        if (i->field[PTX_FIELD_ATOM] == PTX_ATOM_cas || i->field[PTX_FIELD_ATOM] == PTX_ATOM_exch ||
            i->type[0] == PTX_F32 || i->type[0] == PTX_F64)
            o->flags &= (uint8_t)~TIME_UNIFORM;
        o->float_atom = i->field[PTX_FIELD_ATOM] == PTX_ATOM_add &&
                        (i->type[0] == PTX_F32 || i->type[0] == PTX_F64);
        return;
    case PTX_CLASS_TEX:
        o->flags |= TIME_EVENT;
        o->kind = TIME_TEX;
        return;
    default: return;
    }
}

/* A sum that has a product or a sum as a term: a sum of three terms runs on the ALU. */
static void sum_cost(const time_builder *b, const ptx_insn *i, time_op *o) {
    const sim_profile *p = b->code->profile;
    for (unsigned k = 1; k < i->nopnds && time_is_sum(i, ptx_type_size(i->type[0])); k++) {
        const ptx_opnd *x = &i->opnd[k];
        if (x->kind != PTX_OPND_REG || b->reg[x->reg].defs != 1) continue;
        const ptx_insn *from = &b->f->insns[b->reg[x->reg].def_at];
        uint8_t how = b->fold[b->reg[x->reg].def_at];
        if (how == TIME_FOLD_WIDE_SUM) {
            set_cost(p, o, TIME_PIPE_IMUL, 1, 1, 0, 1);
            hold_port(p, o);
        }
        if (how == TIME_FOLD_PRODUCT_SUM)
            set_cost(p, o, TIME_PIPE_IMUL, i->op == PTX_OP_sub && k == 2 ? 2 : 1, 1, 0, 0);
        if (how == TIME_FOLD_FREE && (from->klass == PTX_CLASS_SHIFT || time_is_sum(from, 4)))
            set_cost(p, o, TIME_PIPE_ALU, 1, 1, 0, 0);
    }
}

static void barrier_cost(const sim_profile *p, const ptx_insn *i, time_op *o) {
    if (i->op == PTX_OP_barrier_cluster_arrive) return; /* only waiting takes time */
    o->kind = ptx_op_is(i->op, PTX_IS_POLLS)     ? TIME_LANDED
              : ptx_op_is(i->op, PTX_IS_ARRIVES) ? TIME_ARRIVE
                                                 : TIME_BARRIER;
    if (o->kind == TIME_LANDED) o->latency = (float)p->lat_shared;
    o->flags |= TIME_EVENT;
}

static void fence_cost(const ptx_insn *i, time_op *o) {
    if (i->op != PTX_OP_membar && i->op != PTX_OP_fence) return;
    unsigned scope = i->field[PTX_FIELD_SCOPE];
    o->kind = TIME_FENCE;
    o->amount = scope == PTX_SCOPE_sys ? 2 : scope == PTX_SCOPE_gpu ? 1 : 0;
}

/* Copies between global and shared memory take their bandwidth and a slot. */
static void copy_cost(const sim_profile *p, const ptx_insn *i, time_op *o) {
    bool global = i->space == PTX_SPACE_GLOBAL || i->space2 == PTX_SPACE_GLOBAL;
    o->latency = (float)p->lat_shared;
    if (ptx_op_is(i->op, PTX_IS_COPIES) && global) {
        /* a reduction is limited like a store: by bandwidth */
        o->kind = i->space == PTX_SPACE_GLOBAL ? TIME_STORE : TIME_COPY;
        o->flags |= TIME_EVENT;
    } else if (i->op == PTX_OP_cp_async_mbarrier_arrive) {
        o->kind = TIME_TELLS;
        o->flags |= TIME_EVENT;
    } else if (i->op == PTX_OP_cp_async_commit_group) o->kind = TIME_COMMIT, o->latency = 0;
    else if (i->op == PTX_OP_cp_async_wait_all) o->kind = TIME_WAIT;
    else if (i->op == PTX_OP_cp_async_wait_group) {
        bool given = time_is_immediate(i, 0) && i->opnd[0].imm < 255;
        o->kind = TIME_WAIT, o->amount = given ? (uint8_t)i->opnd[0].imm : 0;
    }
}

/* Returns whether its result is a guard. */
static bool guards(const time_builder *b, const ptx_insn *i) {
    const ptx_opnd *d = &i->opnd[0];
    return i->nopnds && d->kind == PTX_OPND_REG && d->reg >= 0 && b->reg[d->reg].guards;
}

/* Finds the bits of an operand that is a constant, or a register set to a constant. Returns false
 * for others. */
static bool known_bits(const time_builder *b, const ptx_opnd *o, uint64_t *bits) {
    if (o->kind == PTX_OPND_REG && o->reg >= 0 && b->reg[o->reg].constant) {
        const ptx_insn *i = &b->f->insns[b->reg[o->reg].def_at];
        if (i->op != PTX_OP_mov) return false;
        o = &i->opnd[1];
    }
    *bits = (uint64_t)o->imm;
    return o->kind == PTX_OPND_IMM;
}

/* Returns whether another product and sum of the block has one of n's constants, which then stays
 * in a register. */
static bool constant_is_kept(const time_builder *b, uint32_t n) {
    enum { LOOK = 16 };
    const ptx_func *f = b->f;
    if (!f->blocks || !f->block_of) return false;
    const ptx_block *k = &f->blocks[f->block_of[n]];
    uint32_t from = n - k->first > LOOK ? n - LOOK : k->first,
             to = k->last - n > LOOK ? n + LOOK : k->last;
    for (uint32_t q = from; q <= to; q++) {
        const ptx_insn *i = &f->insns[n], *j = &f->insns[q];
        if (q == n || j->op != PTX_OP_fma || j->type[0] != i->type[0]) continue;
        for (unsigned x = 1; x < i->nopnds; x++)
            for (unsigned y = 1; y < j->nopnds; y++) {
                uint64_t p, r;
                if (known_bits(b, &i->opnd[x], &p) && known_bits(b, &j->opnd[y], &r) && p == r)
                    return k->loop_head >= 0 || q < n;
            }
    }
    return false;
}

/* An instruction has room for one constant of 32 bits, for a double the upper half. A product and
 * sum with two constants takes one more move; a double with a nonzero lower half takes two, into
 * uniform registers. ptxas for sm_90 does so, also in loops. */
static void constants_cost(const time_builder *b, uint32_t n, time_op *o) {
    const ptx_insn *i = &b->f->insns[n];
    unsigned known = 0, halves = 0;
    for (unsigned k = 1; k < i->nopnds; k++) {
        uint64_t bits;
        if (!known_bits(b, &i->opnd[k], &bits)) continue;
        known++;
        halves += (uint32_t)bits != 0;
    }
    float unit = (float)(b->code->profile->schedulers / b->code->profile->issue_per_cycle);
    if (i->klass == PTX_CLASS_FP64 && halves) o->slots += 2 * (float)halves * unit;
    else if (i->klass == PTX_CLASS_FP32 && i->op == PTX_OP_fma && known > 1 &&
             !constant_is_kept(b, n))
        o->slots += unit;
}

static void cost(const time_builder *b, uint32_t n, time_op *o) {
    const sim_profile *p = b->code->profile;
    const ptx_insn *i = &b->f->insns[n];
    const cost_row *r = time_row_of(p, i);
    set_cost(p, o, r->pipe, r->slots, r->units, r->xu, r->latency);
    switch (b->fold[n]) {
    case TIME_FOLD_FREE:
    case TIME_FOLD_WIDE_SUM:
    case TIME_FOLD_PRODUCT_SUM:
        o->slots = o->busy = o->xu = o->latency = 0;
        o->pipe = TIME_PIPE_NONE;
        return;
    default: break;
    }
    if (i->op == PTX_OP_setp && guards(b, i)) o->latency = (float)(GUARD_LATENCY * p->lat_alu);
    switch (i->klass) {
    case PTX_CLASS_FP32:
    case PTX_CLASS_FP64: constants_cost(b, n, o); break;
    case PTX_CLASS_SELECT:
        /* a sum that is moved or not: both run on the multiplier */
        if (i->op == PTX_OP_selp && ptx_type_size(i->type[0]) == 4 && time_is_immediate(i, 1) &&
            time_is_immediate(i, 2))
            set_cost(p, o, TIME_PIPE_EITHER, 1, 1, 0, 0);
        break;
    case PTX_CLASS_INT: sum_cost(b, i, o); break;
    case PTX_CLASS_IMUL:
        if (time_flag(i, PTX_F_wide) || time_flag(i, PTX_F_hi)) hold_port(p, o);
        break;
    case PTX_CLASS_IDIV:
        if (divisor_is_known(b, n) && ptx_type_size(i->type[0]) <= 4) divide_again(p, i, o);
        break;
    case PTX_CLASS_FDIV:
    case PTX_CLASS_DDIV:
        o->slow = sim_slow_path_of(i);
        if (o->slow) o->flags |= TIME_EVENT;
        break;
    case PTX_CLASS_CONVERT: convert_cost(p, i, o); break;
    case PTX_CLASS_MOVE:
        if (i->nopnds > 1 && i->opnd[1].kind == PTX_OPND_SREG)
            o->latency = (float)(p->special_latencies * p->lat_alu);
        break;
    case PTX_CLASS_SHUFFLE: shuffle_cost(p, i, o); break;
    case PTX_CLASS_TENSOR: tensor_cost(p, i, o); break;
    case PTX_CLASS_BRANCH:
        o->kind = TIME_BRANCH;
        if (i->guard >= 0) o->flags |= TIME_EVENT; /* for a branch that lanes take both ways */
        break;
    case PTX_CLASS_CALL:
        o->kind = i->op == PTX_OP_ret && b->f->entry ? TIME_EXIT : TIME_BRANCH;
        if (o->kind == TIME_EXIT) o->slots *= 0.5f;
        o->flags |= TIME_SIGNALS;
        break;
    case PTX_CLASS_BARRIER: barrier_cost(p, i, o); break;
    case PTX_CLASS_FENCE: fence_cost(i, o); break;
    case PTX_CLASS_ASYNC: copy_cost(p, i, o); break;
    case PTX_CLASS_CONTROL:
        if (i->op == PTX_OP_exit || i->op == PTX_OP_trap) o->kind = TIME_EXIT;
        break;
    default: memory_kind(b, i, o); break;
    }
}

/* ---- predication ---- */

/* Slots of a block that the assembler may predicate; negative: it contains something that cannot be
 * predicated. */
enum { SLOTS_UNKNOWN = -2 };
static double predicable_slots(const time_builder *b, const ptx_block *k) {
    const ptx_func *f = b->f;
    double slots = 0;
    for (uint32_t n = k->first; n <= k->last; n++) {
        const ptx_insn *i = &f->insns[n];
        if (i->klass == PTX_CLASS_BRANCH) {
            if (i->guard >= 0 || n != k->last) return -1;
            continue;
        }
        if (i->guard >= 0 || i->klass == PTX_CLASS_BARRIER || i->klass == PTX_CLASS_CALL ||
            i->klass == PTX_CLASS_SHUFFLE || i->klass == PTX_CLASS_TENSOR ||
            i->klass == PTX_CLASS_TEX || i->klass == PTX_CLASS_IDIV || i->klass == PTX_CLASS_DDIV ||
            i->klass == PTX_CLASS_FDIV || i->klass == PTX_CLASS_CONTROL)
            return -1;
        slots += b->code->ops[b->base + n].slots;
    }
    if (k->succ[1] >= 0 && k->succ[0] >= 0) return -1;
    return slots;
}

/* Returns the cost of the block if it falls through to `join`; -1 if it does not, or if it is too
 * long to predicate. A block that is the target of many branches is examined once; the slots of its
 * branch are not included. */
static int predicable(const time_builder *b, uint32_t block, int32_t join) {
    const ptx_block *k = &b->f->blocks[block];
    if (b->slots[block] <= SLOTS_UNKNOWN) b->slots[block] = predicable_slots(b, k);
    double slots = b->slots[block];
    if (slots < 0 || (k->succ[0] >= 0 ? k->succ[0] : k->succ[1]) != join) return -1;
    double issue = b->code->profile->schedulers / b->code->profile->issue_per_cycle;
    return slots <= 8 * issue ? (int)(slots + 0.5) : -1;
}

static void predicate(time_builder *b) {
    const ptx_func *f = b->f;
    for (uint32_t k = 0; k < f->block_count; k++) {
        const ptx_block *blk = &f->blocks[k];
        const ptx_insn *i = &f->insns[blk->last];
        time_op *o = &b->code->ops[b->base + blk->last];
        if (i->klass != PTX_CLASS_BRANCH) continue;
        if (blk->back_edge || i->op != PTX_OP_bra) {
            o->flags |= TIME_SIGNALS;
            continue;
        }
        if (i->guard < 0 || blk->succ[0] < 0 || blk->succ[1] < 0) continue;
        int32_t taken = blk->succ[0], next = blk->succ[1];
        int skip =
            predicable(b, (uint32_t)next, taken); /* if without else: over `next` to `taken` */
        if (skip >= 0 && f->blocks[next].first == blk->last + 1) {
            o->flags |= TIME_PREDICATED;
            o->slots = 0;
            o->amount = (uint8_t)skip;
            continue;
        }
        int32_t join = f->blocks[next].succ[0] >= 0
                           ? f->blocks[next].succ[0]
                           : f->blocks[next].succ[1]; /* if and else, both short */
        int one = join >= 0 ? predicable(b, (uint32_t)next, join) : -1,
            two = join >= 0 && join != taken ? predicable(b, (uint32_t)taken, join) : -1;
        if (one >= 0 && two >= 0) {
            o->flags |= TIME_PREDICATED;
            o->slots = 0;
            o->amount = (uint8_t)one;
            time_op *end = &b->code->ops[b->base + f->blocks[next].last];
            if (f->insns[f->blocks[next].last].klass == PTX_CLASS_BRANCH)
                end->slots = 0, end->flags |= TIME_PREDICATED, end->amount = (uint8_t)two;
            continue;
        }
        o->flags |= TIME_SIGNALS;
        o->slots *= 2; /* for the BSSY and BSYNC around it */
    }
}

static bool is_behind(const time_builder *b, const ptx_block *k, uint32_t n, const ptx_opnd *o) {
    if (o->kind != PTX_OPND_REG || o->reg < 0 || b->reg[o->reg].defs != 1) return false;
    uint32_t at = b->reg[o->reg].def_at;
    if (at < k->first || at >= n) return false;
    const time_op *from = &b->code->ops[b->base + at];
    return from->kind == TIME_LOAD || from->later;
}

/* Puts what waits for a load in a predicated block after the rest. */
static void put_behind(time_builder *b, const ptx_block *k) {
    for (uint32_t n = k->first; n <= k->last; n++) {
        const ptx_insn *i = &b->f->insns[n];
        time_op *o = &b->code->ops[b->base + n];
        if (o->kind != TIME_STORE && o->kind != TIME_PLAIN) continue;
        for (unsigned q = 1; q < i->nopnds && !o->later; q++)
            o->later = is_behind(b, k, n, &i->opnd[q]);
        if (o->later && o->kind == TIME_PLAIN) o->sees = TIME_SEES_REST;
    }
}

/* Sets which later operations see the earlier ones: accesses see the stores to their memory; the
 * end of a stretch of code that the assembler orders as a whole sees all. */
static void who_sees(time_builder *b) {
    const ptx_func *f = b->f;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const ptx_insn *i = &f->insns[n];
        time_op *o = &b->code->ops[b->base + n];
        switch ((time_kind)o->kind) {
        case TIME_LOAD:
        case TIME_STORE:
        case TIME_ATOM:
            o->sees = i->space == PTX_SPACE_SHARED    ? TIME_SEES_SHARED
                      : i->space == PTX_SPACE_GENERIC ? TIME_SEES_SHARED | TIME_SEES_OTHERS
                                                      : TIME_SEES_OTHERS;
            break;
        case TIME_BRANCH:
            if (o->flags & TIME_PREDICATED) break;
            /* fall through */
        case TIME_BARRIER:
        case TIME_ARRIVE:
        case TIME_FENCE:
        case TIME_EXIT: o->sees = TIME_SEES_ALL; break;
        default: break;
        }
        if (i->klass == PTX_CLASS_BRANCH && o->flags & TIME_PREDICATED && n + 1 < f->insn_count)
            put_behind(b, &f->blocks[f->block_of[n + 1]]);
    }
}

/* Counts the loads and stores that each predicated branch skips, which follow it in the text. */
static void count_skipped(time_builder *b) {
    const ptx_func *f = b->f;
    for (uint32_t n = 0; n + 1 < f->insn_count; n++) {
        time_op *o = &b->code->ops[b->base + n];
        if (!(o->flags & TIME_PREDICATED)) continue;
        const ptx_block *k = &f->blocks[f->block_of[n + 1]];
        for (uint32_t q = k->first; q <= k->last; q++) {
            const time_op *x = &b->code->ops[b->base + q];
            o->accesses += time_uses_lsu(x);
        }
    }
}

/* ---- a module ---- */

static void push_reg(void *user, int32_t r, const ptx_opnd *o) {
    (void)o;
    time_code *c = user;
    /* only the dependence is lost */
    if (!lib_grow(&c->regs, &c->reg_cap, c->reg_used, sizeof *c->regs, 1024)) return;
    c->regs[c->reg_used++] = (uint32_t)r;
}

static void list_registers(time_code *c, const ptx_insn *i, time_op *o) {
    unsigned d = time_dst_count(i);
    o->regs = (uint32_t)c->reg_used;
    if (i->klass == PTX_CLASS_CALL) return;
    size_t at = c->reg_used;
    for (unsigned k = 0; k < d; k++) time_each_reg(&i->opnd[k], push_reg, c);
    o->dst_count = (uint8_t)(c->reg_used - at > 255 ? 255 : c->reg_used - at);
    at = c->reg_used;
    for (unsigned k = d; k < i->nopnds; k++) time_each_reg(&i->opnd[k], push_reg, c);
    if (i->guard >= 0) push_reg(c, i->guard, NULL);
    o->src_count = (uint8_t)(c->reg_used - at > 255 ? 255 : c->reg_used - at);
}

/* Lists the registers that a value takes (none for a predicate or a value without an instruction),
 * and where. */
static bool list_alive(time_builder *b) {
    const ptx_func *f = b->f;
    if (!sim_resources_spans(f, b->span)) return false;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const time_op *o = &b->code->ops[b->base + n];
        if (o->slots <= 0) continue;
        for (unsigned q = 0; q < o->dst_count; q++) {
            uint32_t r = b->code->regs[o->regs + q];
            unsigned type = f->reg_type[r];
            if (type != PTX_PRED) b->held[r] = ptx_type_size(type) > 4 ? 2 : 1;
        }
    }
    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (b->span[r].first == UINT32_MAX) continue;
        b->alive[b->span[r].first + 1] += b->held[r];
        b->alive[b->span[r].last + 1] -= b->held[r];
    }
    for (uint32_t n = 0; n < f->insn_count; n++) b->alive[n + 1] += b->alive[n];
    return true;
}

static bool ends_region(const ptx_insn *i) {
    return i->klass == PTX_CLASS_BRANCH || i->klass == PTX_CLASS_CALL ||
           i->klass == PTX_CLASS_BARRIER || i->op == PTX_OP_exit || i->op == PTX_OP_trap ||
           i->op == PTX_OP_nanosleep || i->op == PTX_OP_cp_async_wait_group ||
           i->op == PTX_OP_cp_async_wait_all;
}

/* Two registers are kept for other purposes. ptxas aims at 32 registers, or at what the kernel
 * needs anyway. */
enum { KEPT = 2, AIM = 32 };
static int registers_for_values(const ptx_func *f, unsigned registers) {
    int needed = (int)(registers ? registers : sim_resources_estimate(f).registers);
    return (needed > AIM ? needed : AIM) - KEPT;
}

/* ---- spills ---- */

/* Returns by how much the values needed at an instruction exceed the registers; `most`: the largest
 * such number in the function. */
static double spill_pressure(const time_builder *b, uint32_t n, int most) {
    if (!b->of->registers) return 1;
    int room = (int)b->of->registers - KEPT;
    if (most > room) return b->alive[n] > room ? b->alive[n] - room : 0;
    return b->alive[n] == most;
}

/* ptxas reports how many bytes its instructions store and load because registers ran out, but not
 * where. The model places them where more values are needed than there are registers, in proportion
 * to instructions and to the excess; if there is no such place, where most values are needed. So
 * they are executed as often as these instructions. Functions that kernels call save registers when
 * they begin and end: evenly. */
static void place_spills(time_builder *b, uint32_t first_region) {
    enum { WORD = 4 };
    const ptx_func *f = b->f;
    time_code *c = b->code;
    int most = 0;
    double all = 0;
    for (uint32_t n = 0; n < f->insn_count; n++)
        if (b->alive[n] > most) most = b->alive[n];
    for (uint32_t n = 0; n < f->insn_count; n++) all += spill_pressure(b, n, most);
    for (uint32_t k = first_region; k < c->region_count; k++) {
        time_region *r = &c->regions[k];
        double here = 0;
        for (uint32_t n = 0; n < r->count; n++)
            here += spill_pressure(b, r->first - b->base + n, most);
        r->spill_loads = (float)(b->of->spill_loads * here / all / WORD);
        r->spill_stores = (float)(b->of->spill_stores * here / all / WORD);
        r->spill_words = (float)b->of->spill_stores / WORD;
    }
}

/* Adds the operations with which regions' spills are replayed. */
static bool add_spills(time_code *c) {
    uint32_t at = c->op_count + c->extra;
    if (!lib_grow_to(&c->ops, &c->op_cap, at + 3, sizeof *c->ops, 0)) return false;
    float slot = (float)(c->profile->schedulers / c->profile->issue_per_cycle);
    c->ops[at] = (time_op){.slots = slot, .kind = TIME_LOAD, .sees = TIME_SEES_REST};
    c->ops[at + 1] = (time_op){.slots = slot, .kind = TIME_STORE};
    c->spills = at;
    c->extra += 2;
    return true;
}

static bool build(time_builder *b) {
    const ptx_func *f = b->f;
    time_code *c = b->code;
    uint32_t first_region = c->region_count;
    b->reg = calloc(f->reg_count + 1, sizeof *b->reg);
    b->fold = calloc(f->insn_count + 1, 1);
    b->def = calloc(f->reg_count * TIME_COPIES + 1, sizeof *b->def);
    b->reader = calloc(f->reg_count * TIME_COPIES + 1, sizeof *b->reader);
    b->name = calloc(f->reg_count + 1, sizeof *b->name);
    b->slots = calloc(f->block_count + 1, sizeof *b->slots);
    b->span = calloc(f->reg_count + 1, sizeof *b->span);
    b->held = calloc(f->reg_count + 1, sizeof *b->held);
    b->alive = calloc(f->insn_count + 2, sizeof *b->alive);
    bool ok = b->reg && b->fold && b->def && b->reader && b->name && b->slots && b->span &&
              b->held && b->alive;
    for (uint32_t r = 0; ok && r < f->reg_count; r++) b->name[r] = r;
    for (uint32_t k = 0; ok && k < f->block_count; k++) b->slots[k] = SLOTS_UNKNOWN;
    if (ok) {
        time_fold(b);
        for (uint32_t n = 0; n < f->insn_count; n++) {
            time_op *o = &c->ops[b->base + n];
            cost(b, n, o);
            o->pc = b->base + n;
            list_registers(c, &f->insns[n], o);
        }
        ok = list_alive(b);
        if (f->blocks) predicate(b), time_roles(b);
        if (f->blocks && f->block_of) who_sees(b);
    }
    for (uint32_t n = 0; ok && n < f->insn_count;) {
        time_region *r = &c->regions[c->region_count];
        *r = (time_region){.first = b->base + n};
        uint32_t block = f->block_of ? f->block_of[n] : 0;
        do {
            time_op *o = &c->ops[b->base + n];
            c->region_of[b->base + n] = c->region_count;
            if (o->kind == TIME_LOAD) o->load = ++c->load_count;
            if (o->flags & TIME_EVENT)
                o->event = (uint16_t)(r->event_count < UINT16_MAX ? r->event_count++ : UINT16_MAX);
            r->count++;
            n++;
        } while (n < f->insn_count && !ends_region(&f->insns[n - 1]) &&
                 (!f->block_of || f->block_of[n] == block));
        if (r->event_count > c->events_max) c->events_max = r->event_count;
        c->region_count++;
        time_merge_loads(b, r);
        ok = time_schedule(b, r) && !time_stopped(b);
    }
    if (ok && f->blocks && f->block_of) count_skipped(b);
    if (ok && b->of && b->of->spill_stores + b->of->spill_loads) place_spills(b, first_region);
    if (f->reg_count > c->reg_max) c->reg_max = (uint32_t)f->reg_count;
    free(b->reg), free(b->fold), free(b->slots), free(b->span), free(b->held), free(b->alive);
    free(b->def), free(b->reader), free(b->name);
    return ok;
}

time_code *time_code_new(const sim_profile *p, const ptx_module *m, const time_assembled *of,
                         const volatile int *stop) {
    time_code *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->profile = p;
    size_t total = 0;
    for (size_t k = 0; k < m->func_count; k++) total += m->funcs[k]->insn_count;
    c->op_count = (uint32_t)total;
    c->ops = calloc(total + 1, sizeof *c->ops);
    c->order = calloc(total + 1, sizeof *c->order);
    c->region_of = calloc(total + 1, sizeof *c->region_of);
    c->regions = calloc(total + 1, sizeof *c->regions);
    bool ok = c->ops && c->order && c->region_of && c->regions && total < UINT32_MAX;
    uint32_t base = 0;
    bool spilled = false;
    for (size_t k = 0; ok && k < m->func_count; k++) {
        uint32_t before = c->region_count;
        time_builder b = {
            .f = m->funcs[k], .code = c, .base = base, .stop = stop, .of = of ? &of[k] : NULL};
        b.room = registers_for_values(b.f, of ? of[k].registers : 0);
        spilled |= of && of[k].spill_stores + of[k].spill_loads;
        ok = build(&b);
        for (uint32_t r = before; r < c->region_count; r++) c->regions[r].func = (uint32_t)k;
        base += (uint32_t)m->funcs[k]->insn_count;
    }
    if (ok && (!spilled || add_spills(c))) return c;
    time_code_free(c);
    return NULL;
}

bool time_code_joins(const time_code *c, uint32_t pc) {
    return pc >= c->op_count || c->ops[pc].flags & TIME_UNIFORM;
}

void time_code_free(time_code *c) {
    if (!c) return;
    free(c->ops);
    free(c->order);
    free(c->region_of);
    free(c->regions);
    free(c->regs);
    free(c->own);
    free(c);
}

time_places *time_places_new(const time_code *c) {
    time_places *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->count = p->first = c->op_count;
    p->stall = calloc((size_t)p->count * SIM_STALL_COUNT + 1, sizeof *p->stall);
    p->caused = calloc((size_t)p->count + 1, sizeof *p->caused);
    p->issued = calloc((size_t)p->count + 1, sizeof *p->issued);
    p->spans = calloc(TIME_SPANS, sizeof *p->spans);
    if (p->stall && p->caused && p->issued && p->spans) return p;
    time_places_free(p);
    return NULL;
}

void time_places_free(time_places *p) {
    if (!p) return;
    free(p->stall);
    free(p->caused);
    free(p->issued);
    free(p->spans);
    free(p);
}
