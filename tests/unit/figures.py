#!/usr/bin/env python3
"""Every figure with a unit of time or bandwidth in a lesson's text that names the H200 stands in a
table of measurements: docs/results-h200.md (make bench-gpu), tests/truth (g80.def has the published
ones of the device that is often set beside it). A figure is found where a measured number, rounded
as it is written there, is it; microseconds may be told as milliseconds, and the other way round.
Words, counts and ratios are not looked at. And what docs/model-tables.md tells of other devices is
what its tables there sum up.

    figures.py          a line "not ok" for each figure that stands nowhere, and exit status 1; else one "ok"
    figures.py TEXT     the same of a text instead of the lessons: for the test of this test (figures.sh)"""
import glob
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
TABLES = ["docs/results-h200.md"] + sorted(glob.glob("tests/truth/*.jsonl") + glob.glob("tests/truth/*.def") + glob.glob("tests/truth/*.h200.txt"))
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
UNIT = r"us|microseconds?|微秒|ms|milliseconds?|毫秒|ns|纳秒|GB/s|TB/s|TFLOP/s|GFLOP/s|cycles?|周期|个周期"
FIGURE = re.compile(r"(?<![\w.,])(%s) ?(%s)(?![\w/])" % (NUMBER, UNIT))


def measured():
    pool = set()
    for name in TABLES:
        for number in re.findall(NUMBER, open(name, encoding="utf-8").read()):
            pool.add(float(number.replace(",", "")))
    return sorted(pool)


def stands(text, pool):
    value = float(text.replace(",", ""))
    digits = len(text.partition(".")[2])
    bare = text.replace(",", "")
    # 1,340 for 1,335.9 is rounded, too: as many places as the zeros at its end leave
    half = 0.5 * 10.0 ** -digits if digits or not bare.endswith("0") else 0.5 * 10.0 ** (len(bare) - len(bare.rstrip("0")))
    half = min(half, 0.05 * value) if value else half
    for scale in (1, 1000, 0.001):
        low, high = (value - half) * scale, (value + half) * scale
        if any(low * (1 - 1e-9) <= p <= high * (1 + 1e-9) for p in pool):
            return True
    return False


def strings(source):
    """The literals of a Lua file with the line each begins on."""
    for m in re.finditer(r"\[\[(.*?)\]\]|\"((?:[^\"\\\n]|\\.)*)\"", source, re.S):
        yield source.count("\n", 0, m.start()) + 1, m.group(1) or m.group(2) or ""


def wrong(text, pool):
    """Paragraphs that name the H200, and tables under them."""
    named = False
    for paragraph in re.split(r"\n[ \t]*\n", text):
        table = all(line.startswith(" " * 10) for line in paragraph.splitlines() if line.strip())
        named = "H200" in paragraph or (named and table)
        if named:
            for sentence in re.split(r"(?<=[.!?]) |(?<=[.!?])\n|[。！？；]", paragraph):
                if "G80" in sentence and "H200" not in sentence:
                    continue  # the sources' own device
                for m in FIGURE.finditer(sentence):
                    if not stands(m.group(1), pool):
                        yield m.group(0)


def summaries(text):
    """What the list of "Other devices" says, and what the last lines of its tables say: (kernels, median error, pairs in order, pairs)."""
    part = text[text.index("## Other devices"):]
    listed = [(n, m, int(right or pairs), int(pairs)) for n, m, right, pairs in
              re.findall(r"^- [^:\n]+: (\d+) kernels, median error (\d+)%, (?:all|(\d+) of) (\d+) pairs", part, re.M)]
    part = part[:part.index("\n## ", 3)]
    made = [(n, m, int(pairs) - int(wrong), int(pairs)) for n, m, wrong, pairs in
            re.findall(r"^(\d+) kernels: median error (\d+)%.*?; (\d+) of (\d+) pairs in the wrong order", part, re.M)]
    return listed, made


def main():
    pool, bad = measured(), 0
    summed = subprocess.run(["tests/truth/summary.py"], capture_output=True, text=True, check=True).stdout
    if len(sys.argv) == 1:
        told = "<!-- summary -->\n%s<!-- end summary -->" % summed in open("docs/model.md", encoding="utf-8").read()
        bad |= not told
        print("ok docs/model.md sums up the tables of docs/model-tables.md" if told else "not ok docs/model.md sums up the tables of docs/model-tables.md (tests/truth/summary.py --write)")
    listed, made = summaries(open("docs/model-tables.md", encoding="utf-8").read())
    if len(sys.argv) == 1:
        bad |= listed != made or not made
        print("not ok docs/model-tables.md tells of other devices %s, its tables %s" % (listed, made) if bad else "ok docs/model-tables.md tells of other devices what its tables sum up")
    if len(sys.argv) > 1:
        found = [("text", 1, f) for f in wrong(sys.argv[1], pool)]
    else:
        found = []
        for name in sorted(glob.glob("labs/*.lua")):
            for line, text in strings(open(name, encoding="utf-8").read()):
                found += [(name, line, f) for f in wrong(text, pool)]
        for n, line in enumerate(open("labs/facts.txt", encoding="utf-8"), 1):
            if "| H200 |" in line:
                found += [("labs/facts.txt", n, f) for f in wrong("H200 " + line, pool)]
    for name, line, figure in found:
        print("not ok %s:%d: %s of an H200 stands in no table of measurements" % (name, line, figure))
        bad = 1
    if not bad:
        print("ok every figure of an H200 in %s stands in a table of measurements" % ("a text" if len(sys.argv) > 1 else "a lesson"))
    return bad


sys.exit(main())
