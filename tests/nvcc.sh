# shellcheck shell=bash
# Which nvcc tests compile with, the same for all; read by a shell in the project's root. Sets $nvcc, empty where there is none: WARPLAB_NVCC, what PATH
# has, an installed toolkit, what set-up brought.
B=${B:-build}
nvcc=
for nvcc_at in "${WARPLAB_NVCC-}" "$(command -v nvcc)" /usr/local/cuda*/bin/nvcc "$PWD/.toolchain/nvidia/cu13/bin/nvcc"; do
    [ -z "$nvcc" ] && [ -x "$nvcc_at" ] && nvcc=$nvcc_at
done
# NVIDIA's wheels have the runtime library by its full name alone, in a folder where their nvcc does not look.
nvcc_at=$(dirname "$(dirname "$(readlink -f "${nvcc:-/}")")")
if [ -e "$nvcc_at/lib/libcudart.so.13" ] && [ ! -e "$nvcc_at/lib64" ]; then
    mkdir -p "$B/cuda-link"
    ln -sfn "$nvcc_at/lib/libcudart.so.13" "$B/cuda-link/libcudart.so"
    export NVCC_APPEND_FLAGS="-L$(cd "$B/cuda-link" && pwd) -L$nvcc_at/lib ${NVCC_APPEND_FLAGS-}"
fi
unset nvcc_at

# compile PROGRAM SOURCE FLAG...: nvcc, with the headers that the source needs (runner/build/lean.c) and the faster linker where they do; else as it is.
nvcc_fast=$([ -x /usr/bin/ld.gold ] && echo -Xcompiler=-fuse-ld=gold)
compile() {
    local program=$1 source=$2
    shift 2
    if [ -x "$B/tests/test_lean" ]; then
        "$B/tests/test_lean" --of "$source" >"$program.lean.h"
        # shellcheck disable=SC2086
        "$nvcc" "$@" $nvcc_fast -Xcompiler=-include,"$program.lean.h" -o "$program" "$source" >/dev/null 2>&1 && rm "$program.lean.h" && return
        rm "$program.lean.h"
    fi
    "$nvcc" "$@" -o "$program" "$source"
}
export -f compile
export nvcc_fast
