-- Chapter 7: how many operations of each kind a multiprocessor does per cycle, and which of them is the roof.
return lab {
  id = "throughput",
  title = { en = "Operations per cycle", zh = "每周期多少次运算" },
  chapter = 7,
  minutes = 35,
  needs = { "fast-math", "int-div", "reduce-7-shuffle" },
  source = "guide 5.4; slides, cost of operations; H200",
  teaches = {
    ["n-over-32"] = "say ask",
    ["per-multiprocessor"] = "ask predict",
    ["operations-per-cycle"] = "say predict goals",
    ["g80-cycles"] = "say ask",
    ["native-or-built"] = "say after",
    ["low-throughput"] = "ask exercise goals",
    ["warp-reduction-cost"] = "ask",
  },

  entry = "void throughput(const float *start, const float *step, int *out, int columns, int n)",
  args = {
    start = uniform(-1000, 1000, "n"),
    step = uniform(-4, 4, "n"),
    out = output("n"),
  },
  cases = {
    { n = 4096, columns = 4 },
    { n = 1, columns = 1 },
    { n = 1003, columns = 17 },
    { n = 1 << 18, columns = 256, timed = true },
  },
  hidden = { count = 3, n = { 2, 20000 }, columns = { 0, 100 } },
  goals = {
    correct { points = 4 },
    at_most("inst_convert", 0.1 * baseline) {
      points = 3,
      en = "The loop still converts. A float holds its whole part in its bits already; where are they, if the number is large?",
      zh = "循环里还在转换。float 的整数部分本来就在它的二进制位里；数很大时，它们在哪几位？",
    },
    speedup(1.4) {
      points = 3,
      en = "Which instruction of the loop now has the fewest operations per cycle?",
      zh = "现在循环里哪条指令每周期能做的次数最少？",
    },
  },

  steps = {
    say {
      en = [[
        How fast a kind of instruction runs is told as N: operations per cycle and multiprocessor. An instruction of a warp is 32 operations, so a multiprocessor executes N / 32 of them per
        cycle. Measured on an H200 (the width of the unit in parentheses):

            float: add, multiply, multiply-add                   104 (128)
            double multiply-add; int multiply-add; min, max       58  (64)
            shuffle                                               31  (32)
            2^x, 1/sqrt(x), __sinf; __popc; float to int          16  (16)

        Those are *native* instructions. The others are built from them, and so have a fraction of the rate:

            sqrtf 10      int / and % 9 to 10      float / 7.4      sinf 4.9
      ]],
      zh = [[
        一类指令有多快，用 N 表示：每个多处理器每周期做多少次运算。一个线程束（warp）的一条指令是 32 次运算，所以多处理器每周期执行 N / 32 条。在 H200 上测得（括号里是运算单元的宽度）：

            float 加、乘、乘加                                   104 (128)
            double 乘加；int 乘加；min、max                       58  (64)
            洗牌                                                  31  (32)
            2^x、1/sqrt(x)、__sinf；__popc；float 转 int          16  (16)

        这些是*原生*指令。其他运算由它们拼成，所以速率只有几分之一：

            sqrtf 10      int 的 / 和 % 9 到 10      float 的 / 7.4      sinf 4.9
      ]],
    },
    ask {
      alone = true,
      en = "An operation has N = {n}. All 64 resident warps of a multiprocessor execute one such instruction each. How many cycles does its unit need?",
      zh = "某种运算的 N = {n}。一个多处理器上驻留的 64 个 warp 各执行一条这样的指令。它的运算单元需要多少个周期？",
      draw = { n = { from = { 16, 32, 64, 128 } } },
      answer = function(d) return 64 * 32 / d.n end,
      replies = {
        { function(d) return 64 / d.n end, en = "A warp's instruction is 32 operations.", zh = "一条 warp 指令是 32 次运算。" },
      },
      because = { en = "{n} / 32 instructions per cycle; 64 of them.", zh = "每周期 {n} / 32 条，一共 64 条。" },
    },
    ask {
      en = "All these figures are of *one* multiprocessor. An H200 has 132 of them at 1.98 GHz. What is the whole device's peak for N = {n}, in 10^12 operations per second?",
      zh = "这些数都是*一个*多处理器的。H200 有 132 个，频率 1.98 GHz。N = {n} 时，整个设备的峰值是每秒多少个 10^12 次运算？",
      draw = { n = { from = { 16, 64, 128 } } },
      answer = function(d) return d.n * 132 * 1.98e9 / 1e12 end,
      tolerance = 0.03,
      replies = {
        { function(d) return d.n * 1.98e9 / 1e12 end, en = "That is one multiprocessor of 132.", zh = "这是 132 个多处理器中的一个。" },
        { function(d) return 2 * d.n * 132 * 1.98e9 / 1e12 end, en = "An operation counts once here: N says operations per cycle.", zh = "这里一次运算只算一次：N 是每周期的运算数。" },
      },
      because = { en = "{n} * 132 * 1.98e9. (A peak in FLOP/s is twice that: a multiply-add counts as two.)", zh = "{n} * 132 * 1.98e9。（以 FLOP/s 计的峰值还要乘 2：一次乘加算两次浮点运算。）" },
    },
    say {
      en = [[
        Old documents give the same thing the other way round, as cycles for one warp instruction. For a G80 the slides have:

            float add, multiply, multiply-add               4 cycles
            int add, bitwise, compare, min, max             4
            reciprocal, 1/sqrt(x), log; int multiply       16
            __sin, __cos, __exp                            32
            float division                                 36 (24 bits: 20)
            int division and modulo                        "particularly costly"

        Tables differ from device to device. What a function is built from also depends on the compiler, and which path it takes on the argument: `cuobjdump -sass` shows the instructions of a
        compiled kernel, and some of the sources stand in CUDA's own headers.
      ]],
      zh = [[
        旧资料反过来写：一条 warp 指令要多少个周期。CUDA 课程的幻灯片里 G80 的数据是：

            float 加、乘、乘加                              4 周期
            int 加法、位运算、比较、min、max                4
            倒数、1/sqrt(x)、log；int 乘法                 16
            __sin、__cos、__exp                            32
            float 除法                                     36（24 位：20）
            int 除法和取模                                 “代价尤其高”

        每种设备的表都不一样。一个函数由哪些指令拼成，还取决于编译器；走哪条路径，又取决于自变量。`cuobjdump -sass` 会列出编译后的指令，有些函数的源码就在 CUDA 自带的头文件里。
      ]],
    },
    ask {
      en = "A G80 takes {c} cycles for a warp's instruction of some kind. What is N, its operations per cycle and multiprocessor?",
      zh = "某类指令在 G80 上一个 warp 要 {c} 个周期。N（每个多处理器每周期的运算次数）是多少？",
      draw = { c = { from = { 4, 16, 32 } } },
      answer = function(d) return 32 / d.c end,
      replies = {
        { function(d) return d.c end, en = "An instruction is 32 operations, in {c} cycles.", zh = "一条指令是 32 次运算，用 {c} 个周期。" },
      },
      because = { en = "32 / {c}. Its eight processors do 8 additions a cycle; an H200's multiprocessor does 128.", zh = "32 / {c}。它的八个处理器每周期做 8 次加法，H200 的一个多处理器做 128 次。" },
    },
    ask {
      en = "Each turn of a loop has float multiply-adds (N = 128), {a} of them, int products (64), {b}, and `exp2f` (16), {c} times. The units work side by side, and at most 4 instructions are issued per cycle. How many cycles does a turn take a warp at best, on average?",
      zh = "循环的每一步有 {a} 条 float 乘加（N = 128）、{b} 条 int 乘法（64）和 {c} 次 `exp2f`（16）。各单元并行工作，每周期最多发射 4 条指令。平均下来，一个 warp 的一步最少要几个周期？",
      draw = { a = { from = { 4, 8, 16 } }, b = { from = { 1, 2, 4 } }, c = { from = { 1, 2, 3 } } },
      answer = function(d) return math.max(d.a / 4, d.b / 2, 2 * d.c, (d.a + d.b + d.c) / 4) end,
      tolerance = 0.01,
      because = {
        en = "The largest of {a} / 4, {b} / 2, {c} / 0.5 and, for the issue, the number of all of them / 4. The unit that decides is the *roof*; what the others do is free as long as they stay below it. So find the instructions with a low N, and replace them.",
        zh = "取下面几个数里最大的：{a} / 4、{b} / 2、{c} / 0.5，以及发射所需的总条数 / 4。起决定作用的单元就是*屋顶*；其他单元只要不超过它，做什么都是白送的。所以要找出 N 小的指令，把它们换掉。",
      },
    },
    ask {
      en = "A warp adds up 32 ints: five shuffles (N = 32), each with an addition (N = 64). How many cycles does that keep the shuffle unit busy?",
      zh = "一个 warp 把 32 个 int 加起来：五次洗牌（N = 32），每次之后一次加法（N = 64）。洗牌单元要忙多少个周期？",
      answer = 5,
      replies = {
        { 10, en = "The additions go to another unit.", zh = "加法在另一个单元里做。" },
      },
      because = {
        en = "5 * 32 / 32; the additions take 2.5 cycles of another unit. From compute capability 8.0 on, `__reduce_add_sync` does the same for ints in one instruction with N = 16: 2 cycles. One thread of the block that adds 32 numbers alone would take 31 additions after another, with 31 lanes idle.",
        zh = "5 * 32 / 32；加法占另一个单元 2.5 个周期。计算能力 8.0 以上，`__reduce_add_sync` 对 int 用一条指令完成同样的事，N = 16：2 个周期。若只让一个线程来加，就要先后做 31 次加法，其余 31 个 lane 都闲着。",
      },
    },
    predict {
      en = [[
        The skeleton rounds 262,144 * 256 = 67.1 million heights to whole numbers. Nothing else in its loop comes near. How many microseconds does an H200 need at least, with 132
        multiprocessors at 1.98 GHz and N = 16? (It also takes some 2 us to start and end.)
      ]],
      zh = [[
        骨架代码要把 262,144 * 256 = 6710 万个高度取整，循环里的其他指令远没有这么慢。H200 有 132 个多处理器，1.98 GHz，N = 16，至少需要多少微秒？（此外启动和收尾还要 2 微秒左右。）
      ]],
      counter = "device_us",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.2,
      unit = "us",
      replies = {
        { 2118, en = "That is one multiprocessor. There are 132.", zh = "这是一个多处理器的时间。一共有 132 个。" },
        { 0.5, en = "Does your figure count a warp's conversion as one operation? It is 32.", zh = "你是不是把一个 warp 的转换算成了一次运算？那是 32 次。" },
      },
      because = {
        en = "67.1e6 / (16 * 132 * 1.98e9) is 16 us. The kernel is at the roof of the unit that converts.",
        zh = "67.1e6 / (16 * 132 * 1.98e9) 是 16 微秒。这个核函数已经达到了转换单元的吞吐上限。",
      },
    },
    show {
      en = "What it executes, per lane:",
      zh = "它执行的指令（按 lane 计）：",
      picture = "counters",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = [[
        Replace the conversion. A float of 8,388,608 (2^23) or more has no bits left for a fraction: its last bit stands for 1. So what happens to the fraction of a small number that is added to
        such a large one, and where is its whole part then? Mind negative numbers.
      ]],
      zh = [[
        把类型转换换掉。大于等于 8,388,608（2^23）的 float 已经没有位留给小数部分：最后一位就代表 1。那么，一个小的数加到这样的大数上，它的小数部分会怎样？整数部分又到了哪里？注意负数。
      ]],
    },
    compare {
      en = "More instructions, and less time:",
      zh = "指令更多，用时更少：",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Which row of the table is `__float2int_rn` in? And which rows are an addition of floats and one of ints in?",
      zh = "`__float2int_rn` 在表的哪一行？float 加法和 int 加法又在哪一行？",
    },
    {
      en = "Between 2^23 and 2^24 neighbouring floats are exactly 1 apart. Add 1.5 * 2^23 = 12582912.0f: the sum stays in that range for negative numbers, too, and is rounded to a whole number. `__float_as_int` looks at its bits without converting them.",
      zh = "在 2^23 和 2^24 之间，相邻的 float 恰好相差 1。加上 1.5 * 2^23 = 12582912.0f：即使是负数，和也留在这个范围里，并且被舍入成整数。`__float_as_int` 只看它的二进制位，不做转换。",
    },
    {
      en = "`sum += __float_as_int(height + 12582912.0f) - 0x4B400000;` The constant is the bits of 12582912.0f.",
      zh = "写 `sum += __float_as_int(height + 12582912.0f) - 0x4B400000;`，后面的常数就是 12582912.0f 的二进制位。",
    },
  },

  after = {
    en = [[
      An addition rounds to the nearest number that can be stored, as `__float2int_rn` does; you only chose where these numbers are. One instruction with N = 16 became two with 128 and 64, and
      another unit is the roof now.

      Such tricks are worth it only at a roof. Read the table first, find the unit that decides, and ask which cheaper instruction does the same: shift for division, multiply-add for
      conversion, `rsqrtf` for root and division, float for double. If the kernel waits for memory, leave its instructions alone.
    ]],
    zh = [[
      加法会舍入到最近的可表示的数，`__float2int_rn` 也是这样；你只是选定了这些数在哪里。一条 N = 16 的指令换成了 128 和 64 的各一条，现在的屋顶是另一个单元了。

      这样的技巧只有顶到屋顶时才值得用。先读表，找出起决定作用的单元，再问哪条更便宜的指令能做同样的事：移位代替除法，乘加代替转换，`rsqrtf` 代替开方和除法，float 代替 double。如果核函数在等内存，就别去动它的指令。
    ]],
  },
  more = {
    en = "Which unit is the roof now? Count your loop's instructions by kind and work out the cycles of a turn. Then take the subtraction out of the loop: what has to be subtracted in the end, and what does overflow do to it?",
    zh = "现在屋顶是哪个单元？按类数一数循环里的指令，算出一步要几个周期。再把减法移到循环外面：最后要减去多少？溢出会不会有影响？",
  },
}
