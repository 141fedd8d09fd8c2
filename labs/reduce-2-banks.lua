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
      en = "Some round still reads words that lie in the same bank. `show banks` names the line.",
      zh = "还有某一轮读到了同一个存储体里的字。用 `show banks` 看看是哪一行。",
    },
    at_most("shared_store_conflicts", 0.1 * baseline) {
      points = 3,
      en = "Some round still writes words that lie in the same bank.",
      zh = "还有某一轮写到了同一个存储体里的字。",
    },
  },
  forbid = { "thrust::", "cub::", "cublas" },

  steps = {
    say {
      en = [[
        Packing the working threads had a price. In round r they touch the elements 0, 2^r, 2 * 2^r, 3 * 2^r ... Shared memory is made of
        32 *banks*, each 4 bytes wide: word w lies in bank w % 32, and a bank serves one word per pass. Lanes that want different words of one
        bank have to queue.
      ]],
      zh = [[
        把干活的线程集中起来是有代价的。第 r 轮里它们访问的是第 0、2^r、2 * 2^r、3 * 2^r……个元素。共享内存由 32 个*存储体*（bank）组成，每个宽 4 字节：
        第 w 个字在存储体 w % 32 里，一个存储体每一遍只能提供一个字。几个 lane 要的是同一个存储体里不同的字时，就只能排队。
      ]],
    },
    ask {
      alone = true,
      en = "Lane t of a full warp reads word t * {s}. How many passes does the read take?",
      zh = "一个满员的线程束（warp）里，lane t 读第 t * {s} 个字。这次读取要几遍？",
      draw = { s = { from = { 2, 3, 4, 6, 8, 12, 16, 24, 33, 40 } } },
      answer = function(d)
        local passes = 1
        while passes < 32 and d.s % (2 * passes) == 0 do passes = 2 * passes end
        return passes
      end,
      replies = {
        { function(d) return d.s end, en = "Only the factors of two in {s} make lanes meet: there are 32 banks.", zh = "只有 {s} 里的因子 2 才会使 lane 相遇：存储体有 32 个。" },
        { 32, en = "All 32 lanes meet only if {s} is a multiple of 32.", zh = "只有 {s} 是 32 的倍数时，32 个 lane 才全部相遇。" },
      },
      because = {
        en = "The greatest common divisor of {s} and 32 says how many lanes meet in a bank. That many passes; one less is the number of *conflicts*.",
        zh = "{s} 与 32 的最大公约数，就是挤在同一个存储体里的 lane 数，也就是要几遍；遍数减一是*冲突*数。",
      },
    },
    ask {
      en = "In the skeleton thread t reads word 2 * s * t. A walk-through of this step says that for s = 2 the threads 0 and 2 meet in a bank. Count again: with 32 banks and s = {s}, which is the first thread after thread 0 that shares its bank?",
      zh = "骨架代码里线程 t 读第 2 * s * t 个字。一份教程说，s = 2 时线程 0 与线程 2 落在同一个存储体里。请重新数一数：共 32 个存储体，s = {s} 时，线程 0 之后第一个与它同在一个存储体的是哪个线程？",
      draw = { s = { from = { 1, 2, 4, 8 } } },
      answer = function(d) return 16 // d.s end,
      replies = {
        { function(d) return 32 // d.s end, en = "Thread t reads word 2 * {s} * t: mind the 2.", zh = "线程 t 读的是第 2 * {s} * t 个字：别忘了那个 2。" },
        { 2, en = "Threads 0 and 2 read the words 0 and 4 * {s}. Is that the same bank of 32?", zh = "线程 0 和 2 读第 0 个和第 4 * {s} 个字。在 32 个存储体里这是同一个吗？" },
      },
      because = { en = "2 * {s} * t has to be a multiple of 32. (For s = 2 that is thread 8; with the 16 banks of a G80, thread 4. Thread 2 it never was.)", zh = "2 * {s} * t 要是 32 的倍数。（s = 2 时是线程 8；在 16 个存储体的 G80 上是线程 4；从来不是线程 2。）" },
    },
    show {
      en = "Round 3, elements 8 apart: four banks serve everybody.",
      zh = "第三轮，元素间隔为 8：只有四个存储体在为所有 lane 服务。",
      picture = "bankmap",
      model = function(lane) return lane * 8 * 4 end,
    },
    predict {
      en = [[
        One block of 256 threads runs the skeleton. In round r, 256 / 2^r threads work, packed into as few warps as possible; each of these warps reads twice, `sum[left]` and
        `sum[left + s]`, both with 2^r words from lane to lane. Make a table of the eight rounds: lanes at work in a warp, warps, passes of one read. How many load *conflicts* (passes
        less one, over all reads) does the device count?
      ]],
      zh = [[
        让一个 256 线程的块运行骨架代码。第 r 轮有 256 / 2^r 个线程干活，集中在尽可能少的 warp 里；每个这样的 warp 读两次：`sum[left]` 和 `sum[left + s]`，相邻 lane 都相隔 2^r 个字。
        把八轮列成一张表：每个 warp 干活的 lane 数、warp 数、一次读取的遍数。设备会数到多少次读取*冲突*（每次读取的遍数减一，全部相加）？
      ]],
      counter = "shared_ld_conflicts",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.1,
      replies = {
        { 35, en = "Each warp reads twice in a round: `sum[left]` and `sum[left + s]`.", zh = "每个 warp 每轮读两次：`sum[left]` 和 `sum[left + s]`。" },
        { 94, en = "These are the passes. A conflict is a pass beyond the first.", zh = "这是遍数。第一遍之后多出来的才算冲突。" },
      },
      because = {
        en = "Per read 1, 3, 7 with full warps, then 7, 7, 3, 1, 0 as 16, 8, 4, 2, 1 lanes meet in 2, 1, 1, 1, 1 banks. Reads: 8, 4, 2, 2, 2, 2, 2, 2. 8 + 12 + 14 + 14 + 14 + 6 + 2 = 70.",
        zh = "满员的 warp 每次读取 1、3、7 次冲突；之后 16、8、4、2、1 个 lane 挤在 2、1、1、1、1 个存储体里，是 7、7、3、1、0 次。各轮的读取次数是 8、4、2、2、2、2、2、2。8 + 12 + 14 + 14 + 14 + 6 + 2 = 70。",
      },
    },
    ask {
      en = "Old devices (G80) had 16 banks and served 16 lanes at a time. Which stride is free of conflicts on both old and new devices?",
      zh = "老设备（G80）有 16 个存储体，每次服务 16 个 lane。哪种步长在新老设备上都没有冲突？",
      choices = {
        { en = "any odd one, such as 1 or 33", zh = "任何奇数，例如 1 或 33", right = true },
        { en = "2, because half of 32 is 16", zh = "2，因为 32 的一半是 16", because = { en = "With stride 2 only every other bank is used: two passes on either.", zh = "步长为 2 时只用到一半存储体：新老设备都要两遍。" } },
        { en = "16, the number of banks of the one and a divisor of the other's", zh = "16，它是前者的存储体个数，又能整除后者的", because = { en = "All lanes in one bank there, in two banks here.", zh = "在老设备上全落在一个存储体里，在新设备上落在两个里。" } },
      },
      because = {
        en = "A stride without a common divisor with the number of banks visits every bank once. The number of banks is a power of two, so any odd stride will do.",
        zh = "步长与存储体个数互质时，每个存储体恰好访问一次。存储体个数总是 2 的幂，所以奇数步长都可以。",
      },
    },
    exercise {
      en = "Pair the elements differently, so that working lanes always touch neighbouring words. Which pairs are added is up to you, as long as every element gets in once.",
      zh = "换一种配对方式，让干活的 lane 总是访问相邻的字。怎么配对由你决定，只要每个元素都恰好加进去一次。",
    },
    show { en = "Your kernel's shared memory, line by line:", zh = "逐行看你的共享内存访问：", picture = "banks", of = "mine" },
    compare {
      en = "The same requests, fewer passes.",
      zh = "请求数相同，遍数少了。",
      counters = { "shared_ld_requests", "shared_ld_wavefronts", "shared_ld_conflicts", "shared_st_conflicts", "divergent_branches" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Addition does not mind the order. Which two halves of the array could you add so that both are read in one piece?",
      zh = "加法不在乎顺序。把数组分成哪两半来相加，才能让两半都是连续读取的？" },
    { en = "Add the upper half to the lower half: in the first round element t + 128 to element t, then t + 64, t + 32 ...",
      zh = "把上半部分加到下半部分：第一轮把第 t + 128 个元素加到第 t 个，然后是 t + 64、t + 32……" },
    { en = [[
        Let the distance shrink instead of grow:

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
      *Sequential addressing*: lane t always reads word t and word t + s, and neighbouring lanes use neighbouring banks. On an H200 the sum of 4 million ints takes
      23.4 us in place of 28.9 (measured, cold L2).

      Some call this step "coalesced". It is not that: coalescing is about global memory and its sectors. In shared memory the words of one access may lie anywhere, in any order, as long as no
      bank is asked for two different ones; and many lanes may ask for the *same* word: it is broadcast. Nor is it true that in on-chip memory the pattern does not matter: you have just seen it.
    ]],
    zh = [[
      这叫*顺序寻址*：lane t 总是读第 t 个字和第 t + s 个字，相邻的 lane 用相邻的存储体。在 H200 上，四百万个 int 求和从 28.9 微秒降到 23.4 微秒（实测，L2 冷态）。

      有人把这一步叫作“合并访问”，其实不是：合并讲的是全局内存和它的扇区。在共享内存里，一次访问的各个字可以在任何位置、按任何顺序，只要没有哪个存储体被要求给出两个不同的字；
      许多 lane 要*同一个*字也没有问题，它会被广播。也不能说片上内存的访问方式无关紧要：你刚刚看到了。
    ]],
  },
  more = {
    en = "Read the block's elements through a padded index, `sum[i + i / 32]`, and keep the old pairs. Do the conflicts go away as well? What does it cost?",
    zh = "保留原来的配对，但用加了填充的下标 `sum[i + i / 32]` 存取。冲突也会消失吗？代价是什么？",
  },
}
