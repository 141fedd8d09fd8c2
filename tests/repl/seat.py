#!/usr/bin/env python3
# slow
# timeout: 300
# waits
"""The student's seat: what was in the way of students who tried the labs cold, each at the screen
of 80x24 and in both languages.

A question takes expressions, full width and units, says what is wrong with what it cannot read, and
survives `help` and `hint`; a check says what a program printed before it faulted, what the compiler
warned of, and that a result is right by luck; an unchanged file answers at once; `next` at the end
of a passed lab opens the next one; the prompt shows a device that is not the default."""
import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

import terminal
from terminal import MORE, ROOT, WARPLAB, Session, columns, say

WORDS = {
    "en": dict(right=r"Right\.", missing=r"A number is missing at the end", operand=r"missing before `/2`|missing before /2", word="neither a number", paren="no partner",
               back="Back to the question", hint="This question has no hint", help="Keys: n next", answered="You have answered this one", none="No transcript is being", on="is also written",
               still="is being written to", luck="right, but only by luck", hint_oob="the array does not have", hint_race="nothing says who comes first", hint_unwritten="No thread has written", hint_build="mend this first", warns="The compiler warns", printed="The program printed", kept="has not changed since", passed="Passed: 10 of 10", passed_hint="Passed, with all points",
               limits="What limits your kernel now: (?:dram|launch).*Why it works",
               opens="once more opens", leaves="`?q`? once more leaves", device="by default", home="labs passed; about", sector="memory of 32 bytes", found="Labs", unit="neither a number|does not fit",
               tour="New here", page1="One letter is often enough", page2="bytes used", page4="What `?check`? says", end="That is all", save="save: checked", notyet="Not passed yet", changed="This save", points=r"points \d+ -> 10", h1="Hint [123] of 3", faster="To get faster", written="never written", key="all wrong"),
    "zh": dict(right="正确。", missing="末尾缺少一个数", operand="前面缺少一个数", word="不是数字", paren="括号不成对", back="回到刚才的问题", hint="这道题没有提示", help="按键：n 下一步",
               answered="已经答对", none="目前没有记录", on="同时写入", still="会话正在写入", luck="只是侥幸", hint_oob="数组里不存在的元素", hint_race="没有规定谁先谁后", hint_unwritten="没有线程写过", hint_build="先改好这里", warns="编译器警告", printed="程序的输出", kept="没有变化", passed="通过：10 / 10", passed_hint="已通过，满分",
               limits="你的核函数现在受什么限制：(?:dram|launch).*为什么",
               opens="就打开", leaves="再输入一次", device="默认是", home="大约还剩", sector="32 字节", found="实验", unit="不是数字|单位", tour="第一次来",
               page1="一个字母就够", page2="用到", page4="评判", end="就是这些", save="保存即评分", notyet="还没有通过", changed="这次保存", points=r"得分 \d+ -> 10", h1="提示 [123] / 3", faster="想要更快", written="从未写入", key="全错"),
}

FAULTS = """#include <cstdio>
__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = in[i] * in[i];
}
void errors(const float *in, float *out, int n) {
    square<<<(n + 1023) / 1024, 1024>>>(in, out, n);
    n + 1;
    printf("sync: %s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""


def lucky():
    """The last warp adds through volatile words, with no __syncwarp(): right sums, and a race."""
    text = open(ROOT + "/answers/reduce-4-warp.cu").read()
    return text.replace("__syncwarp();", "").replace("int *sum, unsigned lane", "volatile int *sum, unsigned lane")


ASK = r"(?:answer|回答)[^\n>]{0,20} >"


def prompt_time():
    """Processor time to the prompt of who resumes a lab: no lesson but that one is read."""
    if os.environ.get("SANITIZE"):
        print("skip the prompt is there in 20 ms (an instrumented build)")
        return
    home = tempfile.mkdtemp(prefix="warplab-seat-")
    env = dict(os.environ, HOME=home, XDG_DATA_HOME=home + "/d", XDG_STATE_HOME=home + "/s", WARPLAB_WORK=home + "/w", WARPLAB_LANG="en", LC_ALL="C.UTF-8")
    subprocess.run([WARPLAB], input="start transpose\n", text=True, capture_output=True, env=env)
    times = []
    for _ in range(9):
        p = subprocess.Popen([WARPLAB], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        used = os.wait4(p.pid, 0)[2]
        p.returncode = 0
        times.append(1000 * (used.ru_utime + used.ru_stime))
    say(min(times) <= 20, "the prompt is there in 20 ms of the processor", "%.1f ms" % min(times))
    shutil.rmtree(home)


class Seat:
    def __init__(self, lang):
        self.lang, self.w, self.home = lang, WORDS[lang], tempfile.mkdtemp(prefix="warplab-seat-")

    def check(self, word, what, got):
        say(bool(re.search(self.w.get(word, word), got, re.S)), "%s: %s" % (self.lang, what), repr(got[-400:]))

    def session(self, *args):
        self.t = Session(self.home, self.lang, args=args)
        return self.t

    def ask(self, t, line):
        return t.do(line, ASK)

    def all(self, line, prompt, timeout=240):
        """All pages of what a line makes."""
        self.t.send(line + "\r")
        return self.pages(prompt, timeout)

    def pages(self, prompt, timeout=240):
        got = ""
        while True:
            part = self.t.expect("(?:%s|%s)" % (MORE, prompt), timeout)
            got += part
            if not part or not re.search("(?:%s)$" % MORE, part):
                return got
            self.t.send("\r")

    def questions(self):
        shutil.rmtree(self.home)
        os.mkdir(self.home)
        t = self.session()
        self.check("tour", "the first start offers a tour", t.expect("warplab >"))
        t.do("start vector-add", "vector-add 1/10 >")
        P = r"vector-add \d+/10 >"
        for typed in ("ｎ", "下一步") if self.lang == "zh" else ("n",):
            got = t.do(typed, ASK if typed != "下一步" else P + "|" + ASK)
            if typed == "下一步":
                break
        t.do("read 2", ASK)
        for typed, word, what in (("8*", "missing", "a sum without an end"), ("8*/2", "operand", "two signs in a row"), ("(8+2", "paren", "a parenthesis"),
                                  ("8*blocks", "word", "a word in a sum")):
            self.check(word, "%s: what is wrong is said" % what, self.ask(t, typed))
        for typed, word in (("help", "help"), ("h", "hint"), ("？", "help")):
            got = self.ask(t, typed)
            self.check(word, "%s at a question answers" % typed, got)
            self.check("back", "%s at a question comes back to it" % typed, got)
        got = t.do("read", ASK)
        n, b = [int(x) for x in re.search(r"n = (\d+)\D+?(\d+)", got).groups()]
        got = t.do("（%d ＋ %d - 1 - %d）／ %d" % (n, b, (n + b - 1) % b, b), P)
        self.check("right", "an expression is an answer", got)
        t.do("b", P)
        self.check("answered", "a question that was answered is not asked again", t.do("n", P))
        self.check("none", "transcript says that there is none", t.do("transcript", P))
        self.check("on", "transcript FILE", t.do("transcript " + self.home + "/log", P))
        self.check("still", "transcript does not switch itself off", t.do("transcript", P))
        self.check("sector", "help WORD explains a term", t.do("help sectors", P))
        self.check("sector", "in the other language too", t.do("help 扇区", P))
        self.check("found", "find", t.do("find vector", P))
        self.check("histogram", "help with a word of a title names the lab", t.do("help 直方图", P))
        self.check("histogram", "find takes a title as it is shown", t.do("find 直方图：每个块一份副本", P))
        self.check("home", "home", t.do("home", P))
        self.check(r"vector-add 3/10 \[sim:g80\] >|vector-add 2/10 \[sim:g80\] >", "the prompt shows another device", t.do("device g80", r"\[sim:g80\] >"))
        t.do("device h200", P)
        self.watching(t, P)
        self.check("leaves", "a single q asks once more", t.do("q", P))
        t.close()

    def watching(self, t, P):
        """Checks when it begins and at each save, says what changed, and gives the screen back; the editor's files."""
        t.send("watch\r")
        got = t.expect(self.w["save"], 240)
        self.check("notyet", "watch checks at once a file that was not checked", got)
        self.check(r"\[#*\.*\].*\[#*\.*\]", "with the course's bar and the goals' bars", got)
        shutil.copy(ROOT + "/answers/vector-add.cu", self.home + "/work/vector-add.cu")
        got = t.expect(self.w["changed"] + ".*?" + self.w["save"], 240)
        self.check("points", "a save is checked, and what it changed is said", got)
        self.check("passed", "and passes", got)
        t.send("h")
        got = t.expect(self.w["save"])
        self.check("faster", "a key shows what can still be gained after a pass", got)
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        got = t.expect(self.w["save"][:20])
        self.check("faster", "a terminal that changes its size shows the same", got)
        fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        t.expect(self.w["save"])
        t.send("q")
        self.check("limits", "what limits this run stands before why it works", self.pages(P))
        t.do("editor vscode", P)
        task = json.load(open(self.home + "/work/.vscode/tasks.json"))["tasks"][0]
        say(re.search(task["problemMatcher"][0]["pattern"]["regexp"], "a.cu(12): error: expected a ;").group(2) == "12", self.lang + ": the task's matcher finds nvcc's line")
        say(re.search(task["problemMatcher"][1]["pattern"]["regexp"], "  - a.cu:7: thread 3 of block 0").group(2) == "7", self.lang + ": and a finding's")

    def checks(self):
        work = self.home + "/work"
        t = self.session()
        t.expect(" >")
        t.do("start errors", r"errors 1/\d+ >")
        P = r"errors \d+/\d+ >"
        open(work + "/errors.cu", "w").write(FAULTS)
        got = self.all("check", P)
        self.check("printed", "what was printed before a fault is shown", got)
        self.check("illegal memory access", "the error of the case that faulted too", got)
        self.check("warns", "the compiler's warnings are shown", got)
        got = self.all("check", P)
        self.check("kept", "an unchanged file is not run again", got)
        t.do("start reduce-4-warp", r"reduce-4-warp 1/\d+ >")
        open(work + "/reduce-4-warp.cu", "w").write(lucky())
        got = self.all("check", r"reduce-4-warp \d+/\d+ >")
        self.check("luck", "right by luck is said", got)
        say("__syncwarp()" in got, "%s: and what is missing" % self.lang, repr(got))
        t.do("start vector-add", r"vector-add \d+/10 >")
        shutil.copy(ROOT + "/labs/vector-add.cu", work + "/vector-add.cu")
        got = self.all("check", r"vector-add \d+/10 >")
        self.check("key", "the map of mistakes has a legend", got)
        text = open(ROOT + "/answers/vector-add.cu").read()
        open(work + "/vector-add.cu", "w").write(re.sub(r"BLOCK = \d+", "BLOCK = 4096", text))
        got = self.all("check", r"vector-add \d+/10 >")
        told = re.sub(r"\s+", "", got)
        want = "4,096threadsablock;sim:h200holds1,024" if self.lang == "en" else "每块4,096个线程；sim:h200最多1,024"
        say(want in told, "%s: a launch that was refused names the limit" % self.lang, repr(got[-600:]))
        shutil.copy(ROOT + "/answers/vector-add.cu", work + "/vector-add.cu")
        self.check("passed", "passed", self.all("check", r"vector-add \d+/10 >"))
        begun = time.time()
        got = self.all("read 10", r"vector-add 10/10 >")
        say(time.time() - begun < 0.5, "%s: the step after a check measures nothing again" % self.lang, "%.2f s" % (time.time() - begun))
        self.check("opens", "next at the end names the next lab", t.do("next", r"vector-add 10/10 >"))
        got = t.do("next", r"[a-z-]+ 1/\d+ >")
        say(not re.search(r"vector-add 1/", got), "%s: and once more opens it" % self.lang, repr(got[-100:]))
        t.close()
        wide = [l.split("\r")[-1] for l in t.seen.split("\n")]
        wide = [l for l in wide if columns(l) > 80 and ">" not in l and "/" not in l]
        say(not wide, "%s: nothing is wider than 80 columns" % self.lang, repr(wide[:2]))

    def hints(self):
        """After a check, `hint` is first about what it found, once; then the lesson's hints come. At a question it is about the question."""
        work = self.home + "/work"
        t = self.session()
        t.expect(" >")
        P = r"vector-add \d+/10 >"
        t.do("start vector-add", P)
        text = open(ROOT + "/answers/vector-add.cu").read()
        race = "__global__ void add(const float *a, const float *b, float *c, int n) {\n    __shared__ float t[64];\n    int i = blockIdx.x * 64 + threadIdx.x;\n" \
               "    t[threadIdx.x] = i < n ? a[i] : 0;\n    if (i < n) c[i] = t[63 - threadIdx.x] * 0 + a[i] + b[i];\n}\n" \
               "void vector_add(const float *a, const float *b, float *c, int n) { add<<<(n + 63) / 64, 64>>>(a, b, c, n); }\n"
        for what, source, word in (("no bounds check", text.replace("if (i < n) ", ""), "hint_oob"), ("a race", race, "hint_race"),
                                   ("a wrong index", text.replace("blockIdx.x * blockDim.x + threadIdx.x", "2 * (blockIdx.x * blockDim.x + threadIdx.x)"), "hint_unwritten"),
                                   ("a compile error", text.replace("b[i];", "b[i]"), "hint_build")):
            open(work + "/vector-add.cu", "w").write(source)
            self.all("check", P)
            self.check(word, "%s: a hint about it" % what, self.all("hint", P))
            got = self.all("", P)
            say(not re.search(self.w[word], got), "%s: %s: an empty line does not say it again" % (self.lang, what), repr(got[-300:]))
            got = self.all("hint", P)
            self.check("h1", "%s: then the lesson's hint" % what, got)
            say(not re.search(self.w[word], got), "%s: %s: it is said once" % (self.lang, what), repr(got[-300:]))
        open(work + "/vector-add.cu", "w").write(text)
        self.all("check", P)
        for turn in ("", " each time"):
            got = self.all("hint", P)
            self.check("passed_hint", "after a pass `hint` says what can be gained%s" % turn, got)
            say(not re.search(self.w["h1"], got), "%s: and no hint of the lesson%s" % (self.lang, turn), repr(got[-300:]))
        t.do("read 2", ASK)
        got = t.do("hint", ASK)
        self.check("hint", "a question's hint is about the question", got)
        self.check("blockDim.x", "it is what the lesson says before it", got)
        t.close()

    def rows(self):
        """Rows of the reviews that need no run: lists, files, questions with choices."""
        zh = self.lang == "zh"
        t = self.session()
        t.expect(" >")
        got = self.all("list", "warplab >")
        at = [got.find(" %s " % lab) for lab in ("image-gray", "matmul-naive", "matmul-tiled", "coalescing")]
        say(at == sorted(at) and at[0] >= 0, "%s: `list` puts a lab behind those that it builds on" % self.lang, repr(at))
        got = self.all("list reduce", "warplab >")
        say("reduce-4-warp" in got and "hello" not in got, "%s: `list WORD` lists those with the word" % self.lang, repr(got[:200]))
        for title, lab in (("合并访问：相邻 lane 读相邻地址", "coalescing"), ("Coalescing: lanes side by side", "coalescing"), ("直方图", "histogram")):
            got = t.do("start " + title, r"[a-z-]+ 1/\d+ >")
            say(re.search(lab + r" 1/\d+ >", got), "%s: `start %s`" % (self.lang, title), repr(got[-200:]))
        t.do("start matmul-tiled", r"matmul-tiled 1/\d+ >")
        text = open(self.home + "/work/matmul-tiled.cu").read()
        comments = re.findall(r"//(.*)", text)
        say(comments and all(bool(re.search("[\u3400-\u9fff]", c)) == zh for c in comments), "%s: a skeleton's comments are in one language" % self.lang, repr(comments[:2]))
        say(max(columns(l) for l in text.split("\n")) <= 100, "%s: and at most 100 columns wide" % self.lang)
        got = t.do("start errors", r"errors 1/\d+ >")
        got = t.do("progress", r"errors 1/\d+ >")
        say("0 checks, no hints" in got or "评分 0 次，没用提示" in got, "%s: `progress` counts hints" % self.lang, repr(got[-300:]))
        say(not re.search(r"0 of 0|0 / 0 分", got), "%s: and names no score before a check" % self.lang, repr(got[-300:]))
        t.do("h", r"errors 1/\d+ >")
        say(re.search(r"1 hint\b|提示 1 条", t.do("progress", r"errors 1/\d+ >")), "%s: one hint is one hint" % self.lang)
        got = t.do("read 2", ASK)
        letter = re.search(r"^  ([a-d])  `?k<<<1, dim3\(32, 33", got, re.M).group(1)
        typed = {"a": "Ａ", "b": "选b", "c": "选 c", "d": "选择 Ｄ。"}[letter] if zh else letter.upper()
        self.check("right", "`%s` is an answer" % typed, t.do(typed, r"errors \d/\d+ >"))
        got = t.do("show ?", r"errors \d/\d+ >")
        say("occupancy" in got and "roofline" in got, "%s: `show ?` names the pictures" % self.lang, repr(got[-300:]))
        t.send("exit\r")
        end = time.time() + 20
        while t.status is None and time.time() < end:
            t.read(0.2)
        say(t.status == 0, "%s: `exit` leaves" % self.lang)

    def run(self):
        self.rows()
        self.questions()
        self.checks()
        self.hints()
        shutil.rmtree(self.home)


if not os.path.exists(WARPLAB):
    say(False, "there is %s" % WARPLAB)
    sys.exit(1)
for lang in sys.argv[1:] or ("en", "zh"):
    Seat(lang).run()
prompt_time()
sys.exit(terminal.failures > 0)
