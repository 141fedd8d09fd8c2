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
      en = "Fetch the results from the device.",
      zh = "结果应当从设备取回。",
    },
    at_least("overlap_pct", 25) {
      points = 3,
      en = "While one chunk comes in, another can be computed and a third can go out. Do the copies wait? Is each chunk's work in its own stream?",
      zh = "一段正在拷入时，另一段可以计算，还有一段可以拷出。拷贝是不是在等待？每一段是不是各用一个流？",
    },
    speedup(1.25) {
      points = 2,
      en = "Are there too many chunks, or too few? Each call costs time. The end of the last chunk costs time, too: nothing overlaps it.",
      zh = "段数太多或太少？每次调用都要花时间；最后一段的收尾没有别的工作可以重叠，也要花时间。",
    },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute the results.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        Host, device and link can work at once. The link can even work in two directions, because it has a *copy engine* for each direction. A
        program that copies in, computes and copies back uses only one of host, device and link at a time.

        A pipeline uses them together. Cut the data into chunks and give each chunk a *stream*, in which its three steps follow each other.
        Different streams have no order between them, so chunk 2 comes in while chunk 1 is computed.

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` returns before the copy is done, as a launch does. But it is asynchronous only with *page-locked* memory: from pageable
        memory the driver has to copy through its own buffer, and that copy may block the host.

        None of these calls waits any more. So the host has to call `cudaStreamSynchronize` before it uses the results or changes the data that it
        sent.
      ]],
      zh = [[
        主机、设备和两者之间的链路可以同时工作；链路的两个方向还可以同时传输，因为每个方向各有一个*拷贝引擎*。如果程序依次拷入、计算、拷回，任何时候都只用到其中一个。

        流水线让它们同时工作。把数据切成段，每段一个*流*，一段的三个步骤在自己的流里先后执行。流与流之间没有次序，于是第 1 段在计算时，第 2 段同时在拷入。

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` 和启动一样，拷贝还没完成就返回。但只有用*锁页*内存时它才真的是异步的：用可分页内存，驱动得经过自己的缓冲区，这次拷贝可能阻塞主机。

        这些调用都不再等待，所以主机要自己等：在使用结果、或者改动送出去的数据之前，先调用 `cudaStreamSynchronize`。
      ]],
    },
    ask {
      en = "Copying in takes {a} us, and copying out as long; the kernel takes almost no time. In {k} equal chunks, with both copy engines at work and no other cost, how long does everything take?",
      zh = "拷入要 {a} 微秒，拷出也一样，核函数几乎不花时间。切成相等的 {k} 段，两个拷贝引擎同时工作，没有别的开销，总共要多久？",
      draw = { a = { from = { 400, 800, 1200 } }, k = { from = { 2, 4, 8 } } },
      answer = function(d) return d.a / d.k * (d.k + 1) end,
      tolerance = 0.01,
      unit = "us",
      replies = {
        { function(d) return 2 * d.a end, en = "That is the time with one stream, without overlap.", zh = "这是一个流、没有重叠的时间。" },
        { function(d) return d.a end, en = "The last chunk can go out only after it has come in.", zh = "最后一段要先拷入，然后才能拷出。" },
      },
      because = {
        en = "One chunk takes {a} / {k}. All chunks come in one after another, and then only the last one still has to go out: {k} + 1 such times instead of twice {k}.",
        zh = "每段要 {a} / {k}。各段一段接一段地拷入，全部拷入之后，只剩最后一段还要拷出：一共 {k} + 1 份时间，而不是 {k} 的两倍。",
      },
    },
    say {
      en = [[
        Measured on an H200: 64 MB in, a short kernel, 64 MB out. It took 2,621 microseconds in one stream, 1,981 in two chunks, 1,673 in four,
        1,544 in eight. The limit is one direction of the link: 1,220. A kernel could take as long as that and would fit into the same time.

        More chunks are not always better: each costs three calls of some 4 microseconds, and small copies do not use the link well.
      ]],
      zh = [[
        在 H200 上实测：拷入 64 MB，一个短核函数，拷出 64 MB。一个流 2,621 微秒；分成两段 1,981，四段 1,673，八段 1,544。极限是链路单方向的时间，1,220 微秒；
        即使核函数也要这么久，仍然可以完全重叠。

        段数并非越多越好：每段都要三次调用，每次大约 4 微秒，而且小块的拷贝用不满链路。
      ]],
    },
    ask {
      en = "By those figures, how many times as fast as one stream are eight chunks?",
      zh = "按这些数字，八段的速度是一个流的多少倍？",
      answer = 2621 / 1544,
      tolerance = 0.02,
      unit = "x",
      replies = {
        { 0.5890881342998855, en = "That is the share of the time that is left. The question is how many times as fast.", zh = "这是用时之比。题目问的是速度的倍数。" },
      },
      because = { en = "2,621 / 1,544, about 1.7. For k = 8 the formula gives 16 / 9 = 1.78. The calls and the kernels make up the difference.", zh = "2,621 / 1,544，约 1.7。按公式，k = 8 时是 16 / 9 = 1.78；差的那部分是调用和核函数的时间。" },
    },
    ask {
      en = "A program has a stream for each chunk. By mistake the copy back of chunk c goes to the stream of chunk c + 1. What happens?",
      zh = "一个每段一个流的程序，误把第 c 段的拷出放进了第 c + 1 段的流。会怎样？",
      choices = {
        {
          en = "It is right, only slower: the copy waits for the wrong chunk",
          zh = "结果是对的，只是慢一些：拷出要等别的段",
          because = { en = "The copy waits only for work that is not part of chunk c.", zh = "这次拷出所等待的工作，和第 c 段没有任何关系。" },
        },
        { en = "It may fetch the chunk before its kernel has run: a race, sometimes right and sometimes wrong", zh = "可能在核函数运行之前就把这一段取走：数据竞争，有时对，有时错", right = true },
        {
          en = "The copy returns an error: the chunk belongs to another stream",
          zh = "拷贝返回错误：这一段属于另一个流",
          because = { en = "Memory does not belong to a stream.", zh = "内存不属于任何流。" },
        },
      },
      because = { en = "Only events (`cudaStreamWaitEvent`) or waiting make an order between streams like these.", zh = "只有事件（`cudaStreamWaitEvent`）或者等待，才能在这样的流之间建立次序。" },
    },
    predict {
      en = "The baseline waits after each of its three steps. With n = 2^21 floats, how many bytes does it copy to the device?",
      zh = "基线的三步每步都等待。n = 2^21 个 float：它向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "baseline",
      tolerance = 0,
      unit = "bytes",
      replies = {
        { function() return 2097152 end, en = "A float has 4 bytes.", zh = "一个 float 是 4 字节。" },
        { function() return 16777216 end, en = "That also counts the way back.", zh = "这把拷回主机的也算上了。" },
      },
      because = { en = "2^21 * 4 = 8,388,608. The pipeline copies the same bytes, but other work happens meanwhile.", zh = "2^21 * 4 = 8,388,608。流水线拷贝的字节一样多，只是同时还有别的工作在进行。" },
    },
    exercise {
      en = "Make it a pipeline. It has to work for every n, also for an n smaller than the number of chunks.",
      zh = "把它改成流水线。对任何 n 都要正确，包括 n 比段数还小的情形。",
    },
    show {
      en = "`device_us` is the time in which anything ran, copies included. `overlap_us` is the sum of all durations minus `device_us`.",
      zh = "`device_us` 是有拷贝或核函数在运行的时间；`overlap_us` 是所有操作的时长之和减去 `device_us`，也就是重叠掉的时间。",
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "launches", "overlap_us", "overlap_pct", "device_us", "elapsed_us" },
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
      en = "What the host had to do for it:",
      zh = "主机为此多做了什么：",
      counters = { "launches", "syncs", "h2d_copies", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    { en = "What could the device do while the second half of the data still comes in?", zh = "后一半数据还在拷入的时候，设备可以做什么？" },
    { en = "Eight streams, eight chunks of (n + 7) / 8. The last chunk is shorter, and for small n some chunks are empty: m = min(chunk, n - at), and stop when m <= 0.", zh = "八个流，八段，每段 (n + 7) / 8 个。最后一段短一些；n 很小时，有的段没有数据：m = min(chunk, n - at)，m <= 0 就停。" },
    {
      en = [[
            for (int c = 0; c < 8; c++) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, 4 * m, HostToDevice, s[c]);
                filter<<<(m + 255) / 256, 256, 0, s[c]>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, 4 * m, DeviceToHost, s[c]);
            }

        Write `cudaMemcpy` before the name of each direction. At the end synchronise each stream.
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
      Here a call ends when all its work has ended: Warplab waits for every stream before it looks at `out` and stops its clock. So a pipeline
      that does not synchronise at its end also passes, and saves a few microseconds.

      Such a function only *begins* its work, as a launch does, and its caller has to wait. A function that returns its results waits itself.
      Decide which of the two yours is, and say so where it is declared.

      The same bytes crossed the link, and the kernels are no faster. Copies and kernels just no longer wait for each other. A pipeline can gain at
      most the sum of the three parts divided by the longest: nothing if one part takes nearly all the time, and three times if the parts are equal.

      The host is free meanwhile. Between the last launch and the first synchronisation it could prepare the data of the next call.
    ]],
    zh = [[
      在这里，一次调用的所有工作都结束了才算结束：Warplab 会等待每一个流，然后才检查 `out`、停止计时。所以末尾不同步的流水线同样能通过，还能省下几微秒。

      这样的函数和启动一样，只是*开始*了工作，要由调用者来等待；如果函数返回时就应当给出结果，就得自己等待。你的函数属于哪一种，请在声明的地方写明。

      经过链路的字节一个没少，核函数也没有变快，只是拷贝和核函数不再互相等待。流水线最多能加速多少倍，取决于三部分之和与最长的一部分之比：如果某一部分几乎占了全部时间，就没有什么收益；三部分相等时，最多加速到三倍。

      这期间主机是空闲的。从最后一次启动到第一次同步之间，它可以准备下一次调用的数据。
    ]],
  },
  more = {
    en = "Vary the number of chunks from 2 to 64, and find the best for this n on `sim:h200` and on `sim:t4`. Why do they differ? Then issue all eight copies to the device before the first launch. Does the order of the calls matter?",
    zh = "把段数从 2 变到 64，在 `sim:h200` 和 `sim:t4` 上各找出这个 n 的最佳值：为什么两边不同？然后把八次拷入都放在第一次启动之前：调用的次序有影响吗？",
  },
}
