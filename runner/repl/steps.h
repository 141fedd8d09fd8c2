/* Labs and their steps. */
#ifndef WARPLAB_REPL_STEPS_H
#define WARPLAB_REPL_STEPS_H

#include "runner/repl/session.h"

bool repl_open(repl *r, const char *id); /* loads a lab and makes it current */
void repl_show_step(repl *r, bool fresh);
void repl_passed(repl *r); /* what is said once the exercise is passed for the first time */

#endif
