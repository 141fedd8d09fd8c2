-- Chapter 8: which memory a variable lives in, who sees it, and for how long.
return lab {
  id = "qualifiers",
  title = { en = "A place for every variable", zh = "变量放在哪里" },
  chapter = 8,
  minutes = 30,
  needs = { "memory-api", "spill", "reduce-1-divergent" },
  source = "slides II.2, III.2; guide 5.3.2",
  teaches = {
    ["function-qualifiers"] = "say ask",
    ["device-function-limits"] = "say",
    ["variable-qualifiers"] = "say exercise",
    ["shared-needs-sync"] = "ask traps",
    ["no-qualifier"] = "say",
    ["host-reach"] = "say ask",
    lifetimes = "say exercise traps",
    ["device-memory-regions"] = "say",
    ["space-latencies"] = "say",
    ["space-latencies-h200"] = "say",
    ["each-space-its-rule"] = "say",
    ["vector-types"] = "say exercise",
    ["kernel-parameters"] = "say",
    ["local-ptx"] = "say",
    ["local-later"] = "say",
    ["local-maths"] = "say",
    ["local-cached"] = "say",
    ["local-layout"] = "say",
    ["local-memory"] = "say exercise",
    ["dynamic-indexing"] = "predict exercise",
    symbols = "say hints",
    dim3 = "say",
  },

  entry = "void sort_groups(const int *in, int *out, int *twins, int n)",
  args = {
    ["in"] = integers(0, 999, "2 * n"),
    out = output("2 * n"),
    twins = output("1"),
  },
  cases = { { n = 64 }, { n = 1 }, { n = 1003 }, { n = 1 << 17, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.05 * baseline) {
      points = 2,
      en = "The records are loaded again and again. All threads of a block compare with the same 64 records: put those where only the block sees them.",
      zh = "同样的记录被一再重复读取。一个块的所有线程都在和同样的 64 条记录比较：应当把它们放在只有本块看得见的地方。",
    },
    at_most("global_stores", 0.84 * baseline) {
      points = 2,
      en = "Two stores write key and value. A record is an `int2`: one store of 8 bytes.",
      zh = "键和值分两次写。一条记录就是一个 `int2`：一次写 8 字节。",
    },
    at_most("local_ld_requests", 0) {
      points = 2,
      en = "`count` is still in local memory. Its index is known only while the program runs, and registers cannot be indexed.",
      zh = "`count` 还在局部内存里：它的下标要到运行时才知道，而寄存器不能用下标访问。",
    },
  },
  forbid = { "thrust::", "cub::" },

  steps = {
    say {
      en = [[
        The place and the qualifier of a declaration decide three things: which memory the variable lies in, who sees it, and how long it lives.

            declaration            where             seen by        lives as long as
            int x; in a kernel     register          one thread     the thread
            int x[9]; the same     register, local   one thread     the thread
            __shared__ int x;      shared            its block      the block
            __device__ int x;      global            all threads    the program
            __constant__ int x;    constant          all threads    the program

        A variable without a qualifier lies in a register. If the registers are too few, or if it is an array whose index the compiler does not
        know, it goes to *local memory*.

        Registers and shared memory are on the chip, in every multiprocessor. Local, global, constant and texture memory are four regions of the
        same device memory. They differ in how they are addressed, and in the caches that serve them.

        The host can reach only the variables of the last two rows, and only by name: `cudaMemcpyToSymbol(x, ...)`, `cudaMemcpyFromSymbol(..., x,
        ...)`, or `cudaGetSymbolAddress`. It cannot reach registers, local memory and shared memory.
      ]],
      zh = [[
        变量在哪里声明、前面加什么限定符，决定了三件事：放在哪种内存里、谁看得见、活多久。

            声明                   位置              谁看得见      生存期
            核函数里的 int x;      寄存器            一个线程      线程
            核函数里的 int x[9];   寄存器或局部内存  一个线程      线程
            __shared__ int x;      共享内存          所在的块      块
            __device__ int x;      全局内存          所有线程      整个程序
            __constant__ int x;    常量内存          所有线程      整个程序

        不带限定符的变量放在寄存器里。如果寄存器不够用，或者变量是数组而编译器不知道下标，就放到*局部内存*（local memory）。

        寄存器和共享内存在芯片上，每个多处理器各有一份。局部内存、全局内存、常量内存和纹理内存是同一块设备内存里的四个区域，区别在于寻址方式和所用的缓存。

        主机只能访问最后两行的变量，而且要通过名字：`cudaMemcpyToSymbol(x, ...)`、`cudaMemcpyFromSymbol(..., x, ...)` 或 `cudaGetSymbolAddress`。寄存器、局部内存和共享内存，主机都访问不到。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A file declares `__device__ float g[8];`. Its kernel declares `__shared__ float s[16]; float r[4];` and is launched with {b} blocks of {t}
        threads. Counting every copy, how many floats are g, s and r together over the whole launch?
      ]],
      zh = [[
        文件里声明了 `__device__ float g[8];`，核函数里声明了 `__shared__ float s[16]; float r[4];`。启动 {b} 个块，每块 {t} 个线程。
        把每一份都算上，整个启动过程中 g、s、r 一共有多少个 float？
      ]],
      draw = { b = { 2, 12 }, t = { from = { 32, 64, 128 } } },
      answer = function(d) return 8 + 16 * d.b + 4 * d.b * d.t end,
      because = {
        en = "There is one g for the program, one s for each of the {b} blocks, and one r for each thread: 8 + 16 * {b} + 4 * {b} * {t}.",
        zh = "整个程序只有一份 g，{b} 个块各有一份 s，每个线程各有一份 r：8 + 16 * {b} + 4 * {b} * {t}。",
      },
    },
    say {
      en = [[
        How long does each memory take to answer? The slides give figures for the G80. Beside them is what an H200 measures, in cycles from load
        to use:

                                 slides                  H200
            register             no extra delay          no extra delay
            shared memory        as a register           29
            constant, cached     as a register           34
            texture, cached      as a register           86 (modelled)
            global and local     400 to 600, no cache    43 in L1, 288 in L2,
                                                         661 in DRAM

        Two things changed. Global and local memory are cached today. (Local memory is cached in L2; on compute capability 3.x, and from 7.x on,
        in L1 as well.) And shared memory is near, but not as near as a register.

        One thing did not change. The device may have to issue a memory instruction several times, depending on how the addresses of a warp are
        spread. *Each memory space has its own rule* for which addresses it serves together. These rules are the subject of this chapter.
      ]],
      zh = [[
        各种内存要多久才有回应？CUDA 课程的幻灯片给的是 G80 的数字，旁边是 H200 上的实测，单位是从读取到可用的周期数：

                             幻灯片                H200
            寄存器           没有额外延迟          没有额外延迟
            共享内存         同寄存器              29
            常量，命中缓存   同寄存器              34
            纹理，命中缓存   同寄存器              86（模型）
            全局与局部内存   400 到 600，无缓存    L1 43，L2 288，
                                                   DRAM 661

        有两点变了。第一，全局内存和局部内存如今都有缓存。（局部内存由 L2 缓存；在计算能力 3.x 上以及从 7.x 起，还由 L1 缓存。）第二，共享内存很近，但没有寄存器那么近。

        有一点没有变：一条访存指令可能要发射好几遍，取决于一个线程束（warp）的地址怎样分布，而且*每种内存各有各的规则*。本章讲的就是这些规则。
      ]],
    },
    say {
      en = [[
        Functions have qualifiers too:

            qualifier     runs on    called from
            __global__    device     the host, as a launch; returns void
            __device__    device     the device
            __host__      host       the host; the same as no qualifier

        A `__global__` function is the only way from the host to the device. (The device can launch kernels, too; this course leaves that out.) A
        launch returns at once; it does not wait for the kernel to end. A `__host__ __device__` function is
        compiled twice, once for each side.

        Older lists say that device functions cannot recurse, hold static variables, take a variable number of arguments or have their address
        taken. That was true of the first devices. nvcc 13 allows all four.

        The launch copies a kernel's *arguments* into constant memory, where all threads read them. They need no qualifier and cost no global
        load. (On the first devices they took up to 100 bytes of shared memory, as the slides say.)
      ]],
      zh = [[
        函数也有限定符：

            限定符        在哪里执行   从哪里调用
            __global__    设备         主机，以启动的方式；返回类型为 void
            __device__    设备         设备
            __host__      主机         主机；与不写限定符相同

        从主机进入设备，`__global__` 函数是唯一的入口。（设备也能启动核函数，本课程不讲。）启动这条语句立即返回，不等核函数结束。写成 `__host__ __device__` 的函数会为两边各编译一份。

        较早的资料说，设备函数不能递归、不能有静态变量、不能有可变参数、不能取地址。最早的设备确实如此；如今的 nvcc 13 四样都支持。

        启动时，核函数的*实参*被拷贝到常量内存，所有线程都从那里读。实参不需要限定符，也不产生全局内存读取。（在最早的设备上，实参放在共享内存里，最多占 100 字节，幻灯片里说的就是这种情况。）
      ]],
    },
    ask {
      alone = true,
      en = "`clip(x)` turns numbers above 1 into 1 and leaves the others. A kernel calls it for every element, and `main` calls it to test the result. How is it declared?",
      zh = "`clip(x)` 把大于 1 的数值改成 1，其余不变。核函数对每个元素调用它，`main` 也要调用它来检验结果。应当怎样声明？",
      choices = {
        {
          en = "`__global__ float clip(float x)`",
          zh = "`__global__ float clip(float x)`",
          because = { en = "A `__global__` function is launched, not called, and returns void.", zh = "`__global__` 函数只能启动，不能调用，而且返回类型必须是 void。" },
        },
        {
          en = "`float clip(float x)`, without a qualifier",
          zh = "`float clip(float x)`，不加限定符",
          because = { en = "That is a `__host__` function: the kernel cannot call it.", zh = "这样它是 `__host__` 函数，核函数不能调用。" },
        },
        {
          en = "`__device__ float clip(float x)`",
          zh = "`__device__ float clip(float x)`",
          because = { en = "Then `main` cannot call it.", zh = "这样 `main` 就不能调用它了。" },
        },
        { en = "`__host__ __device__ float clip(float x)`", zh = "`__host__ __device__ float clip(float x)`", right = true },
      },
    },
    say {
      en = [[
        You can see which variables went to local memory. `nvcc -ptx` (or `-keep`) writes the PTX, in which local memory has names:

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        This is only the first stage of the compiler. The second stage may run out of registers and put more into local memory. `-Xptxas -v`
        reports the bytes of each kernel, and `cuobjdump -sass` shows the machine code. Some functions of the maths library use local memory too,
        such as `sinf` for large arguments.

        Lanes that use the same index touch neighbouring words, so their accesses coalesce. Lanes with different indices do not.

        The baseline of this lab has such an array. It counts how many keys of a group are smaller than a thread's own key, equal to it, or
        larger.
      ]],
      zh = [[
        哪些变量进了局部内存，可以查出来。用 `nvcc -ptx`（或 `-keep`）可以得到 PTX，里面写得很清楚：

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        这只是编译的第一阶段。第二阶段如果寄存器不够，还会把更多变量放进局部内存：`-Xptxas -v` 报告每个核函数用了多少字节，`cuobjdump -sass` 能看到机器码。
        数学库里也有函数要用局部内存，例如参数很大时的 `sinf`。

        各 lane 的下标相同时，访问的是相邻的字，访问是合并的；下标不同，就不合并。

        本实验的基线里就有这样一个数组：它统计一组里有多少个键比本线程的键小、与它相等、比它大。
      ]],
    },
    predict {
      en = [[
        One block of 64 threads (2 warps) runs the baseline on 64 records. The loop has 64 turns, each with one `count[...]++`. After the loop
        each thread reads two elements of `count`. How many local *load* requests is that in all?
      ]],
      zh = [[
        一个 64 线程的块（2 个 warp）用基线处理 64 条记录。每个线程循环 64 次，每次执行一遍 `count[...]++`，循环结束后再读 `count` 的两个元素。局部内存的*读*请求一共有多少个？
      ]],
      counter = "local_ld_requests",
      of = "baseline",
      case = { n = 64 },
      tolerance = 0.05,
      because = {
        en = "Each `++` is a load and a store: 2 warps * (64 + 2) = 132 loads. One instruction of a warp is one request, however many lanes take part.",
        zh = "每个 `++` 都是一次读加一次写，所以 2 个 warp * (64 + 2) = 132 次读。一个 warp 的一条指令算一个请求，不管有多少 lane 参与。",
      },
    },
    ask {
      alone = true,
      en = "In a kernel, thread 5 writes `s[5]` of a `__shared__` array, and thread 70 of the same block is to read it. What must happen in between?",
      zh = "在核函数里，5 号线程写了 `__shared__` 数组的 `s[5]`，同一块的 70 号线程要读它。中间必须有什么？",
      choices = {
        { en = "Both threads pass a `__syncthreads()`", zh = "两个线程都经过一次 `__syncthreads()`", right = true },
        {
          en = "Nothing: shared memory is seen by the whole block",
          zh = "什么都不用：共享内存整个块都看得见",
          because = { en = "The block sees it, but when? Threads 5 and 70 are in different warps, and nothing says which of them runs first.", zh = "看得见，但什么时候看得见？5 号和 70 号线程在不同的 warp 里，谁先谁后没有保证。" },
        },
        {
          en = "A `cudaDeviceSynchronize()` on the host",
          zh = "主机上的一次 `cudaDeviceSynchronize()`",
          because = { en = "That waits for the end of the kernel. By then the block's shared memory is gone.", zh = "这是等整个核函数结束。到那时，这个块的共享内存早已不在了。" },
        },
        {
          en = "The array must be declared `__device__` instead",
          zh = "应当改用 `__device__` 声明这个数组",
          because = { en = "Then all blocks would share one array, and the order would still be open.", zh = "那样所有的块会共用同一个数组，而先后次序仍然没有保证。" },
        },
      },
    },
    say {
      en = [[
        The built-in *vector types* are structs. Their names are made of a basic type, u if it is unsigned, and a number from 1 to 4: `char2`,
        `uint3`, `float4`. The components are x, y, z and w. (`dim3` is a `uint3` whose missing components become 1.)

        Types of 2 or 4 components are aligned to their own size (at most 16 bytes), so one instruction moves an `int2` of 8 bytes or a `float4` of
        16. Types of 3 components are aligned only to one component. (The largest, such as `double4` and
        `ulong4`, are deprecated since CUDA 13: write the alignment in the name, `double4_16a` or `double4_32a`.)

        A record of this lab is a key and a value, two ints.
      ]],
      zh = [[
        内置的*向量类型*是结构体。名字由基本类型（无符号加 u）和 1 到 4 的数字组成：`char2`、`uint3`、`float4`，分量叫 x、y、z、w。（`dim3` 就是 `uint3`，
        只是没写的分量自动为 1。）

        2 个或 4 个分量的类型按自身大小对齐（最多 16 字节），所以 8 字节的 `int2` 和 16 字节的 `float4` 都只用一条指令读写；
        3 个分量的类型只按一个分量的大小对齐。（最大的类型，例如 `double4` 和 `ulong4`，
        从 CUDA 13 起不再推荐，要在名字里写明对齐：`double4_16a` 或 `double4_32a`。）

        本实验的一条记录由键和值两个 int 组成。
      ]],
    },
    exercise {
      en = [[
        Sort each group of 64 records by key. Count, over the whole array, the records whose key occurs more than once in their group.

        Four things in the skeleton are wrong: the whole grid shares one `group` array, the counters are in local memory, each block has its own total,
        and each record moves in two halves. Correct all four. First run the skeleton as it is: the report names two of the four.
      ]],
      zh = [[
        每 64 条记录为一组，请在组内按键排序，并统计整个数组里有多少条记录，其键在组内不止出现一次。

        骨架代码有四处不对：整个网格共用一个 `group` 数组，计数器在局部内存里，总数属于单个块，每条记录分成两半读写。请全部改正。先按原样运行一次：报告会指出四处中的两处。
      ]],
    },
    show { en = "Your global accesses, line by line:", zh = "逐行看你的全局内存访问：", picture = "sectors", of = "mine" },
    compare {
      en = "Where the accesses went:",
      zh = "各种访问的变化：",
      counters = { "gld_requests", "gst_requests", "shared_ld_requests", "local_ld_requests", "local_st_requests", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "For each variable ask how many copies there must be. One for each thread, one for each block, or one in all?",
      zh = "对每个变量都问一句：应当有几份？每个线程一份，每个块一份，还是总共一份？",
    },
    {
      en = [[
        `group` belongs to the block: `__shared__`, inside the kernel. The total belongs to the grid: a `__device__` variable (or `twins` itself)
        and `atomicAdd`. It outlives the launch, so clear it before every launch.

        `count` need not be an array: its elements can be three plain ints, and you need only two of them.
      ]],
      zh = [[
        `group` 属于块：写在核函数里，加 `__shared__`。总数属于网格：用一个 `__device__` 变量（或者直接用 `twins`）加 `atomicAdd`。
        这个变量在启动结束后仍然存在，所以每次启动前都要清零。

        `count` 不必是数组：用三个普通的 int 就行，其中只有两个用得上。
      ]],
    },
    {
      en = [[
        In the loop: `before += other < mine.x || (other == mine.x && k < me); equal += other == mine.x;`. Before and after the launch:

            void *address;
            cudaGetSymbolAddress(&address, found);
            cudaMemset(address, 0, sizeof found);
            rank_sort<<<...>>>((const int2 *)in, (int2 *)out, n);
            cudaMemcpyFromSymbol(twins, found, sizeof found, 0,
                                 cudaMemcpyDeviceToDevice);
      ]],
      zh = [[
        循环里写 `before += other < mine.x || (other == mine.x && k < me); equal += other == mine.x;`。启动的前后写：

            void *address;
            cudaGetSymbolAddress(&address, found);
            cudaMemset(address, 0, sizeof found);
            rank_sort<<<...>>>((const int2 *)in, (int2 *)out, n);
            cudaMemcpyFromSymbol(twins, found, sizeof found, 0,
                                 cudaMemcpyDeviceToDevice);
      ]],
    },
  },

  after = {
    en = [[
      The four mistakes differ. The group in global memory was not slow but *wrong*: all blocks wrote to one array. The total in shared memory
      was wrong the other way round: each block had its own.

      The counters were right but slow. On an H200 an array of 32 words, which each lane indexes at random, took 440 us in local memory and 15
      us in shared memory, for the same work. And two halves of a record cost twice the requests of the whole.

      At each turn the loop over the group reads one word for all lanes of a warp. Shared memory gives it to all of them in one pass. So does
      constant memory, the subject of the next lab.
    ]],
    zh = [[
      四处错误各不相同。组放在全局内存里，不是慢，而是*错*：所有的块都往同一个数组里写。总数放在共享内存里，错得正好相反：每个块各有一份。

      计数器是对的，但慢：在 H200 上，每个线程一个 32 个字的数组，各 lane 随机取下标，同样的工作量放在局部内存里要 440 微秒，放在共享内存里只要 15 微秒。而把一条记录拆成两半读写，
      请求数是整条读写的两倍。

      循环遍历一组时，每一步里整个 warp 读的是同一个字。共享内存用一遍就能发给所有 lane；下一个实验的常量内存也能做到。
    ]],
  },
  more = {
    en = [[
      Leave the total uncleared and run: the first call is right, and the later ones are wrong. Then declare the array `count` again, but index
      it only by constants (`count[0] += ...; count[1] += ...;`). Is it still in local memory? Look at `local_ld_requests`.
    ]],
    zh = [[
      不清零总数，再运行：第一次调用是对的，后面就不对了。然后把 `count` 数组写回来，但只用常数下标（`count[0] += ...; count[1] += ...;`）：它还在局部内存里吗？
      看看 `local_ld_requests`。
    ]],
  },
}
