/* Families of instructions on matrices (special/tensor.c, special/matrix.c): decoding. */
#ifndef WARPLAB_SIM_TENSOR_H
#define WARPLAB_SIM_TENSOR_H

#include "runner/sim/emit/emit.h"

sim_decode_fn sim_decode_wmma_load, sim_decode_wmma_store, sim_decode_mma, sim_decode_ldmatrix,
    sim_decode_stmatrix, sim_decode_movmatrix;

/* A fragment's registers, and where each element stands in the matrix. */
typedef struct {
    uint8_t type, bits; /* ptx_type of an element, its bits */
    uint8_t regs, per;  /* registers a lane, elements a register */
    bool wide;          /* registers of 64 bits */
    uint16_t rows, cols;
    sim_opnd reg[8];
    /* [(register * per + element) * 32 + lane] := row * cols + column; in a QUAD
     * (fragment.h) after the three matrices before it */
    uint16_t *at;
} sim_fragment;

/* Fills *f for operand o of the current instruction: which is 'a', 'b' or 'c' (C, D). False:
 * decoding has failed. */
bool sim_fragment_make(sim_decoder *d, sim_fragment *f, const ptx_opnd *o, char which, ptx_type t,
                       bool quad, bool to);

#endif
