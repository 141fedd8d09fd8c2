#!/bin/bash
# The instruction sets of a build: setup/isa.sh names this machine's as the device itself does, and
# a set that `make lab` left out is never chosen.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

printf '#include <stdio.h>\n#include "runner/device/sim/isa.h"\nint main(void) {\n    sim_isa s = sim_isa_best();\n    puts(s == SIM_ISA_COUNT ? "none" : sim_isa_name(s));\n}\n' >"$T/main.c"
# best WITHOUT...: what a build without these sets chooses
best() {
    gcc -std=gnu17 -I. "${@/#/-DSIM_WITHOUT_}" -o "$T/best" "$T/main.c" runner/device/sim/isa.c && "$T/best"
}
here=$(setup/isa.sh)
case $(uname -m) in
x86_64) is "$(best)" "$here" "setup/isa.sh names the set that the device takes" ;;
*) is "$(best)" base "the device takes the only set" ;;
esac
is "$(WARPLAB_SIM_ISA=base best)" base "WARPLAB_SIM_ISA names a smaller one"
is "$(best avx512 avx2)" base "without vectors the plain one is left"
is "$(best avx512 avx2 base)" none "without any there is none"
is "$(WARPLAB_SIM_ISA=base best base)" none "one that was left out is not replaced by another"

# What setup/isa.sh says of processors that are not here, by their flags.
flags() { printf 'flags\t\t: %s\n' "$*" >"$T/cpuinfo"; CPUINFO=$T/cpuinfo setup/isa.sh; }
v3="fpu sse2 abm avx2 bmi1 bmi2 f16c fma movbe popcnt"
is "$(flags fpu sse2 popcnt)" base "a processor without AVX2"
is "$(flags "${v3/ fma/}" avx512f avx512bw avx512cd avx512dq avx512vl)" base "one without FMA"
is "$(flags "$v3")" avx2 "one with AVX2"
is "$(flags "$v3" avx512f avx512cd)" avx2 "one with half of AVX-512"
is "$(flags "$v3" avx512f avx512bw avx512cd avx512dq avx512vl)" avx512 "one with AVX-512"
is "$(CPUINFO=/nonexistent setup/isa.sh)" "base avx2 avx512" "where nothing can be told: all"
finish
