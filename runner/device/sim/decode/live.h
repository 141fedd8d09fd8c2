/* Live registers: those that some path reads before it writes them. */
#ifndef WARPLAB_SIM_LIVE_H
#define WARPLAB_SIM_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runner/device/sim/ptx/ptx.h"

/* Returns whether the instruction writes opnd[0]. */
bool sim_has_destination(const ptx_insn *p);
/* Returns the registers that are live at the start of each block: a row of *words words for each
 * block, one bit a register. NULL: memory is out, more than SIM_LIVE_BYTES would be needed, or
 * *stop (may be NULL) became nonzero. The caller frees it. */
#define SIM_LIVE_BYTES ((size_t)256 << 20)
uint64_t *sim_live_in(const ptx_func *f, const volatile int *stop, size_t *words);
/* The same at the end of a block. */
void sim_live_out(const ptx_func *f, const uint64_t *live_in, size_t words, size_t block,
                  uint64_t *out);
/* The instructions that read and write each register. Zeroed: none. */
typedef struct {
    uint32_t *first,
        *at; /* of register r: at[first[r]] to at[first[r + 1]], instructions in order */
} sim_uses;
/* Returns false if memory is out. Call sim_uses_free() in any case. */
bool sim_uses_find(sim_uses *u, const ptx_func *f);
void sim_uses_free(sim_uses *u);
/* Returns whether some path may read the present value of `reg` after instruction `at`, before the
 * register is written again. */
bool sim_live_after(const ptx_func *f, const sim_uses *u, const uint64_t *live_in, size_t words,
                    size_t at, int32_t reg);

#endif
