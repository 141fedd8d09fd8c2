-- Chapter 9: kernels that work on the host's memory.
return lab {
  id = "zero-copy",
  title = { en = "No copy at all", zh = "零拷贝" },
  chapter = 9,
  minutes = 25,
  needs = { "transfers", "coalescing" },
  source = "guide 5.3.1",
  teaches = {
    ["mapped-memory"] = "say exercise",
    ["mapped-implicit"] = "say predict",
    ["mapped-coalesced"] = "say goals exercise",
    ["mapped-once"] = "say ask",
    ["mapped-h200"] = "say ask",
    ["integrated-device"] = "say ask",
  },

  host_time = true,
  entry = "void zero_copy(const float *in, float *out, int n)",
  args = {
    ["in"] = host(uniform(-1, 1, "4 * n"), { pinned = true }),
    out = host(output("n", { ops = 8, atol = 1e-6, pinned = true })),
  },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 17, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 2 },
    at_most("copied_bytes", 0) {
      points = 2,
      en = "Pass `in` and `out` themselves to the kernel: they are page-locked and mapped already.",
      zh = "把 `in` 和 `out` 本身交给核函数：这两个数组已经是映射好的锁页内存。",
    },
    at_most("allocations", 0) {
      points = 1,
      en = "You need no device memory in this lab.",
      zh = "这个实验不需要分配设备内存。",
    },
    at_most("global_load_sectors", 0.4 * baseline) {
      points = 1,
      en = [[
        When a warp executes one read, it uses only 4 bytes out of every 16. Unused bytes cost most
        when they cross the link. Let each thread read its 16 bytes with one instruction.
      ]],
      zh = [[
        线程束（warp）执行一次读取时，每 16 个字节里只用到 4 个。经过链路时，这样的浪费最大。
        请让每个线程用一条指令读完自己的 16 个字节。
      ]],
    },
    at_most("global_store_bytes", 1.35 * baseline) {
      points = 2,
      en = [[
        Your kernels store more than the results. Let one kernel read `in` and write `out` where
        they are, without a copy in device memory.
      ]],
      zh = [[
        核函数写入的不只是结果。应当由一个核函数就地读 `in`、写 `out`，不要在设备内存里另存一份。
      ]],
    },
    at_most("link_bytes", 1.4 * baseline) {
      points = 0.5,
      en = "More bytes cross the link than there are in the data. Does any sample cross it twice?",
      zh = "经过链路的字节比数据本身还多。有没有样本传输了两次？",
    },
    at_least("global_load_bytes", 0.75 * baseline) {
      points = 0.5,
      en = "Read the samples in a kernel, not on the host.",
      zh = "样本要由核函数来读，不要由主机来读。",
    },
    speedup(1.25) { points = 0.5 },
    at_least("flop_sp", 0.6 * baseline) {
      points = 0.5,
      en = "Compute the results in a kernel, not on the host.",
      zh = "结果要由核函数来算，不要由主机来算。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab a kernel computes the mean of every four samples of a signal. Samples and
        results are in host memory. The skeleton copies the samples to the device, and the results
        back. You will let the kernel use the host memory directly, without a copy.

        This is possible with page-locked memory. Its pages do not move, so the device can use their
        addresses: the memory is *mapped* for the device. A kernel reads and writes mapped memory
        like device memory, but each access crosses the link. You need no device memory and make no
        copy. Transfers and computation overlap, even without streams.

            float *h, *d;
            cudaHostAlloc(&h, bytes, cudaHostAllocMapped);
            cudaHostGetDevicePointer(&d, h, 0);
            kernel<<<blocks, threads>>>(d, n);
            cudaDeviceSynchronize();     // before the host reads

        On today's 64-bit systems, all page-locked memory is mapped, and host and device use the
        same address. There you can pass `h` to the kernel in place of `d`.

        *Without the copies, a wait is missing*: the `cudaMemcpy` of the results also waited for the
        kernel. Now only a synchronisation tells the host that the kernel is done.
      ]],
      zh = [[
        本实验的核函数求信号里每四个样本的均值。样本和结果都在主机内存里。骨架代码先把样本拷到设备，
        再把结果拷回来。你要让核函数直接使用主机内存，不再拷贝。

        这要用到锁页内存。锁页内存的页固定在原处，所以设备可以使用锁页内存的地址，这样使用的内存
        叫*映射*内存（mapped memory）。核函数读写映射内存，和读写设备内存一样，只是每次访问都要经过
        链路。这样不用分配设备内存，也不用拷贝。不用流，传输和计算也能重叠。

            float *h, *d;
            cudaHostAlloc(&h, bytes, cudaHostAllocMapped);
            cudaHostGetDevicePointer(&d, h, 0);
            kernel<<<blocks, threads>>>(d, n);
            cudaDeviceSynchronize();     // 主机读之前

        在今天的 64 位系统上，所有锁页内存都已映射，主机和设备使用同一个地址，
        所以可以直接把 `h` 交给核函数，代替 `d`。

        *没有了拷贝，就少了一次等待*：用 `cudaMemcpy` 拷回结果时，主机会等待核函数。
        现在只有同步才能让主机知道核函数已经做完。
      ]],
    },
    say {
      en = [[
        When does it save time to use host memory directly? The CUDA programming guide gives two
        conditions. The data are read or written *only once*. And the accesses are coalesced, as for
        global memory. Each repeated access crosses the link again, at 55 GB/s instead of thousands
        of GB/s.

        These times were measured on an H200 with 64 MB, in microseconds:

                                          with copies    in place
            read and write once                 2,497       1,614
            read once                           1,258       1,335
            read three times                    1,324       3,963

        *With copies* means that the data are copied to the device once, and results are copied
        back. *In place* means that the kernel uses mapped memory.

        In the first row, working in place saves time for a reason that the guide does not mention:
        the two directions of the link work *at the same time*. If a kernel only reads its data, you
        save device memory, but no time.
      ]],
      zh = [[
        什么时候直接使用主机内存更快？《CUDA 编程指南》给出两个条件：数据*只读一次或只写一次*；访问
        是合并的，和访问全局内存时的要求一样。每重复访问一次，就要重新经过一次链路，速度是 55 GB/s，
        而不是几千 GB/s。

        在 H200 上用 64 MB 实测，单位微秒：

                                  先拷贝      就地
            读一遍并写一遍          2,497     1,614
            读一遍                  1,258     1,335
            读三遍                  1,324     3,963

        *先拷贝*表示数据先拷到设备一次，结果再拷回来；*就地*表示核函数直接使用映射内存。

        第一行就地更快，原因在指南里没有提到：链路的两个方向*同时*在传输。如果核函数只读数据，
        省下的是设备内存，不是时间。
      ]],
    },
    ask {
      en = [[
        A kernel reads 64 MB {k} times, in place. By the figures above, about how many microseconds
        does this take?
      ]],
      zh = "一个核函数就地把 64 MB 读 {k} 遍。按上面的数字，大约要多少微秒？",
      draw = { k = { 4, 9 } },
      answer = function(d) return d.k * 1321 end,
      tolerance = 0.03,
      unit = "us",
      replies = {
        {
          1335,
          en = [[
            This is the time to read the data once. In place, all data cross the link {k} times.
          ]],
          zh = [[
            这是读一遍的时间。就地读取时，每读一遍，全部数据都要经过一次链路。一共读了 {k} 遍。
          ]],
        },
      },
      because = {
        en = [[
          All data cross the link each time. Reading them three times took 3,963 us, so reading them
          {k} times takes {k} * 1,321 us. If you copy the data first, each further read takes only
          some 33 us: (1,324 - 1,258) / 2.
        ]],
        zh = [[
          每一遍都要重新经过链路。三遍用了 3,963 微秒，所以 {k} 遍要 {k} * 1,321 微秒。如果先拷贝，
          之后每多读一遍只要约 33 微秒：(1,324 - 1,258) / 2。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        In many small systems, device and host share one memory. A program can find this out:
        `cudaDeviceProp::integrated` is then 1. What does a `cudaMemcpy` from host to device do in
        such a system?
      ]],
      zh = [[
        在很多小型系统里，设备和主机共用一块内存。程序可以查到这一点：这
        时 `cudaDeviceProp::integrated` 等于 1。在这样的系统里，从主机到设备的 `cudaMemcpy` 做了什
        么？
      ]],
      choices = {
        {
          en = "Nothing: the driver knows that there is only one memory",
          zh = "什么也没做：驱动知道只有一块内存",
          because = {
            en = [[
              The two arrays are at different places in this memory. After the copy, both have to
              hold the bytes.
            ]],
            zh = "两个数组在这块内存的不同位置。拷贝之后，两处都要有这些字节。",
          },
        },
        {
          en = [[
            It moves bytes within one memory, which is unnecessary: the kernel could use the
            page-locked array itself
          ]],
          zh = "在同一块内存里搬动字节，其实不需要：核函数可以直接使用锁页的数组",
          right = true,
        },
        {
          en = "It fails: there is no device memory to copy to",
          zh = "失败：没有设备内存可以拷入",
          because = {
            en = [[
              `cudaMalloc` works in such a system, too. It allocates in the one memory that both
              sides use.
            ]],
            zh = "在这样的系统里也可以调用 `cudaMalloc`，它从共用的内存里分配。",
          },
        },
      },
    },
    predict {
      en = [[
        The model answer runs with n = 2^17 and makes no copy. For each result it reads four floats
        and writes one. How many bytes do the *reads* of the model answer ask for? All these bytes
        cross the link.
      ]],
      zh = [[
        参考答案以 n = 2^17 运行，没有拷贝。参考答案为每个结果读四个 float，写一个。这些*读取*一共要
        多少字节？读取的字节都要经过链路。
      ]],
      counter = "gld_bytes",
      of = "answer",
      tolerance = 0,
      unit = "bytes",
      replies = {
        {
          function() return 131072 * 4 end,
          en = "This is one float for each result, but a result is the mean of four.",
          zh = "这是每个结果读一个 float，但一个结果是四个 float 的均值。",
        },
        {
          function() return 131072 * 20 end,
          en = "This includes the bytes that are written. The question is only about reads.",
          zh = "这把写入的字节也算上了。题目只问读取。",
        },
      },
      because = {
        en = [[
          2^17 * 16 bytes. The skeleton copies the same number of bytes to the device, but it also
          allocates memory, and its kernel waits for the end of the copy.
        ]],
        zh = [[
          2^17 * 16 字节。骨架代码拷到设备的字节一样多，但骨架代码还要分配内存，核函数还要等拷贝做
          完。
        ]],
      },
    },
    exercise {
      en = [[
        `in` and `out` are page-locked already. Let the kernel use them in place. Also change how
        the kernel reads: each sector that crosses the link takes time, and it should contain no
        unused bytes.
      ]],
      zh = [[
        `in` 和 `out` 已经是锁页内存。请让核函数就地使用这两个数组，再改进核函数的读取方式：每个经过
        链路的扇区都要花时间，扇区里的字节应当全都用上。
      ]],
    },
    show {
      en = "Your reads and writes, line by line:",
      zh = "逐行看你的读取和写入：",
      picture = "sectors",
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
    compare {
      en = "How many bytes were moved, and how long the call took, beside the baseline:",
      zh = "传输了多少字节，调用用了多久，与基线对比：",
      counters = { "h2d_bytes", "d2h_bytes", "link_bytes", "mallocs", "device_us", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    {
      goal = "copied_bytes",
      en = [[
        Suppose that the kernel uses `in` and `out` themselves. Which lines of `zero_copy` do you
        still need?
      ]],
      zh = "假设核函数直接使用 `in` 和 `out`，`zero_copy` 里还需要哪些行？",
    },
    {
      en = [[
        Launch the kernel with `in` and `out`, and then wait with `cudaDeviceSynchronize()`. In the
        kernel, neighbouring lanes should read neighbouring places. Or each lane should read all its
        16 bytes at once.
      ]],
      zh = [[
        用 `in` 和 `out` 启动核函数，再用 `cudaDeviceSynchronize()` 等待。在核函数里，
        相邻的 lane 应当读相邻的位置，或者每个 lane 一次读完自己的 16 个字节。
      ]],
    },
    {
      en = [[
            float4 v = ((const float4 *)in)[i];
            out[i] = (v.x + v.y + v.z + v.w) / RUN;

        In `zero_copy`, only the launch and the wait are left.
      ]],
      zh = [[
            float4 v = ((const float4 *)in)[i];
            out[i] = (v.x + v.y + v.z + v.w) / RUN;

        `zero_copy` 里只剩下启动和等待。
      ]],
    },
  },

  after = {
    en = [[
      The same bytes cross the link as before, but the call takes only a fraction of the time. It
      allocates nothing and waits for no copy. The first results leave while other samples still
      arrive.

      This is good for data that a kernel uses once. If a kernel uses the data again, or if several
      kernels use them, copy them once and work in device memory.
    ]],
    zh = [[
      经过链路的字节和原来一样，但调用只用几分之一的时间：不用分配内存，不用等拷贝，样本还在传入时，
      结果已经在传出。

      这适合核函数只用一次的数据。如果核函数要重复使用数据，或者有好几个核函数要用，就应当拷贝一次，
      在设备内存里处理。
    ]],
  },
  more = {
    en = [[
      Change `means` so that each result is the mean of 8 samples, and the next result begins 4
      samples later. Neighbouring results then share samples. Compare the time in place with the
      time with copies. In place, each sample may now cross the link twice. When is it better to use
      shared memory, and when to make a copy?
    ]],
    zh = [[
      改写 `means`，让每个结果是 8 个样本的均值，相邻两个结果的起点相距 4 个样本，这样相邻的结果就共
      用样本。比较就地和先拷贝的用时。就地读取时，每个样本可能要经过链路两次。什么时候用共享内存更
      好，什么时候拷贝更好？
    ]],
  },
}
