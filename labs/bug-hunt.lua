-- Chapter 10: five bugs in one file, each of another kind.
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
      en = "Take the device's reports one at a time, from the first: a bug often makes noise elsewhere.",
      zh = "设备的报告要从第一条起，一条一条处理：一个错误往往会在别处引发新的报告。",
    },
    at_most("kernels_at_once", 1.5) {
      points = 2,
      en = "Two kernels ran side by side, though one reads what the other writes. `show timeline` shows the streams.",
      zh = "有两个核函数同时在跑，而其中一个要读另一个写的数据。用 `show timeline` 看各个流。",
    },
    at_most("warp_inst", 1.5 * baseline) {
      points = 1,
      en = "It was mended by doing work alone that many threads did together.",
      zh = "这样改，是把许多线程合做的事交给了一个线程。",
    },
    answer("lucky") {
      points = 1,
      is = "text",
      accept = { "scale", "scale()", "scaled" },
      en = "Run the file as it is, and n = 1003 after a multiple of 256: whose outputs are right, and what does the device say of it?",
      zh = "原样运行文件：除了 256 的倍数，再看 n = 1003。哪个核函数的输出全对，设备却给出了报告？",
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
      en = "Where do threads of different blocks touch one address, and one of them writes?",
      zh = "不同块的线程在哪里碰到同一个地址，而且其中有写？",
    },
  },

  steps = {
    say {
      en = [[
        A colleague's program computes wrong totals "sometimes". It has five bugs, each of another kind:

        - an *off-by-one*: an index one past the end;
        - a *missing barrier*: a thread reads what another may not have written yet;
        - a *barrier that not all threads reach*: those who wait may wait for ever, a deadlock;
        - a *race* in global memory: two threads change one value at once;
        - a launch in the *wrong stream*: it does not wait for what it needs.

        How many of them would you see in the output? On a GPU: perhaps none, today. Each passes by luck when the order happens to be right, or when nobody owns the byte behind the end. Which is why
        a run that came out right proves little.
      ]],
      zh = [[
        同事的程序“有时候”会算错总和。里面有五个错误，五种类型：

        - *差一错误*：下标越过末尾一个；
        - *漏掉的屏障*：一个线程去读另一个线程可能还没写的值；
        - *不是所有线程都到达的屏障*：等的线程可能永远等下去，也就是死锁；
        - 全局内存里的*竞争*：两个线程同时改一个值；
        - *放错了流*的启动：它不会等自己需要的数据。

        看输出能看出几个？在 GPU 上，今天也许一个都看不出来。只要次序凑巧，或者末尾之后的那个字节恰好没有人用，它们就能碰巧通过。所以，一次运行结果正确说明不了什么。
      ]],
    },
    ask {
      en = "Every address from `cudaMalloc` is a multiple of 256 bytes: the guide promises this much, devices of today show 512. An array of n = {n} ints is allocated. By the guide, how many bytes behind its end belong to no other array, so that a write there goes unnoticed on a GPU?",
      zh = "`cudaMalloc` 返回的地址都是 256 字节的倍数：这是编程指南的保证，如今的设备上看到的是 512。为 n = {n} 个 int 分配数组。按指南的保证，末尾之后有多少字节不属于任何别的数组，在 GPU 上写了也没人发现？",
      draw = { n = { from = { 1000, 1003, 1010, 2030, 5000 } } },
      answer = function(d) return ceil_div(4 * d.n, 256) * 256 - 4 * d.n end,
      because = {
        en = "4 * {n} bytes, rounded up to a multiple of 256, less 4 * {n}. One int past the end lies in there: no error, no wrong output, for years; until n is a multiple of 64, and the int behind the end may be the first of another array.",
        zh = "4 * {n} 字节向上取整到 256 的倍数，再减去 4 * {n}。末尾后的第一个 int 就落在里面：不报错，输出也不错，可以相安无事许多年；直到有一天 n 是 64 的倍数，末尾后面的 int 可能就是另一个数组的第一个元素。",
      },
    },
    ask {
      alone = true,
      en = "Threads 0 to 99 of a block of 256 enter a branch with a `__syncthreads()` in it; the others go on. What happens?",
      zh = "一个块有 256 个线程，线程 0 到 99 进入一个含有 `__syncthreads()` 的分支，其余的继续往下走。会怎样？",
      choices = {
        { en = "It is undefined: it may hang, or the barrier is taken for another one further on", zh = "未定义：可能挂起，也可能与后面另一个屏障错位配对", right = true, because = { en = "A barrier counts who arrives. Those who do not come are waited for, until they arrive at some other barrier, which is then taken for this one.", zh = "屏障只数到了多少线程。没来的会一直被等，直到它们到达别的某个屏障，于是两个屏障被当成了同一个。" } },
        { en = "The 100 threads wait for each other and go on", zh = "这 100 个线程互相等齐，然后继续", because = { en = "That would be a barrier of a group of threads; `__syncthreads()` is of the block.", zh = "那是一组线程的屏障；`__syncthreads()` 是整个块的。" } },
        { en = "The compiler refuses it", zh = "编译器会拒绝", because = { en = "It cannot know who takes the branch.", zh = "编译器不知道谁会进这个分支。" } },
      },
    },
    ask {
      en = "The simulated device executes the work of all streams in the order of the calls, though its clock lets them overlap. Which of the five bugs therefore never shows in its outputs?",
      zh = "模拟设备按调用的次序执行所有流的工作，只是时钟允许它们重叠。因此五个错误里哪一个从不影响它的输出？",
      choices = {
        { en = "The wrong stream", zh = "放错了流", right = true, because = { en = "The order of the calls happens to be the right one. What gives it away is the report of a race between two streams, and the timeline: two kernels overlap of which one needs the other. An emulation hides races that a device shows.", zh = "调用的次序恰好就是正确的次序。露出马脚的是两个流之间的竞争报告，还有时间线：两个核函数重叠了，而其中一个需要另一个的结果。模拟会掩盖竞争，真实设备不会。" } },
        { en = "The missing barrier", zh = "漏掉的屏障", because = { en = "Warps do run at different paces there, and each access to shared memory is checked.", zh = "那里各个线程束（warp）的快慢也不同，而且每次共享内存访问都会检查。" } },
        { en = "The race in global memory", zh = "全局内存里的竞争", because = { en = "Blocks do run at once, and updates get lost.", zh = "各个块确实同时在跑，会丢失更新。" } },
      },
    },
    ask {
      en = "On a GPU, `compute-sanitizer` looks for bugs: `memcheck` for bad addresses, `synccheck` for wrong barriers, `racecheck` for races in shared memory, `initcheck` for memory that was never written. Two threads of different blocks change one int in *global* memory. Which of the four reports it?",
      zh = "在 GPU 上可以用 `compute-sanitizer` 查错：`memcheck` 查错误的地址，`synccheck` 查用错的屏障，`racecheck` 查共享内存里的竞争，`initcheck` 查从未写过的内存。不同块的两个线程修改*全局*内存里的同一个 int，四个工具里哪一个会报告？",
      choices = {
        { en = "None of them", zh = "哪个也不会", right = true, because = { en = "Each access by itself is right, and racecheck follows shared memory only. The device here also watches global memory.", zh = "单看每次访问都没有错，而 racecheck 只跟踪共享内存。这里的设备连全局内存也看着。" } },
        { en = "racecheck", zh = "racecheck", because = { en = "It would find this race in shared memory, between threads of one block.", zh = "如果是在共享内存里、同一个块的线程之间，它就能发现。" } },
        { en = "memcheck", zh = "memcheck", because = { en = "The address is valid, aligned and inside of an array.", zh = "地址有效，也对齐，还在数组之内。" } },
        { en = "initcheck", zh = "initcheck", because = { en = "The int was written, only too often at once.", zh = "这个 int 写过了，只是同时写的太多。" } },
      },
    },
    say {
      en = [[
        One of the kernels by itself, as it is in your file but for line breaks:

]] .. listing .. [[

        The device reports a race by its lines. Which would it be? You will write it down as `// answer race:`. When you have the file open, ask of each kernel: who writes what I read, and what makes
        sure that it is there?
      ]],
      zh = [[
        单独看其中一个核函数，与你文件里的相同，只是换行不同：

]] .. listing .. [[

        设备会报告竞争所在的行。会是哪一行？把它写在 `// answer race:` 后面。打开文件后，对每个核函数都问一遍：我读的东西是谁写的？凭什么保证它已经写好了？
      ]],
    },
    predict {
      en = "Line 08, with n = 5000 numbers, half of them positive, is the model answer's `atomicAdd`. The compiler adds up within a warp first. Of all kernels of the answer, how many are *launched* in one call?",
      zh = "第 08 行在参考答案里换成了 `atomicAdd`。参考答案的一次调用一共*启动*几个核函数？",
      counter = "launches",
      of = "answer",
      because = { en = "scale, turn, count, sum_blocks and sum_all. `cudaMemsetAsync` is no launch.", zh = "scale、turn、count、sum_blocks 和 sum_all。`cudaMemsetAsync` 不算启动。" },
    },
    exercise {
      en = [[
        Find and mend the five. `run` first, with the file as it is: which sizes are right, what does the device report, and of which kernel are the outputs right all the same? A report names kernel,
        line and both threads. Mend one, `run` again. The wrong stream is a race of two kernels, and it is in the timeline, too.

        To see how it comes to that: `debug` runs to the line of the first report, in the thread that it is about; `print i`, `warps` and `reverse-next` tell the rest.
      ]],
      zh = [[
        找出这五个错误并改好。先原样 `run` 一次：哪些大小是对的？设备报告了什么？哪个核函数的输出其实全对？报告会给出核函数、行号和双方线程。改一个，再 `run` 一次。放错流的那个是两个核函数之间的竞争，在时间线上也看得到。

        想看清来龙去脉：`debug` 会一直执行到第一条报告所指的那一行、那个线程；用 `print i`、`warps`、`reverse-next` 看其余的。
      ]],
    },
    show {
      en = "The streams of your call. Each kernel stands behind what it needs:",
      zh = "你这次调用的各个流。每个核函数都应排在它所需要的工作之后：",
      picture = "timeline",
    },
    show {
      en = "And line by line: an instruction count that is far above its neighbours' would be a kernel that one thread does alone.",
      zh = "再逐行看：如果哪一行的指令数远高于相邻的行，那就是一个线程在独自干活。",
      picture = "divergence",
    },
  },

  debug = {
    case = 2,
    en = "It stops before the instruction that the first report is about, in its thread, with n = 1003. What does the thread hold (`locals`), where are the others (`warps`), and who came here from where (`reverse-next`)?",
    zh = "n = 1003。它停在第一条报告所说的指令之前、就在那个线程里。这个线程手里有什么（`locals`）？别的线程在哪里（`warps`）？它是怎么走到这里的（`reverse-next`）？",
  },
  hints = {
    {
      goal = "correct",
      en = "Begin with the report of an access out of bounds: its kernel, line and thread say it all. Then the report of the barrier. Races come last.",
      zh = "从越界访问的报告入手：核函数、行号、线程都写明了。然后是屏障的报告，最后再看竞争。",
    },
    {
      goal = "correct",
      en = "`scale`: who is thread n? `turn`: take the barrier out of the branch. `count`: one operation instead of three. `sum_blocks`: what does the second round read? `sum_all`: in which stream are its inputs written?",
      zh = "`scale`：线程 n 该做什么？`turn`：把屏障移出分支。`count`：三步并成一个操作。`sum_blocks`：第二轮读的是什么？`sum_all`：它的输入是在哪个流里写的？",
    },
    {
      en = "`i >= n`; two `if (t < len)` with the barrier between them; `atomicAdd(positives, 1)`; `__syncthreads()` inside the loop of halves; `sum_all<<<1, 1, 0, stream>>>`. The lucky one is `scale`, the race is in line 8.",
      zh = "`i >= n`；两个 `if (t < len)`，屏障放在它们之间；`atomicAdd(positives, 1)`；在对半的循环里加 `__syncthreads()`；`sum_all<<<1, 1, 0, stream>>>`。碰巧全对的是 `scale`，竞争在第 8 行。",
    },
  },

  after = {
    en = [[
      What did you see in the outputs, and what only in the reports? `scale` was never wrong on any device, until another array lies right behind its own. The wrong stream was right here, for this
      device keeps the order of calls, and would be right on most runs of a GPU, for `sum_blocks` is short and the launch of the next kernel takes as long. "It works" is no proof of a parallel program.

      On a GPU, three of the five have a tool in `compute-sanitizer`: memcheck finds the access out of bounds, synccheck the barrier that not all threads reach, and racecheck the missing barrier, since `sum_blocks` uses shared memory.
      No tool there reports the race of `count`, which is in global memory, nor the wrong stream. For those two, draw the arrows yourself, or let the device here look.
    ]],
    zh = [[
      哪些错误在输出里看得到，哪些只在报告里？`scale` 在任何设备上都没有出过错，直到它后面换了另一个数组。放错流的那个在这里是对的，因为这个设备保持调用的次序；在 GPU 上多半也是对的，因为 `sum_blocks` 很短，而启动下一个核函数也要这么久。对并行程序来说，“能跑”证明不了什么。

      在真实 GPU 上，五个错误里有三个可以用 `compute-sanitizer` 查出来：memcheck 查出越界访问，synccheck 查出不是所有线程都到达的屏障，racecheck 查出漏掉的屏障，因为 `sum_blocks` 用的是共享内存。
      `count` 的竞争在全局内存里，放错的流也一样，那里没有工具会报告。这两个要自己把依赖的箭头画出来，或者让这里的设备来查。
    ]],
  },
  more = {
    en = "Put one bug back at a time and `check`: which goals notice it, and with which n? Then keep two streams on purpose and let an event make the order: `cudaEventRecord`, `cudaStreamWaitEvent`.",
    zh = "每次只放回一个错误，再 `check`：哪些目标会发现它，在哪些 n 时发现？再试试有意保留两个流，用事件来规定先后：`cudaEventRecord`、`cudaStreamWaitEvent`。",
  },
}
