#!/usr/bin/env python3
"""docs/zh against its English twins: a page has its twin's headings, table rows, commands, code
words, links and figures, so that nothing is lost or stale; what is made of tables (counters,
glossary) is as the tables say. `--write` makes those anew."""
import os
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGES = {"README": "README.md", "student": "docs/student.md", "instructor": "docs/instructor.md", "grader": "docs/grader.md",
         "counters": "docs/counters.md", "glossary": "docs/glossary.md",
         "debugger": "docs/debugger.md", "staff": "docs/staff.md", "packs": "docs/packs.md",
         "install": "docs/install.md", "grading": "docs/grading.md"}
MORE = {"docs/zh/README.md": {"/etc/apt/sources.list", "/etc/apt/sources.list.d/", "PIP_INDEX_URL"}}  # mirrors: of use to readers in China
SAYS = ("| it says |", "| 它说 |")  # tables whose first column quotes messages, which differ by language
HAN = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
MARK = {"counters": ("| counter |", "| 计数器 |"), "glossary": ("| word |", "| 中文名 |")}


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def c_rows(path, name):
    """NAME("a", "b|c", ...) rows of a .def; bare words count as strings."""
    for m in re.finditer(rf"^{name}\((.*)\)$", read(path), re.M):
        fields = re.findall(r'"((?:[^"\\]|\\.)*)"|(?:^|, )([^",][^,]*)', m.group(1))
        yield [a or b for a, b in fields]


def po_rows(lang, prefix):
    """Rows of a catalogue that have one form, by id."""
    text = read(f"runner/base/words/{lang}.po")
    rows = re.findall(r'^msgid "(' + re.escape(prefix) + r'[^"]*)"\nmsgstr ((?:"(?:[^"\\]|\\.)*"\n)+)', text, re.M)
    return {id: re.sub(r"\\(.)", r"\1", "".join(re.findall(r'"((?:[^"\\]|\\.)*)"\n', s))) for id, s in rows}


def meanings(lang):
    return {id.removeprefix("counter.").replace("-", "_"): text for id, text in po_rows(lang, "counter.").items()}


def units():
    """The Chinese word of each unit, by its English one."""
    words = [po_rows(lang, "unit.") for lang in ("en", "zh")]
    return {en: words[1][row] for row, en in words[0].items()}


COUNTERS = {  # what stands above the second table, and what a row's kind is called
    "en": ("| counter | unit | Nsight Compute | meaning |", "none", "| name | of | unit | meaning |", "two counters", "a deed, all its ways", "the worst launch", "a call, summed", "a call as a whole",
           """
## Ratios, and figures of a launch or a call

You can use these names wherever you can use the name of a counter: in goals and in `compare`.

Each counter above counts one way of doing a thing. A *deed* is the sum of all ways of doing this
thing, whatever the instructions are. If a goal names a deed, a program therefore cannot avoid the
goal by doing the thing in another way. Bulk copies, copies on the device and memsets work on ranges
of memory. They count as if each lane of a warp moved 4 bytes.
"""),
    "zh": ("| 计数器 | 单位 | Nsight Compute | 含义 |", "无", "| 名称 | 属于 | 单位 | 含义 |", "两个计数器", "一种行为，各种做法", "最差的一次启动", "一次调用，求和", "一次调用整体",
           """
## 比率，以及一次启动或一次调用的数据

能写计数器名字的地方，即目标和 `compare` 里，也都能写这些名字。

上面的每个计数器只数一种做法。*行为*是同一件事所有做法的总和，不论用什么指令。
所以目标写的如果是行为，程序换一种做法也绕不过这个目标。批量拷贝、设备内拷贝和 memset
处理的是一段内存，计数时当作一个 warp 的每个 lane 各搬 4 字节。
""")}


def counters(lang):
    columns, none, more, *kinds, between = COUNTERS[lang]
    meaning, rule = meanings(lang), "|---|---|---|---|"
    unit = units() if lang == "zh" else {}
    out = [columns, rule]
    for name, of, ncu in c_rows("runner/device/sim/counters.def", "COUNTER"):
        out.append(f"| `{name}` | {unit.get(of, of)} | {none if ncu == '-' else f'`{ncu}`'} | {meaning[name]} |")
    out += [between, more, rule]
    for kind, of, path in zip(("DERIVED", "DEED", "LAUNCH_METRIC", "CALL_METRIC", "WHOLE_METRIC"), kinds,
                              ("runner/device/sim/derived.def", "runner/device/sim/deeds.def") + 3 * ("grader/judge/metrics.def",)):
        out += [f"| `{r[0]}` | {of} | {unit.get(r[1], r[1])} | {meaning[r[0]]} |" for r in c_rows(path, kind)]
    return out


def glossary(zh):
    doc = meanings("en")
    ncu = {r[0]: f"`{r[2]}`" if r[2] != "-" else "" for r in c_rows("runner/device/sim/counters.def", "COUNTER")}
    meaning = meanings("zh")
    words = {lang: po_rows(lang, "glossary.") for lang in ("en", "zh")}
    out = ["| 中文名 | 英文名 | Nsight Compute | 解释 | 实验 |" if zh else "| word | Chinese | Nsight Compute | meaning | lab |", "|---|---|---|---|---|"]
    path = "runner/grade/glossary.def"
    for kind in ("TERM", "COUNTER_TERM"):
        for r in c_rows(path, kind):
            row = "glossary." + r[0].lower().replace("_", "-")
            en, han = (words[lang][row].split("|")[0] for lang in ("en", "zh"))
            if kind == "TERM":
                nsight, lab = r[1:]
                say_en, say_zh = (words[lang][row + ".means"] for lang in ("en", "zh"))
            else:
                lab, nsight = r[1], ncu.get(r[0], "")
                say_en, say_zh, en = doc[r[0]], meaning[r[0]], f"`{en}`"
            cells = [han, en, nsight, say_zh, lab] if zh else [en, han, nsight, say_en, lab]
            out.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return out


MADE = {"docs/counters.md": ("counters", lambda: counters("en")), "docs/zh/counters.md": ("counters", lambda: counters("zh")),
        "docs/zh/glossary.md": ("glossary", lambda: glossary(True)),
        "docs/glossary.md": ("glossary", lambda: glossary(False))}


def blocks(text):
    """Code blocks (four blanks, with an empty line before), and the text without them."""
    out, rest, inside, before = [], [], False, ""
    for line in text.split("\n"):
        if line.startswith("    ") and (inside or not before.strip()):
            if not inside:
                out.append([])
            inside = True
            out[-1].append(line[4:])
        else:
            inside = inside and not line.strip() and bool(out)
            rest.append(line)
        before = line
    return out, "\n".join(rest)


def commands(block):
    """What of a block does not depend on the language: with a prompt what is typed, otherwise each line without what is said of it."""
    if any("──" in line for line in block):
        return ["a picture"]
    prompt = [line for line in block if re.match(r"(\$|warplab >) ", line)]
    if prompt:
        return [re.sub(r"\s+# .*", "", line) for line in prompt]
    out = []
    for line in block:
        if line.startswith("build/"):
            line = re.sub(r"\s{2,}.*", "", line)                           # what a command is for
        line = re.sub(r"(?<=\S)(\s+(#|--|//) |\s{3,}| ->  ).*", "", line)   # a comment, a column of remarks
        line = re.sub(r"(?<=\S)  +\S*[\u3400-\u9fff].*", "", line)          # the same in Chinese
        line = re.sub(r"(?<=,)\s+-- .*", "", line)
        if not HAN.search(line) or "zh" in line or "线程束" in line:
            out.append(line.rstrip())
        else:
            out.append("words")
    return out


def said(text):
    """Figures that are typed as digits: 8.4 million is 840 万."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)
    text = re.sub(r"(\d+(?:\.\d+)?) million", lambda m: f" {float(m[1]) * 1e6:.0f} ", text)
    text = re.sub(r"(\d+(?:\.\d+)?) ?万", lambda m: f" {float(m[1]) * 1e4:.0f} ", text)
    text = re.sub(r"(\d+(?:\.\d+)?) ?亿", lambda m: f" {float(m[1]) * 1e8:.0f} ", text)
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def spans(text):
    keep, quoting = [], False
    for line in text.split("\n"):
        quoting = line.startswith(SAYS) or (quoting and line.startswith("|"))
        keep.append(re.sub(r"^\|[^|]*\|", "|", line) if quoting else line)
    found = set()
    for s in re.findall(r"`([^`]+)`", "\n".join(keep).replace("`` `code` ``", " ")):
        s = s.replace("docs/zh/", "docs/")
        s = re.sub(r"(?<=\w )([A-Z]+|[\u3400-\u9fff]+)$", "X", s)  # `help WORD`, `help 词`
        if not HAN.search(s):
            found.add(" ".join(s.split()))
        elif "{" in s or "zh" in s:
            found.add(" ".join(s.split()))
    return found


def links(text, page):
    """Where the links lead, as the English page: docs/zh/student.md counts as docs/student.md."""
    out = set()
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        out.add(path.replace("docs/zh/README.md", "README.md").replace("docs/zh/", "docs/"))
    return out


CITED = re.compile(r"""(?:\[[^\]]*\]\(([^)#]+\.md)\)|\b((?:docs/)?[\w/-]+\.md))[,，]?\s*(?:\\?"|“)([A-Z\u3400-\u9fffp][^"”\\\n]{1,60})(?:\\?"|”)""")


def missing(path, text):
    """Sections and files that a page names and that are not there. A section is named behind its page: grader.md, "A course"."""
    bad = []
    for m in CITED.finditer(text):
        page = m[1] or m[2]
        found = [p for p in (os.path.normpath(os.path.join(os.path.dirname(path), page)), page, os.path.join("docs", page)) if os.path.isfile(p)]
        if HAN.search(m[3]) and found and os.path.isfile(os.path.join("docs/zh", os.path.basename(page))):
            found = [os.path.join("docs/zh", os.path.basename(page))]
        if not found:
            bad.append(page)
        elif not re.search(rf"^(?:#+ `?|- \*\*){re.escape(m[3])}", read(found[0]), re.M):
            bad.append(f"{page}, {m[3]}")
    for name in re.findall(r"`((?:docs|labs|answers|kernels|tests|setup|examples|runner|grader|\.github|\.ci)/[\w./-]+)`", text) if path.endswith(".md") else ():
        if not re.search(r"[A-Z]{2,}|/$", name) and not os.path.exists(name) and not os.path.exists(os.path.join("docs", name)):
            bad.append(name)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) if path.endswith(".md") else ():
        if not os.path.exists(os.path.join(os.path.dirname(path), target)):
            bad.append(target)
    return bad


def differences(en, zh, b=None):
    a, b = read(en), b or read(zh)
    (ea, ta), (eb, tb) = blocks(a), blocks(b)
    bad = []

    def same(what, x, y):
        if x != y:
            bad.append(f"{what}: {x} there, {y} here")

    same("headings by depth", [len(h) for h in re.findall(r"^(#+) ", ta, re.M)], [len(h) for h in re.findall(r"^(#+) ", tb, re.M)])
    same("rows of tables", len(re.findall(r"^\|", ta, re.M)), len(re.findall(r"^\|", tb, re.M)))
    same("items of lists", len(re.findall(r"^(?:- |\d+\. )", ta, re.M)), len(re.findall(r"^(?:- |\d+\. )", tb, re.M)))
    same("code blocks", len(ea), len(eb))
    for x, y in zip(ea, eb):
        cx, cy = commands(x), commands(y)
        for p, q in zip(cx, cy):
            if p != q and q != "words":
                bad.append(f"command: `{p}` there, `{q}` here")
        if len(cx) != len(cy):
            bad.append(f"a block of {len(cx)} lines there, of {len(cy)} here: {cx[0]}")
    for what, x, y in (("code", spans(ta), spans(tb)), ("figures", said(ta), said(tb)), ("links", links(ta, en), links(tb, zh))):
        if x - y:
            bad.append(f"{what} only in {en}: {sorted(x - y)[:6]}")
        if what == "code" and y - x - MORE.get(zh, set()):
            bad.append(f"{what} only in {zh}: {sorted(y - x)[:6]}")
    for target in re.findall(r"\]\(([^)#:]+)\)", b):
        if not os.path.exists(os.path.join(os.path.dirname(zh), target)):
            bad.append(f"a link to nothing: {target}")
    return bad


def main():
    failed = 0
    for page, (mark, rows) in MADE.items():
        text, made = read(page), "\n".join(rows()) + "\n"
        at = min((i for i in (text.find(m) for m in MARK[mark]) if i >= 0), default=len(text))
        if "--write" in sys.argv:
            with open(page, "w", encoding="utf-8") as f:
                f.write(text[:at] + made)
        elif text[at:] != made:
            failed = 1
            print(f"not ok {page} is what the tables say (tests/unit/docs_zh.py --write)")
        else:
            print(f"ok {page} is what the tables say")
    if "--write" in sys.argv:
        return 0
    for name, en in PAGES.items():
        bad = differences(en, f"docs/zh/{name}.md")
        failed |= bool(bad)
        print(f"not ok docs/zh/{name}.md says what {en} says ({' | '.join(bad[:8])})" if bad else f"ok docs/zh/{name}.md says what {en} says")
    # What is taken away or changed is missed.
    page = read("docs/zh/student.md")
    for what, old, new in (("command", "--lines --device sim:g80", "--lines"), ("option", "`--sanitize`", "它"), ("figure", "35、90", "34、90"), ("row", "| `NaN", "`NaN"),
                           ("link", "(debugger.md)", "(../install.md)"), ("heading", "## 证书", "证书"), ("item", "- `quiz", "`quiz"), ("option that is gone", "`--native`", "`--natif`")):
        seen = old in page and differences("docs/student.md", "docs/zh/student.md", page.replace(old, new))
        failed |= not seen
        print(f"ok another {what} is seen" if seen else f"not ok another {what} is seen")
    # What pages, and the words of the program, name is there.
    tops = subprocess.run(["git", "ls-files", "*.md", "runner/*.c", "runner/*.def", "grader/*.c", "grader/*.def", "labs/*.lua"], capture_output=True, text=True).stdout.split()
    bad = [f"{p}: {what}" for p in tops if not p.startswith("tests/") for what in missing(p, read(p))]
    failed |= bool(bad)
    print(f"not ok sections and files that are named are there ({' | '.join(bad[:12])})" if bad else "ok sections and files that are named are there")
    text = read("docs/zh/staff.md")
    seen = missing("docs/zh/staff.md", text.replace("“收什么”", "“收进什么”")) and missing("docs/staff.md", "[grader.md](grader.md), \"A courses\"") and missing("docs/staff.md", "`labs/none.lua`")
    failed |= not seen
    print("ok one that is not there is seen" if seen else "not ok one that is not there is seen")
    pages = {f[:-3] for f in os.listdir("docs/zh") if f.endswith(".md")} - {"WRITING"}  # a page a language, neither translated
    failed |= pages != set(PAGES)
    print("ok every page of docs/zh has a twin" if pages == set(PAGES) else f"not ok every page of docs/zh has a twin ({sorted(pages ^ set(PAGES))})")
    return failed


sys.exit(main())
