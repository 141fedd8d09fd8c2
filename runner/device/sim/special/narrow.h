/* Rounds a double to a narrower binary format, in any rounding mode, with integer arithmetic. */
#ifndef WARPLAB_SIM_NARROW_H
#define WARPLAB_SIM_NARROW_H

#include <stdbool.h>
#include "runner/device/sim/lane/lane.h"

/* A format: sign, exponent, mantissa. finite: no infinities; all exponents hold numbers, except for
 * one NaN (e4m3). */
typedef struct {
    uint8_t exponent, mantissa;
    bool finite;
} narrow_format;
enum { NARROW_RN, NARROW_RZ, NARROW_RM, NARROW_RP, NARROW_RNA };

#define NARROW_F32  ((narrow_format){8, 23, false})
#define NARROW_F16  ((narrow_format){5, 10, false})
#define NARROW_BF16 ((narrow_format){8, 7, false})
#define NARROW_TF32 ((narrow_format){8, 10, false})
#define NARROW_E5M2 ((narrow_format){5, 2, false})
#define NARROW_E4M3 ((narrow_format){4, 3, true})

/* Returns the bits of x (or, with `sticky`, of x plus a little more magnitude) in format f. A NaN
 * becomes all ones except the sign. saturate: an infinite result becomes the largest finite
 * number. */
static inline uint32_t narrow(double x, bool sticky, narrow_format f, int mode, bool saturate) {
    uint64_t b = bits_f64(x), frac = b & 0x000fffffffffffff;
    unsigned width = f.exponent + f.mantissa;
    uint32_t sign = (uint32_t)(b >> 63) << width, top = (1u << width) - 1;
    int e = (int)(b >> 52 & 0x7ff), bias = (1 << (f.exponent - 1)) - 1;
    uint32_t infinite = f.finite ? top : top & ~((1u << f.mantissa) - 1);
    uint32_t largest = infinite - 1;
    if (e == 0x7ff) return frac ? top : sign | (saturate ? largest : infinite);
    if (e == 0 && frac == 0 && !sticky) return sign;
    if (e == 0) e = 1;
    else frac |= 1ull << 52;
    /* value = frac * 2^(e - 1075); the target's unit in the last place is 2^(t - bias - mantissa),
     * t >= 1 */
    int t = e - 1023 + bias;
    if (t < 1) t = 1;
    bool over = t >= 1 << f.exponent;
    int drop = (t - bias - f.mantissa) - (e - 1075);
    uint64_t kept, rest, half;
    if (over) {
        kept = rest = half = 0;
    } else if (drop > 62) {
        kept = 0, rest = frac | sticky, half = UINT64_MAX; /* less than half a unit */
    } else {
        kept = frac >> drop, rest = (frac & ((1ull << drop) - 1)) << 1 | sticky,
        half = 1ull << drop;
    }
    bool negative = b >> 63, up;
    switch (mode) {
    case NARROW_RZ: up = false; break;
    case NARROW_RM: up = negative && rest; break;
    case NARROW_RP: up = !negative && rest; break;
    case NARROW_RNA: up = rest >= half; break;
    default: up = rest > half || (rest == half && (kept & 1)); break;
    }
    kept += up;
    /* kept has at most mantissa + 2 bits; its implicit bit adds one to the exponent field of t -
     * 1 */
    uint64_t r = ((uint64_t)(t - 1) << f.mantissa) + kept;
    if (over || r >= infinite) {
        bool away = mode == NARROW_RN || mode == NARROW_RNA || (mode == NARROW_RM && negative) ||
                    (mode == NARROW_RP && !negative);
        return sign | (saturate || !away ? largest : infinite);
    }
    return sign | (uint32_t)r;
}

/* Turns an integer into a double that loses nothing for a second rounding: cut toward zero, and
 * *sticky says whether bits were lost. */
static inline double odd_double(bool negative, uint64_t magnitude, bool *sticky) {
    unsigned drop = magnitude >> 53 ? 11u - (unsigned)__builtin_clzll(magnitude) : 0;
    *sticky = (magnitude & ((1ull << drop) - 1)) != 0;
    double d = (double)(magnitude >> drop << drop);
    return negative ? -d : d;
}

/* x * y + z in double, cut so that one more rounding to at most 50 bits is right: the last bit says
 * whether bits were lost. */
static inline double odd_fma(double x, double y, double z) {
    double p = x * y, s = p + z; /* p is exact: the factors have at most 26 bits */
    if (s - s != 0) return s;
    double zz = s - p, error = (p - (s - zz)) + (z - zz);
    uint64_t b = bits_f64(s);
    if (error != 0 && !(b & 1)) b += ((error > 0) == (s > 0)) ? 1 : (uint64_t)-1;
    return f64_bits(b);
}

/* The exact value of a small format. */
static inline double widen(uint32_t v, narrow_format f) {
    uint32_t frac = v & ((1u << f.mantissa) - 1), e = v >> f.mantissa & ((1u << f.exponent) - 1),
             all = (1u << f.exponent) - 1;
    double sign = v >> (f.exponent + f.mantissa) & 1 ? -1.0 : 1.0;
    int bias = (1 << (f.exponent - 1)) - 1;
    if (e == all && (!f.finite || frac == (1u << f.mantissa) - 1))
        return f.finite || frac ? __builtin_nan("") : sign * __builtin_inf();
    int scale = (e ? (int)e : 1) - bias - f.mantissa;
    double m = (double)(frac | (e ? 1u << f.mantissa : 0));
    return sign * (m * f64_bits((uint64_t)(1023 + scale) << 52));
}

#endif
