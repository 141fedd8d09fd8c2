-- Chapter 2: one thread per element of a matrix product.
return lab {
  id = "matmul-naive",
  title = { en = "Matrix product: a thread per element", zh = "矩阵乘法：一个线程算一个元素" },
  chapter = 2,
  minutes = 25,
  needs = { "image-gray" },
  source = "book 5.1, 5.3, exercise 4; slides IV, V.1",
  teaches = {
    ["thread-per-element"] = "say ask",
    ["transparent-scaling"] = "say",
    ["double-reference"] = "exercise",
    ["grid-limit"] = "ask",
    ["op-per-byte-naive"] = "ask",
    ["overlapped-loads"] = "ask",
    ["walk-of-m"] = "say show",
    ["broadcast-of-m"] = "show",
    ["x-to-rows"] = "predict exercise after",
    ["book-step-1"] = "ask predict",
    ["row-major"] = "say",
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
    at_most("global_load_sectors", 0.4 * baseline) {
      points = 4,
      en = "Which index of the matrices depends on threadIdx.x? Neighbouring lanes should have neighbouring columns.",
      zh = "threadIdx.x 决定矩阵的哪个下标？相邻的 lane 应当处理相邻的列。",
    },
    speedup(1.6) {
      points = 2,
      en = "In the baseline, threadIdx.x is the row. Make it the column.",
      zh = "基线用 threadIdx.x 作行号。请改为列号。",
    },
  },
  steps = {
    say {
      en = [[
`C = A * B` for n x n matrices: element (row, col) of C is the sum of `A[row][k] * B[k][col]` over k. No element depends on another, so each can have
its own thread: n*n threads, each with a loop of n steps. No block depends on another, either: a small device runs a few blocks at a time, a large one
hundreds. The same program uses either.

The *arithmetic intensity* of a program is the number of operations that it does for each byte that it moves. If it is low, memory limits the speed.

The file that you will edit does this with *one block*. A block holds at most 1024 threads, so the launch fails from n = 33 on. Its memory accesses
also run in the wrong direction, which makes it several times slower.]],
      zh = [[
`C = A * B`，矩阵都是 n x n：C 的元素 (row, col) 等于 `A[row][k] * B[k][col]` 对 k 求和。元素之间互不依赖，因此每个元素可以用一个线程：一共 n*n 个线程，
每个线程循环 n 次。线程块之间也互不依赖：小设备同时执行几个块，大设备同时执行几百个，同一个程序在两种设备上都能用。

程序每搬运一个字节所做的运算次数，叫做*算术强度*。算术强度低时，速度由内存决定。

你要修改的文件只用了*一个线程块*。一个线程块最多 1024 个线程，所以从 n = 33 起启动就会失败。另外，这个程序访问内存的方向不对，用时是合并访问的好几倍。]],
    },
    ask {
      alone = true,
      en = "With 16 x 16 threads per block, how many blocks does a {n} x {n} matrix need?",
      zh = "每块 16 x 16 个线程，一个 {n} x {n} 的矩阵需要多少个线程块？",
      draw = { n = { 100, 500 } },
      answer = function(d) return ceil_div(d.n, 16) * ceil_div(d.n, 16) end,
      replies = { { function(d) return ceil_div(d.n, 16) end, en = "That is the number in one direction. The grid has two directions.", zh = "这只是一个方向上的块数，网格有两个方向。" } },
      because = {
        en = "Round up in each direction, then multiply. The last row and the last column of blocks reach beyond the edge, and their surplus threads must do nothing.",
        zh = "两个方向分别向上取整，再相乘：最后一行和最后一列的线程块会超出边界，多余的线程必须什么都不做。",
      },
    },
    ask {
      en = "A grid may have at most 65,535 blocks in y. With one thread per element and blocks {t} threads high, how many rows may a matrix have at most?",
      zh = "网格在 y 方向最多 65,535 个块。每个元素一个线程、线程块高 {t} 个线程时，矩阵最多可以有多少行？",
      draw = { t = { from = { 8, 16, 32 } } },
      answer = function(d) return 65535 * d.t end,
      because = {
        en = "65,535 * {t}. Beyond that the launch is invalid, and the kernel needs a loop in which each thread takes several rows. (In x, a grid may have more than 2 billion blocks today; the first devices had the limit of 65,535 in both directions.)",
        zh = "65,535 * {t}。行数再多，启动配置就无效，核函数里要加一层循环，让每个线程处理几行。（如今网格在 x 方向可以有二十多亿个块；最早的设备两个方向都是这个限制。）",
      },
    },
    ask {
      alone = true,
      en = "For each multiplication and addition a thread reads one element of A and one of B, of {s} bytes each. What is the arithmetic intensity, in operations per byte?",
      zh = "线程每做一次乘法和一次加法，要读 A 和 B 的各一个元素，每个 {s} 字节。算术强度是每字节多少次运算？",
      draw = { s = { from = { 2, 4, 8 } } },
      answer = function(d) return 2 / (2 * d.s) end,
      replies = { { function(d) return 2 / d.s end, en = "The thread reads two numbers for the two operations: one of A and one of B.", zh = "两次运算要读两个数：A 的一个和 B 的一个。" } },
      tolerance = 0.01,
      because = {
        en = "2 operations for 2 * {s} bytes; with floats of 4 bytes it is 0.25. An H200 can do about 14 single-precision operations in the time in which it fetches one byte from memory. Without its caches, this kernel would be far slower.",
        zh = "2 * {s} 字节做 2 次运算；4 字节的 float 就是 0.25。H200 从内存读取 1 字节的时间里，大约能做 14 次单精度运算。没有缓存，这个核函数会慢得多。",
      },
    },
    ask {
      alone = true,
      en = "A load takes {l} cycles, and a new one can begin in each cycle. One thread makes {m} loads, and each waits for the one before it: {m} * {l} cycles. Now {m} threads make one load each. How many cycles do they take together?",
      zh = "一次读取要 {l} 个周期，每个周期可以开始一次新的读取。一个线程做 {m} 次读取，每次都等前一次完成，要 {m} * {l} 个周期。换成 {m} 个线程各做一次读取，一共要多少个周期？",
      draw = { l = { from = { 400, 500, 600 } }, m = { 4, 32 } },
      answer = function(d) return d.l + d.m - 1 end,
      replies = { { function(d) return d.l * d.m end, en = "That is one load after another. Now each load begins one cycle after the one before.", zh = "这是逐次读取的用时。现在每次读取只比前一次晚一个周期开始。" } },
      because = {
        en = "The first load returns after {l} cycles, the others follow one cycle apart. 4 loads of 400 cycles take 403 cycles instead of 1600. This is why n*n threads are useful.",
        zh = "第一次读取在 {l} 个周期后返回，其余的依次晚一个周期。4 次 400 周期的读取用 403 个周期，而不是 1600 个。这就是使用 n*n 个线程的好处。",
      },
    },
    say {
      en = [[
Now the direction. Memory moves *sectors* of 32 bytes, that is eight floats.

When a warp executes one load, memory moves every sector that at least one of the 32 lanes needs. Lanes that read neighbouring elements share sectors:
32 lanes need only four, and the load is *coalesced*. Lanes far apart need up to 32 sectors, and use only 4 bytes of each. (Chapter 3 looks closer.)

Textbooks show this with 4 x 4 matrices, stored row by row, and a warp of four lanes:

    a[row * 4 + k]   lane = row:  step 0 reads elements 0 4  8 12
                                  step 1 reads elements 1 5  9 13
    b[k * 4 + col]   lane = col:  step 0 reads elements 0 1  2  3]],
      zh = [[
再看方向。内存以 32 字节的*扇区*（sector）为单位搬运，正好 8 个 float。

线程束（warp）执行一条读取指令时，32 个 lane 中只要有一个需要某个扇区，整个扇区就要搬运。相邻的 lane 读相邻的元素，就能共用扇区，32 个 lane 只要四个：
这次读取是*合并*的（coalesced）。如果各 lane 的地址隔得远，最多要搬 32 个扇区，每个扇区只用到 4 个字节。（第 3 章再细看。）

教科书用按行存储的 4 x 4 矩阵和只有四个 lane 的 warp 来说明：

    a[row * 4 + k]   lane = 行号：第 0 步读元素 0 4  8 12
                                  第 1 步读元素 1 5  9 13
    b[k * 4 + col]   lane = 列号：第 0 步读元素 0 1  2  3]],
    },
    show {
      picture = "lanes",
      en = "The lanes of a warp read `a[row * n + k]`, and threadIdx.x is the *row* (n = 256): each lane needs a different sector.",
      zh = "threadIdx.x 是*行号*时，一个 warp 的各个 lane 读取 `a[row * n + k]` 的位置（n = 256）：每个 lane 需要一个不同的扇区。",
      model = function(lane) return lane * 256 * 4 end,
    },
    show {
      picture = "lanes",
      en = "The load of `b[k * n + col]` when threadIdx.x is the *column*: 32 lanes share four sectors. The load of `a[row * n + k]` is then one address for all of them, a *broadcast*.",
      zh = "threadIdx.x 是*列号*时读取 `b[k * n + col]`：32 个 lane 共用四个扇区。此时 `a[row * n + k]` 对它们来说是同一个地址，即一次*广播*。",
      model = function(lane) return lane * 4 end,
    },
    ask {
      en = "threadIdx.x is the column, and n = {n}: which element of `b` (its index in the array) does the lane with col = {c} read in step k = {k}?",
      zh = "threadIdx.x 是列号，n = {n}：在第 k = {k} 步，col = {c} 的 lane 读的是 `b` 的第几个元素（数组下标）？",
      draw = { n = { from = { 4, 6, 8, 10 } }, c = { 0, 3 }, k = { 1, 3 } },
      answer = function(d) return d.k * d.n + d.c end,
      because = {
        en = "{k} * {n} + {c}: each step goes one row further. In the 4 x 4 drawing, step 1 reads elements 4 to 7; some books print 5 to 8.",
        zh = "{k} * {n} + {c}：每一步前进一整行。在 4 x 4 的图里，第 1 步读元素 4 到 7；有的教科书印成了 5 到 8。",
      },
    },
    predict {
      en = "5 to 8, or 4 to 7? Let us count. With n = 8 a row of `b` is exactly one sector, and eight lanes read one row in one step. The load of `a` is one address. If the reads began one element late, each would touch two sectors. How many sectors per request does the device count on average, for n = 8?",
      zh = "5 到 8，还是 4 到 7？数一数就知道。n = 8 时，`b` 的一行正好是一个扇区，八个 lane 每一步正好读一行；`a` 的读取只有一个地址。如果起点晚了一个元素，每次读取就会跨两个扇区。n = 8 时，设备数到的平均每个请求是几个扇区？",
      counter = "gld_sectors_per_request",
      of = "answer",
      case = { n = 8 },
      tolerance = 0.01,
      because = {
        en = "One: step k starts at element k * n, so it never crosses into a second sector.",
        zh = "一个：第 k 步从第 k * n 个元素开始，从不跨扇区。",
      },
    },
    predict {
      en = "The baseline uses 16 x 16 blocks, and threadIdx.x is the row. So the 32 lanes of a warp cover 16 rows and two columns. How many sectors per request will its global loads average, over the load of `a` and the load of `b`?",
      zh = "基线用 16 x 16 的线程块，threadIdx.x 作行号，所以一个 warp 的 32 个 lane 覆盖 16 行、两列。`a` 和 `b` 的读取平均起来，每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.15,
      because = {
        en = "The load of `a` touches 16 different rows: 16 sectors. The load of `b` reads two neighbouring floats: one sector. (16 + 1) / 2 = 8.5.",
        zh = "读 `a` 时触及 16 个不同的行：16 个扇区。读 `b` 时只读两个相邻的 float：1 个扇区。(16 + 1) / 2 = 8.5。",
      },
    },
    exercise {
      en = "Make the kernel work for any n with a grid of blocks, use threadIdx.x for the column, and check the boundary. (Your result is compared within a tolerance that grows with n: sums of floats in another order differ in their last digits. Textbooks check against a serial product that sums in double precision, for the same reason.)",
      zh = "用多个线程块组成的网格处理任意的 n，让 threadIdx.x 对应列，并做好边界检查。（比较结果时允许误差，允许的误差随 n 增大：float 换一种顺序相加，末几位就会不同。教科书用来核对的串行乘法也因此用双精度求和。）",
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
      goal = "correct",
      en = "Each thread has to know in which block it is: blockIdx, blockDim and threadIdx together give one number per direction.",
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
The arithmetic is unchanged. You changed which elements the 32 lanes of a warp read *in the same instruction*: if the lanes have neighbouring columns,
their accesses coalesce.

On an H200, this mapping alone makes a 512 x 512 product about 4.7 times as fast (293 us against 62 us, measured with a cold cache). At 1024 it is
about 5.3 times as fast, at 2048 about 5.6 times.]],
    zh = [[
运算没有变，变的是一个 warp 的 32 个 lane 在*同一条指令*里读哪些元素：各 lane 的列号相邻，访问就是合并的。

在 H200 上，仅仅换这个映射，512 x 512 的乘法就加速到原来的约 4.7 倍（冷缓存实测，293 微秒对 62 微秒），1024 时约 5.3 倍，2048 时约 5.6 倍。]],
  },
  more = {
    en = "Try blocks of 16 x 16, 32 x 8 and 8 x 32 threads. The sectors per request differ; the time differs less. `profile` shows the limiter of each.",
    zh = "试试 16 x 16、32 x 8 和 8 x 32 的线程块。每个请求的扇区数各不相同，时间的差别却没那么大。用 `profile` 看看它们各自的瓶颈是什么。",
  },
}
