#!/usr/bin/env python3
"""The student's seat in figures: from the start to the prompt; how long a check of an unchanged
file takes to answer at the prompt; and how long a changed file takes to be graded, beside nvcc
alone on the same text: the median over labs of that ratio, each pair run one after the other, so
that what else the machine does slows both. No test: it says what it measured and how busy the
machine was.

    tests/bench/seat.py [LAB...]     every lab with one file; B=build names the build"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "repl"))
from terminal import WARPLAB, Session  # noqa: E402: it lies in another folder

TURNS = 3


def find_nvcc():
    for path in (os.environ.get("WARPLAB_NVCC"), "/usr/local/cuda/bin/nvcc", ROOT + "/.toolchain/cuda/bin/nvcc"):
        if path and os.path.exists(path):
            return path
    return shutil.which("nvcc") or sys.exit("there is no nvcc")


def seconds(argv):
    begun = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begun


def unchanged():
    """One lab passed at the prompt, then `check` once more, from the key to the answer."""
    with tempfile.TemporaryDirectory(prefix="warplab-seat-") as home:
        t = Session(home, "en")
        t.expect("warplab >")
        t.do("start vector-add", r"vector-add \d+/\d+ >")
        shutil.copy(ROOT + "/answers/vector-add.cu", home + "/work/vector-add.cu")
        end, more = r"vector-add \d+/\d+ >", r"-- Enter: more, q: enough --"

        def check():
            """From the key to what follows the answer; whether it said that the file is the same."""
            while t.read(0.5):  # what is still on its way
                pass
            t.text = ""
            begun, text = time.perf_counter(), t.do("check", "(?:not changed|points).*?(?:%s|%s)" % (end, more), 300)
            while text.endswith("--"):
                t.send("\r")
                text += t.expect("%s|%s" % (end, more), 60)
            return time.perf_counter() - begun, "has not changed since" in text

        check()
        times = []
        for _ in range(5):
            took, same = check()
            if not same:
                sys.exit("an unchanged file was graded again")
            times.append(took)
        t.close()
    return statistics.median(times)


def changed(lab, nvcc, folder):
    """Graded beside compiled; None: a lab of several files, or one that does not pass."""
    source = "%s/answers/%s.cu" % (ROOT, lab)
    text = open(source).read() if os.path.exists(source) else ""
    if not text or "// file:" in text:
        return None
    path, ours, theirs = "%s/%s.cu" % (folder, lab), [], []
    for turn in range(TURNS + 1):
        with open(path, "w") as f:
            f.write("%s\n// %d at %f\n" % (text, turn, time.time()))
        bare = seconds([nvcc, "-O3", "-lineinfo", "-std=c++17", "-arch=sm_90", "-cudart", "shared", "-I", ROOT + "/kernels", "-c", path, "-o", path + ".o"])
        graded = seconds([WARPLAB, "grade", lab, path, "--device", "sim:h200"])
        if turn:  # the first builds the baseline
            theirs.append(bare)
            ours.append(graded)
    return statistics.median(ours) / statistics.median(theirs)


before = os.getloadavg()[0]
prompt = subprocess.run([sys.executable, ROOT + "/tests/bench/repl.py", WARPLAB], capture_output=True, text=True, check=True).stdout.strip()
print("to the prompt: %s ms (wanted: under 20)" % prompt, flush=True)
print("an unchanged file answers in %.4f s (wanted: under 0.3)" % unchanged(), flush=True)
labs = sys.argv[1:] or sorted(f[:-4] for f in os.listdir(ROOT + "/labs") if f.endswith(".lua"))
with tempfile.TemporaryDirectory(prefix="warplab-seat-") as folder:
    found = {}
    for lab in labs:
        ratio = changed(lab, find_nvcc(), folder)
        if ratio:
            found[lab] = ratio
            print("  %-20s %.2f" % (lab, ratio), flush=True)
print("a changed file, graded, beside bare nvcc: median %.2f over %d labs, worst %.2f (wanted: 1.3)" % (statistics.median(found.values()), len(found), max(found.values())))
print("load of the machine: %.1f before, %.1f after" % (before, os.getloadavg()[0]))
