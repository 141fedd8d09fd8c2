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
      en = "A load of an int4 reads four elements with one instruction.",
      zh = "读一个 int4，一条指令就读入四个元素。",
    },
    tiers("copy") {
      bronze = 0.45,
      silver = 0.6,
      gold = 0.8,
      points = 4,
      en = "How many bytes does a multiprocessor have under way? Threads x loads under way per thread x bytes per load.",
      zh = "一个多处理器有多少字节在途？线程数 x 每个线程在途的读取次数 x 每次读取的字节数。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        A kernel that does one addition per four bytes is limited by memory. So its measure is the *bandwidth* it reaches, as a fraction of what a plain copy
        reaches on the same device.

        Memory answers after several hundred cycles. To keep it busy until then, enough bytes must be *under way*: latency times bandwidth. This is
        Little's law. It makes no difference whether many threads have one load each under way, or few threads have several.
      ]],
      zh = [[
        每四个字节只做一次加法的核函数，瓶颈是内存。所以标准是：它的*带宽*是同一设备上普通拷贝的几分之几。

        内存要几百个周期之后才有回应。要让内存在这段时间里保持忙碌，就必须有足够多的字节*在途*：延迟乘以带宽。这就是 Little 定律。许多线程各有一次读取在途，或者少量线程各有几次读取在途，效果是一样的。
      ]],
    },
    ask {
      alone = true,
      en = "Memory with {b} GB/s (bytes per nanosecond) has a latency of {l} ns. How many bytes must be under way?",
      zh = "内存带宽为 {b} GB/s（即每纳秒 {b} 字节），延迟为 {l} ns。必须有多少字节在途？",
      draw = { b = { from = { 300, 1000, 2000, 4000 } }, l = { 300, 600, multiple = 50 } },
      answer = function(d) return d.b * d.l end,
      replies = {
        { function(d) return d.b / d.l end, en = "It is latency *times* bandwidth: the bytes that arrive per nanosecond, times the nanoseconds until an answer arrives.", zh = "应当是延迟*乘以*带宽：每纳秒到达的字节数，乘以等待回应的纳秒数。" },
      },
      because = { en = "{b} * {l}. On a large device this is more than a megabyte.", zh = "{b} * {l}。在大型设备上，这个数超过 1 MB。" },
    },
    ask {
      en = "An H200 (132 multiprocessors) needs about 1.6 MB under way. With one load of {b} bytes per thread, how many threads per multiprocessor does that take?",
      zh = "H200（132 个多处理器）大约需要 1.6 MB 在途。如果每个线程只有一次 {b} 字节的读取，每个多处理器要多少个线程？",
      draw = { b = { from = { 4, 8, 16 } } },
      answer = function(d) return 1.6e6 / 132 / d.b end,
      tolerance = 0.05,
      replies = {
        { function(d) return 1.6e6 / d.b end, en = "This is the number for the whole device, with its 132 multiprocessors.", zh = "这是整个设备的线程数，而设备有 132 个多处理器。" },
        { function() return 1.6e6 / 132 end, en = "This is the number of bytes. Each thread has {b} bytes under way.", zh = "这是字节数。每个线程有 {b} 字节在途。" },
      },
      because = {
        en = "1.6 million / 132 / {b}. A multiprocessor holds 2048 threads. With 4-byte loads that is not enough. With 16-byte loads, or with several loads per thread, it is.",
        zh = "160 万 / 132 / {b}。一个多处理器最多容纳 2048 个线程。每个线程只有一次 4 字节的读取时，线程数不够；改用 16 字节的读取，或让每个线程同时发出几次读取，就够了。",
      },
    },
    ask {
      en = "Which of these has the most bytes under way on a multiprocessor?",
      zh = "下面哪一种，一个多处理器上在途的字节最多？",
      choices = {
        { en = "512 threads, each with four 16-byte loads", zh = "512 个线程，每个四次 16 字节的读取", right = true, because = { en = "32 KB: with a quarter of the threads, four times as many bytes as 2048 threads with 4 bytes each.", zh = "32 KB：线程数只有 2048 的四分之一，在途的字节却是 2048 个线程各 4 字节时的四倍。" } },
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
        { 524288, en = "An int4 load reads four ints for each lane.", zh = "一次 int4 读取给每个 lane 读入四个 int。" },
      },
      because = { en = "A quarter as many requests, with 16 sectors each.", zh = "请求数是四分之一，每个请求 16 个扇区。" },
    },
    exercise {
      en = "Sum as fast as the memory can deliver. The result must be right for any n: the last n % 4 elements do not fill an int4.",
      zh = "求和的速度要接近内存带宽的上限。任意 n 的结果都必须正确：最后 n % 4 个元素不足一个 int4。",
    },
    show { en = "What limits the number of resident blocks, and so the loads under way:", zh = "什么限制了驻留的块数，从而限制了在途的读取：", picture = "occupancy", of = "mine" },
    compare {
      en = "Your version beside the model answer.",
      zh = "你的版本与参考答案的对比。",
      counters = { "gld_requests", "gld_sectors_per_request", "warp_inst", "blocks", "registers", "launches" },
      beside = "answer",
    },
  },

  hints = {
    { goal = "tiers", en = "For the bandwidth: count the bytes that one multiprocessor has under way in your version, and compare that with what it needs.", zh = "针对带宽：算一算你的版本里一个多处理器有多少字节在途，再与所需的字节数比较。" },
    { goal = "global_loads", en = "For the requests: read the array as int4. Load four int4 into a small array before you add any; use eight blocks per multiprocessor. The lab's device memory is aligned to 256 bytes.",
      zh = "针对请求数：把数组当作 int4 来读。先把四个 int4 读进一个小数组，再开始相加；每个多处理器用八个块。实验给出的设备内存按 256 字节对齐。" },
    { goal = "tiers", en = "To avoid the memset, let each block store its sum in a `__device__` array, call `__threadfence()`, and count itself with `atomicInc(&finished, gridDim.x - 1)`. The last block to arrive adds up the sums.",
      zh = "要去掉 memset，可以让每个块把和写到一个 `__device__` 数组里，调用 `__threadfence()`，再用 `atomicInc(&finished, gridDim.x - 1)` 计数。最后到达的块把所有的和加起来。" },
  },

  after = {
    en = [[
      On an H200 the series went from 0.42 TB/s to 3.6 TB/s. The model answer sums 64 million ints there in 74.2 us. In the same run, the routine of the CUB
      library takes 74.8 us, and reading the array without adding takes 73.5 us (all measured, cold L2).
    ]],
    zh = [[
      在 H200 上，这一系列优化把带宽从 0.42 TB/s 提高到 3.6 TB/s。参考答案对 6400 万个 int 求和用 74.2 微秒；在同一次运行中，CUB 库函数用 74.8 微秒，只读不加用 73.5 微秒（都是实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Vary two numbers: loads under way per thread (1, 2, 4, 8) and blocks per multiprocessor (1, 2, 4, 8), and note the fraction that `check` reports. Which combinations reach gold? What decides: the number of bytes under way, or one of the two factors?",
    zh = "改变两个数：每个线程在途的读取次数（1、2、4、8）和每个多处理器的块数（1、2、4、8），记下 `check` 报告的比例。哪些组合能达到金级？起决定作用的是在途的字节总数，还是其中一个因子？",
  },
}
