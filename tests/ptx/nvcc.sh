#!/bin/bash
# slow: compiles real programs with nvcc for several architectures; all of their PTX must parse, and
# come back the same.
# timeout: 600
# Needs nvcc; skipped where there is none.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
. tests/nvcc.sh
if [ -z "$nvcc" ]; then
    echo "skip PTX of real programs (there is no nvcc; make setup brings one)"
    exit 0
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
archs=${ARCHS:-75 80 90} # the libraries' largest headers: the oldest and the newest, unless ARCHS or FULL=1 asks
for source in tests/ptx/cu/*.cu; do
    name=$(basename "$source" .cu)
    for arch in $archs; do
        # Some programs ask for more than the oldest architecture has.
        needs=$(sed -n 's|^// needs: *\([0-9]*\).*|\1|p' "$source")
        [ "$arch" -lt "${needs:-0}" ] && continue
        [[ $name = libraries && $arch = 80 && -z ${ARCHS-}${FULL-} ]] && continue
        if ! "$nvcc" -std=c++17 --extended-lambda -lineinfo -arch=compute_"$arch" -ptx "$source" -o "$out/$name-$arch.ptx" 2>"$out/log"; then
            echo "not ok nvcc $source for compute_$arch ($(grep -m1 error "$out/log"))"
        fi
    done
done
"$B"/tests/test_ptx_roundtrip "$out"/*.ptx
