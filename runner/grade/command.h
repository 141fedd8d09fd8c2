/* Commands of the simulated device, in the sandbox. */
#ifndef WARPLAB_GRADE_COMMAND_H
#define WARPLAB_GRADE_COMMAND_H

#include "runner/device/sim/sim.h"

/* As dev_run_command(), where there is a sandbox (sandbox_get()). A tool that is no path is looked
 * for below /usr. */
sim_run_command grading_command;

#endif
