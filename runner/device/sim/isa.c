/* The choice of the host's instruction set. */
#include "runner/device/sim/isa.h"
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define HAS(feature) __builtin_cpu_supports(feature)
/* What -march=x86-64-v3 and -march=x86-64-v4 let the compiler use. */
static bool has_v3(void) {
    return HAS("avx2") && HAS("bmi") && HAS("bmi2") && HAS("f16c") && HAS("fma") && HAS("lzcnt") &&
           HAS("movbe") && HAS("popcnt");
}
static bool has_v4(void) {
    return has_v3() && HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") &&
           HAS("avx512vl");
}
#endif

bool sim_isa_runs(sim_isa s) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (s == SIM_ISA_avx512) return has_v4();
    if (s == SIM_ISA_avx2) return has_v3();
#endif
    return s == SIM_ISA_base;
}

const char *sim_isa_name(sim_isa s) {
    return s == SIM_ISA_avx512 ? "avx512" : s == SIM_ISA_avx2 ? "avx2" : "base";
}

sim_isa sim_isa_best(void) {
    const char *forced = getenv("WARPLAB_SIM_ISA");
    for (unsigned s = SIM_ISA_COUNT - 1; s > SIM_ISA_base; s--)
        if (sim_isa_runs(s) && (!forced || !*forced || !strcmp(forced, sim_isa_name(s)))) return s;
    return SIM_ISA_base;
}
