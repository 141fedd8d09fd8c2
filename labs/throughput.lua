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
      en = "The loop still converts types. The bits of a float already hold its whole part. Which bits are these if the number is large?",
      zh = "循环里仍有类型转换。float 的二进制位本来就包含整数部分。数很大时，整数部分在哪几位？",
    },
    speedup(1.4) {
      points = 3,
      en = "Which instruction of the loop now has the fewest operations per cycle?",
      zh = "现在循环里，哪种指令每周期的运算次数最少？",
    },
  },

  steps = {
    say {
      en = [[
        The rate of a kind of instruction is given as N: operations per cycle on one multiprocessor. An instruction of a warp is 32 operations, so a
        multiprocessor executes N / 32 of them per cycle. Measured on an H200 (the width of the unit in parentheses):

            float: add, multiply, multiply-add                   104 (128)
            double multiply-add; int multiply-add; min, max       58  (64)
            shuffle                                               31  (32)
            2^x, 1/sqrt(x), __sinf; __popc; float to int          16  (16)

        These are *native* instructions. Other operations are built from them and reach only a fraction of their rate:

            sqrtf 10      int / and % 9 to 10      float / 7.4      sinf 4.9
      ]],
      zh = [[
        一类指令的速率用 N 表示：一个多处理器每周期做多少次运算。一个线程束（warp）的一条指令是 32 次运算，所以多处理器每周期执行 N / 32 条。在 H200 上测得（括号里是运算单元的宽度）：

            float 加、乘、乘加                                   104 (128)
            double 乘加；int 乘加；min、max                       58  (64)
            shuffle                                               31  (32)
            2^x、1/sqrt(x)、__sinf；__popc；float 转 int          16  (16)

        这些是*原生*指令。其他运算由原生指令组成，所以速率只有几分之一：

            sqrtf 10      int 的 / 和 % 9 到 10      float 的 / 7.4      sinf 4.9
      ]],
    },
    ask {
      alone = true,
      en = "An operation has N = {n}. Each of the 64 resident warps of a multiprocessor executes one such instruction. How many cycles does the unit need?",
      zh = "某种运算的 N = {n}。一个多处理器上驻留的 64 个 warp 各执行一条这样的指令。运算单元需要多少个周期？",
      draw = { n = { from = { 16, 32, 64, 128 } } },
      answer = function(d) return 64 * 32 / d.n end,
      replies = {
        { function(d) return 64 / d.n end, en = "A warp's instruction is 32 operations.", zh = "一条 warp 指令是 32 次运算。" },
      },
      because = { en = "The unit executes {n} / 32 instructions per cycle, and there are 64.", zh = "运算单元每周期执行 {n} / 32 条，一共 64 条。" },
    },
    ask {
      en = "All these figures are for *one* multiprocessor. An H200 has 132 multiprocessors at 1.98 GHz. What is the whole device's peak for N = {n}, in 10^12 operations per second?",
      zh = "这些数都是*一个*多处理器的。H200 有 132 个多处理器，频率 1.98 GHz。N = {n} 时，整个设备的峰值是每秒多少次运算？（以 10^12 次为单位。）",
      draw = { n = { from = { 16, 64, 128 } } },
      answer = function(d) return d.n * 132 * 1.98e9 / 1e12 end,
      tolerance = 0.03,
      replies = {
        { function(d) return d.n * 1.98e9 / 1e12 end, en = "This is the peak of one multiprocessor. There are 132.", zh = "这是一个多处理器的峰值。一共有 132 个。" },
        { function(d) return 2 * d.n * 132 * 1.98e9 / 1e12 end, en = "N counts operations per cycle, so do not count an operation twice.", zh = "N 是每周期的运算次数，所以一次运算不要算成两次。" },
      },
      because = { en = "{n} * 132 * 1.98e9. (A peak in FLOP/s is twice that: a multiply-add counts as two.)", zh = "{n} * 132 * 1.98e9。（以 FLOP/s 计的峰值还要乘 2：一次乘加算两次浮点运算。）" },
    },
    say {
      en = [[
        Old documents give the inverse: the cycles for one warp instruction. For a G80 the slides say:

            float add, multiply, multiply-add               4 cycles
            int add, bitwise, compare, min, max             4
            reciprocal, 1/sqrt(x), log; int multiply       16
            __sin, __cos, __exp                            32
            float division                                 36 (24 bits: 20)
            int division and modulo                        "particularly costly"

        These tables differ from device to device. The compiler decides which instructions a function is built from, and the argument decides which path the
        function takes. `cuobjdump -sass` shows the instructions of a compiled kernel, and CUDA's own headers contain the source of some functions.
      ]],
      zh = [[
        旧资料给出的是倒数：一条 warp 指令要多少个周期。讲义幻灯片里 G80 的数据是：

            float 加、乘、乘加                              4 周期
            int 加法、位运算、比较、min、max                4
            倒数、1/sqrt(x)、log；int 乘法                 16
            __sin、__cos、__exp                            32
            float 除法                                     36（24 位：20）
            int 除法和取模                                 “代价尤其高”

        每种设备的表都不一样。一个函数由哪些指令组成，由编译器决定；走哪条路径，由自变量决定。`cuobjdump -sass` 列出核函数编译后的指令；有些函数的源代码就在 CUDA 自带的头文件里。
      ]],
    },
    ask {
      en = "A G80 takes {c} cycles for one warp instruction of some kind. What is N, the operations per cycle on one multiprocessor?",
      zh = "某类指令在 G80 上一个 warp 要 {c} 个周期。N（每个多处理器每周期的运算次数）是多少？",
      draw = { c = { from = { 4, 16, 32 } } },
      answer = function(d) return 32 / d.c end,
      replies = {
        { function(d) return d.c end, en = "A warp instruction is 32 operations, and these take {c} cycles.", zh = "一条 warp 指令是 32 次运算，要 {c} 个周期。" },
      },
      because = { en = "32 / {c}. The eight processors of a G80's multiprocessor do 8 additions per cycle; a multiprocessor of an H200 does 128.", zh = "32 / {c}。G80 的一个多处理器有八个处理器，每周期做 8 次加法；H200 的一个多处理器做 128 次。" },
    },
    ask {
      en = "Each iteration of a loop has {a} float multiply-adds (N = 128), {b} int products (N = 64) and {c} calls of `exp2f` (N = 16). Many warps execute the loop. The units work at the same time, and at most 4 instructions are issued per cycle. How many cycles does one iteration of one warp take at least, on average?",
      zh = "每次循环有 {a} 条 float 乘加（N = 128）、{b} 条 int 乘法（N = 64）和 {c} 次 `exp2f`（N = 16）。许多 warp 执行这个循环。各单元同时工作，每周期最多发射 4 条指令。平均下来，一个 warp 的一次循环最少要几个周期？",
      draw = { a = { from = { 4, 8, 16 } }, b = { from = { 1, 2, 4 } }, c = { from = { 1, 2, 3 } } },
      answer = function(d) return math.max(d.a / 4, d.b / 2, 2 * d.c, (d.a + d.b + d.c) / 4) end,
      tolerance = 0.01,
      because = {
        en = "It is the largest of four numbers: {a} / 4, {b} / 2, {c} / 0.5, and the number of all instructions / 4 for the issue slots. The unit with the largest number is the *limiter*; the work of the other units takes no extra time. So find the instructions with a low N, and replace them.",
        zh = "取下面四个数里最大的：{a} / 4、{b} / 2、{c} / 0.5，以及发射全部指令所需的总条数 / 4。数值最大的单元就是*瓶颈*；其他单元的工作不额外占用时间。所以要找出 N 小的指令，换成别的指令。",
      },
    },
    ask {
      en = "A warp adds up 32 ints with five shuffles (N = 32), each followed by an addition (N = 64). For how many cycles is the shuffle unit busy?",
      zh = "一个 warp 用五次 shuffle（N = 32）把 32 个 int 加起来，每次 shuffle 之后做一次加法（N = 64）。shuffle 单元要忙多少个周期？",
      answer = 5,
      replies = {
        { 10, en = "Another unit does the additions.", zh = "加法由另一个单元来做。" },
      },
      because = {
        en = "5 * 32 / 32. The additions take 2.5 cycles of another unit. From compute capability 8.0 on, `__reduce_add_sync` does the same for ints in one instruction with N = 16, in 2 cycles. A single thread would do 31 additions one after another, with 31 lanes idle.",
        zh = "5 * 32 / 32。加法占用另一个单元 2.5 个周期。从计算能力 8.0 起，`__reduce_add_sync` 对 int 用一条指令完成同样的求和，N = 16，即 2 个周期。若只由一个线程来加，就要先后做 31 次加法，其余 31 个 lane 都空闲。",
      },
    },
    predict {
      en = [[
        The skeleton rounds 262,144 * 256 = 67.1 million heights to whole numbers. Everything else in its loop takes much less time. How many microseconds
        does an H200 need at least, with 132 multiprocessors at 1.98 GHz and N = 16? (Add about 2 us for the start and the end of the kernel.)
      ]],
      zh = [[
        骨架代码要把 262,144 * 256 = 6710 万个高度取整，循环里其他指令的用时少得多。H200 有 132 个多处理器，频率 1.98 GHz，N = 16，至少需要多少微秒？（核函数的开始和结束再加约 2 微秒。）
      ]],
      counter = "device_us",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.2,
      unit = "us",
      replies = {
        { 2118, en = "This is the time of one multiprocessor. There are 132.", zh = "这是一个多处理器的时间。一共有 132 个。" },
        { 0.5, en = "You may have counted a warp's conversion as one operation. It is 32 operations.", zh = "你可能把一个 warp 的转换算成了一次运算，其实是 32 次运算。" },
      },
      because = {
        en = "67.1e6 / (16 * 132 * 1.98e9) is 16 us. The conversion unit is the limiter of this kernel.",
        zh = "67.1e6 / (16 * 132 * 1.98e9) 是 16 微秒。这个核函数已达到转换单元的吞吐上限。",
      },
    },
    show {
      en = "The instructions that the skeleton executes, per lane:",
      zh = "骨架代码执行的指令（按 lane 计）：",
      picture = "counters",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = [[
        Replace the conversion. A float of 8,388,608 (2^23) or more has no bits left for a fraction: its last bit stands for 1. If you add a small number to
        such a large one, what happens to the fraction of the small number, and where is its whole part? Do not forget negative numbers.
      ]],
      zh = [[
        请换掉类型转换。大于等于 8,388,608（2^23）的 float 已经没有位留给小数部分：最后一位就代表 1。把一个小的数加到这样的大数上，小的数的小数部分会怎样？整数部分在哪里？别忘了负数。
      ]],
    },
    compare {
      en = "Your version beside the baseline: more instructions, but less time.",
      zh = "你的版本与基线的对比：指令更多，用时更少。",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "In which row of the table is `__float2int_rn`? And in which rows are the addition of floats and the addition of ints?",
      zh = "`__float2int_rn` 在表的哪一行？float 加法和 int 加法又在哪一行？",
    },
    {
      en = "Between 2^23 and 2^24 neighbouring floats are exactly 1 apart. Add 1.5 * 2^23 = 12582912.0f: the sum stays in this range even for negative numbers, and is rounded to a whole number. `__float_as_int` gives its bits without a conversion.",
      zh = "在 2^23 和 2^24 之间，相邻的 float 恰好相差 1。加上 1.5 * 2^23 = 12582912.0f：即使加的是负数，和也在这个范围里，并且舍入成整数。`__float_as_int` 给出和的二进制位，不做转换。",
    },
    {
      en = "`sum += __float_as_int(height + 12582912.0f) - 0x4B400000;` The constant is the bits of 12582912.0f.",
      zh = "写 `sum += __float_as_int(height + 12582912.0f) - 0x4B400000;`，后面的常数就是 12582912.0f 的二进制位。",
    },
  },

  after = {
    en = [[
      An addition rounds to the nearest number that a float can hold. You chose a range in which these are the whole numbers, so the addition rounds as
      `__float2int_rn` does. Two instructions with N = 128 and N = 64 replaced one with N = 16, and another unit is now the limiter.

      Such a change pays only if it relieves the limiter. First use the table to find the unit that limits the kernel. Then ask which cheaper instruction does
      the same: a shift for a division, an addition for a conversion, `rsqrtf` for root and division, float for double. If the kernel waits for memory, do not
      change its instructions.
    ]],
    zh = [[
      加法会舍入到最近的、float 能表示的数。你选定的范围里，这些数就是整数，所以加法的舍入与 `__float2int_rn` 相同。一条 N = 16 的指令换成了 N = 128 和 N = 64 的各一条，现在瓶颈是另一个单元。

      只有减轻了瓶颈，这样的改动才有收益。先查表，找出限制核函数的单元，再看哪种开销更小的指令能做同样的运算：移位代替除法，加法代替转换，`rsqrtf` 代替开方和除法，float 代替 double。如果核函数在等内存，就不必改动指令。
    ]],
  },
  more = {
    en = "Which unit is the limiter now? Count the instructions of your loop by kind and work out the cycles of one iteration. Then move the subtraction out of the loop: what must you subtract at the end, and does overflow change the result?",
    zh = "现在瓶颈是哪个单元？按类数一数循环里的指令，算出一次循环要几个周期。再把减法移到循环外面：最后要减去多少？溢出会影响结果吗？",
  },
}
