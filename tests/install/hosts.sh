#!/bin/bash
# slow: make test FAST=1 leaves it out
# Two hosts at once on one home: two sets of namespaces with names, process ids and networks of
# their own, in which both processes of a pair have the same ids. They share progress, the cache of
# builds and a batch's folder. File locks are one kernel's here: what NFS makes of them is not
# shown.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ "$(id -u)" = 0 ] || { skip "two hosts at once (makes namespaces: needs root)"; finish; }
cat >"$T/host" <<'EOF2'
#!/bin/bash
# host NAME COMMAND...: on a host of that name
name=$1
shift
exec unshare --uts --net --pid --mount --ipc --fork --kill-child --mount-proc bash -c 'hostname "$1"; shift; "$@"' _ "$name" "$@"
EOF2
chmod +x "$T/host"
host() { "$T/host" "$@"; }
one=$(host one sh -c 'echo $$ $(uname -n)' 2>"$T/err") two=$(host two sh -c 'echo $$ $(uname -n)' 2>>"$T/err")
case $one:$two in
[0-9]*" one:"[0-9]*" two") ok "two hosts ($one, $two)" ;;
*) skip "two hosts at once (no namespaces: $(tail -n 1 "$T/err"))"; finish ;;
esac
is "${one% *}" "${two% *}" "with the same process ids"
# both COMMAND...: on both at once; statuses in $first and $second, outputs in $T/one and $T/two.
# HOST tells which.
both() {
    local a b
    HOST=one host one timeout 120 "$@" >"$T/one" 2>&1 </dev/null &
    a=$!
    HOST=two host two timeout 120 "$@" >"$T/two" 2>&1 </dev/null &
    b=$!
    wait $a; first=$?
    wait $b; second=$?
    out=$(cat "$T/one" "$T/two")
}

# ---- progress: each writes forty notes at its prompt ----
cat >"$T/notes" <<'EON'
{ echo "start hello"; for i in $(seq 40); do echo "note $HOST writes $i"; done; echo quit; } | "$1"
EON
both bash "$T/notes" "$W"
is "$first $second" "0 0" "two prompts at once"
db=$XDG_DATA_HOME/warplab/progress.db
count() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$db" "$1" 2>&1; }
is "$(count "select count(distinct text) from note where text like 'one writes %'") $(count "select count(distinct text) from note where text like 'two writes %'")" "40 40" "both hosts' notes are kept"
is "$(count "pragma integrity_check")" ok "the database is whole"
# While one host holds the database, the other says what it could not keep, and goes on.
host one python3 -c '
import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("begin exclusive")
print("held", flush=True)
time.sleep(9)
c.execute("rollback")' "$db" >"$T/held" &
holder=$!
for _ in $(seq 50); do grep -q held "$T/held" && break; sleep 0.1; done
run "$T/host" two bash -c 'printf "start hello\nnote while held\nquit\n" | "$1"' _ "$W"
status_is 0 "a database that another host holds: the prompt goes on"
case $out in *locked*) ok "a database that another host holds: it says so" ;; *) not_ok "a database that another host holds: it says so ($(cut_text))" ;; esac
wait $holder

# ---- the cache of builds ----
. tests/nvcc.sh
[ -n "$nvcc" ] || { skip "grading on two hosts (there is no nvcc)"; finish; }
export XDG_CACHE_HOME=$T/cache
both "$W" grade hello answers/hello.cu --device sim:h200
is "$first $second" "0 0" "two gradings at once, of one file and an empty cache: the answer passes"
both "$W" grade hello labs/hello.cu --device sim:h200
is "$first $second" "1 1" "and the skeleton fails"
is "$(find "$T/cache" -name 'scratch-*' | wc -l)" 0 "nothing half-made is left"

# ---- one folder of a batch ----
for who in ann bob cy dan; do mkdir -p "$T/in/$who"; cp answers/hello.cu "$T/in/$who/"; done
cp labs/hello.cu "$T/in/bob/"
batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 4 --quiet --out)
both "${batch[@]}" "$T/shared"
case "$first $second" in
"0 0") ok "two batches into one folder: one after the other" ;;
"0 3" | "3 0") has "another batch is at work" "two batches into one folder: one works, the other says so" ;;
*) not_ok "two batches into one folder ($first $second: $(cut_text))" ;;
esac
LIMIT=120 run "${batch[@]}" "$T/plain"
status_is 0 "the same on one host"
diff -r "$T/shared/records" "$T/plain/records" >"$T/diff" && ok "the same records, byte for byte" || not_ok "the same records, byte for byte ($(grep "^[<>]" "$T/diff" | head -c 600))"
# As a cluster does it: a part of the batch on each host, at once. sbatch is played.
mkdir "$T/bin"
cat >"$T/bin/sbatch" <<EOS
#!/bin/bash
for script; do :; done
SLURM_ARRAY_TASK_ID=0 "$T/host" node0 sh "\$script" & a=\$!
SLURM_ARRAY_TASK_ID=1 "$T/host" node1 sh "\$script" & b=\$!
wait \$a && wait \$b
EOS
chmod +x "$T/bin/sbatch"
LIMIT=120 run env PATH="$T/bin:$PATH" "${batch[@]}" "$T/parts" --slurm --tasks 2
status_is 0 "a batch in two parts, a host each"
diff -r "$T/parts/records" "$T/plain/records" >"$T/diff" && ok "the same records, byte for byte, in two parts" || not_ok "the same records, byte for byte, in two parts ($(grep "^[<>]" "$T/diff" | head -c 600))"
finish
