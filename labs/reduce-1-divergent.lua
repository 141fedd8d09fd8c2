-- The first step of the reduction: which threads of a block work in a round decides how many warps have to.
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
    ["in"] = integers(-100, 100, "n"),
    out = output("ceil_div(n, 256)"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1000 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 4 },
    at_most("divergent_jumps", 0.2 * baseline) {
      points = 3,
      en = "Too many warps are still split. In round 1, which threads work? They should be the first 128 of the block.",
      zh = "发散的 warp 还是太多。第一轮里是哪些线程在干活？应当是块里的前 128 个。",
    },
    at_most("shared_loads", 0.4 * baseline) {
      points = 3,
      en = "Too many warps still take part in each round: whole warps should rest once there is nothing for them to add.",
      zh = "每一轮参与的 warp 还是太多：没有东西可加的 warp 应当整个休息。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        A sum of n numbers needs n - 1 additions, and one after the other they take n - 1 steps. In a tree they take log2(n) rounds: in each
        round, pairs are added side by side and half as many numbers are left. The same goes for the largest, the smallest, the product: for any operator
        that is *associative*, so that it does not matter where the brackets stand.

        A block does this in shared memory. In round 1 elements at distance s = 1 are added, then s = 2, 4, 8 ...:

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        The barrier keeps a round from starting before the one before it is complete. *Who works, in each round?*
      ]],
      zh = [[
        n 个数求和要做 n - 1 次加法，一个接一个做就是 n - 1 步；排成一棵树，只要 log2(n) 轮：每一轮里两两同时相加，剩下的数减半。
        求最大值、最小值、乘积也一样：只要运算满足*结合律*，括号加在哪里都不影响结果。

        一个块在共享内存里这样做：第一轮把相距 s = 1 的元素相加，然后是 s = 2、4、8……

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        有了屏障（barrier），上一轮没有全部完成，下一轮就不会开始。*那么每一轮里，是谁在干活？*
      ]],
    },
    ask {
      alone = true,
      en = "A knockout tournament is a reduction as well: its operator is \"who wins\". With enough fields to play all matches of a round at once, how many rounds do {t} teams need? (A team without an opponent goes on.)",
      zh = "淘汰赛也是一种归约，运算就是“谁赢”。如果场地足够多，每一轮的比赛都能同时进行，{t} 支球队要打几轮？（轮空的队直接晋级。）",
      draw = { t = { from = { 16, 1000, 1024, 5000, 60000 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return d.t - 1 end, en = "That is the number of matches. Those of a round are played at once.", zh = "这是比赛的场数。同一轮的各场是同时进行的。" },
        { function(d) return d.t // 2 end, en = "Those are the matches of the first round. Each round halves the teams.", zh = "这是第一轮的场数。每一轮球队减半。" },
      },
      because = {
        en = "Each round halves what is left: log2, rounded up. 1024 teams need 10 rounds, 60,000 need 16; the first of them takes 30,000 matches at once. A GPU has the fields.",
        zh = "每一轮剩下的减半：以 2 为底取对数，再向上取整。1024 支队要 10 轮，6 万支队要 16 轮，但第一轮要同时进行 3 万场比赛。GPU 有的是场地。",
      },
    },
    show {
      en = "The modulo test, for two warps and five rounds. Working lanes are marked.",
      zh = "用取模条件挑选线程：两个线程束（warp）、五轮的情形，干活的 lane 已标出。",
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread % (1 << (round + 1)) == 0 end,
    },
    ask {
      en = "A block has 256 threads, that is 8 warps. In round {r}, how many warps have at least one working lane and must execute the addition?",
      zh = "一个块有 256 个线程，即 8 个 warp。第 {r} 轮里，有多少个 warp 至少有一个 lane 在干活，因而必须执行加法？",
      draw = { r = { 2, 7 } },
      answer = function(d) return busy_spread(d.r) end,
      replies = {
        { function(d) return 256 // (1 << d.r) end, en = "Those are the working threads. How many warps do they lie in?", zh = "这是在工作的线程数。它们分布在多少个 warp 里？" },
        { function(d) return ceil_div(256 // (1 << d.r), 32) end, en = "That is how many warps would do if the working threads stood side by side. They stand 2^{r} apart.", zh = "如果在工作的线程并排站，只要这么多 warp。可它们相隔 2^{r} 个线程。" },
      },
      because = {
        en = [[
          Working threads are multiples of 2^round. Up to round 5 there is one in every warp, so all 8 warps execute the addition, the last
          time with 1 lane of 32 each. From round 6 on, half of the warps drop out every time.
        ]],
        zh = "干活的线程号是 2^轮数 的倍数。前五轮里每个 warp 都至少有一个，于是 8 个 warp 都得执行加法，到第五轮每个 warp 只剩 1/32 的 lane 在干活。从第六轮起，warp 才每轮减半。",
      },
    },
    predict {
      en = [[
        Each time a warp's lanes disagree at the `if`, it is split, and one *divergent branch* is counted. One block of 256 threads runs the
        skeleton. How many divergent branches will it count? (The final `if (tid == 0)` splits a warp as well.)
      ]],
      zh = [[
        `if` 的条件在一个 warp 的各 lane 上结果不一致时，warp 就会发散，计一次*发散分支*。让一个 256 线程的块运行骨架代码，会数到多少次发散分支？
        （最后的 `if (tid == 0)` 也会拆开一个 warp。）
      ]],
      counter = "divergent_branches",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.05,
      replies = {
        { 8, en = "There is one branch, but it is met in each of the rounds.", zh = "分支只有一处，但每一轮都会遇到。" },
        { 64, en = "In the last rounds most warps have no working lane at all: all lanes agree there.", zh = "最后几轮里，大多数 warp 连一个工作的 lane 也没有：那里各 lane 结果一致。" },
      },
      because = {
        en = "8 warps in each of 5 rounds, then 4, 2 and 1, and one at the end: 40 + 7 + 1 = 48.",
        zh = "前 5 轮每轮 8 个 warp，然后是 4、2、1，最后再加 1 次：40 + 7 + 1 = 48。",
      },
    },
    show {
      en = "The skeleton, line by line: look at the lanes that were active where the sum is made.",
      zh = "逐行看骨架代码：注意求和那一行有多少个 lane 在工作。",
      picture = "divergence",
      of = "skeleton",
    },
    show {
      en = "The same additions could be made by other threads: in round r, by the *first* 256 / 2^r of the block. For two warps:",
      zh = "同样的加法可以换一批线程来做：第 r 轮由块里*最前面*的 256 / 2^r 个线程来做。两个 warp 的情形：",
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = "Packed like this, how many of the block's 8 warps execute the addition in round {r}?",
      zh = "这样集中起来之后，第 {r} 轮里 8 个 warp 中有多少个要执行加法？",
      draw = { r = { 1, 4 } },
      answer = function(d) return busy_packed(d.r) end,
      replies = {
        { function(d) return 256 // (1 << d.r) end, en = "Those are the working threads; 32 of them are one warp.", zh = "这是在工作的线程数，每 32 个是一个 warp。" },
        { 8, en = "So it was with the modulo test. Now the working threads are the first ones.", zh = "用取模判断时是这样。现在工作的是最前面的线程。" },
      },
      because = {
        en = "256 / 2^r threads, 32 to a warp: 4, 2, 1, 1 ... A warp without work jumps over the addition and only waits at the barrier.",
        zh = "256 / 2^r 个线程，32 个一组：4、2、1、1……没活的 warp 直接跳过加法，只在屏障处等着。",
      },
    },
    ask {
      en = "What does `tid % (2 * s)` cost on the device, when the compiler does not know s?",
      zh = "如果编译器不知道 s 的值，`tid % (2 * s)` 在设备上要多大代价？",
      choices = {
        { en = "One instruction, like +", zh = "一条指令，和 + 一样", because = { en = "There is no divide instruction for integers.", zh = "GPU 没有整数除法指令。" } },
        { en = "Nothing: it is computed at compile time", zh = "没有代价：编译时就算好了", because = { en = "s changes from round to round.", zh = "s 每一轮都在变。" } },
        {
          en = "A sequence of up to some 20 instructions",
          zh = "一串指令，多的有 20 条左右",
          right = true,
          because = {
            en = "Integer division and remainder are made of multiplications and corrections. `tid & (2 * s - 1)` is one instruction, and right because 2 * s is a power of two.",
            zh = "整数的除法和取余是用乘法加修正拼出来的。因为 2 * s 是 2 的幂，写成 `tid & (2 * s - 1)` 只要一条指令。",
          },
        },
      },
    },
    ask {
      en = "A block of {b} threads needs log2({b}) rounds. With the modulo test its warps are split in every one of them. With the first threads at work, in how many rounds is *no* warp split?",
      zh = "{b} 个线程的块要 log2({b}) 轮。用取模条件时，每一轮都有 warp 发散。改由最前面的线程来做，有几轮里*没有* warp 发散？",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d)
        local rounds = 0
        while d.b >> (rounds + 1) >= 32 do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return math.floor(math.log(d.b, 2) + 0.5) end, en = "In the last rounds fewer than 32 threads work: there the first warp is split.", zh = "最后几轮工作的线程不足 32 个：第一个 warp 在那里还是会发散。" },
        { 5, en = "In these rounds a warp *is* split: 16, 8, 4, 2 and 1 threads work.", zh = "这几轮恰恰会发散：工作的线程是 16、8、4、2、1 个。" },
      },
      because = {
        en = "As long as 32 threads or more work, they fill whole warps. Only the last five rounds, with 16, 8, 4, 2 and 1 threads, split one. For 512 threads: from 9 rounds with a split down to 5. (A textbook says from 10: count its loop.)",
        zh = "只要干活的线程不少于 32 个，它们就占满整个 warp。只有最后五轮（16、8、4、2、1 个线程）会让一个 warp 发散。512 个线程时，发散的轮数从 9 降到 5。（教材说是从 10 降到 5：数一数它的循环。）",
      },
    },
    exercise {
      en = "Make the same additions with the first threads of the block, and without %. Every sum stays exactly the same.",
      zh = "改用块里最前面的线程来做同样的加法，并且不用 %。所有的和必须与原来完全一样。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Beside the modulo version. Watch the last row, too: something new has come up.",
      zh = "与取模版本对比。也请留意最后一行：出现了新问题。",
      counters = { "divergent_branches", "shared_ld_requests", "warp_inst", "active_lanes_avg", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "In round 1 the pairs are (0,1), (2,3), (4,5) ... Which thread adds the first pair now, which the second? Which should?",
      zh = "第一轮的数对是 (0,1)、(2,3)、(4,5)……现在由哪个线程加第一对、哪个线程加第二对？应该由谁来加？",
    },
    {
      en = "Let thread t add the t-th pair of the round. Where does that pair start, for a distance of s? Threads whose pair would start beyond the block have nothing to do.",
      zh = "让线程 t 负责这一轮的第 t 对。当距离为 s 时，这一对从哪里开始？如果起点已经超出块的范围，这个线程就没事可做。",
    },
    {
      en = [[
        The t-th pair starts at `2 * s * t`:

            unsigned left = 2 * s * tid;

        Add `sum[left + s]` to `sum[left]` when `left` is below `blockDim.x`, and keep the barrier outside of the `if`.
      ]],
      zh = [[
        第 t 对从 `2 * s * t` 开始：

            unsigned left = 2 * s * tid;

        当 `left` 小于 `blockDim.x` 时，把 `sum[left + s]` 加到 `sum[left]` 上；屏障要留在 `if` 外面。
      ]],
    },
  },

  after = {
    en = [[
      The additions and their order are the same; only the threads that make them moved together. Full warps work, the others rest, and a
      warp is split only in the last five rounds, where fewer than 32 threads have work. On an H200 this step alone brings the sum of 4
      million ints from 43.9 us to 28.9 (measured, cold L2).

      It has a price. The working lanes now touch elements that lie 2 * s apart, and shared memory has 32 banks: the counter of bank
      conflicts has risen from nothing. That is the next lab.
    ]],
    zh = [[
      加法还是那些加法，顺序也没变，只是做加法的线程挪到了一起。满员的 warp 干活，其余的休息；只有最后五轮，干活的线程不足 32 个，才会拆开一个 warp。
      在 H200 上，光这一步就让四百万个 int 的求和从 43.9 微秒降到 28.9 微秒（实测，L2 冷态）。

      代价也有：干活的 lane 现在访问的元素彼此相隔 2 * s，而共享内存只有 32 个存储体（bank），存储体冲突的计数从零涨了上来。这就是下一个实验的题目。
    ]],
  },
  more = {
    en = [[
      Switch to `device sim:g80`, a model of the machine on which this series of steps was first made, and look at `profile` there: what does it name as the limiter of either
      kernel? Integer division was slower, and an access to shared memory served 16 lanes. Then come back with `device sim:h200`.
    ]],
    zh = [[
      用 `device sim:g80` 切换到当年最早做这一系列优化的机器的模型，在那里看 `profile`：两个核函数的瓶颈各是什么？那时整数除法更慢，共享内存一次只服务 16 个 lane。
      看完用 `device sim:h200` 切回来。
    ]],
  },
}
