-- Chapter 10: grid and block for any device.
return lab {
  id = "configuration",
  title = { en = "Grid and block for any device", zh = "为任意设备选网格和块" },
  chapter = 10,
  minutes = 30,
  needs = { "occupancy" },
  source = "slides V.3; CUDA; practice",
  teaches = {
    ["config-blocks"] = "say goals",
    ["config-half"] = "say goals",
    ["config-warps"] = "say goals traps",
    ["config-768"] = "ask",
    ["config-fifty"] = "say goals",
    ["config-api"] = "predict exercise skeleton",
    ["potential-block-size"] = "after",
    ["occupancy-percent"] = "ask",
    ["config-tail"] = "ask after",
    ["config-experiment"] = "after more",
    ["even-load"] = "after",
  },

  entry = "void configuration(const int *next, int *out, int steps, int n)",
  args = { next = integers(0, "n - 1", "n"), out = output("n") },
  cases = {
    { n = 1003, steps = 5 },
    { n = 1, steps = 3 },
    { n = 300, steps = 0 },
    { n = 1 << 18, steps = 16, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, steps = { 1, 20 } },
  goals = {
    correct { points = 3 },
    at_least("blocks", 2 * baseline) {
      points = 2,
      en = "At least two blocks for each multiprocessor: while one waits at a barrier or ends, another works. The baseline has one.",
      zh = "每个多处理器至少两个块：一个在屏障处等待或收尾时，另一个还在干活。基线只有一个。",
    },
    at_most("threads_per_block", 512) {
      points = 1,
      en = "A block that takes more than half of a multiprocessor leaves no room for a second one. Some devices hold 1024 threads.",
      zh = "一个块占去多处理器一半以上，第二个块就放不下了。有的设备只容纳 1024 个线程。",
    },
    at_least("threads_per_block", 128) {
      points = 1,
      en = "Small blocks run into the limit of block slots before that of threads. And take a multiple of 32.",
      zh = "块太小，线程还没满，块槽就先用完了。另外，要取 32 的倍数。",
    },
    at_least("occupancy_pct", 50) { points = 2 },
    speedup(1.3) {
      points = 1,
      en = "The walk waits for memory at each step. How many warps are there to wait at the same time?",
      zh = "每走一步都要等内存。同时有多少个 warp 在等？",
    },
  },

  steps = {
    say {
      en = [[
        You ship a program; it meets a G80 with 16 multiprocessors, a T4 with 40, an RTX 4090 with 128, an H200 with 132, and what comes after. What do you write between `<<<` and `>>>`?

        The slides give four rules, from the time of the G80. What of them holds today?

        - "More blocks than multiprocessors, better more than *two* for each, and more than 100 for devices to come": two for each holds. 100 does not: an H200 has 132 multiprocessors, and 100 blocks leave 32 of them idle. Ask the
          device for the number.
        - "A block takes at most *half* of a multiprocessor's threads, registers and shared memory": this holds for kernels with barriers, where a second block works while the first one waits.
        - "The threads of a block are a multiple of the warp, at least 128": this holds.
        - "An occupancy of 50% hides most of the latency": this holds where each thread waits for one thing at a time, as in this lab. A thread with many independent instructions needs fewer warps: the product of `matmul-open`
          reaches 85% of cuBLAS's speed at an occupancy of 25%.
      ]],
      zh = [[
        你发布了一个程序，它会遇到 16 个多处理器的 G80、40 个的 T4、128 个的 RTX 4090、132 个的 H200，以及今后的设备。`<<<` 和 `>>>` 之间该写什么？

        CUDA 课程的幻灯片里有四条建议，出自 G80 的时代。今天还剩下什么？

        - “块数多于多处理器数，最好每个多处理器*两块*以上；为了适应将来的设备，总数超过 100”：每个两块仍然成立，100 不再成立：H200 有 132 个多处理器，100 个块会让 32 个空着。这个数要向设备查询。
        - “一个块最多占用多处理器的*一半*：线程、寄存器、共享内存都算”：对有屏障的核函数成立：第一个块等待时，第二个块还能干活。
        - “每块的线程数是线程束（warp）的整数倍，至少 128”：成立。
        - “占用率达到 50%，大部分延迟就能掩盖住”：如果每个线程一次只等一样东西，像本实验这样，它成立。线程手里若有许多互不依赖的指令，需要的 warp 就少：`matmul-open` 的矩阵乘法占用率只有 25%，
          速度却达到 cuBLAS 的 85%。
      ]],
    },
    ask {
      alone = true,
      en = "A G80's multiprocessor holds 768 threads and 8 blocks. How many blocks of {b} threads are resident?",
      zh = "G80 的一个多处理器容纳 768 个线程、8 个块。每块 {b} 个线程时，能驻留几个块？",
      draw = { b = { from = { 96, 128, 192, 256, 384 } } },
      answer = function(d) return math.min(8, 768 // d.b) end,
      because = { en = "768 / {b}, all thread slots used: 2 x 384, 3 x 256, 4 x 192, 6 x 128 and 8 x 96 fill it.", zh = "768 / {b}，线程槽全部用上：2 x 384、3 x 256、4 x 192、6 x 128、8 x 96 都能装满。" },
    },
    ask {
      alone = true,
      en = "And with {b} threads a block: what is the occupancy there, in per cent?",
      zh = "每块 {b} 个线程呢？占用率是百分之几？",
      draw = { b = { from = { 32, 64, 512 } } },
      answer = function(d) return 100 * math.min(8, 768 // d.b) * d.b / 768 end,
      tolerance = 0.01,
      unit = "%",
      because = { en = "Small blocks run out of block slots (8 of {b} threads at most), large ones do not fit twice. A block size that fills a G80 need not fill an H200, which has 2048 threads and 32 blocks.", zh = "块太小，块槽先用完（{b} 个线程的块最多 8 个）；块太大，放不下第二个。能装满 G80 的块大小，未必能装满有 2048 个线程槽、32 个块槽的 H200。" },
    },
    ask {
      en = "{p} multiprocessors hold {r} blocks each. A grid has {b} blocks of equal work, none of which can be divided. In how many *waves* do they run?",
      zh = "{p} 个多处理器，每个驻留 {r} 个块。网格有 {b} 个块，每块工作量相同且不能再分。要跑几*波*？",
      draw = "tail",
      answer = function(d) return ceil_div(d.b, d.p * d.r) end,
      replies = {
        { function(d) return d.b // (d.p * d.r) end, en = "That many full ones. The rest needs a wave, too.", zh = "这是满的波数。剩下的也要占一波。" },
      },
      because = { en = "{p} * {r} blocks at a time; what is left over is a wave of its own.", zh = "一次 {p} * {r} 个块；剩下的单独成一波。" },
    },
    ask {
      en = "What part of the device's time is used, in per cent, with the same {b} blocks on {p} times {r} places?",
      zh = "还是 {b} 个块，{p} 乘 {r} 个位置：设备利用率是百分之几？",
      draw = "tail",
      answer = function(d) return 100 * d.b / (ceil_div(d.b, d.p * d.r) * d.p * d.r) end,
      tolerance = 0.01,
      unit = "%",
      because = { en = "Blocks, over waves times places. This *tail* hurts most when there are few waves: one block more than fits doubles the time. Either have many small blocks, or exactly one wave whose threads loop.", zh = "块数除以（波数乘以位置数）。波数少时，这个*尾波*最伤：比装得下多一个块，时间就翻倍。要么块多而小，要么正好一波，让线程自己循环。" },
    },
    ask {
      alone = true,
      en = "`cudaOccupancyMaxActiveBlocksPerMultiprocessor` answers {k} for blocks of {t} threads, and `maxThreadsPerMultiProcessor` is {m}. What is the occupancy, in per cent?",
      zh = "对 {t} 个线程的块，`cudaOccupancyMaxActiveBlocksPerMultiprocessor` 的结果是 {k}，`maxThreadsPerMultiProcessor` 是 {m}。占用率是百分之几？",
      draw = { k = { 1, 4 }, t = { from = { 128, 192, 256 } }, m = { from = { 1024, 1536, 2048 } } },
      answer = function(d) return 100 * d.k * d.t / d.m end,
      tolerance = 0.01,
      unit = "%",
      replies = {
        { function(d) return d.k * d.t / 32 end, en = "Those are the resident warps. Of how many?", zh = "这是驻留的 warp 数。上限是多少？" },
        { function(d) return 100 * d.t / d.m end, en = "That is one block. {k} of them are resident.", zh = "这只是一个块。驻留的有 {k} 个。" },
      },
      because = { en = "{k} * {t} / 32 warps are resident, of {m} / 32 that fit.", zh = "驻留 {k} * {t} / 32 个 warp，最多放得下 {m} / 32 个。" },
    },
    predict {
      en = "The model answer has blocks of 256 threads, few registers, and as many blocks as are resident at once on the whole device. An H200 has 132 multiprocessors with 2048 thread slots each. How many blocks does it launch there?",
      zh = "参考答案每块 256 个线程，寄存器很少，整个设备能同时驻留多少块就启动多少块。H200 有 132 个多处理器，各有 2048 个线程槽。它在那里启动多少个块？",
      counter = "blocks",
      of = "answer",
      on = "sim:h200",
      because = { en = "132 * 2048 / 256. The number is asked for at run time, by `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.", zh = "132 * 2048 / 256。这个数是运行时用 `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 查到的。" },
    },
    predict {
      en = "The same program on a T4: 40 multiprocessors with 1024 thread slots each.",
      zh = "同一个程序在 T4 上呢？40 个多处理器，各有 1024 个线程槽。",
      counter = "blocks",
      of = "answer",
      on = "sim:t4",
      because = { en = "40 * 1024 / 256, from the same source, without a number of either device in it.", zh = "40 * 1024 / 256。源代码相同，里面没有写任何一种设备的数字。" },
    },
    exercise {
      en = "Write the launch. The kernel loops over places with a stride of the whole grid, so that every grid is right; now make it fit. `check` on another device as well: `device sim:t4`.",
      zh = "写好启动。核函数以整个网格为步长循环，所以任何网格都正确；现在要让它合适。换一种设备再 `check` 一次：`device sim:t4`。",
    },
    show {
      en = "Occupancy around your launch, for other block sizes and registers:",
      zh = "以你的启动为中心，其他块大小和寄存器数的占用率：",
      picture = "calculator",
    },
    compare {
      en = "Beside one block of 96 threads on each multiprocessor. The work is the same; what differs is how many warps wait at once:",
      zh = "与每个多处理器一个 96 线程的块对比。工作量一样，不同的只是同时有多少个 warp 在等：",
      counters = { "blocks", "threads_per_block", "occupancy_pct", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Three numbers are needed: threads of a block, which you choose; blocks a multiprocessor holds, and multiprocessors, which you ask for.",
      zh = "需要三个数：每块的线程数由你选；每个多处理器容纳的块数、多处理器的个数，向设备查询。",
    },
    {
      en = "Take 256 threads: a multiple of 32, at least 128, half of the smallest multiprocessor at most. The grid is the product of the other two.",
      zh = "每块 256 个线程：是 32 的倍数，不少于 128，也不超过最小的多处理器的一半。网格就是另外两个数的乘积。",
    },
    {
      en = "`cudaGetDevice(&device)`, then the two calls of the comment, then `walk<<<processors * blocks, threads>>>(...)`.",
      zh = "先 `cudaGetDevice(&device)`，再用注释里的两个调用，然后 `walk<<<processors * blocks, threads>>>(...)`。",
    },
  },

  after = {
    en = [[
      One wave, all places taken, and the loop over the grid shares the work evenly: no tail. The same launch fits a device that was not built when you wrote it.

      `cudaOccupancyMaxPotentialBlockSize` chooses the block, too, and takes the *largest* of those with the best occupancy, often 1024 threads: fine without barriers, but only two of them are resident,
      and a T4 holds one. Occupancy is a means: once the memory is busy, more warps bring nothing. How much the configuration matters at all depends on the kernel: where time counts, try a few sizes and measure, and take the numbers from
      what the device says (multiprocessors, registers, shared memory), not from your source.
    ]],
    zh = [[
      正好一波，位置全部占满，网格跨步循环又把工作分得均匀：没有尾波。同样的启动，也适合你写代码时还没造出来的设备。

      `cudaOccupancyMaxPotentialBlockSize` 连块大小也替你选，但在占用率最好的大小里取*最大*的，往往是 1024 个线程：没有屏障时没问题，不过这样只驻留两块，在 T4 上只有一块。占用率只是手段：内存一旦忙起来，再多 warp 也没有用。启动配置到底有多大影响，要看核函数：讲究时间的地方，多试几种大小，用测量来定；各种数值要向设备查询（多处理器个数、寄存器、共享内存），不要写死在源码里。
    ]],
  },
  more = {
    en = "Launch one block more than fits: what does `device_us` say, and why does it not double here? Then take a thread a place and no loop: how many waves are that on each device?",
    zh = "比装得下的多启动一个块：`device_us` 怎么变？为什么这里没有翻倍？再改成每个地点一个线程、不用循环：在每种设备上各是几波？",
  },
  draws = { tail = { p = { from = { 16, 40, 132 } }, r = { from = { 2, 4, 8 } }, b = { 300, 3000 } } },
}
