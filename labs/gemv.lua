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
  hidden = { count = 3, rows = { 1, 100 }, cols = { 1, 2500 } },
  goals = {
    correct { points = 2 },
    at_most("global_load_sectors", 0.5 * baseline) {
      points = 2,
      en = "In each step, the 32 lanes of a warp should read neighbouring elements of *one* row.",
      zh = "每一步里，一个 warp 的 32 个 lane 应当读*同一行*里相邻的元素。",
    },
    -- 16 bytes for each of 32 neighbouring lanes are 16 sectors.
    at_most("gld_sectors_per_request", 21) {
      points = 2,
      en = [[
        Each lane still reads a row of its own, in wider pieces. So a request touches up to 32
        sectors, and uses only a part of each. Let neighbouring lanes read neighbouring pieces.
      ]],
      zh = [[
        每个 lane 仍然读自己的一行，只是一次读得更宽。一个请求因此要触及多达 32 个扇区，而每个扇区只
        用到一部分。应当让相邻的 lane 读相邻的内容。
      ]],
    },
    -- Up to eight for each row.
    at_most("atomics", 1 << 13) {
      points = 2,
      en = [[
        Too many threads add to a row's sum by an atomic. Let the lanes that share a row add up
        their parts first, for example by shuffles.
      ]],
      zh = [[
        用原子操作往一行的和里加的线程太多。合算一行的 lane 应当先把各自的部分和加起来，例如用 shuffle。
      ]],
    },
    speedup(4) {
      points = 2,
      none = 2,
      en = "Does your launch have enough threads to fill the device? Are the loads of A coalesced?",
      zh = "你启动的线程够不够占满设备？对 A 的读取是合并的吗？",
    },
  },
  forbid = { "cublas", "cub", "thrust" },

  steps = {
    say {
      en = [[
        This lab's kernel multiplies a matrix A by a vector x: `y[r]` is the sum of `A[r][k] * x[k]`
        over all columns k. Solvers and neural networks spend much of their time on this product.
        The skeleton is correct, but it gives each row to one thread. You will find a better way to
        share the rows among the threads.

        The kernel uses each element of A exactly once. So memory limits this kernel, as it
        limits the sum of an array. Its speed depends on two things: in which order the elements
        of A are read, and how many threads read them.

        With one thread per row, both are bad: a warp reads from 32 different rows at a time, and
        the whole launch has only as many threads as the matrix has rows.
      ]],
      zh = [[
        本实验的核函数计算矩阵 A 与向量 x 的乘积：`y[r]` 等于各列 k 的 `A[r][k] * x[k]` 之和。
        解方程组、运行神经网络时，大量时间都花在这种乘积上。骨架代码结果正确，
        但每一行只交给一个线程计算。你要找到一种更好的办法，把各行的工作分给线程。

        A 的每个元素恰好只用一次，所以与求和一样，这个核函数的瓶颈是内存。速度取决于两点：
        按什么顺序读 A 的元素，有多少个线程在读。

        每个线程算一行，这两点都不好：一个线程束（warp）同时读 32 个不同的行，
        而且整个启动的线程数只等于行数。
      ]],
    },
    show {
      en = [[
        With one thread per row, lane l of a warp reads from row l. The matrix here has 1024
        columns. This is one load of the warp:
      ]],
      zh = [[
        每个线程算一行时，warp 的 lane l 读第 l 行。图中的矩阵有 1024 列，这是一个 warp 的一次读取：
      ]],
      picture = "lanes",
      model = function(lane) return lane * 1024 * 4 end,
    },
    ask {
      en = [[
        An H200 has 270,336 *thread slots*: it has room for this many threads at a time. A
        matrix has {r} rows, and {t} threads share each row. What percentage of the thread slots
        is filled?
      ]],
      zh = [[
        H200 能同时容纳 270,336 个线程，也就是有这么多*线程槽*。矩阵有 {r} 行，
        每行由 {t} 个线程共同处理。占用了百分之几的线程槽？
      ]],
      draw = { r = { from = { 512, 1024, 2048 } }, t = { from = { 1, 32, 128 } } },
      answer = function(d) return 100 * d.r * d.t / 270336 end,
      tolerance = 0.03,
      unit = "%",
      because = {
        en = [[
          There are {r} * {t} threads for 270,336 slots. With one thread per row, the device is
          almost empty.
        ]],
        zh = "线程有 {r} * {t} 个，线程槽有 270,336 个。如果每个线程算一行，设备几乎是空的。",
      },
    },
    ask {
      alone = true,
      en = [[
        A kernel reads a large matrix of floats once, and multiplies it by {m} vectors at the same
        time. (The vectors are small and stay in the caches.) How many operations does the kernel do
        per byte of the matrix?
      ]],
      zh = [[
        核函数把一个很大的 float 矩阵只读一遍，同时与 {m} 个向量相乘（向量很小，一直留在缓存里）。
        矩阵的每个字节对应多少次运算？
      ]],
      draw = { m = { from = { 1, 2, 4, 8 } } },
      answer = function(d) return d.m / 2 end,
      replies = {
        {
          function(d) return d.m / 4 end,
          en = [[
            For each vector, an element of the matrix takes one multiplication and one addition.
          ]],
          zh = "对每个向量，矩阵的一个元素都要做一次乘法和一次加法。",
        },
      },
      because = {
        en = [[
          Each element has 4 bytes and takes 2 * {m} operations, whatever the size of the matrix.
          With one vector, this is 0.5 operations per byte. A multiprocessor can do far more
          operations per byte, so memory is the limiter. With many vectors, the task becomes a
          product of two matrices.
        ]],
        zh = [[
          一个元素有 4 字节，要做 2 * {m} 次运算，与矩阵的大小无关。只有一个向量时，
          每字节 0.5 次运算，远低于多处理器的能力，所以瓶颈是内存。向量很多时，
          这就成了两个矩阵的乘法。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A matrix has 16 rows and a million columns. How should you distribute the rows over an H200,
        which has 132 multiprocessors?
      ]],
      zh = "矩阵有 16 行、一百万列。H200 有 132 个多处理器，应当怎样把各行分配到 H200 上？",
      choices = {
        {
          en = "One thread for each row",
          zh = "每行一个线程",
          because = {
            en = "This makes 16 threads in all. Even one multiprocessor has room for 2048.",
            zh = "这样一共只有 16 个线程，而一个多处理器就能容纳 2048 个。",
          },
        },
        {
          en = [[
            Many blocks per row: each block sums one piece of the row, and the sums of the pieces
            are added at the end
          ]],
          zh = "每行用许多个块：每个块处理这一行的一段，最后把各段的部分和加起来",
          right = true,
        },
        {
          en = "One block of 1024 threads for each row",
          zh = "每行一个 1024 线程的块",
          because = {
            en = "There are only 16 blocks, so 116 of the multiprocessors have no work.",
            zh = "这样只有 16 个块，有 116 个多处理器没有工作。",
          },
        },
      },
      because = {
        en = [[
          This way, all multiprocessors have work. To add the sums of the pieces, use atomics or a
          second launch, as you did for the sum of an array.
        ]],
        zh = [[
          这样所有多处理器都有工作。各段的部分和可以用原子操作相加，也可以由第二次启动相加，
          与数组求和时一样。
        ]],
      },
    },
    predict {
      en = [[
        The *baseline* is the skeleton's kernel. It has two load instructions. One reads A, and each
        lane touches a sector of its own. The other reads x, and all lanes read the same address.
        How many sectors per request is that on average?
      ]],
      zh = [[
        *基线*就是骨架代码的核函数。其中有两条读取指令：一条读 A，每个 lane 各触及一个扇区；
        另一条读 x，所有 lane 读同一个地址。平均每个请求多少个扇区？
      ]],
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.05,
      because = {
        en = [[
          A load of A takes 32 sectors, and a load of x takes 1. There are equally many of both, so
          the average is (32 + 1) / 2.
        ]],
        zh = [[
          读 A 的请求要 32 个扇区，读 x 的请求只要 1 个。两种请求一样多，所以平均是 (32 + 1) / 2。
        ]],
      },
    },
    exercise {
      en = [[
        Let several threads work on one row: the 32 lanes of a warp, or all threads of a block. Then
        add up the partial sums of these threads. The kernel must work for any number of rows and
        columns.
      ]],
      zh = [[
        让几个线程共同处理一行：可以是一个 warp 的 32 个 lane，也可以是一个块的全部线程。
        然后把这些线程的部分和相加。核函数要适用于任意的行数和列数。
      ]],
    },
    show {
      en = "The sectors that each line of your kernel reads and writes:",
      zh = "你的核函数每一行代码读写了多少个扇区：",
      picture = "sectors",
      of = "mine",
    },
    show {
      en = [[
        The *roofline* shows your kernel and the limits of the device. For each number of
        operations per byte, the line is the highest speed that the device allows:
      ]],
      zh = [[
        你的核函数在*屋顶线*图中的位置。横轴是每字节的运算次数，图中的线表示：
        每字节做这么多次运算时，设备允许的最高速度是多少：
      ]],
      picture = "roofline",
      of = "mine",
    },
    compare {
      en = "Your kernel reads the same elements of A as the baseline, but in a better order.",
      zh = "你的核函数读的 A 的元素与基线相同，只是顺序更好。",
      counters = {
        "gld_sectors", "gld_sectors_per_request", "warp_inst", "blocks", "achieved_occupancy_pct",
        "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "global_load_sectors",
      en = "Each row of the matrix needs one sum. How did you sum an array in the reduction labs?",
      zh = "矩阵的每一行都需要一次求和。在归约的各个实验里，你是怎样对数组求和的？",
    },
    {
      en = [[
        Give each row to one warp. Lane l of the warp sums the products of the columns l, l + 32, l
        + 64 ... Then five shuffles add the partial sums of the 32 lanes, and lane 0 stores the
        result.
      ]],
      zh = [[
        每一行交给一个 warp。这个 warp 的 lane l 累加第 l、l + 32、l + 64……列的乘积。
        然后用五次 shuffle 把 32 个 lane 的部分和相加，由 lane 0 写出结果。
      ]],
    },
    {
      en = [[
        Each lane finds its row and sums its own columns:

            int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
            int lane = threadIdx.x % 32;
            for (int k = lane; k < cols; k += 32)
                sum += a[(size_t)r * cols + k] * x[k];

        The check `r < rows` has the same result in all lanes of a warp. So a warp without a row may
        return before the shuffles.
      ]],
      zh = [[
        每个 lane 先求出自己负责的行号 r，再累加自己的那些列：

            int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
            int lane = threadIdx.x % 32;
            for (int k = lane; k < cols; k += 32)
                sum += a[(size_t)r * cols + k] * x[k];

        `r < rows` 的结果在一个 warp 的所有 lane 里都相同，所以没有分到行的 warp 可以在 shuffle 之前
        返回。
      ]],
    },
  },

  after = {
    en = [[
      For this lab's matrix of 1024 x 1024, an H200 takes 98.6 us with one thread per row, and 5.0
      us with the model answer. For 4096 x 4096, the model answer takes 25.2 us, and NVIDIA's
      library cuBLAS takes 31.6 us.

      A test of the memory accesses alone shows that the order of the reads and the number of
      threads both matter. The test adds up the elements of a 4096 x 4096 matrix, without x. With
      one thread per row it takes 285 us. With one thread per column the loads are coalesced, but
      the test still takes 218 us, because 4096 threads are too few.

      All times were measured with a *cold L2*: at the start, none of the data are in this cache.
    ]],
    zh = [[
      本实验的矩阵是 1024 x 1024。在 H200 上，每个线程算一行要 98.6 微秒，参考答案要 5.0 微秒。
      矩阵为 4096 x 4096 时，参考答案要 25.2 微秒，NVIDIA 的库 cuBLAS 要 31.6 微秒。

      单独测量访存，可以看出读取的顺序和线程的个数都重要。测法是不用 x，
      只把 4096 x 4096 矩阵的元素相加。每个线程加一行，要 285 微秒。每个线程加一列，读取是合并的，
      但仍要 218 微秒，因为 4096 个线程太少。

      这些时间都是 *L2 冷态*下的实测，即开始时，要用的数据都不在 L2 缓存里。
    ]],
  },
  more = {
    en = [[
      Try 32, 64, 128, 256 and 1024 threads per row for this lab's matrix. Which number is the
      fastest? Then let each thread read 16 bytes at a time, where the number of columns allows it.
      Is the same number of threads still the fastest?
    ]],
    zh = [[
      用本实验的矩阵，试试每行 32、64、128、256、1024 个线程，哪种最快？如果列数允许，
      再让每个线程一次读 16 字节。最快的还是同样的线程数吗？
    ]],
  },
}
