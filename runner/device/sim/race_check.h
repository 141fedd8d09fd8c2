/* Switches a check of a device that exists: grading looks for races between blocks in its small
 * cases only. */
#ifndef WARPLAB_RACE_CHECK_H
#define WARPLAB_RACE_CHECK_H

#include "runner/device/sim/sim.h"

/* Whether the launches from now on are checked for races in global memory
 * (sim_options.check_race_global): it costs one to three times as much as running them. */
void sim_device_check_race_global(sim_device *d, bool on);

#endif
