/* Functions of one lane's values that the expressions of lane/int.def call. */
#ifndef WARPLAB_SIM_LANE_INT_H
#define WARPLAB_SIM_LANE_INT_H

#include <stdbool.h>
#include "runner/device/sim/lane/types.h"

typedef unsigned __int128 u128;

static inline int32_t sat_s32(int64_t x) {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
static inline int64_t sext24(uint32_t x) {
    return (int32_t)(x << 8) >> 8;
}
/* Quotients of 32 bits, computed with doubles, because hosts divide several doubles at once. They
 * are exact: a quotient that is not an integer is at least 1/b below the next integer, and a
 * double's last place is much less than that. */
static inline uint32_t div_u32(uint32_t a, uint32_t b) {
    return b ? (uint32_t)((double)a / (double)b) : ~0u;
}
static inline uint32_t rem_u32(uint32_t a, uint32_t b) {
    return b ? a - div_u32(a, b) * b : ~0u;
}
static inline uint32_t div_s32(int32_t a, int32_t b) {
    return b == 0 ? ~0u : b == -1 ? 0 - (uint32_t)a : (uint32_t)(int32_t)((double)a / (double)b);
}
static inline uint32_t rem_s32(int32_t a, int32_t b) {
    return b == 0 ? ~0u : (uint32_t)a - div_s32(a, b) * (uint32_t)b;
}
/* The same for a divisor that all lanes share and that is not 0. `part` is larger than 1 / b, by
 * about 2^-51 of it. So no quotient comes out too small, and none reaches the next integer, which
 * is at least 1/b away. */
static inline double div_part_u32(uint32_t b) {
    return 1.0 / (double)b * (1 + 0x1p-51);
}
static inline uint32_t div_u32_by(uint32_t a, uint32_t b, double part) {
    (void)b;
    return (uint32_t)((double)a * part);
}
static inline uint32_t rem_u32_by(uint32_t a, uint32_t b, double part) {
    return a - div_u32_by(a, b, part) * b;
}
static inline uint32_t magnitude(int32_t x) {
    return x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
}
static inline double div_part_s32(int32_t b) {
    return div_part_u32(magnitude(b));
}
static inline uint32_t div_s32_by(int32_t a, int32_t b, double part) {
    uint32_t q = div_u32_by(magnitude(a), magnitude(b), part);
    return (a ^ b) < 0 ? 0 - q : q;
}
static inline uint32_t rem_s32_by(int32_t a, int32_t b, double part) {
    uint32_t r = rem_u32_by(magnitude(a), magnitude(b), part);
    return a < 0 ? 0 - r : r;
}
static inline int64_t div_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t rem_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}
static inline uint32_t popc32(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline uint32_t popc64(uint64_t x) {
    return popc32((uint32_t)x) + popc32((uint32_t)(x >> 32));
}
static inline uint32_t clz32(uint32_t x) {
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint32_t clz64(uint64_t x) {
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}
static inline uint32_t brev32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t brev64(uint64_t x) {
    return (uint64_t)brev32((uint32_t)x) << 32 | brev32((uint32_t)(x >> 32));
}
static inline uint64_t low_bits64(uint32_t n) {
    return n > 63 ? ~0ull : (1ull << n) - 1;
}
static inline uint32_t bfe_u32(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t pos = b & 0xff, len = c & 0xff;
    return pos > 31 ? 0 : (uint32_t)(a >> pos & low_bits64(len));
}
/* The 64-bit forms do not cut position and length to 8 bits, as the 32-bit forms do (measured on
 * sm_90). */
static inline uint64_t bfe_u64(uint64_t a, uint32_t b, uint32_t c) {
    return b > 63 ? 0 : a >> b & low_bits64(c);
}
static inline int64_t bfe_signed(int64_t a, uint64_t pos, uint64_t len, uint32_t msb) {
    if (len == 0) return 0;
    uint64_t top = pos + len - 1 > msb ? msb : pos + len - 1; /* the bit that gives the sign */
    int64_t sign = -(a >> top & 1);
    if (pos > msb) return sign;
    uint32_t got = (uint32_t)(top - pos) + 1;
    return (int64_t)(((uint64_t)a >> pos & low_bits64(got)) | ((uint64_t)sign & ~low_bits64(got)));
}
static inline int64_t bfe_s64(int64_t a, uint32_t b, uint32_t c, uint32_t msb) {
    return msb == 63 ? bfe_signed(a, b, c, msb) : bfe_signed(a, b & 0xff, c & 0xff, msb);
}
static inline uint64_t bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, uint32_t width) {
    uint32_t pos = width == 64 ? c : c & 0xff, len = width == 64 ? d : d & 0xff;
    if (pos >= width) return b;
    uint64_t field = low_bits64(len) << pos;
    return (b & ~field) | (a << pos & field);
}
static inline uint32_t bmsk(uint32_t a, uint32_t b, bool wrap) {
    uint32_t from = a & 31, sum = from + (b & 31);
    uint32_t mask0 = !wrap && a > 31 ? 0 : ~0u << from;
    uint32_t mask1 = sum > 31 || (!wrap && (a > 31 || b > 31)) ? 0 : ~0u << (sum & 31);
    return mask0 & ~mask1;
}
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int32_t left = offset < 0 ? -(offset + 1) : offset - 1; /* |offset| - 1 */
    for (int32_t pos = (int32_t)base; pos >= 0 && pos < 32; pos += offset < 0 ? -1 : 1)
        if (mask >> pos & 1 && left-- == 0) return (uint32_t)pos;
    return ~0u;
}
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t sel = c >> 4 * k & 15, byte = (uint32_t)(both >> 8 * (sel & 7)) & 0xff;
        if (sel & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << 8 * k;
    }
    return r;
}
static inline uint32_t selector(uint64_t four, uint32_t which) {
    return (uint32_t)(four >> 16 * (which & 3)) & 0xffff;
}
static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
    for (unsigned k = 0; k < 32; k += 8) {
        uint32_t x = sa ? (uint32_t)(int8_t)(a >> k) : (uint8_t)(a >> k);
        uint32_t y = sb ? (uint32_t)(int8_t)(b >> k) : (uint8_t)(b >> k);
        c += x * y;
    }
    return c;
}
static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
    for (unsigned k = 0; k < 2; k++) {
        uint32_t x = sa ? (uint32_t)(int16_t)(a >> 16 * k) : (uint16_t)(a >> 16 * k);
        uint32_t y = sb ? (uint32_t)(int8_t)(b >> 8 * k) : (uint8_t)(b >> 8 * k);
        c += x * y;
    }
    return c;
}
/* Both halves of a packed pair: `expr` over x and y of type T (u16 or s16). */
#define PAIR(T, expr)                                                                              \
    ({                                                                                             \
        uint32_t r_ = 0;                                                                           \
        for (unsigned h_ = 0; h_ < 32; h_ += 16) {                                                 \
            VT_##T x = (VT_##T)(a >> h_), y = (VT_##T)(b >> h_);                                   \
            r_ |= (uint32_t)(uint16_t)(expr) << h_;                                                \
        }                                                                                          \
        r_;                                                                                        \
    })

#endif
