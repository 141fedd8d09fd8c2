#!/usr/bin/env python3
# slow
# timeout: 400
"""From an empty folder to grades in a file, by the docs alone: the commands of docs/packs.md (a
pack written, handed out, graded) and of docs/grader.md, "A course" (Moodle's zip and worksheet in,
the worksheet out), in their order and as they stand there. What the docs show of a command's output
is what it prints, but for rates and what `...` leaves out."""
import os, pathlib, re, shutil, subprocess, sys, tempfile, zipfile

from said import B, check, end, root
T = pathlib.Path(tempfile.mkdtemp(prefix="warplab-test."))
home = T / "home"
home.mkdir()
env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPLAB_W", "WARPLAB_L", "WARPLAB_D", "LC_", "XDG_"))}
env.update(HOME=str(home), LANG="C.UTF-8", NO_COLOR="1", WARPLAB_DEVICE="sim:h200", PATH=f"{T}/bin:{env['PATH']}",
           XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", str(T / "cache")))


def section(doc, title):
    """The blocks of code of a section, as lists of lines."""
    text = (root / "docs" / doc).read_text()
    at = text.index(f"\n{title}\n")
    level = title.split()[0]
    end = re.search(rf"^#{{1,{len(level)}}} ", text[at + len(title) + 2 :], re.M)
    text = text[at : at + len(title) + 2 + end.start() if end else None]
    blocks, block = [], []
    for line in text.split("\n") + [""]:
        if line.startswith("    "):
            block.append(line[4:])
        elif line.strip() or not block:
            if block:
                blocks.append(block)
            block = []
    return blocks + ([block] if block else [])


def commands(blocks):
    """(command, the output that is shown) of every line that begins `$ ` or is a warplab command."""
    found = []
    for block in blocks:
        prompt = any(line.startswith("$ ") for line in block)
        for line in block:
            if line.startswith("$ ") or (not prompt and re.match(r"(build/)?warplab ", line)):
                found.append((re.sub(r"\s+# .*", "", line.removeprefix("$ ")), []))
            elif found and prompt and line.strip():
                found[-1][1].append(line)
    return found


def run(command, **more):
    p = subprocess.run(["bash", "-c", command], env=env, cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300, **more)
    return p.returncode, p.stdout


def plain(line):
    return re.sub(r"\s*\(\d[\d.]* a (?:second|minute|hour).*\)|^\[\d+/", "", line.strip())


def shown(command, want, got):
    """Every line of the docs is printed; `...` leaves lines out, and who is first is the machine's."""
    have = [plain(line) for line in got.split("\n")]
    missing = [line for line in want if line.strip() != "..." and plain(line) not in have]
    check(not missing, f"{command}: prints what the docs show", (missing, got))


def step(command, want, status=0, use=None):
    got, out = run(use or command)
    check(got == status, command, (got, out[-300:]))
    shown(command, [line.replace("/home/me", str(home)) for line in want], out)
    return out


def pack():
    """docs/packs.md: whoever writes labs."""
    (T / "bin").mkdir(exist_ok=True)
    (T / "bin" / "warplab").symlink_to(B / "warplab")
    for command, want in commands(section("packs.md", "## From an empty folder")):
        if command.endswith("--watch") or command == "warplab":
            continue  # these two go on until somebody ends them: tests/grade/authors.sh
        if "--texts" in command:
            out = step(command, want, status=1)
            check("TODO" in out, "the lines that are left to write are told", out)
            for p in (home / "my-course/labs").glob("*.lua"):
                p.write_text(re.sub("TODO(: |：)?", "", p.read_text()))
            p = home / "my-course/pack.lua"
            p.write_text(re.sub("TODO(: |：)?", "", p.read_text()))
            step(command, [])
        else:
            step(command, want)
    status, out = run("warplab check my-course/first --device sim:h200")
    check(status == 0, "the lab that the docs began is proved", out[-400:])
    out = home / "handed-in"
    for student, source in (("ann", "answers"), ("bob", "labs")):
        (out / student).mkdir(parents=True)
        shutil.copy(home / f"my-course/{source}/first.cu", out / student)
    for command, want in commands(section("packs.md", "## A course")):
        command = re.sub(r" \[--.*\]", "", command)
        if command.startswith("warplab pack add OUT"):
            run("warplab pack remove my-course")  # the grader's machine is another one
        step(command, want, use=command.replace("SUBMISSIONS", "handed-in"))
    status, got = run("warplab gradebook export GRADES --csv grades.csv && cat grades.csv")
    rows = [line.split(",") for line in got.strip().split("\n")[1:]]
    check(status == 0 and len(rows) == 2 and "pass" in str(rows[0]) and "fail" in str(rows[1]), "grades are in a file", got)


def moodle():
    """docs/grader.md: whoever grades."""
    (home / "build").symlink_to(B)
    with zipfile.ZipFile(home / "CS101-Lab1-77.zip", "w") as z:
        put = lambda who, name, text: z.writestr(f"{who}_assignsubmission_file/{name}", text)
        answer = (root / "answers/vector-add.cu").read_text()
        put("Jane Doe_4321", "vector-add.cu", answer)
        put("Pat O'Brien_4323", "Vector_Add (1).cu", (root / "answers/traps/vector-add/one-thread.cu").read_text())
        put("李 雷_4322", "vector-add.cu", answer + "// late\n")
        put("Bo Smith_4324", "notes.txt", "hello\n")
    row = '"Participant {0}","{1}",{2}@uni.example,"Submitted for grading",,100.00,Yes,"{3}",-,\n'
    (home / "worksheet.csv").write_text(
        'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"\n'
        + row.format(4321, "Jane Doe", "jane", "Thursday, 1 October 2026, 11:58 PM") + row.format(4322, "李 雷", "lilei", "Friday, 2 October 2026, 12:40 AM")
        + row.format(4323, "Pat O'Brien", "pat", "Thursday, 1 October 2026, 9:00 AM") + row.format(4324, "Bo Smith", "bo", "Thursday, 1 October 2026, 9:30 AM"))
    (home / "course.lua").write_text('return course { timezone = "+08:00", late = { grace = "15 min", cut = 0.1, per = "1 day", most = 0.5 },\n'
                                     '  labs = { ["vector-add"] = { deadline = "2026-10-01 23:59" } } }\n')
    blocks = [b for b in section("grader.md", "## A course") if b[0].startswith("$ ")]
    for i, (command, want) in enumerate(commands(blocks)):
        step(command, want, status=3 if i == 0 else 0)


try:
    if subprocess.run(f"{B}/warplab doctor --no-probe | grep -q '^ok *sandbox'", shell=True, env=env).returncode:
        print("skip a trial by the docs (no sandbox on this machine)")
        sys.exit(0)
    pack()
    moodle()
finally:
    shutil.rmtree(T, ignore_errors=True)
end()
