#!/bin/bash
# aarch64 without such a machine: cross-built, and run by qemu in a namespace in which the kernel starts aarch64 programs by it. The same bytes as on
# x86-64: what the programs of tests/cuda print, what their launches count and how long they take by the model; the labs' records; the unit tests pass.
#
#   PART=unit | cuda | labs    one of them; all of them otherwise. NAMES="a b": only these programs, or labs. LIMIT_EACH=900: seconds that one may take
#   STEP=build                 builds, compiles the programs of tests/cuda, and ends there
#   STEP=run                   takes what STEP=build left: on a machine with more cores and no compiler (qemu=FILE if it has none of its own,
#                              SYSROOT=DIR in place of /usr/aarch64-linux-gnu)
#
# Needs FULL=1, Debian's g++-aarch64-linux-gnu and qemu-user-static, and NVIDIA's wheels for aarch64, which pip brings once (their headers and device
# libraries; nvcc itself is this machine's: what it makes of device code does not depend on the host).
# timeout: 5400
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -n "${FULL-}" ] || { skip "aarch64 under qemu (hours of processor time: FULL=1)"; finish; }
STEP=${STEP:-all}
qemu=${qemu:-$(command -v qemu-aarch64-static)}
for p in $([ "$STEP" = run ] || echo aarch64-linux-gnu-g++) ${qemu:-qemu-aarch64-static} unshare; do command -v "$p" >/dev/null || { skip "aarch64 under qemu (there is no $p)"; finish; }; done
A=$root/build-aarch64-linux-gnu
libraries=$root/.toolchain/aarch64-linux-gnu/usr/lib/aarch64-linux-gnu # the device alone is not linked statically
sysroot=${SYSROOT:-/usr/aarch64-linux-gnu}
nvcc=$(readlink -f "$(command -v nvcc || ls /usr/local/cuda*/bin/nvcc .toolchain/nvidia/cu13/bin/nvcc 2>/dev/null | head -n 1)")
# What an aarch64 machine's programs find in /lib, also where their environment says nothing of it: in the folder where qemu looks first.
mkdir -p "$T/etc/qemu-binfmt/aarch64/usr/lib" "$T/targets"
ln -s x86_64-linux "$T/targets/aarch64-linux" # where nvcc looks for headers, which are the same for both
ln -s "$sysroot/lib" "$T/etc/qemu-binfmt/aarch64/lib"
ln -s "$libraries" "$T/etc/qemu-binfmt/aarch64/usr/lib/aarch64-linux-gnu"
arm() { # COMMAND...: becomes it, where aarch64 programs are started by qemu, and gcc and g++ are an aarch64 machine's
    exec unshare --user --map-root-user --mount --fork --kill-child bash -c '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 125
        printf "%s" ":a64:M::\\x7f\\x45\\x4c\\x46\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00:\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff:$1:F" >/proc/sys/fs/binfmt_misc/register || exit 125
        mount -t overlay overlay -o "lowerdir=$3:/etc" /etc || exit 125
        [ ! -d "$6" ] || mount -t overlay overlay -o "lowerdir=$7:$6" "$6" || exit 125
        for name in g++ gcc; do [ ! -e /usr/bin/$name ] || mount --bind "$2" /usr/bin/$name || exit 125; done
        [ ! -x "$5" ] || mount --bind "$4" "$5" || exit 125 # qemu passes none of the calls by which it hides from what it watches, nor filters
        shift 7
        exec "$@"' _ "$qemu" "$T/g++" "$T/etc" "$B/warplab-init" "$A/warplab-init" "${nvcc%/bin/nvcc}/targets" "$T/targets" "$@"
}
# `run` starts programs, not functions.
{ echo '#!/bin/bash'; echo "T='$T' A='$A' B='$B' qemu='$qemu' nvcc='$nvcc'"; declare -f arm; echo 'arm "$@"'; } >"$T/arm"
chmod +x "$T/arm"
# nvcc says -m64, which that compiler does not know; of both it asks by gcc's name for some of its steps.
cat >"$T/g++" <<'EOG'
#!/bin/bash
words=()
for w; do [ "$w" = -m64 ] || words+=("$w"); done
case ${0##*/} in *++*) exec /usr/bin/aarch64-linux-gnu-g++ "${words[@]}" ;; esac
exec /usr/bin/aarch64-linux-gnu-gcc "${words[@]}"
EOG
chmod 755 "$T" "$T/g++"
[ "$(uname -m)" = x86_64 ] || { skip "aarch64 under qemu (this machine is no x86-64)"; finish; }
wheels=$root/.toolchain/nvidia-aarch64 cu=$root/.toolchain/nvidia-aarch64/nvidia/cu13
if [ "$STEP" != run ]; then
    LIMIT=300 run setup/cross.sh aarch64-linux-gnu
    status_is 0 "its libraries are there"
    case ${PART-} in
    cuda) build="$A/cuda-host $A/libcudart.so.13" ;;
    labs) build=build ;;
    *) build="build unit" ;;
    esac
    # Of named programs only those are built.
    [ "${PART-}" != unit ] || [ -z "${NAMES-}" ] || build="build $(for name in $NAMES; do echo "$A/tests/$name"; done)"
    # shellcheck disable=SC2086 # words
    LIMIT=3600 run make -s -j"$(nproc)" CROSS=aarch64-linux-gnu B="${A##*/}" $(echo "$build" | sed "s|$root/||g")
    status_is 0 "it builds"
    is "$(grep -c warning: "$T/out" "$T/err" | tr '\n' ' ')" "$T/out:0 $T/err:0 " "without a warning"
    LIMIT=600 run make -s B="$B" build "$B/cuda-host"
    status_is 0 "and so does this machine's own"
    run "$T/arm" /usr/bin/g++ -dumpmachine
    is "$out" aarch64-linux-gnu "a namespace whose compiler is an aarch64 machine's"
    [ "$status" = 0 ] || finish
    if [ ! -d "$wheels/nvidia" ]; then
        LIMIT=600 run python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --only-binary :all: --platform manylinux2014_aarch64 --require-hashes \
            --root-user-action=ignore --target "$wheels.new" -r setup/toolchain.txt && mv "$wheels.new" "$wheels"
        status_is 0 "NVIDIA's wheels for aarch64"
    fi
fi
wanted() { [ -z "${NAMES-}" ] || case " $NAMES " in *" $1 "*) ;; *) false ;; esac; }

part_unit() {
    local name passed space
    run "$T/arm" "$A/warplab" --version
    has "warplab $(cat VERSION)" "it starts under qemu"
    for source in tests/unit/*.c; do
        name=$(basename "$source" .c)
        wanted "$name" || continue
        # qemu keeps some bytes of its own for each page that a program reserves, and a device reserves 1 TiB: gigabytes, and a minute to write them.
        # In a small address space a device makes do with less; only what maps memory at a device's addresses needs all of it.
        for space in 400G ""; do
            LIMIT=${LIMIT_EACH:-900} run "$T/arm" env B="$A" ${space:+QEMU_RESERVED_VA=$space} "$A/tests/$name"
            [ "$status" != 0 ] || break
        done
        passed=$(grep -ac '^ok ' "$T/out")
        if [ "$status" = 0 ] && [ "$passed" != 0 ]; then ok "$name: $passed checks"; else
            not_ok "$name (exit status $status, $passed passed: $(grep -a '^not ok' "$T/out" | head -n 2 | cut -c1-200 | tr '\n' '|') $(tail -n 1 "$T/err" | cut -c1-200))"
        fi
    done
}

tag() { sed -n "s|^// $2: ||p" "$1"; }
# compile SOURCE OUT: with an aarch64 machine's compiler for the host's part
compile() {
    local flags arch
    if [ "$STEP" = run ]; then [ -s "$2" ]; return; fi
    flags=$(tag "$1" flags) arch=$(tag "$1" arch)
    [ -s "$2" ] && [ "$2" -nt "$1" ] && [ "$2" -nt tests/cuda/common.h ] && return
    # shellcheck disable=SC2086 # words
    "$nvcc" -std=c++17 -O1 -w -lineinfo -cudart shared -arch="${arch:-sm_75}" -ccbin "$T/g++" -I"$cu/include" -I"$cu/include/cccl" -L"$cu/lib" $flags -o "$2" "$1" >"$T/log" 2>&1
}
# The same aarch64 program and client library, before this machine's device server and before an aarch64 one.
part_cuda() {
    local name device extra host same=0 all=0
    mkdir -p "$A/programs"
    [ "$STEP" = run ] || [ -e "$cu/lib/libcudart.so" ] || ln -s libcudart.so.13 "$cu/lib/libcudart.so"
    for source in tests/cuda/*.cu; do
        name=$(basename "$source" .cu)
        wanted "$name" || continue
        all=$((all + 1))
        compile "$source" "$A/programs/$name" || { not_ok "$name: compiled ($(head -n 2 "$T/log" | tr '\n' '|' | cut -c1-300))"; continue; }
        [ "$STEP" != build ] || continue
        device=$(tag "$source" device) extra=-c
        grep -q '^// default checks' "$source" && extra=
        # shellcheck disable=SC2086 # an option, or none
        LIMIT=300 run "$T/arm" "$B/cuda-host" -t 250 $extra -v -d "${device:-sim:h200}" -l "$A" "$A/programs/$name"
        mv "$T/out" "$T/host.out"
        mv "$T/err" "$T/host.err"
        host=$status
        # shellcheck disable=SC2086
        LIMIT=${LIMIT_EACH:-900} run "$T/arm" "$A/cuda-host" -t 800 $extra -v -d "${device:-sim:h200}" -l "$A" "$A/programs/$name"
        if [ "$status" = "$host" ] && cmp -s "$T/host.out" "$T/out" && cmp -s "$T/host.err" "$T/err" && cmp -s <(tag "$source" expect) "$T/out"; then
            same=$((same + 1))
            ok "$name: the same bytes, and those that it expects"
        else
            not_ok "$name: the same bytes (exit status $host and $status; $({ diff "$T/host.out" "$T/out"; diff "$T/host.err" "$T/err"; diff <(tag "$source" expect) "$T/out"; } | head -n 4 | cut -c1-160 | tr '\n' '|'))"
        fi
    done
    [ "$STEP" = build ] || echo "# tests/cuda: $same of $all the same: what they print, what their launches count, and their times"
}

part_labs() {
    local name same=0 all=0
    for source in answers/*.cu; do
        name=$(basename "$source" .cu)
        wanted "$name" || continue
        all=$((all + 1))
        rm -f "$T/host.json" "$T/arm.json"
        LIMIT=200 run "$W" grade "$name" "$source" --device sim:h200 --seed 4 --no-sandbox --quiet --json "$T/host.json"
        local host=$status
        LIMIT=${LIMIT_EACH:-900} run "$T/arm" env WARPLAB_NVCC="$nvcc" XDG_CACHE_HOME="$A/cache" "$A/warplab" grade "$name" "$source" --device sim:h200 --seed 4 --time-limit 300 --no-sandbox --quiet --json "$T/arm.json"
        if [ "$status" = "$host" ] && cmp -s "$T/host.json" "$T/arm.json"; then same=$((same + 1)); ok "$name: the same record"; else
            not_ok "$name: the same record (exit status $host and $status; $(diff "$T/host.json" "$T/arm.json" | head -n 4 | cut -c1-160 | tr '\n' '|') $(tail -n 1 "$T/err" | cut -c1-200))"
        fi
    done
    echo "# labs: $same of $all with the same record"
}
if [ "$STEP" = build ]; then PART=cuda; fi # the others build as they go
for part in ${PART:-unit cuda labs}; do part_$part; done
finish
