/* Several units of PTX become one (what nvlink does with machine code): in: their texts, out: one text that the parser takes.
 * Definitions that only their unit sees get names of their own where another unit has the same name; of
 * weak ones the first stays; numbers of files are told apart. */
#ifndef WARPLAB_SIM_LINK_H
#define WARPLAB_SIM_LINK_H

#include <stddef.h>
#include "runner/device/sim/sim.h"

/* *out is malloc'ed and NUL-terminated. BAD_PTX: two units define the same name; *msg says which. */
sim_status sim_link_ptx(char *const *text, size_t count, char **out, size_t *out_len,
                        lib_message *msg);

#endif
