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
      points = 4,
      none = 1,
      en = "The schedulers still stand idle most of the time. How many chains does a thread have under way, and does each step of the loop advance all of them?",
      zh = "调度器大部分时间仍然闲着。一个线程同时有几条链？循环的每一步是否让所有的链都前进？",
    },
    at_most("achieved_occupancy_pct", 1.5 * baseline) {
      points = 2,
      en = "More warps hide the latency as well: that was the lab `occupancy`. Here the launch stays as it is, and the independent instructions come from each thread.",
      zh = "增加 warp 同样能掩盖延迟：那是 `occupancy` 的内容。这里启动配置保持不变，互不依赖的指令要由每个线程自己提供。",
    },
  },

  steps = {
    say {
      en = [[
        The result of a multiply-add, of integers or floats, can be used about 4 cycles after it was issued (4.1 on an H200, measured). A multiprocessor has 4 schedulers, and each can issue one
        warp instruction per cycle. So in order to never wait, every scheduler needs 4 instructions to choose from that do not depend on each other, in all 16. They may come from 16 warps: *thread-level
        parallelism*. Or from fewer warps that have several each: *instruction-level parallelism*.
      ]],
      zh = [[
        一次乘加（整数或浮点）的结果要在发射约 4 个周期之后才能用（H200 上实测 4.1）。一个多处理器有 4 个调度器，每个每周期能发射一条线程束（warp）指令。所以要想永不等待，每个调度器手头
        要有 4 条互不依赖的指令可选，一共 16 条。它们可以来自 16 个 warp，这是*线程级并行*；也可以来自更少的、但各有几条的 warp，这是*指令级并行*。
      ]],
    },
    ask {
      alone = true,
      en = "How many instructions are issued per cycle depends on the device: 4 on compute capability 5.x, 6.1, 7.x, 8.x and 9.0, 2 on 6.0, 8 on 3.x. With {s} a cycle and a latency of {l} cycles, how many independent instructions must be at hand at any time?",
      zh = "每周期能发射几条指令取决于设备：计算能力 5.x、6.1、7.x、8.x 和 9.0 是 4 条，6.0 是 2 条，3.x 是 8 条。每周期 {s} 条、延迟 {l} 个周期时，任何时刻手头都要有多少条互不依赖的指令？",
      draw = { s = { from = { 2, 4, 8 } }, l = { 4, 24, multiple = 2 } },
      answer = function(d) return d.s * d.l end,
      because = {
        en = "{s} * L: Little's law for instructions. 4 L on most devices, 2 L and 8 L on those two. The eight of 3.x are four pairs, and both instructions of a pair come from one warp: there each warp needs two independent instructions at a time, or half of the slots stay empty, however many warps there are.",
        zh = "{s} * L：指令版的 Little 定律。大多数设备是 4 L，那两类设备分别是 2 L 和 8 L。3.x 的八条是四对，每一对都出自同一个 warp：在那里，每个 warp 手头要同时有两条互不依赖的指令，否则无论有多少 warp，都有一半的发射槽空着。",
      },
    },
    ask {
      alone = true,
      en = "L is 4, there are 4 schedulers, and each warp always has {i} independent instructions. How many warps are needed?",
      zh = "L 为 4，有 4 个调度器，每个 warp 手头总有 {i} 条互不依赖的指令。需要多少个 warp？",
      draw = { i = { from = { 1, 2, 4 } } },
      answer = function(d) return 16 // d.i end,
      because = { en = "16 / {i}. With 1: 16 warps, a quarter of what an H200 can hold. With 4: one for each scheduler.", zh = "16 / {i}。只有 1 条时要 16 个 warp，是 H200 所能容纳的四分之一；有 4 条时，每个调度器一个就够了。" },
    },
    ask {
      en = "One warp for each scheduler, every instruction takes 4 cycles, and each thread works on {c} chains side by side. At most which share of the issue slots can be used? (in %)",
      zh = "每个调度器一个 warp，每条指令 4 个周期，每个线程同时推进 {c} 条链。发射槽最多能用上百分之几？",
      draw = { c = { from = { 1, 2, 3, 4, 8 } } },
      answer = function(d) return math.min(100, 25 * d.c) end,
      unit = "%",
      because = { en = "{c} instructions in 4 cycles, and no more than one a cycle. Beyond four chains there is nothing left to fill.", zh = "4 个周期里有 {c} 条指令，但每周期最多一条。超过四条链，就没有空档可填了。" },
    },
    ask {
      en = "A load takes {l} cycles, there are 4 schedulers, and every warp waits for a load after each {k} instructions. About how many warps would it take to never stand still?",
      zh = "读取要 {l} 个周期，有 4 个调度器，每个 warp 每执行 {k} 条指令就要等一次读取。大约要多少个 warp，调度器才能永不停顿？",
      draw = { l = { from = { 320, 480, 640 } }, k = { from = { 8, 16, 32 } } },
      answer = function(d) return 4 * d.l / d.k end,
      tolerance = 0.03,
      because = { en = "While one waits, others must fill {l} cycles with {k} instructions each: 4 * {l} / {k}. A multiprocessor holds 32 to 64. That is why loads want to be issued early and several at a time.", zh = "一个在等的时候，别的 warp 要以每个 {k} 条指令填满 {l} 个周期：4 * {l} / {k}。而一个多处理器只能容纳 32 到 64 个。所以读取要尽早发出，而且一次几个。" },
    },
    ask {
      alone = true,
      en = "Which of these loops can be taken apart into four chains without changing the result?",
      zh = "下面哪个循环可以拆成四条链而不改变结果？",
      choices = {
        { en = "`for (k) h = (h ^ k) * PRIME;`, all on one h", zh = "`for (k) h = (h ^ k) * PRIME;`，都作用在同一个 h 上", because = { en = "Every step needs the whole of the one before. Only *another* h can go on meanwhile.", zh = "每一步都需要上一步的完整结果。这期间只能让*另一个* h 往前走。" } },
        { en = "`for (k) at = next[at];`", zh = "`for (k) at = next[at];`", because = { en = "The address of a load is the result of the one before it.", zh = "每次读取的地址就是上一次读取的结果。" } },
        { en = "`for (k) sum += v[k];` with integers", zh = "`for (k) sum += v[k];`，v 是整数", right = true, because = { en = "Addition is associative: four partial sums, added at the end. (With floats the result changes in the last digits, so the compiler will not do it for you.)", zh = "加法满足结合律：四个部分和，最后再相加。（浮点数的末几位会变，所以编译器不会替你这样做。）" } },
      },
    },
    predict {
      en = "The baseline launches one block of 128 threads for each multiprocessor. What share of the warps that it could hold is there? An H200's holds 64 warps, a T4's 32. (in %)",
      zh = "基线给每个多处理器启动一个 128 线程的块。驻留的 warp 占它所能容纳的百分之几？H200 的多处理器容纳 64 个 warp，T4 的容纳 32 个。",
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = { en = "4 of 64, or 4 of 32. It is enough, if each of the four has enough to do.", zh = "64 个中的 4 个，或 32 个中的 4 个。只要这四个各有足够的事可做，就够了。" },
    },
    show {
      en = "Where its warps spend their time. `Wait` is the few cycles until the result of the instruction before is there:",
      zh = "它的 warp 把时间花在哪里。“固定延迟”就是等前一条指令结果的那几个周期：",
      picture = "stalls",
      of = "baseline",
    },
    show {
      en = "And if no result had to be waited for (row `latency`)? That is the most that more chains, or more warps, can bring.",
      zh = "假如什么结果都不用等（“延迟”那一行）？这就是增加链数或 warp 数最多能带来的好处。",
      picture = "whatif",
      of = "baseline",
    },
    exercise { en = "Give each thread several independent chains, with the launch as it is.", zh = "启动配置不变，让每个线程有几条互不依赖的链。" },
    show { en = "The price in registers:", zh = "寄存器上的代价：", picture = "occupancy", of = "mine" },
    compare {
      en = "As few warps as before, and the same mixes. What are the fewer warp instructions? (Think of the loop.)",
      zh = "warp 和原来一样少，混合的次数也一样。少掉的 warp 指令是什么？（想想循环。）",
      counters = { "device_us", "achieved_occupancy_pct", "warp_inst", "registers", "blocks" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Which results of one thread could be computed without waiting for each other?", zh = "一个线程的哪些结果可以互不等待地计算？" },
    { en = "An array `h[8]` with fully unrolled loops over it, inside the loop over k: each turn advances eight keys. The thread's keys are `step` apart, as they are now, so that loads stay coalesced.", zh = "用数组 `h[8]`，对它的循环完全展开，放在 k 循环里面：每转一次推进八个 key。线程的各个 key 仍相隔 `step`，读取才是合并的。" },
    { en = "`for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;` with `#pragma unroll` before the inner loop, `i += 8 * step` outside, and a check `i + j * step < n` at every load and store.", zh = "`for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;`，内层循环前加 `#pragma unroll`，外层写 `i += 8 * step`，每次读写都检查 `i + j * step < n`。" },
  },

  after = {
    en = [[
      Thread-level and instruction-level parallelism are two sources of the same thing: independent instructions. When registers or shared memory keep occupancy low, take them from the second: here four warps do what
      took four times as many. It is how fast matrix products work, whose tiles of results take most of the registers.

      It holds for loads as well. With one block of 64 threads for each multiprocessor an H200 reads 92 GB/s from its memory if every thread has one load under way, 162 with two, 300 with four (measured).
    ]],
    zh = [[
      线程级并行和指令级并行是同一样东西的两个来源：互不依赖的指令。当寄存器或共享内存让占用率上不去时，就从后者取：这里四个 warp 做到了原来要四倍的 warp 才能做到的事。快速的矩阵乘法正是这样：结果的 tile 占去了大部分寄存器。

      对读取也一样。每个多处理器只有一个 64 线程的块时，如果每个线程有一次读取在途，H200 从显存读取的速度是 92 GB/s；两次是 162，四次是 300（实测）。
    ]],
  },
  more = {
    en = "Try 1, 2, 3, 4, 8 and 16 chains and note the time. Where does it stop falling, and what does the limiter say before and after? Then try the other source: EACH = 1 and `4 * processors` blocks (`check` will miss a goal; `profile` shows the time).",
    zh = "试试 1、2、3、4、8、16 条链，记下时间。从哪里开始不再下降？前后的瓶颈（limiter）各是什么？再试试另一个来源：只用一条链，启动 `4 * processors` 个块（`check` 会说有一个目标没达到；时间在 `profile` 里看）。",
  },
}
