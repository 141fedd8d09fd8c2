# shellcheck shell=bash
# A Slurm cluster of this machine alone, for tests; read by a shell, after lib.sh. Nothing outside
# $T is used or changed by it, and no root is needed for one node, but root gets Slurm installed
# where there is none (setup/install.sh --slurm).
#
#   cluster_up [N]       starts it, with N nodes of a core each (node1, node2, ...: root's, for each has process ids of its own; left out: one node that has
#                        all cores), and sets SLURM_CONF; it ends with the test. False after a line "skip" or "not ok".
#   cluster_node NAME    starts this node's slurmd (again)
#   cluster_ctld         starts the controller (again)
#   cluster_kill NAME    a node loses its power: all its processes are killed, slurmd's and those it started; NAME "ctld": the controller is killed
#   cluster_idle N       waits until N nodes are up and idle
cluster_here() { command -v slurmctld && command -v slurmd && command -v sbatch && command -v munged; }
declare -A cluster_pid=()
cluster_nodes=
cluster_node() {
    local own=()
    [ -z "$cluster_nodes" ] || own=(unshare --pid --mount --fork --kill-child --mount-proc)
    "${own[@]}" slurmd -D -f "$SLURM_CONF" -N "$1" >>"$T/slurm/$1.out" 2>&1 &
    cluster_pid[$1]=$!
}
cluster_ctld() {
    slurmctld -D -f "$SLURM_CONF" >>"$T/slurm/ctld.out" 2>&1 &
    cluster_pid[ctld]=$!
}
cluster_kill() { # unshare takes its namespace with it
    kill -KILL "${cluster_pid[$1]}" && wait "${cluster_pid[$1]}" 2>/dev/null
    unset "cluster_pid[$1]"
}
cluster_down() {
    local name how=TERM
    [ -z "$cluster_nodes" ] || how=KILL # unshare does not hear of less
    for name in "${!cluster_pid[@]}"; do [ "$name" = munge ] || kill -$how "${cluster_pid[$name]}" 2>/dev/null; done
    kill "${cluster_pid[munge]}" 2>/dev/null
    wait "${cluster_pid[@]}" 2>/dev/null # not for what waits for them
    rm -rf "$T"
}
cluster_idle() {
    for _ in $(seq 1 60); do
        [ "$(sinfo -h -N -o '%N %T' 2>/dev/null | grep -c 'idle$')" = "$1" ] && return 0
        sleep 0.5
    done
    false
}
cluster_up() {
    local S=$T/slurm host port k nodes
    PATH=$PATH:/usr/sbin:/sbin
    if ! cluster_here >/dev/null; then
        [ "$(id -u)" = 0 ] && timeout 240 "$root/setup/install.sh" --slurm >&2
        if ! cluster_here >/dev/null; then
            skip "--slurm on a real cluster (needs slurmctld, slurmd, slurm-client and munge; they are not here and could not be installed)"
            return 1
        fi
    fi
    mkdir -p "$S/state" "$S/munge"
    chmod 755 "$T" "$S"
    head -c 1024 /dev/urandom >"$S/munge/key"
    chmod 700 "$S/munge"
    chmod 400 "$S/munge/key"
    munged --force --foreground --socket="$S/munge/socket" --key-file="$S/munge/key" --pid-file="$S/munge/pid" --log-file="$S/munge/log" --seed-file="$S/munge/seed" >"$S/munged.out" 2>&1 &
    cluster_pid[munge]=$!
    trap cluster_down EXIT
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    cluster_nodes=${1-}
    if [ -z "$cluster_nodes" ]; then
        nodes="NodeName=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) State=UNKNOWN"
    else
        nodes="NodeName=node[1-$1] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + $1))] CPUs=1 State=UNKNOWN"
    fi
    cat >"$S/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$S/munge/socket
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool-%n
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd-%n.pid
SlurmctldLogFile=$S/slurmctld.log
SlurmdLogFile=$S/slurmd-%n.log
SlurmctldPort=$port
SlurmdTimeout=10
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
$nodes
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$S/slurm.conf
    sleep 1
    cluster_ctld
    for k in $(if [ -z "$cluster_nodes" ]; then echo "$host"; else seq -f node%g "$1"; fi); do
        mkdir -p "$S/spool-$k"
        cluster_node "$k"
    done
    cluster_idle "${1:-1}" && return 0
    not_ok "a cluster of ${1:-one} comes up ($(tail -n 3 "$S"/*.out "$S"/*.log 2>/dev/null | tr '\n' '|' | cut -c1-700))"
    return 1
}
