-- The third step of the reduction: no thread that only loads.
return lab {
  id = "reduce-3-idle",
  title = { en = "Reduction 3: add while loading", zh = "归约第三步：读入时就相加" },
  chapter = 4,
  minutes = 15,
  needs = { "reduce-2-banks" },
  source = "walk-through",
  teaches = {
    ["first-add-shared"] = "ask",
    ["half-idle"] = "say show",
  },

  entry = "void reduce(const int *in, int *out, int n)",
  args = {
    ["in"] = integers(-100, 100, "n"),
    out = output("ceil_div(n, 512)"),
  },
  cases = { { n = 512 }, { n = 1 }, { n = 700 }, { n = 1 << 19, timed = true } },
  hidden = { count = 3, n = { 2, 30000 } },
  goals = {
    correct { points = 3 },
    at_most("block_barriers", 0.6 * baseline) {
      points = 3,
      en = "Too many warps wait at barriers. Eight warps can load what sixteen load now.",
      zh = "在屏障处等待的 warp 太多。现在十六个 warp 读入的数据，八个 warp 就够了。",
    },
    at_most("warp_inst", 0.7 * baseline) {
      points = 3,
      en = "The first addition should happen in a register, before anything is stored to shared memory.",
      zh = "第一次加法应当在寄存器里完成，之后再写共享内存。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "The end of a launch is a barrier, too: do it in one.",
      zh = "一次启动的结束也是一道屏障：请在一次启动里完成。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        A block of 512 threads sums 512 elements. Each thread loads one, and in the very first round half of them stop: they have been
        launched, given registers and a slot, to move a single word.
      ]],
      zh = [[
        一个 512 线程的块对 512 个元素求和。每个线程读入一个元素，而第一轮刚开始就有一半线程闲了下来：为它们启动线程、分配寄存器、占用线程槽，只为了搬一个字。
      ]],
    },
    show {
      en = "Who adds in which round, for the first 64 threads of a block of 64:",
      zh = "以 64 个线程的块为例，每一轮由谁来加：",
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = "A block of {b} threads reduces {b} elements. Summed over all rounds of the tree, in how many thread-rounds (a thread, a round) does a thread only wait? In per cent of all of them.",
      zh = "一个 {b} 线程的块归约 {b} 个元素。把树的每一轮里每个线程算作一个“线程轮”，只是在等待的线程轮占百分之几？",
      draw = { b = { from = { 64, 256, 1024 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.b do rounds = rounds + 1 end
        return 100 * (1 - (d.b - 1) / (d.b * rounds))
      end,
      tolerance = 0.02,
      unit = "%",
      replies = {
        { 50, en = "Half of them wait in the first round. In the second round three quarters do.", zh = "第一轮有一半在等，第二轮就是四分之三了。" },
      },
      because = {
        en = "All rounds together make {b} - 1 additions, one thread-round each, and there are {b} * log2({b}) of them. Half of the threads never add anything: they were launched to load one word.",
        zh = "各轮总共做 {b} - 1 次加法，每次占一个线程轮，而线程轮一共有 {b} * log2({b}) 个。一半的线程从头到尾没加过一次：启动它们只为了读一个字。",
      },
    },
    ask {
      en = "If {t} threads sum {e} elements, and each adds its share while it loads, how many rounds of the tree are left after the load?",
      zh = "如果用 {t} 个线程对 {e} 个元素求和，每个线程在读入时就把自己那份加起来，读入之后树还剩几轮？",
      draw = { t = { from = { 64, 128, 256 } }, e = { from = { 512, 1024, 2048 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return math.floor(math.log(d.e, 2) + 0.5) end, en = "That many without the additions of the load. {t} sums are left after it.", zh = "不在读入时相加才是这么多轮。读入之后只剩 {t} 个和。" },
        { function(d) return math.floor(math.log(d.e // d.t, 2) + 0.5) end, en = "These are the rounds that are saved.", zh = "这是省下的轮数。" },
      },
      because = {
        en = "{t} sums are left, however many elements there were: log2({t}). They take {t} words of shared memory. (The walk-through says of this step that it doubles the shared memory. It doubles the elements of a block; the shared memory stays a word for each thread.)",
        zh = "不管原来有多少元素，剩下的是 {t} 个和：log2({t}) 轮，占 {t} 个字的共享内存。（那篇分步讲解说这一步把共享内存提高到两倍。其实翻倍的是一个块处理的元素，共享内存仍是每个线程一个字。）",
      },
    },
    ask {
      en = "Thread t of 256 should load two of the block's 512 elements. Which two?",
      zh = "块里有 512 个元素、256 个线程，线程 t 要读两个。应当是哪两个？",
      choices = {
        { en = "2 * t and 2 * t + 1", zh = "第 2 * t 和第 2 * t + 1 个", because = { en = "Each of the two loads would then touch every other word: eight sectors for four.", zh = "那样两次读取都是隔一个字读一个：四个扇区变成八个。" } },
        { en = "t and t + 256", zh = "第 t 和第 t + 256 个", right = true, because = { en = "Both loads are coalesced: neighbouring threads, neighbouring words.", zh = "两次读取都是合并的：相邻线程读相邻的字。" } },
        { en = "t and t + 1", zh = "第 t 和第 t + 1 个", because = { en = "Then most elements would be added twice, and the second half of the block not at all.", zh = "那样大多数元素会被加两遍，而块的后半段一个也没加。" } },
      },
    },
    predict {
      en = "Each warp passes one barrier after the load and one in each round. The baseline: 16 warps and 10 barriers in each of 1024 blocks. How many will the model answer count at n = 2^19?",
      zh = "每个线程束（warp）在读入之后过一次屏障，每轮再过一次。基线有 1024 个块，每块 16 个 warp、10 次屏障。n = 2^19 时参考答案会数到多少次？",
      counter = "barriers",
      of = "answer",
      tolerance = 0.05,
      replies = {
        { 81920, en = "Half the warps, and also one round less: 9 barriers each.", zh = "warp 减半，轮数也少了一轮：每个 warp 9 次屏障。" },
        { 147456, en = "One round less, but also half the warps: 8 in a block.", zh = "轮数少了一轮，warp 也减半了：每块 8 个。" },
      },
      because = { en = "1024 blocks * 8 warps * 9 barriers = 73,728, against 163,840.", zh = "1024 块 * 8 个 warp * 9 次屏障 = 73,728，而基线是 163,840。" },
    },
    exercise {
      en = "Let 256 threads sum 512 elements: each adds its two on the way in.",
      zh = "用 256 个线程对 512 个元素求和：每个线程在读入的途中就把自己的两个元素相加。",
    },
    show { en = "Active lanes of your kernel, line by line:", zh = "逐行看你的核函数有多少 lane 在工作：", picture = "divergence", of = "mine" },
    compare {
      en = "Half the warps for the same sums.",
      zh = "同样的和，只用一半的 warp。",
      counters = { "warp_inst", "barriers", "shared_st_requests", "gld_sectors", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "The sum of two elements needs no shared memory if one thread has read both.", zh = "如果两个元素由同一个线程读入，求它们的和就用不着共享内存。" },
    { en = "Thread t of block b reads the elements 512 * b + t and 512 * b + t + 256. Both reads are coalesced. Either may lie beyond n.",
      zh = "第 b 块的线程 t 读第 512 * b + t 和第 512 * b + t + 256 个元素。两次读取都是合并的。它们都可能超出 n。" },
    { en = "`int mine = i < n ? in[i] : 0; if (i + blockDim.x < n) mine += in[i + blockDim.x]; sum[tid] = mine;` and launch blocks of BLOCK threads.",
      zh = "`int mine = i < n ? in[i] : 0; if (i + blockDim.x < n) mine += in[i + blockDim.x]; sum[tid] = mine;`，启动时每块 BLOCK 个线程。" },
  },

  after = {
    en = [[
      Half as many warps do the same job, and each keeps two loads under way instead of one. On an H200: 14.7 us in place of 23.4 for 4
      million ints (measured, cold L2). On the G80 this version reached 17 GB/s of 86.4: a fifth of what its memory could do. Where does the rest go? Not into
      memory: into the instructions of the loop. The next two labs go after them.
    ]],
    zh = [[
      一半的 warp 就完成了同样的工作，而且每个线程同时有两次读取在途，而不是一次。在 H200 上，四百万个 int 从 23.4 微秒降到 14.7 微秒（实测，L2 冷态）。当年在 G80 上，这个版本达到
      17 GB/s，而内存能提供 86.4 GB/s，只有五分之一。其余的去哪儿了？不在内存，而在循环的指令上。接下来的两个实验就对付它们。
    ]],
  },
  more = {
    en = "Go on: 128 threads, each adding four elements while loading (thread t takes t, t + 128, t + 256, t + 384). What happens to warp_inst and barriers, and what to the time?",
    zh = "继续往下走：改用 128 个线程，每个在读入时加四个元素（线程 t 取第 t、t + 128、t + 256、t + 384 个）。warp_inst、barriers 和时间各会怎么变？",
  },
}
