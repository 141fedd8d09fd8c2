-- Chapter 2: corner turning.
return lab {
  id = "corner-turning",
  title = { en = "Matrix product: turning the corner", zh = "矩阵乘法：转角加载" },
  chapter = 2,
  minutes = 30,
  needs = { "matmul-tiled" },
  source = "book 5.1, 6.1, exercise 1",
  teaches = {
    ["corner-turning"] = "say exercise",
    ["transposed-conflicts"] = "show ask",
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
    counter("gld_sectors", "<=", 0.3) {
      relative = true,
      points = 3,
      en = "In the load of b, threadIdx.x should move along memory: b[column * n + k], so along k.",
      zh = "读取 b 时，threadIdx.x 应当沿着内存方向走：b[列 * n + k]，也就是沿着 k。",
    },
    counter("shared_st_conflicts", "<=", 2000) {
      points = 3,
      en = "A column of a 32-wide tile lies in one single bank. What if the rows were one element longer?",
      zh = "32 宽的小块，一整列都在同一个存储体（bank）里。如果每行多一个元素呢？",
    },
  },
  steps = {
    say {
      en = [[
Here B is stored *column by column*: element (k, col) is `b[col * n + k]`. Libraries with Fortran roots hand you such matrices.

The kernel of `matmul-tiled` lets thread (tx, ty) fetch element (k0 + ty, col + tx). In this layout neighbouring lanes then read
addresses n elements apart: nothing coalesces. But *who fetches an element* and *who uses it* need not be the same thread, because
the elements pass through shared memory.]],
      zh = [[
这里的 B 是*按列存储*的：元素 (k, col) 在 `b[col * n + k]`。带有 Fortran 血统的库常给你这样的矩阵。

`matmul-tiled` 的核函数让线程 (tx, ty) 去取元素 (k0 + ty, col + tx)。在这种布局下，相邻 lane 读的地址相隔 n 个元素，完全不能合并。
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
    show {
      picture = "bankmap",
      en = "The turned store `bt[tx][ty]` into a tile of 32 columns: lane tx goes to word tx * 32 + ty. All 32 lanes meet in one bank.",
      zh = "转角后的写入 `bt[tx][ty]`，小块每行 32 列：lane tx 写到第 tx * 32 + ty 个字。32 个 lane 全都挤在一个存储体里。",
      model = function(lane) return lane * 32 * 4 end,
    },
    show {
      picture = "bankmap",
      en = "The same store with rows of 33 words: every lane has a bank of its own.",
      zh = "同样的写入，但每行 33 个字：每个 lane 各用一个存储体。",
      model = function(lane) return lane * 33 * 4 end,
    },
    ask {
      en = "Shared memory has 32 banks of 4 bytes. With rows of {w} words, how many passes does a warp need to store a column (lane i to word i * {w})?",
      zh = "共享内存有 32 个 4 字节宽的存储体。每行 {w} 个字时，一个 warp 写一列（lane i 写第 i * {w} 个字）需要几遍？",
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
    ask {
      en = "B is stored by columns, n = {n}. How many elements apart are (k, col) and (k, col + 1) in memory?",
      zh = "B 按列存储，n = {n}。元素 (k, col) 与 (k, col + 1) 在内存里相隔多少个元素？",
      draw = { n = { 100, 2000 } },
      answer = function(d) return d.n end,
      because = {
        en = "A whole column. Neighbours in memory are (k, col) and (k + 1, col): so lanes that stand side by side should differ in k.",
        zh = "整整一列。内存里相邻的是 (k, col) 和 (k + 1, col)：所以并排的 lane 应当在 k 上不同。",
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
      zh = "合并的读取，以及没有额外代价的转置写入。",
      counters = { "gld_sectors_per_request", "gld_sectors", "shared_st_conflicts_per_request", "shared_ld_conflicts_per_request" },
    },
  },
  hints = {
    { en = "For the load of b alone, swap the roles of tx and ty.", zh = "只对 b 的读取，交换 tx 和 ty 的角色。" },
    {
      en = "Thread (tx, ty) fetches row k0 + tx of column blockIdx.x * TILE + ty and stores it at bt[tx][ty]. The boundary check must use that column, not the thread's own.",
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
the awkward direction is moved to where it costs nothing. On an H200 the turned kernel takes 37 us against 56 us at 512, and exactly
as long as the row-major product.]],
    zh = [[
合并只是全局内存的事：共享内存可以按任意方向读写，只要避开存储体冲突。所以把别扭的方向挪到不花代价的地方去。在 H200 上 n = 512 时，转角后的核函数
用 37 us，而原来是 56 us，与按行存储的乘法完全一样快。]],
  },
  more = {
    en = "Instead of padding, store to `bt[tx][ty ^ tx]` and read `bt[k][tx ^ k]`: a swizzle. It needs no extra memory. Do the counters agree?",
    zh = "不用填充，改为写入 `bt[tx][ty ^ tx]`、读取 `bt[k][tx ^ k]`：这叫 swizzle（按异或打乱列的位置），不占额外内存。计数器的结果一样吗？",
  },
}
