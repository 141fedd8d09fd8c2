#!/usr/bin/env python3
"""tests/lint/words.py FILE...: pages against the habits that the row prove.habits of each catalogue
lists, and lines of at most 100 columns.

Code is left out: fenced or indented blocks and what stands between backticks. Tables have lines as
long as they need, and the guides to writing quote what they advise against. Exit status 1 where
anything is found, a line for each."""
import os, re, sys, unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHINESE = "[\u4e00-\u9fff]"


def habits():
    table = []
    for lang in ("en", "zh"):
        po = os.path.join(ROOT, f"runner/base/words/{lang}.po")
        row = re.search(r'^msgid "prove.habits"\nmsgstr ""\n((?:".*"\n)+)', open(po, encoding="utf-8").read(), re.M)
        lines = re.findall(r'^"(.*) => (.*?)(?:\\n)?"$', row.group(1), re.M) if row else []
        assert len(lines) > 10, f"{po}: its habits are not read"
        table += [(lang, re.compile(pattern.replace("{{", "{")), better) for pattern, better in lines]
    return table


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def prose(path):
    """(number, line, is it a table's) of all that is no code."""
    fenced, before = False, ""
    for number, line in enumerate(open(path, encoding="utf-8").read().split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not (line.startswith("    ") and (not before.strip() or before.startswith("    "))):
            yield number, line, line.lstrip().startswith("|")
        before = line


def look(path, table):
    chinese = "/zh/" in path
    found = []
    for number, line, row in prose(path):
        if not row and columns(line) > 100 and "](" not in line:
            found.append((number, f"{columns(line)} columns; 100 at most"))
        plain = re.sub(r"`[^`]*`", "_", line)
        for lang, pattern, better in table:
            hit = pattern.search(plain) if (lang == "zh") == chinese else None
            if hit:
                found.append((number, f'"{hit.group().strip()}": {better}'))
        if chinese and table and (hit := re.search(f"{CHINESE} +{CHINESE}|{CHINESE}[,;!?]", plain)):
            found.append((number, f'"{hit.group()}": full-width punctuation, no blank between Chinese words'))
    return [f"{path}:{number}: {what}" for number, what in found]


def main():
    table = habits()
    # The guides quote what they advise against, and what changed is told as it was then: only their widths count.
    quoting = ("WRITING.md", "CHANGELOG.md")
    found = [line for path in sys.argv[1:] for line in look(path, [] if path.endswith(quoting) else table)]
    print("\n".join(found))
    sys.exit(bool(found))


main()
