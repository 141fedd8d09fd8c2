#!/bin/sh
# Makes a bubblewrap that needs nothing of the machine it runs on, of the distribution's own source:
# make portable takes it along, so that the folder grades other people's work where none is
# installed.
#
#   setup/bwrap.sh FILE
#
# For Debian and its like: apt-get fetches the source (and libcap's static library where libcap-dev
# is not installed) into a folder of its own; no root. Bubblewrap is under the GNU Library General
# Public License: its text and the source's address go beside FILE as FILE.copyright.
set -eu
umask 022
say() { printf 'warplab: %s\n' "$*" >&2; }
[ $# = 1 ] || { say "setup/bwrap.sh: expected a file to make, found $# arguments"; exit 2; }
case $1 in /*) to=$1 ;; *) to=$PWD/$1 ;; esac
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$to" ] && [ -f "$to.copyright" ] && exit 0
command -v apt-get >/dev/null || { say "there is no apt-get here to fetch bubblewrap's source with; put a static bwrap at $to instead"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The machine's own sources, as sources of source.
. "$here/apt.sh"
apt_sources deb-src "$work/parts"
{ apt_ "$work" "$work/parts" update && apt_ "$work" "$work/parts" source --download-only bubblewrap; } >"$work/log" 2>&1 ||
    { say "apt-get could not fetch bubblewrap's source: $(tail -n 1 "$work/log")"; exit 1; }
command -v dpkg-source >/dev/null || { say "dpkg-source is missing (Debian: apt-get install dpkg-dev)"; exit 1; }
dpkg-source -x bubblewrap_*.dsc source >"$work/log" 2>&1 || { say "dpkg-source: $(tail -n 1 "$work/log")"; exit 1; }
version=$(sed -n 's/^Version: //p' bubblewrap_*.dsc | head -n 1)

# libcap.a and its header.
cap=
if ! [ -e /usr/include/sys/capability.h ]; then
    apt-get download libcap-dev >"$work/log" 2>&1 || { say "apt-get could not fetch libcap-dev: $(tail -n 1 "$work/log")"; exit 1; }
    dpkg-deb -x libcap-dev_*.deb cap
    cap="-I$work/cap/usr/include -L$(dirname "$(find "$work/cap" -name libcap.a)")"
fi
printf '#define PACKAGE_STRING "bubblewrap %s"\n' "$version" >source/config.h
# shellcheck disable=SC2086 # words, on purpose
${CC:-gcc} -O2 -static -s -D_GNU_SOURCE -Isource $cap \
    source/bubblewrap.c source/bind-mount.c source/network.c source/utils.c -lcap -o bwrap >"$work/log" 2>&1 ||
    { say "bubblewrap does not compile: $(head -n 1 "$work/log")"; exit 1; }
./bwrap --version >/dev/null || { say "the bubblewrap that was made does not run"; exit 1; }
mkdir -p "$(dirname "$to")"
{
    echo "bwrap is bubblewrap $version of the distribution's source package bubblewrap ($(apt-get --version | head -n 1)),"
    echo "compiled statically and otherwise unchanged: bubblewrap.c bind-mount.c network.c utils.c, with libcap."
    echo "The source: apt-get source bubblewrap=$version, or https://github.com/containers/bubblewrap"
    echo
    cat source/debian/copyright source/COPYING
} >"$to.copyright"
cp bwrap "$to.new"
mv "$to.new" "$to"
