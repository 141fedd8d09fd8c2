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
      en = "The schedulers are still idle most of the time. How many chains does a thread work on, and does each step of the loop advance all of them?",
      zh = "调度器大部分时间仍然闲着。一个线程同时处理几条依赖链？循环的每一步是否让所有的链都前进？",
    },
    at_most("achieved_occupancy_pct", 1.5 * baseline) {
      points = 2,
      en = "More warps hide the latency, too, as in the lab `occupancy`. Here the launch must stay as it is: the independent instructions must come from each thread.",
      zh = "增加 warp 同样能掩盖延迟，那是实验 `occupancy` 的内容。这里启动配置必须保持不变，互不依赖的指令要来自每个线程。",
    },
  },

  steps = {
    say {
      en = [[
        You can use the result of a multiply-add, of integers or floats, about 4 cycles after it was issued (4.1 on an H200, measured). A
        multiprocessor has 4 schedulers, and each can issue one warp instruction per cycle.

        To never wait, each scheduler needs 4 instructions that do not depend on each other, so 16 in all. They may come from 16 warps: *thread-level
        parallelism*. Or they come from fewer warps that have several each: *instruction-level parallelism*.
      ]],
      zh = [[
        一次乘加（整数或浮点）发射之后，约 4 个周期才能使用结果（H200 上实测 4.1 个）。一个多处理器有 4 个调度器，每个调度器每周期能发射一条线程束（warp）
        指令。

        要让调度器从不等待，每个调度器需要 4 条互不依赖的指令，一共 16 条。这些指令可以来自 16 个 warp，这是*线程级并行*；也可以来自更少的 warp，
        每个 warp 提供几条，这是*指令级并行*。
      ]],
    },
    ask {
      alone = true,
      en = "The number of instructions that a multiprocessor issues per cycle depends on the device: 4 on compute capability 5.x, 6.1, 7.x, 8.x and 9.0, 2 on 6.0, 8 on 3.x. With {s} a cycle and a latency of {l} cycles, how many independent instructions must be ready at any time?",
      zh = "每周期能发射几条指令取决于设备：计算能力 5.x、6.1、7.x、8.x 和 9.0 是 4 条，6.0 是 2 条，3.x 是 8 条。每周期 {s} 条、延迟 {l} 个周期时，任何时刻都要有多少条互不依赖的指令可以发射？",
      draw = { s = { from = { 2, 4, 8 } }, l = { 4, 24, multiple = 2 } },
      answer = function(d) return d.s * d.l end,
      because = {
        en = "{s} * L, where L is the latency: Little's law for instructions. It is 4 L on most devices, 2 L on 6.0 and 8 L on 3.x. The eight instructions of 3.x are four pairs, and both instructions of a pair come from one warp. There each warp needs two independent instructions at a time. Otherwise half of the issue slots stay empty, no matter how many warps there are.",
        zh = "{s} * L，L 是延迟：这是用于指令的 Little 定律。大多数设备是 4 L，6.0 是 2 L，3.x 是 8 L。3.x 的八条指令是四对，每一对都来自同一个 warp：每个 warp 要同时有两条互不依赖的指令，否则无论有多少 warp，都有一半的发射槽空着。",
      },
    },
    ask {
      alone = true,
      en = "The latency is 4 cycles, there are 4 schedulers, and each warp always has {i} independent instructions. How many warps are needed?",
      zh = "延迟为 4 个周期，有 4 个调度器，每个 warp 总有 {i} 条互不依赖的指令。需要多少个 warp？",
      draw = { i = { from = { 1, 2, 4 } } },
      answer = function(d) return 16 // d.i end,
      because = { en = "16 / {i}. With 1 instruction it takes 16 warps, a quarter of what an H200 can hold. With 4 instructions it takes one warp for each scheduler.", zh = "16 / {i}。每个 warp 只有 1 条时要 16 个 warp，是 H200 所能容纳的四分之一；有 4 条时，每个调度器一个 warp 就够了。" },
    },
    ask {
      en = "There is one warp for each scheduler, every instruction takes 4 cycles, and each thread works on {c} chains at the same time. What share of the issue slots can be used at most? (in %)",
      zh = "每个调度器一个 warp，每条指令 4 个周期，每个线程同时推进 {c} 条链。发射槽最多能用上百分之几？",
      draw = { c = { from = { 1, 2, 3, 4, 8 } } },
      answer = function(d) return math.min(100, 25 * d.c) end,
      unit = "%",
      because = { en = "{c} instructions in 4 cycles, but at most one a cycle. With four chains all issue slots are filled.", zh = "4 个周期里有 {c} 条指令，但每周期最多一条。有四条链时，发射槽已经全部用上。" },
    },
    ask {
      en = "A load takes {l} cycles, there are 4 schedulers, and every warp waits for a load after each {k} instructions. About how many warps does it take to keep the schedulers busy all the time?",
      zh = "读取要 {l} 个周期，有 4 个调度器，每个 warp 每执行 {k} 条指令就要等一次读取。大约要多少个 warp，调度器才能一直有指令可发射？",
      draw = { l = { from = { 320, 480, 640 } }, k = { from = { 8, 16, 32 } } },
      answer = function(d) return 4 * d.l / d.k end,
      tolerance = 0.03,
      because = { en = "While one warp waits, others must fill {l} cycles with {k} instructions each: 4 * {l} / {k}. A multiprocessor holds only 32 to 64 warps. So issue loads early, and several at a time.", zh = "一个 warp 等待时，别的 warp 要填满 {l} 个周期，每个 warp 提供 {k} 条指令：4 * {l} / {k}。而一个多处理器只能容纳 32 到 64 个 warp。所以读取要尽早发出，而且一次发出几个。" },
    },
    ask {
      alone = true,
      en = "Which of these loops can be split into four chains without changing the result?",
      zh = "下面哪个循环可以拆成四条链而不改变结果？",
      choices = {
        { en = "`for (k) h = (h ^ k) * PRIME;`, all on one h", zh = "`for (k) h = (h ^ k) * PRIME;`，都作用在同一个 h 上", because = { en = "Every step needs the complete result of the step before. Only a *different* h could advance meanwhile.", zh = "每一步都需要上一步的完整结果。这期间只能推进*另一个* h。" } },
        { en = "`for (k) at = next[at];`", zh = "`for (k) at = next[at];`", because = { en = "The address of each load is the result of the load before it.", zh = "每次读取的地址就是上一次读取的结果。" } },
        { en = "`for (k) sum += v[k];` with integers", zh = "`for (k) sum += v[k];`，v 是整数", right = true, because = { en = "Integer addition is associative: keep four partial sums, and add them at the end. (With floats the result changes in the last digits, so the compiler does not do this for you.)", zh = "整数加法满足结合律：用四个部分和，最后再相加。（浮点数的末几位会变，所以编译器不会自动这样做。）" } },
      },
    },
    predict {
      en = "The baseline launches one block of 128 threads for each multiprocessor. A multiprocessor of an H200 holds 64 warps, that of a T4 32. What share of these warps is resident? (in %)",
      zh = "基线给每个多处理器启动一个 128 线程的块。一个多处理器在 H200 上能容纳 64 个 warp，在 T4 上能容纳 32 个。驻留的 warp 占能容纳的百分之几？",
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = { en = "4 of 64, or 4 of 32. That is enough if each of the four has enough independent instructions.", zh = "64 个中的 4 个，或 32 个中的 4 个。只要这四个 warp 各有足够的独立指令，就够了。" },
    },
    show {
      en = "This is where the warps of the baseline spend their time. `Wait` means the few cycles until the result of the previous instruction is there:",
      zh = "基线的 warp 把时间花在哪里。“固定延迟”是等前一条指令的结果的那几个周期：",
      picture = "stalls",
      of = "baseline",
    },
    show {
      en = "What if no warp had to wait for a result (row `latency`)? This is the most that more chains or more warps can bring.",
      zh = "如果任何结果都不用等，用时是多少（“延迟”那一行）？这就是增加链数或 warp 数最多能带来的收益。",
      picture = "whatif",
      of = "baseline",
    },
    exercise { en = "Give each thread several independent chains. Do not change the launch.", zh = "启动配置不变，让每个线程有几条互不依赖的链。" },
    show { en = "What the chains cost in registers:", zh = "多条链占用的寄存器：", picture = "occupancy", of = "mine" },
    compare {
      en = "As few warps as before, and as many hash steps. Why are there fewer warp instructions? (Think of the loop.)",
      zh = "warp 和原来一样少，散列的步数也一样。为什么 warp 指令变少了？（想想循环。）",
      counters = { "device_us", "achieved_occupancy_pct", "warp_inst", "registers", "blocks" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Which results of one thread can be computed without waiting for each other?", zh = "一个线程的哪些结果可以互不等待地计算？" },
    { en = "Use an array `h[8]`, and loop over it, fully unrolled, inside the loop over k: each step advances eight keys. Keep the thread's keys `step` apart, as they are now, so that the loads stay coalesced.", zh = "用数组 `h[8]`，在 k 循环里面加一层对这个数组的循环，并完全展开：每一步推进八个 key。一个线程的各个 key 仍然相隔 `step`，读取才是合并的。" },
    { en = "`for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;` with `#pragma unroll` before the inner loop, `i += 8 * step` outside, and a check `i + j * step < n` at every load and store.", zh = "`for (int k = 0; k < rounds; k++) for (int j = 0; j < 8; j++) h[j] = (h[j] ^ k) * PRIME;`，内层循环前加 `#pragma unroll`，外层写 `i += 8 * step`，每次读写都检查 `i + j * step < n`。" },
  },

  after = {
    en = [[
      Thread-level and instruction-level parallelism both provide independent instructions. If registers or shared memory keep the occupancy low, use
      the second: here four warps do what would otherwise need sixteen. Fast matrix products work like this: their tiles of results take most of the
      registers.

      The same holds for loads. With one block of 64 threads for each multiprocessor, an H200 reads 92 GB/s from its memory if each thread has one
      load under way, 162 GB/s with two and 300 GB/s with four (measured).
    ]],
    zh = [[
      线程级并行和指令级并行都能提供互不依赖的指令。如果寄存器或共享内存限制了占用率，就用指令级并行：这里四个 warp 就够了，否则要十六个。
      高性能的矩阵乘法正是这样做的：结果的 tile 占去了大部分寄存器。

      对读取也一样。每个多处理器只有一个 64 线程的块时，如果每个线程有一次读取在途，H200 从显存读取的速度是 92 GB/s；两次时是 162 GB/s，四次时是 300
      GB/s（实测）。
    ]],
  },
  more = {
    en = "Try 1, 2, 3, 4, 8 and 16 chains and note the time. At how many chains does the time stop falling? What is the limiter before and after? Then try more warps instead: EACH = 1 and `4 * processors` blocks (you will miss a goal of `check`; `profile` shows the time).",
    zh = "试试 1、2、3、4、8、16 条链，记下时间。从几条链开始，时间不再下降？前后的瓶颈（limiter）各是什么？再试试增加 warp：只用一条链，启动 `4 * processors` 个块（`check` 会有一个目标达不到；时间用 `profile` 看）。",
  },
}
