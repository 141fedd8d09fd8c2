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
        This quiz is about the machine itself: where GPUs come from, what their transistors are used
        for, and what each generation changed. The rules of this course follow from these facts.

        *Where GPUs come from.* Until 1999, a graphics processor only made fixed steps of
        three-dimensional drawing faster. It could not be programmed. In 1999 (GeForce 256), it also
        took over the transformation and the lighting of scenes.

        In 2001 (GeForce 3 and Radeon 8500), a graphics processor could run a small program for each
        vertex, but programs for pixels were still very limited. After 2002 (Radeon 9700, GeForce
        FX), programs became general. In 2006 came CUDA, an environment for arbitrary computing.

        *Why chips got many cores.* Processors grew from 2,300 transistors (4004) to 42 million
        (Pentium 4) and 2 billion (a quad-core Itanium). But power and heat put an end to ever
        faster clocks. The remaining way was to put many cores onto a chip, each with a modest clock
        of 1 to 3 GHz.

        (The slides of a CUDA course say that the clock doubled every 18 months. That is true of the
        number of transistors. The clock stopped doubling about 2004, at 3 to 4 GHz.)

        *What GPUs are used for.* GPUs suit work that repeats the same steps on a lot of data:
        geology, chemistry, medicine, physics, biology, finance, images. Below such a program, there
        are three layers of software: libraries (cuBLAS, cuFFT), the runtime, and the driver. The
        driver hides many differences between devices.

        *On which devices a program runs.* A program contains *machine code* for the architectures
        that you name to `nvcc`. It also contains *PTX*, an assembly language that belongs to no
        particular device. `-arch=sm_80` writes both for compute capability 8.0. Machine code for
        8.0 runs on devices with the same major number, 8, and the same or a higher minor number.

        PTX for 8.0 runs on devices of capability 8.0 or later. The driver compiles the PTX when the
        program is loaded, *just in time*. If neither the machine code nor the PTX fits the device,
        a launch fails with "no kernel image is available for execution on the device". CUDA 13
        compiles only for 7.5 (Turing) and later.
      ]],
      zh = [[
        这个测验讲机器本身：GPU 从哪里来，晶体管用在哪里，每一代改变了什么。这门课的每条规则都来自这
        些事实。

        *GPU 从哪里来。*1999 年以前，图形处理器只为三维绘图的固定步骤加速，不能编程。
        1999 年（GeForce 256），它又接手了坐标变换和光照。2001 年（GeForce 3 和 Radeon 8500），
        它可以为每个顶点运行一段小程序，但像素上的编程能力还很有限。2002 年以后（Radeon 9700、
        GeForce FX），程序越来越通用。2006 年出现了 CUDA，一个面向任意计算的环境。

        *为什么一块芯片有许多核心。*处理器从 2,300 个晶体管（4004）发展到 4200 万个（Pentium
        4），再到 20 亿个（四核 Itanium）。但功耗和发热使时钟频率无法一直提高。剩下的办法，
        是在一块芯片上放许多核心，每个核心的频率不高（1 到 3 GHz）。（CUDA 课程的讲义幻灯片说，
        时钟频率每 18 个月翻一番。其实翻番的是晶体管数；时钟频率到 2004 年前后，在 3 到 4 GHz
        就不再翻番了。）

        *GPU 用在哪里。*GPU 适合对大量数据重复同样步骤的工作：地球科学、化学、医学、物理、生物、
        金融、图像处理。这样的程序建立在三层软件之上：函数库（cuBLAS、cuFFT）、运行时和驱动。
        驱动屏蔽了设备之间的许多差别。

        *程序能在哪些设备上运行。*程序里有*机器码*，对应你让 `nvcc` 编译的那些架构；还有 *PTX*，
        一种不针对具体设备的汇编语言。`-arch=sm_80` 为计算能力 8.0 同时生成机器码和 PTX。
        8.0 的机器码能在主版本号同为 8、次版本号相同或更高的设备上运行。

        8.0 的 PTX 能在计算能力 8.0 及以上的设备上运行：驱动在装载程序时*即时编译*（just in time）
        PTX。如果机器码和 PTX 都不适合设备，启动就会报错 “no kernel image is available for execution
        on the device”。CUDA 13 只为 Turing（计算能力 7.5）及以后的设备编译。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A program was built with `-arch=sm_80`. An RTX 4090 has compute capability 8.9, an H200 has
        9.0, and a T4 has 7.5. Which of them run its kernels?
      ]],
      zh = [[
        一个程序用 `-arch=sm_80` 编译。RTX 4090 的计算能力是 8.9，H200 是 9.0，T4 是 7.5。
        哪些设备能运行它的核函数？
      ]],
      choices = {
        {
          en = "The RTX 4090 by its machine code and the H200 by its PTX",
          zh = "RTX 4090 用其中的机器码，H200 用其中的 PTX",
          right = true,
          because = {
            en = [[
              8.9 has the same major number as 8.0, so the machine code fits. 9.0 is later than 8.0,
              so the driver compiles the PTX. 7.5 is earlier, so neither fits. For a T4, add
              `-gencode arch=compute_75,code=sm_75`.
            ]],
            zh = [[
              8.9 与 8.0 的主版本号相同，可以用机器码。9.0 比 8.0 新，由驱动编译 PTX。
              7.5 比 8.0 旧，机器码和 PTX 都不能用；要支持 T4，
              就再加 `-gencode arch=compute_75,code=sm_75`。
            ]],
          },
        },
        {
          en = "All three, by the PTX",
          zh = "三个都用其中的 PTX",
          because = {
            en = "PTX for 8.0 may use features that an earlier device lacks, and 7.5 is earlier.",
            zh = "8.0 的 PTX 可能用到旧设备没有的功能，而 7.5 比 8.0 旧。",
          },
        },
        {
          en = "None: machine code for 8.0 runs only on 8.0",
          zh = "哪个也不能：8.0 的机器码只能在 8.0 上运行",
          because = {
            en = [[
              Machine code also runs on devices with a higher minor number, and `-arch` writes PTX
              as well.
            ]],
            zh = "机器码也能在次版本号更高的设备上运行，而且 `-arch` 还会生成 PTX。",
          },
        },
        {
          en = "All three: the driver hides the difference",
          zh = "三个都能：驱动屏蔽了差别",
          because = {
            en = [[
              The driver can compile PTX for a later device. For an earlier device, it can adapt
              neither machine code nor PTX.
            ]],
            zh = "驱动能为更新的设备编译 PTX，却不能让机器码或 PTX 适应更旧的设备。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = "What could programmers change on a graphics processor of 1998?",
      zh = "1998 年的图形处理器，程序员能改动什么？",
      choices = {
        {
          en = "nothing: its steps were fixed",
          zh = "什么也不能：步骤是固定的",
          right = true,
          because = {
            en = "Before 1999, graphics processors ran no programs.",
            zh = "1999 年以前，图形处理器还不能运行程序。",
          },
        },
        {
          en = "what is done for each vertex",
          zh = "对每个顶点做什么",
          because = {
            en = "Programs for vertices came in 2001.",
            zh = "为顶点运行程序是 2001 年的事。",
          },
        },
        {
          en = "what is done for each pixel",
          zh = "对每个像素做什么",
          because = {
            en = "Programs for pixels became general only after 2002.",
            zh = "像素程序到 2002 年以后才通用起来。",
          },
        },
        {
          en = "everything, through CUDA",
          zh = "一切，通过 CUDA",
          because = { en = "CUDA came in 2006.", zh = "CUDA 是 2006 年出现的。" },
        },
      },
    },
    ask {
      en = [[
        Chips have kept gaining transistors. Why do the additional transistors go into more cores
        rather than into one faster core?
      ]],
      zh = "芯片上的晶体管一直在增加。为什么这些晶体管用来增加核心，而不是做一个更快的核心？",
      choices = {
        {
          en = "power and heat",
          zh = "功耗和发热",
          right = true,
          because = {
            en = "If you raise the clock, the power grows more than the speed.",
            zh = "提高频率时，功耗比速度涨得多。",
          },
        },
        {
          en = "DRAM became too fast for one core",
          zh = "DRAM 变得太快，一个核心跟不上",
          because = {
            en = "On the contrary, the latency of DRAM has hardly improved.",
            zh = "正相反，DRAM 的延迟几乎没有改善。",
          },
        },
        {
          en = "one core cannot be programmed in C",
          zh = "单个核心不能用 C 编程",
          because = {
            en = "C was made for single cores.",
            zh = "C 语言本来就是为单个核心设计的。",
          },
        },
        {
          en = "there was no more room for caches",
          zh = "没有地方放缓存了",
          because = {
            en = "There is room: caches take up most of the area of a CPU.",
            zh = "地方是有的：CPU 的大部分面积正是缓存。",
          },
        },
      },
    },
    say {
      en = [[
        *What the transistors are used for.* A CPU and a GPU use the same area in different ways:

            CPU                          GPU
            +-----------+------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            |  control  +------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            +-----------+------+------+  +-+--------------------------+
            |          cache          |  |c| a a a a a a a a a a a a a |
            +-------------------------+  +-+--------------------------+

        A *control unit* fetches and decodes instructions. It needs logic, ports and a cache of its
        own. In a GPU, one control unit (`c`) serves the 32 lanes of a warp: each lane executes the
        same instruction on registers of its own. That saves area and power, which the GPU uses for
        arithmetic units (`a`). A CPU has only a few of these units, its `ALU`s.

        *A G80* has 16 multiprocessors. Each has 8 scalar processors at 1.35 GHz under one
        instruction unit, 2 units for special functions, 16 KB of shared memory and 8192 registers.
        The hardware creates, schedules and switches threads at no extra cost.
      ]],
      zh = [[
        *晶体管用在哪里。*同样的面积，CPU 和 GPU 的用法不同：

            CPU                          GPU
            +-----------+------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            |   控制    +------+------+  +-+--------------------------+
            |           | ALU  | ALU  |  |c| a a a a a a a a a a a a a |
            +-----------+------+------+  +-+--------------------------+
            |          缓存           |  |c| a a a a a a a a a a a a a |
            +-------------------------+  +-+--------------------------+

        *控制单元*负责取指令和译码，需要逻辑电路、端口和自己的缓存。在 GPU 里，一个控制单元（`c`）
        管一个线程束（warp）的 32 个 lane：各 lane 执行同一条指令，用各自的寄存器。
        省下的面积和电力，GPU 都用于运算单元（`a`）。CPU 只有少数几个运算单元，即图中的 `ALU`。

        *G80* 有 16 个多处理器，每个有 8 个标量处理器（1.35 GHz，由同一个指令单元控制）、
        2 个特殊函数单元、16 KB 共享内存和 8192 个寄存器。线程的创建、调度和切换由硬件完成，
        没有额外开销。
      ]],
    },
    ask {
      en = [[
        A CPU spends its area on caches and control, and a GPU spends its area on arithmetic. For
        which work does a GPU's choice pay?
      ]],
      zh = "CPU 把面积用在缓存和控制上，GPU 把面积用在运算上。GPU 的选择适合哪类工作？",
      choices = {
        {
          en = "the same steps on a lot of data",
          zh = "对大量数据做同样的步骤",
          right = true,
          because = {
            en = [[
              Such work is highly parallel and predictable. The lanes can share the control unit.
              While one warp waits, others work.
            ]],
            zh = [[
              这类工作高度并行，而且可以预测。各 lane 可以共用控制单元；一个 warp 等待时，别的 warp
              可以工作。
            ]],
          },
        },
        {
          en = "a long chain of steps, each of which needs the step before",
          zh = "一长串前后相依的步骤",
          because = {
            en = "Then only one thread has work, and it runs at a modest clock.",
            zh = "那样只有一个线程有工作，频率又不高。",
          },
        },
        {
          en = "code full of unpredictable branches",
          zh = "充满不可预测分支的代码",
          because = {
            en = [[
              If the lanes of a warp take different sides of a branch, the warp executes the two
              sides one after the other.
            ]],
            zh = "如果一个 warp 的 lane 走向分支的不同侧，这个 warp 只能先后执行两侧。",
          },
        },
        {
          en = "a few accesses that must return quickly",
          zh = "少量要求尽快返回的访问",
          because = {
            en = "Large caches make single accesses quick, and a CPU has larger ones.",
            zh = "单次访问要快，靠的是大缓存，而 CPU 的缓存更大。",
          },
        },
      },
    },
    predict {
      en = [[
        {n} threads, all in full warps, each read one float. How many load requests do they make?
      ]],
      zh = "{n} 个线程，warp 都是满的，每个线程读一个 float。一共有多少个读取请求？",
      draw = { n = { 1024, 30000, multiple = 256 } },
      of = polynomial.of,
      entry = polynomial.entry,
      args = polynomial.args,
      case = function(d) return { n = d.n, terms = 1 } end,
      counter = "gld_requests",
      replies = {
        {
          function(d) return d.n end,
          en = "For one request per thread, each thread would need a control unit of its own.",
          zh = "如果每个线程一个请求，每个线程就都要有控制单元。",
        },
      },
      because = {
        en = [[
          {n} / 32, because a control unit fetches and decodes one load instruction for all 32 lanes
          of a warp.
        ]],
        zh = "{n} / 32：一条读取指令，控制单元只取一次、译码一次，由一个 warp 的 32 个 lane 共用。",
      },
    },
    ask {
      alone = true,
      en = "What is the cost of sharing one control unit among 32 lanes?",
      zh = "32 个 lane 共用一个控制单元，代价是什么？",
      choices = {
        {
          en = "time, where lanes take different paths",
          zh = "lane 走不同路径时要多花时间",
          right = true,
          because = {
            en = [[
              The warp executes the paths one after the other. The saving in power is worth this
              cost. Since power limits processors, a textbook expected that a control unit would
              serve even more lanes in future.
            ]],
            zh = [[
              warp 要先后执行各条路径。但省下的功耗更有价值：处理器受限于功耗，所以教材预测，
              将来一个控制单元会管更多的运算单元。
            ]],
          },
        },
        {
          en = "every lane must access the same address",
          zh = "每个 lane 只能访问同一个地址",
          because = {
            en = "Each lane has registers of its own, and they can hold different addresses.",
            zh = "每个 lane 有自己的寄存器，里面的地址可以不同。",
          },
        },
        {
          en = "more power than 32 control units",
          zh = "比 32 个控制单元更耗电",
          because = {
            en = "One control unit needs less power than 32. That is why the lanes share it.",
            zh = "一个控制单元比 32 个省电，正因如此才让各 lane 共用。",
          },
        },
        {
          en = "nothing at all",
          zh = "没有任何代价",
          because = {
            en = "Think of a kernel with `if (threadIdx.x % 2)`.",
            zh = "想想含有 `if (threadIdx.x % 2)` 的核函数。",
          },
        },
      },
    },
    ask {
      alone = true,
      en = [[
        A chip similar to the G80 has {m} multiprocessors with {p} processors each. How many
        processors does the chip have?
      ]],
      zh = "一块与 G80 同类的芯片有 {m} 个多处理器，每个 {p} 个处理器。一共多少个处理器？",
      draw = { m = { 4, 30 }, p = { from = { 8, 16, 32 } } },
      answer = function(d) return d.m * d.p end,
      replies = {
        {
          function(d) return d.m + d.p end,
          en = "Each of the {m} multiprocessors has {p} processors of its own.",
          zh = "{m} 个多处理器，每个都有自己的 {p} 个处理器。",
        },
        {
          128,
          en = "This is a G80, with 16 multiprocessors of 8 processors.",
          zh = "这是 G80：16 个多处理器，每个有 8 个处理器。",
        },
      },
      because = {
        en = "{m} * {p}. A G80 has 16 * 8 = 128. An H200 has 132 * 128 = 16,896 float units.",
        zh = "{m} * {p}。G80 有 16 * 8 = 128 个，H200 有 132 * 128 = 16,896 个 float 运算单元。",
      },
    },
    ask {
      en = [[
        A multiprocessor has {p} float units, all under one instruction unit. How many cycles does
        one addition take for a warp of 32 threads?
      ]],
      zh = [[
        一个多处理器有 {p} 个 float 运算单元，由同一个指令单元控制。一个 32 线程的 warp
        执行一次加法要几个周期？
      ]],
      draw = { p = { from = { 4, 8, 16 } } },
      answer = function(d) return 32 / d.p end,
      replies = {
        {
          1,
          en = "For that, the multiprocessor would need 32 units.",
          zh = "那要有 32 个运算单元。",
        },
      },
      because = {
        en = [[
          {p} threads of the warp add in each cycle: 32 / {p}. A G80 has 8 units and takes 4 cycles.
          An H200 has 128 units and four schedulers. So it executes the additions of four warps in
          each cycle.
        ]],
        zh = [[
          每个周期有 {p} 个线程做加法：32 / {p}。G80 有 8 个单元，要 4 个周期。H200 有 128 个单元和
          4 个调度器，每个周期完成 4 个 warp 的加法。
        ]],
      },
    },
    ask {
      en = [[
        Intel's Larrabee went another way: many x86 cores with wide vector units. GPUs of that time
        were arrays of simple processors. What was the strength of Larrabee in comparison?
      ]],
      zh = [[
        Intel 的 Larrabee 走的是另一条路：许多配有宽向量单元的 x86 核。当时的 GPU
        则是由简单处理器组成的阵列。与之相比，Larrabee 强在哪里？
      ]],
      choices = {
        {
          en = "it was easier to program",
          zh = "更容易编程",
          right = true,
          because = {
            en = [[
              Larrabee had a well-known instruction set, subroutines and page faults. But the arrays
              had more arithmetic units, and they prevailed.
            ]],
            zh = "Larrabee 有大家熟悉的指令集、子例程和缺页中断。但阵列的总算力更高，最后胜出。",
          },
        },
        {
          en = "more arithmetic in all",
          zh = "总算力更高",
          because = {
            en = "The arrays had more arithmetic units, since their processors were simpler.",
            zh = "阵列的处理器更简单，数量更多，总算力反而更高。",
          },
        },
        {
          en = "it needed no memory",
          zh = "不需要内存",
          because = { en = "Every processor needs memory.", zh = "任何处理器都需要内存。" },
        },
        {
          en = "it had no control units",
          zh = "没有控制单元",
          because = {
            en = "Each of its cores had a control unit.",
            zh = "它的每个核都有一个控制单元。",
          },
        },
      },
    },
    ask {
      en = [[
        Reading a DRAM cell takes {t} ns, and a clock cycle of the device takes {h} ns. How many
        cycles does reading the cell take?
      ]],
      zh = "读出一个 DRAM 单元要 {t} ns，设备的时钟周期是 {h} ns。仅读出这个单元，就要多少个周期？",
      draw = { t = { 8, 16 }, h = { from = { 0.4, 0.5, 0.8 } } },
      answer = function(d) return d.t / d.h end,
      tolerance = 0.01,
      replies = {
        {
          function(d) return d.t * d.h end,
          en = "You multiplied. How many times {h} ns fit into {t} ns?",
          zh = "你用了乘法。{t} 纳秒里有几个 {h} 纳秒？",
        },
        {
          function(d) return d.h / d.t end,
          en = "You divided the wrong way round: reading the cell takes many cycles.",
          zh = "你除反了：读一个单元要许多个周期。",
        },
      },
      because = {
        en = "{t} / {h}. In a textbook's example, 10 ns and a cycle of 0.5 ns give 20 cycles.",
        zh = "{t} / {h}。教材的例子是 10 ns，时钟周期 0.5 ns，即 20 个周期。",
      },
    },
    ask {
      en = "Why has the time to read a DRAM cell hardly improved in decades?",
      zh = "几十年来，读出一个 DRAM 单元的时间为什么几乎没有改善？",
      choices = {
        {
          en = "cells shrink, so that more of them fit onto a chip",
          zh = "为了放下更多的位，单元越做越小",
          right = true,
          because = {
            en = [[
              A cell is a capacitor on a long wire. A smaller capacitor holds less charge, but the
              wire is as long as before. Memory became faster through parallelism instead.
            ]],
            zh = [[
              一个单元是接在长导线上的一个电容。电容越小，电荷越少，导线却还是那么长。
              内存变快靠的是并行。
            ]],
          },
        },
        {
          en = "the clock of DRAM was never raised",
          zh = "DRAM 的频率从来没有提高",
          because = {
            en = [[
              The clock of its bus was raised many times. That gives more bandwidth, but no shorter
              latency.
            ]],
            zh = "DRAM 总线的频率提高过许多次，但那提高的是带宽，延迟并没有缩短。",
          },
        },
        {
          en = "programs do not need a faster cell",
          zh = "程序不需要更快的单元",
          because = {
            en = "Programs do need one: much of this course is about hiding that time.",
            zh = "程序很需要：这门课有一大半在讲怎样掩盖这段时间。",
          },
        },
        {
          en = "caches slow the cells down",
          zh = "缓存拖慢了单元",
          because = {
            en = "Caches are on another chip and do not change the cells.",
            zh = "缓存在另一块芯片上，不影响 DRAM 单元。",
          },
        },
      },
    },
    ask {
      en = [[
        An access to the device memory of a G80 takes 400 to 600 cycles at 1.35 GHz, including the
        way to the memory and back. How many ns are {c} cycles?
      ]],
      zh = [[
        G80 访问一次设备内存，包括往返路程，要 400 到 600 个周期，频率是 1.35 GHz。{c} 个周期是多少
        ns？
      ]],
      draw = { c = { 400, 600, multiple = 10 } },
      answer = function(d) return d.c / 1.35 end,
      tolerance = 0.02,
      replies = {
        {
          function(d) return d.c * 1.35 end,
          en = "1.35 GHz means 1.35 cycles per ns, so a cycle takes 1 / 1.35 ns.",
          zh = "1.35 GHz 是每 ns 1.35 个周期，所以一个周期是 1 / 1.35 ns。",
        },
      },
      because = {
        en = [[
          {c} / 1.35. An H200 takes 661 cycles at 1.98 GHz. So seventeen years later, an access
          still takes about as long.
        ]],
        zh = [[
          {c} / 1.35。H200 要 661 个周期，频率 1.98 GHz。可见十七年过去，一次访问的时间仍然差不多。
        ]],
      },
    },
    say {
      en = [[
        *What each generation changed* for you. The second column gives its compute capability:

            G80      1.0   CUDA; half a warp must access in order
            Fermi    2.x   L1 and L2 caches
            Kepler   3.x   shuffles between lanes
            Maxwell  5.x   fast atomics in shared memory
            Pascal   6.x   pages of managed memory move on demand
            Volta    7.0   a program counter for each lane; tensor cores
            Turing   7.5   tensor cores for small integers (the T4)
            Ampere   8.0   copies to shared memory during computation
            Ada      8.9   a large L2: 72 MB in an RTX 4090
            Hopper   9.0   clusters of blocks that share their memories
            Blackwell      tensor cores for floats of 4 bits; from 10.0 on

        (*Tensor cores* multiply small matrices. A *program counter* says how far a lane has got in
        the program.)
      ]],
      zh = [[
        *每一代改变了什么*（第二列是计算能力）：

            G80      1.0   CUDA 诞生；半个 warp 必须按顺序访问
            Fermi    2.x   L1 和 L2 缓存
            Kepler   3.x   lane 之间的 shuffle 指令
            Maxwell  5.x   共享内存上的快速原子操作
            Pascal   6.x   托管内存按需迁移页面
            Volta    7.0   每个 lane 有自己的程序计数器；张量核心
            Turing   7.5   张量核心支持小整数（T4）
            Ampere   8.0   与计算同时进行的、到共享内存的拷贝
            Ada      8.9   很大的 L2：RTX 4090 有 72 MB
            Hopper   9.0   线程块集群，可互访共享内存
            Blackwell      张量核心支持 4 位浮点数；10.0 起

        （*张量核心*做小矩阵的乘法；*程序计数器*记录 lane 执行到程序的哪里。）
      ]],
    },
    ask {
      en = [[
        Old reductions leave out the barriers in the last warp, because the lanes of a warp used to
        run in step. Since which generation do the lanes no longer run in step?
      ]],
      zh = [[
        旧的归约代码在最后一个 warp 里省去屏障，因为那时各 lane 总是步调一致。从哪一代起，各 lane
        不再总是步调一致？
      ]],
      order = "fixed",
      choices = {
        {
          en = "Fermi",
          zh = "Fermi",
          because = {
            en = [[
              Fermi brought caches. They change how long an access takes, not how the lanes run.
            ]],
            zh = "Fermi 带来的是缓存，改变的是访问用时，不是 lane 的步调。",
          },
        },
        {
          en = "Kepler",
          zh = "Kepler",
          because = {
            en = "Kepler brought shuffles, but its lanes still ran in step.",
            zh = "Kepler 带来了 shuffle，但各 lane 仍然步调一致。",
          },
        },
        {
          en = "Volta",
          zh = "Volta",
          right = true,
          because = {
            en = [[
              Each lane has a program counter of its own, so lanes can be at different places. That
              is why code needs `__syncwarp`.
            ]],
            zh = "每个 lane 有自己的程序计数器，可以执行到不同的位置，所以需要 `__syncwarp`。",
          },
        },
        {
          en = "Hopper",
          zh = "Hopper",
          because = {
            en = "The lanes stopped running in step long before Hopper.",
            zh = "早在 Hopper 之前，各 lane 就不再总是步调一致了。",
          },
        },
      },
    },
    show {
      en = [[
        The dot in the chart is a small program on a G80. The line is the highest speed that memory
        and arithmetic allow:
      ]],
      zh = "一个小程序在 G80 的屋顶线图上。图中的线是内存和算力允许的最高速度：",
      picture = "roofline", of = polynomial.of, entry = polynomial.entry, args = polynomial.args, case = { n = 65536, terms = 64 }, on = "sim:g80",
    },
    show {
      en = [[
        This is the same program on an H200. Compared with a G80, the ceiling of arithmetic is 194
        times as high, and the ceiling of bandwidth is 56 times as high. So arithmetic grew more
        than bandwidth. The program is far below both ceilings, because it has too few threads to
        fill an H200.
      ]],
      zh = [[
        同一个程序在 H200 上。算力上限是 G80 的 194 倍，带宽上限是 G80 的 56 倍：算力比内存带宽涨得
        多。这个程序离两个上限都很远，因为线程太少，填不满 H200。
      ]],
      picture = "roofline", of = polynomial.of, entry = polynomial.entry, args = polynomial.args, case = { n = 65536, terms = 64 }, on = "sim:h200",
    },
  },
  after = {
    en = [[
      Remember three facts. Lanes share a control unit. There are many arithmetic units. Memory has
      a long latency, but a high bandwidth. Each rule of this course follows from one of them: warps
      from the first, the roofline from the second, and occupancy, coalescing and tiling from the
      third.
    ]],
    zh = [[
      请记住三个事实：各 lane 共用控制单元；运算单元很多；内存的延迟高，但带宽大。
      这门课的每条规则都来自其中之一：warp 来自第一条，屋顶线来自第二条，占用率、
      合并访问和分块来自第三条。
    ]],
  },
  more = {
    en = [[
      Run one of your own labs with `device sim:g80` and with `device sim:h200`. Explain the
      differences with the table of generations. To read on, take NVIDIA's *CUDA Programming Guide*
      and its samples. NVIDIA's developer forums answer questions.
    ]],
    zh = [[
      用 `device sim:g80` 和 `device sim:h200` 各跑一遍你做过的实验，对照上面的表解释差别。
      想继续读，可以看 NVIDIA 的《CUDA 编程指南》和示例程序；有问题可以到 NVIDIA 的开发者论坛提问。
    ]],
  },
}
