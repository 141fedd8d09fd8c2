#!/bin/bash
# slow
# timeout: 300
# --slurm on a real slurmctld and slurmd of this machine alone: the records are those of a batch without a cluster. Needs root, Debian's
# slurm-wlm and munge; where they are not there, only the message about a missing sbatch is looked at.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=200
mkdir -p "$T/in/ann" "$T/in/bob" "$T/in/cy"
cp answers/vector-add.cu "$T/in/ann/"
cp labs/vector-add.cu "$T/in/bob/"
cp answers/traps/vector-add/one-thread.cu "$T/in/cy/vector-add.cu"
batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 4 --quiet --out)

if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null || [ "$(id -u)" != 0 ]; then
    if ! command -v sbatch >/dev/null; then
        run "${batch[@]}" "$T/none" --slurm
        status_is 3 "without Slurm: could not grade"
        has "Is Slurm installed" "without Slurm: says so"
    else
        ok "not root, or only a part of Slurm is here: not tested"
    fi
    finish
fi

# ---- a cluster of one ----
S=$T/slurm
mkdir -p "$S/state" "$S/spool" "$S/munge"
chmod 755 "$T" "$S"
head -c 1024 /dev/urandom >"$S/munge/key"
chmod 700 "$S/munge"
chmod 400 "$S/munge/key"
munged --force --foreground --socket="$S/munge/socket" --key-file="$S/munge/key" --pid-file="$S/munge/pid" --log-file="$S/munge/log" --seed-file="$S/munge/seed" >"$S/munged.out" 2>&1 &
munge=$!
host=$(hostname -s)
cat >"$S/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$S/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd.pid
SlurmctldLogFile=$S/slurmctld.log
SlurmdLogFile=$S/slurmd.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$S/slurm.conf
sleep 1
slurmctld -D -f "$SLURM_CONF" >"$S/ctld.out" 2>&1 &
ctld=$!
slurmd -D -f "$SLURM_CONF" -N "$host" >"$S/d.out" 2>&1 &
d=$!
trap 'kill $d $ctld $munge 2>/dev/null; wait 2>/dev/null; rm -rf "$T"' EXIT
up=
for _ in $(seq 1 60); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && up=1 && break
    sleep 0.5
done
if [ -z "$up" ]; then
    not_ok "a cluster of one comes up ($(tail -n 3 "$S/ctld.out" "$S/slurmctld.log" "$S/d.out" "$S/slurmd.log" 2>/dev/null | tr '\n' '|' | cut -c1-700))"
    finish
fi
ok "a cluster of one comes up"

run "${batch[@]}" "$T/slurm-out" --slurm --tasks 2 --slurm-partition main
status_is 0 "--slurm comes to its end"
has "3 submissions: 3 graded" "--slurm: all are graded ($(cat "$T/slurm-out/slurm/"*.log 2>/dev/null | tail -n 3 | tr '\n' '|'))"
run "${batch[@]}" "$T/plain-out"
status_is 0 "the same without a cluster"
diff -r "$T/slurm-out/records" "$T/plain-out/records" >"$T/diff" && ok "the same records, byte for byte" || not_ok "the same records, byte for byte ($(head -c 300 "$T/diff"))"
[ -s "$T/slurm-out/reports/index.html" ] && ok "reports are gathered" || not_ok "reports are gathered"
run "${batch[@]}" "$T/bad" --slurm --slurm-partition 'main;id'
status_is 3 "a partition that is no name is refused"
run "${batch[@]}" "$T/bad" --slurm --slurm-partition nosuch
status_is 3 "a partition that is not there"
finish
