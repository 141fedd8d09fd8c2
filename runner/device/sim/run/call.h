/* How calls of device functions are executed , and the frames of a worker. */
#ifndef WARPLAB_SIM_RUN_CALL_H
#define WARPLAB_SIM_RUN_CALL_H

#include "runner/device/sim/machine/state.h"

/* False: the fragment goes on behind the call at once (a built-in function). */
bool sim_call(sim_warp *w, sim_frag *f, const sim_seg *s, const sim_insn *i);
void sim_return(sim_warp *w, sim_frag *f);

/* A frame with room for a call of f; NULL: memory is out. */
sim_frame *sim_frame_new(sim_worker *k, const sim_func *f);
/* One holder less; the last one frees it and lets its caller's frame go. */
void sim_frame_drop(sim_worker *k, sim_frame *f);
void sim_frames_free(sim_worker *k);

#endif
