/* Half precision and bfloat16 in software: exact conversions, round to nearest even unless a name
 * says otherwise. */
#ifndef WARPLAB_SIM_HALF_H
#define WARPLAB_SIM_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_f32(float x) {
    uint32_t b;
    memcpy(&b, &x, 4);
    return b;
}
static inline float f32_bits(uint32_t b) {
    float x;
    memcpy(&x, &b, 4);
    return x;
}
static inline uint64_t bits_f64(double x) {
    uint64_t b;
    memcpy(&b, &x, 8);
    return b;
}
static inline double f64_bits(uint64_t b) {
    double x;
    memcpy(&x, &b, 8);
    return x;
}

/* The value of a half. Scaling an f32 by a power of two also gives subnormals correctly. */
static inline float f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, mag = h & 0x7fff;
    if (mag >= 0x7c00) return f32_bits(sign | 0x7f800000 | (mag & 0x3ff) << 13);
    return f32_bits(sign | bits_f32(f32_bits(mag << 13) * 0x1p112f));
}
static inline float bf16_to_f32(uint16_t h) {
    return f32_bits((uint32_t)h << 16);
}

/* Cuts `drop` low bits off the magnitude, rounding to nearest even or toward zero. */
static inline uint32_t half_round(uint32_t mag, unsigned drop, int to_zero) {
    if (drop > 31) return 0;
    uint32_t kept = mag >> drop, rest = mag & ((1u << drop) - 1),
             half = drop ? 1u << (drop - 1) : 0;
    if (!to_zero && drop && (rest > half || (rest == half && (kept & 1)))) kept++;
    return kept;
}
static inline uint16_t f32_to_f16_mode(float x, int to_zero) {
    uint32_t b = bits_f32(x), sign = b >> 16 & 0x8000, mag = b & 0x7fffffff;
    if (mag > 0x7f800000) return 0x7fff;
    if (mag == 0x7f800000) return (uint16_t)(sign | 0x7c00);
    if (mag < 0x38800000) { /* below 2^-14: a multiple of 2^-24, a subnormal */
        unsigned e = mag >> 23;
        if (e < 102) return (uint16_t)sign; /* below 2^-25 */
        return (uint16_t)(sign | half_round((mag & 0x7fffff) | 0x800000, 126 - e, to_zero));
    }
    uint32_t r = half_round(mag - 0x38000000, 13, to_zero);
    if (r >= 0x7c00) r = to_zero ? 0x7bff : 0x7c00;
    return (uint16_t)(sign | r);
}
static inline uint16_t f32_to_f16(float x) {
    return f32_to_f16_mode(x, 0);
}
static inline uint16_t f32_to_bf16_mode(float x, int to_zero) {
    uint32_t b = bits_f32(x), mag = b & 0x7fffffff;
    if (mag > 0x7f800000) return 0x7fff;
    return (uint16_t)((b >> 16 & 0x8000) | half_round(mag, 16, to_zero));
}
static inline uint16_t f32_to_bf16(float x) {
    return f32_to_bf16_mode(x, 0);
}

/* Turns any f32 NaN into the one that PTX instructions give. */
static inline float nan32(float x) {
    return x == x ? x : f32_bits(0x7fffffff);
}
/* Turns a signalling NaN into a quiet one. Whether the host's own operations do this depends on its
 * instruction set. */
static inline double quiet64(double x) {
    return x == x ? x : f64_bits(bits_f64(x) | 0x0008000000000000);
}
/* A result of double precision. A NaN is the first operand that was NaN, made quiet, or the
 * hardware's own. The host's choice would depend on how the compiler ordered the operands. */
static inline double nan64(double a, double b, double c, double r) {
    double n = a != a ? a : b != b ? b : c;
    n = n == n ? f64_bits(0xfff8000000000000) : quiet64(n);
    return r == r ? r : n;
}
/* Makes subnormals zero and keeps their sign. */
static inline float flush(float x) {
    uint32_t b = bits_f32(x);
    return f32_bits(b & 0x7f800000 ? b : b & 0x80000000);
}
static inline double flush64(double x) {
    uint64_t b = bits_f64(x);
    return f64_bits(b & 0x7ff0000000000000 ? b : b & 0x8000000000000000);
}
/* Clamps to [0, 1]; NaN becomes 0. */
static inline float sat32(float x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

#endif
