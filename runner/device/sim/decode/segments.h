/* A function's segments (segments.c). */
#ifndef WARPLAB_SIM_SEGMENTS_H
#define WARPLAB_SIM_SEGMENTS_H

#include "runner/device/sim/emit/emit.h"

/* Decodes f->ptx into slots, instructions, segments and the layout of a frame. */
void sim_decode_function(sim_decoder *d, sim_func *f);
/* Fills sim_func.mark_of, and the marks of its segments and guarded instructions (marks.c). */
void sim_decode_marks(sim_decoder *d, sim_func *f);

#endif
