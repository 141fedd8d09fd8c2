/* Handlers of single and double precision arithmetic: exec_fp.def over 32 lanes. */
#include "half.h"
#include "lanes.h"
#include "isa.h"
#include "approx.h"

static inline double high_word(double x) {
    return f64_bits(bits_f64(x) & 0xffffffff00000000);
}
static inline float min32(float a, float b) {
    float equal = f32_bits(bits_f32(a) | bits_f32(b)), r = a < b ? a : a > b ? b : equal;
    r = a != a ? b : b != b ? a : r;
    return nan32(r);
}
static inline float max32(float a, float b) {
    float equal = f32_bits(bits_f32(a) & bits_f32(b)), r = a > b ? a : a < b ? b : equal;
    r = a != a ? b : b != b ? a : r;
    return nan32(r);
}
static inline double min64(double a, double b) {
    double equal = f64_bits(bits_f64(a) | bits_f64(b)), r = a < b ? a : a > b ? b : equal;
    return a != a ? b : b != b ? a : r;
}
static inline double max64(double a, double b) {
    double equal = f64_bits(bits_f64(a) & bits_f64(b)), r = a > b ? a : a < b ? b : equal;
    return a != a ? b : b != b ? a : r;
}
static inline float any_nan(float a, float b, float r) {
    return a != a || b != b ? f32_bits(0x7fffffff) : r;
}
static inline float xorsign(float a, float b, float r) {
    return r != r ? r : f32_bits((bits_f32(r) & 0x7fffffff) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000));
}
/* a * (1/b), and 0 where 1/b would be subnormal: 2^126 < |b| < 2^128 (and infinity / such b is NaN) */
static inline float div_approx(float a, float b) {
    float m = __builtin_fabsf(b), q = a / b;
    float big = f32_bits((bits_f32(a) ^ bits_f32(b)) & 0x80000000) *
                a; /* 0 with the quotient's sign, NaN for infinite a */
    return m > 0x1p126f && m <= 0x1.fffffep127f ? __builtin_copysignf(big, q) : q;
}

#define UN(op, T, tag, variant, td, ta, expr)          LANE_UN(op, T, tag, td, ta, expr)
#define BIN(op, T, tag, variant, td, ta, tb, expr)     LANE_BIN(op, T, tag, td, ta, tb, expr)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr) LANE_TER(op, T, tag, td, ta, tb, tc, expr)
#define CMP(op, T, tag, variant, ta, expr)             LANE_CMP(op, T, tag, ta, expr)
#define CMPZ(op, T, tag, variant, ta, expr)            LANE_CMP(op, T, tag, ta, (a = flush(a), b = flush(b), (expr)))
#include "exec_fp.def"
#undef UN
#undef BIN
#undef TER
#undef CMP
#undef CMPZ

const sim_exec_row SIM_ISA_NAME(exec_fp_rows)[] = {
#undef ROW
#define ROW(op, T, tag, variant, slots, some)                                                                \
    {PTX_OP_##op, PTX_##T, PTX_NONE, variant, slots, {LANE_FN(op, T, tag, all), LANE_FN(op, T, tag, some)}},
#define UN(op, T, tag, variant, td, ta, expr)                                                                \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, 0, 0), some)
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                           \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, 0), some)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                                       \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define CMP(op, T, tag, variant, ta, expr)                                                                   \
    ROW(op, T, tag, variant, SIM_SLOTS(SIM_SLOT_PRED, SK_##ta, SK_##ta, 0), all)
#define CMPZ CMP
#include "exec_fp.def"
#undef UN
#undef BIN
#undef TER
#undef CMP
#undef CMPZ
#undef ROW
};
const size_t SIM_ISA_NAME(exec_fp_count) = sizeof SIM_ISA_NAME(exec_fp_rows) /
                                           sizeof SIM_ISA_NAME(exec_fp_rows)[0];
