/* The access paths for x86-64 with AVX2: see access_path.h. */
#if defined(__x86_64__)
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#define VB       32
#define ISA      sim_access_avx2
#define ISA_NAME "avx2"
#include "runner/sim/memory/access_path.h"
#else
#include "runner/sim/memory/access_internal.h"
const sim_access_isa sim_access_avx2 = {"avx2", 0, 0};
#endif
