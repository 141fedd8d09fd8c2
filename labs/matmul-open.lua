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
    at_most("shared_loads", 0.2 * baseline) {
      points = 4,
      en = "The baseline reads two words of shared memory for each multiply-add. A thread that keeps 4 x 4 outputs in registers needs only 8 words for 16 multiply-adds. Two 16-byte loads bring the 8 words.",
      zh = "基线每做一次乘加，要从共享内存读两个字。如果一个线程在寄存器里保存 4 x 4 个输出，做 16 次乘加只需要 8 个字，两次 16 字节的读取就能取来。",
    },
    tiers("fp32") {
      bronze = 0.15,
      silver = 0.2,
      gold = 0.25,
      points = 1,
      en = "The limit of a matrix product is the device's peak rate of multiply-adds. Other instructions take issue slots from the multiply-adds. Which other instructions does your kernel execute?",
      zh = "矩阵乘法的上限是设备的乘加峰值。其他指令会占用本来可以发射乘加的周期。你的核函数还执行了哪些指令？",
    },
    speedup(1.5) {
      points = 2,
      none = 1,
      en = "What does your kernel wait for? `profile` names the limiter, and `show` draws the roofline.",
      zh = "你的核函数主要在等什么？`profile` 会指出瓶颈，`show` 会画出屋顶线。",
    },
  },
  steps = {
    say {
      en = [[
In this lab you make the product `C = A * B` as fast as you can. You will learn three techniques: outputs in registers, 16-byte loads, and double
buffering. At the end you will see how close such a kernel comes to NVIDIA's library cuBLAS.

The tiled product spends most of its time on loads from shared memory to registers: two loads for each multiply-add. Shared memory gives a
multiprocessor 32 words per cycle. To be busy in every cycle, the cores of the multiprocessor want 256 operands per cycle.

You can use each loaded word more often. Each thread keeps a square of *outputs* in its registers, for example 8 x 8. In each step of k, the thread
loads a column of 8 elements of A and a row of 8 elements of B. These 16 words are enough for 64 multiply-adds. The square is a *register tile*.]],
      zh = [[
在本实验里，请让矩阵乘法 `C = A * B` 尽可能快。你会学到三种技术：把输出放在寄存器里，16 字节的读取，双缓冲。最后会看到，
这样的核函数与 NVIDIA 的 cuBLAS 库还差多少。

分块乘法的时间大多花在从共享内存向寄存器读取数据上：每次乘加要读两次。共享内存每个周期能给一个多处理器 32 个字，而要让多处理器的运算核心一直不空闲，
每个周期需要 256 个操作数。

办法是让读来的每个字多用几次。每个线程在寄存器里保存一个方阵的*输出*，例如 8 x 8 个。k 每前进一步，线程读 A 的一列 8 个元素和 B 的一行 8 个元素。
这 16 个字就够做 64 次乘加。这样的方阵叫*寄存器 tile*。]],
    },
    ask {
      alone = true,
      en = "A thread that holds {r} x {r} outputs in registers reads 2 * {r} words from shared memory in each step of k. How many multiply-adds does the thread do per word?",
      zh = "一个线程在寄存器里保存 {r} x {r} 个输出，k 每前进一步，从共享内存读 2 * {r} 个字。平均每读一个字做多少次乘加？",
      draw = { r = { from = { 2, 4, 6, 8 } } },
      answer = function(d) return d.r / 2 end,
      because = { en = "The thread does {r} * {r} multiply-adds for 2 * {r} words. If {r} is a multiple of 4, a 16-byte load brings four words. The number of load instructions then falls to a quarter.",
                  zh = "做 {r} * {r} 次乘加要读 2 * {r} 个字。如果 {r} 是 4 的倍数，一次 16 字节的读取能取来 4 个字，读取指令数就减到四分之一。" },
    },
    ask {
      alone = true,
      en = "With 8 x 8 sums, a thread needs 64 registers for the sums. A kernel needs {r} registers per thread in all, and its blocks have 256 threads. A multiprocessor has 65,536 registers. For how many blocks do the registers suffice?",
      zh = "每个线程有 8 x 8 个累加和，仅这些累加和就要 64 个寄存器。某个核函数每个线程用 {r} 个寄存器，每块 256 个线程，而一个多处理器有 65,536 个寄存器。只看寄存器，一个多处理器能容纳多少个线程块？",
      draw = { r = { from = { 64, 80, 96, 128, 168, 240 } } },
      answer = function(d) return 65536 // (d.r * 256) end,
      because = {
        en = "65536 / ({r} * 256), rounded down. With 128 registers, the multiprocessor holds 2 blocks: 16 of at most 64 warps. The occupancy is low, and yet the kernel is fast. Other kernels hide latency with many warps; this kernel hides latency with the 64 independent sums of each thread.",
        zh = "65536 / ({r} * 256)，向下取整。每个线程用 128 个寄存器时，多处理器能容纳 2 个块，即最多 64 个线程束（warp）中的 16 个。占用率很低，核函数却很快：别的核函数靠许多 warp 掩盖延迟，这里靠每个线程的 64 个互不依赖的累加和。",
      },
    },
    ask {
      en = "*Double buffering* keeps two copies of the tiles. While the block multiplies with one copy, it already loads the elements of the next step. Then it stores these elements into the other copy. Now one barrier per step is enough. Why?",
      zh = "*双缓冲*就是 tile 存两份。线程块用一份做乘法的同时，已经在读取下一步的元素，随后把这些元素写进另一份。这样每步只要一次屏障就够了。为什么？",
      choices = {
        { en = "The loads take so long that all threads have finished multiplying by then", zh = "读取要很久，那时所有线程都已经乘完了", because = { en = "Nothing guarantees this. The kernel would have a race.", zh = "这一点没有任何保证，核函数会有数据竞争。" } },
        { en = "The copy that a step overwrites was last read in the step before, and there is a barrier between the two steps", zh = "一步里要覆盖的那份，在上一步已经读完，两步之间有一次屏障", right = true },
        { en = "Each thread reads only elements that the thread itself stored", zh = "每个线程只读自己存的元素", because = { en = "A thread reads a column and a row. Other threads of the block stored most of these elements.", zh = "线程要读一列和一行，其中大多数元素是块内其他线程存的。" } },
      },
    },
    predict {
      en = "A 768 x 768 matrix has only 144 tiles of 64 x 64, hardly more than one for each of 132 multiprocessors. Therefore the model answer uses tiles of 32 x 32 here, with 4 x 4 outputs per thread. The baseline makes two shared loads per warp and step. With 16-byte loads, 2 loads are enough for 16 multiply-adds. How many of the baseline's 2 * 768^3 / 32 = 28,311,552 requests are left?",
      zh = "768 x 768 的矩阵只有 144 个 64 x 64 的 tile，132 个多处理器平均每个只分到一个多一点。所以参考答案在这里用 32 x 32 的 tile，每个线程算 4 x 4 个输出。基线的每个 warp 每步做两次共享内存读取，共 2 * 768^3 / 32 = 28,311,552 个请求。改用 16 字节的读取后，16 次乘加只需 2 次读取。还剩多少个请求？",
      counter = "shared_ld_requests",
      of = "answer",
      tolerance = 0.05,
      because = { en = "The product has 768^3 / 32 multiply-adds of whole warps, and 16 of them take 2 loads: 768^3 / 32 / 16 * 2 = 1,769,472. With 8 x 8 outputs per thread, half as many loads would be left. But an H200 takes longer with 8 x 8 outputs at this size: there are few blocks, so most of the multiprocessor's schedulers have one warp or none.", zh = "整个乘法共有 768^3 / 32 次 warp 乘加，每 16 次需要 2 次读取：768^3 / 32 / 16 * 2 = 1,769,472。每个线程算 8 x 8 个输出时，读取还能再减半。但在 H200 上、这个尺寸下反而更慢：线程块太少，多处理器的大多数调度器只有一个 warp，甚至没有。" },
    },
    exercise {
      en = "Make the product fast. Use register tiles first, then 16-byte loads, then double buffering. Do not use a library: Warplab refuses a program that contains `cublas`, `cutlass` or `wmma`.",
      zh = "让矩阵乘法尽可能快。先用寄存器 tile，再用 16 字节的读取，最后用双缓冲。请不要用现成的库：程序里出现 `cublas`、`cutlass` 或 `wmma`，Warplab 会拒绝。",
    },
    show {
      picture = "roofline",
      en = "The roofline of the device, with your kernel in it.",
      zh = "你的核函数在设备的屋顶线图中的位置。",
    },
    compare {
      en = "Your kernel beside the model answer.",
      zh = "你的核函数与参考答案的对比。",
      beside = "answer",
      counters = { "shared_ld_requests", "shared_ld_conflicts", "gld_requests", "thread_inst", "registers", "occupancy_pct" },
    },
  },
  hints = {
    { goal = "shared_loads", en = "Let a thread compute a small square of outputs instead of one. Which words does the thread read from shared memory in each step of k, and how often does it use each word?",
      zh = "让一个线程算一个小方阵的输出，而不是一个元素。k 每前进一步，线程要从共享内存读哪些字？每个字用几次？" },
    { goal = "shared_loads", en = "Use `float sum[4][4]`. Unroll the loops over `sum` fully, so that the array stays in registers. Store the tile of A transposed: the 4 elements of a column are then one float4.",
      zh = "用 `float sum[4][4]`，把遍历 `sum` 的循环完全展开，让这个数组留在寄存器里。A 的 tile 转置存放，这样一列的 4 个元素就是一个 float4。" },
    { en = "Let a block of 64 threads compute 32 x 32 outputs, in steps of 16 along k, with two copies of the tiles. In each step, load the elements of the next step into registers, multiply, store the elements into the other copy, and wait at one barrier. Once you have passed, `answer` shows the code.",
      zh = "用 64 个线程的块算 32 x 32 个输出，沿 k 每步 16，tile 存两份。每一步：把下一步的元素读到寄存器，做乘法，把这些元素写到另一份，然后执行一次屏障。通过之后，可以用 `answer` 查看完整代码。" },
  },
  after = {
    en = [[
With register tiles, 16-byte loads and double buffering, a CUDA kernel reaches 85% of the single-precision speed of cuBLAS on an H200: 43.6 of
51.4 TFLOP/s at n = 4096 (measured with a cold cache). At n = 2048, this kernel takes 403 us; the kernel of `matmul-tiled` takes 1849 us.

cuBLAS still has one advantage: a better order of the instructions. In CUDA C++, you can hardly control this order.]],
    zh = [[
用上寄存器 tile、16 字节的读取和双缓冲，一个 CUDA 核函数在 H200 上能达到 cuBLAS 单精度速度的 85%：n = 4096 时是 43.6 TFLOP/s，cuBLAS 是 51.4（冷缓存实
测）。n = 2048 时，这个核函数用 403 微秒，`matmul-tiled` 的核函数用 1849 微秒。与 cuBLAS 剩下的差距在于指令的排列顺序，用 CUDA C++ 很难控制这个顺序。]],
  },
  more = {
    en = "The model answer has three sizes of tile. Make it use 64 x 64 or 128 x 128 for n = 768, and look at `profile`. How many blocks are left, and for how many multiprocessors? Why is the kernel with the largest tiles slower here, although this kernel reuses each element most often?",
    zh = "参考答案里有三种大小的 tile。让参考答案在 n = 768 时改用 64 x 64 或 128 x 128 的 tile，看看 `profile`。还剩多少个线程块，分给多少个多处理器？tile 最大时复用最多，为什么在这里反而更慢？",
  },
}
