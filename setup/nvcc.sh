#!/bin/sh
# Brings NVIDIA's own compiler, as pip wheels that are pinned and hashed in toolchain.txt, into a
# folder: no root, no CUDA Toolkit, about 100 MB.
#
#   setup/nvcc.sh [FOLDER]               FOLDER: .toolchain where the project was unpacked; for an installed Warplab
#                                        ~/.local/share/warplab/toolchain, where it looks by itself
#   setup/nvcc.sh --nvdisasm [FOLDER]    only the disassembler (5 MB), for a toolkit that has none; the toolkit's nvcc stays the one in use
#
# Without a network: .fetch/wheels, when `make fetch` filled it.
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd)
# EN ZH: in the language that the environment tells, as warplab itself goes by.
say() {
    case ${WARPLAB_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in zh*) shift ;; esac
    printf '%s\n' "$1" >&2
}

what=nvcc size=100
if [ "${1-}" = --nvdisasm ]; then
    what=nvdisasm size=5
    shift
fi
case $#:${1-} in
0: | 1:[!-]*) ;;
*)
    say "setup/nvcc.sh: expected --nvdisasm, a folder, both or nothing, found $*" "setup/nvcc.sh：参数应为 --nvdisasm、一个文件夹、两者或不写，而不是 $*"
    exit 2
    ;;
esac
if [ $# = 1 ]; then to=$1
elif [ -e "$here/../Makefile" ]; then to=$here/../.toolchain
else to=${XDG_DATA_HOME:-$HOME/.local/share}/warplab/toolchain; fi
[ -x "$to/nvidia/cu13/bin/$what" ] && exit 0

say "warplab: no $what here; bringing NVIDIA's own into $to (about $size MB)" "warplab：这里没有 $what；正在把 NVIDIA 官方的取到 $to（约 $size MB）"
mkdir -p "$to"
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
    [ -x "$to/venv/bin/python3" ] || python3 -m venv "$to/venv"
    python=$to/venv/bin/python3
fi
from=
[ -d "$here/../.fetch/wheels" ] && from="--no-index --find-links $here/../.fetch/wheels"
# Into a folder aside first: one that is half there must not look whole.
rm -rf "$to/new"
rows=$here/toolchain.txt
if [ $what = nvdisasm ]; then
    rows=$to/rows.txt
    grep '^nvidia-cuda-nvdisasm==' "$here/toolchain.txt" >"$rows"
fi
# shellcheck disable=SC2086 # words, on purpose
if ! "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --only-binary :all: --require-hashes \
    --root-user-action=ignore $from --target "$to/new" -r "$rows"; then
    rm -rf "$to/new"
    say "warplab: could not bring $what by pip (no network, no space, or no such wheels for this machine)." "warplab：没能用 pip 取得 $what（没有网络、空间不够，或者没有适合这台机器的 wheel）。"
    [ $what = nvcc ] || exit 1
    say "Install the CUDA Toolkit instead, or set WARPLAB_NVCC to an nvcc; everything else is in place." "请安装 CUDA Toolkit，或者用 WARPLAB_NVCC 指明一个 nvcc；其余的都已就绪。"
    exit 1
fi
if [ $what = nvcc ]; then
    rm -rf "$to/nvidia"
    mv "$to/new/nvidia" "$to/nvidia"
else
    mkdir -p "$to/nvidia/cu13/bin"
    mv "$to/new/nvidia/cu13/bin/nvdisasm" "$to/nvidia/cu13/bin/nvdisasm"
    rm -f "$rows"
fi
rm -rf "$to/new"
"$to/nvidia/cu13/bin/$what" --version >/dev/null || { say "warplab: the $what that pip brought does not run on this machine" "warplab：pip 取来的 $what 不能在这台机器上运行"; exit 1; }
