-- Chapter 2: tiling through shared memory.
return lab {
  id = "matmul-tiled",
  title = { en = "Matrix product: tiles in shared memory", zh = "矩阵乘法：共享内存分块" },
  chapter = 2,
  minutes = 35,
  needs = { "matmul-naive" },
  source = "book 5.1, exercises 2, 4; slides II, IV; guide 5.3.2",
  teaches = {
    ["tile-reuse"] = "say predict",
    ["op-per-byte-tiled"] = "ask",
    ["two-barriers"] = "ask",
    ["ragged-tiles"] = "exercise hints",
    ["store-after-loop"] = "ask",
    ["sixteen-wide"] = "predict",
    banks = "show",
    ["tiling-gain"] = "compare after",
  },
  entry = "void matmul_tiled(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 32 }, { n = 33 }, { n = 100 }, { n = 512, timed = true } },
  hidden = { count = 3, n = { 2, 150 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.085 * baseline) {
      points = 4,
      en = "Your kernel should load each element from global memory n / TILE times, not n times. Does every load inside the loop over k come from shared memory?",
      zh = "每个元素应当只从全局内存读取 n / TILE 次，而不是 n 次。k 循环里的读取是否都来自共享内存？",
    },
    speedup(1.1) {
      points = 2,
      en = "On a modern device the caches already help the baseline, but tiles are still faster. Try a larger tile.",
      zh = "在现代设备上，缓存已经帮了基线不少忙，但分块仍然更快。试试更大的 tile。",
    },
  },
  steps = {
    say {
      en = [[
The naive product reads each element of A and B n times, once for every output that needs it. But the 256 threads of a 16 x 16 block together need
only 16 rows of A and 16 columns of B. Each element is used by 16 threads of the block.

So let the block load the elements together. In each *phase* it copies a 16 x 16 piece of A and one of B, called *tiles*, into shared memory; each
thread loads one element of each. Then all threads multiply from shared memory, and the block goes on to the next pair of tiles.]],
      zh = [[
朴素的乘法把 A 和 B 的每个元素都读 n 次，每个用到这个元素的输出各读一次。但一个 16 x 16 线程块的 256 个线程合起来只需要 A 的 16 行和 B 的 16 列：
每个元素由块内 16 个线程使用。

所以让整个线程块一起读取。每个*阶段*里，线程块把 A 和 B 各一个 16 x 16 的小块装入共享内存，这样的小块叫 *tile*；每个线程从两边各装入一个元素。
然后所有线程从共享内存读取并相乘，再前进到下一对 tile。]],
    },
    ask {
      alone = true,
      en = "With tiles {t} wide, how many operations (multiplications and additions) does the product do per byte read from global memory?",
      zh = "tile 宽度为 {t} 时，每从全局内存读 1 字节，能做多少次运算（乘法与加法各算一次）？",
      draw = { t = { from = { 8, 16, 32 } } },
      answer = function(d) return 2 * d.t / 8 end,
      replies = { { function(d) return d.t / 8 end, en = "Each pair of elements takes two operations: a multiplication and an addition.", zh = "每对数要做一次乘法和一次加法：两次运算。" } },
      because = {
        en = "Without tiles it is 2 operations for 8 bytes: 0.25. With tiles, each loaded element is used as many times as the tile is wide. That gives 0.25 times the width: 4 for 16 and 8 for 32.",
        zh = "不分块时 8 字节做 2 次运算，即 0.25。分块后，tile 宽多少，读来的每个元素就用多少次：0.25 乘以 tile 宽度，宽 16 时为 4，宽 32 时为 8。",
      },
    },
    ask {
      alone = true,
      en = "In each phase the block waits twice (`__syncthreads`): after storing the tiles and after multiplying. What goes wrong without the *second* wait?",
      zh = "每个阶段里，线程块要等待两次（`__syncthreads`）：写好 tile 之后，以及乘完之后。去掉*第二次*等待会出什么问题？",
      choices = {
        { en = "A thread reads elements that other threads have not stored yet.", zh = "线程会读到别的线程还没有写好的元素。",
          because = { en = "The first wait prevents that.", zh = "那是第一次等待防止的问题。" } },
        { en = "Nothing, the kernel is only slower.", zh = "没问题，只是慢一些。",
          because = { en = "On the contrary: it would be faster, but sometimes wrong.", zh = "恰恰相反，它会更快，但有时结果是错的。" } },
        { en = "A slow thread still reads the tile while a fast one overwrites it with the next phase's elements.",
          zh = "慢的线程还在读这个 tile，快的线程已经用下一阶段的元素覆盖了它。", right = true },
        { en = "The sums of the block's threads get mixed up.", zh = "块里各线程的和会互相混淆。",
          because = { en = "Each sum is in a register of its thread. No other thread can reach it.", zh = "每个和都在自己线程的寄存器里，别的线程碰不到。" } },
      },
      because = {
        en = "The first wait makes all writes come before the reads, the second all reads before the next writes. If one is missing, the simulated device reports a race and the two lines involved, even on a run whose result happens to be right.",
        zh = "第一次等待保证“先写后读”，第二次等待保证“先读后写”。缺少任何一次，模拟设备都会报告数据竞争，并指出涉及的两行代码，即使这次运行的结果碰巧正确。",
      },
    },
    ask {
      en = "Some textbooks store `c[row][col] = sum` *inside* the loop over the phases. The final result is right. With n = {n} and 32 x 32 tiles, how many store requests (one per warp instruction) does such a kernel make? A block has 32 warps; there are ({n} / 32) x ({n} / 32) blocks, and {n} / 32 phases.",
      zh = "有些教科书的代码把 `c[row][col] = sum` 写在阶段循环*里面*，最后的结果也正确。n = {n}、32 x 32 的 tile 时，这样的核函数发出多少个写请求（每条线程束（warp）指令算一个）？每块 32 个 warp，共 ({n} / 32) x ({n} / 32) 个块，{n} / 32 个阶段。",
      draw = { n = { from = { 64, 96, 128, 192, 256 } } },
      answer = measured { of = "kernels/matmul-tiled-stores.cu", case = function(d) return { n = d.n } end, counter = "gst_requests" },
      because = {
        en = "Blocks * 32 warps * phases, measured on this kernel. For n = 256 it is 16,384. A kernel that stores *once, after* the loop makes 2,048.",
        zh = "块数 * 32 个 warp * 阶段数，这是对这个核函数实测的结果。n = 256 时是 16,384；如果放到循环*之后只写一次*，就是 2,048。",
      },
    },
    predict {
      en = "The baseline makes 2 * 256 loads per thread at n = 256. How many global load *requests* (per warp instruction) will a version with 32 x 32 tiles make at n = 256? There are 8 x 8 blocks of 32 warps, and 8 phases.",
      zh = "n = 256 时，基线每个线程读取 2 * 256 次。用 32 x 32 的 tile，n = 256 时会发出多少个全局读取*请求*（每条 warp 指令算一个）？共有 8 x 8 个线程块，每块 32 个 warp，8 个阶段。",
      counter = "gld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.02,
      because = {
        en = "64 blocks * 32 warps * 8 phases * 2 loads = 32,768. The baseline makes 32 times as many.",
        zh = "64 块 * 32 个 warp * 8 个阶段 * 2 次读取 = 32,768。基线的请求数是这个数的 32 倍。",
      },
    },
    predict {
      en = "A textbook exercise asks which tile widths load without waste. Its printed answer says: only multiples of 32. Take {w} x {w} tiles. A row of a tile is {w} neighbouring floats of the matrix. Each row of the matrix begins at a multiple of 32 bytes, and memory moves sectors of 32 bytes. What share of the moved bytes is used? (in %)",
      zh = "教科书有一道习题问：哪些宽度的 tile 读取时没有浪费？书上的答案是：只有 32 的倍数。来看 {w} x {w} 的 tile：tile 的一行是矩阵里相邻的 {w} 个 float，矩阵的每一行都从 32 字节的倍数处开始，内存以 32 字节的扇区为单位搬运。搬来的字节有百分之几用上了？",
      draw = { w = { from = { 4, 8, 16, 32 } } },
      counter = "gld_efficiency_pct",
      of = "kernels/matmul-tiled-width.cu",
      entry = "void matmul_width(const float *a, const float *b, float *c, int n, int width)",
      args = { a = uniform(-1, 1, "n*n"), b = uniform(-1, 1, "n*n"), c = output("n*n", { ops = "2*n" }) },
      case = function(d) return { n = 64, width = d.w } end,
      tolerance = 0.01,
      unit = "%",
      replies = { { function(d) return 100 * d.w / 32 end, en = "Compare a row of the tile, 4 * {w} bytes, with a sector of 32 bytes.", zh = "请把 tile 的一行（4 * {w} 字节）与 32 字节的扇区比较。" } },
      because = {
        en = "A row is 4 * {w} bytes. 8, 16 or 32 floats fill whole sectors, and nothing is wasted; 4 floats waste half of each sector. The advantage of 32-wide tiles over 16-wide ones is the reuse, not the coalescing.",
        zh = "一行是 4 * {w} 字节。8、16、32 个 float 正好占满整数个扇区，没有浪费；4 个 float 时，每个扇区浪费一半。宽 32 的 tile 优于宽 16 的，原因是复用更多，而不是合并得更好。",
      },
    },
    exercise {
      en = "Tile the product through shared memory, for any n. A thread beyond the edge loads zeros and stays for the barriers; it only skips the store at the end.",
      zh = "用共享内存分块实现乘法，n 可以是任意值。超出边界的线程装入 0，并照常执行每次屏障，只是最后不写结果。",
    },
    show {
      picture = "banks",
      en = "Your shared memory accesses, line by line. Shared memory is divided into 32 *banks*, each one word (4 bytes) wide; word i lies in bank i % 32. In one *pass* each bank serves one word; lanes that want the same word get it together. Your kernel reads a row of one tile and a single word of the other: each request takes one pass.",
      zh = "逐行看你对共享内存的访问。共享内存分成 32 个*存储体*（bank），每个宽一个字（4 字节）；第 i 个字在存储体 i % 32 里。每*遍*，每个存储体只能给出一个字；要同一个字的 lane 一起得到这个字。你的核函数沿一个 tile 的一行读，从另一个 tile 只读一个字：每个请求都只需一遍。",
    },
    compare {
      en = "The traffic moved from global to shared memory.",
      zh = "访问从全局内存转移到了共享内存。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "shared_ld_conflicts", "barriers", "flop_per_global_byte" },
    },
    compare {
      en = "16 x 16 tiles beside the untiled baseline on a G80 of 2006, which has no cache to help the baseline (time modelled, n = 512):",
      zh = "在 2006 年的 G80 上，16 x 16 的 tile 与不分块的基线对比；G80 没有能帮助基线的缓存（时间为模型值，n = 512）：",
      of = "kernels/matmul-tiled-16.cu",
      case = { n = 512 },
      on = "sim:g80",
      counters = { "device_us", "gld_requests", "gld_sectors" },
    },
    compare {
      en = "The same two kernels on an H200:",
      zh = "同样的两个核函数，在 H200 上：",
      of = "kernels/matmul-tiled-16.cu",
      case = { n = 512 },
      on = "sim:h200",
      counters = { "device_us", "gld_requests", "gld_sectors" },
    },
  },
  hints = {
    {
      en = "Draw the 16 rows of A and the 16 columns of B that a block needs. Cut both into squares. Each phase handles one pair of squares.",
      zh = "画出一个线程块需要的 A 的 16 行和 B 的 16 列，把它们都切成正方形。每个阶段处理一对正方形。",
    },
    {
      en = "`__shared__ float at[TILE][TILE], bt[TILE][TILE];` In phase k0 thread (tx, ty) loads a[row][k0 + tx] and b[k0 + ty][col]; `__syncthreads()`; the loop over k reads at[ty][k] and bt[k][tx]; `__syncthreads()`.",
      zh = "`__shared__ float at[TILE][TILE], bt[TILE][TILE];`。阶段 k0 里线程 (tx, ty) 装入 a[row][k0 + tx] 和 b[k0 + ty][col]；`__syncthreads()`；k 循环读取 at[ty][k] 和 bt[k][tx]；再 `__syncthreads()`。",
    },
    {
      en = "`at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;` and the same for b with k0 + ty and col. No early return: `if (row < n && col < n) c[row * n + col] = sum;` stands after the loop over the phases.",
      zh = "`at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;`，b 同理，用 k0 + ty 和 col。不要提前返回：`if (row < n && col < n) c[row * n + col] = sum;` 写在阶段循环之后。",
    },
  },
  after = {
    en = [[
Each element is now loaded n / TILE times instead of n times. A well-known textbook promises a thirtyfold gain "on a modern device". The modern
devices of that time had no cache for such loads.

An H200 has 256 KB per multiprocessor, divided between L1 and shared memory, and its L1 already keeps most of what a tile would hold. There the
product is 1.5 times as fast with 16-wide tiles and 1.7 times as fast with 32-wide ones (measured at n = 1024, cold). Read on: the last two tables
compare both kinds of device.]],
    zh = [[
现在每个元素只读取 n / TILE 次，而不是 n 次。有本知名教科书说“在现代设备上”能加速到原来的 30 倍；当时的现代设备对这类读取还没有缓存。

H200 的每个多处理器有 256 KB，由 L1 和共享内存分用，L1 已经能留住 tile 里的大部分数据：在 H200 上，宽 16 的 tile 加速到原来的 1.5 倍，
宽 32 的加速到 1.7 倍（n = 1024，冷缓存实测）。继续往下读：最后两张表对比了这两类设备。]],
  },
  more = {
    en = "Give `bt` one column of padding. Does any counter change? Why is padding not needed here, although `corner-turning` needs it?",
    zh = "给 `bt` 加一列填充，有哪个计数器变了吗？为什么这里不需要填充，而 `corner-turning` 里却需要？",
  },
}
