#!/bin/bash
# slow
# timeout: 600
# waits
# --slurm on a real slurmctld and slurmd of this machine alone: the records are those of a batch without a cluster, a task that dies is said, and the
# batch is carried on. Needs Debian's slurmctld, slurmd, slurm-client and munge: root gets them
# installed, anyone else is told; nothing outside the test's own folder is used or changed by the
# cluster, and no root is needed to run it.
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

# Task 0 has ann and cy, task 1 bob and dan, of whom dan takes his eight seconds.
begun() { # OUT: the batch in the background, its process in $pid
    "${batch[@]}" "$1" --slurm --tasks 2 >"$1.txt" 2>&1 &
    pid=$! said=$1.txt
}
until_there() { # WHAT COMMAND...: waits until the command has an output; it is in $found. A minute at most
    local what=$1
    shift
    for _ in $(seq 1 300); do
        found=$("$@" 2>/dev/null) && [ -n "$found" ] && return
        sleep 0.2
    done
    not_ok "$what ($(tr '\n' '|' <"$said" | cut -c1-600))"
}
ended() { # OUT: what it came to
    wait $pid
    status=$? out=$(cat "$1.txt")
}
again() { # OUT NAME
    run "${batch[@]}" "$1" --slurm --tasks 2
    status_is 0 "$2: submitted again it comes to its end"
    diff -r "$1/records" "$T/plain-out/records" >"$T/diff" && ok "$2: with the same records, byte for byte" || not_ok "$2: with the same records, byte for byte ($(head -c 300 "$T/diff"))"
}

# ---- a task that is killed, while dan's program runs ----
begun "$T/killed-out"
until_there "bob's record" grep -l '"student": "bob"' -r "$T/killed-out/records"
job=$(squeue -h -r -n warplab -t running -o '%K %i' | sed -n 's/^1 //p')
scancel --signal=KILL --batch "$job" 2>"$T/scancel.err" && ok "a task is killed" || not_ok "a task is killed (job '$job': $(cat "$T/scancel.err"))"
ended "$T/killed-out"
status_is 3 "a task that was killed: not all is graded"
has "a task failed or was cancelled" "a task that was killed: said so"
has "Without a record: 1 of 4 submissions; see $T/killed-out/slurm" "how much is left, and where to look"
is "$(grep -l '"student": "dan"' -r "$T/killed-out/records")" "" "nothing is said to be graded that was not"
again "$T/killed-out" "a task that was killed"

# ---- a task that is cancelled before it begins: sbatch --wait then ends well ----
node=$(sinfo -h -N -o %N | head -n 1)
scontrol update NodeName="$node" State=DRAIN Reason=test
begun "$T/cancelled-out"
until_there "both tasks wait" squeue -h -r -n warplab -t pending -o '%K %i'
[ "$(echo "$found" | wc -l)" = 2 ] && ok "both tasks wait" || not_ok "both tasks wait ($found)"
scancel "$(echo "$found" | sed -n 's/^1 //p')" && ok "the second one is cancelled" || not_ok "the second one is cancelled ($found)"
scontrol update NodeName="$node" State=RESUME
ended "$T/cancelled-out"
status_is 3 "a task that was cancelled: not all is graded"
has "4 submissions: 2 graded" "a task that was cancelled: what the other did is gathered"
has "a task failed or was cancelled" "and so is said"
has "Without a record: 2 of 4 submissions; see $T/cancelled-out/slurm" "how much is left, and where to look, there too"
again "$T/cancelled-out" "a task that was cancelled"

run "${batch[@]}" "$T/bad" --slurm --slurm-partition 'main;id'
status_is 3 "a partition that is no name is refused"
run "${batch[@]}" "$T/bad" --slurm --slurm-partition nosuch
status_is 3 "a partition that is not there"
finish
