-- Chapter 6: prefix sums within a block.
return lab {
  id = "scan-block",
  title = { en = "Prefix sums in a block", zh = "块内前缀和" },
  chapter = 6,
  minutes = 30,
  needs = { "reduce-7-shuffle", "reduce-2-banks" },
  source = "practice",
  teaches = {
    ["work-efficiency"] = "ask after",
    ["scan-conflicts"] = "ask",
    ["scan-shuffle"] = "exercise hints",
  },

  entry = "void scan_block(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("n"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 1003 }, { n = 1 << 18, timed = true } },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct { points = 2 },
    at_most("block_barriers", 0.2 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        Two barriers are enough for the whole block. Within a warp, the lanes can exchange values
        without a barrier.
      ]],
      zh = "整个块只要两次屏障。同一个 warp 的 lane 之间交换数据，不需要屏障。",
    },
    at_most("shared_loads", 0.3 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        Your kernel still reads shared memory too often. It is enough if one number per warp passes
        through shared memory.
      ]],
      zh = "你的核函数读共享内存的次数仍然太多。每个 warp 只有一个数需要经过共享内存。",
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
    at_most("launches", 1) {
      points = 1,
      en = [[
        Use only one launch. Each piece of 512 elements fits in one block, so the blocks need
        nothing from each other.
      ]],
      zh = "只用一次启动。每一段 512 个元素正好由一个块处理，块与块之间不需要交换数据。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        A *prefix sum*, or *scan*, replaces every element by the sum of all elements up to and
        including it: 3 1 4 1 5 becomes 3 4 8 9 14. Parallel sorting, memory allocation and
        *compaction* are built on scans. Compaction keeps only some of the elements.

        This lab's kernel computes the prefix sums of each piece of 512 elements. One block works on
        one piece. A scan looks sequential, because each result needs the previous result. You will
        see two ways to scan in parallel, and write a version that needs only two barriers.
      ]],
      zh = [[
        求*前缀和*（scan），就是把每个元素换成从第一个元素到这个元素（含这个元素）的总和：
        3 1 4 1 5 变成 3 4 8 9 14。并行排序、并行分配内存都以前缀和为基础，
        *流压缩*（只保留一部分元素）也是。

        本实验的核函数把数组分成每段 512 个元素，在每一段内求前缀和，一个块处理一段。
        前缀和看起来只能顺序计算，因为每个结果都要用前一个结果。你会看到两种并行的算法，
        并写出一个只要两次屏障的版本。
      ]],
    },
    show {
      en = [[
        The baseline is the skeleton's kernel. In round r, each thread looks 2^(r-1) places to the
        left and adds the element there to its own element. A thread with no element there is idle.
        In a piece of 64 elements, these threads are active:
      ]],
      zh = [[
        基线就是骨架代码的核函数。第 r 轮里，每个线程把左边第 2^(r-1) 个元素加到自己的元素上；
        左边没有这个元素的线程空闲。以一段 64 个元素为例，工作的线程是：
      ]],
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread >= 1 << round end,
    },
    ask {
      en = [[
        A sequential scan of {n} elements does {n} - 1 additions. The baseline does {n} - 2^(r-1)
        additions in round r. How many additions does the baseline do for {n} elements in all rounds
        together?
      ]],
      zh = [[
        对 {n} 个元素顺序做前缀和，要 {n} - 1 次加法。基线在第 r 轮做 {n} - 2^(r-1) 次加法。
        各轮合起来，基线一共做多少次加法？
      ]],
      draw = { n = { from = { 8, 16, 32, 64 } } },
      answer = function(d)
        local sum, s = 0, 1
        while s < d.n do sum, s = sum + d.n - s, s * 2 end
        return sum
      end,
      because = {
        en = [[
          The sum over log2(n) rounds is n log2(n) - (n - 1) additions. This is more than the
          sequential scan needs: the method is *work-inefficient*.

          Another method is the *tree*. Its upward sweep adds pairs of elements, then pairs of these
          sums, and so on. Its downward sweep combines these sums into the prefix sums. The tree
          needs only 2 (n - 1) additions, but twice as many rounds.
        ]],
        zh = [[
          log2(n) 轮加起来是 n log2(n) - (n - 1) 次加法，比顺序计算多：这种做法的*工作量不是最优*。

          另一种做法是*树形*：上扫时先把元素两两相加，再把得到的部分和两两相加，如此继续；
          下扫时用这些部分和算出各个前缀和。树形做法只要 2 (n - 1) 次加法，但轮数加倍。
        ]],
      },
    },
    ask {
      en = [[
        The tree works in shared memory. In one round of its upward sweep, thread t reads word {s} *
        t + {s} / 2 - 1 and adds it to word {s} * t + {s} - 1. All 32 lanes of a warp are active.
        How many passes does this read take?
      ]],
      zh = [[
        树形做法在共享内存里进行。上扫的某一轮里，线程 t 读共享内存的第 {s} * t + {s} / 2 - 1 个字，
        加到第 {s} * t + {s} - 1 个字上。一个线程束（warp）的 32 个 lane 都活跃。这次读取要走几遍？
      ]],
      draw = { s = { from = { 2, 4, 8, 16, 32 } } },
      answer = function(d) return d.s end,
      because = {
        en = [[
          The words of neighbouring lanes are {s} words apart, so {s} lanes want different words of
          the same bank. If word i is stored at the padded index `i + i / 32` instead, these
          conflicts disappear.
        ]],
        zh = [[
          相邻 lane 读的字相隔 {s} 个字，所以有 {s} 个 lane 要同一个存储体的不同字。
          如果把第 i 个字存放在加了填充的下标 `i + i / 32` 处，就没有这些冲突。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        Now a single *warp* scans 32 elements. In each round, the warp executes one instruction for
        all of its 32 lanes, active or not. Which of the two methods is better for a single warp?
      ]],
      zh = [[
        现在由一个 *warp* 对 32 个元素做前缀和。每一轮里，不论 lane 是否活跃，
        整个 warp 都要执行一条指令。这时两种做法哪种更好？
      ]],
      choices = {
        {
          en = "The tree, because it does fewer additions.",
          zh = "树形做法，因为加法少。",
          because = {
            en = "An addition by 3 lanes takes a warp as much time as an addition by 32 lanes.",
            zh = "对一个 warp 来说，3 个 lane 做一次加法和 32 个 lane 做一次加法，花的时间一样。",
          },
        },
        {
          en = "The baseline's method, because it has fewer rounds.",
          zh = "基线的做法，因为轮数少。",
          right = true,
        },
        {
          en = "Neither, because a warp cannot scan without shared memory.",
          zh = "两种都不行，因为 warp 不用共享内存就不能做前缀和。",
          because = {
            en = [[
              With shuffles, the lanes read each other's registers. Both methods work without shared
              memory.
            ]],
            zh = "用 shuffle，各 lane 可以读取彼此的寄存器。两种做法都不一定要用共享内存。",
          },
        },
      },
    },
    predict {
      en = [[
        The model answer has three stages. First each warp scans its elements. Then one warp
        scans the totals of the 16 warps. Then each warp adds the sum of the totals on its left
        to its own elements. The first two stages each end with a barrier. (The baseline has 18
        barriers.) The counter `barriers` counts a barrier once for each warp that passes it.
        What does this counter show for one block of 512 elements?
      ]],
      zh = [[
        参考答案分三步。先由各 warp 对自己的元素做前缀和，再由一个 warp 对 16 个 warp 各自的总和做前
        缀和，最后每个 warp 给自己的元素加上左边所有 warp 的总和。
        第一步和第二步之后各有一次屏障（基线有 18 次）。一个屏障有几个 warp 经过，
        计数器 `barriers` 就计几次。对一个 512 元素的块，参考答案的这个计数器是多少？
      ]],
      counter = "barriers",
      of = "answer",
      case = { n = 512 },
      tolerance = 0.01,
      because = {
        en = "Each of the 16 warps passes 2 barriers.",
        zh = "16 个 warp，每个 warp 过 2 次屏障。",
      },
    },
    exercise {
      en = [[
        Write the three stages. First each warp scans its own 32 elements. Then one warp scans
        the totals of the warps. Then each warp adds the sum of all elements on its left to its
        own elements.
      ]],
      zh = [[
        写出这三步：每个 warp 对自己的 32 个元素做前缀和；由一个 warp 对各 warp 的总和做前缀和；
        每个 warp 再给自己的元素加上左边所有元素的和。
      ]],
    },
    show {
      en = "The shared memory accesses of your kernel, line by line:",
      zh = "逐行看你的核函数怎样访问共享内存：",
      picture = "banks",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel exchanges most values through registers. The baseline exchanges all of them
        through shared memory.
      ]],
      zh = "你的核函数主要通过寄存器交换数据，基线全部通过共享内存。",
      counters = {
        "barriers", "shared_ld_requests", "shared_st_requests", "shuffles", "warp_inst",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        Each warp has scanned its own elements. Which single number does the second warp still need
        from the first?
      ]],
      zh = "各 warp 已经求出自己的前缀和。第二个 warp 还需要第一个 warp 的哪一个数？",
    },
    {
      en = [[
        Within a warp, let s go through 1, 2, 4, 8, 16. In each round, all lanes call
        `__shfl_up_sync(0xffffffff, v, s)`. This gives lane l the `v` of lane l - s. If `lane >= s`,
        the lane adds this value to its own `v`. At the end, lane 31 holds the total of the warp.
      ]],
      zh = [[
        在 warp 内，s 依次取 1、2、4、8、16。每一轮，所有 lane 都调用
        `__shfl_up_sync(0xffffffff, v, s)`，lane l 得到 lane l - s 的 `v`。当 `lane >= s` 时，
        lane 把这个值加到自己的 `v` 上。最后，lane 31 的 `v` 就是整个 warp 的总和。
      ]],
    },
    {
      en = [[
        After the scan within the warps:

        - Lane 31 of each warp stores the total of its warp in shared memory. Then comes a barrier.
        - Warp 0 scans the 16 totals in the same way and stores the results. All 32 lanes take part
        in the shuffles, and lanes 16 to 31 start from the value 0. Then comes a barrier.
        - Every warp except warp 0 adds `total[warp - 1]`.
      ]],
      zh = [[
        warp 内的前缀和做完之后：

        - 每个 warp 的 lane 31 把本 warp 的总和写到共享内存里，然后是一次屏障。
        - 0 号 warp 用同样的方法对 16 个总和做前缀和，再写回去。32 个 lane 都要参加 shuffle，
        lane 16 到 31 的初值取 0。然后又是一次屏障。
        - 除 0 号 warp 外，每个 warp 都加上 `total[warp - 1]`。
      ]],
    },
  },

  after = {
    en = [[
      The scan within a warp does 129 additions in 5 rounds, although 31 additions would be enough.
      This is still the fastest way, because it has the fewest rounds. Within a warp, fewer
      additions help only if the idle lanes can do other work. In a scan across many blocks, fewer
      additions do help, because the values of each addition come from global memory.

      A scan of the whole array also needs the sums of all earlier pieces. Three launches can scan
      the pieces, scan their sums, and add these to the elements. Then each element is read and
      written twice. One launch is enough if each block publishes the sum of its piece. A block then
      looks back at the blocks before it, and adds their sums until it finds one that already knows
      the sum of everything up to its end. Libraries such as CUB scan in this way (*decoupled
      look-back*).

      In this lab's timed case, an H200 takes 4.2 us with the baseline and 3.2 us with the model
      answer. (Both were measured with a cold L2: at the start, none of the data are in this cache.)
    ]],
    zh = [[
      warp 内的前缀和用 5 轮做了 129 次加法，其实 31 次就够。但这种做法最快，因为轮数最少。
      在 warp 内减少加法，只会让更多的 lane 空闲；除非这些 lane 有其他工作可做，否则没有用。跨越许
      多块做前缀和时，减少加法确实有用，因为每次加法的两个数都来自全局内存。

      对整个数组做前缀和，还需要前面所有各段的和。可以用三次启动：算出各段的前缀和，对各段的和求前缀
      和，再加到各个元素上。这样每个元素读两次、写两次。如果每个块都公布自己那一段的和，一次启动就够
      了：一个块向前查看前面的块，把它们的和逐个加起来，直到遇到一个已经知道“到自己这一段末尾为止的总
      和”的块。CUB 等库就是这样做的（*decoupled look-back*）。

      本实验计时的用例在 H200 上，基线要 4.2 微秒，参考答案要 3.2 微秒。（都是 L2 冷态下的实测，
      即开始时，要用的数据都不在 L2 缓存里。）
    ]],
  },
  more = {
    en = [[
      Change your kernel so that each result is the sum of all elements *before* its element.
      (`check` will report the results as wrong, because each result lacks its own element.)

      Then think about the prefix sums of a million elements. In a first launch, blocks scan
      their pieces and store the totals. A second launch scans the totals. In a third launch,
      each block takes the sum of all totals on the left of its piece, and adds it to each of its
      own elements. How many bytes do the three launches move? Are two launches enough?
    ]],
    zh = [[
      请把你的核函数改成求每个元素*之前*所有元素的和。（这时 `check` 会报告结果错误，
      因为每个结果都少加了自己的元素。）

      再想一想怎样对 100 万个元素求前缀和。第一次启动时，各块对自己的一段求前缀和，并写出总和；第二
      次启动对这些总和求前缀和；第三次启动给每一段加上左边所有段的总和。三次启动一共搬运多少字节？两
      次启动够吗？
    ]],
  },
}
