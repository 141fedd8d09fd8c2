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
# CHEATS="01 17-disk" runs only those that begin so. DEVICE=gpu:0 GRADE_OPTIONS=--no-sandbox grades
# them there. Every cheat is tried each time; of the honest controls, which honest.sh has more of,
# every third unless FULL=1 asks for all. A program that only has to be refused before it runs, for
# its outputs, or for counters of which none depends on time or machine code, is not timed by its
# machine code unless FULL=1 asks for it, nor is one whose lab asks for no time: nothing that it
# must show depends on its time, and reading machine code is a third of what such a grading
# computes. A program that only has to fail a case is graded to its first failure.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

asks_for_time() { grep -qE 'speedup\(|tiers|fraction|slowest|_us\b|achieved|limiter' "labs/$1.lua" || grep -q '^// expect: fail slowest' "$2"; } # LAB FILE
untimed() { # LAB FILE: what the program must show comes from outputs, findings and such counters
    local expected
    expected=$(grep '^// expect: ' "$2")
    asks_for_time "$1" "$2" || return 0
    grep -qx '// expect: fail correct' <<<"$expected" && ! grep -q ': says ' <<<"$expected" && return 0
    ! grep -qvE ': (compile|fail (correct|counter)|finding .*|says ([^0-9]|\[0\]|[0-9] GiB)*)$|: says .* is [0-9%]*$' <<<"$expected" &&
        ! grep -q ': says .*time' <<<"$expected" &&
        ! sed -n '/^  goals = {/,/^  },/s/^    [a-z_]*("\([a-z0-9_]*\)".*/\1/p' "labs/$1.lua" |
        grep -qE '_us$|_machine|achieved|overlap|at_once|local_accesses'
}
one() { # FILE: grades it, into $T/NAME.json, .out and .status
    local file=$1 name lab options
    name=$T/$(basename "$file" .cu)
    lab=$(sed -n 's,^// lab: ,,p' "$file")
    options=$(sed -n 's,^// options: ,,p' "$file")
    if [ -z "${FULL-}" ] && untimed "$lab" "$file"; then
        local -x WARPLAB_SIM_MACHINE=off
    fi
    # shellcheck disable=SC2086
    # It has to fail, at whichever case it does.
    [ "$(grep '^// expect: ' "$file")" = "// expect: fail correct" ] && options+=" --first-failure"
    on_one_core timeout -k 5 900 "$W" grade "$lab" "$file" --device "${DEVICE:-sim:h200}" ${GRADE_OPTIONS-} --json "$name.json" $options >"$name.out" 2>&1 </dev/null
    echo $? >"$name.status"
}
export -f on_one_core one asks_for_time untimed
export W T
cat >"$T/judge.py" <<'PY'
# judge.py FOLDER FILE...: what each file's first lines expect against the results in the folder
import json, os, sys
folder, files = sys.argv[1], sys.argv[2:]

def judge(j, status, kind, rest):
    if kind == "finding":
        return any(f["kind"] == rest for f in j["findings"])
    if kind == "says":
        return any(rest in g["message"] for g in j["goals"])
    if kind == "compile":
        return j["verdict"] == "fail" and (not j["build"]["ok"] or not j["cases"])
    good = j["verdict"] == kind and (not rest or any(g["kind"] == rest and not g["pass"] for g in j["goals"]))
    good = good and status == {"pass": "0", "fail": "1", "suspect": "1"}.get(kind, "3")
    # An honest control earns everything, but for the tiers above the one that passes; a cheat that is caught earns nothing for what it cheated on.
    return good and (kind != "pass" or all(g["points"] == g["max_points"] or g["kind"] == "tiers" and g["pass"] for g in j["goals"]))

for file in files:
    name = os.path.basename(file).removesuffix(".cu")
    status = open(f"{folder}/{name}.status").read().strip()
    for want in [line.strip().removeprefix("// expect: ") for line in open(file) if line.startswith("// expect: ")]:
        kind, _, rest = want.partition(" ")
        try:
            j = json.load(open(f"{folder}/{name}.json"))
        except (OSError, ValueError) as e:
            print(f"not ok {name}: {want} (exit status {status}, no result: {e})")
            continue
        why = "" if judge(j, status, kind, rest) else f" ({j['verdict']}: {j['message']} {[(g['kind'], g['pass'], g['message']) for g in j['goals']]} {[f['kind'] for f in j['findings']]} {j['build']['log'][:200]})"
        print(f"{'not ok' if why else 'ok'} {name}: {want}" + why.replace("\n", " "))
PY

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
printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" --process-slot-var=slot -I{} bash -c 'one {}'
while read -r line; do
    case $line in "ok "*) ok "${line#ok }" ;; "not ok "*) not_ok "${line#not ok }" ;; *) echo "$line" ;; esac
done < <(python3 "$T/judge.py" "$T" "${files[@]}" 2>&1)
finish
