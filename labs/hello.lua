-- Chapter 1: threads, blocks, grids.
return lab {
  id = "hello",
  title = { en = "Who is there?", zh = "线程报到" },
  chapter = 1,
  minutes = 20,
  needs = {},
  source = "slides II, III; book 5.3",
  teaches = {
    ["builtin-variables"] = "say ask exercise",
    dim3 = "say ask",
    ["dim3-defaults"] = "say ask",
    ["builtin-types"] = "say",
    ["third-direction"] = "say",
    ["launch-syntax"] = "say predict",
    ["device-query"] = "after",
    ["several-devices"] = "say ask",
    ["program-built"] = "say",
    ["warp-size"] = "say ask",
    asynchronous = "ask",
    ["missing-sync"] = "ask skeleton",
  },

  entry = "void hello(int *id, int n)",
  args = { id = output("n") },
  cases = { { n = 128 }, { n = 1 }, { n = 1003 }, { n = 1 << 16, timed = true } },
  hidden = { count = 3, n = { 2, 100000, most = 1 << 24 } },
  goals = {
    correct { points = 6 },
    -- Up to 8 elements for each thread: 16 bytes in one store, and twice.
    at_least("grid_threads", (1 << 16) / 8) {
      points = 1,
      en = "Launch about as many threads as there are elements. One block cannot have that many threads, so launch many blocks.",
      zh = "启动的线程数应当与元素数差不多。一个块容不下这么多线程，要启动许多块。",
    },
    at_least("active_lanes_avg", 20) {
      points = 1,
      en = "Give every element its own thread.",
      zh = "让每个元素都有自己的线程。",
    },
    at_most("repeated_store_bytes", (1 << 16) * 4 / 2) {
      points = 1,
      en = "Several threads write the same element. Give each thread an element of its own.",
      zh = "有几个线程写同一个元素。应当让每个线程写自己的元素。",
    },
    at_least("bytes_per_store", 20) {
      points = 1,
      en = "Let each thread of a warp write one element. The 32 threads of a warp then write 32 ints, which are 128 bytes, with one instruction.",
      zh = "让一个 warp 的每个线程各写一个元素。这样 32 个线程用一条指令写出 32 个 int，共 128 字节。",
    },
  },

  steps = {
    say {
      en = [[
        In this lab you write a kernel in which thread number i writes i into `id[i]`. You will find out how a thread computes its number, how many
        threads a launch starts, and whether the host waits for the kernel. (The CPU and its memory are the *host*; the GPU and its memory are the
        *device*.)

        A *kernel* is a function that many threads execute at the same time. `who<<<4, 128>>>(id, n)` launches the kernel `who` with 4 *blocks* of 128
        threads each. Together, the 4 blocks form the *grid*. Blocks run in no fixed order: the device starts a block as soon as it has room for one.

        In the kernel, four variables tell a thread where it is. `threadIdx.x` is the thread's position in its block. `blockIdx.x` is the block's
        position in the grid. `blockDim.x` is the number of threads in a block, and `gridDim.x` is the number of blocks in the grid.

        Blocks and grids may have up to three directions, so each of the four variables has an `.x`, a `.y` and a `.z`. For more than one direction,
        replace the 4 or the 128 in the launch by a `dim3`: `dim3 block(16, 16)` stands for blocks of 16 x 16 threads. A direction that you leave out
        has size 1. (The first devices ignored the third direction of a grid; all devices since 2010 use it.)

        `blockDim` and `gridDim` have the type `dim3`. `threadIdx` and `blockIdx` have a similar type, `uint3`.
      ]],
      zh = [[
        这个实验要写一个核函数：编号为 i 的线程把 i 写到 `id[i]`。你会学到：线程怎样算出自己的编号，一次启动有多少个线程，
        主机会不会等核函数做完。（CPU 和它的内存叫*主机*，GPU 和它的内存叫*设备*。）

        *核函数*（kernel）是由许多线程同时执行的函数。`who<<<4, 128>>>(id, n)` 用 4 个*线程块*（block，简称块）启动核函数 `who`，每块 128 个线程。
        这 4 个块合起来叫*网格*（grid）。块的执行顺序没有规定：设备一有空位，就开始执行一个块。

        在核函数里，线程靠四个变量知道自己在哪里。`threadIdx.x` 是线程在块内的位置，`blockIdx.x` 是块在网格里的位置，`blockDim.x` 是每个块的线程
        数，`gridDim.x` 是网格里的块数。

        块和网格最多可以有三个方向，所以上面四个变量都有 `.x`、`.y`、`.z`。要用两个或三个方向，就把启动中的 4 或 128 换成一个 `dim3`：
        `dim3 block(16, 16)` 表示每块 16 x 16 个线程，没有写出的方向，大小是 1。（最早的设备忽略网格的第三个方向，2010 年以后的设备都支持。）

        `blockDim` 和 `gridDim` 的类型是 `dim3`，`threadIdx` 和 `blockIdx` 的类型是与之相似的 `uint3`。
      ]],
    },
    ask {
      alone = true,
      en = "Each block of a launch has 128 threads. What is the number of thread {t} of block {b} in the whole grid? (All numbers count from 0.)",
      zh = "一次启动中，每块有 128 个线程。块 {b} 的线程 {t} 在整个网格里的编号是多少？（所有编号都从 0 开始。）",
      draw = { t = { 0, 127 }, b = { 1, 9 } },
      answer = function(d) return d.b * 128 + d.t end,
      replies = { { function(d) return (d.b + 1) * 128 + d.t end, en = "Blocks count from 0: there are {b} blocks before block {b}.", zh = "块的编号从 0 开始：块 {b} 前面有 {b} 个块。" } },
      because = { en = "The {b} blocks before block {b} have {b} * 128 threads. Add {t}, the position of the thread in its block.", zh = "块 {b} 前面的 {b} 个块共有 {b} * 128 个线程，再加上线程在块内的位置 {t}。" },
    },
    ask {
      alone = true,
      en = "`dim3 grid({gx}, {gy}), block({x}, {y}); k<<<grid, block>>>();` How many threads does this code launch?",
      zh = "`dim3 grid({gx}, {gy}), block({x}, {y}); k<<<grid, block>>>();` 这段代码一共启动多少个线程？",
      draw = { gx = { 2, 9 }, gy = { 2, 5 }, x = { from = { 8, 16, 32 } }, y = { from = { 2, 4, 8 } } },
      answer = function(d) return d.gx * d.gy * d.x * d.y end,
      replies = { { function(d) return d.gx * d.gy end, en = "You found the number of blocks. How many threads does each block have?", zh = "你算出的是块数。每个块有多少个线程？" } },
      because = {
        en = "The grid has {gx} * {gy} * 1 blocks, and each block has {x} * {y} * 1 threads. A direction that you leave out has size 1, not 0.",
        zh = "网格有 {gx} * {gy} * 1 个块，每块有 {x} * {y} * 1 个线程。没有写出的方向，大小是 1，不是 0。",
      },
    },
    ask {
      alone = true,
      en = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` When does the host reach the `printf`?",
      zh = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` 主机什么时候执行到 `printf`？",
      choices = {
        { en = "When all threads have finished", zh = "所有线程都结束之后" },
        { en = "When the first block has finished", zh = "第一个块结束之后" },
        { en = "At once: the launch only puts the kernel into a queue", zh = "立刻：启动只是把核函数放进队列", right = true },
        { en = "When all blocks have begun", zh = "所有块都开始执行之后" },
      },
      because = {
        en = "A launch is *asynchronous*: the host goes on without waiting. `cudaDeviceSynchronize()` makes the host wait for the device. `cudaMemcpy`, which copies results to the host (see the lab `memory-api`), also makes the host wait. If a program ends without waiting, the text that its kernels print may be lost.",
        zh = "启动是*异步*的：主机不等核函数做完就继续执行。调用 `cudaDeviceSynchronize()` 时，主机会等待设备；用 `cudaMemcpy` 把结果拷回主机时（见实验 `memory-api`），主机也会等待。如果程序没有等待就结束，核函数打印的内容可能会丢失。",
      },
    },
    say {
      en = [[
        A CUDA source file holds code for two processors, and the compiler `nvcc` makes one program from this file. Code for the device is
        marked. `__global__` marks a kernel: the host launches it, and it runs on the device. `__device__` marks a function that kernels call. All other
        code runs on the host. Serial work stays in host code; parallel work goes into kernels.

        The device divides each block into *warps* of 32 consecutive threads. (A kernel can read the number 32 from `warpSize`.) The threads of a warp
        execute each instruction together. A warp has 32 positions for its threads; each position is a *lane*.

        The host chooses the device: `cudaGetDeviceCount` counts the devices, and `cudaSetDevice(k)` selects device k. Unless a lab says otherwise,
        the pointers that your function gets are *device pointers*, that is, addresses in device memory. Kernels may read and write through a device
        pointer; host code may only pass the pointer on. You cannot tell from the type of a pointer which memory the pointer points to.
      ]],
      zh = [[
        一个 CUDA 源文件里有给两种处理器的代码，编译器 `nvcc` 把整个文件编译成一个程序。设备代码带有标记：`__global__` 标记核函数，
        核函数由主机启动，在设备上执行；`__device__` 标记由核函数调用的函数。其余的代码都在主机上执行。串行的工作留给主机，并行的工作写成核函数。

        设备把每个块分成若干个*线程束（warp）*，每 32 个编号相邻的线程组成一个 warp（核函数可以从 `warpSize` 读到 32 这个数）。
        一个 warp 的所有线程一起执行同一条指令。线程在 warp 里的位置叫 *lane*。

        使用哪个设备由主机决定：`cudaGetDeviceCount` 给出设备的个数，`cudaSetDevice(k)` 选定设备 k。除非实验另有说明，你写的主机函数收到的都是*设备指针*，
        也就是设备内存里的地址。核函数可以通过设备指针读写内存，主机代码只能把设备指针传给别的函数。从指针的类型看不出它指向哪种内存。
      ]],
    },
    ask {
      en = "A machine has 4 devices. A program launches a kernel with 1000 blocks. It has not called `cudaSetDevice`. Where do the blocks run?",
      zh = "一台机器有 4 个设备。程序没有调用 `cudaSetDevice`，就启动了一个有 1000 个块的核函数。这些块在哪里执行？",
      choices = {
        { en = "All on device 0", zh = "全部在 0 号设备上", right = true },
        { en = "250 on each device", zh = "每个设备各 250 个" },
        { en = "On whichever device is idle", zh = "在空闲的设备上" },
        { en = "Nowhere: the launch fails", zh = "不在任何设备上执行：启动失败" },
      },
      because = {
        en = "Device 0 is the default. All blocks of a launch run on one device. To use several devices, a program must divide the work among them.",
        zh = "没有选定设备时，默认使用设备 0。一次启动的所有块都在同一个设备上执行。程序想用多个设备，就要自己划分工作。",
      },
    },
    ask {
      alone = true,
      en = "How many warps does a block of {b} threads have?",
      zh = "一个有 {b} 个线程的块有多少个 warp？",
      draw = { b = { from = { 33, 48, 100, 128, 200, 320, 500 } } },
      answer = function(d) return ceil_div(d.b, 32) end,
      replies = { { function(d) return d.b // 32 end, en = "You rounded down. The threads that are left over need a warp, too.", zh = "这是向下取整。剩下的那些线程也要占一个 warp。" } },
      because = {
        en = "Divide {b} by 32 and round up. If the block size is not a multiple of 32, the last warp of each block is not full: some of its lanes never do anything. For example, a block of 48 threads takes two warps.",
        zh = "用 {b} 除以 32，向上取整。块大小不是 32 的倍数时，每个块的最后一个 warp 不满，其中有些 lane 始终不工作。例如，48 个线程的块占两个 warp。",
      },
    },
    predict {
      en = "The model answer uses blocks of 128 threads. How many blocks does it launch for n = 1003?",
      zh = "参考答案每块用 128 个线程。n = 1003 时，参考答案启动多少个块？",
      counter = "blocks",
      of = "answer",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "1003 / 128 = 7.8, rounded up: 8 blocks. They have 8 * 128 = 1024 threads, and the last 21 threads have nothing to do.", zh = "1003 / 128 = 7.8，向上取整是 8 个块。8 个块共有 8 * 128 = 1024 个线程，最后 21 个线程没有工作。" },
    },
    exercise { en = "Let each thread compute its number in the grid and write that number into `id`. The skeleton also prints a line from each of the first two blocks: look at these lines when you type `run`.", zh = "让每个线程算出自己在网格里的编号，并写到 `id` 里。骨架代码还让前两个块各打印一行：输入 `run` 之后，看看打印了什么。" },
    show { en = "Your kernel, line by line: how often warps executed each line, and how many of their 32 lanes were active on average.", zh = "逐行看你的核函数：每一行被 warp 执行了多少次，32 个 lane 里平均有多少个在工作。", picture = "divergence", of = "mine" },
  },

  hints = {
    { en = "Two threads of different blocks can have the same `threadIdx.x`. Which variable tells the two threads apart?", zh = "不同块里的两个线程，`threadIdx.x` 可能相同。用哪个变量能区分这两个线程？" },
    { en = "How many threads do the blocks before your thread's block have? Add your thread's position in its block.", zh = "排在本块前面的那些块一共有多少个线程？再加上线程在本块里的位置。" },
    { en = "`int i = blockIdx.x * blockDim.x + threadIdx.x;`", zh = "写成 `int i = blockIdx.x * blockDim.x + threadIdx.x;`" },
  },

  after = {
    en = "Nearly every kernel begins with a line that computes the thread's number. Blocks run in any order, so your program must not depend on their order. The parts of the device that run blocks are its *multiprocessors*. To see how many multiprocessors a device has, call `cudaGetDeviceProperties`, or type `device` here.",
    zh = "几乎每个核函数都以计算线程编号的那一行开头。块的执行顺序没有规定，所以程序不能依赖这个顺序。设备里执行块的部件叫*多处理器*。想知道设备有多少个多处理器，可以调用 `cudaGetDeviceProperties`，或者在这里输入 `device`。",
  },
  more = { en = "Print `blockIdx.x` from every block and look at the order. Is the order the same in every run?", zh = "让每个块都打印 `blockIdx.x`，看看打印的顺序。每次运行的顺序都一样吗？" },
}
