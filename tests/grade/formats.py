#!/usr/bin/env python3
# timeout: 200
"""What each platform makes of our reports: an answer, a skeleton, and a grading that the grader
could not do, which must never be a zero. The consumers below are restated from their own sources,
named beside each; and each rejects what its original rejects, which is tried too."""
import base64, json, os, pathlib, re, subprocess, tempfile
import xml.etree.ElementTree as xml

from said import Rejected, W, check, end, root
T = tempfile.TemporaryDirectory(prefix="warplab-test.")


def number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


# Each takes a report's text and gives what the student's book then holds: points, or None for no score; Rejected: the platform says that the autograder failed.


def gradescope(text):
    """https://gradescope-autograders.readthedocs.io/en/latest/specs/: a score, or tests with scores whose sum it is; else the autograder failed."""
    j = json.loads(text)
    tests = j.get("tests", [])
    for t in tests:
        if t.get("visibility", "visible") not in ("hidden", "after_due_date", "after_published", "visible"):
            raise Rejected("visibility")
        if t.get("status", "passed") not in ("passed", "failed") or t.get("output_format", "text") not in ("text", "html", "simple_format", "md", "ansi"):
            raise Rejected("status or output_format")
        if any(k in t and not number(t[k]) for k in ("score", "max_score")):
            raise Rejected("a test's score is a number")
    if "score" in j:
        if not number(j["score"]):
            raise Rejected("score is a number")
        return j["score"]
    if not any("score" in t for t in tests):
        raise Rejected("neither a score nor tests with scores")
    return sum(t.get("score", 0) for t in tests)


def prairielearn(text):
    """makeGradingResult() of apps/prairielearn/src/lib/externalGraderCommon.ts in PrairieLearn/PrairieLearn, and "Grading results" of its docs/externalGrading.md: with
    gradable false the submission is invalid: no score, no attempt used, format_errors shown."""
    j = json.loads(text)
    if not j.get("gradable", True):
        if not isinstance(j.get("format_errors", []), (str, list)):
            raise Rejected("format_errors")
        return None
    if not number(j.get("score")) or not 0 <= j["score"] <= 1:
        raise Rejected("score is a number from 0 to 1")
    for t in j.get("tests", []):
        if any(k in t and not number(t[k]) for k in ("points", "max_points")):
            raise Rejected("points are numbers")
    return 10 * j["score"]


def classroom(text):
    """src/main.js and src/notify-classroom.js of classroom-resources/autograding-grading-reporter: a runner without a max_score is left out, and without any nothing is reported."""
    j = json.loads(base64.b64decode(text))
    if not j.get("max_score"):
        return None
    if any(not number(t.get("score")) for t in j["tests"]):
        raise Rejected("NaN is reported")
    return sum(t["score"] for t in j["tests"])


def autolab(text):
    """saveAutograde() and parseAutoresult() of app/helpers/assessment_autograde_core.rb in autolab/Autolab: a problem's score is what stands in the last line, null included; a
    line that cannot be read, or names no problem, writes 0 for every problem."""
    lines = text.rstrip().split("\n")
    try:
        j = json.loads(re.sub(r"([a-zA-Z0-9]+):", r'"\1":', lines[-1]))
        scores = j["scores"]
    except (ValueError, KeyError, TypeError):
        return 0
    if not scores:
        return 0
    return None if all(v is None for v in scores.values()) else sum(v or 0 for v in scores.values())


def junit(text):
    """src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd of jenkinsci/xunit-plugin: which elements and attributes may stand where, and which have to.
    A failure is a test not passed, an error one that could not be tried. Has no score: ten for all tests passed, less for fewer; None where any is an error."""
    may = {"testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
           "testsuite": ({"testsuite", "properties", "testcase", "system-out", "system-err"},
                         {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
                         {"name", "tests", "failures", "errors"}),
           "testcase": ({"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError", "system-out", "system-err"},
                        {"name", "time", "classname", "group"}, {"name"}),
           "properties": ({"property"}, set(), set()), "property": (set(), {"name", "value"}, {"name", "value"}),
           "failure": (set(), {"type", "message"}, set()), "error": (set(), {"type", "message"}, set()),
           "system-out": (set(), set(), set()), "system-err": (set(), set(), set())}
    top = xml.fromstring(text)
    for e in top.iter():
        inside, attributes, needed = may.get(e.tag, (set(), set(), set()))
        if e.tag not in may or not set(e.attrib) <= attributes or not needed <= set(e.attrib) or any(k.tag not in inside for k in e):
            raise Rejected(f"{e.tag} {e.attrib}")
    cases, bad, errors = (list(top.iter(t)) for t in ("testcase", "failure", "error"))
    for e in [top, *top.iter("testsuite")]:
        if [e.get(k) for k in ("tests", "failures", "errors")] != [str(len(x)) for x in (cases, bad, errors)]:
            raise Rejected("its sums are others'")
    return None if errors or not cases else 10 * (len(cases) - len(bad)) / len(cases)


def broken(name, text):
    """The same report as its consumer must not take it."""
    if name == "gradescope":
        j = json.loads(text)
        return json.dumps({**j, "score": "10"})
    if name == "prairielearn":
        return json.dumps({**json.loads(text), "score": "NaN"})
    if name == "classroom":
        j = json.loads(base64.b64decode(text))
        del j["tests"][0]["score"]
        return base64.b64encode(json.dumps(j).encode()).decode()
    if name == "junit":
        return text.replace("<failure", "<fault").replace("</failure", "</fault").replace(' name="', ' title="', 1)
    return text.rsplit("\n{", 1)[0]


consumers = {"gradescope": gradescope, "prairielearn": prairielearn, "classroom": classroom, "autolab": autolab, "junit": junit}
env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPLAB_W", "WARPLAB_L", "WARPLAB_D", "LC_"))}
env.update(LANG="C.UTF-8", HOME=T.name, XDG_STATE_HOME=T.name + "/state", XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", T.name + "/cache"))
sandbox = [] if subprocess.run(f"{W} doctor --no-probe | grep -q '^ok *sandbox'", shell=True, env=env).returncode == 0 else ["--no-sandbox"]


def take(name, text):
    try:
        return consumers[name](text)
    except Rejected:
        return None if name == "gradescope" else "rejected"


def reports(source, *more, **changed):
    out = {name: pathlib.Path(T.name, name + ".out") for name in consumers}
    for path in out.values():
        path.unlink(missing_ok=True)
    p = subprocess.run([W, "grade", "vector-add", source, *sandbox, *(x for n, f in out.items() for x in ("--" + n, str(f))), *more], env={**env, **changed}, cwd=root,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return p.returncode, {n: f.read_text() for n, f in out.items() if f.exists()}


sim = ("--device", "sim:h200")
status, answer = reports("answers/vector-add.cu", *sim)
check(status == 0 and len(answer) == len(consumers), "an answer has a report for each platform", status)
for name, text in answer.items():
    check(take(name, text) == 10, f"{name}: an answer has full marks", take(name, text))
    bad = broken(name, text)
    check(take(name, bad) in (None, 0, "rejected"), f"{name}: what it does not take is not taken here", take(name, bad))
status, skeleton = reports("labs/vector-add.cu", *sim)
for name, text in skeleton.items():
    got = take(name, text)
    check(status == 1 and number(got) and got < 10, f"{name}: a skeleton has a score, and less", got)
(pathlib.Path(T.name) / "syntax.cu").write_text("void vector_add(\n")
status, wrong = reports(T.name + "/syntax.cu", *sim)
for name, text in wrong.items():
    check(status == 1 and take(name, text) == 0, f"{name}: what does not compile is a zero of the student's own", take(name, text))
for why, (status, text) in {"no such device": reports("answers/vector-add.cu", "--device", "sim:none"),
                            "no compiler": reports("labs/vector-add.cu", *sim, WARPLAB_NVCC="/no/such/nvcc")}.items():
    check(status == 3 and len(text) == len(consumers), f"{why}: could not be graded, and each platform is told", (status, sorted(text)))
    for name in text:
        check(take(name, text[name]) is None, f"{name}: {why}: no score, never a zero", take(name, text[name]))
end()
