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
      en = [[
        In your stores, the addresses of neighbouring lanes are still far apart. Neighbouring lanes
        should store to neighbouring places in a row of the output.
      ]],
      zh = "写入时，相邻 lane 的地址仍然相隔很远。相邻的 lane 应当写输出同一行里相邻的位置。",
    },
    at_most("global_load_sectors", 1.3 * baseline) {
      points = 2,
      en = [[
        In your loads, the addresses of neighbouring lanes are now far apart. If the elements go
        through shared memory, loads and stores can both coalesce.
      ]],
      zh = "现在变成读取时相邻 lane 的地址相隔很远。让元素经过共享内存，读取和写入就都能合并。",
    },
    at_most("shared_load_conflicts", 3000) {
      points = 0.5,
      en = [[
        All words of a column of your tile lie in a single bank. The lesson shows this in a picture
        of the banks.
      ]],
      zh = "你的 tile 的一列里，所有的字都在同一个存储体。讲义里有一张存储体的图，画的就是这种情况。",
    },
    at_most("shared_store_conflicts", 3000) {
      points = 0.5,
      en = [[
        When your kernel writes the tile, the lanes of a warp write down a column, and all words of
        the column lie in a single bank. Conflicts cost as much in stores as in loads.
      ]],
      zh = [[
        写 tile 时，一个 warp 的 lane 沿一列写，而这一列里所有的字都在同一个存储体。
        写入时的冲突和读取时的冲突，代价一样。
      ]],
    },
    -- 1024 * 1024 elements, and a warp reads or writes 32 with each request.
    at_most("shared_loads", 50000) {
      points = 0.5,
      en = [[
        The lanes of a warp read the tile one after another, so no two of them want one bank at the
        same time. Let all lanes read at once.
      ]],
      zh = [[
        一个 warp 的 lane 一个接一个地读 tile，所以没有两个 lane 同时要一个存储体。
        应当让所有 lane 同时读。
      ]],
    },
    at_most("shared_stores", 50000) {
      points = 0.5,
      en = [[
        The lanes of a warp write the tile one after another, so no two of them want one bank at the
        same time. Let all lanes write at once.
      ]],
      zh = [[
        一个 warp 的 lane 一个接一个地写 tile，所以没有两个 lane 同时要一个存储体。
        应当让所有 lane 同时写。
      ]],
    },
  },
  forbid = { "cublas", "thrust", "cub" },

  steps = {
    say {
      en = [[
        This lab's kernel transposes a matrix: row i of the input becomes column i of the output.
        Programs need this when one part of the work goes along rows and the next part along
        columns. The kernel moves every element once and computes nothing, so it should take as long
        as a copy. You will find out why a simple transposition is much slower than a copy. Then you
        write a faster one.

        If neighbouring lanes read neighbouring elements of an input row, they write to neighbouring
        *rows* of the output. The addresses in the output are then a whole row apart: the store is
        *strided*. If neighbouring lanes write neighbouring elements instead, the load is strided.
      ]],
      zh = [[
        本实验的核函数转置一个矩阵：输入的第 i 行成为输出的第 i 列。程序先按行处理、再按列处理时，就
        需要转置。核函数把每个元素搬一次，不做任何计算，所以应当和拷贝一样快。你会学到：简单的转置为
        什么比拷贝慢得多。然后你要写一个更快的转置。

        如果相邻的 lane 读输入同一行里相邻的元素，它们写的就是输出里相邻的*行*，写入的地址相隔一整
        行：写入是*跨步*的。反过来，如果相邻的 lane 写相邻的元素，读取就是跨步的。
      ]],
    },
    show {
      en = [[
        This picture shows one store of a warp of the baseline, for a matrix of 1024 rows. The 32
        lanes touch 32 sectors.
      ]],
      zh = "下图是基线中一个线程束（warp）的一次写入，矩阵有 1024 行。32 个 lane 触及 32 个扇区。",
      picture = "lanes",
      model = function(lane) return lane * 1024 * 4 end,
    },
    predict {
      en = [[
        Each store instruction that a warp executes is one *store request*. How many sectors does a
        store request of the baseline touch, on average?
      ]],
      zh = "一个 warp 执行一次写入指令，就发出一个*写请求*。基线的一次写请求平均触及多少个扇区？",
      counter = "gst_sectors_per_request",
      of = "baseline",
      tolerance = 0.02,
      because = {
        en = [[
          Each lane touches a sector of its own. So the request touches 32 sectors of 32 bytes, to
          store only 128 bytes.
        ]],
        zh = [[
          每个 lane 各触及一个扇区。所以一个请求触及 32 个 32 字节的扇区，而写入的数据只有 128 字
          节。
        ]],
      },
    },
    ask {
      en = [[
        A copy of a {w} x {w} matrix of floats writes each element once. A sector holds 8 floats,
        and the copy fills every sector that it touches. How many sectors does the copy write?
      ]],
      zh = [[
        拷贝一个 {w} x {w} 的 float 矩阵，每个元素写一次。一个扇区有 8 个 float，
        拷贝触及的每个扇区都写满。拷贝一共写多少个扇区？
      ]],
      draw = { w = { from = { 256, 512, 1024, 2048 } } },
      answer = function(d) return d.w * d.w / 8 end,
      because = {
        en = [[
          The copy writes {w} * {w} / 8 sectors. The naive transposition writes eight times as many:
          a whole sector for each float.
        ]],
        zh = [[
          拷贝写 {w} * {w} / 8 个扇区。朴素的转置写的扇区是这个数的八倍：每写一个 float 就要写一个扇
          区。
        ]],
      },
    },
    say {
      en = [[
        Shared memory has no sectors. So let a block load a 32 x 32 tile along the rows of the input
        and keep it in shared memory. Then the block stores the tile along the rows of the *output*.
        To do this, the block reads the tile in shared memory column by column. The tile also
        changes its place: tile (x, y) of the input becomes tile (y, x) of the output.

        Shared memory is divided into 32 *banks*. Word i (4 bytes) lies in bank i % 32. In one
        *pass*, each bank serves one word. If the lanes of a warp want several words of the same
        bank, each of these words takes a pass of its own. This is a *bank conflict*.
      ]],
      zh = [[
        共享内存没有扇区。所以可以让一个块沿输入的行读入一个 32 x 32 的 tile，放在共享内存里，
        再沿*输出*的行写出。写出时，块按列读共享内存里的 tile。tile 的位置也要变：
        输入的 tile (x, y) 成为输出的 tile (y, x)。

        共享内存分成 32 个*存储体*（bank），第 i 个字（4 字节）在存储体 i % 32 里。每走一*遍*，
        每个存储体给出一个字。如果一个 warp 的各个 lane 要同一个存储体里几个不同的字，有几个字，
        就要走几遍：这叫*存储体冲突*。
      ]],
    },
    ask {
      en = [[
        A naive transposition swaps x and y of each thread. A transposition with tiles swaps the
        indices of the *block* instead. For the stores, it uses `x = blockIdx.y * 32 + threadIdx.x`
        and `y = blockIdx.x * 32 + threadIdx.y`. What is gained by swapping the block's indices and
        not the thread's?
      ]],
      zh = [[
        朴素的转置交换每个线程的 x 和 y。使用 tile 的那种转置则不同，它交换*块*的下标：写入
        时 `x = blockIdx.y * 32 + threadIdx.x`，`y = blockIdx.x * 32 + threadIdx.y`。不交换线程的下
        标，只交换块的下标，这有什么好处？
      ]],
      choices = {
        {
          en = "There are fewer bank conflicts",
          zh = "减少存储体冲突",
          because = {
            en = [[
              Bank conflicts depend on how the lanes read the tile, and not on where they store its
              elements.
            ]],
            zh = "存储体冲突取决于各 lane 怎样读 tile，与写到哪里无关。",
          },
        },
        {
          en = "`threadIdx.x` runs along a row of the output, too, so the stores coalesce",
          zh = "`threadIdx.x` 在输出中也沿行方向变化，写入就能合并",
          right = true,
        },
        {
          en = "Otherwise two blocks would store the same tile",
          zh = "否则会有两个块写同一个 tile",
        },
        {
          en = "The kernel needs no barrier",
          zh = "核函数就不需要屏障了",
          because = {
            en = [[
              A thread takes an element that another thread loaded. So the threads still must wait
              for each other at a barrier.
            ]],
            zh = "线程取走的是别的线程读入的元素，所以线程仍然必须在屏障处互相等待。",
          },
        },
      },
      because = {
        en = [[
          The indices of the block say where the tile goes. The indices of the thread say which lane
          takes which element, and neighbouring lanes must store to neighbouring addresses. The
          transposition itself happens within the tile: the thread reads
          `tile[threadIdx.x][threadIdx.y]`.
        ]],
        zh = [[
          块的下标决定 tile 写到哪里。线程的下标决定哪个 lane 取哪个元素，而相邻的 lane 必须写相邻的
          地址。真正的转置发生在 tile 内部：线程读的是 `tile[threadIdx.x][threadIdx.y]`。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        The rows of a tile are {w} words long: `float tile[32][{w}]`. The 32 lanes of a warp read
        column 5, `tile[lane][5]`. How many different banks do these 32 words lie in?
      ]],
      zh = [[
        tile 的每行长 {w} 个字：`float tile[32][{w}]`。一个 warp 的 32 个 lane 读第 5 列，
        `tile[lane][5]`。这 32 个字落在几个不同的存储体里？
      ]],
      draw = { w = { from = { 32, 33, 34, 36, 40, 48 } } },
      answer = function(d) return 32 // gcd(d.w, 32) end,
      replies = {
        {
          function(d) return gcd(d.w, 32) end,
          en = [[
            This is the number of lanes that want a word of the same bank. The question is how many
            different banks hold the 32 words.
          ]],
          zh = "这是落在同一个存储体里的 lane 数。问题问的是一共有几个不同的存储体。",
        },
      },
      because = {
        en = [[
          Each lane reads word {w} * lane + 5. With rows of 32 words, all of these words lie in bank
          5, so the read takes 32 passes. With rows of 33 words, the bank is (lane + 5) % 32: the
          words lie in 32 different banks, and the read takes one pass.

          In general, with rows of w words, a column lies in 32 / gcd(w, 32) banks. (gcd is the
          greatest common divisor.) With rows of 40 words, gcd(40, 32) is 8: the 32 words lie in 4
          banks, 8 words in each, so the read takes 8 passes.
        ]],
        zh = [[
          每个 lane 读第 {w} * lane + 5 个字。每行 32 个字时，这些字都在 5 号存储体，
          读取要走 32 遍。每行 33 个字时，存储体是 (lane + 5) % 32：这些字落在 32 个不同的存储体里，
          只要一遍。

          一般地，每行 w 个字时，一列落在 32 / gcd(w, 32) 个存储体里，gcd 是最大公约数。每行 40 个字
          时，gcd(40, 32) 是 8：32 个字落在 4 个存储体里，每个存储体 8 个字，所以读取要走 8 遍。
        ]],
      },
    },
    show {
      en = "The lanes read a column of a tile whose rows have 32 words:",
      zh = "tile 每行 32 个字，各 lane 读一列：",
      picture = "bankmap",
      model = function(lane) return (lane * 32 + 5) * 4 end,
    },
    show {
      en = [[
        The lanes read the same column, but each row of the tile has one extra word at its end. This
        is called *padding*.
      ]],
      zh = "读同一列，但 tile 每行的末尾多一个不用的字。这叫*填充*：",
      picture = "bankmap",
      model = function(lane) return (lane * 33 + 5) * 4 end,
    },
    show {
      en = [[
        A *swizzle* avoids the conflicts, too, and it needs no padding. The kernel keeps the element
        of row y and column x in `tile[y][x ^ y]`, where ^ is XOR. So each row has its own order of
        columns. When a warp reads column 5, lane i reads the element of row i, which lies in bank
        5 ^ i. Each bank occurs once:
      ]],
      zh = [[
        *swizzle* 不用填充，也能避免冲突。核函数把第 y 行、第 x 列的元素放在 `tile[y][x ^ y]`，^ 是
        按位异或。这样，每一行的列有自己的排列顺序。一个 warp 读第 5 列时，lane l 读第 l 行的元素，
        这个元素在存储体 5 ^ l 里。每个存储体正好出现一次：
      ]],
      picture = "bankmap",
      model = function(lane) return (lane * 32 + (5 ~ lane)) * 4 end,
    },
    show {
      en = [[
        How much time can you save? Each row of this table says how long the baseline would take
        without one of its costs. From the first row you can see how much coalescing can save at most. The
        baseline uses no shared memory, so it has no bank conflicts.
      ]],
      zh = [[
        最多能省多少时间？下表的每一行是基线去掉一项开销之后的用时。从第一行可以看出，合并访问最多能省
        多少时间。基线没有用共享内存，所以没有存储体冲突。
      ]],
      picture = "whatif",
      of = "baseline",
    },
    exercise {
      en = [[
        Write a transposition without bank conflicts, whose loads and stores coalesce. It must be
        right for any number of rows and columns.
      ]],
      zh = "写一个转置：读取和写入都合并，没有存储体冲突，对任意的行数和列数都正确。",
    },
    show {
      en = "Your accesses to global memory, line by line:",
      zh = "逐行看你对全局内存的访问：",
      picture = "sectors",
      of = "mine",
    },
    show {
      en = "Your accesses to shared memory, line by line:",
      zh = "逐行看你对共享内存的访问：",
      picture = "banks",
      of = "mine",
    },
    compare {
      en = "Your kernel beside the baseline:",
      zh = "你的核函数与基线的对比：",
      counters = { "gst_sectors", "gst_sectors_per_request", "gld_sectors_per_request", "shared_ld_conflicts", "shared_st_conflicts", "dram_write" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "global_store_sectors",
      en = "One thread may load an element, and another thread may store it.",
      zh = "读入一个元素的线程和写出这个元素的线程不必是同一个。",
    },
    {
      goal = "global_store_sectors",
      en = [[
        After the barrier, swap the indices of the *block* and keep those of the thread:
        `x = blockIdx.y * 32 + threadIdx.x`, `y = blockIdx.x * 32 + threadIdx.y`. Then, in a loop over j
        like the one that loads the tile, store `out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j]`.
      ]],
      zh = [[
        屏障之后，交换*块*的下标，不交换线程的下标：`x = blockIdx.y * 32 + threadIdx.x`，
        `y = blockIdx.x * 32 + threadIdx.y`。然后像装入 tile
        时那样对 j 循环，写 `out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j]`。
      ]],
    },
    {
      goal = "shared_load_conflicts",
      en = [[
        `__shared__ float tile[32][33];` Write to `tile[threadIdx.y + j][threadIdx.x]`, and read
        from `tile[threadIdx.x][threadIdx.y + j]`. Load from global memory only if x < cols and y +
        j < rows. Store there only if x < rows and y + j < cols.
      ]],
      zh = [[
        `__shared__ float tile[32][33];`。写 `tile[threadIdx.y + j][threadIdx.x]`，
        读 `tile[threadIdx.x][threadIdx.y + j]`。从全局内存读入时检查 x < cols 且 y + j < rows，
        写出时检查 x < rows 且 y + j < cols。
      ]],
    },
  },

  after = {
    en = [[
      An H200 transposes 4096 x 4096 floats in 283 us with the naive kernel. With a tile that has
      bank conflicts, it takes 88 us, and with a padded tile 39 us. (All times here were measured
      with cold caches: at the start, the data were not in a cache.)

      A copy of this matrix takes about 32 us. (This is a quarter of the 128 us that were measured
      for a matrix 8192 wide.) The conflicts more than double the time of the kernel with tiles: if
      32 lanes want 32 different words of one bank, an access to shared memory is as slow as it can
      be.

      The model answer uses a simple 32 x 32 tile. With a tile of 64 x 64 and the same padding, a
      block of 64 x 4 threads stores 256 neighbouring bytes in each row of its output. For a matrix
      8192 wide, an H200 then reaches 93% of the speed of a copy: 138 us against 128 us.
    ]],
    zh = [[
      在 H200 上转置 4096 x 4096 个 float，朴素的核函数用 283 微秒；用 tile 但有存储体冲突时用 88 微
      秒，加上填充后用 39 微秒。（这里的用时都是冷缓存实测，即开始时数据都不在缓存里。）

      拷贝这个矩阵约需 32 微秒（宽 8192 的矩阵实测 128 微秒，这里取四分之一）。存储体冲突让使
      用 tile 的核函数用时增加一倍以上：32 个 lane 要同一个存储体里 32 个不同的字，是共享内存最慢的
      情形。

      参考答案用简单的 32 x 32 的 tile。如果用 64 x 64 的 tile、64 x 4 个线程和同样的填充，
      一个块在输出的每一行里就能写 256 个连续字节。矩阵宽 8192 时，H200 能达到拷贝速度的 93%：
      138 微秒对 128 微秒。
    ]],
  },
  more = {
    en = [[
      Use the swizzle `tile[y][x ^ y]` instead of padding. Or use tiles of 64 x 64 with 64 x 4
      threads. Which of the two comes closer to the speed of a copy on your device?
    ]],
    zh = [[
      不用填充，改用 swizzle `tile[y][x ^ y]`；或者用 64 x 64 的 tile 和 64 x 4 个线程。
      在你的设备上，哪一种更接近拷贝的速度？
    ]],
  },
}
