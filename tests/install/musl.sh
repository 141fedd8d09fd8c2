#!/bin/bash
# slow: make test FAST=1 leaves it out
# musl (Alpine): refused with a sentence, since nvcc needs glibc. With Debian's musl-gcc, which has
# musl's headers; nothing is built.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
command -v musl-gcc >/dev/null || { skip "musl (there is no musl-gcc; Debian: musl-tools)"; finish; }
mkdir -p "$T/p"
cp -r setup "$T/p/"
run env CC=musl-gcc WARPLAB_NVCC=/bin/true "$T/p/setup/install.sh"
status_is 1 "musl: the set-up stops"
has "nvcc runs only on glibc" "musl: why"
[ ! -e "$T/p/.toolchain" ] && ok "musl: nothing is made" || not_ok "musl: nothing is made"
run env CC=gcc WARPLAB_NVCC=/bin/true "$T/p/setup/install.sh"
status_is 0 "glibc: it goes on"
# That the sentence is true: what brings a .cu file to PTX asks for glibc's loader.
. tests/nvcc.sh
if [ -n "$nvcc" ]; then
    for p in nvcc ptxas cicc; do
        file=$(find "$(dirname "$(dirname "$(readlink -f "$nvcc")")")" -name $p -type f -perm -1 2>/dev/null | head -n 1)
        run readelf -l "$file"
        case $out in *"/ld-linux"*) ok "$p asks for glibc's loader" ;; *) not_ok "$p asks for glibc's loader ($file)" ;; esac
    done
else skip "what nvcc asks for (there is none)"; fi
finish
