/* Runs commands of the simulated device in the sandbox. */
#ifndef WARPLAB_GRADE_COMMAND_H
#define WARPLAB_GRADE_COMMAND_H

#include "runner/device/sim/sim.h"

/* Does what dev_run_command() does, but in a sandbox; requires that sandbox_get() finds one. A tool
 * without a path is searched below /usr. */
sim_run_command grading_command;

#endif
