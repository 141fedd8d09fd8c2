/* Which registers are live where: read on some path before they are written again. */
#ifndef WARPLAB_SIM_LIVE_H
#define WARPLAB_SIM_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/device/sim/ptx/ptx.h"

/* Whether opnd[0] is what the instruction writes. */
bool sim_has_destination(const ptx_insn *p);
/* Registers that are read before they are written from the start of a block on: a row of *words
 * words for each block, a bit a register. NULL: out of memory, more than SIM_LIVE_BYTES would be
 * needed, or *stop (which may be NULL) became nonzero. The caller frees it. */
#define SIM_LIVE_BYTES ((size_t)256 << 20)
uint64_t *sim_live_in(const ptx_func *f, const volatile int *stop, size_t *words);
/* The same from the end of a block on. */
void sim_live_out(const ptx_func *f, const uint64_t *live_in, size_t words, size_t block,
                  uint64_t *out);
/* Where each register is read and written. Zeroed: none. */
typedef struct {
    uint32_t *first,
        *at; /* of register r: at[first[r]] to at[first[r + 1]], instructions in order */
} sim_uses;
/* False: out of memory. sim_uses_free() in any case. */
bool sim_uses_find(sim_uses *u, const ptx_func *f);
void sim_uses_free(sim_uses *u);
/* Whether what `reg` holds right after instruction `at` may still be read: on some path before it
 * is written again. */
bool sim_live_after(const ptx_func *f, const sim_uses *u, const uint64_t *live_in, size_t words,
                    size_t at, int32_t reg);

#endif
