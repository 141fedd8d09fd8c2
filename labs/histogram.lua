-- Chapter 6: privatisation and coarsening.
return lab {
  id = "histogram",
  title = { en = "Histogram: a copy for everyone", zh = "直方图：每个块一份副本" },
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
      en = "If a read of unwritten shared memory is reported: clear the private copy first. If a race in shared memory is reported: different warps clear, count and merge, so put a `__syncthreads()` after clearing and another after counting.",
      zh = "如果报告读了从未写过的共享内存：先把私有副本清零。如果报告了共享内存的数据竞争：清零、统计、合并由不同的 warp 来做，所以清零之后和统计之后各要一个 `__syncthreads()`。",
    },
    at_most("global_atomics", 0.1 * baseline) {
      points = 2,
      en = "There are still too many global atomics. How often does a block merge its copy, and how many bytes does it count before each merge?",
      zh = "全局原子操作还是太多。一个块多久合并一次自己的副本？两次合并之间统计了多少字节？",
    },
    at_most("shared_atomic_passes", 160000) {
      points = 1,
      en = "A quarter of the bytes are 0, so many lanes of a warp update the same word of the copy. With several copies per block, fewer lanes share a word.",
      zh = "四分之一的字节是 0，所以一个 warp 的许多 lane 会更新副本的同一个字。每个块用几份副本，争用同一个字的 lane 就少了。",
    },
    speedup(4) {
      points = 3,
      none = 1,
      en = "First move the contention out of global memory, then spread it over several words. Then look at the loads: they read only one byte at a time.",
      zh = "先把争用移出全局内存，再分散到几个字上；然后看看读取：一次只读一个字节，太少了。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        `atomicAdd(&bins[v], 1)` reads a word, adds 1 and writes it, and no other thread can access the word in between. If many threads want the same word, they are served
        one after another. A histogram of bytes has 256 bins, and millions of updates contend for them.
      ]],
      zh = [[
        `atomicAdd(&bins[v], 1)` 读出一个字、加 1、写回，其间其他线程不能访问这个字。许多线程要同一个字时，只能依次进行。字节的直方图只有 256 个桶（bin），却有几百万次更新来争用。
      ]],
    },
    ask {
      alone = true,
      en = "On one word, the device completes an atomic every {t} ns. All {n} million bytes of an image are equal. How many milliseconds does the histogram take at least?",
      zh = "同一个字每 {t} ns 完成一次原子操作。一幅图像有 {n}00 万个字节，全都相等。直方图至少要多少毫秒？",
      draw = { t = { from = { 0.5, 1, 2 } }, n = { 2, 20 } },
      answer = function(d) return d.t * d.n end,
      because = { en = "{n} million times {t} ns, however many threads there are. (Measured on an H200: one atomic every 0.7 ns on a single word, but 69 atomics per ns on 1024 words.)", zh = "{n}00 万乘以 {t} ns，无论有多少线程。（H200 上实测：单个字每 0.7 ns 一次；分散在 1024 个字上，每 ns 69 次。）" },
    },
    predict {
      en = "In this lab's data a quarter of the bytes are 0; every other value is rarer. The counter atom_global_serialised counts *passes*. An atomic request of a warp takes as many passes as the largest number of lanes that want the same word. The baseline makes 65,536 requests. How many passes do they take?",
      zh = "本实验的数据里，四分之一的字节是 0，其他值都更少见。计数器 atom_global_serialised 统计*遍数*：一个线程束（warp）的一次原子请求里，最多有几个 lane 要同一个字，就要走几遍。基线有 65,536 个请求，一共多少遍？",
      counter = "atom_global_serialised",
      of = "baseline",
      tolerance = 0.1,
      because = { en = "A quarter of 32 lanes is 8, so a request takes 8 passes on average: 524,288 in total.", zh = "32 个 lane 的四分之一是 8 个，所以每个请求平均 8 遍，共 524,288 遍。" },
    },
    say {
      en = [[
        *Privatisation* means that each block updates its own copy, and the copies are merged at the end. A block's copy is in shared memory, where atomics
        are fast and only the block's threads compete. Each multiprocessor of an H200 completes the atomics of 17 lanes per cycle (measured). On the whole
        device that is about 3000 times the rate of one word of global memory.

        A *thread's* own copy would be in registers and would need no atomics. As a compromise, a block may have several copies, so that fewer of its threads
        contend for each word.
      ]],
      zh = [[
        *私有化*：每个块更新自己的副本，最后再合并。块的副本放在共享内存里，那里的原子操作快，而且只有本块的线程争用。H200 的每个多处理器每周期能完成 17 个 lane 的原子操作（实测）；整个设备合起来，约是全局内存单个字的 3000 倍。

        *线程*自己的副本可以放在寄存器里，不需要原子操作。折中的办法是一个块用几份副本，这样争用同一个字的线程就少了。
      ]],
    },
    ask {
      en = "This kernel has 256 bins. Why does each thread not count in registers?",
      zh = "这个核函数有 256 个桶，为什么不让每个线程都在寄存器里计数？",
      choices = {
        { en = "The byte would be the index, but registers cannot be indexed at run time; and 256 bins need more registers than a thread can have.", zh = "字节就是下标，而寄存器不能在运行时按下标访问；况且 256 个桶超过了一个线程的寄存器数。", right = true, because = { en = "With four or eight bins it is worth it: four or eight comparisons and additions per element, no memory access, and one merge at the end.", zh = "只有四个或八个桶时就值得：每个元素做四次或八次比较和加法，不访问内存，最后合并一次。" } },
        { en = "Additions in registers are slower than atomics in shared memory.", zh = "寄存器里的加法比共享内存的原子操作慢。", because = { en = "Additions in registers are the fastest of all.", zh = "恰恰相反，寄存器加法最快。" } },
        { en = "Threads cannot merge their registers.", zh = "线程之间不能合并寄存器的内容。", because = { en = "They can, with shuffles or through shared memory.", zh = "可以：用 shuffle，或者经过共享内存。" } },
      },
    },
    ask {
      alone = true,
      en = "A block counts {b} bytes in a private copy and then merges up to 256 bins. What percentage of the global atomics does that save in the worst case?",
      zh = "一个块用私有副本统计 {b} 个字节，然后合并最多 256 个桶。最坏情况下省下了百分之几的全局原子操作？",
      draw = { b = { from = { 256, 512, 1024, 4096, 16384 } } },
      answer = function(d) return 100 * (1 - 256 / d.b) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = "256 atomics instead of {b}. For 256 bytes nothing is saved. Privatisation pays when a copy is used much more often than it is merged: each block must count many bytes.",
        zh = "原子操作从 {b} 次变成 256 次。只统计 256 个字节时，一次也没有省。副本的更新次数远多于合并次数时，私有化才划算：每个块要统计大量字节。",
      },
    },
    ask {
      en = "A block has {c} copies, and thread t counts in copy t % {c}. A quarter of the bytes are 0. How many lanes of a warp update the word for 0 of one copy, on average?",
      zh = "一个块有 {c} 份副本，线程 t 在第 t % {c} 份里计数。四分之一的字节是 0。平均有多少个 lane 更新同一份副本的 0 号桶？",
      draw = { c = { from = { 2, 4, 8 } } },
      answer = function(d) return 8 / d.c end,
      because = {
        en = "32 / {c} lanes use a copy, and a quarter of them have a 0. Copies cost shared memory. One word of padding per copy puts the same bin of different copies into different banks.",
        zh = "每份副本有 32 / {c} 个 lane 在用，其中四分之一的字节是 0。副本要占共享内存；每份末尾填充一个字，可以让不同副本的同一个桶落在不同的存储体里。",
      },
    },
    exercise {
      en = "First privatise, then let each block count more bytes, then use several copies per block. n may be any number; bins must hold exactly the counts of this call.",
      zh = "先私有化，再让每个块统计更多字节，再用几份副本。n 任意；bins 里必须恰好是本次调用的计数。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    compare {
      en = "The contention that is left: the lanes that did an atomic, and the passes they took.",
      zh = "争用还剩在哪里：做原子操作的 lane 数，以及它们用了几遍。",
      counters = { "atom_global_lanes", "atom_global_serialised", "atom_shared_lanes", "atom_shared_serialised", "gld_requests", "device_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "global_atomics", en = "For the global atomics: do blocks need anything from each other while they count?", zh = "针对全局原子操作：统计过程中，一个块需要其他块的数据吗？" },
    { goal = "global_atomics", en = "All threads clear `__shared__ unsigned mine[256]`; `__syncthreads()`; count with a grid-stride loop; `__syncthreads()`; `if (mine[b]) atomicAdd(&bins[b], mine[b])`. Launch two blocks per multiprocessor.",
      zh = "所有线程把 `__shared__ unsigned mine[256]` 清零；`__syncthreads()`；用网格跨步循环统计；`__syncthreads()`；`if (mine[b]) atomicAdd(&bins[b], mine[b])`。每个多处理器启动两个块。" },
    { en = "For the passes, use several copies: `copy[16][257]`, where thread t counts in `copy[t % 16]`. For the time, read 16 bytes at a time (`uint4`); n need not be a multiple of 16.",
      zh = "针对遍数，用几份副本：`copy[16][257]`，线程 t 在 `copy[t % 16]` 里计数。针对时间，一次读 16 字节（`uint4`）；n 不一定是 16 的倍数。" },
  },

  after = {
    en = [[
      Measured on an H200 for 16 million random bytes (cold L2): global atomics take 4324 us. A private copy per 256 bytes takes 726 us (6 times as fast), and
      few blocks that each count many bytes take 37 us (19 times as fast again). With 16-byte loads and 16 copies per block, the model answer takes 13.9 us;
      the routine of the CUB library takes 15.1 us.

      The gain from several copies depends on data and device. If lanes add 1 to the same word of shared memory, an H200 is as fast as if they used different
      words; and random bytes are seldom equal. But lanes are served one after another if they add other numbers than 1 to the same word.
    ]],
    zh = [[
      在 H200 上对 1600 万个随机字节实测（L2 冷态）：全局原子操作用 4324 微秒；每 256 字节一份私有副本用 726 微秒（加速到原来的 6 倍）；改用少量的块、每块统计很多字节，用 37 微秒（再加速到前者的 19 倍）。
      参考答案一次读 16 字节、每块 16 份副本，用 13.9 微秒；CUB 库函数用 15.1 微秒。

      几份副本能带来多少好处，取决于数据和设备。多个 lane 在共享内存的同一个字上加 1 时，H200 和更新不同的字一样快；随机字节也很少相等。但如果加到同一个字上的数不是 1，各 lane 就要依次进行。
    ]],
  },
  more = {
    en = "Count `data[i] & 0` instead of `data[i]` (all bytes equal), then `i & 255` (0, 1, 2 ... 255 in turn). (The results are then wrong, but the counters are valid.) How do atom_shared_serialised and the time change, with one copy and with 16?",
    zh = "把 `data[i]` 换成 `data[i] & 0`（所有字节相等），再换成 `i & 255`（依次为 0、1、2……255）。（这时结果是错的，但计数器仍然有效。）用一份副本和 16 份副本时，atom_shared_serialised 和时间各怎样变化？",
  },
}
