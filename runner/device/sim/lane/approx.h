/* Approximations of the special functions, written so that a loop over lanes becomes vector code:
 * without calls, branches or tables. All work in double precision, with a relative error of about
 * 2^-28 (sine and cosine: an absolute error, of the reduced argument), well within the bounds of
 * the PTX ISA. Sine and cosine lose the same precision as the hardware by reducing their
 * argument. */
#ifndef WARPLAB_SIM_APPROX_H
#define WARPLAB_SIM_APPROX_H

#include "runner/device/sim/lane/half.h"

/* e to the power f for |f| <= ln 2 / 2, exact to the last bits of a double. */
static inline double exp_near_zero(double f) {
    return 1.0 +
           f * (1.0 +
                f * (1.0 / 2 +
                     f * (1.0 / 6 + f * (1.0 / 24 +
                                         f * (1.0 / 120 +
                                              f * (1.0 / 720 + f * (1.0 / 5040 +
                                                                    f * (1.0 / 40320 +
                                                                         f * (1.0 / 362880)))))))));
}

/* 2^x: the integer part goes into the exponent; for the fraction f (|f| <= 1/2) a Taylor polynomial
 * of degree 9 in f * ln 2. */
static inline float ex2_approx(float x) {
    double d = x < 200.0f ? (x > -200.0f ? (double)x : -200.0) : 200.0;
    double shifted = d + 0x1.8p52, whole = shifted - 0x1.8p52; /* nearest integer */
    double f = (d - whole) * 0x1.62e42fefa39efp-1;
    double p = exp_near_zero(f);
    uint64_t exponent = bits_f64(shifted) + 1023; /* the low bits of `shifted` are the integer */
    float r = (float)(p * f64_bits(exponent << 52));
    return x != x ? x : r;
}

/* log2 x: the exponent, plus 2/ln2 * atanh((m-1)/(m+1)) of the mantissa m in [sqrt 1/2, sqrt 2). */
static inline float lg2_approx(float x) {
    double d = (double)x;
    uint64_t b = bits_f64(d) - 0x3fe6a09e667f3bcd;
    int64_t e = (int64_t)b >> 52;
    double m = f64_bits((b & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    double t = (m - 1.0) / (m + 1.0), t2 = t * t;
    double s =
        t *
        (2.0 +
         t2 * (2.0 / 3 +
               t2 * (2.0 / 5 +
                     t2 * (2.0 / 7 +
                           t2 * (2.0 / 9 + t2 * (2.0 / 11 + t2 * (2.0 / 13 + t2 * (2.0 / 15))))))));
    float r = (float)((double)e + s * 0x1.71547652b82fep0);
    r = x == 0 ? -__builtin_inff() : x == __builtin_inff() ? x : r;
    return x >= 0 ? r : __builtin_nanf("");
}

/* sin(x + quarter * pi/2) as the hardware computes it. The hardware turns x into turns by one
 * product with 1/(2 pi) of 24 bits, cut to 24 bits, and its unit takes the fraction of the result.
 * So the error is about 1.4e-7 of x, and from 2^24 turns on no fraction is left. An H200's largest
 * errors around 14 arguments agree to three digits (tests/unit/test_sine.c). The unit's own error
 * of about 2^-22 is not modelled. The product of two floats is exact in a double, so every host
 * gives the same result. */
static inline float sin_approx(float x, int quarter) {
    double turns = f64_bits(bits_f64((double)x * 0x1.45f306p-3) & ~(uint64_t)0x1fffffff);
    turns = __builtin_fabs(turns) < 0x1p24 ? turns : 0;
    double shifted = 4 * turns + 0x1.8p52, n = shifted - 0x1.8p52; /* quarters */
    double r = (turns - n * 0.25) * 0x1.921fb54442d18p2, r2 = r * r;
    uint64_t q = bits_f64(shifted) + (uint64_t)quarter;
    double s =
        r * (1.0 + r2 * (-1.0 / 6 +
                         r2 * (1.0 / 120 +
                               r2 * (-1.0 / 5040 + r2 * (1.0 / 362880 + r2 * (-1.0 / 39916800))))));
    double c =
        1.0 + r2 * (-1.0 / 2 +
                    r2 * (1.0 / 24 +
                          r2 * (-1.0 / 720 + r2 * (1.0 / 40320 + r2 * (-1.0 / 3628800 +
                                                                       r2 * (1.0 / 479001600))))));
    double v = q & 1 ? c : s;
    v = q & 2 ? -v : v;
    float out = (float)v;
    out = x == 0 && !quarter ? x : out;
    return x - x == 0 ? out : __builtin_nanf("");
}

/* (e^2x - 1) / (e^2x + 1), with 2^y; near 0 the series. */
static inline float tanh_approx(float x) {
    double m = __builtin_fabs((double)x);
    m = m < 20.0 ? m : 20.0;
    double y = m * 0x1.71547652b82fep1, shifted = y + 0x1.8p52, whole = shifted - 0x1.8p52,
           f = (y - whole) * 0x1.62e42fefa39efp-1;
    double p = exp_near_zero(f);
    double e = p * f64_bits((bits_f64(shifted) + 1023) << 52), t = (e - 1.0) / (e + 1.0);
    double small = m * (1.0 - m * m * (1.0 / 3 - m * m * (2.0 / 15)));
    t = m < 0x1p-5 ? small : t;
    float r = __builtin_copysignf((float)t, x);
    return x != x ? x : r;
}

#endif
