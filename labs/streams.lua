-- Chapter 9: copies and kernels at the same time.
return lab {
  id = "streams",
  title = { en = "A pipeline of streams", zh = "流水线：让拷贝和计算重叠" },
  chapter = 9,
  minutes = 30,
  needs = { "transfers", "concurrent" },
  source = "guide 5.2.1",
  teaches = {
    ["three-busy"] = "say exercise",
    ["copy-engines"] = "say ask",
    ["async-pinned"] = "say ask",
    ["stream-order"] = "say ask",
    ["streams-h200"] = "say ask",
  },

  host_time = true,
  host = "anything",
  entry = "void streams(const float *in, float *x, float *out, int n, int rounds)",
  args = {
    ["in"] = host(uniform(-1, 1, "n"), { pinned = true }),
    x = output("n", { ops = 32 }),
    out = host(output("n", { ops = 32, pinned = true })),
  },
  cases = {
    { n = 4096, rounds = 2 },
    { n = 1, rounds = 1 },
    { n = 1003, rounds = 3 },
    { n = 1 << 21, rounds = 12, timed = true },
  },
  hidden = { count = 3, n = { 1, 9000 }, rounds = { 1, 9 } },
  goals = {
    correct { points = 3 },
    at_least("d2h_bytes", 0.75 * baseline) {
      points = 1,
      en = "The results are to be fetched from the device.",
      zh = "结果应当从设备取回。",
    },
    at_least("overlap_pct", 25) {
      points = 3,
      en = "While one chunk is on its way in, another can be worked on and a third be on its way out. Do the copies wait? Is each chunk's work in a stream of its own?",
      zh = "一段在进来的路上，另一段可以在计算，还有一段可以在出去的路上。拷贝是不是在等？每一段是不是各用一个流？",
    },
    speedup(1.25) {
      points = 2,
      en = "Chunks that are too many or too few: calls cost time, and so does an end that nothing hides.",
      zh = "段数太多或太少：调用要花时间，没有东西掩盖的收尾也要花时间。",
    },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute what comes out.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        Three things can work at once: the host, the device, and the link between them; and the link counts twice, for it has a *copy engine* for each direction. A program that copies in, computes and copies back keeps one of them busy at a time.

        The remedy is a pipeline. Cut the data into chunks, give each chunk a *stream*, and let the three steps of a chunk follow each other there. Streams have no order among themselves, so that chunk 2 comes in while chunk 1 is computed.

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` only orders the copy, as a launch does. It keeps its promise with *page-locked* memory alone: from pageable memory the driver has to copy by hand, and then nothing overlaps. And since nobody waits any more, the host has to: `cudaStreamSynchronize`, before it touches the results
        or changes what it sent.
      ]],
      zh = [[
        能同时工作的有三方：主机、设备、连接两者的链路；链路其实有两条，因为它每个方向各有一个*拷贝引擎*。拷入、计算、拷回依次来做，任何时候都只有其中一个在忙。

        办法是流水线。把数据切成段，每段一个*流*，一段的三个步骤在自己的流里先后执行。流与流之间没有次序，于是第 1 段在计算时，第 2 段正好进来。

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` 和启动一样，只是下达任务。但只有用*锁页*内存它才真的是异步的：可分页内存得由驱动动手抄，什么也重叠不了。既然谁都不再等待，主机就得自己等：在碰结果、或者改动送出去的数据之前，先 `cudaStreamSynchronize`。
      ]],
    },
    ask {
      en = "Copying in takes {a} us, and copying out as long; the kernel takes next to nothing. In {k} equal chunks, with both copy engines at work and no other cost, how long does it all take?",
      zh = "拷入要 {a} 微秒，拷出也一样，核函数几乎不花时间。切成相等的 {k} 段，两个拷贝引擎都在工作，没有别的开销，总共要多久？",
      draw = { a = { from = { 400, 800, 1200 } }, k = { from = { 2, 4, 8 } } },
      answer = function(d) return d.a / d.k * (d.k + 1) end,
      tolerance = 0.01,
      unit = "us",
      replies = {
        { function(d) return 2 * d.a end, en = "That is one stream, without overlap.", zh = "这是一个流、没有重叠的时间。" },
        { function(d) return d.a end, en = "The last chunk can only be copied out after it has come in.", zh = "最后一段要先进来，然后才能拷出去。" },
      },
      because = {
        en = "One chunk takes {a} / {k}. All chunks come in one after another, and behind the last one its own way out is left: {k} + 1 such times, in place of twice {k}.",
        zh = "每段要 {a} / {k}。各段一段接一段地进来，最后一段进完，只剩它自己还要拷出：一共 {k} + 1 份时间，而不是 {k} 的两倍。",
      },
    },
    say {
      en = [[
        Measured on an H200: 64 MB in, a short kernel, 64 MB out. One stream 2,621 microseconds; two chunks 1,981, four 1,673, eight 1,544. The limit is one direction of the link, 1,220, and a kernel that takes as long as that would fit into the same time.

        Ever more chunks do not help for ever: each costs three calls of some 4 microseconds, and small copies do not use the link well.
      ]],
      zh = [[
        在 H200 上实测：拷入 64 MB，一个短核函数，拷出 64 MB。一个流 2,621 微秒；两段 1,981，四段 1,673，八段 1,544。极限是链路单方向的时间，1,220 微秒；就算核函数也要这么久，仍然可以完全被掩盖。

        段数并非越多越好：每段都要三次调用，每次大约 4 微秒，而且小块的拷贝用不满链路。
      ]],
    },
    ask {
      en = "By those figures: how many times as fast as one stream are eight chunks?",
      zh = "按这些数字，八段是一个流的多少倍速度？",
      answer = 2621 / 1544,
      tolerance = 0.02,
      unit = "x",
      replies = {
        { 0.5890881342998855, en = "This is the time that is left. The question is how many times as fast.", zh = "这是剩下的时间比例。题目问的是速度的倍数。" },
      },
      because = { en = "2,621 / 1,544, about 1.7. The formula for k = 8 would say 16 / 9 = 1.78: the rest are calls and the kernels.", zh = "2,621 / 1,544，约 1.7。按公式 k = 8 应当是 16 / 9 = 1.78：差的那点是调用和核函数。" },
    },
    ask {
      en = "In a program with a stream for each chunk, the copy back of chunk c goes to the stream of chunk c + 1 by mistake. What happens?",
      zh = "一个每段一个流的程序，不小心把第 c 段的拷出放进了第 c + 1 段的流。会怎样？",
      choices = {
        {
          en = "It is right, only slower: the copy waits for the wrong chunk",
          zh = "结果是对的，只是慢一些：拷出要等别的段",
          because = { en = "It waits for nothing that has to do with chunk c.", zh = "它等的东西和第 c 段没有任何关系。" },
        },
        { en = "It may fetch the chunk before its kernel has run: a race, right on some days", zh = "可能在核函数运行之前就把这一段取走：数据竞争，有时对，有时错", right = true },
        {
          en = "The copy returns an error: the chunk belongs to another stream",
          zh = "拷贝返回错误：这一段属于另一个流",
          because = { en = "Memory belongs to no stream.", zh = "内存不属于任何流。" },
        },
      },
      because = { en = "Order between streams is made by events, `cudaStreamWaitEvent`, or by waiting, and by nothing else.", zh = "流与流之间的次序，只能靠事件（`cudaStreamWaitEvent`）或者等待来建立，没有别的办法。" },
    },
    predict {
      en = "The baseline waits after each of its three steps. n = 2^21 floats: how many bytes does it copy to the device?",
      zh = "基线的三步每步都等。n = 2^21 个 float：它向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "baseline",
      tolerance = 0,
      unit = "bytes",
      replies = {
        { function() return 2097152 end, en = "A float has 4 bytes.", zh = "一个 float 是 4 字节。" },
        { function() return 16777216 end, en = "That counts the way back, too.", zh = "这把拷回主机的也算上了。" },
      },
      because = { en = "2^21 * 4 = 8,388,608. The pipeline copies the same bytes: what changes is what happens meanwhile.", zh = "2^21 * 4 = 8,388,608。流水线拷贝的字节一个不少，变的是这期间还有别的事在做。" },
    },
    exercise {
      en = "Make it a pipeline. n need not be a multiple of anything, and may be smaller than the number of chunks.",
      zh = "把它改成流水线。n 不一定是什么数的倍数，也可能比段数还小。",
    },
    show {
      en = "`device_us` is the time in which anything ran, the copies included; `overlap_us` is by how much the durations of all of them, summed, exceed it.",
      zh = "`device_us` 是有任何东西在运行的时间，拷贝也算在内；`overlap_us` 是各自用时之和比它多出来的部分，也就是重叠掉的时间。",
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "launches", "overlap_us", "overlap_pct", "device_us", "elapsed_us" },
      of = "mine",
      beside = "baseline",
    },
    show {
      en = "The same on the device's clock, engine by engine and stream by stream:",
      zh = "再按设备的时钟，逐个引擎、逐个流地看：",
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = "What the host had to do for it:",
      zh = "主机为此多做了什么：",
      counters = { "launches", "syncs", "h2d_copies", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "What could the device do while the second half of the data is still on its way?", zh = "后一半数据还在路上的时候，设备可以做什么？" },
    { en = "Eight streams, eight chunks of (n + 7) / 8. The last chunk is shorter, and for small n some have nothing: m = min(chunk, n - at), and stop when m <= 0.", zh = "八个流，八段，每段 (n + 7) / 8 个。最后一段短一些，n 很小时有的段没有数据：m = min(chunk, n - at)，m <= 0 就停。" },
    {
      en = [[
            for (int c = 0; c < 8; c++) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, 4 * m, HostToDevice, s[c]);
                filter<<<(m + 255) / 256, 256, 0, s[c]>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, 4 * m, DeviceToHost, s[c]);
            }

        with `cudaMemcpy` before each direction's name. Then synchronise each stream.
      ]],
      zh = [[
            for (int c = 0; c < 8; c++) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, 4 * m, HostToDevice, s[c]);
                filter<<<(m + 255) / 256, 256, 0, s[c]>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, 4 * m, DeviceToHost, s[c]);
            }

        方向的名字前面都要加上 `cudaMemcpy`。最后同步每一个流。
      ]],
    },
  },

  after = {
    en = [[
      A call is over, here, when all its work is over: Warplab waits for every stream before it looks at `out` and stops its clock. So a pipeline without a synchronisation at its end passes as well, and saves its calls' few microseconds. Such a function only *begins* its work, as a launch does, and its caller has to wait. A function that returns what it
      promises waits itself; decide which of the two yours is, and say so where it is declared.

      Not a byte less crossed the link, and no kernel became faster; they only no longer wait for each other. The most that a pipeline can win is the sum of the three parts against the longest of them: nothing, if one part has nearly all the time, and three times if they are equal.

      The host was free meanwhile, too. Between the last launch and the first synchronisation it could prepare the next call's data.
    ]],
    zh = [[
      在这里，一次调用的所有工作都结束了才算结束：Warplab 会等完每一个流，然后才看 `out`、停下计时。所以末尾不做同步的流水线同样能通过，还省下几次调用的几微秒。这样的函数像启动一样，只是*开始*了工作，要由调用者来等。若函数返回时就应当交出结果，就得自己等。
      你的函数属于哪一种，请在声明它的地方写明。

      过链路的字节一个没少，核函数也没有变快，只是不再互相等待。流水线最多能快多少倍，就看三部分之和与最长的一部分之比：要是某一部分几乎占了全部时间，就没有什么收益；三部分相等时，最多快到三倍。

      这期间主机也是空闲的。从最后一次启动到第一次同步之间，它可以准备下一次调用的数据。
    ]],
  },
  more = {
    en = "Vary the number of chunks from 2 to 64 and find the best for this n, on `sim:h200` and on `sim:t4`: why are they not the same? Then put all eight copies in before the first launch, and see whether the order of the calls matters.",
    zh = "把段数从 2 变到 64，在 `sim:h200` 和 `sim:t4` 上各找出这个 n 的最佳值：为什么两边不一样？然后把八次拷入都放在第一次启动之前，看看调用的次序要不要紧。",
  },
}
