-- Chapter 2: thread coarsening.
return lab {
  id = "matmul-coarse",
  title = { en = "Matrix product: coarser threads", zh = "矩阵乘法：线程粗化" },
  chapter = 2,
  minutes = 30,
  needs = { "matmul-tiled" },
  source = "book 5.5, 6.3, exercise 4",
  teaches = {
    coarsening = "say exercise",
    ["coarsening-saving"] = "ask",
    ["op-per-byte-coarse"] = "ask",
    ["coarsening-limit"] = "ask compare after",
  },
  entry = "void matmul_coarse(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 32 }, { n = 65 }, { n = 130 }, { n = 256, timed = true } },
  hidden = { count = 3, n = { 2, 200 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.82 * baseline) {
      points = 3,
      en = "How many times is one tile of a loaded for the tiles of b that it meets? It should be once per group of COARSE.",
      zh = "为了乘 COARSE 个 b 的 tile，a 的同一个 tile 装入了几次？应当只装一次。",
    },
    at_most("shared_loads", 0.82 * baseline) {
      points = 3,
      en = "at[ty][k] is the same for all COARSE sums of a thread. Read it from shared memory once per k, into a register, and use it for every sum: that takes COARSE tiles of b at a time.",
      zh = "对一个线程的 COARSE 个和来说，at[ty][k] 是同一个数。每个 k 只从共享内存读一次，放进寄存器，供所有的和使用：为此要同时装入 COARSE 个 b 的 tile。",
    },
  },
  steps = {
    say {
      en = [[
Parallel work has a price. Blocks that lie side by side in the grid all load the same tiles of A: with n / 32 blocks in a row, each tile
of A is fetched n / 32 times. If the hardware runs those blocks one after another anyway, that price buys nothing.

*Coarsening* lets one thread do the work of several: here, COARSE elements of the same row, 32 columns apart. The tile of A is loaded once
and serves COARSE tiles of B. Inside the block it pays a second time: the number `at[ty][k]` is read from shared memory once and multiplied
COARSE times.]],
      zh = [[
并行是有代价的。网格里左右相邻的线程块都要装入 A 的同样几个 tile：一行有 n / 32 个线程块，A 的每个 tile 就被取 n / 32 次。如果硬件反正要把这些块
一个接一个地执行，这份代价就白付了。

*粗化*就是让一个线程做几个线程的工作：这里是同一行里相隔 32 列的 COARSE 个元素。A 的 tile 只装一次，供 COARSE 个 B 的 tile 使用。
在线程块内部还能再省一次：`at[ty][k]` 这个数只从共享内存读一次，却做 COARSE 次乘法。]],
    },
    ask {
      alone = true,
      en = "One block loads one tile of A and {c} tiles of B for {c} tiles of output. Which share of the loads of {c} separate blocks is saved? (in %)",
      zh = "一个线程块为 {c} 个输出 tile 装入 1 个 A 的 tile 和 {c} 个 B 的 tile。与 {c} 个独立的线程块相比，省下了百分之几的读取？",
      draw = { c = { from = { 2, 4, 5, 8 } } },
      answer = function(d) return 100 * (d.c - 1) / (2 * d.c) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "Apart: {c} + {c} tiles. Together: 1 + {c}. Two columns save a quarter; the limit is a half, because the tiles of B are never shared.",
        zh = "分开时装入 {c} + {c} 个 tile，合起来是 1 + {c} 个。两列省四分之一；极限是一半，因为 B 的 tile 始终没有共用。",
      },
    },
    ask {
      en = "With 32-wide tiles the product does 8 operations per byte: 2 * 32^3 operations for 2 tiles of 32 * 32 * 4 bytes. What does it do with {c} columns per thread?",
      zh = "32 宽的 tile 每字节做 8 次运算：读取 2 个 32 * 32 * 4 字节的 tile，做 2 * 32^3 次运算。每个线程算 {c} 列时是多少？",
      draw = { c = { from = { 2, 3, 4, 8 } } },
      answer = function(d) return 8 * 2 * d.c / (1 + d.c) end,
      tolerance = 0.01,
      because = {
        en = "{c} times the operations for (1 + {c}) / 2 times the bytes. With four columns: 8 * 8 / 5 = 12.8.",
        zh = "运算是 {c} 倍，字节是 (1 + {c}) / 2 倍。四列时是 8 * 8 / 5 = 12.8。",
      },
    },
    predict {
      en = "The baseline makes 32,768 load requests at n = 256. How many will a version with COARSE = 4 make?",
      zh = "n = 256 时基线发出 32,768 个读取请求。COARSE = 4 的版本会发出多少个？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.02,
      because = { en = "5 / 8 of 32,768: 20,480. The loads from shared memory go down to 5 / 8 as well: one of at and four of bt for four multiply-adds, where there were eight.", zh = "32,768 的 5 / 8：20,480。共享内存的读取也降到 5 / 8：四次乘加原来要读八次，现在只读一次 at 和四次 bt。" },
    },
    ask {
      en = "A block now computes 32 rows and 32 * {c} columns. How many blocks are there for n = {n}?",
      zh = "现在一个线程块计算 32 行、32 * {c} 列。n = {n} 时一共有多少个线程块？",
      draw = { c = { from = { 2, 4, 8 } }, n = { from = { 256, 512, 1024, 2048 } } },
      answer = function(d) return ceil_div(d.n, 32 * d.c) * ceil_div(d.n, 32) end,
      because = {
        en = "{n} / 32 rows of blocks, with {n} / (32 * {c}) in each. An H200 has 132 multiprocessors, each of which can hold two such blocks: with fewer blocks than that, part of the device has nothing to do.",
        zh = "{n} / 32 行线程块，每行 {n} / (32 * {c}) 个。H200 有 132 个多处理器，每个能容纳两个这样的线程块：块数比这还少，设备就有一部分闲着。",
      },
    },
    ask {
      en = "When does coarsening pay?",
      zh = "什么时候粗化才划算？",
      choices = {
        { en = "Always, since it saves loads", zh = "总是划算，因为省了读取", because = { en = "Not if the multiprocessors that it leaves idle cost more than the loads that it saves.", zh = "如果闲下来的多处理器损失得比省下的读取还多，就不划算。" } },
        { en = "When the matrix is small, so that there is little work anyway", zh = "矩阵很小的时候，反正工作不多", because = { en = "It is then that every thread is needed.", zh = "恰恰是这时候，每个线程都有用。" } },
        { en = "When there are many more blocks than the device can run at a time", zh = "线程块比设备能同时执行的多得多的时候", right = true },
        { en = "When registers are short", zh = "寄存器不够用的时候", because = { en = "Coarser threads need more registers, one for each sum at least.", zh = "线程越粗，用的寄存器越多，每个和至少要一个。" } },
      },
      because = {
        en = "Then blocks wait for one another anyway, and the same work done by fewer of them is only cheaper.",
        zh = "这时线程块反正要排队，同样的工作由更少的块来做，只会更省。",
      },
    },
    exercise {
      en = "Let each thread compute COARSE elements of its row. Keep the sums in an array of fixed size, so that it lives in registers.",
      zh = "让每个线程计算本行的 COARSE 个元素。把各个和放在固定大小的数组里，这样它会留在寄存器中。",
    },
    show {
      picture = "occupancy",
      en = "What limits the resident blocks now? A coarser thread needs more registers, its block more shared memory, and the grid has fewer blocks.",
      zh = "现在是什么限制了驻留的线程块？线程越粗，用的寄存器越多，线程块用的共享内存也越多，网格里的线程块则越少。",
    },
    compare {
      en = "Fewer loads, and fewer blocks to hide what latency is left.",
      zh = "读取少了，但用来掩盖剩余延迟的线程块也少了。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "thread_inst", "blocks", "registers" },
    },
    compare {
      en = "When it pays: the model answer beside the baseline at n = 384, where 36 blocks of 144 are left. On an H200, which has 132 multiprocessors (time modelled):",
      zh = "什么时候划算：n = 384 时把参考答案与基线对比，144 个线程块只剩 36 个。在有 132 个多处理器的 H200 上（时间为模型值）：",
      of = "answer",
      case = { n = 384 },
      on = "sim:h200",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
    compare {
      en = "And on a T4, which has 40, each with room for one block of 1024 threads: there the 144 blocks stand in a queue anyway.",
      zh = "在只有 40 个多处理器的 T4 上，每个只容得下一个 1024 线程的块：144 个线程块在那里反正要排队。",
      of = "answer",
      case = { n = 384 },
      on = "sim:t4",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
  },
  hints = {
    { en = "Which of the two tiles stays the same when you step 32 columns to the right? And which of the two numbers that are multiplied?", zh = "向右移动 32 列时，两个 tile 中哪一个不变？相乘的两个数中哪一个不变？" },
    {
      en = "Inside a phase: load the tile of a and COARSE tiles of b, wait; for each k read at[ty][k] into a variable and multiply it into sum[0] ... sum[COARSE - 1]; wait.",
      zh = "在一个阶段里：装入 a 的一个 tile 和 b 的 COARSE 个 tile，等待；对每个 k，把 at[ty][k] 读到一个变量里，依次乘加到 sum[0] … sum[COARSE - 1]；再等待。",
    },
    {
      en = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};` Column group i is `col0 + i * TILE`. The grid is `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`.",
      zh = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};`，第 i 个列组是 `col0 + i * TILE`。网格为 `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`。",
    },
  },
  after = {
    en = [[
Coarsening trades parallelism for less redundant work, and a trade can be a bad one. Measured on an H200, cold, with the textbook's kernel (it loads
the tiles of B one after another and reads at[ty][k] again for each): at 512, 37 us without, 46 with two columns, *87* with four, for only
64 blocks are left for 132 multiprocessors. At 1024: 248, 243 and 243. At 2048: 1849, 1827 and 1828, one per cent gained. That kernel
saves loads from global memory, which the caches had made cheap already. Yours saves loads from shared memory too, and those are the limit
here; at 1024 it is the faster one. Read on: the last two tables show one size at which it loses and wins, on two devices.]],
    zh = [[
粗化是拿并行度换取更少的重复工作，而交换也可能吃亏。下面是在 H200 上对教科书的核函数的冷缓存实测（它把 B 的 tile 一个接一个地装入，每次都重新读
at[ty][k]）：512 时，不粗化 37 微秒，两列 46 微秒，四列 *87* 微秒，因为 132 个多处理器只有 64 个线程块可分。1024 时依次是 248、243、243 微秒；2048 时是
1849、1827、1828 微秒，只快了百分之一。那个核函数省下的是全局内存的读取，而缓存早已让它变得便宜。你的版本还省了共享内存的读取，这里的瓶颈正是它：1024 时它反而更快。继续往下读：最后两张表是同一个尺寸在两种设备上，一处吃亏，一处划算。]],
  },
  more = {
    en = "Coarsen in both directions: 2 rows and 2 columns per thread save half of the loads with the same four sums. That is where `matmul-open` begins.",
    zh = "两个方向都粗化：每个线程算 2 行 2 列，同样是四个和，却能省一半读取。`matmul-open` 就从这里开始。",
  },
}
