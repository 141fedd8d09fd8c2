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
    ["in"] = integers(-10000, 10000, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 1003 }, { n = 100001 }, { n = 1 << 24, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 2 },
    at_most("global_loads", 0.4 * baseline) {
      points = 4,
      en = "An int4 load reads four elements with one instruction.",
      zh = "读一个 int4，一条指令就读入四个元素。",
    },
    tiers("copy") {
      bronze = 0.45,
      silver = 0.6,
      gold = 0.8,
      points = 4,
      en = [[
        How many bytes does a multiprocessor have under way? Multiply its threads by the loads under
        way per thread and the bytes per load.
      ]],
      zh = [[
        一个多处理器有多少字节在途？把这个多处理器的线程数、每个线程在途的读取次数、每次读取的字节数
        相乘。
      ]],
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        This is the last lab of the series: `reduce` again computes the sum of all elements. For a
        kernel with only one addition for every four bytes, memory should be the limiter. So this
        lab measures the *bandwidth* that your kernel reaches, as a fraction of what a plain copy
        reaches on the same device. You will bring this fraction as close to 1 as you can.

        Memory answers a load only after several hundred cycles. This time is called the *latency*.
        Until the answer comes, the bytes of the load are *under way*. To keep the memory busy all
        the time, enough bytes must be under way: latency times bandwidth. This is *Little's law*.
        Many threads with one load each have the same effect as few threads with several loads each.
      ]],
      zh = [[
        这是这个系列的最后一个实验，`reduce` 仍然求全部元素的总和。每四个字节只做一次加法的核函数，
        瓶颈理应是内存。所以本实验看两个*带宽*之比：你的核函数达到的带宽，
        与同一设备上普通拷贝达到的带宽。你要让这个比值尽量接近 1。

        一次读取发出后，内存要几百个周期才有回应，这段时间叫作*延迟*。在此期间，
        这次读取的字节处于*在途*状态。要让内存一直忙碌，就必须有足够多的字节在途：延迟乘以带宽。
        这就是 *Little 定律*。许多线程各有一次读取在途，与少量线程各有几次读取在途，效果是一样的。
      ]],
    },
    ask {
      alone = true,
      en = [[
        Memory with {b} GB/s (bytes per nanosecond) has a latency of {l} ns. How many bytes must be
        under way?
      ]],
      zh = "内存带宽为 {b} GB/s（即每纳秒 {b} 字节），延迟为 {l} ns。必须有多少字节在途？",
      draw = { b = { from = { 300, 1000, 2000, 4000 } }, l = { 300, 600, multiple = 50 } },
      answer = function(d) return d.b * d.l end,
      replies = {
        {
          function(d) return d.b / d.l end,
          en = [[
            Do not divide. The memory delivers {b} bytes per nanosecond, and an answer takes {l} ns.
            The bytes of all these nanoseconds must be under way.
          ]],
          zh = [[
            不是相除。内存每纳秒送出 {b} 字节，而一次回应要等 {l} ns，
            这段时间里送出的字节都必须在途。
          ]],
        },
      },
      because = {
        en = "{b} * {l}. On a large device, this is more than a megabyte.",
        zh = "{b} * {l}。在大型设备上，这个数超过 1 MB。",
      },
    },
    ask {
      en = [[
        An H200 has 132 multiprocessors and needs about 1.6 MB under way. With one load of {b} bytes
        per thread, how many threads does each multiprocessor need?
      ]],
      zh = [[
        H200 有 132 个多处理器，大约需要 1.6 MB 在途。如果每个线程只有一次 {b} 字节的读取，
        每个多处理器要多少个线程？
      ]],
      draw = { b = { from = { 4, 8, 16 } } },
      answer = function(d) return 1.6e6 / 132 / d.b end,
      tolerance = 0.05,
      replies = {
        {
          function(d) return 1.6e6 / d.b end,
          en = "This is the number of threads for the whole device. It has 132 multiprocessors.",
          zh = "这是整个设备的线程数，而设备有 132 个多处理器。",
        },
        {
          function() return 1.6e6 / 132 end,
          en = [[
            This is the number of bytes per multiprocessor. Each thread has {b} bytes under way.
          ]],
          zh = "这是每个多处理器在途的字节数。每个线程有 {b} 字节在途。",
        },
      },
      because = {
        en = [[
          1.6 million / 132 / {b}. A multiprocessor holds 2048 threads. With one 4-byte load per
          thread, 2048 threads are not enough. With 16-byte loads, or with several loads per thread,
          they are.
        ]],
        zh = [[
          160 万 / 132 / {b}。一个多处理器最多容纳 2048 个线程。
          如果每个线程只有一次 4 字节的读取，2048 个线程不够；改用 16 字节的读取，
          或让每个线程同时发出几次读取，就够了。
        ]],
      },
    },
    ask {
      en = "Which of these has the most bytes under way on a multiprocessor?",
      zh = "下面哪一种，一个多处理器上在途的字节最多？",
      choices = {
        {
          en = "512 threads, each with four 16-byte loads",
          zh = "512 个线程，每个四次 16 字节的读取",
          right = true,
          because = {
            en = [[
              512 * 4 * 16 bytes are 32 KB. One 4-byte load in each of 2048 threads makes only 8 KB.
              So with a quarter of the threads, four times as many bytes are under way.
            ]],
            zh = [[
              512 * 4 * 16 字节，即 32 KB。线程数只有 2048 的四分之一，
              在途的字节却是 2048 个线程各 4 字节时的四倍。
            ]],
          },
        },
        {
          en = "2048 threads, each with one 4-byte load",
          zh = "2048 个线程，每个一次 4 字节的读取",
          because = { en = "2048 * 4 bytes are 8 KB.", zh = "2048 * 4 字节，即 8 KB。" },
        },
        {
          en = "1024 threads, each with one 16-byte load",
          zh = "1024 个线程，每个一次 16 字节的读取",
          because = { en = "1024 * 16 bytes are 16 KB.", zh = "1024 * 16 字节，即 16 KB。" },
        },
      },
    },
    predict {
      en = [[
        At n = 2^24, the baseline makes one load request for every 32 elements, 524,288 in total.
        How many requests does a version with int4 loads make?
      ]],
      zh = [[
        n = 2^24 时，基线每 32 个元素发一个读取请求，共 524,288 个。改用 int4 读取后有多少个请求？
      ]],
      counter = "gld_requests",
      of = "answer",
      tolerance = 0.05,
      replies = {
        {
          524288,
          en = "An int4 load reads four ints for each lane.",
          zh = "一次 int4 读取给每个 lane 读入四个 int。",
        },
      },
      because = {
        en = [[
          Each request now reads four times as many elements, and takes 16 sectors. So a quarter of
          the requests is enough.
        ]],
        zh = "每个请求现在读入四倍的元素，要 16 个扇区，所以请求数是四分之一。",
      },
    },
    exercise {
      en = [[
        Sum as fast as the memory can deliver. The result must be right for any n. (The last n % 4
        elements do not fill an int4.)
      ]],
      zh = [[
        求和的速度要接近内存带宽的上限。对任意的 n，结果都必须正确。
        （最后 n % 4 个元素不足一个 int4。）
      ]],
    },
    show {
      en = [[
        The picture shows what limits the number of resident blocks. Fewer resident blocks also mean
        fewer loads under way.
      ]],
      zh = "下图说明驻留的块数受什么限制。驻留的块少，在途的读取也就少。",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = "Your version beside the model answer.",
      zh = "你的版本与参考答案的对比。",
      counters = { "gld_requests", "gld_sectors_per_request", "warp_inst", "blocks", "registers", "launches" },
      beside = "answer",
    },
  },

  hints = {
    {
      goal = "tiers",
      en = [[
        For the bandwidth: count the bytes that one multiprocessor has under way in your version.
        Compare them with the bytes that the multiprocessor needs.
      ]],
      zh = "针对带宽：算一算在你的版本里，一个多处理器有多少字节在途，再与所需的字节数比较。",
    },
    {
      goal = "global_loads",
      en = [[
        For the requests: read the array as int4. Load four int4 into a small array before you add
        any of them. Launch eight blocks per multiprocessor. (The input of this lab is aligned to
        256 bytes, so int4 loads are allowed.)
      ]],
      zh = [[
        针对请求数：把数组当作 int4 来读。先把四个 int4 读进一个小数组，再开始相加。
        每个多处理器启动八个块。（实验给出的数组按 256 字节对齐，所以可以用 int4 读取。）
      ]],
    },
    {
      goal = "tiers",
      en = [[
        `cudaMemsetAsync` sets the total to 0, and this takes time, too. To do without this call,
        let each block store its sum in a `__device__` array, call `__threadfence()`, and count
        itself with `atomicInc(&finished, gridDim.x - 1)`. The block that arrives last adds all
        sums. (`__threadfence()` guarantees that a block that sees the new count also sees the sum.)
      ]],
      zh = [[
        `cudaMemsetAsync` 把总和清零，这也要花时间。要省去这次调用，
        可以让每个块把本块的部分和写到一个 `__device__` 数组里，调用 `__threadfence()`，
        再用 `atomicInc(&finished, gridDim.x - 1)` 计数。最后到达的块把所有的部分和加起来。
        （`__threadfence()` 保证：别的块看到新的计数时，一定也能看到这个部分和。）
      ]],
    },
  },

  after = {
    en = [[
      On an H200, the kernels of this series went from 0.42 TB/s to 3.6 TB/s. The model answer of
      this lab sums 64 million (2^26) ints there in 74.4 us. In the same run, the sum of the CUB
      library takes 75.2 us. A kernel that reads the array without adding takes 73.5 us. (All were
      measured with a cold L2: at the start, none of the ints are in this cache.)
    ]],
    zh = [[
      在 H200 上，这一系列优化把带宽从 0.42 TB/s 提高到 3.6 TB/s。本实验的参考答案对 6400 万（2^26）
      个 int 求和用 74.4 微秒。在同一次运行中，CUB 库的求和用 75.2 微秒，
      只读数组而不相加用 73.5 微秒。（都是 L2 冷态下的实测，即开始时，输入的数都不在 L2 缓存里。）
    ]],
  },
  more = {
    en = [[
      Vary two numbers: the loads under way per thread (1, 2, 4, 8) and the blocks per
      multiprocessor (1, 2, 4, 8). Note the fraction that `check` reports. Which combinations reach
      gold, the highest tier of the goal for speed? What decides: the number of bytes under way, or one of the two numbers?
    ]],
    zh = [[
      改变两个数：每个线程在途的读取次数（1、2、4、8）和每个多处理器的块数（1、2、4、8），
      记下 `check` 报告的比例。哪些组合能达到金级（速度目标的最高一级）？起决定作用的是在途的字节总数，
      还是这两个数中的一个？
    ]],
  },
}
