#!/bin/bash
# slow
# timeout: 300
# The packs of docs/examples: installed, proved, their answers graded, the quiz taken at the prompt.
. "$(dirname "$0")/../lib.sh"
export WARPLAB_DEVICE=sim:h200
LIMIT=240
for pack in host-habits warp-quiz; do
    run "$W" pack add "$root/docs/examples/$pack"
    status_is 0 "$pack: installed"
    lacks "left out" "$pack: holds nothing that no pack is made of"
    run "$W" check "$pack" --texts
    status_is 0 "$pack: texts"
    lacks "note " "$pack: its terms are the glossary's"
done
if [ -n "${FAST:-}" ]; then
    skip "the programs of the examples (FAST)"
else
    run "$W" check host-habits warp-quiz --device sim:h200
    status_is 0 "both are proved"
fi
run "$W" grade one-trip "$root/docs/examples/host-habits/labs/one-trip.cu"
status_is 1 "one-trip: the skeleton fails"
has "h2d_copies is 8 copies" "one-trip: and is told why"

# The quiz: 8 sectors, from 256 bytes; a choice by its text; what shares an instruction.
sum() { # N B: warps
    echo $(((($1 + $2 - 1) / $2) * $2 / 32))
}
mkfifo "$T/line"
timeout 100 "$W" --lang en <"$T/line" >"$T/said" 2>&1 &
pid=$!
exec 9>"$T/line"
until_said() { for _ in $(seq 200); do [ "$(grep -c "$1" "$T/said")" -ge "${2:-1}" ] && return; sleep 0.1; done; }
printf 'start warp-quiz/warps\nn\n' >&9
until_said 'how many warps are launched'
read -r n b < <(tr '\n' ' ' <"$T/said" | sed -nE 's/.* ([0-9]+) threads in blocks of ([0-9]+): how many.*/\1 \2/p')
printf '%s\nn\nonly if %s divides %s\nn\n8\nn\ninstruction\nn\ncheck\nquit\n' "$(sum "${n:-1}" "${b:-32}")" "$b" "$n" >&9
exec 9>&-
wait $pid
out=$(cat "$T/said")
has "6 of 6 points" "warps: four right answers are full marks"
run "$W" list --json
is "$(json "$T/out" '[l["passed"] for l in j if l["id"] == "warp-quiz/warps"]')" "[True]" "warps: passed"
finish
