#!/bin/bash
# timeout: 300
# The command line: verdicts and exit statuses of the first labs, the reports, and one clear message
# for each kind of bad input.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=${LIMIT:-90}
device="--device sim:h200"

# ---- verdicts ----
labs="vector-add"
[ -z "${FAST-}" ] && labs="vector-add coalescing reduce-1-divergent"
for lab in $labs; do
    run $W grade $lab answers/$lab.cu $device --json "$T/r.json"
    status_is 0 "$lab: the answer passes"
    is "$(json "$T/r.json" 'j["version"], j["lab"], j["verdict"], j["score"] == j["max_score"] > 0, j["device"], j["build"]["ok"]')" \
        "(1, '$lab', 'pass', True, 'sim:h200', True)" "$lab: the JSON says so"
    is "$(json "$T/r.json" 'all(c["pass"] for c in j["cases"]) and len(j["cases"]) > 2')" True "$lab: every case passes"
    is "$(json "$T/r.json" 'all(g["pass"] and g["points"] == g["max_points"] for g in j["goals"])')" True "$lab: every goal is met"
    is "$(json "$T/r.json" 'j["time_us"] > 0 and j["baseline_us"] > 0 and abs(j["speedup"] - j["baseline_us"] / j["time_us"]) < 0.01 * j["speedup"]')" True \
        "$lab: times and speedup agree"
    is "$(json "$T/r.json" 'j["toolchain"]["arch"]')" sm_90 "$lab: the architecture"
    run $W grade $lab labs/$lab.cu $device --json "$T/r.json"
    status_is 1 "$lab: the skeleton fails"
    is "$(json "$T/r.json" 'j["verdict"], j["score"] < j["max_score"]')" "('fail', True)" "$lab: the JSON says so"
done

# ---- what could not be graded is no zero ----
run $W grade vector-add answers/vector-add.cu --device sim:none --classroom "$T/none.b64"
status_is 3 "a device that is not there"
has "COULD NOT GRADE  no score" "no score is told"
lacks "FAIL" "no goal is called missed"
is "$(base64 -d "$T/none.b64" | python3 -c 'import json, sys; print(json.load(sys.stdin)["max_score"])')" 0 "Classroom leaves it out"

# ---- reports ----
run $W grade vector-add labs/vector-add.cu $device --json "$T/a.json" --junit "$T/a.xml" --gradescope "$T/a.gs.json" --seed 7
is "$(json "$T/a.json" 'j["seed"]')" 7 "the seed is in the JSON"
is "$(python3 -c 'import sys, xml.dom.minidom as m; print(len(m.parse(sys.argv[1]).getElementsByTagName("failure")) > 0)' "$T/a.xml")" True "JUnit: parses, holds failures"
is "$(json "$T/a.gs.json" 'len(j["tests"]) > 0 or "score" in j')" True "Gradescope: tests or a score"
run $W grade vector-add labs/vector-add.cu $device --seed 7 --json "$T/b.json"
cmp -s "$T/a.json" "$T/b.json" && ok "same seed, same JSON" || not_ok "same seed, same JSON ($(diff "$T/a.json" "$T/b.json" | head -4 | tr '\n' '|'))"
run $W grade vector-add answers/vector-add.cu $device --json -
is "$(json "$T/out" 'j["verdict"]')" pass "--json -: nothing but the JSON on stdout"
run $W grade vector-add labs/vector-add.cu $device
has "n = 1003" "the table names the failing case"
has "FAIL" "the table says FAIL"
run $W grade vector-add labs/vector-add.cu $device --lang zh
has "未通过" "--lang zh"

# ---- usage ----
run $W grade vectoradd answers/vector-add.cu
status_is 2 "an unknown lab"
has "did you mean vector-add" "an unknown lab: the nearest name"
run $W grade vector-add /no/such.cu
status_is 2 "a file that is not there"
has "/no/such.cu" "a file that is not there: named"
run $W grade vector-add
status_is 2 "an argument is missing"
run $W grade vector-add answers/vector-add.cu --devise sim:h200
status_is 2 "an unknown option"
has "--device" "an unknown option: the nearest one"
run $W grade vector-add answers/vector-add.cu --seed x
status_is 2 "a seed that is no number"
run $W grade vector-add answers/vector-add.cu --device sim:h2000
status_is 3 "an unknown device"
has "warplab devices" "an unknown device: where to look"
run $W graed vector-add answers/vector-add.cu
status_is 2 "an unknown command"
has "did you mean grade" "an unknown command: the nearest one"
run $W grade --help
status_is 0 "--help of a command"
has "usage: warplab grade" "--help of a command"
run $W --help
for c in list devices doctor grade profile check new; do has "warplab $c" "--help lists $c"; done

# ---- bad submissions ----
try() { # NAME SOURCE: grades the source as vector-add
    printf '%s\n' "$2" >"$T/$1.cu"
    run $W grade vector-add "$T/$1.cu" $device --time-limit "${3:-60}"
}
kernel='__global__ void add(const float *a, const float *b, float *c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }'
entry='void vector_add(const float *a, const float *b, float *c, int n)'

try syntax "$kernel
$entry { add<<<n, 64>>>(a, b, c, m); }"
status_is 1 "a compile error"
has "$T/syntax.cu(2): error" "a compile error: at the student's own file and line"
has '"m" is undefined' "a compile error: what nvcc says"

try crash "$entry { *(volatile int *)8 = 1; }"
status_is 1 "a crash on the host"
has "Segmentation fault" "a crash on the host: the signal"

try deref "#include <cstdio>
$entry { printf(\"%f\\n\", a[0]); }"
status_is 1 "a device pointer dereferenced on the host"
has "device" "a device pointer dereferenced on the host: explained"
has "host" "a device pointer dereferenced on the host: explained"

try spin "__global__ void spin(float *c) { while (true) c[0] += 1; }
$entry { spin<<<1, 32>>>(c); }"
status_is 1 "an endless kernel"
has "endless loop" "an endless kernel: said so"
has "spin.cu:1" "an endless kernel: the line it spins on"

try hostloop "$entry { for (volatile int i = 0;; i = i + 1) {} }" 4
status_is 1 "an endless host loop"
has "time limit of 4 s" "an endless host loop: said so"

try oob "__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
$entry { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }"
status_is 1 "an out-of-bounds access"
has "thread" "an out-of-bounds access: thread"
has "block" "an out-of-bounds access: block"
has "oob.cu:3" "an out-of-bounds access: line"

try barrier "__global__ void half(float *c) {
    if (threadIdx.x < 32) return;
    if (threadIdx.x < 64) __syncthreads();
    else
        while (*(volatile float *)c != 12345.0f) {}
}
$entry { half<<<1, 96>>>(c); }"
status_is 1 "a barrier reached by part of a block"

try main "$kernel
$entry { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
int main() { return 0; }"
status_is 1 "a main() of its own"
has "found a main()" "a main() of its own: said so"

try exit "#include <cstdlib>
$entry { exit(0); }"
status_is 1 "leaving early"

# ---- what is no source: never a zero ----
not_taken() { # FILE WANT
    run $W grade vector-add "$T/$1" $device --json "$T/r.json"
    status_is 3 "$1: could not be graded"
    has "$2" "$1: what it is, and what to do"
    is "$(json "$T/r.json" 'j["score"], j.get("ungradable")')" "(None, True)" "$1: no score"
}
echo '{ "nbformat": 4, "cells": [{ "source": ["%%cu\n"] }] }' >"$T/lab.ipynb"
not_taken lab.ipynb "is a Jupyter notebook, and notebooks are not taken yet: put the CUDA code"
printf '%%PDF-1.4\n' >"$T/lab.pdf"
not_taken lab.pdf "is a PDF: hand in the .cu file itself"
iconv -t UTF-16 answers/vector-add.cu >"$T/wide.cu"
not_taken wide.cu "is text in UTF-16: save it as UTF-8"
iconv -t UTF-16LE answers/vector-add.cu >"$T/wide2.cu"
not_taken wide2.cu "is no text: it has bytes that are zero"
(printf '\xef\xbb\xbf' && cat answers/vector-add.cu) >"$T/bom.cu"
run $W grade vector-add "$T/bom.cu" $device
status_is 0 "a byte-order mark of UTF-8 is none of these"
(echo '#include "util.h"' && cat answers/vector-add.cu) >"$T/own.cu" && touch "$T/util.h"
run $W grade vector-add "$T/own.cu" $device
status_is 1 "a header of one's own beside the file"
has "it includes util.h, which is not there. A submission to this lab is one file" "is told as what it is"

# ---- the machine's own troubles ----
run env WARPLAB_NVCC=/no/such/nvcc $W grade vector-add answers/vector-add.cu $device
status_is 3 "no nvcc"
has "nvcc" "no nvcc: said so"
run env PATH=/usr/bin:/bin WARPLAB_NO_SYSTEM_CUDA=1 XDG_CACHE_HOME="$T/empty" WARPLAB_ROOT="$T/project" $W grade vector-add answers/vector-add.cu
status_is 2 "a project that is not there"
run env WARPLAB_NO_SANDBOX=1 $W grade vector-add answers/vector-add.cu $device
status_is 3 "no sandbox: untrusted grading is refused"
has "--no-sandbox" "no sandbox: what to do"
run env WARPLAB_NO_SANDBOX=1 $W grade vector-add answers/vector-add.cu $device --no-sandbox
status_is 0 "no sandbox, told to go on"

# A disk that is full: a tmpfs of our own where we may mount one.
if [ "$(id -u)" = 0 ] && mkdir -p "$T/small" && unshare -m true 2>/dev/null; then
    cat >"$T/full.sh" <<EOF
mount -t tmpfs -o size=300k tmpfs "$T/small" || exit 77
head -c 250000 /dev/zero >"$T/small/filler"
XDG_CACHE_HOME="$T/small" "$W" grade vector-add "$root/labs/vector-add.cu" --device sim:h200
EOF
    run unshare -m bash "$T/full.sh"
    if [ "$status" != 77 ]; then
        status_is 3 "a full disk"
        has "disk is full" "a full disk: said so"
    fi
    run bash -c "exec '$W' list >/dev/full"
    status_is 3 "a full disk behind stdout"
fi
run $W grade vector-add answers/vector-add.cu $device --json /no/such/folder/r.json
status_is 3 "a report that cannot be written"
has "/no/such/folder" "a report that cannot be written: named"

# ---- Ctrl-C: at the compile and in the run; nothing stays behind ----
interrupt() { # NAME SECONDS COMMAND...
    local name=$1 after=$2
    shift 2
    setsid "$@" >"$T/out" 2>"$T/err" </dev/null &
    local pid=$!
    sleep "$after"
    kill -INT -- -$pid 2>/dev/null || kill -INT $pid
    local begin
    begin=$(date +%s)
    wait $pid
    status=$?
    out=$(cat "$T/out" "$T/err")
    [ $(($(date +%s) - begin)) -lt 10 ] && ok "$name: ends at once" || not_ok "$name: ends at once"
    status_is 3 "$name: exit status"
    sleep 0.3
    is "$(pgrep -s $pid | tr '\n' ' ')" "" "$name: no process left"
}
interrupt "Ctrl-C in the compile" 0.25 env XDG_CACHE_HOME="$T/fresh" $W grade vector-add labs/vector-add.cu $device
is "$(ls "$T/fresh/warplab/tmp" 2>/dev/null)" "" "Ctrl-C in the compile: no half-made folder"
interrupt "Ctrl-C in the run" 4 $W grade vector-add "$T/hostloop.cu" $device
# In a large case the instruction budget is a minute away.
cat >"$T/spins.cu" <<'CU'
__global__ void spin(volatile float *v) { while (v[0] != 12345.0f) v[0] = 1.0f; }
void matmul_tiled(const float *, const float *, float *c, int n) { if (n >= 512) spin<<<1, 32>>>(c); }
CU
interrupt "Ctrl-C in a kernel" 4 $W grade matmul-tiled "$T/spins.cu" $device

# ---- help fits a terminal of 80 columns, and no word is broken; its guide is a file that is there
for lang in en zh; do
    { "$W" --help --lang $lang; "$W" grade --help --lang $lang; "$W" profile --help --lang $lang; } >"$T/help"
    is "$(python3 - "$T/help" <<'PY'
import sys, unicodedata
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    if sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line) > 80 or line.endswith(" "):
        print(line)
PY
)" "" "--help in lines of 80 columns ($lang)"
    guide=$("$W" --help --lang $lang | tr '\n' ' ' | sed -E 's|.*[ ：](/[^ ;；]*student\.md).*|\1|')
    is "$([ -f "$guide" ] && echo there)" there "--help names a guide that is there ($lang)"
done
finish
