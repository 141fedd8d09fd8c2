/* What follows when a function, or the module, is read. */
#ifndef WARPLAB_PTX_FINISH_H
#define WARPLAB_PTX_FINISH_H

#include "runner/device/sim/lex/parser.h"

/* cfg.c: blocks, post-dominators, reading order. False: out of memory, or *stop (which may be NULL)
 * became nonzero. */
bool ptx_cfg(ptx_arena *a, ptx_func *f, const volatile int *stop);
/* polls.c: which of the blocks b are in loops that wait for what another thread writes. False: out of
 * memory. */
bool ptx_polls(ptx_func *f, ptx_block *b, const volatile int *stop);
/* layout.c: offsets of shared variables, along the call graph, and the functions' lists of them. */
void ptx_shared_layout(ptx_parser *p);

#endif
