/* Conversions without a row in lane/cvt.def: directed rounding, saturation, halves, bfloat16, tf32,
 * eight-bit floats, packed pairs. One handler takes any pair of types: it turns the source into an
 * exact double or a 64-bit integer, and that into the destination. It is several times slower than
 * a row, but far fewer instructions need it. */
#include <fenv.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/narrow.h"

typedef struct {
    uint8_t dst, src, round; /* ptx_type, ptx_type, ptx_round */
    bool ftz, sat, relu, satfinite;
    bool pair;         /* two sources make one packed word, or one packed word makes two results */
    bool src64, dst64; /* slots */
} cvt_info;

static bool is_float(unsigned t) {
    switch (t) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_TF32:
    case PTX_F32:
    case PTX_F64:
    case PTX_E4M3:
    case PTX_E4M3X2:
    case PTX_E5M2:
    case PTX_E5M2X2: return true;
    default: return false;
    }
}
static bool is_signed_int(unsigned t) {
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}
static narrow_format format_of(unsigned t) {
    switch (t) {
    case PTX_F16:
    case PTX_F16X2: return NARROW_F16;
    case PTX_BF16:
    case PTX_BF16X2: return NARROW_BF16;
    case PTX_TF32: return NARROW_TF32;
    case PTX_E4M3:
    case PTX_E4M3X2: return NARROW_E4M3;
    case PTX_E5M2:
    case PTX_E5M2X2: return NARROW_E5M2;
    default: return NARROW_F32;
    }
}

static double to_double(unsigned t, uint64_t v) {
    switch (t) {
    case PTX_F64: return f64_bits(v);
    case PTX_F32:
    case PTX_TF32: return (double)f32_bits((uint32_t)v);
    case PTX_F16:
    case PTX_F16X2: return (double)f16_to_f32((uint16_t)v);
    case PTX_BF16:
    case PTX_BF16X2: return (double)bf16_to_f32((uint16_t)v);
    default: return widen((uint32_t)v & 0xff, format_of(t));
    }
}

static int mode_of(unsigned round) {
    switch (round) {
    case PTX_ROUND_rz: return NARROW_RZ;
    case PTX_ROUND_rm: return NARROW_RM;
    case PTX_ROUND_rp: return NARROW_RP;
    case PTX_ROUND_rna: return NARROW_RNA;
    default: return NARROW_RN;
    }
}

/* Converts a double to a float type. */
static uint64_t from_double(const cvt_info *c, double x, bool sticky) {
    if (c->relu) x = x > 0 ? x : x != x ? x : 0.0;
    if (c->sat && !(x > 0 && x < 1)) x = x > 0 ? 1.0 : 0.0, sticky = false;
    if (c->dst == PTX_F64) return bits_f64(x);
    narrow_format f = format_of(c->dst);
    /* keeps the sign and the high bits of the payload */
    if (x != x && c->src == PTX_F64 && !f.finite) {
        uint64_t b = bits_f64(x);
        uint32_t quiet = 1u << (f.mantissa - 1), all = ((1u << f.exponent) - 1) << f.mantissa;
        return (uint32_t)(b >> 63) << (f.exponent + f.mantissa) | all | quiet |
               (uint32_t)(b >> (52 - f.mantissa) & (quiet - 1));
    }
    uint32_t v = narrow(x, sticky, f, mode_of(c->round), c->satfinite);
    if (c->satfinite && f.exponent == 8 && x != x) v = 0x7fffffff >> (23 - f.mantissa);
    if (c->dst == PTX_TF32) return (uint64_t)v << 13;
    if (c->dst == PTX_F32 && c->ftz && !(v & 0x7f800000)) v &= 0x80000000;
    return v;
}

static double integral(unsigned round, double x) {
    switch (round) {
    case PTX_ROUND_rni: return __builtin_rint(x);
    case PTX_ROUND_rzi: return __builtin_trunc(x);
    case PTX_ROUND_rmi: return __builtin_floor(x);
    case PTX_ROUND_rpi: return __builtin_ceil(x);
    default: return x;
    }
}

/* Clamps an integer to the type. The result has 64 bits. */
static uint64_t clamp_int(unsigned t, bool negative, uint64_t magnitude, bool over) {
    unsigned bits = 8 * ptx_type_size(t);
    if (is_signed_int(t)) {
        uint64_t most = (1ull << (bits - 1)) - 1 + negative;
        if (over || magnitude > most) magnitude = most;
        return negative ? 0 - magnitude : magnitude;
    }
    if (negative) return 0;
    uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
    return over || magnitude > most ? most : magnitude;
}

static uint64_t convert(const cvt_info *c, uint64_t v) {
    if (is_float(c->src)) {
        if (c->ftz && c->src == PTX_F32 && !(v & 0x7f800000)) v &= 0x80000000;
        if (c->src == PTX_BF16 && c->dst == PTX_BF16 && !c->round)
            return (v & 0x7fff) > 0x7f80 ? 0x7fff : v & 0xffff;
        if (c->src == PTX_BF16 && c->dst == PTX_F32 && (v & 0x7fff) > 0x7f80)
            return c->ftz ? 0x7fffffff : (uint32_t)v << 16;
        if (c->dst == PTX_TF32 && c->round == PTX_ROUND_rna) { /* as the hardware does */
            uint32_t r = ((uint32_t)v + 0x1000) & 0xffffe000;
            return c->satfinite && (r & 0x7f800000) == 0x7f800000 ? r - 0x2000 : r;
        }
        double x = to_double(c->src, v);
        if (c->ftz && c->dst == PTX_F64 && x != x && !c->sat) return 0x7fffffffe0000000;
        if (is_float(c->dst)) return from_double(c, integral(c->round, x), false);
        if (x != x) { /* zero; only the sign bit if the source or the destination has 64 bits */
            unsigned bits = 8 * ptx_type_size(c->dst);
            return c->src == PTX_F64 || bits == 64
                       ? (is_signed_int(c->dst) ? 0 - (1ull << (bits - 1)) : 1ull << (bits - 1))
                       : 0;
        }
        x = integral(c->round, x);
        double m = __builtin_fabs(x);
        return clamp_int(c->dst, x < 0, m < 0x1p64 ? (uint64_t)m : 0, m >= 0x1p64);
    }
    unsigned bits = 8 * ptx_type_size(c->src);
    bool negative = is_signed_int(c->src) && v >> (bits - 1) & 1;
    if (bits < 64) v = negative ? v | ~0ull << bits : v & ((1ull << bits) - 1);
    uint64_t magnitude = negative ? 0 - v : v;
    if (!is_float(c->dst)) return c->sat ? clamp_int(c->dst, negative, magnitude, false) : v;
    bool sticky;
    if (c->dst == PTX_F64) {
        int mode = mode_of(c->round);
        double d = odd_double(negative, magnitude, &sticky);
        bool away = (mode == NARROW_RM && negative) || (mode == NARROW_RP && !negative);
        if (mode == NARROW_RN) d = negative ? -(double)magnitude : (double)magnitude;
        else if (sticky && away) d = f64_bits(bits_f64(d) + 1);
        return bits_f64(c->sat ? (d > 0 ? (d < 1 ? d : 1) : 0) : d);
    }
    double d = odd_double(negative, magnitude, &sticky);
    return from_double(c, d, sticky);
}

static uint64_t read_slot(const uint8_t *p, bool wide, unsigned l) {
    uint64_t v = 0;
    memcpy(&v, p + (wide ? 8 : 4) * (size_t)l, wide ? 8 : 4);
    return v;
}

/* R[d] := R[a] converted; packed: the high half from R[a], the low half from R[b], or both halves
 * of R[a] */
static void exec_cvt_any(sim_warp *w, const sim_insn *i) {
    const cvt_info *c = i->aux;
    const uint8_t *a = sim_slot(w, i->a), *b = sim_slot(w, i->b);
    uint8_t *d = sim_slot(w, i->d);
    bool small =
        ptx_type_size(c->dst) == 2 && c->dst != PTX_F16 && c->dst != PTX_BF16; /* a pair of bytes */
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint64_t v = read_slot(a, c->src64, l), r;
        if (!c->pair) {
            r = convert(c, v);
            if (!is_float(c->dst) && is_signed_int(c->dst)) { /* extended to the register's width */
                unsigned bits = 8 * ptx_type_size(c->dst);
                r = (uint64_t)((int64_t)(r << (64 - bits)) >> (64 - bits));
            } else if (!is_float(c->dst)) {
                unsigned bits = 8 * ptx_type_size(c->dst);
                r = r << (64 - bits) >> (64 - bits);
            }
        } else if (c->src == PTX_F32) {
            r = convert(c, v) << (small ? 8 : 16) | convert(c, read_slot(b, false, l));
        } else if (c->src == PTX_F16X2) { /* to bytes */
            r = convert(c, v >> 16) << 8 | convert(c, v & 0xffff);
        } else { /* bytes to halves */
            r = convert(c, v >> 8 & 0xff) << 16 | convert(c, v & 0xff);
        }
        memcpy(d + (c->dst64 ? 8 : 4) * (size_t)l, &r, c->dst64 ? 8 : 4);
    }
}

void sim_decode_cvt_any(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    cvt_info *c = sim_decode_alloc(d, sizeof *c);
    if (!c) return;
    *c = (cvt_info){.dst = p->type[0], .src = p->type[1], .round = p->field[PTX_FIELD_ROUND]};
    c->ftz = p->flags >> PTX_F_ftz & 1;
    c->sat = p->flags >> PTX_F_sat & 1;
    c->relu = p->flags >> PTX_F_relu & 1;
    c->satfinite = p->flags >> PTX_F_satfinite & 1;
    c->pair =
        c->dst == PTX_F16X2 || c->dst == PTX_BF16X2 || c->dst == PTX_E4M3X2 || c->dst == PTX_E5M2X2;
    c->src64 = ptx_type_size(c->src) == 8;
    c->dst64 = ptx_type_size(c->dst) == 8;
    if (c->round == PTX_ROUND_rs) {
        sim_decode_fail(d, "stochastic rounding is not supported");
        return;
    }
    sim_opnd a = sim_source(d, &p->opnd[1], c->src64 ? SIM_SLOT_64 : SIM_SLOT_32, c->src);
    sim_opnd b = p->nopnds > 2 ? sim_source(d, &p->opnd[2], SIM_SLOT_32, c->src) : a;
    sim_opnd to = sim_destination(d, &p->opnd[0], c->dst64 ? SIM_SLOT_64 : SIM_SLOT_32, c->dst);
    sim_insn *i = sim_emit(d, exec_cvt_any, exec_cvt_any);
    i->d = to, i->a = a, i->b = b;
    i->aux = c;
}

/* cvt.pack: a and b saturated to the first type and packed; smaller types go above the low bits of
 * c */
typedef struct {
    uint8_t dst, bits;
    bool sign, merge;
} pack_info;
static void exec_cvt_pack(sim_warp *w, const sim_insn *i) {
    const pack_info *k = i->aux;
    const int32_t *a = LANES(const int32_t, i->a), *b = LANES(const int32_t, i->b);
    const uint32_t *c = LANES(const uint32_t, i->c);
    uint32_t *d = LANES(uint32_t, i->d), mask = (1u << k->bits) - 1;
    int32_t hi = k->sign ? (1 << (k->bits - 1)) - 1 : (1 << k->bits) - 1,
            lo = k->sign ? -(1 << (k->bits - 1)) : 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        int32_t x = a[l] > hi   ? hi
                    : a[l] < lo ? lo
                                : a[l],
                y = b[l] > hi   ? hi
                    : b[l] < lo ? lo
                                : b[l];
        uint32_t r = ((uint32_t)x & mask) << k->bits | ((uint32_t)y & mask);
        if (k->merge) r |= c[l] << 2 * k->bits; /* c moves up, the two new values come below */
        d[l] = r;
    }
}
void sim_decode_cvt_pack(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    pack_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    unsigned t = p->type[0];
    k->bits = t == PTX_U16 || t == PTX_S16 ? 16
              : t == PTX_U8 || t == PTX_S8 ? 8
              : t == PTX_U4 || t == PTX_S4 ? 4
                                           : 2;
    k->sign = t == PTX_S16 || t == PTX_S8 || t == PTX_S4 || t == PTX_S2;
    k->merge = p->nopnds > 3;
    sim_opnd a = sim_source(d, &p->opnd[1], SIM_SLOT_32, PTX_S32),
             b = sim_source(d, &p->opnd[2], SIM_SLOT_32, PTX_S32);
    sim_opnd c = k->merge ? sim_source(d, &p->opnd[3], SIM_SLOT_32, PTX_B32) : a;
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, PTX_B32);
    sim_insn *i = sim_emit(d, exec_cvt_pack, exec_cvt_pack);
    i->d = to, i->a = a, i->b = b, i->c = c;
    i->aux = k;
}
