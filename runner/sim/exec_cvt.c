/* Handlers of conversions between integers, f32 and f64: exec_cvt.def over 32 lanes. Rounding modes other
 * than the nearest even are in exec_round.c, half precision in exec_half.c. */
#include "half.h"
#include "lanes.h"
#include "isa.h"

#define TYPE_MIN_u8  0
#define TYPE_MIN_s8  INT8_MIN
#define TYPE_MIN_u16 0
#define TYPE_MIN_s16 INT16_MIN
#define TYPE_MIN_u32 0
#define TYPE_MIN_s32 INT32_MIN
#define TYPE_MIN_u64 0
#define TYPE_MIN_s64 INT64_MIN
#define TYPE_MAX_u8  UINT8_MAX
#define TYPE_MAX_s8  INT8_MAX
#define TYPE_MAX_u16 UINT16_MAX
#define TYPE_MAX_s16 INT16_MAX
#define TYPE_MAX_u32 UINT32_MAX
#define TYPE_MAX_s32 INT32_MAX
#define TYPE_MAX_u64 UINT64_MAX
#define TYPE_MAX_s64 INT64_MAX

#define CVT(D, S, tag, variant, td, ts, expr) LANE_UN(cvt, D, S##tag, td, ts, expr)
#include "exec_cvt.def"
#undef CVT

const sim_exec_row SIM_ISA_NAME(exec_cvt_rows)[] = {
#define CVT(D, S, tag, variant, td, ts, expr)                                                                \
    {PTX_OP_cvt,                                                                                             \
     PTX_##D,                                                                                                \
     PTX_##S,                                                                                                \
     variant,                                                                                                \
     SIM_SLOTS(SK_##td, SK_##ts, 0, 0),                                                                      \
     {LANE_FN(cvt, D, S##tag, all), LANE_FN(cvt, D, S##tag, some)}},
#include "exec_cvt.def"
#undef CVT
};
const size_t SIM_ISA_NAME(exec_cvt_count) = sizeof SIM_ISA_NAME(exec_cvt_rows) /
                                            sizeof SIM_ISA_NAME(exec_cvt_rows)[0];
