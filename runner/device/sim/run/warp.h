/* Runs a warp until it ends, waits or gives way (warp.c). */
#ifndef WARPLAB_SIM_WARP_H
#define WARPLAB_SIM_WARP_H

#include "runner/device/sim/machine/state.h"

typedef enum { SIM_RAN_DONE, SIM_RAN_WAITING, SIM_RAN_YIELDED, SIM_RAN_STOPPED } sim_ran;
void sim_warp_start(sim_warp *w, uint32_t lanes);
sim_ran sim_warp_run(sim_warp *w);
sim_ran sim_warp_run_tapped(sim_warp *w);   /* the same, recorded by sim_twins_tap() */
sim_ran sim_warp_run_debugged(sim_warp *w); /* the same, instruction by instruction */

#endif
