/* Half precision and bfloat16, single and packed (PTX ISA 9.7.4, 9.7.7): each operation is done in
 * single precision and rounded back. That is exact: the result of one operation on 11-bit (8-bit)
 * values, rounded to 24 bits and then to 11 (8), equals the result rounded once. fma needs
 * odd_fma(). One lane function for each type, called for each half of a packed word. */
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/special/narrow.h"
#include "runner/device/sim/lane/lane.h"

typedef struct {
    uint16_t op;
    bool bf, packed;
    bool ftz, sat, relu, nan, xorsign;
    uint8_t cmp; /* ptx_cmp of setp */
} half_info;

static inline float half_load(bool bf, bool ftz, uint16_t h) {
    if (ftz && !bf && !(h & 0x7c00)) h &= 0x8000;
    return bf ? bf16_to_f32(h) : f16_to_f32(h);
}
static inline uint16_t half_store(const half_info *k, float r) {
    if (k->relu) r = r > 0 ? r : r != r ? r : 0;
    if (k->sat) r = sat32(r);
    if (k->ftz && !k->bf && __builtin_fabsf(r) < 0x1p-14f) r = __builtin_copysignf(0, r);
    return k->bf ? f32_to_bf16(r) : f32_to_f16(r);
}

static uint16_t half_op(const half_info *k, uint16_t a, uint16_t b, uint16_t c) {
    if (k->op == PTX_OP_neg || k->op == PTX_OP_abs) { /* works on the bits */
        if ((a & 0x7fff) > (k->bf ? 0x7f80 : 0x7c00)) return 0x7fff;
        if (k->ftz && !(a & 0x7c00)) a &= 0x8000;
        return k->op == PTX_OP_neg ? a ^ 0x8000 : a & 0x7fff;
    }
    float x = half_load(k->bf, k->ftz, a), y = half_load(k->bf, k->ftz, b),
          z = half_load(k->bf, k->ftz, c);
    switch (k->op) {
    case PTX_OP_add: return half_store(k, x + y);
    case PTX_OP_sub: return half_store(k, x - y);
    case PTX_OP_mul: return half_store(k, x * y);
    case PTX_OP_fma: {
        double s = odd_fma((double)x, (double)y, (double)z);
        if (k->relu) s = s > 0 || s != s ? s : 0;
        if (k->sat) s = s > 0 ? (s < 1 ? s : 1) : 0;
        if (k->ftz && !k->bf && __builtin_fabs(s) < 0x1p-14) s = __builtin_copysign(0, s);
        return (uint16_t)narrow(s, false, k->bf ? NARROW_BF16 : NARROW_F16, NARROW_RN, false);
    }
    case PTX_OP_min:
    case PTX_OP_max: {
        uint16_t sign = k->xorsign ? (a ^ b) & 0x8000 : 0;
        if (k->xorsign) x = __builtin_fabsf(x), y = __builtin_fabsf(y);
        if (x != x && (y != y || k->nan)) return 0x7fff;
        if (y != y && k->nan) return 0x7fff;
        bool less = x < y || (x == y && __builtin_signbit(x) && !__builtin_signbit(y)) || y != y;
        if (x != x) less = false;
        bool first = y != y || (x == x && (k->op == PTX_OP_min ? less : !less));
        uint16_t h = k->bf ? f32_to_bf16(first ? x : y) : f32_to_f16(first ? x : y);
        return k->xorsign ? (uint16_t)((h & 0x7fff) | sign) : h;
    }
    case PTX_OP_ex2: {
        if (k->bf && !(a & 0x7f80)) x = 0;
        float r = ex2_approx(x);
        if (k->bf) r = flush(r);
        return k->bf ? f32_to_bf16(r) : f32_to_f16(r);
    }
    case PTX_OP_tanh: return k->bf ? f32_to_bf16(tanh_approx(x)) : f32_to_f16(tanh_approx(x));
    default: return 0;
    }
}

/* R[d] := op over a, b, c; packed: in both halves */
static void exec_half(sim_warp *w, const sim_insn *i) {
    const half_info *k = i->aux;
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b),
                   *c = LANES(const uint32_t, i->c);
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        uint32_t r = half_op(k, (uint16_t)a[l], (uint16_t)b[l], (uint16_t)c[l]);
        if (k->packed)
            r |= (uint32_t)half_op(k, (uint16_t)(a[l] >> 16), (uint16_t)(b[l] >> 16),
                                   (uint16_t)(c[l] >> 16))
                 << 16;
        d[l] = r;
    }
}

void sim_decode_half(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    half_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    unsigned t = p->type[0];
    k->op = p->op;
    k->bf = t == PTX_BF16 || t == PTX_BF16X2;
    k->packed = t == PTX_F16X2 || t == PTX_BF16X2;
    k->ftz = p->flags >> PTX_F_ftz & 1;
    k->sat = p->flags >> PTX_F_sat & 1;
    k->relu = p->flags >> PTX_F_relu & 1;
    k->nan = p->flags >> PTX_F_NaN & 1;
    k->xorsign = p->flags >> PTX_F_xorsign & 1;
    sim_opnd s[3];
    for (unsigned n = 0; n < 3; n++)
        s[n] = n + 1 < p->nopnds ? sim_source(d, &p->opnd[n + 1], SIM_SLOT_32, t)
                                 : sim_const(d, SIM_SLOT_32, 0);
    sim_opnd to = sim_destination(d, &p->opnd[0], SIM_SLOT_32, t);
    sim_insn *i = sim_emit(d, exec_half, exec_half);
    i->d = to, i->a = s[0], i->b = s[1], i->c = s[2];
    i->aux = k;
}

static bool half_compare(unsigned cmp, float x, float y) {
    bool nan = x != x || y != y;
    switch (cmp) {
    case PTX_CMP_eq: return x == y;
    case PTX_CMP_ne: return !nan && x != y;
    case PTX_CMP_lt: return x < y;
    case PTX_CMP_le: return x <= y;
    case PTX_CMP_gt: return x > y;
    case PTX_CMP_ge: return x >= y;
    case PTX_CMP_equ: return nan || x == y;
    case PTX_CMP_neu: return nan || x != y;
    case PTX_CMP_ltu: return nan || x < y;
    case PTX_CMP_leu: return nan || x <= y;
    case PTX_CMP_gtu: return nan || x > y;
    case PTX_CMP_geu: return nan || x >= y;
    case PTX_CMP_num: return !nan;
    default: return nan;
    }
}

/* P[d] := a cmp b of the low halves; if packed, P[e] := the same for the high halves */
static void exec_half_setp(sim_warp *w, const sim_insn *i) {
    const half_info *k = i->aux;
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b);
    uint32_t low = 0, high = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        low |= (uint32_t)half_compare(k->cmp, half_load(k->bf, k->ftz, (uint16_t)a[l]),
                                      half_load(k->bf, k->ftz, (uint16_t)b[l]))
               << l;
        if (k->packed)
            high |= (uint32_t)half_compare(k->cmp, half_load(k->bf, k->ftz, (uint16_t)(a[l] >> 16)),
                                           half_load(k->bf, k->ftz, (uint16_t)(b[l] >> 16)))
                    << l;
    }
    sim_set_pred(w, i->d, low);
    if (k->packed) sim_set_pred(w, i->e, high);
}

void sim_emit_half_setp(sim_decoder *d, unsigned type, sim_opnd to, sim_opnd high, sim_opnd a,
                        sim_opnd b) {
    half_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    k->bf = type == PTX_BF16 || type == PTX_BF16X2;
    k->packed = type == PTX_F16X2 || type == PTX_BF16X2;
    k->ftz = d->insn->flags >> PTX_F_ftz & 1;
    k->cmp = d->insn->field[PTX_FIELD_CMP];
    sim_insn *i = sim_emit(d, exec_half_setp, exec_half_setp);
    i->d = to, i->e = high, i->a = a, i->b = b;
    i->aux = k;
}
