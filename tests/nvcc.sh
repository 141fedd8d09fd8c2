# shellcheck shell=bash
# Which nvcc tests compile with, the same for all; read by a shell in the project's root. Sets
# $nvcc, empty where there is none: WARPLAB_NVCC, what PATH has, an installed toolkit, what set-up
# brought.
B=${B:-build}
nvcc=
for nvcc_at in "${WARPLAB_NVCC-}" "$(command -v nvcc)" /usr/local/cuda*/bin/nvcc "$PWD/.toolchain/nvidia/cu13/bin/nvcc"; do
    [ -z "$nvcc" ] && [ -x "$nvcc_at" ] && nvcc=$nvcc_at
done
# NVIDIA's wheels have the runtime library by its full name alone, in a folder where their nvcc does
# not look.
nvcc_at=$(dirname "$(dirname "$(readlink -f "${nvcc:-/}")")")
if [ -e "$nvcc_at/lib/libcudart.so.13" ] && [ ! -e "$nvcc_at/lib64" ]; then
    mkdir -p "$B/cuda-link"
    ln -sfn "$nvcc_at/lib/libcudart.so.13" "$B/cuda-link/libcudart.so"
    export NVCC_APPEND_FLAGS="-L$(cd "$B/cuda-link" && pwd) -L$nvcc_at/lib ${NVCC_APPEND_FLAGS-}"
fi
unset nvcc_at
