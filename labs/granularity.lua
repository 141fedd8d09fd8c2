-- Chapter 5: how much work a thread and a block should have.
return lab {
  id = "granularity",
  title = { en = "Merging neighbours", zh = "合并相邻的工作" },
  chapter = 5,
  minutes = 40,
  needs = { "occupancy", "reduce-2-banks", "matmul-coarse" },
  source = "book 5.5, 6.3",
  teaches = {
    ["instruction-bandwidth"] = "say ask goals",
    ["redundant-loads"] = "say ask predict",
    ["granularity-limit"] = "ask traps after",
  },

  entry = "void granularity(const int *x, int *y, int n)",
  args = { x = integers(-100000, 100000, "n"), y = output("n") },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 2500 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 2 },
    at_most("global_loads", 0.75 * baseline) {
      points = 1,
      en = "Too much of the data that a block loads is halo. Let each block compute more outputs.",
      zh = "一个块读入的数据里，重叠区占得太多。让每个块算更多输出。",
    },
    at_most("all_loads", 0.3 * baseline) {
      points = 2,
      en = [[
        Your kernel still adds up 129 elements for every output. Two neighbouring windows differ in
        only two elements. Which outputs must one thread compute to make use of this?
      ]],
      zh = [[
        你的核函数仍然为每个输出把 129 个元素逐个相加。相邻的两个窗口只差两个元素。要利用这一点，
        一个线程应当算哪几个输出？
      ]],
    },
    at_most("arithmetic", 0.25 * baseline) {
      points = 2,
      en = [[
        Your kernel reads fewer elements, but it still does 129 additions for every output. The sum
        of the next window is the last sum, plus one element, minus another.
      ]],
      zh = [[
        读的元素少了，但每个输出仍要做 129 次加法。下一个窗口的和，等于上一个窗口的和加上一个元素，
        再减去一个元素。
      ]],
    },
    at_most("shared_load_passes", 0.3 * baseline) {
      points = 1,
      en = [[
        Thread t starts at word t * EACH of the tile (EACH is the number of outputs per thread). In
        how many different banks do the 32 threads of a warp start?
      ]],
      zh = [[
        线程 t 从 tile 的第 t * EACH 个字开始读（EACH 是每个线程的输出数）。
        一个 warp 的 32 个线程从几个不同的存储体开始？
      ]],
    },
    speedup(1.8) {
      points = 2,
      none = 1,
      en = [[
        Does your kernel execute too many instructions, or does it have too few blocks? Compare the
        number of blocks with the number of multiprocessors. Check also whether the stores still
        coalesce.
      ]],
      zh = "你的核函数是指令太多，还是块太少？请比较块数与多处理器的个数，再看写入是否仍是合并的。",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel smooths a signal. Each output is the sum of a *window* of 129 elements:
        the element itself and 64 neighbours on either side. The baseline has one thread per output.
        You will find out how much work the threads and blocks of the baseline do twice. Then you
        let each thread compute several outputs.

        A block makes 128 outputs. First it loads the 128 + 2 * 64 elements that it needs into a
        tile in shared memory. The 64 elements at either end of the tile are the *halo*. The
        neighbouring block needs these elements, too, so both blocks load them. The additions are
        repeated, too: thread t adds 129 elements, and thread t + 1 adds 128 of these again.

        Each cycle, a multiprocessor can execute only a limited number of instructions. This is its
        *instruction bandwidth*. Loads, branches and additions all use it, so repeated work costs
        time.
      ]],
      zh = [[
        本实验的核函数对信号做平滑：每个输出是一个*窗口*里 129 个元素的和，
        即这个位置的元素和左右各 64 个元素。基线用一个线程算一个输出。你会学到：
        线程和块重复做了多少工作。然后你要让每个线程算几个输出。

        一个块算 128 个输出，要先把需要的 128 + 2 * 64 个元素读入共享内存里的 tile。
        tile 两端的各 64 个元素叫*重叠区*（halo），相邻的块也需要这些元素，所以两个块各读一遍。
        加法也有重复：线程 t 把 129 个元素相加，线程 t + 1 又把其中的 128 个加了一遍。

        一个多处理器每周期能执行的指令数有限，这叫*指令带宽*。读取、跳转和加法都要占用指令带宽，
        所以重复的工作会多花时间。
      ]],
    },
    ask {
      en = [[
        A block makes {o} outputs with a radius of 64: it needs 64 elements more on either side.
        What share of the elements that it loads is halo? (in %)
      ]],
      zh = [[
        一个块算 {o} 个输出，半径为 64，即两侧各多需要 64 个元素。读入的元素中，百分之几是重叠区？
      ]],
      draw = { o = { from = { 128, 256, 512, 896, 1024 } } },
      answer = function(d) return 100 * 128 / (d.o + 128) end,
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          The block loads {o} + 128 elements, and 128 of them are halo. The share is 128 / ({o} +
          128).
        ]],
        zh = "块读入 {o} + 128 个元素，其中 128 个是重叠区，比例是 128 / ({o} + 128)。",
      },
    },
    ask {
      en = [[
        A thread makes {e} neighbouring outputs. For the first output it reads and adds 129
        elements. For each further output, it takes the previous output, adds the element that comes
        into the window and subtracts the element that leaves it.

        Now let {e} threads make one output each, from 129 elements. The {e} threads together
        read more elements from the tile than the one thread. How many times as many?
      ]],
      zh = [[
        一个线程算 {e} 个相邻的输出。第一个输出要读 129 个元素并相加；其余每个输出由前一个输出得出：
        加上新进入窗口的元素，减去离开窗口的元素。

        如果换成 {e} 个线程各算一个输出，每个都读 129 个元素，从 tile 里读的元素总数是一个线程时的几
        倍？
      ]],
      draw = { e = { from = { 3, 5, 7, 9, 15 } } },
      answer = function(d) return 129 * d.e / (129 + 2 * (d.e - 1)) end,
      tolerance = 0.02,
      because = {
        en = "The {e} threads read 129 * {e} elements. The one thread reads 129 + 2 * ({e} - 1).",
        zh = "{e} 个线程读 129 * {e} 个元素，一个线程只读 129 + 2 * ({e} - 1) 个。",
      },
    },
    ask {
      en = [[
        Each thread makes {e} neighbouring outputs, so thread t begins to read at word t * {e} of
        the tile. How many passes over the 32 banks of shared memory does the first load of a warp
        take?
      ]],
      zh = [[
        每个线程算 {e} 个相邻的输出，所以线程 t 从 tile 的第 t * {e} 个字开始读。
        一个线程束（warp）的第一次读取，要在共享内存的 32 个存储体上走几遍？
      ]],
      draw = { e = { from = { 4, 6, 7, 8, 9, 12, 16, 33 } } },
      answer = function(d)
        local passes = 1
        while passes < 32 and d.e % (2 * passes) == 0 do passes = 2 * passes end
        return passes
      end,
      because = {
        en = [[
          The number of passes is the greatest common divisor of {e} and 32. If each thread makes an
          odd number of outputs, the divisor is 1 and there are no bank conflicts.
        ]],
        zh = [[
          遍数等于 {e} 与 32 的最大公约数。每个线程算奇数个输出时，最大公约数是 1，没有存储体冲突。
        ]],
      },
    },
    ask {
      en = [[
        A device has 132 multiprocessors. A launch computes n = {n} outputs, {o} per block. How many
        multiprocessors get no block at all?
      ]],
      zh = [[
        设备有 132 个多处理器，n = {n} 个输出，每块 {o} 个输出。有多少个多处理器一个块也分不到？
      ]],
      draw = { n = { from = { 32768, 65536 } }, o = { from = { 128, 640, 896, 1920 } } },
      answer = function(d) return math.max(0, 132 - ceil_div(d.n, d.o)) end,
      because = {
        en = [[
          The number of blocks is {n} / {o}, rounded up. You have to choose: fewer loads and
          additions, or fewer idle multiprocessors.
        ]],
        zh = "块数是 {n} / {o}，向上取整。是要减少读取和加法，还是要减少闲置的多处理器，需要取舍。",
      },
    },
    ask {
      alone = true,
      en = [[
        In the tiled matrix product of `matmul-tiled`, you can merge four neighbouring blocks
        into one. Before, all four blocks loaded each tile of the left matrix. The merged block
        loads this tile only once. For which matrices does merging pay on an H200?
      ]],
      zh = [[
        在 `matmul-tiled` 的分块矩阵乘法里，可以把相邻的四个块合并成一个。
        左矩阵的 tile 原来由四个块各读一次，合并后只读一次。在 H200 上，矩阵多大时划算？
      ]],
      choices = {
        { en = "For all matrices, because the blocks load less", zh = "多大都划算，因为读得更少" },
        {
          en = "Only for large matrices, 2048 wide or more",
          zh = "只在矩阵很大时，宽度 2048 以上",
          right = true,
        },
        {
          en = "Only for small matrices, which fit into the caches",
          zh = "只在矩阵很小、缓存放得下时",
        },
      },
      because = {
        en = [[
          A 512 x 512 product has 256 blocks. After merging, 64 blocks are left for 132
          multiprocessors, and the time rises from 37.5 us to 87.2 us. A 2048 x 2048 product has
          1024 blocks left, and the time falls from 1849 us to 1828 us (measured with cold caches).
        ]],
        zh = [[
          512 x 512 的乘法有 256 个块，合并后只剩 64 个，要分给 132 个多处理器：
          用时从 37.5 微秒变成 87.2 微秒。2048 x 2048 时还剩 1024 个块：从 1849 微秒变成 1828 微秒
          （冷缓存实测）。
        ]],
      },
    },
    predict {
      en = [[
        For n = 65,536, the baseline makes about 4096 load requests to global memory, because it
        loads every element twice. (A load that a warp executes is one request.) How many requests
        are left if a block has 128 threads and each thread makes 7 outputs?
      ]],
      zh = [[
        n = 65,536 时，基线对全局内存约有 4096 个读取请求，因为每个元素要读两遍。
        （一个 warp 执行一次读取指令，算一个请求。）如果一个块的 128 个线程各算 7 个输出，
        还剩多少个？
      ]],
      counter = "gld_requests",
      of = "answer",
      case = { n = 1 << 16 },
      tolerance = 0.03,
      because = {
        en = [[
          A block makes 896 outputs and loads 1024 elements for them, in 32 requests. 74 blocks * 32
          requests = 2368. But 28 of these requests do not happen, because all of their lanes are
          outside the array. Nearly all of the 28 belong to the last block.
        ]],
        zh = [[
          一个块算 896 个输出，要读 1024 个元素，即 32 个请求。74 个块 * 32 个请求 = 2368。其中 28
          个请求的所有 lane 都要读数组之外的位置，所以实际没有发出；这些请求几乎都在最后一块。
        ]],
      },
    },
    exercise {
      en = [[
        Let each thread make several outputs whose windows overlap as much as possible. Avoid bank
        conflicts. Keep enough blocks to occupy the whole device.
      ]],
      zh = [[
        让每个线程算几个输出，这些输出的窗口要尽量重叠。要避免存储体冲突，
        并且块数要足够占满整个设备。
      ]],
    },
    show {
      en = "Your accesses to shared memory, line by line:",
      zh = "逐行看你对共享内存的访问：",
      picture = "banks",
      of = "mine",
    },
    show {
      en = "The tile is larger now. The picture shows whether fewer warps fit on a multiprocessor:",
      zh = "tile 变大了。下图说明一个多处理器能容纳的 warp 是否因此变少：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel makes fewer loads and executes fewer instructions, but it also has fewer blocks.
      ]],
      zh = "你的核函数读取少了，指令少了，但块也少了。",
      counters = { "gld_requests", "shared_ld_requests", "shared_ld_conflicts", "warp_inst", "gst_sectors", "blocks", "achieved_occupancy_pct", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        If a block makes more outputs, a smaller share of its loads is halo. For this share, it does
        not matter which thread makes which output. But to save additions, the windows of one
        thread's outputs must overlap as much as possible.
      ]],
      zh = [[
        一个块算更多输出，重叠区的比例就变小；这个比例与哪个线程算哪些输出无关。但是要减少加法，
        同一个线程的几个输出，窗口应当尽量重叠。
      ]],
    },
    {
      en = [[
        Let thread t make the outputs t * EACH to t * EACH + EACH - 1. Compute `sum[0]` in a loop.
        Then compute `sum[j] = sum[j - 1] + tile[...] - tile[...]` in a second, unrolled loop.
        Choose an odd EACH, so that there are no bank conflicts.
      ]],
      zh = [[
        线程 t 算第 t * EACH 到 t * EACH + EACH - 1 个输出。先用循环求 `sum[0]`，
        再用第二个循环求 `sum[j] = sum[j - 1] + tile[...] - tile[...]`，并把这个循环展开。
        EACH 取奇数，就没有存储体冲突。
      ]],
    },
    {
      en = [[
        Use EACH = 7. With `int at = threadIdx.x * EACH;`, compute
        `sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`.

        To keep the stores coalesced, pass the outputs through the tile. After a barrier, write
        `tile[at + j] = sum[j]`. After another barrier, thread t stores words t, t + BLOCK, t + 2 *
        BLOCK ... of the tile.
      ]],
      zh = [[
        取 EACH = 7。设 `int at = threadIdx.x * EACH;`，计算
        `sum[j] = sum[j - 1] + tile[at + j + 2 * RADIUS] - tile[at + j - 1]`。

        要让写入保持合并，就让输出经过 tile 写出：执行一次屏障，写 `tile[at + j] = sum[j]`；
        再执行一次屏障，然后线程 t 写出 tile 的第 t、t + BLOCK、t + 2 * BLOCK……个字。
      ]],
    },
  },

  after = {
    en = [[
      Merging work saved three things: loads of the halo, instructions for addresses and checks, and
      above all the additions that neighbouring outputs share. Merging also cost three things: each
      thread needs more registers, each block needs a larger tile, and fewer blocks run in parallel.

      No single amount of work per thread is right everywhere. Launch enough blocks to give
      every multiprocessor a few, but not more. A T4 has 40 multiprocessors, and an H200 has
      132. So a block should make more outputs on a T4 than on an H200. For a short array, a
      block should make fewer outputs than for a long array.

      If you only merge blocks and still add up each output from 129 elements, you save only loads
      from global memory. But these loads do not limit this kernel. An H200 computed half a million
      outputs in 12.5 us with one output per thread, and in 13.2 us with eight (measured with cold
      caches).
    ]],
    zh = [[
      合并工作省下了三样东西：重叠区的读取，计算地址和做判断的指令，
      以及相邻输出共有的加法（这一样省得最多）。代价也有三样：每个线程要更多寄存器，
      每个块要更大的 tile，同时运行的块变少。

      每个线程做多少工作，没有到处都合适的答案。块数应当让每个多处理器都分到几个块，但不必更多。
      T4 有 40 个多处理器，H200 有 132 个，所以在 T4 上，一个块应当算更多输出。数组短时，
      一个块算的输出应当比数组长时少。

      如果只合并块，每个输出仍由 129 个元素逐个相加，省下的就只有全局内存的读取，
      而这些读取并不是瓶颈。在 H200 上算五十万个输出，每个线程算一个时用 12.5 微秒，
      算八个时用 13.2 微秒（冷缓存实测）。
    ]],
  },
  more = {
    en = [[
      Try EACH = 1, 3, 5, 7, 8, 9, 15 and 33, on `sim:h200` and on `sim:t4`. Each time, note
      `shared_ld_requests`, `shared_ld_conflicts`, `blocks` and the time. Which of these numbers
      explains the time if EACH is small? Which number explains it if EACH is large?
    ]],
    zh = [[
      在 `sim:h200` 和 `sim:t4` 上试试 EACH = 1、3、5、7、8、9、15、33，
      每次记下 `shared_ld_requests`、`shared_ld_conflicts`、`blocks` 和时间。EACH 小的时候，
      时间由其中哪个数字决定？EACH 大的时候呢？
    ]],
  },
}
