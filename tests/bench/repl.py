#!/usr/bin/env python3
"""Milliseconds from starting warplab in a terminal to its prompt: the median of 15 starts.
Argument: the program."""
import os
import pty
import re
import select
import statistics
import sys
import tempfile
import time


def start(program, home):
    env = {"PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm", "LC_ALL": "C.UTF-8", "WARPLAB_LANG": "en"}
    if "WARPLAB_ROOT" in os.environ:
        env["WARPLAB_ROOT"] = os.environ["WARPLAB_ROOT"]
    begin = time.perf_counter()
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(program, [program, "--device", "sim:h200"], env)
    text = b""
    took = None
    while time.perf_counter() - begin < 10:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            text += os.read(fd, 65536)
        except OSError:
            break
        if re.search(rb"warplab (\[[^]]*\] )?>", text):  # where there is a GPU it names the device
            took = time.perf_counter() - begin
            break
    try:
        os.write(fd, b"quit\n")
    except OSError:
        pass
    while True:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:
            break
    os.waitpid(pid, 0)
    os.close(fd)
    if took is None:
        sys.exit("no prompt within 10 s; the screen held: %r" % text[-300:])
    return took * 1000


with tempfile.TemporaryDirectory() as home:
    start(sys.argv[1], home)  # the first start makes the folders
    print("%.1f" % statistics.median(start(sys.argv[1], home) for _ in range(15)))
