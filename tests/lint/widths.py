#!/usr/bin/env python3
"""tests/lint/widths.py FILE...: lines of prose with more than 100 columns.

Comments that fill their lines, in C, headers, tables (.def), catalogues, lessons, shell scripts and
Makefiles, and what the head of a Python script says. Wide characters count two columns.

Exempt: code (clang-format holds C's); tables, which have three blanks between two words; what a
tool reads ("made by:", "// expect:"); Chinese comments. And two kinds of files: programs (*.cu,
*.ptx), whose lines tests and lessons count, and what was recorded. tests/lint/words.py holds the
pages.
Exit status 1 where there is one, a line for each."""
import ast, re, sys, unicodedata

COMMENT = re.compile(r"\s*(//|#\.|#|--|/\*\*?|\*) (\S.*)$")
TOOLS = re.compile(r"(made by|timeout|expect|want|zh|file|answer): |shellcheck |clang-format ")
CHINESE = re.compile("[\u3000-\u9fff]")


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def is_table(text):
    return bool(re.search(r"\S {3,}\S", text)) or text.startswith(("|", "--", "=="))


def comments(text):
    here = None  # the end of a shell script's here-document
    for number, line in enumerate(text.split("\n"), 1):
        begins = re.search(r"<<-?\s*['\"\\]?(\w+)", line)
        if here:
            here = None if line.strip() == here else here
        elif found := COMMENT.match(line):
            yield number, line, found[2]
        elif begins and text.startswith("#!"):
            here = begins[1]


def head(text):
    """The lines of a Python script's docstring."""
    body = ast.parse(text).body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        lines = text.split("\n")
        for number in range(body[0].lineno, body[0].end_lineno + 1):
            line = lines[number - 1]
            if not line.startswith(" "):
                yield number, line, line


def main():
    bad = 0
    for path in sys.argv[1:]:
        text = open(path, encoding="utf-8").read()
        for number, line, said in (head if path.endswith(".py") else comments)(text):
            wide = columns(line)
            if wide > 100 and not is_table(said) and not TOOLS.match(said) and not CHINESE.search(line):
                print(f"{path}:{number}: {wide} columns; 100 at most")
                bad += 1
    sys.exit(bad > 0)


main()
