#!/bin/bash
# slow
# timeout: 1200
# A batch on the real device, a tenth of it hostile (at least one of each kind): graded once without
# a break, and once, with a cache of its own, killed with SIGKILL at random moments and started
# again. The records must be the same bytes, nothing that was done may be done again, and nothing
# may stay behind: no process, no scratch, no cgroup.
#
#   SIZE=200 KILLS=10 SEED=1 tests/grade/batch.sh
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
N=${SIZE:-18} KILLS=${KILLS:-3} SEED=${SEED:-$$}
LIMIT=3600
RANDOM=$SEED
echo "# $N submissions, $KILLS kills, SEED=$SEED"

# ---- the submissions ----
kinds=(17-fork-bomb 17-disk 17-endless-host 17-output-flood 22-aborts huge templates 17-endless-kernel)
good=(answers/vector-add.cu labs/vector-add.cu answers/traps/vector-add/one-thread.cu answers/traps/vector-add/ragged.cu)
hostile=$((N / 10 > ${#kinds[@]} ? N / 10 : ${#kinds[@]}))
deep='template <int N> struct deep { static const int value = deep<N - 1>::value + 1; };
template <> struct deep<0> { static const int value = 0; };
template <int N, int M> struct wide { static const int value = wide<N - 1, 2 * M>::value + wide<N - 1, 2 * M + 1>::value; };
template <int M> struct wide<0, M> { static const int value = M; };
int v = deep<100000>::value + wide<30, 1>::value;
void vector_add(const float *, const float *, float *, int) {}'
h=0
for i in $(seq 1 "$N"); do
    if [ $((i * hostile / N)) -gt $h ]; then
        kind=${kinds[$((h % ${#kinds[@]}))]}
        h=$((h + 1))
        file=$T/in/bad$(printf %03d "$i")/vector-add.cu
        mkdir -p "${file%/*}"
        case $kind in
        huge) head -c 10485760 /dev/zero | tr '\0' '/' >"$file" ;;
        templates) echo "$deep // $i" >"$file" ;;
        *) { cat "tests/grade/cheats/$kind.cu"; echo "// $i"; } >"$file" ;;
        esac
    else
        # each its own file, so that each is compiled
        file=$T/in/good$(printf %03d "$i")/vector-add.cu
        mkdir -p "${file%/*}"
        { cat "${good[$(((i - h - 1) % ${#good[@]}))]}"; echo "// $i"; } >"$file"
    fi
done
batch=("$W" grade --batch "$T/in" --jobs "$(nproc)" --device sim:h200 --seed 11 --time-limit 3 --compile-limit 4 --quiet --out)

# ---- without a break ----
XDG_CACHE_HOME="$T/cache1" "$W" grade vector-add answers/vector-add.cu --device sim:h200 >"$T/warm" 2>&1 || not_ok "the answer passes ($(head -c 300 "$T/warm"))"
export XDG_CACHE_HOME="$T/cache1"
begin=$(date +%s%N)
run "${batch[@]}" "$T/whole"
took=$((($(date +%s%N) - begin) / 1000000))
status_is 0 "a batch of $N with hostile ones comes to its end"
echo "# $N submissions, $h of them hostile, in $took ms: $(cut_text)"
is "$(find "$T/whole/records" -type f | wc -l)" "$N" "one record a submission"
run "$W" gradebook export "$T/whole" --json "$T/book.json"
is "$(json "$T/book.json" 'sorted({r["state"] for r in j if r["student"].startswith("good")})')" "['graded']" "a good submission is graded, whatever its neighbours do"
is "$(json "$T/book.json" 'len([r for r in j if r["verdict"] == "pass"]) >= len(j) // 5')" True "the answers pass"
is "$(json "$T/book.json" 'sorted({(r["verdict"], r["state"]) for r in j if r["student"].startswith("bad")})')" "[('fail', 'graded'), ('ungradable', 'ungradable')]" \
    "every hostile one fails or cannot be graded"
is "$(json "$T/book.json" 'all(r["score"] is None for r in j if r["state"] != "graded")')" True "what is not graded has no score"
is "$(ls -A "$T/whole/work" 2>&1 | wc -l)" 0 "no scratch is left"
is "$(find "$T/whole/submissions" -type f -printf '%m\n' | sort -u)" 400 "the copies are read-only"

# ---- zombies ----
# zombies.py COMMAND...: the most of its children, and of theirs, that had ended and lay there for
# half a second: nobody had waited for them.
cat >"$T/zombies.py" <<'PY'
import os, subprocess, sys, time
def zombies(top):
    parent, ended = {}, set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        parent[int(name)] = int(state[1])
        if state[0] == "Z":
            ended.add(int(name))
    def below(pid):
        while pid in parent and pid != top:
            pid = parent[pid]
        return pid == top
    return {z for z in ended if z != top and below(z)}
p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
most, since = 0, {}
while p.poll() is None:
    since = {z: since.get(z, time.time()) for z in zombies(p.pid)}
    most = max(most, sum(time.time() - t > 0.5 for t in since.values()))
    time.sleep(0.1)
print(most if p.returncode == 0 else f"status {p.returncode}")
PY
for i in 1 2 3 4 5 6 7 8; do
    mkdir -p "$T/eight/student$i"
    cp answers/vector-add.cu "$T/eight/student$i/vector-add.cu" # compiled above
done
is "$(python3 "$T/zombies.py" "$W" grade --batch "$T/eight" --jobs 2 --device sim:h200 --seed 11 --quiet --out "$T/eight.out")" 0 "a batch of eight waits for all that ends below it"

# ---- killed and carried on ----
# kill.py GOAL SECONDS COMMAND...: kills it that time after its folder (the last word) has so many
# records, then waits for whatever it started: orphans come to this process.
cat >"$T/kill.py" <<'PY'
import ctypes, glob, os, signal, subprocess, sys, time
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
goal, delay, records = int(sys.argv[1]), float(sys.argv[2]), sys.argv[-1] + "/records"
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while p.poll() is None and (len(glob.glob(records + "/*.json")) < goal):
    time.sleep(0.02)
try:
    print("ended", p.wait(delay))
except subprocess.TimeoutExpired:
    p.send_signal(signal.SIGKILL)
    p.wait()
    print("killed")
end = time.time() + 10
left = True
while left and time.time() < end:
    try:
        if os.waitpid(-1, os.WNOHANG) == (0, 0):
            time.sleep(0.05)
    except ChildProcessError:
        left = False
print("LEFT" if left else "clean")
if left:
    subprocess.call(["ps", "-o", "pid,stat,args", "--ppid", str(os.getpid())])
PY
# A cache of its own, in which what compiles is compiled again; what the compiler gave up on stays,
# a quarter of a minute of its time.
cp -r "$T/cache1" "$T/cache2"
find "$T/cache2/warplab/build" -name program -printf '%h\0' | xargs -0 rm -r
export XDG_CACHE_HOME="$T/cache2"
killed=0 unclean=0 half=0
: >"$T/before"
for k in $(seq 1 "$KILLS"); do
    # At a random moment after so many records, however fast the machine is just now: the last break
    # leaves a quarter to do.
    goal=$((N * 3 * (k - 1) / (4 * KILLS) + RANDOM % (1 + N * 3 / (4 * KILLS)))) after=$((RANDOM % 1000))
    said=$(python3 "$T/kill.py" $goal "0.$(printf %03d $after)" "${batch[@]}" "$T/broken")
    echo "# $k: $after ms after $goal records, $(find "$T/broken/records" -name '*.json' 2>/dev/null | wc -l) records: $(echo "$said" | tr '\n' ' ')"
    case $said in *killed*) killed=$((killed + 1)) ;; esac
    case $said in *LEFT*) unclean=$((unclean + 1)) ;; esac
    # Whatever is there is there whole, and what was there before is the same file.
    for r in "$T/broken/records"/*.json; do
        [ ! -e "$r" ] || python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$r" 2>/dev/null || half=$((half + 1))
    done
    find "$T/broken/records" -name '*.json' -printf '%f %T@ %i\n' 2>/dev/null | sort >"$T/after"
    [ "$(comm -23 "$T/before" "$T/after" | wc -l)" = 0 ] || not_ok "kill $k: no record that was there was written again ($(comm -23 "$T/before" "$T/after" | head -2))"
    mv "$T/after" "$T/before"
done
[ "$killed" -ge $(((KILLS + 1) / 2)) ] && ok "it was killed $killed times" || not_ok "it was killed only $killed times"
is $unclean 0 "nothing that it had started outlived it by ten seconds"
is $half 0 "every record is whole"
run "${batch[@]}" "$T/broken"
status_is 0 "started again it comes to its end"
find "$T/broken/records" -name '*.json' -printf '%f %T@ %i\n' | sort >"$T/after"
is "$(comm -23 "$T/before" "$T/after" | wc -l)" 0 "no record that was there was written again"
if diff -r "$T/whole/records" "$T/broken/records" >"$T/diff"; then ok "its records are those of the unbroken run, byte for byte"; else
    not_ok "its records are those of the unbroken run, byte for byte ($(grep '^[<>]' "$T/diff" | cut -c1-250 | head -4 | tr '\n' '|'))"
fi
run "${batch[@]}" "$T/broken"
has "$N were done before" "once more: everything was done before"
is "$(find "$T/broken" -name '*.tmp*')" "" "no half-written file is left"
is "$(ls -A "$T/broken/work")" "" "no scratch is left"
"$W" grade vector-add "$T/in/good001/vector-add.cu" --device sim:h200 --seed 99 >/dev/null 2>&1
echo "// one more" >>"$T/in/good001/vector-add.cu"
"$W" grade vector-add "$T/in/good001/vector-add.cu" --device sim:h200 >/dev/null 2>&1
is "$(ls -A "$T/cache2/warplab/tmp")" "" "the next compile has swept what killed ones left"
groups() { find /sys/fs/cgroup /sys/fs/cgroup/memory /sys/fs/cgroup/pids -maxdepth 1 -name 'warplab-*' -not -newermt '-12 seconds' -exec sh -c '[ -s "$1/cgroup.procs" ] || [ -n "$(cat "$1/cgroup.procs" 2>/dev/null)" ] || echo "$1"' _ {} \; 2>/dev/null; }
# Other tests' groups come and go beside this one: what is left is what the sweep leaves every time.
sleep 13
for k in 1 2 3 4 5; do
    "$W" doctor --no-probe >/dev/null
    groups >"$T/left"
    [ $k = 1 ] || grep -Fxf "$T/left.before" "$T/left" >"$T/both"
    mv "$T/left" "$T/left.before"
    [ $k = 1 ] || [ -s "$T/both" ] || break
    sleep 1
done
is "$(cat "$T/both")" "" "no cgroup is left"

# ---- reports ----
[ -s "$T/whole/reports/index.html" ] && ok "the course's page" || not_ok "the course's page"
run "$W" gradebook compare "$T/whole" "$T/broken"
status_is 0 "compare: two gradings that are the same"
has "$N the same, 0 differ." "compare: says so"
run "$W" gradebook list "$T/whole" --lab vector-add
has "good001" "list: names the students"
finish
