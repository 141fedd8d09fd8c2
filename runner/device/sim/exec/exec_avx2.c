/* Every family of handlers, compiled for x86-64 with AVX2 (x86-64-v3); the flags are in the
 * Makefile. */
#if defined(__x86_64__)
#define SIM_ISA avx2
#include "runner/device/sim/exec/exec_int.inc"
#include "runner/device/sim/exec/exec_fp.inc"
#include "runner/device/sim/exec/exec_cvt.inc"
#include "runner/device/sim/exec/exec_mem.inc"
#include "runner/device/sim/exec/exec_clock.inc"
#endif
