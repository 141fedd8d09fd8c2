-- One thread per element, for any number of elements: rounding the grid up, and the boundary check.
local function blocks(d) return ceil_div(d.n, d.b) end

return lab {
  id = "vector-add",
  title = { en = "Adding two vectors of any length", zh = "任意长度的向量相加" },
  chapter = 1,
  minutes = 15,
  needs = { "hello" },
  source = "book 5.3; slides III",
  teaches = {
    ["boundary-check"] = "ask exercise",
    ["n-1003"] = "show predict",
    ["divergent-share"] = "ask",
  },

  entry = "void vector_add(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n"),
    b = uniform(-1, 1, "n"),
    c = output("n", { ops = 1 }),
  },
  cases = { { n = 1003 }, { n = 1 }, { n = 64 }, { n = 1000003, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 6 },
    at_least("active_lanes_avg", 24) {
      points = 2,
      en = "Most lanes of a warp should have an element to add. In your kernel most of them have none.",
      zh = "一个 warp 里的大多数 lane 都应当有元素可加；现在大多数 lane 没有元素。",
    },
    speedup(0.5) {
      points = 2,
      en = "To keep every multiprocessor busy, launch one thread per element, in many blocks.",
      zh = "要让所有多处理器都有工作，应当每个线程处理一个元素，并启动足够多的块。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        A kernel is a function that thousands of threads run at once. Each thread computes from its built-in variables which element it handles.

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        `threadIdx.x` is the thread's number in its block, `blockIdx.x` the number of the block, `blockDim.x` the number of threads in a block. With
        blocks of 64 threads, thread 5 of block 3 gets i = 3 * 64 + 5 = 197.

        A launch consists of whole blocks. *What if the vector's length is no multiple of the block size?*
      ]],
      zh = [[
        核函数（kernel）是成千上万个线程同时执行的函数。每个线程根据内建变量，自己算出该处理哪个元素。

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        `threadIdx.x` 是线程在块内的编号，`blockIdx.x` 是块的编号，`blockDim.x` 是一个块的线程数。若每块 64 个线程，块 3 的线程 5 得到 i = 3 * 64 + 5
        = 197。

        一次启动只能包含整数个块。*如果向量的长度不是块大小的整数倍，怎么办？*
      ]],
    },
    ask {
      alone = true,
      en = "A vector has n = {n} elements, and a block has {b} threads. How many blocks must you launch at least, so that every element has a thread?",
      zh = "向量有 n = {n} 个元素，每个块有 {b} 个线程。至少要启动多少个块，才能让每个元素都有一个线程？",
      draw = { n = { 1000, 20000 }, b = { from = { 64, 128, 256 } } },
      answer = blocks,
      replies = {
        {
          function(d) return d.n // d.b end,
          en = "You forgot the last, partly filled block: {n} is no multiple of {b}, and the elements that are left over need a block, too.",
          zh = "漏掉了最后那个不满的块：{n} 不是 {b} 的倍数，剩下的元素也需要一个块。",
        },
      },
      because = {
        en = "Divide and round up: `(n + b - 1) / b` in integer arithmetic. If you round down, the last elements have no thread.",
        zh = "相除后向上取整，用整数运算写就是 `(n + b - 1) / b`。如果向下取整，最后那些元素就没有线程处理。",
      },
    },
    ask {
      en = "Again n = {n} with blocks of {b} threads. How many of the launched threads have no element?",
      zh = "还是 n = {n}，每块 {b} 个线程。启动的线程里，有多少个分不到元素？",
      draw = same,
      answer = function(d) return blocks(d) * d.b - d.n end,
      replies = {
        {
          function(d) return d.n % d.b end,
          en = "That many threads of the last block do have an element. How many of its {b} threads are left?",
          zh = "这是最后一个块里分到元素的线程数。这个块的 {b} 个线程还剩多少个？",
        },
      },
      because = {
        en = [[
          Blocks times block size, minus n. Those threads exist and run. If nothing stops them, they write where no element is. Stop them with
          `if (i < n)`.
        ]],
        zh = "块数乘以块大小，再减去 n。这些线程确实存在，也确实在运行；如果不加限制，它们会写到数组之外。用 `if (i < n)` 阻止它们。",
      },
    },
    show {
      en = [[
        Take n = 1003 and blocks of 64 threads: 16 blocks, 1024 threads, 21 of them idle. The threads of a block run in *warps* of 32 lanes that
        execute one instruction together. This is the last warp, with the elements from 992 on, as it reads `a[i]`:
      ]],
      zh = [[
        取 n = 1003，每块 64 个线程：16 个块，1024 个线程，其中 21 个没有元素。块里的线程每 32 个组成一个*线程束（warp）*，
        一个 warp 的 32 个 lane 一起执行同一条指令。下面是最后一个 warp（从第 992 个元素开始）读取 `a[i]` 时的样子：
      ]],
      picture = "lanes",
      model = function(lane) if 992 + lane < 1003 then return 4 * (992 + lane) end end,
    },
    ask {
      en = "At `if (i < n)`, some lanes of that last warp go on and the others do not: the warp *diverges*. How do the other 31 warps execute this `if`?",
      zh = "执行到 `if (i < n)` 时，最后这个 warp 里有的 lane 进入分支，有的不进入：这个 warp 发生了*分支发散*（divergence）。另外 31 个 warp 怎样执行这个 `if`？",
      choices = {
        {
          en = "All 32 lanes agree, so the warp goes one way; only the test itself costs time",
          zh = "32 个 lane 结果一致，整个 warp 只走一侧，除了判断本身没有别的开销",
          right = true,
        },
        {
          en = "They wait until the last warp is done",
          zh = "要等最后一个 warp 做完",
          because = { en = "Warps do not wait for one another unless the program says so.", zh = "除非程序要求，warp 之间并不互相等待。" },
        },
        {
          en = "Every warp executes both sides, because the code contains an `if`",
          zh = "代码里有 `if`，所以每个 warp 都要把两侧各执行一遍",
          because = {
            en = "A warp executes both sides only when its own lanes disagree on the condition.",
            zh = "只有同一个 warp 的 lane 条件结果不一致时，这个 warp 才两侧都执行。",
          },
        },
      },
    },
    predict {
      en = "Let us measure it. The complete kernel runs with n = 1003. At how many branches, counted over all warps, do the lanes of a warp disagree?",
      zh = "来测一测。用完整的核函数运行 n = 1003。所有 warp 合计，有多少次分支会出现同一个 warp 的 lane 结果不一致？",
      counter = "divergent_branches",
      of = "baseline",
      case = { n = 1003 },
      tolerance = 0,
      because = {
        en = "Only the warp at the end of the vector diverges. Every other warp is entirely inside or entirely outside.",
        zh = "只有横跨向量末尾的那个 warp 会发散。其余的 warp 要么全在向量之内，要么全在之外。",
      },
    },
    ask {
      en = "Look only at warps that have work. What share of them diverges, in per cent, for n = {n}?",
      zh = "当 n = {n} 时，在有元素可处理的 warp 中，发生分支发散的占百分之几？",
      draw = { n = { from = { 100, 1000, 10000 } } },
      answer = function(d) return 100 / ceil_div(d.n, 32) end,
      tolerance = 0.03,
      unit = "%",
      because = {
        en = "One warp of ceil(n / 32): 1 of 4 for 100 elements, 1 of 32 for 1000, 1 of 313 for 10,000. If n is a multiple of 32, none diverges. The larger the data, the less a boundary check matters.",
        zh = "ceil(n / 32) 个 warp 中有 1 个：100 个元素时是 4 个中的 1 个，1000 个时是 32 个中的 1 个，10,000 个时是 313 个中的 1 个；n 是 32 的倍数时一个也没有。数据越大，边界检查的影响越小。",
      },
    },
    exercise {
      en = [[
        The skeleton launches `n / BLOCK` blocks and lets every thread write. For n = 1003 it leaves out the last 43 elements, and for n = 1 it
        launches nothing at all. Make it right for every n.
      ]],
      zh = [[
        骨架代码启动 `n / BLOCK` 个块，每个线程都直接写。n = 1003 时漏掉了最后 43 个元素，n = 1 时一个块也没有启动。请把它改成对任意 n 都正确。
      ]],
    },
    show {
      en = "Your kernel, line by line: how often warps executed each line, and how many of their 32 lanes were active.",
      zh = "逐行看你的核函数：每一行被 warp 执行了多少次，32 个 lane 里平均有多少个在工作。",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your counters beside the reference's, for 1,000,003 elements:",
      zh = "你的计数器与参考实现的对比（1,000,003 个元素）：",
      counters = { "warp_inst", "active_lanes_avg", "divergent_branches", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "correct",
      en = "With n = 1003 and blocks of 64 threads, the integer division 1003 / 64 gives 15. How many elements have a thread then?",
      zh = "n = 1003、每块 64 个线程时，整数除法 1003 / 64 等于 15。这样有多少个元素有线程处理？",
    },
    {
      en = "Two changes are needed. Round the number of blocks up. That starts threads beyond the end, so let a thread write only if its i is below n.",
      zh = "要改两处：块数向上取整；这样会多出一些超出末尾的线程，所以只有 i 小于 n 的线程才写。",
    },
    {
      en = [[
        In the launch:

            int blocks = (n + BLOCK - 1) / BLOCK;

        In the kernel, put `if (i < n)` in front of the addition.
      ]],
      zh = [[
        启动时写：

            int blocks = (n + BLOCK - 1) / BLOCK;

        在核函数里，把 `if (i < n)` 加在加法前面。
      ]],
    },
  },

  after = {
    en = [[
      Nearly every kernel follows this pattern: round the grid up, then check the boundary. The grid covers the data and a little more, and the check
      keeps the surplus threads out. It costs one comparison per thread, and at most one warp of the whole launch diverges.
    ]],
    zh = [[
      几乎所有核函数都这样写：块数向上取整，再检查边界。网格覆盖全部数据并略有富余，边界检查让多余的线程不越界。代价是每个线程一次比较，
      而且整个启动中最多只有一个 warp 发散。
    ]],
  },
  more = {
    en = [[
      Set BLOCK to 1000 and to 33, and look at `active_lanes_avg` with `profile`. Each block is cut into warps from its first thread on, so the last
      warp of *every* block may be partly empty. This is why block sizes should be multiples of 32.
    ]],
    zh = [[
      把 BLOCK 改成 1000 和 33，用 `profile` 看看 `active_lanes_avg`。每个块都从第一个线程开始切成 warp，所以*每一个*块的最后一个 warp 都可能不满。
      因此块大小应当取 32 的倍数。
    ]],
  },
}
