#!/bin/bash
# slow
# Programs of several host threads have the same times whatever the machine's scheduler does: on one
# processor, on all of them, beside busy loops.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

times() { # FILE NAME COMMAND...: what was measured of it, to the last digit
    local file=$1 name=$2
    shift 2
    "$@" timeout 300 "$W" grade streams "$file" --device sim:h200 --seed 3 --json "$T/$name.json" >"$T/$name.out" 2>&1 </dev/null
    python3 - "$T/$name.json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
print(j["verdict"], j["time_us"], [g["message"] for g in j["goals"] if g["name"] == "overlap_pct"])
PY
}
busy=()
for file in tests/grade/honest/streams-threads.cu tests/grade/honest/streams-pool.cu tests/grade/cheats/83-threads-in-line.honest.cu; do
    name=$(basename "$file" .cu)
    first=$(times "$file" "$name-1" env)
    is "${first%% *}" pass "$name: every goal is met"
    is "$(times "$file" "$name-2" taskset -c 0)" "$first" "$name: the same time on one processor"
    for _ in 1 2 3 4; do
        timeout 300 sh -c 'while :; do :; done' &
        busy+=($!)
    done
    is "$(times "$file" "$name-3" env)" "$first" "$name: the same time beside busy loops"
    kill "${busy[@]}" 2>/dev/null
    busy=()
done
finish
