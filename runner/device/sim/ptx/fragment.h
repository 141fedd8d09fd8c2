/* Fragments of matrices: which elements a lane of a warp holds in which register. PTX ISA 9.7.14
 * (wmma, mma, ldmatrix), 9.7.15 (wgmma).
 *
 * A register holds `per` elements that are adjacent along k (A, B) or along a row (C, D). Four
 * lanes form a group; lane l is number t = l % 4 of group g = l / 4:
 *
 *   A  register j: row g + 8 (j % (m / 8)), columns from (4 (j / (m / 8)) + t) per on
 *   B  register j: rows from (4 (j % (k / 4 per)) + t) per on, column g + 8 (j / (k / 4 per))
 *   C  element i of tile x = i / 2: row g + 8 (x % (m / 8)), column 2 t + i % 2 + 8 (x / (m / 8))
 *
 * This covers every layout of mma.sync except one. The ISA leaves the layouts of wmma open; here
 * they are the same, as in compiled code for sm_80 and later. Half-precision A and B of wmma have
 * eight registers in every shape, and hold their contents twice. A warp of a wgmma has its 16 rows
 * of A and C in this layout. A warp of mma.sp has the stored elements of A like an A with half the
 * columns. The exception: mma.sync.m8n8k4 on halves is four products at once, each by the lanes 4 q
 * .. 4 q + 3 and those 16 higher (QUAD). */
#ifndef WARPLAB_SIM_FRAGMENT_H
#define WARPLAB_SIM_FRAGMENT_H

#include "runner/device/sim/ptx/ptx.h"

typedef struct {
    uint16_t m, n, k;
} ptx_fragment_shape;

/* Returns the shape of the whole product. m is 64 in a wgmma: 16 for each of its four warps. */
ptx_fragment_shape ptx_fragment_shape_of(const ptx_insn *i);
/* Returns the bits of an element; 0: not an element of a matrix. */
unsigned ptx_fragment_bits(ptx_type t);
/* Returns whether it is four products at once. */
bool ptx_fragment_quad(const ptx_insn *i, ptx_type a);
/* Returns the registers in which a lane holds its part of A ('a'), B ('b'), C or D ('c') with
 * elements of type t. 0: no such fragment. */
unsigned ptx_fragment_registers(const ptx_insn *i, char which, ptx_type t, bool quad);

#endif
