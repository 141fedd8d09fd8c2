/* Keeps the output of commands: a hash of tool, arguments and input --> cache/said/HASH. ptxas
 * would otherwise run again and again on the same module: a lab's baseline is graded with every
 * submission of a course, and hundreds may hand in the same answer. Path, size and time of change
 * identify the tool. */
#ifndef WARPLAB_RUNNER_GRADE_KEPT_H
#define WARPLAB_RUNNER_GRADE_KEPT_H

#include "runner/device/sim/sim.h"

enum { KEPT_KEY = 65 };

/* Makes the key of a command. Returns false if the command has effects besides its output (it works
 * in a folder), or if the tool does not exist. */
bool kept_key(const sim_command *c, const char *tool, char key[KEPT_KEY]);
/* Writes the kept output into c->output. Returns false if nothing is kept, or if the file is
 * damaged. */
bool kept_find(const sim_command *c, const char *key);
/* Keeps c->output after the command has succeeded. If it cannot be kept, the command runs again the
 * next time. */
void kept_put(const sim_command *c, const char *key);

#endif
