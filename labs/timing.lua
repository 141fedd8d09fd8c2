-- Chapter 9: what a clock sees, and how a kernel is timed.
return lab {
  id = "timing",
  title = { en = "How to time a kernel", zh = "怎样给核函数计时" },
  chapter = 9,
  minutes = 25,
  needs = { "memory-api", "dram-parallel" },
  source = "slides III.4; guide 5.1",
  teaches = {
    asynchronous = "say",
    ["timer-waits"] = "say exercise",
    ["unsynchronised-clock"] = "ask",
    events = "say exercise",
    ["warm-up"] = "say ask exercise",
    ["effective-bandwidth"] = "say ask exercise",
    ["measure-guides"] = "say after",
  },

  host_time = true,
  entry = "void timing(const int *next, int *out, float *report, int n, int walkers, int hops)",
  args = {
    next = integers(0, "n - 1", "n"),
    out = output("walkers"),
    report = host(output(2, { rtol = 0.25 })),
  },
  cases = {
    { n = 1000, walkers = 128, hops = 1000 },
    { n = 1, walkers = 1, hops = 1000 },
    { n = 3000, walkers = 37, hops = 900 },
    { n = 1 << 19, walkers = 1024, hops = 256, timed = true },
  },
  hidden = { count = 3, n = { 1, 3000 }, walkers = { 1, 200 }, hops = { 800, 1200 } },
  goals = {
    correct {
      points = 6,
      en = "The report is compared with a measurement by events over five runs after a warm-up; a quarter up or down is allowed. Has the device finished when your clock stops? Were its caches warm when it started?",
      zh = "报告会与另一次测量对比：用事件，先预热，再跑五次；允许上下相差四分之一。停止计时的时候，设备完成了吗？开始计时的时候，缓存是热的吗？",
    },
    at_least("launches", 6) {
      points = 2,
      en = "Run once to warm up, and then time at least five runs. The mean of several runs is more reliable than any one of them.",
      zh = "先预热一次，再计时至少五次：几次的平均，比任何单独一次都可靠。",
    },
    at_least("syncs", 1) {
      points = 2,
      en = "Nothing in the call waits for the device before the time is read.",
      zh = "读取时间之前，没有任何调用等待过设备。",
    },
  },

  steps = {
    say {
      en = [[
        A launch returns at once, and the host goes on while the device works. So a host clock around a launch measures only how long the launch
        call takes.

        Programs that use a host clock therefore wait twice. They wait, start the timer, launch, *wait again*, and stop the timer. The first wait
        keeps earlier work out; the second one makes the timer include all of the kernel. To wait, call `cudaDeviceSynchronize`. (The slides of a
        CUDA course call it `cudaThreadSynchronize`, a name that CUDA 13 no longer has.)

        *Events* are better. An event is a mark in a stream, and the device records its clock's time on reaching the mark.

            cudaEventRecord(begin);
            kernel<<<blocks, threads>>>(...);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);   // milliseconds
      ]],
      zh = [[
        启动核函数的调用立即返回，设备工作时主机继续往下执行。所以在启动前后读主机时钟，测到的只是启动调用本身的时间。

        因此，使用主机时钟的程序要等待两次：先等待，启动计时器，启动核函数，*再等待一次*，停下计时器。第一次等待排除之前的工作，第二次等待把这次的工作全部算进来。
        等待用 `cudaDeviceSynchronize`。（CUDA 课程的幻灯片里叫 `cudaThreadSynchronize`，CUDA 13 已经没有这个名字了。）

        更好的办法是*事件*（event）：事件是流里的标记，设备执行到那里时，用自己的时钟记下时间。

            cudaEventRecord(begin);
            kernel<<<blocks, threads>>>(...);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);   // 毫秒
      ]],
    },
    ask {
      en = "On an H200 a loop launched 200 times a kernel that takes 13.4 us. The program read a host clock before the loop, right after it, and again after a wait. From the first reading to the last, 2,682 us passed. How many from the first to the second?",
      zh = "在 H200 上，一个循环把一个 13.4 微秒的核函数启动了 200 次。程序在循环前读一次主机时钟，循环刚结束读一次，等待之后再读一次。从第一次到第三次过了 2,682 微秒，从第一次到第二次过了多久？",
      choices = {
        { en = "851 us: 4.3 for each launch call", zh = "851 微秒：每次启动调用 4.3 微秒", right = true },
        {
          en = "2,682 us: the loop cannot end before its kernels do",
          zh = "2,682 微秒：核函数没完成，循环不会结束",
          because = { en = "The loop only puts launches into a queue. About a thousand of them fit there before the host has to wait.", zh = "循环只是把启动放进队列；队列里排得下大约一千次启动，之后主机才需要等待。" },
        },
        {
          en = "Almost nothing: a launch costs the host no time",
          zh = "几乎为零：启动对主机没有开销",
          because = { en = "The call itself takes some microseconds: it writes the arguments and notifies the device.", zh = "调用本身要几微秒：写好参数，再通知设备。" },
        },
      },
    },
    say {
      en = [[
        *What* do you want to measure? The first run of a kernel differs from all later ones: code is loaded, memory is touched for the first
        time, caches are cold. So a program first makes a run that does not count, the warm-up, and then times several runs. The report should say
        so, because a reader may want the cold time.

        A time alone says little. Divide the bytes that the kernel *has to* move by the time: this is its *effective bandwidth*. Divide its
        operations by the time: this gives GFLOP/s. Compare with the device's peak to see how much there is to gain, and where: better arithmetic
        does not help a kernel limited by memory. So measure first, and choose the remedy for what limits the kernel.
      ]],
      zh = [[
        要测的到底*是什么*？核函数的第一次运行和以后都不一样：要装载代码，内存是第一次访问，缓存是冷的。所以先运行一次作为预热，不计入；然后计时多次运行。报告里要写明这一点，
        因为有人也许正想知道冷启动的时间。

        只有时间说明不了什么。用核函数*必须*传输的字节数除以时间，就是*有效带宽*；用运算次数除以时间，就是 GFLOP/s。与设备的峰值比较，就知道还有多少余地，也知道余地在哪里：对受内存限制的核函数，
        改进运算毫无用处。所以先测量，看清瓶颈在哪里，再选择对应的办法。
      ]],
    },
    ask {
      en = "A kernel reads {m} million floats and writes as many, in {us} us. What is its effective bandwidth in GB/s (10^9 bytes)?",
      zh = "一个核函数读 {m}00 万个 float，再写同样多个，用了 {us} 微秒。有效带宽是多少 GB/s（10^9 字节）？",
      draw = { m = { 16, 64 }, us = { 100, 400 } },
      answer = function(d) return d.m * 1e6 * 8 / d.us / 1e3 end,
      tolerance = 0.02,
      unit = "GB/s",
      replies = {
        { function(d) return d.m * 1e6 * 4 / d.us / 1e3 end, en = "That is only what it reads. It writes as many bytes.", zh = "这只是读的字节。它还写了同样多。" },
        { function(d) return d.m * 1e6 * 2 / d.us / 1e3 end, en = "A float has 4 bytes.", zh = "一个 float 是 4 字节。" },
      },
      because = {
        en = "{m} million times 8 bytes, divided by {us} us, divided by a thousand (bytes per microsecond are MB/s). Compare: a copy on an H200 reaches 4,262 GB/s.",
        zh = "{m}00 万乘以 8 字节，除以 {us} 微秒，再除以一千（字节每微秒就是 MB/s）。H200 上一次拷贝能到 4,262 GB/s，相比之下就知道还有多少余地。",
      },
    },
    predict {
      en = "The exercise's kernel, `walk`, follows chains of indices and so jumps about in memory: each hop reads 4 bytes at an unpredictable place, and a sector has 32 bytes. What percentage of the bytes that its loads move did the lanes ask for?",
      zh = "练习的核函数 `walk` 沿着下标的链走，在内存里跳来跳去：每一步从一个无法预测的地方读 4 个字节，而一个扇区是 32 字节。它的读取所传输的字节里，真正要用的占百分之几？",
      counter = "gld_efficiency_pct",
      of = "baseline",
      tolerance = 0.05,
      unit = "%",
      replies = {
        { 100, en = "A lane asks for 4 bytes, and a sector of 32 bytes comes.", zh = "只要 4 个字节，传输的却是 32 字节的扇区。" },
        { 25, en = "8 floats fit into a sector of 32 bytes.", zh = "32 字节的扇区放得下 8 个 float。" },
      },
      because = {
        en = "4 of 32, one eighth. Effective bandwidth counts only the bytes that were asked for: it is low here, and the memory is busier than it says. But above all the walkers wait: each hop needs the one before.",
        zh = "32 里的 4，八分之一。有效带宽只算要用的字节，所以这里很低，而显存实际上比它显示的要忙。不过最主要的还是等待：每一步都要等上一步的结果。",
      },
    },
    exercise {
      en = "The skeleton reads a host clock around one launch. Run it and look at what it reports. Then measure correctly. `report[0]` is the time of one run in microseconds: warm up, and take the mean of at least five runs. `report[1]` is the effective bandwidth, with 4 bytes for each hop.",
      zh = "骨架代码在一次启动的前后读主机时钟。先运行，看看它报告了什么。然后改成正确的测量：`report[0]` 是预热之后运行一次的微秒数，取至少五次的平均；`report[1]` 是有效带宽，每走一步算 4 个字节。",
    },
    show {
      en = "Your call: how long the device worked, and how long it was from the first operation to the last.",
      zh = "你的调用：设备工作了多久，从第一个操作到最后一个操作又过了多久。",
      picture = "counters",
      counters = { "launches", "syncs", "device_us", "elapsed_us", "l2_hit_pct" },
      of = "mine",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    ask {
      en = "Your runs after the warm-up took less time than the first one. What changed?",
      zh = "预热之后的那几次运行，每次都比第一次快。变的是什么？",
      choices = {
        { en = "`next` is in the L2 by then: a hop no longer waits for DRAM", zh = "`next` 已经在 L2 里了：每一步不用再等 DRAM", right = true },
        {
          en = "The compiler optimised the kernel after its first run",
          zh = "第一次运行之后，编译器又做了优化",
          because = { en = "Machine code does not change from run to run.", zh = "机器码不会因为运行过一次就变。" },
        },
        {
          en = "Later launches skip work whose result is known",
          zh = "后来的启动跳过了结果已知的工作",
          because = { en = "The device does not know any results beforehand. Every launch does all its work.", zh = "设备并不知道哪些结果已知；每次启动都要完成全部工作。" },
        },
      },
      because = { en = "On an H200 a load takes 661 cycles from DRAM and 288 from the L2.", zh = "在 H200 上，一次读取从 DRAM 要 661 个周期，从 L2 要 288 个。" },
    },
  },

  hints = {
    {
      en = "When `steady_clock::now()` is read for the second time, has the device done anything yet?",
      zh = "第二次读 `steady_clock::now()` 的时候，设备开始工作了吗？",
    },
    {
      en = "Launch once without timing it. Then record an event, launch five times, record a second event, and wait for the second event. The elapsed time is in milliseconds, for five runs.",
      zh = "先启动一次，不计时。然后记录一个事件，启动五次，再记录一个事件，并等待后一个事件。得到的时间以毫秒为单位，而且是五次的总和。",
    },
    {
      en = [[
            cudaEvent_t begin, end;
            cudaEventCreate(&begin), cudaEventCreate(&end);
            walk<<<blocks, 128>>>(next, out, n, walkers, hops);
            cudaEventRecord(begin);
            for (int r = 0; r < 5; r++)
                walk<<<blocks, 128>>>(next, out, n, walkers, hops);
            cudaEventRecord(end);
            cudaEventSynchronize(end);

        Then `cudaEventElapsedTime(&ms, begin, end)`. One run takes `ms * 1000 / 5` microseconds.
      ]],
      zh = [[
            cudaEvent_t begin, end;
            cudaEventCreate(&begin), cudaEventCreate(&end);
            walk<<<blocks, 128>>>(next, out, n, walkers, hops);
            cudaEventRecord(begin);
            for (int r = 0; r < 5; r++)
                walk<<<blocks, 128>>>(next, out, n, walkers, hops);
            cudaEventRecord(end);
            cudaEventSynchronize(end);

        然后 `cudaEventElapsedTime(&ms, begin, end)`；运行一次的微秒数是 `ms * 1000 / 5`。
      ]],
    },
  },

  after = {
    en = [[
      The time between two events covers everything that the stream did: kernels, and gaps in which the device waited for the next launch.

      If a kernel is shorter than a launch call (some 4 microseconds), two events around several runs of it measure the *launches*. A profiler
      times each kernel separately and shows the difference.

      `profile` says what limits `walk`: latency. Its effective bandwidth is far below the peak, but neither its arithmetic nor its coalescing
      can be improved. More walkers at once would help.
    ]],
    zh = [[
      两个事件之间的时间，包括流在这期间所做的一切：核函数，还有设备等待下一次启动的空档。

      如果核函数比一次启动调用（大约 4 微秒）还短，在两个事件之间运行若干次，测到的其实是*启动*的时间；性能分析器给每个核函数单独计时，才能把两者分开。

      `profile` 会告诉你 `walk` 受什么限制：延迟。它的有效带宽远低于峰值，但无论运算还是合并访问，都没有可以改进的地方；同时多走几条链才有用。
    ]],
  },
  more = {
    en = "Put an event before and after *each* run and look at the times one by one, the warm-up included. Then use a host clock, with a wait on both sides. How large is the difference, and for kernels longer than what is it negligible?",
    zh = "在*每一次*运行前后各放一个事件，逐个看每次的时间，包括预热的那次。然后改用主机时钟，前后都等待：相差多少？运行时间长到多少以后，这点差别就可以忽略？",
  },
}
