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
    correct { points = 2 },
    -- The model answer's is 100 with a full tile. Loads of 16 bytes in the old order reach 67.
    at_least("gld_efficiency_pct", 75) {
      points = 2,
      en = "In the load of `b`, neighbouring lanes should read neighbouring addresses. A lane reads `b[column * n + k]`, so `threadIdx.x` should select k.",
      zh = "读取 `b` 时，相邻的 lane 应当读相邻的地址。lane 读的是 `b[列号 * n + k]`，所以应当由 `threadIdx.x` 决定 k。",
    },
    at_most("global_load_sectors", 0.3 * baseline) {
      points = 2,
      en = "Your kernel touches too many sectors of global memory in all. Does each thread load only one element of each tile?",
      zh = "核函数触及的全局内存扇区总数太多。每个线程是否只给每个 tile 读一个元素？",
    },
    at_most("global_store_sectors", 2.5 * baseline) {
      points = 2,
      en = [[
        Stores that lie a whole row apart only move the corner to another place. Turn `b` on its way
        into the tile: there, neighbouring elements of a column are close together.
      ]],
      zh = [[
        相隔一整行的写入只是把问题挪到了别处。应当在 `b` 进入 tile 的途中转置：在 tile 里，同一列的
        相邻元素离得很近。
      ]],
    },
    at_most("shared_store_passes", 1.35 * baseline) {
      points = 1,
      en = "The stores to the tiles take too many passes over the banks. In a 32-wide tile of shared memory, all elements of a column lie in one bank. What changes if each row has one element more?",
      zh = "写 tile 时，对存储体走的遍数太多。共享内存里的 tile 宽 32 时，一整列元素都在同一个存储体（bank）里。如果每行多一个元素，会怎样？",
    },
    at_most("shared_load_passes", 1.35 * baseline) {
      points = 1,
      en = [[
        The reads from the tiles take too many passes over the banks: in the loop over k, the lanes
        of a warp read words of one bank. Neighbouring lanes need neighbouring columns of `b`: let
        them read neighbouring words of `bt`.
      ]],
      zh = [[
        读 tile 时，对存储体走的遍数太多：在 k 的循环里，一个 warp 的各个 lane 读的是同一个存储体里的
        字。相邻的 lane 要的是 `b` 的相邻列，应当让它们读 `bt` 里相邻的字。
      ]],
    },
  },
  steps = {
    say {
      en = [[
This lab's kernel computes `C = A * B` with tiles, but B is stored *column by column*: element (k, col) of B is `b[col * n + k]`. Libraries with
Fortran roots use such matrices. You will find out how the loads of B can still coalesce, and which problem then appears in shared memory.

In the kernel of `matmul-tiled`, thread (tx, ty) loads element (k0 + ty, col) of B, where col = blockIdx.x * TILE + tx. With B stored by columns,
neighbouring lanes then read addresses that are n elements apart, so the load does not coalesce.

But the elements go through shared memory, so one thread may load an element and another thread may use it. We are therefore free to choose which
lane loads which element.]],
      zh = [[
本实验的核函数也用 tile 计算 `C = A * B`，但 B 是*按列存储*的：B 的元素 (k, col) 在 `b[col * n + k]`。源自 Fortran 的库常用这种矩阵。你会学到：
怎样让 B 的读取仍然合并，这样做又会在共享内存里引起什么问题。

在 `matmul-tiled` 的核函数里，线程 (tx, ty) 读取 B 的元素 (k0 + ty, col)，其中 col = blockIdx.x * TILE + tx。B 按列存储时，
相邻 lane 读的地址就相隔 n 个元素，读取不能合并。

但是元素要经过共享内存，所以读取一个元素的线程和使用这个元素的线程不必是同一个。这样，由哪个 lane 读哪个元素，就可以自由安排。]],
    },
    predict {
      en = "The baseline loads `a` and `b` equally often. Its load of `a` is coalesced. In its load of `b`, each lane touches a different sector. How many sectors per request do the baseline's global loads touch on average?",
      zh = "基线读 `a` 和读 `b` 的次数相同。读 `a` 时是合并的；读 `b` 时，每个 lane 各触及一个不同的扇区。基线的全局读取平均每个请求触及多少个扇区？",
      counter = "gld_sectors_per_request",
      of = "baseline",
      tolerance = 0.05,
      because = { en = "The load of `a` touches 4 sectors, and the load of `b` touches 32. The average is (4 + 32) / 2 = 18.", zh = "读 `a` 触及 4 个扇区，读 `b` 触及 32 个。平均是 (4 + 32) / 2 = 18。" },
    },
    ask {
      en = "B is stored by columns, n = {n}. At which index of the array is element (k, col) = ({k}, {c})?",
      zh = "B 按列存储，n = {n}。元素 (k, col) = ({k}, {c}) 在数组的第几个下标处？",
      draw = { n = { 100, 2000 }, k = { 1, 50 }, c = { 1, 50 } },
      answer = function(d) return d.c * d.n + d.k end,
      because = {
        en = "{c} * {n} + {k}. Elements (k, col) and (k + 1, col) are neighbours in memory, so neighbouring lanes should load elements with neighbouring k.",
        zh = "{c} * {n} + {k}。(k, col) 和 (k + 1, col) 在内存里相邻，所以相邻的 lane 应当读 k 相邻的元素。",
      },
    },
    say {
      en = [[
The solution has two parts. First, thread (tx, ty) loads the element of `b` in row k0 + tx and column
`blockIdx.x` * TILE + ty: now tx selects k. Second, the thread stores this element
at `bt[tx][ty]`, so that the multiplication can still read `bt[k][tx]`. This is called *corner turning*.

Some books say that, because shared memory is not DRAM, the order of accesses to it makes no difference. The order does make a difference.

Shared memory is divided into 32 *banks*; word i (4 bytes) lies in bank i % 32. In one *pass*, each bank serves one word, and all lanes that want this
word get it together. If the lanes of a warp want several different words of one bank, the request takes one pass for each of these words. This is a
*bank conflict*.]],
      zh = [[
办法分两步。第一步，线程 (tx, ty) 读取 `b` 的第 k0 + tx 行的元素，这样 k 由 tx 决定。第二步，线程把这个元素写到 `bt[tx][ty]`，
使乘法仍然可以读 `bt[k][tx]`。这叫*转角读取*。

有的教科书说，共享内存不是 DRAM，所以访问共享内存的顺序没有影响。其实有影响。

共享内存分成 32 个*存储体*（bank），第 i 个字（4 字节）在存储体 i % 32 里。每走一*遍*，每个存储体给出一个字，要这个字的 lane 一起得到它。
如果一个线程束（warp）的各个 lane 要同一个存储体里几个不同的字，有几个字，就要走几遍：这叫*存储体冲突*。]],
    },
    show {
      picture = "bankmap",
      en = "The store to `bt[tx][ty]` in corner turning, when each row of the tile has 32 words: lane tx writes word tx * 32 + ty. All 32 lanes use one bank.",
      zh = "转角读取时的写入 `bt[tx][ty]`，tile 每行 32 个字：lane tx 写第 tx * 32 + ty 个字。32 个 lane 用的是同一个存储体。",
      model = function(lane) return lane * 32 * 4 end,
    },
    show {
      picture = "bankmap",
      en = "The same store to `bt[tx][ty]`, when each row of the tile has 33 words: each lane uses a different bank.",
      zh = "同样是写入 `bt[tx][ty]`，但 tile 每行 33 个字：每个 lane 各用一个不同的存储体。",
      model = function(lane) return lane * 33 * 4 end,
    },
    ask {
      en = "With rows of {w} words, a warp stores a column of a tile: lane i writes word i * {w} of shared memory. How many passes does the store take?",
      zh = "tile 每行 {w} 个字时，一个 warp 写 tile 的一列：lane i 写共享内存的第 i * {w} 个字。这次写入要走几遍？",
      draw = { w = { from = { 32, 33, 34, 36, 40, 48 } } },
      answer = function(d)
        local w, a = d.w, 32
        while w ~= 0 do a, w = w, a % w end
        return a
      end,
      because = {
        en = "The number of passes is the greatest common divisor of {w} and 32: each bank that is used holds this many of the 32 words. Every odd row length needs one pass.",
        zh = "遍数是 {w} 与 32 的最大公约数：每个用到的存储体里，都有这么多个字。行长为奇数时，只需一遍。",
      },
    },
    predict {
      en = "A kernel turns the corner, but each row of its tiles has only 32 words. In each phase, each warp makes two stores to shared memory: one into `at` along a row and one into `bt` down a column. How many passes *beyond the first* does a shared store take, on average over both?",
      zh = "有一个核函数做了转角读取，但 tile 每行只有 32 个字。每个阶段里，每个 warp 写两次共享内存：一次沿行写 `at`，一次沿列写 `bt`。平均一次写入要*多*走几遍？（不算第一遍。）",
      counter = "shared_st_conflicts_per_request",
      of = "kernels/corner-turning-unpadded.cu",
      tolerance = 0.04,
      because = {
        en = "The store into `at` takes no extra pass, and the store into `bt` takes 31. The average is (0 + 31) / 2 = 15.5. The order of accesses to shared memory matters very much.",
        zh = "写 `at` 不用多走，写 `bt` 要多走 31 遍。平均是 (0 + 31) / 2 = 15.5。可见共享内存的访问顺序影响很大。",
      },
    },
    exercise {
      en = "Turn the corner: in the load of `b`, let tx select k, and store into `bt` so that the multiplication still reads `bt[k][tx]`. Avoid bank conflicts.",
      zh = "请实现转角读取：读取 `b` 时由 tx 决定 k；写入 `bt` 时，让乘法仍然可以读 `bt[k][tx]`。还要避免存储体冲突。",
    },
    show {
      picture = "sectors",
      en = "Your accesses to global memory, line by line.",
      zh = "逐行看你对全局内存的访问。",
    },
    compare {
      en = "Your kernel beside the baseline. The loads should now be coalesced, and the store into `bt` should take no extra passes.",
      zh = "你的核函数与基线的对比。现在读取应当是合并的，写 `bt` 也应当只走一遍。",
      counters = { "gld_sectors_per_request", "gld_sectors", "shared_st_conflicts_per_request", "shared_ld_conflicts_per_request" },
    },
  },
  hints = {
    { goal = "gld_efficiency_pct", en = "One line loads an element of `b` and stores it in `bt`. Exchange tx and ty in this line, and only there.", zh = "有一行代码读取 `b` 的一个元素，再写到 `bt`。只在这一行里把 tx 和 ty 互换，其他地方不换。" },
    {
      goal = "gld_efficiency_pct", en = "Let thread (tx, ty) load the element in row k0 + tx and column blockIdx.x * TILE + ty, and store this element at `bt[tx][ty]`. The boundary check of this load must use the column blockIdx.x * TILE + ty, not the column of the thread's output element.",
      zh = "让线程 (tx, ty) 读取第 k0 + tx 行、第 blockIdx.x * TILE + ty 列的元素，写到 `bt[tx][ty]`。这次读取的边界检查要用列号 blockIdx.x * TILE + ty，而不是线程的输出元素的列号。",
    },
    {
      en = "`__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
      zh = "写成 `__shared__ float bt[TILE][TILE + 1]; int load_col = blockIdx.x * TILE + ty; bt[tx][ty] = k0 + tx < n && load_col < n ? b[load_col * n + k0 + tx] : 0;`",
    },
  },
  after = {
    en = [[
Only accesses to global memory need to coalesce. A kernel may access shared memory in any direction, as long as there are no bank conflicts. So if
neighbouring lanes must access addresses that are far apart, let them do this in shared memory, where it costs nothing extra.

On an H200 at n = 512, the kernel takes 52 us without corner turning and 37 us with it (measured with a cold cache: at the start, the data were not in
a cache). If B is stored row by row, the product takes 37 us, too.]],
    zh = [[
只有访问全局内存时才要合并。共享内存可以按任意方向读写，只要没有存储体冲突。所以，如果相邻的 lane 必须访问相隔很远的地址，
就在共享内存里访问，那里没有额外代价。

在 H200 上，n = 512 时，没有转角读取时核函数用 52 微秒，有转角读取时用 37 微秒（冷缓存实测，即开始时数据都不在缓存里）。
B 按行存储时，乘法也用 37 微秒。]],
  },
  more = {
    en = "Replace the padding by a *swizzle*, which permutes the columns of each row with XOR: store to `bt[tx][ty ^ tx]` and read `bt[k][tx ^ k]`. The swizzle needs no extra memory. Do the counters stay the same?",
    zh = "不用填充，改用 *swizzle*（用异或重新排列每一行里的列）：写入 `bt[tx][ty ^ tx]`，读取 `bt[k][tx ^ k]`。swizzle 不占额外内存。计数器的结果和原来一样吗？",
  },
}
