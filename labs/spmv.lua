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
      en = "`value` and `col` of a row lie side by side: let neighbouring lanes read them.",
      zh = "同一行的 `value` 和 `col` 是连续存放的：让相邻的 lane 去读它们。",
    },
    at_most("warp_inst", 4.5 * baseline) {
      points = 3,
      en = "Too many warps for so few nonzeros: a row of 16 leaves half of a warp idle. Let fewer lanes share a row.",
      zh = "非零元这么少，用的 warp 却太多：一行 16 个非零元，会让半个 warp 闲着。让更少的 lane 共用一行。",
    },
  },
  forbid = { "cusparse", "cub", "thrust" },

  steps = {
    say {
      en = [[
        Most elements of a sparse matrix are zero and are not stored. *Compressed sparse rows* (CSR) keep the others row after row: their values in `value`, their
        columns in `col`, and in `start[r]` where row r begins. Row r has `start[r + 1] - start[r]` nonzeros, some have 1, others 31.
      ]],
      zh = [[
        稀疏矩阵的大多数元素是零，不予存储。*压缩行存储*（CSR）把其余的逐行存放：值在 `value` 里，列号在 `col` 里，`start[r]` 记录第 r 行从哪里开始。第 r 行有
        `start[r + 1] - start[r]` 个非零元，有的行只有 1 个，有的有 31 个。
      ]],
    },
    ask {
      alone = true,
      en = "A {r} x {r} matrix of floats has {k} nonzeros in each row. By what factor does CSR, with 4 bytes for each value, each column and each row's start, take less memory?",
      zh = "一个 {r} x {r} 的 float 矩阵，每行 {k} 个非零元。存成 CSR，每个值、每个列号、每行的起点各占 4 字节。稠密存储所占的内存是它的几倍？",
      draw = { r = { from = { 1024, 4096, 16384 } }, k = { from = { 4, 8, 16 } } },
      answer = function(d) return d.r * d.r / (2 * d.k * d.r + d.r + 1) end,
      tolerance = 0.03,
      because = { en = "{r} * {r} words against 2 * {k} * {r} + {r} + 1.", zh = "{r} * {r} 个字，比 2 * {k} * {r} + {r} + 1 个字。" },
    },
    ask {
      alone = true,
      en = "With a thread per row, 32 rows of a warp have {a} nonzeros on average and the longest has {m}. What share of the lane-turns of the loop does work? (in %)",
      zh = "每个线程算一行。一个线程束（warp）的 32 行平均有 {a} 个非零元，最长的一行有 {m} 个。把每个 lane 的循环次数都加起来，其中百分之几真正在干活？",
      draw = { a = { 5, 16 }, m = { 20, 31 } },
      answer = function(d) return 100 * d.a / d.m end,
      tolerance = 0.01,
      unit = "%",
      because = { en = "The warp turns {m} times, for everybody; on average a lane works in {a} of them.", zh = "整个 warp 循环 {m} 次，平均每个 lane 只在其中 {a} 次里干活。" },
    },
    ask {
      alone = true,
      en = "With a *warp* per row and {a} nonzeros in a row, what share of the lanes works in the loop? (in %)",
      zh = "每个 *warp* 算一行，一行有 {a} 个非零元时，循环中有百分之几的 lane 在干活？",
      draw = { a = { from = { 4, 8, 16 } } },
      answer = function(d) return 100 * d.a / 32 end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "{a} of 32, and after the loop five shuffles for a handful of numbers. With 4 nonzeros per row the plain thread per row is faster.",
        zh = "32 个里有 {a} 个，循环之后还要为这几个数洗牌五次。每行只有 4 个非零元时，“每个线程一行”反而更快。",
      },
    },
    predict {
      en = "How many of 32 lanes are active on average in the baseline's instructions? Rows have 1 to 31 nonzeros, 16 on average.",
      zh = "基线的指令平均有多少个 lane（满员 32）在工作？各行有 1 到 31 个非零元，平均 16 个。",
      counter = "active_lanes_avg",
      of = "baseline",
      tolerance = 0.2,
      because = { en = "The longest of 32 rows has about 30: 32 * 16 / 30, roughly, plus what is outside of the loop.", zh = "32 行中最长的约 30 个：大约 32 * 16 / 30，再加上循环之外的部分。" },
    },
    exercise {
      en = "Let a group of 4, 8 or 16 lanes share a row. Which size suits rows of about 16?",
      zh = "让 4、8 或 16 个 lane 组成一组，共用一行。每行约 16 个非零元时，哪种大小合适？",
    },
    show { en = "Your lanes, line by line:", zh = "逐行看你的 lane：", picture = "divergence", of = "mine" },
    show { en = "And your sectors. The reads of `x` stay scattered: that is the matrix's nature.", zh = "以及扇区。对 `x` 的读取仍是分散的：这是矩阵本身决定的。", picture = "sectors", of = "mine" },
    compare {
      en = "Fewer sectors, paid for with more warp instructions.",
      zh = "扇区少了，代价是更多的 warp 指令。",
      counters = { "gld_sectors", "warp_inst", "active_lanes_avg", "gld_efficiency_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "warp_inst", en = "Between one lane per row and 32 per row there is room.", zh = "在“一个 lane 一行”和“32 个 lane 一行”之间，还有余地。" },
    { en = "`r = (global thread) / GROUP`, `lane = threadIdx.x % GROUP`; the group walks from start[r] + lane in steps of GROUP; then shuffles within the group.",
      zh = "`r = 全局线程号 / GROUP`，`lane = threadIdx.x % GROUP`；一组从 start[r] + lane 开始，步长为 GROUP；然后在组内洗牌。" },
    { en = "`for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);` The fourth argument keeps the shuffle inside the group. All lanes take part, so no return before it.",
      zh = "`for (int s = GROUP / 2; s > 0; s /= 2) sum += __shfl_down_sync(0xffffffff, sum, s, GROUP);`。第四个参数让洗牌不越出小组。所有 lane 都要参加，所以在此之前不能返回。" },
  },

  after = {
    en = [[
      There is no best kernel for all matrices: the length of the rows decides. For 65,536 rows `sim:h200` models (us, data in the L2):

          nonzeros per row     4      16      64
          a thread per row     3.9    8.4    42.8
          4 lanes per row      4.1    7.9    23.9
          8 lanes per row      4.8    8.4    24.1
          a warp per row      12.3   12.2    20.9

      Libraries look at the average, choose a group of 2, 4, 8, 16 or 32 lanes, and give very long rows to whole blocks. In this lab's case an H200 takes 8.3 us with a thread per row and 6.4 with the model answer (measured, cold L2).
    ]],
    zh = [[
      没有对所有矩阵都最好的核函数：行的长度说了算。65,536 行时，`sim:h200` 模型给出的时间（微秒，数据已在 L2 里）：

          每行非零元数         4      16      64
          每个线程一行         3.9    8.4    42.8
          4 个 lane 一行       4.1    7.9    23.9
          8 个 lane 一行       4.8    8.4    24.1
          每个 warp 一行      12.3   12.2    20.9

      库函数会先看平均行长，再从 2、4、8、16、32 中选一个组的大小，特别长的行则交给整个块。在本实验的用例上，H200 每个线程一行用 8.3 微秒，参考答案用 6.4 微秒（实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Try GROUP = 2, 4, 16 and 32, and note gld_sectors, warp_inst and the time for each. Where is the minimum, and which counter moves with the time?",
    zh = "试试 GROUP = 2、4、16、32，记录各自的 gld_sectors、warp_inst 和时间。最小值在哪里？时间跟着哪个计数器走？",
  },
}
