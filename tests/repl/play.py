"""Chapters 1 to 4, played through by a student who does what the screen says: reads every step,
works out every answer from the question on the screen, predicts, edits the file (the model answer
is what is typed), has it checked, reads why it works and what to try, looks at the pictures of the
own run, and goes on with the lab that the screen names next. `start` at the beginning, chapter 5 at
the end.

Without FULL=1 it stops after chapter 1, since the whole takes a quarter of an hour.

Answers are computed here from the numbers in the text, by what the lesson explains, and never read
from the lesson's file. A question that is not known here is a failure: whoever adds one to a lesson
adds its answer here.

    Q(english, chinese, answer)   patterns for the text of a question, blanks collapsed (English) or left out (Chinese); groups are numbers by name
    answer                        a number, a function of those numbers, or a pair of patterns that the right choice begins with"""
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

import terminal
from terminal import MORE, ROOT, WARPLAB, Session, columns, say

FULL = os.environ.get("FULL") == "1"
CHAPTER_1 = 5  # labs


class Q:
    def __init__(self, en, zh, answer):
        self.pattern, self.answer = {"en": en, "zh": zh}, answer


def up(a, b):
    return -(-a // b)


def rounds(n):
    return math.ceil(math.log2(n))


def split_warps(w, h):
    """Warps of a w x h picture in 16 x 16 blocks that have lanes inside and lanes outside."""
    count = 0
    for y in range(0, h, 2):
        for x in range(0, w, 16):
            inside = sum(x + i < w and y + j < h for i in range(16) for j in range(2))
            count += 0 < inside < 32
    return count


N = r"(?P<%s>[\d.]+)"
LABS = {
    "hello": [
        Q(r"thread %s of block %s in the whole" % (N % "t", N % "b"), r"块%s的线程%s在整个网格" % (N % "b", N % "t"), lambda t, b: b * 128 + t),
        Q(r"grid\(%s, %s\), block\(%s, %s\)" % (N % "g", N % "h", N % "x", N % "y"), r"grid\(%s,%s\),block\(%s,%s\)" % (N % "g", N % "h", N % "x", N % "y"), lambda g, h, x, y: g * h * x * y),
        Q("When does the host reach", "主机什么时候执行到", ("At once", "立刻")),
        Q("Where do the blocks run", "这些块在哪里执行", ("All on device 0", "全部在0号设备上")),
        Q(r"How many warps does a block of %s" % (N % "b"), r"有%s个线程的块有多少个warp" % (N % "b"), lambda b: up(b, 32)),
        Q("How many blocks does it launch", "参考答案启动多少个块", up(1003, 128)),
    ],
    "vector-add": [
        Q(r"n = %s elements, and a block has %s" % (N % "n", N % "b"), r"n=%s个元素，每个块有%s个" % (N % "n", N % "b"), lambda n, b: up(n, b)),
        Q(r"Again n = %s with blocks of (?P<b>\d+)" % (N % "n"), r"还是n=%s，每块%s个线程" % (N % "n", N % "b"), lambda n, b: up(n, b) * b - n),
        Q("How do the other 31", "另外31个warp", ("All 32 lanes agree", "32个lane结果一致")),
        Q("How many of these executions diverge", "其中有多少次发散", 1),
        Q(r"in per cent, for n = (?P<n>\d+)", r"当n=%s时" % (N % "n"), lambda n: 100 / up(n, 32)),
    ],
    "errors": [
        Q("Which launch configuration is invalid", "哪个启动配置是无效的", (r".*32, 33", r".*32,33")),
        Q("first to return an error", "最先返回错误", (r".*cudaDeviceSynchronize\(\) that follows", r"随后的cudaDeviceSynchronize")),
        Q("What does a real GPU usually report", "真实的GPU通常会报告什么", ("Nothing", "什么也不报告")),
        Q("A program got a sticky error", "出现粘性错误之后", ("ending the process", "结束进程")),
        Q("How many kernels does the device execute", "设备一共执行了多少个核函数", 1),
    ],
    "image-gray": [
        Q(r"has %s x %s threads: .*x = %s, y = %s" % (N % "w", N % "h", N % "x", N % "y"), r"有%sx%s个线程：.*x=%s、y=%s的线程" % (N % "w", N % "h", N % "x", N % "y"), lambda w, h, x, y: (y * w + x) // 32),
        Q(r"cover a picture of %s x %s pixels" % (N % "w", N % "h"), r"一幅%sx%s像素" % (N % "w", N % "h"), lambda w, h: up(w, 16) * up(h, 16)),
        Q(r"picture has %s x %s pixels\. How many warps diverge" % (N % "w", N % "h"), r"图像是%sx%s像素" % (N % "w", N % "h"), lambda w, h: split_warps(int(w), int(h))),
        Q("200 x 150 picture", "200x150的图像", 150 // 2),
    ],
    "memory-api": [
        Q(r"cudaMalloc\(&v, %s\)" % (N % "b"), r"cudaMalloc\(&v,%s\)" % (N % "b"), lambda b: b / 4),
        Q("Which call brings the results to the host", "哪个调用能把结果取回主机", (r"cudaMemcpy\(out, v, bytes, cudaMemcpyDeviceToHost", r"cudaMemcpy\(out,v,bytes,cudaMemcpyDeviceToHost")),
        Q("How does the host fill the array", "主机怎样给这个数组赋值", ("cudaMemcpyToSymbol",) * 2),
        Q(r"pitch of %s bytes\. At which byte does row %s begin" % (N % "p", N % "r"), r"间距是%s字节。第%s行" % (N % "p", N % "r"), lambda p, r: p * r),
        Q("How many bytes does the model answer copy", "向设备拷贝多少字节", 4 * 2**18),
    ],
    "matmul-naive": [
        Q(r"how many blocks does a %s x" % (N % "n"), r"一个%sx" % (N % "n"), lambda n: up(n, 16) ** 2),
        Q(r"Each block has %s threads in direction y" % (N % "t"), r"每个线程块在y方向有%s个线程" % (N % "t"), lambda t: 65535 * t),
        Q(r"Each element has %s bytes\..*What is the arithmetic intensity" % (N % "s"), r"每个元素%s字节，再做.*算术强度" % (N % "s"), lambda s: 2 / (2 * s)),
        Q(r"A load takes %s cycles.*Now %s threads make one load" % (N % "l", N % "m"), r"一次读取要%s个周期.*换成%s个线程" % (N % "l", N % "m"), lambda l, m: l + m - 1),
        Q(r"n = %s\. In step k = (?P<k>\d+), the lane with col = %s reads" % (N % "n", N % "c"), r"n=%s。在k=%s这一步，col=%s的lane" % (N % "n", N % "k", N % "c"), lambda n, c, k: k * n + c),
        Q("According to the misprint", "按照误印的说法", 1),
        Q("will the baseline's global loads touch", "基线的全局读取平均每个请求", (16 + 1) / 2),
    ],
    "matmul-tiled": [
        Q(r"The tiles are %s x [\d.]+ elements" % (N % "t"), r"tile宽度为%s时" % (N % "t"), lambda t: t * 2 / 8),
        Q("without the \\*?second", "去掉\\*?第二次", ("A slow thread still", "慢的线程还在")),
        Q(r"With n = %s and 32 x 32 tiles, how many store requests" % (N % "n"), r"n=%s、32x32的tile时" % (N % "n"), lambda n: (n // 32) ** 3 * 32),
        Q("How many global load", "发出多少个全局读取", 8 * 8 * 32 * 8 * 2),
        Q(r"Take %s x [\d.]+ tiles" % (N % "w"), r"来看%sx[\d.]+的tile" % (N % "w"), lambda w: min(100, 100 * 4 * w / 32)),
    ],
    "matmul-coarse": [
        Q(r"loads one tile of A and %s tiles of B" % (N % "c"), r"为%s个输出tile" % (N % "c"), lambda c: 100 * (2 * c - (1 + c)) / (2 * c)),
        Q(r"a kernel do with %s columns" % (N % "c"), r"每个线程算%s列时，每字节" % (N % "c"), lambda c: 2 * c * 32**3 / ((1 + c) * 32 * 32 * 4)),
        Q("with COARSE = 4 make", "COARSE=4的版本会发出", 32768 * 5 // 8),
        Q(r"32 \* %s columns\. How many blocks are there for n = (?P<n>\d+)" % (N % "c"), r"32\*%s列。n=%s时" % (N % "c", N % "n"), lambda c, n: up(n, 32 * c) * up(n, 32)),
        Q("When does coarsening pay", "什么时候粗化才划算", ("When there are many more blocks", "线程块数远多于")),
    ],
    "corner-turning": [
        Q("do the baseline's global loads touch", "基线的全局读取平均每个请求", (4 + 32) / 2),
        Q(r"With rows of %s words" % (N % "w"), r"每行%s个字时" % (N % "w"), lambda w: math.gcd(int(w), 32)),
        Q(r"stored by columns, n = %s\. At which index .*= \(%s, %s\)" % (N % "n", N % "k", N % "c"), r"B按列存储，n=%s。元素.*?=\(%s,%s\)" % (N % "n", N % "k", N % "c"), lambda n, k, c: c * n + k),
        Q("does a shared store take, on average", "一次写入要\\*?多\\*?走几遍", 31 / 2),
    ],
    "matmul-open": [
        Q(r"A thread that holds %s x" % (N % "r"), r"寄存器里保存%sx" % (N % "r"), lambda r: r * r / (2 * r)),
        Q(r"A kernel needs %s registers" % (N % "r"), r"每个线程用%s个寄存器" % (N % "r"), lambda r: 65536 // (r * 256)),
        Q("Now one barrier per phase is enough", "每个阶段只要一次屏障就够了", ("The copy that a phase overwrites", "一个阶段里要覆盖的那份")),
        Q("28,311,552 requests are left", "28,311,552个请求", 768**3 // 32 // 16 * 2),
    ],
    "coalescing": [
        Q(r"reads float number %s \* l from" % (N % "s"), r"从这个数组里读第%s\*l个float" % (N % "s"), lambda s: min(32, 4 * s)),
        Q(r"lie %s floats apart" % (N % "s"), r"相隔%s个float时" % (N % "s"), lambda s: 100 * 128 / (32 * min(32, 4 * s))),
        Q(r"Only every %s-th lane" % (N % "s"), r"只有编号为%s的倍数的lane" % (N % "s"), lambda s: len({lane // 8 for lane in range(0, 32, int(s))})),
        Q("which of these reads is fully coalesced", "哪种读法是完全合并的", (r".*walks down its own column", r".*沿自己那一列往下读")),
        Q("How many sectors does one load request", "一个读取请求触及", 32),
    ],
    "float3-aos": [
        Q(r"A struct has %s floats" % (N % "f"), r"一个结构体有%s个float" % (N % "f"), lambda f: f * min(32, 4 * f)),
        Q(r"runs with n = %s, one point per" % (N % "n"), r"用n=%s运行基线" % (N % "n"), lambda n: n // 32 * 3),
        Q(r"thread t reads word %s \* t" % (N % "f"), r"线程t读第%s\*t个字" % (N % "f"), lambda f: math.gcd(int(f), 32)),
        Q("model answer's loads touch per request", "参考答案的读取", 4),
        Q("When does this detour", "什么时候绕道共享内存才划算", ("With long structs", "结构体很长的时候")),
    ],
    "alignment": [
        Q("What does a kernel do at", "核函数执行", ("It ends with an error", "出错终止")),
        Q(r"struct. of %s floats is marked" % (N % "f"), r"一个有%s个float的" % (N % "f"), lambda f: up(f * 4, 16) * 16),
        Q(r"lies %s bytes behind the start" % (N % "o"), r"起点之后%s字节处" % (N % "o"), lambda o: 4 if o % 32 == 0 else 5),
        Q(r"picture are %s floats wide" % (N % "w"), r"图像每行%s个float" % (N % "w"), lambda w: up(w * 4, 512) * 512),
        Q("The baseline loads a particle", "基线分四次读", 32 * 16 // 32),
    ],
    "transpose": [
        Q("does a store request of the baseline", "基线的一次写请求", 32),
        Q(r"A copy of a %s x" % (N % "w"), r"拷贝一个%sx" % (N % "w"), lambda w: w * w / 8),
        Q("What is gained by swapping", "这有什么好处", ("threadIdx.x runs along a row", r"threadIdx\.x在输出中也沿行方向变化")),
        Q(r"rows of a tile are %s words" % (N % "w"), r"tile的每行长%s个字" % (N % "w"), lambda w: len({(lane * w + 5) % 32 for lane in range(32)})),
    ],
    "dram-parallel": [
        Q(r"A bus is %s bits wide.*? at %s GHz" % (N % "w", N % "c"), r"一条总线宽%s位.*?频率%sGHz" % (N % "w", N % "c"), lambda w, c: w / 8 * 2 * c),
        Q(r"Sensing takes %s times.*bus has %s such" % (N % "r", N % "b"), r"传送突发数据的%s倍，总线上有%s个" % (N % "r", N % "b"), lambda r, b: 100 * b / (r + 1)),
        Q(r"if the ratio is (?P<r>\d+)", r"比值为(?P<r>\d+)、", lambda r: r + 1),
        Q(r"Which channel holds M\[%s\]" % (N % "i"), r"M\[%s\]在几号通道" % (N % "i"), lambda i: i // 2 % 4),
        Q(r"M is a %s x" % (N % "w"), r"M是%sx" % (N % "w"), lambda w: len({row * w // 2 % 4 for row in range(int(w))})),
        Q("What is the baseline's occupancy", "基线的占用率是多少", 100 * 128 / 2048),
    ],
    "divergence": [
        Q(r"dim3\(%s, %s, %s\) threads.*threadIdx = \(%s, %s, %s\)" % (N % "x", N % "y", N % "z", N % "a", N % "b", N % "c"),
          r"dim3\(%s,%s,%s\)个线程.*threadIdx=\(%s,%s,%s\)" % (N % "x", N % "y", N % "z", N % "a", N % "b", N % "c"),
          lambda x, y, z, a, b, c: ((c * y + b) * x + a) // 32),
        Q("Why do GPUs let 32 lanes share one stream anyway", "GPU为什么仍然让32个lane共用", ("The unit that fetches", "取指和译码")),
        Q("never makes a warp of a", "绝不会让warp发散", (r".*threadIdx.x / 32 > 2", r".*threadIdx.x/32>2")),
        Q(r"Now the image is %s x %s" % (N % "w", N % "h"), r"现在图像是%sx%s" % (N % "w", N % "h"),
          lambda w, h: 100 * (h // 2) / (up(w, 16) * up(h, 16) * 8)),
        Q("How many lanes are active on average", "有多少个活跃lane", 17),
    ],
    "reduce-1-divergent": [
        Q(r"do %s teams" % (N % "t"), r"%s支球队要打几轮" % (N % "t"), lambda t: rounds(t)),
        Q(r"In round %s, how many warps have" % (N % "r"), r"第%s轮里，有多少个warp" % (N % "r"), lambda r: min(8, 256 // 2**r)),
        Q("How many divergent branches does the device count", "会数到多少次发散分支", 5 * 8 + 4 + 2 + 1 + 1),
        Q(r"execute the addition in round (?P<r>\d+)", r"第%s轮里，块的8个warp" % (N % "r"), lambda r: up(256 // 2**r, 32)),
        Q("cost on the device", "在设备上的代价是什么", ("A sequence of", "一串指令")),
        Q(r"A block of %s threads needs log2" % (N % "b"), r"%s个线程的块要log2" % (N % "b"), lambda b: rounds(b) - 5),
    ],
    "reduce-2-banks": [
        Q(r"reads word t \* (?P<s>\d+)", r"lanet读第t\*%s个字" % (N % "s"), lambda s: math.gcd(int(s), 32)),
        Q(r"banks and s = %s, which is the first" % (N % "s"), r"s=%s时，线程0之后第一个" % (N % "s"), lambda s: 32 // (2 * s)),
        Q("over all reads", "读取冲突（每次读取的遍数减一", 8 * 1 + 4 * 3 + 2 * 7 + 2 * (7 + 7 + 3 + 1 + 0)),
        Q("Which stride is free of conflicts", "哪种步长", ("any odd one", "任何奇数")),
    ],
    "reduce-3-idle": [
        Q(r"A block of %s threads reduces" % (N % "b"), r"一个%s线程的块归约" % (N % "b"), lambda b: 100 * (1 - (b - 1) / (b * rounds(b)))),
        Q(r"If %s threads sum" % (N % "t"), r"如果用%s个线程对" % (N % "t"), lambda t: rounds(t)),
        Q("Which two", "应当是哪两个", (r"t and t \+ 256", r"第t和第t\+256个")),
        Q("does the device count for the model answer at n", "运行参考答案.*会数到多少次屏障", 1024 * 8 * 9),
    ],
    "reduce-4-warp": [
        Q(r"A block of %s threads runs the loop" % (N % "b"), r"一个%s线程的块把循环走到底" % (N % "b"), lambda b: 6 * (b // 32 - 1)),
        Q("Why is this code wrong on today", "为什么在今天的设备上是错的", (r"Lane t may read", r"lanet读")),
        Q("Which version does the language guarantee", "语言本身保证正确", (r"v \+= sum\[t \+ s\]", r"v\+=sum\[t\+s\]")),
        Q("Which of these barriers can", "下面哪个屏障", (r"the barrier between the round", r"s=64那一轮")),
        Q("How many block barriers", "还会数到多少次块级屏障", 3 * 8),
    ],
    "reduce-5-unroll": [
        Q("What is left of this", "这个`?if`?还剩下什么", ("Nothing at all", "什么都不剩")),
        Q(r"from %s to %s as the block size" % (N % "lo", N % "hi"), r"从%s到%s的任何一个" % (N % "lo", N % "hi"), lambda lo, hi: rounds(hi / lo) + 1),
        Q(r"A block of %s threads sums 2 .* do the additions themselves take" % (N % "b"), r"一个块用%s个线程对2.*其中的加法一共要多少条" % (N % "b"),
          lambda b: sum(b / 32 / 2**k for k in range(rounds(b / 64) + 1)) + 6),
        Q("how many warp instructions does the baseline", "总共执行多少条warp指令", 8 * (25 + 2 * 15) + 60),
    ],
    "reduce-6-cascade": [
        Q(r"A tree over n = %s elements" % (N % "n"), r"对n=%s个元素求和，每个元素用一个线程" % (N % "n"), lambda n: rounds(n)),
        Q("Which 16", "应当是哪16个", (r"t, t \+ \(number", r"第t、t\+线程总数")),
        Q("How many global atomic requests", "多少次全局原子请求", 8 * 132),
        Q("does more work per thread pay", "什么时候值得让每个线程多做一些", ("When there are many more elements", "当元素比驻留的线程多得多")),
    ],
    "reduce-7-shuffle": [
        Q(r"take to sum %s values" % (N % "g"), r"%s个lane各有一个值" % (N % "g"), lambda g: rounds(g)),
        Q(r"A block has (?P<t>\d+) threads", r"一个块有%s个线程" % (N % "t"), lambda t: t // 32),
        Q("Why does a block not simply wait", "为什么不让每个块", ("A plain launch has no", "普通的启动没有")),
        Q(r"with %s multiprocessors of %s thread slots, blocks of %s threads" % (N % "p", N % "s", N % "t"),
          r"设备有%s个多处理器，每个%s个线程槽，每块%s个线程" % (N % "p", N % "s", N % "t"), lambda p, s, t: p * (s // t)),
        Q("a reason to use the second launch", "采用第二次启动的理由", (r"Floats are summed", r"求的是浮点数的和")),
        Q("How many shared load requests do the two", "两次启动一共有多少个共享内存读取请求", 2),
    ],
    "reduce-open": [
        Q(r"Memory with %s GB/s.*?latency of %s ns" % (N % "b", N % "l"), r"内存带宽为%sGB/s.*?延迟为%sns" % (N % "b", N % "l"), lambda b, l: b * l),
        Q(r"With one load of %s bytes" % (N % "b"), r"只有一次%s字节的读取" % (N % "b"), lambda b: 1.6e6 / 132 / b),
        Q("most bytes under way", "在途的字节最多", ("512 threads", "512个线程")),
        Q("How many requests does a version with int4", "改用int4读取后有多少个", 524288 // 4),
    ],
}
WORDS = {
    "en": dict(after=r"Next: .*?([a-z0-9-]+)", right="Right.", hit="As you said", passed=r"Passed: (\d+) of \1 points", why="Why it works",
               try_="Try this", trouble="could not be measured|does not compile|does not load", last="This is the last step", file=r"Your files?[:,]\s"),
    "zh": dict(after=r"接下来：.*?([a-z0-9-]+)", right="正确。", hit="正如你所料", passed=r"通过：(\d+) / \1 分", why="为什么", try_="再试试",
               trouble="无法测量|编译不通过|无法加载|无法读取", last="这是最后一步", file="你的文件[：，]"),
}
ASKS = r"(?:answer|回答|prediction|预测)[^\n>]{0,40} >"


def number(v):
    return "%.10g" % v


def in_one_language(text, zh):
    """A comment behind code as a student has it: its Chinese stands in a `// zh: ` line below it (runner/lesson/twins.h)."""
    return re.sub(r"(?m)^([ \t]*[^\s/][^\n]*?)// ([^\n]*)\n[ \t]*// zh: ([^\n]*)\n", r"\1// \3\n" if zh else r"\1// \2\n", text)


def unpack(path, folder, zh=False):
    """The files of a lab's text in which lines begin each file, or the text itself as pen.cu."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    to = None
    for line in in_one_language(open(path, encoding="utf-8").read(), zh).splitlines(True):
        m = re.match(r"// file: (\S+)", line)
        if m or not to:
            to = open("%s/%s" % (folder, m.group(1) if m else "pen.cu"), "w")
        if not m:
            to.write(line)
    to.close()


class Player:
    def __init__(self, lang, chapter=None, session=None):
        self.lang, self.words, self.home = lang, WORDS[lang], tempfile.mkdtemp(prefix="warplab-play-")
        self.chapter, self.labs = chapter, LABS
        self.pen = self.home + "/pen"
        editor = self.home + "/editor"
        with open(editor, "w") as f:  # types the model answer into whatever files it is given
            f.write('#!/bin/sh\nfor f; do\n  from="%s/$(basename "$f")"\n  [ -f "$from" ] || from=%s/pen.cu\n  cp "$from" "$f"\ndone\n' % (self.pen, self.pen))
        os.chmod(editor, 0o755)
        if chapter:
            import late
            self.labs = early(chapter) or late.LATE[chapter]
            self.pass_earlier(int(chapter))
        self.t = session(self.home, editor) if session else Session(self.home, lang, editor=editor)
        self.lab, self.screens, self.minutes = None, [], 0

    def pass_earlier(self, chapter):
        """Who begins chapter N has passed those before it."""
        t = Session(self.home, self.lang)
        t.expect(r"warplab >", 60)
        t.send("quit\r")
        t.close()
        listed = json.loads(subprocess.run([WARPLAB, "list", "--json"], capture_output=True, text=True).stdout)
        found = [os.path.join(d, f) for d, _, fs in os.walk(self.home + "/data") for f in fs if f.endswith((".db", ".sqlite", ".sqlite3"))]
        self.say(len(found) == 1, "chapter %d: the student's progress is found" % chapter, repr(found))
        db = sqlite3.connect(found[0])
        db.executemany("INSERT OR REPLACE INTO lab(lab, step, started, passed, answer_seen, hints, best_score, max_score, best_speedup, checks, "
                       "right_answers, wrong_answers, started_at, passed_at) VALUES(?, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0)",
                       [(l["id"],) for l in listed if l["chapter"] < chapter])
        db.commit()
        db.close()

    def say(self, ok, what, why=""):
        say(ok, "%s: %s" % (self.lang, what), why)

    def wait(self, timeout=240):
        """What the screen shows until it wants something: (text, does it ask?)."""
        text = ""
        while True:
            got = self.t.expect(r"(?:%s|%s|(?:warplab|[a-z0-9-]+ \d+/\d+) >)" % (MORE, ASKS), timeout)
            if not got:
                return text, None
            text += got
            if re.search("(?:%s)$" % MORE, got):
                self.t.send("\r")
                continue
            self.screens.append(text)
            return text, bool(re.search("(?:%s)$" % ASKS, got))

    def do(self, line):
        self.t.send(line + "\r")
        return self.wait()

    def flat(self, text):
        return re.sub(r"\s+", "" if self.lang == "zh" else " ", text)

    def solve(self, text):
        """The answer to the question on the screen, or None."""
        flat = self.flat(text)
        for q in self.labs.get(self.lab, []):
            m = re.search(q.pattern[self.lang], flat, re.S)
            if not m:
                continue
            if isinstance(q.answer, tuple):
                want = q.answer[self.lang == "zh"]
                for letter, choice in re.findall(r"^  ([a-i])  (.*(?:\n     .*)*)", text, re.M):
                    if re.match(want, self.flat(choice).replace("`", "")):
                        return letter
                continue
            return number(q.answer(**{k: float(v) for k, v in m.groupdict().items()}) if callable(q.answer) else q.answer)
        return None

    def question(self, text):
        answer = self.solve(text)
        prediction = re.search(r"(?:prediction|预测)[^\n>]{0,40} >$", text) is not None
        if answer is None:
            self.say(False, "%s: a question that is not known" % self.lab, repr(text[-700:]))
            return self.do("")
        got, asks = self.do(answer)
        good = self.words["hit"] if prediction else self.words["right"]
        self.say(good in got, "%s: %s %s" % (self.lab, "predicts" if prediction else "answers", answer), repr(got[-500:]))
        if asks:  # wrong: once more was offered
            got, asks = self.do("")
        return got, asks

    def pass_it(self):
        unpack("%s/answers/%s.cu" % (ROOT, self.lab), self.pen, self.lang == "zh")
        self.edit()
        return self.checked()

    def edit(self):
        self.do("edit")

    def named(self, text):
        """The lab that the last lines name as the next."""
        return (re.findall(self.words["after"], text) or [""])[-1]

    def checked(self):
        got, _ = self.do("check")
        self.say(re.search(self.words["passed"], got), "%s: passed" % self.lab, repr(got[-900:]))
        self.say(re.search(self.words["why"] + ".*" + self.words["try_"], got, re.S), "%s: why it works, and what to try" % self.lab, repr(got[-500:]))
        return got

    def play(self, lab):
        """Reads, answers and passes one lab; returns the one that the screen names next."""
        self.lab, after, asked, pictures = lab, None, 0, 0
        text, asks = self.do("start " + lab)
        for _ in range(60):
            if asks:
                asked += 1
                text, asks = self.question(text)
                continue
            self.say(not re.search(self.words["trouble"], text), "%s: a step" % lab, repr(text[-400:])) if re.search(self.words["trouble"], text) else None
            if re.search(self.words["file"], text) and after is None and "edit" in text:
                after = self.named(self.pass_it())
            pictures += "##" in text or "|" in text
            text, asks = self.do("next")
            if asks is None or self.words["last"] in text:
                break
        if not os.path.exists("%s/labs/%s.cu" % (ROOT, lab)):  # a quiz: its questions are all there is
            after = self.named(self.checked())
        self.say(after is not None, "%s: has its exercise" % lab)
        self.say(asked == len(self.labs[lab]), "%s: asked %d questions" % (lab, len(self.labs[lab])), "it asked %d" % asked)
        return after

    def run(self):
        self.wait()
        text, _ = self.do("start")
        named = re.findall(r"start ([a-z][a-z0-9-]+)", re.sub(r"\s+", " ", text))
        lab = named[-1] if named else ""
        self.say(lab in self.labs if self.chapter else lab == "hello", "the screen names the first lab", repr(text))
        labs, done = list(self.labs) if FULL else list(LABS)[:CHAPTER_1], []
        while lab in labs and lab not in done:
            done.append(lab)
            lab = self.play(lab)
        self.say(sorted(done) == sorted(labs), "the screen leads through every lab of chapter%s" % (" " + self.chapter if self.chapter else "s 1 to 4" if FULL else " 1"),
                 "left out %s; then it named %s" % (sorted(set(labs) - set(done)), lab))
        text, _ = self.do("progress")
        if not self.chapter:
            self.say(re.search(r"\b%d (?:of|/) \d+" % len(labs), text), "progress counts %d labs" % len(labs), repr(text[:200]))
        self.t.close()
        if "PLAY_LOG" in os.environ:  # the whole session, for reading it as a student would
            open(os.environ["PLAY_LOG"], "w").write(self.t.seen)
        wide = [l for s in self.screens for l in re.findall(r"[^\r\n]+", s) if columns(l) > 80 and " >" not in l and self.home not in l]
        self.say(not wide, "no line is wider than 80 columns", repr(wide[:3]))
        shutil.rmtree(self.home)


def early(chapter):
    """The labs of one of the first four chapters; of a later one, none."""
    bounds = {"1": (0, 5), "2": (5, 10), "3": (10, 15), "4": (15, len(LABS))}.get(chapter, (0, 0))
    return {lab: LABS[lab] for lab in list(LABS)[slice(*bounds)]}


def main(lang):
    """Chapters 1 to 4 in one go; CHAPTERS=4 with FULL=1 picks one of them."""
    picked = [c for c in os.environ.get("CHAPTERS", "").split() if FULL and early(c)]
    for chapter in picked or [None]:
        Player(lang, chapter).run()
    return terminal.failures > 0


def main_late(lang):
    """The later chapters, each by itself; CHAPTERS=10 picks one."""
    import late
    listed = json.loads(subprocess.run([WARPLAB, "list", "--json"], capture_output=True, text=True).stdout)
    known = set(LABS).union(*late.LATE.values())
    say({l["id"] for l in listed} == known, lang + ": every lab is played", repr(sorted({l["id"] for l in listed} ^ known)))
    if not FULL:
        print("skip chapters %s (FULL=1 plays them)" % ", ".join(late.LATE))
        return False
    for chapter in os.environ.get("CHAPTERS", " ".join(late.LATE)).split():
        if not early(chapter):
            Player(lang, chapter).run()
    return terminal.failures > 0
