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
  args = { ["in"] = uniform(-4, 4, "n"), out = output("n", { ops = 1, atol = 0 }) },
  cases = { { n = 256 }, { n = 1 }, { n = 1003 }, { n = 1 << 16, timed = true } },
  hidden = { count = 3, n = { 2, 5000 } },
  goals = {
    correct {
      points = 7,
      en = "Ask the runtime for the error after the launch. Then read the simulator's report: the report names the line, the thread and the allocation.",
      zh = "启动之后向运行时查询错误，再读模拟设备的报告：报告会指出是哪一行、哪个线程，访问的是哪一块内存。",
    },
    at_least("active_lanes_avg", 20) {
      points = 1,
      en = "Your kernel runs, but its warps are nearly empty. A block may have up to 1024 threads and should have at least 32.",
      zh = "核函数能运行了，但 warp 几乎是空的。一个块最多可以有 1024 个线程，至少应当有 32 个。",
    },
    at_most("repeated_store_bytes", (1 << 16) * 4 / 2) {
      points = 1,
      en = "Several threads write the same element. Give each thread an element of its own.",
      zh = "有几个线程写同一个元素。应当让每个线程写自己的元素。",
    },
    at_least("bytes_per_store", 20) {
      points = 1,
      en = "Let each thread of a warp write one result. The 32 threads then write 32 floats, which are 128 bytes, with one instruction.",
      zh = "让一个 warp 的每个线程各写一个结果。这样 32 个线程用一条指令写出 32 个 float，共 128 字节。",
    },
    slowest(0) {
      en = [[
        This lab is about errors. So a program may wait for the device, and may use managed memory,
        as often as it likes.
      ]],
      zh = "本实验讲的是错误：程序可以随意等待，也可以随意使用托管内存。",
    },
  },

  steps = {
    say {
      en = [[
        This lab's kernel squares every element: `out[i] = in[i] * in[i]`. But the program prints
        only zeros and no error message. You will find out how the CUDA runtime reports errors, and
        which errors it cannot find. (The *runtime* is the library that has `cudaDeviceSynchronize`
        and the other CUDA calls of the host.)

        Every call of the runtime returns a `cudaError_t`. A launch has no return value: to get the
        error of a launch, call `cudaGetLastError()`. A program that ignores errors goes on although
        its kernel never ran. The program then prints whatever was in memory.

        An *invalid launch configuration*, such as a block that is too large, is found at once.
        `cudaGetLastError()` returns this error and clears it.

        A *fault in the kernel* happens later, when the host has already gone on. The next call that
        waits for the device returns the error. The error is *sticky*: the program's state on the
        device is lost, and every later call returns the same error:

            k<<<1, 32>>>((float *)0);   // writes through a null pointer
            cudaDeviceSynchronize()     -> illegal memory access
            cudaGetLastError()          // would clear an invalid launch's error
            cudaDeviceSynchronize()     -> still illegal memory access
            cudaMalloc(&p, 4)           -> illegal memory access
      ]],
      zh = [[
        本实验的核函数求每个元素的平方：`out[i] = in[i] * in[i]`。可是程序打印的全是零，也没有任何错
        误信息。你会学到：CUDA 运行时怎样报告错误，又有哪些错误它发现不了。（*运行时*是主机使用的
        库，`cudaDeviceSynchronize` 等 CUDA 调用都在里面。）

        运行时的每个调用都返回一个 `cudaError_t`。启动语句没有返回值，要用 `cudaGetLastError()` 取得
        启动的错误。如果程序不检查错误，即使核函数没有执行，程序也会继续运行，把内存里原有的内容当作
        结果输出。

        *无效的启动配置*（例如块太大）当场就会被发现，`cudaGetLastError()` 返回这个错误，同时清除
        它。

        *核函数里的故障*发生得更晚，那时主机已经在执行后面的代码。下一个等待设备的调用会返回这个错
        误。这种错误是*粘性错误*（sticky error）：程序在设备上的状态已经损坏，之后的每个调用都返回同
        一个错误：

            k<<<1, 32>>>((float *)0);   // 通过空指针写内存
            cudaDeviceSynchronize()     -> illegal memory access
            cudaGetLastError()          // 若是启动配置无效，错误到此就清除了
            cudaDeviceSynchronize()     -> 仍是 illegal memory access
            cudaMalloc(&p, 4)           -> illegal memory access
      ]],
    },
    ask {
      en = "Which launch configuration is invalid?",
      zh = "哪个启动配置是无效的？",
      choices = {
        { en = "`k<<<100000, 1024>>>()`", zh = "`k<<<100000, 1024>>>()`", because = { en = "This configuration is valid: a grid may have more than 2 billion blocks in direction x, and a block may have 1024 threads.", zh = "这个配置有效：网格在 x 方向可以有二十多亿个块，每块可以有 1024 个线程。" } },
        { en = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`", zh = "`k<<<dim3(10, 10), dim3(8, 8)>>>()`" },
        { en = "`k<<<1, 1>>>()`", zh = "`k<<<1, 1>>>()`", because = { en = "This configuration is valid, but it wastes 31 of the 32 lanes of the warp.", zh = "这个配置有效，只是浪费了线程束（warp）的 32 个 lane 中的 31 个。" } },
        { en = "`k<<<1, dim3(32, 33)>>>()`", zh = "`k<<<1, dim3(32, 33)>>>()`", right = true },
      },
      because = { en = "The block has 32 * 33 = 1056 threads. A block may have at most 1024 threads in all directions together.", zh = "这个块有 32 * 33 = 1056 个线程。各个方向合起来，一个块最多 1024 个线程。" },
    },
    ask {
      alone = true,
      en = "A program launches a kernel, and the kernel writes through an invalid pointer. Which of these calls is the first to return an error?",
      zh = "程序启动了一个核函数，核函数通过无效指针写内存。下面哪个调用最先返回错误？",
      choices = {
        { en = "cudaMalloc() before the launch", zh = "启动之前的 cudaMalloc()" },
        { en = "cudaGetLastError() right after the launch", zh = "启动后紧接着的 cudaGetLastError()", because = { en = "The kernel has hardly begun when the host makes this call, so the fault has not happened yet.", zh = "主机执行这个调用时，核函数几乎还没开始，故障还没有发生。" } },
        { en = "the cudaDeviceSynchronize() that follows", zh = "随后的 cudaDeviceSynchronize()", right = true },
      },
      because = { en = "The fault happens while the kernel runs. `cudaDeviceSynchronize()` waits for the kernel, so it is the first call that can return the error.", zh = "故障发生在核函数执行的时候。`cudaDeviceSynchronize()` 等待核函数，所以它是第一个能返回这个错误的调用。" },
    },
    ask {
      alone = true,
      en = "Your kernel checks `i <= n` instead of `i < n`, so one thread writes one element past the end of `out`. What does a real GPU usually report?",
      zh = "你的核函数把 `i < n` 写成了 `i <= n`，所以有一个线程在 `out` 末尾之后多写了一个元素。真实的 GPU 通常会报告什么？",
      choices = {
        { en = "cudaDeviceSynchronize() returns an illegal memory access", zh = "cudaDeviceSynchronize() 返回 illegal memory access" },
        { en = "Nothing: every call returns cudaSuccess", zh = "什么也不报告：每个调用都返回 cudaSuccess", right = true },
        { en = "The launch is refused", zh = "启动被拒绝" },
      },
      because = {
        en = "Memory is protected in large pages. The page that holds the end of `out` usually holds other bytes after `out`. The extra element lands there: in unused bytes or in another array of yours. Only a checker finds this mistake: `compute-sanitizer` on a GPU, or the simulated device here, which knows where each allocation ends.",
        zh = "内存以很大的页为单位保护，`out` 末尾之后的字节通常还在同一页里。多写的元素要么落在没有用到的字节里，要么改坏了你的另一个数组。只有检查工具能发现这种错误：GPU 上用 `compute-sanitizer`；这里的模拟设备也能发现，因为它知道分配的每块内存在哪里结束。",
      },
    },
    ask {
      en = "A program got a sticky error. What makes the device usable again?",
      zh = "程序出现粘性错误之后，怎样才能重新使用设备？",
      choices = {
        { en = "ending the process", zh = "结束进程", right = true },
        { en = "cudaGetLastError(), which clears the last error", zh = "cudaGetLastError()，它会清除上一个错误", because = { en = "`cudaGetLastError()` clears the error of an invalid launch, but not the error of a fault in the kernel.", zh = "`cudaGetLastError()` 能清除启动配置无效的错误，不能清除核函数故障的错误。" } },
        { en = "freeing all memory with cudaFree()", zh = "用 cudaFree() 释放所有内存", because = { en = "`cudaFree()` returns the same error and frees nothing.", zh = "`cudaFree()` 也只返回这个错误，什么也释放不了。" } },
        { en = "waiting", zh = "等一会儿" },
      },
    },
    predict {
      en = "A program launches this lab's kernel `square` with blocks of 2048 threads and calls `cudaGetLastError()`. The call returns an error, so the program launches `square` again, this time with blocks of 256 threads. How many kernels does the device execute?",
      zh = "一个程序先用 2048 个线程的块启动本实验的核函数 `square`，再调用 `cudaGetLastError()`。这个调用返回了错误，于是程序改用 256 个线程的块，再启动一次 `square`。设备一共执行了多少个核函数？",
      counter = "launches",
      of = "kernels/errors-twice.cu",
      case = { n = 1003 },
      tolerance = 0,
      because = { en = "One: an invalid launch executes nothing. `cudaGetLastError()` cleared the error, so the second launch runs and its result is right. The skeleton makes only the first launch and never asks for its error.", zh = "一个：配置无效的启动什么也不执行。`cudaGetLastError()` 清除了错误，所以第二次启动正常执行，结果正确。骨架代码只有第一次启动，而且从不查询错误。" },
    },
    exercise { en = "The program contains two mistakes. Let the runtime help you find them: type `run` and read what it prints.", zh = "程序里有两处错误。请借助运行时找出来：输入 `run`，读一读输出。" },
    show { en = "Your kernel, line by line: how many of the 32 lanes of a warp were active on average.", zh = "逐行看你的核函数：一个 warp 的 32 个 lane 里平均有多少个在工作。", picture = "divergence", of = "mine" },
  },

  hints = {
    { goal = "correct", en = "Which call tells you whether the kernel ran at all?", zh = "哪个调用能告诉你核函数到底有没有运行？" },
    { goal = "correct", en = "Write `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));` after the launch. The program then prints that the configuration is invalid. Once the kernel runs, read the report about an access out of bounds.",
      zh = "启动之后写 `cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) fprintf(stderr, \"%s\\n\", cudaGetErrorString(e));`，程序就会打印 invalid configuration（配置无效）。核函数能运行之后，再读关于越界访问的报告。" },
    { en = "Make two changes. A block may have at most 1024 threads: write `<<<(n + 255) / 256, 256>>>`. Then write `i < n` instead of `i <= n`.", zh = "要改两处。每块最多 1024 个线程：写成 `<<<(n + 255) / 256, 256>>>`。另外，把 `i <= n` 改成 `i < n`。" },
  },

  after = {
    en = [[
      Write a macro that checks what a call returns, and that prints the file and the line if there
      is an error. Use the macro for every call. While you search for a fault, call
      `cudaDeviceSynchronize()` after each launch, or set the environment variable
      `CUDA_LAUNCH_BLOCKING=1`. The error is then reported right after the launch that caused it.

      On a real GPU, the tool `compute-sanitizer` gives a report like the one that you read here.
      Without this tool, your `i <= n` would probably have gone unnoticed.

      Lecture slides of 2009 say that device code cannot be debugged. Today it can: compile with
      `nvcc -G` and step through the kernel with `cuda-gdb`. A debug build is slow, so measure times
      with a release build.
    ]],
    zh = [[
      写一个宏，检查调用的返回值，出错时打印文件名和行号；每个调用都用这个宏。查找故障时，在每次启动
      之后调用 `cudaDeviceSynchronize()`，或者设置环境变量 `CUDA_LAUNCH_BLOCKING=1`。这样，错误会紧
      跟在引起错误的启动之后报告出来。

      在真实的 GPU 上，工具 `compute-sanitizer` 会给出和这里类似的报告。不用这个工具，你的 `i <= n`
      多半不会被发现。

      2009 年的讲义幻灯片说设备代码不能调试。如今可以：用 `nvcc -G` 编译，再用 `cuda-gdb` 单步跟踪核
      函数。调试版本很慢，所以测时间要用发布版本。
    ]],
  },
  more = {
    en = "Make the kernel write through a null pointer. Then call `cudaDeviceSynchronize()`, `cudaGetLastError()`, `cudaDeviceSynchronize()` again, and `cudaMalloc()`. Use `cudaGetErrorString()` to print what each call returns. Suppose that the only mistake were an invalid launch configuration. Which of these calls would then succeed?",
    zh = "让核函数通过空指针写内存。然后依次调用 `cudaDeviceSynchronize()`、`cudaGetLastError()`、再一次 `cudaDeviceSynchronize()` 和 `cudaMalloc()`，用 `cudaGetErrorString()` 打印每个调用的返回值。如果错误只是启动配置无效，其中哪些调用会成功？",
  },
}
