-- Chapter 2: corner turning.
return lab {
  id = "corner-turning",
  title = { en = "Matrix product: turning the corner", zh = "矩阵乘法：转角读取" },
  chapter = 2,
  minutes = 30,
  needs = { "matmul-tiled" },
  source = "book 5.1, 6.1, exercise 1; guide 5.3.2; slides II",
  teaches = {
    ["corner-turning"] = "say ask exercise",
    banks = "say ask",
    ["transposed-conflicts"] = "show ask predict",
  },
  entry = "void corner_turning(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 32 }, { n = 45 }, { n = 100 }, { n = 256, timed = true } },
  hidden = { count = 3, n = { 2, 150 } },
  goals = {
    correct { points = 4 },
    at_most("global_load_sectors", 0.3 * baseline) {
      points = 3,
      en = "In the load of b, threadIdx.x should run along memory. The address is b[column * n + k], so threadIdx.x should run along k.",
      zh = "读取 b 时，threadIdx.x 应当沿内存中连续的方向变化。地址是 b[列 * n + k]，所以应当沿 k 变化。",
    },
    at_most("shared_store_conflicts", 2000) {
      points = 3,
      en = "A column of a 32-wide tile lies in a single bank. What changes if the rows are one element longer?",
      zh = "tile 宽 32 时，一整列都在同一个存储体（bank）里。如果每行多一个元素，会怎样？",
    },
  },
  steps = {
    say {
      en = [[
Here B is stored *column by column*: element (k, col) is `b[col * n + k]`. Libraries with Fortran roots use such matrices.

In the kernel of `matmul-tiled`, thread (tx, ty) fetches element (k0 + ty, col) with col = blockIdx.x * TILE + tx. In this layout, neighbouring lanes
then read addresses that are n elements apart, and nothing coalesces. But the elements pass through shared memory, so the thread that *fetches* an
element need not be the same thread that *uses* it.]],
      zh = [[
这里的 B 是*按列存储*的：元素 (k, col) 在 `b[col * n + k]`。源自 Fortran 的库常用这种矩阵。

在 `matmul-tiled` 的核函数里，线程 (tx, ty) 读取元素 (k0 + ty, col)，其中 col = blockIdx.x * TILE + tx。对于按列存储的 B，相邻 lane 读的地址就相隔 n
个元素，完全不能合并。但元素要经过共享内存，所以*读取*一个元素的线程和*使用*这个元素的线程不必是同一个。]],
    },
    predict {
      en = "The baseline's load of `a` is coalesced. In its load of `b`, each lane touches a different sector. How many sectors per request do its global loads average?",
      zh = "基线读 `a` 时是合并的；读 `b` 时，每个 lane 各触及一个不同的扇区。基线的全局读取平均每个请求多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "(4 + 32) / 2 = 18.", zh = "(4 + 32) / 2 = 18。" },
    },
    ask {
      en = "B is stored by columns, n = {n}. At which index of the array is element (k, col) = ({k}, {c})?",
      zh = "B 按列存储，n = {n}。元素 (k, col) = ({k}, {c}) 在数组的第几个下标处？",
      draw = { n = { 100, 2000 }, k = { 1, 50 }, c = { 1, 50 } },
      answer = function(d) return d.c * d.n + d.k end,
      because = {
        en = "{c} * {n} + {k}. In memory, (k, col) and (k + 1, col) are neighbours, so neighbouring lanes should differ in k.",
        zh = "{c} * {n} + {k}。内存里相邻的是 (k, col) 和 (k + 1, col)，所以相邻的 lane 应当读相邻的 k。",
      },
    },
    say {
      en = [[
So let tx run along k, and store the element where the multiplication will read it: `bt[tx][ty]`. Some books say that the order of accesses to shared
memory makes no difference, since it is not DRAM. It does.

Shared memory is divided into 32 *banks*. Each is one word (4 bytes) wide, and word i lies in bank i % 32. In one *pass* each bank serves one word. If
the lanes want several different words of one bank, the request takes that many passes: a *bank conflict*. Lanes that want the same word get it
together.]],
      zh = [[
所以让 tx 沿 k 变化，并把元素写到乘法要读取的位置：`bt[tx][ty]`。有的教科书说，共享内存不是 DRAM，访问的顺序没有影响。其实有影响。

共享内存分成 32 个*存储体*（bank），每个宽一个字（4 字节），第 i 个字在存储体 i % 32 里。每*遍*，每个存储体只能给出一个字。
各 lane 要同一个存储体里几个不同的字，就要走几遍：这叫*存储体冲突*。要同一个字的 lane 则一起得到这个字。]],
    },
    show {
      picture = "bankmap",
      en = "The store `bt[tx][ty]` after turning the corner, into a tile of 32 columns: lane tx writes word tx * 32 + ty. All 32 lanes meet in one bank.",
      zh = "转角后的写入 `bt[tx][ty]`，tile 每行 32 个字：lane tx 写第 tx * 32 + ty 个字。32 个 lane 全都落在同一个存储体里。",
      model = function(lane) return lane * 32 * 4 end,
    },
    show {
      picture = "bankmap",
      en = "The same store with rows of 33 words: each lane uses a different bank.",
      zh = "同样的写入，但每行 33 个字：每个 lane 各用一个存储体。",
      model = function(lane) return lane * 33 * 4 end,
    },
    ask {
      en = "With rows of {w} words, how many passes does a warp need to store a column (lane i to word i * {w})?",
      zh = "每行 {w} 个字时，一个线程束（warp）写一列（lane i 写第 i * {w} 个字）需要几遍？",
      draw = { w = { from = { 32, 33, 34, 36, 40, 48 } } },
      answer = function(d)
        local w, a = d.w, 32
        while w ~= 0 do a, w = w, a % w end
        return a
      end,
      because = {
        en = "As many as the greatest common divisor of the row length and 32. Every odd length needs one pass.",
        zh = "遍数等于行长与 32 的最大公约数。行长为奇数时只需一遍。",
      },
    },
    predict {
      en = "Measure a kernel that turns the corner without padding. In each phase, each warp stores twice: into `at`, along a row, and into `bt`, down a column (rows of 32 words). How many *extra* passes does a shared store take, on average over both?",
      zh = "来测一个转了角、但没有填充的核函数。每个阶段里，每个 warp 写两次共享内存：一次沿行写 `at`，一次沿列写 `bt`（每行 32 个字）。两者平均，一次写入要*多*走几遍？",
      counter = "shared_st_conflicts_per_request",
      of = "kernels/corner-turning-unpadded.cu",
      tolerance = 0.04,
      because = {
        en = "(0 + 31) / 2 = 15.5. The order of accesses to shared memory matters very much.",
        zh = "(0 + 31) / 2 = 15.5：共享内存的访问顺序影响很大。",
      },
    },
    exercise {
      en = "Turn the corner: load b with tx along k, and store into bt so that the multiplication still reads bt[k][tx]. Avoid bank conflicts.",
      zh = "实现转角读取：让 tx 沿 k 读取 b；写入 bt 之后，乘法仍然读 bt[k][tx]；并避免存储体冲突。",
    },
    show {
      picture = "sectors",
      en = "Your global accesses, line by line.",
      zh = "你的全局内存访问，逐行列出。",
    },
    compare {
      en = "Loads are coalesced, and the transposed store takes no extra passes.",
      zh = "读取已经合并，转置写入也没有多走的遍数。",
      counters = { "gld_sectors_per_request", "gld_sectors", "shared_st_conflicts_per_request", "shared_ld_conflicts_per_request" },
    },
  },
  hints = {
    { goal = "global_load_sectors", en = "Swap the roles of tx and ty, only in the load of b.", zh = "只在读取 b 时交换 tx 和 ty 的角色。" },
    {
      goal = "global_load_sectors", en = "Thread (tx, ty) fetches row k0 + tx of column blockIdx.x * TILE + ty and stores it at bt[tx][ty]. The boundary check must use that column, not the thread's own column.",
      zh = "线程 (tx, ty) 读取第 blockIdx.x * TILE + ty 列的第 k0 + tx 行，写到 bt[tx][ty]。边界检查要用读取的那一列，而不是线程自己的列。",
    },
    {
      en = "`__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
      zh = "写成 `__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
    },
  },
  after = {
    en = [[
Coalescing concerns global memory only. You can access shared memory in any direction, as long as there are no bank conflicts. So you move the strided
direction to where it costs nothing. On an H200, at n = 512, the kernel takes 52 us before turning the corner and 37 us after (measured,
cold), exactly as long as the row-major product.]],
    zh = [[
合并只与全局内存有关。共享内存可以按任意方向读写，只要没有存储体冲突。所以跨步的方向应当放到共享内存里，那里没有额外代价。
在 H200 上 n = 512 时（冷缓存实测），核函数原来用 52 微秒，转角后用 37 微秒，与按行存储的乘法用时相同。]],
  },
  more = {
    en = "Replace the padding by a *swizzle*: store to `bt[tx][ty ^ tx]` and read `bt[k][tx ^ k]`. It needs no extra memory. Do the counters stay the same?",
    zh = "不用填充，改用 *swizzle*（用异或打乱列的位置）：写入 `bt[tx][ty ^ tx]`，读取 `bt[k][tx ^ k]`，不占额外内存。计数器的结果一样吗？",
  },
}
