#!/usr/bin/env python3
"""Nothing is said outside the catalogues: with the pseudo-locale (tests/unit/words/pseudo.py),
which puts each row into brackets, what stands outside brackets on a screen is data: names that the
command was given, what authors wrote, options, numbers, verdicts that scripts look for."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests/unit/words"))
from pseudo import outside  # noqa: E402

W = os.path.join(ROOT, os.environ.get("B", "build"), "warplab")
RACY = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 255) / 256, 256>>>(a, b, c, n); }
"""
failures = 0


def words_of(*paths):
    return {w for p in paths for w in re.findall(r"[A-Za-z]{3,}", open(os.path.join(ROOT, p), encoding="utf-8").read())}


def look(name, command, data, least=3):
    global failures
    env = dict(os.environ, WARPLAB_LANG="en", WARPLAB_WORDS=folder + "/pseudo.po", NO_COLOR="1", COLUMNS="80")
    for k in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        env[k] = folder
    if "WARPLAB_TEST_CACHE" in os.environ:
        env["XDG_CACHE_HOME"] = os.environ["WARPLAB_TEST_CACHE"]
    out = subprocess.run([W, *command], capture_output=True, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, timeout=100)
    text = (out.stdout + out.stderr).decode("utf-8", "replace")
    left = sorted({w for w in outside(text) if w not in data and w.lower() not in data})
    good = not left and text.count("⟦") >= least
    failures += not good
    print(("ok " if good else "not ok ") + name + ("" if good else f" (outside the catalogue: {left[:12]}; rows: {text.count('⟦')}; {text[-300:]!r})"))


with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/pseudo.po", "w") as f:
        subprocess.run([os.path.join(ROOT, "tests/unit/words/pseudo.py")], stdout=f, check=True)
    bad = folder + "/vector-add.cu"
    open(bad, "w").write(RACY)
    options = words_of("runner/cli/options.def", "runner/cli/commands.def")  # and the formats, an option each
    options |= {w for f in os.listdir(ROOT + "/grader/report") + os.listdir(ROOT + "/grader/course") for w in re.findall("[a-z]{3,}", f)}
    given = set(re.findall("[A-Za-z]{3,}", folder)) | {"vector", "add", "sim", "FAIL", "warplab"}
    look("grade: an answer", ["grade", "vector-add", "answers/vector-add.cu", "--device", "sim:h200"], given | {"answers"}, 6)
    look("grade: a file that is wrong", ["grade", "vector-add", bad, "--device", "sim:h200"], given, 8)
    look("grade: no lab", ["grade", "no-such-lab", bad], given | {"such", "lab"}, 1)
    look("profile", ["profile", "tests/cuda/vector_add.cu"], given, 12)
    look("devices", ["devices"], words_of("runner/device/targets/boards.def") | given | {"gpu"})
    for command in ("grade", "profile", "debug", "check", "gradebook", "pack", "doctor"):
        look(command + " --help", [command, "--help"], options | {"warplab"}, 2)
sys.exit(failures > 0)
