-- The seventh step of the ladder: registers instead of shared memory.
return lab {
  id = "reduce-7-shuffle",
  title = { en = "Reduction 7: shuffles", zh = "归约第七步：warp 内洗牌" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-6-cascade" },
  source = "slides II.3; walk-through",
  teaches = {
    ["launch-barrier"] = "ask",
    ["no-grid-barrier"] = "ask",
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
    correct { points = 4 },
    counter("shared_ld_requests", "<=", 0.25) {
      points = 3,
      relative = true,
      en = "Within a warp no shared memory is needed at all: one word per warp is enough to pass on.",
      zh = "在 warp 内部完全不需要共享内存：每个 warp 只需传出一个字。",
    },
    counter("barriers", "<=", 0.45) {
      points = 3,
      relative = true,
      en = "One block barrier is enough: between the warps' sums and the first warp's reading them.",
      zh = "一次块级屏障就够了：各 warp 写出自己的和，然后第一个 warp 来读。",
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

        于是 warp 内的树只要两行，完全不用内存：

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        最后 lane 0 得到总和。（其他 lane 得到的和没人要。）
      ]],
    },
    ask {
      en = "How many shuffles does a warp need to sum its 32 values?",
      zh = "一个 warp 对 32 个值求和需要多少次洗牌？",
      answer = 5,
      because = { en = "log2(32).", zh = "log2(32)。" },
    },
    ask {
      en = "A block has {w} warps. After each has summed by itself, how many words must pass through shared memory?",
      zh = "一个块有 {w} 个 warp。各自求和之后，要有多少个字经过共享内存？",
      draw = { w = { from = { 4, 8, 16, 32 } } },
      answer = function(d) return d.w end,
      because = { en = "One per warp, and at most 32: exactly what one more warp can sum.", zh = "每个 warp 一个字，最多 32 个：刚好再由一个 warp 求和。" },
    },
    ask {
      en = "Why does the block not simply wait for all other blocks and add up their results at the end, with a barrier for the whole grid?",
      zh = "为什么不让所有块互相等待，用一个全网格的屏障，最后再把各块的结果加起来？",
      choices = {
        { en = "A plain launch has no such barrier: blocks may run one after another, and a block that waits for one that has not started would wait for ever.",
          zh = "普通的启动没有这样的屏障：块可能一个接一个地执行，等待一个尚未开始的块会永远等下去。", right = true },
        { en = "It would be too slow to be useful.", zh = "太慢，没有实用价值。" },
        { en = "Blocks cannot read global memory that others wrote.", zh = "一个块不能读其他块写的全局内存。" },
      },
      because = {
        en = "The end of a launch *is* the barrier for everybody: a second launch sees all results of the first. Launches cost a few microseconds. An atomic avoids the second one; a cooperative launch, which limits the grid to what fits at once, does offer a grid barrier.",
        zh = "一次启动的结束*就是*全局屏障：第二次启动能看到第一次的全部结果，代价是几微秒。用原子操作可以省掉第二次启动；协作启动（cooperative launch）把网格限制在能同时驻留的大小，因而可以提供全网格屏障。",
      },
    },
    predict {
      en = "The baseline's tree makes shared loads in each round. How many shared load requests does the model answer make for one block (n = 256)?",
      zh = "基线的树每一轮都要读共享内存。对一个块（n = 256），参考答案有多少个共享内存读取请求？",
      counter = "shared_ld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.01,
      because = { en = "One: the first warp reads the eight sums.", zh = "一个：第一个 warp 读那八个和。" },
    },
    exercise {
      en = "Replace the tree: shuffles within the warps, one word per warp through shared memory, shuffles again in the first warp, one atomic.",
      zh = "把树换掉：warp 内洗牌，每个 warp 经共享内存传一个字，第一个 warp 再洗牌一次，最后做一次原子操作。",
    },
    show { en = "Your kernel, line by line:", zh = "逐行看你的核函数：", picture = "divergence", of = "mine" },
    compare {
      en = "Registers in place of shared memory.",
      zh = "寄存器取代了共享内存。",
      counters = { "shared_ld_requests", "shared_st_requests", "barriers", "shuffles", "warp_inst" },
      with = "baseline",
    },
  },

  hints = {
    { en = "First one number per warp, then one number per block.", zh = "先让每个 warp 得到一个数，再让每个块得到一个数。" },
    { en = "Lane 0 of each warp stores its sum to `sum[tid / 32]`; after one barrier the whole first warp loads a value each (0 where there is none) and shuffles again.",
      zh = "每个 warp 的 lane 0 把和存到 `sum[tid / 32]`；一次屏障之后，整个第一个 warp 各读一个值（没有的取 0），再洗牌一次。" },
    { en = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; ... five shuffles ...; if (tid == 0) atomicAdd(total, mine); }` The condition is on the whole warp, so all 32 lanes of the mask take part.",
      zh = "`if (tid < 32) { mine = tid < BLOCK / 32 ? sum[tid] : 0; …五次洗牌…; if (tid == 0) atomicAdd(total, mine); }`。条件针对整个 warp，所以 mask 里的 32 个 lane 都会参加。" },
  },

  after = {
    en = [[
      A shuffle is one instruction; the step through shared memory was a store, a barrier and a load. At this point of the ladder most of the time is
      the loads themselves, so the gain is small for large n and larger where the tree is a good part of the work.
    ]],
    zh = [[
      洗牌只要一条指令；而经过共享内存的一步要写、屏障、再读。到了梯子的这一级，大部分时间已经是读取本身，所以 n 很大时收益不大；树占的比重越大，收益越明显。
    ]],
  },
  more = {
    en = "Let every warp do its own atomic: no shared memory, no barrier at all. When is that faster? Watch atom_global_requests. And on compute capability 8 and up, try `__reduce_add_sync(0xffffffff, mine)`: one instruction for the whole tree.",
    zh = "让每个 warp 各做一次原子操作：完全不用共享内存和屏障。什么时候这样更快？留意 atom_global_requests。在计算能力 8 以上的设备上，还可以试试 `__reduce_add_sync(0xffffffff, mine)`：整棵树只要一条指令。",
  },
}
