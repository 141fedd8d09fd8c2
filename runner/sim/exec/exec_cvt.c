/* Handlers of conversions between integers, f32 and f64: exec_cvt.def over 32 lanes. Rounding modes
 * other than the nearest even are in exec_round.c, half precision in exec_half.c. */
#include "runner/sim/exec/half.h"
#include "runner/sim/exec/lanes.h"
#include "runner/sim/exec/isa.h"
#include "runner/sim/exec/lane_cvt.h"

#define CVT(D, S, tag, variant, td, ts, expr) LANE_UN(cvt, D, S##tag, td, ts, expr)
#include "runner/sim/exec/exec_cvt.def"
#undef CVT

const sim_exec_row SIM_ISA_NAME(exec_cvt_rows)[] = {
#define CVT(D, S, tag, variant, td, ts, expr)                                                      \
    {PTX_OP_cvt,                                                                                   \
     PTX_##D,                                                                                      \
     PTX_##S,                                                                                      \
     variant,                                                                                      \
     SIM_SLOTS(SK_##td, SK_##ts, 0, 0),                                                            \
     {LANE_FN(cvt, D, S##tag, all), LANE_FN(cvt, D, S##tag, some)}},
#include "runner/sim/exec/exec_cvt.def"
#undef CVT
};
const size_t SIM_ISA_NAME(exec_cvt_count) = sizeof SIM_ISA_NAME(exec_cvt_rows) /
                                            sizeof SIM_ISA_NAME(exec_cvt_rows)[0];
