/* Symbols of a module (symbol.c). The file also has sim_module_symbol() of sim.h. */
#ifndef WARPLAB_SIM_SYMBOL_H
#define WARPLAB_SIM_SYMBOL_H

#include <stdbool.h>
#include "runner/device/sim/ptx/ptx.h"
#include "runner/device/sim/sim.h"

/* Returns the address of a module variable; 0: it has no place. */
sim_addr sim_module_address(const sim_module *m, const ptx_var *v);
/* Code addresses: the values of function pointers. */
#define SIM_CODE_BASE 0x2e0000000000ull
sim_addr sim_module_code(const sim_module *m, const ptx_func *f);
const ptx_func *sim_module_function(const sim_module *m, sim_addr a);
/* Finds the address of a variable or function by its name. Returns false if the module does not
 * define it. */
bool sim_module_name(const sim_module *m, const char *name, sim_addr *a);

#endif
