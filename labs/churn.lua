-- Chapter 9: allocation out of the loop.
return lab {
  id = "churn",
  title = { en = "Allocate once", zh = "只分配一次" },
  chapter = 9,
  minutes = 20,
  needs = { "memory-api", "timing" },
  source = "guide 5.5",
  teaches = {
    ["churn-slows"] = "say",
    ["allocate-early"] = "say exercise",
    ["right-size"] = "ask",
    ["fall-back"] = "say ask",
    ["allocation-cost"] = "say",
    ["pool-h200"] = "say ask",
    ["pool-allocation"] = "say more",
  },

  host_time = true,
  entry = "void churn(const float *in, float *out, int n, int steps)",
  args = {
    ["in"] = uniform(-1, 1, "n"),
    out = output("n", { ops = "8 * steps" }),
  },
  cases = {
    { n = 512, steps = 8 },
    { n = 1, steps = 1 },
    { n = 1003, steps = 9 },
    { n = 1 << 16, steps = 24, timed = true },
  },
  hidden = { count = 3, n = { 1, 5000 }, steps = { 8, 20 } },
  goals = {
    correct { points = 4 },
    at_most("allocations", 1) {
      points = 3,
      en = "How large is the scratch array in each round? Then one allocation will do for all of them.",
      zh = "每一轮的临时数组有多大？那么一次分配就够所有轮次用了。",
    },
    speedup(5) {
      points = 3,
      en = "Look at `elapsed_us` beside `device_us`: the difference is the host, and most of it is cudaMalloc and cudaFree.",
      zh = "把 `elapsed_us` 和 `device_us` 放在一起看：差的那部分是主机，其中大半是 cudaMalloc 和 cudaFree。",
    },
  },

  steps = {
    say {
      en = [[
        `malloc` on the host costs nanoseconds, and nobody thinks about it. `cudaMalloc` talks to the driver and the operating system, maps pages on the device, and so does `cudaFree` in reverse, which *waits for all of the device's work* besides. Each pair stops the conveyor.

        Measured on an H200: 50 short kernels with 4 MB allocated and freed around each, 5,017 microseconds; with one allocation for all, 328. And it gets worse: a program that allocates and frees all the time may see these calls slow down as it runs, up to a limit, since the memory goes back to the
        operating system every time.

        So allocate early, in a size that fits the problem, and free when the memory has no more use; above all not in the parts where time matters.
      ]],
      zh = [[
        主机上的 `malloc` 只要几十纳秒，没人放在心上。`cudaMalloc` 却要和驱动、操作系统打交道，在设备上映射内存页；`cudaFree` 反过来做一遍，而且还要*等设备把所有工作做完*。每来一对，流水线就停一次。

        在 H200 上实测：50 个短核函数，每个前后都分配、释放 4 MB，共 5,017 微秒；一共只分配一次，328 微秒。而且情况会越来越糟：不停分配、释放的程序，运行中这些调用往往越来越慢，直到某个极限，因为内存每次都还给了操作系统。

        所以要早分配，大小适合手头的问题，等内存再无用处时才释放；最要紧的是，不要放在对性能敏感的地方。
      ]],
    },
    predict {
      en = "The skeleton with steps = 24: how many allocations does it make?",
      zh = "骨架代码，steps = 24：它分配多少次？",
      counter = "mallocs",
      of = "skeleton",
      tolerance = 0,
      replies = {
        { 25, en = "Count the steps: each allocates once, and nothing is allocated besides.", zh = "数一数步数：每步分配一次，此外没有别的分配。" },
        { 48, en = "Each step allocates once. A free is no allocation.", zh = "每步分配一次。释放不算分配。" },
      },
      because = { en = "One in each round, all of the same size.", zh = "每轮一次，大小全都一样。" },
    },
    ask {
      en = "To be on the safe side, a program asks at its start for all of the device's free memory and serves itself from that. What speaks against it?",
      zh = "为了保险，一个程序一启动就把设备上所有空闲内存都要来，以后自己从里面取。这样做有什么不好？",
      choices = {
        {
          en = "Nothing: it is the fewest allocations possible",
          zh = "没什么不好：分配次数最少",
          because = { en = "The fewest calls, yes, but look at who else lives there.", zh = "调用次数确实最少，可是这块 GPU 上不只有你一个程序。" },
        },
        { en = "The memory is made resident at once, and nobody else can use it: other programs on the same GPU may not run at all", zh = "这些内存立刻就要驻留，别人再也用不上：同一块 GPU 上的其他程序可能根本跑不起来", right = true },
        {
          en = "Kernels get slower the more memory is allocated",
          zh = "分配得越多，核函数就越慢",
          because = { en = "A kernel does not notice memory that it does not touch.", zh = "核函数不碰的内存，对它没有影响。" },
        },
      },
      because = {
        en = "That goes for `cudaMalloc`, `cudaMallocHost` and `cuMemCreate` alike; with page-locked memory it is the whole machine that runs short, and the system's scheduler comes under pressure.",
        zh = "`cudaMalloc`、`cudaMallocHost`、`cuMemCreate` 都是如此；锁页内存占多了，整台机器都会吃紧，操作系统的调度也会受到压力。",
      },
    },
    say {
      en = [[
        Sometimes memory is needed inside, of a size that nobody knows before. Then take it from a *pool*: `cudaMallocAsync` and `cudaFreeAsync` hand out what the process holds already, in the order of a stream, without waiting for anybody. On an H200, 64 MB taken and given back 20 times: 3,554 microseconds by
        `cudaMalloc`, 244 from the pool, and 24 from a pool that was told to keep what it has (its *release threshold*).

        And sometimes there is not enough memory. `cudaMalloc` then returns `cudaErrorMemoryAllocation`, and a good program does not end there: it falls back on `cudaMallocHost` or `cudaMallocManaged`. Both are slower, and the program runs.
      ]],
      zh = [[
        有时确实只能在中途分配，因为事先不知道要多大。那就从*内存池*里取：`cudaMallocAsync` 和 `cudaFreeAsync` 把进程手里已有的内存按流的次序交出去、收回来，谁也不用等。在 H200 上，64 MB 取用、归还 20 次：用 `cudaMalloc` 是 3,554 微秒，从池里取是 244 微秒，
        如果让池子留住已有的内存（设置*释放阈值*），只要 24 微秒。

        还有时候内存不够。这时 `cudaMalloc` 返回 `cudaErrorMemoryAllocation`，好的程序不会就此结束，而是退一步改用 `cudaMallocHost` 或 `cudaMallocManaged`。两者都慢一些，但程序能跑下去。
      ]],
    },
    ask {
      en = "By those figures, how many microseconds does one pair of allocate and free take that gets its 64 MB from the pool that keeps?",
      zh = "按这些数字，从留住内存的池子里取用并归还一次 64 MB，要多少微秒？",
      answer = 24 / 20,
      tolerance = 0.1,
      unit = "us",
      replies = {
        { 24, en = "That is the time of all twenty pairs.", zh = "这是二十对一共的时间。" },
      },
      because = { en = "24 by 20, about 1.2 microseconds: less than a launch. A pair of `cudaMalloc` and `cudaFree` took 178.", zh = "24 除以 20，约 1.2 微秒，比一次启动还短。而一对 `cudaMalloc` 和 `cudaFree` 要 178 微秒。" },
    },
    exercise {
      en = "Move what can be moved out of the loop. Every size has to work, and nothing may be left behind that a later call with a larger n would trip over.",
      zh = "把能挪的挪到循环外面去。各种大小都要对，也不能留下让以后更大的 n 出错的东西。",
    },
    show {
      en = "Your call beside the baseline's:",
      zh = "你的调用和基线对比：",
      picture = "counters",
      counters = { "mallocs", "pool_allocs", "frees", "malloc_bytes", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same on the device's clock, engine by engine and stream by stream:",
      zh = "再按设备的时钟，逐个引擎、逐个流地看：",
      picture = "timeline",
      of = "mine",
    },
    ask {
      en = "A scratch array of {mb} MB is needed; the device has 80 MB free. A program tries `cudaMalloc`, and if that fails `cudaMallocHost`. From which memory will its kernel read?",
      zh = "需要 {mb} MB 的临时数组，设备上有 80 MB 空闲。程序先试 `cudaMalloc`，失败了再用 `cudaMallocHost`。它的核函数会从哪种内存读？",
      draw = { mb = { 100, 300 } },
      choices = {
        { en = "The device's, for 80 MB, and the host's for the rest", zh = "前 80 MB 是设备内存，其余是主机内存", because = { en = "One call gives one kind of memory, or none. What you think of is managed memory.", zh = "一次调用要么给一种内存，要么一点不给。你说的是托管内存。" } },
        { en = "The host's: all of it crosses the link at each pass, slower, but it runs", zh = "主机内存：每一遍都要全部走链路，慢一些，但能跑", right = true },
        { en = "The device's: the driver makes room by moving other programs' memory out", zh = "设备内存：驱动会把别的程序的内存挪走，腾出地方", because = { en = "Memory from cudaMalloc is resident until it is freed.", zh = "cudaMalloc 分配的内存在释放之前一直驻留。" } },
      },
    },
  },

  hints = {
    { en = "Which lines of the loop do the same thing in every round?", zh = "循环里哪几行每一轮做的都是同一件事？" },
    { en = "The scratch array has n floats in every round, and what was in it before does not matter: `copy` overwrites all of it.", zh = "每一轮的临时数组都是 n 个 float，里面原来有什么也无所谓：`copy` 会全部覆盖。" },
    { en = "`cudaMalloc` goes before the `for`, `cudaFree` behind its closing brace.", zh = "`cudaMalloc` 放到 `for` 之前，`cudaFree` 放到它的右花括号之后。" },
  },

  after = {
    en = [[
      The device had little to do in either version; the host held it up. Note the wait in `cudaFree`: before, each round was ended by one, so that launch costs and kernels could not overlap; now the host runs ahead and the device works without a gap.

      A library that is called again and again cannot move its allocations out of the caller's loop. It keeps a work area from call to call and makes it larger when it has to, or it takes a pool.
    ]],
    zh = [[
      两个版本里设备都没多少事，是主机拖住了它。注意 `cudaFree` 里的等待：原来每一轮都以一次等待收尾，启动的开销没法和核函数重叠；现在主机可以走在前面，设备一刻不停。

      反复被调用的库没法把分配挪到调用者的循环外面，于是它在两次调用之间留着一块工作区，不够大时再换大的；或者使用内存池。
    ]],
  },
  more = {
    en = "Leave the allocation in the loop, but write `cudaMallocAsync(&scratch, bytes, 0)` and `cudaFreeAsync(scratch, 0)`, and compare `elapsed_us`. Then do without `copy`: two arrays that change places after each round.",
    zh = "把分配留在循环里，但改成 `cudaMallocAsync(&scratch, bytes, 0)` 和 `cudaFreeAsync(scratch, 0)`，比较 `elapsed_us`。然后试试去掉 `copy`：让两个数组每轮之后互换位置。",
  },
}
