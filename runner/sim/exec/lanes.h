/* How handlers are written: a row of exec_*.def gives an expression over one lane's values; the
 * macros here make of it two functions over 32 lanes (all live lanes active; some active), plain
 * loops that the compiler turns into vector code of the file's instruction set.
 *
 * Lane types (td, ta, ...) are lane_types.h's. Destinations and sources may be one slot, never
 * overlap otherwise: hence ivdep. */
#ifndef WARPLAB_SIM_LANES_H
#define WARPLAB_SIM_LANES_H

#include <math.h>
#include <string.h>
#include "runner/sim/internal.h"
#include "runner/sim/exec/lane_types.h"

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
#define LANE_UN(op, T, tag, td, ta, expr)                                                          \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            d[l] = PUT_##td(expr);                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        uint32_t m = w->mask;                                                                      \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            ST_##td r = PUT_##td(expr);                                                            \
            d[l] = LANE_ON(m) ? r : d[l];                                                          \
        }                                                                                          \
    }
/* R[d] := expr(R[a], R[b]) */
#define LANE_BIN(op, T, tag, td, ta, tb, expr)                                                     \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                            \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            VT_##tb b = (VT_##tb)pb[l];                                                            \
            d[l] = PUT_##td(expr);                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                            \
        uint32_t m = w->mask;                                                                      \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            VT_##tb b = (VT_##tb)pb[l];                                                            \
            ST_##td r = PUT_##td(expr);                                                            \
            d[l] = LANE_ON(m) ? r : d[l];                                                          \
        }                                                                                          \
    }
/* R[d] := expr(R[a], R[b], R[c]) */
#define LANE_TER(op, T, tag, td, ta, tb, tc, expr)                                                 \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                            \
        const ST_##tc *pc = LANES(const ST_##tc, i->c);                                            \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            VT_##tb b = (VT_##tb)pb[l];                                                            \
            VT_##tc c = (VT_##tc)pc[l];                                                            \
            d[l] = PUT_##td(expr);                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        const ST_##tb *pb = LANES(const ST_##tb, i->b);                                            \
        const ST_##tc *pc = LANES(const ST_##tc, i->c);                                            \
        uint32_t m = w->mask;                                                                      \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            VT_##tb b = (VT_##tb)pb[l];                                                            \
            VT_##tc c = (VT_##tc)pc[l];                                                            \
            ST_##td r = PUT_##td(expr);                                                            \
            d[l] = LANE_ON(m) ? r : d[l];                                                          \
        }                                                                                          \
    }
/* P[d] := expr(R[a], R[b]), a bit a lane */
#define LANE_CMP(op, T, tag, ta, expr)                                                             \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        const ST_##ta *pa = LANES(const ST_##ta, i->a);                                            \
        const ST_##ta *pb = LANES(const ST_##ta, i->b);                                            \
        uint32_t bits = 0;                                                                         \
        EACH_LANE {                                                                                \
            VT_##ta a = (VT_##ta)pa[l];                                                            \
            VT_##ta b = (VT_##ta)pb[l];                                                            \
            bits |= (uint32_t)((expr) != 0) << l;                                                  \
        }                                                                                          \
        sim_set_pred(w, i->d, bits);                                                               \
    }
/* R[d] := C[p] ? expr : ...: selection by a predicate in operand c */
#define LANE_SEL(op, T, tag, td, expr)                                                             \
    static void LANE_FN(op, T, tag, all)(sim_warp * w, const sim_insn *i) {                        \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##td *pa = LANES(const ST_##td, i->a);                                            \
        const ST_##td *pb = LANES(const ST_##td, i->b);                                            \
        uint32_t c = PRED(i->c);                                                                   \
        EACH_LANE d[l] = LANE_ON(c) ? pa[l] : pb[l];                                               \
    }                                                                                              \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##td *pa = LANES(const ST_##td, i->a);                                            \
        const ST_##td *pb = LANES(const ST_##td, i->b);                                            \
        uint32_t c = PRED(i->c), m = w->mask;                                                      \
        EACH_LANE {                                                                                \
            ST_##td r = LANE_ON(c) ? pa[l] : pb[l];                                                \
            d[l] = LANE_ON(m) ? r : d[l];                                                          \
        }                                                                                          \
    }

#endif
