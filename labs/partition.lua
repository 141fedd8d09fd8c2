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
    weight = output("rows", { ops = "2 * rows + 64" }),
    out = output("rows * len", { ops = "4 * rounds + 2 * rows + 64" }),
  },
  cases = {
    { rows = 8, len = 64, rounds = 4 },
    { rows = 1, len = 1, rounds = 1 },
    { rows = 5, len = 101, rounds = 3 },
    { rows = 1024, len = 128, rounds = 12, timed = true },
  },
  hidden = { count = 3, rows = { 1, 2500, most = 1 << 20 }, len = { 1, 1024 }, rounds = { 1, 9 } },
  goals = {
    correct { points = 3 },
    at_most("link_bytes", 2 * baseline) {
      points = 1,
      en = [[
        The rows are on the device, and they should stay there. Only the weights need to cross the
        link, or the gains that the weights are computed from.
      ]],
      zh = [[
        各行数据都在设备上，就应当留在设备上。只有权重，或者用来算权重的 `gain`，需要经过链路。
      ]],
    },
    at_most("launches", 2) {
      points = 2,
      en = [[
        A round needs its own launch only if blocks exchange data. Which other samples does a sample
        need in a round? Can all of them be in the same block?
      ]],
      zh = [[
        只有块与块之间要交换数据，才需要每轮启动一次。一个样本在一轮里要用到哪些样本？这些样本能不能
        都在同一个块里？
      ]],
    },
    at_most("global_store_sectors", 0.3 * baseline) {
      points = 2,
      en = [[
        A row fits into shared memory. So a round can leave its results there for the next round,
        without global memory.
      ]],
      zh = "一行放得进共享内存。所以一轮的结果可以留在共享内存里给下一轮用，不必经过全局内存。",
    },
    speedup(5) {
      points = 2,
      en = [[
        `chain` runs in a single thread of the device, and its input comes from the host. Which of
        the two, host or device, should compute the weights?
      ]],
      zh = "`chain` 只用设备的一个线程，输入还要从主机来。权重应当由哪一方来算？",
    },
  },

  steps = {
    say {
      en = [[
        In this lab a program processes rows of samples. It smooths each row in several rounds
        and multiplies each row by a weight. The weights are a chain: each weight is computed
        from the previous weight. You will decide which part runs on the host and which on the
        device, and which threads belong to one block.

        Each part should run on the processor that does it best. Leave serial work, and work with
        little parallelism, to the *host*. A host has few cores, but each core is quick. Leave
        highly parallel work to the *device*. A whole program then alternates: serial code on the
        host, a kernel, serial code on the host, another kernel.

        But the data must be where the work is done. So the total time has three parts: the time
        on the host, the time on the device, and the time of the copies. On an H200, a copy
        takes some 8 microseconds, plus the time to move its bytes at 55 GB/s.

        In `transfers` you moved a serial step to the device, because its data were there. If the
        data come from the host, the answer may be different.
      ]],
      zh = [[
        本实验的程序处理许多行样本：把每一行平滑好几轮，再乘以这一行的权重。权重是一条链，
        每个权重都要由前一个权重算出。你要决定哪一部分在主机上运行，哪一部分在设备上运行，
        以及哪些线程放在同一个块里。

        每一部分都应当交给擅长它的一方。串行的工作和并行度不高的工作交给*主机*：主机的核不多，但每个
        核都很快。高度并行的工作交给*设备*。整个程序就这样交替：主机上的串行代码，一个核函数，主机上
        的串行代码，又一个核函数。

        但是工作在哪里做，数据就必须在哪里。所以要比较三项时间：主机上的时间、设备上的时间、拷贝的时
        间。在 H200 上，一次拷贝有约 8 微秒的固定开销，再加上以 55 GB/s 传输数据的时间。

        在 `transfers` 里，你把一个串行的步骤移到了设备上，因为这一步的数据在设备上。如果数据来自主
        机，答案可能不同。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A step takes {h} us on the host and {d} us on the device. Its data, {mb} MB (of 10^6 bytes),
        are on the host. Its result is one number, which the host needs. A copy takes 8 us, plus the
        time to move its bytes at 55 GB/s. For the one number, count just 8 us. How many
        microseconds does the step take altogether if the device does it?
      ]],
      zh = [[
        某一步在主机上要 {h} 微秒，在设备上要 {d} 微秒。数据 {mb} MB（1 MB 按 10^6 字节算）在主机
        上，结果只有一个数，要交给主机。一次拷贝有 8 微秒的固定开销，再加上以 55 GB/s 传输数据的时
        间；拷贝那一个数只算 8 微秒。这一步由设备来做，一共要多少微秒？
      ]],
      draw = { h = { 400, 900 }, d = { 10, 60 }, mb = { 11, 44 } },
      answer = function(d) return d.d + 16 + d.mb * 1e6 / 55e3 end,
      tolerance = 0.03,
      unit = "us",
      replies = {
        {
          function(d) return d.d end,
          en = [[
            This is only the kernel. The data are on the host, so you have to copy them to the
            device first.
          ]],
          zh = "这只是核函数的时间。数据在主机上，要先拷到设备。",
        },
        {
          function(d) return d.d + 8 + d.mb * 1e6 / 55e3 end,
          en = "The result is on the device, so a second copy has to bring it to the host.",
          zh = "结果在设备上，还要再拷贝一次，取回主机。",
        },
        {
          function(d) return d.h end,
          en = "This is the time if the host does the step.",
          zh = "这是主机来做这一步的时间。",
        },
      },
      because = {
        en = [[
          The step takes {d} us for the kernel, 16 us for the two copies, and {mb} * 1000 / 55 us to
          move the bytes. Compare the sum with {h} us on the host. The kernel is only a small part
          of the sum: if the data were on the device already, the device would be clearly faster.
        ]],
        zh = [[
          核函数 {d} 微秒，两次拷贝 16 微秒，传输数据 {mb} * 1000 / 55 微秒。把总和与主机的 {h} 微秒
          比一比。核函数只占总和的一小部分：如果数据本来就在设备上，显然是设备更快。
        ]],
      },
    },
    ask {
      en = [[
        Highly parallel work on much data belongs to the device, because the device has the faster
        memory. In a textbook on parallel programming, a CPU gets 32 GB/s from its memory, and a GPU
        gets 128 GB/s. Each memory has several channels. One channel has 64 bits at 1 GHz with
        double data rate, which is 16 GB/s. How many more channels does the GPU have than the CPU?
      ]],
      zh = [[
        数据多、并行度高的工作应当归设备，因为设备的内存更快。教材第 5 章比较了一个 CPU 和一个 GPU，
        内存带宽分别是 32 GB/s 和 128 GB/s。两种内存都有若干条通道：每条通道宽 64 位，频率 1 GHz，
        双倍数据速率，所以是 16 GB/s。这个 GPU 比 CPU 多几条通道？
      ]],
      answer = (128 - 32) / 16,
      replies = {
        {
          8,
          en = "These are the channels of the GPU. Subtract those of the CPU.",
          zh = "这是 GPU 的通道数，还要减去 CPU 的。",
        },
      },
      because = {
        en = [[
          The GPU has 8 channels and the CPU has 2, so the GPU has 6 more. The textbook's figures
          are old: an H200 reaches 4,262 GB/s in a copy. But the device's memory is still several
          times as fast as the host's, and the link between them is still slower than both.
        ]],
        zh = [[
          GPU 有 8 条，CPU 有 2 条，多 6 条。教材里的数字旧了：今天 H200 内部拷贝能到 4,262 GB/s。
          但设备内存的带宽仍然是主机内存的好几倍，两者之间的链路仍然比哪一边都慢。
        ]],
      },
    },
    say {
      en = [[
        Threads that exchange data have to wait for each other, and they do no work while they wait.
        There are two cases.

        *The threads are in the same block.* They exchange data through shared memory and wait with
        `__syncthreads()`. All of this happens within one launch, and it takes some tens of cycles.

        *The threads are in different blocks.* An ordinary launch has no barrier between blocks.
        The threads exchange data through global memory, and this takes two launches: the first
        launch writes the data, and the second launch reads them. This costs the time of a
        launch, and the time to write and read global memory.

        So divide the work in this way: threads that exchange data are in the same block.
      ]],
      zh = [[
        线程之间要交换数据，就要互相等待，等待时什么也不做。有两种情况。

        *线程在同一个块里。* 这些线程通过共享内存交换数据，用 `__syncthreads()` 等待。这些都在一次启
        动之内完成，只要几十个周期。

        *线程在不同的块里。* 普通的启动没有块与块之间的屏障，线程只能通过全局内存交换数据，
        而且要启动两次：第一次写，第二次读。这样多花一次启动的时间，还要花时间写全局内存、再读回来。

        所以划分工作时，要把互相交换数据的线程放在同一个块里。
      ]],
    },
    ask {
      alone = true,
      en = [[
        The exercise smooths rows of samples in several rounds. In each round a sample needs its two
        neighbours in the same row. A row has at most 1,024 samples. How must you form the blocks,
        so that only threads of the same block exchange data?
      ]],
      zh = [[
        练习要把一行行样本平滑好几轮。每一轮里，一个样本要用到同一行的左右两个相邻样本。
        一行最多 1,024 个样本。怎样组成线程块，才能让数据交换全都在块内进行？
      ]],
      choices = {
        {
          en = "One thread for each sample, and 256 consecutive threads in each block",
          zh = "每个样本一个线程，每 256 个连续的样本一个块",
          because = {
            en = [[
              A row can then begin in one block and end in the next. At this boundary, two
              neighbours in the same row are in different blocks.
            ]],
            zh = "这样一行可能跨两个块，在分界处，同一行的两个相邻样本就在不同的块里。",
          },
        },
        { en = "One block for each row", zh = "每行一个块", right = true },
        {
          en = "One block for each column of samples",
          zh = "每列样本一个块",
          because = {
            en = [[
              The neighbours of a sample are in the columns next to it, so they belong to other
              blocks.
            ]],
            zh = "样本的左右邻居在相邻的列，也就在别的块里。",
          },
        },
      },
    },
    predict {
      en = [[
        Read `partition.cu` first. The baseline makes 12 rounds. How many launches does it make in
        all?
      ]],
      zh = "先读 `partition.cu`。基线做 12 轮平滑，一共启动多少次？",
      counter = "launches",
      of = "baseline",
      tolerance = 0,
      replies = {
        {
          12,
          en = [[
            These are the rounds. Something is launched before the rounds, too, and something after
            them.
          ]],
          zh = "这是各轮的启动次数。各轮之前和之后，还启动了别的核函数。",
        },
      },
      because = {
        en = [[
          One launch for the chain, 12 for the rounds, and one to scale. Eleven of the 12 launches
          would not be needed if the blocks could wait for each other between two rounds.
        ]],
        zh = [[
          计算权重链启动一次，12 轮各启动一次，缩放启动一次。如果各个块在两轮之间可以互相等待，其中
          十一次启动就不需要了。
        ]],
      },
    },
    exercise {
      en = [[
        The program has two parts: the chain of weights and the smoothing. Decide where each
        part should run, and which threads should be in one block. Then rewrite `partition`. A
        row can have any length from 1 to 1,024.
      ]],
      zh = [[
        程序有两部分：权重的链，以及平滑。请决定每一部分在哪里运行，哪些线程放在同一个块里，然后改写
        `partition`。行的长度可以是 1 到 1,024 之间的任何数。
      ]],
    },
    show {
      en = "The counters of your call beside those of the baseline:",
      zh = "你的调用与基线的计数器对比：",
      picture = "counters",
      counters = { "launches", "link_bytes", "mallocs", "gld_sectors", "gst_sectors", "barriers", "elapsed_us" },
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
    show {
      en = "Your accesses to global memory, line by line:",
      zh = "逐行看你对全局内存的访问：",
      picture = "sectors",
      of = "mine",
    },
  },

  hints = {
    {
      en = [[
        In which memory is `gain` when the call begins? And why does the baseline launch each round
        separately?
      ]],
      zh = "调用开始时，`gain` 在哪种内存里？基线为什么每一轮都单独启动一次？",
    },
    {
      en = [[
        Compute the weights in a loop on the host, and copy them to the device once. For the rounds,
        use one block for each row, and keep the row in dynamic shared memory. In each round you
        need two barriers: one between writing the samples and reading the neighbours, and one
        between reading the neighbours and overwriting the samples.
      ]],
      zh = [[
        权重在主机上用循环算好，一次拷到设备。平滑时每行用一个块，整行放在动态共享内存里。每一轮需要
        两次屏障：写完样本、读取邻居之前一次；读完邻居、改写样本之前再一次。
      ]],
    },
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

        Launch the kernel with `<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>`. No thread
        may leave the kernel before the last barrier.
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

        用 `<<<rows, (len + 31) / 32 * 32, len * sizeof(float)>>>` 启动核函数。最后一次屏障之前，
        任何线程都不能退出。
      ]],
    },
  },

  after = {
    en = [[
      Two decisions saved most of the time. The host computes the weights: this is serial work,
      and its data come from the host. And threads that exchange data are in the same block, so
      a round needs no launch of its own and no global memory.

      If a row is too long for one block, each block can take a piece of a row, and `rounds` more
      samples on each side of the piece. Two neighbouring blocks then both compute these additional
      samples. Computing something twice is often cheaper than communicating.
    ]],
    zh = [[
      两个决定省下了大部分时间。第一，权重由主机来算，因为这是串行的工作，数据也来自主机。第二，
      互相交换数据的线程放在同一个块里，所以每一轮既不用单独启动，也不用经过全局内存。

      如果一行太长，一个块放不下，可以让每个块取一段，再在两边各多取 `rounds` 个样本。这样，
      多取的样本由相邻的两个块各算一次。重复计算往往比通信便宜。
    ]],
  },
  more = {
    en = [[
      Let the host compute the weights *while* the device smooths. For this, launch the smoothing
      first, without the weights, and multiply by the weights in a second small kernel. How does
      `elapsed_us` change? (Warplab's model counts no time for arithmetic on the host. A real host
      needs some.)
    ]],
    zh = [[
      让主机在设备平滑的*同时*计算权重：先启动平滑，不用权重，再用第二个小核函数乘以权
      重。`elapsed_us` 有什么变化？（Warplab 的模型不计主机的计算时间，真实的主机是要花时间的。）
    ]],
  },
}
