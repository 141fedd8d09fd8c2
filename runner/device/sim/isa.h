/* Which of the host's instruction sets the simulated device's code runs in: handlers of
 * instructions (exec) and paths of memory accesses (memory) are compiled once for each. In: the
 * processor, and WARPLAB_SIM_ISA. Out: one choice, made when a device is made and passed on.
 *
 * A set is all of x86-64-v3 or -v4, as the Makefile's flags say it. */
#ifndef WARPLAB_SIM_ISA_H
#define WARPLAB_SIM_ISA_H

#include <stdbool.h>

typedef enum { SIM_ISA_base, SIM_ISA_avx2, SIM_ISA_avx512, SIM_ISA_COUNT } sim_isa;

/* The best that this machine has; WARPLAB_SIM_ISA names a smaller one (for tests, which run them
 * all). */
sim_isa sim_isa_best(void);
bool sim_isa_runs(sim_isa s);
const char *sim_isa_name(sim_isa s);

#endif
