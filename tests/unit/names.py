#!/usr/bin/env python3
"""Private names say their file: no static function's name stands in three files or more, no
file-local type's in two. A reader who meets one in a search, a profile or a debugger then knows
where he is. Public names have their layer's prefix; tests/unit/rooms.py holds those.

    names.py [FOLDER]     the tree that FOLDER holds instead of this one (names.py checks itself so)"""
import collections
import glob
import os
import re
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def plain(text):
    """The text without comments, strings and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def declarations(text):
    """What stands at the top level, what is between braces left out: code begins at the first column, as clang-format has it."""
    chunk = ""
    for piece in re.split(r"^(?=[A-Za-z_])", plain(text), flags=re.M):
        chunk += piece
        if not chunk.rstrip().endswith((";", "}")):  # a type on a line of its own
            continue
        out, depth = [], 0
        for c in chunk:
            depth -= c == "}"
            if depth <= 0:
                out.append(c)
            depth += c == "{"
        yield " ".join(re.sub(r"__attribute__ *\(\(.*?\)\)+", "", "".join(out)).split())
        chunk = ""


def function(text):
    """The name of a static function that is defined here."""
    m = re.match(r"(?:\w+ )*static\b[^;=(]*?(\w+)\([^;=]*\) ?\{", text)
    return m and m.group(1)


def types(text):
    """Names of types that are defined here, not only declared."""
    for m in re.finditer(r"\b(?:struct|union|enum) (\w+) ?\{", text):
        yield m.group(1)
    if not text.startswith("typedef") or re.match(r"typedef (?:struct|union|enum) (\w+) \1;", text):
        return
    m = re.match(r"typedef [^;]*?\( ?\*? ?(\w+) ?\) ?\(", text) or re.match(r"typedef [^;(]*?(\w+) ?\([^;]*\);", text) or \
        re.match(r"typedef [^;]*?(\w+)(?: ?\[[^]]*\])*(?: __attribute__[^;]*)?;", text)
    if m:
        yield m.group(1)


def survey(root):
    functions, kinds = collections.defaultdict(set), collections.defaultdict(set)
    for folder in "runner", "grader":
        for path in glob.glob(f"{root}/{folder}/**/*.*", recursive=True):
            if not path.endswith((".c", ".h", ".inc")):
                continue
            name = os.path.relpath(path, root)
            with open(path, encoding="utf-8") as f:
                for text in declarations(f.read()):
                    found = function(text)
                    if found and not path.endswith(".h"):
                        functions[found].add(name)
                    for kind in types(text):
                        kinds[kind].add(name)
    # A name that only headers define is public to its room; the same name in a file would hide it.
    return {k: v for k, v in functions.items() if len(v) > 2}, \
        {k: v for k, v in kinds.items() if len(v) > 1 and any(not f.endswith(".h") for f in v)}


failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:8])})" if bad else f"ok {what}")


def where(found):
    return [f"{name}: {' '.join(sorted(files))}" for name, files in sorted(found.items())]


def check_itself():
    """A tree with three functions of one name, two types of one name, and what is not to be confused with them."""
    own = "static int (*told)(int);\nstatic int twice(int x) {\n    struct inner { int a; } i = {x};\n    return i.a;\n}\nint public_one(void) {\n    return 0;\n}\n"
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/runner")
        for k, text in enumerate((
                own + "static void\nkeep(int x) {\n}\ntypedef struct {\n    int a;\n} reader;\ntypedef struct opaque opaque;\nstruct opaque {\n    int b;\n};\n",
                own.replace("twice", "once") + "/* static void comment(void) {} */\n__attribute__((format(printf, 1, 2))) static void keep(const char *f, ...) {\n}\n"
                "typedef int reader(int x);\n",
                "static void keep(void) {\n}\ntypedef struct opaque opaque;\ntypedef enum { A, B } other;\nstatic const struct row {\n    int a;\n} rows[] = {{1}};\n",
                "typedef struct row row;\ntypedef struct opaque opaque;\nenum row { C };\n#define X static void keep(void) {\n")):
            with open(f"{root}/runner/{k}.c", "w", encoding="utf-8") as f:
                f.write(text)
        functions, kinds = survey(root)
    return [str(x) for x in (sorted(functions), sorted(kinds)) if x not in (["keep"], ["reader", "row"])] + \
        ([] if len(functions["keep"]) == 3 else ["keep"])


check("a tree with such names is seen for one", check_itself())
functions, kinds = survey(sys.argv[1] if len(sys.argv) > 1 else ROOT)
check("no static function's name stands in three files or more", where(functions))
check("no file-local type's name stands in two files", where(kinds))
sys.exit(failed)
