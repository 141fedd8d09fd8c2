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
      en = "The program has to return 0 for every n, and the device may find nothing wrong.",
      zh = "程序对每个 n 都必须返回 0，而且设备不能发现任何问题。",
    },
    at_least("launches", 2) { points = 1 },
    counter("global_store_bytes", ">=", 0.75) {
      points = 1,
      kernel = "after",
      beside = "before",
      en = "`after` has to store what `before` stores.",
      zh = "`before` 写出多少，`after` 也要写出多少。",
    },
    counter("kernel_us", "<=", 0.7) {
      points = 3,
      kernel = "after",
      beside = "before",
      en = "What limits `before`? A remedy for anything else is worth nothing.",
      zh = "`before` 受什么限制？针对别的东西的办法一点用也没有。",
    },
    answer("limiter") {
      points = 1,
      is = "limiter",
      en = "It is that of the launch that takes longest; `profile` says it.",
      zh = "指用时最长的那次启动，`profile` 会说明。",
    },
    answer("line") {
      points = 1,
      is = "line",
      counter = "gld_sectors",
      en = "`show sectors` has requests line by line; sectors are requests times sectors of one. Only reads count.",
      zh = "`show sectors` 逐行列出请求；扇区总数等于请求数乘以每个请求的扇区数。只算读取，不算写入。",
    },
  },

  steps = {
    say {
      en = [[
        Bring a kernel: from your thesis, your work, a book. This lab is a whole program with a `main`, in three files, and all of them are yours. The rules are few:

        - it is called with n on its command line and returns 0 when all is well, for any n from 1 on;
        - a kernel whose name holds `before` is the old version, one whose name holds `after` the new one;
        - both run in one program, on the same input, and the *program* compares what they give.

        Who has no kernel keeps the example: rows of 32 numbers, each divided by the sum of its row.

        Before you change a line, ask what a change can be worth. The report of the device tells it:

            sectors of a request above those needed  their ratio, if l1, l2
                                                     or dram is the limiter
            passes of a shared access                their number, if shared
            lanes idle in a branch                   32 / active, if issue
            few warps, and latency the limiter       missing occupancy
      ]],
      zh = [[
        带一个核函数来：论文里的、工作中的、教科书上的都行。这个实验是一个带 `main` 的完整程序，分三个文件，全归你。规则不多：

        - 程序以命令行上的 n 为参数，一切正常时返回 0，n 为 1 以上的任何数都要能跑；
        - 名字里含 `before` 的核函数是旧版本，含 `after` 的是新版本；
        - 两个版本在同一个程序里、用同样的输入运行，由*程序*比较它们的结果。

        没有核函数的，就用示例：每行 32 个数，都除以该行之和。

        动手之前先问：一处改动最多能快多少？设备的报告会告诉你：

            每个请求的扇区多于所需      两者之比（限制为 l1、l2 或 dram 时）
            共享内存访问要走几遍        遍数（限制为 shared 时）
            分支里有 lane 空闲          32 / 活跃 lane 数（限制为 issue 时）
            warp 少，限制为 latency     所缺的占用率
      ]],
    },
    ask {
      en = "The limiter is l2. The line with nearly all requests asks for {s} sectors each; coalesced, 4 would do. How many times as fast can the kernel get at most by that?",
      zh = "限制是 l2。几乎所有请求都出自同一行，每个请求要 {s} 个扇区；合并之后 4 个就够。仅此一项，核函数最多能快几倍？",
      draw = { s = { from = { 8, 12, 16, 32 } } },
      answer = function(d) return d.s / 4 end,
      because = { en = "{s} / 4, if nothing else comes up first. The next limiter, often dram, may stop it earlier.", zh = "{s} / 4，前提是没有别的限制先冒出来。下一个限制（往往是 dram）可能让它更早停下。" },
    },
    ask {
      en = "Of all instructions {p} % are in a branch in which {a} of 32 lanes are active, and the kernel is limited by *dram*. How many per cent of its time does a remedy for the branch save, at the most?",
      zh = "{p}% 的指令在一个分支里，那里 32 个 lane 只有 {a} 个活跃，而核函数受 *dram* 限制。改好这个分支，最多能省百分之几的时间？",
      draw = { p = { from = { 40, 60, 80 } }, a = { from = { 4, 8, 16 } } },
      answer = 0,
      tolerance = 0.01,
      unit = "%",
      because = { en = "None: instructions are issued while the memory works anyway. A flaw that you can see is not yet a flaw that costs.", zh = "一点也省不了：反正指令是在内存忙的时候发射的。看得见的毛病，不一定是要付代价的毛病。" },
    },
    ask {
      alone = true,
      en = "The kernel takes {p} % of your program's time. You make it {k} times as fast. How many times as fast is the program?",
      zh = "核函数占你程序时间的 {p}%。你让它加速到原来的 {k} 倍（用时是原来的 1/{k}）。整个程序快几倍？",
      draw = { p = { from = { 20, 50, 80, 90 } }, k = { from = { 2, 4, 10 } } },
      answer = function(d) return 1 / (1 - d.p / 100 + d.p / 100 / d.k) end,
      tolerance = 0.02,
      because = { en = "1 / (1 - p + p / {k}) with p = {p} %. So measure the whole before the part: copies, allocation and host code count, too.", zh = "1 / (1 - p + p / {k})，p = {p}%。所以先测整体再看局部：拷贝、分配和主机代码都要算进去。" },
    },
    predict {
      en = "The example as it is: a thread has a row of 32 floats, read and written number by number. How many sectors does one of its load requests ask for, on average?",
      zh = "示例的原样：一个线程管一行 32 个 float，逐个读写。它的一个读请求平均要多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0.1,
      replies = {
        { 4, en = "That would be neighbouring lanes on neighbouring floats. Lane k + 1 has another row.", zh = "相邻 lane 读相邻 float 才是这样。lane k + 1 读的是另一行。" },
      },
      because = { en = "Lanes are 128 bytes apart: a sector each, of which 4 of 32 bytes are used by that request.", zh = "相邻 lane 相隔 128 字节：各占一个扇区，32 字节只用到 4 字节。" },
    },
    exercise {
      en = [[
        `edit kernel` opens kernel.cu, `edit main` main.cu. `run` says whether the program ends well, `profile` and `show` report on it. Write the limiter of `before`, and the line of kernel.cu that reads
        the most sectors (writes do not count), into main.cu; then mend `after`. It counts when it takes at most 0.7 times as long.
      ]],
      zh = [[
        `edit kernel` 打开 kernel.cu，`edit main` 打开 main.cu。`run` 看程序能否正常结束，`profile` 和 `show` 给出报告。把 `before` 的限制、以及 kernel.cu 里读取扇区最多的那一行（写入不计）写进 main.cu，然后改好 `after`。用时不超过原来的 0.7 倍才算数。
      ]],
    },
    show {
      en = "The report, file by file and line by line: sectors,",
      zh = "逐个文件、逐行的报告：扇区，",
      picture = "sectors",
    },
    show {
      en = "lanes,",
      zh = "lane，",
      picture = "divergence",
    },
    show {
      en = "and the program, all its kernels together, under the roofs:",
      zh = "以及整个程序（所有核函数合计）在屋顶线下的位置：",
      picture = "roofline",
    },
  },

  hints = {
    {
      goal = "limiter",
      en = "First the limiter of the longest launch, by `profile`. Then, with that in mind, the line where it comes about, by `show sectors` or `show banks`.",
      zh = "先用 `profile` 看用时最长的那次启动受什么限制；再带着这个问题，用 `show sectors` 或 `show banks` 找出问题出在哪一行。",
    },
    {
      en = "The example is limited by sectors asked of the L2. A row has 32 numbers, a warp 32 lanes.",
      zh = "示例受限于向 L2 请求的扇区。一行有 32 个数，一个线程束（warp）有 32 个 lane。",
    },
    {
      en = "A warp a row: `float v = in[r * COLUMNS + lane]`, five `__shfl_xor_sync` for the sum, `out[...] = v / sum`; launch (n + 7) / 8 blocks of 256. The limiter of `before` is l2, and the line is that of either loop.",
      zh = "一个 warp 管一行：`float v = in[r * COLUMNS + lane]`，五次 `__shfl_xor_sync` 求和，再 `out[...] = v / sum`；启动 (n + 7) / 8 个 256 线程的块。`before` 的限制是 l2，行号填两个循环中的任意一个。",
    },
  },

  after = {
    en = [[
      Keep this shape for your own work: the old version stays beside the new one, both run on the same input, the program compares, and a number says what the change was worth. Then the next limiter, until
      what is left is not worth your time, or the rest of the program takes longer than the kernel.

      `warplab profile FILE.cu` gives the same report on any program, without a lab around it; on a GPU, Nsight Compute speaks of the same counters.
    ]],
    zh = [[
      以后自己的工作也保持这个样子：旧版本留在新版本旁边，两者用同样的输入，由程序比较结果，再用一个数说明改动快了多少。然后看下一个限制，直到剩下的不值得你花时间，或者程序其余部分比核函数还久。

      `warplab profile FILE.cu` 可以对任何程序给出同样的报告，不需要实验；在 GPU 上，Nsight Compute 用的也是这些计数器。
    ]],
  },
  more = {
    en = "Put your `after` in the place of `before` and do it again: what limits it now, and what would be the next remedy worth? `device sim:t4` and `device sim:g80` may say something else.",
    zh = "用你的 `after` 替换 `before`，再来一遍：现在受什么限制？下一个办法能快多少？换到 `device sim:t4` 和 `device sim:g80`，答案可能不同。",
  },
}
