#!/bin/bash
# slow
# timeout: 600
# --slurm on a real slurmctld and slurmd of this machine alone: the records are those of a batch without a cluster, a task that dies is said, and the
# batch is carried on. Needs Debian's slurmctld, slurmd, slurm-client and munge: root gets them installed, anyone else is told; nothing outside the
# test's own folder is used or changed by the cluster, and no root is needed to run it.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=200
mkdir -p "$T/in/ann" "$T/in/bob" "$T/in/cy" "$T/in/dan"
cp answers/vector-add.cu "$T/in/ann/"
cp labs/vector-add.cu "$T/in/bob/"
cp answers/traps/vector-add/one-thread.cu "$T/in/cy/vector-add.cu"
cp tests/grade/cheats/17-endless-host.cu "$T/in/dan/vector-add.cu" # keeps a task busy until its time limit
batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 4 --time-limit 8 --quiet --out)

# ---- without Slurm ----
mkdir "$T/bin"
ln -s /usr/bin/* "$T/bin/"
rm -f "$T/bin/sbatch"
run env PATH="$T/bin" "${batch[@]}" "$T/none" --slurm
status_is 3 "without Slurm: could not grade"
has "Is Slurm installed" "without Slurm: says so"

. "$root/tests/cluster.sh"
cluster_up || finish
ok "a cluster of one comes up"

run "${batch[@]}" "$T/slurm-out" --slurm --tasks 2 --slurm-partition main
status_is 0 "--slurm comes to its end"
has "4 submissions: 4 graded" "--slurm: all are graded ($(cat "$T/slurm-out/slurm/"*.log 2>/dev/null | tail -n 3 | tr '\n' '|'))"
is "$(grep -c 'WEXITSTATUS [1-9]' "$T/slurm/slurmctld.log") $(cat "$T/slurm-out/slurm"/task-*.log | grep -c 'not recognised')" "0 0" "no task that did its part is a failed one"
run "${batch[@]}" "$T/plain-out"
status_is 0 "the same without a cluster"
diff -r "$T/slurm-out/records" "$T/plain-out/records" >"$T/diff" && ok "the same records, byte for byte" || not_ok "the same records, byte for byte ($(head -c 300 "$T/diff"))"
[ -s "$T/slurm-out/reports/index.html" ] && ok "reports are gathered" || not_ok "reports are gathered"

# ---- a task that is killed ----
"${batch[@]}" "$T/killed-out" --slurm --tasks 2 >"$T/killed.txt" 2>&1 &
pid=$!
running() { squeue -h -r -t running -o %A 2>/dev/null | tail -n 1; }
job=
for _ in $(seq 1 100); do
    job=$(running) && [ -n "$job" ] && [ -e "$T/killed-out/records" ] && break
    sleep 0.2
done
sleep 1
scancel --signal=KILL --full "$job" 2>"$T/scancel.err" && ok "a task is killed" || not_ok "a task is killed (job '$job': $(cat "$T/scancel.err"))"
scancel -n warplab 2>/dev/null
wait $pid
status=$? out=$(cat "$T/killed.txt")
status_is 3 "a task that was killed: not all is graded"
has "a task failed" "a task that was killed: said so, and where to look"
run "${batch[@]}" "$T/killed-out" --slurm --tasks 2
status_is 0 "submitted again it comes to its end"
diff -r "$T/killed-out/records" "$T/plain-out/records" >"$T/diff" && ok "with the same records, byte for byte" || not_ok "with the same records, byte for byte ($(head -c 300 "$T/diff"))"

run "${batch[@]}" "$T/bad" --slurm --slurm-partition 'main;id'
status_is 3 "a partition that is no name is refused"
run "${batch[@]}" "$T/bad" --slurm --slurm-partition nosuch
status_is 3 "a partition that is not there"
finish
