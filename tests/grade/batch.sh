#!/bin/bash
# slow
# timeout: 1800
# A batch on the real device: N submissions (BATCH=N, 30), every tenth hostile; graded once without a break, and once killed with SIGKILL at
# KILLS (10) random moments and started again. The records must be the same bytes, and no submission may be graded twice once it is done.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
N=${BATCH:-30} KILLS=${KILLS:-10}
LIMIT=1500

# ---- the submissions ----
hostile=(17-fork-bomb 17-disk 17-endless-host 17-output-flood 22-aborts huge 16-includes-itself 17-endless-kernel)
good=(answers/vector-add.cu labs/vector-add.cu answers/traps/vector-add/one-thread.cu answers/traps/vector-add/ragged.cu answers/vector-add.cu)
for i in $(seq 1 "$N"); do
    folder=$T/in/s$(printf %03d "$i")
    mkdir -p "$folder"
    if [ $((i % 10)) = 0 ]; then
        kind=${hostile[$((i / 10 % ${#hostile[@]}))]}
        if [ "$kind" = huge ]; then
            head -c 10485760 /dev/zero | tr '\0' '/' >"$folder/vector-add.cu"
        else
            cp "tests/grade/cheats/$kind.cu" "$folder/vector-add.cu"
        fi
    else
        # each its own file, so that each is compiled
        { cat "${good[$((i % ${#good[@]}))]}"; echo "// $i"; } >"$folder/vector-add.cu"
    fi
done
batch=("$W" grade --batch "$T/in" --jobs "$(nproc)" --device sim:h200 --seed 11 --time-limit 5 --quiet --out)

# ---- without a break ----
begin=$(date +%s%N)
run "${batch[@]}" "$T/whole"
status_is 0 "a batch of $N with hostile ones comes to its end"
echo "# $N submissions in $((($(date +%s%N) - begin) / 1000000)) ms: $(cut_text)"
is "$(ls "$T/whole/records" | wc -l)" "$N" "one record a submission"
# A good submission is graded, whatever its neighbours do.
run "$W" gradebook export "$T/whole" --json "$T/book.json"
is "$(json "$T/book.json" 'sorted({(r["verdict"], r["state"]) for r in j if int(r["student"][1:]) % 10 and int(r["student"][1:]) % 5 == 0})')" "[('pass', 'graded')]" "the answers pass"
is "$(json "$T/book.json" 'sorted({r["verdict"] for r in j if int(r["student"][1:]) % 10 == 0} - {"fail", "ungradable"})')" "[]" "every hostile one fails or cannot be graded"
is "$(json "$T/book.json" 'all(r["score"] is None for r in j if r["state"] != "graded")')" True "what is not graded has no score"
is "$(ls -A "$T/whole/work" 2>&1 | wc -l)" 0 "no scratch is left"
is "$(find "$T/whole/submissions" -type f -printf '%m\n' | sort -u)" 400 "the copies are read-only"

# ---- killed and carried on ----
killed=0
for k in $(seq 1 "$KILLS"); do
    "${batch[@]}" "$T/broken" >"$T/killed.out" 2>&1 &
    pid=$!
    sleep "$((RANDOM % 2)).$((RANDOM % 10))"
    kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
    wait "$pid" 2>/dev/null
    # Whatever was there before is still there, whole.
    for r in "$T/broken/records"/*.json; do
        [ -e "$r" ] || continue
        python3 -c 'import json,sys; json.load(open(sys.argv[1]))' "$r" || not_ok "a whole record after kill $k: $r"
    done
done
[ "$killed" -ge $((KILLS / 2)) ] && ok "it was killed $killed times" || not_ok "it was killed only $killed times"
find "$T/broken/records" -name '*.json' -printf '%f %T@ %i\n' 2>/dev/null | sort >"$T/before"
run "${batch[@]}" "$T/broken"
status_is 0 "started again it comes to its end"
find "$T/broken/records" -name '*.json' -printf '%f %T@ %i\n' | sort >"$T/after"
is "$(comm -23 "$T/before" "$T/after" | wc -l)" 0 "no record that was there was written again"
if diff -r "$T/whole/records" "$T/broken/records" >"$T/diff"; then ok "its records are those of the unbroken run, byte for byte"; else
    not_ok "its records are those of the unbroken run, byte for byte ($(head -c 400 "$T/diff" | tr '\n' '|'))"
fi
run "${batch[@]}" "$T/broken"
has "$N were done before" "once more: everything was done before"

# ---- reports ----
[ -s "$T/whole/reports/index.html" ] && ok "the course's page" || not_ok "the course's page"
run "$W" gradebook compare "$T/whole" "$T/broken"
status_is 0 "compare: two gradings that are the same"
has "$N the same, 0 differ." "compare: says so"
run "$W" gradebook list "$T/whole" --lab vector-add
has "s001" "list: names the students"

# ---- on one core ----
if command -v taskset >/dev/null; then
    for f in answers/vector-add.cu answers/traps/vector-add/ragged.cu; do
        run "$W" grade vector-add $f --device sim:h200 --seed 3 --json "$T/many.json"
        run taskset -c 0 "$W" grade vector-add $f --device sim:h200 --seed 3 --json "$T/one.json"
        cmp -s "$T/many.json" "$T/one.json" && ok "$f: the same JSON on one core" || not_ok "$f: the same JSON on one core ($(diff "$T/many.json" "$T/one.json" | head -4 | tr '\n' '|'))"
    done
fi
finish
