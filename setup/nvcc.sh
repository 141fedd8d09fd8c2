#!/bin/sh
# Brings NVIDIA's own compiler, as pip wheels that are pinned and hashed in toolchain.txt, into a folder: no root, no CUDA Toolkit, about 100 MB.
#
#   setup/nvcc.sh [FOLDER]    FOLDER: .toolchain where the project was unpacked; for an installed Warplab ~/.local/share/warplab/toolchain,
#                             where it looks by itself
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

if [ $# -gt 1 ]; then
    say "setup/nvcc.sh: expected one folder or nothing, found $*" "setup/nvcc.sh：参数应为一个文件夹或不写，而不是 $*"
    exit 2
fi
if [ $# = 1 ]; then to=$1
elif [ -e "$here/../Makefile" ]; then to=$here/../.toolchain
else to=${XDG_DATA_HOME:-$HOME/.local/share}/warplab/toolchain; fi
[ -x "$to/nvidia/cu13/bin/nvcc" ] && exit 0

say "warplab: no nvcc here; bringing NVIDIA's own compiler into $to (about 100 MB)" "warplab：这里没有 nvcc；正在把 NVIDIA 官方的编译器取到 $to（约 100 MB）"
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
# shellcheck disable=SC2086 # words, on purpose
if ! "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --only-binary :all: --require-hashes \
    --root-user-action=ignore $from --target "$to/new" -r "$here/toolchain.txt"; then
    rm -rf "$to/new"
    say "warplab: could not bring nvcc by pip (no network, no space, or no such wheels for this machine)." "warplab：没能用 pip 取得 nvcc（没有网络、空间不够，或者没有适合这台机器的 wheel）。"
    say "Install the CUDA Toolkit instead, or set WARPLAB_NVCC to an nvcc; everything else is in place." "请安装 CUDA Toolkit，或者用 WARPLAB_NVCC 指明一个 nvcc；其余的都已就绪。"
    exit 1
fi
rm -rf "$to/nvidia"
mv "$to/new/nvidia" "$to/nvidia"
rm -rf "$to/new"
"$to/nvidia/cu13/bin/nvcc" --version >/dev/null || { say "warplab: the nvcc that pip brought does not run on this machine" "warplab：pip 取来的 nvcc 不能在这台机器上运行"; exit 1; }
