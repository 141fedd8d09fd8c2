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
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 7 },
    at_least("active_lanes_avg", 20) {
      points = 2,
      en = "Give every element its own thread.",
      zh = "让每个元素都有自己的线程。",
    },
    at_least("bytes_per_store", 80) {
      points = 1,
      en = "Each thread of a warp should write one element: the 32 threads then write 128 bytes at once.",
      zh = "一个 warp 的每个线程都应当写一个元素：32 个线程一次写 128 字节。",
    },
  },

  steps = {
    say {
      en = [[
        A *kernel* is a function that many threads execute at once, each with its own number. `who<<<4, 128>>>(id, n)` launches a *grid* of 4 *blocks*
        of 128 threads. In the kernel, `threadIdx.x` is the thread's position in its block, `blockIdx.x` the block's position in the grid,
        `blockDim.x` the size of a block and `gridDim.x` the number of blocks.

        Blocks have no fixed order: they run side by side or one after another, as the device finds room. `threadIdx` and `blockIdx` have the type
        `uint3`, `blockDim` and `gridDim` the type `dim3`.

        Each of the two numbers of a launch may also be a `dim3`, with up to three directions: `dim3 block(16, 16)` makes blocks of 16 x 16 threads. A
        component that you leave out is 1. This is why each of the four variables has an `.x`, a `.y` and a `.z`. (The first devices ignored the third
        direction of a grid; all devices since 2010 use it.)
      ]],
      zh = [[
        *核函数*（kernel）是由许多线程同时执行的函数，每个线程有自己的编号。`who<<<4, 128>>>(id, n)` 启动一个由 4 个*线程块*（block，简称块）
        组成的*网格*（grid），每块 128 个线程。在核函数里，`threadIdx.x` 是线程在块内的位置，`blockIdx.x` 是块在网格里的位置，`blockDim.x` 是块的大
        小，`gridDim.x` 是块的个数。

        块的执行顺序没有规定：设备上有空位就安排一个块，几个块可能同时执行，也可能先后执行。`threadIdx` 和 `blockIdx` 的类型是 `uint3`，`blockDim` 和
        `gridDim` 的类型是 `dim3`。

        启动时的这两个数也可以是 `dim3`，最多有三个方向：`dim3 block(16, 16)` 得到 16 x 16 个线程的块。没有写出的分量自动取 1。
        所以上面四个变量都有 `.x`、`.y`、`.z`。（最早的设备会忽略网格的第三维，2010 年以后的设备都支持。）
      ]],
    },
    ask {
      alone = true,
      en = "A launch has 128 threads per block. Which number in the whole grid does thread {t} of block {b} have? (Threads, blocks and numbers count from 0.)",
      zh = "每块 128 个线程时，块 {b} 的线程 {t} 在整个网格里的编号是多少？（块、线程和编号都从 0 开始）",
      draw = { t = { 0, 127 }, b = { 1, 9 } },
      answer = function(d) return d.b * 128 + d.t end,
      replies = { { function(d) return (d.b + 1) * 128 + d.t end, en = "Blocks count from 0: there are {b} blocks before block {b}.", zh = "块的编号从 0 开始：块 {b} 前面有 {b} 个块。" } },
      because = { en = "The blocks before it hold {b} * 128 threads.", zh = "它前面的块共有 {b} * 128 个线程。" },
    },
    ask {
      alone = true,
      en = "`dim3 grid({gx}, {gy}), block({x}, {y}); k<<<grid, block>>>();` How many threads does this launch?",
      zh = "`dim3 grid({gx}, {gy}), block({x}, {y}); k<<<grid, block>>>();` 一共启动多少个线程？",
      draw = { gx = { 2, 9 }, gy = { 2, 5 }, x = { from = { 8, 16, 32 } }, y = { from = { 2, 4, 8 } } },
      answer = function(d) return d.gx * d.gy * d.x * d.y end,
      replies = { { function(d) return d.gx * d.gy end, en = "That is the number of blocks. How many threads does each have?", zh = "这是块数。每个块有多少个线程？" } },
      because = {
        en = "{gx} * {gy} * 1 blocks of {x} * {y} * 1 threads: a component that is left out is 1, not 0.",
        zh = "{gx} * {gy} * 1 个块，每块 {x} * {y} * 1 个线程：没有写出的分量是 1，不是 0。",
      },
    },
    ask {
      alone = true,
      en = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` When does the host reach the printf?",
      zh = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` 主机什么时候执行到 printf？",
      choices = {
        { en = "When all threads have finished", zh = "所有线程都结束之后" },
        { en = "When the first block has finished", zh = "第一个块结束之后" },
        { en = "At once: the launch only puts the kernel into a queue", zh = "立刻：启动只是把核函数放进队列", right = true },
        { en = "When all blocks have begun", zh = "所有块都开始执行之后" },
      },
      because = {
        en = "Launches are *asynchronous*. `cudaDeviceSynchronize()` waits for the device, and so does the `cudaMemcpy` that fetches the results. A program that ends without waiting may never show what its kernels printed.",
        zh = "启动是*异步*的。`cudaDeviceSynchronize()` 会等待设备，取回结果的 `cudaMemcpy` 也会。如果程序不等待就结束，核函数打印的内容可能永远看不到。",
      },
    },
    say {
      en = [[
        A CUDA program is one source for two processors. `nvcc` gives the host's part to the host's compiler. It compiles for the device what is
        marked `__global__` (a kernel: launched by the host, runs on the device) or `__device__` (called by kernels). Both parts end up in one
        program. Serial work stays on the host, parallel work goes into kernels.

        The device cuts each block into *warps* of 32 consecutive threads (kernels can read the 32 from `warpSize`). A warp executes each instruction
        for all of its threads together. A thread's position in its warp is its *lane*.

        The host chooses the device: `cudaGetDeviceCount` counts the devices, `cudaSetDevice(k)` picks one. The pointers that your function gets are
        *device pointers*, unless a lab says otherwise: kernels may use them, host code may only pass them on. The type of a pointer does not show
        which memory it belongs to.
      ]],
      zh = [[
        一个 CUDA 程序是写给两种处理器的一份源码。`nvcc` 把主机部分交给主机编译器，把标有 `__global__`（核函数：由主机启动，在设备上执行）
        或 `__device__`（由核函数调用）的部分编译成设备代码，最后合成一个程序。串行的工作留在主机上，并行的工作放进核函数。

        设备把每个块按编号切开，每 32 个相邻的线程组成一个*线程束（warp）*，核函数可以从 `warpSize` 读到 32 这个数。一个 warp 的所有线程一起执行同一条指令。
        线程在 warp 里的位置叫 *lane*。

        用哪个设备由主机决定：`cudaGetDeviceCount` 给出设备个数，`cudaSetDevice(k)` 选定一个。除非实验另有说明，你的函数收到的指针都是*设备指针*：
        核函数可以使用，主机代码只能传递。仅凭指针的类型，看不出它属于哪种内存。
      ]],
    },
    ask {
      en = "`cudaGetDeviceCount` returns 4. A program never calls `cudaSetDevice` and launches a kernel of 1000 blocks. Where do they run?",
      zh = "`cudaGetDeviceCount` 返回 4。程序从未调用 `cudaSetDevice`，启动了一个有 1000 个块的核函数。这些块在哪里执行？",
      choices = {
        { en = "All on device 0", zh = "全部在 0 号设备上", right = true },
        { en = "250 on each device", zh = "每个设备各 250 个" },
        { en = "On whichever device is idle", zh = "在空闲的设备上" },
        { en = "Nowhere: the launch fails", zh = "不在任何设备上执行：启动失败" },
      },
      because = {
        en = "Device 0 is the default. A launch never spreads over several devices; a program that wants to use them divides its work itself.",
        zh = "没有指定时默认使用 0 号设备。一次启动绝不会分到几个设备上；想用多个设备，程序得自己划分工作。",
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
        en = "{b} / 32, rounded up. If the block size is no multiple of 32, some lanes of the last warp never do anything: a block of 48 threads takes two warps.",
        zh = "{b} / 32 向上取整。块大小不是 32 的倍数时，最后一个 warp 里有些 lane 永远不工作：48 个线程的块占两个 warp。",
      },
    },
    predict {
      en = "With n = 1003 and blocks of 128 threads, how many blocks does the model answer launch?",
      zh = "n = 1003、每块 128 个线程时，参考答案启动多少个块？",
      counter = "blocks",
      of = "answer",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "1003 / 128 = 7.8, rounded up: 8. 8 * 128 = 1024 threads: the last 21 have nothing to do.", zh = "1003 / 128 = 7.8，向上取整为 8。8 * 128 = 1024 个线程，最后 21 个没有工作。" },
    },
    exercise { en = "Let each thread compute its number in the grid and write it. Look at what the blocks print, too.", zh = "让每个线程算出自己在网格里的编号并写下来。顺便看看各块打印了什么。" },
    show { en = "Your kernel, line by line: how often warps executed each line, and how many of their 32 lanes were active.", zh = "逐行看你的核函数：每一行被 warp 执行了多少次，32 个 lane 里平均有多少个在工作。", picture = "divergence", of = "mine" },
  },

  hints = {
    { en = "Two threads of different blocks can have the same threadIdx.x. What tells them apart?", zh = "不同块里的两个线程，threadIdx.x 可能相同。用什么区分它们？" },
    { en = "Count the threads of all blocks before this one, and add the thread's position in its block.", zh = "数一数前面所有块的线程，再加上在本块里的位置。" },
    { en = "`int i = blockIdx.x * blockDim.x + threadIdx.x;`", zh = "写成 `int i = blockIdx.x * blockDim.x + threadIdx.x;`" },
  },

  after = {
    en = "Nearly every kernel begins with this line. Blocks run in any order, side by side or one after another: your program must not depend on the order. To see how many multiprocessors a device has for your blocks, call `cudaGetDeviceProperties`, or type `device` here.",
    zh = "几乎每个核函数都以这一行开头。块的执行没有固定顺序，可能同时执行，也可能先后执行：程序不能依赖这个顺序。想知道设备有多少个多处理器来执行你的块，可以调用 `cudaGetDeviceProperties`，或者在这里输入 `device`。",
  },
  more = { en = "Print blockIdx.x from every block and look at the order. Is it always the same?", zh = "让每个块都打印 blockIdx.x，看看打印的顺序。每次都一样吗？" },
}
