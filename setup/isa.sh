#!/bin/sh
# Prints the instruction set that `make lab` compiles the simulated device for: the best of base,
# avx2 and avx512 that this machine has, by the same rule as runner/device/sim/isa.c. It prints all
# three where /proc/cpuinfo has no flags. tests/unit/isas.sh holds it to isa.c.
flags=" $(sed -n 's/^flags[^:]*: //p' "${CPUINFO:-/proc/cpuinfo}" 2>/dev/null | head -n 1) "
all() { for f; do case $flags in *" $f "*) ;; *) return 1 ;; esac; done; }
if [ "$flags" = "  " ]; then echo base avx2 avx512
elif ! all avx2 bmi1 bmi2 f16c fma abm movbe popcnt; then echo base
elif ! all avx512f avx512bw avx512cd avx512dq avx512vl; then echo avx2
else echo avx512; fi
