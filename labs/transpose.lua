-- Chapter 3: transposition.
local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

return lab {
  id = "transpose",
  title = { en = "Transposing at copy speed", zh = "以拷贝的速度转置" },
  chapter = 3,
  minutes = 30,
  needs = { "coalescing", "matmul-tiled" },
  source = "book 5.1, 6.1; guide 5.3.2; slides II, V.2",
  teaches = {
    ["strided-store"] = "show predict",
    ["swap-blocks"] = "ask",
    banks = "say ask",
    ["bank-conflict-32"] = "ask show",
    ["padding-swizzle"] = "ask show more",
  },

  entry = "void transpose(const float *in, float *out, int rows, int cols)",
  args = {
    ["in"] = uniform(-1, 1, "rows * cols"),
    out = output("rows * cols"),
  },
  cases = {
    { rows = 32, cols = 32 },
    { rows = 1, cols = 1 },
    { rows = 33, cols = 70 },
    { rows = 100, cols = 7 },
    { rows = 1024, cols = 1024, timed = true },
  },
  hidden = { count = 3, rows = { 2, 200 }, cols = { 2, 200 } },
  goals = {
    correct { points = 4 },
    at_most("global_store_sectors", 0.17 * baseline) {
      points = 2,
      en = "The stores are still strided. threadIdx.x should run along a row of the output.",
      zh = "写入还是跨步的：threadIdx.x 应当沿输出矩阵的行方向变化。",
    },
    at_most("global_load_sectors", 1.3 * baseline) {
      points = 2,
      en = "Now the loads are strided. With a detour through shared memory, loads and stores can both coalesce.",
      zh = "现在变成读取是跨步的。绕道共享内存，读取和写入都可以合并。",
    },
    at_most("shared_load_conflicts", 3000) {
      points = 2,
      en = "All words of a column of the tile lie in a single bank. The bank picture of the lesson shows it.",
      zh = "tile 的一列里，所有的字都在同一个存储体。课文里的存储体图画出了这种情况。",
    },
  },
  forbid = { "cublas", "thrust", "cub" },

  steps = {
    say {
      en = [[
        Transposing moves every element once and computes nothing, so it should take as long as a copy. But if neighbouring lanes read neighbours in a
        row, they must write to addresses a whole output row apart. Either the loads or the stores are strided.
      ]],
      zh = [[
        转置把每个元素搬一次，不做任何计算，所以应当和拷贝一样快。但是，如果相邻的 lane 读同一行里相邻的元素，写入的位置在输出里就相隔一整行。
        读取和写入总有一边是跨步的。
      ]],
    },
    show {
      en = "The stores of one warp of the baseline, for a matrix of 1024 rows: 32 lanes touch 32 sectors.",
      zh = "基线中一个线程束（warp）的写入（矩阵有 1024 行）：32 个 lane 触及 32 个扇区。",
      picture = "lanes",
      model = function(lane) return lane * 1024 * 4 end,
    },
    predict {
      en = "How many sectors does a store request of the baseline touch, on average?",
      zh = "基线的一次写请求平均触及多少个扇区？",
      counter = "gst_sectors_per_request",
      of = "baseline",
      tolerance = 0.02,
      because = { en = "One for each lane: 32 sectors of 32 bytes, for 128 bytes of data.", zh = "每个 lane 一个：128 字节的数据要用 32 个 32 字节的扇区。" },
    },
    ask {
      en = "A copy of a {w} x {w} matrix of floats reads and writes each element once. How many sectors does it write? (A sector holds 8 floats, and the copy fills every sector.)",
      zh = "拷贝一个 {w} x {w} 的 float 矩阵，每个元素读一次、写一次。一共写多少个扇区？（每个扇区 8 个 float，全部写满。）",
      draw = { w = { from = { 256, 512, 1024, 2048 } } },
      answer = function(d) return d.w * d.w / 8 end,
      because = { en = "{w} * {w} / 8. The naive transposition writes eight times as many, and each for a single float.", zh = "{w} * {w} / 8。朴素的转置写的扇区是这个数的八倍，每个扇区只写一个 float。" },
    },
    say {
      en = [[
        Shared memory has no sectors. Let a block read a 32 x 32 tile along its rows and keep it in shared memory. Then let it write along the rows of
        the *output*: for this it reads the tile down its columns. The tile goes to the mirrored place of the output: the tile of block (x, y) goes
        where block (y, x) would be.

        Shared memory is divided into 32 *banks*, each one word (4 bytes) wide: word i lies in bank i % 32. In one *pass* each bank serves one word.
        Different words of the same bank take one pass each: a *bank conflict*.
      ]],
      zh = [[
        共享内存没有扇区的问题。让一个块沿行方向读入一个 32 x 32 的 tile，放在共享内存里，再沿*输出*的行方向写出：这时从共享内存读的是 tile 的列。tile
        在输出中的位置也要对调：块 (x, y) 的 tile 写到块 (y, x) 的位置。

        共享内存分成 32 个*存储体*（bank），每个宽一个字（4 字节）：第 i 个字在存储体 i % 32 里。每*遍*，每个存储体只能给出一个字。
        各 lane 要同一个存储体里几个不同的字，就要走几遍：这叫*存储体冲突*。
      ]],
    },
    ask {
      en = "A naive transposition swaps x and y for each thread. With the tile, you swap the *block's* indices instead: for the stores, x = blockIdx.y * 32 + threadIdx.x and y = blockIdx.x * 32 + threadIdx.y. What is gained by swapping the block's indices?",
      zh = "朴素的转置对每个线程交换 x 和 y。用了 tile 之后，改为交换*块*的下标：写入时 x = blockIdx.y * 32 + threadIdx.x，y = blockIdx.x * 32 + threadIdx.y。这有什么好处？",
      choices = {
        { en = "Fewer bank conflicts", zh = "减少存储体冲突", because = { en = "Bank conflicts depend on how you read the tile, not on where you write it.", zh = "存储体冲突取决于怎样读 tile，与写到哪里无关。" } },
        { en = "threadIdx.x runs along a row of the output, too, so that the stores coalesce", zh = "threadIdx.x 在输出中也沿行方向变化，写入就能合并", right = true },
        { en = "Without it two blocks would write the same tile", zh = "否则会有两个块写同一个 tile" },
        { en = "It saves the barrier", zh = "省掉一次屏障", because = { en = "A thread takes an element that another thread loaded, so the barrier stays.", zh = "线程取走的是别的线程读入的元素，所以屏障必不可少。" } },
      },
      because = {
        en = "The block's indices say where the tile goes. The thread's indices say which lane takes which element, and neighbouring lanes must write neighbouring addresses. The transposition itself happens within the tile: tile[threadIdx.x][threadIdx.y].",
        zh = "块的下标决定 tile 写到哪里，线程的下标决定哪个 lane 取哪个元素，而相邻的 lane 必须写相邻的地址。真正的转置发生在 tile 内部：tile[threadIdx.x][threadIdx.y]。",
      },
    },
    ask {
      alone = true,
      en = "The rows of a tile are {w} words long: `float tile[32][{w}]`. The 32 lanes of a warp read column 5, `tile[lane][5]`. How many different banks do these words lie in?",
      zh = "tile 的每行长 {w} 个字：`float tile[32][{w}]`。一个 warp 的 32 个 lane 读第 5 列，`tile[lane][5]`。这些字落在几个不同的存储体里？",
      draw = { w = { from = { 32, 33, 34, 36, 40, 48 } } },
      answer = function(d) return 32 // gcd(d.w, 32) end,
      replies = { { function(d) return gcd(d.w, 32) end, en = "That is the number of lanes that meet in each bank. How many banks are there?", zh = "这是落在同一个存储体里的 lane 数。问的是有几个存储体。" } },
      because = {
        en = "Each lane reads word {w} * lane + 5. With rows of 32 words, all lanes meet in bank 5: one bank, 32 passes. With 33 words it is bank (lane + 5) % 32: 32 banks, one pass. In general there are 32 / gcd(w, 32) banks. With 40 words, gcd(40, 32) = 8 lanes meet in each of 4 banks: 8 passes.",
        zh = "每个 lane 读第 {w} * lane + 5 个字。每行 32 个字时，所有 lane 都落在 5 号存储体：一个存储体，要走 32 遍。每行 33 个字时是存储体 (lane + 5) % 32：32 个存储体，只要一遍。一般是 32 / gcd(w, 32) 个存储体：每行 40 个字时，gcd(40, 32) = 8，每个存储体里有 8 个 lane，一共 4 个存储体，要走 8 遍。",
      },
    },
    show {
      en = "Reading a column of a tile with rows of 32 words:",
      zh = "tile 每行 32 个字时读一列：",
      picture = "bankmap",
      model = function(lane) return (lane * 32 + 5) * 4 end,
    },
    show {
      en = "The same read with one word of padding per row:",
      zh = "每行加一个字的填充之后：",
      picture = "bankmap",
      model = function(lane) return (lane * 33 + 5) * 4 end,
    },
    show {
      en = "A *swizzle* needs no padding. Element (y, x) is stored at `tile[y][x ^ y]`: in each row, the place of a column is the column number XOR the row number. Column 5 then lies in the banks 5 ^ lane, and each bank occurs once:",
      zh = "*swizzle*（用异或打乱列的位置）不用填充也能做到：元素 (y, x) 存放在 `tile[y][x ^ y]`，即每一行里的列都按列号与行号的异或重新排列。于是第 5 列落在存储体 5 ^ lane 里，各不相同：",
      picture = "bankmap",
      model = function(lane) return (lane * 32 + (5 ~ lane)) * 4 end,
    },
    show {
      en = "How much can you gain? Each row shows the baseline without one of its costs. The first row is the most that coalescing can bring. The baseline has no tile, so it has no bank conflicts.",
      zh = "这些优化能带来多少收益？下面每一行去掉基线的一项开销。第一行是合并访问最多能带来的收益。基线没有用 tile，所以没有存储体冲突。",
      picture = "whatif",
      of = "baseline",
    },
    exercise {
      en = "Transpose with coalesced loads and stores and without bank conflicts, for any number of rows and columns.",
      zh = "请让读写都合并、消除存储体冲突，并支持任意行列数。",
    },
    show { en = "Your accesses to global memory:", zh = "你对全局内存的访问：", picture = "sectors", of = "mine" },
    show { en = "Your accesses to shared memory:", zh = "你对共享内存的访问：", picture = "banks", of = "mine" },
    compare {
      en = "Your kernel beside the naive version.",
      zh = "你的核函数与朴素版本的对比。",
      counters = { "gst_sectors", "gst_sectors_per_request", "gld_sectors_per_request", "shared_ld_conflicts", "dram_write" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "global_store_sectors", en = "The thread that loads an element and the thread that stores it need not be the same.", zh = "读入一个元素的线程和写出这个元素的线程不必是同一个。" },
    { goal = "global_store_sectors", en = "After the barrier swap the *block's* coordinates, not the thread's: x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y. Then out[y * rows + x] = tile[threadIdx.x][threadIdx.y].",
      zh = "屏障之后交换的是*块*的坐标，不是线程的：x = blockIdx.y * 32 + threadIdx.x，y = blockIdx.x * 32 + threadIdx.y。然后 out[y * rows + x] = tile[threadIdx.x][threadIdx.y]。" },
    { goal = "shared_load_conflicts", en = "`__shared__ float tile[32][33];` Store `tile[threadIdx.y + j][threadIdx.x]`, read `tile[threadIdx.x][threadIdx.y + j]`; check x < cols and y + j < rows for the load, x < rows and y + j < cols for the store.",
      zh = "`__shared__ float tile[32][33];`。写 `tile[threadIdx.y + j][threadIdx.x]`，读 `tile[threadIdx.x][threadIdx.y + j]`；读入时检查 x < cols 且 y + j < rows，写出时检查 x < rows 且 y + j < cols。" },
  },

  after = {
    en = [[
      An H200 transposes 4096 x 4096 floats in 283 us with the naive version, in 88 us through a tile with bank conflicts, and in 39 us with padding
      (measured, cold).

      A copy of as many bytes takes about 32 us: a quarter of the 128 us that were measured for a matrix 8192 wide. The conflicts alone more
      than double the time: a 32-way conflict is the slowest access to shared memory.

      The model answer uses the plain 32 x 32 tile. Tiles of 64 x 64, moved by 64 x 4 threads with the same padding, write 256 consecutive bytes of
      each output row. On an H200 they reach 93% of the speed of a copy for a matrix 8192 wide (138 us against 128 us).
    ]],
    zh = [[
      在 H200 上转置 4096 x 4096 个 float（冷缓存实测）：朴素版本用 283 微秒，用 tile 但有存储体冲突时用 88 微秒，加填充后用 39 微秒。

      拷贝同样多的字节约需 32 微秒，即矩阵宽 8192 时实测的 128 微秒的四分之一。仅存储体冲突一项，就让用时增加一倍以上：32 路冲突是共享内存最慢的情形。

      参考答案用普通的 32 x 32 tile。改用 64 x 64 的 tile、64 x 4 个线程，同样加填充，输出的每一行就能写 256 个连续字节：在 H200 上，
      矩阵宽 8192 时能达到拷贝速度的 93%（138 微秒对 128 微秒）。
    ]],
  },
  more = {
    en = "Use the swizzle `tile[y][x ^ y]` instead of padding, or tiles of 64 x 64 with 64 x 4 threads. Which of the two comes closer to the speed of a copy on your device?",
    zh = "不用填充，改用 swizzle `tile[y][x ^ y]`；或者用 64 x 64 的 tile 加 64 x 4 个线程。在你的设备上，哪一种更接近拷贝的速度？",
  },
}
