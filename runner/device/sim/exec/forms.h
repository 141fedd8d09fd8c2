/* Turns the rows of lane/int.def, fp.def and cvt.def first into handlers, then into rows of the
 * table that exec.c searches.
 *
 *   #define FORM FORM_HANDLER      a row is a function (two, lanes.h)
 *   #include "runner/device/sim/lane/int.def"
 *   #undef FORM
 *   #define FORM FORM_ROW          a row is an element of sim_exec_row[]
 *   #include "runner/device/sim/lane/int.def"
 *
 * FORM(op, T, T1, tag, variant, slots, all, some, the handlers' definition): `all` and `some` are
 * the kinds of handler: for warps in which all live lanes are active, and for others. */
#ifndef WARPLAB_SIM_FORMS_H
#define WARPLAB_SIM_FORMS_H

#include "runner/device/sim/exec/families.h"
#include "runner/device/sim/exec/lanes.h"

#define FORM_HANDLER(op, T, T1, tag, variant, slots, all, some, ...) __VA_ARGS__
#define FORM_ROW(op, T, T1, tag, variant, slots, all, some, ...)                                   \
    {PTX_OP_##op, PTX_##T, PTX_##T1,                                                               \
     variant,     slots,   {LANE_FN(op, T, tag, all), LANE_FN(op, T, tag, some)}},

#define UN(op, T, tag, variant, td, ta, expr)                                                      \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, 0, 0), all, some,                  \
         LANE_UN(op, T, tag, td, ta, expr))
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                 \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, 0), all, some,            \
         LANE_BIN(op, T, tag, td, ta, tb, expr))
#define DIV(op, T, ta)                                                                             \
    FORM(op, T, NONE, n, 0, SIM_SLOTS(SIM_SLOT_32, SIM_SLOT_32, SIM_SLOT_32, 0), all, some,        \
         LANE_DIV(op, T, ta))
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                             \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), all, some,      \
         LANE_TER(op, T, tag, td, ta, tb, tc, expr))
#define TER2(op, T, T1, tag, variant, td, ta, tb, tc, expr)                                        \
    FORM(op, T, T1, T1##tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), all, some,    \
         LANE_TER(op, T, T1##tag, td, ta, tb, tc, expr))
#define CMP(op, T, tag, variant, ta, expr)                                                         \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SIM_SLOT_PRED, SK_##ta, SK_##ta, 0), all, all,       \
         LANE_CMP(op, T, tag, ta, expr))
#define CMPZ(op, T, tag, variant, ta, expr)                                                        \
    CMP(op, T, tag, variant, ta, (a = flush(a), b = flush(b), (expr)))
#define SEL(op, T, tag, variant, td)                                                               \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##td, SK_##td, SIM_SLOT_PRED), all,      \
         some, LANE_SEL(op, T, tag, td))
#define CARRY(op, T, tag, variant, td, wide, expr)                                                 \
    FORM(op, T, NONE, tag, variant, SIM_SLOTS(SK_##td, SK_##td, SK_##td, SK_##td), some, some,     \
         LANE_CARRY(op, T, tag, variant, td, wide, expr))
#define CVT(D, S, tag, variant, td, ts, expr)                                                      \
    FORM(cvt, D, S, S##tag, variant, SIM_SLOTS(SK_##td, SK_##ts, 0, 0), all, some,                 \
         LANE_UN(cvt, D, S##tag, td, ts, expr))

#endif
