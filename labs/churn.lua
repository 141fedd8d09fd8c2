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
      en = "How large is the scratch array in each round? One allocation is enough for all rounds.",
      zh = "每一轮的临时数组有多大？分配一次，就够所有轮次用了。",
    },
    speedup(5) {
      points = 3,
      en = "Compare `elapsed_us` with `device_us`. The difference is time on the host, and most of it is cudaMalloc and cudaFree.",
      zh = "比较 `elapsed_us` 和 `device_us`。差的那部分是主机的时间，其中大半花在 cudaMalloc 和 cudaFree 上。",
    },
  },

  steps = {
    say {
      en = [[
        `malloc` on the host takes nanoseconds, so programs call it freely. `cudaMalloc` calls the driver and the operating system and maps pages
        on the device. `cudaFree` undoes this, and it also *waits for all of the device's work*. So each pair interrupts the work.

        Measured on an H200: 50 short kernels took 5,017 microseconds with 4 MB allocated and freed around each, and 328 with one allocation for
        all. It can get worse: in a program that allocates and frees all the time, these calls may get slower and slower, to a limit, because
        the memory goes back to the operating system every time.

        So allocate early, in a size that fits the problem, and free the memory when you no longer need it. Above all, keep both out of the parts
        where time matters.
      ]],
      zh = [[
        主机上的 `malloc` 只要几十纳秒，可以随便调用。`cudaMalloc` 却要调用驱动和操作系统，在设备上映射内存页；`cudaFree` 撤销这些映射，而且还要*等设备完成所有工作*。
        所以每来一对，设备的工作就中断一次。

        在 H200 上实测：50 个短核函数，每个前后都分配、释放 4 MB，共 5,017 微秒；一共只分配一次，328 微秒。情况还会更糟：如果程序不停地分配、释放，这些调用可能越来越慢，直到某个极限，
        因为内存每次都还给了操作系统。

        所以要尽早分配，大小适合当前的问题，不再需要时才释放；最重要的是，不要在对性能敏感的地方分配和释放。
      ]],
    },
    predict {
      en = "Read `churn.cu` first. The skeleton runs with steps = 24. How many allocations does it make?",
      zh = "先读 `churn.cu`。骨架代码，steps = 24：它分配多少次？",
      counter = "mallocs",
      of = "skeleton",
      tolerance = 0,
      replies = {
        { 25, en = "Count the rounds: each allocates once, and nothing else is allocated.", zh = "数一数轮数：每轮分配一次，此外没有别的分配。" },
        { 48, en = "Each round allocates once. A free is not an allocation.", zh = "每轮分配一次。释放不算分配。" },
      },
      because = { en = "One in each round, all of the same size.", zh = "每轮一次，大小全都一样。" },
    },
    ask {
      en = "To be safe, a program allocates all of the device's free memory at its start and takes its arrays from there. What is wrong with that?",
      zh = "为了保险，一个程序一启动就把设备上所有空闲内存都分配下来，以后自己从里面取。这样做有什么不好？",
      choices = {
        {
          en = "Nothing: this is the smallest number of allocations",
          zh = "没什么不好：分配次数最少",
          because = { en = "The calls are few. But other programs may use the same GPU.", zh = "调用次数确实最少。可是这块 GPU 上可能还有别的程序。" },
        },
        { en = "All this memory is resident at once, and nothing else can use it: other programs on the same GPU may not run at all", zh = "这些内存立刻就要驻留，别的程序再也用不上：同一块 GPU 上的其他程序可能根本无法运行", right = true },
        {
          en = "Kernels get slower the more memory is allocated",
          zh = "分配得越多，核函数就越慢",
          because = { en = "A kernel is not affected by memory that it does not touch.", zh = "核函数不访问的内存，对它没有影响。" },
        },
      },
      because = {
        en = "This is true of `cudaMalloc`, `cudaMallocHost` and `cuMemCreate` alike. With page-locked memory the whole machine runs short, and the operating system comes under pressure.",
        zh = "`cudaMalloc`、`cudaMallocHost`、`cuMemCreate` 都是如此；锁页内存占多了，整台机器的内存都会吃紧，操作系统也会受到压力。",
      },
    },
    say {
      en = [[
        Sometimes a size is known only in the middle of the work. Then take the memory from a *pool*. `cudaMallocAsync` and `cudaFreeAsync` work
        in the order of a stream, without a wait. They reuse memory that the pool still holds. By default the pool gives unused memory back at a
        synchronisation.

        On an H200, 64 MB were taken and given back 20 times. With `cudaMalloc` that took 3,554 microseconds, from the pool 244. With a *release
        threshold* that makes the pool keep its memory, it took 24.

        Sometimes there is not enough memory. Then `cudaMalloc` returns `cudaErrorMemoryAllocation`. A good program does not end there: it falls
        back on `cudaMallocHost` or `cudaMallocManaged`. Both are slower, but the program runs.
      ]],
      zh = [[
        有时要到中途才知道大小，只能那时分配。这种情况应当从*内存池*里取：`cudaMallocAsync` 和 `cudaFreeAsync` 按流的次序取用、归还，不需要等待，
        池子里还留着的内存会重复使用。默认情况下，池子在同步时把没有用到的内存还给系统。

        在 H200 上，64 MB 取用、归还 20 次：用 `cudaMalloc` 要 3,554 微秒，从池里取要 244 微秒；如果让池子留住已有的内存（设置*释放阈值*），只要 24 微秒。

        还有时候内存不够。这时 `cudaMalloc` 返回 `cudaErrorMemoryAllocation`，好的程序不会就此结束，
        而是改用 `cudaMallocHost` 或 `cudaMallocManaged`。两者都慢一些，但程序能继续运行。
      ]],
    },
    ask {
      en = "By those figures, how many microseconds does it take to allocate 64 MB from the pool that keeps its memory, and to free them again?",
      zh = "按这些数字，从留住内存的池子里取用并归还一次 64 MB，要多少微秒？",
      answer = 24 / 20,
      tolerance = 0.1,
      unit = "us",
      replies = {
        { 24, en = "That is the time of all twenty pairs.", zh = "这是二十次取用和归还一共的时间。" },
      },
      because = { en = "24 / 20, about 1.2 microseconds: less than a launch. A pair of `cudaMalloc` and `cudaFree` took 178.", zh = "24 除以 20，约 1.2 微秒，比一次启动还短。而一对 `cudaMalloc` 和 `cudaFree` 要 178 微秒。" },
    },
    exercise {
      en = "Move out of the loop what can be moved. Every size has to work. Leave nothing behind that would break a later call with a larger n.",
      zh = "把可以移出循环的都移出去。各种大小都要正确，也不能留下什么东西，让以后 n 更大的调用出错。",
    },
    show {
      en = "Your call compared with the baseline's:",
      zh = "你的调用和基线对比：",
      picture = "counters",
      counters = { "mallocs", "pool_allocs", "frees", "malloc_bytes", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    ask {
      en = "A program needs a scratch array of {mb} MB; the device has 80 MB free. The program tries `cudaMalloc`, and if that fails, `cudaMallocHost`. From which memory does its kernel read?",
      zh = "程序需要 {mb} MB 的临时数组，设备上有 80 MB 空闲。程序先试 `cudaMalloc`，失败了再用 `cudaMallocHost`。它的核函数会从哪种内存读？",
      draw = { mb = { 100, 300 } },
      choices = {
        { en = "The device's for 80 MB, and the host's for the rest", zh = "前 80 MB 是设备内存，其余是主机内存", because = { en = "One call returns one kind of memory, or none. What you describe is managed memory.", zh = "一次调用要么返回一种内存，要么失败。你描述的是托管内存。" } },
        { en = "The host's: every pass moves all of it across the link. That is slower, but it runs", zh = "主机内存：每读一遍，全部数据都要经过链路，慢一些，但能运行", right = true },
        { en = "The device's: the driver moves other programs' memory out to make room", zh = "设备内存：驱动会把别的程序的内存移走，腾出空间", because = { en = "Memory from cudaMalloc is resident until it is freed.", zh = "cudaMalloc 分配的内存在释放之前一直驻留。" } },
      },
    },
  },

  hints = {
    { en = "Which lines of the loop do the same thing in every round?", zh = "循环里哪几行每一轮做的都是同一件事？" },
    { en = "The scratch array has n floats in every round. Its old contents do not matter, because `copy` overwrites all of it.", zh = "每一轮的临时数组都是 n 个 float，里面原来的内容无关紧要，因为 `copy` 会全部覆盖。" },
    { en = "Put `cudaMalloc` before the `for`, and `cudaFree` after its closing brace.", zh = "`cudaMalloc` 放到 `for` 之前，`cudaFree` 放到它的右花括号之后。" },
  },

  after = {
    en = [[
      The device had little to do in either version; the host kept it waiting. `cudaFree` waits for the device, so before your change each round
      ended with a wait, and launch costs could not overlap with kernels. Now the host runs ahead, and the device works without gaps.

      A library that is called again and again cannot move its allocations out of the caller's loop. It can keep a work area from call to call
      and enlarge it when necessary, or use a pool.
    ]],
    zh = [[
      两个版本里设备的工作都不多，是主机让它等待。`cudaFree` 要等设备做完，所以原来每一轮都以一次等待结束，启动的开销没法和核函数重叠；现在主机可以先走一步，设备的工作之间没有空隙。

      反复被调用的库没法把分配移到调用者的循环外面。它可以在两次调用之间保留一块工作区，不够大时再换大的；也可以使用内存池。
    ]],
  },
  more = {
    en = "Leave the allocation in the loop, but write `cudaMallocAsync(&scratch, bytes, 0)` and `cudaFreeAsync(scratch, 0)`, and compare `elapsed_us`. Then do without `copy`: use two arrays that change places after each round.",
    zh = "把分配留在循环里，但改成 `cudaMallocAsync(&scratch, bytes, 0)` 和 `cudaFreeAsync(scratch, 0)`，比较 `elapsed_us`。然后试试去掉 `copy`：让两个数组每轮之后互换位置。",
  },
}
