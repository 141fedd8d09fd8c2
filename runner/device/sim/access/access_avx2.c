/* The access paths for x86-64 with AVX2 (x86-64-v3): see access_path.inc. The flags are in the
 * Makefile. */
#if defined(__x86_64__)
#define VB       32
#define ISA      sim_access_avx2
#define ISA_NAME "avx2"
#include "runner/device/sim/access/access_path.inc"
#endif
