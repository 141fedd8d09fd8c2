/* The slow paths of exact division, reciprocal and square root.
 *
 * The assembler makes from div.rn, rcp.rn and sqrt.rn a short sequence that is right for most
 * operands, a check of their exponents, and a call of a routine for the rest
 * ($__cuda_sm3x_div_rn_noftz_f32_slowpath and others, the same in the code of sm_75 to sm_90). A
 * warp goes there as soon as one of its lanes must; zero by anything is such a case. PTX has none
 * of this, so the executor says which operands a warp had (trace.h), and the model charges the
 * routine for it. */
#ifndef WARPLAB_SLOW_H
#define WARPLAB_SLOW_H

#include <stdint.h>
#include "runner/device/sim/ptx/ptx.h"

/* Reasons for lanes to take it, one bit each. */
enum {
    SIM_SLOW_SPECIAL = 1, /* zero, infinity, NaN: a result by cases */
    SIM_SLOW_SCALED = 2,  /* exponents with which the short sequence would overflow or lose bits */
    SIM_SLOW_OPERAND = 4, /* in addition, an operand is subnormal and is normalised first */
    SIM_SLOW_RESULT = 8   /* in addition, the result is subnormal and is rounded bit by bit */
};

/* The cost of a routine, by its parts. */
typedef struct sim_slow_path sim_slow_path;
/* Returns that of the instruction; NULL: it has no slow path. */
const sim_slow_path *sim_slow_path_of(const ptx_insn *i);

/* Returns why lanes of `on` take the slow path; 0: none does. The instruction must have one. a, b:
 * 32 lanes of the operands, as wide as its type; b only for a division. */
unsigned sim_slow_why(const ptx_insn *i, const void *a, const void *b, uint32_t on);

/* Issue slots, one a cycle as on sm_90; cycles until the warp is back, if it has the scheduler for
 * itself. */
typedef struct {
    float slots, latency;
} sim_slow_cost;
/* Returns the cost for a warp with reasons `why`: the common part, and each part that some lane
 * needs. */
sim_slow_cost sim_slow_cost_of(const sim_slow_path *p, unsigned why);

#endif
