# shellcheck shell=bash
# A Slurm cluster of this machine alone, for tests; read by a shell, after lib.sh. Nothing outside $T is used or changed by it, and no root is needed, but
# root gets Slurm installed where there is none (setup/install.sh --slurm).
#
#   cluster_up    starts it and sets SLURM_CONF; it ends with the test. False after a line "skip" or "not ok".
cluster_here() { command -v slurmctld && command -v slurmd && command -v sbatch && command -v munged; }
cluster_up() {
    local S=$T/slurm munge ctld d host ctld_port
    PATH=$PATH:/usr/sbin:/sbin
    if ! cluster_here >/dev/null; then
        [ "$(id -u)" = 0 ] && timeout 240 "$root/setup/install.sh" --slurm >&2
        if ! cluster_here >/dev/null; then
            skip "--slurm on a real cluster (needs slurmctld, slurmd, slurm-client and munge; they are not here and could not be installed)"
            return 1
        fi
    fi
    mkdir -p "$S/state" "$S/spool" "$S/munge"
    chmod 755 "$T" "$S"
    head -c 1024 /dev/urandom >"$S/munge/key"
    chmod 700 "$S/munge"
    chmod 400 "$S/munge/key"
    munged --force --foreground --socket="$S/munge/socket" --key-file="$S/munge/key" --pid-file="$S/munge/pid" --log-file="$S/munge/log" --seed-file="$S/munge/seed" >"$S/munged.out" 2>&1 &
    munge=$!
    host=$(hostname -s)
    ctld_port=$((20000 + $$ % 20000))
    cat >"$S/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$S/munge/socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd.pid
SlurmctldLogFile=$S/slurmctld.log
SlurmdLogFile=$S/slurmd.log
SlurmctldPort=$ctld_port
SlurmdPort=$((ctld_port + 1))
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
    # shellcheck disable=SC2064 # the processes of now
    trap "kill $d $ctld $munge 2>/dev/null; wait 2>/dev/null; rm -rf '$T'" EXIT
    for _ in $(seq 1 60); do
        sinfo -h -o %T 2>/dev/null | grep -q idle && return 0
        sleep 0.5
    done
    not_ok "a cluster of one comes up ($(tail -n 3 "$S/ctld.out" "$S/slurmctld.log" "$S/d.out" "$S/slurmd.log" 2>/dev/null | tr '\n' '|' | cut -c1-700))"
    return 1
}
