-- Chapter 5: what limits resident blocks.
return lab {
  id = "occupancy",
  title = { en = "Filling the multiprocessor", zh = "把多处理器装满" },
  chapter = 5,
  minutes = 35,
  needs = { "divergence", "dram-parallel" },
  source = "book 5.4; guide 5.2.3",
  teaches = {
    ["occupancy-limits"] = "say show",
    ["slots-1536"] = "ask",
    ["slots-8-blocks"] = "ask",
    ["register-cliff"] = "ask",
    ["registers-64-65"] = "ask",
    ["occupancy-api"] = "after",
    ["launch-bounds"] = "ask",
  },

  entry = "void occupancy(const int *next, int *out, int hops, int n)",
  args = {
    next = integers(0, "n - 1", "n"),
    out = output("n"),
  },
  cases = { { n = 256, hops = 3 }, { n = 1, hops = 1 }, { n = 1003, hops = 5 }, { n = 1 << 18, hops = 8, timed = true } },
  hidden = { count = 3, n = { 2, 5000 }, hops = { 1, 9 } },
  goals = {
    correct { points = 4 },
    counter("occupancy_pct", ">=", 70) {
      points = 4,
      en = "`show occupancy` names the resource that runs out first. Is it the block slots, or the shared memory?",
      zh = "`show occupancy` 会指出最先用完的资源。是块的名额，还是共享内存？",
    },
    counter("shared_bytes", "<=", 8192) {
      points = 2,
      en = "How much of its shared memory does a block really use?",
      zh = "一个块真正用到了多少共享内存？",
    },
  },

  steps = {
    say {
      en = [[
        A multiprocessor hides waiting by switching to another warp. How many warps it can hold depends on four resources, and the first to run out
        decides: *block slots*, *thread slots*, *registers* and *shared memory*. Resident warps against the possible maximum is called *occupancy*.
      ]],
      zh = [[
        多处理器靠切换到别的 warp 来掩盖等待。它能容纳多少个 warp 取决于四种资源，最先用完的那种说了算：*块的名额*、*线程的名额*、*寄存器*和*共享内存*。
        驻留的 warp 数与上限之比叫做*占用率*（occupancy）。
      ]],
    },
    ask {
      en = "A multiprocessor has 1536 thread slots and plenty of everything else. How many blocks of {b} threads does it hold?",
      zh = "一个多处理器有 1536 个线程名额，其他资源充足。它能容纳几个 {b} 线程的块？",
      draw = { b = { from = { 256, 512, 768 } } },
      answer = function(d) return 1536 // d.b end,
      because = { en = "1536 / {b}, rounded down.", zh = "1536 / {b}，向下取整。" },
    },
    ask {
      en = "The same multiprocessor has 8 block slots. With blocks of 128 threads, how many *threads* are resident?",
      zh = "还是这个多处理器，只有 8 个块的名额。用 128 线程的块，有多少个*线程*驻留？",
      answer = 1024,
      because = { en = "12 blocks would fill the thread slots, but only 8 may be there: 8 * 128.", zh = "12 个块才能占满线程名额，但最多只能有 8 个：8 * 128。" },
    },
    ask {
      en = "16,384 registers, blocks of 256 threads. At 10 registers per thread 6 blocks fit. How many fit at {r}?",
      zh = "16,384 个寄存器，每块 256 个线程。每个线程 10 个寄存器时能放 6 块。每个线程 {r} 个时能放几块？",
      draw = { r = { from = { 11, 12, 16, 17 } } },
      answer = function(d) return 16384 // (256 * d.r) end,
      because = {
        en = "16384 / (256 * {r}), rounded down. From 10 to 11 a whole block goes: one sixth of the parallelism, for one register. Such a step is called a cliff.",
        zh = "16384 / (256 * {r})，向下取整。从 10 到 11 就少了整整一块：为一个寄存器丢掉六分之一的并行度。这种现象叫做悬崖。",
      },
    },
    ask {
      en = "Today's multiprocessors have 65,536 registers. Blocks of 512 threads with 64 registers each: two blocks. How many with 65? (Registers are handed out to warps in units of 256: 65 count as 72.)",
      zh = "现在的多处理器有 65,536 个寄存器。512 线程的块、每个线程 64 个寄存器，能放两块。65 个时能放几块？（寄存器以 256 个为单位分给 warp：65 按 72 算。）",
      answer = 1,
      because = { en = "2 * 512 * 72 = 73,728: too many. `__launch_bounds__(512, 2)` tells the compiler to stay within 64.", zh = "2 * 512 * 72 = 73,728，超了。`__launch_bounds__(512, 2)` 可以让编译器把寄存器控制在 64 个以内。" },
    },
    show { en = "The baseline: blocks of one warp with 24 KB of shared memory.", zh = "基线：每块一个 warp，占 24 KB 共享内存。", picture = "occupancy", of = "baseline" },
    predict {
      en = "A block of 256 threads with 1 KB of shared memory and few registers: what occupancy will it have? (in %)",
      zh = "256 线程的块，1 KB 共享内存，寄存器很少：占用率会是百分之几？",
      counter = "occupancy_pct",
      of = "answer",
      tolerance = 0.02,
      because = { en = "Thread slots are the limit, and 256 divides them: 100%.", zh = "限制来自线程名额，而 256 恰好能整除它：100%。" },
    },
    exercise {
      en = "Choose block size and shared memory so that occupancy is no longer the problem.",
      zh = "选择块的大小和共享内存，让占用率不再是问题。",
    },
    show { en = "Yours:", zh = "你的：", picture = "occupancy", of = "mine" },
    compare {
      en = "The same loads, with more company while they wait.",
      zh = "同样的读取，等待时有了更多同伴。",
      counters = { "occupancy_pct", "achieved_occupancy_pct", "shared_bytes", "registers", "threads_per_block", "device_us" },
      with = "baseline",
    },
  },

  hints = {
    { en = "Two numbers at the top of the file.", zh = "就是文件开头的两个数。" },
    { en = "A block of 32 threads uses 32 words of the 6144 it takes. And with one warp per block, the block slots run out long before the thread slots.",
      zh = "32 线程的块占了 6144 个字，只用 32 个。而且每块只有一个 warp 时，块的名额早就用完了，线程名额还空着。" },
    { en = "`const int BLOCK = 256;` and `const int SCRATCH = BLOCK;`", zh = "`const int BLOCK = 256;` 和 `const int SCRATCH = BLOCK;`" },
  },

  after = {
    en = [[
      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` computes this for a given kernel, and `cudaOccupancyMaxPotentialBlockSize` suggests a block size. Measured on an H200, a copy kernel
      whose blocks of 64 threads take 1, 16 or 47 KB of shared memory needs 180, 354 and 853 us.

      Occupancy is a means, not an end: it has to be high *enough* for the latency that is there to hide. `ilp` and `matmul-open` do without.
    ]],
    zh = [[
      `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 可以对给定的核函数做这种计算，`cudaOccupancyMaxPotentialBlockSize` 会建议块的大小。在 H200 上实测：一个拷贝核函数，64 线程的块分别占
      1、16、47 KB 共享内存时，用时为 180、354、853 us。

      占用率是手段，不是目的：只要*足以*掩盖现有的延迟就行。`ilp` 和 `matmul-open` 就不靠它。
    ]],
  },
  more = {
    en = "Switch to `device sim:t4` and `device sim:g80`: which resource runs out first there, for the baseline and for yours?",
    zh = "切换到 `device sim:t4` 和 `device sim:g80`：在那里，基线和你的版本各是哪种资源先用完？",
  },
}
