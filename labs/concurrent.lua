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
  args = { x = inout(uniform(-1e9, 1e9, "jobs * cells"), { ops = 64, atol = 1e-6 }) },
  cases = {
    { jobs = 3, cells = 256, steps = 2, rounds = 50 },
    { jobs = 1, cells = 1, steps = 1, rounds = 1 },
    { jobs = 9, cells = 100, steps = 3, rounds = 40 },
    { jobs = 8, cells = 256, steps = 12, rounds = 1500, timed = true },
  },
  hidden = { count = 3, jobs = { 1, 20, most = 1 << 12 }, cells = { 1, 600, most = 1 << 20 }, steps = { 1, 6 }, rounds = { 1, 100 } },
  goals = {
    correct { points = 4 },
    at_least("kernels_at_once_avg", 4) {
      points = 2,
      en = [[
        If only one kernel runs at a time, put each pendulum into its own stream. If each pendulum
        has its own stream and still too few kernels run at once, the launch calls are too slow: a
        kernel ends before the host has launched enough others. Make fewer calls.
      ]],
      zh = [[
        如果同一时刻只有一个核函数在运行，就让每组单摆各用一个流。如果你已经这样做了，而同时运行的核
        函数还是不够多，那是因为启动调用太慢：主机还没启动足够多的核函数，前面的核函数就已经结束了。
        这时要减少调用次数。
      ]],
    },
    at_most("launch_calls", 2) {
      points = 2,
      en = [[
        The host needs more time for 96 launch calls than the device needs for the kernels. With a
        graph, one call starts all of them.
      ]],
      zh = [[
        主机做 96 次启动调用的时间，比设备执行这些核函数的时间还长。用一个图，一次调用就能全部启动。
      ]],
    },
    speedup(5) {
      points = 2,
      none = 1.5,
      en = [[
        Do several kernels run at once because you cut each step into pieces? One pendulum needs
        only a small part of the device. Let different pendulums run at the same time.
      ]],
      zh = [[
        几个核函数同时运行，是不是因为你把一步切成了几块？一组单摆只用到设备的一小部分。应当让不同组
        的单摆同时运行。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        In this lab you simulate `jobs` pendulums. The state of a pendulum is an array of `cells`
        floats, and a kernel computes one step of one pendulum. Such a kernel is too small to use
        the whole device. The skeleton runs the kernels one after another. You will first run
        kernels of different pendulums at the same time, and then start all kernels with one call.

        You use a device well if all its multiprocessors work. A kernel with a large grid gives all
        of them work. A kernel with only a few blocks leaves most of them idle.

        A *stream* is a queue of work for the device. The work in one stream runs in order: the
        next kernel waits for the previous kernel. Different streams do not wait for each other.
        So kernels that do not depend on each other can run at the same time, if each has its
        own stream:

            cudaStream_t a, b;
            cudaStreamCreate(&a), cudaStreamCreate(&b);
            first<<<8, 256, 0, a>>>(...);
            second<<<8, 256, 0, b>>>(...);    // may run while first runs

        The fourth argument of a launch is the stream. Without this argument the launch goes to the
        *default stream*. The default stream is special: its work does not run at the same time as
        work in streams like `a` and `b`.

        A library cannot know whether its caller uses the default stream. It can create a stream
        that does not wait for the default stream, and for which the default stream does not wait:

            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);

        Then no order is given between the two. For example, a `cudaMemcpy` does not wait for the
        kernels in `s`: call `cudaStreamSynchronize(s)` before you copy their results.
      ]],
      zh = [[
        本实验模拟 `jobs` 组单摆，每组的状态是一个有 `cells` 个 float 的数组。
        一个核函数让一组单摆走一步，这样的核函数太小，用不满整个设备。
        骨架代码让这些核函数一个接一个地运行。你先要让不同组的核函数同时运行，
        然后用一次调用启动全部核函数。

        所有多处理器都在工作，设备才算用好了。网格大的核函数能让所有多处理器都有工作；
        如果核函数只有几个块，大多数多处理器就闲着。

        *流*（stream）是设备的工作队列。同一个流里的工作按次序执行，后一个核函数要等前一个。
        不同的流互不等待。所以，互不依赖的核函数各用一个流，就可以同时运行：

            cudaStream_t a, b;
            cudaStreamCreate(&a), cudaStreamCreate(&b);
            first<<<8, 256, 0, a>>>(...);
            second<<<8, 256, 0, b>>>(...);    // 可以和 first 同时运行

        启动的第四个参数是流。不写这个参数，启动就进入*默认流*。默认流比较特殊：默认流里的工作，
        不会与 `a`、`b` 这样的流里的工作同时执行。

        一个库无法知道调用者是否使用默认流。它可以创建这样的流：不等待默认流，默认流也不等待它：

            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);

        这时两者之间没有先后次序。例如 `cudaMemcpy` 不会等待 `s` 里的核函数，
        所以拷贝它们的结果之前，要调用 `cudaStreamSynchronize(s)`。
      ]],
    },
    ask {
      en = [[
        An H200 has 132 multiprocessors. A program launched 8 kernels of 16 blocks each. They took
        389 us in one stream and 84 us in eight streams. Then the program launched 8 kernels of
        1,056 blocks each. They took 355 us in one stream. How long did they take in eight streams?
      ]],
      zh = [[
        H200 有 132 个多处理器。一个程序启动 8 个核函数，每个 16 个块：放在一个流里用 389 微秒，
        放在八个流里用 84 微秒。再启动 8 个核函数，每个 1,056 个块：放在一个流里用 355 微秒，
        放在八个流里要多久？
      ]],
      choices = {
        {
          en = "About 45 us: eight times as fast",
          zh = "约 45 微秒：加速到原来的八倍",
          because = {
            en = [[
              One large kernel already gives all multiprocessors work. For eight times the speed you
              would need eight devices.
            ]],
            zh = "一个大的核函数就已经让所有多处理器都有工作。要加速到八倍，得有八个设备。",
          },
        },
        {
          en = "About 77 us: the same speedup as for the small kernels",
          zh = "约 77 微秒：加速的倍数和小的核函数一样",
          because = {
            en = [[
              The small kernels gained because most multiprocessors had been idle. The large kernels
              leave none of them idle.
            ]],
            zh = [[
              小的核函数能加速，是因为原来大多数多处理器闲着。大的核函数运行时，
              本来就没有闲着的多处理器。
            ]],
          },
        },
        {
          en = "324 us: only the end of each kernel overlaps with the next kernel",
          zh = "324 微秒：一个核函数只有在快结束时才与下一个重叠",
          right = true,
        },
      },
    },
    say {
      en = [[
        Launches also cost time on the host: each launch is a call of some 4 microseconds. On an
        H200, 200 tiny kernels took 903 microseconds. One kernel that does the work of all 200 took
        10.6 microseconds.

        If you cannot merge the kernels, you can still start all of them with one call. For this you
        need a *graph*. A graph records many launches. It also records which launch must wait for
        which other launch.

        The simplest way to make a graph is to *capture* a stream. During a capture, the launches
        into this stream are only recorded:

            cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
            ... launches into a; nothing runs yet ...
            cudaStreamEndCapture(a, &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphLaunch(exec, a);

        `cudaGraphInstantiate` prepares the graph, and `cudaGraphLaunch` runs it.

        A capture can include other streams. Record an event in `a` with `cudaEventRecord`, and let
        stream `b` wait for it with `cudaStreamWaitEvent`. From then on, launches into `b` are
        captured, too. Before the capture ends, `a` must wait for an event of `b` in the same way.
      ]],
      zh = [[
        启动也要花主机的时间：每次启动都是一次约 4 微秒的调用。在 H200 上，200 个极小的核函数用
        了 903 微秒，而由一个核函数完成全部 200 份工作只用 10.6 微秒。

        如果这些核函数不能合并，还是可以用一次调用全部启动。这要用到*图*（graph）：
        图记录了许多次启动，以及哪个启动要等哪个。

        建图最简单的办法是*捕获*（capture）一个流。捕获期间，进入这个流的启动只被记录下来：

            cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
            …… 往 a 里启动，此时什么也不运行 ……
            cudaStreamEndCapture(a, &graph);
            cudaGraphInstantiate(&exec, graph, 0);
            cudaGraphLaunch(exec, a);

        `cudaGraphInstantiate` 把图准备好，`cudaGraphLaunch` 运行图。

        一次捕获可以包含其他流。用 `cudaEventRecord` 在 `a` 里记录一个事件，再用
        `cudaStreamWaitEvent` 让流 `b` 等待这个事件。此后捕获也记录进入 `b` 的启动。捕获结束之前，
        `a` 也要用同样的办法等待 `b` 的一个事件。
      ]],
    },
    ask {
      en = [[
        In a chain of 32 tiny kernels, each kernel needs the result of the previous kernel. The
        chain took 135 us with 32 launches, and 38 us as a graph. How many microseconds did the
        graph save for each kernel?
      ]],
      zh = [[
        32 个极小的核函数组成一条链，每个都要用前一个的结果。用 32 次启动要 135 微秒，
        用一个图要 38 微秒。平均每个核函数省了多少微秒？
      ]],
      answer = (135 - 38) / 32,
      replies = {
        {
          135 - 38,
          en = "This is what the graph saves for all kernels together.",
          zh = "这是所有核函数一共省下的时间。",
        },
      },
      tolerance = 0.04,
      unit = "us",
      because = {
        en = [[
          (135 - 38) / 32 is about 3 us. A launch call takes some 4 us, and the graph saves most of
          this time. The kernels still run one after another.
        ]],
        zh = [[
          (135 - 38) / 32，约 3 微秒。一次启动调用约 4 微秒，图省下了其中的大部分。
          核函数仍然一个接一个地运行。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        In the exercise, one kernel computes one step of a pendulum. The kernel reads the pendulum's
        state from `x` and writes the new state to `x`. A program launches the first step of a
        pendulum into stream `a` and the second step into stream `b`. The program uses no events and
        does not wait. What can happen?
      ]],
      zh = [[
        在练习里，一个核函数让一组单摆走一步：从 `x` 读出这组单摆的状态，再把新的状态写回 `x`。一个
        程序把某组单摆的第一步放进流 `a`，第二步放进流 `b`，没有用事件，也没有等待。会怎样？
      ]],
      choices = {
        {
          en = [[
            The second step may read `x` before the first step has written it: a race between two
            streams
          ]],
          zh = "第一步还没写 `x`，第二步可能就读了：这是两个流之间的数据竞争",
          right = true,
        },
        {
          en = "Nothing wrong: kernels run in the order of the launch calls",
          zh = "不会出错：核函数按启动调用的次序执行",
          because = {
            en = [[
              Only kernels in the same stream run in this order. Between streams like `a` and `b`,
              you need an event, or the host must wait.
            ]],
            zh = "只有在同一个流里才是这样。在 `a`、`b` 这样的流之间，要靠事件，或者由主机来等待。",
          },
        },
        {
          en = "Nothing wrong: the runtime sees that both kernels use `x`, and stream `b` waits",
          zh = "不会出错：运行时发现两个核函数都用到 `x`，会让流 `b` 等待",
          because = {
            en = "The runtime does not know what a kernel reads or writes.",
            zh = "运行时并不知道核函数读写了什么。",
          },
        },
      },
    },
    predict {
      en = "The baseline simulates 8 pendulums for 12 steps. How many launches does it make?",
      zh = "基线模拟 8 组单摆，各走 12 步，一共启动多少次？",
      counter = "launches",
      of = "baseline",
      tolerance = 0,
      replies = {
        {
          12,
          en = "This is the number of launches for one pendulum.",
          zh = "这是一组单摆的启动次数。",
        },
        {
          8,
          en = [[
            This would be one launch for each pendulum. But every step of a pendulum is a launch.
          ]],
          zh = "这样每组单摆只启动一次。可是每组单摆每走一步都要启动一次。",
        },
      },
      because = {
        en = "8 * 12. The model answer runs the same 96 kernels, but starts them with one call.",
        zh = "8 * 12。参考答案运行的也是这 96 个核函数，但只用一次调用来启动。",
      },
    },
    exercise {
      en = [[
        First give each pendulum its own stream. Type `check` and look at the speedup. Then capture
        the streams into one graph.
      ]],
      zh = "先让每组单摆各用一个流，输入 `check`，看看加速比。然后把这些流捕获到一个图里。",
    },
    show {
      en = [[
        The counters of your call beside those of the baseline. `device_us` is the time in which at
        least one kernel ran: time in which several kernels ran counts only once.
      ]],
      zh = [[
        你的调用与基线的计数器对比。`device_us` 是至少有一个核函数在运行的时间，
        几个核函数同时运行的时间只算一次。
      ]],
      picture = "counters",
      counters = { "launches", "launch_calls", "kernels_at_once_avg", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
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
    compare {
      en = [[
        Each grid is small and uses only a fraction of the device. Your call beside the baseline:
      ]],
      zh = "每个网格都很小，只用到设备的一小部分。你的调用与基线对比：",
      counters = { "blocks", "threads_per_block", "occupancy_pct", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "kernels_at_once_avg",
      en = [[
        The steps of one pendulum depend on each other, but different pendulums do not. So create an
        array of 8 streams, and launch all steps of pendulum j into stream j % 8.
      ]],
      zh = [[
        同一组单摆的各步互相依赖，不同的组互不依赖。所以建一个有 8 个流的数组，
        把第 j 组单摆的所有步都放进第 j % 8 个流。
      ]],
    },
    {
      goal = "launch_calls",
      en = [[
        For the graph, create one more stream and begin the capture there. Record an event in
        this stream, and let the eight streams of the pendulums wait for this event. After the
        launches, record an event in each of the eight streams, and let the stream of the
        capture wait for each of these events.
      ]],
      zh = [[
        要建图，就再建一个流，在那里开始捕获。在这个流里记录一个事件，让另外八个流都等待这个事件。各
        次启动都放进流里之后，再在八个流里各记录一个事件，让开始捕获的那个流等待每一个事件。
      ]],
    },
    {
      goal = "launch_calls",
      en = [[
            cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
            cudaEventRecord(fork, first);
            for each stream k that has a pendulum:
                cudaStreamWaitEvent(more[k], fork);
                ... launches into more[k] ...
                cudaEventRecord(join, more[k]);
                cudaStreamWaitEvent(first, join);
            cudaStreamEndCapture(first, &graph);

        Then instantiate the graph and launch it into `first`. Wait for `first` before you destroy
        anything.
      ]],
      zh = [[
            cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
            cudaEventRecord(fork, first);
            对每个分到单摆的流 k：
                cudaStreamWaitEvent(more[k], fork);
                …… 往这个流里启动 ……
                cudaEventRecord(join, more[k]);
                cudaStreamWaitEvent(first, join);
            cudaStreamEndCapture(first, &graph);

        然后实例化这个图，并启动到 `first` 里。等 `first` 里的工作做完，再销毁各种对象。
      ]],
    },
  },

  after = {
    en = [[
      Streams and graphs solve different problems. Streams give work to idle multiprocessors, so
      they help only while some multiprocessors are idle. A graph saves time on the host. Making a
      graph takes longer than a few launches, so a program should make it once and launch it a
      thousand times.

      One larger grid is better than streams and graphs, if the work allows it. In this lab, one
      launch could compute a step of all pendulums. Use streams for kernels that *differ*.
    ]],
    zh = [[
      流和图解决的问题不同。流让闲着的多处理器有工作，所以只有在多处理器闲着时才有用。
      图节省的是主机的时间。建一个图比做几次启动还慢，所以程序应当只建一次图，然后启动上千次。

      如果工作允许，用一个更大的网格比流和图都好。在这个实验里，一次启动就可以让所有单摆都走一步。
      流适合*不同*的核函数。
    ]],
  },
  more = {
    en = [[
      Change `step` so that one launch computes a step of all pendulums: then 12 launches are
      enough. Is this faster than the graph? Which of the two would you choose if each pendulum had
      a different kernel?
    ]],
    zh = [[
      改写 `step`，让一次启动就算出所有单摆的一步，这样 12 次启动就够了。这样比图快吗？
      如果每组单摆用的核函数各不相同，你会选哪一种？
    ]],
  },
}
