-- Chapter 5: independent instructions hide latency.
return lab {
  id = "ilp",
  title = { en = "Independent instructions", zh = "互不依赖的指令" },
  chapter = 5,
  minutes = 25,
  needs = { "occupancy" },
  source = "guide 5.2.3",
  teaches = {
    ["latency-4"] = "say ask",
    ["four-l"] = "ask",
  },

  entry = "void ilp(const float *x, const float *coeff, float *y, int n)",
  args = {
    x = uniform(-1, 1, "n"),
    coeff = uniform(-1, 1, "64"),
    y = output("n", { ops = 128 }),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    counter("gld_requests", "<=", 0.4) {
      points = 3,
      relative = true,
      en = "A coefficient should be loaded once for several polynomials of the thread.",
      zh = "一个系数读一次，应当供本线程的几个多项式使用。",
    },
    counter("warp_inst", "<=", 0.85) {
      points = 3,
      relative = true,
      en = "The chains run one after the other: their steps should stand side by side in one loop.",
      zh = "几条链是一条接一条执行的：它们的各步应当在同一个循环里并排。",
    },
  },

  steps = {
    say {
      en = [[
        The result of a multiply-add is ready about 4 cycles after it was issued. A multiprocessor has 4 schedulers, and each issues one warp instruction per cycle. So in order to
        never wait, every scheduler needs 4 instructions to choose from that do not depend on each other, in all 16. They may come from 16 warps. Or from fewer warps that have several
        each.
      ]],
      zh = [[
        一次乘加的结果要在发射约 4 个周期之后才能用。一个多处理器有 4 个调度器，每个每周期发射一条 warp 指令。所以要想永不等待，每个调度器手头要有 4 条互不依赖的指令可选，
        一共 16 条。它们可以来自 16 个 warp，也可以来自更少的、但各有几条的 warp。
      ]],
    },
    ask {
      en = "Latency {l} cycles, 4 schedulers: how many independent warp instructions keep the multiprocessor busy?",
      zh = "延迟 {l} 个周期，4 个调度器：需要多少条互不依赖的 warp 指令才能让多处理器一直忙着？",
      draw = { l = { 4, 24, multiple = 2 } },
      answer = function(d) return 4 * d.l end,
      because = { en = "4 * L: Little's law for instructions.", zh = "4 * L：指令版的 Little 定律。" },
    },
    ask {
      en = "L is 4, and each warp always has {i} independent instructions. How many warps are needed?",
      zh = "L 为 4，每个 warp 手头总有 {i} 条互不依赖的指令。需要多少个 warp？",
      draw = { i = { from = { 1, 2, 4 } } },
      answer = function(d) return 16 // d.i end,
      because = { en = "16 / {i}. With 1: 16 warps, a quarter of what an H200 can hold.", zh = "16 / {i}。只有 1 条时要 16 个 warp，是 H200 所能容纳的四分之一。" },
    },
    ask {
      en = "A load takes {l} cycles, there are 4 schedulers, and every warp waits for a load after each 8 instructions. About how many warps would it take to never stand still?",
      zh = "读取要 {l} 个周期，有 4 个调度器，每个 warp 每执行 8 条指令就要等一次读取：大约要多少个 warp，调度器才能永不停顿？",
      draw = { l = { from = { 320, 480, 640 } } },
      answer = function(d) return 4 * d.l / 8 end,
      tolerance = 0.03,
      because = { en = "While one waits, others must fill {l} cycles with 8 instructions each: 4 * {l} / 8, more than fit. That is why loads want to be issued early and several at a time.", zh = "一个在等的时候，别的 warp 要以每个 8 条指令填满 {l} 个周期：4 * {l} / 8，放不下那么多。所以读取要尽早发出，而且一次几个。" },
    },
    predict {
      en = "Each polynomial step loads a coefficient, the same for all threads. How many global load requests does the baseline make for n = 256 (8 warps: one for x, 64 for coefficients each)?",
      zh = "多项式的每一步都要读一个系数，所有线程读的相同。n = 256 时（8 个 warp，每个读 x 一次、读系数 64 次），基线有多少个全局读取请求？",
      counter = "gld_requests",
      of = "baseline",
      case = { n = 256 },
      tolerance = 0.02,
      because = { en = "8 * 65 = 520. Four chains per thread need the same 64 coefficients: a quarter of the loads.", zh = "8 * 65 = 520。每个线程四条链用的是同样的 64 个系数：读取降到四分之一。" },
    },
    exercise { en = "Give each thread several independent chains.", zh = "让每个线程有几条互不依赖的链。" },
    show { en = "The price in registers:", zh = "寄存器上的代价：", picture = "occupancy", of = "mine" },
    compare {
      en = "More per thread, fewer threads.",
      zh = "每个线程做得更多，线程更少。",
      counters = { "warp_inst", "gld_requests", "registers", "blocks", "achieved_occupancy_pct", "device_us" },
      with = "baseline",
    },
  },

  hints = {
    { en = "Which results of one thread could be computed without waiting for each other?", zh = "一个线程的哪些结果可以互不等待地计算？" },
    { en = "Arrays `v[4]` and `sum[4]` with fully unrolled loops over them, inside the loop over k.", zh = "用数组 `v[4]` 和 `sum[4]`，对它们的循环完全展开，放在 k 循环里面。" },
    { en = "`float a = coeff[k]; for (int j = 0; j < 4; j++) sum[j] = sum[j] * v[j] + a;` Thread t of a block takes the elements t, t + 64, t + 128, t + 192 of 256.", zh = "`float a = coeff[k]; for (int j = 0; j < 4; j++) sum[j] = sum[j] * v[j] + a;`。块里的线程 t 处理 256 个元素中的第 t、t + 64、t + 128、t + 192 个。" },
  },

  after = {
    en = "*Instruction-level parallelism* and *thread-level parallelism* are two sources of the same thing: independent instructions. When registers or shared memory keep occupancy low, take them from the first. It also shares work: here, the loads of the coefficients.",
    zh = "*指令级并行*和*线程级并行*是同一样东西的两个来源：互不依赖的指令。当寄存器或共享内存让占用率上不去时，就从前者取。它还能分摊工作：这里分摊的是系数的读取。",
  },
  more = {
    en = "Try 1, 2, 4, 8 and 16 chains. Where does the time stop falling, and which resource says so?",
    zh = "试试 1、2、4、8、16 条链。时间从哪里开始不再下降？是哪种资源在限制？",
  },
}
