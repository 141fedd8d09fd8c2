/* Every family of handlers, compiled for AVX2 (the flags are in the Makefile). */
#if defined(__x86_64__)
#define SIM_ISA avx2
#include "exec_int.c"
#include "exec_fp.c"
#include "exec_cvt.c"
#include "exec_mem.c"
#endif
