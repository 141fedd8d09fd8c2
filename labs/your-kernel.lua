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
      en = "The program has to return 0 for every n, and the device must not report any fault.",
      zh = "程序对每个 n 都必须返回 0，而且设备没有报告任何问题。",
    },
    at_least("launches", 2) { points = 1 },
    counter("global_store_bytes", ">=", 0.75) {
      points = 1,
      kernel = "after",
      beside = "before",
      en = "`after` has to store as many bytes as `before`.",
      zh = "`before` 写出多少字节，`after` 也要写出多少字节。",
    },
    counter("kernel_us", "<=", 0.7) {
      points = 3,
      kernel = "after",
      beside = "before",
      en = "What limits `before`? A remedy for anything else gains nothing.",
      zh = "`before` 的瓶颈是什么？改进别的地方，一点用也没有。",
    },
    answer("limiter") {
      points = 1,
      is = "limiter",
      en = "This is the limiter of the launch that takes longest. `profile` names it.",
      zh = "这里要填用时最长的那次启动的瓶颈，`profile` 会写明。",
    },
    answer("line") {
      points = 1,
      is = "line",
      counter = "gld_sectors",
      en = [[
        `show sectors` lists the requests of each line. Multiply a line's requests by its sectors
        per request. Only reads count, not writes.
      ]],
      zh = [[
        `show sectors` 逐行列出请求数。一行的扇区总数等于请求数乘以每个请求的扇区数。只算读取，
        不算写入。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        In this lab you make a kernel of your own faster: one from your thesis, your work or a book.
        The lab is a whole program with a `main`, in three files, and you may change all three. The
        program must follow three rules:

        - The program gets n on its command line, where n is any number from 1 on. It returns 0 if
          all is well, and 1 if something is wrong. (Warplab once changes the results of `after`, to
          see whether the program notices.)
        - The old version of the kernel has `before` in its name. The new version has `after` in its
          name.
        - Both versions run on the same input, and the *program* compares their results. `after` may
          read neither what `before` wrote nor numbers that the host computed only for
          `after`. (A table of up to 1,024 numbers is allowed.) If only `after` needs another
          kernel, the time of that kernel counts as time of `after`.

        If you have no kernel, keep the example. It divides each number by the sum of its row, and a
        row has 32 numbers.

        Before you change a line, ask how much the change can gain at most. The report tells you
        what to look for. A finding matters only if it concerns the limiter:

            finding                      limiter         speedup at most
            more sectors per request     l1, l2, dram    sectors / needed sectors
              than needed
            several passes of a shared   shared          number of passes
              access
            idle lanes in a branch       issue           32 / active lanes
            few warps                    latency         100% / occupancy
      ]],
      zh = [[
        在这个实验里，你要让自己的一个核函数变快：论文里的、工作中的、教科书上的都行。
        这个实验是一个带 `main` 的完整程序，分三个文件，三个文件你都可以改。程序要遵守三条规则：

        - 程序从命令行得到 n，n 可以是 1 以上的任何数。一切正常时，程序返回 0，有错就返回 1。
          （Warplab 会改动一次 `after` 的结果，看程序是否发现。）
        - 核函数的旧版本，名字里含 `before`；新版本，名字里含 `after`。
        - 两个版本用同样的输入运行，由*程序*比较两者的结果。`after` 不能读 `before` 写下的内容，
          也不能读主机专门为 `after` 算好的数（不超过 1,024 个数的表除外）。
          如果另一个核函数只有 `after` 才需要，它的用时也算在 `after` 上。

        如果没有自己的核函数，就用示例：每行有 32 个数，每个数都除以该行之和。

        改动之前先问：这处改动最多能快多少？设备的报告会告诉你该看什么。只有与瓶颈有关的发现才要紧：

            发现                        瓶颈             最多加速到原来的几倍
            每个请求的扇区多于所需      l1、l2、dram     扇区数 / 所需扇区数
            共享内存访问要走几遍        shared           遍数
            分支里有 lane 空闲          issue            32 / 活跃 lane 数
            warp 太少                   latency          100% / 占用率
      ]],
    },
    ask {
      en = [[
        The limiter of a kernel is l2. One line makes nearly all requests, and each request asks for
        {s} sectors. If the accesses were coalesced, 4 sectors would be enough. How many times as
        fast can the kernel become at most?
      ]],
      zh = [[
        一个核函数的瓶颈是 l2。几乎所有请求都出自同一行，每个请求要 {s} 个扇区。如果访问是合并的，4
        个扇区就够。核函数最多能加速到原来的几倍？
      ]],
      draw = { s = { from = { 8, 12, 16, 32 } } },
      answer = function(d) return d.s / 4 end,
      replies = {
        {
          function(d) return d.s end,
          en = "This would be right if a coalesced request needed only one sector. It needs 4.",
          zh = "合并的请求只要 1 个扇区时才是这样，而它要 4 个。",
        },
        {
          function(d) return 4 / d.s end,
          en = "This is the share of the time that is left. How many times as fast is that?",
          zh = "这是剩下的时间所占的比例。那么速度是原来的几倍？",
        },
      },
      because = {
        en = [[
          {s} / 4, unless the kernel reaches another limiter first. This other limiter is often
          dram.
        ]],
        zh = "{s} / 4，前提是没有先遇到别的瓶颈。别的瓶颈往往是 dram。",
      },
    },
    ask {
      en = [[
        In another kernel, {p}% of all instructions are in a branch in which only {a} of 32 lanes
        are active. But the limiter of this kernel is *dram*. What percentage of the kernel's time
        does a remedy for the branch save at most?
      ]],
      zh = [[
        另一个核函数有 {p}% 的指令在一个分支里，在那里 32 个 lane 只有 {a} 个活跃。但这个核函数的瓶
        颈是 *dram*。改好这个分支，最多能省核函数百分之几的时间？
      ]],
      draw = { p = { from = { 40, 60, 80 } }, a = { from = { 4, 8, 16 } } },
      answer = 0,
      tolerance = 0.01,
      unit = "%",
      replies = {
        {
          function(d) return d.p * (1 - d.a / 32) end,
          en = [[
            This share of the instructions would go. But instructions cost time only if the limiter
            is issue.
          ]],
          zh = "省去的是这么多的指令。但只有瓶颈是 issue 时，指令才花时间。",
        },
        {
          function(d) return d.p end,
          en = [[
            {p}% is the share of the instructions, not of the time. What does the device wait for?
          ]],
          zh = "{p}% 是指令的比例，不是时间的比例。设备在等什么？",
        },
      },
      because = {
        en = [[
          None. The device issues these instructions while the memory works, and it has to wait for
          the memory anyway. A flaw that you can see need not cost time.
        ]],
        zh = [[
          一点也省不了。设备在内存忙的时候发射这些指令，而内存反正是要等的。看得见的毛病，
          不一定花时间。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        The kernel takes {p}% of your program's time. You make the kernel {k} times as fast. How
        many times as fast does the whole program become?
      ]],
      zh = [[
        核函数占你程序时间的 {p}%。你让核函数加速到原来的 {k} 倍（用时是原来的 1/{k}）。
        整个程序加速到原来的几倍？
      ]],
      draw = { p = { from = { 20, 50, 80, 90 } }, k = { from = { 2, 4, 10 } } },
      answer = function(d) return 1 / (1 - d.p / 100 + d.p / 100 / d.k) end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return d.k end,
          en = [[
            This is how much faster the kernel becomes. The rest of the program takes as long as
            before.
          ]],
          zh = "这是核函数加速的倍数。程序的其余部分用时不变。",
        },
        {
          function(d) return 1 / (1 - d.p / 100) end,
          en = [[
            This would be right if the kernel took no time at all. It still takes 1 / {k} of its
            time.
          ]],
          zh = "核函数完全不花时间才是这样。它还要用原来的 1/{k} 的时间。",
        },
        {
          function(d) return 1 + d.p / 100 * (d.k - 1) end,
          en = [[
            Speeds do not add up, times do. Add the time of the rest and the new time of the kernel.
          ]],
          zh = "能相加的是时间，不是速度。把其余部分的时间与核函数的新时间相加。",
        },
      },
      because = {
        en = [[
          1 / (1 - p + p / {k}) with p = {p}%. Everything else takes as long as before. So measure
          the whole before the part: copies, allocation and host code count, too.
        ]],
        zh = [[
          1 / (1 - p + p / {k})，p = {p}%。程序的其余部分用时不变。所以先测整体，再看局部：拷贝、
          分配和主机代码都要算进去。
        ]],
      },
    },
    predict {
      en = [[
        In the unchanged example, each thread works on one row of 32 floats. The thread reads and
        writes one number at a time. How many sectors does a load request of this kernel ask for on
        average?
      ]],
      zh = [[
        在没有改动的示例里，每个线程处理一行，一行是 32 个 float，线程逐个读写。
        这个核函数的一个读请求，平均要多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "skeleton",
      tolerance = 0.1,
      replies = {
        {
          4,
          en = [[
            This would be right if neighbouring lanes read neighbouring floats. But lane k + 1 reads
            from another row than lane k.
          ]],
          zh = "相邻的 lane 读相邻的 float 时才是这样。这里 lane k + 1 与 lane k 读的不是同一行。",
        },
      },
      because = {
        en = [[
          The addresses of neighbouring lanes are 128 bytes apart, so each lane needs a sector of
          its own. The lane uses only 4 of the sector's 32 bytes.
        ]],
        zh = [[
          相邻 lane 的地址相隔 128 字节，所以每个 lane 各占一个扇区，扇区的 32 字节只用到 4 字节。
        ]],
      },
    },
    exercise {
      en = [[
        `edit kernel` opens kernel.cu, and `edit main` opens main.cu. `run` says whether the program
        ends well. `profile` and `show` report on the program.

        First write two answers into main.cu: the limiter of `before`, and the line of kernel.cu
        that reads the most sectors (writes do not count). Then make `after` faster. It may take at
        most 0.7 times as long as `before`.
      ]],
      zh = [[
        `edit kernel` 打开 kernel.cu，`edit main` 打开 main.cu。`run` 告诉你程序能否正常结
        束，`profile` 和 `show` 报告程序做了什么。

        先在 main.cu 里写两个答案：`before` 的瓶颈，以及 kernel.cu 里读取扇区最多的那一行（写入不
        计）。然后让 `after` 变快：用时不能超过 `before` 的 0.7 倍。
      ]],
    },
    show {
      en = "The report is given file by file and line by line. First the sectors:",
      zh = "报告按文件逐行给出。先看扇区：",
      picture = "sectors",
    },
    show { en = "Then the active lanes:", zh = "再看活跃的 lane：", picture = "divergence" },
    show {
      en = "Last the roofline, for the whole program with all its kernels together:",
      zh = "最后看整个程序（所有核函数合计）在屋顶线图上的位置：",
      picture = "roofline",
    },
  },

  hints = {
    {
      goal = "limiter",
      en = [[
        First use `profile` to find the limiter of the longest launch. Then use `show sectors` or
        `show banks` to find the line that causes it.
      ]],
      zh = [[
        先用 `profile` 找到用时最长的那次启动的瓶颈，再用 `show sectors` 或 `show banks` 找出是哪一
        行造成的。
      ]],
    },
    {
      en = [[
        The example asks the L2 for too many sectors. A row has 32 numbers, and a warp has 32 lanes.
      ]],
      zh = "示例向 L2 要的扇区太多。一行有 32 个数，一个线程束（warp）有 32 个 lane。",
    },
    {
      en = [[
        Let each warp work on one row. Each lane loads one number,
        `float v = in[r * COLUMNS + lane]`. Five `__shfl_xor_sync` compute the sum, and each lane
        stores `out[...] = v / sum`. Launch (n + 7) / 8 blocks of 256 threads. The limiter of
        `before` is l2. As the line, you may give that of either loop.
      ]],
      zh = [[
        让一个 warp 处理一行。每个 lane 读一个数：`float v = in[r * COLUMNS + lane]`；
        用 5 次 `__shfl_xor_sync` 求和；每个 lane 再写 `out[...] = v / sum`。
        启动 (n + 7) / 8 个 256 线程的块。`before` 的瓶颈是 l2，行号填两个循环中的任意一个。
      ]],
    },
  },

  after = {
    en = [[
      Work in this form on your own programs, too. Keep the old version beside the new one, and run
      both on the same input. Let the program compare their results, and measure what the change
      gained. Then take on the next limiter. Stop when the remaining gain is not worth your time, or
      when the other parts of the program take longer than the kernel.

      `warplab profile FILE.cu` gives the same report for any program, without a lab. On a GPU,
      Nsight Compute shows the same counters.
    ]],
    zh = [[
      以后改进自己的程序，也请这样做：旧版本留在新版本旁边，两者用同样的输入运行，由程序比较结果，再
      测出改动快了多少。然后处理下一个瓶颈，直到剩下的收益不值得你花时间，或者程序的其他部分比核函数
      用时更长。

      `warplab profile FILE.cu` 可以对任何程序给出同样的报告，不需要实验。
      在 GPU 上，Nsight Compute 显示的也是这些计数器。
    ]],
  },
  more = {
    en = [[
      Replace `before` by your `after` and start again. What is the limiter now, and what would the
      next remedy gain? The answers may be different on `device sim:t4` and `device sim:g80`.
    ]],
    zh = [[
      用你的 `after` 替换 `before`，再来一遍。现在的瓶颈是什么？下一步改进能快多少？
      换到 `device sim:t4` 和 `device sim:g80`，答案可能不同。
    ]],
  },
}
