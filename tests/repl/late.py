"""What play.py answers in a later chapter: chapter -> lab -> questions, by the same rules (a pattern in each language, the answer from the numbers on
the screen). A chapter is played by itself, with the labs of the chapters before it marked as passed."""
import math

from play import N, Q, up

ACCESS = [("a", "coalesced"), ("b", "neither"), ("c", "coalesced"), ("d", "uncoalesced"), ("e", "neither"), ("f", "neither"), ("g", "coalesced"),
          ("h", "neither"), ("i", "uncoalesced")]
LETTERS = {"coalesced": ("coalesced", "合并的"), "uncoalesced": ("uncoalesced", "未合并的"), "neither": ("not applicable", "不适用")}

LATE = {
    "10": {
        "audit": [Q(r"(?:^|\s)%s\. .*is the access coalesced" % k, r"%s\..*这个访问是合并的吗" % k, LETTERS[v]) for k, v in ACCESS] + [
            Q(r"c\[i \* %s\]. alone" % (N % "s"), r"单独的.?c\[i\*%s\]" % (N % "s"), lambda s: min(32, 4 * s)),
            Q(r"e\[i \* %s\].: how many" % (N % "t"), r"再看.?e\[i\*%s\]" % (N % "t"), lambda t: min(32, 4 * t)),
        ],
        "block-size": [
            Q(r"A block has %s x [\d.]+ threads\. Of how many" % (N % "b"), r"一个块有%sx[\d.]+个线程，由多少个warp" % (N % "b"), lambda b: up(b * b, 32)),
            Q("does the whole block fit into one warp", "整个块还能装进一个warp", 5),
            Q("What does the language promise today", "语言保证了什么", ("Nothing: lanes may", "什么也没保证")),
            Q(r"Why does nobody ask about (?P<m>\d+)", r"题目为什么不问%s" % (N % "m"), lambda m: m * m),
            Q("how many arrivals are counted", "一共计多少次", 512 * 512 // 32),
        ],
        "bottleneck": [
            Q(r"reads %s Mi floats and writes" % (N % "m"), r"读%sMi个float" % (N % "m"), lambda m: m * 2**20 * 8 / 4.8e12 * 1e6),
            Q("Which of the four gets about twice as fast", "四个里哪一个大约快一倍", ("b$", "b$")),
            Q(r"gets %s times as many warps" % (N % "k"), r"warp增加到%s倍" % (N % "k"), lambda k: 1),
            Q("A friend suggests larger tiles", "朋友建议把tile改大", ("It gets slower", "更慢")),
        ],
        "bug-hunt": [
            Q(r"An array of n = %s ints" % (N % "n"), r"为n=%s个int" % (N % "n"), lambda n: up(4 * n, 256) * 256 - 4 * n),
            Q("Threads 0 to 99 of a block", "线程0到99进入", ("It is undefined", "未定义")),
            Q("Which of the five bugs therefore never", "五个错误里哪一个从不", ("The wrong stream", "放错了流")),
            Q("Of all kernels of the answer, how many are", "一次调用一共.?启动.?几个核函数", 5),
        ],
        "configuration": [
            Q(r"How many blocks of %s threads are resident" % (N % "b"), r"每块%s个线程时，能驻留几个块" % (N % "b"), lambda b: min(8, 768 // b)),
            Q(r"And with %s threads a block" % (N % "b"), r"每块%s个线程呢" % (N % "b"), lambda b: 100 * min(8, 768 // b) * b / 768),
            Q(r"%s multiprocessors hold %s blocks each\. A grid has %s blocks" % (N % "p", N % "r", N % "b"),
              r"%s个多处理器，每个驻留%s个块。网格有%s个块" % (N % "p", N % "r", N % "b"), lambda p, r, b: up(b, p * r)),
            Q(r"with the same %s blocks on %s times %s places" % (N % "b", N % "p", N % "r"), r"还是%s个块，%s乘%s个位置" % (N % "b", N % "p", N % "r"),
              lambda b, p, r: 100 * b / (up(b, p * r) * p * r)),
            Q("How many blocks does it launch there", "它在那里启动多少个块", 132 * 2048 // 256),
            Q("The same program on a T4", "同一个程序在T4上", 40 * 1024 // 256),
        ],
        "op-per-byte": [
            Q(r"For each element a kernel reads %s floats, writes one, and does %s op" % (N % "r", N % "f"), r"读%s个float，写1个，做%s次运算" % (N % "r", N % "f"),
              lambda r, f: f / (4 * (r + 1))),
            Q(r"adds up \d+ numbers of %s bytes" % (N % "s"), r"个数加起来，每个%s字节" % (N % "s"), lambda s: 1 / s),
            Q(r"simple product of two matrices of %s-byte" % (N % "s"), r"最简单的矩阵乘法，每个元素%s字节" % (N % "s"), lambda s: 1 / s),
            Q(r"such a kernel with floats and n = %s is run" % (N % "n"), r"运行这样一个核函数，float，n=%s" % (N % "n"), lambda n: 2 * n / (8 * n + 4)),
            Q(r"With shared-memory tiles of %s x" % (N % "t"), r"改用%sx" % (N % "t"), lambda t: t / 4),
            Q(r"The same with 32 x 32 tiles, n = (?P<n>\d+)", r"32x32tile的核函数，n=%s" % (N % "n"), lambda n: 2 * n / (n / 4 + 4)),
            Q(r"Tiles of %s x [\d.]+ again, but each thread computes %s elements" % (N % "t", N % "c"), r"还是%sx[\d.]+的tile，但每个线程算C的一行里的%s个元素" % (N % "t", N % "c"),
              lambda t, c: t * c / (2 * (c + 1))),
            Q("And with ever more columns per thread", "让每个线程算的列越来越多", ("It comes near to twice", "趋近只算一列时的两倍")),
            Q(r"A block computes %s x %s elements of C" % (N % "m", N % "n"), r"线程块计算C的%sx%s个元素" % (N % "m", N % "n"), lambda m, n: m * n / (2 * (m + n))),
            Q("raises the arithmetic intensity of the tiled", "能提高分块矩阵乘法的算术强度", ("a larger tile of C", "让每个线程块负责C的更大一块")),
        ],
        "roofline-by-hand": [
            Q(r"bus is %s bits wide and runs at %s MHz" % (N % "w", N % "c"), r"显存位宽%s位，频率%sMHz" % (N % "w", N % "c"), lambda w, c: w / 8 * 2 * c / 1000),
            Q(r"A device has %s multiprocessors with %s float units each, at %s GHz" % (N % "m", N % "l", N % "c"),
              r"某设备有%s个多处理器，每个有%s个float运算单元，频率%sGHz" % (N % "m", N % "l", N % "c"), lambda m, l, c: m * l * 2 * c),
            Q(r"a card with %s GB/s and a peak" % (N % "b"), r"同一块显卡：带宽%sGB/s" % (N % "b"), lambda b: b / 4),
            Q(r"its ceiling on this card \(%s GB/s" % (N % "b"), r"在这块显卡上（%sGB/s.*它的上限是" % (N % "b"), lambda b: b / 4),
            Q(r"percentage of this card's peak is that \(%s GB/s, %s GFLOP" % (N % "b", N % "p"), r"峰值的百分之几（%sGB/s，%sGFLOP" % (N % "b", N % "p"),
              lambda b, p: 25 * b / p),
            Q(r"this card's ridge \(%s GB/s, %s GFLOP" % (N % "b", N % "p"), r"这块显卡（%sGB/s，%sGFLOP/s）的脊点" % (N % "b", N % "p"), lambda b, p: p / b),
            Q(r"memory of this card \(%s GB/s, %s GFLOP" % (N % "b", N % "p"), r"要让这块显卡（%sGB/s，%sGFLOP/s）的内存" % (N % "b", N % "p"),
              lambda b, p: math.ceil(4 * p / b)),
            Q(r"with tiles of %s x [\d.]+\. How many floats" % (N % "t"), r"tile为%sx[\d.]+。每个阶段" % (N % "t"), lambda t: 2 * t * t),
            Q(r"operations does the block do in that phase .*matrices, %s x" % (N % "t"), r"该线程块做多少次运算（.*的矩阵，%sx" % (N % "t"), lambda t: 2 * t**3),
            Q(r"How many blocks does that launch have \(%s x [\d.]+ matrices, %s x" % (N % "n", N % "t"), r"这次启动有多少个线程块（%sx[\d.]+的矩阵，%sx" % (N % "n", N % "t"),
              lambda n, t: (n // t) ** 2),
            Q("far to the left of the ridge", "在脊点左边很远", ("fewer bytes for", "用更少的字节")),
            Q("adds up a large array", "对大数组求和的核函数", ("GB/s, against", "GB/s，与带宽")),
            Q(r"evaluates a polynomial of %s terms" % (N % "k"), r"计算%s项的多项式" % (N % "k"), lambda k: 2 * k / 8),
            Q("does it take a T4 for 4,194,304 points", "4,194,304个点", 4194304 * 8 / (0.75 * 320e9) * 1e6),
        ],
        "tour": [
            Q("graphics processor of 1998", "1998年的图形处理器", ("nothing: its steps", "什么也不能")),
            Q("Why do they go into more cores", "为什么用来增加核心", ("power and heat", "功耗和发热")),
            Q("For which work does a GPU's choice", "GPU的选择适合哪类工作", ("the same steps", "对大量数据做")),
            Q(r"%s threads, all in full warps, each read" % (N % "n"), r"%s个线程，warp都是满的" % (N % "n"), lambda n: n // 32),
            Q("sharing of one control unit by 32 lanes cost", "共用一个控制单元，代价", ("time, where lanes", "lane走不同路径")),
            Q(r"has %s multiprocessors with %s processors each" % (N % "m", N % "p"), r"有%s个多处理器，每个%s个处理器" % (N % "m", N % "p"), lambda m, p: m * p),
            Q(r"A multiprocessor has %s float units, all" % (N % "p"), r"一个多处理器有%s个float运算单元，由" % (N % "p"), lambda p: 32 / p),
            Q("Intel's Larrabee", "Intel的Larrabee", ("it was easier", "编程更灵活")),
            Q(r"DRAM cell takes %s ns to be sensed; .* every %s ns" % (N % "t", N % "h"), r"DRAM单元要%sns，设备的时钟每%sns" % (N % "t", N % "h"), lambda t, h: t / h),
            Q("Why has that time hardly improved", "这个时间为什么几乎没有改善", ("cells shrink", "为了放下更多")),
            Q(r"How many ns are %s cycles" % (N % "c"), r"。%s个周期是多少ns" % (N % "c"), lambda c: c / 1.35),
            Q("Which generation ended that", "哪一代结束了这种情况", ("Volta", "Volta")),
        ],
        "your-kernel": [
            Q(r"nearly all requests asks for %s sectors" % (N % "s"), r"每个请求要%s个扇区" % (N % "s"), lambda s: s / 4),
            Q("does a remedy for the branch save", "改好这个分支，最多能省", 0),
            Q(r"takes %s %% of your program's time\. You make it %s times" % (N % "p", N % "k"), r"占你程序时间的%s%%。你让它快了%s倍" % (N % "p", N % "k"),
              lambda p, k: 1 / (1 - p / 100 + p / 100 / k)),
            Q("does one of its load requests ask for", "它的一个读请求平均要多少个扇区", 32),
        ],
    },
}
