/* The access paths for x86-64 with AVX-512 (x86-64-v4): see access_path.inc. The flags are in the
 * Makefile. */
#if defined(__x86_64__)
#define VB       64
#define ISA      sim_access_avx512
#define ISA_NAME "avx512"
#include "runner/device/sim/access/access_path.inc"
#endif
