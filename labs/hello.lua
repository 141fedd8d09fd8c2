-- Chapter 1: threads, blocks, grids.
return lab {
  id = "hello",
  title = { en = "Who is there?", zh = "谁在那里？" },
  chapter = 1,
  minutes = 15,
  needs = {},
  source = "slides III",
  teaches = {
    ["builtin-variables"] = "say ask exercise",
    dim3 = "say",
    ["launch-syntax"] = "say predict",
    ["device-query"] = "after",
    asynchronous = "ask",
    ["missing-sync"] = "ask skeleton",
  },

  entry = "void hello(int *id, int n)",
  args = { id = output("n") },
  cases = { { n = 128 }, { n = 1 }, { n = 1003 }, { n = 1 << 16, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct { points = 7 },
    counter("active_lanes_avg", ">=", 20) {
      points = 3,
      en = "Let every element have a thread of its own.",
      zh = "让每个元素都有自己的线程。",
    },
  },

  steps = {
    say {
      en = [[
        A *kernel* is a function that many threads execute at once, each with its own number. `who<<<4, 128>>>(id, n)` launches a *grid* of 4 *blocks* of 128 threads. In
        the kernel, `threadIdx.x` is the thread's place in its block, `blockIdx.x` the block's place in the grid, `blockDim.x` the size of a block, `gridDim.x` the number of
        blocks. Each has `.x`, `.y` and `.z`; `dim3 block(16, 16)` makes a block of two dimensions.
      ]],
      zh = [[
        *核函数*（kernel）是由许多线程同时执行的函数，每个线程有自己的编号。`who<<<4, 128>>>(id, n)` 启动一个由 4 个*线程块*（block，简称块）组成的*网格*（grid），每块 128 个线程。在核函数里，`threadIdx.x` 是线程在块内的
        位置，`blockIdx.x` 是块在网格里的位置，`blockDim.x` 是块的大小，`gridDim.x` 是块的个数。它们都有 `.x`、`.y`、`.z`；`dim3 block(16, 16)` 得到一个二维的块。
      ]],
    },
    ask {
      en = "In a launch with 128 threads per block, which number in the whole grid has thread {t} of block {b}? (All count from 0.)",
      zh = "每块 128 个线程时，第 {b} 块的第 {t} 个线程在整个网格里的编号是多少？（都从 0 数起）",
      draw = { t = { 0, 127 }, b = { 1, 9 } },
      answer = function(d) return d.b * 128 + d.t end,
      because = { en = "The blocks before it hold {b} * 128 threads.", zh = "它前面的块共有 {b} * 128 个线程。" },
    },
    ask {
      en = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` When does the host reach the printf?",
      zh = "`who<<<4, 128>>>(id, n); printf(\"%d\", done);` 主机什么时候执行到 printf？",
      choices = {
        { en = "When all threads have finished", zh = "所有线程都结束之后" },
        { en = "At once: the launch only puts the kernel into a queue", zh = "立刻：启动只是把核函数放进队列", right = true },
        { en = "When the first block has finished", zh = "第一个块结束之后" },
      },
      because = {
        en = "Launches are *asynchronous*. `cudaDeviceSynchronize()` waits, and so does a `cudaMemcpy` of the results. A program that ends without waiting may never show what its kernels printed.",
        zh = "启动是*异步*的。`cudaDeviceSynchronize()` 会等待，取回结果的 `cudaMemcpy` 也会。如果程序不等待就结束，核函数打印的内容可能永远看不到。",
      },
    },
    predict {
      en = "With n = 1003 and blocks of 128 threads, how many blocks does the model answer launch?",
      zh = "n = 1003、每块 128 个线程时，参考答案启动多少个块？",
      counter = "blocks",
      of = "answer",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "1003 / 128 = 7.8, rounded up: 8. The last 21 threads have nothing to do.", zh = "1003 / 128 = 7.8，向上取整为 8。最后 21 个线程无事可做。" },
    },
    show { en = "Threads run in groups of 32, called *warps*; a thread's place in its warp is a *lane*. The model answer, line by line: how many lanes are at work.", zh = "线程每 32 个一组执行，叫做 *warp*（线程束）；线程在 warp 里的位置叫 *lane*。逐行看参考答案：有多少 lane 在工作。", picture = "divergence", of = "answer" },
    exercise { en = "Let each thread find its number in the grid and write it. Watch what the blocks print on the way.", zh = "让每个线程算出自己在网格里的编号并写下来。顺便看看各块打印了什么。" },
    show { en = "Yours, line by line:", zh = "逐行看你的版本：", picture = "divergence", of = "mine" },
  },

  hints = {
    { en = "Two threads of different blocks have the same threadIdx.x. What tells them apart?", zh = "不同块里的两个线程可以有相同的 threadIdx.x。用什么区分它们？" },
    { en = "Count the threads of all blocks before this one, and add the place in the block.", zh = "数一数前面所有块的线程，再加上在本块里的位置。" },
    { en = "`int i = blockIdx.x * blockDim.x + threadIdx.x;`", zh = "写成 `int i = blockIdx.x * blockDim.x + threadIdx.x;`" },
  },

  after = {
    en = "This line opens nearly every kernel. Blocks run in any order, side by side or one after another: nothing may depend on it. Ask the device how many of them it runs at once: `cudaGetDeviceProperties` tells the number of multiprocessors, or type `device` here.",
    zh = "几乎每个核函数都以这一行开头。块的执行没有固定顺序，可能并排，也可能一个接一个：程序不能依赖顺序。想知道设备能同时运行多少块，可以用 `cudaGetDeviceProperties` 查看多处理器的个数，或者在这里输入 `device`。",
  },
  more = { en = "Print blockIdx.x from every block and look at the order. Is it always the same?", zh = "让每个块都打印 blockIdx.x，看看顺序。每次都一样吗？" },
}
