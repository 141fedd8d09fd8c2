#!/usr/bin/env python3
"""Words that a person reads stand in both languages: no text stands for both, every row of the
catalogue is there in Chinese, comments of skeletons and answers are in both, and Chinese has one
word for one thing. Then the command line is made to fail in every way that costs no run of a
kernel, in Chinese by --lang and by locale: each line that it prints is Chinese."""
import glob
import os
import re
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
STRING = r'"(?:[^"\\]|\\.)*"'
LITERAL = rf"{STRING}(?:\s*(?:{STRING}|PRI\w+))*"
failed = False


def check(what, bad):
    global failed
    failed |= bool(bad)
    print(f"not ok {what} ({' | '.join(bad[:5])}{f' | and {len(bad) - 5} more' if len(bad) > 5 else ''})" if bad else f"ok {what}")


def text_of(literal):
    return "".join(s[1:-1] for s in re.findall(STRING, literal))


def words(text):
    """English words that stay when conversions, code in backticks and punctuation are taken out."""
    text = re.sub(r"\\.", " ", text)
    text = re.sub(r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z%]", " ", text)
    text = re.sub(r"`[^`]*`|[\w./-]*[./_][\w./-]*", " ", text)
    return re.findall(r"[A-Za-z]{2,}", text)


def chinese(text):
    return re.search(r"[\u3400-\u9fff]", text)


files = sorted(f for top in ("runner", "grader") for f in glob.glob(top + "/**", recursive=True) if f.endswith((".c", ".h", ".inc", ".def")))
twice = []
for path in files:
    source = open(path, encoding="utf-8").read()
    code = re.sub(rf"({STRING})|/\*.*?\*/|//[^\n]*", lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)

    def at(m):
        return f"{path}:{code[:m.start()].count(chr(10)) + 1}"

    for m in re.finditer(rf"({LITERAL})\s*,\s*({LITERAL})", code):
        first, second = text_of(m.group(1)), text_of(m.group(2))
        if first == second and len(words(first)) >= 3:
            twice.append(at(m))
check("no text stands for both languages", twice)


# Sentences that are printed stand in the catalogues. Exempt, with the reason:
OUTSIDE = {
    "runner/device/sim/": "what is wrong with a PTX text, in English as ptxas has it; the catalogue's row takes it in",
    "runner/device/cudart/": "the vendor's texts of errors",
    "runner/device/gpu/": "the helper process; rows said.* have its sentences",
    "runner/device/server/gpu/gpu_device.c": "rows said.* have its sentences",
    "runner/base/words/": "makes and loads the catalogues, so it has none yet",
    "runner/build/messages.c": "lines of the compiler's log, in English as it is; glosses.def has a row for each",
    "runner/build/tool.c": "the same",
    "runner/build/glue": "code", "runner/cli/cmd_clangd.c": "code", "runner/cli/cmd_completion.c": "code", "runner/cli/cmd_new.c": "code",
    "runner/cli/cmd_export.c": "a page in English", "runner/cli/cmd_curriculum.c": "a page in English", "runner/cli/cmd_man.c": "pages in English",
    "runner/init/init.c": "a program of its own",
    "runner/profile/trace_event.c": "names in a file for Perfetto", "runner/debugger/dap.c": "names for an editor",
    "runner/profile/page.c": "a page's markup and the program's name", "runner/practice/pdf.c": "PDF", "runner/practice/exam.c": "a record",
    "runner/grade/grading.c": "the record's name of the sandbox", "runner/sandbox/spawn.c": "stands in the program's own output",
    "grader/course/slurm.c": "code", "grader/course/gradebook.c": "SQL",
}
PRINTS = re.compile(r"\b(?:f|d|sn)?printf\s*\(|\bf?puts\s*\(|\bperror\s*\(|\b(?:lib_print|lib_format|lib_buffer_puts|lib_buffer_printf|text_put|text_line|SAY|\w*(?:refuse|complain)\w*)\s*\(")


def sentences(code):
    """(place, literal) of what looks like a sentence among the arguments of a call that prints."""
    for call in PRINTS.finditer(code):
        depth, i = 1, call.end()
        for part in re.compile(rf"({STRING})|[()]").finditer(code, call.end()):
            depth += {"(": 1, ")": -1}.get(part.group(), 0)
            i = part.start()
            if not depth:
                break
        for m in re.finditer(LITERAL, code[call.end():i]):
            said = re.sub(r"\\(?:x[0-9A-Fa-f]{2}|.)|<[^>]*>|[\w-]+=\S*|%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[a-zA-Z%]", " ", text_of(m.group()))
            if re.search(r"(?<![\w.#_])[A-Za-z]{2,}[,:;]? [A-Za-z]{2,}(?![\w(=])", said):
                yield call.start(), text_of(m.group())


loose_ends, used = [], set()
for path in files:
    code = re.sub(rf"({STRING})|'(?:[^'\\]|\\.)+'|/\*.*?\*/|//[^\n]*", lambda m: m.group(1) or re.sub(r"[^\n]", " ", m.group()), open(path, encoding="utf-8").read(), flags=re.S)
    for place, text in sentences(code):
        why = [start for start in OUTSIDE if path.startswith(start)]
        used.update(why)
        if not why and text.strip() not in ("not ok", "not ok %s"):
            loose_ends.append(f"{path}:{code[:place].count(chr(10)) + 1}: {text[:60]}")
check("every sentence that is printed stands in a catalogue, but for what OUTSIDE exempts", loose_ends)
check("OUTSIDE exempts nothing in vain", sorted(set(OUTSIDE) - used))


def rows(lang):
    text = open(f"runner/base/words/{lang}.po", encoding="utf-8").read()
    return {m[1]: m[2] for m in re.finditer(r'^msgid "([^"]+)"\n(?:msgid_plural .*\n)?((?:(?:msgstr(?:\[\d\])? )?".*"\n?)+)', text, re.M)}


en, zh = rows("en"), rows("zh")
check(f"every row is there in Chinese ({len(en)})", sorted(set(en) ^ set(zh)) if en else ["none was seen"])
check("every Chinese row is Chinese", [i for i in sorted(set(en) & set(zh)) if not chinese(zh[i]) and len(words(re.sub(r"msgstr(\[\d\])?|{[^}]*}", " ", en[i]))) >= 3])

# Each of these fails; {T} is an empty folder.
FAILS = """
--bogus|extra|list zzz|list a b|list --bogus|devices x|doctor --x|grade|grade nolab f.cu|grade vector-ad x.cu|grade vector-add {T}/none.cu|grade vector-add {T}/none.cu --seed x
grade vector-add labs/vector-add.cu --time-limit x|grade vector-add labs/vector-add.cu --device sim:zz|grade vector-add {T}|grade --batch|grade --batch {T}/none --out {T}/o|grade status {T}
grade --batch {T} --out {T}/o --jobs x|grade --batch {T} --out {T}/o --from nobody|grade --batch {T} --out {T}/o --lab nolab|grade --batch {T} --out {T}/o --course {T}/none
grade explain {T} x|grade regrade {T}/none|grade regrade {T}|grade exam|grade exam --key {T}/none r|gradebook|gradebook list {T}/none|gradebook export {T}|gradebook compare {T}/a {T}/b|profile
profile {T}/none.cu|profile {T}/none|profile /bin/true|profile --device zz /bin/true|profile /etc/passwd|profile --bogus|check nolab|check --device zz|check --jobs x|check --watch|text|text nolab
text a b|preview|preview x 1|preview vector-add 0|curriculum x|new|new BAD|new a/b|new --pack BAD|new x/B|pack|pack ad|pack add {T}/none|pack add {T}|pack add|pack remove|pack remove none
pack update none|pack list x|certificate x|certificate --verify {T}/none|certificate --verify README.md|exam|exam key {T}/none/x|exam make {T}/none --key {T}/none s|book|book x --out {T}/a.html
book vector-add --out {T}/a|export|export none {T}/x|export none .|clangd x|completion|completion tcsh|man nonsense|man a b|debug|debug nolab|debug {T}/none.cu|debug --device gpu:0 vector-add
debug --case x vector-add|dap x|grade --lang fr|devices --lang fr|text vector-add --lang|--lang fr|--device zz x|exam key {T}|profile --against {T}/none --html {T}/h /bin/true
"""
# A student who reads Chinese gets skeletons and answers with Chinese comments, those behind code too (runner/lesson/twins.h).
alone, noted = [], 0
for path in sorted(glob.glob("labs/*.cu") + glob.glob("answers/*.cu")):
    lines = open(path, encoding="utf-8").read().split("\n")
    for i, line in enumerate(lines):
        m = re.match(rf"\s*[^\s/](?:{STRING}|[^\"/]|/(?!/))*//\s*(.*)", line)
        if m and set(words(m.group(1))) - {"pi"}:
            noted += 1
            if not (i + 1 < len(lines) and re.match(r"\s*// zh:", lines[i + 1]) and chinese(lines[i + 1])):
                alone.append(f"{path}:{i + 1}")
check(f"comments behind code in skeletons and answers are in both languages ({noted})", alone if noted else ["none was seen"])

# One word for one thing: of two Chinese words for it, the one that is not used any more stands nowhere but among the glossary's other words.
TWINS = {"超额使用": "超额订阅", "网格步长循环": "网格跨步循环", "线程块簇": "线程块集群", "页锁定": "锁页", "门槛": "阈值", "等栅栏": "等屏障", "内存屏障": "内存栅栏",
         "活动 lane": "活跃 lane", "活跃线程": "活跃 lane", "簇屏障": "集群屏障", "界限": "阈值"}
twins = []
for path in sorted(glob.glob("labs/*.lua") + glob.glob("labs/*.cu") + glob.glob("docs/zh/*.md") + glob.glob("runner/**/*.[ch]", recursive=True) +
                   glob.glob("grader/**/*.[ch]", recursive=True) + glob.glob("runner/**/*.po", recursive=True) + glob.glob("runner/**/*.def", recursive=True) + glob.glob("grader/**/*.def", recursive=True)):
    if not path.endswith("WRITING.md"):  # the guides quote what they advise against
        for i, line in enumerate(open(path, encoding="utf-8"), 1):
            other = path.endswith(".po") and ("|" in line or " => " in line)  # other words that a word is looked up by, habits
            twins += [f"{path}:{i}: {old}: say {new}" for old, new in TWINS.items() if old in line and not other]
check("Chinese has one word for one thing", twins)
# A lesson that says warp says 线程束, too: once, where its steps say warp first.
def first_warp(text):
    """What stands around the first warp of the Chinese texts of the steps; None: they have none."""
    both = re.finditer(r'\b(en|zh) = (?:"((?:[^"\\]|\\.)*)"|\[\[(.*?)\]\])', text[text.index("  steps = {"):], re.S)
    for m in both:
        said = re.sub(r"`[^`]*`|^ {12,}.*$", " ", m[2] or m[3] or "", flags=re.M) if m[1] == "zh" else ""
        at = re.search(r"(?<![\w.])warp(?![\w.-])", said)
        if at:
            return said[max(0, at.start() - 5):at.end() + 5]
    return None


glossed = []
for path in sorted(glob.glob("labs/*.lua")):
    text = open(path, encoding="utf-8").read()
    mentions = len(re.findall(r"线程束（warp）|warp\*（线程束）", text))
    around = first_warp(text)
    if around and "线程束" not in around or mentions > 1 or around and not mentions:
        glossed.append(f"{path}: {around}, {mentions} times")
check("each lesson says once what a warp is in Chinese, where it says warp first", glossed)
# And one form for one number: in prose thousands are parted by commas, and per cent stand at their number. What is computed, code and ids stay as one types them.
loose = []
for path in sorted(glob.glob("labs/*.lua") + glob.glob("labs/facts.txt") + glob.glob("docs/*.md") + glob.glob("docs/zh/*.md")):
    for i, line in enumerate(() if path.endswith("WRITING.md") else open(path, encoding="utf-8"), 1):
        if line.startswith("    ") and path.endswith(".md") or path.endswith(".lua") and not re.search(r"\b(en|zh) = |^\s{6,10}[A-Z\u3400-\u9fff`*-]", line):
            continue
        prose = re.sub(r"`[^`]*`|function\(.*?\bend\b", " ", line)
        for m in re.finditer(r"(?<![\w.,/#:-])\d{5,}(?![\w/:]|[.,]\d)|\d %(?![\w ])", prose):
            before, after = prose[:m.start()].rstrip()[-1:], prose[m.end():].lstrip()[:1]
            if not (before and before in "*/+-=^(<>{" or after and after in "*/+-=^{}" or re.search(r"(user|uid|用户)$", prose[:m.start()].rstrip()) or "hidden = {" in line):
                loose.append(f"{path}:{i}: {m.group()}")
for path in files:
    code = open(path, encoding="utf-8").read()
    for m in re.finditer(STRING, code):
        if re.search(r"[0-9a-z] %%(?![a-z0-9])", m.group()) and not m.group().startswith('"mov') and "/sim/" not in path:
            loose.append(f"{path}: {m.group()[:60]}")
check("a number has one form", loose)

warplab = os.path.join(os.environ.get("B", "build"), "warplab")
if not os.path.exists(warplab):
    print("skip the command line fails in Chinese (there is no build)")
    sys.exit(failed)
with tempfile.TemporaryDirectory(prefix="warplab-languages-") as folder:
    base = {k: v for k, v in os.environ.items() if k not in ("WARPLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")}
    base.update(HOME=folder, XDG_DATA_HOME=folder + "/d", XDG_STATE_HOME=folder + "/s", XDG_CONFIG_HOME=folder + "/c", WARPLAB_WORK=folder + "/w")
    for way, env, extra in (("by locale", {"LANG": "zh_CN.UTF-8"}, []), ("by --lang", {"LANG": "en_US.UTF-8"}, ["--lang", "zh"])):
        wrong, count = [], 0
        for line in re.split(r"[|\n]", FAILS.strip()):
            words_of = line.format(T=folder).split(" ")
            # A word that is no command cannot be told from one: --lang stands last; programs' own arguments come last for profile and debug.
            argv = words_of[:1] + extra + words_of[1:] if words_of[0] in ("profile", "debug") else words_of + extra
            if extra and (words_of[-1].startswith("--") or "--lang" in words_of):
                argv = words_of[:1] + extra + words_of[1:] if not words_of[0].startswith("--") else extra + words_of
            r = subprocess.run([warplab, *argv], capture_output=True, text=True, env={**base, **env}, stdin=subprocess.DEVNULL)
            count += 1
            said = [s for s in r.stderr.split("\n") if s.strip() and not re.match(r"\s+warplab ", s)]
            if r.returncode == 0 or not said and not chinese(r.stdout):
                wrong.append(f"{line}: exit status {r.returncode}, nothing said")
            wrong += [f"{line}: {s}" for s in said if not chinese(s)]
        check(f"the command line fails in Chinese, {way}: {count} ways", wrong)
sys.exit(failed)
