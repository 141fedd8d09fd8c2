/* The access paths for any machine: see access_path.h. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#define VB       16
#define ISA      sim_access_base
#define ISA_NAME "base"
#include "runner/sim/memory/access_path.h"
