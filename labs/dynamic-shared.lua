-- Chapter 8: shared memory whose size the launch decides.
return lab {
  id = "dynamic-shared",
  title = { en = "Shared memory made to measure", zh = "量体裁衣的共享内存" },
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
      en = "A block takes more shared memory than its row needs: cols floats and a few partial sums.",
      zh = "一个块占用的共享内存超过了它那一行所需：cols 个 float，加上几个部分和。",
    },
    at_least("occupancy_pct", 70) {
      points = 2,
      en = "Too few blocks fit on a multiprocessor. What does each of them take, and what does it use?",
      zh = "一个多处理器上放得下的块太少。每个块占了多少，又用了多少？",
    },
    at_most("global_loads", 0.45 * baseline) {
      points = 2,
      en = "Each element should be loaded from global memory once, and then come from shared memory.",
      zh = "每个元素只应从全局内存读一次，之后都从共享内存读。",
    },
  },

  steps = {
    say {
      en = [[
        The first rule of memory throughput is to move as little as possible over the slow ways, and so to use what is on the chip: shared memory, L1 and L2 (since compute capability 2.x), the constant and the texture cache (on every device). Shared memory is the one that
        *you* manage. Its use has five steps:

        - each thread brings some data from global to shared memory,
        - a barrier, so that all of it is there,
        - work on the data,
        - a barrier again, if others need the results,
        - write the results back.

        It serves to share data among the threads of a block, to let a few threads load for all, and to rearrange data on the way, so that global memory is read and written side by side. Being on the chip it has more bandwidth and less latency than global or local memory:
        slides call it hundreds of times as fast; an H200 measures 29 cycles against 661 for DRAM, 23 times. Where addresses depend on the data, a cache that the hardware manages may keep more of what is
        used again than your own choice would.
      ]],
      zh = [[
        提高内存吞吐量的第一条规则，是尽量少走慢的路，也就是多用芯片上的存储：共享内存、L1 和 L2（计算能力 2.x 起）、常量缓存和纹理缓存（所有设备都有）。其中共享内存由*你*来管理，用法分五步：

        - 每个线程把一部分数据从全局内存搬进共享内存；
        - 一次屏障，保证数据都到齐；
        - 处理数据；
        - 如果别的线程要用结果，再来一次屏障；
        - 把结果写回。

        它可以让一个块的线程共享数据，可以由少数线程替大家装载，也可以在中途重排数据，使全局内存的读写都并排进行。它在芯片上，带宽比全局内存和局部内存高，延迟比它们低：CUDA 课程的幻灯片说快几百倍；
        在 H200 上实测是 29 个周期对 DRAM 的 661 个周期，即 23 倍。如果地址取决于数据，由硬件管理的缓存往往比你自己的安排更能留住会再用到的数据。
      ]],
    },
    ask {
      en = "Which of these gains least from shared memory, beside what the hardware's cache does already?",
      zh = "与硬件缓存已经做到的相比，下面哪一种从共享内存得到的好处最少？",
      choices = {
        { en = "Following pointers through a tree, another way for each thread", zh = "各线程沿不同的路径在一棵树里顺着指针走", right = true },
        {
          en = "A tile of a matrix that 32 threads read 32 times each",
          zh = "矩阵的一个 tile，32 个线程各读 32 遍",
          because = { en = "Known beforehand and used often: just what a tile is for.", zh = "事先知道、反复使用：正是 tile 的用武之地。" },
        },
        {
          en = "Transposing: read along rows, written along columns",
          zh = "转置：沿行读、沿列写",
          because = { en = "A cache does not make the strided side coalesced; a detour through shared memory does.", zh = "缓存不能让跨步的那一侧变成合并的，绕道共享内存却可以。" },
        },
        {
          en = "A row that a block needs three times, as in this lab",
          zh = "一个块要用三遍的一行数据，就像本实验",
          because = { en = "It is known beforehand what will be used again.", zh = "哪些数据会再用到，事先就知道。" },
        },
      },
    },
    say {
      en = [[
        An array `__shared__ float row[1000];` has the size that the compiler sees. If the size is known only when the program runs, leave it open, and give the bytes as the *third argument of the launch*:

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        There is one such stretch for a block. All `extern __shared__` arrays of a kernel begin at its *same first byte*, whatever their names; several arrays are cut out of it by hand:

            float *row = shared, *part = shared + cols;

        A block's shared memory is the sum of both kinds, static and dynamic, and as many blocks are resident as the multiprocessor has room for. Static arrays end at 48 KB, and so do dynamic ones,
        unless the kernel is allowed more before its launch:

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
      zh = [[
        `__shared__ float row[1000];` 的大小是编译时定下的。如果要到运行时才知道大小，就空着不写，把字节数作为*启动的第三个参数*：

            extern __shared__ float shared[];
            kernel<<<blocks, threads, bytes>>>(...);

        每个块只有一段这样的内存。一个核函数里的所有 `extern __shared__` 数组，不管叫什么名字，都从它的*同一个首字节*开始；要放几个数组，就得自己动手划分：

            float *row = shared, *part = shared + cols;

        一个块的共享内存是静态与动态两部分之和，多处理器放得下几个块，就驻留几个块。静态数组以 48 KB 为限，动态的也一样，除非在启动之前为核函数开放更多：

            cudaFuncSetAttribute(kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      ]],
    },
    ask {
      alone = true,
      en = "A kernel has `__shared__ float part[8];` and is launched for rows of {c} floats, which it keeps in its `extern __shared__` array. How many bytes of shared memory does a block take in all?",
      zh = "核函数里有 `__shared__ float part[8];`，另用 `extern __shared__` 数组存放一行 {c} 个 float。一个块总共占用多少字节共享内存？",
      draw = { c = { 100, 9000 } },
      answer = function(d) return 4 * (d.c + 8) end,
      replies = { { function(d) return 4 * d.c end, en = "That is the dynamic part alone.", zh = "这只是动态部分。" } },
      because = {
        en = "Static and dynamic together: 8 * 4 + {c} * 4. The third argument names the dynamic part alone, in bytes.",
        zh = "静态加动态：8 * 4 + {c} * 4。第三个参数只写动态部分，以字节计。",
      },
    },
    ask {
      alone = true,
      en = "`extern __shared__ float a[]; extern __shared__ int b[];` and a third argument of 4096. The kernel writes `a[0] = 1.0f;` and then `b[0] = 7;`. What is in `a[0]` now?",
      zh = "`extern __shared__ float a[]; extern __shared__ int b[];`，第三个参数为 4096。核函数先写 `a[0] = 1.0f;`，再写 `b[0] = 7;`。现在 `a[0]` 里是什么？",
      choices = {
        {
          en = "1.0: each array gets 2048 of the bytes",
          zh = "1.0：两个数组各分到 2048 字节",
          because = { en = "Nobody divides: the compiler does not know how large either is to be.", zh = "没有人替你划分：编译器并不知道两个数组各要多大。" },
        },
        {
          en = "1.0: b begins where a ends",
          zh = "1.0：b 从 a 结束的地方开始",
          because = { en = "a has no end that the compiler knows.", zh = "编译器不知道 a 在哪里结束。" },
        },
        { en = "The bits of the integer 7", zh = "整数 7 的二进制位", right = true },
        {
          en = "Nothing: it does not compile",
          zh = "什么也没有：编译不通过",
          because = { en = "It does. Both names stand for the same first byte.", zh = "能编译通过。两个名字代表同一个首字节。" },
        },
      },
    },
    predict {
      en = [[
        The skeleton normalises rows of any length, and has a static array for the longest: 48 KB for a block of 256 threads. A multiprocessor of an H200 gives its blocks 228 KB in all, 1 KB of each goes to the system,
        and it holds up to 2048 threads. What is the occupancy, in per cent, when the rows have 1000 floats?
      ]],
      zh = [[
        骨架代码能处理各种长度的行，用的却是按最长的行准备的静态数组：256 个线程的块占 48 KB。H200 的一个多处理器总共能给各块 228 KB，每个块另有 1 KB 留给系统，最多容纳 2048 个线程。
        当每行 1000 个 float 时，占用率是百分之几？
      ]],
      counter = "occupancy_pct",
      of = "skeleton",
      on = "sim:h200",
      tolerance = 0.02,
      unit = "%",
      because = {
        en = "228 / 49 is 4 blocks, 1024 of 2048 threads: 50%. A T4 with its 64 KB holds one block. The row itself needs 4 KB of the 48.",
        zh = "228 / 49 得 4 个块，2048 个线程里只有 1024 个：50%。T4 只有 64 KB，只放得下一个块。而那一行其实只要 48 KB 里的 4 KB。",
      },
    },
    exercise {
      en = [[
        Give each block what its row needs, and not a byte more than that and the partial sums; and let rows of up to 15,000 floats work, which no static array can hold.
      ]],
      zh = [[
        每个块要多少就给多少：它那一行，再加部分和，不多占一个字节。并且要支持长达 15,000 个 float 的行，这是静态数组放不下的。
      ]],
    },
    show { en = "What limits the resident blocks now:", zh = "现在限制驻留块数的是：", picture = "occupancy", of = "mine" },
    compare {
      en = "Beside the baseline, which reads each row three times:",
      zh = "与把每行读三遍的基线对比：",
      counters = { "gld_requests", "shared_ld_requests", "shared_bytes", "occupancy_pct", "l1_hit_pct", "device_us" },
      beside = "baseline",
    },
    ask {
      en = "On an H200 the model answer takes 5.0 us, and so does the baseline, which reads each row three times. When does keeping the row in shared memory pay?",
      zh = "在 H200 上，参考答案用 5.0 微秒，把每行读三遍的基线也用 5.0 微秒。把行留在共享内存里什么时候划算？",
      choices = {
        { en = "When L1 does not keep the rows from one walk to the next", zh = "当一遍与下一遍之间 L1 留不住这些行时", right = true, because = { en = "A row of this lab has 4 KB: the second and third walk find it in L1. Long rows of many resident blocks push each other out; then each walk goes to L2 or DRAM, and shared memory saves two of three.", zh = "本实验的一行是 4 KB，第二、三遍都能在 L1 里找到它。许多驻留的块、每块一个长行，就会互相挤出 L1；那样每一遍都要去 L2 或 DRAM，共享内存能省下三遍里的两遍。" } },
        { en = "Always: shared memory answers sooner than L1", zh = "总是划算：共享内存比 L1 回应得快", because = { en = "29 cycles against 43, and filling it costs stores and a barrier.", zh = "是 29 个周期对 43 个，但填充它要花写入和屏障。" } },
        { en = "When the rows are short", zh = "当行很短时", because = { en = "Short rows are what L1 keeps best.", zh = "短行正是 L1 最留得住的。" } },
      },
    },
  },

  hints = {
    {
      en = "Which numbers does the host know before the launch that the compiler does not?",
      zh = "有哪些数是主机在启动之前知道、而编译器不知道的？",
    },
    {
      en = "One `extern __shared__ float shared[]`; the row at its start, WARPS partial sums behind it. The third argument of the launch is (cols + WARPS) * sizeof(float).",
      zh = "用一个 `extern __shared__ float shared[]`：开头放一行，后面放 WARPS 个部分和。启动的第三个参数是 (cols + WARPS) * sizeof(float)。",
    },
    {
      en = [[
            float *row = shared, *part = shared + cols;

        in the kernel, and on the host

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
      The bytes are counted at the launch, so one program serves short rows with many resident blocks and long rows with few. A block of a G80 had 16 KB, an H200's may have 227.

      On devices of compute capability 3.x and 7.x and later, L1 and shared memory are *one* memory, divided anew for each kernel: 256 KB on an H200, of which shared memory takes 0, 8, 16, 32, 64, 100, 132, 164, 196 or 228. What it does not take is L1. The
      driver chooses the division that the launch needs; `cudaFuncAttributePreferredSharedMemoryCarveout` asks for another. This is also why the baseline is not slower: its second and third walk over a row of 4 KB find it in L1. An H200 takes 5.0 us for either (measured). Look at `l1_hit_pct`.
    ]],
    zh = [[
      字节数在启动时才算，所以同一个程序处理短行时驻留的块多，处理长行时驻留的块少。G80 的一个块有 16 KB，H200 的一个块最多可以有 227 KB。

      在计算能力 3.x 以及 7.x 起的设备上，L1 和共享内存是*同一块*存储，每个核函数可以有不同的划分：H200 上共 256 KB，其中共享内存取 0、8、16、32、64、100、132、164、196 或 228 KB，其余归 L1。
      驱动程序按启动的需要来划分；`cudaFuncAttributePreferredSharedMemoryCarveout` 可以要求别的划分。基线没有变慢，也是这个原因：第二遍、第三遍读那 4 KB 的一行时，数据就在 L1 里。在 H200 上两者都用 5.0 微秒（实测）。看看 `l1_hit_pct`。
    ]],
  },
  more = {
    en = [[
      Leave the call of `cudaFuncSetAttribute` out: which case fails, and with which error? Then ask for 60,000 bytes at every launch and watch the occupancy. From which row length on does a multiprocessor of a T4 hold only one such block?
    ]],
    zh = [[
      去掉 `cudaFuncSetAttribute`：哪个用例会失败，报什么错误？然后让每次启动都要 60,000 字节，看看占用率。在 T4 上，行长超过多少，一个多处理器就只放得下一个这样的块了？
    ]],
  },
}
