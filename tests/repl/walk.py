#!/usr/bin/env python3
# timeout: 200
# waits
"""A walk through the REPL at random: every command, by name or key, at the prompt and at questions,
with answers right, wrong and senseless, in both languages. No session may end but by `quit` or the
end of input, none may leave a sanitizer's report, and no lesson may be said to have been saved, for
nothing here writes one.

    SEED=n      another walk (default 1; the seed is printed)
    SECONDS=n   how long (default 30; FAST=1: 10, FULL=1: 600). Long walks also compile and run programs
"""
import os
import random
import re
import shutil
import sys
import tempfile
import time

import terminal
from terminal import ROOT, Session, say

SEED = int(os.environ.get("SEED", "1"))
FULL = os.environ.get("FULL") == "1"
LONG = int(os.environ.get("SECONDS", "600" if FULL else "10" if os.environ.get("FAST") else "30"))  # bash gives its own SECONDS only to itself
TABLE = open(os.path.join(ROOT, "runner/repl/repl_commands.def"), encoding="utf-8").read()
COMMANDS = re.findall(r'^RCMD\(\w+, "([^"]*)", "([^"]*)"', TABLE, re.M)
# These compile, run or take the whole screen: seconds each.
SLOW = {"run", "check", "profile", "debug", "show", "watch", "answer", "ladder", "tour", "edit"}
QUESTIONS = ("place", "review", "quiz")
LABS = sorted(f[:-4] for f in os.listdir(os.path.join(ROOT, "labs")) if f.endswith(".lua"))
WORDS = ["扇区", "sectors", "warp", "屏障", "bank conflict", "存储体", "roofline", "zzz", "gld_requests", "next", "%s%n", "a", "`", "直方图", ""]
ANSWERS = ["a", "b", "c", "d", "0", "1", "32", "25", "1024", "8*128+80", "1/0", "2.1 million", "2.1M", "三万", "2.1 百万", "4 KB", "x", "", "(", "warp", "coalesced", "９９"]
REPORT = re.compile(r"Sanitizer|runtime error|free\(\): |corrupted|Assertion")
SAVED = re.compile(r"The lesson was saved|讲义文件刚被保存")
PROMPT = re.compile(r"(?:>|\]|\)|）|----|--)[ \n]*$")
pick = random.Random(SEED)


def argument(name):
    n = pick.choice(["1", "2", "3", "5", "99", "0", "-1", "x"])
    return {
        "start": lambda: pick.choice(LABS + ["nolab"]), "read": lambda: n, "quiz": lambda: n, "find": lambda: pick.choice(WORDS), "help": lambda: pick.choice(WORDS),
        "list": lambda: pick.choice(WORDS), "note": lambda: pick.choice(["", n, "drop " + n, "a thought 想法"]), "lang": lambda: pick.choice(["en", "zh", "xx", ""]),
        "device": lambda: pick.choice(["g80", "h200", "sim:h200", "nodevice", ""]), "praise": lambda: pick.choice(["on", "off", ""]), "editor": lambda: pick.choice(["none", "true", ""]),
        "transcript": lambda: pick.choice(["off", ""]), "diff": lambda: pick.choice(["", "baseline", "skeleton", "x"]), "exam": lambda: pick.choice(["nofile", ""]),
        "show": lambda: pick.choice(["", "sectors", "banks", "occupancy", "roofline", "foo", "--html sectors"]), "debug": lambda: pick.choice(["", n]),
    }.get(name, lambda: "")()


def line_of(state):
    """What is typed next."""
    if state == "question" and pick.random() < 0.6:
        return pick.choice(ANSWERS)
    if pick.random() < 0.05:
        return pick.choice(["lsit", "25", "y", "。", "?" * 300, "\t", "a" * 70, "下一步", "退出", "\x03"])
    if pick.random() < 0.2:
        return pick.choice(QUESTIONS)
    name, key = pick.choice(COMMANDS)
    if name in SLOW and (LONG <= 60 or pick.random() < 0.7):
        name, key = pick.choice([("next", "n"), ("back", "b"), ("hint", "h"), ("read", "r")])
    if name == "quit" and pick.random() < 0.5:
        return "n"
    word = key if key and pick.random() < 0.5 else name
    if state == "question" and name == "start" and pick.random() < 0.5:
        return word
    return (word + " " + argument(name)).strip()


class Walk:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="warplab-walk-")
        self.typed, self.lines, self.sessions, self.questions = [], 0, 0, 0
        self.bad = None

    def fail(self, why, text):
        at = REPORT.search(text)
        self.bad = "%s, after: %s; %r" % (why, " | ".join(repr(x) for x in self.typed[-14:]), text[max(0, at.start() - 300):][:4000] if at else text[-900:])

    def settle(self, t, most):
        """Reads until a prompt stands and nothing follows; what was read."""
        end = time.time() + most
        while time.time() < end and t.status is None:
            if t.read(0.06):
                continue
            if PROMPT.search(t.text):
                break
        got, t.text = t.text, ""
        return got

    def look(self, got):
        if REPORT.search(got):
            self.fail("a report", got)
        elif SAVED.search(got):
            self.fail("no lesson was saved", got)
        question = re.search(r"(?:answer|回答|prediction|预测)[^\n>]{0,40} > *$", got)
        self.questions += bool(question)
        return question

    def session(self, lang, until):
        t = Session(self.home, lang, size=(3000, 80))
        self.sessions += 1
        got = self.settle(t, 60)
        while time.time() < until and t.status is None and not self.bad:
            question = self.look(got)
            if self.bad:
                break
            line = line_of("question" if question else "prompt")
            self.typed.append(line)
            self.lines += 1
            t.send(line + ("" if line == "\x03" else "\r"))
            got = self.settle(t, 90)
            if not PROMPT.search(got) and t.status is None:
                t.send("\x03q\r")
                got += self.settle(t, 30)
        for _ in range(40):  # the end of input leaves a question first, then the prompt
            if t.status is None:
                t.send("\x04")
                got += self.settle(t, 2)
        status = t.status
        self.look(got)
        if status != 0 and not self.bad:
            self.fail("the session ended with status %s" % status, got)


def practice_keeps_the_lab(lang):
    """A term is looked up at a question of a practice, and the lab that was open stands as it stood."""
    home = tempfile.mkdtemp(prefix="warplab-walk-")
    t = Session(home, lang, size=(3000, 80))
    ask, prompt = r"(?:answer|回答)[^\n>]{0,40} > *$", r"vector-add 2/10 >"
    t.expect("warplab >")
    t.do("start vector-add", r"vector-add 1/10 >")
    got = t.do("n", ask)
    got += t.do("", prompt)
    for word in ("扇区", "sectors"):
        got += t.do("place", ask) + t.do("help " + word, ask) + t.do("q", prompt)
    say(not SAVED.search(got), "%s: a term looked up in a practice reads no lesson again" % lang, repr(got[-300:]))
    got = t.do("quiz 3", ask)
    while got and re.search(r"^  a  ", got, re.M):
        got = t.do("n", ask)
    for letter in ("c", "x", "a"):
        say(re.search("no answer to this question|不是这道题的答案", t.do(letter, ask)), "%s: `%s` at a question for a number is no command" % (lang, letter))
    t.do("q", prompt)
    say("" != t.do("7", "the one of this step again.*> *$|会再问一次这一步的问题.*> *$"), "%s: a number at the prompt: how to be asked again" % lang)
    say(t.close() == 0, "%s: and the session ends well" % lang)
    shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    print("walk: SEED=%d SECONDS=%d" % (SEED, LONG), flush=True)
    for lang in ("en", "zh"):
        practice_keeps_the_lab(lang)
    w = Walk()
    until = time.time() + LONG
    while time.time() < until and not w.bad:
        w.session(pick.choice(["en", "zh"]), until)
    say(not w.bad, "a walk of %d lines in %d sessions, %d questions asked" % (w.lines, w.sessions, w.questions), w.bad or "")
    say(w.lines >= LONG, "it got somewhere")
    shutil.rmtree(w.home, ignore_errors=True)
    sys.exit(1 if terminal.failures else 0)
