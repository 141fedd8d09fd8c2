#!/usr/bin/env python3
"""docs/HACKING.md against the tree: every file and folder that it names is there, every room is
named, and the flows go through the files and functions that they list, in at most as many files as
their titles say."""
import os
import re
import shutil
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGE = "docs/HACKING.md"
text = open(PAGE, encoding="utf-8").read()
if not (shutil.which("git") and os.path.exists(".git")):
    print("skip docs/HACKING.md against the tree (this is no git checkout, or there is no git)")
    sys.exit(0)
files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout.split()
files = [f for f in files if os.path.exists(f)]
folders = {os.path.dirname(f) for f in files}
folders |= {"/".join(f.split("/")[:k]) for f in folders for k in range(1, f.count("/") + 1)}
failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:6])})" if bad else f"ok {what}")


def there(name):
    """A file or a folder by the end of its path; * stands for anything in one name."""
    pattern = re.compile("(^|/)" + re.escape(name.rstrip("/")).replace(r"\*", "[^/]*") + "$")
    pool = folders if name.endswith("/") else files
    return any(pattern.search(f) for f in pool)


# Words in backticks that look like a path of ours. ID, NAME, KEY, LAB stand for anything.
named = set(re.findall(r"`([a-z][\w./*-]*(?:\.(?:c|h|inc|def|sh|py|txt|md|lua|cu)|/))`", text))
check("every file and folder that it names is there", sorted(n for n in named if not n.startswith("build/test-logs") and not there(n)))

rooms = sorted({os.path.dirname(f) for f in files if re.match(r"(runner|grader)/.*\.[ch]$", f)} - {"runner", "grader"})
check("every room is named", [r for r in rooms if not re.search(r"\b" + re.escape(r.rpartition("/")[2]) + r"\b", text)])

check("its lines are at most 100 columns", [line[:40] for line in text.split("\n") if len(line) > 100])

flows = re.findall(r"^### ([^\n]+?) \(at most (\d+) files[^\n]*\)\n(.*?)(?=^###? |\Z)", text, re.M | re.S)
check("it has three flows", [] if len(flows) == 3 else [f"found {len(flows)}"])
for title, most, body in flows:
    steps = re.findall(r"^    (\S+\.\w+) +(\w+)", body, re.M)
    seen = {f for f, _ in steps}
    check(f"{title}: at most {most} files", [] if 4 < len(seen) <= int(most) else [f"it lists {len(seen)}"])
    bad = []
    for path, symbol in steps:
        if not os.path.exists(path):
            bad.append(f"no {path}")
        elif not re.search(r"\b" + re.escape(symbol) + r"\b", open(path, encoding="utf-8").read()):
            bad.append(f"{path} has no {symbol}")
    check(f"{title}: each file has what the flow goes through", bad)
sys.exit(failed)
