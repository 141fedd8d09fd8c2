/* Steps after a function, or the module, has been read. */
#ifndef WARPLAB_PTX_FINISH_H
#define WARPLAB_PTX_FINISH_H

#include "runner/device/sim/lex/parser.h"

/* cfg.c: blocks, post-dominators, reading order. Returns false if memory is out or *stop (may be
 * NULL) became nonzero. */
bool ptx_cfg(ptx_arena *a, ptx_func *f, const volatile int *stop);
/* polls.c: finds the blocks b that are in loops which wait for a store of another thread. Returns
 * false if memory is out. */
bool ptx_polls(ptx_func *f, ptx_block *b, const volatile int *stop);
/* layout.c: offsets of shared variables, from the call graph, and the functions' lists of these
 * variables. */
void ptx_shared_layout(ptx_parser *p);

#endif
