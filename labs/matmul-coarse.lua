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
      en = "How many times do you load the same tile of a? Load it once, and use it for COARSE tiles of b.",
      zh = "a 的同一个 tile 装入了几次？应当只装入一次，供 COARSE 个 b 的 tile 使用。",
    },
    at_most("shared_loads", 0.82 * baseline) {
      points = 3,
      en = "at[ty][k] is the same for all COARSE sums of a thread. Once per k, read it from shared memory into a register and use it for every sum. For this you need COARSE tiles of b at the same time.",
      zh = "一个线程的 COARSE 个和用的是同一个 at[ty][k]。每个 k 只从共享内存读一次，放进寄存器，供所有的和使用。为此要同时装入 COARSE 个 b 的 tile。",
    },
  },
  steps = {
    say {
      en = [[
Parallel work has a price. Blocks side by side in the grid all load the same tiles of A: with n / 32 blocks in a row, each tile of A is loaded n / 32
times. If the hardware runs those blocks one after another anyway, you pay that price for nothing.

*Coarsening* lets one thread do the work of several. Here a thread computes COARSE elements of the same row, 32 columns apart. The block loads a tile
of A once and uses it for COARSE tiles of B. Inside the block you save a second time: a thread reads `at[ty][k]` from shared memory once and
multiplies it COARSE times.]],
      zh = [[
并行是有代价的。网格里同一行的线程块都要装入 A 的同样几个 tile：一行有 n / 32 个线程块，A 的每个 tile 就被装入 n / 32 次。如果硬件本来就要先后执行这些块，
这份代价没有换来任何好处。

*线程粗化*让一个线程做几个线程的工作：这里一个线程计算同一行里相隔 32 列的 COARSE 个元素。A 的 tile 只装入一次，供 COARSE 个 B 的 tile 使用。
在线程块内部还能再省一次：`at[ty][k]` 只从共享内存读一次，就做 COARSE 次乘法。]],
    },
    ask {
      alone = true,
      en = "One block loads one tile of A and {c} tiles of B for {c} tiles of output. What share of the loads does it save, compared with {c} separate blocks? (in %)",
      zh = "一个线程块为 {c} 个输出 tile 装入 1 个 A 的 tile 和 {c} 个 B 的 tile。与 {c} 个独立的线程块相比，省下了百分之几的读取？",
      draw = { c = { from = { 2, 4, 5, 8 } } },
      answer = function(d) return 100 * (d.c - 1) / (2 * d.c) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "Separate blocks load {c} + {c} tiles, one block loads 1 + {c}. Two columns save a quarter; the limit is a half, because the tiles of B are never shared.",
        zh = "{c} 个独立的线程块装入 {c} + {c} 个 tile，合并后装入 1 + {c} 个。两列省四分之一；最多省一半，因为 B 的 tile 始终不能共用。",
      },
    },
    ask {
      en = "With 32-wide tiles the product does 8 operations per byte: 2 * 32^3 operations for 2 tiles of 32 * 32 * 4 bytes. How many does it do with {c} columns per thread?",
      zh = "tile 宽 32 时，乘法每字节做 8 次运算：读取 2 个 32 * 32 * 4 字节的 tile，做 2 * 32^3 次运算。每个线程算 {c} 列时，每字节做多少次运算？",
      draw = { c = { from = { 2, 3, 4, 8 } } },
      answer = function(d) return 8 * 2 * d.c / (1 + d.c) end,
      tolerance = 0.01,
      because = {
        en = "{c} times the operations for (1 + {c}) / 2 times the bytes. With four columns: 8 * 8 / 5 = 12.8.",
        zh = "运算次数变成 {c} 倍，字节数变成 (1 + {c}) / 2 倍。四列时是 8 * 8 / 5 = 12.8。",
      },
    },
    predict {
      en = "The baseline makes 32,768 load requests at n = 256. How many will a version with COARSE = 4 make?",
      zh = "n = 256 时基线发出 32,768 个读取请求。COARSE = 4 的版本会发出多少个？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.02,
      because = { en = "5 / 8 of 32,768: 20,480. The loads from shared memory go down to 5 / 8 as well: four multiply-adds took eight, and now take one of at and four of bt.", zh = "32,768 的 5 / 8：20,480。共享内存的读取也降到 5 / 8：四次乘加原来要读八次，现在读一次 at、四次 bt。" },
    },
    ask {
      en = "A block now computes 32 rows and 32 * {c} columns. How many blocks are there for n = {n}?",
      zh = "现在一个线程块计算 32 行、32 * {c} 列。n = {n} 时一共有多少个线程块？",
      draw = { c = { from = { 2, 4, 8 } }, n = { from = { 256, 512, 1024, 2048 } } },
      answer = function(d) return ceil_div(d.n, 32 * d.c) * ceil_div(d.n, 32) end,
      because = {
        en = "{n} / 32 rows of blocks, with {n} / (32 * {c}) in each. An H200 has 132 multiprocessors with room for two such blocks each. With fewer than 264 blocks, part of the device has nothing to do.",
        zh = "{n} / 32 行线程块，每行 {n} / (32 * {c}) 个。H200 有 132 个多处理器，每个能容纳两个这样的线程块。线程块少于 264 个时，设备就有一部分闲着。",
      },
    },
    ask {
      en = "When does coarsening pay?",
      zh = "什么时候粗化才划算？",
      choices = {
        { en = "Always, since it saves loads", zh = "总是划算，因为省了读取", because = { en = "It does not pay if the idle multiprocessors cost more time than the saved loads gain.", zh = "如果闲置的多处理器造成的损失超过省下的读取，就不划算。" } },
        { en = "When the matrix is small, so that there is little work anyway", zh = "矩阵很小的时候，反正工作不多", because = { en = "A small matrix needs all of its threads to fill the device.", zh = "恰恰相反，矩阵小时线程本来就不够占满设备。" } },
        { en = "When there are many more blocks than the device can run at a time", zh = "线程块数远多于设备能同时执行的块数时", right = true },
        { en = "When registers are short", zh = "寄存器不够用的时候", because = { en = "Coarser threads need more registers: at least one for each sum.", zh = "线程越粗，用的寄存器越多，每个和至少要一个。" } },
      },
      because = {
        en = "Then blocks have to wait for a free multiprocessor anyway. Fewer blocks do the same work with fewer loads.",
        zh = "这时线程块本来就要排队。由更少的块来做同样的工作，读取更少。",
      },
    },
    exercise {
      en = "Let each thread compute COARSE elements of its row. Keep the sums in an array of fixed size, so that the compiler keeps it in registers.",
      zh = "让每个线程计算本行的 COARSE 个元素。把各个和放在固定大小的数组里，编译器就能把这个数组放进寄存器。",
    },
    show {
      picture = "occupancy",
      en = "What limits the resident blocks now? A coarser thread needs more registers, its block needs more shared memory, and the grid has fewer blocks.",
      zh = "现在是什么限制了驻留的线程块？线程越粗，用的寄存器越多，线程块用的共享内存也越多，网格里的线程块则越少。",
    },
    compare {
      en = "Fewer loads, but also fewer blocks to hide the latency of those that are left.",
      zh = "读取少了，但用来掩盖剩余延迟的线程块也少了。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "thread_inst", "blocks", "registers" },
    },
    compare {
      en = "When does it pay? The model answer beside the baseline at n = 384, where 36 of 144 blocks are left. First on an H200, which has 132 multiprocessors (time modelled):",
      zh = "什么时候划算？n = 384 时把参考答案与基线对比，144 个线程块只剩 36 个。先看有 132 个多处理器的 H200（时间为模型值）：",
      of = "answer",
      case = { n = 384 },
      on = "sim:h200",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
    compare {
      en = "Then on a T4, which has 40 multiprocessors, each with room for one block of 1024 threads. There the 144 blocks have to queue anyway.",
      zh = "再看 T4：只有 40 个多处理器，每个只能容纳一个 1024 线程的块，144 个线程块本来就要排队。",
      of = "answer",
      case = { n = 384 },
      on = "sim:t4",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
  },
  hints = {
    { en = "Which of the two tiles stays the same when you step 32 columns to the right? Which of the two factors of the multiplication stays the same?", zh = "向右移动 32 列时，两个 tile 中哪一个不变？相乘的两个数中哪一个不变？" },
    {
      en = "In each phase: load one tile of a and COARSE tiles of b; barrier. For each k, read at[ty][k] into a variable and use it for sum[0] ... sum[COARSE - 1]; barrier.",
      zh = "每个阶段：装入 a 的一个 tile 和 b 的 COARSE 个 tile；屏障；对每个 k，把 at[ty][k] 读到一个变量里，依次用于 sum[0] … sum[COARSE - 1]；再一次屏障。",
    },
    {
      en = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};` Column group i is `col0 + i * TILE`. The grid is `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`.",
      zh = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};`，第 i 个列组是 `col0 + i * TILE`。网格为 `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`。",
    },
  },
  after = {
    en = [[
Coarsening gives up parallelism for less redundant work, and sometimes it loses. The textbook's kernel loads the tiles of B one after another and
reads at[ty][k] again for each.

Measured on an H200, cold, with one, two and four columns: at 512 it takes 37, 46 and *87* us; with four columns, only 64 blocks are left for 132
multiprocessors. At 1024 it takes 248, 243 and 243 us, and at 2048 it takes 1849, 1827 and 1828 us: a gain of one per cent.

The textbook's kernel saves only loads from global memory, which the caches had already made cheap. Your kernel also saves loads from shared memory,
which are the limit here: at 1024 it is faster than the textbook's. Read on: the last two tables show the same size on two devices. On one coarsening
loses, on the other it wins.]],
    zh = [[
线程粗化用并行度换取更少的重复工作，有时得不偿失。教科书的核函数把 B 的 tile 一个接一个地装入，每次都重新读 at[ty][k]。

在 H200 上每个线程算一、二、四列时（冷缓存实测）：n = 512 用 37、46、*87* 微秒，四列时 132 个多处理器只分到 64 个线程块；1024 用 248、243、243 微秒；2048 用
1849、1827、1828 微秒，用时只少百分之一。

教科书的核函数省下的只是全局内存的读取，而有缓存时这些读取本来就不贵。你的版本还省了共享内存的读取，这才是这里的瓶颈：n = 1024 时比教科书的核函数快。
继续往下读：最后两张表是同一个尺寸在两种设备上的结果，一种设备上不划算，另一种划算。]],
  },
  more = {
    en = "Coarsen in both directions: with 2 rows and 2 columns per thread, the same four sums need only half of the loads. `matmul-open` begins there.",
    zh = "两个方向都粗化：每个线程算 2 行 2 列，同样是四个和，却能省一半读取。`matmul-open` 就从这里开始。",
  },
}
