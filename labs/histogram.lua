-- Chapter 6: privatisation and coarsening.
return lab {
  id = "histogram",
  title = { en = "Histogram: a copy for everyone", zh = "直方图：各用各的副本" },
  chapter = 6,
  minutes = 35,
  needs = { "reduce-6-cascade" },
  source = "book 6.4; slides activity 9",
  teaches = {
    ["atomics-serialise"] = "say ask",
    privatisation = "say exercise",
    ["merge-once"] = "ask",
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
    correct { points = 4 },
    counter("atom_global_lanes", "<=", 0.1) {
      points = 3,
      relative = true,
      en = "Global atomics are left over. How often does a block merge its copy, and how many bytes does it count in between?",
      zh = "全局原子操作还是太多。一个块多久合并一次自己的副本？两次合并之间统计了多少字节？",
    },
    speedup(4) {
      points = 3,
      en = "First take the crowd off global memory, then off each single word: several copies per block help when few values are frequent.",
      zh = "先把争抢从全局内存挪开，再从每一个字上挪开：当少数值特别频繁时，每个块用几份副本会有帮助。",
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        `atomicAdd(&bins[v], 1)` reads, adds and writes a word so that nobody gets in between. When many threads want the same word, they are served
        one after another. A histogram has 256 words and millions of customers.
      ]],
      zh = [[
        `atomicAdd(&bins[v], 1)` 读出一个字、加 1、写回，中间不许别人插手。许多线程要同一个字时，只能一个接一个地来。直方图只有 256 个字，却有几百万个顾客。
      ]],
    },
    ask {
      en = "One word takes an atomic every {t} ns. All {n} million bytes of a picture are equal. How many milliseconds does the histogram take at least?",
      zh = "同一个字每 {t} ns 才能完成一次原子操作。一幅图的 {n} 百万个字节全都相等。直方图至少要多少毫秒？",
      draw = { t = { from = { 0.5, 1, 2 } }, n = { 2, 20 } },
      answer = function(d) return d.t * d.n end,
      because = { en = "{n} million times {t} ns. However many threads there are.", zh = "{n} 百万乘以 {t} ns，无论有多少线程。" },
    },
    say {
      en = [[
        *Privatisation*: give each block a copy of its own in shared memory, where atomics are quick and only the block's threads compete. At the end
        each block adds its copy to the common one, one global atomic per bin.
      ]],
      zh = [[
        *私有化*：让每个块在共享内存里有自己的一份副本，那里的原子操作快，而且只有本块的线程在争。最后每个块把自己的副本加到公共的直方图上，每个箱子只做一次全局原子操作。
      ]],
    },
    ask {
      en = "A block of 256 threads counts 256 bytes and then merges up to 256 bins. How many global atomics does it save in the worst case?",
      zh = "一个 256 线程的块统计 256 个字节，然后合并最多 256 个箱子。最坏情况下它省下了多少次全局原子操作？",
      answer = 0,
      because = {
        en = "If all values occur, none. Privatisation pays only when a copy is used much more often than it is merged: so each block must count many bytes. That is coarsening again.",
        zh = "如果每个值都出现，一次也没省。只有当副本被使用的次数远多于合并次数时，私有化才划算：所以每个块要统计大量字节。这又是粗化。",
      },
    },
    predict {
      en = "The baseline makes one atomic per byte, so 2,097,152 lanes. The model answer launches blocks of 1024 threads, each of which reads 16 bytes at a time: 2 blocks per multiprocessor (an H200 has 132, a T4 40), but no more than n = 2^21 needs. Each block merges 256 bins. How many lanes is that on this device? An estimate within a half will do.",
      zh = "基线每个字节一次原子操作，共 2,097,152 个 lane。参考答案每块 1024 个线程，每个线程一次读 16 字节；每个多处理器 2 个块（H200 有 132 个多处理器，T4 有 40 个），但不超过 n = 2^21 所需要的块数。每块合并 256 个箱子。在当前设备上一共是多少个 lane？估个大概，误差一半以内就算对。",
      counter = "atom_global_lanes",
      of = "answer",
      tolerance = 0.5,
      because = { en = "n has work for 2^21 / (16 * 1024) = 128 blocks, fewer than 2 * 132: 128 * 256 = 32,768. A T4 takes 2 * 40 blocks: 20,480.", zh = "n 只够 2^21 / (16 * 1024) = 128 个块用，少于 2 * 132：128 * 256 = 32,768。T4 是 2 * 40 个块：20,480。" },
    },
    exercise {
      en = "Privatise, then coarsen. Any n; bins must hold exactly this call's counts.",
      zh = "先私有化，再粗化。n 任意；bins 里必须恰好是本次调用的计数。",
    },
    show { en = "Your shared memory, line by line:", zh = "逐行看你的共享内存：", picture = "banks", of = "mine" },
    compare {
      en = "Where the crowd went.",
      zh = "争抢去了哪里。",
      counters = { "atom_global_lanes", "atom_global_serialised", "atom_shared_lanes", "atom_shared_serialised", "gld_requests", "device_us" },
      with = "baseline",
    },
  },

  hints = {
    { en = "What do blocks need from each other while they count?", zh = "在统计过程中，各个块之间需要互通什么吗？" },
    { en = "`__shared__ unsigned mine[256]`, cleared by all threads; barrier; count with a grid-stride loop; barrier; `if (mine[b]) atomicAdd(&bins[b], mine[b])`. Two blocks per multiprocessor.",
      zh = "`__shared__ unsigned mine[256]`，由所有线程清零；屏障；用网格跨步循环统计；屏障；`if (mine[b]) atomicAdd(&bins[b], mine[b])`。每个多处理器两个块。" },
    { en = "Then read 16 bytes at a time (`uint4`), and use several copies: `copy[16][257]`, thread t counting in `copy[t % 16]`. The data may end in the middle of 16 bytes.",
      zh = "然后一次读 16 字节（`uint4`），并用几份副本：`copy[16][257]`，线程 t 在 `copy[t % 16]` 里计数。数据可能在 16 字节的中间结束。" },
  },

  after = {
    en = [[
      Measured on an H200, for 16 million random bytes: 4325 us with global atomics, 726 with a private copy per 256 bytes (6 times), 25 with few blocks that count
      a lot each (another 29 times). With 16-byte loads and 16 copies per block, as in the answer: 14, from a cold L2, against 15 for CUB's library routine.
    ]],
    zh = [[
      在 H200 上对一千六百万个随机字节实测：全局原子操作 4325 us；每 256 字节一份私有副本 726 us（快 6 倍）；改用少量的块、每块统计很多字节后 25 us（再快 29 倍）。
      像参考答案那样一次读 16 字节、每块 16 份副本，L2 里没有数据时是 14 us，而 CUB 库函数是 15 us。
    ]],
  },
  more = {
    en = "Try data in which all bytes are equal, and data that runs 0, 1, 2 ... 255. Which copies of the histogram matter for which?",
    zh = "试试所有字节都相等的数据，以及依次为 0、1、2……255 的数据。副本的份数对哪一种更重要？",
  },
}
