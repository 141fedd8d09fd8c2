-- Chapter 6: privatisation and coarsening.
return lab {
  id = "histogram",
  title = { en = "Histogram: a copy for each block", zh = "直方图：每个块一份副本" },
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
  hidden = { count = 3, n = { 2, 2400000 } },
  goals = {
    correct {
      points = 4,
      en = [[
        If Warplab reports a read of unwritten shared memory, clear the private copy before you
        count. If Warplab reports a race in shared memory, barriers are missing: different warps
        clear the copy, count in it and merge it. Put one `__syncthreads()` after the clearing, and
        another one after the counting.
      ]],
      zh = [[
        如果 Warplab 报告说读了未写过的共享内存，就要在统计之前把私有副本清零。
        如果报告说共享内存有数据竞争，就是少了屏障，因为清零、统计、合并由不同的 warp 来做：
        清零之后要有一个 `__syncthreads()`，统计之后还要有一个。
      ]],
    },
    at_most("global_atomics", 0.1 * baseline) {
      points = 2,
      en = [[
        There are still too many global atomics. How many bytes does a block count before it merges
        its copy into `bins`?
      ]],
      zh = "全局原子操作还是太多。一个块把自己的副本合并到 `bins` 之前，统计了多少字节？",
    },
    at_most("shared_atomic_passes", 160000) {
      points = 1,
      en = [[
        A quarter of the bytes are 0, so many lanes of a warp update the same word of the copy. Give
        each block several copies, and let different lanes use different copies.
      ]],
      zh = [[
        四分之一的字节是 0，所以一个 warp 里有许多 lane 更新副本的同一个字。给每个块几份副本，
        让不同的 lane 用不同的副本。
      ]],
    },
    speedup(4) {
      points = 3,
      none = 1.2,
      en = [[
        First count in shared memory instead of global memory. Then give each block several copies.
        Then look at the loads of `data`: each of them reads only one byte.
      ]],
      zh = [[
        先在共享内存里统计，不要在全局内存里统计。再给每个块几份副本。最后看看对 `data` 的读取：
        每次只读一个字节。
      ]],
    },
  },
  forbid = { "cub", "thrust" },

  steps = {
    say {
      en = [[
        This lab's kernel counts how often each byte value occurs: `bins[v]` is the number of bytes
        in `data` that are equal to v. Image programs use such *histograms*, for example to correct
        the brightness. A byte has 256 values, so there are 256 counters, which are called *bins*.

        The skeleton counts with *atomics*. `atomicAdd(&bins[v], 1)` reads a word, adds 1 and writes
        the word back. No other thread can access the word in between. If many threads want the same
        word, the device serves them one after another: this is *contention*. The skeleton is
        correct but slow, because millions of atomics go to only 256 words. You will reduce the
        contention.
      ]],
      zh = [[
        本实验的核函数统计每个字节值出现的次数：`bins[v]` 是 `data` 里等于 v 的字节数。这样的*直方
        图*常用在图像程序里，例如调整亮度。一个字节有 256 种值，所以有 256 个计数单元，叫
        作*桶*（bin）。

        骨架代码用*原子操作*计数。`atomicAdd(&bins[v], 1)` 读出一个字，加 1，再写回；在此期间，
        其他线程不能访问这个字。如果许多线程要同一个字，设备只能让这些操作依次进行，这叫*争用*。
        骨架代码结果正确，但几百万次原子操作都落在 256 个字上，所以很慢。你要减少争用。
      ]],
    },
    ask {
      alone = true,
      en = [[
        Assume that a device completes one atomic every {t} ns on a single word. All {n} million
        bytes of an image are equal, and each byte takes one atomic. How many milliseconds does the
        histogram take at least?
      ]],
      zh = [[
        假设设备在同一个字上每 {t} ns 完成一次原子操作。一幅图像有 {n}00 万个字节，全都相等，
        每个字节要一次原子操作。算出直方图至少要多少毫秒？
      ]],
      draw = { t = { from = { 0.5, 1, 2 } }, n = { 2, 20 } },
      answer = function(d) return d.t * d.n end,
      because = {
        en = [[
          The atomics need {n} million times {t} ns, however many threads there are. (Measured on an
          H200: one atomic every 0.7 ns on a single word, but 69 atomics per ns on 1024 words, if
          neighbouring lanes use neighbouring words.)
        ]],
        zh = [[
          这些原子操作要 {n}00 万乘以 {t} ns，与线程的数目无关。（H200 上的实测：在单个字上，每 0.7
          ns 完成一次；在 1024 个字上，相邻的 lane 用相邻的字时，每 ns 完成 69 次。）
        ]],
      },
    },
    predict {
      en = [[
        In this lab's data, a quarter of the bytes are 0, and every other value is rarer. The
        counter `atom_global_serialised` counts *passes*. An atomic request of a warp takes as many
        passes as the largest number of lanes that want the same word. The baseline (the skeleton's
        kernel) makes 65,536 such requests. How many passes do these requests take in all?
      ]],
      zh = [[
        本实验的数据里，四分之一的字节是 0，其他值都更少见。计数器 `atom_global_serialised` 统
        计*遍数*。一个线程束（warp）的一次原子请求里，如果最多有 k 个 lane 要同一个字，
        这次请求就要走 k 遍。基线（骨架代码的核函数）有 65,536 个这样的请求，一共要走多少遍？
      ]],
      counter = "atom_global_serialised",
      of = "baseline",
      tolerance = 0.1,
      because = {
        en = [[
          In an average request, 8 of the 32 lanes read a 0 and want the same word, so the request
          takes 8 passes. 65,536 requests take 524,288 passes.
        ]],
        zh = [[
          平均来说，一次请求的 32 个 lane 里有 8 个读到 0，要同一个字，所以要走 8 遍。
          65,536 次请求一共走 524,288 遍。
        ]],
      },
    },
    say {
      en = [[
        *Privatisation* means that each block has a copy of the bins and counts in this copy. At the
        end, the block adds its copy to `bins`: the block *merges* the copy. The copy is in shared
        memory, where atomics are fast and only the threads of one block compete.

        Each multiprocessor of an H200 completes the atomics of 17 lanes per cycle in shared memory
        (measured). For the whole device, this is about 3000 times the rate of a single word in
        global memory.

        You could also give each *thread* a copy of its own. This copy would be in registers and
        would need no atomics. There is a compromise between one copy for each block and one copy
        for each thread: a block has several copies, and each of its threads uses one of them. Then
        fewer threads compete for the same word.
      ]],
      zh = [[
        *私有化*的意思是：每个块有一份自己的桶，即*副本*，并在副本里计数。最后，块再把副本加到
        `bins` 里，这一步叫*合并*。副本放在共享内存里，因为共享内存的原子操作快，而且只有本块的线程
        争用。

        在共享内存里，H200 的每个多处理器每周期能完成 17 个 lane 的原子操作（实测）。
        整个设备合起来，这个速率约是对全局内存里单个字做原子操作的速率的 3000 倍。

        也可以让每个*线程*都有自己的副本。这样的副本放在寄存器里，不需要原子操作。还有一种折中，
        介于“每个块一份”与“每个线程一份”之间：一个块有几份副本，每个线程用其中一份。这样，
        争用同一个字的线程就少了。
      ]],
    },
    ask {
      en = "This lab has 256 bins. Why should a thread not keep a copy of all bins in registers?",
      zh = "本实验有 256 个桶。为什么不让每个线程在寄存器里都保存一份副本？",
      choices = {
        {
          en = [[
            The value of the byte selects the bin, but a register cannot be selected by a value at
            run time. Also, 256 bins need more registers than a thread can have.
          ]],
          zh = [[
            桶由字节的值选定，而寄存器不能按运行时的值来选取；况且 256 个桶超过了一个线程的寄存器
            数。
          ]],
          right = true,
          because = {
            en = [[
              With four or eight bins, registers do pay. For each element, the thread compares the
              byte with the number of each bin, and adds the result (0 or 1) to that bin. This takes
              four or eight comparisons and additions, and no memory access. At the end, the thread
              merges its bins once.
            ]],
            zh = [[
              如果只有四个或八个桶，用寄存器就值得：对每个元素，线程把字节与各桶的编号逐一比较，
              每次都把结果（0 或 1）加到所比较的桶上，
              一共四次或八次比较和加法，不访问内存。最后合并一次。
            ]],
          },
        },
        {
          en = "An addition in a register is slower than an atomic in shared memory.",
          zh = "寄存器里的加法比共享内存里的原子操作慢。",
          because = {
            en = [[
              An addition in a register waits for no memory and for no other thread, so nothing is
              faster.
            ]],
            zh = "恰恰相反，寄存器里的加法最快：既不等内存，也不等其他线程。",
          },
        },
        {
          en = "Threads cannot merge copies that are in registers.",
          zh = "放在寄存器里的副本无法合并。",
          because = {
            en = "Threads can add up their registers with shuffles or through shared memory.",
            zh = "线程可以用 shuffle 把各自寄存器里的数相加，也可以经过共享内存相加。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = [[
        The skeleton needs one global atomic per byte. With privatisation, a block counts {b} bytes
        in its private copy. Then the block merges the copy with up to 256 global atomics, one for
        each bin. What percentage of the global atomics does privatisation save in the worst case?
      ]],
      zh = [[
        骨架代码每个字节要一次全局原子操作。改用私有化以后，一个块用私有副本统计 {b} 个字节，
        合并时每个桶用一次全局原子操作，最多 256 次。最坏情况下，
        私有化省下了百分之几的全局原子操作？
      ]],
      draw = { b = { from = { 256, 512, 1024, 4096, 16384 } } },
      answer = function(d) return 100 * (1 - 256 / d.b) end,
      tolerance = 0.01,
      unit = "%",
      because = {
        en = [[
          The block needs up to 256 global atomics instead of {b}. For 256 bytes, nothing is saved.
          Privatisation pays if a copy is updated much more often than it is merged: each block must
          count many bytes.
        ]],
        zh = [[
          全局原子操作从 {b} 次变成最多 256 次。只统计 256 个字节时，一次也没有省下。
          只有副本的更新次数远多于合并次数，私有化才划算：每个块要统计大量字节。
        ]],
      },
    },
    ask {
      en = [[
        A block has {c} copies, and thread t counts in copy t % {c}. A quarter of the bytes are 0.
        In one atomic request of a warp, how many lanes on average add to bin 0 of copy 0?
      ]],
      zh = [[
        一个块有 {c} 份副本，线程 t 在第 t % {c} 份里计数。四分之一的字节是 0。在一个 warp 的一次原
        子请求里，平均有多少个 lane 更新第 0 份副本的 0 号桶？
      ]],
      draw = { c = { from = { 2, 4, 8 } } },
      answer = function(d) return 8 / d.c end,
      because = {
        en = [[
          Each copy is used by 32 / {c} lanes of the warp, and a quarter of them have a 0. The price
          of several copies is shared memory. One unused word at the end of each copy puts the same
          bin of different copies into different banks.
        ]],
        zh = [[
          每份副本由 warp 的 32 / {c} 个 lane 使用，其中四分之一读到 0。
          几份副本的代价是多占共享内存。每份副本末尾加一个不用的字，
          就能让不同副本的同一个桶落在不同的存储体里。
        ]],
      },
    },
    exercise {
      en = [[
        Work in three stages. First give each block a private copy. Then let each block count many
        more bytes. Then give each block several copies. The kernel must work for any n. At the end,
        `bins` must hold exactly the counts of this call.
      ]],
      zh = [[
        分三步做。先让每个块用一份私有副本，再让每个块统计多得多的字节，然后给每个块几份副本。
        n 可以是任意值。最后，`bins` 里必须恰好是本次调用的计数。
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
        How much contention is left? The table shows how many lanes did an atomic, and how many
        passes these atomics took.
      ]],
      zh = "争用还剩多少？表中是做了原子操作的 lane 数，以及这些原子操作走的遍数。",
      counters = {
        "atom_global_lanes", "atom_global_serialised", "atom_shared_lanes",
        "atom_shared_serialised", "gld_requests", "device_us",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "global_atomics",
      en = "While a block counts, does it need the counts of the other blocks?",
      zh = "一个块在统计的过程中，需要知道其他块的计数吗？",
    },
    {
      goal = "global_atomics",
      en = [[
        Launch two blocks per multiprocessor. In the kernel:

        - All threads clear `__shared__ unsigned mine[256]`, then `__syncthreads()`.
        - The threads count in `mine` with a grid-stride loop, then `__syncthreads()`.
        - For each bin b, one thread does `if (mine[b]) atomicAdd(&bins[b], mine[b])`.
      ]],
      zh = [[
        每个多处理器启动两个块。核函数里分三步：

        - 所有线程一起把 `__shared__ unsigned mine[256]` 清零，然后 `__syncthreads()`。
        - 各线程用网格跨步循环在 `mine` 里计数，然后 `__syncthreads()`。
        - 对每个桶 b，由一个线程做 `if (mine[b]) atomicAdd(&bins[b], mine[b])`。
      ]],
    },
    {
      en = [[
        For fewer passes, use several copies: declare `copy[16][257]`, and let thread t count in
        `copy[t % 16]`. To save time, read 16 bytes at a time with `uint4`. Remember that n need not
        be a multiple of 16.
      ]],
      zh = [[
        要减少遍数，就用几份副本：声明 `copy[16][257]`，让线程 t 在 `copy[t % 16]` 里计数。
        要缩短时间，就用 `uint4` 一次读 16 字节。注意 n 不一定是 16 的倍数。
      ]],
    },
  },

  after = {
    en = [[
      These times were measured on an H200 for 16 million random bytes, with a cold L2. Global
      atomics take 4324 us. One private copy for every 256 bytes takes 726 us (6 times as fast). A
      few blocks that each count many bytes take 37 us (19 times as fast again).

      The copies for 256 bytes save time for two reasons. There are fewer global atomics, because
      256 random bytes fall into only about 162 of the bins. And when a block adds its copy to
      `bins`, the lanes of a warp add to neighbouring words. An H200 does this faster than additions
      to scattered words.

      The model answer also reads 16 bytes at a time and has 16 copies per block: it takes 13.9 us.
      The routine of NVIDIA's library CUB takes 15.1 us.

      The gain from several copies depends on the data and on the device. Random bytes are seldom
      equal. And if several lanes add 1 to the same word of shared memory, an H200 is as fast as
      with different words. If lanes add other numbers than 1 to the same word, the H200 serves them
      one after another.
    ]],
    zh = [[
      以下时间是在 H200 上对 1600 万个随机字节实测的（L2 冷态）。用全局原子操作，要 4324 微秒。每
      256 字节用一份私有副本，要 726 微秒（加速到原来的 6 倍）。改用少量的块，每块统计很多字节，要
      37 微秒（加速到上一种做法的 19 倍）。

      每 256 字节用一份副本，也能省时间，原因有两个。256 个随机字节只落在大约 162 个桶里，
      所以全局原子操作变少了。而且合并时，一个 warp 的 lane 更新相邻的字，H200 做得更快。

      参考答案还一次读 16 字节，每块用 16 份副本，要 13.9 微秒。
      NVIDIA 的库 CUB 里的函数要 15.1 微秒。

      几份副本有多大好处，取决于数据和设备。随机字节很少相等。
      而且几个 lane 往共享内存的同一个字上加 1 时，H200 与更新不同的字时一样快。如果加的数不是 1，
      H200 就让各个 lane 依次进行。
    ]],
  },
  more = {
    en = [[
      Replace `data[i]` by `data[i] & 0`, so that all bytes are equal. Then write `i & 255` instead,
      so that the values are 0, 1, 2 ... 255 in turn. (The results are wrong then, but the counters
      are valid.) Do both with 1 copy and with 16 copies. How do `atom_shared_serialised` and the
      time change?
    ]],
    zh = [[
      把 `data[i]` 换成 `data[i] & 0`，这样所有字节都相等。再换成 `i & 255`，
      这样数值依次是 0、1、2……255。（这时结果是错的，但计数器仍然有效。）这两种数据，
      都用 1 份副本和 16 份副本各试一次。`atom_shared_serialised` 和时间怎样变化？
    ]],
  },
}
