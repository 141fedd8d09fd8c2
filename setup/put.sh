#!/bin/sh
# `make install` and `make uninstall`: puts what was built where it belongs, and takes away all of
# it again.
#
#   B=build PREFIX=/usr/local DESTDIR= setup/put.sh install|uninstall
#
#   RUN="qemu-aarch64-static -L /usr/aarch64-linux-gnu"   by what B's programs run here, when they are another processor's
#
#   PREFIX/bin/warplab         a link to the program
#   PREFIX/lib/warplab/        programs and the library that submissions load
#   PREFIX/share/warplab/      labs, kernels, answers; MANIFEST, every file that was put anywhere
#   PREFIX/share/man, share/doc/warplab, and completion where bash, zsh and fish look for it
#
# The program finds its labs from where it lies, so the whole may be moved. An older version's files
# go first. DESTDIR is where it is put now, when PREFIX is what it will be called later (packages).
set -eu
umask 022
cd "$(dirname "$0")/.."
B=${B:-build} PREFIX=${PREFIX:-/usr/local} DESTDIR=${DESTDIR-} RUN=${RUN-}
BASHDIR=${BASHDIR:-$PREFIX/share/bash-completion/completions}
ZSHDIR=${ZSHDIR:-$PREFIX/share/zsh/site-functions}
FISHDIR=${FISHDIR:-$PREFIX/share/fish/vendor_completions.d}
say() { printf '%s\n' "warplab: $*" >&2; }

case $PREFIX in
/*) ;;
*) say "PREFIX is $PREFIX: expected an absolute path, such as PREFIX=\$HOME/.local"; exit 2 ;;
esac
manifest=$PREFIX/share/warplab/MANIFEST

# Folders go when nothing of anybody's is left in them; those above ours (bin, share/man ...) are
# never ours to remove.
remove_old() {
    [ -f "$DESTDIR$manifest" ] || return 0
    while IFS= read -r file; do
        case $file in
        */../* | [!/]*) say "$DESTDIR$manifest names $file, which make install never wrote"; exit 1 ;;
        esac
        rm -f "$DESTDIR$file"
    done <"$DESTDIR$manifest"
    rm -f "$DESTDIR$manifest"
    for folder in lib/warplab share/warplab share/doc/warplab; do
        [ ! -d "$DESTDIR$PREFIX/$folder" ] || find "$DESTDIR$PREFIX/$folder" -depth -type d -empty -exec rmdir {} +
    done
}

list=
# put MODE FILE TARGET
put() {
    mkdir -p "$DESTDIR${3%/*}"
    cp "$2" "$DESTDIR$3.new"
    chmod "$1" "$DESTDIR$3.new"
    mv -f "$DESTDIR$3.new" "$DESTDIR$3" # a program that runs keeps its old file
    printf '%s\n' "$3" >>"$list"
}
put_all() {
    for program in warplab warplab-gpu warplab-init libcudart.so.13 libcuda.so.1; do
        [ -f "$B/$program" ] || { say "$B/$program is missing: make build first"; exit 1; }
        mode=755
        case $program in *.so.*) mode=644 ;; esac
        put $mode "$B/$program" "$PREFIX/lib/warplab/$program"
    done
    find labs kernels answers -type f ! -name '.*' ! -name '*~' | LC_ALL=C sort >"$work/data"
    for file in runner/device/cudart/*.h runner/device/cudart/*.def runner/device/cudart/glue.c setup/toolchain.txt VERSION; do
        printf '%s\n' "$file" # a lab's main() is compiled against cudart's
    done >>"$work/data"
    while IFS= read -r file; do put 644 "$file" "$PREFIX/share/warplab/$file"; done <"$work/data"
    put 755 setup/nvcc.sh "$PREFIX/share/warplab/setup/nvcc.sh"
    for file in docs/*.md README.md CHANGELOG.md LICENSE; do put 644 "$file" "$PREFIX/share/doc/warplab/${file##*/}"; done
    find docs/autograders -type f >"$work/docs"
    while IFS= read -r file; do put "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$PREFIX/share/doc/warplab/${file#docs/}"; done <"$work/docs"
    $RUN "$B/warplab" man --out "$work/man"
    for page in "$work"/man/man*/*; do
        section=${page%/*}
        put 644 "$page" "$PREFIX/share/man/${section##*/}/${page##*/}"
    done
    for shell in bash zsh fish; do $RUN "$B/warplab" completion $shell >"$work/$shell"; done
    put 644 "$work/bash" "$BASHDIR/warplab"
    put 644 "$work/zsh" "$ZSHDIR/_warplab"
    put 644 "$work/fish" "$FISHDIR/warplab.fish"
    mkdir -p "$DESTDIR$PREFIX/bin"
    ln -sf ../lib/warplab/warplab "$DESTDIR$PREFIX/bin/warplab"
    printf '%s\n' "$PREFIX/bin/warplab" >>"$list"
}

case ${1-} in
install)
    mkdir -p "$DESTDIR$PREFIX" 2>/dev/null && [ -w "$DESTDIR$PREFIX" ] || {
        say "cannot write to $DESTDIR$PREFIX; run it as root, or give a folder of yours: make install PREFIX=\$HOME/.local"
        exit 1
    }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    list=$work/list
    remove_old
    put_all
    mkdir -p "$DESTDIR${manifest%/*}"
    cp "$list" "$DESTDIR$manifest"
    chmod 644 "$DESTDIR$manifest"
    [ -n "$DESTDIR" ] || say "installed $(wc -l <"$list") files below $PREFIX; start it with $PREFIX/bin/warplab"
    ;;
uninstall)
    [ -f "$DESTDIR$manifest" ] || { say "there is no Warplab at $DESTDIR$PREFIX (no $manifest); give the PREFIX that it was installed with"; exit 1; }
    remove_old
    ;;
*) say "setup/put.sh: expected install or uninstall, found ${1-nothing}"; exit 2 ;;
esac
