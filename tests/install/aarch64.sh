#!/bin/bash
# aarch64 without such a machine: cross-built, and run by qemu in a namespace in which the kernel
# starts aarch64 programs by it. The same bytes as on x86-64: what the programs of tests/cuda print,
# what their launches count and how long they take by the model; the labs' records; the unit tests
# pass.
#
#   PART=unit | cuda | labs    one of them; all of them otherwise. NAMES="a b": only these programs, or labs
#   STEP=build                 builds, compiles the programs of tests/cuda and the labs' answers, keeps x86-64's records of these, and ends there
#   STEP=pack TO=FILE.tar.xz   what STEP=run takes of that, with qemu and the libraries, to be unpacked in another copy of the project: on a machine with more
#                              cores and no compiler
#   STEP=run                   takes what STEP=build left (qemu=FILE and SYSROOT=DIR in place of this machine's, and of what STEP=pack brought)
#   STEP=make                  builds, and ends there; STEP=rest: all that follows, on a machine with more cores that has compilers, but nothing to build by
#   JOBS=N                     so many at once; as many as there are cores otherwise
#   LIMIT_EACH=900             seconds that one may take; LIMIT_ALL=400: after so many none is begun and those that run are ended
#
# Needs FULL=1, Debian's g++-aarch64-linux-gnu and qemu-user-static, and NVIDIA's wheels for
# aarch64, which pip brings once (their headers and device libraries; nvcc itself is this machine's:
# what it makes of device code does not depend on the host).
# timeout: 5400
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -n "${FULL-}" ] || { skip "aarch64 under qemu (hours of processor time: FULL=1)"; finish; }
STEP=${STEP:-all}
A=$root/build-aarch64-linux-gnu
brought=$A/brought # by STEP=pack
[ "$STEP" != run ] || [ ! -d "$brought" ] || qemu=${qemu:-$brought/qemu-aarch64-static} SYSROOT=${SYSROOT:-$brought}
qemu=${qemu:-$(command -v qemu-aarch64-static)}
for p in $([ "$STEP" = run ] || echo aarch64-linux-gnu-g++ aarch64-linux-gnu-gcc) ${qemu:-qemu-aarch64-static} unshare; do command -v "$p" >/dev/null || { skip "aarch64 under qemu (there is no $p)"; finish; }; done
libraries=$root/.toolchain/aarch64-linux-gnu/usr/lib/aarch64-linux-gnu # the device alone is not linked statically
sysroot=${SYSROOT:-/usr/aarch64-linux-gnu}
# pack FILE: debugging information stays here, since 70 programs with it are gigabytes.
pack() (
    set -o pipefail
    part=$T/pack here=${A#"$root/"}
    mkdir -p "$part/$here/brought" "$part/$here/tests" "$part/${libraries#"$root/"}" "$part/${B#"$root/"}" || exit
    cp "$qemu" "$part/$here/brought/qemu-aarch64-static" || exit
    cp -a "$sysroot/lib" "$part/$here/brought/lib" || exit
    find "$part/$here/brought/lib" -name '*.a' -delete || exit
    cp -a "$libraries"/*.so* "$part/${libraries#"$root/"}/" || exit
    cp -a "$A/ptxas" "$A/nvcc-version" "$A/programs" "$A/records" "$A/cache" "$part/$here/" || exit
    for f in "$A"/warplab "$A"/warplab-init "$A"/warplab-gpu "$A"/cuda-host "$A"/*.so.[0-9]*; do [ ! -f "$f" ] || aarch64-linux-gnu-strip -g -o "$part/$here/${f##*/}" "$f" || exit; done
    for f in "$A"/tests/*; do [ ! -x "$f" ] || [ ! -f "$f" ] || aarch64-linux-gnu-strip -g -o "$part/$here/tests/${f##*/}" "$f" || exit; done
    for f in warplab-init cuda-host; do strip -g -o "$part/${B#"$root/"}/$f" "$B/$f" || exit; done
    tar -C "$part" -cf - . | xz -T1 --lzma2=preset=6,dict=512MiB >"$1"
)
. tests/nvcc.sh
nvcc=$(readlink -f "$nvcc")
# What an aarch64 machine's programs find in /lib, also where their environment says nothing of it:
# in the folder where qemu looks first.
mkdir -p "$T/etc/qemu-binfmt/aarch64/usr/lib" "$T/etc/nvcc/bin" "$T/targets"
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
        [ -z "$COMPILES" ] || mount --rbind "${6%/targets}" /etc/nvcc || exit 125
        shift 7
        exec "$@"' _ "$qemu" "$T/g++" "$T/etc" "$B/warplab-init" "$A/warplab-init" "${nvcc%/bin/nvcc}/targets" "$T/targets" "$@"
}
# `run` starts programs, not functions.
{ echo '#!/bin/bash'; echo "T='$T' A='$A' B='$B' qemu='$qemu' nvcc='$nvcc'"; declare -f arm; echo 'arm "$@"'; } >"$T/arm"
chmod +x "$T/arm"
# nvcc says -m64, which that compiler does not know; of both it asks by gcc's name for some of its
# steps.
cat >"$T/g++" <<EOG
#!/bin/bash
words=()
for w; do [ "\$w" = -m64 ] || words+=("\$w"); done
case \${0##*/} in *++*) exec $(command -v aarch64-linux-gnu-g++) "\${words[@]}" ;; esac
exec $(command -v aarch64-linux-gnu-gcc) "\${words[@]}"
EOG
# nvcc by a name that is the same on every machine, since what is built is kept under it. To run
# what was built takes no more than its version, and ptxas, which says how many registers a kernel
# takes.
ln -s "$A/ptxas" "$T/etc/nvcc/bin/ptxas"
cat >"$T/etc/nvcc/bin/nvcc" <<EOG
#!/bin/bash
case \$1 in
--dryrun) echo '#\$ _HERE_=/etc/nvcc/bin' ;;
--version) cat '$A/nvcc-version' ;;
*) echo "nothing is compiled here" >&2; exit 1 ;;
esac
EOG
chmod 755 "$T" "$T/g++" "$T/etc/nvcc/bin/nvcc"
[ "$(uname -m)" = x86_64 ] || { skip "aarch64 under qemu (this machine is no x86-64)"; finish; }
wheels=$root/.toolchain/nvidia-aarch64 cu=$root/.toolchain/nvidia-aarch64/nvidia/cu13
if [ "$STEP" = pack ]; then
    [ -n "${TO-}" ] && [ -x "$A/warplab" ] && [ -d "$A/records" ] || { not_ok "STEP=pack takes what STEP=build left, and TO=FILE.tar.xz"; finish; }
    pack "$TO" && ok "packed: $(du -m "$TO" | cut -f 1) MB" || not_ok "packed"
    finish
fi
if [ "$STEP" != run ] && [ "$STEP" != rest ]; then
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
    # Not by its whole path, which what names the headers of an object does not know it by.
    LIMIT=600 run make -s B="${B#"$root/"}" build "${B#"$root/"}/cuda-host"
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
# qemu keeps some bytes of its own for each page that a program reserves, and a device reserves 1
# TiB: gigabytes, and a minute to write them. In a small address space a device makes do with less;
# only what maps memory at a device's addresses needs all of it.
SPACES="QEMU_RESERVED_VA=400G WHOLE="
wanted() { [ -z "${NAMES-}" ] || case " $NAMES " in *" $1 "*) ;; *) false ;; esac; }
until=${LIMIT_ALL:+$((EPOCHSECONDS + LIMIT_ALL))}
# limit: the seconds that one may take still
limit() {
    local each=${LIMIT_EACH:-900} left
    left=$((${until:-EPOCHSECONDS + each} - EPOCHSECONDS))
    [ "$left" -gt 0 ] || left=1
    if [ "$left" -lt "$each" ]; then echo "$left"; else echo "$each"; fi
}
differs() { diff -a "$1" "$2" | head -n 4 | cut -c1-160 | tr '\n' '|'; }

# cannot NAME: why a unit test cannot hold under qemu, whatever the program does.
cannot() {
    case $1 in
    test_decode | test_texture_isa) awk '/^MemAvailable/ && $2 < 30e6 { exit 1 }' /proc/meminfo && return 1 || echo "takes more than 20 GB under qemu" ;;
    test_device_budget | test_memory) echo "measures its memory, and qemu's counts with it" ;;
    test_grade_batch) echo "gives a folder to a second user, and the namespace has one" ;;
    test_batch_run) echo "asks why a program did not start, and qemu's vfork says nothing of it" ;;
    *) false ;;
    esac
}
one_unit() {
    local passed space why
    [ "$STEP" != build ] || return
    if why=$(cannot "$1"); then skip "unit $1 ($why)"; return; fi
    if grep -qE 'build_file|native' "tests/unit/$1.c" && ! command -v aarch64-linux-gnu-g++ >/dev/null; then skip "unit $1 (compiles, and there is no aarch64-linux-gnu-g++)"; return; fi
    for space in $SPACES; do
        LIMIT=$(limit) run "$T/../arm" env B="$A" "$space" "$A/tests/$1"
        [ "$status" != 0 ] || break
    done
    passed=$(grep -ac '^ok ' "$T/out")
    if [ "$status" = 0 ] && [ "$passed" = 0 ] && grep -aq '^skip ' "$T/out"; then skip "unit $1 ($(sed -n 's/^skip //p' "$T/out" | head -n 1))"; return; fi
    if [ "$status" = 0 ] && [ "$passed" != 0 ]; then ok "unit $1: $passed checks"; else
        not_ok "unit $1 (exit status $status, $passed passed: $(grep -a '^not ok' "$T/out" | head -n 2 | cut -c1-200 | tr '\n' '|') $(tail -n 1 "$T/err" | cut -c1-200))"
    fi
}

tag() { sed -n "s|^// $2: ||p" "$1"; }
# compile SOURCE OUT: with an aarch64 machine's compiler for the host's part
compile() {
    local flags arch
    if [ "$STEP" = run ]; then [ -s "$2" ]; return; fi
    flags=$(tag "$1" flags) arch=$(tag "$1" arch)
    arch=-arch=${arch:-sm_75}
    [[ $flags == *-gencode* ]] && arch=
    [ -s "$2" ] && [ "$2" -nt "$1" ] && [ "$2" -nt tests/cuda/common.h ] && return
    # shellcheck disable=SC2086 # words
    "$nvcc" -std=c++17 -O1 -w -lineinfo -cudart shared $arch -ccbin "$T/../g++" -I"$cu/include" -I"$cu/include/cccl" -L"$cu/lib" $flags -o "$2" "$1" >"$T/log" 2>&1
}
# determined PROGRAM FILE: what of its output is the same in every run; of most programs, all of it.
determined() {
    case $1 in
    # Of host threads, and of host functions, which are threads of the program's, the machine
    # decides who comes first: on x86-64 too two runs differ while it is busy. What is done, and
    # what it counts, is the same: not in which order, and so not when.
    graph_in_order | host_func_late | host_threads | per_thread_stream | stream_default | stream_nonblocking) sed -E '/^busy /d; s/^ +[0-9.]+ +[0-9.]+ (stream)/\1/' "$2" | LC_ALL=C sort ;;
    # It compares times by the host's clock, which also runs while qemu translates and other
    # programs have the core.
    host_habits) sed -E 's/: [01]( [01])?$//' "$2" ;;
    *) cat "$2" ;;
    esac
}
# The same aarch64 program and client library, before this machine's device server and before an
# aarch64 one.
one_cuda() {
    local source=tests/cuda/$1.cu program=$A/programs/$1 device extra=-c host space one=()
    compile "$source" "$program" || { not_ok "cuda $1: compiled ($(head -n 2 "$T/log" | tr '\n' '|' | cut -c1-300))"; return; }
    [ "$STEP" != build ] || { ok "cuda $1: compiled"; return; }
    device=$(tag "$source" device)
    grep -q '^// default checks' "$source" && extra=
    # Which blocks a race is seen between depends on which of the device's threads ran first; on one
    # core it has one.
    [ "$1" != find_race_managed ] || one=(taskset -c "$(taskset -cp $$ | grep -o '[0-9]*$')")
    # shellcheck disable=SC2086 # an option, or none
    LIMIT=$(limit) run "${one[@]}" "$T/../arm" "$B/cuda-host" -t 250 $extra -v -d "${device:-sim:h200}" -l "$A" "$program"
    determined "$1" "$T/out" >"$T/host.out"
    determined "$1" "$T/err" >"$T/host.err"
    tag "$source" expect >"$T/expected"
    determined "$1" "$T/expected" >"$T/expect"
    host=$status
    for space in $SPACES; do
        # shellcheck disable=SC2086
        LIMIT=$(limit) run "${one[@]}" "$T/../arm" env $space "$A/cuda-host" -t 800 $extra -v -d "${device:-sim:h200}" -l "$A" "$program"
        determined "$1" "$T/out" >"$T/arm.out"
        determined "$1" "$T/err" >"$T/arm.err"
        if [ "$status" = "$host" ] && cmp -s "$T/host.out" "$T/arm.out" && cmp -s "$T/host.err" "$T/arm.err" && cmp -s "$T/expect" "$T/arm.out"; then
            ok "cuda $1: the same bytes, and those that it expects"
            return
        fi
    done
    not_ok "cuda $1: the same bytes (exit status $host and $status; $(differs "$T/host.out" "$T/arm.out") $(differs "$T/host.err" "$T/arm.err") $(differs "$T/expect" "$T/arm.out"))"
}

# grade WARPLAB LAB JSON [NAME=VALUE...]: its exit status and its record, as files
grade() {
    local warplab=$1 lab=$2 json=$3
    shift 3
    rm -f "$json"
    LIMIT=$(limit) run "$@" "$warplab" grade "$lab" "answers/$lab.cu" --device sim:h200 --seed 4 --time-limit 600 --no-sandbox --quiet --json "$json"
    echo "$status" >"${json%.json}.status"
}
# What x86-64 records of an answer, and what aarch64 does, of programs that were built with its
# compiler.
one_labs() {
    local kept=$A/records/$1 space arm=("$T/../arm" env WARPLAB_NVCC=/etc/nvcc/bin/nvcc)
    if [ "$STEP" != run ]; then
        grade "$W" "$1" "$kept.json" env WARPLAB_NVCC="$nvcc"
        grade "$W" "$1" "$T/built.json" env COMPILES=1 "${arm[@]}" WARPLAB_LIBS="$A" XDG_CACHE_HOME="$A/cache"
        if cmp -s "$kept.json" "$T/built.json"; then ok "labs $1: built, and the same record of it"; else
            not_ok "labs $1: built ($(differs "$kept.json" "$T/built.json") $(tail -n 1 "$T/err" | cut -c1-200))"
            return
        fi
        [ "$STEP" != build ] || return
    fi
    mkdir -p "$T/cache/warplab"
    cp -r "$A/cache/warplab/build" "$T/cache/warplab/"
    for space in $SPACES; do
        grade "$A/warplab" "$1" "$T/arm.json" "${arm[@]}" "$space" XDG_CACHE_HOME="$T/cache"
        if cmp -s "$kept.json" "$T/arm.json" && cmp -s "$kept.status" "$T/arm.status"; then
            ok "labs $1: the same record"
            return
        fi
    done
    not_ok "labs $1: the same record (exit status $(cat "$kept.status") and $status; $(differs "$kept.json" "$T/arm.json") $(tail -n 1 "$T/err" | cut -c1-200))"
}

# one PART NAME: in a process and a folder of its own
one() {
    if [ -n "$until" ] && [ "$EPOCHSECONDS" -ge "$until" ]; then
        not_ok "$1 $2 (not begun: the time was up)"
        return
    fi
    T=$T/$1-$2
    export HOME="$T/home" XDG_DATA_HOME="$T/data" XDG_STATE_HOME="$T/state" XDG_CONFIG_HOME="$T/config"
    mkdir -p "$HOME"
    "one_$1" "$2"
    rm -rf "$T"
}
mkdir -p "$A/programs" "$A/records" "$A/cache"
if [ "$STEP" != run ]; then
    [ -e "$cu/lib/libcudart.so" ] || ln -s libcudart.so.13 "$cu/lib/libcudart.so"
    "$nvcc" --version >"$A/nvcc-version"
    cp "${nvcc%nvcc}ptxas" "$A/ptxas"
fi
[ "$STEP" != make ] || finish
if [ "$STEP" != build ]; then
    run "$T/arm" "$A/warplab" --version
    has "warplab $(cat VERSION)" "it starts under qemu"
    [ "$status" = 0 ] || finish
fi
for part in ${PART:-labs cuda unit}; do
    case $part in
    unit) sources=(tests/unit/*.c) ;;
    cuda) sources=(tests/cuda/*.cu) ;;
    labs) sources=(answers/*.cu) ;;
    esac
    for source in "${sources[@]}"; do
        name=$(basename "${source%.*}")
        wanted "$name" && echo "$part $name"
    done
done >"$T/list"
{
    while read -r part name; do
        while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
        one "$part" "$name" </dev/null &
    done <"$T/list"
    wait
} | tee "$T/results"
checks=$((checks + $(grep -cE '^(not )?ok ' "$T/results"))) failures=$((failures + $(grep -c '^not ok' "$T/results")))
[ "$STEP" = build ] || for part in ${PART:-labs cuda unit}; do
    all=$(grep -c "^$part " "$T/list") same=$(grep -cE "^ok $part [^ ]*: (the same|[0-9]+ checks)" "$T/results") not=$(grep -c "^not ok $part .*(not begun" "$T/results")
    [ "$all" != 0 ] || continue
    case $part in
    unit) echo "# unit tests: $same of $all pass" ;;
    cuda) echo "# tests/cuda: $same of $all the same: what they print, what their launches count, and their times" ;;
    labs) echo "# labs: $same of $all with the same record" ;;
    esac
    [ "$not" = 0 ] || echo "# $not of these $all were not begun"
done
finish
