#!/bin/bash
# A course on a cluster that fails: N submissions (N=200; N=10000 tests/grade/scale.sh is the large
# form) graded by a real slurmctld and two nodes of this machine, of which one loses its power and
# comes back, and the controller is killed and started again. What must hold: nobody has to do
# anything but start the batch again where it says so, and no record is lost or different from those
# of a batch without a cluster; what a submission costs does not grow with how many there are.
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
# Processor time, which a busy machine disturbs less than what passes: of the batch and all that it
# started and that has ended, read at every tenth of the records.
cat >"$T/pace.py" <<'PY'
import os, subprocess, sys, time
n, records, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
p = subprocess.Popen(command, stdin=subprocess.DEVNULL)
marks, tick = [], os.sysconf("SC_CLK_TCK")
def spent():
    fields = open(f"/proc/{p.pid}/stat").read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / tick  # user and system, its own and its children's
while p.poll() is None:
    have = len(os.listdir(records)) if os.path.isdir(records) else 0
    if have >= (len(marks) + 1) * n / 11 and len(marks) < 10:
        marks.append((have, spent()))
    time.sleep(0.05 if n < 1000 else 0.5)
parts = [1000 * (b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(marks, marks[1:]) if b[0] > a[0]]
print("PACE " + " ".join(f"{x:.0f}" for x in parts))
sys.exit(p.returncode)
PY
begin=$(date +%s.%N)
run python3 "$T/pace.py" "$N" "$T/plain/records" "${batch[@]}" "$T/plain" -j 2
status_is 0 "without a cluster"
has "$N submissions: $N graded" "all are graded"
pace=$(sed -n 's/^PACE //p' "$T/out")
echo "# without a cluster: $(python3 -c "import time; print(f'{$N / (time.time() - $begin):.1f}')") submissions a second, report and gradebook included; milliseconds of processor time each, from the first to the last: $pace"
python3 - "$pace" <<'PY' && ok "what a submission costs does not grow: the last three parts at most 1.3 times the first three" || not_ok "what a submission costs does not grow ($pace)"
import statistics, sys
x = [float(w) for w in sys.argv[1].split()]
sys.exit(not (len(x) >= 6 and statistics.median(x[-3:]) <= 1.3 * statistics.median(x[:3])))
PY

# ---- with one ----
cluster_up 2 || finish
ok "a cluster of two nodes comes up"
records() { find "$T/shared/records" -name '*.json' 2>/dev/null | wc -l; }
reach() { # COUNT: waits until there are so many records, or the batch has ended
    while [ "$(records)" -lt "$1" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
    [ "$(records)" -ge "$1" ]
}
below() { local p; for p in $(ps -o pid= --ppid "$1"); do below "$p"; echo "$p"; done; } # a process's children and theirs
begin=$(date +%s.%N)
timeout "$LIMIT" "${batch[@]}" "$T/shared" --slurm --tasks 8 >"$T/slurm.txt" 2>&1 </dev/null &
pid=$!
# shellcheck disable=SC2046 # words
trap 'kill -KILL $(below $pid) $pid 2>/dev/null; cluster_down' EXIT # the batch goes before the cluster that it waits for
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
# A controller that was killed between a launch and writing it down launches once more, drains the
# node that has the job already and holds the job: what whoever runs a cluster does then.
while kill -0 $pid 2>/dev/null; do
    sinfo -h -N -o '%N %T' 2>/dev/null | awk '$2 ~ /^drain/ { print $1 }' | xargs -rI{} scontrol update NodeName={} State=RESUME
    squeue -h -r -o '%i %r' 2>/dev/null | awk '/held/ { print $1 }' | xargs -r scontrol release
    sleep 2
done
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
