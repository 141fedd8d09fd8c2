-- Chapter 9: what runs where, and who has to talk to whom.
return lab {
  id = "partition",
  title = { en = "Who does what", zh = "分工" },
  chapter = 9,
  minutes = 30,
  needs = { "transfers", "dynamic-shared" },
  source = "guide 5.2.1; book 5.2; slides III.5",
  teaches = {
    ["who-does-what"] = "say ask exercise",
    ["within-a-block"] = "say exercise",
    ["across-blocks"] = "say ask",
    ["map-to-blocks"] = "say exercise",
    ["channels-cpu-gpu"] = "ask",
    ["copies-in-the-balance"] = "say ask",
  },

  host_time = true,
  host = "anything",
  entry = "void partition(const float *gain, const float *in, float *weight, float *out, int rows, int len, int rounds)",
  args = {
    gain = host(uniform(0.5, 1.5, "rows")),
    ["in"] = uniform(-1, 1, "rows * len"),
    weight = output("rows", { ops = 64 }),
    out = output("rows * len", { ops = "4 * rounds + 64" }),
  },
  cases = {
    { rows = 8, len = 64, rounds = 4 },
    { rows = 1, len = 1, rounds = 1 },
    { rows = 5, len = 101, rounds = 3 },
    { rows = 1024, len = 128, rounds = 12, timed = true },
  },
  hidden = { count = 3, rows = { 1, 40 }, len = { 1, 300 }, rounds = { 1, 9 } },
  goals = {
    correct { points = 3 },
    at_most("link_bytes", 2 * baseline) {
      points = 1,
      en = "The rows are on the device, and so they should stay: only the weights, or what they are made of, need to cross the link.",
      zh = "各行数据都在设备上，就应当留在那里：只有权重（或者用来算权重的东西）需要过链路。",
    },
    at_most("launches", 2) {
      points = 2,
      en = "A launch for each round is needed only if blocks have to talk. Which samples does a sample need, and could they all be in its own block?",
      zh = "只有块与块之间要通信，才需要每轮启动一次。一个样本要用到哪些样本？它们能不能都在它自己的块里？",
    },
    at_most("global_store_sectors", 0.3 * baseline) {
      points = 2,
      en = "What one round leaves for the next need not go through global memory: a row fits into shared memory.",
      zh = "一轮留给下一轮的东西，不必经过全局内存：一行放得进共享内存。",
    },
    speedup(5) {
      points = 2,
      en = "`chain` keeps one thread of the device busy, with data that come from the host. Who should compute it?",
      zh = "`chain` 只让设备的一个线程在忙，数据还是从主机来的。应当由谁来算？",
    },
  },

  steps = {
    say {
      en = [[
        A program for host and device is a chain of parts, and each goes to the processor that does it best: serial and little parallel work to the *host*, whose few cores are quick at one thing after another; highly parallel work to the *device*. The slides draw such a program as serial code, kernel A, serial code, kernel B.

        But the data have to be where the work is. So the balance has three pans: time on the host, time on the device, and the copies (some 8 microseconds each on an H200, and 55 GB/s). In `transfers` a serial step stayed on the device, since its data lay there. Work whose data come from the host anyway is another matter.
      ]],
      zh = [[
        一个兼用主机和设备的程序，由一段一段的工作串成，每一段交给最擅长它的一方：串行的、并行度不高的归*主机*，主机的核不多，但一件接一件做得快；高度并行的归*设备*。CUDA 课程的幻灯片里画的就是这样的程序：串行代码，核函数 A，串行代码，核函数 B。

        可是工作在哪里，数据就得在哪里。所以要权衡三样：在主机上的时间，在设备上的时间，还有拷贝（在 H200 上每次约 8 微秒，外加 55 GB/s）。在 `transfers` 里，一个串行步骤留在了设备上，因为它的数据就在那里。如果数据本来就来自主机，那就另当别论了。
      ]],
    },
    ask {
      alone = true,
      en = "A step takes {h} us on the host and {d} us on the device. Its data, {mb} MB, are on the host, and only a number comes back (count one copy in, 8 us and 55 GB/s, and 8 us for the number). How many microseconds does the device's way take altogether?",
      zh = "某一步在主机上要 {h} 微秒，在设备上要 {d} 微秒。数据 {mb} MB（1 MB 按 10^6 字节算）在主机上，算完只拷回一个数（拷入一次：8 微秒加 55 GB/s；拷回那个数：8 微秒）。走设备这条路一共要多少微秒？",
      draw = { h = { 400, 900 }, d = { 10, 60 }, mb = { 11, 44 } },
      answer = function(d) return d.d + 16 + d.mb * 1e6 / 55e3 end,
      tolerance = 0.03,
      unit = "us",
      replies = {
        { function(d) return d.d end, en = "The data are on the host: they have to be copied first.", zh = "数据在主机上，要先拷过去。" },
        { function(d) return d.d + 8 + d.mb * 1e6 / 55e3 end, en = "The number comes back by a copy as well.", zh = "那个数也要用一次拷贝取回来。" },
        { function(d) return d.h end, en = "That is the host's way.", zh = "这是主机的做法。" },
      },
      because = {
        en = "{d} + 16 + {mb} / 55 of a millisecond. Compare it with the host's {h}: the kernel is the smallest item. And if the data were on the device already, the question would not arise.",
        zh = "{d} + 16，再加上 {mb} / 55 毫秒。和主机的 {h} 比一比：核函数反倒是最小的一项。要是数据本来就在设备上，这个问题根本不存在。",
      },
    },
    ask {
      en = "Why is highly parallel work with much data the device's at all? The book reckons a modern CPU with 32 GB/s from memory and a GPU with 128, by channels of 64 bits at 1 GHz, double data rate, 16 GB/s each. How many channels more does that GPU have?",
      zh = "数据又多、并行度又高的工作，为什么就该归设备？教科书里给现代 CPU 算的内存带宽是 32 GB/s，GPU 是 128；每条通道 64 位，1 GHz，双倍数据速率，即 16 GB/s。这块 GPU 比 CPU 多几条通道？",
      answer = (128 - 32) / 16,
      replies = {
        { 8, en = "These are all of the GPU's. The CPU has some, too.", zh = "这是 GPU 的全部通道。CPU 也有几条。" },
      },
      because = {
        en = "8 channels against 2, so 6 more. The figures are the book's, and old; an H200 reaches 4,262 GB/s in a copy. What did not change is that the device's memory is several times as wide, and the link between them narrower than either.",
        zh = "8 条对 2 条，多 6 条。这是教科书里的老数字，今天 H200 的拷贝能到 4,262 GB/s。没有变的是：设备的内存宽好几倍，而两者之间的链路比哪一边都窄。",
      },
    },
    say {
      en = [[
        Parallel work is broken where threads have to share data and so must wait for each other. There are two cases.

        *The threads are in one block.* They share through shared memory and wait by `__syncthreads()`, within one launch: some tens of cycles.

        *They are in different blocks.* Then there is no such barrier. They share through global memory, and it takes two launches, one that writes and one that reads: a launch more, and the data go out and come in again.

        So when work is mapped to the device, cut it such that threads that talk are in one block.
      ]],
      zh = [[
        线程之间要共享数据、因而要互相等待的地方，并行性就断开了。有两种情况。

        *这些线程在同一个块里。* 它们通过共享内存交换数据，用 `__syncthreads()` 等待，一次启动就够：几十个周期。

        *它们在不同的块里。* 那就没有这样的屏障了，只能通过全局内存交换，而且要启动两次，一次写，一次读：多一次启动，数据还要出去再进来。

        所以把工作映射到设备上时，要这样切：需要通信的线程，放在同一个块里。
      ]],
    },
    ask {
      alone = true,
      en = "Each round of smoothing needs a sample's two neighbours in its own row, and a row has at most 1,024 samples. Which mapping keeps all communication within blocks?",
      zh = "每一轮平滑要用到同一行里左右两个相邻样本，而一行最多 1,024 个样本。哪一种映射能让通信全都留在块内？",
      choices = {
        {
          en = "One thread for each sample, in blocks of 256 one after the other",
          zh = "每个样本一个线程，256 个一块，依次排下去",
          because = { en = "Rows then begin and end inside blocks, and neighbours in a row fall into different blocks.", zh = "这样一来，行会在块的中间断开，同一行的相邻样本会落到不同的块里。" },
        },
        { en = "One block for each row", zh = "每行一个块", right = true },
        {
          en = "One block for each column of samples",
          zh = "每列样本一个块",
          because = { en = "Then every neighbour is in another block.", zh = "那样每个相邻样本都在别的块里。" },
        },
      },
    },
    predict {
      en = "The baseline, 12 rounds: how many launches does it make?",
      zh = "基线，12 轮：启动多少次？",
      counter = "launches",
      of = "baseline",
      tolerance = 0,
      replies = {
        { 12, en = "There is one before and one after the rounds, too.", zh = "各轮之前和之后还各有一次。" },
      },
      because = { en = "One for the chain, 12 rounds, one to scale. Eleven of them are nothing but a barrier for all blocks.", zh = "链一次，12 轮，缩放一次。其中十一次的作用，只是让所有的块等齐。" },
    },
    exercise {
      en = "Decide for both parts where they run and who talks to whom, and rewrite `partition`. Rows have any length from 1 to 1,024.",
      zh = "两部分各放在哪里运行，谁和谁通信，由你决定；改写 `partition`。行的长度从 1 到 1,024 都可能。",
    },
    show {
      en = "Your call beside the baseline's:",
      zh = "你的调用和基线对比：",
      picture = "counters",
      counters = { "launches", "link_bytes", "mallocs", "gld_sectors", "gst_sectors", "barriers", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same on the device's clock, engine by engine and stream by stream:",
      zh = "再按设备的时钟，逐个引擎、逐个流地看：",
      picture = "timeline",
      of = "mine",
    },
    show { en = "Your accesses to global memory, line by line:", zh = "逐行看你对全局内存的访问：", picture = "sectors", of = "mine" },
  },

  hints = {
    { en = "Where does `gain` lie when the call begins? And what does the launch of the next round wait for?", zh = "调用开始时 `gain` 在哪里？下一轮的启动又在等什么？" },
    { en = "The weights: a loop on the host, then one copy. The rounds: one block for each row, the row in dynamic shared memory, a barrier after all have written and another one before anybody overwrites.", zh = "权重：在主机上循环算好，拷贝一次。各轮平滑：每行一个块，整行放进动态共享内存；全部写完之后一次屏障，有人要覆盖之前再一次屏障。" },
    {
      goal = "launches",
      en = [[
            extern __shared__ float row[];
            float v = c < len ? in[at] : 0;
            for (int r = 0; r < rounds; r++) {
                if (c < len) row[c] = v;
                __syncthreads();
                if (c < len) v = ... row[c - 1] ... v ... row[c + 1] ...;
                __syncthreads();
            }

        launched as `<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>`; no thread leaves before the last barrier.
      ]],
      zh = [[
            extern __shared__ float row[];
            float v = c < len ? in[at] : 0;
            for (int r = 0; r < rounds; r++) {
                if (c < len) row[c] = v;
                __syncthreads();
                if (c < len) v = …… row[c - 1] …… v …… row[c + 1] ……;
                __syncthreads();
            }

        用 `<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>` 启动；最后一次屏障之前，任何线程都不能退出。
      ]],
    },
  },

  after = {
    en = [[
      Two decisions, and most of the call is gone: serial work with data from the host is done by the host, and threads that need each other live in one block, so that rounds no longer go out to memory and through a launch.

      Where rows are too long for a block the second one needs a compromise: a block takes a piece with a margin of `rounds` samples on both sides and computes the margin twice. Work that is done twice is often cheaper than talking.
    ]],
    zh = [[
      两个决定，调用的大部分时间就省掉了：数据来自主机的串行工作由主机来做；互相需要的线程住在同一个块里，各轮之间不必再出去走内存、走启动。

      如果一行太长，一个块放不下，第二个决定就得折中：每个块取一段，两边各多取 `rounds` 个样本作余量，余量部分重复计算。把活多干一遍，往往比通信便宜。
    ]],
  },
  more = {
    en = "Let the host compute the weights *while* the device smooths: launch first, without the weights, and scale by a second small kernel. What does `elapsed_us` say? The model takes the host's own arithmetic as free; a real host does not.",
    zh = "让主机在设备平滑的*同时*计算权重：先启动平滑，不带权重，再用一个小核函数来缩放。`elapsed_us` 有什么变化？模型把主机自己的计算当作不花时间，真实的主机可不是。",
  },
}
