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
      en = "Too much of what a block loads is halo. Let each block compute more outputs.",
      zh = "一个块读入的数据里，重叠区占得太多：让每个块算更多输出。",
    },
    at_most("shared_loads", 0.3 * baseline) {
      points = 2,
      en = "Every output is still summed up from scratch. Two neighbouring windows differ in only two elements. Which outputs must one thread compute to make use of that?",
      zh = "每个输出仍然从头求和。相邻的两个窗口只差两个元素。要利用这一点，一个线程应当算哪几个输出？",
    },
    at_most("shared_ld_conflicts_per_request", 0.5) {
      points = 1,
      en = "Thread t starts at word t * EACH of the tile. In how many different banks do the 32 threads of a warp start?",
      zh = "线程 t 从 tile 的第 t * EACH 个字开始读。32 个线程从几个不同的存储体开始？",
    },
    speedup(1.8) {
      points = 2,
      none = 1,
      en = "Are there too many instructions, or too few blocks? Compare the number of blocks with the number of multiprocessors, and see whether the stores still coalesce.",
      zh = "是指令太多，还是块太少？比较块数与多处理器的个数，再看写入是否仍是合并的。",
    },
  },

  steps = {
    say {
      en = [[
        Every output is the sum of a window of 129 elements: its own, and 64 on either side. One thread for each output is simple, but it repeats
        work. A block of 128 outputs loads 128 + 2 * 64 elements, and its neighbour does the same: the *halo* between them is loaded by both. Inside
        the block, thread t adds 129 elements, and thread t + 1 adds 128 of these again.

        A multiprocessor can execute only a limited number of instructions per cycle: its *instruction bandwidth*. Loads and branches count as well as
        additions, and repeated work uses part of it.
      ]],
      zh = [[
        每个输出是一个窗口里 129 个元素的和：本身的元素，加上左右各 64 个。一个线程算一个输出，写法简单，但有重复的工作：
        算 128 个输出的块要读入 128 + 2 * 64 个元素，相邻的块也一样，两个块之间的*重叠区*（halo）两边都要读。在块内，
        线程 t 把 129 个元素相加，线程 t + 1 又把其中的 128 个加了一遍。

        一个多处理器每周期能执行的指令有限，这叫*指令带宽*。读取、跳转和加法都计算在内，重复的工作也要占用指令带宽。
      ]],
    },
    ask {
      en = "A block makes {o} outputs with a radius of 64. What share of the elements that it loads is halo? (in %)",
      zh = "一个块算 {o} 个输出，半径为 64。读入的元素中，百分之几是重叠区？",
      draw = { o = { from = { 128, 256, 512, 896, 1024 } } },
      answer = function(d) return 100 * 128 / (d.o + 128) end,
      tolerance = 0.02,
      unit = "%",
      because = { en = "128 halo elements of {o} + 128: 128 / ({o} + 128).", zh = "{o} + 128 个元素中有 128 个是重叠区：128 / ({o} + 128)。" },
    },
    ask {
      en = "A thread makes {e} neighbouring outputs. For the first it adds 129 elements. It gets each further output from the one before: it adds the element that comes in and subtracts the one that goes out. Compare this with {e} threads that make one output each. By what factor do the {e} threads together read more elements from the tile?",
      zh = "一个线程算 {e} 个相邻的输出。第一个输出把 129 个元素相加；其余每个由前一个得出：加上新进入窗口的元素，减去离开窗口的元素。如果换成 {e} 个线程各算一个输出，从 tile 里读的元素总数是前者的几倍？",
      draw = { e = { from = { 3, 5, 7, 9, 15 } } },
      answer = function(d) return 129 * d.e / (129 + 2 * (d.e - 1)) end,
      tolerance = 0.02,
      because = { en = "{e} threads read 129 * {e} elements, the one thread reads 129 + 2 * ({e} - 1).", zh = "{e} 个线程读 129 * {e} 个元素，一个线程读 129 + 2 * ({e} - 1) 个。" },
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
      because = { en = "As many as the greatest common divisor of {e} and 32. With an odd number of outputs per thread there are no conflicts.", zh = "遍数等于 {e} 与 32 的最大公约数。每个线程算奇数个输出，就没有存储体冲突。" },
    },
    ask {
      en = "132 multiprocessors, n = {n} outputs, {o} outputs per block. How many multiprocessors get no block at all?",
      zh = "132 个多处理器，n = {n} 个输出，每块 {o} 个输出。有多少个多处理器一个块也分不到？",
      draw = { n = { from = { 32768, 65536 } }, o = { from = { 128, 640, 896, 1920 } } },
      answer = function(d) return math.max(0, 132 - ceil_div(d.n, d.o)) end,
      because = { en = "There are {n} / {o} blocks, rounded up. You have to choose: fewer loads and additions, or fewer idle multiprocessors.", zh = "共 {n} / {o} 个块，向上取整。读取和加法更少，还是闲置的多处理器更少，需要取舍。" },
    },
    ask {
      alone = true,
      en = "In the tiled matrix product you can merge four neighbouring blocks into one. It loads its tile of the left matrix once for all four. When does that pay on an H200?",
      zh = "在分块矩阵乘法里，可以把相邻的四个块合并成一个，左矩阵的 tile 只读一次，供四个块的工作共用。在 H200 上什么时候划算？",
      choices = {
        { en = "Always: it loads less", zh = "总是划算：读得更少" },
        { en = "Only for large matrices, 2048 wide or more", zh = "只在矩阵很大时，宽度 2048 以上", right = true },
        { en = "Only for small matrices, which fit into the caches", zh = "只在矩阵很小、缓存放得下时" },
      },
      because = {
        en = "At 512 x 512, 64 of 256 blocks are left for 132 multiprocessors: 37.5 us become 87.2 us. At 2048 x 2048, 1024 blocks are left: 1849 us become 1828 us (measured, cold).",
        zh = "512 x 512 时有 256 个块，合并后剩 64 个，要分给 132 个多处理器：用时从 37.5 微秒变成 87.2 微秒。2048 x 2048 时还有 1024 个块：从 1849 微秒变成 1828 微秒（冷缓存实测）。",
      },
    },
    predict {
      en = "For n = 65,536 the baseline makes about 4096 load requests from global memory: it loads every element twice. How many are left if each of 128 threads makes 7 outputs?",
      zh = "n = 65,536 时，基线约有 4096 个全局读取请求：每个元素读两遍。如果 128 个线程每个算 7 个输出，还剩多少个？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 1 << 16 },
      tolerance = 0.03,
      because = { en = "A block loads 1024 elements for 896 outputs, in 32 requests: 74 blocks * 32 requests = 2368. 28 of them, nearly all in the last block, are missing, because all of their lanes lie outside the array.", zh = "一个块为 896 个输出读 1024 个元素，即 32 个请求：74 块 * 32 个请求 = 2368。其中 28 个请求的所有 lane 都在数组之外，要减去；这些请求几乎都在最后一块。" },
    },
    exercise { en = "Let each thread make several outputs that overlap as much as possible. Avoid bank conflicts, and keep enough blocks for the device.", zh = "让每个线程算几个尽量重叠的输出，避免存储体冲突，并保证块数足够占满设备。" },
    show { en = "Your accesses to shared memory, line by line:", zh = "逐行看你对共享内存的访问：", picture = "banks", of = "mine" },
    show { en = "What the larger tile costs:", zh = "tile 变大的代价：", picture = "occupancy", of = "mine" },
    compare {
      en = "Fewer loads, fewer instructions, fewer blocks.",
      zh = "读取少了，指令少了，块也少了。",
      counters = { "gld_requests", "shared_ld_requests", "shared_ld_conflicts", "warp_inst", "gst_sectors", "blocks", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "To reduce the halo, a block must make more outputs; any will do. To save additions, the outputs of one thread must overlap as much as possible.", zh = "要减少重叠区，一个块要算更多输出，算哪些都可以。要减少加法，同一个线程的几个输出应当尽量重叠。" },
    { en = "Thread t makes the outputs t * EACH to t * EACH + EACH - 1: `sum[0]` in a loop, then `sum[j] = sum[j - 1] + tile[...] - tile[...]`, unrolled. To avoid bank conflicts, choose an odd EACH.", zh = "线程 t 算第 t * EACH 到 t * EACH + EACH - 1 个输出：`sum[0]` 用循环求，然后 `sum[j] = sum[j - 1] + tile[...] - tile[...]`，循环展开。为了避开存储体冲突，EACH 取奇数。" },
    { en = "`int at = threadIdx.x * EACH;`, `sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`, EACH = 7. To keep the stores coalesced: barrier, `tile[at + j] = sum[j]`, barrier, then thread t stores words t, t + BLOCK, t + 2 * BLOCK ... of the tile.", zh = "`int at = threadIdx.x * EACH;`，`sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`，EACH = 7。要让写操作保持合并：屏障，`tile[at + j] = sum[j]`，屏障，然后线程 t 写出 tile 的第 t、t + BLOCK、t + 2 * BLOCK……个字。" },
  },

  after = {
    en = [[
      Merging saved three things: loads of the halo, instructions for addresses and checks, and above all the additions that neighbouring outputs
      share. It cost three things: registers, a larger tile, and parallelism.

      No granularity is right everywhere. Launch enough blocks to give every multiprocessor a few, but not more. A T4 with 40 multiprocessors needs
      larger blocks than an H200 with 132, and a short array needs smaller blocks than a long one.

      If you only merge blocks and still sum up each output from scratch, you save only loads, and loads do not limit this kernel. For half a million
      outputs an H200 took 12.5 us with one output per thread and 13.2 us with eight (measured, cold).
    ]],
    zh = [[
      合并工作省下三样东西：重叠区的读取，计算地址和做判断的指令，尤其是相邻输出共有的加法。代价也有三样：寄存器、更大的 tile、并行度。

      没有处处都合适的粒度：块数要让每个多处理器都分到几个，但不必更多。T4 只有 40 个多处理器，块应当比有 132 个多处理器的 H200 上更大；数组短时，
      块应当比数组长时更小。

      如果只合并块，每个输出仍从头求和，省下的就只有读取，而读取并不是这里的瓶颈：在 H200 上算五十万个输出，每个线程算一个用 12.5 微秒，算八个用 13.2
      微秒（冷缓存实测）。
    ]],
  },
  more = {
    en = "Try EACH = 1, 3, 5, 7, 8, 9, 15 and 33, on `sim:h200` and on `sim:t4`, and note shared_ld_requests, shared_ld_conflicts, blocks and the time. Which of these numbers explains the time, and in which range of EACH?",
    zh = "在 `sim:h200` 和 `sim:t4` 上试试 EACH = 1、3、5、7、8、9、15、33，记下 shared_ld_requests、shared_ld_conflicts、blocks 和时间。EACH 在哪个范围内，时间由哪个数字决定？",
  },
}
