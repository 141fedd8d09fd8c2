/* Names that the expressions of lane/cvt.def use: the bounds of integer types. */
#ifndef WARPLAB_SIM_LANE_CVT_H
#define WARPLAB_SIM_LANE_CVT_H

#include <stdbool.h>
#include "runner/device/sim/lane/types.h"

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

#endif
