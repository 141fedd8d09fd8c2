#!/usr/bin/env python3
# slow
# timeout: 900
"""Labs done cold on narrow and wide terminals: the first three and one of each later chapter, at 60, 80 and 120 columns and in both languages, by a student
who does what the screen says (play.py's, who works each answer out), checks the skeleton first (it fails) and the model answer then (it passes), and looks
at every picture and list on the way. Held of each screen: no line is wider than the terminal (wide characters count two), no border of a picture is broken,
and a Chinese screen has no English sentence but code, what the compiler says and names that are English in both languages.

Each session is kept in build/test-logs/widths/LAB-LANG-COLUMNS.txt. Without FULL=1 two labs are played, at 60 columns; LABS="hello streams" and
WIDTHS="80" pick."""
import os
import re
import shutil
import sys

import late
import play
import terminal
from play import FULL, MORE, Player
from terminal import ROOT, Session, columns, say

LABS = ["hello", "vector-add", "memory-api", "matmul-tiled", "transpose", "divergence", "occupancy", "histogram", "unroll-predicate", "bank-lab", "streams", "bottleneck"]
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
        # A line that is drawn over (progress, a prompt) ends with what stands last.
        lines = [l.split("\r")[-1] for l in re.sub(r"\r+\n", "\n", seen).split("\n")]
        lines = [l for l in lines if self.home not in l]
        wide = [l for l in lines if columns(l) > self.wide]
        say(not wide, "%s: no line is wider than the terminal" % self.name, "%d: %r" % (len(wide), wide[:4]))
        bad = broken(lines)
        say(not bad, "%s: no border is broken" % self.name, "%d: %r" % (len(bad), bad[:4]))
        if self.lang == "zh":
            bad = [l for l in lines if english(l)]
            say(not bad, "%s: no English sentence" % self.name, "%d: %r" % (len(bad), bad[:4]))
        shutil.rmtree(self.home)


widths = [int(w) for w in os.environ.get("WIDTHS", "60 80 120" if FULL else "60").split()]
picked = os.environ.get("LABS", "").split() or (LABS if FULL else ["vector-add", "divergence"])
for lang in sys.argv[1:] or ("en", "zh"):
    for wide in widths:
        for lab in picked:
            Wide(lang, wide, lab).run(lab, lab == picked[0])
if not FULL:
    print("skip %d labs, and 80 and 120 columns (FULL=1 plays them)" % (len(LABS) - len(picked)))
sys.exit(terminal.failures > 0)
