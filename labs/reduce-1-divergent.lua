-- The first step of the reduction: the threads that work in a round decide how many
-- warps have to work.
local function busy_spread(round) return math.max(1, math.min(8, 256 // (1 << round))) end
local function busy_packed(round) return ceil_div(256 >> round, 32) end

return lab {
  id = "reduce-1-divergent",
  title = { en = "Reduction 1: no more divergence", zh = "归约第一步：消除分支发散" },
  chapter = 4,
  minutes = 30,
  needs = { "vector-add" },
  source = "walk-through; book 5.3; guide 5.4.1",
  teaches = {
    ["interleaved-addressing"] = "say show",
    ["five-rounds"] = "ask predict",
    ["modulo-cost"] = "ask",
    tournament = "ask",
    ["associative-reductions"] = "say",
    ["nine-to-five"] = "ask after",
    ["reduction-work"] = "say",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-30000, 30000, "n"),
    out = output("ceil_div(n, 256)"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1000 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 3 },
    at_most("idle_lanes", 0.35 * baseline) {
      points = 3,
      per = "thread",
      en = [[
        Too many warps still diverge. Which threads add in round 1? They should be the first 128
        threads of the block.
      ]],
      zh = "发散的 warp 还是太多。第一轮里是哪些线程在做加法？应当是块里最前面的 128 个。",
    },
    at_most("shared_loads", 0.4 * baseline) {
      points = 2,
      per = "thread",
      en = [[
        Too many warps still execute the addition. A warp that has nothing to add should skip the
        addition and only pass the barrier.
      ]],
      zh = "执行加法的 warp 还是太多。没有数可加的 warp 应当跳过加法，只过屏障。",
    },
    at_most("global_load_sectors", 1.5 * baseline) {
      points = 1,
      en = [[
        Your kernel reads global memory too often: once for each element is enough. Keep the partial
        sums of the tree in shared memory.
      ]],
      zh = [[
        你的核函数读全局内存的次数太多：每个元素读一次就够了。归约过程中的部分和应当放在共享内存里。
      ]],
    },
    at_most("atomics", 1 << 14) {
      points = 1,
      en = [[
        Add the elements in pairs, not by atomics: atomics on one word are done one after another.
        One atomic for each warp is allowed.
      ]],
      zh = [[
        元素应当成对相加，不要靠原子操作相加：同一个字上的原子操作只能一个接一个地做。
        每个 warp 最多可以做一次原子操作。
      ]],
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        A *reduction* makes one value from many, for example their sum or their maximum. Many
        programs need reductions: a mean, a norm and a dot product all contain a sum. In this lab's
        kernel, each block computes the sum of 256 ints. This is the first of eight labs that make a
        reduction faster, step by step. In this step, you choose which threads do the additions.

        A sum of n numbers needs n - 1 additions. Done one after the other, the additions take n - 1
        steps. Done as a *tree*, they take only log2(n) rounds. Each round adds the numbers in
        pairs, all pairs at the same time, and leaves half as many numbers. A tree works for any
        operator that is *associative*, that is, for which (a + b) + c equals a + (b + c). Maximum,
        minimum and product are associative, too.

        A block keeps its numbers in shared memory, in the array `sum`. In round 1, the block adds
        elements at distance s = 1. In the next rounds s is 2, 4, 8 ... (`tid` is the thread's
        position in the block):

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        `__syncthreads()` is a barrier: no thread goes on until all threads of the block have
        arrived. So a round begins only when the previous round is complete. *Which threads add in
        each round?*
      ]],
      zh = [[
        *归约*（reduction）把许多值合成一个，例如求和、求最大值。许多程序都要用归约：
        求平均值、范数、点积时都要用到求和。本实验的核函数里，每个块求 256 个 int 的和。
        从这里开始有八个实验，一步一步地让归约变快。在第一步里，由你决定哪些线程做加法。

        n 个数求和要做 n - 1 次加法。逐个相加要 n - 1 步；按*树*形相加只要 log2(n) 轮：
        每一轮把数两两配对，各对同时相加，数的个数随之减半。只要运算满足*结合律*，
        即 (a + b) + c 等于 a + (b + c)，就可以按树形计算。求最大值、最小值、乘积也都满足结合律。

        块把各个数放在共享内存的数组 `sum` 里。第一轮把相距 s = 1 的元素相加，
        之后各轮的 s 是 2、4、8……（`tid` 是线程在块内的编号）：

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        `__syncthreads()` 是屏障（barrier）：块内所有线程都到达之后，才能继续执行。
        所以上一轮全部完成之后，下一轮才会开始。*每一轮里，是哪些线程在做加法？*
      ]],
    },
    ask {
      alone = true,
      en = [[
        A knockout tournament is a reduction, too: its operator is "who wins". All matches of a
        round are played at the same time. How many rounds do {t} teams need? (A team without an
        opponent goes on to the next round.)
      ]],
      zh = [[
        淘汰赛也是一种归约，运算就是“谁赢”。同一轮的比赛同时进行，{t} 支球队要打几轮？
        （轮空的队直接进入下一轮。）
      ]],
      draw = { t = { from = { 16, 1000, 1024, 5000, 60000 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        {
          function(d) return d.t - 1 end,
          en = "This is the number of matches. All matches of a round are played at the same time.",
          zh = "这是比赛的总场数。同一轮的比赛是同时进行的。",
        },
        {
          function(d) return d.t // 2 end,
          en = [[
            This is the number of matches in the first round. Each round halves the number of teams.
          ]],
          zh = "这是第一轮的场数。每打一轮，球队减半。",
        },
      },
      because = {
        en = [[
          Each round halves the number of teams, so the number of rounds is log2({t}), rounded up.
          For 60,000 teams, that is 16 rounds, and the first round has 30,000 matches at the same
          time. A large GPU can hold this many threads at the same time.
        ]],
        zh = [[
          每打一轮，剩下的球队减半，所以轮数是 log2({t})，向上取整。60,000 支队要打 16 轮，
          第一轮有 30,000 场比赛同时进行。大型 GPU 也能同时容纳这么多线程。
        ]],
      },
    },
    show {
      en = [[
        The condition `tid % (2 * s) == 0` selects the threads that add. The picture shows them for
        two warps and five rounds. Active lanes are marked.
      ]],
      zh = [[
        条件 `tid % (2 * s) == 0` 选出做加法的线程。图中是两个线程束（warp）、五轮的情形，活跃的
        lane 已标出。
      ]],
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread % (1 << (round + 1)) == 0 end,
    },
    ask {
      en = [[
        A block has 256 threads, which are 8 warps. A warp has to execute the addition if at least
        one of its lanes is active. In round {r}, how many warps have to execute the addition?
      ]],
      zh = [[
        一个块有 256 个线程，即 8 个 warp。一个 warp 只要有一个 lane 活跃，就必须执行加法。
        第 {r} 轮里，有多少个 warp 必须执行加法？
      ]],
      draw = { r = { 2, 7 } },
      answer = function(d) return busy_spread(d.r) end,
      replies = {
        {
          function(d) return 256 // (1 << d.r) end,
          en = "This is the number of working threads. How many warps contain these threads?",
          zh = "这是做加法的线程数。这些线程分布在多少个 warp 里？",
        },
        {
          function(d) return ceil_div(256 // (1 << d.r), 32) end,
          en = [[
            This many warps would be enough if the working threads were neighbours. But only every
            2^{r}-th thread works.
          ]],
          zh = "做加法的线程若编号相邻，这么多 warp 就够了。但这些线程的编号相隔 2^{r}。",
        },
      },
      because = {
        en = [[
          In round r, the indices of the working threads are multiples of 2^r. Up to round 5, every
          warp contains at least one such thread, so all 8 warps execute the addition. In round 5,
          only 1 of 32 lanes is active in each warp. From round 6 on, each round halves the number
          of warps.
        ]],
        zh = [[
          第 r 轮里，做加法的线程编号都是 2^r 的倍数。前五轮里，每个 warp 都至少有一个这样的线程，
          所以 8 个 warp 都要执行加法。到了第五轮，每个 warp 的 32 个 lane 中只有 1 个活跃。
          从第六轮起，执行加法的 warp 每轮减半。
        ]],
      },
    },
    predict {
      en = [[
        If the lanes of a warp disagree at an `if`, the warp diverges, and the device counts one
        *divergent branch*. One block of 256 threads runs the skeleton. How many divergent branches
        does the device count? (The last `if (tid == 0)` makes one warp diverge, too.)
      ]],
      zh = [[
        如果一个 warp 的各 lane 在 `if` 处得到不同的结果，这个 warp 就会发散，设备计一次*发散分支*。
        让一个 256 线程的块运行骨架代码，设备会数到多少次发散分支？
        （最后的 `if (tid == 0)` 也会让一个 warp 发散。）
      ]],
      counter = "divergent_branches",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.05,
      replies = {
        {
          8,
          en = "This is the number for a single round. Every round executes the branch again.",
          zh = "这只是一轮的次数。每一轮都要再执行一次这个分支。",
        },
        {
          64,
          en = [[
            In the last rounds, most warps have no active lane. All lanes of such a warp agree, so
            the warp does not diverge.
          ]],
          zh = "最后几轮里，大多数 warp 没有活跃的 lane。这样的 warp 各 lane 结果一致，不会发散。",
        },
      },
      because = {
        en = [[
          In each of the first 5 rounds, 8 warps diverge. In the next three rounds, 4, 2 and 1 warps
          diverge. The last `if` adds one: 40 + 7 + 1 = 48.
        ]],
        zh = [[
          前 5 轮每轮有 8 个 warp 发散，之后三轮依次有 4、2、1 个，
          最后的 `if` 再加 1 次：40 + 7 + 1 = 48。
        ]],
      },
    },
    show {
      en = "The skeleton, line by line. How many lanes are active in the line that adds?",
      zh = "逐行看骨架代码。做加法的那一行有多少个活跃 lane？",
      picture = "divergence",
      of = "skeleton",
    },
    show {
      en = [[
        Other threads could do the same additions: in round r, the *first* 256 / 2^r threads of the
        block. The picture shows a smaller block of two warps:
      ]],
      zh = [[
        同样的加法可以由另一批线程来做：第 r 轮由块里*最前面*的 256 / 2^r 个线程来做。
        图中画的是只有两个 warp 的块：
      ]],
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = [[
        Now let the first threads of the block add. How many of the block's 8 warps execute the
        addition in round {r}?
      ]],
      zh = "现在改由最前面的线程做加法。第 {r} 轮里，块的 8 个 warp 中有多少个要执行加法？",
      draw = { r = { 1, 4 } },
      answer = function(d) return busy_packed(d.r) end,
      replies = {
        {
          function(d) return 256 // (1 << d.r) end,
          en = "This is the number of working threads. Each warp has 32 threads.",
          zh = "这是做加法的线程数。每个 warp 有 32 个线程。",
        },
        {
          8,
          en = [[
            With `%` in the condition, all 8 warps had to add. Now the working threads are
            neighbours.
          ]],
          zh = "用含 `%` 的条件时，8 个 warp 都要做加法。现在做加法的线程编号相邻。",
        },
      },
      because = {
        en = [[
          In round r, the first 256 / 2^r threads add. In rounds 1, 2 and 3 they fill 4, 2 and 1
          warps. From round 4 on, they are only a part of one warp. A warp without work skips the
          addition and only waits at the barrier.
        ]],
        zh = [[
          第 r 轮由最前面的 256 / 2^r 个线程做加法。第 1、2、3 轮里，这些线程依次占满 4、2、1 个
          warp；从第 4 轮起，只占一个 warp 的一部分。没有工作的 warp 跳过加法，只在屏障处等待。
        ]],
      },
    },
    ask {
      en = [[
        The compiler does not know the value of s. What does `tid % (2 * s)` cost on the device?
      ]],
      zh = "编译器不知道 s 的值。`tid % (2 * s)` 在设备上的代价是什么？",
      choices = {
        {
          en = "One instruction, like +",
          zh = "一条指令，和 + 一样",
          because = {
            en = "The device has no instruction that divides integers.",
            zh = "设备没有整数除法指令。",
          },
        },
        {
          en = "Nothing: the compiler computes the result",
          zh = "没有代价：结果由编译器算好",
          because = {
            en = "The compiler cannot do that: s changes from round to round.",
            zh = "编译器做不到：s 每一轮都在变。",
          },
        },
        {
          en = "A sequence of up to about 20 instructions",
          zh = "一串指令，最多 20 条左右",
          right = true,
          because = {
            en = [[
              Integer division and remainder are made of multiplications and corrections. Here 2 * s
              is a power of two, so `tid & (2 * s - 1)` gives the same result with one instruction.
            ]],
            zh = [[
              整数的除法和取余由乘法和修正步骤组成。这里 2 * s 是 2 的幂，
              所以 `tid & (2 * s - 1)` 结果相同，而且只要一条指令。
            ]],
          },
        },
      },
    },
    ask {
      en = [[
        A block of {b} threads needs log2({b}) rounds. With `%` in the condition, some warp diverges
        in every round. Now let the first threads of the block add. In how many rounds does *no*
        warp diverge?
      ]],
      zh = [[
        {b} 个线程的块要 log2({b}) 轮。用含 `%` 的条件时，每一轮都有 warp 发散。
        改由最前面的线程做加法之后，有几轮*没有* warp 发散？
      ]],
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d)
        local rounds = 0
        while d.b >> (rounds + 1) >= 32 do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        {
          function(d) return math.floor(math.log(d.b, 2) + 0.5) end,
          en = "In the last rounds, fewer than 32 threads add, so the first warp diverges.",
          zh = "最后几轮里，做加法的线程不足 32 个，所以第一个 warp 仍会发散。",
        },
        {
          5,
          en = [[
            This is the number of rounds in which a warp *does* diverge. In these rounds, 16, 8, 4,
            2 and 1 threads add.
          ]],
          zh = "这是*有* warp 发散的轮数：在这五轮里，做加法的线程是 16、8、4、2、1 个。",
        },
      },
      because = {
        en = [[
          As long as 32 threads or more add, they fill whole warps. A warp diverges in only the last
          five rounds, in which 16, 8, 4, 2 and 1 threads add. For 512 threads, the number of rounds
          with divergence falls from 9 to 5. (Chapter 5 of a textbook says that it falls from 10 to
          5, but the loop in that chapter has only 9 rounds.)
        ]],
        zh = [[
          只要做加法的线程不少于 32 个，就恰好占满若干个 warp。只有最后五轮会让一个 warp 发散，那时
          做加法的线程是 16、8、4、2、1 个。块有 512 个线程时，发散的轮数从 9 降到 5。（有一本教材的
          第 5 章说是从 10 降到 5，但那一章里的循环只有 9 轮。）
        ]],
      },
    },
    exercise {
      en = [[
        Let the first threads of the block do the same additions, without `%`. Every sum must stay
        the same.
      ]],
      zh = "让块里最前面的线程做同样的加法，并且不用 `%`。每个块求得的和都必须与原来一样。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel beside the baseline, which is the skeleton's kernel. Look at the last row: there
        is a new problem.
      ]],
      zh = "你的核函数与基线（骨架代码的核函数）的对比。请看最后一行：出现了新问题。",
      counters = { "divergent_branches", "shared_ld_requests", "warp_inst", "active_lanes_avg", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        In round 1 the pairs are (0,1), (2,3), (4,5) ... Which thread adds the first pair now, and
        which thread adds the second? Which threads should add them?
      ]],
      zh = [[
        第一轮的数对是 (0,1)、(2,3)、(4,5)……现在由哪个线程加第一对，由哪个线程加第二对？
        应该由哪些线程来加？
      ]],
    },
    {
      en = [[
        Number the pairs of the round from 0, and let thread t add pair t. At which element does
        pair t start if the distance is s? If this element is outside the block, the thread has
        nothing to do.
      ]],
      zh = [[
        让线程 t 负责这一轮的第 t 对（从 0 数起）。距离为 s 时，这一对从第几个元素开始？
        如果这个元素已经超出块的范围，线程就没有工作。
      ]],
    },
    {
      en = [[
        Pair t starts at `2 * s * t`:

            unsigned left = 2 * s * tid;

        If `left` is below `blockDim.x`, add `sum[left + s]` to `sum[left]`. Keep the barrier
        outside the `if`.
      ]],
      zh = [[
        第 t 对从 `2 * s * t` 开始：

            unsigned left = 2 * s * tid;

        如果 `left` 小于 `blockDim.x`，就把 `sum[left + s]` 加到 `sum[left]` 上。
        屏障要留在 `if` 外面。
      ]],
    },
  },

  after = {
    en = [[
      The kernel does the same additions in the same order as before, but other threads do them.
      These threads fill whole warps, and the other warps only pass the barrier. A warp diverges
      only in the last five rounds. On an H200, this step reduces the time for a sum of 4 million
      ints from 43.9 us to 28.9 us. (This was measured with a *cold L2*: at the start, none of the
      ints are in the L2, the cache of the whole device.)

      The step has a price. Neighbouring lanes now access elements that are 2 * s apart. Shared
      memory serves such an access in several turns. This is called a *bank conflict*. The baseline
      has no bank conflicts. The next lab explains and removes these conflicts.
    ]],
    zh = [[
      做哪些加法、按什么顺序做，都没有变；变的只是由哪些线程来做。这些线程现在占满若干个 warp，
      其余的 warp 只过屏障。只有最后五轮会让一个 warp 发散。在 H200 上，
      这一步让 400 万个 int 的求和从 43.9 微秒降到 28.9 微秒。（实测，*L2 冷态*：开始时，
      这些 int 都不在整个设备的 L2 缓存里。）

      这一步也有代价。相邻的 lane 现在访问的元素相隔 2 * s，共享内存要分几次才能完成这样的访问。这
      叫*存储体冲突*，基线没有这种冲突。下一个实验会解释原因，并消除冲突。
    ]],
  },
  more = {
    en = [[
      This series of optimisations was first made on a G80, an NVIDIA GPU of 2006. Select a model of
      this device with `device sim:g80` and look at `profile` there. What is the *limiter* of the
      baseline and of your kernel, that is, what does each of them mainly wait for? On a G80,
      integer division is slower, and shared memory serves only 16 lanes at a time. Then switch back
      with `device sim:h200`.
    ]],
    zh = [[
      这一系列优化最早是在 G80（2006 年的 NVIDIA GPU）上做的。用 `device sim:g80` 换成 G80 的模型，
      在那里看 `profile`：基线和你的核函数的*瓶颈*各是什么，也就是说，各自主要在等什么？在 G80 上，
      整数除法更慢，共享内存一次只服务 16 个 lane。看完后用 `device sim:h200` 切换回来。
    ]],
  },
}
