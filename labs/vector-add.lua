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
    c = output("n", { ops = 1, atol = 0 }),
  },
  cases = { { n = 1003 }, { n = 1 }, { n = 64 }, { n = 1000003, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 6 },
    at_least("active_lanes_avg", 24) {
      points = 2,
      en = "In your kernel, most lanes of a warp have no element to add. Let every lane add one element.",
      zh = "在你的核函数里，一个 warp 的大多数 lane 没有元素可加。应当让每个 lane 都加一个元素。",
    },
    at_most("global_store_bytes", 2.6 * baseline) {
      points = 1,
      en = "Several of your threads compute the same element. Let every thread compute elements of its own.",
      zh = "有几个线程在算同一个元素。每个线程应当算各自的元素。",
    },
    speedup(0.5) {
      points = 1,
      en = "Keep every multiprocessor busy: launch one thread per element, in many blocks.",
      zh = "要让所有多处理器都有工作：每个元素用一个线程，并启动足够多的块。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        This lab's kernel adds two vectors of n floats: `c[i] = a[i] + b[i]`. Each thread adds one pair of elements. You will find out how to launch
        enough threads for any n, what the surplus threads must do, and how much time the surplus threads cost.

        As in `hello`, a thread computes the index of its element from the number of its block and its position in the block:

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        With blocks of 64 threads, for example, thread 5 of block 3 gets i = 3 * 64 + 5 = 197.

        A launch always starts whole blocks. *What happens if n is not a multiple of the block size?*
      ]],
      zh = [[
        本实验的核函数把两个长度为 n 的 float 向量相加：`c[i] = a[i] + b[i]`，每个线程负责一对元素。你会学到：对任意的 n 怎样启动足够多的线程，
        多出来的线程应当怎么办，它们要花掉多少时间。

        和 `hello` 一样，线程由块的编号和块内的位置算出元素的下标：

            int i = blockIdx.x * blockDim.x + threadIdx.x;

        例如每块 64 个线程时，块 3 的线程 5 得到 i = 3 * 64 + 5 = 197。

        一次启动只能包含整数个块。*如果 n 不是块大小的整数倍，会怎样？*
      ]],
    },
    ask {
      alone = true,
      en = "A vector has n = {n} elements, and a block has {b} threads. Every element needs its own thread. How many blocks must you launch at least?",
      zh = "向量有 n = {n} 个元素，每个块有 {b} 个线程。每个元素都要有自己的线程，至少要启动多少个块？",
      draw = { n = { 1000, 20000 }, b = { from = { 64, 128, 256 } } },
      answer = blocks,
      replies = {
        {
          function(d) return d.n // d.b end,
          en = "You forgot the last block, which is only partly used: {n} is not a multiple of {b}, and the elements that are left over need a block, too.",
          zh = "漏掉了最后那个用不满的块：{n} 不是 {b} 的倍数，剩下的元素也需要一个块。",
        },
      },
      because = {
        en = "Divide n by the block size b and round up. In integer arithmetic, write `(n + b - 1) / b`. If you round down, the last elements have no thread.",
        zh = "用 n 除以块大小 b，再向上取整；用整数运算写成 `(n + b - 1) / b`。如果向下取整，最后的元素就没有线程处理。",
      },
    },
    ask {
      en = "Again n = {n} with blocks of {b} threads. You launch just enough blocks. How many threads of the launch have no element?",
      zh = "还是 n = {n}，每块 {b} 个线程，块数刚好够用。启动的线程里，有多少个分不到元素？",
      draw = same,
      answer = function(d) return blocks(d) * d.b - d.n end,
      replies = {
        {
          function(d) return d.n % d.b end,
          en = "This many threads of the last block have an element. The block has {b} threads. How many threads of the block are left?",
          zh = "这是最后一个块里分到元素的线程数。这个块一共有 {b} 个线程，还剩多少个？",
        },
      },
      because = {
        en = [[
          The number of threads is the number of blocks times {b}. Subtract n. The surplus threads run like all other threads. Without a check, they
          write past the end of the array. To prevent this, write `if (i < n)`.
        ]],
        zh = "块数乘以 {b} 得到线程数，再减去 n。多余的线程和其他线程一样运行：如果不检查，它们就会写到数组末尾之后。要避免这一点，就写 `if (i < n)`。",
      },
    },
    show {
      en = [[
        For n = 1003 and blocks of 64 threads, you launch 16 blocks with 1024 threads in all, and 21 threads have no element. The device executes each
        block in *warps* of 32 threads. A warp has 32 positions, its *lanes*, and all lanes execute an instruction together. The picture shows the last
        warp as it reads `a[i]`. The first lane of this warp reads `a[992]`.
      ]],
      zh = [[
        n = 1003、每块 64 个线程时，要启动 16 个块，共 1024 个线程，其中 21 个没有元素。设备把块里的线程每 32 个分成一个*线程束（warp）*，
        一个 warp 里的 32 个位置叫 *lane*，各个 lane 一起执行同一条指令。图中是最后一个 warp 读取 `a[i]` 时的情形，其中第一个 lane 读的是 `a[992]`。
      ]],
      picture = "lanes",
      model = function(lane) if 992 + lane < 1003 then return 4 * (992 + lane) end end,
    },
    ask {
      en = "At `if (i < n)`, some lanes of the last warp execute the addition and others skip it: the warp *diverges*. How do the other 31 warps execute the `if`?",
      zh = "执行到 `if (i < n)` 时，最后这个 warp 里有的 lane 执行加法，有的跳过加法：这个 warp 就*发散*（divergence）了。另外 31 个 warp 怎样执行这个 `if`？",
      choices = {
        {
          en = "All 32 lanes agree, so the warp takes one path; only the test itself costs time",
          zh = "32 个 lane 结果一致，整个 warp 只走一条路，只有判断本身要花时间",
          right = true,
        },
        {
          en = "They wait until the last warp is done",
          zh = "要等最后一个 warp 做完",
          because = { en = "Warps wait for each other only where the program says so.", zh = "warp 之间只在程序要求等待的地方互相等待。" },
        },
        {
          en = "Every warp takes both paths, because the code contains an `if`",
          zh = "代码里有 `if`，所以每个 warp 都要把两条路各走一遍",
          because = {
            en = "A warp takes both paths only if its own lanes disagree on the condition.",
            zh = "只有同一个 warp 的各个 lane 判断结果不同时，这个 warp 才会走两条路。",
          },
        },
      },
    },
    predict {
      en = "Let us measure divergence. The kernel with the check runs with n = 1003 and blocks of 64 threads. Each warp executes the branch `if (i < n)` once. How many of these executions diverge?",
      zh = "来测一测发散。用 n = 1003、每块 64 个线程运行带检查的核函数，每个 warp 执行一次分支 `if (i < n)`。其中有多少次发散？",
      counter = "divergent_branches",
      of = "baseline",
      case = { n = 1003 },
      tolerance = 0,
      because = {
        en = "One: only the last warp diverges. In the other 31 warps, every lane has an element.",
        zh = "一次：只有最后一个 warp 发散。其余 31 个 warp 的每个 lane 都有元素。",
      },
    },
    ask {
      en = "Count only the warps that have at least one element. What share of these warps diverges, in per cent, for n = {n}?",
      zh = "只看至少分到一个元素的 warp。当 n = {n} 时，其中发散的占百分之几？",
      draw = { n = { from = { 100, 1000, 10000 } } },
      answer = function(d) return 100 / ceil_div(d.n, 32) end,
      tolerance = 0.03,
      unit = "%",
      because = {
        en = "Divide n by 32 and round up: this is the number of warps, and one of them diverges. It is 1 of 4 for 100 elements, 1 of 32 for 1000, 1 of 313 for 10,000. If n is a multiple of 32, no warp diverges. The larger the vector, the less the boundary check matters.",
        zh = "n 除以 32，向上取整，就是 warp 的个数，其中 1 个发散：100 个元素时是 4 个中的 1 个，1000 个时是 32 个中的 1 个，10,000 个时是 313 个中的 1 个。n 是 32 的倍数时，没有 warp 发散。向量越长，边界检查的影响越小。",
      },
    },
    exercise {
      en = [[
        The skeleton launches `n / BLOCK` blocks, and every thread writes a result. For n = 1003, the last 43 elements have no thread. For n = 1, the
        skeleton launches no block at all. Change the program so that it is right for every n.
      ]],
      zh = [[
        骨架代码启动 `n / BLOCK` 个块，每个线程都写一个结果。n = 1003 时，最后 43 个元素没有线程；n = 1 时，一个块也没有启动。请把程序改成对任意 n 都
        正确。
      ]],
    },
    show {
      en = "Your kernel, line by line: how often warps executed each line, and how many of their 32 lanes were active on average.",
      zh = "逐行看你的核函数：每一行被 warp 执行了多少次，32 个 lane 里平均有多少个在工作。",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your counters beside those of the baseline, for 1,000,003 elements:",
      zh = "你的计数器与基线的对比（1,000,003 个元素）：",
      counters = { "warp_inst", "active_lanes_avg", "divergent_branches", "gld_sectors_per_request" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "correct",
      en = "For n = 1003 and blocks of 64 threads, the integer division 1003 / 64 gives 15. How many elements have a thread if you launch 15 blocks?",
      zh = "n = 1003、每块 64 个线程时，整数除法 1003 / 64 等于 15。启动 15 个块时，有多少个元素有线程处理？",
    },
    {
      en = "Make two changes. Round the number of blocks up. Some threads then have an i of n or more, so let a thread write only if its i is below n.",
      zh = "要改两处。块数要向上取整。这样有些线程的 i 会超出末尾，所以只让 i 小于 n 的线程写。",
    },
    {
      en = [[
        For the launch, compute the number of blocks:

            int blocks = (n + BLOCK - 1) / BLOCK;

        In the kernel, put `if (i < n)` in front of the addition.
      ]],
      zh = [[
        启动之前先算块数：

            int blocks = (n + BLOCK - 1) / BLOCK;

        在核函数里，把 `if (i < n)` 加在加法前面。
      ]],
    },
  },

  after = {
    en = [[
      Nearly every kernel follows this pattern: you round the number of blocks up, and each thread checks the boundary. The grid then has a thread for
      every element, and the check stops the surplus threads. The check costs one comparison per thread, and at most one warp of the launch diverges.
    ]],
    zh = [[
      几乎所有核函数都这样写：块数向上取整，每个线程检查边界。这样每个元素都有线程，多余的线程不会越界。代价是每个线程做一次比较，
      整个启动中最多有一个 warp 发散。
    ]],
  },
  more = {
    en = [[
      Set BLOCK to 1000 and then to 33. Each time, type `profile` and look at `active_lanes_avg`. The device divides every block into warps
      separately, so the last warp of *every* block may be partly empty. This is why the block size should be a multiple of 32.
    ]],
    zh = [[
      把 BLOCK 先后改成 1000 和 33，每次输入 `profile`，看看 `active_lanes_avg`。设备把每个块单独分成 warp，所以*每一个*块的最后一个 warp 都可能不满。
      因此块大小应当取 32 的倍数。
    ]],
  },
}
