/* Every family of handlers, compiled for any machine; the flags are in the Makefile. */
#define SIM_ISA base
#include "runner/device/sim/exec/exec_int.inc"
#include "runner/device/sim/exec/exec_fp.inc"
#include "runner/device/sim/exec/exec_cvt.inc"
#include "runner/device/sim/exec/exec_mem.inc"
#include "runner/device/sim/exec/exec_clock.inc"
