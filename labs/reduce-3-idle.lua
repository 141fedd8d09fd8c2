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
      en = "Too many warps wait at barriers. Eight warps can load what sixteen warps load now.",
      zh = "在屏障处等待的 warp 太多。现在 16 个 warp 读入的数据，8 个 warp 就能读入。",
    },
    at_most("warp_inst", 0.7 * baseline) {
      points = 3,
      en = "The first addition should happen in a register, before anything is stored to shared memory.",
      zh = "第一次加法应当在寄存器里完成，之后再写共享内存。",
    },
    at_most("launches", 1) {
      points = 1,
      en = "Splitting the work into launches only replaces barriers by the ends of launches, and does not count. Use only one launch.",
      zh = "拆成多次启动，是用启动的结束代替屏障，不算。请只用一次启动。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        A block of 512 threads sums 512 elements. Each thread loads one element, and from the first round on half of the threads are idle. They were
        launched, and given registers and a slot, only to move one word each.
      ]],
      zh = [[
        一个 512 线程的块对 512 个元素求和。每个线程读入一个元素，而从第一轮开始就有一半的线程空闲。启动这些线程、给它们分配寄存器和线程槽，只是为了让每个线程搬运一个字。
      ]],
    },
    show {
      en = "Which threads add in each round, for a block of 64 threads:",
      zh = "以 64 个线程的块为例，每一轮由哪些线程相加：",
      picture = "rounds",
      lanes = 64,
      rounds = 6,
      model = function(thread, round) return thread < 64 >> (round + 1) end,
    },
    ask {
      en = "A block of {b} threads reduces {b} elements. Count each thread in each round of the tree as one thread-round. In what percentage of all thread-rounds does the thread only wait?",
      zh = "一个 {b} 线程的块归约 {b} 个元素。把树的每一轮里的每个线程算作一个“线程轮”。全部线程轮里，只等待、不做加法的占百分之几？",
      draw = { b = { from = { 64, 256, 1024 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.b do rounds = rounds + 1 end
        return 100 * (1 - (d.b - 1) / (d.b * rounds))
      end,
      tolerance = 0.02,
      unit = "%",
      replies = {
        { 50, en = "Half of the threads wait in the first round. In the second round three quarters wait, and so on.", zh = "第一轮有一半的线程等待，第二轮是四分之三，依此类推。" },
      },
      because = {
        en = "All rounds together do {b} - 1 additions, one in each working thread-round, and there are {b} * log2({b}) thread-rounds. Half of the threads never add anything: they were launched only to load one word.",
        zh = "各轮总共做 {b} - 1 次加法，每次加法占一个线程轮，而线程轮一共有 {b} * log2({b}) 个。一半的线程从不做加法：启动这些线程只是为了各读一个字。",
      },
    },
    ask {
      en = "If {t} threads sum {e} elements, and each thread adds its share while it loads, how many rounds of the tree are left after the load?",
      zh = "如果用 {t} 个线程对 {e} 个元素求和，每个线程在读入时就把自己的几个元素相加，读入之后树还剩几轮？",
      draw = { t = { from = { 64, 128, 256 } }, e = { from = { 512, 1024, 2048 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.t do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return math.floor(math.log(d.e, 2) + 0.5) end, en = "The tree would have this many rounds if threads did not add while loading. After the load only {t} sums are left.", zh = "若不在读入时相加，才有这么多轮。读入之后只剩 {t} 个和。" },
        { function(d) return math.floor(math.log(d.e // d.t, 2) + 0.5) end, en = "This is the number of rounds that are saved.", zh = "这是省下的轮数。" },
      },
      because = {
        en = "{t} sums are left, whatever the number of elements, so log2({t}) rounds remain. The sums take {t} words of shared memory. (The walk-through says that this step doubles the shared memory. But there a block keeps its threads and sums twice as many elements; in this lab it keeps its elements and has half the threads, so half the shared memory. Both need one word per thread.)",
        zh = "不管原来有多少个元素，都剩 {t} 个和，所以还有 log2({t}) 轮。这些和占 {t} 个字的共享内存。（分步教程说，这一步使共享内存加倍。其实教程里块的线程数不变，加倍的是每块的元素；本实验里每块的元素不变，线程和共享内存都减半。两种做法都是每个线程一个字。）",
      },
    },
    ask {
      en = "A block has 256 threads and 512 elements. Thread t should load two of the elements. Which two?",
      zh = "一个块有 256 个线程、512 个元素，线程 t 要读其中两个。应当是哪两个？",
      choices = {
        { en = "2 * t and 2 * t + 1", zh = "第 2 * t 和第 2 * t + 1 个", because = { en = "Each of the two loads would then access every other word: eight sectors instead of four.", zh = "那样两次读取都是每隔一个字读一个：四个扇区变成八个。" } },
        { en = "t and t + 256", zh = "第 t 和第 t + 256 个", right = true, because = { en = "Both loads are coalesced: neighbouring threads, neighbouring words.", zh = "两次读取都是合并的：相邻线程读相邻的字。" } },
        { en = "t and t + 1", zh = "第 t 和第 t + 1 个", because = { en = "Then most of the first 257 elements would be added twice, and the others not at all.", zh = "那样前 257 个元素大多会加两次，其余的元素一次也没加。" } },
      },
    },
    predict {
      en = "Each warp passes one barrier after the load and one in each round. The baseline has 1024 blocks of 16 warps, and each warp passes 10 barriers. The device counts each warp at each barrier. How many barriers does it count for the model answer at n = 2^19?",
      zh = "每个线程束（warp）在读入之后过一次屏障，每轮再过一次。基线有 1024 个块，每块 16 个 warp，每个 warp 过 10 次屏障。设备对每个 warp 的每次屏障各计一次。n = 2^19 时，设备对参考答案会数到多少次屏障？",
      counter = "barriers",
      of = "answer",
      tolerance = 0.05,
      replies = {
        { 81920, en = "There are half as many warps, but there is also one round less: each warp passes 9 barriers.", zh = "warp 数减半了，但轮数也少了一轮：每个 warp 只过 9 次屏障。" },
        { 147456, en = "There is one round less, but there are also half as many warps: 8 in a block.", zh = "轮数少了一轮，但 warp 数也减半了：每块 8 个。" },
      },
      because = { en = "1024 blocks * 8 warps * 9 barriers = 73,728, against 163,840.", zh = "1024 块 * 8 个 warp * 9 次屏障 = 73,728，而基线是 163,840。" },
    },
    exercise {
      en = "Let 256 threads sum 512 elements: each thread adds its two elements while it loads them.",
      zh = "用 256 个线程对 512 个元素求和：每个线程在读入时就把自己的两个元素相加。",
    },
    show { en = "Active lanes of your kernel, line by line:", zh = "逐行看你的核函数有多少个活跃 lane：", picture = "divergence", of = "mine" },
    compare {
      en = "Half as many warps compute the same sums.",
      zh = "算同样的和，只用一半的 warp。",
      counters = { "warp_inst", "barriers", "shared_st_requests", "gld_sectors", "active_lanes_avg" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "If one thread has read two elements, it can add them without shared memory.", zh = "如果两个元素由同一个线程读入，相加时就不需要共享内存。" },
    { en = "Thread t of block b reads the elements 512 * b + t and 512 * b + t + 256. Both reads are coalesced. Either element may lie beyond n.",
      zh = "第 b 块的线程 t 读第 512 * b + t 和第 512 * b + t + 256 个元素。两次读取都是合并的。两个元素都可能超出 n。" },
    { en = "`int mine = i < n ? in[i] : 0; if (i + blockDim.x < n) mine += in[i + blockDim.x]; sum[tid] = mine;` and launch blocks of BLOCK threads.",
      zh = "`int mine = i < n ? in[i] : 0; if (i + blockDim.x < n) mine += in[i + blockDim.x]; sum[tid] = mine;`，启动时每块 BLOCK 个线程。" },
  },

  after = {
    en = [[
      Half as many warps do the same work, and each thread has two loads under way instead of one. On an H200 the sum of 4 million ints takes 14.7 us
      instead of 23.4 us (measured, cold L2).

      On a G80 this version reached 17 GB/s, a fifth of the 86.4 GB/s of its memory. So memory was not the limiter there: most of the
      time went to the instructions of the loop. The next two labs remove many of them.
    ]],
    zh = [[
      一半的 warp 完成了同样的工作，每个线程同时有两次读取在途，而不是一次。在 H200 上，400 万个 int 的求和从 23.4 微秒降到 14.7 微秒（实测，L2 冷态）。

      在 G80 上，这个版本达到
      17 GB/s，只有内存带宽 86.4 GB/s 的五分之一。可见那里的瓶颈不是内存：时间大多花在循环的指令上。接下来的两个实验会去掉其中许多指令。
    ]],
  },
  more = {
    en = "Go one step further: use 128 threads, each of which adds four elements while loading (thread t takes t, t + 128, t + 256, t + 384). How do warp_inst, barriers and the time change?",
    zh = "再进一步：改用 128 个线程，每个线程在读入时加四个元素（线程 t 取第 t、t + 128、t + 256、t + 384 个）。warp_inst、barriers 和时间各会怎样变化？",
  },
}
