#!/bin/bash
# slow
# timeout: 300
# What docs/autograders offers for Gradescope and GitHub Classroom works as it stands:
# run_autograder in a folder laid out as Gradescope's, and the workflow as YAML whose shell parts
# hold.
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
LIMIT=120
here=docs/autograders
for f in setup.sh run_autograder; do
    bash -n $here/gradescope/$f && [ -x $here/gradescope/$f ] && ok "$f is a program" || not_ok "$f is a program"
done
if command -v shellcheck >/dev/null; then
    run shellcheck $here/gradescope/setup.sh $here/gradescope/run_autograder
    status_is 0 "shellcheck has nothing to say"
else
    skip "shellcheck of the Gradescope files (it is not installed)"
fi
# The documented command, as it stands, in the folder that the document names: the three files and
# Warplab at the zip's top, as Gradescope wants them.
command=$(sed -n 's/^#  *\(git archive .*zip .*\)/\1/p' $here/gradescope/config)
if command -v zip >/dev/null && git rev-parse HEAD >/dev/null 2>&1; then
    git clone -q --depth 1 "file://$root" "$T/clone"
    cp $here/gradescope/config "$T/clone/$here/gradescope/config"
    run bash -c 'cd "$1" && eval "$2"' bash "$T/clone" "$command"
    is "$(python3 -c 'import sys, zipfile; print(sorted(zipfile.ZipFile(sys.argv[1]).namelist()))' "$T/clone/autograder.zip" 2>&1)" \
        "['config', 'run_autograder', 'setup.sh', 'warplab.tar.gz']" "Gradescope: the command in config makes the zip"
else
    skip "the command that makes Gradescope's zip (git and zip are needed)"
fi

mkdir -p "$T/a/source" "$T/a/warplab"
ln -s "$B" "$T/a/warplab/build"
cp $here/gradescope/config "$T/a/source/"
sandbox=
run "$W" doctor --no-probe
printf "%s\n" "$out" | grep -q "^ok *sandbox" || sandbox=1
echo "NO_SANDBOX=$sandbox" >>"$T/a/source/config"
grade() { # FILES...: hands them in
    rm -rf "$T/a/submission" "$T/a/results"
    mkdir -p "$T/a/submission"
    [ $# = 0 ] || cp "$@" "$T/a/submission/"
    run env AUTOGRADER="$T/a" $here/gradescope/run_autograder
    r=$T/a/results/results.json
}
grade answers/vector-add.cu
is "$(json "$r" 'j["score"], all(t["status"] == "passed" for t in j["tests"] if "status" in t)')" "(10, True)" "Gradescope: an answer"
cp labs/vector-add.cu "$T/mine.cu"
grade "$T/mine.cu"
is "$(json "$r" 'j["score"] < 10, len(j["tests"]) >= 3')" "(True, True)" "Gradescope: the only file, by another name"
is "$(json "$r" '{t["visibility"] for t in j["tests"] if "idden" in t["name"]}')" "{'hidden'}" "Gradescope: hidden cases are for instructors"
grade
is "$(json "$r" '"score" in j, "vector-add.cu" in j["output"]')" "(False, True)" "Gradescope: nothing handed in is no score"
echo "DEVICE=sim:none" >>"$T/a/source/config"
grade answers/vector-add.cu
is "$(json "$r" '"score" in j, "tests" in j and any("score" in t for t in j["tests"])')" "(False, False)" "Gradescope: what could not be graded has no score"

# ---- Autolab: examples/hello of autolab/Autolab shows the assessment's file and what is in the folder where make runs ----
mkdir -p "$T/autolab" && cp $here/autolab/autograde-Makefile "$T/autolab/Makefile"
(cd "$T/autolab" && echo 7 >secret && tar cf autograde.tar secret && rm secret)
cp answers/vector-add.cu "$T/autolab/"
run make -s -C "$T/autolab" WARPLAB="$W" FLAGS="${sandbox:+--no-sandbox}"
tail -n 1 "$T/out" >"$T/scores"
is "$(json "$T/scores" 'sorted(j["scores"].items())')" "[('active_lanes_avg', 2), ('correct', 6), ('global_store_bytes', 1), ('speedup', 1)]" "Autolab: the last line has the scores"
if python3 -c 'import yaml' 2>/dev/null; then
    is "$(python3 -c 'import sys, yaml; print(sorted((p["name"], int(p["max_score"])) for p in yaml.safe_load(open(sys.argv[1]))["problems"]))' $here/autolab/vector-add.yml)" \
        "[('active_lanes_avg', 2), ('correct', 6), ('global_store_bytes', 1), ('speedup', 1)]" "Autolab: its problems are the scores' names"
fi
run make -s -C "$T/autolab" WARPLAB="$W" FLAGS="${sandbox:+--no-sandbox}" DEVICE=sim:none
tail -n 1 "$T/out" >"$T/scores"
is "$(json "$T/scores" 'sorted(j["scores"]), set(j["scores"].values())')" "(['active_lanes_avg', 'correct', 'global_store_bytes', 'speedup'], {None})" "Autolab: what could not be graded has no scores, which is null for each problem"

# ---- PrairieLearn: apps/prairielearn/src/schemas/schemas/infoQuestion.json of PrairieLearn/PrairieLearn says what info.json must have ----
is "$(json $here/prairielearn/info.json '[k for k in ("uuid", "type", "title", "topic") if k not in j], [k for k in ("image", "entrypoint") if k not in j["externalGradingOptions"]]')" \
    "([], [])" "PrairieLearn: info.json has what is required"
mkdir -p "$T/grade/student" && cp answers/vector-add.cu "$T/grade/student/"
run env GRADE="$T/grade" WARPLAB="$W" LAB=vector-add NO_SANDBOX="$sandbox" $here/prairielearn/run.sh
is "$(json "$T/grade/results/results.json" 'j["score"], j.get("gradable", True)')" "(1, True)" "PrairieLearn: an answer"
run env GRADE="$T/grade" WARPLAB="$W" LAB=vector-add DEVICE=sim:none NO_SANDBOX="$sandbox" $here/prairielearn/run.sh
is "$(json "$T/grade/results/results.json" 'j["gradable"], "score" in j')" "(False, False)" "PrairieLearn: what could not be graded is not gradable"

# ---- GitHub Classroom ----
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - $here/classroom.yml "$T/step.sh" <<'PY' && ok "the workflow is YAML, with a job of checkout, build, grade and report" || not_ok "the workflow is YAML, with a job of checkout, build, grade and report"
import sys, yaml
w = yaml.safe_load(open(sys.argv[1]))
steps = w["jobs"]["grade"]["steps"]
assert [s.get("name") for s in steps] == [None, None, "Build Warplab", "Grade", "Report"]
assert steps[4]["env"]["LAB_RESULTS"] == "${{ steps.%s.outputs.result }}" % steps[3]["id"] and steps[4]["with"]["runners"] == "lab"
open(sys.argv[2], "w").write("set -e\n" + steps[3]["run"])
PY
    mkdir -p "$T/repo/.warplab"
    ln -s "$B" "$T/repo/.warplab/build"
    cp answers/vector-add.cu "$T/repo/"
    [ -n "$sandbox" ] && sed -i 's/ --classroom/ --no-sandbox&/' "$T/step.sh"
    run bash -c 'cd "$1" && LAB=vector-add SECRET=7 GITHUB_OUTPUT=$1/output bash "$2"' bash "$T/repo" "$T/step.sh"
    status_is 0 "the workflow's step ends well"
    is "$(sed -n 's/^result=//p' "$T/repo/output" | base64 -d | python3 -c 'import json,sys; j=json.load(sys.stdin); print(j["version"], j["status"], j["max_score"], {t["status"] for t in j["tests"]})')" \
        "1 pass 10 {'pass'}" "its output is the object that the reporter reads"
else
    skip "the workflow as YAML (python3-yaml is not installed)"
fi

# ---- what students see of hidden cases on the console: that they are there, and what kind failed ----
run "$W" grade vector-add tests/grade/cheats/14-public-sizes.cu --device sim:h200 --secret 5 ${sandbox:+--no-sandbox} --json "$T/h.json" --student-html "$T/h.html" --html "$T/i.html"
has "a hidden case: a wrong output" "a hidden case: its kind"
sizes=$(json "$T/h.json" '" ".join("n = %d" % c["args"]["n"] for c in j["cases"] if c["hidden"])')
case $sizes in *"n = "*) ok "hidden cases were drawn: $sizes" ;; *) not_ok "hidden cases were drawn: $sizes" ;; esac
for n in $(json "$T/h.json" '" ".join(str(c["args"]["n"]) for c in j["cases"] if c["hidden"])'); do
    lacks "n = $n" "the console does not tell n = $n"
    lacks "of $n elements" "nor how many of $n elements differ"
    grep -q "n = ${n}[^0-9]" "$T/i.html" && ok "the instructor's page tells n = $n" || not_ok "the instructor's page tells n = $n"
    ! grep -qE "(n = |of )${n}[^0-9]" "$T/h.html" && ok "the student's does not" || not_ok "the student's does not"
done
cat >"$T/oob.cu" <<'CU'
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n + (n > 64 && n != 1003 && n != 1000003)) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) {
    printf("called with %d\n", n);
    add<<<(n + 64) / 64, 64>>>(a, b, c, n);
}
CU
run "$W" grade vector-add "$T/oob.cu" --device sim:h200 --secret 5 ${sandbox:+--no-sandbox} --json "$T/h.json" --student-html "$T/h.html" --gradescope "$T/h.gs"
is "$(json "$T/h.json" '[f["kind"] for f in j["findings"] if f.get("hidden")][:1]')" "['oob']" "a memory error that hidden cases alone show is marked"
has "in a hidden case" "the console tells its kind"
lacks "bytes)" "but not the sizes of its buffers"
lacks "called with" "nor what the program printed"
grep -qE 'bytes\)|called with' "$T/h.html" && not_ok "nor does the student's page" || ok "nor does the student's page"
is "$(json "$T/h.gs" '[t["name"] for t in j["tests"] if t["visibility"] == "visible" and "bytes)" in t.get("output", "")]')" "[]" "nor what Gradescope shows"
finish
