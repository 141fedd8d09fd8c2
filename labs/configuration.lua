-- Chapter 10: grid and block for any device.
return lab {
  id = "configuration",
  title = { en = "Grid and block for any device", zh = "为任意设备选网格和块" },
  chapter = 10,
  minutes = 30,
  needs = { "occupancy" },
  source = "slides V.3; CUDA; practice",
  teaches = {
    ["config-blocks"] = "say goals",
    ["config-half"] = "say goals",
    ["config-warps"] = "say goals traps",
    ["config-768"] = "ask",
    ["config-fifty"] = "say goals",
    ["config-api"] = "predict exercise skeleton",
    ["potential-block-size"] = "after",
    ["occupancy-percent"] = "ask",
    ["config-tail"] = "ask after",
    ["config-experiment"] = "after more",
    ["even-load"] = "after",
  },

  entry = "void configuration(const int *next, int *out, int steps, int n)",
  args = { next = integers(0, "n - 1", "n"), out = output("n") },
  cases = {
    { n = 1003, steps = 5 },
    { n = 1, steps = 3 },
    { n = 300, steps = 0 },
    { n = 1 << 18, steps = 16, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, steps = { 1, 20 } },
  goals = {
    correct { points = 2 },
    at_most("global_store_bytes", 2.6 * baseline) {
      points = 1,
      en = "Several of your threads walk from the same place. Threads that repeat work fill no slots.",
      zh = "有几个线程从同一个地点出发。重复工作的线程不算占用线程槽。",
    },
    at_least("blocks", 2 * baseline) {
      points = 2,
      en = [[
        Launch at least two blocks for each multiprocessor. While one block waits at a barrier or
        comes to its end, the other one works. The baseline launches only one.
      ]],
      zh = [[
        每个多处理器至少启动两个块：一个在屏障处等待或快要结束时，另一个还在工作。基线只启动一个。
      ]],
    },
    at_most("threads_per_block", 512) {
      points = 1,
      en = [[
        If a block takes more than half of a multiprocessor, no second block fits beside it. Some
        devices have only 1024 thread slots per multiprocessor.
      ]],
      zh = [[
        一个块占去多处理器的一半以上，就放不下第二个块。有的设备，每个多处理器只有 1024 个线程槽。
      ]],
    },
    at_least("threads_per_block", 128) {
      points = 1,
      en = [[
        Small blocks use up the block slots before the thread slots. Also, the block size should be
        a multiple of 32.
      ]],
      zh = "块太小，线程槽还没用满，块槽就先用完了。另外，块大小要取 32 的倍数。",
    },
    at_least("occupancy_pct", 50) { points = 2 },
    speedup(1.3) {
      points = 1,
      en = "Each step of a walk waits for memory. How many warps wait at the same time?",
      zh = "每走一步都要等内存。同时有多少个 warp 在等？",
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab follows links: `next[i]` is the place that follows place i, and
        `out[i]` is the place that a walk from i reaches after `steps` steps. Lists, trees and
        graphs are read in the same way, one link after another. The kernel is right with any grid
        and any block.

        You will write a launch that suits many devices: a G80 with 16 multiprocessors, a T4 with
        40, an RTX 4090 with 128, an H200 with 132, and later ones. What do you write between `<<<`
        and `>>>`?

        The slides of a CUDA course give four rules, from the time of the G80. Which of them hold
        today?

        - "More blocks than multiprocessors, better more than *two* for each, and more than 100 for
          devices to come". Two for each still holds. 100 does not: an H200 has 132 multiprocessors,
          so 100 blocks leave 32 of them idle. Ask the device for the number of its multiprocessors.
        - "A block takes at most *half* of a multiprocessor's threads, registers and shared memory".
          This holds for kernels with barriers, where a second block works while the first one
          waits.
        - "The number of threads in a block is a multiple of the warp size, at least 128". This
          holds.
        - "An occupancy of 50% hides most of the latency". This holds if each thread waits for one
          thing at a time, as in this lab. If a thread has many independent instructions, fewer
          warps are enough. The matrix product of `matmul-open` reaches 85% of the speed of cuBLAS
          at an occupancy of 25%.
      ]],
      zh = [[
        本实验的核函数沿着下标一步一步地走：`next[i]` 是地点 i 的下一个地点，`out[i]` 是从地点 i 出
        发走 `steps` 步到达的地点。读链表、树和图也是这样，读完一个才知道下一个在哪里。
        核函数用什么网格、什么块都正确。

        你要写的是启动配置，它要适合各种设备：G80 有 16 个多处理器，T4 有 40 个，
        RTX 4090 有 128 个，H200 有 132 个，今后还会有新设备。`<<<` 和 `>>>` 之间该写什么？

        一门 CUDA 课程的讲义幻灯片给出四条建议，出自 G80 的时代。哪些今天仍然成立？

        - “块数多于多处理器数，最好每个多处理器*两块*以上；为了适应将来的设备，总数超过 100”。
          “每个多处理器两块以上”仍然成立。“总数超过 100”已经不够：H200 有 132 个多处理器，
          100 个块会让其中 32 个闲置。多处理器的个数要向设备查询。
        - “一个块最多占用多处理器的*一半*：线程、寄存器、共享内存都算”。
          这一条对有屏障的核函数成立：第一个块等待时，第二个块还能工作。
        - “每块的线程数是线程束（warp）的整数倍，至少 128”。这一条仍然成立。
        - “占用率达到 50%，大部分延迟就能掩盖住”。如果每个线程一次只等一样东西，像本实验这样，
          这一条成立。如果线程有许多互不依赖的指令，较少的 warp 就够了：`matmul-open` 的矩阵乘法占用
          率只有 25%，速度却达到 cuBLAS 的 85%。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A multiprocessor of a G80 holds 768 threads and 8 blocks. How many blocks of {b} threads are
        resident?
      ]],
      zh = "G80 的一个多处理器容纳 768 个线程、8 个块。每块 {b} 个线程时，能驻留几个块？",
      draw = { b = { from = { 96, 128, 192, 256, 384 } } },
      answer = function(d) return math.min(8, 768 // d.b) end,
      replies = {
        {
          8,
          en = [[
            8 is the number of block slots. Blocks of {b} threads use up the thread slots first.
          ]],
          zh = "8 是块槽数。{b} 个线程的块会先用完线程槽。",
        },
        {
          function(d) return 768 - d.b end,
          en = "How often do {b} threads fit into 768? Divide.",
          zh = "768 里放得下几个 {b}？应当用除法。",
        },
      },
      because = {
        en = [[
          768 / {b}. These blocks use all thread slots. 2 x 384, 3 x 256, 4 x 192, 6 x 128 and 8 x
          96 threads all fill the multiprocessor.
        ]],
        zh = [[
          768 / {b}，线程槽全部用上。2 x 384、3 x 256、4 x 192、6 x 128、8 x 96 个线程都能装满这个多
          处理器。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A multiprocessor of a G80 holds 768 threads and 8 blocks. A block has {b} threads. What is
        the occupancy in per cent?
      ]],
      zh = "G80 的一个多处理器容纳 768 个线程、8 个块。每块 {b} 个线程时，占用率是百分之几？",
      draw = { b = { from = { 32, 64, 512 } } },
      answer = function(d) return 100 * math.min(8, 768 // d.b) * d.b / 768 end,
      tolerance = 0.01,
      unit = "%",
      replies = {
        {
          100,
          en = "100% needs 768 resident threads. Count the resident blocks first.",
          zh = "要有 768 个驻留线程才是 100%。先算有几个块驻留。",
        },
        {
          function(d) return 100 * d.b / 768 end,
          en = "This is the share of one block. How many blocks of {b} threads are resident?",
          zh = "这是一个块的占比。{b} 个线程的块有几个驻留？",
        },
        {
          function(d) return 800 * d.b / 768 end,
          en = "8 blocks of {b} threads do not fit into 768 thread slots.",
          zh = "768 个线程槽放不下 8 个 {b} 线程的块。",
        },
      },
      because = {
        en = [[
          Small blocks use up the 8 block slots first. Beside one large block, no second one fits. A
          block size that fills a G80 may not fill an H200, which has 2048 thread slots and 32 block
          slots.
        ]],
        zh = [[
          块太小，8 个块槽先用完；块太大，放不下第二个。
          能装满 G80 的块大小，未必能装满 H200：H200 有 2048 个线程槽和 32 个块槽。
        ]],
      },
    },
    ask {
      en = [[
        {p} multiprocessors hold {r} blocks each. A grid has {b} blocks, and all blocks take the
        same time. The blocks that run at the same time are a *wave*. How many waves does the grid
        take?
      ]],
      zh = [[
        {p} 个多处理器，每个驻留 {r} 个块。网格有 {b} 个块，每个块用时相同。同时运行的块叫一*波*。
        整个网格要跑几波？
      ]],
      draw = "tail",
      answer = function(d) return ceil_div(d.b, d.p * d.r) end,
      replies = {
        {
          function(d) return d.b // (d.p * d.r) end,
          en = "This is the number of full waves. The blocks that are left over need a wave, too.",
          zh = "这是装满的那些波的个数。剩下的块也要占一波。",
        },
      },
      because = {
        en = "{p} * {r} blocks run at a time. The blocks that are left over are one more wave.",
        zh = "一次运行 {p} * {r} 个块，剩下的块再占一波。",
      },
    },
    ask {
      en = [[
        The device has {p} * {r} places for blocks, and the grid again has {b} blocks. All waves
        take the same time. On average over all waves, what percentage of the places is in use?
      ]],
      zh = [[
        设备有 {p} * {r} 个位置，网格还是 {b} 个块。每波用时相同。对所有波取平均，
        有百分之几的位置在使用？
      ]],
      draw = "tail",
      answer = function(d) return 100 * d.b / (ceil_div(d.b, d.p * d.r) * d.p * d.r) end,
      tolerance = 0.01,
      unit = "%",
      replies = {
        {
          function(d) return 100 * (d.b % (d.p * d.r)) / (d.p * d.r) end,
          en = "This is the last wave alone. The waves before it are full, and they count, too.",
          zh = "这只是最后一波。前面各波都是满的，也要算进去。",
        },
        {
          function(d) return 100 * d.b / (d.p * d.r) end,
          en = "This divides the blocks by the places of one wave. The grid takes several waves.",
          zh = "这是用块数除以一波的位置数。整个网格要跑好几波。",
        },
      },
      because = {
        en = [[
          Divide the number of blocks by (waves * places). The last wave, if it is not full, is
          called the *tail*. The tail costs most when there are few waves: if one wave is exactly
          full, a single further block doubles the time. So use many small blocks, or use exactly
          one wave whose threads loop.
        ]],
        zh = [[
          用块数除以（波数乘以位置数）。最后不满的一波叫*尾波*。波数越少，尾波的损失越大：
          如果一波正好装满，再多一个块，时间就翻倍。所以要么用许多小块，要么正好一波，
          让线程自己循环。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        `cudaOccupancyMaxActiveBlocksPerMultiprocessor` says how many blocks fit on a
        multiprocessor. It returns {k} for blocks of {t} threads, and `maxThreadsPerMultiProcessor`
        is {m}. What is the occupancy in per cent?
      ]],
      zh = [[
        `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 给出一个多处理器能放几个块。
        对 {t} 个线程的块，给出的结果是 {k}，`maxThreadsPerMultiProcessor` 是 {m}。
        占用率是百分之几？
      ]],
      draw = { k = { 1, 4 }, t = { from = { 128, 192, 256 } }, m = { from = { 1024, 1536, 2048 } } },
      answer = function(d) return 100 * d.k * d.t / d.m end,
      tolerance = 0.01,
      unit = "%",
      replies = {
        {
          function(d) return d.k * d.t / 32 end,
          en = "This is the number of resident warps. How many warps could be resident at most?",
          zh = "这是驻留的 warp 数。最多可以驻留多少个？",
        },
        {
          function(d) return 100 * d.t / d.m end,
          en = "This is the share of one block, but {k} blocks are resident.",
          zh = "这只是一个块所占的比例，而驻留的有 {k} 个块。",
        },
      },
      because = {
        en = "{k} * {t} / 32 warps are resident, and at most {m} / 32 warps fit.",
        zh = "驻留的有 {k} * {t} / 32 个 warp，最多放得下 {m} / 32 个。",
      },
    },
    predict {
      en = [[
        The model answer uses blocks of 256 threads and few registers. It launches as many blocks as
        the whole device can hold at once. An H200 has 132 multiprocessors with 2048 thread slots
        each. How many blocks does the model answer launch on an H200?
      ]],
      zh = [[
        参考答案每块 256 个线程，用的寄存器很少。整个设备能同时驻留多少个块，
        参考答案就启动多少个块。H200 有 132 个多处理器，各有 2048 个线程槽。
        参考答案在 H200 上启动多少个块？
      ]],
      counter = "blocks",
      of = "answer",
      on = "sim:h200",
      replies = {
        {
          132,
          en = [[
            This is one block for each multiprocessor. How many blocks of 256 threads fit into 2048
            thread slots?
          ]],
          zh = "这是每个多处理器一个块。2048 个线程槽放得下几个 256 线程的块？",
        },
        {
          8,
          en = "This is for one multiprocessor.",
          zh = "这是一个多处理器的块数。",
        },
        {
          4224,
          en = [[
            This is all block slots, 32 for each multiprocessor. The thread slots are full before.
          ]],
          zh = "这是全部块槽，每个多处理器 32 个。线程槽先用完。",
        },
        {
          270336,
          en = "This is the number of threads. A block has 256 of them.",
          zh = "这是线程数。一个块有 256 个线程。",
        },
      },
      because = {
        en = [[
          132 * 2048 / 256. The program asks at run time how many blocks fit on one multiprocessor,
          with `cudaOccupancyMaxActiveBlocksPerMultiprocessor`.
        ]],
        zh = [[
          132 * 2048 / 256。程序在运行时用 `cudaOccupancyMaxActiveBlocksPerMultiprocessor` 查询一个
          多处理器能放几个块。
        ]],
      },
    },
    predict {
      en = [[
        Now the same program on a T4, which has 40 multiprocessors with 1024 thread slots each. How
        many blocks does the program launch?
      ]],
      zh = "同一个程序在 T4 上启动多少个块？T4 有 40 个多处理器，各有 1024 个线程槽。",
      counter = "blocks",
      of = "answer",
      on = "sim:t4",
      replies = {
        {
          1056,
          en = "This is the number for an H200. The program asks the device on which it runs.",
          zh = "这是 H200 上的块数。程序问的是它所在的设备。",
        },
        {
          320,
          en = [[
            This is 8 blocks for each multiprocessor, as on an H200. A T4 has only half as many
            thread slots.
          ]],
          zh = "这是每个多处理器 8 个块，与 H200 一样。T4 的线程槽只有一半。",
        },
        {
          4,
          en = "This is for one multiprocessor.",
          zh = "这是一个多处理器的块数。",
        },
      },
      because = {
        en = [[
          40 * 1024 / 256. The source is the same as before, and it contains no figures of either
          device.
        ]],
        zh = "40 * 1024 / 256。源代码与之前相同，里面没有写任何设备的数字。",
      },
    },
    exercise {
      en = [[
        Write the launch. The kernel has a grid-stride loop, so its result is right with every grid.
        Your task is to choose a grid that fits the device. Run `check` on another device, too:
        `device sim:t4`.
      ]],
      zh = [[
        请写好启动配置。核函数里是网格跨步循环，所以用任何网格结果都正确。
        你的任务是选一个适合设备的网格。再换一种设备运行 `check`：`device sim:t4`。
      ]],
    },
    show {
      en = [[
        The occupancy of your launch, and what it would be with other block sizes and register
        counts:
      ]],
      zh = "你的启动配置的占用率，以及换成别的块大小和寄存器数时的占用率：",
      picture = "calculator",
    },
    compare {
      en = [[
        Your version beside the baseline, which launches one block of 96 threads on each
        multiprocessor. Both do the same work, but they differ in how many warps wait at the same
        time:
      ]],
      zh = [[
        你的版本与基线的对比。基线在每个多处理器上启动一个 96 线程的块。两者的工作量一样，
        不同的是同时有多少个 warp 在等待：
      ]],
      counters = { "blocks", "threads_per_block", "occupancy_pct", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        You need three numbers. You choose the threads per block. You ask the device for the number
        of its multiprocessors, and for the number of blocks that each of them holds.
      ]],
      zh = [[
        你需要三个数。每块的线程数由你选；多处理器的个数，以及每个多处理器能驻留的块数，
        要向设备查询。
      ]],
    },
    {
      en = [[
        Take 256 threads per block. This is a multiple of 32, at least 128, and at most half of what
        the smallest multiprocessor holds. Multiply the other two numbers to get the number of
        blocks.
      ]],
      zh = [[
        每块取 256 个线程：是 32 的倍数，不少于 128，也不超过最小的多处理器所能容纳的线程数的一半。
        另外两个数相乘，就是块数。
      ]],
    },
    {
      en = [[
        First call `cudaGetDevice(&device)`, and then the two functions that the comment names.
        Launch with `walk<<<processors * blocks, threads>>>(...)`.
      ]],
      zh = [[
        先调用 `cudaGetDevice(&device)`，再调用注释里写的两个函数。
        启动时写 `walk<<<processors * blocks, threads>>>(...)`。
      ]],
    },
  },

  after = {
    en = [[
      The grid is exactly one wave and uses every place. The grid-stride loop shares the work
      evenly, so there is no tail. The same launch fits devices that did not exist when you wrote
      it.

      `cudaOccupancyMaxPotentialBlockSize` chooses the block size, too. Among the sizes with the
      best occupancy, it takes the *largest*, often 1024 threads. For a kernel without barriers,
      that is fine. But then a multiprocessor of an H200 holds only two blocks, and a multiprocessor
      of a T4 holds only one.

      Occupancy is only a means: once the memory is busy, more warps gain nothing. How much the
      launch matters depends on the kernel. Where time counts, try a few sizes and measure. Ask the
      device at run time for its figures (multiprocessors, registers, shared memory), and do not
      write them into your source.
    ]],
    zh = [[
      网格正好是一波，占满所有位置。网格跨步循环把工作分得均匀，所以没有尾波。同样的启动代码，
      也适合你写它的时候还没造出来的设备。

      `cudaOccupancyMaxPotentialBlockSize` 连块大小也替你选：在占用率最好的各种大小里取*最大*的，
      往往是 1024 个线程。核函数没有屏障时，这没有问题。但这样一来，H200 的每个多处理器只能驻留两个
      块，T4 的每个多处理器只能驻留一个。

      占用率只是手段：内存一旦忙起来，再多的 warp 也没有用。启动配置的影响有多大，取决于核函数。
      在讲究时间的地方，多试几种大小，用测量来决定。多处理器个数、寄存器、共享内存这些数值，
      要在运行时向设备查询，不要写死在源代码里。
    ]],
  },
  more = {
    en = [[
      Launch one block more than the device can hold at once. What does `device_us` say, and why
      does the time not double here? Then give each place of the walk its own thread, and remove
      the loop over the places. How many waves does that take on each device?
    ]],
    zh = [[
      启动的块数比设备能同时驻留的块数多一个。`device_us` 怎么变？为什么这里的时间没有翻倍？
      再改成每个地点一个线程，去掉对地点的循环。在每种设备上各是几波？
    ]],
  },
  draws = { tail = { p = { from = { 16, 40, 132 } }, r = { from = { 2, 4, 8 } }, b = { 300, 3000 } } },
}
