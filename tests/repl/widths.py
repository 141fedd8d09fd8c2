#!/usr/bin/env python3
# slow
# timeout: 900
"""Labs done cold on narrow and wide terminals: the first three and one of each later chapter, at
60, 80 and 120 columns and in both languages, by a student who does what the screen says (play.py's,
who works each answer out), checks the skeleton first (it fails) and the model answer then (it
passes), and looks at every picture and list on the way. Held of each screen: no line is wider than
the terminal (wide characters count two), no border of a picture is broken, no word is broken, no
wide character is halved, and a Chinese screen has no English sentence but code, what the compiler
says and names that are English in both languages. Then the same labs in the pseudo-locale
(tests/unit/words/pseudo.py), by someone who cannot read it and leaves each question open: what no
brackets hold is a name, a number, code or the lesson's own.

Each session is kept in build/test-logs/widths/LAB-LANG-COLUMNS.txt. Without FULL=1 four labs
are played, each at one width (SAMPLE); LABS="hello streams" and WIDTHS="80" pick."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../unit/words"))
import late
import play
import pseudo
import terminal
from play import FULL, MORE, Player
from terminal import ROOT, Session, columns, say

LABS = ["hello", "vector-add", "memory-api", "matmul-tiled", "transpose", "divergence", "occupancy", "histogram", "unroll-predicate", "bank-lab", "streams", "bottleneck"]
SAMPLE = [(60, "vector-add"), (60, "divergence"), (80, "memory-api"), (120, "hello")]  # without FULL=1
ALL = dict(play.LABS)
for chapter in late.LATE.values():
    ALL.update(chapter)
# Seen once a session: all that is there beside the lab.
AROUND = ["help", "home", "list", "progress", "device", "note", "find warp", "help sector", "help active_lanes_avg", "lang", "help show", "list 3"]
LOG = os.path.join(ROOT, os.environ.get("B", "build"), "test-logs", "widths")
# Code, and what tools say: nobody translates it.
CODE = re.compile(r"[{};=]|//|\*/|->|::|<<<|__|\berror\b.*:|\d: |^\s*\d+ [|+-]|^ *[-+|] |`[^`]*$|^\s*\|")
BORDER = "+┌└├╭╰"
SIDE = "|│"


def english(line):
    """An English sentence: four words in a row. Names as they stand in code are no words."""
    line = re.sub(r"`[^`]*`", " x0 ", line)
    if CODE.search(line):
        return False
    return bool(re.search(r"(?:(?<![\w/.-])[A-Za-z]{2,}[.:]? ){3}[A-Za-z]{2,}(?![\w/-])", line))


def broken(lines):
    """Boxes whose sides do not stand below each other: between two borders that begin in the same column, every line that has a side there ends where they end."""
    bad, top = [], None
    for line in lines:
        body = line.rstrip()
        at = len(body) - len(body.lstrip())
        if body[at:at + 1] and body[at] in BORDER and re.fullmatch(r"[+┌└├╭╰─┬┴┼┤┐┘╮╯-]{4,}", body[at:]):
            if top and top[0] == at and top[1] != columns(body):
                bad.append(body)
            top = (at, columns(body))
        elif top and len(body) > at and body[at] in SIDE and at == top[0]:
            if columns(body) != top[1]:
                bad.append(body)
        elif top:
            top = None
    return bad


def words_of(*paths):
    return {w.lower() for p in paths for w in re.findall(r"[A-Za-z]{2,}", open(os.path.join(ROOT, p), encoding="utf-8").read())}


def files(folder, *ends):
    return [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(ROOT, folder)) for f in fs if f.endswith(ends)]


KNOWN = words_of("runner/base/words/en.po", *files("labs", ".lua", ".cu"))


def broken_words(lines, wide):
    """Words that a full line ends in the middle of: their two halves together are a word, and one of the halves is none."""
    bad = []
    for line, below in zip(lines, lines[1:]):
        end, begin = re.search(r"(?<![\w.-])([A-Za-z]+)$", line.rstrip(" |")), re.match(r"[ |]*([A-Za-z]+)(?![\w(.-])", below)
        if not end or not begin or columns(line) < wide - 1:
            continue
        a, b = end[1].lower(), begin[1].lower()
        if len(a + b) >= 4 and a + b in KNOWN and not (a in KNOWN and b in KNOWN):
            bad.append("%s/%s" % (end[1], begin[1]))
    return bad


def screen_lines(seen):
    """A line that is drawn over (progress, a prompt) ends with what stands last."""
    return [l.split("\r")[-1] for l in re.sub(r"\r+\n", "\n", seen).split("\n")]


def look(name, wide, lines):
    """What holds of every screen, in whatever language."""
    over = [l for l in lines if columns(l) > wide]
    say(not over, "%s: no line is wider than the terminal" % name, "%d: %r" % (len(over), over[:4]))
    bad = broken(lines)
    say(not bad, "%s: no border is broken" % name, "%d: %r" % (len(bad), bad[:4]))
    halved = [l for l in lines if "\ufffd" in l]
    say(not halved, "%s: no character is halved" % name, repr(halved[:4]))


class Wide(Player):
    """A student of play.py whose terminal has this many columns."""

    def __init__(self, lang, wide, lab):
        self.wide = wide
        Player.__init__(self, lang, session=lambda home, editor: Session(home, lang, editor=editor, size=(24, wide)))
        self.labs, self.name = ALL, "%s-%s-%d" % (lab, lang, wide)

    def say(self, ok, what, why=""):
        if not ok:  # what goes well is said in one line below
            say(False, "%s: %s" % (self.name, what), why)

    def one_language(self):
        """What is typed is what a student has: comments in the language chosen."""
        for name in os.listdir(self.pen):
            path, out, english = os.path.join(self.pen, name), [], []
            for line in open(path):
                zh = re.match(r"\s*// ?zh:", line)
                if not zh and re.match(r"\s*//(?! ?(file: |answer ))", line):
                    english.append(line)  # kept, unless its twin follows
                    continue
                if not zh or self.lang == "en":
                    out += english
                english = []
                behind = zh and out and "//" in out[-1] and not re.match(r"\s*//", out[-1])
                if not zh:
                    out.append(line)
                elif self.lang == "zh" and behind:  # of a comment behind code
                    out[-1] = out[-1].split("//")[0] + re.sub(r"\s*// ?zh: ?", "// ", line)
                elif self.lang == "zh":
                    out.append(re.sub(r"// ?zh: ?", "// ", line))
            out += english
            open(path, "w").write("".join(out))

    def edit(self):
        self.one_language()
        return Player.edit(self)

    def pass_it(self):
        """The skeleton is checked first: it fails."""
        before = terminal.failures
        for command in ("run", "check", "hint", "profile", "diff"):
            text, _ = self.do(command)
            if command == "check" and re.search(self.words["passed"], text) and self.lab != "hello":
                self.say(False, "the skeleton fails", repr(text[-400:]))
        got = Player.pass_it(self)
        for command in ["show"] + sorted(set(re.findall(r"^  show ([a-z]+)", self.do("show ?")[0], re.M))):
            self.do(command if command == "show" else "show " + command)
        for command in ("diff", "profile", "ladder", "answer"):
            self.do(command)
        if terminal.failures == before:
            say(True, "%s: the skeleton fails, the answer passes" % self.name)
        return got

    def tour(self):
        self.t.send("tour\r")
        for page in (1, 2, 3):
            self.t.expect(r"%d/4[^\n>]*>" % page)
            self.t.send("q\r" if page == 3 else "\r")
        self.wait()

    def run(self, lab, around):
        self.wait()
        if around:
            for command in AROUND:
                self.do(command)
            self.tour()
        self.play(lab)
        self.t.close()
        seen = re.sub(MORE, "", self.t.seen)
        os.makedirs(LOG, exist_ok=True)
        with open("%s/%s.txt" % (LOG, self.name), "w") as f:
            f.write(seen)
        lines = [l for l in screen_lines(seen) if self.home not in l]
        look(self.name, self.wide, lines)
        bad = broken_words(lines, self.wide)
        say(not bad, "%s: no word is broken" % self.name, repr(bad[:8]))
        if self.lang == "zh":
            bad = [l for l in lines if english(l)]
            say(not bad, "%s: no English sentence" % self.name, "%d: %r" % (len(bad), bad[:4]))
        shutil.rmtree(self.home)


class Unread:
    """The pseudo-locale, by someone who cannot read it."""

    MORE = re.escape(pseudo.pseudo("-- Enter: more, q: enough --"))
    ASKS = "\u27e6\u27e6[^\n]{0,100}>~*\u27e7 "
    PROMPT = r"(?:warplab|[a-z0-9-]+ \d+/\d+) >"
    # These show what stands in lessons; all others only names.
    LESSON = ("start", "next", "check", "run", "hint", "answer", "read")
    NAMES = words_of("runner/repl/repl_commands.def", "runner/device/targets/boards.def", "runner/device/sim/counters.def", "runner/device/sim/derived.def",
                     "runner/device/sim/deeds.def", "grader/judge/metrics.def", "runner/device/targets/fields.def") | {"ctrl", "gpu", "gflop"}
    # Ids and titles of all labs.
    LABS = {w.lower() for p in files("labs", ".lua") for w in re.findall("[A-Za-z]{2,}", os.path.basename(p) + re.search(r"title = {.*?}", open(p, encoding="utf-8").read(), re.S)[0])}

    def __init__(self, wide, lab):
        self.wide, self.lab, self.name = wide, lab, "%s-pseudo-%d" % (lab, wide)
        self.home = tempfile.mkdtemp(prefix="warplab-unread-")
        os.environ["WARPLAB_WORDS"] = self.home + "/pseudo.po"
        with open(self.home + "/pseudo.po", "w") as f:
            subprocess.run([os.path.join(ROOT, "tests/unit/words/pseudo.py")], stdout=f, check=True)
        with open(self.home + "/editor", "w") as f:
            f.write("#!/bin/sh\nfor f; do\n  from=%s/pen/$(basename \"$f\")\n  [ -f \"$from\" ] || from=%s/pen/pen.cu\n  cp \"$from\" \"$f\"\ndone\n" % (self.home, self.home))
        os.chmod(self.home + "/editor", 0o755)
        program = "%s/answers/%s.cu" % (ROOT, lab)
        if os.path.exists(program):
            play.unpack(program, self.home + "/pen")
        own = [p for p in ("labs/%s.lua", "labs/%s.cu", "answers/%s.cu", "kernels/%s.cu") if os.path.exists(os.path.join(ROOT, p % lab))]
        self.code = words_of(*[p % lab for p in own if p.endswith(".cu")]) | self.NAMES
        self.lesson = words_of(*[p % lab for p in own])
        self.stray = {}
        self.t = Session(self.home, "en", editor=self.home + "/editor", size=(24, wide))

    def wait(self):
        text = ""
        while True:
            got = self.t.expect("(?:%s|%s|%s)" % (self.MORE, self.ASKS, self.PROMPT), 240)
            text += got
            if not got or not re.search("(?:%s)$" % self.MORE, got):
                return text, got and bool(re.search("(?:%s)$" % self.ASKS, got))
            self.t.send("\r")

    def do(self, line):
        self.t.send(line + "\r")
        text, asks = self.wait()
        text = text.replace(self.home, " ")
        text = re.sub("(?m)^  \u27e6[^\u27e6\u27e7\n]*?(?=   )", " ", text)  # a term with several names shows the first of them, without the closing bracket
        text = re.sub(r"(?<![A-Za-z])[0-9A-Z]{2,}[a-f]*(?![A-Za-z])|\w+\.\.", " ", text)  # signs of a picture, names of units; a title that is cut
        known = self.code | set(re.findall("[a-z]+", line.lower() + self.lab)) | (self.lesson if line.split(" ")[0] in self.LESSON or not line else set())
        known |= self.LABS if line.split(" ")[0] in ("list", "find", "home", "progress") else set()
        left = sorted({w for w in pseudo.outside(re.sub("(?:%s)$" % self.PROMPT, "", text)) if w.lower() not in known})
        if left:
            self.stray.setdefault(line, left)
        return text, asks

    def steps(self):
        text, asks = self.do("start " + self.lab)
        for _ in range(80):
            at = re.search(r"(\d+)/(\d+) >$", text)
            if at and at[1] == at[2]:
                return
            text, asks = self.do("" if asks else "next")

    def run(self, around):
        self.wait()
        for command in AROUND if around else []:
            self.do(command)
        self.steps()
        for command in ("run", "check", "hint", "hint", "hint", "profile", "diff", "edit", "check", "diff", "profile", "ladder", "progress", "home"):
            self.do(command)
        for picture in [""] + sorted(set(re.findall(r"^  show ([a-z]+)", self.do("show ?")[0], re.M))):
            self.do(("show " + picture).strip())
        self.t.close()
        lines = [l for l in screen_lines(re.sub(self.MORE, "", self.t.seen)) if self.home not in l]
        os.makedirs(LOG, exist_ok=True)
        with open("%s/%s.txt" % (LOG, self.name), "w") as f:
            f.write("\n".join(lines))
        look(self.name, self.wide, lines)
        say(not self.stray and any("\u27e6" in l for l in lines), "%s: what no brackets hold is a name or the lesson's" % self.name, repr(self.stray)[:1500])
        del os.environ["WARPLAB_WORDS"]
        shutil.rmtree(self.home)


widths = [int(w) for w in os.environ.get("WIDTHS", "60 80 120").split()]
picked = os.environ.get("LABS", "").split() or LABS
matrix = [(wide, lab) for wide in widths for lab in picked]
if not FULL and "LABS" not in os.environ and "WIDTHS" not in os.environ:
    matrix = SAMPLE
    print("skip %d of %d labs and widths (FULL=1 plays them)" % (len(LABS) * 3 - len(SAMPLE), len(LABS) * 3))
for lang in sys.argv[1:] or ("en", "zh", "pseudo"):
    for wide, lab in matrix:
        around = lab == matrix[0][1]
        if lang == "pseudo":
            Unread(wide, lab).run(around)
        else:
            Wide(lang, wide, lab).run(lab, around)
sys.exit(terminal.failures > 0)
