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
      en = "Most lanes of a warp should have an element to add; here most of them stand by.",
      zh = "一个 warp 里的大多数 lane 都应当有元素可加；现在大多数 lane 都在空等。",
    },
    speedup(0.5) {
      points = 2,
      en = "One thread per element in many blocks keeps every multiprocessor busy.",
      zh = "让每个线程处理一个元素、启动足够多的块，才能让所有多处理器都忙起来。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        A kernel is a function that thousands of threads run at once. None of them is told what to do: each works out from its built-in
        variables which element is its own.

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        `threadIdx.x` counts threads inside a block, `blockIdx.x` counts blocks, `blockDim.x` is how many threads a block has. With blocks
        of 64 threads, thread 5 of block 3 gets i = 3 * 64 + 5 = 197.

        A launch comes in whole blocks. *What if the vector's length is no multiple of the block?*
      ]],
      zh = [[
        核函数（kernel）是成千上万个线程同时执行的函数。没有人告诉每个线程该做什么，它要靠内建变量自己算出哪个元素归它管。

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        `threadIdx.x` 是线程在块内的编号，`blockIdx.x` 是块的编号，`blockDim.x` 是一个块的线程数。若每块 64 个线程，块 3 的线程 5 得到
        i = 3 * 64 + 5 = 197。

        启动核函数时，线程总是成块地来。*要是向量的长度不是块大小的整数倍，怎么办？*
      ]],
    },
    ask {
      alone = true,
      en = "A vector has n = {n} elements, and a block has {b} threads. How many blocks must be launched, so that every element has a thread?",
      zh = "向量有 n = {n} 个元素，每个块有 {b} 个线程。至少要启动多少个块，才能让每个元素都有一个线程负责？",
      draw = { n = { 1000, 20000 }, b = { from = { 64, 128, 256 } } },
      answer = blocks,
      replies = {
        {
          function(d) return d.n // d.b end,
          en = "You forgot the ragged block: {n} is no multiple of {b}, and what is left over needs a block too.",
          zh = "漏掉了最后那个不满的块：{n} 不是 {b} 的倍数，多出来的元素也需要一个块。",
        },
      },
      because = {
        en = "Divide and round up: `(n + b - 1) / b` in whole numbers. Rounding down would leave the last elements without a thread.",
        zh = "相除后向上取整，用整数运算写就是 `(n + b - 1) / b`。若向下取整，最后那些元素就没有线程管了。",
      },
    },
    ask {
      en = "Again n = {n} with blocks of {b}. How many of the launched threads have no element?",
      zh = "还是 n = {n}，每块 {b} 个线程。启动的线程里，有多少个分不到元素？",
      draw = same,
      answer = function(d) return blocks(d) * d.b - d.n end,
      replies = {
        {
          function(d) return d.n % d.b end,
          en = "That many threads of the last block do have an element. How many of its {b} are left?",
          zh = "这是最后一个块里分到元素的线程数。它的 {b} 个线程还剩多少个？",
        },
      },
      because = {
        en = [[
          Blocks times block size, less n. Those threads exist and run. If they do not stop by themselves, they write where no element is:
          `if (i < n)` is what keeps them out.
        ]],
        zh = "块数乘以块大小，再减去 n。这些线程确实存在，也确实在运行；要是不拦住，它们就会写到没有元素的地方去。拦住它们的就是 `if (i < n)`。",
      },
    },
    show {
      en = [[
        Take n = 1003 and blocks of 64: 16 blocks, 1024 threads, 21 of them idle. The threads of a block are run in *warps* of 32 lanes
        that execute one instruction together. This is the last warp, with the elements from 992 on, as it reads `a[i]`:
      ]],
      zh = [[
        取 n = 1003，每块 64 个线程：16 个块，1024 个线程，其中 21 个没事可做。块里的线程每 32 个组成一个 *warp*（线程束），一个 warp
        的 32 个 lane 一起执行同一条指令。下面是最后一个 warp（从第 992 个元素开始）读取 `a[i]` 时的样子：
      ]],
      picture = "lanes",
      model = function(lane) if 992 + lane < 1003 then return 4 * (992 + lane) end end,
    },
    ask {
      en = "At `if (i < n)`, some lanes of that last warp go on and the others do not: the warp *diverges*. In what way do the other 31 warps pass this `if`?",
      zh = "执行到 `if (i < n)` 时，最后这个 warp 里有的 lane 往下走，有的不走：这个 warp 发生了*分支发散*（divergence，又称线程束分化）。那么另外 31 个 warp 是怎样通过这个 `if` 的？",
      choices = {
        {
          en = "All 32 lanes agree, so the warp goes one way, at no cost but the test",
          zh = "32 个 lane 结果一致，整个 warp 只走一边，除了判断本身没有别的开销",
          right = true,
        },
        {
          en = "They wait until the last warp is done",
          zh = "要等最后一个 warp 做完",
          because = { en = "Warps do not wait for one another unless the program says so.", zh = "除非程序要求，warp 之间并不互相等待。" },
        },
        {
          en = "Every warp runs both sides of the `if`, because the code has one",
          zh = "代码里有 `if`，所以每个 warp 都要把两边各执行一遍",
          because = {
            en = "A warp runs both sides only when its own lanes disagree on the condition.",
            zh = "只有当一个 warp 自己的 lane 条件结果不一致时，它才需要两边都执行。",
          },
        },
      },
    },
    predict {
      en = "Let us measure it. The complete kernel runs with n = 1003. At how many branches, counted over all warps, will the lanes disagree?",
      zh = "来测一测。用完整的核函数运行 n = 1003。把所有 warp 加在一起，有多少次分支会出现 lane 的条件结果不一致？",
      counter = "divergent_branches",
      of = "baseline",
      case = { n = 1003 },
      tolerance = 0,
      because = {
        en = "Only the warp that holds the end of the vector is split. Every other warp is entirely inside or entirely outside.",
        zh = "只有横跨向量末尾的那个 warp 会发散，其余的 warp 要么全在里面，要么全在外面。",
      },
    },
    ask {
      en = "What share of the warps that have work diverges, in per cent, for n = {n}?",
      zh = "当 n = {n} 时，在有活可干的 warp 中，发生分支发散的占百分之几？",
      draw = { n = { from = { 100, 1000, 10000 } } },
      answer = function(d) return 100 / ceil_div(d.n, 32) end,
      tolerance = 0.03,
      unit = "%",
      because = {
        en = "One warp of ceil(n / 32): 1 of 4 for 100 elements, 1 of 32 for 1000, 1 of 313 for 10,000; and none where 32 divides n. The larger the data, the less a boundary check matters.",
        zh = "ceil(n / 32) 个里的 1 个：100 个元素时是 4 个里的 1 个，1000 个时是 32 个里的 1 个，10,000 个时是 313 个里的 1 个；n 是 32 的倍数时一个也没有。数据越大，边界检查的代价越小。",
      },
    },
    exercise {
      en = [[
        The skeleton launches `n / BLOCK` blocks and lets every thread write. For n = 1003 it forgets the last 43 elements, and for n = 1 it
        launches nothing at all. Make it right for every n.
      ]],
      zh = [[
        骨架代码启动 `n / BLOCK` 个块，每个线程都直接写。n = 1003 时它漏掉了最后 43 个元素，n = 1 时干脆一个块也没有启动。请把它改成对任意 n 都正确。
      ]],
    },
    show {
      en = "Your kernel, line by line: how often warps executed each line, and how many of their 32 lanes were active.",
      zh = "逐行看你的核函数：每一行被 warp 执行了多少次，32 个 lane 里平均有多少个在工作。",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "And your counters beside the reference's, for a million and three elements:",
      zh = "再把你的计数器和参考实现放在一起比一比（一百万零三个元素）：",
      counters = { "warp_inst", "active_lanes_avg", "divergent_branches", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "correct",
      en = "With n = 1003 and blocks of 64, 1003 / 64 is 15 in whole numbers. How many elements have a thread then?",
      zh = "n = 1003、每块 64 个线程时，整数除法 1003 / 64 等于 15。这样有多少个元素有线程负责？",
    },
    {
      en = "Two changes. Round the number of blocks up; and because that starts threads beyond the end, let a thread write only when its i is below n.",
      zh = "要改两处：块数要向上取整；这样会多出一些越过末尾的线程，所以只有当 i 小于 n 时才允许写。",
    },
    {
      en = [[
        In the launch:

            int blocks = (n + BLOCK - 1) / BLOCK;

        and in the kernel put `if (i < n)` in front of the addition.
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
      Rounding up and checking the boundary is the pattern of nearly every kernel: the grid covers the data and a little more, and the
      check makes the surplus harmless. It costs one comparison for each thread, and splits at most one warp of the whole launch.
    ]],
    zh = [[
      “向上取整，再查边界”是几乎所有核函数的固定写法：网格覆盖全部数据并略有富余，边界检查让富余的线程不惹祸。代价只是每个线程一次比较，而且整个启动中最多只有一个 warp 发散。
    ]],
  },
  more = {
    en = [[
      Set BLOCK to 1000 and to 33 and look at `active_lanes_avg` with `profile`. A block's threads are cut into warps from its start, and
      the last warp of *every* block may be partly empty: this is why block sizes are multiples of 32.
    ]],
    zh = [[
      把 BLOCK 改成 1000 和 33，用 `profile` 看看 `active_lanes_avg`。warp 是从每个块的开头切起的，*每一个*块的最后一个 warp 都可能不满：这就是块大小要取 32 的倍数的原因。
    ]],
  },
}
