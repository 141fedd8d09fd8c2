-- The seventh step of the reduction: registers instead of shared memory, and a second launch instead of an atomic.
return lab {
  id = "reduce-7-shuffle",
  title = { en = "Reduction 7: shuffles, two launches", zh = "归约第七步：warp 内洗牌，两次启动" },
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
      en = "Within a warp no shared memory is needed at all: one word per warp is enough to pass on.",
      zh = "在 warp 内部完全不需要共享内存：每个 warp 只需传出一个字。",
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 1,
      en = "One block barrier is enough: between the warps' sums and the first warp's reading them.",
      zh = "一次块级屏障就够了：各 warp 写出自己的和，然后第一个 warp 来读。",
    },
    at_most("global_atomics", 0) {
      points = 2,
      en = "Every block still adds to the one total. Let each leave its sum in `left`, and launch one more block that adds them up: it starts when all others have ended.",
      zh = "每个块还在往同一个总和上加。让每个块把自己的和留在 `left` 里，再启动一个块把它们加起来：它开始时，其他块都已结束。",
    },
    at_most("launches", 2) {
      points = 1,
      en = "Two launches are enough: the end of a launch is a barrier, too.",
      zh = "两次启动就够了：一次启动的结束也是一道屏障。",
    },
  },
  forbid = { "thrust", "cub", "cublas", "cooperative_groups" },

  steps = {
    say {
      en = [[
        `__shfl_down_sync(mask, value, s)` gives each lane the `value` of the lane s above it, straight from register to register. The mask names the
        lanes that take part; each of them must reach the instruction, and they wait for each other there.

        A tree within a warp is then two lines without any memory:

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        Lane 0 ends up with the sum. (The other lanes end up with sums that nobody wants.)
      ]],
      zh = [[
        `__shfl_down_sync(mask, value, s)` 让每个 lane 得到比自己高 s 号的 lane 的 `value`，直接从寄存器到寄存器。mask 指明哪些 lane 参加；被点名的 lane 都必须执行到这条指令，
        并在这里互相等待。

        于是线程束（warp）内的树只要两行，完全不用内存：

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        最后 lane 0 得到总和。（其他 lane 得到的和没人要。）
      ]],
    },
    ask {
      alone = true,
      en = "How many shuffles does it take to sum {g} values, one in each of {g} lanes?",
      zh = "{g} 个 lane 各有一个值，求它们的和需要多少次洗牌？",
      draw = { g = { from = { 4, 8, 16, 32 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.g do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return d.g - 1 end, en = "All lanes add at the same time: each shuffle halves what is left.", zh = "所有 lane 同时相加：每次洗牌使剩下的减半。" },
      },
      because = { en = "log2({g}): a tree, with a shuffle for each round.", zh = "log2({g})：也是一棵树，每轮一次洗牌。" },
    },
    ask {
      alone = true,
      en = "A block has {t} threads. After each of its warps has summed by itself, how many words must pass through shared memory?",
      zh = "一个块有 {t} 个线程。各 warp 自己求和之后，要有多少个字经过共享内存？",
      draw = { t = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.t // 32 end,
      replies = {
        { function(d) return d.t end, en = "Each warp has one sum left, not 32.", zh = "每个 warp 只剩一个和，而不是 32 个。" },
      },
      because = { en = "One per warp, and at most 32: exactly what one more warp can sum.", zh = "每个 warp 一个字，最多 32 个：刚好再由一个 warp 求和。" },
    },
    ask {
      alone = true,
      en = "Now each block has a sum. Why does a block not simply wait for all others, at a barrier for the whole grid, and add the results up?",
      zh = "现在每个块都有一个和。为什么不让每个块在一个全网格的屏障处等齐，再把结果加起来？",
      choices = {
        { en = "The barrier would take longer than the sum.", zh = "屏障花的时间会比求和还长。", because = { en = "The hardware for it over all multiprocessors would be dear, but time is not what rules it out.", zh = "跨所有多处理器的屏障硬件确实昂贵，但时间不是它行不通的原因。" } },
        { en = "A plain launch has no such barrier: blocks may run one after another, and a block that waits for one that has not started would wait for ever.",
          zh = "普通的启动没有这样的屏障：块可能一个接一个地执行，等待一个尚未开始的块会永远等下去。", right = true },
        { en = "Blocks cannot read global memory that others wrote.", zh = "一个块不能读其他块写的全局内存。", because = { en = "They can, once it has been written; the question is when.", zh = "可以读，只要已经写好；问题在于什么时候写好。" } },
      },
      because = {
        en = "The end of a launch *is* the barrier for everybody: a second launch sees all results of the first, and costs a few microseconds; or the host adds up what the blocks left, after a copy. (A cooperative launch, which limits the grid to what fits at once, does offer a grid barrier.)",
        zh = "一次启动的结束*就是*全局屏障：第二次启动能看到第一次的全部结果，代价是几微秒；也可以拷回主机，由主机把各块的结果加起来。（协作启动（cooperative launch）把网格限制在能同时驻留的大小，因而可以提供全网格屏障。）",
      },
    },
    ask {
      en = "With a barrier for the grid every block would have to be resident. On a device with {p} multiprocessors of {s} thread slots, blocks of {t} threads: how many blocks may a grid have at most, if nothing else limits them?",
      zh = "如果有全网格屏障，每个块就都必须驻留。设备有 {p} 个多处理器，每个 {s} 个线程槽，每块 {t} 个线程：在没有其他限制时，网格最多能有多少个块？",
      draw = { p = { from = { 40, 108, 132 } }, s = { from = { 1024, 2048 } }, t = { from = { 128, 256, 512 } } },
      answer = function(d) return d.p * (d.s // d.t) end,
      replies = {
        { function(d) return d.s // d.t end, en = "That is one multiprocessor.", zh = "这只是一个多处理器的。" },
        { function(d) return d.p * d.s end, en = "Those are threads. A block has {t} of them.", zh = "这是线程数。每个块有 {t} 个。" },
      },
      because = { en = "{p} * ({s} / {t}). And the same program would need another grid on every device: without the barrier, it does not have to know.", zh = "{p} * ({s} / {t})。而且同一个程序在每种设备上都要换一个网格大小；没有这种屏障，它就不必操心。" },
    },
    ask {
      alone = true,
      en = "A million ints take 6.1 us on an H200 if every block adds its sum to the total by an atomic, and 8.8 if a second launch adds them up (measured, cold L2). What speaks for the second launch all the same?",
      zh = "在 H200 上对一百万个 int 求和，每个块用原子操作往总和上加要 6.1 微秒，由第二次启动来加要 8.8 微秒（实测，L2 冷态）。那么，采用第二次启动的理由是什么？",
      choices = {
        {
          en = "More elements: with enough of them it is the faster way",
          zh = "元素再多一些：足够多时它更快",
          because = { en = "The number of blocks has a bound, so neither the atomics nor the launch grow with n: the difference fades, but it does not turn.", zh = "块数有上限，原子操作和第二次启动的代价都不随 n 增长：差距会显得越来越小，但不会反过来。" },
        },
        {
          en = "Floats, if the sum has to come out the same every time",
          zh = "求的是浮点数的和，而且每次运行结果都必须相同",
          right = true,
        },
        {
          en = "Fewer elements: a short array has no time for atomics",
          zh = "元素再少一些：数组很短时，原子操作太费时间",
          because = { en = "Then there are few blocks and few atomics, and it is the launch that weighs.", zh = "那时块少，原子操作也少，显得费时间的反而是启动。" },
        },
      },
      because = {
        en = "The blocks' atomics come in any order, and a sum of floats depends on the order in its last digits; a launch adds in the same order every time. It is needed, too, where the hardware has no atomic for the operator.",
        zh = "各块的原子操作先后不定，而浮点数之和的末几位与相加的次序有关；第二次启动每次都按同样的次序相加。另外，如果某种运算没有对应的硬件原子操作，也只能用它。",
      },
    },
    predict {
      en = "The baseline's tree makes shared loads in each round. With n = 256 there is one block, and then the launch that adds up the blocks' sums. How many shared load requests do the two launches make together, if the warps shuffle?",
      zh = "基线的树每一轮都要读共享内存。n = 256 时只有一个块，之后是把各块的和加起来的那次启动。如果 warp 内都用洗牌，两次启动一共有多少个共享内存读取请求？",
      counter = "shared_ld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.01,
      replies = {
        { 16, en = "One warp reads the eight sums of its block, by one request.", zh = "由一个 warp 用一次请求读取块里的八个和。" },
        { 1, en = "The second launch sums as well.", zh = "第二次启动也要求和。" },
      },
      because = { en = "One in each: the first warp reads the eight sums.", zh = "每次一个：第一个 warp 读那八个和。" },
    },
    exercise {
      en = "Replace the tree by shuffles within the warps, one word per warp through shared memory, and shuffles again in the first warp. Then replace the atomic: the blocks leave their sums, and a second launch of one block adds them up.",
      zh = "用 warp 内洗牌换掉那棵树：每个 warp 经共享内存传一个字，第一个 warp 再洗牌一次。然后换掉原子操作：各块留下自己的和，再启动一个块把它们加起来。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "Registers in place of shared memory, a launch in place of a memset and atomics.",
      zh = "寄存器取代了共享内存，一次启动取代了清零和原子操作。",
      counters = { "shared_ld_requests", "shared_st_requests", "barriers", "shuffles", "atom_global_requests", "launches", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "First one number per warp, then one number per block, then one number per grid. What stands between any two of these: nothing, a block barrier, or the end of a launch?", zh = "先让每个 warp 得到一个数，再让每个块得到一个数，最后整个网格一个数。每两级之间隔着什么：什么都不用、块级屏障，还是一次启动的结束？" },
    { en = "Lane 0 of each warp stores its sum to `sum[tid / 32]`; after one barrier the whole first warp loads a value each (0 where there is none) and shuffles again. For the second launch: the same kernel body over `left` with n = number of blocks, in one block.",
      zh = "每个 warp 的 lane 0 把和存到 `sum[tid / 32]`；一次屏障之后，整个第一个 warp 各读一个值（没有的取 0），再洗牌一次。第二次启动：同样的过程，只是对象换成 `left`，个数是块数，只用一个块。" },
    { en = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; ... five shuffles ...; if (tid == 0) left[blockIdx.x] = mine; }` The condition is on the whole warp, so all 32 lanes of the mask take part. Put the body into a `__device__ int block_sum(const int *in, int n)` that two kernels call.",
      zh = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; …五次洗牌…; if (tid == 0) left[blockIdx.x] = mine; }`。条件针对整个 warp，所以 mask 里的 32 个 lane 都会参加。把这段过程写成 `__device__ int block_sum(const int *in, int n)`，由两个核函数调用。" },
  },

  after = {
    en = [[
      A shuffle is one instruction; the step through shared memory was a store, a barrier and a load. But most of the time is in the loads from global memory by now, so on
      large n the gain is small: do not expect a faster sum here.

      On an H200 it is even slower in this lab's case: 8.8 us in place of 6.1 (measured, cold L2). The second launch begins when the first has ended, and reads what that has written; the atomics are made while
      other blocks still load. What the launch buys is an order: the additions are made in the same one every time, which atomics do not promise. With floats you would see the difference.
    ]],
    zh = [[
      洗牌只要一条指令；而经过共享内存的一步要写、屏障、再读。不过到了这一步，大部分时间已经是全局内存的读取，所以 n 很大时收益不大：别指望求和在这里变快。

      在 H200 上，本实验的用例甚至更慢：从 6.1 微秒变成 8.8 微秒（实测，L2 冷态）。第二次启动要等第一次结束才开始，再去读它写下的结果；而原子操作是在别的块还在读取时就做掉的。
      第二次启动换来的是固定的次序：每次都按同样的次序相加，原子操作不保证这一点，换成 float 就能看出差别。
    ]],
  },
  more = {
    en = "Let every warp do its own atomic: no shared memory, no barrier, no second launch. `check` will miss a goal; watch atom_global_requests and the time in `profile`. And on compute capability 8 and up (not on `sim:t4`), try `__reduce_add_sync(0xffffffff, mine)`: one instruction for the whole tree.",
    zh = "让每个 warp 各做一次原子操作：不用共享内存、屏障和第二次启动。`check` 会说有一个目标没达到；请在 `profile` 里看 atom_global_requests 和时间。在计算能力 8 以上的设备上（`sim:t4` 不行），还可以试试 `__reduce_add_sync(0xffffffff, mine)`：整棵树只要一条指令。",
  },
}
