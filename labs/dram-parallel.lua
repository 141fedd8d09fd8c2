-- Chapter 3: bursts, banks, channels, and loads under way.
return lab {
  id = "dram-parallel",
  title = { en = "Keeping the memory busy", zh = "让内存忙起来" },
  chapter = 3,
  minutes = 35,
  needs = { "coalescing" },
  source = "book 5.1, 5.2, 6.2",
  teaches = {
    cells = "say",
    burst = "say",
    ["banks-ratio"] = "say ask",
    ["more-banks"] = "ask",
    ["one-bank"] = "ask",
    interleaving = "say ask",
    ["ddr-bandwidth"] = "ask",
    ["littles-law"] = "hints after",
    ["grid-stride"] = "skeleton",
    ["channels-4x4"] = "ask",
    ["channels-8x8"] = "ask",
    ["one-channel"] = "ask",
    ["channels-one-eight"] = "say",
    ["tile-loads"] = "say",
  },

  entry = "void scale(const float *x, float *y, float a, int n)",
  args = {
    x = uniform(-1, 1, "n"),
    y = output("n", { ops = 1 }),
    a = scalar("3"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 22, timed = true } },
  hidden = { count = 3, n = { 2, 100000 } },
  goals = {
    correct { points = 3 },
    at_most("global_loads", 0.35 * baseline) {
      points = 3,
      en = "With float4, each lane has 16 bytes under way per load instead of 4.",
      zh = "用 float4 读取，每个 lane 在途 16 字节，而不是 4 字节。",
    },
    speedup(1.5) {
      points = 4,
      en = "Bytes under way = blocks x threads x loads under way x bytes per load. Which of the four factors can you still raise?",
      zh = "在途字节数 = 块数 x 线程数 x 在途读取次数 x 每次字节数。四个因子中，哪个还能提高？",
    },
  },

  steps = {
    say {
      en = [[
        A DRAM cell is a tiny capacitor that has to change the voltage of a long wire, so reading it takes tens of nanoseconds. A cycle of the
        processor takes half a nanosecond. This latency does not improve: each generation packs more cells onto a chip, so the capacitors get smaller.

        Memory is fast only because it works in parallel, on three levels. A *burst* reads many neighbouring cells at once. Several *banks* share one
        bus and take turns: one senses its cells while another sends. Several *channels*, each with its own bus, work side by side; in the textbook a
        processor has one to eight.
      ]],
      zh = [[
        一个 DRAM 单元是一个微小的电容，却要改变一根长导线的电压，所以读出一个单元要几十纳秒，而处理器的一个时钟周期只有半纳秒。这个延迟不会随着工艺进步而缩短：每一代都要在芯片上放下更多单元，电容只会越来越小。

        内存之所以快，全靠在三个层次上并行：一次*突发传输*（burst）同时读出许多相邻单元；几个*存储体*（bank）共用一条总线，轮流工作，
        一个在读出时另一个在传送；若干*通道*（channel）各有自己的总线，同时工作，教科书里一个处理器有一到八个通道。
      ]],
    },
    ask {
      alone = true,
      en = "A bus is {w} bits wide and transfers twice per cycle (DDR) at {c} GHz. How many GB/s is that?",
      zh = "一条总线宽 {w} 位，双倍数据速率（DDR，每周期传两次），频率 {c} GHz。带宽是多少 GB/s？",
      draw = { w = { from = { 64, 128, 256 } }, c = { from = { 1, 1.5, 2 } } },
      answer = function(d) return d.w / 8 * 2 * d.c end,
      replies = { { function(d) return d.w / 8 * d.c end, en = "DDR transfers twice in each cycle.", zh = "DDR 每个周期传两次。" } },
      because = {
        en = "{w} / 8 bytes * 2 * {c}. A channel in the textbook has 64 bits at 1 GHz: 16 GB/s. A processor that needs 32 GB/s takes two of them, a GPU that needs 128 GB/s takes eight.",
        zh = "{w} / 8 字节 * 2 * {c}。教科书里的一个通道是 64 位、1 GHz，即 16 GB/s。需要 32 GB/s 的 CPU 要用两个这样的通道，需要 128 GB/s 的 GPU 要用八个。",
      },
    },
    say {
      en = [[
        Suppose that sensing takes three times as long as sending a burst. This is the bus over time: `-` is idle, a letter is a burst of one bank.

            one bank     ---A---A---A---A---A
            two banks    ---AB--AB--AB--AB--AB
            four banks   ---ABCDABCDABCDABCDABCD
      ]],
      zh = [[
        假设读出所需的时间是传送突发数据的三倍。总线随时间的使用情况如下，`-` 表示空闲，每个字母是一个存储体的一次突发传输：

            一个存储体   ---A---A---A---A---A
            两个存储体   ---AB--AB--AB--AB--AB
            四个存储体   ---ABCDABCDABCDABCDABCD
      ]],
    },
    ask {
      en = "Sensing takes {r} times as long as sending the burst, and the bus has {b} such banks. Each bank always has a request. What share of the time is the bus in use? (in %)",
      zh = "读出所需的时间是传送突发数据的 {r} 倍，总线上有 {b} 个存储体，每个存储体一直有请求。总线有百分之几的时间在用？",
      draw = { r = { 8, 30 }, b = { from = { 1, 2, 4 } } },
      answer = function(d) return 100 * d.b / (d.r + 1) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "{b} / ({r} + 1): twice as many banks give twice the throughput. With one bank and a ratio of 20 it is 4.8%: 0.76 of 16 GB/s.",
        zh = "{b} / ({r} + 1)：存储体多一倍，吞吐量就多一倍。一个存储体、比值为 20 时是 4.8%：16 GB/s 中只用上 0.76。",
      },
    },
    ask {
      en = "How many banks does such a bus need to be in use all the time, if the ratio is {r} and no two requests meet in one bank?",
      zh = "比值为 {r}、没有两个请求落在同一个存储体时，要多少个存储体才能让总线一直忙着？",
      draw = { r = { 4, 30 } },
      answer = function(d) return d.r + 1 end,
      replies = { { function(d) return d.r end, en = "{r} banks sense. Which bank sends in the meantime?", zh = "这 {r} 个存储体都在读出时，由哪个存储体传送？" } },
      because = {
        en = "While one bank sends, {r} others must be sensing: {r} + 1. In practice there are more, for two reasons. First, requests do meet in one bank, and more banks make this rarer. Second, a bank must stay small to be sensed in time, so a large memory has many banks.",
        zh = "一个在传送时，另外 {r} 个必须正在读出：共 {r} + 1 个。实际的存储体更多，有两个原因：一是请求有时会落在同一个存储体，存储体越多，这种情况越少；二是一个存储体的单元阵列太大就读得慢，所以内存容量越大，存储体越多。",
      },
    },
    say {
      en = [[
        Addresses go to channels and banks in turn (*interleaving*). The textbook's picture has 4 channels with 2 banks each, and bursts of two
        floats:

            channel     0        1        2        3
            bank 0    M[0,1]   M[2,3]   M[4,5]   M[6,7]
            bank 1    M[8,9]   M[10,11] M[12,13] M[14,15]

        M[16] is in channel 0, bank 0 again. So even 16 floats use every bank.

        Let M be a 4 x 4 matrix, stored row by row. Four blocks multiply it in 2 x 2 tiles. These are the indices of M that each block loads, and the
        channels that they come from:

                      block 0,0  block 0,1  block 1,0    block 1,1    channels
            phase 0   0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0, 2
            phase 1   2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1, 3

        Each phase uses only half of the channels.
      ]],
      zh = [[
        地址轮流分配给各通道和存储体（*交错*分布）。教科书的图里有 4 个通道，每个通道 2 个存储体，一次突发传输两个 float：

            通道        0        1        2        3
            存储体 0  M[0,1]   M[2,3]   M[4,5]   M[6,7]
            存储体 1  M[8,9]   M[10,11] M[12,13] M[14,15]

        M[16] 又回到 0 号通道的 0 号存储体。所以 16 个 float 就能用上所有的存储体。

        设 M 是 4 x 4 的矩阵，按行存储，由四个块用 2 x 2 的 tile 相乘。各块读取的 M 的下标，以及它们所在的通道：

                    块 0,0     块 0,1     块 1,0       块 1,1       通道
            阶段 0  0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0、2
            阶段 1  2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1、3

        每个阶段只用到一半的通道。
      ]],
    },
    ask {
      en = "In that picture, which channel holds M[{i}]?",
      zh = "在这张图里，M[{i}] 在几号通道？",
      draw = { i = { 16, 200 } },
      answer = function(d) return d.i // 2 % 4 end,
      because = { en = "Burst number {i} / 2 (rounded down), modulo 4.", zh = "突发传输的编号是 {i} / 2（向下取整），再对 4 取模。" },
    },
    ask {
      en = "M is a {w} x {w} matrix, stored row by row from channel 0 on as in the picture, and multiplied with 2 x 2 tiles. In phase 0 the blocks together load columns 0 and 1 of every row of M: M[{w} * row] and the element behind it, one burst per row. From how many of the four channels do these bursts come?",
      zh = "M 是 {w} x {w} 的矩阵，按图中的方式从 0 号通道开始按行存放，用 2 x 2 的 tile 做乘法。阶段 0 里，所有线程块合起来读 M 每一行的第 0、1 列：M[{w} * row] 和它后面的一个元素，每行一次突发传输。这些传输来自四个通道中的几个？",
      draw = { w = { from = { 4, 6, 8, 10, 12 } } },
      answer = function(d)
        local seen, count = {}, 0
        for row = 0, d.w - 1 do
          local channel = d.w * row // 2 % 4
          if not seen[channel] then seen[channel] = true count = count + 1 end
        end
        return count
      end,
      because = {
        en = [[
          Row r begins at burst {w} / 2 * r. For 4 x 4 these are channels 0 and 2, both banks of each; in phase 1 they are channels 1 and 3. (Two
          blocks need the same elements of M; a cache makes one load of them.)

          For 8 x 8 all rows of M begin on channel 0. M then uses one channel per phase, and reaches all four only after several phases. The other
          matrix, N, is loaded in whole rows, from all four channels at once.

          If all threads meet in one channel, three quarters of the bandwidth are lost. Whether a phase reaches every channel depends on the row
          length.
        ]],
        zh = [[
          第 r 行从第 {w} / 2 * r 次突发传输开始。4 x 4 时是 0 号和 2 号通道，各自的两个存储体都用上；阶段 1 则是 1 号和 3 号通道。
          （两个线程块需要 M 的同样几个元素，缓存会把它们合成一次读取。）

          8 x 8 时 M 的每一行都从 0 号通道开始：M 每个阶段只用一个通道，四个阶段才用遍四个通道。另一个矩阵 N 读的是整行，一次就用到四个通道。

          如果所有线程的访问都落在一个通道上，四分之三的带宽就浪费了。一个阶段能否用上所有通道，取决于行的长度。
        ]],
      },
    },
    predict {
      en = "The hardware distributes the addresses. Your task is to have enough requests under way. The baseline keeps one block of 128 threads on each multiprocessor. What is its occupancy on this device? (in %; an H200 holds 2048 threads per multiprocessor, a T4 1024)",
      zh = "地址如何分布由硬件负责，你要做的是让足够多的请求在途。基线让每个多处理器上只有 1 个 128 线程的块。在当前设备上，实际占用率是多少？（单位 %；H200 的每个多处理器可容纳 2048 个线程，T4 是 1024 个）",
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = { en = "128 of 2048 threads: 6.25%. On a T4, 128 of 1024: 12.5%.", zh = "2048 个线程中的 128 个：6.25%。在 T4 上是 1024 个中的 128 个：12.5%。" },
    },
    exercise {
      en = "Bring more bytes under way: use wider loads, several loads per thread, and more threads.",
      zh = "让更多字节在途：用更宽的读取，每个线程做几次读取，启动更多线程。",
    },
    show { en = "Your kernel in the roofline of the device:", zh = "你的核函数在屋顶线图中的位置：", picture = "roofline", of = "mine" },
    compare {
      en = "The same bytes, requested sooner.",
      zh = "同样的字节，更早地提出请求。",
      counters = { "gld_requests", "gld_sectors", "blocks", "threads_per_block", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "speedup", en = "Little's law: bytes under way = latency x bandwidth.", zh = "Little 定律：在途字节数 = 延迟 x 带宽。" },
    { en = "Treat x and y as float4. Let each thread load two float4 before it stores the first. Launch 4 blocks of 256 threads per multiprocessor. Do not forget the last n % 4 elements.",
      zh = "把 x 和 y 当作 float4，每个线程先读两个 float4，再写第一个；每个多处理器启动 4 个 256 线程的块。不要漏掉最后 n % 4 个元素。" },
    { en = "`for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = ...; y4[i + step] = ...; }`, then the rest one by one, then `if (n4 * 4 + tid < n) ...`.",
      zh = "`for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = …; y4[i + step] = …; }`，然后逐个处理剩下的，最后 `if (n4 * 4 + tid < n) …`。" },
  },

  after = {
    en = [[
      Measured on an H200, reading far more than its caches hold. One block of 64 threads per multiprocessor reads 92 GB/s if each thread has one
      4-byte load under way, 162 GB/s with two loads and 300 GB/s with four. Eight blocks of 256 threads read 2573 GB/s with one load and 4274 GB/s
      with four: about 90% of the peak bandwidth, all that can be reached.

      It hardly matters where the bytes under way come from; it matters how many there are.
    ]],
    zh = [[
      在 H200 上实测读取带宽（数据远大于缓存）：每个多处理器一个 64 线程的块，每个线程有一次 4 字节的读取在途时是 92 GB/s，两次时 162 GB/s，四次时 300 GB/s；
      八个 256 线程的块，每个线程一次时 2573 GB/s，四次时 4274 GB/s，约为峰值带宽的 90%，实际能达到的也就是这么多。

      在途的字节来自哪里几乎没有影响，重要的是在途的字节有多少。
    ]],
  },
  more = {
    en = "Find the smallest launch that still reaches 90% of your best speed. With fewer threads, each thread can have more registers.",
    zh = "找出仍能达到最高速度 90% 的最小启动配置。线程越少，每个线程可用的寄存器越多。",
  },
}
