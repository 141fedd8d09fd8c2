/* Functions of one lane's values that the expressions of lane/fp.def call. */
#ifndef WARPLAB_SIM_LANE_FP_H
#define WARPLAB_SIM_LANE_FP_H

#include <stdbool.h>
#include "runner/device/sim/lane/approx.h"
#include "runner/device/sim/lane/half.h"
#include "runner/device/sim/lane/types.h"

/* Makes a subnormal result zero, judged by the exact result: a value below 2^-126 that would round
 * up to 2^-126 becomes zero, too. The sum of two floats is exact in a double. */
static inline float flush_if(bool tiny, float r) {
    return tiny ? __builtin_copysignf(0.0f, r) : r;
}
static inline bool mul_is_tiny(float a, float b) {
    return __builtin_fabs((double)a * (double)b) < 0x1p-126;
}
static inline bool fma_is_tiny(float a, float b, float c) {
    double p = (double)a * (double)b, z = (double)c, s = p + z; /* p is exact */
    double zz = s - p, error = (p - (s - zz)) + (z - zz), m = __builtin_fabs(s);
    return (m < 0x1p-126) | ((m == 0x1p-126) & ((s < 0 ? error : -error) > 0));
}
static inline bool div_is_tiny(float a, float b) {
    return __builtin_fabs((double)a) < __builtin_fabs((double)b) * 0x1p-126;
}
static inline float mul_flush(float a, float b) {
    a = flush(a), b = flush(b);
    return flush_if(mul_is_tiny(a, b), a * b);
}
static inline float fma_flush(float a, float b, float c) {
    a = flush(a), b = flush(b), c = flush(c);
    return flush_if(fma_is_tiny(a, b, c), __builtin_fmaf(a, b, c));
}
static inline float div_flush(float a, float b) {
    a = flush(a), b = flush(b);
    return flush_if(div_is_tiny(a, b), a / b);
}
static inline double high_word(double x) {
    return f64_bits(bits_f64(x) & 0xffffffff00000000);
}
/* A result that has only the high word. NaN is the hardware's own. */
static inline double high_nan(double x) {
    return f64_bits(x == x ? bits_f64(x) & 0xffffffff00000000 : 0x7fffffff00000000);
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
    return r != r
               ? r
               : f32_bits((bits_f32(r) & 0x7fffffff) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000));
}
/* a * (1/b), and 0 where 1/b would be subnormal: 2^126 < |b| < 2^128 (and infinity / such b is
 * NaN) */
static inline float div_approx(float a, float b) {
    float m = __builtin_fabsf(b), q = a / b;
    /* 0 with the quotient's sign, NaN for infinite a */
    float big = f32_bits((bits_f32(a) ^ bits_f32(b)) & 0x80000000) * a;
    return m > 0x1p126f && m <= 0x1.fffffep127f ? __builtin_copysignf(big, q) : q;
}

#endif
