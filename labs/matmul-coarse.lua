-- Chapter 2: thread coarsening.
return lab {
  id = "matmul-coarse",
  title = { en = "Matrix product: coarser threads", zh = "矩阵乘法：线程粗化" },
  chapter = 2,
  minutes = 25,
  needs = { "matmul-tiled" },
  source = "book 5.5, 6.3, exercise 2",
  teaches = {
    coarsening = "say exercise",
    ["coarsening-saving"] = "ask",
    ["op-per-byte-coarse"] = "ask",
    ["coarsening-limit"] = "after",
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
    correct { points = 5 },
    counter("gld_requests", "<=", 0.82) {
      relative = true,
      points = 5,
      en = "How many times is one tile of a loaded for the tiles of b that it meets? It should be once per group of COARSE.",
      zh = "为了乘 COARSE 个 b 的小块，a 的同一个小块装入了几次？应当只装一次。",
    },
  },
  steps = {
    say {
      en = [[
Parallel work has a price. Blocks that lie side by side in the grid all load the same tiles of A: with n / 32 blocks in a row, each tile
of A is fetched n / 32 times. If the hardware runs those blocks one after another anyway, that price buys nothing.

*Coarsening* lets one thread do the work of several: here, COARSE elements of the same row, 32 columns apart. The tile of A is loaded once
and serves COARSE tiles of B in turn.]],
      zh = [[
并行是有代价的。网格里左右相邻的线程块都要装入 A 的同样几个小块：一行有 n / 32 个线程块，A 的每个小块就被取 n / 32 次。如果硬件反正要把这些块
一个接一个地执行，这份代价就白付了。

*粗化*就是让一个线程做几个线程的工作：这里是同一行里相隔 32 列的 COARSE 个元素。A 的小块只装一次，依次供 COARSE 个 B 的小块使用。]],
    },
    ask {
      en = "One block loads one tile of A and {c} tiles of B for {c} tiles of output. Which share of the loads of {c} separate blocks is saved? (in %)",
      zh = "一个线程块为 {c} 个输出小块装入 1 个 A 小块和 {c} 个 B 小块。与 {c} 个独立的线程块相比，省下了百分之几的读取？",
      draw = { c = { from = { 2, 4, 8 } } },
      answer = function(d) return 100 * (d.c - 1) / (2 * d.c) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "Apart: {c} + {c} tiles. Together: 1 + {c}. Two columns save a quarter; the limit is a half, because the tiles of B are never shared.",
        zh = "分开时装入 {c} + {c} 个小块，合起来是 1 + {c} 个。两列省四分之一；极限是一半，因为 B 的小块始终没有共用。",
      },
    },
    ask {
      en = "With 32-wide tiles the product does 8 operations per byte. What does it do with four columns per thread?",
      zh = "32 宽的小块每字节做 8 次运算。每个线程算四列时是多少？",
      answer = 12.8,
      tolerance = 0.01,
      because = {
        en = "4 * 2 * 32^3 operations for 5 tiles of 32 * 32 * 4 bytes: 8 * 8 / 5 = 12.8.",
        zh = "4 * 2 * 32^3 次运算，读取 5 个 32 * 32 * 4 字节的小块：8 * 8 / 5 = 12.8。",
      },
    },
    predict {
      en = "The baseline makes 32768 load requests at n = 256. How many will a version with COARSE = 4 make?",
      zh = "n = 256 时基线发出 32768 个读取请求。COARSE = 4 的版本会发出多少个？",
      counter = "gld_requests",
      of = "answer",
      tolerance = 0.02,
      because = { en = "5 / 8 of 32768: 20480.", zh = "32768 的 5 / 8：20480。" },
    },
    exercise {
      en = "Let each thread compute COARSE elements of its row. Keep the sums in an array of fixed size, so that it lives in registers.",
      zh = "让每个线程计算本行的 COARSE 个元素。把各个和放在固定大小的数组里，这样它会留在寄存器中。",
    },
    show {
      picture = "occupancy",
      en = "What limits the resident blocks now? A coarser thread needs more registers, and the grid has fewer blocks.",
      zh = "现在是什么限制了驻留的线程块？线程越粗，用的寄存器越多，网格里的线程块越少。",
    },
    compare {
      en = "Fewer loads, and fewer blocks to hide what latency is left.",
      zh = "读取少了，但用来掩盖剩余延迟的线程块也少了。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "thread_inst", "blocks", "registers" },
    },
  },
  hints = {
    { en = "Which of the two tiles stays the same when you step 32 columns to the right?", zh = "向右移动 32 列时，两个小块中哪一个不变？" },
    {
      en = "Inside a phase: load the tile of a once; then for each of the COARSE column groups load its tile of b, wait, multiply into sum[i], wait.",
      zh = "在一个阶段里：a 的小块只装一次；然后对 COARSE 个列组逐个装入 b 的小块、等待、乘加到 sum[i]、再等待。",
    },
    {
      en = "`int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};` Column group i is `col0 + i * TILE`. The grid is `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`.",
      zh = "`int col0 = blockIdx.x * TILE * COARSE + tx; float sum[COARSE] = {};`，第 i 个列组是 `col0 + i * TILE`。网格为 `dim3(blocks_for(n, TILE * COARSE), blocks_for(n, TILE))`。",
    },
  },
  after = {
    en = [[
Coarsening trades parallelism for less redundant work, and a trade can be a bad one. On an H200 the 512 x 512 product goes from 37 us
to 39 us with two columns and to *70 us* with four: only 64 blocks are left for 132 multiprocessors. At 1024 all three take about
240 us; at 2048 four columns are the fastest, by 2%. Measure at the size you care about.]],
    zh = [[
粗化是拿并行度换取更少的重复工作，而交换也可能吃亏。在 H200 上，512 x 512 的乘法两列时从 37 us 变成 39 us，四列时变成 *70 us*：132 个多处理器
只剩 64 个线程块可做。1024 时三者都约 240 us；2048 时四列最快，快 2%。要在你真正关心的规模上测量。]],
  },
  more = {
    en = "Coarsen in both directions: 2 rows and 2 columns per thread save half of the loads with the same four sums. That is where `matmul-open` begins.",
    zh = "两个方向都粗化：每个线程算 2 行 2 列，同样是四个和，却能省一半读取。`matmul-open` 就从这里开始。",
  },
}
