#!/bin/sh
# What a program of this project's contains of others: make portable puts it beside the programs,
# since some libraries that it links are under the GNU Lesser General Public License, or the GNU
# General Public License, which ask for their text, the way to the source and a way to link anew.
#
#   setup/notices.sh FILE -lNAME...     the libraries that were linked statically, as the linker was told
#
# For Debian and its like: which package a library is of, its version and its copyright file are the
# machine's own, or .toolchain/root's.
set -eu
umask 022
cd "$(dirname "$0")/.."
to=$1
shift
unpacked=.toolchain/root
case " $* " in *" -lstdc++ "*) ;; *) set -- "$@" -lstdc++ ;; esac
packages=$(for library; do
    file=$(gcc -print-file-name="lib${library#-l}.a")
    case $file in /*) dpkg -S "$(realpath "$file")" | cut -d: -f1 ;; esac
done | sort -u)
[ ! -d $unpacked ] || packages=$( (echo "$packages" && cd $unpacked/usr/share/doc && ls -d -- *-dev) | sort -u)
[ -n "$packages" ] || { echo "setup/notices.sh: no package has a library of: $*" >&2; exit 1; }
# version PACKAGE: its source package and version; of an unpacked one its changelog says so.
version() {
    dpkg-query -W -f '${source:Package}=${source:Version}\n' "$1" 2>/dev/null ||
        gzip -dc "$unpacked/usr/share/doc/$1"/changelog.Debian*.gz | sed -nE '1s/^([^ ]+) \(([^)]+)\).*/\1=\2/p'
}
{
    echo "Warplab itself is under the licence in setup/LICENSE. Its program contains, linked statically and unchanged, libraries of these source"
    echo "packages of the distribution ($(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)):"
    echo
    for package in $packages; do version "$package"; done | sort -u | sed 's/^/    /'
    echo
    echo "Their sources: apt-get source NAME=VERSION, or Debian's archive of snapshots. To link the program with a library that"
    echo "you changed, install yours in the place of the distribution's and run make portable in Warplab's sources. You may change the program so, and"
    echo "take it apart to find what is wrong with it. GNU Readline is under the GNU General Public License, version 3 or later: with it inside, the"
    echo "program as a whole is passed on under that licence. The licences of each follow."
    for package in $packages; do
        for file in /usr/share/doc/"$package"/copyright $unpacked/usr/share/doc/"$package"/copyright; do
            [ -r "$file" ] || continue
            printf '\n==== %s\n\n' "$package"
            cat "$file"
            break
        done
    done
    for text in LGPL-2.1 LGPL-3 GPL-2 GPL-3; do
        printf '\n==== %s\n\n' "$text"
        cat "/usr/share/common-licenses/$text"
    done
} >"$to.new"
mv "$to.new" "$to"
