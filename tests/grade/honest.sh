#!/bin/bash
# slow
# timeout: 900
# Honest submissions that are unusual, each right: a grader that fails one of them fails students by
# mistake.
#
#   // LAB: what is unusual                     every goal is met
#   // LAB: correct alone: what is unusual      the outputs are right; a goal of speed or of a counter may be missed, but nothing is suspect
#
# HONEST="texture graph" runs only those that begin so. DEVICE=gpu:0 GRADE_OPTIONS=--no-sandbox
# grades them there.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1

one() { # FILE: grades it, into $T/NAME.json, .out and .status
    local file=$1 name lab
    name=$T/$(basename "$file" .cu)
    lab=$(sed -n '1s,^// \([a-z0-9-]*\): .*,\1,p' "$file")
    # shellcheck disable=SC2086
    on_one_core timeout -k 5 900 "$W" grade "$lab" "$file" --device "${DEVICE:-sim:h200}" ${GRADE_OPTIONS-} --json "$name.json" >"$name.out" 2>&1 </dev/null
    echo $? >"$name.status"
}
export -f on_one_core one
export W T
cat >"$T/judge.py" <<'PY'
# judge.py FOLDER FILE...: a line of "ok" or "not ok" for each file, by the results in the folder
import json, os, sys
folder, files = sys.argv[1], sys.argv[2:]
for file in files:
    name, first = os.path.basename(file).removesuffix(".cu"), open(file).readline().rstrip("\n")
    status = open(f"{folder}/{name}.status").read().strip()
    try:
        j = json.load(open(f"{folder}/{name}.json"))
    except (OSError, ValueError) as e:
        print(f"not ok {name} (exit status {status}, no result: {e})")
        continue
    correct = [g for g in j["goals"] if g["kind"] == "correct"]
    good = bool(correct) and all(g["pass"] for g in correct) and all(c["pass"] for c in j["cases"])
    good = good and (j["verdict"] == "fail" if ": correct alone: " in first and status != "0" else status == "0")
    missed = [(g["kind"], g["name"], g["message"]) for g in j["goals"] if not g["pass"]]
    why = "" if good else f" ({j['verdict']}: {j['message']} {missed} {j['build']['log'][:300]})"
    print(f"{'ok' if good else 'not ok'} {first[3:]}" + f" [{name}]" * (not good) + why.replace("\n", " "))
PY

files=()
for file in tests/grade/honest/*.cu; do
    [ -z "${HONEST-}" ] && files+=("$file") && continue
    for want in $HONEST; do
        case $(basename "$file") in "$want"*) files+=("$file") ;; esac
    done
done
is "$(grep -LE '^// [a-z0-9-]+: ' tests/grade/honest/*.cu)" "" "every program names its lab and what is unusual"
all=(tests/grade/honest/*.cu)
if [ ${#all[@]} -ge 40 ]; then ok "there are at least 40"; else not_ok "there are at least 40 (${#all[@]})"; fi
printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" --process-slot-var=slot -I{} bash -c 'one {}'
while read -r line; do
    case $line in "ok "*) ok "${line#ok }" ;; "not ok "*) not_ok "${line#not ok }" ;; *) echo "$line" ;; esac
done < <(python3 "$T/judge.py" "$T" "${files[@]}" 2>&1)
finish
