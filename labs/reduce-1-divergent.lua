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
      en = "Too many warps still diverge. Which threads work in round 1? They should be the first 128 of the block.",
      zh = "发散的 warp 还是太多。第一轮里是哪些线程在工作？应当是块里的前 128 个。",
    },
    at_most("shared_loads", 0.4 * baseline) {
      points = 3,
      en = "Too many warps still add in each round. A warp with nothing to add should skip the addition and only pass the barrier.",
      zh = "每一轮做加法的 warp 还是太多：没有数可加的 warp 应当跳过加法，只过屏障。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        A sum of n numbers needs n - 1 additions. One after the other they take n - 1 steps; as a tree they take log2(n) rounds. Each round adds pairs
        at the same time and leaves half as many numbers. The same works for a maximum, a minimum or a product: for any operator
        that is *associative*, where the brackets may be moved.

        A block does this in shared memory. Round 1 adds elements at distance s = 1, the next rounds at s = 2, 4, 8 ...:

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        The barrier makes each round wait until the previous one is complete. *Which threads work in each round?*
      ]],
      zh = [[
        n 个数求和要做 n - 1 次加法。逐个相加要 n - 1 步；按树形相加只要 log2(n) 轮：每一轮把数两两配对，各对同时相加，剩下的数减半。
        求最大值、最小值、乘积也一样：只要运算满足*结合律*，即括号加在哪里都不影响结果，就可以这样做。

        一个块在共享内存里这样做：第一轮把相距 s = 1 的元素相加，之后各轮 s = 2、4、8……：

            for (unsigned s = 1; s < blockDim.x; s *= 2) {
                if (tid % (2 * s) == 0) sum[tid] += sum[tid + s];
                __syncthreads();
            }

        屏障（barrier）保证上一轮全部完成之后，下一轮才开始。*每一轮里，是哪些线程在做加法？*
      ]],
    },
    ask {
      alone = true,
      en = "A knockout tournament is a reduction too: its operator is \"who wins\". There are enough fields to play all matches of a round at once. How many rounds do {t} teams need? (A team without an opponent goes on to the next round.)",
      zh = "淘汰赛也是一种归约，运算就是“谁赢”。如果场地足够多，每一轮的比赛都能同时进行，{t} 支球队要打几轮？（轮空的队直接晋级。）",
      draw = { t = { from = { 16, 1000, 1024, 5000, 60000 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return d.t - 1 end, en = "That is the number of matches. All matches of a round are played at once.", zh = "这是比赛的场数。同一轮的各场是同时进行的。" },
        { function(d) return d.t // 2 end, en = "Those are the matches of the first round. Each round halves the teams.", zh = "这是第一轮的场数。每一轮球队减半。" },
      },
      because = {
        en = "Each round halves the number of teams, so the number of rounds is log2({t}), rounded up. 60,000 teams need 16 rounds, and their first round has 30,000 matches at once. A GPU can hold that many threads at once.",
        zh = "每一轮剩下的球队减半，所以轮数是 log2({t})，向上取整。60,000 支队要 16 轮，第一轮同时进行 30,000 场比赛。GPU 也能同时驻留这么多线程。",
      },
    },
    show {
      en = "The modulo test selects these threads, drawn for two warps and five rounds. Active lanes are marked.",
      zh = "取模条件选出这些线程。图中是两个线程束（warp）、五轮的情形，活跃的 lane 已标出。",
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread % (1 << (round + 1)) == 0 end,
    },
    ask {
      en = "A block has 256 threads, that is 8 warps. In round {r}, how many warps have at least one active lane and must therefore execute the addition?",
      zh = "一个块有 256 个线程，即 8 个 warp。第 {r} 轮里，有多少个 warp 至少有一个活跃的 lane，因而必须执行加法？",
      draw = { r = { 2, 7 } },
      answer = function(d) return busy_spread(d.r) end,
      replies = {
        { function(d) return 256 // (1 << d.r) end, en = "That is the number of working threads. How many warps do they lie in?", zh = "这是工作的线程数。这些线程分布在多少个 warp 里？" },
        { function(d) return ceil_div(256 // (1 << d.r), 32) end, en = "This many warps would be enough if the working threads were neighbours. But their indices are 2^{r} apart.", zh = "工作的线程若编号相邻，这么多 warp 就够了。但它们的编号相隔 2^{r}。" },
      },
      because = {
        en = [[
          The indices of the working threads are multiples of 2^round. Up to round 5 every warp has at least one of them, so all 8 warps execute the addition;
          in round 5 each does so with only 1 lane of 32. From round 6 on, each round halves the number of warps.
        ]],
        zh = "第 r 轮里，工作线程的编号是 2^r 的倍数。前五轮里每个 warp 都至少有一个工作的线程，所以 8 个 warp 都要执行加法；到第五轮，每个 warp 的 32 个 lane 中只有 1 个活跃。从第六轮起，执行加法的 warp 才每轮减半。",
      },
    },
    predict {
      en = [[
        When the lanes of a warp disagree at the `if`, the warp diverges, and the device counts one *divergent branch*. One block of 256 threads runs the
        skeleton. How many divergent branches does the device count? (The final `if (tid == 0)` makes a warp diverge too.)
      ]],
      zh = [[
        `if` 的条件在一个 warp 的各 lane 上结果不一致时，warp 就会发散，计一次*发散分支*。让一个 256 线程的块运行骨架代码，设备会数到多少次发散分支？
        （最后的 `if (tid == 0)` 也会让一个 warp 发散。）
      ]],
      counter = "divergent_branches",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.05,
      replies = {
        { 8, en = "The loop has one such branch, but each round executes it.", zh = "循环里只有一处这样的分支，但每一轮都会执行它。" },
        { 64, en = "In the last rounds most warps have no active lane. All their lanes agree, so they do not diverge.", zh = "最后几轮里，大多数 warp 没有活跃的 lane：各 lane 的结果一致，不会发散。" },
      },
      because = {
        en = "8 warps diverge in each of the first 5 rounds, then 4, 2 and 1, and one more at the end: 40 + 7 + 1 = 48.",
        zh = "前 5 轮每轮有 8 个 warp 发散，之后是 4、2、1 个，最后再加 1 次：40 + 7 + 1 = 48。",
      },
    },
    show {
      en = "The skeleton, line by line: how many lanes are active in the line that adds?",
      zh = "逐行看骨架代码：求和那一行有多少个活跃 lane？",
      picture = "divergence",
      of = "skeleton",
    },
    show {
      en = "Other threads could do the same additions: in round r, the *first* 256 / 2^r threads of the block. For two warps:",
      zh = "同样的加法可以由另一批线程来做：第 r 轮由块里*最前面*的 256 / 2^r 个线程来做。两个 warp 的情形：",
      picture = "rounds",
      lanes = 64,
      rounds = 5,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = "With the first threads at work, how many of the block's 8 warps execute the addition in round {r}?",
      zh = "改由最前面的线程工作之后，第 {r} 轮里，块的 8 个 warp 中有多少个要执行加法？",
      draw = { r = { 1, 4 } },
      answer = function(d) return busy_packed(d.r) end,
      replies = {
        { function(d) return 256 // (1 << d.r) end, en = "That is the number of working threads. Each warp has 32 threads.", zh = "这是工作的线程数。每个 warp 有 32 个线程。" },
        { 8, en = "That was true of the modulo test. Now the first threads of the block work.", zh = "用取模条件时是这样。现在工作的是块里最前面的线程。" },
      },
      because = {
        en = "256 / 2^r threads work, 32 in a warp: 4, 2, 1, 1 ... warps. A warp without work skips the addition and only waits at the barrier.",
        zh = "256 / 2^r 个线程，每 32 个是一个 warp：依次是 4、2、1、1……个 warp。没有工作的 warp 跳过加法，只在屏障处等待。",
      },
    },
    ask {
      en = "What does `tid % (2 * s)` cost on the device if the compiler does not know s?",
      zh = "编译器不知道 s 的值时，`tid % (2 * s)` 在设备上的代价是什么？",
      choices = {
        { en = "One instruction, like +", zh = "一条指令，和 + 一样", because = { en = "The device has no instruction that divides integers.", zh = "设备没有整数除法指令。" } },
        { en = "Nothing: it is computed at compile time", zh = "没有代价：编译时就算好了", because = { en = "The compiler cannot do that: s changes from round to round.", zh = "编译器做不到：s 每一轮都在变。" } },
        {
          en = "A sequence of up to about 20 instructions",
          zh = "一串指令，最多 20 条左右",
          right = true,
          because = {
            en = "Integer division and remainder are made of multiplications and corrections. `tid & (2 * s - 1)` takes one instruction and gives the same result, because 2 * s is a power of two.",
            zh = "整数的除法和取余由乘法和修正步骤组成。因为 2 * s 是 2 的幂，写成 `tid & (2 * s - 1)` 结果相同，只要一条指令。",
          },
        },
      },
    },
    ask {
      en = "A block of {b} threads needs log2({b}) rounds. With the modulo test, warps diverge in every round. With the first threads at work, in how many rounds does *no* warp diverge?",
      zh = "{b} 个线程的块要 log2({b}) 轮。用取模条件时，每一轮都有 warp 发散。改由最前面的线程工作之后，有几轮*没有* warp 发散？",
      draw = { b = { from = { 128, 256, 512, 1024 } } },
      answer = function(d)
        local rounds = 0
        while d.b >> (rounds + 1) >= 32 do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return math.floor(math.log(d.b, 2) + 0.5) end, en = "In the last rounds fewer than 32 threads work, so the first warp diverges.", zh = "最后几轮工作的线程不足 32 个，所以第一个 warp 仍会发散。" },
        { 5, en = "In these five rounds a warp *does* diverge: 16, 8, 4, 2 and 1 threads work.", zh = "这五轮恰恰会发散：工作的线程是 16、8、4、2、1 个。" },
      },
      because = {
        en = "While 32 threads or more work, they fill whole warps. A warp diverges in only the last five rounds, with 16, 8, 4, 2 and 1 threads. For 512 threads, the rounds with divergence fall from 9 to 5. (Chapter 5 of the textbook says from 10 to 5, but its loop makes 9 rounds.)",
        zh = "只要工作的线程不少于 32 个，就恰好占满若干个 warp。只有最后五轮（16、8、4、2、1 个线程）会让一个 warp 发散。512 个线程时，发散的轮数从 9 降到 5。（教材第 5 章说是从 10 降到 5，但教材里的循环只有 9 轮。）",
      },
    },
    exercise {
      en = "Let the first threads of the block do the same additions, without %. Every sum must stay exactly the same.",
      zh = "让块里最前面的线程做同样的加法，并且不用 %。所有的和必须与原来完全一样。",
    },
    show {
      en = "Your kernel, line by line:",
      zh = "逐行看你的核函数：",
      picture = "divergence",
      of = "mine",
    },
    compare {
      en = "Your version beside the modulo version. Look at the last row too: there is a new problem.",
      zh = "你的版本与取模版本的对比。请注意最后一行：出现了新问题。",
      counters = { "divergent_branches", "shared_ld_requests", "warp_inst", "active_lanes_avg", "shared_ld_conflicts" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "In round 1 the pairs are (0,1), (2,3), (4,5) ... Which threads add the first and the second pair now? Which threads should?",
      zh = "第一轮的数对是 (0,1)、(2,3)、(4,5)……现在由哪个线程加第一对、哪个线程加第二对？应该由哪些线程来加？",
    },
    {
      en = "Let thread t add the t-th pair of the round. At which element does that pair start if the distance is s? A thread whose pair would start beyond the block has nothing to do.",
      zh = "让线程 t 负责这一轮的第 t 对。距离为 s 时，这一对从第几个元素开始？如果起点超出块的范围，这个线程就没有工作。",
    },
    {
      en = [[
        The t-th pair starts at `2 * s * t`:

            unsigned left = 2 * s * tid;

        Add `sum[left + s]` to `sum[left]` when `left` is below `blockDim.x`, and keep the barrier outside the `if`.
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
      The additions and their order are the same; only the threads that do them have changed. Full warps work, the others skip the addition and only pass the
      barrier, and a warp diverges only in the last five rounds, in which fewer than 32 threads work. On an H200 this step reduces the time to sum 4
      million ints from 43.9 us to 28.9 us (measured, cold L2).

      The step has a price. Neighbouring lanes now access elements that are 2 * s apart, and shared memory has 32 banks: there are now bank
      conflicts, where there were none before. The next lab removes them.
    ]],
    zh = [[
      加法和顺序都没有变，变的只是由哪些线程来做。工作的线程占满若干个 warp，其余的 warp 跳过加法，只过屏障；只有最后五轮，工作的线程不足 32 个，才有一个 warp 发散。
      在 H200 上，仅这一步就让 400 万个 int 的求和从 43.9 微秒降到 28.9 微秒（实测，L2 冷态）。

      这一步也有代价：相邻的 lane 现在访问的元素相隔 2 * s，而共享内存只有 32 个存储体（bank），于是出现了原来没有的存储体冲突。下一个实验就来消除它。
    ]],
  },
  more = {
    en = [[
      Switch to `device sim:g80`, a model of the device on which this series of optimisations was first made, and look at `profile` there: what is the limiter of each
      kernel? On that device integer division is slower, and one pass over shared memory serves 16 lanes. Then switch back with `device sim:h200`.
    ]],
    zh = [[
      这一系列优化最早是在 G80 上做的。用 `device sim:g80` 换成它的模型，在那里看 `profile`：两个核函数的瓶颈各是什么？在那个设备上，整数除法更慢，共享内存的一遍访问只服务 16 个 lane。
      看完后用 `device sim:h200` 切换回来。
    ]],
  },
}
