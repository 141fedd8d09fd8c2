-- Chapter 2: one thread per element of a matrix product.
return lab {
  id = "matmul-naive",
  title = { en = "Matrix product: a thread per element", zh = "矩阵乘法：一个线程算一个元素" },
  chapter = 2,
  minutes = 20,
  needs = { "vector-add", "coalescing" },
  source = "book 5.1, 6.3",
  teaches = {
    ["thread-per-element"] = "say ask",
    ["op-per-byte-naive"] = "ask",
    ["x-to-rows"] = "predict exercise after",
    ["book-step-1"] = "ask",
  },
  entry = "void matmul_naive(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 16 }, { n = 33 }, { n = 100 }, { n = 256, timed = true } },
  hidden = { count = 3, n = { 2, 150 } },
  goals = {
    correct { points = 4 },
    counter("gld_sectors", "<=", 0.4) {
      relative = true,
      points = 4,
      en = "Which index of the matrices does threadIdx.x move? Neighbouring lanes should differ in the column.",
      zh = "threadIdx.x 改变的是矩阵的哪个下标？相邻的 lane 应当只在列上相差 1。",
    },
    speedup(1.6) {
      points = 2,
      en = "The baseline lets threadIdx.x run down the rows. Let it run along them.",
      zh = "基线让 threadIdx.x 沿着行号走。请让它沿着列号走。",
    },
  },
  steps = {
    say {
      en = [[
`C = A * B` for n x n matrices: element (row, col) of C is the sum of `A[row][k] * B[k][col]` over k. No element depends on another, so
each may have a thread of its own: n*n threads, each with a loop of n steps.

The file you will edit does this with *one block*. A block holds at most 1024 threads, so it breaks at n = 33. And its memory accesses
go in a direction that costs several times the time.]],
      zh = [[
`C = A * B`，矩阵都是 n x n：C 的元素 (row, col) 等于 `A[row][k] * B[k][col]` 对 k 求和。元素之间互不依赖，因此可以让每个元素各用一个线程：
一共 n*n 个线程，每个线程循环 n 次。

你要修改的文件只用了*一个线程块*。一个线程块最多 1024 个线程，所以 n = 33 时就不行了。另外，它访问内存的方向也不对，会慢上好几倍。]],
    },
    ask {
      en = "With 16 x 16 threads per block, how many blocks does a {n} x {n} matrix need?",
      zh = "每块 16 x 16 个线程，一个 {n} x {n} 的矩阵需要多少个线程块？",
      draw = { n = { 100, 500 } },
      answer = function(d) return ceil_div(d.n, 16) * ceil_div(d.n, 16) end,
      because = {
        en = "Round up in each direction, then multiply: the last row and column of blocks hang over the edge, and their surplus threads must do nothing.",
        zh = "两个方向分别向上取整，再相乘：最后一行和最后一列的线程块会超出边界，多余的线程必须什么都不做。",
      },
    },
    ask {
      en = "A thread of this kernel reads 8 bytes (two floats) for each multiplication and addition. What is its arithmetic intensity, in operations per byte?",
      zh = "这个核函数的线程每做一次乘法和一次加法，要读 8 字节（两个 float）。它的算术强度是每字节多少次运算？",
      answer = 0.25,
      because = {
        en = "2 operations / 8 bytes = 0.25. An H200 can do about 14 single-precision operations in the time it takes to fetch one byte from memory: this kernel lives on its caches.",
        zh = "2 次运算 / 8 字节 = 0.25。H200 从内存取 1 字节的时间里大约能做 14 次单精度运算，所以这个核函数完全靠缓存撑着。",
      },
    },
    show {
      picture = "lanes",
      en = "Lanes of a warp at `a[row * n + k]` when threadIdx.x is the *row* (n = 256): each lane lands in a sector of its own.",
      zh = "当 threadIdx.x 是*行号*时，一个 warp 的各个 lane 读取 `a[row * n + k]` 的位置（n = 256）：每个 lane 都落在各自的扇区里。",
      model = function(lane) return lane * 256 * 4 end,
    },
    show {
      picture = "lanes",
      en = "The load of `b[k * n + col]` when threadIdx.x is the *column*: 32 lanes share four sectors. The load of `a[row * n + k]` is then one address for all of them, a broadcast.",
      zh = "当 threadIdx.x 是*列号*时读取 `b[k * n + col]`：32 个 lane 共用四个扇区。此时 `a[row * n + k]` 对它们来说是同一个地址，即一次广播。",
      model = function(lane) return lane * 4 end,
    },
    predict {
      en = "The baseline uses 16 x 16 blocks with threadIdx.x as the row. For every 32 lanes: one load touches 16 rows, the other two columns. How many sectors per request will its global loads average? (Remember that 32 lanes are two rows of threads.)",
      zh = "基线用 16 x 16 的线程块，threadIdx.x 作行号。每 32 个 lane 中：一条读取跨 16 行，另一条只碰两列。它的全局读取平均每个请求多少个扇区？（注意 32 个 lane 是线程块里的两排线程。）",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.15,
      because = {
        en = "The load of `a` touches 16 different rows: 16 sectors. The load of `b` reads two neighbouring floats: one sector. (16 + 1) / 2 = 8.5.",
        zh = "读 `a` 时碰到 16 个不同的行：16 个扇区。读 `b` 时只读两个相邻的 float：1 个扇区。(16 + 1) / 2 = 8.5。",
      },
    },
    ask {
      en = "Some books draw this with 4 x 4 matrices and say that in step k = 1 the lanes read elements 5 to 8 of `b`. Let us count. With n = 8 a row of `b` is exactly one sector of 32 bytes. Each warp of the model answer loads `a[row * 8 + k]` (one address for all lanes) and `b[k * 8 + col]` (eight lanes side by side). If the lanes of step 1 started one element late, the second load would touch two sectors. How many sectors per request does the device count on average, for n = 8?",
      zh = "有些书用 4 x 4 的矩阵来画这个过程，说第 k = 1 步各 lane 读的是 `b` 的第 5 到 8 个元素。我们来数一数。n = 8 时，`b` 的一行正好是一个 32 字节的扇区。参考答案的每个 warp 读 `a[row * 8 + k]`（所有 lane 同一地址）和 `b[k * 8 + col]`（八个 lane 并排）。要是第 1 步晚了一个元素起头，第二次读取就会碰到两个扇区。n = 8 时，设备数到的平均每个请求是几个扇区？",
      answer = measured { of = "answer", case = { n = 8 }, counter = "gld_sectors_per_request" },
      tolerance = 0.01,
      because = {
        en = "One: step k starts at element k * n, a whole row further, and never straddles. In the 4 x 4 drawing step 0 reads elements 0 to 3 and step 1 elements 4 to 7.",
        zh = "一个：第 k 步从第 k * n 个元素开始，正好往下一整行，从不跨界。在 4 x 4 的图里，第 0 步读元素 0 到 3，第 1 步读元素 4 到 7。",
      },
    },
    exercise {
      en = "Let the kernel work on any n with a grid of blocks, give threadIdx.x to the columns, and guard the edge.",
      zh = "用多个线程块组成的网格处理任意的 n，让 threadIdx.x 对应列，并做好边界检查。",
    },
    show {
      picture = "sectors",
      en = "Your accesses to global memory, line by line.",
      zh = "逐行看你对全局内存的访问。",
    },
    compare {
      en = "Your kernel beside the baseline: the same arithmetic, the same number of requests, a fraction of the sectors.",
      zh = "你的核函数与基线对比：运算相同，请求数相同，扇区数只有几分之一。",
      counters = { "gld_requests", "gld_sectors", "gld_sectors_per_request", "gst_sectors_per_request", "thread_inst" },
    },
  },
  hints = {
    {
      en = "Each thread has to know its block: blockIdx, blockDim and threadIdx together give one number per direction.",
      zh = "每个线程必须知道自己在哪个块里：blockIdx、blockDim 和 threadIdx 合起来，在每个方向上给出一个编号。",
    },
    {
      en = "The column comes from the x members, the row from the y members: `blockIdx.x * blockDim.x + threadIdx.x`. A thread whose row or column is n or more returns at once.",
      zh = "列号来自各个 x 成员，行号来自各个 y 成员：`blockIdx.x * blockDim.x + threadIdx.x`。行号或列号大于等于 n 的线程立即返回。",
    },
    {
      en = "`dim3 block(32, 8), grid(blocks_for(n, 32), blocks_for(n, 8));` and in the kernel `int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= n || col >= n) return;`",
      zh = "`dim3 block(32, 8), grid(blocks_for(n, 32), blocks_for(n, 8));`，核函数里写 `int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= n || col >= n) return;`",
    },
  },
  after = {
    en = [[
Nothing about the arithmetic changed. What changed is which elements the 32 lanes of a warp ask for *in the same instruction*: they
are coalesced when they differ in the column. On an H200 this mapping alone makes a 512 x 512 product about 4.7 times as fast
(294 us against 63 us, measured), at 1024 about 5.3 times, at 2048 about 5.6 times.]],
    zh = [[
运算一点没变。变的是一个 warp 的 32 个 lane 在*同一条指令*里要哪些元素：只要它们只在列上不同，访问就是合并的。在 H200 上，仅仅换这个映射，
512 x 512 的乘法就快了约 4.7 倍（实测 294 us 对 63 us），1024 时约 5.3 倍，2048 时约 5.6 倍。]],
  },
  more = {
    en = "Try blocks of 16 x 16, 32 x 8 and 8 x 32 threads. The sectors per request differ; the time differs less. `profile` tells which limit each of them meets.",
    zh = "试试 16 x 16、32 x 8 和 8 x 32 的线程块。每个请求的扇区数各不相同，时间的差别却没那么大。用 `profile` 看看它们各自碰到了什么瓶颈。",
  },
}
