#!/bin/bash
# What docs/autograders/gradescope makes of an empty Debian, in the steps of Gradescope's own
# Dockerfile for a platform (`Dockerfile` of gradescope/autograder_samples: the zip below
# /autograder/source, run_autograder copied and made executable, setup.sh run as root; then a run
# for each submission, with /autograder/submission and /autograder/results): the skeleton fails, the
# answer passes, results.json is one that Gradescope takes. Once where the kernel gives namespaces,
# once in a plain chroot, where it refuses them.
# timeout: 2400
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
cd "$root" || exit 1
roots_ready "Gradescope's steps from an empty root" || finish
for p in git zip chroot; do command -v $p >/dev/null || { skip "Gradescope's steps from an empty root (there is no $p)"; finish; }; done
roots_make apt apt || finish
here=docs/autograders/gradescope

# ---- the zip, by the hand-out's own command ----
git clone -q --depth 1 "file://$root" "$T/clone"
cp $here/* "$T/clone/$here/"
run bash -c 'cd "$1" && eval "$2"' bash "$T/clone" "$(sed -n 's/^#  *\(git archive .*zip .*\)/\1/p' $here/config)"
status_is 0 "the zip is made"
mkdir -p "$R/autograder/source" "$R/autograder/submission" "$R/autograder/results"
python3 -m zipfile -e "$T/clone/autograder.zip" "$R/autograder/source"

# ---- the image: once ----
is "$(for p in gcc g++ make git python3 bwrap; do [ ! -e "$R/usr/bin/$p" ] || echo $p; done)" "" "what the recipe does not bring is not there"
begin=$(date +%s)
roots_run root on 'cp /autograder/source/run_autograder /autograder/run_autograder && chmod +x /autograder/run_autograder && apt-get update && bash /autograder/source/setup.sh'
status_is 0 "setup.sh"
[ "$status" = 0 ] || { tail -n 8 "$T/out" "$T/err" | sed 's/^/# /'; finish; }
echo "# setup.sh: $(($(date +%s) - begin)) s, the root is $(du -smx "$R" | cut -f1) MB"

# ---- a submission: /autograder/run_autograder, without a network ----
results=$R/autograder/results/results.json
submit() { # FILE as NAME
    rm -rf "$R/autograder/submission" "$results"
    mkdir -p "$R/autograder/submission"
    [ $# = 0 ] || cp "$1" "$R/autograder/submission/$2"
    roots_run root off /autograder/run_autograder
    status_is 0 "$how: run_autograder ends well"
}
# The rules of https://gradescope-autograders.readthedocs.io/en/latest/specs/: types, and the words
# that may stand where words stand.
valid() {
    python3 - "$results" <<'PY' 2>&1
import json, sys
j = json.load(open(sys.argv[1]))
number = lambda x: isinstance(x, (int, float)) and not isinstance(x, bool)
visibility = ("hidden", "after_due_date", "after_published", "visible")
assert set(j) <= {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}, set(j)
assert number(j.get("score", 0)) and number(j.get("execution_time", 0)) and isinstance(j.get("output", ""), str)
assert j.get("visibility", "visible") in visibility and j.get("stdout_visibility", "visible") in visibility
for t in j.get("tests", []):
    assert set(t) <= {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility", "extra_data"}, set(t)
    assert number(t.get("score", 0)) and number(t.get("max_score", 0)) and t.get("status", "passed") in ("passed", "failed")
    assert all(isinstance(t.get(k, ""), str) for k in ("name", "number", "output")) and t.get("visibility", "visible") in visibility
for l in j.get("leaderboard", []):
    assert isinstance(l["name"], str) and "value" in l and l.get("order", "desc") in ("asc", "desc")
assert "score" in j or any("score" in t for t in j.get("tests", [])), "no score"
print("valid", j["score"])
PY
}
graded() { # the skeleton and the answer, as students hand them in
    submit labs/vector-add.cu vector-add.cu
    case $(valid) in "valid 10") not_ok "$how: the skeleton fails (full marks)" ;; "valid "*) ok "$how: the skeleton fails, results.json is valid ($(valid))" ;; *) not_ok "$how: the skeleton fails ($(valid | tail -n 1); $(cut_text))" ;; esac
    submit answers/vector-add.cu homework.cu
    is "$(valid | tail -n 1)" "valid 10" "$how: the answer passes, results.json is valid"
    submit
    is "$(json "$results" '"score" in j, "vector-add.cu" in j["output"]')" "(False, True)" "$how: nothing handed in is no score"
}
how="with namespaces"
graded
how="in a plain chroot" PLAIN=1
submit answers/vector-add.cu vector-add.cu
is "$(json "$results" '"score" in j, any("score" in t for t in j.get("tests", []))')" "(False, False)" "$how: without a sandbox there is no score"
sed -i 's/^NO_SANDBOX=.*/NO_SANDBOX=1/' "$R/autograder/source/config"
how="in a plain chroot, NO_SANDBOX=1"
graded
finish
