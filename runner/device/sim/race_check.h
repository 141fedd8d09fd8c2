/* Switches checks of an existing device: grading looks for races and asks for exact times only in
 * some of its cases. */
#ifndef WARPLAB_RACE_CHECK_H
#define WARPLAB_RACE_CHECK_H

#include "runner/device/sim/sim.h"

/* Says whether the launches from now on are checked for races in global memory
 * (sim_options.check_race_global). The check takes one to three times as long as running the
 * launches. */
void sim_device_check_race_global(sim_device *d, bool on);
/* Changes sim_options.machine_code between launches, if it was on: without it, launches are timed
 * by their counters, and cost less. */
void sim_device_by_machine(sim_device *d, bool on);

#endif
