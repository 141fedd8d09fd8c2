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
    a = integers(-1000, 1000, "n"),
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
      en = "Work through the device's reports one at a time, from the first: one bug often causes reports elsewhere.",
      zh = "从第一条报告起，一条一条处理：一个错误往往会在别处引发更多报告。",
    },
    at_most("kernels_at_once", 1.5) {
      points = 2,
      en = "Two kernels ran at the same time, although one reads what the other writes. `show timeline` shows the streams.",
      zh = "有两个核函数同时在运行，而其中一个要读另一个写的数据。用 `show timeline` 看各个流。",
    },
    at_most("warp_inst", 1.5 * baseline) {
      points = 1,
      en = "Your fix lets one thread do what many threads shared.",
      zh = "这样改，是让一个线程去做许多线程分担的工作。",
    },
    answer("lucky") {
      points = 1,
      is = "text",
      accept = { "scale", "scale()", "scaled" },
      en = "Run the file unchanged. Look at n = 1003, too, which is no multiple of 256. Which kernel has only correct outputs, although the device reports it?",
      zh = "运行原样的文件，也看一看不是 256 的倍数的 n = 1003。哪个核函数的输出全对，设备却报告了它？",
    },
    answer("race") {
      points = 1,
      is = "line",
      finding = "race",
      of = "kernels/bug-hunt-count.cu",
      entry = "void bug_hunt_count(const int *a, int *positives, int n)",
      args = { a = integers(-1000, 1000, "n"), positives = output(1) },
      case = { n = 5000 },
      baseline = "kernels/bug-hunt-count-right.cu",
      on = "sim:h200",
      en = "Where do threads of different blocks access one address, at least one of them to write?",
      zh = "不同块的线程在哪里访问同一个地址，而且至少一个是写？",
    },
  },

  steps = {
    say {
      en = [[
        A colleague's program computes wrong totals "sometimes". It has five bugs of five kinds:

        - an *off-by-one*: an index one past the end;
        - a *missing barrier*: a thread reads what another may not have written yet;
        - a *barrier that not all threads reach*: the threads that wait there may wait for ever, a deadlock;
        - a *race* in global memory: two threads change one value at once;
        - a launch in the *wrong stream*: it does not wait for what it needs.

        How many of them would you see in the output? On a GPU perhaps none today. Each bug stays hidden while the order happens to be right, or while nothing else uses the bytes behind the end.
        So one correct run proves little.
      ]],
      zh = [[
        同事的程序“有时候”会算错总和。里面有五个错误，分属五种类型：

        - *差一错误*：下标越过末尾一个；
        - *漏掉的屏障*：一个线程读取另一个线程可能还没写好的值；
        - *不是所有线程都到达的屏障*：在屏障处等待的线程可能永远等下去，也就是死锁；
        - 全局内存里的*竞争*：两个线程同时修改一个值；
        - *放错了流*的启动：它不会等自己需要的数据。

        看输出能看出几个？在 GPU 上，今天也许一个都看不出来。只要执行次序碰巧正确，或者末尾之后的字节恰好没有别的用途，错误就不会显露。所以，一次运行结果正确说明不了什么。
      ]],
    },
    ask {
      en = "The programming guide promises that `cudaMalloc` returns multiples of 256 bytes; today's devices return multiples of 512. A program allocates an array of n = {n} ints. By the guide, how many bytes behind its end belong to no other array, so that a write there goes unnoticed on a GPU?",
      zh = "《CUDA 编程指南》保证，`cudaMalloc` 返回的地址都是 256 字节的倍数；如今的设备上实际是 512 的倍数。为 n = {n} 个 int 分配一个数组。按指南的保证，末尾之后有多少字节不属于任何别的数组，在 GPU 上写了也不会被发现？",
      draw = { n = { from = { 1000, 1003, 1010, 2030, 5000 } } },
      answer = function(d) return ceil_div(4 * d.n, 256) * 256 - 4 * d.n end,
      because = {
        en = "4 * {n} bytes, rounded up to a multiple of 256, less 4 * {n}. One int past the end lies in there: no error, no wrong output, for years. But once n is a multiple of 64, the int behind the end may be the first one of another array.",
        zh = "4 * {n} 字节向上取整到 256 的倍数，再减去 4 * {n}。末尾之后的第一个 int 就在这段空隙里：不报错，输出也没有错，可能多年没人发现。但如果 n 是 64 的倍数，末尾之后的 int 就可能是另一个数组的第一个元素。",
      },
    },
    ask {
      alone = true,
      en = "In a block of 256 threads, threads 0 to 99 enter a branch that contains a `__syncthreads()`. The others skip it. What happens?",
      zh = "一个块有 256 个线程，线程 0 到 99 进入一个含有 `__syncthreads()` 的分支，其余线程跳过它。会怎样？",
      choices = {
        { en = "It is undefined: it may hang, or the barrier is taken for another one further on", zh = "未定义：可能一直挂起，也可能与后面的另一个屏障错误配对", right = true, because = { en = "A barrier counts the threads that arrive. It keeps waiting for the missing threads. If they arrive at some other barrier, the hardware may take that one for this one.", zh = "屏障只数到达的线程，没有到达的会一直被等待。如果它们到达了别的屏障，硬件就可能把两个屏障当成同一个。" } },
        { en = "The 100 threads wait for each other and go on", zh = "这 100 个线程互相等齐，然后继续", because = { en = "That would be a barrier for a group of threads. `__syncthreads()` is a barrier for the whole block.", zh = "那是一组线程的屏障；`__syncthreads()` 是整个块的屏障。" } },
        { en = "The compiler refuses it", zh = "编译器会拒绝", because = { en = "The compiler cannot know which threads take the branch.", zh = "编译器不知道哪些线程会进入这个分支。" } },
      },
    },
    ask {
      en = "The simulated device executes the work of all streams in the order of the calls; only its clock lets the streams overlap. Which of these three bugs therefore never shows in its outputs?",
      zh = "模拟设备按调用的次序执行所有流的工作，只在计时上让各个流重叠。因此，下面三个错误里，哪一个从不影响模拟设备上的输出？",
      choices = {
        { en = "The wrong stream", zh = "放错了流", right = true, because = { en = "The order of the calls happens to be the right one. On the simulated device the outputs never show this race. Only the report of a race between two streams reveals it, and the timeline: two kernels overlap, although one needs the other's result.", zh = "调用的次序恰好就是正确的次序。在模拟设备上，输出看不出这个竞争，只有报告和时间线能看出：报告说两个流之间有竞争；时间线上两个核函数重叠了，而其中一个需要另一个的结果。" } },
        { en = "The missing barrier", zh = "漏掉的屏障", because = { en = "The simulated warps run at different paces, too, and the device checks each access to shared memory.", zh = "模拟设备上各个线程束（warp）的进度也不相同，而且每次访问共享内存都会检查。" } },
        { en = "The race in global memory", zh = "全局内存里的竞争", because = { en = "Several blocks run at once there, too, so updates get lost.", zh = "模拟设备上也有多个块同时运行，所以更新同样会丢失。" } },
      },
    },
    ask {
      en = "On a GPU, `compute-sanitizer` looks for bugs: `memcheck` for bad addresses, `synccheck` for wrong barriers, `racecheck` for races in shared memory, `initcheck` for reads of memory that was never written. Two threads of different blocks change one int in *global* memory. Which of the four reports it?",
      zh = "在 GPU 上可以用 `compute-sanitizer` 查错：`memcheck` 查错误的地址，`synccheck` 查用错的屏障，`racecheck` 查共享内存里的竞争，`initcheck` 查读取从未写过的内存。不同块的两个线程修改*全局*内存里的同一个 int，四个工具里哪一个会报告？",
      choices = {
        { en = "None of them", zh = "哪个也不会", right = true, because = { en = "Each access is valid by itself, and racecheck watches only shared memory. Warplab's device watches global memory, too.", zh = "单看每次访问都没有错，而 racecheck 只检查共享内存。Warplab 的设备也检查全局内存。" } },
        { en = "racecheck", zh = "racecheck", because = { en = "It would find this race if it were in shared memory, between threads of one block.", zh = "如果竞争发生在共享内存里、同一个块的线程之间，racecheck 就能发现。" } },
        { en = "memcheck", zh = "memcheck", because = { en = "The address is valid, aligned and inside an array.", zh = "地址有效，也对齐，还在数组之内。" } },
        { en = "initcheck", zh = "initcheck", because = { en = "The int was written. The trouble is that two threads write it at once.", zh = "这个 int 写过了。问题在于两个线程同时写它。" } },
      },
    },
    say {
      en = [[
        Here is one of the kernels. Apart from line breaks it is the same as in your file:

]] .. listing .. [[

        The device reports a race by its lines. Which line will it be? You will write its number in this listing behind `// answer race:` at the top of the file. When you have the file open, ask about each kernel:
        who writes what I read, and what guarantees that it has been written?
      ]],
      zh = [[
        下面是其中一个核函数，除了换行，与你文件里的相同：

]] .. listing .. [[

        设备会报告竞争所在的行。会是哪一行？你要把它在上面列表里的行号写在文件开头的 `// answer race:` 后面。打开文件后，对每个核函数都问一遍：我读的东西是谁写的？凭什么保证它已经写好了？
      ]],
    },
    predict {
      en = "The model answer corrects this kernel with `atomicAdd`. How many kernels does one call of the model answer *launch*?",
      zh = "参考答案用 `atomicAdd` 改好了上面这个核函数。参考答案的一次调用一共*启动*几个核函数？",
      counter = "launches",
      of = "answer",
      because = { en = "scale, turn, count, sum_blocks and sum_all. `cudaMemsetAsync` launches no kernel.", zh = "scale、turn、count、sum_blocks 和 sum_all。`cudaMemsetAsync` 不启动核函数。" },
    },
    exercise {
      en = [[
        Find the five bugs and fix them. First `run` the file unchanged. Which sizes are right, what does the device report, and which kernel's outputs are right although it has a bug? A report names the kernel,
        the line and both threads. Fix one bug, then `run` again. The wrong stream is a race between two kernels; you can see it in the timeline, too.

        To see how a bug happens, use `debug`: it runs to the line of the first report and stops in the thread that the report is about. `print i`, `warps` and `reverse-next` show the rest.
      ]],
      zh = [[
        找出这五个错误并改好。先 `run` 一次原样的文件：哪些大小是对的？设备报告了什么？哪个核函数明明有错，输出却全对？报告会给出核函数、行号和双方线程。改好一个错误，再 `run` 一次。放错流的启动表现为两个核函数之间的竞争，在时间线上也看得到。

        想看清错误是怎样发生的，用 `debug`：它会执行到第一条报告所指的那一行，停在报告所说的线程里。用 `print i`、`warps`、`reverse-next` 看其余的情况。
      ]],
    },
    show {
      en = "The streams of your call. Each kernel should stand behind the work that it needs:",
      zh = "你这次调用的各个流。每个核函数都应排在它所需要的工作之后：",
      picture = "timeline",
    },
    show {
      en = "And line by line. If one line has far more instructions than its neighbours, a single thread does all the work there:",
      zh = "再逐行看。如果哪一行的指令数远多于相邻的行，就是一个线程在独自工作：",
      picture = "divergence",
    },
  },

  debug = {
    case = 2,
    en = "With n = 1003, the debugger stops before the instruction of the first report, in the thread of that report. What does this thread hold (`locals`)? Where are the other threads (`warps`)? How did it get here (`reverse-next`)?",
    zh = "n = 1003。调试器停在第一条报告所指的指令之前，就在报告所说的线程里。这个线程的变量是什么（`locals`）？别的线程在哪里（`warps`）？它是怎么走到这里的（`reverse-next`）？",
  },
  hints = {
    {
      goal = "correct",
      en = "Begin with the report of an access out of bounds: it names the kernel, the line and the thread. Continue with the report of the barrier. Take the races last.",
      zh = "从越界访问的报告入手：核函数、行号、线程都写明了。然后处理屏障的报告，最后再看竞争。",
    },
    {
      goal = "correct",
      en = "`scale`: what does thread n do? `turn`: take the barrier out of the branch. `count`: make three steps one operation. `sum_blocks`: what does the second round read? `sum_all`: in which stream are its inputs written?",
      zh = "`scale`：线程 n 做了什么？`turn`：把屏障移出分支。`count`：把三步并成一个操作。`sum_blocks`：第二轮读的是什么？`sum_all`：它的输入是在哪个流里写的？",
    },
    {
      en = "`i >= n`; two `if (t < len)` with the barrier between them; `atomicAdd(positives, 1)`; `__syncthreads()` inside the loop over `half`; `sum_all<<<1, 1, 0, stream>>>`. The lucky kernel is `scale`; the race is in line 8.",
      zh = "`i >= n`；两个 `if (t < len)`，屏障放在它们之间；`atomicAdd(positives, 1)`；在 `half` 的循环里加 `__syncthreads()`；`sum_all<<<1, 1, 0, stream>>>`。碰巧全对的是 `scale`，竞争在第 8 行。",
    },
  },

  after = {
    en = [[
      Which bugs did you see in the outputs, and which only in the reports? `scale` gives correct outputs on every device until another array lies right behind its own. The wrong stream gave correct outputs here, because this
      device keeps the order of the calls. On a GPU most runs would be right, too: `sum_blocks` is short, and launching the next kernel takes just as long. "It works" proves nothing about a parallel program.

      On a GPU, `compute-sanitizer` finds three of the five. memcheck finds the access out of bounds, synccheck the barrier that not all threads reach, and racecheck the missing barrier, since `sum_blocks` uses shared memory.
      None of its tools reports the race of `count`, which is in global memory, or the wrong stream. For those two, draw the dependences yourself, or let Warplab's device check.
    ]],
    zh = [[
      哪些错误在输出里看得到，哪些只有报告里才有？`scale` 在任何设备上输出都对，直到它的数组后面紧跟着另一个数组。放错流的启动在这里输出也对，因为这个设备按调用的次序执行；在 GPU 上多半也对，因为 `sum_blocks` 很短，而启动下一个核函数也要这么久。对并行程序来说，“能跑”证明不了什么。

      在真实 GPU 上，`compute-sanitizer` 能查出五个错误里的三个：memcheck 查出越界访问，synccheck 查出不是所有线程都到达的屏障，racecheck 查出漏掉的屏障，因为 `sum_blocks` 用的是共享内存。
      `count` 的竞争在全局内存里，还有放错的流，都没有工具会报告。这两个错误要靠自己画出依赖关系，或者让 Warplab 的设备来检查。
    ]],
  },
  more = {
    en = "Put back one bug at a time and `check`. Which goals notice it, and for which n? Then use two streams on purpose and put them in order with an event: `cudaEventRecord`, `cudaStreamWaitEvent`.",
    zh = "每次只放回一个错误，再 `check`：哪些目标会发现它，n 是多少时发现？然后有意使用两个流，用事件规定先后：`cudaEventRecord`、`cudaStreamWaitEvent`。",
  },
}
