#!/usr/bin/env python3
"""tests/lint/equal.py: the rows of tests/mutants/equal.txt whose line stands in its file no more.

Such a row excuses nothing, and its change counts as alive again: correct the row, or remove it.
Exit status 1 where there is one, a line for each."""
import glob, os, re, sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
LIST = "tests/mutants/equal.txt"


def lines_of():
    """The lines of each source file, without the blanks around them."""
    table = {}
    for folder in ("runner", "grader"):
        for path in glob.glob(folder + "/**/*", recursive=True):
            if path.endswith((".c", ".h", ".inc", ".def")):
                table[path] = {l.strip() for l in open(path, encoding="utf-8")} - {""}
    return table


def stands(row, table):
    """FILE|OLD LINE|NEW LINE|WHY; the lines may have bars, too."""
    path, _, rest = row.partition("|")
    return any(rest.startswith(line + "|") for line in table.get(path, ()))


def fits(row, table):
    """~ PATTERN ~ WHY: some line is one that the pattern's OLD LINE describes."""
    parts = re.split(r"\\\|", row[2:].split(" ~ ")[0])
    paths = [p for p in table if re.fullmatch(parts[0].rstrip("|").replace("[^|]*", ".*"), p)]
    for bars in range(1, len(parts) - 1):
        try:
            old = re.compile(r"\|".join(parts[1:bars + 1]))
        except re.error:  # cut inside parentheses
            continue
        if any(old.fullmatch(line) for p in paths for line in table[p]):
            return True
    return False


def main():
    table, gone, count = lines_of(), [], 0
    for number, row in enumerate(open(LIST, encoding="utf-8").read().split("\n"), 1):
        if not row or row.startswith("#"):
            continue
        count += 1
        if not (fits if row.startswith("~ ") else stands)(row, table):
            gone.append(f"{LIST}:{number}: stands nowhere: {row[:160]}")
    print("\n".join(gone) if gone else f"{count} rows")
    sys.exit(bool(gone) or not count)


main()
