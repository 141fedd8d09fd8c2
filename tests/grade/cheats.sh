#!/bin/bash
# slow
# timeout: 900
# The cheat corpus: every program of tests/grade/cheats gets the verdict that its first lines state.
#
#   // lab: LAB            // options: more of `warplab grade`
#   // expect: VERDICT [GOAL]   pass, fail, error, suspect; GOAL: a goal that is then missed (correct, counter, speedup, tiers)
#   // expect: finding KIND     // expect: compile (it is refused before it runs)
#   // expect: says WORDS       in what is said of a goal
#
# CHEATS="01 17-disk" runs only those that begin so. DEVICE=gpu:0 GRADE_OPTIONS=--no-sandbox grades them there. Every cheat is tried each time; of the honest
# controls, which honest.sh has more of, every third unless FULL=1 asks for all.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

one() { # FILE: its lines of "ok" and "not ok"
    local file=$1 name lab options json status line
    name=$(basename "$file" .cu)
    lab=$(sed -n 's,^// lab: ,,p' "$file")
    options=$(sed -n 's,^// options: ,,p' "$file")
    json=$T/$name.json
    # shellcheck disable=SC2086
    timeout -k 5 900 "$W" grade "$lab" "$file" --device "${DEVICE:-sim:h200}" ${GRADE_OPTIONS-} --json "$json" $options >"$T/$name.out" 2>&1 </dev/null
    status=$?
    sed -n 's,^// expect: ,,p' "$file" | while read -r line; do
        python3 - "$json" "$status" "$name" "$line" <<'PY'
import json, sys
path, status, name, want = sys.argv[1:]
try:
    j = json.load(open(path))
except Exception as e:
    print(f"not ok {name}: {want} (exit status {status}, no result: {e})")
    sys.exit()
kind, _, rest = want.partition(" ")
if kind == "finding":
    good = any(f["kind"] == rest for f in j["findings"])
elif kind == "says":
    good = any(rest in g["message"] for g in j["goals"])
elif kind == "compile":
    good = j["verdict"] == "fail" and (not j["build"]["ok"] or not j["cases"])
else:
    good = j["verdict"] == kind and (not rest or any(g["kind"] == rest and not g["pass"] for g in j["goals"]))
    good = good and status == {"pass": "0", "fail": "1", "suspect": "1"}.get(kind, "3")
    # An honest control earns everything, but for the tiers above the one that passes; a cheat that is caught earns nothing for what it cheated on.
    good = good and (kind != "pass" or all(g["points"] == g["max_points"] or g["kind"] == "tiers" and g["pass"] for g in j["goals"]))
why = "" if good else f" ({j['verdict']}: {j['message']} {[(g['kind'], g['pass'], g['message']) for g in j['goals']]} {[f['kind'] for f in j['findings']]} {j['build']['log'][:200]})"
print(f"{'ok' if good else 'not ok'} {name}: {want}" + why.replace("\n", " "))
PY
    done
}
export -f one
export W T

files=() honest=0
for file in tests/grade/cheats/*.cu; do
    if [ -z "${CHEATS-}" ]; then
        [[ $file != *.honest.cu || -n ${FULL-} || $((honest++ % 3)) = 0 ]] && files+=("$file")
        continue
    fi
    for want in $CHEATS; do
        case $(basename "$file") in "$want"*) files+=("$file") ;; esac
    done
done
for i in $(printf "%s\n" tests/grade/cheats/*.cu | sed "s,.*/,,; s,-.*,," | sort -u); do
    ls tests/grade/cheats/"$i"-*.honest.cu >/dev/null 2>&1 || echo "$i"
done >"$T/alone"
is "$(cat "$T/alone")" "" "every way to cheat has an honest control beside it"
is "$(printf '%s\n' "${files[@]}" | xargs -r grep -L '^// expect: ')" "" "every program states its verdict"
while read -r line; do
    case $line in "ok "*) ok "${line#ok }" ;; "not ok "*) not_ok "${line#not ok }" ;; *) echo "$line" ;; esac
done < <(printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -I{} bash -c 'one {}')
finish
