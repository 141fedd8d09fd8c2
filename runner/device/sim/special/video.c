/* Video instructions (PTX ISA 9.7.18, 9.7.19): scalar ones on a selected byte, half or word; SIMD
 * ones on two halves or four bytes; and testp. One handler for each kind; the instruction says what
 * to do. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"

typedef struct {
    uint16_t op;
    uint8_t second; /* ptx_atomop of the secondary operation, 0: none */
    uint8_t cmp, shift;
    bool sd, sa, sb, sf; /* signed destination, a, b, final result of vmad */
    bool sat, wrap, po;
    uint8_t lanes; /* SIMD: 2 or 4 */
    uint16_t dsel, asel, bsel;
    bool merge;          /* scalar: the result goes into a part of c */
    bool minus, minus_c; /* vmad: of a * b, of c */
} video_info;

static int64_t extend(uint32_t v, unsigned bits, bool sign) {
    uint64_t x = bits == 32 ? v : v & ((1u << bits) - 1);
    return sign ? (int64_t)(x << (64 - bits)) >> (64 - bits) : (int64_t)x;
}
static int64_t clamp(int64_t v, unsigned bits, bool sign) {
    int64_t hi = sign ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1,
            lo = sign ? -(1ll << (bits - 1)) : 0;
    return v > hi ? hi : v < lo ? lo : v;
}
/* Returns the byte, half or word of v that a selector names. */
static int64_t video_pick(uint32_t v, uint16_t sel, bool sign) {
    if (!sel) return extend(v, 32, sign);
    unsigned bits = PTX_SEL_IS_HALF(sel) ? 16 : 8;
    return extend(v >> bits * PTX_SEL_DIGIT(sel, 0), bits, sign);
}
static bool holds(unsigned cmp, int64_t a, int64_t b) {
    switch (cmp) {
    case PTX_CMP_eq: return a == b;
    case PTX_CMP_ne: return a != b;
    case PTX_CMP_lt: return a < b;
    case PTX_CMP_le: return a <= b;
    case PTX_CMP_gt: return a > b;
    default: return a >= b;
    }
}

static void exec_video(sim_warp *w, const sim_insn *i) {
    const video_info *k = i->aux;
    const uint32_t *pa = LANES(const uint32_t, i->a), *pb = LANES(const uint32_t, i->b),
                   *pc = LANES(const uint32_t, i->c);
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        int64_t a = video_pick(pa[l], k->asel, k->sa), b = video_pick(pb[l], k->bsel, k->sb), r = 0;
        switch (k->op) {
        case PTX_OP_vadd: r = a + b; break;
        case PTX_OP_vsub: r = a - b; break;
        case PTX_OP_vabsdiff: r = a < b ? b - a : a - b; break;
        case PTX_OP_vmin: r = a < b ? a : b; break;
        case PTX_OP_vmax: r = a > b ? a : b; break;
        case PTX_OP_vset: r = holds(k->cmp, a, b); break;
        case PTX_OP_vshl:
        case PTX_OP_vshr: {
            uint32_t by = (uint32_t)b;
            by = k->wrap ? by & 31 : by > 32 ? 32 : by;
            r = k->op == PTX_OP_vshl ? (int64_t)((uint64_t)a << by) : a >> by;
            if (k->sat) r = (int64_t)((uint64_t)r << 30) >> 30; /* has 34 bits (measured) */
            break;
        }
        default: { /* vmad: the product of two unsigned words exceeds an int64_t */
            __int128 product = (__int128)a * b, c = extend(pc[l], 32, k->sf);
            if (k->minus) product = -product;
            else if (k->minus_c) c = extend(~pc[l], 32, true) + 1;
            __int128 wide = (product + c + k->po) >> k->shift;
            r = wide > INT64_MAX ? INT64_MAX : wide < INT64_MIN ? INT64_MIN : (int64_t)wide;
            if (!k->sat) r = (int64_t)(uint64_t)wide;
            break;
        }
        }
        if (k->op == PTX_OP_vmad) {
            d[l] = (uint32_t)(k->sat ? clamp(r, 32, k->sf) : r);
            continue;
        }
        if (k->sat && k->op != PTX_OP_vset) r = clamp(r, 32, k->sd);
        uint32_t v = (uint32_t)r, c = pc[l];
        if (k->merge) {
            unsigned bits = PTX_SEL_IS_HALF(k->dsel) ? 16 : 8,
                     at = bits * PTX_SEL_DIGIT(k->dsel, 0);
            uint32_t mask = ((1u << bits) - 1) << at;
            if (k->sat) v = (uint32_t)clamp(r, bits, k->sd);
            d[l] = (c & ~mask) | (v << at & mask);
        } else if (k->second) {
            /* sums and saturated shifts are cut to 32 bits before they are compared, and always
             * sign-extended; if the result has no sign, 64 bits are compared (measured) */
            bool shift = k->op == PTX_OP_vshl || k->op == PTX_OP_vshr;
            if (k->op == PTX_OP_vadd || k->op == PTX_OP_vsub || (k->sat && shift)) r = (int32_t)v;
            bool less = k->sd ? r < (int32_t)c : (uint64_t)r < c;
            d[l] = k->second == PTX_ATOM_add   ? v + c
                   : k->second == PTX_ATOM_min ? (less ? v : c)
                                               : (less ? c : v);
        } else {
            d[l] = v;
        }
    }
}

static void exec_video_simd(sim_warp *w, const sim_insn *i) {
    const video_info *k = i->aux;
    const uint32_t *pa = LANES(const uint32_t, i->a), *pb = LANES(const uint32_t, i->b),
                   *pc = LANES(const uint32_t, i->c);
    uint32_t *d = LANES(uint32_t, i->d);
    unsigned bits = 32 / k->lanes;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t both = (uint64_t)pb[l] << 32 | pa[l];
        uint32_t merged = pc[l], sum = pc[l];
        for (unsigned n = 0; n < k->lanes; n++) {
            if (k->dsel && !(k->dsel >> n & 1)) continue;
            unsigned ia = k->asel ? PTX_SEL_DIGIT(k->asel, n) : n,
                     ib = k->bsel ? PTX_SEL_DIGIT(k->bsel, n) : n + k->lanes;
            int64_t a = extend((uint32_t)(both >> bits * ia), bits, k->sa),
                    b = extend((uint32_t)(both >> bits * ib), bits, k->sb), r;
            switch (k->op) {
            case PTX_OP_vadd2:
            case PTX_OP_vadd4: r = a + b; break;
            case PTX_OP_vsub2:
            case PTX_OP_vsub4: r = a - b; break;
            case PTX_OP_vavrg2:
            case PTX_OP_vavrg4: r = a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; break;
            case PTX_OP_vabsdiff2:
            case PTX_OP_vabsdiff4: r = a < b ? b - a : a - b; break;
            case PTX_OP_vmin2:
            case PTX_OP_vmin4: r = a < b ? a : b; break;
            case PTX_OP_vmax2:
            case PTX_OP_vmax4: r = a > b ? a : b; break;
            default: r = holds(k->cmp, a, b); break;
            }
            if (k->sat) r = clamp(r, bits, k->sd);
            uint32_t mask = (uint32_t)((1ull << bits) - 1) << bits * n;
            merged = (merged & ~mask) | ((uint32_t)r << bits * n & mask);
            sum += (uint32_t)r;
        }
        d[l] = k->second ? sum : merged;
    }
}

static bool video_signed(unsigned t) {
    return t == PTX_S32;
}

static video_info *video_info_of(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    video_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return NULL;
    bool set = p->field[PTX_FIELD_CMP] != 0; /* vset has no separate type for the result */
    k->op = p->op;
    k->second = p->field[PTX_FIELD_ATOM];
    k->cmp = p->field[PTX_FIELD_CMP];
    k->shift = p->flags >> PTX_F_shr7 & 1 ? 7 : p->flags >> PTX_F_shr15 & 1 ? 15 : 0;
    k->sd = video_signed(p->type[0]); /* for vset: of a, as measured */
    k->sa = video_signed(p->type[set ? 0 : 1]);
    k->sb = video_signed(p->type[set ? 1 : 2]);
    k->sat = p->flags >> PTX_F_sat & 1;
    k->po = p->flags >> PTX_F_po & 1;
    k->wrap = p->field[PTX_FIELD_CLAMP] == PTX_CLAMP_wrap;
    k->dsel = p->opnd[0].sel;
    k->asel = p->opnd[1].sel;
    k->bsel = p->opnd[2].sel;
    k->merge = k->dsel && !k->second;
    k->minus = p->opnd[1].negated != p->opnd[2].negated;
    k->minus_c = p->nopnds > 3 && p->opnd[3].negated;
    k->sf = k->sa || k->sb || k->minus || k->minus_c; /* PTX ISA, vmad */
    return k;
}

static void video_emit(sim_decoder *d, const video_info *k, sim_exec_fn *fn) {
    const ptx_insn *p = d->insn;
    sim_opnd s[3];
    for (unsigned n = 0; n < 3; n++) {
        s[n] = n + 1 < p->nopnds ? sim_source(d, &p->opnd[n + 1], SIM_SLOT_32, PTX_B32)
                                 : sim_const(d, SIM_SLOT_32, 0);
    }
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_insn *i = sim_emit(d, fn, fn);
    i->d = to, i->a = s[0], i->b = s[1], i->c = s[2];
    i->aux = k;
}
void sim_decode_video(sim_decoder *d) {
    video_info *k = video_info_of(d);
    if (k) video_emit(d, k, exec_video);
}
void sim_decode_video_simd(sim_decoder *d) {
    video_info *k = video_info_of(d);
    if (!k) return;
    k->lanes = (uint8_t)ptx_video_lanes(d->insn->op);
    if (k->dsel) { /* as a mask of lanes */
        uint16_t sel = k->dsel, mask = 0;
        for (unsigned n = 0; n < (unsigned)PTX_SEL_COUNT(sel); n++)
            mask |= (uint16_t)(1u << PTX_SEL_DIGIT(sel, n));
        k->dsel = mask;
    }
    video_emit(d, k, exec_video_simd);
}

/* ---- testp ---- */

static bool testp_holds(unsigned what, bool special, bool fraction, bool zero_exponent) {
    switch (what) {
    case PTX_TESTP_finite: return !special;
    case PTX_TESTP_infinite: return special && !fraction;
    case PTX_TESTP_number: return !(special && fraction);
    case PTX_TESTP_notanumber: return special && fraction;
    case PTX_TESTP_normal:
        return !special && !(zero_exponent && fraction); /* zero counts as normal */
    default: return zero_exponent && fraction;
    }
}
/* P[d] := R[a] is of the kind imm */
static void exec_testp32(sim_warp *w, const sim_insn *i) {
    const uint32_t *a = LANES(const uint32_t, i->a);
    uint32_t bits = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        uint32_t e = a[l] & 0x7f800000;
        bits |= (uint32_t)testp_holds(i->imm, e == 0x7f800000, a[l] & 0x7fffff, e == 0) << l;
    }
    sim_set_pred(w, i->d, bits);
}
static void exec_testp64(sim_warp *w, const sim_insn *i) {
    const uint64_t *a = LANES(const uint64_t, i->a);
    uint32_t bits = 0;
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        uint64_t e = a[l] & 0x7ff0000000000000;
        bits |=
            (uint32_t)testp_holds(i->imm, e == 0x7ff0000000000000, a[l] & 0xfffffffffffff, e == 0)
            << l;
    }
    sim_set_pred(w, i->d, bits);
}
void sim_decode_testp(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    bool wide = p->type[0] == PTX_F64;
    sim_opnd a = sim_source(d, &p->opnd[1], wide ? SIM_SLOT_64 : SIM_SLOT_32, p->type[0]);
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_PRED, PTX_PRED);
    sim_insn *i =
        sim_emit(d, wide ? exec_testp64 : exec_testp32, wide ? exec_testp64 : exec_testp32);
    i->d = to, i->a = a;
    i->imm = p->field[PTX_FIELD_TESTP];
}
