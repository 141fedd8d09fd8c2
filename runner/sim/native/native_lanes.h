/* One function for each row of the tables of lane/, over the bits in one lane of its slots: what the code
 * that native_text.c writes calls. Compiled where the lab runs, by the C compiler of that machine;
 * so it stands on the compiler's own headers and on these few files, which the library carries
 * inside. */
#ifndef WARPLAB_SIM_NATIVE_LANES_H
#define WARPLAB_SIM_NATIVE_LANES_H

#include "runner/sim/lane/lane.h"

/* the bits of a slot's lane, bits -> value, value -> bits */
#define RAW_u8     uint32_t
#define RAW_s8     uint32_t
#define RAW_u16    uint32_t
#define RAW_s16    uint32_t
#define RAW_u32    uint32_t
#define RAW_s32    uint32_t
#define RAW_u64    uint64_t
#define RAW_s64    uint64_t
#define RAW_f32    uint32_t
#define RAW_f64    uint64_t
#define GET_u8(x)  ((uint8_t)(x))
#define GET_s8(x)  ((int8_t)(x))
#define GET_u16(x) ((uint16_t)(x))
#define GET_s16(x) ((int16_t)(x))
#define GET_u32(x) (x)
#define GET_s32(x) ((int32_t)(x))
#define GET_u64(x) (x)
#define GET_s64(x) ((int64_t)(x))
#define GET_f32(x) f32_bits(x)
#define GET_f64(x) f64_bits(x)
#define RET_u8(x)  (x)
#define RET_s8(x)  (x)
#define RET_u16(x) (x)
#define RET_s16(x) (x)
#define RET_u32(x) (x)
#define RET_s32(x) ((uint32_t)(x))
#define RET_u64(x) (x)
#define RET_s64(x) ((uint64_t)(x))
#define RET_f32(x) bits_f32(x)
#define RET_f64(x) bits_f64(x)

#define ONE                static inline __attribute__((always_inline, unused))
#define ONE_FN(op, T, tag) op##_##T##_##tag
#define UN(op, T, tag, variant, td, ta, expr)                                                      \
    ONE RAW_##td ONE_FN(op, T, tag)(RAW_##ta ra) {                                                 \
        VT_##ta a = GET_##ta(ra);                                                                  \
        return RET_##td(PUT_##td(expr));                                                           \
    }
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                 \
    ONE RAW_##td ONE_FN(op, T, tag)(RAW_##ta ra, RAW_##tb rb) {                                    \
        VT_##ta a = GET_##ta(ra);                                                                  \
        VT_##tb b = GET_##tb(rb);                                                                  \
        return RET_##td(PUT_##td(expr));                                                           \
    }
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                             \
    ONE RAW_##td ONE_FN(op, T, tag)(RAW_##ta ra, RAW_##tb rb, RAW_##tc rc) {                       \
        VT_##ta a = GET_##ta(ra);                                                                  \
        VT_##tb b = GET_##tb(rb);                                                                  \
        VT_##tc c = GET_##tc(rc);                                                                  \
        return RET_##td(PUT_##td(expr));                                                           \
    }
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr)                                        \
    TER(op, T, T1##tag, variant, td, ta, tb, tc, expr)
#define CMP(op, T, tag, variant, ta, expr)                                                         \
    ONE uint32_t ONE_FN(op, T, tag)(RAW_##ta ra, RAW_##ta rb) {                                    \
        VT_##ta a = GET_##ta(ra);                                                                  \
        VT_##ta b = GET_##ta(rb);                                                                  \
        return (uint32_t)((expr) != 0);                                                            \
    }
#define CMPZ(op, T, tag, variant, ta, expr)                                                        \
    CMP(op, T, tag, variant, ta, (a = flush(a), b = flush(b), (expr)))
#define SEL(op, T, tag, variant, td)                                                               \
    ONE RAW_##td ONE_FN(op, T, tag)(RAW_##td ra, RAW_##td rb, uint32_t c) {                        \
        return c ? ra : rb;                                                                        \
    }
#define CVT(D, S, tag, variant, td, ts, expr)      UN(cvt, D, S##tag, variant, td, ts, expr)
#define CARRY(op, T, tag, variant, td, wide, expr) /* two results: left to its handler */
#include "runner/sim/lane/int.def"
#include "runner/sim/lane/fp.def"
#include "runner/sim/lane/cvt.def"

#endif
