/* The student's file. */
#ifndef WARPLAB_REPL_WORK_H
#define WARPLAB_REPL_WORK_H

#include "runner/repl/session.h"

/* Copies the skeleton unless there is a file already. False: it said why. */
bool repl_make_file(repl *r);
/* Says where it is. */
void repl_say_file(repl *r);

#endif
