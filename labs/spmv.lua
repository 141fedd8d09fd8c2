-- Chapter 6: sparse matrix times vector.
return lab {
  id = "spmv",
  title = { en = "Sparse matrix times vector", zh = "稀疏矩阵乘向量" },
  chapter = 6,
  minutes = 30,
  needs = { "gemv", "divergence" },
  source = "slides activity 9",
  teaches = {
    csr = "say ask exercise",
    imbalance = "ask predict",
    ["warp-per-row-loses"] = "ask traps after",
    ["loop-divergence"] = "ask",
    ["even-load"] = "ask",
  },

  entry = "void spmv(const int *start, const int *col, const float *value, const float *x, float *y, int rows, int nonzeros)",
  args = {
    start = csr_rows(1, 31, "rows + 1"),
    col = csr_cols(0, "rows - 1", "nonzeros"),
    value = uniform(-1, 1, "nonzeros"),
    x = uniform(-1, 1, "rows"),
    y = output("rows", { ops = 128, atol = 1e-5 }),
  },
  cases = {
    { rows = 64, nonzeros = 1024 },
    { rows = 1, nonzeros = 5 },
    { rows = 101, nonzeros = 1616 },
    { rows = 16384, nonzeros = 262144, timed = true },
  },
  hidden = { count = 3, rows = { 10, 300 }, nonzeros = { 1000, 5000 } },
  goals = {
    correct { points = 2 },
    -- The model answer has 0.35 times the baseline's, 4 lanes a row 0.5, a thread a row with wide
    -- loads 0.92.
    at_most("gld_sectors_per_request", 0.65 * baseline) {
      points = 3,
      en = [[
        The `value` and `col` of one row lie side by side in memory. Let neighbouring lanes read
        them.
      ]],
      zh = "同一行的 `value` 和 `col` 在内存里是连续的，应当让相邻的 lane 去读。",
    },
    at_most("global_load_sectors", 0.75 * baseline) {
      points = 3,
      en = [[
        Your kernel touches too many sectors in all. Does each lane of a group begin at its own
        nonzero, and does the group read every nonzero only once?
      ]],
      zh = "核函数触及的扇区总数太多。组内各 lane 是否从各自的非零元开始？每个非零元是否只读一次？",
    },
    at_most("const_passes", 50000) {
      points = 1,
      en = [[
        The lanes of a warp read different words of constant memory, one after another. Read `x`
        from global memory, and let neighbouring lanes share a row.
      ]],
      zh = [[
        一个 warp 的各个 lane 读常量内存里不同的字，只能一个接一个地读。
        `x` 应当从全局内存读，并让相邻的 lane 共同处理一行。
      ]],
    },
    at_most("warp_inst", 4.5 * baseline) {
      points = 1,
      en = [[
        Your kernel executes too many warp instructions. A row has 16 nonzeros on average, so a
        whole warp per row leaves half of its lanes idle. Let fewer lanes share a row.
      ]],
      zh = [[
        你的核函数执行的 warp 指令太多。一行平均有 16 个非零元，如果整个 warp 处理一行，
        就有一半的 lane 空闲。让更少的 lane 共同处理一行。
      ]],
    },
  },
  forbid = { "cusparse", "cub", "thrust" },

  steps = {
    say {
      en = [[
        This lab's kernel multiplies a *sparse* matrix by a vector. Most elements of a sparse matrix
        are zero, and only the others, the *nonzeros*, are stored. Such matrices come from networks
        and simulations, where each point has only a few neighbours.

        The format *compressed sparse rows* (CSR) stores the nonzeros row after row: `value` holds
        their values, and `col` holds their columns. `start[r]` is the index at which row r begins.
        So row r has `start[r + 1] - start[r]` nonzeros. In this lab, each row has between 1 and 31
        nonzeros.

        In the skeleton, each thread computes one row. You will let several lanes share a row, and
        find out how many lanes are best.
      ]],
      zh = [[
        本实验的核函数计算*稀疏*矩阵与向量的乘积。稀疏矩阵的大多数元素是零，只存放其余的元素，
        也就是*非零元*。网络和数值模拟里常有这样的矩阵，因为每个点只有少数几个邻居。

        *压缩稀疏行*（CSR）格式把非零元逐行存放：`value` 存放值，`col` 存放列号，
        `start[r]` 是第 r 行开始处的下标。所以第 r 行有 `start[r + 1] - start[r]` 个非零元。
        本实验中，每行有 1 到 31 个非零元。

        骨架代码里，每个线程算一行。你要让几个 lane 共同处理一行，并找出用几个 lane 最好。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A {r} x {r} matrix of floats has {k} nonzeros in each row. In CSR, each value, each
        column number and each of the {r} + 1 row starts takes 4 bytes. Now all
        elements are stored instead, also the zeros. By what factor does the matrix then take more
        memory than in CSR?
      ]],
      zh = [[
        一个 {r} x {r} 的 float 矩阵，每行 {k} 个非零元。在 CSR 中，每个值、
        每个列号和 {r} + 1 个行起点各占 4 字节。如果连零也全部存放，占用的内存是 CSR 的几倍？
      ]],
      draw = { r = { from = { 1024, 4096, 16384 } }, k = { from = { 4, 8, 16 } } },
      answer = function(d) return d.r * d.r / (2 * d.k * d.r + d.r + 1) end,
      tolerance = 0.03,
      because = {
        en = [[
          All elements take {r} * {r} words. CSR takes 2 * {k} * {r} words for the values and
          columns, and {r} + 1 words for the starts.
        ]],
        zh = [[
          全部元素占 {r} * {r} 个字。CSR 的值和列号占 2 * {k} * {r} 个字，行起点占 {r} + 1 个字。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Each thread computes one row, so a warp computes 32 rows. These rows have {a} nonzeros
        on average and the longest has {m}. The warp loops until its longest row is done. In
        each iteration, some of its 32 lanes are active. What percentage of the lanes is active,
        on average over all iterations?
      ]],
      zh = [[
        每个线程算一行，一个线程束（warp）算 32 行。这 32 行平均有 {a} 个非零元，最长的一行有 {m}
        个。整个 warp 一直循环到最长的一行做完。对所有循环取平均，32 个 lane 里百分之几是活跃的？
      ]],
      draw = { a = { 5, 16 }, m = { 20, 31 } },
      answer = function(d) return 100 * d.a / d.m end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = [[
          The warp does {m} iterations. On average, a lane is active in {a} of these iterations.
        ]],
        zh = "整个 warp 循环 {m} 次。平均来说，一个 lane 只在其中 {a} 次里活跃。",
      },
    },
    ask {
      alone = true,
      en = [[
        Now each *warp* computes one row, and each row has {a} nonzeros. What percentage of the
        lanes is active in the loop?
      ]],
      zh = "现在由每个 *warp* 算一行，一行有 {a} 个非零元。循环里活跃的 lane 占百分之几？",
      draw = { a = { from = { 4, 8, 16 } } },
      answer = function(d) return 100 * d.a / 32 end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = [[
          The loop has one iteration, with {a} of 32 lanes active. After the loop, the warp still
          needs five shuffles to add these few products. If each row has only 4 nonzeros, one thread
          per row is faster.
        ]],
        zh = [[
          循环只有一次，32 个 lane 中有 {a} 个活跃。循环之后，还要用五次 shuffle 把这几个乘积相加。
          如果每行只有 4 个非零元，每个线程算一行反而更快。
        ]],
      },
    },
    predict {
      en = [[
        In the baseline (the skeleton's kernel), each thread computes one row. The rows have 1 to 31
        nonzeros, 16 on average. On average over all instructions, how many of the 32 lanes are
        active?
      ]],
      zh = [[
        基线（骨架代码的核函数）里，每个线程算一行。各行有 1 到 31 个非零元，平均 16 个。
        对所有指令取平均，32 个 lane 里有多少个活跃？
      ]],
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.2,
      because = {
        en = [[
          The longest of 32 rows has about 30 nonzeros. So the loop has about 30 iterations, and
          about 32 * 16 / 30 = 17 lanes are active on average. Few instructions are outside the
          loop, so these instructions change the average only a little.
        ]],
        zh = [[
          32 行中最长的一行约有 30 个非零元，所以大约循环 30 次，
          平均约有 32 * 16 / 30 = 17 个活跃 lane。循环之外的指令很少，影响不大。
        ]],
      },
    },
    exercise {
      en = [[
        Divide each warp into groups of 4, 8 or 16 lanes, and let each group compute one row. Which
        group size suits rows of about 16 nonzeros?
      ]],
      zh = [[
        把每个 warp 分成若干组，每组 4、8 或 16 个 lane，由一组处理一行。每行约有 16 个非零元时，
        一组几个 lane 合适？
      ]],
    },
    show {
      en = "The active lanes of your kernel, line by line:",
      zh = "逐行看你的核函数有多少个活跃 lane：",
      picture = "divergence",
      of = "mine",
    },
    show {
      en = [[
        The sectors that your kernel reads and writes. The matrix decides which elements of `x` are
        read, so these reads stay scattered.
      ]],
      zh = "你的核函数读写的扇区。读 `x` 的哪些元素由矩阵决定，所以对 `x` 的读取仍是分散的。",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel reads fewer sectors than the baseline, but executes more warp instructions.
      ]],
      zh = "与基线相比，你的核函数读的扇区少了，但执行的 warp 指令多了。",
      counters = {
        "gld_sectors", "warp_inst", "active_lanes_avg", "gld_efficiency_pct", "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "warp_inst",
      en = "A row need not have 1 lane or 32 lanes. What about a group size in between?",
      zh = "一行不一定只能用 1 个 lane 或 32 个 lane。一组的大小介于两者之间，怎么样？",
    },
    {
      en = [[
        Number the threads of the whole grid. A thread's row is r = (its number) / GROUP, and its
        place in the group is `lane = threadIdx.x % GROUP`. Each lane starts at `start[r] + lane`
        and goes on in steps of GROUP. At the end, the group adds the partial sums of its lanes with
        shuffles.
      ]],
      zh = [[
        给整个网格的线程编号。线程所在的行是 r = 编号 / GROUP，
        在组内的位置是 `lane = threadIdx.x % GROUP`。每个 lane 从 `start[r] + lane` 开始，
        步长为 GROUP。最后，组内用 shuffle 把各 lane 的部分和相加。
      ]],
    },
    {
      en = [[
        To add the partial sums of a group:

            for (int s = GROUP / 2; s > 0; s /= 2)
                sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);

        The fourth argument keeps each shuffle inside its group. The mask names all 32 lanes. So
        even a lane without a row may not return before the shuffles.
      ]],
      zh = [[
        组内的部分和这样相加：

            for (int s = GROUP / 2; s > 0; s /= 2)
                sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);

        第四个参数把 shuffle 限制在组内。掩码包含全部 32 个 lane，
        所以没有分到行的 lane 也不能在 shuffle 之前返回。
      ]],
    },
  },

  after = {
    en = [[
      No kernel is best for all matrices, because the best group size depends on the length of the
      rows. For 65,536 rows, `sim:h200` gives these times (us, data in L2):

          nonzeros per row     4      16      64
          a thread per row     3.9    8.4    42.8
          4 lanes per row      4.1    7.9    23.9
          8 lanes per row      4.8    8.4    24.1
          a warp per row      12.3   12.2    20.9

      Libraries compute the average row length and choose groups of 2, 4, 8, 16 or 32 lanes
      accordingly. They give very long rows to whole blocks.

      Other formats store the same nonzeros in another order. *ELL* pads all rows to the length of
      the longest one and stores the first nonzero of each row, then the second of each row, and so
      on. If thread r computes row r, neighbouring lanes read neighbouring words. But the padding
      takes memory and time: rows of 1 to 31 nonzeros, 16 on average, grow to 31. *COO* (coordinates)
      stores the row of each nonzero beside its column, 12 bytes for each nonzero. Any thread can
      take any nonzeros, so even very uneven rows are divided evenly. But the products of a row must
      then be added across threads, for example with atomics.

      In this lab's timed case, an H200 takes 8.2 us with a thread per row and 6.3 us with the
      model answer. (Both were measured with a cold L2: at the start, none of the data are in this
      cache.)
    ]],
    zh = [[
      没有一个核函数对所有矩阵都最好，因为一组最好用几个 lane，取决于行的长度。有 65,536 行时，
      `sim:h200` 给出的时间（微秒，数据已在 L2 里）是：

          每行非零元数         4      16      64
          每个线程一行         3.9    8.4    42.8
          4 个 lane 一行       4.1    7.9    23.9
          8 个 lane 一行       4.8    8.4    24.1
          每个 warp 一行      12.3   12.2    20.9

      库函数先求平均行长，再据此选用每组 2、4、8、16 或 32 个 lane，特别长的行则交给整个块。

      还有别的格式，以另外的次序存放同样的非零元。*ELL* 把所有行都填充到最长一行的长度，
      先存放每行的第一个非零元，再存放每行的第二个，依此类推。线程 r 算第 r 行时，
      相邻的 lane 就读相邻的字。但填充要占内存和时间：1 到 31 个、平均 16 个非零元的行，
      都要变成 31 个。*COO*（坐标）格式在每个非零元的列号旁边再存放行号，每个非零元占 12 字节。
      任何线程都可以处理任何非零元，所以行长再悬殊，也能平均分配。但一行的乘积要跨线程相加，
      例如用原子操作。

      本实验计时的用例在 H200 上，每个线程算一行要 8.2 微秒，参考答案要 6.3 微秒。
      （都是 L2 冷态下的实测，即开始时，要用的数据都不在 L2 缓存里。）
    ]],
  },
  more = {
    en = [[
      Try GROUP = 2, 4, 16 and 32. For each size, note `gld_sectors`, `warp_inst` and the time.
      Which group size is the fastest? Which of the two counters changes in the same way as the
      time?
    ]],
    zh = [[
      试试 GROUP = 2、4、16、32，分别记下 `gld_sectors`、`warp_inst` 和时间。哪种大小最快？
      两个计数器中，哪个的变化与时间一致？
    ]],
  },
}
