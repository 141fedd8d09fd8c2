/* Switches a check of an existing device: grading looks for races between blocks only in its small
 * cases. */
#ifndef WARPLAB_RACE_CHECK_H
#define WARPLAB_RACE_CHECK_H

#include "runner/device/sim/sim.h"

/* Says whether the launches from now on are checked for races in global memory
 * (sim_options.check_race_global). The check takes one to three times as long as running the
 * launches. */
void sim_device_check_race_global(sim_device *d, bool on);

#endif
