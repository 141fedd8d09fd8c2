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
    at_most("global_load_bytes", 0.82 * baseline) {
      points = 3,
      en = "How many times does a block of your kernel load the same tile of `a`? Load the tile once, and use it for COARSE tiles of `b`.",
      zh = "在你的核函数里，一个线程块把 `a` 的同一个 tile 装入了几次？应当只装入一次，供 `b` 的 COARSE 个 tile 使用。",
    },
    at_most("all_load_bytes", 0.82 * baseline) {
      points = 3,
      en = "All COARSE sums of a thread use the same `at[ty][k]`. For each k, read `at[ty][k]` once from shared memory into a register, and use the register for every sum. For this, the block must hold COARSE tiles of `b` at the same time.",
      zh = "一个线程的 COARSE 个累加和都要用 `at[ty][k]`。对每个 k，只从共享内存读一次 `at[ty][k]`，放进寄存器，供所有累加和使用。为此，线程块要同时存放 `b` 的 COARSE 个 tile。",
    },
    slowest(4) {
      en = [[
        The measured product is small. On a large device, coarse blocks leave multiprocessors idle,
        and the model answer takes 2.3 times as long as the baseline.
      ]],
      zh = [[
        测量用的矩阵不大。在大的设备上，粗化的线程块会让一些多处理器空闲，
        参考答案所用的时间是基线的 2.3 倍。
      ]],
    },
  },
  steps = {
    say {
      en = [[
This lab's kernel computes `C = A * B` again, but now each thread computes several elements of C. You will find out how many loads this saves, and
on which devices and for which sizes the product becomes faster.

In the tiled product, a row of the grid has n / 32 blocks, and all blocks of the row load the same tiles of A. Each tile of A is therefore loaded n / 32
times. If the blocks run at the same time, the repeated loads are worth their price, because the multiprocessors share the work. If the device runs
the blocks one after another anyway, the repeated loads only cost time.

*Coarsening* lets one thread do the work of several threads. In this lab, a thread computes COARSE elements of one row of C, 32 columns apart. Its
block loads a tile of A once and uses the tile for COARSE tiles of B.

Coarsening also saves loads from shared memory. In the code, `at` is the tile of A, and `bt` is a tile of B. A thread reads `at[ty][k]` once and uses
this value in COARSE multiplications.]],
      zh = [[
本实验的核函数还是计算 `C = A * B`，但每个线程计算 C 的好几个元素。你会学到：这样做能省多少读取，又在哪些设备、哪些尺寸上真的更快。

在分块的乘法里，网格的一行有 n / 32 个线程块，它们都要装入 A 的同样几个 tile，所以 A 的每个 tile 被装入 n / 32 次。如果这些块同时执行，
重复装入是值得的，因为各个多处理器可以分担工作；如果设备本来就要先后执行这些块，重复装入就只是浪费时间。

*线程粗化*让一个线程做几个线程的工作。在这里，一个线程计算 C 的同一行里相隔 32 列的 COARSE 个元素。线程块把 A 的一个 tile 只装入一次，
供 B 的 COARSE 个 tile 使用。

粗化还能减少共享内存的读取。代码里 `at` 是 A 的 tile，`bt` 是 B 的 tile。一个线程只读一次 `at[ty][k]`，就用这个值做 COARSE 次乘法。]],
    },
    ask {
      alone = true,
      en = "In each phase, a coarse block loads one tile of A and {c} tiles of B, for {c} tiles of output. Without coarsening, {c} blocks do the same work. What share of the loads does the coarse block save? (in %)",
      zh = "每个阶段里，一个粗化的线程块为 {c} 个输出 tile 装入 1 个 A 的 tile 和 {c} 个 B 的 tile。不粗化时，同样的工作要用 {c} 个线程块。粗化省下了百分之几的读取？",
      draw = { c = { from = { 2, 4, 5, 8 } } },
      answer = function(d) return 100 * (d.c - 1) / (2 * d.c) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "Without coarsening, the {c} blocks load {c} + {c} tiles in each phase. The coarse block loads 1 + {c} tiles. Two columns per thread save a quarter of the loads. More columns save more, but the limit is a half, because every output tile needs its own tile of B.",
        zh = "不粗化时，{c} 个块在每个阶段一共装入 {c} + {c} 个 tile；粗化的块装入 1 + {c} 个。每个线程算两列时省四分之一。列数再多，最多也只能省一半，因为每个输出 tile 都需要自己的 B 的 tile。",
      },
    },
    ask {
      en = "With 32-wide tiles, the tiled product does 8 operations per byte that it loads: 2 * 32^3 operations for 2 tiles of 32 * 32 * 4 bytes. How many operations per byte does a kernel do with {c} columns per thread?",
      zh = "tile 宽 32 时，分块的乘法每读取一个字节做 8 次运算：读取 2 个 32 * 32 * 4 字节的 tile，做 2 * 32^3 次运算。每个线程算 {c} 列时，每字节做多少次运算？",
      draw = { c = { from = { 2, 3, 4, 8 } } },
      answer = function(d) return 8 * 2 * d.c / (1 + d.c) end,
      tolerance = 0.01,
      because = {
        en = "The coarse block does {c} times as many operations as a block of the tiled product, and it loads (1 + {c}) / 2 times as many bytes. So multiply 8 by {c}, and divide by (1 + {c}) / 2. With four columns, the result is 12.8.",
        zh = "与分块乘法的一个块相比，粗化的块做 {c} 倍的运算，读取 (1 + {c}) / 2 倍的字节。所以用 8 乘以 {c}，再除以 (1 + {c}) / 2。每个线程算四列时，结果是 12.8。",
      },
    },
    predict {
      en = "The baseline is the tiled product. At n = 256, the baseline makes 32,768 load requests to global memory. How many load requests to global memory does a version with COARSE = 4 make?",
      zh = "基线就是分块的乘法，n = 256 时向全局内存发出 32,768 个读取请求。COARSE = 4 的版本会发出多少个这样的请求？",
      counter = "gld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.02,
      because = { en = "With COARSE = 4, a block loads 5 tiles where the baseline loads 8, so the number is 5 / 8 of 32,768 = 20,480. The loads from shared memory also fall to 5 / 8. For four multiply-adds, a thread of the baseline makes eight of these loads. A thread of the coarse kernel makes five: one from `at` and four from `bt`.", zh = "COARSE = 4 时，基线装入 8 个 tile 的地方，粗化的块只装入 5 个，所以是 32,768 的 5 / 8 = 20,480 个。共享内存的读取也降到 5 / 8：做四次乘加，基线的线程要读八次，粗化的线程只读五次，即一次 `at`、四次 `bt`。" },
    },
    ask {
      en = "A block with {c} columns per thread computes a piece of C with 32 rows and 32 * {c} columns. How many blocks are there for n = {n}?",
      zh = "每个线程算 {c} 列时，一个线程块计算 C 的 32 行、32 * {c} 列。n = {n} 时一共有多少个线程块？",
      draw = { c = { from = { 2, 4, 8 } }, n = { from = { 256, 512, 1024, 2048 } } },
      answer = function(d) return ceil_div(d.n, 32 * d.c) * ceil_div(d.n, 32) end,
      because = {
        en = "The grid has {n} / 32 rows of blocks, and each row has {n} / (32 * {c}) blocks. An H200 has 132 multiprocessors. With fewer than 132 blocks, part of the device has nothing to do.",
        zh = "网格有 {n} / 32 行线程块，每行 {n} / (32 * {c}) 个。H200 有 132 个多处理器。线程块少于 132 个时，设备就有一部分闲着。",
      },
    },
    ask {
      en = "When does coarsening pay?",
      zh = "什么时候粗化才划算？",
      choices = {
        { en = "Always, since coarsening saves loads", zh = "总是划算，因为省了读取", because = { en = "It does not pay if multiprocessors without a block cost more time than the saved loads gain.", zh = "有的多处理器分不到块，会多花时间；如果多花的时间比少读取省下的时间还多，就不划算。" } },
        { en = "When the matrix is small, so that there is little work", zh = "矩阵很小、工作不多的时候", because = { en = "A small matrix needs all of its threads to fill the device.", zh = "恰恰相反，矩阵小时线程本来就不够占满设备。" } },
        { en = "When there are many more blocks than the device can run at a time", zh = "线程块数远多于设备能同时执行的块数时", right = true },
        { en = "When there are too few registers", zh = "寄存器不够用的时候", because = { en = "Coarser threads need more registers: at least one for each sum.", zh = "线程越粗，用的寄存器越多，每个累加和至少要一个。" } },
      },
      because = {
        en = "Then most blocks must wait for a free multiprocessor anyway. Fewer, coarser blocks do the same work with fewer loads.",
        zh = "这时大多数线程块本来就要等待空闲的多处理器。由更少、更粗的块来做同样的工作，读取更少。",
      },
    },
    exercise {
      en = "Let each thread compute COARSE elements of its row. Keep the sums in an array of fixed size: the compiler can then keep the array in registers.",
      zh = "让每个线程计算本行的 COARSE 个元素。把各个累加和放在固定大小的数组里，编译器就能把这个数组放进寄存器。",
    },
    show {
      picture = "occupancy",
      en = "What limits the number of blocks that a multiprocessor holds at the same time (its *resident* blocks)? With coarsening, a thread needs more registers, a block needs more shared memory, and the grid has fewer blocks.",
      zh = "一个多处理器同时容纳的线程块叫*驻留*的线程块。现在是什么限制了它们的个数？粗化之后，每个线程用的寄存器更多，每个线程块用的共享内存更多，网格里的线程块则更少。",
    },
    compare {
      en = "Your kernel beside the baseline. There are fewer loads, but also fewer blocks that can work while other blocks wait for their loads.",
      zh = "你的核函数与基线的对比。读取少了；但一些线程块等待读取时，能够工作的其他线程块也少了。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "thread_inst", "blocks", "registers" },
    },
    compare {
      en = "When does coarsening pay? The next two tables show the model answer beside the baseline at n = 384: 36 blocks instead of 144. The first table is for an H200, which has 132 multiprocessors (time modelled).",
      zh = "什么时候粗化才划算？下面两张表在 n = 384 时把参考答案与基线对比：线程块从 144 个减到 36 个。第一张表是 H200，有 132 个多处理器（时间为模型值）。",
      of = "answer",
      case = { n = 384 },
      on = "sim:h200",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
    compare {
      en = "The second table is for a T4, which has 40 multiprocessors. Each of these multiprocessors has room for one block of 1024 threads, so most of the baseline's 144 blocks must wait anyway.",
      zh = "第二张表是 T4，只有 40 个多处理器，每个只能容纳一个 1024 线程的块，所以基线的 144 个线程块大多本来就要等待。",
      of = "answer",
      case = { n = 384 },
      on = "sim:t4",
      counters = { "device_us", "blocks", "shared_ld_requests" },
    },
  },
  hints = {
    { en = "Take two output elements in one row, 32 columns apart. Do both need the same tile of A? Do both need the same tile of B? Which factor of the multiplication is the same for both?", zh = "设两个输出元素在同一行，相隔 32 列。两者用 A 的同一个 tile 吗？用 B 的同一个 tile 吗？相乘的两个数中，哪一个对两者是相同的？" },
    {
      en = "In each phase, load one tile of `a` and COARSE tiles of `b`, then wait at a barrier. For each k, read `at[ty][k]` into a variable, and use the variable for `sum[0]` ... `sum[COARSE - 1]`. Then wait at a second barrier.",
      zh = "每个阶段：装入 `a` 的一个 tile 和 `b` 的 COARSE 个 tile，然后执行一次屏障。对每个 k，把 `at[ty][k]` 读到一个变量里，用这个变量计算 `sum[0]` … `sum[COARSE - 1]`。最后再执行一次屏障。",
    },
    {
      en = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};` Here `sum[i]` belongs to column `col0 + i * TILE`. The grid is `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`.",
      zh = "`__shared__ float at[TILE][TILE], bt[COARSE][TILE][TILE]; int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};` 这里 `sum[i]` 对应第 `col0 + i * TILE` 列。网格为 `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`。",
    },
  },
  after = {
    en = [[
Coarsening means less repeated work but also less parallelism, so sometimes a coarser kernel is slower. The coarse kernel of a textbook loads the tiles
of B one after another, and it reads `at[ty][k]` again for each of these tiles.

The textbook's kernel was measured on an H200 with a cold cache, with one, two and four columns per thread. The 512 x 512 product takes 37, 46 and
*87* us: with four columns, there are only 64 blocks for 132 multiprocessors. The 1024 x 1024 product takes 248, 243 and 243 us. The 2048 x 2048 product
takes 1849, 1827 and 1828 us. With two or four columns, these larger products gain one or two per cent.

The textbook's kernel saves only loads from global memory, and the caches had already made these loads cheap. Your kernel also saves loads from shared
memory, and these loads limit the speed here. At n = 1024, your kernel is faster than the textbook's. Read on: the last two tables show one size on an
H200 and on a T4. Coarsening makes the product slower on one of the two devices and faster on the other.]],
    zh = [[
线程粗化减少了重复工作，也降低了并行度，所以有时反而更慢。有本教科书也有粗化的核函数，它把 B 的 tile 一个接一个地装入，每换一个 tile 都重新
读 `at[ty][k]`。

在 H200 上测量教科书的核函数（冷缓存），每个线程分别算一、二、四列。n = 512 时用 37、46、*87* 微秒：算四列时，
132 个多处理器只分到 64 个线程块。n = 1024 时用 248、243、243 微秒，n = 2048 时用 1849、1827、1828 微秒。
在这两种较大的尺寸上，算两列或四列只省百分之一到二的时间。

教科书的核函数省下的只是全局内存的读取，而有缓存时，这些读取本来就不贵。你的核函数还省了共享内存的读取，限制速度的正是这些读取。
n = 1024 时，你的核函数比教科书的快。继续往下读：最后两张表都是 n = 384，一张是 H200 的结果，一张是 T4 的。在其中一种设备上粗化后更慢，在另一种上更快。]],
  },
  more = {
    en = "Coarsen in both directions: let each thread compute elements of 2 rows and 2 columns. A thread still has four sums, but the kernel makes only half of the baseline's loads from shared memory instead of 5 / 8. `matmul-open` begins with this idea.",
    zh = "在两个方向上都粗化：每个线程算 2 行 2 列的元素。每个线程仍有四个累加和，共享内存的读取却只有基线的一半，而不是 5 / 8。`matmul-open` 就从这个想法开始。",
  },
}
