#!/usr/bin/env python3
"""docs/RECIPES.md against the tree: each file that a recipe names is there and holds the form of
row, or the place, that the recipe tells to go to; each recipe says what is automatic and which
tests check it, which are there too. CONTRIBUTING.md and docs/HACKING.md point there and have no
recipe of their own."""
import glob
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGE = "docs/RECIPES.md"
failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:6])})" if bad else f"ok {what}")


def lines_with(form, files):
    """Lines of these files that hold the form, up to its `...`."""
    start = form.split("...")[0]
    found = 0
    for f in files:
        if os.path.isfile(f):
            found += sum(start in line for line in open(f, encoding="utf-8", errors="replace"))
    return found


def wrong(text):
    """What of a page of recipes is not so: one list a recipe."""
    for title, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        bad = []
        rows = re.findall(r"^\| `([^`]+)` \| (?:`([^`]+)`)? ?\| (.+) \|$", body, re.M)
        if not rows or len(rows) != len(re.findall(r"^\| `", body, re.M)):
            bad.append("a row is not: | `file` | `form` | what |")
        for name, form, what in rows:
            files = glob.glob(name)
            least = 2 if what.startswith(("a row", "a line")) and form.endswith("(...") else 1  # a row of a table has others beside it
            if not files:
                bad.append(f"no {name}")
            elif form and len(form.split("...")[0]) < 3 and "*" not in name:
                bad.append(f"{form} says nothing of {name}")
            elif form and lines_with(form, files) < least:
                bad.append(f"{name} has no {form}")
        tests = re.search(r"^Test: (.+?)(?=\n\n|\n*\Z)", body, re.M | re.S)
        if not tests or not re.search(r"^Automatic: ", body, re.M):
            bad.append("it does not say what is automatic, and its test")
        # Other files that it names.
        for name in re.findall(r"`((?:tests|docs|runner|grader)/[\w./*-]+\.\w+)", body):
            if not glob.glob(name):
                bad.append(f"no {name}")
        for name in re.findall(r"`(tests/\S+?)`", tests.group(1) if tests else ""):
            if not os.path.exists(name):
                bad.append(f"no test {name}")
        yield title, bad


page = open(PAGE, encoding="utf-8").read()
titles = []
for title, bad in wrong(page):
    titles.append(title)
    check(title, bad)
for title in ("An instruction", "A device", "A kind of goal", "A report format"):
    check(f"there is a recipe: {title}", [] if title in titles else ["none"])
check("lines are at most 100 columns but for tables", [line[:40] for line in page.split("\n") if len(line) > 100 and not line.startswith("|")])

# What somebody who follows a recipe forgets without a test: the line elsewhere for a row of a table. (Chinese pages: docs_zh.py)
def rows(path, form):
    return re.findall(form, open(path, encoding="utf-8").read(), re.M)


def lacks(path, words):
    text = open(path, encoding="utf-8").read()
    return [w for w in words if not re.search(w, text)]


NEEDY = r'^OP\(\w+, "([^"]+)".*\nNEED\('
needy = set(rows("runner/device/sim/ptx/ops.def", NEEDY)) - {"brx.idx"}  # its list of labels takes more than a line
check("each instruction that needs a version or a target has a line in tests/ptx/needs.txt", lacks("tests/ptx/needs.txt", [rf"sm_\d+a? {re.escape(n)}[.; ]" for n in sorted(needy)]))
options = rows("grader/report.h", r'^    ROW\(\w+, \w+, "([\w-]+)"')
check("each format of a report has its option in docs/grader.md", lacks("docs/grader.md", [f"`--{o}`" for o in options]))
kinds = rows("grader/goals.def", r"^GOAL\(\w+, (\w+)\)")
check("each kind of goal is in the table of docs/instructor.md", lacks("docs/instructor.md", [rf"\n\| `{k}\b" for k in kinds]))
check("there are such rows", [] if len(needy) > 50 and len(options) > 5 and len(kinds) > 5 else [f"{len(needy)} {len(options)} {len(kinds)}"])

# One place: no recipe stands elsewhere.
for path in ("CONTRIBUTING.md", "docs/HACKING.md"):
    text = open(path, encoding="utf-8").read()
    check(f"{path} points there", [] if "RECIPES.md" in text else ["no link"])
    check(f"{path} has no recipe of its own", re.findall(r"^\*\*(?:An? |another |the ).{0,60}\*\*:", text, re.M | re.I))

# What is no longer so is seen.
for what, old, new in (("file", "runner/device/sim/ptx/ops.def", "runner/device/sim/ptx/opz.def"), ("form of a row", "`COUNTER(...`", "`COUNTED(...`"), ("place", "`count_insn`", "`count_insm`"),
                       ("test", "tests/unit/test_occupancy.c", "tests/unit/test_occupied.c"), ("missing line", "Automatic: `warplab devices`", "So: `warplab devices`")):
    seen = old in page and any(bad for _, bad in wrong(page.replace(old, new)))
    check(f"another {what} is seen", [] if seen else ["it is not"])
sys.exit(failed)
