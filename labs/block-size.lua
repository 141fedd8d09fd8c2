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
      en = "One thread writes an element of `tile` and another thread reads it. Something has to guarantee that the write comes first, for every thread of the block.",
      zh = "一个线程写 `tile` 的元素，另一个线程读这个元素。必须有什么来保证先写后读，而且对块里的每个线程都要保证。",
    },
    at_most("block_barriers", 8192 / 2 * 3) {
      points = 2,
      en = "A barrier is needed only where a thread reads what another thread wrote. After the last read of the tile no thread waits for another.",
      zh = "只有要读别的线程写的内容时，才需要屏障。最后一次读 tile 之后，线程之间不必再等。",
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
      en = "A race consists of two accesses to one address by two threads. At least one of them is a write, and nothing puts them in order.",
      zh = "竞争由两次访问组成：两个线程访问同一个地址，至少一次是写，而且没有什么规定这两次访问的先后。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch acts as a barrier, too. Here a single launch has to do it all.",
      zh = "一次启动的结束也相当于一道屏障。这里要求在一次启动里全部完成。",
    },
  },

  steps = {
    say {
      en = [[
        This kernel transposes each tile of `block` x `block` elements in place. Each thread puts its element into shared memory and takes another one out.

]] .. listing .. [[

        Each block has `block` x `block` threads, where `block` can be 1 to 20. *For which of these sizes is the result correct?* Decide before you read on; a textbook asks the same question.

        Note that thread (x, y) writes tile[y][x] and reads tile[x][y]. Thread (y, x) wrote that element. Nothing in the program guarantees that it has written yet.
      ]],
      zh = [[
        这个核函数把每个 `block` x `block` 的 tile 原地转置：每个线程把自己的元素放进共享内存，再取出另一个元素。

]] .. listing .. [[

        每个线程块有 `block` x `block` 个线程，`block` 可以是 1 到 20。*哪些大小的结果是对的？* 先自己想好再往下看；有一本教科书问的就是这个问题。

        注意：线程 (x, y) 写 tile[y][x]，读 tile[x][y]。后者是线程 (y, x) 写的，而程序里没有任何东西保证线程 (y, x) 已经写完。
      ]],
    },
    ask {
      en = "A block has {b} x {b} threads. How many warps is that?",
      zh = "一个块有 {b} x {b} 个线程，由多少个线程束（warp）组成？",
      draw = { b = { 2, 20 } },
      answer = function(d) return ceil_div(d.b * d.b, 32) end,
      replies = {
        { function(d) return d.b end, en = "A row of the block is not a warp. The numbering of the threads continues from one row to the next.", zh = "块的一行并不是一个 warp：线程是一行接一行连续编号的。" },
      },
      because = { en = "The {b} * {b} threads are numbered row by row, and every 32 of them are a warp. The last warp may be partly empty.", zh = "{b} * {b} 个线程逐行编号，每 32 个组成一个 warp；最后一个 warp 可能不满。" },
    },
    ask {
      en = "What is the largest `block` for which the whole block fits into one warp?",
      zh = "`block` 最大是多少时，整个块还能装进一个 warp？",
      answer = 5,
      because = {
        en = "5 * 5 = 25 threads are one warp, 6 * 6 = 36 are two. So the textbook answers: 1 to 5 are correct. The lanes of a warp execute in step, so all of them execute line 07 before any executes line 08. From 6 on the result depends on which warp is faster.",
        zh = "5 * 5 = 25 个线程是一个 warp，6 * 6 = 36 个就是两个。所以教科书的答案是：1 到 5 是对的。一个 warp 的 lane 步调一致，全部执行完第 07 行，才执行第 08 行。从 6 起，结果取决于哪个 warp 更快。",
      },
    },
    ask {
      en = "The textbook dates from 2010. What does the language guarantee today, on Volta and later, for `block` from 2 to 5?",
      zh = "那本教科书写于 2010 年。如今在 Volta 及以后的设备上，`block` 为 2 到 5 时，语言保证了什么？",
      choices = {
        {
          en = "Nothing: lanes may run apart from each other, so this is a race, although it rarely shows",
          zh = "什么也没保证：各 lane 可以各走各的，所以这是竞争，只是多半看不出后果",
          right = true,
          because = { en = "The 32 lanes of a warp share each instruction, but the compiler and the scheduler may separate them. By the rules of the language only `block` = 1 is correct: there each thread reads what it wrote itself.", zh = "warp 的 32 个 lane 一起执行同一条指令，但编译器和调度器可以让它们分开。按语言的规定，只有 `block` = 1 是对的：那时每个线程读的就是自己写的元素。" },
        },
        { en = "The lanes of a warp always execute in step", zh = "一个 warp 的 lane 总是步调一致", because = { en = "That was so before Volta. Since then each lane has a program counter of its own.", zh = "Volta 之前是这样。从 Volta 起，每个 lane 都有自己的程序计数器。" } },
        { en = "Shared memory is always written before it is read", zh = "共享内存总是先写后读", because = { en = "Within one thread, yes. Between two threads nothing is in order without a barrier.", zh = "在同一个线程里是这样。不同的线程之间，没有屏障就没有先后。" } },
      },
    },
    ask {
      en = "The question stops at 20, far below {m}. How many threads would a block of {m} x {m} have?",
      zh = "题目只问到 20，没有问 {m}。{m} x {m} 的块会有多少个线程？",
      draw = { m = { from = { 33, 34, 36, 40 } } },
      answer = function(d) return d.m * d.m end,
      because = { en = "{m} * {m}. A block has at most 1024 threads, 32 x 32, so this launch does not run at all. (The textbook's device allowed 512 threads: 22 x 22.)", zh = "{m} * {m}。一个块最多 1024 个线程，也就是 32 x 32，所以这样根本无法启动。（教科书里的设备最多 512 个线程：22 x 22。）" },
    },
    predict {
      en = "A correct version executes `__syncthreads()` once. The counter grows by one for each warp that arrives. The timed case has 512 x 512 elements and blocks of 16 x 16 threads: how many arrivals are counted?",
      zh = "正确的版本执行一次 `__syncthreads()`，每个 warp 到达时计数一次。计时用例有 512 x 512 个元素，每块 16 x 16 个线程：一共计多少次？",
      counter = "barriers",
      of = "answer",
      tolerance = 0.01,
      replies = {
        { 1024, en = "That is the number of blocks. Each block has several warps.", zh = "这是块数。每个块有好几个 warp。" },
      },
      because = { en = "There are 32 * 32 blocks, and each has 256 / 32 = 8 warps.", zh = "32 * 32 个块，每块 256 / 32 = 8 个 warp。" },
    },
    exercise {
      en = [[
        `run` shows for each size whether the result is correct, and what the device found. Run the file unchanged first: a *wrong output* and a *race* are two different things.
        Then make the kernel correct for every size and every w and h. Behind `// answer line:`, write the line of the listing above in which the race is.
      ]],
      zh = [[
        `run` 会逐个大小告诉你结果对不对、设备发现了什么。先运行原样的文件：*输出错误*和*竞争*是两回事。然后修改核函数，使它对每种大小、任意 w 和 h 都正确。最后在 `// answer line:` 后面写上竞争在上面程序的第几行。
      ]],
    },
    show {
      en = "Your kernel, line by line. Does the last warp have idle lanes? With 16 x 16 threads it has none; with 13 x 13 the sixth warp has 9 active lanes.",
      zh = "逐行看你的核函数。最后一个 warp 有没有空闲的 lane？16 x 16 个线程时没有；13 x 13 个线程时，第六个 warp 只有 9 个活跃的 lane。",
      picture = "divergence",
    },
    compare {
      en = "Beside the baseline, in which one thread transposes a whole tile:",
      zh = "与基线对比。基线里一个线程独自转置整个 tile：",
      counters = { "barriers", "gld_requests", "gld_sectors", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Which thread wrote the element that thread (0, 1) reads? Could that thread be in another warp that has not started yet?",
      zh = "线程 (0, 1) 读的元素是哪个线程写的？那个线程会不会在另一个还没开始执行的 warp 里？",
    },
    {
      goal = "correct",
      en = "All threads of the block have to finish line 07 before any of them executes line 08. `__syncwarp()` waits for a warp, `__syncthreads()` for the block.",
      zh = "块里的线程全部执行完第 07 行，才能有线程执行第 08 行。`__syncwarp()` 等一个 warp，`__syncthreads()` 等整个块。",
    },
    {
      en = "Put one `__syncthreads();` between the two lines. The device names the lines of both accesses; either is a right answer.",
      zh = "在两行之间加一句 `__syncthreads();`。设备会报出两次访问的行号，答哪一个都算对。",
    },
  },

  after = {
    en = [[
      A test with `block` = 4 would have passed with and without the barrier, on many devices and for years. A program is not correct because its output was right once. It is correct
      if no order of its threads can make the output wrong. The device's report tells you that; the output cannot.

      The algorithm needs the barrier, whatever the size: keep it for small blocks, too. If a block is known to be one warp, `__syncwarp()` is enough, and cheaper.
    ]],
    zh = [[
      用 `block` = 4 来测试，有没有屏障都会通过，多年来在许多设备上都是如此。输出对了一次，不等于程序正确。无论线程按什么次序执行，输出都不会错，程序才算正确。设备的报告能告诉你这一点，输出不能。

      需要屏障的是算法，与块的大小无关：块再小也要保留屏障。如果确知一个块就是一个 warp，`__syncwarp()` 就够了，开销也更小。
    ]],
  },
  more = {
    en = "Take the barrier out again and `run`. Which sizes have wrong outputs here, and which a race? Then use `__syncwarp()` instead. Which sizes become correct?",
    zh = "再去掉屏障，`run` 一次：哪些大小输出错误，哪些有竞争？然后改用 `__syncwarp()`：哪些大小变对了？",
  },
}
