"""A student's terminal: the REPL behind a pseudo-terminal of 80x24. What session.py and play.py
share; no test by itself."""
import codecs
import os
import pty
import re
import select
import signal
import termios
import time
import fcntl
import struct
import unicodedata

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
WARPLAB = os.path.join(ROOT, os.environ.get("B", "build"), "warplab")
failures = 0
MORE = r"-- Enter: more, q: enough --|-- 回车：继续，q：退出 --"


def say(ok, what, why=""):
    global failures
    failures += not ok
    print(("ok " if ok else "not ok ") + what + ("" if ok or not why else " (" + why + ")"), flush=True)


class Session:
    """One run of the REPL on a terminal of its own."""

    def __init__(self, home, lang, editor="true", args=(), size=(24, 80)):
        env = {
            "PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm", "LANG": "zh_CN.UTF-8" if lang == "zh" else "en_US.UTF-8",
            "LC_ALL": "C.UTF-8", "WARPLAB_LANG": lang, "XDG_DATA_HOME": home + "/data", "XDG_STATE_HOME": home + "/state",
            "XDG_CONFIG_HOME": home + "/config", "XDG_CACHE_HOME": os.environ.get("WARPLAB_TEST_CACHE", home + "/cache"),
            "WARPLAB_WORK": home + "/work", "EDITOR": editor, "NO_COLOR": "1",
            "WARPLAB_DEVICE": "sim:h200",  # on a machine with a GPU, too: the prompt names no device
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "WARPLAB_NVCC", "WARPLAB_WORDS"):
            if name in os.environ:
                env[name] = os.environ[name]
        self.started = time.time()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.execve(WARPLAB, [WARPLAB, "--device", "sim:h200", *args], env)
        self.text = ""
        self.seen = ""
        self.status = None
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, timeout):
        if not select.select([self.fd], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.status = os.waitpid(self.pid, 0)[1]
            return None
        text = self.decoder.decode(data)
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n").replace("\x07", "")
        self.text += text
        return True

    def expect(self, pattern, timeout=60, must=True):
        """What stands before and in the first match; '' and, if it must come, a failure when it does not in time."""
        end = time.time() + timeout
        while True:
            m = re.search(pattern, self.text, re.S)
            if m:
                got, self.text = self.text[: m.end()], self.text[m.end():]
                self.seen += got
                return got
            if time.time() > end or self.status is not None:
                if must:
                    say(False, "expected /%s/" % pattern, repr(self.text[-600:]))
                return ""
            if self.read(0.2) is None:
                continue

    def send(self, text):
        os.write(self.fd, text.encode())

    def do(self, line, pattern, timeout=60):
        """Sends a line; what comes up to the pattern. Pages are turned, unless the pattern is about them."""
        self.send(line + "\r")
        if "more" in pattern:
            return self.expect(pattern, timeout)
        got = ""
        while True:
            part = self.expect("(?:%s|%s)" % (MORE, pattern), timeout)
            got += part
            if not re.search("(?:%s)$" % MORE, part):
                return got
            self.send("\r")

    def close(self):
        self.send("\x04")
        end = time.time() + 20
        while self.status is None and time.time() < end:
            self.read(0.2)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.seen += self.text
        return self.status


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
