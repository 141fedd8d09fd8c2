#!/bin/bash
# timeout: 400
# CUDA programs, each with its expected output inside, compiled by nvcc and run on the simulated device through our client library.
#
#   tests/cuda/run.sh [NAME...]           B=build FAST=1 as for tests/run
#   NATIVE=1 tests/cuda/run.sh [NAME...]  on a real GPU with the vendor's library; programs marked "sim only" are left out
#   DEVICE=gpu:0 tests/cuda/run.sh        through our client library on a GPU; the same programs are left out, and those of several devices
#   RUN=NAME ...                          the results' files have names of their own, so that two runs may go at once (rewrite.sh)
#   BUILD_ONLY=1 ...                      compile for the vendor's library, put the programs into $B/cuda-native, run nothing
#
# In a program: "// expect: LINE" each line of stdout, in order; "// flags: ..." for nvcc, further units (tests/cuda/units) among them; "// arch: sm_80" (sm_75 if absent, nothing beside -gencode);
# "// std: c++17" where c++14, whose headers nvcc reads in two thirds of the time, does not do;
# "// device: ..." (sim:h200); "// status: N" the exit status (0); "// stderr: TEXT" some line of stderr holds it; "// fast" is part of
# FAST=1; "// sim only" cannot be asked of a real GPU; "// gpu limit: WHY" runs there natively, not through our library (docs/grading.md names why). All checks of the simulated device are on: "// finding: KIND" says what it must
# find, and it may find nothing else (but leaks: many programs leave the freeing to their end; and failed calls, which
# many make on purpose: their own program is failed_calls). "// default checks" leaves the check of
# races in global memory off, which makes large kernels slow.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
. tests/nvcc.sh
if [ -z "$nvcc" ]; then
    echo "not ok cuda (there is no nvcc; make setup brings one)"
    exit 1
fi
work=$B/cuda-programs
mkdir -p "$work" "$B/cuda-native"
host=${HOST:-$B/cuda-host} # HOST: a runner that is built already
if [ -z "$NATIVE$BUILD_ONLY" ] && [ ! -x "$host" ]; then
    echo "not ok cuda host ($host is not built: make unit)"
    exit 1
fi

tag() { sed -n "s|^// $2: ||p" "$1"; }

one() {
    source=$1
    name=$(basename "$source" .cu)
    flags=$(tag "$source" flags)
    arch=$(tag "$source" arch)
    std=$(tag "$source" std)
    # shellcheck disable=SC2046 # further units among the flags
    key=$(cat "$source" $(grep -o '[^ ]*\.cu' <<<"$flags") tests/cuda/common.h runner/device/cudart/abi.def | cat - <(echo "$flags $arch $std $nvcc") | sha256sum | cut -c1-16)
    program=$work/$name-$key
    exec 8>"$work/$name.lock"
    flock 8 # another run may be compiling it
    if [ ! -x "$program" ]; then
        rm -f "$work/$name"-[0-9a-f]*
        arch=-arch=${arch:-sm_75}
        [[ $flags == *-gencode* ]] && arch=
        # shellcheck disable=SC2086
        compile "$program.tmp" "$source" -std="${std:-c++14}" -O1 -w -lineinfo -cudart shared $arch $flags >"$work/$name.log" 2>&1 || {
            echo "not ok cuda $name (it does not compile: $(head -n 1 "$work/$name.log"))"
            return
        }
        mv "$program.tmp" "$program"
    fi
    flock -u 8
    run=$name$RUN
    if [ -n "$BUILD_ONLY" ]; then
        grep -q '^// sim only' "$source" || cp "$program" "$B/cuda-native/$name"
        return
    fi
    if [ -n "$NATIVE" ]; then
        timeout 60 "$program" >"$work/$run.out" 2>"$work/$run.err" </dev/null
    else
        device=${DEVICE:-$(tag "$source" device)}
        checks=-c
        grep -q '^// default checks' "$source" && checks=
        # shellcheck disable=SC2086
        timeout 100 "$host" $checks -d "${device:-sim:h200}" -l "$PWD/$B" "$PWD/$program" >"$work/$run.out" 2>"$work/$run.err" </dev/null
    fi
    status=$?
    want=$(tag "$source" status)
    why=
    tag "$source" expect >"$work/$run.want"
    if ! cmp -s "$work/$run.want" "$work/$run.out"; then
        why=$(diff "$work/$run.want" "$work/$run.out" | awk '/^</ && l++ < 2; /^>/ && r++ < 2' | tr '\n' ' ')
        why="$why $(head -c 300 "$work/$run.err" | tr '\n' ' ')"
    fi
    [ "$status" = "${want:-0}" ] || why="$why exit status $status instead of ${want:-0}"
    while IFS= read -r text; do
        [ -z "$text" ] || grep -qF -- "$text" "$work/$run.err" || why="$why stderr does not say '$text'"
    done <<<"$(tag "$source" stderr)"
    if [[ -z "$NATIVE" && "${DEVICE:-sim}" == sim* ]]; then
        found=$(sed -n 's/^finding: \([a-z-]*\): .*/\1/p' "$work/$run.err" | grep -Ev '^(leak|call)$' | sort -u)
        expected=$(tag "$source" finding | grep -v '^leak$' | sort -u)
        [ "$found" = "$expected" ] || why="$why finds '$found' instead of '$expected': $(grep -m 2 '^finding' "$work/$run.err")"
    fi
    if [ -z "$why" ]; then echo "ok cuda $name$RUN"; else echo "not ok cuda $name$RUN ($why)"; fi
}
export -f one tag
export nvcc work host B NATIVE BUILD_ONLY DEVICE RUN

list=()
for source in tests/cuda/*.cu; do
    name=$(basename "$source" .cu)
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    elif [ -n "$FAST" ]; then
        grep -q '^// fast' "$source" || continue
    fi
    [ -n "$NATIVE$DEVICE" ] && grep -q '^// sim only' "$source" && continue
    [ -n "$DEVICE" ] && grep -qE '^// (device: .*,|gpu limit: )' "$source" && continue
    list+=("$source")
done
printf '%s\n' "${list[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one {}' | tee "$work/results$RUN"
! grep -q '^not ok' "$work/results$RUN"
