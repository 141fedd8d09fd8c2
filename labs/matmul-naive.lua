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
    at_most("global_store_sectors", 0.4 * baseline) {
      points = 2,
      en = "Neighbouring lanes of a warp store elements that lie a whole row apart. Neighbouring lanes should store neighbouring elements of C.",
      zh = "一个 warp 的各个 lane 写入的地址相隔一整行。相邻的 lane 应当写 C 中相邻的元素。",
    },
    at_most("global_load_sectors", 0.4 * baseline) {
      points = 2,
      en = "Which index of the matrices depends on `threadIdx.x`? Neighbouring lanes should compute neighbouring columns.",
      zh = "`threadIdx.x` 决定矩阵的哪个下标？相邻的 lane 应当计算相邻的列。",
    },
    speedup(2.1) {
      points = 2,
      none = 2,
      en = "In the baseline, `threadIdx.x` selects the row. Let `threadIdx.x` select the column.",
      zh = "基线用 `threadIdx.x` 作行号。请把 `threadIdx.x` 改作列号。",
    },
  },
  steps = {
    say {
      en = [[
This lab's kernel multiplies two n x n matrices: `C = A * B`. You will find out how a grid of blocks covers a matrix of any size, and why it matters
whether `threadIdx.x` is the row or the column. With the wrong choice, the kernel takes several times as long.

Element (row, col) of C is the sum of `A[row][k] * B[k][col]` over all k. The elements of C do not depend on each other, so each element gets its own
thread. There are n * n threads, and the loop of each thread has n steps. The blocks do not depend on each other, either: a small device runs a few
blocks at a time, a large device runs hundreds, and the same program works on both.

The skeleton has two faults. First, it launches *one block*. A block has at most 1024 threads, so the launch fails from n = 33 on. Second,
`threadIdx.x` is the row, so neighbouring threads read addresses that lie far apart, and this makes the kernel slow. The second half of this lesson
shows why.

The *arithmetic intensity* of a program is the number of operations that it does for each byte that it reads or writes.
If the arithmetic intensity is low, memory limits the speed.]],
      zh = [[
本实验的核函数计算两个 n x n 矩阵的乘积：`C = A * B`。你会学到：怎样用多个线程块组成的网格覆盖任意大小的矩阵，
以及 `threadIdx.x` 应当作行号还是作列号。选错了，用时会长好几倍。

C 的元素 (row, col) 是所有 k 的 `A[row][k] * B[k][col]` 之和。C 的各个元素互不依赖，所以每个元素用一个线程：一共 n * n 个线程，每个线程的循环有 n 步。
线程块之间也互不依赖：小设备同时执行几个块，大设备同时执行几百个块，同一个程序在两种设备上都能用。

骨架代码有两处毛病。第一，它只启动*一个线程块*，而一个线程块最多 1024 个线程，所以从 n = 33 起启动就会失败。第二，`threadIdx.x` 是行号，
相邻的线程读的地址相隔很远，核函数因此很慢。本课的后半部分会说明原因。

程序每读写一个字节所做的运算次数，叫做*算术强度*。算术强度低时，限制速度的是内存。]],
    },
    ask {
      alone = true,
      en = "A block has 16 x 16 threads, and each thread computes one element of C. In all, how many blocks does a {n} x {n} matrix need?",
      zh = "每块 16 x 16 个线程，每个线程算 C 的一个元素。一个 {n} x {n} 的矩阵一共需要多少个线程块？",
      draw = { n = { 100, 500 } },
      answer = function(d) return ceil_div(d.n, 16) * ceil_div(d.n, 16) end,
      replies = { { function(d) return ceil_div(d.n, 16) end, en = "This is the number of blocks in one direction. The grid has two directions.", zh = "这只是一个方向上的块数，网格有两个方向。" } },
      because = {
        en = "Divide n by 16, round up, and square the result. If n is not a multiple of 16, the blocks at the right and at the bottom reach beyond the matrix. The threads outside the matrix must do nothing.",
        zh = "用 n 除以 16，向上取整，再平方。n 不是 16 的倍数时，最右一列和最下一行的线程块会超出矩阵，矩阵之外的线程必须什么都不做。",
      },
    },
    ask {
      en = "In direction y, a grid may have at most 65,535 blocks. Each block has {t} threads in direction y, and each thread computes one element. How many rows may the matrix have at most?",
      zh = "网格在 y 方向最多有 65,535 个块，每个线程块在 y 方向有 {t} 个线程，每个线程算一个元素。矩阵最多可以有多少行？",
      draw = { t = { from = { 8, 16, 32 } } },
      answer = function(d) return 65535 * d.t end,
      because = {
        en = "65,535 * {t}. With more rows, this launch is invalid. Then the kernel needs a loop in which each thread computes elements of several rows. (In direction x, a grid may have more than 2 billion blocks today. On the first devices, the limit of 65,535 applied to direction x as well.)",
        zh = "65,535 * {t}。行数更多时，这样的启动配置无效。这时核函数里要加一层循环，让每个线程在几行里各算一个元素。（如今网格在 x 方向可以有二十多亿个块；在最早的设备上，x 方向的限制也是 65,535。）",
      },
    },
    ask {
      alone = true,
      en = "In each step of its loop, a thread reads one element of A and one element of B. Each element has {s} bytes. With the two elements, the thread does one multiplication and one addition. What is the arithmetic intensity, in operations per byte?",
      zh = "在循环的每一步里，线程读 A 的一个元素和 B 的一个元素，每个元素 {s} 字节，再做一次乘法和一次加法。算术强度是每字节多少次运算？",
      draw = { s = { from = { 2, 4, 8 } } },
      answer = function(d) return 2 / (2 * d.s) end,
      replies = { { function(d) return 2 / d.s end, en = "You counted the bytes of one element. In each step, the thread reads two: one of A and one of B.", zh = "你只算了一个元素的字节。线程每一步要读两个元素：A 的一个和 B 的一个。" } },
      tolerance = 0.01,
      because = {
        en = "A step does 2 operations and reads 2 * {s} bytes. With floats (4 bytes), the intensity is 0.25. While the memory of an H200 delivers one byte, the H200 can do about 14 single-precision operations. That is far more than 0.25, so memory limits this kernel. Caches (small, fast memories on the device) deliver many of the bytes. Without caches, the kernel would be far slower.",
        zh = "每一步读 2 * {s} 字节，做 2 次运算。元素是 float（4 字节）时，算术强度是 0.25。在内存送来 1 字节的时间里，H200 大约能做 14 次单精度运算，远多于 0.25 次，所以限制速度的是内存。许多字节由缓存（设备上又小又快的内存）送来；没有缓存，这个核函数会慢得多。",
      },
    },
    ask {
      alone = true,
      en = "A load takes {l} cycles, and a new load can begin in every cycle. If one thread makes {m} loads, and each load waits until the previous load has returned, the loads take {m} * {l} cycles. Now {m} threads make one load each. How many cycles pass from the start of the first load until the last load has returned?",
      zh = "一次读取要 {l} 个周期，每个周期可以开始一次新的读取。如果一个线程做 {m} 次读取，每次都等前一次完成，就要 {m} * {l} 个周期。换成 {m} 个线程各做一次读取，从第一次读取开始，到最后一次读取返回，要多少个周期？",
      draw = { l = { from = { 400, 500, 600 } }, m = { 4, 32 } },
      answer = function(d) return d.l + d.m - 1 end,
      replies = { { function(d) return d.l * d.m end, en = "This is the time of {m} loads one after another. Now each load begins only one cycle after the previous one.", zh = "这是逐次读取的用时。现在每次读取只比前一次晚一个周期开始。" } },
      because = {
        en = "The first load returns after {l} cycles, and every later load returns one cycle after the previous one. For example, 4 loads of 400 cycles take 403 cycles instead of 1600. This is why a kernel should have many threads.",
        zh = "第一次读取在 {l} 个周期后返回，其余的读取每次比前一次晚一个周期返回。例如，4 次 400 周期的读取只用 403 个周期，而不是 1600 个。所以核函数应当使用许多线程。",
      },
    },
    say {
      en = [[
The next question is which elements a warp reads at the same time. Memory moves *sectors* of 32 bytes; a sector holds eight floats. When a warp
executes a load, memory moves each sector that at least one lane needs.

If the 32 lanes read neighbouring floats, the load needs only four sectors; such a load is *coalesced*. If the floats lie far apart, each lane needs a
different sector: memory moves 32 sectors, and the warp uses only 4 bytes of each sector. (Chapter 3 says more about sectors.)

A small example from textbooks shows which elements a warp reads in each step of the loop. The matrices are 4 x 4, stored row by row. The warp has
only four lanes:

    a[row * 4 + k]   lane = row:  step 0 reads elements 0 4  8 12
                                  step 1 reads elements 1 5  9 13
    b[k * 4 + col]   lane = col:  step 0 reads elements 0 1  2  3]],
      zh = [[
接下来看一个线程束（warp）一次读哪些元素。内存以 32 字节的*扇区*（sector）为单位搬运，一个扇区正好有 8 个 float。一个 warp 执行读取指令时，
只要有一个 lane 需要某个扇区，内存就要搬运整个扇区。

如果 32 个 lane 读相邻的 float，这次读取一共只要四个扇区，这叫*合并*读取（coalesced）。如果各个 lane 读的 float 相隔很远，每个 lane 就各要一个扇区：
内存搬运 32 个扇区，每个扇区只用到 4 个字节。（第 3 章会细讲扇区。）

教科书里有个小例子，列出一个 warp 在循环的每一步里读哪些元素。矩阵是 4 x 4，按行存储，并假设一个 warp 只有四个 lane：

    a[row * 4 + k]   lane = 行号：第 0 步读元素 0 4  8 12
                                  第 1 步读元素 1 5  9 13
    b[k * 4 + col]   lane = 列号：第 0 步读元素 0 1  2  3]],
    },
    show {
      picture = "lanes",
      en = "The load of `a[row * n + k]` when `threadIdx.x` is the *row* (n = 256): each lane needs a different sector.",
      zh = "`threadIdx.x` 作*行号*时读取 `a[row * n + k]`（n = 256）：每个 lane 需要一个不同的扇区。",
      model = function(lane) return lane * 256 * 4 end,
    },
    show {
      picture = "lanes",
      en = "The load of `b[k * n + col]` when `threadIdx.x` is the *column*: 32 lanes share four sectors. In this case all lanes load `a[row * n + k]` from one address. Such a load is a *broadcast*.",
      zh = "`threadIdx.x` 作*列号*时读取 `b[k * n + col]`：32 个 lane 共用四个扇区。这时所有 lane 从同一个地址读取 `a[row * n + k]`，这样的读取叫*广播*。",
      model = function(lane) return lane * 4 end,
    },
    ask {
      en = "`threadIdx.x` is the column, and n = {n}. In step k = {k}, the lane with col = {c} reads one element of `b`. What is its index in the array?",
      zh = "`threadIdx.x` 是列号，n = {n}。在 k = {k} 这一步，col = {c} 的 lane 读的是 `b` 的哪个元素？（请给出数组下标。）",
      draw = { n = { from = { 4, 6, 8, 10 } }, c = { 0, 3 }, k = { 1, 3 } },
      answer = function(d) return d.k * d.n + d.c end,
      because = {
        en = "{k} * {n} + {c}. From one step to the next, the lane goes one row down. With 4 x 4 matrices, step 1 therefore reads elements 4 to 7. (Some books have a misprint here: they say that step 1 reads elements 5 to 8.)",
        zh = "{k} * {n} + {c}。每过一步，lane 往下移动一行。所以在 4 x 4 的例子里，第 1 步读元素 4 到 7。（有的教科书误印成第 1 步读元素 5 到 8。）",
      },
    },
    predict {
      en = "According to the misprint, step k starts at element k * n + 1 of `b` instead of k * n. You can test this with n = 8, where a row of `b` is exactly one sector. The kernel's blocks are 32 threads wide, so only eight lanes of a warp have work: in each step, they read one row of `b`, and all eight read the same element of `a`. If the misprint were right, each load of `b` would touch two sectors. How many sectors per request does the device count on average?",
      zh = "按照误印的说法，第 k 步从 `b` 的元素 k * n + 1 读起，而不是 k * n。可以用 n = 8 测一测，这时 `b` 的一行正好是一个扇区。核函数的块宽 32 个线程，而矩阵只有 8 列，所以一个 warp 里只有八个 lane 工作：每一步里，它们读 `b` 的一行，并且都读 `a` 的同一个元素。如果误印的说法是对的，每次读 `b` 就会跨两个扇区。平均每个请求触及几个扇区？",
      counter = "gld_sectors_per_request",
      of = "answer",
      case = { n = 8 },
      tolerance = 0.01,
      because = {
        en = "One. The load of `b` in step k starts at element k * n. A sector starts there, too, so the load touches only this sector. The load of `a` also touches one.",
        zh = "一个。第 k 步从 `b` 的元素 k * n 读起，那里正好是一个扇区的起点，所以只触及这一个扇区。读 `a` 也只触及一个扇区。",
      },
    },
    predict {
      en = "The baseline has blocks of 16 x 16 threads, and `threadIdx.x` is the row. A block numbers its threads along x first, so the 32 lanes of a warp have 16 different rows and 2 different columns. The kernel loads `a` and `b` equally often. How many sectors per request will the baseline's global loads touch on average?",
      zh = "基线的线程块是 16 x 16 个线程，`threadIdx.x` 作行号。块里的线程先按 x、再按 y 编号，所以一个 warp 的 32 个 lane 有 16 个不同的行号、2 个不同的列号。`a` 和 `b` 的读取次数相同。基线的全局读取平均每个请求触及多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.15,
      because = {
        en = "The load of `a` touches 16 rows, and so 16 sectors. The load of `b` reads two neighbouring floats, which lie in one sector. The average is (16 + 1) / 2 = 8.5.",
        zh = "读 `a` 触及 16 行，即 16 个扇区。读 `b` 只读两个相邻的 float，触及 1 个扇区。平均是 (16 + 1) / 2 = 8.5。",
      },
    },
    exercise {
      en = "Launch a grid of blocks so that the kernel works for any n. Use `threadIdx.x` for the column, and check the boundary. (Because of rounding, the last digits of a sum of floats depend on the order of the additions. Warplab therefore allows a tolerance that grows with n. Textbooks compare the kernel's result with a product that the CPU computes in double precision, which has much smaller rounding errors.)",
      zh = "启动多个线程块组成的网格，让核函数能处理任意的 n。用 `threadIdx.x` 作列号，并检查边界。（由于舍入，几个 float 换一种顺序相加，结果的末几位会不同。所以 Warplab 允许误差，n 越大，允许的误差越大。教科书把核函数的结果与 CPU 用双精度算出的乘积比较，双精度的舍入误差小得多。）",
    },
    show {
      picture = "sectors",
      en = "Your accesses to global memory, line by line.",
      zh = "逐行看你对全局内存的访问。",
    },
    compare {
      en = "Your kernel beside the baseline. The arithmetic and the number of requests are the same; the number of sectors is much smaller.",
      zh = "你的核函数与基线的对比。运算相同，请求数相同，扇区数少得多。",
      counters = { "gld_requests", "gld_sectors", "gld_sectors_per_request", "gst_sectors_per_request", "thread_inst" },
    },
  },
  hints = {
    {
      goal = "correct",
      en = "Each thread must know its place in the whole grid. In each direction, compute one number from `blockIdx`, `blockDim` and `threadIdx`.",
      zh = "每个线程必须知道自己在整个网格里的位置。用 `blockIdx`、`blockDim` 和 `threadIdx`，在每个方向上算出一个编号。",
    },
    {
      en = "Compute the column from the x components: `blockIdx.x * blockDim.x + threadIdx.x`. Compute the row from the y components in the same way. A thread returns at once if its row or its column is n or more.",
      zh = "列号由各个 x 分量算出：`blockIdx.x * blockDim.x + threadIdx.x`。行号由各个 y 分量算出，写法相同。行号或列号大于等于 n 的线程立即返回。",
    },
    {
      en = "`dim3 block(32, 8), grid(blocks_for(n, 32), blocks_for(n, 8));` and in the kernel `int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= n || col >= n) return;`",
      zh = "`dim3 block(32, 8), grid(blocks_for(n, 32), blocks_for(n, 8));`，核函数里写 `int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= n || col >= n) return;`",
    },
  },
  after = {
    en = [[
The arithmetic is unchanged. You changed which elements the 32 lanes of a warp access *in one instruction*. If the lanes have neighbouring
columns, their accesses coalesce.

This change makes a large difference on an H200. A 512 x 512 product takes 62 us instead of 293 us: it is about 4.7 times as fast (measured; the
caches were empty at the start). A 1024 x 1024 product is about 5.3 times as fast, and a 2048 x 2048 product is about 5.6 times as fast.]],
    zh = [[
运算没有变，变的是一个 warp 的 32 个 lane 在*同一条指令*里访问哪些元素。各个 lane 的列号相邻，访问就是合并的。

在 H200 上，这一处改动的作用很大（实测，开始时缓存是空的）：512 x 512 的乘法从 293 微秒降到 62 微秒，
加速到原来的约 4.7 倍。1024 x 1024 时约 5.3 倍，2048 x 2048 时约 5.6 倍。]],
  },
  more = {
    en = "Try blocks of 16 x 16, 32 x 8 and 8 x 32 threads. Which versions have the same number of sectors per request, and do these versions take the same time? `profile` shows this, and it names what limits each version.",
    zh = "试试 16 x 16、32 x 8 和 8 x 32 个线程的块。哪几个版本每个请求的扇区数相同？这几个版本的用时也相同吗？用 `profile` 看一看，它还会指出每个版本的瓶颈。",
  },
}
