-- Chapter 10, a quiz: how GPUs became what they are.
local polynomial = {
  of = "kernels/polynomial.cu",
  entry = "void polynomial(const float *x, float *y, int terms, int n)",
  args = { x = uniform(-0.5, 0.5, "n"), y = output("n", { ops = "2 * terms" }) },
}

return lab {
  id = "tour",
  title = { en = "A tour of the machine", zh = "机器巡礼" },
  chapter = 10,
  minutes = 20,
  needs = { "divergence" },
  source = "slides I, II; book 5.1, 5.3; practice",
  teaches = {
    ["graphics-generations"] = "say ask",
    ["power-wall"] = "say ask",
    ["clock-not-transistors"] = "say",
    ["control-or-arithmetic"] = "say ask",
    ["simd-cost"] = "say ask predict",
    ["more-units-per-control"] = "ask",
    ["g80-multiprocessor"] = "say ask",
    ["g80-against-h200"] = "ask show",
    ["two-kinds"] = "ask",
    ["device-memory-cycles"] = "ask",
    ["dram-20-cycles"] = "ask",
    cells = "ask",
    ["cuda-generations"] = "say ask",
    ["gpu-uses"] = "say",
    ["software-stack"] = "say",
    ["code-for-devices"] = "say ask",
    ["where-to-read"] = "more",
  },
  goals = { answers { points = 6, need = 0.75 } },

  steps = {
    say {
      en = [[
        *Where it came from.* Until 1999 a graphics processor only sped up fixed steps of three-dimensional drawing, and it could not be programmed. From 1999 on (GeForce 256) it took over transforming
        and lighting, too. With the GeForce 3 and the Radeon 8500 (2001) small programs could run for each vertex, but hardly any for each pixel. After 2002 (Radeon 9700, GeForce FX) programs became general,
        and in 2006 came an environment for arbitrary computing: CUDA.

        *Why it went that way.* Single processors had grown from 2,300 transistors (4004) to 42 million (Pentium 4) and 2 billion (a quad-core Itanium). But power and heat
        put an end to ever faster clocks. (The slides of a CUDA course say that the clock doubled every 18 months. That was the number of transistors; the clock stopped doubling at 3 to 4 GHz, about 2004.) The remaining way was to put many cores of modest clock, 1 to 3 GHz, onto a chip.

        *What it is used for.* GPUs suit work that repeats the same steps on a lot of data: geology, chemistry, medicine, physics, biology, finance, images. A program stands on three layers: libraries (cuBLAS, cuFFT), the runtime, and the
        driver, which hides much of the difference between devices.

        *On which devices a program runs.* A program holds *machine code* for the architectures that you name to `nvcc`, and *PTX*, an assembly language for no device in particular. `-arch=sm_80` writes both, for compute
        capability 8.0. Machine code runs on devices of the same major number and the same or a higher minor one.

        PTX runs on every device of its own capability or a later one: the driver compiles it when the program
        loads it, *just in time*. Where neither fits, a launch ends with "no kernel image is available for execution on the device". CUDA 13 compiles only for 7.5 (Turing) and later.
      ]],
      zh = [[
        *从哪里来。*1999 年以前，图形处理器只为三维绘图的固定步骤加速，不能编程。1999 年起（GeForce 256），它又接手了坐标变换和光照。到 2001 年的 GeForce 3 和 Radeon 8500，可以为每个顶点运行小程序，
        像素上的编程能力还很有限。2002 年以后（Radeon 9700、GeForce FX），程序越来越通用；2006 年出现了面向任意计算的环境：CUDA。

        *为什么走这条路。*单个处理器从 2,300 个晶体管（4004）发展到 4200 万个（Pentium 4），再到 20 亿个（四核 Itanium）。但功耗和发热使时钟频率无法一直提高。（CUDA 课程的讲义幻灯片说时钟频率每 18 个月翻一番。其实翻番的是晶体管数；时钟频率到 2004 年前后，在 3 到 4 GHz 就不再翻番了。）
        剩下的路，是在一块芯片上放许多频率不高（1 到 3 GHz）的核心。

        *用在哪里。*GPU 适合对大量数据做同样处理的工作：地球科学、化学、医学、物理、生物、金融、图像处理。程序建立在三层软件之上：函数库（cuBLAS、cuFFT）、运行时和驱动。驱动屏蔽了设备之间的许多差别。

        *程序能在哪些设备上运行。*程序里有你让 `nvcc` 生成的那些架构的*机器码*，还有 *PTX*：一种不针对任何具体设备的汇编语言。`-arch=sm_80` 为计算能力 8.0 同时生成两者。机器码能在主版本号相同、次版本号相同或更高的设备上运行。

        PTX 能在计算能力相同或更高的所有设备上运行：程序装载时，由驱动*即时编译*（just in time）。两者都不合适时，启动会报错 “no kernel image is available for execution on the device”。CUDA 13 只为 Turing（计算能力 7.5）及以后的设备编译。
      ]],
    },
    ask {
      alone = true,
      en = "A program was built with `-arch=sm_80`. An RTX 4090 has compute capability 8.9, an H200 has 9.0, a T4 has 7.5. Which of them run its kernels?",
      zh = "一个程序用 `-arch=sm_80` 编译。RTX 4090 的计算能力是 8.9，H200 是 9.0，T4 是 7.5。哪些设备能运行它的核函数？",
      choices = {
        { en = "The RTX 4090 by its machine code and the H200 by its PTX", zh = "RTX 4090 用其中的机器码，H200 用其中的 PTX", right = true, because = { en = "8.9 has the same major number. 9.0 is later than 8.0: the driver compiles the PTX. 7.5 is earlier: add `-gencode arch=compute_75,code=sm_75`.", zh = "8.9 的主版本号相同。9.0 比 8.0 新，由驱动编译 PTX。7.5 比 8.0 旧，要再加 `-gencode arch=compute_75,code=sm_75`。" } },
        { en = "All three, by the PTX", zh = "三个都用其中的 PTX", because = { en = "PTX for 8.0 may use features that an earlier device lacks. It is for 8.0 and later.", zh = "8.0 的 PTX 可能用到旧设备没有的东西：它只适用于 8.0 及以后。" } },
        { en = "None: machine code for 8.0 runs only on 8.0", zh = "哪个也不能：8.0 的机器码只能在 8.0 上运行", because = { en = "Machine code also runs on a higher minor number, and `-arch` writes PTX as well.", zh = "机器码也能在次版本号更高的设备上运行，而且 `-arch` 还会生成 PTX。" } },
        { en = "All three: the driver hides the difference", zh = "三个都能：驱动屏蔽了差别", because = { en = "The driver can compile PTX for a later device. It cannot adapt machine code or PTX to an earlier one.", zh = "驱动能为更新的设备编译 PTX，却不能让机器码或 PTX 适应更旧的设备。" } },
      },
    },
    ask {
      alone = true,
      en = "What could programmers change on a graphics processor of 1998?",
      zh = "1998 年的图形处理器，程序员能改动什么？",
      choices = {
        { en = "nothing: its steps were fixed", zh = "什么也不能：步骤是固定的", right = true, because = { en = "The first generation was an accelerator that ran no programs.", zh = "第一代只是加速器，不能运行程序。" } },
        { en = "what is done for each vertex", zh = "对每个顶点做什么", because = { en = "That came in 2001.", zh = "那是 2001 年的事。" } },
        { en = "what is done for each pixel", zh = "对每个像素做什么", because = { en = "That became general after 2002.", zh = "那要到 2002 年以后才通用起来。" } },
        { en = "everything, through CUDA", zh = "一切，通过 CUDA", because = { en = "CUDA came in 2006.", zh = "CUDA 是 2006 年的。" } },
      },
    },
    ask {
      en = "Chips have kept gaining transistors. Why do they go into more cores rather than into one faster core?",
      zh = "芯片上的晶体管一直在增加。为什么用来增加核心，而不是做一个更快的核心？",
      choices = {
        { en = "power and heat", zh = "功耗和发热", right = true, because = { en = "A higher clock raises the power by more than the speed.", zh = "提高频率，功耗涨得比速度快。" } },
        { en = "DRAM became too fast for one core", zh = "DRAM 变得太快，一个核心跟不上", because = { en = "On the contrary: the latency of DRAM has hardly improved.", zh = "正相反：DRAM 的延迟几乎没有改善。" } },
        { en = "one core cannot be programmed in C", zh = "单个核心不能用 C 编程", because = { en = "A single core always could be.", zh = "单个核心一直都能用 C 编程。" } },
        { en = "there was no more room for caches", zh = "没有地方放缓存了", because = { en = "Caches take up most of a CPU's area.", zh = "CPU 的大部分面积正是用来做缓存的。" } },
      },
    },
    say {
      en = [[
        *What the transistors are for.* The same area, spent in two ways:

            CPU                          GPU
            +-----------+------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            |  control  +------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            +-----------+------+------+  +-+--------------------------+
            |          cache          |  |c| a a a a a a a a a a a a a |
            +-------------------------+  +-+--------------------------+

        A control unit fetches and decodes instructions. It needs logic, ports and a cache of its own. In a GPU one control unit (`c`) serves the 32 lanes of a warp: each executes the same instruction on
        registers of its own. That saves area and power for arithmetic (`a`).

        *A G80* has 16 multiprocessors, each with 8 scalar processors at 1.35 GHz under one instruction unit, 2 units for special functions, 16 KB of shared memory and 8192 registers.
        The hardware creates, schedules and switches threads at no extra cost.
      ]],
      zh = [[
        *晶体管用在哪里。*同样的面积，两种用法：

            CPU                          GPU
            +-----------+------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            |   控制    +------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            +-----------+------+------+  +-+--------------------------+
            |          缓存           |  |c| a a a a a a a a a a a a a |
            +-------------------------+  +-+--------------------------+

        控制单元负责取指令和译码，需要逻辑电路、端口和自己的缓存。GPU 里一个控制单元（`c`）管一个线程束（warp）的 32 个 lane：大家执行同一条指令，各用各的寄存器。
        省下的面积和电力都用来做运算（`a`）。

        *G80* 有 16 个多处理器，每个有 8 个标量处理器（1.35 GHz，由同一个指令单元控制）、2 个特殊函数单元、16 KB 共享内存和 8192 个寄存器。
        线程的创建、调度和切换由硬件完成，没有额外开销。
      ]],
    },
    ask {
      en = "A CPU spends its area on caches and control, a GPU spends it on arithmetic. For which work does a GPU's choice pay?",
      zh = "CPU 把面积用在缓存和控制上，GPU 把面积用在运算上。GPU 的选择适合哪类工作？",
      choices = {
        { en = "the same steps on a lot of data", zh = "对大量数据做同样的步骤", right = true, because = { en = "Such work is highly parallel, large and predictable: lanes can share the control, and other threads fill the waiting time.", zh = "这类工作高度并行、数据量大、模式可预测：lane 可以共用控制，等待的时间由别的线程填上。" } },
        { en = "a long chain of steps, each of which needs the step before", zh = "一长串前后相依的步骤", because = { en = "Then only one thread works, at a modest clock.", zh = "那样只有一个线程在工作，频率又不高。" } },
        { en = "code full of unpredictable branches", zh = "充满不可预测分支的代码", because = { en = "Lanes that disagree about a condition execute its two paths one after the other.", zh = "如果各 lane 的条件结果不同，两条路径只能先后执行。" } },
        { en = "a few accesses that must return quickly", zh = "少量要求尽快返回的访问", because = { en = "The caches of a CPU are made for that.", zh = "那正是 CPU 缓存的用处。" } },
      },
    },
    predict {
      en = "{n} threads, all in full warps, each read one float. How many load requests is that?",
      zh = "{n} 个线程，warp 都是满的，每个读一个 float。一共需要多少个读请求？",
      draw = { n = { 1024, 30000, multiple = 256 } },
      of = polynomial.of,
      entry = polynomial.entry,
      args = polynomial.args,
      case = function(d) return { n = d.n, terms = 1 } end,
      counter = "gld_requests",
      replies = { { function(d) return d.n end, en = "One request per thread would need a control unit per thread.", zh = "如果每个线程一个请求，每个线程就都得有控制单元。" } },
      because = { en = "{n} / 32: an instruction is fetched and decoded once for 32 lanes.", zh = "{n} / 32：一条指令只取一次、译码一次，供 32 个 lane 使用。" },
    },
    ask {
      alone = true,
      en = "What is the cost of sharing one control unit among 32 lanes?",
      zh = "32 个 lane 共用一个控制单元，代价是什么？",
      choices = {
        { en = "time, where lanes take different paths", zh = "lane 走不同路径时要多花时间", right = true, because = { en = "The paths are executed one after the other. Since power limits processors, the textbook of that time expected that a control unit would serve more units in future rather than fewer.", zh = "各条路径要先后执行。处理器受限于功耗，所以教材当年预测：将来一个控制单元管的运算单元会更多，而不是更少。" } },
        { en = "every lane must access the same address", zh = "每个 lane 只能访问同一个地址", because = { en = "Each lane has registers of its own, so the addresses in them can differ.", zh = "每个 lane 有自己的寄存器，里面的地址可以不同。" } },
        { en = "more power than 32 control units", zh = "比 32 个控制单元更耗电", because = { en = "Sharing saves power. That is its purpose.", zh = "共用控制单元是省电的，这正是它的目的。" } },
        { en = "nothing at all", zh = "没有任何代价", because = { en = "Think of a branch on `threadIdx.x % 2`.", zh = "想想按 `threadIdx.x % 2` 分支的情形。" } },
      },
    },
    ask {
      alone = true,
      en = "A chip similar to the G80 has {m} multiprocessors with {p} processors each. How many processors is that?",
      zh = "一块与 G80 同类的芯片有 {m} 个多处理器，每个 {p} 个处理器。一共多少个处理器？",
      draw = { m = { 4, 30 }, p = { from = { 8, 16, 32 } } },
      answer = function(d) return d.m * d.p end,
      because = { en = "{m} * {p}. A G80: 16 * 8 = 128. An H200: 132 * 128 = 16,896 float units.", zh = "{m} * {p}。G80：16 * 8 = 128；H200：132 * 128 = 16,896 个 float 运算单元。" },
    },
    ask {
      en = "A multiprocessor has {p} float units, all under one instruction unit. How many cycles does an addition of a warp of 32 threads take?",
      zh = "一个多处理器有 {p} 个 float 运算单元，由同一个指令单元控制。32 个线程的 warp 执行一次加法要几个周期？",
      draw = { p = { from = { 4, 8, 16 } } },
      answer = function(d) return 32 / d.p end,
      replies = { { 1, en = "That would need 32 units.", zh = "那需要有 32 个单元。" } },
      because = { en = "32 / {p}. A G80 has 8 units and takes 4 cycles. An H200 has 128 units and four schedulers, so it executes four warps' additions in every cycle.", zh = "32 / {p}。G80 有 8 个单元，要 4 个周期；H200 有 128 个单元和 4 个调度器，每个周期完成 4 个 warp 的加法。" },
    },
    ask {
      en = "Intel's Larrabee went another way: many x86 cores with wide vectors. What was its strength against arrays of stream processors?",
      zh = "Intel 的 Larrabee 走的是另一条路：许多配有宽向量单元的 x86 核。与流处理器阵列相比，它强在哪里？",
      choices = {
        { en = "it was easier to program", zh = "编程更灵活", right = true, because = { en = "It had a known instruction set, subroutines and page faults. The arrays had more arithmetic in all, and they prevailed.", zh = "它有熟悉的指令集、子例程和缺页中断。阵列的总算力更高，最后胜出。" } },
        { en = "more arithmetic in all", zh = "总算力更高", because = { en = "That was the strength of the arrays.", zh = "这是阵列的强项。" } },
        { en = "it needed no memory", zh = "不需要内存", because = { en = "Every processor needs memory.", zh = "哪个处理器都需要内存。" } },
        { en = "it had no control units", zh = "没有控制单元", because = { en = "It had one control unit per core.", zh = "它的每个核都有一个控制单元。" } },
      },
    },
    ask {
      en = "Sensing a DRAM cell takes {t} ns, and a clock cycle of the device takes {h} ns. How many cycles is that, for the cell alone?",
      zh = "读出一个 DRAM 单元要 {t} ns，设备的时钟周期是 {h} ns。仅这个单元就要多少个周期？",
      draw = { t = { 8, 16 }, h = { from = { 0.4, 0.5, 0.8 } } },
      answer = function(d) return d.t / d.h end,
      tolerance = 0.01,
      because = { en = "{t} / {h}. The textbook has 10 ns and 0.5 ns: 20 cycles.", zh = "{t} / {h}。教科书里的数字是 10 ns 和 0.5 ns，即 20 个周期。" },
    },
    ask {
      en = "Why has that time hardly improved in decades?",
      zh = "几十年来，这个时间为什么几乎没有改善？",
      choices = {
        { en = "cells shrink to fit more onto a chip", zh = "为了放下更多的位，单元越做越小", right = true, because = { en = "A smaller capacitor holds less charge, but has to drive the same long wire. Memory became faster through parallelism instead.", zh = "电容越小，电荷越少，要驱动的导线却还是那么长。内存变快靠的是并行。" } },
        { en = "the clock of DRAM was never raised", zh = "DRAM 的频率从来没有提高", because = { en = "The clock of its bus was raised many times. That gives bandwidth, not latency.", zh = "总线频率提高过许多次，那提高的是带宽，不是延迟。" } },
        { en = "programs do not need a faster cell", zh = "程序不需要更快的单元", because = { en = "They do: much of this course is about hiding that time.", zh = "程序需要：这门课有一大半在讲怎样掩盖这段时间。" } },
        { en = "caches slow the cells down", zh = "缓存拖慢了单元", because = { en = "Caches are not part of these wires.", zh = "这些导线上没有缓存。" } },
      },
    },
    ask {
      en = "With the way there and back, an access to a G80's device memory takes 400 to 600 cycles at 1.35 GHz. How many ns are {c} cycles?",
      zh = "算上往返路程，G80 访问设备内存要 400 到 600 个周期（1.35 GHz）。{c} 个周期是多少 ns？",
      draw = { c = { 400, 600, multiple = 10 } },
      answer = function(d) return d.c / 1.35 end,
      tolerance = 0.02,
      replies = { { function(d) return d.c * 1.35 end, en = "A cycle takes 1 / 1.35 ns.", zh = "一个周期是 1 / 1.35 ns。" } },
      because = { en = "{c} / 1.35. An H200 takes 661 cycles at 1.98 GHz. That is about as long, seventeen years later.", zh = "{c} / 1.35。H200 是 661 个周期（1.98 GHz）：十七年过去，换算成时间差不多一样长。" },
    },
    say {
      en = [[
        *What each generation changed* for you, with its compute capability:

            G80      1.0   CUDA; half a warp must access in order
            Fermi    2.x   L1 and L2 caches
            Kepler   3.x   shuffles between lanes
            Maxwell  5.x   fast atomics in shared memory
            Pascal   6.x   pages of managed memory move on demand
            Volta    7.0   a program counter for each lane; tensor cores
            Turing   7.5   tensor cores for small integers (the T4)
            Ampere   8.0   copies to shared memory beside the computation
            Ada      8.9   a large L2: 72 MB in an RTX 4090
            Hopper   9.0   clusters of blocks that share their memories
            Blackwell      tensor cores for floats of 4 bits; from 10.0 on
      ]],
      zh = [[
        *每一代改变了什么*（附计算能力）：

            G80      1.0   CUDA 诞生；半个 warp 必须按顺序访问
            Fermi    2.x   L1 和 L2 缓存
            Kepler   3.x   lane 之间的 shuffle 指令
            Maxwell  5.x   共享内存上的快速原子操作
            Pascal   6.x   托管内存按需迁移页面
            Volta    7.0   每个 lane 有自己的程序计数器；张量核心
            Turing   7.5   张量核心支持小整数（T4）
            Ampere   8.0   与计算并行的共享内存异步拷贝
            Ada      8.9   很大的 L2：RTX 4090 有 72 MB
            Hopper   9.0   线程块集群，可互访共享内存
            Blackwell      张量核心支持 4 位浮点数；10.0 起
      ]],
    },
    ask {
      en = "Old reductions leave out the barriers in the last warp, because its lanes used to move in step. Which generation ended that?",
      zh = "旧的归约代码在最后一个 warp 里省去屏障，因为那时各 lane 总是步调一致。哪一代结束了这种情况？",
      order = "fixed",
      choices = {
        { en = "Fermi", zh = "Fermi", because = { en = "Caches change the time, not the order of the lanes.", zh = "缓存改变用时，不改变 lane 的步调。" } },
        { en = "Kepler", zh = "Kepler", because = { en = "Its shuffles exchange values in step.", zh = "它的 shuffle 仍是步调一致地交换数值。" } },
        { en = "Volta", zh = "Volta", right = true, because = { en = "Each lane has a program counter of its own, so `__syncwarp` is needed.", zh = "每个 lane 有自己的程序计数器，所以需要 `__syncwarp`。" } },
        { en = "Hopper", zh = "Hopper", because = { en = "It had ended long before Hopper.", zh = "早在 Hopper 之前就不是这样了。" } },
      },
    },
    show {
      en = "A small program under the roofline of a G80:",
      zh = "一个小程序在 G80 的屋顶线图上：",
      picture = "roofline", of = polynomial.of, entry = polynomial.entry, args = polynomial.args, case = { n = 65536, terms = 64 }, on = "sim:g80",
    },
    show {
      en = "The same program on an H200. Its ceiling of arithmetic is 194 times as high, and its ceiling of bandwidth 56 times: arithmetic grew more than bandwidth. But this few threads do not fill it.",
      zh = "同一个程序在 H200 上。与 G80 相比，算力上限是 194 倍，带宽上限是 56 倍：算力比内存带宽涨得多。但这么少的线程填不满它。",
      picture = "roofline", of = polynomial.of, entry = polynomial.entry, args = polynomial.args, case = { n = 65536, terms = 64 }, on = "sim:h200",
    },
  },
  after = {
    en = "Control is shared, arithmetic is plentiful, memory is slow but wide. Each rule of this course follows from one of these three facts: warps from the first, the roofline from the second, occupancy, coalescing and tiling from the third.",
    zh = "控制共用，运算单元多，内存延迟高但带宽大：这门课的每条规则都来自三者之一。warp 来自第一条，屋顶线来自第二条，占用率、合并访问和分块来自第三条。",
  },
  more = {
    en = "Run one of your own labs with `device sim:g80` and `device sim:h200`, and explain the differences from the table of generations. To read on: NVIDIA's *CUDA Programming Guide* and its samples. NVIDIA's developer forums answer questions.",
    zh = "用 `device sim:g80` 和 `device sim:h200` 各跑一遍你做过的实验，对照上面的表解释差别。想继续读，可以看 NVIDIA 的《CUDA 编程指南》和示例程序；有问题可以到 NVIDIA 的开发者论坛提问。",
  },
}
