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
    ["in"] = integers(-60000, 60000, "2 * n", -(1 << 31), (1 << 31) - 1),
    out = output("2 * n"),
    twins = output("1"),
  },
  cases = { { n = 64 }, { n = 1 }, { n = 1003 }, { n = 1 << 17, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 4 },
    at_most("global_loads", 0.05 * baseline) {
      points = 2,
      en = [[
        The threads of a block load the same 64 records again and again. Load them once, into memory
        that only this block sees.
      ]],
      zh = "一个块的各个线程一再读取同样的 64 条记录。应当只读一次，放在只有本块看得见的内存里。",
    },
    at_most("global_stores", 0.84 * baseline) {
      points = 2,
      en = [[
        Each thread stores the key and the value of its record separately. Store the record as one
        `int2`: this is a single store of 8 bytes.
      ]],
      zh = "每个线程把一条记录的键和值分两次写。应当把记录作为一个 `int2`，一次写 8 字节。",
    },
    -- Only the records of the group, from shared memory: half of the baseline's.
    at_most("all_load_bytes", 0.6 * baseline) {
      points = 2,
      en = [[
        `count` is still in memory: in local or in shared memory. Its index is known only when the
        program runs, and an index cannot select a register.
      ]],
      zh = [[
        `count` 还在内存里：局部内存或共享内存。`count` 的下标到运行时才知道，而寄存器不能用下标访
        问。
      ]],
    },
  },
  forbid = { "thrust::", "cub::" },

  steps = {
    say {
      en = [[
        This lab's kernel sorts records in groups of 64, as a first step of a larger sort. It also
        counts the records whose key occurs more than once in their group. The skeleton puts several
        variables into the wrong memory. You will learn which memory a variable lives in, and then
        give each variable its right place.

        The place and the *qualifier* of a declaration decide three things: which memory the
        variable is in, who sees it, and how long it lives.

            declaration            where             seen by        lives as long as
            int x; in a kernel     register          one thread     the thread
            int x[9]; in a kernel  register, local   one thread     the thread
            __shared__ int x;      shared            its block      the block
            __device__ int x;      global            all threads    the program
            __constant__ int x;    constant          all threads    the program

        A variable without a qualifier is in a register. If there are too few registers, the
        variable goes to *local memory*. Some arrays go there, too, for example an array whose index
        the compiler does not know.

        Registers and shared memory are on the chip, in every multiprocessor. Local, global,
        constant and texture memory are four regions of the same device memory. They differ in how
        they are addressed, and in the caches that serve them.

        The host can reach only the variables of the last two rows of the table. For this, it names
        the variable in a call of `cudaMemcpyToSymbol(x, ...)`, `cudaMemcpyFromSymbol(..., x, ...)`
        or `cudaGetSymbolAddress`, which returns the address. The host cannot reach registers, local
        memory and shared memory.
      ]],
      zh = [[
        本实验的核函数把记录分成每组 64 条，并在各组之内排序。这是更大的排序的第一步。核函数还统计有多少条记录的键在
        组内不止出现一次。骨架代码把几个变量放错了内存。你会学到变量放在哪种内存里，然后把每个变量放
        到正确的地方。

        变量在哪里声明、前面加什么*限定符*，决定了三件事：放在哪种内存里，谁看得见，生存期多长。

            声明                   位置              谁看得见      生存期
            核函数里的 int x;      寄存器            一个线程      线程
            核函数里的 int x[9];   寄存器或局部内存  一个线程      线程
            __shared__ int x;      共享内存          所在的块      块
            __device__ int x;      全局内存          所有线程      整个程序
            __constant__ int x;    常量内存          所有线程      整个程序

        不带限定符的变量放在寄存器里。寄存器不够用时，变量就放到*局部内存*（local memory）里。有些数
        组也放到局部内存里，例如编译器不知道下标的数组。

        寄存器和共享内存位于芯片上，每个多处理器各有一份。局部内存、全局内存、
        常量内存和纹理内存是同一块设备内存里的四个区域，区别在于寻址方式和所用的缓存。

        主机只能访问表中最后两行的变量，办法是在调用 `cudaMemcpyToSymbol(x, ...)`、
        `cudaMemcpyFromSymbol(..., x, ...)` 或 `cudaGetSymbolAddress`（返回地址）时写出变量的名字。
        主机访问不到寄存器、局部内存和共享内存。
      ]],
    },
    ask {
      alone = true,
      en = [[
        A file declares `__device__ float g[8];`. Its kernel declares
        `__shared__ float s[16]; float r[4];`. The kernel is launched with {b} blocks of {t}
        threads. How many floats do all copies of g, s and r have together?
      ]],
      zh = [[
        文件里声明了 `__device__ float g[8];`，核函数里声明了
        `__shared__ float s[16]; float r[4];`。启动 {b} 个块，每块 {t} 个线程。所有的 g、s、r 合起
        来，一共有多少个 float？
      ]],
      draw = { b = { 2, 12 }, t = { from = { 32, 64, 128 } } },
      answer = function(d) return 8 + 16 * d.b + 4 * d.b * d.t end,
      because = {
        en = [[
          The program has one g, each of the {b} blocks has an s, and each thread has an r. This
          makes 8 + 16 * {b} + 4 * {b} * {t} floats.
        ]],
        zh = [[
          整个程序只有一份 g，{b} 个块各有一份 s，每个线程各有一份 r：8 + 16 * {b} + 4 * {b} * {t}。
        ]],
      },
    },
    say {
      en = [[
        How long does each memory take to answer? The table gives the cycles from a load to the use
        of its result. On the left are the slides of CUDA courses, which describe a G80. On the
        right are figures for an H200. They are measured, except the one marked as modelled.

                                 slides                  H200
            register             no extra delay          no extra delay
            shared memory        as a register           29
            constant, cached     as a register           34
            texture, cached      as a register           86 (modelled)
            global and local     400 to 600, no cache    43 in L1, 288 in L2,
                                                         661 in DRAM

        Two things have changed. First, global and local memory are cached today. (Local memory is
        cached in L2. On compute capability 2.x and 3.x, and from 7.x on, it is also cached in L1.)
        Second, shared memory is fast, but slower than a register.

        One thing has not changed. The device may have to issue a memory instruction several times,
        depending on the addresses of the warp. *Each memory space has its own rule* for which
        addresses it serves together. These rules are the subject of this chapter.
      ]],
      zh = [[
        从每种内存读取要多久？下表给出从读取到结果可用的周期数。
        左边是 CUDA 课程的幻灯片对 G80 的说法，右边是 H200 上的数字，除标明“模型”的以外都是实测。

                             幻灯片                H200
            寄存器           没有额外延迟          没有额外延迟
            共享内存         同寄存器              29
            常量，命中缓存   同寄存器              34
            纹理，命中缓存   同寄存器              86（模型）
            全局与局部内存   400 到 600，无缓存    L1 43，L2 288，
                                                   DRAM 661

        有两点变了。第一，全局内存和局部内存如今都有缓存。（局部内存由 L2 缓存；在计算能力 2.x、3.x
        上以及从 7.x 起，还由 L1 缓存。）第二，共享内存很快，但比寄存器慢。

        有一点没有变：设备可能要把一条访存指令发射好几遍；要几遍，取决于一个线程束（warp）的各个地
        址。*每种内存各有各的规则*，规定哪些地址能一起访问。本章讲的就是这些规则。
      ]],
    },
    say {
      en = [[
        Functions have qualifiers, too:

            qualifier     runs on    called from
            __global__    device     the host, as a launch; returns void
            __device__    device     the device
            __host__      host       the host; the same as no qualifier

        The host can start work on the device only by launching a `__global__` function. (The device
        can launch kernels, too, but this course leaves that out.) A launch returns at once and does
        not wait for the kernel to end. A `__host__ __device__` function is compiled twice, once for
        the host and once for the device.

        Older texts list four things that device functions cannot do: recurse, hold static
        variables, take a variable number of arguments, or have their address taken. This was true
        on the first devices. With nvcc 13, all four are allowed.

        The launch copies the *arguments* of a kernel into constant memory, where all threads read
        them. Arguments need no qualifier and cost no global load. (The slides say that arguments
        take up to 100 bytes of shared memory. This was true on the first devices.)
      ]],
      zh = [[
        函数也有限定符：

            限定符        在哪里执行   从哪里调用
            __global__    设备         主机，以启动的方式；返回类型为 void
            __device__    设备         设备
            __host__      主机         主机；与不写限定符相同

        主机要让设备工作，只能启动 `__global__` 函数。（设备也能启动核函数，本课程不讲。）
        启动语句立即返回，不等核函数结束。`__host__ __device__` 函数会编译两次，
        为主机和设备各编译一次。

        较早的资料说，设备函数有四件事不能做：递归、使用静态变量、使用可变参数、取函数的地址。
        最早的设备确实如此，如今的 nvcc 13 四样都支持。

        启动时，驱动把核函数的*实参*拷贝到常量内存里，所有线程都从常量内存读实参。实参不需要限定符，
        也不产生全局内存读取。（幻灯片说实参最多占 100 字节共享内存，这是最早的设备的情况。）
      ]],
    },
    ask {
      alone = true,
      en = [[
        The function `clip(x)` replaces a number above 1 by 1 and leaves other numbers as they are.
        A kernel calls `clip` for every element, and `main` calls it to test the result. How must
        `clip` be declared?
      ]],
      zh = [[
        函数 `clip(x)` 把大于 1 的数改成 1，其余不变。核函数对每个元素调用 `clip`，`main` 也要调用
        `clip` 来检验结果。`clip` 应当怎样声明？
      ]],
      choices = {
        {
          en = "`__global__ float clip(float x)`",
          zh = "`__global__ float clip(float x)`",
          because = {
            en = [[
              A `__global__` function can only be launched, not called. It also has to return void.
            ]],
            zh = "`__global__` 函数只能启动，不能调用，而且返回类型必须是 void。",
          },
        },
        {
          en = "`float clip(float x)`, without a qualifier",
          zh = "`float clip(float x)`，不加限定符",
          because = {
            en = "Without a qualifier, `clip` is a `__host__` function: the kernel cannot call it.",
            zh = "不加限定符就是 `__host__` 函数，核函数不能调用。",
          },
        },
        {
          en = "`__device__ float clip(float x)`",
          zh = "`__device__ float clip(float x)`",
          because = {
            en = "This declaration allows calls only from the device, so `main` cannot call it.",
            zh = "这样只能从设备调用，`main` 不能调用。",
          },
        },
        {
          en = "`__host__ __device__ float clip(float x)`",
          zh = "`__host__ __device__ float clip(float x)`",
          right = true,
        },
      },
    },
    say {
      en = [[
        You can find out which variables are in local memory. `nvcc -ptx` (or `-keep`) writes the
        *PTX*, the assembly language between your source and the machine code. In the PTX, local
        memory has a name, such as `__local_depot0`:

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        The PTX shows only the first stage of the compiler. The second stage may run out of
        registers and put more variables into local memory. `-Xptxas -v` reports how many bytes of
        local memory each kernel uses, and `cuobjdump -sass` shows the machine code. Some functions
        of the maths library use local memory, too, such as `sinf` for large arguments.

        In local memory, word k of lane 0, word k of lane 1 and so on lie side by side. So if the
        lanes of a warp use the same index, the access coalesces. If the lanes use different
        indices, the access does not coalesce.

        In the baseline of this lab, the array `count` is in local memory. Each thread uses it to
        count how many keys of its group are smaller than its own key, equal to it, or larger.
      ]],
      zh = [[
        你可以查出哪些变量在局部内存里。`nvcc -ptx`（或 `-keep`）会写出 *PTX*，即介于源代码与机器码
        之间的汇编语言。PTX 里的局部内存有名字，例如 `__local_depot0`：

            .local .align 4 .b8  __local_depot0[12];
            ld.local.u32  %r40, [%rd21];
            add.s32       %r41, %r40, 1;
            st.local.u32  [%rd21], %r41;

        PTX 只反映编译的第一阶段。第二阶段如果寄存器不够，还会把更多变量放进局部内存。
        `-Xptxas -v` 报告每个核函数用了多少字节的局部内存，`cuobjdump -sass` 显示机器码。
        数学库里也有函数要用局部内存，例如参数很大时的 `sinf`。

        在局部内存里，各个 lane 的第 k 个字并排存放。所以，如果一个 warp 的各个 lane 用相同的下标，
        访问就是合并的；如果下标不同，就不合并。

        本实验的基线里就有这样一个数组 `count`。每个线程用这个数组统计：本组里有多少个键比自己的键
        小，有多少个相等，有多少个更大。
      ]],
    },
    predict {
      en = [[
        One block of 64 threads (2 warps) runs the baseline on 64 records. Each thread loops 64
        times and does one `count[...]++` each time. After the loop, it reads two elements of
        `count`. How many local *load* requests do both warps make in all, in the loop and after it?
      ]],
      zh = [[
        一个 64 线程的块（2 个 warp）用基线处理 64 条记录。每个线程循环 64 次，每次执行一遍
        `count[...]++`，循环结束后再读 `count` 的两个元素。循环之中和之后都算上，两个 warp 的局部内
        存*读*请求一共有多少个？
      ]],
      counter = "local_ld_requests",
      of = "baseline",
      case = { n = 64 },
      tolerance = 0.05,
      because = {
        en = [[
          Each `++` is a load and a store. So the 2 warps make 2 * (64 + 2) = 132 load requests. A
          warp that executes a load makes one request, however many lanes are active.
        ]],
        zh = [[
          每个 `++` 都是一次读加一次写，所以 2 个 warp 共有 2 * (64 + 2) = 132 个读请求。
          一个 warp 每执行一次读取，算一个请求，与参与的 lane 数无关。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        In a kernel, thread 5 writes `s[5]` of a `__shared__` array. Thread 70 of the same block
        then has to read it. What must happen in between?
      ]],
      zh = [[
        在核函数里，5 号线程写了 `__shared__` 数组的 `s[5]`，同一块的 70 号线程随后要读它。
        中间必须有什么？
      ]],
      choices = {
        {
          en = "Both threads pass a `__syncthreads()`",
          zh = "两个线程都经过一次 `__syncthreads()`",
          right = true,
        },
        {
          en = "Nothing: the whole block sees shared memory",
          zh = "什么都不用：共享内存整个块都看得见",
          because = {
            en = [[
              Threads 5 and 70 are in different warps. Without a barrier, thread 70 may read before
              thread 5 has written.
            ]],
            zh = [[
              5 号和 70 号线程在不同的 warp 里。没有屏障时，70 号线程可能在 5 号线程写入之前就读了。
            ]],
          },
        },
        {
          en = "A `cudaDeviceSynchronize()` on the host",
          zh = "主机上的一次 `cudaDeviceSynchronize()`",
          because = {
            en = [[
              This call waits until the kernel has ended. The shared memory of the block no longer
              exists then.
            ]],
            zh = "这个调用等到整个核函数结束，那时这个块的共享内存已经不存在了。",
          },
        },
        {
          en = "The array must be declared `__device__` instead",
          zh = "应当改用 `__device__` 声明这个数组",
          because = {
            en = [[
              All blocks would then share one array. And the two threads would still need a barrier.
            ]],
            zh = "那样所有的块会共用一个数组，而且这两个线程之间仍然需要屏障。",
          },
        },
      },
    },
    say {
      en = [[
        CUDA's built-in *vector types* are structs. The name is a basic type, with a u in front if
        it is unsigned, and a number from 1 to 4: `char2`, `uint3`, `float4`. The components are
        called x, y, z and w. (`dim3` is a `uint3` in which missing components become 1.)

        Types of 2 or 4 components are aligned to their own size, up to 16 bytes. So one instruction
        can move an `int2` of 8 bytes or a `float4` of 16 bytes. Types of 3 components are aligned
        only to the size of one component.

        (The largest types, such as `double4` and `ulong4`, are deprecated since CUDA 13. Their new
        names contain the alignment: `double4_16a` or `double4_32a`.)

        In this lab, a record is two ints: a key and a value.
      ]],
      zh = [[
        CUDA 内置的*向量类型*是结构体。名字由基本类型（无符号的前面加 u）和 1 到 4 的数字组成，
        例如 `char2`、`uint3`、`float4`，分量叫 x、y、z、w。（`dim3` 是一种 `uint3`，
        没写的分量自动为 1。）

        2 个或 4 个分量的类型按自身大小对齐，最多 16 字节，所以 8 字节的 `int2` 和 16 字节的
        `float4` 都能用一条指令读写。3 个分量的类型只按一个分量的大小对齐。

        （最大的类型，例如 `double4` 和 `ulong4`，从 CUDA 13 起不再推荐，新的名字里写明了对齐：
        `double4_16a` 或 `double4_32a`。）

        本实验的一条记录是两个 int：一个键和一个值。
      ]],
    },
    exercise {
      en = [[
        Sort each group of 64 records by key. Also count, over all groups, the records whose key
        occurs more than once in their own group.

        Four things in the skeleton are wrong. All blocks use the same `group` array. The array
        `count` is in local memory. Each block has its own total, `found`. Each record is read
        and written as two ints. Correct all four. First run the skeleton as it is: the report
        names two of the four mistakes.
      ]],
      zh = [[
        把每组 64 条记录按键排序，并统计整个数组里有多少条记录的键在组内不止出现一次。

        骨架代码有四处不对：所有的块共用一个 `group` 数组；数组 `count` 在局部内存里；
        每个块各有一个总数 `found`；每条记录分成两个 int 读写。请全部改正。先按原样运行一次，
        报告会指出四处中的两处。
      ]],
    },
    show {
      en = "The sectors that each line of your kernel reads and writes in global memory:",
      zh = "你的核函数每一行代码在全局内存里读写了多少个扇区：",
      picture = "sectors",
      of = "mine",
    },
    compare {
      en = "How many requests your kernel makes to each memory, beside the baseline:",
      zh = "你的核函数向每种内存发出多少个请求，与基线对比：",
      counters = {
        "gld_requests", "gst_requests", "shared_ld_requests", "local_ld_requests",
        "local_st_requests", "warp_inst",
      },
      beside = "baseline",
    },
  },

  hints = {
    {
      en = [[
        For each variable, ask how many copies there must be: one for each thread, one for each
        block, or one in all?
      ]],
      zh = "对每个变量都问一句：应当有几份？每个线程一份，每个块一份，还是总共一份？",
    },
    {
      en = [[
        `group` belongs to a block: declare it `__shared__`, inside the kernel. The total belongs to
        the grid: use a `__device__` variable (or `twins` itself), and add to it with `atomicAdd`.
        This variable outlives the launch, so clear it before every launch.

        `count` need not be an array. Use a separate int for each of its elements. You need only two
        of them.
      ]],
      zh = [[
        `group` 属于块：在核函数里用 `__shared__` 声明。总数属于网格：用一个 `__device__` 变量（或者
        直接用 `twins`），并用 `atomicAdd` 累加到里面。启动结束后这个变量仍然存在，所以每次启动前都
        要清零。

        `count` 不必是数组，每个元素换成一个普通的 int 就行，其中只有两个用得上。
      ]],
    },
    {
      en = [[
        In the loop:

            before += other < mine.x || (other == mine.x && k < me);
            equal += other == mine.x;

        Before and after the launch:

            void *address;
            cudaGetSymbolAddress(&address, found);
            cudaMemset(address, 0, sizeof found);
            rank_sort<<<...>>>((const int2 *)in, (int2 *)out, n);
            cudaMemcpyFromSymbol(twins, found, sizeof found, 0,
                                 cudaMemcpyDeviceToDevice);
      ]],
      zh = [[
        循环里写

            before += other < mine.x || (other == mine.x && k < me);
            equal += other == mine.x;

        启动的前后写

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
      The four mistakes differ. With `group` in global memory, the result was *wrong*, because all
      blocks wrote to one array. With `found` in shared memory, the result was wrong, too, because
      each block counted in its own `found`.

      With `count` in local memory, the result was right, but the kernel was slow. In a test on an
      H200, each thread had an array of 32 words and indexed it at random. The same work took 440 us
      in local memory and 15 us in shared memory. The fourth mistake was to move each record as two
      ints, which takes twice as many requests.

      In each step of the loop over the group, all lanes of a warp read the same word. Shared memory
      gives this word to all lanes in one pass. Constant memory, which this chapter explains later,
      can do this, too.
    ]],
    zh = [[
      四处错误各不相同。`group` 放在全局内存里，结果是*错*的，因为所有的块都往同一个数组里
      写。`found` 放在共享内存里，结果也是错的，因为每个块只在自己的 `found` 里计数。

      `count` 放在局部内存里，结果没有错，但核函数很慢。在 H200 上做过一个测试：
      每个线程有一个 32 个字的数组，随机取下标。同样的工作，数组在局部内存里要 440 微秒，
      在共享内存里要 15 微秒。第四处是把一条记录分成两个 int 读写，请求数是整条读写的两倍。

      在遍历一组的循环里，每一步整个 warp 读的是同一个字，共享内存用一遍就能把这个字给所有的 lane。
      本章后面讲的常量内存也能这样做。
    ]],
  },
  more = {
    en = [[
      Leave out the line that clears the total, and run. The first call is right, and the later
      calls are wrong. Why?

      Then declare `count` as an array again, but use only constants as its index:
      `count[0] += ...; count[1] += ...;`. Is the array still in local memory? Look at
      `local_ld_requests`.
    ]],
    zh = [[
      去掉给总数清零的语句再运行：第一次调用的结果是对的，后面几次的结果就不对了。为什么？

      然后把 `count` 改回数组，但只用常数作下标：`count[0] += ...; count[1] += ...;`。
      这个数组还在局部内存里吗？看看 `local_ld_requests`。
    ]],
  },
}
