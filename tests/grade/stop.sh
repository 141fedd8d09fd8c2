#!/bin/bash
# slow
# What a submission asks of the server in one call may last minutes: the time limit ends it, and so
# does a signal. Memsets and copies of a thousand million rows.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
device="--device sim:h200"

cat >"$T/memset.cu" <<'CU'
#include <cuda_runtime.h>
void vector_add(const float *, const float *, float *, int) {
    char *d;
    if (cudaMalloc(&d, 1 << 30)) return;
    for (int i = 0; i < 100; i++) cudaMemset2D(d, 2, 0, 1, 1 << 29);
    cudaFree(d);
}
CU
cat >"$T/copy.cu" <<'CU'
#include <cuda_runtime.h>
void vector_add(const float *, const float *, float *, int) {
    char *d;
    if (cudaMalloc(&d, 1 << 30)) return;
    for (int i = 0; i < 100; i++) cudaMemcpy2D(d + (1 << 29), 2, d, 2, 1, 1 << 28, cudaMemcpyDeviceToDevice);
    cudaFree(d);
}
CU

for what in memset copy; do
    begin=$(date +%s)
    LIMIT=100 run $W grade vector-add "$T/$what.cu" $device --time-limit 3 --json "$T/$what.json"
    status_is 1 "a $what of many rows: the time limit ends it"
    [ $(($(date +%s) - begin)) -lt 40 ] && ok "a $what of many rows: in time" || not_ok "a $what of many rows: in time ($(($(date +%s) - begin)) s)"
    is "$(json "$T/$what.json" 'j["verdict"]')" fail "a $what of many rows: fails"
done

# Waits until the process itself, which compiles nothing, has computed for a second: it is in there.
computes() {
    local used
    for _ in $(seq 600); do
        used=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f12-13 | tr ' ' +)
        [ "$((${used:-0}))" -ge "$(getconf CLK_TCK)" ] && return
        sleep 0.1
    done
}
stop() { # SIGNAL NAME COMMAND...
    local signal=$1 name=$2 pid begin
    shift 2
    setsid "$@" >"$T/out" 2>"$T/err" </dev/null &
    pid=$!
    computes $pid
    if kill -0 $pid 2>/dev/null; then ok "$name: it runs"; else not_ok "$name: it runs ($(cat "$T/out" "$T/err"))"; fi
    kill -"$signal" $pid
    begin=$(date +%s)
    wait $pid
    [ $(($(date +%s) - begin)) -lt 5 ] && ok "$name: ends soon" || not_ok "$name: ends soon ($(($(date +%s) - begin)) s)"
    sleep 0.3
    is "$(pgrep -s $pid | tr '\n' ' ')" "" "$name: no process left"
}
stop TERM "SIGTERM in a memset" $W grade vector-add "$T/memset.cu" $device --time-limit 60
stop INT "SIGINT in a copy" $W grade vector-add "$T/copy.cu" $device --time-limit 60
cat >"$T/profiled.cu" <<'CU'
#include <cuda_runtime.h>
int main() {
    char *d;
    if (cudaMalloc(&d, 1 << 30)) return 1;
    return cudaMemset2D(d, 2, 0, 1, 1 << 29) || cudaMemset2D(d, 2, 1, 1, 1 << 29) || cudaMemset2D(d, 2, 1, 1, 1 << 29);
}
CU
stop TERM "SIGTERM in a profiled memset" $W profile $device "$T/profiled.cu"

# What a submission makes the grader hold: four gigabytes of all kinds together, and the largest
# process of the grading is not much larger.
peak=$(python3 - "$W" tests/grade/cheats/40-pinned-memory.cu <<'PY'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "grade", "vector-add", sys.argv[2], "--device", "sim:h200"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
PY
)
if [ "$peak" -lt 4900 ]; then ok "ten gigabytes asked for: $peak MiB in the largest process"; else not_ok "ten gigabytes asked for: $peak MiB in the largest process"; fi
finish
