#!/bin/sh
# What a build for another processor needs beside Debian's cross-compiler: that processor's
# libraries, unpacked into .toolchain/TRIPLE. No root, and nothing of the machine's own is changed.
#
#   setup/cross.sh aarch64-linux-gnu && make CROSS=aarch64-linux-gnu build unit        into build-aarch64-linux-gnu/
set -eu
umask 022
cd "$(dirname "$0")/.."
say() { printf 'warplab: %s\n' "$*" >&2; }
case ${1-} in
aarch64-linux-gnu) arch=arm64 ;;
*) say "setup/cross.sh: expected aarch64-linux-gnu, found ${1-nothing}"; exit 2 ;;
esac
to=.toolchain/$1
[ -e "$to/usr/include/unilbrk.h" ] && exit 0
command -v "$1-g++" >/dev/null || { say "there is no $1-g++ (Debian: apt-get install g++-$1)"; exit 1; }
. setup/apt.sh
work=$PWD/.toolchain/apt-$arch
rm -rf "$work" "$to.new"
mkdir -p "$work/debs"
: >"$work/status"
packages=$(sed -n '/^\[build\]/,/^\[check\]/p' setup/packages.txt | sed -nE 's/^[^|]*\| ([a-z0-9.]+-dev) .*/\1/p')
apt_sources deb "$work/parts"
for_() { apt_ "$work" "$work/parts" -o APT::Architecture=$arch -o APT::Architectures=$arch -o Dir::State::status="$work/status" "$@"; }
# The compiler's own libraries come with the cross-compiler.
# shellcheck disable=SC2086 # words, on purpose
{
    for_ update >"$work/log" 2>&1 &&
        list=$(for_ -s --no-install-recommends install $packages 2>"$work/log" | sed -n 's/^Inst \([^ ]*\).*/\1/p' |
            grep -vE '^(libc6|libc-|libgcc|libstdc|linux-libc|gcc|cpp|rpcsvc|libcrypt|perl|debconf|dpkg|tar)') && [ -n "$list" ] &&
        (cd "$work/debs" && for_ download $list >"$work/log" 2>&1)
} || { say "apt-get could not fetch the libraries for $arch: $(tail -n 1 "$work/log")"; exit 1; }
for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$to.new"; done
rm -rf "$to" "$work"
mv "$to.new" "$to"
