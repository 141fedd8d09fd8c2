-- Chapter 10: a kernel lacks its barrier. For which block sizes is it correct all the same?
local listing = [[
            01  const int MOST = 20;
            02
            03  __global__ void transpose_tiles(float *a, int block, int w, int h) {
            04      __shared__ float tile[MOST][MOST];
            05      int x = blockIdx.x * block + threadIdx.x;
            06      int y = blockIdx.y * block + threadIdx.y;
            07      tile[threadIdx.y][threadIdx.x] = a[y * w + x];
            08      a[y * w + x] = tile[threadIdx.x][threadIdx.y];
            09  }
]]

return lab {
  id = "block-size",
  title = { en = "Which block sizes are right?", zh = "哪些块大小是对的？" },
  chapter = 10,
  minutes = 20,
  needs = { "sync-cost" },
  source = "practice",
  teaches = {
    ["block-size-one-warp"] = "say ask",
    ["block-size-lockstep"] = "ask say after",
    ["block-size-barrier"] = "exercise goals after",
    ["block-size-threads"] = "ask",
  },

  entry = "void block_size(float *a, int block, int w, int h)",
  args = { a = inout(uniform(-1, 1, "w * h")) },
  cases = {
    { block = 1, w = 7, h = 5 },
    { block = 2, w = 8, h = 8 },
    { block = 5, w = 25, h = 20 },
    { block = 6, w = 24, h = 24 },
    { block = 13, w = 100, h = 53 },
    { block = 20, w = 61, h = 43 },
    { block = 16, w = 512, h = 512, timed = true },
  },
  hidden = { count = 4, block = { 2, 20 }, w = { 20, 150 }, h = { 20, 150 } },
  goals = {
    correct {
      points = 3,
      en = [[
        One thread writes an element of `tile`, and another thread reads it. Something has to
        guarantee that the write comes first, for all threads of the block.
      ]],
      zh = [[
        一个线程写 `tile` 的元素，另一个线程读这个元素。必须有什么来保证先写后读，
        而且要对块里的所有线程都保证。
      ]],
    },
    at_most("block_barriers", 8192 / 2 * 3) {
      points = 2,
      en = [[
        A thread needs a barrier only before it reads what another thread has written. After the
        last read of the tile you need no barrier.
      ]],
      zh = "线程要读别的线程写的内容，才需要在读之前有一个屏障。最后一次读 tile 之后不需要屏障。",
    },
    answer("line") {
      points = 2,
      is = "line",
      finding = "race",
      of = "kernels/block-size-book.cu",
      entry = "void block_size(float *a, int block, int w, int h)",
      args = { a = inout(uniform(-1, 1, "w * h")) },
      case = { block = 16, w = 64, h = 64 },
      baseline = "kernels/block-size.cu",
      on = "sim:h200",
      en = [[
        A race consists of two accesses to one address by two threads. At least one of the accesses
        is a write, and nothing determines which access comes first.
      ]],
      zh = [[
        竞争由两次访问组成：两个线程访问同一个地址，其中至少一次是写，而且没有什么规定哪次访问在先。
      ]],
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch acts as a barrier, too. But here you may use only one launch.",
      zh = "一次启动的结束也相当于一个屏障。但这里只允许启动一次。",
    },
  },

  steps = {
    say {
      en = [[
        The kernel of this lab transposes tiles of a matrix in place. A block of `block` x `block`
        threads transposes a tile of `block` x `block` elements. Each thread puts its element into
        shared memory and takes another element out.

]] .. listing .. [[

        `block` can be 1 to 20. *For which of these sizes is the result correct?* A textbook asks
        this question. Decide before you read on. Later in this lab you will make the kernel
        correct for all sizes.

        A hint: thread (x, y) writes tile[y][x] and reads tile[x][y]. Thread (y, x) writes tile[x][y].
        Nothing in the program guarantees that thread (y, x) writes first.
      ]],
      zh = [[
        本实验的核函数把矩阵的各个 tile 原地转置。一个 tile 有 `block` x `block` 个元素，由一个
        有 `block` x `block` 个线程的块来转置：每个线程把自己的元素放进共享内存，再取出另一个元素。

]] .. listing .. [[

        `block` 可以是 1 到 20。*哪些大小的结果是对的？* 有一本教科书问的就是这个问题。
        先自己想好再往下看。后面你还要把核函数改成对所有大小都正确。

        提示：线程 (x, y) 写 tile[y][x]，读 tile[x][y]，而 tile[x][y] 是线程 (y, x) 写的。
        程序里没有任何东西保证线程 (y, x) 先写。
      ]],
    },
    ask {
      en = "A block has {b} x {b} threads. How many warps does the block have?",
      zh = "一个块有 {b} x {b} 个线程，由多少个线程束（warp）组成？",
      draw = { b = { 2, 20 } },
      answer = function(d) return ceil_div(d.b * d.b, 32) end,
      replies = {
        {
          function(d) return d.b end,
          en = [[
            This is the number of rows. A row is not a warp: the numbering of the threads continues
            from one row to the next.
          ]],
          zh = "这是行数。warp 不等于行：线程的编号从一行接着数到下一行。",
        },
      },
      because = {
        en = [[
          The {b} * {b} threads are numbered row by row, and every 32 of them form a warp. The last
          warp may have fewer threads.
        ]],
        zh = "{b} * {b} 个线程逐行编号，每 32 个组成一个 warp。最后一个 warp 可能不满。",
      },
    },
    ask {
      en = "What is the largest `block` for which the whole block fits into one warp?",
      zh = "`block` 最大是多少时，整个块还能装进一个 warp？",
      answer = 5,
      replies = {
        {
          32,
          en = "A warp holds 32 threads in all, but a block has `block` * `block` threads.",
          zh = "一个 warp 一共容纳 32 个线程，而一个块有 `block` * `block` 个线程。",
        },
        {
          6,
          en = "6 * 6 are 36 threads. A warp holds 32.",
          zh = "6 * 6 是 36 个线程，而一个 warp 只容纳 32 个。",
        },
        {
          25,
          en = "This is a number of threads. Which `block` gives it?",
          zh = "这是线程数。`block` 是几，才有这么多线程？",
        },
      },
      because = {
        en = [[
          5 * 5 = 25 threads fit into one warp, but 6 * 6 = 36 threads take two. So the textbook
          answers that 1 to 5 are correct. The textbook's reason: the lanes of a warp execute in
          step, so all of them execute line 07 before any of them executes line 08. From 6 on, the
          result depends on which warp is faster.
        ]],
        zh = [[
          5 * 5 = 25 个线程装得进一个 warp，6 * 6 = 36 个线程要两个。所以教科书的答案是：1 到 5 是对
          的。教科书的理由是：一个 warp 的 lane 步调一致，全部执行完第 07 行，才执行第 08 行。从 6
          起，结果取决于哪个 warp 更快。
        ]],
      },
    },
    ask {
      en = [[
        The textbook is from 2010. For `block` from 2 to 5, what does the language guarantee today,
        on Volta and later devices?
      ]],
      zh = [[
        那本教科书写于 2010 年。如今在 Volta 及以后的设备上，`block` 为 2 到 5 时，语言保证了什么？
      ]],
      choices = {
        {
          en = [[
            Nothing: the lanes of a warp need not execute in step, so this is a race, although it
            rarely shows
          ]],
          zh = "什么也没保证：一个 warp 的 lane 不必步调一致，所以这是竞争，只是很少看得出来",
          right = true,
          because = {
            en = [[
              The 32 lanes of a warp usually execute an instruction together, but the compiler and
              the scheduler may separate them. By the rules of the language, only `block` = 1 is
              correct: then each thread reads the element that it wrote itself.
            ]],
            zh = [[
              warp 的 32 个 lane 通常一起执行同一条指令，但编译器和调度器可以让它们分开。
              按语言的规定，只有 `block` = 1 是对的：这时每个线程读的就是自己写的元素。
            ]],
          },
        },
        {
          en = "The lanes of a warp always execute in step",
          zh = "一个 warp 的 lane 总是步调一致",
          because = {
            en = [[
              This was true before Volta. Since Volta, each lane has a program counter of its own.
            ]],
            zh = "Volta 之前是这样。从 Volta 起，每个 lane 都有自己的程序计数器。",
          },
        },
        {
          en = "Shared memory is always written before it is read",
          zh = "共享内存总是先写后读",
          because = {
            en = [[
              This is true for the accesses of one thread. Between two threads, nothing determines
              the order unless there is a barrier.
            ]],
            zh = "同一个线程的访问是这样。两个线程之间，如果没有屏障，先后就没有规定。",
          },
        },
      },
    },
    ask {
      en = [[
        In this lab `block` is at most 20. How many threads would a block have if `block` were {m}?
      ]],
      zh = "这个实验里 `block` 最大是 20。假设 `block` 是 {m}，一个块会有多少个线程？",
      draw = { m = { from = { 33, 34, 36, 40 } } },
      answer = function(d) return d.m * d.m end,
      replies = {
        {
          function(d) return d.m end,
          en = "This is one edge of the block. The block is a square.",
          zh = "这是块的一条边。块是正方形的。",
        },
        {
          400,
          en = "This is 20 * 20, for the largest `block` of this lab.",
          zh = "这是 20 * 20，即本实验里最大的 `block`。",
        },
        {
          1024,
          en = "This is the most that a block can have, not what {m} asks for.",
          zh = "这是一个块最多能有的线程数，不是 {m} 要求的线程数。",
        },
      },
      because = {
        en = [[
          {m} * {m}. A block has at most 1024 threads, 32 x 32, so this launch would fail. (A block
          of the textbook's device has at most 512 threads, so 22 x 22 are possible there.)
        ]],
        zh = [[
          {m} * {m}。一个块最多 1024 个线程，也就是 32 x 32，所以这样无法启动。
          （在教科书所用的设备上，一个块最多 512 个线程，可以是 22 x 22。）
        ]],
      },
    },
    predict {
      en = [[
        In a correct version, every thread executes `__syncthreads()` once. The counter grows by one
        whenever a warp arrives at the barrier. The timed case has 512 x 512 elements and blocks of
        16 x 16 threads. How many arrivals are counted?
      ]],
      zh = [[
        在正确的版本里，每个线程执行一次 `__syncthreads()`，每有一个 warp 到达屏障，计数器就加一。
        计时用例有 512 x 512 个元素，每块 16 x 16 个线程。一共计多少次？
      ]],
      counter = "barriers",
      of = "answer",
      tolerance = 0.01,
      replies = {
        {
          1024,
          en = "This is the number of blocks. How many warps arrive in each block?",
          zh = "这是块数。每个块里有几个 warp 到达？",
        },
      },
      because = {
        en = "There are 32 * 32 blocks, and each block has 256 / 32 = 8 warps.",
        zh = "一共 32 * 32 个块，每块有 256 / 32 = 8 个 warp。",
      },
    },
    exercise {
      en = [[
        `run` shows for each size whether the output is correct, and what the device reports. First
        run the file unchanged: a *wrong output* and a *race* are different things.

        Then make the kernel correct for every size and every w and h. The race is between two lines
        of the listing above: write the number of one of the two lines behind `// answer line:`.
      ]],
      zh = [[
        对每种大小，`run` 都会告诉你输出对不对、设备报告了什么。先运行原样的文件：*输出错误*和*竞争*是两回
        事。

        然后修改核函数，使它对每种大小、任意 w 和 h 都正确。竞争发生在上面程序的两行之间：
        把其中一行的行号写在 `// answer line:` 后面。
      ]],
    },
    show {
      en = [[
        Your kernel, line by line. Does the last warp of a block have idle lanes? With 16 x 16
        threads it has none. With 13 x 13 threads, the sixth warp has only 9 active lanes.
      ]],
      zh = [[
        逐行看你的核函数。块的最后一个 warp 有没有空闲的 lane？16 x 16 个线程时没有。13 x 13 个线程
        时，第六个 warp 只有 9 个活跃的 lane。
      ]],
      picture = "divergence",
    },
    compare {
      en = [[
        Your counters beside those of the baseline, in which one thread transposes a whole tile:
      ]],
      zh = "你的计数器与基线的对比。基线里，一个线程转置整个 tile：",
      counters = { "barriers", "gld_requests", "gld_sectors", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        Thread (0, 1) reads an element. Which thread wrote this element? Is it possible that the
        warp of that thread has not started yet?
      ]],
      zh = "线程 (0, 1) 读的元素是哪个线程写的？那个线程所在的 warp 会不会还没有开始执行？",
    },
    {
      goal = "correct",
      en = [[
        All threads of the block must execute line 07 before any of them executes line 08.
        `__syncwarp()` waits for the threads of a warp, and `__syncthreads()` waits for all threads
        of the block.
      ]],
      zh = [[
        块里的线程全部执行完第 07 行，才能有线程执行第 08 行。`__syncwarp()` 等一个 warp 的线
        程，`__syncthreads()` 等整个块的线程。
      ]],
    },
    {
      en = [[
        Put `__syncthreads();` between the two lines. The device names the lines of both accesses,
        and you may answer with either of them.
      ]],
      zh = "在两行之间加一句 `__syncthreads();`。设备会报出两次访问的行号，答哪一个都算对。",
    },
  },

  after = {
    en = [[
      With `block` = 4, a test passes with and without the barrier, on many devices and for years.
      One right output does not prove that a program is correct. A program is correct only if its
      output is right in every possible order of its threads. The output cannot tell you this, but
      the device's report can.

      The algorithm needs the barrier, whatever the size. So keep the barrier for small blocks, too.
      If you know that a block has only one warp, `__syncwarp()` is enough, and it is cheaper.
    ]],
    zh = [[
      用 `block` = 4 来测试，有没有屏障都会通过，多年来在许多设备上都是如此。一次输出正确，
      不能证明程序正确。无论线程按什么次序执行，输出都正确，程序才算正确。这一点从输出看不出来，
      设备的报告能告诉你。

      需要屏障的是算法，与块的大小无关，所以块再小也要保留屏障。如果知道一个块只有一个 warp，
      用 `__syncwarp()` 就够了，开销也更小。
    ]],
  },
  more = {
    en = [[
      Take the barrier out again and `run`. For which sizes is the output wrong, and for which does
      the device report a race? Then put `__syncwarp()` in place of the barrier. Which sizes become
      correct?
    ]],
    zh = [[
      再去掉屏障，`run` 一次。哪些大小输出错误，哪些大小设备报告了竞争？然后在原处改
      用 `__syncwarp()`，哪些大小变对了？
    ]],
  },
}
