/* Operands of an instruction as slots: registers, immediates, special registers, parameters,
 * addresses of variables; conversion of the width where a register is wider or narrower than the
 * instruction; memory sites. */
#include <string.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/symbol.h"

/* For a register of another type than the handler reads: R[to] := R[from] cut, zero- or
 * sign-extended. */
static void emit_resize(sim_decoder *d, sim_opnd to, unsigned to_slot, sim_opnd from,
                        unsigned from_slot, ptx_type type) {
    unsigned src = from_slot == SIM_SLOT_64                               ? PTX_U64
                   : type == PTX_S32 || type == PTX_S16 || type == PTX_S8 ? PTX_S32
                                                                          : PTX_U32;
    if (from_slot == SIM_SLOT_32 && to_slot == SIM_SLOT_64 && (type == PTX_S16 || type == PTX_S8))
        src = type;
    const sim_exec_row *r =
        sim_row(d, PTX_OP_cvt,
                to_slot == SIM_SLOT_64 ? (src == PTX_U32 ? PTX_U64 : PTX_S64) : PTX_U32, src, 0);
    if (!r) return;
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = to;
    i->a = from;
}

/* Returns the special register of clusters; SIM_BS_COUNT: not one. Without clusters, a block is its
 * own cluster, and special() answers. */
static unsigned special_of_cluster(unsigned sreg) {
    switch (sreg) {
    case PTX_SREG_clusterid_x: return SIM_BS_CLUSTERID_X;
    case PTX_SREG_clusterid_y: return SIM_BS_CLUSTERID_Y;
    case PTX_SREG_clusterid_z: return SIM_BS_CLUSTERID_Z;
    case PTX_SREG_nclusterid_x: return SIM_BS_NCLUSTERID_X;
    case PTX_SREG_nclusterid_y: return SIM_BS_NCLUSTERID_Y;
    case PTX_SREG_nclusterid_z: return SIM_BS_NCLUSTERID_Z;
    case PTX_SREG_cluster_ctaid_x: return SIM_BS_CLUSTER_CTAID_X;
    case PTX_SREG_cluster_ctaid_y: return SIM_BS_CLUSTER_CTAID_Y;
    case PTX_SREG_cluster_ctaid_z: return SIM_BS_CLUSTER_CTAID_Z;
    case PTX_SREG_cluster_nctaid_x: return SIM_BS_CLUSTER_NCTAID_X;
    case PTX_SREG_cluster_nctaid_y: return SIM_BS_CLUSTER_NCTAID_Y;
    case PTX_SREG_cluster_nctaid_z: return SIM_BS_CLUSTER_NCTAID_Z;
    case PTX_SREG_cluster_ctarank: return SIM_BS_CLUSTER_CTARANK;
    case PTX_SREG_cluster_nctarank: return SIM_BS_CLUSTER_NCTARANK;
    case PTX_SREG_is_explicit_cluster: return SIM_BS_EXPLICIT_CLUSTER;
    default: return SIM_BS_COUNT;
    }
}

static sim_opnd special(sim_decoder *d, unsigned sreg, unsigned slot) {
    unsigned at = d->image->clustered ? special_of_cluster(sreg) : SIM_BS_COUNT;
    if (at != SIM_BS_COUNT) return sim_opnd_make(at * 128u, SIM_BASE_BLOCK);
    switch (sreg) {
    case PTX_SREG_tid_x: return sim_opnd_make(SIM_WS_TID_X * 128, SIM_BASE_WARP);
    case PTX_SREG_tid_y: return sim_opnd_make(SIM_WS_TID_Y * 128, SIM_BASE_WARP);
    case PTX_SREG_tid_z: return sim_opnd_make(SIM_WS_TID_Z * 128, SIM_BASE_WARP);
    case PTX_SREG_warpid: return sim_opnd_make(SIM_WS_WARPID * 128, SIM_BASE_WARP);
    case PTX_SREG_ntid_x: at = SIM_BS_NTID_X; break;
    case PTX_SREG_ntid_y: at = SIM_BS_NTID_Y; break;
    case PTX_SREG_ntid_z: at = SIM_BS_NTID_Z; break;
    case PTX_SREG_nctaid_x:
    case PTX_SREG_nclusterid_x: at = SIM_BS_NCTAID_X; break;
    case PTX_SREG_nctaid_y:
    case PTX_SREG_nclusterid_y: at = SIM_BS_NCTAID_Y; break;
    case PTX_SREG_nctaid_z:
    case PTX_SREG_nclusterid_z: at = SIM_BS_NCTAID_Z; break;
    case PTX_SREG_ctaid_x:
    case PTX_SREG_clusterid_x: at = SIM_BS_CTAID_X; break;
    case PTX_SREG_ctaid_y:
    case PTX_SREG_clusterid_y: at = SIM_BS_CTAID_Y; break;
    case PTX_SREG_ctaid_z:
    case PTX_SREG_clusterid_z: at = SIM_BS_CTAID_Z; break;
    case PTX_SREG_laneid: at = SIM_BS_LANEID; break;
    case PTX_SREG_nwarpid: at = SIM_BS_NWARPID; break;
    case PTX_SREG_smid: at = SIM_BS_SMID; break;
    case PTX_SREG_nsmid: at = SIM_BS_NSMID; break;
    case PTX_SREG_lanemask_eq: at = SIM_BS_LANEMASK_EQ; break;
    case PTX_SREG_lanemask_le: at = SIM_BS_LANEMASK_LE; break;
    case PTX_SREG_lanemask_lt: at = SIM_BS_LANEMASK_LT; break;
    case PTX_SREG_lanemask_ge: at = SIM_BS_LANEMASK_GE; break;
    case PTX_SREG_lanemask_gt: at = SIM_BS_LANEMASK_GT; break;
    case PTX_SREG_dynamic_smem_size: at = SIM_BS_DYNAMIC_SMEM; break;
    case PTX_SREG_envreg1: at = SIM_BS_ENVREG1; break;
    case PTX_SREG_envreg2: at = SIM_BS_ENVREG2; break;
    case PTX_SREG_total_smem_size: at = SIM_BS_TOTAL_SMEM; break;
    case PTX_SREG_aggr_smem_size: at = SIM_BS_AGGR_SMEM; break;
    case PTX_SREG_gridid: at = SIM_BS_GRIDID; break;
    case PTX_SREG_reserved_smem_offset_0:
    case PTX_SREG_reserved_smem_offset_begin: at = SIM_BS_RESERVED_BEGIN; break;
    case PTX_SREG_reserved_smem_offset_end: at = SIM_BS_RESERVED_END; break;
    case PTX_SREG_reserved_smem_offset_cap: at = SIM_BS_RESERVED_CAP; break;
    case PTX_SREG_reserved_smem_offset_1: at = SIM_BS_RESERVED_1; break;
    /* without clusters, a block is its own cluster */
    case PTX_SREG_cluster_nctaid_x:
    case PTX_SREG_cluster_nctaid_y:
    case PTX_SREG_cluster_nctaid_z:
    case PTX_SREG_cluster_nctarank: return sim_const(d, slot, 1);
    default: return sim_const(d, slot, 0);
    }
    if (at >= SIM_BS_RESERVED_BEGIN && at <= SIM_BS_RESERVED_1) d->image->reserved_smem = true;
    return sim_opnd_make(at * 128u, SIM_BASE_BLOCK);
}

/* ---- parameters ---- */

bool sim_param_area(sim_decoder *d, const ptx_var *v, uint32_t *which) {
    const ptx_func *f = d->ptx;
    bool mine = f->param_count && v >= f->params && v < f->params + f->param_count;
    bool result = f->ret_count && v >= f->rets && v < f->rets + f->ret_count;
    if (!mine) { /* results, or variables declared in the body to pass something to a callee */
        *which = result ? SIM_AREA_RET : SIM_AREA_CALL;
        return true;
    }
    *which = SIM_AREA_PARAM;
    return !f->entry;
}

sim_opnd sim_param_slot(sim_decoder *d, const ptx_var *v, int64_t offset, ptx_type type) {
    sim_image *im = d->image;
    uint64_t at = v->offset + (uint64_t)offset;
    unsigned slot = sim_slot_of(type), bytes = ptx_type_size(type);
    bool sext = type == PTX_S8 || type == PTX_S16;
    uint64_t size = d->ptx->param_bytes;
    if (at > size || bytes > size - at) { /* a negative offset is a large unsigned number here */
        sim_decode_fail(d, "this reads past the kernel's parameters");
        return 0;
    }
    uint64_t key = at << 8 | bytes << 1 | sext;
    uint32_t known = sim_table_get(&im->param_at, key);
    if (known) return sim_opnd_make(im->params[known - 1].at, SIM_BASE_BLOCK);
    if (!sim_decode_grow(d, &im->params, &im->param_cap, im->param_count + 1, sizeof *im->params))
        return 0;
    im->params[im->param_count] = (struct sim_param){.at = im->block_bytes,
                                                     .bytes = bytes,
                                                     .offset = (uint32_t)at,
                                                     .sext = sext,
                                                     .slot = (uint8_t)slot};
    im->block_bytes += sim_slot_bytes(slot);
    if (!sim_table_put(&im->param_at, key, (uint32_t)++im->param_count))
        sim_decode_fail(d, "out of memory");
    return sim_opnd_make(im->params[im->param_count - 1].at, SIM_BASE_BLOCK);
}

/* ---- addresses ---- */

/* Returns the place of a variable of shared memory in this kernel's block. */
static uint32_t shared_at(sim_decoder *d, const ptx_var *v) {
    uint32_t known = sim_table_get(&d->image->shared_index, (uintptr_t)v);
    if (known) return d->image->shared_at[known - 1];
    sim_decode_fail(d, "shared variable %s was not laid out", v->name);
    return 0;
}

/* Returns the address of a variable as an integer in its own space. *frame: it is relative to the
 * frame's local memory. */
static uint64_t variable(sim_decoder *d, const ptx_var *v, bool *frame) {
    *frame = false;
    switch (v->space) {
    case PTX_SPACE_SHARED: return shared_at(d, v);
    case PTX_SPACE_LOCAL: *frame = d->func != d->image->funcs; return v->offset;
    case PTX_SPACE_PARAM:
        if (!d->ptx->entry)
            sim_decode_fail(d, "the address of a device function's parameter is not supported");
        return v->offset;
    default: {
        sim_addr a = sim_module_address(d->image->owner, v);
        if (!a) sim_decode_fail(d, "%s is declared but not defined in this module", v->name);
        return a;
    }
    }
}

sim_opnd sim_high_half(sim_opnd o) {
    return o + (sim_slot_bytes(SIM_SLOT_64) << 2);
}

static sim_opnd immediate(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type) {
    if (slot == SIM_SLOT_128) {
        sim_decode_fail(d, "a constant where a 128-bit register is wanted");
        return 0;
    }
    uint64_t v = o->imm;
    if (o->type != PTX_NONE)
        type = o->type; /* not the instruction's: the count of shl.b16 is a u32 */
    if (slot == SIM_SLOT_32 && ptx_type_size(type) == 2) v &= 0xffff;
    if (slot == SIM_SLOT_32 && ptx_type_size(type) == 1 && type != PTX_PRED) v &= 0xff;
    return sim_const(d, slot, v);
}

/* R[d] := offset + the start of this frame's local memory */
static void exec_local_address32(sim_warp *w, const sim_insn *i) {
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask,
             v = w->frame->local_base + (uint32_t)i->offset;
    EACH_LANE d[l] = LANE_ON(m) ? v : d[l];
}

static void exec_local_address64(sim_warp *w, const sim_insn *i) {
    uint64_t *d = LANES(uint64_t, i->d), v = w->frame->local_base + i->offset;
    uint32_t m = w->mask;
    EACH_LANE d[l] = LANE_ON(m) ? v : d[l];
}

/* Returns a slot of the block area for an address in the block's own shared memory. In launches
 * with clusters the area adds the rank. */
static sim_opnd shared_slot(sim_decoder *d, uint64_t address, unsigned slot) {
    sim_image *im = d->image;
    uint64_t key = address << 1 | (slot == SIM_SLOT_64);
    uint32_t known = sim_table_get(&im->shared_slot_at, key);
    if (known) return sim_opnd_make(im->shared_slots[known - 1].at, SIM_BASE_BLOCK);
    if (!sim_decode_grow(d, &im->shared_slots, &im->shared_slot_cap, im->shared_slot_count + 1,
                         sizeof *im->shared_slots))
        return 0;
    uint32_t at = im->block_bytes;
    im->block_bytes += sim_slot_bytes(slot);
    im->shared_slots[im->shared_slot_count] =
        (struct sim_shared_slot){.address = address, .at = at, .slot = (uint8_t)slot};
    if (!sim_table_put(&im->shared_slot_at, key, (uint32_t)++im->shared_slot_count))
        sim_decode_fail(d, "out of memory");
    return sim_opnd_make(at, SIM_BASE_BLOCK);
}

static sim_opnd emit_address(sim_decoder *d, const ptx_var *v, int64_t offset, unsigned slot) {
    bool frame;
    uint64_t at = variable(d, v, &frame) + (uint64_t)offset;
    if (v->space == PTX_SPACE_SHARED && d->image->clustered) return shared_slot(d, at, slot);
    if (!frame) return sim_const(d, slot, at);
    sim_opnd t = sim_temp(d, slot);
    sim_exec_fn *fn = slot == SIM_SLOT_64 ? exec_local_address64 : exec_local_address32;
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = t;
    i->offset = at;
    return t;
}

/* ---- sources and destinations ---- */

sim_opnd sim_source(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type) {
    switch (o->kind) {
    case PTX_OPND_REG: {
        sim_opnd at = d->reg_at[o->reg];
        unsigned have = sim_slot_of(d->ptx->reg_type[o->reg]);
        if (slot == SIM_SLOT_PRED && have == SIM_SLOT_PRED && o->negated) {
            const sim_exec_row *r = sim_row(d, PTX_OP_not, PTX_PRED, PTX_NONE, 0);
            if (!r) return 0;
            sim_opnd t = sim_temp(d, SIM_SLOT_PRED);
            sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
            i->d = t;
            i->a = at;
            return t;
        }
        if (have == slot) return at;
        if (have == SIM_SLOT_PRED || slot == SIM_SLOT_PRED) {
            sim_decode_fail(d, "a predicate where a value is wanted, or the other way round");
            return 0;
        }
        sim_opnd t = sim_temp(d, slot);
        emit_resize(d, t, slot, at, have, type);
        return t;
    }
    case PTX_OPND_IMM: return immediate(d, o, slot, type);
    case PTX_OPND_SREG: {
        const ptx_sreg_info *s = ptx_sreg_get((unsigned)o->sreg);
        sim_exec_fn *fn = sim_clock_handler(d->isa, (unsigned)o->sreg);
        if (fn) {
            d->image->clocked = true;
            unsigned have = sim_slot_of(s->type);
            sim_opnd t = sim_temp(d, have);
            sim_insn *i = sim_emit(d, fn, fn);
            i->d = t;
            if (have == slot) return t;
            sim_opnd t2 = sim_temp(d, slot);
            emit_resize(d, t2, slot, t, have, type);
            return t2;
        }
        unsigned have = sim_slot_of(s->type);
        sim_opnd at = special(d, (unsigned)o->sreg, have);
        if (have == slot) return at;
        sim_opnd t = sim_temp(d, slot);
        emit_resize(d, t, slot, at, have, type);
        return t;
    }
    case PTX_OPND_VAR: return emit_address(d, o->var, o->offset, slot);
    case PTX_OPND_FUNC: return sim_const(d, slot, sim_module_code(d->image->owner, o->func));
    case PTX_OPND_SINK: return sim_const(d, slot, 0);
    default: sim_decode_fail(d, "unexpected operand"); return 0;
    }
}

sim_opnd sim_destination(sim_decoder *d, const ptx_opnd *o, unsigned slot, ptx_type type) {
    if (o->kind == PTX_OPND_SINK) return d->sink;
    if (o->kind != PTX_OPND_REG) {
        sim_decode_fail(d, "the destination is not a register");
        return d->sink;
    }
    unsigned have = sim_slot_of(d->ptx->reg_type[o->reg]);
    if (have == slot) return d->reg_at[o->reg];
    if (have == SIM_SLOT_PRED || slot == SIM_SLOT_PRED ||
        d->fix_count == sizeof d->fix / sizeof *d->fix) {
        sim_decode_fail(d, "the destination's register is of another kind than the result");
        return d->sink;
    }
    sim_opnd t = sim_temp(d, slot);
    d->fix[d->fix_count].from = t;
    d->fix[d->fix_count].to = d->reg_at[o->reg];
    d->fix[d->fix_count].from_slot = (uint8_t)slot;
    d->fix[d->fix_count].to_slot = (uint8_t)have;
    d->fix[d->fix_count++].type = (uint8_t)type;
    return t;
}

void sim_flush_fixes(sim_decoder *d) {
    for (unsigned k = 0; k < d->fix_count; k++)
        emit_resize(d, d->fix[k].to, d->fix[k].to_slot, d->fix[k].from, d->fix[k].from_slot,
                    d->fix[k].type);
    d->fix_count = 0;
}

static ptx_type written_type(const ptx_insn *p, unsigned k) {
    return k < p->ntypes ? p->type[k] : PTX_NONE;
}

sim_insn *sim_emit_row(sim_decoder *d, const sim_exec_row *r) {
    static const uint8_t shift[5] = {0, 4, 8, 12, 16};
    const ptx_insn *p = d->insn;
    if (!r) return NULL;
    sim_opnd o[5] = {0};
    unsigned n = 0;
    ptx_type ts =
        written_type(p, 1) != PTX_NONE && p->op == PTX_OP_cvt ? p->type[1] : written_type(p, 0);
    for (unsigned k = 1; k < 5; k++) { /* sources first: they may emit */
        unsigned slot = r->slots >> shift[k] & 15;
        if (!slot) continue;
        n++;
        o[k] = n < p->nopnds ? sim_source(d, &p->opnd[n], slot, ts) : sim_const(d, slot, 0);
    }
    o[0] = sim_destination(d, &p->opnd[0], r->slots & 15, written_type(p, 0));
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = o[0];
    i->a = o[1];
    i->b = o[2];
    i->c = o[3];
    i->e = o[4];
    return i;
}

/* ---- memory: addresses and sites ---- */

void sim_address(sim_decoder *d, const ptx_opnd *o, unsigned space, sim_opnd *base,
                 uint64_t *offset) {
    unsigned slot =
        space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL ? SIM_SLOT_32 : SIM_SLOT_64;
    *offset = 0;
    if (o->var) {
        *base = emit_address(d, o->var, o->offset, slot);
        if (space == PTX_SPACE_GENERIC &&
            (o->var->space == PTX_SPACE_SHARED || o->var->space == PTX_SPACE_LOCAL))
            *offset = o->var->space == PTX_SPACE_SHARED ? SIM_SHARED_WINDOW : SIM_LOCAL_WINDOW;
    } else if (o->reg < 0) {
        uint64_t at = (uint64_t)o->offset + o->imm;
        *base = space == PTX_SPACE_SHARED && d->image->clustered ? shared_slot(d, at, slot)
                                                                 : sim_const(d, slot, at);
    } else {
        ptx_opnd r = *o;
        r.kind = PTX_OPND_REG;
        r.negated = 0;
        *base = sim_source(d, &r, slot, slot == SIM_SLOT_64 ? PTX_U64 : PTX_U32);
        *offset = (uint64_t)o->offset;
    }
}

uint16_t sim_atom_changes(unsigned op, ptx_type type) {
    bool natural = type == PTX_U8 || type == PTX_U16 || type == PTX_U32 || type == PTX_U64;
    switch (op) {
    case PTX_ATOM_add: return SIM_ATOM_ADD;
    case PTX_ATOM_min: return natural ? SIM_ATOM_MIN_U : SIM_ATOM_MIN_S;
    case PTX_ATOM_max: return natural ? SIM_ATOM_MAX_U : SIM_ATOM_MAX_S;
    case PTX_ATOM_inc: return SIM_ATOM_INC;
    case PTX_ATOM_dec: return SIM_ATOM_DEC;
    case PTX_ATOM_and: return SIM_ATOM_AND;
    case PTX_ATOM_or: return SIM_ATOM_OR;
    case PTX_ATOM_xor: return SIM_ATOM_XOR;
    case PTX_ATOM_exch: return SIM_ATOM_EXCH;
    default: return 0;
    }
}

sim_site *sim_site_add(sim_decoder *d, unsigned space, sim_access_kind kind, unsigned elem,
                       unsigned vec, unsigned reg) {
    sim_image *im = d->image;
    sim_site_list *n = sim_decode_alloc(d, sizeof *n);
    if (!n) return NULL;
    sim_site *s = &n->site;
    s->loc = d->insn->loc;
    s->ptx_line = d->insn->ptx_line;
    s->space = (uint8_t)space;
    s->kind = (uint8_t)kind;
    s->elem = (uint8_t)elem;
    s->vec = (uint8_t)vec;
    s->reg = (uint8_t)reg;
    switch (d->insn->field[PTX_FIELD_ORDER]) {
    case PTX_ORDER_volatile: s->flags |= SIM_SITE_VOLATILE | SIM_SITE_BYPASS_L1; break;
    case PTX_ORDER_relaxed: s->flags |= SIM_SITE_STRONG | SIM_SITE_BYPASS_L1; break;
    case PTX_ORDER_sc:
    case PTX_ORDER_acq_rel:
        s->flags |= SIM_SITE_STRONG | SIM_SITE_ACQUIRE | SIM_SITE_RELEASE;
        break;
    case PTX_ORDER_acquire:
        s->flags |= SIM_SITE_STRONG | SIM_SITE_ACQUIRE | SIM_SITE_BYPASS_L1;
        break;
    case PTX_ORDER_release: s->flags |= SIM_SITE_STRONG | SIM_SITE_RELEASE; break;
    default: break;
    }
    if (d->insn->field[PTX_FIELD_SCOPE] == PTX_SCOPE_cta) s->flags |= SIM_SITE_CTA;
    im->stores_late |= kind == SIM_ACCESS_STORE && !(s->flags & SIM_SITE_RELEASE) &&
                       s->flags & (SIM_SITE_VOLATILE | SIM_SITE_STRONG);
    if (!(s->flags & SIM_SITE_RELEASE)) s->flags |= SIM_SITE_LATE;
    im->atomics_late |=
        kind == SIM_ACCESS_ATOM && space != PTX_SPACE_SHARED && s->flags & SIM_SITE_LATE;
    im->loads_strong |= kind == SIM_ACCESS_LOAD && s->flags & (SIM_SITE_VOLATILE | SIM_SITE_STRONG);
    im->by_turns |= kind == SIM_ACCESS_ATOM || im->loads_strong;
    if (d->insn->flags >> PTX_F_SHARED_CLUSTER & 1) s->flags |= SIM_SITE_CLUSTER;
    if (d->insn->flags >> PTX_F_nc & 1) s->flags |= SIM_SITE_CONSTANT;
    unsigned cache = d->insn->field[PTX_FIELD_CACHE];
    if (cache == PTX_CACHE_cg || cache == PTX_CACHE_cv) s->flags |= SIM_SITE_BYPASS_L1;
    if ((space == PTX_SPACE_SHARED || space == PTX_SPACE_GENERIC) && elem < 4)
        im->byte_shadow = true;
    n->next = im->sites;
    im->sites = n;
    im->site_count++;
    return s;
}

void sim_site_done(sim_decoder *d, sim_site *s) {
    if (!s) return;
    bool any =
        d->image->clustered && (s->space == PTX_SPACE_SHARED || s->space == PTX_SPACE_GENERIC);
    sim_site *near = any ? sim_decode_alloc(d, sizeof *near) : NULL;
    if (any && !near) return;
    if (near ? !sim_site_bind_cluster(s, near, d->isa, &d->image->site_states)
             : !sim_site_bind(s, d->isa, &d->image->site_states))
        sim_decode_fail(d, "the simulated device does not access memory in this way");
}
