-- The second step of the ladder: the same sum without bank conflicts.
return lab {
  id = "reduce-2-banks",
  title = { en = "Reduction 2: out of the same bank", zh = "归约第二步：避开存储体冲突" },
  chapter = 4,
  minutes = 20,
  needs = { "reduce-1-divergent" },
  source = "walk-through; guide 5.3.2",
  teaches = {
    ["stride-conflicts"] = "ask predict",
    ["banks-16-32"] = "ask after",
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
    counter("shared_ld_conflicts", "<=", 0.1) {
      points = 3,
      relative = true,
      en = "Some round still reads words that lie in the same bank. `show banks` names the line.",
      zh = "还有某一轮读到了同一个存储体里的字。用 `show banks` 看看是哪一行。",
    },
    counter("shared_st_conflicts", "<=", 0.1) {
      points = 3,
      relative = true,
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
      en = "Lane t of a full warp reads word t * {s}. How many passes does the read take?",
      zh = "一个满员的 warp 里，lane t 读第 t * {s} 个字。这次读取要几遍？",
      draw = { s = { from = { 2, 4, 8, 16 } } },
      answer = function(d) return d.s end,
      because = {
        en = "The lanes fall into 32 / {s} banks, {s} of them into each: {s} passes, that is {s} - 1 conflicts.",
        zh = "各 lane 落在 32 / {s} 个存储体里，每个里有 {s} 个：要 {s} 遍，即 {s} - 1 次冲突。",
      },
    },
    show {
      en = "Round 3, elements 8 apart: four banks serve everybody.",
      zh = "第三轮，元素间隔为 8：只有四个存储体在为所有 lane 服务。",
      picture = "bankmap",
      model = function(lane) return lane * 8 * 4 end,
    },
    predict {
      en = [[
        One block of 256 threads runs the skeleton. In round 1, four full warps read elements 2 apart, twice (`sum[left]` and `sum[left + s]`): 8
        requests with 1 conflict each. In round 2, two warps with 3 conflicts; round 3, one warp with 7; in rounds 4 to 8 the 16, 8, 4, 2 and 1
        lanes that are left all meet in ever fewer banks: 7, 7, 3, 1 and 0. How many load conflicts in all?
      ]],
      zh = [[
        让一个 256 线程的块运行骨架代码。第一轮有四个满员的 warp，各读两次间隔为 2 的元素（`sum[left]` 和 `sum[left + s]`）：8 个请求，每个 1 次冲突。第二轮
        两个 warp，每个请求 3 次冲突；第三轮一个 warp，7 次；第四到第八轮只剩 16、8、4、2、1 个 lane，挤在越来越少的存储体里：7、7、3、1、0 次。读取冲突一共多少次？
      ]],
      counter = "shared_ld_conflicts",
      of = "skeleton",
      case = { n = 256 },
      tolerance = 0.05,
      because = {
        en = "8 * 1 + 4 * 3 + 2 * 7 + 2 * (7 + 7 + 3 + 1 + 0) = 70: twice for each addition, because both operands are read.",
        zh = "8 * 1 + 4 * 3 + 2 * 7 + 2 * (7 + 7 + 3 + 1 + 0) = 70：每次加法要读两个操作数，所以都乘 2。",
      },
    },
    ask {
      en = "Old devices (G80) had 16 banks and served 16 lanes at a time. Which stride is free of conflicts on both old and new devices?",
      zh = "老设备（G80）有 16 个存储体，每次服务 16 个 lane。哪种步长在新老设备上都没有冲突？",
      choices = {
        { en = "2", zh = "2" },
        { en = "8", zh = "8" },
        { en = "any odd one, such as 1 or 33", zh = "任何奇数，例如 1 或 33", right = true },
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
      with = "baseline",
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
      *Sequential addressing*: lane t always reads word t and word t + s, and neighbouring lanes use neighbouring banks. On an H200 the sum of 4
      million ints takes 22.6 us in place of 29.3; on the G80, with its 16 banks, the step was worth a factor of two.

      Bank conflicts have nothing to do with coalescing: the words of one access may lie anywhere, in any order, as long as no bank is asked for
      two different ones. And many lanes may ask for the *same* word: it is broadcast.
    ]],
    zh = [[
      这叫*顺序寻址*：lane t 总是读第 t 个字和第 t + s 个字，相邻的 lane 用相邻的存储体。在 H200 上，四百万个 int 求和从 29.3 us 降到 22.6 us；在只有 16 个
      存储体的 G80 上，这一步快了整整一倍。

      存储体冲突与合并访问是两回事：一次访问的各个字可以在任何位置、按任何顺序，只要没有哪个存储体被要求给出两个不同的字。而许多 lane 要*同一个*字则没有问题：它会被广播。
    ]],
  },
  more = {
    en = "Read the block's elements through a padded index, `sum[i + i / 32]`, and keep the old pairs. Do the conflicts go away as well? What does it cost?",
    zh = "保留原来的配对，但用加了填充的下标 `sum[i + i / 32]` 存取。冲突也会消失吗？代价是什么？",
  },
}
