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
      zh = "启动之后向运行时查询错误，再读模拟器的报告：报告会指出是哪一行、哪个线程、哪块内存。",
    },
    at_least("active_lanes_avg", 20) {
      points = 2,
      en = "Your kernel runs, but its warps are nearly empty. A block may have up to 1024 threads and should have at least 32.",
      zh = "核函数能运行了，但线程束（warp）几乎是空的：一个块最多可以有 1024 个线程，至少应当有 32 个。",
    },
    at_least("bytes_per_store", 20) {
      points = 1,
      en = "Each thread of a warp should write one result. The 32 threads then write 128 bytes at once; if each writes only a byte, they write 32.",
      zh = "一个 warp 的每个线程都应当写一个结果：32 个线程一次写 128 字节；如果各写一个字节，就只有 32 字节。",
    },
  },

  steps = {
    say {
      en = [[
        Every call of the CUDA runtime returns a `cudaError_t`. A launch has no return value: you get its error from `cudaGetLastError()`. A program that
        ignores errors goes on although its kernel never ran, and prints whatever was in memory.

        There are two kinds. An *invalid launch configuration* is noticed at once; `cudaGetLastError()` returns it and clears it. A *fault in the
        kernel* happens later, when the host has already gone on. The next call that waits for the device returns it, and it is *sticky*: the device's
        state is lost, and every later call returns the same error:

            k<<<1, 32>>>((float *)0);   // writes through a null pointer
            cudaDeviceSynchronize()     -> illegal memory access
            cudaGetLastError()          // would clear an invalid launch
            cudaDeviceSynchronize()     -> illegal memory access, still
            cudaMalloc(&p, 4)           -> illegal memory access
      ]],
      zh = [[
        CUDA 运行时的每个调用都返回一个 `cudaError_t`。启动语句没有返回值，它的错误要用 `cudaGetLastError()` 取得。程序如果不检查错误，
        即使核函数没有执行也会继续运行，把内存里原有的内容当作结果打印出来。

        错误分两种。*无效的启动配置*当场就会被发现，`cudaGetLastError()` 返回这个错误，同时将它清除。*核函数里的故障*发生得更晚，
        那时主机已经在执行后面的代码：下一个等待设备的调用会返回这个错误。它是*粘性错误*（sticky error）：设备的状态已经损坏，之后的每个调用都返回同一个错误：

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
        { en = "`k<<<100000, 1024>>>()`", zh = "`k<<<100000, 1024>>>()`", because = { en = "A grid may have more than 2 billion blocks in x, and a block may have 1024 threads.", zh = "网格在 x 方向可以有二十多亿个块，每块可以有 1024 个线程。" } },
        { en = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`", zh = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`" },
        { en = "`k<<<1, 1>>>()`", zh = "`k<<<1, 1>>>()`", because = { en = "This is wasteful, but valid.", zh = "浪费，但有效。" } },
        { en = "`k<<<1, dim3(32, 33)>>>()`", zh = "`k<<<1, dim3(32, 33)>>>()`", right = true },
      },
      because = { en = "32 * 33 = 1056 threads. A block may have at most 1024, however they are arranged.", zh = "32 * 33 = 1056 个线程；无论怎样排列，一个块最多 1024 个。" },
    },
    ask {
      alone = true,
      en = "A kernel writes through an invalid pointer. Which of these calls is the first to return an error?",
      zh = "一个核函数通过无效指针写了内存。下面哪个调用最先返回错误？",
      choices = {
        { en = "cudaMalloc() before the launch", zh = "启动之前的 cudaMalloc()" },
        { en = "cudaGetLastError() right after the launch", zh = "启动后紧接着的 cudaGetLastError()", because = { en = "The kernel has hardly begun by then.", zh = "那时核函数几乎还没开始。" } },
        { en = "the cudaDeviceSynchronize() that follows", zh = "随后的 cudaDeviceSynchronize()", right = true },
      },
    },
    ask {
      alone = true,
      en = "Your kernel has `i <= n` where it should have `i < n`: one thread writes one element past the end of `out`. What does a real GPU usually report?",
      zh = "你的核函数把 `i < n` 写成了 `i <= n`：有一个线程在 `out` 末尾之后多写了一个元素。真实的 GPU 通常会报告什么？",
      choices = {
        { en = "cudaDeviceSynchronize() returns an illegal memory access", zh = "cudaDeviceSynchronize() 返回 illegal memory access" },
        { en = "Nothing: every call returns cudaSuccess", zh = "什么也不报告：每个调用都返回 cudaSuccess", right = true },
        { en = "The launch is refused", zh = "启动被拒绝" },
      },
      because = {
        en = "Memory is protected in large pages, and the page usually goes on behind `out`. The extra element lands in padding or overwrites another array of yours. Only a checker notices: `compute-sanitizer` on a GPU, or the simulated device here, which knows where each allocation ends.",
        zh = "内存以很大的页为单位保护，`out` 的末尾之后通常还在同一页里。多写的元素可能落在填充里，也可能悄悄改坏了你的另一个数组。只有检查工具能发现：GPU 上用 `compute-sanitizer`；这里的模拟设备也能，因为它知道每次分配到哪里为止。",
      },
    },
    ask {
      en = "After a sticky error, what makes the device usable again?",
      zh = "出现粘性错误之后，怎样才能重新使用设备？",
      choices = {
        { en = "ending the process", zh = "结束进程", right = true },
        { en = "cudaGetLastError(), which clears the last error", zh = "cudaGetLastError()，它会清除上一个错误", because = { en = "That works for an invalid launch configuration, not for a fault.", zh = "这只能清除启动配置的错误，不能清除核函数的故障。" } },
        { en = "freeing all memory with cudaFree()", zh = "用 cudaFree() 释放所有内存", because = { en = "cudaFree() only returns the same error.", zh = "cudaFree() 同样只会返回这个错误。" } },
        { en = "waiting", zh = "等一会儿" },
      },
    },
    predict {
      en = "A program launches `square` with blocks of 2048 threads and calls cudaGetLastError(). That returns an error, so the program launches `square` again, with blocks of 256. How many kernels does the device execute?",
      zh = "一个程序先用 2048 个线程的块启动 `square`，再调用 cudaGetLastError()；因为返回了错误，又用 256 个线程的块重新启动一次。设备一共执行了多少个核函数？",
      counter = "launches",
      of = "kernels/errors-twice.cu",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "One, and its result is right. An invalid launch executes nothing, and fetching its error clears it. The skeleton has only the first launch, and never asks for the error.", zh = "一个，而且结果正确：配置无效的启动什么也不执行，错误取走之后也就清除了。骨架代码只有第一次启动，而且从不查询错误。" },
    },
    exercise { en = "Find both mistakes with the runtime's help. Type `run` and read what it prints.", zh = "借助运行时找出两处错误。输入 `run`，读一读输出。" },
    show { en = "The line that does the work:", zh = "完成计算的那一行：", picture = "divergence", of = "mine" },
  },

  hints = {
    { goal = "correct", en = "Which call would tell you whether the kernel ran at all?", zh = "哪个调用能告诉你核函数到底有没有运行？" },
    { goal = "correct", en = "Write `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));` after the launch. It prints that the configuration is invalid. Once the kernel runs, read the report on the out-of-bounds access.",
      zh = "启动之后写 `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));`：你会看到 invalid configuration（配置无效）。核函数能运行之后，再读关于越界访问的报告。" },
    { en = "At most 1024 threads per block: `<<<(n + 255) / 256, 256>>>`; and `i < n`, not `i <= n`.", zh = "每块最多 1024 个线程：`<<<(n + 255) / 256, 256>>>`；是 `i < n`，不是 `i <= n`。" },
  },

  after = {
    en = [[
      Write a macro that checks every call and prints file and line, and always use it. While you look for a fault, put a cudaDeviceSynchronize()
      after each launch or set CUDA_LAUNCH_BLOCKING=1: the error then shows where it happens.

      On real hardware `compute-sanitizer` gives a report like the one you read here. Without it, your `i <= n` would most likely have gone unnoticed.

      Lecture slides of 2009 say that device code cannot be debugged. Today you compile with `nvcc -G` and step through a kernel with `cuda-gdb`. A
      debug build is slow: measure the release build.
    ]],
    zh = [[
      写一个宏，检查每次调用，出错时打印文件名和行号，并且始终使用它。查找故障时，在每次启动后加 cudaDeviceSynchronize()，或设置 CUDA_LAUNCH_BLOCKING=1，
      这样错误会在发生的地方报告出来。

      在真实硬件上，`compute-sanitizer` 会给出你在这里读到的那种报告；不用它，你的 `i <= n` 多半不会被发现。

      2009 年的讲义幻灯片说设备代码不能调试；如今用 `nvcc -G` 编译，就能用 `cuda-gdb` 单步跟踪核函数。调试版本很慢，测时间要用发布版本。
    ]],
  },
  more = {
    en = "Make the kernel write through a null pointer. Then call cudaDeviceSynchronize(), cudaGetLastError(), cudaDeviceSynchronize() again and cudaMalloc(), and print what each returns with cudaGetErrorString(). Which of these calls would have succeeded after an invalid launch?",
    zh = "让核函数通过空指针写内存，然后依次调用 cudaDeviceSynchronize()、cudaGetLastError()、再一次 cudaDeviceSynchronize() 和 cudaMalloc()，用 cudaGetErrorString() 打印每个调用的返回值。如果只是启动配置无效，其中哪些调用会成功？",
  },
}
