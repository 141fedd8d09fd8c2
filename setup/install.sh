#!/bin/sh
# Brings what is missing, and does nothing when nothing is.
#
#   setup/install.sh           what building, running and testing need
#   setup/install.sh --check   the same and the linters of `make check`
#   setup/install.sh --slurm   only a Slurm to test against (tests/grade/slurm.sh asks for it); nothing else needs one
#
# Debian packages come by apt-get (as root, or by sudo -n); where there is no nvcc, setup/nvcc.sh brings NVIDIA's own into .toolchain/.
# With neither root nor sudo it says what to ask an administrator for, and stops.
set -eu
umask 022
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
header() { for d in /usr/include /usr/local/include /usr/include/x86_64-linux-gnu; do [ -e "$d/$1" ] && return 0; done; return 1; }

missing=
want() { missing="$missing $1"; }

# Where runner/build/toolchain.c looks too.
find_nvcc() {
    [ -n "${WARPLAB_NVCC-}" ] && { [ -x "$WARPLAB_NVCC" ]; return; }
    [ -x .toolchain/nvidia/cu13/bin/nvcc ] && return 0
    [ -n "${WARPLAB_NO_SYSTEM_CUDA-}" ] && [ "$WARPLAB_NO_SYSTEM_CUDA" != 0 ] && return 1
    have nvcc && return 0
    for n in "${CUDA_HOME-/nonexistent}"/bin/nvcc /usr/local/cuda*/bin/nvcc /opt/cuda/bin/nvcc; do
        [ -x "$n" ] && return 0
    done
    return 1
}
need_nvcc=
build_needs() {
    have gcc || want gcc
    have g++ || want g++
    have make || want make
    have pkg-config || want pkg-config
    header lua5.4/lua.h || want liblua5.4-dev
    header readline/readline.h || want libreadline-dev
    header sqlite3.h || want libsqlite3-dev
    header jansson.h || want libjansson-dev
    header archive.h || want libarchive-dev
    header zstd.h || want libzstd-dev
    header lz4.h || want liblz4-dev
    header seccomp.h || want libseccomp-dev
    have bwrap || want bubblewrap
    have prlimit || want util-linux
    have python3 || want python3
    find_nvcc && return
    need_nvcc=1
    # pip, or a way to make one: Debian keeps ensurepip in a package of its own.
    have python3 && { python3 -m pip --version >/dev/null 2>&1 || python3 -c 'import ensurepip, venv' 2>/dev/null; } || want python3-venv
}
check_needs() {
    have clang-format || want clang-format
    have clang-tidy || want clang-tidy
    have cppcheck || want cppcheck
    have luacheck || want lua-check
}
slurm_needs() {
    have slurmctld || want slurmctld
    have slurmd || want slurmd
    have sbatch || want slurm-client
    have munged || want munge
}
case ${1-} in
"") build_needs ;;
--check) build_needs && check_needs ;;
--slurm) slurm_needs ;;
*) say "setup/install.sh: expected --check, --slurm or nothing, found $1"; exit 2 ;;
esac

if [ -n "$missing" ]; then
    if ! have apt-get; then
        say "warplab: these Debian packages are missing, and there is no apt-get here:$missing"
        say "Install what your system calls them, then run make again."
        exit 1
    fi
    if [ "$(id -u)" = 0 ]; then
        root=
    elif have sudo && sudo -n true 2>/dev/null; then
        root="sudo -n"
    else
        say "warplab: these packages are missing:$missing"
        say "Ask an administrator for:  apt-get install$missing"
        exit 1
    fi
    say "warplab: installing$missing"
    # shellcheck disable=SC2086 # words, on purpose
    {
        export DEBIAN_FRONTEND=noninteractive
        $root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 ||
            { $root apt-get update >/dev/null && $root apt-get install -y --no-install-recommends $missing >/dev/null; } ||
            { say "warplab: apt-get could not install$missing; its messages are above"; exit 1; }
    }
fi

[ -z "$need_nvcc" ] || setup/nvcc.sh .toolchain
