-- Chapter 3: bursts, banks, channels, and loads in flight.
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
      en = "A load of float4 brings 16 bytes per lane under way instead of 4.",
      zh = "用 float4 读取，每个 lane 在途的是 16 字节而不是 4 字节。",
    },
    speedup(1.5) {
      points = 4,
      en = "Bytes under way: blocks x threads x loads in flight x bytes per load. Which of the four is smallest?",
      zh = "在途字节数 = 块数 x 线程数 x 在途读取次数 x 每次字节数。四个因子里哪个最小？",
    },
  },

  steps = {
    say {
      en = [[
        A DRAM cell is a tiny capacitor that has to move the voltage of a long wire; as if someone at the end of a long corridor were to tell by the scent what is in a small cup at the other end. It
        takes tens of nanoseconds, while the processor's clock ticks every half nanosecond. And it does not get better: each generation packs more cells onto a chip, so the cups get smaller.

        Memory is fast only because it works in parallel, on three levels: a *burst* senses many neighbouring cells at once; several *banks* behind one bus take turns, so that one
        senses while another sends; and several *channels*, each with its bus, work side by side: a processor has one to eight of them in the textbook's figures.
      ]],
      zh = [[
        一个 DRAM 单元是一个微小的电容，却要拉动一根长导线的电压；好比一个人站在长走廊的一头，要凭气味分辨另一头的小杯子里是什么咖啡。读出它要几十纳秒，而处理器的时钟半纳秒就走一拍。
        而且延迟不会随着发展缩短：每一代都要在芯片上放下更多单元，杯子只会越来越小。

        内存之所以快，全靠在三个层次上并行：一次*突发*（burst）同时读出许多相邻单元；一条总线后面的几个*存储体*（bank）轮流工作，一个在读出时另一个在传送；若干*通道*（channel）各有自己的总线，同时工作；教科书里一个处理器有一到八个通道。
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
        en = "{w} / 8 bytes * 2 * {c}. The textbook's channel: 64 bits at 1 GHz, 16 GB/s. A processor that wants 32 GB/s needs two of them, a GPU that wants 128 needs eight.",
        zh = "{w} / 8 字节 * 2 * {c}。教科书里的通道：64 位、1 GHz，即 16 GB/s。要 32 GB/s 的 CPU 需要两个这样的通道，要 128 GB/s 的 GPU 需要八个。",
      },
    },
    say {
      en = [[
        Here sensing takes three times as long as sending a burst. The bus over time, `-` idle, a letter for the burst of each bank:

            one bank     ---A---A---A---A---A
            two banks    ---AB--AB--AB--AB--AB
            four banks   ---ABCDABCDABCDABCDABCD
      ]],
      zh = [[
        假设读出所需时间是传送一次突发数据的三倍。总线随时间的使用情况如下，`-` 表示空闲，每个字母是一个存储体的一次突发：

            一个存储体   ---A---A---A---A---A
            两个存储体   ---AB--AB--AB--AB--AB
            四个存储体   ---ABCDABCDABCDABCDABCD
      ]],
    },
    ask {
      en = "Sensing takes {r} times as long as sending the burst, and the bus has {b} of such banks, always with a request in each. What share of the time is the bus in use? (in %)",
      zh = "读出所需时间是传送突发数据的 {r} 倍，总线上有 {b} 个存储体，每个都一直有请求。总线有百分之几的时间在用？",
      draw = { r = { 8, 30 }, b = { from = { 1, 2, 4 } } },
      answer = function(d) return 100 * d.b / (d.r + 1) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "{b} / ({r} + 1): twice the banks, twice the throughput. With one bank and a ratio of 20 it is 4.8%: of 16 GB/s, 0.76 are left.",
        zh = "{b} / ({r} + 1)：存储体多一倍，吞吐就多一倍。一个存储体、比值为 20 时是 4.8%：16 GB/s 只剩 0.76。",
      },
    },
    ask {
      en = "How many banks does it take to use such a bus fully, if the ratio is {r} and no two requests meet in one bank?",
      zh = "比值为 {r}、没有两个请求落在同一个存储体时，要多少个存储体才能让总线一直忙着？",
      draw = { r = { 4, 30 } },
      answer = function(d) return d.r + 1 end,
      replies = { { function(d) return d.r end, en = "While {r} of them sense, who sends?", zh = "{r} 个都在读出的时候，谁来传送？" } },
      because = {
        en = "While one bank sends, {r} others must be sensing: {r} + 1. In practice there are more, for two reasons: requests do meet in one bank, the less often the more there are; and the array of one bank can only be so large if it is to be sensed in time, so a large memory has many.",
        zh = "一个在传送时，另外 {r} 个必须正在读出：共 {r} + 1 个。实际上还要更多，有两个原因：请求难免落在同一个存储体，存储体越多越少相撞；另外，为了读得够快，一个存储体的单元阵列不能太大，内存容量大，存储体自然就多。",
      },
    },
    say {
      en = [[
        Addresses are dealt out to channels and banks in turn (*interleaving*). In the textbook's picture, with 4 channels, 2 banks each and bursts of two floats:

            channel     0        1        2        3
            bank 0    M[0,1]   M[2,3]   M[4,5]   M[6,7]
            bank 1    M[8,9]   M[10,11] M[12,13] M[14,15]

        and M[16] is in channel 0, bank 0 again. So even 16 floats keep every bank busy.

        Let M be 4 x 4, stored by rows, and multiplied in 2 x 2 tiles by four blocks. The indices of M that each block loads, and the channels that they come from:

                      block 0,0  block 0,1  block 1,0    block 1,1    channels
            phase 0   0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0, 2
            phase 1   2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1, 3

        A phase keeps half of the channels busy.
      ]],
      zh = [[
        地址轮流分配给各通道和存储体（*交错*分布）。按教科书的图，4 个通道、每个 2 个存储体、一次突发两个 float：

            通道        0        1        2        3
            存储体 0  M[0,1]   M[2,3]   M[4,5]   M[6,7]
            存储体 1  M[8,9]   M[10,11] M[12,13] M[14,15]

        M[16] 又回到 0 号通道的 0 号存储体。所以只要 16 个 float，就能用上所有的存储体。

        设 M 是 4 x 4 的矩阵，按行存储，由四个块用 2 x 2 的 tile 相乘。各块读取的 M 的下标，以及它们所在的通道：

                    块 0,0     块 0,1     块 1,0       块 1,1       通道
            阶段 0  0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0、2
            阶段 1  2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1、3

        每个阶段只有一半的通道在忙。
      ]],
    },
    ask {
      en = "In that picture, which channel holds M[{i}]?",
      zh = "在这张图里，M[{i}] 在几号通道？",
      draw = { i = { 16, 200 } },
      answer = function(d) return d.i // 2 % 4 end,
      because = { en = "Burst number {i} / 2 (rounded down), modulo 4.", zh = "突发编号是 {i} / 2（向下取整），再对 4 取模。" },
    },
    ask {
      en = "M is a {w} x {w} matrix, stored row by row from channel 0 on as in the picture, and multiplied with 2 x 2 tiles. In phase 0 all blocks together load columns 0 and 1 of all rows of M: M[{w} * row] and the element behind it, one burst per row. From how many of the four channels do these bursts come?",
      zh = "M 是 {w} x {w} 的矩阵，按图中的方式从 0 号通道开始按行存放，用 2 x 2 的 tile 做乘法。阶段 0 里，所有线程块合起来读 M 每一行的第 0、1 列：M[{w} * row] 和它后面的一个元素，每行一次突发。这些突发来自四个通道中的几个？",
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
        en = "Row r begins at burst {w} / 2 * r. For 4 x 4 these are channels 0 and 2, both banks of each, then in phase 1 channels 1 and 3 (two blocks want the same elements of M; a cache makes one load of it). For 8 x 8 all rows of M begin on channel 0: M uses one channel per phase and all four only over the phases, while of N whole rows are loaded, from all four at once. If all threads meet in one channel, three quarters of the bandwidth idle. And the larger the burst, the larger a matrix must be to reach every channel.",
        zh = "第 r 行从第 {w} / 2 * r 次突发开始。4 x 4 时是 0 号和 2 号通道，各自的两个存储体都用上；阶段 1 则是 1 号和 3 号（两个线程块要的是 M 的同样几个元素，缓存会把它们合成一次读取）。8 x 8 时 M 的每一行都从 0 号通道开始：M 每个阶段只用一个通道，要四个阶段才用遍四个；而 N 读的是整行，一次就用到四个通道。如果所有线程都挤在一个通道上，四分之三的带宽就闲着。突发越大，矩阵也要越大，才能用上所有通道。",
      },
    },
    predict {
      en = "The memory's side is the hardware's business; yours is to have enough requests under way. The baseline keeps one block of 128 threads on each multiprocessor. What is its occupancy on this device? (in %; an H200 holds 2048 threads per multiprocessor, a T4 1024)",
      zh = "内存那一头由硬件负责，你要做的是保证有足够的请求在途。基线让每个多处理器上只有 1 个 128 线程的块。在当前设备上，实际占用率是多少？（单位 %；H200 的每个多处理器可容纳 2048 个线程，T4 是 1024 个）",
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = { en = "128 threads of 2048: 6.25%. On a T4, of 1024: 12.5%.", zh = "2048 个线程中的 128 个：6.25%。在 T4 上是 1024 个中的 128 个：12.5%。" },
    },
    exercise {
      en = "Bring more bytes under way: wider loads, several per thread, more threads.",
      zh = "让更多字节在途：更宽的读取、每个线程多次读取、更多线程。",
    },
    show { en = "Where your kernel stands under the roofs:", zh = "你的核函数在屋顶线下的位置：", picture = "roofline", of = "mine" },
    compare {
      en = "The same bytes, asked for sooner.",
      zh = "同样的字节，更早地提出请求。",
      counters = { "gld_requests", "gld_sectors", "blocks", "threads_per_block", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "speedup", en = "Little's law: bytes under way = latency x bandwidth.", zh = "Little 定律：在途字节数 = 延迟 x 带宽。" },
    { en = "Treat x and y as float4, let each thread load two of them before it stores the first, and launch 4 blocks of 256 threads per multiprocessor. Mind the last n % 4 elements.",
      zh = "把 x 和 y 当作 float4，每个线程先读两个再写第一个，每个多处理器启动 4 个 256 线程的块。注意最后 n % 4 个元素。" },
    { en = "`for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = ...; y4[i + step] = ...; }`, then the rest one by one, then `if (n4 * 4 + tid < n) ...`.",
      zh = "`for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = …; y4[i + step] = …; }`，然后逐个处理剩下的，最后 `if (n4 * 4 + tid < n) …`。" },
  },

  after = {
    en = [[
      Measured on an H200, reading far more than its caches hold, with one block of 64 threads per multiprocessor and one 4-byte load each: 92 GB/s. Two loads: 162. Four: 300. Eight blocks of 256 threads: 2573,
      and with four loads each 4274, all there is. It hardly matters where the bytes under way come from; it matters how many they are.
    ]],
    zh = [[
      在 H200 上实测读取带宽（数据远大于缓存）：每个多处理器一个 64 线程的块、每线程一次 4 字节读取，92 GB/s；两次读取 162；四次 300；八个 256 线程的块 2573；再加上每线程四次读取 4274，到顶了。
      在途的字节从哪里来几乎无所谓，重要的是有多少。
    ]],
  },
  more = {
    en = "Find the smallest launch that still reaches 90% of your best speed. Fewer threads leave more registers for each.",
    zh = "找出仍能达到最高速度 90% 的最小启动配置。线程越少，每个线程可用的寄存器越多。",
  },
}
