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
    ["impossible-launch"] = "ask predict exercise",
    ["last-error"] = "say hints",
    ["sticky-error"] = "say ask more",
    ["silent-overrun"] = "ask",
    ["memory-report"] = "exercise hints",
    ["device-debugging"] = "after",
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
    at_least("active_lanes_avg", 20) {
      points = 2,
      en = "It runs, but with nearly empty warps: a block may have 1024 threads, and should have at least 32.",
      zh = "它能运行，但线程束（warp）几乎是空的：一个块最多可以有 1024 个线程，至少也该有 32 个。",
    },
    at_least("bytes_per_store", 20) {
      points = 1,
      en = "The threads of a warp should each write a result: 32 of them write 128 bytes at once, and 32 if each writes a byte.",
      zh = "一个 warp 的每个线程都应当写一个结果：32 个线程一次写 128 字节；各写一个字节时是 32 字节。",
    },
  },

  steps = {
    say {
      en = [[
        Every call of the CUDA runtime returns a `cudaError_t`, and a launch leaves one behind for `cudaGetLastError()`. A program that ignores them goes on without its kernel, and
        prints whatever was in memory.

        There are two kinds. An *invalid launch configuration* is noticed at once; `cudaGetLastError()` tells it and clears it. A *fault in the kernel* happens later, while the host has gone
        on: it is returned by the next call that waits, and it is *sticky*. The device's state is lost, and every later call returns the same error:

            k<<<1, 32>>>((float *)0);   // writes through a null pointer
            cudaDeviceSynchronize()     -> illegal memory access
            cudaGetLastError()          // would clear an invalid launch
            cudaDeviceSynchronize()     -> illegal memory access, still
            cudaMalloc(&p, 4)           -> illegal memory access
      ]],
      zh = [[
        CUDA 运行时的每个调用都返回一个 `cudaError_t`，启动则把它留给 `cudaGetLastError()`。不理会它们的程序会在核函数没有执行的情况下继续走下去，打印内存里碰巧有的东西。

        错误分两种。*无效的启动配置*当场就会被发现，`cudaGetLastError()` 返回它，同时将它清除。*核函数里的故障*发生得更晚，那时主机早就往下走了：它由下一个等待设备的调用返回，而且是*粘性错误*（sticky）：
        设备的状态已经作废，之后的每个调用都返回同一个错误：

            k<<<1, 32>>>((float *)0);   // 通过空指针写内存
            cudaDeviceSynchronize()     -> illegal memory access
            cudaGetLastError()          // 若是无效的启动配置，到此就清除了
            cudaDeviceSynchronize()     -> 仍是 illegal memory access
            cudaMalloc(&p, 4)           -> illegal memory access
      ]],
    },
    ask {
      en = "Which launch configuration is invalid?",
      zh = "哪个启动配置是无效的？",
      choices = {
        { en = "`k<<<100000, 1024>>>()`", zh = "`k<<<100000, 1024>>>()`", because = { en = "In x a grid may have two thousand million blocks, and a block 1024 threads.", zh = "网格在 x 方向可以有二十多亿个块，每块可以有 1024 个线程。" } },
        { en = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`", zh = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`" },
        { en = "`k<<<1, 1>>>()`", zh = "`k<<<1, 1>>>()`", because = { en = "A waste, but possible.", zh = "浪费，但可以。" } },
        { en = "`k<<<1, dim3(32, 33)>>>()`", zh = "`k<<<1, dim3(32, 33)>>>()`", right = true },
      },
      because = { en = "32 * 33 = 1056 threads; a block may have 1024, however they are arranged.", zh = "32 * 33 = 1056 个线程；无论怎样排列，一个块最多 1024 个。" },
    },
    ask {
      alone = true,
      en = "A kernel writes through a pointer that points nowhere. Which of these calls is the first to return an error?",
      zh = "一个核函数通过无效指针写了内存。下面哪个调用最先返回错误？",
      choices = {
        { en = "cudaMalloc() before it", zh = "之前的 cudaMalloc()" },
        { en = "the launch: cudaGetLastError() right after it", zh = "启动本身：紧接着的 cudaGetLastError()", because = { en = "The kernel has hardly begun by then.", zh = "那时核函数几乎还没开始。" } },
        { en = "cudaDeviceSynchronize() after it", zh = "之后的 cudaDeviceSynchronize()", right = true },
      },
    },
    ask {
      alone = true,
      en = "Your kernel has `i <= n` where it should have `i < n`: one thread writes one element past the end of `out`. What does a real GPU usually say?",
      zh = "你的核函数把 `i < n` 写成了 `i <= n`：有一个线程在 `out` 末尾之后多写了一个元素。真实的 GPU 通常会怎么说？",
      choices = {
        { en = "cudaDeviceSynchronize() returns an illegal memory access", zh = "cudaDeviceSynchronize() 返回 illegal memory access" },
        { en = "Nothing: every call returns cudaSuccess", zh = "什么也不说：每个调用都返回 cudaSuccess", right = true },
        { en = "The launch is refused", zh = "拒绝启动" },
      },
      because = {
        en = "Memory is protected in large pages, and behind `out` there is usually more of the same page: padding, or another array of yours, which is now spoilt. Only a checker notices: `compute-sanitizer` on a GPU, or the simulated device here, which knows where each allocation ends.",
        zh = "内存以很大的页为单位保护，`out` 后面通常还是同一页：可能是填充，也可能是你的另一个数组，它就被悄悄改坏了。只有检查工具能发现：GPU 上用 `compute-sanitizer`；这里的模拟设备也能，因为它知道每块分配到哪里为止。",
      },
    },
    ask {
      en = "After a sticky error, what makes the device usable again?",
      zh = "出现粘性错误之后，怎样才能重新使用设备？",
      choices = {
        { en = "ending the process", zh = "结束进程", right = true },
        { en = "cudaGetLastError(), which resets the last error", zh = "cudaGetLastError()，它会清除上一个错误", because = { en = "That works for an invalid launch, not for a fault.", zh = "这对无效的启动配置有效，对故障无效。" } },
        { en = "cudaFree() of all that was allocated", zh = "用 cudaFree() 释放所有内存", because = { en = "cudaFree() returns the error as well.", zh = "cudaFree() 同样只会返回这个错误。" } },
        { en = "waiting", zh = "等一会儿" },
      },
    },
    predict {
      en = "A program launches `square` with blocks of 2048 threads, asks cudaGetLastError(), and because that is an error launches it once more, with blocks of 256. How many kernels does the device execute?",
      zh = "一个程序先用 2048 个线程的块启动 `square`，再调用 cudaGetLastError()；因为返回了错误，又用 256 个线程的块重新启动一次。设备一共执行了多少个核函数？",
      counter = "launches",
      of = "kernels/errors-twice.cu",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "One, and its result is right: an invalid launch executes nothing, and once its error was fetched it is gone. The skeleton stops after the first launch, and never asks.", zh = "一个，而且结果正确：配置无效的启动什么也不执行，它的错误取走之后也就清除了。骨架代码只做了第一次启动，也从不询问。" },
    },
    exercise { en = "Find both mistakes, with the runtime's help. Type `run` and read.", zh = "借助运行时找出两处错误。输入 `run`，读一读输出。" },
    show { en = "The line that did the work:", zh = "真正干活的那一行：", picture = "divergence", of = "mine" },
  },

  hints = {
    { goal = "correct", en = "Which call would tell you whether the kernel ran at all?", zh = "哪个调用能告诉你核函数到底有没有运行？" },
    { goal = "correct", en = "`cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));` after the launch: invalid configuration. Once it runs, read the report on the out-of-bounds access.",
      zh = "启动之后写 `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));`：会看到配置无效。等它能运行了，再看关于越界访问的报告。" },
    { en = "At most 1024 threads per block: `<<<(n + 255) / 256, 256>>>`; and `i < n`, not `i <= n`.", zh = "每块最多 1024 个线程：`<<<(n + 255) / 256, 256>>>`；是 `i < n`，不是 `i <= n`。" },
  },

  after = {
    en = "Write a macro that checks every call and prints file and line, and use it always. While looking for a fault, put a cudaDeviceSynchronize() behind each launch, or set CUDA_LAUNCH_BLOCKING=1, so that the error shows where it happens. On real hardware `compute-sanitizer` gives the report that you read here; without it your `i <= n` would most likely have passed unseen. Slides of 2009 say that code on the device cannot be debugged; today `nvcc -G` and `cuda-gdb` go through a kernel step by step. Such a debug build is slow: measure the other one.",
    zh = "写一个检查每次调用并打印文件和行号的宏，并且一直用它。查找故障时，在每次启动后加 cudaDeviceSynchronize()，或设置 CUDA_LAUNCH_BLOCKING=1，让错误在发生的地方显现。在真实硬件上，`compute-sanitizer` 会给出你在这里读到的那种报告；不用它，你的 `i <= n` 多半会悄悄溜过去。2009 年的幻灯片说设备上的代码不能调试；如今用 `nvcc -G` 编译，就能用 `cuda-gdb` 单步跟踪核函数。这样的调试版本很慢，测时间要用发布版本。",
  },
  more = {
    en = "Make the kernel write through a null pointer, then call cudaDeviceSynchronize(), cudaGetLastError(), cudaDeviceSynchronize() once more and cudaMalloc(), and print with cudaGetErrorString() what each of them returns. Which of these would have been clean after an invalid launch?",
    zh = "让核函数通过空指针写内存，然后依次调用 cudaDeviceSynchronize()、cudaGetLastError()、再一次 cudaDeviceSynchronize() 和 cudaMalloc()，用 cudaGetErrorString() 打印每个调用的返回值。如果只是启动配置无效，其中哪些调用会恢复正常？",
  },
}
