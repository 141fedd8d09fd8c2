-- Chapter 10: five bugs of five kinds in one file.
local listing = [[
            01  const int BLOCK = 256;
            02
            03  __global__ void count(const int *a, int *positives, int n) {
            04      int i = blockIdx.x * BLOCK + threadIdx.x;
            05      if (i >= n) return;
            06      int v = a[i];
            07      if (v > 0)
            08          positives[0] = positives[0] + 1;
            09  }
]]

return lab {
  id = "bug-hunt",
  title = { en = "A bug hunt", zh = "捉虫" },
  chapter = 10,
  minutes = 40,
  needs = { "block-size", "streams", "reduce-4-warp" },
  source = "practice; correction; guide 5.1",
  teaches = {
    ["bug-kinds"] = "say skeleton traps",
    ["bug-by-luck"] = "say ask after",
    ["bug-emulation"] = "say ask goals after",
    ["bug-barrier-all"] = "ask hints",
    ["bug-tools"] = "ask after",
  },

  entry = "void bug_hunt(const int *a, int *scaled, int *turned, int *positives, int *sums, int *total, int n)",
  args = {
    a = integers(-60000, 60000, "n"),
    scaled = output("n"),
    turned = output("n"),
    positives = output(1),
    sums = output(8),
    total = output(1),
  },
  cases = {
    { n = 1024 },
    { n = 1003 },
    { n = 1 },
    { n = 5000 },
    { n = 1 << 20, timed = true },
  },
  hidden = { count = 3, n = { 2, 20000 } },
  goals = {
    correct {
      points = 5,
      en = [[
        Begin with the device's first report, and fix one bug at a time. One bug often causes more
        reports in other places.
      ]],
      zh = "从设备的第一条报告开始，一次改好一个错误：一个错误往往会在别处引发更多报告。",
    },
    at_most("kernels_at_once", 1.5) {
      points = 2,
      en = [[
        Two kernels ran at the same time, although one reads what the other writes. `show timeline`
        shows the streams.
      ]],
      zh = "有两个核函数同时在运行，而其中一个要读另一个写的数据。用 `show timeline` 看各个流。",
    },
    at_most("warp_inst", 1.5 * baseline) {
      points = 1,
      en = "In your version, one thread does the work that many threads shared before.",
      zh = "在你的版本里，原来由许多线程分担的工作，现在由一个线程来做。",
    },
    answer("lucky") {
      points = 1,
      is = "text",
      accept = { "scale", "scale()", "scaled" },
      en = [[
        Run the file unchanged. Look also at n = 1003, which is not a multiple of 256. Which kernel
        has only right outputs, although the device reports a bug in it?
      ]],
      zh = [[
        运行原样的文件，也看一看 n = 1003，它不是 256 的倍数。哪个核函数的输出全对，设备却报告了它的
        错误？
      ]],
    },
    answer("race") {
      points = 1,
      is = "line",
      finding = "race",
      of = "kernels/bug-hunt-count.cu",
      entry = "void bug_hunt_count(const int *a, int *positives, int n)",
      args = { a = integers(-60000, 60000, "n"), positives = output(1) },
      case = { n = 5000 },
      baseline = "kernels/bug-hunt-count-right.cu",
      on = "sim:h200",
      en = [[
        Where do threads of different blocks access the same address, and at least one of them
        writes?
      ]],
      zh = "不同块的线程在哪里访问同一个地址，而且至少有一个是写？",
    },
  },

  steps = {
    say {
      en = [[
        In this lab you look for the bugs in a colleague's program. The program does four small jobs
        with an array of ints, and "sometimes" its results are wrong. The program has five bugs of
        five kinds:

        - an *off-by-one*: an index goes one past the end of an array;
        - a *missing barrier*: a thread reads a value that another thread may not have written yet;
        - a *barrier that not all threads reach*: the threads that wait there may wait for ever,
        which is a deadlock;
        - a *race* in global memory: two threads change the same value at once;
        - a launch in the *wrong stream*: the kernel does not wait for the data that it needs.

        How many of these bugs would you see in the output? On a GPU perhaps none today. A bug stays
        hidden as long as the threads happen to run in the right order, or nothing else uses the
        bytes behind the end of an array. So one correct run proves little.
      ]],
      zh = [[
        在这个实验里，你要找出同事的程序里的错误。程序用一个 int 数组做四件小事，
        “有时候”结果不对。里面有五个错误，分属五种类型：

        - *差一错误*：下标超出数组末尾一个位置；
        - *漏掉的屏障*：一个线程读取的值，另一个线程可能还没写好；
        - *不是所有线程都到达的屏障*：在屏障处等待的线程可能永远等下去，也就是死锁；
        - 全局内存里的*竞争*：两个线程同时修改一个值；
        - *放错了流*的启动：核函数不会等自己需要的数据。

        看输出能看出几个？在 GPU 上，今天也许一个都看不出来。只要线程碰巧按正确的次序执行，
        或者数组末尾之后的字节没有别的用途，错误就不会显露。所以，一次运行结果正确说明不了什么。
      ]],
    },
    ask {
      en = [[
        The programming guide promises that `cudaMalloc` returns addresses that are multiples of 256
        bytes. (On today's devices they are multiples of 512.) A program allocates an array of n =
        {n} ints. By the guide's promise, how many bytes behind the end of the array belong to no
        other array? On a GPU, a write to these bytes is not noticed.
      ]],
      zh = [[
        《CUDA 编程指南》保证，`cudaMalloc` 返回的地址都是 256 字节的倍数。（在如今的设备上是 512 的
        倍数。）程序为 n = {n} 个 int 分配了一个数组。按指南的保证，数组末尾之后有多少字节不属于任何
        别的数组？在 GPU 上，写这些字节不会被发现。
      ]],
      draw = { n = { from = { 1000, 1003, 1010, 2030, 5000 } } },
      answer = function(d) return ceil_div(4 * d.n, 256) * 256 - 4 * d.n end,
      replies = {
        {
          function(d) return 4 * d.n % 256 end,
          en = [[
            This is how much of its last 256 bytes the array uses. The rest of them belongs to no
            array.
          ]],
          zh = "这是数组在最后 256 字节里用掉的部分。其余的部分才不属于任何数组。",
        },
        {
          function(d) return ceil_div(d.n, 64) * 64 - d.n end,
          en = "This is the number of ints. The question asks for bytes.",
          zh = "这是 int 的个数。问的是字节数。",
        },
        {
          function(d) return ceil_div(4 * d.n, 512) * 512 - 4 * d.n end,
          en = [[
            This is for multiples of 512, as today's devices have them. The guide promises only 256.
          ]],
          zh = "这是按今天设备的 512 的倍数算的。指南只保证 256 的倍数。",
        },
      },
      because = {
        en = [[
          4 * {n} bytes, rounded up to a multiple of 256, minus 4 * {n}. The int behind the end is
          in this gap: a write to it causes no error and no wrong output, perhaps for years. But if
          n is a multiple of 64, there is no gap, and the int behind the end may be the first one of
          another array.
        ]],
        zh = [[
          4 * {n} 字节向上取整到 256 的倍数，再减去 4 * {n}。末尾之后的第一个 int 就在这段空隙里：
          写了它，不报错，输出也没有错，可能多年没人发现。但如果 n 是 64 的倍数，就没有空隙，
          末尾之后的 int 可能是另一个数组的第一个元素。
        ]],
      },
    },
    ask {
      alone = true,
      en = [[
        In a block of 256 threads, threads 0 to 99 enter a branch that contains a `__syncthreads()`.
        The other threads skip the branch. What happens?
      ]],
      zh = [[
        一个块有 256 个线程，线程 0 到 99 进入一个含有 `__syncthreads()` 的分支，
        其余线程跳过这个分支。会怎样？
      ]],
      choices = {
        {
          en = [[
            It is undefined: the program may hang, or a later barrier may be taken for this one
          ]],
          zh = "未定义：程序可能一直挂起，后面的另一个屏障也可能被当成这个屏障",
          right = true,
          because = {
            en = [[
              A barrier counts the threads that arrive, and waits until all threads of the block are
              there. If the missing threads arrive at another barrier, the hardware may count them
              here.
            ]],
            zh = [[
              屏障会统计到达的线程，一直等到块里的线程全部到达。如果缺少的线程到达了别的屏障，
              硬件可能把它们算到这个屏障上。
            ]],
          },
        },
        {
          en = "The 100 threads wait for each other and go on",
          zh = "这 100 个线程互相等齐，然后继续",
          because = {
            en = [[
              `__syncthreads()` is a barrier for the whole block. A barrier for only a group of
              threads would behave like this.
            ]],
            zh = "`__syncthreads()` 是整个块的屏障。只属于一组线程的屏障才会这样。",
          },
        },
        {
          en = "The compiler refuses the program",
          zh = "编译器拒绝编译",
          because = {
            en = "The compiler cannot know which threads will enter the branch.",
            zh = "编译器不知道哪些线程会进入这个分支。",
          },
        },
      },
    },
    ask {
      en = [[
        The simulated device executes the work of all streams in the order of the host's calls. The
        streams overlap only in the times that the device reports. Which of these three bugs
        therefore never shows in the outputs of the simulated device?
      ]],
      zh = [[
        模拟设备按主机调用的次序执行所有流的工作，各个流只在设备报告的时间上重叠。因此，
        下面三个错误里，哪一个从不影响模拟设备上的输出？
      ]],
      choices = {
        {
          en = "The wrong stream",
          zh = "放错了流",
          right = true,
          because = {
            en = [[
              The order of the host's calls happens to be right, so the outputs of the simulated
              device never show this race. Two other things reveal the race. The device reports a
              race between two streams. And in the timeline two kernels overlap, although one of
              them needs the result of the other.
            ]],
            zh = [[
              主机调用的次序碰巧是对的，所以模拟设备上的输出看不出这个竞争。要从另外两处才看得出来：
              设备会报告两个流之间的竞争；时间线上有两个核函数重叠，而其中一个需要另一个的结果。
            ]],
          },
        },
        {
          en = "The missing barrier",
          zh = "漏掉的屏障",
          because = {
            en = [[
              On the simulated device, too, some warps are ahead of others. A thread can therefore
              read too early.
            ]],
            zh = "在模拟设备上，各个线程束（warp）也有先有后，所以线程可能读得太早。",
          },
        },
        {
          en = "The race in global memory",
          zh = "全局内存里的竞争",
          because = {
            en = [[
              On the simulated device, too, several blocks run at once. Updates can therefore be
              lost.
            ]],
            zh = "在模拟设备上，也有多个块同时运行，所以更新可能丢失。",
          },
        },
      },
    },
    ask {
      en = [[
        On a GPU, you can look for bugs with the four tools of `compute-sanitizer`. `memcheck` finds
        bad addresses. `synccheck` finds wrong barriers. `racecheck` finds races in shared memory.
        `initcheck` finds reads of memory that was never written. Two threads of different blocks
        change the same int in *global* memory at once. Which of the four tools reports this race?
      ]],
      zh = [[
        在 GPU 上，可以用 `compute-sanitizer` 的四个工具查错：`memcheck` 查有没有错误的地址，
        `synccheck` 查有没有用错的屏障，`racecheck` 查共享内存里有没有竞争，
        `initcheck` 查有没有读取从未写过的内存。不同块的两个线程同时修改*全局*内存里的同一个 int，
        四个工具里哪一个会报告？
      ]],
      choices = {
        {
          en = "None of them",
          zh = "哪个也不会",
          right = true,
          because = {
            en = [[
              Each of the two accesses is valid, and racecheck checks only shared memory. Warplab's
              device checks global memory, too.
            ]],
            zh = [[
              两次访问本身都没有错，而 racecheck 只检查共享内存。Warplab 的设备也检查全局内存。
            ]],
          },
        },
        {
          en = "racecheck",
          zh = "racecheck",
          because = {
            en = [[
              racecheck would report a race in shared memory, between two threads of one block. This
              race is in global memory.
            ]],
            zh = "racecheck 只报告共享内存里、同一个块的线程之间的竞争。这个竞争在全局内存里。",
          },
        },
        {
          en = "memcheck",
          zh = "memcheck",
          because = {
            en = [[
              memcheck would report an address that is not aligned, or that is outside all arrays.
              This address is right.
            ]],
            zh = "地址没有对齐，或者不在任何数组之内，memcheck 才会报告。这个地址没有错。",
          },
        },
        {
          en = "initcheck",
          zh = "initcheck",
          because = {
            en = [[
              initcheck would report an int that was read but never written. This int was written,
              but two threads change it at once.
            ]],
            zh = [[
              读取从未写过的 int，initcheck 才会报告。这个 int 写过了，只是两个线程同时在修改它。
            ]],
          },
        },
      },
    },
    say {
      en = [[
        This is one of the kernels, in short lines. It does the same as the one in your file:

]] .. listing .. [[

        The device reports a race in this kernel, and names a line. Which line will it be? Write
        the number of the line in this listing behind `// answer race:` at the top of the file.

        For each kernel in the file, ask two questions. Which thread writes the data that a thread
        reads? What guarantees that the data are written first?
      ]],
      zh = [[
        下面是其中一个核函数，写成了短行，作用与你文件里的那个相同：

]] .. listing .. [[

        设备会报告这个核函数里的竞争，并指出是哪一行。会是哪一行？把这一行在上面程序里的行号写在
        文件开头的 `// answer race:` 后面。

        对文件里的每个核函数都问两个问题：线程读的数据是哪个线程写的？有什么保证先写后读？
      ]],
    },
    predict {
      en = [[
        The model answer corrects this kernel with `atomicAdd`. How many kernels does one call of
        the model answer *launch*?
      ]],
      zh = "参考答案用 `atomicAdd` 改好了上面这个核函数。参考答案的一次调用一共*启动*几个核函数？",
      counter = "launches",
      of = "answer",
      replies = {
        {
          6,
          en = "`cudaMemsetAsync` launches no kernel.",
          zh = "`cudaMemsetAsync` 不启动核函数。",
        },
        {
          4,
          en = "The sum takes two kernels: `sum_blocks` and `sum_all`.",
          zh = "求和要两个核函数：`sum_blocks` 和 `sum_all`。",
        },
      },
      because = {
        en = [[
          It launches scale, turn, count, sum_blocks and sum_all. `cudaMemsetAsync` launches no
          kernel.
        ]],
        zh = "启动了 scale、turn、count、sum_blocks 和 sum_all。`cudaMemsetAsync` 不启动核函数。",
      },
    },
    exercise {
      en = [[
        Find the five bugs and fix them. First `run` the file unchanged. For which sizes are the
        outputs right? What does the device report? Which kernel has right outputs although it has a
        bug?

        A report names the kernel, the line and both threads. Fix one bug, and then `run` again. The
        launch in the wrong stream is reported as a race between two kernels. You can also see it in
        the timeline.

        To see how a bug happens, use `debug`. The debugger runs to the line of the first report and
        stops in the thread that the report names. There, `print i` shows a variable, `warps` shows
        the other warps, and `reverse-next` goes one line back.
      ]],
      zh = [[
        找出这五个错误并改好。先 `run` 一次原样的文件：哪些大小的输出是对的？设备报告了什么？
        哪个核函数明明有错，输出却全对？

        报告会给出核函数、行号和双方线程。改好一个错误，再 `run` 一次。放错流的启动，
        报告说是两个核函数之间的竞争，在时间线上也看得到。

        想看清错误是怎样发生的，就用 `debug`。调试器会执行到第一条报告所指的那一行，
        停在报告所说的线程里。在那里，`print i` 显示一个变量，`warps` 显示其
        他 warp，`reverse-next` 退回一行。
      ]],
    },
    show {
      en = "The streams of your call. Each kernel should come after the work that it needs:",
      zh = "你这次调用的各个流。每个核函数都应当排在它所需要的工作之后：",
      picture = "timeline",
    },
    show {
      en = [[
        Your kernels, line by line. If one line has many more instructions than the lines next to
        it, one thread is doing all the work there:
      ]],
      zh = "逐行看你的核函数。如果某一行的指令数远多于相邻的行，就是有一个线程在独自做全部工作：",
      picture = "divergence",
    },
  },

  debug = {
    case = 2,
    en = [[
      With n = 1003, the debugger stops before the instruction of the first report, in the thread
      that the report names. What are the variables of this thread (`locals`)? Where are the other
      threads (`warps`)? How did this thread get here (`reverse-next`)?
    ]],
    zh = [[
      n = 1003。调试器停在第一条报告所指的指令之前，就在报告所说的线程里。这个线程的变量是什么
      （`locals`）？别的线程在哪里（`warps`）？这个线程是怎么走到这里的（`reverse-next`）？
    ]],
  },
  hints = {
    {
      goal = "correct",
      en = [[
        Begin with the report of an access out of bounds: it names the kernel, the line and the
        thread. Then fix the barrier that not all threads reach. Take the races last.
      ]],
      zh = [[
        从越界访问的报告入手：报告写明了核函数、行号和线程。然后改好不是所有线程都到达的屏障，
        最后再看竞争。
      ]],
    },
    {
      goal = "correct",
      en = [[
        `scale`: what does thread n do? `turn`: move the barrier out of the branch. `count`: make
        its three steps a single operation. `sum_blocks`: what does the second round read?
        `sum_all`: in which stream are its inputs written?
      ]],
      zh = [[
        `scale`：线程 n 做了什么？`turn`：把屏障移出分支。`count`：把三步并成一个操
        作。`sum_blocks`：第二轮读的是什么？`sum_all`：它的输入是在哪个流里写的？
      ]],
    },
    {
      en = [[
        `scale`: write `i >= n`. `turn`: write two `if (t < len)`, with the barrier between them.
        `count`: write `atomicAdd(positives, 1)`. `sum_blocks`: put `__syncthreads()` inside the
        loop over `half`. `sum_all`: launch `sum_all<<<1, 1, 0, stream>>>`. The lucky kernel is
        `scale`, and the race is in line 8.
      ]],
      zh = [[
        `scale`：写成 `i >= n`。`turn`：写成两个 `if (t < len)`，屏障放在它们之间。`count`：
        写成 `atomicAdd(positives, 1)`。`sum_blocks`：在 `half` 的循环里
        加 `__syncthreads()`。`sum_all`：写成 `sum_all<<<1, 1, 0, stream>>>`。碰巧全对的是 `scale`，
        竞争在第 8 行。
      ]],
    },
  },

  after = {
    en = [[
      Which bugs did you see in the outputs, and which only in the reports? The outputs of `scale`
      are right on every device until another array begins directly behind its array.

      The launch in the wrong stream gave right outputs here, because this device keeps the order
      of the calls. On a GPU most runs would be right, too: `sum_blocks` takes about as long as the
      host needs to launch `sum_all`, so the sums of the blocks are mostly there in time. For a
      parallel program, "it works" proves nothing.

      On a GPU, `compute-sanitizer` finds three of the five bugs. memcheck finds the access out of
      bounds. synccheck finds the barrier that not all threads reach. racecheck finds the missing
      barrier, because `sum_blocks` uses shared memory.

      None of the tools of `compute-sanitizer` reports the other two bugs: the race of `count`,
      which is in global memory, and the launch in the wrong stream. To find such bugs, draw which
      kernel needs which data, or let Warplab's device check your program.
    ]],
    zh = [[
      哪些错误在输出里看得到，哪些只有报告里才有？`scale` 在任何设备上输出都对，
      直到它的数组后面紧跟着另一个数组。

      放错流的启动在这里输出也对，因为这个设备按调用的次序执行。在 GPU 上，多数时候输出也
      对：`sum_blocks` 的用时与主机启动 `sum_all` 的用时差不多，所以各块的部分和多半来得及写好。对并
      行程序来说，“能跑”证明不了什么。

      在 GPU 上，`compute-sanitizer` 能查出五个错误里的三个：memcheck 查出越界访问；synccheck 查出不
      是所有线程都到达的屏障；racecheck 查出漏掉的屏障，因为 `sum_blocks` 用的是共享内存。

      另外两个错误，`compute-sanitizer` 的工具都不会报告：`count` 的竞争在全局内存里，
      还有放错流的启动。要找出这样的错误，就画出哪个核函数需要哪些数据，
      或者让 Warplab 的设备来检查。
    ]],
  },
  more = {
    en = [[
      Put back one bug at a time and `check`. Which goals notice the bug, and for which n? Then use
      two streams on purpose, and put their work in order with an event: `cudaEventRecord`,
      `cudaStreamWaitEvent`.
    ]],
    zh = [[
      每次只放回一个错误，再 `check`：哪些目标会发现它，n 是多少时发现？然后有意使用两个流，
      用事件规定先后：`cudaEventRecord`、`cudaStreamWaitEvent`。
    ]],
  },
}
