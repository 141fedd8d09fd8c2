/* Handlers of integer, logic, bit-field, comparison and selection instructions: exec_int.def over
 * 32 lanes, and the few that are no row. */
#include "runner/sim/exec/lanes.h"
#include "runner/sim/exec/isa.h"
#include "runner/sim/exec/lane_int.h"

/* R[d] := low half of expr over a, b, c and the carry k; with CC the carry's predicate (operand e)
 * := the bit above it */
#define LANE_CARRY(op, T, tag, variant, td, wide, expr)                                            \
    static void LANE_FN(op, T, tag, some)(sim_warp * w, const sim_insn *i) {                       \
        ST_##td *d = LANES(ST_##td, i->d);                                                         \
        const ST_##td *pa = LANES(const ST_##td, i->a), *pb = LANES(const ST_##td, i->b);          \
        const ST_##td *pc = LANES(const ST_##td, i->c);                                            \
        uint32_t m = w->mask, in = PRED(i->e), out = 0;                                            \
        for (int l = 0; l < SIM_WARP_LANES; l++) {                                                 \
            VT_##td a = pa[l], b = pb[l], c = pc[l];                                               \
            uint32_t k = in >> l & 1;                                                              \
            (void)c, (void)k;                                                                      \
            wide r = (expr);                                                                       \
            out |= (uint32_t)(r >> 8 * sizeof a & 1) << l;                                         \
            if (LANE_ON(m)) d[l] = (VT_##td)r;                                                     \
        }                                                                                          \
        if ((variant)&SIM_V_CC) sim_set_pred(w, i->e, out);                                        \
    }

#define UN(op, T, tag, variant, td, ta, expr)          LANE_UN(op, T, tag, td, ta, expr)
#define BIN(op, T, tag, variant, td, ta, tb, expr)     LANE_BIN(op, T, tag, td, ta, tb, expr)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr) LANE_TER(op, T, tag, td, ta, tb, tc, expr)
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr)                                        \
    LANE_TER(op, T, T1##tag, td, ta, tb, tc, expr)
#define CMP(op, T, tag, variant, ta, expr)         LANE_CMP(op, T, tag, ta, expr)
#define SEL(op, T, tag, variant, td)               LANE_SEL(op, T, tag, td, )
#define CARRY(op, T, tag, variant, td, wide, expr) LANE_CARRY(op, T, tag, variant, td, wide, expr)
#include "runner/sim/exec/exec_int.def"
#undef UN
#undef BIN
#undef TER
#undef TER2
#undef CMP
#undef SEL
#undef CARRY

/* P[d] := P[a] op P[b] */
#define PRED_BIN(op, expr)                                                                         \
    static void op##_pred(sim_warp *w, const sim_insn *i) {                                        \
        uint32_t a = PRED(i->a), b = PRED(i->b);                                                   \
        sim_set_pred(w, i->d, expr);                                                               \
    }
PRED_BIN(and, a &b)
PRED_BIN(or, a | b)
PRED_BIN(xor, a ^ b)
/* P[d] := P[a] ^ imm: mov.pred and not.pred */
static void mov_pred(sim_warp *w, const sim_insn *i) {
    sim_set_pred(w, i->d, PRED(i->a));
}
static void not_pred(sim_warp *w, const sim_insn *i) {
    sim_set_pred(w, i->d, ~PRED(i->a));
}

/* R[d] := b with e bits from bit c on replaced by the low bits of a */
#define BFI(name, T, width)                                                                        \
    static void name(sim_warp *w, const sim_insn *i) {                                             \
        T *d = LANES(T, i->d);                                                                     \
        const T *a = LANES(const T, i->a), *b = LANES(const T, i->b);                              \
        const uint32_t *c = LANES(const uint32_t, i->c), *e = LANES(const uint32_t, i->e);         \
        uint32_t m = w->mask;                                                                      \
        EACH_LANE {                                                                                \
            T r = (T)bfi(a[l], b[l], c[l], e[l], width);                                           \
            d[l] = LANE_ON(m) ? r : d[l];                                                          \
        }                                                                                          \
    }
BFI(bfi_b32, uint32_t, 32)
BFI(bfi_b64, uint64_t, 64)

/* R[d] := the function of a, b, c whose truth table is imm */
static void lop3_b32(sim_warp *w, const sim_insn *i) {
    uint32_t *d = LANES(uint32_t, i->d), m = w->mask,
             r[SIM_WARP_LANES] __attribute__((aligned(64))) = {0};
    const uint32_t *a = LANES(const uint32_t, i->a), *b = LANES(const uint32_t, i->b),
                   *c = LANES(const uint32_t, i->c);
    for (unsigned k = 0; k < 8; k++)
        if (i->imm >> k & 1) {
            uint32_t na = k & 4 ? 0 : ~0u, nb = k & 2 ? 0 : ~0u, nc = k & 1 ? 0 : ~0u;
            EACH_LANE r[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
        }
    EACH_LANE d[l] = LANE_ON(m) ? r[l] : d[l];
}

const sim_exec_row SIM_ISA_NAME(exec_int_rows)[] = {
#define ROW(op, T, T1, tag, variant, slots, some)                                                  \
    {PTX_OP_##op, PTX_##T, PTX_##T1,                                                               \
     variant,     slots,   {LANE_FN(op, T, tag, all), LANE_FN(op, T, tag, some)}},
#define UN(op, T, tag, variant, td, ta, expr)                                                      \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, 0, 0), some)
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                 \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, 0), some)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                             \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr)                                        \
    ROW(op, T, T1, T1##tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define CMP(op, T, tag, variant, ta, expr)                                                         \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SIM_SLOT_PRED, SK_##ta, SK_##ta, 0), all)
#define SEL(op, T, tag, variant, td)                                                               \
    ROW(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##td, SK_##td, SIM_SLOT_PRED), some)
#define CARRY(op, T, tag, variant, td, wide, expr)                                                 \
    {PTX_OP_##op,                                                                                  \
     PTX_##T,                                                                                      \
     PTX_NONE,                                                                                     \
     variant,                                                                                      \
     SIM_SLOTS(SK_##td, SK_##td, SK_##td, SK_##td),                                                \
     {LANE_FN(op, T, tag, some), LANE_FN(op, T, tag, some)}},
#include "runner/sim/exec/exec_int.def"
#define PLAIN(op, T, slots, fn) {PTX_OP_##op, PTX_##T, PTX_NONE, 0, slots, {fn, fn}},
    PLAIN(and, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0), and_pred)
        PLAIN(or, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0), or_pred)
            PLAIN(xor, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, SIM_SLOT_PRED, 0), xor_pred)
                PLAIN(not, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, 0, 0), not_pred)
                    PLAIN(mov, PRED, SIM_SLOTS(SIM_SLOT_PRED, SIM_SLOT_PRED, 0, 0), mov_pred)
                        PLAIN(bfi, B32,
                              SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32) |
                                  SIM_SLOT_32 << 16,
                              bfi_b32)
                            PLAIN(bfi, B64,
                                  SIM_SLOTS(SIM_SLOT_64, SIM_SLOT_64, SIM_SLOT_64, SIM_SLOT_32) |
                                      SIM_SLOT_32 << 16,
                                  bfi_b64)
                                PLAIN(lop3, B32,
                                      SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32),
                                      lop3_b32)};
const size_t SIM_ISA_NAME(exec_int_count) = sizeof SIM_ISA_NAME(exec_int_rows) /
                                            sizeof SIM_ISA_NAME(exec_int_rows)[0];
#undef ROW
#undef UN
#undef BIN
#undef TER
#undef TER2
#undef CMP
#undef SEL
#undef CARRY
