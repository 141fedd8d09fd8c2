-- Chapter 8: shared memory whose size the launch decides.
return lab {
  id = "dynamic-shared",
  title = { en = "Shared memory sized at launch", zh = "启动时决定大小的共享内存" },
  chapter = 8,
  minutes = 25,
  needs = { "qualifiers", "occupancy", "reduce-7-shuffle" },
  source = "guide 5.2.3, 5.3, 5.3.2; slides II.1, III.3, V.2",
  teaches = {
    ["shared-near"] = "say",
    ["shared-speed"] = "say",
    ["on-chip-first"] = "say",
    ["shared-steps"] = "say exercise",
    ["shared-uses"] = "say",
    ["hardware-cache"] = "say ask",
    ["shared-total"] = "say ask",
    ["launch-shared"] = "say ask exercise",
    ["extern-shared"] = "say ask exercise",
    ["beyond-48k"] = "say exercise traps",
    ["carve-out"] = "after",
    ["shared-g80"] = "after",
    ["shared-limit"] = "predict goals",
  },

  entry = "void layer_norm(const float *in, float *out, int rows, int cols)",
  args = {
    ["in"] = uniform(-2, 3, "rows * cols"),
    out = output("rows * cols", { ops = "cols + 8" }),
  },
  cases = {
    { rows = 2, cols = 256 },
    { rows = 1, cols = 1 },
    { rows = 5, cols = 333 },
    { rows = 2, cols = 14001 },
    { rows = 256, cols = 1000, timed = true },
  },
  hidden = { count = 3, rows = { 1, 8 }, cols = { 1, 15000 } },
  goals = {
    correct { points = 4 },
    at_most("shared_bytes", 6000) {
      points = 2,
      en = "A block takes more shared memory than its row needs. It needs cols floats and a few partial sums.",
      zh = "一个块占用的共享内存超过了所需：只需要存一行 cols 个 float，加上几个部分和。",
    },
    at_least("occupancy_pct", 70) {
      points = 2,
      en = "Too few blocks fit on a multiprocessor. How much shared memory does each block take, and how much does it use?",
      zh = "一个多处理器上能驻留的块太少。每个块占了多少共享内存，又用了多少？",
    },
    at_most("global_loads", 0.45 * baseline) {
      points = 2,
      en = "Load each element from global memory once, and then read it from shared memory.",
      zh = "每个元素只应从全局内存读一次，之后都从共享内存读。",
    },
  },

  steps = {
    say {
      en = [[
        The first rule of memory throughput: move as little as possible over slow paths, and use the memory on the chip instead. On the chip are
        shared memory, L1 and L2 (since compute capability 2.x), and the constant and texture caches (on every device). *You* manage shared
        memory, in five steps:

        - each thread brings some data from global to shared memory,
        - a barrier, so that all of it is there,
        - work on the data,
        - a barrier again, if others need the results,
        - write the results back.

        Shared memory lets the threads of a block share data, and lets a few threads load for all. It can also rearrange data on the way, so that
        lanes read and write global memory side by side.

        It is on the chip, so it has more bandwidth and less latency than global or local memory. Old slides call it hundreds of times as fast. On
        an H200 a load from shared memory takes 29 cycles, and from DRAM 661, 23 times as many (measured).

        If addresses depend on the data, a hardware cache may keep the data that is used again better than your own choice would.
      ]],
      zh = [[
        提高内存吞吐量的第一条规则：尽量少走慢的通路，多用芯片上的存储。芯片上有共享内存、L1 和 L2（计算能力 2.x 起）、常量缓存和纹理缓存（所有设备都有）。其中共享内存由*你*管理，用法分五步：

        - 每个线程把一部分数据从全局内存读入共享内存；
        - 一次屏障，保证数据都到齐；
        - 处理数据；
        - 如果其他线程要用结果，再来一次屏障；
        - 把结果写回。

        共享内存可以让一个块的线程共享数据，可以由少数线程替整个块读取，也可以在中途重排数据，使各 lane 读写全局内存时地址相邻。

        共享内存在芯片上，带宽比全局内存和局部内存高，延迟比它们低。早期 CUDA 课程的幻灯片说快几百倍；在 H200 上实测，共享内存 29 个周期，DRAM 661 个周期，相差 23 倍。

        如果地址取决于数据，由硬件管理的缓存往往比你自己的安排更能留住会再用到的数据。
      ]],
    },
    ask {
      en = "The hardware has caches already. Which of these gains least from shared memory?",
      zh = "硬件本来就有缓存。在此之外再用共享内存，下面哪一种得到的好处最少？",
      choices = {
        { en = "Following pointers through a tree, on a different path in each thread", zh = "各线程沿不同的路径，在一棵树里顺着指针走", right = true },
        {
          en = "A tile of a matrix that 32 threads read 32 times each",
          zh = "矩阵的一个 tile，32 个线程各读 32 遍",
          because = { en = "It is known beforehand and used often: a good case for a tile.", zh = "事先知道要用，而且反复使用：正适合用 tile。" },
        },
        {
          en = "A transpose: read along rows, write along columns",
          zh = "转置：沿行读、沿列写",
          because = { en = "A cache does not make the strided side coalesced. Going through shared memory does.", zh = "缓存不能让跨步访问的那一侧变成合并的，经过共享内存却可以。" },
        },
        {
          en = "A row that a block needs three times, as in this lab",
          zh = "一个块要用三遍的一行数据，就像本实验",
          because = { en = "You know beforehand which data is used again.", zh = "哪些数据会再用到，事先就知道。" },
        },
      },
    },
    say {
      en = [[
        An array `__shared__ float row[1000];` has a size that the compiler knows. If the size is known only when the program runs, leave it open,
        and give the bytes as the *third argument of the launch*:

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        A block has one such region. All `extern __shared__` arrays of a kernel begin at its *same first byte*, whatever their names. To get
        several arrays, divide the region yourself:

            float *row = shared, *part = shared + cols;

        A block's shared memory is the sum of the static and the dynamic part. A multiprocessor holds as many blocks as it has room for. Static
        arrays have at most 48 KB. So have dynamic ones, unless you allow the kernel more before its launch:

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
      zh = [[
        `__shared__ float row[1000];` 的大小在编译时就已确定。如果要到运行时才知道大小，就不写大小，而把字节数作为*启动的第三个参数*：

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        每个块只有一段这样的内存。一个核函数里的所有 `extern __shared__` 数组，不管叫什么名字，都从这段内存的*同一个首字节*开始；要放几个数组，就得自己划分：

            float *row = shared, *part = shared + cols;

        一个块的共享内存是静态与动态两部分之和，多处理器放得下几个块，就驻留几个块。静态数组以 48 KB 为限；动态的也一样，除非在启动之前允许核函数使用更多：

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
    },
    ask {
      alone = true,
      en = "A kernel has `__shared__ float part[8];` and keeps a row in its `extern __shared__` array. It is launched for rows of {c} floats. How many bytes of shared memory does a block take in all?",
      zh = "核函数里有 `__shared__ float part[8];`，另用 `extern __shared__` 数组存放一行 {c} 个 float。一个块总共占用多少字节共享内存？",
      draw = { c = { 100, 9000 } },
      answer = function(d) return 4 * (d.c + 8) end,
      replies = { { function(d) return 4 * d.c end, en = "That is only the dynamic part.", zh = "这只是动态部分。" } },
      because = {
        en = "Static and dynamic part together: 8 * 4 + {c} * 4. The third argument gives only the dynamic part, in bytes.",
        zh = "静态加动态：8 * 4 + {c} * 4。启动的第三个参数只写动态部分，以字节计。",
      },
    },
    ask {
      alone = true,
      en = "A kernel declares `extern __shared__ float a[]; extern __shared__ int b[];`. The third argument of its launch is 4096. The kernel writes `a[0] = 1.0f;` and then `b[0] = 7;`. What is in `a[0]` now?",
      zh = "核函数声明了 `extern __shared__ float a[]; extern __shared__ int b[];`，启动的第三个参数是 4096。核函数先写 `a[0] = 1.0f;`，再写 `b[0] = 7;`。现在 `a[0]` 里是什么？",
      choices = {
        {
          en = "1.0: each array gets 2048 of the bytes",
          zh = "1.0：两个数组各分到 2048 字节",
          because = { en = "Nothing divides the region: the compiler does not know how large either array is.", zh = "这段内存没有划分：编译器并不知道两个数组各有多大。" },
        },
        {
          en = "1.0: b begins where a ends",
          zh = "1.0：b 从 a 结束的地方开始",
          because = { en = "The compiler does not know where a ends.", zh = "编译器不知道 a 在哪里结束。" },
        },
        { en = "The bits of the integer 7", zh = "整数 7 的二进制位", right = true },
        {
          en = "Nothing: it does not compile",
          zh = "什么也没有：编译不通过",
          because = { en = "It compiles. Both names stand for the same first byte.", zh = "能编译通过。两个名字代表同一个首字节。" },
        },
      },
    },
    predict {
      en = [[
        The skeleton normalises rows of at most 12,280 floats. It has a static array for the longest: 48 KB for a block of 256 threads. A multiprocessor
        of an H200 has 228 KB for its blocks, and the system takes 1 KB for each block. A multiprocessor holds up to 2048 threads. What is the
        occupancy, in per cent, for rows of 1000 floats?
      ]],
      zh = [[
        骨架代码能处理不超过 12,280 个 float 的行，静态数组按这个长度准备：256 个线程的块占 48 KB。H200 的一个多处理器共有 228 KB 可分给各块，系统还要为每个块占用 1 KB；
        一个多处理器最多容纳 2048 个线程。每行 1000 个 float 时，占用率是百分之几？
      ]],
      counter = "occupancy_pct",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "228 / 49 gives 4 blocks: 1024 of 2048 threads, 50%. A T4 has 64 KB and holds one block. The row itself needs only 4 of the 48 KB.",
        zh = "228 / 49 得 4 个块，即 2048 个线程里的 1024 个：50%。T4 只有 64 KB，只能驻留一个块。而这一行只用到 48 KB 里的 4 KB。",
      },
    },
    exercise {
      en = [[
        Give each block only the bytes that its row and the partial sums need. Also make rows of up to 15,000 floats work; no static array can
        hold them.
      ]],
      zh = [[
        让每个块只占用一行数据以及各个部分和（`part`）所需的字节。还要支持长达 15,000 个 float 的行，静态数组放不下这么长的行。
      ]],
    },
    show { en = "What limits the number of resident blocks now:", zh = "现在限制驻留块数的是：", picture = "occupancy", of = "mine" },
    compare {
      en = "Compared with the baseline, which reads each row three times:",
      zh = "与把每行读三遍的基线对比：",
      counters = { "gld_requests", "shared_ld_requests", "shared_bytes", "occupancy_pct", "l1_hit_pct", "device_us" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the model answer takes 5.0 us. The baseline reads each row three times and also takes 5.0 us. When does keeping the row in shared memory pay?",
      zh = "在 H200 上，参考答案用 5.0 微秒；基线把每行读三遍，也用 5.0 微秒。把行留在共享内存里什么时候划算？",
      choices = {
        { en = "When L1 does not keep the rows from one pass to the next", zh = "当一遍与下一遍之间，L1 留不住这些行时", right = true, because = { en = "A row of this lab has 4 KB, so the second and third pass find it in L1. With long rows and many resident blocks, the rows evict each other. Then each pass goes to L2 or DRAM, and shared memory saves two passes of three.", zh = "本实验的一行是 4 KB，第二、三遍都能在 L1 里命中。如果行很长、驻留的块又多，各行就会把彼此逐出 L1；这时每一遍都要访问 L2 或 DRAM，共享内存能省下三遍里的两遍。" } },
        { en = "Always: shared memory is faster than L1", zh = "总是划算：共享内存比 L1 快", because = { en = "It takes 29 cycles and L1 takes 43. But filling it costs stores and a barrier.", zh = "共享内存 29 个周期，L1 43 个周期。但填充共享内存要花写入和屏障的时间。" } },
        { en = "When the rows are short", zh = "当行很短时", because = { en = "L1 keeps short rows best.", zh = "L1 最留得住的正是短行。" } },
      },
    },
  },

  hints = {
    {
      en = "Which numbers does the host know before the launch, but not the compiler?",
      zh = "有哪些数是主机在启动之前知道、而编译器不知道的？",
    },
    {
      en = "Use one `extern __shared__ float shared[]`: the row at its start, then WARPS partial sums. The third argument of the launch is (cols + WARPS) * sizeof(float).",
      zh = "用一个 `extern __shared__ float shared[]`：开头存一行数据，后面存 WARPS 个部分和。启动的第三个参数是 (cols + WARPS) * sizeof(float)。",
    },
    {
      en = [[
        In the kernel:

            float *row = shared, *part = shared + cols;

        On the host:

            int bytes = (cols + WARPS) * sizeof(float);
            cudaFuncSetAttribute(normalise,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
            normalise<<<rows, BLOCK, bytes>>>(in, out, cols);
      ]],
      zh = [[
        核函数里写

            float *row = shared, *part = shared + cols;

        主机端写

            int bytes = (cols + WARPS) * sizeof(float);
            cudaFuncSetAttribute(normalise,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
            normalise<<<rows, BLOCK, bytes>>>(in, out, cols);
      ]],
    },
  },

  after = {
    en = [[
      The launch decides the number of bytes, so one program serves short rows with many resident blocks and long rows with few. A block of a
      G80 had 16 KB; an H200's may have 227.

      On devices of compute capability 2.x, 3.x, and from 7.x on, L1 and shared memory are *one* memory, divided anew for each kernel. An H200
      has 256 KB: shared memory takes 0, 8, 16, 32, 64, 100, 132, 164, 196 or 228 KB, and L1 the rest.

      The driver chooses the division that the launch needs. `cudaFuncAttributePreferredSharedMemoryCarveout` asks for another.

      This is also why the baseline is not slower. Its second and third pass over a row of 4 KB find it in L1; an H200 takes 5.0 us for either
      version (measured). Look at `l1_hit_pct`.
    ]],
    zh = [[
      字节数在启动时才确定，所以同一个程序处理短行时驻留的块多，处理长行时驻留的块少。G80 的一个块最多有 16 KB，H200 的一个块最多可以有 227 KB。

      在计算能力 2.x、3.x 以及 7.x 起的设备上，L1 和共享内存是*同一块*存储，每个核函数可以有不同的划分。H200 上共 256 KB，
      其中共享内存取 0、8、16、32、64、100、132、164、196 或 228 KB，其余归 L1。

      驱动按启动的需要来划分；用 `cudaFuncAttributePreferredSharedMemoryCarveout` 可以要求别的划分。

      基线没有变慢，也是这个原因：读第二遍、第三遍时，那一行 4 KB 的数据就在 L1 里。在 H200 上两者都用 5.0 微秒（实测）。看看 `l1_hit_pct`。
    ]],
  },
  more = {
    en = [[
      Remove the call of `cudaFuncSetAttribute`. Which case fails, and with which error? Then ask for 60,000 bytes at every launch and watch the
      occupancy. From which row length on does a multiprocessor of a T4 hold only one block?
    ]],
    zh = [[
      去掉 `cudaFuncSetAttribute`：哪个用例会失败，报什么错误？然后让每次启动都要 60,000 字节，看看占用率。在 T4 上，行长超过多少，一个多处理器就只能驻留一个块了？
    ]],
  },
}
