-- Chapter 6: privatisation and coarsening.
return lab {
  id = "histogram",
  title = { en = "Histogram: a copy for everyone", zh = "直方图：各用各的副本" },
  chapter = 6,
  minutes = 40,
  needs = { "reduce-6-cascade", "spill" },
  source = "book 6.4",
  teaches = {
    ["atomics-serialise"] = "say ask predict",
    privatisation = "say exercise",
    ["register-privatisation"] = "say ask",
    ["merge-once"] = "ask goals",
    ["shared-contention"] = "say ask goals traps",
    ["histogram-gain"] = "after",
  },

  entry = "void histogram(const unsigned char *data, unsigned *bins, int n)",
  args = {
    data = skewed(0, 255, "n"),
    bins = output("256"),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 10007 }, { n = 1 << 21, timed = true } },
  hidden = { count = 3, n = { 2, 100000 } },
  goals = {
    correct {
      points = 4,
      en = "If shared memory is reported as never written: clear the private copy first. If a race is reported there: clearing, counting and merging are done by different warps, so a `__syncthreads()` belongs between any two of them.",
      zh = "如果报告说读了从未写过的共享内存：先把私有副本清零。如果报告了共享内存的数据竞争：清零、统计、合并由不同的 warp 来做，每两步之间都要有 `__syncthreads()`。",
    },
    at_most("global_atomics", 0.1 * baseline) {
      points = 2,
      en = "Global atomics are left over. How often does a block merge its copy, and how many bytes does it count in between?",
      zh = "全局原子操作还是太多。一个块多久合并一次自己的副本？两次合并之间统计了多少字节？",
    },
    at_most("shared_atomic_passes", 160000) {
      points = 1,
      en = "A quarter of the bytes are 0, so the lanes of a warp meet in one word of the copy. With several copies per block, fewer meet in each.",
      zh = "四分之一的字节是 0，一个 warp 的许多 lane 会撞在副本的同一个字上。每个块用几份副本，撞在一起的就少了。",
    },
    speedup(4) {
      points = 3,
      none = 1,
      en = "First take the crowd off global memory, then off each single word; then look at the loads: a byte at a time is little.",
      zh = "先把争抢从全局内存挪开，再从每一个字上挪开；然后看看读取：一次只读一个字节太少了。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        `atomicAdd(&bins[v], 1)` reads, adds and writes a word so that nobody gets in between. When many threads want the same word, they are served
        one after another. A histogram of bytes has 256 counters, and millions of updates contend for them.
      ]],
      zh = [[
        `atomicAdd(&bins[v], 1)` 读出一个字、加 1、写回，中间不许别人插手。许多线程要同一个字时，只能一个接一个地来。字节的直方图只有 256 个计数单元，却有几百万次更新来争抢。
      ]],
    },
    ask {
      alone = true,
      en = "One word takes an atomic every {t} ns. All {n} million bytes of a picture are equal. How many milliseconds does the histogram take at least?",
      zh = "同一个字每 {t} ns 才能完成一次原子操作。一幅图有 {n}00 万个字节，全都相等。直方图至少要多少毫秒？",
      draw = { t = { from = { 0.5, 1, 2 } }, n = { 2, 20 } },
      answer = function(d) return d.t * d.n end,
      because = { en = "{n} million times {t} ns, however many threads there are. (An H200 does one in 0.7 ns on a single word, 69 in 1 ns on 1024 words: measured.)", zh = "{n}00 万乘以 {t} ns，无论有多少线程。（H200 上单个字每 0.7 ns 一次；分散在 1024 个字上，每 1 ns 有 69 次：实测。）" },
    },
    predict {
      en = "In the data of this lab a quarter of the bytes are 0; the other values are rarer. The counter atom_global_serialised counts *passes*: for each atomic request of a warp, the largest number of its 32 lanes that want one word. The baseline makes 65,536 requests. How many passes?",
      zh = "本实验的数据里，四分之一的字节是 0，其他值都更少见。计数器 atom_global_serialised 统计*遍数*：一个线程束（warp）的每次原子请求里，32 个 lane 中最多有几个要同一个字，就是几遍。基线有 65,536 个请求，一共多少遍？",
      counter = "atom_global_serialised",
      of = "baseline",
      tolerance = 0.1,
      because = { en = "A quarter of 32 lanes is 8, so 8 passes on average: 524,288.", zh = "32 个 lane 的四分之一是 8 个，平均 8 遍：524,288。" },
    },
    say {
      en = [[
        *Privatisation*: update a copy of your own, and merge the copies at the end. The copy of a block is in shared memory, where atomics are quick and only the block's threads compete: 17 lanes a cycle on each multiprocessor of an H200 (measured), some 3000 times as many
        on the whole device as on one word of global memory.

        The copy of a *thread* would be in registers, and need no atomic at all. And between the two, a block may have several copies, so that fewer of its threads meet in each word.
      ]],
      zh = [[
        *私有化*：各自更新自己的副本，最后再合并。一个块的副本放在共享内存里，那里的原子操作快，而且只有本块的线程在争：H200 的每个多处理器每周期能完成 17 个 lane（实测），整个设备合起来，是全局内存单个字的大约 3000 倍。

        一个*线程*的副本可以放在寄存器里，连原子操作都不需要。介于两者之间，一个块也可以有几份副本，这样撞在同一个字上的线程就少了。
      ]],
    },
    ask {
      en = "Why does not every thread of this kernel count in registers, with 256 bins?",
      zh = "这个核函数有 256 个桶（bin），为什么不让每个线程都在寄存器里计数？",
      choices = {
        { en = "A byte would be the index, and registers have no index; 256 of them are more than a thread has.", zh = "字节就是下标，而寄存器没有下标；况且 256 个超过了一个线程所能有的。", right = true, because = { en = "With four or eight bins it is worth it: as many comparisons and additions per element, no memory, one merge at the end.", zh = "只有四个或八个桶时就值得：每个元素做几次比较和加法，不碰内存，最后合并一次。" } },
        { en = "Additions in registers are slower than atomics in shared memory.", zh = "寄存器里的加法比共享内存的原子操作慢。", because = { en = "They are the fastest there are.", zh = "恰恰相反，寄存器加法最快。" } },
        { en = "Threads could not merge their registers.", zh = "线程之间没法合并寄存器的内容。", because = { en = "They could: by shuffles, or through shared memory.", zh = "可以：用洗牌，或者经过共享内存。" } },
      },
    },
    ask {
      alone = true,
      en = "A block counts {b} bytes in a private copy and then merges up to 256 bins. Which share of the global atomics does that save, in the worst case? (in %)",
      zh = "一个块用私有副本统计 {b} 个字节，然后合并最多 256 个桶。最坏情况下省下了百分之几的全局原子操作？",
      draw = { b = { from = { 256, 512, 1024, 4096, 16384 } } },
      answer = function(d) return 100 * (1 - 256 / d.b) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "256 in place of {b}. For 256 bytes nothing is saved at all. Privatisation pays when a copy is used much more often than it is merged: each block must count many bytes.",
        zh = "{b} 次变成 256 次。只统计 256 个字节时一次也没省。副本被使用的次数远多于合并次数，私有化才划算：每个块要统计大量字节。",
      },
    },
    ask {
      en = "A block has {c} copies, and thread t counts in copy t % {c}. A quarter of the bytes are 0. How many lanes of a warp meet in the word for 0 of one copy, on average?",
      zh = "一个块有 {c} 份副本，线程 t 在第 t % {c} 份里计数。四分之一的字节是 0。平均有多少个 lane 撞在同一份副本的 0 号桶上？",
      draw = { c = { from = { 2, 4, 8 } } },
      answer = function(d) return 8 / d.c end,
      because = {
        en = "32 / {c} lanes use a copy, and a quarter of them meet. Copies cost shared memory, and one word of padding in each keeps equal bins of different copies out of the same bank.",
        zh = "每份副本有 32 / {c} 个 lane 在用，其中四分之一撞在一起。副本要占共享内存；每份末尾填充一个字，可以让不同副本的同一个桶落在不同的存储体里。",
      },
    },
    exercise {
      en = "Privatise, then coarsen, then spread. Any n; bins must hold exactly this call's counts.",
      zh = "先私有化，再粗化，再分散到几份副本。n 任意；bins 里必须恰好是本次调用的计数。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    compare {
      en = "Where the crowd went: lanes that made an atomic, and passes that they took.",
      zh = "争用还剩在哪里：做原子操作的 lane 数，以及它们用了几遍。",
      counters = { "atom_global_lanes", "atom_global_serialised", "atom_shared_lanes", "atom_shared_serialised", "gld_requests", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "global_atomics", en = "For the global atomics: what do blocks need from each other while they count?", zh = "针对全局原子操作：在统计过程中，各个块之间需要互通什么吗？" },
    { goal = "global_atomics", en = "`__shared__ unsigned mine[256]`, cleared by all threads; `__syncthreads()`; count with a grid-stride loop; `__syncthreads()`; `if (mine[b]) atomicAdd(&bins[b], mine[b])`. Two blocks per multiprocessor.",
      zh = "`__shared__ unsigned mine[256]`，由所有线程清零；`__syncthreads()`；用网格跨步循环统计；`__syncthreads()`；`if (mine[b]) atomicAdd(&bins[b], mine[b])`。每个多处理器两个块。" },
    { en = "For the passes, several copies: `copy[16][257]`, thread t counting in `copy[t % 16]`. For the time, read 16 bytes at a time (`uint4`); the data may end in the middle of 16 bytes.",
      zh = "针对遍数，用几份副本：`copy[16][257]`，线程 t 在 `copy[t % 16]` 里计数。针对时间，一次读 16 字节（`uint4`）；数据可能在 16 字节的中间结束。" },
  },

  after = {
    en = [[
      Measured on an H200, from a cold L2, for 16 million random bytes: 4324 us with global atomics, 726 with a private copy per 256 bytes (6 times as fast), 37 with few blocks that count
      a lot each (another 19 times). With 16-byte loads and 16 copies per block, as in the answer: 13.9, against 15.1 for CUB's library routine.

      What the copies gain depends on data and device: an H200 adds up increments by one that meet in a word of shared memory as fast as others, and random bytes seldom meet. Where most values are the same, or where other numbers than one are added, lanes queue.
    ]],
    zh = [[
      在 H200 上对一千六百万个随机字节实测（L2 冷态）：全局原子操作 4324 微秒；每 256 字节一份私有副本 726 微秒（快 6 倍）；改用少量的块、每块统计很多字节后 37 微秒（再快 19 倍）。
      像参考答案那样一次读 16 字节、每块 16 份副本，是 13.9 微秒，而 CUB 库函数是 15.1 微秒。

      几份副本能带来多少好处，取决于数据和设备：多个 lane 在共享内存的同一个字上加 1 时，H200 处理得和互不相撞时一样快；随机字节也很少相撞。如果大多数值相同，或者加的不是 1，各 lane 就要排队。
    ]],
  },
  more = {
    en = "Count `data[i] & 0` in place of `data[i]` (all bytes equal), then `i & 255` (0, 1, 2 ... 255 in turn): the results are wrong then, the counters are not. What do atom_shared_serialised and the time do, with one copy and with 16?",
    zh = "把 `data[i]` 换成 `data[i] & 0`（所有字节相等），再换成 `i & 255`（依次为 0、1、2……255）：这时结果是错的，计数器仍然有效。用一份副本和 16 份副本时，atom_shared_serialised 和时间各是多少？",
  },
}
