/* Families of handlers are compiled once for each instruction set of the host: exec_int.c by itself
 * gives ..._base, exec_avx2.c and exec_avx512.c include them all under another suffix, with flags
 * of their own in the Makefile. exec.c picks at run time. */
#ifndef WARPLAB_SIM_ISA_H
#define WARPLAB_SIM_ISA_H

#ifndef SIM_ISA
#define SIM_ISA base
#endif
#define SIM_ISA_PASTE2(name, isa) name##_##isa
#define SIM_ISA_PASTE(name, isa)  SIM_ISA_PASTE2(name, isa)
#define SIM_ISA_NAME(name)        SIM_ISA_PASTE(name, SIM_ISA)

/* X(isa, name) for every family. */
#define SIM_EXEC_FAMILIES_OF(X, isa)                                                               \
    X(isa, exec_int) X(isa, exec_fp) X(isa, exec_cvt) X(isa, exec_mem)
#define SIM_EXEC_DECLARE(isa, name)                                                                \
    extern const sim_exec_row SIM_ISA_NAME(name##_rows)[];                                         \
    extern const size_t SIM_ISA_NAME(name##_count);
SIM_EXEC_FAMILIES_OF(SIM_EXEC_DECLARE, )

#endif
