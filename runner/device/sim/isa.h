/* Which of the host's instruction sets the simulated device's code runs in: handlers of
 * instructions (exec) and paths of memory accesses (memory) are compiled once for each. In: the
 * processor, and WARPLAB_SIM_ISA. Out: one choice, made when a device is made and passed on.
 *
 * A set is all of x86-64-v3 or -v4, as the Makefile's flags say it. */
#ifndef WARPLAB_SIM_ISA_H
#define WARPLAB_SIM_ISA_H

#include <stdbool.h>

/* SIM_ISAS(X) is X(set) for each set of this build, the best first; SIM_VECTOR_ISAS(X) for those
 * with vectors of their own. `make lab` leaves out what its machine does not need (SIM_WITHOUT_*,
 * in the Makefile). */
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

/* The best that this machine and this build have; WARPLAB_SIM_ISA names a smaller one (for tests,
 * which run them all). SIM_ISA_COUNT: the build has none that this machine runs. */
sim_isa sim_isa_best(void);
/* Is it in this build, and does this machine have it? */
bool sim_isa_runs(sim_isa s);
const char *sim_isa_name(sim_isa s);

#endif
