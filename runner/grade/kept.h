/* What a command said before: its tool, its words and its input --hash--> cache/said/HASH. ptxas is
 * asked about the same module again and again: a lab's baseline for every submission of a course, an
 * answer that hundreds hand in. A tool is known by its path, size and time of change. */
#ifndef WARPLAB_RUNNER_GRADE_KEPT_H
#define WARPLAB_RUNNER_GRADE_KEPT_H

#include "runner/device/sim/sim.h"

enum { KEPT_KEY = 65 };

/* False: what this command does is not in what it prints alone (it works in a folder), or the tool is
 * gone. */
bool kept_key(const sim_command *c, const char *tool, char key[KEPT_KEY]);
/* Into c->output as the command would have done it. False: it never ran, or what was kept is not whole. */
bool kept_find(const sim_command *c, const char *key);
/* What stands in c->output after it ended well. Where it cannot be kept, it runs again the next time. */
void kept_put(const sim_command *c, const char *key);

#endif
