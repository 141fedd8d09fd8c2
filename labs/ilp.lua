-- Chapter 5: independent instructions hide latency.
return lab {
  id = "ilp",
  title = { en = "Independent instructions", zh = "互不依赖的指令" },
  chapter = 5,
  minutes = 30,
  needs = { "occupancy" },
  source = "guide 5.2.3",
  teaches = {
    ["latency-4"] = "say ask predict",
    ["four-l"] = "ask",
    ["two-l-eight-l"] = "ask",
    ["pairs-of-one-warp"] = "ask",
    ["ilp-or-tlp"] = "ask exercise goals traps after",
    ["warps-for-loads"] = "ask",
  },

  entry = "void ilp(const unsigned *key, unsigned *hash, int rounds, int n)",
  args = {
    key = integers(0, 2000000000, "n"),
    hash = output("n"),
  },
  cases = { { n = 256, rounds = 3 }, { n = 1, rounds = 1 }, { n = 20003, rounds = 9 }, { n = 1 << 17, rounds = 512, timed = true } },
  hidden = { count = 3, n = { 2, 50000 }, rounds = { 1, 40 } },
  goals = {
    correct { points = 4 },
    speedup(1.6) {
      points = 3,
      none = 1,
      en = [[
        The schedulers still have nothing to issue most of the time. How many chains does a thread
        work on? Does each step of the loop advance all of them?
      ]],
      zh = [[
        调度器大部分时间仍然没有指令可发射。一个线程同时处理几条依赖链？循环的每一步是否让所有的链都
        前进？
      ]],
    },
    at_most("achieved_occupancy_pct", 1.35 * baseline) {
      points = 3,
      en = [[
        More warps hide the latency, too, as in the lab `occupancy`. But here the launch must stay
        as it is: each thread itself must have independent instructions.
      ]],
      zh = [[
        增加 warp 同样能掩盖延迟，那是实验 `occupancy` 的内容。这里启动配置必须保持不变，
        要由每个线程自己提供互不依赖的指令。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel computes a hash of each of n keys, in many rounds: `h = (h ^ k) * PRIME`
        for k = 0, 1, 2 ... (Programs hash passwords in many rounds, so that trying out all
        passwords takes too long.) Each round needs the `h` of the previous round. Such a sequence
        of instructions is called a *chain*.

        You will find out how long a thread waits in a chain. Then you fill this time with other
        work.

        A multiprocessor has 4 schedulers. In each cycle, a scheduler can *issue* (start) one
        instruction of one warp. The result of a multiply-add (of integers or floats) can be
        used about 4 cycles after the instruction was issued. We measured 4.1 cycles on an H200.

        A scheduler never has to wait if it always has 4 instructions that do not depend on each
        other. There are 4 schedulers, so 16 instructions are needed in all. They may come from 16
        warps, one from each: this is *thread-level parallelism*. Or they may come from fewer warps,
        several from each: this is *instruction-level parallelism*.
      ]],
      zh = [[
        本实验的核函数为 n 个 key 各算一个散列值，要做许多轮：`h = (h ^ k) * PRIME`，
        k = 0、1、2……（程序对密码做许多轮散列，这样逐个试密码就要花太多时间。）
        每一轮都需要上一轮的 `h`，这样的一串指令叫一条*依赖链*，简称链。

        你会学到：线程在一条链上要等多久。然后你要用别的工作填满这些时间。

        一个多处理器有 4 个调度器，每个调度器每周期能*发射*（即启动）某个线程束（warp）的一条指令。
        一条乘加指令（整数或浮点）发射之后，要过约 4 个周期才能使用这条指令的结果（H200 上实测 4.1
        个周期）。

        要让调度器从不等待，每个调度器在任何时候都要有 4 条互不依赖的指令，4 个调度器一共 16 条。
        这些指令可以来自 16 个 warp，每个 warp 一条，这是*线程级并行*；也可以来自更少的 warp，
        每个 warp 提供几条，这是*指令级并行*。
      ]],
    },
    ask {
      alone = true,
      en = [[
        The number of instructions that a multiprocessor can issue per cycle depends on its
        compute capability (the version number of the architecture): 4 for 5.x, 6.1, 7.x, 8.x
        and 9.0; 2 for 6.0; 8 for 3.x. With {s} instructions per cycle and a latency of {l}
        cycles, how many independent instructions must be under way at any time, so that the
        multiprocessor can issue {s} in every cycle?
      ]],
      zh = [[
        一个多处理器每周期能发射几条指令，取决于设备的计算能力，即架构的版本号：5.x、6.1、7.x、
        8.x 和 9.0 是 4 条，6.0 是 2 条，3.x 是 8 条。每周期 {s} 条、延迟 {l} 个周期时，
        任何时刻都要有多少条互不依赖的指令在途，多处理器才能每个周期都发射 {s} 条？
      ]],
      draw = { s = { from = { 2, 4, 8 } }, l = { 4, 24, multiple = 2 } },
      answer = function(d) return d.s * d.l end,
      because = {
        en = [[
          The answer is {s} * L, where L is the latency. This is Little's law for instructions: 4 L
          on most devices, 2 L on compute capability 6.0, and 8 L on 3.x.

          On 3.x, the eight instructions are four pairs, and both instructions of a pair come from
          the same warp. So each warp needs two independent instructions at a time. Otherwise half
          of the issue slots stay empty, however many warps there are. (An *issue slot* is the
          chance to issue one instruction in one cycle.)
        ]],
        zh = [[
          答案是 {s} * L，L 是延迟。这是用于指令的 Little 定律：大多数设备是 4 L，
          计算能力 6.0 是 2 L，3.x 是 8 L。

          3.x 的八条指令是四对，同一对的两条指令来自同一个 warp。所以每个 warp 要同时有两条互不依赖
          的指令，否则无论有多少 warp，都有一半的发射槽空着。（一个*发射槽*就是在一个周期里发射一条
          指令的机会。）
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        The latency is 4 cycles, there are 4 schedulers, and each warp always has {i} independent
        instructions. How many warps does the multiprocessor need so that the schedulers never wait?
      ]],
      zh = [[
        延迟为 4 个周期，有 4 个调度器，每个 warp 总有 {i} 条互不依赖的指令。要让调度器从不等待，
        多处理器需要多少个 warp？
      ]],
      draw = { i = { from = { 1, 2, 4 } } },
      answer = function(d) return 16 // d.i end,
      because = {
        en = [[
          The multiprocessor needs 16 independent instructions, so it needs 16 / {i} warps. With 1
          instruction per warp it takes 16 warps, a quarter of what a multiprocessor of an H200 can
          hold. With 4 instructions it takes one warp for each scheduler.
        ]],
        zh = [[
          一共需要 16 条互不依赖的指令，所以需要 16 / {i} 个 warp。每个 warp 只有 1 条时要 16 个
          warp，是 H200 的一个多处理器所能容纳的四分之一；有 4 条时，每个调度器一个 warp 就够了。
        ]],
      },
    },
    ask {
      en = [[
        There is one warp for each scheduler, and every instruction has a latency of 4 cycles. In
        these warps, each thread works on {c} chains at the same time. What share of the issue slots
        can be used at most? (in %)
      ]],
      zh = [[
        每个调度器有一个 warp，每条指令的延迟是 4 个周期，每个线程同时推进 {c} 条链。
        发射槽最多能用上百分之几？
      ]],
      draw = { c = { from = { 1, 2, 3, 4, 8 } } },
      answer = function(d) return math.min(100, 25 * d.c) end,
      unit = "%",
      because = {
        en = [[
          In 4 cycles, each of the {c} chains can advance by one instruction. But a scheduler issues
          at most one instruction per cycle. So four chains are enough to use all issue slots.
        ]],
        zh = [[
          4 个周期里，{c} 条链各能前进一条指令，但调度器每周期最多发射一条。
          所以四条链就能用上所有的发射槽。
        ]],
      },
    },
    ask {
      en = [[
        A load takes {l} cycles, and there are 4 schedulers. Every warp executes {k} instructions,
        waits for a load, executes the next {k}, and so on. About how many warps are needed so that
        the schedulers never wait?
      ]],
      zh = [[
        一次读取要 {l} 个周期，有 4 个调度器，每个 warp 每执行 {k} 条指令，就要等待一次读取。
        大约要有多少个 warp，调度器才不用等待？
      ]],
      draw = { l = { from = { 320, 480, 640 } }, k = { from = { 8, 16, 32 } } },
      answer = function(d) return 4 * d.l / d.k end,
      tolerance = 0.03,
      because = {
        en = [[
          While one warp waits, the other warps of its scheduler must fill the {l} cycles. Each warp
          fills {k} of them. For 4 schedulers, that takes 4 * {l} / {k} warps. But a multiprocessor
          holds only 32 to 64 warps. So a thread should issue its loads early, and several of them
          at a time.
        ]],
        zh = [[
          一个 warp 等待的 {l} 个周期，要由同一个调度器的别的 warp 来填满，每个 warp 填 {k} 个周
          期。4 个调度器一共需要 4 * {l} / {k} 个 warp，而一个多处理器只能容纳 32 到 64 个。
          所以线程应当尽早发出读取，而且一次发出几个。
        ]],
      },
    },
    ask {
      alone = true,
      en = "Which of these loops can be split into four chains without changing the result?",
      zh = "下面哪个循环可以拆成四条链而不改变结果？",
      choices = {
        {
          en = "`for (k) h = (h ^ k) * PRIME;`, always with the same `h`",
          zh = "`for (k) h = (h ^ k) * PRIME;`，始终是同一个 `h`",
          because = {
            en = [[
              Every step needs the `h` of the previous step. While the thread waits, only a
              *different* `h` could advance.
            ]],
            zh = "每一步都需要上一步的 `h`。线程等待的时候，只有*另一个* `h` 可以前进。",
          },
        },
        {
          en = "`for (k) at = next[at];`",
          zh = "`for (k) at = next[at];`",
          because = {
            en = "Each load needs an address, and this address is the result of the previous load.",
            zh = "每次读取都需要一个地址，而这个地址是上一次读取的结果。",
          },
        },
        {
          en = "`for (k) sum += v[k];` where the elements of v are integers",
          zh = "`for (k) sum += v[k];`，v 的元素是整数",
          right = true,
          because = {
            en = [[
              The sum of integers does not depend on the order of the additions. So the thread can
              keep four partial sums and add them at the end. (With floats the result changes in the
              last digits, so the compiler does not do this for you.)
            ]],
            zh = [[
              整数求和的结果与相加的顺序无关，所以线程可以用四个部分和，最后再相加。（浮点数求和时，
              结果的末几位会变，所以编译器不会自动这样做。）
            ]],
          },
        },
      },
    },
    predict {
      en = [[
        The baseline launches one block of 128 threads for each multiprocessor. A multiprocessor
        can hold 64 warps on an H200, and 32 on a T4. The *achieved* occupancy is the number of
        warps that are really resident, divided by the number that a multiprocessor can hold.
        What is the achieved occupancy of the baseline? (in %)
      ]],
      zh = [[
        基线给每个多处理器启动一个 128 线程的块。一个多处理器在 H200 上能容纳 64 个 warp，在 T4 上能
        容纳 32 个。*实际占用率*是真正驻留的 warp 数，除以多处理器能容纳的 warp 数。基线的实际占用率
        是百分之几？
      ]],
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = {
        en = [[
          A block of 128 threads has 4 warps: 4 of 64 on an H200, or 4 of 32 on a T4. Four warps are
          enough if each of them has enough independent instructions.
        ]],
        zh = [[
          128 个线程的块有 4 个 warp：H200 是 64 个中的 4 个，T4 是 32 个中的 4 个。
          只要这四个 warp 各有足够多互不依赖的指令，四个 warp 就够了。
        ]],
      },
    },
    show {
      en = [[
        The picture shows what the warps of the baseline spend their time on. `Wait` stands for the
        few cycles until the result of the previous instruction can be used:
      ]],
      zh = "下图说明基线的 warp 把时间花在哪里。“固定延迟”是等前一条指令的结果可用的那几个周期：",
      picture = "stalls",
      of = "baseline",
    },
    show {
      en = [[
        How long would the baseline take if no warp had to wait for a result? The row `latency`
        gives this time. More warps cannot make the kernel faster than this. More chains can
        make it a little faster, because they also save instructions of the loop.
      ]],
      zh = [[
        如果任何结果都不用等，基线要用多少时间？看“延迟”那一行。增加 warp 数，
        用时最多也只能降到这里。增加链数还能再快一点，因为循环本身的指令也少了。
      ]],
      picture = "whatif",
      of = "baseline",
    },
    exercise {
      en = "Give each thread several independent chains. Do not change the launch.",
      zh = "启动配置不变，让每个线程有几条互不依赖的链。",
    },
    show {
      en = [[
        Each chain keeps its `h` in a register. The picture shows how many registers your kernel
        uses:
      ]],
      zh = "每条链的 `h` 占一个寄存器。下图说明你的核函数用了多少寄存器：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel has as few warps as the baseline and makes as many hash steps. Why does it
        execute fewer warp instructions? (Think of the instructions of the loop itself.)
      ]],
      zh = [[
        你的核函数和基线的 warp 一样少，散列的步数也一样多。为什么执行的 warp 指令变少了？
        （想想循环本身的指令。）
      ]],
      counters = { "device_us", "achieved_occupancy_pct", "warp_inst", "registers", "blocks" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        A thread computes the hashes of several keys. Which of its results do not need each other?
      ]],
      zh = "一个线程要算几个 key 的散列值。哪些结果的计算互不依赖？",
    },
    {
      en = [[
        Use an array `h[8]`. Inside the loop over k, put a fully unrolled loop over this array, so
        that each round advances the chains of eight keys. The keys of a thread should still be
        `step` elements apart (`step` is the number of threads of the launch), so that the loads
        stay coalesced.
      ]],
      zh = [[
        用数组 `h[8]`。在 k 的循环里面，加一个对这个数组的循环，并完全展开：
        这样每一轮推进八个 key 的链。一个线程的各个 key 仍然相隔 `step` 个元素（`step` 是这次启动的
        线程数），读取才是合并的。
      ]],
    },
    {
      en = [[
        `for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;`
        Write `#pragma unroll` before the inner loop. In the outermost loop, write `i += 8 * step`.
        Check `i + j * step < n` at every load and store.
      ]],
      zh = [[
        `for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;`。
        在内层循环前写 `#pragma unroll`。最外层的循环写 `i += 8 * step`。每次读取和写入都检查
        `i + j * step < n`。
      ]],
    },
  },

  after = {
    en = [[
      Thread-level and instruction-level parallelism both provide independent instructions. If
      registers or shared memory keep the occupancy low, use instruction-level parallelism.
      Here, four warps do the work of sixteen. Fast matrix products work in this way: each
      thread computes a tile of results, and these tiles take most of the registers.

      The same is true of loads. Suppose that there is one block of 64 threads for each
      multiprocessor. Then an H200 reads 92 GB/s from its memory if each thread has one load
      under way. With two loads it reads 162 GB/s, with four loads it reads 300 GB/s (measured).
    ]],
    zh = [[
      线程级并行和指令级并行都能提供互不依赖的指令。如果寄存器或共享内存使占用率很低，
      就用指令级并行：这里四个 warp 就够了，否则要十六个。高性能的矩阵乘法正是这样做的：
      每个线程计算一小块（tile）结果，这些小块占去了大部分寄存器。

      对读取也一样。假设每个多处理器只有一个 64 线程的块。如果每个线程有一次读取在途，
      H200 从显存读取的速度是 92 GB/s；有两次在途时是 162 GB/s，有四次时是 300 GB/s（实测）。
    ]],
  },
  more = {
    en = [[
      Try 1, 2, 3, 4, 8 and 16 chains and note the time. At how many chains does the time stop
      falling? With fewer chains, what is the limiter (the resource that the kernel mainly waits
      for)? And with more chains?

      Then try more warps instead, with one chain per thread and `4 * processors` blocks. (This
      launch misses a goal of `check`, but `profile` shows its time.)
    ]],
    zh = [[
      试试 1、2、3、4、8、16 条链，记下时间。从几条链开始，时间不再下降？链比这更少时，瓶颈
      （limiter，核函数主要在等什么）是什么？链比这更多时呢？

      再试试不增加链，而增加 warp：只用一条链，启动 `4 * processors` 个块。（`check` 会有一个目标达
      不到，时间用 `profile` 看。）
    ]],
  },
}
