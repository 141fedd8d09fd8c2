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
  hidden = { count = 3, rows = { 1, 8 }, cols = { 1, 15000, most = 40000 } },
  goals = {
    correct { points = 1.5 },
    at_most("shared_bytes", 6000) {
      points = 2,
      en = [[
        A block takes more shared memory than it needs. It needs only one row of `cols` floats and 8
        partial sums.
      ]],
      zh = "一个块占用的共享内存超过了所需。所需的只是一行 `cols` 个 float，加上 8 个部分和。",
    },
    at_least("occupancy_pct", 70) {
      points = 2,
      en = [[
        Too few blocks fit on a multiprocessor. How many bytes of shared memory does a block take,
        and how many of them does it use?
      ]],
      zh = "一个多处理器上能驻留的块太少。每个块占了多少字节的共享内存，真正用到多少？",
    },
    at_most("global_loads", 0.45 * baseline) {
      points = 2,
      en = [[
        Load each element from global memory only once. After that, read it from shared memory.
      ]],
      zh = "每个元素只应从全局内存读一次，之后都从共享内存读。",
    },
    -- A row of 1000 floats takes 32 passes, the partial sums of the baseline 16.
    at_least("shared_store_passes", 1.5 * baseline) {
      points = 2,
      en = "Keep the whole row in shared memory, for rows of any length.",
      zh = "无论行有多长，整行都要放在共享内存里。",
    },
    at_most("local_accesses", 0) {
      points = 0.5,
      en = [[
        The threads keep the row in arrays of their own. These arrays are in local memory, which
        is part of device memory, as global memory is. Keep the row in shared memory.
      ]],
      zh = [[
        各个线程把这一行放在自己的数组里，也就是局部内存里，而局部内存也在设备内存中，和全局内存一样
        慢。这一行应当放在共享内存里。
      ]],
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel *normalises* the rows of a matrix: it shifts each row to mean 0 and scales
        it to variance 1. Language models do this in every layer. The kernel needs each row three
        times, so the skeleton keeps the row in shared memory. But the skeleton reserves room for
        the longest row that it supports. You will let the launch decide how much shared memory a
        block gets.

        The first rule for memory throughput is to move little data over slow paths, and to keep
        data on the chip. The chip has shared memory, the constant and texture caches, and since
        compute capability 2.x also the caches L1 and L2. Shared memory is the only one of these
        that *you* manage. A kernel often uses shared memory in five steps:

        - Each thread copies some data from global memory to shared memory.
        - A barrier makes sure that all of the data has arrived.
        - The threads work on the data.
        - If other threads need the results, there is another barrier.
        - The threads write the results back to global memory.

        With shared memory, the threads of a block can share data, and a few threads can load for
        all of them. Shared memory can also change the order of the data, so that neighbouring lanes
        read and write neighbouring addresses of global memory.

        Shared memory has more bandwidth and less latency than global or local memory, because it is
        on the chip. Slides of old CUDA courses say that it is hundreds of times as fast. On an
        H200, a load from shared memory takes 29 cycles, and a load from DRAM takes 661, which is 23
        times as long (measured).

        If the data decides which addresses are needed, you cannot plan ahead. In this case a
        hardware cache may work better than shared memory.
      ]],
      zh = [[
        本实验的核函数对矩阵的每一行做*归一化*：把这一行平移到均值 0，缩放到方差 1。语言模型的每一层
        都要做这种计算。每一行的数据要用三遍，所以骨架代码把这一行留在共享内存里，但总是按所支持的最
        长的行预留空间。你要改成在启动时决定每个块分到多少共享内存。

        提高内存吞吐量的第一条规则是：少走慢的通路，多用芯片上的存储。芯片上有共享内存、常量缓存和纹
        理缓存，从计算能力 2.x 起还有 L1 和 L2 缓存。其中由*你*管理的只有共享内存。核函数使用共享内
        存，通常分五步：

        - 每个线程把一部分数据从全局内存读入共享内存。
        - 用一次屏障保证数据都已到齐。
        - 各线程处理数据。
        - 如果其他线程要用结果，再用一次屏障。
        - 各线程把结果写回全局内存。

        有了共享内存，一个块的线程可以共享数据，少数线程可以替整个块读取。
        还可以在共享内存里重排数据，使相邻的 lane 读写全局内存里相邻的地址。

        共享内存位于芯片上，所以带宽比全局内存和局部内存高，延迟也更低。早期 CUDA 课程的幻灯片说，共
        享内存快几百倍。在 H200 上实测，从共享内存读取要 29 个周期，从 DRAM 读取要 661 个周期，是前
        者的 23 倍。

        如果访问哪些地址由数据决定，就无法事先安排。这时，硬件缓存可能比共享内存更合适。
      ]],
    },
    ask {
      en = [[
        The hardware has caches of its own. Which of these tasks gains least from shared memory?
      ]],
      zh = "硬件本来就有缓存。下面哪一种工作从共享内存得到的好处最少？",
      choices = {
        {
          en = "Following pointers through a tree, on a different path in each thread",
          zh = "各线程沿不同的路径，在一棵树里顺着指针走",
          right = true,
        },
        {
          en = "A tile of a matrix that 32 threads read 32 times each",
          zh = "矩阵的一个 tile，32 个线程各读 32 遍",
          because = {
            en = [[
              You know beforehand which elements are needed, and each element is used often. This
              suits a tile.
            ]],
            zh = "要用哪些元素事先就知道，而且每个元素都反复使用，正适合用 tile。",
          },
        },
        {
          en = "A transpose: read along rows, write along columns",
          zh = "转置：沿行读、沿列写",
          because = {
            en = [[
              Either the reads or the writes have a large stride, and a cache does not change this.
              With a tile in shared memory, both are coalesced.
            ]],
            zh = [[
              读和写总有一侧是大步长的，缓存改变不了这一点。经过共享内存里的 tile，两侧都能合并。
            ]],
          },
        },
        {
          en = "A row that a block needs three times, as in this lab",
          zh = "一个块要用三遍的一行数据，就像本实验",
          because = {
            en = "You know beforehand that the block needs this row again, so it can keep the row.",
            zh = "事先就知道这个块还要用这一行，所以可以把这一行留下来。",
          },
        },
      },
    },
    say {
      en = [[
        An array `__shared__ float row[1000];` has a size that the compiler knows: it is *static*.
        If you know the size only when the program runs, leave out the size. The *third argument of
        the launch* then gives the number of bytes. This is *dynamic* shared memory:

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        A block has only one such region. All `extern __shared__` arrays of a kernel begin at the
        *same byte*, the first byte of this region, whatever their names are. To get several arrays,
        divide the region yourself:

            float *row = shared, *part = shared + cols;

        The shared memory of a block is its static part plus its dynamic part. A multiprocessor
        holds as many blocks as fit. Both parts together can have at most 48 KB. If a block needs
        more, raise the limit of its *dynamic* part before the launch:

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
      zh = [[
        `__shared__ float row[1000];` 的大小在编译时就已确定，这叫*静态*共享内存。
        如果到运行时才知道大小，就不写大小，由*启动的第三个参数*给出字节数，这叫*动态*共享内存：

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        每个块只有一段这样的内存。一个核函数里的所有 `extern __shared__` 数组，不管叫什么名字，都从
        这段内存的*同一个首字节*开始。如果需要几个数组，就要自己划分这段内存：

            float *row = shared, *part = shared + cols;

        一个块的共享内存等于静态部分加动态部分，多处理器放得下几个块，就驻留几个块。
        两部分合计最多 48 KB。如果一个块需要更多，就在启动之前提高*动态*部分的上限：

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
    },
    ask {
      alone = true,
      en = [[
        A kernel has the static array `__shared__ float part[8];`. It keeps a row in its
        `extern __shared__` array. It is launched for rows of {c} floats. How many bytes of shared
        memory does a block take in all?
      ]],
      zh = [[
        核函数里有静态数组 `__shared__ float part[8];`，另用 `extern __shared__` 数组存放一行 {c} 个
        float。一个块总共占用多少字节的共享内存？
      ]],
      draw = { c = { 100, 9000 } },
      answer = function(d) return 4 * (d.c + 8) end,
      replies = {
        {
          function(d) return 4 * d.c end,
          en = "This is only the dynamic part.",
          zh = "这只是动态部分。",
        },
      },
      because = {
        en = [[
          The static part has 8 * 4 bytes, and the dynamic part has {c} * 4. The third argument of
          the launch gives only the dynamic part, in bytes.
        ]],
        zh = [[
          静态部分是 8 * 4 字节，动态部分是 {c} * 4 字节。启动的第三个参数只写动态部分，以字节计。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        A kernel declares `extern __shared__ float a[]; extern __shared__ int b[];`. The third
        argument of its launch is 4096. A thread writes `a[0] = 1.0f;` and then `b[0] = 7;`. Which
        bits does shared memory hold at `a[0]` now?
      ]],
      zh = [[
        核函数声明了 `extern __shared__ float a[]; extern __shared__ int b[];`，启动的第三个参数是
        4096。一个线程先写 `a[0] = 1.0f;`，再写 `b[0] = 7;`。现在共享内存里 `a[0]` 的位置上是什么？
      ]],
      choices = {
        {
          en = "Those of 1.0: each array gets 2048 of the bytes",
          zh = "1.0：两个数组各分到 2048 字节",
          because = {
            en = [[
              The region is not divided, because the compiler does not know how large the two arrays
              are.
            ]],
            zh = "这段内存没有划分，因为编译器不知道两个数组各有多大。",
          },
        },
        {
          en = "Those of 1.0: `b` begins where `a` ends",
          zh = "1.0：`b` 从 `a` 结束的地方开始",
          because = {
            en = "The declaration of `a` does not say where `a` ends.",
            zh = "从 `a` 的声明看不出 `a` 在哪里结束。",
          },
        },
        { en = "Those of the integer 7", zh = "整数 7 的二进制位", right = true },
        {
          en = "None: the kernel does not compile",
          zh = "什么也没有：这个核函数编译不通过",
          because = {
            en = [[
              The kernel compiles. Both arrays begin at the same byte, although their types differ.
            ]],
            zh = "能编译通过。虽然类型不同，两个数组都从同一个字节开始。",
          },
        },
      },
    },
    predict {
      en = [[
        The skeleton supports rows of up to 12,280 floats. It has a static array for the longest
        row, so each block of 256 threads takes 48 KB of shared memory. A multiprocessor of an
        H200 has 228 KB for its blocks, and each block takes 1 KB more for the system. A
        multiprocessor has room for 2048 threads. The rows have only 1000 floats. What is the
        occupancy of the skeleton, in per cent?
      ]],
      zh = [[
        骨架代码最多支持每行 12,280 个 float，静态数组按最长的行准备，
        所以每个 256 线程的块占 48 KB 共享内存。H200 的一个多处理器有 228 KB 可分给各块，
        系统还要为每个块占用 1 KB；一个多处理器最多容纳 2048 个线程。现在每行只有 1000 个 float，
        骨架代码的占用率是百分之几？
      ]],
      counter = "occupancy_pct",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.02,
      unit = "%",
      because = {
        en = [[
          A block takes 49 KB, so 4 blocks fit into 228 KB. These blocks have 1024 threads, which is
          50% of 2048. On a T4 with its 64 KB, only one block fits. A row of 1000 floats needs only
          4 of the 48 KB.
        ]],
        zh = [[
          一个块占 49 KB，228 KB 放得下 4 个块，共 1024 个线程，是 2048 的 50%。T4 只有 64 KB，
          只放得下一个块。而一行 1000 个 float 只用到 48 KB 里的 4 KB。
        ]],
      },
    },
    exercise {
      en = [[
        Give each block only the bytes that it needs for its row and for the partial sums (`part`).
        Rows of up to 15,000 floats must also work. They are too long for a static array.
      ]],
      zh = [[
        每个块占用的共享内存，应当只够存放一行数据和 `part` 里的部分和。
        还要支持长达 15,000 个 float 的行，这样的行静态数组放不下。
      ]],
    },
    show {
      en = "The picture shows what limits the number of resident blocks of your kernel:",
      zh = "下图显示你的核函数的驻留块数受什么限制：",
      picture = "occupancy",
      of = "mine",
    },
    compare {
      en = [[
        Your kernel beside the baseline. (The baseline does not use shared memory for the row. It
        reads each row from global memory three times.)
      ]],
      zh = "你的核函数与基线的对比（基线不把行留在共享内存里，而是从全局内存把每行读三遍）：",
      counters = {
        "gld_requests", "shared_ld_requests", "shared_bytes", "occupancy_pct", "l1_hit_pct",
        "device_us",
      },
      beside = "baseline",
    },
    ask {
      en = [[
        On an H200, the model answer takes 5.0 us. The baseline reads each row three times and takes
        5.0 us, too. When does it pay to keep the row in shared memory?
      ]],
      zh = [[
        在 H200 上，参考答案要 5.0 微秒；基线把每行读三遍，也是 5.0 微秒。
        把行留在共享内存里什么时候划算？
      ]],
      choices = {
        {
          en = "When L1 does not keep the rows from one pass to the next",
          zh = "当一遍与下一遍之间，L1 留不住这些行时",
          right = true,
          because = {
            en = [[
              A row of this lab has 4 KB, so the second and the third pass find it in L1. If rows
              are long and many blocks are resident, the rows evict each other from L1. Each pass
              then goes to L2 or DRAM, and shared memory saves two of the three passes.
            ]],
            zh = [[
              本实验的一行是 4 KB，第二、三遍都能在 L1 里命中。如果行很长，驻留的块又多，
              各行就会把彼此逐出 L1。这时每一遍都要访问 L2 或 DRAM，共享内存能省下三遍里的两遍。
            ]],
          },
        },
        {
          en = "Always: shared memory is faster than L1",
          zh = "总是划算：共享内存比 L1 快",
          because = {
            en = [[
              A load takes 29 cycles from shared memory and 43 from L1. But the row must first be
              written to shared memory, and this takes stores and a barrier.
            ]],
            zh = [[
              从共享内存读取要 29 个周期，从 L1 读取要 43 个周期。但先要把行写进共享内存，
              这要花写入和屏障的时间。
            ]],
          },
        },
        {
          en = "When the rows are short",
          zh = "当行很短时",
          because = {
            en = "L1 can keep short rows more easily than long ones, so there is less to gain.",
            zh = "L1 更容易留住短的行，所以得到的好处更少。",
          },
        },
      },
    },
  },

  hints = {
    {
      en = [[
        Which number decides how much shared memory a block needs? Who knows this number before the
        kernel starts: the compiler or the host?
      ]],
      zh = "一个块需要多少共享内存，由哪个数决定？核函数开始之前，知道这个数的是编译器还是主机？",
    },
    {
      en = [[
        Use a single array `extern __shared__ float shared[]`. The row is at its start, and the
        WARPS partial sums follow the row. The third argument of the launch is
        `(cols + WARPS) * sizeof(float)`.
      ]],
      zh = [[
        只用一个数组 `extern __shared__ float shared[]`：开头放一行数据，后面放 WARPS 个部分和。
        启动的第三个参数是 `(cols + WARPS) * sizeof(float)`。
      ]],
    },
    {
      en = [[
        In the kernel, after the declaration of `shared`:

            float *row = shared, *part = shared + cols;

        On the host:

            int bytes = (cols + WARPS) * sizeof(float);
            cudaFuncSetAttribute(normalise,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
            normalise<<<rows, BLOCK, bytes>>>(in, out, cols);
      ]],
      zh = [[
        核函数里，在声明 `shared` 之后写

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
      The launch decides the number of bytes. So with short rows, many blocks are resident, and with
      long rows, few blocks are. A block of a G80 has at most 16 KB, and a block of an H200 has at
      most 227 KB.

      On devices of compute capability 2.x, of 3.x, and from 7.x on, L1 and shared memory are *one*
      memory. Each kernel can divide this memory differently. An H200 has 256 KB: shared memory
      takes 0, 8, 16, 32, 64, 100, 132, 164, 196 or 228 KB, and L1 takes the rest. The driver
      chooses a division with enough shared memory for the launch. You can ask for another division
      with `cudaFuncAttributePreferredSharedMemoryCarveout`.

      L1 is also the reason why the baseline is as fast as your kernel. In its second and third
      pass, the baseline finds the row of 4 KB in L1. On an H200, both versions take 5.0 us
      (measured). Look at `l1_hit_pct`.
    ]],
    zh = [[
      字节数在启动时才决定，所以处理短行时驻留的块多，处理长行时驻留的块少。
      G80 的一个块最多有 16 KB，H200 的一个块最多有 227 KB。

      在计算能力 2.x、3.x 以及 7.x 起的设备上，L1 和共享内存是*同一块*存储，每个核函数可以有不同的划
      分。H200 上共 256 KB，其中共享内存取 0、8、16、32、64、100、132、164、196 或 228 KB，其余归
      L1。驱动会按启动需要多少共享内存来划分，你也可以用
      `cudaFuncAttributePreferredSharedMemoryCarveout` 要求别的划分。

      基线和你的核函数一样快，原因也在 L1：基线读第二遍、第三遍时，那一行 4 KB 的数据就在 L1 里。
      在 H200 上，两者都要 5.0 微秒（实测）。看看 `l1_hit_pct`。
    ]],
  },
  more = {
    en = [[
      Remove the call of `cudaFuncSetAttribute`. Which case fails, and with which error? Then put
      the call back and ask for 60,000 bytes at every launch. How does the occupancy change? Now ask
      again for only the bytes that a row needs. A multiprocessor of a T4 has 64 KB. How long must
      a row be so that only one block fits there?
    ]],
    zh = [[
      去掉对 `cudaFuncSetAttribute` 的调用。哪个用例会失败，报什么错误？然后恢复这个调用，
      并让每次启动都要 60,000 字节。占用率怎样变化？T4 的一个多处理器有 64 KB。行长从多少起，
      就只能驻留一个块？
    ]],
  },
}
