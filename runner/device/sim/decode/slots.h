/* Registers and their slots (slots.c). */
#ifndef WARPLAB_SIM_SLOTS_H
#define WARPLAB_SIM_SLOTS_H

#include "runner/device/sim/emit/emit.h"

/* Fills d->reg_at and d->reg_slot of the function d->ptx. */
void sim_assign_slots(sim_decoder *d);
/* Fills d->func->unset and d->func->zero. */
void sim_find_unwritten(sim_decoder *d);

#endif
