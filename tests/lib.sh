# What shell tests share. A test starts with:  . "$(dirname "$0")/../lib.sh"
#
# It prints one line a check, "ok NAME" or "not ok NAME (why)", by the functions below, and ends
# with `finish`. Everything it writes goes into $T, an empty folder that is removed at the end; HOME
# and the XDG folders lie in there too, so that nothing of the user's is touched.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
B=${B:-build}
case $B in /*) ;; *) B=$root/$B ;; esac
W=$B/warplab
T=$(mktemp -d "${TMPDIR:-/tmp}/warplab-test.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT TERM
export HOME="$T/home" XDG_DATA_HOME="$T/data" XDG_STATE_HOME="$T/state" XDG_CONFIG_HOME="$T/config"
# One cache for all tests of a run: a baseline is compiled once.
export XDG_CACHE_HOME="${WARPLAB_TEST_CACHE:-$T/cache}"
unset WARPLAB_WORK WARPLAB_LANG WARPLAB_DEVICE LC_ALL LC_MESSAGES
export LANG=C.UTF-8 WARPLAB_WORK="$T/work" NO_COLOR=1
mkdir -p "$HOME"
checks=0 failures=0 skips=0

ok() { checks=$((checks + 1)); echo "ok $*"; }
skip() { skips=$((skips + 1)); echo "skip $*"; } # WHAT (why)
not_ok() { checks=$((checks + 1)); failures=$((failures + 1)); echo "not ok $*"; }
# run COMMAND...: its output in $out (both streams), its standard output in $T/out, its status in
# $status. 60 s at most, LIMIT=n otherwise.
run() {
    timeout -k 5 "${LIMIT:-60}" "$@" >"$T/out" 2>"$T/err" </dev/null
    status=$?
    out=$(cat "$T/out" "$T/err")
}
cut_text() { printf '%s' "$out" | tr '\n' '|' | cut -c1-600; }
# status_is N NAME
status_is() { if [ "$status" = "$1" ]; then ok "$2"; else not_ok "$2 (exit status $status, want $1: $(cut_text))"; fi; }
# has TEXT NAME: the output holds TEXT
has() { case $out in *"$1"*) ok "$2" ;; *) not_ok "$2 (no \"$1\" in: $(cut_text))" ;; esac; }
lacks() { case $out in *"$1"*) not_ok "$2 (\"$1\" is in: $(cut_text))" ;; *) ok "$2" ;; esac; }
# is GOT WANT NAME
is() { if [ "$1" = "$2" ]; then ok "$3"; else not_ok "$3 (got \"$1\", want \"$2\")"; fi; }
# json FILE EXPRESSION: a Python expression over the object `j`
json() { python3 -SE -c 'import json,sys; j=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2" 2>&1; }
# on_one_core COMMAND...: under `xargs -P "$(nproc)" --process-slot-var=slot`, on a core of its own:
# gradings side by side whose workers all run on all cores are in each other's way
cores=$(python3 -SE -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
export cores
on_one_core() { taskset -c "$(echo "$cores" | cut -d' ' -f $((slot + 1)))" "$@"; }
finish() { [ "$failures" = 0 ] && [ $((checks + skips)) -gt 0 ]; exit $?; }
