/* The host's instruction sets for which the simulated device's code is compiled. Handlers of
 * instructions (exec) and paths of memory accesses (access) are compiled once for each. In: the
 * processor, and WARPLAB_SIM_ISA. Out: one choice, made when a device is made and passed on.
 *
 * A set has all of x86-64-v3 or -v4, as the Makefile's flags say. */
#ifndef WARPLAB_SIM_ISA_H
#define WARPLAB_SIM_ISA_H

#include <stdbool.h>

/* SIM_ISAS(X) is X(set) for each set of this build, the best first. SIM_VECTOR_ISAS(X) is the same
 * for the sets that have vectors of their own. `make lab` leaves out the sets that its machine does
 * not need (SIM_WITHOUT_*, in the Makefile). */
#if defined(__x86_64__) && !defined(SIM_WITHOUT_avx512)
#define SIM_IF_avx512(X) X(avx512)
#else
#define SIM_IF_avx512(X)
#endif
#if defined(__x86_64__) && !defined(SIM_WITHOUT_avx2)
#define SIM_IF_avx2(X) X(avx2)
#else
#define SIM_IF_avx2(X)
#endif
#if !defined(SIM_WITHOUT_base)
#define SIM_IF_base(X) X(base)
#else
#define SIM_IF_base(X)
#endif
#define SIM_VECTOR_ISAS(X) SIM_IF_avx512(X) SIM_IF_avx2(X)
#define SIM_ISAS(X)        SIM_VECTOR_ISAS(X) SIM_IF_base(X)

typedef enum { SIM_ISA_base, SIM_ISA_avx2, SIM_ISA_avx512, SIM_ISA_COUNT } sim_isa;

/* Returns the best set that this build contains and this machine runs. WARPLAB_SIM_ISA names a
 * smaller one (for tests, which run them all). SIM_ISA_COUNT: this machine runs none of the build's
 * sets. */
sim_isa sim_isa_best(void);
/* Returns whether the set is in this build and runs on this machine. */
bool sim_isa_runs(sim_isa s);
const char *sim_isa_name(sim_isa s);

#endif
