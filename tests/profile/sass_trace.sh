#!/bin/bash
# profile --sass-trace: each executed machine instruction as Accel-Sim reads it; kernels that are
# not executed as machine code are named.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
disassembler=
for at in "${WARPLAB_NVDISASM-}" .toolchain/nvidia/cu13/bin/nvdisasm /usr/local/cuda/bin/nvdisasm; do [ -n "$at" ] && [ -x "$at" ] && disassembler=$at; done
if [ -z "$disassembler" ]; then
    skip "sass trace (no nvdisasm here: make setup brings it)"
    finish
fi
kernels=tests/profile/sass_trace/kernels.cu
run "$W" profile --device sim:h200 --sass-trace "$T/trace" "$kernels"
status_is 0 "two kernels are traced"
if python3 tests/profile/sass_trace.py "$T/trace" >"$T/said" 2>&1; then cat "$T/said"; else not_ok "the trace ($(tail -1 "$T/said"))"; fi
checks=$((checks + 1))
# What is counted is the same without it; achieved occupancy is modelled with the time.
run "$W" profile --device sim:h200 --json "$T/with" --sass-trace "$T/again" "$kernels"
run "$W" profile --device sim:h200 --json "$T/without" "$kernels"
strip() { python3 -c 'import json,sys; print([{k: v for k, v in json.loads(l)["counters"].items() if k != "achieved_occupancy_pct"} for l in open(sys.argv[1]) if "counters" in l])' "$1"; }
is "$(strip "$T/with")" "$(strip "$T/without")" "counters are the same with a trace"
run "$W" profile --lang en --device sim:h200 --sass-trace "$T/locks" "$kernels" x
status_is 3 "a kernel that is left out is an error"
has "allocate" "its name is said"
has "is not in $T/locks: " "and where it is not, and why"
is "$(wc -l <"$T/locks/kernelslist.g")" 2 "the others are there"
run "$W" profile --lang en --device sim:h200 --sass-trace /proc/none "$kernels"
has "cannot write into /proc/none" "a folder that cannot be made"
finish
