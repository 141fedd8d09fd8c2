/* Every family of handlers, compiled for AVX-512 (the flags are in the Makefile). */
#if defined(__x86_64__)
#define SIM_ISA avx512
#include "runner/sim/exec/exec_int.c"
#include "runner/sim/exec/exec_fp.c"
#include "runner/sim/exec/exec_cvt.c"
#include "runner/sim/exec/exec_mem.c"
#endif
