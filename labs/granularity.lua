-- Chapter 5: how much work a block should have.
return lab {
  id = "granularity",
  title = { en = "Merging neighbours", zh = "合并相邻的块" },
  chapter = 5,
  minutes = 20,
  needs = { "occupancy", "matmul-coarse" },
  source = "book 5.5, 6.3",
  teaches = {
    ["instruction-bandwidth"] = "after",
    ["redundant-loads"] = "say ask predict",
  },

  entry = "void granularity(const int *x, int *y, int n)",
  args = { x = integers(-100, 100, "n"), y = output("n") },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 2500 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 5 },
    counter("gld_requests", "<=", 0.74) {
      points = 5,
      relative = true,
      en = "Too much of what a block loads is halo: let it make more outputs.",
      zh = "一个块读入的数据里，边缘占得太多：让它算更多输出。",
    },
  },

  steps = {
    say {
      en = [[
        Every output needs 64 elements on either side. A block of 128 outputs therefore loads 128 + 2 * 64 elements, and so does its neighbour: the *halo* between them is
        loaded by both. Small blocks pay that price often.
      ]],
      zh = [[
        每个输出都需要左右各 64 个元素。所以算 128 个输出的块要读入 128 + 2 * 64 个元素，相邻的块也一样：它们之间的*边缘*（halo）两边都要读。块越小，这个代价付得越频繁。
      ]],
    },
    ask {
      en = "A block makes {o} outputs with a radius of 64. Which share of what it loads is halo? (in %)",
      zh = "一个块算 {o} 个输出，半径为 64。读入的数据中百分之几是边缘？",
      draw = { o = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return 100 * 128 / (d.o + 128) end,
      tolerance = 0.02,
      unit = "%",
      because = { en = "128 / ({o} + 128).", zh = "128 / ({o} + 128)。" },
    },
    ask {
      en = "n = 65,536 outputs, 132 multiprocessors. With how many outputs per block does every multiprocessor still get a block? (the largest power of two)",
      zh = "n = 65,536 个输出，132 个多处理器。每块最多多少个输出，仍能让每个多处理器都分到一个块？（取 2 的幂）",
      answer = 256,
      because = { en = "65,536 / 256 = 256 blocks; with 512 outputs it is 128, and 4 multiprocessors go without. Fewer loads or fewer idle multiprocessors: that is the trade.", zh = "65,536 / 256 = 256 块；若每块 512 个输出，只有 128 块，4 个多处理器没活干。是少读一些，还是少闲几个多处理器：这就是取舍。" },
    },
    predict {
      en = "For n = 65,536 the baseline loads every element twice: some 4096 requests. How many are left with 8 times as many outputs per block?",
      zh = "n = 65,536 时，基线把每个元素读两遍，约 4096 个读取请求。每块输出增加到 8 倍后，还剩多少个？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 1 << 16 },
      tolerance = 0.03,
      because = { en = "1152 elements for 1024 outputs: 64 blocks * 36 requests = 2304, less the 4 at the ends whose lanes all lie outside of the array.", zh = "1024 个输出读 1152 个元素：64 块 * 36 个请求 = 2304，再减去两端所有 lane 都在数组之外的 4 个。" },
    },
    exercise { en = "Let a block make more outputs.", zh = "让一个块算更多输出。" },
    show { en = "What the larger tile costs:", zh = "更大的小块的代价：", picture = "occupancy", of = "mine" },
    compare {
      en = "Fewer loads, fewer blocks.",
      zh = "读取少了，块也少了。",
      counters = { "gld_requests", "l2_sectors", "blocks", "shared_bytes", "achieved_occupancy_pct", "device_us" },
      with = "baseline",
    },
  },

  hints = {
    { en = "The halo's size is fixed. What is not?", zh = "边缘的大小是固定的。什么不是？" },
    { en = "One constant decides how many outputs a thread makes: the loops are written for any.", zh = "有一个常数决定每个线程算几个输出：循环对任何值都适用。" },
    { en = "`EACH = 8`.", zh = "把它改成 `EACH = 8`。" },
  },

  after = {
    en = "Merging blocks saves loads, and the instructions around them: the halo's addresses and checks, and the barrier, are paid once for 1024 outputs instead of once for 128. Time is another matter: at n = 2^19 an H200 takes 12.8 us with eight outputs per thread and 12.2 with one, because most of the time goes into the sums. The right granularity depends on the device: enough blocks to give every multiprocessor a few, and no more. On a T4 with 40 multiprocessors this kernel wants larger blocks than on an H200 with 132.",
    zh = "合并块既省读取，也省读取周围的指令：边缘的地址和判断以及屏障，原来每 128 个输出付一次，现在 1024 个输出才付一次。时间是另一回事：n = 2^19 时，H200 上每个线程算八个输出用 12.8 us，算一个用 12.2 us，因为大部分时间花在求和上。合适的粒度取决于设备：块数要够每个多处理器分到几个，但不必更多。在 40 个多处理器的 T4 上，这个核函数需要比在 132 个的 H200 上更大的块。",
  },
  more = {
    en = "A running sum makes the window cheap: y[i + 1] = y[i] + x[i + 65] - x[i - 64]. How would you split that among threads?",
    zh = "滑动求和可以让窗口变得很便宜：y[i + 1] = y[i] + x[i + 65] - x[i - 64]。你会怎样把它分给各线程？",
  },
}
