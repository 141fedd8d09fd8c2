/* Completion at the prompt. */
#ifndef WARPLAB_REPL_COMPLETE_H
#define WARPLAB_REPL_COMPLETE_H

#include "runner/repl/session.h"

void complete_install(repl *r);

#endif
