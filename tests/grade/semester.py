#!/usr/bin/env python3
# slow
# timeout: 900
"""A semester: students over labs with attempts, late ones, extensions, people who hand in nothing
and hostile ones; graded whole without a break, and once more with kill -9 of the whole process
group at random moments, and carried on. The records must be the same bytes, and what each student
gets must be what this file's own arithmetic says.

    FULL=1 STUDENTS=200 LABS=10 KILLS=10 SEED=1 tests/grade/semester.py     (as many as that with FULL=1; else 6 students, 2 labs, 1 kill)

Few programs differ, so that the build cache answers, and what two students hand in alike is graded
once."""
import ctypes, datetime, json, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time

from said import B, W, check, end, root
full = bool(os.environ.get("FULL"))
number = lambda name, small, large: int(os.environ.get(name, large if full else small))
STUDENTS, LABS, KILLS, SEED = number("STUDENTS", 6, 200), number("LABS", 2, 10), number("KILLS", 1, 10), number("SEED", 1, 1)
labs = ["vector-add", "errors", "hello", "alignment", "image-gray", "reduce-1-divergent", "constants", "int-div", "float3-aos", "divergence"][:LABS]
T = pathlib.Path(tempfile.mkdtemp(prefix="warplab-test."))
env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPLAB_W", "WARPLAB_L", "WARPLAB_D", "LC_"))}
env.update(HOME=str(T / "home"), LANG="C.UTF-8", XDG_DATA_HOME=str(T / "data"), XDG_STATE_HOME=str(T / "state"), XDG_CONFIG_HOME=str(T / "config"),
           XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", str(T / "cache")))


def run(*command):
    r = subprocess.run([W, *map(str, command)], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return r.returncode, r.stdout + r.stderr


# ---- what is handed in ----
utc = datetime.timezone.utc
deadline = datetime.datetime(2026, 10, 1, 23, 59, tzinfo=utc)
GRACE, CUT, MOST, LAST = datetime.timedelta(minutes=15), 0.1, 0.5, datetime.timedelta(days=7)
day = datetime.timedelta(days=1)
constructor = "\n#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void mine() { %s }\n"
hostile = {"aborts": constructor % "abort();", "exits": constructor % "_exit(0);", "forks": constructor % "for (;;) fork();",
           "crashes": constructor % "*(volatile int *)8 = 1;", "passwd": '\n#include "/etc/passwd"\n'}


def program(lab, kind):
    text = (root / ("labs" if kind == "skeleton" else "answers") / (lab + ".cu")).read_text()
    return text + hostile.get(kind, "")


class work:  # an attempt
    def __init__(self, lab, kind, when, own=""):
        self.lab, self.kind, self.when, self.text = lab, kind, when, program(lab, kind) + own


def course(rng):
    handed, extensions = {}, {}
    for i in range(STUDENTS):
        s = f"s{i:03d}"
        if i % 7 == 3:
            extensions[s] = day * rng.randint(1, 3)
        for k, lab in enumerate(labs):
            # The first students show each way there is; all others are drawn.
            way = i if i < 6 else rng.randrange(20)
            own = f"// {s}\n" if i == 0 and k == 0 else ""
            if way == 0:
                attempts = [work(lab, "skeleton", deadline - 2 * day), work(lab, "answer", deadline - day, own)]
            elif way == 1:
                attempts = [work(lab, "answer", deadline + day * rng.uniform(0.5, 3))]
            elif way == 2:
                attempts = [work(lab, rng.choice(sorted(hostile)), deadline - day)]
            elif way == 3:
                attempts = [work(lab, "answer", deadline + day * rng.uniform(0.1, 1.5))]
            elif way == 4:
                attempts = [work(lab, "answer", deadline - day), work(lab, "skeleton", deadline + day * rng.uniform(1, 9))]
            elif way == 5:
                attempts = [work(lab, "answer", deadline + datetime.timedelta(minutes=rng.randint(1, 14)))] if k == 0 else []
            elif way == 6:
                attempts = [work(lab, "answer", deadline + day * 12)]  # too late for anyone
            else:
                attempts = [work(lab, rng.choice(["answer", "skeleton"]), deadline - day * rng.uniform(0.1, 20)) for _ in range(rng.randint(1, 3))]
            if attempts:
                handed[s, lab] = sorted(attempts, key=lambda w: w.when)
    return handed, extensions


def off(w, s, extensions):
    """The share that lateness takes, or None: too late."""
    late = w.when.replace(second=0, microsecond=0) - deadline - extensions.get(s, datetime.timedelta())
    if late <= GRACE:
        return 0
    return None if late > LAST else min(MOST, CUT * -(-late // day))


rng = random.Random(SEED)
handed, extensions = course(rng)
for (s, lab), attempts in handed.items():
    for w in attempts:
        folder = T / "in" / s / w.when.strftime("%Y-%m-%dT%H-%M")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / (lab + ".cu")).write_text(w.text)
best = set(labs[1::2])
rules = [f'return course {{ timezone = "UTC", deadline = "2026-10-01 23:59", attempts = "last",',
         f'  late = {{ grace = "15 min", cut = {CUT}, per = "1 day", most = {MOST}, last = "7 days" }},',
         "  labs = { " + ", ".join(f'["{lab}"] = {{ attempts = "best" }}' for lab in sorted(best)) + " },",
         "  extensions = { " + ", ".join(f'{s} = "{d.days} days"' for s, d in extensions.items()) + " } }"]
(T / "course.lua").write_text("\n".join(rules) + "\n")
count = sum(map(len, handed.values()))
print(f"# {STUDENTS} students, {len(labs)} labs, {count} attempts of which {len({w.text for a in handed.values() for w in a})} differ, {KILLS} kills, SEED={SEED}", flush=True)
batch = [W, "grade", "--batch", str(T / "in"), "--jobs", str(os.cpu_count()), "--device", "sim:h200", "--seed", "3", "--time-limit", "6", "--quiet",
         "--course", str(T / "course.lua"), "--out"]


# ---- without a break ----
def whole():
    begin = time.time()
    status, said = run(*batch[1:], T / "whole")
    print(f"# without a break: {time.time() - begin:.0f} s: {said[-300:]}".replace("\n", "|"), flush=True)
    check(status == 0, "a semester comes to its end", (status, said))
    run("gradebook", "export", T / "whole", "--json", T / "whole.json")
    rows = {}
    for r in json.loads((T / "whole.json").read_text()):
        rows.setdefault((r["student"], r["lab"]), []).append(r)
    check(set(rows) == set(handed), "every student who handed something in has a row for each lab, nobody else",
          sorted(set(rows) ^ set(handed))[:5])
    points(rows)


def points(rows):
    """What is counted against arithmetic of this file's own: answers earn everything, skeletons less, hostile ones nothing."""
    wrong, late, refused = [], 0, 0
    for (s, lab), attempts in handed.items():
        full_marks = max(r["max_score"] or 0 for q, rr in rows.items() for r in rr if q[1] == lab)
        valid = [w for w in attempts if off(w, s, extensions) is not None]
        refused += len(attempts) - len(valid)
        got = counted(rows.get((s, lab), []))
        if lab not in best:
            valid = valid[-1:]
        late += any(off(w, s, extensions) for w in valid)
        if not valid:
            if got not in (None, 0):
                wrong.append((s, lab, "too late", got))
            continue
        if any(w.kind not in ("answer",) for w in valid):
            worst = 0 if lab not in best else max([full_marks * (1 - off(w, s, extensions)) for w in valid if w.kind == "answer"], default=0)
            most = full_marks if any(w.kind == "answer" for w in valid) else full_marks - 0.01 if any(w.kind == "skeleton" for w in valid) else 0
            if not worst - 1e-6 <= (got or 0) <= most:
                wrong.append((s, lab, [w.kind for w in valid], got))
            continue
        want = max(full_marks * (1 - off(w, s, extensions)) for w in valid)
        if got is None or abs(got - want) > 1e-6:
            wrong.append((s, lab, want, got))
    check(not wrong, f"what counts is what the rules say, {late} times late and {refused} attempts too late among them", wrong[:5])


def counted(rows):
    for r in rows:
        if "counted" in r:
            return r["counted"]
    return next((r["score"] for r in rows), None)


# ---- killed and carried on ----
def files(out):
    return {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in (out / "records").glob("*.json")} if (out / "records").is_dir() else {}


def orphans():
    """Waits for all that was left behind; True: something outlived it by ten seconds."""
    end = time.time() + 10
    while time.time() < end:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return False
    return True


def broken():
    out, again, left, killed, total = T / "broken", [], 0, 0, len(files(T / "whole"))
    for k in range(KILLS):
        before = files(out)
        p = subprocess.Popen([*batch, str(out)], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        # When so many are done, and a moment later: somewhere in whatever is then under way.
        done, end = len(before) + rng.uniform(0, total - len(before)) * 2 / (KILLS - k + 1), time.time() + 600
        while p.poll() is None and len(files(out)) < done and time.time() < end:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        if p.poll() is None:
            killed += 1
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()
        left += orphans()
        after = files(out)
        again += [n for n in before if after.get(n) != before[n]]
        print(f"# {k + 1}: {len(after)} records", flush=True)
    check(2 * killed >= KILLS, f"it was killed {killed} times")
    check(not left, "nothing that it had started outlived it by ten seconds", left)
    before = files(out)
    status, said = run(*batch[1:], out)
    check(status == 0, "started again it comes to its end", said)
    after = files(out)
    again += [n for n in before if after.get(n) != before[n]]
    check(not again, "no record that was there was written again", again[:3])
    same = {n: (T / "whole/records" / n).read_bytes() for n in files(T / "whole")} == {n: (out / "records" / n).read_bytes() for n in after}
    check(same and len(after) > 0, f"its {len(after)} records are those of the unbroken run, byte for byte")
    run("gradebook", "export", out, "--json", T / "broken.json")
    check((T / "whole.json").read_bytes() == (T / "broken.json").read_bytes(), "and so is the gradebook")
    check(not list((out / "work").iterdir()), "no scratch is left")


try:
    if subprocess.run(f"{W} doctor --no-probe | grep -q '^ok *sandbox'", shell=True, env=env).returncode:
        print("skip a semester with hostile ones (no sandbox on this machine)")
        sys.exit(0)
    assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
    whole()
    broken()
finally:
    shutil.rmtree(T, ignore_errors=True)
end()
