/* The slow paths of exact division, reciprocal and square root.
 *
 * The assembler makes of div.rn, rcp.rn and sqrt.rn a short sequence that is right for most
 * operands, a check of their exponents, and a call of a routine for the rest
 * ($__cuda_sm3x_div_rn_noftz_f32_slowpath and its like, in the code of sm_75 to sm_90 alike). A
 * warp goes there as soon as one of its lanes has to; zero by anything is already among them. PTX
 * has none of this, so the executor says which operands a warp had (trace.h), and the model charges
 * the routine for it. */
#ifndef WARPLAB_SLOW_H
#define WARPLAB_SLOW_H

#include <stdint.h>
#include "runner/device/sim/ptx/ptx.h"

/* Why lanes go there, a bit each. */
enum {
    SIM_SLOW_SPECIAL = 1, /* zero, infinity, NaN: an answer by cases */
    SIM_SLOW_SCALED = 2,  /* exponents that the short sequence would overflow or lose bits with */
    SIM_SLOW_OPERAND = 4, /* besides, an operand is subnormal and made a normal number first */
    SIM_SLOW_RESULT = 8 /* besides, the result is below the normal numbers and rounded bit by bit */
};

/* What a routine takes, by its pieces. */
typedef struct sim_slow_path sim_slow_path;
/* Of the instruction; NULL: it has no slow path. */
const sim_slow_path *sim_slow_path_of(const ptx_insn *i);

/* Why lanes of `on` go there, 0: none does. The instruction has one. a, b: 32 lanes of the
 * operands, as wide as its type; b only of a division. */
unsigned sim_slow_why(const ptx_insn *i, const void *a, const void *b, uint32_t on);

/* Issue slots, one a cycle as on sm_90, and cycles until the warp is back when it has the scheduler
 * for itself. */
typedef struct {
    float slots, latency;
} sim_slow_cost;
/* Of a warp that goes there for reasons `why`: what all go through, and each piece that one lane
 * needs. */
sim_slow_cost sim_slow_cost_of(const sim_slow_path *p, unsigned why);

#endif
