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
    y = output("n", { ops = 1, atol = 0 }),
    a = scalar("a"),
  },
  cases = {
    { n = 256, a = 3 },
    { n = 1, a = 2 },
    { n = 1003, a = 0.5 },
    { n = 1 << 22, a = 3, timed = true },
  },
  hidden = { count = 3, n = { 2, 100000 }, a = { from = { -7.3, 0.3, 150 } } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.35 * baseline) {
      points = 3,
      en = "Load `float4` values. Then each load of a lane brings 16 bytes under way instead of 4.",
      zh = "用 `float4` 读取。这样，一个 lane 的每次读取都有 16 字节在途，而不是 4 字节。",
    },
    speedup(1.5) {
      points = 3,
      none = 1,
      en = [[
        Bytes under way = blocks x threads per block x loads under way per thread x bytes per load.
        Which of these four factors can you still raise?
      ]],
      zh = [[
        在途字节数 = 块数 x 每块线程数 x 每个线程的在途读取次数 x 每次读取的字节数。这四个因子中，
        还有哪个可以提高？
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel computes `y[i] = a * x[i]`, as in `coalescing`. In the baseline, all
        accesses are coalesced. And yet the baseline is slow, because the memory waits for requests
        most of the time. You will find out how DRAM, the memory of the device, does many things at
        once. Then you give the memory enough requests.

        A DRAM cell is a tiny capacitor. When the cell is read, this capacitor must change the
        voltage of a long wire. That takes tens of nanoseconds, while a processor cycle takes half a
        nanosecond. Newer memory does not answer sooner: each generation packs more cells onto a
        chip, so the capacitors get smaller.

        Memory is fast only because it works in parallel, on three levels. A *burst* reads many
        neighbouring cells at once. Several *banks* share one *bus* (the wires to the processor):
        while one bank sends its burst, another bank reads its cells. (These are not the banks of
        shared memory.) And there are several *channels*, each with its own bus and banks. In the
        textbook of this lesson, a processor has one to eight channels.
      ]],
      zh = [[
        本实验的核函数和 `coalescing` 一样计算 `y[i] = a * x[i]`。基线的访问都是合并的，基线却仍然很
        慢，因为内存大部分时间都在等请求。你会学到：设备的内存（DRAM）怎样同时做许多事情。然后你要让
        核函数发出足够多的请求。

        一个 DRAM 单元是一个微小的电容。读出单元时，这个电容要改变一根长导线的电压，这需要几十纳秒，
        而处理器的一个时钟周期只有半纳秒。内存一代代更新，读出单元却没有变快：每一代都要在芯片上放
        下更多单元，电容就更小。

        内存之所以快，全靠在三个层次上并行工作。一次*突发传输*（burst）同时读出许多相邻的单元。几
        个*存储体*（bank）共用一条*总线*（通往处理器的导线），一个存储体传送数据时，另一个在读出自己
        的单元。（这里的存储体不是共享内存的存储体。）此外还有几个*通道*（channel），每个通道有自己
        的总线和存储体。本课所用的教科书里，一个处理器有一到八个通道。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A bus is {w} bits wide and runs at {c} GHz. It has a *double data rate* (DDR): it transfers
        {w} bits twice in each cycle. How many GB/s does the bus transfer?
      ]],
      zh = [[
        一条总线宽 {w} 位，频率 {c} GHz，采用*双倍数据速率*（DDR）：每个周期传输两次，每次 {w} 位。
        这条总线每秒传输多少 GB？（单位是 GB/s）
      ]],
      draw = { w = { from = { 64, 128, 256 } }, c = { from = { 1, 1.5, 2 } } },
      answer = function(d) return d.w / 8 * 2 * d.c end,
      replies = {
        {
          function(d) return d.w / 8 * d.c end,
          en = [[
            This is the rate for one transfer per cycle. A DDR bus transfers twice in each cycle.
          ]],
          zh = "这是每个周期传输一次的速率。DDR 每个周期传输两次。",
        },
      },
      because = {
        en = [[
          The rate is {w} / 8 bytes * 2 * {c} GHz. In the textbook, a channel has a DDR bus of 64
          bits at 1 GHz, which transfers 16 GB/s. A processor that needs 32 GB/s has two such
          channels. A GPU that needs 128 GB/s has eight.
        ]],
        zh = [[
          {w} / 8 字节 * 2 * {c} GHz。教科书里，一个通道有 64 位、1 GHz 的 DDR 总线，即 16 GB/s。
          需要 32 GB/s 的 CPU 要用两个这样的通道，需要 128 GB/s 的 GPU 要用八个。
        ]],
      },
    },
    say {
      en = [[
        Reading the cells for a burst is called *sensing*. Suppose that sensing takes three times as
        long as sending the burst. This picture shows the bus over time. Each letter is a burst of
        one bank. At each `-`, the bus is idle:

            one bank     ---A---A---A---A---A
            two banks    ---AB--AB--AB--AB--AB
            four banks   ---ABCDABCDABCDABCDABCD
      ]],
      zh = [[
        一次突发传输要先*读出*单元，才能传送数据。假设读出所需的时间是传送的三倍，总线随时间的使用情
        况如下。每个字母是一个存储体的一次突发传输，`-` 表示总线空闲：

            一个存储体   ---A---A---A---A---A
            两个存储体   ---AB--AB--AB--AB--AB
            四个存储体   ---ABCDABCDABCDABCDABCD
      ]],
    },
    ask {
      en = [[
        Sensing takes {r} times as long as sending the burst, and the bus has {b} such banks. Each
        bank always has a request to serve. During what share of the time is the bus in use? (in %)
      ]],
      zh = [[
        读出所需的时间是传送突发数据的 {r} 倍，总线上有 {b} 个存储体，每个存储体一直有请求要处理。
        总线有百分之几的时间在使用？
      ]],
      draw = { r = { 8, 30 }, b = { from = { 1, 2, 4 } } },
      answer = function(d) return 100 * d.b / (d.r + 1) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          A bank senses for {r} units of time and uses the bus for 1 unit, in turn. So {b} of these
          banks use the bus for {b} / ({r} + 1) of the time: twice as many banks give twice the
          throughput. If sensing takes 20 times as long as sending, one bank uses the bus for 4.8%
          of the time, and transfers 0.76 GB/s instead of 16 GB/s.
        ]],
        zh = [[
          一个存储体轮流用 {r} 个单位的时间读出、用 1 个单位的时间使用总线。所以有 {b} 个存储体时，
          总线有 {b} / ({r} + 1) 的时间在使用。存储体增加一倍，吞吐量也增加一倍。如果读出的时间是传
          送的 20 倍，只有一个存储体时，总线就只有 4.8% 的时间在使用：16 GB/s 中只用上 0.76 GB/s。
        ]],
      },
    },
    ask {
      en = [[
        The *ratio* is the time for sensing, divided by the time for sending. Suppose that requests
        never have to wait for each other in one bank. How many banks are needed to keep the bus in
        use all the time if the ratio is {r}?
      ]],
      zh = [[
        读出的时间除以传送的时间，叫*比值*。假设请求从不会为了同一个存储体而互相等待。比值为 {r}、总线
        要一直在使用时，需要多少个存储体？
      ]],
      draw = { r = { 4, 30 } },
      answer = function(d) return d.r + 1 end,
      replies = {
        {
          function(d) return d.r end,
          en = "While {r} banks are sensing, another bank must be sending. Did you count it?",
          zh = "{r} 个存储体都在读出时，还要有一个存储体在传送。这个存储体算进去了吗？",
        },
      },
      because = {
        en = [[
          While one bank sends, {r} others must be sensing: together {r} + 1. Real memories have
          more banks, for two reasons. First, requests do meet in one bank at times, and with more
          banks this happens less often. Second, sensing in a large bank would take too long, so a
          large memory consists of many small banks.
        ]],
        zh = [[
          一个存储体在传送时，另外 {r} 个必须正在读出，一共 {r} + 1 个。实际的内存有更多存储体，
          原因有两个。第一，请求有时会落在同一个存储体，存储体越多，这种情况越少。第二，
          太大的存储体读出太慢，所以大容量的内存由许多小的存储体组成。
        ]],
      },
    },
    say {
      en = [[
        Neighbouring bursts go to the channels in turn, and then to the banks of each channel in
        turn. This is called *interleaving*. In the textbook's example, there are 4 channels with 2
        banks each, and a burst has two floats. `M` is an array of floats:

            channel     0        1        2        3
            bank 0    M[0,1]   M[2,3]   M[4,5]   M[6,7]
            bank 1    M[8,9]   M[10,11] M[12,13] M[14,15]

        M[16] is in channel 0, bank 0 again. So 16 floats are enough to use every bank.

        Let M be a 4 x 4 matrix, stored row by row. Four blocks multiply M by another matrix in 2 x
        2 tiles. They work in two *phases*: in each, a block loads one tile of M and one of the
        other matrix. For each phase, the table shows the indices of the elements of M that each
        block loads, and the channels of these elements:

                      block 0,0  block 0,1  block 1,0    block 1,1    channels
            phase 0   0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0, 2
            phase 1   2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1, 3

        Each phase uses only half of the channels.
      ]],
      zh = [[
        相邻的突发传输轮流分配给各个通道，再轮流分配给每个通道的各个存储体，这叫*交错*分布。教科书的
        例子里有 4 个通道，每个通道 2 个存储体，一次突发传输有两个 float。`M` 是一个 float 数组：

            通道        0        1        2        3
            存储体 0  M[0,1]   M[2,3]   M[4,5]   M[6,7]
            存储体 1  M[8,9]   M[10,11] M[12,13] M[14,15]

        M[16] 又回到 0 号通道的 0 号存储体。所以只要 16 个 float 就能用上所有的存储体。

        设 M 是 4 x 4 的矩阵，按行存储。四个块用 2 x 2 的 tile 把 M 与另一个矩阵相乘，分两个*阶段*：
        在每个阶段，各块从两个矩阵里各读入一个 tile。下表列出每个阶段里各块读取的 M 的下标，以及这些元素所在的通道：

                    块 0,0     块 0,1     块 1,0       块 1,1       通道
            阶段 0  0 1 4 5    0 1 4 5    8 9 12 13    8 9 12 13    0、2
            阶段 1  2 3 6 7    2 3 6 7    10 11 14 15  10 11 14 15  1、3

        每个阶段只用到一半的通道。
      ]],
    },
    ask {
      en = [[
        There are 4 channels with 2 banks each, and a burst has two floats, as before. Which channel
        holds M[{i}]?
      ]],
      zh = "仍是 4 个通道，每个通道 2 个存储体，一次突发传输有两个 float。M[{i}] 在几号通道？",
      draw = { i = { 16, 200 } },
      answer = function(d) return d.i // 2 % 4 end,
      because = {
        en = [[
          M[{i}] is in burst {i} / 2, rounded down. The channel is the number of the burst modulo 4.
        ]],
        zh = "M[{i}] 在第 {i} / 2 次突发传输里（向下取整）。这个编号对 4 取模，就是通道号。",
      },
    },
    ask {
      en = [[
        M is a {w} x {w} matrix. It is stored row by row, from channel 0 on, in bursts of two
        floats, as before. Blocks multiply M by another matrix in 2 x 2 tiles. In phase 0, the
        blocks together load columns 0 and 1 of every row of M. This is one burst for each row:
        M[{w} * row] and the next element. From how many of the four channels do these bursts come?
      ]],
      zh = [[
        M 是 {w} x {w} 的矩阵，和前面一样，从 0 号通道开始按行存放，一次突发传输有两个 float。各块
        用 2 x 2 的 tile 把 M 与另一个矩阵相乘。阶段 0 里，所有块合起来读 M 每一行的第 0、1 列，也就
        是每行一次突发传输：M[{w} * row] 和它后面的一个元素。这些突发传输来自四个通道中的几个？
      ]],
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
          Row r begins at burst {w} / 2 * r. In a 4 x 4 matrix, the rows begin in channels 0 and 2,
          and phase 0 uses both banks of these channels. Phase 1 uses channels 1 and 3. (Two blocks
          need the same elements of M. A cache combines their two loads into one.)

          In an 8 x 8 matrix, every row of M begins in channel 0. So the loads of M use only one
          channel in each phase. After four phases, they have used every channel once. The other
          matrix, N, is loaded in whole rows, so its loads use all four channels in each phase.

          If all accesses fall into one of four channels, three quarters of the bandwidth are lost.
          Whether a phase uses every channel depends on the length of the rows.
        ]],
        zh = [[
          第 r 行从第 {w} / 2 * r 次突发传输开始。矩阵是 4 x 4 时，各行从 0 号或 2 号通道开始，
          阶段 0 把这两个通道各自的两个存储体都用上；阶段 1 则用 1 号和 3 号通道。
          （两个块需要 M 的同样几个元素，缓存会把它们合成一次读取。）

          矩阵是 8 x 8 时，M 的每一行都从 0 号通道开始。所以读 M 时，每个阶段只用一个通道，四个阶段
          把四个通道各用一次。另一个矩阵 N 按整行读取，每个阶段都用到四个通道。

          如果所有访问都落在四个通道中的一个，四分之三的带宽就浪费了。一个阶段能不能用上所有的通道，
          取决于行的长度。
        ]],
      },
    },
    predict {
      en = [[
        The hardware distributes the addresses over channels and banks. Your task is to have enough
        loads *under way*: issued, but not yet answered.

        A multiprocessor has places for 2048 threads on an H200, and for 1024 on a T4. The share of
        these places that a running kernel really fills is its *achieved occupancy*. The baseline
        keeps only one block of 128 threads on each multiprocessor. What is its achieved occupancy
        on this device? (in %)
      ]],
      zh = [[
        地址怎样分布到通道和存储体，由硬件负责。你要做的是让足够多的读取*在途*：已经发出，
        数据还没有返回。

        一个多处理器能容纳的线程数，H200 是 2048，T4 是 1024。核函数运行时实际占用的比例叫*实
        际占用率*。基线让每个多处理器上只有 1 个 128 线程的块。在当前设备上，基线的实际占用率是多少？
        （单位是 %）
      ]],
      counter = "achieved_occupancy_pct",
      of = "baseline",
      tolerance = 0.15,
      because = {
        en = [[
          The kernel uses 128 of 2048 places on an H200, which is 6.25%. On a T4 it uses 128 of
          1024, which is 12.5%.
        ]],
        zh = "H200 是 2048 个线程中的 128 个，即 6.25%。T4 是 1024 个中的 128 个，即 12.5%。",
      },
    },
    exercise {
      en = [[
        Bring more bytes under way: use wider loads, several loads per thread at a time, and more
        threads.
      ]],
      zh = "让更多字节在途：每次读取更多字节，每个线程同时发出几次读取，并启动更多线程。",
    },
    show {
      en = [[
        This picture shows your kernel as a dot under the *roofline* of the device: how fast the
        kernel is, and how fast it could be at most.
      ]],
      zh = "你的核函数在设备的*屋顶线*图中的位置。图中可以看到核函数现在有多快，最多能有多快：",
      picture = "roofline",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel moves as many bytes as the baseline, but more of these bytes are under way at
        the same time.
      ]],
      zh = "你的核函数和基线搬运同样多的字节，但同时在途的字节更多。",
      counters = { "gld_requests", "gld_sectors", "blocks", "threads_per_block", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "speedup",
      en = [[
        *Little's law* says: bytes under way = latency x bandwidth. The latency of the memory is
        fixed, so more bandwidth needs more bytes under way.
      ]],
      zh = [[
        *Little 定律*：在途字节数 = 延迟 x 带宽。内存的延迟是固定的，所以要提高带宽，
        就要有更多字节在途。
      ]],
    },
    {
      en = [[
        Treat `x` and `y` as arrays of `float4`. Let each thread load two `float4` before it stores
        the first result. Launch 4 blocks of 256 threads per multiprocessor. Do not forget the last
        n % 4 elements.
      ]],
      zh = [[
        把 `x` 和 `y` 当作 `float4` 的数组，每个线程先读两个 `float4`，再写第一个结果。
        每个多处理器启动 4 个 256 线程的块。不要漏掉最后 n % 4 个元素。
      ]],
    },
    {
      en = [[
        `for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = ...; y4[i + step] = ...; }`
        Here `n4` is n / 4, and `x4` and `y4` point to the `float4`. In a second loop, process the
        remaining `float4` one by one. At the end, process the last elements with
        `if (n4 * 4 + tid < n) ...`.
      ]],
      zh = [[
        `for (; i + step < n4; i += 2 * step) { float4 p = x4[i], q = x4[i + step]; y4[i] = …; y4[i + step] = …; }`。
        这里 `n4` 是 n / 4，`x4` 和 `y4` 指向这些 `float4`。再用一个循环逐个处理剩下的 `float4`，最
        后用 `if (n4 * 4 + tid < n) …` 处理末尾的元素。
      ]],
    },
  },

  after = {
    en = [[
      The following rates of reading were measured on an H200, with far more data than its caches
      hold. With one block of 64 threads per multiprocessor, the H200 reads 92 GB/s if each thread
      has one 4-byte load under way. With two loads per thread under way, it reads 162 GB/s, and
      with four, 300 GB/s.

      With eight blocks of 256 threads per multiprocessor, the H200 reads 2573 GB/s if each thread
      has one load under way, and 4274 GB/s if each thread has four. The second figure is about 90%
      of the peak bandwidth, and kernels cannot reach more.

      Bytes under way may come from more threads, more loads or wider loads. It hardly matters which
      of these you choose. Only the number of bytes matters, as *Little's law* says: bytes under way
      = latency x bandwidth.
    ]],
    zh = [[
      以下是在 H200 上实测的读取速度，数据量远大于缓存。每个多处理器有一个 64 线程的块时，
      如果每个线程有一次 4 字节的读取在途，速度是 92 GB/s；两次在途时是 162 GB/s，
      四次时是 300 GB/s。

      每个多处理器有八个 256 线程的块时，每个线程一次在途是 2573 GB/s，四次是 4274 GB/s。4274
      GB/s 约为峰值带宽的 90%，核函数最多也只能达到这么多。

      在途的字节可以来自更多的线程、更多次读取，也可以来自更宽的读取。选哪一种几乎没有差别，
      重要的是一共有多少字节在途。这就是 *Little 定律*：在途字节数 = 延迟 x 带宽。
    ]],
  },
  more = {
    en = [[
      Find the launch with the fewest threads that still reaches 90% of your best speed. With fewer
      threads, each thread can have more registers.
    ]],
    zh = [[
      找出线程最少、仍能达到你的最高速度 90% 的启动配置。线程越少，每个线程可用的寄存器就越多。
    ]],
  },
}
