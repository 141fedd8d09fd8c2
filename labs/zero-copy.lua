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
    at_most("h2d_bytes", 0) {
      points = 2,
      en = "Pass `in` itself to the kernel: it is page-locked and mapped.",
      zh = "可以把 `in` 本身交给核函数：它是锁页内存，而且已经映射。",
    },
    at_most("allocations", 0) {
      points = 1,
      en = "This needs no device memory.",
      zh = "不需要分配任何设备内存。",
    },
    at_most("global_load_sectors", 0.4 * baseline) {
      points = 1,
      en = "A warp's load uses 4 bytes out of every 16, and over the link that costs most. Let each thread take its 16 bytes by one load.",
      zh = "一个线程束（warp）的一次读取，每 16 个字节里只取 4 个，经过链路时这样浪费最大。请让每个线程用一次 16 字节的读取，全部取来。",
    },
    at_most("link_bytes", 1.4 * baseline) {
      points = 1,
      en = "More bytes cross the link than the data have. Does a sample cross it twice?",
      zh = "经过链路的字节比数据本身还多：是不是有样本传输了两次？",
    },
    at_least("global_load_bytes", 0.75 * baseline) {
      points = 1,
      en = "Let a kernel read the samples.",
      zh = "样本应当由核函数来读。",
    },
    speedup(1.25) { points = 1 },
    at_least("flop_sp", 0.6 * baseline) {
      points = 1,
      en = "The device should do the arithmetic: a kernel has to compute the results.",
      zh = "运算应当由设备来做：结果必须由核函数算出。",
    },
  },

  steps = {
    say {
      en = [[
        Page-locked memory has a fixed place, so the device can use its address. This is called *mapped* memory. A kernel loads from the host's
        memory and stores to it, as with device memory. Every access crosses the link. You allocate no device memory and copy nothing, and the
        transfer overlaps with the kernel without streams.

            float *h, *d;
            cudaHostAlloc(&h, bytes, cudaHostAllocMapped);
            cudaHostGetDevicePointer(&d, h, 0);
            kernel<<<blocks, threads>>>(d, n);
            cudaDeviceSynchronize();     // before the host reads

        On today's 64-bit systems all page-locked memory is mapped, at the same address for both sides: you can use `h` in place of `d`.

        *Without the copies you lose one thing*: a `cudaMemcpy` also waits for the kernel. Now only a synchronisation tells the host that the kernel
        is done.
      ]],
      zh = [[
        锁页内存的位置是固定的，所以设备可以直接使用它的地址：这就是*映射*内存（mapped memory）。核函数像访问设备内存一样读写主机内存，每次访问都经过链路。不用分配设备内存，也不用拷贝，
        而且不用流，传输就能和核函数重叠。

            float *h, *d;
            cudaHostAlloc(&h, bytes, cudaHostAllocMapped);
            cudaHostGetDevicePointer(&d, h, 0);
            kernel<<<blocks, threads>>>(d, n);
            cudaDeviceSynchronize();     // 主机读之前

        在今天的 64 位系统上，所有锁页内存都已映射，而且两边地址相同：直接用 `h` 代替 `d` 即可。

        *拷贝没有了，拷贝所带的等待也没有了*。现在只有同步才能告诉主机，核函数已经完成。
      ]],
    },
    say {
      en = [[
        When does it pay? The CUDA programming guide has a rule: when the data are read or written *only once*, and when the accesses coalesce as in
        global memory. Each repeated access crosses the link again, at 55 GB/s instead of thousands.

        Measured on an H200 with 64 MB, in microseconds:

            copy in, work, copy back          2,497     in place   1,614
            copy in, read once                1,258     in place   1,335
            copy in, read three times         1,324     in place   3,963

        In the first row the gain has a reason that the rule leaves out: in place, the two directions of the link work *at the same time*. If the
        data are only read, you save device memory, but no time.
      ]],
      zh = [[
        什么时候划算？《CUDA 编程指南》的规则是：数据*只读一次或只写一次*，并且访问像全局内存那样合并。重复的访问，每次都要重新经过链路，速度是 55 GB/s，而不是几千。

        在 H200 上用 64 MB 实测，单位微秒：

            拷入、处理、拷回          2,497     就地   1,614
            拷入、读一遍              1,258     就地   1,335
            拷入、读三遍              1,324     就地   3,963

        第一行快，还有规则里没有提到的原因：就地处理时，链路的两个方向*同时*在传输。只读的数据省下了设备内存，但没有省下时间。
      ]],
    },
    ask {
      en = "A kernel reads 64 MB {k} times over, in place. By the figures above, about how many microseconds does that take?",
      zh = "一个核函数就地把 64 MB 读 {k} 遍。按上面的数字，大约要多少微秒？",
      draw = { k = { 4, 9 } },
      answer = function(d) return d.k * 1321 end,
      tolerance = 0.03,
      unit = "us",
      replies = {
        { 1335, en = "That is for one pass. In place, each of the {k} passes crosses the link.", zh = "这是读一遍的时间。就地读取时，{k} 遍每一遍都要经过链路。" },
      },
      because = {
        en = "Each pass crosses the link again: three took 3,963, so {k} take {k} times 1,321. After a copy each further pass costs only some 33: (1,324 - 1,258) / 2.",
        zh = "每一遍都要重新经过链路：三遍用了 3,963，{k} 遍就是 {k} 乘以 1,321。如果先拷贝，之后每多一遍只要 33 左右：(1,324 - 1,258) / 2。",
      },
    },
    ask {
      alone = true,
      en = "A program finds that `cudaDeviceProp::integrated` is 1: the device shares one memory with the host, as in many small systems. What does a `cudaMemcpy` from host to device do there?",
      zh = "程序查到 `cudaDeviceProp::integrated` 等于 1：设备和主机共用一份物理内存，很多小型系统都是这样。在那里，从主机到设备的 `cudaMemcpy` 做了什么？",
      choices = {
        {
          en = "Nothing: the driver sees that it is the same memory",
          zh = "什么也没做：驱动知道是同一块内存",
          because = { en = "The two arrays still have different places, and the bytes have to be in both.", zh = "两个数组在不同的位置，字节要在两处都有。" },
        },
        { en = "It moves bytes within one memory, which is not needed: map the page-locked array instead", zh = "在同一块内存里复制字节，纯属多余：应当直接使用映射的锁页内存", right = true },
        {
          en = "It fails: there is no device memory to copy to",
          zh = "失败：没有设备内存可以拷入",
          because = { en = "cudaMalloc works there too: it takes from the one memory that both sides use.", zh = "cudaMalloc 在那里照样能用，只是从两边共用的内存里取。" },
        },
      },
    },
    predict {
      en = "The model answer runs with n = 2^17. For each result it reads four floats and writes one, without a copy. How many bytes do its *loads* ask for? All of them cross the link.",
      zh = "参考答案以 n = 2^17 运行：每个结果读四个 float，写一个，没有拷贝。它的*读取*一共要多少字节？这些字节全都要经过链路。",
      counter = "gld_bytes",
      of = "answer",
      tolerance = 0,
      unit = "bytes",
      replies = {
        { function() return 131072 * 4 end, en = "Each result takes four floats.", zh = "每个结果要读四个 float。" },
        { function() return 131072 * 20 end, en = "That counts the store too. The question is only about loads.", zh = "这把写入也算上了。题目只问读取。" },
      },
      because = { en = "2^17 * 16, as many as the copy moved before. The same bytes come in, but without an allocation and without a wait for the end of a copy.", zh = "2^17 * 16，和原来拷贝的一样多。拷入的字节没有减少，省掉的是分配和等待传完的时间。" },
    },
    exercise {
      en = "`in` and `out` are page-locked already. Let the kernel work on them in place, and change the way it reads: over the link, every sector that is fetched and not used is a waste of time.",
      zh = "`in` 和 `out` 已经是锁页内存。让核函数就地处理，再改进它的读取方式：取来却不用的扇区，在链路上都要白白花时间。",
    },
    show { en = "Your loads and stores, line by line:", zh = "逐行看你的读取和写入：", picture = "sectors", of = "mine" },
    show {
      en = "The same call on the device's timeline, with a row for each engine and each stream:",
      zh = "同一次调用在设备上的时间线，每个引擎、每个流各占一行：",
      picture = "timeline",
      of = "mine",
    },
    compare {
      en = "What moved, and how long it took:",
      zh = "传输了什么，用了多久：",
      counters = { "h2d_bytes", "d2h_bytes", "link_bytes", "mallocs", "device_us", "elapsed_us" },
      beside = "baseline",
    },
  },

  hints = {
    { goal = "h2d_bytes", en = "Which lines in `zero_copy` are needed if the kernel may use `in` and `out` themselves?", zh = "如果核函数可以直接用 `in` 和 `out`，`zero_copy` 里哪些行还需要？" },
    { en = "Launch with `in` and `out`, then wait with `cudaDeviceSynchronize()`. In the kernel, neighbouring lanes should read neighbouring places, or each lane all of its 16 bytes at once.", zh = "用 `in` 和 `out` 启动，然后用 `cudaDeviceSynchronize()` 等待。核函数里，相邻的 lane 应当读相邻的位置，或者每个 lane 一次读完自己的 16 个字节。" },
    {
      en = [[
            float4 v = ((const float4 *)in)[i];
            out[i] = (v.x + v.y + v.z + v.w) / RUN;

        In `zero_copy` only the launch and the wait are left.
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
      The same bytes cross the same link, but the call takes a fraction of the time. There is no allocation and no copy to wait for, and results
      leave while samples still arrive.

      This holds for one pass. If a kernel uses the data again, or several kernels do, copy them once and work in the device's memory.
    ]],
    zh = [[
      经过链路的字节没有变，调用却只用几分之一的时间：不用分配，不用等待拷贝，样本还在传入时，结果已经在传出。

      但这只适合数据仅访问一次的情形。如果核函数还要再用这些数据，或者有好几个核函数要用，就应当拷贝一次，在设备内存里处理。
    ]],
  },
  more = {
    en = "Change `means` so that neighbouring results share samples (a window of 8 that moves by 4), and compare. In place, each sample may now cross the link twice. When does shared memory pay, and when a copy?",
    zh = "把 `means` 改成相邻的结果共用样本（窗口宽 8，每次移动 4），再比较：就地处理时，每个样本也许要经过链路两次。什么时候用共享内存合算，什么时候拷贝合算？",
  },
}
