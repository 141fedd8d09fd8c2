#!/usr/bin/env python3
# slow: make test FAST=1 leaves it out
# timeout: 300
"""`warplab profile` on terminals of 60, 80 and 120 columns and in both languages, with all that it
can say of a program: no line is wider than the terminal, at 80 columns and more each row of the
table is one line, and Chinese has Chinese units. What is no terminal gets each finding in one
line."""
import os
import pty
import re
import subprocess
import sys
import tempfile
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARPLAB = os.path.join(ROOT, os.environ.get("B", "build"), "warplab")
# A long name, a launch of more than a thousand, spilled lines, a leak, a race between blocks.
PROGRAM = """__global__ void a_kernel_with_a_long_name(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i * 7 % n] * 2 + 1; // a comment behind code, which makes this line of the source a long one 中文注释
}
__global__ void sums(float *x, float *y) {
    __shared__ float s[256];
    s[threadIdx.x * 8 % 256] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x % 3) y[threadIdx.x] = s[threadIdx.x / 2] / x[threadIdx.x];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 1 << 20), cudaMalloc(&y, 1 << 20);
    cudaMemset(x, 1, 1 << 20), cudaMemset(y, 1, 1 << 20);
    a_kernel_with_a_long_name<<<256, 256>>>(x, 65536);
    for (int i = 0; i < 3; i++) sums<<<1, 256>>>(x, y);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
failed = False


def check(good, name, why=""):
    global failed
    failed |= not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" ({str(why)[-600:]})"), flush=True)


def columns(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def on_terminal(words, environment):
    pid, fd = pty.fork()
    if not pid:
        os.execve(words[0], words, environment)
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.waitpid(pid, 0)
    os.close(fd)
    return re.sub(r"\x1b\[[0-9;]*m", "", out.decode()).replace("\r\n", "\n")


with tempfile.TemporaryDirectory(prefix="warplab-profile-widths-") as folder:
    path = os.path.join(folder, "program.cu")
    open(path, "w").write(PROGRAM)
    environment = dict(os.environ, TERM="xterm", WARPLAB_DEVICE="sim:h200")
    for lang in ("en", "zh"):
        words = [WARPLAB, "profile", "--lang", lang, "--lines", "--stalls", "--what-if", path]
        for wide in (60, 80, 120):
            text = on_terminal(words, dict(environment, COLUMNS=str(wide)))
            text = text.split("\n", 1)[1] if text.startswith("warplab:") else text
            lines = [l.split("\r")[-1] for l in text.split("\n")]
            check("sums" in text and ("never freed" in text or "没有释放" in text or "从未释放" in text), f"{lang}, {wide} columns: all is said", text)
            bad = [l for l in lines if columns(l) > wide]
            check(not bad, f"{lang}, {wide} columns: no line is wider", bad)
            if wide >= 80:
                row = [l for l in lines if re.match(r"  sums +3 +[\d.]+ \S+ ", l) and len(re.findall(r"%", l)) == 2]
                check(len(row) == 1, f"{lang}, {wide} columns: a kernel's row is one line", text)
            if lang == "zh":
                bad = [l for l in lines if re.search(r"\d (us|ms|s)\b", l)]
                check(not bad, f"{lang}, {wide} columns: units are Chinese", bad)
    said = subprocess.run([WARPLAB, "profile", path], capture_output=True, text=True, env=dict(environment, COLUMNS="60")).stdout
    bad = [l for l in said.split("\n") if l.startswith("  ! ") and not re.search(r"\d|:", l)]
    check(any(columns(l) > 60 for l in said.split("\n") if l.startswith("  ! ")) and not bad, "in a file a finding is one line", said)
sys.exit(failed)
