-- Chapter 6: matrix times vector.
return lab {
  id = "gemv",
  title = { en = "Matrix times vector", zh = "矩阵乘向量" },
  chapter = 6,
  minutes = 25,
  needs = { "reduce-7-shuffle" },
  source = "slides activity 9; book 5.1",
  teaches = {
    ["row-per-thread"] = "say ask predict exercise",
  },

  entry = "void gemv(const float *a, const float *x, float *y, int rows, int cols)",
  args = {
    a = uniform(-1, 1, "rows * cols"),
    x = uniform(-1, 1, "cols"),
    y = output("rows", { ops = "2 * cols", atol = 1e-4 }),
  },
  cases = {
    { rows = 64, cols = 64 },
    { rows = 1, cols = 1 },
    { rows = 37, cols = 101 },
    { rows = 3, cols = 1030 },
    { rows = 1024, cols = 1024, timed = true },
  },
  hidden = { count = 3, rows = { 1, 100 }, cols = { 1, 700 } },
  goals = {
    correct { points = 4 },
    at_most("global_load_sectors", 0.5 * baseline) {
      points = 3,
      en = "In each step, the lanes of a warp should read neighbouring elements of *one* row.",
      zh = "每一步里，一个 warp 的各 lane 应当读*同一行*里相邻的元素。",
    },
    speedup(2) {
      points = 3,
      none = 1,
      en = "Are there enough threads for the device, and are their loads coalesced?",
      zh = "线程数足够占满设备吗？各线程的读取合并了吗？",
    },
  },
  forbid = { "cublas", "cub", "thrust" },

  steps = {
    say {
      en = [[
        Each element of the matrix is used exactly once, so y = A x is limited by memory, like a sum. Two things matter: the order in which the elements are
        read, and the number of threads that read them. A thread per row gets both wrong: a warp reads from 32 rows at a time, and there are only as many
        threads as rows.
      ]],
      zh = [[
        矩阵的每个元素恰好只用一次，所以 y = A x 和求和一样，瓶颈是内存。关键有两点：按什么顺序读元素，有多少个线程来读。每个线程算一行，两点都不对：一个线程束（warp）同时读 32 行，而且线程数只等于行数。
      ]],
    },
    show {
      en = "One load of a warp, with a thread per row and 1024 columns.",
      zh = "每个线程算一行、矩阵有 1024 列时，一个 warp 的一次读取。",
      picture = "lanes",
      model = function(lane) return lane * 1024 * 4 end,
    },
    ask {
      en = "An H200 can hold 270,336 threads at a time. A matrix has {r} rows, and {t} threads share a row. What percentage of the thread slots is filled?",
      zh = "H200 能同时容纳 270,336 个线程。矩阵有 {r} 行，每行由 {t} 个线程共同处理。占用了百分之几的线程槽？",
      draw = { r = { from = { 512, 1024, 2048 } }, t = { from = { 1, 32, 128 } } },
      answer = function(d) return 100 * d.r * d.t / 270336 end,
      tolerance = 0.03,
      unit = "%",
      because = { en = "{r} * {t} of 270,336. A thread per row leaves such a device almost empty.", zh = "占 270,336 个中的 {r} * {t} 个。每个线程算一行时，这样的设备几乎是空的。" },
    },
    ask {
      alone = true,
      en = "A large matrix of floats is read once and multiplied by {m} vectors at the same time. (The vectors are small and stay on the chip.) How many operations per byte is that?",
      zh = "一个很大的 float 矩阵只读一遍，同时与 {m} 个向量相乘（向量很小，留在片上）。每字节做多少次运算？",
      draw = { m = { from = { 1, 2, 4, 8 } } },
      answer = function(d) return d.m / 2 end,
      replies = { { function(d) return d.m / 4 end, en = "Each element takes a multiplication and an addition for each vector.", zh = "每个元素对每个向量都要做一次乘法和一次加法。" } },
      because = {
        en = "2 * {m} operations for each element of 4 bytes, whatever the size of the matrix. One vector gives 0.5, far below what a multiprocessor could do, so memory is the limiter. With many vectors it becomes a matrix product.",
        zh = "每个 4 字节的元素做 2 * {m} 次运算，与矩阵大小无关。只有一个向量时是 0.5，远低于多处理器的能力，所以瓶颈是内存。向量很多时，就成了矩阵乘法。",
      },
    },
    ask {
      alone = true,
      en = "A matrix has 16 rows and a million columns. How should you distribute its rows over an H200?",
      zh = "矩阵有 16 行、一百万列。在 H200 上应当怎样分配各行？",
      choices = {
        { en = "A thread per row", zh = "每个线程一行", because = { en = "That is 16 threads for 132 multiprocessors.", zh = "132 个多处理器总共只有 16 个线程。" } },
        { en = "Many blocks per row, each for one piece of the row; the sums of the pieces are added at the end", zh = "每行用许多个块，每块处理一段，最后把各段的和加起来", right = true },
        { en = "A block of 1024 threads per row", zh = "每行一个 1024 线程的块", because = { en = "16 blocks leave 116 multiprocessors without work.", zh = "只有 16 个块，仍有 116 个多处理器没有工作。" } },
      },
      because = { en = "Add the sums with atomics or in a second launch, as for the sum of an array.", zh = "和数组求和一样，用原子操作或第二次启动把各段的和加起来。" },
    },
    predict {
      en = "In the baseline one load reads A (a sector per lane), and the other reads x (the same address for all lanes). How many sectors per request is that on average?",
      zh = "基线里，一条读取指令读 A（每个 lane 一个扇区），另一条读 x（所有 lane 同一个地址）。平均每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "(32 + 1) / 2.", zh = "(32 + 1) / 2。" },
    },
    exercise {
      en = "Share each row among the lanes of a warp or the threads of a block. The kernel must handle any number of rows and columns.",
      zh = "让一个 warp 的各 lane 或一个块的各线程共同处理一行。行数和列数任意。",
    },
    show { en = "Your accesses, line by line:", zh = "逐行看你的访问：", picture = "sectors", of = "mine" },
    show { en = "Your kernel in the roofline:", zh = "你的核函数在屋顶线图中的位置：", picture = "roofline", of = "mine" },
    compare {
      en = "Your kernel reads the same bytes in a better order.",
      zh = "读取的字节相同，顺序更好。",
      counters = { "gld_sectors", "gld_sectors_per_request", "warp_inst", "blocks", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "global_load_sectors", en = "Each row is a reduction.", zh = "每一行都是一次归约。" },
    { en = "Lane l of the row's warp takes the columns l, l + 32, l + 64 ... Then five shuffles add the lanes' sums, and lane 0 stores the result.", zh = "负责这一行的 warp 里，lane l 处理第 l、l + 32、l + 64……列；然后用五次 shuffle 把各 lane 的和相加；由 lane 0 写出结果。" },
    { en = "`int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; for (int k = lane; k < cols; k += 32) sum += a[r * cols + k] * x[k];` The check `r < rows` has the same result for a whole warp, so returning early is allowed here.",
      zh = "`int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; for (int k = lane; k < cols; k += 32) sum += a[r * cols + k] * x[k];`。`r < rows` 对整个 warp 结果一致，所以这里可以提前返回。" },
  },

  after = {
    en = [[
      At this lab's size (1024 x 1024) an H200 takes 98.6 us with a thread per row and 5.0 us with the model answer. At 4096 x 4096 the model answer takes
      25.2 us and cuBLAS 31.6 us.

      At that size, only adding up each row takes 285 us with a thread per row. Adding up each column with a thread per column is
      coalesced, but still takes 218 us: there are too few threads (all measured, cold L2).
    ]],
    zh = [[
      在本实验的规模（1024 x 1024）上，H200 若每个线程算一行，用 98.6 微秒；参考答案用 5.0 微秒。4096 x 4096 时，参考答案用 25.2 微秒，cuBLAS 用 31.6 微秒。

      在这样的矩阵上，若每个线程只把一行的元素相加，就要 285 微秒；若每个线程把一列的元素相加，访问虽然合并，仍要 218 微秒：线程太少（都是实测，L2 冷态）。
    ]],
  },
  more = {
    en = "Try 32, 64, 128, 256 and 1024 threads per row at this size: which is fastest? Then read 16 bytes at a time if the number of columns allows it: is the same number of threads still the fastest?",
    zh = "在这个规模下试试每行 32、64、128、256、1024 个线程：哪种最快？列数允许时，再改成一次读 16 字节：最快的线程数会变吗？",
  },
}
