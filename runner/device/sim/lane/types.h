/* Types of one lane's value: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64, and f16 and bf16 as their bits
 * (u16). Types below 32 bits lie in 32-bit lanes, zero- or sign-extended by their type; a read
 * takes the low bits. */
#ifndef WARPLAB_SIM_LANE_TYPES_H
#define WARPLAB_SIM_LANE_TYPES_H

#include <stdint.h>

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

#endif
