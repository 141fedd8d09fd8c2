/* How handlers are written: a row of exec_*.def gives an expression over one lane's values; the macros here
 * make of it two functions over 32 lanes (all live lanes active; some active), plain loops that the compiler
 * turns into vector code of the file's instruction set.
 *
 * Lane types (td, ta, ...): u8 s8 u16 s16 u32 s32 u64 s64 f32 f64, and f16 and bf16 as their bits (u16).
 * Types below 32 bits lie in 32-bit lanes, extended as their sign says; a read takes the low bits.
 * Destinations and sources may be one slot, never overlap otherwise: hence ivdep. */
#ifndef WARPLAB_SIM_LANES_H
#define WARPLAB_SIM_LANES_H

#include <math.h>
#include <string.h>
#include "internal.h"

/* storage type, value type, storage -> value, value -> storage */
#define ST_u8      uint32_t
#define ST_s8      uint32_t
#define ST_u16     uint32_t
#define ST_s16     uint32_t
#define ST_u32     uint32_t
#define ST_s32     int32_t
#define ST_u64     uint64_t
#define ST_s64     int64_t
#define ST_f32     float
#define ST_f64     double
#define VT_u8      uint8_t
#define VT_s8      int8_t
#define VT_u16     uint16_t
#define VT_s16     int16_t
#define VT_u32     uint32_t
#define VT_s32     int32_t
#define VT_u64     uint64_t
#define VT_s64     int64_t
#define VT_f32     float
#define VT_f64     double
#define PUT_u8(x)  ((uint32_t)(uint8_t)(x))
#define PUT_s8(x)  ((uint32_t)(int8_t)(x))
#define PUT_u16(x) ((uint32_t)(uint16_t)(x))
#define PUT_s16(x) ((uint32_t)(int16_t)(x))
#define PUT_u32(x) ((uint32_t)(x))
#define PUT_s32(x) ((int32_t)(x))
#define PUT_u64(x) ((uint64_t)(x))
#define PUT_s64(x) ((int64_t)(x))
#define PUT_f32(x) ((float)(x))
#define PUT_f64(x) ((double)(x))
/* slot kind of a lane type; `p` is a predicate, `x` no operand */
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
/* Some bits of a word that another vector's mask names. */
static inline void sim_put_bits(uint32_t *to, uint32_t mask, uint32_t bits) {
    *to = (*to & ~mask) | (bits & mask);
}
/* Predicates: only the active lanes' bits change. */
static inline void sim_set_pred(sim_warp *w, sim_opnd o, uint32_t bits) {
    uint32_t *p = &PRED(o);
    *p = (*p & ~w->mask) | (bits & w->mask);
}

#define LANE_FN(op, T, tag, kind) op##_##T##_##tag##_##kind

/* R[d] := expr(R[a]) */
#define LANE_UN(op, T, tag, td, ta, expr)                                                                    \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                                  \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            d[l] = PUT_##td(expr);                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                                 \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        uint32_t m = w->mask;                                                                                \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            ST_##td r = PUT_##td(expr);                                                                      \
            d[l] = LANE_ON(m) ? r : d[l];                                                                    \
        }                                                                                                    \
    }
/* R[d] := expr(R[a], R[b]) */
#define LANE_BIN(op, T, tag, td, ta, tb, expr)                                                               \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                                  \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                                      \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            VT_##tb b = (VT_##tb)pb[l];                                                                      \
            d[l] = PUT_##td(expr);                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                                 \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                                      \
        uint32_t m = w->mask;                                                                                \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            VT_##tb b = (VT_##tb)pb[l];                                                                      \
            ST_##td r = PUT_##td(expr);                                                                      \
            d[l] = LANE_ON(m) ? r : d[l];                                                                    \
        }                                                                                                    \
    }
/* R[d] := expr(R[a], R[b], R[c]) */
#define LANE_TER(op, T, tag, td, ta, tb, tc, expr)                                                           \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                                  \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                                      \
        const ST_##tc *pc = LANES(const ST_##tc, i->c);                                                      \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            VT_##tb b = (VT_##tb)pb[l];                                                                      \
            VT_##tc c = (VT_##tc)pc[l];                                                                      \
            d[l] = PUT_##td(expr);                                                                           \
        }                                                                                                    \
    }                                                                                                        \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                                 \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                                      \
        const ST_##tc *pc = LANES(const ST_##tc, i->c);                                                      \
        uint32_t m = w->mask;                                                                                \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            VT_##tb b = (VT_##tb)pb[l];                                                                      \
            VT_##tc c = (VT_##tc)pc[l];                                                                      \
            ST_##td r = PUT_##td(expr);                                                                      \
            d[l] = LANE_ON(m) ? r : d[l];                                                                    \
        }                                                                                                    \
    }
/* P[d] := expr(R[a], R[b]), a bit a lane */
#define LANE_CMP(op, T, tag, ta, expr)                                                                       \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                                  \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                                      \
        const ST_##ta *pb = LANES(const ST_##ta, i->b);                                                      \
        uint32_t bits = 0;                                                                                   \
        EACH_LANE {                                                                                          \
            VT_##ta a = (VT_##ta)pa[l];                                                                      \
            VT_##ta b = (VT_##ta)pb[l];                                                                      \
            bits |= (uint32_t)((expr) != 0) << l;                                                            \
        }                                                                                                    \
        sim_set_pred(w, i->d, bits);                                                                         \
    }
/* R[d] := C[p] ? expr : ...: selection by a predicate in operand c */
#define LANE_SEL(op, T, tag, td, expr)                                                                       \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                                  \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##td *pa = LANES(const ST_##td, i->a);                                                      \
        const ST_##td *pb = LANES(const ST_##td, i->b);                                                      \
        uint32_t c = PRED(i->c);                                                                             \
        EACH_LANE d[l] = LANE_ON(c) ? pa[l] : pb[l];                                                         \
    }                                                                                                        \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                                 \
        ST_##td *d = LANES(ST_##td, i->d);                                                                   \
        const ST_##td *pa = LANES(const ST_##td, i->a);                                                      \
        const ST_##td *pb = LANES(const ST_##td, i->b);                                                      \
        uint32_t c = PRED(i->c), m = w->mask;                                                                \
        EACH_LANE {                                                                                          \
            ST_##td r = LANE_ON(c) ? pa[l] : pb[l];                                                          \
            d[l] = LANE_ON(m) ? r : d[l];                                                                    \
        }                                                                                                    \
    }

#endif
