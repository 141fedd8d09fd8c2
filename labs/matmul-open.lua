-- Chapter 2: the open end.
return lab {
  id = "matmul-open",
  title = { en = "Matrix product: as fast as you can", zh = "矩阵乘法：越快越好" },
  chapter = 2,
  minutes = 40,
  needs = { "matmul-coarse" },
  source = "slides IV; book 5.5, 6.3; guide 5.3.2",
  teaches = {
    ["register-tiles"] = "say ask",
    ["vector-loads"] = "predict hints",
    ["double-buffering"] = "hints exercise",
    ["fp32-peak"] = "goals show",
    cublas = "after",
  },
  entry = "void matmul_open(const float *a, const float *b, float *c, int n)",
  args = {
    a = uniform(-1, 1, "n*n"),
    b = uniform(-1, 1, "n*n"),
    c = output("n*n", { ops = "2*n" }),
  },
  cases = { { n = 1 }, { n = 64 }, { n = 100 }, { n = 257 }, { n = 768, timed = true } },
  hidden = { count = 2, n = { 2, 300 } },
  forbid = { "cublas", "cutlass", "wmma" },
  goals = {
    correct { points = 3 },
    at_most("all_loads", 0.2 * baseline) {
      points = 4,
      en = "The baseline reads two words of shared memory for each multiply-add. A thread that keeps 4 x 4 outputs in registers needs only 8 words for 16 multiply-adds. Two 16-byte loads bring these 8 words.",
      zh = "基线每做一次乘加，要从共享内存读两个字。如果一个线程在寄存器里保存 4 x 4 个输出，做 16 次乘加只需要 8 个字，两次 16 字节的读取就能取来这 8 个字。",
    },
    tiers("fp32") {
      bronze = 0.15,
      silver = 0.2,
      gold = 0.25,
      points = 1,
      en = "The limit of a matrix product is the number of multiply-adds that the device can do in a second. Each other instruction takes the place of a multiply-add. Which other instructions does your kernel execute?",
      zh = "矩阵乘法的上限是设备每秒能做的乘加次数。每执行一条别的指令，就少执行一条乘加指令。你的核函数还执行了哪些指令？",
    },
    speedup(1.5) {
      points = 2,
      none = 1,
      en = "What does your kernel wait for? `profile` names what limits it, and `show` draws how close it comes to the limits of the device.",
      zh = "你的核函数主要在等什么？`profile` 会指出瓶颈，`show` 会画出它离设备的上限还有多远。",
    },
  },
  steps = {
    say {
      en = [[
In this lab you make the product `C = A * B` as fast as you can. You will learn three techniques: outputs in registers, 16-byte loads, and double
buffering. At the end you will see how close such a kernel comes to NVIDIA's library cuBLAS.

The tiled product spends most of its time on loads from shared memory to registers: two loads for each multiply-add. Shared memory gives a
multiprocessor 32 words per cycle. But to be always busy, the cores of a multiprocessor of an H200 want 256 operands per cycle: two for each of 128
multiply-adds.

So let each loaded word serve several multiply-adds. Each thread keeps a square of *outputs* in its registers, for example 8 x 8. In each step of k,
the thread loads a column of 8 elements of A and a row of 8 elements of B. These 16 words are enough for 64 multiply-adds. The square of outputs is
called a *register tile*.]],
      zh = [[
在本实验里，请让矩阵乘法 `C = A * B` 尽可能快。你会学到三种技术：把输出放在寄存器里，16 字节的读取，双缓冲。最后会看到，
这样的核函数与 NVIDIA 的 cuBLAS 库还差多少。

分块乘法的时间大多花在从共享内存向寄存器读取数据上：每次乘加要读两次。共享内存每个周期能给一个多处理器 32 个字。
而在 H200 上，一个多处理器的运算核心要一直不空闲，每个周期需要 256 个操作数：128 次乘加，每次两个。

办法是让读来的每个字多用几次。每个线程在寄存器里保存一个方阵的*输出*，例如 8 x 8 个。k 每前进一步，线程读 A 的一列 8 个元素和 B 的一行 8 个元素。
这 16 个字就够做 64 次乘加。这个输出的方阵叫*寄存器 tile*。]],
    },
    ask {
      alone = true,
      en = "A thread that holds {r} x {r} outputs in registers reads 2 * {r} words from shared memory in each step of k. How many multiply-adds does the thread do per word that it reads?",
      zh = "一个线程在寄存器里保存 {r} x {r} 个输出，k 每前进一步，从共享内存读 2 * {r} 个字。平均每读一个字做多少次乘加？",
      draw = { r = { from = { 2, 4, 6, 8 } } },
      answer = function(d) return d.r / 2 end,
      because = { en = "The thread does {r} * {r} multiply-adds for 2 * {r} words. If {r} is a multiple of 4, each load can bring 16 bytes, that is four words. The number of load instructions then falls to a quarter.",
                  zh = "做 {r} * {r} 次乘加要读 2 * {r} 个字。如果 {r} 是 4 的倍数，每次读取可以取来 16 字节，即 4 个字，读取指令数就减到四分之一。" },
    },
    ask {
      alone = true,
      en = "A thread with 8 x 8 outputs needs 64 registers for its sums. A kernel needs {r} registers per thread in all, and its blocks have 256 threads. A multiprocessor has 65,536 registers. For how many blocks at a time are the registers of a multiprocessor enough?",
      zh = "一个线程有 8 x 8 个输出时，仅累加和就要 64 个寄存器。某个核函数每个线程用 {r} 个寄存器，每块 256 个线程，而一个多处理器有 65,536 个寄存器。只看寄存器，一个多处理器能同时容纳多少个线程块？",
      draw = { r = { from = { 64, 80, 96, 128, 168, 240 } } },
      answer = function(d) return 65536 // (d.r * 256) end,
      because = {
        en = "65536 / ({r} * 256), rounded down. With 128 registers per thread, the multiprocessor holds 2 blocks, that is 16 warps, although it has room for 64. The occupancy is low, and yet the kernel is fast. Other kernels need many warps, so that some can work while others wait. Here each thread has 64 sums that do not depend on each other, so it can work on one sum while others wait.",
        zh = "65536 / ({r} * 256)，向下取整。每个线程用 128 个寄存器时，多处理器能容纳 2 个块，即 16 个线程束（warp），虽然它最多能容纳 64 个。占用率很低，核函数却很快。别的核函数需要许多 warp，一些 warp 等待时，其他 warp 可以工作。这里每个线程有 64 个互不依赖的累加和，一些累加和等待时，线程可以计算别的累加和。",
      },
    },
    ask {
      en = "With *double buffering*, shared memory has room for two copies of the tiles. In each phase, the block multiplies with one copy, and at the same time it already loads the elements of the next phase into registers. Then it stores these elements into the other copy. Now one barrier per phase is enough. Why?",
      zh = "*双缓冲*就是在共享内存里给 tile 留两份空间。每个阶段里，线程块用一份做乘法，同时就把下一阶段的元素读到寄存器里，随后把这些元素写进另一份。这样每个阶段只要一次屏障就够了。为什么？",
      choices = {
        { en = "The loads take so long that all threads have finished multiplying before the first store", zh = "读取要很久，开始写入时，所有线程都已经乘完了", because = { en = "Nothing guarantees this. The kernel would have a race.", zh = "这一点没有任何保证，核函数会有数据竞争。" } },
        { en = "The copy that a phase overwrites was last read in the previous phase, and the barrier at the end of that phase comes before the writes", zh = "一个阶段里要覆盖的那份，在上一阶段已经读完，而上一阶段末尾的屏障在写入之前", right = true },
        { en = "Each thread reads only elements that the thread itself stored", zh = "每个线程只读自己存的元素", because = { en = "A thread reads a column and a row. Other threads of the block stored most of these elements.", zh = "线程要读一列和一行，其中大多数元素是块内其他线程存的。" } },
      },
    },
    predict {
      en = "A 768 x 768 matrix has only 144 tiles of 64 x 64, hardly more than one for each of 132 multiprocessors. Therefore the model answer uses tiles of 32 x 32 here, with 4 x 4 outputs per thread. For each multiply-add instruction, a warp of the baseline makes two shared load requests, in all 2 * 768^3 / 32 = 28,311,552. For 16 such instructions, a warp of the model answer makes 2 requests of 16 bytes per lane. How many of the 28,311,552 requests are left?",
      zh = "768 x 768 的矩阵只有 144 个 64 x 64 的 tile，132 个多处理器平均每个只分到一个多一点。所以参考答案在这里用 32 x 32 的 tile，每个线程算 4 x 4 个输出。基线的 warp 每执行一条乘加指令，要发出两个共享内存读取请求，共 2 * 768^3 / 32 = 28,311,552 个请求。参考答案的 warp 每执行 16 条乘加指令，只发出 2 个请求（每个 lane 读 16 字节）。还剩多少个请求？",
      counter = "shared_ld_requests",
      of = "answer",
      tolerance = 0.05,
      because = { en = "The product takes 768^3 / 32 multiply-add instructions of warps, and 16 of these take 2 requests: 768^3 / 32 / 16 * 2 = 1,769,472. With 8 x 8 outputs per thread, half as many requests would be left. But then an H200 takes longer at this size: there are so few blocks that most of the multiprocessor's schedulers have one warp or none. (A multiprocessor has four *schedulers*, which start the instructions of its warps.)", zh = "整个乘法要执行 768^3 / 32 条 warp 的乘加指令，每 16 条需要 2 个请求：768^3 / 32 / 16 * 2 = 1,769,472。每个线程算 8 x 8 个输出时，请求还能再减半。但对这个尺寸，H200 反而更慢：线程块太少，多处理器的大多数调度器只有一个 warp，甚至没有。（一个多处理器有四个*调度器*，各个 warp 的指令由调度器发出。）" },
    },
    exercise {
      en = "Make the product fast. Use register tiles first, then 16-byte loads, then double buffering. Do not use a library: Warplab refuses a program that contains `cublas`, `cutlass` or `wmma`.",
      zh = "让矩阵乘法尽可能快。先用寄存器 tile，再用 16 字节的读取，最后用双缓冲。请不要用现成的库：程序里出现 `cublas`、`cutlass` 或 `wmma`，Warplab 会拒绝。",
    },
    show {
      picture = "roofline",
      en = "Your kernel as a dot under the *roofline* of the device: how fast the kernel is, and how fast it could be at most.",
      zh = "你的核函数在设备的*屋顶线*图中的位置：核函数现在有多快，最多能有多快。",
    },
    compare {
      en = "Your kernel beside the model answer.",
      zh = "你的核函数与参考答案的对比。",
      beside = "answer",
      counters = { "shared_ld_requests", "shared_ld_conflicts", "gld_requests", "thread_inst", "registers", "occupancy_pct" },
    },
  },
  hints = {
    { goal = "all_loads", en = "Let a thread compute a small square of outputs instead of one output. Which words does the thread read from shared memory in each step of k, and how often does it use each word?",
      zh = "让一个线程算一个小方阵的输出，而不是一个元素。k 每前进一步，线程要从共享内存读哪些字？每个字用几次？" },
    { goal = "all_loads", en = "Use `float sum[4][4]`. Unroll the loops over `sum` fully, so that the array stays in registers. Store the tile of A transposed: the 4 elements of a column are then one `float4`.",
      zh = "用 `float sum[4][4]`，把遍历 `sum` 的循环完全展开，让这个数组留在寄存器里。A 的 tile 转置存放，这样一列的 4 个元素就是一个 `float4`。" },
    { en = "Let a block of 64 threads compute 32 x 32 outputs, in phases of 16 steps of k, with two copies of the tiles. In each phase, load the elements of the next phase into registers, multiply, store the loaded elements into the other copy, and wait at one barrier. Once you have passed, `answer` shows the code.",
      zh = "用 64 个线程的块算 32 x 32 个输出，每个阶段 k 前进 16 步，tile 存两份。每个阶段：把下一阶段的元素读到寄存器，做乘法，把读来的元素写到另一份，然后执行一次屏障。通过之后，可以用 `answer` 查看完整代码。" },
  },
  after = {
    en = [[
With register tiles, 16-byte loads and double buffering, a CUDA kernel reaches 85% of the single-precision speed of cuBLAS on an H200: 43.6 TFLOP/s,
while cuBLAS reaches 51.4 (at n = 4096, measured with a cold cache). At n = 2048, this kernel takes 403 us, and the kernel of `matmul-tiled` takes
1849 us.

cuBLAS still has one advantage: its instructions stand in a better order. In CUDA C++, you can hardly control this order.]],
    zh = [[
用上寄存器 tile、16 字节的读取和双缓冲，一个 CUDA 核函数在 H200 上能达到 cuBLAS 单精度速度的 85%：n = 4096 时是 43.6 TFLOP/s，cuBLAS 是 51.4（冷缓存实
测）。n = 2048 时，这个核函数用 403 微秒，`matmul-tiled` 的核函数用 1849 微秒。

cuBLAS 还有一个优势：指令的排列顺序更好。用 CUDA C++ 很难控制这个顺序。]],
  },
  more = {
    en = "The model answer has three sizes of tile. Copy the model answer (type `answer`) into your file, change it so that it uses 64 x 64 or 128 x 128 tiles for n = 768, and type `profile`. How many blocks does the grid have then, and how many multiprocessors must share these blocks? Why is the kernel with the largest tiles slower here, although it uses each loaded element most often?",
    zh = "参考答案里有三种大小的 tile。让参考答案在 n = 768 时改用 64 x 64 或 128 x 128 的 tile，再输入 `profile`。这时网格有多少个线程块？这些块要分给多少个多处理器？tile 最大时，读来的每个元素复用的次数最多，为什么在这里反而更慢？",
  },
}
