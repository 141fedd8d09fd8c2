-- The second step of the reduction: the same sum without bank conflicts.
return lab {
  id = "reduce-2-banks",
  title = { en = "Reduction 2: out of the same bank", zh = "归约第二步：避开存储体冲突" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-1-divergent" },
  source = "walk-through; guide 5.3.2; slides II.2",
  teaches = {
    ["stride-conflicts"] = "ask predict",
    ["banks-16-32"] = "ask",
    ["conflict-pairs"] = "ask",
    ["banks-not-coalescing"] = "after",
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
    at_most("shared_load_conflicts", 0.1 * baseline) {
      points = 3,
      en = "In some round, lanes still read different words of the same bank. `show banks` names the line.",
      zh = "某一轮里，仍有 lane 读同一个存储体的不同字。用 `show banks` 看看是哪一行。",
    },
    at_most("shared_store_conflicts", 0.1 * baseline) {
      points = 3,
      en = "In some round, lanes still write different words of the same bank.",
      zh = "某一轮里，仍有 lane 写同一个存储体的不同字。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        Letting the first threads work had a price. In round r they access the elements 0, 2^r, 2 * 2^r, 3 * 2^r ... Shared memory is divided into
        32 *banks*, each one word (4 bytes) wide: word w lies in bank w % 32, and a bank serves one word per pass. If lanes want different words of one
        bank, each of these words takes a pass.
      ]],
      zh = [[
        由最前面的线程工作是有代价的。第 r 轮里，这些线程访问第 0、2^r、2 * 2^r、3 * 2^r……个元素。一个字是 4 字节。共享内存分成 32 个*存储体*（bank），每个宽一个字：
        第 w 个字在存储体 w % 32 里，一个存储体每一遍只能提供一个字。几个 lane 要同一个存储体的不同字时，有几个不同的字，就要走几遍。
      ]],
    },
    ask {
      alone = true,
      en = "Lane t of a warp reads word t * {s}; all 32 lanes are active. How many passes does the read take?",
      zh = "一个线程束（warp）的 32 个 lane 都活跃，lane t 读第 t * {s} 个字。这次读取要几遍？",
      draw = { s = { from = { 2, 3, 4, 6, 8, 12, 16, 24, 33, 40 } } },
      answer = function(d)
        local passes = 1
        while passes < 32 and d.s % (2 * passes) == 0 do passes = 2 * passes end
        return passes
      end,
      replies = {
        { function(d) return d.s end, en = "There are 32 banks, so only the factors of 2 in {s} bring lanes to the same bank.", zh = "存储体有 32 个，所以只有 {s} 中的因子 2 会使几个 lane 落在同一个存储体。" },
        { 32, en = "All 32 lanes use the same bank only if {s} is a multiple of 32.", zh = "只有 {s} 是 32 的倍数时，32 个 lane 才全部落在同一个存储体。" },
      },
      because = {
        en = "The greatest common divisor of {s} and 32 is the number of lanes that meet in a bank, and so the number of passes. The number of *conflicts* is one less.",
        zh = "{s} 与 32 的最大公约数，就是落在同一个存储体的 lane 数，也就是遍数。遍数减一是*冲突*数。",
      },
    },
    ask {
      en = "In the skeleton, thread t reads word 2 * s * t. These labs follow a well-known walk-through of the reduction. It says that threads 0 and 2 meet in a bank if s = 2. Check this: with 32 banks and s = {s}, which is the first thread after thread 0 that uses the same bank as thread 0?",
      zh = "骨架代码里，线程 t 读第 2 * s * t 个字。这一系列实验依照一份有名的归约分步教程。教程说，s = 2 时线程 0 与线程 2 落在同一个存储体。请验证：共有 32 个存储体，s = {s} 时，线程 0 之后第一个与线程 0 落在同一存储体的是哪个线程？",
      draw = { s = { from = { 1, 2, 4, 8 } } },
      answer = function(d) return 16 // d.s end,
      replies = {
        { function(d) return 32 // d.s end, en = "Thread t reads word 2 * {s} * t. Do not forget the factor 2.", zh = "线程 t 读的是第 2 * {s} * t 个字。别忘了因子 2。" },
        { 2, en = "Threads 0 and 2 read words 0 and 4 * {s}. With 32 banks, are these in the same bank?", zh = "线程 0 和 2 读第 0 个和第 4 * {s} 个字。共有 32 个存储体，这两个字在同一个存储体里吗？" },
      },
      because = { en = "2 * {s} * t must be a multiple of 32. (For s = 2 the first such thread is 8; with the 16 banks of a G80 it is thread 4. It is thread 2 on neither device.)", zh = "2 * {s} * t 必须是 32 的倍数。（s = 2 时，第一个这样的线程是 8；G80 只有 16 个存储体，是线程 4。在两种设备上都不是线程 2。）" },
    },
    show {
      en = "Round 3: the elements are 8 apart, and only four banks serve all lanes.",
      zh = "第三轮，元素相隔 8 个字：只有四个存储体在为所有 lane 服务。",
      picture = "bankmap",
      model = function(lane) return lane * 8 * 4 end,
    },
    predict {
      en = [[
        One block of 256 threads runs the skeleton. In round r the first 256 / 2^r threads work. Each of their warps reads twice, `sum[left]` and
        `sum[left + s]`, both with a stride of 2^r words.

        Make a table of the eight rounds with three columns: active lanes in a warp, warps, passes of one read.
        How many load *conflicts* does the device count? (Conflicts are passes minus one, summed over all reads.)
      ]],
      zh = [[
        让一个 256 线程的块运行骨架代码。第 r 轮由最前面的 256 / 2^r 个线程工作；这些线程所在的每个 warp 读两次：`sum[left]` 和 `sum[left + s]`，步长都是 2^r 个字。

        请把八轮列成一张表，共三列：每个 warp 的活跃 lane 数、warp 数、一次读取的遍数。设备会数到多少次读取*冲突*（每次读取的遍数减一，全部相加）？
      ]],
      counter = "shared_ld_conflicts",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.1,
      replies = {
        { 35, en = "Each warp reads twice in a round: `sum[left]` and `sum[left + s]`.", zh = "每个 warp 每轮读两次：`sum[left]` 和 `sum[left + s]`。" },
        { 94, en = "This is the number of passes. Each pass beyond the first is a conflict.", zh = "这是遍数。第一遍之后的每一遍才算冲突。" },
      },
      because = {
        en = "Conflicts per read: 1, 3, 7 in full warps; then 7, 7, 3, 1, 0, since 16, 8, 4, 2, 1 lanes share 2, 1, 1, 1, 1 banks. Reads per round: 8, 4, 2, 2, 2, 2, 2, 2. Together 8 + 12 + 14 + 14 + 14 + 6 + 2 = 70.",
        zh = "每次读取的冲突数：32 个 lane 全部活跃的三轮是 1、3、7；之后 16、8、4、2、1 个 lane 落在 2、1、1、1、1 个存储体里，是 7、7、3、1、0。各轮的读取次数是 8、4、2、2、2、2、2、2。合计 8 + 12 + 14 + 14 + 14 + 6 + 2 = 70。",
      },
    },
    ask {
      en = "Old devices such as the G80 have 16 banks and serve 16 lanes at a time. Which stride is free of conflicts on both old and new devices?",
      zh = "G80 这样的老设备有 16 个存储体，每次服务 16 个 lane。哪种步长在新老设备上都没有冲突？",
      choices = {
        { en = "any odd one, such as 1 or 33", zh = "任何奇数，例如 1 或 33", right = true },
        { en = "2, because half of 32 is 16", zh = "2，因为 32 的一半是 16", because = { en = "Stride 2 uses only every other bank: two passes on both.", zh = "步长为 2 时只用到一半的存储体：在新老设备上都要两遍。" } },
        { en = "16, the number of banks on the old device and a divisor of the number on the new one", zh = "16，因为它等于老设备的存储体个数，又能整除新设备的存储体个数", because = { en = "All lanes use one bank on the old device, and two banks on the new one.", zh = "在老设备上，所有 lane 落在一个存储体；在新设备上，落在两个存储体。" } },
      },
      because = {
        en = "A stride that shares no factor with the number of banks uses every bank once. The number of banks is a power of two, so any odd stride will do.",
        zh = "步长与存储体个数互质时，每个存储体恰好用到一次。存储体个数是 2 的幂，所以奇数步长都可以。",
      },
    },
    exercise {
      en = "Pair the elements differently, so that active lanes always access neighbouring words. You may choose any pairs, as long as every element is added exactly once.",
      zh = "换一种配对方式，让活跃的 lane 总是访问相邻的字。怎样配对由你决定，只要每个元素恰好加一次。",
    },
    show { en = "Your kernel's shared memory, line by line:", zh = "逐行看你的共享内存访问：", picture = "banks", of = "mine" },
    compare {
      en = "As many requests, but fewer passes.",
      zh = "请求数相同，遍数少了。",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts", "divergent_branches" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "The order of the additions does not matter. Into which two halves could you split the array, so that each half is read as neighbouring words?",
      zh = "加法的顺序不影响结果。把数组分成哪两半来相加，才能让每一半都读连续的字？" },
    { en = "Add the upper half to the lower half: in the first round add element t + 128 to element t, then t + 64, t + 32 ...",
      zh = "把上半部分加到下半部分：第一轮把第 t + 128 个元素加到第 t 个，然后是 t + 64、t + 32……" },
    { en = [[
        Let the distance shrink instead of growing:

            for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
                if (tid < s) ...
      ]],
      zh = [[
        让间距由大变小：

            for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
                if (tid < s) ...
      ]] },
  },

  after = {
    en = [[
      This is *sequential addressing*: lane t always reads word t and word t + s, so neighbouring lanes use neighbouring banks. On an H200 the sum of 4
      million ints takes 23.4 us instead of 28.9 us (measured, cold L2).

      Some call this access "coalesced", but coalescing concerns global memory and its sectors. In shared memory the words of one access may lie anywhere and
      in any order, as long as no bank has to give two different words. Many lanes may read the *same* word: it is broadcast. Some say that the access pattern
      does not matter in on-chip memory. This lab shows that it does.
    ]],
    zh = [[
      这叫*顺序寻址*：lane t 总是读第 t 个字和第 t + s 个字，相邻的 lane 用相邻的存储体。在 H200 上，400 万个 int 的求和从 28.9 微秒降到 23.4 微秒（实测，L2 冷态）。

      有人把这种访问叫作“合并访问”，但合并说的是全局内存及其扇区。在共享内存里，一次访问的各个字可以在任何位置、按任何顺序，只要每个存储体最多给出一个字；
      许多 lane 也可以读*同一个*字：这个字会被广播。还有人说，片上内存的访问方式无关紧要；这个实验说明并非如此。
    ]],
  },
  more = {
    en = "Keep the old pairs, but store and read the elements at a padded index, `sum[i + i / 32]`. Do the conflicts disappear too? What does it cost?",
    zh = "保留原来的配对，但用加了填充的下标 `sum[i + i / 32]` 读写元素。冲突也会消失吗？代价是什么？",
  },
}
