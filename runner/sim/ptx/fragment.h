/* Fragments of matrices: which elements a lane of a warp holds in which register. PTX ISA 9.7.14
 * (wmma, mma, ldmatrix).
 *
 * A register holds `per` elements that lie side by side along k (A, B) or along a row (C, D). Four
 * lanes make a group; lane l is number t = l % 4 of group g = l / 4:
 *
 *   A  register j: row g + 8 (j % (m / 8)), columns from (4 (j / (m / 8)) + t) per on
 *   B  register j: rows from (4 (j % (k / 4 per)) + t) per on, column g + 8 (j / (k / 4 per))
 *   C  element i of tile x = i / 2: row g + 8 (x % (m / 8)), column 2 t + i % 2 + 8 (x / (m / 8))
 *
 * That is every layout of mma.sync but one. The ISA leaves those of wmma open; here they are these
 * too, as compiled code for sm_80 and later has it, and half-precision A and B, which have eight
 * registers in every shape, hold what there is over again. The one: mma.sync.m8n8k4 on halves is
 * four products at once, each of the lanes 4 q .. 4 q + 3 and 16 more (QUAD). */
#ifndef WARPLAB_SIM_FRAGMENT_H
#define WARPLAB_SIM_FRAGMENT_H

#include "runner/sim/ptx/ptx.h"

typedef struct {
    uint16_t m, n, k;
} fragment_shape;

static inline fragment_shape fragment_shape_of(unsigned shape) {
    static const fragment_shape table[PTX_SHAPE_COUNT] = {
        [PTX_SHAPE_m8n8k4] = {8, 8, 4},       [PTX_SHAPE_m8n8k16] = {8, 8, 16},
        [PTX_SHAPE_m8n8k32] = {8, 8, 32},     [PTX_SHAPE_m8n8k128] = {8, 8, 128},
        [PTX_SHAPE_m16n8k4] = {16, 8, 4},     [PTX_SHAPE_m16n8k8] = {16, 8, 8},
        [PTX_SHAPE_m16n8k16] = {16, 8, 16},   [PTX_SHAPE_m16n8k32] = {16, 8, 32},
        [PTX_SHAPE_m16n8k64] = {16, 8, 64},   [PTX_SHAPE_m16n8k128] = {16, 8, 128},
        [PTX_SHAPE_m16n8k256] = {16, 8, 256}, [PTX_SHAPE_m16n16k8] = {16, 16, 8},
        [PTX_SHAPE_m16n16k16] = {16, 16, 16}, [PTX_SHAPE_m32n8k16] = {32, 8, 16},
        [PTX_SHAPE_m8n32k16] = {8, 32, 16},
    };
    return table[shape];
}

/* Bits of an element; 0: not an element of a matrix. */
static inline unsigned fragment_bits(ptx_type t) {
    switch (t) {
    case PTX_F64: return 64;
    case PTX_F32:
    case PTX_S32:
    case PTX_TF32: return 32;
    case PTX_F16:
    case PTX_BF16: return 16;
    case PTX_U8:
    case PTX_S8:
    case PTX_E4M3:
    case PTX_E5M2: return 8;
    case PTX_U4:
    case PTX_S4: return 4;
    case PTX_B1: return 1;
    default: return 0;
    }
}

/* Four products at once? */
static inline bool fragment_quad(const ptx_insn *i, ptx_type a) {
    return i->op == PTX_OP_mma && i->field[PTX_FIELD_SHAPE] == PTX_SHAPE_m8n8k4 && a == PTX_F16;
}

/* Registers a lane holds of A ('a'), B ('b'), C or D ('c') with elements of type t. 0: no such
 * fragment. */
static inline unsigned fragment_registers(const ptx_insn *i, char which, ptx_type t, bool quad) {
    fragment_shape s = fragment_shape_of(i->field[PTX_FIELD_SHAPE]);
    unsigned bits = fragment_bits(t), rows = which == 'b' ? s.k : s.m,
             cols = which == 'a' ? s.k : s.n;
    if (i->op != PTX_OP_mma && t == PTX_F16 && which != 'c') return 8;
    if (quad) return which == 'c' ? bits / 4 : 2;
    return rows * cols * bits / 32 / (bits == 64 ? 64 : 32);
}

#endif
