-- Chapter 6: matrix times vector.
return lab {
  id = "gemv",
  title = { en = "Matrix times vector", zh = "矩阵乘向量" },
  chapter = 6,
  minutes = 25,
  needs = { "reduce-7-shuffle" },
  source = "slides activity 9; book 5.1",
  teaches = {
    ["row-per-thread"] = "say ask predict",
  },

  entry = "void gemv(const float *a, const float *x, float *y, int rows, int cols)",
  args = {
    a = uniform(-1, 1, "rows * cols"),
    x = uniform(-1, 1, "cols"),
    y = output("rows", { ops = "2 * cols" }),
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
    counter("gld_sectors", "<=", 0.5) {
      points = 3,
      relative = true,
      en = "In each step the lanes of a warp should read neighbouring elements of *one* row.",
      zh = "每一步里，一个 warp 的各 lane 应当读*同一行*里相邻的元素。",
    },
    speedup(2) {
      points = 3,
      en = "Are there enough threads for the device, and do their loads coalesce?",
      zh = "线程够设备用吗？它们的读取合并了吗？",
    },
  },
  forbid = { "cublas", "cub", "thrust" },

  steps = {
    say {
      en = [[
        Each element of the matrix is used exactly once: y = A x is limited by memory, like a sum. What matters is in which order the elements are read, and
        how many threads there are to ask for them. A thread per row gets both wrong: 32 rows at a time, and only as many threads as rows.
      ]],
      zh = [[
        矩阵的每个元素恰好只用一次：y = A x 和求和一样受限于内存。关键在于按什么顺序读、有多少线程来读。每个线程算一行，两样都错：同时沿着 32 行走，而且有几行才有几个线程。
      ]],
    },
    show {
      en = "A thread per row, 1024 columns: one load of a warp.",
      zh = "每个线程算一行、共 1024 列时，一个 warp 的一次读取。",
      picture = "lanes",
      model = function(lane) return lane * 1024 * 4 end,
    },
    ask {
      en = "How many threads are at work on a {r} x 4096 matrix with one thread per row, and with one warp per row? How many times as many are there in the second case?",
      zh = "对一个 {r} x 4096 的矩阵，“每个线程一行”与“每个 warp 一行”各有多少线程在工作？后者是前者的几倍？",
      draw = { r = { from = { 512, 1024, 4096 } } },
      answer = 32,
      because = { en = "An H200 has room for 270,336 threads; {r} of them hardly wake it.", zh = "H200 能容纳 270,336 个线程，{r} 个几乎叫不醒它。" },
    },
    ask {
      en = "A {r} x {r} matrix of floats is read once. How many operations per byte does y = A x do?",
      zh = "{r} x {r} 的 float 矩阵只读一遍。y = A x 每字节做多少次运算？",
      draw = { r = { from = { 1024, 2048, 4096 } } },
      answer = 0.5,
      because = {
        en = "Two operations for each element of 4 bytes, whatever the size: far below what a multiprocessor could do, so memory decides.",
        zh = "每个 4 字节的元素做两次运算，与大小无关：远低于多处理器的能力，所以由内存说了算。",
      },
    },
    predict {
      en = "In the baseline one load reads A (a sector per lane), the other reads x (the same address for all lanes). How many sectors per request on average?",
      zh = "基线里一次读 A（每个 lane 一个扇区），一次读 x（所有 lane 同一个地址）。平均每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "(32 + 1) / 2.", zh = "(32 + 1) / 2。" },
    },
    exercise {
      en = "Share each row among the lanes of a warp or the threads of a block. Any number of rows and columns.",
      zh = "让一个 warp 的各 lane 或一个块的线程共同处理一行。行数列数任意。",
    },
    show { en = "Your accesses, line by line:", zh = "逐行看你的访问：", picture = "sectors", of = "mine" },
    show { en = "Under the roofs:", zh = "屋顶线下的位置：", picture = "roofline", of = "mine" },
    compare {
      en = "The same bytes in a better order.",
      zh = "同样的字节，更好的顺序。",
      counters = { "gld_sectors", "gld_sectors_per_request", "warp_inst", "blocks", "achieved_occupancy_pct", "device_us" },
      with = "baseline",
    },
  },

  hints = {
    { en = "It is a reduction per row.", zh = "这就是对每一行做一次归约。" },
    { en = "Lane l of the row's warp takes the columns l, l + 32, l + 64 ...; then five shuffles; lane 0 stores.", zh = "负责这一行的 warp 里，lane l 处理第 l、l + 32、l + 64……列；然后五次洗牌；由 lane 0 写出。" },
    { en = "`int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; for (int k = lane; k < cols; k += 32) sum += a[r * cols + k] * x[k];` The check `r < rows` is the same for a whole warp, so leaving is allowed here.",
      zh = "`int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32; for (int k = lane; k < cols; k += 32) sum += a[r * cols + k] * x[k];`。`r < rows` 对整个 warp 结果一致，所以这里允许提前离开。" },
  },

  after = {
    en = [[
      On an H200 a 4096 x 4096 product takes 25 us with a block of 128 threads per row, and 27 with a warp; cuBLAS takes 32. A walk down the columns is coalesced as well (a thread
      per *column* of A transposed), but has too few threads: 218 us.
    ]],
    zh = [[
      在 H200 上，4096 x 4096 的乘法每行用一个 128 线程的块是 25 us，每行一个 warp 是 27 us，cuBLAS 是 32 us。沿列走（对转置的 A，每个线程一*列*）虽然也是合并的，但线程太少：218 us。
    ]],
  },
  more = {
    en = "For a matrix of 16 rows and a million columns neither a warp nor a block per row is enough. What would you do?",
    zh = "如果矩阵有 16 行、一百万列，每行一个 warp 或一个块都不够。你会怎么办？",
  },
}
