/* Links several units of PTX into one, as nvlink does with machine code. In: their texts. Out: one
 * text for the parser. A definition that only its unit sees gets another name if another unit has
 * the same name. The first of several weak definitions stays. Numbers of files are made
 * distinct. */
#ifndef WARPLAB_SIM_LINK_H
#define WARPLAB_SIM_LINK_H

#include <stddef.h>
#include "runner/device/sim/sim.h"

/* *out is malloc'ed and ends in NUL. BAD_PTX: two units define the same name; *msg says which. */
sim_status sim_link_ptx(char *const *text, size_t count, char **out, size_t *out_len,
                        lib_message *msg);

#endif
