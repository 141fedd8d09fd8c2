/* Families of handlers that are compiled once for each instruction set of the host. exec_base.c,
 * exec_avx2.c and exec_avx512.c include all families under a suffix of their own (SIM_ISA), with
 * their own flags in the Makefile. exec.c looks for a handler in the tables of the device's set. */
#ifndef WARPLAB_SIM_FAMILIES_H
#define WARPLAB_SIM_FAMILIES_H

#include "runner/device/sim/exec/exec.h"

#define SIM_ISA_PASTE2(name, isa) name##_##isa
#define SIM_ISA_PASTE(name, isa)  SIM_ISA_PASTE2(name, isa)
/* The name of a table in the instruction set being compiled. */
#define SIM_ISA_NAME(name) SIM_ISA_PASTE(name, SIM_ISA)

/* X(isa, name) for every family. */
#define SIM_EXEC_FAMILIES_OF(X, isa)                                                               \
    X(isa, exec_int) X(isa, exec_fp) X(isa, exec_cvt) X(isa, exec_mem)
/* Special registers that are clocks. */
enum { SIM_CLOCKS = 6 };
typedef struct {
    unsigned sreg; /* PTX_SREG_* */
    sim_exec_fn *fn;
} sim_exec_clock;
#define SIM_EXEC_DECLARE(isa, name)                                                                \
    extern const sim_exec_row name##_rows_##isa[];                                                 \
    extern const size_t name##_count_##isa;
SIM_EXEC_FAMILIES_OF(SIM_EXEC_DECLARE, base)
extern const sim_exec_clock exec_clocks_base[SIM_CLOCKS];
#if defined(__x86_64__)
SIM_EXEC_FAMILIES_OF(SIM_EXEC_DECLARE, avx2)
SIM_EXEC_FAMILIES_OF(SIM_EXEC_DECLARE, avx512)
extern const sim_exec_clock exec_clocks_avx2[SIM_CLOCKS], exec_clocks_avx512[SIM_CLOCKS];
#endif

#endif
