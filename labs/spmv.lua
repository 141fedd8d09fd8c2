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
    correct { points = 4 },
    at_most("global_load_sectors", 0.75 * baseline) {
      points = 3,
      en = "`value` and `col` of a row are contiguous in memory: let neighbouring lanes read them.",
      zh = "同一行的 `value` 和 `col` 是连续存放的：让相邻的 lane 去读它们。",
    },
    at_most("warp_inst", 4.5 * baseline) {
      points = 3,
      en = "There are too many warps for this few nonzeros: a row of 16 leaves half of a warp idle. Let fewer lanes share a row.",
      zh = "非零元很少，用的 warp 却太多：一行 16 个非零元，会让半个 warp 空闲。让更少的 lane 共同处理一行。",
    },
  },
  forbid = { "cusparse", "cub", "thrust" },

  steps = {
    say {
      en = [[
        Most elements of a sparse matrix are zero and are not stored. The format *compressed sparse rows* (CSR) stores the others row after row: `value` holds their values,
        `col` their columns, and `start[r]` says where row r begins. Row r has `start[r + 1] - start[r]` nonzeros; in this lab between 1 and 31.
      ]],
      zh = [[
        稀疏矩阵的大多数元素是零，不予存储。*压缩稀疏行*（CSR）格式把其余元素逐行存放：`value` 存放值，`col` 存放列号，`start[r]` 记录第 r 行从哪里开始。第 r 行有
        `start[r + 1] - start[r]` 个非零元；在本实验中是 1 到 31 个。
      ]],
    },
    ask {
      alone = true,
      en = "A {r} x {r} matrix of floats has {k} nonzeros in each row. In CSR each value, each column and each row's start takes 4 bytes. How many times as much memory does the dense matrix take?",
      zh = "一个 {r} x {r} 的 float 矩阵，每行 {k} 个非零元。在 CSR 中，每个值、每个列号、每行的起点各占 4 字节。稠密存储占用的内存是 CSR 的几倍？",
      draw = { r = { from = { 1024, 4096, 16384 } }, k = { from = { 4, 8, 16 } } },
      answer = function(d) return d.r * d.r / (2 * d.k * d.r + d.r + 1) end,
      tolerance = 0.03,
      because = { en = "{r} * {r} words divided by 2 * {k} * {r} + {r} + 1 words.", zh = "{r} * {r} 个字除以 2 * {k} * {r} + {r} + 1 个字。" },
    },
    ask {
      alone = true,
      en = "With a thread per row, the 32 rows of a warp have {a} nonzeros on average and the longest has {m}. In each iteration of the warp's loop, each lane is either active or idle. What percentage of all lanes in all iterations is active?",
      zh = "每个线程算一行。一个线程束（warp）的 32 行平均有 {a} 个非零元，最长的一行有 {m} 个。在 warp 的每次循环里，每个 lane 要么活跃，要么空闲。所有循环合起来，活跃的 lane 占百分之几？",
      draw = { a = { 5, 16 }, m = { 20, 31 } },
      answer = function(d) return 100 * d.a / d.m end,
      tolerance = 0.01,
      unit = "%",
      because = { en = "The warp does {m} iterations with all its lanes; on average a lane is active in {a} of them.", zh = "整个 warp 循环 {m} 次，平均每个 lane 只在其中 {a} 次里活跃。" },
    },
    ask {
      alone = true,
      en = "With a *warp* per row and {a} nonzeros in a row, what percentage of the lanes is active in the loop?",
      zh = "每个 *warp* 算一行，一行有 {a} 个非零元时，循环中活跃的 lane 占百分之几？",
      draw = { a = { from = { 4, 8, 16 } } },
      answer = function(d) return 100 * d.a / 32 end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "{a} of 32 lanes. After the loop, five shuffles add these few numbers. With 4 nonzeros per row, a thread per row is faster.",
        zh = "32 个 lane 中有 {a} 个活跃；循环之后还要用五次 shuffle 把这几个数相加。每行只有 4 个非零元时，每个线程算一行反而更快。",
      },
    },
    predict {
      en = "How many of 32 lanes are active on average in the baseline's instructions? The rows have 1 to 31 nonzeros, 16 on average.",
      zh = "基线的每条指令平均有多少个活跃 lane（最多 32 个）？各行有 1 到 31 个非零元，平均 16 个。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.2,
      because = { en = "The longest of 32 rows has about 30 nonzeros, so about 32 * 16 / 30 = 17 lanes are active in the loop. The instructions outside the loop change this little.", zh = "32 行中最长的一行约有 30 个非零元，所以循环里约有 32 * 16 / 30 = 17 个活跃 lane。循环之外的指令影响不大。" },
    },
    exercise {
      en = "Let a group of 4, 8 or 16 lanes share a row. Which size suits rows of about 16 nonzeros?",
      zh = "让 4、8 或 16 个 lane 组成一组，共同处理一行。每行约 16 个非零元时，哪种大小合适？",
    },
    show { en = "The active lanes of your kernel, line by line:", zh = "逐行看你的核函数有多少个活跃 lane：", picture = "divergence", of = "mine" },
    show { en = "The sectors of your kernel. The reads of `x` stay scattered, because the matrix decides which elements are read.", zh = "你的核函数的扇区。对 `x` 的读取仍是分散的，因为读哪些元素由矩阵决定。", picture = "sectors", of = "mine" },
    compare {
      en = "Your kernel reads fewer sectors. The price is more warp instructions.",
      zh = "读取的扇区少了，代价是 warp 指令多了。",
      counters = { "gld_sectors", "warp_inst", "active_lanes_avg", "gld_efficiency_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "warp_inst", en = "There are sizes between one lane per row and 32 lanes per row.", zh = "在每行 1 个 lane 和每行 32 个 lane 之间，还有别的选择。" },
    { en = "`r = (global thread) / GROUP`, `lane = threadIdx.x % GROUP`; each lane of the group goes from start[r] + lane in steps of GROUP; then the group adds its sums with shuffles.",
      zh = "`r = 全局线程号 / GROUP`，`lane = threadIdx.x % GROUP`；组内的每个 lane 从 start[r] + lane 开始，步长为 GROUP；然后在组内用 shuffle 求和。" },
    { en = "`for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);` The fourth argument keeps the shuffle inside the group. All lanes of the warp must take part, so do not return before it.",
      zh = "`for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);`。第四个参数把 shuffle 限制在组内。warp 的所有 lane 都要参加，所以在此之前不能返回。" },
  },

  after = {
    en = [[
      No kernel is best for all matrices: the length of the rows decides. For 65,536 rows `sim:h200` gives these times (us, data in L2):

          nonzeros per row     4      16      64
          a thread per row     3.9    8.4    42.8
          4 lanes per row      4.1    7.9    23.9
          8 lanes per row      4.8    8.4    24.1
          a warp per row      12.3   12.2    20.9

      Libraries choose a group of 2, 4, 8, 16 or 32 lanes from the average row length, and give very long rows to whole blocks. In this lab's case an H200
      takes 8.3 us with a thread per row and 6.4 us with the model answer (measured, cold L2).
    ]],
    zh = [[
      没有一个核函数对所有矩阵都最好：行的长度起决定作用。65,536 行时，`sim:h200` 给出的时间（微秒，数据已在 L2 里）：

          每行非零元数         4      16      64
          每个线程一行         3.9    8.4    42.8
          4 个 lane 一行       4.1    7.9    23.9
          8 个 lane 一行       4.8    8.4    24.1
          每个 warp 一行      12.3   12.2    20.9

      库函数按平均行长，从 2、4、8、16、32 个 lane 中选一个组的大小，特别长的行则交给整个块。在本实验的用例上，H200 若每个线程算一行，用 8.3 微秒；参考答案用 6.4 微秒（实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Try GROUP = 2, 4, 16 and 32, and note gld_sectors, warp_inst and the time for each. Which group size is fastest, and which counter follows the time?",
    zh = "试试 GROUP = 2、4、16、32，记录各自的 gld_sectors、warp_inst 和时间。哪种大小最快？哪个计数器与时间的变化一致？",
  },
}
