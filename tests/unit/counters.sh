#!/bin/bash
# docs/counters.md says of every counter what runner/sim/counters.def says, and names nothing else. `tests/unit/counters.sh --write` makes its table anew.
cd "$(dirname "$0")/../.." || exit 1
table() {
    echo "| counter | unit | Nsight Compute | meaning |"
    echo "|---|---|---|---|"
    sed -n 's/^COUNTER(\([a-z0-9_]*\), "\([^"]*\)", "\([^"]*\)", "\(.*\)")$/| `\1` | \2 | `\3` | \4 |/p' runner/sim/counters.def | sed 's/`-`/none/'
}
if [ "$1" = --write ]; then
    { sed '/^| counter |/,$d' docs/counters.md; table; } >docs/counters.md.new && mv docs/counters.md.new docs/counters.md
    exit
fi
rows=$(grep -c '^COUNTER(' runner/sim/counters.def)
if [ "$rows" -ge 40 ] && [ "$(table | wc -l)" = $((rows + 2)) ]; then echo "ok every row of counters.def has the table's form"; else echo "not ok every row of counters.def has the table's form ($rows rows)"; fi
if diff <(table) <(sed -n '/^| counter |/,$p' docs/counters.md) >&2; then echo "ok docs/counters.md is counters.def's"; else echo "not ok docs/counters.md is counters.def's (tests/unit/counters.sh --write)"; fi
