-- Chapter 8: which memory a variable lives in, who sees it, and for how long.
return lab {
  id = "qualifiers",
  title = { en = "A place for every variable", zh = "每个变量都有它的位置" },
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
      en = "The records are loaded again and again. All threads of a block compare with the same 64: they belong where the block sees them, and nobody else.",
      zh = "记录被一遍遍地重复读取。一个块的所有线程都在和同样的 64 条比较：应当放在本块看得见、别的块看不见的地方。",
    },
    at_most("global_stores", 0.84 * baseline) {
      points = 2,
      en = "Key and value are written by two stores. A record is an `int2`: one store of 8 bytes.",
      zh = "键和值分成两次写。一条记录就是一个 `int2`：一次写 8 字节。",
    },
    at_most("local_ld_requests", 0) {
      points = 2,
      en = "`count` is still in local memory: its index is known only while the program runs, and registers have no index.",
      zh = "`count` 还在局部内存里：它的下标要到运行时才知道，而寄存器没有下标。",
    },
  },
  forbid = { "thrust::", "cub::" },

  steps = {
    say {
      en = [[
        Where a variable is written, and with which word in front, decides three things: which memory it lies in, who sees it, and how long it lives.

            declaration            where             seen by        lives as long as
            int x; in a kernel     register          one thread     the thread
            int x[9]; the same     register, local   one thread     the thread
            __shared__ int x;      shared            its block      the block
            __device__ int x;      global            all threads    the program
            __constant__ int x;    constant          all threads    the program

        Without a qualifier a variable lies in a register; if there are not enough of them, or if it is an array whose index the compiler does not know,
        it goes to *local memory*. Registers and shared memory are on the chip, in every multiprocessor. Local, global, constant and texture memory are
        four regions of one and the same device memory; they differ in how they are addressed, and in the caches in front.

        The host reaches the last two rows alone, by name: `cudaMemcpyToSymbol(x, ...)`, `cudaMemcpyFromSymbol(..., x, ...)`, or `cudaGetSymbolAddress`.
        Registers, local and shared memory are out of its reach.
      ]],
      zh = [[
        变量写在哪里、前面加什么限定符，决定了三件事：放在哪种内存、谁看得见、活多久。

            声明                   位置              谁看得见      生存期
            核函数里的 int x;      寄存器            一个线程      线程
            核函数里的 int x[9];   寄存器或局部内存  一个线程      线程
            __shared__ int x;      共享内存          所在的块      块
            __device__ int x;      全局内存          所有线程      整个程序
            __constant__ int x;    常量内存          所有线程      整个程序

        不带限定符的变量放在寄存器里；寄存器不够用，或者它是数组而编译器不知道下标，就放到*局部内存*（local memory）。寄存器和共享内存在芯片上，每个多处理器各有一份。
        局部、全局、常量、纹理内存则是同一块设备内存里的四个区域，区别只在寻址方式和前面的缓存。

        主机只能访问最后两行的变量，而且要通过名字：`cudaMemcpyToSymbol(x, ...)`、`cudaMemcpyFromSymbol(..., x, ...)` 或 `cudaGetSymbolAddress`。寄存器、局部内存和共享内存，主机都访问不到。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A file says `__device__ float g[8];`, and its kernel `__shared__ float s[16]; float r[4];`. The kernel is launched with {b} blocks of {t} threads. Counting
        every copy, how many floats do g, s and r amount to over the whole launch?
      ]],
      zh = [[
        文件里写着 `__device__ float g[8];`，核函数里写着 `__shared__ float s[16]; float r[4];`。启动 {b} 个块，每块 {t} 个线程。把每一份都算上，整个启动过程中 g、s、r 一共有多少个 float？
      ]],
      draw = { b = { 2, 12 }, t = { from = { 32, 64, 128 } } },
      answer = function(d) return 8 + 16 * d.b + 4 * d.b * d.t end,
      because = {
        en = "One g for the program, one s for each of the {b} blocks, one r for each thread: 8 + 16 * {b} + 4 * {b} * {t}.",
        zh = "整个程序一份 g，{b} 个块各有一份 s，每个线程各有一份 r：8 + 16 * {b} + 4 * {b} * {t}。",
      },
    },
    say {
      en = [[
        What does the distance cost? The slides give figures of the G80's time; beside them is what an H200 measures, in cycles from load to use:

                                 slides                  H200
            register             no extra delay          no extra delay
            shared memory        as a register           29
            constant, cached     as a register           34
            texture, cached      as a register           86 (modelled)
            global and local     400 to 600, no cache    43 in L1, 288 in L2,
                                                         661 in DRAM

        Two things changed: global and local memory are cached today (on compute capability 5.x and 6.x local memory in L2, on 3.x and from 7.x on in L1
        as well), and shared memory is near, but not as near as a register. What did not change: a memory instruction may have to be issued several
        times, depending on how the addresses of a warp are spread, and *each space has its own rule* for what is well spread. This chapter is about these rules.
      ]],
      zh = [[
        距离的代价是多少？CUDA 课程的幻灯片给的是 G80 时代的数字，旁边是 H200 上的实测，单位是从读取到可用的周期数：

                             幻灯片                H200
            寄存器           没有额外延迟          没有额外延迟
            共享内存         同寄存器              29
            常量，命中缓存   同寄存器              34
            纹理，命中缓存   同寄存器              86（模型）
            全局与局部内存   400 到 600，无缓存    L1 43，L2 288，
                                                   DRAM 661

        有两点变了：全局内存和局部内存如今都有缓存（局部内存在计算能力 5.x 和 6.x 上进 L2，在 3.x 上以及从 7.x 起还进 L1）；共享内存很近，但没有寄存器那么近。没有变的是：一条访存指令可能要发射好几遍，
        要看一个线程束（warp）的地址是怎样分布的，而且*每种内存各有各的规则*。这一章讲的就是这些规则。
      ]],
    },
    say {
      en = [[
        Functions have a place too:

            qualifier     runs on    called from
            __global__    device     the host, as a launch; returns void
            __device__    device     the device
            __host__      host       the host; the same as no qualifier

        A `__global__` function is the only way from the host to the device, and the launch returns at once. `__host__ __device__` compiles a function twice,
        once for each side. Older lists say that device functions cannot recurse, hold static variables, take a variable number of arguments or be pointed to. That was
        true of the first devices; nvcc 13 takes all four.

        A kernel's *arguments* are copied at the launch, into constant memory, where every thread reads them alike. They need no qualifier and cost no global load.
        (On the first devices they went through shared memory and took up to 100 bytes of it, as the slides say.)
      ]],
      zh = [[
        函数也有位置：

            限定符        在哪里执行   从哪里调用
            __global__    设备         主机，以启动的方式；返回类型为 void
            __device__    设备         设备
            __host__      主机         主机；与不写限定符相同

        从主机进入设备，`__global__` 函数是唯一的入口，而且启动后立即返回。写成 `__host__ __device__` 的函数会为两边各编译一份。较早的资料说设备函数不能递归、不能有静态变量、
        不能有可变参数、不能取地址。最早的设备确实如此；如今的 nvcc 13 四样都支持。

        核函数的*实参*在启动时被拷进常量内存，所有线程读到的都一样。它们不需要限定符，也不产生全局内存读取。（最早的设备是通过共享内存传递的，要占去其中不到 100 字节，幻灯片里说的就是这种情况。）
      ]],
    },
    ask {
      alone = true,
      en = "`clip(x)` cuts a number off at 1. A kernel calls it for every element, and `main` calls it to test the result. How is it declared?",
      zh = "`clip(x)` 把数值截断到 1 以内。核函数对每个元素调用它，`main` 也要调用它来检验结果。应当怎样声明？",
      choices = {
        {
          en = "`__global__ float clip(float x)`",
          zh = "`__global__ float clip(float x)`",
          because = { en = "A `__global__` function is launched, not called, and returns void.", zh = "`__global__` 函数是用来启动的，不是用来调用的，而且必须返回 void。" },
        },
        {
          en = "`float clip(float x)`, without a qualifier",
          zh = "`float clip(float x)`，不加限定符",
          because = { en = "That is `__host__`: the kernel cannot call it.", zh = "这等于 `__host__`：核函数不能调用它。" },
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
        You do not have to guess what became local memory. `nvcc -ptx` (or `-keep`) writes the PTX, and there it has names:

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        That is the first stage of the compiler. The second may run out of registers and put more there: `-Xptxas -v` reports the bytes of each kernel, and `cuobjdump -sass`
        shows the machine code. Some functions of the maths library take a path through local memory as well, `sinf` for large arguments among them. Lanes that use the same index touch neighbouring
        words, which is coalesced; lanes with different indices do not.

        In the baseline of this lab such an array counts how many keys of a group are smaller than a thread's own, equal, or larger.
      ]],
      zh = [[
        哪些变量进了局部内存，不必猜。用 `nvcc -ptx`（或 `-keep`）可以得到 PTX，里面写得明明白白：

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        这只是编译的第一阶段。第二阶段如果寄存器不够，还会往那里放：`-Xptxas -v` 报告每个核函数用了多少字节，`cuobjdump -sass` 能看到机器码。数学库里也有函数会走局部内存，例如参数很大时的 `sinf`。
        各 lane 下标相同时，访问的是相邻的字，是合并的；下标不同就不是了。

        本实验的基线里就有这样一个数组，它统计一组里有多少个键比本线程的小、相等、更大。
      ]],
    },
    predict {
      en = [[
        One block of 64 threads (2 warps) runs the baseline on 64 records. Each thread makes 64 turns of a loop with `count[...]++` in it, and reads two elements of
        `count` after the loop. How many local *load* requests is that in all?
      ]],
      zh = [[
        一个 64 线程的块（2 个 warp）用基线处理 64 条记录。每个线程循环 64 次，每次执行一遍 `count[...]++`，循环结束后再读 `count` 的两个元素。局部内存的*读*请求一共有多少个？
      ]],
      counter = "local_ld_requests",
      of = "baseline",
      case = { n = 64 },
      tolerance = 0.05,
      because = {
        en = "Each `++` is a load and a store: 2 warps * (64 + 2) = 132 loads. A request is one instruction of a warp, however many lanes take part.",
        zh = "每个 `++` 都是一次读加一次写：2 个 warp * (64 + 2) = 132 次读。不管有多少 lane 参与，一个 warp 的一条指令算一个请求。",
      },
    },
    ask {
      alone = true,
      en = "In a kernel, thread 5 writes `s[5]` of a `__shared__` array, and thread 70 of the same block wants to read it. What must happen in between?",
      zh = "在核函数里，5 号线程写了 `__shared__` 数组的 `s[5]`，同一块的 70 号线程要读它。中间必须有什么？",
      choices = {
        { en = "Both threads pass a `__syncthreads()`", zh = "两个线程都经过一次 `__syncthreads()`", right = true },
        {
          en = "Nothing: shared memory is seen by the whole block",
          zh = "什么都不用：共享内存整个块都看得见",
          because = { en = "Seen, yes, but when? Threads 5 and 70 are in different warps, and nothing says which of them comes first.", zh = "看得见，但是什么时候？5 号和 70 号线程不在同一个 warp，谁先谁后没有任何保证。" },
        },
        {
          en = "A `cudaDeviceSynchronize()` on the host",
          zh = "主机上的一次 `cudaDeviceSynchronize()`",
          because = { en = "That waits for the end of the kernel, when the block's shared memory is gone.", zh = "那是等整个核函数结束，到时候这个块的共享内存早就没有了。" },
        },
        {
          en = "The array must be declared `__device__` instead",
          zh = "应当改用 `__device__` 声明这个数组",
          because = { en = "Then all blocks would share the one array, and the order would be as open as before.", zh = "那样所有的块会共用同一个数组，而先后次序依旧没有保证。" },
        },
      },
    },
    say {
      en = [[
        One more tool. The built-in *vector types* are structs made of a basic type, an optional u for unsigned, and a number from 1 to 4: `char2`, `uint3`, `float4`. (The largest, such as `double4` and `ulong4`, are deprecated since CUDA 13, which wants their alignment in the name: `double4_16a` or `double4_32a`.) Their components are x, y, z and w. (`dim3` is
        a `uint3` whose missing components become 1.) Their alignment is right by nature: an `int2` of 8 bytes and a `float4` of 16 are moved by one instruction.

        A record of this lab is a key and a value, two ints.
      ]],
      zh = [[
        再介绍一件工具。内置的*向量类型*是结构体，名字由基本类型（无符号加 u）和 1 到 4 的数字组成：`char2`、`uint3`、`float4`，分量叫 x、y、z、w。（其中最大的，例如 `double4` 和 `ulong4`，从 CUDA 13 起不再推荐，名字里要写明对齐：`double4_16a` 或 `double4_32a`。）（`dim3` 就是 `uint3`，只是没写的分量自动为 1。）
        它们天生对齐：8 字节的 `int2` 和 16 字节的 `float4` 都只用一条指令搬运。

        本实验的一条记录由键和值两个 int 组成。
      ]],
    },
    exercise {
      en = [[
        Each group of 64 records is to be sorted by key, and the records with an equal in their group counted over the whole array. In the skeleton the group is the whole grid's, the counters
        are in local memory, the total is a block's, and records are moved by halves. Give each its place. Run it first as it is: the report names two of the four.
      ]],
      zh = [[
        每 64 条记录一组，组内按键排序，并统计整个数组里有多少条记录在组内有同键的伙伴。骨架代码里，组是整个网格共用的，计数器在局部内存里，总数却属于单个块，记录还拆成两半来搬。
        请让它们各就各位。先按原样运行一次：报告会指出四处中的两处。
      ]],
    },
    show { en = "Your global accesses, line by line:", zh = "逐行看你的全局内存访问：", picture = "sectors", of = "mine" },
    compare {
      en = "What moved to where:",
      zh = "各搬到了哪里：",
      counters = { "gld_requests", "gst_requests", "shared_ld_requests", "local_ld_requests", "local_st_requests", "warp_inst" },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = "Ask of each variable: how many copies must there be? One for each thread, for each block, or one in all?",
      zh = "对每个变量都问一句：应该有几份？每个线程一份，每个块一份，还是一共一份？",
    },
    {
      en = [[
        `group` is the block's: `__shared__`, inside the kernel. The total is the grid's: a `__device__` variable (or `twins` itself) and `atomicAdd`. It outlives the launch, so clear it before every launch. And `count` need
        not be an array: its elements can be three plain ints, of which you need two.
      ]],
      zh = [[
        `group` 属于块：放进核函数里，用 `__shared__`。总数属于网格：用一个 `__device__` 变量（或者直接用 `twins`）加 `atomicAdd`。它比启动活得久，所以每次启动前都要清零。
        `count` 不必是数组：三个普通的 int 就行，而且只用得上两个。
      ]],
    },
    {
      en = [[
        In the loop: `before += other < mine.x || (other == mine.x && k < me); equal += other == mine.x;`. Around the launch:

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
      Four places, four reasons. The group in global memory was not slow but *wrong*: all blocks wrote to the one array. The total in shared memory was wrong the other way round: each block had one of its own. The counters were right and slow:
      on an H200 an array of 32 words, which each lane indexes at random, took 440 us in local memory and 15 in shared memory, for the same work. And two halves of a record cost twice the requests of the whole.

      The loop over the group reads one word for all lanes of a warp at each turn. Shared memory hands it to all of them in one go; so would constant memory, which comes next.
    ]],
    zh = [[
      四个位置，四条理由。组放在全局内存里，不是慢，而是*错*：所有的块都往同一个数组里写。总数放在共享内存里，错得正好相反：每个块各有一份。计数器是对的，但慢：
      在 H200 上，每个线程一个 32 个字的数组，各 lane 随机取下标，同样的工作量放在局部内存里要 440 微秒，放在共享内存里只要 15 微秒。而把一条记录拆成两半，请求数就是整条搬的两倍。

      循环遍历一组时，每一步里整个 warp 读的是同一个字。共享内存一次就能发给所有 lane；下一个实验的常量内存也能做到。
    ]],
  },
  more = {
    en = [[
      Leave out the clearing of the total and run: the first call is right, and the next ones are not. Then declare the `count` array again, but index it only by constants (`count[0] += ...; count[1] += ...;`): is it still in
      local memory? Look at `local_ld_requests`.
    ]],
    zh = [[
      去掉总数的清零再运行：第一次调用是对的，后面就不对了。然后把 `count` 数组写回来，但只用常数下标（`count[0] += ...; count[1] += ...;`）：它还在局部内存里吗？看看 `local_ld_requests`。
    ]],
  },
}
