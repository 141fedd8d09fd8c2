#!/bin/bash
# A course on a cluster that fails: N submissions (N=200; N=10000 tests/grade/scale.sh is the large form) graded by a real slurmctld and two nodes of this machine, of
# which one loses its power and comes back, and the controller is killed and started again. What must hold: nobody has to do anything but start the batch again
# where it says so, and no record is lost or different from those of a batch without a cluster. What a submission costs in the first and in the last tenth is said.
# timeout: 3600
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
N=${N:-200}
LIMIT=$((N * 4 + 900)) # a task of a dead node waits two minutes
[ -n "${FULL-}" ] || { skip "$N submissions on a cluster that fails (minutes: FULL=1)"; finish; }
[ "$(id -u)" = 0 ] || { skip "$N submissions on a cluster that fails (nodes with process ids of their own: needs root)"; finish; }
. "$root/tests/cluster.sh"

# ---- N students; eight different files, so that compiling is not what is measured ----
quick='hello'
for k in 0 1 2 3 4 5 6 7; do
    (cat "$([ $((k % 2)) = 0 ] && echo answers || echo labs)/$quick.cu" && echo "// $k") >"$T/file$k.cu"
done
for i in $(seq -w 1 "$N"); do
    mkdir -p "$T/in/s$i"
    cp "$T/file$((10#$i % 8)).cu" "$T/in/s$i/$quick.cu"
done
batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 4 --quiet --out)

# ---- without a cluster, uninterrupted: the records to be had, and what one costs ----
begin=$(date +%s.%N)
run "${batch[@]}" "$T/plain" -j 2
status_is 0 "without a cluster"
has "$N submissions: $N graded" "all are graded"
python3 - "$T/plain/records" "$begin" <<'PY' >"$T/pace" 2>&1
import os, sys
at = sorted(os.stat(f.path).st_mtime_ns / 1e9 for f in os.scandir(sys.argv[1]))
n = max(2, len(at) // 10)
pace = lambda part: (len(part) - 1) / max(part[-1] - part[0], 1e-9)
# The first eight compile; they are no submission's cost.
first, last = pace(at[8:8 + n]), pace(at[-n:])
print(f"{first:.1f} {last:.1f} {len(at) / (at[-1] - float(sys.argv[2])):.1f}")
PY
read -r first last all <"$T/pace"
echo "# without a cluster: submissions a second: $first in the first tenth, $last in the last, $all over all; report and gradebook included: $(python3 -c "import time; print(f'{$N / (time.time() - $begin):.1f}')")"

# ---- with one ----
cluster_up 2 || finish
ok "a cluster of two nodes comes up"
records() { find "$T/shared/records" -name '*.json' 2>/dev/null | wc -l; }
reach() { # COUNT: waits until there are so many records, or the batch has ended
    while [ "$(records)" -lt "$1" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
    [ "$(records)" -ge "$1" ]
}
begin=$(date +%s.%N)
timeout "$LIMIT" "${batch[@]}" "$T/shared" --slurm --tasks 8 >"$T/slurm.txt" 2>&1 </dev/null &
pid=$!
reach $((N / 8)) && ok "an eighth is graded" || not_ok "an eighth is graded ($(tr '\n' '|' <"$T/slurm.txt"))"
cluster_kill node2
at=$(records)
[ "$at" -lt "$N" ] && ok "a node loses its power at $at of $N" || not_ok "a node loses its power before the end"
reach $((N / 4))
cluster_kill ctld
at=$(records)
sleep 5
kill -0 "$pid" 2>/dev/null && ok "the controller is killed at $at of $N: the batch waits" || not_ok "the controller is killed at $at of $N: the batch waits ($(tr '\n' '|' <"$T/slurm.txt"))"
cluster_ctld
cluster_node node2
wait $pid
status=$? out=$(cat "$T/slurm.txt")
again=0
while [ $status = 3 ] && [ $again -lt 3 ]; do
    echo "# ended with: $(cut_text)"
    again=$((again + 1))
    run "${batch[@]}" "$T/shared" --slurm --tasks 8
done
status_is 0 "it comes to its end, started again $again times"
has "$N submissions: $N graded" "all are graded"
echo "# on the cluster: $(python3 -c "import time; print(f'{$N / (time.time() - $begin):.1f}')") submissions a second, failures included"
diff -r "$T/shared/records" "$T/plain/records" >"$T/diff" && ok "the same records, byte for byte" || not_ok "the same records, byte for byte ($(head -c 300 "$T/diff"))"
is "$(ls "$T/shared/records" | sort -u | wc -l)" "$N" "one a student"
export_() { "$W" gradebook export "$1" --csv "$2" >/dev/null 2>&1; }
export_ "$T/shared" "$T/a.csv"
export_ "$T/plain" "$T/b.csv"
[ -s "$T/a.csv" ] && cmp "$T/a.csv" "$T/b.csv" && ok "the same book" || not_ok "the same book"
finish
