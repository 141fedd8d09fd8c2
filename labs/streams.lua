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
      en = "Copy the results from the device to the host.",
      zh = "要把结果从设备拷回主机。",
    },
    at_least("overlap_pct", 25) {
      points = 3,
      en = [[
        While one chunk comes in, the device can compute another one, and a third one can go out.
        Does the host wait for each copy? Does each chunk have its own stream?
      ]],
      zh = [[
        一段正在拷入时，设备可以计算另一段，还有一段可以拷出。主机是不是每次拷贝都在等待？
        每一段是不是各用一个流？
      ]],
    },
    speedup(1.25) {
      points = 2,
      en = [[
        Are there too many chunks, or too few? With many chunks, the calls cost time. With few
        chunks, the last one is large, and nothing overlaps with its copy to the host.
      ]],
      zh = [[
        段数是太多还是太少？段数多，调用要花时间。段数少，最后一段就大，而最后一段拷出时，没有别的工
        作可以重叠。
      ]],
    },
    at_least("flop_sp", 0.75 * baseline) {
      points = 1,
      en = "Compute the results in a kernel, not on the host.",
      zh = "结果要由核函数来算，不要由主机来算。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab, n floats are copied to the device, a kernel filters them, and the results are
        copied back. The skeleton does these three steps one after another. You will cut the data
        into chunks, so that the steps of different chunks happen at the same time.

        The host, the device and the link between them can all work at once. The link can even carry
        data in both directions at once, because the device has a *copy engine* for each direction.
        A program that copies in, computes and copies out, one after another, uses only one part of
        the machine at a time.

        A *pipeline* uses all parts together. Each chunk has its own stream. In this stream the
        chunk is copied in, computed and copied out. Different streams do not wait for each other,
        so chunk 2 can come in while chunk 1 is computed.

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` returns before the copy is done, as a launch does. You can rely on
        this only with *page-locked* memory: from pageable memory the driver has to copy the
        data through its own buffer, and the host may have to wait for this copy.

        None of these three calls waits for its work. So call `cudaStreamSynchronize` before the
        host uses the results, and before it changes data that a copy may still be reading.
      ]],
      zh = [[
        在这个实验里，n 个 float 先拷到设备，由一个核函数滤波，再把结果拷回来。
        骨架代码依次做这三步。你要把数据切成若干段，让不同段的各个步骤同时进行。

        主机、设备和两者之间的链路可以同时工作。链路的两个方向也可以同时传输，
        因为设备为每个方向各有一个*拷贝引擎*。如果程序依次拷入、计算、拷出，那么任何时候都只有一个部
        分在工作。

        *流水线*让各个部分同时工作。每一段用一个流，这一段的拷入、计算、拷出都在这个流里依次进行。
        不同的流互不等待，所以第 1 段在计算时，第 2 段可以拷入。

            cudaMemcpyAsync(d + at, h + at, bytes, cudaMemcpyHostToDevice, s);
            kernel<<<blocks, threads, 0, s>>>(d + at, m);
            cudaMemcpyAsync(h + at, d + at, bytes, cudaMemcpyDeviceToHost, s);

        `cudaMemcpyAsync` 和启动一样，拷贝还没完成就返回。但这只对*锁页*内存有保证：
        可分页内存的数据，驱动要经过自己的缓冲区来拷贝，主机可能要等这次拷贝。

        这三个调用都不等自己的工作做完。所以主机在使用结果之前，要先调用 `cudaStreamSynchronize`。要
        修改正在拷贝的数据，也要先调用这个函数。
      ]],
    },
    ask {
      en = [[
        Copying in takes {a} us, and copying out takes just as long. The kernel takes almost no
        time. The data are cut into {k} equal chunks, and both copy engines work at the same time.
        There are no other costs. How long does everything take?
      ]],
      zh = [[
        拷入要 {a} 微秒，拷出也要这么久，核函数几乎不花时间。数据切成相等的 {k} 段，
        两个拷贝引擎同时工作，没有别的开销。全部做完要多久？
      ]],
      draw = { a = { from = { 400, 800, 1200 } }, k = { from = { 2, 4, 8 } } },
      answer = function(d) return d.a / d.k * (d.k + 1) end,
      tolerance = 0.01,
      unit = "us",
      replies = {
        {
          function(d) return 2 * d.a end,
          en = "This is the time in one stream, where all data come in before any go out.",
          zh = "这是只用一个流的时间：所有数据都拷入之后，才开始拷出。",
        },
        {
          function(d) return d.a end,
          en = "After this time the last chunk has come in. It still has to go out.",
          zh = "到这时，最后一段才刚拷入，还要拷出。",
        },
      },
      because = {
        en = [[
          One chunk takes {a} / {k} us in each direction. The chunks come in one after another, {k}
          in all. Meanwhile the earlier chunks go out, so at the end only the last chunk still has
          to go out. In all, this makes {k} + 1 times {a} / {k} us, instead of 2 * {k} times.
        ]],
        zh = [[
          每一段在每个方向上要 {a} / {k} 微秒。{k} 段依次拷入，同时前面的段已经在拷出，最后只剩一段
          还要拷出。所以一共是 {k} + 1 个 {a} / {k} 微秒，而不是 2 * {k} 个。
        ]],
      },
    },
    say {
      en = [[
        On an H200, a program copied 64 MB in, ran a short kernel and copied 64 MB out. In one
        stream this took 2,621 microseconds. It took 1,981 with two chunks, 1,673 with four, and
        1,544 with eight. The limit is 1,220 microseconds: the link takes this long for 64 MB in one
        direction. Even a kernel that takes 1,220 microseconds could overlap with the copies.

        More chunks are not always better: each chunk costs three calls of some 4 microseconds, and
        small copies do not use the full speed of the link.
      ]],
      zh = [[
        在 H200 上，一个程序拷入 64 MB，运行一个短核函数，再拷出 64 MB。用一个流要 2,621 微秒；分成
        两段 1,981，四段 1,673，八段 1,544。极限是 1,220 微秒，即链路在一个方向上传输 64 MB 的时间。
        即使核函数也要 1,220 微秒，也可以和拷贝重叠。

        段数并不是越多越好：每一段都要三次调用，每次约 4 微秒，而且小的拷贝达不到链路的全速。
      ]],
    },
    ask {
      en = [[
        By these figures, how many times as fast is the program with eight chunks as with one
        stream?
      ]],
      zh = "按这些数字，分成八段的程序，速度是只用一个流时的多少倍？",
      answer = 2621 / 1544,
      tolerance = 0.02,
      unit = "x",
      replies = {
        {
          0.5890881342998855,
          en = [[
            You divided the shorter time by the longer one. Divide the longer time by the shorter
            one.
          ]],
          zh = "这是用短的时间除以长的时间。要用长的时间除以短的时间。",
        },
      },
      because = {
        en = [[
          2,621 / 1,544 is about 1.7. Without the time of calls and kernels, eight chunks (k = 8)
          would be 16 / 9 = 1.78 times as fast.
        ]],
        zh = [[
          2,621 / 1,544 约为 1.7。不算调用和核函数的时间，八段（k = 8）应当是 16 / 9 = 1.78 倍。
        ]],
      },
    },
    ask {
      en = [[
        A program has a stream for each chunk. By mistake, the program copies chunk c out in the
        stream of chunk c + 1. What happens?
      ]],
      zh = "一个程序每段用一个流，却误把第 c 段的拷出放进了第 c + 1 段的流。会怎样？",
      choices = {
        {
          en = [[
            The results are right, but the program is slower: the copy waits for the wrong chunk
          ]],
          zh = "结果是对的，只是慢一些：拷出等的是别的段",
          because = {
            en = [[
              The copy waits for the work before it in that stream. But none of this work belongs to
              chunk c.
            ]],
            zh = "拷出会等那个流里排在它前面的工作。但那些工作都不属于第 c 段。",
          },
        },
        {
          en = [[
            The copy may fetch chunk c before the kernel has computed it: a race, so the results are
            sometimes right and sometimes wrong
          ]],
          zh = "可能在核函数算完第 c 段之前就把这一段拷走：这是数据竞争，结果有时对，有时错",
          right = true,
        },
        {
          en = "The copy returns an error: chunk c belongs to another stream",
          zh = "拷贝返回错误：第 c 段属于另一个流",
          because = {
            en = "Memory does not belong to a stream: work in any stream may use it.",
            zh = "内存不属于任何流，每个流里的工作都可以使用任何一块内存。",
          },
        },
      },
      because = {
        en = [[
          There are two ways to put the work of two streams in order: the host waits, or one stream
          waits for an *event* in the other stream (`cudaStreamWaitEvent`). An event is a mark among
          the work of a stream.
        ]],
        zh = [[
          要规定两个流里工作的先后，有两种办法：让主机等待，或者让一个流等待另一个流里的*事
          件*（`cudaStreamWaitEvent`）。事件是流里的一个标记。
        ]],
      },
    },
    predict {
      en = [[
        In the baseline, each of the three steps begins only when the step before has ended. With n
        = 2^21 floats, how many bytes does the baseline copy to the device?
      ]],
      zh = "基线里，前一步结束之后，后一步才开始。n = 2^21 个 float 时，基线向设备拷贝多少字节？",
      counter = "h2d_bytes",
      of = "baseline",
      tolerance = 0,
      unit = "bytes",
      replies = {
        {
          function() return 2097152 end,
          en = "This is the number of floats. How many bytes does a float have?",
          zh = "这是 float 的个数。一个 float 占几个字节？",
        },
        {
          function() return 16777216 end,
          en = "This includes the copy back to the host.",
          zh = "这把拷回主机的字节也算上了。",
        },
      },
      because = {
        en = [[
          2^21 * 4 = 8,388,608. A pipeline copies the same bytes, but other work is done at the same
          time.
        ]],
        zh = "2^21 * 4 = 8,388,608。流水线拷贝的字节一样多，但同时还有别的工作在进行。",
      },
    },
    exercise {
      en = [[
        Turn the skeleton into a pipeline. The result has to be right for every n, even if n is
        smaller than the number of chunks.
      ]],
      zh = "把骨架代码改成流水线。任意 n 的结果都要正确，包括 n 比段数还小的情形。",
    },
    show {
      en = [[
        `device_us` is the time in which a copy or a kernel ran. `overlap_us` is the sum of the
        times of all copies and kernels, minus `device_us`.
      ]],
      zh = [[
        `device_us` 是至少有一个拷贝或核函数在运行的时间。`overlap_us` 是所有拷贝和核函数的时长之和
        减去 `device_us`，也就是重叠省下的时间。
      ]],
      picture = "counters",
      counters = { "h2d_copies", "d2h_copies", "launches", "overlap_us", "overlap_pct", "device_us", "elapsed_us" },
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
      en = "The calls that the host makes for the pipeline, beside those of the baseline:",
      zh = "你的流水线里，主机做了哪些调用、各多少次，与基线对比：",
      counters = { "launches", "syncs", "h2d_copies", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "What could the device do while the second half of the data is still coming in?",
      zh = "后一半数据还在拷入时，设备可以做什么？",
    },
    {
      en = [[
        Use eight streams and eight chunks of `(n + 7) / 8` floats. The last chunk can be shorter,
        so a chunk has `m = min(chunk, n - at)` floats. If n is small, some chunks are empty: stop
        when m <= 0.
      ]],
      zh = [[
        用八个流，分成八段，每段 `(n + 7) / 8` 个 float。最后一段可能短一些，所以一段有
        `m = min(chunk, n - at)` 个 float。n 很小时，有的段没有数据：m <= 0 就停。
      ]],
    },
    {
      en = [[
            for (int c = 0; c < 8; c++) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, 4 * m, HostToDevice, s[c]);
                filter<<<(m + 255) / 256, 256, 0, s[c]>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, 4 * m, DeviceToHost, s[c]);
            }

        The names of the two directions are too long for these lines: write `cudaMemcpy` before each
        of them. At the end, synchronise every stream.
      ]],
      zh = [[
            for (int c = 0; c < 8; c++) {
                int at = c * chunk, m = n - at < chunk ? n - at : chunk;
                if (m <= 0) break;
                cudaMemcpyAsync(x + at, in + at, 4 * m, HostToDevice, s[c]);
                filter<<<(m + 255) / 256, 256, 0, s[c]>>>(x + at, m, rounds);
                cudaMemcpyAsync(out + at, x + at, 4 * m, DeviceToHost, s[c]);
            }

        为了排版，两个方向的名字没有写全：前面都要加上 `cudaMemcpy`。最后同步每一个流。
      ]],
    },
  },

  after = {
    en = [[
      The link carried the same bytes as before, and the kernels are no faster. But copies and
      kernels no longer wait for each other.

      Add up the times of copying in, the kernel and copying out, and divide the sum by the longest
      of the three times. A pipeline can be at most this many times as fast. If one of the three
      takes nearly all the time, you gain nothing. If all three take the same time, you can gain a
      factor of three.

      Warplab waits for every stream before it reads `out` and stops its clock. So a pipeline that
      does not synchronise at its end would pass, too, and save a few microseconds. But such a
      function only *begins* its work, as a launch does, and its caller has to wait. Write in a
      comment on your function whether the caller has to wait.

      The host has nothing to do between the last launch and the first synchronisation. It could
      prepare the data of the next call in this time.
    ]],
    zh = [[
      经过链路的字节和原来一样，核函数也没有变快，但拷贝和核函数不再互相等待。

      把拷入、核函数、拷出的时间加起来，除以三者中最长的时间，就得到流水线最多能加速到原来的多少倍。
      如果其中一个几乎占了全部时间，就没有收益；如果三者相等，最多可以加速到原来的三倍。

      Warplab 会等待每一个流，然后才读 `out`、停止计时。所以末尾不同步的流水线也能通过，
      还能省下几微秒。但这样的函数和启动一样，只是*开始*工作，要由调用者来等待。
      请在函数的注释里写明，调用者要不要等待。

      从最后一次启动到第一次同步，主机没有事做。这段时间可以用来准备下一次调用的数据。
    ]],
  },
  more = {
    en = [[
      Try 2 to 64 chunks. Which number is best for this n on `sim:h200`, and which on `sim:t4`? Why
      do they differ? Then make all eight copies to the device before the first launch. Does the
      order of the calls matter?
    ]],
    zh = [[
      试试 2 到 64 段。对这个 n，在 `sim:h200` 上几段最好，在 `sim:t4` 上几段最好？为什么不同？
      然后把八次拷入都放在第一次启动之前。调用的次序有影响吗？
    ]],
  },
}
