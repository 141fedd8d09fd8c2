/* The access paths for x86-64 with AVX-512: see access_path.h. */
#if defined(__x86_64__)
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512cd")
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#define VB       64
#define ISA      sim_access_avx512
#define ISA_NAME "avx512"
#include "runner/sim/memory/access_path.h"
#else
#include "runner/sim/memory/access_internal.h"
const sim_access_isa sim_access_avx512 = {"avx512", 0, 0};
#endif
