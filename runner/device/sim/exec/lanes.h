/* How handlers are written: a row of the tables of lane/ gives an expression over one lane's
 * values. The macros here make two functions over 32 lanes from it, one for all live lanes active
 * and one for some: plain loops that the compiler turns into vector code of the file's instruction
 * set.
 *
 * lane/types.h has the lane types (td, ta, ...). A destination and a source may be the same slot,
 * but never overlap otherwise: hence ivdep. */
#ifndef WARPLAB_SIM_LANES_H
#define WARPLAB_SIM_LANES_H

#include <math.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include "runner/device/sim/machine/state.h"
#include "runner/device/sim/lane/lane.h"

/* slot kind of a lane type; `p`: a predicate, `x`: no operand */
#define SK_u8  SIM_SLOT_32
#define SK_s8  SIM_SLOT_32
#define SK_u16 SIM_SLOT_32
#define SK_s16 SIM_SLOT_32
#define SK_u32 SIM_SLOT_32
#define SK_s32 SIM_SLOT_32
#define SK_u64 SIM_SLOT_64
#define SK_s64 SIM_SLOT_64
#define SK_f32 SIM_SLOT_32
#define SK_f64 SIM_SLOT_64

static inline uint8_t *sim_slot(const sim_warp *w, sim_opnd o) {
    return w->base[o & 3] + (o >> 2);
}
#define LANES(T, o) ((T *)__builtin_assume_aligned(sim_slot(w, o), 64))
#define PRED(o)     (*(uint32_t *)__builtin_assume_aligned(sim_slot(w, o), 64))
#define EACH_LANE   _Pragma("GCC ivdep") for (int l = 0; l < SIM_WARP_LANES; l++)
#define LANE_ON(m)  ((m) >> l & 1)
/* Replaces the bits of a word that another vector's mask names. */
static inline void sim_put_bits(uint32_t *to, uint32_t mask, uint32_t bits) {
    *to = (*to & ~mask) | (bits & mask);
}
/* Predicates: only the active lanes' bits change. */
static inline void sim_set_pred(sim_warp *w, sim_opnd o, uint32_t bits) {
    uint32_t *p = &PRED(o);
    *p = (*p & ~w->mask) | (bits & w->mask);
}

/* Returns the lane from which lane l takes its value in a shfl, and whether that lane is in
 * range. */
static inline uint32_t sim_shfl_from(uint32_t mode, uint32_t l, uint32_t b, uint32_t c,
                                     uint32_t *in) {
    uint32_t by = b & 31, clamp = c & 31, seg = c >> 8 & 31;
    uint32_t last = (l & seg) | (clamp & ~seg), first = l & seg, j;
    switch (mode) {
    case PTX_SHFL_up: j = l - by, *in = (int32_t)j >= (int32_t)last; break;
    case PTX_SHFL_down: j = l + by, *in = j <= last; break;
    case PTX_SHFL_bfly: j = l ^ by, *in = j <= last; break;
    default: j = first | (by & ~seg), *in = j <= last; break;
    }
    return j & 31;
}

#define LANE_FN(op, T, tag, kind) op##_##T##_##tag##_##kind

/* Returns a bit for each of 32 lanes, from words whose bits are all set or all clear. */
static inline uint32_t sim_lane_bits32(const void *is) {
    uint32_t bits = 0;
#if defined(__AVX512DQ__)
    for (int k = 0; k < 2; k++)
        bits |= (uint32_t)_mm512_movepi32_mask(_mm512_load_si512((const char *)is + 64 * k))
                << 16 * k;
#elif defined(__AVX2__)
    for (int k = 0; k < 4; k++)
        bits |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)is + 8 * k)) << 8 * k;
#else
    const int32_t *word = is;
    EACH_LANE bits |= (uint32_t)(word[l] & 1) << l;
#endif
    return bits;
}
static inline uint32_t sim_lane_bits64(const void *is) {
    uint32_t bits = 0;
#if defined(__AVX512DQ__)
    for (int k = 0; k < 4; k++)
        bits |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512((const char *)is + 64 * k))
                << 8 * k;
#elif defined(__AVX2__)
    for (int k = 0; k < 8; k++)
        bits |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)is + 4 * k)) << 4 * k;
#else
    const int64_t *word = is;
    EACH_LANE bits |= (uint32_t)(word[l] & 1) << l;
#endif
    return bits;
}

/* A body that is written once and inlined into both of a form's handlers, with a constant
 * `some`. */
#define LANE_BODY static inline __attribute__((always_inline)) void
#define LANE_TWINS(op, T, tag)                                                                     \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        LANE_FN(op, T, tag, body)(w, i, false);                                                    \
    }                                                                                              \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        LANE_FN(op, T, tag, body)(w, i, true);                                                     \
    }

/* The place of an operand's lanes (p##x), and the value of one of them (x). */
#define LANES_OF(t, x) const ST_##t *p##x = LANES(const ST_##t, i->x)
#define LANE_OF(t, x)  VT_##t x = (VT_##t)p##x[l]

/* R[d] := expr over the values, as it is stored. where: LANES_OF each operand; values: LANE_OF
 * each. */
#define LANE_MAP(op, T, tag, td, where, values, expr)                                              \
    LANE_BODY LANE_FN(op, T, tag, body)(sim_warp * w, const sim_insn *i, bool some) {              \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        where;                                                                                     \
        uint32_t m = w->mask;                                                                      \
        EACH_LANE {                                                                                \
            values;                                                                                \
            ST_##td r = (expr);                                                                    \
            d[l] = !some || LANE_ON(m) ? r : d[l];                                                 \
        }                                                                                          \
    }                                                                                              \
    LANE_TWINS(op, T, tag)
#define LANE_UN(op, T, tag, td, ta, expr)                                                          \
    LANE_MAP(op, T, tag, td, LANES_OF(ta, a), LANE_OF(ta, a), PUT_##td(expr))
#define LANE_BIN(op, T, tag, td, ta, tb, expr)                                                     \
    LANE_MAP(op, T, tag, td, LANES_OF(ta, a); LANES_OF(tb, b), LANE_OF(ta, a);                     \
             LANE_OF(tb, b), PUT_##td(expr))
/* R[d] := a by b, of 32 bits. In most code b is one number for all lanes; then no lane divides. */
#define LANE_DIV(op, T, ta)                                                                        \
    LANE_BODY LANE_FN(op, T, n, body)(sim_warp * w, const sim_insn *i, bool some) {                \
        uint32_t *d = LANES(uint32_t, i->d), m = w->mask;                                          \
        int32_t alike[SIM_WARP_LANES] __attribute__((aligned(64)));                                \
        LANES_OF(ta, a);                                                                           \
        LANES_OF(ta, b);                                                                           \
        const ST_##ta by = pb[0];                                                                  \
        EACH_LANE alike[l] = pb[l] == by ? -1 : 0;                                                 \
        if (!by || LANE_BITS(alike) != SIM_ALL_LANES) {                                            \
            EACH_LANE {                                                                            \
                uint32_t r = op##_##ta(pa[l], pb[l]);                                              \
                d[l] = !some || LANE_ON(m) ? r : d[l];                                             \
            }                                                                                      \
        } else {                                                                                   \
            const double part = div_part_##ta(by);                                                 \
            EACH_LANE {                                                                            \
                uint32_t r = op##_##ta##_by(pa[l], by, part);                                      \
                d[l] = !some || LANE_ON(m) ? r : d[l];                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANE_TWINS(op, T, n)
#define LANE_TER(op, T, tag, td, ta, tb, tc, expr)                                                 \
    LANE_MAP(op, T, tag, td, LANES_OF(ta, a); LANES_OF(tb, b); LANES_OF(tc, c), LANE_OF(ta, a);    \
             LANE_OF(tb, b); LANE_OF(tc, c), PUT_##td(expr))
/* R[d] := P[c] ? R[a] : R[b], all bits of the slot */
#define LANE_SEL(op, T, tag, td)                                                                   \
    LANE_MAP(op, T, tag, td, LANES_OF(td, a); LANES_OF(td, b);                                     \
             uint32_t c = PRED(i->c), , LANE_ON(c) ? pa[l] : pb[l])
/* Truth values of lanes, all bits or none, in words as wide as the compared values. */
#define LANE_TRUTH(bytes) __typeof__(__builtin_choose_expr((bytes) == 8, (int64_t)0, (int32_t)0))
#define LANE_BITS(is)                                                                              \
    _Generic((is)[0], int64_t : sim_lane_bits64, int32_t : sim_lane_bits32)((const void *)(is))
/* P[d] := expr(R[a], R[b]), a bit a lane */
#define LANE_CMP(op, T, tag, ta, expr)                                                             \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        LANES_OF(ta, a);                                                                           \
        LANES_OF(ta, b);                                                                           \
        LANE_TRUTH(sizeof(ST_##ta)) is[SIM_WARP_LANES] __attribute__((aligned(64)));               \
        EACH_LANE {                                                                                \
            LANE_OF(ta, a);                                                                        \
            LANE_OF(ta, b);                                                                        \
            is[l] = (expr) ? -1 : 0;                                                               \
        }                                                                                          \
        sim_set_pred(w, i->d, LANE_BITS(is));                                                      \
    }
/* R[d] := the low half of expr over a, b, c and the carry k. With CC, the carry's predicate
 * (operand e) := the bit above it */
#define LANE_CARRY(op, T, tag, variant, td, wide, expr)                                            \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        LANES_OF(td, a);                                                                           \
        LANES_OF(td, b);                                                                           \
        LANES_OF(td, c);                                                                           \
        uint32_t m = w->mask, in = PRED(i->e), out = 0;                                            \
        for (int l = 0; l < SIM_WARP_LANES; l++) {                                                 \
            LANE_OF(td, a);                                                                        \
            LANE_OF(td, b);                                                                        \
            LANE_OF(td, c);                                                                        \
            uint32_t k = in >> l & 1;                                                              \
            (void)c, (void)k;                                                                      \
            wide r = (expr);                                                                       \
            out |= (uint32_t)(r >> 8 * sizeof a & 1) << l;                                         \
            if (LANE_ON(m)) d[l] = (VT_##td)r;                                                     \
        }                                                                                          \
        if ((variant)&SIM_V_CC) sim_set_pred(w, i->e, out);                                        \
    }

#endif
