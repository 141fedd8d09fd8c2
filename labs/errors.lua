-- Chapter 1: errors of the runtime.
return lab {
  id = "errors",
  title = { en = "Nothing but zeros", zh = "全是零" },
  chapter = 1,
  minutes = 20,
  needs = { "vector-add" },
  source = "slides III",
  teaches = {
    ["return-codes"] = "say",
    ["impossible-launch"] = "ask exercise",
    ["last-error"] = "say hints",
    ["sticky-error"] = "ask",
    ["memory-report"] = "exercise hints",
  },

  entry = "void errors(const float *in, float *out, int n)",
  args = { ["in"] = uniform(-4, 4, "n"), out = output("n", { ops = 1 }) },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 16, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct {
      points = 7,
      en = "Ask the runtime after the launch, and read the simulator's report: it names the line, the thread and the allocation.",
      zh = "启动之后问一问运行时，再读模拟器的报告：它会指出哪一行、哪个线程、哪块内存。",
    },
    counter("active_lanes_avg", ">=", 20) {
      points = 3,
      en = "It runs, but with nearly empty warps: a block may have 1024 threads, and should have at least 32.",
      zh = "它能运行，但 warp 几乎是空的：一个块最多可以有 1024 个线程，至少也该有 32 个。",
    },
  },

  steps = {
    say {
      en = [[
        Every call of the CUDA runtime returns a `cudaError_t`, and a launch leaves one behind for `cudaGetLastError()`. A program that ignores them goes on without its kernel, and
        prints whatever was in memory.

        There are two kinds. An *impossible launch* is noticed at once. A *fault in the kernel* happens later, while the host has gone on: it is returned by the next call that waits,
        and it is *sticky*, for after it the device's state is lost, and every later call returns it too.
      ]],
      zh = [[
        CUDA 运行时的每个调用都返回一个 `cudaError_t`，启动则把它留给 `cudaGetLastError()`。不理会它们的程序会在核函数没有执行的情况下继续走下去，打印内存里碰巧有的东西。

        错误分两种。*不可能的启动*当场就会被发现。*核函数里的故障*发生得更晚，那时主机早就往下走了：它由下一个等待设备的调用返回，而且是*粘滞*的，因为此后设备的状态已经作废，之后的每个调用都会返回它。
      ]],
    },
    ask {
      en = "Which launch is impossible?",
      zh = "哪个启动是不可能的？",
      choices = {
        { en = "`k<<<100000, 1024>>>()`", zh = "`k<<<100000, 1024>>>()`" },
        { en = "`k<<<1, dim3(32, 33)>>>()`", zh = "`k<<<1, dim3(32, 33)>>>()`", right = true, because = { en = "1056 threads; a block may have 1024.", zh = "1056 个线程；一个块最多 1024 个。" } },
        { en = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`", zh = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`" },
      },
    },
    ask {
      en = "A kernel writes out of bounds. Which of these calls is the first to return an error?",
      zh = "一个核函数越界写了内存。下面哪个调用最先返回错误？",
      choices = {
        { en = "the launch: cudaGetLastError() right after it", zh = "启动本身：紧接着的 cudaGetLastError()", because = { en = "The kernel has hardly begun by then.", zh = "那时核函数几乎还没开始。" } },
        { en = "cudaDeviceSynchronize() after it", zh = "之后的 cudaDeviceSynchronize()", right = true },
        { en = "cudaMalloc() before it", zh = "之前的 cudaMalloc()" },
      },
    },
    ask {
      en = "After a sticky error, what makes the device usable again?",
      zh = "出现粘滞错误之后，怎样才能重新使用设备？",
      choices = {
        { en = "cudaGetLastError(), which resets the last error", zh = "cudaGetLastError()，它会清除上一个错误", because = { en = "That works for an impossible launch, not for a fault.", zh = "这对不可能的启动有效，对故障无效。" } },
        { en = "ending the process", zh = "结束进程", right = true },
        { en = "waiting", zh = "等一会儿" },
      },
    },
    predict {
      en = "How many threads per block would you launch? The model answer's number is right, and what lies within half of it.",
      zh = "你会让每块启动多少个线程？参考答案的数，以及与它相差不到一半的数，都算对。",
      counter = "threads_per_block",
      of = "answer",
      tolerance = 0.5,
      because = { en = "256; anything from 32 to 1024 would do.", zh = "256；32 到 1024 之间都可以。" },
    },
    exercise { en = "Find both mistakes, with the runtime's help. Type `run` and read.", zh = "借助运行时找出两处错误。输入 `run`，读一读输出。" },
    show { en = "The line that did the work:", zh = "真正干活的那一行：", picture = "sectors", of = "mine" },
  },

  hints = {
    { en = "Which call would tell you whether the kernel ran at all?", zh = "哪个调用能告诉你核函数到底有没有运行？" },
    { en = "`cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));` after the launch: invalid configuration. Once it runs, read the report on the out-of-bounds access.",
      zh = "启动之后写 `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));`：会看到配置无效。等它能运行了，再看关于越界访问的报告。" },
    { en = "At most 1024 threads per block: `<<<(n + 255) / 256, 256>>>`; and `i < n`, not `i <= n`.", zh = "每块最多 1024 个线程：`<<<(n + 255) / 256, 256>>>`；是 `i < n`，不是 `i <= n`。" },
  },

  after = {
    en = "Write a macro that checks every call and prints file and line, and use it always. While looking for a fault, put a cudaDeviceSynchronize() behind each launch, or set CUDA_LAUNCH_BLOCKING=1, so that the error shows where it happens. On real hardware `compute-sanitizer` gives the report that you read here.",
    zh = "写一个检查每次调用并打印文件和行号的宏，并且一直用它。查找故障时，在每次启动后加 cudaDeviceSynchronize()，或设置 CUDA_LAUNCH_BLOCKING=1，让错误在发生的地方显现。在真实硬件上，`compute-sanitizer` 会给出你在这里读到的那种报告。",
  },
  more = { en = "Make the kernel write through a null pointer. What does the report say, and what does the runtime's message say?", zh = "让核函数通过空指针写内存。报告怎么说？运行时的消息又怎么说？" },
}
