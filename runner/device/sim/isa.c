/* The choice of the host's instruction set. */
#include "runner/device/sim/isa.h"
#include <stdlib.h>
#include <string.h>

#define HAS(feature) __builtin_cpu_supports(feature)
/* The instructions that -march=x86-64-v3 and -march=x86-64-v4 let the compiler use. */
#define HAS_avx2                                                                                   \
    (HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("f16c") && HAS("fma") && HAS("lzcnt") &&      \
     HAS("movbe") && HAS("popcnt"))
#define HAS_avx512                                                                                 \
    (HAS_avx2 && HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") &&        \
     HAS("avx512vl"))
#define HAS_base true

bool sim_isa_runs(sim_isa s) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
#define ISA_RUNS(set)                                                                              \
    if (s == SIM_ISA_##set) return HAS_##set;
    SIM_ISAS(ISA_RUNS)
    return false;
}

const char *sim_isa_name(sim_isa s) {
    return s == SIM_ISA_avx512 ? "avx512" : s == SIM_ISA_avx2 ? "avx2" : "base";
}

sim_isa sim_isa_best(void) {
    const char *forced = getenv("WARPLAB_SIM_ISA");
    for (unsigned s = SIM_ISA_COUNT; s-- > SIM_ISA_base;)
        if (sim_isa_runs(s) && (!forced || !*forced || !strcmp(forced, sim_isa_name(s)))) return s;
    return sim_isa_runs(SIM_ISA_base) ? SIM_ISA_base : SIM_ISA_COUNT;
}
