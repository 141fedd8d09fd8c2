#!/bin/bash
# How many instructions of its machine the simulated device executes for one thread-instruction: on
# aarch64, and on x86-64 by its base path (SSE2). Both vectors have 128 bits, so the same C should
# take about as many. Counted by qemu-user with qemu_count.c: a launch of each kernel of kernels.cu,
# the difference between two launches and one.
#
#   tests/bench/instructions.sh [KERNEL...]      takes build/ and build-aarch64-linux-gnu/ (setup/cross.sh, make CROSS=aarch64-linux-gnu build)
#
# Needs Debian's qemu-user and g++-aarch64-linux-gnu.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} A=build-aarch64-linux-gnu
T=$(mktemp -d "${TMPDIR:-/tmp}/warplab-bench.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
for p in qemu-aarch64 qemu-x86_64 aarch64-linux-gnu-gcc; do command -v $p >/dev/null || { echo "instructions: there is no $p (Debian: qemu-user, g++-aarch64-linux-gnu)" >&2; exit 1; }; done
for f in "$B/libdevice.a" "$A/libdevice.a"; do [ -f "$f" ] || { echo "instructions: there is no $f; see the head of $0" >&2; exit 1; }; done
. tests/nvcc.sh
"$nvcc" -O3 -std=c++17 -arch=sm_90 -lineinfo -ptx tests/bench/kernels.cu -o "$T/kernels.ptx" || exit 1
gcc -std=gnu17 -O2 -shared -fPIC -o "$T/count.so" tests/bench/qemu_count.c || exit 1
# program COMPILER LIBRARIES OUT FLAGS...
program() {
    local cc=$1 from=$2 to=$3
    shift 3
    $cc -std=gnu17 -O2 -I. -I"$from" -D_GNU_SOURCE tests/bench/sim.c "$from/libdevice.a" "$from/libbase.a" $(cat "$from/device-libs") -o "$to"
}
libraries=$PWD/.toolchain/aarch64-linux-gnu/usr
program gcc "$B" "$T/x86" || exit 1
program aarch64-linux-gnu-gcc "$A" "$T/arm" || exit 1
export LD_LIBRARY_PATH=
# qemu keeps some bytes of its own for each page that a device reserves (5 GB); in a smaller address
# space a device makes do with less, but qemu-x86_64 starts no program in one.
# executed LAUNCHES KERNEL QEMU...: instructions; what the program prints is left in $T/said
executed() {
    local launches=$1 kernel=$2
    shift 2
    WARPLAB_SIM_ISA=base WARPLAB_SIM_NATIVE=off "$@" "$T/kernels.ptx" 1 "$kernel" "$launches" 2>&1 >"$T/said" | sed -n 's/^instructions //p'
}
# each KERNEL QEMU...: instructions for a thread-instruction
each() {
    local one two
    one=$(executed 1 "$@") two=$(executed 2 "$@")
    awk -v a="${one:-0}" -v b="${two:-0}" -v n="$(cat "$T/said")" 'BEGIN { if (b <= a || n <= 0) exit 1; printf "%.2f\n", (b - a) / n * 32 }'
}
printf '%-20s %10s %10s %8s   instructions for one of a warp\n' kernel x86-64 aarch64 ratio
for kernel in ${*:-product reduction arithmetic copy strided transpose histogram_global histogram_shared bank32 mma wmma texture_point texture_linear divergent rounded}; do
    x86=$(each "$kernel" qemu-x86_64 -plugin "$T/count.so" "$T/x86") && arm=$(each "$kernel" qemu-aarch64 -R 400G -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$libraries/lib/aarch64-linux-gnu" -plugin "$T/count.so" "$T/arm") ||
        { echo "instructions: $kernel was not counted" >&2; exit 1; }
    printf '%-20s %10s %10s %8s\n' "$kernel" "$x86" "$arm" "$(awk -v a="$arm" -v b="$x86" 'BEGIN { printf "%.2f", a / b }')"
done
