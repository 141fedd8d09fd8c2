-- The seventh step of the reduction: registers instead of shared memory, and a second launch instead of an atomic.
return lab {
  id = "reduce-7-shuffle",
  title = { en = "Reduction 7: shuffles, two launches", zh = "归约第七步：warp 内 shuffle，两次启动" },
  chapter = 4,
  minutes = 35,
  needs = { "reduce-6-cascade" },
  source = "walk-through; slides II.4; guide 5.2.1",
  teaches = {
    ["launch-barrier"] = "say ask exercise goals",
    ["no-grid-barrier"] = "ask",
    ["two-launches"] = "exercise skeleton traps",
    shuffle = "say exercise",
  },

  entry = "void reduce(const int *in, int *total, int n)",
  args = {
    ["in"] = integers(-100, 100, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 512 }, { n = 100001 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 3 },
    at_most("shared_loads", 0.25 * baseline) {
      points = 3,
      en = "Within a warp you need no shared memory at all: each warp passes on only one word.",
      zh = "在 warp 内部完全不需要共享内存：每个 warp 只需传出一个字。",
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 1,
      en = "One block barrier is enough: after the warps have stored their sums, and before the first warp reads them.",
      zh = "一次块级屏障就够了：在各 warp 写出自己的和之后、第一个 warp 读取之前。",
    },
    at_most("global_atomics", 0) {
      points = 2,
      en = "Every block still adds to the total with an atomic. Let each block store its sum in `left`, and launch one more block that adds these sums: it starts after all others have ended.",
      zh = "每个块仍在用原子操作往总和上加。让每个块把自己的和写到 `left` 里，再启动一个块把这些和加起来：这个块开始时，其他块都已结束。",
    },
    at_most("launches", 2) {
      points = 1,
      en = "Two launches are enough: the end of a launch is a barrier too.",
      zh = "两次启动就够了：启动的结束也是屏障。",
    },
  },
  forbid = { "thrust", "cub", "cublas", "cooperative_groups" },

  steps = {
    say {
      en = [[
        `__shfl_down_sync(mask, value, s)` gives each lane the `value` of the lane whose number is s higher, directly from register to register. This is a
        *shuffle*. The mask names the lanes that take part. Each of them must reach the instruction, and they wait for each other there.

        With shuffles, a tree within a warp takes two lines and no memory:

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        Lane 0 gets the sum. (The sums in the other lanes are not needed.)
      ]],
      zh = [[
        `__shfl_down_sync(mask, value, s)` 让每个 lane 得到比自己高 s 号的 lane 的 `value`，直接从寄存器到寄存器。这就是 *shuffle*。掩码 mask 指明哪些 lane 参加；这些 lane 都必须执行到这条指令，
        并在这里互相等待。

        用 shuffle，线程束（warp）内的树只要两行，完全不用内存：

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        最后 lane 0 得到总和。（其他 lane 中的和不需要。）
      ]],
    },
    ask {
      alone = true,
      en = "How many shuffles does it take to sum {g} values, one in each of {g} lanes?",
      zh = "{g} 个 lane 各有一个值，求这些值的和需要多少次 shuffle？",
      draw = { g = { from = { 4, 8, 16, 32 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.g do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return d.g - 1 end, en = "All lanes add at the same time: each shuffle halves the number of sums that are left.", zh = "所有 lane 同时相加：每次 shuffle 使剩下的和减半。" },
      },
      because = { en = "log2({g}): this is a tree with one shuffle per round.", zh = "log2({g})：这是一棵树，每轮一次 shuffle。" },
    },
    ask {
      alone = true,
      en = "A block has {t} threads. After each of its warps has computed its own sum, how many words must pass through shared memory?",
      zh = "一个块有 {t} 个线程。各 warp 求出自己的和之后，有多少个字要经过共享内存？",
      draw = { t = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.t // 32 end,
      replies = {
        { function(d) return d.t end, en = "Each warp has only one sum left, not 32.", zh = "每个 warp 只剩一个和，而不是 32 个。" },
      },
      because = { en = "One word per warp, at most 32 in a block: one warp can sum them all.", zh = "每个 warp 一个字，一个块最多 32 个字：正好由一个 warp 求和。" },
    },
    ask {
      alone = true,
      en = "Now each block has a sum. Why does a block not simply wait for all other blocks at a grid-wide barrier and then add the results?",
      zh = "现在每个块都有一个和。为什么不让每个块在全网格的屏障处等待其他所有块，再把结果加起来？",
      choices = {
        { en = "The barrier would take longer than the sum.", zh = "屏障花的时间会比求和还长。", because = { en = "Barrier hardware across all multiprocessors would be expensive, but time is not the reason.", zh = "让硬件支持跨所有多处理器的屏障确实昂贵，但原因不在时间。" } },
        { en = "A plain launch has no such barrier. Blocks may run one after another, so a block that waits for one that has not started would wait for ever.",
          zh = "普通的启动没有这样的屏障：块可能一个接一个地执行，等待尚未开始的块就会永远等下去。", right = true },
        { en = "Blocks cannot read global memory that others wrote.", zh = "一个块不能读其他块写的全局内存。", because = { en = "They can, once it has been written. The problem is to know when that is.", zh = "可以，只要已经写好。问题在于无法知道何时写好。" } },
      },
      because = {
        en = "The end of a launch *is* a barrier for all blocks: a second launch sees all results of the first, and costs a few microseconds. Alternatively the host copies the blocks' sums and adds them. (A cooperative launch does offer a grid barrier: it limits the grid to the blocks that can be resident at the same time.)",
        zh = "启动的结束*就是*所有块的屏障：第二次启动能看到第一次的全部结果，代价是几微秒。也可以把各块的和拷回主机，由主机相加。（协作启动（cooperative launch）把网格限制为能同时驻留的块数，因而可以提供全网格屏障。）",
      },
    },
    ask {
      en = "A grid barrier requires that all blocks are resident. Take a device with {p} multiprocessors of {s} thread slots, blocks of {t} threads, and no other limit. How many blocks may the grid have at most?",
      zh = "全网格屏障要求所有块都驻留。设备有 {p} 个多处理器，每个 {s} 个线程槽，每块 {t} 个线程，没有其他限制。网格最多能有多少个块？",
      draw = { p = { from = { 40, 108, 132 } }, s = { from = { 1024, 2048 } }, t = { from = { 128, 256, 512 } } },
      answer = function(d) return d.p * (d.s // d.t) end,
      replies = {
        { function(d) return d.s // d.t end, en = "This is the number for one multiprocessor.", zh = "这是一个多处理器的块数。" },
        { function(d) return d.p * d.s end, en = "This is the number of threads. A block has {t} threads.", zh = "这是线程数。每个块有 {t} 个线程。" },
      },
      because = { en = "{p} * ({s} / {t}). So with a grid barrier the program needs a different grid on every device. Without the barrier it need not know the device.", zh = "{p} * ({s} / {t})。所以有了全网格屏障，程序在每种设备上都要用不同大小的网格；没有这种屏障，程序就不必了解设备。" },
    },
    ask {
      alone = true,
      en = "On an H200 the sum of a million ints takes 6.1 us if every block adds its sum to the total with an atomic, and 8.8 us if a second launch adds these sums (measured, cold L2). What is a reason to use the second launch anyway?",
      zh = "在 H200 上对 100 万个 int 求和，若每个块用原子操作往总和上加，要 6.1 微秒；若由第二次启动来加，要 8.8 微秒（实测，L2 冷态）。那么，采用第二次启动的理由是什么？",
      choices = {
        {
          en = "The array is larger: with enough elements the second launch is faster",
          zh = "数组更大：元素足够多时，第二次启动更快",
          because = { en = "The number of blocks is bounded, so neither the atomics nor the launch cost more for a larger n. The difference matters less and less, but the second launch never becomes faster.", zh = "块数有上限，所以原子操作和第二次启动的代价都不随 n 增长。差距所占的比例越来越小，但第二次启动不会变得更快。" },
        },
        {
          en = "Floats are summed, and every run must give the same result",
          zh = "求的是浮点数的和，而且每次运行结果都必须相同",
          right = true,
        },
        {
          en = "The array is smaller: atomics take too long for a short array",
          zh = "数组更小：数组很短时，原子操作用时太长",
          because = { en = "A short array has few blocks and few atomics. There the second launch costs the larger share.", zh = "数组短时块少，原子操作也少，占比更大的反而是第二次启动。" },
        },
      },
      because = {
        en = "The blocks' atomics happen in any order, and the last digits of a sum of floats depend on the order. A second launch adds in the same order every time. You also need it if the hardware has no atomic for your operator.",
        zh = "各块的原子操作先后不定，而浮点数之和的末几位与相加的顺序有关；第二次启动每次都按同样的顺序相加。另外，如果硬件没有某种运算的原子操作，也要用第二次启动。",
      },
    },
    predict {
      en = "The baseline's tree reads shared memory in each round. All blocks have 256 threads. With n = 256 the first launch has one block, and the second launch adds up the blocks' sums. How many shared load requests do the two launches make together if each warp sums with shuffles?",
      zh = "基线的树每一轮都要读共享内存。每个块有 256 个线程。n = 256 时，第一次启动只有一个块，第二次启动把各块的和加起来。如果 warp 内都用 shuffle 求和，两次启动一共有多少个共享内存读取请求？",
      counter = "shared_ld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.01,
      replies = {
        { 16, en = "One warp reads the eight sums of its block with a single request.", zh = "由一个 warp 用一次请求读取块里的八个和。" },
        { 1, en = "The second launch has a sum to compute too.", zh = "第二次启动也要求和。" },
      },
      because = { en = "One request in each launch: the first warp reads the eight sums.", zh = "每次启动一个请求：第一个 warp 读那八个和。" },
    },
    exercise {
      en = "Replace the tree: sum each warp with shuffles, pass one word per warp through shared memory, and let the first warp sum these with shuffles. Then replace the atomic: each block stores its sum, and a second launch of one block adds them up.",
      zh = "先换掉那棵树：各 warp 用 shuffle 求和，每个 warp 经共享内存传出一个字，再由第一个 warp 用 shuffle 求和。然后换掉原子操作：各块写出自己的和，再启动一个块把这些和加起来。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "Registers replace shared memory, and a second launch replaces the memset and the atomics.",
      zh = "寄存器取代了共享内存，第二次启动取代了清零和原子操作。",
      counters = { "shared_ld_requests", "shared_st_requests", "barriers", "shuffles", "atom_global_requests", "launches", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Compute first one number per warp, then one per block, then one per grid. What is needed after each of the first two stages: nothing, a block barrier, or the end of a launch?", zh = "先让每个 warp 得到一个数，再让每个块得到一个数，最后整个网格得到一个数。前两级之后各需要什么：什么都不用、块级屏障，还是启动的结束？" },
    { en = "Lane 0 of each warp stores its sum to `sum[tid / 32]`. After one barrier each lane of the first warp loads one value (0 if there is none), and the warp shuffles again. The second launch runs the same kernel body in one block, over `left`, with n = number of blocks.",
      zh = "每个 warp 的 lane 0 把和存到 `sum[tid / 32]`；一次屏障之后，第一个 warp 的每个 lane 各读一个值（没有的取 0），再用 shuffle 求和。第二次启动用一个块对 `left` 做同样的计算，元素个数就是块数。" },
    { en = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; ... five shuffles ...; if (tid == 0) left[blockIdx.x] = mine; }` The condition is the same for the whole warp, so all 32 lanes of the mask take part. Put the body into a function `__device__ int block_sum(const int *in, int n)` that two kernels call.",
      zh = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; …五次 shuffle…; if (tid == 0) left[blockIdx.x] = mine; }`。这个条件对整个 warp 结果一致，所以掩码中的 32 个 lane 都会参加。把这段计算写成函数 `__device__ int block_sum(const int *in, int n)`，由两个核函数调用。" },
  },

  after = {
    en = [[
      A shuffle is one instruction; a step through shared memory takes a store, a barrier and a load. But by now most of the time goes to loads from global
      memory, so shuffles gain little for a large n.

      On an H200 your version is even slower in this lab's case: 8.8 us instead of 6.1 us (measured, cold L2). The second launch starts after the first has
      ended and reads what the first has written. The atomics are done while other blocks still load. In return, a second launch adds in the same order every
      time, which atomics do not guarantee. With floats you would see the difference.
    ]],
    zh = [[
      一次 shuffle 只要一条指令；经过共享内存的一步要写、屏障、再读。但到了这一步，大部分时间花在读全局内存上，所以 n 很大时，shuffle 的收益很小。

      在 H200 上，你的版本在本实验的用例上甚至更慢：8.8 微秒，而基线是 6.1 微秒（实测，L2 冷态）。第二次启动要等第一次结束才开始，再读第一次写出的结果；而原子操作在其他块还在读取时就完成了。
      第二次启动换来的是固定的顺序：每次都按同样的顺序相加，原子操作不保证这一点。换成 float 就能看出差别。
    ]],
  },
  more = {
    en = "Let every warp do its own atomic, without shared memory, barrier or second launch. `check` will report a missed goal; look at atom_global_requests and the time in `profile`. On compute capability 8.0 and above (not on `sim:t4`), also try `__reduce_add_sync(0xffffffff, mine)`: one instruction replaces the whole tree of a warp.",
    zh = "让每个 warp 各做一次原子操作，不用共享内存、屏障和第二次启动。`check` 会报告有一个目标没有达到；请在 `profile` 里看 atom_global_requests 和时间。在计算能力 8.0 及以上的设备上（`sim:t4` 不行），再试试 `__reduce_add_sync(0xffffffff, mine)`：一条指令就完成 warp 内的整棵树。",
  },
}
