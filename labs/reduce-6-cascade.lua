-- The sixth step of the reduction: many elements per thread.
return lab {
  id = "reduce-6-cascade",
  title = { en = "Reduction 6: more work per thread", zh = "归约第六步：每个线程多做一些" },
  chapter = 4,
  minutes = 25,
  needs = { "reduce-5-unroll" },
  source = "walk-through; book 5.5",
  teaches = {
    brent = "ask",
    ["grid-stride-sum"] = "ask exercise",
    ["flop-per-byte-sum"] = "show",
    ["grid-stride"] = "ask",
    ["sum-sizes"] = "after",
  },

  entry = "void reduce(const int *in, int *total, int n)",
  args = {
    ["in"] = integers(-100, 100, "n"),
    total = output("1"),
  },
  cases = { { n = 1 }, { n = 512 }, { n = 100001 }, { n = 1 << 22, timed = true } },
  hidden = { count = 3, n = { 2, 200000 } },
  goals = {
    correct { points = 4 },
    at_most("warp_inst", 0.6 * baseline) {
      points = 3,
      en = "The tree is still most of the work: let each thread add more elements before it begins.",
      zh = "大部分工作仍花在树上：进树之前，让每个线程多加一些元素。",
    },
    at_most("global_load_sectors", 1.3 * baseline) {
      points = 3,
      en = "The loads are no longer coalesced: in each step of the loop neighbouring threads should read neighbouring elements.",
      zh = "读取不再合并了：在循环的每一步里，相邻的线程应当读相邻的元素。",
    },
  },
  forbid = { "thrust", "cub", "cublas" },

  steps = {
    say {
      en = [[
        From here on the whole sum is wanted, in one number. Blocks cannot wait for each other within a plain launch, so each adds its result
        to the total with an *atomic*.

        The baseline gives two elements to each thread. For four million elements that makes 8192 blocks, each with a tree of eight rounds in which
        fewer and fewer threads work. Adding two numbers in a register costs one instruction; adding them in a tree costs a load, a
        store, a barrier and a test as well.
      ]],
      zh = [[
        从这里开始要的是全部元素的总和，一个数。普通启动中各个块无法互相等待，所以每个块都用一次*原子操作*把自己的结果加到总和上。

        基线给每个线程两个元素。四百万个元素就是 8192 个块，每个块都有一棵八轮的树，干活的线程越来越少。在寄存器里加一个数只要一条指令，在树里加则还要读、写、屏障和判断。
      ]],
    },
    ask {
      en = "A tree over n = {n} elements with one thread each takes log2(n) rounds and keeps n threads for all that time. With n / log2(n) threads that each add log2(n) elements first, the time is still proportional to log2(n). By which factor does the *cost* (threads times time) shrink?",
      zh = "n = {n} 个元素、每个元素一个线程的树要 log2(n) 轮，n 个线程从头占到尾。如果只用 n / log2(n) 个线程，每个先加 log2(n) 个元素，时间仍与 log2(n) 成正比。*成本*（线程数乘以时间）缩小多少倍？",
      draw = { n = { from = { 1024, 4096, 65536, 1048576 } } },
      answer = function(d)
        local rounds = 0
        while 1 << rounds < d.n do rounds = rounds + 1 end
        return rounds
      end,
      replies = {
        { function(d) return d.n / math.log(d.n, 2) end, en = "These are the threads that are left. The factor is n by this.", zh = "这是剩下的线程数。倍数是 n 除以它。" },
      },
      because = {
        en = "From n * log2(n) to n, up to a constant: that is Brent's theorem, and why sequential work per thread pays.",
        zh = "成本从 n * log2(n) 降到 n（差一个常数）：这就是 Brent 定理，也是让每个线程先顺序做一段工作的理由。",
      },
    },
    ask {
      en = "Thread t should add 16 elements. Which 16?",
      zh = "线程 t 要加 16 个元素。应当是哪 16 个？",
      choices = {
        { en = "16 * t, 16 * t + 1, ... 16 * t + 15", zh = "第 16 * t、16 * t + 1……16 * t + 15 个",
          because = { en = "Then, in each step, the lanes of a warp read addresses 64 bytes apart: a sector for every lane.", zh = "那样每一步里，一个线程束（warp）的各 lane 读的地址相隔 64 字节：每个 lane 一个扇区。" } },
        { en = "t, t + (number of threads), t + 2 * (number of threads), ...", zh = "第 t、t + 线程总数、t + 2 * 线程总数……个", right = true,
          because = { en = "In each step neighbouring threads read neighbouring elements. This is the *grid-stride loop*.", zh = "每一步里相邻线程读相邻元素。这就是*网格跨步循环*。" } },
        { en = "Any 16, as long as each element gets in once", zh = "哪 16 个都行，只要每个元素都恰好算一次",
          because = { en = "The sum would be right. The loads would not be coalesced.", zh = "和是对的，但读取不再合并。" } },
      },
    },
    predict {
      en = "The baseline makes one atomic per block, 8192 of them. How many global atomic requests will a version with 8 blocks for each multiprocessor make on this device? (Ask `device`: an H200 has 132, a T4 has 40.)",
      zh = "基线每个块做一次原子操作，共 8192 次。如果每个多处理器只开 8 个块，在当前设备上会有多少次全局原子请求？（用 `device` 查看：H200 有 132 个多处理器，T4 有 40 个。）",
      counter = "atom_global_requests",
      of = "answer",
      tolerance = 0.02,
      replies = {
        { 8192, en = "One for each block of the baseline. How many blocks are there now?", zh = "这是基线的块数，每块一次。现在有多少个块？" },
      },
      because = { en = "One for each block that was launched, however many elements there are.", zh = "启动了多少个块就有多少次，与元素个数无关。" },
    },
    exercise {
      en = "Give each thread many elements with a grid-stride loop, and launch only as many blocks as keep the device busy.",
      zh = "用网格跨步循环让每个线程处理许多元素，只启动让设备忙起来所需的块数。",
    },
    show { en = "Your global loads: still four sectors per request?", zh = "你的全局读取：还是每个请求四个扇区吗？", picture = "sectors", of = "mine" },
    show { en = "Under the roofs of the device: one addition per four bytes belongs at the foot of the slope.", zh = "在设备的屋顶线下：每四字节一次加法，应当落在斜坡的最低处。", picture = "roofline", of = "mine" },
    compare {
      en = "The same bytes, a fraction of the instructions.",
      zh = "同样的字节数，指令只有几分之一。",
      counters = { "warp_inst", "gld_sectors", "barriers", "atom_global_requests", "blocks" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the model answer takes 12.3 us for this lab's 4 million ints, where the baseline takes 12.9; for 64 million it is 85 in place of 122. When does more work for each thread pay?",
      zh = "在 H200 上，对本实验的四百万个 int，参考答案用 12.3 微秒，基线用 12.9 微秒；六千四百万个时是 85 微秒对 122 微秒。让每个线程多做一些什么时候划算？",
      choices = {
        { en = "When there are many more elements than resident threads", zh = "当元素比驻留的线程多得多时", right = true, because = { en = "Otherwise blocks follow blocks, and each brings a tree with barriers of its own. With few elements there are few trees to save.", zh = "否则块接着块，每个块都带着自己的树和屏障。元素少，能省的树也少。" } },
        { en = "When there are fewer elements than resident threads", zh = "当元素比驻留的线程少时", because = { en = "Then a thread with more work leaves other threads without any.", zh = "那样一个线程多做，别的线程就没事可做。" } },
        { en = "Always by the same factor", zh = "总是快同样的倍数", because = { en = "5% at one size and 44% at the other.", zh = "一种规模快 5%，另一种快 44%。" } },
      },
    },
  },

  hints = {
    { goal = "warp_inst", en = "How many blocks does the device run at the same time? More than that only repeat the tree.", zh = "设备能同时运行多少个块？超出这个数的块，只是把树重复走一遍。" },
    { en = "`for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];` covers any n with any number of blocks.",
      zh = "`for (unsigned i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) mine += in[i];`，无论 n 和块数是多少都能覆盖。" },
    { goal = "warp_inst", en = "`cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0)` tells the number of multiprocessors; launch eight blocks of 256 threads for each (2048 threads), but no more than n needs.",
      zh = "用 `cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0)` 得到多处理器的个数；每个开八个 256 线程的块（2048 个线程），但不要超过 n 所需要的。" },
  },

  after = {
    en = [[
      The tree was never the point: it is what remains when nothing else can be done in parallel. On an H200 this step brings 12.2 us to 10.9
      for 4 million ints, and 122 us to 85 for 64 million (measured, cold L2): 3.2 TB/s, from 0.42 where the series began.

      Eight blocks of 256 threads fill a multiprocessor of an H200, and still each thread has only one 4-byte load under way: not enough to fill the memory pipeline. `reduce-open` goes on from there.
    ]],
    zh = [[
      树从来不是重点：它只是无法再并行时剩下的那一点。在 H200 上，这一步让四百万个 int 从 12.2 微秒降到 10.9 微秒，六千四百万个从 122 微秒降到 85 微秒（实测，L2 冷态）：3.2 TB/s，
      而这一系列优化的起点是 0.42 TB/s。

      八个 256 线程的块已经装满了 H200 的一个多处理器，可每个线程仍只有一次 4 字节的读取在途，填不满内存流水线。`reduce-open` 会接着做下去。
    ]],
  },
  more = {
    en = "Try 1, 2, 4, 8 and 16 blocks per multiprocessor and draw the modelled time against them. With few blocks it is slower than the baseline, although it executes far fewer instructions: why? And from where on does nothing change any more?",
    zh = "试试每个多处理器 1、2、4、8、16 个块，画出时间的变化。块太少时，指令虽然少得多，却比基线还慢：为什么？又从哪里开始不再变化？",
  },
}
