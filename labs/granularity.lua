-- Chapter 5: how much work a thread and a block should have.
return lab {
  id = "granularity",
  title = { en = "Merging neighbours", zh = "合并相邻的工作" },
  chapter = 5,
  minutes = 40,
  needs = { "occupancy", "reduce-2-banks", "matmul-coarse" },
  source = "book 5.5, 6.3",
  teaches = {
    ["instruction-bandwidth"] = "say ask goals",
    ["redundant-loads"] = "say ask predict",
    ["granularity-limit"] = "ask traps after",
  },

  entry = "void granularity(const int *x, int *y, int n)",
  args = { x = integers(-100, 100, "n"), y = output("n") },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 2500 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.75 * baseline) {
      points = 1,
      en = "Too much of what a block loads is halo: let it make more outputs.",
      zh = "一个块读入的数据里，重叠区占得太多：让它算更多输出。",
    },
    at_most("shared_loads", 0.3 * baseline) {
      points = 2,
      en = "Every output is still summed up from scratch. Two neighbouring windows differ by two elements: which outputs must one thread make to profit from it?",
      zh = "每个输出仍在从头求和。相邻的两个窗口只差两个元素：要利用这一点，一个线程应当算哪几个输出？",
    },
    at_most("shared_ld_conflicts_per_request", 0.5) {
      points = 1,
      en = "Thread t starts at word t * EACH of the tile. In how many different banks do 32 threads start?",
      zh = "线程 t 从 tile 的第 t * EACH 个字开始读。32 个线程从几个不同的存储体开始？",
    },
    speedup(1.8) {
      points = 2,
      none = 1,
      en = "Fewer instructions, or too few blocks? See how many blocks are launched for how many multiprocessors, and whether the stores still coalesce.",
      zh = "是指令还太多，还是块太少？看看启动了多少个块、有多少个多处理器，以及写操作是否还是合并的。",
    },
  },

  steps = {
    say {
      en = [[
        One thread for each output is simple, and it does work twice. Every output needs 64 elements on either side. A block of 128 outputs therefore loads 128 + 2 * 64 elements, and so does its neighbour: the *halo* between
        them is loaded by both. And inside the block thread t adds 129 elements, thread t + 1 all of these but one.

        A multiprocessor can execute only so many instructions per cycle, loads and branches as well as additions. Whatever is done twice takes its share of that *instruction bandwidth*.
      ]],
      zh = [[
        一个线程算一个输出，简单，但有重复劳动。每个输出都需要左右各 64 个元素，所以算 128 个输出的块要读入 128 + 2 * 64 个元素，相邻的块也一样：它们之间的*重叠区*（halo）两边都要读。
        在块内，线程 t 加了 129 个元素，线程 t + 1 又把其中的 128 个加了一遍。

        一个多处理器每周期能执行的指令有限，读取、跳转和加法都算在内。凡是做两遍的事，都在占用这份*指令带宽*。
      ]],
    },
    ask {
      en = "A block makes {o} outputs with a radius of 64. Which share of what it loads is halo? (in %)",
      zh = "一个块算 {o} 个输出，半径为 64。读入的数据中百分之几是重叠区？",
      draw = { o = { from = { 128, 256, 512, 896, 1024 } } },
      answer = function(d) return 100 * 128 / (d.o + 128) end,
      tolerance = 0.02,
      unit = "%",
      because = { en = "128 / ({o} + 128).", zh = "128 / ({o} + 128)。" },
    },
    ask {
      en = "A thread makes {e} neighbouring outputs: the first by adding 129 elements, each of the others from the one before it, by adding the element that comes in and taking off the one that goes out. By what factor do {e} threads with one output each read more from the tile?",
      zh = "一个线程算 {e} 个相邻的输出：第一个把 129 个元素相加，其余每个由前一个得出：加上新进来的元素，减去出去的元素。如果换成 {e} 个线程各算一个输出，从 tile 里读的元素总数是它的几倍？",
      draw = { e = { from = { 3, 5, 7, 9, 15 } } },
      answer = function(d) return 129 * d.e / (129 + 2 * (d.e - 1)) end,
      tolerance = 0.02,
      because = { en = "129 * {e} against 129 + 2 * ({e} - 1).", zh = "129 * {e} 比 129 + 2 * ({e} - 1)。" },
    },
    ask {
      en = "Thread t begins to read at word t * {e} of the tile. How many passes over the 32 banks does the first load of a warp take?",
      zh = "线程 t 从 tile 的第 t * {e} 个字开始读。一个线程束（warp）的第一次读取要在 32 个存储体上走几遍？",
      draw = { e = { from = { 4, 6, 7, 8, 9, 12, 16, 33 } } },
      answer = function(d)
        local passes = 1
        while passes < 32 and d.e % (2 * passes) == 0 do passes = 2 * passes end
        return passes
      end,
      because = { en = "The greatest common divisor of {e} and 32. Every odd number of outputs is free of conflicts.", zh = "{e} 与 32 的最大公约数。每个线程算奇数个输出，就没有冲突。" },
    },
    ask {
      en = "132 multiprocessors, n = {n} outputs, {o} outputs per block. How many multiprocessors get no block at all?",
      zh = "132 个多处理器，n = {n} 个输出，每块 {o} 个输出。有多少个多处理器一个块也分不到？",
      draw = { n = { from = { 32768, 65536 } }, o = { from = { 128, 640, 896, 1920 } } },
      answer = function(d) return math.max(0, 132 - ceil_div(d.n, d.o)) end,
      because = { en = "{n} / {o} blocks, rounded up. Fewer loads and additions, or fewer idle multiprocessors: that is the trade.", zh = "{n} / {o} 个块，向上取整。是少读少加一些，还是少闲几个多处理器：这就是取舍。" },
    },
    ask {
      alone = true,
      en = "In the tiled matrix product, four neighbouring blocks can be merged into one that loads its tile of the left matrix once for all four. When does that pay on an H200?",
      zh = "在分块矩阵乘法里，可以把相邻的四个块合并成一个，左矩阵的 tile 只读一次、四份共用。在 H200 上什么时候划算？",
      choices = {
        { en = "Always: it loads less", zh = "总是划算：读得更少" },
        { en = "Only for large matrices, 2048 wide or more", zh = "只在矩阵很大时，宽度 2048 以上", right = true },
        { en = "Only for small matrices, which fit into the caches", zh = "只在矩阵很小、缓存放得下时" },
      },
      because = {
        en = "At 512 x 512 a quarter of 256 blocks is 64, for 132 multiprocessors: 37.5 us become 87.2. At 2048 x 2048 there are 1024 blocks left: 1849 us become 1828 (measured, cold L2).",
        zh = "512 x 512 时有 256 个块，合并后剩 64 个，要分给 132 个多处理器：37.5 微秒变成 87.2 微秒。2048 x 2048 时还有 1024 个块：1849 微秒变成 1828 微秒（实测，L2 冷态）。",
      },
    },
    predict {
      en = "For n = 65,536 the baseline makes some 4096 load requests from global memory: every element twice. How many are left if each of 128 threads makes 7 outputs?",
      zh = "n = 65,536 时，基线约有 4096 个全局读取请求：每个元素读两遍。如果 128 个线程每个算 7 个输出，还剩多少个？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 1 << 16 },
      tolerance = 0.03,
      because = { en = "1024 elements for 896 outputs: 74 blocks * 32 requests = 2368, less those at the ends whose lanes all lie outside of the array.", zh = "896 个输出读 1024 个元素：74 块 * 32 个请求 = 2368，再减去两端所有 lane 都在数组之外的那些。" },
    },
    exercise { en = "Let each thread make several outputs that have much in common, without bank conflicts and with enough blocks for the device.", zh = "让每个线程算几个有大量公共部分的输出，不要有存储体冲突，块数也要够设备用。" },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    show { en = "What the larger tile costs:", zh = "tile 变大的代价：", picture = "occupancy", of = "mine" },
    compare {
      en = "Fewer loads, fewer instructions, fewer blocks.",
      zh = "读取少了，指令少了，块也少了。",
      counters = { "gld_requests", "shared_ld_requests", "shared_ld_conflicts", "warp_inst", "gst_sectors", "blocks", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "For the halo, a block must make more outputs, whichever. For the additions it matters which: those of one thread should overlap as much as they can.", zh = "要减少重叠区，一个块得算更多输出，算哪些都行。要减少加法，就得看是哪些：同一个线程的几个输出应当尽量重叠。" },
    { en = "Thread t makes the outputs t * EACH to t * EACH + EACH - 1: `sum[0]` by a loop, then `sum[j] = sum[j - 1] + tile[...] - tile[...]`, unrolled. For the banks, choose EACH odd.", zh = "线程 t 算第 t * EACH 到 t * EACH + EACH - 1 个输出：`sum[0]` 用循环求，然后 `sum[j] = sum[j - 1] + tile[...] - tile[...]`，循环展开。为了避开存储体冲突，EACH 取奇数。" },
    { en = "`int at = threadIdx.x * EACH;`, `sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`, EACH = 7. To keep the stores coalesced: barrier, `tile[at + j] = sum[j]`, barrier, then thread t stores words t, t + BLOCK, t + 2 * BLOCK ... of the tile.", zh = "`int at = threadIdx.x * EACH;`，`sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`，EACH = 7。要让写操作保持合并：屏障，`tile[at + j] = sum[j]`，屏障，然后线程 t 写出 tile 的第 t、t + BLOCK、t + 2 * BLOCK……个字。" },
  },

  after = {
    en = [[
      Merging saved three things: loads of the halo, instructions for its addresses and checks, and above all the additions that neighbours have in common. It took three: registers, a larger tile, and parallelism. There is no granularity that is right
      everywhere: enough blocks that every multiprocessor has a few, and no more. A T4 with 40 multiprocessors wants larger ones than an H200 with 132, and a short array smaller ones than a long array.

      Merging alone, with each output summed up from scratch, saves only loads, and here it is not the loads that take the time: for half a million outputs an H200 took 12.5 us with one per thread and 13.2 with eight (measured, cold L2).
    ]],
    zh = [[
      合并省下三样东西：重叠区的读取，算地址和做判断的指令，尤其是相邻输出共有的那些加法。代价也有三样：寄存器、更大的 tile、并行度。没有处处都合适的粒度：块数要够每个多处理器分到几个，但不必更多。
      40 个多处理器的 T4 要比 132 个的 H200 用更大的块，短数组要比长数组用更小的块。

      如果只合并块，每个输出仍从头求和，省下的只有读取，而这里花时间的不是读取：在 H200 上算五十万个输出，每个线程算一个用 12.5 微秒，算八个用 13.2 微秒（实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Try EACH = 1, 3, 5, 7, 8, 9, 15 and 33, on `sim:h200` and on `sim:t4`, and note shared_ld_requests, shared_ld_conflicts, blocks and the time. Which of them explains the time in which range?",
    zh = "在 `sim:h200` 和 `sim:t4` 上试试 EACH = 1、3、5、7、8、9、15、33，记下 shared_ld_requests、shared_ld_conflicts、blocks 和时间。在哪一段，时间由哪一个来解释？",
  },
}
