-- Chapter 9: small kernels side by side, and many launches by one call.
return lab {
  id = "concurrent",
  title = { en = "Side by side", zh = "同时运行多个核函数" },
  chapter = 9,
  minutes = 30,
  needs = { "timing" },
  source = "guide 5.2.2",
  teaches = {
    ["concurrent-kernels"] = "say ask exercise",
    ["across-multiprocessors"] = "say",
    ["concurrent-h200"] = "say ask",
    ["launch-cost-h200"] = "say",
    ["graph-launch"] = "say exercise",
    ["graph-h200"] = "ask",
    ["stream-order"] = "say ask",
    ["launch-not-free"] = "say ask",
  },

  host_time = true,
  entry = "void concurrent(float *x, int jobs, int cells, int steps, int rounds)",
  args = { x = inout(uniform(-1, 1, "jobs * cells"), { ops = 64 }) },
  cases = {
    { jobs = 3, cells = 256, steps = 2, rounds = 50 },
    { jobs = 1, cells = 1, steps = 1, rounds = 1 },
    { jobs = 9, cells = 100, steps = 3, rounds = 40 },
    { jobs = 8, cells = 256, steps = 12, rounds = 1500, timed = true },
  },
  hidden = { count = 3, jobs = { 1, 20 }, cells = { 1, 600 }, steps = { 1, 6 }, rounds = { 1, 100 } },
  goals = {
    correct { points = 4 },
    at_least("kernels_at_once", 4) {
      points = 3,
      en = "Give each pendulum its own stream, and the pendulums run side by side; one stream runs everything in order. If too few kernels still run at once, each kernel ends before the host has launched the next ones: make fewer calls.",
      zh = "每组摆各用一个流，就能并排运行；同一个流里的一切都按次序执行。如果已经这样做了，同时运行的核函数还是不够多，那是因为主机启动得太慢，前面的核函数已经结束了：请减少调用次数。",
    },
    at_most("launch_calls", 2) {
      points = 2,
      en = "96 launch calls keep the host busy for longer than the device. A graph starts all of them by one call.",
      zh = "96 次启动调用占用主机的时间，比设备运行的时间还长。用图，一次调用就能全部启动。",
    },
    speedup(5) { points = 1 },
  },

  steps = {
    say {
      en = [[
        A device is used well when all its multiprocessors work. A large grid does this by itself. A small grid of a few blocks leaves nearly
        all multiprocessors idle. The next launch in the same *stream* still has to wait, because the work of one stream runs in order.

        Different streams have no order between them. So kernels that do not depend on each other can run at the same time, if each has its own
        stream:

            cudaStream_t a, b;
            cudaStreamCreate(&a), cudaStreamCreate(&b);
            first<<<8, 256, 0, a>>>(...);
            second<<<8, 256, 0, b>>>(...);    // may run beside first

        The launch's fourth argument is the stream. Without it the launch goes to the *default stream*. The default stream and streams created
        like these wait for each other.
      ]],
      zh = [[
        所有多处理器都在工作，设备才算用好了。网格够大，自然就能做到。如果网格只有几个块，绝大多数多处理器就闲着；而同一个*流*里的下一次启动还得等，因为一个流里的工作是按次序执行的。

        不同的流之间没有次序。所以几个互不依赖的核函数，各用一个流，就可以同时运行：

            cudaStream_t a, b;
            cudaStreamCreate(&a), cudaStreamCreate(&b);
            first<<<8, 256, 0, a>>>(...);
            second<<<8, 256, 0, b>>>(...);    // 可以和 first 同时运行

        启动的第四个参数就是流。不写的话，启动进入*默认流*。默认流与这样创建的流会互相等待。
      ]],
    },
    ask {
      en = "An H200 has 132 multiprocessors. 8 kernels of 16 blocks each took 389 us in one stream and 84 us in eight. 8 kernels of 1,056 blocks each took 355 us in one stream. How long did they take in eight streams?",
      zh = "H200 有 132 个多处理器。8 个核函数，每个 16 个块，放在一个流里用 389 微秒，放在八个流里用 84 微秒。换成每个 1,056 个块，一个流里用 355 微秒，八个流里呢？",
      choices = {
        {
          en = "About 45 us: eight times as fast",
          zh = "约 45 微秒：加速到原来的八倍",
          because = { en = "That would need eight devices. One kernel already has work for all multiprocessors.", zh = "那得有八块设备才行。一个核函数就已经让所有多处理器都有工作了。" },
        },
        {
          en = "About 77 us: the same factor as before",
          zh = "约 77 微秒：加速的倍数和前面一样",
          because = { en = "The factor came from idle multiprocessors. Here there are none.", zh = "那个倍数来自闲着的多处理器。这里没有闲着的。" },
        },
        { en = "324 us: only the ends of the kernels overlap", zh = "324 微秒：只有核函数的收尾部分能重叠", right = true },
      },
    },
    say {
      en = [[
        The host also takes time: each launch is a call of some 4 microseconds. On an H200, 200 tiny kernels took 903 microseconds, and one kernel
        that does the work of all 200 took 10.6. If you cannot merge the kernels, you can still merge their launches: a *graph* holds many
        launches and their dependencies, and one call starts all of them.

        The simplest way to make a graph is to *capture* streams:

            cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
            ... launches into a; nothing runs yet ...
            cudaStreamEndCapture(a, &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphLaunch(exec, a);

        Other streams join the capture by an event: record it in `a` and let `b` wait for it. From then on the work of `b` is captured too. At the
        end `a` has to wait for an event of `b`.
      ]],
      zh = [[
        主机也要花时间：每次启动都是一次大约 4 微秒的调用。在 H200 上，200 个极小的核函数用了 903 微秒，而由一个核函数完成全部 200 份工作只用 10.6 微秒。如果核函数没法合并，
        启动还是可以合并：*图*（graph）里记录了多次启动以及它们的依赖关系，一次调用就能全部启动。

        最简单的建图办法是*捕获*（capture）流：

            cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
            …… 往 a 里启动，此时什么也不运行 ……
            cudaStreamEndCapture(a, &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphLaunch(exec, a);

        其他流通过事件加入捕获：在 `a` 里记录一个事件，让 `b` 等待它，此后进入 `b` 的工作也会被捕获。最后 `a` 还要等待 `b` 的一个事件。
      ]],
    },
    ask {
      en = "A chain of 32 tiny kernels took 135 us with 32 launches, and 38 us as a graph. How many microseconds did the graph save for each kernel?",
      zh = "一条由 32 个极小核函数组成的链，用 32 次启动要 135 微秒，用一个图要 38 微秒。平均每个核函数省了多少微秒？",
      answer = (135 - 38) / 32,
      replies = { { 135 - 38, en = "That is the saving of all kernels together.", zh = "这是所有核函数合起来省下的。" } },
      tolerance = 0.04,
      unit = "us",
      because = { en = "(135 - 38) / 32, about 3: most of the launch call. The kernels still run one after another, because each needs the one before.", zh = "(135 - 38) / 32，约 3 微秒，相当于启动调用的大部分。核函数仍然一个接一个地运行，因为每个都依赖前一个。" },
    },
    ask {
      alone = true,
      en = "In the exercise each step of a pendulum is a kernel, which continues from what the step before wrote to x. A program puts the first step of a pendulum into stream a and the second step into stream b. It does nothing else. What can happen?",
      zh = "在练习里，一组摆走一步就是一个核函数，它接着上一步写到 x 里的结果往下算。一个程序把某组摆的第一步放进流 a，第二步放进流 b，此外什么也没做。会怎样？",
      choices = {
        { en = "The second step may read cells before the first has written them: a race between streams", zh = "第一步还没写，第二步可能就读了：这是两个流之间的数据竞争", right = true },
        {
          en = "Nothing: launches run in the order in which the host makes them",
          zh = "没问题：启动按主机调用的次序执行",
          because = { en = "That is true within one stream. Between streams like these, only events and synchronisation make an order.", zh = "那是在同一个流里。这样的流之间，只有事件和同步才能建立次序。" },
        },
        {
          en = "The runtime sees that both use x, and makes b wait",
          zh = "运行时发现两者都用到 x，会让 b 等待",
          because = { en = "The runtime does not know what a kernel reads or writes.", zh = "运行时并不知道核函数读写了什么。" },
        },
      },
    },
    predict {
      en = "The baseline runs with 8 pendulums and 12 steps. How many launches does it make?",
      zh = "基线，8 组摆，12 步：启动多少次？",
      counter = "launches",
      of = "baseline",
      tolerance = 0,
      replies = {
        { 12, en = "Each pendulum has its own launches.", zh = "每组摆都有自己的启动。" },
        { 8, en = "Each step is a launch.", zh = "每一步都是一次启动。" },
      },
      because = { en = "8 * 12. The model answer launches the same 96 kernels by one call.", zh = "8 * 12。参考答案启动的也是这 96 个核函数，但只用一次调用。" },
    },
    exercise {
      en = "First give each pendulum a stream, run the check, and look at the speedup. Then capture the streams into one graph.",
      zh = "先为每组摆分配一个流，检查一次，看看加速比。然后把这些流捕获到一个图里。",
    },
    show {
      en = "Your call compared with the baseline's. `device_us` is the time in which any kernel ran. Kernels that run side by side count once.",
      zh = "你的调用和基线对比。`device_us` 是有核函数在运行的时间，几个核函数同时运行的时间只算一次。",
      picture = "counters",
      counters = { "launches", "launch_calls", "kernels_at_once", "overlap_pct", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = "The grids are small: each fills a fraction of the device.",
      zh = "网格都很小，每个只占设备的一小部分。",
      counters = { "blocks", "threads_per_block", "occupancy_pct", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "kernels_at_once", en = "The pendulums do not depend on each other, but the steps of one pendulum do. So make an array of streams, and put all steps of pendulum j into stream j % 8.", zh = "各组摆互不依赖，同一组摆的各步却有先后。所以建一个流的数组，第 j 组摆的所有步都进第 j % 8 个流。" },
    { goal = "launch_calls", en = "For the graph, begin the capture in one more stream. Record an event there, and let all eight streams wait for it. At the end record an event in each of the eight, and let the first stream wait for it.", zh = "要建图，就在另外一个流里开始捕获：记录一个事件，让八个流都等待它；最后在八个流里各记录一个事件，让开始捕获的那个流等待。" },
    {
      goal = "launch_calls",
      en = [[
            cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
            cudaEventRecord(fork, first);
            for each stream k that has a pendulum:
                cudaStreamWaitEvent(more[k], fork);
                ... its launches ...
                cudaEventRecord(join, more[k]);
                cudaStreamWaitEvent(first, join);
            cudaStreamEndCapture(first, &graph);

        Then instantiate the graph, launch it into `first`, and wait for it before you destroy anything.
      ]],
      zh = [[
            cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
            cudaEventRecord(fork, first);
            对每个分到摆的流 k：
                cudaStreamWaitEvent(more[k], fork);
                …… 它的那些启动 ……
                cudaEventRecord(join, more[k]);
                cudaStreamWaitEvent(first, join);
            cudaStreamEndCapture(first, &graph);

        然后实例化这个图，启动到 `first` 里，等它做完，再销毁各种对象。
      ]],
    },
  },

  after = {
    en = [[
      Streams and graphs solve two different problems. Streams fill idle multiprocessors, and help only while there are idle ones. The graph
      saves time on the host. A program should instantiate its graph once and launch it a thousand times, because making the graph takes
      longer than a few launches.

      One larger grid is better than both, where it is possible: here each step could be one launch for all pendulums. Streams are for kernels
      that *differ*.
    ]],
    zh = [[
      流和图分别解决一个问题。流让闲着的多处理器有工作可做，没有闲着的，流也就没用了；图则节省主机的时间。实际的程序应当把图实例化一次，启动上千次，因为建图所花的时间比几次启动还长。

      如果做得到，更好的办法是用一个更大的网格：这里完全可以每一步只启动一次，处理所有的摆。流适合*不同*的核函数。
    ]],
  },
  more = {
    en = "Make `step` process all pendulums at once, so that 12 launches are enough. How does this compare with the graph? And which of the two would you choose if each pendulum had a different kernel?",
    zh = "改写 `step`，让它一次处理所有的摆，这样 12 次启动就够了：和图相比如何？如果每组摆用的核函数各不相同，你会选哪一种？",
  },
}
