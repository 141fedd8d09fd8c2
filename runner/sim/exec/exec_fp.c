/* Handlers of single and double precision arithmetic: exec_fp.def over 32 lanes. */
#include "runner/sim/exec/lanes.h"
#include "runner/sim/exec/isa.h"
#include "runner/sim/exec/lane_fp.h"

#define UN(op, T, tag, variant, td, ta, expr)          LANE_UN(op, T, tag, td, ta, expr)
#define BIN(op, T, tag, variant, td, ta, tb, expr)     LANE_BIN(op, T, tag, td, ta, tb, expr)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr) LANE_TER(op, T, tag, td, ta, tb, tc, expr)
#define CMP(op, T, tag, variant, ta, expr)             LANE_CMP(op, T, tag, ta, expr)
#define CMPZ(op, T, tag, variant, ta, expr)                                                        \
    LANE_CMP(op, T, tag, ta, (a = flush(a), b = flush(b), (expr)))
#include "runner/sim/exec/exec_fp.def"
#undef UN
#undef BIN
#undef TER
#undef CMP
#undef CMPZ

const sim_exec_row SIM_ISA_NAME(exec_fp_rows)[] = {
#undef ROW
#define ROW(op, T, tag, variant, slots, some)                                                      \
    {PTX_OP_##op, PTX_##T, PTX_NONE,                                                               \
     variant,     slots,   {LANE_FN(op, T, tag, all), LANE_FN(op, T, tag, some)}},
#define UN(op, T, tag, variant, td, ta, expr)                                                      \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, 0, 0), some)
#define BIN(op, T, tag, variant, td, ta, tb, expr)                                                 \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, 0), some)
#define TER(op, T, tag, variant, td, ta, tb, tc, expr)                                             \
    ROW(op, T, tag, variant, SIM_SLOTS(SK_##td, SK_##ta, SK_##tb, SK_##tc), some)
#define CMP(op, T, tag, variant, ta, expr)                                                         \
    ROW(op, T, tag, variant, SIM_SLOTS(SIM_SLOT_PRED, SK_##ta, SK_##ta, 0), all)
#define CMPZ CMP
#include "runner/sim/exec/exec_fp.def"
#undef UN
#undef BIN
#undef TER
#undef CMP
#undef CMPZ
#undef ROW
};
const size_t SIM_ISA_NAME(exec_fp_count) = sizeof SIM_ISA_NAME(exec_fp_rows) /
                                           sizeof SIM_ISA_NAME(exec_fp_rows)[0];
