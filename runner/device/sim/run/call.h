/* Executes calls of device functions, and keeps the frames of a worker. */
#ifndef WARPLAB_SIM_RUN_CALL_H
#define WARPLAB_SIM_RUN_CALL_H

#include "runner/device/sim/machine/state.h"

/* Returns false if the fragment goes on after the call at once (a built-in function). */
bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i);
void sim_return(sim_warp *w, sim_frag *f);

/* Returns a frame with room for a call of f; NULL: memory is out. */
sim_frame *sim_frame_new(sim_worker *k, const sim_func *f);
/* Sets the registers that f may read before it sets them. */
void sim_frame_fresh(const sim_warp *w, const sim_func *f, uint8_t *regs);
/* Drops one reference. The last one frees the frame and drops that of its caller's frame. */
void sim_frame_drop(sim_worker *k, sim_frame *f);
void sim_frames_free(sim_worker *k);

#endif
