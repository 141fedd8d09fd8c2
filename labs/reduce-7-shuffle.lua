-- The seventh step of the reduction: registers instead of shared memory, and a second launch
-- instead of an atomic.
return lab {
  id = "reduce-7-shuffle",
  title = {
    en = "Reduction 7: shuffles, two launches",
    zh = "归约第七步：warp 内 shuffle，两次启动",
  },
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
    ["in"] = integers(-10000, 10000, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 512 }, { n = 100001 }, { n = 1 << 20, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 2 },
    at_most("shared_loads", 0.25 * baseline) {
      points = 2,
      per = "thread",
      en = [[
        Within a warp you need no shared memory. Each warp needs to pass only one word to the first
        warp.
      ]],
      zh = "在 warp 内部不需要共享内存。每个 warp 只需传出一个字。",
    },
    at_least("shuffles", 200) {
      points = 1,
      en = "The lanes of a warp should exchange their sums by shuffles.",
      zh = "一个 warp 的各个 lane 应当用 shuffle 交换部分和。",
    },
    at_most("global_loads", 1.5 * baseline) {
      points = 1,
      en = [[
        Your kernel reads global memory too often: once for each element is enough. Values that the
        threads of a block exchange should not go through global memory.
      ]],
      zh = [[
        你的核函数读全局内存的次数太多：每个元素读一次就够了。块内线程之间交换数据，
        不应当经过全局内存。
      ]],
    },
    at_most("block_barriers", 0.45 * baseline) {
      points = 1,
      per = "thread",
      en = [[
        One block barrier is enough. Put it after the warps have stored their sums and before the
        first warp reads these sums.
      ]],
      zh = "一次块级屏障就够了，放在各 warp 写出部分和以后、第一个 warp 读取这些部分和以前。",
    },
    at_most("global_atomics", 0) {
      points = 2,
      en = [[
        The blocks still use atomics to add to the total. Let each block store its sum in `left`.
        Then launch one more block that adds these sums. This block starts after all others have
        ended.
      ]],
      zh = [[
        各个块仍在用原子操作把部分和加到总和上。让每个块把部分和写到 `left` 里，
        再启动一个块把这些部分和加起来。这个块开始时，其他块都已结束。
      ]],
    },
    at_most("launches", 2) {
      points = 1,
      en = "Two launches are enough, because the end of a launch is a barrier, too.",
      zh = "两次启动就够了，因为一次启动的结束也是屏障。",
    },
  },
  forbid = { "thrust", "cub", "cublas", "cooperative_groups" },

  steps = {
    say {
      en = [[
        This lab begins with the model answer of `reduce-6-cascade`, which computes the sum of all
        elements. In each block, the sums of the threads go through shared memory, and then the
        block adds its sum to the total with an atomic. You will replace both: registers replace
        shared memory, and a second launch replaces the atomics.

        `__shfl_down_sync(mask, value, s)` gives each lane the `value` of the lane whose number is s
        higher, directly from register to register. This is a *shuffle*. (For the last s lanes there
        is no such lane. They get their own `value`.) The mask names the lanes that take part. All
        of these lanes must reach the instruction, and they wait for each other there.

        With shuffles, the tree of a warp takes two lines and no memory:

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        At the end, lane 0 has the sum of the warp. (The values in the other lanes are not needed.)
      ]],
      zh = [[
        本实验从 `reduce-6-cascade` 的参考答案开始，仍然求全部元素的总和。在每个块里，
        各线程的部分和要经过共享内存，然后由块用一次原子操作把本块的部分和加到总和上。
        这两样你都要换掉：用寄存器代替共享内存，用第二次启动代替原子操作。

        `__shfl_down_sync(mask, value, s)` 让每个 lane 得到编号比自己大 s 的那个 lane 的 `value`，
        直接从寄存器到寄存器。这就是 *shuffle*。（最后 s 个 lane 没有这样的 lane 可取，
        得到的是自己的 `value`。）掩码 `mask` 指明哪些 lane 参加。这些 lane 都必须执行到这条指令，
        并在这里互相等待。

        用 shuffle，一个线程束（warp）的树只要两行，完全不用内存：

            for (int s = 16; s > 0; s /= 2)
                mine += __shfl_down_sync(0xffffffff, mine, s);

        最后 lane 0 得到这个 warp 的总和。（其他 lane 里的值用不到。）
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
        {
          function(d) return d.g - 1 end,
          en = [[
            All lanes add at the same time, so each shuffle halves the number of sums that are left.
          ]],
          zh = "所有 lane 同时相加，所以每次 shuffle 之后，剩下的部分和的个数减半。",
        },
      },
      because = {
        en = "The shuffles form a tree of log2({g}) rounds, with one shuffle per round.",
        zh = "这些 shuffle 组成一棵 log2({g}) 轮的树，每轮一次 shuffle。",
      },
    },
    ask {
      alone = true,
      en = [[
        A block has {t} threads. Each of its warps has computed its own sum. How many words must now
        pass through shared memory?
      ]],
      zh = [[
        一个块有 {t} 个线程，各个 warp 都求出了本 warp 的部分和。现在有多少个字要经过共享内存？
      ]],
      draw = { t = { from = { 128, 256, 512, 1024 } } },
      answer = function(d) return d.t // 32 end,
      replies = {
        {
          function(d) return d.t end,
          en = "Each warp has only one sum left, not 32.",
          zh = "每个 warp 只剩一个部分和，而不是 32 个。",
        },
      },
      because = {
        en = [[
          One word per warp. A block has at most 32 warps, so one warp can sum all these words.
        ]],
        zh = "每个 warp 一个字。一个块最多有 32 个 warp，所以一个 warp 就能求出这些字的和。",
      },
    },
    ask {
      alone = true,
      en = [[
        Now each block has a sum. Why does a block not simply wait for all other blocks at a barrier
        of the whole grid, and then add the sums?
      ]],
      zh = [[
        现在每个块都有一个部分和。为什么不让每个块在整个网格的屏障处等待其他所有块，
        再把这些部分和加起来？
      ]],
      choices = {
        {
          en = "The barrier would take longer than the sum.",
          zh = "屏障花的时间会比求和还长。",
          because = {
            en = [[
              Hardware for a barrier across all multiprocessors would be expensive. But time is not
              the reason.
            ]],
            zh = "跨所有多处理器的屏障，硬件代价确实很高，但原因不在时间。",
          },
        },
        {
          en = [[
            A plain launch has no such barrier. Blocks may run one after another, so a block that
            waits for a block that has not started would wait for ever.
          ]],
          zh = [[
            普通的启动没有这样的屏障：块可能一个接一个地执行，一个块如果等待尚未开始的块，
            就会永远等下去。
          ]],
          right = true,
        },
        {
          en = "A block cannot read what other blocks wrote to global memory.",
          zh = "一个块不能读其他块写到全局内存的内容。",
          because = {
            en = [[
              A block can read it. But the block does not know when the others have finished
              writing.
            ]],
            zh = "能读。问题在于，这个块不知道其他块什么时候写完。",
          },
        },
      },
      because = {
        en = [[
          The end of a launch *is* a barrier for all blocks: a second launch sees all results of the
          first. The second launch costs a few microseconds. The host could also copy the sums of
          the blocks and add them. (A *cooperative launch* does offer a grid barrier. But it limits
          the grid to the number of blocks that can be resident at the same time.)
        ]],
        zh = [[
          一次启动的结束*就是*所有块的屏障：第二次启动能看到第一次的全部结果。多一次启动，
          要多花几微秒。也可以把各块的部分和拷回主机，由主机相加。（*协作启动*（cooperative launch）
          确实提供全网格屏障，但网格的块数不能超过能同时驻留的块数。）
        ]],
      },
    },
    ask {
      en = [[
        A grid barrier requires that all blocks are *resident*: they must be on the multiprocessors
        at the same time. Each thread of a resident block takes a thread slot. Take a device with
        {p} multiprocessors of {s} thread slots, blocks of {t} threads, and no other limit. How many
        blocks may the grid have at most?
      ]],
      zh = [[
        全网格屏障要求所有块都*驻留*，也就是同时放在多处理器上。驻留的块里，每个线程占一个线程槽。
        设备有 {p} 个多处理器，每个 {s} 个线程槽，每块 {t} 个线程，没有其他限制。
        网格最多能有多少个块？
      ]],
      draw = { p = { from = { 40, 108, 132 } }, s = { from = { 1024, 2048 } }, t = { from = { 128, 256, 512 } } },
      answer = function(d) return d.p * (d.s // d.t) end,
      replies = {
        {
          function(d) return d.s // d.t end,
          en = "This is the number of blocks on one multiprocessor.",
          zh = "这是一个多处理器上的块数。",
        },
        {
          function(d) return d.p * d.s end,
          en = "This is the number of threads. Each block has {t} threads.",
          zh = "这是线程数。每个块有 {t} 个线程。",
        },
      },
      because = {
        en = [[
          {p} * ({s} / {t}). So a program with a grid barrier needs a different grid on each device.
          A program without such a barrier need not know the device.
        ]],
        zh = [[
          {p} * ({s} / {t})。所以，用全网格屏障的程序在每种设备上都要用不同大小的网格；
          不用这种屏障的程序不必了解设备。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        On an H200, the sum of a million (2^20) ints takes 6.1 us if every block adds its sum to
        the total with an atomic. It takes 8.8 us if a second launch adds these sums. (Both were
        measured with a cold L2: at the start, none of the ints are in this cache.) What is a
        reason to use the second launch anyway?
      ]],
      zh = [[
        在 H200 上对 100 万（2^20）个 int 求和，若每个块用原子操作把部分和加到总和上，用 6.1 微秒；
        若由第二次启动把各块的部分和加起来，用 8.8 微秒。（都是 L2 冷态下的实测，即开始时，
        输入的数都不在 L2 缓存里。）那么，采用第二次启动的理由是什么？
      ]],
      choices = {
        {
          en = "The array is larger: with enough elements the second launch is faster",
          zh = "数组更大：元素足够多时，第二次启动更快",
          because = {
            en = [[
              The number of blocks is limited, so neither the atomics nor the second launch take
              longer for a larger n. The difference becomes a smaller share of the time, but the
              second launch never becomes faster.
            ]],
            zh = [[
              块数有上限，所以 n 更大时，原子操作和第二次启动的用时都不增加。
              差距在用时里所占的比例越来越小，但用第二次启动绝不会更快。
            ]],
          },
        },
        {
          en = "Floats are summed, and every run must give the same result",
          zh = "求的是浮点数的和，而且每次运行结果都必须相同",
          right = true,
        },
        {
          en = "The array is smaller: atomics take too long for a short array",
          zh = "数组更小：数组很短时，原子操作用时太长",
          because = {
            en = [[
              A short array has few blocks, and so few atomics. So the second launch takes an even
              larger share of the time.
            ]],
            zh = "数组短时块少，原子操作也少，第二次启动所占的时间比例反而更大。",
          },
        },
      },
      because = {
        en = [[
          The atomics of the blocks happen in any order, and the last digits of a sum of floats
          depend on the order. A second launch adds in the same order every time. You also need a
          second launch if the hardware has no atomic for your operator.
        ]],
        zh = [[
          各块的原子操作先后不定，而浮点数之和的末几位与相加的顺序有关。
          第二次启动每次都按同样的顺序相加。另外，如果硬件没有某种运算的原子操作，也要用第二次启动。
        ]],
      },
    },
    predict {
      en = [[
        The baseline's tree reads shared memory in each round. Now each warp sums with shuffles.
        With n = 256 and blocks of 256 threads, the first launch has one block, and the second
        launch adds the sums of the blocks. How many shared load requests do the two launches make
        together?
      ]],
      zh = [[
        基线的树每一轮都要读共享内存。现在每个 warp 都用 shuffle 求和。n = 256、每块 256 个线程时，
        第一次启动只有一个块，第二次启动把各块的部分和加起来。两次启动一共有多少个共享内存读取请求？
      ]],
      counter = "shared_ld_requests",
      of = "answer",
      case = { n = 256 },
      tolerance = 0.01,
      replies = {
        {
          16,
          en = "One warp reads all eight sums of its block with a single request.",
          zh = "一个 warp 用一次请求就读出块里的八个部分和。",
        },
        { 1, en = "The second launch computes a sum, too.", zh = "第二次启动也要做求和。" },
      },
      because = {
        en = [[
          In each launch, the first warp reads the eight sums of the block's warps with one request.
        ]],
        zh = "每次启动一个请求：第一个 warp 读八个 warp 各自的部分和。",
      },
    },
    exercise {
      en = [[
        First replace the tree. Sum each warp with shuffles, pass one word per warp through shared
        memory, and let the first warp sum these words with shuffles. Then replace the atomic. Each
        block stores its sum, and a second launch of one block adds these sums.
      ]],
      zh = [[
        先换掉那棵树：各 warp 用 shuffle 求和，每个 warp 经共享内存传出一个字，
        再由第一个 warp 用 shuffle 求这些字的和。然后换掉原子操作：各块写出部分和，
        再启动一个块把这些部分和加起来。
      ]],
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = [[
        In your kernel, registers replace most of the shared memory. A second launch replaces the
        `cudaMemsetAsync` and the atomics.
      ]],
      zh = [[
        在你的核函数里，寄存器取代了大部分共享内存，第二次启动取代了 `cudaMemsetAsync`（清零）
        和原子操作。
      ]],
      counters = { "shared_ld_requests", "shared_st_requests", "barriers", "shuffles", "atom_global_requests", "launches", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        First compute one number per warp, then one per block, then one for the grid. What do you
        need after each of the first two stages: nothing, a block barrier, or the end of a launch?
      ]],
      zh = [[
        先让每个 warp 得到一个数，再让每个块得到一个数，最后整个网格得到一个数。
        前两级之后各需要什么：什么都不用、块级屏障，还是启动的结束？
      ]],
    },
    {
      en = [[
        Lane 0 of each warp stores its sum in `sum[tid / 32]`. After one barrier, each lane of the
        first warp loads one of these words, or takes 0 if there is none for it. Then this warp sums
        the words with shuffles. The second launch does the same in one block, with `left` as its
        input and the number of blocks as its n.
      ]],
      zh = [[
        每个 warp 的 lane 0 把本 warp 的部分和存到 `sum[tid / 32]`。一次屏障之后，
        第一个 warp 的每个 lane 各读一个字（没有对应的字就取 0），再用 shuffle 求和。
        第二次启动用一个块做同样的计算：输入是 `left`，n 是块数。
      ]],
    },
    {
      en = [[
        After the barrier, write

            if (tid < 32) {
                mine = tid < BLOCK / 32 ? sum[tid] : 0;
                // five shuffles: s = 16, 8, 4, 2, 1
                if (tid == 0) left[blockIdx.x] = mine;
            }

        The first condition is true for the whole warp or for none of its lanes, so all 32 lanes of
        the mask take part. Put the computation into a function
        `__device__ int block_sum(const int *in, int n)`, and call it from two kernels.
      ]],
      zh = [[
        屏障之后写

            if (tid < 32) {
                mine = tid < BLOCK / 32 ? sum[tid] : 0;
                // 五次 shuffle：s = 16、8、4、2、1
                if (tid == 0) left[blockIdx.x] = mine;
            }

        第一个条件在同一个 warp 的所有 lane 里结果一致，所以掩码中的 32 个 lane 都会参加。
        把这段计算写成函数 `__device__ int block_sum(const int *in, int n)`，由两个核函数调用。
      ]],
    },
  },

  after = {
    en = [[
      A shuffle is one instruction. A step through shared memory takes a store, a barrier and a
      load. But most of the time now goes to loads from global memory, so shuffles gain little for a
      large n.

      On an H200, your version is even slower in this lab's timed case: it takes 8.8 us, and the
      baseline takes 6.1 us. The second launch starts after the first has ended, and reads what the
      first has written. In the baseline, some blocks do their atomic while other blocks still load.

      In return, a second launch adds in the same order every time. Atomics do not guarantee an
      order, and with floats you would see the difference.
    ]],
    zh = [[
      一次 shuffle 只要一条指令；经过共享内存的一步要写一次、过一次屏障、再读一次。但到了这一步，
      大部分时间花在读全局内存上，所以 n 很大时，shuffle 的收益很小。

      在 H200 上，你的版本在本实验的用例上甚至更慢：用 8.8 微秒，而基线用 6.1 微秒。
      第二次启动要等第一次结束才开始，再读第一次写出的结果；而在基线里，有些块做原子操作时，
      其他块还在读取，两者重叠。

      第二次启动换来的是固定的顺序：每次都按同样的顺序相加。原子操作不保证顺序，
      换成 float 就能看出差别。
    ]],
  },
  more = {
    en = [[
      Let every warp do its own atomic, without shared memory, barrier or second launch. `check`
      will report a missed goal. Look at `atom_global_requests` and the time in `profile`. On
      compute capability 8.0 and above (not on `sim:t4`), also try
      `__reduce_add_sync(0xffffffff, mine)`. This one instruction replaces the whole tree of a warp.
    ]],
    zh = [[
      让每个 warp 各做一次原子操作，不用共享内存、屏障和第二次启动。`check` 会报告有一个目标没有达
      到；请在 `profile` 里看 `atom_global_requests` 和时间。在计算能力 8.0 及以上的设备上（`sim:t4`
      不行），再试试 `__reduce_add_sync(0xffffffff, mine)`：这一条指令就代替了 warp 的整棵树。
    ]],
  },
}
