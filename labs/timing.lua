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
  hidden = { count = 3, n = { 1, 400000 }, walkers = { 1, 200 }, hops = { 100, 4000 } },
  goals = {
    correct {
      points = 6,
      en = [[
        Your report is compared with another measurement: a warm-up, then five runs between two
        events. The two measurements may differ by a quarter. Has the device finished when you stop
        your clock? Had an earlier run filled the device's caches when you started your clock?
      ]],
      zh = [[
        你的报告会与另一次测量对比。那次测量先预热一次，再测两个事件之间的五次运行。两次测量允许相差
        四分之一。停止计时的时候，设备做完了吗？开始计时的时候，之前的运行已经填充缓存了吗？
      ]],
    },
    at_least("full_launches", 6) {
      points = 2,
      en = [[
        Make one run to warm up, and then time at least five runs. The mean of several runs is more
        reliable than a single run.
      ]],
      zh = "先运行一次作为预热，再计时至少五次。几次的平均值比单独一次可靠。",
    },
    at_least("waits", 1) {
      points = 2,
      en = "Your function reads the time without waiting for the device first.",
      zh = "你的函数没有先等待设备，就读取了时间。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab you measure how long the kernel `walk` takes. Each of its threads is a *walker*:
        it reads a number from an array, uses this number as an index, and reads the next number
        there. Each such step is a *hop*. The skeleton uses a host clock, and this clock does not
        measure the kernel. You will find out what it measures, and how to measure the kernel.

        A launch call returns at once, and the host goes on while the device works. So a host clock
        that is read before and after a launch measures only how long the launch call takes.

        With a host clock, a program has to wait twice. It waits, reads the clock, launches the
        kernel, *waits again*, and reads the clock again. The first wait keeps earlier work out of
        the measurement. The second wait makes sure that the whole kernel is measured.

        To wait, call `cudaDeviceSynchronize`. (The slides of a CUDA course call it
        `cudaThreadSynchronize`, a name that CUDA 13 no longer has.)

        *Events* are better. The device takes its work from a queue, which is called a *stream*.
        `cudaEventRecord` puts an event into the stream. When the device reaches the event, it
        records the time of its own clock. `cudaEventSynchronize` waits until the device has reached
        the event.

            cudaEventRecord(begin);
            kernel<<<blocks, threads>>>(...);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);   // milliseconds
      ]],
      zh = [[
        本实验要测量核函数 `walk` 用多长时间。`walk` 的每个线程从数组里读一个数，走到以这个数为下标
        的位置，再读下一个数，如此反复。骨架代码用的是主机时钟，测到的不是核函数的时间。你会弄清骨架
        代码测到了什么，以及怎样才能测对。

        启动立即返回，设备工作时，主机继续往下执行。所以，在启动前后各读一次主机时钟，
        测到的只是启动调用本身的时间。

        用主机时钟的程序要等待两次：等待，读时钟，启动核函数，*再等待一次*，再读一次时钟。
        第一次等待是为了不测到之前的工作，第二次等待是为了测到整个核函数。

        等待用 `cudaDeviceSynchronize`。（CUDA 课程的幻灯片里写的
        是 `cudaThreadSynchronize`，CUDA 13 已经没有这个名字。）

        更好的办法是*事件*（event）。设备从一个队列里取工作，这个队列
        叫*流*（stream）。`cudaEventRecord` 把一个事件放进流里。设备执行到这个事件时，
        用自己的时钟记下时间。`cudaEventSynchronize` 等待设备执行到这个事件。

            cudaEventRecord(begin);
            kernel<<<blocks, threads>>>(...);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            cudaEventElapsedTime(&ms, begin, end);   // 毫秒
      ]],
    },
    ask {
      en = [[
        On an H200, a loop launched a kernel 200 times. One run of the kernel takes 13.4 us. The
        program read a host clock before the loop, right after the loop, and once more after it had
        waited for the device. From the first reading to the third, 2,682 us passed. How many
        microseconds passed from the first to the second?
      ]],
      zh = [[
        在 H200 上，一个循环启动了 200 次核函数，核函数每运行一次要 13.4 微秒。
        程序在循环之前读一次主机时钟，循环刚结束时读一次，等待设备之后再读一次。
        从第一次到第三次过了 2,682 微秒。从第一次到第二次过了多久？
      ]],
      choices = {
        {
          en = "851 us: 4.3 us for each launch call",
          zh = "851 微秒：每次启动调用 4.3 微秒",
          right = true,
        },
        {
          en = "2,682 us: the loop ends when its last kernel has ended",
          zh = "2,682 微秒：最后一个核函数结束，循环才结束",
          because = {
            en = [[
              The loop does not wait for the kernels: it only puts launches into the stream. About a
              thousand launches fit there before the host has to wait.
            ]],
            zh = [[
              循环不等核函数，只是把启动放进流里。流里放得下大约一千次启动，放满之后主机才需要等待。
            ]],
          },
        },
        {
          en = "Almost nothing: a launch costs the host no time",
          zh = "几乎为零：启动不花主机的时间",
          because = {
            en = [[
              The host needs some microseconds for each launch: it writes down the arguments and
              notifies the device.
            ]],
            zh = "每次启动要花主机几微秒：写好参数，再通知设备。",
          },
        },
      },
    },
    say {
      en = [[
        First decide *what* to measure. The first run of a kernel takes longer than later ones: the
        driver loads the kernel's code, the device uses the memory for the first time, and the
        caches do not hold the data yet.

        So a program first makes a run that is not timed, the *warm-up*. Then it times several runs.
        Some readers want to know the time of the first run. So if you publish a time, say that
        there was a warm-up.

        A time means little by itself. Divide the bytes that the kernel *has to* move by the time:
        this gives its *effective bandwidth*. Divide its operations by the time: this gives its
        speed in GFLOP/s.

        Compare both figures with the peaks of the device. The comparison shows how much faster the
        kernel could become. It also shows what limits the kernel: better arithmetic does not help a
        kernel that waits for memory. So measure first, and then choose what to improve.
      ]],
      zh = [[
        先决定要测*什么*。核函数的第一次运行比后面的慢：驱动要装载代码，内存是第一次使用，缓存里还没
        有数据。所以程序先运行一次，不计时，这叫*预热*，然后给后面的多次运行计时。有的读者想知道第一
        次运行的时间，所以公布时间时要写明做过预热。

        单看用时，说明不了什么。用核函数*必须*传输的字节数除以时间，得到*有效带宽*。用运算次数除以时
        间，得到以 GFLOP/s 计的速度。把两者都与设备的峰值比较，就知道核函数还能快多少，也知道什么限
        制了核函数：如果核函数在等内存，改进运算就没有用。所以先测量，再选择改进什么。
      ]],
    },
    ask {
      en = [[
        A kernel reads {m} million floats and writes as many, in {us} us. What is its effective
        bandwidth in GB/s (10^9 bytes)?
      ]],
      zh = [[
        一个核函数读 {m}00 万个 float，再写同样多个，用了 {us} 微秒。这个核函数的有效带宽是多少 GB/s
        （10^9 字节）？
      ]],
      draw = { m = { 16, 64 }, us = { 100, 400 } },
      answer = function(d) return d.m * 1e6 * 8 / d.us / 1e3 end,
      tolerance = 0.02,
      unit = "GB/s",
      replies = {
        {
          function(d) return d.m * 1e6 * 4 / d.us / 1e3 end,
          en = "You counted only the bytes that the kernel reads.",
          zh = "这只算了读的字节，还有写的。",
        },
        {
          function(d) return d.m * 1e6 * 2 / d.us / 1e3 end,
          en = "You counted the floats. A float has 4 bytes.",
          zh = "这算的是 float 的个数，一个 float 占 4 字节。",
        },
      },
      because = {
        en = [[
          The kernel moves {m} million times 8 bytes. Divide this by {us} us. The result is in
          bytes per microsecond, that is, in MB/s. Divide it by a thousand to get GB/s. For
          comparison, a copy within an H200 reaches 4,262 GB/s.
        ]],
        zh = [[
          核函数一共传输 {m}00 万乘以 8 字节。除以 {us} 微秒，得到每微秒的字节数，也就是 MB/s，
          再除以一千。作为比较，H200 内部的拷贝能到 4,262 GB/s。
        ]],
      },
    },
    predict {
      en = [[
        In the exercise's kernel `walk`, each hop of a walker reads 4 bytes at an unpredictable
        place in memory. For this the memory delivers a whole sector of 32 bytes. What percentage of
        the delivered bytes did the lanes ask for?
      ]],
      zh = [[
        练习的核函数 `walk` 里，线程每走一步，都从内存中一个无法预测的地方读 4 个字节。为此，内存要
        送来一个 32 字节的扇区。送来的字节里，百分之几是 lane 要读的？
      ]],
      counter = "gld_efficiency_pct",
      of = "baseline",
      tolerance = 0.05,
      unit = "%",
      replies = {
        {
          100,
          en = "A lane asks for only 4 bytes of a sector, and a sector has 32.",
          zh = "一个扇区有 32 字节，lane 只要其中的 4 个。",
        },
        {
          25,
          en = "A sector of 32 bytes holds 8 numbers, not 4.",
          zh = "32 字节的扇区放得下 8 个数，不是 4 个。",
        },
      },
      because = {
        en = [[
          The lanes ask for 4 of 32 bytes, which is one eighth. Effective bandwidth counts only
          these 4 bytes, so it is low here, although the memory moves many more bytes. But the
          unused bytes are not what limits this kernel. The walkers spend most of their time
          waiting: each hop needs the number that the previous hop has read.
        ]],
        zh = [[
          lane 要读的是 32 字节里的 4 个，占八分之一。有效带宽只算这 4 个字节，所以这里很低，而内存
          实际传输的字节多得多。不过，线程的大部分时间花在等待上：每一步都要用上一步读到的数。
        ]],
      },
    },
    exercise {
      en = [[
        The skeleton reads a host clock before and after one launch. Run it first and look at its
        report. Then measure correctly: warm up, and time at least five runs. Write the mean time of
        one run to `report[0]`, in microseconds. Write the effective bandwidth to `report[1]`, in
        GB/s, with 4 bytes for each hop of each walker.
      ]],
      zh = [[
        骨架代码在一次启动的前后各读一次主机时钟。先运行骨架代码，看看报告。然后改成正确的测量：先预
        热，再给至少五次运行计时。把一次运行的平均时间写到 `report[0]`，单位微秒；把有效带宽写到
        `report[1]`，单位 GB/s，每个线程每走一步算 4 个字节。
      ]],
    },
    show {
      en = [[
        The counters of your call. `device_us` is the time in which a copy or a kernel ran.
        `elapsed_us` is the time from the first operation of the call to the end of the last one.
      ]],
      zh = [[
        你的调用的计数器。`device_us` 是有拷贝或核函数在运行的时间，`elapsed_us` 是从这次调用的第一
        个操作开始到最后一个操作结束的时间。
      ]],
      picture = "counters",
      counters = { "launches", "syncs", "device_us", "elapsed_us", "l2_hit_pct" },
      of = "mine",
    },
    show {
      en = [[
        Your call as a timeline. Each stream has a row, and so has each engine. (The engines are the
        parts of the device that copy data, and the part that runs kernels.)
      ]],
      zh = [[
        你的调用的时间线。每个流占一行，每个引擎也占一行。引擎是设备里负责拷贝的部件和执行核函数的部
        件。
      ]],
      picture = "timeline",
      of = "mine",
    },
    ask {
      en = "Each run after the warm-up took less time than the warm-up. What changed?",
      zh = "预热之后的每次运行都比预热快。变的是什么？",
      choices = {
        {
          en = "`next` is in the L2 by then: a hop no longer waits for DRAM",
          zh = "`next` 已经在 L2 里了：每一步不用再等 DRAM",
          right = true,
        },
        {
          en = "The compiler optimised the kernel after its first run",
          zh = "第一次运行之后，编译器又优化了核函数",
          because = {
            en = "The machine code is the same in every run.",
            zh = "每次运行的机器码都一样。",
          },
        },
        {
          en = "Later launches skip work whose result is known",
          zh = "后来的启动跳过了结果已知的工作",
          because = {
            en = "The device does not keep track of results: every launch does all its work.",
            zh = "设备不会记住哪些结果已经算过，每次启动都要做全部工作。",
          },
        },
      },
      because = {
        en = [[
          On an H200, a read takes 661 cycles if the data are in DRAM, and 288 cycles if they are in
          the L2.
        ]],
        zh = [[
          在 H200 上，数据在 DRAM 里时，一次读取要 661 个周期；数据在 L2 里时，只要 288 个周期。
        ]],
      },
    },
  },

  hints = {
    {
      en = [[
        When the host reads `steady_clock::now()` for the second time, has the device done anything
        yet?
      ]],
      zh = "主机第二次读 `steady_clock::now()` 的时候，设备开始工作了吗？",
    },
    {
      en = [[
        Launch the kernel once without timing it. Then record an event, launch the kernel five
        times, and record a second event. Wait for the second event. The time between the two events
        is the time of five runs, in milliseconds.
      ]],
      zh = [[
        先启动一次，不计时。然后记录一个事件，启动五次，再记录第二个事件，并等待第二个事件。
        两个事件之间的时间是五次运行的时间，单位毫秒。
      ]],
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

        Then call `cudaEventElapsedTime(&ms, begin, end)`. One run takes `ms * 1000 / 5`
        microseconds.
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

        然后调用 `cudaEventElapsedTime(&ms, begin, end)`。运行一次的微秒数是 `ms * 1000 / 5`。
      ]],
    },
  },

  after = {
    en = [[
      The time between two events includes everything that happens in the stream between them: the
      kernels, and also the gaps in which the device waits for the next launch.

      A launch call takes some 4 microseconds. If a kernel takes less time than that, two events
      around several runs measure the *launch calls*, not the kernel. A profiler times each kernel
      separately and so shows the difference.

      `profile` says what limits `walk`: latency. The kernel waits for the results of its reads,
      so its effective bandwidth is far below the peak. Better arithmetic or better coalescing
      would not help. More walkers at the same time would help.
    ]],
    zh = [[
      两个事件之间的时间，包括这期间流里的一切：核函数，还有设备等待下一次启动的空档。

      一次启动调用约 4 微秒。如果核函数的用时比这还短，在几次运行的前后放两个事件，测到的就是*启动调
      用*的时间，不是核函数的时间。性能分析器给每个核函数单独计时，所以能看出差别。

      `profile` 会告诉你 `walk` 受什么限制：延迟。核函数在等读取的结果，所以有效带宽远低于峰值。
      改进运算或合并访问都没有用，让更多线程同时走才有用。
    ]],
  },
  more = {
    en = [[
      Record an event before and after *each* run, also for the warm-up, and look at the time of
      each run. Then measure with a host clock, and wait for the device before you start the clock
      and before you stop it. How much do the two methods differ? How long must a kernel run before
      you can ignore this difference?
    ]],
    zh = [[
      在*每一次*运行前后各记录一个事件，预热的那次也要，逐个看每次的时间。然后改用主机时钟，
      开始计时之前和停止计时之前都等待设备。两种办法相差多少？核函数要运行多久，这点差别才可以忽略？
    ]],
  },
}
