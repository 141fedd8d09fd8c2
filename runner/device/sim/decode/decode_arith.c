/* Families of instructions that compute. Each becomes one row, or a few rows, of a table of
 * handlers. decode_mem.c and decode_warp.c have the families that touch memory or other threads. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/machine/device.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/machine/module.h"

/* ---- the plain family: one row ---- */

static uint32_t variant_of(const ptx_insn *p) {
    static const struct {
        uint8_t flag;
        uint32_t bit;
    } map[] = {{PTX_F_ftz, SIM_V_FTZ},
               {PTX_F_sat, SIM_V_SAT},
               {PTX_F_hi, SIM_V_HI},
               {PTX_F_wide, SIM_V_WIDE},
               {PTX_F_cc, SIM_V_CC},
               {PTX_F_approx, SIM_V_APPROX},
               {PTX_F_full, SIM_V_FULL},
               {PTX_F_NaN, SIM_V_NAN},
               {PTX_F_xorsign, SIM_V_XORSIGN},
               {PTX_F_relu, SIM_V_RELU},
               {PTX_F_shiftamt, SIM_V_SHIFTAMT},
               {PTX_F_satfinite, SIM_V_SATFINITE}};
    uint32_t v = 0;
    for (size_t k = 0; k < sizeof map / sizeof *map; k++)
        if (p->flags >> map[k].flag & 1) v |= map[k].bit;
    const uint8_t *f = p->field;
    if (f[PTX_FIELD_CMP]) v |= SIM_V_F(f[PTX_FIELD_CMP]);
    if (f[PTX_FIELD_ROUND] && (f[PTX_FIELD_ROUND] != PTX_ROUND_rn || p->op == PTX_OP_cvt))
        v |= SIM_V_F(f[PTX_FIELD_ROUND]);
    if (f[PTX_FIELD_CLAMP]) v |= SIM_V_F(f[PTX_FIELD_CLAMP]);
    if (f[PTX_FIELD_PRMT]) v |= SIM_V_F(f[PTX_FIELD_PRMT]);
    if (f[PTX_FIELD_TESTP]) v |= SIM_V_F(f[PTX_FIELD_TESTP]);
    return v;
}

static ptx_type type_at(const ptx_insn *p, unsigned k) {
    return k < p->ntypes ? p->type[k] : PTX_NONE;
}

static bool is_half(unsigned t) {
    return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}

void sim_decode_plain(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    uint32_t v = variant_of(p);
    unsigned round = p->field[PTX_FIELD_ROUND];
    if (is_half(type_at(p, 0))) {
        sim_decode_half(d);
        return;
    }
    if (round == PTX_ROUND_rz || round == PTX_ROUND_rm || round == PTX_ROUND_rp) {
        sim_decode_rounded(d);
        return;
    }
    sim_insn *i = sim_emit_row(d, sim_row(d, p->op, type_at(p, 0), type_at(p, 1), v));
    if (!i) return;
    if (v & SIM_V_CC || p->op == PTX_OP_addc || p->op == PTX_OP_subc || p->op == PTX_OP_madc)
        i->e = d->carry;
}

void sim_decode_cvt(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    const sim_exec_row *r = p->nopnds == 2 ? sim_exec_find(d->isa, PTX_OP_cvt, type_at(p, 0),
                                                           type_at(p, 1), variant_of(p))
                                           : NULL;
    if (r) sim_emit_row(d, r);
    else sim_decode_cvt_any(d);
}

/* ---- comparisons and their predicates ---- */

/* P[p] := cmp, P[q] := !cmp, each combined with P[c] */
static sim_opnd emit_compare(sim_decoder *d, unsigned type, const ptx_opnd *a, const ptx_opnd *b,
                             sim_opnd high) {
    sim_opnd t = sim_temp(d, SIM_SLOT_PRED);
    if (is_half(type)) {
        sim_opnd oa = sim_source(d, a, SIM_SLOT_32, type), ob = sim_source(d, b, SIM_SLOT_32, type);
        sim_emit_half_setp(d, type, t, high, oa, ob);
        return t;
    }
    const sim_exec_row *r = sim_row(d, PTX_OP_setp, type, PTX_NONE, variant_of(d->insn));
    if (!r) return t;
    unsigned slot = r->slots >> 4 & 15;
    sim_opnd oa = sim_source(d, a, slot, type), ob = sim_source(d, b, slot, type);
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = t;
    i->a = oa;
    i->b = ob;
    return t;
}

static void emit_pred(sim_decoder *d, unsigned op, sim_opnd to, sim_opnd a, sim_opnd b) {
    const sim_exec_row *r = sim_row(d, op, PTX_PRED, PTX_NONE, 0);
    if (!r) return;
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = to;
    i->a = a;
    i->b = b;
}

static unsigned bool_op(unsigned field) {
    return field == PTX_BOOL_and ? PTX_OP_and : field == PTX_BOOL_or ? PTX_OP_or : PTX_OP_xor;
}

void sim_decode_setp(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool pair = p->flags >> PTX_F_PAIR & 1, combine = p->field[PTX_FIELD_BOOL] != 0;
    unsigned at = pair ? 2 : 1;
    unsigned type = p->type[0];
    if (!pair && !combine && !is_half(type)) {
        sim_emit_row(d, sim_row(d, PTX_OP_setp, type, PTX_NONE, variant_of(p)));
        return;
    }
    bool halves =
        type == PTX_F16X2 || type == PTX_BF16X2; /* p from the low halves, q from the high ones */
    sim_opnd q = sim_temp(d, SIM_SLOT_PRED),
             t = emit_compare(d, type, &p->opnd[at], &p->opnd[at + 1], q);
    if (pair && !halves) emit_pred(d, PTX_OP_not, q, t, 0);
    sim_opnd c = combine ? sim_source(d, &p->opnd[at + 2], SIM_SLOT_PRED, PTX_PRED) : 0;
    unsigned op = combine ? bool_op(p->field[PTX_FIELD_BOOL]) : PTX_OP_mov;
    if (pair && combine) emit_pred(d, op, q, q, c); /* before p is written: c may be p */
    emit_pred(d, op, sim_destination(d, &p->opnd[0], SIM_SLOT_PRED, PTX_PRED), t, c);
    if (pair)
        emit_pred(d, PTX_OP_mov, sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED), q, 0);
}

void sim_decode_set(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    unsigned dt = p->type[0], st = p->type[1];
    bool halves = st == PTX_F16X2 || st == PTX_BF16X2;
    sim_opnd q = sim_temp(d, SIM_SLOT_PRED), t = emit_compare(d, st, &p->opnd[1], &p->opnd[2], q);
    if (p->field[PTX_FIELD_BOOL]) {
        sim_opnd c = sim_source(d, &p->opnd[3], SIM_SLOT_PRED, PTX_PRED);
        emit_pred(d, bool_op(p->field[PTX_FIELD_BOOL]), t, t, c);
        if (halves) emit_pred(d, bool_op(p->field[PTX_FIELD_BOOL]), q, q, c);
    }
    uint64_t one = dt == PTX_F32                        ? 0x3f800000
                   : dt == PTX_F16 || dt == PTX_F16X2   ? 0x3c00
                   : dt == PTX_BF16 || dt == PTX_BF16X2 ? 0x3f80
                                                        : 0xffff;
    if (dt == PTX_U32 || dt == PTX_S32) one = 0xffffffff;
    const sim_exec_row *r = sim_row(d, PTX_OP_selp, PTX_B32, PTX_NONE, 0),
                       *or32 = sim_row(d, PTX_OP_or, PTX_B32, PTX_NONE, 0);
    if (!r || !or32) return;
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, dt);
    if (!halves) {
        sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
        i->d = to;
        i->a = sim_const(d, SIM_SLOT_32, one);
        i->b = sim_const(d, SIM_SLOT_32, 0);
        i->c = t;
        return;
    }
    one &= 0xffff;
    sim_opnd lo = sim_temp(d, SIM_SLOT_32), hi = sim_temp(d, SIM_SLOT_32),
             zero = sim_const(d, SIM_SLOT_32, 0);
    sim_opnd one_lo = sim_const(d, SIM_SLOT_32, one), one_hi = sim_const(d, SIM_SLOT_32, one << 16);
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = lo, i->a = one_lo, i->b = zero, i->c = t;
    i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = hi, i->a = one_hi, i->b = zero, i->c = q;
    i = sim_emit(d, or32->fn[0], or32->fn[1]);
    i->d = to, i->a = lo, i->b = hi;
}

void sim_decode_lop3(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool combine = p->field[PTX_FIELD_BOOL] != 0;
    unsigned at = combine ? 2 : 1;
    const sim_exec_row *r = sim_row(d, PTX_OP_lop3, PTX_B32, PTX_NONE, 0);
    if (!r) return;
    sim_opnd a = sim_source(d, &p->opnd[at], SIM_SLOT_32, PTX_B32),
             b = sim_source(d, &p->opnd[at + 1], SIM_SLOT_32, PTX_B32);
    sim_opnd c = sim_source(d, &p->opnd[at + 2], SIM_SLOT_32, PTX_B32);
    bool sink = p->opnd[0].kind == PTX_OPND_SINK;
    sim_opnd to =
        sink ? sim_temp(d, SIM_SLOT_32) : sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_insn *i = sim_emit(d, r->fn[0], r->fn[1]);
    i->d = to, i->a = a, i->b = b, i->c = c;
    i->imm = (uint32_t)p->opnd[at + 3].imm & 0xff;
    if (!combine) return;
    const sim_exec_row *ne = sim_row(d, PTX_OP_setp, PTX_B32, PTX_NONE, SIM_V_F(PTX_CMP_ne));
    if (!ne) return;
    sim_opnd t = sim_temp(d, SIM_SLOT_PRED),
             q = sim_source(d, &p->opnd[at + 4], SIM_SLOT_PRED, PTX_PRED),
             zero = sim_const(d, SIM_SLOT_32, 0);
    i = sim_emit(d, ne->fn[0], ne->fn[1]);
    i->d = t, i->a = to, i->b = zero;
    emit_pred(d, bool_op(p->field[PTX_FIELD_BOOL]),
              sim_destination(d, &p->opnd[1], SIM_SLOT_PRED, PTX_PRED), t, q);
}

/* ---- moves and addresses ---- */

static bool is_alias(sim_decoder *d) {
    const ptx_opnd *o = &d->insn->opnd[0];
    return o->kind == PTX_OPND_REG && d->reg_at[o->reg] != d->reg_slot[o->reg];
}

/* Elements of `bytes` bytes each that fill a word of 32 or (wide) 64 bits. */
typedef struct {
    const ptx_opnd *elem;
    unsigned count, bytes;
    bool wide;
} pack_word;

static unsigned word_slot(const pack_word *w) {
    return w->wide ? SIM_SLOT_64 : SIM_SLOT_32;
}
static unsigned word_type(const pack_word *w) {
    return w->wide ? PTX_U64 : PTX_U32;
}
static unsigned piece_type(const pack_word *w) {
    return w->bytes == 1 ? PTX_U8 : w->bytes == 2 ? PTX_U16 : w->bytes == 4 ? PTX_U32 : PTX_U64;
}
static unsigned piece_slot(const pack_word *w) {
    return w->bytes == 8 ? SIM_SLOT_64 : SIM_SLOT_32;
}

/* Emits the packing of the elements, from low to high, into a new slot. */
static sim_opnd emit_pack(sim_decoder *d, const pack_word *w) {
    unsigned slot = word_slot(w), bits = w->wide ? PTX_B64 : PTX_B32, part = piece_type(w);
    sim_opnd sum = 0;
    for (unsigned k = 0; k < w->count; k++) {
        sim_opnd s = sim_source(d, &w->elem[k], piece_slot(w), part), x = sim_temp(d, slot);
        sim_emit_op(d, PTX_OP_cvt, word_type(w), part, 0, x, s, 0);
        if (!k) {
            sum = x;
            continue;
        }
        sim_opnd y = sim_temp(d, slot), z = sim_temp(d, slot),
                 by = sim_const(d, SIM_SLOT_32, 8 * w->bytes * k);
        sim_emit_op(d, PTX_OP_shl, bits, PTX_NONE, 0, y, x, by);
        sim_emit_op(d, PTX_OP_or, bits, PTX_NONE, 0, z, sum, y);
        sum = z;
    }
    return sum;
}

/* the elements := s, from low to high */
static void emit_unpack(sim_decoder *d, const pack_word *w, sim_opnd s) {
    unsigned slot = word_slot(w), bits = w->wide ? PTX_B64 : PTX_B32, part = piece_type(w);
    if (!(s & 3)) { /* the source may be one of the destinations */
        sim_opnd t = sim_temp(d, slot);
        sim_emit_mov(d, slot, t, s);
        s = t;
    }
    for (unsigned k = 0; k < w->count; k++) {
        if (w->elem[k].kind == PTX_OPND_SINK) continue;
        sim_opnd to = sim_destination(d, &w->elem[k], piece_slot(w), part), x = s;
        if (k) {
            x = sim_temp(d, slot);
            sim_opnd by = sim_const(d, SIM_SLOT_32, 8 * w->bytes * k);
            sim_emit_op(d, PTX_OP_shr, bits, PTX_NONE, 0, x, s, by);
        }
        sim_emit_op(d, PTX_OP_cvt, part, word_type(w), 0, to, x, 0);
    }
}

/* R[d] := elements packed, from low to high; and the reverse */
static void decode_pack(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    unsigned total = ptx_type_size(p->type[0]), words = total == 16 ? 2 : 1;
    bool pack = p->opnd[1].kind == PTX_OPND_VEC;
    const ptx_opnd *v = pack ? &p->opnd[1] : &p->opnd[0];
    unsigned bytes = v->count ? total / v->count : 0;
    if (!bytes || bytes * v->count != total || bytes > 8 || bytes & (bytes - 1)) {
        sim_decode_fail(d, "cannot pack or unpack %u elements of %u bytes", v->count, bytes);
        return;
    }
    pack_word w = {v->elem, v->count / words, bytes, total >= 8};
    unsigned slot = sim_slot_of(p->type[0]);
    if (pack) {
        sim_opnd low = emit_pack(d, &w), high = 0;
        w.elem += w.count;
        if (words == 2) high = emit_pack(d, &w);
        sim_opnd to = sim_destination(d, &p->opnd[0], slot, p->type[0]);
        sim_emit_mov(d, word_slot(&w), to, low);
        if (words == 2) sim_emit_mov(d, word_slot(&w), sim_high_half(to), high);
    } else {
        sim_opnd s = sim_source(d, &p->opnd[1], slot, p->type[0]);
        emit_unpack(d, &w, s);
        w.elem += w.count;
        if (words == 2) emit_unpack(d, &w, sim_high_half(s));
    }
}

void sim_decode_mov(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (p->opnd[0].kind == PTX_OPND_VEC || p->opnd[1].kind == PTX_OPND_VEC) {
        decode_pack(d);
        return;
    }
    if (is_alias(d)) return;
    unsigned slot = sim_slot_of(p->type[0]);
    sim_opnd s = sim_source(d, &p->opnd[1], slot, p->type[0]);
    sim_opnd to = sim_destination(d, &p->opnd[0], slot, p->type[0]);
    if (slot == SIM_SLOT_128) {
        sim_emit_mov(d, SIM_SLOT_64, to, s);
        sim_emit_mov(d, SIM_SLOT_64, sim_high_half(to), sim_high_half(s));
        return;
    }
    sim_emit_mov(d, slot, to, s);
}

static uint64_t window(unsigned space) {
    return space == PTX_SPACE_SHARED  ? SIM_SHARED_WINDOW
           : space == PTX_SPACE_LOCAL ? SIM_LOCAL_WINDOW
                                      : 0;
}

void sim_decode_cvta(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    if (is_alias(d)) return;
    unsigned slot = sim_slot_of(p->type[0]);
    sim_opnd s = sim_source(d, &p->opnd[1], slot, p->type[0]),
             to = sim_destination(d, &p->opnd[0], slot, p->type[0]);
    uint64_t base =
        p->space == PTX_SPACE_PARAM ? d->image->owner->device->param_block : window(p->space);
    if (!base) {
        sim_emit_mov(d, slot, to, s);
        return;
    }
    if (p->flags >> PTX_F_to & 1) base = 0 - base;
    sim_opnd k = sim_const(d, slot, base);
    sim_emit_op(d, PTX_OP_add, slot == SIM_SLOT_64 ? PTX_B64 : PTX_B32, PTX_NONE, 0, to, s, k);
}

/* ---- instructions without effect on results ---- */

void sim_decode_hint(sim_decoder *d) {
    (void)d;
}

void sim_decode_createpolicy(sim_decoder *d) {
    sim_opnd zero = sim_const(d, SIM_SLOT_64, 0);
    sim_emit_mov(d, SIM_SLOT_64, sim_destination(d, &d->insn->opnd[0], SIM_SLOT_64, PTX_B64), zero);
}

void sim_decode_missing(sim_decoder *d) {
    sim_decode_fail(d, "the simulated device does not execute %s yet",
                    ptx_op_get(d->insn->op)->mnemonic);
}

/* Control flow is decoded in the segment's end (segments.c); at most the operand is left. */
void sim_decode_flow(sim_decoder *d) {
    sim_emit(d, NULL, NULL);
}

void sim_decode_flow_u32(sim_decoder *d) {
    sim_opnd a = sim_source(d, &d->insn->opnd[0], SIM_SLOT_32, PTX_U32);
    sim_emit(d, NULL, NULL)->a = a;
}
