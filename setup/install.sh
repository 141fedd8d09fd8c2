#!/bin/sh
# Brings what is missing, and does nothing when nothing is.
#
#   setup/install.sh           what building, running and testing need
#   setup/install.sh --packages   of that only packages: no compiler of NVIDIA's, which may be brought meanwhile
#   setup/install.sh --check   the same and the linters of `make check`
#   setup/install.sh --static  the same and what `make portable` links
#   setup/install.sh --slurm   only a Slurm to test against (tests/grade/slurm.sh asks for it); nothing else needs one
#   setup/install.sh --fetch   all of that for machines without a network, into .fetch/ (make fetch)
#
# What is called what: packages.txt. As root, or by sudo -n, apt-get installs it. With neither, on
# Debian and its like, libraries are unpacked into .toolchain/root, where the Makefile finds them; a
# compiler, make and python3 have to be there. Elsewhere it says what to ask an administrator for.
# Where there is no nvcc, setup/nvcc.sh brings NVIDIA's own into .toolchain/; where there is no
# nvdisasm beside it, that.
set -eu
umask 022
cd "$(dirname "$0")/.."

# EN ZH: in the language that the environment tells, as warplab itself goes by.
say() {
    case ${WARPLAB_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in zh*) shift ;; esac
    printf '%s\n' "$1" >&2
}
have() { command -v "$1" >/dev/null 2>&1; }
unpacked=.toolchain/root
there() { # WHAT: a program or a header
    case $1 in
    *.h)
        for d in /usr/include /usr/local/include /usr/include/*-linux-gnu "$unpacked"/usr/include "$unpacked"/usr/include/*-linux-gnu; do
            [ -e "$d/$1" ] && return 0
        done
        return 1
        ;;
    bwrap) have bwrap || [ -x .toolchain/bwrap ] ;;
    *) have "$1" ;;
    esac
}

# Which column of the table is this system's: by its package manager.
column=2
if have apt-get; then column=2
elif have dnf; then column=3
elif have pacman; then column=4
elif have zypper; then column=5
elif have apk; then column=6; fi

# NVIDIA's compiler and what it makes are linked with glibc: where the C library is another
# (Alpine's musl) nothing of a lab would run.
case ${1-} in
"" | --packages | --check | --static)
    # shellcheck disable=SC2086 # CC may be words
    if have "$(set -- ${CC:-gcc}; echo "$1")" && ! printf '#include <features.h>\n__GLIBC__\n' | ${CC:-gcc} -E -P - 2>/dev/null | grep -q '^[0-9]'; then
        say "warplab: this system's C library is not glibc (Alpine's, for one, is musl), and NVIDIA's nvcc runs only on glibc." "warplab：这个系统的 C 库不是 glibc（例如 Alpine 用的是 musl），而 NVIDIA 的 nvcc 只能在 glibc 上运行。"
        say "Nothing was installed. Use a container of Debian (docs/install.md says how) or another machine." "没有安装任何东西。请使用 Debian 容器（做法见 docs/zh/install.md），或者换一台机器。"
        exit 1
    fi
    ;;
esac

missing=
want() { case " $missing " in *" $1 "*) ;; *) missing="$missing $1" ;; esac; }
# section NAME: adds what is missing of it
section() {
    inside=
    while IFS= read -r line; do
        case $line in
        '#'* | '') continue ;;
        '['*) inside=; [ "$line" = "[$1]" ] && inside=1; continue ;;
        esac
        [ -n "$inside" ] || continue
        found='' rest=$line
        for what in ${line%%|*}; do there "$what" && found=1; done
        [ -z "$found" ] || continue
        k=1
        while [ $k -lt $column ]; do rest=${rest#*| } k=$((k + 1)); done
        name=${rest%% |*}
        [ "$name" = - ] || want "$name"
    done <setup/packages.txt
}

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
# Where runner/build/toolchain.c looks too: its text is what the clock can read. Nothing else needs
# it, so that where it cannot be had (no network) all goes on, and it is not tried again each time:
# .toolchain/no-nvdisasm.
find_nvdisasm() {
    [ -n "${WARPLAB_NVDISASM-}" ] || [ -x .toolchain/nvidia/cu13/bin/nvdisasm ] || [ -e .toolchain/no-nvdisasm ] && return 0
    have nvdisasm && return 0
    for n in "$(dirname "${WARPLAB_NVCC:-/nonexistent/nvcc}")"/nvdisasm "${CUDA_HOME-/nonexistent}"/bin/nvdisasm /usr/local/cuda*/bin/nvdisasm; do
        [ -x "$n" ] && return 0
    done
    return 1
}
bring_nvdisasm() {
    mkdir -p .toolchain
    setup/nvcc.sh --nvdisasm .toolchain && return
    : >.toolchain/no-nvdisasm
    say "warplab: without nvdisasm there is no machine code to show; setup/nvcc.sh --nvdisasm brings it" "warplab：没有 nvdisasm 就无法显示机器码；运行 setup/nvcc.sh --nvdisasm 可以取得"
}
need_nvcc=
build_needs() {
    section build
    find_nvcc && return
    [ "${1-}" = --packages ] || need_nvcc=1
    # pip, or a way to make one: Debian keeps ensurepip in a package of its own.
    have python3 && { python3 -m pip --version >/dev/null 2>&1 || python3 -c 'import ensurepip, venv' 2>/dev/null; } && return
    [ $column != 2 ] || want python3-venv
}
case ${1-} in
"" | --packages) build_needs "${1-}" ;;
--check) build_needs && section check ;;
--static) build_needs && section static ;;
--slurm) section slurm ;;
--fetch) exec setup/fetch.sh ;;
*) say "setup/install.sh: expected --packages, --check, --static, --slurm, --fetch or nothing, found $1" "setup/install.sh：参数应为 --packages、--check、--static、--slurm、--fetch 或不写，而不是 $1"; exit 2 ;;
esac

# By apt-get, with $root before it; from .fetch/debs where make fetch filled it.
# shellcheck disable=SC2086 # words, on purpose
apt_install() {
    export DEBIAN_FRONTEND=noninteractive
    . setup/apt.sh
    apt_state=$PWD/.toolchain/apt
    if [ -z "$root" ] && apt_fetched "$apt_state" &&
        apt_ "$apt_state" "$apt_state/parts" install -y --no-install-recommends $missing >/dev/null 2>&1; then
        rm -rf "$apt_state"
        return 0
    fi
    $root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 ||
        { $root apt-get update >/dev/null && $root apt-get install -y --no-install-recommends $missing >/dev/null; }
}

if [ -n "$missing" ]; then
    if ! have apt-get; then
        say "warplab: these packages are missing, and there is no apt-get here:$missing" "warplab：缺少这些软件包，而这里没有 apt-get：$missing"
        say "Install them (setup/packages.txt has what your system calls each), then run make again." "请安装它们（各系统里的名称见 setup/packages.txt），然后重新运行 make。"
        exit 1
    fi
    if [ "$(id -u)" = 0 ]; then
        root=
    elif have sudo && sudo -n true 2>/dev/null; then
        root="sudo -n"
    else
        # shellcheck disable=SC2086 # words, on purpose
        case ${1-} in "" | --packages) exec setup/unpack.sh "$need_nvcc" $missing ;; esac
        say "warplab: these packages are missing:$missing" "warplab：缺少这些软件包：$missing"
        say "Ask an administrator for:  apt-get install$missing" "请管理员运行：  apt-get install$missing"
        exit 1
    fi
    say "warplab: installing$missing" "warplab：正在安装$missing"
    apt_install || { say "warplab: apt-get could not install$missing; its messages are above" "warplab：apt-get 没能安装$missing；它的信息见上文"; exit 1; }
fi
[ -z "$need_nvcc" ] || setup/nvcc.sh .toolchain
case ${1-} in "" | --check) find_nvdisasm || bring_nvdisasm ;; esac
