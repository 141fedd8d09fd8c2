-- Chapter 9: what runs where, and who has to talk to whom.
return lab {
  id = "partition",
  title = { en = "Who does what", zh = "主机与设备的分工" },
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
      en = "The rows are on the device and should stay there. Only the weights, or the data they are computed from, need to cross the link.",
      zh = "各行数据都在设备上，就应当留在那里。只有权重（或者用来算权重的数据）需要经过链路。",
    },
    at_most("launches", 2) {
      points = 2,
      en = "Each round needs its own launch only if blocks have to exchange data. Which samples does a sample need, and can all of them be in its own block?",
      zh = "只有块与块之间要交换数据，才需要每轮启动一次。一个样本要用到哪些样本？它们能不能都在同一个块里？",
    },
    at_most("global_store_sectors", 0.3 * baseline) {
      points = 2,
      en = "A round can pass its results to the next one without global memory: a row fits into shared memory.",
      zh = "一轮传给下一轮的数据，不必经过全局内存：一行放得进共享内存。",
    },
    speedup(5) {
      points = 2,
      en = "`chain` uses only one thread of the device, and its data come from the host. Which side should compute it?",
      zh = "`chain` 只用设备的一个线程，数据还是从主机来的。应当由哪一方来算？",
    },
  },

  steps = {
    say {
      en = [[
        A program for host and device is made of parts. Each part goes to the processor that does it best: serial work and work with little
        parallelism to the *host*, whose few cores are quick at one thing after another; highly parallel work to the *device*. The slides of a
        CUDA course draw such a program as serial code, kernel A, serial code, kernel B.

        But the data have to be where the work is. So weigh three costs: time on the host, time on the device, and the copies (on an H200 some 8
        microseconds each, plus the bytes at 55 GB/s).

        In `transfers` a serial step stayed on the device, because its data were there. If the data come from the host anyway, the answer may be
        different.
      ]],
      zh = [[
        使用主机和设备的程序由一段一段的工作组成，每一段交给最擅长的一方：串行的、并行度不高的归*主机*，主机的核不多，但依次处理得快；高度并行的归*设备*。CUDA 课程的幻灯片里画的就是这样的程序：
        串行代码，核函数 A，串行代码，核函数 B。

        可是工作在哪里，数据就得在哪里。所以要权衡三项时间：主机上的时间、设备上的时间、拷贝的时间（在 H200 上每次约 8 微秒，再按 55 GB/s 加上字节的时间）。

        在 `transfers` 里，一个串行步骤留在了设备上，因为它的数据就在那里。如果数据本来就来自主机，答案可能不同。
      ]],
    },
    ask {
      alone = true,
      en = "A step takes {h} us on the host and {d} us on the device. Its data, {mb} MB (of 10^6 bytes), are on the host, and only one number comes back. Count one copy in (8 us, plus the bytes at 55 GB/s) and 8 us for the number. How many microseconds does the step take altogether if the device does it?",
      zh = "某一步在主机上要 {h} 微秒，在设备上要 {d} 微秒。数据 {mb} MB（1 MB 按 10^6 字节算）在主机上，只有一个数要拷回。拷入一次用 8 微秒，再按 55 GB/s 加上字节的时间；拷回那个数用 8 微秒。交给设备来做，一共要多少微秒？",
      draw = { h = { 400, 900 }, d = { 10, 60 }, mb = { 11, 44 } },
      answer = function(d) return d.d + 16 + d.mb * 1e6 / 55e3 end,
      tolerance = 0.03,
      unit = "us",
      replies = {
        { function(d) return d.d end, en = "The data are on the host: you have to copy them first.", zh = "数据在主机上，要先拷过去。" },
        { function(d) return d.d + 8 + d.mb * 1e6 / 55e3 end, en = "The number comes back by a copy too.", zh = "那个数也要用一次拷贝取回来。" },
        { function(d) return d.h end, en = "That is the time on the host.", zh = "这是主机上的时间。" },
      },
      because = {
        en = "{d} + 16 us, plus {mb} * 1000 / 55 us. Compare this with {h} us on the host: the kernel is only a small part. If the data were on the device already, the device would clearly win.",
        zh = "{d} + 16 微秒，再加上 {mb} * 1000 / 55 微秒。和主机的 {h} 微秒比一比：核函数只占一小部分。如果数据本来就在设备上，显然应当由设备来做。",
      },
    },
    ask {
      en = "Why does highly parallel work with much data belong to the device? A textbook on parallel programming gives a modern CPU 32 GB/s from memory and a GPU 128 GB/s. A channel of 64 bits at 1 GHz, double data rate, brings 16 GB/s. How many more channels does that GPU have than that CPU?",
      zh = "数据多、并行度高的工作，为什么应当归设备？教材第 5 章给现代 CPU 算的内存带宽是 32 GB/s，给 GPU 算的是 128 GB/s；一条通道 64 位，1 GHz，双倍数据速率，即 16 GB/s。这块 GPU 比 CPU 多几条通道？",
      answer = (128 - 32) / 16,
      replies = {
        { 8, en = "That is all of the GPU's channels. The CPU has some too.", zh = "这是 GPU 的全部通道。CPU 也有几条。" },
      },
      because = {
        en = "8 channels against 2, so 6 more. The textbook's figures are old: an H200 reaches 4,262 GB/s in a copy. It is still true that the device's memory is several times as wide as the host's, and that the link between them is narrower than both.",
        zh = "8 条对 2 条，多 6 条。这是教材里的旧数字，今天 H200 的拷贝能到 4,262 GB/s。没有变的是：设备内存的带宽是主机内存的好几倍，而两者之间的链路比哪一边都窄。",
      },
    },
    say {
      en = [[
        Threads that share data have to wait for each other, and this interrupts parallel work. There are two cases.

        *The threads are in one block.* They share data through shared memory and wait by `__syncthreads()`, within one launch. This takes some
        tens of cycles.

        *The threads are in different blocks.* In an ordinary launch there is no such barrier. They share data through global memory, and it takes two
        launches, one that writes and one that reads. The extra launch costs time, and the data go out to memory and come in again.

        So divide the work such that threads that exchange data are in one block.
      ]],
      zh = [[
        线程之间要共享数据，就要互相等待，并行执行就在这里中断。有两种情况。

        *这些线程在同一个块里。* 它们通过共享内存交换数据，用 `__syncthreads()` 等待，在一次启动之内就能完成，只要几十个周期。

        *它们在不同的块里。* 普通的启动里没有这样的屏障，只能通过全局内存交换数据，而且要启动两次，一次写，一次读：既多了一次启动，数据又要写出去再读进来。

        所以划分工作时，应当把需要交换数据的线程放在同一个块里。
      ]],
    },
    ask {
      alone = true,
      en = "The exercise smooths rows of samples in several rounds. Each round needs a sample's two neighbours in its own row. A row has at most 1,024 samples. Which mapping keeps all communication within blocks?",
      zh = "练习要把一行行样本平滑好几轮。每一轮平滑要用到同一行里左右两个相邻样本，而一行最多 1,024 个样本。哪一种映射能让通信全都留在块内？",
      choices = {
        {
          en = "One thread for each sample, in consecutive blocks of 256",
          zh = "每个样本一个线程，每 256 个依次组成一块",
          because = { en = "Then rows begin and end inside blocks, and neighbours in a row can be in different blocks.", zh = "这样一来，行会在块的中间断开，同一行的相邻样本可能落到不同的块里。" },
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
      en = "Read `partition.cu` first. The baseline runs 12 rounds. How many launches does it make?",
      zh = "先读 `partition.cu`。基线，12 轮：启动多少次？",
      counter = "launches",
      of = "baseline",
      tolerance = 0,
      replies = {
        { 12, en = "There is also one launch before the rounds and one after them.", zh = "在各轮之前和之后，还各有一次启动。" },
      },
      because = { en = "One for the chain, 12 rounds, and one to scale. Eleven of these launches are separate only so that all blocks wait for each other between the rounds.", zh = "计算链一次，12 轮，缩放一次。其中有十一次单独启动，只是为了让所有的块在两轮之间互相等待。" },
    },
    exercise {
      en = "For both parts decide where they run and which threads exchange data. Then rewrite `partition`. A row has any length from 1 to 1,024.",
      zh = "两部分各在哪里运行，哪些线程交换数据，由你决定。请改写 `partition`。行的长度从 1 到 1,024 都可能。",
    },
    show {
      en = "Your call compared with the baseline's:",
      zh = "你的调用和基线对比：",
      picture = "counters",
      counters = { "launches", "link_bytes", "mallocs", "gld_sectors", "gst_sectors", "barriers", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    show { en = "Your accesses to global memory, line by line:", zh = "逐行看你对全局内存的访问：", picture = "sectors", of = "mine" },
  },

  hints = {
    { en = "Where is `gain` when the call begins? And what does the launch of the next round wait for?", zh = "调用开始时 `gain` 在哪里？下一轮的启动又在等什么？" },
    { en = "The weights: a loop on the host, then one copy. The rounds: one block for each row, with the row in dynamic shared memory. Put one barrier after all threads have written, and another before any thread overwrites.", zh = "权重：在主机上用循环算好，拷贝一次。各轮平滑：每行一个块，整行放进动态共享内存；所有线程写完之后一次屏障，任何线程覆盖之前再一次屏障。" },
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

        Launch it as `<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>`. No thread may leave before the last barrier.
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
      Two decisions removed most of the time. The host does the serial work, whose data come from the host. And threads that need each other are
      in one block, so the rounds no longer go through memory and launches.

      If a row is too long for a block, the second decision needs a compromise. A block takes a piece with a margin of `rounds` samples on both
      sides, so two neighbouring blocks both compute it. To do work twice is often cheaper than to communicate.
    ]],
    zh = [[
      两个决定，省掉了调用的大部分时间。串行的工作由主机来做，因为数据来自主机；互相需要的线程放在同一个块里，各轮之间不再经过全局内存和启动。

      如果一行太长，一个块放不下，第二个决定就得折中：每个块取一段，两边各多取 `rounds` 个样本作余量，余量部分由两个块重复计算。重复计算往往比通信便宜。
    ]],
  },
  more = {
    en = "Let the host compute the weights *while* the device smooths: launch the smoothing first, without the weights, and scale by a second small kernel. What does `elapsed_us` say? (The model counts no time for the host's own arithmetic; a real host needs some.)",
    zh = "让主机在设备平滑的*同时*计算权重：先启动平滑，不带权重，再用一个小核函数来缩放。`elapsed_us` 有什么变化？（模型不计主机自己的计算时间，真实的主机是要花时间的。）",
  },
}
