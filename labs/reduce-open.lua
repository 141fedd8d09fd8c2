-- The last step of the reduction: the memory's own speed.
return lab {
  id = "reduce-open",
  title = { en = "Reduction: as fast as the memory", zh = "归约：和内存一样快" },
  chapter = 4,
  minutes = 40,
  needs = { "reduce-7-shuffle" },
  source = "walk-through; guide 5.1, 5.2.3",
  teaches = {
    ["copy-fraction"] = "say goals",
    cub = "after",
    ["littles-law"] = "say ask",
    ["sum-sizes"] = "after",
  },

  entry = "void reduce(const int *in, int *total, int n)",
  args = {
    ["in"] = integers(-100, 100, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 1003 }, { n = 100001 }, { n = 1 << 24, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 3 },
    at_most("global_loads", 0.4 * baseline) {
      points = 3,
      en = "A load of int4 brings four elements with one instruction.",
      zh = "一次 int4 读取，一条指令就能取来四个元素。",
    },
    tiers("copy") {
      bronze = 0.45,
      silver = 0.6,
      gold = 0.8,
      points = 4,
      en = "How many bytes does a multiprocessor have under way? Threads x loads in flight x bytes per load.",
      zh = "一个多处理器同时有多少字节在途？线程数 x 在途读取次数 x 每次的字节数。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        The right measure for a kernel that does one addition per four bytes is the *bandwidth* it reaches, as a fraction of what a plain copy
        reaches on the same device. Nothing else is left to win.

        Memory answers after several hundred cycles. To keep it busy in the meantime, enough bytes must be *under way*: latency times bandwidth. It is
        Little's law, and it does not care whether the bytes come from many threads or from few threads with several loads each.
      ]],
      zh = [[
        对每四个字节只做一次加法的核函数，正确的度量是它达到的*带宽*，占同一设备上普通拷贝所达带宽的几分之几。除此之外，再没有别的优化空间。

        内存要几百个周期之后才有回应。要让它在这段时间里不闲着，就必须有足够多的字节*在途*：延迟乘以带宽。这就是 Little 定律；字节来自许多线程，还是来自少量线程、每个线程几次读取，它并不在乎。
      ]],
    },
    ask {
      alone = true,
      en = "Memory with {b} GB/s (bytes per nanosecond) and a latency of {l} ns: how many bytes must be under way?",
      zh = "内存带宽为 {b} GB/s（即每纳秒多少字节），延迟为 {l} ns：必须有多少字节在途？",
      draw = { b = { from = { 300, 1000, 2000, 4000 } }, l = { 300, 600, multiple = 50 } },
      answer = function(d) return d.b * d.l end,
      replies = {
        { function(d) return d.b / d.l end, en = "Latency *times* bandwidth: what arrives in a nanosecond, for as long as an answer takes.", zh = "是延迟*乘以*带宽：每纳秒到达的字节，乘以一次回应所需的时间。" },
      },
      because = { en = "{b} * {l}: on a large device more than a megabyte.", zh = "{b} * {l}：在大型设备上超过一兆字节。" },
    },
    ask {
      en = "An H200 (132 multiprocessors) needs about 1.6 MB under way. With one load of {b} bytes per thread, how many threads per multiprocessor would that take?",
      zh = "H200（132 个多处理器）大约需要 1.6 MB 在途。如果每个线程只有一次 {b} 字节的读取，每个多处理器要多少个线程？",
      draw = { b = { from = { 4, 8, 16 } } },
      answer = function(d) return 1.6e6 / 132 / d.b end,
      tolerance = 0.05,
      replies = {
        { function(d) return 1.6e6 / d.b end, en = "That is for the whole device, with its 132 multiprocessors.", zh = "这是整个设备的数目，它有 132 个多处理器。" },
        { function() return 1.6e6 / 132 end, en = "Those are bytes. Each thread brings {b} of them.", zh = "这是字节数。每个线程带来 {b} 字节。" },
      },
      because = {
        en = "1.6 million / 132 / {b}; a multiprocessor holds 2048. With 4-byte loads that is not enough. With 16-byte loads, or with several loads per thread, it is.",
        zh = "160 万 / 132 / {b}，而一个多处理器最多容纳 2048 个。4 字节的读取不够用；改用 16 字节的读取，或让每个线程同时发出几次读取，就够了。",
      },
    },
    ask {
      en = "Which of these has the most bytes under way on a multiprocessor?",
      zh = "下面哪一种，一个多处理器上在途的字节最多？",
      choices = {
        { en = "512 threads, each with four 16-byte loads", zh = "512 个线程，每个四次 16 字节的读取", right = true, because = { en = "32 KB: with a quarter of the threads, four times as much as 2048 threads with 4 bytes each.", zh = "32 KB：线程只有 2048 个的四分之一，在途的字节却是每个线程 4 字节时的四倍。" } },
        { en = "2048 threads, each with one 4-byte load", zh = "2048 个线程，每个一次 4 字节的读取", because = { en = "8 KB.", zh = "8 KB。" } },
        { en = "1024 threads, each with one 16-byte load", zh = "1024 个线程，每个一次 16 字节的读取", because = { en = "16 KB.", zh = "16 KB。" } },
      },
    },
    predict {
      en = "At n = 2^24 the baseline makes one request for every 32 elements: 524,288. How many does a version with int4 loads make?",
      zh = "n = 2^24 时，基线每 32 个元素发一个请求，共 524,288 个。改用 int4 读取后有多少个？",
      counter = "gld_requests",
      of = "answer",
      tolerance = 0.05,
      replies = {
        { 524288, en = "An int4 load brings four ints for each lane.", zh = "一次 int4 读取给每个 lane 带来四个 int。" },
      },
      because = { en = "A quarter, and 16 sectors in each.", zh = "四分之一，每个请求 16 个扇区。" },
    },
    exercise {
      en = "Reach the memory's speed. Any n must stay right: the last n % 4 elements have no int4 of their own.",
      zh = "达到内存的速度。任意 n 都必须正确：最后 n % 4 个元素凑不成一个 int4。",
    },
    show { en = "What limits the resident blocks, and with them the loads under way:", zh = "是什么限制了驻留的块，从而限制了在途的读取：", picture = "occupancy", of = "mine" },
    compare {
      en = "Beside the model answer.",
      zh = "与参考答案对比。",
      counters = { "gld_requests", "gld_sectors_per_request", "warp_inst", "blocks", "registers", "launches" },
      beside = "answer",
    },
  },

  hints = {
    { goal = "tiers", en = "For the bandwidth: count the bytes that one multiprocessor has under way in your version, and compare them with what it needs.", zh = "针对带宽：数一数你的版本里一个多处理器有多少字节在途，再和所需的比较。" },
    { goal = "global_loads", en = "For the requests: treat the array as int4. Then load four of them into an array before adding any; eight blocks per multiprocessor. Device memory from the lab is aligned to 256 bytes.",
      zh = "针对请求数：把数组当作 int4。然后先把四个读进一个小数组再开始相加；每个多处理器八个块。实验给出的设备内存按 256 字节对齐。" },
    { goal = "tiers", en = "To get rid of the memset, let each block leave its sum in a `__device__` array and count with `atomicInc(&finished, gridDim.x - 1)`: the last one adds them up. `__threadfence()` before the count.",
      zh = "要去掉 memset，可以让每个块把和留在一个 `__device__` 数组里，再用 `atomicInc(&finished, gridDim.x - 1)` 计数：最后一个块负责全部加起来。计数之前要有 `__threadfence()`。" },
  },

  after = {
    en = [[
      From 0.42 to 3.6 TB/s on an H200. This answer sums 64 million ints there in 74.2 us; CUB's library routine, measured in the same run, takes 74.8, and reading the array without any
      addition 73.5 (all from a cold L2).
    ]],
    zh = [[
      在 H200 上，从 0.42 TB/s 到 3.6 TB/s，这一系列优化到此为止。这份答案对六千四百万个 int 求和用 74.2 微秒；在同一次运行中测得的 CUB 库函数是 74.8 微秒，只读不加是 73.5 微秒（都是 L2 冷态）。
    ]],
  },
  more = {
    en = "Vary two numbers: loads under way per thread (1, 2, 4, 8) and blocks per multiprocessor (1, 2, 4, 8), and note the fraction that `check` reports. Which products reach gold? Is it the number of bytes under way that decides, or one of the two factors?",
    zh = "改变两个数：每个线程在途的读取次数（1、2、4、8）和每个多处理器的块数（1、2、4、8），记下 `check` 报告的比例。哪些组合能达到金级？起决定作用的是在途的字节总数，还是其中某一个因子？",
  },
}
