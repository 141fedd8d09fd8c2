#!/usr/bin/env python3
# timeout: 200
"""What Canvas and Moodle make of our CSV files: who gets how many points, and who gets none. Their
importers are restated from their own sources, named beside each; and each refuses what its original
refuses, which is tried too."""
import csv, io, os, pathlib, re, subprocess, tempfile

from said import Rejected, W, check, end, root
T = tempfile.TemporaryDirectory(prefix="warplab-test.")
tmp = pathlib.Path(T.name)


def canvas(text, people):
    """lib/gradebook_importer.rb of instructure/canvas-lms: process_header, update_column_count, check_for_non_student_row, process_student, process_submissions,
    identify_delimiter. People by id, login and name; gives {person: {assignment: grade}}, "" for a cell that says nothing, and the points possible."""
    lines = text.lstrip("\ufeff").splitlines()
    widths = {sep: [len(row) for row in csv.reader(lines[:3], delimiter=sep)] for sep in ",;"}
    if len(set(widths[";"])) == 1 and (len(set(widths[","])) > 1 or widths[";"][0] > widths[","][0]):
        raise Rejected("taken for a file with semicolons")
    rows = list(csv.reader(io.StringIO(text)))
    head = rows[0]
    if not (len(head) > 3 and "Student" in head[0] and "ID" in head[1]):
        raise Rejected("no header: Student, ID")
    columns, user, login = 3, None, None
    if re.search(r"SIS\s+Login\s+ID", head[2]):
        login, columns = 2, 4
    elif re.search(r"SIS\s+User\s+ID", head[2]) and re.search(r"SIS\s+Login\s+ID", head[3]):
        user, login, columns = 2, 3, 5
        columns += bool(re.search(r"Integration\s+ID", head[4]))
        columns += bool(re.search(r"Root\s+Account", head[columns - 1]))
    if "Section" not in head[columns - 1]:
        raise Rejected("no header: the last column about a student is Section")
    not_ours = re.compile("Current Score|Current Points|Current Grade|Final Score|Final Points|Final Grade|Override Score|Override Grade|Override Status")
    work = {k: h for k, h in enumerate(head) if k >= columns and not not_ours.search(h)}
    grades, possible = {}, {}
    for row in rows[1:]:
        if "Points Possible" in row[0]:
            possible = {h: row[k] for k, h in work.items()}
            continue
        person = next((p for p in people if row[1] and str(p["id"]) == row[1]), None) or \
            next((p for p in people if login is not None and row[login] and p["login"] == row[login]), None) or \
            next((p for p in people if p["name"] == row[0]), None)
        grades[person["name"] if person else "new: " + row[0]] = {h: row[k].strip() if k < len(row) else "" for k, h in work.items()}
    return grades, possible


def moodle(text, people):
    """mod/assign/feedback/offline/importgradeslib.php of moodle/moodle: init() and next(), over lib/csvlib.class.php, which wants as many cells in each row as the header
    has. People by participant's number; gives {person: grade}, "" for a cell that says nothing."""
    rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff"))))
    head = rows[0]
    if any(len(r) != len(head) for r in rows):
        raise Rejected("csvweirdcolumns")
    try:
        grade, who, _ = (head.index(h) for h in ("Grade", "Identifier", "Last modified (grade)"))
    except ValueError as e:
        raise Rejected(e)
    return {people[r[who][len("Participant "):]]: r[grade] for r in rows[1:] if r[who][len("Participant "):] in people}


env = {k: v for k, v in os.environ.items() if not k.startswith(("WARPLAB_W", "WARPLAB_L", "WARPLAB_D", "LC_"))}
env.update(LANG="C.UTF-8", HOME=T.name, XDG_STATE_HOME=T.name + "/state", XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", T.name + "/cache"))
sandbox = [] if subprocess.run(f"{W} doctor --no-probe | grep -q '^ok *sandbox'", shell=True, env=env).returncode == 0 else ["--no-sandbox"]


def run(*words):
    return subprocess.run([W, *map(str, words)], env=env, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def hand_in(folder, files):
    for name, text in files.items():
        path = tmp / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


answer, skeleton = (root / "answers/hello.cu").read_text(), (root / "labs/hello.cu").read_text()
large = "//" + "x" * (2 << 20) + "\n"  # more than a submission may have: no score

# ---- Canvas: its "Download Submissions", and its own export as roster ----
hand_in("canvas", {"doejane_12345_67890_hello.cu": answer, "leiann_12346_67891_hello.cu": skeleton, "bigbob_12347_67892_hello.cu": large})
people = [{"id": 12345, "login": "jdoe", "name": "Doe, Jane"}, {"id": 12346, "login": "alei", "name": "Lei, Ann; 雷"},
          {"id": 12347, "login": "bbig", "name": "Big, Bob"}, {"id": 12348, "login": "none", "name": "None, Nora"}]
out = io.StringIO()
w = csv.writer(out, lineterminator="\n")
w.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "hello (991)", "Essay (992)", "Final Score"])
w.writerow(["    Points Possible", "", "", "", "", "20", "5", "(read only)"])
for p in people:
    w.writerow([p["name"], p["id"], "S%d" % p["id"], p["login"], "A, B", "", "4", "80"])
(tmp / "canvas.csv").write_text(out.getvalue())
p = run("grade", "--batch", tmp / "canvas", "--out", tmp / "c", "--lab", "hello", "--device", "sim:h200", "--quiet", *sandbox)
check("3 submissions: 2 graded, 1 not gradable" in p.stdout, "Canvas: graded", p.stdout + p.stderr)
p = run("gradebook", "export", tmp / "c", "--canvas", tmp / "c.csv", "--roster", tmp / "canvas.csv")
text = (tmp / "c.csv").read_text(encoding="utf-8")
grades, possible = canvas(text, people)
got = {name: g["hello (991)"] for name, g in grades.items()}
check(got["Doe, Jane"] == "20" and 0 <= float(got["Lei, Ann; 雷"]) < 20, "Canvas: the answer has all points of its column, the skeleton fewer", got)
check(got["Big, Bob"] == "" and got["None, Nora"] == "", "Canvas: no score is an empty cell, never a zero", got)
check(len(grades) == 4 and not any(k.startswith("new: ") for k in grades), "Canvas: nobody is new to it", list(grades))
check({g["Essay (992)"] for g in grades.values()} == {"4"} and possible == {"hello (991)": "20", "Essay (992)": "5"}, "Canvas: what is not ours is as it was", grades)
# Without its export: a download's names are NAME_USER_FILE_what, and USER is Canvas's own ID of that person, by which it finds them.
run("gradebook", "export", tmp / "c", "--canvas", tmp / "bare.csv")
grades, _ = canvas((tmp / "bare.csv").read_text(encoding="utf-8"), people)
check(sorted(grades) == ["Big, Bob", "Doe, Jane", "Lei, Ann; 雷"], "Canvas: without its export students are found by its ID", list(grades))
rows = list(csv.DictReader(io.StringIO((tmp / "bare.csv").read_text(encoding="utf-8-sig"))))
check(not any(r["SIS Login ID"] for r in rows), "Canvas: and no number stands as a login", rows)
for bad, why in ((text.replace("Section", "Class"), "no Section"), (text.replace("Student,ID", "Name,Number"), "no Student and ID")):
    try:
        canvas(bad, people)
        check(False, f"Canvas: {why} is refused")
    except Rejected:
        check(True, f"Canvas: {why} is refused")

# ---- Moodle: "Download all submissions", and its grading worksheet as roster ----
hand_in("moodle", {"Jane Doe_4321_assignsubmission_file/hello.cu": answer, "李 雷_4322_assignsubmission_file/hello.cu": skeleton,
                   "Bob Big_4323_assignsubmission_file/hello.cu": large})
names = {"4321": "Jane Doe", "4322": "李 雷", "4323": "Bob Big", "4324": "Nora None"}
out = io.StringIO()
w = csv.writer(out, lineterminator="\n")
w.writerow(["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
            "Feedback comments"])
for k, name in names.items():
    w.writerow(["Participant " + k, name, k + "@uni.example", "Submitted for grading", "", "50.00", "Yes", "Thursday, 1 October 2026, 11:58 PM", "-", "said, \"before\""])
(tmp / "moodle.csv").write_text("\ufeff" + out.getvalue())
p = run("grade", "--batch", tmp / "moodle", "--out", tmp / "m", "--lab", "hello", "--roster", tmp / "moodle.csv", "--device", "sim:h200", "--quiet", *sandbox)
p = run("gradebook", "export", tmp / "m", "--moodle", tmp / "m.csv", "--roster", tmp / "moodle.csv")
text = (tmp / "m.csv").read_text(encoding="utf-8")
got = moodle(text, names)
check(got.get("Jane Doe") == "50" and 0 <= float(got.get("李 雷") or "nan") < 50, "Moodle: the answer has its Maximum Grade, the skeleton less", (got, p.stderr))
check(got.get("Bob Big") == "" and got.get("Nora None") == "", "Moodle: no score is an empty cell, never a zero", got)
check([r["Feedback comments"] for r in csv.DictReader(io.StringIO(text.lstrip("\ufeff")))] == ["said, \"before\""] * 4, "Moodle: what is not ours is as it was", text)
for bad, why in ((text.replace("Last modified (grade)", "Changed"), "no Last modified (grade)"), (text + "a,b\n", "a row of another width")):
    try:
        moodle(bad, names)
        check(False, f"Moodle: {why} is refused")
    except Rejected:
        check(True, f"Moodle: {why} is refused")
end()
