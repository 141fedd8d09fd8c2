#!/usr/bin/env python3
# waits
"""The debugger on a terminal of 80 columns, recorded in tmux: plain and coloured, in both
languages, started from the command line and in an open lab.

Held of each record: no line was wider than the terminal, colour changes no character of it, a
Chinese screen says in Chinese what is said, and the session finds what the programs' sources say
that there is to be found (tests/profile/debug/wrong.cu, labs/bug-hunt.cu).

Each is kept in build/test-logs/debugger/NAME-LANG-plain.txt, and -colour.txt with its escapes.
Needs tmux."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("B", "build"))
WARPLAB = os.path.join(BUILD, "warplab")
LOG = os.path.join(BUILD, "test-logs", "debugger")
ROWS = 60
PROMPTS = ("(debug)", "(machine)")
failures = 0


def check(good, name, why=""):
    global failures
    failures += not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" ({str(why)[-700:]})"), flush=True)
    return good


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def plain(text):
    return re.sub(r"\x1b\[[0-9;:]*m|\x0e|\x0f", "", text)


class Terminal:
    """A tmux of its own, 80 columns wide, with one command in it."""

    def __init__(self, folder, environment, *command):
        self.socket = os.path.join(folder, "tmux")
        self.environment = environment
        words = [f"{k}={v}" for k, v in environment.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", str(ROWS), "env", "-i", *words, *command)
        self.tmux("set-option", "-g", "history-limit", "5000")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, timeout=30,
                              env=dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm-256color")).stdout

    def screen(self, *how):
        return self.tmux("capture-pane", "-p", "-S", "-", *how).rstrip("\n")

    def until(self, what, seconds=60):
        """The screen, once its last line that holds anything ends in `what` and stays so."""
        end, before = time.monotonic() + seconds, None
        while time.monotonic() < end:
            now = plain(self.screen()).rstrip()
            if now.endswith(what) and now == before:
                return True
            before = now
            time.sleep(0.04)
        return False

    def say(self, line, prompt="(debug)"):
        self.tmux("send-keys", "-l", line)
        end = time.monotonic() + 60
        while line and time.monotonic() < end and plain(self.screen()).rstrip().endswith(PROMPTS):  # the prompt before: the line is not echoed yet
            time.sleep(0.02)
        self.tmux("send-keys", "Enter")
        return self.until(prompt)

    def close(self):
        self.tmux("kill-server")


WRONG = ["help", "break 13 if i == 777", "points", "run", "list", "locals", "lanes i", "warps", "step", "where", "up", "registers", "ptx", "finish", "delete 1",
         "watch c[960] if i != 960", "continue", "print i", "reverse-next", "reverse-step", "end", "array c 958..962", "reverse-continue", "back", "start",
         "print nothing", "frobnicate"]
MACHINE = ["break 13 if blockIdx.x == 1 && threadIdx.x == 7", "run", ("machine", "(machine)")] + [(line, "(machine)") for line in (
    "help", "sass 40", "stepi", "stepi 3", "nexti", "back 2", "step", "reverse-step", "registers", "lanes R4", "lanes R4 f", "lanes P0", "focus lane 9",
    "continue 19", "continue 99", "end", "stepi", "start", "back", "continue x", "registers Z", "frobnicate")] + ["source", "end"]
HUNT = ["where", "locals", "warps", "reverse-next", "lanes i", "continue", "continue", "shared", "end"]


def kept(name, lang, colour, terminal):
    os.makedirs(LOG, exist_ok=True)
    text = terminal.screen("-e") if colour else terminal.screen()
    with open(os.path.join(LOG, f"{name}-{lang}-{'colour' if colour else 'plain'}.txt"), "w") as f:
        f.write(text + "\n")
    # -J joins what the terminal had to wrap, so that what was too wide is seen.
    wide = [line.rstrip() for line in plain(terminal.screen("-J")).splitlines() if columns(line.rstrip()) > 80]
    return text, wide


def record(name, lang, colour, commands, lines, first):
    """The screen of a session with these commands."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "TERM": "screen-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "WARPLAB_LANG": lang,
                       "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder, "WARPLAB_WORK": folder, "WARPLAB_DEVICE": "sim:h200",
                       "XDG_CACHE_HOME": os.environ.get("WARPLAB_TEST_CACHE", os.path.join(folder, "cache"))}
        for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "WARPLAB_NVCC"):
            if k in os.environ:
                environment[k] = os.environ[k]
        if not colour:
            environment["NO_COLOR"] = "1"
        t = Terminal(folder, environment, *commands)
        try:
            good = t.until(first, 120)
            for line in lines:
                good = good and t.say(*(line if isinstance(line, tuple) else (line,)))
            text, wide = kept(name, lang, colour, t)
        finally:
            t.close()
    check(good, f"{name}, {lang}: every command is answered", text)
    check(not wide, f"{name}, {lang}: nothing is wider than 80 columns", wide)
    return text


def holds(text, name, *wanted):
    for w in wanted:
        check(w in text, f"{name}: {w}", text)


def both(name, lang, commands, lines, first):
    coloured, bare = (record(name, lang, colour, commands, lines, first) for colour in (True, False))
    check("\x1b[" in coloured and "\x1b[" not in bare, f"{name}, {lang}: coloured with colour, plain without")
    # what is a name is in colour, or else in backticks
    a, b = ([line.rstrip() for line in text.replace("`", "").splitlines()] for text in (plain(coloured), bare))
    check(a == b, f"{name}, {lang}: colour changes no character", [pair for pair in zip(a, b) if pair[0] != pair[1]][:3])
    return bare


def main():
    if not shutil.which("tmux"):
        print("skip the debugger on a terminal (there is no tmux)")
        return 0
    wrong, hunt = os.path.join(ROOT, "tests/profile/debug/wrong.cu"), os.path.join(ROOT, "labs/bug-hunt.cu")
    for lang in ("en", "zh"):
        zh = lang == "zh"
        text = both("wrong", lang, [WARPLAB, "debug", "--device", "sim:h200", wrong], WRONG, "(debug)")
        holds(text, f"wrong, {lang}", "i = 777", ">   16          c[960] = s;", "i = 500000", ">   15      if (i == 500000)",
              "960         1000000  线程块 (1953,0,0) 线程 (32,0,0) 第 16 行" if zh else "960         1000000  block (1953,0,0) thread (32,0,0) line 16",
              "即将写入：监视点 2" if zh else "about to be written: watchpoint 2")
        stepped = os.path.join(ROOT, "tests/profile/debug/stepped.cu")
        text = both("machine", lang, [WARPLAB, "debug", "--device", "sim:h200", "--optimised", stepped], MACHINE, "(debug)")
        holds(text, f"machine, {lang}", ">   13          s += t[(threadIdx.x + k) % 64];", "   ptx ", "EXIT", ":S0",
              "停顿计数" if zh else "stall count", "占用记分板" if zh else "sets scoreboard")
        text = both("bug-hunt", lang, [WARPLAB, "debug", "--device", "sim:h200", "bug-hunt", hunt], HUNT, "(debug)")
        holds(text, f"bug-hunt, {lang}", ">   27      scaled[i] = 3 * a[i];", "i = 1003", "越界读" if zh else "out of bounds")
    return failures != 0


sys.exit(main())
