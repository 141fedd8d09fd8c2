#!/bin/bash
# docs/counters.md says of every counter what runner/device/sim/counters.def says, of ratios and of figures of a launch or a call what derived.def and metrics.def say,
# and names nothing else. `tests/unit/counters.sh --write` makes its table anew.
cd "$(dirname "$0")/../.." || exit 1
table() {
    echo "| counter | unit | Nsight Compute | meaning |"
    echo "|---|---|---|---|"
    sed -n 's/^COUNTER(\([a-z0-9_]*\), "\([^"]*\)", "\([^"]*\)", "\(.*\)")$/| `\1` | \2 | `\3` | \4 |/p' runner/device/sim/counters.def | sed 's/`-`/none/'
    printf '\n## Ratios, and figures of a launch or a call\n\nGoals and `compare` name them like counters.\n\nA row called *a deed* sums all ways of doing a thing, in any instructions: a goal that names a deed\ncannot be passed by another way. Each counter above counts one way. Operations that move ranges\n(bulk copies, copies on the device, memsets) count as warps that move 4 bytes a lane.\n\n| name | of | unit | meaning |\n|---|---|---|---|\n'
    figures DERIVED "two counters" runner/device/sim/derived.def
    figures DEED "a deed, all its ways" runner/device/sim/deeds.def
    figures LAUNCH_METRIC "the worst launch" grader/judge/metrics.def
    figures CALL_METRIC "a call, summed" grader/judge/metrics.def
    figures WHOLE_METRIC "a call as a whole" grader/judge/metrics.def
}
figures() { sed -n "s/^$1(\([a-z0-9_]*\), \"\([^\"]*\)\", .*, \"\([^\"]*\)\")\$/| \`\1\` | $2 | \2 | \3 |/p" "$3"; }
if [ "$1" = --write ]; then
    { sed '/^| counter |/,$d' docs/counters.md; table; } >docs/counters.md.new && mv docs/counters.md.new docs/counters.md
    exit
fi
rows=$(grep -c '^COUNTER(' runner/device/sim/counters.def)
if [ "$rows" -ge 40 ] && [ "$(table | sed '/^$/,$d' | wc -l)" = $((rows + 2)) ]; then echo "ok every row of counters.def has the table's form"; else echo "not ok every row of counters.def has the table's form ($rows rows)"; fi
more=$(grep -chE '^(DERIVED|DEED|LAUNCH_METRIC|CALL_METRIC|WHOLE_METRIC)\(' runner/device/sim/derived.def runner/device/sim/deeds.def grader/judge/metrics.def | paste -sd+)
more=$((more))
if [ "$more" -ge 40 ] && [ "$(table | sed '1,/^| name /d' | wc -l)" = $((more + 1)) ]; then echo "ok every row of derived.def, deeds.def and metrics.def has"; else echo "not ok every row of derived.def, deeds.def and metrics.def has ($more rows)"; fi
if diff <(table) <(sed -n '/^| counter |/,$p' docs/counters.md) >&2; then echo "ok docs/counters.md is counters.def's"; else echo "not ok docs/counters.md is counters.def's (tests/unit/counters.sh --write)"; fi
