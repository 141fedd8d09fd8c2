/* Dispatch (families.c). */
#ifndef WARPLAB_SIM_DECODE_FAMILIES_H
#define WARPLAB_SIM_DECODE_FAMILIES_H

#include "runner/device/sim/emit/emit.h"

/* Decodes the instruction d->insn with the function that its row of ops.def names. */
void sim_decode_insn(sim_decoder *d);

#endif
