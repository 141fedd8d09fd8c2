#!/bin/bash
# `make portable`'s last step: the folder given needs nothing of the machine but libc, and works
# where it lies.
version=$(cat "$(dirname "$0")/../VERSION")
cd "$1" || exit 1
failures=0
for program in warplab warplab-gpu warplab-init libcudart.so.13; do
    extra=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so')
    if [ -z "$extra" ]; then echo "ok portable $program needs only libc"; else
        echo "not ok portable $program (it needs $(echo "$extra" | tr '\n' ' '))"
        failures=1
    fi
done
said=$(env -i PATH=/usr/bin:/bin ./warplab --version)
if [ "$said" = "warplab $version" ]; then echo "ok portable warplab knows its version"; else
    echo "not ok portable warplab --version (it says $said)"
    failures=1
fi
list=$(env -i HOME="${TMPDIR:-/tmp}" PATH=/usr/bin:/bin ./warplab list 2>&1)
case $list in
*vector-add*) echo "ok portable warplab finds its labs" ;;
*)
    echo "not ok portable warplab (list says: $(echo "$list" | head -2 | tr '\n' ' '))"
    failures=1
    ;;
esac
# The source packages of what is linked, with their versions, and the licences' texts.
packages=$(sed -n '/^$/,/^$/s/^    \([^ =]*\)=[0-9].*/\1/p' LIBRARIES)
if [ "$(echo "$packages" | grep -cxE 'elfutils|libunistring|nettle|readline')" = 4 ] && grep -q '^==== libunistring-dev' LIBRARIES && grep -q '^==== LGPL-3' LIBRARIES; then
    echo "ok portable licences of $(echo "$packages" | wc -l) source packages"
else
    echo "not ok portable licences (LIBRARIES names: $(echo "$packages" | tr '\n' ' '))"
    failures=1
fi
# Its own bubblewrap, which the machine's would come before.
if [ -x bwrap ]; then
    if readelf -d bwrap 2>/dev/null | grep -q NEEDED; then echo "not ok portable bwrap needs nothing"; failures=1; else echo "ok portable bwrap needs nothing"; fi
    if [ -s bwrap.copyright ]; then echo "ok portable bwrap's licence"; else echo "not ok portable bwrap's licence"; failures=1; fi
    rows=$(env -i HOME="${TMPDIR:-/tmp}" PATH=/usr/bin:/bin WARPLAB_BWRAP="$PWD/bwrap" ./warplab doctor --no-probe 2>&1)
    case $rows in
    *"$PWD/bwrap"*) echo "ok portable its own sandbox works" ;;
    *)
        echo "not ok portable its own sandbox works ($(echo "$rows" | grep sandbox | head -1))"
        failures=1
        ;;
    esac
    export WARPLAB_BWRAP=$PWD/bwrap
else echo "skip portable bubblewrap (it could not be made here)"; fi
# A grading from the folder alone, where there is a compiler.
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
    home=$(mktemp -d)
    # shellcheck disable=SC2046 # no option, or one
    out=$(env -i HOME="$home" PATH="$PATH" WARPLAB_BWRAP="${WARPLAB_BWRAP-}" ./warplab grade hello answers/hello.cu $([ -x bwrap ] || echo --no-sandbox) --device sim:h200 2>&1)
    status=$?
    rm -rf "$home"
    if [ $status = 0 ]; then echo "ok portable warplab grades"; else
        echo "not ok portable warplab grades (status $status: $(echo "$out" | tail -3 | tr '\n' ' '))"
        failures=1
    fi
fi
exit $failures
