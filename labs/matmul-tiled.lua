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
    at_most("device_loads", 0.085 * baseline) {
      points = 2,
      en = "Your kernel should load each element of A and B from global memory n / TILE times, not n times. Does the loop over k read only from shared memory?",
      zh = "A 和 B 的每个元素应当只从全局内存读取 n / TILE 次，而不是 n 次。k 循环是否只读共享内存？",
    },
    at_most("global_load_bytes", 0.13 * baseline) {
      points = 2,
      en = [[
        Wide loads make the requests fewer, not the bytes: a thread still loads elements that other
        threads of its block load, too. Load each element once for the whole block, into a tile in
        shared memory.
      ]],
      zh = [[
        宽的读取只减少请求数，不减少字节数：一个线程仍在读取同块其他线程也要读取的元素。每个元素应当
        由整个块只读一次，放进共享内存的 tile。
      ]],
    },
    speedup(1.08) {
      points = 2,
      en = "On a modern device, the caches already help the baseline, but a kernel with tiles is still faster. Try a larger tile.",
      zh = "在现代设备上，缓存已经帮了基线不少忙，但分块仍然更快。试试更大的 tile。",
    },
  },
  steps = {
    say {
      en = [[
This lab's kernel computes `C = A * B` as in `matmul-naive`, but it reads each element of A and B from global memory much less often. You will find out
how the threads of a block share elements, when they must wait for each other, and how much time the sharing saves on an old and on a new device.

The naive product reads each element of A and B n times: once for every element of C that needs it. But the 256 threads of a 16 x 16 block together
need only 16 rows of A and 16 columns of B. Each element of these rows and columns is needed by 16 threads of the block.

*Shared memory* is fast memory that all threads of a block can read and write.

The block computes its part of C in *phases*. In each phase, the block copies a *tile* (a piece of 16 x 16 elements) of A and a tile of B into shared
memory; each thread copies one element of each tile. Then each thread multiplies a row of the tile of A by a column of the tile of B, and adds the
product to its sum. After that, the next phase begins with the next pair of tiles.]],
      zh = [[
本实验的核函数和 `matmul-naive` 一样计算 `C = A * B`，但从全局内存读取 A 和 B 的元素的次数少得多。你会学到：块内的线程怎样通过共享内存共用元素，
什么时候必须互相等待，以及这样做在旧设备和新设备上能省多少时间。

朴素的乘法把 A 和 B 的每个元素都读 n 次：C 有 n 个元素用到这个元素，每次用到都重新读取。但是一个 16 x 16 的线程块的 256 个线程，
合起来只需要 A 的 16 行和 B 的 16 列。这些行和列里的每个元素，由块内的 16 个线程使用。

*共享内存*是块内所有线程都能读写的快速内存。

线程块分几个*阶段*计算自己负责的那部分 C。每个阶段里，线程块把 A 和 B 各一个 *tile*（16 x 16 个元素的小块）拷到共享内存，每个线程从两个 tile
各拷一个元素。然后每个线程用 A 的 tile 的一行乘以 B 的 tile 的一列，把乘积加到自己的累加和里。下一个阶段处理下一对 tile。]],
    },
    ask {
      alone = true,
      en = "The tiles are {t} x {t} elements of 4 bytes. How many operations does the product do per byte that it reads from global memory? (A multiplication and an addition are two operations.)",
      zh = "tile 宽度为 {t} 时，每从全局内存读 1 字节，矩阵乘法能做多少次运算？（一个元素 4 字节，一次乘法和一次加法算两次运算。）",
      draw = { t = { from = { 8, 16, 32 } } },
      answer = function(d) return 2 * d.t / 8 end,
      replies = { { function(d) return d.t / 8 end, en = "A thread does two operations with each pair of elements: a multiplication and an addition.", zh = "线程用每对元素做两次运算：一次乘法和一次加法。" } },
      because = {
        en = "Without tiles, the product does 2 operations for 8 bytes: 0.25 per byte. With tiles of width {t}, each loaded element is used by {t} threads, so the result is {t} times 0.25. For a width of 16 it is 4, and for a width of 32 it is 8.",
        zh = "不分块时，每 8 字节做 2 次运算，即每字节 0.25 次。tile 宽度为 {t} 时，读来的每个元素由 {t} 个线程使用，所以是 0.25 的 {t} 倍。宽度为 16 时是 4，宽度为 32 时是 8。",
      },
    },
    ask {
      alone = true,
      en = "In each phase, the threads of a block wait for each other twice, with `__syncthreads`: first after storing the tiles, and again after multiplying. What goes wrong without the *second* wait?",
      zh = "每个阶段里，块内的线程用 `__syncthreads` 互相等待两次：第一次在写好 tile 之后，第二次在乘完之后。去掉*第二次*等待会出什么问题？",
      choices = {
        { en = "A thread reads elements that other threads have not stored yet.", zh = "线程会读到别的线程还没有写好的元素。",
          because = { en = "The first wait prevents this.", zh = "第一次等待已经防止了这个问题。" } },
        { en = "Nothing goes wrong; the kernel is only slower.", zh = "没有问题，只是慢一些。",
          because = { en = "With one wait less, the kernel would be faster, but sometimes wrong.", zh = "少等一次，核函数会更快，但结果有时是错的。" } },
        { en = "A slow thread still reads a tile while a fast thread already overwrites the tile with elements of the next phase.",
          zh = "慢的线程还在读一个 tile，快的线程已经用下一阶段的元素覆盖了这个 tile。", right = true },
        { en = "The sums of different threads get mixed up.", zh = "不同线程的累加和会互相混淆。",
          because = { en = "Each sum is in a register of its thread. No other thread can reach it.", zh = "每个累加和都在自己线程的寄存器里，其他线程访问不到。" } },
      },
      because = {
        en = "The first wait makes all writes come before the reads. The second wait makes all reads come before the writes of the next phase. If a wait is missing, the simulated device reports a *race* (two threads access the same word, one of them writes, and nothing fixes the order). The report names the two lines of code, and it comes even on a run whose result happens to be right.",
        zh = "第一次等待保证所有写入都在读取之前完成。第二次等待保证所有读取都在下一阶段的写入之前完成。只要缺少一次等待，即使这次运行的结果碰巧正确，模拟设备也会报告*数据竞争*（两个线程访问同一个字，其中至少一个是写入，先后又不确定），并指出涉及的两行代码。",
      },
    },
    ask {
      en = "In some textbooks, the kernel writes `c[row][col] = sum` *inside* the loop over the phases. The final result is right. With n = {n} and 32 x 32 tiles, how many store requests does such a kernel make? (A store request is one store instruction of one warp.) There are ({n} / 32) * ({n} / 32) blocks of 32 warps, and {n} / 32 phases.",
      zh = "有些教科书的代码把 `c[row][col] = sum` 写在阶段循环*里面*，最后的结果也正确。n = {n}、32 x 32 的 tile 时，这样的核函数发出多少个写请求？一个线程束（warp）执行一次写指令，算一个写请求。共有 ({n} / 32) * ({n} / 32) 个块，每块 32 个 warp，{n} / 32 个阶段。",
      draw = { n = { from = { 64, 96, 128, 192, 256 } } },
      answer = measured { of = "kernels/matmul-tiled-stores.cu", case = function(d) return { n = d.n } end, counter = "gst_requests" },
      because = {
        en = "The number is blocks * 32 warps * phases. Warplab measured it with such a kernel. For n = 256, this kernel makes 16,384 store requests. A kernel that stores *once after* the loop makes only 2,048.",
        zh = "块数 * 32 个 warp * 阶段数，这个结果由 Warplab 用这样的核函数测得。n = 256 时是 16,384 个写请求。如果在循环*之后只写一次*，就只有 2,048 个。",
      },
    },
    predict {
      en = "At n = 256, each thread of the baseline makes 2 * 256 loads. With 32 x 32 tiles, there are 8 x 8 blocks of 32 warps, and 8 phases. How many global load *requests* does the tiled kernel make at n = 256? (A request is one load instruction of one warp.)",
      zh = "n = 256 时，基线的每个线程读取 2 * 256 次。用 32 x 32 的 tile 时，共有 8 x 8 个线程块，每块 32 个 warp，8 个阶段。n = 256 时，分块的核函数会发出多少个全局读取*请求*？一个 warp 执行一次读取指令，算一个请求。",
      counter = "gld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.02,
      because = {
        en = "64 blocks * 32 warps * 8 phases * 2 loads = 32,768 requests. The baseline makes 32 times as many.",
        zh = "64 个块 * 32 个 warp * 8 个阶段 * 2 次读取 = 32,768。基线的请求数是这个数的 32 倍。",
      },
    },
    predict {
      en = "A textbook asks with which tile widths a kernel loads no bytes in vain. The textbook's answer is: only with multiples of 32. Take {w} x {w} tiles. A row of a tile is {w} neighbouring floats of the matrix. Each row of the matrix begins at a multiple of 32 bytes, and memory moves sectors of 32 bytes. What share of the moved bytes does the kernel use? (in %)",
      zh = "教科书有一道习题问：tile 宽度是多少时，读取没有浪费？教科书的答案是：只有 32 的倍数。来看 {w} x {w} 的 tile。tile 的一行是矩阵里相邻的 {w} 个 float。矩阵的每一行都从 32 字节的倍数处开始，内存以 32 字节的扇区为单位搬运。搬来的字节里，核函数用到的占百分之几？",
      draw = { w = { from = { 4, 8, 16, 32 } } },
      counter = "gld_efficiency_pct",
      of = "kernels/matmul-tiled-width.cu",
      entry = "void matmul_width(const float *a, const float *b, float *c, int n, int width)",
      args = { a = uniform(-1, 1, "n*n"), b = uniform(-1, 1, "n*n"), c = output("n*n", { ops = "2*n" }) },
      case = function(d) return { n = 64, width = d.w } end,
      tolerance = 0.01,
      unit = "%",
      replies = { { function(d) return 100 * d.w / 32 end, en = "A row of the tile has 4 * {w} bytes. Compare this with a sector of 32 bytes.", zh = "请把 tile 的一行（4 * {w} 字节）与 32 字节的扇区比较。" } },
      because = {
        en = "A row of the tile has 4 * {w} bytes. Rows of 8, 16 or 32 floats fill whole sectors, so no byte is wasted. A row of 4 floats wastes half of a sector. A 32-wide tile is better than a 16-wide one for another reason: each element is used more often. The advantage is the reuse, not the coalescing.",
        zh = "tile 的一行有 4 * {w} 字节。8、16 或 32 个 float 正好占满整数个扇区，没有浪费；4 个 float 要浪费半个扇区。宽 32 的 tile 比宽 16 的好，是因为每个元素复用的次数更多，而不是因为读取合并得更好。",
      },
    },
    exercise {
      en = "Compute the product with tiles in shared memory, for any n. Put a zero into a tile in place of each element that lies outside A or B. A thread whose output lies outside the matrix still takes part: like all other threads, it loads elements and waits at the barriers (each `__syncthreads` is a *barrier*). It skips only the store at the end.",
      zh = "用共享内存分块计算乘积，n 可以是任意值。凡是落在 A 或 B 之外的元素，都在 tile 里用 0 代替。输出位置在矩阵之外的线程也照常装入元素、照常等待每次屏障（`__syncthreads` 就是*屏障*），只是最后不写结果。",
    },
    show {
      picture = "banks",
      en = "Your accesses to shared memory, line by line. Shared memory is divided into 32 *banks*; word i (4 bytes) lies in bank i % 32. In one *pass*, each bank serves one word, and all lanes that want the same word get it together. With tiles 32 wide, a warp reads a row of the tile of B and a single word of the tile of A in each step of k. Each of these requests takes one pass.",
      zh = "逐行看你对共享内存的访问。共享内存分成 32 个*存储体*（bank），第 i 个字（4 字节）在存储体 i % 32 里。每走一*遍*，每个存储体给出一个字；要同一个字的 lane 一起得到这个字。tile 宽 32 时，k 每前进一步，一个 warp 读 B 的 tile 的一行，以及 A 的 tile 里的一个字。这些请求都只需一遍。",
    },
    compare {
      en = "Your kernel beside the baseline: most loads now read shared memory instead of global memory.",
      zh = "你的核函数与基线的对比：大部分读取改为从共享内存读，不再从全局内存读。",
      counters = { "gld_requests", "gld_sectors", "shared_ld_requests", "shared_ld_conflicts", "barriers", "flop_per_global_byte" },
    },
    compare {
      en = "A kernel with 16 x 16 tiles beside the baseline, which has no tiles, on a G80 of 2006. A G80 has no cache that helps the baseline. (The time is modelled, n = 512.)",
      zh = "在 2006 年的 G80 上，用 16 x 16 的 tile 的核函数与不分块的基线对比。G80 没有能帮助基线的缓存。（时间为模型值，n = 512。）",
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
      en = "Draw the 16 rows of A and the 16 columns of B that a 16 x 16 block needs. Cut the rows and the columns into 16 x 16 squares. Each phase uses one square of A and one of B.",
      zh = "画出一个 16 x 16 的线程块需要的 A 的 16 行和 B 的 16 列，再切成 16 x 16 的正方形。每个阶段用 A 的一个正方形和 B 的一个正方形。",
    },
    {
      en = "Declare `__shared__ float at[TILE][TILE], bt[TILE][TILE];`. In the phase that starts at k0, thread (tx, ty) stores `a[row][k0 + tx]` in `at[ty][tx]` and `b[k0 + ty][col]` in `bt[ty][tx]`. Then comes `__syncthreads()`. The loop over k reads `at[ty][k]` and `bt[k][tx]`. Then comes the second `__syncthreads()`.",
      zh = "声明 `__shared__ float at[TILE][TILE], bt[TILE][TILE];`。在从 k0 开始的阶段，线程 (tx, ty) 把 `a[row][k0 + tx]` 写到 `at[ty][tx]`，把 `b[k0 + ty][col]` 写到 `bt[ty][tx]`，然后执行 `__syncthreads()`。k 循环读取 `at[ty][k]` 和 `bt[k][tx]`，之后再执行一次 `__syncthreads()`。",
    },
    {
      en = "Write `at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;`. Fill `bt` in the same way, with the row `k0 + ty` and the column `col` of B. Let no thread return early. After the loop over the phases, write `if (row < n && col < n) c[row * n + col] = sum;`",
      zh = "装入 `at`：`at[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;`。装入 `bt` 的写法相同，行号是 `k0 + ty`，列号是 `col`。任何线程都不要提前返回。阶段循环之后写：`if (row < n && col < n) c[row * n + col] = sum;`",
    },
  },
  after = {
    en = [[
Your kernel loads each element from global memory n / TILE times instead of n times. A well-known textbook says that tiles make the product thirty
times as fast "on a modern device". The devices of that time had no cache for loads from global memory.

In an H200, each multiprocessor has 256 KB of fast memory for its L1 cache and its shared memory together. Even without tiles, the L1 cache keeps most
of the elements that a tile would hold. The tiles therefore gain less: the product is 1.5 times as fast with 16-wide tiles and 1.7 times as fast with
32-wide tiles (measured at n = 1024; at the start, the data were not in a cache). Read on: the last two tables compare a G80 and an H200.]],
    zh = [[
你的核函数从全局内存读取每个元素 n / TILE 次，而不是 n 次。有本知名教科书说，“在现代设备上”分块能把乘法加速到原来的 30 倍。
当时的设备读取全局内存时没有缓存可用。

H200 的每个多处理器有 256 KB 快速内存，由 L1 缓存和共享内存分用。即使不分块，tile 里的大部分元素也会留在 L1 缓存里，所以分块的好处小一些：
宽 16 的 tile 把乘法加速到原来的 1.5 倍，宽 32 的 tile 加速到 1.7 倍（n = 1024 时实测，开始时数据都不在缓存里）。
继续往下读：最后两张表对比了 G80 和 H200。]],
  },
  more = {
    en = "Give each row of `bt` one more element (padding). Does any counter change? The kernel of the lab `corner-turning` needs such padding. Why does this kernel not need it?",
    zh = "给 `bt` 的每行多加一个元素（填充）。有哪个计数器变了吗？实验 `corner-turning` 的核函数需要这样的填充，这里的核函数为什么不需要？",
  },
}
