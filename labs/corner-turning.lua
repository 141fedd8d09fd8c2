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
      en = "In the load of b, threadIdx.x should move along memory: b[column * n + k], so along k.",
      zh = "读取 b 时，threadIdx.x 应当沿着内存方向走：b[列 * n + k]，也就是沿着 k。",
    },
    at_most("shared_store_conflicts", 2000) {
      points = 3,
      en = "A column of a 32-wide tile lies in one single bank. What if the rows were one element longer?",
      zh = "32 宽的 tile，一整列都在同一个存储体（bank）里。如果每行多一个元素呢？",
    },
  },
  steps = {
    say {
      en = [[
Here B is stored *column by column*: element (k, col) is `b[col * n + k]`. Libraries with Fortran roots hand you such matrices.

The kernel of `matmul-tiled` lets thread (tx, ty) fetch element (k0 + ty, col), where its col is blockIdx.x * TILE + tx. In this layout neighbouring
lanes then read addresses n elements apart: nothing coalesces. But *who fetches an element* and *who uses it* need not be the same thread, because
the elements pass through shared memory.]],
      zh = [[
这里的 B 是*按列存储*的：元素 (k, col) 在 `b[col * n + k]`。源自 Fortran 的库常给你这样的矩阵。

`matmul-tiled` 的核函数让线程 (tx, ty) 去取元素 (k0 + ty, col)，其中 col 是 blockIdx.x * TILE + tx。在这种布局下，相邻 lane 读的地址相隔 n 个元素，完全不能合并。
但是元素要经过共享内存，所以*取它的线程*和*用它的线程*不必是同一个。]],
    },
    predict {
      en = "The baseline's load of `a` is coalesced; its load of `b` gives each lane a sector of its own. How many sectors per request do its global loads average?",
      zh = "基线读 `a` 是合并的，读 `b` 时每个 lane 各占一个扇区。它的全局读取平均每个请求多少个扇区？",
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
        en = "{c} * {n} + {k}. Neighbours in memory are (k, col) and (k + 1, col): so lanes that stand side by side should differ in k.",
        zh = "{c} * {n} + {k}。内存里相邻的是 (k, col) 和 (k + 1, col)：所以并排的 lane 应当在 k 上不同。",
      },
    },
    say {
      en = [[
So let tx run along k, and store the element where the multiplication will look for it: `bt[tx][ty]`. Some books say that the order in which shared
memory is accessed makes no difference, since it is not DRAM. It does.

Shared memory has 32 *banks*, each one word (4 bytes) wide; word i lies in bank i % 32. In one *pass* each bank serves one word. Lanes that
want different words of one bank are served in as many passes as there are words: a *bank conflict*. Lanes that want the same word get it
together.]],
      zh = [[
所以让 tx 沿着 k 走，并把元素存到乘法要找它的地方：`bt[tx][ty]`。有的书说，共享内存不是 DRAM，按什么顺序访问没有差别。其实有差别。

共享内存有 32 个*存储体*（bank），每个宽一个字（4 字节），第 i 个字在存储体 i % 32 里。每*遍*每个存储体只能给出一个字。几个 lane 要同一个存储体里
不同的字，有几个字就要几遍：这叫*存储体冲突*。要的是同一个字，则一次给齐。]],
    },
    show {
      picture = "bankmap",
      en = "The turned store `bt[tx][ty]` into a tile of 32 columns: lane tx goes to word tx * 32 + ty. All 32 lanes meet in one bank.",
      zh = "转角后的写入 `bt[tx][ty]`，tile 每行 32 列：lane tx 写到第 tx * 32 + ty 个字。32 个 lane 全都挤在一个存储体里。",
      model = function(lane) return lane * 32 * 4 end,
    },
    show {
      picture = "bankmap",
      en = "The same store with rows of 33 words: every lane has a bank of its own.",
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
        en = "The greatest common divisor of the row's length and 32. Every odd length needs one pass.",
        zh = "等于行长与 32 的最大公约数。行长为奇数时都只需一遍。",
      },
    },
    predict {
      en = "Measure it: a kernel that turns the corner without padding. Per phase and warp it stores once into `at`, along a row, and once into `bt`, down a column of 32 words to the row. How many *extra* passes does a shared store take, on average over both?",
      zh = "来测一测：一个转了角、但没有填充的核函数。每个阶段里每个 warp 写两次共享内存：一次沿行写 `at`，一次沿列写 `bt`（每行 32 个字）。两者平均，一次写入要*多*走几遍？",
      counter = "shared_st_conflicts_per_request",
      of = "kernels/corner-turning-unpadded.cu",
      tolerance = 0.04,
      because = {
        en = "(0 + 31) / 2 = 15.5: the order of accesses to shared memory matters very much.",
        zh = "(0 + 31) / 2 = 15.5：访问共享内存的顺序很有讲究。",
      },
    },
    exercise {
      en = "Turn the corner: load b with tx along k, store into bt so that the multiplication finds bt[k][tx] as before, and keep the banks apart.",
      zh = "转角：让 tx 沿着 k 读取 b，写入 bt 时使后面的乘法照旧能读到 bt[k][tx]，并避免存储体冲突。",
    },
    show {
      picture = "sectors",
      en = "Your global accesses, line by line.",
      zh = "你的全局内存访问，逐行列出。",
    },
    compare {
      en = "Coalesced loads, and a transposed store that costs nothing extra.",
      zh = "读取合并了，转置写入也没有额外代价。",
      counters = { "gld_sectors_per_request", "gld_sectors", "shared_st_conflicts_per_request", "shared_ld_conflicts_per_request" },
    },
  },
  hints = {
    { goal = "global_load_sectors", en = "For the load of b alone, swap the roles of tx and ty.", zh = "只对 b 的读取，交换 tx 和 ty 的角色。" },
    {
      goal = "global_load_sectors", en = "Thread (tx, ty) fetches row k0 + tx of column blockIdx.x * TILE + ty and stores it at bt[tx][ty]. The boundary check must use that column, not the thread's own.",
      zh = "线程 (tx, ty) 取第 blockIdx.x * TILE + ty 列的第 k0 + tx 行，存到 bt[tx][ty]。边界检查要用取数的那一列，而不是线程自己的列。",
    },
    {
      en = "`__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
      zh = "写成 `__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
    },
  },
  after = {
    en = [[
Coalescing is a matter of global memory alone: shared memory may be read in any direction, as long as the banks are kept apart. So
the awkward direction is moved to where it costs nothing. On an H200 the turned kernel takes 37 us against 52 us at 512 (measured, cold), and
exactly as long as the row-major product.]],
    zh = [[
合并只是全局内存的事：共享内存可以按任意方向读写，只要避开存储体冲突。所以把别扭的方向挪到不花代价的地方去。在 H200 上 n = 512 时（冷缓存实测），
转角后的核函数用 37 微秒，而原来是 52 微秒，与按行存储的乘法完全一样快。]],
  },
  more = {
    en = "Instead of padding, store to `bt[tx][ty ^ tx]` and read `bt[k][tx ^ k]`: a swizzle. It needs no extra memory. Do the counters agree?",
    zh = "不用填充，改为写入 `bt[tx][ty ^ tx]`、读取 `bt[k][tx ^ k]`：这叫 swizzle（按异或打乱列的位置），不占额外内存。计数器的结果一样吗？",
  },
}
