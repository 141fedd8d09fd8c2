/* The access paths for any machine: see access_path.inc. The flags are in the Makefile. */
#define VB       16
#define ISA      sim_access_base
#define ISA_NAME "base"
#include "runner/device/sim/access/access_path.inc"
