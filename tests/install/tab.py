#!/usr/bin/env python3
# slow: make test FAST=1 leaves it out
"""Completion where the shell is: zsh and fish at a terminal, lines typed and finished by the
tabulator key. What the line became is read from the shell's echo of it."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.join(ROOT, os.environ.get("B", "build"))
# What is typed before the key, and what stands there after it.
LINES = [
    ("warplab gradeb", "warplab gradebook "),
    ("warplab grade vector-a", "warplab grade vector-add "),
    ("warplab profile --what", "warplab profile --what-if"),
    ("warplab grade vector-add VERSI", "warplab grade vector-add VERSION "),
    ("warplab certificate --veri", "warplab certificate --verify"),
    ("warplab debug vector-a", "warplab debug vector-add "),
    ("warplab debug VERSI", "warplab debug VERSION "),
    ("warplab grade expl", "warplab grade explain "),
    ("warplab check hell", "warplab check hello "),
    ("warplab --lab hell", "warplab --lab hello "),
]
ZSH = ["zsh", "-f", "-i"], "PS1='> '; unsetopt BEEP; fpath=({t} $fpath); autoload -Uz compinit; compinit -D -u -d {t}/dump; echo rea''dy\n"
FISH = ["fish", "--no-config", "-i"], "function fish_prompt; echo '> '; end; function fish_greeting; end; source {t}/warplab.fish; echo rea''dy\n"
failures = 0


def say(ok, what, why=""):
    global failures
    failures += not ok
    print(("ok " if ok else "not ok ") + what + ("" if ok else " (" + why + ")"), flush=True)


class Shell:
    def __init__(self, command, setup, folder):
        env = {"PATH": BUILD + ":" + os.environ["PATH"], "HOME": folder, "TERM": "dumb" if command[0] == "zsh" else "xterm", "LANG": "C.UTF-8",
               "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.execvpe(command[0], command, env)
        self.wait("> " if command[0] == "fish" else "", 5)
        self.type(setup.format(t=folder))
        self.ready = "ready" in self.wait("ready", 20)

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, text, seconds):
        """What comes until TEXT does, or for so long; for 0.3 s more."""
        seen, end = "", time.time() + seconds
        while time.time() < end:
            if not select.select([self.fd], [], [], 0.3)[0]:
                if text and text in seen:
                    break
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            seen += data.decode("utf-8", "replace")
            if b"\x1b[c" in data or b"\x1b[0c" in data:
                self.type("\x1b[?62;c")  # a terminal says what it is
        return seen

    def line(self, typed, want):
        """What the terminal shows from the first key to the last."""
        self.type("\x15" + typed + "\t")
        seen = self.wait(want.rstrip()[len(typed):], 15)
        self.type("\x03")
        self.wait("> ", 1)
        return seen

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def plain(text):
    """The screen's line, of what was written to it: escapes away, going back applied."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()].|\x1b[=>]|\x07", "", text)
    out = []
    for c in text:
        if c == "\b":
            out[-1:] = []
        elif c == "\r":
            out.append("\n")
        else:
            out.append(c)
    return "".join(out)


for (command, setup), name, into in ((ZSH, "zsh", "_warplab"), (FISH, "fish", "warplab.fish")):
    if not shutil.which(name):
        print("skip completion at a prompt of %s (there is none)" % name)
        continue
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, into), "w") as f:
            f.write(subprocess.run([os.path.join(BUILD, "warplab"), "completion", name], capture_output=True, text=True, check=True).stdout)
        shell = Shell(command, setup, folder)
        say(shell.ready, name + " is at its prompt", "it said nothing")
        for typed, want in LINES if shell.ready else ():
            seen = plain(shell.line(typed, want))
            say(want.rstrip() in seen.replace("\n", ""), "%s: %s<tab>" % (name, typed), repr(seen[-300:]))
        shell.end()
sys.exit(failures != 0)
