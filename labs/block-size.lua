-- Chapter 10: for which block sizes is a kernel right that forgot its barrier?
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
      en = "Between a write of `tile` and the read of another thread's element something has to make sure of the order, for every thread of the block.",
      zh = "写 `tile` 和读别的线程写的元素之间，必须有什么来保证先后，而且要对块里的每个线程都保证。",
    },
    at_most("block_barriers", 8192 / 2 * 3) {
      points = 2,
      en = "A barrier is needed only where threads wait for what others wrote. After the last read of the tile nobody does.",
      zh = "只有要等别的线程写完时才需要屏障。最后一次读 tile 之后，就没有谁要等谁了。",
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
      en = "Two accesses make a race: of two threads, to one address, at least one of them a write, and nothing between them.",
      zh = "竞争由两次访问组成：来自两个线程，访问同一个地址，至少一次是写，而且中间没有同步。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch is a barrier, too: do it in one.",
      zh = "一次启动的结束也是一道屏障：请在一次启动里完成。",
    },
  },

  steps = {
    say {
      en = [[
        This kernel transposes each tile of `block` x `block` elements in place. A thread puts its element into shared memory and takes another one out.

]] .. listing .. [[

        It is launched with `block` x `block` threads, and `block` can be 1 to 20. *For which of these sizes is the result right?* Decide before you read on; a textbook asks it in this form.

        Then note: thread (x, y) writes tile[y][x] and reads tile[x][y], which thread (y, x) wrote. Nothing in the program says that (y, x) has come so far.
      ]],
      zh = [[
        这个核函数把每个 `block` x `block` 的 tile 原地转置：每个线程把自己的元素放进共享内存，再取出另一个。

]] .. listing .. [[

        启动时每块 `block` x `block` 个线程，`block` 可以是 1 到 20。*哪些大小的结果是对的？* 先自己想好再往下看；一本教科书里就是这样问的。

        注意：线程 (x, y) 写 tile[y][x]，读 tile[x][y]，而后者是线程 (y, x) 写的。程序里没有任何东西保证 (y, x) 已经写完。
      ]],
    },
    ask {
      en = "A block has {b} x {b} threads. Of how many warps is it made?",
      zh = "一个块有 {b} x {b} 个线程，由多少个线程束（warp）组成？",
      draw = { b = { 2, 20 } },
      answer = function(d) return ceil_div(d.b * d.b, 32) end,
      replies = {
        { function(d) return d.b end, en = "The rows of a block are not its warps: threads are counted on from row to row.", zh = "块的一行并不是一个 warp：线程是一行接一行连续编号的。" },
      },
      because = { en = "{b} * {b} threads, numbered row by row, 32 at a time; the last warp may be partly empty.", zh = "{b} * {b} 个线程，逐行编号，每 32 个一个 warp；最后一个 warp 可能不满。" },
    },
    ask {
      en = "Up to which `block` does the whole block fit into one warp?",
      zh = "`block` 最大到多少，整个块还能装进一个 warp？",
      answer = 5,
      because = {
        en = "5 * 5 = 25 threads are one warp, 6 * 6 = 36 are two. So the book answers: right for 1 to 5, since the lanes of a warp execute in step, and line 07 of all of them comes before line 08 of any. From 6 on it depends on which warp is faster.",
        zh = "5 * 5 = 25 个线程是一个 warp，6 * 6 = 36 个就是两个。所以教科书上的答案是：1 到 5 是对的，因为一个 warp 的 lane 步调一致，大家都执行完第 07 行才有人执行第 08 行。从 6 起，结果取决于哪个 warp 更快。",
      },
    },
    ask {
      en = "The book is of 2010. What does the language promise today, on Volta and later, for `block` from 2 to 5?",
      zh = "那本书写于 2010 年。在今天（Volta 及以后），`block` 为 2 到 5 时，语言保证了什么？",
      choices = {
        {
          en = "Nothing: lanes may run apart from each other, so this is a race, though mostly without a consequence",
          zh = "什么也没保证：各 lane 可以各走各的，所以这就是竞争，只是多半没有后果",
          right = true,
          because = { en = "A warp has one instruction for 32 lanes, but the compiler and the scheduler may part them. Only `block` = 1, where a thread reads what it wrote itself, is right by the language.", zh = "warp 的 32 个 lane 共用一条指令，但编译器和调度器可以让它们分开走。按语言规定，只有 `block` = 1 是对的：那时线程读的就是自己写的。" },
        },
        { en = "The lanes of a warp always execute in step", zh = "一个 warp 的 lane 总是步调一致", because = { en = "So it was before Volta. Since then each lane has a program counter of its own.", zh = "Volta 之前是这样。从 Volta 起，每个 lane 都有自己的程序计数器。" } },
        { en = "Shared memory is written before it is read", zh = "共享内存总是先写后读", because = { en = "For one thread, yes. Between threads there is no order without a barrier.", zh = "对同一个线程是的；不同线程之间，没有屏障就没有先后。" } },
      },
    },
    ask {
      en = "Why does nobody ask about {m}? How many threads would a block of {m} x {m} have?",
      zh = "题目为什么不问 {m}？{m} x {m} 的块会有多少个线程？",
      draw = { m = { from = { 33, 34, 36, 40 } } },
      answer = function(d) return d.m * d.m end,
      because = { en = "{m} * {m}; a block has at most 1024 threads, 32 x 32. Such a launch does not run at all. (The book's device allowed 512: 22 x 22.)", zh = "{m} * {m}；一个块最多 1024 个线程，也就是 32 x 32，超过就根本启动不了。（教科书里的设备最多 512 个：22 x 22。）" },
    },
    predict {
      en = "A right version has one `__syncthreads()`. It is counted once for each warp that arrives. The timed case has 512 x 512 elements and blocks of 16 x 16 threads: how many arrivals are counted?",
      zh = "正确的版本有一次 `__syncthreads()`。每个 warp 到达一次就计一次。计时用例有 512 x 512 个元素，每块 16 x 16 个线程：一共计多少次？",
      counter = "barriers",
      of = "answer",
      tolerance = 0.01,
      replies = {
        { 1024, en = "So many blocks; each has several warps.", zh = "这是块数；每块有好几个 warp。" },
      },
      because = { en = "32 * 32 blocks of 256 / 32 = 8 warps each.", zh = "32 * 32 个块，每块 256 / 32 = 8 个 warp。" },
    },
    exercise {
      en = [[
        `run` shows for each size whether the result is right, and what the device found. Do it first with the file as it is: wrong outputs and *race* are two different things. Then make the kernel right
        for every size and every w and h, and write the line of the listing above that the race is in behind `// answer line:`.
      ]],
      zh = [[
        `run` 会逐个大小告诉你结果对不对、设备发现了什么。先用原样的文件试一次：*输出错误*和*竞争*是两回事。然后把核函数改到对每种大小、任意 w 和 h 都正确，并在 `// answer line:` 后面写上竞争出在上面程序的哪一行。
      ]],
    },
    show {
      en = "Your kernel, line by line. Is a part of the last warp idle? With 16 x 16 threads no; with 13 x 13 the sixth warp has 9 lanes.",
      zh = "你的核函数，逐行来看。最后一个 warp 有没有空闲的 lane？16 x 16 个线程时没有；13 x 13 时第六个 warp 只有 9 个 lane。",
      picture = "divergence",
    },
    compare {
      en = "Beside the baseline, where one thread does a whole tile alone:",
      zh = "与基线对比；基线由一个线程独自转置一个 tile：",
      counters = { "barriers", "gld_requests", "gld_sectors", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Which thread wrote the element that thread (0, 1) reads? What if that thread is in another warp, which has not begun yet?",
      zh = "线程 (0, 1) 读的元素是哪个线程写的？如果那个线程在另一个还没开始的 warp 里呢？",
    },
    {
      goal = "correct",
      en = "All threads of the block have to be past line 07 before one executes line 08. `__syncwarp()` waits for a warp, `__syncthreads()` for the block.",
      zh = "块里所有线程都过了第 07 行，才能有线程执行第 08 行。`__syncwarp()` 等一个 warp，`__syncthreads()` 等整个块。",
    },
    {
      en = "One `__syncthreads();` between the two lines. Answer the line of either access; the device names both.",
      zh = "在两行之间加一句 `__syncthreads();`。两次访问的行号答哪个都行，设备会把两行都报出来。",
    },
  },

  after = {
    en = [[
      A test with `block` = 4 would have passed before and after, on many devices for years. What makes a program right is not that it came out right, but that no order of its threads can make it
      wrong; the report of the device says that, the output cannot.

      The barrier belongs to the algorithm, not to the size: leave it in for small blocks, too. If blocks are known to be one warp, `__syncwarp()` is enough, and cheaper.
    ]],
    zh = [[
      用 `block` = 4 来测试，修改前后都会通过，而且多年来在许多设备上都会通过。程序正确，不是因为它这次算对了，而是因为无论线程按什么次序执行都不会错；这一点，设备的报告能告诉你，输出不能。

      屏障属于算法，与大小无关：块再小也要留着它。如果确知一个块就是一个 warp，`__syncwarp()` 就够了，也更便宜。
    ]],
  },
  more = {
    en = "Take the barrier out again and `run`: which sizes have wrong outputs here, and which a race? Then use `__syncwarp()` instead. Which sizes become right?",
    zh = "把屏障再去掉，`run` 一次：哪些大小输出错误，哪些有竞争？再换成 `__syncwarp()`，哪些大小变对了？",
  },
}
