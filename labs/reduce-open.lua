-- The top of the ladder: the memory's own speed.
return lab {
  id = "reduce-open",
  title = { en = "Reduction: as fast as the memory", zh = "归约：和内存一样快" },
  chapter = 4,
  minutes = 40,
  needs = { "reduce-7-shuffle" },
  source = "walk-through; guide 5.2.3",
  teaches = {
    ["copy-fraction"] = "say goals",
    cub = "after",
    ["littles-law"] = "say ask",
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
    counter("gld_requests", "<=", 0.4) {
      points = 3,
      relative = true,
      en = "A load of int4 brings four elements with one instruction.",
      zh = "一次 int4 读取，一条指令就能取来四个元素。",
    },
    fraction("copy", 0.45) {
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
        对每四个字节只做一次加法的核函数，正确的度量是它达到的*带宽*，占同一设备上普通拷贝所达带宽的几分之几。除此之外没有什么可争的了。

        内存要几百个周期之后才有回应。要让它在这段时间里不闲着，就必须有足够多的字节*在途*：延迟乘以带宽。这就是 Little 定律；字节来自许多线程，还是来自少量线程、每个线程几次读取，它并不在乎。
      ]],
    },
    ask {
      en = "Memory with {b} GB/s (bytes per nanosecond) and a latency of {l} ns: how many bytes must be under way?",
      zh = "内存带宽为 {b} GB/s（即每纳秒多少字节），延迟为 {l} ns：必须有多少字节在途？",
      draw = { b = { from = { 300, 1000, 2000, 4000 } }, l = { 300, 600, multiple = 50 } },
      answer = function(d) return d.b * d.l end,
      because = { en = "{b} * {l}: on a large device more than a megabyte.", zh = "{b} * {l}：在大型设备上超过一兆字节。" },
    },
    ask {
      en = "An H200 (132 multiprocessors) needs about 1.6 MB under way. With one 4-byte load per thread, how many threads per multiprocessor would that take?",
      zh = "H200（132 个多处理器）大约需要 1.6 MB 在途。如果每个线程只有一次 4 字节的读取，每个多处理器要多少个线程？",
      answer = 3030,
      tolerance = 0.05,
      because = {
        en = "1.6 million / 132 / 4 = 3030, but a multiprocessor holds 2048. With 16-byte loads, or with several loads per thread, it is within reach.",
        zh = "160 万 / 132 / 4 = 3030，而一个多处理器最多容纳 2048 个。改用 16 字节的读取，或让每个线程同时发出几次读取，就够得着了。",
      },
    },
    predict {
      en = "At n = 2^24 the baseline makes one request for every 32 elements: 524,288. How many does a version with int4 loads make?",
      zh = "n = 2^24 时，基线每 32 个元素发一个请求，共 524,288 个。改用 int4 读取后有多少个？",
      counter = "gld_requests",
      of = "answer",
      tolerance = 0.05,
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
      with = "answer",
    },
  },

  hints = {
    { en = "Count the bytes that one multiprocessor has under way in your version, and compare them with what it needs.", zh = "数一数你的版本里一个多处理器有多少字节在途，再和所需的比较。" },
    { en = "Treat the array as int4 and load four of them into an array before adding any; eight blocks per multiprocessor. Device memory from the lab is aligned to 256 bytes.",
      zh = "把数组当作 int4，先把四个读进一个小数组再开始相加；每个多处理器八个块。实验给出的设备内存按 256 字节对齐。" },
    { en = "To get rid of the memset, let each block leave its sum in a `__device__` array and count with `atomicInc(&finished, gridDim.x - 1)`: the last one adds them up. `__threadfence()` before the count.",
      zh = "要去掉 memset，可以让每个块把和留在一个 `__device__` 数组里，再用 `atomicInc(&finished, gridDim.x - 1)` 计数：最后一个块负责全部加起来。计数之前要有 `__threadfence()`。" },
  },

  after = {
    en = [[
      From 0.42 to 3.66 TB/s on an H200: the ladder is climbed. This answer sums 64 million ints in 73.3 us there, from a cold L2; CUB's library routine,
      measured in the same run, takes 73.9 us, and reading the array without any addition 72.7 us.
    ]],
    zh = [[
      在 H200 上从 0.42 TB/s 到 3.66 TB/s：梯子爬到顶了。L2 里没有数据时，这份答案对六千四百万个 int 求和用 73.3 us；在同一次运行中测得的 CUB 库函数是 73.9 us，只读不加是 72.7 us。
    ]],
  },
  more = {
    en = "Make it a sum of floats. Is the result the same each time? In which order are the additions made, and who decides it?",
    zh = "改成对 float 求和。每次的结果都一样吗？加法的顺序是怎样的，由谁决定？",
  },
}
