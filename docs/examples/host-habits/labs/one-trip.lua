-- Several passes over the same array: copied once each way, or every time?
return lab {
  id = "one-trip",
  title = { en = "One trip each way", zh = "只来回一趟" },
  chapter = 9,
  minutes = 20,
  needs = { "memory-api" },

  entry = "void one_trip(const float *x, float *y, int n, int passes)",
  args = {
    x = host(uniform(-1, 1, "n")),
    y = host(output("n", { ops = "2 * passes" })),
  },
  cases = {
    { n = 1003, passes = 3 },
    { n = 1, passes = 1 },
    { n = 1 << 18, passes = 8, timed = true },
  },
  hidden = { count = 3, n = { 2, 5000 }, passes = { 1, 6 } },
  host_time = true,  -- the call from start to end: copies count
  host = "anything", -- the host may look at results in between: that is what the skeleton does
  goals = {
    correct { points = 4 },
    at_least("launches", 8) {
      points = 1,
      en = "Every pass is a launch: the device does the work.",
      zh = "每一遍都是一次启动：计算应当由设备完成。",
    },
    at_most("h2d_copies", 1) {
      points = 2,
      en = "What the device has written it need not be sent again.",
      zh = "设备自己写出的数据，不必再送一遍。",
    },
    at_most("d2h_copies", 1) {
      points = 2,
      en = "Nobody on the host looks at the results in between.",
      zh = "中间结果在主机上没有人看。",
    },
    speedup(3) {
      points = 1,
      en = "Most of the call is copies: take out those that nobody needs.",
      zh = "整个调用的大部分时间花在拷贝上：去掉没有用的拷贝。",
    },
  },

  steps = {
    say {
      en = [[
        A filter goes over an array several times. Each time a library function is called that takes host pointers: it copies the array to the device, launches the kernel and copies the array back. That
        is convenient, and right. Between two passes, though, nobody on the host looks at the array.
      ]],
      zh = [[
        一个滤波器要对同一个数组做好几遍。每一遍都调用一个接收主机指针的库函数：把数组拷到设备，启动核函数，再把数组拷回来。这样写方便，结果也对。可是在两遍之间，主机上并没有人去看这个数组。
      ]],
    },
    ask {
      en = "{p} passes over {m} MB, copied in and out each time. How many MB cross between host and device?",
      zh = "对 {m} MB 的数据做 {p} 遍，每遍都拷入、拷出一次。主机和设备之间一共要传多少 MB？",
      draw = { p = { 3, 9 }, m = { 10, 60 } },
      answer = function(d) return 2 * d.p * d.m end,
      replies = {
        { function(d) return d.p * d.m end, en = "That is one direction: they come back as well.", zh = "这只是一个方向：数据还要拷回来。" },
      },
      because = { en = "Once in and once out, {p} times: 2 * {p} * {m}.", zh = "每遍一进一出，共 {p} 遍：2 * {p} * {m}。" },
    },
    ask {
      en = "Which of these has to happen between two passes in the same stream?",
      zh = "同一个流里的两遍之间，必须做哪一件事？",
      choices = {
        { en = "`cudaDeviceSynchronize()`", zh = "`cudaDeviceSynchronize()`", because = { en = "Launches of one stream run in their order without it.", zh = "同一个流里的启动本来就按顺序执行。" } },
        { en = "a copy to the host, so that the results are safe", zh = "拷回主机一次，免得结果丢失", because = { en = "Device memory keeps what was written until it is freed.", zh = "设备内存里的数据在释放之前一直都在。" } },
        { en = "nothing", zh = "什么都不用做", right = true, because = { en = "The second launch begins when the first is done, and finds its results.", zh = "第一次启动完成后第二次才开始，并且看得到它的结果。" } },
      },
    },
    predict {
      en = "How many copies to the device does the baseline make for 8 passes?",
      zh = "做 8 遍时，基线程序向设备拷贝多少次？",
      counter = "h2d_copies",
      of = "baseline",
      tolerance = 0,
      because = { en = "One a pass.", zh = "每遍一次。" },
    },
    exercise {
      en = "Keep the array on the device from the first pass to the last.",
      zh = "从第一遍到最后一遍，让数组一直留在设备上。",
    },
    show { en = "What happened when in your call:", zh = "你的调用里各件事发生的时间：", picture = "timeline", of = "mine" },
    compare {
      en = "What moved.",
      zh = "搬运了什么。",
      counters = { "h2d_copies", "d2h_copies", "h2d_bytes", "mallocs", "launches", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "Which lines of the loop have to be inside it?", zh = "循环里的哪几行真的必须在循环里？" },
    { en = "Allocate and copy in before the loop, copy out and free behind it; the loop only launches.", zh = "循环之前分配并拷入，循环之后拷出并释放；循环里只剩启动。" },
    { en = "`for (int p = 0; p < passes; p++) smooth<<<blocks, 256>>>(v, n);` between one `cudaMemcpy` in and one out.", zh = "一次拷入和一次拷出之间：`for (int p = 0; p < passes; p++) smooth<<<blocks, 256>>>(v, n);`。" },
  },

  after = {
    en = "A pass over the array takes microseconds on the device, a copy across the bus many times that. A function that takes device pointers leaves it to its caller when to copy; libraries offer such functions for this reason.",
    zh = "数组过一遍在设备上只要几微秒，而经总线拷一次要多花好多倍的时间。接收设备指针的函数把何时拷贝交给调用者决定；各种库都提供这样的函数，原因就在这里。",
  },
  more = {
    en = "Take page-locked memory (`cudaHostAlloc`) for a copy of x, and look at the timeline again: which part became shorter?",
    zh = "用锁页内存（`cudaHostAlloc`）存一份 x，再看一次时间线：哪一段变短了？",
  },
}
