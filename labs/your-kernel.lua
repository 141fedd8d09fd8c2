-- Chapter 10: a whole program of the student's own, before and after.
return lab {
  id = "your-kernel",
  title = { en = "Your own kernel", zh = "你自己的核函数" },
  chapter = 10,
  minutes = 40,
  needs = { "bottleneck", "bug-hunt" },
  source = "practice; guide 5.1",
  teaches = {
    ["before-and-after"] = "say exercise goals skeleton",
    ["remedy-worth"] = "say ask",
    ["part-of-the-whole"] = "ask after",
    ["report-by-line"] = "show goals",
  },

  files = { "main.cu", "kernel.cu", "kernel.h" },
  program = true,
  entry = "void program(int n)",
  cases = {
    { n = 1003 },
    { n = 1 },
    { n = 1 << 15, timed = true },
  },
  hidden = { count = 2, n = { 2, 3000 } },
  forbid = {},
  goals = {
    correct {
      points = 2,
      en = "The program has to return 0 for every n, and the device must not find anything wrong.",
      zh = "程序对每个 n 都必须返回 0，而且设备没有发现任何问题。",
    },
    at_least("launches", 2) { points = 1 },
    counter("global_store_bytes", ">=", 0.75) {
      points = 1,
      kernel = "after",
      beside = "before",
      en = "`after` has to store what `before` stores.",
      zh = "`before` 写出多少字节，`after` 也要写出多少字节。",
    },
    counter("kernel_us", "<=", 0.7) {
      points = 3,
      kernel = "after",
      beside = "before",
      en = "What limits `before`? A remedy for anything else gains nothing.",
      zh = "`before` 的瓶颈是什么？针对别处的办法一点用也没有。",
    },
    answer("limiter") {
      points = 1,
      is = "limiter",
      en = "It is the limiter of the launch that takes longest. `profile` names it.",
      zh = "这里指用时最长的那次启动的瓶颈，`profile` 会写明。",
    },
    answer("line") {
      points = 1,
      is = "line",
      counter = "gld_sectors",
      en = "`show sectors` lists requests line by line. Multiply a line's requests by its sectors per request. Only reads count.",
      zh = "`show sectors` 逐行列出请求；一行的扇区总数等于请求数乘以每个请求的扇区数。只算读取，不算写入。",
    },
  },

  steps = {
    say {
      en = [[
        Bring a kernel from your thesis, your work or a book. This lab is a whole program with a `main`, in three files, and all of them are yours. It has three rules:

        - The program gets n on its command line. It returns 0 when all is well, for any n from 1 on.
        - A kernel with `before` in its name is the old version; one with `after` in its name is the new version.
        - Both run in one program on the same input, and the *program* compares their results.

        If you have no kernel, keep the example: it divides each number of a row of 32 by the sum of its row.

        Before you change a line, ask what the change can gain at most. The device's report tells you:

            finding                                  gain at most
            more sectors per request than needed     their ratio, if l1, l2
                                                     or dram is the limiter
            several passes of a shared access        their number, if shared
            lanes idle in a branch                   32 / active, if issue
            few warps                                the missing occupancy,
                                                     if latency
      ]],
      zh = [[
        带一个核函数来：论文里的、工作中的、教科书上的都行。这个实验是一个带 `main` 的完整程序，分三个文件，全归你。规则有三条：

        - 程序以命令行上的 n 为参数，n 可以是 1 以上的任何数；一切正常时返回 0。
        - 名字里含 `before` 的核函数是旧版本，含 `after` 的是新版本。
        - 两个版本在同一个程序里、用同样的输入运行，由*程序*比较它们的结果。

        没有核函数的话，就用示例：每行 32 个数，都除以该行之和。

        动手之前先问：这处改动最多能快多少？设备的报告会告诉你：

            发现                        最多快多少
            每个请求的扇区多于所需      两者之比（瓶颈为 l1、l2 或 dram 时）
            共享内存访问要走几遍        遍数（瓶颈为 shared 时）
            分支里有 lane 空闲          32 / 活跃 lane 数（瓶颈为 issue 时）
            warp 太少                   所缺的占用率（瓶颈为 latency 时）
      ]],
    },
    ask {
      en = "The limiter is l2. One line makes nearly all requests, and each asks for {s} sectors. Coalesced, 4 would do. How many times as fast can the kernel become at most by coalescing?",
      zh = "瓶颈是 l2。几乎所有请求都出自同一行，每个请求要 {s} 个扇区；合并之后 4 个就够。仅此一项，核函数最多能加速到原来的几倍？",
      draw = { s = { from = { 8, 12, 16, 32 } } },
      answer = function(d) return d.s / 4 end,
      because = { en = "{s} / 4, if nothing else comes up first. The next limiter, often dram, may stop the kernel earlier.", zh = "{s} / 4，前提是没有先遇到别的瓶颈。下一个瓶颈（往往是 dram）可能让加速更早停下。" },
    },
    ask {
      en = "{p}% of all instructions are in a branch in which {a} of 32 lanes are active. *dram* limits the kernel. What percentage of the kernel's time does a remedy for the branch save at most?",
      zh = "{p}% 的指令在一个分支里，那里 32 个 lane 只有 {a} 个活跃，而核函数的瓶颈是 *dram*。改好这个分支，最多能省百分之几的时间？",
      draw = { p = { from = { 40, 60, 80 } }, a = { from = { 4, 8, 16 } } },
      answer = 0,
      tolerance = 0.01,
      unit = "%",
      because = { en = "None: instructions are issued while the memory works anyway. A flaw that you can see is not yet a flaw that costs.", zh = "一点也省不了：指令本来就是在内存忙的时候发射的。看得见的毛病，不一定有代价。" },
    },
    ask {
      alone = true,
      en = "The kernel takes {p}% of your program's time. You make it {k} times as fast. How many times as fast is the program?",
      zh = "核函数占你程序时间的 {p}%。你让它加速到原来的 {k} 倍（用时是原来的 1/{k}）。整个程序加速到原来的几倍？",
      draw = { p = { from = { 20, 50, 80, 90 } }, k = { from = { 2, 4, 10 } } },
      answer = function(d) return 1 / (1 - d.p / 100 + d.p / 100 / d.k) end,
      tolerance = 0.02,
      because = { en = "1 / (1 - p + p / {k}) with p = {p}%. So measure the whole before the part: copies, allocation and host code count, too.", zh = "1 / (1 - p + p / {k})，p = {p}%。所以先测整体再看局部：拷贝、分配和主机代码都要算进去。" },
    },
    predict {
      en = "In the unchanged example a thread has a row of 32 floats, which it reads and writes number by number. How many sectors does one of its load requests ask for on average?",
      zh = "在原样的示例里，一个线程管一行 32 个 float，逐个读写。它的一个读请求平均要多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0.1,
      replies = {
        { 4, en = "That would be right if neighbouring lanes read neighbouring floats. Lane k + 1 reads from another row.", zh = "相邻的 lane 读相邻的 float 时才是这样。这里 lane k + 1 读的是另一行。" },
      },
      because = { en = "Lanes are 128 bytes apart, so each needs a sector of its own. The request uses 4 of its 32 bytes.", zh = "相邻 lane 相隔 128 字节，所以各占一个扇区，32 字节只用到 4 字节。" },
    },
    exercise {
      en = [[
        `edit kernel` opens kernel.cu, `edit main` opens main.cu. `run` says whether the program ends well; `profile` and `show` report on it. Write two answers into main.cu: the limiter of `before`, and the line of kernel.cu that reads
        the most sectors (writes do not count). Then fix `after`: it may take at most 0.7 times as long as `before`.
      ]],
      zh = [[
        `edit kernel` 打开 kernel.cu，`edit main` 打开 main.cu。`run` 看程序能否正常结束，`profile` 和 `show` 给出报告。先在 main.cu 里写两个答案：`before` 的瓶颈，以及 kernel.cu 里读取扇区最多的那一行（写入不计）。然后改好 `after`：用时不超过 `before` 的 0.7 倍才算通过。
      ]],
    },
    show {
      en = "The report, file by file and line by line. First the sectors:",
      zh = "报告逐个文件、逐行给出。先看扇区：",
      picture = "sectors",
    },
    show {
      en = "Then the active lanes:",
      zh = "再看活跃的 lane：",
      picture = "divergence",
    },
    show {
      en = "Last, the whole program, all its kernels together, under the roofline:",
      zh = "最后看整个程序（所有核函数合计）在屋顶线图上的位置：",
      picture = "roofline",
    },
  },

  hints = {
    {
      goal = "limiter",
      en = "Find the limiter of the longest launch first, with `profile`. Then find the line that causes it, with `show sectors` or `show banks`.",
      zh = "先用 `profile` 看用时最长的那次启动的瓶颈，再用 `show sectors` 或 `show banks` 找出是哪一行造成的。",
    },
    {
      en = "The sectors asked of the L2 limit the example. A row has 32 numbers, and a warp has 32 lanes.",
      zh = "示例的瓶颈是向 L2 请求的扇区。一行有 32 个数，一个线程束（warp）有 32 个 lane。",
    },
    {
      en = "Give each row a warp: `float v = in[r * COLUMNS + lane]`, five `__shfl_xor_sync` for the sum, `out[...] = v / sum`. Launch (n + 7) / 8 blocks of 256. The limiter of `before` is l2; the line is that of either loop.",
      zh = "一个 warp 管一行：`float v = in[r * COLUMNS + lane]`，用 5 次 `__shfl_xor_sync` 求和，再 `out[...] = v / sum`；启动 (n + 7) / 8 个 256 线程的块。`before` 的瓶颈是 l2，行号填两个循环中的任意一个。",
    },
  },

  after = {
    en = [[
      Keep this form for your own work. The old version stays beside the new one, both run on the same input, the program compares them, and a number says what the change gained. Then take on the next limiter. Stop when
      what is left is not worth your time, or when the rest of the program takes longer than the kernel.

      `warplab profile FILE.cu` gives the same report for any program, without a lab. On a GPU, Nsight Compute shows the same counters.
    ]],
    zh = [[
      以后做自己的工作，也保持这种形式：旧版本留在新版本旁边，两者用同样的输入，由程序比较结果，再用一个数说明改动快了多少。然后看下一个瓶颈，直到剩下的不值得你花时间，或者程序其余部分比核函数用时还长。

      `warplab profile FILE.cu` 可以对任何程序给出同样的报告，不需要实验；在 GPU 上，Nsight Compute 用的也是这些计数器。
    ]],
  },
  more = {
    en = "Put your `after` in the place of `before` and start again. What limits it now, and what would the next remedy gain? `device sim:t4` and `device sim:g80` may give other answers.",
    zh = "用你的 `after` 替换 `before`，再来一遍：现在的瓶颈是什么？下一个办法能快多少？换到 `device sim:t4` 和 `device sim:g80`，答案可能不同。",
  },
}
