#!/usr/bin/env python3
# timeout: 400
"""The REPL through a pseudo-terminal of 80x24, as a student meets it: from the first prompt to a
passed lab, in both languages, with the mistakes a student makes (a typo, a compile error, a write
out of bounds, an endless kernel, Ctrl-C), then resumed in a new session.

Prints one "ok" or "not ok" line a step, as tests/run counts them."""
import os
import re
import shutil
import sys
import tempfile
import time

import terminal
from terminal import ROOT, WARPLAB, Session, columns, say

FAST = os.environ.get("FAST") == "1"

WORDS = {
    "en": dict(welcome="Warplab: CUDA performance", unknown="There is no command", mean="Did you mean `?list", none="No lab is open",
               made="Your file was made", again="Once more", right="Right\\.", measured="You predicted 1; measured: 1\\.", hit="As you said",
               differs="expected .*, found", notyet="Not passed yet: .* of 10 points", compile="does not compile", oob="out of bounds",
               stopped="Stopped\\.", running="running \\.\\.\\.", compiling="compiling \\.\\.\\.", hint="Hint %d of 3", unwritten="No thread has written c\\[", passed="Passed: 10 of 10 points", why="Why it works", try_="Try this",
               lanes="active lanes", yours="yours", bye="Everything is kept", resumed="is passed", labs="1 of \\d+ labs passed",
               kept="Your old file is", yes="\\[y/N\\]", agree="The public cases are right", letter="Type the letter", lab="There is no lab",
               notpassed="not passed yet"),
    "zh": dict(welcome="Warplab：用测量来学", unknown="没有 `?lsit`? 这个命令", mean="是不是想输入 `?list", none="还没有打开实验",
               made="已用骨架代码生成", again="再试一次", right="正确。", measured="你的预测是 1；实测：1。", hit="正如你所料",
               differs="应为 .*，实际为", notyet="还没有通过：.* / 10 分", compile="编译不通过", oob="越界写", stopped="已停止", running="正在运行 \\.\\.\\.", compiling="正在编译 \\.\\.\\.",
               hint="提示 %d / 3", unwritten="没有线程写过 c\\[", passed="通过：10 / 10 分", why="为什么", try_="再试试", lanes="活跃 lane", yours="你的", bye="进度都已保存",
               resumed="已经通过", labs="已通过 1 / \\d+ 个实验", kept="旧文件保存为", yes="（y 是，回车否）", agree="公开用例全部正确",
               letter="输入选项前的字母", lab="没有名为", notpassed="还没有通过"),
}

COMPILE_ERROR = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
"""
OUT_OF_BOUNDS = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
"""
TWICE = """__global__ void add(const float *a, const volatile float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + 0.5f * (b[i] + b[i]);
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
"""
ENDLESS = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile float *v = c; // slow, and in the large case: seconds until the instruction budget ends it
    while (n > 1000000 && v[0] != 12345.0f) v[0] = 1.0f;
    if (i < n) c[i] = a[i] + b[i];
}
void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }
"""


def student(lang):
    w = WORDS[lang]
    home = tempfile.mkdtemp(prefix="warplab-repl-")
    pen = home + "/pen.cu"  # what the editor "types": it copies this file over the student's
    t = Session(home, lang, editor="cp " + pen)
    P = "warplab >"

    def check(pattern, what, got):
        say(bool(re.search(pattern, got, re.S)), "%s: %s" % (lang, what), repr(got[-300:]))

    check(w["welcome"], "greets", t.expect(P))
    check(w["unknown"], "an unknown command", t.do("lsit", w["mean"] + ".*?" + P))
    check(w["none"], "no lab is open", t.do("next", P))
    check(w["lab"], "an unknown lab", t.do("start vectoradd", "vector-add.*?" + P))
    # Completion: "start vec" and the tab key.
    t.send("start vec\t\r")
    got = t.expect("vector-add 1/10 >")
    check(w["made"], "the work file is made, the lab's name completed", got)
    say(os.path.exists(home + "/work/vector-add.cu"), lang + ": the file is in the work folder")
    P = r"vector-add \d+/10 >"

    got = t.do("n", r"(answer|回答) >")
    n, b = [int(x) for x in re.search(r"n = (\d+)\D+?(\d+)", got).groups()]
    check(w["again"], "a wrong answer may be given once more", t.do("1", r"(answer|回答) >"))
    check(w["right"], "the right answer, computed from what the question says", t.do(str(-(-n // b)), P))
    got = t.do("next", r"(answer|回答) >")
    n, b = [int(x) for x in re.search(r"n = (\d+)\D+?(\d+)", got).groups()]
    check(w["right"], "idle threads", t.do(str(-(-n // b) * b - n), P))
    check("AAAAAAAABBB", "the picture of the last warp", t.do("n", P))
    got = t.do("n", r"(answer|回答) >")
    letter = re.search(r"\n  ([a-d])  (All 32 lanes agree|32 ?个 ?lane ?结果一致)", got)
    say(letter is not None, lang + ": the right choice is on the screen", repr(got[-400:]))
    letter = letter.group(1) if letter else "a"
    check(w["letter"], "a choice wants a letter", t.do("zzz", r"(answer|回答) >"))
    check(w["right"], "a choice", t.do(letter, P))
    t.do("n", r"(prediction|预测) >")
    got = t.do("1", P, 120)
    check(w["measured"], "a prediction is checked against the counter", got)
    check(w["hit"], "and it was right", got)
    got = t.do("n", r"(answer|回答)(, %|（%）) >")
    n = int(re.search(r"n = (\d+)", got).group(1))
    check(w["right"], "a share in per cent", t.do("1/%d" % -(-n // 32) if False else "%.3f %%" % (100 / -(-n // 32)), P))
    t.do("n", P)
    check(w["notpassed"], "next does not run past an unpassed exercise", t.do("n", P))

    got = t.do("check", P, 120)
    check(w["notyet"], "the skeleton does not pass", got)
    check(w["unwritten"], "a hint about what the check found", t.do("h", P))
    for i in (1, 2, 3):
        check(w["hint"] % i, "hint %d" % i, t.do("h", P))

    open(pen, "w").write(COMPILE_ERROR)
    t.do("edit", P)
    got = t.do("c", P, 120)
    check(w["compile"], "a compile error", got)
    check(r"vector-add\.cu[:(]\s?[23]", "is shown at the student's own file and line", got)
    open(pen, "w").write(OUT_OF_BOUNDS)
    t.do("e", P)
    got = t.do("c", P, 120)
    check(w["oob"], "a write out of bounds", got)
    check(r"3 \| c\[i\] = a\[i\] \+ b\[i\];", "with its source line", got)
    if not FAST:
        open(pen, "w").write(ENDLESS)
        t.do("e", P)
        t.send("x\r")
        t.expect(w["running"], 60)
        time.sleep(0.5)  # the kernel runs now
        t.send("\x03")
        check(w["stopped"], "Ctrl-C ends an endless kernel, not the REPL", t.expect(P, 60))
        open(pen, "w").write(OUT_OF_BOUNDS + "// changed, so that it is compiled again %f\n" % time.time())
        t.do("e", P)
        t.send("c\r")
        t.expect(w["compiling"], 60)
        t.send("\x03")
        check(w["stopped"], "Ctrl-C ends a compile", t.expect(P, 60))
    for _ in range(100):  # the terminal throws away what was typed, at whatever moment it is being read
        t.send("start no-such")
        t.send("\x03")
        t.expect(P)  # each has a prompt, one that came between two prompts too
        if t.status is not None:
            break
    t.do("", P)
    say(t.status is None, lang + ": Ctrl-C drops the line, and never the session")

    check(w["kept"], "reset keeps the old file", (t.do("reset", w["yes"]), t.do("y", P))[1])
    say(os.path.exists(home + "/work/vector-add.cu.~1~"), lang + ": as ID.cu.~1~")
    shutil.copy(ROOT + "/answers/vector-add.cu", pen)
    t.do("e", P)
    check(w["agree"], "run says whether the public cases are right", t.do("run", P, 120))
    got = t.do("check", P, 120)
    check(w["passed"], "the lab is passed", got)
    faster = re.search(r"(?:[2-9]|1\.\d+) times as fast|速度是基线的 (?:[2-9]|1\.\d+)", got)
    say(bool(faster) == bool(re.search("Well done|做得好", got)), lang + ": praise where something got faster, else how fast it is", repr(got[:600]))
    check(w["why"] + ".*" + w["try_"], "and explained", got)
    check(w["lanes"], "the student's own picture", t.do("n", P, 120))
    check(w["yours"], "the comparison with the baseline", t.do("n", P, 120))
    check("##", "a roofline or its reason", t.do("show sectors", P, 120))
    check(r"1 +[\d.,]+ +- +[\d.]+x  \w+", "ladder: the right version is its first rung", t.do("ladder", P))
    # A right version that loads each number twice: its rung says which counter that shows in.
    open(home + "/work/vector-add.cu", "w").write(TWICE)
    t.do("check", P, 120)
    got = t.do("ladder", P)
    check(r"2 +[\d.,]+ +[\d.]+x +[\d.]+x  \w+", "ladder: a second rung", got)
    check(r"gld_sectors +[\d,]+ -> [\d,]+", "ladder: and the counters that changed", got)
    say(max(len(line) for line in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", got).splitlines()) <= 80, lang + ": ladder keeps to 80 columns")
    shutil.copy(ROOT + "/answers/vector-add.cu", home + "/work/vector-add.cu")
    check(w["labs"], "progress", t.do("progress", P))
    # Saving the file while it is watched grades it; a key leaves.
    t.do("watch", "vector-add\\.cu")
    time.sleep(0.5)
    shutil.copy(ROOT + "/labs/vector-add.cu", home + "/work/vector-add.cu")
    check(w["notyet"], "watch grades what is saved", t.expect(w["notyet"], 120))
    time.sleep(0.5)
    t.send("q")
    t.expect(P)
    shutil.copy(ROOT + "/answers/vector-add.cu", home + "/work/vector-add.cu")
    check(w["labs"], "a lab once passed stays so", t.do("progress", P))
    t.text = ""
    status = t.close()
    check(w["bye"], "Ctrl-D leaves", t.seen)
    say(status == 0, lang + ": exit status 0")

    # Resumed: no work is done again, and the history of the other session is there.
    t = Session(home, lang)
    got = t.expect(P, 10)
    check(w["resumed"], "a new session resumes", got)
    check("vector-add 10/10", "at the step where it was left", got)
    t.send("\x1b[A\r")
    check(w["labs"], "history is kept: the arrow brings the last command back", t.expect("labs passed|个实验"))
    t.expect(P)
    t.close()
    seen = t.seen
    wide = [l for l in seen.split("\n") if columns(l) > 80 and ">" not in l and "/" not in l]
    say(not wide, lang + ": nothing is wider than 80 columns", repr(wide[:2]))
    shutil.rmtree(home)


def script():
    """Not a terminal: no prompts, commands from stdin, an exit status."""
    import subprocess
    home = tempfile.mkdtemp(prefix="warplab-repl-")
    env = dict(os.environ, HOME=home, XDG_DATA_HOME=home + "/d", XDG_STATE_HOME=home + "/s", WARPLAB_WORK=home + "/w", WARPLAB_LANG="en", LC_ALL="C.UTF-8",
               XDG_CACHE_HOME=os.environ.get("WARPLAB_TEST_CACHE", home + "/cache"))
    p = subprocess.run([WARPLAB, "--device", "sim:h200"], input="start vector-add\nread 9\ncheck\nquit\n", text=True, capture_output=True, env=env, timeout=120)
    say(p.returncode == 1 and "Not passed yet" in p.stdout, "a script: the skeleton fails, status 1", repr((p.returncode, p.stdout[-300:], p.stderr[-300:])))
    say("by --device" not in p.stdout, "the device that is the default needs no notice")
    for lang, text in (("en", "The device is sim:h200, by --device; here it would be sim:t4 by default"), ("zh", "设备是 sim:h200（由 --device 指定）")):
        q = subprocess.run([WARPLAB, "--device", "sim:h200", "--lang", lang], input="quit\n", text=True, capture_output=True, env=dict(env, WARPLAB_DEVICE="sim:t4", COLUMNS="200"), timeout=60)
        said = re.sub(r"\s+", " " if lang == "en" else "", q.stdout)
        say((text if lang == "en" else text.replace(" ", "")) in said, "%s: --device is not what was left" % lang, repr(q.stdout[-300:]))
    say(" >" not in p.stdout and "\x1b" not in p.stdout, "a script: no prompts and no escapes")
    shutil.copy(ROOT + "/answers/vector-add.cu", home + "/w/vector-add.cu")
    p = subprocess.run([WARPLAB, "--transcript", home + "/log"], input="start vector-add\ncheck\n", text=True, capture_output=True, env=env, timeout=120)
    say(p.returncode == 0 and "Passed: 10 of 10" in p.stdout, "a script: the answer passes, status 0", repr((p.returncode, p.stdout[-300:], p.stderr[-300:])))
    log = open(home + "/log").read()
    say("Passed: 10 of 10" in log, "the transcript holds it")
    # A home that cannot be written: one message, and the session goes on.
    env["XDG_DATA_HOME"] = "/proc/nowhere"
    p = subprocess.run([WARPLAB], input="list\nstart vector-add\nread 2\n", text=True, capture_output=True, env=env, timeout=60)
    say(p.stdout.count("cannot be saved") == 1 and "vector-add" in p.stdout, "progress that cannot be saved is said once", repr(p.stdout[-400:]))
    shutil.rmtree(home)


if not os.path.exists(WARPLAB):
    say(False, WARPLAB + " is there")
else:
    for language in sys.argv[1:] or ("en", "zh"):
        student(language)
    script()
sys.exit(terminal.failures > 0)
