/* Single and double precision arithmetic in the rounding modes .rz, .rm and .rp. It uses the host's
 * own modes, switched around the operation. The operation is called through a volatile pointer, so
 * that the compiler keeps it between the switches. */
#include <fenv.h>
#include "runner/device/sim/emit/emit.h"
#include "runner/device/sim/exec/lanes.h"
#include "runner/device/sim/lane/lane.h"

typedef struct {
    uint16_t op;
    bool ftz, sat;
    int round;
} round_info;

/* Computes all lanes, which takes less work than selecting the active ones. */
#define ROUNDED(name, T, fma_fn, sqrt_fn)                                                          \
    static void name##_lanes(unsigned op, const T *x, const T *y, const T *z, T *r) {              \
        switch (op) {                                                                              \
        case PTX_OP_add: EACH_LANE r[l] = x[l] + y[l]; break;                                      \
        case PTX_OP_sub: EACH_LANE r[l] = x[l] - y[l]; break;                                      \
        case PTX_OP_mul: EACH_LANE r[l] = x[l] * y[l]; break;                                      \
        case PTX_OP_div: EACH_LANE r[l] = x[l] / y[l]; break;                                      \
        case PTX_OP_rcp: EACH_LANE r[l] = 1 / x[l]; break;                                         \
        case PTX_OP_sqrt: EACH_LANE r[l] = sqrt_fn(x[l]); break;                                   \
        default: EACH_LANE r[l] = fma_fn(x[l], y[l], z[l]); break;                                 \
        }                                                                                          \
    }                                                                                              \
    static void (*volatile const name)(unsigned, const T *, const T *, const T *, T *) =           \
        name##_lanes;
ROUNDED(rounded32, float, fmaf, sqrtf)
ROUNDED(rounded64, double, fma, sqrt)

/* Sets the mode of the unit that computes `op`. fesetround() also sets that of the x87, which the C
 * library's fma may use, and takes as long as all the rest. */
static void set_round(unsigned op, int mode) {
#if defined(__SSE2__)
    enum { SHIFT = 3 }; /* from the x87's control word to MXCSR, Intel SDM volume 1, 10.2.3 */
    unsigned all = (FE_DOWNWARD | FE_UPWARD | FE_TOWARDZERO) << SHIFT;
    if (op != PTX_OP_fma && op != PTX_OP_mad) {
        __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~all) | (unsigned)mode << SHIFT);
        return;
    }
#endif
    (void)op;
    fesetround(mode);
}

/* Returns whether the exact result is subnormal. */
static bool round_is_tiny(unsigned op, float a, float b, float c) {
    switch (op) {
    case PTX_OP_mul: return mul_is_tiny(a, b);
    case PTX_OP_div: return div_is_tiny(a, b);
    case PTX_OP_rcp: return div_is_tiny(1, a);
    case PTX_OP_mad:
    case PTX_OP_fma: return fma_is_tiny(a, b, c);
    default: return false; /* subnormal sums are exact; roots are never subnormal */
    }
}

static void exec_round32(sim_warp *w, const sim_insn *i) {
    const round_info *k = i->aux;
    const float *a = LANES(const float, i->a), *b = LANES(const float, i->b),
                *c = LANES(const float, i->c);
    float *d = LANES(float, i->d);
    float raw[SIM_WARP_LANES], x[SIM_WARP_LANES], y[SIM_WARP_LANES], z[SIM_WARP_LANES];
    for (unsigned l = 0; l < SIM_WARP_LANES; l++) {
        x[l] = k->ftz ? flush(a[l]) : a[l];
        y[l] = k->ftz ? flush(b[l]) : b[l];
        z[l] = k->ftz ? flush(c[l]) : c[l];
    }
    set_round(k->op, k->round);
    rounded32(k->op, x, y, z, raw);
    set_round(k->op, FE_TONEAREST);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        float r = k->sat ? sat32(raw[l]) : nan32(raw[l]);
        d[l] = k->ftz ? flush(flush_if(round_is_tiny(k->op, x[l], y[l], z[l]), r)) : r;
    }
}
static void exec_round64(sim_warp *w, const sim_insn *i) {
    const round_info *k = i->aux;
    const double *a = LANES(const double, i->a), *b = LANES(const double, i->b),
                 *c = LANES(const double, i->c);
    double *d = LANES(double, i->d);
    double raw[SIM_WARP_LANES];
    set_round(k->op, k->round);
    rounded64(k->op, a, b, c, raw);
    set_round(k->op, FE_TONEAREST);
    bool two = k->op != PTX_OP_rcp && k->op != PTX_OP_sqrt;
    bool three = k->op == PTX_OP_fma || k->op == PTX_OP_mad;
    uint64_t nan = 0;
    EACH_LANE nan += raw[l] != raw[l];
    if (nan) EACH_LANE raw[l] = nan64(a[l], two ? b[l] : a[l], three ? c[l] : a[l], raw[l]);
    if (w->mask == SIM_ALL_LANES) memcpy(d, raw, sizeof raw);
    else EACH_LANE d[l] = LANE_ON(w->mask) ? raw[l] : d[l];
}

void sim_decode_rounded(sim_decoder *d) {
    const ptx_insn *p = d->insn;
    round_info *k = sim_decode_alloc(d, sizeof *k);
    if (!k) return;
    bool wide = p->type[0] == PTX_F64;
    unsigned mode = p->field[PTX_FIELD_ROUND], slot = wide ? SIM_SLOT_64 : SIM_SLOT_32;
    k->op = p->op;
    k->round = mode == PTX_ROUND_rz   ? FE_TOWARDZERO
               : mode == PTX_ROUND_rm ? FE_DOWNWARD
                                      : FE_UPWARD;
    k->ftz = p->flags >> PTX_F_ftz & 1;
    k->sat = p->flags >> PTX_F_sat & 1;
    sim_opnd s[3] = {0};
    for (unsigned n = 0; n < 3; n++)
        s[n] = n + 1 < p->nopnds ? sim_source(d, &p->opnd[n + 1], slot, p->type[0])
                                 : sim_const(d, slot, 0);
    sim_opnd to = sim_destination(d, &p->opnd[0], slot, p->type[0]);
    sim_insn *i =
        sim_emit(d, wide ? exec_round64 : exec_round32, wide ? exec_round64 : exec_round32);
    i->d = to, i->a = s[0], i->b = s[1], i->c = s[2];
    i->aux = k;
}
