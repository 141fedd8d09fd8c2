-- Chapter 7: how many operations of each kind a multiprocessor does per cycle, and which of them is
-- the roof.
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
    start = uniform(-4190000, 4190000, "n"),
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
      en = [[
        The loop still converts types. The bits of a float already contain its whole part. In which
        bits is the whole part if the float is large?
      ]],
      zh = [[
        循环里仍有类型转换。float 的二进制位本来就包含整数部分。float 很大时，整数部分在哪几位？
      ]],
    },
    speedup(1.4) {
      points = 3,
      en = "Which instruction of the loop now does the fewest operations per cycle?",
      zh = "现在循环里，哪种指令每周期的运算次数最少？",
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab does the arithmetic for drawing straight lines. In each column of an
        image, it rounds the height of a line to the nearest row of pixels. It draws no pixels: its
        result for each line is the sum of the row numbers. The kernel is slow because of one
        instruction. You will find this instruction with a table, and replace it.

        How fast is a kind of instruction? The table gives N, the number of operations that one
        multiprocessor does per cycle. One instruction of a warp is 32 operations, one for each
        lane. So a multiprocessor executes N / 32 warp instructions per cycle. Measured on an H200
        (in parentheses: the width of the unit, which is the largest possible N):

            float: add, multiply, multiply-add                   104 (128)
            double multiply-add; int multiply-add; min, max       58  (64)
            shuffle                                               31  (32)
            2^x, 1/sqrt(x), __sinf; __popc; float to int          16  (16)

        The device has an instruction for each of these operations: they are *native*. All other
        operations take several native instructions, so their N is lower:

            sqrtf 10      int / and % 9 to 10      float / 7.4      sinf 4.9

        In the questions of this lab, N is the width of the unit.
      ]],
      zh = [[
        本实验的核函数完成画直线所需的计算：在图像的每一列，把直线的高度取整到最近的一行像素。
        它不画像素，只求出每条直线的行号之和。核函数很慢，原因是其中的一种指令。
        你要查表找出这种指令，并把它换掉。

        一类指令有多快，用 N 表示：N 是一个多处理器每周期做的运算次数。一个线程束（warp）
        的一条指令是 32 次运算，每个 lane 一次。所以多处理器每周期执行 N / 32 条指令。下面是在
        H200 上测得的 N（括号里是运算单元的宽度，也就是 N 的上限）：

            float 加、乘、乘加                                   104 (128)
            double 乘加；int 乘加；min、max                       58  (64)
            shuffle                                               31  (32)
            2^x、1/sqrt(x)、__sinf；__popc；float 转 int          16  (16)

        这些运算在设备上各有一条指令，叫*原生*运算。其他运算要用几条原生指令，所以 N 更小：

            sqrtf 10      int 的 / 和 % 9 到 10      float 的 / 7.4      sinf 4.9

        在本实验的题目里，N 指运算单元的宽度。
      ]],
    },
    ask {
      alone = true,
      en = [[
        An operation has N = {n}. Each of the 64 resident warps of a multiprocessor executes one
        such instruction. How many cycles does the unit need for all of them?
      ]],
      zh = [[
        某种运算的 N = {n}。一个多处理器上驻留 64 个 warp，每个 warp 执行一条这样的指令。
        运算单元一共需要多少个周期？
      ]],
      draw = { n = { from = { 16, 32, 64, 128 } } },
      answer = function(d) return 64 * 32 / d.n end,
      replies = {
        {
          function(d) return 64 / d.n end,
          en = "One instruction of a warp is 32 operations, not one.",
          zh = "一个 warp 的一条指令是 32 次运算，不是一次。",
        },
      },
      because = {
        en = "The unit executes {n} / 32 instructions per cycle, and there are 64 instructions.",
        zh = "运算单元每周期执行 {n} / 32 条指令，一共有 64 条。",
      },
    },
    ask {
      en = [[
        N is the number for *one* multiprocessor. An H200 has 132 multiprocessors at 1.98 GHz. What
        is the whole device's peak for N = {n}, in 10^12 operations per second?
      ]],
      zh = [[
        N 是*一个*多处理器的数。H200 有 132 个多处理器，频率 1.98 GHz。N = {n} 时，
        整个设备的峰值是每秒多少次运算？（以 10^12 次为单位。）
      ]],
      draw = { n = { from = { 16, 64, 128 } } },
      answer = function(d) return d.n * 132 * 1.98e9 / 1e12 end,
      tolerance = 0.03,
      replies = {
        {
          function(d) return d.n * 1.98e9 / 1e12 end,
          en = "This is the peak of one multiprocessor. The device has 132.",
          zh = "这是一个多处理器的峰值。设备有 132 个。",
        },
        {
          function(d) return 2 * d.n * 132 * 1.98e9 / 1e12 end,
          en = "You counted each operation twice. N counts it once.",
          zh = "你把每次运算算成了两次，N 只算一次。",
        },
      },
      because = {
        en = [[
          {n} * 132 * 1.98e9 operations per second. (A peak in FLOP/s is twice as large, because it
          counts a multiply-add as two operations.)
        ]],
        zh = [[
          每秒 {n} * 132 * 1.98e9 次。（以 FLOP/s 计的峰值还要乘 2，因为一次乘加算两次浮点运算。）
        ]],
      },
    },
    say {
      en = [[
        Old documents do not give N. They give the number of cycles that one warp instruction takes.
        For a G80, the slides of a CUDA course say:

            float add, multiply, multiply-add               4 cycles
            int add, bitwise, compare, min, max             4
            reciprocal, 1/sqrt(x), log; int multiply       16
            __sin, __cos, __exp                            32
            float division                                 36 (24-bit version: 20)
            int division and modulo                        "particularly costly"

        Each device has a table of its own. For a function that is not native, the compiler chooses
        the instructions. These instructions may contain several paths. Which path a call takes
        depends on its argument. `cuobjdump -sass` shows the instructions of a compiled kernel. For
        some functions, CUDA's header files contain the source.
      ]],
      zh = [[
        旧资料给出的是周期数，即一条 warp 指令要多少个周期。CUDA 课程的讲义幻灯片里，G80 的数据是：

            float 加、乘、乘加                              4 周期
            int 加法、位运算、比较、min、max                4
            倒数、1/sqrt(x)、log；int 乘法                 16
            __sin、__cos、__exp                            32
            float 除法                                     36（24 位的版本：20）
            int 除法和取模                                 “代价尤其高”

        每种设备各有一张表。不是原生的函数由哪些指令组成，由编译器决定；这些指令可能有几条路径，
        走哪一条取决于自变量。`cuobjdump -sass` 列出核函数编译后的指令。有些函数的源代码就在 CUDA
        的头文件里。
      ]],
    },
    ask {
      en = [[
        A G80 takes {c} cycles for one warp instruction of some kind. What is N, the operations per
        cycle on one multiprocessor?
      ]],
      zh = "在 G80 上，某类 warp 指令每条要 {c} 个周期。N（每个多处理器每周期的运算次数）是多少？",
      draw = { c = { from = { 4, 16, 32 } } },
      answer = function(d) return 32 / d.c end,
      replies = {
        {
          function(d) return d.c end,
          en = [[
            This is the number of cycles. In this time, the multiprocessor does the 32 operations of
            a warp instruction.
          ]],
          zh = "这是周期数。多处理器在这么多周期里做完一条 warp 指令的 32 次运算。",
        },
      },
      because = {
        en = [[
          32 operations take {c} cycles: 32 / {c} per cycle. A multiprocessor of a G80 has eight
          processors and does at most 8 additions per cycle. A multiprocessor of an H200 does 128.
        ]],
        zh = [[
          32 次运算要 {c} 个周期，每周期 32 / {c} 次。G80 的一个多处理器有八个处理器，每周期最多做
          8 次加法；H200 的一个多处理器做 128 次。
        ]],
      },
    },
    ask {
      en = [[
        Each iteration of a loop has {a} float multiply-adds (N = 128), {b} int products (N = 64)
        and {c} calls of `exp2f` (N = 16). Many warps execute the loop. The units work at the same
        time. The multiprocessor issues at most 4 instructions per cycle. How many cycles does one
        iteration of one warp take at least, on average?
      ]],
      zh = [[
        每次循环有 {a} 条 float 乘加（N = 128）、{b} 条 int 乘法（N = 64）和 {c} 次 `exp2f`（N =
        16）。许多 warp 执行这个循环，各单元同时工作，多处理器每周期最多发射 4 条指令。平均下来，
        一个 warp 的一次循环最少要几个周期？
      ]],
      draw = { a = { from = { 4, 8, 16 } }, b = { from = { 1, 2, 4 } }, c = { from = { 1, 2, 3 } } },
      answer = function(d) return math.max(d.a / 4, d.b / 2, 2 * d.c, (d.a + d.b + d.c) / 4) end,
      tolerance = 0.01,
      because = {
        en = [[
          The units need {a} / 4, {b} / 2 and {c} / 0.5 cycles. Issuing takes a cycle for every 4
          instructions. The largest of these four figures is the answer. The unit to which it
          belongs (or the issuing) is the *limiter*: the work of the other units takes no extra
          time. So find the instructions with a low N, and replace them.
        ]],
        zh = [[
          三个单元分别需要 {a} / 4、{b} / 2、{c} / 0.5 个周期，发射每 4 条指令要一个周期。
          答案是这四个数里最大的，对应的单元（或发射）就是*瓶颈*；其他单元的工作不额外占用时间。
          所以要找出 N 小的指令，换成别的指令。
        ]],
      },
    },
    ask {
      en = [[
        A warp adds up 32 ints with five shuffles (N = 32), each followed by an addition (N = 64).
        For how many cycles is the shuffle unit busy?
      ]],
      zh = [[
        一个 warp 用五次 shuffle（N = 32）把 32 个 int 加起来，每次 shuffle 之后做一次加法（N =
        64）。shuffle 单元要忙多少个周期？
      ]],
      answer = 5,
      replies = {
        {
          10,
          en = "You counted the additions, too. Another unit does them.",
          zh = "你把加法也算了进去。加法由另一个单元来做。",
        },
      },
      because = {
        en = [[
          5 * 32 / 32 = 5 cycles. The five additions take 2.5 cycles of another unit. From compute
          capability 8.0 on, one instruction does the whole sum for ints: `__reduce_add_sync`. It
          has N = 16, so it takes 2 cycles. A single thread would do 31 additions one after another,
          and 31 lanes would be idle.
        ]],
        zh = [[
          5 * 32 / 32 = 5 个周期。五次加法占用另一个单元 2.5 个周期。从计算能力 8.0
          起，`__reduce_add_sync` 用一条指令求出 int 的总和，N = 16，即 2 个周期。若只由一个线程来
          加，要先后做 31 次加法，其余 31 个 lane 都空闲。
        ]],
      },
    },
    predict {
      en = [[
        The skeleton rounds 262,144 * 256 = 67.1 million heights to whole numbers. Each rounding is
        a conversion with N = 16. The other instructions of its loop take much less time. An H200
        has 132 multiprocessors at 1.98 GHz. How many microseconds does the skeleton take on an H200
        at least? (Add about 2 us for the start and the end of the kernel.)
      ]],
      zh = [[
        骨架代码要把 262,144 * 256 = 6710 万个高度取整，取整是一次 N = 16 的转换，
        循环里其他指令的用时少得多。H200 有 132 个多处理器，频率 1.98 GHz。骨架代码在
        H200 上至少要多少微秒？（核函数的开始和结束再加约 2 微秒。）
      ]],
      counter = "device_us",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.2,
      unit = "us",
      replies = {
        {
          2118,
          en = "This is the time on one multiprocessor. The device has 132.",
          zh = "这是一个多处理器的用时。设备有 132 个。",
        },
        {
          0.5,
          en = [[
            You may have counted the conversion of a whole warp as one operation. It is 32
            operations.
          ]],
          zh = "你可能把一个 warp 的转换算成了一次运算，其实是 32 次运算。",
        },
      },
      because = {
        en = [[
          67.1e6 / (16 * 132 * 1.98e9) is 16 us. The unit that converts is the limiter of this
          kernel.
        ]],
        zh = "67.1e6 / (16 * 132 * 1.98e9) 是 16 微秒。这个核函数的瓶颈是做转换的单元。",
      },
    },
    show {
      en = "The instructions that the skeleton executes, summed over all lanes:",
      zh = "骨架代码执行的指令（按 lane 计）：",
      picture = "counters",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      of = "skeleton",
    },
    exercise {
      en = [[
        Replace the conversion by faster instructions. Here is the idea. A float of 8,388,608 (2^23)
        or more has no bits left for a fraction: its last bit stands for 1. Add a small number to
        such a large float. What happens to the fraction of the small number? In which bits of the
        sum is the whole part of the small number? Think of negative numbers, too.
      ]],
      zh = [[
        请用更快的指令代替转换。思路是：大于等于 8,388,608（2^23）的 float 没有位可以放小数部分，
        最后一位就代表 1。把一个小的数加到这样的大数上，小的数的小数部分会怎样？
        小的数的整数部分在相加结果的哪几位？还要考虑负数。
      ]],
    },
    compare {
      en = "Your version executes more instructions than the baseline, but takes less time:",
      zh = "你的版本与基线的对比：指令更多，用时更少。",
      counters = { "inst_convert", "inst_fp32", "inst_int", "warp_inst", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        `__float2int_rn` converts a float to int. In which row of the table is it? In which rows are
        the additions of floats and of ints?
      ]],
      zh = "`__float2int_rn` 把 float 转换成 int，在表的哪一行？float 加法和 int 加法又在哪一行？",
    },
    {
      en = [[
        Between 2^23 and 2^24, neighbouring floats are exactly 1 apart. Add 1.5 * 2^23 = 12582912.0f
        to the height. The sum stays in this range, even if the height is negative, and is rounded
        to a whole number. `__float_as_int` gives you the bits of the sum without a conversion.
      ]],
      zh = [[
        在 2^23 和 2^24 之间，相邻的 float 恰好相差 1。把高度加上 1.5 * 2^23 = 12582912.0f：
        即使高度是负数，相加的结果也在这个范围里，并且舍入成整数。`__float_as_int`
        给出这个结果的二进制位，不做转换。
      ]],
    },
    {
      en = [[
        Write `sum += __float_as_int(height + 12582912.0f) - 0x4B400000;` The constant has the same
        bits as 12582912.0f.
      ]],
      zh = [[
        写 `sum += __float_as_int(height + 12582912.0f) - 0x4B400000;`，最后的常数就是 12582912.0f
        的二进制位。
      ]],
    },
  },

  after = {
    en = [[
      The sum of two floats is rounded to the nearest number that a float can hold. You chose a
      range in which these numbers are the whole numbers. So the addition rounds as `__float2int_rn`
      does. You replaced an instruction with N = 16 by two instructions with N = 128 and N = 64. Now
      another unit is the limiter.

      Such a change pays only if it relieves the limiter. First use the table to find the unit that
      limits the kernel. Then look for a cheaper instruction that does the same: a shift for a
      division, an addition for a conversion, `rsqrtf` for root and division, float for double. If
      the kernel waits for memory, leave its instructions as they are.
    ]],
    zh = [[
      两个 float 相加，结果会舍入到最近的、float 能表示的数。在你选定的范围里，能表示的数就是整数，
      所以加法的舍入与 `__float2int_rn` 相同。你把一条 N = 16 的指令换成了两条，N 分别是 128 和 64，
      现在瓶颈是另一个单元。

      这样的改动只有减轻瓶颈才有收益。先查表，找出限制核函数的单元；再看哪种开销更小的指令能做同样的
      运算：移位代替除法，加法代替转换，`rsqrtf` 代替开方和除法，float 代替 double。
      如果核函数在等内存，就不必改动指令。
    ]],
  },
  more = {
    en = [[
      Which unit is the limiter now? Count the instructions of your loop by kind, and work out the
      cycles of one iteration. Then move the subtraction out of the loop. What must you subtract at
      the end, and does overflow change the result?
    ]],
    zh = [[
      现在瓶颈是哪个单元？按种类数一数循环里的指令，算出一次循环要几个周期。再把减法移到循环外面：
      最后要减去多少？溢出会影响结果吗？
    ]],
  },
}
