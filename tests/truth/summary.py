#!/usr/bin/env python3
"""The table of docs/model.md, "How far it is right", from the last lines of the tables of
docs/model-tables.md: a row a set of kernels.

    summary.py            prints the table
    summary.py --write    puts it into docs/model.md (`make model` does)"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TABLES, PAGE = os.path.join(ROOT, "docs/model-tables.md"), os.path.join(ROOT, "docs/model.md")
# name of the table, device, its kernels, was the model tuned on them?
SETS = [("h200", "H200", "the techniques of the labs", "yes"),
        ("spaces", "H200", "textures, instructions, fences, constants", "in part"),
        ("held_out", "H200", "other kinds of kernels", "afterwards, on some"),
        ("fields", "H200", "pictures, signals, genomes, finance", "afterwards"),
        ("trades", "H200", "other trades", "afterwards, on two"),
        ("pairs", "H200", "18 pairs by another author", "afterwards"),
        ("arts", "H200", "two further authors", "afterwards"),
        ("fresh", "H200", "a further author", "no"),
        ("h100", "H100", "`held_out` again", "as `held_out`"),
        ("crafts", "H100", "20 pairs by another author", "afterwards"),
        ("a100", "A100", "published by others", "no"),
        ("rtx4090", "RTX 4090", "published by others", "no"),
        ("t4", "T4", "published by others", "no"),
        ("g80", "G80", "published by others", "in part")]
SUM = re.compile(r"^(\d+) kernels: median error (\d+)%, nine of ten within (\d+)%; (\d+ of \d+) pairs in the wrong order", re.M)
MARK = re.compile(r"(?<=<!-- summary -->\n).*?(?=<!-- end summary -->)", re.S)


def table():
    text = open(TABLES, encoding="utf-8").read()
    out = ["| set | device | kernels | median error | nine of ten within | pairs in the wrong order | tuned on these kernels? |", "|---|---|---|---:|---:|---:|---|"]
    for name, device, what, seen in SETS:
        m = SUM.search(text[text.index(f"<!-- {name} -->"):text.index(f"<!-- end {name} -->")])
        out.append(f"| `{name}` | {device} | {m[1]}: {what} | {m[2]}% | {m[3]}% | {m[4]} | {seen} |")
    return "\n".join(out) + "\n"


def main():
    if "--write" not in sys.argv:
        return print(table(), end="")
    page = open(PAGE, encoding="utf-8").read()
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(MARK.sub(lambda _: table(), page))


if __name__ == "__main__":
    main()
